// The live pages: events, one event, one match. The server sends what is new in the results and on the boards.

import { ask } from "./asking.mjs";
import { el } from "./dom.mjs";
import { EntrantView } from "./entrant.mjs";
import { EventView, latest } from "./event.mjs";
import { EventsView } from "./events.mjs";
import { MatchView } from "./match.mjs";
import { neighbours } from "./matches.mjs";
import { reconcile } from "./reconcile.mjs";
import { follow } from "./stream.mjs";
import { showTurn, TURN_MS } from "./turns.mjs";
import { Hall, LiveEvent } from "./watch.mjs";

/** @typedef {import("./event.mjs").EventData} EventData */

const CLOCK_MS = 1000;
const AGAIN_MS = 2000;
/** A ply after every match's end: its last position. */
const LAST = 1e6;
const canPlay = document.querySelector("meta[name=arena-play]") !== null;
/** Whether the reader may see what bots have written: the one with the link of the server. */
const isHost = document.querySelector("meta[name=arena-host]") !== null;
const main = /** @type {HTMLElement} */ (document.getElementById("page"));
const state = el("p", { class: "state", role: "status" });
const events = new EventsView();
/** @type {Map<number, LiveEvent>} */
const inPlay = new Map();
/** @type {MatchView | null} */
let match = null;
/** @type {string | null} Key of the match on the page while it is in play. */
let running = null;
/** @type {{number: number, overview: HTMLElement, view: EventView, hall: Hall, data: EventData & {edition: string}} | null} */
let event = null;
/** @type {EntrantView | null} The bot on the page. */
let entrant = null;
/** @type {import("./events.mjs").EventRow[] | null} The events of the database. */
let rows = null;
let isFinding = false;
/** Number of the turn of what a projector cannot show at once. */
let turn = 0;
/** Whether the state is an error of the last read. */
let isAmiss = false;
/** Whether to open the event in play: the reader has chosen none. */
let isOpening = !location.hash;

const wanted = () => new URLSearchParams(location.hash.slice(1));
/** Return the address of a position, reached from the page of a bot or of the event. @param {number} number @param {string | null} bot @param {string} key @param {number} ply */
const address = (number, bot, key, ply) => `${botAddress(number, bot)}&m=${encodeURIComponent(key)}${ply ? `&p=${ply}` : ""}`;
/** @param {number} number @param {string | null} bot */
const botAddress = (number, bot) => `#e=${number}${bot === null ? "" : `&b=${encodeURIComponent(bot)}`}`;
const isProjector = () => wanted().get("v") === "projector";

/** Make a link to play; hidden where nobody can. @param {string} text */
function playLink(text) {
  const link = el("a", { href: "/play" }, text);
  link.hidden = !canPlay;
  return link;
}

/** @param {number} number @param {string | null} bot @returns {import("./matches.mjs").Ways} */
const waysFrom = (number, bot) => ({
  match: ({ key }) => address(number, bot, key, 0),
  bot: (name) => botAddress(number, name),
  output: isHost ? async (match, name) => (await ask(`/api/matches/${match}/outputs`)).outputs[name] ?? "" : null,
});

/** Show what the address names. */
async function route() {
  match?.pause();
  match = running = entrant = null;
  const number = Number(wanted().get("e") ?? 0);
  const key = wanted().get("m");
  document.body.classList.toggle("projector", isProjector());
  turnTo(number);
  if (!number) {
    rows = await ask("/api/events");
    return showEvents();
  }
  if (event?.number !== number) await openEvent(number);
  const bot = wanted().get("b");
  if (key !== null) await showMatch(number, bot, key);
  else if (event && bot !== null) showEntrant(event, bot);
  else if (event) {
    showEvent();
    const other = isProjector() ? el("a", { href: `#e=${number}` }, "all results") : el("a", { class: "wide", href: `#e=${number}&v=projector` }, "projector view");
    main.replaceChildren(el("nav", {}, el("a", { href: "#" }, "← all events"), other, state), event.overview);
    if (isFinding) event.view.list.field.focus();
    isFinding = false;
  }
}

/** @param {NonNullable<typeof event>} of @param {string} bot */
function showEntrant({ number, data }, bot) {
  entrant = new EntrantView(bot, data, waysFrom(number, bot));
  main.replaceChildren(el("nav", {}, el("a", { href: `#e=${number}` }, "← all results"), state), entrant.node);
  if (isFinding) entrant.list.field.focus();
  else window.scrollTo(0, 0);
  isFinding = false;
}

function showEvents() {
  if (wanted().has("e") || !rows) return;
  event = null;
  events.update(rows, (number) => (inPlay.get(number)?.isInPlay ? (inPlay.get(number)?.left ?? null) : null));
  if (!events.node.isConnected) main.replaceChildren(el("nav", {}, el("h1", {}, "Arena"), state, playLink("play a match")), events.node);
}

/** @param {number} number */
async function openEvent(number) {
  const data = await ask(`/api/events/${number}`);
  const hall = new Hall((live) => address(number, null, live.key, LAST));
  event = { number, overview: el("div", { class: "overview" }), view: new EventView(data, waysFrom(number, null)), hall, data };
}

/** Bring the sections of the event up to date, and touch nothing else, so that the page does not jump. */
function showEvent() {
  if (!event || match || entrant) return;
  const { number, data, view, hall } = event;
  const live = inPlay.get(number);
  if (live) hall.update(live, data);
  const [head, standings, ...others] = view.sections();
  const news = live ? latest(data, waysFrom(number, null).match) : null;
  reconcile(event.overview, [head, ...(live ? [hall.node] : []), standings, ...(news ? [news] : []), ...others]);
  showPart();
}

/** On a projector, show the parts of the event whose turn it is. */
function showPart() {
  if (event && isProjector()) showTurn(event.overview, turn);
}

/** @param {number} number @param {string | null} bot @param {string} key */
async function showMatch(number, bot, key) {
  const live = inPlay.get(number)?.places.find((each) => each.key === key);
  const summary = event?.data.matches.find((each) => each.key === key) ?? live?.result;
  if (!summary && !live) throw new Error(`this event has no match ${key} yet`);
  const data = summary ? await ask(`/api/matches/${summary.number}`) : live?.data;
  const ply = Number(wanted().get("p") ?? (summary ? 0 : Infinity));
  running = summary ? null : key;
  const playOn = playLink("play on from here");
  playOn.hidden = playOn.hidden || running !== null;
  match = new MatchView(summary ?? /** @type {any} */ (live?.summary()), data, ply, (to) => {
    const isLast = running !== null && to === data.text.length;
    if (summary) playOn.setAttribute("href", `/play#from=${summary.number}&p=${to}`);
    history.replaceState(null, "", address(number, bot, key, isLast ? 0 : to));
  });
  const matches = (event?.data.matches ?? []).filter(({ players }) => bot === null || players.includes(bot));
  const others = summary ? neighbours(matches, /** @type {any} */ (summary), waysFrom(number, bot).match) : [];
  const back = bot === null ? null : el("a", { href: botAddress(number, bot) }, `← ${bot}`);
  main.replaceChildren(el("nav", {}, el("a", { href: `#e=${number}` }, "← all results"), back, ...others, playOn, state), match.node);
  match.scrollToMove();
  window.scrollTo(0, 0);
}

/** Show the newest steps of a running match, or its end. */
async function followMatch() {
  if (running === null || !match || !event) return;
  const key = running;
  const live = inPlay.get(event.number)?.places.find((each) => each.key === key);
  const summary = event.data.matches.find((each) => each.key === key) ?? live?.result;
  if (summary) {
    const data = await ask(`/api/matches/${summary.number}`);
    if (running !== key) return;
    running = null;
    match.update(summary, data);
  } else if (live && live.steps > match.steps) match.update(live.summary(), live.data);
}

/** Show changed results. */
async function showResults() {
  if (!event) return;
  event.view.update(event.data);
  entrant?.update(event.data);
  showEvent();
  recover();
  await followMatch();
}

/** @param {{edition: string, after: string, news: Record<string, any>}} change */
async function takeResults({ edition, after, news }) {
  if (!event || event.data.edition === edition) return;
  if (event.data.edition !== after) return readAgain();
  const { data } = event;
  const { matches, faults, ...parts } = news;
  Object.assign(data, parts, { edition });
  data.matches = data.matches.slice(0, matches.first).concat(matches.items);
  data.faults = data.faults.slice(0, faults.first).concat(faults.items);
  await showResults();
}

/** Read all results of the event. */
async function readAgain() {
  if (!event) return route();
  const { number } = event;
  const data = await ask(`/api/events/${number}`);
  if (event?.number !== number) return;
  event.data = data;
  await showResults();
}

/** Read the results if the page has others. @param {string} edition */
async function takeEdition(edition) {
  if (wanted().has("e") && event?.data.edition !== edition) await readAgain();
}

/** @param {Record<string, import("./watch.mjs").EventNews>} news */
function takeNews(news) {
  for (const [number, live] of inPlay) if (!(number in news)) live.end();
  for (const [number, each] of Object.entries(news)) {
    const live = inPlay.get(Number(number)) ?? new LiveEvent();
    live.take(each);
    inPlay.set(Number(number), live);
  }
  if (!event && !wanted().has("e") && !isAmiss) showEvents();
  const numbers = Object.keys(news).filter((number) => !news[number].over);
  if (isOpening && numbers.length === 1) location.hash = `#e=${numbers[0]}`;
  if (!event) return;
  const live = inPlay.get(event.number);
  if (!live) return;
  if (event.hall.node.isConnected) {
    event.hall.update(live, event.data);
    showPart();
  } else if (!match) showEvent();
  followMatch().catch(complain);
}

/** Return a function that acts one time after the other, since an answer of the server may be needed; what fails is read again. */
function inOrder() {
  /** @type {Promise<void>} */
  let last = Promise.resolve();
  return (/** @type {() => Promise<void>} */ act) => {
    last = last.then(act).catch((error) => {
      complain(error);
      window.setTimeout(() => inTurn(readAgain), AGAIN_MS);
    });
  };
}

/** Take back a complaint: the page has been read again. */
function recover() {
  if (isAmiss) state.textContent = "live";
  isAmiss = false;
}

/** @param {unknown} error */
function complain(error) {
  isAmiss = true;
  state.textContent = error instanceof Error ? error.message : String(error);
  if (!state.isConnected) main.replaceChildren(el("nav", {}, el("h1", {}, "Arena"), state));
}

document.addEventListener("keydown", (pressed) => {
  const target = /** @type {HTMLElement} */ (pressed.target);
  if (pressed.ctrlKey || pressed.metaKey || pressed.altKey || target.closest("input:not([type=range]), dialog")) return;
  if (pressed.key === "/" && event) {
    pressed.preventDefault();
    isFinding = true;
    if (wanted().get("m") !== null || isProjector()) location.hash = botAddress(event.number, wanted().get("b"));
    else (entrant ?? event.view).list.field.focus();
  } else if (pressed.key === "p" && event && !match && !entrant) {
    location.hash = isProjector() ? `#e=${event.number}` : `#e=${event.number}&v=projector`;
  } else if (pressed.key === " " && target.closest("button, summary, a")) {
    return;
  } else if (match?.key(pressed)) pressed.preventDefault();
});
window.addEventListener("hashchange", () => {
  isOpening = false;
  inTurn(route);
});
window.setInterval(() => event?.hall.tick(), CLOCK_MS);
window.setInterval(() => {
  turn++;
  showPart();
}, TURN_MS);
const inTurn = inOrder();
const turnTo = follow(
  {
    events: (list) => {
      rows = list;
      recover();
      showEvents();
    },
    edition: (name) => inTurn(() => takeEdition(name)),
    results: (change) => inTurn(() => takeResults(change)),
    failed: (text) => complain(text),
    live: takeNews,
  },
  (text, isLost) => {
    state.textContent = text;
    state.classList.toggle("lost", isLost);
  },
);
inTurn(route);

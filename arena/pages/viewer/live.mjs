// The live pages: events, one event, one match. The server tells of changes; the page fetches them.

import { el, section, table } from "./dom.mjs";
import { eventView, matchList } from "./event.mjs";
import { MatchView } from "./match.mjs";

/** @typedef {import("./event.mjs").EventData} EventData */

const main = /** @type {HTMLElement} */ (document.getElementById("page"));
const state = el("p", { class: "hint", role: "status" });
/** @type {MatchView | null} */
let match = null;
/** @type {{number: number, overview: HTMLElement, list: ReturnType<typeof matchList>, data: EventData} | null} */
let event = null;
let isFinding = false;

/** @param {string} path */
async function get(path) {
  const answer = await fetch(path);
  if (answer.status === 403) throw new Error("open the link that arena serve has printed");
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error);
  return value;
}

const wanted = () => new URLSearchParams(location.hash.slice(1));
/** @param {number} number @param {string} key @param {number} ply */
const address = (number, key, ply) => `#e=${number}&m=${encodeURIComponent(key)}${ply ? `&p=${ply}` : ""}`;

/** Show what the address names. */
async function route() {
  match?.pause();
  match = null;
  const number = Number(wanted().get("e") ?? 0);
  const key = wanted().get("m");
  if (!number) return showEvents();
  if (event?.number !== number) await openEvent(number);
  if (key !== null) await showMatch(number, key);
  else if (event) {
    main.replaceChildren(el("nav", {}, el("a", { href: "#" }, "← all events")), state, event.overview);
    if (isFinding) event.list.field.focus();
    isFinding = false;
  }
}

async function showEvents() {
  event = null;
  const rows = (await get("/api/events")).map((/** @type {any} */ row) => [
    row.number,
    el("a", { href: `#e=${row.number}` }, row.name),
    row.begun,
    row.matches,
    row.bots,
  ]);
  main.replaceChildren(el("h1", {}, "Arena"), state, section("Events", table("events", ["event", "name", "begun (UTC)", "matches", "bots"], rows)));
}

/** @param {number} number */
async function openEvent(number) {
  const data = /** @type {EventData} */ (await get(`/api/events/${number}`));
  const list = matchList(data, (row) => address(number, row.key, 0));
  const overview = el("div", {}, ...views(number, data, list), list.node);
  event = { number, overview, list, data };
}

/** @param {number} number @param {EventData} data @param {ReturnType<typeof matchList>} list */
function views(number, data, list) {
  return eventView(data, (a, b) => list.find(`${a} ${b}`), (row) => address(number, row.key, 0));
}

/** @param {number} number @param {string} key */
async function showMatch(number, key) {
  const summary = event?.data.matches.find((each) => each.key === key);
  if (!summary) throw new Error(`this event has no match ${key} yet`);
  const data = await get(`/api/matches/${summary.number}`);
  match = new MatchView(summary, data, Number(wanted().get("p") ?? 0), (ply) => {
    history.replaceState(null, "", address(number, key, ply));
  });
  main.replaceChildren(el("nav", {}, el("a", { href: `#e=${number}` }, "← all results")), match.node);
  match.scrollToMove();
}

/** Replace the sections that changed, and nothing else, so that the page does not jump. */
async function refresh() {
  if (!event) return main.querySelector("h1")?.textContent === "Arena" ? showEvents() : undefined;
  const data = /** @type {EventData} */ (await get(`/api/events/${event.number}`));
  event.data = data;
  event.list.update(data);
  const old = [...event.overview.children].slice(0, -1);
  const fresh = views(event.number, data, event.list);
  if (old.length === fresh.length) {
    fresh.forEach((node, at) => {
      if (node.outerHTML !== old[at].outerHTML) old[at].replaceWith(node);
    });
  } else event.overview.replaceChildren(...fresh, event.list.node);
}

/** @param {unknown} error */
function complain(error) {
  state.textContent = error instanceof Error ? error.message : String(error);
  if (!state.isConnected) main.replaceChildren(el("h1", {}, "Arena"), state);
}

const changes = new EventSource("/api/changes");
changes.addEventListener("message", () => {
  state.textContent = "live";
  refresh().catch(complain);
});
changes.addEventListener("error", () => {
  state.textContent = "not connected: is arena serve still running? The page waits for it.";
});
document.addEventListener("keydown", (pressed) => {
  const target = /** @type {HTMLElement} */ (pressed.target);
  if (pressed.ctrlKey || pressed.metaKey || pressed.altKey || target.closest("input:not([type=range]), dialog")) return;
  if (pressed.key === "/" && event) {
    pressed.preventDefault();
    isFinding = true;
    if (wanted().get("m") !== null) location.hash = `#e=${event.number}`;
    else event.list.field.focus();
  } else if (pressed.key === " " && target.closest("button, summary, a")) {
    return;
  } else if (match?.key(pressed)) pressed.preventDefault();
});
window.addEventListener("hashchange", () => void route().catch(complain));
await route().catch(complain);

// The boards of a league in play beside its table, which the server makes and this page renews.

import { TURN_MS, showTurn } from "./turns.mjs";
import { Hall, LiveEvent } from "./watch.mjs";

const CLOCK_MS = 1000;
const TABLE_MS = 10_000;
const AGAIN_MS = 5000;
const overview = /** @type {HTMLElement} */ (document.querySelector(".overview"));
const state = /** @type {HTMLElement} */ (document.querySelector(".state"));
const isProjector = document.body.classList.contains("projector");
const hall = new Hall(({ result }) => (result ? `/matches/${result.number}` : "#"));
/** @type {Map<number, LiveEvent>} */
const inPlay = new Map();
/** @type {EventSource | null} */
let source = null;
let turn = 0;

/** Return what the hall needs of the results: the players in the order of the table. */
function results() {
  const players = [...overview.querySelectorAll("[data-player]")].map((row) => [row.getAttribute("data-player") ?? ""]);
  return /** @type {any} */ ({ matches: [], standings: { header: ["bot"], rows: players } });
}

/** @param {Record<string, import("./watch.mjs").EventNews>} news */
function take(news) {
  for (const [number, each] of Object.entries(news)) {
    const live = inPlay.get(Number(number)) ?? new LiveEvent();
    live.take(each);
    inPlay.set(Number(number), live);
  }
  show();
}

/** Show the newest event in play, or else the last one: that of a season that has just ended. */
function show() {
  const newest = [...inPlay].sort(([one], [other]) => other - one);
  const [, live] = newest.find(([, each]) => each.isInPlay) ?? newest[0] ?? [];
  if (!live?.places.length) return;
  hall.update(live, results());
  hall.open.hidden = !hall.large.match?.result;
  if (!hall.node.isConnected) overview.querySelector("header")?.after(hall.node);
  showPart();
}

function showPart() {
  if (isProjector) showTurn(overview, turn);
}

/** Follow the server while the page is seen; a new stream begins with everything. */
function open() {
  close();
  source = new EventSource(overview.dataset.changes ?? "");
  source.addEventListener("open", () => tell("live"));
  source.addEventListener("live", ({ data }) => take(JSON.parse(data)));
  source.addEventListener("error", () => {
    close();
    tell("connection lost; trying again");
    window.setTimeout(() => document.hidden || source || open(), AGAIN_MS);
  });
}

function close() {
  source?.close();
  source = null;
}

/** @param {string} text */
function tell(text) {
  if (state.textContent !== text) state.textContent = text;
}

/** Renew the rows of the table, and the reason why no boards are in play. */
async function renew() {
  const answer = await fetch(location.pathname);
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const [why, now] = [document, page].map((each) => each.querySelector(".why"));
  if (why && why.textContent !== now?.textContent) why.textContent = now?.textContent ?? "";
  const [mine, theirs] = [document, page].map((each) => each.querySelector("[aria-labelledby=standings] tbody"));
  if (!mine || !theirs) return;
  mine.replaceChildren(...theirs.children);
  showRows();
}

/** Show all rows: without this script the server turns the pages. */
function showRows() {
  for (const row of overview.querySelectorAll(".later")) row.classList.remove("later");
  showPart();
}

document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
window.addEventListener("pagehide", close);
window.setInterval(() => hall.tick(), CLOCK_MS);
window.setInterval(() => document.hidden || renew().catch(() => {}), TABLE_MS);
window.setInterval(() => {
  turn++;
  showPart();
}, TURN_MS);
showRows();
open();

// A report in one file: unpack the data, show the event, or a match named after the #.

import { el } from "./dom.mjs";
import { eventView, matchList } from "./event.mjs";
import { MatchView } from "./match.mjs";

/** @typedef {import("./match.mjs").MatchData} MatchData */

/** Inflate base64 text to a value. @param {string} text */
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

const stored = /** @type {HTMLElement} */ (document.getElementById("data")).textContent ?? "";
const [packed, ...boards] = stored.trim().split("\n");
/** @type {import("./event.mjs").EventData & {layouts: import("./board.mjs").Layout[], boards: Record<string, number>}} */
const data = await unpack(packed);
const main = /** @type {HTMLElement} */ (document.getElementById("page"));
const list = matchList(data);
const overview = el("div", {}, ...eventView(data, (a, b) => list.find(`${a} ${b}`)), list.node);
/** @type {MatchView | null} */
let match = null;
let isFinding = false;

/** Return the address of a position. @param {string} key @param {number} ply */
const address = (key, ply) => `#m=${encodeURIComponent(key)}${ply ? `&p=${ply}` : ""}`;

async function route() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const key = wanted.get("m");
  match?.pause();
  match = null;
  const isAlone = data.matches.length === 1 && !data.standings.rows.length;
  const found = isAlone ? 0 : data.matches.findIndex((each) => each.key === key);
  if (found < 0) {
    main.replaceChildren(overview);
    if (isFinding) list.field.focus();
    isFinding = false;
    return;
  }
  const summary = data.matches[found];
  const back = isAlone ? el("nav") : el("nav", {}, el("a", { href: "#" }, "← all results"), ...neighbours(found));
  const board = data.boards[summary.number];
  if (board === undefined) {
    main.replaceChildren(back, el("h1", {}, `match ${summary.number}`), el("p", {}, data.omitted || "This match has no moves."));
    return;
  }
  const read = await unpack(boards[board]);
  const layout = read.layout === null ? null : data.layouts[read.layout];
  match = new MatchView(summary, { ...read, layout }, Number(wanted.get("p") ?? 0), (ply) => {
    history.replaceState(null, "", address(summary.key, ply));
  });
  main.replaceChildren(back, match.node);
  match.scrollToMove();
  window.scrollTo(0, 0);
}

/** @param {number} at */
function neighbours(at) {
  return [-1, 1].map((step) => {
    const other = data.matches[at + step];
    const label = step < 0 ? "previous match" : "next match";
    return other ? el("a", { href: address(other.key, 0) }, label) : null;
  });
}

document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input:not([type=range]), dialog")) return;
  if (event.key === "/") {
    event.preventDefault();
    isFinding = true;
    if (location.hash) location.hash = "";
    else void route();
  } else if (event.key === " " && target.closest("button, summary, a")) {
    return;
  } else if (match?.key(event)) event.preventDefault();
});
window.addEventListener("hashchange", () => void route());
await route();

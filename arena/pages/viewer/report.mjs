// A report in one file: unpack the data, show the event, or a match named after the #.

import { el } from "./dom.mjs";
import { EntrantView } from "./entrant.mjs";
import { EventView } from "./event.mjs";
import { MatchView } from "./match.mjs";
import { neighbours } from "./matches.mjs";

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
// In a frame of a fixed height, a board that grows with it would push the chart below it out of sight.
document.documentElement.classList.toggle("framed", window !== window.top);

/**
 * Return the address of a bot, or of a position of a match that is reached from there.
 * @param {string | null} bot @param {string | null} key @param {number} ply
 */
function address(bot, key = null, ply = 0) {
  const parts = { m: key, b: bot, p: ply ? String(ply) : null };
  return `#${Object.entries(parts).flatMap(([name, value]) => (value === null ? [] : [`${name}=${encodeURIComponent(value)}`])).join("&")}`;
}

/** @param {string | null} bot @returns {import("./matches.mjs").Ways} */
const waysFrom = (bot) => ({ match: ({ key }) => address(bot, key), bot: address, output: null });
const view = new EventView(data, waysFrom(null));
const overview = el("div", {}, ...view.sections());
/** The list of matches on the page. */
let { list } = view;
/** @type {MatchView | null} */
let match = null;
let isFinding = false;

async function route() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const key = wanted.get("m");
  match?.pause();
  match = null;
  const bot = wanted.get("b");
  const isAlone = data.matches.length === 1 && !data.standings.rows.length;
  const summary = isAlone ? data.matches[0] : data.matches.find((each) => each.key === key);
  if (!summary) return showList(bot);
  const way = waysFrom(bot).match;
  const matches = bot === null ? data.matches : data.matches.filter(({ players }) => players.includes(bot));
  const back = isAlone ? el("nav") : el("nav", {}, el("a", { href: "#" }, "← all results"), bot === null ? null : el("a", { href: address(bot) }, `← ${bot}`), ...neighbours(matches, summary, way));
  const board = data.boards[summary.number];
  if (board === undefined) {
    main.replaceChildren(back, el("h1", {}, `match ${summary.number}`), el("p", {}, data.omitted || "This match has no moves."));
    return;
  }
  const read = await unpack(boards[board]);
  const layout = read.layout === null ? null : data.layouts[read.layout];
  match = new MatchView(summary, { ...read, layout }, Number(wanted.get("p") ?? 0), (ply) => {
    history.replaceState(null, "", address(bot, summary.key, ply));
  });
  main.replaceChildren(back, match.node);
  match.scrollToMove();
  window.scrollTo(0, 0);
}

/** Show all results, or those of a bot. @param {string | null} bot */
function showList(bot) {
  const entrant = bot === null ? null : new EntrantView(bot, data, waysFrom(bot));
  list = (entrant ?? view).list;
  main.replaceChildren(...(entrant ? [el("nav", {}, el("a", { href: "#" }, "← all results")), entrant.node] : [overview]));
  if (isFinding) list.field.focus();
  isFinding = false;
}

document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input:not([type=range]), dialog")) return;
  if (event.key === "/") {
    event.preventDefault();
    isFinding = true;
    if (match) location.hash = "#";
    else list.field.focus();
  } else if (event.key === " " && target.closest("button, summary, a")) {
    return;
  } else if (match?.key(event)) event.preventDefault();
});
window.addEventListener("hashchange", () => void route());
await route();

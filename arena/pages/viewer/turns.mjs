// What does not fit on a projector is shown in turn: boards, standings, crosstable.

const BOARDS = 12;
const ROWS = 10;
const COLUMNS = 6;
/** Time of a turn. */
export const TURN_MS = 8000;

/** Return the part of a list that is shown in a turn: parts as even as possible. @param {number} count @param {number} most @param {number} turn */
function part(count, most, turn) {
  const parts = Math.max(1, Math.ceil(count / most));
  const size = Math.ceil(count / parts);
  const first = (turn % parts) * size;
  return { parts, first, last: Math.min(count, first + size) };
}

/** @param {Iterable<Element>} nodes @param {{first: number, last: number}} shown */
function keep(nodes, { first, last }) {
  [...nodes].forEach((node, at) => node.toggleAttribute("hidden", at < first || at >= last));
}

/** Name the shown part of a list in the heading of its section. @param {Element} node @param {number} count @param {{parts: number, first: number, last: number}} shown */
function head(node, count, { parts, first, last }) {
  node.querySelector("h2")?.setAttribute("data-part", parts > 1 ? `${first + 1}–${last} of ${count}` : "");
}

/**
 * Show the parts of an event of a turn. The standings come part by part, then a block of the crosstable, then the next matches.
 * @param {HTMLElement} overview @param {number} turn
 */
export function showTurn(overview, turn) {
  const wall = /** @type {HTMLElement | null} */ (overview.querySelector(".wall"));
  if (wall) {
    const shown = part(wall.children.length, BOARDS, turn);
    keep(wall.children, shown);
    shape(wall, shown.last - shown.first);
  }
  const standings = /** @type {HTMLElement | null} */ (overview.querySelector("[aria-labelledby=standings]"));
  if (!standings) return;
  const { parts } = part(rowsOf(standings).length, ROWS, 0);
  const others = /** @type {HTMLElement[]} */ ([...overview.querySelectorAll("[aria-labelledby=crosstable], .coming:not([hidden])")]).reverse();
  const cycle = parts + others.length;
  const at = turn % cycle;
  const chosen = others[at - parts] ?? standings;
  for (const each of [standings, ...others]) {
    each.classList.toggle("shown", each === chosen);
    each.style.setProperty("--shown", String(Math.min(ROWS, rowsOf(standings).length)));
  }
  if (chosen === standings) showRows(standings, at);
  else if (chosen.tagName === "SECTION") showBlock(chosen, Math.floor(turn / cycle));
}

/** @param {Element} section */
const rowsOf = (section) => section.querySelectorAll("tbody tr");

/** Show a part of the rows of a table. @param {Element} section @param {number} turn */
function showRows(section, turn) {
  const rows = rowsOf(section);
  const shown = part(rows.length, ROWS, turn);
  keep(rows, shown);
  head(section, rows.length, shown);
}

/** Show a block of the crosstable. @param {Element} section @param {number} turn */
function showBlock(section, turn) {
  const count = rowsOf(section).length;
  const { parts } = part(count, ROWS, 0);
  showRows(section, turn);
  const columns = part(count, COLUMNS, Math.floor(turn / parts));
  for (const row of section.querySelectorAll("tr")) keep([...row.children].slice(1), columns);
}

/** Divide the wall among its boards. @param {HTMLElement} wall @param {number} count */
function shape(wall, count) {
  const rows = count > 4 ? 2 : 1;
  wall.style.setProperty("--columns", String(Math.max(1, Math.ceil(count / rows))));
  wall.style.setProperty("--rows", String(rows));
}

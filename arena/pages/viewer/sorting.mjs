// Tables sorted by their columns: by a click on a head, or from the keyboard.

import { el } from "./dom.mjs";

const TEXTS = new Intl.Collator("en", { numeric: true });

/** Make the head of a column that sorts when it is chosen. @param {string} name @param {(event: MouseEvent) => void} act */
export function header(name, act) {
  const button = el("button", { type: "button", class: "sort" }, name);
  button.onclick = act;
  return el("th", { scope: "col" }, button);
}

/**
 * Mark one of the heads of a table as the sorted one, and return its direction: 1 is ascending. Numbers begin with the largest.
 * @param {Iterable<Element>} heads @param {number} column @param {boolean} isNumber
 */
export function turned(heads, column, isNumber) {
  const all = [...heads];
  const before = all[column].getAttribute("aria-sort");
  const step = (before ? before === "descending" : !isNumber) ? 1 : -1;
  for (const head of all) head.removeAttribute("aria-sort");
  all[column].setAttribute("aria-sort", step === 1 ? "ascending" : "descending");
  return step;
}

/**
 * Return items in the order of a value; those without one are last.
 * @template T
 * @param {T[]} items @param {(item: T) => string | number} value @param {number} step 1 for ascending, -1 for descending.
 */
export function ordered(items, value, step) {
  const compare = (/** @type {string | number} */ a, /** @type {string | number} */ b) =>
    typeof a === "number" && typeof b === "number" ? a - b : TEXTS.compare(String(a), String(b));
  return items
    .map((item) => ({ item, of: value(item) }))
    .sort((a, b) => (a.of === "" || b.of === "" ? Number(a.of === "") - Number(b.of === "") : step * compare(a.of, b.of)))
    .map(({ item }) => item);
}

const NUMBER = /^[~<>≥≤]?\s*([+−-]?[\d,]*\.?\d+)\s?(%|µs|ms|s|min [\d.]+ s)?(\s[±+−(-].*)?$/;
const UNITS = /** @type {Record<string, number>} */ ({ µs: 1e-6, ms: 1e-3, s: 1, "%": 1 });

/** Return the number that a text begins with, in seconds if it is a time; the text itself if it is none. @param {string} text */
export function valueOf(text) {
  const found = NUMBER.exec(text.trim());
  if (!found) return text.trim();
  const [, digits, unit = "%"] = found;
  const number = Number(digits.replace("−", "-").replaceAll(",", ""));
  return unit.startsWith("min") ? 60 * number + Number.parseFloat(unit.slice(4)) : number * UNITS[unit];
}

/** Sort the rows of a table by the texts of a column. @param {Element} table @param {number} column @param {number} step */
function sortRows(table, column, step) {
  const body = table.querySelector("tbody");
  const rows = [...(body?.children ?? [])];
  body?.append(...ordered(rows, (row) => valueOf(row.children[column].textContent ?? ""), step));
}

/** Let the columns of a table be sorted. @param {HTMLElement} frame */
export function sortable(frame) {
  [...frame.querySelectorAll("thead th")].forEach((head, column) => {
    if (head.textContent) head.replaceWith(header(head.textContent, (event) => sortTable(/** @type {Element} */ (event.currentTarget), column)));
  });
  return frame;
}

/** Sort the table of a head, which may have been renewed since. @param {Element} button @param {number} column */
function sortTable(button, column) {
  const table = /** @type {Element} */ (button.closest("table"));
  const values = [...table.querySelectorAll("tbody tr")].map((row) => valueOf(row.children[column].textContent ?? ""));
  const isNumber = values.every((value) => value === "" || typeof value === "number");
  sortRows(table, column, turned(table.querySelectorAll("thead th"), column, isNumber));
}

/** Sort a fresh table like the known one. @param {Element} known @param {Element} fresh */
export function sortLike(known, fresh) {
  const column = [...known.querySelectorAll("thead th")].findIndex((head) => head.hasAttribute("aria-sort"));
  const head = fresh.querySelectorAll("thead th")[column];
  if (!head) return;
  const direction = known.querySelectorAll("thead th")[column].getAttribute("aria-sort") ?? "";
  head.setAttribute("aria-sort", direction);
  sortRows(fresh, column, direction === "ascending" ? 1 : -1);
}

// Long lists, drawn as far as they have been scrolled to: the rest is counted, found, sorted and printed.

import { el } from "./dom.mjs";
import { renew } from "./reconcile.mjs";
import { header, ordered, turned } from "./sorting.mjs";

const FIRST = 50;
const MORE = 100;
/** How far below the window a list is drawn ahead, so that the Tab key finds the next link. */
const AHEAD = "800px";
const LONG = "data-long";

for (const name of ["beforeprint", "afterprint"]) {
  window.addEventListener(name, () => {
    for (const body of document.querySelectorAll(`[${LONG}]`)) body.dispatchEvent(new Event(name));
  });
}

/**
 * The children of a node, one for each item. A reader who comes to the last one, by scrolling, by Tab or by the button below,
 * finds more; a print has all.
 * @template T
 */
export class LongList {
  /**
   * @param {HTMLElement} body @param {(item: T) => HTMLElement} draw
   * @param {(item: T) => string | number} keyOf Names an item: one of the same name keeps its node.
   * @param {boolean} isChanging Whether an item of the same name may look different.
   */
  constructor(body, draw, keyOf, isChanging = false) {
    this.body = body;
    this.draw = draw;
    this.keyOf = keyOf;
    this.isChanging = isChanging;
    /** @type {T[]} */
    this.items = [];
    this.count = FIRST;
    /** @type {Map<string | number, HTMLElement>} */
    this.drawn = new Map();
    this.more = el("button", { type: "button", class: "more", click: () => this.extend() });
    this.observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && this.extend(), { rootMargin: AHEAD });
    body.setAttribute(LONG, "");
    body.addEventListener("beforeprint", () => this.#fill(Infinity));
    body.addEventListener("afterprint", () => this.#fill(this.count));
  }

  /** Show these items, as many as were drawn before. @param {T[]} items */
  show(items) {
    this.items = items;
    this.#fill(this.count);
  }

  /** Show these items from their beginning. @param {T[]} items */
  restart(items) {
    this.count = FIRST;
    this.show(items);
  }

  /** Draw more. */
  extend() {
    this.count = Math.min(this.count + MORE, Math.max(this.items.length, FIRST));
    this.#fill(this.count);
  }

  /** Draw the first items; a node that stays is not touched, and keeps the focus. @param {number} count */
  #fill(count) {
    const shown = this.items.slice(0, count);
    const known = this.drawn;
    this.drawn = new Map(shown.map((item) => [this.keyOf(item), this.#node(item, known)]));
    const nodes = [...this.drawn.values()];
    const wanted = new Set(nodes);
    for (const node of [...this.body.children]) if (!wanted.has(/** @type {HTMLElement} */ (node))) node.remove();
    let at = this.body.firstElementChild;
    nodes.forEach((node, index) => {
      if (node === at) at = at.nextElementSibling;
      else this.body.insertBefore(node, at);
      if (node.tagName === "TR") node.setAttribute("aria-rowindex", String(index + 2)); // below the header
    });
    const left = this.items.length - nodes.length;
    this.more.textContent = `show ${Math.min(MORE, left)} more of ${left}`;
    this.more.hidden = left === 0;
    this.observer.disconnect(); // and observed again: one that is still in view tells so only then
    if (left) this.observer.observe(this.more);
  }

  /** @param {T} item @param {Map<string | number, HTMLElement>} known */
  #node(item, known) {
    const node = known.get(this.keyOf(item));
    if (node && this.isChanging) renew(node, this.draw(item));
    return node ?? this.draw(item);
  }
}

/**
 * @template T
 * @typedef {{name: string, value: (item: T) => string | number, cell: (item: T) => import("./dom.mjs").Child}} Column
 */

/**
 * A table of many rows, sorted by any of its columns.
 * @template T
 */
export class LongTable {
  /**
   * @param {string} caption @param {Column<T>[]} columns The first one names the rows.
   * @param {(item: T) => string | number} keyOf @param {boolean} isChanging As of its list.
   */
  constructor(caption, columns, keyOf, isChanging = false) {
    this.columns = columns;
    const body = el("tbody");
    this.list = new LongList(body, (/** @type {T} */ item) => this.#row(item), keyOf, isChanging);
    /** @type {{column: number, step: number} | null} */
    this.sorting = null;
    /** @type {T[]} */
    this.items = [];
    const heads = columns.map(({ name }, column) => header(name, () => this.#sort(heads, column)));
    this.table = el("table", {}, el("thead", {}, el("tr", { "aria-rowindex": 1 }, ...heads)), body);
    this.node = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `table of ${caption}` }, this.table, this.list.more);
  }

  /** Show these rows; others than before are shown from their beginning. @param {T[]} items @param {boolean} isOther */
  show(items, isOther) {
    this.items = items;
    const sorted = this.sorting ? ordered(items, this.columns[this.sorting.column].value, this.sorting.step) : items;
    this.table.setAttribute("aria-rowcount", String(items.length + 1));
    if (isOther) this.list.restart(sorted);
    else this.list.show(sorted);
  }

  /** @param {HTMLElement[]} heads @param {number} column */
  #sort(heads, column) {
    const isNumber = this.items.length > 0 && typeof this.columns[column].value(this.items[0]) === "number";
    this.sorting = { column, step: turned(heads, column, isNumber) };
    this.show(this.items, true);
  }

  /** @param {T} item */
  #row(item) {
    const cells = this.columns.map(({ cell }, at) => (at ? el("td", {}, cell(item)) : el("th", { scope: "row" }, cell(item))));
    return el("tr", {}, ...cells);
  }
}

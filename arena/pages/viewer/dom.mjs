// Elements, foreign text and numbers. Text reaches a page only through `el` and `svg`, as text nodes.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | EventListener | null | undefined>} Attributes */

const SVG = "http://www.w3.org/2000/svg";
// Controls, bidirectional marks and other invisible characters could disguise a text; more than two
// marks on a letter cover what stands above it.
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(\p{M}\p{M})\p{M}+/gu;

/** @param {string} character */
const codeOf = (character) => `\\u${/** @type {number} */ (character.codePointAt(0)).toString(16).padStart(4, "0")}`;

/** Show hidden characters as escapes. @param {string | number} text */
export function plain(text) {
  return String(text).replace(HIDDEN, (found, kept = "") => kept + [...found.slice(kept.length)].map(codeOf).join(""));
}

/** @param {Element} element @param {Attributes} attributes @param {Child[]} children */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : plain(String(value)));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : plain(child));
  }
  return element;
}

/**
 * Make an HTML element. A function as an attribute listens to the event of that name.
 * @param {string} name @param {Attributes} attributes @param {Child[]} children
 */
export function el(name, attributes = {}, ...children) {
  return /** @type {HTMLElement} */ (fill(document.createElement(name), attributes, children));
}

/** Make an SVG element. @param {string} name @param {Attributes} attributes @param {Child[]} children */
export function svg(name, attributes = {}, ...children) {
  return /** @type {SVGElement} */ (fill(document.createElementNS(SVG, name), attributes, children));
}

const TAIL = 5;

/** Write a name that is shortened in its middle where it does not fit. @param {string} name */
export function nameOf(name) {
  const letters = [...plain(name)];
  const cut = letters.length > 2 * TAIL ? letters.length - TAIL : letters.length;
  return el("span", { class: "name", title: name }, el("span", {}, letters.slice(0, cut).join("")), el("span", {}, letters.slice(cut).join("")));
}

/** Write microseconds with a unit. @param {number} us */
export function duration(us) {
  if (us < 999.5) return `${Math.round(us)} µs`;
  if (us < 999.5e3) return `${(us / 1e3).toPrecision(3)} ms`;
  if (us < 59.95e6) return `${(us / 1e6).toPrecision(3)} s`;
  const seconds = Math.round(us / 1e6);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Write a number with at most two decimals. @param {number} value */
export function decimal(value) {
  return String(Math.round(value * 100) / 100);
}

/** Write an integer with its sign. @param {number} value */
export function signed(value) {
  return value > 0 ? `+${value}` : String(value);
}

/**
 * Make a table in a frame that scrolls sideways.
 * @param {string} caption @param {string[]} header @param {Child[][]} rows
 */
export function table(caption, header, rows) {
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": `table of ${caption}` },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, ...header.map((name) => el("th", { scope: "col" }, name)))),
      el(
        "tbody",
        {},
        ...rows.map((row) =>
          el("tr", {}, ...row.map((cell, column) => (column === 0 ? el("th", { scope: "row" }, cell) : el("td", {}, cell)))),
        ),
      ),
    ),
  );
}

/** Make a section with a heading. @param {string} title @param {Child[]} children */
export function section(title, ...children) {
  const id = title.toLowerCase().replace(/\W+/g, "-");
  return el("section", { "aria-labelledby": id }, el("h2", { id }, title), ...children);
}

/** Make a section that can be folded; it is open where there is room. @param {string} title @param {Child[]} children */
export function folded(title, ...children) {
  const node = section(title);
  const open = window.matchMedia("(min-width: 48rem)").matches;
  node.replaceChildren(el("details", { open }, el("summary", {}, ...node.childNodes), ...children));
  return node;
}

/** Return the mark of a seat: its color, or where the board is text its name. @param {number} seat @param {boolean} isText @param {string} role */
export function seatMark(seat, isText, role) {
  return isText ? el("span", { class: "role" }, role || `seat ${seat}`) : el("span", { class: `dot seat-${seat % 6}` });
}

/** Return the class that colors a seat; null is the game itself, which has drawn. @param {number | null} seat */
export function seatClass(seat) {
  return seat === null ? "chance" : `seat-${seat % 6}`;
}

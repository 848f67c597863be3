// A board as an SVG grid: places to walk and to click, and pieces that change from ply to ply.

import { el, svg } from "./dom.mjs";
import { area, centres, drawPiece, lines, turnOf } from "./pieces.mjs";

/**
 * @typedef {object} Layout
 * @property {"cells" | "points" | "hex" | "edges" | "cards" | "free"} kind
 * @property {number} rows
 * @property {number} cols
 * @property {string[]} row_labels
 * @property {string[]} col_labels
 * @property {string[]} foot_labels
 * @property {[number, number][]} spots
 * @property {string[]} names
 * @property {{places: number[], seat: number | null}[]} regions
 * @property {boolean} is_first_light
 *
 * @typedef {object} Piece
 * @property {number | null} seat
 * @property {"disc" | "square" | "card" | "line" | "text"} shape
 * @property {number} color
 * @property {string} text
 * @property {string} name
 */

const MARGIN = 1.3;
const WIDE_MARGIN = 1.6; // of dense boards, whose labels are larger on narrow screens
const DENSE = 12; // columns, or the width of as many
const EDGE = 0.7;
const FINGER = 44; // pixels that a finger hits without looking (WCAG 2.5.5)
const STEP = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * Return the kinds of the pieces after a ply, by their places.
 * @param {{start: [number, number][], changes: [number, number][][]}} match @param {number} ply
 */
export function piecesOf({ start, changes }, ply) {
  const pieces = new Map(start);
  for (const [place, kind] of changes.slice(0, ply).flat()) {
    if (kind < 0) pieces.delete(place);
    else pieces.set(place, kind);
  }
  return pieces;
}

/**
 * Return the places of the last move before a ply, and after the whole match those that decided it.
 * @param {{marks: number[][], decisive: number[]}} match @param {number} ply @returns {[number[], number[]]}
 */
export function marksOf({ marks, decisive }, ply) {
  return [ply ? marks[ply - 1] : [], ply && ply === marks.length ? decisive : []];
}

/**
 * Return the places so far of each kind of piece.
 * @param {{start: [number, number][], changes: [number, number][][]}} match @param {number} ply
 */
export function waysOf({ start, changes }, ply) {
  /** @type {Map<number, number[]>} */
  const ways = new Map();
  for (const [place, kind] of [start, ...changes.slice(0, ply)].flat()) {
    if (kind >= 0) ways.set(kind, [...(ways.get(kind) ?? []), place]);
  }
  return ways;
}

/** Let a piece come from another place. @param {SVGElement} node @param {[number, number]} from @param {[number, number]} to */
function slide(node, from, to) {
  if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  node.animate([{ translate: `${from[0] - to[0]}px ${from[1] - to[1]}px` }, { translate: "0 0" }], 200);
}

export class Board {
  /**
   * @param {Layout} layout @param {Piece[]} palette
   * @param {((place: number, isBlind: boolean) => void) | null} click Called with a place, and whether a finger has covered its neighbours too.
   */
  constructor(layout, palette, click = null) {
    this.layout = layout;
    this.palette = palette;
    this.spots = centres(layout);
    /** @type {Map<number, {kind: number, node: SVGElement}>} */
    this.shown = new Map();
    this.isCalm = false; // whether pieces may be seen on their way
    this.places = this.spots.map(([x, y], place) => this.#place(x, y, place));
    this.pointer = "";
    this.pieces = svg("g", { "aria-hidden": "true" });
    this.marks = svg("g", { class: "marks", "aria-hidden": "true" });
    this.dense = this.spots.some(([x]) => x >= DENSE) ? " dense" : "";
    this.node = svg("svg", { class: `board ${layout.kind}${this.dense}`, viewBox: this.#viewBox(), role: "grid", "aria-label": "board" });
    this.offers = svg("g", { class: "offers", "aria-hidden": "true" });
    this.plan = svg("g", { class: "plan", "aria-hidden": "true" });
    this.trails = svg("g", { class: "trails", "aria-hidden": "true" });
    const ground = this.#ground();
    ground.append(this.trails);
    this.node.append(ground, this.pieces, this.marks, this.offers, this.plan, ...this.#rows());
    this.places[0]?.setAttribute("tabindex", "0");
    this.node.addEventListener("keydown", (event) => this.#walk(/** @type {KeyboardEvent} */ (event)));
    if (click) {
      this.node.addEventListener("click", (event) => {
        const place = /** @type {Element} */ (event.target).closest("[data-place]");
        if (place) click(Number(place.getAttribute("data-place")), this.pointer === "touch" && this.#reach() < FINGER);
      });
      this.node.addEventListener("pointerdown", ({ pointerType }) => (this.pointer = pointerType));
      this.node.addEventListener("keydown", (event) => {
        const { key, target } = /** @type {KeyboardEvent} */ (event);
        const place = /** @type {Element} */ (target).getAttribute("data-place");
        if (place === null || (key !== "Enter" && key !== " ")) return;
        event.preventDefault();
        click(Number(place), false);
      });
    }
  }

  /** Return the size of a place on the screen, in pixels. */
  #reach() {
    const { width, height } = this.node.getBoundingClientRect();
    const [, , across, down] = (this.node.getAttribute("viewBox") ?? "").split(" ").map(Number);
    return Math.min(width / across, height / down) * (this.layout.kind === "edges" ? Math.SQRT1_2 : 1);
  }

  /** Mark a place and enlarge the board around it until a finger can hit each place; the place stays where it is. @param {number} place */
  aim(place) {
    const [x, y] = this.spots[place];
    const [left, top, across, down] = this.#viewBox().split(" ").map(Number);
    const part = Math.min(1, this.#reach() / FINGER);
    this.node.setAttribute("viewBox", [x - (x - left) * part, y - (y - top) * part, across * part, down * part].join(" "));
    this.offers.append(svg("circle", { class: "aimed", cx: x, cy: y, r: 0.46 }), svg("path", { class: "aimed", d: `M${x - 0.7} ${y}h1.4M${x} ${y - 0.7}v1.4` }));
  }

  /** Show the whole board. */
  showAll() {
    this.node.setAttribute("viewBox", this.#viewBox());
  }

  /**
   * Show pieces (kinds by place), and mark places of the last move and those that decided the match.
   * @param {Map<number, number>} pieces @param {number[]} marks @param {number[]} decisive
   */
  show(pieces, marks, decisive = []) {
    /** @type {Map<number, number>} Where each kind of piece has left a place. */
    const left = new Map();
    for (const [place, { kind, node }] of this.shown) {
      if (pieces.get(place) === kind) continue;
      left.set(kind, place);
      node.remove();
      this.shown.delete(place);
      this.#name(place, "empty");
    }
    for (const [place, kind] of pieces) {
      if (this.shown.has(place)) continue;
      const piece = this.palette[kind];
      const node = drawPiece(piece);
      const [x, y] = this.spots[place];
      node.setAttribute("transform", `translate(${x} ${y})${turnOf(this.layout, place)}`);
      this.pieces.append(node);
      if (this.isCalm) slide(node, this.spots[left.get(kind) ?? place], [x, y]);
      this.shown.set(place, { kind, node });
      this.#name(place, piece.name || (piece.seat === null ? piece.text || "piece" : `seat ${piece.seat}`));
    }
    this.marks.replaceChildren(
      ...decisive.map((place) => svg("circle", { class: "decisive", cx: this.spots[place][0], cy: this.spots[place][1], r: 0.49 })),
      ...marks.map((place) => {
        const [x, y] = this.spots[place];
        if (this.layout.kind === "edges") return svg("rect", { x: -0.2, y: -0.46, width: 0.4, height: 0.92, rx: 0.15, transform: `translate(${x} ${y})${turnOf(this.layout, place)}` });
        if (this.layout.kind === "cells") return svg("rect", { x: x - 0.47, y: y - 0.47, width: 0.94, height: 0.94, rx: 0.1 });
        return this.layout.kind === "points" ? svg("circle", { class: "latest", cx: x, cy: y, r: 0.16 }) : svg("circle", { cx: x, cy: y, r: 0.5 });
      }),
    );
  }

  /** Draw the ways of pieces over a map. @param {Map<number, number[]>} ways The places so far of each kind of piece. */
  showWays(ways) {
    this.trails.replaceChildren(
      ...[...ways].map(([kind, places]) => svg("path", { class: `color-${this.palette[kind].color % 9}`, d: `M${places.map((place) => this.spots[place].join(" ")).join("L")}` })),
    );
  }

  /** Mark the places that can be clicked, and those that were. @param {Set<number>} places @param {number[]} clicks */
  offer(places, clicks) {
    this.places.forEach((node, place) => {
      node.classList.toggle("offered", places.has(place));
      node.setAttribute("aria-selected", String(clicks.includes(place)));
      if (places.has(place)) node.setAttribute("aria-description", "can be chosen");
      else node.removeAttribute("aria-description");
    });
    this.offers.replaceChildren(
      ...[...places].map((place) => this.#dot(place)),
      ...clicks.map((place) => svg("rect", { x: this.spots[place][0] - 0.46, y: this.spots[place][1] - 0.46, width: 0.92, height: 0.92, rx: 0.15 })),
    );
  }

  /** Draw the moves that a bot expects: a path over the places of each, its number at the end. @param {number[][]} moves */
  showPlan(moves) {
    const paths = moves.map((places) => svg("path", { d: places.length ? `M${places.map((place) => this.spots[place].join(" ")).join("L")}` : "" }));
    /** @type {Map<number, number[]>} */
    const ends = new Map();
    moves.forEach((places, index) => {
      const end = places.at(-1);
      if (end !== undefined) ends.set(end, [...(ends.get(end) ?? []), index + 1]);
    });
    const numbers = [...ends].flatMap(([end, here]) => {
      const [x, y] = this.spots[end];
      return [svg("circle", { cx: x, cy: y, r: 0.3 }), svg("text", { x, y: y + 0.12, class: here.length > 1 ? "several" : null }, here.join(","))];
    });
    this.plan.replaceChildren(...paths, ...numbers);
  }

  /** Become a picture with a name, without places to walk over. @param {string} label @param {boolean} hasLabels Whether rows and columns are named. */
  still(label, hasLabels) {
    for (const part of this.node.querySelectorAll(hasLabels ? "[role=row]" : "[role=row], .row-label, .col-label")) part.remove();
    if (!hasLabels) this.node.setAttribute("viewBox", this.#viewBox(false));
    this.node.setAttribute("role", "img");
    this.node.setAttribute("aria-label", label);
  }

  /** Make the mark of a place that can be clicked, beside the text of a piece. @param {number} place */
  #dot(place) {
    const [x, y] = this.spots[place];
    const shown = this.shown.get(place);
    const shift = shown && this.palette[shown.kind].text ? 0.32 : 0;
    return svg("circle", { cx: x + shift, cy: y + shift, r: 0.11 });
  }

  /** Mark the places of a proposed move until the next change. @param {number[]} places */
  hint(places) {
    const marks = places.map((place) => svg("circle", { class: "hinted", cx: this.spots[place][0], cy: this.spots[place][1], r: 0.36 }));
    this.offers.append(...marks);
  }

  /** Turn the board by half a turn, or back. @param {boolean} isFlipped */
  flip(isFlipped) {
    this.node.classList.toggle("flipped", isFlipped);
  }

  /** @param {number} x @param {number} y @param {number} place */
  #place(x, y, place) {
    const node = area(this.layout, place, [x, y]);
    const attributes = { class: "place", role: "gridcell", tabindex: -1, "data-place": place, "aria-label": `${this.layout.names[place] ?? place}: empty` };
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
    return node;
  }

  #rows() {
    /** @type {Map<string, SVGElement>} */
    const rows = new Map();
    this.spots.forEach(([, y], place) => {
      const key = y.toFixed(2);
      if (!rows.has(key)) rows.set(key, svg("g", { role: "row" }));
      rows.get(key)?.append(this.places[place]);
    });
    return rows.values();
  }

  /** @param {number} place @param {string} what */
  #name(place, what) {
    this.places[place].setAttribute("aria-label", `${this.layout.names[place] ?? place}: ${what}`);
  }

  #viewBox(hasLabels = true) {
    const wide = this.dense ? WIDE_MARGIN : MARGIN;
    const [side, above, below] = [this.layout.row_labels, this.layout.col_labels, this.layout.foot_labels].map(({ length }) => (hasLabels && length ? wide : EDGE));
    const xs = this.spots.map(([x]) => x);
    const ys = this.spots.map(([, y]) => y);
    const left = xs.reduce((a, b) => Math.min(a, b), 0) - side;
    const top = ys.reduce((a, b) => Math.min(a, b), 0) - above;
    const width = xs.reduce((a, b) => Math.max(a, b), 0) + EDGE - left;
    const height = ys.reduce((a, b) => Math.max(a, b), 0) + below - top;
    return [left, top, width, height].map((value) => value.toFixed(2)).join(" ");
  }

  #ground() {
    const { layout, spots } = this;
    const ground = svg("g", { class: "ground", "aria-hidden": "true" });
    if (layout.kind === "cells") ground.append(svg("rect", { x: -0.5, y: -0.5, width: layout.cols, height: layout.rows, class: "field" }));
    if (layout.kind === "points" || layout.kind === "edges") ground.append(svg("rect", { x: -0.6, y: -0.6, width: layout.cols + 0.2, height: layout.rows + 0.2, class: "field" }));
    const drawn = lines(layout, spots);
    if (layout.kind === "hex") ground.append(svg("path", { d: drawn, class: "wood" }));
    ground.append(svg("path", { d: drawn, class: "lines" }));
    if (layout.kind === "free" || layout.kind === "cards") ground.append(this.#map());
    if (layout.kind === "hex") ground.append(...spots.map(([x, y]) => svg("circle", { cx: x, cy: y, r: 0.3, class: "spot" })));
    if (layout.kind === "edges") {
      for (let row = 0; row < layout.rows; row++) for (let col = 0; col < layout.cols; col++) ground.append(svg("circle", { cx: col, cy: row, r: 0.1, class: "dot" }));
    }
    for (const region of layout.regions) ground.append(...region.places.map((place) => this.#tint(place, region.seat)));
    const lean = layout.kind === "hex" ? 0.5 : 0;
    layout.row_labels.forEach((label, row) => ground.append(svg("text", { x: spots[row * layout.cols][0] - 0.72 - lean / 2, y: spots[row * layout.cols][1] + 0.13, class: "row-label" }, label)));
    layout.col_labels.forEach((label, col) => ground.append(svg("text", { x: col - lean, y: -0.72, class: "col-label" }, label)));
    layout.foot_labels.forEach((label, col) => ground.append(svg("text", { x: col, y: layout.rows, class: "col-label" }, label)));
    return ground;
  }

  #map() {
    const [x, y, width, height] = this.#viewBox().split(" ");
    return svg("rect", { x, y, width, height, rx: 0.5, class: this.layout.kind === "free" ? "map" : "cloth" });
  }

  /** @param {number} place @param {number | null} seat */
  #tint(place, seat) {
    const [x, y] = this.spots[place];
    const color = seat === null ? "dark" : `seat-${seat % 6}`;
    if (this.layout.kind === "cells") return svg("rect", { x: x - 0.5, y: y - 0.5, width: 1, height: 1, class: `tint ${color}` });
    return svg("circle", { cx: x, cy: y, r: this.layout.kind === "points" ? 0.12 : 0.3, class: `tint ${color}` });
  }

  /** Move the focus with the arrow keys. @param {KeyboardEvent} event */
  #walk(event) {
    const step = STEP[/** @type {keyof typeof STEP} */ (event.key)];
    const place = Number(/** @type {Element} */ (event.target).getAttribute("data-place") ?? -1);
    if (!step || place < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const sign = this.node.classList.contains("flipped") ? -1 : 1;
    const next = this.#nearest(place, step[0] * sign, step[1] * sign);
    if (next === null) return;
    this.places[place].setAttribute("tabindex", "-1");
    this.places[next].setAttribute("tabindex", "0");
    this.places[next].focus();
  }

  /** Return the nearest place in a direction. @param {number} from @param {number} dx @param {number} dy */
  #nearest(from, dx, dy) {
    const [x, y] = this.spots[from];
    let best = null;
    let shortest = Infinity;
    this.spots.forEach(([px, py], place) => {
      const along = (px - x) * dx + (py - y) * dy;
      const across = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
      const length = along + 3 * across;
      if (along > 0.01 && across <= along && length < shortest) [best, shortest] = [place, length];
    });
    return best;
  }
}

/** Show a text diagram where a game has no layout. */
export class Diagram {
  /** @param {string[]} diagrams */
  constructor(diagrams) {
    this.diagrams = diagrams;
    this.node = el("pre", { class: "board diagram", tabindex: 0, "aria-label": "board" });
  }

  /** @param {string} label */
  still(label) {
    this.node.setAttribute("role", "img");
    this.node.setAttribute("aria-label", label);
    this.node.removeAttribute("tabindex");
  }

  /** @param {number} ply */
  showPly(ply) {
    const text = this.diagrams[ply];
    this.node.textContent = text;
    const lines = text.split("\n");
    this.node.style.setProperty("--columns", String(Math.max(...lines.map((line) => line.length))));
    this.node.style.setProperty("--lines", String(lines.length));
  }
}

// A board of an event in play: who plays, the position, the clocks, the last move or the result.

import { Board, Diagram, marksOf, piecesOf, waysOf } from "./board.mjs";
import { clockText, leftOf, valueFor } from "./clocks.mjs";
import { duration, el, nameOf, plain, seatMark, signed } from "./dom.mjs";

/** @typedef {import("./watch.mjs").LiveMatch} LiveMatch */

const CALM_MS = 500; // a move: a quicker match has no movement, for the eye would see nothing else

/** A board of the wall, or the featured one. */
export class Tile {
  /** @param {boolean} isLarge @param {(match: LiveMatch) => void} pick */
  constructor(isLarge, pick) {
    this.isLarge = isLarge;
    /** @type {LiveMatch | null} */
    this.match = null;
    /** @type {Board | Diagram | null} */
    this.view = null;
    this.steps = 0;
    this.changed = 0;
    this.players = el("ul", { class: "seats" });
    this.board = el("div", { class: "frame" });
    this.share = el("i");
    this.value = el("div", { class: "eval", role: "img" }, this.share);
    this.result = el("p", { class: "result" });
    this.last = el("p", { class: "last" });
    this.said = el("p", { class: "said" });
    this.pick = el("button", { type: "button", class: "pick", click: () => this.match && pick(this.match) }, "show large");
    const picture = el("div", { class: "picture" }, ...(isLarge ? [this.value] : []), this.board);
    this.node = el("article", { class: isLarge ? "tile large" : "tile" }, this.players, picture, this.result, this.last, isLarge ? this.said : this.pick);
  }

  /** @param {LiveMatch} match @param {string} result Result of an ended match. */
  show(match, result) {
    if (match !== this.match) this.#begin(match);
    const { data, steps } = match;
    if (this.view instanceof Board) {
      this.view.palette = data.palette;
      this.view.isCalm = this.#isCalm(steps);
      this.view.show(piecesOf(data, steps), ...marksOf(data, steps));
      if (data.layout?.kind === "free") this.view.showWays(waysOf(data, steps));
    } else this.view?.showPly(steps);
    this.players.replaceChildren(...match.players.map((name, seat) => this.#seat(match, name, seat)));
    this.#weigh(match);
    this.last.replaceChildren(...this.#last(match));
    this.result.textContent = match.isRunning ? "" : plain(result);
    this.last.hidden = this.result.textContent !== "";
    this.node.classList.toggle("ended", !match.isRunning);
    const said = [steps, steps - 1].find((step) => data.notes[String(step)]);
    this.said.replaceChildren(...(said ? [nameOf(match.players[data.seat[said - 1] ?? -1] ?? ""), ` ${plain(data.notes[String(said)])}`] : []));
  }

  /** Let the clock of the seat to move run on. */
  tick() {
    const { match } = this;
    if (!match?.isRunning || match.turn === null) return;
    const clock = this.players.children[match.turn]?.querySelector(".clock");
    if (clock) clock.textContent = this.#clock(match, match.turn);
  }

  /** @param {LiveMatch} match */
  #begin(match) {
    const names = match.players.join(" – ");
    this.match = match;
    this.steps = match.steps;
    this.changed = performance.now();
    const { layout, palette, diagrams } = match.data;
    this.view = layout ? new Board(layout, palette) : new Diagram(diagrams);
    this.view.still(`board of ${names}`, this.isLarge);
    this.node.classList.toggle("light-first", layout?.is_first_light ?? false);
    this.board.replaceChildren(this.view.node);
    this.pick.setAttribute("aria-label", `show ${names} large`);
  }

  /** Whether the moves come slowly enough to be seen on their way. @param {number} steps */
  #isCalm(steps) {
    const now = performance.now();
    const isCalm = steps === this.steps + 1 && now - this.changed >= CALM_MS;
    if (steps !== this.steps) [this.steps, this.changed] = [steps, now];
    return isCalm;
  }

  /** @param {LiveMatch} match @param {string} name @param {number} seat */
  #seat(match, name, seat) {
    const isTurn = match.isRunning && match.turn === seat;
    const value = this.isLarge ? match.value(seat) : undefined;
    const { layout, roles } = match.data;
    return el(
      "li",
      { class: isTurn ? "turn" : "" },
      seatMark(seat, layout === null, roles[seat]),
      nameOf(name),
      value === undefined ? null : el("span", { class: "value", title: "value of the position, as the bot sees it" }, signed(value)),
      el("span", { class: "clock", title: leftOf(match.data, seat, match.steps) === null ? "time charged so far" : "time left of its bank" }, this.#clock(match, seat)),
    );
  }

  /** @param {LiveMatch} match @param {number} seat */
  #clock(match, seat) {
    const runs = match.isRunning && match.turn === seat ? 1000 * (performance.now() - match.heard) : 0;
    const left = leftOf(match.data, seat, match.steps);
    return left === null ? (runs < 1e6 ? duration(match.charged(seat)) : clockText(match.charged(seat) + runs)) : clockText(Math.max(0, left - runs));
  }

  /** Show the last value of a match between two as a bar: the share of seat 0. @param {LiveMatch} match */
  #weigh(match) {
    const value = match.players.length === 2 ? valueFor(match.data, match.steps) : null;
    this.value.hidden = value === null;
    if (value === null) return;
    this.value.setAttribute("aria-label", `value ${signed(value)} for ${plain(match.players[0])}`);
    this.share.style.height = `${(value + 1000) / 20}%`;
  }

  /** @param {LiveMatch} match */
  #last(match) {
    const { data, steps } = match;
    if (!steps) return ["no move yet"];
    const caption = this.isLarge && data.captions[steps] ? ` · ${plain(data.captions[steps])}` : "";
    return [el("span", { class: "ply" }, steps), ` ${plain(data.text[steps - 1])}${caption}`];
  }
}

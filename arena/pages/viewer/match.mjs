// A match to step through: board, moves, times, notes.

import { Board, Diagram, marksOf, piecesOf, waysOf } from "./board.mjs";
import { timeChart, valueChart } from "./charts.mjs";
import { clockText, leftsOf, valueFor } from "./clocks.mjs";
import { duration, el, seatClass, seatMark, signed, table } from "./dom.mjs";

/**
 * @typedef {object} MatchData
 * @property {import("./board.mjs").Layout | null} layout
 * @property {(import("./clocks.mjs").Bank | null)[]} times by seat, null without a bank
 * @property {string[]} roles Name and mark of each seat; empty without them.
 * @property {import("./board.mjs").Piece[]} palette
 * @property {[number, number][]} start
 * @property {[number, number][][]} changes Changed places by step; kind -1 is empty.
 * @property {string[]} diagrams
 * @property {string[]} captions
 * @property {number[]} decisive Places that show why the last move has ended the game.
 * @property {(number | null)[]} seat null: a draw of the game
 * @property {string[]} text
 * @property {number[][]} marks
 * @property {number[]} charged Microseconds.
 * @property {number[]} wall Microseconds.
 * @property {Record<string, string>} notes
 * @property {Record<string, number>} values
 * @property {Record<string, string>} plans
 * @property {Record<string, number[][]>} planned Places of each move of a plan, as far as it is legal.
 * @property {Record<string, string>} data
 * @property {Record<string, {seat: number, moment: string, text: string}[]>} [printed] Output of bots by step.
 *
 * @typedef {object} Summary
 * @property {number} number
 * @property {string} key
 * @property {string[]} players
 * @property {string[]} scores
 * @property {number[]} places
 * @property {string} reason
 * @property {string} termination
 * @property {(string | null)[]} faults
 * @property {number} plies
 */

const SPEEDS = [0.5, 1, 2, 4, 8, 16];
const KEYS = [
  ["← →", "step"],
  ["Shift ← →", "ten steps"],
  ["Home, End", "first, last position"],
  ["space", "play, pause"],
  ["+ −", "faster, slower"],
  ["f", "flip the board"],
  ["n", "remarks of the bots on, off"],
  ["/", "find a match"],
  ["?", "this list"],
];

/** Whether two seats move in turn, so that their moves make pairs. @param {(number | null)[]} seats */
function isPaired(seats) {
  return seats.length > 1 && seats.every((seat, index) => seat !== null && seat < 2 && (index === 0 || seat !== seats[index - 1]));
}

export class MatchView {
  /**
   * @param {Summary} summary @param {MatchData} data
   * @param {number} ply @param {(ply: number) => void} moved
   */
  constructor(summary, data, ply, moved) {
    this.data = data;
    this.players = summary.players;
    this.steps = 0;
    this.isPair = false;
    this.moved = moved;
    this.ply = -1;
    this.speed = 1;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.areNotesShown = true;
    this.view = data.layout ? new Board(data.layout, data.palette) : new Diagram(data.diagrams);
    this.caption = el("p", { class: "caption" });
    this.live = el("p", { class: "live", "aria-live": "polite" });
    this.note = el("div", { class: "note" });
    this.printed = el("div");
    this.playButton = this.#button("play", "play or pause (space)", () => this.toggle());
    this.slider = /** @type {HTMLInputElement} */ (
      el("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "ply", input: () => this.go(Number(this.slider.value)) })
    );
    this.moves = el("ol", { class: "moves", "aria-label": "moves" });
    this.share = el("i");
    this.weight = el("div", { class: "eval", role: "img" }, this.share);
    this.valued = el("div");
    this.head = el("div");
    this.charts = el("div");
    this.#grow(summary);
    this.help = /** @type {HTMLDialogElement} */ (
      el("dialog", { "aria-label": "keys" }, table("keys", ["key", "does"], KEYS), el("form", { method: "dialog" }, el("button", {}, "close")))
    );
    this.node = this.#page();
    this.go(ply);
  }

  /** Take more steps of a running match, or its end; the last position stays the last. @param {Summary} summary @param {MatchData} data */
  update(summary, data) {
    const to = this.ply === this.steps ? data.text.length : this.ply;
    this.data = data;
    if (this.view instanceof Board) this.view.palette = data.palette;
    else this.view.diagrams = data.diagrams;
    this.#grow(summary);
    this.ply = -1;
    this.go(to);
  }

  /** Show what depends on the number of steps. @param {Summary} summary */
  #grow(summary) {
    const { data } = this;
    const isPair = isPaired(data.seat);
    if (isPair !== this.isPair) {
      this.moves.replaceChildren();
      this.moves.classList.toggle("paired", isPair);
      this.steps = 0;
    }
    this.isPair = isPair;
    const lefts = leftsOf(data);
    data.text.slice(this.steps).forEach((text, index) => this.moves.append(this.#move(text, this.steps + index, lefts)));
    this.steps = data.text.length;
    this.slider.max = String(this.steps);
    this.times = timeChart(data, (step) => this.go(step));
    this.values = Object.keys(data.values).length ? valueChart(data.values, data.seat, summary.players.length) : null;
    this.charts.replaceChildren(
      el("h2", {}, `time of each move (highest bar: ${duration(this.times.most)}; solid: charged, pale: wall)`),
      this.times.node,
    );
    this.valued.replaceChildren(...(this.values ? [el("h2", {}, this.values.title), this.values.node] : []));
    this.head.replaceChildren(...this.#heading(summary));
  }

  /** Show the position after a ply. @param {number} ply */
  go(ply) {
    const to = Math.min(Math.max(ply, 0), this.steps);
    if (to === this.ply) return;
    this.ply = to;
    if (this.view instanceof Diagram) this.view.showPly(to);
    else {
      this.view.show(piecesOf(this.data, to), ...marksOf(this.data, to));
      if (this.data.layout?.kind === "free") this.view.showWays(waysOf(this.data, to));
      this.#showPlan();
    }
    this.slider.value = String(to);
    this.#weigh(to);
    this.caption.textContent = this.data.captions[to] ?? "";
    const said = to ? this.#describe(to - 1) : "start";
    this.live.textContent = `${to} of ${this.steps}: ${said}`;
    this.note.replaceChildren(...this.#remarks(to));
    this.printed.replaceChildren(...this.#outputs(to));
    this.moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
    this.moves.children[to - 1]?.firstElementChild?.setAttribute("aria-current", "step");
    this.scrollToMove();
    this.times?.show(to);
    this.values?.show(to);
    if (to === this.steps) this.pause();
    this.moved(to);
  }

  /** Scroll the list to the current move; only a list on the page can scroll. */
  scrollToMove() {
    const item = /** @type {HTMLElement | undefined} */ (this.moves.children[this.ply - 1]);
    if (item) this.moves.scrollTop = item.offsetTop - this.moves.clientHeight / 2;
  }

  /** Play, or pause. */
  toggle() {
    if (this.timer !== undefined) return this.pause();
    if (this.ply === this.steps) this.go(0);
    this.playButton.textContent = "pause";
    this.timer = window.setInterval(() => this.go(this.ply + 1), 1000 / this.speed);
  }

  /** Stop playing. */
  pause() {
    window.clearInterval(this.timer);
    this.timer = undefined;
    this.playButton.textContent = "play";
  }

  /** @param {number} change */
  #changeSpeed(change) {
    const index = Math.min(Math.max(SPEEDS.indexOf(this.speed) + change, 0), SPEEDS.length - 1);
    this.speed = SPEEDS[index];
    this.live.textContent = `${this.speed} moves a second`;
    if (this.timer !== undefined) {
      this.pause();
      this.toggle();
    }
  }

  #flip() {
    this.isFlipped = !this.isFlipped;
    if (this.view instanceof Board) this.view.flip(this.isFlipped);
  }

  /** Handle a key; return whether it was one of this view. @param {KeyboardEvent} event */
  key(event) {
    const stride = event.shiftKey ? 10 : 1;
    const act = {
      ArrowLeft: () => this.go(this.ply - stride),
      ArrowRight: () => this.go(this.ply + stride),
      Home: () => this.go(0),
      End: () => this.go(this.steps),
      " ": () => this.toggle(),
      "+": () => this.#changeSpeed(1),
      "-": () => this.#changeSpeed(-1),
      f: () => this.#flip(),
      n: () => {
        this.areNotesShown = !this.areNotesShown;
        this.note.hidden = this.printed.hidden = !this.areNotesShown;
        this.#showPlan();
      },
      "?": () => this.help.showModal(),
    }[event.key];
    act?.();
    return act !== undefined;
  }

  /** Show the last value of a match between two as a bar: the share of seat 0. @param {number} ply */
  #weigh(ply) {
    const value = this.players.length === 2 ? valueFor(this.data, ply) : null;
    this.weight.hidden = value === null;
    if (value === null) return;
    this.weight.setAttribute("aria-label", `value ${signed(value)} for ${this.players[0]}`);
    this.share.style.height = `${(value + 1000) / 20}%`;
  }

  #showPlan() {
    if (this.view instanceof Board) this.view.showPlan(this.areNotesShown ? (this.data.planned[String(this.ply)] ?? []) : []);
  }

  /** Return the meaning of the pieces on a map. */
  #legend() {
    if (this.data.layout?.kind !== "free") return null;
    return el("p", { class: "caption" }, this.data.palette.map(({ text, name }) => `${text} ${name}`).join(", "));
  }

  /** @param {number} index */
  #describe(index) {
    const { seat, text, charged } = this.data;
    const who = seat[index] === null ? "drawn" : this.players[seat[index]];
    return `${who} ${text[index]}, ${duration(charged[index])}`;
  }

  /** Return what the bot said about its move, in one bubble. @param {number} ply */
  #remarks(ply) {
    const { notes, values, plans, data, seat } = this.data;
    const key = String(ply);
    const said = [
      ["value", values[key] === undefined ? "" : signed(values[key])],
      ["plan", plans[key]],
      ["data", data[key]],
      ["note", notes[key]],
    ].filter(([, text]) => text);
    if (!said.length) return [];
    const lines = said.map(([name, text]) => el("div", {}, el("span", { class: "who" }, name), text));
    return [el("div", { class: `bubble ${seatClass(seat[ply - 1])}` }, el("span", { class: "who" }, `${this.players[seat[ply - 1] ?? -1]} says`), ...lines)];
  }

  /** Return what the bots printed up to this step, below the time of its move. @param {number} ply */
  #outputs(ply) {
    const { printed, seat: mover, charged, wall } = this.data;
    return (printed?.[String(ply)] ?? []).map(({ seat, moment, text }) => {
      const times = seat === mover[ply - 1] ? `, charged ${duration(charged[ply - 1])}, wall ${duration(wall[ply - 1])}` : "";
      const title = `${this.players[seat]} printed ${moment}${times}`;
      return el("figure", { class: "printed" }, el("figcaption", {}, el("span", { class: `dot ${seatClass(seat)}` }), title), el("pre", { tabindex: 0, "aria-label": title }, text));
    });
  }

  /** @param {string} text @param {number} index @param {(number | null)[]} lefts What each step has left of its bank. */
  #move(text, index, lefts) {
    const { seat, charged, values } = this.data;
    const isPair = this.isPair;
    const turn = isPair ? Math.floor((index + (seat[0] ?? 0)) / 2) : index;
    const value = values[String(index + 1)];
    const left = lefts[index];
    const button = el("button", { type: "button", click: () => this.go(index + 1) });
    button.append(
      el("span", { class: "number" }, isPair && seat[index] === 1 && index ? "" : `${turn + 1}.`),
      ...(isPair ? [] : [this.#mark(seat[index])]),
      el("span", { class: "what" }, text),
      ...(value === undefined ? [] : [el("span", { class: "value", title: "value of the position, as the bot sees it" }, signed(value))]),
      el("span", { class: "time", title: left === null ? "time charged" : "time left of the bank" }, left === null ? duration(charged[index]) : clockText(Math.max(0, left))),
    );
    const item = el("li", {}, button);
    if (isPair) item.style.gridColumn = String(1 + (seat[index] ?? 0));
    return item;
  }

  /** @param {number | null} seat The seat of a move; null is a draw of the game. */
  #mark(seat) {
    if (seat === null) return el("span", { class: "dot chance" });
    return seatMark(seat, this.data.layout === null, this.data.roles[seat]);
  }

  /** @param {string} text @param {string} label @param {() => void} act */
  #button(text, label, act) {
    return el("button", { type: "button", "aria-label": label, title: label, click: act }, text);
  }

  /** @param {Summary} summary */
  #heading(summary) {
    const isRunning = summary.number === 0;
    const players = summary.players.map((player, seat) =>
      el(
        "li",
        {},
        this.#mark(seat),
        el("strong", {}, player),
        `${this.data.layout ? ` ${this.data.roles[seat] || `seat ${seat}`}` : ""}${isRunning ? "" : `: ${summary.scores[seat]}`}`,
        summary.faults[seat] ? el("span", { class: "fault" }, ` ${summary.faults[seat]}`) : null,
      ),
    );
    const names = summary.players.join(" – ");
    return [
      el("h1", {}, isRunning ? `now playing: ${names}` : `match ${summary.number}: ${names}`),
      el("p", {}, isRunning ? `in play; key ${summary.key}` : `${summary.reason} after ${summary.plies} ${summary.plies === 1 ? "ply" : "plies"} (${summary.termination}); key ${summary.key}`),
      el("ul", { class: "players" }, ...players),
    ];
  }

  #page() {
    const controls = el(
      "div",
      { class: "controls" },
      this.#button("|◀", "first position (Home)", () => this.go(0)),
      this.#button("◀", "step back (←)", () => this.go(this.ply - 1)),
      this.playButton,
      this.#button("▶", "step (→)", () => this.go(this.ply + 1)),
      this.#button("▶|", "last position (End)", () => this.go(this.steps)),
      ...(this.data.layout ? [this.#button("⇅", "flip the board (f)", () => this.#flip())] : []),
      this.#button("?", "keys (?)", () => this.help.showModal()),
    );
    return el(
      "article",
      { class: this.data.layout?.is_first_light ? "match light-first" : "match" },
      this.head,
      el(
        "div",
        { class: "stage" },
        el("div", { class: "table" }, el("div", { class: "weighed" }, this.weight, this.view.node), this.caption, this.#legend(), controls, this.slider, this.live),
        el("div", { class: "side" }, this.moves, this.valued, this.note, this.printed),
      ),
      this.charts,
      this.help,
    );
  }
}

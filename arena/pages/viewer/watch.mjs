// Matches in play: what the server tells of them, and the boards that show it.

import { el, nameOf, plain } from "./dom.mjs";
import { Tile } from "./tile.mjs";

/**
 * @typedef {import("./match.mjs").MatchData} MatchData
 * @typedef {import("./match.mjs").Summary} Summary
 * @typedef {object} MatchNews
 * @property {string} key
 * @property {number} steps
 * @property {string[]} [players] With the first news of a match.
 * @property {import("./board.mjs").Layout | null} [layout]
 * @property {number} [first] Number of the steps before those in `scene`.
 * @property {MatchData} [scene]
 * @property {number | null} [turn]
 * @property {import("./event.mjs").Row} [result] Once it has ended.
 *
 * @typedef {{places: MatchNews[], running: boolean[], held: boolean[], next: string[][], left: number, total: number, over: boolean}} EventNews
 */

const QUEUE = 8;
const LISTS = /** @type {const} */ (["seat", "text", "charged", "wall", "marks", "captions", "changes", "diagrams"]);
const TEXTS = /** @type {const} */ (["notes", "values", "plans", "planned", "data"]);

/** A match in play, as far as it is known. */
export class LiveMatch {
  /** @param {MatchNews} news */
  constructor(news) {
    this.key = news.key;
    this.players = news.players ?? [];
    this.isRunning = true;
    /** Whether it has just ended and is still to be looked at. */
    this.isHeld = false;
    /** @type {import("./event.mjs").Row | null} */
    this.result = null;
    /** @type {number | null} */
    this.turn = null;
    this.heard = performance.now();
    /** @type {MatchData} */
    this.data = {
      layout: news.layout ?? null, times: [], roles: [], palette: [], start: [], changes: [], diagrams: [], captions: [], seat: [], text: [], marks: [], decisive: [], charged: [], wall: [],
      notes: {}, values: {}, plans: {}, planned: {}, data: {},
    };
    this.take(news);
  }

  get steps() {
    return this.data.text.length;
  }

  /** Add the steps that are new. @param {MatchNews} news */
  take(news) {
    const { scene } = news;
    this.result = news.result ?? this.result;
    if (!scene) return;
    for (const name of LISTS) {
      const steps = /** @type {unknown[]} */ (this.data[name]);
      for (const step of scene[name]) steps.push(step);
    }
    for (const name of TEXTS) Object.assign(this.data[name], scene[name]);
    this.data.palette = scene.palette;
    this.data.roles = scene.roles;
    this.data.decisive = scene.decisive;
    this.data.times = scene.times ?? [];
    if (!news.first) this.data.start = scene.start;
    this.turn = news.turn ?? null;
    this.heard = performance.now();
  }

  /** Return the time charged to a seat, in microseconds. @param {number} seat */
  charged(seat) {
    return this.data.charged.reduce((sum, us, step) => (this.data.seat[step] === seat ? sum + us : sum), 0);
  }

  /** Return the last value that a seat gave to its position. @param {number} seat */
  value(seat) {
    const step = Object.keys(this.data.values).findLast((step) => this.data.seat[Number(step) - 1] === seat);
    return step === undefined ? undefined : this.data.values[step];
  }

  /** Return what a page of a match needs before its end. @returns {Summary} */
  summary() {
    return {
      number: 0, key: this.key, players: this.players, scores: [], places: [], reason: "", termination: "", faults: this.players.map(() => null), plies: this.steps,
    };
  }
}

/** The matches of an event in play, each on its place. */
export class LiveEvent {
  constructor() {
    /** @type {LiveMatch[]} */
    this.places = [];
    /** @type {string[][]} */
    this.next = [];
    this.left = 0;
    this.total = 0;
    this.isInPlay = true;
  }

  /** @param {EventNews} news */
  take(news) {
    news.places.forEach((match, place) => {
      const known = this.places[place];
      if (match.players || known?.key !== match.key) this.places[place] = new LiveMatch(match);
      else known.take(match);
      this.places[place].isRunning = news.running[place];
      this.places[place].isHeld = news.held[place] ?? false;
    });
    this.places.length = news.places.length;
    this.next = news.next;
    this.left = news.left;
    this.total = news.total;
    this.isInPlay = !news.over;
  }

  /** Note that the event is no longer in play; its last boards stay. */
  end() {
    this.isInPlay = false;
    for (const match of this.places) match.isRunning = match.isHeld = false;
  }
}

/** The boards of an event in play: one large, all small, and what comes next. */
export class Hall {
  /** @param {(match: LiveMatch) => string} link */
  constructor(link) {
    this.link = link;
    /** @type {string | null} */
    this.pinned = null;
    /** @type {Tile[]} */
    this.tiles = [];
    this.large = new Tile(true, () => {});
    this.open = el("a", { class: "open", href: "#" }, "step through");
    this.large.node.append(this.open);
    this.wall = el("div", { class: "wall" });
    this.title = el("h2", { id: "now-playing" }, "Now playing");
    this.tally = el("p", { class: "tally" });
    this.bar = el("progress", { "aria-label": "matches played" });
    this.next = el("ol", { class: "queue", "aria-label": "next matches" });
    this.coming = el("div", { class: "coming" }, el("h2", {}, "Next"), this.next);
    this.spoken = el("p", { class: "spoken", "aria-live": "polite" });
    this.node = el(
      "section",
      { class: "hall", "aria-labelledby": "now-playing" },
      this.title,
      el("div", { class: "done" }, this.tally, this.bar),
      this.large.node,
      this.wall,
      this.coming,
      this.spoken,
    );
  }

  /** @param {LiveEvent} event @param {import("./event.mjs").EventData} data */
  update(event, data) {
    event.places.forEach((match, place) => (this.tiles[place] ??= this.#tile()).show(match, resultOf(match.result)));
    for (const tile of this.tiles.splice(event.places.length)) tile.node.remove();
    const large = this.#featured(event, data);
    if (large) this.#enlarge(large, resultOf(large.result));
    this.node.classList.toggle("alone", this.tiles.length < 2);
    this.#count(event, data.matches.length);
  }

  /** Let the clocks run. */
  tick() {
    for (const tile of [this.large, ...this.tiles]) tile.tick();
  }

  /** @param {LiveEvent} event @param {number} played Number of the results on the page: all its parts count the same. */
  #count(event, played) {
    const { total } = event;
    this.title.textContent = event.isInPlay ? "Now playing" : "Last boards";
    const state = event.isInPlay ? "" : played < total ? "stopped: " : "over: ";
    this.tally.textContent = `${state}${played} of ${total} matches played`;
    this.bar.setAttribute("max", String(Math.max(1, total)));
    this.bar.setAttribute("value", String(played));
    this.next.replaceChildren(...event.next.slice(0, QUEUE).map((names) => el("li", { title: names.join(" – ") }, ...names.flatMap((name, at) => [at ? " – " : "", nameOf(name)]))));
    this.coming.hidden = event.next.length === 0;
  }

  /** @param {LiveMatch} match @param {string} result */
  #enlarge(match, result) {
    this.large.show(match, result);
    for (const tile of this.tiles) tile.node.classList.toggle("featured", tile.match === match);
    this.open.setAttribute("href", this.link(match));
    const { data, steps } = match;
    const spoken = result || (steps ? `${match.players[data.seat[steps - 1] ?? -1] ?? "drawn"} ${data.text[steps - 1]}` : "");
    if (this.spoken.textContent !== plain(spoken)) this.spoken.textContent = plain(spoken);
  }

  #tile() {
    const tile = new Tile(false, (match) => {
      this.pinned = match.key;
      this.#enlarge(match, resultOf(match.result));
    });
    this.wall.append(tile.node);
    return tile;
  }

  /** Return the chosen match, or the one shown before, or that of the best bots. @param {LiveEvent} event @param {import("./event.mjs").EventData} data */
  #featured(event, data) {
    const shown = this.large.match?.key;
    const isWatched = (/** @type {LiveMatch} */ match) => match.key === shown && (match.isRunning || match.isHeld);
    const chosen = event.places.find((match) => match.key === this.pinned) ?? event.places.find(isWatched);
    if (chosen) return chosen;
    const name = data.standings.header.indexOf("bot");
    const ranks = new Map(data.standings.rows.map((row, rank) => [row[name], rank]));
    const rank = (/** @type {LiveMatch} */ match) =>
      match.players.reduce((sum, player) => sum + (ranks.get(player) ?? ranks.size), 0) / match.players.length + (match.isRunning ? 0 : 2 * ranks.size) + (match.steps ? 0 : ranks.size);
    return [...event.places].sort((a, b) => rank(a) - rank(b))[0];
  }
}

/** @param {import("./event.mjs").Row | null} match */
function resultOf(match) {
  if (!match) return "";
  if (match.players.length === 1) return `${match.scores[0]} points: ${match.reason}`;
  const winners = match.players.filter((_, seat) => match.places[seat] === 1);
  return `${winners.length === 1 ? `${winners[0]} won` : "drawn"}: ${match.reason}`;
}

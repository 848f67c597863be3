// Matches in play: what the server tells of them, and the boards that show it.

import { Board, Diagram } from "./board.mjs";
import { duration, el } from "./dom.mjs";

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
 *
 * @typedef {{places: MatchNews[], running: boolean[], next: string[][], left: number}} EventNews
 */

const LINGER_MS = 1500;
const LISTS = /** @type {const} */ (["seat", "text", "charged", "wall", "marks", "captions", "changes", "diagrams"]);
const TEXTS = /** @type {const} */ (["notes", "values", "plans", "said"]);

/** A match in play, as far as it is known. */
export class LiveMatch {
  /** @param {MatchNews} news */
  constructor(news) {
    this.key = news.key;
    this.players = news.players ?? [];
    this.isRunning = true;
    /** @type {number | null} */
    this.turn = null;
    this.changed = Date.now();
    /** @type {MatchData} */
    this.data = {
      layout: news.layout ?? null, palette: [], start: [], changes: [], diagrams: [], captions: [], seat: [], text: [], marks: [], charged: [], wall: [],
      notes: {}, values: {}, plans: {}, said: {},
    };
    this.take(news);
  }

  get steps() {
    return this.data.text.length;
  }

  /** Add the steps that are new. @param {MatchNews} news */
  take(news) {
    const { scene } = news;
    if (!scene) return;
    for (const name of LISTS) /** @type {unknown[]} */ (this.data[name]).push(...scene[name]);
    for (const name of TEXTS) Object.assign(this.data[name], scene[name]);
    this.data.palette = scene.palette;
    if (!news.first) this.data.start = scene.start;
    this.turn = news.turn ?? null;
    this.changed = Date.now();
  }

  /** Return the pieces of the last position. */
  pieces() {
    const pieces = new Map(this.data.start);
    for (const [place, kind] of this.data.changes.flat()) {
      if (kind < 0) pieces.delete(place);
      else pieces.set(place, kind);
    }
    return pieces;
  }

  /** Return the time charged to a seat, in microseconds. @param {number} seat */
  charged(seat) {
    return this.data.charged.reduce((sum, us, step) => (this.data.seat[step] === seat ? sum + us : sum), 0);
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
    this.isInPlay = true;
  }

  /** @param {EventNews} news */
  take(news) {
    news.places.forEach((match, place) => {
      const known = this.places[place];
      if (match.players || known?.key !== match.key) this.places[place] = new LiveMatch(match);
      else known.take(match);
      this.places[place].isRunning = news.running[place];
    });
    this.next = news.next;
    this.left = news.left;
    this.isInPlay = true;
  }

  /** Note that the event is no longer in play; its last boards stay. */
  end() {
    this.isInPlay = false;
    for (const match of this.places) match.isRunning = false;
  }
}

/** A board of the wall, or the featured one. */
class Tile {
  /** @param {boolean} isLarge @param {(match: LiveMatch) => void} pick */
  constructor(isLarge, pick) {
    this.isLarge = isLarge;
    /** @type {LiveMatch | null} */
    this.match = null;
    /** @type {Board | Diagram | null} */
    this.view = null;
    this.players = el("ul", { class: "seats" });
    this.board = el("div", { class: "frame" });
    this.last = el("p", { class: "last" });
    this.note = el("p", { class: "said" });
    this.node = el("article", { class: isLarge ? "tile large" : "tile" }, this.players, this.board, this.last, isLarge ? this.note : null);
    if (!isLarge) this.node.append(el("button", { type: "button", class: "pick", click: () => this.match && pick(this.match) }, "show large"));
  }

  /** @param {LiveMatch} match @param {string} result Result of an ended match. */
  show(match, result) {
    if (match !== this.match) {
      this.match = match;
      const { layout, palette, diagrams } = match.data;
      this.view = layout ? new Board(layout, palette) : new Diagram(diagrams);
      this.view.still(`board of ${match.players.join(" – ")}`);
      this.node.classList.toggle("light-first", layout?.is_first_light ?? false);
      this.board.replaceChildren(this.view.node);
      if (!this.isLarge) this.node.lastElementChild?.setAttribute("aria-label", `show ${match.players.join(" – ")} large`);
    }
    const { data, steps } = match;
    if (this.view instanceof Board) {
      this.view.palette = data.palette;
      this.view.show(match.pieces(), steps ? data.marks[steps - 1] : []);
    } else this.view?.showPly(steps);
    this.players.replaceChildren(...match.players.map((name, seat) => this.#seat(match, name, seat)));
    this.last.replaceChildren(...this.#last(match, result));
    this.node.classList.toggle("ended", !match.isRunning);
    const said = data.notes[String(steps)] ?? data.notes[String(steps - 1)] ?? "";
    this.note.textContent = said;
  }

  /** @param {LiveMatch} match @param {string} name @param {number} seat */
  #seat(match, name, seat) {
    const isTurn = match.isRunning && match.turn === seat;
    return el(
      "li",
      { class: isTurn ? "turn" : "" },
      el("span", { class: `dot seat-${seat % 6}` }),
      el("span", { class: "name" }, name),
      isTurn ? el("span", { class: "thinks", "aria-label": "to move" }, "●") : null,
      el("span", { class: "clock" }, duration(match.charged(seat))),
    );
  }

  /** @param {LiveMatch} match @param {string} result */
  #last(match, result) {
    const { data, steps } = match;
    if (!match.isRunning && result) return [el("strong", {}, result)];
    if (!steps) return ["no move yet"];
    const caption = this.isLarge && data.captions[steps] ? ` · ${data.captions[steps]}` : "";
    return [el("span", { class: "ply" }, `${steps}`), ` ${data.text[steps - 1]}${caption}`];
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
    this.next = el("ol", { class: "queue", "aria-label": "next matches" });
    this.left = el("p", { class: "hint" });
    this.spoken = el("p", { class: "spoken", "aria-live": "polite" });
    this.node = el(
      "section",
      { class: "hall", "aria-labelledby": "now-playing" },
      this.title, this.large.node, this.wall, el("div", { class: "coming" }, el("h3", {}, "Next"), this.next, this.left), this.spoken,
    );
  }

  /** @param {LiveEvent} event @param {import("./event.mjs").EventData} data */
  update(event, data) {
    const results = new Map(data.matches.map((match) => [match.key, match]));
    const ranks = new Map(data.standings.rows.map((row, rank) => [row[data.standings.header.indexOf("bot")], rank]));
    event.places.forEach((match, place) => {
      const tile = (this.tiles[place] ??= this.#tile());
      const shown = tile.match;
      const isFresh = shown && shown !== match && Date.now() - shown.changed < LINGER_MS;
      if (isFresh) {
        window.setTimeout(() => this.update(event, data), LINGER_MS);
        shown.isRunning = false;
      }
      const kept = isFresh ? shown : match;
      tile.show(kept, resultOf(results.get(kept.key)));
    });
    const large = this.#featured(event, ranks);
    if (large) {
      this.large.show(large, resultOf(results.get(large.key)));
      this.open.setAttribute("href", this.link(large));
      const { data, steps } = large;
      this.spoken.textContent = steps ? `${large.players[data.seat[steps - 1]]} ${data.text[steps - 1]}` : "";
    }
    for (const tile of this.tiles) tile.node.classList.toggle("featured", tile.match === large);
    this.wall.hidden = this.tiles.length < 2;
    this.title.textContent = event.isInPlay ? "Now playing" : "Last boards";
    this.next.replaceChildren(...event.next.slice(0, 8).map((names) => el("li", {}, names.join(" – "))));
    this.left.textContent = event.isInPlay ? `${event.left} matches left` : "the event is not in play";
  }

  #tile() {
    const tile = new Tile(false, (match) => {
      this.pinned = match.key;
      this.large.show(match, "");
    });
    this.wall.append(tile.node);
    return tile;
  }

  /** Return the pinned match, or the one shown before, or that of the best two bots. @param {LiveEvent} event @param {Map<string, number>} ranks */
  #featured(event, ranks) {
    const shown = this.large.match;
    const pinned = event.places.find((match) => match.key === this.pinned);
    if (pinned) return pinned;
    if (shown && (shown.isRunning || Date.now() - shown.changed < LINGER_MS) && event.places.some((match) => match.key === shown.key)) {
      return event.places.find((match) => match.key === shown.key);
    }
    const rank = (/** @type {LiveMatch} */ match) => match.players.reduce((sum, name) => sum + (ranks.get(name) ?? 99), match.isRunning ? 0 : 1000);
    return [...event.places].sort((a, b) => rank(a) - rank(b))[0];
  }
}

/** @param {import("./event.mjs").Row | undefined} match */
function resultOf(match) {
  if (!match) return "";
  const winners = match.players.filter((_, seat) => match.places[seat] === 1);
  const who = winners.length === 1 ? `${winners[0]} won` : "drawn";
  return `${match.players.length === 1 ? match.scores[0] : who}: ${match.reason}`;
}

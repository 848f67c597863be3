// The lists of matches and of faults, of an event or of one of its bots.

import { el, section } from "./dom.mjs";
import { LongList, LongTable } from "./lists.mjs";

/**
 * @typedef {import("./match.mjs").Summary & {charged: number[], wall: number[], near: number[]}} Row
 *
 * @typedef {object} Fault
 * @property {number} match
 * @property {string} bot
 * @property {string} headline
 * @property {string} text
 * @property {string | null} output The last output of the bot; null if it has to be asked for.
 *
 * @typedef {object} Ways Where the lists lead.
 * @property {(match: Row) => string} match
 * @property {(bot: string) => string} bot
 * @property {((match: number, bot: string) => Promise<string>) | null} output Reads the last output of a bot; null where nobody may.
 */

/** Write who played, the winners bold. @param {Row} match */
export function playersOf({ players, places }) {
  return players.flatMap((player, seat) => [seat ? " – " : "", el(places[seat] === 1 ? "strong" : "span", {}, player)]);
}

/** Make links to the matches before and after one in a list. @param {Row[]} matches @param {Row} match @param {(match: Row) => string} way */
export function neighbours(matches, match, way) {
  const at = matches.findIndex(({ key }) => key === match.key);
  return [-1, 1].map((step) => {
    const other = matches[at + step];
    return at >= 0 && other ? el("a", { href: way(other) }, step < 0 ? "previous match" : "next match") : null;
  });
}

/** Return the result of a match for a bot, in a word. @param {Row} match @param {string} bot */
function resultFor({ players, places, faults }, bot) {
  const seat = players.indexOf(bot);
  const place = places[seat];
  if (players.length < 2 || place === undefined) return "";
  if (faults[seat]) return "lost"; // with all at fault, all share the first place
  const firsts = places.filter((each) => each === 1).length;
  if (place === 1) return firsts === 1 ? "won" : "drawn";
  return players.length === 2 ? "lost" : `place ${place}`;
}

/** @param {Row} match */
const endOf = ({ faults, reason }) => faults.filter(Boolean).join(", ") || reason;

/** @param {Ways} ways @param {string | null} bot @returns {import("./lists.mjs").Column<Row>[]} */
function columnsOf(ways, bot) {
  const result = (/** @type {Row} */ match) => resultFor(match, bot ?? "");
  return [
    { name: "match", value: ({ number }) => number, cell: (match) => el("a", { href: ways.match(match) }, `${match.number}`) },
    { name: "players", value: ({ players }) => players.join(" – "), cell: (match) => el("span", {}, ...playersOf(match)) },
    ...(bot === null ? [] : [{ name: "result", value: result, cell: result }]),
    { name: "scores", value: ({ scores }) => Number(scores[0]), cell: ({ scores }) => scores.join(" – ") },
    { name: "end", value: endOf, cell: (match) => (match.faults.some(Boolean) ? el("span", { class: "fault" }, endOf(match)) : match.reason) },
    { name: "plies", value: ({ plies }) => plies, cell: ({ plies }) => plies },
  ];
}

/** The list of matches with a field to search in it. */
export class MatchList {
  /** @param {Ways} ways @param {string | null} bot Bot whose matches these are. */
  constructor(ways, bot = null) {
    /** @type {WeakMap<Row, string>} */
    this.texts = new WeakMap();
    /** @type {Row[]} */
    this.matches = [];
    this.field = /** @type {HTMLInputElement} */ (el("input", { type: "search", placeholder: "bots, reason, key …", "aria-label": "find a match", input: () => this.#show(true) }));
    this.count = el("p", { class: "hint", role: "status" });
    this.table = new LongTable("matches", columnsOf(ways, bot), ({ number }) => number);
    this.omitted = el("p");
    this.node = section("Matches", this.field, this.count, this.table.node, this.omitted);
  }

  /** @param {Row[]} matches @param {string} omitted A note on missing boards. */
  update(matches, omitted) {
    this.matches = matches;
    this.omitted.textContent = omitted;
    this.omitted.hidden = !omitted;
    this.#show(false);
  }

  /** Look for matches, and scroll to them. @param {string} text */
  find(text) {
    this.field.value = text;
    this.#show(true);
    this.node.scrollIntoView();
  }

  /** @param {boolean} isOther */
  #show(isOther) {
    const words = this.field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length ? this.matches.filter((match) => words.every((word) => this.#text(match).includes(word))) : this.matches;
    this.count.textContent = found.length === 1 ? "1 match" : `${found.length} matches`;
    this.table.show(found, isOther);
  }

  /** Return what can be found of a match: made once, for it is read at each key. @param {Row} match */
  #text(match) {
    const known = this.texts.get(match);
    if (known !== undefined) return known;
    const text = `${match.number} ${match.players.join(" ")} ${match.reason} ${match.termination} ${match.key} ${match.faults.join(" ")}`.toLowerCase();
    this.texts.set(match, text);
    return text;
  }
}

/** The list of faults; what a bot has written last is for those who may read it. */
export class FaultList {
  /** @param {Ways} ways */
  constructor(ways) {
    this.ways = ways;
    /** @type {Map<number, Row>} */
    this.matches = new Map();
    const body = el("div");
    this.list = new LongList(body, (/** @type {Fault} */ fault) => this.#item(fault), ({ match, headline }) => `${match} ${headline}`);
    this.cut = el("p");
    this.node = section("Faults", body, this.list.more, this.cut);
  }

  /** @param {Fault[]} faults @param {number} count Number of all faults. @param {Row[]} matches */
  update(faults, count, matches) {
    this.matches = new Map(faults.length ? matches.map((match) => [match.number, match]) : []);
    this.cut.textContent = faults.length < count ? `${faults.length} of ${count} are listed.` : "";
    this.list.show(faults);
  }

  /** @param {Fault} fault */
  #item(fault) {
    const match = this.matches.get(fault.match);
    const output = el("div");
    const node = el(
      "details",
      {},
      el("summary", {}, `match ${fault.match}: ${fault.headline}`),
      el("pre", {}, fault.text),
      output,
      match ? el("p", {}, el("a", { href: this.ways.match(match) }, `step through match ${fault.match}`)) : null,
    );
    const tell = (/** @type {string} */ text) => text && output.replaceChildren(el("p", { class: "hint" }, "last output of the bot:"), el("pre", {}, text));
    const { output: read } = this.ways;
    if (fault.output) tell(fault.output);
    else if (fault.output === null && read) node.addEventListener("toggle", () => void read(fault.match, fault.bot).then(tell, (error) => tell(String(error))), { once: true });
    return node;
  }
}

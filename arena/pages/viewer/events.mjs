// The list of events, and the matches with people, which are events of one match each.

import { el, section } from "./dom.mjs";
import { LongTable } from "./lists.mjs";

/**
 * @typedef {object} EventRow
 * @property {number} number
 * @property {string} name
 * @property {string} game
 * @property {string} state
 * @property {string} leader The first bot, or the result of a match with people.
 * @property {string} progress
 * @property {string} begun
 * @property {number} bots
 * @property {boolean} is_people Whether it is a match with people.
 * @property {string[]} players Of a match with people.
 * @property {number | null} [left] Number of matches that an event in play has left.
 */

/** @type {import("./lists.mjs").Column<EventRow>} */
const NUMBER_COLUMN = { name: "event", value: ({ number }) => number, cell: ({ number }) => number };
/** @param {"name" | "game" | "leader" | "progress" | "begun"} key @param {string} name @returns {import("./lists.mjs").Column<EventRow>} */
const text = (key, name = key) => ({ name, value: (row) => row[key], cell: (row) => row[key] });
/** @param {EventRow} row @param {string} name */
const link = ({ number }, name) => el("a", { href: `#e=${number}` }, name);

/** The list of events. */
export class EventsView {
  constructor() {
    this.node = el("div");
    this.events = new LongTable("events", [
      NUMBER_COLUMN,
      { name: "name", value: ({ name }) => name, cell: (row) => link(row, row.name) },
      { name: "state", value: stateOf, cell: (row) => (row.left === null ? row.state : el("strong", { class: "now" }, stateOf(row))) },
      text("leader", "first"),
      text("progress", "matches"),
      text("game"),
      { name: "bots", value: ({ bots }) => bots, cell: ({ bots }) => bots },
      text("begun", "begun (UTC)"),
    ], ({ number }) => number, true);
    this.people = new LongTable("matches with people", [
      { ...NUMBER_COLUMN, cell: (row) => link(row, String(row.number)) },
      text("game"),
      { name: "players", value: playersText, cell: playersText },
      text("leader", "result"),
      text("begun", "begun (UTC)"),
    ], ({ number }) => number, true);
    this.none = el("p", {}, "No event has begun yet; the first one will appear here.");
    this.count = el("summary");
    this.folded = section("Matches with people", el("details", {}, this.count, this.people.node));
    this.node.append(section("Events", this.none, this.events.node), this.folded);
  }

  /** @param {EventRow[]} rows @param {(number: number) => number | null} leftOf Returns what an event in play has left. */
  update(rows, leftOf) {
    const all = rows.map((row) => ({ ...row, left: leftOf(row.number) }));
    const [events, people] = [false, true].map((isPeople) => all.filter((row) => row.is_people === isPeople));
    this.none.hidden = events.length > 0;
    this.events.node.hidden = events.length === 0;
    this.folded.hidden = people.length === 0;
    this.count.textContent = people.length === 1 ? "1 match" : `${people.length} matches`;
    this.events.show(events, false);
    this.people.show(people, false);
  }
}

/** @param {EventRow} row */
const playersText = ({ players }) => players.join(" – ");

/** @param {EventRow} row */
function stateOf({ state, left }) {
  return typeof left === "number" ? `in play, ${left} left` : state;
}

// The page of a bot in an event: its place, rating, opponents, faults and matches.

import { lineChart } from "./charts.mjs";
import { decimal, el, section, table } from "./dom.mjs";
import { facts } from "./event.mjs";
import { FaultList, MatchList } from "./matches.mjs";
import { reconcile } from "./reconcile.mjs";
import { sortable } from "./sorting.mjs";

/** @typedef {import("./event.mjs").EventData} EventData */

const WORDS = /** @type {Record<string, string>} */ ({ "+": "won", "=": "drawn", "-": "lost" });

export class EntrantView {
  /** @param {string} name @param {EventData} data @param {import("./matches.mjs").Ways} ways */
  constructor(name, data, ways) {
    this.name = name;
    this.ways = ways;
    this.list = new MatchList(ways, name);
    this.faults = new FaultList(ways);
    this.node = el("div", { class: "entrant" });
    this.update(data);
  }

  /** The matches of the bot. */
  get matches() {
    return this.list.matches;
  }

  /** Take other results. @param {EventData} data */
  update(data) {
    const { name } = this;
    const matches = data.matches.filter(({ players }) => players.includes(name));
    const faults = data.faults.filter(({ bot }) => bot === name);
    this.list.update(matches, data.omitted);
    this.faults.update(faults, Number(figure(data, name, "faults")), matches);
    const parts = [this.#head(data), rating(data, name), this.#opponents(data), faults.length ? this.faults.node : null, this.list.node];
    reconcile(this.node, parts.filter((part) => part !== null));
  }

  /** @param {EventData} data */
  #head({ standings, ratings, earlier }) {
    const { header, rows, by } = standings;
    const at = header.indexOf("bot");
    const row = rows.find((each) => each[at] === this.name);
    const elo = ratings.find(({ player }) => player === this.name);
    const place = row ? `Place ${row[0]} of ${rows.length} with ${row[at + 1]} (${by})${change(this.name, Number(row[0]), earlier)}${elo ? `; Elo ${elo.text}` : ""}.` : "It has played no match.";
    const sums = header.map((column, index) => /** @type {[string, string]} */ ([WORDS[column] ?? column, row?.[index] ?? ""])).slice(at + 1);
    return el("header", {}, el("h1", {}, this.name), el("p", { class: "champion" }, place), row ? facts(sums) : null);
  }

  /** @param {EventData} data */
  #opponents({ crosstable }) {
    const at = crosstable.rows.findIndex(([player]) => player === this.name);
    if (at < 0) return null;
    const rows = crosstable.rows[at].flatMap((duel, column) => {
      const share = crosstable.shares[at][column];
      if (!column || duel === null || share === null) return [];
      const other = crosstable.header[column];
      return [[el("a", { href: this.ways.bot(other) }, other), ...duel.split("-"), `${decimal(100 * share)} %`]];
    });
    return section("Opponents", sortable(table("opponents", ["bot", "won", "drawn", "lost", "share of points"], rows)));
  }
}

/** Return a figure of a bot in the standings. @param {EventData} data @param {string} name @param {string} column */
function figure({ standings: { header, rows } }, name, column) {
  const row = rows.find((each) => each[header.indexOf("bot")] === name);
  return row?.[header.indexOf(column)] ?? "";
}

/** Say how a place has changed since the table before. @param {string} name @param {number} place @param {EventData["earlier"]} earlier */
function change(name, place, earlier) {
  const before = earlier?.places[name];
  if (!earlier || before === undefined) return "";
  const since = `since match ${earlier.matches} of the event`;
  if (before === place) return `, unchanged ${since}`;
  return `, ${before > place ? "up" : "down"} ${Math.abs(before - place)} ${since}`;
}

/** @param {EventData} data @param {string} name */
function rating({ progress, scale }, name) {
  const line = progress[name];
  if (!line || line.length < 2) return null;
  return section("Rating over time", el("p", { class: "hint" }, scale), lineChart("Elo after each part of the event", { Elo: line }, { unit: "part" }));
}

// The page of an event: standings, crosstable, ends, faults, times, matches.

import { lineChart } from "./charts.mjs";
import { decimal, duration, el, folded, nameOf, section, table } from "./dom.mjs";
import { FaultList, MatchList, playersOf } from "./matches.mjs";
import { sortable } from "./sorting.mjs";

const LETTERS = 14;

/**
 * @typedef {import("./dom.mjs").Child} Child
 * @typedef {import("./matches.mjs").Row} Row
 * @typedef {import("./matches.mjs").Ways} Ways
 * @typedef {object} EventData
 * @property {string} name
 * @property {[string, string][]} facts
 * @property {{header: string[], rows: string[][], by: string}} standings
 * @property {{player: string, elo: number, low: number, high: number, text: string}[]} ratings
 * @property {string[][]} differences
 * @property {string} scale what Elo is relative to, in a line
 * @property {{header: string[], rows: (string | null)[][], shares: (number | null)[][]}} crosstable
 * @property {Row[]} matches
 * @property {import("./matches.mjs").Fault[]} faults
 * @property {number} fault_count
 * @property {Record<string, (number | null)[]>} progress
 * @property {{matches: number, places: Record<string, number>} | null} earlier The places after so many matches: the table before this one.
 * @property {{positions: number, won: Record<string, (number | null)[]>}} values
 * @property {{llr: number[], bounds: [number, number], verdict: string} | null} gate
 * @property {{verdict: string, parameters: {name: string, path: number[], iterations: number, bounds: number[], range: [number, number]}[]} | null} tune
 * @property {[string, string][]} notes
 * @property {string} omitted
 */

/** The page of an event, from its title to its matches. */
export class EventView {
  /** @param {EventData} data @param {Ways} ways */
  constructor(data, ways) {
    this.ways = ways;
    this.list = new MatchList(ways);
    this.faults = new FaultList(ways);
    this.data = data;
    this.update(data);
  }

  /** Take other results. @param {EventData} data */
  update(data) {
    this.data = data;
    this.list.update(data.matches, data.omitted);
    this.faults.update(data.faults, data.fault_count, data.matches);
  }

  /** Return the sections; the lists are the same ones each time. */
  sections() {
    const { data, ways } = this;
    return [
      el("header", {}, el("h1", {}, data.name), champion(data), facts(data.facts)),
      standings(data, ways),
      crosstable(data, (a, b) => this.list.find(`${a} ${b}`)),
      differences(data),
      progress(data),
      values(data),
      gate(data),
      tune(data),
      ends(data),
      seats(data),
      times(data),
      data.fault_count ? this.faults.node : null,
      ...data.notes.map(([title, text]) => section(title, el("pre", {}, text))),
      this.list.node,
    ].filter((node) => node !== null);
  }
}

/** Say who is first, by how much, and how sure that is. @param {EventData} data */
function champion(data) {
  const { header, rows, by } = data.standings;
  const played = data.facts.find(([name]) => name === "matches")?.[1] ?? "";
  if (data.tune) return el("p", { class: "champion" }, data.tune.verdict);
  if (rows.length < 2 || !data.matches.length) return el("p", { class: "champion" }); // its room is kept, so that nothing moves
  const [name, figure] = [header.indexOf("bot"), header.indexOf("bot") + 1];
  const [first, second] = rows;
  const isShared = first[0] === second[0];
  const verb = played.includes(" of ") ? "leads" : "won";
  const ahead = isShared ? ` and shares first place with ${second[name]}` : ` before ${second[name]} with ${second[figure]}`;
  const elo = data.ratings.find((each) => each.player === first[name]);
  const sure = data.differences.find(([one, other]) => one === first[name] && other === second[name]);
  const rating = elo ? `; Elo ${elo.text}` : "";
  const surety = sure ? `, stronger with ${sure[3]}` : "";
  return el("p", { class: "champion" }, el("strong", {}, first[name]), ` ${isShared ? "has" : `${verb} with`} ${first[figure]} (${by})${ahead}${rating}${surety}.`);
}

const LATEST = 6;

/** List the last results. @param {EventData} data @param {(match: Row) => string} link */
export function latest(data, link) {
  if (!data.matches.length) return null;
  const items = data.matches.slice(-LATEST).reverse().map((match) =>
    el("li", {}, el("a", { href: link(match) }, ...playersOf(match)), ` ${match.scores.join(" – ")}, ${match.reason}`),
  );
  return section("Last results", el("ul", { class: "latest-results" }, ...items));
}

/** List facts by their names. @param {[string, Child][]} pairs */
export function facts(pairs) {
  return el("dl", { class: "facts" }, ...pairs.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

/** @param {EventData} data @param {Ways} ways */
function standings(data, ways) {
  const least = Math.min(...data.ratings.map((each) => each.low));
  const width = Math.max(100, Math.max(...data.ratings.map((each) => each.high)) - least);
  const ratings = new Map(data.ratings.map((each) => [each.player, each]));
  const bar = (/** @type {string} */ name) => {
    const found = ratings.get(name);
    if (!found) return "";
    const percent = (/** @type {number} */ elo) => ((elo - least) * 100) / width;
    const node = el("span", { class: "error-bar", role: "img", "aria-label": found.text, title: found.text });
    const range = el("i");
    range.style.left = `${percent(found.low)}%`;
    range.style.right = `${100 - percent(found.high)}%`;
    const point = el("b");
    point.style.left = `${percent(found.elo)}%`;
    node.append(range, point);
    return el("span", { class: "rating" }, el("span", { class: "elo" }, found.text), node);
  };
  const name = data.standings.header.indexOf("bot");
  const place = name + 2; // Behind the first figure, which ranks: a narrow screen shows that one.
  const isRated = data.ratings.length > 0;
  const wide = (/** @type {Child[]} */ row, /** @type {Child} */ extra) => [...row.slice(0, place), ...(isRated ? [extra] : []), ...row.slice(place)];
  const rows = data.standings.rows.map((row) => wide(row, bar(row[name])).map((cell, at) => (at === name ? el("a", { href: ways.bot(row[name]) }, nameOf(row[name])) : cell)));
  const header = /** @type {string[]} */ (wide(data.standings.header, "Elo"));
  return section("Standings", el("p", { class: "hint" }, `ranked by ${data.standings.by}${data.scale && `; bars: ${data.scale}`}`), lettered(sortable(table("standings", header, rows))));
}

/** Note the column of each cell, and the most letters of each column, for a table of fixed widths. @param {HTMLElement} frame */
function lettered(frame) {
  const rows = [...frame.querySelectorAll("tr")];
  const tops = frame.querySelectorAll("th");
  const names = [...rows[0].children].map((cell) => cell.textContent ?? "");
  names.forEach((name, column) => {
    const cells = rows.map((row) => row.children[column]);
    const most = Math.max(...cells.map((cell) => cell.textContent?.length ?? 0));
    tops[column].style.setProperty("--letters", String(Math.min(most, LETTERS)));
    for (const cell of cells) cell.setAttribute("data-column", name);
  });
  return frame;
}

/** @param {EventData} data @param {(a: string, b: string) => void} pick */
function crosstable(data, pick) {
  const { header, rows, shares } = data.crosstable;
  if (!rows.length) return null;
  const cells = rows.map((row, at) =>
    row.map((text, column) => {
      const share = shares[at][column];
      if (column === 0 || text === null || share === null) return text ?? "";
      const button = el("button", { type: "button", class: "cell" }, text);
      button.onclick = () => pick(String(row[0]), header[column]);
      button.title = `matches of ${row[0]} against ${header[column]}`;
      button.style.setProperty("--share", String(share));
      return button;
    }),
  );
  const frame = table("crosstable", header, cells);
  frame.querySelectorAll("th").forEach((cell, at) => number(cell, at <= rows.length ? at : at - rows.length));
  return section("Crosstable", el("p", { class: "hint" }, "wins – draws – losses of the row against the column; click for the matches"), frame);
}

/** Number a bot of the crosstable: names may be long and alike. @param {Element} cell @param {number} at */
function number(cell, at) {
  if (!at) return;
  const name = cell.textContent ?? "";
  cell.setAttribute("title", name);
  cell.replaceChildren(el("span", { class: "rank" }, at), " ", nameOf(name));
}

/** @param {EventData} data */
function differences(data) {
  if (!data.differences.length) return null;
  const hint = "Elo of a bot over another one with its 95 % interval, and the probability that it is stronger";
  return folded("Differences", el("p", { class: "hint" }, hint), sortable(table("differences", ["bot", "over", "Elo, 95 %", "stronger"], data.differences)));
}

/** @param {EventData} data */
function progress(data) {
  const names = Object.keys(data.progress);
  if (names.length < 2 || data.progress[names[0]].length < 3) return null;
  return folded("Rating by round", lineChart("Elo after each part of the event", data.progress, { unit: "part" }));
}

/** @param {EventData} data */
function values(data) {
  const { positions, won } = data.values;
  if (!positions) return null;
  const hint = `Each bot's values of its own positions, from certain loss on the left to certain win on the right, and the percentage that it won from them; ${positions} positions of the matches with a board here.`;
  return folded("Values", el("p", { class: "hint" }, hint), lineChart("percentage won by value of the position", won, { unit: "value", bounds: [50], across: [-1000, 1000] }));
}

/** @param {EventData} data */
function gate(data) {
  if (!data.gate) return null;
  return folded("Gate", el("p", {}, data.gate.verdict), lineChart("log-likelihood ratio between its bounds", { LLR: data.gate.llr }, { unit: "pair", bounds: data.gate.bounds }));
}

/** @param {EventData} data */
function tune(data) {
  if (!data.tune) return null;
  const charts = data.tune.parameters.map(({ name, path, iterations, bounds, range }) => lineChart(`${name} after each iteration`, { [name]: path }, { unit: "iteration", bounds, across: [0, iterations], up: range }));
  return folded("Tuning", el("p", {}, data.tune.verdict), ...charts);
}

/** @param {EventData} data */
function ends(data) {
  /** @type {Map<string, Map<string, number>>} */
  const counts = new Map();
  const kinds = new Set(/** @type {string[]} */ ([]));
  for (const match of data.matches) {
    match.players.forEach((player, seat) => {
      const kind = match.faults[seat] ?? (match.places[seat] === 1 ? `first: ${match.reason}` : match.reason);
      kinds.add(kind);
      const row = counts.get(player) ?? new Map();
      row.set(kind, (row.get(kind) ?? 0) + 1);
      counts.set(player, row);
    });
  }
  const header = [...kinds].sort().slice(0, 12);
  const rows = [...counts].sort().map(([player, row]) => [player, ...header.map((kind) => row.get(kind) ?? "")]);
  return folded("How matches ended", sortable(table("ends by bot", ["bot", ...header], rows)));
}

/** Return the matches that were played: the others say nothing about seats and times. @param {EventData} data */
const playedOf = (data) => data.matches.filter((match) => !match.faults.includes("unplayed"));

/** @param {EventData} data */
function seats(data) {
  const all = playedOf(data);
  const most = Math.max(0, ...all.map((match) => match.players.length));
  if (most < 2) return null;
  const rows = [...Array(most).keys()].map((seat) => {
    const played = all.filter((match) => match.players.length > seat);
    const alone = (/** @type {Row} */ match) => match.places[seat] === 1 && match.places.filter((place) => place === 1).length === 1;
    const won = played.filter(alone).length;
    const shared = played.filter((match) => match.places[seat] === 1 && !match.faults[seat]).length - won;
    return [`seat ${seat}`, played.length, won, shared, `${decimal((100 * won) / Math.max(1, played.length))} %`];
  });
  return folded("Seats", sortable(table("seats", ["seat", "matches", "won", "shared", "share won"], rows)));
}

/** @param {EventData} data */
function times(data) {
  /** @type {Map<string, {matches: number, charged: number, wall: number, near: number, plies: number}>} */
  const sums = new Map();
  for (const match of playedOf(data)) {
    match.players.forEach((player, seat) => {
      const sum = sums.get(player) ?? { matches: 0, charged: 0, wall: 0, near: 0, plies: 0 };
      sum.matches += 1;
      sum.charged += match.charged[seat];
      sum.wall += match.wall[seat];
      sum.near += match.near[seat];
      sum.plies += match.plies / match.players.length;
      sums.set(player, sum);
    });
  }
  const rows = [...sums].sort().map(([player, sum]) => [
    player,
    duration(sum.charged / sum.matches),
    duration(sum.wall / sum.matches),
    duration(sum.charged / Math.max(1, sum.plies)),
    sum.near || "",
  ]);
  return folded("Time", sortable(table("time", ["bot", "charged a match", "wall a match", "charged a move, with init", "replies near the limit"], rows)));
}

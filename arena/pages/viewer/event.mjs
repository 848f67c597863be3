// The views of an event: standings, crosstable, ends, faults, times, matches.

import { lineChart } from "./charts.mjs";
import { decimal, duration, el, folded, nameOf, reconcile, section, table } from "./dom.mjs";

const LETTERS = 14;

/**
 * @typedef {import("./dom.mjs").Child} Child
 * @typedef {import("./match.mjs").Summary & {charged: number[], wall: number[], near: number[], finished: string}} Row
 * @typedef {object} EventData
 * @property {string} name
 * @property {[string, string][]} facts
 * @property {{header: string[], rows: string[][], by: string}} standings
 * @property {{player: string, elo: number, low: number, high: number, text: string}[]} ratings
 * @property {string[][]} differences
 * @property {string} scale what Elo is relative to, in a line
 * @property {{header: string[], rows: (string | null)[][], shares: (number | null)[][]}} crosstable
 * @property {Row[]} matches
 * @property {{match: number, headline: string, text: string}[]} faults
 * @property {number} fault_count
 * @property {Record<string, (number | null)[]>} progress
 * @property {{positions: number, won: Record<string, (number | null)[]>}} values
 * @property {{llr: number[], bounds: [number, number], verdict: string} | null} gate
 * @property {{verdict: string, parameters: {name: string, path: number[], iterations: number, bounds: number[], range: [number, number]}[]} | null} tune
 * @property {[string, string][]} notes
 * @property {string} omitted
 */

/** @param {Row} match */
const matchLink = (match) => `#m=${encodeURIComponent(match.key)}`;

/**
 * Return the views of an event, from its title to its notes.
 * @param {EventData} data @param {(a: string, b: string) => void} pick Lists the matches of two bots.
 * @param {(match: Row) => string} link
 */
export function eventView(data, pick, link = matchLink) {
  return [
    el("header", {}, el("h1", {}, data.name), champion(data), facts(data.facts)),
    standings(data),
    crosstable(data, pick),
    differences(data),
    progress(data),
    values(data),
    gate(data),
    tune(data),
    ends(data),
    seats(data),
    times(data),
    faults(data, link),
    ...data.notes.map(([title, text]) => section(title, el("pre", {}, text))),
  ].filter((node) => node !== null);
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
    el("li", {}, el("a", { href: link(match) }, ...match.players.flatMap((player, seat) => [seat ? " – " : "", el(match.places[seat] === 1 ? "strong" : "span", {}, player)])), ` ${match.scores.join(" – ")}, ${match.reason}`),
  );
  return section("Last results", el("ul", { class: "latest-results" }, ...items));
}

/** @param {[string, string][]} pairs */
function facts(pairs) {
  return el("dl", { class: "facts" }, ...pairs.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

/** @param {EventData} data */
function standings(data) {
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
  const rows = data.standings.rows.map((row) => wide(row, bar(row[name])).map((cell, at) => (at === name ? nameOf(row[name]) : cell)));
  const header = /** @type {string[]} */ (wide(data.standings.header, "Elo"));
  return section("Standings", el("p", { class: "hint" }, `ranked by ${data.standings.by}${data.scale && `; bars: ${data.scale}`}`), lettered(table("standings", header, rows)));
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
  return folded("Differences", el("p", { class: "hint" }, hint), table("differences", ["bot", "over", "Elo, 95 %", "stronger"], data.differences));
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
  return folded("How matches ended", table("ends by bot", ["bot", ...header], rows));
}

/** @param {EventData} data */
function seats(data) {
  const most = Math.max(0, ...data.matches.map((match) => match.players.length));
  if (most < 2) return null;
  const rows = [...Array(most).keys()].map((seat) => {
    const played = data.matches.filter((match) => match.players.length > seat);
    const alone = (/** @type {Row} */ match) => match.places[seat] === 1 && match.places.filter((place) => place === 1).length === 1;
    const won = played.filter(alone).length;
    const shared = played.filter((match) => match.places[seat] === 1).length - won;
    return [`seat ${seat}`, played.length, won, shared, `${decimal((100 * won) / Math.max(1, played.length))} %`];
  });
  return folded("Seats", table("seats", ["seat", "matches", "won", "shared", "share won"], rows));
}

/** @param {EventData} data */
function times(data) {
  /** @type {Map<string, {matches: number, charged: number, wall: number, near: number, plies: number}>} */
  const sums = new Map();
  for (const match of data.matches) {
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
  return folded("Time", table("time", ["bot", "charged a match", "wall a match", "charged a move", "replies near the limit"], rows));
}

/** @param {EventData} data @param {(match: Row) => string} link */
function faults(data, link) {
  if (!data.fault_count) return null;
  const number = new Map(data.matches.map((match) => [match.number, match]));
  const items = data.faults.map((fault) => {
    const match = number.get(fault.match);
    const way = match ? el("p", {}, el("a", { href: link(match) }, `step through match ${fault.match}`)) : null;
    return el("details", {}, el("summary", {}, `match ${fault.match}: ${fault.headline}`), el("pre", {}, fault.text), way);
  });
  const cut = data.faults.length < data.fault_count ? el("p", {}, `${data.faults.length} of ${data.fault_count} are listed.`) : null;
  return section("Faults", ...items, cut);
}

/**
 * The list of matches with a field to search in it.
 * @param {EventData} data @param {(match: Row) => string} link
 */
export function matchList(data, link = matchLink) {
  const field = /** @type {HTMLInputElement} */ (el("input", { type: "search", placeholder: "bots, reason, key …", "aria-label": "find a match" }));
  const body = el("div");
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = data.matches.filter((match) => {
      const text = `${match.number} ${match.players.join(" ")} ${match.reason} ${match.termination} ${match.key} ${match.faults.join(" ")}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const rows = found.slice(0, 500).map((match) => [
      el("a", { href: link(match) }, `${match.number}`),
      el("span", {}, ...match.players.flatMap((player, seat) => [seat ? " – " : "", el(match.places[seat] === 1 ? "strong" : "span", {}, player)])),
      match.scores.join(" – "),
      match.faults.some(Boolean) ? el("span", { class: "fault" }, match.faults.filter(Boolean).join(", ")) : match.reason,
      match.plies,
    ]);
    const count = found.length > 500 ? `the first 500 of ${found.length} matches` : `${found.length} matches`;
    reconcile(body, [el("p", { class: "hint", role: "status" }, count), table("matches", ["match", "players", "scores", "end", "plies"], rows)]);
  };
  field.addEventListener("input", show);
  show();
  const node = section("Matches", field, body, data.omitted ? el("p", {}, data.omitted) : null);
  const update = (/** @type {EventData} */ fresh) => { data = fresh; show(); };
  return { node, field, update, find: (/** @type {string} */ text) => { field.value = text; show(); node.scrollIntoView(); } };
}

// Small charts: bars by ply, lines over an event.

import { decimal, duration, seatClass, svg } from "./dom.mjs";

const WIDTH = 640;
const HEIGHT = 120;

/** @param {string} label @param {number} height @param {Node[]} children */
function frame(label, height, children) {
  const node = svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label, preserveAspectRatio: "none" });
  for (const child of children) node.append(child);
  return node;
}

/**
 * Return the largest of any number of values; a call has a limit of arguments, below a long match.
 * @param {number[]} values @param {number} least
 */
function largest(values, least) {
  return values.reduce((most, value) => Math.max(most, value), least);
}

/**
 * Draw the charged time of each move as a bar and its wall time as a line above it.
 * @param {{charged: number[], wall: number[], seat: (number | null)[]}} moves @param {(step: number) => void} go
 */
export function timeChart(moves, go) {
  const most = largest([...moves.wall, ...moves.charged], 1);
  const step = WIDTH / Math.max(1, moves.charged.length);
  const bars = moves.charged.map((charged, index) => {
    const group = svg("g", { class: seatClass(moves.seat[index]) });
    const top = HEIGHT - (HEIGHT * charged) / most;
    const wall = HEIGHT - (HEIGHT * moves.wall[index]) / most;
    group.append(
      svg("rect", { class: "wall", x: index * step, y: wall, width: step * 0.9, height: HEIGHT - wall }),
      svg("rect", { class: "charged", x: index * step, y: top, width: step * 0.9, height: HEIGHT - top }),
      svg("rect", { class: "target", x: index * step, y: 0, width: step, height: HEIGHT }, svg("title", {}, `ply ${index + 1}: charged ${duration(charged)}, wall ${duration(moves.wall[index])}`)),
    );
    group.addEventListener("click", () => go(index + 1));
    return group;
  });
  const cursor = svg("line", { class: "cursor", y1: 0, y2: HEIGHT });
  const node = frame(`time of each move, at most ${duration(most)}`, HEIGHT, [...bars, cursor]);
  return { node, most, show: (/** @type {number} */ ply) => place(cursor, (ply - 0.5) * step) };
}

/** @param {SVGElement} cursor @param {number} x */
function place(cursor, x) {
  cursor.setAttribute("x1", String(x));
  cursor.setAttribute("x2", String(x));
}

/**
 * Draw the value that each bot gave to its position; between two, as seen by seat 0.
 * @param {Record<string, number>} values @param {(number | null)[]} seats The seat of each step. @param {number} players
 */
export function valueChart(values, seats, players) {
  const steps = seats.length;
  const sign = (/** @type {number | null} */ seat) => (players === 2 && seat === 1 ? -1 : 1);
  const title = players === 2 ? "value of the position as each bot sees it (up: good for seat 0)" : "value of the position as each bot sees its own (up: good for it)";
  const x = (/** @type {number} */ step) => ((step - 0.5) * WIDTH) / Math.max(1, steps);
  const y = (/** @type {number} */ value) => HEIGHT / 2 - (value * HEIGHT) / 2000;
  const paths = [...new Set(seats)].map((seat) => {
    const points = Object.entries(values)
      .filter(([step]) => seats[Number(step) - 1] === seat)
      .map(([step, value]) => `${x(Number(step)).toFixed(1)} ${y(sign(seat) * value).toFixed(1)}`);
    return svg("path", { class: `line ${seatClass(seat)}`, d: points.length ? `M${points.join("L")}h.1` : "" });
  });
  const cursor = svg("line", { class: "cursor", y1: 0, y2: HEIGHT });
  const axis = svg("line", { class: "axis", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 });
  const node = frame(title, HEIGHT, [axis, ...paths, cursor]);
  return { node, title, show: (/** @type {number} */ ply) => place(cursor, x(ply)) };
}

/**
 * Draw several lines over the matches of an event, with names at their right ends.
 * @param {string} label @param {Record<string, (number | null)[]>} series
 * @param {number[]} bounds Horizontal lines, like the bounds of a test.
 */
export function lineChart(label, series, bounds = []) {
  const height = 220;
  const room = 110;
  const all = [...Object.values(series).flat().filter((value) => value !== null), ...bounds];
  const low = -largest(all.map((value) => -value), 0);
  const high = largest(all, 1);
  const y = (/** @type {number} */ value) => height - 12 - ((value - low) * (height - 24)) / (high - low || 1);
  const children = bounds.map((value) => svg("line", { class: "axis", x1: 0, x2: WIDTH - room, y1: y(value), y2: y(value) }));
  let taken = /** @type {number[]} */ ([]);
  Object.entries(series).forEach(([name, values], index) => {
    const x = (/** @type {number} */ at) => (at * (WIDTH - room)) / Math.max(1, values.length - 1);
    const points = values.flatMap((value, at) => (value === null ? [] : [`${x(at).toFixed(1)} ${y(value).toFixed(1)}`]));
    const last = values.findLast((value) => value !== null);
    if (!points.length || last === null || last === undefined) return;
    let at = y(last) + 4;
    while (taken.some((other) => Math.abs(other - at) < 12)) at += 6;
    taken = [...taken, at];
    const color = `series-${index % 6}`;
    children.push(svg("path", { class: `line ${color}`, d: `M${points.join("L")}` }));
    children.push(svg("text", { class: color, x: WIDTH - room + 6, y: at }, `${name.slice(0, 12)} ${decimal(Math.round(last * 10) / 10)}`));
  });
  const node = frame(label, height, children);
  node.setAttribute("preserveAspectRatio", "xMidYMid meet");
  return node;
}

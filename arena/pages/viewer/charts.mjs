// Small charts with axes: bars by ply, lines over an event.

import { decimal, duration, seatClass, signed, svg } from "./dom.mjs";

const WIDTH = 640;
const LEFT = 74; // room for the numbers of the left axis
const RIGHT = 8;
const TOP = 14;
const BOTTOM = 26;
const LABEL = 150; // room for the names of lines
const TICKS = 4;

/**
 * Return round numbers between two values, about as many as asked for, and always 0 if it is between.
 * @param {number} low @param {number} high @param {number} count
 */
function ticks(low, high, count = TICKS) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.max(0, Math.floor(high / step - first + 1e-9) + 1) }, (_, at) => (first + at) * step);
}

/**
 * A frame with axes. `x` and `y` place values in it.
 * @param {string} label @param {number} height @param {[number, number]} across @param {[number, number]} up
 * @param {{write: (value: number) => string, unit: string, right?: number, at?: number[], steps?: number[]}} axes `unit`: what the lower axis counts.
 */
function axes(label, height, [from, to], [low, high], { write, unit, right = RIGHT, at = ticks(low, high), steps = ticks(from, to, 6).filter(Number.isInteger) }) {
  const node = svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label });
  const end = WIDTH - right;
  const floor = height - BOTTOM;
  const x = (/** @type {number} */ value) => LEFT + ((value - from) * (end - LEFT)) / (to - from || 1);
  const y = (/** @type {number} */ value) => floor - ((value - low) * (floor - TOP)) / (high - low || 1);
  for (const value of at) {
    node.append(svg("line", { class: value === 0 && low < 0 ? "axis zero" : "axis", x1: LEFT, x2: end, y1: y(value), y2: y(value) }));
    node.append(svg("text", { class: "tick up", x: LEFT - 6, y: y(value) + 4 }, write(value)));
  }
  for (const value of steps) node.append(svg("text", { class: "tick across", x: x(value), y: height - 7 }, value));
  node.append(svg("text", { class: "tick unit", x: LEFT - 6, y: height - 7 }, unit));
  return { node, x, y, floor, end };
}

/**
 * Return the largest of any number of values; a call has a limit of arguments, below a long match.
 * @param {number[]} values @param {number} least
 */
function largest(values, least) {
  return values.reduce((most, value) => Math.max(most, value), least);
}

/**
 * Draw the charged time of each move as a bar and its wall time as a pale one behind it.
 * @param {{charged: number[], wall: number[], seat: (number | null)[]}} moves @param {(step: number) => void} go
 */
export function timeChart(moves, go) {
  const most = largest([...moves.wall, ...moves.charged], 1);
  const count = Math.max(1, moves.charged.length);
  const { node, x, y, floor } = axes(`time of each move, at most ${duration(most)}`, 150, [0.5, count + 0.5], [0, most], { write: (us) => (us ? duration(us) : "0"), unit: "ply", at: ticks(0, most, 3) });
  const step = x(1) - x(0);
  moves.charged.forEach((charged, index) => {
    const group = svg("g", { class: seatClass(moves.seat[index]) });
    const left = x(index + 0.5);
    const wall = y(moves.wall[index]);
    group.append(
      svg("rect", { class: "wall", x: left, y: wall, width: step * 0.9, height: floor - wall }),
      svg("rect", { class: "charged", x: left, y: y(charged), width: step * 0.9, height: floor - y(charged) }),
      svg("rect", { class: "target", x: left, y: TOP, width: step, height: floor - TOP }, svg("title", {}, `ply ${index + 1}: charged ${duration(charged)}, wall ${duration(moves.wall[index])}`)),
    );
    group.addEventListener("click", () => go(index + 1));
    node.append(group);
  });
  const cursor = cursorOf(node, floor);
  return { node, most, show: (/** @type {number} */ ply) => place(cursor, x(ply)) };
}

/** @param {SVGElement} node @param {number} floor */
function cursorOf(node, floor) {
  const cursor = svg("line", { class: "cursor", y1: TOP, y2: floor });
  node.append(cursor);
  return cursor;
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
  const sign = (/** @type {number | null} */ seat) => (players === 2 && seat === 1 ? -1 : 1);
  const title = players === 2 ? "value of the position as each bot sees it (up: good for seat 0)" : "value of the position as each bot sees its own (up: good for it)";
  const { node, x, y, floor } = axes(title, 150, [0.5, Math.max(1, seats.length) + 0.5], [-1000, 1000], { write: signed, unit: "ply", at: [-1000, 0, 1000] });
  for (const seat of new Set(seats)) {
    const points = Object.entries(values)
      .filter(([step]) => seats[Number(step) - 1] === seat)
      .map(([step, value]) => `${x(Number(step)).toFixed(1)} ${y(sign(seat) * value).toFixed(1)}`);
    node.append(svg("path", { class: `line ${seatClass(seat)}`, d: points.length ? `M${points.join("L")}h.1` : "" }));
  }
  const cursor = cursorOf(node, floor);
  return { node, title, show: (/** @type {number} */ ply) => place(cursor, x(ply)) };
}

/**
 * Draw several lines over the parts of an event, with names at their right ends.
 * @param {string} label @param {Record<string, (number | null)[]>} series @param {{unit: string, bounds?: number[], across?: [number, number], up?: [number, number]}} axis
 * What the lower axis counts, from where to where; horizontal lines, like the bounds of a test; the range of the values, which otherwise includes 0.
 */
export function lineChart(label, series, { unit, bounds = [], across, up }) {
  const height = 260;
  const all = [...Object.values(series).flat().filter((value) => value !== null), ...bounds];
  const [low, high] = up ?? [-largest(all.map((value) => -value), 0), largest(all, 1)];
  const [from, to] = across ?? [1, Object.values(series).reduce((most, values) => Math.max(most, values.length), 2)];
  const { node, x, y, end } = axes(label, height, [from, to], [low, high], { write: decimal, unit, right: LABEL });
  for (const value of bounds) node.append(svg("line", { class: "bound", x1: LEFT, x2: end, y1: y(value), y2: y(value) }));
  let taken = /** @type {number[]} */ ([]);
  Object.entries(series).forEach(([name, values], index) => {
    const step = (to - from) / Math.max(1, values.length - 1);
    const points = values.flatMap((value, at) => (value === null ? [] : [`${x(from + at * step).toFixed(1)} ${y(value).toFixed(1)}`]));
    const last = values.findLast((value) => value !== null);
    if (!points.length || last === null || last === undefined) return;
    let at = y(last) + 4;
    while (taken.some((other) => Math.abs(other - at) < 15)) at += 6;
    taken = [...taken, at];
    const color = `series-${index % 6}`;
    node.append(svg("path", { class: `line ${color}`, d: `M${points.join("L")}` }));
    if (at < height) node.append(svg("text", { class: color, x: end + 6, y: at }, `${name.slice(0, 12)} ${decimal(Math.round(last * 10) / 10)}`));
  });
  return node;
}

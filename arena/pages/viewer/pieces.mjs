// The shapes of a board: its places, its lines, its pieces.

import { svg } from "./dom.mjs";

/** @typedef {import("./board.mjs").Layout} Layout @typedef {import("./board.mjs").Piece} Piece */

/** Return the centre of each place, in cells. @param {Layout} layout @returns {[number, number][]} */
export function centres(layout) {
  const { kind, rows, cols } = layout;
  if (kind === "hex" || kind === "cards" || kind === "free") return layout.spots;
  /** @type {[number, number][]} */
  const found = [];
  if (kind === "edges") {
    for (let row = 0; row < rows; row++) for (let col = 0; col < cols - 1; col++) found.push([col + 0.5, row]);
    for (let row = 0; row < rows - 1; row++) for (let col = 0; col < cols; col++) found.push([col, row + 0.5]);
    for (let row = 0; row < rows - 1; row++) for (let col = 0; col < cols - 1; col++) found.push([col + 0.5, row + 0.5]);
    return found;
  }
  for (let row = 0; row < rows; row++) for (let col = 0; col < cols; col++) found.push([col, row]);
  return found;
}

/** Return the lines of a board as path data. @param {Layout} layout @param {[number, number][]} spots */
export function lines(layout, spots) {
  const { kind, rows, cols } = layout;
  if (kind === "free" || kind === "cards" || kind === "edges") return "";
  if (kind === "hex") {
    const at = new Map(spots.map(([x, y]) => [`${x.toFixed(2)},${y.toFixed(2)}`, true]));
    const steps = [[1, 0], [0.5, Math.sqrt(3) / 2], [-0.5, Math.sqrt(3) / 2]];
    return spots
      .flatMap(([x, y]) =>
        steps
          .filter(([dx, dy]) => at.has(`${(x + dx).toFixed(2)},${(y + dy).toFixed(2)}`))
          .map(([dx, dy]) => `M${x} ${y}l${dx} ${dy}`),
      )
      .join("");
  }
  const end = kind === "cells" ? 0.5 : 0;
  const path = [];
  for (let row = -end; row <= rows - 1 + end; row++) path.push(`M${-end} ${row}H${cols - 1 + end}`);
  for (let col = -end; col <= cols - 1 + end; col++) path.push(`M${col} ${-end}V${rows - 1 + end}`);
  return path.join("");
}

/** Draw a piece around (0, 0); seats differ in form as well as in color. @param {Piece} piece */
export function drawPiece(piece) {
  const color = piece.seat === null ? `color-${piece.color % 9}` : `seat-${piece.seat % 6}`;
  const group = svg("g", { class: `piece ${piece.shape} ${color}` });
  if (piece.shape === "square") group.append(svg("rect", { x: -0.46, y: -0.46, width: 0.92, height: 0.92, rx: 0.08 }));
  else if (piece.shape === "line") group.append(svg("rect", { x: -0.09, y: -0.4, width: 0.18, height: 0.8, rx: 0.09 }));
  else if (piece.shape === "card") group.append(...card(piece.text !== ""));
  else if (piece.shape === "disc") group.append(...disc(piece.text ? 0 : (piece.seat ?? 0))); // a mark would cover the text
  if (piece.text) group.append(svg("text", { y: 0.17 }, piece.text));
  return group;
}

/** Draw a disc; black and white need no mark to be told apart. @param {number} seat */
function disc(seat) {
  const inner = [
    [],
    [],
    [svg("path", { class: "mark", d: "M0-.2L.19.13H-.19z" })],
    [svg("rect", { class: "mark", x: -0.14, y: -0.14, width: 0.28, height: 0.28 })],
    [svg("path", { class: "mark", d: "M0-.2L.2 0 0 .2-.2 0z" })],
    [svg("path", { class: "mark", d: "M-.2-.06h.4v.12h-.4z" })],
  ][seat % 6];
  return [svg("circle", { r: 0.42 }), ...inner];
}

/** Draw the face of a card, or its back. @param {boolean} isOpen */
function card(isOpen) {
  const outer = svg("rect", { class: isOpen ? "face" : "back", x: -0.36, y: -0.48, width: 0.72, height: 0.96, rx: 0.08 });
  return isOpen ? [outer] : [outer, svg("rect", { class: "back", x: -0.28, y: -0.4, width: 0.56, height: 0.8, rx: 0.05 })];
}

/** Return the part of the board that a place takes for itself, to click and to walk. @param {Layout} layout @param {number} place @param {[number, number]} spot */
export function area({ kind, rows, cols }, place, [x, y]) {
  const isEdge = kind === "edges" && place < rows * (cols - 1) + (rows - 1) * cols;
  if (isEdge) return svg("path", { d: `M${x - 0.5} ${y}L${x} ${y - 0.5}L${x + 0.5} ${y}L${x} ${y + 0.5}z` });
  return svg("rect", { x: x - 0.5, y: y - 0.5, width: 1, height: 1, "pointer-events": kind === "edges" ? "none" : null }); // its edges reach to its middle
}

/** Return the turn of the piece on a place, as part of a transform. @param {Layout} layout @param {number} place */
export function turnOf({ kind, rows, cols }, place) {
  if (kind !== "edges") return "";
  if (place < rows * (cols - 1)) return " rotate(90)";
  return place < rows * (cols - 1) + (rows - 1) * cols ? "" : " scale(.72)";
}

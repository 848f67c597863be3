// Clicks narrow the legal moves until one is left. Which moves are legal, only the server knows.

/** @typedef {[notation: string, places: number[]]} Choice */

/**
 * Return what clicks leave: the moves that begin with them, those that need no further click, and
 * the places that may be clicked next.
 * @param {Choice[]} moves @param {number[]} clicks
 */
export function narrow(moves, clicks) {
  const left = moves.filter(([, places]) => clicks.every((place, at) => places[at] === place));
  const complete = left.filter(([, places]) => places.length === clicks.length);
  const open = left.filter(([, places]) => places.length > clicks.length);
  return { left, complete, next: new Set(open.map(([, places]) => places[clicks.length])) };
}

/**
 * Return the clicks after one more: a place that continues them, or begins anew, or nothing.
 * @param {Choice[]} moves @param {number[]} clicks @param {number} place
 */
export function clicked(moves, clicks, place) {
  if (narrow(moves, clicks).next.has(place)) return [...clicks, place];
  const isSame = clicks.length === 1 && clicks[0] === place;
  return !isSame && narrow(moves, []).next.has(place) ? [place] : [];
}

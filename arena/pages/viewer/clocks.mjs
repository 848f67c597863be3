// What a match's clocks and values say after a step.

/**
 * @typedef {{bank: number, increment: number, moves: number}} Bank Microseconds; `moves` until it is added again, 0 for never.
 * @typedef {{times: (Bank | null)[], seat: (number | null)[], charged: number[], values: Record<string, number>}} Course
 */

/**
 * Return what the seat of each step has left of its bank after it, in microseconds; null without a bank. Each step is looked at
 * once, for a match may have many.
 * @param {Course} course @returns {(number | null)[]}
 */
export function leftsOf({ times, seat, charged }) {
  /** @type {Map<number | null, {left: number, moves: number}>} */
  const banks = new Map();
  return charged.map((us, at) => {
    const who = seat[at];
    const time = who === null ? null : times[who];
    if (!time) return null;
    const before = banks.get(who) ?? { left: time.bank, moves: 0 };
    const moves = before.moves + 1;
    const left = before.left - us + time.increment + (time.moves && moves % time.moves === 0 ? time.bank : 0);
    banks.set(who, { left, moves });
    return left;
  });
}

/** Return what a seat has left of its bank after a step, in microseconds; null without a bank. @param {Course} course @param {number} who @param {number} step */
export function leftOf(course, who, step) {
  const last = course.seat.lastIndexOf(who, step - 1);
  return step > 0 && last >= 0 ? leftsOf(course)[last] : (course.times[who]?.bank ?? null);
}

/** Return the last value up to a step, as seat 0 of two sees it; null without one. @param {Course} course @param {number} step */
export function valueFor({ values, seat }, step) {
  for (let at = step; at > 0; at--) {
    const value = values[String(at)];
    if (value !== undefined) return seat[at - 1] === 1 ? -value : value;
  }
  return null;
}

/** Write microseconds as a clock does. @param {number} us */
export function clockText(us) {
  const seconds = Math.floor(us / 1e6);
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  return hours ? `${hours}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}` : `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

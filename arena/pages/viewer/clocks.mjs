// What a match's clocks and values say after a step.

/**
 * @typedef {{bank: number, increment: number, moves: number}} Bank Microseconds; `moves` until it is added again, 0 for never.
 * @typedef {{time: Bank | null, seat: (number | null)[], charged: number[], values: Record<string, number>}} Course
 */

/** Return what a seat has left of its bank after a step, in microseconds; null without a bank. @param {Course} course @param {number} who @param {number} step */
export function leftOf({ time, seat, charged }, who, step) {
  if (!time) return null;
  const own = charged.slice(0, step).filter((_, index) => seat[index] === who);
  const banks = time.moves ? 1 + Math.floor(own.length / time.moves) : 1;
  return own.reduce((left, us) => left - us, banks * time.bank + own.length * time.increment);
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

/** Round ticks of axes. */

import { count } from "../core/format.js";

/** @typedef {{ at: number, label: string }} Tick */

/** Steps of time in seconds at which a clock is read. */
const CLOCK = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];

/**
 * The smallest of 1, 2, 5 times a power of ten that cuts a range into about `most` parts at most.
 * @param {number} range
 * @param {number} most
 */
export function roundStep(range, most) {
  const rough = range / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  for (const factor of [1, 2, 5]) if (factor * power >= rough * 0.85) return factor * power;
  return 10 * power;
}

/**
 * Ticks of plain numbers between two values.
 * @param {number} low
 * @param {number} high
 * @param {number} most
 * @returns {Tick[]}
 */
export function numberTicks(low, high, most) {
  if (!(high > low)) return [];
  const step = roundStep(high - low, most);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const large = Math.max(Math.abs(low), Math.abs(high));
  return multiples(low, high, step).map((at) => ({ at, label: label(at, digits, large, step) }));
}

/**
 * @param {number} at
 * @param {number} digits
 * @param {number} large
 * @param {number} step
 */
function label(at, digits, large, step) {
  if (at === 0) return "0";
  let text;
  if (large >= 10_000) {
    const [unit, prefix] = large >= 1e9 ? [1e9, "G"] : large >= 1e6 ? [1e6, "M"] : [1e3, "k"];
    const places = Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));
    text = `${(at / unit).toFixed(Math.min(places, 6))}\u202f${prefix}`;
  } else if (digits > 5) text = at.toExponential(1);
  else text = at.toFixed(digits);
  return text.replace("-", "−");
}

/**
 * Ticks of a count or of a time.
 * @param {import("../core/types.js").XKind} kind
 * @param {number} low
 * @param {number} high
 * @param {number} most
 * @returns {Tick[]}
 */
export function positionTicks(kind, low, high, most) {
  if (kind !== "time") return numberTicks(low, high, most);
  if (!(high > low)) return [];
  const rough = (high - low) / Math.max(1, most);
  const step = CLOCK.find((one) => one >= rough * 0.8) ?? Math.ceil(rough / 86_400) * 86_400;
  return multiples(low, high, step).map((at) => ({ at, label: clock(at, step) }));
}

/**
 * @param {number} at
 * @param {number} step
 */
function clock(at, step) {
  if (at === 0) return "0";
  if (step >= 86_400) return `${count(at / 86_400)}\u202fd`;
  const [hours, minutes, seconds] = [Math.floor(at / 3600), Math.floor((at % 3600) / 60), Math.round(at % 60)];
  if (step >= 3600) return `${hours}\u202fh`;
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  if (step >= 60) return hours ? `${hours}:${two(minutes)}\u202fh` : `${minutes}\u202fmin`;
  return hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/**
 * @param {number} low
 * @param {number} high
 * @param {number} step
 */
function multiples(low, high, step) {
  const found = [];
  const slack = step * 1e-6;
  for (let n = Math.ceil((low - slack) / step); n * step <= high + slack && found.length < 64; n += 1) {
    // Through the quotient, so that 3 × 0.1 is 0.3.
    found.push(Number((n * step).toPrecision(12)));
  }
  return found;
}

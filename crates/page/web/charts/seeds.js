/**
 * Runs that differ in their seed, as one line: the mean over the runs and its 95 % interval by Student's t.
 */

import { nearest } from "./figure.js";

/** Two-sided 97.5 % quantiles of Student's t, for 1 to 30 degrees of freedom. */
const STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145,
  2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042];

/** @param {number} freedom */
export function student(freedom) {
  return STUDENT[freedom - 1] ?? 1.96;
}

/**
 * Mean and interval end where a run is not known any more, or not yet: with fewer runs the mean jumps and Student's
 * t grows without bound. There a faint mean of the runs that are known goes on, without an interval.
 * @param {import("../core/types.js").Series[]} series
 * @returns {Pick<import("./figure.js").Line, "x" | "mean" | "low" | "high" | "partial" | "estimated" | "last" | "best">}
 */
export function overSeeds(series) {
  const full = series.filter((one) => one.x.length > 1);
  if (!full.length) return { x: [], mean: [], low: [], high: [], last: null, best: null };
  const firsts = full.map((one) => /** @type {number} */ (one.x[0]));
  const lasts = full.map((one) => /** @type {number} */ (one.x[one.x.length - 1]));
  const [begin, end] = [Math.min(...firsts), Math.max(...lasts)];
  const rows = Math.max(...full.map((one) => one.x.length));
  const grid = Array.from({ length: rows }, (_, row) => begin + ((end - begin) * row) / Math.max(1, rows - 1));
  // What all runs have, to its very ends.
  const shared = [Math.max(...firsts), Math.min(...lasts)];
  const xs = [...new Set([...grid, ...shared])].sort((a, b) => a - b);
  /** @type {{ x: number[], mean: (number | null)[], low: (number | null)[], high: (number | null)[] }} */
  const out = { x: xs, mean: [], low: [], high: [] };
  /** @type {(number | null)[]} */
  const partial = [];
  for (const x of xs) {
    const values = full.flatMap((one) => at(one, x) ?? []);
    const { mean, half } = interval(values);
    const whole = values.length === full.length;
    partial.push(whole ? null : mean);
    out.mean.push(whole ? mean : null);
    out.low.push(whole && mean !== null && half !== null ? mean - half : null);
    out.high.push(whole && mean !== null && half !== null ? mean + half : null);
  }
  // The faint line begins where the other ends.
  const joined = partial.map((value, row) => value
    ?? ((partial[row - 1] ?? partial[row + 1] ?? null) === null ? null : out.mean[row] ?? null));
  // Of the whole runs, whatever is zoomed to.
  const best = interval(full.flatMap((one) => one.best?.value ?? [])).mean;
  return {
    ...out, estimated: true, last: interval(full.flatMap((one) => one.last ?? [])).mean,
    best: best === null ? null : { x: null, value: best },
    ...(partial.some((value) => value !== null) ? { partial: joined } : {}),
  };
}

/**
 * Mean of values and half the width of its interval: one value bounds nothing.
 * @param {number[]} values
 * @returns {{ mean: number | null, half: number | null }}
 */
export function interval(values) {
  const n = values.length;
  if (!n) return { mean: null, half: null };
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n === 1) return { mean, half: null };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return { mean, half: student(n - 1) * Math.sqrt(variance / n) };
}

/**
 * A series at a position, between its rows by a straight line, nothing beyond its ends.
 * @param {import("../core/types.js").Series} series
 * @param {number} x
 */
function at(series, x) {
  const values = series.smooth ?? series.mean;
  const near = nearest(series.x, x);
  const here = /** @type {number} */ (series.x[near]);
  const other = x < here ? near - 1 : near + 1;
  const there = series.x[other];
  const value = values[near] ?? null;
  if (here === x || there === undefined) return Math.abs(here - x) <= Math.abs(x) * 1e-6 + 1e-9 ? value : null;
  const next = values[other] ?? null;
  if (value === null || next === null) return value;
  return value + ((next - value) * (x - here)) / (there - here);
}

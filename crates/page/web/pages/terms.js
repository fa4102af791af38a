/**
 * The reward as it is put together: weighted terms on each other, and a warning when the agent is paid ever
 * more for what was meant as help while it does worse in what counts.
 */

import { number, words } from "../core/format.js";

/** @typedef {import("../core/types.js").Series} Series */
/** @typedef {import("../core/types.js").TermAbout} TermAbout */

/** How sure a trend must be: the slope in units of its own deviation. */
const SURE = 3;
/** Rows below which no trend is looked for. */
const ENOUGH = 24;

/**
 * Lines of the stack: the mean of each term times the weight that it had then, or that of now where the server does
 * not weigh.
 * @param {{ term: TermAbout, series: Series | undefined }[]} terms
 * @returns {import("../charts/figure.js").Line[]}
 */
export function stackLines(terms) {
  const rows = terms.find((one) => one.series?.x.length)?.series?.x ?? [];
  return terms.flatMap(({ term, series }, index) => {
    const weighed = series !== undefined && series.metric === term.weighted;
    if (!series?.x.length || !(weighed || term.weight)) return [];
    const weight = weighed ? 1 : term.weight ?? 0;
    const weigh = (/** @type {(number | null)[]} */ values) =>
      rows.map((x, row) => {
        const own = series.x[row] === x ? row : series.x.indexOf(x);
        const value = values[own];
        return value === null || value === undefined ? null : value * weight;
      });
    const times = (/** @type {number | null | undefined} */ value) => (value === null || value === undefined ? null : value * weight);
    return [{
      key: term.name,
      label: `${words(term.name)} × ${number(term.weight)}`,
      color: index,
      x: rows,
      mean: weigh(series.mean),
      ...(series.smooth ? { smooth: weigh(series.smooth) } : {}),
      last: times(series.last),
      best: null,
    }];
  });
}

/**
 * The trend of a column: the slope of a straight line in units of its deviation.
 * @param {number[]} x
 * @param {number[]} y
 */
export function trend(x, y) {
  const n = x.length;
  if (n < 3) return 0;
  const [mx, my] = [x.reduce((a, b) => a + b, 0) / n, y.reduce((a, b) => a + b, 0) / n];
  let [sxx, sxy] = [0, 0];
  for (let i = 0; i < n; i += 1) {
    sxx += (/** @type {number} */ (x[i]) - mx) ** 2;
    sxy += (/** @type {number} */ (x[i]) - mx) * (/** @type {number} */ (y[i]) - my);
  }
  if (sxx === 0) return 0;
  const slope = sxy / sxx;
  let left = 0;
  for (let i = 0; i < n; i += 1) left += (/** @type {number} */ (y[i]) - my - slope * (/** @type {number} */ (x[i]) - mx)) ** 2;
  const deviation = Math.sqrt(left / (n - 2) / sxx);
  if (deviation === 0) return slope === 0 ? 0 : Math.sign(slope) * Infinity;
  return slope / deviation;
}

/**
 * Whether shaping rises while the outcome falls, over the last third of what is shown.
 * @param {{ term: TermAbout, series: Series | undefined }[]} terms
 * @param {{ low: number, high: number } | null} [window]
 * @returns {{ from: number, to: number } | null}
 */
export function misled(terms, window) {
  const sums = (/** @type {string} */ kind) => {
    const own = stackLines(terms.filter((one) => one.term.kind === kind));
    const sum = (/** @type {number} */ row) => own.reduce((all, line) => all + (line.mean[row] ?? 0), 0);
    const rows = (own[0]?.x ?? []).map((x, row) => ({ x, y: sum(row) })).filter(({ x }) => !window || (x >= window.low && x <= window.high));
    return { x: rows.map((row) => row.x), y: rows.map((row) => row.y) };
  };
  const [shaping, outcome] = [sums("shaping"), sums("outcome")];
  const tail = (/** @type {{ x: number[], y: number[] }} */ all) => {
    const from = Math.floor((all.x.length * 2) / 3);
    return { x: all.x.slice(from), y: all.y.slice(from) };
  };
  const [s, o] = [tail(shaping), tail(outcome)];
  if (s.x.length < ENOUGH || o.x.length < ENOUGH) return null;
  if (trend(s.x, s.y) < SURE || trend(o.x, o.y) > -SURE) return null;
  return { from: /** @type {number} */ (s.x[0]), to: /** @type {number} */ (s.x[s.x.length - 1]) };
}

/**
 * Series for the charts of a page. It asks only for metrics whose charts are visible, several in one
 * question, and afterwards only for what has come since.
 */

import { ask } from "../core/api.js";

/** @typedef {import("../core/types.js").Series} Series */
/** @typedef {{ cursor: string | number | null, stamp: string, series: Map<string, Series> }} Held */

/** Buckets of a curve: about one for each two pixels of a wide chart. */
const POINTS = 480;
/** How much more than the window is asked for on each side, as a share of it: curves reach the edges. */
const BEYOND = 0.5;

export class Feed {
  /**
   * @param {object} about
   * @param {() => string[]} about.runs
   * @param {import("./link.js").Link} about.link
   * @param {() => number} about.smooth half-life in rows, 0 for none
   * @param {(metric: string, series: Series[]) => void} about.arrived
   */
  constructor(about) {
    this.about = about;
    /** @type {Set<string>} */
    this.wanted = new Set();
    /** @type {Map<string, Held>} */
    this.held = new Map();
  }

  /**
   * @param {string} metric
   * @param {boolean} wanted
   */
  want(metric, wanted) {
    if (wanted) this.wanted.add(metric);
    else this.wanted.delete(metric);
  }

  /** What a question depends on: where it changes, everything is asked anew. */
  stamp() {
    const { link, runs, smooth } = this.about;
    return JSON.stringify([runs(), link.kind, link.window, smooth()]);
  }

  /**
   * Asks for what is wanted and not known.
   * @param {AbortSignal} signal
   */
  async turn(signal) {
    const stamp = this.stamp();
    const runs = this.about.runs();
    if (!runs.length) return;
    /** @type {Map<string, { since: string | number | null, metrics: string[] }>} */
    const questions = new Map();
    for (const metric of this.wanted) {
      const held = this.held.get(metric);
      const since = held && held.stamp === stamp ? held.cursor : null;
      const question = questions.get(String(since)) ?? { since, metrics: [] };
      question.metrics.push(metric);
      questions.set(String(since), question);
    }
    for (const { since, metrics } of questions.values()) await this.question(runs, metrics, since, stamp, signal);
  }

  /**
   * @param {string[]} runs
   * @param {string[]} metrics
   * @param {string | number | null} since
   * @param {string} stamp
   * @param {AbortSignal} signal
   */
  async question(runs, metrics, since, stamp, signal) {
    const { link, smooth } = this.about;
    const window = link.window;
    const room = window ? (window.high - window.low) * BEYOND : 0;
    const half = smooth() ? `${smooth()}rows` : null;
    const answer = /** @type {import("../core/types.js").SeriesAnswer} */ (await ask("series", {
      run: runs, metric: metrics, x: link.kind, from: window ? window.low - room : null, to: window ? window.high + room : null,
      points: window ? 2 * POINTS : POINTS, smooth: half, since,
    }, signal));
    if (window && since === null) await this.reach(runs, answer, window, half, signal);
    // Somebody has zoomed meanwhile: the answer is to a question that nobody asks any more.
    if (stamp !== this.stamp()) return;
    for (const metric of metrics) {
      const before = this.held.get(metric);
      const held = since !== null && before ? before : { cursor: null, stamp, series: new Map() };
      held.cursor = answer.cursor ?? null;
      held.stamp = stamp;
      const news = answer.series.filter((series) => series.metric === metric);
      for (const series of news) held.series.set(series.run, joined(held.series.get(series.run), series, !(series.reset ?? since === null)));
      // Increments are finer than what was thinned: now and then all is asked anew.
      if ([...held.series.values()].some((series) => series.x.length > 4 * POINTS)) held.cursor = null;
      this.held.set(metric, held);
      if (news.length || since === null) this.about.arrived(metric, this.get(metric));
    }
  }

  /**
   * A metric that is rarely written may have no line near the edges: the nearest ones beyond come from the whole.
   * @param {string[]} runs
   * @param {import("../core/types.js").SeriesAnswer} answer
   * @param {{ low: number, high: number }} window
   * @param {string | null} half
   * @param {AbortSignal} signal
   */
  async reach(runs, answer, window, half, signal) {
    const short = answer.series.filter(({ x }) => !x.length || /** @type {number} */ (x[0]) > window.low || /** @type {number} */ (x[x.length - 1]) < window.high);
    const metrics = [...new Set(short.map((series) => series.metric))];
    if (!metrics.length) return;
    const whole = /** @type {import("../core/types.js").SeriesAnswer} */ (await ask("series", {
      run: runs, metric: metrics, x: this.about.link.kind, points: POINTS, smooth: half,
    }, signal));
    for (const series of short) {
      const all = whole.series.find((one) => one.run === series.run && one.metric === series.metric);
      if (all) extend(series, all, window);
    }
  }

  /**
   * What is known of a metric, in the order of the runs.
   * @param {string} metric
   * @returns {Series[]}
   */
  get(metric) {
    const held = this.held.get(metric);
    return this.about.runs().flatMap((run) => held?.series.get(run) ?? []);
  }
}

/**
 * Puts the nearest points of the whole before and behind a part that does not reach the edges of a window.
 * @param {Series} part
 * @param {Series} all
 * @param {{ low: number, high: number }} window
 */
export function extend(part, all, window) {
  const first = part.x[0] ?? Infinity;
  const last = part.x[part.x.length - 1] ?? -Infinity;
  const before = first > window.low ? all.x.findLastIndex((x) => x <= window.low && x < first) : -1;
  const behind = last < window.high ? all.x.findIndex((x) => x >= window.high && x > last) : -1;
  for (const column of /** @type {("x" | "min" | "max" | "mean" | "smooth")[]} */ (["x", "min", "max", "mean", "smooth"])) {
    const [own, from] = [part[column], all[column]];
    if (!own || !from) continue;
    if (before >= 0) own.unshift(/** @type {number} */ (from[before]));
    if (behind >= 0) own.push(/** @type {number} */ (from[behind]));
  }
}

/**
 * A series with an increment: from where the increment begins, it replaces what was known.
 * @param {Series | undefined} before
 * @param {Series} after
 * @param {boolean} increment
 * @returns {Series}
 */
export function joined(before, after, increment) {
  const from = after.x[0];
  if (!increment || !before || from === undefined) return before && from === undefined && increment ? before : after;
  const keep = before.x.findIndex((x) => x >= from);
  const cut = keep < 0 ? before.x.length : keep;
  const join = (/** @type {(number | null)[] | undefined} */ a, /** @type {(number | null)[] | undefined} */ b) =>
    [...(a ?? []).slice(0, cut), ...(b ?? [])];
  return {
    ...after,
    x: [...before.x.slice(0, cut), ...after.x],
    min: join(before.min, after.min),
    max: join(before.max, after.max),
    mean: join(before.mean, after.mean),
    ...(after.smooth ? { smooth: join(before.smooth, after.smooth) } : {}),
  };
}

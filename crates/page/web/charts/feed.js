/**
 * Series for the charts of a page. It asks only for metrics whose charts are visible, several in one
 * question, and afterwards only for what has come since.
 */

import { ask } from "../core/api.js";

/** @typedef {import("../core/types.js").Series} Series */
/** @typedef {{ cursor: string | number | null, stamp: string, series: Map<string, Series> }} Held */

/** Buckets of a curve: about one for each two pixels of a wide chart. */
const POINTS = 480;

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
    const answer = /** @type {import("../core/types.js").SeriesAnswer} */ (await ask("series", {
      run: runs, metric: metrics, x: link.kind, from: link.window?.low, to: link.window?.high, points: POINTS,
      smooth: smooth() ? `${smooth()}rows` : null, since,
    }, signal));
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
      if ([...held.series.values()].some((series) => series.x.length > 2 * POINTS)) held.cursor = null;
      this.held.set(metric, held);
      if (news.length || since === null) this.about.arrived(metric, this.get(metric));
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

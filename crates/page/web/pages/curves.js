/** The curves of one run, in groups, with marks; the reward stacked. */

import { Chart } from "../charts/chart.js";
import { Feed } from "../charts/feed.js";
import { fill, h } from "../core/dom.js";
import { position } from "../core/format.js";
import { go, href } from "../core/route.js";
import { empty, notice } from "../core/states.js";
import { Axes } from "./axes.js";
import { grouped, keepsPool, metricOfTerm, metricTitle, moreIsBetter } from "./metrics.js";
import { misled, stackLines } from "./terms.js";

/** @typedef {import("../core/types.js").RunAnswer} RunAnswer */

export class Curves {
  /**
   * @param {RunAnswer} answer
   * @param {URLSearchParams} query
   * @param {AbortSignal} signal
   */
  constructor(answer, query, signal) {
    this.answer = answer;
    this.signal = signal;
    /** @type {Map<string, Chart>} */
    this.charts = new Map();
    /** @type {Chart | null} */
    this.stack = null;
    this.stackSeen = false;
    this.axes = new Axes(query, signal, () => void this.turn());
    this.feed = new Feed({
      runs: () => [answer.run.id],
      link: this.axes.link,
      smooth: () => this.axes.smooth,
      arrived: (metric) => this.arrived(metric),
    });
    this.warning = h("div");
    this.body = h("div");
    this.element = h("div", null, this.axes.element, this.warning, this.body);
    this.layout = "";
    this.arrange();
  }

  /** @param {RunAnswer} answer a newer one */
  about(answer) {
    this.answer = answer;
    this.arrange();
    for (const metric of this.charts.keys()) this.arrived(metric);
  }

  /** Asks for what is visible, once at a time. */
  async turn() {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    try {
      await this.feed.turn(this.signal);
    } catch (problem) {
      // Whoever left the page does not wait for it.
      if (!this.signal.aborted) throw problem;
    } finally {
      this.busy = false;
    }
    if (this.again) {
      this.again = false;
      await this.turn();
    }
  }

  busy = false;
  again = false;

  /** @returns {import("../charts/figure.js").FigureMark[]} */
  marks() {
    const kind = this.axes.link.kind;
    return this.answer.marks.flatMap((mark) => {
      const x = mark[kind];
      return x === null || x === undefined ? [] : [{ x, kind: mark.kind, label: mark.label, recording: mark.recording }];
    });
  }

  terms() {
    return this.answer.terms.flatMap((term) => {
      const metric = term.weighted ?? metricOfTerm(this.answer.metrics, term);
      return metric && (term.counts ?? term.weight) ? [{ term, metric }] : [];
    });
  }

  arrange() {
    const pooled = keepsPool(this.answer.config);
    const groups = grouped(this.answer.metrics.filter((metric) => pooled || metric.name !== "pool"));
    const terms = this.terms();
    const layout = JSON.stringify([groups, terms]);
    if (layout === this.layout) return;
    this.layout = layout;
    if (!groups.length) {
      fill(this.body, empty("No curves yet", "The first line of metrics.jsonl comes with the first iteration."));
      return;
    }
    const open = (/** @type {import("../charts/figure.js").FigureMark} */ mark) => {
      if (mark.recording) go(href("match", mark.recording));
    };
    const parts = groups.map((group) => h("section", null, h("h2", { class: "chart-group" }, group.title),
      h("div", { class: "charts" }, group.metrics.map((metric) => {
        let chart = this.charts.get(metric.name);
        if (!chart) {
          chart = new Chart({
            title: metricTitle(metric.name), link: this.axes.link, signal: this.signal, open, best: moreIsBetter(metric.name),
            ...(metric.unit && metric.unit !== metricTitle(metric.name) ? { note: metric.unit } : {}),
            seen: (visible) => this.see(metric.name, visible),
          });
          this.charts.set(metric.name, chart);
        }
        return chart.element;
      }))));
    if (terms.length) {
      this.stack ??= new Chart({
        title: "Reward, term by term", note: "mean sum per match × weight; the line is their sum", link: this.axes.link, signal: this.signal, wide: true,
        stacked: true, open,
        seen: (visible) => {
          this.stackSeen = visible;
          for (const { metric } of this.terms()) this.see(metric, visible);
        },
      });
      parts.splice(1, 0, h("section", null, h("h2", { class: "chart-group" }, "Reward"), h("div", { class: "charts" }, this.stack.element)));
    }
    fill(this.body, parts);
  }

  /**
   * @param {string} metric
   * @param {boolean} visible
   */
  see(metric, visible) {
    const chart = this.charts.get(metric);
    const stacked = this.stackSeen && this.terms().some((one) => one.metric === metric);
    this.feed.want(metric, visible || Boolean(chart?.visible) || stacked);
    if (visible && !this.feed.held.has(metric)) {
      clearTimeout(this.soon);
      this.soon = setTimeout(() => void this.turn(), 20);
    }
  }

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  soon;

  /** @param {string} metric */
  arrived(metric) {
    const [series] = this.feed.get(metric);
    const chart = this.charts.get(metric);
    if (series && chart) {
      const banded = series.min.some((value, row) => value !== series.max[row]);
      chart.show([{
        key: metric, label: metricTitle(metric), color: 0, x: series.x, mean: series.mean,
        ...(banded ? { low: series.min, high: series.max } : {}),
        ...(series.smooth ? { smooth: series.smooth } : {}),
        last: series.last, best: series.best,
      }], this.marks());
    } else if (chart && this.feed.held.has(metric)) chart.show([], this.marks());
    if (this.terms().some((one) => one.metric === metric)) this.reward();
  }

  reward() {
    const terms = this.terms().map(({ term, metric }) => ({ term, series: this.feed.get(metric)[0] }));
    this.stack?.show(stackLines(terms), this.marks());
    const { kind, window } = this.axes.link;
    // The server may have said so already, in the head of the page.
    const said = this.answer.run.warnings.some((warning) => warning.startsWith("shaping rises"));
    const found = said ? null : misled(terms, window);
    fill(this.warning, found && notice([
      h("strong", null, "Shaping rises while the outcome falls"),
      h("div", null, `From ${position(kind, found.from)} to ${position(kind, found.to)} the agent earns more for what was meant as help and less for what counts. `
        + "Lower the weights of shaping terms, or let them fade with a schedule."),
    ]));
  }
}

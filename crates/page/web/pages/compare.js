/** Several runs: the same metric of all of them in one chart, seeds together if wanted, and how they differ. */

import { Chart } from "../charts/chart.js";
import { Feed } from "../charts/feed.js";
import { colourOf } from "../charts/figure.js";
import { overSeeds } from "../charts/seeds.js";
import { ask, poll } from "../core/api.js";
import { fill, h, scroller } from "../core/dom.js";
import { setting } from "../core/format.js";
import { bind } from "../core/keys.js";
import { change, href } from "../core/route.js";
import { runs } from "../core/runs.js";
import { failed } from "../core/states.js";
import { colours, theme } from "../core/theme.js";
import { Axes } from "./axes.js";
import { grouped, keepsPool, metricTitle, moreIsBetter } from "./metrics.js";

/** @typedef {import("../core/types.js").Run} Run */
/** @typedef {import("../core/types.js").RunAnswer} RunAnswer */
/** @typedef {{ key: string, label: string, color: number, runs: string[] }} Strand */

/** More lines than this cannot be told apart, and would make the address too long. */
const MOST = 48;

/** @type {import("../main.js").Page} */
export async function comparePage(root, place, signal) {
  const state = {
    runs: (place.query.get("runs") ?? "").split(",").filter(Boolean).slice(0, MOST),
    metrics: place.query.getAll("m"),
    by: place.query.get("by") ?? "run",
  };
  /** @type {Map<string, RunAnswer>} */
  const answers = new Map();
  /** @type {Map<string, Chart>} */
  const charts = new Map();
  const axes = new Axes(place.query, signal, () => void turn());
  const feed = new Feed({ runs: () => state.runs, link: axes.link, smooth: () => axes.smooth, arrived: draw });

  const add = h("select", { "aria-label": "Add a run" });
  const by = h("select", { "aria-label": "Lines" },
    [["run", "one for each run"], ["group", "seeds together"], ["preset", "one for each preset"]].map(([value, text]) => h("option", { value }, text)));
  by.value = state.by;
  const picks = h("div", { class: "metric-picks", role: "group", "aria-label": "Metrics" });
  const legend = h("ul", { class: "legend" });
  const differences = h("div");
  const grid = h("div", { class: "charts" });
  const problems = h("div");
  axes.element.append(h("label", { class: "field" }, "Lines", by));

  async function load() {
    const missing = state.runs.filter((id) => !answers.has(id));
    await Promise.all(missing.map(async (id) => {
      try {
        answers.set(id, await ask(`runs/${encodeURIComponent(id)}`, {}, signal));
      } catch (problem) {
        if (signal.aborted) return;
        state.runs = state.runs.filter((one) => one !== id);
        problems.append(failed(problem));
      }
    }));
  }

  /** @returns {Strand[]} */
  function strands() {
    const known = state.runs.flatMap((id) => answers.get(id)?.run ?? []);
    if (state.by === "run") return known.map((run, color) => ({ key: run.id, label: run.name, color, runs: [run.id] }));
    /** @type {Map<string, string[]>} */
    const parts = new Map();
    for (const run of known) {
      const name = (state.by === "preset" ? run.preset : run.group) ?? run.name;
      parts.set(name, [...(parts.get(name) ?? []), run.id]);
    }
    return [...parts].map(([label, ids], color) => ({ key: label, label: ids.length > 1 ? `${label} (${ids.length})` : label, color, runs: ids }));
  }

  /** @param {string} metric */
  function draw(metric) {
    const found = new Map(feed.get(metric).map((series) => [series.run, series]));
    const lines = strands().flatMap((strand) => {
      const series = strand.runs.flatMap((id) => found.get(id) ?? []);
      const [only] = series;
      if (!only) return [];
      const { key, label, color } = strand;
      if (series.length > 1) return [{ key, label, color, ...overSeeds(series) }];
      // With many lines, bands of single runs hide more than they show.
      const banded = strands().length <= 4 && only.min.some((value, row) => value !== only.max[row]);
      return [{
        key, label, color, x: only.x, mean: only.mean, last: only.last, best: only.best,
        ...(banded ? { low: only.min, high: only.max } : {}),
        ...(only.smooth ? { smooth: only.smooth } : {}),
      }];
    });
    charts.get(metric)?.show(lines);
  }

  let busy = false;
  let again = false;
  async function turn() {
    again = busy;
    if (busy) return;
    busy = true;
    try {
      do {
        again = false;
        await feed.turn(signal);
      } while (again);
    } catch (problem) {
      // Whoever left the page does not wait for it.
      if (!signal.aborted) throw problem;
    } finally {
      busy = false;
    }
  }

  function metricsOfAll() {
    const shown = [...answers.values()].filter((one) => state.runs.includes(one.run.id));
    const all = new Map(shown.flatMap((one) => one.metrics.map((metric) => [metric.name, metric])));
    if (!shown.some((one) => keepsPool(one.config))) all.delete("pool");
    return grouped([...all.values()]).flatMap((group) => group.metrics);
  }

  function arrange() {
    const shown = shownMetrics();
    fill(picks, metricsOfAll().map((metric) => h("button", {
      "aria-pressed": String(shown.includes(metric.name)),
      onclick: () => {
        const now = shownMetrics();
        state.metrics = now.includes(metric.name) ? now.filter((one) => one !== metric.name) : [...now, metric.name];
        change({ m: state.metrics });
        arrange();
        void turn();
      },
    }, metricTitle(metric.name))));
    for (const name of [...charts.keys()]) {
      if (shown.includes(name)) continue;
      charts.delete(name);
      feed.want(name, false);
    }
    fill(grid, shown.map((name) => {
      let chart = charts.get(name);
      if (!chart) {
        chart = new Chart({ title: metricTitle(name), link: axes.link, signal, best: moreIsBetter(name), seen: (visible) => {
          feed.want(name, visible);
          if (visible && !feed.held.has(name)) setTimeout(() => void turn(), 20);
        } });
        charts.set(name, chart);
      }
      return chart.element;
    }));
    drawLegend();
  }

  function shownMetrics() {
    if (state.metrics.length) return state.metrics;
    const all = metricsOfAll().map((metric) => metric.name);
    return ["return_mean", "elo", "entropy", "approx_kl", "explained_variance", "time/steps_per_second"].filter((name) => all.includes(name));
  }

  function drawLegend() {
    const palette = colours();
    fill(legend, strands().map((strand) => {
      const swatch = h("span", { class: "swatch" });
      swatch.style.setProperty("--swatch", colourOf(palette, strand.color));
      const one = strand.runs.length === 1 ? strand.runs[0] : null;
      return h("li", null, swatch,
        h("span", { class: "what", title: strand.label }, one ? h("a", { href: href("run", one) }, strand.label) : strand.label),
        h("button", { class: "quiet small", "aria-label": `remove ${strand.label}`, onclick: () => {
          state.runs = state.runs.filter((id) => !strand.runs.includes(id));
          update();
        } }, "remove"));
    }));
    fill(differences, differenceTable(strands(), answers));
    const left = [...runs.all.values()].filter((run) => !state.runs.includes(run.id)).sort((a, b) => b.updated - a.updated);
    fill(add, h("option", { value: "" }, "Add a run…"), left.slice(0, 300).map((run) => h("option", { value: run.id }, run.name)));
  }

  function update() {
    // Runs that are not shown any more do not widen the axis.
    axes.link.whole = null;
    change({ runs: state.runs.join(",") });
    void load().then(() => {
      show();
      return turn();
    });
  }

  function show() {
    if (!state.runs.length) {
      fill(root, h("div", { class: "title" }, h("h1", null, "Compare")), problems,
        h("div", { class: "panel" }, h("div", { class: "empty" }, h("h2", null, "Nothing to compare yet"),
          h("p", null, "Choose runs in the table of ", h("a", { href: href("runs") }, "runs"), ", or add one here."), h("p", null, add))));
      drawLegend();
      return;
    }
    fill(root, h("div", { class: "title" }, h("h1", null, "Compare"), h("span", { class: "muted" }, `${state.runs.length} runs`)), problems, axes.element,
      h("div", { class: "columns" },
        h("div", null, h("details", { class: "toolbar" }, h("summary", null, "Metrics"), picks), h("h2", { class: "hidden-text" }, "Curves"), grid),
        h("aside", { class: "beside", "aria-label": "Runs and differences" },
          h("section", { class: "panel" }, h("header", null, h("h2", null, "Runs")), h("div", { class: "body" }, legend, add)),
          h("section", { class: "panel" }, h("header", null, h("h2", null, "Configuration differences")), differences))));
    arrange();
    for (const metric of feed.held.keys()) draw(metric);
  }

  add.addEventListener("change", () => {
    if (!add.value) return;
    state.runs = [...state.runs, add.value].slice(0, MOST);
    update();
  });
  by.addEventListener("change", () => {
    state.by = by.value;
    change({ by: state.by === "run" ? null : state.by });
    drawLegend();
    for (const metric of feed.held.keys()) draw(metric);
  });

  bind("Compare", [
    { keys: "s", about: "seeds together, or one line for each run", run: () => {
      by.value = state.by === "group" ? "run" : "group";
      by.dispatchEvent(new Event("change"));
    } },
    ...axes.bindings(),
  ], signal);

  await load();
  if (signal.aborted) return;
  show();
  theme.addEventListener("change", drawLegend, { signal });
  runs.follow(signal);
  runs.addEventListener("change", () => {
    if (document.activeElement !== add) drawLegend();
  }, { signal });
  poll(1500, signal, turn);
}

/**
 * The keys in which the runs differ.
 * @param {Strand[]} strands
 * @param {Map<string, RunAnswer>} answers
 */
function differenceTable(strands, answers) {
  const configs = strands.map((strand) => strand.runs.map((id) => answers.get(id)?.config ?? {}));
  if (strands.length < 2) return h("div", { class: "body muted" }, "Two runs are needed for a difference.");
  const keys = new Set(configs.flat().flatMap((config) => Object.keys(config)));
  const values = (/** @type {Record<string, unknown>[]} */ own, /** @type {string} */ key) =>
    [...new Set(own.map((config) => (key in config ? setting(config[key]) : "absent")))].join(", ");
  const differing = [...keys].filter((key) => new Set(configs.map((own) => values(own, key))).size > 1).sort();
  if (!differing.length) return h("div", { class: "body muted" }, "Their configurations are the same.");
  const palette = colours();
  return scroller("Configuration differences", h("table", { class: "differences" },
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "Key"), strands.map((strand) => {
      const swatch = h("span", { class: "swatch" });
      swatch.style.setProperty("--swatch", colourOf(palette, strand.color));
      return h("th", { scope: "col", title: strand.label }, swatch, h("span", { class: "hidden-text" }, strand.label));
    }))),
    h("tbody", null, differing.map((key) => h("tr", null, h("th", { scope: "row" }, h("code", null, key)), configs.map((own) => h("td", null, values(own, key))))))));
}

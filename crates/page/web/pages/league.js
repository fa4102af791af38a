/** The league of a run: ratings over time, the pool and how often it is met, exploiters, who beats whom. */

import { Chart } from "../charts/chart.js";
import { Link } from "../charts/link.js";
import { ask, poll } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { count, number, percent, setting, words } from "../core/format.js";
import { bind } from "../core/keys.js";
import { change, go, href } from "../core/route.js";
import { runs } from "../core/runs.js";
import { empty, loading } from "../core/states.js";
import { theme } from "../core/theme.js";
import { heatMap } from "./heat.js";

/** @typedef {import("../core/types.js").LeagueAnswer} LeagueAnswer */
/** @typedef {import("../core/types.js").PoolMember} PoolMember */

/** Lines of a chart that are told apart: the agent and the best of the others. */
const MOST_LINES = 8;

/** @type {import("../main.js").Page} */
export async function leaguePage(root, place, signal) {
  const { id } = place;
  fill(root, loading("Reading the league…"));
  const [from, to] = [Number(place.query.get("from") ?? NaN), Number(place.query.get("to") ?? NaN)];
  const link = new Link("steps", from < to ? { low: from, high: to } : null);
  link.addEventListener("window", () => change({ from: link.window?.low, to: link.window?.high }), { signal });
  const chart = new Chart({ title: "Ratings", note: "Elo with its 95 % interval", link, signal, wide: true });
  let answer = /** @type {LeagueAnswer} */ (await ask(`league/${encodeURIComponent(id)}`, {}, signal));
  let text = "";
  const body = h("div");
  const name = () => runs.all.get(id)?.name ?? id;
  const title = h("h1", null, "League");
  const of = h("a", { href: href("run", id) }, name());
  fill(root, h("div", { class: "title" }, title, h("span", { class: "muted" }, "of "), of), body);
  document.title = `League of ${name()} · Lanista`;

  function draw() {
    of.textContent = name();
    const now = JSON.stringify(answer);
    if (now === text) return;
    text = now;
    if (!answer.ratings.length && !answer.pool.length && !answer.crossplay) {
      fill(body, h("div", { class: "panel" }, empty("No league", "This run rates nobody and keeps no pool of past opponents. A preset with a key `league` does.")));
      return;
    }
    chart.show(answer.ratings.slice(0, MOST_LINES).map((rated, color) => {
      const points = rated.points;
      const bounded = points.some((point) => Number.isFinite(point.low) && Number.isFinite(point.high));
      let best = null;
      for (const point of points) if (!best || point.elo > best.value) best = { x: point.steps, value: point.elo };
      return {
        key: rated.name, label: rated.name, color, x: points.map((point) => point.steps), mean: points.map((point) => point.elo),
        ...(bounded ? { low: points.map((point) => point.low ?? null), high: points.map((point) => point.high ?? null) } : {}),
        last: points[points.length - 1]?.elo ?? null, best,
      };
    }));
    fill(body,
      answer.ratings.length ? h("section", { class: "charts" }, h("h2", { class: "hidden-text" }, "Over time"), chart.element) : null,
      h("div", { class: "league-grid" },
        crossplay(answer),
        h("div", null, pool(answer), exploiters(answer))));
  }

  bind("League", [
    { keys: "b", about: "back to the run", run: () => go(href("run", id)) },
    { keys: "+, =", about: "zooms in", run: () => link.scale(0.7) },
    { keys: "-", about: "zooms out", run: () => link.scale(1 / 0.7) },
    { keys: "0", about: "shows all", run: () => link.zoom(null) },
  ], signal);
  draw();
  theme.addEventListener("change", () => {
    text = "";
    draw();
  }, { signal });
  runs.follow(signal);
  runs.addEventListener("change", () => (of.textContent = name()), { signal });
  poll(3000, signal, async () => {
    answer = await ask(`league/${encodeURIComponent(id)}`, {}, signal);
    draw();
  });
}

/** @param {LeagueAnswer} answer */
function crossplay(answer) {
  const table = answer.crossplay;
  return h("section", { class: "panel" },
    h("header", null, h("h2", null, "Who beats whom"),
      h("div", { class: "scale", "aria-hidden": "true" }, "lost", h("i"), "won")),
    table && table.names.length
      ? h("div", { class: "body scroll", tabindex: "0", role: "region", "aria-label": "Cross-play" }, heatMap(table),
        h("p", { class: "muted small" }, "Share that the row won against the column, and the matches. A cell opens a match of those two."))
      : empty("No cross-play yet", "Let the members of the pool play each other; the results are kept with the run.", "lanista league RUN --crossplay"));
}

/** @param {LeagueAnswer} answer */
function pool(answer) {
  const members = answer.pool;
  const most = Math.max(1e-9, ...members.map((member) => member.share ?? 0));
  return h("section", { class: "panel" },
    h("header", null, h("h2", null, "Pool"), h("span", { class: "muted" }, `${members.length}`),
      answer.sampler ? h("span", { class: "chip", title: "How opponents are drawn" }, `sampler ${sampler(answer.sampler)}`) : null),
    members.length
      ? h("div", { class: "scroll" }, h("table", null,
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Member"), h("th", { scope: "col", class: "number" }, "Steps"),
          h("th", { scope: "col", class: "number" }, "Elo"), h("th", { scope: "col", class: "number" }, "Matches"), h("th", { scope: "col" }, "Share of matches"))),
        h("tbody", null, members.map((member) => row(member, most)))))
      : empty("The pool is empty", "Snapshots join it as the run goes on."));
}

/**
 * @param {PoolMember} member
 * @param {number} most
 */
function row(member, most) {
  const bar = h("i");
  bar.style.width = `${(100 * (member.share ?? 0)) / most}%`;
  return h("tr", null,
    h("td", null, member.name, member.origin && member.origin !== member.name ? h("span", { class: "muted small" }, ` ${member.origin}`) : null),
    h("td", { class: "number" }, count(member.steps)),
    h("td", { class: "number" }, member.elo === null ? "–" : String(Math.round(member.elo))),
    h("td", { class: "number" }, count(member.games)),
    h("td", null, h("div", { class: "share" }, h("div", { class: "bar" }, bar), h("span", { class: "number" }, percent(member.share)))));
}

/** @param {unknown} value */
function sampler(value) {
  if (typeof value === "string") return words(value);
  if (value && typeof value === "object") {
    return Object.entries(value).map(([name, options]) => `${words(name)}${options && typeof options === "object"
      ? ` (${Object.entries(options).map(([key, one]) => `${key} ${setting(one)}`).join(", ")})` : ""}`).join(", ");
  }
  return String(value);
}

/** @param {LeagueAnswer} answer */
function exploiters(answer) {
  if (!answer.exploiters.length) return null;
  const keys = [...new Set(answer.exploiters.flatMap((one) => Object.keys(one)))];
  const shown = (/** @type {unknown} */ value) => (typeof value === "number" ? number(value) : setting(value));
  return h("section", { class: "panel spaced" }, h("header", null, h("h2", null, "Exploiters")),
    h("div", { class: "scroll" }, h("table", null,
      h("thead", null, h("tr", null, keys.map((key) => h("th", { scope: "col" }, words(key))))),
      h("tbody", null, answer.exploiters.map((one) => h("tr", null, keys.map((key) => h("td", null, shown(one[key])))))))));
}

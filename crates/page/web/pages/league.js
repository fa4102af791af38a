/** The league of a run: ratings over time, the pool and how often it is met, exploiters, who beats whom. */

import { Chart } from "../charts/chart.js";
import { Link } from "../charts/link.js";
import { ask, poll } from "../core/api.js";
import { fill, h, scroller } from "../core/dom.js";
import { count, percent, setting, words } from "../core/format.js";
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
/** The rating of whom nobody has met. */
const STRANGER = 1500;

/** @type {import("../main.js").Page} */
export async function leaguePage(root, place, signal) {
  const { id } = place;
  fill(root, loading("Reading the league…"));
  const [from, to] = [Number(place.query.get("from") ?? NaN), Number(place.query.get("to") ?? NaN)];
  const link = new Link("steps", from < to ? { low: from, high: to } : null);
  link.addEventListener("window", () => change({ from: link.window?.low, to: link.window?.high }), { signal });
  const chart = new Chart({ title: "Ratings", note: "Elo; the band is what the matches of each period alone say, with 95 %", link, signal, wide: true, best: true });
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
    const rated = answer.ratings.map(untilItLeft).filter((one) => one.points.length);
    if (!rated.length && !answer.pool.length && !answer.crossplay && !answer.exploiters.length) {
      fill(body, h("div", { class: "panel" }, empty("No league", "This run rates nobody and keeps no pool of past opponents. One whose preset has `opponents` does: bots, or `past` for what it was before.")));
      return;
    }
    chart.show(rated.slice(0, MOST_LINES).map(({ name: who, points }, color) => {
      const bounded = points.some((point) => Number.isFinite(point.low) && Number.isFinite(point.high));
      let best = null;
      for (const point of points) if (!best || point.elo > best.value) best = { x: point.steps, value: point.elo };
      return {
        key: who, label: who, color, x: points.map((point) => point.steps), mean: points.map((point) => point.elo),
        ...(bounded ? { estimated: true, low: points.map((point) => point.low ?? null), high: points.map((point) => point.high ?? null) } : {}),
        last: points[points.length - 1]?.elo ?? null, best,
      };
    }));
    fill(body,
      rated.length ? h("section", { class: "charts" }, h("h2", { class: "hidden-text" }, "Over time"), chart.element) : null,
      h("div", { class: "league-grid" },
        crossplay(answer),
        h("div", null, opponents(answer), pool(answer), exploiters(answer))));
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
        h("p", { class: "muted small" }, "Share that the row won against the column, and the matches. A cell opens a match of those two. Elo is that of these matches alone, with 95 %."))
      : empty("No cross-play yet", "Let the members of the pool play each other; the results are kept with the run.", "lanista league RUN --crossplay"));
}

/**
 * Who is met how often, and how good those are that are not in the pool.
 * @param {LeagueAnswer} answer
 */
function opponents(answer) {
  const shares = Object.entries(answer.opponents ?? {}).filter(([, share]) => typeof share === "number");
  const met = new Map(shares.map(([name, share]) => [name, { share, elo: answer.others?.[name] ?? null }]));
  for (const [name, elo] of Object.entries(answer.others ?? {})) if (!met.has(name)) met.set(name, { share: 0, elo });
  if (!met.size) return null;
  const rest = 1 - shares.reduce((sum, [, share]) => sum + share, 0);
  if (rest > 1e-9) met.set("itself", { share: rest, elo: null });
  return h("section", { class: "panel" },
    h("header", null, h("h2", null, "Opponents"), h("span", { class: "muted" }, "shares by the configuration; a stage may change them")),
    scroller("Opponents", h("table", null,
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Opponent"), h("th", { scope: "col", class: "number" }, "Elo"), h("th", { scope: "col" }, "Share of matches"))),
      h("tbody", null, [...met].map(([name, { share, elo }]) => h("tr", null,
        h("td", null, name === "past" ? "past: one of the pool" : name),
        h("td", { class: "number" }, elo === null ? "–" : String(Math.round(elo))),
        h("td", null, shareBar(share, 1))))))));
}

/** @param {LeagueAnswer} answer */
function pool(answer) {
  const members = answer.pool;
  const most = Math.max(1e-9, ...members.map((member) => member.share ?? 0));
  // Only one sampler keeps it.
  const valued = members.some((member) => member.quality);
  const head = (/** @type {string} */ text, /** @type {string} */ title = "") =>
    h("th", { scope: "col", class: "number", title: title || null }, text);
  return h("section", { class: answer.opponents || answer.others ? "panel spaced" : "panel" },
    h("header", null, h("h2", null, "Pool"), h("span", { class: "muted" }, `${members.length}`),
      answer.sampler ? h("span", { class: "chip", title: "How opponents are drawn" }, `sampler ${sampler(answer.sampler)}`) : null),
    members.length
      ? scroller("Pool", h("table", null,
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Member"), head("Steps"), head("Elo"), head("Matches", "of the learner against it"),
          head("Scored", "what the learner scored against it of late, draws half"),
          valued ? head("Quality", "how much the learner may still learn from it: the sampler prefers the greater") : null,
          h("th", { scope: "col" }, "Drawn"))),
        h("tbody", null, members.map((member) => row(member, most, valued)))))
      : empty("The pool is empty", "Snapshots join it as the run goes on."));
}

/**
 * @param {PoolMember} member
 * @param {number} most
 * @param {boolean} valued
 */
function row(member, most, valued) {
  const origin = member.origin && member.origin !== "main" && member.origin !== member.name ? words(member.origin) : null;
  return h("tr", null,
    h("td", null, member.name, origin && h("span", { class: "muted small" }, ` ${origin}`),
      member.usable === false ? h("span", { class: "chip", title: "Its file cannot be played any more" }, "unusable") : null),
    h("td", { class: "number" }, count(member.steps)),
    h("td", { class: "number" }, member.elo === null ? "–" : String(Math.round(member.elo))),
    h("td", { class: "number" }, count(member.games)),
    h("td", { class: "number" }, member.games ? percent(member.score) : "–"),
    valued ? h("td", { class: "number" }, (member.quality ?? 0).toFixed(2).replace("-", "−")) : null,
    h("td", null, shareBar(member.share, most)));
}

/**
 * @param {number | null} share
 * @param {number} most the share of a full bar
 */
function shareBar(share, most) {
  const bar = h("i");
  bar.style.width = `${(100 * (share ?? 0)) / most}%`;
  return h("div", { class: "share" }, h("div", { class: "bar" }, bar), h("span", { class: "number" }, percent(share)));
}

/**
 * A line ends where its member left: whoever is not in the pool any more is written with the rating of a stranger.
 * @param {LeagueAnswer["ratings"][number]} rated
 * @param {number} index
 */
function untilItLeft({ name, points }, index) {
  let end = points.length;
  if (index > 0) while (end > 1 && points[end - 1]?.elo === STRANGER) end -= 1;
  return { name, points: points.slice(0, end) };
}

/** @param {unknown} value */
function sampler(value) {
  if (typeof value === "string") return words(value);
  if (value && typeof value === "object") {
    return Object.entries(value).map(([name, options]) => `${words(name)}${options && typeof options === "object"
      ? ` (${Object.entries(options).map(([key, one]) => `${words(key)} ${setting(one)}`).join(", ")})` : ""}`).join(", ");
  }
  return String(value);
}

/** @param {LeagueAnswer} answer */
function exploiters(answer) {
  if (!answer.exploiters.length) return null;
  const head = (/** @type {string} */ text, /** @type {string} */ title) => h("th", { scope: "col", class: "number", title }, text);
  return h("section", { class: "panel spaced" }, h("header", null, h("h2", null, "Exploiters")),
    scroller("Exploiters", h("table", null,
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Exploiter"), h("th", { scope: "col" }, "Trained against"),
        head("Snapshots", "that it has given to the pool"), head("Rollouts", "of its present life, and how many a life has at most"),
        head("Wins", "share of its latest matches"))),
      h("tbody", null, answer.exploiters.map((one) => h("tr", null,
        h("td", null, words(one.name)), h("td", null, words(one.against)),
        h("td", { class: "number" }, count(one.snapshots)),
        h("td", { class: "number" }, `${count(one.rollouts)} of ${count(one.of)}`),
        h("td", { class: "number" }, percent(one.won))))))));
}

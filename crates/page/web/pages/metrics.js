/** Which metrics stand where, and what they are called. */

import { words } from "../core/format.js";

/** @typedef {import("../core/types.js").MetricAbout} MetricAbout */

/** Metrics that say by themselves where a run stands, in the order of the page. */
const GROUPS = [
  { title: "Progress", names: ["return_mean", "length_mean", "elo", "evaluation/return_mean", "evaluation/results/won", "evaluation/length_mean", "pool"] },
  { title: "Policy", names: ["entropy", "approx_kl", "anchor_kl", "clip_fraction", "policy_loss", "novelty"] },
  { title: "Values", names: ["value_loss", "explained_variance"] },
  { title: "Optimiser", names: ["learning_rate", "grad_norm", "epochs", "dropped_updates", "samples"] },
  { title: "Speed", names: ["time/steps_per_second", "time/rollout_seconds", "time/update_seconds", "lost_matches"] },
];

/** @type {Record<string, string>} */
const TITLES = {
  return_mean: "Return", length_mean: "Length of a match", elo: "Elo", approx_kl: "KL divergence", entropy: "Entropy",
  "time/steps_per_second": "Steps a second", "time/rollout_seconds": "Seconds of a rollout", "time/update_seconds": "Seconds of an update", explained_variance: "Explained variance", "evaluation/return_mean": "Return in evaluations",
  "evaluation/results/won": "Won in evaluations", "evaluation/length_mean": "Length in evaluations", anchor_kl: "KL from the anchor",
};

/** Axes rather than curves. */
const HIDDEN = new Set(["iteration", "steps", "seconds", "episodes", "time", "time/seconds", "evaluation/episodes", "evaluation/matches"]);

/** Metrics of which more is better. Of others, such as a loss or an entropy, the greatest is not the best. */
const MORE_IS_BETTER = /(^|\/)(return_mean|elo|won|explained_variance|steps_per_second)$/;

/** @param {string} name */
export function moreIsBetter(name) {
  return MORE_IS_BETTER.test(name);
}

/**
 * Whether a run may ever have a pool: without one, its size is no curve.
 * @param {Record<string, unknown>} config
 */
export function keepsPool(config) {
  const exploits = Array.isArray(config["exploiters"]) && config["exploiters"].length > 0;
  return exploits || ["opponents", "curriculum", "roles"].some((part) =>
    Object.entries(config).some(([key, value]) => (key === part || key.startsWith(`${part}.`)) && /\bpast\b/.test(key + JSON.stringify(value))));
}

/** @param {string} name */
export function metricTitle(name) {
  const known = TITLES[name];
  if (known) return known;
  const text = words(name.replaceAll("/", " · "));
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Metrics in groups: those that are known by name first, the rest by the first part of their name.
 * @param {MetricAbout[]} metrics
 * @returns {{ title: string, metrics: MetricAbout[] }[]}
 */
export function grouped(metrics) {
  const left = new Map(metrics.filter((one) => !HIDDEN.has(one.name)).map((one) => [one.name, one]));
  const out = GROUPS.map(({ title, names }) => {
    const found = names.flatMap((name) => left.get(name) ?? []);
    for (const one of found) left.delete(one.name);
    return { title, metrics: found };
  });
  /** @type {Map<string, MetricAbout[]>} */
  const rest = new Map();
  for (const one of left.values()) {
    const cut = one.name.indexOf("/");
    const title = cut > 0 ? metricTitle(one.name.slice(0, cut)) : "More";
    rest.set(title, [...(rest.get(title) ?? []), one]);
  }
  for (const [title, found] of rest) out.push({ title, metrics: found });
  return out.filter((group) => group.metrics.length);
}

/**
 * The metric of a reward term.
 * @param {MetricAbout[]} metrics
 * @param {import("../core/types.js").TermAbout} term
 */
export function metricOfTerm(metrics, term) {
  if (term.metric) return term.metric;
  const candidates = [`terms/${term.name}`, `terms.${term.name}`, `term/${term.name}`];
  return metrics.find((one) => candidates.includes(one.name))?.name
    ?? metrics.find((one) => one.kind === "term" && one.name.endsWith(term.name))?.name ?? null;
}

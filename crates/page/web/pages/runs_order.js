/** Which runs are shown, in which order and groups: plain functions of what was set. */

import { interval } from "../charts/seeds.js";
import { number, setting } from "../core/format.js";

/** @typedef {import("../core/types.js").Run} Run */

/** @type {{ id: string, title: string, number?: boolean, words?: boolean, of: (run: Run) => string | number | null | undefined }[]} */
export const COLUMNS = [
  { id: "name", title: "Run", words: true, of: (run) => run.name },
  { id: "updated", title: "State", of: (run) => (run.state === "running" ? 4e9 : 0) + run.updated },
  { id: "preset", title: "Preset", words: true, of: (run) => run.preset ?? run.game },
  { id: "progress", title: "Progress", of: (run) => (run.total_steps ? (run.steps ?? 0) / run.total_steps : 0) },
  { id: "return", title: "Return", of: (run) => run.return?.last },
  { id: "elo", title: "Elo", number: true, of: (run) => run.elo?.value },
  { id: "speed", title: "Speed", number: true, of: (run) => run.steps_per_second },
];

/**
 * Keys by which runs differ, most telling first.
 * @param {Run[]} all
 */
export function groupKeys(all) {
  /** @type {Map<string, Set<string>>} */
  const values = new Map();
  for (const run of all) {
    for (const [key, value] of Object.entries(run.changed ?? {})) {
      const set = values.get(key) ?? new Set();
      set.add(JSON.stringify(value));
      values.set(key, set);
    }
  }
  return [...values.keys()].filter((key) => key !== "seed").sort();
}

/**
 * Whether a run has all words of a filter; `key=value` looks at what was changed.
 * @param {Run} run
 * @param {string} filter
 */
export function fits(run, filter) {
  const changed = Object.entries(run.changed ?? {}).map(([key, value]) => `${key}=${setting(value)}`);
  const text = [run.name, run.preset, run.game, run.state, run.stage, `seed=${run.seed}`, ...changed].join(" ").toLowerCase();
  return filter.toLowerCase().split(/\s+/).filter(Boolean).every((word) => text.includes(word));
}

/**
 * @param {Run} run
 * @param {string} by
 */
function groupOf(run, by) {
  if (by === "preset") return run.preset ?? "no preset";
  if (by === "game") return run.game ?? "unknown game";
  if (by === "group") return run.group ?? run.name;
  const key = by.replace(/^key:/, "");
  const value = run.changed?.[key];
  return value === undefined ? `${key} as in the preset` : `${key} = ${setting(value)}`;
}

/**
 * @param {Run[]} all
 * @param {{ q: string, sort: string, group: string }} state
 * @returns {{ shown: number, groups: { title: string | null, summary: string, runs: Run[] }[] }}
 */
export function arrange(all, state) {
  const met = all.filter((run) => fits(run, state.q));
  const column = COLUMNS.find((one) => one.id === state.sort.replace("-", "")) ?? COLUMNS[1];
  const sign = state.sort.startsWith("-") ? 1 : -1;
  met.sort((a, b) => {
    const [x, y] = [column?.of(a) ?? null, column?.of(b) ?? null];
    // What is unknown stands last in either order.
    if (x === null || y === null) return x === y ? compareNames(a, b) : x === null ? 1 : -1;
    if (typeof x === "string" || typeof y === "string") return -sign * (String(x) < String(y) ? -1 : x === y ? 0 : 1) || compareNames(a, b);
    return sign * (x - y) || compareNames(a, b);
  });
  if (!state.group) return { shown: met.length, groups: [{ title: null, summary: "", runs: met }] };
  /** @type {Map<string, Run[]>} */
  const groups = new Map();
  for (const run of met) {
    const name = groupOf(run, state.group);
    groups.set(name, [...(groups.get(name) ?? []), run]);
  }
  return { shown: met.length, groups: [...groups].map(([title, runs]) => ({ title, summary: summary(runs), runs })) };
}

/**
 * @param {Run} a
 * @param {Run} b
 */
function compareNames(a, b) {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** @param {Run[]} runs */
function summary(runs) {
  const { mean, half } = interval(runs.flatMap((run) => run.return?.last ?? []));
  const several = runs.length === 1 ? "1 run" : `${runs.length} runs`;
  if (mean === null) return several;
  return `${several}, return ${number(mean)}${half ? ` ± ${number(half)}` : ""}`;
}

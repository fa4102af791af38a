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

/** @typedef {Map<string, Map<string, unknown>>} Values of keys of the configuration: key, run, value */

/** What a filter may name beside the keys of the configuration. @type {Record<string, (run: Run) => string | number | null>} */
const FIELDS = {
  name: (run) => run.name,
  preset: (run) => run.preset,
  game: (run) => run.game,
  state: (run) => run.state,
  stage: (run) => run.stage,
  seed: (run) => run.seed,
  group: (run) => run.group,
};

/**
 * Words of a filter: `key=value`, where quotes keep spaces together, or anything else.
 * @param {string} filter
 */
function wordsOf(filter) {
  return (filter.toLowerCase().match(/[^\s"=]+="[^"]*"?|\S+/g) ?? []).map((word) => {
    const cut = word.indexOf("=");
    return cut > 0 && cut < word.length - 1 ? { word, key: word.slice(0, cut), value: word.slice(cut + 1).replaceAll('"', "") } : { word, key: null, value: "" };
  });
}

/**
 * Keys of the configuration that a filter and a grouping ask for.
 * @param {string} filter
 * @param {string} group
 */
export function askedKeys(filter, group) {
  const keys = wordsOf(filter).flatMap(({ key }) => (key !== null && !Object.hasOwn(FIELDS, key) ? [key] : []));
  return group.startsWith("key:") ? [...keys, group.slice(4)] : keys;
}

/**
 * The value of a key in a run's configuration: by its whole name, or by the end of one that was changed.
 * @param {Run} run
 * @param {string} key
 * @param {Values} values
 */
function valueOf(run, key, values) {
  const known = values.get(key)?.get(run.id);
  if (known !== undefined) return known;
  const found = Object.entries(run.changed ?? {}).find(([name]) => name.toLowerCase() === key || name.toLowerCase().endsWith(`.${key}`));
  return found?.[1];
}

/**
 * Whether a run has all words of a filter: `key=value` means exactly that, a word is a part of anything that the
 * table shows.
 * @param {Run} run
 * @param {string} filter
 * @param {Values} [values]
 */
export function fits(run, filter, values = new Map()) {
  const changed = Object.entries(run.changed ?? {}).map(([key, value]) => `${key}=${setting(value)}`);
  const text = [run.name, run.preset, run.game, run.state, run.stage, ...changed].join(" ").toLowerCase();
  return wordsOf(filter).every(({ word, key, value }) => {
    if (key === null) return text.includes(word);
    const own = Object.hasOwn(FIELDS, key) ? FIELDS[key]?.(run) : valueOf(run, key, values);
    return own !== undefined && equals(own, value);
  });
}

/**
 * @param {unknown} own
 * @param {string} wanted in small letters
 */
function equals(own, wanted) {
  if (typeof own === "number") return own === Number(wanted);
  if (own === null) return wanted === "none" || wanted === "null";
  return (typeof own === "string" ? own : JSON.stringify(own)).toLowerCase() === wanted;
}

/**
 * @param {Run} run
 * @param {string} by
 * @param {Values} values
 */
function groupOf(run, by, values) {
  if (by === "preset") return run.preset ?? "no preset";
  if (by === "game") return run.game ?? "unknown game";
  if (by === "group") return run.group ?? run.name;
  const key = by.replace(/^key:/, "");
  const value = values.get(key)?.get(run.id) ?? run.changed?.[key];
  if (value !== undefined) return `${key} = ${setting(value)}`;
  return values.has(key) ? `without ${key}` : `${key} as in the preset`;
}

/**
 * @param {Run[]} all
 * @param {{ q: string, sort: string, group: string }} state
 * @param {Values} [values]
 * @returns {{ shown: number, groups: { title: string | null, summary: string, runs: Run[] }[] }}
 */
export function arrange(all, state, values = new Map()) {
  const met = all.filter((run) => fits(run, state.q, values));
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
    const name = groupOf(run, state.group, values);
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

/**
 * What was changed, ready to be read: the ends of a schedule are one change.
 * @param {Record<string, unknown>} changed
 * @returns {{ key: string, text: string, title: string }[]}
 */
export function changes(changed) {
  /** @type {Map<string, { key: string, text: string, title: string }>} */
  const out = new Map();
  for (const [key, value] of Object.entries(changed)) {
    const [, of] = /^(.+)\.linear\.(?:from|to|until|after)$/.exec(key) ?? [];
    if (of === undefined) {
      out.set(key, { key, text: setting(value), title: `${key} = ${setting(value)}` });
      continue;
    }
    if (out.has(of)) continue;
    const parts = Object.entries(changed).filter(([other]) => other.startsWith(`${of}.linear.`)).map(([other, one]) => /** @type {const} */ ([other.slice(of.length + 8), setting(one)]));
    const [from, to] = ["from", "to"].map((end) => parts.find(([name]) => name === end)?.[1]);
    const text = from === undefined && to === undefined ? parts.map((part) => part.join(" ")).join(", ") : `${from ?? "…"} → ${to ?? "…"}`;
    out.set(of, { key: of, text, title: `${of}: linear ${parts.map((part) => part.join(" ")).join(", ")}` });
  }
  return [...out.values()];
}

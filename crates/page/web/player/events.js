/**
 * The events of a match in words, and which of them are worth a line: what decides the match and what is rare. What
 * comes at every other step is no event to a reader; it stands beside each seat, step by step.
 */

import { number, words } from "../core/format.js";
import { nameOf } from "./seats.js";

/** Lines that a reader looks through. */
const MOST = 60;
/** Kinds that come so often at most are rare: their signs stand out. */
const RARE = 3;
/** Fewer lines of a kind than this are never too many. */
const FEW = 8;

/** @typedef {import("../core/types.js").Match} Match */
/** @typedef {{ step: number, kind: string, seat: number | null, text: string, rare: boolean }} Told */

/**
 * @param {Match} match
 * @returns {{ all: Told[], chosen: Told[], often: { kind: string, times: number }[] }}
 */
export function tell(match) {
  const outcomes = new Set(match.spec.terms.filter((term) => term.kind === "outcome").map((term) => term.name));
  const several = match.spec.seats.filter((seat) => seat.name !== "nobody").length > 1;
  /** One line for all seats to whom the same happened. @type {Map<string, { step: number, kind: string, what: string, seats: number[] }>} */
  const lines = new Map();
  for (const { step, kind, text, seat } of match.events) {
    const what = inWords(kind, text);
    const key = `${step} ${kind} ${what}`;
    const line = lines.get(key) ?? { step, kind, what, seats: [] };
    if (seat !== null && seat !== undefined) line.seats.push(seat);
    lines.set(key, line);
  }
  /** @type {Map<string, { times: number, steps: Set<number> }>} */
  const kinds = new Map();
  for (const line of lines.values()) {
    const of = kinds.get(line.kind) ?? { times: 0, steps: new Set() };
    of.times += 1;
    of.steps.add(line.step);
    kinds.set(line.kind, of);
  }
  const all = [...lines.values()].map(({ step, kind, what, seats }) => ({
    step, kind, seat: seats[0] ?? null,
    text: several && seats.length ? `${seats.map((seat) => nameOf(match, seat)).join(", ")}: ${what}` : what,
    rare: (outcomes.has(kind) || (kinds.get(kind)?.times ?? 0) <= RARE) && (kinds.get(kind)?.times ?? 0) <= MOST,
  })).sort((a, b) => a.step - b.step);

  /** @type {Set<string>} */
  const listed = new Set();
  let room = MOST;
  const rank = (/** @type {string} */ kind) => (outcomes.has(kind) ? 0 : 1);
  const order = [...kinds].sort(([a, x], [b, y]) => rank(a) - rank(b) || x.times - y.times);
  for (const [kind, { times, steps }] of order) {
    const always = times > FEW && steps.size > match.length / 2;
    if (always || times > room) continue;
    room -= times;
    listed.add(kind);
  }
  return {
    all,
    chosen: all.filter((one) => listed.has(one.kind)),
    often: order.filter(([kind]) => !listed.has(kind)).map(([kind, { times }]) => ({ kind, times })),
  };
}

/**
 * `collect_boost 0.11779681` as "collect boost 0.118"; what happened once needs no number.
 * @param {string} kind
 * @param {string} text
 */
function inWords(kind, text) {
  const rest = text.startsWith(kind) ? text.slice(kind.length).trim() : null;
  const value = rest === null || rest === "" ? NaN : Number(rest);
  if (!Number.isFinite(value)) return text ? words(text) : words(kind);
  return value === 1 ? words(kind) : `${words(kind)} ${number(Number(value.toPrecision(3)))}`;
}

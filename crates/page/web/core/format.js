/** Numbers, times and names as people read them. */

const NARROW = "\u202f";
const ABSENT = "–";

/**
 * Up to four significant digits; a minus that is one.
 * @param {number | null | undefined} value
 */
export function number(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return ABSENT;
  if (value === 0) return "0";
  const size = Math.abs(value);
  let text;
  if (size >= 1e6 || size < 1e-3) text = shortExponent(value);
  else if (size >= 1000) text = grouped(value);
  else text = String(Number(value.toPrecision(4)));
  return text.replace("-", "−");
}

/** @param {number} value */
function shortExponent(value) {
  const [mantissa, exponent] = value.toExponential(2).split("e");
  return `${Number(mantissa)}e${Number(exponent)}`;
}

/** @param {number} value */
function grouped(value) {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, NARROW);
}

/**
 * A count: exact while it is small, with a prefix when it is large.
 * @param {number | null | undefined} value
 */
export function count(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return ABSENT;
  if (Math.abs(value) < 10_000) return grouped(value).replace("-", "−");
  for (const [unit, prefix] of /** @type {[number, string][]} */ ([[1e9, "G"], [1e6, "M"], [1e3, "k"]])) {
    if (Math.abs(value) >= unit) return `${Number((value / unit).toPrecision(3))}${NARROW}${prefix}`;
  }
  return String(value);
}

/** @param {number | null | undefined} share */
export function percent(share) {
  if (share === null || share === undefined || !Number.isFinite(share)) return ABSENT;
  const value = share * 100;
  return `${value >= 10 || value === 0 ? Math.round(value) : Number(value.toPrecision(2))}${NARROW}%`;
}

/**
 * The two largest units of a time.
 * @param {number | null | undefined} seconds
 */
export function duration(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return ABSENT;
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s}${NARROW}s`;
  if (s < 3600) return join(Math.floor(s / 60), "min", s % 60, "s");
  if (s < 86_400) return join(Math.floor(s / 3600), "h", Math.floor((s % 3600) / 60), "min");
  return join(Math.floor(s / 86_400), "d", Math.floor((s % 86_400) / 3600), "h");
}

/**
 * @param {number} large
 * @param {string} largeUnit
 * @param {number} small
 * @param {string} smallUnit
 */
function join(large, largeUnit, small, smallUnit) {
  const head = `${large}${NARROW}${largeUnit}`;
  return small === 0 ? head : `${head} ${small}${NARROW}${smallUnit}`;
}

/**
 * How long ago a moment was, given in seconds since 1970.
 * @param {number | null | undefined} unix
 */
export function ago(unix) {
  if (!unix) return ABSENT;
  const seconds = Date.now() / 1000 - unix;
  if (seconds < 5) return "now";
  return `${duration(seconds).split(" ")[0]} ago`;
}

/** @param {number} bytes */
export function bytes(bytes) {
  if (bytes < 1000) return `${bytes}${NARROW}B`;
  for (const [unit, prefix] of /** @type {[number, string][]} */ ([[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]])) {
    if (bytes >= unit) return `${Number((bytes / unit).toPrecision(3))}${NARROW}${prefix}`;
  }
  return "";
}

/**
 * A value of a configuration on one line.
 * @param {unknown} value
 */
export function setting(value) {
  if (value === null || value === undefined) return "none";
  if (typeof value === "number") return number(value);
  if (typeof value === "string") return value;
  return JSON.stringify(value);
}

/**
 * A position on the horizontal axis.
 * @param {import("./types.js").XKind} kind
 * @param {number | null | undefined} value
 */
export function position(kind, value) {
  if (kind === "time") return duration(value);
  return `${count(value)} ${kind}`;
}

/**
 * A name of a metric or an event in words: `return_mean` is "return mean".
 * @param {string} name
 */
export function words(name) {
  return name.replaceAll("_", " ");
}

/**
 * A choice of a player in words: `move_1_foe_2` is "move 1 at foe 2".
 * @param {string} name
 */
export function choiceWords(name) {
  const move = /^move_(\d+)(?:_(foe|own)_(\d+))?(_gimmick)?$/.exec(name);
  if (!move) return words(name.replace(/^team_(\d)(\d)(\d*)$/, (_, a, b, rest) => `lead ${a} and ${b}${rest ? `, then ${[...rest].join(" and ")}` : ""}`));
  const [, which, side, place, gimmick] = move;
  return `move ${which}${side ? ` at ${side === "own" ? "own " : "foe "}${place}` : ""}${gimmick ? ", gimmick" : ""}`;
}

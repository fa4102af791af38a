/**
 * A figure: lines with bands or stacked areas over one horizontal axis, with marks. Painting is a function
 * of the figure and of the size; the page and the export call it alike.
 */

import { numberTicks, positionTicks } from "./ticks.js";

/**
 * @typedef {object} Line
 * @property {string} key
 * @property {string} label
 * @property {number} color index of the palette; every eighth is dashed
 * @property {number[]} x
 * @property {(number | null)[]} mean
 * @property {(number | null)[]} [low] lower edge of its band
 * @property {(number | null)[]} [high]
 * @property {boolean} [estimated] whether its band is an interval of an estimate rather than extremes that were seen
 * @property {(number | null)[]} [partial] drawn faintly where there is no mean: of some runs alone
 * @property {(number | null)[]} [smooth] drawn instead of the mean, which stays as a faint line
 * @property {number | null} last
 * @property {{ x: number | null, value: number } | null} best `x` is `null` for the mean of several
 */

/** @typedef {{ x: number, kind: string, label: string, recording: string | null }} FigureMark */

/**
 * @typedef {object} Figure
 * @property {string} title
 * @property {import("../core/types.js").XKind} kind of the horizontal axis
 * @property {Line[]} lines
 * @property {FigureMark[]} marks
 * @property {boolean} stacked areas on each other, negative ones below zero
 * @property {{ low: number, high: number } | null} window what is shown of the horizontal axis; all if `null`
 * @property {[number, number] | null} [fixed] the vertical axis, where it is known
 */

/** @typedef {{ left: number, top: number, width: number, height: number }} Box */
/** @typedef {{ x0: number, x1: number, y0: number, y1: number, box: Box }} Frame */

/** Room above the plot for the signs of marks. */
const TOP = 18;
const BOTTOM = 26;
const RIGHT = 12;

/** How a line is broken where the palette begins again. */
export const DASHES = [[], [6, 4], [2, 3], [9, 3, 2, 3]];

/** @param {number} index */
export function dash(index) {
  return DASHES[Math.floor(index / 8) % DASHES.length] ?? [];
}

/**
 * The range of the horizontal axis of all lines.
 * @param {Line[]} lines
 * @returns {{ low: number, high: number } | null}
 */
export function extent(lines) {
  let [low, high] = [Infinity, -Infinity];
  for (const line of lines) {
    if (!line.x.length) continue;
    low = Math.min(low, /** @type {number} */ (line.x[0]));
    high = Math.max(high, /** @type {number} */ (line.x[line.x.length - 1]));
  }
  return low <= high ? { low, high } : null;
}

/**
 * Where a figure stands on a surface of this size: ranges and the box of the plot.
 * @param {Figure} figure
 * @param {number} width
 * @param {number} height
 * @param {(text: string, size: number) => number} measure
 * @returns {Frame}
 */
export function frame(figure, width, height, measure) {
  const whole = figure.window ?? extent(figure.lines) ?? { low: 0, high: 1 };
  const [x0, x1] = whole.high > whole.low ? [whole.low, whole.high] : [whole.low - 0.5, whole.low + 0.5];
  const [y0, y1] = figure.fixed ?? vertical(figure, x0, x1);
  const ticks = numberTicks(y0, y1, Math.max(2, (height - TOP - BOTTOM) / 34));
  const widest = Math.max(24, ...ticks.map((tick) => measure(tick.label, 11)));
  const left = Math.ceil(widest) + 14;
  const box = { left, top: TOP, width: Math.max(10, width - left - RIGHT), height: Math.max(10, height - TOP - BOTTOM) };
  return { x0, x1, y0, y1, box };
}

/**
 * The vertical range of what is visible, extremes included, with a little air.
 * @param {Figure} figure
 * @param {number} x0
 * @param {number} x1
 * @returns {[number, number]}
 */
function vertical(figure, x0, x1) {
  let [low, high] = figure.stacked ? [0, 0] : [Infinity, -Infinity];
  const see = (/** @type {number | null | undefined} */ value) => {
    if (value === null || value === undefined || !Number.isFinite(value)) return;
    low = Math.min(low, value);
    high = Math.max(high, value);
  };
  if (figure.stacked) {
    for (const edges of stack(figure.lines)) {
      edges.x.forEach((x, i) => {
        if (x < x0 || x > x1) return;
        see(edges.low[i]);
        see(edges.high[i]);
      });
    }
  } else {
    for (const line of figure.lines) {
      const values = line.smooth ?? line.mean;
      line.x.forEach((x, i) => {
        if (x >= x0 && x <= x1) {
          see(line.mean[i]);
          see(line.smooth?.[i]);
          see(line.partial?.[i]);
          if (!line.estimated) {
            see(line.low?.[i]);
            see(line.high?.[i]);
          }
        }
        // A line that comes in from outside is seen from the edge on.
        const [before, a, b] = [line.x[i - 1], values[i - 1], values[i]];
        if (before === undefined || a === null || a === undefined || b === null || b === undefined) return;
        for (const edge of [x0, x1]) if (before < edge && x > edge) see(a + ((b - a) * (edge - before)) / (x - before));
      });
    }
    // An interval may be as wide as it likes: it gets some room, and never so much that the lines become flat.
    const room = (high - low) / 2 || Math.abs(high) * 0.1;
    const [least, most] = [low - room, high + room];
    for (const line of figure.lines) {
      if (!line.estimated) continue;
      line.x.forEach((x, i) => {
        if (x < x0 || x > x1) return;
        for (const edge of [line.low?.[i], line.high?.[i]]) if (typeof edge === "number") see(Math.min(most, Math.max(least, edge)));
      });
    }
  }
  if (!(low <= high)) return [0, 1];
  // What differs in its last digits alone is flat: ticks between would all read the same.
  if (low === 0 && high === 0) return [0, 1];
  const flat = high - low <= 1e-6 * Math.max(Math.abs(low), Math.abs(high));
  const air = flat ? Math.abs(high) * 0.1 || 0.5 : (high - low) * 0.06;
  return [figure.stacked && low === 0 ? 0 : low - air, figure.stacked && high === 0 ? 0 : high + air];
}

/**
 * Edges of stacked areas: what is positive grows upwards, what is negative downwards. A line that is both has an
 * area of each. All lines have the rows of the first one.
 * @param {Line[]} lines
 */
export function stack(lines) {
  const x = lines[0]?.x ?? [];
  const up = new Array(x.length).fill(0);
  const down = new Array(x.length).fill(0);
  return lines.flatMap((line) => {
    const values = line.smooth ?? line.mean;
    return [up, down].flatMap((base) => {
      const part = values.map((value) => (base === up ? Math.max(0, value ?? 0) : Math.min(0, value ?? 0)));
      if (part.every((value) => value === 0)) return [];
      const low = base.slice();
      part.forEach((value, i) => (base[i] += value));
      return [{ line, x, low, high: /** @type {number[]} */ (base.slice()) }];
    });
  });
}

/**
 * @param {import("./surface.js").Surface} on
 * @param {Figure} figure
 * @param {Frame} at
 * @param {import("../core/theme.js").Colours} colours
 * @param {number | null} cursor
 */
export function paint(on, figure, at, colours, cursor) {
  const { box } = at;
  const sx = (/** @type {number} */ x) => box.left + ((x - at.x0) / (at.x1 - at.x0)) * box.width;
  const sy = (/** @type {number | null | undefined} */ y) =>
    y === null || y === undefined ? NaN : box.top + box.height - ((y - at.y0) / (at.y1 - at.y0)) * box.height;
  const bottom = box.top + box.height;

  for (const tick of numberTicks(at.y0, at.y1, Math.max(2, box.height / 34))) {
    const y = Math.round(sy(tick.at)) + 0.5;
    on.line([box.left, y, box.left + box.width, y], { color: tick.at === 0 ? colours.strong : colours.line });
    on.text(box.left - 7, y, tick.label, { color: colours.faint, align: "right" });
  }
  on.line([box.left, bottom + 0.5, box.left + box.width, bottom + 0.5], { color: colours.strong });
  let free = -Infinity;
  for (const tick of positionTicks(figure.kind, at.x0, at.x1, Math.max(2, box.width / 78))) {
    const x = sx(tick.at);
    const half = on.measure(tick.label, 11) / 2;
    on.line([x, bottom, x, bottom + 4], { color: colours.strong });
    if (x - half < free) continue;
    free = x + half + 8;
    const shown = Math.min(Math.max(x, half + 2), box.left + box.width + RIGHT - half - 1);
    on.text(shown, bottom + 14, tick.label, { color: colours.faint, align: "center" });
  }

  on.clip(box.left - 4, 0, box.width + 8, bottom, () => marks(on, figure, at, colours, sx));
  on.clip(box.left, box.top - 2, box.width + 1, box.height + 4, () => {
    if (figure.stacked) areas(on, figure, colours, sx, sy);
    else lines(on, figure, colours, sx, sy);
    if (cursor !== null && cursor >= at.x0 && cursor <= at.x1) {
      const x = Math.round(sx(cursor)) + 0.5;
      on.line([x, box.top, x, bottom], { color: colours.faint, dash: [3, 3] });
      if (!figure.stacked) {
        for (const line of figure.lines) {
          const y = sy(valueAt(line, cursor));
          if (!Number.isNaN(y)) on.dot(sx(nearestX(line, cursor)), y, 3.2, colourOf(colours, line.color), colours.surface);
        }
      }
    }
  });
}

/**
 * @param {import("../core/theme.js").Colours} colours
 * @param {number} index
 * @returns {string}
 */
export function colourOf(colours, index) {
  return colours.series[index % colours.series.length] ?? colours.ink;
}

/** What a mark of a kind looks like. */
export const MARK_SIGNS = /** @type {Record<string, string>} */ ({
  stage: "stage", milestone: "milestone", evaluation: "evaluation", snapshot: "snapshot", warning: "warning",
});

/**
 * @param {import("./surface.js").Surface} on
 * @param {Figure} figure
 * @param {Frame} at
 * @param {import("../core/theme.js").Colours} colours
 * @param {(x: number) => number} sx
 */
function marks(on, figure, at, colours, sx) {
  const { box } = at;
  for (const mark of figure.marks) {
    if (mark.x < at.x0 || mark.x > at.x1) continue;
    const x = Math.round(sx(mark.x)) + 0.5;
    if (mark.kind === "stage" || mark.kind === "warning") {
      const color = mark.kind === "warning" ? colours.warn : colours.strong;
      on.line([x, box.top, x, box.top + box.height], { color, dash: [2, 3] });
    }
    const color = { stage: colours.muted, warning: colours.warn, evaluation: colours.accent }[mark.kind] ?? colours.faint;
    const y = box.top - 11;
    if (mark.kind === "evaluation") on.area([x - 4, y - 1, x + 4, y - 1, x, y + 6], { color });
    else if (mark.kind === "milestone") on.area([x, y - 2, x + 4, y + 2, x, y + 6, x - 4, y + 2], { color });
    else if (mark.kind === "warning") on.area([x, y - 1, x + 4.5, y + 7, x - 4.5, y + 7], { color });
    else if (mark.kind === "stage") on.rect(x - 3, y - 1, 6, 6, color);
    else on.dot(x, y + 2, 2, color);
  }
}

/**
 * @param {import("./surface.js").Surface} on
 * @param {Figure} figure
 * @param {import("../core/theme.js").Colours} colours
 * @param {(x: number) => number} sx
 * @param {(y: number | null | undefined) => number} sy
 */
function lines(on, figure, colours, sx, sy) {
  for (const line of figure.lines) {
    if (!line.low || !line.high) continue;
    const { low, high } = line;
    const color = colourOf(colours, line.color);
    const alpha = colours.dark ? 0.22 : 0.16;
    // Where one side bounds nothing there is no band.
    for (const [from, to] of stretches(line.x.map((_, i) => ((low[i] ?? null) === null ? null : high[i] ?? null)))) {
      if (to - from === 1) {
        const x = sx(/** @type {number} */ (line.x[from]));
        on.line([x, sy(low[from]), x, sy(high[from])], { color, alpha, width: 2 });
        continue;
      }
      const outline = [];
      for (let i = from; i < to; i += 1) outline.push(sx(/** @type {number} */ (line.x[i])), sy(high[i]));
      for (let i = to - 1; i >= from; i -= 1) outline.push(sx(/** @type {number} */ (line.x[i])), sy(low[i]));
      on.area(outline, { color, alpha });
    }
  }
  for (const line of figure.lines) {
    const color = colourOf(colours, line.color);
    const path = (/** @type {(number | null)[]} */ values) =>
      line.x.flatMap((x, i) => [sx(x), sy(values[i])]);
    if (line.smooth) on.line(path(line.mean), { color, width: 1, alpha: 0.32 });
    if (line.partial) on.line(path(line.partial), { color, width: 1.2, alpha: 0.45, dash: [1, 3] });
    on.line(path(line.smooth ?? line.mean), { color, width: 1.6, dash: dash(line.color) });
    if (line.x.length === 1) on.dot(sx(/** @type {number} */ (line.x[0])), sy(line.mean[0]), 2.5, color);
  }
}

/**
 * Stretches of a column without gaps.
 * @param {(number | null)[]} values
 * @returns {[number, number][]}
 */
function stretches(values) {
  /** @type {[number, number][]} */
  const found = [];
  let from = -1;
  for (let i = 0; i <= values.length; i += 1) {
    const there = i < values.length && values[i] !== null;
    if (there && from < 0) from = i;
    if (!there && from >= 0) {
      found.push([from, i]);
      from = -1;
    }
  }
  return found;
}

/**
 * @param {import("./surface.js").Surface} on
 * @param {Figure} figure
 * @param {import("../core/theme.js").Colours} colours
 * @param {(x: number) => number} sx
 * @param {(y: number | null | undefined) => number} sy
 */
function areas(on, figure, colours, sx, sy) {
  const total = new Array(figure.lines[0]?.x.length ?? 0).fill(0);
  for (const edges of stack(figure.lines)) {
    const outline = [];
    const top = [];
    for (let i = 0; i < edges.x.length; i += 1) {
      const x = sx(/** @type {number} */ (edges.x[i]));
      outline.push(x, sy(edges.high[i]));
      top.push(x, edges.high[i] === edges.low[i] ? NaN : sy(edges.high[i]));
      total[i] += (edges.high[i] ?? 0) - (edges.low[i] ?? 0);
    }
    for (let i = edges.x.length - 1; i >= 0; i -= 1) outline.push(sx(/** @type {number} */ (edges.x[i])), sy(edges.low[i]));
    on.area(outline, { color: colourOf(colours, edges.line.color), alpha: colours.dark ? 0.55 : 0.5 });
    on.line(top, { color: colourOf(colours, edges.line.color), width: 1 });
  }
  const x = figure.lines[0]?.x ?? [];
  on.line(x.flatMap((at, i) => [sx(at), sy(total[i])]), { color: colours.ink, width: 1.6 });
}

/**
 * The row nearest to a position.
 * @param {number[]} x
 * @param {number} at
 */
export function nearest(x, at) {
  if (!x.length) return -1;
  let [low, high] = [0, x.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (/** @type {number} */ (x[middle]) < at) low = middle + 1;
    else high = middle;
  }
  const before = x[low - 1];
  const here = /** @type {number} */ (x[low]);
  return before !== undefined && at - before < here - at ? low - 1 : low;
}

/**
 * What a line shows at a position: nothing beyond its ends.
 * @param {Line} line
 * @param {number} at
 */
export function valueAt(line, at) {
  const [first, last] = [line.x[0], line.x[line.x.length - 1]];
  if (first === undefined || last === undefined) return null;
  const slack = (last - first) / Math.max(1, line.x.length - 1);
  if (at < first - slack || at > last + slack) return null;
  const row = nearest(line.x, at);
  return (line.smooth ?? line.mean)[row] ?? line.partial?.[row] ?? null;
}

/**
 * @param {Line} line
 * @param {number} at
 */
function nearestX(line, at) {
  return line.x[nearest(line.x, at)] ?? at;
}

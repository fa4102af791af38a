/**
 * What the charts of a page share: the window of the horizontal axis, the cursor, and the kind of axis. One
 * chart is zoomed, all are.
 */

export class Link extends EventTarget {
  /**
   * @param {import("../core/types.js").XKind} kind
   * @param {{ low: number, high: number } | null} window
   */
  constructor(kind, window) {
    super();
    this.kind = kind;
    this.window = window;
    /** @type {number | null} */
    this.cursor = null;
    /** The widest range that any chart has data for. @type {{ low: number, high: number } | null} */
    this.whole = null;
  }

  /**
   * Tells what a chart has data for: all charts show the same range.
   * @param {{ low: number, high: number }} own
   */
  widen(own) {
    const before = this.whole;
    if (before && before.low <= own.low && before.high >= own.high) return;
    this.whole = before ? { low: Math.min(before.low, own.low), high: Math.max(before.high, own.high) } : own;
    this.dispatchEvent(new Event("whole"));
  }

  /** @param {{ low: number, high: number } | null} window */
  zoom(window) {
    this.window = window && window.high > window.low ? window : null;
    this.dispatchEvent(new Event("window"));
  }

  /** @param {number | null} cursor */
  point(cursor) {
    if (this.cursor === cursor) return;
    this.cursor = cursor;
    this.dispatchEvent(new Event("cursor"));
  }

  /**
   * Zooms by a factor around a position; below one is closer.
   * @param {number} factor
   * @param {number} [around]
   */
  scale(factor, around) {
    const now = this.window ?? this.whole;
    if (!now) return;
    const at = around ?? this.cursor ?? (now.low + now.high) / 2;
    this.bound({ low: at - (at - now.low) * factor, high: at + (now.high - at) * factor });
  }

  /** @param {number} share of what is visible */
  pan(share) {
    const now = this.window ?? this.whole;
    if (!now || !this.window) return;
    const by = (now.high - now.low) * share;
    this.bound({ low: now.low + by, high: now.high + by });
  }

  /** @param {{ low: number, high: number }} wish */
  bound(wish) {
    const whole = this.whole;
    if (!whole) return this.zoom(wish);
    const width = Math.min(wish.high - wish.low, whole.high - whole.low);
    if (width >= (whole.high - whole.low) * 0.999) return this.zoom(null);
    const low = Math.min(Math.max(wish.low, whole.low), whole.high - width);
    this.zoom({ low, high: low + width });
  }
}

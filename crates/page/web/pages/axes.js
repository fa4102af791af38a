/** What the pages with curves share: the choice of axis, the smoothing, the window, all in the address. */

import { Link } from "../charts/link.js";
import { h, setText } from "../core/dom.js";
import { change } from "../core/route.js";

/** @typedef {import("../core/types.js").XKind} XKind */

/** @type {XKind[]} */
const KINDS = ["steps", "time", "matches"];
/** Half-lives of the slider, in rows of metrics: one does not smooth half as much as two. */
const HALF_LIVES = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

export class Axes {
  /**
   * @param {URLSearchParams} query
   * @param {AbortSignal} signal
   * @param {() => void} changed what to do when curves must be asked anew
   */
  constructor(query, signal, changed) {
    const kind = /** @type {XKind} */ (query.get("x") ?? "steps");
    const [from, to] = [Number(query.get("from") ?? NaN), Number(query.get("to") ?? NaN)];
    const window = from < to ? { low: from, high: to } : null;
    this.link = new Link(KINDS.includes(kind) ? kind : "steps", window);
    this.smooth = Math.max(0, Number(query.get("smooth") ?? 0) || 0);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let soon;
    const later = () => {
      clearTimeout(soon);
      soon = setTimeout(changed, 80);
    };
    this.link.addEventListener("window", () => {
      const { window: now } = this.link;
      change({ from: now ? tidy(now.low, now) : null, to: now ? tidy(now.high, now) : null });
      later();
    }, { signal });

    const buttons = KINDS.map((one) => h("button", { "aria-pressed": String(one === this.link.kind), onclick: () => {
      if (this.link.kind === one) return;
      this.link.kind = one;
      this.link.whole = null;
      buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(KINDS[index] === one)));
      change({ x: one === "steps" ? null : one });
      this.link.zoom(null);
      later();
    } }, one));
    const at = HALF_LIVES.findIndex((one) => one >= this.smooth);
    const shown = h("output", { class: "muted small" });
    const tell = () => setText(shown, this.smooth ? `half-life ${this.smooth} ${this.smooth === 1 ? "row" : "rows"}` : "off");
    const slider = h("input", { type: "range", min: "0", max: String(HALF_LIVES.length - 1), step: "1", "aria-label": "Smoothing" });
    slider.value = String(at < 0 ? HALF_LIVES.length - 1 : at);
    slider.addEventListener("input", () => {
      this.smooth = HALF_LIVES[Number(slider.value)] ?? 0;
      change({ smooth: this.smooth || null });
      tell();
      later();
    });
    tell();
    this.element = h("div", { class: "toolbar", role: "group", "aria-label": "Axes" },
      h("div", { class: "segments", role: "group", "aria-label": "Horizontal axis" }, buttons),
      h("label", { class: "field" }, "Smoothing", slider), shown);
    this.buttons = buttons;
  }

  /** Goes to the next kind of horizontal axis. */
  next() {
    const now = KINDS.indexOf(this.link.kind);
    this.buttons[(now + 1) % KINDS.length]?.click();
  }

  /** Keys of every page with curves. */
  bindings() {
    return [
      { keys: "a", about: "steps, time or matches", run: () => this.next() },
      { keys: "+, =", about: "zooms in", run: () => this.link.scale(0.7) },
      { keys: "-", about: "zooms out", run: () => this.link.scale(1 / 0.7) },
      { keys: "0", about: "shows all", run: () => this.link.zoom(null) },
      { keys: "Shift+ArrowLeft", about: "pans to the left", run: () => this.link.pan(-0.2) },
      { keys: "Shift+ArrowRight", about: "pans to the right", run: () => this.link.pan(0.2) },
    ];
  }
}

/**
 * A number of the address: no more digits than the window needs.
 * @param {number} value
 * @param {{ low: number, high: number }} window
 */
function tidy(value, window) {
  const digits = Math.max(0, Math.ceil(4 - Math.log10(window.high - window.low)));
  return Number(value.toFixed(Math.min(12, digits)));
}

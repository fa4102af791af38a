/** The picture of a match: the view of its game, sized and fed. */

import { failed } from "../core/states.js";
import { fill, h } from "../core/dom.js";
import { isDark, theme } from "../core/theme.js";

/**
 * What a view is; views/README.md has it in words.
 * @typedef {object} View
 * @property {(a: unknown, b: unknown, t: number, options: object) => void} draw
 * @property {(width: number, height: number, ratio: number) => void} [resize]
 * @property {(width: number) => number} [height]
 * @property {Control[]} [controls]
 * @property {((what?: { seat?: number }) => void) | null} [onchange]
 * @property {() => Record<string, string | null>} [place] where the viewer stands, for the address
 * @property {(place: (name: string) => string | null) => void} [stand] goes where an address says
 * @property {{ keys: string, about: string, run: () => void }[]} [keys]
 * @property {() => string} [describe]
 * @property {() => void} [dispose]
 */

/** @typedef {{ name: string, label: string, key?: string, values: { value: string, label: string }[] }} Control */

/** Below this width of the picture it may be higher than the window. */
const NARROW = 640;

export class Picture {
  /**
   * @param {import("../core/types.js").Match} match
   * @param {import("./frames.js").Frames} frames
   * @param {import("./clock.js").Clock} clock
   * @param {AbortSignal} signal
   */
  constructor(match, frames, clock, signal) {
    this.match = match;
    this.frames = frames;
    this.clock = clock;
    this.signal = signal;
    this.element = h("div", { class: "picture" });
    /** @type {View | null} */
    this.view = null;
    /** @type {Record<string, string>} */
    this.controls = {};
    /** @type {number | null} */
    this.seat = null;
    this.ticket = 0;
    /** @type {(seat: number) => void} */
    this.picked = () => {};
    /** What is done when the viewer has moved. @type {() => void} */
    this.moved = () => {};
  }

  async open() {
    try {
      // Not a literal: the checker of types would follow it into the views.
      const index = "/static/views/index.js";
      const { load } = await import(index);
      const module = await load(this.match.game);
      if (this.signal.aborted) return;
      this.view = /** @type {View} */ (module.create(this.element, this.match));
    } catch (problem) {
      fill(this.element, failed(problem));
      return;
    }
    this.view.onchange = (what) => {
      if (what?.seat !== undefined) this.picked(what.seat);
      else this.moved();
      this.draw();
    };
    const resize = new ResizeObserver(() => this.fit());
    resize.observe(this.element);
    theme.addEventListener("change", () => this.draw(), { signal: this.signal });
    this.clock.addEventListener("move", () => this.draw(), { signal: this.signal });
    this.frames.addEventListener("change", () => this.draw(), { signal: this.signal });
    this.signal.addEventListener("abort", () => {
      resize.disconnect();
      cancelAnimationFrame(this.ticket);
      this.view?.dispose?.();
    });
    this.fit();
  }

  fit() {
    const width = this.element.clientWidth;
    if (!width || !this.view) return;
    // A phone scrolls: there a view has all that it needs, and the controls stick to the window.
    const most = width < NARROW ? Infinity : Math.max(240, window.innerHeight * 0.72);
    const height = Math.round(Math.min(most, this.view.height?.(width) ?? width * 0.6));
    this.element.style.height = `${height}px`;
    this.view.resize?.(width, height, window.devicePixelRatio || 1);
    this.draw();
  }

  draw() {
    this.ticket ||= requestAnimationFrame(() => {
      this.ticket = 0;
      this.paint();
    });
  }

  paint() {
    if (!this.view) return;
    const { clock, frames } = this;
    const step = clock.step;
    const [a, next] = [frames.at(step), frames.at(step + 1)];
    const t = next === null ? 0 : clock.position - step;
    this.view.draw(a, t > 0 ? next : a, t, {
      theme: isDark() ? "dark" : "light",
      step,
      selectedSeat: this.seat,
      controls: this.controls,
      frameAt: (/** @type {number} */ at) => frames.at(at),
      joint: frames.joint[step],
      terms: frames.terms[step],
      acting: frames.acting[step],
    });
  }
}

/** The time line of a match: values of the seats, events, and a slider over both. */

import { h } from "../core/dom.js";
import { colours, theme } from "../core/theme.js";

/** Room at both ends for the thumb of the slider. */
const EDGE = 8;

export class Timeline {
  /**
   * @param {import("../core/types.js").Match} match
   * @param {import("./clock.js").Clock} clock
   * @param {AbortSignal} signal
   */
  constructor(match, clock, signal) {
    this.match = match;
    this.clock = clock;
    /** `[step][seat]` @type {((number | null)[] | undefined)[]} */
    this.values = [];
    /** @type {import("./events.js").Told[]} */
    this.events = [];
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.slider = h("input", { type: "range", min: "0", max: String(match.length), step: "1", value: "0", "aria-label": "Step of the match" });
    this.element = h("div", { class: "timeline" }, this.canvas, this.slider);
    this.ticket = 0;
    this.slider.addEventListener("input", () => {
      clock.pause();
      clock.seek(Number(this.slider.value));
    });
    this.canvas.addEventListener("click", (event) => {
      const box = this.canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - EDGE) / (box.width - 2 * EDGE);
      clock.seek(Math.round(share * match.length));
    });
    clock.addEventListener("move", () => {
      const step = String(clock.step);
      if (this.slider.value !== step) this.slider.value = step;
      this.draw();
    }, { signal });
    theme.addEventListener("change", () => this.draw(), { signal });
    const resize = new ResizeObserver(() => this.draw());
    resize.observe(this.element);
    signal.addEventListener("abort", () => resize.disconnect());
  }

  /** @param {((number | null)[] | undefined)[]} values */
  show(values) {
    this.values = values;
    this.draw();
  }

  draw() {
    this.ticket ||= requestAnimationFrame(() => {
      this.ticket = 0;
      this.paint();
    });
  }

  paint() {
    const { canvas, match } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const ratio = window.devicePixelRatio || 1;
    if (!width) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const c = canvas.getContext("2d");
    if (!c) return;
    c.scale(ratio, ratio);
    const palette = colours();
    const x = (/** @type {number} */ step) => EDGE + (step / Math.max(1, match.length)) * (width - 2 * EDGE);
    const plot = height - 20;
    c.fillStyle = palette.line;
    c.fillRect(EDGE, plot, width - 2 * EDGE, 1);
    if (match.first_difference !== null && match.first_difference !== undefined) {
      c.fillStyle = palette.bad;
      c.globalAlpha = 0.12;
      c.fillRect(x(match.first_difference), 0, width - EDGE - x(match.first_difference), plot);
      c.globalAlpha = 1;
    }
    this.curves(c, palette, x, plot);
    // The rare ones over the others, larger and with a line to the top.
    for (const event of [...this.events].sort((a, b) => Number(a.rare) - Number(b.rare))) {
      c.fillStyle = event.seat === null ? palette.muted : this.colour(palette, event.seat);
      c.globalAlpha = event.rare ? 0.95 : 0.45;
      const size = event.rare ? 4 : 2.5;
      c.beginPath();
      const at = x(event.step);
      c.moveTo(at, plot + 1);
      c.lineTo(at - size, plot + 1 - 2 * size);
      c.lineTo(at + size, plot + 1 - 2 * size);
      c.fill();
      if (event.rare) {
        c.globalAlpha = 0.3;
        c.fillRect(at - 0.5, 0, 1, plot - 7);
      }
      c.globalAlpha = 1;
    }
    c.fillStyle = palette.accent;
    c.fillRect(x(this.clock.position) - 0.75, 0, 1.5, plot + 2);
  }

  /**
   * @param {import("../core/theme.js").Colours} palette
   * @param {number} seat
   */
  colour(palette, seat) {
    const team = this.match.spec.seats[seat]?.team ?? seat;
    return palette.series[team % palette.series.length] ?? palette.ink;
  }

  /**
   * @param {CanvasRenderingContext2D} c
   * @param {import("../core/theme.js").Colours} palette
   * @param {(step: number) => number} x
   * @param {number} plot
   */
  curves(c, palette, x, plot) {
    let [low, high] = [Infinity, -Infinity];
    for (const row of this.values) for (const value of row ?? []) {
      if (value === null) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (!(low <= high)) return;
    if (low === high) [low, high] = [low - 1, high + 1];
    const y = (/** @type {number} */ value) => plot - 9 - ((value - low) / (high - low)) * (plot - 13);
    const seats = this.match.spec.seats.length;
    for (let seat = 0; seat < seats; seat += 1) {
      c.beginPath();
      let down = false;
      this.values.forEach((row, step) => {
        const value = row?.[seat];
        // A seat that waits has no value; its line goes on at its next one.
        if (row === undefined) down = false;
        if (value === null || value === undefined) return;
        if (down) c.lineTo(x(step), y(value));
        else c.moveTo(x(step), y(value));
        down = true;
      });
      c.strokeStyle = this.colour(palette, seat);
      c.lineWidth = 1.2;
      c.globalAlpha = 0.75;
      c.stroke();
      c.globalAlpha = 1;
    }
  }
}

/**
 * A chart on the page: a canvas with a title, tools, and a table of last, best and at-cursor values. It is
 * drawn when it is visible and something has changed, once a frame at most.
 */

import { fill, h, icon, setText } from "../core/dom.js";
import { number, position } from "../core/format.js";
import { colours, theme } from "../core/theme.js";
import { save } from "./export.js";
import { colourOf, dash, extent, frame, paint, valueAt } from "./figure.js";
import { onCanvas } from "./surface.js";

/** @typedef {import("./figure.js").Figure} Figure */

const seen = new WeakMap();
/** One observer for all charts of all pages. */
const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) seen.get(entry.target)?.(entry.isIntersecting);
}, { rootMargin: "120px" });

export class Chart {
  /**
   * @param {object} about
   * @param {string} about.title
   * @param {string} [about.note] what stands behind the title
   * @param {import("./link.js").Link} about.link
   * @param {AbortSignal} about.signal
   * @param {boolean} [about.wide]
   * @param {boolean} [about.stacked]
   * @param {boolean} [about.best] whether the greatest value is the best one
   * @param {(mark: import("./figure.js").FigureMark) => void} [about.open] what a click on a mark does
   * @param {(visible: boolean) => void} [about.seen]
   */
  constructor(about) {
    this.link = about.link;
    this.about = about;
    /** @type {Figure} */
    this.figure = {
      title: about.title, kind: about.link.kind, lines: [], marks: [], stacked: about.stacked ?? false, window: null,
    };
    this.visible = false;
    this.stale = false;
    this.loaded = false;
    /** @type {import("./figure.js").Frame | null} */
    this.frame = null;
    this.ticket = 0;

    this.canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": about.title });
    this.brush = h("div", { class: "brush", hidden: true });
    this.plot = h("div", { class: "plot" }, this.canvas, this.brush);
    this.head = h("thead", null, h("tr", null, h("th", { scope: "col" }, h("span", { class: "hidden-text" }, "Series")),
      ...["last", ...(about.best ? ["best"] : []), "at cursor"].map((text) => h("th", { scope: "col", class: "number" }, text))));
    this.where = h("dt");
    /** @type {HTMLElement[]} */
    this.cells = [];
    this.at = /** @type {HTMLElement} */ (this.head.querySelector("th:last-child"));
    this.rows = h("tbody");
    // One line needs no table: its values stand in a row.
    this.single = h("dl", { class: "readline", hidden: true });
    this.readouts = h("div", { class: "readouts", tabindex: "0", role: "region", "aria-label": `Values of ${about.title}` },
      h("table", { class: "readout" }, this.head, this.rows));
    this.reset = h("button", { class: "quiet", title: "Show all (0)", "aria-label": `Show all of ${about.title}`, hidden: true,
      onclick: () => this.link.zoom(null) }, icon("reset"));
    this.element = h("figure", { class: about.wide ? "chart wide" : "chart", "data-chart": about.title },
      h("header", null, h("h3", null, about.title), about.note && h("span", { class: "muted small" }, about.note),
        h("div", { class: "tools" }, this.reset, this.exports())),
      this.plot,
      this.single, this.readouts);
    this.listen(about.signal);
  }

  /** The figure as it is shown now, for export. */
  shown() {
    return { ...this.figure, window: this.link.window ?? this.link.whole };
  }

  exports() {
    const menu = h("details", null, h("summary", { "aria-label": `Export ${this.about.title}` }, "Export"));
    const entry = (/** @type {"svg" | "png" | "csv"} */ kind) =>
      h("button", { class: "quiet", onclick: () => {
        menu.open = false;
        void save(this.shown(), kind);
      } }, kind.toUpperCase());
    menu.append(h("div", { class: "menu" }, entry("svg"), entry("png"), entry("csv")));
    menu.addEventListener("focusout", (event) => {
      if (!menu.contains(/** @type {Node | null} */ (event.relatedTarget))) menu.open = false;
    });
    return menu;
  }

  /** @param {AbortSignal} signal */
  listen(signal) {
    const options = { signal };
    const again = () => this.draw();
    this.link.addEventListener("window", () => {
      this.reset.hidden = this.link.window === null;
      again();
    }, options);
    this.link.addEventListener("cursor", again, options);
    this.link.addEventListener("whole", again, options);
    theme.addEventListener("change", () => {
      this.table();
      again();
    }, options);
    const resize = new ResizeObserver(again);
    resize.observe(this.plot);
    seen.set(this.element, (/** @type {boolean} */ visible) => {
      this.visible = visible;
      this.about.seen?.(visible);
      if (visible && this.stale) again();
    });
    observer.observe(this.element);
    signal.addEventListener("abort", () => {
      resize.disconnect();
      observer.unobserve(this.element);
    });
    this.reset.hidden = this.link.window === null;
    this.pointer();
    this.keys();
  }

  /** @param {PointerEvent | WheelEvent | MouseEvent} event */
  place(event) {
    const at = this.frame;
    if (!at) return null;
    const x = event.clientX - this.canvas.getBoundingClientRect().left;
    const share = Math.min(1, Math.max(0, (x - at.box.left) / at.box.width));
    return { x, value: at.x0 + share * (at.x1 - at.x0) };
  }

  pointer() {
    /** @type {{ x: number, value: number } | null} */
    let from = null;
    const { canvas, brush, link } = this;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      from = this.place(event);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      const at = this.place(event);
      if (!at) return;
      link.point(at.value);
      const near = this.markAt(at.x);
      canvas.style.cursor = near ? "pointer" : "";
      canvas.title = near ? near.label : "";
      if (from && Math.abs(at.x - from.x) > 4) {
        brush.hidden = false;
        brush.style.left = `${Math.min(from.x, at.x)}px`;
        brush.style.width = `${Math.abs(at.x - from.x)}px`;
      }
    });
    const finish = (/** @type {PointerEvent} */ event) => {
      const [began, at] = [from, this.place(event)];
      from = null;
      brush.hidden = true;
      if (!began || !at || event.type === "pointercancel") return;
      if (Math.abs(at.x - began.x) > 4) {
        link.bound({ low: Math.min(began.value, at.value), high: Math.max(began.value, at.value) });
        return;
      }
      const mark = this.markAt(at.x);
      if (mark) this.about.open?.(mark);
    };
    canvas.addEventListener("pointerup", finish);
    canvas.addEventListener("pointercancel", finish);
    canvas.addEventListener("pointerleave", () => {
      if (!from) link.point(null);
    });
    canvas.addEventListener("dblclick", () => link.zoom(null));
    canvas.addEventListener("wheel", (event) => {
      // A wheel over an unfocused chart scrolls the page, as everywhere.
      if (document.activeElement !== canvas && !event.ctrlKey) return;
      const at = this.place(event);
      if (!at) return;
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) link.pan(Math.sign(event.deltaX) * 0.08);
      else link.scale(event.deltaY > 0 ? 1.25 : 0.8, at.value);
    }, { passive: false });
  }

  keys() {
    this.canvas.addEventListener("keydown", (event) => {
      const at = this.frame;
      if (!at || event.ctrlKey || event.metaKey || event.altKey) return;
      const link = this.link;
      const step = (at.x1 - at.x0) / 100;
      const from = link.cursor ?? (at.x0 + at.x1) / 2;
      const move = (/** @type {number} */ to) => link.point(Math.min(at.x1, Math.max(at.x0, to)));
      /** @type {Record<string, () => void>} */
      const actions = {
        ArrowLeft: () => (event.shiftKey ? link.pan(-0.2) : move(from - step)),
        ArrowRight: () => (event.shiftKey ? link.pan(0.2) : move(from + step)),
        Home: () => move(at.x0),
        End: () => move(at.x1),
        "+": () => link.scale(0.7),
        "=": () => link.scale(0.7),
        "-": () => link.scale(1 / 0.7),
        "0": () => link.zoom(null),
        Escape: () => link.point(null),
        Enter: () => {
          const mark = this.nearestMark(from);
          if (mark) this.about.open?.(mark);
        },
      };
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      event.stopPropagation();
      action();
    });
  }

  /** @param {number} x in pixels */
  markAt(x) {
    const at = this.frame;
    if (!at || !this.about.open) return null;
    const value = at.x0 + ((x - at.box.left) / at.box.width) * (at.x1 - at.x0);
    const mark = this.nearestMark(value);
    if (!mark) return null;
    const distance = (Math.abs(mark.x - value) / (at.x1 - at.x0)) * at.box.width;
    return distance <= 6 ? mark : null;
  }

  /** @param {number} value */
  nearestMark(value) {
    let best = null;
    for (const mark of this.figure.marks) {
      if (!mark.recording) continue;
      if (!best || Math.abs(mark.x - value) < Math.abs(best.x - value)) best = mark;
    }
    return best;
  }

  /**
   * @param {import("./figure.js").Line[]} lines
   * @param {import("./figure.js").FigureMark[]} [marks]
   */
  show(lines, marks) {
    this.loaded = true;
    this.figure.kind = this.link.kind;
    this.figure.lines = lines;
    if (marks) this.figure.marks = marks;
    const own = extent(lines);
    if (own && this.link.window === null) this.link.widen(own);
    this.table();
    this.draw();
  }

  table() {
    const palette = colours();
    const { lines } = this.figure;
    const [only] = lines;
    this.single.hidden = lines.length > 1 || this.figure.stacked;
    this.readouts.hidden = !this.single.hidden;
    if (!this.single.hidden) {
      const cell = h("dd");
      this.cells = [cell];
      fill(this.single, h("div", null, h("dt", null, "last"), h("dd", null, number(only?.last))),
        this.about.best ? h("div", null, h("dt", null, "best"), h("dd", null, number(only?.best?.value))) : null,
        h("div", { class: "end" }, this.where, cell));
      this.values();
      return;
    }
    this.cells = lines.map(() => h("td", { class: "number" }));
    fill(this.rows, lines.map((line, index) => {
      const swatch = h("span", { class: `swatch${this.figure.stacked ? " block" : dash(line.color).length ? " dashed" : ""}` });
      swatch.style.setProperty("--swatch", colourOf(palette, line.color));
      const best = line.best ? (line.best.x === null ? "mean of the best of each" : `at ${position(this.figure.kind, line.best.x)}`) : null;
      return h("tr", null,
        h("th", { scope: "row", title: line.label }, swatch, line.label),
        h("td", { class: "number" }, number(line.last)),
        this.about.best ? h("td", { class: "number", title: best }, number(line.best?.value)) : null,
        this.cells[index]);
    }));
    this.values();
  }

  values() {
    const { cursor } = this.link;
    setText(this.at, cursor === null ? "at cursor" : `at ${position(this.figure.kind, cursor)}`);
    setText(this.where, cursor === null ? "" : `at ${position(this.figure.kind, cursor)}`);
    this.figure.lines.forEach((line, index) => {
      const cell = this.cells[index];
      if (cell) setText(cell, cursor === null ? "" : number(valueAt(line, cursor)));
    });
  }

  draw() {
    this.stale = true;
    if (!this.visible || this.ticket) return;
    this.ticket = requestAnimationFrame(() => {
      this.ticket = 0;
      this.stale = false;
      this.paint();
    });
  }

  paint() {
    const [width, height] = [this.plot.clientWidth, this.plot.clientHeight];
    const ratio = window.devicePixelRatio || 1;
    if (!width || !height) return;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const palette = colours();
    const surface = onCanvas(context, palette.font);
    this.frame = frame(this.shown(), width, height, surface.measure);
    paint(surface, this.shown(), this.frame, palette, this.link.cursor);
    if (!this.figure.lines.some((line) => line.x.length)) {
      surface.text(width / 2, height / 2, this.loaded ? "nothing reported yet" : "…", { color: palette.faint, size: 12, align: "center" });
    }
    this.values();
    this.describe();
  }

  /** What is drawn, in words. */
  describe() {
    const lines = this.figure.lines.map((line) => `${line.label}: last ${number(line.last)}${this.about.best ? `, best ${number(line.best?.value)}` : ""}`);
    const text = `${this.about.title}. ${lines.slice(0, 8).join("; ")}`;
    if (this.canvas.getAttribute("aria-label") !== text) this.canvas.setAttribute("aria-label", text);
  }
}

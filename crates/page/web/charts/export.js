/** Figures as files: SVG and PNG as they are seen, on white; CSV with the rows behind them. */

import { h } from "../core/dom.js";
import { words } from "../core/format.js";
import { paper } from "../core/theme.js";
import { colourOf, dash, frame, paint } from "./figure.js";
import { onCanvas, onSvg } from "./surface.js";

const WIDTH = 720;
const PLOT = 360;
const HEAD = 34;
const ROW = 18;

/**
 * @param {import("./figure.js").Figure} figure
 * @param {"svg" | "png" | "csv"} kind
 */
export async function save(figure, kind) {
  const name = figure.title.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "").toLowerCase() || "figure";
  if (kind === "csv") return download(new Blob([csv(figure)], { type: "text/csv" }), `${name}.csv`);
  const colours = paper();
  const height = heightOf(figure);
  if (kind === "svg") {
    const surface = onSvg(WIDTH, height, "Helvetica, Arial, sans-serif");
    compose(surface, figure, colours);
    return download(new Blob([surface.text_of()], { type: "image/svg+xml" }), `${name}.svg`);
  }
  const canvas = h("canvas", { width: WIDTH * 2, height: height * 2 });
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(2, 2);
  compose(onCanvas(context, colours.font), figure, colours);
  const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ done) => canvas.toBlob(done));
  if (blob) download(blob, `${name}.png`);
}

/**
 * The text of a figure's SVG, which tests read too.
 * @param {import("./figure.js").Figure} figure
 */
export function svgText(figure) {
  const surface = onSvg(WIDTH, heightOf(figure), "Helvetica, Arial, sans-serif");
  compose(surface, figure, paper());
  return surface.text_of();
}

/** @param {import("./figure.js").Figure} figure */
function heightOf(figure) {
  return HEAD + PLOT + 26 + Math.ceil(figure.lines.length / 2) * ROW;
}

/**
 * Title, plot, name of the axis, legend.
 * @param {import("./surface.js").Surface} on
 * @param {import("./figure.js").Figure} figure
 * @param {import("../core/theme.js").Colours} colours
 */
function compose(on, figure, colours) {
  on.rect(0, 0, WIDTH, heightOf(figure), colours.surface);
  on.text(14, 18, figure.title, { color: colours.ink, size: 14, weight: 600 });
  const shifted = shift(on, HEAD);
  const at = frame(figure, WIDTH, PLOT, on.measure);
  paint(shifted, figure, at, colours, null);
  const axis = figure.kind === "time" ? "time" : figure.kind;
  on.text(at.box.left + at.box.width / 2, HEAD + PLOT + 6, axis, { color: colours.muted, size: 12, align: "center" });
  figure.lines.forEach((line, index) => {
    const x = 14 + (index % 2) * (WIDTH / 2);
    const y = HEAD + PLOT + 28 + Math.floor(index / 2) * ROW;
    on.line([x, y, x + 22, y], { color: colourOf(colours, line.color), width: 2.4, dash: dash(line.color) });
    on.text(x + 30, y, words(line.label), { color: colours.ink, size: 12 });
  });
}

/**
 * The same surface, lower down.
 * @param {import("./surface.js").Surface} on
 * @param {number} by
 * @returns {import("./surface.js").Surface}
 */
function shift(on, by) {
  const move = (/** @type {number[]} */ points) => points.map((value, i) => (i % 2 ? value + by : value));
  return {
    line: (points, stroke) => on.line(move(points), stroke),
    area: (points, fill) => on.area(move(points), fill),
    rect: (x, y, w, height, color) => on.rect(x, y + by, w, height, color),
    dot: (x, y, radius, color, rim) => on.dot(x, y + by, radius, color, rim),
    text: (x, y, text, type) => on.text(x, y + by, text, type),
    clip: (x, y, w, height, draw) => on.clip(x, y + by, w, height, draw),
    measure: on.measure,
  };
}

/**
 * One line a row of a series: what is shown, at the resolution that is shown.
 * @param {import("./figure.js").Figure} figure
 */
export function csv(figure) {
  const quote = (/** @type {string} */ text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const rows = [`series,${figure.kind},mean,low,high,smooth`];
  for (const line of figure.lines) {
    line.x.forEach((x, i) => {
      if (figure.window && (x < figure.window.low || x > figure.window.high)) return;
      const cells = [line.mean[i] ?? line.partial?.[i], line.low?.[i], line.high?.[i], line.smooth?.[i]].map((value) => value ?? "");
      rows.push([quote(line.label), x, ...cells].join(","));
    });
  }
  return `${rows.join("\n")}\n`;
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
function download(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * What a chart is drawn on: a canvas for the page, a text of SVG for export. Both take the same calls, so
 * an exported figure is the one that was seen.
 */

/** @typedef {{ color: string, width?: number, dash?: number[], alpha?: number }} Stroke */
/** @typedef {{ color: string, size?: number, align?: "left" | "center" | "right", weight?: number }} Type */

/**
 * @typedef {object} Surface
 * @property {(points: number[], stroke: Stroke) => void} line points as x, y, x, y; NaN breaks it
 * @property {(points: number[], fill: { color: string, alpha?: number }) => void} area a closed outline
 * @property {(x: number, y: number, w: number, h: number, color: string) => void} rect
 * @property {(x: number, y: number, radius: number, color: string, rim?: string) => void} dot
 * @property {(x: number, y: number, text: string, type: Type) => void} text `y` is the middle of the line
 * @property {(x: number, y: number, w: number, h: number, draw: () => void) => void} clip
 * @property {(text: string, size: number) => number} measure
 */

/**
 * @param {CanvasRenderingContext2D} context already scaled to CSS pixels
 * @param {string} font
 * @returns {Surface}
 */
export function onCanvas(context, font) {
  const c = context;
  const trace = (/** @type {number[]} */ points) => {
    c.beginPath();
    let down = false;
    for (let i = 0; i < points.length; i += 2) {
      const x = /** @type {number} */ (points[i]);
      const y = /** @type {number} */ (points[i + 1]);
      if (Number.isNaN(y)) down = false;
      else if (down) c.lineTo(x, y);
      else {
        c.moveTo(x, y);
        down = true;
      }
    }
  };
  return {
    line(points, { color, width = 1, dash = [], alpha = 1 }) {
      trace(points);
      c.globalAlpha = alpha;
      c.strokeStyle = color;
      c.lineWidth = width;
      c.lineJoin = "round";
      c.lineCap = "round";
      c.setLineDash(dash);
      c.stroke();
      c.setLineDash([]);
      c.globalAlpha = 1;
    },
    area(points, { color, alpha = 1 }) {
      trace(points);
      c.closePath();
      c.globalAlpha = alpha;
      c.fillStyle = color;
      c.fill();
      c.globalAlpha = 1;
    },
    rect(x, y, w, h, color) {
      c.fillStyle = color;
      c.fillRect(x, y, w, h);
    },
    dot(x, y, radius, color, rim) {
      c.beginPath();
      c.arc(x, y, radius, 0, 2 * Math.PI);
      c.fillStyle = color;
      c.fill();
      if (rim) {
        c.strokeStyle = rim;
        c.lineWidth = 1.5;
        c.stroke();
      }
    },
    text(x, y, text, { color, size = 11, align = "left", weight = 400 }) {
      c.font = `${weight} ${size}px ${font}`;
      c.textAlign = align;
      c.textBaseline = "middle";
      c.fillStyle = color;
      c.fillText(text, x, y);
    },
    clip(x, y, w, h, draw) {
      c.save();
      c.beginPath();
      c.rect(x, y, w, h);
      c.clip();
      draw();
      c.restore();
    },
    measure(text, size) {
      c.font = `400 ${size}px ${font}`;
      return c.measureText(text).width;
    },
  };
}

/**
 * A surface that becomes a text of SVG.
 * @param {number} width
 * @param {number} height
 * @param {string} font
 * @returns {Surface & { text_of: () => string }}
 */
export function onSvg(width, height, font) {
  /** @type {string[]} */
  const parts = [];
  let clips = 0;
  const n = (/** @type {number} */ value) => String(Math.round(value * 100) / 100);
  const escape = (/** @type {string} */ text) =>
    text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  const path = (/** @type {number[]} */ points, /** @type {boolean} */ closed) => {
    let text = "";
    let down = false;
    for (let i = 0; i < points.length; i += 2) {
      const x = /** @type {number} */ (points[i]);
      const y = /** @type {number} */ (points[i + 1]);
      if (Number.isNaN(y)) down = false;
      else {
        text += `${down ? "L" : "M"}${n(x)} ${n(y)}`;
        down = true;
      }
    }
    return closed ? `${text}Z` : text;
  };
  return {
    line(points, { color, width = 1, dash = [], alpha = 1 }) {
      const dashes = dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "";
      const seen = alpha < 1 ? ` stroke-opacity="${alpha}"` : "";
      parts.push(`<path d="${path(points, false)}" fill="none" stroke="${color}" stroke-width="${width}"`
        + ` stroke-linejoin="round" stroke-linecap="round"${dashes}${seen}/>`);
    },
    area(points, { color, alpha = 1 }) {
      parts.push(`<path d="${path(points, true)}" fill="${color}" fill-opacity="${alpha}"/>`);
    },
    rect(x, y, w, h, color) {
      parts.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" fill="${color}"/>`);
    },
    dot(x, y, radius, color, rim) {
      const edge = rim ? ` stroke="${rim}" stroke-width="1.5"` : "";
      parts.push(`<circle cx="${n(x)}" cy="${n(y)}" r="${radius}" fill="${color}"${edge}/>`);
    },
    text(x, y, text, { color, size = 11, align = "left", weight = 400 }) {
      const anchor = { left: "start", center: "middle", right: "end" }[align];
      parts.push(`<text x="${n(x)}" y="${n(y)}" fill="${color}" font-size="${size}" font-weight="${weight}"`
        + ` text-anchor="${anchor}" dominant-baseline="central">${escape(text)}</text>`);
    },
    clip(x, y, w, h, draw) {
      clips += 1;
      parts.push(`<clipPath id="c${clips}"><rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}"/></clipPath>`);
      parts.push(`<g clip-path="url(#c${clips})">`);
      draw();
      parts.push("</g>");
    },
    measure(text, size) {
      return text.length * size * 0.56;
    },
    text_of() {
      return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}"`
        + ` height="${height}" font-family="${escape(font)}">${parts.join("")}</svg>\n`;
    },
  };
}

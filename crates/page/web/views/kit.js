// What views on a flat canvas share: colours, the canvas itself, text and simple shapes.

/**
 * @typedef {Object} Palette
 * @property {string} ground   behind everything
 * @property {string} panel    behind words
 * @property {string} raised   on panels
 * @property {string} line     borders
 * @property {string} faint    grids
 * @property {string} text
 * @property {string} muted
 * @property {string[]} team   one colour a team
 * @property {string[]} soft   the same, for areas
 * @property {string} good
 * @property {string} bad
 * @property {string} warn
 * @property {string} magic
 * @property {string[]} kinds  colours of kinds of things; told apart by colour-blind people
 * @property {boolean} dark
 */

/** @type {Palette} */
const LIGHT = {
  ground: "#f4f5f7", panel: "#ffffff", raised: "#eef0f4", line: "#cfd4dc", faint: "#e3e6eb",
  text: "#1c2330", muted: "#5d6675",
  team: ["#1f63c4", "#c25a06", "#1a7f6b", "#8b3fa8"], soft: ["#d9e6f9", "#fbe3cd", "#d3efe8", "#eedcf5"],
  good: "#1a7f4b", bad: "#c22f2f", warn: "#a86b00", magic: "#7a4bd0",
  kinds: ["#0072b2", "#d55e00", "#009e73", "#b1468a", "#8a6d00", "#3a7ca5", "#a03c1e", "#5b5ea6"],
  dark: false,
};

/** @type {Palette} */
const DARK = {
  ground: "#12161d", panel: "#1a2029", raised: "#242c38", line: "#37414f", faint: "#232a35",
  text: "#e6eaf0", muted: "#98a3b3",
  team: ["#5b9cf2", "#f0913c", "#4cc2a6", "#c98be0"], soft: ["#1d3250", "#46301a", "#17392f", "#38254a"],
  good: "#4cc38a", bad: "#f0706a", warn: "#e0a93a", magic: "#b392f5",
  kinds: ["#56b4e9", "#e8853d", "#2fc79b", "#dd8bc0", "#e3c74b", "#8fc7e6", "#d98668", "#a5a8ec"],
  dark: true,
};

/**
 * @param {string} [theme]
 * @returns {Palette}
 */
export function palette(theme) {
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  return dark ? DARK : LIGHT;
}

const FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", sans-serif';

/**
 * @typedef {Object} Moment
 * @property {CanvasRenderingContext2D} ctx
 * @property {number} width
 * @property {number} height
 * @property {Palette} colors
 * @property {any} a
 * @property {any} b
 * @property {number} t
 * @property {import("./types.js").DrawOptions} options
 * @property {import("./types.js").Match} match
 * @property {any} scene
 */

/**
 * A view on one flat canvas.
 * @param {HTMLElement} root
 * @param {import("./types.js").Match} match
 * @param {{
 *   paint: (moment: Moment) => void,
 *   describe: (frame: any, moment: Moment) => string,
 *   height: (width: number) => number,
 *   controls?: import("./types.js").Control[],
 *   pick?: (x: number, y: number) => number|null,
 * }} parts
 * @returns {import("./types.js").View}
 */
export function flat(root, match, parts) {
  const canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  canvas.style.display = "block";
  root.append(canvas);
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  let width = 0;
  let height = 0;
  let ratio = 1;
  let said = "";
  /** @type {import("./types.js").View} */
  const view = {
    controls: parts.controls ?? [],
    onchange: null,
    height: parts.height,
    describe: () => said,
    resize(w, h, r) {
      [width, height, ratio] = [Math.max(1, w), Math.max(1, h), r || 1];
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    },
    draw(a, b, t, options) {
      const colors = palette(options?.theme);
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      ctx.clearRect(0, 0, width, height);
      ctx.fillStyle = colors.ground;
      ctx.fillRect(0, 0, width, height);
      if (!a) {
        canvas.setAttribute("aria-label", "no frame here");
        said = "";
        text(ctx, "no frame here", width / 2, height / 2, { color: colors.muted, align: "center" });
        return;
      }
      const scene = match.static ?? {};
      const moment = { ctx, width, height, colors, a, b: b ?? a, t, options: options ?? {}, match, scene };
      ctx.save();
      try {
        parts.paint(moment);
        if (t === 0 || !said) {
          said = parts.describe(a, moment);
          canvas.setAttribute("aria-label", said);
        }
      } catch (problem) {
        // A frame of another build may lack what this one reads; the page goes on.
        ctx.globalAlpha = 1;
        text(ctx, "this frame cannot be drawn", width / 2, height / 2, { color: colors.bad, align: "center" });
        console.warn("a frame cannot be drawn:", problem);
      }
      ctx.restore();
    },
    dispose() {
      canvas.remove();
    },
  };
  const { pick } = parts;
  if (pick) {
    canvas.addEventListener("click", (event) => {
      const box = canvas.getBoundingClientRect();
      const seat = pick(event.clientX - box.left, event.clientY - box.top);
      if (seat !== null) view.onchange?.({ seat });
    });
  }
  return view;
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {string|number} what
 * @param {number} x
 * @param {number} y
 * @param {{size?: number, weight?: number, color?: string, align?: CanvasTextAlign, base?: CanvasTextBaseline, most?: number}} [how]
 *   `most` is the width after which it is cut with an ellipsis
 * @returns {number} its width
 */
export function text(ctx, what, x, y, how = {}) {
  const { size = 13, weight = 400, color = "#888", align = "left", base = "middle", most } = how;
  ctx.font = `${weight} ${size}px ${FONT}`;
  ctx.fillStyle = color;
  ctx.textAlign = align;
  ctx.textBaseline = base;
  let words = String(what);
  let wide = ctx.measureText(words).width;
  if (most !== undefined && wide > most) {
    let low = 0;
    let high = words.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (ctx.measureText(`${words.slice(0, middle)}…`).width <= most) low = middle;
      else high = middle - 1;
    }
    words = `${words.slice(0, low)}…`;
    wide = ctx.measureText(words).width;
  }
  ctx.fillText(words, x, y);
  return wide;
}

/**
 * Width of a text.
 * @param {CanvasRenderingContext2D} ctx
 * @param {string} what
 * @param {number} size
 * @param {number} [weight]
 */
export function measure(ctx, what, size, weight = 400) {
  ctx.font = `${weight} ${size}px ${FONT}`;
  return ctx.measureText(what).width;
}

/**
 * Lines of a text that fit a width.
 * @param {CanvasRenderingContext2D} ctx
 * @param {string} what
 * @param {number} most
 * @param {number} size
 * @param {number} [weight]
 * @returns {string[]}
 */
export function wrap(ctx, what, most, size, weight = 400) {
  ctx.font = `${weight} ${size}px ${FONT}`;
  /** @type {string[]} */
  const lines = [];
  let line = "";
  for (const word of what.split(" ")) {
    const longer = line ? `${line} ${word}` : word;
    if (line && ctx.measureText(longer).width > most) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  if (line) lines.push(line);
  return lines;
}

/**
 * A rounded box.
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 * @param {{fill?: string, stroke?: string, radius?: number, line?: number}} how
 */
export function box(ctx, x, y, w, h, { fill, stroke, radius = 6, line = 1 }) {
  ctx.beginPath();
  ctx.roundRect(x, y, Math.max(0, w), Math.max(0, h), radius);
  if (fill) {
    ctx.fillStyle = fill;
    ctx.fill();
  }
  if (stroke) {
    ctx.strokeStyle = stroke;
    ctx.lineWidth = line;
    ctx.stroke();
  }
}

/**
 * A bar that is partly full.
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 * @param {number} share   0 to 1
 * @param {string} fill
 * @param {string} empty
 */
export function bar(ctx, x, y, w, h, share, fill, empty) {
  box(ctx, x, y, w, h, { fill: empty, radius: h / 2 });
  const full = Math.min(1, Math.max(0, share)) * w;
  if (full <= 0.5) return;
  ctx.save();
  ctx.beginPath();
  ctx.roundRect(x, y, w, h, h / 2);
  ctx.clip();
  ctx.fillStyle = fill;
  ctx.fillRect(x, y, full, h);
  ctx.restore();
}

/**
 * A word in a small box; returns its width.
 * @param {CanvasRenderingContext2D} ctx
 * @param {string} what
 * @param {number} x
 * @param {number} y    the middle of it
 * @param {{fill: string, color: string, size?: number, stroke?: string}} how
 */
export function chip(ctx, what, x, y, { fill, color, size = 11, stroke }) {
  const wide = measure(ctx, what, size, 600) + size;
  box(ctx, x, y - size * 0.8, wide, size * 1.6, { fill, stroke, radius: size * 0.5 });
  text(ctx, what, x + wide / 2, y + 0.5, { size, weight: 600, color, align: "center" });
  return wide;
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 * @param {{fill?: string, stroke?: string, line?: number}} how
 */
export function disc(ctx, x, y, radius, { fill, stroke, line = 1 }) {
  ctx.beginPath();
  ctx.arc(x, y, Math.max(0, radius), 0, 2 * Math.PI);
  if (fill) {
    ctx.fillStyle = fill;
    ctx.fill();
  }
  if (stroke) {
    ctx.strokeStyle = stroke;
    ctx.lineWidth = line;
    ctx.stroke();
  }
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {number[][]} points
 * @param {{fill?: string, stroke?: string, line?: number, closed?: boolean, dash?: number[]}} how
 */
export function path(ctx, points, { fill, stroke, line = 1, closed = false, dash }) {
  if (!points.length) return;
  ctx.beginPath();
  ctx.moveTo(points[0][0], points[0][1]);
  for (let i = 1; i < points.length; i++) ctx.lineTo(points[i][0], points[i][1]);
  if (closed) ctx.closePath();
  if (fill) {
    ctx.fillStyle = fill;
    ctx.fill();
  }
  if (stroke) {
    ctx.strokeStyle = stroke;
    ctx.lineWidth = line;
    ctx.lineJoin = "round";
    ctx.lineCap = "round";
    ctx.setLineDash(dash ?? []);
    ctx.stroke();
    ctx.setLineDash([]);
  }
}

/**
 * An arrow from one point to another.
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x0
 * @param {number} y0
 * @param {number} x1
 * @param {number} y1
 * @param {string} color
 * @param {number} [line]
 */
export function arrow(ctx, x0, y0, x1, y1, color, line = 3) {
  const angle = Math.atan2(y1 - y0, x1 - x0);
  const head = line * 3;
  const [cx, cy] = [x1 - Math.cos(angle) * head * 0.8, y1 - Math.sin(angle) * head * 0.8];
  path(ctx, [[x0, y0], [cx, cy]], { stroke: color, line });
  const wing = (/** @type {number} */ turn) => [x1 + Math.cos(angle + turn) * head, y1 + Math.sin(angle + turn) * head];
  path(ctx, [[x1, y1], wing(2.6), wing(-2.6)], { fill: color, closed: true });
}

/** @param {number} a @param {number} b @param {number} t */
export const mix = (a, b, t) => a + (b - a) * t;

/** @param {number} v @param {number} low @param {number} high */
export const clamp = (v, low, high) => Math.min(high, Math.max(low, v));

/** The short way round. @param {number} a @param {number} b @param {number} t */
export function mixDegrees(a, b, t) {
  const turn = ((b - a + 540) % 360) - 180;
  return a + turn * t;
}

/** A number as people write it. @param {number} v @param {number} [digits] */
export const number = (v, digits = 2) => (Number.isFinite(v) ? String(Number(v.toFixed(digits))) : "–");

/** A number with its sign. @param {number} v @param {number} [digits] */
export const signed = (v, digits = 2) => (v > 0 ? "+" : v < 0 ? "−" : "") + number(Math.abs(v), digits);

/** Minutes and seconds. @param {number} seconds */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds + 1e-6));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/**
 * What a seat's head chose, as an action's number and its name; null where it is not known.
 * @param {Moment} moment
 * @param {number} seat
 * @param {number} head
 */
export function chosen({ match, options, b, a }, seat, head) {
  const { joint } = options;
  const spec = match.spec;
  // At the end nobody chooses any more.
  if (!joint || !spec || (a === b && options.step !== undefined && options.step >= (match.length ?? Infinity))) return null;
  if (options.acting && options.acting[seat] === false) return null;
  const width = joint.length / Math.max(1, spec.seats.length);
  const action = joint[seat * width + head];
  if (action === undefined) return null;
  const name = roleOf(match, seat)?.heads?.[head]?.actions?.[action];
  return { action, name: name ?? String(action) };
}

/**
 * The role of a seat, whether seats name it or number it.
 * @param {import("./types.js").Match} match
 * @param {number} seat
 */
export function roleOf(match, seat) {
  const spec = match.spec;
  if (!spec) return null;
  const role = spec.seats?.[seat]?.role ?? 0;
  return typeof role === "number" ? spec.roles[role] : spec.roles.find((one) => one.name === role) ?? spec.roles[0];
}

/**
 * What a seat is called.
 * @param {import("./types.js").Match} match
 * @param {number} seat
 * @param {string} otherwise
 */
export function seatName(match, seat, otherwise) {
  return match.spec?.seats?.[seat]?.name || otherwise;
}

/**
 * The same, with its number where others are called alike: as the page names seats beside the picture.
 * @param {import("./types.js").Match} match
 * @param {number} seat
 * @param {string} otherwise
 */
export function seatTitle(match, seat, otherwise) {
  const name = seatName(match, seat, otherwise);
  const alike = match.spec?.seats?.filter((one) => one.name === name).length ?? 0;
  return alike > 1 ? `${name} ${seat + 1}` : name;
}

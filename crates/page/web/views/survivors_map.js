// The map of survivors from above: areas by height, start, goal, ladders and the way.

import { path } from "./kit.js";

/**
 * Where things are on the screen. The map is turned by a quarter where that makes it larger.
 * @typedef {Object} Projection
 * @property {(p: number[]) => [number, number]} to
 * @property {(v: number[]) => [number, number]} along   directions
 * @property {number} scale
 */

/** Least and greatest x and y of all areas. @param {any} scene @returns {number[]} */
export function boundsOf(scene) {
  const bounds = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x0, y0, x1, y1] of scene.areas ?? []) {
    bounds[0] = Math.min(bounds[0], x0);
    bounds[1] = Math.min(bounds[1], y0);
    bounds[2] = Math.max(bounds[2], x1);
    bounds[3] = Math.max(bounds[3], y1);
  }
  return Number.isFinite(bounds[0]) ? bounds : [-1000, -1000, 1000, 1000];
}

/**
 * Fits bounds of the world into a rectangle of the screen.
 * @param {number[]} bounds
 * @param {number} left @param {number} top @param {number} wide @param {number} tall
 * @param {boolean} [turned] whether to turn the map; chosen by what is larger if it is not said
 * @returns {Projection & {turned: boolean}}
 */
export function fit(bounds, left, top, wide, tall, turned) {
  const [w, h] = [Math.max(1, bounds[2] - bounds[0]), Math.max(1, bounds[3] - bounds[1])];
  const upright = Math.min(wide / w, tall / h);
  const sideways = Math.min(wide / h, tall / w);
  const quarter = turned ?? sideways > upright * 1.15;
  const scale = quarter ? sideways : upright;
  const middle = [(bounds[0] + bounds[2]) / 2, (bounds[1] + bounds[3]) / 2];
  /** @param {number[]} v @returns {[number, number]} */
  const along = (v) => (quarter ? [v[1] * scale, v[0] * scale] : [v[0] * scale, -v[1] * scale]);
  /** @param {number[]} p @returns {[number, number]} */
  const to = (p) => {
    const [x, y] = along([p[0] - middle[0], p[1] - middle[1]]);
    return [left + wide / 2 + x, top + tall / 2 + y];
  };
  return { to, along, scale, turned: quarter };
}

/** @param {number[]} a @param {number[]} b @param {number} t */
const blend = (a, b, t) => `rgb(${a.map((v, i) => Math.round(v + (b[i] - v) * t)).join(",")})`;

/** Low ground is cool and dark, high ground warm and light, on both themes. @param {boolean} dark @param {number} t */
function heightColor(dark, t) {
  const stops = dark ? [[28, 40, 56], [52, 70, 84], [104, 112, 104], [150, 140, 118]] : [[168, 188, 208], [198, 210, 212], [224, 222, 206], [242, 232, 206]];
  const at = Math.min(stops.length - 1.0001, Math.max(0, t) * (stops.length - 1));
  const i = Math.floor(at);
  return blend(stops[i], stops[i + 1], at - i);
}

/**
 * Areas in the order in which they are painted: low ones first, so that upper floors cover lower ones.
 * @param {any} scene
 */
export function layersOf(scene) {
  const areas = (scene.areas ?? []).map((/** @type {number[]} */ area) => ({
    area,
    z: (area[4] + area[5] + area[6] + area[7]) / 4,
  }));
  areas.sort((/** @type {any} */ p, /** @type {any} */ q) => p.z - q.z);
  const heights = areas.map((/** @type {any} */ one) => one.z);
  return { areas, low: heights[0] ?? 0, high: heights[heights.length - 1] ?? 1 };
}

/**
 * Paints the map.
 * @param {CanvasRenderingContext2D} ctx
 * @param {any} scene
 * @param {ReturnType<typeof layersOf>} layers
 * @param {Projection} projection
 * @param {import("./kit.js").Palette} colors
 * @param {number[]} screen  left, top, right, bottom: what lies outside is not painted
 */
export function paintMap(ctx, scene, layers, { to, scale }, colors, screen) {
  const span = Math.max(64, layers.high - layers.low);
  const edge = colors.dark ? "rgba(0,0,0,.35)" : "rgba(60,70,90,.22)";
  for (const { area, z } of layers.areas) {
    const [ax, ay] = to([area[0], area[1]]);
    const [bx, by] = to([area[2], area[3]]);
    const [x, y, w, h] = [Math.min(ax, bx), Math.min(ay, by), Math.abs(bx - ax), Math.abs(by - ay)];
    if (x > screen[2] || y > screen[3] || x + w < screen[0] || y + h < screen[1]) continue;
    const rise = Math.max(area[4], area[5], area[6], area[7]) - Math.min(area[4], area[5], area[6], area[7]);
    if (rise > 24) {
      // A slope shows which way it goes up.
      const corners = [[area[0], area[1], area[4]], [area[2], area[1], area[5]], [area[2], area[3], area[6]], [area[0], area[3], area[7]]].sort((p, q) => p[2] - q[2]);
      const [x0, y0] = to(corners[0]);
      const [x1, y1] = to(corners[3]);
      const gradient = ctx.createLinearGradient(x0, y0, x1, y1);
      gradient.addColorStop(0, heightColor(colors.dark, (corners[0][2] - layers.low) / span));
      gradient.addColorStop(1, heightColor(colors.dark, (corners[3][2] - layers.low) / span));
      ctx.fillStyle = gradient;
    } else {
      ctx.fillStyle = heightColor(colors.dark, (z - layers.low) / span);
    }
    ctx.fillRect(x, y, w + 0.4, h + 0.4);
    if (area[8]) {
      ctx.globalAlpha = 0.45;
      ctx.fillStyle = area[8] & 2 ? colors.good : colors.team[0];
      ctx.fillRect(x, y, w, h);
      ctx.globalAlpha = 1;
    }
    if (scale > 0.05) {
      ctx.strokeStyle = edge;
      ctx.lineWidth = 0.6;
      ctx.strokeRect(x, y, w, h);
    }
  }
  if (scene.way?.length > 1) path(ctx, scene.way.map(to), { stroke: colors.dark ? "rgba(255,255,255,.28)" : "rgba(30,40,60,.3)", line: 1.5, dash: [5, 5] });
  for (const [bottom, head] of scene.ladders ?? []) {
    const [x, y] = to(head);
    const [fx, fy] = to(bottom);
    path(ctx, [[fx, fy], [x, y]], { stroke: colors.text, line: 2 });
    ctx.fillStyle = colors.text;
    ctx.fillRect(x - 3, y - 3, 6, 6);
  }
}

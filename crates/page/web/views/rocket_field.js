// The field, the ball and the cars of rocket as shapes.
//
// The game's axes are left-handed. Here x is mirrored, so that left is left on the screen: a place (x, y, z) of
// a frame stands at (-x, y, z).

import { Shape, rgb } from "./gl.js";

/** @typedef {{halfLength: number, halfWidth: number, height: number, corner: number, goalWidth: number, goalHeight: number, goalDepth: number, ball: number, pads: number[][]}} Field */

const OTHERWISE = { halfLength: 5120, halfWidth: 4096, height: 2048, corner: 8064, goalWidth: 893, goalHeight: 643, goalDepth: 880, ball: 91.25, pads: [] };

/** The measures of a scene; those of the game where it has none. @param {any} scene @returns {Field} */
export function fieldOf(scene) {
  const { field = {}, goal = {} } = scene ?? {};
  return {
    halfLength: field.half_length ?? OTHERWISE.halfLength,
    halfWidth: field.half_width ?? OTHERWISE.halfWidth,
    height: field.height ?? OTHERWISE.height,
    corner: field.corner ?? OTHERWISE.corner,
    goalWidth: goal.half_width ?? OTHERWISE.goalWidth,
    goalHeight: goal.height ?? OTHERWISE.goalHeight,
    goalDepth: goal.depth ?? OTHERWISE.goalDepth,
    ball: scene?.ball_radius ?? OTHERWISE.ball,
    pads: scene?.pads ?? [],
  };
}

/** Corners of the floor, all the way round. @param {Field} f @returns {number[][]} */
export function outline(f) {
  const [cutX, cutY] = [f.corner - f.halfLength, f.corner - f.halfWidth];
  const quarter = [[f.halfWidth, cutY], [cutX, f.halfLength]];
  return [
    quarter[0], quarter[1], [-cutX, f.halfLength], [-f.halfWidth, cutY],
    [-f.halfWidth, -cutY], [-cutX, -f.halfLength], [cutX, -f.halfLength], [f.halfWidth, -cutY],
  ];
}

/** Colours of the picture. @param {boolean} dark */
export function paints(dark) {
  return dark
    ? { ground: "#0d1219", floor: "#1b2a24", floorOther: "#1f3029", line: "#7d93a0", wall: "#7fa3c2", blue: "#4a8cf0", orange: "#f08a32", ball: "#dfe4ea", ballOther: "#9aa6b4", pad: "#f2c14a" }
    : { ground: "#dfe6ee", floor: "#8db28b", floorOther: "#96bb93", line: "#f7fbf7", wall: "#6d8aa6", blue: "#2467d1", orange: "#e0701a", ball: "#f4f6f8", ballOther: "#a9b4c1", pad: "#e0a100" };
}

/** What is not seen through: floor and lines. @param {Field} f @param {ReturnType<typeof paints>} p */
export function floorShape(f, p) {
  const shape = new Shape();
  const corners = outline(f);
  const [light, other] = [rgb(p.floor), rgb(p.floorOther)];
  // Stripes across the field, cut to its outline.
  const stripes = 12;
  for (let i = 0; i < stripes; i++) {
    const [from, to] = [-f.halfLength + (i / stripes) * 2 * f.halfLength, -f.halfLength + ((i + 1) / stripes) * 2 * f.halfLength];
    const cuts = [from, ...[-1, 1].map((s) => s * (f.corner - f.halfWidth)).filter((y) => y > from && y < to).sort((a, b) => a - b), to];
    for (let k = 0; k + 1 < cuts.length; k++) {
      const wide = (/** @type {number} */ y) => Math.min(f.halfWidth, f.corner - Math.abs(y));
      const [a, b] = [cuts[k], cuts[k + 1]];
      shape.quad([-wide(a), a, 0], [wide(a), a, 0], [wide(b), b, 0], [-wide(b), b, 0], i % 2 ? light : other);
    }
  }
  // Grass under the goals.
  for (const end of [-1, 1]) {
    const [y0, y1] = [end * f.halfLength, end * (f.halfLength + f.goalDepth)];
    shape.quad([-f.goalWidth, y0, 0], [f.goalWidth, y0, 0], [f.goalWidth, y1, 0], [-f.goalWidth, y1, 0], rgb(end < 0 ? p.blue : p.orange).map((v, i) => v * 0.45 + light[i] * 0.55));
  }
  const line = rgb(p.line);
  const thick = 14;
  const stroke = (/** @type {number} */ x0, /** @type {number} */ y0, /** @type {number} */ x1, /** @type {number} */ y1, /** @type {number[]} */ color) => {
    const far = Math.hypot(x1 - x0, y1 - y0) || 1;
    const [nx, ny] = [(-(y1 - y0) / far) * thick, ((x1 - x0) / far) * thick];
    shape.quad([x0 - nx, y0 - ny, 3], [x1 - nx, y1 - ny, 3], [x1 + nx, y1 + ny, 3], [x0 + nx, y0 + ny, 3], color);
  };
  corners.forEach(([x, y], i) => {
    const [u, v] = corners[(i + 1) % corners.length];
    stroke(x, y, u, v, y < 0 && v < 0 ? rgb(p.blue) : y > 0 && v > 0 ? rgb(p.orange) : line);
  });
  stroke(-f.halfWidth, 0, f.halfWidth, 0, line);
  for (let i = 0; i < 64; i++) {
    const [from, to] = [(i / 64) * 2 * Math.PI, ((i + 1) / 64) * 2 * Math.PI];
    stroke(Math.cos(from) * 1000, Math.sin(from) * 1000, Math.cos(to) * 1000, Math.sin(to) * 1000, line);
  }
  for (const end of [-1, 1]) {
    const color = rgb(end < 0 ? p.blue : p.orange);
    const [w, d] = [f.goalWidth * 1.9, 1500];
    stroke(-w, end * f.halfLength, -w, end * (f.halfLength - d), line);
    stroke(w, end * f.halfLength, w, end * (f.halfLength - d), line);
    stroke(-w, end * (f.halfLength - d), w, end * (f.halfLength - d), line);
    // Posts and bar.
    const y = end * f.halfLength;
    for (const side of [-1, 1]) shape.box([side * f.goalWidth - 22, y - 22, 0], [side * f.goalWidth + 22, y + 22, f.goalHeight], color);
    shape.box([-f.goalWidth - 22, y - 22, f.goalHeight - 22], [f.goalWidth + 22, y + 22, f.goalHeight + 22], color);
  }
  return shape;
}

/** What is seen through: walls that are seen from inside only, and goals. @param {Field} f @param {ReturnType<typeof paints>} p */
export function wallShape(f, p) {
  const shape = new Shape();
  const wall = rgb(p.wall);
  const corners = outline(f);
  const rise = (/** @type {number[]} */ a, /** @type {number[]} */ b, /** @type {number} */ low, /** @type {number} */ high, /** @type {number} */ alpha, /** @type {number[]} */ color) => {
    // Turned so that the front looks inwards.
    shape.quad([b[0], b[1], low], [a[0], a[1], low], [a[0], a[1], high], [b[0], b[1], high], color, alpha, alpha * 0.3);
  };
  corners.forEach((a, i) => {
    const b = corners[(i + 1) % corners.length];
    if (Math.abs(a[1]) === f.halfLength && a[1] === b[1]) {
      const sign = Math.sign(b[0] - a[0]);
      const color = rgb(a[1] < 0 ? p.blue : p.orange).map((v, k) => v * 0.5 + wall[k] * 0.5);
      const [near, far] = [[-sign * f.goalWidth, a[1]], [sign * f.goalWidth, a[1]]];
      rise(a, near, 0, f.height, 0.26, color);
      rise(far, b, 0, f.height, 0.26, color);
      rise(near, far, f.goalHeight, f.height, 0.22, color);
      return;
    }
    rise(a, b, 0, f.height, 0.2, wall);
  });
  for (const end of [-1, 1]) {
    const color = rgb(end < 0 ? p.blue : p.orange);
    const [y0, y1] = [end * f.halfLength, end * (f.halfLength + f.goalDepth)];
    const [w, h] = [f.goalWidth, f.goalHeight];
    const faces = [
      [[-w, y1, 0], [w, y1, 0], [w, y1, h], [-w, y1, h]],
      [[-w, y0, 0], [-w, y1, 0], [-w, y1, h], [-w, y0, h]],
      [[w, y1, 0], [w, y0, 0], [w, y0, h], [w, y1, h]],
      [[-w, y0, h], [-w, y1, h], [w, y1, h], [w, y0, h]],
    ];
    // Both ways round, so that a net is seen from either side.
    for (const [a, b, c, d] of faces) {
      shape.quad(a, b, c, d, color, 0.3);
      shape.quad(d, c, b, a, color, 0.18);
    }
  }
  return shape;
}

/**
 * A car of a size, its nose along x, its right door along y (the game's axes), in two tones.
 * @param {number[]} size length, width, height
 * @param {number[]} offset of the hitbox from where the car is said to be
 * @param {string} team
 */
export function carShape(size, offset, team) {
  const shape = new Shape();
  const [l, w, h] = size.map((v) => v / 2);
  const [ox, oy, oz] = offset;
  const body = rgb(team);
  const deep = body.map((v) => v * 0.62);
  const glass = [0.1, 0.13, 0.18];
  const tyre = [0.09, 0.09, 0.1];
  const low = oz - h;
  // Chassis, a bonnet that falls to the front, a cabin, a wing.
  shape.box([ox - l, oy - w, low + h * 0.2], [ox + l, oy + w, oz + h * 0.1], body, [[l * 0.16, 0, 0], [w * 0.1, 0, 0]]);
  shape.box([ox - l * 0.62, oy - w * 0.72, oz + h * 0.1], [ox + l * 0.36, oy + w * 0.72, oz + h], glass, [[l * 0.34, l * 0.2, 0], [w * 0.14, 0, 0]]);
  shape.box([ox - l * 0.52, oy - w * 0.54, oz + h * 0.93], [ox + l * 0.02, oy + w * 0.54, oz + h * 1.06], body);
  shape.box([ox - l * 1.02, oy - w * 0.92, oz + h * 0.5], [ox - l * 0.76, oy + w * 0.92, oz + h * 0.66], deep);
  shape.box([ox + l * 0.86, oy - w * 0.6, low + h * 0.5], [ox + l * 1.01, oy + w * 0.6, low + h * 0.8], [0.95, 0.95, 0.85]);
  shape.box([ox - l * 1.01, oy - w * 0.7, low + h * 0.6], [ox - l * 0.96, oy + w * 0.7, low + h * 0.85], [0.75, 0.1, 0.1]);
  for (const x of [-0.62, 0.64]) {
    for (const y of [-0.95, 0.95]) {
      const [cx, cy, r] = [ox + l * x, oy + w * y, h * 0.72];
      const parts = 10;
      for (let i = 0; i < parts; i++) {
        const at = (/** @type {number} */ j, /** @type {number} */ side) => [cx + Math.cos((j / parts) * 2 * Math.PI) * r, cy + side * w * 0.14, low + h * 0.42 + Math.sin((j / parts) * 2 * Math.PI) * r];
        shape.quad(at(i, -1), at(i + 1, -1), at(i + 1, 1), at(i, 1), tyre);
        for (const side of [-1, 1]) shape.triangle([cx, cy + side * w * 0.14, low + h * 0.42], at(i, side), at(i + 1, side), side * y > 0 ? [0.32, 0.33, 0.36] : tyre);
      }
    }
  }
  return shape;
}

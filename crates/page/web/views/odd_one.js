// Things on a ring; one of them is not like the others.

import { arrow, chosen, disc, flat, path, text } from "./kit.js";

/** @type {(root: HTMLElement, match: import("./types.js").Match) => import("./types.js").View} */
export function create(root, match) {
  return flat(root, match, { paint, describe, height: (width) => Math.min(460, Math.max(260, width * 0.66)) });
}

/** @param {import("./kit.js").Moment} moment */
function paint(moment) {
  const { ctx, width, height, colors, a, scene } = moment;
  const places = scene.places ?? 12;
  const middle = [width / 2, height / 2 + 12];
  const radius = Math.min(width / 2 - 40, height / 2 - 52);
  const size = Math.min(30, radius * 0.2);
  const choice = chosen(moment, 0, 0);
  const at = (/** @type {number} */ place) => {
    const turn = (place / places) * 2 * Math.PI - Math.PI / 2;
    return [middle[0] + Math.cos(turn) * radius, middle[1] + Math.sin(turn) * radius];
  };
  for (let place = 0; place < places; place++) {
    const [x, y] = at(place);
    disc(ctx, x, y, size * 1.15, { stroke: colors.faint, line: 2 });
  }
  for (const [place, kind, hx, hy] of a.things) {
    const [x, y] = at(place);
    const color = colors.kinds[(kind - 1) % colors.kinds.length];
    shape(ctx, x, y, size * 0.95, kind, color);
    arrow(ctx, x - hx * size * 0.55, y + hy * size * 0.55, x + hx * size * 0.75, y - hy * size * 0.75, colors.panel, 2.5);
    const out = (radius + size * 1.15 + 12) / radius;
    text(ctx, place, middle[0] + (x - middle[0]) * out, middle[1] + (y - middle[1]) * out, { size: 11, color: colors.muted, align: "center" });
    if (place === a.odd) disc(ctx, x, y, size * 1.25, { stroke: colors.good, line: 3 });
    if (choice?.action === place && place !== a.odd) disc(ctx, x, y, size * 1.25, { stroke: colors.bad, line: 3 });
  }
  const right = choice ? choice.action === a.odd : null;
  if (choice) {
    text(ctx, right ? "✓" : "✗", middle[0], middle[1] - 10, { size: 34, weight: 700, color: right ? colors.good : colors.bad, align: "center" });
    text(ctx, `names ${choice.name}`, middle[0], middle[1] + 20, { size: 13, color: colors.text, align: "center" });
  }
  text(ctx, `odd: ${a.odd}`, 16, 22, { size: 14, weight: 600, color: colors.text });
  const length = scene.length ? ` of ${scene.length}` : "";
  text(ctx, `${a.right} right, step ${a.step}${length}`, width - 16, 22, { size: 13, color: colors.muted, align: "right" });
}

/**
 * A polygon whose corners tell its kind, so that colour is not needed.
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x @param {number} y @param {number} radius @param {number} kind @param {string} color
 */
function shape(ctx, x, y, radius, kind, color) {
  const corners = 3 + ((kind - 1) % 6);
  if (corners === 8) {
    disc(ctx, x, y, radius, { fill: color });
    return;
  }
  const points = [];
  for (let i = 0; i < corners; i++) {
    const turn = (i / corners) * 2 * Math.PI - Math.PI / 2;
    points.push([x + Math.cos(turn) * radius, y + Math.sin(turn) * radius]);
  }
  path(ctx, points, { fill: color, stroke: color, line: 3, closed: true });
}

/** @param {any} a @param {import("./kit.js").Moment} moment */
function describe(a, moment) {
  const choice = chosen(moment, 0, 0);
  const answer = choice ? `, and ${choice.name} is named` : "";
  return `Step ${a.step}: ${a.things.length} things; the odd one is at ${a.odd}${answer}. ${a.right} were right so far.`;
}

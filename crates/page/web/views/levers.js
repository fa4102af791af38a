// Four doors, a clue, keys and levers: what was taken, and what would have been right.

import { box, chosen, disc, flat, path, text } from "./kit.js";

const KEYS = ["iron", "brass", "silver", "gold"];
const METAL = { iron: "#6b7280", brass: "#b58a3c", silver: "#9fb0c3", gold: "#d9a514" };
const DOORS = ["north", "east", "south", "west"];

/** @type {(root: HTMLElement, match: import("./types.js").Match) => import("./types.js").View} */
export function create(root, match) {
  return flat(root, match, { paint, describe, height: (width) => Math.min(400, Math.max(270, width * 0.5)) });
}

/** @param {import("./kit.js").Moment} moment */
function paint(moment) {
  const { ctx, width, height, colors, a, scene } = moment;
  const door = chosen(moment, 0, 0);
  const key = chosen(moment, 0, 1);
  const lever = chosen(moment, 0, 2);
  const names = scene.doors ?? DOORS;
  const gap = Math.min(24, width * 0.03);
  const wide = Math.min(150, (width - 32 - 3 * gap) / 4);
  const left = (width - 4 * wide - 3 * gap) / 2;
  const top = 96;
  const tall = height - top - 92;

  clue(ctx, width / 2, 44, 20, a.clue, colors);
  text(ctx, a.clue, width / 2, 76, { size: 13, weight: 600, color: colors.text, align: "center" });

  a.doors.forEach((/** @type {any} */ one, /** @type {number} */ i) => {
    const x = left + i * (wide + gap);
    const taken = door?.action === i;
    box(ctx, x, top, wide, tall, { fill: one.open ? colors.soft[0] : colors.raised, stroke: taken ? colors.team[0] : colors.line, line: taken ? 3 : 1, radius: 8 });
    // The leaf: ajar if the door is open.
    const inset = wide * 0.16;
    const leaf = one.open ? wide * 0.34 : wide - 2 * inset;
    path(ctx, [[x + inset, top + 16], [x + inset + leaf, top + 16 + (one.open ? 12 : 0)], [x + inset + leaf, top + tall], [x + inset, top + tall]], {
      fill: one.open ? colors.team[0] : colors.line, closed: true,
    });
    disc(ctx, x + inset + leaf - 8, top + tall * 0.58, 3, { fill: colors.panel });
    text(ctx, names[i], x + wide / 2, top - 10, { size: 12, weight: taken ? 700 : 400, color: taken ? colors.text : colors.muted, align: "center" });
    const right = taken && key?.name === one.key;
    keyShape(ctx, x + wide / 2, top + tall + 20, Math.min(16, wide * 0.14), METAL[/** @type {keyof typeof METAL} */ (one.key)], colors.text);
    text(ctx, `${one.key}, ${one.lever}`, x + wide / 2, top + tall + 42, { size: 11, color: taken ? colors.text : colors.muted, align: "center", most: wide + gap - 4 });
    if (taken) {
      const words = right ? (lever?.name === one.lever ? "✓ all right" : "✓ key, ✗ lever") : "✗ key";
      const color = !right ? colors.bad : lever?.name === one.lever ? colors.good : colors.warn;
      text(ctx, words, x + wide / 2, top + tall + 60, { size: 12, weight: 700, color, align: "center", most: wide + gap });
    }
  });
  if (door && key && lever) {
    text(ctx, `${door.name} door, ${key.name} key, ${lever.name}`, width / 2, height - 14, { size: 13, color: colors.text, align: "center", most: width - 24 });
  }
  const length = scene.length ? ` of ${scene.length}` : "";
  text(ctx, `step ${a.step}${length}`, 16, 22, { size: 14, weight: 600, color: colors.text });
  text(ctx, `${a.keys} keys, ${a.levers} levers`, width - 16, 22, { size: 13, color: colors.muted, align: "right" });
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x @param {number} y @param {number} r @param {string} what
 * @param {import("./kit.js").Palette} colors
 */
function clue(ctx, x, y, r, what, colors) {
  if (what === "moon") {
    disc(ctx, x, y, r, { fill: colors.team[0] });
    disc(ctx, x + r * 0.45, y - r * 0.2, r * 0.82, { fill: colors.ground });
    return;
  }
  const points = [];
  const spikes = what === "star" ? 5 : 12;
  const inner = what === "star" ? 0.42 : 0.72;
  for (let i = 0; i < spikes * 2; i++) {
    const far = i % 2 ? r * inner : r;
    const turn = (i / (spikes * 2)) * 2 * Math.PI - Math.PI / 2;
    points.push([x + Math.cos(turn) * far, y + Math.sin(turn) * far]);
  }
  path(ctx, points, { fill: colors.warn, closed: true });
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x @param {number} y @param {number} r @param {string} fill @param {string} edge
 */
function keyShape(ctx, x, y, r, fill, edge) {
  path(ctx, [[x - r * 0.2, y], [x + r * 1.5, y], [x + r * 1.5, y + r * 0.5], [x + r * 1.1, y + r * 0.5], [x + r * 1.1, y]], { stroke: fill ?? edge, line: r * 0.34 });
  disc(ctx, x - r * 0.8, y, r * 0.55, { stroke: fill ?? edge, line: r * 0.36 });
}

/** @param {any} a @param {import("./kit.js").Moment} moment */
function describe(a, moment) {
  const open = a.doors.map((/** @type {any} */ one, /** @type {number} */ i) => (one.open ? DOORS[i] : "")).filter(Boolean);
  const choice = [0, 1, 2].map((head) => chosen(moment, 0, head)?.name).filter(Boolean);
  const took = choice.length ? ` Chosen: ${choice.join(", ")}.` : "";
  return `Step ${a.step}: the clue is the ${a.clue}; open: ${open.join(" and ")}.${took} ${a.keys} keys and ${a.levers} levers were right so far, of ${KEYS.length} kinds of keys.`;
}

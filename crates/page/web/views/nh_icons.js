// Gear, prayers, spells and fighters of nh, drawn by hand.

import { box, disc, path } from "./kit.js";

/** Colours of the three ways to fight, by theme. @param {import("./kit.js").Palette} colors */
export function styleColors(colors) {
  return colors.dark
    ? { melee: "#e07a5f", ranged: "#5cbf7a", magic: "#8f8cf0" }
    : { melee: "#b4472e", ranged: "#23804a", magic: "#5a4fcf" };
}

const MAGIC = /robe|mystic|ahrim|staff|infinity|book|ghostly|hood|wizard|mage|seer|ancestral|eternal|imbued|occult|tormented|zuriel|spirit shield|elder chaos|kodai|rune pouch/i;
const RANGED = /hide|karil|bow|bolt|\barrow|dragon arrow|ava|knife|javelin|ballista|ranger|archer|pegasian|coif|range|accumulator|assembler|morrigan|armadyl|anguish|snakeskin|zaryte/i;

/** What an item is made for, judged by its name. @param {string} name @returns {"melee"|"ranged"|"magic"} */
export function made(name) {
  if (/godsword/i.test(name)) return "melee";
  if (MAGIC.test(name)) return "magic";
  return RANGED.test(name) ? "ranged" : "melee";
}

/** What a weapon looks like. @param {string} name */
function shapeOf(name) {
  if (/crossbow/i.test(name)) return "crossbow";
  if (/bow|ballista/i.test(name)) return "bow";
  if (/knife|javelin|dart/i.test(name)) return "javelin";
  if (/staff|wand|trident|sceptre/i.test(name)) return "staff";
  if (/maul|hammer|mace/i.test(name)) return "maul";
  if (/claws/i.test(name)) return "claws";
  if (/whip|tentacle/i.test(name)) return "whip";
  if (/dagger/i.test(name)) return "dagger";
  if (/axe/i.test(name)) return "axe";
  return "sword";
}

/**
 * A weapon, from the lower left to the upper right of a square of side 2r.
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x @param {number} y @param {number} r @param {string} name @param {string} color
 */
export function weapon(ctx, x, y, r, name, color) {
  const line = Math.max(1.5, r * 0.2);
  const at = (/** @type {number} */ u, /** @type {number} */ v) => [x + u * r, y - v * r];
  switch (shapeOf(name)) {
    case "crossbow":
      path(ctx, [at(-0.8, -0.8), at(0.7, 0.7)], { stroke: color, line });
      path(ctx, [at(-0.1, 0.9), at(0.6, 0.6), at(0.9, -0.1)], { stroke: color, line });
      break;
    case "bow":
      ctx.beginPath();
      ctx.arc(x - r * 0.25, y + r * 0.25, r * 1.05, -Math.PI * 0.5, 0);
      ctx.strokeStyle = color;
      ctx.lineWidth = line;
      ctx.stroke();
      path(ctx, [at(-0.25, 0.8), at(0.8, -0.25)], { stroke: color, line: line * 0.5 });
      path(ctx, [at(-0.7, -0.7), at(0.6, 0.6)], { stroke: color, line: line * 0.7 });
      break;
    case "javelin":
      path(ctx, [at(-0.85, -0.85), at(0.6, 0.6)], { stroke: color, line: line * 0.8 });
      path(ctx, [at(0.95, 0.95), at(0.3, 0.65), at(0.65, 0.3)], { fill: color, closed: true });
      break;
    case "staff":
      path(ctx, [at(-0.85, -0.85), at(0.5, 0.5)], { stroke: color, line });
      disc(ctx, ...pair(at(0.62, 0.62)), r * 0.3, { stroke: color, line: line * 0.8 });
      disc(ctx, ...pair(at(0.62, 0.62)), r * 0.1, { fill: color });
      break;
    case "maul":
      path(ctx, [at(-0.85, -0.85), at(0.4, 0.4)], { stroke: color, line });
      path(ctx, [at(-0.05, 0.65), at(0.35, 1), at(1, 0.35), at(0.65, -0.05)], { fill: color, closed: true });
      break;
    case "claws":
      for (const shift of [-0.4, 0, 0.4]) path(ctx, [at(-0.5 + shift, -0.6 - shift), at(0.1 + shift, 0.2 - shift), at(0.55 + shift, 0.75 - shift)], { stroke: color, line: line * 0.8 });
      break;
    case "whip":
      ctx.beginPath();
      ctx.moveTo(...pair(at(-0.85, -0.85)));
      ctx.bezierCurveTo(...pair(at(-0.2, 0.5)), ...pair(at(0.3, -0.6)), ...pair(at(0.9, 0.8)));
      ctx.strokeStyle = color;
      ctx.lineWidth = line;
      ctx.lineCap = "round";
      ctx.stroke();
      break;
    case "dagger":
      path(ctx, [at(-0.5, -0.5), at(0.55, 0.55)], { stroke: color, line });
      path(ctx, [at(-0.4, 0.05), at(0.05, -0.4)], { stroke: color, line });
      break;
    case "axe":
      path(ctx, [at(-0.85, -0.85), at(0.6, 0.6)], { stroke: color, line });
      path(ctx, [at(0.1, 0.3), at(0.2, 1), at(0.75, 0.95), at(0.55, 0.5)], { fill: color, closed: true });
      break;
    default:
      path(ctx, [at(-0.8, -0.8), at(0.85, 0.85)], { stroke: color, line: line * 1.2 });
      path(ctx, [at(-0.6, -0.1), at(-0.1, -0.6)], { stroke: color, line });
  }
}

/** @param {number[]} point @returns {[number, number]} */
const pair = (point) => [point[0], point[1]];

/**
 * What is worn in a slot.
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x @param {number} y @param {number} r @param {string} slot @param {string} name @param {string} color
 */
export function worn(ctx, x, y, r, slot, name, color) {
  const at = (/** @type {number} */ u, /** @type {number} */ v) => [x + u * r, y + v * r];
  const fill = { fill: color, closed: true };
  switch (slot) {
    case "weapon": return weapon(ctx, x, y, r, name, color);
    case "head":
      ctx.beginPath();
      ctx.arc(x, y + r * 0.15, r * 0.75, Math.PI, 0);
      ctx.fillStyle = color;
      ctx.fill();
      return box(ctx, x - r * 0.75, y + r * 0.1, r * 1.5, r * 0.5, { fill: color, radius: 2 });
    case "cape": return path(ctx, [at(-0.45, -0.8), at(0.45, -0.8), at(0.8, 0.8), at(-0.8, 0.8)], fill);
    case "neck":
      ctx.beginPath();
      ctx.arc(x, y - r * 0.4, r * 0.6, 0.1, Math.PI - 0.1);
      ctx.strokeStyle = color;
      ctx.lineWidth = r * 0.16;
      ctx.stroke();
      return disc(ctx, x, y + r * 0.45, r * 0.28, { fill: color });
    case "body": return path(ctx, [at(-0.9, -0.7), at(-0.3, -0.8), at(0.3, -0.8), at(0.9, -0.7), at(0.75, -0.1), at(0.5, -0.2), at(0.5, 0.8), at(-0.5, 0.8), at(-0.5, -0.2), at(-0.75, -0.1)], fill);
    case "shield":
      if (/book/i.test(name)) return box(ctx, x - r * 0.6, y - r * 0.75, r * 1.2, r * 1.5, { fill: color, radius: 2 });
      return path(ctx, [at(-0.7, -0.75), at(0.7, -0.75), at(0.7, 0.1), at(0, 0.9), at(-0.7, 0.1)], fill);
    case "legs": return path(ctx, [at(-0.6, -0.8), at(0.6, -0.8), at(0.6, 0.85), at(0.15, 0.85), at(0, -0.1), at(-0.15, 0.85), at(-0.6, 0.85)], fill);
    case "hands":
      box(ctx, x - r * 0.55, y - r * 0.2, r * 0.85, r * 0.95, { fill: color, radius: r * 0.2 });
      for (const finger of [-0.5, -0.22, 0.06]) box(ctx, x + finger * r, y - r * 0.8, r * 0.22, r * 0.8, { fill: color, radius: r * 0.1 });
      return box(ctx, x + r * 0.25, y - r * 0.1, r * 0.4, r * 0.24, { fill: color, radius: r * 0.1 });
    case "feet": return path(ctx, [at(-0.5, -0.8), at(0.1, -0.8), at(0.1, 0.1), at(0.85, 0.35), at(0.85, 0.75), at(-0.5, 0.75)], fill);
    case "ring": return disc(ctx, x, y + r * 0.1, r * 0.5, { stroke: color, line: r * 0.26 });
    default:
      path(ctx, [at(-0.7, 0.7), at(0.45, -0.45)], { stroke: color, line: r * 0.16 });
      return path(ctx, [at(0.8, -0.8), at(0.1, -0.55), at(0.55, -0.1)], fill);
  }
}

/**
 * A prayer over the head.
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x @param {number} y @param {number} r
 * @param {"melee"|"ranged"|"magic"|"smite"|"redemption"} kind
 * @param {import("./kit.js").Palette} colors
 */
export function overhead(ctx, x, y, r, kind, colors) {
  const styles = styleColors(colors);
  disc(ctx, x, y, r, { fill: colors.panel, stroke: colors.text, line: 1.5 });
  if (kind === "smite") {
    path(ctx, [[x, y - r * 0.6], [x - r * 0.15, y + r * 0.05], [x + r * 0.2, y - r * 0.05], [x, y + r * 0.65]], { stroke: colors.warn, line: r * 0.22 });
  } else if (kind === "redemption") {
    path(ctx, [[x, y + r * 0.55], [x - r * 0.55, y - r * 0.1], [x - r * 0.25, y - r * 0.5], [x, y - r * 0.2], [x + r * 0.25, y - r * 0.5], [x + r * 0.55, y - r * 0.1]], { fill: colors.bad, closed: true });
  } else if (kind === "magic") {
    spark(ctx, x, y, r * 0.62, styles.magic);
  } else {
    weapon(ctx, x, y, r * 0.6, kind === "melee" ? "sword" : "bow", styles[kind]);
  }
}

/** A star of four points. @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} y @param {number} r @param {string} color */
export function spark(ctx, x, y, r, color) {
  const points = [];
  for (let i = 0; i < 8; i++) {
    const far = i % 2 ? r * 0.34 : r;
    points.push([x + Math.cos((i * Math.PI) / 4) * far, y + Math.sin((i * Math.PI) / 4) * far]);
  }
  path(ctx, points, { fill: color, closed: true });
}

/**
 * Someone who fights, with what is worn on them; `foot` is where the feet are.
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x @param {number} foot @param {number} s  height
 * @param {{fighter: any, facing: number, team: string, colors: import("./kit.js").Palette, fallen: boolean}} how
 */
export function figure(ctx, x, foot, s, { fighter, facing, team, colors, fallen }) {
  const styles = styleColors(colors);
  const tint = (/** @type {string} */ slot) => (fighter.worn[slot] ? styles[made(fighter.worn[slot])] : colors.muted);
  ctx.save();
  ctx.translate(x, foot);
  if (fallen) {
    ctx.rotate((Math.PI / 2) * facing);
    ctx.translate(0, s * 0.12);
  }
  ctx.scale(facing, 1);
  // From the cape in front of nothing to the weapon in front of all.
  if (fighter.worn.cape) path(ctx, [[-s * 0.1, -s * 0.72], [s * 0.08, -s * 0.72], [s * 0.02, -s * 0.12], [-s * 0.26, -s * 0.12]], { fill: tint("cape"), closed: true });
  path(ctx, [[-s * 0.12, -s * 0.38], [s * 0.12, -s * 0.38], [s * 0.14, 0], [s * 0.03, 0], [0, -s * 0.24], [-s * 0.03, 0], [-s * 0.14, 0]], { fill: tint("legs"), stroke: colors.ground, line: 1, closed: true });
  path(ctx, [[-s * 0.17, -s * 0.74], [s * 0.17, -s * 0.74], [s * 0.13, -s * 0.36], [-s * 0.13, -s * 0.36]], { fill: tint("body"), stroke: colors.ground, line: 1, closed: true });
  disc(ctx, 0, -s * 0.85, s * 0.11, { fill: "#d9a982", stroke: colors.ground, line: 1 });
  if (fighter.worn.head) {
    ctx.beginPath();
    ctx.arc(0, -s * 0.86, s * 0.125, Math.PI, 0);
    ctx.fillStyle = tint("head");
    ctx.fill();
  }
  box(ctx, -s * 0.14, -s * 0.4, s * 0.28, s * 0.05, { fill: team, radius: 1 });
  if (fighter.worn.shield) worn(ctx, -s * 0.2, -s * 0.52, s * 0.11, "shield", fighter.worn.shield, tint("shield"));
  if (fighter.worn.weapon) weapon(ctx, s * 0.27, -s * 0.58, s * 0.25, fighter.worn.weapon, tint("weapon"));
  ctx.restore();
}

// Five places along a lane: where one hides and where one looks.

import { bar, box, chosen, clamp, disc, flat, mix, number, path, seatName, signed, text } from "./kit.js";

const PLACES = ["cellar", "barn", "shed", "mill", "tower"];
const DOG = 1;

/** @type {(root: HTMLElement, match: import("./types.js").Match) => import("./types.js").View} */
export function create(root, match) {
  return flat(root, match, { paint, describe, height: (width) => Math.min(420, Math.max(344, width * 0.5)) });
}

/** @param {import("./kit.js").Moment} moment */
function paint(moment) {
  const { ctx, width, height, colors, a, b, t, scene, match } = moment;
  const names = scene.places ?? PLACES;
  const hide = chosen(moment, 0, 0);
  const look = chosen(moment, 1, 0);
  const tool = chosen(moment, 1, 1);
  const reach = tool?.action === DOG ? 1 : 0;
  const found = hide && look ? Math.abs(hide.action - look.action) <= reach : false;
  const slot = (width - 24) / names.length;
  const size = Math.min(64, slot * 0.72);
  const floor = Math.min(height * 0.54, 196);

  text(ctx, `round ${Math.min(a.round + 1, scene.rounds ?? Infinity)}${scene.rounds ? ` of ${scene.rounds}` : ""}`, width / 2, 20, { size: 14, weight: 600, color: colors.text, align: "center" });
  const won = mix(a.lead, b.lead, t);
  text(ctx, `${seatName(match, 0, "hider")} ${signed(won, 1)}`, 12, 44, { size: 12, weight: 600, color: colors.team[0], most: width / 2 - 16 });
  text(ctx, `${seatName(match, 1, "seeker")} ${signed(-won, 1)}`, width - 12, 44, { size: 12, weight: 600, color: colors.team[1], align: "right", most: width / 2 - 16 });

  path(ctx, [[8, floor + 4], [width - 8, floor + 4]], { stroke: colors.line, line: 4 });
  names.forEach((/** @type {string} */ name, /** @type {number} */ place) => {
    const x = 12 + slot * (place + 0.5);
    const locked = a.locked === place;
    const looked = look ? Math.abs(place - look.action) <= reach : false;
    if (looked) {
      ctx.globalAlpha = place === look?.action ? 0.9 : 0.45;
      path(ctx, [[x, floor - size * 1.7], [x + size * 0.75, floor + 2], [x - size * 0.75, floor + 2]], { fill: colors.soft[1], closed: true });
      ctx.globalAlpha = 1;
    }
    house(ctx, x, floor, size, place, locked ? colors.faint : colors.panel, locked ? colors.line : colors.muted);
    if (locked) padlock(ctx, x, floor - size * 0.34, size * 0.18, colors.muted);
    if (hide?.action === place) person(ctx, x, floor - 2, size * 0.42, found ? colors.bad : colors.team[0]);
    text(ctx, name, x, floor + 20, { size: 12, weight: 600, color: locked ? colors.muted : colors.text, align: "center", most: slot });
    const worth = scene.worths?.[place];
    if (worth !== undefined) text(ctx, `worth ${number(worth)}`, x, floor + 36, { size: 11, color: colors.muted, align: "center", most: slot });
    if (a.last === place) text(ctx, "last here", x, floor + 51, { size: 10, color: colors.muted, align: "center", most: slot });
  });
  if (look) {
    const x = 12 + slot * (look.action + 0.5);
    if (tool?.action === DOG) dog(ctx, x, floor - size * 1.62, size * 0.3, colors.team[1]);
    else lantern(ctx, x, floor - size * 1.62, size * 0.2, colors.team[1]);
  }
  if (hide && look && tool) {
    const words = found ? (reach ? "chased away" : "found") : "not found";
    text(ctx, `hides in the ${hide.name}; ${tool.name} at the ${look.name}: ${words}`, width / 2, floor + 74, { size: 13, weight: 600, color: found ? colors.bad : colors.good, align: "center", most: width - 16 });
  }
  const top = floor + 98;
  if (top + 48 < height) counts(moment, names, slot, top);
}

/** How often each place was taken, and looked into. @param {import("./kit.js").Moment} moment @param {string[]} names @param {number} slot @param {number} top */
function counts({ ctx, colors, a, width }, names, slot, top) {
  const most = Math.max(1, ...a.chosen.flat());
  names.forEach((_, place) => {
    const x = 12 + slot * (place + 0.5);
    const w = slot * 0.7;
    for (const role of [0, 1]) {
      bar(ctx, x - w / 2, top + role * 13, w, 9, clamp(a.chosen[role][place] / most, 0, 1), colors.team[role], colors.raised);
    }
  });
  text(ctx, `hidden (above) and looked for (below) so far; found ${a.found}, with the dog ${a.dogs} times`, width / 2, top + 38, { size: 11, color: colors.muted, align: "center", most: width - 16 });
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x @param {number} floor @param {number} s @param {number} place @param {string} fill @param {string} stroke
 */
function house(ctx, x, floor, s, place, fill, stroke) {
  const how = { fill, stroke, line: 2, closed: true };
  const half = s / 2;
  if (place === 0) {
    // A hatch in the ground.
    path(ctx, [[x - half, floor], [x - half * 0.6, floor - s * 0.45], [x + half * 0.6, floor - s * 0.45], [x + half, floor]], how);
    path(ctx, [[x, floor], [x, floor - s * 0.45]], { stroke, line: 2 });
    return;
  }
  const tall = [0, 0.62, 0.45, 0.7, 1.15][place] * s;
  const wide = [0, 1, 0.72, 0.62, 0.5][place] * half;
  path(ctx, [[x - wide, floor], [x - wide, floor - tall], [x, floor - tall - s * 0.32], [x + wide, floor - tall], [x + wide, floor]], how);
  if (place === 3) {
    for (const turn of [0.3, 1.87, 3.44, 5.01]) {
      path(ctx, [[x, floor - tall], [x + Math.cos(turn) * s * 0.45, floor - tall + Math.sin(turn) * s * 0.45]], { stroke, line: 3 });
    }
  }
  if (place === 4) for (const w of [0.3, 0.6, 0.9]) box(ctx, x - 3, floor - tall * w - 4, 6, 8, { fill: stroke, radius: 1 });
}

/** @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} y @param {number} r @param {string} color */
function padlock(ctx, x, y, r, color) {
  box(ctx, x - r, y, r * 2, r * 1.7, { fill: color, radius: 2 });
  ctx.beginPath();
  ctx.arc(x, y, r * 0.66, Math.PI, 0);
  ctx.strokeStyle = color;
  ctx.lineWidth = r * 0.4;
  ctx.stroke();
}

/** @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} floor @param {number} s @param {string} color */
function person(ctx, x, floor, s, color) {
  disc(ctx, x, floor - s * 0.98, s * 0.24, { fill: color });
  path(ctx, [[x - s * 0.3, floor], [x - s * 0.22, floor - s * 0.68], [x + s * 0.22, floor - s * 0.68], [x + s * 0.3, floor]], { fill: color, closed: true });
}

/** @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} y @param {number} s @param {string} color */
function dog(ctx, x, y, s, color) {
  box(ctx, x - s, y - s * 0.3, s * 1.6, s * 0.7, { fill: color, radius: s * 0.3 });
  disc(ctx, x + s * 0.8, y - s * 0.3, s * 0.42, { fill: color });
  for (const leg of [-0.75, 0.35]) box(ctx, x + leg * s, y + s * 0.2, s * 0.22, s * 0.7, { fill: color, radius: 2 });
  path(ctx, [[x - s, y - s * 0.1], [x - s * 1.4, y - s * 0.6]], { stroke: color, line: s * 0.2 });
}

/** @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} y @param {number} s @param {string} color */
function lantern(ctx, x, y, s, color) {
  disc(ctx, x, y + s * 0.3, s * 0.9, { fill: color });
  box(ctx, x - s * 0.5, y - s * 0.9, s, s * 0.4, { fill: color, radius: 2 });
  disc(ctx, x, y + s * 0.3, s * 0.4, { fill: "#fff2c4" });
}

/** @param {any} a @param {import("./kit.js").Moment} moment */
function describe(a, moment) {
  const hide = chosen(moment, 0, 0);
  const look = chosen(moment, 1, 0);
  const tool = chosen(moment, 1, 1);
  const said = hide && look ? ` The hider is in the ${hide.name}, the seeker looks into the ${look.name} with the ${tool?.name ?? "lantern"}.` : "";
  const locked = a.locked === null || a.locked === undefined ? "" : ` The ${PLACES[a.locked]} is locked.`;
  return `Round ${a.round + 1}.${locked}${said} The hider has ${number(a.lead, 1)}.`;
}

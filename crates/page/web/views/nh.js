// Two fighters on tiles: what they wear, pray, do and suffer.

import { bar, box, chip, clamp, disc, flat, measure, mix, path, seatName, text } from "./kit.js";
import { figure, made, overhead, spark, styleColors, weapon, worn } from "./nh_icons.js";
import { boostsOf, overheadOf, told } from "./nh_words.js";

const SLOTS = ["head", "cape", "neck", "weapon", "body", "shield", "legs", "hands", "feet", "ring", "ammo"];
const TIMERS = [
  ["attack", "attack"], ["freeze", "frozen"], ["immunity", "immune"], ["food", "food"], ["potion", "potion"], ["karambwan", "karam."], ["vengeance", "veng. wait"],
];
const SUPPLIES = [
  ["shark", "shark"], ["anglerfish", "angler"], ["karambwan", "karam."], ["brew", "brew"], ["restore", "restore"], ["combat", "combat"], ["ranging", "ranging"],
];
/** From this width on panels stand beside the arena. */
const WIDE = 700;

/** @type {(root: HTMLElement, match: import("./types.js").Match) => import("./types.js").View} */
export function create(root, match) {
  /** @type {Map<number, import("./nh_words.js").Said[]>} */
  const heard = new Map();
  return flat(root, match, {
    paint: (moment) => paint(moment, heard),
    describe,
    height: (width) => (width >= WIDE ? 470 : 690),
  });
}

/** @param {import("./kit.js").Moment} moment @param {Map<number, import("./nh_words.js").Said[]>} heard */
function paint(moment, heard) {
  const { width, height } = moment;
  if (width >= WIDE) {
    const side = clamp(width * 0.25, 210, 270);
    panel(moment, 0, 12, 12, side, height - 24);
    panel(moment, 1, width - side - 12, 12, side, height - 24);
    const left = side + 24;
    const wide = width - 2 * left;
    const tall = height - 24 - 132;
    arena(moment, left, 12, wide, tall);
    feed(moment, heard, left, 24 + tall, wide, height - tall - 36);
  } else {
    // Where there is not enough room for all, the feed goes first, then what is carried.
    const tall = clamp(height - 400, 200, 250);
    arena(moment, 8, 8, width - 16, tall);
    const half = (width - 24) / 2;
    const panels = Math.min(292, height - tall - 24);
    panel(moment, 0, 8, tall + 16, half, panels);
    panel(moment, 1, 16 + half, tall + 16, half, panels);
    const left = height - tall - panels - 32;
    if (left > 40) feed(moment, heard, 8, tall + panels + 24, width - 16, left);
  }
}

/** @param {import("./kit.js").Moment} moment @param {number} left @param {number} top @param {number} wide @param {number} tall */
function arena(moment, left, top, wide, tall) {
  const { ctx, colors, a, b, t, scene } = moment;
  ctx.save();
  box(ctx, left, top, wide, tall, { fill: colors.dark ? "#1d2620" : "#e6ecdf", radius: 8 });
  ctx.beginPath();
  ctx.roundRect(left, top, wide, tall, 8);
  ctx.clip();
  const at = [0, 1].map((who) => [0, 1].map((axis) => mix(a.fighters[who].at[axis], b.fighters[who].at[axis], t)));
  const middle = [0, 1].map((axis) => (at[0][axis] + at[1][axis]) / 2);
  const apart = Math.max(Math.abs(at[0][0] - at[1][0]) / (wide / tall), Math.abs(at[0][1] - at[1][1]));
  // Heads and what hangs over them need room above the tiles.
  const tile = clamp((tall - 150) / Math.max(3, apart), 10, 58);
  const x = (/** @type {number} */ east) => left + wide / 2 + (east - middle[0]) * tile;
  const y = (/** @type {number} */ north) => top + tall * 0.58 - (north - middle[1]) * tile;

  // Tiles, a quiet chequer that moves with the ground.
  const [fromX, toX] = [Math.floor(middle[0] - wide / 2 / tile) - 1, Math.ceil(middle[0] + wide / 2 / tile) + 1];
  const [fromY, toY] = [Math.floor(middle[1] - tall / tile) - 1, Math.ceil(middle[1] + tall / tile) + 1];
  ctx.fillStyle = colors.dark ? "#212c25" : "#dde5d4";
  for (let east = fromX; east <= toX; east++) {
    for (let north = fromY; north <= toY; north++) {
      if ((east + north) & 1) ctx.fillRect(x(east) - tile / 2, y(north) - tile / 2, tile + 0.5, tile + 0.5);
    }
  }
  for (const home of scene.homes ?? []) {
    box(ctx, x(home[0]) - tile / 2 + 2, y(home[1]) - tile / 2 + 2, tile - 4, tile - 4, { stroke: colors.line, radius: 4 });
  }
  [0, 1].forEach((who) => {
    box(ctx, x(at[who][0]) - tile / 2 + 1, y(at[who][1]) - tile / 2 + 1, tile - 2, tile - 2, { fill: colors.soft[who], stroke: colors.team[who], radius: 4 });
  });

  const size = clamp(tile * 1.5, 44, 92);
  // Who is further north stands behind.
  const order = at[0][1] >= at[1][1] ? [0, 1] : [1, 0];
  const shift = Math.abs(at[0][0] - at[1][0]) * tile < size * 0.5 && Math.abs(at[0][1] - at[1][1]) * tile < size * 0.5 ? size * 0.3 : 0;
  const spots = [0, 1].map((who) => [x(at[who][0]) + (who ? shift : -shift), y(at[who][1]) + tile * 0.28]);
  missiles(moment, spots, size);
  for (const who of order) token(moment, who, spots, size);
  ctx.restore();
  text(ctx, `tick ${a.tick}`, left + 12, top + 16, { size: 13, weight: 600, color: colors.text });
  text(ctx, String(scene.fight_type ?? "").replaceAll("_", " "), left + wide - 12, top + 16, { size: 12, color: colors.muted, align: "right" });
}

/** Hits on their way. @param {import("./kit.js").Moment} moment @param {number[][]} spots @param {number} size */
function missiles({ ctx, colors, a, t }, spots, size) {
  const styles = styleColors(colors);
  [0, 1].forEach((who) => {
    const from = spots[1 - who];
    const to = spots[who];
    for (const hit of a.fighters[who].incoming) {
      if (hit.style === "melee") continue;
      // It lands when no tick is left; at most five are seen.
      const share = clamp(1 - (hit.ticks + 1 - t) / 5, 0.05, 1);
      const [px, py] = [mix(from[0], to[0], share), mix(from[1] - size * 0.6, to[1] - size * 0.5, share)];
      if (hit.style === "magic") spark(ctx, px, py, size * 0.16, styles.magic);
      else weapon(ctx, px, py, size * 0.12, "javelin", styles.ranged);
    }
  });
}

/** A fighter with what hangs over it. @param {import("./kit.js").Moment} moment @param {number} who @param {number[][]} spots @param {number} size */
function token({ ctx, colors, a, b, t, options }, who, spots, size) {
  const fighter = a.fighters[who];
  const [x, foot] = spots[who];
  const facing = spots[1 - who][0] >= x ? 1 : -1;
  const frozen = fighter.timers.freeze ?? 0;
  ctx.beginPath();
  ctx.ellipse(x, foot, size * 0.3, size * 0.1, 0, 0, 2 * Math.PI);
  ctx.fillStyle = colors.dark ? "rgba(0,0,0,.45)" : "rgba(40,50,40,.2)";
  ctx.fill();
  if (options.selectedSeat === who) {
    ctx.strokeStyle = colors.team[who];
    ctx.lineWidth = 2.5;
    ctx.stroke();
  }
  // A blow is a short step forward.
  const lunge = fighter.did.attack?.style === "melee" ? Math.sin(Math.min(1, t * 2) * Math.PI) * size * 0.14 : 0;
  figure(ctx, x + lunge * facing, foot, size, { fighter, facing, team: colors.team[who], colors, fallen: fighter.dying });
  if (frozen) {
    ctx.globalAlpha = 0.4;
    path(ctx, [[x - size * 0.34, foot + 3], [x - size * 0.2, foot - size * 0.34], [x, foot - size * 0.16], [x + size * 0.18, foot - size * 0.38], [x + size * 0.36, foot + 3]], { fill: colors.dark ? "#8fd0ff" : "#4aa3e0", closed: true });
    ctx.globalAlpha = 1;
    text(ctx, `❄ ${frozen}`, x, foot + 13, { size: 12, weight: 700, color: colors.dark ? "#a9dcff" : "#1c6ea8", align: "center" });
  }
  const head = foot - size * (fighter.dying ? 0.5 : 1.05);
  const wide = Math.max(40, size * 0.72);
  const share = mix(fighter.hp[0], b.fighters[who].hp[0], t) / Math.max(1, fighter.hp[1]);
  bar(ctx, x - wide / 2, head - 9, wide, 6, share, share < 0.3 ? colors.bad : colors.good, colors.dark ? "#4a2020" : "#f1c9c9");
  const kind = overheadOf(fighter);
  if (kind) overhead(ctx, x, head - 24, 12, kind, colors);
  if (fighter.vengeance) spark(ctx, x + wide / 2 + 9, head - 6, 7, colors.warn);
  fighter.splats.forEach((/** @type {number} */ damage, /** @type {number} */ i) => {
    const [sx, sy] = [x + (i - (fighter.splats.length - 1) / 2) * 28, foot - size * 0.48 - t * 6];
    ctx.globalAlpha = clamp(2.2 - 2 * t, 0, 1);
    splat(ctx, sx, sy, 14, damage > 0 ? colors.bad : "#2f6fde");
    text(ctx, damage, sx, sy + 0.5, { size: 13, weight: 700, color: "#ffffff", align: "center" });
    ctx.globalAlpha = 1;
  });
}

/** @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} y @param {number} r @param {string} color */
function splat(ctx, x, y, r, color) {
  const points = [];
  for (let i = 0; i < 20; i++) {
    const far = i % 2 ? r * 0.84 : r * 1.08;
    points.push([x + Math.cos((i * Math.PI) / 10) * far, y + Math.sin((i * Math.PI) / 10) * far]);
  }
  path(ctx, points, { fill: color, stroke: "#ffffff", line: 1, closed: true });
}

/** Everything about one fighter. @param {import("./kit.js").Moment} moment @param {number} who @param {number} left @param {number} top @param {number} wide @param {number} tall */
function panel(moment, who, left, top, wide, tall) {
  const { ctx, colors, a, b, t, match, options, scene } = moment;
  const fighter = a.fighters[who];
  const on = options.selectedSeat === who;
  box(ctx, left, top, wide, tall, { fill: colors.panel, stroke: on ? colors.team[who] : colors.line, line: on ? 2 : 1, radius: 8 });
  box(ctx, left, top, wide, 4, { fill: colors.team[who], radius: 2 });
  const [x, inner] = [left + 10, wide - 20];
  text(ctx, seatName(match, who, `fighter ${who + 1}`), x, top + 20, { size: 13, weight: 700, color: colors.text, most: inner - 66 });
  text(ctx, scene.builds?.[who] ?? "", left + wide - 10, top + 20, { size: 11, color: colors.muted, align: "right", most: 64 });

  let y = top + 40;
  const life = mix(fighter.hp[0], b.fighters[who].hp[0], t);
  const rows = [
    ["life", life / fighter.hp[1], `${Math.round(life)}/${fighter.hp[1]}`, life / fighter.hp[1] < 0.3 ? colors.bad : colors.good],
    ["prayer", fighter.prayer[0] / Math.max(1, fighter.prayer[1]), `${fighter.prayer[0]}/${fighter.prayer[1]}`, colors.team[0]],
    [fighter.special ? "special!" : "special", fighter.energy / 100, `${fighter.energy} %`, colors.warn],
  ];
  for (const [name, share, words, color] of rows) {
    text(ctx, name, x, y, { size: 11, weight: name === "special!" ? 700 : 400, color: colors.muted });
    bar(ctx, x + 48, y - 5, Math.max(10, inner - 48 - 52), 10, Number(share), String(color), colors.raised);
    text(ctx, words, left + wide - 10, y, { size: 11, weight: 600, color: colors.text, align: "right" });
    y += 18;
  }

  // Gear, eleven places in two rows.
  const cell = Math.min(30, (inner - 5 * 4) / 6);
  const styles = styleColors(colors);
  y += 2;
  SLOTS.forEach((slot, i) => {
    const [cx, cy] = [x + (i % 6) * (cell + 4), y + Math.floor(i / 6) * (cell + 4)];
    const name = fighter.worn[slot];
    box(ctx, cx, cy, cell, cell, { fill: colors.raised, radius: 4 });
    if (name) worn(ctx, cx + cell / 2, cy + cell / 2, cell * 0.32, slot, name, styles[made(name)]);
  });
  const over = overheadOf(fighter);
  const [ox, oy] = [x + 5 * (cell + 4), y + cell + 4];
  if (over) overhead(ctx, ox + cell / 2, oy + cell / 2, cell * 0.46, over, colors);
  else box(ctx, ox, oy, cell, cell, { stroke: colors.faint, radius: cell / 2 });
  y += 2 * (cell + 4) + 12;
  text(ctx, fighter.worn.weapon ?? "bare hands", x, y, { size: 12, weight: 600, color: styles[/** @type {"melee"} */ (fighter.style)] ?? colors.text, most: inner });
  y += 16;
  text(ctx, boostsOf(fighter).join(", ") || "no other prayer", x, y, { size: 11, color: colors.muted, most: inner });
  y += 18;

  y = chips(ctx, x, y, inner, TIMERS.flatMap(([key, name]) => (fighter.timers[key] ? [`${name} ${fighter.timers[key]}`] : [])), top + tall - 34, (words) => ({
    fill: words.startsWith("frozen") ? colors.soft[0] : colors.raised, color: words.startsWith("frozen") ? colors.team[0] : colors.text,
  }));
  const lowered = Object.entries(fighter.levels).map(([name, by]) => `${name} ${Number(by) > 0 ? "+" : "−"}${Math.abs(Number(by))}`);
  y = chips(ctx, x, y, inner, lowered, top + tall - 34, (words) => ({ fill: colors.raised, color: words.includes("−") ? colors.bad : colors.good }));
  chips(ctx, x, y, inner, SUPPLIES.flatMap(([key, name]) => (fighter.supplies[key] ? [`${fighter.supplies[key]} ${name}`] : [])), top + tall, () => ({ fill: colors.ground, color: colors.muted }));
}

/**
 * Chips in rows; returns where the next row begins.
 * @param {CanvasRenderingContext2D} ctx @param {number} left @param {number} top @param {number} wide @param {string[]} all @param {number} end
 * @param {(words: string) => {fill: string, color: string}} how
 */
function chips(ctx, left, top, wide, all, end, how) {
  let [x, y] = [left, top];
  for (const words of all) {
    const w = measure(ctx, words, 10, 600) + 10;
    if (x > left && x + w > left + wide) {
      x = left;
      y += 20;
    }
    if (y + 8 > end) return y;
    chip(ctx, words, x, y, { ...how(words), size: 10 });
    x += w + 4;
  }
  return all.length ? y + 21 : y;
}

/** The last events, newest first. @param {import("./kit.js").Moment} moment @param {Map<number, import("./nh_words.js").Said[]>} heard @param {number} left @param {number} top @param {number} wide @param {number} tall */
function feed(moment, heard, left, top, wide, tall) {
  const { ctx, colors, a, options, match } = moment;
  box(ctx, left, top, wide, tall, { fill: colors.panel, stroke: colors.line, radius: 8 });
  const rows = Math.floor((tall - 10) / 17);
  const step = options.step ?? 0;
  let y = top + 14;
  let left_over = rows;
  for (let i = step; i >= 1 && left_over > 0 && i > step - 40; i--) {
    let said = heard.get(i);
    if (!said) {
      const [before, now] = [options.frameAt?.(i - 1), i === step ? a : options.frameAt?.(i)];
      if (!before || !now) break;
      said = told(before, now);
      heard.set(i, said);
    }
    const tick = (options.frameAt?.(i) ?? a).tick ?? i;
    for (const one of said.slice(0, left_over)) {
      text(ctx, tick, left + 34, y, { size: 11, color: colors.muted, align: "right" });
      disc(ctx, left + 46, y, 3.5, { fill: colors.team[one.who] });
      const name = seatName(match, one.who, `fighter ${one.who + 1}`);
      const named = text(ctx, name, left + 56, y, { size: 12, weight: 600, color: i === step ? colors.text : colors.muted, most: wide * 0.3 });
      const color = one.kind === "end" ? colors.bad : i === step ? colors.text : colors.muted;
      text(ctx, one.text, left + 60 + named, y, { size: 12, color, most: wide - 70 - named });
      y += 17;
      left_over--;
    }
  }
  if (left_over === rows) text(ctx, "nothing has happened yet", left + wide / 2, top + tall / 2, { size: 12, color: colors.muted, align: "center" });
}

/** @param {any} a @param {import("./kit.js").Moment} moment */
function describe(a, { match }) {
  const sides = a.fighters.map((/** @type {any} */ fighter, /** @type {number} */ who) => {
    const over = overheadOf(fighter);
    const prays = over ? `, prays ${over}` : "";
    const frozen = fighter.timers.freeze ? `, frozen for ${fighter.timers.freeze}` : "";
    return `${seatName(match, who, `fighter ${who + 1}`)} has ${fighter.hp[0]} of ${fighter.hp[1]} life, wields ${fighter.worn.weapon ?? "nothing"}${prays}${frozen}`;
  });
  return `Tick ${a.tick}: ${sides.join("; ")}.`;
}

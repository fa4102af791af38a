// Survivors, infected and shots on the map from above, and the director beside it.

import { bar, box, chip, clamp, clock, disc, flat, measure, mix, mixDegrees, number, path, seatName, text } from "./kit.js";
import { eventWords, latestEvents } from "./survivors_events.js";
import { boundsOf, fit, layersOf, paintMap } from "./survivors_map.js";

/** From this width on the panel stands beside the map. */
const WIDE = 720;
const NAMES = ["1", "2", "3", "4"];
const PHASES = ["build_up", "sustain", "fade", "relax"];
/** Letters of the classes; a tank and a witch are drawn larger. */
const CLASSES = {
  hunter: "H", smoker: "S", boomer: "B", jockey: "J", charger: "C", spitter: "P", tank: "T", witch: "W",
};

/** @type {(root: HTMLElement, match: import("./types.js").Match) => import("./types.js").View} */
export function create(root, match) {
  const scene = match.static ?? {};
  const layers = layersOf(scene);
  const bounds = boundsOf(scene);
  /** The whole map, painted once. @type {{key: string, image: HTMLCanvasElement}|null} */
  let kept = null;
  const background = (/** @type {string} */ key, /** @type {number} */ wide, /** @type {number} */ tall, /** @type {(ctx: CanvasRenderingContext2D) => void} */ paintInto) => {
    if (kept?.key !== key) {
      const image = document.createElement("canvas");
      image.width = Math.round(wide * 2);
      image.height = Math.round(tall * 2);
      const ctx = /** @type {CanvasRenderingContext2D} */ (image.getContext("2d"));
      ctx.scale(2, 2);
      paintInto(ctx);
      kept = { key, image };
    }
    return kept.image;
  };
  return flat(root, match, {
    paint: (moment) => paint(moment, { layers, bounds, background }),
    describe,
    height: (width) => (width >= WIDE ? 500 : 700),
    controls: [{ name: "camera", label: "Map", key: "c", values: [{ value: "near", label: "near the survivors" }, { value: "whole", label: "whole map" }] }],
  });
}

/**
 * @param {import("./kit.js").Moment} moment
 * @param {{layers: ReturnType<typeof layersOf>, bounds: number[], background: Function}} map
 */
function paint(moment, map) {
  const { width, height } = moment;
  if (width >= WIDE) {
    const side = clamp(width * 0.28, 230, 300);
    field(moment, map, 12, 12, width - side - 36, height - 24);
    panel(moment, width - side - 12, 12, side, height - 24);
  } else {
    const tall = Math.min(330, height * 0.5);
    field(moment, map, 8, 8, width - 16, tall);
    panel(moment, 8, tall + 16, width - 16, height - tall - 24);
  }
}

/** uu around those who live that the near camera shows, and at least from its middle. */
const [AROUND, LEAST] = [260, 420];

/** What the near camera shows: all who live, with room around them, and no more of what is beside the map than it must. @param {any} a @param {any} b @param {number} t @param {number} aspect @param {number[]} bounds of the map */
function nearBounds(a, b, t, aspect, bounds) {
  const living = a.survivors.filter((/** @type {any} */ s) => s.state !== "dead");
  const points = (living.length ? living : a.survivors).map((/** @type {any} */ s) => {
    const next = b.survivors.find((/** @type {any} */ other) => other.seat === s.seat) ?? s;
    return [mix(s.at[0], next.at[0], t), mix(s.at[1], next.at[1], t)];
  });
  if (!points.length) return [-1000, -1000, 1000, 1000];
  const range = (/** @type {number} */ axis) => {
    const all = points.map((/** @type {number[]} */ p) => p[axis]);
    return [Math.min(...all), Math.max(...all)];
  };
  const [[x0, x1], [y0, y1]] = [range(0), range(1)];
  const half = Math.max(LEAST, (x1 - x0) / 2 / Math.max(1, aspect) + AROUND, ((y1 - y0) / 2) * Math.min(1, aspect) + AROUND);
  const [w, h] = aspect > 1 ? [half * aspect, half] : [half, half / aspect];
  // A camera near the edge of the map looks inwards.
  const inside = (/** @type {number} */ at, /** @type {number} */ reach, /** @type {number} */ low, /** @type {number} */ high) =>
    (2 * reach >= high - low ? (low + high) / 2 : clamp(at, low + reach, high - reach));
  const [mx, my] = [inside((x0 + x1) / 2, w, bounds[0] - EDGE, bounds[2] + EDGE), inside((y0 + y1) / 2, h, bounds[1] - EDGE, bounds[3] + EDGE)];
  return [mx - w, my - h, mx + w, my + h];
}

/** uu beside the map that are shown. */
const EDGE = 60;

/**
 * @param {import("./kit.js").Moment} moment
 * @param {{layers: ReturnType<typeof layersOf>, bounds: number[], background: Function}} map
 * @param {number} left @param {number} top @param {number} wide @param {number} tall
 */
function field(moment, map, left, top, wide, tall) {
  const { ctx, colors, a, b, t, options, scene } = moment;
  const whole = options.controls?.camera === "whole";
  ctx.save();
  box(ctx, left, top, wide, tall, { fill: colors.dark ? "#0c1016" : "#e9ecf0", radius: 8 });
  ctx.beginPath();
  ctx.roundRect(left, top, wide, tall, 8);
  ctx.clip();
  const projection = whole
    ? fit(map.bounds, left + 10, top + 10, wide - 20, tall - 20)
    : fit(nearBounds(a, b, t, wide / tall, map.bounds), left, top, wide, tall, false);
  if (whole) {
    const key = `${wide} ${tall} ${colors.dark}`;
    const here = fit(map.bounds, 10, 10, wide - 20, tall - 20);
    const image = map.background(key, wide, tall, (/** @type {CanvasRenderingContext2D} */ into) => paintMap(into, scene, map.layers, here, colors, [0, 0, wide, tall]));
    ctx.drawImage(image, left, top, wide, tall);
  } else {
    paintMap(ctx, scene, map.layers, projection, colors, [left, top, left + wide, top + tall]);
  }
  const unit = clamp(projection.scale * 100, 3.2, 15);
  things(moment, projection, unit);
  infected(moment, projection, unit);
  survivors(moment, projection, unit);
  shots(moment, projection);
  ctx.restore();
  const words = `${clock(a.seconds ?? 0)}`;
  box(ctx, left + 8, top + 8, 54, 24, { fill: colors.panel, radius: 6 });
  text(ctx, words, left + 35, top + 20.5, { size: 13, weight: 700, color: colors.text, align: "center" });
  if (a.ending) {
    const safe = a.ending === "safe";
    box(ctx, left + wide / 2 - 70, top + 8, 140, 28, { fill: safe ? colors.good : colors.bad, radius: 14 });
    text(ctx, safe ? "safe" : "lost", left + wide / 2, top + 22.5, { size: 14, weight: 700, color: colors.ground, align: "center" });
  }
  legend(moment, left + 8, top + tall - 14, wide - 16);
}

/** What lies about, burns or flies. @param {import("./kit.js").Moment} moment @param {import("./survivors_map.js").Projection} projection @param {number} unit */
function things({ ctx, colors, a }, { to, scale }, unit) {
  const r = clamp(unit * 0.55, 2.5, 7);
  for (const item of a.items) {
    const [x, y] = to(item.at);
    const kind = item.kind;
    if (kind === "medkit" || kind === "defibrillator") {
      box(ctx, x - r, y - r, 2 * r, 2 * r, { fill: "#ffffff", stroke: colors.bad, radius: 1 });
      path(ctx, [[x - r * 0.6, y], [x + r * 0.6, y]], { stroke: colors.bad, line: 1.5 });
      path(ctx, [[x, y - r * 0.6], [x, y + r * 0.6]], { stroke: colors.bad, line: 1.5 });
    } else if (kind === "pills" || kind === "adrenaline") {
      box(ctx, x - r * 0.5, y - r, r, 2 * r, { fill: colors.warn, radius: r * 0.5 });
    } else if (["pipe_bomb", "molotov", "vomit_jar"].includes(kind)) {
      path(ctx, [[x, y - r], [x + r, y + r], [x - r, y + r]], { fill: colors.team[3], closed: true });
    } else {
      box(ctx, x - r, y - r * 0.45, 2 * r, r * 0.9, { fill: kind === "ammunition" ? colors.text : colors.muted, radius: 1 });
    }
  }
  for (const hazard of a.hazards) {
    const [x, y] = to(hazard.at);
    if (hazard.radius) {
      ctx.globalAlpha = 0.5;
      disc(ctx, x, y, hazard.radius * scale, { fill: hazard.kind === "fire" ? "#f0762b" : "#7fbf3a" });
      ctx.globalAlpha = 1;
    } else {
      disc(ctx, x, y, r * 1.1, { fill: hazard.kind === "rock" ? colors.muted : "#f0762b", stroke: colors.text });
    }
  }
}

/** Pairs of commons that are the same one in two frames. @type {WeakMap<object, number[][]>} */
const paired = new WeakMap();

/** Where commons go: each to the nearest in the next frame, since they have no names. @param {any} a @param {any} b */
function commonsTo(a, b) {
  const known = paired.get(b);
  if (known && /** @type {any} */ (known).from === a) return known;
  const free = [...b.commons];
  const to = a.commons.map((/** @type {number[]} */ p) => {
    let best = -1;
    let near = 90 * 90;
    free.forEach((q, i) => {
      const far = (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2;
      if (far < near) [best, near] = [i, far];
    });
    return best < 0 ? p : free.splice(best, 1)[0];
  });
  /** @type {any} */ (to).from = a;
  paired.set(b, to);
  return to;
}

/** @param {import("./kit.js").Moment} moment @param {import("./survivors_map.js").Projection} projection @param {number} unit */
function infected({ ctx, colors, a, b, t, options }, { to }, unit) {
  const next = commonsTo(a, b);
  const r = clamp(unit * 0.42, 2, 6);
  a.commons.forEach((/** @type {number[]} */ p, /** @type {number} */ i) => {
    const q = next[i];
    const [x, y] = to([mix(p[0], q[0], t), mix(p[1], q[1], t)]);
    disc(ctx, x, y, r, { fill: colors.dark ? "#b0564f" : "#a8443c", stroke: colors.dark ? "#000000" : "#ffffff", line: 0.6 });
  });
  for (const one of a.specials) {
    const other = b.specials.find((/** @type {any} */ s) => s.id === one.id && s.class === one.class) ?? one;
    const [x, y] = to([mix(one.at[0], other.at[0], t), mix(one.at[1], other.at[1], t)]);
    const big = one.class === "tank" || one.class === "witch";
    const size = clamp(unit * (big ? 1.5 : 1), big ? 10 : 8, 20);
    const on = options.selectedSeat !== null && options.selectedSeat === one.seat;
    if (one.holds !== null && one.holds !== undefined) {
      const held = a.survivors.find((/** @type {any} */ s) => s.seat === one.holds);
      if (held) path(ctx, [[x, y], to(held.at)], { stroke: colors.bad, line: 2.5, dash: [4, 3] });
    }
    path(ctx, [[x, y - size], [x + size, y], [x, y + size], [x - size, y]], { fill: colors.bad, stroke: on ? colors.text : colors.ground, line: on ? 3 : 1.5, closed: true });
    text(ctx, CLASSES[/** @type {keyof typeof CLASSES} */ (one.class)] ?? one.class[0].toUpperCase(), x, y + 0.5, { size: clamp(size * 0.95, 10, 18), weight: 700, color: "#ffffff", align: "center" });
    if (one.burning) disc(ctx, x + size * 0.8, y - size * 0.8, size * 0.4, { fill: "#f0762b" });
  }
}

/** @param {import("./kit.js").Moment} moment @param {import("./survivors_map.js").Projection} projection @param {number} unit */
function survivors({ ctx, colors, a, b, t, options }, { to, along }, unit) {
  const r = clamp(unit, 8, 14);
  for (const one of a.survivors) {
    const next = b.survivors.find((/** @type {any} */ s) => s.seat === one.seat) ?? one;
    const [x, y] = to([mix(one.at[0], next.at[0], t), mix(one.at[1], next.at[1], t)]);
    const yaw = (mixDegrees(one.yaw, next.yaw, t) * Math.PI) / 180;
    const color = colors.kinds[one.seat % 4];
    if (one.state === "dead") {
      path(ctx, [[x - r * 0.7, y - r * 0.7], [x + r * 0.7, y + r * 0.7]], { stroke: color, line: 3 });
      path(ctx, [[x + r * 0.7, y - r * 0.7], [x - r * 0.7, y + r * 0.7]], { stroke: color, line: 3 });
      continue;
    }
    const look = along([Math.cos(yaw), Math.sin(yaw)]);
    const angle = Math.atan2(look[1], look[0]);
    ctx.globalAlpha = 0.28;
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.arc(x, y, r * 3.4, angle - 0.5, angle + 0.5);
    ctx.closePath();
    ctx.fillStyle = color;
    ctx.fill();
    ctx.globalAlpha = 1;
    const down = one.state === "down" || one.state === "hanging";
    disc(ctx, x, y, r, { fill: down ? colors.ground : color, stroke: options.selectedSeat === one.seat ? colors.text : colors.ground, line: options.selectedSeat === one.seat ? 3 : 1.5 });
    // Health goes round it.
    ctx.beginPath();
    ctx.arc(x, y, r + 3, -Math.PI / 2, -Math.PI / 2 + clamp((one.left ?? one.health) / 100, 0, 1) * 2 * Math.PI);
    ctx.strokeStyle = (one.left ?? one.health) < 40 ? colors.bad : colors.good;
    ctx.lineWidth = 3;
    ctx.stroke();
    text(ctx, NAMES[one.seat] ?? one.seat, x, y + 0.5, { size: clamp(r * 1.1, 10, 14), weight: 700, color: down ? color : "#ffffff", align: "center" });
    if (one.state !== "up") text(ctx, one.state, x, y + r + 13, { size: 11, weight: 700, color: colors.bad, align: "center" });
    else if (one.biled) text(ctx, "bile", x, y + r + 13, { size: 11, weight: 700, color: "#6b9a1f", align: "center" });
    else if (one.doing) text(ctx, one.doing.what, x, y + r + 13, { size: 11, weight: 600, color: colors.text, align: "center" });
  }
}

/** @param {import("./kit.js").Moment} moment @param {import("./survivors_map.js").Projection} projection */
function shots({ ctx, colors, a, t }, { to }) {
  ctx.globalAlpha = clamp(1 - t, 0, 1) * 0.9;
  for (const [from, end] of a.shots) path(ctx, [to(from), to(end)], { stroke: colors.dark ? "#ffe27a" : "#c98a00", line: 1.2 });
  ctx.globalAlpha = 1;
}

/** @param {import("./kit.js").Moment} moment @param {number} left @param {number} y @param {number} wide */
function legend({ ctx, colors, a }, left, y, wide) {
  const parts = [`${a.commons.length} commons`, ...a.specials.map((/** @type {any} */ s) => s.class)];
  const words = parts.join(", ");
  ctx.globalAlpha = 0.85;
  box(ctx, left, y - 11, Math.min(wide, measure(ctx, words, 11) + 16), 22, { fill: colors.panel, radius: 6 });
  ctx.globalAlpha = 1;
  text(ctx, words, left + 8, y, { size: 11, color: colors.text, most: wide - 16 });
}

/** @param {import("./kit.js").Moment} moment @param {number} left @param {number} top @param {number} wide @param {number} tall */
function panel(moment, left, top, wide, tall) {
  const { ctx, colors, a, scene } = moment;
  box(ctx, left, top, wide, tall, { fill: colors.panel, stroke: colors.line, radius: 8 });
  const [x, inner] = [left + 12, wide - 24];
  let y = top + 18;
  text(ctx, "way", x, y, { size: 11, color: colors.muted });
  const way = scene.flow_length ? a.flow / scene.flow_length : 0;
  bar(ctx, x + 44, y - 5, inner - 90, 10, way, colors.team[0], colors.raised);
  text(ctx, `${Math.round(way * 100)} %`, x + inner, y, { size: 11, weight: 600, color: colors.text, align: "right" });
  y += 22;

  text(ctx, "director", x, y, { size: 12, weight: 700, color: colors.text });
  text(ctx, `${a.mobs} mobs${a.panic ? ", panic" : ""}`, x + inner, y, { size: 11, color: a.panic ? colors.bad : colors.muted, align: "right" });
  y += 20;
  const w = inner / PHASES.length;
  PHASES.forEach((phase, i) => {
    const on = String(a.phase).replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase() === phase;
    box(ctx, x + i * w + 1, y - 10, w - 2, 20, { fill: on ? colors.team[1] : colors.raised, radius: 4 });
    text(ctx, phase.replace("_", " "), x + (i + 0.5) * w, y + 0.5, { size: 10.5, weight: on ? 700 : 400, color: on ? colors.ground : colors.muted, align: "center", most: w - 6 });
  });
  y += 18;
  const graph = clamp(tall - 300, 40, 90);
  curve(moment, x, y, inner, graph);
  y += graph + 16;

  const room = Math.max(38, Math.min(58, (top + tall - y - 4) / Math.max(1, a.survivors.length)));
  for (const one of a.survivors) {
    if (y + 30 > top + tall) break;
    row(moment, one, x, y, inner, room);
    y += room;
  }
  const lines = Math.floor((top + tall - y - 2) / 14);
  for (const { seconds, words } of latestEvents(a, moment.options, Math.max(0, lines))) {
    text(ctx, clock(seconds), x, y + 6, { size: 10.5, color: colors.muted });
    text(ctx, words, x + 40, y + 6, { size: 10.5, color: colors.text, most: inner - 40 });
    y += 14;
  }
}

/** One survivor in words and bars. @param {import("./kit.js").Moment} moment @param {any} one @param {number} x @param {number} y @param {number} wide @param {number} room */
function row({ ctx, colors, match, options }, one, x, y, wide, room) {
  const color = colors.kinds[one.seat % 4];
  if (options.selectedSeat === one.seat) box(ctx, x - 6, y - 6, wide + 12, room - 2, { fill: colors.raised, radius: 6 });
  disc(ctx, x + 9, y + 9, 9, { fill: color });
  text(ctx, NAMES[one.seat] ?? one.seat, x + 9, y + 9.5, { size: 11, weight: 700, color: "#ffffff", align: "center" });
  const name = seatName(match, one.seat, `survivor ${one.seat + 1}`);
  text(ctx, name, x + 26, y + 3, { size: 12, weight: 600, color: colors.text, most: wide * 0.45 });
  const alive = one.state !== "dead";
  const hands = one.state === "up" ? `${one.gun} ${one.clip}` : one.state;
  text(ctx, hands, x + wide, y + 3, { size: 11, color: one.state === "up" ? colors.muted : colors.bad, align: "right", most: wide * 0.42 });
  const long = wide - 62;
  const lasting = clamp(one.health / 100, 0, 1);
  bar(ctx, x + 26, y + 12, long, 8, alive ? clamp((one.left ?? one.health) / 100, 0, 1) : 0, colors.warn, colors.raised);
  if (alive && one.state === "up") bar(ctx, x + 26, y + 12, long * lasting, 8, 1, lasting < 0.4 ? colors.bad : colors.good, colors.raised);
  text(ctx, alive ? Math.ceil(one.left ?? one.health) : "–", x + wide, y + 16.5, { size: 11, weight: 600, color: colors.text, align: "right" });
  if (room >= 46) {
    let cx = x + 26;
    for (const thing of one.carries ?? []) {
      if (cx > x + wide - 60) break;
      cx += chip(ctx, thing.replace("_", " "), cx, y + 32, { fill: colors.ground, color: colors.muted, size: 10 }) + 4;
    }
  }
}

/** Intensity of late and what the director aims at. @param {import("./kit.js").Moment} moment @param {number} left @param {number} top @param {number} wide @param {number} tall */
function curve({ ctx, colors, a, options }, left, top, wide, tall) {
  box(ctx, left, top, wide, tall, { fill: colors.ground, radius: 4 });
  const step = options.step ?? 0;
  const back = 300;
  const x = (/** @type {number} */ i) => left + wide - ((step - i) / back) * wide;
  const y = (/** @type {number} */ v) => top + tall - 3 - clamp(v, 0, 1) * (tall - 6);
  /** @type {number[][]} */
  const line = [];
  /** @type {number[][]} */
  const stress = [];
  const every = Math.max(1, Math.floor(back / Math.max(60, wide / 2)));
  for (let i = Math.max(0, step - back); i <= step; i += every) {
    const frame = options.frameAt?.(i);
    if (!frame) continue;
    line.push([x(i), y(frame.intensity)]);
    stress.push([x(i), y(frame.stress)]);
  }
  line.push([x(step), y(a.intensity)]);
  stress.push([x(step), y(a.stress)]);
  if (a.target) path(ctx, [[left, y(a.target)], [left + wide, y(a.target)]], { stroke: colors.muted, line: 1, dash: [3, 3] });
  path(ctx, stress, { stroke: colors.team[0], line: 1.3 });
  path(ctx, [...line, [x(step), top + tall], [line[0][0], top + tall]], { fill: colors.soft[1], closed: true });
  path(ctx, line, { stroke: colors.team[1], line: 2 });
  path(ctx, stress, { stroke: colors.team[0], line: 1.3 });
  text(ctx, `intensity ${number(a.intensity)}`, left + 6, top + 10, { size: 10.5, weight: 600, color: colors.team[1] });
  text(ctx, `stress ${number(a.stress)}, aim ${number(a.target ?? 0)}`, left + wide - 6, top + 10, { size: 10.5, color: colors.team[0], align: "right", most: wide * 0.6 });
}

/** @param {any} a */
function describe(a) {
  const living = a.survivors.filter((/** @type {any} */ s) => s.state !== "dead");
  const health = living.map((/** @type {any} */ s) => `${NAMES[s.seat] ?? s.seat} ${Math.ceil(s.left ?? s.health)}${s.state === "up" ? "" : ` (${s.state})`}`);
  const specials = a.specials.map((/** @type {any} */ s) => s.class).join(", ") || "no specials";
  const happened = eventWords(a);
  return `${clock(a.seconds ?? 0)}: health ${health.join(", ") || "of nobody"}; ${a.commons.length} commons, ${specials}; the director's phase is ${String(a.phase).replace("_", " ")}, intensity ${number(a.intensity)}.${happened.length ? ` ${happened.join("; ")}.` : ""}`;
}

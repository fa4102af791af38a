// Rocket League in three dimensions: field, cars, ball, boost and pads, with score and clock over it.

import { bar, box, clamp, clock, disc, measure, palette, path, seatName, text } from "./kit.js";
import { Shape, add, axes, between, length, lookAt, moved, multiply, perspective, placed, quaternion, renderer, rgb, slerp, sub, unit } from "./gl.js";
import { carShape, fieldOf, floorShape, outline, paints, wallShape } from "./rocket_field.js";

/** uu a second: whoever is faster was put somewhere else. */
const TELEPORT = 7000;
const CAMERAS = [
  { value: "side", label: "from the side" },
  { value: "orbit", label: "orbit" },
  { value: "ball", label: "ball cam" },
  { value: "car", label: "behind the car" },
  { value: "above", label: "from above" },
];

/** Below this width rows are short. */
const SMALL = 520;
/** Where one stands in the orbit at first: radians, and uu from the middle. */
const ORBIT = { turn: 0.55, rise: 0.5, far: 9500 };
const [NEAREST, FARTHEST] = [1500, 18000];

/** A place of a frame on our axes. @param {number[]} p @returns {number[]} */
const mirrored = (p) => [-p[0], p[1], p[2]];

/** @type {(root: HTMLElement, match: import("./types.js").Match) => import("./types.js").View} */
export function create(root, match) {
  const canvas = document.createElement("canvas");
  const over = document.createElement("canvas");
  for (const one of [canvas, over]) {
    one.style.display = "block";
    one.style.position = "absolute";
    one.style.left = "0";
    one.style.top = "0";
  }
  const holder = document.createElement("div");
  holder.style.position = "relative";
  holder.append(canvas, over);
  root.append(holder);
  over.setAttribute("role", "img");
  over.style.touchAction = "none";
  const ctx = /** @type {CanvasRenderingContext2D} */ (over.getContext("2d"));
  const field = fieldOf(match.static);
  const render = renderer(canvas);
  const meshes = render ? new Meshes(render, match, field) : null;
  const orbit = { ...ORBIT };
  let [width, height, ratio] = [1, 1, 1];
  let said = "";
  let inOrbit = false;
  /** The page's own, of the last picture. @type {Record<string, string>|null} */
  let controls = null;

  /** Moves in the orbit, and goes there first. @param {number} turn @param {number} rise @param {number} nearer */
  function move(turn, rise, nearer) {
    if (controls) controls.camera = "orbit";
    orbit.turn += turn;
    orbit.rise = clamp(orbit.rise + rise, 0.03, 1.5);
    orbit.far = clamp(orbit.far * nearer, NEAREST, FARTHEST);
    view.onchange?.();
  }

  /** @type {import("./types.js").View} */
  const view = {
    controls: [{ name: "camera", label: "Camera", key: "c", values: CAMERAS }],
    onchange: null,
    height: (wide) => clamp(wide * 0.56, 240, 720),
    describe: () => said,
    keys: [
      { keys: "h", about: "orbit: turns to the left", run: () => move(-0.15, 0, 1) },
      { keys: "l", about: "orbit: turns to the right", run: () => move(0.15, 0, 1) },
      { keys: "k", about: "orbit: rises", run: () => move(0, 0.1, 1) },
      { keys: "j", about: "orbit: sinks", run: () => move(0, -0.1, 1) },
      { keys: "+, =", about: "orbit: closer", run: () => move(0, 0, 0.85) },
      { keys: "-", about: "orbit: farther", run: () => move(0, 0, 1 / 0.85) },
    ],
    place() {
      const degrees = (/** @type {number} */ angle) => ((((angle * 180) / Math.PI) % 360 + 360) % 360).toFixed(1).replace(/\.0$/, "");
      const first = Object.keys(ORBIT).every((name) => Math.abs(orbit[/** @type {keyof typeof ORBIT} */ (name)] - ORBIT[/** @type {keyof typeof ORBIT} */ (name)]) < 1e-9);
      return { orbit: first ? null : `${degrees(orbit.turn)},${degrees(orbit.rise)},${Math.round(orbit.far)}` };
    },
    stand(get) {
      const said = (get("orbit") ?? "").split(",").map(Number);
      if (said.length !== 3 || !said.every(Number.isFinite)) return;
      orbit.turn = (said[0] * Math.PI) / 180;
      orbit.rise = clamp((said[1] * Math.PI) / 180, 0.03, 1.5);
      orbit.far = clamp(said[2], NEAREST, FARTHEST);
    },
    resize(w, h, r) {
      [width, height, ratio] = [Math.max(1, w), Math.max(1, h), r || 1];
      holder.style.width = `${width}px`;
      holder.style.height = `${height}px`;
      for (const one of [canvas, over]) {
        one.width = Math.round(width * ratio);
        one.height = Math.round(height * ratio);
        one.style.width = `${width}px`;
        one.style.height = `${height}px`;
      }
    },
    draw(a, b, t, options) {
      const colors = palette(options?.theme);
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      ctx.clearRect(0, 0, width, height);
      if (!a?.ball_phys) {
        ctx.fillStyle = colors.ground;
        ctx.fillRect(0, 0, width, height);
        over.setAttribute("aria-label", "no frame here");
        said = "";
        text(ctx, "no frame here", width / 2, height / 2, { color: colors.muted, align: "center" });
        return;
      }
      const now = moment(a, b ?? a, t, match.step_seconds ?? 1 / 15);
      const mode = options?.controls?.camera ?? "side";
      inOrbit = mode === "orbit";
      controls = options?.controls ?? null;
      over.style.cursor = inOrbit ? "grab" : "default";
      const eye = lens(now, mode, orbit, options?.selectedSeat ?? null, field, width, height);
      if (meshes) meshes.draw(now, eye, colors.dark, width / height, options?.selectedSeat ?? null);
      else flatField(ctx, now, field, colors, width, height);
      hud(ctx, { now, eye, colors, width, height, match, options: options ?? {}, field, solid: Boolean(meshes) });
      if (t === 0 || !said) {
        said = describe(a, match);
        over.setAttribute("aria-label", said);
      }
    },
    dispose() {
      render?.dispose();
      holder.remove();
    },
  };

  /** @type {{x: number, y: number}|null} */
  let held = null;
  over.addEventListener("pointerdown", (event) => {
    if (!inOrbit) return;
    held = { x: event.clientX, y: event.clientY };
    over.setPointerCapture(event.pointerId);
  });
  over.addEventListener("pointermove", (event) => {
    if (!held) return;
    const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
    held = { x: event.clientX, y: event.clientY };
    move(-dx * 0.006, dy * 0.005, 1);
  });
  for (const end of ["pointerup", "pointercancel"]) over.addEventListener(end, () => (held = null));
  over.addEventListener("wheel", (event) => {
    if (!inOrbit) return;
    event.preventDefault();
    move(0, 0, Math.exp(event.deltaY * 0.001));
  }, { passive: false });
  return view;
}

/**
 * The match between two frames, on our axes.
 * @param {any} a @param {any} b @param {number} t @param {number} secs
 */
function moment(a, b, t, secs) {
  const jump = TELEPORT * secs + 200;
  const glide = (/** @type {number[]} */ p, /** @type {number[]} */ q) => mirrored(length(sub(p, q)) > jump ? p : between(p, q, t));
  const cars = a.cars.map((/** @type {any} */ car, /** @type {number} */ i) => {
    const next = b.cars[i] ?? car;
    const whole = !car.is_demoed && !next.is_demoed;
    const at = whole ? glide(car.phys.pos, next.phys.pos) : mirrored(car.phys.pos);
    const turn = (/** @type {any} */ one) => quaternion(one.phys.forward, one.phys.right, one.phys.up);
    const moving = whole && length(sub(car.phys.pos, next.phys.pos)) <= jump;
    const [forward, right, up] = axes(moving ? slerp(turn(car), turn(next), t) : turn(car)).map(mirrored);
    const boost = car.boost_amount + (next.boost_amount - car.boost_amount) * t;
    const burning = Boolean(next.controls?.boost) && car.boost_amount > 0 && !car.is_demoed;
    return { team: car.team_num, seat: car.seat ?? i, at, forward, right, up, boost, burning, gone: car.is_demoed, respawn: car.respawn_secs, fast: car.supersonic, velocity: mirrored(car.phys.vel) };
  });
  return { a, ball: glide(a.ball_phys.pos, b.ball_phys.pos), cars, pads: a.boost_pad_states ?? [] };
}

/** @typedef {ReturnType<typeof moment>} Now */

/**
 * Where the camera is and what it looks at.
 * @param {Now} now @param {string} mode @param {{turn: number, rise: number, far: number}} orbit @param {number|null} seat @param {import("./rocket_field.js").Field} field @param {number} width @param {number} height
 */
function lens(now, mode, orbit, seat, field, width, height) {
  const aspect = width / height;
  const car = now.cars.find((/** @type {any} */ one) => one.seat === seat) ?? now.cars[0];
  if (mode === "above") {
    const fov = 40;
    // The long side of the field along the long side of the picture.
    const wide = aspect > 1;
    const [along, across] = wide ? [field.halfLength + field.goalDepth, field.halfWidth] : [field.halfWidth, field.halfLength + field.goalDepth];
    // Below the score, and beside the rows of boost or, where there is no room for them, above: nothing of the field
    // is under them. The goals are wider than it, but not where the rows are.
    const small = width < SMALL;
    const rows = Math.max(...[0, 1].map((team) => now.cars.filter((/** @type {any} */ one) => one.team === team).length));
    const above = small ? 44 : 52;
    const beside = wide ? (width - ((height - above - 8) * field.halfLength) / field.halfWidth) / 2 - 16 : 0;
    const below = beside >= 120 ? 8 : 8 + rows * (small ? 22 : 34);
    const room = Math.max(0.3, (height - above - below) / height);
    const slope = Math.tan((fov * Math.PI) / 360);
    const far = (Math.max(across / room, along / aspect) / slope) * 1.02;
    const shift = (((above - below) / height) * far) * slope;
    const [x, y] = wide ? [shift, 0] : [0, shift];
    return { from: [x, y, far], to: [x, y, 0], up: wide ? [1, 0, 0] : [0, 1, 0], fov, boosts: beside >= 120 ? beside : undefined };
  }
  if (mode === "orbit") {
    const [turn, rise, far] = [orbit.turn, orbit.rise, orbit.far * (aspect < 1 ? 1.5 : 1)];
    const from = [Math.cos(turn) * Math.cos(rise) * far, Math.sin(turn) * Math.cos(rise) * far, Math.sin(rise) * far];
    return { from, to: [0, 0, 100], up: [0, 0, 1], fov: 52 };
  }
  if ((mode === "ball" || mode === "car") && car) {
    const flat = (/** @type {number[]} */ v) => unit([v[0], v[1], 0]);
    const speed = length(car.velocity);
    const ahead = mode === "ball" ? unit(sub(now.ball, car.at)) : flat(speed > 500 ? car.velocity : car.forward);
    const level = mode === "ball" ? unit([ahead[0], ahead[1], clamp(ahead[2], -0.25, 0.5)]) : ahead;
    let from = add(add(car.at, level, -340), [0, 0, 1], 140);
    from = [clamp(from[0], -field.halfWidth + 60, field.halfWidth - 60), clamp(from[1], -field.halfLength - 300, field.halfLength + 300), Math.max(60, from[2])];
    const to = mode === "ball" ? add(between(car.at, now.ball, 0.4), [0, 0, 1], 60) : add(add(car.at, ahead, 400), [0, 0, 1], 80);
    return { from, to, up: [0, 0, 1], fov: 74 };
  }
  // From the stand, turning with the play.
  const points = [now.ball, now.ball, ...now.cars.filter((/** @type {any} */ one) => !one.gone).map((/** @type {any} */ one) => one.at)];
  const middle = points.reduce((sum, p) => add(sum, p, 1 / points.length), [0, 0, 0]);
  const spread = Math.max(...points.map((p) => Math.hypot((p[1] - middle[1]) / Math.min(1.6, aspect), (p[0] - middle[0]) * 0.7, p[2] - 100)));
  const far = clamp(spread * 1.35 + 2300, 3600, 8200);
  const y = clamp(middle[1], -3800, 3800);
  const x = clamp(middle[0], -2600, 2600);
  return { from: [x + far * 0.9, y * 0.86, far * 0.44 + 200], to: [x, y, clamp(now.ball[2] * 0.4, 60, 700)], up: [0, 0, 1], fov: 46 };
}

/** Everything on the graphics card, once for each theme. */
class Meshes {
  /** @param {NonNullable<ReturnType<typeof renderer>>} render @param {import("./types.js").Match} match @param {import("./rocket_field.js").Field} field */
  constructor(render, match, field) {
    this.render = render;
    this.field = field;
    this.cars = match.static?.cars ?? [];
    /** @type {Map<boolean, any>} */
    this.themes = new Map();
  }

  /** @param {boolean} dark */
  of(dark) {
    let made = this.themes.get(dark);
    if (!made) {
      const p = paints(dark);
      const shape = (/** @type {(s: Shape) => void} */ fill) => {
        const one = new Shape();
        fill(one);
        return this.render.mesh(one);
      };
      const car = (/** @type {any} */ body, /** @type {string} */ team) => this.render.mesh(carShape(body?.size ?? [118, 84, 36], body?.offset ?? [13.9, 0, 20.8], team));
      made = {
        ground: rgb(p.ground),
        floor: this.render.mesh(floorShape(this.field, p)),
        walls: this.render.mesh(wallShape(this.field, p)),
        ball: shape((s) => s.ball(rgb(p.ball), rgb(p.ballOther))),
        shadow: shape((s) => s.ring(0, 1, [0, 0, 0], dark ? 0.6 : 0.4, 0)),
        ring: shape((s) => s.ring(0.86, 1, rgb(p.line), 0.9)),
        plate: shape((s) => s.ring(0, 1, rgb(p.pad), 1)),
        rim: shape((s) => s.ring(0.8, 1, rgb(p.pad), 1)),
        beam: shape((s) => s.tube(rgb(p.pad), 0.5, 0)),
        orb: shape((s) => s.ball(rgb(p.pad), rgb(p.pad))),
        flame: shape((s) => s.tube([1, 0.62, 0.18], 0.95, 0, 0.15)),
        stem: shape((s) => s.tube(rgb(p.line), 0.35, 0.35)),
        teams: [p.blue, p.orange],
        bodies: [p.blue, p.orange].map((team) => (this.cars.length ? this.cars : [null]).map((/** @type {any} */ body) => car(body, team))),
      };
      this.themes.set(dark, made);
    }
    return made;
  }

  /** @param {Now} now @param {any} eye @param {boolean} dark @param {number} aspect @param {number|null} seat */
  draw(now, eye, dark, aspect, seat) {
    const made = this.of(dark);
    const { render, field } = this;
    eye.view = multiply(perspective(eye.fov, aspect, 20, 40000), lookAt(eye.from, eye.to, eye.up));
    render.begin(made.ground, eye.view, eye.from, dark ? 0.75 : 0.55);
    render.draw(made.floor, moved([0, 0, 0]), { lit: 0.55 });
    field.pads.forEach((pad, i) => {
      const [x, y] = mirrored(pad);
      const [big, ready] = [pad[3], now.pads[i] !== false];
      const r = big ? 150 : 72;
      render.draw(made.rim, moved([x, y, 6], [r, r, 1]), { lit: 0, blend: true, tint: [1, 1, 1, ready ? 0.9 : 0.25] });
      if (!ready) return;
      render.draw(made.plate, moved([x, y, 7], [r * 0.6, r * 0.6, 1]), { lit: 0, blend: true, tint: [1, 1, 1, 0.75] });
      if (big) render.draw(made.orb, moved([x, y, 120], [52, 52, 52]));
    });
    const z = Math.max(0, now.ball[2]);
    const spread = field.ball * (1 + z / 1600);
    render.draw(made.shadow, moved([now.ball[0], now.ball[1], 9], [spread, spread, 1]), { lit: 0, blend: true });
    render.draw(made.ring, moved([now.ball[0], now.ball[1], 10], [field.ball * 1.35, field.ball * 1.35, 1]), { lit: 0, blend: true, tint: [1, 1, 1, clamp(z / 500, 0.25, 1)] });
    if (z > 260) render.draw(made.stem, moved([now.ball[0], now.ball[1], 10], [5, 5, z - 100]), { lit: 0, blend: true });
    // Turned by how far it is from the middle: it rolls where it rolls.
    const [rollX, rollY] = [-now.ball[1] / field.ball, now.ball[0] / field.ball];
    const [sx, cx, sy, cy] = [Math.sin(rollX), Math.cos(rollX), Math.sin(rollY), Math.cos(rollY)];
    const r = field.ball;
    render.draw(made.ball, placed([cy, 0, -sy], [sx * sy, cx, sx * cy], [cx * sy, -sx, cx * cy], now.ball, [r, r, r]));
    now.cars.forEach((/** @type {any} */ car, /** @type {number} */ i) => {
      const low = Math.max(0, car.at[2] - 17);
      if (car.gone) {
        render.draw(made.ring, moved([car.at[0], car.at[1], 12], [120, 120, 1]), { lit: 0, blend: true, tint: [...rgb(made.teams[car.team]), 0.8] });
        return;
      }
      render.draw(made.shadow, moved([car.at[0], car.at[1], 8], [90 + low * 0.1, 90 + low * 0.1, 1]), { lit: 0, blend: true, tint: [1, 1, 1, clamp(1 - low / 1800, 0.25, 1)] });
      if (car.seat === seat && eye.fov < 60) render.draw(made.ring, moved([car.at[0], car.at[1], 9], [130, 130, 1]), { lit: 0, blend: true, tint: [...rgb(made.teams[car.team]), 1] });
      const bodies = made.bodies[car.team] ?? made.bodies[0];
      // A car is a third larger than life, or nobody would see it from the stand.
      const k = eye.fov < 60 ? 1.5 : 1.1;
      render.draw(bodies[i % bodies.length], placed(car.forward, car.right, car.up, car.at, [k, k, k]));
      if (car.burning) {
        const from = add(add(car.at, car.forward, -52 * k), car.up, 12 * k);
        const back = car.forward.map((/** @type {number} */ v) => -v);
        render.draw(made.flame, placed(car.right, car.up, back, from, [17 * k, 17 * k, (car.fast ? 150 : 110) * k]), { lit: 0, glow: dark, blend: true });
      }
    });
    render.draw(made.walls, moved([0, 0, 0]), { lit: 0, blend: true, cull: true });
  }
}

/** A point on the screen, or null behind the camera. @param {number[]} view @param {number[]} p @param {number} width @param {number} height */
function onScreen(view, p, width, height) {
  const [x, y, w] = [0, 1, 3].map((row) => view[row] * p[0] + view[4 + row] * p[1] + view[8 + row] * p[2] + view[12 + row]);
  return w > 1 ? [((x / w + 1) / 2) * width, ((1 - y / w) / 2) * height] : null;
}

/** @param {CanvasRenderingContext2D} ctx @param {{now: Now, eye: any, colors: import("./kit.js").Palette, width: number, height: number, match: import("./types.js").Match, options: import("./types.js").DrawOptions, field: import("./rocket_field.js").Field, solid: boolean}} all */
function hud(ctx, { now, eye, colors, width, height, match, options, field, solid }) {
  const { a, cars } = now;
  const teams = paints(colors.dark);
  const small = width < SMALL;
  // Names over the cars.
  if (solid && eye.view) {
    for (const car of cars) {
      if (car.gone || (["car", "ball"].includes(options.controls?.camera ?? "") && car.seat === options.selectedSeat)) continue;
      const at = onScreen(eye.view, add(car.at, [0, 0, 1], 130), width, height);
      if (!at) continue;
      const words = String(car.seat + 1);
      at[1] -= 12;
      path(ctx, [[at[0], at[1] + 14], [at[0] - 4, at[1] + 7], [at[0] + 4, at[1] + 7]], { fill: "#ffffff", closed: true });
      disc(ctx, at[0], at[1], 9, { fill: car.team ? teams.orange : teams.blue, stroke: "#ffffff", line: 1.5 });
      text(ctx, words, at[0], at[1] + 0.5, { size: 11, weight: 700, color: "#ffffff", align: "center" });
    }
  }
  // Score and clock.
  const [blue, orange] = a.score ?? [0, 0];
  const w = small ? 168 : 220;
  const x = width / 2 - w / 2;
  const h = small ? 30 : 38;
  box(ctx, x, 8, w, h, { fill: colors.panel, radius: 8 });
  box(ctx, x, 8, w * 0.27, h, { fill: teams.blue, radius: 8 });
  box(ctx, x + w * 0.73, 8, w * 0.27, h, { fill: teams.orange, radius: 8 });
  const big = small ? 18 : 22;
  text(ctx, blue, x + w * 0.135, 8 + h / 2 + 1, { size: big, weight: 700, color: "#ffffff", align: "center" });
  text(ctx, orange, x + w * 0.865, 8 + h / 2 + 1, { size: big, weight: 700, color: "#ffffff", align: "center" });
  const time = a.clock ? `${a.clock.overtime ? "+" : ""}${clock(a.clock.overtime ? a.clock.seconds : Math.ceil(a.clock.seconds))}` : clock(a.seconds ?? 0);
  text(ctx, time, width / 2, 8 + h / 2 + 1, { size: small ? 16 : 19, weight: 600, color: colors.text, align: "center" });
  event(ctx, now, colors, teams, width, h + 18);
  boosts(ctx, { now, colors, teams, width, height, match, options, small, most: eye.boosts ?? Infinity });
  if (!small && solid && options.controls?.camera !== "above") minimap(ctx, now, field, colors, width - 12, 12, 84);
}

/** What happened in the step before, in a word. @param {CanvasRenderingContext2D} ctx @param {Now} now @param {import("./kit.js").Palette} colors @param {ReturnType<typeof paints>} teams @param {number} width @param {number} y */
function event(ctx, { a, cars }, colors, teams, width, y) {
  const rank = ["goal", "demolition", "save", "shot"];
  const found = (a.events ?? []).filter((/** @type {any} */ e) => rank.includes(e.kind)).sort((/** @type {any} */ p, /** @type {any} */ q) => rank.indexOf(p.kind) - rank.indexOf(q.kind))[0];
  if (!found) return;
  const team = found.team ?? cars.find((/** @type {any} */ car) => car.seat === found.seat)?.team ?? 0;
  const words = found.seat === null || found.seat === undefined ? found.kind : `${found.kind} by ${found.seat + 1}`;
  const wide = measure(ctx, words, 13, 700) + 24;
  box(ctx, width / 2 - wide / 2, y - 4, wide, 24, { fill: team ? teams.orange : teams.blue, radius: 12 });
  text(ctx, words, width / 2, y + 8.5, { size: 13, weight: 700, color: "#ffffff", align: "center" });
}

/** A row for each car: name, boost, what is wrong with it. @param {CanvasRenderingContext2D} ctx @param {{now: Now, colors: import("./kit.js").Palette, teams: ReturnType<typeof paints>, width: number, height: number, match: import("./types.js").Match, options: import("./types.js").DrawOptions, small: boolean, most: number}} all */
function boosts(ctx, { now, colors, teams, width, height, match, options, small, most }) {
  const wide = Math.min(most, small ? Math.min(140, width / 2 - 12) : 190);
  for (const team of [0, 1]) {
    const own = now.cars.filter((/** @type {any} */ car) => car.team === team);
    own.forEach((/** @type {any} */ car, /** @type {number} */ i) => {
      const x = team ? width - wide - 8 : 8;
      const room = small ? 22 : 34;
      const y = height - 4 - (own.length - i) * room;
      const color = team ? teams.orange : teams.blue;
      const on = options.selectedSeat === car.seat;
      ctx.globalAlpha = 0.92;
      box(ctx, x, y, wide, room - 4, { fill: colors.panel, stroke: on ? color : undefined, line: 2, radius: 6 });
      ctx.globalAlpha = 1;
      if (small) {
        disc(ctx, x + 11, y + 9, 7, { fill: color });
        text(ctx, car.seat + 1, x + 11, y + 9.5, { size: 10, weight: 700, color: "#ffffff", align: "center" });
        if (car.gone) text(ctx, "demolished", x + 24, y + 9.5, { size: 10, color: colors.bad, most: wide - 32 });
        else bar(ctx, x + 24, y + 6, wide - 58, 6, car.boost / 100, teams.pad, colors.raised);
        text(ctx, car.gone ? "" : Math.round(car.boost), x + wide - 6, y + 9.5, { size: 10, weight: 600, color: colors.text, align: "right" });
        return;
      }
      disc(ctx, x + 14, y + 15, 9, { fill: color });
      text(ctx, car.seat + 1, x + 14, y + 15.5, { size: 11, weight: 700, color: "#ffffff", align: "center" });
      const state = car.gone ? `demolished${car.respawn ? ` ${car.respawn.toFixed(1)}` : ""}` : car.fast ? "supersonic" : "";
      text(ctx, seatName(match, car.seat, team ? "orange" : "blue"), x + 30, y + 9, { size: 11, weight: 600, color: colors.text, most: wide - 38 - (state ? 62 : 0) });
      text(ctx, state, x + wide - 8, y + 9, { size: 10, color: car.gone ? colors.bad : colors.warn, align: "right", most: 84 });
      bar(ctx, x + 30, y + 17, wide - 66, 7, car.boost / 100, teams.pad, colors.raised);
      text(ctx, Math.round(car.boost), x + wide - 8, y + 21, { size: 11, weight: 600, color: colors.text, align: "right" });
    });
  }
}

/** The field from above, small. @param {CanvasRenderingContext2D} ctx @param {Now} now @param {import("./rocket_field.js").Field} field @param {import("./kit.js").Palette} colors @param {number} right @param {number} top @param {number} wide */
function minimap(ctx, now, field, colors, right, top, wide) {
  const scale = wide / (2 * field.halfWidth);
  const tall = 2 * (field.halfLength + field.goalDepth) * scale;
  ctx.globalAlpha = 0.85;
  box(ctx, right - wide - 8, top, wide + 16, tall + 16, { fill: colors.panel, radius: 6 });
  ctx.globalAlpha = 1;
  plan(ctx, now, field, colors, right - wide / 2, top + 8 + tall / 2, scale);
}

/** @param {CanvasRenderingContext2D} ctx @param {Now} now @param {import("./rocket_field.js").Field} field @param {import("./kit.js").Palette} colors @param {number} x @param {number} y @param {number} scale */
function plan(ctx, now, field, colors, x, y, scale) {
  const teams = paints(colors.dark);
  const at = (/** @type {number[]} */ p) => [x + p[0] * scale, y - p[1] * scale];
  path(ctx, outline(field).map(at), { stroke: colors.muted, line: 1.2, closed: true });
  path(ctx, [at([-field.halfWidth, 0]), at([field.halfWidth, 0])], { stroke: colors.line });
  for (const end of [-1, 1]) {
    const [w, d] = [field.goalWidth, field.halfLength];
    path(ctx, [[-w, end * d], [-w, end * (d + field.goalDepth)], [w, end * (d + field.goalDepth)], [w, end * d]].map(at), { stroke: end < 0 ? teams.blue : teams.orange, line: 1.5 });
  }
  for (const car of now.cars) {
    if (car.gone) continue;
    const [cx, cy] = at(car.at);
    const angle = Math.atan2(-car.forward[1], car.forward[0]);
    const r = Math.max(5, 110 * scale);
    const tip = (/** @type {number} */ turn, /** @type {number} */ far) => [cx + Math.cos(angle + turn) * r * far, cy + Math.sin(angle + turn) * r * far];
    path(ctx, [tip(0, 1.2), tip(2.4, 1), tip(-2.4, 1)], { fill: car.team ? teams.orange : teams.blue, closed: true });
  }
  const [bx, by] = at(now.ball);
  disc(ctx, bx, by, Math.max(3.5, field.ball * scale), { fill: colors.panel, stroke: colors.text, line: 1.5 });
}

/** The whole picture where there is no WebGL2. @param {CanvasRenderingContext2D} ctx @param {Now} now @param {import("./rocket_field.js").Field} field @param {import("./kit.js").Palette} colors @param {number} width @param {number} height */
function flatField(ctx, now, field, colors, width, height) {
  ctx.fillStyle = colors.ground;
  ctx.fillRect(0, 0, width, height);
  const scale = Math.min((width - 40) / (2 * field.halfWidth), (height - 60) / (2 * (field.halfLength + field.goalDepth)));
  plan(ctx, now, field, colors, width / 2, height / 2 + 16, scale);
}

/** @param {any} a @param {import("./types.js").Match} match */
function describe(a, match) {
  const [blue, orange] = a.score ?? [0, 0];
  const time = clock(a.clock ? a.clock.seconds : a.seconds ?? 0);
  const ball = a.ball_phys.pos;
  const half = ball[1] < -300 ? "blue's half" : ball[1] > 300 ? "orange's half" : "midfield";
  const cars = a.cars.map((/** @type {any} */ car, /** @type {number} */ i) => {
    const name = seatName(match, car.seat ?? i, `${car.team_num ? "orange" : "blue"} car`);
    return car.is_demoed ? `${name} is demolished` : `${name} has ${Math.round(car.boost_amount)} boost`;
  });
  return `${time}, blue ${blue}, orange ${orange}. The ball is in ${half}, ${Math.round(ball[2])} high. ${cars.join("; ")}.`;
}

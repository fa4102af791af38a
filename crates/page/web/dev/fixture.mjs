/**
 * A server of made-up runs, for work on the page without a training: `node dev/fixture.mjs [PORT [FRAMES]]`.
 * With a folder of files of frames (views/README.md), `#/match/file:NAME` shows one of them.
 *
 * It answers what `lanista watch` answers, from formulas: the same numbers at every start, except that
 * one run goes on. Nothing of it is part of the program.
 */

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const WEB = normalize(join(dirname(fileURLToPath(import.meta.url)), ".."));
const KINDS = { html: "text/html", css: "text/css", js: "text/javascript", svg: "image/svg+xml", json: "application/json" };
const BEGUN = Date.now() / 1000;
const POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** A number between 0 and 1 that follows from its arguments. */
const random = (...seeds) => {
  let state = 2166136261;
  for (const seed of seeds) state = Math.imul(state ^ (Math.floor(seed * 7919) + 40503), 16777619);
  state ^= state >>> 15;
  state = Math.imul(state, 2246822519);
  return ((state ^ (state >>> 13)) >>> 0) / 4294967296;
};
const bell = (...seeds) => random(...seeds, 1) + random(...seeds, 2) + random(...seeds, 3) - 1.5;

const about = (id, name, preset, game, state, seed, speed, quality, changed = {}, extra = {}) =>
  ({ id, name, preset, game, state, seed, speed, quality, changed, rows: 600, total: 600, ...extra });
const RUNS = [
  about("r1", "rocket-selfplay-a", "rocket/selfplay", "rocket", "running", 1, 21400, 0.9, { "ppo.learning_rate": 0.0003 }, { rows: 380, grows: true, league: true }),
  about("r2", "rocket-selfplay-b", "rocket/selfplay", "rocket", "finished", 2, 21900, 1, {}, { league: true }),
  about("r3", "rocket-selfplay-c", "rocket/selfplay", "rocket", "finished", 3, 20800, 0.84, {}, { league: true }),
  about("r4", "rocket-shaped", "rocket/1v1", "rocket", "stopped", 1, 23100, 0.5, { "rewards.touch_ball": 0.2, "ppo.gamma": 0.99 }, { rows: 410, misled: true, warnings: ["shaping rises while the outcome falls"] }),
  about("n1", "nh-past-1", "nh/past_self_play", "nh", "finished", 1, 88000, 0.95, {}, { league: true }),
  about("n2", "nh-past-2", "nh/past_self_play", "nh", "finished", 2, 87200, 0.9, { "ppo.entropy_coef": 0.02 }, { league: true }),
  about("n3", "nh-small", "nh/small", "nh", "failed", 7, 91000, 0.3, {}, { rows: 40, warnings: ["3 updates were dropped: the loss was not finite", "the run stopped with checkpoint 400k"] }),
  about("s1", "survivors-team", "survivors/team", "survivors", "paused", 1, 9800, 0.7, { "policy.memory.size": 128 }, { rows: 300, stage: "hard" }),
  about("v1", "vgc-small", "vgc/small", "vgc", "finished", 4, 1400, 0.6, { "rollout.horizon": 64, "ppo.minibatch": 512, "policy.hidden": [256, 256], "ppo.epochs": 3, "evaluation.every": 50000 }),
  about("c1", "cartpole", "classic/cartpole", "cartpole", "finished", 1, 410000, 1, {}),
];
const ITERATION_STEPS = 32768;
const rowsOf = (run) => (run.grows ? Math.min(run.total, run.rows + Math.floor((Date.now() / 1000 - BEGUN) / 2)) : run.rows);
const place = (run, row) => ({ steps: (row + 1) * ITERATION_STEPS, time: ((row + 1) * ITERATION_STEPS) / run.speed, matches: (row + 1) * 41 });

const TERMS = [
  { name: "goal", kind: "outcome", weight: 10 }, { name: "concede", kind: "outcome", weight: -10 }, { name: "touch_ball", kind: "event", weight: 0.5 },
  { name: "boost_picked", kind: "event", weight: 0.1 }, { name: "toward_ball", kind: "shaping", weight: 0.05 }, { name: "ball_to_goal", kind: "shaping", weight: 0.1 },
];
const rise = (run, row, speed = 90) => run.quality * (1 - Math.exp(-row / speed));
const METRICS = {
  return_mean: (run, row) => -4 + 14 * rise(run, row) + 0.9 * bell(run.seed, row, 1) - (run.misled && row > 260 ? (row - 260) * 0.012 : 0),
  length_mean: (run, row) => 620 - 260 * rise(run, row, 140) + 22 * bell(run.seed, row, 2),
  elo: (run, row) => 1000 + 620 * rise(run, row, 190) + 9 * bell(run.seed, row, 3),
  "evaluation/return_mean": (run, row) => (row % 25 === 24 ? -3 + 14 * rise(run, row) + 0.5 * bell(run.seed, row, 4) : null),
  "evaluation/results/won": (run, row) => (row % 25 === 24 ? Math.min(1, 0.1 + 0.85 * rise(run, row)) : null),
  entropy: (run, row) => 2.3 - 1.5 * rise(run, row, 160) + 0.03 * bell(run.seed, row, 5),
  approx_kl: (run, row) => Math.max(0.0005, 0.011 + 0.004 * bell(run.seed, row, 6)),
  clip_fraction: (run, row) => Math.max(0, 0.12 + 0.03 * bell(run.seed, row, 7)),
  policy_loss: (run, row) => -0.012 + 0.004 * bell(run.seed, row, 8),
  value_loss: (run, row) => 0.18 + 0.6 * Math.exp(-row / 60) + 0.03 * bell(run.seed, row, 9),
  explained_variance: (run, row) => Math.min(0.98, 0.9 * rise(run, row, 50) + 0.03 * bell(run.seed, row, 10)),
  learning_rate: (run, row) => 3e-4 * (1 - row / run.total),
  grad_norm: (run, row) => 0.35 + 0.1 * Math.abs(bell(run.seed, row, 11)),
  "time/steps_per_second": (run, row) => run.speed * (1 + 0.03 * bell(run.seed, row, 12)),
  "time/rollout_seconds": (run, row) => (ITERATION_STEPS / run.speed) * (0.62 + 0.03 * bell(run.seed, row, 13)),
  "time/update_seconds": (run, row) => (ITERATION_STEPS / run.speed) * (0.36 + 0.02 * bell(run.seed, row, 14)),
  "terms/goal": (run, row) => 0.1 + 1.1 * rise(run, row) + 0.06 * bell(run.seed, row, 15) - (run.misled && row > 260 ? (row - 260) * 0.003 : 0),
  "terms/concede": (run, row) => 0.8 - 0.4 * rise(run, row) + 0.05 * bell(run.seed, row, 16),
  "terms/touch_ball": (run, row) => 1 + 5 * rise(run, row, 30) + 0.3 * bell(run.seed, row, 17),
  "terms/boost_picked": (run, row) => 4 + 9 * rise(run, row, 50) + 0.5 * bell(run.seed, row, 18),
  "terms/toward_ball": (run, row) => 20 + 30 * rise(run, row, 20) - 10 * rise(run, row, 200) + bell(run.seed, row, 19) + (run.misled && row > 260 ? (row - 260) * 0.3 : 0),
  "terms/ball_to_goal": (run, row) => 2 + 12 * rise(run, row, 80) + bell(run.seed, row, 20),
  "stats/touches": (run, row) => 2 + 11 * rise(run, row) + 0.5 * bell(run.seed, row, 21),
  "opponents/past": (run, row) => 0.5 + 0.1 * bell(run.seed, row, 22),
};

function summary(run) {
  const rows = rowsOf(run);
  const at = place(run, rows - 1);
  const every = Math.max(1, Math.floor(rows / 64));
  const spark = [];
  let best = -Infinity;
  for (let row = 0; row < rows; row += 1) {
    best = Math.max(best, METRICS.return_mean(run, row));
    if (row % every === 0 && spark.length < 64) spark.push(METRICS.return_mean(run, row));
  }
  const value = METRICS.elo(run, rows - 1);
  return {
    id: run.id, name: run.name, group: `${run.preset}${Object.keys(run.changed).length ? " changed" : ""}`, preset: run.preset, game: run.game, state: run.state,
    seed: run.seed, steps: at.steps, total_steps: run.total * ITERATION_STEPS, seconds: at.time,
    seconds_left: run.state === "running" ? ((run.total - rows) * ITERATION_STEPS) / run.speed : null,
    steps_per_second: run.state === "running" ? METRICS["time/steps_per_second"](run, rows - 1) : null,
    return: { last: METRICS.return_mean(run, rows - 1), best }, spark,
    elo: run.league ? { value, low: value - 24, high: value + 26 } : null, stage: run.stage ?? null, warnings: run.warnings ?? [], changed: run.changed,
    updated: run.state === "running" ? Math.floor(Date.now() / 1000) : BEGUN - 3600 * (1 + RUNS.indexOf(run) * 5),
  };
}

const flat = (run) => ({ preset: run.preset, seed: run.seed, "ppo.learning_rate": 0.00025, "ppo.gamma": 0.995, "ppo.entropy_coef": 0.01, "rollout.horizon": 128, ...run.changed });

function detail(run) {
  const rows = rowsOf(run);
  const marks = [];
  for (let row = 24; row < rows; row += 25) {
    marks.push({ kind: "evaluation", ...place(run, row), label: `evaluation: return ${METRICS["evaluation/return_mean"](run, row).toFixed(2)}`, recording: `${run.id}-m${row}` });
    if (row % 100 === 99) marks.push({ kind: "milestone", ...place(run, row), label: `milestone ${row + 1}`, recording: null });
  }
  marks.push({ kind: "stage", ...place(run, 120), label: "stage hard begins", recording: null });
  if (run.warnings) marks.push({ kind: "warning", ...place(run, Math.max(1, rows - 30)), label: run.warnings[0], recording: null });
  return {
    run: summary(run), config: flat(run), config_text: Object.entries(flat(run)).map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join("\n"),
    metrics: Object.keys(METRICS).map((name) => ({ name, kind: name.startsWith("terms/") ? "term" : "plain", unit: null })),
    terms: TERMS, events: [{ steps: 0, time: 0, kind: "note", text: "the run began" }], marks,
    files: [{ path: "config.yml", bytes: 2412 }, { path: "metrics.jsonl", bytes: rows * 1312 }, { path: "model.zip", bytes: 1840233 }, { path: "league/pool.json", bytes: 9120 }],
    recordings: marks.flatMap((mark) => mark.recording ?? []),
  };
}

function series(query) {
  const [axis, points, half] = [query.get("x") ?? "steps", Number(query.get("points") ?? 400), Number.parseFloat(query.get("smooth") ?? "0")];
  const [from, to] = [Number(query.get("from") ?? -Infinity), Number(query.get("to") ?? Infinity)];
  const since = query.get("since")?.split("-").map(Number);
  const chosen = query.getAll("run").map((id) => RUNS.find((run) => run.id === id)).filter(Boolean);
  const cursor = RUNS.map(rowsOf).join("-");
  const out = [];
  for (const run of chosen) for (const metric of query.getAll("metric")) {
    const known = since?.[RUNS.indexOf(run)] ?? 0;
    const rows = rowsOf(run);
    if (since && known === rows) continue;
    const all = [];
    let [sum, weight, best, last] = [0, 0, null, null];
    for (let row = 0; row < rows; row += 1) {
      const value = METRICS[metric]?.(run, row) ?? null;
      if (value === null) continue;
      const x = place(run, row)[axis];
      const kept = half ? 0.5 ** (1 / half) : 0;
      sum = sum * kept + value * (1 - kept);
      weight = weight * kept + (1 - kept);
      last = value;
      if (!best || value > best.value) best = { x, value };
      if (x >= from && x <= to) all.push({ x, value, smooth: sum / weight });
    }
    const every = Math.max(1, Math.ceil(all.length / points));
    const one = { run: run.id, metric, x: [], min: [], max: [], mean: [], ...(half ? { smooth: [] } : {}), last, best, count: all.length };
    for (let at = 0; at < all.length; at += every) {
      const part = all.slice(at, at + every);
      const values = part.map((row) => row.value);
      one.x.push(part[part.length - 1].x);
      one.min.push(Math.min(...values));
      one.max.push(Math.max(...values));
      one.mean.push(values.reduce((a, b) => a + b) / values.length);
      one.smooth?.push(part[part.length - 1].smooth);
    }
    out.push(one);
  }
  return { cursor, series: out };
}

function league(run) {
  if (!run.league) return { ratings: [], pool: [], exploiters: [], sampler: null, crossplay: null };
  const rows = rowsOf(run);
  const points = (phase, from) => Array.from({ length: 40 }, (_, i) => Math.floor((i * rows) / 40)).filter((row) => row >= from).map((row) => {
    const elo = METRICS.elo(run, row) - phase * 70 + 12 * bell(run.seed, row, phase + 50);
    return { steps: place(run, row).steps, elo, low: elo - 20 - 300 / (row - from + 8), high: elo + 20 + 300 / (row - from + 8) };
  });
  const names = ["now", "past:12M", "past:9M", "past:6M", "past:3M", "rusher", "keeper"];
  const strength = (i) => (i < 5 ? 1600 - i * 110 : 1250 - (i - 5) * 120);
  const cell = (i, j) => 1 / (1 + 10 ** ((strength(j) - strength(i)) / 400));
  const grid = (of) => names.map((_, i) => names.map((__, j) => (i === j ? null : of(i, j))));
  return {
    ratings: [{ name: "learner", points: points(0, 0) }, { name: "rusher", points: points(3, 20) }, { name: "keeper", points: points(5, 40) }],
    pool: names.slice(1, 5).map((name, i) => ({ name, origin: "snapshot", steps: (12 - 3 * i) * 1e6, elo: strength(i + 1), share: [0.42, 0.27, 0.19, 0.12][i], games: 640 - 90 * i })),
    exploiters: [{ name: "exploiter 1", steps: 2e6, won: 0.46, state: "learning" }],
    sampler: { elo_weighted: { temperature: 1, window: 400 } },
    crossplay: { names, won: grid((i, j) => Math.round(cell(i, j) * 38)), drawn: grid(() => 2), lost: grid((i, j) => 38 - Math.round(cell(i, j) * 38)), games: grid(() => 40), recordings: grid((i, j) => `${run.id}-x${i}-${j}`) },
  };
}

const SEATS = [{ name: "learner", team: 0, role: "player" }, { name: "past:9M", team: 1, role: "player" }];
const HEADS = [{ name: "move", actions: ["stay", "north", "east", "south", "west", "dash"] }, { name: "attack", actions: ["none", "melee", "range", "magic"] }];
const LENGTH = 300;
const probabilities = (step, seat, head, flavour) => {
  const raw = HEADS[head].actions.map((_, a) => (legal(step, seat, head, a) ? Math.exp(2.4 * bell(Math.floor(step / 4), seat, head, a, flavour)) : 0));
  const sum = raw.reduce((a, b) => a + b);
  return raw.map((value) => value / sum);
};
const legal = (step, seat, head, a) => a === 0 || random(Math.floor(step / 11), seat, head, a, 9) > 0.3;
const joint = (step) => SEATS.flatMap((_, seat) => HEADS.map((__, head) => {
  const p = probabilities(step, seat, head, 0);
  return p.indexOf(Math.max(...p));
}));
const events = Array.from({ length: 9 }, (_, i) => ({ step: 21 + i * 31, kind: i % 3 ? "hit" : "freeze", text: i % 3 ? `${SEATS[i % 2].name} hits for ${7 + i * 3}` : `${SEATS[i % 2].name} is frozen`, seat: i % 2 }));
const match = (id) => ({
  id, game: "fixture", run: RUNS.find((run) => id.startsWith(`${run.id}-`))?.id ?? null, length: LENGTH, step_seconds: 0.1,
  spec: { roles: [{ name: "player", heads: HEADS }], terms: [{ name: "won", kind: "outcome" }, { name: "damage", kind: "event" }, { name: "closeness", kind: "shaping" }], seats: SEATS },
  result: { end: "terminated", score: [1, 0], stats: { damage: 214, hits: 18, steps: LENGTH } },
  state: id.endsWith("differs") ? "differs" : "same", notice: null, first_difference: id.endsWith("differs") ? 200 : null, events, static: null,
});
function frames(query) {
  const [from, to] = [Number(query.get("from") ?? 0), Math.min(LENGTH + 1, Number(query.get("to") ?? 64))];
  const steps = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  const acts = steps.filter((step) => step < LENGTH);
  return {
    from, frames: steps.map((step) => ({ health: [99 - step / 4, 99 - step / 3.1].map((v) => Math.max(0, Math.round(v))), distance: 4 + 3 * Math.sin(step / 9), energy: [step % 100, (step * 2) % 100] })),
    joint: acts.map(joint), acting: acts.map((step) => [true, step % 2 === 0]),
    terms: acts.map((step) => [[step === LENGTH - 1 ? 1 : 0, step % 31 === 21 ? 0.4 : 0, 0.01], [step === LENGTH - 1 ? -1 : 0, step % 31 === 7 ? 0.3 : 0, 0.01]]),
  };
}
function thoughts(query) {
  const [from, to, flavour] = [Number(query.get("from") ?? 0), Math.min(LENGTH, Number(query.get("to") ?? 64)), query.get("model")?.endsWith("old") ? 5 : 0];
  const steps = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  const each = (of) => steps.map((step) => SEATS.map((_, seat) => (seat === 1 && step % 2 ? null : of(step, seat))));
  return {
    from, seats: [0, 1], value: each((step, seat) => (seat ? -1 : 1) * (Math.sin(step / 40) * 0.3 + step / 500) + 0.05 * bell(step, seat, flavour)),
    probabilities: each((step, seat) => HEADS.map((_, head) => probabilities(step, seat, head, flavour))),
    mask: each((step, seat) => HEADS.map((head, index) => head.actions.map((_, a) => legal(step, seat, index, a)))),
  };
}

/** A match of a file of frames. */
async function ofFile(name, part, query) {
  const { match: about, frames: all, joint, terms } = JSON.parse(await readFile(join(process.argv[3], `${name.replace(/[^a-z-]/g, "")}.json`), "utf8"));
  const length = all.length - 1;
  if (!part) return { id: `file:${name}`, run: null, result: null, state: "same", notice: null, first_difference: null, events: [], ...about, length };
  const [from, to] = [Number(query.get("from") ?? 0), Math.min(length + 1, Number(query.get("to") ?? 64))];
  const acts = (joint ?? all.slice(1).map(() => [])).slice(from, to);
  return { from, frames: all.slice(from, to), joint: acts, terms: (terms ?? []).slice(from, to), acting: acts.map(() => about.spec.seats.map(() => true)) };
}

function answer(path, query) {
  const [kind, id, part] = path.split("/").map(decodeURIComponent);
  if (kind === "match" && id?.startsWith("file:") && part !== "thoughts") return ofFile(id.slice(5), part, query);
  const run = RUNS.find((one) => one.id === id);
  if (kind === "runs" && !id) {
    const since = Number(query.get("since") ?? -1);
    const now = rowsOf(RUNS[0]);
    return { cursor: now, runs: since < 0 ? RUNS.map(summary) : since === now ? [] : [summary(RUNS[0])], gone: [] };
  }
  if (kind === "runs" && run) return detail(run);
  if (kind === "series") return series(query);
  if (kind === "league" && run) return league(run);
  if (kind === "live" && run) return { recording: run.state === "running" ? `${run.id}-live` : null, steps: 0 };
  if (kind === "models") return { models: [{ id: "r1-new", run: "r1", name: "newest", steps: 12.4e6 }, { id: "r2-old", run: "r2", name: "milestone 3M", steps: 3e6 }] };
  if (kind === "matches") {
    const of = query.get("run");
    return { matches: RUNS.filter((one) => !of || one.id === of).flatMap((one) => [24, 49, 74].map((row) => ({ id: `${one.id}-m${row}`, run: one.id, game: one.game, when: BEGUN - row * 700, steps: place(one, row).steps, source: row === 49 ? "league" : "evaluation", seats: SEATS, score: [1, 0], length: LENGTH, end: "terminated" }))) };
  }
  if (kind === "match" && part === "frames") return frames(query);
  if (kind === "match" && part === "thoughts") return thoughts(query);
  if (kind === "match") return match(id);
  return null;
}

createServer(async (request, response) => {
  const url = new URL(request.url ?? "/", "http://localhost");
  const send = (status, kind, body) => {
    response.writeHead(status, { "content-type": kind, "content-security-policy": POLICY, "x-content-type-options": "nosniff", "cache-control": "no-store" });
    response.end(body);
  };
  if (url.pathname.startsWith("/api/")) {
    const found = await answer(url.pathname.slice(5), url.searchParams);
    if (found) return send(200, "application/json", JSON.stringify(found));
    return send(404, "application/json", JSON.stringify({ error: { what: "There is no such run", where: url.pathname, remedy: "See the table of runs." } }));
  }
  const path = url.pathname === "/" ? "index.html" : url.pathname.replace(/^\/static\//, "");
  try {
    const file = normalize(join(WEB, path));
    if (!file.startsWith(WEB)) throw new Error("outside");
    send(200, KINDS[file.split(".").pop()] ?? "text/plain", await readFile(file));
  } catch {
    send(404, "text/plain", "not found");
  }
}).listen(Number(process.argv[2] ?? 0), "127.0.0.1", function () {
  console.log(`http://127.0.0.1:${this.address().port}/`);
});

/** A match, played again: picture, time line, seats, events; and the newest match of a training, live. */

import { ask, poll, Refusal } from "../core/api.js";
import { fill, h, icon, setText } from "../core/dom.js";
import { count, number, percent, words } from "../core/format.js";
import { bind } from "../core/keys.js";
import { change, go, here, href } from "../core/route.js";
import { runs } from "../core/runs.js";
import { empty, failed, loading, notice } from "../core/states.js";
import { Clock, SPEEDS } from "../player/clock.js";
import { tell } from "../player/events.js";
import { Frames, Thoughts } from "../player/frames.js";
import { Picture } from "../player/picture.js";
import { nameOf, Seats } from "../player/seats.js";
import { Timeline } from "../player/timeline.js";
import { score, versus } from "./matches.js";

/** @typedef {import("../core/types.js").Match} Match */
/** @typedef {import("../core/types.js").Model} Model */

/** Kinds of frequent events that are named. */
const MOST_NAMED = 5;

/** @type {import("../main.js").Page} */
export async function matchPage(root, place, signal) {
  fill(root, loading("Playing the match again…"));
  const match = /** @type {Match} */ (await ask(`match/${encodeURIComponent(place.id)}`, {}, signal));
  if (signal.aborted) return;
  runs.follow(signal);
  show(root, match, place.query, signal, null);
}

/** The newest match of a run, looping; a newer one takes over at the end of a round. @type {import("../main.js").Page} */
export async function livePage(root, place, signal) {
  fill(root, loading("Waiting for a match…"));
  /** @type {string | null} */
  let newest = null;
  /** @type {string | null} */
  let shown = null;
  let inner = new AbortController();
  signal.addEventListener("abort", () => inner.abort());

  const next = async () => {
    if (!newest || newest === shown) return;
    const match = /** @type {Match} */ (await ask(`match/${encodeURIComponent(newest)}`, {}, signal));
    shown = newest;
    inner.abort();
    inner = new AbortController();
    // What was set meanwhile, a camera or a speed, holds for the next match too.
    const { query } = here();
    query.delete("t");
    show(root, match, query, inner.signal, { run: place.id, over: () => {
      if (newest === shown) return false;
      void next().catch((problem) => fill(root, failed(problem)));
      return true;
    } });
  };
  runs.follow(signal);
  poll(2000, signal, async () => {
    const answer = /** @type {{ recording: string | null, steps: number | null }} */ (await ask(`live/${encodeURIComponent(place.id)}`, {}, signal));
    newest = answer.recording;
    if (!newest && !shown) {
      fill(root, h("div", { class: "title" }, h("h1", null, "Live"), h("a", { href: href("run", place.id) }, runs.all.get(place.id)?.name ?? place.id)),
        h("div", { class: "panel" }, empty("No match was kept yet", "A training keeps matches when its preset has the key `recording`. The first appears here by itself.",
          "lanista train PRESET --set recording.every=100")));
    }
    if (!shown) await next();
  }, (problem) => {
    if (!shown) fill(root, failed(problem));
  });
}

/**
 * @param {HTMLElement} root
 * @param {Match} match
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 * @param {{ run: string, over: () => boolean } | null} live
 */
function show(root, match, query, signal, live) {
  /** The step that stands beside the picture. */
  let drawn = -1;
  const clock = new Clock(match.length, match.step_seconds);
  const frames = new Frames(match.id, match.length, signal);
  const timeline = new Timeline(match, clock, signal);
  const picture = new Picture(match, frames, clock, signal);
  const seats = new Seats(match, frames, pick);
  signal.addEventListener("abort", () => clock.stop());
  clock.ready = (step) => frames.known(step);
  clock.speed = SPEEDS.find((speed) => speed === Number(query.get("speed"))) ?? 1;
  clock.loop = live !== null || query.get("loop") === "1";

  const buttons = transport(clock);
  const at = h("b");
  const of = h("span", { class: "muted" });
  const speed = h("select", { "aria-label": "Speed" }, SPEEDS.map((one) => h("option", { value: one }, `${one} ×`)));
  speed.value = String(clock.speed);
  const model = h("select", { "aria-label": "Model" }, h("option", { value: "" }, "no model"));
  const problems = h("div");
  const agrees = h("span", { class: "muted small" });
  const choices = h("span", { class: "end" });
  /**
   * A link to a moment of this match.
   * @param {number} step
   * @param {...import("../core/dom.js").Child} children
   */
  const leadTo = (step, ...children) => h("a", { href: href("match", match.id, { t: step }), onclick: (/** @type {MouseEvent} */ click) => {
    if (click.ctrlKey || click.metaKey || click.shiftKey) return;
    click.preventDefault();
    clock.pause();
    clock.seek(step);
  } }, ...children);
  const told = tell(match);
  let listed = query.get("events") === "all" ? told.all : told.chosen;
  /** @type {HTMLElement[]} */
  let eventRows = [];
  const eventList = h("ol", { class: "eventlist", tabindex: "0", "aria-label": "Events" });
  const eventCount = h("span", { class: "muted" });
  const every = h("button", { class: "quiet small", onclick: () => list(listed === told.all ? told.chosen : told.all) });
  const often = h("p", { class: "body muted small" });
  /** @param {import("../player/events.js").Told[]} events */
  function list(events) {
    listed = events;
    const all = events === told.all;
    eventRows = events.map((event) => h("li", { "data-step": event.step, class: event.rare ? "rare" : null },
      leadTo(event.step, h("span", { class: "at" }, String(event.step)), h("span", null, event.text))));
    fill(eventList, eventRows);
    eventList.hidden = !eventRows.length;
    setText(eventCount, all || !told.often.length ? String(told.all.length) : `${events.length} of ${told.all.length}`);
    setText(every, all ? "Fewer" : "All");
    every.hidden = !told.often.length;
    often.hidden = all || !told.often.length;
    const most = told.often.slice(-MOST_NAMED).reverse().map(({ kind, times }) => `${words(kind)} (${times} times)`);
    const more = told.often.length - most.length;
    setText(often, `Too frequent to be listed: ${most.join(", ")}${more ? ` and ${more} ${more === 1 ? "kind" : "kinds"} more` : ""}.`);
    change({ events: all && told.often.length ? "all" : null });
    timeline.events = events;
    timeline.draw();
    if (drawn >= 0) again();
  }
  const end = match.result;
  const about = [match.game, end?.score ? score(end.score) : null, end?.end].filter(Boolean).join(" · ");

  const origin = h("span");
  const whence = () => fill(origin, comesFrom(match, live?.run ?? match.run ?? null));
  whence();
  runs.addEventListener("change", whence, { signal });
  document.title = `${live ? "Live" : "Match"}: ${versus(match.spec.seats)} · Lanista`;
  fill(root,
    h("div", { class: "title" }, h("h1", null, versus(match.spec.seats) || "Match"), h("span", { class: "muted" }, about),
      h("div", { class: "end" },
        live ? h("span", { class: "state running" }, "live") : null,
        live || match.run ? h("a", { class: "button", href: href("run", live?.run ?? match.run ?? "") }, "Run") : null)),
    h("p", { class: "muted origin" }, origin), verdict(match, leadTo), problems,
    h("div", { class: "match" },
      h("div", null,
        h("section", { class: "panel stage" }, picture.element,
          h("div", { class: "player" }, timeline.element,
            h("div", { class: "transport" }, buttons.elements,
              h("span", { class: "clock" }, at, of), choices,
              h("span", { class: "end" }, h("label", { class: "field" }, "Speed", speed),
                h("button", { class: "quiet", title: "Copy a link to this moment", onclick: copy }, icon("link"), "Link"))))),
        match.events.length ? h("section", { class: "panel spaced" },
          h("header", null, h("h2", null, "Events"), eventCount, every), eventList, often) : null,
        stats(match)),
      h("aside", { class: "seats", "aria-label": "Seats" },
        h("section", { class: "panel" }, h("header", null, h("h2", null, "What would a model do here?")),
          h("div", { class: "body" }, h("label", { class: "field" }, "Model", model), " ", agrees)),
        seats.element)));

  /** @param {number} seat */
  function pick(seat) {
    picture.seat = seat;
    seats.select(seat);
    change({ seat });
    picture.draw();
  }
  picture.picked = pick;

  async function copy() {
    change({ t: clock.step });
    try {
      await navigator.clipboard.writeText(location.href);
    } catch {
      // Where the clipboard is closed, the address bar has the link.
    }
  }

  function move() {
    const step = clock.step;
    frames.need(step);
    void seats.thoughts?.need(Math.min(step, match.length - 1));
    if (step === drawn) return;
    drawn = step;
    setText(at, String(step));
    const seconds = match.step_seconds;
    setText(of, ` / ${count(match.length)}${seconds ? `  ${(step * seconds).toFixed(1)} s` : ""}`);
    seats.show(step);
    let now = null;
    for (const row of eventRows) {
      row.classList.remove("now");
      if (Number(row.dataset["step"]) <= step) now = row;
    }
    now?.classList.add("now");
    if (!clock.playing && !live) change({ t: step || null });
  }

  function again() {
    drawn = -1;
    move();
  }

  /** @param {string} id */
  function think(id) {
    change({ model: id });
    seats.thoughts = id && match.length ? new Thoughts(match.id, id, match.length, signal) : null;
    timeline.show([]);
    setText(agrees, "");
    const { thoughts } = seats;
    if (thoughts) {
      thoughts.addEventListener("change", () => {
        if (seats.thoughts !== thoughts) return;
        timeline.show(thoughts.value);
        if (thoughts.problem instanceof Refusal && thoughts.problem.status === 400) refuse(id, thoughts.problem);
        const rates = match.spec.seats.map((_, seat) => thoughts.agreement(frames, seat, seats.width));
        const known = rates.flatMap((rate, seat) => (rate === null ? [] : [`${nameOf(match, seat)} ${percent(rate)}`]));
        setText(agrees, thoughts.problem instanceof Error ? whyNot(thoughts.problem) : known.length ? `would do the same: ${known.slice(0, 4).join(", ")}` : "");
        again();
      }, { signal });
      // First what is looked at: a model that does not fit says so to one question.
      void thoughts.need(Math.min(clock.step, match.length - 1)).then(() => (match.length <= 20_000 ? thoughts.all() : undefined));
    }
    again();
  }

  /**
   * A model that was trained for another shape of the game is not offered again; neither are its siblings.
   * @param {string} id
   * @param {Refusal} problem
   */
  function refuse(id, problem) {
    const run = [...model.options].find((option) => option.value === id)?.dataset["run"];
    for (const option of model.options) {
      if (!option.value || option.dataset["run"] !== run || option.disabled) continue;
      option.disabled = true;
      option.textContent += " – does not fit this match";
      option.title = whyNot(problem);
    }
  }

  speed.addEventListener("change", () => setSpeed(Number(speed.value)));
  /** @param {number} value */
  function setSpeed(value) {
    clock.speed = value;
    speed.value = String(value);
    change({ speed: value === 1 ? null : value });
  }
  const faster = (/** @type {number} */ by) => setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(clock.speed) + by))] ?? 1);

  model.addEventListener("change", () => think(model.value));
  clock.addEventListener("move", move, { signal });
  clock.addEventListener("state", () => {
    buttons.draw();
    again();
  }, { signal });
  clock.addEventListener("over", (event) => {
    if (live?.over()) event.preventDefault();
  }, { signal });
  frames.addEventListener("change", () => {
    fill(problems, frames.problem ? failed(frames.problem) : null);
    again();
  }, { signal });

  const jump = (/** @type {number} */ sign) => {
    const steps = listed.map((event) => event.step);
    const next = sign > 0 ? steps.find((step) => step > clock.step) : steps.filter((step) => step < clock.step).pop();
    if (next !== undefined) {
      clock.pause();
      clock.seek(next);
    }
  };
  bind("Match", [
    { keys: " ", about: "plays or pauses", run: () => clock.toggle() },
    { keys: ",, ArrowLeft", about: "a step back", run: () => clock.nudge(-1) },
    { keys: "., ArrowRight", about: "a step on", run: () => clock.nudge(1) },
    { keys: "Shift+ArrowLeft", about: "twenty steps back", run: () => clock.nudge(-20) },
    { keys: "Shift+ArrowRight", about: "twenty steps on", run: () => clock.nudge(20) },
    { keys: "[", about: "event before", run: () => jump(-1) },
    { keys: "]", about: "next event", run: () => jump(1) },
    { keys: "Home", about: "the beginning", run: () => clock.nudge(-match.length) },
    { keys: "End", about: "the end", run: () => clock.nudge(match.length) },
    { keys: "<", about: "slower", run: () => faster(-1) },
    { keys: ">", about: "faster", run: () => faster(1) },
    { keys: "o", about: "loops or not", run: () => buttons.loop() },
    { keys: "s", about: "next seat", run: () => pick(((picture.seat ?? -1) + 1) % match.spec.seats.length) },
    { keys: "w", about: "next model", run: () => {
      do model.selectedIndex = (model.selectedIndex + 1) % model.options.length;
      while (model.options[model.selectedIndex]?.disabled);
      think(model.value);
    } },
    { keys: "b", about: "back to its run", run: () => {
      const run = live?.run ?? match.run;
      if (run) go(href("run", run));
    } },
  ], signal);

  const start = Number(query.get("t") ?? 0);
  clock.position = Math.min(match.length, Math.max(0, Number.isFinite(start) ? Math.round(start) : 0));
  timeline.slider.value = String(clock.step);
  const seat = Number(query.get("seat") ?? NaN);
  if (seat >= 0 && seat < match.spec.seats.length) {
    picture.seat = seat;
    seats.select(seat);
  }
  list(listed);
  move();
  void picture.open().then(() => viewControls(picture, query, choices, signal));
  void offerModels(match, model, live?.run ?? match.run ?? null, query.get("model"), signal).then((id) => {
    if (id && !signal.aborted) think(id);
  });
  if (match.length <= 20_000) void frames.all();
  if (live || query.get("play") === "1") clock.play();
  timeline.draw();
}

/** @param {Clock} clock */
function transport(clock) {
  const play = h("button", { class: "primary round", onclick: () => clock.toggle() });
  const loop = h("button", { class: "round", title: "Loop (o)", "aria-label": "Loop", onclick: () => toggle() }, icon("loop"));
  const toggle = () => {
    clock.loop = !clock.loop;
    change({ loop: clock.loop });
    draw();
  };
  const draw = () => {
    fill(play, icon(clock.playing ? "pause" : "play"));
    play.title = play.ariaLabel = clock.playing ? "Pause (Space)" : "Play (Space)";
    loop.setAttribute("aria-pressed", String(clock.loop));
  };
  draw();
  const button = (/** @type {"start" | "back" | "forward" | "end"} */ name, /** @type {string} */ title, /** @type {() => void} */ run) =>
    h("button", { class: "round quiet", title, "aria-label": title, onclick: run }, icon(name));
  return {
    draw,
    loop: toggle,
    elements: [button("start", "To the beginning (Home)", () => clock.nudge(-clock.length)), button("back", "A step back (←)", () => clock.nudge(-1)), play,
      button("forward", "A step on (→)", () => clock.nudge(1)), button("end", "To the end (End)", () => clock.nudge(clock.length)), loop],
  };
}

/**
 * Whether it ends as it was recorded.
 * @param {Match} match
 * @param {(step: number, ...children: import("../core/dom.js").Child[]) => HTMLElement} leadTo
 */
function verdict(match, leadTo) {
  if (match.state === "same") return match.notice ? notice([match.notice], "good") : null;
  if (match.state === "differs") {
    const where = match.first_difference === null ? null : h("div", null, "The first difference is at ",
      leadTo(match.first_difference, `step ${match.first_difference}`), ". What follows is not what was played.");
    return notice([h("strong", null, match.notice ?? "Played again, the match goes another way than it was recorded."), where]);
  }
  return notice([h("strong", null, match.notice ?? "The match cannot be played again here.")], "bad");
}

/**
 * What kind of match it is, of which run, and when in its training.
 * @param {Match} match
 * @param {string | null} run
 * @returns {import("../core/dom.js").Child[]}
 */
function comesFrom(match, run) {
  const kinds = { training: "A match of the training of ", evaluation: "A match of an evaluation of ", league: "A match of the league of ", file: "A recording" };
  const kind = kinds[match.source ?? "file"];
  const version = match.version ? `, recorded by ${match.version}` : "";
  if (!run) return [`A recording${version}`];
  const at = match.steps === null || match.steps === undefined ? "" : ` at ${count(match.steps)} steps`;
  return [match.source === "file" ? "A recording of " : kind, h("a", { href: href("run", run) }, runs.all.get(run)?.name ?? run), at, version];
}

/**
 * A refusal without the names of files, which say nothing to a reader of the page.
 * @param {Error} problem
 */
function whyNot(problem) {
  return problem.message.replace(/^\S*\/\S* was/, "It was");
}

/** @param {Match} match */
function stats(match) {
  const all = Object.entries(match.result?.stats ?? {}).filter(([, value]) => value !== null);
  if (!all.length) return null;
  return h("dl", { class: "figures-strip spaced" }, all.slice(0, 24).map(([name, value]) =>
    h("div", null, h("dt", null, words(name)), h("dd", null, typeof value === "number" ? number(value) : String(value)))));
}

/**
 * @param {Match} match
 * @param {HTMLSelectElement} select
 * @param {string | null} run
 * @param {string | null} wanted
 * @param {AbortSignal} signal
 */
async function offerModels(match, select, run, wanted, signal) {
  try {
    const { models } = /** @type {{ models: Model[] }} */ (await ask("models", { game: match.game }, signal));
    const own = models.filter((model) => model.run === run);
    const others = models.filter((model) => model.run !== run);
    const text = (/** @type {Model} */ model, /** @type {boolean} */ named) =>
      `${named ? `${runs.all.get(model.run)?.name ?? model.run}: ` : ""}${model.name}${model.steps === null ? "" : ` (${count(model.steps)})`}`;
    /** @type {[HTMLOptionElement, Model][]} */
    const foreign = [];
    const option = (/** @type {Model} */ model, /** @type {boolean} */ named) => {
      const made = h("option", { value: model.id, "data-run": model.run }, text(model, named));
      if (named) foreign.push([made, model]);
      return made;
    };
    // Names of runs may come later than their models.
    runs.addEventListener("change", () => {
      for (const [made, model] of foreign) if (!made.disabled) setText(made, text(model, true));
    }, { signal });
    if (own.length) select.append(h("optgroup", { label: "of this run" }, own.map((model) => option(model, false))));
    if (others.length) select.append(h("optgroup", { label: "of other runs" }, others.map((model) => option(model, true))));
    // A match of a run is shown with its newest model; any other when one is picked.
    const chosen = wanted ?? own[0]?.id ?? "";
    select.value = chosen;
    return select.value;
  } catch {
    // Without models the match is watched all the same.
    return "";
  }
}

/**
 * What a viewer may choose of the picture: cameras, layers.
 * @param {Picture} picture
 * @param {URLSearchParams} query
 * @param {HTMLElement} root
 * @param {AbortSignal} signal
 */
function viewControls(picture, query, root, signal) {
  const controls = picture.view?.controls ?? [];
  const bindings = [];
  /** @type {Map<string, HTMLSelectElement>} */
  const selects = new Map();
  for (const control of controls) {
    const select = h("select", { "aria-label": control.label }, control.values.map((one) => h("option", { value: one.value }, one.label)));
    const wanted = query.get(control.name);
    if (wanted && control.values.some((one) => one.value === wanted)) select.value = wanted;
    picture.controls[control.name] = select.value;
    selects.set(control.name, select);
    const apply = () => {
      picture.controls[control.name] = select.value;
      change({ [control.name]: select.selectedIndex === 0 ? null : select.value });
      picture.draw();
    };
    select.addEventListener("change", apply);
    root.append(h("label", { class: "field" }, control.label, select));
    if (control.key) {
      bindings.push({ keys: control.key, about: control.label.toLowerCase(), run: () => {
        select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
        apply();
      } });
    }
  }
  const { view } = picture;
  view?.stand?.((name) => query.get(name));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let soon;
  // A pointer moves many times a second; the address is told when it rests.
  picture.moved = () => {
    clearTimeout(soon);
    soon = setTimeout(() => {
      if (!signal.aborted) change(view?.place?.() ?? {});
    }, 150);
  };
  bindings.push(...(view?.keys ?? []).map((key) => ({ ...key, run: () => {
    key.run();
    // A key may have taken another camera.
    for (const [name, select] of selects) {
      const wanted = picture.controls[name];
      if (wanted && select.value !== wanted) {
        select.value = wanted;
        change({ [name]: select.selectedIndex === 0 ? null : wanted });
      }
    }
    picture.draw();
  } })));
  if (bindings.length) bind("Picture", bindings, signal);
  picture.draw();
}

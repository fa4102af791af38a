// Draws one view from a file of frames; see README.md.

import { load } from "./index.js";

const asked = new URLSearchParams(location.search);
const shot = asked.has("shot");
const picture = /** @type {HTMLElement} */ (document.getElementById("picture"));

/** @param {string} name @param {number} otherwise */
const number = (name, otherwise) => {
  const value = Number(asked.get(name) ?? NaN);
  return Number.isFinite(value) ? value : otherwise;
};

async function start() {
  const file = await (await fetch(asked.get("data") ?? `/fixtures/${asked.get("game")}.json`)).json();
  const game = asked.get("game") ?? file.match.game;
  const { create } = await load(asked.get("view") ?? game);
  const view = create(picture, { ...file.match, game });
  const width = number("width", shot ? 640 : innerWidth);
  const height = number("height", view.height(width));
  picture.style.width = `${width}px`;
  picture.style.height = `${height}px`;
  picture.style.overflow = "hidden";
  view.resize(width, height, shot ? 1 : devicePixelRatio);
  /** @type {Record<string, string>} */
  const controls = {};
  for (const control of view.controls) {
    const value = asked.get(control.name);
    if (value) controls[control.name] = value;
  }
  // A file may hold a part of a match.
  const first = file.first ?? 0;
  const last = first + file.frames.length - 1;
  const frameAt = (/** @type {number} */ i) => file.frames[i - first] ?? null;
  const draw = (/** @type {number} */ time) => {
    const step = Math.min(last, Math.max(first, Math.floor(time)));
    const t = step === last ? 0 : time - step;
    const a = frameAt(step);
    view.draw(a, frameAt(step + 1) ?? a, t, {
      theme: /** @type {"light"|"dark"} */ (asked.get("theme") ?? "light"),
      step, frameAt, controls,
      selectedSeat: asked.has("seat") ? number("seat", 0) : null,
      joint: file.joint?.[step - first] ?? null,
      terms: file.terms?.[step - first] ?? null,
      acting: file.acting?.[step - first] ?? null,
    });
  };
  if (shot) {
    document.body.className = "shot";
    draw(number("step", first) + number("t", 0));
    return;
  }
  let time = number("step", first);
  let playing = asked.has("play");
  const slider = /** @type {HTMLInputElement} */ (document.getElementById("slider"));
  const where = /** @type {HTMLOutputElement} */ (document.getElementById("where"));
  [slider.min, slider.max] = [String(first), String(last)];
  view.onchange = () => draw(time);
  slider.addEventListener("input", () => {
    time = Number(slider.value);
    draw(time);
  });
  document.getElementById("play")?.addEventListener("click", () => (playing = !playing));
  for (const control of view.controls) {
    const select = document.createElement("select");
    select.ariaLabel = control.label;
    for (const { value, label } of control.values) select.append(new Option(label, value));
    select.value = controls[control.name] ?? control.values[0].value;
    select.addEventListener("change", () => {
      controls[control.name] = select.value;
      draw(time);
    });
    document.getElementById("controls")?.append(select);
  }
  let before = performance.now();
  const tick = (/** @type {number} */ now) => {
    if (playing) {
      time = Math.min(last, time + (now - before) / 1000 / (file.match.step_seconds ?? 0.5));
      slider.value = String(time);
      draw(time);
    }
    before = now;
    where.textContent = `${Math.floor(time)} of ${last}`;
    requestAnimationFrame(tick);
  };
  draw(time);
  requestAnimationFrame(tick);
}

start().then(
  () => (document.title = "drawn"),
  (error) => (document.title = `failed: ${error}`),
);

/** A run: where it stands, its curves, its reward, its configuration, what has happened, its files. */

import { ask, poll } from "../core/api.js";
import { fill, h, scroller, setText } from "../core/dom.js";
import { ago, bytes, count, duration, number, percent, position, setting } from "../core/format.js";
import { bind } from "../core/keys.js";
import { change, go, href } from "../core/route.js";
import { runs } from "../core/runs.js";
import { empty, loading, notice } from "../core/states.js";
import { Curves } from "./curves.js";
import { elo } from "./runs.js";

/** @typedef {import("../core/types.js").RunAnswer} RunAnswer */

const TABS = [["curves", "Curves"], ["config", "Configuration"], ["events", "Events"], ["files", "Files"]];

/** @type {import("../main.js").Page} */
export async function runPage(root, place, signal) {
  const { id } = place;
  fill(root, loading("Reading the run…"));
  let answer = /** @type {RunAnswer} */ (await ask(`runs/${encodeURIComponent(id)}`, {}, signal));
  document.title = `${answer.run.name} · Lanista`;
  let tab = place.query.get("tab") ?? "curves";

  const strip = h("dl", { class: "figures-strip" });
  const warnings = h("div");
  const tabs = h("nav", { class: "tabs", "aria-label": "Parts of the run" });
  const body = h("div");
  const state = h("span");
  fill(root,
    h("div", { class: "title" }, h("h1", null, answer.run.name), state,
      h("span", { class: "muted" }, answer.run.preset ?? answer.run.game ?? ""),
      h("div", { class: "end" },
        h("a", { class: "button", href: href("league", id) }, "League"),
        h("a", { class: "button", href: href("matches", "", { run: id }) }, "Matches"),
        h("a", { class: "button", href: href("live", id) }, "Live match"),
        h("a", { class: "button", href: href("compare", "", { runs: id }) }, "Compare"))),
    strip, warnings, tabs, body);

  const curves = new Curves(answer, place.query, signal);

  function drawHead() {
    const run = runs.all.get(id) ?? answer.run;
    state.className = `state ${run.state}`;
    setText(state, run.state);
    const share = run.total_steps ? Math.min(1, (run.steps ?? 0) / run.total_steps) : null;
    const part = (/** @type {string} */ name, /** @type {import("../core/dom.js").Child[]} */ ...value) =>
      h("div", null, h("dt", null, name), h("dd", null, value));
    fill(strip,
      part("Steps", count(run.steps), run.total_steps ? h("small", null, ` of ${count(run.total_steps)}, ${percent(share)}`) : null),
      part("Return", number(run.return?.last), h("small", null, ` best ${number(run.return?.best)}`)),
      run.elo && part("Elo", elo(run.elo)),
      part("Speed", count(run.steps_per_second), h("small", null, " steps/s")),
      part("Trained for", duration(run.seconds)),
      run.state === "running" && part("Left", duration(run.seconds_left)),
      run.stage && part("Stage", run.stage),
      part("Seed", String(run.seed ?? "–")));
    fill(warnings,
      run.failure && notice([h("strong", null, `It failed after ${count(run.failure.steps)} steps, ${ago(run.failure.unix)}.`),
        h("pre", { class: "said" }, run.failure.message)], "bad"),
      (run.warnings ?? []).map((text) => notice([text])));
  }

  function drawTab() {
    fill(tabs, TABS.map(([name, text]) => h("a", {
      href: href("run", id, { tab: name === "curves" ? null : name }),
      "aria-current": name === tab ? "page" : null,
      onclick: (/** @type {MouseEvent} */ event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        open(/** @type {string} */ (name));
      },
    }, text)));
    if (tab === "config") fill(body, configuration(answer));
    else if (tab === "events") fill(body, events(answer));
    else if (tab === "files") fill(body, files(answer));
    else fill(body, curves.element);
  }

  /** @param {string} name */
  function open(name) {
    tab = name;
    change({ tab: name === "curves" ? null : name });
    drawTab();
  }

  bind("Run", [
    ...TABS.map(([name, text], index) => ({ keys: String(index + 1), about: String(text), run: () => open(/** @type {string} */ (name)) })),
    { keys: "l", about: "its league", run: () => go(href("league", id)) },
    { keys: "v", about: "its newest match, live", run: () => go(href("live", id)) },
    ...curves.axes.bindings(),
  ], signal);

  drawHead();
  drawTab();
  runs.addEventListener("change", drawHead, { signal });
  runs.follow(signal);
  poll(1500, signal, () => curves.turn());
  // What is rarely new is asked for rarely.
  poll(6000, signal, async () => {
    answer = await ask(`runs/${encodeURIComponent(id)}`, {}, signal);
    curves.about(answer);
    if (tab === "events") fill(body, events(answer));
  });
}

/** @param {RunAnswer} answer */
function configuration(answer) {
  const changed = Object.entries(answer.run.changed ?? {});
  return h("div", { class: "config-grid" },
    h("section", { class: "panel" }, h("header", null, h("h2", null, "Differs from its preset"), h("span", { class: "muted" }, answer.run.preset ?? "")),
      changed.length
        ? h("table", { class: "differences" }, h("tbody", null, changed.map(([key, value]) =>
          h("tr", null, h("th", { scope: "row" }, h("code", null, key)), h("td", null, setting(value))))))
        : h("div", { class: "body muted" }, answer.run.preset === null ? "It is not known which preset it was begun with." : "Nothing was changed.")),
    h("section", { class: "panel" }, h("header", null, h("h2", null, "config.yml")),
      h("pre", { class: "config", tabindex: "0", role: "region", "aria-label": "config.yml" }, answer.config_text || "(none)")));
}

/** @param {RunAnswer} answer */
function events(answer) {
  const marks = answer.marks.map((mark) => ({ steps: mark.steps, time: mark.time, kind: /** @type {string} */ (mark.kind), text: mark.label, recording: mark.recording }));
  const others = answer.events
    .filter((event) => !answer.marks.some((mark) => mark.steps === event.steps && mark.label === event.text))
    .map((event) => ({ ...event, recording: /** @type {string | null} */ (null) }));
  const all = [...marks, ...others].sort((a, b) => (b.steps ?? 0) - (a.steps ?? 0));
  if (!all.length) return empty("Nothing has happened yet", "Stages, milestones, evaluations, snapshots and warnings appear here.");
  return h("div", { class: "panel" }, scroller("Events", h("table", null,
    h("thead", null, h("tr", null, ...["Steps", "Time", "Kind", "What", "Match"].map((text, index) =>
      h("th", { scope: "col", class: index < 2 ? "number" : null }, text)))),
    h("tbody", null, all.map((event) => h("tr", null,
      h("td", { class: "number" }, count(event.steps)),
      h("td", { class: "number" }, position("time", event.time)),
      h("td", null, h("span", { class: `chip ${event.kind}` }, event.kind)),
      h("td", null, event.text),
      h("td", null, event.recording ? h("a", { href: href("match", event.recording) }, "watch") : "")))))));
}

/** @param {RunAnswer} answer */
function files(answer) {
  if (!answer.files.length) return empty("No files", "The run has written nothing yet.");
  const total = answer.files.reduce((sum, file) => sum + file.bytes, 0);
  return h("div", { class: "panel" }, h("header", null, h("h2", null, `${answer.files.length} files`), h("span", { class: "muted" }, bytes(total))),
    scroller("Files", h("table", null, h("tbody", null, answer.files.map((file) =>
      h("tr", null, h("td", null, h("code", null, file.path)), h("td", { class: "number" }, bytes(file.bytes))))))));
}

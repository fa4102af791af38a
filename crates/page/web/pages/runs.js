/** The runs: a table that is alive, with filter, order, groups, and a choice of what to compare. */

import { spark } from "../charts/spark.js";
import { ask } from "../core/api.js";
import { fill, h, icon, setText } from "../core/dom.js";
import { ago, count, duration, number } from "../core/format.js";
import { bind } from "../core/keys.js";
import { change, go, href } from "../core/route.js";
import { runs } from "../core/runs.js";
import { empty, failed, loading } from "../core/states.js";
import { theme } from "../core/theme.js";
import { arrange, askedKeys, changes, COLUMNS, groupKeys } from "./runs_order.js";

/** @typedef {import("../core/types.js").Run} Run */

/** @type {import("../main.js").Page} */
export function runsPage(root, place, signal) {
  const state = {
    q: place.query.get("q") ?? "",
    sort: place.query.get("sort") ?? "updated",
    group: place.query.get("group") ?? "",
    chosen: new Set((place.query.get("runs") ?? "").split(",").filter(Boolean)),
  };
  /** @type {Map<string, Row>} */
  const rows = new Map();
  /** Which rows stand where. */
  let stood = "";

  const filter = h("input", { type: "search", class: "grow", placeholder: "Filter: words, state=running, game=rocket, ppo.gamma=0.99", "aria-label": "Filter runs", value: state.q });
  const group = h("select", { "aria-label": "Group by" });
  const tally = h("span", { class: "muted", role: "status" });
  const heads = COLUMNS.map((column) => {
    const button = h("button", { class: "sorter", onclick: () => order(column.id) }, column.title);
    return h("th", { scope: "col", class: column.number ? "number" : null, "data-column": column.id }, button);
  });
  const table = h("table", { class: "runs" }, h("thead", null, h("tr", null,
    h("th", { scope: "col" }, h("span", { class: "hidden-text" }, "Chosen")), heads, h("th", { scope: "col" }, "Warnings"))));
  const body = h("div", { class: "panel" }, loading("Reading the runs…"));
  const tray = h("div", { class: "tray", hidden: true });
  const problems = h("div");
  fill(root, h("div", { class: "title" }, h("h1", null, "Runs"), tally), problems,
    h("div", { class: "toolbar" }, filter, h("label", { class: "field" }, "Group by", group)), body, tray);

  /** @param {string} column */
  function order(column) {
    const now = state.sort.replace("-", "");
    state.sort = now === column && !state.sort.startsWith("-") ? `-${column}` : column;
    change({ sort: state.sort === "updated" ? null : state.sort });
    draw();
  }

  filter.addEventListener("input", () => {
    state.q = filter.value;
    change({ q: state.q });
    draw();
  });
  group.addEventListener("change", () => {
    state.group = group.value;
    change({ group: state.group });
    draw();
  });

  /**
   * @param {string} id
   * @param {boolean} on
   */
  function choose(id, on) {
    if (on) state.chosen.add(id);
    else state.chosen.delete(id);
    change({ runs: [...state.chosen].join(",") });
    rows.get(id)?.choose(on);
    drawTray();
  }

  function drawTray() {
    const there = [...state.chosen].filter((id) => runs.all.has(id));
    tray.hidden = there.length === 0;
    fill(tray, h("strong", null, `${there.length} chosen`),
      h("a", { class: "button primary", href: href("compare", "", { runs: there.join(",") }) }, "Compare"),
      h("button", { class: "quiet", onclick: () => {
        for (const id of [...state.chosen]) choose(id, false);
      } }, "Clear"));
  }

  /** Values of keys of the configuration, as far as they were asked for. @type {import("./runs_order.js").Values} */
  const values = new Map();
  /** For which keys of how many runs was asked. */
  let known = "";
  /** Asks for the values of keys that a filter or a grouping names. */
  async function learn() {
    const keys = askedKeys(state.q, state.group);
    const question = JSON.stringify([keys, [...runs.all.keys()]]);
    if (!keys.length || question === known) return;
    known = question;
    try {
      const answer = /** @type {{ values: Record<string, Record<string, unknown>> }} */ (await ask("values", { key: keys }, signal));
      for (const [key, of] of Object.entries(answer.values)) values.set(key, new Map(Object.entries(of)));
      draw();
    } catch (problem) {
      // What was changed of the presets is known all the same.
      if (!signal.aborted) console.warn("values of keys:", problem);
    }
  }
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let soon;

  function draw() {
    clearTimeout(soon);
    soon = setTimeout(() => void learn(), 150);
    const all = [...runs.all.values()];
    const { groups, shown } = arrange(all, state, values);
    setText(tally, shown === all.length ? `${all.length}` : `${shown} of ${all.length}`);
    const keys = groupKeys(all);
    const options = [["", "nothing"], ["preset", "preset"], ["game", "game"], ["group", "seeds"], ...keys.map((key) => [`key:${key}`, key])];
    if (group.dataset["keys"] !== keys.join()) {
      group.dataset["keys"] = keys.join();
      fill(group, options.map(([value, text]) => h("option", { value }, text)));
    }
    group.value = state.group;
    heads.forEach((head) => {
      const column = head.dataset["column"];
      // Numbers begin with the greatest, words with the first.
      const ascends = state.sort.startsWith("-") !== Boolean(COLUMNS.find((one) => one.id === column)?.words);
      if (state.sort.replace("-", "") === column) head.setAttribute("aria-sort", ascends ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    if (!all.length) {
      fill(body, empty("No runs yet", "A run appears here as soon as it writes its first line.", "lanista train classic/cartpole"));
      return;
    }
    if (!shown) {
      fill(body, empty("No run fits the filter", `“${state.q}” is in no name, preset, game, state or changed key; key=value means exactly that.`));
      return;
    }
    for (const run of groups.flatMap((part) => part.runs)) {
      const row = rows.get(run.id) ?? new Row(run.id, choose, signal);
      rows.set(run.id, row);
      row.show(run, state.chosen.has(run.id));
    }
    for (const id of rows.keys()) if (!runs.all.has(id)) rows.delete(id);
    drawTray();
    // Rows that stand where they stood stay: hundreds of them are not laid out anew because one has changed.
    const standing = JSON.stringify(groups.map((part) => [part.title, part.summary, part.runs.map((run) => run.id)]));
    if (standing === stood && table.parentElement === body) return;
    stood = standing;
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    const bodies = groups.map((part) => {
      const lines = part.runs.map((run) => /** @type {Row} */ (rows.get(run.id)).element);
      const title = part.title === null ? [] : [h("tr", { class: "group" },
        h("td", { colspan: COLUMNS.length + 2 }, h("strong", null, part.title),
          h("span", { class: "figures" }, part.summary)))];
      return h("tbody", null, title, lines);
    });
    if (table.parentElement !== body) fill(body, table);
    for (const old of [...table.tBodies]) old.remove();
    table.append(...bodies);
    if (focused?.isConnected) focused.focus({ preventScroll: true });
  }

  /** @param {number} by */
  function step(by) {
    const links = /** @type {HTMLElement[]} */ ([...table.querySelectorAll("td.name a")]);
    const now = links.findIndex((link) => link.closest("tr")?.contains(document.activeElement));
    const next = now < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, now + by));
    links[next]?.focus();
    links[next]?.scrollIntoView({ block: "nearest" });
  }

  bind("Runs", [
    { keys: "j, ArrowDown", about: "next run", run: () => step(1) },
    { keys: "k, ArrowUp", about: "run before", run: () => step(-1) },
    { keys: "Enter", about: "opens the run", run: () => {} },
    { keys: "x", about: "chooses the run for a comparison", run: () => {
      const id = document.activeElement?.closest("tr")?.dataset["run"];
      if (id) choose(id, !state.chosen.has(id));
    } },
    { keys: "c", about: "compares the chosen runs", run: () => {
      if (state.chosen.size) go(href("compare", "", { runs: [...state.chosen].join(",") }));
    } },
  ], signal);

  runs.addEventListener("change", draw, { signal });
  theme.addEventListener("change", () => {
    for (const row of rows.values()) {
      row.painted = false;
      row.paint();
    }
  }, { signal });
  runs.addEventListener("change", () => fill(problems), { signal });
  if (runs.loaded) draw();
  runs.follow(signal, (problem) => fill(problems, failed(problem)));
}

/** @type {WeakMap<Element, Row>} */
const seen = new WeakMap();
/** One observer for all rows: curves out of sight are not painted. */
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    const row = seen.get(target);
    if (!row) continue;
    row.visible = isIntersecting;
    row.paint();
  }
}, { rootMargin: "200px" });

/** One run of the table. It changes its own cells, so that focus and selection stay. */
class Row {
  /**
   * @param {string} id
   * @param {(id: string, on: boolean) => void} choose
   * @param {AbortSignal} signal
   */
  constructor(id, choose, signal) {
    this.box = h("input", { type: "checkbox", onchange: () => choose(id, this.box.checked) });
    this.name = h("a", { href: href("run", id) });
    this.chips = h("div", { class: "chips" });
    this.state = h("span", { class: "state" });
    this.updated = h("div", { class: "muted small" });
    this.preset = h("td", { class: "preset" });
    this.figures = h("div", { class: "figures" });
    this.bar = h("i");
    this.curve = h("canvas", { role: "img" });
    this.returned = h("div", { class: "figures" });
    this.elo = h("td", { class: "number rated" });
    this.speed = h("td", { class: "number speed" });
    this.warnings = h("td", { class: "warnings" });
    this.element = h("tr", { "data-run": id },
      h("td", null, this.box),
      h("td", { class: "name" }, this.name, this.chips),
      h("td", { class: "how" }, this.state, this.updated),
      this.preset,
      h("td", { class: "progress" }, this.figures, h("div", { class: "bar" }, this.bar)),
      h("td", { class: "curve" }, h("div", { class: "spark" }, this.curve, this.returned)),
      this.elo, this.speed, this.warnings);
    /** @type {(number | null)[]} */
    this.values = [];
    this.visible = false;
    this.painted = false;
    this.text = "";
    seen.set(this.element, this);
    observer.observe(this.element);
    signal.addEventListener("abort", () => observer.unobserve(this.element));
  }

  /**
   * @param {Run} run
   * @param {boolean} chosen
   */
  show(run, chosen) {
    this.choose(chosen);
    setText(this.updated, run.state === "running" ? duration(run.seconds) : ago(run.updated));
    const text = JSON.stringify(run);
    if (text === this.text) return;
    this.text = text;
    setText(this.name, run.name);
    this.box.setAttribute("aria-label", `Choose ${run.name}`);
    this.element.dataset["state"] = run.state;
    this.state.className = `state ${run.state}`;
    setText(this.state, run.state);
    fill(this.preset, run.preset ?? run.game ?? "", run.stage && h("div", { class: "muted small" }, `stage ${run.stage}`));
    const changed = changes(run.changed ?? {});
    fill(this.chips, changed.slice(0, 4).map(({ key, text: value, title }) =>
      h("span", { class: "chip", title }, `${short(key, changed.map((other) => other.key))} ${value}`)),
      changed.length > 4 && h("span", { class: "chip", title: changed.slice(4).map(({ title }) => title).join("\n") }, `+${changed.length - 4}`));
    const share = run.total_steps ? Math.min(1, (run.steps ?? 0) / run.total_steps) : 0;
    const left = run.state === "running" && run.seconds_left !== null ? `${duration(run.seconds_left)} left` : `${Math.floor(share * 100)} %`;
    fill(this.figures, h("span", null, `${count(run.steps)}${run.total_steps ? ` / ${count(run.total_steps)}` : ""}`), h("span", { class: "muted" }, left));
    this.bar.style.width = `${share * 100}%`;
    this.values = run.spark ?? [];
    this.curve.setAttribute("aria-label", `Return, last ${number(run.return?.last)}, best ${number(run.return?.best)}`);
    fill(this.returned, h("div", null, number(run.return?.last)), h("div", { class: "muted small" }, `best ${number(run.return?.best)}`));
    this.elo.classList.toggle("none", !run.elo);
    fill(this.elo, run.elo ? elo(run.elo) : h("span", { class: "muted" }, "–"));
    this.speed.classList.toggle("none", run.steps_per_second === null);
    fill(this.speed, run.steps_per_second === null ? h("span", { class: "muted" }, "–") : [`${count(run.steps_per_second)}`, h("span", { class: "muted" }, "/s")]);
    const said = [...(run.failure ? [run.failure.message] : []), ...(run.warnings ?? [])];
    const [first, ...more] = said;
    fill(this.warnings, first && h("span", { class: run.failure ? "warned failed" : "warned", title: said.join("\n") }, icon("warning"),
      h("span", null, first.length > 42 ? `${first.slice(0, 40)}…` : first, more.length ? ` (+${more.length})` : "")));
    this.painted = false;
    this.paint();
  }

  /** @param {boolean} on */
  choose(on) {
    this.box.checked = on;
    this.element.classList.toggle("chosen", on);
  }

  paint() {
    if (this.painted || !this.visible || !this.element.isConnected) return;
    this.painted = true;
    spark(this.curve, this.values);
  }
}

/**
 * The end of a key that tells it from others.
 * @param {string} key
 * @param {string[]} all
 */
function short(key, all) {
  const parts = key.split(".");
  for (let take = 1; take < parts.length; take += 1) {
    const end = parts.slice(-take).join(".");
    if (all.filter((other) => other === end || other.endsWith(`.${end}`)).length === 1) return end;
  }
  return key;
}

/** @param {import("../core/types.js").Elo} rating */
export function elo(rating) {
  const margin = rating.low !== null && rating.high !== null ? Math.round((rating.high - rating.low) / 2) : null;
  return h("span", { title: margin === null ? null : `95 % by the latest thousand rated matches: ${Math.round(rating.low ?? 0)} to ${Math.round(rating.high ?? 0)}` },
    `${Math.round(rating.value)}`, margin === null ? "" : h("span", { class: "muted" }, ` ± ${margin}`));
}

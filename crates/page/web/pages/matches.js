/** The matches that were kept: of trainings, evaluations and leagues, and files. */

import { ask, poll } from "../core/api.js";
import { fill, h, scroller, setText } from "../core/dom.js";
import { ago, count } from "../core/format.js";
import { bind } from "../core/keys.js";
import { change, href } from "../core/route.js";
import { runs } from "../core/runs.js";
import { empty, failed, loading } from "../core/states.js";

/** @typedef {import("../core/types.js").MatchAbout} MatchAbout */

/** Rows that are drawn at once. */
const PAGE = 200;

/** @type {import("../main.js").Page} */
export function matchesPage(root, place, signal) {
  const run = place.query.get("run") ?? "";
  let q = place.query.get("q") ?? "";
  let most = PAGE;
  /** @type {MatchAbout[] | null} */
  let all = null;
  const filter = h("input", { type: "search", class: "grow", placeholder: "Filter: game, player, source, run", "aria-label": "Filter matches", value: q });
  const tally = h("span", { class: "muted", role: "status" });
  const body = h("div", { class: "panel" }, loading("Reading the matches…"));
  const problems = h("div");
  const of = h("span", { class: "muted" });
  fill(root, h("div", { class: "title" }, h("h1", null, "Matches"), tally, of), problems, h("div", { class: "toolbar" }, filter), body);

  function draw() {
    fill(of, run ? ["of ", h("a", { href: href("run", run) }, runs.all.get(run)?.name ?? run), " · ", h("a", { href: href("matches") }, "all")] : []);
    if (!all) return;
    const words = q.toLowerCase().split(/\s+/).filter(Boolean);
    const met = all.filter((match) => {
      const text = [match.game, match.source, match.run && runs.all.get(match.run)?.name, match.end, ...match.seats.map((seat) => seat.name)].join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    });
    setText(tally, met.length === all.length ? `${all.length}` : `${met.length} of ${all.length}`);
    if (!all.length) {
      fill(body, empty("No match was kept", "Trainings keep matches with the key `recording`; evaluations and files can be watched too.", "lanista eval RUN --record matches\nlanista watch matches"));
      return;
    }
    if (!met.length) {
      fill(body, empty("No match fits the filter", `“${q}” is in no game, player, source or run.`));
      return;
    }
    fill(body, scroller("Matches", h("table", { class: "matches" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Players"), h("th", { scope: "col" }, "Game"), h("th", { scope: "col" }, "Result"),
        h("th", { scope: "col", class: "number" }, "Length"), h("th", { scope: "col" }, "From"), h("th", { scope: "col" }, "Run"), h("th", { scope: "col", class: "number" }, "At"), h("th", { scope: "col", class: "number" }, "When"))),
      h("tbody", null, met.slice(0, most).map(row)))),
      met.length > most && h("div", { class: "body" }, h("button", { onclick: () => {
        most += PAGE;
        draw();
      } }, `Show more (${met.length - most})`)));
  }

  filter.addEventListener("input", () => {
    q = filter.value;
    change({ q });
    draw();
  });

  /** @param {number} by */
  function step(by) {
    const links = /** @type {HTMLElement[]} */ ([...body.querySelectorAll("td.players a")]);
    const now = links.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    links[Math.min(links.length - 1, Math.max(0, now + by))]?.focus();
  }

  bind("Matches", [
    { keys: "j, ArrowDown", about: "next match", run: () => step(1) },
    { keys: "k, ArrowUp", about: "match before", run: () => step(-1) },
  ], signal);

  let text = "";
  runs.follow(signal);
  runs.addEventListener("change", draw, { signal });
  poll(4000, signal, async () => {
    const answer = /** @type {{ matches: MatchAbout[] }} */ (await ask("matches", { run }, signal));
    fill(problems);
    const now = JSON.stringify(answer.matches);
    if (now === text) return;
    text = now;
    all = answer.matches;
    draw();
  }, (problem) => fill(problems, failed(problem)));
  draw();
}

/** @param {MatchAbout} match */
function row(match) {
  return h("tr", null,
    h("td", { class: "players" }, h("a", { href: href("match", match.id) }, versus(match.seats) || "a match")),
    h("td", null, match.game),
    h("td", null, match.score ? score(match.score) : "", match.end ? h("span", { class: "muted" }, ` ${match.end}`) : ""),
    h("td", { class: "number" }, count(match.length)),
    h("td", null, h("span", { class: "chip" }, match.source)), h("td", null, match.run ? h("a", { href: href("run", match.run) }, runs.all.get(match.run)?.name ?? match.run) : ""),
    h("td", { class: "number" }, match.steps === null ? "" : count(match.steps)),
    h("td", { class: "number muted" }, ago(match.when)));
}

/**
 * Teams by the names of their players: "learner, learner against rusher".
 * @param {import("../core/types.js").MatchSeat[]} seats
 */
export function versus(seats) {
  /** @type {Map<number, Map<string, number>>} */
  const teams = new Map();
  for (const seat of seats) {
    if (seat.name === "nobody") continue;
    const number = seat.team ?? -1;
    const team = teams.get(number) ?? new Map();
    team.set(seat.name, (team.get(seat.name) ?? 0) + 1);
    teams.set(number, team);
  }
  return [...teams.values()].map((team) => [...team].map(([name, times]) => (times > 1 ? `${times} × ${name}` : name)).join(", ")).join(" – ");
}

/** @param {number[]} values */
export function score(values) {
  return values.map((value) => (Number.isInteger(value) ? String(value) : value.toFixed(2))).join(" : ").replaceAll("-", "−");
}

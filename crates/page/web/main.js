/**
 * The page begins here: the head, the keys that work everywhere, and the page that the address names.
 */

import { line } from "./core/api.js";
import { fill, h, icon, svg } from "./core/dom.js";
import { duration } from "./core/format.js";
import { bind, listen, showKeys } from "./core/keys.js";
import { go, here, href } from "./core/route.js";
import { failed } from "./core/states.js";
import { follow, isDark, restore, theme, toggle } from "./core/theme.js";
import { comparePage } from "./pages/compare.js";
import { leaguePage } from "./pages/league.js";
import { matchPage, livePage } from "./pages/match.js";
import { matchesPage } from "./pages/matches.js";
import { runPage } from "./pages/run.js";
import { runsPage } from "./pages/runs.js";

/**
 * A page fills an element until its signal fires.
 * @typedef {(root: HTMLElement, place: import("./core/route.js").Place, signal: AbortSignal) => void | Promise<void>} Page
 */

/** @type {Record<string, { page: Page, tab: string, title: string }>} */
const PAGES = {
  runs: { page: runsPage, tab: "runs", title: "Runs" },
  run: { page: runPage, tab: "runs", title: "Run" },
  compare: { page: comparePage, tab: "compare", title: "Compare" },
  league: { page: leaguePage, tab: "runs", title: "League" },
  matches: { page: matchesPage, tab: "matches", title: "Matches" },
  match: { page: matchPage, tab: "matches", title: "Match" },
  live: { page: livePage, tab: "matches", title: "Live" },
};

const TABS = [["runs", "Runs"], ["compare", "Compare"], ["matches", "Matches"]];

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const top = /** @type {HTMLElement} */ (document.getElementById("top"));
let shown = new AbortController();
/** What was shown last, without its query: the query alone is no other page. */
let path = "";

function mark() {
  return svg("svg", { viewBox: "0 0 32 32", "aria-hidden": "true" },
    svg("rect", { width: 32, height: 32, rx: 7, fill: "#0b4f78" }),
    svg("path", { d: "M7 24 13 15l5 4 7-11", stroke: "#fff", "stroke-width": 3, "stroke-linecap": "round", "stroke-linejoin": "round" }),
    svg("circle", { cx: 25, cy: 8, r: 2.6, fill: "#f2b840" }));
}

function head() {
  const nav = h("nav", { "aria-label": "Pages" },
    TABS.map(([id, text]) => h("a", { href: href(/** @type {string} */ (id)), "data-tab": id }, text)));
  const light = h("button", { class: "quiet round", onclick: toggle });
  const paint = () => {
    fill(light, icon(isDark() ? "sun" : "moon"));
    light.title = light.ariaLabel = isDark() ? "Light colours (t)" : "Dark colours (t)";
  };
  theme.addEventListener("change", paint);
  paint();
  const heard = h("div", { class: "heard", role: "status" });
  const tell = () => {
    heard.classList.toggle("lost", !line.reachable);
    const text = line.reachable ? "live" : `no answer${line.heard ? ` for ${duration((Date.now() - line.heard) / 1000)}` : ""}`;
    if (heard.textContent !== text) fill(heard, h("span", null, text));
    heard.title = line.reachable ? "lanista watch answers" : "lanista watch does not answer; asking again";
  };
  line.addEventListener("change", tell);
  setInterval(tell, 1000);
  tell();
  fill(top, h("a", { class: "wordmark", href: href("runs"), "aria-label": "Lanista, runs" }, mark(), h("span", null, "LANISTA")), nav,
    h("div", { class: "rest" }, heard, light,
      h("button", { class: "quiet round", onclick: showKeys, title: "Keys (?)", "aria-label": "Keys" }, "?")));
}

/** Shows what the address names. */
async function show() {
  follow();
  const place = here();
  const now = `${place.page}/${place.id}`;
  const known = PAGES[place.page];
  const other = now !== path;
  path = now;
  shown.abort();
  shown = new AbortController();
  const { signal } = shown;
  for (const link of top.querySelectorAll("[data-tab]")) {
    if (link.getAttribute("data-tab") === known?.tab) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const root = h("div");
  fill(main, root);
  document.title = `${known?.title ?? "Not found"} · Lanista`;
  if (other) scrollTo(0, 0);
  if (!known) {
    fill(root, h("div", { class: "empty" }, h("h2", null, "There is no such page"),
      h("p", null, h("a", { href: href("runs") }, "Go to the runs"))));
    return;
  }
  try {
    await known.page(root, place, signal);
  } catch (problem) {
    if (!signal.aborted) fill(root, failed(problem));
  }
}

restore();
head();
listen();
bind("Everywhere", [
  { keys: "?", about: "lists the keys", run: showKeys },
  { keys: "g r", about: "goes to the runs", run: () => go(href("runs")) },
  { keys: "g c", about: "goes to the comparison", run: () => go(href("compare")) },
  { keys: "g m", about: "goes to the matches", run: () => go(href("matches")) },
  { keys: "t", about: "changes between light and dark", run: toggle },
  { keys: "/", about: "goes to the filter", run: () => {
    const filter = /** @type {HTMLElement | null} */ (main.querySelector("input[type=search]"));
    filter?.focus();
  } },
]);
addEventListener("hashchange", () => void show());
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
void show();

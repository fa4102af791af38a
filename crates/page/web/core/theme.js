/**
 * Light and dark. The system decides until a person does; the choice stays in this browser, and in the address of the
 * tab in which it was made: a link shows what its sender saw.
 *
 * Colours stand in `style/base.css` alone. What is drawn on a canvas reads them from there.
 */

import { change, here } from "./route.js";

const STORED = "lanista-theme";

/** What was chosen in this tab, by a person or by its address. @type {"light" | "dark" | null} */
let chosenHere = null;

/** Tells that colours have changed. */
export const theme = new EventTarget();

/**
 * @typedef {object} Colours
 * @property {boolean} dark
 * @property {string} surface
 * @property {string} ink
 * @property {string} muted
 * @property {string} faint
 * @property {string} line
 * @property {string} strong
 * @property {string} accent
 * @property {string} warn
 * @property {string} bad
 * @property {string} good
 * @property {string[]} series
 * @property {string} font
 */

/** @type {Colours | null} */
let cached = null;

/** The colours of now. */
export function colours() {
  cached ??= read(getComputedStyle(document.documentElement), isDark());
  return cached;
}

/** The light colours, for what is exported: papers are white. */
export function paper() {
  const root = document.documentElement;
  const before = root.dataset["theme"];
  root.dataset["theme"] = "light";
  const light = read(getComputedStyle(root), false);
  if (before) root.dataset["theme"] = before;
  else delete root.dataset["theme"];
  return light;
}

/**
 * @param {CSSStyleDeclaration} style
 * @param {boolean} dark
 * @returns {Colours}
 */
function read(style, dark) {
  const at = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
  return {
    dark,
    surface: at("surface"),
    ink: at("ink"),
    muted: at("ink-2"),
    faint: at("ink-3"),
    line: at("line"),
    strong: at("line-strong"),
    accent: at("accent"),
    warn: at("warn"),
    bad: at("bad"),
    good: at("good"),
    series: Array.from({ length: 8 }, (_, index) => at(`s${index}`)),
    font: at("sans"),
  };
}

/** Whether the page is dark now. */
export function isDark() {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen) return chosen === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Changes between light and dark, and remembers it. */
export function toggle() {
  apply(isDark() ? "light" : "dark");
}

/** @param {"light" | "dark"} chosen */
function apply(chosen) {
  document.documentElement.dataset["theme"] = chosen;
  chosenHere = chosen;
  change({ theme: chosen });
  try {
    localStorage.setItem(STORED, chosen);
  } catch {
    // A browser that keeps nothing forgets the choice with the tab.
  }
  changed();
}

function changed() {
  cached = null;
  theme.dispatchEvent(new Event("change"));
}

/** Takes up what an address says; an address that says nothing is told what was chosen before in this tab. */
export function follow() {
  const said = here().query.get("theme");
  if (said !== "light" && said !== "dark") {
    if (chosenHere) change({ theme: chosenHere });
    return;
  }
  chosenHere = said;
  if (document.documentElement.dataset["theme"] === said) return;
  document.documentElement.dataset["theme"] = said;
  changed();
}

/** Takes up what was chosen earlier. */
export function restore() {
  let kept = null;
  try {
    kept = localStorage.getItem(STORED);
  } catch {
    // As above.
  }
  if (kept === "light" || kept === "dark") document.documentElement.dataset["theme"] = kept;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}

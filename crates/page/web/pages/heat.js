/** Who beats whom, as a table of colours: a table, so that keys and screen readers reach every cell. */

import { h } from "../core/dom.js";
import { count, percent } from "../core/format.js";
import { href } from "../core/route.js";

/** @typedef {[number, number, number]} Rgb */

/** @param {import("../core/types.js").Crossplay} table */
export function heatMap(table) {
  const style = getComputedStyle(document.documentElement);
  const colour = (/** @type {string} */ name) => parse(style.getPropertyValue(name).trim());
  const [lost, even, won] = [colour("--lost"), colour("--even"), colour("--won")];
  return h("table", { class: "heat" },
    h("thead", null, h("tr", null, h("td"), table.names.map((name) => h("th", { scope: "col", title: name }, h("span", null, name))))),
    h("tbody", null, table.names.map((name, row) => h("tr", null, h("th", { scope: "row", title: name }, name),
      table.names.map((other, column) => {
        const games = table.games[row]?.[column] ?? 0;
        const raw = table.won[row]?.[column] ?? null;
        if (!games || raw === null || row === column && !games) return h("td", null, h("span", { class: "cell none" }, "·"));
        const share = shareOf(raw, table.drawn?.[row]?.[column] ?? 0, games);
        const shade = blend(lost, even, won, share);
        const recording = table.recordings?.[row]?.[column] ?? null;
        const label = `${name} against ${other}: ${percent(share)} of ${games} matches`;
        const inside = [String(Math.round(share * 100)), h("small", null, count(games))];
        const look = { background: `rgb(${shade.join(" ")})`, color: ink(shade) };
        return h("td", null, recording
          ? h("a", { class: "cell", href: href("match", recording), "aria-label": `${label}. Watch one.`, title: label, style: look }, inside)
          : h("span", { class: "cell", title: label, style: look }, inside));
      })))));
}

/**
 * The share of a row: draws count half. Results may be counts or shares already.
 * @param {number} won
 * @param {number} drawn
 * @param {number} games
 */
function shareOf(won, drawn, games) {
  const counts = won > 1 || drawn > 1 || (Number.isInteger(won) && Number.isInteger(drawn) && games > 1);
  const share = counts ? (won + drawn / 2) / games : won + drawn / 2;
  return Math.min(1, Math.max(0, share));
}

/**
 * @param {string} text `#rrggbb`
 * @returns {Rgb}
 */
function parse(text) {
  const value = parseInt(text.replace("#", ""), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/**
 * @param {Rgb} low
 * @param {Rgb} middle
 * @param {Rgb} high
 * @param {number} share
 * @returns {Rgb}
 */
function blend(low, middle, high, share) {
  const [a, b, t] = share < 0.5 ? [low, middle, share * 2] : [middle, high, share * 2 - 1];
  return /** @type {Rgb} */ (a.map((value, i) => Math.round(value + (/** @type {number} */ (b[i]) - value) * t)));
}

/**
 * Black or white, whichever is read better on a colour.
 * @param {Rgb} colour
 */
function ink(colour) {
  const [r, g, b] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const light = 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0);
  return 1.05 / (light + 0.05) > (light + 0.05) / 0.05 ? "#ffffff" : "#000000";
}

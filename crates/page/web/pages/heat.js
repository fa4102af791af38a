/** Who beats whom, as a table of colours: a table, so that keys and screen readers reach every cell. */

import { h } from "../core/dom.js";
import { count, percent } from "../core/format.js";
import { href } from "../core/route.js";

/** @typedef {[number, number, number]} Rgb */

/** @param {import("../core/types.js").Crossplay} table */
export function heatMap(table) {
  const style = getComputedStyle(document.documentElement);
  const colour = (/** @type {string} */ name) => parse(style.getPropertyValue(name).trim());
  const [low, middle, high] = [colour("--lost"), colour("--even"), colour("--won")];
  const rated = table.elo?.some((one) => one !== null) ?? false;
  return h("table", { class: "heat" },
    h("thead", null, h("tr", null, h("td"), rated ? h("th", { scope: "col", class: "rating" }, "Elo") : null, table.names.map((name) => h("th", { scope: "col", title: name }, h("span", null, name))))),
    h("tbody", null, table.names.map((name, row) => h("tr", null, h("th", { scope: "row", title: name }, name),
      rated ? h("td", { class: "rating" }, rating(table.elo?.[row] ?? null)) : null,
      table.names.map((other, column) => {
        const games = table.games[row]?.[column] ?? 0;
        const won = table.won[row]?.[column] ?? null;
        if (!games || won === null) return h("td", null, h("span", { class: "cell none" }, "·"));
        // Draws count half.
        const share = (won + (table.drawn?.[row]?.[column] ?? 0) / 2) / games;
        const shade = blend(low, middle, high, share);
        const recording = table.recordings?.[row]?.[column] ?? null;
        const label = `${name} against ${other}: ${percent(share)} of ${games} matches`;
        const unseen = (/** @type {string} */ text) => h("span", { class: "hidden-text" }, text);
        const inside = [unseen(`${name} against ${other}: `), String(Math.round(share * 100)), unseen(" % of "), h("small", null, count(games)), unseen(" matches")];
        const look = { background: `rgb(${shade.join(" ")})`, color: ink(shade) };
        return h("td", null, recording
          ? h("a", { class: "cell", href: href("match", recording), title: label, style: look }, inside)
          : h("span", { class: "cell", title: label, style: look }, inside));
      })))));
}

/** @param {NonNullable<import("../core/types.js").Crossplay["elo"]>[number]} one */
function rating(one) {
  if (!one) return "–";
  const margin = one.low === null || one.high === null ? null : Math.round((one.high - one.low) / 2);
  // The one from whom all others are measured has no margin.
  return [String(Math.round(one.elo)), margin ? h("span", { class: "muted" }, ` ± ${margin}`) : ""];
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

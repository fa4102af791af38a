// Two hands, two vaults, and what each side has played so far.

import { bar, box, chosen, clamp, disc, flat, mix, number, path, seatName, signed, text } from "./kit.js";

const NAMES = ["rock", "paper", "scissors"];

/** @type {(root: HTMLElement, match: import("./types.js").Match) => import("./types.js").View} */
export function create(root, match) {
  return flat(root, match, { paint, describe, height: (width) => Math.min(440, Math.max(330, width * 0.55)) });
}

/** @param {import("./kit.js").Moment} moment */
function paint(moment) {
  const { ctx, width, height, colors, a, scene, match } = moment;
  const middle = width / 2;
  const stakes = scene.stakes ?? [3, 2, 1];
  text(ctx, `round ${Math.min(a.round + 1, scene.rounds ?? Infinity)}${scene.rounds ? ` of ${scene.rounds}` : ""}`, middle, 20, { size: 14, weight: 600, color: colors.text, align: "center" });
  lead(moment, 34);

  const hands = 112;
  const size = Math.min(46, width * 0.1);
  for (const seat of [0, 1]) {
    const x = seat === 0 ? width * 0.25 : width * 0.75;
    text(ctx, seatName(match, seat, `seat ${seat}`), x, 66, { size: 13, weight: 600, color: colors.team[seat], align: "center", most: width * 0.42 });
    // Who waits has no choice, whatever stands in its place.
    const choice = a.phase === "open" && a.opener !== seat ? null : chosen(moment, seat, 0);
    disc(ctx, x, hands + 10, size * 1.05, { fill: colors.soft[seat] });
    if (choice && choice.action < 3) {
      hand(ctx, x, hands + 10, size * 0.62, choice.action, colors.team[seat]);
      text(ctx, `${choice.name} (${number(stakes[choice.action])})`, x, hands + size + 28, { size: 12, color: colors.text, align: "center" });
    } else if (choice) {
      text(ctx, "opens", x, hands + 4, { size: 13, color: colors.text, align: "center" });
      text(ctx, choice.name, x, hands + 20, { size: 13, weight: 700, color: colors.text, align: "center" });
    } else {
      text(ctx, a.phase === "over" ? "" : "waits", x, hands + 10, { size: 13, color: colors.muted, align: "center" });
    }
  }
  // The vaults, while one opens them.
  if (a.phase === "open") {
    const opener = a.opener;
    const choice = chosen(moment, opener, 0);
    for (const side of [0, 1]) {
      const w = Math.min(64, width * 0.15);
      const x = middle + (side ? 6 : -w - 6);
      const rich = a.rich === side;
      const opened = choice && choice.action - 3 === side;
      box(ctx, x, hands - 18, w, 56, { fill: rich ? colors.soft[1] : colors.raised, stroke: opened ? colors.team[opener] : colors.line, line: opened ? 3 : 1 });
      disc(ctx, x + w / 2, hands + 8, 11, { stroke: colors.muted, line: 2 });
      path(ctx, [[x + w / 2 - 11, hands + 8], [x + w / 2 + 11, hands + 8]], { stroke: colors.muted, line: 2 });
      text(ctx, rich ? `rich: ${number(scene.prize ?? 1)}` : "empty", x + w / 2, hands + 50, { size: 11, color: rich ? colors.text : colors.muted, align: "center" });
    }
  } else if (a.phase === "choose") {
    const pair = [chosen(moment, 0, 0), chosen(moment, 1, 0)];
    if (pair[0] && pair[1]) {
      const winner = (pair[0].action - pair[1].action + 3) % 3;
      const words = winner === 0 ? "draw" : winner === 1 ? "◀ wins" : "wins ▶";
      text(ctx, words, middle, hands + 10, { size: 15, weight: 700, color: winner ? colors.team[winner - 1] : colors.muted, align: "center" });
    }
  } else {
    text(ctx, "over", middle, hands + 10, { size: 15, weight: 700, color: colors.muted, align: "center" });
  }

  shares(moment, height - 92);
}

/** Who leads, as a bar from the middle. @param {import("./kit.js").Moment} moment @param {number} y */
function lead({ ctx, width, colors, a, b, t, scene }, y) {
  const won = mix(a.lead, b.lead, t);
  const most = Math.max(4, ...(scene.stakes ?? [3])) * Math.max(2, Math.sqrt(scene.rounds ?? 8));
  const half = Math.min(220, width / 2 - 64);
  const middle = width / 2;
  box(ctx, middle - half, y, 2 * half, 8, { fill: colors.raised, radius: 4 });
  const far = clamp(won / most, -1, 1) * half;
  if (Math.abs(far) > 0.5) {
    box(ctx, far > 0 ? middle - far : middle, y, Math.abs(far), 8, { fill: colors.team[far > 0 ? 0 : 1], radius: 2 });
  }
  path(ctx, [[middle, y - 3], [middle, y + 11]], { stroke: colors.text, line: 1.5 });
  text(ctx, signed(won, 1), middle - half - 8, y + 4, { size: 12, weight: 600, color: colors.team[0], align: "right" });
  text(ctx, signed(-won, 1), middle + half + 8, y + 4, { size: 12, weight: 600, color: colors.team[1] });
}

/** What was played beside the equilibrium. @param {import("./kit.js").Moment} moment @param {number} top */
function shares({ ctx, width, colors, a, scene }, top) {
  const half = (width - 48) / 2;
  for (const seat of [0, 1]) {
    const left = 16 + seat * (half + 16);
    const total = a.played[seat].reduce((/** @type {number} */ x, /** @type {number} */ y) => x + y, 0);
    text(ctx, total ? `played ${total}` : "nothing played yet", left, top, { size: 11, color: colors.muted });
    NAMES.forEach((name, i) => {
      const y = top + 20 + i * 26;
      text(ctx, name, left, y, { size: 12, color: colors.text });
      const x = left + 62;
      const w = half - 62 - 40;
      const share = total ? a.played[seat][i] / total : 0;
      bar(ctx, x, y - 5, w, 10, share, colors.team[seat], colors.raised);
      const ideal = scene.equilibrium?.[i];
      if (ideal !== undefined) path(ctx, [[x + w * ideal, y - 8], [x + w * ideal, y + 8]], { stroke: colors.text, line: 1.5 });
      text(ctx, `${Math.round(share * 100)} %`, left + half, y, { size: 11, color: colors.muted, align: "right" });
    });
  }
  if (scene.equilibrium) text(ctx, "│ equilibrium", width - 16, top, { size: 11, color: colors.muted, align: "right" });
}

/**
 * Rock, paper, scissors.
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x @param {number} y @param {number} r @param {number} what @param {string} color
 */
function hand(ctx, x, y, r, what, color) {
  if (what === 0) {
    path(ctx, [[x - r * 0.9, y + r * 0.2], [x - r * 0.5, y - r * 0.7], [x + r * 0.3, y - r * 0.85], [x + r * 0.95, y - r * 0.1], [x + r * 0.6, y + r * 0.75], [x - r * 0.5, y + r * 0.8]], { fill: color, stroke: color, line: r * 0.16, closed: true });
  } else if (what === 1) {
    path(ctx, [[x - r * 0.65, y - r * 0.9], [x + r * 0.3, y - r * 0.9], [x + r * 0.65, y - r * 0.5], [x + r * 0.65, y + r * 0.9], [x - r * 0.65, y + r * 0.9]], { fill: color, closed: true });
    for (const line of [-0.3, 0.1, 0.5]) path(ctx, [[x - r * 0.4, y + r * line], [x + r * 0.4, y + r * line]], { stroke: "#ffffff", line: r * 0.1 });
  } else {
    path(ctx, [[x - r * 0.5, y - r * 0.95], [x + r * 0.35, y + r * 0.45]], { stroke: color, line: r * 0.2 });
    path(ctx, [[x + r * 0.5, y - r * 0.95], [x - r * 0.35, y + r * 0.45]], { stroke: color, line: r * 0.2 });
    disc(ctx, x - r * 0.5, y + r * 0.68, r * 0.26, { stroke: color, line: r * 0.18 });
    disc(ctx, x + r * 0.5, y + r * 0.68, r * 0.26, { stroke: color, line: r * 0.18 });
  }
}

/** @param {any} a @param {import("./kit.js").Moment} moment */
function describe(a, moment) {
  const says = [0, 1].map((seat) => chosen(moment, seat, 0)).map((choice, seat) => (choice ? `seat ${seat} chooses ${choice.name}` : "")).filter(Boolean);
  const leads = a.lead === 0 ? "nobody leads" : `seat ${a.lead > 0 ? 0 : 1} leads by ${number(Math.abs(a.lead), 1)}`;
  return `Round ${a.round + 1}: ${says.length ? `${says.join(", ")}; ` : ""}${leads}.`;
}

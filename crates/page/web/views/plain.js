// Any game: the numbers of its frame, what every seat chose, and what it earned.

import { bar, box, chosen, flat, mix, number, roleOf, seatName, signed, text } from "./kit.js";

/** @type {(root: HTMLElement, match: import("./types.js").Match) => import("./types.js").View} */
export function create(root, match) {
  // The largest magnitude seen of every number, so that bars do not jump.
  /** @type {Map<string, number>} */
  const most = new Map();
  const seats = Math.max(1, match.spec?.seats?.length ?? 1);
  const view = flat(root, match, {
    paint: (moment) => paint(moment, most),
    describe,
    height: (width) => Math.min(900, 120 + (width < 560 ? seats * 76 + 260 : Math.max(260, seats * 76))),
  });
  // A game without frames still has choices and terms to show.
  const { draw } = view;
  view.draw = (a, b, t, options) => draw(a ?? {}, b ?? a ?? {}, t, options);
  return view;
}

/** Numbers of a frame by name, lists and objects opened. @param {any} frame @returns {Map<string, number>} */
export function numbersOf(frame) {
  /** @type {Map<string, number>} */
  const found = new Map();
  /** @param {string} name @param {any} value @param {number} depth */
  const visit = (name, value, depth) => {
    if (found.size >= 200) return;
    if (typeof value === "number") found.set(name || "value", value);
    else if (typeof value === "boolean") found.set(name, value ? 1 : 0);
    else if (value && typeof value === "object" && depth < 4) {
      for (const [key, inner] of Object.entries(value)) visit(name ? `${name}.${key}` : key, inner, depth + 1);
    }
  };
  visit("", frame, 0);
  return found;
}

/** @param {import("./kit.js").Moment} moment @param {Map<string, number>} most */
function paint(moment, most) {
  const { ctx, width, height, colors, a, b, t, options } = moment;
  const narrow = width < 560;
  text(ctx, `step ${options.step ?? 0}`, 16, 22, { size: 14, weight: 600, color: colors.text });
  const numbers = numbersOf(a);
  const next = numbersOf(b);
  const seatsWide = narrow ? width - 32 : (width - 48) / 2;
  const bottom = paintSeats(moment, 16, 44, seatsWide);
  const left = narrow ? 16 : 32 + seatsWide;
  const top = narrow ? bottom + 12 : 44;
  const wide = narrow ? width - 32 : seatsWide;
  if (!numbers.size) {
    text(ctx, "This game has no frame: choices and terms are all there is.", left, top + 8, { size: 12, color: colors.muted, most: wide });
    return;
  }
  let y = top + 8;
  const shown = [...numbers].slice(0, Math.max(0, Math.floor((height - top - 12) / 22)));
  for (const [name, value] of shown) {
    const now = mix(value, next.get(name) ?? value, t);
    const largest = Math.max(most.get(name) ?? 0, Math.abs(value), 1e-9);
    most.set(name, largest);
    text(ctx, name, left, y, { size: 12, color: colors.muted, most: wide * 0.42 });
    bar(ctx, left + wide * 0.45, y - 4, wide * 0.35, 8, Math.abs(now) / largest, now < 0 ? colors.team[1] : colors.team[0], colors.raised);
    text(ctx, number(now, 3), left + wide, y, { size: 12, color: colors.text, align: "right", most: wide * 0.18 });
    y += 22;
  }
  if (shown.length < numbers.size) text(ctx, `${numbers.size - shown.length} more`, left, y, { size: 11, color: colors.muted });
}

/** @param {import("./kit.js").Moment} moment @param {number} left @param {number} top @param {number} wide */
function paintSeats(moment, left, top, wide) {
  const { ctx, colors, match, options, height } = moment;
  const seats = match.spec?.seats ?? [];
  let y = top;
  seats.forEach((seat, i) => {
    if (y + 64 > height) return;
    const color = colors.team[seat.team % colors.team.length];
    const on = options.selectedSeat === i;
    box(ctx, left, y, wide, 64, { fill: colors.panel, stroke: on ? color : colors.line, line: on ? 2 : 1 });
    box(ctx, left, y, 4, 64, { fill: color, radius: 2 });
    text(ctx, seatName(match, i, `seat ${i}`), left + 14, y + 15, { size: 13, weight: 600, color: colors.text, most: wide - 28 });
    const heads = roleOf(match, i)?.heads ?? [];
    const words = heads.map((_, head) => chosen(moment, i, head)?.name).filter(Boolean);
    text(ctx, words.length ? words.join(" · ") : "waits", left + 14, y + 34, { size: 12, color: words.length ? colors.text : colors.muted, most: wide - 28 });
    const terms = options.terms?.[i] ?? [];
    const earned = terms.map((value, term) => (value ? `${match.spec?.terms?.[term]?.name ?? term} ${signed(value, 3)}` : "")).filter(Boolean);
    text(ctx, earned.join("   "), left + 14, y + 51, { size: 11, color: colors.muted, most: wide - 28 });
    y += 76;
  });
  return y;
}

/** @param {any} a @param {import("./kit.js").Moment} moment */
function describe(a, moment) {
  const seats = moment.match.spec?.seats ?? [];
  const said = seats.map((_, i) => {
    const words = (roleOf(moment.match, i)?.heads ?? []).map((_, head) => chosen(moment, i, head)?.name).filter(Boolean);
    return words.length ? `seat ${i} chooses ${words.join(", ")}` : "";
  });
  return `Step ${moment.options.step ?? 0}: ${said.filter(Boolean).join("; ") || "nobody acts"}; ${numbersOf(a).size} numbers.`;
}

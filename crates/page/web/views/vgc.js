// A battle board: who stands, who waits, what holds, and the log in words.

import { bar, box, chip, chosen, clamp, disc, flat, measure, mix, path, seatTitle, text, wrap } from "./kit.js";

/** From this width on the log stands beside the board. */
const WIDE = 760;

const TYPES = {
  Normal: "#8a8a72", Fire: "#d9622b", Water: "#3f7fd6", Electric: "#c79a00", Grass: "#4c9a3d", Ice: "#4fa9ad",
  Fighting: "#b03a34", Poison: "#8f4a9c", Ground: "#a5813c", Flying: "#7a86c9", Psychic: "#d2517c", Bug: "#84962a",
  Rock: "#95803c", Ghost: "#675591", Dragon: "#5a48c6", Dark: "#5d5048", Steel: "#71809a", Fairy: "#c9679c", Stellar: "#4a8f8f",
};
const STATUS = {
  burn: ["BRN", "#d9622b"], freeze: ["FRZ", "#3d93b8"], paralysis: ["PAR", "#b58a00"],
  poison: ["PSN", "#8f4a9c"], toxic: ["TOX", "#74307f"], sleep: ["SLP", "#6b7280"],
};

/** @type {(root: HTMLElement, match: import("./types.js").Match) => import("./types.js").View} */
export function create(root, match) {
  return flat(root, match, { paint, describe, height: (width) => (width >= WIDE ? 500 : 800) });
}

/** How a side is called beside the picture. @param {import("./types.js").Match} match @param {any} frame @param {number} who */
const sideName = (match, frame, who) => seatTitle(match, who, frame.sides[who].name || `side ${who + 1}`);

/** What is told, with the names of the players for those of the engine. @param {import("./types.js").Match} match @param {any} frame @param {string} words */
function named(match, frame, words) {
  const sides = frame.sides.map((/** @type {any} */ one) => one.name);
  return sides.reduce((/** @type {string} */ said, /** @type {string} */ name, /** @type {number} */ who) =>
    (name ? said.replaceAll(name, sideName(match, frame, who)) : said), words);
}

/** @param {import("./kit.js").Moment} moment */
function paint(moment) {
  const { width, height } = moment;
  if (width >= WIDE) {
    const logWide = clamp(width * 0.32, 260, 380);
    const wide = width - logWide - 36;
    board(moment, 12, 12, wide, height - 24);
    log(moment, wide + 24, 12, logWide, height - 24);
  } else {
    // Where there is not enough room for all, the log goes first.
    const room = height - 16 >= 570 + 80;
    const tall = room ? 570 : height - 16;
    board(moment, 8, 8, width - 16, tall);
    if (room) log(moment, 8, tall + 16, width - 16, height - tall - 24);
  }
}

/** @param {import("./kit.js").Moment} moment @param {number} left @param {number} top @param {number} wide @param {number} tall */
function board(moment, left, top, wide, tall) {
  const { ctx, colors, a } = moment;
  // The other side above, one's own below, as at a table.
  const strip = 44;
  const half = (tall - strip - 16) / 2;
  side(moment, 1, left, top, wide, half);
  field(moment, left, top + half + 8, wide, strip);
  side(moment, 0, left, top + half + strip + 16, wide, half);
  if (a.over) {
    const words = a.winner === null ? "a tie" : `${sideName(moment.match, a, a.winner)} wins`;
    const w = measure(ctx, words, 16, 700) + 32;
    box(ctx, left + wide / 2 - w / 2, top + half + 8 + strip / 2 - 18, w, 36, { fill: a.winner === null ? colors.muted : colors.team[a.winner], radius: 18 });
    text(ctx, words, left + wide / 2, top + half + 8 + strip / 2, { size: 16, weight: 700, color: colors.ground, align: "center" });
  }
}

/** @param {import("./kit.js").Moment} moment @param {number} who @param {number} left @param {number} top @param {number} wide @param {number} tall */
function side(moment, who, left, top, wide, tall) {
  const { ctx, colors, a, options } = moment;
  const one = a.sides[who];
  const on = options.selectedSeat === who;
  box(ctx, left, top, wide, tall, { fill: colors.panel, stroke: on ? colors.team[who] : colors.line, line: on ? 2 : 1, radius: 8 });
  box(ctx, left, top, 4, tall, { fill: colors.team[who], radius: 2 });
  const title = text(ctx, sideName(moment.match, a, who), left + 14, top + 17, { size: 13, weight: 700, color: colors.team[who], most: wide * 0.4 });
  let x = left + 22 + title;
  for (const [name, count] of Object.entries(one.conditions)) {
    const words = Number(count) > 1 ? `${name} ${count}` : name;
    if (x + measure(ctx, words, 10, 600) + 12 > left + wide * 0.66) break;
    x += chip(ctx, words, x, top + 17, { fill: colors.soft[who], color: colors.team[who], size: 10 }) + 4;
  }
  bench(moment, who, left + wide - 10, top + 17, wide * 0.3);
  if (a.phase === "preview") {
    preview(moment, who, left + 12, top + 36, wide - 22, tall - 44);
    return;
  }
  const gap = 8;
  const cardWide = (wide - 22 - gap) / 2;
  for (const place of [0, 1]) {
    card(moment, who, place, left + 12 + place * (cardWide + gap), top + 34, cardWide, tall - 42);
  }
}

/** The whole team before the battle. @param {import("./kit.js").Moment} moment @param {number} who @param {number} left @param {number} top @param {number} wide @param {number} tall */
function preview(moment, who, left, top, wide, tall) {
  const { ctx, colors, a } = moment;
  const team = a.sides[who].team;
  const columns = wide > 420 ? 6 : 3;
  const cell = wide / columns;
  const rows = Math.ceil(team.length / columns);
  team.forEach((/** @type {any} */ member, /** @type {number} */ i) => {
    const [x, y] = [left + (i % columns) * cell + cell / 2, top + (Math.floor(i / columns) + 0.5) * ((tall - 20) / rows) - 8];
    const r = Math.min(24, cell * 0.3, tall / rows / 3);
    token(ctx, x, y, r, member, colors);
    text(ctx, member.species, x, y + r + 12, { size: 11, color: colors.text, align: "center", most: cell - 4 });
  });
  const choice = chosen(moment, who, 0);
  if (choice) text(ctx, `brings ${choice.name}`, left + wide / 2, top + tall - 6, { size: 12, weight: 600, color: colors.team[who], align: "center", most: wide });
}

/** Who waits, as tokens from the right. @param {import("./kit.js").Moment} moment @param {number} who @param {number} right @param {number} y @param {number} wide */
function bench({ ctx, colors, a }, who, right, y, wide) {
  const one = a.sides[who];
  if (a.phase === "preview") return;
  const waiting = one.team.filter((/** @type {any} */ member, /** @type {number} */ i) => member.brought && !one.active.includes(i));
  const r = Math.min(11, wide / 10);
  waiting.forEach((/** @type {any} */ member, /** @type {number} */ i) => {
    const x = right - r - i * (r * 2 + 8);
    ctx.globalAlpha = member.fainted ? 0.4 : 1;
    token(ctx, x, y, r, member, colors);
    ctx.globalAlpha = 1;
    if (member.fainted) cross(ctx, x, y, r * 0.8, colors.bad);
    else bar(ctx, x - r, y + r + 2, r * 2, 3, share(member), health(member, colors), colors.raised);
  });
}

/** One who stands in battle. @param {import("./kit.js").Moment} moment @param {number} who @param {number} place @param {number} left @param {number} top @param {number} wide @param {number} tall */
function card(moment, who, place, left, top, wide, tall) {
  const { ctx, colors, a, b, t } = moment;
  const one = a.sides[who];
  const index = one.active[place];
  const member = index === null || index === undefined ? null : one.team[index];
  box(ctx, left, top, wide, tall, { fill: colors.ground, radius: 6 });
  if (!member) {
    text(ctx, "nobody", left + wide / 2, top + tall / 2, { size: 12, color: colors.muted, align: "center" });
    return;
  }
  const next = b.sides[who].team[index] ?? member;
  const now = mix(share(member), share(next), t);
  // On a phone the name takes the whole width and marks go below.
  const narrow = wide < 190;
  const r = narrow ? 13 : 22;
  ctx.globalAlpha = member.fainted ? 0.35 : 1;
  token(ctx, left + 10 + r, top + (narrow ? 41 : 10 + r), r, member, colors);
  const x = left + 20 + 2 * r;
  const inner = wide - 30 - 2 * r;
  text(ctx, member.name, narrow ? left + 10 : x, top + 16, { size: narrow ? 12 : 13, weight: 700, color: colors.text, most: narrow ? wide - 20 : inner });
  bar(ctx, x, top + (narrow ? 30 : 28), inner, 9, now, health({ ...member, hp: now * member.of }, colors), colors.raised);
  const points = member.of > 0 ? `${Math.round(now * member.of)}/${member.of}` : "";
  text(ctx, points, x + inner, top + 48, { size: 11, color: colors.muted, align: "right" });
  let [cx, cy] = narrow ? [left + 10, top + 68] : [x, top + 48];
  const mark = STATUS[/** @type {keyof typeof STATUS} */ (member.status)];
  const marked = mark || member.terastallized || member.mega;
  if (mark) cx += chip(ctx, mark[0], cx, cy, { fill: mark[1], color: "#ffffff", size: 10 }) + 3;
  if (member.terastallized) chip(ctx, `tera ${member.tera}`, cx, cy, { fill: typeColor(member.tera), color: "#ffffff", size: 10 });
  else if (member.mega) chip(ctx, "mega", cx, cy, { fill: colors.magic, color: "#ffffff", size: 10 });
  ctx.globalAlpha = 1;
  if (member.fainted) {
    text(ctx, "fainted", left + wide / 2, top + tall - 16, { size: 12, weight: 600, color: colors.bad, align: "center" });
    return;
  }
  const [tx, fit] = [left + 10, wide - 20];
  let y = top + (narrow && marked ? 88 : 70);
  const end = top + tall - 4;
  const stages = Object.entries(member.stages).map(([name, by]) => `${name} ${Number(by) > 0 ? "+" : "−"}${Math.abs(Number(by))}`);
  y = rowOf(ctx, tx, y, fit, [...stages, ...member.under], end - 18, (words) => ({
    fill: colors.raised, color: words.includes("−") ? colors.bad : words.includes("+") ? colors.good : colors.text,
  }));
  const kept = [member.item, member.ability].filter(Boolean).join(" · ");
  if (y + 6 < end) {
    text(ctx, kept, tx, y, { size: 11, color: colors.muted, most: fit });
    y += 19;
  }
  const choice = slotChoice(moment, who, place);
  const columns = fit > 190 ? 2 : 1;
  member.moves.forEach((/** @type {any} */ move, /** @type {number} */ i) => {
    const my = y + Math.floor(i / columns) * 18;
    if (my + 6 > end - (choice ? 18 : 0)) return;
    const mx = tx + (i % columns) * (fit / 2);
    disc(ctx, mx + 4, my, 4, { fill: typeColor(move.type) });
    const used = /^move_(\d+)/.exec(choice?.name ?? "")?.[1] === String(i + 1);
    text(ctx, move.name, mx + 13, my, { size: 11, weight: used ? 700 : 400, color: used ? colors.text : colors.muted, most: fit / columns - 18 });
  });
  if (choice) text(ctx, `▸ ${inWords(choice.name, member, one)}`, tx, end - 9, { size: 11, weight: 700, color: colors.team[who], most: fit });
}

/** A choice in words: `move_1_foe_2` is "Water Spout at foe 2". @param {string} choice @param {any} member @param {any} side */
function inWords(choice, member, side) {
  const move = /^move_(\d+)(?:_(foe|own)_(\d+))?(_gimmick)?$/.exec(choice);
  const change = /^switch_(\d+)$/.exec(choice);
  if (change) return `switch to ${side.team[Number(change[1]) - 1]?.name ?? `no. ${change[1]}`}`;
  if (!move) return choice.replaceAll("_", " ");
  const name = member.moves[Number(move[1]) - 1]?.name ?? `move ${move[1]}`;
  return `${name}${move[2] ? ` at ${move[2]} ${move[3]}` : ""}${move[4] ? ", gimmick" : ""}`;
}

/** What a place does this turn: heads are preview, first, second; or one for both. @param {import("./kit.js").Moment} moment @param {number} who @param {number} place */
function slotChoice(moment, who, place) {
  const heads = moment.match.spec?.roles?.[0]?.heads?.length ?? 3;
  if (heads >= 3) return chosen(moment, who, 1 + place);
  return place === 0 ? chosen(moment, who, 0) : null;
}

/** @param {import("./kit.js").Moment} moment @param {number} left @param {number} top @param {number} wide @param {number} tall */
function field({ ctx, colors, a }, left, top, wide, tall) {
  const what = a.field;
  const weather = what.weather;
  const sky = { sun: colors.soft[1], rain: colors.soft[0], sand: colors.soft[1], snow: colors.soft[2] };
  box(ctx, left, top, wide, tall, { fill: sky[/** @type {keyof typeof sky} */ (weather?.name?.split(" ").pop())] ?? colors.raised, radius: 8 });
  const turn = a.phase === "preview" ? "team preview" : a.phase === "switch" ? `turn ${a.turn}: somebody comes in` : `turn ${a.turn}`;
  const named = text(ctx, turn, left + 14, top + tall / 2, { size: 14, weight: 700, color: colors.text });
  let x = left + 30 + named;
  const said = [];
  for (const [one, word] of [[weather, ""], [what.terrain, " terrain"]]) if (one) said.push(`${one.name}${word}${one.turns ? ` ${one.turns}` : ""}`);
  for (const [name, turns] of Object.entries(what.rooms)) said.push(`${name} ${turns}`);
  for (const words of said) {
    if (x + measure(ctx, words, 11, 600) > left + wide - 16) break;
    x += chip(ctx, words, x, top + tall / 2, { fill: colors.panel, color: colors.text, size: 11 }) + 6;
  }
}

/** @param {import("./kit.js").Moment} moment @param {number} left @param {number} top @param {number} wide @param {number} tall */
function log(moment, left, top, wide, tall) {
  const { ctx, colors, a, options } = moment;
  box(ctx, left, top, wide, tall, { fill: colors.panel, stroke: colors.line, radius: 8 });
  const rows = Math.floor((tall - 16) / 17);
  const step = options.step ?? 0;
  /** @type {{words: string, side: number|null, effect: boolean, old: boolean, heading: boolean}[]} */
  let lines = [];
  for (let i = step; i >= 0 && lines.length < rows && i > step - 30; i--) {
    const frame = i === step ? a : options.frameAt?.(i);
    if (!frame) break;
    const told = [];
    for (const one of frame.words) {
      const indent = one.effect ? 26 : 14;
      for (const words of wrap(ctx, named(moment.match, frame, one.text), wide - indent - 16, 12, one.effect || i !== step ? 400 : 600)) {
        told.push({ words, side: one.side, effect: one.effect, old: i !== step, heading: /^Turn \d+\.$/.test(one.text) });
      }
    }
    lines = [...told, ...lines];
  }
  lines = lines.slice(-rows);
  lines.forEach((line, i) => {
    const y = top + 16 + i * 17;
    if (line.heading) {
      path(ctx, [[left + 12, y], [left + wide - 12, y]], { stroke: colors.faint });
      const w = measure(ctx, line.words, 11, 700) + 16;
      box(ctx, left + wide / 2 - w / 2, y - 9, w, 18, { fill: colors.panel, radius: 4 });
      text(ctx, line.words, left + wide / 2, y, { size: 11, weight: 700, color: line.old ? colors.muted : colors.text, align: "center" });
      return;
    }
    if (!line.effect && line.side !== null) box(ctx, left + 7, y - 5, 3, 10, { fill: colors.team[line.side], radius: 1 });
    const color = line.old ? colors.muted : colors.text;
    text(ctx, line.words, left + (line.effect ? 26 : 14), y, { size: 12, weight: line.effect || line.old ? 400 : 600, color, most: wide - 30 });
  });
  if (!lines.length) text(ctx, "nothing has been told yet", left + wide / 2, top + tall / 2, { size: 12, color: colors.muted, align: "center" });
}

/**
 * Chips in at most two rows; returns where the next row begins.
 * @param {CanvasRenderingContext2D} ctx @param {number} left @param {number} top @param {number} wide @param {string[]} all @param {number} end
 * @param {(words: string) => {fill: string, color: string}} how
 */
function rowOf(ctx, left, top, wide, all, end, how) {
  let [x, y] = [left, top];
  for (const words of all) {
    const w = measure(ctx, words, 10, 600) + 10;
    if (x > left && x + w > left + wide) [x, y] = [left, y + 19];
    if (y > end || y > top + 19) return top + 38;
    chip(ctx, words, x, y, { ...how(words), size: 10 });
    x += w + 4;
  }
  return all.length ? y + 19 : y;
}

/** A disc in the colours of its types, with the beginning of its name. @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} y @param {number} r @param {any} member @param {import("./kit.js").Palette} colors */
function token(ctx, x, y, r, member, colors) {
  const [first, second] = [typeColor(member.types[0]), typeColor(member.types[1] ?? member.types[0])];
  disc(ctx, x, y, r, { fill: first });
  if (second !== first) {
    ctx.beginPath();
    ctx.arc(x, y, r, -Math.PI / 4, (Math.PI * 3) / 4);
    ctx.closePath();
    ctx.fillStyle = second;
    ctx.fill();
  }
  disc(ctx, x, y, r, { stroke: member.terastallized ? colors.text : colors.panel, line: 1.5 });
  if (r >= 9) text(ctx, String(member.species || member.name || "?").slice(0, r > 14 ? 3 : 2), x, y + 0.5, { size: Math.max(10, r * 0.7), weight: 700, color: "#ffffff", align: "center" });
}

/** @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} y @param {number} r @param {string} color */
function cross(ctx, x, y, r, color) {
  path(ctx, [[x - r, y - r], [x + r, y + r]], { stroke: color, line: 2.5 });
  path(ctx, [[x + r, y - r], [x - r, y + r]], { stroke: color, line: 2.5 });
}

/** @param {string|null|undefined} type */
const typeColor = (type) => TYPES[/** @type {keyof typeof TYPES} */ (type)] ?? "#7a8594";

/** @param {any} member */
const share = (member) => (member.fainted || !member.of ? 0 : member.hp / member.of);

/** @param {any} member @param {import("./kit.js").Palette} colors */
function health(member, colors) {
  const left = share(member);
  return left > 0.5 ? colors.good : left > 0.2 ? colors.warn : colors.bad;
}

/** @param {any} a @param {import("./kit.js").Moment} moment */
function describe(a, { match }) {
  const sides = a.sides.map((/** @type {any} */ one, /** @type {number} */ who) => {
    const standing = one.active.map((/** @type {number|null} */ i) => (i === null ? null : one.team[i])).filter((/** @type {any} */ m) => m && !m.fainted);
    const names = standing.map((/** @type {any} */ m) => `${m.name} at ${Math.ceil(share(m) * 100)} percent`);
    return `${sideName(match, a, who)}: ${names.join(" and ") || "nobody in battle"}`;
  });
  const last = a.words.length ? ` Last: ${named(match, a, a.words[a.words.length - 1].text)}` : "";
  return `Turn ${a.turn}. ${sides.join("; ")}.${last}`;
}

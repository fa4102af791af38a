/**
 * Beside the picture: for each seat what it could do and how likely it would, what it did, what it expects,
 * and what it has earned.
 */

import { spark } from "../charts/spark.js";
import { fill, h, setText } from "../core/dom.js";
import { choiceWords, number, percent, words } from "../core/format.js";
import { colours } from "../core/theme.js";

/** Actions of a head that are shown: the likeliest, and always the one that was taken. */
const MOST_ACTIONS = 6;
/** Seats that show their choices from the start; the others when they are picked. */
const OPEN_SEATS = 2;

/** @typedef {import("../core/types.js").Match} Match */

export class Seats {
  /**
   * @param {Match} match
   * @param {import("./frames.js").Frames} frames
   * @param {(seat: number) => void} pick
   */
  constructor(match, frames, pick) {
    this.match = match;
    this.frames = frames;
    /** @type {import("./frames.js").Thoughts | null} */
    this.thoughts = null;
    this.width = Math.max(1, ...match.spec.roles.map((role) => role.heads.length));
    // An empty seat neither chooses nor earns.
    this.cards = match.spec.seats.flatMap((seat, index) => (seat.name === "nobody" ? [] : [new Seat(this, seat, index, pick)]));
    this.element = h("div", { class: "seats" }, this.cards.map((card) => card.element));
  }

  /** @param {number | null} seat */
  select(seat) {
    this.cards.forEach((card) => card.select(card.index === seat));
  }

  /** @param {number} step */
  show(step) {
    for (const card of this.cards) card.show(step);
  }
}

class Seat {
  /**
   * @param {Seats} all
   * @param {import("../core/types.js").MatchSeat} about
   * @param {number} index
   * @param {(seat: number) => void} pick
   */
  constructor(all, about, index, pick) {
    this.all = all;
    this.index = index;
    this.role = all.match.spec.roles.find((role) => role.name === about.role) ?? all.match.spec.roles[0];
    this.open = all.match.spec.seats.filter((seat) => seat.name !== "nobody").length <= OPEN_SEATS;
    this.value = h("span", { class: "value" });
    this.acts = h("span", { class: "chip" });
    this.curve = h("canvas", { role: "img", "aria-label": "Value over time" });
    this.choices = h("div");
    this.earned = h("div", { class: "earned" });
    this.body = h("div", { class: "body" }, this.curve, this.choices, this.earned);
    const several = all.match.spec.roles.length > 1;
    const title = h("button", { class: "quiet", "aria-expanded": "true", onclick: () => {
      pick(index);
      this.unfold(!this.open);
    } }, h("strong", null, nameOf(all.match, index)));
    this.title = title;
    this.element = h("section", { class: "panel seat", "data-seat": index },
      h("header", null, title, h("span", { class: "muted" }, [about.team === null ? null : `team ${about.team + 1}`, several ? about.role : null].filter(Boolean).join(", ")), this.acts, this.value),
      this.body);
    const series = colours().series;
    this.element.style.setProperty("--team", `var(--s${(about.team ?? 0) % series.length})`);
    this.unfold(this.open);
    this.drawn = "";
  }

  /** @param {boolean} open */
  unfold(open) {
    this.open = open;
    this.body.hidden = !open;
    this.title.setAttribute("aria-expanded", String(open));
  }

  /** @param {boolean} selected */
  select(selected) {
    this.element.classList.toggle("selected", selected);
    if (selected) this.unfold(true);
  }

  /** @param {number} step */
  show(step) {
    const { frames, thoughts, match } = this.all;
    const acting = step < match.length ? frames.acting[step]?.[this.index] : false;
    const acts = step >= match.length ? "over" : acting === undefined ? "…" : acting ? this.chosen(step) : "waits";
    setText(this.acts, acts);
    this.acts.title = acts;
    const value = thoughts?.value[step]?.[this.index];
    setText(this.value, value === undefined || value === null ? "" : `value ${number(value)}`);
    if (!this.open) return;
    this.drawCurve(step);
    this.drawChoices(step);
    this.drawEarned(step);
  }

  /** What was chosen at a step, in words. @param {number} step */
  chosen(step) {
    const heads = this.role?.heads ?? [];
    const joint = this.all.frames.joint[step];
    if (!joint) return "…";
    return heads.map((head, index) => {
      const action = joint[this.index * this.all.width + index];
      return action === undefined ? "–" : choiceWords(head.actions[action] ?? String(action));
    }).join(" · ");
  }

  /** @param {number} step */
  drawCurve(step) {
    const { thoughts } = this.all;
    const column = (thoughts?.value ?? []).map((row) => row?.[this.index] ?? null);
    this.curve.hidden = !column.some((value) => value !== null);
    if (this.curve.hidden) return;
    // The window of steps around now: the whole match is on the time line.
    const from = Math.max(0, step - 150);
    const part = column.slice(from, Math.min(column.length, step + 150));
    /** @type {number | null} */
    let last = null;
    const filled = part.map((value) => (last = value ?? last));
    spark(this.curve, filled, { color: colours().series[this.all.match.spec.seats[this.index]?.team ?? 0] ?? "", cursor: Math.min(step - from, part.length - 1) });
  }

  /** @param {number} step */
  drawChoices(step) {
    const { thoughts, frames, width } = this.all;
    const heads = this.role?.heads ?? [];
    const likely = thoughts?.probabilities[step]?.[this.index];
    const mask = thoughts?.mask[step]?.[this.index];
    if (!likely) {
      const text = !thoughts ? "Pick a model to see what it would do here."
        : thoughts.problem ? "This model cannot say." : step >= this.all.match.length ? "The match is over."
          : thoughts.probabilities[step] === undefined ? "…" : "This seat waits.";
      if (this.drawn !== text) fill(this.choices, h("p", { class: "muted small" }, text));
      this.drawn = text;
      return;
    }
    this.drawn = "";
    fill(this.choices, heads.map((head, index) => {
      const p = likely[index] ?? [];
      const legal = mask?.[index];
      const taken = frames.joint[step]?.[this.index * width + index];
      const order = p.map((_, action) => action).sort((a, b) => (p[b] ?? 0) - (p[a] ?? 0));
      const shown = order.slice(0, MOST_ACTIONS);
      if (taken !== undefined && !shown.includes(taken) && taken < p.length) shown[shown.length - 1] = taken;
      const allowed = legal ? legal.filter(Boolean).length : p.length;
      return h("div", null,
        h("div", { class: "head-name" }, h("span", null, words(head.name)), h("span", null, `${allowed} of ${p.length} legal`)),
        shown.map((action) => choice(choiceWords(head.actions[action] ?? String(action)), p[action] ?? 0, action === taken, legal?.[action] === false)));
    }));
  }

  /** @param {number} step */
  drawEarned(step) {
    const { frames, match } = this.all;
    const now = frames.terms[step]?.[this.index] ?? [];
    const sums = frames.earned(this.index, step);
    const shown = match.spec.terms.map((term, index) => ({ term, now: now[index] ?? 0, sum: sums?.[index] ?? null }))
      .filter((one) => one.now !== 0 || one.sum !== 0);
    if (!shown.length) {
      fill(this.earned);
      return;
    }
    fill(this.earned, h("span", { class: "heading" }, "earned"), h("span", { class: "heading number" }, "this step"), h("span", { class: "heading number" }, "so far"),
      shown.flatMap((one) => [
        h("span", null, words(one.term.name)),
        h("span", { class: `number now ${one.now > 0 ? "plus" : one.now < 0 ? "minus" : ""}` }, one.now === 0 ? "·" : `${one.now > 0 ? "+" : ""}${number(one.now)}`),
        h("span", { class: "number" }, one.sum === null ? "…" : number(one.sum)),
      ]));
  }
}

/**
 * @param {string} label
 * @param {number} share
 * @param {boolean} taken
 * @param {boolean} illegal
 */
function choice(label, share, taken, illegal) {
  const bar = h("i");
  bar.style.width = `${Math.min(100, share * 100)}%`;
  return h("div", { class: `choice${taken ? " taken" : ""}${illegal ? " illegal" : ""}` },
    h("span", { class: "label", title: label }, taken ? `▸ ${label}` : label),
    h("span", { class: "bar" }, bar),
    h("span", { class: "number" }, illegal ? "illegal" : percent(share)));
}

/**
 * What a seat is called: with its number where others have the same name.
 * @param {import("../core/types.js").Match} match
 * @param {number} seat
 */
export function nameOf(match, seat) {
  const name = match.spec.seats[seat]?.name ?? String(seat);
  const alike = match.spec.seats.filter((one) => one.name === name).length;
  return alike > 1 ? `${name} ${seat + 1}` : name;
}

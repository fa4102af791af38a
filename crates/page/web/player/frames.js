/**
 * What a match consists of, block by block: frames come when they are needed and go when there are too many;
 * what is small (choices, terms, values) stays.
 */

import { ask, Refusal } from "../core/api.js";

/** Steps of a block. */
const BLOCK = 64;
/** Milliseconds after a failure in which nothing is asked: who does not answer is not helped by more questions. */
const REST = 3000;
/** Blocks whose frames are kept. */
const KEPT = 96;

/** @typedef {import("../core/types.js").FramesAnswer} FramesAnswer */
/** @typedef {import("../core/types.js").ThoughtsAnswer} ThoughtsAnswer */

export class Frames extends EventTarget {
  /**
   * @param {string} id
   * @param {number} length
   * @param {AbortSignal} signal
   */
  constructor(id, length, signal) {
    super();
    this.id = id;
    this.length = length;
    this.signal = signal;
    /** @type {Map<number, unknown[]>} */
    this.blocks = new Map();
    /** @type {(number[] | undefined)[]} */
    this.joint = [];
    /** @type {(number[][] | undefined)[]} */
    this.terms = [];
    /** @type {(boolean[] | undefined)[]} */
    this.acting = [];
    /** @type {Set<number>} */
    this.asked = new Set();
    /** @type {unknown} */
    this.problem = null;
    this.restUntil = 0;
  }

  /**
   * A frame if it is there.
   * @param {number} step
   */
  at(step) {
    return this.blocks.get(Math.floor(step / BLOCK))?.[step % BLOCK] ?? null;
  }

  /**
   * Whether a step has come, with a frame or without: a game may have none.
   * @param {number} step
   */
  known(step) {
    return this.blocks.has(Math.floor(step / BLOCK));
  }

  /**
   * Sees to it that what is around a step comes.
   * @param {number} step
   */
  need(step) {
    const block = Math.floor(step / BLOCK);
    void this.load(block);
    if (step % BLOCK > BLOCK / 2) void this.load(block + 1);
  }

  /** @param {number} block */
  async load(block) {
    const [from, to] = [block * BLOCK, Math.min(this.length + 1, (block + 1) * BLOCK)];
    if (block < 0 || from > this.length || this.blocks.has(block) || this.asked.has(block)) return;
    if (performance.now() < this.restUntil) return;
    this.asked.add(block);
    try {
      /** @type {unknown[]} */
      const got = [];
      // An answer of large frames ends early; the rest is asked for.
      while (from + got.length < to) {
        const answer = /** @type {FramesAnswer} */ (await ask(`match/${encodeURIComponent(this.id)}/frames`, { from: from + got.length, to }, this.signal));
        answer.joint.forEach((one, i) => (this.joint[answer.from + i] = one));
        answer.terms.forEach((one, i) => (this.terms[answer.from + i] = one));
        answer.acting.forEach((one, i) => (this.acting[answer.from + i] = one));
        if (!answer.frames.length) break;
        got.push(...answer.frames);
      }
      this.problem = null;
      this.blocks.delete(block);
      this.blocks.set(block, got);
      while (this.blocks.size > KEPT) this.blocks.delete(/** @type {number} */ (this.blocks.keys().next().value));
      this.dispatchEvent(new Event("change"));
    } catch (problem) {
      if (this.signal.aborted) return;
      this.problem = problem;
      this.restUntil = performance.now() + REST;
      this.dispatchEvent(new Event("change"));
    } finally {
      this.asked.delete(block);
    }
  }

  /** Loads everything in order, gently, so that sums and curves cover the whole match. */
  async all() {
    for (let block = 0; block * BLOCK <= this.length && !this.signal.aborted; block += 1) {
      if (this.terms[block * BLOCK] === undefined) await this.load(block);
      if (this.problem) return;
    }
  }

  /**
   * What a seat has earned by a step, for each term: the steps before it. `null` while some are unknown.
   * @param {number} seat
   * @param {number} step
   */
  earned(seat, step) {
    const cache = (this.sums[seat] ??= [[]]);
    for (let at = cache.length; at <= step; at += 1) {
      const own = this.terms[at - 1]?.[seat];
      if (!own) return null;
      const before = /** @type {number[]} */ (cache[at - 1]);
      cache.push(own.map((value, term) => value + (before[term] ?? 0)));
    }
    return cache[step] ?? null;
  }

  /** `[seat][step][term]` @type {number[][][]} */
  sums = [];
}

/** What a model thinks of a match. */
export class Thoughts extends EventTarget {
  /**
   * @param {string} id
   * @param {string} model
   * @param {number} length
   * @param {AbortSignal} signal
   */
  constructor(id, model, length, signal) {
    super();
    this.id = id;
    this.model = model;
    this.length = length;
    this.signal = signal;
    /** `[step][seat]` @type {((number | null)[] | undefined)[]} */
    this.value = [];
    /** `[step][seat][head][action]` @type {((number[][] | null)[] | undefined)[]} */
    this.probabilities = [];
    /** @type {((boolean[][] | null)[] | undefined)[]} */
    this.mask = [];
    /** @type {Set<number>} */
    this.asked = new Set();
    /** @type {unknown} */
    this.problem = null;
    this.restUntil = 0;
  }

  /** @param {number} step */
  async need(step) {
    const block = Math.floor(step / BLOCK);
    await this.load(block);
    if (step % BLOCK > BLOCK / 2) void this.load(block + 1);
  }

  /** @param {number} block */
  async load(block) {
    const [from, to] = [block * BLOCK, Math.min(this.length, (block + 1) * BLOCK)];
    if (block < 0 || from >= to || this.asked.has(block) || performance.now() < this.restUntil) return;
    this.asked.add(block);
    try {
      const answer = /** @type {ThoughtsAnswer} */ (await ask(`match/${encodeURIComponent(this.id)}/thoughts`, { model: this.model, from, to }, this.signal));
      const begin = answer.from ?? from;
      answer.value.forEach((one, i) => (this.value[begin + i] = one));
      answer.probabilities.forEach((one, i) => (this.probabilities[begin + i] = one));
      answer.mask?.forEach((one, i) => (this.mask[begin + i] = one));
      this.problem = null;
    } catch (problem) {
      if (this.signal.aborted) return;
      this.problem = problem;
      // A model that does not fit the match never will.
      this.restUntil = problem instanceof Refusal && problem.status === 400 ? Infinity : performance.now() + REST;
      this.asked.delete(block);
    }
    this.dispatchEvent(new Event("change"));
  }

  async all() {
    for (let block = 0; block * BLOCK < this.length && !this.signal.aborted && !this.problem; block += 1) await this.load(block);
  }

  /** How often the model would have chosen what was chosen: over what is known. @param {import("./frames.js").Frames} frames @param {number} seat @param {number} width heads of a seat in `joint` */
  agreement(frames, seat, width) {
    let [same, all] = [0, 0];
    this.probabilities.forEach((step, at) => {
      const heads = step?.[seat];
      const joint = frames.joint[at];
      if (!heads || !joint || frames.acting[at]?.[seat] === false) return;
      all += 1;
      if (heads.every((head, index) => largest(head) === joint[seat * width + index])) same += 1;
    });
    return all ? same / all : null;
  }
}

/** @param {number[]} values */
export function largest(values) {
  let best = 0;
  for (let i = 1; i < values.length; i += 1) if (/** @type {number} */ (values[i]) > /** @type {number} */ (values[best])) best = i;
  return best;
}

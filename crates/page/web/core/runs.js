/** The runs that the server has found, kept while the page is open and asked for by increments. */

import { ask, poll } from "./api.js";

/** @typedef {import("./types.js").Run} Run */

class Runs extends EventTarget {
  /** @type {Map<string, Run>} */
  all = new Map();
  /** @type {string | number | null} */
  cursor = null;
  loaded = false;

  /**
   * Follows the runs until the signal fires.
   * @param {AbortSignal} signal
   * @param {(problem: unknown) => void} [failed]
   */
  follow(signal, failed) {
    poll(1000, signal, () => this.turn(signal), failed);
  }

  /** @param {AbortSignal} signal */
  async turn(signal) {
    const since = this.cursor;
    const answer = /** @type {import("./types.js").RunsAnswer} */ (await ask("runs", { since }, signal));
    // A server that was started again does not know the cursor, and says everything.
    const whole = answer.whole ?? since === null;
    if (whole) this.all.clear();
    for (const run of answer.runs) this.all.set(run.id, run);
    for (const id of answer.gone ?? []) this.all.delete(id);
    const first = !this.loaded;
    this.cursor = answer.cursor ?? null;
    this.loaded = true;
    if (first || whole || answer.runs.length || answer.gone?.length) this.dispatchEvent(new Event("change"));
  }
}

export const runs = new Runs();

/**
 * Questions to the server. Everything is asked with GET; what can be asked for increments is asked with the
 * cursor of the last answer, and only while the tab is visible: hidden tabs cost the trainer nothing.
 */

/** What the server says when it cannot answer: what, where, and what helps. */
export class Refusal extends Error {
  /**
   * @param {string} what
   * @param {string} where
   * @param {string} remedy
   * @param {number} status 0 when nobody answered
   */
  constructor(what, where, remedy, status) {
    super(what);
    this.what = what;
    this.where = where;
    this.remedy = remedy;
    this.status = status;
  }
}

/** @typedef {Record<string, string | number | null | undefined | (string | number)[]>} Query */

/** Whether the last question was answered, and when. */
export const line = new (class Line extends EventTarget {
  reachable = true;
  /** @type {number | null} milliseconds */
  heard = null;

  /** @param {boolean} reachable */
  report(reachable) {
    const changed = this.reachable !== reachable;
    this.reachable = reachable;
    if (reachable) this.heard = Date.now();
    if (changed || reachable) this.dispatchEvent(new Event("change"));
  }
})();

/**
 * @template T
 * @param {string} path below `/api/`
 * @param {Query} [query]
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
export async function ask(path, query = {}, signal) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "") parameters.append(name, String(one));
    }
  }
  const text = parameters.toString();
  const url = `/api/${path}${text && "?"}${text}`;
  /** @type {Response} */
  let response;
  try {
    response = await fetch(url, { signal, headers: { accept: "application/json" } });
  } catch (problem) {
    if (signal?.aborted) throw problem;
    line.report(false);
    throw new Refusal("lanista watch does not answer", location.host,
      "See whether it still runs. This page asks again by itself.", 0);
  }
  line.report(true);
  const answer = await response.json().catch((problem) => {
    // Left while the answer was still coming: that is no refusal.
    if (signal?.aborted) throw problem;
    return null;
  });
  if (response.ok && answer !== null) return answer;
  const error = answer?.error;
  throw new Refusal(error?.what ?? `The answer has status ${response.status}`, error?.where ?? url,
    error?.remedy ?? "Load the page again.", response.status);
}

/** @param {unknown} problem */
export function isAbort(problem) {
  return problem instanceof DOMException && problem.name === "AbortError";
}

/**
 * Calls `turn` again and again, `period` milliseconds after the last call ended, while the tab is visible
 * and until `signal` fires. After a failure it waits longer, up to ten periods.
 *
 * @param {number} period
 * @param {AbortSignal} signal
 * @param {() => Promise<void>} turn
 * @param {(problem: unknown) => void} [failed]
 */
export function poll(period, signal, turn, failed) {
  let failures = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let busy = false;

  const run = async () => {
    clearTimeout(timer);
    if (signal.aborted || busy || document.hidden) return;
    busy = true;
    try {
      await turn();
      failures = 0;
    } catch (problem) {
      if (signal.aborted || isAbort(problem)) return;
      failures += 1;
      failed?.(problem);
      // The server's refusals are shown; anything else is a fault of the page and must not go unseen.
      if (!(problem instanceof Refusal)) console.error(problem);
    } finally {
      busy = false;
    }
    if (!signal.aborted) timer = setTimeout(run, period * Math.min(10, 1 + failures));
  };

  document.addEventListener("visibilitychange", run, { signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  void run();
}

/** Where a match stands and how fast it goes. Time alone: it knows nothing of pictures. */

/** How much faster or slower than the game itself. */
export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16];

/** Seconds of a step of a game that has no time of its own, such as one of turns. */
const TURN_SECONDS = 0.6;

export class Clock extends EventTarget {
  /**
   * @param {number} length
   * @param {number | null} stepSeconds
   */
  constructor(length, stepSeconds) {
    super();
    this.length = length;
    this.stepSeconds = stepSeconds && stepSeconds > 0 ? stepSeconds : TURN_SECONDS;
    this.position = 0;
    this.playing = false;
    this.speed = 1;
    this.loop = false;
    this.before = 0;
    this.ticket = 0;
    /** Whether the frame of a position is there: without it, time waits. @type {(step: number) => boolean} */
    this.ready = () => true;
  }

  get step() {
    return Math.min(this.length, Math.floor(this.position + 1e-9));
  }

  /** @param {number} position */
  seek(position) {
    this.position = Math.min(this.length, Math.max(0, position));
    this.dispatchEvent(new Event("move"));
  }

  play() {
    if (this.playing) return;
    if (this.position >= this.length) this.position = 0;
    this.playing = true;
    this.before = performance.now();
    this.ticket = requestAnimationFrame((now) => this.tick(now));
    this.dispatchEvent(new Event("state"));
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    cancelAnimationFrame(this.ticket);
    this.position = this.step;
    this.dispatchEvent(new Event("state"));
    this.dispatchEvent(new Event("move"));
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** @param {number} by */
  nudge(by) {
    this.pause();
    this.seek(this.step + by);
  }

  /** @param {number} now */
  tick(now) {
    if (!this.playing) return;
    // A tab that was hidden does not jump.
    const seconds = Math.min(0.1, (now - this.before) / 1000);
    this.before = now;
    const next = this.position + (seconds * this.speed) / this.stepSeconds;
    if (next >= this.length) this.end();
    else if (this.ready(Math.floor(next)) && this.ready(Math.min(this.length, Math.floor(next) + 1))) this.position = next;
    this.dispatchEvent(new Event("move"));
    if (this.playing) this.ticket = requestAnimationFrame((later) => this.tick(later));
  }

  end() {
    const over = new Event("over", { cancelable: true });
    // Live mode goes to the newest match instead.
    if (!this.dispatchEvent(over)) return;
    if (this.loop) this.position = 0;
    else {
      this.position = this.length;
      this.playing = false;
      this.dispatchEvent(new Event("state"));
    }
  }

  stop() {
    this.playing = false;
    cancelAnimationFrame(this.ticket);
  }
}

// What happened to survivors of late, in words.

/** So many steps are looked back over. */
const BACK = 300;

/** Words of each kind; blows and dead commons are too many to tell. @type {Record<string, (who: string, event: any) => string>} */
const WORDS = {
  killed_special: (who, event) => `${who} killed a ${event.class ?? "special"}`,
  incapacitated: (who, event) => `${who} went down${event.class ? ` (${event.class})` : ""}`,
  seized: (who, event) => `${event.class ?? "something"} has ${who}`,
  freed: (who, event) => `${who} is free${by(event)}`,
  revived: (who, event) => `${who} is up again${by(event)}`,
  healed: (who, event) => `${who} is healed${by(event)}: +${event.points}`,
  picked_up: (who, event) => `${who} took ${String(event.what ?? "something").replaceAll("_", " ")}`,
  died: (who, event) => `${who} died${event.class ? ` (${event.class})` : ""}`,
  reached_safe_room: (who) => `${who} is there`,
  tank: () => "a tank came",
  witch: () => "a witch was startled",
  horde: (_, event) => `a horde of ${event.count}`,
  won: () => "all who live are safe",
  lost: () => "nobody is left standing",
};

/** @param {any} event */
function by(event) {
  return event.by === undefined || event.by === event.seat ? "" : `, by ${event.by + 1}`;
}

/** The events of a frame in words; frames of before there were any have none. @param {any} frame @returns {string[]} */
export function eventWords(frame) {
  /** @type {any[]} */
  const events = frame?.events ?? [];
  return events.filter((event) => event.kind in WORDS).map((event) => WORDS[event.kind](`${(event.seat ?? 0) + 1}`, event));
}

/**
 * The latest events, the newest first.
 * @param {any} frame @param {import("./types.js").DrawOptions} options @param {number} most
 * @returns {{seconds: number, words: string}[]}
 */
export function latestEvents(frame, options, most) {
  /** @type {{seconds: number, words: string}[]} */
  const found = [];
  const step = options.step ?? 0;
  for (let i = step; i >= Math.max(0, step - BACK) && found.length < most; i -= 1) {
    const one = i === step ? frame : options.frameAt?.(i);
    for (const words of eventWords(one).reverse()) found.push({ seconds: one.seconds ?? 0, words });
  }
  return found.slice(0, most);
}

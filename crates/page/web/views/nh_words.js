// What happened in a tick of nh, in words: the difference of two frames.

/** @typedef {{who: number, text: string, kind: "attack"|"hurt"|"care"|"gear"|"end"}} Said */

const OVERHEAD = {
  protect_melee: "melee", protect_missiles: "ranged", protect_magic: "magic", smite: "smite", redemption: "redemption",
};

/** The prayer over a fighter's head. @param {any} fighter @returns {"melee"|"ranged"|"magic"|"smite"|"redemption"|null} */
export function overheadOf(fighter) {
  for (const prayer of fighter.prayers) {
    const kind = OVERHEAD[/** @type {keyof typeof OVERHEAD} */ (prayer)];
    if (kind) return /** @type {any} */ (kind);
  }
  return null;
}

/** Other prayers, shortest names. @param {any} fighter @returns {string[]} */
export function boostsOf(fighter) {
  return fighter.prayers.filter((/** @type {string} */ name) => !(name in OVERHEAD)).map((/** @type {string} */ name) => name.replaceAll("_", " "));
}

const POTIONS = { restore: "super restore", combat: "super combat", ranging: "ranging potion" };

/**
 * What both did in the tick that led from one frame to the next.
 * @param {any} before
 * @param {any} now
 * @returns {Said[]}
 */
export function told(before, now) {
  /** @type {Said[]} */
  const said = [];
  for (const who of [0, 1]) {
    const [was, is] = [before.fighters[who], now.fighters[who]];
    if (!was || !is) continue;
    const say = (/** @type {Said["kind"]} */ kind, /** @type {string} */ text) => said.push({ who, kind, text });
    if (is.worn.weapon !== was.worn.weapon && is.worn.weapon) say("gear", `takes ${is.worn.weapon}`);
    const [over, used] = [overheadOf(is), overheadOf(was)];
    if (over !== used) say("care", over === null ? "drops the prayer" : over === "smite" || over === "redemption" ? `prays ${over}` : `protects from ${over}`);
    if (is.did.ate !== undefined) say("care", `eats, ${plus(is.did.ate)}`);
    if (is.did.brew !== undefined) say("care", `sips brew, ${plus(is.did.brew)}`);
    for (const [name, words] of Object.entries(POTIONS)) {
      if ((is.supplies[name] ?? 0) < (was.supplies[name] ?? 0)) say("care", `sips ${words}`);
    }
    if (is.vengeance && !was.vengeance) say("care", "casts vengeance");
    const attack = is.did.attack;
    if (attack) {
      const special = is.energy < was.energy ? "special with " : "";
      const how = attack.spell ?? `${special}${is.worn.weapon ?? "bare hands"}`;
      const blocked = attack.blocked ? ", into prayer" : "";
      say("attack", attack.damage > 0 ? `${how}: ${attack.damage} rolled${blocked}` : `${how}: nothing${blocked}`);
    }
    for (const splat of is.splats) say("hurt", splat > 0 ? `loses ${splat}` : "is hit for 0");
    if ((is.timers.freeze ?? 0) > (was.timers.freeze ?? 0)) say("hurt", `is frozen for ${is.timers.freeze}`);
    if (is.dying && !was.dying) say("end", "falls");
  }
  return said;
}

/** @param {number} v */
const plus = (v) => (v >= 0 ? `+${v}` : `−${-v}`);

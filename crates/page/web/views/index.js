// Which module draws which game.

/** @type {Record<string, () => Promise<{create: (root: HTMLElement, match: import("./types.js").Match) => import("./types.js").View}>>} */
const VIEWS = {
  rocket: () => import("./rocket.js"),
  nh: () => import("./nh.js"),
  survivors: () => import("./survivors.js"),
  vgc: () => import("./vgc.js"),
  cartpole: () => import("./cartpole.js"),
  "cartpole-novel": () => import("./cartpole.js"),
  legal: () => import("./legal.js"),
  levers: () => import("./levers.js"),
  duel: () => import("./duel.js"),
  hideout: () => import("./hideout.js"),
  "odd-one": () => import("./odd_one.js"),
};

/** Games that have a view of their own. */
export const games = Object.keys(VIEWS);

/**
 * The module that draws a game; the plain one where there is none.
 * @param {string} game
 */
export function load(game) {
  const own = Object.hasOwn(VIEWS, game) ? VIEWS[game] : null;
  return own ? own() : import("./plain.js");
}

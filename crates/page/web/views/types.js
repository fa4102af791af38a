// Shapes that views and the page share; see README.md. Nothing here runs.

/**
 * @typedef {Object} Spec
 * @property {{name: string, heads: {name: string, actions: string[]}[]}[]} roles
 * @property {{name: string, kind: string}[]} terms
 * @property {{name?: string, team: number, role: number|string}[]} seats
 */

/**
 * @typedef {Object} Match
 * @property {string} game
 * @property {Spec|null} [spec]
 * @property {number} [length]
 * @property {number|null} [step_seconds]
 * @property {any} [static]
 * @property {{step: number, kind: string, text: string, seat?: number}[]} [events]
 * @property {any} [result]
 */

/**
 * @typedef {Object} DrawOptions
 * @property {"light"|"dark"} [theme]
 * @property {number} [step]
 * @property {number|null} [selectedSeat]
 * @property {Record<string, string>} [controls]
 * @property {(step: number) => any} [frameAt]
 * @property {number[]|null} [joint]
 * @property {number[][]|null} [terms]
 * @property {boolean[]|null} [acting]
 */

/**
 * @typedef {Object} Control
 * @property {string} name
 * @property {string} label
 * @property {string} key
 * @property {{value: string, label: string}[]} values
 */

/**
 * @typedef {Object} View
 * @property {(a: any, b: any, t: number, options: DrawOptions) => void} draw
 * @property {(width: number, height: number, ratio: number) => void} resize
 * @property {(width: number) => number} height
 * @property {Control[]} controls
 * @property {((change?: {seat?: number}) => void)|null} onchange
 * @property {() => Record<string, string|null>} [place]
 * @property {(place: (name: string) => string|null) => void} [stand]
 * @property {{keys: string, about: string, run: () => void}[]} [keys]
 * @property {() => string} describe
 * @property {() => void} dispose
 */

export {};

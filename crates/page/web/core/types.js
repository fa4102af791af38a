/**
 * What the server answers, as types. `crates/page/API.md` says what the fields mean; this file only gives
 * them names that the checker of types can follow.
 */

/** @typedef {{ value: number, low: number | null, high: number | null }} Elo */

/** @typedef {"running" | "paused" | "stopped" | "finished" | "failed"} RunState */

/**
 * @typedef {object} Run
 * @property {string} id
 * @property {string} name
 * @property {string | null} group
 * @property {string | null} preset
 * @property {string | null} game
 * @property {RunState} state
 * @property {number | null} seed
 * @property {number | null} steps
 * @property {number | null} total_steps
 * @property {number | null} seconds
 * @property {number | null} seconds_left
 * @property {number | null} steps_per_second
 * @property {{ last: number | null, best: number | null }} return
 * @property {(number | null)[]} spark
 * @property {Elo | null} elo
 * @property {string | null} stage
 * @property {{ message: string, steps: number, unix: number } | null} [failure]
 * @property {string[]} warnings
 * @property {Record<string, unknown>} changed
 * @property {number} updated
 */

/** @typedef {{ cursor: string | number, runs: Run[], gone?: string[], whole?: boolean }} RunsAnswer */

/** @typedef {{ name: string, kind: string, unit?: string | null }} MetricAbout */
/** @typedef {{ name: string, kind: "outcome" | "event" | "shaping", weight: number | null, metric?: string, weighted?: string, counts?: boolean }} TermAbout */
/** @typedef {{ steps: number | null, time: number | null, kind: string, text: string }} RunEvent */

/**
 * @typedef {object} Mark
 * @property {"stage" | "milestone" | "evaluation" | "snapshot" | "warning"} kind
 * @property {number | null} steps
 * @property {number | null} time
 * @property {number | null} matches
 * @property {string} label
 * @property {string | null} recording
 */

/**
 * @typedef {object} RunAnswer
 * @property {Run} run
 * @property {string} config_text
 * @property {Record<string, unknown>} config
 * @property {MetricAbout[]} metrics
 * @property {TermAbout[]} terms
 * @property {RunEvent[]} events
 * @property {Mark[]} marks
 * @property {{ path: string, bytes: number }[]} files
 * @property {string[]} recordings
 */

/** @typedef {"steps" | "time" | "matches"} XKind */

/**
 * @typedef {object} Series
 * @property {string} run
 * @property {string} metric
 * @property {boolean} [reset] whether it replaces what was told before
 * @property {number[]} x
 * @property {(number | null)[]} min
 * @property {(number | null)[]} max
 * @property {(number | null)[]} mean
 * @property {(number | null)[]} [smooth]
 * @property {number | null} last
 * @property {{ x: number, value: number } | null} best
 * @property {number} count
 */

/** @typedef {{ cursor: string | number, series: Series[] }} SeriesAnswer */

/** @typedef {{ steps: number, elo: number, low: number | null, high: number | null }} RatingPoint */

/**
 * @typedef {object} PoolMember
 * @property {string} name
 * @property {string | null} origin
 * @property {number | null} steps
 * @property {number | null} elo
 * @property {number | null} share
 * @property {number | null} games
 * @property {number | null} [score] what the learner scored against it of late, 0 to 1
 * @property {number | null} [quality] how much may still be learnt from it, by the prioritized sampler
 * @property {boolean} [usable]
 */

/**
 * @typedef {object} Exploiter
 * @property {string} name
 * @property {string} against
 * @property {number | null} snapshots
 * @property {number | null} rollouts
 * @property {number | null} of
 * @property {number | null} won
 */

/**
 * @typedef {object} Crossplay
 * @property {string[]} names
 * @property {({ elo: number, low: number | null, high: number | null } | null)[]} [elo]
 * @property {number | null} [matches] of each pair
 * @property {number | null} [steps]
 * @property {(number | null)[][]} won
 * @property {(number | null)[][]} [drawn]
 * @property {(number | null)[][]} [lost]
 * @property {(number | null)[][]} games
 * @property {(string | null)[][]} recordings
 */

/**
 * @typedef {object} LeagueAnswer
 * @property {{ name: string, points: RatingPoint[] }[]} ratings
 * @property {PoolMember[]} pool
 * @property {Exploiter[]} exploiters
 * @property {unknown} sampler
 * @property {Record<string, number> | null} [opponents] shares of matches by the configuration
 * @property {Record<string, number> | null} [others] ratings of those outside of the pool
 * @property {Crossplay | null} crossplay
 */

/** @typedef {{ name: string, team: number | null, role: string | null }} MatchSeat */

/**
 * @typedef {object} MatchAbout
 * @property {string} id
 * @property {string | null} run
 * @property {string} game
 * @property {number | null} when
 * @property {number | null} steps
 * @property {"training" | "evaluation" | "league" | "file"} source
 * @property {MatchSeat[]} seats
 * @property {number[] | null} score
 * @property {number} length
 * @property {string | null} end
 */

/** @typedef {{ name: string, heads: { name: string, actions: string[] }[] }} RoleAbout */
/** @typedef {{ step: number, kind: string, text: string, seat?: number | null }} MatchEvent */

/**
 * @typedef {object} Match
 * @property {string} id
 * @property {string} game
 * @property {{ roles: RoleAbout[], terms: { name: string, kind: string }[], seats: MatchSeat[] }} spec
 * @property {number} length
 * @property {number | null} step_seconds
 * @property {{ end: string | null, score: number[] | null, stats?: Record<string, number> | null } | null} result
 * @property {"same" | "differs" | "cannot"} state
 * @property {string | null} notice
 * @property {number | null} first_difference
 * @property {MatchEvent[]} events
 * @property {unknown} static
 * @property {string | null} [run]
 * @property {MatchAbout["source"]} [source]
 * @property {number | null} [steps] of the training when it was played
 * @property {string | null} [version] of the program that recorded it
 */

/**
 * @typedef {object} FramesAnswer
 * @property {number} from
 * @property {unknown[]} frames
 * @property {number[][]} joint
 * @property {number[][][]} terms
 * @property {boolean[][]} acting
 */

/**
 * @typedef {object} ThoughtsAnswer
 * @property {number} [from]
 * @property {unknown[]} [seats]
 * @property {(number | null)[][]} value
 * @property {(number[][] | null)[][]} probabilities
 * @property {(boolean[][] | null)[][]} mask
 */

/** @typedef {{ id: string, run: string, name: string, steps: number | null }} Model */

export {};

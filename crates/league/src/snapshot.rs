//! An opponent that no longer learns: a copy of the learner, or of one who trained against it.

use serde::{Deserialize, Serialize};

use crate::rating;

/// Where a snapshot comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The learner itself, some time ago.
    Main,
    /// One that learnt to beat the learner.
    MainExploiter,
    /// One that learnt to beat the whole pool.
    LeagueExploiter,
    /// A milestone of the run.
    Milestone,
}

/// An opponent that no longer learns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// Its number, never used twice in a pool.
    pub id: u64,
    /// Steps of the learner when it was taken.
    pub steps: u64,
    /// Where it comes from.
    pub origin: Origin,
    /// Its rating.
    #[serde(deserialize_with = "rating::read")]
    pub elo: f64,
    /// How much the learner may still learn from it, for [`Sampler::Prioritized`](crate::Sampler::Prioritized).
    pub quality: f64,
    /// Matches that the learner played against it.
    pub games: u64,
    /// The learner's score against it: the mean over its first 100 matches, then a moving mean of
    /// about so many. A half before the first.
    pub score: f64,
    /// Can it still be played against?
    pub usable: bool,
    /// The checksum of its file, if it has one.
    #[serde(default)]
    pub sum: Option<u32>,
}

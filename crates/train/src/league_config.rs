//! The key `league` of a preset.

use lanista_league::{OpponentStyle, Sampler};
use serde::{Deserialize, Serialize};

use crate::seating::GuestRules;

/// The key `league` of a preset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LeagueConfig {
    /// Steps between two snapshots of the learner.
    pub every: u64,
    /// How many snapshots the pool keeps.
    pub pool: usize,
    /// How a past opponent is picked.
    pub sampler: Sampler,
    /// Snapshots rated so far below the learner are dropped.
    pub min_elo_diff: Option<f64>,
    /// The most points that one match moves a rating.
    pub k: f64,
    /// The scripted player that stands at 1500; the first of the game when left out.
    pub anchor: Option<String>,
    /// Probability that an opponent keeps its last action.
    pub delay_chance: f64,
    /// Share of matches in which opponents take the most likely action.
    pub deterministic: f64,
    /// Share of matches in which the learner's mates are past policies.
    pub mates: f64,
}

impl Default for LeagueConfig {
    fn default() -> Self {
        Self {
            every: 1_000_000,
            pool: 20,
            sampler: Sampler::default(),
            min_elo_diff: None,
            k: 16.0,
            anchor: None,
            delay_chance: 0.0,
            deterministic: 0.0,
            mates: 0.0,
        }
    }
}

impl LeagueConfig {
    /// How guests play.
    pub fn guest_rules(&self) -> GuestRules {
        let (delay_chance, deterministic) = (self.delay_chance, self.deterministic);
        GuestRules { style: OpponentStyle { delay_chance, deterministic }, mates: self.mates }
    }

    /// The first key that is out of range, and what it may be.
    pub fn fault(&self) -> Option<(&'static str, String)> {
        if self.every == 0 {
            return Some(("every", "0 is too small; it is at least 1".into()));
        }
        if self.pool == 0 {
            return Some(("pool", "0 is too small; it is at least 1".into()));
        }
        for (key, share) in [
            ("delay_chance", self.delay_chance),
            ("deterministic", self.deterministic),
            ("mates", self.mates),
        ] {
            if !(0.0..=1.0).contains(&share) {
                return Some((key, format!("{share} is out of range; it is between 0 and 1")));
            }
        }
        if !(self.k > 0.0 && self.k.is_finite()) {
            return Some(("k", format!("{} is out of range; it is above 0", self.k)));
        }
        if self.min_elo_diff.is_some_and(|diff| !(diff > 0.0 && diff.is_finite())) {
            return Some(("min_elo_diff", "it is a positive number of points".into()));
        }
        self.sampler.fault().map(|fault| ("sampler", fault))
    }
}

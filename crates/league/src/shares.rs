//! Whom the learner meets: what share of matches goes to itself, to its past, to scripted players,
//! to models from elsewhere and to other runs, and how those who no longer learn style themselves.
//!
//! A preset writes a map of opponents to shares:
//!
//! ```yaml
//! opponents: { past: 0.5, bot:rule: 0.2, "target:models/old.zip": 0.1 } # 0.2 are left for self
//! ```
//!
//! A share is a fraction of all matches, from 0 to 1. Together they are at most 1; what they leave
//! open is played against `self`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use lanista_game::seed;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Sets these draws apart from those of the game and of the actions.
const SEATING_SALT: u64 = 0x7365_6174_696e_6721;
/// Which number of an episode decides what.
const OPPONENT: u64 = 0;
const TEAM: u64 = 1;
const SNAPSHOT: u64 = 2;
const MATE: u64 = 3;
const LONE: u64 = 4;
const KEPT: u64 = 5;
const HELD: u64 = 6;
const DETERMINISTIC: u64 = 16;
const LATE: u64 = 17;
/// Decimal fractions that are meant to sum to 1 miss it by less than this.
const ROUNDING: f64 = 1e-9;

/// Somebody to play against.
///
/// Written and ordered as its key in a preset.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Opponent {
    /// `bot:NAME`, a scripted player of the game.
    Bot(String),
    /// `latest:RUN`, the newest policy of another run.
    Latest(String),
    /// `past`, a snapshot of the pool.
    Past,
    /// `self`, the learner on every seat.
    Myself,
    /// `target:PATH`, a model that does not change.
    Target(String),
}

/// A name that means no opponent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "no opponent `{0}`: an opponent is `self`, `past`, `bot:NAME`, `target:PATH` or `latest:RUN`"
)]
pub struct UnknownOpponent(String);

impl FromStr for Opponent {
    type Err = UnknownOpponent;

    fn from_str(key: &str) -> Result<Self, UnknownOpponent> {
        match key.split_once(':') {
            None if key == "self" => Ok(Self::Myself),
            None if key == "past" => Ok(Self::Past),
            Some(("bot", name)) if !name.is_empty() => Ok(Self::Bot(name.into())),
            Some(("target", path)) if !path.is_empty() => Ok(Self::Target(path.into())),
            Some(("latest", run)) if !run.is_empty() => Ok(Self::Latest(run.into())),
            _ => Err(UnknownOpponent(key.into())),
        }
    }
}

impl TryFrom<String> for Opponent {
    type Error = UnknownOpponent;

    fn try_from(key: String) -> Result<Self, UnknownOpponent> {
        key.parse()
    }
}

impl From<Opponent> for String {
    fn from(opponent: Opponent) -> Self {
        opponent.to_string()
    }
}

impl fmt::Display for Opponent {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Bot(name) => write!(f, "bot:{name}"),
            Self::Latest(run) => write!(f, "latest:{run}"),
            Self::Past => f.write_str("past"),
            Self::Myself => f.write_str("self"),
            Self::Target(path) => write!(f, "target:{path}"),
        }
    }
}

/// Who is met in what share of matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shares(BTreeMap<Opponent, f64>);

/// A share that makes no sense.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{problem}")]
pub struct ShareError {
    /// Whose it is; `None` if the fault lies in all of them together.
    pub opponent: Option<Opponent>,
    /// What is wrong.
    pub problem: String,
}

impl FromIterator<(Opponent, f64)> for Shares {
    fn from_iter<I: IntoIterator<Item = (Opponent, f64)>>(shares: I) -> Self {
        Self(shares.into_iter().collect())
    }
}

impl Shares {
    /// Checks that every share is a fraction and that they are no more than everything.
    pub fn check(&self) -> Result<(), ShareError> {
        if let Some((opponent, share)) = self.0.iter().find(|(_, s)| !(0.0..=1.0).contains(*s)) {
            let problem = format!("{share} is not a share; shares are 0 to 1");
            return Err(ShareError { opponent: Some(opponent.clone()), problem });
        }
        let sum: f64 = self.0.values().sum();
        if sum > 1.0 + ROUNDING {
            let problem = format!("the shares sum to {sum}; they are parts of one: lower some");
            return Err(ShareError { opponent: None, problem });
        }
        Ok(())
    }

    /// The shares as they were written, by key.
    pub fn written(&self) -> impl Iterator<Item = (&Opponent, f64)> {
        self.0.iter().map(|(opponent, &share)| (opponent, share))
    }

    /// What the shares leave open.
    fn open(&self) -> f64 {
        let open = 1.0 - self.0.values().sum::<f64>();
        if open > ROUNDING { open } else { 0.0 }
    }

    /// The fraction of matches that is played against somebody.
    pub fn fraction(&self, opponent: &Opponent) -> f64 {
        let written = self.0.get(opponent).copied().unwrap_or(0.0);
        if *opponent == Opponent::Myself { written + self.open() } else { written }
    }

    /// Whom an episode is played against. Who has no share is never met.
    ///
    /// `Past` still has to be picked, with [`draws::snapshot`]; while the pool has nobody to offer,
    /// the learner plays itself.
    pub fn deal(&self, episode_seed: u64) -> &Opponent {
        let open = (&Opponent::Myself, self.open());
        let mut left = number(episode_seed, OPPONENT);
        let mut dealt = open.0;
        for (opponent, share) in self.written().chain([open]).filter(|s| s.1 > 0.0) {
            dealt = opponent;
            left -= share;
            if left < 0.0 {
                break;
            }
        }
        dealt
    }
}

/// The numbers that an episode draws to seat its players, all in `[0, 1)` or of 64 bits.
pub mod draws {
    use super::*;

    /// Picks the opponent from the pool, for an episode or for all that share this seed.
    pub fn snapshot(seed: u64) -> f64 {
        number(seed, SNAPSHOT)
    }

    /// Picks a mate from the pool, likewise.
    pub fn mate(seed: u64) -> f64 {
        number(seed, MATE)
    }

    /// Picks one of those that are held in a hand.
    pub fn held(episode_seed: u64) -> u64 {
        bits(episode_seed, HELD)
    }

    /// Says whether the learner has one seat of its team alone.
    pub fn lone(episode_seed: u64) -> f64 {
        number(episode_seed, LONE)
    }

    /// Picks the learner's team.
    pub fn team(episode_seed: u64) -> u64 {
        bits(episode_seed, TEAM)
    }

    /// Picks the one seat of a team that the learner keeps.
    pub fn kept(episode_seed: u64) -> u64 {
        bits(episode_seed, KEPT)
    }
}

fn number(episode_seed: u64, which: u64) -> f64 {
    f64::from(seed::uniform(bits(episode_seed, which)))
}

fn bits(episode_seed: u64, which: u64) -> u64 {
    seed::mix(episode_seed ^ SEATING_SALT, which)
}

/// How opponents that are policies but do not learn style themselves: snapshots, targets and the
/// latest of other runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OpponentStyle {
    /// The chance, at each act, that an opponent is late and repeats its previous action: what a
    /// slow human or a slow connection does.
    pub delay_chance: f64,
    /// The share of matches in which an opponent takes its most likely actions instead of sampling.
    pub deterministic: f64,
}

impl OpponentStyle {
    /// Says which of the numbers is out of range.
    pub fn fault(&self) -> Option<String> {
        [("delay_chance", self.delay_chance), ("deterministic", self.deterministic)]
            .into_iter()
            .find(|(_, value)| !(0.0..=1.0).contains(value))
            .map(|(name, value)| format!("`{name}` is {value}; it is between 0 and 1"))
    }

    /// Does the opponent of this episode take its most likely actions?
    pub fn takes_likeliest(&self, episode_seed: u64) -> bool {
        number(episode_seed, DETERMINISTIC) < self.deterministic
    }

    /// Is the opponent on this seat late at this step of the episode?
    pub fn is_late(&self, episode_seed: u64, step: u64, seat: usize) -> bool {
        // Most runs have no delay; they should not pay for it at every act.
        self.delay_chance > 0.0
            && number(seed::mix(seed::mix(episode_seed, step), seat as u64), LATE)
                < self.delay_chance
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shares(json: &str) -> Shares {
        serde_json::from_str(json).unwrap()
    }

    /// How often each key is dealt in so many episodes.
    fn dealt(shares: &Shares, episodes: u64) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for k in 0..episodes {
            *counts.entry(shares.deal(seed::mix(5, k)).to_string()).or_insert(0) += 1;
        }
        counts
    }

    #[test]
    fn keys_are_read_and_written() {
        let keys = [
            "bot:rule",
            "latest:runs/a",
            "past",
            "self",
            "target:C:\\old.zip",
            "target:models/x:1",
        ];
        let read: Vec<Opponent> = keys.iter().map(|k| k.parse().unwrap()).collect();
        assert!(read.is_sorted(), "opponents are in the order of their keys");
        for (opponent, key) in read.iter().zip(keys) {
            assert_eq!(opponent.to_string(), key);
        }
        for wrong in ["", "me", "bot", "bot:", "past:1", "self:", "run:x", "Self", "target:"] {
            let text = wrong.parse::<Opponent>().unwrap_err().to_string();
            assert!(text.contains(&format!("`{wrong}`")) && text.contains("`bot:NAME`"), "{text}");
        }
    }

    #[test]
    fn a_map_survives_a_checkpoint() {
        let mixed = shares(r#"{"self": 0.1, "past": 0.3, "latest:b": 0.1, "bot:rule": 1}"#);
        let text = serde_json::to_string(&mixed).unwrap();
        assert_eq!(shares(&text), mixed);
        let error = serde_json::from_str::<Shares>(r#"{"pst": 1}"#).unwrap_err().to_string();
        assert!(error.contains("no opponent `pst`"), "{error}");
    }

    #[test]
    fn self_takes_what_is_left() {
        let fractions = |json: &str, keys: &[&str]| -> Vec<f64> {
            keys.iter().map(|k| shares(json).fraction(&k.parse().unwrap())).collect()
        };
        assert_eq!(fractions("{}", &["self", "past"]), [1.0, 0.0]);
        assert_eq!(fractions(r#"{"past": 0.5}"#, &["self", "past"]), [0.5, 0.5]);
        assert_eq!(fractions(r#"{"bot:a": 1}"#, &["self", "bot:a"]), [0.0, 1.0]);
        assert_eq!(fractions(r#"{"self": 0.25, "bot:a": 0.25}"#, &["self", "bot:a"]), [0.75, 0.25]);
        // As numbers these sum to a little less than 1; nothing of it is meant for `self`.
        assert_eq!(fractions(r#"{"bot:a": 0.7, "bot:b": 0.2, "past": 0.1}"#, &["self"]), [0.0]);
    }

    #[test]
    fn senseless_shares_are_refused() {
        let refused = |json: &str| shares(json).check().unwrap_err();
        for share in ["-0.5", "1.5"] {
            let error = refused(&format!(r#"{{"past": {share}, "bot:a": 1}}"#));
            assert_eq!(error.opponent, Some(Opponent::Past));
            assert!(error.to_string().contains(&format!("{share} is not a share")), "{error}");
        }
        let nan: Shares = [(Opponent::Myself, f64::NAN)].into_iter().collect();
        assert!(nan.check().is_err());
        let error = refused(r#"{"past": 0.75, "bot:a": 0.5}"#);
        assert!(error.opponent.is_none() && error.to_string().contains("sum to 1.25"), "{error}");
        // Ten tenths are a hair less than one, or more.
        for fine in ["{}", r#"{"past": 0}"#, r#"{"self": 0.7, "bot:a": 0.2, "bot:b": 0.1}"#] {
            assert_eq!(shares(fine).check(), Ok(()));
        }
    }

    #[test]
    fn deals_follow_the_shares() {
        let mixed = shares(r#"{"past": 0.5, "bot:rule": 0.2, "bot:idle": 0, "target:x": 0.1}"#);
        let counts = dealt(&mixed, 10_000);
        // Deviations are at most 50.
        for (key, expected) in
            [("past", 5000), ("bot:rule", 2000), ("target:x", 1000), ("self", 2000)]
        {
            assert!(counts[key].abs_diff(expected) < 200, "{counts:?}");
        }
        assert!(!counts.contains_key("bot:idle"), "a share of zero never plays");
        assert_eq!(dealt(&Shares::default(), 100), [("self".to_owned(), 100)].into());
    }

    #[test]
    fn the_draws_of_an_episode_are_independent() {
        let half = shares(r#"{"past": 0.5}"#);
        let style = OpponentStyle { delay_chance: 0.25, deterministic: 0.5 };
        let mut counts = [0u32; 8];
        let n = 16_000;
        for k in 0..n {
            let episode = seed::mix(1, k);
            let which = usize::from(half.deal(episode) == &Opponent::Past)
                + 2 * usize::from(draws::snapshot(episode) < 0.5)
                + 4 * usize::from(style.takes_likeliest(episode));
            counts[which] += 1;
        }
        // 2000 each, with a deviation of 42.
        assert!(counts.iter().all(|c| c.abs_diff(2000) < 170), "{counts:?}");
        let late = |seat| (0..n).filter(move |&step| style.is_late(9, step, seat));
        for seat in 0..2 {
            // 4000, with a deviation of 55.
            assert!(late(seat).count().abs_diff(4000) < 220, "{}", late(seat).count());
        }
        let both = late(0).filter(|&step| style.is_late(9, step, 1)).count();
        assert!(both.abs_diff(1000) < 130, "{both}");
    }

    #[test]
    fn certain_conduct_needs_no_luck() {
        let (never, always) =
            (OpponentStyle::default(), OpponentStyle { delay_chance: 1.0, deterministic: 1.0 });
        for k in 0..1000 {
            assert!(always.is_late(k, k, 0) && always.takes_likeliest(k));
            assert!(!never.is_late(k, k, 0) && !never.takes_likeliest(k));
        }
        assert_eq!(always.fault(), None);
        let fault = OpponentStyle { delay_chance: 1.5, deterministic: 0.0 }.fault().unwrap();
        assert!(fault.contains("`delay_chance` is 1.5"));
        assert!(OpponentStyle { delay_chance: 0.0, deterministic: f64::NAN }.fault().is_some());
        assert!(serde_json::from_str::<OpponentStyle>(r#"{"delay": 1}"#).is_err());
    }

    proptest! {
        #[test]
        fn fractions_sum_to_one(weights in prop::collection::vec(0f64..0.33, 3), episode in any::<u64>()) {
            let keys = ["past", "bot:a", "self"].map(|k| k.parse::<Opponent>().unwrap());
            let shares: Shares = keys.iter().cloned().zip(weights).collect();
            prop_assert_eq!(shares.check(), Ok(()));
            let total: f64 = keys.iter().map(|k| shares.fraction(k)).sum();
            prop_assert!((total - 1.0).abs() < 1e-9, "{}", total);
            prop_assert!(shares.fraction(shares.deal(episode)) > 0.0);
        }
    }
}

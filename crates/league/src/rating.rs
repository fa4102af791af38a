//! Online Elo: ratings that follow players who change, a batch of matches at a time.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// Rating points that stand for ten-to-one odds, by the convention of chess.
pub(crate) const SCALE: f64 = 400.0;

/// No rating lies farther from 0: beyond a few thousand points a difference says nothing more, so a
/// larger one comes from a damaged file.
pub const LARGEST_RATING: f64 = 1e6;

/// Can this be a rating?
pub fn is_rating(value: f64) -> bool {
    value.abs() <= LARGEST_RATING
}

/// Reads a rating, and refuses what cannot be one.
pub fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    let problem = || D::Error::custom(format!("{value:e} is no rating"));
    if is_rating(value) { Ok(value) } else { Err(problem()) }
}

/// How a match ended for one of its two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchResult {
    /// It won.
    Win,
    /// Nobody won.
    Draw,
    /// The other side won.
    Loss,
}

impl MatchResult {
    /// Points: 1 for a win, a half for a draw, 0 for a loss.
    pub fn score(self) -> f64 {
        match self {
            Self::Win => 1.0,
            Self::Draw => 0.5,
            Self::Loss => 0.0,
        }
    }

    /// The same match as the other side saw it.
    pub fn flip(self) -> Self {
        match self {
            Self::Win => Self::Loss,
            Self::Draw => Self::Draw,
            Self::Loss => Self::Win,
        }
    }
}

/// The score that a player of rating `a` expects against one of rating `b`:
/// `1 / (1 + 10^((b - a) / 400))`.
pub fn expected_score(a: f64, b: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf((b - a) / SCALE))
}

/// How ratings move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Elo {
    /// The most points that one match moves a rating.
    pub k: f64,
    /// Where a player starts, and so the level that all ratings are relative to.
    pub anchor: f64,
}

impl Default for Elo {
    fn default() -> Self {
        Self { k: 16.0, anchor: 1500.0 }
    }
}

impl Elo {
    /// Both ratings after a match in which `a` scored `score` (1 won, 0.5 drawn, 0 lost).
    pub fn update(&self, a: f64, b: f64, score: f64) -> (f64, f64) {
        let change = self.change(a, b, score);
        (a + change, b - change)
    }

    /// What a match adds to `a`'s rating, and takes from `b`'s.
    pub(crate) fn change(&self, a: f64, b: f64, score: f64) -> f64 {
        self.k * (score - expected_score(a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_by_hand() {
        assert_eq!(expected_score(1500.0, 1500.0), 0.5);
        // 400 points are odds of ten to one, 800 of a hundred to one.
        assert!((expected_score(1900.0, 1500.0) - 10.0 / 11.0).abs() < 1e-15);
        assert!((expected_score(1500.0, 2300.0) - 1.0 / 101.0).abs() < 1e-15);
        for (a, b) in [(1.0, 2.0), (1e9, -1e9), (1500.0, 1723.0)] {
            assert!((expected_score(a, b) + expected_score(b, a) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn updates_by_hand() {
        let elo = Elo::default();
        assert_eq!(elo.update(1500.0, 1500.0, 1.0), (1508.0, 1492.0));
        assert_eq!(elo.update(1500.0, 1500.0, 0.5), (1500.0, 1500.0));
        // The favourite by 400 points wins 16/11 points, and loses 160/11 to the outsider.
        let (a, b) = elo.update(1900.0, 1500.0, 1.0);
        assert!((a - 1900.0 - 16.0 / 11.0).abs() < 1e-9 && (a + b - 3400.0).abs() < 1e-9);
        let (a, _) = elo.update(1900.0, 1500.0, 0.0);
        assert!((a - 1900.0 + 160.0 / 11.0).abs() < 1e-9);
        let (a, _) = Elo { k: 32.0, ..elo }.update(1500.0, 1500.0, 1.0);
        assert_eq!(a, 1516.0);
    }

    #[test]
    fn what_a_preset_writes() {
        let elo: Elo = serde_json::from_str(r#"{"k": 32}"#).unwrap();
        assert_eq!(elo, Elo { k: 32.0, anchor: 1500.0 });
        assert!(serde_json::from_str::<Elo>(r#"{"kk": 32}"#).is_err());
    }
}

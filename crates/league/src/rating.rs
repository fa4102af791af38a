//! Online Elo: ratings that follow players who change, a batch of matches at a time.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Rating points that stand for ten-to-one odds, by the convention of chess.
pub(crate) const SCALE: f64 = 400.0;

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

/// One match between two named players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Game {
    /// One side.
    pub a: String,
    /// The other.
    pub b: String,
    /// How it ended for `a`.
    pub result: MatchResult,
}

/// The ratings of named players.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ratings {
    ratings: BTreeMap<String, f64>,
    anchored: BTreeSet<String>,
}

impl Ratings {
    /// A player's rating, if it has one.
    pub fn get(&self, player: &str) -> Option<f64> {
        self.ratings.get(player).copied()
    }

    /// Gives a player a rating, whatever it had.
    pub fn set(&mut self, player: &str, rating: f64) {
        self.ratings.insert(player.to_owned(), rating);
    }

    /// Gives a player a rating that never moves: others are measured against it. Without one, a
    /// pool in which everybody improves keeps its mean and hides the progress.
    pub fn anchor(&mut self, player: &str, rating: f64) {
        self.set(player, rating);
        self.anchored.insert(player.to_owned());
    }

    /// Does this player's rating stay where it is?
    pub fn is_anchored(&self, player: &str) -> bool {
        self.anchored.contains(player)
    }

    /// Players and ratings, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.ratings.iter().map(|(name, &rating)| (name.as_str(), rating))
    }

    /// Counts a batch of matches. All of them use the ratings from before the batch, so matches
    /// played side by side weigh the same whichever ended first. Players who are new start at
    /// [`Elo::anchor`]; matches of a player against itself are passed over.
    pub fn apply(&mut self, elo: &Elo, games: &[Game]) {
        let mut changes: BTreeMap<&str, f64> = BTreeMap::new();
        for game in games.iter().filter(|g| g.a != g.b) {
            let before = |player: &str| self.get(player).unwrap_or(elo.anchor);
            let change = elo.change(before(&game.a), before(&game.b), game.result.score());
            *changes.entry(&game.a).or_default() += change;
            *changes.entry(&game.b).or_default() -= change;
        }
        for (player, change) in changes {
            let anchored = self.is_anchored(player);
            let rating = self.ratings.entry(player.to_owned()).or_insert(elo.anchor);
            if !anchored {
                *rating += change;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MatchResult::{Draw, Loss, Win};
    use super::*;

    fn game(a: &str, b: &str, result: MatchResult) -> Game {
        Game { a: a.into(), b: b.into(), result }
    }

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
    fn a_batch_uses_the_ratings_from_before_it() {
        let elo = Elo::default();
        let mut ratings = Ratings::default();
        // One at a time, the second win would be worth less than 8.
        ratings.apply(&elo, &[game("a", "b", Win), game("a", "b", Win), game("c", "a", Draw)]);
        assert_eq!(ratings.get("a"), Some(1516.0));
        assert_eq!(ratings.get("b"), Some(1484.0));
        assert_eq!(ratings.get("c"), Some(1500.0));
        ratings.apply(&elo, &[game("b", "c", Loss)]);
        let expected = 1.0 / (1.0 + 10f64.powf(16.0 / 400.0));
        assert!((ratings.get("b").unwrap() - (1484.0 - 16.0 * expected)).abs() < 1e-9);
    }

    #[test]
    fn an_anchor_moves_others_and_stays() {
        let mut ratings = Ratings::default();
        ratings.anchor("rule", 1200.0);
        ratings.set("me", 1200.0);
        ratings.apply(&Elo::default(), &[game("me", "rule", Win), game("rule", "me", Loss)]);
        assert_eq!((ratings.get("rule"), ratings.get("me")), (Some(1200.0), Some(1216.0)));
        assert!(ratings.is_anchored("rule") && !ratings.is_anchored("me"));
    }

    #[test]
    fn a_match_against_oneself_moves_nothing() {
        let mut ratings = Ratings::default();
        ratings.set("a", 1501.5);
        ratings.apply(&Elo::default(), &[game("a", "a", Win), game("a", "a", Loss)]);
        ratings.apply(&Elo::default(), &[]);
        assert_eq!(ratings.iter().collect::<Vec<_>>(), [("a", 1501.5)]);
    }

    #[test]
    fn the_state_survives_a_checkpoint() {
        let mut ratings = Ratings::default();
        ratings.anchor("rule", 1234.567);
        for i in 0..200 {
            let (a, b) = (format!("p{}", i % 7), format!("p{}", i % 5));
            ratings.apply(&Elo::default(), &[game(&a, &b, Win), game(&b, "rule", Loss)]);
        }
        let text = serde_json::to_string(&ratings).unwrap();
        assert_eq!(serde_json::from_str::<Ratings>(&text).unwrap(), ratings);
        let elo: Elo = serde_json::from_str(r#"{"k": 32}"#).unwrap();
        assert_eq!(elo, Elo { k: 32.0, anchor: 1500.0 });
        assert!(serde_json::from_str::<Elo>(r#"{"kk": 32}"#).is_err());
    }
}

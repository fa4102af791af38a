//! Who beat whom how often: the table that ratings, cross-play and cycles are read off.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::rating::MatchResult;

/// Matches of one side against another, by how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Won.
    pub won: u64,
    /// Drawn.
    pub drawn: u64,
    /// Lost.
    pub lost: u64,
}

impl Tally {
    /// All of them.
    pub fn games(&self) -> u64 {
        // Whatever a damaged file says.
        self.won.saturating_add(self.drawn).saturating_add(self.lost)
    }

    /// Points: a win counts one, a draw a half.
    pub fn points(&self) -> f64 {
        self.won as f64 + 0.5 * self.drawn as f64
    }

    /// Points per match; `None` before the first.
    pub fn score(&self) -> Option<f64> {
        let games = self.games();
        (games > 0).then(|| self.points() / games as f64)
    }

    /// The same matches as the other side saw them.
    pub fn flip(self) -> Self {
        Self { won: self.lost, drawn: self.drawn, lost: self.won }
    }

    /// Counts one match.
    pub fn record(&mut self, result: MatchResult) {
        match result {
            MatchResult::Win => self.won += 1,
            MatchResult::Draw => self.drawn += 1,
            MatchResult::Loss => self.lost += 1,
        }
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.won += other.won;
        self.drawn += other.drawn;
        self.lost += other.lost;
    }
}

type Pairs = BTreeMap<String, BTreeMap<String, Tally>>;

/// The results of every pair of players that met, in an order that depends on names alone.
///
/// A pair is kept once, under the name that sorts first, and can be asked about from either side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Pairs")]
pub struct PairResults(Pairs);

// A table that was written by hand or by another program need not know which name sorts first.
impl From<Pairs> for PairResults {
    fn from(pairs: Pairs) -> Self {
        let mut results = Self::default();
        for (a, row) in &pairs {
            row.iter().for_each(|(b, &tally)| results.add(a, b, tally));
        }
        results
    }
}

impl PairResults {
    /// Counts a match that ended so for `a`.
    pub fn record(&mut self, a: &str, b: &str, result: MatchResult) {
        let mut tally = Tally::default();
        tally.record(result);
        self.add(a, b, tally);
    }

    /// Counts matches of `a` against `b`. A player's matches against itself compare nobody and are
    /// passed over.
    pub fn add(&mut self, a: &str, b: &str, tally: Tally) {
        let (first, second, tally) = match a.cmp(b) {
            Ordering::Less => (a, b, tally),
            Ordering::Greater => (b, a, tally.flip()),
            Ordering::Equal => return,
        };
        let row = self.0.entry(first.to_owned()).or_default();
        *row.entry(second.to_owned()).or_default() += tally;
    }

    /// Counts everything that another table counted.
    pub fn merge(&mut self, other: &Self) {
        other.pairs().for_each(|(a, b, tally)| self.add(a, b, tally));
    }

    /// The matches between two players as `a` saw them.
    pub fn tally(&self, a: &str, b: &str) -> Tally {
        let kept = |a: &str, b: &str| {
            self.0.get(a).and_then(|row| row.get(b)).copied().unwrap_or_default()
        };
        if a < b { kept(a, b) } else { kept(b, a).flip() }
    }

    /// How often two players met.
    pub fn games(&self, a: &str, b: &str) -> u64 {
        self.tally(a, b).games()
    }

    /// `a`'s points per match against `b`; `None` if they never met.
    pub fn score(&self, a: &str, b: &str) -> Option<f64> {
        self.tally(a, b).score()
    }

    /// Every pair that is kept, once, with its matches as the first of the two saw them.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str, Tally)> {
        self.0
            .iter()
            .flat_map(|(a, row)| row.iter().map(|(b, &tally)| (a.as_str(), b.as_str(), tally)))
    }

    /// Everybody who is named in the table.
    pub fn players(&self) -> BTreeSet<&str> {
        self.pairs().flat_map(|(a, b, _)| [a, b]).collect()
    }
}

/// One field of a cross-play matrix.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Points per match of the row's player against the column's; `None` if they never met.
    pub score: Option<f64>,
    /// How often they met.
    pub games: u64,
}

/// Everybody against everybody: `[names, names]`, row against column.
pub fn cross_play<S: AsRef<str>>(results: &PairResults, names: &[S]) -> Vec<Vec<Cell>> {
    let cell = |a: &S, b: &S| {
        let tally = results.tally(a.as_ref(), b.as_ref());
        Cell { score: tally.score(), games: tally.games() }
    };
    names.iter().map(|a| names.iter().map(|b| cell(a, b)).collect()).collect()
}

/// Three players of whom each beats the next and the last beats the first. No rating can order
/// them: such a triple is why a pool keeps more than its strongest player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cycle {
    /// Each beats the next; the name that sorts first comes first.
    pub players: [String; 3],
    /// The score of each against the next.
    pub scores: [f64; 3],
}

impl Cycle {
    /// The lowest of the three scores: how clearly the cycle holds.
    pub fn strength(&self) -> f64 {
        self.scores.into_iter().fold(1.0, f64::min)
    }
}

/// All cycles of three in which every pair met at least `min_games` times and every winner scored
/// more than `0.5 + margin`; the clearest first, equals by name.
pub fn cycles(results: &PairResults, min_games: u64, margin: f64) -> Vec<Cycle> {
    let mut beaten: BTreeMap<&str, BTreeMap<&str, f64>> = BTreeMap::new();
    for (a, b, tally) in results.pairs().filter(|p| p.2.games() >= min_games) {
        for (winner, loser, tally) in [(a, b, tally), (b, a, tally.flip())] {
            if let Some(score) = tally.score().filter(|s| *s > 0.5 && *s > 0.5 + margin) {
                beaten.entry(winner).or_default().insert(loser, score);
            }
        }
    }
    let none = BTreeMap::new();
    let by = |player: &str| beaten.get(player).unwrap_or(&none);
    let mut found = Vec::new();
    for (&a, by_a) in &beaten {
        // Only players after `a`: each cycle is found once, from the name that sorts first.
        for (&b, &ab) in by_a.range::<&str, _>(a..) {
            for (&c, &bc) in by(b).range::<&str, _>(a..) {
                if let Some(&ca) = by(c).get(a) {
                    let players = [a, b, c].map(str::to_owned);
                    found.push(Cycle { players, scores: [ab, bc, ca] });
                }
            }
        }
    }
    // Stable, so cycles of equal strength stay in the order of their names.
    found.sort_by(|x, y| y.strength().total_cmp(&x.strength()));
    found
}

#[cfg(test)]
mod tests {
    use super::MatchResult::{Draw, Loss, Win};
    use super::*;

    fn tally(won: u64, drawn: u64, lost: u64) -> Tally {
        Tally { won, drawn, lost }
    }

    #[test]
    fn a_pair_is_seen_from_both_sides() {
        let mut results = PairResults::default();
        results.record("b", "a", Win);
        results.record("a", "b", Draw);
        results.record("a", "b", Win);
        results.record("b", "a", Win);
        assert_eq!(results.tally("a", "b"), tally(1, 1, 2));
        assert_eq!(results.tally("b", "a"), tally(2, 1, 1));
        assert_eq!((results.games("a", "b"), results.games("b", "a")), (4, 4));
        assert_eq!(results.score("a", "b"), Some(0.375));
        assert_eq!(results.score("b", "a"), Some(0.625));
        assert_eq!((results.games("a", "c"), results.score("a", "c")), (0, None));
    }

    #[test]
    fn matches_against_oneself_are_passed_over() {
        let mut results = PairResults::default();
        results.record("a", "a", Loss);
        assert_eq!((results.games("a", "a"), results.players().len()), (0, 0));
    }

    #[test]
    fn merging_adds_up() {
        let (mut one, mut two) = (PairResults::default(), PairResults::default());
        one.add("a", "b", tally(3, 1, 0));
        two.add("b", "a", tally(5, 0, 2));
        two.add("c", "a", tally(1, 1, 1));
        one.merge(&two);
        assert_eq!(one.tally("a", "b"), tally(5, 1, 5));
        assert_eq!(one.tally("a", "c"), tally(1, 1, 1));
        assert_eq!(one.players(), ["a", "b", "c"].into());
    }

    #[test]
    fn the_state_survives_a_checkpoint_and_other_hands() {
        let mut results = PairResults::default();
        results.add("z:1", "a \"quoted\" one", tally(7, 8, 9));
        results.add("z:1", "ü", tally(0, 0, 1));
        let text = serde_json::to_string(&results).unwrap();
        assert_eq!(serde_json::from_str::<PairResults>(&text).unwrap(), results);
        let text = r#"{"b": {"a": {"won": 2, "drawn": 0, "lost": 1}, "b": {"won": 1, "drawn": 0,
            "lost": 0}}, "a": {"b": {"won": 1, "drawn": 1, "lost": 0}}}"#;
        let read: PairResults = serde_json::from_str(text).unwrap();
        assert_eq!(read.tally("a", "b"), tally(2, 1, 2));
        assert_eq!(read.pairs().count(), 1);
    }

    #[test]
    fn a_matrix_has_a_row_for_every_name() {
        let mut results = PairResults::default();
        results.add("a", "b", tally(3, 0, 1));
        let matrix = cross_play(&results, &["b", "a", "new"]);
        let never = Cell { score: None, games: 0 };
        assert_eq!(matrix[0], [never, Cell { score: Some(0.25), games: 4 }, never]);
        assert_eq!(matrix[1][0], Cell { score: Some(0.75), games: 4 });
        assert_eq!(matrix[2], [never; 3]);
        assert!(cross_play::<&str>(&results, &[]).is_empty());
    }

    #[test]
    fn cycles_are_found_once_and_ordered() {
        let mut results = PairResults::default();
        for (a, b, won) in [
            ("rock", "scissors", 90),
            ("scissors", "paper", 80),
            ("paper", "rock", 70),
            ("well", "rock", 95),
            ("well", "scissors", 85),
            ("paper", "well", 60),
            ("rock", "draw", 100),
        ] {
            results.add(a, b, tally(won, 0, 100 - won));
        }
        results.add("draw", "paper", tally(0, 100, 0));
        let found = cycles(&results, 100, 0.0);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].players, ["paper", "rock", "scissors"]);
        assert_eq!(found[0].scores, [0.7, 0.9, 0.8]);
        assert_eq!(found[1].players, ["paper", "well", "scissors"]);
        assert_eq!(found[1].strength(), 0.6);
        assert_eq!(cycles(&results, 100, 0.15).len(), 1);
        assert_eq!(cycles(&results, 101, 0.0), []);
        assert_eq!(cycles(&results, 100, 0.2), []);
        // A margin below zero would let a draw beat somebody.
        assert_eq!(cycles(&results, 0, -1.0).len(), 2);
        assert_eq!(cycles(&PairResults::default(), 0, 0.0), []);
    }

    #[test]
    fn an_order_without_cycles_has_none() {
        let mut results = PairResults::default();
        for a in 0..9 {
            for b in a + 1..9 {
                results.add(&format!("p{a}"), &format!("p{b}"), tally(3, 1, 0));
            }
        }
        assert_eq!(cycles(&results, 1, 0.0), []);
    }
}

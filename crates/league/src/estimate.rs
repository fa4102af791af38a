//! Ratings of players that do not change, from all their results at once, with their uncertainty.
//!
//! The model is that of Bradley and Terry (1952) on the Elo scale: `a` scores
//! [`expected_score(a, b)`](crate::expected_score) against `b`, and a draw is half a win. The
//! likelihood is concave, so Newton's method finds its one maximum.
//!
//! **The prior.** Somebody who never lost would be rated infinite. So every player is credited with
//! one drawn match, spread over its opponents as its real matches are; a pair gets the mean of what
//! its two players bring. That keeps ratings finite and close to the data, does not depend on where
//! the anchor lies, and fades as matches are played: 100 wins of 100 are worth +921, 1000 of 1000
//! +1320.
//!
//! **The intervals** are 95 %. A draw counts as half a win and half a loss, which overstates its
//! chance: where draws are common, the truth lies inside more often than that.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::LN_10;

use serde::Serialize;

use crate::rating::SCALE;
use crate::table::{PairResults, Tally};

/// Drawn matches that a player is credited with.
const PRIOR_DRAWS: f64 = 1.0;
/// The deviations within which a normal number lies with 95 %.
const Z: f64 = 1.959_963_984_540_054;
/// Elo points per natural unit of the logistic function.
const POINTS: f64 = SCALE / LN_10;

/// A number on the Elo scale and where the truth lies with 95 %.
///
/// A side that the results do not bound is infinite; JSON shows it as `null`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The most likely value.
    pub elo: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// What the results say about a player.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Who it is.
    pub name: String,
    /// Its matches.
    pub games: u64,
    /// Its rating; `None` if no chain of matches leads to the anchor, so that nothing is known.
    pub rating: Option<Interval>,
}

/// Rates everybody in the table, and the anchor, whose rating is given and certain. Strongest first,
/// equals by name, players without a rating last.
pub fn estimate(results: &PairResults, anchor: &str, anchor_elo: f64) -> Vec<Estimate> {
    let mut games: BTreeMap<&str, u64> = [(anchor, 0)].into();
    for (a, b, tally) in results.pairs() {
        *games.entry(a).or_default() += tally.games();
        *games.entry(b).or_default() += tally.games();
    }
    let connected = connected(results, anchor);
    // The anchor has no index: it is where the others are measured from.
    let others = connected.iter().copied().filter(|name| *name != anchor);
    let index: BTreeMap<&str, usize> = others.enumerate().map(|(i, name)| (name, i)).collect();
    let pairs = results.pairs().filter(|p| p.2.games() > 0 && connected.contains(p.0));
    let pairs = pairs.map(|(a, b, tally)| {
        let met = tally.games() as f64;
        let share = |player| met / games[player] as f64;
        let prior = PRIOR_DRAWS * (share(a) + share(b)) / 2.0;
        let points = tally.points() + prior / 2.0;
        Pair { a: index.get(a).copied(), b: index.get(b).copied(), points, total: met + prior }
    });
    let pairs: Vec<Pair> = pairs.collect();
    let strengths = most_likely(&pairs, index.len());
    let deviations = deviations(&pairs, &strengths);

    let rating = |name: &str| {
        if name == anchor {
            return Some(Interval { elo: anchor_elo, low: anchor_elo, high: anchor_elo });
        }
        let i = *index.get(name)?;
        let (elo, half) = (anchor_elo + POINTS * strengths[i], POINTS * Z * deviations[i]);
        Some(Interval { elo, low: elo - half, high: elo + half })
    };
    let estimate =
        |(name, games): (&str, u64)| Estimate { name: name.into(), games, rating: rating(name) };
    let mut estimates: Vec<Estimate> = games.into_iter().map(estimate).collect();
    let key = |e: &Estimate| e.rating.map_or(f64::NEG_INFINITY, |r| r.elo);
    estimates.sort_by(|a, b| key(b).total_cmp(&key(a)));
    estimates
}

/// By how much one player is better than another, from their matches alone.
///
/// The value is that of [`estimate`] for two players. The interval is Wilson's (1927) for the
/// score, carried over to the Elo scale: unlike one from the curvature at the maximum it holds for
/// a handful of matches and for scores of 0 and 1, where one side is infinite.
pub fn difference(won: u64, drawn: u64, lost: u64) -> Interval {
    let tally = Tally { won, drawn, lost };
    let Some(score) = tally.score() else {
        return Interval { elo: 0.0, low: f64::NEG_INFINITY, high: f64::INFINITY };
    };
    let n = tally.games() as f64;
    let centre = score + Z * Z / (2.0 * n);
    let half = Z * (score * (1.0 - score) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    // The ends are 0 and 1 exactly where nothing was won or lost; rounding would miss that.
    let low = if score == 0.0 { 0.0 } else { (centre - half) / scale };
    let high = if score == 1.0 { 1.0 } else { (centre + half) / scale };
    let elo = |score: f64| POINTS * (score / (1.0 - score)).ln();
    Interval {
        elo: elo((tally.points() + PRIOR_DRAWS / 2.0) / (n + PRIOR_DRAWS)),
        low: elo(low.clamp(0.0, 1.0)),
        high: elo(high.clamp(0.0, 1.0)),
    }
}

/// Everybody to whom a chain of matches leads from the anchor.
fn connected<'a>(results: &'a PairResults, anchor: &'a str) -> BTreeSet<&'a str> {
    let mut met: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (a, b, _) in results.pairs().filter(|p| p.2.games() > 0) {
        met.entry(a).or_default().push(b);
        met.entry(b).or_default().push(a);
    }
    let mut found = BTreeSet::from([anchor]);
    let mut open = vec![anchor];
    while let Some(player) = open.pop() {
        for &other in met.get(player).map_or(&[][..], Vec::as_slice) {
            if found.insert(other) {
                open.push(other);
            }
        }
    }
    found
}

/// The matches of two players, prior included. `None` is the anchor.
struct Pair {
    a: Option<usize>,
    b: Option<usize>,
    /// Points of `a`.
    points: f64,
    /// Points of both.
    total: f64,
}

impl Pair {
    /// By how much `a` is better, in natural units.
    fn gap(&self, strengths: &[f64]) -> f64 {
        let of = |player: Option<usize>| player.map_or(0.0, |i| strengths[i]);
        of(self.a) - of(self.b)
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// `ln(sigmoid(x))` without overflow or loss.
fn log_sigmoid(x: f64) -> f64 {
    x.min(0.0) - (-x.abs()).exp().ln_1p()
}

fn log_likelihood(pairs: &[Pair], strengths: &[f64]) -> f64 {
    let of = |p: &Pair| {
        let gap = p.gap(strengths);
        p.points * log_sigmoid(gap) + (p.total - p.points) * log_sigmoid(-gap)
    };
    pairs.iter().map(of).sum()
}

/// Newton's method from equality, with steps halved until they improve the likelihood.
fn most_likely(pairs: &[Pair], players: usize) -> Vec<f64> {
    const MOST_STEPS: usize = 200;
    const CLOSE: f64 = 1e-10;
    const ROUNDING: f64 = 1e-13;
    let mut strengths = vec![0.0; players];
    let mut likelihood = log_likelihood(pairs, &strengths);
    for _ in 0..MOST_STEPS {
        let mut step = vec![0.0; players];
        for p in pairs {
            let surplus = p.points - p.total * sigmoid(p.gap(&strengths));
            p.a.into_iter().for_each(|i| step[i] += surplus);
            p.b.into_iter().for_each(|i| step[i] -= surplus);
        }
        Cholesky::new(information(pairs, &strengths), players).solve(&mut step);
        let longest = step.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
        let mut scale = 1.0;
        let improved = loop {
            if longest * scale < CLOSE {
                break None;
            }
            let next: Vec<f64> = strengths.iter().zip(&step).map(|(x, s)| x + scale * s).collect();
            let reached = log_likelihood(pairs, &next);
            // Near the maximum the likelihood is flat to the last digit, but steps still are good.
            if reached >= likelihood - ROUNDING * likelihood.abs() {
                break Some((next, reached));
            }
            scale /= 2.0;
        };
        let Some((next, reached)) = improved else { break };
        (strengths, likelihood) = (next, reached);
    }
    strengths
}

/// `[players, players]`: the observed information, which is minus the Hessian of the likelihood.
fn information(pairs: &[Pair], strengths: &[f64]) -> Vec<f64> {
    let players = strengths.len();
    let mut matrix = vec![0.0; players * players];
    for p in pairs {
        let gap = p.gap(strengths);
        let weight = p.total * sigmoid(gap) * sigmoid(-gap);
        for i in [p.a, p.b].into_iter().flatten() {
            matrix[i * players + i] += weight;
        }
        if let (Some(i), Some(j)) = (p.a, p.b) {
            matrix[i * players + j] -= weight;
            matrix[j * players + i] -= weight;
        }
    }
    matrix
}

/// The standard deviation of every strength: roots of the diagonal of the inverse information.
fn deviations(pairs: &[Pair], strengths: &[f64]) -> Vec<f64> {
    let players = strengths.len();
    let factor = Cholesky::new(information(pairs, strengths), players);
    let deviation = |i: usize| {
        let mut column = vec![0.0; players];
        column[i] = 1.0;
        factor.solve(&mut column);
        column[i].max(0.0).sqrt()
    };
    (0..players).map(deviation).collect()
}

/// The lower triangular factor of a symmetric, positive definite matrix.
struct Cholesky {
    /// `[size, size]`, row-major; only the lower triangle is read.
    factor: Vec<f64>,
    size: usize,
}

impl Cholesky {
    fn new(mut matrix: Vec<f64>, size: usize) -> Self {
        for j in 0..size {
            for i in j..size {
                let mut left = matrix[i * size + j];
                for k in 0..j {
                    left -= matrix[i * size + k] * matrix[j * size + k];
                }
                matrix[i * size + j] = if i == j {
                    // Everybody is connected to the anchor, so the exact pivot is positive. One that
                    // rounding ate must not become a NaN.
                    left.max(1e-14 * matrix[j * size + j]).max(1e-150).sqrt()
                } else {
                    left / matrix[j * size + j]
                };
            }
        }
        Self { factor: matrix, size }
    }

    /// Solves in place for one right-hand side.
    fn solve(&self, x: &mut [f64]) {
        let (n, l) = (self.size, &self.factor);
        for i in 0..n {
            for k in 0..i {
                x[i] -= l[i * n + k] * x[k];
            }
            x[i] /= l[i * n + i];
        }
        for i in (0..n).rev() {
            for k in i + 1..n {
                x[i] -= l[k * n + i] * x[k];
            }
            x[i] /= l[i * n + i];
        }
    }
}

#[cfg(test)]
#[path = "estimate_tests.rs"]
mod tests;

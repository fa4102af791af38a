//! How good a policy is: whole matches, played without learning.

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use lanista_game::{Entry, SettingsError};
use lanista_league::MatchResult;
use lanista_learn::Policy;
use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use crate::config::Player;
use crate::seating::{Guests, Seating};
use crate::shard::{Finished, MatchFault, Purpose, Shard};
use crate::stack::Stack;

/// Most matches that are played side by side.
pub(crate) const SLOTS: usize = 256;
/// Matches that a thread plays together.
pub(crate) const SHARD: usize = 16;

/// Hears every frame of every match, with the match's number.
pub type Watch<'a> = &'a (dyn Fn(usize, &str) + Sync);

/// Hears how many matches are over, and of how many. Several threads may call it at once.
pub type Tell<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// What to evaluate.
#[derive(Clone)]
pub struct Question<'a> {
    /// The game's settings.
    pub settings: &'a Value,
    /// Which frames the policy sees.
    pub stack: &'a Stack,
    /// `[terms]`: what a return is made of.
    pub weights: &'a [f32],
    /// Whole matches to play.
    pub matches: usize,
    /// Take the most likely action?
    pub deterministic: bool,
    /// Who takes the seats of the other teams.
    pub versus: Player,
    /// Policies that may be among those.
    pub guests: Arc<Guests>,
    /// Matches follow from this.
    pub seed: u64,
    /// Who watches, if anyone does.
    pub watch: Option<Watch<'a>>,
    /// Set from outside to end it before it is done.
    pub interrupt: Option<&'a AtomicBool>,
    /// Who wants to know how far it is, if anyone does.
    pub progress: Option<Tell<'a>>,
}

/// What an evaluation found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Matches played.
    pub matches: usize,
    /// Mean weighted return of the policy's seats.
    pub return_mean: f64,
    /// Its deviation from match to match.
    pub return_deviation: f64,
    /// Mean number of steps.
    pub length_mean: f64,
    /// Shares of matches won, drawn and lost; only where teams compete.
    pub results: Option<Results>,
    /// Mean sum of each reward term, unweighted.
    pub terms: Vec<(String, f64)>,
    /// Mean of each stat.
    pub stats: Vec<(String, f64)>,
}

impl Report {
    /// Where the mean return lies with a confidence of 95 %; `None` for a single match, which says
    /// nothing about the next one.
    pub fn return_interval(&self) -> Option<(f64, f64)> {
        let half = student(self.matches)? * self.return_error()?;
        Some((self.return_mean - half, self.return_mean + half))
    }

    /// The standard error of the mean return.
    pub fn return_error(&self) -> Option<f64> {
        (self.matches > 1).then(|| self.return_deviation / ((self.matches - 1) as f64).sqrt())
    }
}

/// How many standard errors the mean of so many numbers may lie from the truth in 95 of 100 cases:
/// Student's t, by the expansion of Fisher and Cornish (1960), good to 1 % from four numbers on and
/// exact in a table below.
pub fn student(numbers: usize) -> Option<f64> {
    const Z: f64 = 1.959_963_984_540_054;
    match numbers {
        0 | 1 => None,
        2 => Some(12.706),
        3 => Some(4.303),
        _ => {
            let n = (numbers - 1) as f64;
            let [z1, z3, z5, z7] = [1, 3, 5, 7].map(|power| Z.powi(power));
            Some(
                z1 + (z3 + z1) / (4.0 * n)
                    + (5.0 * z5 + 16.0 * z3 + 3.0 * z1) / (96.0 * n * n)
                    + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z1) / (384.0 * n.powi(3)),
            )
        }
    }
}

/// Shares of matches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Results {
    /// Won.
    pub won: f64,
    /// Drawn.
    pub drawn: f64,
    /// Lost.
    pub lost: f64,
}

/// An evaluation that could not be finished.
#[derive(Debug, Error)]
pub enum EvaluateError {
    /// The game refused its settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A match could not go on.
    #[error(transparent)]
    Match(#[from] MatchFault),
    /// It was told to stop. The matches that were over by then tell nothing: the short ones end first.
    #[error("interrupted after {finished} of {matches} matches of the evaluation")]
    Interrupted {
        /// Matches that were over.
        finished: usize,
        /// Matches wanted.
        matches: usize,
    },
}

/// Plays exactly so many matches. Every match counts, long or short: no slot stops early because
/// others were quicker.
pub fn evaluate(
    entry: &Entry,
    policy: &Policy,
    question: &Question,
) -> Result<Report, EvaluateError> {
    let slots = question.matches.min(SLOTS);
    let mut shards = Vec::new();
    for first in (0..slots).step_by(SHARD) {
        let batch = (entry.build)(question.settings, SHARD.min(slots - first))?;
        let mut seating = Seating::against(question.seed, question.versus, slots);
        // Both sides choose alike, or the one that samples would be at a disadvantage.
        seating.manners.conduct.deterministic = f64::from(u8::from(question.deterministic));
        let mut shard = Shard::new(first, question.stack.over(batch), policy, seating);
        shard.welcome(question.guests.clone(), 0);
        shards.push(shard);
    }
    // Slot s plays the matches s, s + slots, s + 2 slots, … below the number wanted.
    let wanted = |slot: usize| ((question.matches - slot).div_ceil(slots)) as u64;
    let purpose = Purpose::Evaluate { deterministic: question.deterministic };
    let over = AtomicUsize::new(0);
    let played: Result<Vec<Vec<Finished>>, EvaluateError> = shards
        .par_iter_mut()
        .map(|shard| {
            let mut frame = String::new();
            let mut show = |shard: &Shard, m: usize| {
                let Some(watch) = question.watch else { return };
                let (slot, episode) = (shard.first_match + m, shard.matches[m].episode);
                if episode < wanted(slot) {
                    frame.clear();
                    shard.frame(m, &mut frame);
                    if !frame.is_empty() {
                        watch(slot + episode as usize * slots, &frame);
                    }
                }
            };
            shard.begin(0.0); // nothing here follows a schedule
            shard.start_all(0)?;
            (0..shard.matches.len()).for_each(|m| show(shard, m));
            let last = shard.first_match + shard.matches.len();
            let mut told = 0;
            while (shard.first_match..last)
                .any(|s| shard.matches[s - shard.first_match].episode < wanted(s))
            {
                if question.interrupt.is_some_and(|interrupt| interrupt.load(Relaxed)) {
                    let (finished, matches) = (over.load(Relaxed), question.matches);
                    return Err(EvaluateError::Interrupted { finished, matches });
                }
                // A match that ends is shown as it ends, and once more where the next one begins.
                shard.advance(policy, &purpose)?;
                (0..shard.matches.len()).for_each(|m| show(shard, m));
                shard.settle(policy, &purpose)?;
                for m in (0..shard.matches.len()).filter(|&m| shard.buffers.end[m].is_some()) {
                    show(shard, m);
                }
                let ended = &shard.finished[told..];
                let counted = ended.iter().filter(|f| f.episode < wanted(f.match_index)).count();
                told = shard.finished.len();
                if counted > 0 {
                    let finished = over.fetch_add(counted, Relaxed) + counted;
                    question.progress.iter().for_each(|tell| tell(finished, question.matches));
                }
            }
            let mut done = std::mem::take(&mut shard.finished);
            done.retain(|f| f.episode < wanted(f.match_index));
            done.sort_by_key(|f| (f.episode, f.match_index));
            Ok(done)
        })
        .collect();
    let played: Vec<Finished> = played?.into_iter().flatten().collect();
    let spec = shards[0].spec();
    Ok(summary(spec, &played, question.weights))
}

/// Sums finished matches up.
pub fn summary(spec: &lanista_game::Spec, played: &[Finished], weights: &[f32]) -> Report {
    let n = played.len().max(1) as f64;
    let mean = |f: &dyn Fn(&Finished) -> f64| played.iter().map(f).sum::<f64>() / n;
    let return_mean = mean(&|f| weighted(f, weights));
    let variance = mean(&|f| (weighted(f, weights) - return_mean).powi(2));
    let results = spec.contested().then(|| Results {
        won: mean(&|f| f64::from(outcome(f) == MatchResult::Win)),
        drawn: mean(&|f| f64::from(outcome(f) == MatchResult::Draw)),
        lost: mean(&|f| f64::from(outcome(f) == MatchResult::Loss)),
    });
    Report {
        matches: played.len(),
        return_mean,
        return_deviation: variance.sqrt(),
        length_mean: mean(&|f| f64::from(f.steps)),
        results,
        terms: (spec.terms.iter().enumerate())
            .map(|(i, t)| (t.name.to_owned(), mean(&|f| f64::from(f.terms[i]))))
            .collect(),
        stats: (spec.stat_names().into_iter().enumerate())
            .map(|(i, name)| (name, mean(&|f| f64::from(f.stats[i]))))
            .collect(),
    }
}

/// How a finished match ended for the learner; in self-play for its first team.
pub fn outcome(finished: &Finished) -> MatchResult {
    let team = finished.team.unwrap_or(0);
    let others = finished.score.iter().enumerate().filter(|(t, _)| *t != team);
    let best_other = others.map(|(_, s)| *s).fold(f32::NEG_INFINITY, f32::max);
    // Not `total_cmp`, which calls 0 more than −0. Scores are never NaN.
    match finished.score[team].partial_cmp(&best_other) {
        Some(Ordering::Greater) => MatchResult::Win,
        Some(Ordering::Less) => MatchResult::Loss,
        _ => MatchResult::Draw,
    }
}

/// The return of a finished match.
pub fn weighted(finished: &Finished, weights: &[f32]) -> f64 {
    finished.terms.iter().zip(weights).map(|(t, w)| f64::from(*t) * f64::from(*w)).sum()
}

#[cfg(test)]
#[path = "evaluate_tests.rs"]
mod tests;

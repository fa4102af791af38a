//! How good a policy is: whole matches, played without learning.

use std::cmp::Ordering;
use std::sync::Arc;

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
        let seating = Seating::against(question.seed, question.versus, slots);
        let mut shard = Shard::new(first, question.stack.over(batch), policy, seating);
        shard.welcome(question.guests.clone(), 0);
        shards.push(shard);
    }
    // Slot s plays the matches s, s + slots, s + 2 slots, … below the number wanted.
    let wanted = |slot: usize| ((question.matches - slot).div_ceil(slots)) as u64;
    let purpose = Purpose::Evaluate { deterministic: question.deterministic };
    let played: Result<Vec<Vec<Finished>>, MatchFault> = shards
        .par_iter_mut()
        .map(|shard| {
            let mut frame = String::new();
            shard.begin(0.0); // nothing here follows a schedule
            shard.start_all(0)?;
            let last = shard.first_match + shard.matches.len();
            while (shard.first_match..last)
                .any(|s| shard.matches[s - shard.first_match].episode < wanted(s))
            {
                shard.step(policy, &purpose)?;
                let Some(watch) = question.watch else { continue };
                for m in 0..shard.matches.len() {
                    let (slot, episode) = (shard.first_match + m, shard.matches[m].episode);
                    if episode < wanted(slot) {
                        frame.clear();
                        shard.frame(m, &mut frame);
                        if !frame.is_empty() {
                            watch(slot + episode as usize * slots, &frame);
                        }
                    }
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
    let results = (spec.teams() > 1).then(|| Results {
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
        stats: (spec.stats.iter().enumerate())
            .map(|(i, s)| ((*s).to_owned(), mean(&|f| f64::from(f.stats[i]))))
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
mod tests {
    use super::*;
    use lanista_game::End;

    #[test]
    fn equal_scores_draw_whatever_the_sign_of_zero() {
        let spec = (lanista_classic::games()[4].build)(&Value::Null, 1).unwrap().spec().clone();
        let finished = |score: [f32; 2], team| Finished {
            match_index: 0,
            episode: 0,
            steps: 1,
            end: End::Terminated,
            opponent: Player::Bot(0),
            probability: 1.0,
            stage: 0,
            team: Some(team),
            terms: vec![0.0; spec.terms.len()],
            score: score.to_vec(),
            stats: vec![0.0; spec.stats.len()],
        };
        let played = [
            finished([0.0, -0.0], 0),
            finished([0.0, -0.0], 1),
            finished([1.0, -1.0], 0),
            finished([1.0, -1.0], 1),
        ];
        let results = summary(&spec, &played, &[1.0]).results.unwrap();
        assert_eq!(results, Results { won: 0.25, drawn: 0.5, lost: 0.25 });
    }
}

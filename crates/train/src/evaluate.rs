//! How good a policy is: whole matches, played without learning.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use lanista_game::{Entry, Spec};
use lanista_league::MatchResult;
use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;

use crate::error::EvaluateError;
use crate::finished::{Earned, Finished};
use crate::memory::{SHARD, SLOTS};
use crate::player::{Player, Policies};
use crate::seating::{Cast, Guests, Seating};
use crate::shard::{Patience, Purpose, Recorded, Shard};
use crate::stack::Stack;

/// Hears every frame of every match, with the match's number.
pub type Watch<'a> = &'a (dyn Fn(usize, &str) + Sync);

/// Hears of every match that ended, with its number.
pub type Keep<'a> = &'a (dyn Fn(usize, Recorded) + Sync);

/// Hears how many matches are over, and of how many. Several threads may call it at once.
pub type Tell<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// What to evaluate.
#[derive(Clone)]
pub struct Evaluation<'a> {
    /// The game's settings.
    pub settings: &'a Value,
    /// Which frames the policy sees.
    pub stack: &'a Stack,
    /// `[roles][terms]`: what a return is made of.
    pub weights: &'a [Vec<f32>],
    /// Whole matches to play.
    pub matches: usize,
    /// Take the most likely action?
    pub deterministic: bool,
    /// Who takes the seats of the other teams.
    pub versus: Player,
    /// Agents that may be among those.
    pub guests: Arc<Guests>,
    /// Who plays the roles that the agent does not.
    pub cast: Cast,
    /// Matches follow from this.
    pub seed: u64,
    /// How long an engine is waited for, and how many matches it may lose.
    pub patience: Patience,
    /// Who watches, if anyone does.
    pub watch: Option<Watch<'a>>,
    /// Who keeps recordings, if anyone does.
    pub keep: Option<Keep<'a>>,
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
    pub results: Option<Outcomes>,
    /// Mean sum of each reward term, unweighted.
    pub terms: Vec<(String, f64)>,
    /// Mean of each stat.
    pub stats: Vec<(String, f64)>,
    /// The same by role, for games that have several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<RoleReport>,
}

/// What an evaluation found about one role.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoleReport {
    /// The role.
    pub role: String,
    /// Matches in which the agent played it.
    pub matches: usize,
    /// Mean weighted return of its seats.
    pub return_mean: f64,
    /// Its deviation from match to match.
    pub return_deviation: f64,
    /// Shares of matches won, drawn and lost by its team; only where teams compete.
    pub results: Option<Outcomes>,
    /// Mean sum of each reward term, unweighted.
    pub terms: Vec<(String, f64)>,
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
pub struct Outcomes {
    /// Won.
    pub won: f64,
    /// Drawn.
    pub drawn: f64,
    /// Lost.
    pub lost: f64,
}

impl Outcomes {
    /// The shares among these outcomes.
    pub fn of(outcomes: impl Iterator<Item = MatchResult>) -> Self {
        let (mut n, mut won, mut drawn, mut lost) = (0.0f64, 0.0, 0.0, 0.0);
        for outcome in outcomes {
            n += 1.0;
            match outcome {
                MatchResult::Win => won += 1.0,
                MatchResult::Draw => drawn += 1.0,
                MatchResult::Loss => lost += 1.0,
            }
        }
        let n = n.max(1.0);
        Self { won: won / n, drawn: drawn / n, lost: lost / n }
    }
}

/// Plays exactly so many matches. Every match counts, long or short: no slot stops early because
/// others were quicker.
pub fn evaluate(
    entry: &Entry,
    policies: Policies,
    question: &Evaluation,
) -> Result<Report, EvaluateError> {
    let spec = question.stack.widen(entry.spec(question.settings)?);
    let all: Vec<usize> = (0..parts(question.matches)).collect();
    let played = play(entry, policies, question, &all)?;
    Ok(summary(&spec, &played.concat(), question.weights))
}

/// How many parts so many matches are played in: each is a shard of its own, and whoever plays it, on whatever
/// machine, plays the same matches.
pub(crate) fn parts(matches: usize) -> usize {
    slots(matches).div_ceil(SHARD)
}

fn slots(matches: usize) -> usize {
    matches.min(SLOTS)
}

/// The slots of a part.
pub(crate) fn slots_of(matches: usize, part: usize) -> Range<usize> {
    part * SHARD..slots(matches).min((part + 1) * SHARD)
}

/// Slot s plays the matches s, s + slots, s + 2 slots, … below the number wanted: so many.
pub(crate) fn episodes_of(matches: usize, slot: usize) -> u64 {
    (matches - slot).div_ceil(slots(matches)) as u64
}

/// Plays some parts. `[parts][matches]`, by episode and slot.
pub(crate) fn play(
    entry: &Entry,
    policies: Policies,
    question: &Evaluation,
    parts: &[usize],
) -> Result<Vec<Vec<Finished>>, EvaluateError> {
    let over = AtomicUsize::new(0);
    if let Some(most) = entry.at_once(question.settings)? {
        let in_turn = |&part: &usize| play_in_turn(entry, policies, question, part, most, &over);
        return parts.iter().map(in_turn).collect();
    }
    // Built one after the other: a game may have to prepare itself.
    let slots = |part: usize| slots_of(question.matches, part);
    let shards = parts.iter().map(|&part| build(entry, policies, question, slots(part)));
    let mut shards: Vec<Shard> = shards.collect::<Result<_, _>>()?;
    shards.par_iter_mut().map(|shard| play_part(shard, policies, question, &over)).collect()
}

/// Plays a part on engines that hold no more than `most` matches: the same matches as ever, some after others.
fn play_in_turn(
    entry: &Entry,
    policies: Policies,
    question: &Evaluation,
    part: usize,
    most: usize,
    over: &AtomicUsize,
) -> Result<Vec<Finished>, EvaluateError> {
    let own = slots_of(question.matches, part);
    let mut done = Vec::new();
    for first in own.clone().step_by(most) {
        let mut shard = build(entry, policies, question, first..own.end.min(first + most))?;
        // It is gone, and its engines are free, before the next one begins.
        done.extend(play_part(&mut shard, policies, question, over)?);
    }
    done.sort_by_key(|f| (f.episode, f.match_index));
    Ok(done)
}

/// A shard of these slots.
fn build(
    entry: &Entry,
    policies: Policies,
    question: &Evaluation,
    own: Range<usize>,
) -> Result<Shard, EvaluateError> {
    let batch = entry.build(question.settings, own.len())?;
    let mut seating = Seating::against(question.seed, question.versus, slots(question.matches));
    // Both sides choose alike, or the one that samples would be at a disadvantage.
    seating.guest_rules.style.deterministic = f64::from(u8::from(question.deterministic));
    seating.cast = question.cast.clone();
    let mut shard = Shard::new(own.start, question.stack.over(batch), policies, seating);
    shard.patience = Patience { once_more: true, ..question.patience };
    shard.welcome(question.guests.clone(), 0);
    Ok(shard)
}

fn play_part(
    shard: &mut Shard,
    policies: Policies,
    question: &Evaluation,
    over: &AtomicUsize,
) -> Result<Vec<Finished>, EvaluateError> {
    let slots = slots(question.matches);
    let wanted = |slot: usize| episodes_of(question.matches, slot);
    let (deterministic, record) = (question.deterministic, question.keep.is_some());
    let purpose = Purpose::Evaluate { deterministic, record };
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
        shard.advance(policies, &purpose)?;
        (0..shard.matches.len()).for_each(|m| show(shard, m));
        if let Some(keep) = question.keep {
            for m in shard.ending() {
                let (slot, episode) = (shard.first_match + m, shard.matches[m].episode);
                if episode < wanted(slot) {
                    keep(slot + episode as usize * slots, Recorded::of(shard, m));
                }
            }
        }
        shard.settle(policies, &purpose)?;
        shard.await_all()?;
        for i in 0..shard.ended.len() {
            show(shard, shard.ended[i]);
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
}

/// Sums finished matches up, with `weights[role]` of the terms.
pub fn summary(spec: &Spec, played: &[Finished], weights: &[Vec<f32>]) -> Report {
    let n = played.len().max(1) as f64;
    let mean = |f: &dyn Fn(&Finished) -> f64| played.iter().map(f).sum::<f64>() / n;
    let return_mean = mean(&|f| f.weighted(weights));
    let variance = mean(&|f| (f.weighted(weights) - return_mean).powi(2));
    let several = spec.roles.len() > 1;
    let roles = (0..spec.roles.len()).filter(|_| several);
    let roles = roles.filter_map(|role| role_summary(spec, role, played, weights)).collect();
    Report {
        matches: played.len(),
        return_mean,
        return_deviation: variance.sqrt(),
        length_mean: mean(&|f| f64::from(f.steps)),
        results: spec.contested().then(|| Outcomes::of(played.iter().map(Finished::outcome))),
        terms: (spec.terms.iter().enumerate())
            .map(|(i, t)| (t.name.clone(), mean(&|f| f64::from(f.terms()[i]))))
            .collect(),
        stats: (spec.stat_names().into_iter().enumerate())
            .map(|(i, name)| (name, mean(&|f| f64::from(f.stats[i]))))
            .collect(),
        roles,
    }
}

/// Sums up the matches in which a role was played; `None` if there were none.
fn role_summary(
    spec: &Spec,
    role: usize,
    played: &[Finished],
    weights: &[Vec<f32>],
) -> Option<RoleReport> {
    let own: Vec<(&Finished, &Earned)> =
        played.iter().filter_map(|f| Some((f, f.in_role(role)?))).collect();
    if own.is_empty() {
        return None;
    }
    let n = own.len() as f64;
    let mean = |f: &dyn Fn(&Earned) -> f64| own.iter().map(|(_, e)| f(e)).sum::<f64>() / n;
    let return_mean = mean(&|e| e.weighted(weights));
    let variance = mean(&|e| (e.weighted(weights) - return_mean).powi(2));
    let outcomes = own.iter().map(|(f, e)| f.outcome_for(e.team));
    Some(RoleReport {
        role: spec.roles[role].name.clone(),
        matches: own.len(),
        return_mean,
        return_deviation: variance.sqrt(),
        results: spec.contested().then(|| Outcomes::of(outcomes)),
        terms: (spec.terms.iter().enumerate())
            .map(|(i, t)| (t.name.clone(), mean(&|e| f64::from(e.terms[i]))))
            .collect(),
    })
}

#[cfg(test)]
#[path = "evaluate_tests.rs"]
mod tests;

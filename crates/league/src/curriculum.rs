//! Where a run stands in its curriculum: the stage, and the latest matches by which it is judged.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::rating::MatchResult;
use crate::shares::Opponent;
use crate::stage::{Goal, Stage};

/// A match that is over.
#[derive(Clone, Copy, Debug)]
pub struct StageMatch<'a> {
    /// The stage in which it began.
    pub stage: usize,
    /// Whom the learner met.
    pub opponent: &'a Opponent,
    /// How it ended for the learner, where teams compete.
    pub result: Option<MatchResult>,
    /// The stats it reported.
    pub stats: &'a [(&'a str, f64)],
}

/// The state of a curriculum.
///
/// Only what the present stage waits for is kept, and no more of it than its longest window. A
/// stage starts with nothing: it is judged by its own matches alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standing {
    stage: usize,
    /// Steps of the run when the stage began.
    entered_at: u64,
    /// Matches that began and ended in the stage.
    matches: u64,
    results: BTreeMap<Opponent, VecDeque<MatchResult>>,
    stats: BTreeMap<String, VecDeque<f64>>,
}

/// A stage ended and another began: what a log records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transition {
    /// The stage that ended.
    pub from: String,
    /// The stage that began.
    pub to: String,
    /// Its index.
    pub stage: usize,
    /// Steps of the run so far.
    pub steps: u64,
    /// Steps of the stage that ended.
    pub stage_steps: u64,
    /// Its matches.
    pub matches: u64,
    /// What ended it.
    pub reason: String,
}

/// What is known when a condition is looked at.
struct Now<'a> {
    progress: &'a Standing,
    steps: u64,
    elo: Option<f64>,
}

impl Standing {
    /// The index of the present stage.
    pub fn stage(&self) -> usize {
        self.stage
    }

    /// Steps of the run when the present stage began.
    pub fn entered_at(&self) -> u64 {
        self.entered_at
    }

    /// Counts a match. One that began in an earlier stage was played under other rules and is
    /// passed over; so is a stat that is no number.
    pub fn observe(&mut self, stages: &[Stage], finished: &StageMatch) {
        let Some(stage) = stages.get(self.stage).filter(|_| finished.stage == self.stage) else {
            return;
        };
        self.matches += 1;
        let (mut longest_result, mut longest_stat) = (0, vec![0; finished.stats.len()]);
        stage.until.leaves(&mut |condition| match condition {
            Goal::WinRate { vs, over, .. } if vs == finished.opponent => {
                longest_result = longest_result.max(*over);
            }
            Goal::Stat { name, over, .. } => {
                let of_name = finished.stats.iter().zip(&mut longest_stat);
                of_name.filter(|(s, _)| s.0 == name).for_each(|(_, l)| *l = (*l).max(*over));
            }
            _ => {}
        });
        if let (Some(result), 1..) = (finished.result, longest_result) {
            let window = self.results.entry(finished.opponent.clone()).or_default();
            push(window, result, longest_result);
        }
        for (&(name, value), longest) in finished.stats.iter().zip(longest_stat) {
            if longest > 0 && value.is_finite() {
                push(self.stats.entry(name.to_owned()).or_default(), value, longest);
            }
        }
    }

    /// Is the present stage over, after so many steps of the run and with this rating?
    pub fn should_advance(&self, stages: &[Stage], steps: u64, elo: Option<f64>) -> bool {
        let not_last = self.stage + 1 < stages.len();
        not_last && Now { progress: self, steps, elo }.holds(&stages[self.stage].until)
    }

    /// Goes on to the next stage if the present one is over, and says so. One stage at a time: call
    /// again if the next might be over at once.
    pub fn advance(
        &mut self,
        stages: &[Stage],
        steps: u64,
        elo: Option<f64>,
    ) -> Option<Transition> {
        if !self.should_advance(stages, steps, elo) {
            return None;
        }
        let transition = Transition {
            from: stages[self.stage].name.clone(),
            to: stages[self.stage + 1].name.clone(),
            stage: self.stage + 1,
            steps,
            stage_steps: steps.saturating_sub(self.entered_at),
            matches: self.matches,
            reason: self.status(stages, steps, elo),
        };
        self.enter(transition.stage, steps);
        Some(transition)
    }

    /// Begins a stage, whatever the present one waits for.
    pub fn enter(&mut self, stage: usize, steps: u64) {
        *self = Self { stage, entered_at: steps, ..Self::default() };
    }

    /// How far the present stage is, in words: "won 0.43 of the last 100 matches against bot:rule
    /// (0.6 needed)".
    pub fn status(&self, stages: &[Stage], steps: u64, elo: Option<f64>) -> String {
        let now = Now { progress: self, steps, elo };
        stages.get(self.stage).map_or(String::new(), |stage| now.reading(&stage.until))
    }
}

fn push<T>(window: &mut VecDeque<T>, value: T, longest: usize) {
    window.push_back(value);
    // More than one may go: a preset may shorten a window between two sittings.
    while window.len() > longest {
        window.pop_front();
    }
}

/// The mean over the last so many values; `None` before there are that many.
fn mean<T: Copy>(
    window: Option<&VecDeque<T>>,
    over: usize,
    value: impl Fn(T) -> f64,
) -> Option<f64> {
    let window = window?;
    let first = window.len().checked_sub(over)?;
    // Added up anew each time: a running sum would round differently after a resume.
    Some(window.range(first..).map(|&v| value(v)).sum::<f64>() / over as f64)
}

impl Now<'_> {
    fn stage_steps(&self) -> u64 {
        self.steps.saturating_sub(self.progress.entered_at)
    }

    fn win_rate(&self, vs: &Opponent, over: usize) -> Option<f64> {
        let won = |result| f64::from(u8::from(result == MatchResult::Win));
        mean(self.progress.results.get(vs), over, won)
    }

    fn stat(&self, name: &str, over: usize) -> Option<f64> {
        mean(self.progress.stats.get(name), over, |value| value)
    }

    fn holds(&self, condition: &Goal) -> bool {
        match condition {
            Goal::Steps(n) => self.stage_steps() >= *n,
            Goal::TotalSteps(n) => self.steps >= *n,
            Goal::WinRate { vs, at_least, over } => {
                self.win_rate(vs, *over).is_some_and(|rate| rate >= *at_least)
            }
            Goal::Elo(needed) => self.elo.is_some_and(|elo| elo >= *needed),
            Goal::Stat { name, at_least, at_most, over } => {
                self.stat(name, *over).is_some_and(|mean| {
                    at_least.is_none_or(|l| mean >= l) && at_most.is_none_or(|m| mean <= m)
                })
            }
            Goal::All(parts) => parts.iter().all(|p| self.holds(p)),
            Goal::Any(parts) => parts.iter().any(|p| self.holds(p)),
            Goal::Never => false,
        }
    }

    /// What a condition looks at and what it shows. Of alternatives, those that hold if some do.
    fn reading(&self, condition: &Goal) -> String {
        let join = |parts: Vec<&Goal>, word: &str| {
            let each: Vec<String> = parts.into_iter().map(|p| self.reading(p)).collect();
            each.join(word)
        };
        match condition {
            Goal::Steps(n) => format!("{} of {n} steps of the stage", self.stage_steps()),
            Goal::TotalSteps(n) => format!("{} of {n} steps of the run", self.steps),
            Goal::WinRate { vs, at_least, over } => match self.win_rate(vs, *over) {
                Some(rate) => format!(
                    "won {rate:.2} of the last {over} matches against {vs} ({at_least} needed)"
                ),
                None => {
                    let seen = self.progress.results.get(vs).map_or(0, VecDeque::len);
                    format!("{seen} of {over} matches against {vs}")
                }
            },
            Goal::Elo(needed) => match self.elo {
                Some(elo) => format!("rated {elo:.0} ({needed} needed)"),
                None => format!("not rated yet ({needed} needed)"),
            },
            Goal::Stat { name, at_least, at_most, over } => {
                let bounds: Vec<String> = [("at least", at_least), ("at most", at_most)]
                    .into_iter()
                    .filter_map(|(word, bound)| bound.map(|b| format!("{word} {b}")))
                    .collect();
                let bounds = bounds.join(", ");
                match self.stat(name, *over) {
                    Some(mean) => {
                        format!("{name} {mean:.3} over the last {over} matches ({bounds} needed)")
                    }
                    None => {
                        let seen = self.progress.stats.get(name).map_or(0, VecDeque::len);
                        format!("{seen} of {over} matches for {name} ({bounds} needed)")
                    }
                }
            }
            Goal::All(parts) => join(parts.iter().collect(), " and "),
            Goal::Any(parts) => {
                let met: Vec<&Goal> = parts.iter().filter(|p| self.holds(p)).collect();
                let shown = if met.is_empty() { parts.iter().collect() } else { met };
                join(shown, " or ")
            }
            Goal::Never => "for the rest of the run".into(),
        }
    }
}

#[cfg(test)]
#[path = "curriculum_tests.rs"]
mod tests;

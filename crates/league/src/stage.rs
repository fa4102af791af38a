//! The stages of a curriculum as a preset writes them, and what may be wrong with them.
//!
//! ```yaml
//! curriculum:
//!   - name: touch
//!     until: { stat: { name: touches_per_minute, at_least: 10, over: 200 } }
//!   - name: score
//!     until: { any: [{ win_rate: { vs: bot:rule, at_least: 0.6 } }, { steps: 50_000_000 }] }
//!     changes: { rewards: { goal: 10 }, opponents: { bot:rule: 0.5 } }
//!   - name: compete
//!     changes: { opponents: { past: 0.5 } }
//! ```

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::shares::{Opponent, Shares};

/// One stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// What the stage is called in logs and in the names of milestones.
    pub name: String,
    /// When the next one begins. The last stage lasts until the run ends, whatever it says here.
    #[serde(default)]
    pub until: Goal,
    /// The keys of the preset that this stage changes. They are not read here: whoever owns the
    /// preset applies them.
    #[serde(default)]
    pub changes: Map<String, Value>,
}

/// When a stage ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Goal {
    /// After so many steps of the stage.
    Steps(u64),
    /// After so many steps of the run.
    TotalSteps(u64),
    /// Once so large a share of the last matches against an opponent was won. A draw is not won.
    WinRate {
        /// Against whom.
        vs: Opponent,
        /// The share.
        at_least: f64,
        /// Of so many matches; before that many were played in the stage, nothing is known.
        #[serde(default = "hundred")]
        over: usize,
    },
    /// Once the learner's rating reaches this.
    Elo(f64),
    /// Once the mean of a stat over the last matches lies within these bounds.
    Stat {
        /// A stat of the game.
        name: String,
        /// The lower bound, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_least: Option<f64>,
        /// The upper bound, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_most: Option<f64>,
        /// Over so many matches; before that many were played in the stage, nothing is known.
        #[serde(default = "hundred")]
        over: usize,
    },
    /// Once all of these hold.
    All(Vec<Goal>),
    /// Once one of these holds.
    Any(Vec<Goal>),
    /// Not before the run ends.
    #[default]
    Never,
}

/// The longest window: its results are kept one by one.
const LONGEST: usize = 1_000_000;

fn hundred() -> usize {
    100
}

/// A curriculum that makes no sense in any game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{key}: {problem}")]
pub struct CurriculumError {
    /// The key at fault, from the list of stages on: `1.until.win_rate.over`.
    pub key: String,
    /// What is wrong with it.
    pub problem: String,
}

/// What a curriculum can refer to.
#[derive(Clone, Debug)]
pub struct Existing<'a> {
    /// The game's stats.
    pub stats: &'a [&'a str],
    /// The game's scripted players.
    pub bots: &'a [&'a str],
    /// Who plays in each stage, its changes applied; the last entry counts for the stages beyond.
    pub shares: &'a [Shares],
    /// Is the learner rated?
    pub rated: bool,
    /// Steps after which the run ends, if it does.
    pub total_steps: Option<u64>,
}

impl Goal {
    /// Calls a function with every condition that is not made of others.
    pub(crate) fn leaves<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        match self {
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().for_each(|part| part.leaves(visit));
            }
            leaf => visit(leaf),
        }
    }

    /// The key at fault below this condition, and what is wrong.
    fn fault(&self) -> Option<(String, String)> {
        let fault = |key: &str, problem: String| Some((key.to_owned(), problem));
        let infinite = |value: f64| (!value.is_finite()).then(|| format!("{value} is no number"));
        let too_long = |over: usize| format!("{over} matches are kept; at most {LONGEST}");
        let no_matches = "a window of no matches tells nothing; it is at least 1";
        match self {
            Self::Steps(_) | Self::TotalSteps(_) | Self::Never => None,
            Self::WinRate { over: 0, .. } => fault("win_rate.over", no_matches.into()),
            Self::WinRate { over, .. } if *over > LONGEST => {
                fault("win_rate.over", too_long(*over))
            }
            Self::WinRate { at_least, .. } => {
                infinite(*at_least).and_then(|p| fault("win_rate.at_least", p))
            }
            Self::Elo(elo) => infinite(*elo).and_then(|p| fault("elo", p)),
            Self::Stat { over: 0, .. } => fault("stat.over", no_matches.into()),
            Self::Stat { over, .. } if *over > LONGEST => fault("stat.over", too_long(*over)),
            Self::Stat { at_least: None, at_most: None, .. } => {
                fault("stat", "it needs `at_least` or `at_most`".into())
            }
            Self::Stat { at_least: Some(least), at_most: Some(most), .. } if least > most => {
                fault("stat", format!("nothing is at least {least} and at most {most}"))
            }
            Self::Stat { at_least, at_most, .. } => {
                let bounds = [("stat.at_least", at_least), ("stat.at_most", at_most)];
                let broken = |(key, bound): (&str, &Option<f64>)| {
                    bound.and_then(infinite).and_then(|problem| fault(key, problem))
                };
                bounds.into_iter().find_map(broken)
            }
            Self::All(parts) | Self::Any(parts) => {
                let key = if matches!(self, Self::All(_)) { "all" } else { "any" };
                let below = |(i, part): (usize, &Self)| {
                    part.fault().map(|(rest, problem)| (format!("{key}.{i}.{rest}"), problem))
                };
                parts.iter().enumerate().find_map(below)
            }
        }
    }

    /// Why this can never hold, if it cannot.
    fn hopeless(&self, existing: &Existing, shares: &Shares) -> Option<String> {
        match self {
            Self::Steps(n) | Self::TotalSteps(n) => existing
                .total_steps
                .filter(|total| n >= total)
                .map(|total| format!("the run ends after {total} steps, and it waits for {n}")),
            Self::WinRate { at_least, .. } if *at_least > 1.0 => {
                Some(format!("a win rate is at most 1, and it waits for {at_least}"))
            }
            Self::WinRate { vs: Opponent::Myself, .. } => {
                Some("against `self` the learner wins and loses every match at once".into())
            }
            Self::WinRate { vs: Opponent::Bot(name), .. }
                if !existing.bots.contains(&name.as_str()) =>
            {
                Some(format!("the game has no bot `{name}`; it has {}", listed(existing.bots)))
            }
            Self::WinRate { vs, .. } if shares.fraction(vs) <= 0.0 => {
                Some(format!("`{vs}` has no share of this stage's matches, so it never plays"))
            }
            Self::Elo(elo) if !existing.rated => {
                Some(format!("nothing rates the learner, and it waits for a rating of {elo}"))
            }
            Self::Stat { name, .. } if !existing.stats.contains(&name.as_str()) => {
                Some(format!("the game has no stat `{name}`; it has {}", listed(existing.stats)))
            }
            Self::All(parts) => parts.iter().find_map(|p| p.hopeless(existing, shares)),
            Self::Any(parts) if parts.is_empty() => Some("`any` lists no condition".into()),
            Self::Any(parts) => {
                let reasons: Option<Vec<_>> =
                    parts.iter().map(|p| p.hopeless(existing, shares)).collect();
                reasons.map(|r| r.join("; "))
            }
            Self::Never => Some("its `until` is `never`".into()),
            Self::WinRate { .. } | Self::Elo(_) | Self::Stat { .. } => None,
        }
    }

    /// Does this hold before anything was played?
    fn idle(&self) -> bool {
        match self {
            Self::Steps(0) | Self::TotalSteps(0) => true,
            Self::All(parts) => parts.iter().all(Self::idle),
            Self::Any(parts) => parts.iter().any(Self::idle),
            _ => false,
        }
    }
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// Refuses what makes no sense in any game: stages without a name of their own, windows of no
/// matches, bounds that exclude each other.
pub fn check(stages: &[Stage]) -> Result<(), CurriculumError> {
    let mut names = BTreeSet::new();
    for (i, stage) in stages.iter().enumerate() {
        let fail = |key: &str, problem| Err(CurriculumError { key: format!("{i}.{key}"), problem });
        // Milestones of a stage lie in a directory of its name.
        if stage.name.is_empty() || stage.name.starts_with('.') || stage.name.contains(['/', '\\'])
        {
            let problem =
                format!("`{}` names no directory: use letters, digits, `-` and `_`", stage.name);
            return fail("name", problem);
        }
        if !names.insert(&stage.name) {
            return fail("name", format!("two stages are called `{}`", stage.name));
        }
        if let Some((key, problem)) = stage.until.fault() {
            return fail(&format!("until.{key}"), problem);
        }
    }
    Ok(())
}

/// What will probably surprise whoever wrote the stages: those that never end, so that later ones
/// never begin, and those that end before anything was played.
pub fn warnings(stages: &[Stage], existing: &Existing) -> Vec<String> {
    let alone = Shares::default();
    let but_last = stages.len().saturating_sub(1);
    let warning = |(i, stage): (usize, &Stage)| {
        let shares = existing.shares.get(i).or(existing.shares.last()).unwrap_or(&alone);
        let name = &stage.name;
        if let Some(reason) = stage.until.hopeless(existing, shares) {
            let next = &stages[i + 1].name;
            return Some(format!("stage `{name}` never ends, so `{next}` never begins: {reason}"));
        }
        stage.until.idle().then(|| {
            format!("stage `{name}` ends as soon as it begins: its `until` waits for nothing")
        })
    };
    stages[..but_last].iter().enumerate().filter_map(warning).collect()
}

#[cfg(test)]
#[path = "stage_tests.rs"]
mod tests;

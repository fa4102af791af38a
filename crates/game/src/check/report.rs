//! What was found.

use std::fmt;

use serde_json::Value;

use super::seating;
use crate::{Control, Entry};

/// A rule of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Settings are closed, and their documented defaults are the defaults.
    Settings,
    /// The spec is sound, and the same whoever is asked for it.
    Spec,
    /// No match fails by itself: nothing panics, no engine loses a match or falls silent.
    Fault,
    /// A seat that is empty or driven inside never acts; somebody acts in a match that is played.
    Seats,
    /// A seat that must act has something legal to do.
    Legal,
    /// Every number is written, and finite.
    Finite,
    /// Ids are whole and inside their vocabulary.
    Ids,
    /// Presence is 0 or 1, and who is absent is all zero.
    Entities,
    /// Score and stats are those of a finished match.
    End,
    /// What viewers are shown is one JSON object on one line, the same when a match is played again.
    Frame,
    /// Same seed, same seats, same actions: same bits.
    Determinism,
    /// What a seat that does not act is said to do means nothing.
    Waiting,
    /// Scripted players choose legally; asking them changes nothing.
    Bots,
    /// A match can be rebuilt from its actions without asking anybody.
    Replay,
    /// A match that starts anew shows nothing of the one before.
    Reset,
    /// Matches of a batch do not disturb each other.
    Isolation,
    /// A step does not allocate.
    Allocation,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

/// A rule that a game broke, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The match, if it happened in one.
    pub at: Option<At>,
    /// The seat, if it is one seat's.
    pub seat: Option<usize>,
    /// What happened, and what should have.
    pub what: String,
}

/// A step of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At {
    /// The seed of the match.
    pub seed: u64,
    /// Who drove its seats.
    pub seats: Vec<Control>,
    /// How many steps had been played.
    pub step: usize,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.rule)?;
        if let Some(At { seed, step, .. }) = &self.at {
            write!(f, ", seed {seed}, step {step}")?;
        }
        if let Some(seat) = self.seat {
            write!(f, ", seat {seat}")?;
        }
        write!(f, ": {}", self.what)?;
        match &self.at {
            Some(At { seats, .. }) => write!(f, " (driven by {})", seating::named(seats)),
            None => Ok(()),
        }
    }
}

/// A game that breaks the contract.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure {
    /// The game.
    pub game: String,
    /// The settings it was tried with.
    pub settings: Value,
    /// The first violations of every rule that it broke.
    pub violations: Vec<Violation>,
}

impl Failure {
    /// The rules that were broken, each once.
    pub fn rules(&self) -> Vec<Rule> {
        let mut rules: Vec<Rule> = self.violations.iter().map(|violation| violation.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        rules
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "`{}` under {} breaks the contract", self.game, self.settings)?;
        self.violations.iter().try_for_each(|violation| write!(f, "\n  {violation}"))
    }
}

/// The same as what is displayed, so that a test may simply unwrap.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Failure {}

/// How many violations of a rule are reported; the rest would say the same.
const MOST_OF_A_RULE: usize = 3;

/// What has been found so far.
#[derive(Default)]
pub(super) struct Findings {
    violations: Vec<Violation>,
    remarks: Vec<String>,
}

impl Findings {
    pub fn violation(&mut self, violation: Violation) {
        let same = self.violations.iter().filter(|v| v.rule == violation.rule);
        if same.count() < MOST_OF_A_RULE {
            self.violations.push(violation);
        }
    }

    /// A violation outside any match.
    pub fn general(&mut self, rule: Rule, what: impl Into<String>) {
        self.violation(Violation { rule, at: None, seat: None, what: what.into() });
    }

    pub fn remark(&mut self, remark: String) {
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    pub fn judge(self, entry: &Entry, settings: &Value) -> Result<Vec<String>, Failure> {
        if self.violations.is_empty() {
            return Ok(self.remarks);
        }
        let (game, settings) = (entry.name.clone(), settings.clone());
        Err(Failure { game, settings, violations: self.violations })
    }
}

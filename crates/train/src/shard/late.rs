//! Matches of an engine that answers late. Waiting takes no step, no draw and no length of a match; a
//! match that is lost starts anew.

use std::time::{Duration, Instant};

use lanista_game::{Answer, Fault};
use lanista_learn::Follow;

use super::{MatchFault, Shard};

/// How long a shard waits for its engine, and how many matches it may lose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patience {
    /// How long the engine may take for an answer.
    pub answer: Duration,
    /// Matches lost in a row after which it gives up.
    pub lost: u32,
    /// Is a match that was lost played once more, rather than the next one? An evaluation has a number
    /// of matches to play, and each of them counts.
    pub once_more: bool,
}

impl Default for Patience {
    fn default() -> Self {
        Self { answer: Duration::from_secs(60), lost: 20, once_more: false }
    }
}

/// Matches that were lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// How many, in this iteration.
    pub count: u64,
    /// Why the latest was, and which.
    pub latest: Option<String>,
    /// How many since a match was last answered.
    in_a_row: u32,
}

impl Losses {
    pub(super) fn begin(&mut self) {
        (self.count, self.latest) = (0, None);
    }
}

/// Which matches an answer is awaited for.
pub(super) struct Waiting {
    /// `[matches]`
    states: Vec<State>,
    /// How many are not ready.
    open: usize,
    /// `[matches]`: has a step been answered and not been settled yet?
    stepped: Vec<bool>,
    answers: Vec<Answer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It stands at a step.
    Ready,
    /// It is being started.
    Starting,
    /// It is being stepped.
    Stepping,
}

impl Waiting {
    pub fn new(matches: usize) -> Self {
        let states = vec![State::Ready; matches];
        Self { states, open: 0, stepped: vec![false; matches], answers: Vec::new() }
    }

    #[inline]
    pub fn is_ready(&self, m: usize) -> bool {
        self.open == 0 || self.states[m] == State::Ready
    }

    pub fn begin(&mut self, m: usize) {
        self.set(m, State::Starting);
    }

    pub fn step(&mut self, m: usize) {
        self.set(m, State::Stepping);
    }

    /// A step was answered at once.
    #[inline]
    pub fn stepped_at_once(&mut self, m: usize) {
        self.stepped[m] = true;
    }

    /// Has a step been answered that has not been settled yet?
    pub fn has_stepped(&self, m: usize) -> bool {
        self.stepped[m]
    }

    /// Has a step been answered since this was last asked?
    #[inline]
    pub fn take_stepped(&mut self, m: usize) -> bool {
        std::mem::take(&mut self.stepped[m])
    }

    fn set(&mut self, m: usize, state: State) {
        self.open += usize::from(state != State::Ready);
        self.open -= usize::from(self.states[m] != State::Ready);
        self.states[m] = state;
    }
}

impl Shard {
    /// Waits until every match stands at a step. What is lost starts anew and is awaited, too.
    pub(crate) fn await_all(&mut self) -> Result<(), MatchFault> {
        let mut deadline = Instant::now() + self.patience.answer;
        while self.waiting.open > 0 {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut answers = std::mem::take(&mut self.waiting.answers);
            answers.clear();
            let collected = self.batch.collect(left, &mut self.buffers, &mut answers);
            collected.map_err(|f| self.locate(f))?;
            if answers.is_empty() && deadline <= Instant::now() {
                let secs = self.patience.answer.as_secs_f64();
                for m in (0..self.matches.len()).filter(|&m| !self.waiting.is_ready(m)) {
                    self.batch.abandon(m);
                    answers.push(Answer::Lost(m, format!("no answer within {secs} seconds")));
                }
                deadline = Instant::now() + self.patience.answer;
            }
            for answer in answers.drain(..) {
                match answer {
                    Answer::Ready(m) => self.answered(m),
                    Answer::Lost(m, why) => self.lose(m, &why)?,
                }
            }
            self.waiting.answers = answers;
        }
        Ok(())
    }

    fn answered(&mut self, m: usize) {
        let state = self.waiting.states[m];
        if state == State::Ready {
            return; // nothing was asked: an engine that repeats itself
        }
        if state == State::Stepping {
            self.matches[m].step += 1;
            self.waiting.stepped[m] = true;
            self.lost.in_a_row = 0;
        }
        self.waiting.set(m, State::Ready);
        self.note_present(m);
    }

    /// Gives a match up: nothing tells how its last acts turned out, and it starts anew.
    fn lose(&mut self, m: usize, why: &str) -> Result<(), MatchFault> {
        let at = self.locate(Fault { match_index: m, message: format!("lost: {why}") });
        self.lost.count += 1;
        self.lost.in_a_row += 1;
        self.lost.latest = Some(at.to_string());
        if self.lost.in_a_row > self.patience.lost {
            let message = format!(
                "{} matches were lost in a row, the last: {why}; look at the engine, or raise \
                 rollout.max_lost",
                self.lost.in_a_row
            );
            return Err(MatchFault { message, ..at });
        }
        self.end_rows(m, Follow::Unknown);
        self.waiting.set(m, State::Ready);
        let next = u64::from(!self.patience.once_more);
        self.start(m, self.matches[m].episode + next)
    }
}

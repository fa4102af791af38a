//! A battle as the conversation knows it: what is asked and whether it was answered.

use std::time::Duration;

use crate::request::Request;

/// After a login the server puts one back into one's battles; who waits longer asks.
const ENTERED_BY_ITSELF: Duration = Duration::from_secs(3);
/// Between two such questions.
const ASK_AGAIN: Duration = Duration::from_secs(10);

/// How a battle ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Won.
    Won,
    /// Lost.
    Lost,
    /// Neither.
    Tied,
    /// The server has it no more.
    Vanished,
}

impl Outcome {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Lost => "lost",
            Self::Tied => "tied",
            Self::Vanished => "vanished",
        }
    }
}

/// A battle.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// The request that is open.
    pub asked: Option<Asked>,
    /// A request that has come and was not looked at yet.
    pub unread: Option<String>,
    /// That request has an answer already.
    pub sent: bool,
    /// One's own time has run out.
    pub timed_out: bool,
    /// Whether the question about open team sheets has its answer.
    pub sheets_answered: bool,
    /// A preview that waits until team sheets are open or are known not to be, and how long at most.
    pub held: Option<(Box<Request>, Duration)>,
    /// The connection broke and it has not been entered since: when to ask.
    away: Option<Away>,
}

#[derive(Debug, Default)]
struct Away {
    ask_at: Option<Duration>,
}

/// A request that is open.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// What the server calls it.
    pub rqid: Option<u64>,
    /// It has an answer, as far as is known.
    pub answered: bool,
    /// Answers that were not accepted.
    pub rejections: u32,
}

impl Room {
    /// The connection broke.
    pub fn leave(&mut self) {
        *self = Self {
            away: Some(Away::default()),
            timed_out: self.timed_out,
            sheets_answered: self.sheets_answered,
            ..Self::default()
        };
    }

    /// The server knows one again.
    pub fn expect(&mut self, now: Duration) {
        if let Some(away) = &mut self.away {
            away.ask_at = Some(now + ENTERED_BY_ITSELF);
        }
    }

    /// It was entered.
    pub fn entered(&mut self) {
        self.leave();
        self.away = None;
    }

    /// Whether to ask to be let in.
    pub fn enter_again(&mut self, now: Duration) -> bool {
        let at = self.away.as_mut().and_then(|away| away.ask_at.as_mut());
        let due = at.filter(|at| now >= **at);
        due.map(|at| *at = now + ASK_AGAIN).is_some()
    }

    /// How many answers were not accepted, if the request to come is the one that is open, amended.
    pub fn carried(&self) -> u32 {
        self.asked.as_ref().filter(|asked| !asked.answered).map_or(0, |asked| asked.rejections)
    }
}

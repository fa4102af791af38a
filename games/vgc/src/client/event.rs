//! What comes out of a conversation.

use super::room::Outcome;
use crate::request::Request;

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The server knows one's name.
    LoggedIn,
    /// A battle begins, or is entered again: then its whole log follows anew.
    Began {
        /// Its room.
        room: String,
        /// Was it known before?
        again: bool,
    },
    /// A line of a battle's log.
    Line {
        /// Its room.
        room: String,
        /// The line.
        line: String,
    },
    /// A request.
    Asked {
        /// Its room.
        room: String,
        /// What is asked.
        request: Box<Request>,
        /// Whether an answer is wanted: not if it says to wait, or was answered before a connection broke.
        answer: bool,
    },
    /// A choice was not accepted.
    Rejected {
        /// Its room.
        room: String,
        /// The server's words.
        words: String,
        /// Whether another is wanted for the same request; at last Showdown is left to choose.
        answer: bool,
    },
    /// A choice turned out to be impossible by something that was hidden, such as a foe's ability that
    /// traps; a request that knows of it follows.
    Unavailable {
        /// Its room.
        room: String,
        /// The server's words.
        words: String,
    },
    /// How much time is left to answer.
    Clock {
        /// Its room.
        room: String,
        /// Of this request.
        turn_secs: u32,
        /// In all.
        total_secs: u32,
    },
    /// A battle is over.
    Ended {
        /// Its room.
        room: String,
        /// How it ended.
        outcome: Outcome,
        /// Whether one's own time had run out.
        timed_out: bool,
    },
    /// Something worth telling.
    Notice(String),
    /// It cannot go on.
    Refused(Refusal),
}

/// Why a server will not play.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The name.
    #[error(
        "the server does not take the name `{0}`: {1}; choose another with --name. Servers that ask for \
         passwords are not supported"
    )]
    Name(String, String),
    /// The team.
    #[error("the server refused the team. {0}")]
    Team(String),
    /// The format.
    #[error("the server does not play that: {0}")]
    Format(String),
    /// Nobody of that name.
    #[error("{0} could not be challenged for two minutes; the server says: {1}")]
    Absent(String, String),
}

/// Something to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Send this.
    Send(String),
    /// This happened.
    Event(Event),
}

//! Replays of the game itself: what people saw and did, as decisions of this game.
//!
//! A `.replay` is what a server sent to a client: 20 to 30 frames a second with ball and cars, the buttons,
//! throttle and steering, but neither pitch, yaw and roll nor anything of the action table. From it come
//! states at the rate of decisions, the row that each player would have chosen, and how far the engine ends
//! up from the recorded next state with that row.
//!
//! | file | what it does |
//! |---|---|
//! | `file` | bytes to network frames, guarded |
//! | `mode` | refuses what is not soccar |
//! | `recording` | network frames to ball, cars and buttons by frame |
//! | `track` | puts each body on the ticks at which it was sampled |
//! | `controls` | what was pressed, frame by frame |
//! | `status` | jumps, flips and slides in progress |
//! | `period` | play between kickoffs and goals, cars between demolitions |
//! | `steps` | what was pressed in each step |
//! | `pick` | the row of the table that comes closest |
//! | `aside` | cars that are put aside, and what leads them back |
//! | `decisions` | states and rows at the rate of decisions |
//! | `starts` | those as start states |
//!
//! [`crate::episodes`] shows them as the game would.

mod aside;
mod bodies;
mod controls;
mod decisions;
mod file;
mod mode;
mod period;
mod pick;
mod recording;
mod starts;
mod status;
mod steps;
mod track;

use std::path::PathBuf;

use thiserror::Error;

pub use aside::Aside;
pub use decisions::{Decision, FrameReport, Match, open};
pub use pick::Miss;
pub use starts::{Library, library};

/// Why a replay is of no use here.
#[derive(Debug, Error)]
#[error("{}: {trouble}", path.display())]
pub struct ReplayError {
    /// The file.
    pub path: PathBuf,
    /// What about it. Part of the message, and so not its source: it would be told twice.
    pub trouble: Trouble,
}

/// What is wrong with a replay.
#[derive(Debug, Error)]
pub enum Trouble {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(std::io::Error),
    /// It is larger than any replay.
    #[error("is larger than any replay of the game (32 MB)")]
    TooLarge,
    /// It is none, or was cut or changed.
    #[error("is no whole replay ({0}); fetch it again, or leave it out")]
    Damaged(String),
    /// It was made by a version of the game of long ago.
    #[error("was made before 2018, when rotations were recorded too coarsely; leave it out")]
    TooOld,
    /// It is not soccar.
    #[error("shows {mode} ({sign}), and only soccar can be learnt from; leave it out")]
    Mode {
        /// What players call it.
        mode: String,
        /// What in the file says so.
        sign: String,
    },
    /// It is a clip of the middle of a match.
    #[error("has no kickoff, so it is a clip and not a match; leave it out")]
    NoKickoff,
    /// It has more or fewer cars than a match of this game.
    #[error("has {0}; matches of 1 to 3 cars a team can be learnt from")]
    Teams(String),
    /// The arena could not be prepared.
    #[error("{0}")]
    Settings(lanista_game::SettingsError),
}

impl Trouble {
    /// One word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "unreadable",
            Self::TooLarge => "too_large",
            Self::Damaged(_) => "damaged",
            Self::TooOld => "too_old",
            Self::Mode { .. } => "mode",
            Self::NoKickoff => "no_kickoff",
            Self::Teams(_) => "teams",
            Self::Settings(_) => "settings",
        }
    }
}

#[cfg(test)]
mod tests;

//! What is to be played.

use crate::format::Format;

/// How battles are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seek {
    /// Challenge this user.
    Challenge(String),
    /// Accept who challenges.
    Accept,
    /// Search on the ladder.
    Ladder,
}

/// What is to be played.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The name to play under.
    pub name: String,
    /// The format.
    pub format: &'static Format,
    /// Packed teams; the battles take them in turn.
    pub teams: Vec<String>,
    /// How battles are found.
    pub seek: Seek,
    /// How many are played.
    pub battles: usize,
    /// How many of them at once.
    pub at_once: usize,
    /// Whether to agree to open team sheets where a server asks.
    pub open_sheets: bool,
}

//! Bytes that are no message.

use thiserror::Error;

/// Bytes that are no message.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub(super) struct Unreadable(pub String);

impl Unreadable {
    /// With where it was found.
    pub fn within(self, place: &str) -> Self {
        Self(format!("{place}: {}", self.0))
    }
}

impl From<String> for Unreadable {
    fn from(problem: String) -> Self {
        Self(problem)
    }
}

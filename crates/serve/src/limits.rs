//! What clients may cost.

use std::time::Duration;

/// The most of everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Clients at once.
    pub connections: usize,
    /// Bytes of a message.
    pub message_bytes: usize,
    /// Requests that wait for one worker at once.
    pub queue: usize,
    /// Sessions over all clients.
    pub sessions: usize,
    /// How long a client may be silent.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 512,
            message_bytes: 1 << 20,
            queue: 1024,
            sessions: 4096,
            idle: Duration::from_secs(600),
        }
    }
}

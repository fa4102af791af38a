//! Why a request or a connection was refused, in words for whoever sent it.

use std::fmt;

/// What was wrong; counted apart in the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It cannot be read.
    Malformed,
    /// A message is longer than the limit.
    TooLarge,
    /// No such model, role or extension.
    Unknown,
    /// It can be read, but does not fit the model.
    Shape,
    /// No room for another session.
    Sessions,
    /// The token is missing or wrong.
    Token,
    /// Too many requests wait.
    Busy,
    /// Nothing came for too long.
    Idle,
    /// Too many connections.
    Connections,
    /// Our own fault.
    Internal,
}

impl Kind {
    /// All of them, in the order of their codes.
    pub const ALL: [Self; 10] = [
        Self::Malformed,
        Self::TooLarge,
        Self::Unknown,
        Self::Shape,
        Self::Sessions,
        Self::Token,
        Self::Busy,
        Self::Idle,
        Self::Connections,
        Self::Internal,
    ];

    /// Its name on the wire and in the metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::TooLarge => "too_large",
            Self::Unknown => "unknown",
            Self::Shape => "shape",
            Self::Sessions => "sessions",
            Self::Token => "token",
            Self::Busy => "busy",
            Self::Idle => "idle",
            Self::Connections => "connections",
            Self::Internal => "internal",
        }
    }

    /// Its number in the binary format; 0 is success there.
    pub fn code(self) -> u8 {
        self as u8 + 1
    }

    /// Its status in HTTP.
    pub fn status(self) -> &'static str {
        match self {
            Self::Malformed | Self::Shape => "400 Bad Request",
            Self::TooLarge => "413 Content Too Large",
            Self::Unknown => "404 Not Found",
            Self::Token => "401 Unauthorized",
            Self::Sessions | Self::Busy | Self::Connections => "503 Service Unavailable",
            Self::Idle => "408 Request Timeout",
            Self::Internal => "500 Internal Server Error",
        }
    }

    /// Is the connection of no more use after it?
    pub fn closes(self) -> bool {
        matches!(
            self,
            Self::TooLarge | Self::Token | Self::Idle | Self::Connections | Self::Internal
        )
    }
}

/// A refusal with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was wrong.
    pub kind: Kind,
    /// In words: the thing, the place, the remedy.
    pub message: String,
}

impl Refusal {
    /// A refusal of a kind.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// A request that cannot be read.
    pub fn malformed(message: impl Into<String>) -> Self {
        Self::new(Kind::Malformed, message)
    }

    /// A request that does not fit the model.
    pub fn shape(message: impl Into<String>) -> Self {
        Self::new(Kind::Shape, message)
    }

    /// What is asked for is not there.
    pub fn unknown(message: impl Into<String>) -> Self {
        Self::new(Kind::Unknown, message)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

//! Both ends of a conversation, as machines without sockets or clocks.
//!
//! Whoever owns the socket hands over what arrived and what time it is, and sends what is in the [`Outbox`]
//! afterwards. [`server::Server`] and [`client::Client`] speak v2, [`v1::V1Server`] serves v1.
//!
//! What holds whatever the network does to the datagrams, and is tested in `tests/simulator/wire_session.rs`: an action is
//! applied at most once and never after a newer one; a reset is made once for a request; an event is taken once;
//! without the key there is no answer.

pub mod client;
mod link;
pub mod server;
pub mod v1;

use std::fmt;

/// The client repeats HELLO and AUTH this often.
pub const HANDSHAKE_RETRY_SECS: f64 = 0.5;
/// The client repeats an action this often.
pub const ACTION_RETRY_SECS: f64 = 0.1;
/// RESET and EVENTS are repeated this often.
pub const CONTROL_RETRY_SECS: f64 = 0.25;
/// The client says something at least this often.
pub const HEARTBEAT_SECS: f64 = 1.0;
/// A client that has heard nothing for this long says something every [`CONTROL_RETRY_SECS`].
pub const PROBE_SECS: f64 = 0.5;
/// The client leaves a session after this long without a valid datagram, and a handshake likewise.
pub const CLIENT_SILENCE_SECS: f64 = 3.0;
/// The server closes a session after this long, and forgets a challenge likewise.
pub const SERVER_SILENCE_SECS: f64 = 5.0;
/// A server that drops datagrams says so this often at most.
pub const REPORT_SECS: f64 = 60.0;

/// What a machine wants sent and what happened in it.
#[derive(Debug)]
pub struct Outbox<To, Happening> {
    /// To send, in this order.
    pub datagrams: Vec<(To, Vec<u8>)>,
    /// To act on, in this order.
    pub happened: Vec<Happening>,
}

impl<To, Happening> Default for Outbox<To, Happening> {
    fn default() -> Self {
        Self { datagrams: Vec::new(), happened: Vec::new() }
    }
}

/// How many datagrams were dropped, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Not a datagram of the protocol.
    pub malformed: u64,
    /// Of another major version.
    pub version: u64,
    /// Of a session that is not open, or without one.
    pub unknown_session: u64,
    /// From an address that did not open the session.
    pub other_address: u64,
    /// With a tag of another key.
    pub wrong_key: u64,
    /// Seen before, or too old to know.
    pub replayed: u64,
    /// Right in itself, but not now.
    pub out_of_place: u64,
}

impl Dropped {
    fn counts(&self) -> [(u64, &'static str); 7] {
        [
            (self.wrong_key, "with a wrong key"),
            (self.malformed, "that could not be read"),
            (self.version, "of another version"),
            (self.unknown_session, "of no session that is open"),
            (self.other_address, "from another address than their session's"),
            (self.replayed, "seen before"),
            (self.out_of_place, "out of place"),
        ]
    }

    /// Of all reasons.
    pub fn total(&self) -> u64 {
        self.counts().iter().map(|(count, _)| count).sum()
    }
}

/// One line, reasons that did not occur left out.
impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "dropped {} datagrams", self.total())?;
        let occurred = self.counts().into_iter().filter(|(count, _)| *count > 0);
        for (i, (count, reason)) in occurred.enumerate() {
            write!(f, "{} {count} {reason}", if i == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_reasons() {
        let dropped = Dropped { wrong_key: 12, replayed: 3, ..Dropped::default() };
        let line = "dropped 15 datagrams: 12 with a wrong key, 3 seen before";
        assert_eq!(dropped.to_string(), line);
        assert_eq!(Dropped::default().to_string(), "dropped 0 datagrams");
    }
}

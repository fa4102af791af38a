//! One side's end of an open session: what it has sent and what it has accepted.

use super::Dropped;
use crate::wire::hmac::Key;
use crate::wire::v2::{Header, Kind, MAJOR, MINOR, Message, is_sealed, seal};
use crate::wire::window::Window;

/// Numbers outgoing datagrams and checks incoming ones.
#[derive(Debug)]
pub(super) struct Link {
    pub session: u32,
    from_server: bool,
    ours: Key,
    theirs: Key,
    sent: u32,
    window: Window,
}

impl Link {
    pub fn new(session: u32, from_server: bool, ours: Key, theirs: Key) -> Self {
        Self { session, from_server, ours, theirs, sent: 0, window: Window::default() }
    }

    /// A datagram under the next number, or nothing when the numbers are used up or it is too long.
    pub fn seal(&mut self, tick: u32, message: &Message) -> Option<Vec<u8>> {
        self.seal_payload(tick, message.kind(), &message.encode())
    }

    /// The same for a payload that is ready.
    pub fn seal_payload(&mut self, tick: u32, kind: Kind, payload: &[u8]) -> Option<Vec<u8>> {
        self.sent = self.sent.checked_add(1)?;
        let header = Header {
            major: MAJOR,
            minor: MINOR,
            kind,
            from_server: self.from_server,
            session: self.session,
            seq: self.sent,
            tick,
        };
        seal(&header, payload, &self.ours).ok()
    }

    /// Whether one number is left, for BYE.
    pub fn is_exhausted(&self) -> bool {
        self.sent >= u32::MAX - 1
    }

    /// The message of a datagram that is right in all respects; a reason is counted for every other.
    pub fn open(
        &mut self,
        header: &Header,
        payload: &[u8],
        datagram: &[u8],
        dropped: &mut Dropped,
    ) -> Option<Message> {
        if !is_sealed(datagram, &self.theirs) {
            dropped.wrong_key += 1;
            return None;
        }
        if !self.window.accept(header.seq) {
            dropped.replayed += 1;
            return None;
        }
        let message = Message::decode(header.kind, payload).ok();
        if message.is_none() {
            dropped.malformed += 1;
        }
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::v2::control::Bye;

    #[test]
    fn numbers_end_before_they_wrap() {
        let key = || Key::new(b"of this session");
        let mut link = Link::new(1, true, key(), key());
        link.sent = u32::MAX - 2;
        assert!(!link.is_exhausted());
        assert!(link.seal(0, &Message::Bye(Bye { reason: 4 })).is_some());
        assert!(link.is_exhausted());
        assert!(link.seal(0, &Message::Bye(Bye { reason: 4 })).is_some());
        assert!(link.seal(0, &Message::Bye(Bye { reason: 4 })).is_none());
    }
}

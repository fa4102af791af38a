//! Mnemosyne v2: framed, keyed, numbered messages.
//!
//! A datagram is a [`Header`], a payload and a tag. [`Header::read`] looks at the frame only; the tag is checked
//! with [`is_sealed`] before [`Message::decode`] looks at the payload, so that nothing a stranger wrote is ever
//! parsed further than 22 bytes.

pub mod action;
pub mod control;
pub mod hello;
pub mod keys;
pub mod state;

use super::WireError;
use super::cursor::Reader;
use super::hmac::{Key, TAG_BYTES, same_tag};
use action::Actions;
use control::{Bye, Events, Heartbeat, Reset, ResetDone};
use hello::{Hello, Nonces, Refused, Welcome};
use state::States;

/// The version spoken here.
pub const MAJOR: u8 = 2;
/// The version spoken here, second number.
pub const MINOR: u8 = 0;
/// Every datagram begins with it.
pub const MAGIC: [u8; 4] = *b"MNEM";
/// Bytes before the payload.
pub const HEADER_BYTES: usize = 22;
/// Longest datagram.
pub const DATAGRAM_BYTES: usize = 1200;
/// Longest payload.
pub const PAYLOAD_BYTES: usize = DATAGRAM_BYTES - HEADER_BYTES - TAG_BYTES;
/// The flag of everything a server sends.
pub const FROM_SERVER: u8 = 1;

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A client says who it is and what it can do.
    Hello = 0x01,
    /// The server's nonce.
    Challenge = 0x02,
    /// The client has seen it.
    Auth = 0x03,
    /// The session stands.
    Welcome = 0x04,
    /// It will not stand, and why.
    Refused = 0x05,
    /// What the bots see.
    State = 0x10,
    /// What the bots do.
    Action = 0x11,
    /// Still here.
    Heartbeat = 0x12,
    /// Start the episode anew.
    Reset = 0x13,
    /// It was started anew.
    ResetDone = 0x14,
    /// What happened.
    Events = 0x15,
    /// The session ends.
    Bye = 0x1F,
}

/// All kinds with their names in the document.
pub const KINDS: [(Kind, &str); 12] = [
    (Kind::Hello, "HELLO"),
    (Kind::Challenge, "CHALLENGE"),
    (Kind::Auth, "AUTH"),
    (Kind::Welcome, "WELCOME"),
    (Kind::Refused, "REFUSED"),
    (Kind::State, "STATE"),
    (Kind::Action, "ACTION"),
    (Kind::Heartbeat, "HEARTBEAT"),
    (Kind::Reset, "RESET"),
    (Kind::ResetDone, "RESET_DONE"),
    (Kind::Events, "EVENTS"),
    (Kind::Bye, "BYE"),
];

impl Kind {
    /// By its number.
    pub fn of(number: u8) -> Option<Self> {
        KINDS.iter().map(|(kind, _)| *kind).find(|kind| *kind as u8 == number)
    }

    /// Its name in the document.
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }
}

/// What stands before the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Version of the sender.
    pub major: u8,
    /// Version of the sender, second number.
    pub minor: u8,
    /// What the payload is.
    pub kind: Kind,
    /// Whether a server sent it.
    pub from_server: bool,
    /// 0 in the handshake.
    pub session: u32,
    /// 0 in the handshake, then rising.
    pub seq: u32,
    /// The server's tick, or the newest the client has seen.
    pub tick: u32,
}

impl Header {
    /// Of a message of the handshake.
    pub fn of_handshake(kind: Kind, from_server: bool) -> Self {
        Self { major: MAJOR, minor: MINOR, kind, from_server, session: 0, seq: 0, tick: 0 }
    }

    /// The frame of a datagram and its payload. The tag was not looked at.
    pub fn read(datagram: &[u8]) -> Result<(Self, &[u8]), WireError> {
        let mut reader = Reader::new("a v2 datagram", datagram);
        if datagram.len() > DATAGRAM_BYTES {
            let size = datagram.len();
            return Err(WireError::TooLarge { what: "a datagram", size, most: DATAGRAM_BYTES });
        }
        if reader.take(4)? != MAGIC {
            return Err(reader.refuse("magic", 0, "something else", "MNEM"));
        }
        let (major, minor, kind, flags) = (reader.u8()?, reader.u8()?, reader.u8()?, reader.u8()?);
        let (session, seq, tick) = (reader.u32()?, reader.u32()?, reader.u32()?);
        let length = usize::from(reader.u16()?);
        let kind = Kind::of(kind).ok_or_else(|| reader.refuse("kind", 6, kind, "a kind of 2.0"))?;
        if flags & !FROM_SERVER != 0 {
            return Err(reader.refuse("flags", 7, flags, "0 or 1"));
        }
        let payload = reader.take(length)?;
        reader.take(TAG_BYTES)?;
        reader.end()?;
        let from_server = flags & FROM_SERVER != 0;
        Ok((Self { major, minor, kind, from_server, session, seq, tick }, payload))
    }

    fn put(&self, out: &mut Vec<u8>, payload_bytes: u16) {
        out.extend_from_slice(&MAGIC);
        let flags = if self.from_server { FROM_SERVER } else { 0 };
        out.extend_from_slice(&[self.major, self.minor, self.kind as u8, flags]);
        out.extend_from_slice(&self.session.to_le_bytes());
        out.extend_from_slice(&self.seq.to_le_bytes());
        out.extend_from_slice(&self.tick.to_le_bytes());
        out.extend_from_slice(&payload_bytes.to_le_bytes());
    }
}

/// Whether the tag at the end of a datagram is this key's.
pub fn is_sealed(datagram: &[u8], key: &Key) -> bool {
    match datagram.split_last_chunk::<TAG_BYTES>() {
        Some((covered, tag)) => same_tag(&key.tag(covered), tag),
        None => false,
    }
}

/// A datagram of a header and a payload, with its tag.
pub fn seal(header: &Header, payload: &[u8], key: &Key) -> Result<Vec<u8>, WireError> {
    if payload.len() > PAYLOAD_BYTES {
        return Err(WireError::TooLarge {
            what: header.kind.name(),
            size: payload.len() + HEADER_BYTES + TAG_BYTES,
            most: DATAGRAM_BYTES,
        });
    }
    let mut out = Vec::with_capacity(HEADER_BYTES + payload.len() + TAG_BYTES);
    header.put(&mut out, payload.len() as u16);
    out.extend_from_slice(payload);
    let tag = key.tag(&out);
    out.extend_from_slice(&tag);
    Ok(out)
}

/// A payload that was understood.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A client says who it is and what it can do.
    Hello(Hello),
    /// The server's nonce.
    Challenge(Nonces),
    /// The client has seen it.
    Auth(Nonces),
    /// The session stands.
    Welcome(Welcome),
    /// It will not stand.
    Refused(Refused),
    /// What the bots see.
    State(States),
    /// What the bots do.
    Action(Actions),
    /// Still here.
    Heartbeat(Heartbeat),
    /// Start the episode anew.
    Reset(Reset),
    /// It was started anew.
    ResetDone(ResetDone),
    /// What happened.
    Events(Events),
    /// The session ends.
    Bye(Bye),
}

impl Message {
    /// Which kind it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Hello(_) => Kind::Hello,
            Self::Challenge(_) => Kind::Challenge,
            Self::Auth(_) => Kind::Auth,
            Self::Welcome(_) => Kind::Welcome,
            Self::Refused(_) => Kind::Refused,
            Self::State(_) => Kind::State,
            Self::Action(_) => Kind::Action,
            Self::Heartbeat(_) => Kind::Heartbeat,
            Self::Reset(_) => Kind::Reset,
            Self::ResetDone(_) => Kind::ResetDone,
            Self::Events(_) => Kind::Events,
            Self::Bye(_) => Kind::Bye,
        }
    }

    /// The payload.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Hello(hello) => hello.put(&mut out),
            Self::Challenge(nonces) | Self::Auth(nonces) => nonces.put(&mut out),
            Self::Welcome(welcome) => welcome.put(&mut out),
            Self::Refused(refused) => refused.put(&mut out),
            Self::State(states) => states.put(&mut out),
            Self::Action(actions) => actions.put(&mut out),
            Self::Heartbeat(heartbeat) => heartbeat.put(&mut out),
            Self::Reset(reset) => reset.put(&mut out),
            Self::ResetDone(done) => done.put(&mut out),
            Self::Events(events) => events.put(&mut out),
            Self::Bye(bye) => out.push(bye.reason),
        }
        out
    }

    /// Reads a payload to its last byte.
    pub fn decode(kind: Kind, payload: &[u8]) -> Result<Self, WireError> {
        let mut reader = Reader::new(kind.name(), payload);
        let message = match kind {
            Kind::Hello => Self::Hello(Hello::read(&mut reader)?),
            Kind::Challenge => Self::Challenge(Nonces::read(&mut reader)?),
            Kind::Auth => Self::Auth(Nonces::read(&mut reader)?),
            Kind::Welcome => Self::Welcome(Welcome::read(&mut reader)?),
            Kind::Refused => Self::Refused(Refused::read(&mut reader)?),
            Kind::State => Self::State(States::read(&mut reader)?),
            Kind::Action => Self::Action(Actions::read(&mut reader)?),
            Kind::Heartbeat => Self::Heartbeat(Heartbeat::read(&mut reader)?),
            Kind::Reset => Self::Reset(Reset::read(&mut reader)?),
            Kind::ResetDone => Self::ResetDone(ResetDone::read(&mut reader)?),
            Kind::Events => Self::Events(Events::read(&mut reader)?),
            Kind::Bye => Self::Bye(Bye { reason: reader.u8()? }),
        };
        reader.end()?;
        Ok(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn header() -> Header {
        Header { session: 7, seq: 8, tick: 9, ..Header::of_handshake(Kind::Bye, true) }
    }

    #[test]
    fn a_frame_is_22_bytes_and_a_tag() {
        let key = Key::new(b"sixteen bytes or more");
        let datagram = seal(&header(), &[0], &key).unwrap();
        assert_eq!(datagram.len(), 39);
        assert_eq!(datagram[..8], [b'M', b'N', b'E', b'M', 2, 0, 0x1F, 1]);
        assert_eq!(datagram[8..22], [7, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0, 1, 0]);
        assert_eq!(Header::read(&datagram), Ok((header(), &[0][..])));
        assert!(is_sealed(&datagram, &key));
        assert!(!is_sealed(&datagram, &Key::new(b"another key, as long")));
    }

    #[test]
    fn every_altered_bit_breaks_the_tag() {
        let key = Key::new(b"sixteen bytes or more");
        let datagram = seal(&header(), &[3], &key).unwrap();
        for bit in 0..datagram.len() * 8 {
            let mut altered = datagram.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_sealed(&altered, &key), "bit {bit}");
        }
    }

    #[test]
    fn nothing_longer_than_a_datagram() {
        let key = Key::new(b"sixteen bytes or more");
        assert_eq!(seal(&header(), &[0; PAYLOAD_BYTES], &key).map(|d| d.len()), Ok(DATAGRAM_BYTES));
        assert!(seal(&header(), &[0; PAYLOAD_BYTES + 1], &key).is_err());
        assert!(Header::read(&[0; DATAGRAM_BYTES + 1]).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(
            number in prop::sample::select(KINDS.map(|(kind, _)| kind as u8).to_vec()),
            payload in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let kind = Kind::of(number).unwrap();
            if let Ok(message) = Message::decode(kind, &payload) {
                prop_assert_eq!(message.kind(), kind);
                prop_assert_eq!(Message::decode(kind, &message.encode()), Ok(message));
            }
        }
    }
}

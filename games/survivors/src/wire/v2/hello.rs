//! The messages of the handshake, and what the sides agree on in it.

use super::keys::Nonce;
use crate::wire::WireError;
use crate::wire::cursor::{Reader, put_map, put_name16};

/// Bits of what a side can do.
pub mod capability {
    /// STATE with the 56 bytes of v1.
    pub const STATE_LEGACY: u32 = 1;
    /// STATE with the extended state.
    pub const STATE_EXTENDED: u32 = 1 << 1;
    /// ACTION with the 14 actions.
    pub const ACTION_LEGACY: u32 = 1 << 2;
    /// ACTION with movement, turn and buttons.
    pub const ACTION_RICH: u32 = 1 << 3;
    /// EVENTS are sent.
    pub const EVENTS: u32 = 1 << 4;
    /// The game waits for the client.
    pub const LOCKSTEP: u32 = 1 << 5;
    /// RESET may name another map.
    pub const RESET_MAP: u32 = 1 << 6;
    /// RESET's seed decides everything random that follows.
    pub const RESET_SEED: u32 = 1 << 7;
    /// All there are.
    pub const ALL: u32 = 0xFF;

    /// Whether a session can do with these: some state and some action.
    pub fn suffice(agreed: u32) -> bool {
        agreed & (STATE_LEGACY | STATE_EXTENDED) != 0 && agreed & (ACTION_LEGACY | ACTION_RICH) != 0
    }
}

/// HELLO: who the client is and what it wants.
#[derive(Clone, Debug, PartialEq)]
pub struct Hello {
    /// Random, new for every attempt.
    pub client_nonce: Nonce,
    /// Random, the same as long as the client runs.
    pub client_id: u64,
    /// Bits of [`capability`].
    pub capabilities: u32,
    /// Bit i is bot i.
    pub bots_wanted: u32,
    /// 0 leaves it to the server.
    pub states_per_sec: u16,
    /// For the log.
    pub client_name: String,
}

impl Hello {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.client_nonce);
        out.extend_from_slice(&self.client_id.to_le_bytes());
        out.extend_from_slice(&self.capabilities.to_le_bytes());
        out.extend_from_slice(&self.bots_wanted.to_le_bytes());
        out.extend_from_slice(&self.states_per_sec.to_le_bytes());
        put_name16(out, &self.client_name);
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Self {
            client_nonce: reader.bytes16()?,
            client_id: reader.u64()?,
            capabilities: reader.u32()?,
            bots_wanted: reader.u32()?,
            states_per_sec: reader.u16()?,
            client_name: reader.name16("client_name")?,
        })
    }
}

/// CHALLENGE and AUTH: the nonces of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nonces {
    /// From HELLO.
    pub client_nonce: Nonce,
    /// New for every CHALLENGE.
    pub server_nonce: Nonce,
}

impl Nonces {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.client_nonce);
        out.extend_from_slice(&self.server_nonce);
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Self { client_nonce: reader.bytes16()?, server_nonce: reader.bytes16()? })
    }
}

/// WELCOME: what was agreed.
#[derive(Clone, Debug, PartialEq)]
pub struct Welcome {
    /// What both can do.
    pub capabilities: u32,
    /// The bots that obey this session.
    pub bots_given: u32,
    /// The game's clock.
    pub ticks_per_sec: u16,
    /// Between two states.
    pub ticks_per_state: u16,
    /// How long an action holds.
    pub hold_ticks: u16,
    /// The episode now.
    pub episode: u32,
    /// For the log.
    pub server_name: String,
    /// The map now.
    pub map: String,
}

impl Welcome {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.capabilities.to_le_bytes());
        out.extend_from_slice(&self.bots_given.to_le_bytes());
        out.extend_from_slice(&self.ticks_per_sec.to_le_bytes());
        out.extend_from_slice(&self.ticks_per_state.to_le_bytes());
        out.extend_from_slice(&self.hold_ticks.to_le_bytes());
        out.extend_from_slice(&self.episode.to_le_bytes());
        put_name16(out, &self.server_name);
        put_map(out, &self.map);
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Self {
            capabilities: reader.u32()?,
            bots_given: reader.u32()?,
            ticks_per_sec: reader.u16()?,
            ticks_per_state: reader.u16()?,
            hold_ticks: reader.u16()?,
            episode: reader.u32()?,
            server_name: reader.name16("server_name")?,
            map: reader.map()?,
        })
    }
}

/// Why a HELLO with the right key was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RefusedReason {
    /// The server speaks another major version.
    Version = 1,
    /// No state or no action in common.
    NothingInCommon = 2,
    /// Too many sessions.
    Full = 3,
}

/// REFUSED: the key was right, the rest was not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// From HELLO.
    pub client_nonce: Nonce,
    /// Why.
    pub reason: RefusedReason,
    /// What the server speaks.
    pub major: u8,
    /// What the server speaks, second number.
    pub minor: u8,
}

impl Refused {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.client_nonce);
        out.extend_from_slice(&[self.reason as u8, self.major, self.minor]);
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let client_nonce = reader.bytes16()?;
        let at = reader.at();
        let reason = match reader.u8()? {
            1 => RefusedReason::Version,
            2 => RefusedReason::NothingInCommon,
            3 => RefusedReason::Full,
            other => return Err(reader.refuse("reason", at, other, "1 to 3")),
        };
        Ok(Self { client_nonce, reason, major: reader.u8()?, minor: reader.u8()? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Message};
    use super::*;

    fn hello() -> Hello {
        Hello {
            client_nonce: [1; 16],
            client_id: 0x0102_0304_0506_0708,
            capabilities: capability::ALL,
            bots_wanted: 0b1111,
            states_per_sec: 10,
            client_name: "trainer".into(),
        }
    }

    /// An answer must not be longer than the question, or others could be flooded with it.
    #[test]
    fn a_hello_costs_more_than_its_answers() {
        let hello = Message::Hello(hello()).encode();
        assert_eq!(hello.len(), 50);
        let nonces = Nonces { client_nonce: [1; 16], server_nonce: [2; 16] };
        assert!(Message::Challenge(nonces).encode().len() < hello.len());
        let refused =
            Refused { client_nonce: [1; 16], reason: RefusedReason::Full, major: 2, minor: 0 };
        assert!(Message::Refused(refused).encode().len() < hello.len());
    }

    #[test]
    fn they_come_back() {
        let welcome = Welcome {
            capabilities: 5,
            bots_given: 3,
            ticks_per_sec: 30,
            ticks_per_state: 3,
            hold_ticks: 15,
            episode: 2,
            server_name: "simulator".into(),
            map: "c1m1_hotel".into(),
        };
        for message in [Message::Hello(hello()), Message::Welcome(welcome)] {
            assert_eq!(Message::decode(message.kind(), &message.encode()), Ok(message));
        }
        assert!(Message::decode(Kind::Refused, &[4; 19]).is_err());
        assert!(Message::decode(Kind::Hello, &[0; 51]).is_err());
    }

    #[test]
    fn some_state_and_some_action() {
        use capability::*;
        assert!(suffice(STATE_LEGACY | ACTION_RICH));
        assert!(!suffice(STATE_LEGACY | STATE_EXTENDED | EVENTS));
        assert!(!suffice(ACTION_LEGACY));
    }
}

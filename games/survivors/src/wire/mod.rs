//! What goes between a trainer and a game server: Mnemosyne v1 and v2, and the director's lines of JSON.
//!
//! The formats are written down in `docs/mnemosyne.md`; this is that page as code. Nothing here opens a
//! socket or reads a clock: codecs turn bytes into messages and back, and the machines of [`session`] are
//! told what arrived and what time it is. So all of it can be tried under loss and reordering without a
//! network, and gives the same bits every time.

pub mod bridge;
pub mod cursor;
pub mod hmac;
pub mod legacy69;
pub mod session;
pub mod state;
pub mod v1;
pub mod v2;
pub mod window;

use thiserror::Error;

/// The port servers listen on unless told otherwise.
pub const DEFAULT_PORT: u16 = 27050;

/// Which of the protocols on the port a datagram belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Five messages, no key.
    V1,
    /// Framed, keyed, numbered.
    V2,
    /// The director's JSON.
    Bridge,
}

impl Dialect {
    /// By its first byte, or nothing when no protocol begins like that.
    pub fn of(datagram: &[u8]) -> Option<Self> {
        match datagram.first()? {
            0x01..=0x05 => Some(Self::V1),
            b'M' => Some(Self::V2),
            b'{' => Some(Self::Bridge),
            _ => None,
        }
    }
}

/// Why bytes are not a message.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum WireError {
    /// The bytes end before the message does.
    #[error(
        "{what} ends at byte {at}, where {wanted} more were expected: the sender speaks another version \
         or the datagram was cut"
    )]
    Short {
        /// The message or part that was read.
        what: &'static str,
        /// Where the bytes end.
        at: usize,
        /// How many were needed.
        wanted: usize,
    },
    /// The message ends before the bytes do.
    #[error("{what} ends at byte {at}, and {left} more follow: the sender speaks another version")]
    Long {
        /// The message that was read.
        what: &'static str,
        /// Where it ends.
        at: usize,
        /// How many bytes are left over.
        left: usize,
    },
    /// A field has a value it cannot have.
    #[error("{what}: {field} at byte {at} is {value}, allowed is {allowed}")]
    Field {
        /// The message or part that was read.
        what: &'static str,
        /// Its name in the protocol's tables.
        field: &'static str,
        /// Where it stands.
        at: usize,
        /// What it is.
        value: String,
        /// What it may be.
        allowed: &'static str,
    },
    /// The message would be longer than a datagram may be.
    #[error(
        "{what} of {size} bytes does not fit into a datagram of {most}: send fewer bots at once"
    )]
    TooLarge {
        /// The message.
        what: &'static str,
        /// Its size.
        size: usize,
        /// The limit.
        most: usize,
    },
    /// A key is too short to be one or too long for all sides to take.
    #[error("a shared key has 16 to 64 bytes, this one has {0}: choose another on both sides")]
    Key(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_tells_the_protocols_apart() {
        assert_eq!(Dialect::of(&[0x03, 0, 1]), Some(Dialect::V1));
        assert_eq!(Dialect::of(b"MNEM"), Some(Dialect::V2));
        assert_eq!(Dialect::of(b"{\"type\""), Some(Dialect::Bridge));
        assert_eq!(Dialect::of(&[0x00]), None);
        assert_eq!(Dialect::of(&[0x06]), None);
        assert_eq!(Dialect::of(&[]), None);
    }
}

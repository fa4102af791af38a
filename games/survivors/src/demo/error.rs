//! What can be wrong with a recording.

use super::bits::OutOfBits;

/// Why a recording cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DemoError {
    /// The first bytes are not those of a recording.
    #[error(
        "byte 0: this is no Source recording (it starts with {found:?}, not \"HL2DEMO\"); \
         give a .dem file that the game's `record` command wrote"
    )]
    NotADemo {
        /// The first eight bytes, as text.
        found: String,
    },
    /// The file ends before its header does.
    #[error(
        "byte {bytes}: the file ends inside its header of {needed} bytes; \
         the recording was cut off, take it again or copy it again"
    )]
    ShortHeader {
        /// Bytes that the file has.
        bytes: usize,
        /// Bytes of a header.
        needed: usize,
    },
    /// The recording is of another engine.
    #[error(
        "byte 8: demo protocol {found} is not the 4 of Left 4 Dead 2; \
         this is a demo of another game, give one of Left 4 Dead 2"
    )]
    OtherDemoProtocol {
        /// What the header says.
        found: i32,
    },
    /// The recording is of another game, or of a build that nobody has described.
    #[error(
        "byte 12: network protocol {found} is outside {first} to {last}, those of Left 4 Dead 2; \
         this is a demo of another game, give one of Left 4 Dead 2"
    )]
    OtherNetworkProtocol {
        /// What the header says.
        found: i32,
        /// The oldest that is known.
        first: i32,
        /// The newest that is known.
        last: i32,
    },
    /// The recording is of another game.
    #[error(
        "byte 796: the game directory is {found:?}, not \"left4dead2\"; \
         this is a demo of another game, give one of Left 4 Dead 2"
    )]
    OtherGame {
        /// What the header says.
        found: String,
    },
    /// A frame of a type that does not exist.
    #[error(
        "byte {at}: frame type {found} does not exist (they are 1 to 9); \
         the file is damaged from here on, take the recording again or copy it again"
    )]
    UnknownFrame {
        /// Where the frame begins.
        at: usize,
        /// Its type.
        found: u8,
    },
    /// A frame is longer than what is left of the file.
    #[error(
        "byte {at}: {what} needs {needed} bytes and {left} are left; \
         the recording was cut off here, take it again or copy it again"
    )]
    Truncated {
        /// Where the thing begins.
        at: usize,
        /// What it is.
        what: &'static str,
        /// Bytes it speaks of.
        needed: u64,
        /// Bytes there are.
        left: usize,
    },
    /// A length is negative.
    #[error("byte {at}: {what} has a length of {found}; the file is damaged, copy it again")]
    NegativeLength {
        /// Where the length stands.
        at: usize,
        /// Whose length it is.
        what: &'static str,
        /// What it says.
        found: i32,
    },
    /// Something inside a frame ends too early or makes no sense.
    #[error("byte {at}: {what}: {reason}; the file is damaged here, copy it again")]
    Damaged {
        /// Where the frame begins.
        at: usize,
        /// What was being read.
        what: &'static str,
        /// Why it cannot be.
        reason: Reason,
    },
    /// The file asks for far more memory than any recording does.
    #[error(
        "byte {at}: decoding would take more than {limit} bytes of memory, far beyond what a \
         recording of this size needs; the file is damaged or made to do harm, do not use it"
    )]
    TooMuch {
        /// Where the limit was passed.
        at: usize,
        /// The limit.
        limit: usize,
    },
}

/// Why bits cannot be what they are said to be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Reason {
    /// They end too early.
    #[error(transparent)]
    OutOfBits(#[from] OutOfBits),
    /// A number names nothing.
    #[error("{what} {found} does not exist")]
    Unknown {
        /// What the number should name.
        what: &'static str,
        /// The number.
        found: u32,
    },
    /// Bits are left over.
    #[error("{left} bits are left over")]
    Leftover {
        /// How many.
        left: usize,
    },
    /// More than the game itself allows.
    #[error("more than {limit} {what}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// What the game allows.
        limit: usize,
    },
    /// Decoding would take more memory than a file of this size may.
    #[error("decoding it would take more than {limit} bytes")]
    TooMuchMemory {
        /// What it may take.
        limit: usize,
    },
    /// Said by the file of itself, and not so.
    #[error("{0}")]
    Inconsistent(&'static str),
}

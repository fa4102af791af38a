//! FlatBuffers, as far as RLBot's messages need them.
//!
//! The schema's generated types (`rlbot_flat`) are 46,000 lines for the dozen tables that a bot reads and
//! the four that it writes. Here a message is read where it lies: every offset is checked against the
//! bytes that there are, nothing is allocated, and nothing recurses, so whatever comes from the network
//! ends in a value or in [`Malformed`]. Fields are known by their place in the schema; a field that a
//! newer schema appends is not looked at, and one that an older core leaves out has its default.

mod read;
mod write;

pub use read::{Malformed, Table, Vector};
pub use write::{Value, write};

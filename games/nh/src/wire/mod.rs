//! The environment protocol of the public PvP-ML project, as its server and its trainer speak it: a JSON
//! object a line over TCP, a request and its reply.
//!
//! A request names an agent, and a reply does not: whoever has several agents has a connection for each. An
//! agent has one request open at most.

mod meta;
mod reply;
mod request;
mod reset;
mod told;

pub use meta::Meta;
pub(crate) use meta::style;
pub use reply::{RawReply, Reply, Terminal, WELCOME, failure, success, welcome};
pub use request::{Ask, Broken, Request};
pub use reset::{Reset, ResetParams, Seeded};
pub use told::{Told, meta};

/// The port of the original.
pub const PORT: u16 = 7070;
/// Longest request, in bytes, its end of line not counted: the original reads no longer ones.
pub const REQUEST_BYTES: usize = 8192;
/// Longest reply, in bytes: the original's trainer reads no longer ones.
pub const REPLY_BYTES: usize = 1 << 16;
/// The kind of agent that fights here.
pub const AGENT_TYPE: &str = "NhEnv";

/// How many numbers an observation has.
pub const OBSERVED: usize = 176;
/// How many actions every head has.
pub const HEADS: [usize; 12] = [4, 3, 3, 4, 5, 2, 2, 2, 2, 5, 7, 6];
/// How many bits a mask has: the actions of all heads in a row.
pub const MASKED: usize = 45;

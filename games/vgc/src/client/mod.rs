//! Playing on people's servers: a client of the Showdown protocol.
//!
//! In layers, of which only the last touches the network. [`frame`] takes messages apart; [`session`] is the
//! conversation as a machine without sockets or clock, which a [`plan`] goes into and [`event`]s come out of;
//! [`seat`] makes of a battle's lines what a player knows and asks a [`Player`]; [`table`] has all battles of a
//! conversation and keeps ([`keep`]) and tells what happens; [`socket`] moves the bytes, listens for the [`pulse`] of the connection and opens it again.

pub mod address;
pub mod event;
pub mod frame;
pub mod keep;
pub mod plan;
pub mod pulse;
mod room;
pub mod seat;
pub mod session;
pub mod socket;
pub mod table;

pub use address::Address;
pub use keep::Keep;
pub use plan::{Plan, Seek};
pub use room::Outcome;
pub use seat::{Decision, Player, Turn};
pub use socket::{ClientError, play};
pub use table::{Summary, Table};

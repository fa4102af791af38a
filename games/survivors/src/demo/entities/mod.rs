//! The things of the game around the recorder: players, infected, what they carry.
//!
//! [`send_table`] is what a recording says about properties, [`flatten`] the order they are counted
//! in; behind them the state of all entities is followed message by message, and [`snapshot`] is
//! what of it matters, at every packet.

mod decode;
mod fields;
pub mod flatten;
pub mod send_table;
pub mod snapshot;
mod world;

pub use snapshot::{CommonInfected, Player, Snapshot};
pub(crate) use world::World;

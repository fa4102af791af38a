//! Rocket League itself, through [RLBot](https://rlbot.org) v5.
//!
//! RLBot's core runs beside the game and speaks with every bot over TCP: the game at every tick in one
//! direction, controls in the other. [`session`] is that conversation, [`message`] and [`packet`] are what
//! is said in it, [`tracker`] makes of packets the [`State`](crate::state::State) that policies have learnt
//! to see, and [`pace`] keeps their rhythm. Who decides is a [`Driver`](session::Driver).
//!
//! The core and everything on the way to it may say anything: bytes are checked before they are believed,
//! and nothing that they say can make this panic or wait in a queue.

pub mod flat;
mod link;
pub mod message;
pub mod pace;
pub mod packet;
pub mod session;
pub mod stand_in;
pub mod tracker;

#[cfg(test)]
mod tests;

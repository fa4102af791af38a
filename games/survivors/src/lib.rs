//! Left 4 Dead 2: survivors, infected and a director on navigation meshes.
//!
//! [`nav`] reads the game's own meshes, [`maps`] makes four of ours, [`demo`] reads recordings of people and
//! [`decisions`] makes them something to learn from, [`wire`] is what goes between a trainer and a game server,
//! and [`server`] is one with the simulator in it.

pub mod bots;
pub mod decisions;
pub mod delay;
pub mod demo;
mod entropy;
mod events;
mod frame;
pub mod game;
pub mod intent;
pub mod live;
pub mod maps;
pub mod nav;
pub mod pacing;
pub mod server;
pub mod settings;
pub mod sim;
pub mod terms;
pub mod view;
pub mod wire;

use lanista_game::Entry;

/// Every game of this crate.
pub fn games() -> [Entry; 1] {
    [live::entry()]
}

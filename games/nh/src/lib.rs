//! Old School RuneScape: a no-honour fight between two players, on the contract of the public PvP-ML
//! environment.
//!
//! [`sim`] is the fight itself and knows no contract; [`observe`], [`offers`], [`mask`] and [`terms`]
//! read it; [`sim::act`] writes it. [`formula`] decides attacks, [`loadout`] and [`gear`] say what is worn,
//! [`frame`] is what viewers are shown. [`trace`] reads recorded fights, [`replay`] plays them again and
//! [`decisions`] makes them something to learn from. [`wire`] is the protocol of the original environment,
//! [`server`] the simulator behind it, [`remote`] fights on servers that speak it.

pub mod bots;
pub mod contract;
pub mod decisions;
pub mod delay;
pub mod formula;
pub mod frame;
pub mod game;
pub mod gear;
pub mod kinds;
pub mod loadout;
pub mod mask;
pub mod observe;
pub mod offers;
pub mod remote;
pub mod replay;
pub mod server;
pub mod settings;
pub mod sim;
pub mod stats;
pub mod terms;
pub mod trace;
pub mod wire;

use lanista_game::Entry;

/// Every game of this crate.
pub fn games() -> [Entry; 1] {
    [remote::entry()]
}

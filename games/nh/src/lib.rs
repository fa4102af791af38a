//! Old School RuneScape: a no-honour fight between two players.

pub mod contract;
pub mod formula;
pub mod gear;
pub mod kinds;
pub mod loadout;
pub mod mask;
pub mod observe;
pub mod replay;
pub mod sim;
pub mod trace;

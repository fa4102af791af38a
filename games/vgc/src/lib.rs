//! Pokémon VGC doubles, played by the real Pokémon Showdown simulator.
//!
//! [`dex`] has the facts of the game, [`mod@format`] what is played, [`team`] who is brought. A battle runs in a
//! process of node ([`mod@host`]) and tells each side what it may know: a request ([`request`]) and the lines of
//! its log, of which [`track`] makes a [`state`]. What a side may choose is numbered by [`choice`] and
//! narrowed to what is legal by [`legal`]; [`damage`] reckons what a move would do, and [`outlook`] what a turn
//! may bring: [`view`] shows it to a network, [`bots`] choose by it. [`decisions`] reads what was chosen in
//! recorded battles.

pub mod battles;
pub mod bots;
pub mod choice;
pub mod client;
pub mod damage;
pub mod decisions;
pub mod dex;
pub mod format;
pub mod host;
pub mod install;
pub mod legal;
pub mod outlook;
pub mod recorded;
pub mod request;
pub mod settings;
pub mod state;
pub mod team;
pub mod track;
pub mod view;

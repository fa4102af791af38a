//! Watching a training run: a live dashboard for terminals and one line an iteration for pipes.
//!
//! Plain data goes in, so that nothing here knows how an agent is trained. A [`Progress`] says what
//! one iteration showed; a [`Dashboard`] keeps the history of them and draws it, at most ten times
//! a second; [`plain_line`] writes one as text. Drawing itself is the pure function [`draw`] over a
//! [`State`], which is what the tests render.
//!
//! The dashboard never puts the terminal into raw mode: Ctrl-C raises its signal as it always does,
//! and what to do about it stays with the program.

mod bars;
mod chart;
mod dashboard;
mod draw;
pub mod human;
mod panels;
mod plain;
mod progress;
mod readings;
mod series;
mod state;
mod text;
mod theme;

pub use dashboard::{Dashboard, restore};
pub use draw::draw;
pub use plain::plain_line;
pub use progress::{Opponent, Progress, Term};
pub use state::State;

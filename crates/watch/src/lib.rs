//! Watching a training run: a live dashboard for terminals and one line an iteration for pipes.
//!
//! Plain data goes in, so that nothing here knows how an agent is trained. A [`Status`] says what
//! one iteration showed; a [`Dashboard`] keeps the history of them and draws it, at most ten times
//! a second; [`plain_line`] writes one as text. Drawing itself is the pure function [`draw`] over a
//! [`State`], which is what the tests render.
//!
//! The dashboard takes keys. They become wishes in a [`Controls`], which the run looks at when it
//! can: what to do about them stays with the program.

mod bars;
mod capture;
mod chart;
mod controls;
mod dashboard;
mod draw;
pub mod human;
mod job;
mod keys;
mod overlay;
mod panels;
mod plain;
mod readings;
mod series;
mod state;
mod status;
mod takeover;
mod text;
mod theme;

pub use controls::Controls;
pub use dashboard::Dashboard;
pub use draw::draw;
pub use plain::{PlainLines, plain_line};
pub use state::State;
pub use status::{Opponent, Status, Term};
pub use takeover::restore;

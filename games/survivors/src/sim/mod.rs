//! The match itself: survivors, infected and a director on a mesh, thirty ticks a second.
//!
//! [`world::World`] holds everything; what is done with it stands in a file for each part.

mod combat;
mod commons;
pub mod director;
mod hands;
pub mod hazards;
pub mod infected;
pub mod items;
pub mod motion;
pub mod numbers;
pub mod space;
mod specials;
mod stalking;
pub mod survivor;
pub mod weapons;
pub mod world;

pub use hands::{MOST_TURN_DEGREES, fall_damage};
pub use specials::{hold_damage, hold_secs};

//! Recordings of people: the `.dem` files of Left 4 Dead 2.
//!
//! A recording is what one player's game sent and was sent: [`frame`] cuts the file into frames,
//! [`usercmd`] is what the player pressed, [`view`] where he stood and looked, [`messages`] what
//! the server said, [`users`] who played. [`timeline`] puts them together, [`pairs`] makes of them
//! what an imitator learns from, [`speeds`] measures how people move, [`entities`] follows the
//! things around the recorder.
//!
//! The bytes come from strangers. Every size that a file speaks of is compared with what is left of
//! the file before anything is done with it; what does not fit is an error that names its place.

pub mod bits;
mod budget;
pub mod build;
pub mod entities;
pub mod error;
pub mod frame;
pub mod header;
pub(crate) mod legacy;
pub mod messages;
pub mod pairs;
mod report;
pub mod speeds;
pub mod timeline;
pub mod usercmd;
pub mod users;
pub mod view;

pub use error::DemoError;
pub use pairs::Pair;
pub use timeline::Demo;

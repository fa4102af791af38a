//! What cloning adds to a run: its numbers, and recorded decisions as rows to learn from.

pub mod config;
pub(crate) mod feed;
pub mod told;

pub use config::{CloneConfig, PlayConfig};
pub(crate) use feed::Feed;
pub use told::Told;

//! Networks with explicit forward and backward passes over caller-owned buffers.
mod params;

pub use params::{Group, Layout, Tensor};

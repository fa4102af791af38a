//! A policy as an ONNX graph of one decision.
//!
//! The graph is deterministic: what is random comes in as an input. Memory goes in and comes out as numbers,
//! so that whoever calls keeps it. All operators are basic ones of opset 17, no sequence operators and no
//! subgraphs: one decision is one step, and every runtime has these.

mod encoder;
mod file;
mod graph;
mod heads;
mod layers;
mod policy;
#[cfg(test)]
mod tests;

pub use file::OPSET;
pub use policy::{File, Options, Port, write};

//! Recorded decisions on disk: a directory with an index and shards of compressed blocks.
//!
//! Episodes are written and read as a stream, so a dataset may be larger than memory. A block holds whole
//! episodes of one split, with its own checksum; whoever learns shuffles blocks, reads some of them, and
//! shuffles what is in them. Blocks are read by their place in the index, so reading can go on anywhere.
//!
//! What is stored knows no network: single frames, the mask as the game offered it, reward terms without
//! weights. `INDEX` is written last: a directory without one was not finished.

mod codec;
mod error;
mod index;
mod matches;
mod read;
mod write;

pub use error::DatasetError;
pub use index::{About, Block, Index, ShardFile, Split};
pub use read::{Corpus, Dataset};
pub use write::{Writer, Written, split_of};

#[cfg(test)]
mod tests;

//! Matches that are played by workers elsewhere, while the learner stays where it is.
//!
//! A worker holds whole shards, the same ones that a run on one machine has, and so the same rows meet in the
//! same products: with any number of workers a run has the bits that it has without any, on machines of one
//! type. The learner keeps of every shard what a checkpoint keeps: episode, players and joint actions of
//! every running match, and what its players remember. With that a worker that died is replaced, by another
//! that plays the recorded actions again; the iteration is then played as it would have been.
//!
//! Nothing here opens a connection. Orders and answers are bytes, and a [`Transport`] carries them: actors of
//! Ray, processes, or nothing but a queue. A message may come from anywhere: lengths are compared with the
//! bytes that are there before anything is allocated, indices with what they point into, and whatever
//! follows from something else is not sent at all (`lanista_learn::columns`). Floats travel as their bits.
//!
//! - `bytes`: numbers, texts and lists as bytes and back.
//! - `rosters`, `standings`, `rollouts`, `matches`: what is sent, each with both directions in one file.
//! - `order`, `answer`: the two messages. `worker`, `workers`: the two ends. `evaluation`: matches that nobody learns
//!   from, played by workers of their own.
//!
//! A game that cannot be replayed ([`Batch::replays`](lanista_game::Batch::replays) is false) behaves as it does at
//! checkpoints: the matches of a worker that died start anew, so such a run is not the same as one without
//! that death.

mod answer;
mod bytes;
mod error;
mod evaluation;
mod matches;
mod order;
mod rollouts;
mod rosters;
mod standings;
mod transport;
mod worker;
mod workers;

pub use crate::error::{RemoteError, TransportError};
pub(crate) use evaluation::Asked;
pub use transport::{Event, Transport};
pub use worker::Worker;
pub(crate) use workers::Task;
pub use workers::{Crew, Mode, Traffic, Workers};

/// The version of the messages. Both ends must have the same.
const PROTOCOL: u32 = 2;

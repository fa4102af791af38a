//! The run: worker threads over fixed shards of matches, the training loop, the run directory with
//! its checkpoints and metrics, exact resume and evaluation. This crate owns threads, files and
//! time; the algorithm is `lanista-learn`.

pub mod checkpoint;
pub mod config;
pub mod crc;
pub mod disk;
pub mod evaluate;
pub mod exhibition;
pub mod exploiter;
mod guest;
mod journal;
pub mod layers;
pub mod league;
pub mod memory;
pub mod metrics;
pub mod model;
pub mod noise;
mod orders;
pub mod plan;
mod play;
pub mod preset;
pub mod ranges;
pub mod results;
pub mod run;
pub mod seating;
mod setup;
pub mod shard;
pub mod sharing;
pub mod stack;
pub mod stages;
pub mod tensorboard;
#[cfg(test)]
mod testing;
pub mod trainer;
pub mod untrained;
pub mod view;

pub use config::RunConfig;
pub use plan::Plan;
pub use preset::{Catalog, Preset, PresetError};
pub use run::{Orders, Run, RunDirectory, RunError};
pub use trainer::{TrainError, Trainer};

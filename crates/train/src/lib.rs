//! The run: worker threads over fixed shards of matches, the training loop, the run directory with
//! its checkpoints and metrics, exact resume and evaluation. This crate owns threads, files and
//! time; the algorithm is `lanista-learn`.

mod absent;
pub mod agent;
pub mod challenge;
pub mod checkpoint;
mod checks;
pub mod cloning;
mod collect;
pub mod config;
pub mod crc;
pub mod dataset;
pub mod decisions;
pub mod disk;
pub mod error;
pub mod evaluate;
pub mod exhibition;
pub mod exploiter;
pub mod failure;
pub mod files;
pub mod finished;
pub mod gather;
pub mod infer;
mod journal;
pub mod layers;
pub mod league;
pub mod league_config;
pub mod memory;
pub mod metrics;
pub mod model;
pub mod noise;
mod orders;
pub mod plan;
mod play;
pub mod player;
pub mod preset;
pub mod progress;
pub mod ranges;
pub mod recorded;
pub mod recorder;
pub mod remote;
pub mod replay;
pub mod results;
pub mod roles;
pub mod run;
pub mod seating;
pub mod shapes;
pub mod shard;
pub mod sharing;
pub mod stack;
pub mod stages;
mod start;
pub mod start_config;
pub mod tensorboard;
#[cfg(test)]
mod testing;
pub mod time;
pub mod trainer;
pub mod untrained;
pub mod view;

pub use config::RunConfig;
pub use error::TrainError;
pub use plan::Plan;
pub use preset::{Catalog, Preset, PresetError};
pub use run::{Orders, Run, RunDirectory, RunError};
pub use trainer::Trainer;

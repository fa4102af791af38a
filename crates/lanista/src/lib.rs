//! Trains bots for a game of one's own.
//!
//! A game implements [`game::Game`] and is found by its [`game::Entry`]; a preset, a file in YAML, says
//! how it is trained. [`Run`] does the rest: stages, exploiters, checkpoints, resume, evaluation.
//! [`Show`] is for whoever watches: the dashboard on a terminal, lines in a pipe.
//!
//! ```no_run
//! # fn entry() -> lanista::game::Entry { unimplemented!() }
//! use lanista::{Run, Show};
//!
//! let mut run = Run::open("preset.yml", &[entry()])?;
//! let summary = Show::default().train(&mut run)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The guide is `docs/games.md`, and `examples/treasure` a whole program. Neither games nor presets of
//! the program `lanista` are part of this library.

mod progress;
mod screen;
mod show;

/// The contract that a game fulfils.
pub use lanista_game as game;
/// Networks that play: what [`model::load`] returns, and how it is asked.
pub use lanista_learn as learn;
pub use lanista_train::disk::DiskError;
pub use lanista_train::metrics::{Amount, Iteration, Kind, Metric, Metrics, Record, Sink};
pub use lanista_train::preset::PresetError;
pub use lanista_train::run::{
    Begun, Ending, Opening, Orders, Run, RunDirectory, RunError, Summary,
};
pub use lanista_train::{RunConfig, TrainError, Trainer, evaluate, model};
pub use lanista_watch::Controls;

pub use progress::ProgressLine;
pub use screen::{Screen, Voice};
pub use show::{Show, ShowError};

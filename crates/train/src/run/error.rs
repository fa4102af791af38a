//! What can go wrong with a run, and what is left of it then.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::checkpoint::CheckpointError;
use crate::disk::DiskError;
use crate::error::TrainError;
use crate::layers::ConfigError;
use crate::model::ModelError;
use crate::preset::PresetError;

/// A run that failed.
#[derive(Debug, Error)]
pub enum RunError {
    /// Its preset cannot be trained.
    #[error(transparent)]
    Preset(#[from] PresetError),
    /// A file could not be read or written.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A directory that is no milestone was named.
    #[error("{} is no milestone: their names begin with their steps", .0.display())]
    NoMilestone(PathBuf),
    /// A new run was to begin where there is one.
    #[error("{} is not empty: name another directory with --set run.dir=DIR", .0.display())]
    NotEmpty(PathBuf),
    /// Every checkpoint is damaged.
    #[error("{} has checkpoints, but none can be used:\n{}", path.display(), problems.join("\n"))]
    NoneSound {
        /// The run.
        path: PathBuf,
        /// What is wrong with each.
        problems: Vec<String>,
    },
    /// Its checkpoints are gone.
    #[error(
        "{} was trained, but its checkpoints are gone: going on would begin at 0 and overwrite what \
         is left of it{}; or begin a new run without --resume",
        path.display(),
        offer(milestones)
    )]
    Lost {
        /// The run.
        path: PathBuf,
        /// What it could go back to.
        milestones: Vec<PathBuf>,
    },
    /// Another process has the run.
    #[error("another process is training in {}; wait for it or choose another run.dir", .0.display())]
    Locked(PathBuf),
    /// Its directory was removed or replaced while it trained.
    #[error(
        "{} was removed or replaced while training there: what was learnt cannot be saved; leave a \
         run's directory alone until the program has ended",
        .0.display()
    )]
    Gone(PathBuf),
    /// The model could not be written.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The configuration could not be written.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Training failed; what was learnt is saved.
    #[error("{error}\nsaved at {steps} steps: {}", saved.display())]
    Stopped {
        /// What happened.
        error: TrainError,
        /// Where the run can be resumed.
        saved: PathBuf,
        /// At how many steps.
        steps: u64,
    },
    /// Training failed in the middle of an iteration, of which nothing is kept.
    #[error("{error}\n{}", standing(last))]
    Failed {
        /// What happened.
        error: TrainError,
        /// The last checkpoint: its steps and its place.
        last: Option<(u64, PathBuf)>,
    },
    /// What was learnt cannot be saved, because it is not sound.
    #[error(
        "{problem}: this state is not saved. Try a smaller ppo.learning_rate, \
         ppo.scale_rewards=true or smaller reward weights\n{}",
        standing(last)
    )]
    Unsound {
        /// What is wrong with it.
        problem: String,
        /// The last checkpoint: its steps and its place.
        last: Option<(u64, PathBuf)>,
    },
    /// The trainer could not be started.
    #[error(transparent)]
    Train(#[from] TrainError),
}

fn standing(last: &Option<(u64, PathBuf)>) -> String {
    match last {
        Some((steps, path)) => {
            let run = path.parent().and_then(Path::parent).unwrap_or(path).display();
            format!("the last sound checkpoint is that at {steps} steps: train --resume {run}")
        }
        None => "nothing was saved yet".into(),
    }
}

fn offer(milestones: &[PathBuf]) -> String {
    match milestones {
        [] => String::new(),
        some => {
            let line = |path: &PathBuf| format!("\n  train --resume {}", path.display());
            let lines: String = some.iter().map(line).collect();
            format!(". It has milestones to go on from, each in a new run:{lines}\n")
        }
    }
}

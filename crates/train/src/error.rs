//! Why a run cannot go on.

use std::path::PathBuf;

use lanista_game::{SettingsError, SpecError};
use lanista_learn::Diverged;
use thiserror::Error;

use crate::dataset::DatasetError;
use crate::disk::DiskError;
use crate::memory::TooLarge;
use crate::model::ModelError;
use crate::noise::NoiseError;
use crate::roles::RoleFault;
use crate::shard::MatchFault;

/// A run that cannot go on.
#[derive(Debug, Error)]
pub enum TrainError {
    /// The configuration is that of another game.
    #[error("the configuration is for the game `{wanted}`, and this game is `{given}`")]
    OtherGame {
        /// The game that it names.
        wanted: String,
        /// The game that is there.
        given: String,
    },
    /// A trainer by itself would ignore something that the configuration asks for.
    #[error("a trainer by itself ignores `{0}`: open a run, which does not (`Run::open`)")]
    Ignored(&'static str),
    /// A role of the game is not configured as it could be.
    #[error(transparent)]
    Role(#[from] RoleFault),
    /// The game refused its settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Matches were to be kept that cannot be played again.
    #[error(
        "recording.every: matches of `{0}` depend on more than their seed and actions, so none can be \
         kept; drop `recording`"
    )]
    Unrepeatable(String),
    /// The noise does not fit the game.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The game's spec contradicts itself.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A match could not go on.
    #[error(transparent)]
    Match(#[from] MatchFault),
    /// An evaluation was told to stop.
    #[error("interrupted after {finished} of {matches} matches of the evaluation")]
    Interrupted {
        /// Matches that were over.
        finished: usize,
        /// Matches wanted.
        matches: usize,
    },
    /// Learning went astray.
    #[error(transparent)]
    Diverged(#[from] Diverged),
    /// Nobody can say what is right.
    #[error("nobody teaches: {0}")]
    Teacher(String),
    /// Recorded decisions cannot be read or written.
    #[error(transparent)]
    Dataset(Box<DatasetError>),
    /// What a run is to begin with cannot be used.
    #[error("start: {0}")]
    Start(String),
    /// A model cannot be read.
    #[error(transparent)]
    Model(Box<ModelError>),
    /// A model of the league cannot be read or written.
    #[error(transparent)]
    League(#[from] LeagueError),
    /// A recording cannot be written.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// An exploiter failed.
    #[error("the {name} {number} (counted from 0): {error}")]
    Exploiter {
        /// Which kind.
        name: &'static str,
        /// Which one of the preset.
        number: usize,
        /// What happened.
        error: Box<TrainError>,
    },
    /// It would not fit into the machine's memory.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// A worker panicked outside of a game: a defect of this program.
    #[error("a worker panicked: {0}; please report this as a bug")]
    Panic(String),
    /// Workers elsewhere cannot go on.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {error}")]
    Threads {
        /// How many were wanted.
        threads: usize,
        /// Why not.
        error: rayon::ThreadPoolBuildError,
    },
}

impl From<DatasetError> for TrainError {
    fn from(error: DatasetError) -> Self {
        Self::Dataset(Box::new(error))
    }
}

impl From<ModelError> for TrainError {
    fn from(error: ModelError) -> Self {
        Self::Model(Box::new(error))
    }
}

impl TrainError {
    /// Did a match break? Then whoever played it has learnt nothing from it yet.
    pub fn is_fault_of_a_match(&self) -> bool {
        match self {
            Self::Match(_) => true,
            Self::Exploiter { error, .. } => error.is_fault_of_a_match(),
            _ => false,
        }
    }
}

/// A league that cannot be used.
#[derive(Debug, Error)]
pub enum LeagueError {
    /// A model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A file cannot be read or written.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A model belongs to another game.
    #[error("{} plays {found}, not {wanted}; name a model of {wanted}", path.display())]
    OtherGame {
        /// Which file.
        path: PathBuf,
        /// Its game.
        found: String,
        /// The run's.
        wanted: String,
    },
}

/// An evaluation that could not be finished.
#[derive(Debug, Error)]
pub enum EvaluateError {
    /// The game refused its settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A match could not go on.
    #[error(transparent)]
    Match(#[from] MatchFault),
    /// It was told to stop. The matches that were over by then tell nothing: the short ones end first.
    #[error("interrupted after {finished} of {matches} matches of the evaluation")]
    Interrupted {
        /// Matches that were over.
        finished: usize,
        /// Matches wanted.
        matches: usize,
    },
}

impl From<EvaluateError> for TrainError {
    fn from(error: EvaluateError) -> Self {
        match error {
            EvaluateError::Settings(error) => error.into(),
            EvaluateError::Match(error) => error.into(),
            EvaluateError::Interrupted { finished, matches } => {
                Self::Interrupted { finished, matches }
            }
        }
    }
}

/// Workers that cannot go on.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RemoteError {
    /// What carries the messages failed.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// A worker could not do what it was told, and another one could not either.
    #[error("worker {worker}: {problem}")]
    Worker {
        /// Which one.
        worker: usize,
        /// What it said.
        problem: String,
    },
    /// All workers have other work than playing.
    #[error(
        "{others} workers for exploiters and evaluations leave none of {workers} for the agent itself; let there be more"
    )]
    NobodyPlays {
        /// How many there are.
        workers: usize,
        /// How many have other work.
        others: usize,
    },
    /// Workers die faster than they play.
    #[error(
        "{count} workers were lost in a row, the last was worker {worker}: {why}; look at its machine (memory, \
         the game's files, the version of lanista)"
    )]
    Lost {
        /// How many.
        count: u32,
        /// The last one.
        worker: usize,
        /// Why it was lost.
        why: String,
    },
}

/// Messages cannot be carried any more.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct TransportError(pub String);

//! Why a preset cannot be trained.

use std::path::PathBuf;

use lanista_game::SpecError;
use thiserror::Error;

use crate::files::RunFiles;
use crate::layers::ConfigError;

/// A preset that cannot be trained.
#[derive(Debug, Error)]
pub enum PresetError {
    /// Something that is written is wrong: the key, where it stands, and why.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Nobody knows the game.
    #[error("no game `{name}`: {}there are: {}", meant(near), known.join(", "))]
    NoGame {
        /// The name as written.
        name: String,
        /// The closest one.
        near: Option<String>,
        /// All of them.
        known: Vec<String>,
    },
    /// Which game is meant is not clear.
    #[error("two games are called `{0}`; give one of them another name")]
    TwoGames(String),
    /// Something else was named where a preset is wanted.
    #[error("{} is {what}", path.display())]
    NotAPreset {
        /// Its path.
        path: PathBuf,
        /// What it is.
        what: Taken,
    },
    /// The game contradicts itself.
    #[error("this is a defect of the game: {0}")]
    Spec(SpecError),
    /// The game has two names: checkpoints would know it by one, models by the other.
    #[error("this is a defect of the game: its entry is called `{entry}`, its spec `{spec}`")]
    TwoNames {
        /// In its entry.
        entry: String,
        /// In its spec.
        spec: String,
    },
    /// A stage cannot be part of this run.
    #[error("curriculum.{index}: {problem}")]
    Stage {
        /// Which one, counted from 0.
        index: usize,
        /// Why not.
        problem: String,
    },
    /// What a stage changes cannot be trained.
    #[error("curriculum.{index}, stage `{name}`: {error}")]
    InStage {
        /// Which one, counted from 0.
        index: usize,
        /// Its name.
        name: String,
        /// What is wrong with it.
        error: Box<PresetError>,
    },
    /// An exploiter cannot be part of this run.
    #[error("{key}: {problem}")]
    Exploiter {
        /// The key that says so.
        key: String,
        /// Why not.
        problem: String,
    },
    /// The preset of an exploiter cannot be trained.
    #[error("{key}: {error}")]
    InExploiter {
        /// The key that names the preset.
        key: String,
        /// What is wrong with it.
        error: Box<PresetError>,
    },
}

/// What was taken for a preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The directory of a run.
    Run,
    /// A milestone of a run.
    Milestone,
    /// Some other directory.
    Directory,
    /// A model.
    Model,
}

impl std::fmt::Display for Taken {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Self::Run => {
                let config = RunFiles::CONFIG;
                return write!(
                    f,
                    "a run, not a preset: to go on with it, name its {config} and set run.dir"
                );
            }
            Self::Milestone => "a milestone of a run, not a preset",
            Self::Directory => "a directory: name a preset or a YAML file",
            Self::Model => "a model, not a preset",
        })
    }
}

fn meant(near: &Option<String>) -> String {
    near.as_ref().map_or(String::new(), |near| format!("did you mean `{near}`? "))
}

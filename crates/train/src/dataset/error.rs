//! What can be wrong with a dataset.

use std::path::PathBuf;

use lanista_game::EpisodeFault;
use thiserror::Error;

use crate::disk::DiskError;
use crate::settings::Change;

/// A dataset that cannot be read or written.
#[derive(Debug, Error)]
pub enum DatasetError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// There is something already.
    #[error("{} holds something already: name another directory, or remove it", .0.display())]
    Taken(PathBuf),
    /// There is no dataset.
    #[error(
        "{} is no dataset: it has no INDEX. `lanista data make` and `lanista data play` make one; one that was \
         interrupted is made anew", .0.display()
    )]
    None(PathBuf),
    /// It was written by another version of the program.
    #[error("{}: it is a dataset of version {found}, and this program reads versions up to {wanted}: make it anew", path.display())]
    Version {
        /// The index.
        path: PathBuf,
        /// Its version.
        found: String,
        /// The newest that we read.
        wanted: u32,
    },
    /// A file is not what was written.
    #[error("{} is damaged at byte {at}: {problem}; make the dataset anew, or leave the block out with clone.skip_unsound=true", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Where.
        at: u64,
        /// How it shows.
        problem: String,
    },
    /// It belongs to another game, or to other settings of it.
    #[error("{} is a dataset of {game} that does not fit: {problem}", path.display())]
    OtherGame {
        /// The dataset.
        path: PathBuf,
        /// Its game.
        game: String,
        /// What differs.
        problem: String,
    },
    /// It was made under other settings, although they look the same to a network.
    #[error(
        "{} was made under other settings of {game}: {}; give the preset those (--set), make the dataset anew, or \
         learn from it all the same with clone.other_settings=true", path.display(), listed(changes)
    )]
    OtherSettings {
        /// The dataset.
        path: PathBuf,
        /// Its game.
        game: String,
        /// What differs, from the dataset to what is wanted now.
        changes: Vec<Change>,
    },
    /// An episode does not fit its game.
    #[error("{}, episode {episode} ({from}): {fault}", path.display())]
    Unsound {
        /// Which file.
        path: PathBuf,
        /// Which of its episodes.
        episode: u64,
        /// Where it comes from.
        from: String,
        /// What is wrong.
        fault: EpisodeFault,
    },
    /// There is nothing to learn from.
    #[error("{0}")]
    Empty(String),
}

fn listed(changes: &[Change]) -> String {
    changes.iter().map(Change::to_string).collect::<Vec<_>>().join("; ")
}

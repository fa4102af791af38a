//! Processes of node that play battles.
//!
//! A host plays many battles on the simulator's own `Battle` (`host.js`, carried in the program) and speaks
//! lines of JSON over its standard streams. Commands are written by one thread, answers read by another, so
//! neither side waits for the other; answers go to whoever asked, through a channel. All batches of a run share
//! the processes of one [`Pool`].
//!
//! A host that dies, hangs or answers nonsense is killed and named. Whoever waits for its battles is told that
//! they are lost; the next battle that starts in its place gets a new process.

mod answer;
mod pool;
mod process;

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

pub use answer::{Ended, Health, Told, Verdict};
pub use pool::{BattleRef, Opening, Pool, Seed};
pub use process::{Post, Reply};

/// What a host is started with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Engine {
    /// The program that runs JavaScript.
    pub node: PathBuf,
    /// The directory of the package `pokemon-showdown`.
    pub package: PathBuf,
    /// The version that it must have.
    pub version: String,
    /// Formats whose facts are loaded before the first battle.
    pub formats: Vec<String>,
    /// How long it may be silent.
    pub patience: Patience,
}

/// How long a host may be silent before it is taken to hang.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Patience {
    /// From its start until it says that it is ready.
    pub start: Duration,
    /// While an answer is due. A turn takes milliseconds.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { start: Duration::from_secs(60), answer: Duration::from_secs(10) }
    }
}

/// Why there is no host.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum HostError {
    /// Node cannot be started.
    #[error("cannot start {node}: {why}; node 18 or newer is needed, see https://nodejs.org")]
    Spawn {
        /// What was to be started.
        node: String,
        /// What the system said.
        why: String,
    },
    /// The process ended, hung or answered nonsense.
    #[error("{0}")]
    Failed(String),
    /// The simulator is another one.
    #[error(
        "the simulator in {package} has version {found}, and {wanted} is needed: `lanista vgc setup` installs it"
    )]
    Version {
        /// Where it is.
        package: String,
        /// Its version.
        found: String,
        /// The one that this program was made for.
        wanted: String,
    },
}

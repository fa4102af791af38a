//! What a run says about itself, and where it goes.

mod events;
mod lines;
mod list;
mod results;

use lanista_league::Transition;

use crate::challenge::Challenge;
use crate::disk::DiskError;
use crate::evaluate::Report;
use crate::journal::Seal;
use crate::results::Row;

pub use events::TensorBoard;
pub use lines::JsonLines;
pub use list::{Amount, Kind, Metric, Metrics};
pub use results::ResultsCsv;

/// What one iteration showed.
#[derive(Clone, Debug, Default)]
pub struct Iteration {
    /// In numbers.
    pub metrics: Metrics,
    /// The rated matches of a period that ended with this iteration, by opponent.
    pub results: Vec<Row>,
    /// Remarks for the user: something is wrong.
    pub remarks: Vec<String>,
    /// Notes for the user: something has happened.
    pub notes: Vec<String>,
    /// The exploiters.
    pub exploiters: Vec<Challenge>,
    /// The stage of the curriculum that it belongs to.
    pub stage: Option<String>,
    /// The next stage that it led to.
    pub transition: Option<Transition>,
    /// Steps of the newest checkpoint.
    pub checkpoint: Option<u64>,
}

/// Something a run says.
pub enum Record<'a> {
    /// An iteration is done.
    Iteration(&'a Iteration),
    /// An evaluation is done.
    Evaluation {
        /// After so many iterations.
        iteration: u64,
        /// And so many steps.
        steps: u64,
        /// What it found.
        report: &'a Report,
    },
    /// Something is wrong that the user should know.
    Remark(&'a str),
    /// Something has happened.
    Note(&'a str),
}

/// Where records go.
pub trait Sink {
    /// Takes a record.
    fn record(&mut self, record: &Record) -> Result<(), DiskError>;

    /// Makes sure that what was taken is safe.
    fn flush(&mut self) -> Result<(), DiskError> {
        Ok(())
    }

    /// Hears that the run was saved because somebody asked for it.
    fn saved(&mut self, _steps: u64) {}

    /// The file it appends to, by its name in the run's directory, and what that holds now: a run that
    /// resumes cuts off what came later.
    fn seal(&self) -> Option<(&'static str, Seal)> {
        None
    }
}

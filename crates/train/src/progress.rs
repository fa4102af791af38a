//! How far an agent has come.

use serde::{Deserialize, Serialize};

/// Counters and small state of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Iterations done.
    pub iteration: u64,
    /// Steps of the learner.
    pub steps: u64,
    /// Matches finished.
    pub episodes: u64,
    /// Seconds spent training, over all sittings.
    pub seconds: f64,
    /// Steps at which an evaluation first reached `stop.return`.
    pub solved_at_steps: Option<u64>,
    /// The latest evaluation's mean return.
    pub evaluated_return: Option<f64>,
    /// Return and length of the latest finished matches, oldest first.
    pub recent: Vec<(f64, f64)>,
}

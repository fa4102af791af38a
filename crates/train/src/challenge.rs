//! What an exploiter shows of itself.

/// What an exploiter shows of itself.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Challenge {
    /// Main exploiter or league exploiter.
    pub name: &'static str,
    /// Its snapshots so far.
    pub snapshots: u64,
    /// Iterations since.
    pub rollouts: u64,
    /// Of so many.
    pub of: u64,
    /// The share of matches won in them.
    pub won: Option<f64>,
}

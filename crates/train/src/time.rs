//! What depends on the machine, and so never repeats exactly.

/// How long things took.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// Seconds spent training, over all sittings.
    pub seconds: f64,
    /// Steps of this iteration over its seconds.
    pub steps_per_second: f64,
    /// Seconds of this iteration spent playing.
    pub rollout_seconds: f64,
    /// Seconds of this iteration spent learning.
    pub update_seconds: f64,
}

//! Experience: every match of some shards is played for one iteration. Whoever holds the shards calls it, the
//! learner's process or a worker elsewhere.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::prelude::*;

use crate::config::RunConfig;
use crate::error::TrainError;
use crate::player::Policies;
use crate::shard::{MatchFault, Purpose, Shard};

/// What an iteration is played by.
pub(crate) struct Now<'a> {
    /// How much of its run is done: what schedules follow.
    pub share_done: f64,
    /// `[roles][terms]`
    pub weights: &'a [Vec<f32>],
    /// `[roles]`: longest stretch of a recorded sequence.
    pub sequences: &'a [usize],
}

/// Plays one iteration of these shards, on the thread pool it is called in.
pub(crate) fn collect(
    policies: Policies,
    shards: &mut [&mut Shard],
    config: &RunConfig,
    now: &Now,
) -> Result<(), MatchFault> {
    let purpose = Purpose::Learn { weights: now.weights, sequence_length: now.sequences };
    let (horizon, sharing) = (config.rollout.horizon, config.reward_sharing.at(now.share_done));
    // Every shard is driven to its end even if another fails, and the first failure in the order of
    // matches is reported: the same one whatever the number of threads.
    let begin = |shard: &mut Shard| {
        shard.begin(now.share_done);
        shard.sharing = sharing;
    };
    let results: Vec<Result<(), MatchFault>> = if shards.iter().any(|shard| shard.waits()) {
        // While an engine thinks about the matches of one shard, a thread chooses for those of others.
        let group = shards.len().div_ceil(rayon::current_num_threads());
        shards
            .par_chunks_mut(group)
            .map(|group| {
                for shard in group.iter_mut() {
                    begin(shard);
                    shard.submit(policies, &purpose)?;
                }
                for step in 1..=horizon {
                    for shard in group.iter_mut() {
                        shard.await_all()?;
                        shard.settle(policies, &purpose)?;
                        if step < horizon {
                            shard.submit(policies, &purpose)?;
                        }
                    }
                }
                group.iter_mut().try_for_each(|shard| shard.close(policies))
            })
            .collect()
    } else {
        shards
            .par_iter_mut()
            .map(|shard| {
                begin(shard);
                for _ in 0..horizon {
                    shard.step(policies, &purpose)?;
                }
                shard.close(policies)
            })
            .collect()
    };
    results.into_iter().collect()
}

/// Runs work; a panic in it becomes an error.
pub(crate) fn guard<T>(work: impl FnOnce() -> T) -> Result<T, TrainError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| TrainError::Panic(said(&*panic)))
}

/// The message of a panic.
pub(crate) fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}

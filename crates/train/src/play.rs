//! One iteration of a learner: its matches are played, then it learns from them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use lanista_game::seed;
use lanista_learn::{Learner, Losses, Policy, Rollout};
use rayon::prelude::*;

use crate::config::RunConfig;
use crate::metrics::Time;
use crate::shard::{Finished, MatchFault, Purpose, Shard};
use crate::trainer::TrainError;

/// What an iteration needs besides the learner and its matches.
pub(crate) struct Circumstances<'a> {
    /// What it runs on.
    pub config: &'a RunConfig,
    /// How many iterations it has done.
    pub iteration: u64,
    /// How much of its run is done: what schedules follow.
    pub share_done: f64,
    /// `[terms]`
    pub weights: &'a [f32],
    /// The threads.
    pub pool: &'a rayon::ThreadPool,
}

/// What came of an iteration.
pub(crate) struct Played {
    pub losses: Losses,
    /// Steps of the learner.
    pub steps: u64,
    /// Matches that ended.
    pub finished: Vec<Finished>,
    /// How long it took; the seconds are those of this iteration.
    pub time: Time,
}

/// Plays and learns once. After an error in playing, the learner is as it was before.
pub(crate) fn iterate(
    learner: &mut Learner,
    shards: &mut [Shard],
    now: &Circumstances,
) -> Result<Played, TrainError> {
    let began = Instant::now();
    guard(|| now.pool.install(|| collect(&learner.policy, shards, now)))??;
    let played = Instant::now();
    let shuffle = seed::mix(seed::mix(now.config.run.seed, 2), now.iteration);
    let losses = guard(|| {
        now.pool.install(|| {
            let mut rollouts: Vec<&mut Rollout> =
                shards.iter_mut().map(|s| &mut s.rollout).collect();
            let losses = learner.update(&mut rollouts, now.share_done, shuffle)?;
            learner.normalize(&rollouts);
            Ok::<_, TrainError>(losses)
        })
    })??;
    let learnt = Instant::now();
    let steps = shards.iter().map(|s| s.rollout.len() as u64).sum();
    let seconds = (learnt - began).as_secs_f64();
    Ok(Played {
        losses,
        steps,
        finished: shards.iter_mut().flat_map(|s| s.finished.drain(..)).collect(),
        time: Time {
            seconds,
            steps_per_second: steps as f64 / seconds,
            rollout_seconds: (played - began).as_secs_f64(),
            update_seconds: (learnt - played).as_secs_f64(),
        },
    })
}

fn collect(policy: &Policy, shards: &mut [Shard], now: &Circumstances) -> Result<(), MatchFault> {
    let (horizon, sequence_length) = (now.config.rollout.horizon, now.config.ppo.sequence_length);
    let purpose = Purpose::Learn { weights: now.weights, sequence_length };
    let sharing = now.config.reward_sharing.at(now.share_done);
    // Every shard is driven to its end even if another fails, and the first failure in the order of
    // matches is reported: the same one whatever the number of threads.
    let results: Vec<Result<(), MatchFault>> = shards
        .par_iter_mut()
        .map(|shard| {
            shard.begin(now.share_done);
            shard.sharing = sharing;
            for _ in 0..horizon {
                shard.step(policy, &purpose)?;
            }
            shard.close(policy)
        })
        .collect();
    results.into_iter().collect()
}

/// Runs work; a panic in it becomes an error.
pub(crate) fn guard<T>(work: impl FnOnce() -> T) -> Result<T, TrainError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        TrainError::Panic(match panic.downcast::<String>() {
            Ok(text) => *text,
            Err(other) => other.downcast::<&str>().map_or("no message".into(), |t| (*t).into()),
        })
    })
}

//! One iteration of an agent: its matches are played, then it learns from them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use lanista_game::seed;
use lanista_learn::{Losses, Policy, Rollout};
use rayon::prelude::*;

use crate::agent::Agent;
use crate::config::RunConfig;
use crate::error::TrainError;
use crate::finished::Finished;
use crate::player::Policies;
use crate::shard::{MatchFault, Purpose, Recorded, Shard};
use crate::time::Time;

/// What an iteration needs besides the agent.
pub(crate) struct Now<'a> {
    /// How much of its run is done: what schedules follow.
    pub share_done: f64,
    /// `[roles][terms]`
    pub weights: &'a [Vec<f32>],
    /// `[roles]`: longest stretch of a recorded sequence.
    pub sequences: &'a [usize],
    /// The threads.
    pub pool: &'a rayon::ThreadPool,
}

/// What came of an iteration.
pub(crate) struct Iterated {
    /// `[roles]`: what the updates reported; `None` for a role that is not learnt.
    pub losses: Vec<Option<Losses>>,
    /// Steps of the learner.
    pub steps: u64,
    /// Matches that ended.
    pub finished: Vec<Finished>,
    /// Matches that ended and are kept.
    pub kept: Vec<Recorded>,
    /// Matches that were lost.
    pub lost: u64,
    /// Why the latest of them was.
    pub latest_loss: Option<String>,
    /// How long it took; the seconds are those of this iteration.
    pub time: Time,
}

/// Plays and learns once. After an error in playing, the learners are as they were before.
pub(crate) fn iterate(agent: &mut Agent, now: &Now) -> Result<Iterated, TrainError> {
    let began = Instant::now();
    let Agent { config, learners, shards, progress, .. } = agent;
    let policies: Vec<Option<&Policy>> =
        learners.iter().map(|l| l.as_ref().map(|l| &l.policy)).collect();
    guard(|| now.pool.install(|| collect(&policies, shards, config, now)))??;
    let played = Instant::now();
    let shuffle = seed::mix(seed::mix(config.run.seed, 2), progress.iteration);
    let losses = guard(|| {
        now.pool.install(|| {
            let mut losses = Vec::new();
            for (role, learner) in learners.iter_mut().enumerate() {
                let Some(learner) = learner else {
                    losses.push(None);
                    continue;
                };
                let mut rollouts: Vec<&mut Rollout> =
                    shards.iter_mut().map(|s| &mut s.roles[role].rollout).collect();
                // The first role shuffles as a game of one role does.
                let shuffle = if role == 0 { shuffle } else { seed::mix(shuffle, role as u64) };
                losses.push(Some(learner.update(&mut rollouts, now.share_done, shuffle)?));
                learner.normalize(&rollouts);
            }
            Ok::<_, TrainError>(losses)
        })
    })??;
    let learnt = Instant::now();
    let steps = shards.iter().map(|s| s.samples() as u64).sum();
    let seconds = (learnt - began).as_secs_f64();
    Ok(Iterated {
        losses,
        steps,
        finished: shards.iter_mut().flat_map(|s| s.finished.drain(..)).collect(),
        kept: shards.iter_mut().flat_map(|s| s.kept.drain(..)).collect(),
        lost: shards.iter().map(|s| s.lost.count).sum(),
        latest_loss: shards.iter_mut().find_map(|s| s.lost.latest.take()),
        time: Time {
            seconds,
            steps_per_second: steps as f64 / seconds,
            rollout_seconds: (played - began).as_secs_f64(),
            update_seconds: (learnt - played).as_secs_f64(),
        },
    })
}

fn collect(
    policies: Policies,
    shards: &mut [Shard],
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
    let results: Vec<Result<(), MatchFault>> = if shards.iter().any(Shard::waits) {
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
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        TrainError::Panic(match panic.downcast::<String>() {
            Ok(text) => *text,
            Err(other) => other.downcast::<&str>().map_or("no message".into(), |t| (*t).into()),
        })
    })
}

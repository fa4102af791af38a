//! One iteration of an agent: its matches are played, then it learns from them.

use std::time::Instant;

use lanista_game::seed;
use lanista_learn::{Losses, Policy, Rollout};

use crate::agent::Agent;
use crate::collect::{Now, collect, guard};
use crate::error::TrainError;
use crate::finished::Finished;
use crate::remote::{Task, Traffic, Workers};
use crate::shard::{Recorded, Shard};
use crate::time::Time;

/// Who plays the matches of an agent that are not played here.
pub(crate) struct Elsewhere<'a> {
    /// The workers.
    pub workers: &'a mut Workers,
    /// 0 for the main agent, then the exploiters.
    pub agent: u64,
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
    /// What workers elsewhere cost, if there are some.
    pub traffic: Option<Traffic>,
}

/// Plays and learns once. After an error in playing, the learners are as they were before.
pub(crate) fn iterate(
    agent: &mut Agent,
    now: &Now,
    threads: &rayon::ThreadPool,
    elsewhere: Option<Elsewhere>,
) -> Result<Iterated, TrainError> {
    let began = Instant::now();
    let Agent { config, learners, shards, progress, .. } = agent;
    let policies: Vec<Option<&Policy>> =
        learners.iter().map(|l| l.as_ref().map(|l| &l.policy)).collect();
    let mut traffic = None;
    match elsewhere {
        Some(Elsewhere { workers, agent }) => {
            let (version, policies) = (progress.iteration, &policies[..]);
            workers.collect(&Task { agent, version, policies, config, now }, shards)?;
            // What exploiters cost is told with the iteration after their turns.
            traffic = (agent == 0).then(|| workers.take_traffic());
        }
        None => {
            let mut here: Vec<&mut Shard> = shards.iter_mut().collect();
            guard(|| threads.install(|| collect(&policies, &mut here, config, now)))??;
        }
    }
    let played = Instant::now();
    let shuffle = seed::mix(seed::mix(config.run.seed, 2), progress.iteration);
    let losses = guard(|| {
        threads.install(|| {
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
        traffic,
    })
}

//! What a learner is set up with: matches, seats, and what it says about itself.

use std::collections::BTreeSet;

use lanista_game::{Entry, Spec};
use lanista_learn::Policy;

use crate::config::{Player, RunConfig};
use crate::exploiter::Challenger;
use crate::league::League;
use crate::model::Metadata;
use crate::noise::Noise;
use crate::seating::{Deal, Seating};
use crate::shard::Shard;
use crate::trainer::TrainError;

/// What a model says about itself.
pub(crate) fn metadata(
    entry: &Entry,
    spec: &Spec,
    config: &RunConfig,
    share_done: f64,
    steps: u64,
) -> Metadata {
    let weights = config.reward_weights(spec, share_done);
    Metadata {
        lanista: env!("CARGO_PKG_VERSION").to_owned(),
        game: entry.name.to_owned(),
        settings: entry.portable(&config.settings),
        policy: config.policy.clone(),
        stack: config.observation.stack.clone(),
        features: spec.features(),
        privileged: spec.privileged.len(),
        heads: spec.head_sizes(),
        rewards: (spec.terms.iter().zip(weights))
            .map(|(t, w)| (t.name.to_owned(), f64::from(w)))
            .collect(),
        steps,
        seed: config.run.seed,
    }
}

/// How seats are dealt in a stage.
pub(crate) fn seating(
    config: &RunConfig,
    league: Option<&League>,
    spec: &Spec,
    stage: usize,
) -> Seating {
    Seating {
        seed: config.run.seed,
        deal: league.map_or(Deal::Always(Player::Learner), |l| l.deal(config.shares(), &spec.bots)),
        manners: config.league.manners(),
        turns: false,
        slots: config.rollout.matches,
        stage,
    }
}

/// The matches of a run, in shards.
pub(crate) fn shards(
    entry: &Entry,
    config: &RunConfig,
    policy: &Policy,
    seating: &Seating,
    noise: &Option<Noise>,
) -> Result<Vec<Shard>, TrainError> {
    let size = config.rollout.shard_size();
    let mut shards = Vec::new();
    for first in (0..config.rollout.matches).step_by(size) {
        let batch = (entry.build)(&config.settings, size.min(config.rollout.matches - first))?;
        let batch = config.observation.stack.over(batch);
        shards.push(Shard::new(first, batch, policy, seating.clone()).with_noise(noise.clone()));
    }
    Ok(shards)
}

/// The frozen policies that sit in running matches.
pub(crate) fn seated(shards: &[Shard], exploiters: &[Challenger]) -> BTreeSet<u64> {
    let shards = shards.iter().chain(exploiters.iter().flat_map(|e| &e.shards));
    let players = shards.flat_map(|s| &s.matches).flat_map(|m| &m.players);
    let frozen = |player: &Player| match player {
        Player::Frozen(id) => Some(*id),
        _ => None,
    };
    players.filter_map(frozen).collect()
}

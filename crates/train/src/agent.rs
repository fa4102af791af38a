//! An agent that learns: its configuration, a learner for each role that it learns, and its matches.

use lanista_game::{Entry, Spec, seed};
use lanista_learn::{Learner, Policy, Shape};

use crate::absent::Absent;
use crate::config::RunConfig;
use crate::error::TrainError;
use crate::model::{Metadata, RoleModel};
use crate::noise::Noise;
use crate::player::{Player, Roster};
use crate::progress::Progress;
use crate::roles::RoleSettings;
use crate::seating::Seating;
use crate::shard::{Match, Patience, Shard};

/// An agent that learns.
pub struct Agent {
    /// What it runs on.
    pub config: RunConfig,
    /// What each role of the game is learnt with.
    pub roles: Vec<RoleSettings>,
    /// What learns, by role; `None` for a role that others play.
    pub learners: Vec<Option<Learner>>,
    /// What it plays.
    pub shards: Vec<Shard>,
    /// Where that is played.
    pub site: Site,
    /// How far it has come.
    pub progress: Progress,
}

impl Agent {
    /// An agent of these policies at the start of its run. `spec` is the game as policies see it.
    pub fn new(
        entry: &Entry,
        spec: &Spec,
        config: RunConfig,
        policies: Roster,
        seating: &Seating,
        site: Site,
    ) -> Result<Self, TrainError> {
        let roles = config.roles(spec)?;
        let learners = roles.iter().enumerate().map(|(role, settings)| {
            let policy = policies.get(role)?.clone();
            Some(Learner::new(policy, settings.ppo.clone()))
        });
        let learners = learners.collect();
        let shards = shards(entry, &config, &policies, seating, site)?;
        Ok(Self { config, roles, learners, shards, site, progress: Progress::default() })
    }

    /// Its policies by role.
    pub fn policies(&self) -> Vec<Option<&Policy>> {
        self.learners.iter().map(|l| l.as_ref().map(|l| &l.policy)).collect()
    }

    /// A copy of its policies.
    pub fn roster(&self) -> Roster {
        Roster::new(self.policies().into_iter().map(|policy| policy.cloned()).collect())
    }

    /// The learner of the first role that it learns.
    pub fn learner(&self) -> &Learner {
        self.learnt().next().map(|(_, learner)| learner).expect("an agent learns something")
    }

    /// The learners, with their roles.
    pub fn learnt(&self) -> impl Iterator<Item = (usize, &Learner)> {
        self.learners.iter().enumerate().filter_map(|(role, l)| Some((role, l.as_ref()?)))
    }

    /// Weights over all its networks.
    pub fn parameters(&self) -> usize {
        self.learnt().map(|(_, learner)| learner.policy.layout().len()).sum()
    }

    /// Updates that were dropped because something in them was not finite.
    pub fn dropped_updates(&self) -> u64 {
        self.learnt().map(|(_, learner)| learner.dropped_updates).sum()
    }

    /// `[roles][terms]`: what terms are worth at this progress.
    pub fn weights(&self, spec: &Spec, share_done: f64) -> Vec<Vec<f32>> {
        self.roles.iter().map(|role| role.weights(spec, share_done)).collect()
    }

    /// `[roles]`: the longest stretch of a recorded sequence.
    pub fn sequences(&self) -> Vec<usize> {
        self.roles.iter().map(|role| role.ppo.sequence_length).collect()
    }

    /// How long an engine is waited for, and how many matches it may lose.
    pub fn patience(&self) -> Patience {
        patience(&self.config)
    }

    /// Can all its matches be rebuilt from their recorded actions?
    pub fn replays(&self) -> bool {
        self.shards.iter().all(Shard::replays)
    }

    /// Its matches.
    pub(crate) fn matches(&self) -> impl Iterator<Item = &Match> {
        self.shards.iter().flat_map(|shard| &shard.matches)
    }

    /// The frozen agents that sit in its running matches.
    pub(crate) fn seated(&self) -> impl Iterator<Item = u64> {
        self.matches().flat_map(|m| &m.players).filter_map(|player| match player {
            Player::Frozen(id) => Some(*id),
            _ => None,
        })
    }

    /// What a model of it says about itself.
    pub fn metadata(&self, entry: &Entry, spec: &Spec, share_done: f64, steps: u64) -> Metadata {
        let weights = self.weights(spec, share_done);
        let rewards = |role: usize| {
            let weighed = spec.terms.iter().zip(&weights[role]);
            weighed.map(|(t, w)| (t.name.clone(), f64::from(*w))).collect()
        };
        let first = self.learnt().next().map_or(0, |(role, _)| role);
        let several = spec.roles.len() > 1;
        let roles = self.learnt().filter(|_| several).map(|(role, _)| {
            let model =
                RoleModel { policy: self.roles[role].policy.clone(), rewards: rewards(role) };
            (spec.roles[role].name.clone(), model)
        });
        // A model from elsewhere stays where it is; only scripted players are known everywhere.
        let scripted = self.roles.iter().enumerate().filter_map(|(role, settings)| {
            let player = settings.played_by.clone().filter(|player| player.starts_with("bot:"))?;
            Some((spec.roles[role].name.clone(), player))
        });
        Metadata {
            lanista: env!("CARGO_PKG_VERSION").to_owned(),
            game: entry.name.clone(),
            settings: entry.portable(&self.config.settings),
            policy: self.roles[first].policy.clone(),
            stack: self.config.observation.stack.clone(),
            features: spec.roles[first].features(),
            privileged: spec.roles[first].privileged.len(),
            heads: spec.roles[first].head_sizes(),
            rewards: rewards(first),
            roles: roles.collect(),
            played_by: scripted.collect(),
            spec: Some(spec.clone()),
            steps,
            seed: self.config.run.seed,
        }
    }
}

/// Networks that know nothing yet, for every role that is learnt.
pub(crate) fn fresh(spec: &Spec, roles: &[RoleSettings], seed: u64) -> Roster {
    let policy = |(role, settings): (usize, &RoleSettings)| {
        // The first role begins as in a game of one role.
        let seed = if role == 0 { seed } else { seed::mix(seed, role as u64) };
        let shape = Shape::of(&spec.roles[role]);
        settings.played_by.is_none().then(|| Policy::new(shape, &settings.policy, seed))
    };
    Roster::new(roles.iter().enumerate().map(policy).collect())
}

/// The policies that a run begins with.
pub(crate) fn untrained(spec: &Spec, roles: &[RoleSettings], run_seed: u64) -> Roster {
    fresh(spec, roles, seed::mix(run_seed, 1))
}

/// Where the matches of an agent are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// In this process.
    Here,
    /// By workers; here is what a checkpoint keeps of them.
    Elsewhere,
}

/// The matches of a run, in shards.
pub(crate) fn shards(
    entry: &Entry,
    config: &RunConfig,
    policies: &Roster,
    seating: &Seating,
    site: Site,
) -> Result<Vec<Shard>, TrainError> {
    let count = config.rollout.matches.div_ceil(config.rollout.shard_size());
    if site == Site::Here {
        return (0..count).map(|i| shard(entry, config, policies, seating, i)).collect();
    }
    // Only a match can say whether it can be replayed.
    let replays = entry.build(&config.settings, 1)?.replays();
    let spec = config.observation.stack.widen(entry.spec(&config.settings)?);
    let absent = |index: usize| {
        let (first, matches) = place(config, index);
        let batch = Box::new(Absent::new(spec.clone(), matches, replays));
        configured(Shard::new(first, batch, &policies.all(), seating.clone()), config)
    };
    (0..count).map(absent).collect()
}

/// One of the shards of a run, in this process.
pub(crate) fn shard(
    entry: &Entry,
    config: &RunConfig,
    policies: &Roster,
    seating: &Seating,
    index: usize,
) -> Result<Shard, TrainError> {
    let (game, stack) = (entry.spec(&config.settings)?, &config.observation.stack);
    let noise = |role| Noise::new(&config.observation.noise, &game, role, stack);
    let noise: Vec<Option<Noise>> = (0..game.roles.len()).map(noise).collect::<Result<_, _>>()?;
    let (first, matches) = place(config, index);
    let batch = stack.over(entry.build(&config.settings, matches)?);
    let shard = Shard::new(first, batch, &policies.all(), seating.clone()).with_noise(noise);
    configured(shard, config)
}

/// The first match of a shard, and how many it has.
fn place(config: &RunConfig, index: usize) -> (usize, usize) {
    let (size, matches) = (config.rollout.shard_size(), config.rollout.matches);
    let first = (index * size).min(matches.saturating_sub(1));
    (first, size.min(matches - first))
}

fn configured(mut shard: Shard, config: &RunConfig) -> Result<Shard, TrainError> {
    if config.recording.every.is_some() && !shard.replays() {
        return Err(TrainError::Unrepeatable(shard.spec().name.clone()));
    }
    shard.patience = patience(config);
    shard.keep_every = config.recording.every;
    Ok(shard)
}

pub(crate) fn patience(config: &RunConfig) -> Patience {
    let answer = std::time::Duration::from_secs_f64(config.rollout.patience_secs);
    Patience { answer, lost: config.rollout.max_lost, once_more: false }
}

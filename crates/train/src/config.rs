//! What the program runs on: the typed second stage of a preset.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lanista_game::Spec;
use lanista_league::{Exploiter, Opponent, Shares, Stage};
use lanista_learn::ppo::MAX_HEADS;
use lanista_learn::{PolicyConfig, PpoConfig, Schedule};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::layers::{ConfigError, Layered, nearest};
use crate::league_config::LeagueConfig;
use crate::noise::{self, Noise, NoiseConfig};
use crate::player::{Player, parse_player};
use crate::ranges;
use crate::roles::{RoleConfig, RoleFault, RoleSettings};
use crate::sharing::SharingConfig;
use crate::stack::Stack;

/// A whole run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunConfig {
    /// Which game.
    pub game: String,
    /// The game's own settings.
    pub settings: Value,
    /// What policies see of it.
    pub observation: ObservationConfig,
    /// How experience is collected.
    pub rollout: RolloutConfig,
    /// The network.
    pub policy: PolicyConfig,
    /// The algorithm.
    pub ppo: PpoConfig,
    /// The weight of each reward term.
    pub rewards: BTreeMap<String, Schedule>,
    /// In what roles differ, and who plays those that are not learnt.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, RoleConfig>,
    /// What of it goes to mates and comes from opponents.
    pub reward_sharing: SharingConfig,
    /// Who takes the seats that the learner does not, by share of matches: `self`, `bot:NAME`, `past`,
    /// `target:MODEL` or `latest:RUN`.
    pub opponents: BTreeMap<String, f64>,
    /// The pool of past policies, and ratings.
    pub league: LeagueConfig,
    /// Who else learns, to beat the learner or its pool.
    pub exploiters: Vec<Exploiter>,
    /// Stages that change the run as it goes on.
    pub curriculum: Vec<Stage>,
    /// Evaluation while training.
    pub evaluation: EvaluationConfig,
    /// Which matches are recorded.
    pub recording: RecordingConfig,
    /// What is kept on disk.
    pub checkpoint: CheckpointConfig,
    /// When the run ends.
    pub stop: StopConfig,
    /// Where it lives and what it draws its luck from.
    pub run: RunSection,
}

/// What policies see of a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ObservationConfig {
    /// Which frames they see side by side.
    pub stack: Stack,
    /// What is added to every frame while learning.
    pub noise: Vec<NoiseConfig>,
}

/// How experience is collected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RolloutConfig {
    /// Matches played side by side.
    pub matches: usize,
    /// Steps of each match in an iteration.
    pub horizon: usize,
    /// Matches that a thread steps and infers together; chosen from `matches` when left out. The
    /// result depends on it in the last bits, the number of threads does not matter.
    pub shard: Option<usize>,
    /// How long an engine outside of this process may take for an answer.
    pub patience_secs: f64,
    /// Matches that such an engine may lose in a row before the run stops.
    pub max_lost: u32,
}

/// Which matches of a training are recorded, so that they can be replayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecordingConfig {
    /// One of so many finished matches; none when left out.
    pub every: Option<u64>,
    /// How many are kept, the latest ones.
    pub keep: usize,
}

impl Default for RecordingConfig {
    fn default() -> Self {
        Self { every: None, keep: 100 }
    }
}

/// Evaluation while training.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvaluationConfig {
    /// Every so many steps; only at the end when left out.
    pub every: Option<u64>,
    /// Matches an evaluation.
    pub matches: usize,
    /// Take the most likely action instead of sampling.
    pub deterministic: bool,
    /// Against whom: `self` or `bot:NAME`.
    pub vs: String,
}

/// What is kept on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CheckpointConfig {
    /// Steps between two checkpoints.
    pub every: u64,
    /// How many are kept.
    pub keep: usize,
    /// Steps between two milestones, which are kept for good; none when left out.
    pub milestones: Option<u64>,
}

/// When a run ends: whichever comes first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StopConfig {
    /// After so many steps of the learner; schedules run to here.
    pub steps: u64,
    /// After so many seconds.
    pub seconds: Option<f64>,
    /// Once an evaluation's mean return reaches this.
    #[serde(rename = "return")]
    pub return_reached: Option<f64>,
}

/// Where a run lives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunSection {
    /// Its directory; a fresh one under `runs/` when left out.
    pub dir: Option<PathBuf>,
    /// Everything random follows from this.
    pub seed: u64,
    /// Worker threads; one per core when left out.
    pub threads: Option<usize>,
}

impl Default for RolloutConfig {
    fn default() -> Self {
        Self { matches: 8, horizon: 256, shard: None, patience_secs: 60.0, max_lost: 20 }
    }
}

impl Default for EvaluationConfig {
    fn default() -> Self {
        Self { every: None, matches: 32, deterministic: true, vs: "self".into() }
    }
}

impl Default for CheckpointConfig {
    fn default() -> Self {
        Self { every: 100_000, keep: 3, milestones: None }
    }
}

impl Default for StopConfig {
    fn default() -> Self {
        Self { steps: 1_000_000, seconds: None, return_reached: None }
    }
}

/// Keys under which a preset may write names of its own, and those that are not there by default.
pub const OPEN: [&str; 5] = ["settings", "rewards", "opponents", "roles", "policy.encoder"];

impl RolloutConfig {
    /// Matches in a shard: enough for efficient products, few enough for several threads.
    pub fn shard_size(&self) -> usize {
        self.shard.unwrap_or((self.matches / 8).clamp(8, 128)).clamp(1, self.matches)
    }
}

impl RunConfig {
    /// Reads and checks the typed configuration, apart from what only the game can check.
    pub fn read(layered: &Layered) -> Result<Self, ConfigError> {
        let config: Self = layered.read(&OPEN)?;
        config.check(layered)?;
        Ok(config)
    }

    fn check(&self, layered: &Layered) -> Result<(), ConfigError> {
        let invalid = |key: &str, problem: String| Err(layered.invalid(key, problem));
        if self.game.is_empty() {
            return invalid("game", "no game is named; `lanista games` lists them".into());
        }
        ranges::check(self).map_err(|(key, problem)| layered.invalid(&key, problem))?;
        if self.policy.critic.shared && self.policy.critic.memory.is_some() {
            return invalid(
                "policy.critic.memory",
                "a shared critic uses the actor's memory; drop this or set policy.critic.shared=false"
                    .into(),
            );
        }
        let novel = self.ppo.novelty.values().into_iter().find(|&v| v != 0.0);
        if let (Some(weight), false) = (novel, self.policy.normalize_observations) {
            return invalid(
                "ppo.novelty",
                format!(
                    "{weight} needs to know what is usual: set policy.normalize_observations=true, \
                     or this to 0"
                ),
            );
        }
        if let Err(error) = lanista_league::stage::check(&self.curriculum) {
            return invalid(&format!("curriculum.{}", error.key), error.problem);
        }
        noise::check(&self.observation.noise).map_err(|e| layered.invalid(&e.key, e.problem))?;
        if let (Some(target), None) = (self.stop.return_reached, self.evaluation.every) {
            return invalid(
                "stop.return",
                format!(
                    "{target} is looked for in evaluations, and there are none before the end: set \
                     evaluation.every"
                ),
            );
        }
        Ok(())
    }

    /// Checks everything that needs the game's spec, as it is without a stack.
    pub fn check_against(&self, layered: &Layered, spec: &Spec) -> Result<(), ConfigError> {
        let invalid = |key: &str, problem: String| Err(layered.invalid(key, problem));
        if spec.roles.iter().any(|role| role.heads.len() > MAX_HEADS) {
            return invalid("game", format!("has more than {MAX_HEADS} heads"));
        }
        for role in 0..spec.roles.len() {
            Noise::new(&self.observation.noise, spec, role, &self.observation.stack)
                .map_err(|e| layered.invalid(&e.key, e.problem))?;
        }
        let roles =
            self.check_roles(spec).map_err(|fault| layered.invalid(&fault.key, fault.problem))?;
        let own = self.roles.iter().flat_map(|(name, role)| {
            role.rewards.keys().map(move |term| (format!("roles.{name}.rewards.{term}"), term))
        });
        let terms = self.rewards.keys().map(|term| (format!("rewards.{term}"), term));
        for (key, term) in terms.chain(own) {
            if spec.term(term).is_none() {
                let names: Vec<&str> = spec.terms.iter().map(|t| t.name.as_str()).collect();
                let hint = nearest(term, names.iter().copied())
                    .map_or(String::new(), |n| format!(": did you mean `{n}`?"));
                let problem =
                    format!("{} has no such term{hint} its terms: {}", spec.name, names.join(", "));
                return invalid(&key, problem);
            }
        }
        for (role, settings) in spec.roles.iter().zip(&roles) {
            let mut weights = settings.rewards.values();
            let weighed = weights.any(|w| w.values().iter().any(|&v| v != 0.0));
            if settings.played_by.is_none() && !weighed {
                let names: Vec<&str> = spec.terms.iter().map(|t| t.name.as_str()).collect();
                let whose = match spec.roles.len() {
                    1 => String::new(),
                    _ => format!(" for the role {}", role.name),
                };
                let problem = format!(
                    "no term has a weight{whose}; weigh at least one of: {}",
                    names.join(", ")
                );
                return invalid("rewards", problem);
            }
        }
        if let Some((key, problem)) = self.reward_sharing.fault(spec.teams()) {
            return invalid(&format!("reward_sharing.{key}"), problem);
        }
        for name in self.opponents.keys() {
            let key = format!("opponents.{name}");
            check_opponent(name, spec).map_err(|problem| layered.invalid(&key, problem))?;
        }
        if let Err(error) = self.shares().check() {
            let of = error.opponent.as_ref().map(|opponent| format!("opponents.{opponent}"));
            return invalid(&of.unwrap_or_else(|| "opponents".into()), error.problem);
        }
        if let Some((key, problem)) = self.league.fault() {
            return invalid(&format!("league.{key}"), problem);
        }
        if !spec.contested() && !self.exploiters.is_empty() {
            return invalid("exploiters", format!("{}: nobody to beat", uncontested(spec)));
        }
        for (number, exploiter) in self.exploiters.iter().enumerate() {
            if let Some((key, problem)) = exploiter.fault() {
                return invalid(&format!("exploiters.{number}.{key}"), problem);
            }
        }
        if !self.exploiters.is_empty() && !self.meets_past() && self.curriculum.is_empty() {
            return invalid(
                "exploiters",
                "what they become joins the pool, and nobody meets it: set opponents.past".into(),
            );
        }
        if let Some(anchor) = &self.league.anchor {
            match parse_player(anchor, spec) {
                Ok(Player::Bot(_)) => {}
                Ok(_) => return invalid("league.anchor", "a scripted player: bot:NAME".into()),
                Err(problem) => return invalid("league.anchor", problem),
            }
        }
        parse_player(&self.evaluation.vs, spec)
            .map_err(|problem| layered.invalid("evaluation.vs", problem))?;
        // A share of 0 is how a preset drops an opponent that it imports.
        let met = self.opponents.iter().filter(|(_, share)| spec.teams() < 2 || **share > 0.0);
        let others = met.map(|(name, _)| (format!("opponents.{name}"), name));
        let mut others = others.chain([(String::from("evaluation.vs"), &self.evaluation.vs)]);
        if let (false, Some((key, _))) =
            (spec.contested(), others.find(|(_, name)| *name != "self"))
        {
            return invalid(&key, format!("{}: nobody plays against it", uncontested(spec)));
        }
        // At most every seat acts at every step, so this is the largest batch there can be.
        let seats = spec.seats.len();
        let batch = self.rollout.matches.saturating_mul(self.rollout.horizon).saturating_mul(seats);
        // A sample has a number of 32 bits in its shard.
        let own = self.rollout.shard_size().saturating_mul(self.rollout.horizon);
        if own.saturating_mul(seats) >= u32::MAX as usize {
            let problem = format!(
                "a shard of {} matches records {own} steps: too many",
                self.rollout.shard_size()
            );
            return invalid("rollout.horizon", problem);
        }
        let learnt = roles.iter().filter(|role| role.played_by.is_none());
        let minibatches = learnt.flat_map(|role| role.ppo.minibatch.values());
        let largest = minibatches.fold(0.0, f64::max);
        if largest > batch as f64 {
            return invalid(
                "ppo.minibatch",
                format!(
                    "{largest} is larger than the batch of {batch} samples (rollout.matches {} × \
                     rollout.horizon {} × {} seats); lower it or collect more",
                    self.rollout.matches, self.rollout.horizon, seats
                ),
            );
        }
        Ok(())
    }

    /// What every role of the game is learnt with.
    pub fn roles(&self, spec: &Spec) -> Result<Vec<RoleSettings>, RoleFault> {
        RoleSettings::of(spec, &self.roles, &self.policy, &self.ppo, &self.rewards)
    }

    fn check_roles(&self, spec: &Spec) -> Result<Vec<RoleSettings>, RoleFault> {
        let roles = self.roles(spec)?;
        for (role, settings) in spec.roles.iter().zip(&roles) {
            let key = |key: &str| format!("roles.{}.{key}", role.name);
            if self.roles.contains_key(&role.name) {
                let own = Self {
                    policy: settings.policy.clone(),
                    ppo: settings.ppo.clone(),
                    rewards: settings.rewards.clone(),
                    ..self.clone()
                };
                ranges::check(&own)
                    .map_err(|(path, problem)| RoleFault::new(key(&path), problem))?;
            }
            let Some(name) = &settings.played_by else { continue };
            match name.parse() {
                Ok(Opponent::Bot(bot)) if role.bot(&bot).is_some() => {}
                Ok(Opponent::Target(_)) if spec.teams() > 1 => {}
                _ => {
                    let bots: Vec<String> =
                        role.bots.iter().map(|bot| format!("bot:{}", bot.name)).collect();
                    let problem = format!(
                        "`{name}` cannot play the role {}; there are: {}, target:MODEL",
                        role.name,
                        bots.join(", ")
                    );
                    return Err(RoleFault::new(key("played_by"), problem));
                }
            }
        }
        Ok(roles)
    }

    /// Who plays the other seats, with their shares of matches. What the preset leaves open is
    /// self-play.
    pub fn shares(&self) -> Shares {
        let known = |(name, &share): (&String, &f64)| Some((name.parse().ok()?, share));
        self.opponents.iter().filter_map(known).collect()
    }

    /// Are past policies ever met?
    pub fn meets_past(&self) -> bool {
        self.league.mates > 0.0 || self.opponents.get("past").is_some_and(|&share| share > 0.0)
    }
}

/// Why nobody is met.
fn uncontested(spec: &Spec) -> String {
    match spec.teams() {
        0 | 1 => format!("{} has one team", spec.name),
        _ => "nobody sits on the other team under these settings".into(),
    }
}

/// Checks whom a share of matches is against.
fn check_opponent(name: &str, spec: &Spec) -> Result<(), String> {
    match name.parse() {
        Ok(Opponent::Past | Opponent::Target(_) | Opponent::Latest(_)) => Ok(()),
        _ => parse_player(name, spec)
            .map(|_| ())
            .map_err(|problem| format!("{problem}, past, target:MODEL, latest:RUN")),
    }
}

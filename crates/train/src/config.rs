//! What the program runs on: the typed second stage of a preset.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lanista_game::Spec;
use lanista_league::{Exploiter, Shares, Stage};
use lanista_learn::{PolicyConfig, PpoConfig, Schedule};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cloning::CloneConfig;
use crate::league_config::LeagueConfig;
use crate::noise::NoiseConfig;
use crate::roles::{RoleConfig, RoleFault, RoleSettings};
use crate::sharing::SharingConfig;
use crate::stack::Stack;
use crate::start_config::StartConfig;

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
    /// What it begins with, and what holds it there.
    pub start: StartConfig,
    /// How a policy is fitted to recorded decisions; presets that do so have it.
    pub clone: CloneConfig,
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
    /// Is the first match of every evaluation kept, too?
    pub evaluations: bool,
}

impl Default for RecordingConfig {
    fn default() -> Self {
        Self { every: None, keep: 100, evaluations: false }
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
pub const OPEN: [&str; 7] =
    ["settings", "rewards", "opponents", "roles", "policy.encoder", "start.anchor", "clone.play"];

impl RolloutConfig {
    /// Matches in a shard: enough for efficient products, few enough for several threads.
    pub fn shard_size(&self) -> usize {
        self.shard.unwrap_or((self.matches / 8).clamp(8, 128)).clamp(1, self.matches)
    }
}

impl RunConfig {
    /// What every role of the game is learnt with.
    pub fn roles(&self, spec: &Spec) -> Result<Vec<RoleSettings>, RoleFault> {
        RoleSettings::of(spec, &self.roles, &self.policy, &self.ppo, &self.rewards)
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

//! The range of every number of a configuration, in one place.
//!
//! Upper ends are not recommendations: beyond them a value overflows single precision, asks for more
//! than any machine has, or can only be a slip of the finger. What fits into the memory of this
//! machine is for [`crate::memory`] to say. Numbers of a game's `settings` are for the game to check,
//! shares of `opponents` for [`lanista_league::Shares`].

use std::fmt;

use lanista_learn::Schedule;
use lanista_learn::config::{MemoryConfig, PolicyConfig};

use crate::config::RunConfig;

/// Matches, samples, windows: things that are counted one by one.
const MANY: f64 = 1e6;
/// Steps of a run, and whatever is measured in them.
const STEPS: f64 = 1e18;
/// The widest layer.
const WIDTH: f64 = 65_536.0;
/// The most layers on top of each other.
const LAYERS: usize = 64;
/// The largest weight of a reward term. Returns of a million such rewards still fit into single
/// precision, with room for their squares.
const WEIGHT: f64 = 1e6;
/// The most threads: far more than there are shards to work on.
pub const THREADS: usize = 1024;
/// The most matches of an evaluation.
pub const EVALUATED: usize = 1_000_000;
/// The most entries of a list that a person writes.
const ENTRIES: usize = 1000;
/// The most exploiters: each is a learner of its own.
const EXPLOITERS: usize = 64;

/// Between which values a number lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    least: f64,
    most: f64,
    /// Is `least` itself too small?
    above: bool,
    /// Is `most` itself too large?
    below: bool,
}

/// Both ends are in it.
const fn from(least: f64, most: f64) -> Range {
    Range { least, most, above: false, below: false }
}

/// The lower end is not in it.
const fn above(least: f64, most: f64) -> Range {
    Range { least, most, above: true, below: false }
}

/// The upper end is not in it.
const fn below(least: f64, most: f64) -> Range {
    Range { least, most, above: false, below: true }
}

impl Range {
    /// NaN lies in no range.
    pub fn contains(&self, value: f64) -> bool {
        let low = if self.above { value > self.least } else { value >= self.least };
        let high = if self.below { value < self.most } else { value <= self.most };
        low && high
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let low = if self.above { "above" } else { "at least" };
        let high = if self.below { "below" } else { "at most" };
        write!(f, "{low} {} and {high} {}", self.least, self.most)
    }
}

/// One number of a configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// Its key, dotted. The numbers of a list or a schedule share one.
    pub key: String,
    /// What it is.
    pub value: f64,
    /// What it may be.
    pub range: Range,
}

/// A number that is out of its range, or a list that is too long: the key and what is wrong.
pub type Fault = (String, String);

/// The first number of a configuration that is out of its range.
pub fn check(config: &RunConfig) -> Result<(), Fault> {
    for (key, schedule) in schedules(config) {
        if let Some(problem) = schedule.fault() {
            return Err((key, problem));
        }
    }
    for (key, length, most) in lists(config) {
        if length > most {
            return Err((key, format!("{length} entries; there are at most {most}")));
        }
    }
    all_within(numbers(config))?;
    fits_together(&config.policy)
}

/// The first number of a network that is out of its range.
pub fn check_policy(policy: &PolicyConfig) -> Result<(), Fault> {
    for (key, sizes) in layers(policy) {
        if sizes.len() > LAYERS {
            let problem = format!("{} layers; there are at most {LAYERS}", sizes.len());
            return Err((format!("policy.{key}"), problem));
        }
    }
    let mut table = Table { at: "policy.", ..Table::default() };
    table.policy(policy);
    all_within(table.numbers)?;
    fits_together(policy)
}

/// What numbers of a network that are each in their range may still get wrong together.
fn fits_together(policy: &PolicyConfig) -> Result<(), Fault> {
    match policy.encoder.as_ref().and_then(|encoder| encoder.entities.fault()) {
        Some((key, problem)) => Err((format!("policy.encoder.entities.{key}"), problem)),
        None => Ok(()),
    }
}

/// The first weight of a reward term that is out of its range.
pub fn check_weight(term: &str, weight: f64) -> Result<(), Fault> {
    let range = from(-WEIGHT, WEIGHT);
    all_within(vec![Number { key: format!("rewards.{term}"), value: weight, range }])
}

fn all_within(numbers: Vec<Number>) -> Result<(), Fault> {
    match numbers.into_iter().find(|n| !n.range.contains(n.value)) {
        Some(Number { key, value, range }) => {
            let value = match value.abs() {
                // Three hundred digits help nobody.
                1e16.. => format!("{value:e}"),
                _ => value.to_string(),
            };
            Err((key, format!("{value} is out of range; it is {range}")))
        }
        None => Ok(()),
    }
}

/// Every number of a configuration with its range.
pub fn numbers(config: &RunConfig) -> Vec<Number> {
    let mut t = Table::default();
    let RunConfig { rollout, ppo, league, evaluation, recording, checkpoint, stop, run, .. } =
        config;
    beginning(&mut t, config);
    t.count("rollout.matches", rollout.matches as u64, from(1.0, MANY));
    t.count("rollout.horizon", rollout.horizon as u64, from(1.0, 10.0 * MANY));
    t.count("rollout.shard", rollout.shard.map(|n| n as u64), from(1.0, MANY));
    t.number("rollout.patience_secs", rollout.patience_secs, from(1e-3, 1e9));
    t.count("rollout.max_lost", u64::from(rollout.max_lost), from(0.0, MANY));
    t.at = "policy.";
    t.policy(&config.policy);
    t.at = "";

    t.schedule("ppo.learning_rate", Some(&ppo.learning_rate), from(0.0, 10.0));
    t.schedule("ppo.critic_learning_rate", ppo.critic_learning_rate.as_ref(), from(0.0, 10.0));
    t.schedule("ppo.gamma", Some(&ppo.gamma), from(0.0, 1.0));
    t.schedule("ppo.gae_lambda", Some(&ppo.gae_lambda), from(0.0, 1.0));
    t.schedule("ppo.clip", Some(&ppo.clip), from(0.0, 1e3));
    t.schedule("ppo.value_clip", ppo.value_clip.as_ref(), from(0.0, 1e9));
    t.schedule("ppo.value_coef", Some(&ppo.value_coef), from(0.0, 1e3));
    t.schedule("ppo.entropy", Some(&ppo.entropy), from(-1e3, 1e3));
    t.schedule("ppo.novelty", Some(&ppo.novelty), from(0.0, WEIGHT));
    t.schedule("ppo.max_grad_norm", Some(&ppo.max_grad_norm), above(0.0, 1e9));
    t.schedule("ppo.epochs", Some(&ppo.epochs), from(1.0, 1e3));
    t.schedule("ppo.minibatch", Some(&ppo.minibatch), from(1.0, 1e9));
    t.schedule("ppo.target_kl", ppo.target_kl.as_ref(), from(0.0, 1e6));
    t.count("ppo.sequence_length", ppo.sequence_length as u64, from(1.0, 10.0 * MANY));
    t.count("ppo.chunk", ppo.chunk as u64, from(1.0, MANY));
    t.count("ppo.max_bad_updates", ppo.max_bad_updates as u64, from(1.0, MANY));
    let o = &ppo.optimizer;
    t.number("ppo.optimizer.beta1", o.beta1, below(0.0, 1.0));
    t.number("ppo.optimizer.beta2", o.beta2, below(0.0, 1.0));
    t.number("ppo.optimizer.eps", o.eps, from(1e-12, 1.0));
    t.number("ppo.optimizer.weight_decay", o.weight_decay, from(0.0, 10.0));
    t.number("ppo.optimizer.momentum", o.momentum, below(0.0, 1.0));
    t.number("ppo.optimizer.hidden_scale", o.hidden_scale, above(0.0, 1e3));

    for (term, weight) in &config.rewards {
        t.schedule(&format!("rewards.{term}"), Some(weight), from(-WEIGHT, WEIGHT));
    }
    let sharing = &config.reward_sharing;
    t.schedule("reward_sharing.team_spirit", Some(&sharing.team_spirit), from(0.0, 1.0));
    for (opponent, &share) in &config.opponents {
        t.number(&format!("opponents.{opponent}"), share, from(0.0, 1.0));
    }
    t.count("league.every", league.every, from(1.0, STEPS));
    t.count("league.pool", league.pool as u64, from(1.0, 1e4));
    t.number("league.min_elo_diff", league.min_elo_diff, above(0.0, 1e6));
    t.number("league.k", league.k, above(0.0, 1e4));
    t.number("league.delay_chance", league.delay_chance, from(0.0, 1.0));
    t.number("league.deterministic", league.deterministic, from(0.0, 1.0));
    t.number("league.mates", league.mates, from(0.0, 1.0));
    for (i, exploiter) in config.exploiters.iter().enumerate() {
        let key = |name: &str| format!("exploiters.{i}.{name}");
        t.count(&key("rollouts"), exploiter.rollouts, from(1.0, 1e9));
        t.count(&key("delay"), exploiter.delay, from(0.0, STEPS));
        t.number(&key("reset"), exploiter.reset, from(0.0, 1.0));
        t.number(&key("pace"), exploiter.pace, above(0.0, 100.0));
    }
    for (i, noise) in config.observation.noise.iter().enumerate() {
        let key = format!("observation.noise.{i}.scale");
        t.schedule(&key, Some(&noise.scale), from(-WEIGHT, WEIGHT));
    }
    t.count("evaluation.every", evaluation.every, from(1.0, STEPS));
    t.count("evaluation.matches", evaluation.matches as u64, from(1.0, EVALUATED as f64));
    t.count("recording.every", recording.every, from(1.0, STEPS));
    t.count("recording.keep", recording.keep as u64, from(1.0, MANY));
    t.count("checkpoint.every", checkpoint.every, from(1.0, STEPS));
    t.count("checkpoint.keep", checkpoint.keep as u64, from(1.0, MANY));
    t.count("checkpoint.milestones", checkpoint.milestones, from(1.0, STEPS));
    t.count("stop.steps", stop.steps, from(1.0, STEPS));
    t.number("stop.seconds", stop.seconds, above(0.0, 1e9));
    t.number("stop.return", stop.return_reached, from(-1e12, 1e12));
    t.count("run.threads", run.threads.map(|n| n as u64), from(1.0, THREADS as f64));
    t.numbers
}

/// Numbers with their ranges, as they are listed.
#[derive(Default)]
struct Table {
    numbers: Vec<Number>,
    /// What every key begins with.
    at: &'static str,
}

impl Table {
    fn number(&mut self, key: &str, value: impl Into<Option<f64>>, range: Range) {
        let key = format!("{}{key}", self.at);
        self.numbers.extend(value.into().map(|value| Number { key, value, range }));
    }

    fn count(&mut self, key: &str, value: impl Into<Option<u64>>, range: Range) {
        // Rounding to a double matters only beyond every range.
        self.number(key, value.into().map(|value| value as f64), range);
    }

    fn schedule(&mut self, key: &str, schedule: Option<&Schedule>, range: Range) {
        for value in schedule.into_iter().flat_map(Schedule::values) {
            self.number(key, value, range);
        }
    }

    fn policy(&mut self, policy: &PolicyConfig) {
        for (key, sizes) in layers(policy) {
            for &size in sizes {
                self.count(key, size as u64, from(1.0, WIDTH));
            }
        }
        let encoder = policy.encoder.as_ref();
        let heads = encoder.and_then(|e| e.entities.heads);
        self.count("encoder.embedding", encoder.map(|e| e.embedding as u64), from(1.0, WIDTH));
        self.count("encoder.entities.heads", heads.map(|n| n as u64), from(1.0, WIDTH));
        let memory = |memory: &Option<MemoryConfig>, read: fn(&MemoryConfig) -> usize| {
            memory.as_ref().map(|m| read(m) as u64)
        };
        let critic = &policy.critic.memory;
        let (width, height) = (from(1.0, WIDTH), from(1.0, LAYERS as f64));
        self.count("memory.size", memory(&policy.memory, |m| m.size), width);
        self.count("memory.layers", memory(&policy.memory, |m| m.layers), height);
        self.count("critic.memory.size", memory(critic, |m| m.size), width);
        self.count("critic.memory.layers", memory(critic, |m| m.layers), height);
    }
}

/// The layers of a network, by key.
fn layers(policy: &PolicyConfig) -> [(&'static str, &[usize]); 4] {
    let encoder = policy.encoder.as_ref();
    [
        ("hidden", &policy.hidden),
        ("heads.hidden", &policy.heads.hidden),
        ("critic.hidden", policy.critic.hidden.as_deref().unwrap_or(&[])),
        ("encoder.entities.hidden", encoder.map_or(&[], |e| &e.entities.hidden)),
    ]
}

/// Every schedule of a configuration, by key.
fn schedules(config: &RunConfig) -> Vec<(String, &Schedule)> {
    let mut begun = vec![
        ("clone.learning_rate".to_owned(), &config.clone.learning_rate),
        ("clone.control".to_owned(), &config.clone.control),
    ];
    begun.extend(config.start.anchor.iter().map(|a| ("start.anchor.kl".to_owned(), &a.kl)));
    let ppo = config.ppo.schedules().into_iter();
    let rewards = config.rewards.iter().map(|(term, w)| (format!("rewards.{term}"), w));
    let ppo = ppo.map(|(key, schedule)| (format!("ppo.{key}"), schedule));
    ppo.chain(rewards).chain(begun).collect()
}

/// The numbers of `start` and `clone`.
fn beginning(t: &mut Table, config: &RunConfig) {
    let (start, clone) = (&config.start, &config.clone);
    t.count("start.critic_warmup", start.critic_warmup, from(0.0, STEPS));
    for freeze in &start.freeze {
        t.count("start.freeze", freeze.steps, from(0.0, STEPS));
    }
    if let Some(anchor) = &start.anchor {
        t.schedule("start.anchor.kl", Some(&anchor.kl), from(0.0, 1e6));
        t.count("start.anchor.renew", anchor.renew, from(1.0, STEPS));
    }
    t.count("clone.rounds", clone.rounds as u64, from(0.0, MANY));
    t.count("clone.round_matches", clone.round_matches as u64, from(1.0, MANY));
    t.schedule("clone.control", Some(&clone.control), from(0.0, 1.0));
    t.count("clone.epochs", clone.epochs as u64, from(1.0, MANY));
    t.count("clone.minibatch", clone.minibatch as u64, from(1.0, MANY));
    t.schedule("clone.learning_rate", Some(&clone.learning_rate), from(0.0, 10.0));
    t.number("clone.smoothing", clone.smoothing, below(0.0, 1.0));
    t.number("clone.entropy", clone.entropy, from(0.0, 1e3));
    t.number("clone.value_coef", clone.value_coef, from(0.0, 1e3));
    t.number("clone.balance", clone.balance, from(0.0, 1.0));
    t.number("clone.max_grad_norm", clone.max_grad_norm, above(0.0, 1e9));
    t.count("clone.looks", clone.looks as u64, from(1.0, 1e3));
    t.count("clone.patience", clone.patience.map(|n| n as u64), from(1.0, MANY));
    t.count("clone.window_mib", clone.window_mib as u64, from(1.0, 65_536.0));
    t.count("clone.sequence_length", clone.sequence_length as u64, from(1.0, MANY));
    if let Some(play) = &clone.play {
        t.count("clone.play.matches", play.matches as u64, from(1.0, MANY));
        t.number("clone.play.held_out", play.held_out, from(0.0, 0.9));
    }
}

/// Every list of a configuration with the most entries it may have.
fn lists(config: &RunConfig) -> Vec<(String, usize, usize)> {
    let mut lists = vec![
        ("exploiters".to_owned(), config.exploiters.len(), EXPLOITERS),
        ("curriculum".to_owned(), config.curriculum.len(), ENTRIES),
        ("observation.noise".to_owned(), config.observation.noise.len(), ENTRIES),
    ];
    lists.extend(layers(&config.policy).map(|(key, l)| (format!("policy.{key}"), l.len(), LAYERS)));
    lists
}

#[cfg(test)]
#[path = "ranges_tests.rs"]
mod tests;

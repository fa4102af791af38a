//! How much memory a run will take, reckoned before any of it is allocated.
//!
//! A preset is a page of numbers, and one zero too many asks for more than any machine has. The
//! estimate is a pure function of the game's spec and the configuration, in arithmetic that
//! saturates; [`Estimate::check`] compares it with what the machine has left. It counts every seat
//! as acting in every step, so it is on the safe side where seats wait or are scripted.

mod machine;

use std::fmt;

use lanista_game::{Layout, Spec};
use lanista_league::Exploiter;
use lanista_learn::minibatch::LANES;
use lanista_learn::size::{Count, PolicySize, count};
use lanista_learn::{PolicyConfig, Shape};
use thiserror::Error;

use crate::config::RunConfig;
use crate::roles::{RoleFault, RoleSettings};
use crate::stack::Stack;

pub use machine::{VARIABLE, available};

/// Bytes of a number.
const NUMBER: usize = 4;
/// The program, its tables and what the allocator keeps back.
const PROGRAM: usize = 12 << 20;
/// A thread's stack as far as it is touched, and its scratch for matrix products.
const THREAD: usize = 1 << 20;
/// What a game keeps of a match, about: games do not say. Measured: 1 KiB for the classic games, 7 KiB
/// for Old School RuneScape, 180 KiB for Rocket League, whose samples outweigh its matches.
const GAME: usize = 32 << 10;
/// Steps of a match whose actions are recorded, about: games do not say how long they last.
const RECORDED: usize = 2048;
/// What is kept of a finished match besides its numbers.
const FINISHED: usize = 200;
/// Most matches of an evaluation that are played side by side.
pub(crate) const SLOTS: usize = 256;
/// Matches of an evaluation that a thread plays together.
pub(crate) const SHARD: usize = 16;
/// Bytes of a sample besides what depends on the game: what is known of an act, its advantage, and
/// its place in a shuffle.
const SAMPLE: usize = 52;

/// One thing that takes memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// What it is.
    pub what: String,
    /// How much it takes.
    pub bytes: u128,
    /// What to lower for less.
    pub lower: &'static str,
}

/// What a command needs, part by part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// The parts, in the order in which they are explained.
    pub needs: Vec<Need>,
}

/// More memory than there is.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "this needs about {} of memory, and there are {} left; lower what needs most:\n{estimate}\n\
     if there is more than that, say so with {VARIABLE}=GIB", Bytes(estimate.bytes()),
    Bytes(u128::from(*left))
)]
pub struct TooLarge {
    /// What is needed.
    pub estimate: Estimate,
    /// What the machine has left, in bytes.
    pub left: u64,
}

impl Estimate {
    /// All parts together.
    pub fn bytes(&self) -> u128 {
        self.needs.iter().fold(0, |sum, need| sum.saturating_add(need.bytes))
    }

    /// Refuses what does not fit into the memory that the machine has left.
    pub fn check(&self) -> Result<(), TooLarge> {
        self.check_within(available())
    }

    /// Refuses what does not fit into so many bytes.
    pub fn check_within(&self, left: u64) -> Result<(), TooLarge> {
        if self.bytes() <= u128::from(left) {
            return Ok(());
        }
        Err(TooLarge { estimate: self.clone(), left })
    }

    fn add(&mut self, what: impl Into<String>, bytes: Count, lower: &'static str) {
        if bytes > count(0) {
            self.needs.push(Need { what: what.into(), bytes: bytes.0, lower });
        }
    }

    fn program(&mut self, threads: usize) {
        self.add("the program", count(PROGRAM), "");
        self.add("threads", count(threads) * count(THREAD), "run.threads");
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.needs.iter().map(|n| n.what.chars().count()).max().unwrap_or(0).max(8);
        for need in &self.needs {
            let line = format!("  {:width$}  {:>10}  {}", need.what, Bytes(need.bytes), need.lower);
            writeln!(f, "{}", line.trim_end())?;
        }
        write!(f, "  {:width$}  {:>10}", "together", Bytes(self.bytes()))
    }
}

/// Bytes as people write them.
struct Bytes(u128);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        let text = match self.0 >> 20 {
            0..1024 => format!("{:.1} MiB", bytes / f64::from(1 << 20)),
            0x400..0x10_0000 => format!("{:.1} GiB", bytes / f64::from(1 << 30)),
            0x10_0000..0x4000_0000 => format!("{:.1} TiB", bytes / (1u64 << 40) as f64),
            _ => "over 1 PiB".to_owned(),
        };
        f.pad(&text)
    }
}

/// What a run takes. `spec` is the game as policies see it, stacked frames included; `exploiters`
/// are those of the run with the configuration each trains on.
pub fn estimate(
    spec: &Spec,
    config: &RunConfig,
    exploiters: &[(Exploiter, RunConfig)],
    threads: usize,
) -> Result<Estimate, RoleFault> {
    let mut estimate = Estimate::default();
    estimate.program(threads);
    let roles = config.roles(spec)?;
    learner(&mut estimate, spec, config, &roles, "");
    for (number, (_, config)) in exploiters.iter().enumerate() {
        let whose = format!(" of exploiter {number}");
        learner(&mut estimate, spec, config, &config.roles(spec)?, &whose);
    }
    let sizes = sizes(spec, &roles);
    if spec.teams() > 1 && (config.meets_past() || !config.curriculum.is_empty()) {
        let pool = count(config.league.pool) + count(1);
        let all = sizes.iter().fold(count(0), |sum, (_, size)| sum + weights(size));
        estimate.add("past policies", pool * all, "league.pool");
    }
    let evaluated = config.evaluation.matches;
    let e = evaluation(spec, &sizes, &config.observation.stack, evaluated);
    estimate.add("evaluation", e, "evaluation.matches");
    Ok(estimate)
}

/// The networks of the roles that are learnt.
fn sizes(spec: &Spec, roles: &[RoleSettings]) -> Vec<(usize, PolicySize)> {
    let learnt = roles.iter().enumerate().filter(|(_, settings)| settings.played_by.is_none());
    let size = |(role, settings): (usize, &RoleSettings)| {
        (role, PolicySize::of(&Shape::of(&spec.roles[role]), &settings.policy))
    };
    learnt.map(size).collect()
}

/// What an evaluation of policies against each other takes.
pub fn estimate_evaluation(
    spec: &Spec,
    policies: &[&PolicyConfig],
    stack: &Stack,
    matches: usize,
    threads: usize,
) -> Estimate {
    let mut estimate = Estimate::default();
    estimate.program(threads);
    for (number, policy) in policies.iter().enumerate() {
        // Whichever role it is of: the largest.
        let roles = spec.roles.iter().enumerate();
        let sizes = roles.map(|(role, r)| (role, PolicySize::of(&Shape::of(r), policy)));
        let size = sizes.max_by_key(|(_, size)| size.parameters);
        let Some((role, size)) = size else { continue };
        // Weights, and the file that they are read from.
        let what = format!("weights of model {number}");
        estimate.add(what, weights(&size) * count(3), "the model's policy");
        let played = evaluation(spec, &[(role, size)], stack, matches);
        estimate.add("matches", played, "--matches");
    }
    estimate
}

/// What a decision over so many rows takes.
pub fn estimate_decision(spec: &Spec, config: &RunConfig, rows: usize) -> Estimate {
    let role = &spec.roles[0];
    let size = PolicySize::of(&Shape::of(role), &config.policy);
    let mut estimate = Estimate::default();
    estimate.program(1);
    estimate.add("weights", weights(&size), POLICY_KEYS);
    let inputs = count(role.features() + role.privileged.len() + role.actions()) * count(2);
    let row = inputs + size.forward + size.actor_state + size.critic_state;
    estimate.add("rows", count(rows) * row * count(NUMBER), "--batch");
    estimate
}

/// What bare matches of a game take, so many on each thread.
pub fn estimate_game(spec: &Spec, stack: &Stack, matches: usize, threads: usize) -> Estimate {
    let mut estimate = Estimate::default();
    estimate.program(threads);
    let matches = count(matches) * count(threads);
    estimate.add("matches", matches * (count(GAME) + shown(spec, stack)), "--matches");
    estimate
}

const POLICY_KEYS: &str = "policy.hidden, policy.memory, policy.heads.hidden, policy.critic";

/// Bytes of a policy's weights, with the names of its tensors.
fn weights(size: &PolicySize) -> Count {
    size.parameters * count(NUMBER) + size.tensors * count(200)
}

/// What one agent takes: weights and their gradients, rollouts, and matches.
fn learner(
    estimate: &mut Estimate,
    spec: &Spec,
    config: &RunConfig,
    roles: &[RoleSettings],
    whose: &str,
) {
    let sizes = sizes(spec, roles);
    for (role, size) in &sizes {
        let whose = match spec.roles.len() {
            1 => whose.to_owned(),
            _ => format!(" of the role {}{whose}", spec.roles[*role].name),
        };
        learnt(estimate, spec, config, (*role, &roles[*role]), size, &whose);
    }
    let match_ = per_match(spec, &sizes, &config.observation.stack);
    let choices = spec.seats.iter().map(|seat| spec.roles[seat.role].heads.len()).sum::<usize>();
    let recorded = count(RECORDED * NUMBER * choices);
    estimate.add(
        format!("matches{whose}"),
        count(config.rollout.matches) * (match_ + recorded),
        "rollout.matches, observation.stack",
    );
}

/// What one role of an agent takes: weights and their gradients, and rollouts.
fn learnt(
    estimate: &mut Estimate,
    spec: &Spec,
    config: &RunConfig,
    (index, settings): (usize, &RoleSettings),
    size: &PolicySize,
    whose: &str,
) {
    let role = &spec.roles[index];
    let seats = spec.seats.iter().filter(|seat| seat.role == index).count();
    let (ppo, rollout) = (&settings.ppo, &config.rollout);
    let recurrent = size.actor_state + size.critic_state > count(0);
    let samples = count(rollout.matches) * count(rollout.horizon) * count(seats);
    if config.start.anchor.is_some() {
        // What it says of every sample, and its own weights.
        let said = samples * count(role.actions() * NUMBER) + size.parameters * count(NUMBER);
        estimate.add(format!("the anchor{whose}"), said, "rollout.horizon");
    }

    // The policy, its gradient and two moments; the same again as bytes while they are saved.
    let kept = size.parameters * count(9);
    let largest_batch = ppo.minibatch.values().into_iter().fold(1.0, f64::max) as usize;
    let largest_batch = count(largest_batch).min(samples);
    let chunk = count(ppo.chunk).min(largest_batch).max(count(1));
    let (items, rows) = match recurrent {
        // Sequences, an eighth of a chunk at a time.
        true => {
            let length = count(ppo.sequence_length.min(rollout.horizon)).max(count(1));
            let sequences = largest_batch / length + count(1);
            let at_once = (count(ppo.chunk) / count(8)).max(count(1)).min(sequences);
            (sequences, at_once * length)
        }
        false => (largest_batch, chunk),
    };
    let at_once = if recurrent { (count(ppo.chunk) / count(8)).max(count(1)) } else { chunk };
    let lanes = ((items + at_once - count(1)) / at_once).min(count(LANES));
    let gradients = lanes * size.parameters;
    // Four matrices of Muon's iteration.
    let muon = match ppo.optimizer.name {
        lanista_learn::config::OptimizerName::Muon => size.largest * count(5),
        _ => count(0),
    };
    let weights = (kept + gradients + muon) * count(NUMBER) + size.tensors * count(200);
    estimate.add(format!("weights and gradients{whose}"), weights, POLICY_KEYS);

    let inputs = count(role.features() + role.privileged.len() + role.actions());
    let row = inputs + size.forward + size.backward + count(8);
    estimate.add(
        format!("gradients of a minibatch{whose}"),
        lanes * rows * row * count(NUMBER),
        "ppo.chunk, ppo.minibatch, ppo.sequence_length",
    );

    let seen = count(role.features() + role.privileged.len()) * count(NUMBER);
    let acted = count(role.actions() + NUMBER * role.heads.len() + SAMPLE);
    // A sequence begins every so many samples of a row, and in every row.
    let length = count(ppo.sequence_length.clamp(1, rollout.horizon.max(1)));
    let rows = count(rollout.matches) * count(seats);
    let states = (size.actor_state + size.critic_state) * count(NUMBER) + count(8);
    let sequences = samples / length + rows;
    estimate.add(
        format!("rollout{whose}"),
        samples * (seen + acted) + sequences * states,
        "rollout.matches, rollout.horizon, observation.stack",
    );
}

/// Bytes of what a match shows, with the frames before it.
fn shown(spec: &Spec, stack: &Stack) -> Count {
    let layout = Layout::of(spec);
    let frames = stack.frames().len().max(1);
    let frame = count(layout.features / frames);
    let depth = stack.frames().iter().max().map_or(0, |&f| f);
    let past = if depth > 0 { frame * count(depth + 1) } else { count(0) };
    let seat = count(layout.features + layout.privileged + 2 * layout.terms) + past;
    let bytes = count(2 * layout.actions + layout.pair_values + 64);
    count(layout.seats()) * (seat * count(NUMBER) + bytes)
}

/// Bytes of a match that is played: the game, what it shows, and the rows that look at it.
fn per_match(spec: &Spec, sizes: &[(usize, PolicySize)], stack: &Stack) -> Count {
    let rows = sizes.iter().fold(count(0), |sum, (index, size)| {
        let role = &spec.roles[*index];
        let seats = spec.seats.iter().filter(|seat| seat.role == *index).count();
        let inputs = count(2 * role.features() + role.privileged.len() + role.actions());
        let row = inputs + size.forward + (size.actor_state + size.critic_state) * count(3);
        sum + count(seats) * row
    });
    count(GAME) + shown(spec, stack) + rows * count(NUMBER)
}

/// Bytes of an evaluation besides the policies that play.
fn evaluation(spec: &Spec, sizes: &[(usize, PolicySize)], stack: &Stack, matches: usize) -> Count {
    let slots = matches.min(SLOTS.next_multiple_of(SHARD));
    let numbers = spec.terms.len() + spec.teams() + spec.stats.len();
    let finished = count(FINISHED + NUMBER * numbers);
    // Results are gathered shard by shard, and then once more.
    count(slots) * per_match(spec, sizes, stack) + count(matches) * finished * count(2)
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;

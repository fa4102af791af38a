//! Rows of many clients through one policy at once.

use lanista_learn::{Choose, Inputs, Policy, Scratch, categorical};

use crate::ask::Row;
use crate::model::Weights;

/// Rows that go through a policy together; warm, it allocates nothing.
#[derive(Default)]
pub struct Batch {
    inputs: Inputs,
    scratch: Scratch,
    /// `[rows, heads]`
    draws: Vec<Option<f32>>,
    valued: bool,
}

/// What came of one row.
pub struct Outcome<'a> {
    /// `[heads]`
    pub actions: &'a [u32],
    /// Of the joint action.
    pub log_prob: f32,
    /// What the critic says, if it was asked.
    pub value: Option<f32>,
    /// Memory after the decision.
    pub actor_state: &'a [f32],
    /// The critic's.
    pub critic_state: &'a [f32],
    /// Which policy decided.
    pub weights: &'a Weights,
    /// `[actions]`
    logits: &'a [f32],
    /// `[actions]`: what was legal after the choices of earlier heads.
    legal: &'a [bool],
}

impl Batch {
    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.inputs.clear();
        self.draws.clear();
    }

    /// Takes a row over, with what the critic sees if values are asked for.
    pub fn add(&mut self, row: &Row, values: bool) {
        let inputs = &mut self.inputs;
        inputs.rows += 1;
        inputs.observation.extend_from_slice(&row.observation);
        if values {
            inputs.privileged.extend_from_slice(&row.privileged);
        }
        inputs.mask.extend_from_slice(&row.mask);
        inputs.forbidden.extend_from_slice(&row.forbidden);
        inputs.actor_state.extend_from_slice(&row.actor_state);
        inputs.critic_state.extend_from_slice(&row.critic_state);
        inputs.reset.push(row.fresh);
        self.draws.extend_from_slice(&row.draws);
    }

    /// Decides all rows in one pass, with the critic if values are asked for.
    pub fn decide(&mut self, policy: &Policy, values: bool) {
        let heads = policy.shape().heads.len();
        self.inputs.packing.set_single(self.inputs.rows);
        self.valued = values;
        policy.prepare(&mut self.inputs);
        let draws = &self.draws;
        let draw = |row: usize, head: usize| draws[row * heads + head];
        let (inputs, scratch) = (&mut self.inputs, &mut self.scratch);
        match values {
            true => policy.act(inputs, scratch, Choose::Each(&draw)),
            false => policy.choose(inputs, scratch, Choose::Each(&draw)),
        }
    }

    /// What came of the `i`-th row.
    pub fn outcome<'a>(&'a self, weights: &'a Weights, i: usize) -> Outcome<'a> {
        fn part<T>(all: &[T], size: usize, i: usize) -> &[T] {
            &all[i * size..(i + 1) * size]
        }
        let shape = weights.policy.shape();
        let (actor, critic) = weights.policy.state_sizes();
        Outcome {
            actions: part(&self.inputs.actions, shape.heads.len(), i),
            log_prob: self.scratch.log_probs[i],
            value: self.valued.then(|| self.scratch.values[i]),
            actor_state: part(&self.inputs.actor_state, actor, i),
            critic_state: part(&self.inputs.critic_state, critic, i),
            weights,
            logits: part(&self.scratch.logits, shape.actions(), i),
            legal: part(&self.inputs.mask, shape.actions(), i),
        }
    }
}

/// The distribution of one head.
pub struct Head<'a> {
    /// Of every action; 0 where it was illegal.
    pub probs: &'a [f32],
    /// What was chosen.
    pub action: u32,
    /// In nats.
    pub entropy: f32,
}

impl Outcome<'_> {
    /// Shows the distributions head by head, in buffers that are used again.
    pub fn heads(&self, probs: &mut Vec<f32>, mut show: impl FnMut(Head)) {
        let mut at = 0;
        for (&size, &action) in self.weights.policy.shape().heads.iter().zip(self.actions) {
            probs.clear();
            probs.resize(size, 0.0);
            let (logits, legal) = (&self.logits[at..at + size], &self.legal[at..at + size]);
            let entropy = categorical::evaluate(logits, legal, action, probs).entropy;
            show(Head { probs, action, entropy });
            at += size;
        }
    }
}

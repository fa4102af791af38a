//! The policy: observations and masks in, actions and values out, and gradients back.

use lanista_nn::{Group, Initializer, Layout, Linear, Mlp, MlpCache, Packing, grow};

use crate::body::{Body, BodyCache, Sequences};
use crate::categorical;
use crate::config::PolicyConfig;
use crate::heads::{Heads, HeadsCache};
use crate::normalizer::Normalizer;
use crate::shape::{self, Shape};
use crate::structure::Structure;

/// An actor and a critic with their weights and normalisers.
#[derive(Clone, Debug)]
pub struct Policy {
    shape: Shape,
    config: PolicyConfig,
    /// What an observation consists of, if the policy has an encoder for it.
    structure: Option<Structure>,
    layout: Layout,
    actor: Body,
    heads: Heads,
    critic: Critic,
    /// The weights, in the order of [`Policy::layout`].
    pub params: Vec<f32>,
    /// Of the observation; `None` when the preset does not normalise.
    pub normalizer: Option<Normalizer>,
    /// Of the privileged inputs.
    pub privileged_normalizer: Option<Normalizer>,
}

#[derive(Clone, Debug)]
enum Critic {
    /// Layers on top of the actor's body and the privileged inputs.
    Shared { hidden: Mlp, value: Linear },
    /// A body of its own over the observation and the privileged inputs.
    Separate { body: Body, value: Linear },
}

/// Rows that go into a policy together, gathered by the caller.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// How many rows.
    pub rows: usize,
    /// `[rows, features]`, raw; [`Policy::prepare`] normalises it in place.
    pub observation: Vec<f32>,
    /// `[rows, privileged]`, raw likewise.
    pub privileged: Vec<f32>,
    /// `[rows, actions]`; acting narrows it by the choices made.
    pub mask: Vec<bool>,
    /// `[rows, pair values]`: combinations that are forbidden; read by acting alone.
    pub forbidden: Vec<bool>,
    /// `[rows, heads]`; written by acting, read by learning.
    pub actions: Vec<u32>,
    /// `[rows]`: an episode starts here.
    pub reset: Vec<bool>,
    /// Which rows follow which.
    pub packing: Packing,
    /// `[sequences, actor state]`
    pub actor_state: Vec<f32>,
    /// `[sequences, critic state]`
    pub critic_state: Vec<f32>,
}

/// Everything a pass through the policy leaves behind; warm, it never allocates.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    actor: BodyCache,
    heads: HeadsCache,
    critic: BodyCache,
    critic_hidden: MlpCache,
    critic_input: Vec<f32>,
    d_actor: Vec<f32>,
    d_critic: Vec<f32>,
    d_critic_input: Vec<f32>,
    /// `[actions]`: the probabilities of the row that a loss works on.
    pub(crate) probs: Vec<f32>,
    /// `[rows, actions]`
    pub logits: Vec<f32>,
    /// `[rows]`
    pub values: Vec<f32>,
    /// `[rows]`: written by acting.
    pub log_probs: Vec<f32>,
    /// `[rows, actions]`: what [`Policy::backward`] starts from.
    pub d_logits: Vec<f32>,
    /// `[rows]`: likewise.
    pub d_values: Vec<f32>,
}

/// How actions are chosen.
pub enum Choose<'a> {
    /// The most likely legal action.
    Best,
    /// At random, from a uniform number per `(row, head)`.
    Sample(&'a dyn Fn(usize, usize) -> f32),
    /// What was chosen already, by `(row, head)`: to see how likely it was.
    Known(&'a dyn Fn(usize, usize) -> u32),
    /// Row by row: at random where there is a number, the most likely where there is none.
    Each(&'a dyn Fn(usize, usize) -> Option<f32>),
}

impl Inputs {
    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.rows = 0;
        self.observation.clear();
        self.privileged.clear();
        self.mask.clear();
        self.forbidden.clear();
        self.actions.clear();
        self.reset.clear();
        self.actor_state.clear();
        self.critic_state.clear();
    }
}

impl Policy {
    /// A policy with fresh weights.
    pub fn new(shape: Shape, config: &PolicyConfig, seed: u64) -> Self {
        let mut policy = Self::blank(shape, config);
        let (params, mut init) = (&mut policy.params, Initializer::new(seed));
        policy.actor.init(params, &mut init);
        policy.heads.init(params, &mut init);
        match &policy.critic {
            Critic::Shared { hidden, value } => {
                hidden.init(params, &mut init);
                value.init(params, 1.0, &mut init);
            }
            Critic::Separate { body, value } => {
                body.init(params, &mut init);
                value.init(params, 1.0, &mut init);
            }
        }
        policy
    }

    /// A policy whose weights are all zero, for weights that are read from somewhere: fresh ones
    /// cost a decomposition of every matrix.
    ///
    /// # Panics
    ///
    /// If the groups of the shape do not cover its observation, or if the encoder's configuration
    /// has a fault ([`crate::config::EntitiesConfig::fault`]).
    pub fn blank(shape: Shape, config: &PolicyConfig) -> Self {
        let groups: Vec<&shape::Group> = shape.groups.iter().collect();
        let covered: usize = groups.iter().map(|group| group.features()).sum();
        assert_eq!(covered, shape.features, "numbers in the groups and in the observation");
        let activation = config.activation.into();
        let mut layout = Layout::default();
        let (hidden, memory) = (&config.hidden, config.memory.as_ref());
        let actor = Body::new(&mut layout, "actor", &groups, hidden, memory, config, Group::Actor);
        let heads =
            Heads::new(&mut layout, actor.output(), &shape.heads, &config.heads, activation);
        let critic = if config.critic.shared {
            let input = actor.output() + shape.privileged;
            let sizes = config.critic.hidden.as_deref().unwrap_or(&[]);
            let (name, norm) = ("critic.hidden", config.layer_norm);
            let hidden = Mlp::new(&mut layout, name, input, sizes, activation, norm, Group::Critic);
            let output = hidden.output();
            let value = Linear::new(&mut layout, "critic.value", output, 1, Group::Critic, false);
            Critic::Shared { hidden, value }
        } else {
            // What is privileged is plain, beside what all see.
            let privileged = shape::Group::Plain { features: shape.privileged };
            let groups: Vec<&shape::Group> = groups.into_iter().chain([&privileged]).collect();
            let hidden = config.critic.hidden.as_ref().unwrap_or(hidden);
            let memory = config.critic.memory.as_ref().or(memory);
            let body =
                Body::new(&mut layout, "critic", &groups, hidden, memory, config, Group::Critic);
            let output = body.output();
            let value = Linear::new(&mut layout, "critic.value", output, 1, Group::Critic, false);
            Critic::Separate { body, value }
        };
        let params = vec![0.0; layout.len()];
        let encoded = config.encoder.is_some() && shape.structured();
        let structure = encoded.then(|| Structure::of(&shape.groups));
        let normalizer = config.normalize_observations.then(|| match &structure {
            Some(structure) => Normalizer::structured(shape.features, structure),
            None => Normalizer::new(shape.features),
        });
        let privileged_normalizer =
            config.normalize_observations.then(|| Normalizer::new(shape.privileged));
        Self {
            shape,
            config: config.clone(),
            structure,
            layout,
            actor,
            heads,
            critic,
            params,
            normalizer,
            privileged_normalizer,
        }
    }

    /// What goes in and comes out.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// What its network was asked to be.
    pub fn config(&self) -> &PolicyConfig {
        &self.config
    }

    /// What an observation consists of, if the policy has an encoder for it.
    pub(crate) fn structure(&self) -> Option<&Structure> {
        self.structure.as_ref()
    }

    /// The normaliser of observations learns from what was seen.
    pub(crate) fn normalize<'a>(&mut self, batches: impl Iterator<Item = &'a [f32]> + Clone) {
        match (&mut self.normalizer, &self.structure) {
            (None, _) => {}
            (Some(normalizer), None) => normalizer.update(batches),
            (Some(normalizer), Some(structure)) => {
                normalizer.update_structured(structure, batches);
            }
        }
    }

    /// The names and places of the weights.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Numbers in a row's actor state and critic state.
    pub fn state_sizes(&self) -> (usize, usize) {
        let critic = match &self.critic {
            Critic::Shared { .. } => 0,
            Critic::Separate { body, .. } => body.state_size(),
        };
        (self.actor.state_size(), critic)
    }

    /// Does the policy remember?
    pub fn recurrent(&self) -> bool {
        self.state_sizes() != (0, 0)
    }

    /// Normalises the rows in place. Every pass below expects prepared rows.
    pub fn prepare(&self, inputs: &mut Inputs) {
        if let Some(normalizer) = &self.normalizer {
            normalizer.apply(&mut inputs.observation);
        }
        if let Some(normalizer) = &self.privileged_normalizer {
            normalizer.apply(&mut inputs.privileged);
        }
    }

    /// One step of every row: chooses actions, leaves their log-probabilities and the values in
    /// `scratch`, narrows the masks, and moves the states on.
    pub fn act(&self, inputs: &mut Inputs, scratch: &mut Scratch, choose: Choose) {
        self.choose(inputs, scratch, choose);
        self.forward_critic(inputs, scratch);
        if let Critic::Separate { body, .. } = &self.critic {
            body.state_after(inputs.rows, &scratch.critic, &mut inputs.critic_state);
        }
    }

    /// One step of every row without the critic: for those who play and do not learn.
    pub fn choose(&self, inputs: &mut Inputs, scratch: &mut Scratch, choose: Choose) {
        let rows = inputs.rows;
        let (heads, actions) = (self.shape.heads.len(), self.shape.actions());
        let pairs = self.shape.pair_values;
        self.forward_actor(inputs, scratch);
        let Scratch { actor, heads: cache, logits, log_probs, .. } = scratch;
        grow(logits, rows * actions);
        grow(log_probs, rows);
        log_probs[..rows].fill(0.0);
        inputs.actions.clear();
        inputs.actions.resize(rows * heads, 0);
        let body = self.actor.result(&inputs.observation, actor);
        let one_by_one = self.heads.sequential();
        if !one_by_one {
            self.heads.forward(&self.params, rows, body, &inputs.actions, logits, cache);
        }
        let mut offset = 0;
        for (h, &size) in self.shape.heads.iter().enumerate() {
            if one_by_one {
                let known = &inputs.actions;
                self.heads.forward_head(h, &self.params, rows, body, known, logits, cache);
            }
            for r in 0..rows {
                let at = r * actions + offset;
                let logits = &logits[at..at + size];
                let mask = &mut inputs.mask[at..at + size];
                let action = &mut inputs.actions[r * heads..(r + 1) * heads];
                let forbidden = &inputs.forbidden[r * pairs..(r + 1) * pairs];
                self.shape.narrow(h, action, mask, forbidden);
                let (choice, log_prob) = match &choose {
                    Choose::Best => categorical::best(logits, mask),
                    Choose::Sample(uniform) => categorical::sample(logits, mask, uniform(r, h)),
                    Choose::Known(known) => {
                        let choice = known(r, h);
                        (choice, categorical::log_prob(logits, mask, choice))
                    }
                    Choose::Each(uniform) => match uniform(r, h) {
                        Some(uniform) => categorical::sample(logits, mask, uniform),
                        None => categorical::best(logits, mask),
                    },
                };
                action[h] = choice;
                log_probs[r] += log_prob;
            }
            offset += size;
        }
        self.actor.state_after(rows, &scratch.actor, &mut inputs.actor_state);
    }

    /// One step of every row without any choice: only the states move on.
    pub(crate) fn live(&self, inputs: &mut Inputs, scratch: &mut Scratch) {
        self.forward_actor(inputs, scratch);
        self.forward_critic(inputs, scratch);
        self.actor.state_after(inputs.rows, &scratch.actor, &mut inputs.actor_state);
        if let Critic::Separate { body, .. } = &self.critic {
            body.state_after(inputs.rows, &scratch.critic, &mut inputs.critic_state);
        }
    }

    /// The values of rows alone, for bootstrapping; states stay as they are.
    pub fn value(&self, inputs: &Inputs, scratch: &mut Scratch) {
        if let Critic::Shared { .. } = self.critic {
            self.forward_actor(inputs, scratch);
        }
        self.forward_critic(inputs, scratch);
    }

    /// Logits and values of rows whose actions are known.
    pub fn forward(&self, inputs: &Inputs, scratch: &mut Scratch) {
        self.forward_choices(inputs, scratch);
        self.forward_critic(inputs, scratch);
    }

    /// The half of [`Policy::forward`] that chooses: what nobody asks the critic need not be reckoned.
    pub(crate) fn forward_choices(&self, inputs: &Inputs, scratch: &mut Scratch) {
        let rows = inputs.rows;
        self.forward_actor(inputs, scratch);
        grow(&mut scratch.logits, rows * self.shape.actions());
        let Scratch { actor, heads, logits, .. } = scratch;
        let body = self.actor.result(&inputs.observation, actor);
        self.heads.forward(&self.params, rows, body, &inputs.actions, logits, heads);
    }

    fn forward_actor(&self, inputs: &Inputs, scratch: &mut Scratch) {
        let sequences = inputs.sequences(&inputs.actor_state);
        let x = &inputs.observation;
        self.actor.forward(&self.params, inputs.rows, x, sequences, &mut scratch.actor);
    }

    fn forward_critic(&self, inputs: &Inputs, scratch: &mut Scratch) {
        let rows = inputs.rows;
        let Scratch { actor, critic, critic_hidden, critic_input, values, .. } = scratch;
        grow(values, rows);
        match &self.critic {
            Critic::Shared { hidden, value } => {
                let body = self.actor.result(&inputs.observation, actor);
                let x = beside(body, &inputs.privileged, rows, self.actor.output(), critic_input);
                hidden.forward(&self.params, rows, x, critic_hidden);
                value.forward(&self.params, rows, critic_hidden.output(x), values);
            }
            Critic::Separate { body, value } => {
                let features = self.shape.features;
                let x =
                    beside(&inputs.observation, &inputs.privileged, rows, features, critic_input);
                let sequences = inputs.sequences(&inputs.critic_state);
                body.forward(&self.params, rows, x, sequences, critic);
                value.forward(&self.params, rows, body.result(x, critic), values);
            }
        }
    }

    /// Adds to `grads` what `scratch.d_logits` and `scratch.d_values` say about the last
    /// [`Policy::forward`] on the same rows.
    pub fn backward(&self, inputs: &Inputs, scratch: &mut Scratch, grads: &mut [f32]) {
        self.backward_heads(inputs, scratch, grads);
        self.backward_critic(inputs, scratch, grads);
        self.backward_actor(inputs, scratch, grads);
    }

    /// Adds to `grads` what `scratch.d_logits` says about the last [`Policy::forward_choices`] on the same
    /// rows.
    pub(crate) fn backward_choices(
        &self,
        inputs: &Inputs,
        scratch: &mut Scratch,
        grads: &mut [f32],
    ) {
        self.backward_heads(inputs, scratch, grads);
        self.backward_actor(inputs, scratch, grads);
    }

    fn backward_heads(&self, inputs: &Inputs, scratch: &mut Scratch, grads: &mut [f32]) {
        let rows = inputs.rows;
        let Scratch { actor, heads, d_actor, d_logits, .. } = scratch;
        grow(d_actor, rows * self.actor.output());
        let (params, body) = (&self.params, self.actor.result(&inputs.observation, actor));
        self.heads.backward(params, rows, body, &inputs.actions, d_logits, d_actor, heads, grads);
    }

    fn backward_critic(&self, inputs: &Inputs, scratch: &mut Scratch, grads: &mut [f32]) {
        let rows = inputs.rows;
        let params = &self.params;
        let width = self.actor.output();
        let Scratch {
            actor,
            critic,
            critic_hidden,
            critic_input,
            d_actor,
            d_critic,
            d_critic_input,
            d_values,
            ..
        } = scratch;
        match &self.critic {
            Critic::Shared { hidden, value } => {
                let wide = self.shape.privileged > 0;
                let body = self.actor.result(&inputs.observation, actor);
                let x: &[f32] = if wide { critic_input } else { body };
                grow(d_critic, rows * hidden.output());
                let y = critic_hidden.output(x);
                value.backward(params, rows, y, d_values, Some(d_critic), grads);
                let input = width + self.shape.privileged;
                let d_input = if hidden.is_identity() {
                    d_critic
                } else {
                    grow(d_critic_input, rows * input);
                    let dx = Some(&mut d_critic_input[..]);
                    hidden.backward(params, rows, x, d_critic, dx, critic_hidden, grads);
                    d_critic_input
                };
                for r in 0..rows {
                    let from = &d_input[r * input..r * input + width];
                    let to = &mut d_actor[r * width..(r + 1) * width];
                    to.iter_mut().zip(from).for_each(|(d, v)| *d += v);
                }
            }
            Critic::Separate { body, value } => {
                let wide = self.shape.privileged > 0;
                let x: &[f32] = if wide { critic_input } else { &inputs.observation };
                grow(d_critic, rows * body.output());
                let y = body.result(x, critic);
                value.backward(params, rows, y, d_values, Some(d_critic), grads);
                let sequences = inputs.sequences(&inputs.critic_state);
                body.backward(params, rows, x, sequences, d_critic, critic, grads);
            }
        }
    }

    fn backward_actor(&self, inputs: &Inputs, scratch: &mut Scratch, grads: &mut [f32]) {
        let Scratch { actor, d_actor, .. } = scratch;
        let sequences = inputs.sequences(&inputs.actor_state);
        let (rows, x) = (inputs.rows, &inputs.observation);
        self.actor.backward(&self.params, rows, x, sequences, d_actor, actor, grads);
    }
}

impl Inputs {
    fn sequences<'a>(&'a self, state: &'a [f32]) -> Sequences<'a> {
        Sequences { packing: &self.packing, state, reset: &self.reset }
    }
}

/// `x` and `extra` side by side; `x` itself when there is nothing to add.
fn beside<'a>(
    x: &'a [f32],
    extra: &[f32],
    rows: usize,
    width: usize,
    buffer: &'a mut Vec<f32>,
) -> &'a [f32] {
    let more = extra.len().checked_div(rows).unwrap_or(0);
    if more == 0 {
        return x;
    }
    let total = width + more;
    grow(buffer, rows * total);
    for r in 0..rows {
        let row = &mut buffer[r * total..(r + 1) * total];
        row[..width].copy_from_slice(&x[r * width..(r + 1) * width]);
        row[width..].copy_from_slice(&extra[r * more..(r + 1) * more]);
    }
    buffer
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "structure_tests.rs"]
mod structure_tests;

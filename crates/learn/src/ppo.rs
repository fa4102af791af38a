//! Proximal policy optimisation (Schulman et al. 2017), in the order in which it happens:
//! rollouts in, advantages, epochs of minibatches, one step of the optimiser each, losses out.
//!
//! How the gradient of a minibatch is made is the same for every loss: [`crate::minibatch`].

use lanista_game::seed::mix;
use lanista_nn::{Layout, Optimizer, Rates, clip_global_norm};
use rayon::prelude::*;
use thiserror::Error;

use crate::advantage::{ReturnScale, estimate};
use crate::anchor::Anchor;
use crate::categorical::{self, Evaluated};
use crate::config::PpoConfig;
use crate::minibatch::{Gradients, Item, Objective, count, each_sample, list, part, shuffle};
use crate::novelty;
use crate::policy::{Inputs, Policy, Scratch};
use crate::rollout::{Follow, Rollout};

/// A policy that learns.
pub struct Learner {
    /// What plays.
    pub policy: Policy,
    /// What moves its weights.
    pub optimizer: Optimizer,
    /// What rewards are divided by, if they are.
    pub return_scale: ReturnScale,
    /// Updates that were dropped because something in them was not finite.
    pub dropped_updates: u64,
    /// Whom it must not move away from, if anybody.
    pub anchor: Option<Anchor>,
    /// `[tensors]`: which stay as they are; empty if all may move.
    pub frozen: Vec<bool>,
    config: PpoConfig,
    dropped_in_a_row: usize,
    gradients: Gradients<Surrogate>,
    items: Vec<Item>,
}

/// What the loss compares the policy's output with, row by row.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    /// Log-probability of the joint action when it was taken.
    pub old_log_prob: Vec<f32>,
    /// Advantage, normalised if the preset wants it.
    pub advantage: Vec<f32>,
    /// What the critic should say.
    pub returns: Vec<f32>,
    /// What the critic said.
    pub old_value: Vec<f32>,
    /// 0 for a row that only carries memory along, else 1.
    pub weight: Vec<f32>,
    /// `[rows, actions]`: how likely the anchor finds each action; empty if there is none.
    pub anchor: Vec<f32>,
}

/// The numbers of one update, taken from the schedules.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    /// Width of the ratio clip.
    pub clip: f32,
    /// Width of the value clip.
    pub value_clip: Option<f32>,
    /// Weight of the value loss.
    pub value_coef: f32,
    /// Weight of the entropy bonus.
    pub entropy: f32,
    /// Weight of the divergence from the anchor.
    pub anchor: f32,
}

/// Sums over rows, in double precision; divide by `rows`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// Rows that count.
    pub rows: f64,
    /// Clipped surrogate.
    pub policy_loss: f64,
    /// Half the squared error of the values.
    pub value_loss: f64,
    /// Entropy over all heads.
    pub entropy: f64,
    /// `(r - 1) - ln r`, an estimate of KL(old, new) that is never negative.
    pub approx_kl: f64,
    /// Rows whose ratio left the clip range.
    pub clipped: f64,
    /// KL(anchor, policy) over all heads.
    pub anchor_kl: f64,
}

/// What an update reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Clipped surrogate, mean over all minibatches.
    pub policy_loss: f64,
    /// Value loss, likewise.
    pub value_loss: f64,
    /// Entropy, likewise.
    pub entropy: f64,
    /// KL estimate over the last epoch.
    pub approx_kl: f64,
    /// Share of clipped ratios.
    pub clip_fraction: f64,
    /// KL(anchor, policy), mean over all minibatches; 0 without an anchor.
    pub anchor_kl: f64,
    /// How much of the returns' variance the critic explained before the update.
    pub explained_variance: f64,
    /// Gradient norm before clipping, mean over minibatches.
    pub grad_norm: f64,
    /// What novelty added to the reward of a sample, in the mean. It is in no term and no return of
    /// a match.
    pub novelty: f64,
    /// Step size of the actor.
    pub learning_rate: f64,
    /// Epochs begun.
    pub epochs: u32,
    /// Samples learnt from.
    pub samples: u64,
}

/// Learning went astray.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Diverged {
    /// Too many updates in a row were not finite.
    #[error(
        "{count} updates in a row were dropped because the loss or its gradient was not finite; the \
         weights are those before the first of them. Try a smaller ppo.learning_rate, a smaller \
         ppo.max_grad_norm, ppo.scale_rewards=true or policy.normalize_observations=true"
    )]
    Updates {
        /// How many.
        count: usize,
    },
    /// The optimiser made weights of finite gradients that are not finite: its steps are too large.
    #[error(
        "the optimiser's step made weights that are not finite; try a smaller ppo.learning_rate or \
         the optimiser's default numbers (ppo.optimizer)"
    )]
    Weights,
}

impl Learner {
    /// Goes on with other numbers; the optimiser and its moments stay.
    pub fn reconfigure(&mut self, config: PpoConfig) {
        self.config = config;
    }

    /// A learner around a policy.
    pub fn new(policy: Policy, config: PpoConfig) -> Self {
        let optimizer = Optimizer::new(config.optimizer.algorithm(), policy.layout());
        let gradients = Gradients::new(policy.layout().len());
        Self {
            policy,
            optimizer,
            return_scale: ReturnScale::default(),
            dropped_updates: 0,
            anchor: None,
            frozen: Vec::new(),
            config,
            dropped_in_a_row: 0,
            gradients,
            items: Vec::new(),
        }
    }

    /// The algorithm's configuration.
    pub fn config(&self) -> &PpoConfig {
        &self.config
    }

    /// One iteration of learning. `progress` drives the schedules, `seed` the shuffles. Runs on the
    /// thread pool it is called in.
    pub fn update(
        &mut self,
        rollouts: &mut [&mut Rollout],
        progress: f64,
        seed: u64,
    ) -> Result<Losses, Diverged> {
        let c = &self.config;
        let gamma = c.gamma.at(progress) as f32;
        let lambda = c.gae_lambda.at(progress) as f32;
        let learning_rate = c.learning_rate.at(progress);
        let critic_rate = c.critic_learning_rate.as_ref().unwrap_or(&c.learning_rate).at(progress);
        let rates = Rates { actor: learning_rate as f32, critic: critic_rate as f32 };
        let max_grad_norm = c.max_grad_norm.at(progress);
        let epochs = c.epochs.at(progress).round() as u32;
        let minibatch = c.minibatch.at(progress).round() as usize;
        let target_kl = c.target_kl.as_ref().map(|s| s.at(progress));
        let numbers = Numbers {
            clip: c.clip.at(progress) as f32,
            value_clip: c.value_clip.as_ref().map(|s| s.at(progress) as f32),
            value_coef: c.value_coef.at(progress) as f32,
            entropy: c.entropy.at(progress) as f32,
            anchor: self.anchor.as_ref().map_or(0.0, |anchor| anchor.weight.at(progress) as f32),
        };

        // Before the normalisers learn from this rollout: what acted saw through the same ones.
        let novelty = novelty::add(rollouts, &self.policy, c.novelty.at(progress) as f32);
        let mut reward_scale = 1.0;
        if c.scale_rewards {
            for rollout in rollouts.iter_mut() {
                let mut traces = std::mem::take(&mut rollout.traces);
                self.return_scale.update(rollout, gamma, &mut traces);
                rollout.traces = traces;
            }
            reward_scale = self.return_scale.factor();
        }
        rollouts.par_iter_mut().for_each(|r| estimate(r, gamma, lambda, reward_scale));
        if let Some(anchor) = &self.anchor {
            rollouts.par_iter_mut().for_each(|r| anchor.regard(r));
        }
        let rollouts: Vec<&Rollout> = rollouts.iter().map(|r| &**r).collect();

        let samples = list(&mut self.items, self.policy.recurrent(), &rollouts);
        let mut losses = Losses {
            explained_variance: explained_variance(&rollouts),
            novelty,
            learning_rate,
            samples: samples as u64,
            ..Losses::default()
        };
        if self.items.is_empty() {
            return Ok(losses);
        }
        let batches = count(self.items.len(), samples, minibatch);
        let (mut total, mut norms, mut updates) = (Sums::default(), 0.0, 0.0);
        'epochs: for epoch in 0..epochs {
            losses.epochs = epoch + 1;
            shuffle(&mut self.items, mix(seed, epoch as u64));
            let mut epoch_sums = Sums::default();
            for b in 0..batches {
                let batch = part(self.items.len(), b, batches);
                let sums = self.gradient(&rollouts, batch, numbers);
                thaw_only(self.policy.layout(), &self.frozen, &mut self.gradients.grads);
                let norm = clip_global_norm(&mut self.gradients.grads, max_grad_norm);
                if !(norm.is_finite() && sums.is_finite()) {
                    self.dropped_updates += 1;
                    self.dropped_in_a_row += 1;
                    if self.dropped_in_a_row >= self.config.max_bad_updates {
                        return Err(Diverged::Updates { count: self.dropped_in_a_row });
                    }
                    continue;
                }
                total.add(&sums);
                epoch_sums.add(&sums);
                losses.approx_kl = epoch_sums.approx_kl / epoch_sums.rows;
                if target_kl.is_some_and(|limit| sums.approx_kl / sums.rows > limit) {
                    break 'epochs;
                }
                self.dropped_in_a_row = 0;
                norms += norm;
                updates += 1.0;
                let Policy { params, .. } = &mut self.policy;
                let mut values = std::mem::take(params);
                let (layout, grads) = (self.policy.layout(), &self.gradients.grads);
                self.optimizer.step_but(layout, &mut values, grads, rates, &self.frozen);
                self.policy.params = values;
            }
        }
        if !self.policy.params.iter().all(|weight| weight.is_finite()) {
            return Err(Diverged::Weights);
        }
        let rows = total.rows.max(1.0); // every minibatch may have been dropped
        losses.policy_loss = total.policy_loss / rows;
        losses.value_loss = total.value_loss / rows;
        losses.entropy = total.entropy / rows;
        losses.clip_fraction = total.clipped / rows;
        losses.anchor_kl = total.anchor_kl / rows;
        losses.grad_norm = if updates > 0.0 { norms / updates } else { 0.0 };
        Ok(losses)
    }

    /// Lets the normalisers learn from what was seen: after the update, so that the next rollout
    /// and the update on it agree. One that frozen layers look through stays as it is, or they would say
    /// something else of the same observation.
    pub fn normalize(&mut self, rollouts: &[&mut Rollout]) {
        let (observation_stays, privileged_stays) = self.policy.any_reads_inputs(&self.frozen);
        if !observation_stays {
            self.policy.normalize(rollouts.iter().map(|r| &r.observation[..]));
        }
        let privileged = self.policy.privileged_normalizer.as_mut();
        if let Some(normalizer) = privileged.filter(|_| !privileged_stays) {
            normalizer.update(rollouts.iter().map(|r| &r.privileged[..]));
        }
    }

    /// The gradient of one minibatch.
    fn gradient(
        &mut self,
        rollouts: &[&Rollout],
        batch: std::ops::Range<usize>,
        numbers: Numbers,
    ) -> Sums {
        let (items, policy) = (&self.items[batch], &self.policy);
        let normalize = self.config.normalize_advantages;
        let moments = Moments::of(rollouts, items, policy.recurrent(), normalize);
        let surrogate = Surrogate { heads: policy.shape().heads.clone(), moments, numbers };
        self.gradients.of(policy, rollouts, items, self.config.chunk, &surrogate)
    }
}

/// Tensors that are frozen have no gradient: it would count in the norm that is clipped.
pub(crate) fn thaw_only(layout: &Layout, frozen: &[bool], grads: &mut [f32]) {
    for (tensor, _) in layout.tensors().iter().zip(frozen).filter(|(_, frozen)| **frozen) {
        grads[tensor.range.clone()].fill(0.0);
    }
}

/// What PPO minimises over one minibatch.
struct Surrogate {
    heads: Vec<usize>,
    moments: Moments,
    numbers: Numbers,
}

impl Objective for Surrogate {
    type Targets = Targets;
    type Sums = Sums;

    fn asks_critic(&self) -> bool {
        true
    }

    fn clear(targets: &mut Targets) {
        targets.clear();
    }

    #[inline]
    fn push(&self, targets: &mut Targets, rollout: &Rollout, s: usize) {
        targets.old_log_prob.push(rollout.log_prob[s]);
        targets.advantage.push((rollout.advantage[s] - self.moments.mean) * self.moments.scale);
        targets.returns.push(rollout.returns[s]);
        targets.old_value.push(rollout.value[s]);
        targets.weight.push(if rollout.follow[s] == Follow::Unknown { 0.0 } else { 1.0 });
        if !rollout.teacher.is_empty() {
            let actions = rollout.teacher.len() / rollout.len();
            targets.anchor.extend_from_slice(&rollout.teacher[s * actions..(s + 1) * actions]);
        }
    }

    fn lose(&self, inputs: &Inputs, scratch: &mut Scratch, targets: &Targets, sums: &mut Sums) {
        loss(&self.heads, inputs, scratch, targets, self.moments.rows, self.numbers, sums);
    }

    fn add(sums: &mut Sums, other: &Sums) {
        sums.add(other);
    }
}

/// Mean and deviation of a minibatch's advantages, and how many of its rows count.
struct Moments {
    rows: f32,
    mean: f32,
    scale: f32,
}

impl Moments {
    fn of(rollouts: &[&Rollout], items: &[Item], recurrent: bool, normalize: bool) -> Self {
        let (mut n, mut sum, mut squares) = (0.0f64, 0.0f64, 0.0f64);
        each_sample(rollouts, items, recurrent, |rollout, s| {
            if rollout.follow[s] != Follow::Unknown {
                let a = rollout.advantage[s] as f64;
                n += 1.0;
                sum += a;
                squares += a * a;
            }
        });
        let n = n.max(1.0);
        let mean = sum / n;
        let deviation = (squares / n - mean * mean).max(0.0).sqrt();
        if normalize {
            Self { rows: n as f32, mean: mean as f32, scale: (1.0 / (deviation + 1e-8)) as f32 }
        } else {
            Self { rows: n as f32, mean: 0.0, scale: 1.0 }
        }
    }
}

/// The loss of prepared rows after a forward pass: adds to `sums`, and leaves its gradient in
/// `scratch.d_logits` and `scratch.d_values`. `rows` is what the mean divides by.
pub fn loss(
    heads: &[usize],
    inputs: &Inputs,
    scratch: &mut Scratch,
    targets: &Targets,
    rows: f32,
    numbers: Numbers,
    sums: &mut Sums,
) {
    let n = inputs.rows;
    let actions: usize = heads.iter().sum();
    let Scratch { logits, values, d_logits, d_values, probs, .. } = scratch;
    lanista_nn::grow(probs, actions);
    lanista_nn::grow(d_logits, n * actions);
    lanista_nn::grow(d_values, n);
    let mut evaluated = [Evaluated { log_prob: 0.0, entropy: 0.0 }; MAX_HEADS];
    let scale = 1.0 / rows;
    for r in 0..n {
        let row = r * actions..(r + 1) * actions;
        let (logits, mask) = (&logits[row.clone()], &inputs.mask[row.clone()]);
        let d_logits = &mut d_logits[row];
        let taken = &inputs.actions[r * heads.len()..(r + 1) * heads.len()];
        let weight = targets.weight[r] * scale;
        if weight == 0.0 {
            d_logits.fill(0.0);
            d_values[r] = 0.0;
            continue;
        }
        let (mut log_prob, mut entropy, mut offset) = (0.0, 0.0, 0);
        for (h, &size) in heads.iter().enumerate() {
            let part = offset..offset + size;
            let probs = &mut probs[part.clone()];
            let (logits, mask) = (&logits[part.clone()], &mask[part]);
            evaluated[h] = categorical::evaluate(logits, mask, taken[h], probs);
            log_prob += evaluated[h].log_prob;
            entropy += evaluated[h].entropy;
            offset += size;
        }
        let advantage = targets.advantage[r];
        let log_ratio = log_prob - targets.old_log_prob[r];
        let ratio = log_ratio.exp();
        let clipped_ratio = ratio.clamp(1.0 - numbers.clip, 1.0 + numbers.clip);
        let (plain, clipped) = (-advantage * ratio, -advantage * clipped_ratio);
        // Where the clipped branch is the larger loss, the ratio has no slope.
        let d_log_prob = if plain >= clipped { plain * weight } else { 0.0 };
        let d_entropy = -numbers.entropy * weight;
        let mut offset = 0;
        for (h, &size) in heads.iter().enumerate() {
            let part = offset..offset + size;
            let (probs, d_logits) = (&probs[part.clone()], &mut d_logits[part]);
            categorical::gradient(probs, taken[h], evaluated[h], d_log_prob, d_entropy, d_logits);
            if !targets.anchor.is_empty() {
                let anchor = &targets.anchor[r * actions + offset..r * actions + offset + size];
                let kl = categorical::divergence(anchor, probs, numbers.anchor * weight, d_logits);
                sums.anchor_kl += f64::from(kl);
            }
            offset += size;
        }

        let (value, target) = (values[r], targets.returns[r]);
        let error = value - target;
        let (value_loss, slope) = match numbers.value_clip {
            Some(limit) => {
                let moved = (value - targets.old_value[r]).clamp(-limit, limit);
                let clipped = targets.old_value[r] + moved - target;
                let inside = (value - targets.old_value[r]).abs() <= limit;
                if error * error >= clipped * clipped {
                    (0.5 * error * error, error)
                } else {
                    (0.5 * clipped * clipped, if inside { clipped } else { 0.0 })
                }
            }
            None => (0.5 * error * error, error),
        };
        d_values[r] = numbers.value_coef * slope * weight;

        sums.rows += 1.0;
        sums.policy_loss += plain.max(clipped) as f64;
        sums.value_loss += value_loss as f64;
        sums.entropy += entropy as f64;
        sums.approx_kl += (ratio - 1.0 - log_ratio) as f64;
        sums.clipped += if (ratio - 1.0).abs() > numbers.clip { 1.0 } else { 0.0 };
    }
}

/// The most heads a policy may have.
pub const MAX_HEADS: usize = 64;

impl Sums {
    fn is_finite(&self) -> bool {
        [self.policy_loss, self.value_loss, self.entropy, self.approx_kl, self.anchor_kl]
            .iter()
            .all(|v| v.is_finite())
    }

    fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.policy_loss += other.policy_loss;
        self.value_loss += other.value_loss;
        self.entropy += other.entropy;
        self.approx_kl += other.approx_kl;
        self.clipped += other.clipped;
        self.anchor_kl += other.anchor_kl;
    }
}

impl Targets {
    fn clear(&mut self) {
        self.old_log_prob.clear();
        self.advantage.clear();
        self.returns.clear();
        self.old_value.clear();
        self.weight.clear();
        self.anchor.clear();
    }
}

/// `1 - var(returns - values) / var(returns)`: 1 is a perfect critic, 0 one that knows the mean.
fn explained_variance(rollouts: &[&Rollout]) -> f64 {
    let (mut n, mut sum_r, mut sum_rr, mut sum_e, mut sum_ee) = (0.0f64, 0.0, 0.0, 0.0, 0.0);
    for rollout in rollouts {
        for s in (0..rollout.len()).filter(|&s| rollout.follow[s] != Follow::Unknown) {
            let r = rollout.returns[s] as f64;
            let e = r - rollout.value[s] as f64;
            n += 1.0;
            sum_r += r;
            sum_rr += r * r;
            sum_e += e;
            sum_ee += e * e;
        }
    }
    let variance = |sum: f64, squares: f64| squares / n - (sum / n) * (sum / n);
    let of_returns = variance(sum_r, sum_rr);
    if n == 0.0 || of_returns <= 1e-12 { 0.0 } else { 1.0 - variance(sum_e, sum_ee) / of_returns }
}

#[cfg(test)]
#[path = "ppo_tests.rs"]
mod tests;

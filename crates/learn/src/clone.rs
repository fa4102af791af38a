//! Cloning: a policy is fitted to recorded decisions.
//!
//! The loss of a row is the negative log-likelihood of what was chosen, under the mask that the choices
//! before it left, summed over the heads whose choice is known; where the whole distribution of whoever
//! decided is known ([`Rollout::teacher`]), it is the divergence KL(theirs, ours) instead. Rows come as
//! rollouts, whose rewards and old probabilities nobody looks at, and gradients are made as PPO makes
//! them.

use lanista_game::UNKNOWN;
use lanista_nn::{Rates, clip_global_norm, grow};
use serde::{Deserialize, Serialize};

use crate::anchor::wave;
use crate::categorical;
use crate::minibatch::{self, Gradients, Item, Objective, count, each_sample, list, part, shuffle};
use crate::policy::{Inputs, Policy, Scratch};
use crate::ppo::{Diverged, Learner, MAX_HEADS, thaw_only};
use crate::rollout::{Follow, Rollout};

/// The numbers of a fit.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// Step sizes of the optimiser.
    pub rates: Rates,
    /// Samples in a minibatch.
    pub minibatch: usize,
    /// Rows of a minibatch that one thread works on at a time.
    pub chunk: usize,
    /// Longest gradient.
    pub max_grad_norm: f64,
    /// Dropped updates in a row after which the fit stops.
    pub max_bad_updates: usize,
    /// What the loss weighs.
    pub loss: Weights,
}

/// What the loss weighs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// Share of a label that is spread over all legal actions.
    pub smoothing: f32,
    /// Weight of an entropy bonus.
    pub entropy: f32,
    /// Weight of half the squared error of the values, where returns are known.
    pub value: f32,
    /// `[actions]`: what a choice counts, or empty if all count alike.
    pub classes: Vec<f32>,
}

/// What a fit, or a look without one, showed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fitted {
    /// Rows of which at least one head is known.
    pub rows: f64,
    /// Mean negative log-likelihood of a row, over its known heads.
    pub nll: f64,
    /// Mean KL(theirs, ours) of a row over heads whose distribution is known.
    pub kl: f64,
    /// Mean entropy of a row.
    pub entropy: f64,
    /// Mean value loss of the rows whose return is known.
    pub value_loss: f64,
    /// Gradient norm before clipping, mean over minibatches.
    pub grad_norm: f64,
    /// `[heads]`
    pub heads: Vec<HeadFit>,
}

/// How well the choices of one head are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeadFit {
    /// Decisions in which the choice is known and there was one: more than one action was legal.
    pub decisions: f64,
    /// Mean negative log-likelihood of such a choice.
    pub nll: f64,
    /// Share of them in which the most likely action was chosen.
    pub accuracy: f64,
}

impl HeadFit {
    /// Among how many equally likely actions the policy might as well have guessed.
    pub fn perplexity(&self) -> f64 {
        self.nll.exp()
    }
}

/// Where a policy is fitted.
pub struct Cloner {
    gradients: Gradients<Imitation>,
    items: Vec<Item>,
    dropped_in_a_row: usize,
}

impl Cloner {
    /// For a policy like this.
    pub fn new(policy: &Policy) -> Self {
        let gradients = Gradients::new(policy.layout().len());
        Self { gradients, items: Vec::new(), dropped_in_a_row: 0 }
    }

    /// One pass over these decisions in shuffled minibatches. Runs on the thread pool it is called in.
    pub fn fit(
        &mut self,
        learner: &mut Learner,
        rollouts: &[&Rollout],
        numbers: &Numbers,
        seed: u64,
    ) -> Result<Fitted, Diverged> {
        let recurrent = learner.policy.recurrent();
        let samples = list(&mut self.items, recurrent, rollouts);
        if self.items.is_empty() {
            return Ok(Fitted::default());
        }
        shuffle(&mut self.items, seed);
        let (mut total, mut norms, mut updates) = (Sums::default(), 0.0, 0.0);
        let batches = count(self.items.len(), samples, numbers.minibatch);
        for b in 0..batches {
            let items = &self.items[part(self.items.len(), b, batches)];
            let objective = Imitation::of(&learner.policy, rollouts, items, &numbers.loss);
            let (policy, chunk) = (&learner.policy, numbers.chunk);
            let sums = self.gradients.of(policy, rollouts, items, chunk, &objective);
            let grads = &mut self.gradients.grads;
            thaw_only(policy.layout(), &learner.frozen, grads);
            let norm = clip_global_norm(grads, numbers.max_grad_norm);
            if !(norm.is_finite() && sums.is_finite()) {
                learner.dropped_updates += 1;
                self.dropped_in_a_row += 1;
                if self.dropped_in_a_row >= numbers.max_bad_updates {
                    return Err(Diverged::Updates { count: self.dropped_in_a_row });
                }
                continue;
            }
            self.dropped_in_a_row = 0;
            Imitation::add(&mut total, &sums);
            norms += norm;
            updates += 1.0;
            let mut values = std::mem::take(&mut learner.policy.params);
            let (layout, frozen) = (learner.policy.layout(), &learner.frozen);
            learner.optimizer.step_but(layout, &mut values, grads, numbers.rates, frozen);
            learner.policy.params = values;
        }
        if !learner.policy.params.iter().all(|weight| weight.is_finite()) {
            return Err(Diverged::Weights);
        }
        let mut fitted = total.mean(learner.policy.shape().heads.len());
        fitted.grad_norm = if updates > 0.0 { norms / updates } else { 0.0 };
        Ok(fitted)
    }
}

/// How well a policy tells decisions that it is not fitted to, and how often each choice of a head,
/// `[heads][chosen, most likely]`, was told as which.
pub fn look(policy: &Policy, rollouts: &[&Rollout], chunk: usize) -> (Fitted, Vec<Vec<u64>>) {
    let heads = &policy.shape().heads;
    let mut items = Vec::new();
    list(&mut items, policy.recurrent(), rollouts);
    let objective = Imitation::of(policy, rollouts, &items, &Weights::default());
    let seen = minibatch::look(policy, rollouts, &items, chunk, &objective, |inputs, scratch| {
        let mut confusion = blank(heads);
        confuse(heads, inputs, scratch, &mut confusion);
        confusion
    });
    let mut total = Sums::default();
    let mut confusion = blank(heads);
    for (sums, more) in seen {
        Imitation::add(&mut total, &sums);
        for (head, more) in confusion.iter_mut().zip(more) {
            head.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        }
    }
    (total.mean(heads.len()), confusion)
}

/// Lets a policy with memory live through decisions, and keeps what it remembers where each sequence
/// begins. Rows lie abreast, as they do when they are played.
pub fn remember(policy: &Policy, rollout: &mut Rollout) {
    let (actor, critic) = policy.state_sizes();
    let (features, privileged) = (policy.shape().features, policy.shape().privileged);
    let rows = rollout.rows();
    let mut kept = (vec![0.0; rows * actor], vec![0.0; rows * critic]);
    let mut begins = vec![None; rollout.len()];
    for (sequence, at) in rollout.sequences.iter().enumerate() {
        begins[at.first as usize] = Some(sequence);
    }
    let (mut inputs, mut scratch) = (Inputs::default(), Scratch::default());
    let mut from = 0;
    while from < rollout.len() {
        let to = wave(rollout, from);
        inputs.clear();
        inputs.rows = to - from;
        inputs.packing.set_single(to - from);
        for s in from..to {
            let row = rollout.row[s] as usize;
            if rollout.start[s] {
                kept.0[row * actor..(row + 1) * actor].fill(0.0);
                kept.1[row * critic..(row + 1) * critic].fill(0.0);
            }
            let own = (row * actor..(row + 1) * actor, row * critic..(row + 1) * critic);
            if let Some(sequence) = begins[s] {
                rollout.actor_state[sequence * actor..(sequence + 1) * actor]
                    .copy_from_slice(&kept.0[own.0.clone()]);
                rollout.critic_state[sequence * critic..(sequence + 1) * critic]
                    .copy_from_slice(&kept.1[own.1.clone()]);
            }
            let seen = &rollout.observation[s * features..(s + 1) * features];
            inputs.observation.extend_from_slice(seen);
            let hidden = &rollout.privileged[s * privileged..(s + 1) * privileged];
            inputs.privileged.extend_from_slice(hidden);
            inputs.reset.push(rollout.start[s]);
            inputs.actor_state.extend_from_slice(&kept.0[own.0]);
            inputs.critic_state.extend_from_slice(&kept.1[own.1]);
        }
        policy.prepare(&mut inputs);
        policy.live(&mut inputs, &mut scratch);
        for (i, s) in (from..to).enumerate() {
            let row = rollout.row[s] as usize;
            kept.0[row * actor..(row + 1) * actor]
                .copy_from_slice(&inputs.actor_state[i * actor..(i + 1) * actor]);
            kept.1[row * critic..(row + 1) * critic]
                .copy_from_slice(&inputs.critic_state[i * critic..(i + 1) * critic]);
        }
        from = to;
    }
}

fn blank(heads: &[usize]) -> Vec<Vec<u64>> {
    heads.iter().map(|&size| vec![0; size * size]).collect()
}

fn confuse(heads: &[usize], inputs: &Inputs, scratch: &Scratch, confusion: &mut [Vec<u64>]) {
    let actions: usize = heads.iter().sum();
    for r in 0..inputs.rows {
        let mut offset = r * actions;
        for (h, &size) in heads.iter().enumerate() {
            let (logits, mask) =
                (&scratch.logits[offset..offset + size], &inputs.mask[offset..offset + size]);
            offset += size;
            let chosen = inputs.actions[r * heads.len() + h];
            if chosen != UNKNOWN && mask.iter().filter(|&&legal| legal).count() > 1 {
                let (told, _) = categorical::best(logits, mask);
                confusion[h][chosen as usize * size + told as usize] += 1;
            }
        }
    }
}

/// What cloning minimises over one minibatch.
struct Imitation {
    heads: Vec<usize>,
    loss: Weights,
    /// What the mean divides by.
    rows: f32,
    /// Whether the return of any row is known.
    valued: bool,
}

/// What the loss compares the policy's output with.
#[derive(Default)]
struct Targets {
    /// 0 for a row that only carries memory along.
    weight: Vec<f32>,
    /// `[rows, actions]`, or empty.
    teacher: Vec<f32>,
    /// Not a number where it is not known.
    returns: Vec<f32>,
}

/// Sums over rows, in double precision.
#[derive(Clone, Copy)]
struct Sums {
    rows: f64,
    nll: f64,
    kl: f64,
    entropy: f64,
    valued: f64,
    value_loss: f64,
    heads: [HeadSums; MAX_HEADS],
}

#[derive(Clone, Copy, Default)]
struct HeadSums {
    decisions: f64,
    nll: f64,
    told: f64,
}

impl Default for Sums {
    fn default() -> Self {
        let heads = [HeadSums::default(); MAX_HEADS];
        Self { rows: 0.0, nll: 0.0, kl: 0.0, entropy: 0.0, valued: 0.0, value_loss: 0.0, heads }
    }
}

impl Sums {
    fn is_finite(&self) -> bool {
        [self.nll, self.kl, self.entropy, self.value_loss].iter().all(|sum| sum.is_finite())
    }

    fn mean(&self, heads: usize) -> Fitted {
        let rows = self.rows.max(1.0);
        let head = |sums: &HeadSums| {
            let n = sums.decisions.max(1.0);
            HeadFit { decisions: sums.decisions, nll: sums.nll / n, accuracy: sums.told / n }
        };
        Fitted {
            rows: self.rows,
            nll: self.nll / rows,
            kl: self.kl / rows,
            entropy: self.entropy / rows,
            value_loss: self.value_loss / self.valued.max(1.0),
            grad_norm: 0.0,
            heads: self.heads[..heads].iter().map(head).collect(),
        }
    }
}

impl Imitation {
    fn of(policy: &Policy, rollouts: &[&Rollout], items: &[Item], loss: &Weights) -> Self {
        let (mut rows, mut valued) = (0u32, false);
        each_sample(rollouts, items, policy.recurrent(), |rollout, s| {
            rows += u32::from(rollout.follow[s] != Follow::Unknown);
            valued |= rollout.returns[s].is_finite();
        });
        let heads = policy.shape().heads.clone();
        Self { heads, loss: loss.clone(), rows: rows.max(1) as f32, valued }
    }

    /// The loss of one head of one row; its slope goes to `d_logits`.
    fn lose_head(
        &self,
        head: Head,
        probs: &mut [f32],
        d_logits: &mut [f32],
        scale: f32,
        sums: &mut Sums,
    ) {
        let Head { number, offset, logits, mask, chosen, teacher } = head;
        let known = chosen != UNKNOWN;
        let legal = mask.iter().filter(|&&legal| legal).count();
        // The entropy is wanted of a head that nobody knows, too; which action is asked for is no matter.
        let action = if known { chosen } else { categorical::best(logits, mask).0 };
        let seen = categorical::evaluate(logits, mask, action, probs);
        sums.entropy += f64::from(seen.entropy);
        let taught = teacher.iter().any(|&p| p > 0.0);
        let class =
            |action: u32| self.loss.classes.get(offset + action as usize).copied().unwrap_or(1.0);
        let weight = if known && !taught { class(chosen) * scale } else { 0.0 };
        let smooth = self.loss.smoothing;
        let d_log_prob = -(1.0 - smooth) * weight;
        let d_entropy = -self.loss.entropy * scale;
        categorical::gradient(probs, action, seen, d_log_prob, d_entropy, d_logits);
        if taught {
            sums.kl += f64::from(categorical::divergence(teacher, probs, scale, d_logits));
        } else if smooth > 0.0 && weight > 0.0 {
            let even = 1.0 / legal as f32;
            for ((d, &p), &legal) in d_logits.iter_mut().zip(&*probs).zip(mask) {
                *d += smooth * weight * (p - if legal { even } else { 0.0 });
            }
        }
        if known {
            let nll = f64::from(-seen.log_prob);
            sums.nll += nll;
            if legal > 1 {
                let own = &mut sums.heads[number];
                own.decisions += 1.0;
                own.nll += nll;
                own.told += f64::from(u8::from(categorical::best(logits, mask).0 == chosen));
            }
        }
    }
}

/// One head of one row.
struct Head<'a> {
    number: usize,
    /// Where its actions begin.
    offset: usize,
    logits: &'a [f32],
    mask: &'a [bool],
    chosen: u32,
    teacher: &'a [f32],
}

impl Objective for Imitation {
    type Targets = Targets;
    type Sums = Sums;

    fn asks_critic(&self) -> bool {
        self.valued
    }

    fn clear(targets: &mut Targets) {
        targets.weight.clear();
        targets.teacher.clear();
        targets.returns.clear();
    }

    fn push(&self, targets: &mut Targets, rollout: &Rollout, s: usize) {
        targets.weight.push(if rollout.follow[s] == Follow::Unknown { 0.0 } else { 1.0 });
        targets.returns.push(rollout.returns[s]);
        if !rollout.teacher.is_empty() {
            let actions = rollout.teacher.len() / rollout.len();
            targets.teacher.extend_from_slice(&rollout.teacher[s * actions..(s + 1) * actions]);
        }
    }

    fn lose(&self, inputs: &Inputs, scratch: &mut Scratch, targets: &Targets, sums: &mut Sums) {
        let (n, heads) = (inputs.rows, self.heads.len());
        let actions: usize = self.heads.iter().sum();
        let Scratch { logits, values, d_logits, d_values, probs, .. } = scratch;
        grow(probs, actions);
        grow(d_logits, n * actions);
        grow(d_values, n);
        for r in 0..n {
            let scale = targets.weight[r] / self.rows;
            d_values[r] = 0.0;
            if scale == 0.0 {
                d_logits[r * actions..(r + 1) * actions].fill(0.0);
                continue;
            }
            sums.rows += 1.0;
            let mut offset = 0;
            for (number, &size) in self.heads.iter().enumerate() {
                let part = r * actions + offset..r * actions + offset + size;
                let teacher = targets.teacher.get(part.clone()).unwrap_or(&[]);
                let head = Head {
                    number,
                    offset,
                    logits: &logits[part.clone()],
                    mask: &inputs.mask[part.clone()],
                    chosen: inputs.actions[r * heads + number],
                    teacher,
                };
                self.lose_head(head, &mut probs[..size], &mut d_logits[part], scale, sums);
                offset += size;
            }
            if targets.returns[r].is_finite() {
                let error = values[r] - targets.returns[r];
                sums.valued += 1.0;
                sums.value_loss += f64::from(0.5 * error * error);
                d_values[r] = self.loss.value * error * scale;
            }
        }
    }

    fn add(sums: &mut Sums, other: &Sums) {
        sums.rows += other.rows;
        sums.nll += other.nll;
        sums.kl += other.kl;
        sums.entropy += other.entropy;
        sums.valued += other.valued;
        sums.value_loss += other.value_loss;
        for (head, other) in sums.heads.iter_mut().zip(&other.heads) {
            head.decisions += other.decisions;
            head.nll += other.nll;
            head.told += other.told;
        }
    }
}

#[cfg(test)]
#[path = "clone_tests.rs"]
mod tests;

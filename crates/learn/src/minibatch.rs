//! The gradient of a minibatch, whatever its loss: rows of rollouts are gathered, cut into chunks of fixed
//! size, and the chunks are dealt to a fixed number of lanes. A lane adds up the gradients of its chunks
//! in order, and the lanes are added up in order, so the result does not depend on how many threads
//! carried the lanes.

use std::ops::Range;

use lanista_game::seed::mix;
use rayon::prelude::*;

use crate::policy::{Inputs, Policy, Scratch};
use crate::rollout::{Follow, Rollout, Sequence, append};

/// The most chunks that are worked on at once. More would help machines with more cores and cost
/// every machine the memory of one more gradient.
pub const LANES: usize = 16;

/// What is minimised.
pub(crate) trait Objective: Sync {
    /// What the loss compares the policy's output with, row by row.
    type Targets: Default + Send + Sync;
    /// What the loss adds up over rows.
    type Sums: Copy + Default + Send + Sync;

    /// Whether the loss reads `scratch.values` and writes `scratch.d_values`; the critic rests otherwise.
    fn asks_critic(&self) -> bool;

    /// Forgets all rows.
    fn clear(targets: &mut Self::Targets);

    /// Takes over what a sample is compared with.
    fn push(&self, targets: &mut Self::Targets, rollout: &Rollout, sample: usize);

    /// Adds the loss of prepared rows after a forward pass to `sums`, and leaves its gradient in
    /// `scratch.d_logits` and `scratch.d_values`.
    fn lose(
        &self,
        inputs: &Inputs,
        scratch: &mut Scratch,
        targets: &Self::Targets,
        sums: &mut Self::Sums,
    );

    /// Adds up what two lanes have added up.
    fn add(sums: &mut Self::Sums, other: &Self::Sums);
}

/// A sample, or with memory a sequence: which shard, and which of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub shard: u32,
    pub index: u32,
}

/// Lists what can be learnt from; returns the number of samples.
pub(crate) fn list(items: &mut Vec<Item>, recurrent: bool, rollouts: &[&Rollout]) -> usize {
    items.clear();
    let mut samples = 0;
    for (shard, rollout) in rollouts.iter().enumerate() {
        let shard = shard as u32;
        if recurrent {
            samples += rollout.follow.iter().filter(|f| **f != Follow::Unknown).count();
            // A sequence of one act of unknown outcome has nothing to teach.
            let follow = |s: &Sequence| rollout.follow[s.first as usize];
            let teaches = |s: &Sequence| s.length > 1 || follow(s) != Follow::Unknown;
            let sequences = rollout.sequences.iter().zip(0..);
            items.extend(
                sequences.filter(|(s, _)| teaches(s)).map(|(_, index)| Item { shard, index }),
            );
        } else {
            let known = |i: &usize| rollout.follow[*i] != Follow::Unknown;
            let before = items.len();
            items.extend(
                (0..rollout.len()).filter(known).map(|index| Item { shard, index: index as u32 }),
            );
            samples += items.len() - before;
        }
    }
    samples
}

/// Visits the samples of items, sequence by sequence.
pub(crate) fn each_sample(
    rollouts: &[&Rollout],
    items: &[Item],
    recurrent: bool,
    mut visit: impl FnMut(&Rollout, usize),
) {
    for item in items {
        let rollout = rollouts[item.shard as usize];
        if recurrent {
            let sequence = rollout.sequences[item.index as usize];
            let mut s = sequence.first as usize;
            for step in 0..sequence.length {
                if step > 0 {
                    s = rollout.chain[s] as usize;
                }
                visit(rollout, s);
            }
        } else {
            visit(rollout, item.index as usize);
        }
    }
}

/// Fisher and Yates, from counters.
pub(crate) fn shuffle<T>(items: &mut [T], seed: u64) {
    for i in (1..items.len()).rev() {
        // The multiplication maps 64 random bits to 0..=i; its bias is below 2^-32 here.
        let j = ((mix(seed, i as u64) as u128 * (i as u128 + 1)) >> 64) as usize;
        items.swap(i, j);
    }
}

/// How many minibatches of about `minibatch` samples these items make.
pub(crate) fn count(items: usize, samples: usize, minibatch: usize) -> usize {
    let batches = (samples as f64 / minibatch as f64).round().max(1.0) as usize;
    batches.min(items)
}

/// The items of minibatch `b` of so many.
pub(crate) fn part(items: usize, b: usize, batches: usize) -> Range<usize> {
    items * b / batches..items * (b + 1) / batches
}

/// Where gradients are made, for one kind of loss.
pub(crate) struct Gradients<O: Objective> {
    lanes: Vec<Lane<O>>,
    /// The gradient of the last minibatch.
    pub grads: Vec<f32>,
}

/// One worker's share of a minibatch.
struct Lane<O: Objective> {
    inputs: Inputs,
    scratch: Scratch,
    targets: O::Targets,
    order: Vec<Item>,
    lengths: Vec<usize>,
    at: Vec<u32>,
    grads: Vec<f32>,
    sums: O::Sums,
}

impl<O: Objective> Default for Lane<O> {
    fn default() -> Self {
        Self {
            inputs: Inputs::default(),
            scratch: Scratch::default(),
            targets: O::Targets::default(),
            order: Vec::new(),
            lengths: Vec::new(),
            at: Vec::new(),
            grads: Vec::new(),
            sums: O::Sums::default(),
        }
    }
}

impl<O: Objective> Gradients<O> {
    /// For a policy of so many weights.
    pub fn new(weights: usize) -> Self {
        Self { lanes: Vec::new(), grads: vec![0.0; weights] }
    }

    /// The gradient of one minibatch, into `self.grads`. Chunks have `chunk` rows.
    pub fn of(
        &mut self,
        policy: &Policy,
        rollouts: &[&Rollout],
        items: &[Item],
        chunk: usize,
        objective: &O,
    ) -> O::Sums {
        let recurrent = policy.recurrent();
        let per_chunk = per_chunk(chunk, recurrent);
        let chunks = items.len().div_ceil(per_chunk);
        let lanes = chunks.min(LANES);
        if self.lanes.len() < lanes {
            self.lanes.resize_with(lanes, Lane::default);
        }
        self.lanes[..lanes].par_iter_mut().enumerate().for_each(|(l, lane)| {
            lane.sums = O::Sums::default();
            lane.grads.clear();
            lane.grads.resize(policy.layout().len(), 0.0);
            for chunk in items.chunks(per_chunk).skip(l).step_by(lanes) {
                lane.gather(policy, rollouts, chunk, recurrent, objective);
                policy.prepare(&mut lane.inputs);
                let Lane { inputs, scratch, targets, grads, sums, .. } = lane;
                forward(policy, inputs, scratch, objective);
                objective.lose(inputs, scratch, targets, sums);
                if objective.asks_critic() {
                    policy.backward(inputs, scratch, grads);
                } else {
                    policy.backward_choices(inputs, scratch, grads);
                }
            }
        });
        let lanes = &self.lanes[..lanes];
        const BLOCK: usize = 1 << 14;
        self.grads.par_chunks_mut(BLOCK).enumerate().for_each(|(b, grads)| {
            let at = b * BLOCK..b * BLOCK + grads.len();
            grads.copy_from_slice(&lanes[0].grads[at.clone()]);
            for lane in &lanes[1..] {
                grads.iter_mut().zip(&lane.grads[at.clone()]).for_each(|(g, l)| *g += l);
            }
        });
        let mut sums = O::Sums::default();
        lanes.iter().for_each(|lane| O::add(&mut sums, &lane.sums));
        sums
    }
}

fn forward(policy: &Policy, inputs: &Inputs, scratch: &mut Scratch, objective: &impl Objective) {
    if objective.asks_critic() {
        policy.forward(inputs, scratch);
    } else {
        policy.forward_choices(inputs, scratch);
    }
}

/// With memory a step's product spans the sequences of a chunk, not its rows.
fn per_chunk(chunk: usize, recurrent: bool) -> usize {
    if recurrent { (chunk / 8).max(1) } else { chunk }
}

/// The loss of items without a gradient, chunk by chunk, and what `see` makes of each chunk.
pub(crate) fn look<O: Objective, T: Send>(
    policy: &Policy,
    rollouts: &[&Rollout],
    items: &[Item],
    chunk: usize,
    objective: &O,
    see: impl Fn(&Inputs, &Scratch) -> T + Sync,
) -> Vec<(O::Sums, T)> {
    let recurrent = policy.recurrent();
    items
        .par_chunks(per_chunk(chunk, recurrent))
        .map_init(Lane::default, |lane: &mut Lane<O>, chunk| {
            lane.gather(policy, rollouts, chunk, recurrent, objective);
            policy.prepare(&mut lane.inputs);
            forward(policy, &lane.inputs, &mut lane.scratch, objective);
            let mut sums = O::Sums::default();
            objective.lose(&lane.inputs, &mut lane.scratch, &lane.targets, &mut sums);
            (sums, see(&lane.inputs, &lane.scratch))
        })
        .collect()
}

impl<O: Objective> Lane<O> {
    /// Gathers the rows of a chunk and what the loss compares them with.
    fn gather(
        &mut self,
        policy: &Policy,
        rollouts: &[&Rollout],
        chunk: &[Item],
        recurrent: bool,
        objective: &O,
    ) {
        self.inputs.clear();
        O::clear(&mut self.targets);
        if !recurrent {
            for item in chunk {
                self.push(policy, rollouts[item.shard as usize], item.index as usize, objective);
            }
            return;
        }
        // Longest first, as packing wants it; the sort is stable, so the order is still a function
        // of the shuffle.
        let length = |item: &Item| {
            rollouts[item.shard as usize].sequences[item.index as usize].length as usize
        };
        self.order.clear();
        self.order.extend_from_slice(chunk);
        self.order.sort_by_key(|item| std::cmp::Reverse(length(item)));
        self.lengths.clear();
        self.lengths.extend(self.order.iter().map(length));
        let order = std::mem::take(&mut self.order);
        let lengths = std::mem::take(&mut self.lengths);
        self.inputs.packing.set(&lengths);
        let (actor, critic) = policy.state_sizes();
        for item in &order {
            let rollout = rollouts[item.shard as usize];
            let i = item.index as usize;
            let inputs = &mut self.inputs;
            inputs.actor_state.extend_from_slice(&rollout.actor_state[i * actor..(i + 1) * actor]);
            inputs
                .critic_state
                .extend_from_slice(&rollout.critic_state[i * critic..(i + 1) * critic]);
        }
        // Packed rows are stored step by step: walk all sequences abreast.
        let mut at = std::mem::take(&mut self.at);
        at.clear();
        at.extend(
            order.iter().map(|i| rollouts[i.shard as usize].sequences[i.index as usize].first),
        );
        for step in 0..lengths.first().copied().unwrap_or(0) {
            for (s, item) in order.iter().enumerate() {
                if lengths[s] <= step {
                    break;
                }
                let rollout = rollouts[item.shard as usize];
                let sample = at[s] as usize;
                at[s] = rollout.chain[sample];
                self.push(policy, rollout, sample, objective);
            }
        }
        self.order = order;
        self.lengths = lengths;
        self.at = at;
    }

    #[inline]
    fn push(&mut self, policy: &Policy, rollout: &Rollout, s: usize, objective: &O) {
        let shape = policy.shape();
        let (features, privileged) = (shape.features, shape.privileged);
        let (actions, heads) = (shape.actions(), shape.heads.len());
        let inputs = &mut self.inputs;
        inputs.rows += 1;
        append(&mut inputs.observation, &rollout.observation[s * features..(s + 1) * features]);
        append(&mut inputs.privileged, &rollout.privileged[s * privileged..(s + 1) * privileged]);
        append(&mut inputs.mask, &rollout.mask[s * actions..(s + 1) * actions]);
        append(&mut inputs.actions, &rollout.actions[s * heads..(s + 1) * heads]);
        inputs.reset.push(rollout.start[s]);
        objective.push(&mut self.targets, rollout, s);
    }
}

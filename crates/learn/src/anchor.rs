//! An anchor: a policy that does not learn and that the learner must not move away from, such as the clone
//! that it began as. PPO adds the divergence KL(anchor, policy) to its loss, head by head, given the
//! choices that were made: where the anchor would do something now and then, the policy keeps doing it.

use lanista_nn::Packing;

use crate::categorical;
use crate::policy::{Choose, Inputs, Policy, Scratch};
use crate::rollout::{Rollout, append};
use crate::schedule::Schedule;

/// Rows that an anchor without memory regards at once.
const ROWS: usize = 512;

/// A policy that is kept in sight.
#[derive(Clone, Debug)]
pub struct Anchor {
    /// The policy.
    pub policy: Policy,
    /// What a divergence of one costs.
    pub weight: Schedule,
}

impl Anchor {
    /// Writes how likely the anchor finds every action of every sample into the rollout.
    pub(crate) fn regard(&self, rollout: &mut Rollout) {
        let policy = &self.policy;
        let shape = policy.shape();
        let (actions, state) = (shape.actions(), policy.state_sizes().0);
        let mut kept = std::mem::take(&mut rollout.teacher_state);
        if kept.len() != rollout.rows() * state {
            kept.clear();
            kept.resize(rollout.rows() * state, 0.0);
        }
        let mut probabilities = std::mem::take(&mut rollout.teacher);
        probabilities.clear();
        probabilities.resize(rollout.len() * actions, 0.0);
        let (mut inputs, mut scratch) = (Inputs::default(), Scratch::default());
        let mut from = 0;
        while from < rollout.len() {
            let to =
                if state == 0 { (from + ROWS).min(rollout.len()) } else { wave(rollout, from) };
            gather(policy, rollout, from..to, &kept, state, &mut inputs);
            policy.prepare(&mut inputs);
            let heads = shape.heads.len();
            let chosen = &rollout.actions[from * heads..to * heads];
            let known = |row: usize, head: usize| chosen[row * heads + head];
            policy.choose(&mut inputs, &mut scratch, Choose::Known(&known));
            for (i, sample) in (from..to).enumerate() {
                let mut offset = 0;
                for (head, &size) in shape.heads.iter().enumerate() {
                    let part = i * actions + offset..i * actions + offset + size;
                    let at = sample * actions + offset;
                    categorical::evaluate(
                        &scratch.logits[part.clone()],
                        &rollout.mask[at..at + size],
                        chosen[i * heads + head],
                        &mut probabilities[at..at + size],
                    );
                    offset += size;
                }
                let row = rollout.row[sample] as usize;
                kept[row * state..(row + 1) * state]
                    .copy_from_slice(&inputs.actor_state[i * state..(i + 1) * state]);
            }
            from = to;
        }
        rollout.teacher = probabilities;
        rollout.teacher_state = kept;
    }
}

/// The end of the longest stretch from a sample on in which no row acts twice: samples lie in the order in
/// which they were acted.
pub(crate) fn wave(rollout: &Rollout, from: usize) -> usize {
    let mut acted = vec![false; rollout.rows()];
    let new = |sample: &usize| !std::mem::replace(&mut acted[rollout.row[*sample] as usize], true);
    from + (from..rollout.len()).take_while(new).count()
}

fn gather(
    policy: &Policy,
    rollout: &Rollout,
    samples: std::ops::Range<usize>,
    kept: &[f32],
    state: usize,
    inputs: &mut Inputs,
) {
    let shape = policy.shape();
    let (features, actions) = (shape.features, shape.actions());
    inputs.clear();
    inputs.rows = samples.len();
    let mut packing = Packing::default();
    packing.set_single(samples.len());
    inputs.packing = packing;
    // Masks are recorded as the choices narrowed them: there is nothing left to forbid.
    inputs.forbidden.resize(samples.len() * shape.pair_values, false);
    for s in samples {
        append(&mut inputs.observation, &rollout.observation[s * features..(s + 1) * features]);
        append(&mut inputs.mask, &rollout.mask[s * actions..(s + 1) * actions]);
        inputs.reset.push(rollout.start[s]);
        let row = rollout.row[s] as usize;
        append(&mut inputs.actor_state, &kept[row * state..(row + 1) * state]);
    }
}

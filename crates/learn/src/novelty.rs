//! A bonus for seeing what is unlike anything seen before. It leads a policy that earns nothing yet
//! out of what it knows.
//!
//! What was seen before is what the normaliser of observations holds: the bonus of an act is the
//! number of deviations beyond the first by which its observation lies from the running mean, summed
//! over the features that play can change. To a policy with an encoder only what measures something
//! is novel: no id, no flag, and nothing of an empty slot. It belongs to the learner alone: terms, returns of
//! matches and evaluations know nothing of it.

use rayon::prelude::*;

use crate::policy::Policy;
use crate::rollout::Rollout;

/// Adds `weight` times its novelty to the reward of every sample; returns the mean of what was
/// added. A policy that does not normalise observations finds nothing novel.
pub fn add(rollouts: &mut [&mut Rollout], policy: &Policy, weight: f32) -> f64 {
    let Some(normalizer) = policy.normalizer.as_ref().filter(|_| weight != 0.0) else { return 0.0 };
    let shape = policy.shape();
    let mut varies = vec![false; shape.features];
    shape.varying.iter().for_each(|&feature| varies[feature] = true);
    let add = |rollout: &mut &mut Rollout| -> f64 {
        let Rollout { observation, reward, .. } = &mut **rollout;
        let (mut sum, mut counted) = (0.0, Vec::new());
        for (row, reward) in observation.chunks_exact(shape.features).zip(reward) {
            let counted = match policy.structure() {
                None => &shape.varying,
                Some(structure) => {
                    structure.measured(row, &mut counted);
                    counted.retain(|&feature| varies[feature]);
                    &counted
                }
            };
            let bonus = weight * normalizer.novelty(row, counted);
            *reward += bonus;
            sum += f64::from(bonus);
        }
        sum
    };
    // Collected first: a parallel sum would add up in any order.
    let sums: Vec<f64> = rollouts.par_iter_mut().map(add).collect();
    let samples: usize = rollouts.iter().map(|r| r.len()).sum();
    sums.iter().sum::<f64>() / samples.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::PolicyConfig;
    use crate::normalizer::Normalizer;
    use crate::rollout::Act;
    use crate::shape::{Group, Shape};

    /// A policy for three features, the last of which is constant. Their means are 1, 0 and 0, their
    /// deviations 2.
    fn policy(normalize_observations: bool) -> Policy {
        let shape = Shape {
            features: 3,
            groups: vec![Group::Plain { features: 3 }],
            varying: vec![0, 1],
            heads: vec![2],
            requires: vec![vec![]],
            ..Shape::default()
        };
        let config = PolicyConfig { normalize_observations, ..PolicyConfig::default() };
        let mut policy = Policy::new(shape, &config, 1);
        if normalize_observations {
            let seen = Normalizer::restore(100.0, vec![1.0, 0.0, 0.0], vec![400.0; 3]);
            policy.normalizer = seen;
        }
        policy
    }

    fn rollout(observations: &[[f32; 3]]) -> Rollout {
        let mut rollout = Rollout::new(1);
        for observation in observations {
            let act = Act {
                row: 0,
                observation,
                privileged: &[],
                mask: &[true, true],
                actions: &[0],
                log_prob: 0.0,
                value: 0.0,
                start: false,
                actor_state: &[],
                critic_state: &[],
            };
            rollout.push(act, 16);
            rollout.reward(0, 1.0);
        }
        rollout
    }

    #[test]
    fn what_is_far_from_the_mean_is_worth_more() {
        // Nothing beyond one deviation; 2 of the first; 1 and 0.5; far beyond the cut at 10.
        let mut near = rollout(&[[3.0, -2.0, 50.0], [7.0, 0.0, 0.0]]);
        let mut far = rollout(&[[-3.0, 3.0, 0.0], [1e9, 0.0, 0.0]]);
        let mean = add(&mut [&mut near, &mut far], &policy(true), 0.1);
        for (got, want) in near.reward.iter().zip([1.0, 1.2]) {
            assert!((got - want).abs() < 1e-6, "{got}, expected {want}");
        }
        for (got, want) in far.reward.iter().zip([1.15, 1.9]) {
            assert!((got - want).abs() < 1e-6, "{got}, expected {want}");
        }
        assert!((mean - (0.2 + 0.15 + 0.9) / 4.0).abs() < 1e-6, "{mean}");
    }

    #[test]
    fn without_a_weight_a_normaliser_or_a_past_nothing_is_novel() {
        let mut fresh = policy(true);
        fresh.normalizer = Some(Normalizer::new(3));
        for (policy, weight) in [(policy(true), 0.0), (policy(false), 1.0), (fresh, 1.0)] {
            let mut rollout = rollout(&[[100.0, 100.0, 100.0]]);
            assert_eq!(add(&mut [&mut rollout], &policy, weight), 0.0);
            assert_eq!(rollout.reward, [1.0]);
        }
        assert_eq!(add(&mut [], &policy(true), 1.0), 0.0);
    }
}

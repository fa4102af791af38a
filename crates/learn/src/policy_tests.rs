use lanista_game::seed::{mix, uniform};
use lanista_game::{Condition, Requirement};
use rayon::prelude::*;

use super::*;
use crate::config::{
    ActivationName, CellName, CriticConfig, EncoderConfig, EntitiesConfig, HeadsConfig,
    MemoryConfig, PoolName,
};
use crate::ppo::{Numbers, Sums, Targets, loss};
use crate::structure;

/// Steps of each packed sequence.
const LENGTHS: [usize; 4] = [5, 3, 3, 1];

/// Numbers in `-1..1`, the same for the same seed.
fn noise(n: usize, seed: u64) -> Vec<f32> {
    (0..n as u64).map(|i| 2.0 * uniform(mix(seed, i)) - 1.0).collect()
}

fn shape(privileged: usize, heads: &[usize]) -> Shape {
    let mut requires = vec![Vec::new(); heads.len()];
    let mut require = |head: usize, action, condition, choices: &[(usize, u32)]| {
        requires[head].push(Requirement { head, action, condition, choices: choices.to_vec() });
    };
    if heads.len() == 3 {
        require(1, 0, Condition::None, &[(0, 0)]);
        require(1, 2, Condition::Any, &[(0, 1), (0, 2)]);
        require(2, 0, Condition::Any, &[(1, 1), (1, 2)]);
        require(2, 1, Condition::All, &[(0, 1), (1, 3)]);
        require(2, 2, Condition::None, &[(1, 0)]);
    }
    let (heads, groups) = (heads.to_vec(), vec![shape::Group::Plain { features: 5 }]);
    Shape { features: 5, groups, privileged, heads, requires, ..Shape::default() }
}

/// Every combination of what a policy may be made of.
fn configs() -> Vec<(Shape, PolicyConfig)> {
    use CellName::{Gru, Lstm};
    let memory = |cell, size, layers| Some(MemoryConfig { cell, size, layers });
    let critic = |shared, hidden: &[usize], memory| CriticConfig {
        shared,
        hidden: (!hidden.is_empty()).then(|| hidden.to_vec()),
        memory,
    };
    let mut all = Vec::new();
    for body in [&[6, 5][..], &[]] {
        for activation in [ActivationName::Tanh, ActivationName::Relu, ActivationName::Silu] {
            for layer_norm in [false, true] {
                for memory in [
                    None,
                    memory(Lstm, 4, 1),
                    memory(Lstm, 3, 2),
                    memory(Gru, 4, 1),
                    memory(Gru, 3, 2),
                ] {
                    for critic in [
                        critic(false, &[], None),
                        critic(false, &[6], None),
                        critic(false, &[6], Some(MemoryConfig { cell: Gru, size: 3, layers: 1 })),
                        critic(true, &[], None),
                        critic(true, &[6], None),
                    ] {
                        for heads in [&[4][..], &[3, 4, 4]] {
                            for hidden in [&[][..], &[8]] {
                                for bits in 0..4 {
                                    let heads_config = HeadsConfig {
                                        hidden: hidden.to_vec(),
                                        autoregressive: bits & 1 == 1,
                                    };
                                    let config = PolicyConfig {
                                        encoder: None,
                                        hidden: body.to_vec(),
                                        activation,
                                        layer_norm,
                                        memory: memory.clone(),
                                        heads: heads_config,
                                        critic: critic.clone(),
                                        normalize_observations: false,
                                    };
                                    let privileged = if bits & 2 == 2 { 3 } else { 0 };
                                    all.push((shape(privileged, heads), config));
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    all.extend(encoder_configs());
    all
}

/// What a policy for an observation with structure may be made of.
fn encoder_configs() -> Vec<(Shape, PolicyConfig)> {
    let mut all = Vec::new();
    let gru = Some(MemoryConfig { cell: CellName::Gru, size: 4, layers: 1 });
    for pool in [PoolName::MeanMax, PoolName::Attention] {
        for entities in [&[6][..], &[5, 4], &[]] {
            if entities.is_empty() && pool == PoolName::Attention {
                continue;
            }
            for hidden in [&[6, 5][..], &[]] {
                for memory in [None, gru.clone()] {
                    for shared in [false, true] {
                        for privileged in [0, 3] {
                            let groups = structure::tests::groups();
                            let shape =
                                Shape { features: 34, groups, ..shape(privileged, &[3, 4, 4]) };
                            let entities = EntitiesConfig {
                                hidden: entities.to_vec(),
                                pool,
                                heads: (pool == PoolName::Attention).then_some(2),
                            };
                            let config = PolicyConfig {
                                encoder: Some(EncoderConfig { embedding: 3, entities }),
                                hidden: hidden.to_vec(),
                                layer_norm: privileged > 0,
                                memory: memory.clone(),
                                critic: CriticConfig { shared, ..CriticConfig::default() },
                                ..PolicyConfig::default()
                            };
                            all.push((shape, config));
                        }
                    }
                }
            }
        }
    }
    all
}

/// Rows as a game would show them: about two of three slots taken, no ids but those there are.
fn observe(shape: &Shape, rows: usize, seed: u64) -> Vec<f32> {
    let mut seen = noise(rows * shape.features, seed);
    if !shape.structured() {
        return seen;
    }
    for (r, row) in seen.chunks_exact_mut(shape.features).enumerate() {
        let draw =
            |f: usize, n: usize| (mix(mix(seed, 77), (r * 100 + f) as u64) % n as u64) as f32;
        let mut at = 0;
        for group in &shape.groups {
            match group {
                shape::Group::Plain { .. } => {}
                shape::Group::Ids { vocabulary, count } => {
                    (at..at + count).for_each(|f| row[f] = draw(f, vocabulary.size));
                }
                shape::Group::Entities { parts, .. } => {
                    for slot in (at..at + group.features()).step_by(1 + parts.len()) {
                        row[slot] = if draw(slot, 3) > 0.0 { 1.0 } else { 0.0 };
                        for (f, part) in (slot + 1..).zip(parts) {
                            if let shape::EntityPart::Id(vocabulary) = part {
                                row[f] = draw(f, vocabulary.size);
                            }
                        }
                    }
                }
            }
            at += group.features();
        }
    }
    seen
}

fn name(shape: &Shape, config: &PolicyConfig) -> String {
    format!("heads {:?}, {} privileged, {config:?}", shape.heads, shape.privileged)
}

/// A policy whose weights are all far from zero, so that each matters.
fn policy(shape: &Shape, config: &PolicyConfig) -> Policy {
    let mut policy = Policy::new(shape.clone(), config, 3);
    let shift = noise(policy.params.len(), 4);
    policy.params.iter_mut().zip(shift).for_each(|(p, s)| *p += 0.4 * s);
    policy
}

/// What came out of playing sequences step by step, packed.
struct Played {
    inputs: Inputs,
    /// The masks before the choices narrowed them.
    legal: Vec<bool>,
    log_probs: Vec<f32>,
    values: Vec<f32>,
}

fn play(policy: &Policy, lengths: &[usize], seed: u64) -> Played {
    let shape = policy.shape();
    let (actor, critic) = policy.state_sizes();
    let mut inputs = Inputs {
        actor_state: noise(lengths.len() * actor, mix(seed, 1)),
        critic_state: noise(lengths.len() * critic, mix(seed, 2)),
        ..Inputs::default()
    };
    inputs.packing.set(lengths);
    let mut now = inputs.clone();
    let (mut legal, mut log_probs, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut scratch = Scratch::default();
    for t in 0..lengths[0] {
        let rows = lengths.iter().filter(|&&l| l > t).count();
        let seed = mix(seed, 10 + t as u64);
        now.rows = rows;
        now.observation = observe(shape, rows, mix(seed, 1));
        now.privileged = noise(rows * shape.privileged, mix(seed, 2));
        now.mask = noise(rows * shape.actions(), mix(seed, 3)).iter().map(|&v| v > -0.4).collect();
        now.reset = (inputs.rows..inputs.rows + rows).map(|r| r % 4 == 1).collect();
        now.packing.set_single(rows);
        legal.extend_from_slice(&now.mask);
        let draw = |r: usize, h: usize| uniform(mix(seed, (100 + 8 * r + h) as u64));
        policy.act(&mut now, &mut scratch, Choose::Sample(&draw));
        inputs.rows += rows;
        inputs.observation.extend_from_slice(&now.observation);
        inputs.privileged.extend_from_slice(&now.privileged);
        inputs.mask.extend_from_slice(&now.mask);
        inputs.actions.extend_from_slice(&now.actions);
        inputs.reset.extend_from_slice(&now.reset);
        log_probs.extend_from_slice(&scratch.log_probs[..rows]);
        values.extend_from_slice(&scratch.values[..rows]);
    }
    Played { inputs, legal, log_probs, values }
}

/// Log-probabilities of the rows' actions, from the logits of a forward pass.
fn log_probs(shape: &Shape, inputs: &Inputs, scratch: &Scratch) -> Vec<f32> {
    let (heads, actions) = (shape.heads.len(), shape.actions());
    let mut probs = vec![0.0; actions];
    let of_row = |r: usize| {
        let mut at = r * actions;
        let mut sum = 0.0;
        for (h, &size) in shape.heads.iter().enumerate() {
            let (logits, mask) = (&scratch.logits[at..at + size], &inputs.mask[at..at + size]);
            let action = inputs.actions[r * heads + h];
            sum += categorical::evaluate(logits, mask, action, &mut probs[..size]).log_prob;
            at += size;
        }
        sum
    };
    (0..inputs.rows).map(of_row).collect()
}

fn assert_close(what: &str, got: &[f32], want: &[f32]) {
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() < 1e-5 * (1.0 + w.abs()), "{what}[{i}]: {g}, expected {w}");
    }
}

const NUMBERS: Numbers =
    Numbers { clip: 0.2, value_clip: Some(0.5), value_coef: 0.7, entropy: 0.3, anchor: 0.0 };

/// Targets that reach every branch of the loss and lie far from the edges between them.
fn targets(played: &Played) -> Targets {
    let mut targets = Targets::default();
    for r in 0..played.inputs.rows {
        let log_ratio = [0.05, -0.05, 1.0, -1.0][r % 4];
        let sign = if (r / 4) % 2 == 0 { 1.0 } else { -1.0 };
        // Inside the value clip; outside, with and without a slope.
        let (old, goal) = [(0.1, 0.7), (2.0, -1.0), (2.0, 3.0)][r % 3];
        targets.old_log_prob.push(played.log_probs[r] - log_ratio);
        targets.advantage.push(sign * (0.5 + 0.1 * r as f32));
        targets.old_value.push(played.values[r] + old);
        targets.returns.push(played.values[r] + goal);
        targets.weight.push(if r == 6 { 0.0 } else { 1.0 });
    }
    targets
}

fn total_loss(policy: &Policy, inputs: &Inputs, targets: &Targets, scratch: &mut Scratch) -> f64 {
    policy.forward(inputs, scratch);
    let mut sums = Sums::default();
    loss(&policy.shape().heads, inputs, scratch, targets, 1.0, NUMBERS, &mut sums);
    sums.policy_loss + NUMBERS.value_coef as f64 * sums.value_loss
        - NUMBERS.entropy as f64 * sums.entropy
}

/// Compares the gradient of every tensor with the slope of the loss along a random direction; the
/// first of `directions` that agrees will do.
fn check_gradient(policy: &Policy, played: &Played, directions: u64) -> Result<(), String> {
    let Played { inputs, .. } = played;
    let targets = targets(played);
    let mut scratch = Scratch::default();
    total_loss(policy, inputs, &targets, &mut scratch);
    let mut grads = vec![0.0; policy.params.len()];
    policy.backward(inputs, &mut scratch, &mut grads);

    let mut moved = policy.clone();
    for tensor in policy.layout().tensors() {
        let at = tensor.range.clone();
        let g = &grads[at.clone()];
        let length = g.iter().map(|&g| g as f64 * g as f64).sum::<f64>().sqrt();
        if length == 0.0 {
            return Err(format!("{} has no gradient", tensor.name));
        }
        let mut tried = Vec::new();
        let agrees = (0..directions).any(|d| {
            let mut direction = noise(g.len(), mix(50 + d, at.start as u64));
            let norm = direction.iter().map(|v| v * v).sum::<f32>().sqrt();
            direction.iter_mut().for_each(|v| *v /= norm);
            let mut slope = |step: f32| {
                let mut side = |step: f32| {
                    moved.params.copy_from_slice(&policy.params);
                    let params = moved.params[at.clone()].iter_mut();
                    params.zip(&direction).for_each(|(p, d)| *p += step * d);
                    total_loss(&moved, inputs, &targets, &mut scratch)
                };
                (side(step) - side(-step)) / (2.0 * step as f64)
            };
            // A step is long for single precision; Richardson's rule takes its curvature out.
            let step = if directions > 1 { 2e-3 } else { 2.5e-2 };
            let want = (4.0 * slope(step / 2.0) - slope(step)) / 3.0;
            let got: f64 = g.iter().zip(&direction).map(|(&g, &d)| g as f64 * d as f64).sum();
            tried.push((got, want));
            (got - want).abs() < 5e-4 * (0.5 + length)
        });
        moved.params.copy_from_slice(&policy.params);
        if !agrees {
            return Err(format!("{}, gradient and slope {tried:?} of {length}", tensor.name));
        }
    }
    Ok(())
}

#[test]
fn every_policy_agrees_with_finite_differences() {
    configs().par_iter().for_each(|(shape, config)| {
        let policy = policy(shape, config);
        let check =
            |seed, directions| check_gradient(&policy, &play(&policy, &LENGTHS, seed), directions);
        // Where all directions cross a kink of ReLU, other observations must agree.
        // So must they where the largest of a set becomes another one.
        let result = match config.activation {
            _ if config.encoder.is_some() => check(5, 6).or_else(|_| check(6, 6)),
            ActivationName::Relu => check(5, 6).or_else(|_| check(6, 6)).or_else(|_| check(7, 6)),
            // Single precision may spoil one slope; a wrong gradient agrees with neither.
            _ => check(5, 1).or_else(|_| check(6, 1)),
        };
        assert_eq!(result, Ok(()), "{}", name(shape, config));
    });
}

#[test]
fn acting_step_by_step_agrees_with_a_pass_over_sequences() {
    for (shape, config) in configs() {
        let policy = policy(&shape, &config);
        let played = play(&policy, &LENGTHS, 6);
        assert!(played.log_probs.iter().any(|&l| l < -0.1));
        let mut scratch = Scratch::default();
        policy.forward(&played.inputs, &mut scratch);
        let what = name(&shape, &config);
        let learnt = log_probs(&shape, &played.inputs, &scratch);
        assert_close(&format!("log-probability {what}"), &played.log_probs, &learnt);
        assert_close(&format!("value {what}"), &played.values, &scratch.values);
        policy.value(&played.inputs, &mut scratch);
        assert_close(&format!("value alone {what}"), &played.values, &scratch.values);
    }
}

#[test]
fn samples_obey_masks_and_requirements() {
    let mut stuck = 0;
    for (shape, config) in configs() {
        let policy = policy(&shape, &config);
        let Played { inputs, legal, .. } = play(&policy, &LENGTHS, 7);
        let (heads, actions) = (shape.heads.len(), shape.actions());
        for r in 0..inputs.rows {
            let taken = &inputs.actions[r * heads..(r + 1) * heads];
            let mut at = r * actions;
            for (h, &size) in shape.heads.iter().enumerate() {
                let allowed = |a: usize| {
                    let here = |q: &&Requirement| q.action as usize == a;
                    legal[at + a] && shape.requires[h].iter().filter(here).all(|q| q.allows(taken))
                };
                let mut want: Vec<bool> = (0..size).map(allowed).collect();
                if !want.contains(&true) {
                    want[0] = true;
                    stuck += 1;
                }
                assert_eq!(&inputs.mask[at..at + size], &want[..], "{}", name(&shape, &config));
                assert!(want[taken[h] as usize], "{}", name(&shape, &config));
                at += size;
            }
        }
    }
    assert!(stuck > 0);
}

#[test]
fn the_best_action_is_the_most_likely_one_every_time() {
    for (shape, config) in configs() {
        let policy = policy(&shape, &config);
        let rows = 6;
        let (actor, critic) = policy.state_sizes();
        let mut fresh = Inputs {
            rows,
            observation: observe(&shape, rows, 8),
            privileged: noise(rows * shape.privileged, 9),
            mask: noise(rows * shape.actions(), 10).iter().map(|&v| v > -0.4).collect(),
            reset: vec![false; rows],
            actor_state: noise(rows * actor, 11),
            critic_state: noise(rows * critic, 12),
            ..Inputs::default()
        };
        fresh.packing.set_single(rows);
        let mut scratch = Scratch::default();
        let mut act = || {
            let mut inputs = fresh.clone();
            policy.act(&mut inputs, &mut scratch, Choose::Best);
            (inputs, scratch.clone())
        };
        let (inputs, first) = act();
        let (again, second) = act();
        assert_eq!(inputs.actions, again.actions);
        assert_eq!(first.log_probs, second.log_probs);
        let mut at = 0;
        for r in 0..rows {
            for (h, &size) in shape.heads.iter().enumerate() {
                let taken = at + inputs.actions[r * shape.heads.len() + h] as usize;
                assert!(inputs.mask[taken]);
                for a in (at..at + size).filter(|&a| inputs.mask[a]) {
                    assert!(first.logits[a] <= first.logits[taken], "{}", name(&shape, &config));
                }
                at += size;
            }
        }
    }
}

#[test]
fn a_warm_scratch_changes_nothing() {
    for (shape, config) in configs().into_iter().step_by(7) {
        let policy = policy(&shape, &config);
        let gradient = |scratch: &mut Scratch, lengths: &[usize]| {
            let played = play(&policy, lengths, 13);
            total_loss(&policy, &played.inputs, &targets(&played), scratch);
            let mut grads = vec![0.0; policy.params.len()];
            policy.backward(&played.inputs, scratch, &mut grads);
            grads
        };
        let mut warm = Scratch::default();
        gradient(&mut warm, &[9, 9, 8, 2, 1]);
        let grads = gradient(&mut warm, &LENGTHS);
        assert_eq!(grads, gradient(&mut Scratch::default(), &LENGTHS), "{}", name(&shape, &config));
    }
}

#[test]
fn autoregressive_heads_see_the_choices_before_them_and_only_those() {
    let shape = shape(0, &[3, 4, 4]);
    for (autoregressive, hidden) in [(false, &[][..]), (false, &[8]), (true, &[]), (true, &[8])] {
        let heads = HeadsConfig { hidden: hidden.to_vec(), autoregressive };
        let policy = policy(&shape, &PolicyConfig { heads, ..PolicyConfig::default() });
        let logits = |actions: [u32; 3]| {
            let mut inputs = Inputs { rows: 1, observation: noise(5, 14), ..Inputs::default() };
            inputs.actions.extend(actions);
            let mut scratch = Scratch::default();
            policy.forward(&inputs, &mut scratch);
            scratch.logits
        };
        let base = logits([0, 0, 0]);
        let other_first = logits([1, 0, 0]);
        assert_eq!(base[..3], other_first[..3]);
        assert_eq!(base[3..7] != other_first[3..7], autoregressive);
        assert_eq!(base[7..] != other_first[7..], autoregressive);
        let other_second = logits([0, 3, 0]);
        assert_eq!(base[..7], other_second[..7]);
        assert_eq!(base[7..] != other_second[7..], autoregressive);
        assert_eq!(base, logits([0, 0, 1]));
    }
}

#[test]
fn fresh_heads_with_layers_already_see_choices() {
    let heads = HeadsConfig { hidden: vec![8], autoregressive: true };
    let config = PolicyConfig { heads, ..PolicyConfig::default() };
    let policy = Policy::new(shape(0, &[3, 4, 4]), &config, 15);
    let logits = |first: u32| {
        let mut inputs = Inputs { rows: 1, observation: noise(5, 16), ..Inputs::default() };
        inputs.actions.extend([first, 0, 0]);
        let mut scratch = Scratch::default();
        policy.forward(&inputs, &mut scratch);
        scratch.logits
    };
    assert_ne!(logits(0)[3..], logits(1)[3..]);
}

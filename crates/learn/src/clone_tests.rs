use lanista_game::seed::{mix, uniform};
use lanista_game::{Condition, Requirement};
use serde_json::Value;

use super::*;
use crate::anchor::Anchor;
use crate::config::{CellName, HeadsConfig, MemoryConfig, PolicyConfig, PpoConfig};
use crate::rollout::Act;
use crate::shape::{Group, Shape};

fn close(what: &str, got: f64, want: f64) {
    let error = (got - want).abs() / want.abs().max(1.0);
    assert!(error < 2e-5, "{what}: {got} instead of {want}");
}

/// The numbers were computed by PyTorch's autograd: `integrations/torch/clone_loss.py`.
#[test]
fn the_loss_and_its_gradient_agree_with_the_reference() {
    let f: Value = serde_json::from_str(include_str!("../fixtures/clone.json")).unwrap();
    let list = |v: &Value| -> Vec<f32> {
        v.as_array().unwrap().iter().map(|n| n.as_f64().map_or(f32::NAN, |n| n as f32)).collect()
    };
    let heads: Vec<usize> = list(&f["heads"]).iter().map(|&n| n as usize).collect();
    let rows = f["weight"].as_array().unwrap().len();
    let inputs = Inputs {
        rows,
        mask: f["mask"].as_array().unwrap().iter().map(|m| m.as_bool().unwrap()).collect(),
        actions: list(&f["actions"])
            .iter()
            .map(|&a| if a < 0.0 { UNKNOWN } else { a as u32 })
            .collect(),
        ..Inputs::default()
    };
    let weight = list(&f["weight"]);
    let cases = f["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 4);
    for case in cases {
        let number = |key: &str| case[key].as_f64().unwrap() as f32;
        let taught = case["taught"].as_bool().unwrap();
        let targets = Targets {
            weight: weight.clone(),
            teacher: if taught { list(&f["teacher"]) } else { Vec::new() },
            returns: list(&f["returns"]),
        };
        let weighed = case["weighed"].as_bool().unwrap();
        let loss = Weights {
            smoothing: number("smoothing"),
            entropy: number("entropy"),
            value: number("value"),
            classes: if weighed { list(&f["classes"]) } else { Vec::new() },
        };
        let rows = weight.iter().sum();
        let objective = Imitation { heads: heads.clone(), loss, rows, valued: true };
        let mut scratch = Scratch::default();
        scratch.logits.extend(list(&f["logits"]));
        scratch.values.extend(list(&f["values"]));
        let mut sums = Sums::default();
        objective.lose(&inputs, &mut scratch, &targets, &mut sums);
        for (what, got, want) in [
            ("d_logits", &scratch.d_logits, list(&case["d_logits"])),
            ("d_values", &scratch.d_values, list(&case["d_values"])),
        ] {
            assert!(want.iter().any(|w| *w != 0.0) || what == "d_values");
            for (i, (got, want)) in got.iter().zip(&want).enumerate() {
                close(&format!("{what}[{i}] of {case}"), f64::from(*got), f64::from(*want));
            }
        }
        // Without smoothing and weights the loss is what the sums say.
        if !weighed && number("smoothing") == 0.0 {
            close("loss", sums.nll / sums.rows, case["loss"].as_f64().unwrap());
        }
    }
}

/// Two numbers of a feature decide over three heads; the second needs the first action of the first, and
/// some choices are not known.
fn shape() -> Shape {
    let requirement =
        Requirement { head: 1, action: 1, condition: Condition::All, choices: vec![(0, 2)] };
    Shape {
        features: 6,
        groups: vec![Group::Plain { features: 6 }],
        varying: (0..6).collect(),
        heads: vec![3, 2, 4],
        requires: vec![vec![], vec![requirement], vec![]],
        ..Shape::default()
    }
}

/// Decisions of a rule, `rows` at a time for `steps` steps, an episode every seven.
fn decisions(policy: &Policy, rows: usize, steps: usize, unknown: bool) -> Rollout {
    let shape = policy.shape();
    let (actor, critic) = policy.state_sizes();
    let mut rollout = Rollout::new(rows);
    let mut before = vec![0; rows];
    for t in 0..steps {
        for r in 0..rows {
            let draw = |i: u64| 2.0 * uniform(mix(mix(t as u64, r as u64), i)) - 1.0;
            let seen: Vec<f32> = (0..6).map(draw).collect();
            let largest = |part: &[f32]| {
                let top = part.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                part.iter().position(|&x| x == top).unwrap_or(0) as u32
            };
            // With memory, the last head repeats the first choice of the step before.
            let first = largest(&seen[..3]);
            let second = u32::from(first == 2 && seen[3] > 0.0);
            let third = if t % 7 == 0 { 0 } else { before[r] };
            before[r] = first;
            let mut actions = [first, second, third];
            if unknown && (t + r) % 3 == 0 {
                actions[(t / 3) % 3] = UNKNOWN;
            }
            let mut mask = vec![true; 9];
            mask[8] = (t + r) % 2 == 0;
            shape.narrow_recorded(&actions, &mut mask, &[]);
            let act = Act {
                row: r,
                observation: &seen,
                privileged: &[],
                mask: &mask,
                actions: &actions,
                log_prob: 0.0,
                value: 0.0,
                start: t % 7 == 0,
                actor_state: &vec![0.0; actor],
                critic_state: &vec![0.0; critic],
            };
            rollout.push(act, 7);
            rollout.end(r, Follow::Terminated);
        }
    }
    rollout.returns = (0..rollout.len() as u64).map(|i| uniform(mix(5, i))).collect();
    rollout
}

fn config(memory: bool, autoregressive: bool) -> PolicyConfig {
    let memory = memory.then_some(MemoryConfig { cell: CellName::Gru, size: 12, layers: 1 });
    let heads = HeadsConfig { hidden: vec![8], autoregressive };
    PolicyConfig { hidden: vec![24], memory, heads, ..PolicyConfig::default() }
}

fn numbers(loss: Weights) -> Numbers {
    Numbers {
        rates: Rates { actor: 1e-2, critic: 1e-2 },
        minibatch: 64,
        chunk: 32,
        max_grad_norm: 10.0,
        max_bad_updates: 3,
        loss,
    }
}

/// Of what the gradients of a whole policy say, finite differences are the judge.
#[test]
fn gradients_of_whole_policies_agree_with_finite_differences() {
    for (memory, autoregressive) in [(false, false), (false, true), (true, true)] {
        let mut policy = Policy::new(shape(), &config(memory, autoregressive), 3);
        let mut rollout = decisions(&policy, 3, 14, true);
        // A teacher for every other sample; of the others only the choice is known.
        let actions = policy.shape().actions();
        rollout.teacher = vec![0.0; rollout.len() * actions];
        for s in (0..rollout.len()).step_by(2) {
            let legal = (0..3).filter(|&a| rollout.mask[s * actions + a]).count() as f32;
            for a in 0..3 {
                let at = s * actions + a;
                rollout.teacher[at] = if rollout.mask[at] { 1.0 / legal } else { 0.0 };
            }
        }
        let loss = Weights {
            smoothing: 0.1,
            entropy: 0.05,
            value: 0.5,
            classes: (0..9).map(|a| 0.5 + a as f32 * 0.1).collect(),
        };
        let rollouts = [&rollout];
        let mut items = Vec::new();
        list(&mut items, policy.recurrent(), &rollouts);
        let objective = Imitation::of(&policy, &rollouts, &items, &loss);
        let mut gradients = Gradients::new(policy.layout().len());
        gradients.of(&policy, &rollouts, &items, 1000, &objective);
        let whole = |policy: &Policy| -> f64 {
            let lane = minibatch::look(policy, &rollouts, &items, 1 << 20, &objective, |i, s| {
                total(&objective, &rollout, i, s)
            });
            lane.iter().map(|(_, loss)| loss).sum()
        };
        let mut compared = 0;
        for p in (0..policy.params.len()).step_by(7) {
            let (kept, step) = (policy.params[p], 1e-2);
            policy.params[p] = kept + step;
            let above = whole(&policy);
            policy.params[p] = kept - step;
            let below = whole(&policy);
            policy.params[p] = kept;
            let slope = (above - below) / (2.0 * f64::from(step));
            let got = f64::from(gradients.grads[p]);
            assert!((got - slope).abs() < 2e-3 * slope.abs().max(0.5), "{p}: {got}, {slope}");
            compared += usize::from(slope.abs() > 1e-3);
        }
        assert!(compared > 20, "{compared} slopes say something");
    }
}

/// The loss in the plainest way, row by row. Sequences are packed, so a row is found by what it saw.
fn total(objective: &Imitation, rollout: &Rollout, inputs: &Inputs, scratch: &Scratch) -> f64 {
    let (actions, mut sum) = (9, 0.0);
    for r in 0..inputs.rows {
        let seen = &inputs.observation[r * 6..(r + 1) * 6];
        let s = rollout.observation.chunks(6).position(|row| row == seen).unwrap();
        let mut offset = 0;
        for (h, size) in [3, 2, 4].into_iter().enumerate() {
            let part = r * actions + offset..r * actions + offset + size;
            let (logits, mask) = (&scratch.logits[part.clone()], &inputs.mask[part]);
            let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let legal = |a: &usize| mask[*a];
            let total: f64 =
                (0..size).filter(legal).map(|a| f64::from(logits[a] - top).exp()).sum();
            let log_p = |a: usize| f64::from(logits[a] - top) - total.ln();
            let teacher = &rollout.teacher[s * actions + offset..s * actions + offset + size];
            let chosen = inputs.actions[r * 3 + h];
            let k = (0..size).filter(legal).count() as f64;
            if teacher.iter().any(|&q| q > 0.0) {
                for a in (0..size).filter(|&a| teacher[a] > 0.0) {
                    let q = f64::from(teacher[a]);
                    sum += q * (q.ln() - log_p(a));
                }
            } else if chosen != UNKNOWN {
                let even: f64 = (0..size).filter(legal).map(log_p).sum::<f64>() / k;
                let class = f64::from(objective.loss.classes[offset + chosen as usize]);
                sum -= class * (0.9 * log_p(chosen as usize) + 0.1 * even);
            }
            sum += 0.05 * (0..size).filter(legal).map(|a| log_p(a).exp() * log_p(a)).sum::<f64>();
            offset += size;
        }
        let error = f64::from(scratch.values[r] - rollout.returns[s]);
        sum += 0.5 * 0.5 * error * error;
    }
    sum / f64::from(objective.rows)
}

#[test]
fn two_hundred_decisions_are_learnt_by_heart() {
    for memory in [false, true] {
        let policy = Policy::new(shape(), &config(memory, true), 1);
        let mut rollout = decisions(&policy, 10, 20, true);
        if !memory {
            // Nobody without memory can know what was chosen before.
            rollout.actions.iter_mut().skip(2).step_by(3).for_each(|a| *a = UNKNOWN);
        }
        let mut cloner = Cloner::new(&policy);
        let mut learner = Learner::new(policy, PpoConfig::default());
        let numbers = numbers(Weights::default());
        for epoch in 0..300 {
            cloner.fit(&mut learner, &[&rollout], &numbers, epoch).unwrap();
        }
        let (fitted, confusion) = look(&learner.policy, &[&rollout], 64);
        assert_eq!(fitted.rows, 200.0);
        for (h, head) in fitted.heads.iter().enumerate() {
            let known: u64 = confusion[h].iter().sum();
            assert_eq!(known as f64, head.decisions, "of head {h}");
            if head.decisions > 0.0 {
                assert!(head.accuracy >= 0.99, "memory {memory}, head {h}: {head:?}");
            }
        }
        assert!(fitted.nll < 0.1, "{fitted:?}");
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let fit = |threads: usize| {
        let policy = Policy::new(shape(), &config(true, true), 1);
        let rollouts = [decisions(&policy, 10, 40, true), decisions(&policy, 7, 30, true)];
        let rollouts: Vec<&Rollout> = rollouts.iter().collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut cloner = Cloner::new(&policy);
            let mut learner = Learner::new(policy, PpoConfig::default());
            let numbers = numbers(Weights { smoothing: 0.1, ..Weights::default() });
            let fitted = cloner.fit(&mut learner, &rollouts, &numbers, 5).unwrap();
            let bits: Vec<u32> = learner.policy.params.iter().map(|p| p.to_bits()).collect();
            (bits, fitted, look(&learner.policy, &rollouts, 32))
        })
    };
    assert_eq!(fit(1), fit(2));
    assert_eq!(fit(1), fit(5));
}

/// Where no return is known the critic is not asked, and what the actor learns has the same bits.
#[test]
fn a_critic_that_nobody_asks_changes_nothing() {
    for (memory, shared) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut config = config(memory, true);
        if shared {
            config.critic.shared = true;
        }
        let policy = Policy::new(shape(), &config, 4);
        let asked = decisions(&policy, 6, 21, true);
        let mut rests = asked.clone();
        rests.returns.fill(f32::NAN);
        let gradient = |rollout: &Rollout| {
            let (rollouts, mut items) = ([rollout], Vec::new());
            list(&mut items, policy.recurrent(), &rollouts);
            let objective = Imitation::of(&policy, &rollouts, &items, &Weights::default());
            let mut gradients = Gradients::new(policy.layout().len());
            let sums = gradients.of(&policy, &rollouts, &items, 16, &objective);
            (objective.asks_critic(), gradients.grads, sums.nll)
        };
        let (asked, rests) = (gradient(&asked), gradient(&rests));
        assert!(asked.0 && !rests.0);
        // A value that weighs nothing adds zeros.
        assert_eq!(asked.1, rests.1, "memory {memory}, shared {shared}");
        assert_eq!(asked.2, rests.2);
    }
}

#[test]
fn frozen_tensors_stay_as_they_are() {
    let policy = Policy::new(shape(), &config(false, false), 1);
    let rollout = decisions(&policy, 10, 20, false);
    let mut learner = Learner::new(policy.clone(), PpoConfig::default());
    let layers = ["actor.hidden".to_owned()];
    learner.frozen = crate::transfer::select(policy.layout(), &layers).unwrap();
    let mut cloner = Cloner::new(&policy);
    for epoch in 0..3 {
        cloner.fit(&mut learner, &[&rollout], &numbers(Weights::default()), epoch).unwrap();
    }
    for (tensor, frozen) in policy.layout().tensors().iter().zip(&learner.frozen) {
        let (then, now) =
            (&policy.params[tensor.range.clone()], &learner.policy.params[tensor.range.clone()]);
        let idle = tensor.name.starts_with("critic");
        assert_eq!(then == now, *frozen || idle, "{}", tensor.name);
    }
}

/// An anchor says of every sample what it would say if it played: with memory as it goes along, over
/// rollouts that follow each other.
#[test]
fn an_anchor_regards_samples_as_if_it_played() {
    for memory in [false, true] {
        let policy = Policy::new(shape(), &config(memory, true), 9);
        let whole = decisions(&policy, 4, 12, false);
        let anchor = Anchor { policy: policy.clone(), weight: 1.0.into() };
        let mut at_once = whole.clone();
        anchor.regard(&mut at_once);
        // One row after the other, one step after the other.
        for row in 0..4u32 {
            let actor_state = vec![0.0; policy.state_sizes().0];
            let mut inputs = Inputs { actor_state, ..Inputs::default() };
            let mut scratch = Scratch::default();
            for s in (0..whole.len()).filter(|&s| whole.row[s] == row) {
                let state = std::mem::take(&mut inputs.actor_state);
                inputs.clear();
                inputs.actor_state = state;
                inputs.rows = 1;
                inputs.packing.set_single(1);
                inputs.observation.extend_from_slice(&whole.observation[s * 6..(s + 1) * 6]);
                inputs.mask.extend_from_slice(&whole.mask[s * 9..(s + 1) * 9]);
                inputs.reset.push(whole.start[s]);
                let chosen = &whole.actions[s * 3..(s + 1) * 3];
                let known = |_: usize, head: usize| chosen[head];
                policy.choose(&mut inputs, &mut scratch, crate::policy::Choose::Known(&known));
                let mut offset = 0;
                for (h, size) in [3, 2, 4].into_iter().enumerate() {
                    let mut probs = vec![0.0; size];
                    let (logits, mask) = (
                        &scratch.logits[offset..offset + size],
                        &whole.mask[s * 9 + offset..s * 9 + offset + size],
                    );
                    categorical::evaluate(logits, mask, chosen[h], &mut probs);
                    let got = &at_once.teacher[s * 9 + offset..s * 9 + offset + size];
                    for (got, want) in got.iter().zip(&probs) {
                        assert!((got - want).abs() < 1e-6, "{got} {want}");
                    }
                    offset += size;
                }
            }
        }
        // A policy that is its own anchor has not moved from it.
        let ppo = PpoConfig { epochs: 1.0.into(), minibatch: 1e6.into(), ..PpoConfig::default() };
        let mut learner = Learner::new(policy, ppo);
        learner.anchor = Some(anchor);
        let mut paid = whole.clone();
        paid.reward = (0..paid.len() as u64).map(|i| uniform(mix(8, i))).collect();
        let losses = learner.update(&mut [&mut paid.clone()], 0.0, 1).unwrap();
        assert!(losses.anchor_kl.abs() < 1e-6, "{losses:?}");
        let losses = learner.update(&mut [&mut paid.clone()], 0.0, 1).unwrap();
        assert!(losses.anchor_kl > 1e-9, "{losses:?}");
    }
}

use lanista_game::seed::uniform;
use lanista_nn::Group;
use serde_json::Value;

use super::*;
use crate::config::{
    ActivationName, CellName, CriticConfig, EncoderConfig, EntitiesConfig, MemoryConfig,
    OptimizerConfig, OptimizerName, PolicyConfig, PoolName,
};
use crate::policy::Choose;
use crate::rollout::Act;
use crate::shape::{self, Shape};

fn numbers(v: &Value) -> Vec<f32> {
    match v {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        Value::Bool(b) => vec![*b as u8 as f32],
        other => vec![other.as_f64().unwrap() as f32],
    }
}

fn close(what: &str, got: f64, want: f64) {
    assert!((got - want).abs() < 1e-5 * (1.0 + want.abs()), "{what}: {got}, expected {want}");
}

#[test]
fn the_loss_and_its_gradient_agree_with_the_reference() {
    let f: Value = serde_json::from_str(include_str!("../fixtures/ppo.json")).unwrap();
    let get = |key: &str| numbers(&f[key]);
    let heads: Vec<usize> = get("heads").iter().map(|&h| h as usize).collect();
    let raw = get("advantages");
    let rows = raw.len();
    let mean = raw.iter().sum::<f32>() / rows as f32;
    let variance = raw.iter().map(|a| (a - mean) * (a - mean)).sum::<f32>() / rows as f32;
    let inputs = Inputs {
        rows,
        mask: get("mask").iter().map(|&m| m == 1.0).collect(),
        actions: get("actions").iter().map(|&a| a as u32).collect(),
        ..Inputs::default()
    };
    let targets = Targets {
        old_log_prob: get("old_log_prob"),
        advantage: raw.iter().map(|a| (a - mean) / (variance.sqrt() + 1e-8)).collect(),
        returns: get("returns"),
        old_value: get("old_values"),
        weight: vec![1.0; rows],
        anchor: Vec::new(),
    };
    let cases = f["cases"].as_array().unwrap();
    assert!(cases.iter().any(|c| c["value_clip"].is_null()));
    assert!(cases.iter().any(|c| c["value_clip"].is_number()));
    for case in cases {
        let value_clip = case["value_clip"].as_f64().map(|v| v as f32);
        let mut scratch = Scratch::default();
        scratch.logits = get("logits");
        scratch.values = get("values");
        let numbers_ =
            Numbers { clip: 0.2, value_clip, value_coef: 0.5, entropy: 0.01, anchor: 0.0 };
        let mut sums = Sums::default();
        loss(&heads, &inputs, &mut scratch, &targets, rows as f32, numbers_, &mut sums);
        let mean = |key: &str, sum: f64| close(key, sum / rows as f64, case[key].as_f64().unwrap());
        mean("policy_loss", sums.policy_loss);
        mean("value_loss", sums.value_loss);
        mean("entropy", sums.entropy);
        mean("approx_kl", sums.approx_kl);
        mean("clip_fraction", sums.clipped);
        let total = sums.policy_loss + 0.5 * sums.value_loss - 0.01 * sums.entropy;
        mean("loss", total);
        for (got, want) in scratch.d_logits.iter().zip(numbers(&case["grad_logits"])) {
            close("grad_logits", *got as f64, want as f64);
        }
        for (got, want) in scratch.d_values.iter().zip(numbers(&case["grad_values"])) {
            close("grad_values", *got as f64, want as f64);
        }
    }
}

#[test]
fn shuffles_are_permutations_and_differ() {
    let fresh: Vec<Item> = (0..100).map(|index| Item { shard: 0, index }).collect();
    let order = |seed| {
        let mut items = fresh.clone();
        shuffle(&mut items, seed);
        items.iter().map(|i| i.index).collect::<Vec<_>>()
    };
    let mut sorted = order(1);
    assert_ne!(sorted, order(2));
    assert_eq!(sorted, order(1));
    sorted.sort_unstable();
    assert!(sorted.iter().enumerate().all(|(i, &s)| i as u32 == s));
}

/// Numbers in `-1..1`, the same for the same seed.
fn noise(n: usize, seed: u64) -> Vec<f32> {
    (0..n as u64).map(|i| 2.0 * uniform(mix(seed, i)) - 1.0).collect()
}

/// A game of one seat and one head: what it shows, what it allows and what it pays at a step of an
/// episode, all from the episode's seed.
struct Game {
    features: usize,
    /// Plain numbers when left out.
    groups: Option<fn() -> Vec<shape::Group>>,
    actions: usize,
    steps: usize,
    see: fn(u64, usize) -> Vec<f32>,
    allow: fn(u64, usize) -> Vec<bool>,
    pay: fn(u64, usize, u32) -> f32,
}

/// Which of the legal features is the largest?
const BANDIT: Game = Game {
    features: 4,
    groups: None,
    actions: 4,
    steps: 1,
    see: |seed, _| noise(4, seed),
    allow: |seed, _| (0..4).map(|a| a as u64 != mix(seed, 9) % 4).collect(),
    pay: |seed, _, action| {
        let (seen, legal) = (noise(4, seed), (BANDIT.allow)(seed, 0));
        let best = (0..4).filter(|&a| legal[a]).max_by(|&a, &b| seen[a].total_cmp(&seen[b]));
        if best == Some(action as usize) { 1.0 } else { 0.0 }
    },
};

/// What was shown three steps ago? Only the last step pays; one action is never legal there.
const CUE: Game = Game {
    features: 4,
    groups: None,
    actions: 4,
    steps: 4,
    see: |seed, t| {
        let mut seen = vec![0.0; 4];
        match t {
            0 => seen[(seed % 3) as usize] = 1.0,
            3 => seen[3] = 1.0,
            _ => {}
        }
        seen
    },
    allow: |seed, t| match t {
        3 => vec![true, true, true, false],
        _ => (0..4).map(|a| a as u64 != mix(seed, t as u64) % 4).collect(),
    },
    pay: |seed, t, action| if t == 3 && action as u64 == seed % 3 { 1.0 } else { 0.0 },
};

/// Which colour does only one of the entities have? Two slots of six are empty, any two, and hold
/// nonsense.
const ODD: Game = Game {
    features: 12,
    groups: Some(|| {
        let vocabulary = lanista_game::Vocabulary { name: "colour".to_owned(), size: 4 };
        let parts = vec![shape::EntityPart::Id(vocabulary)];
        vec![shape::Group::Entities { name: "ball".to_owned(), most: 6, parts }]
    }),
    actions: 4,
    steps: 1,
    see: |seed, _| {
        let odd = seed % 4;
        let common = (odd + 1 + mix(seed, 1) % 3) % 4;
        let mut slots: Vec<[f32; 2]> = vec![[1.0, common as f32]; 3];
        slots.extend([[1.0, odd as f32], [0.0, 3.0], [0.0, 0.5]]);
        for i in (1..slots.len()).rev() {
            slots.swap(i, (mix(seed, 10 + i as u64) % (i as u64 + 1)) as usize);
        }
        slots.concat()
    },
    allow: |_, _| vec![true; 4],
    pay: |seed, _, action| if action as u64 == seed % 4 { 1.0 } else { 0.0 },
};

impl Game {
    fn policy(&self, config: &PolicyConfig) -> Policy {
        let requires = vec![Vec::new()];
        let heads = vec![self.actions];
        let shape = Shape {
            features: self.features,
            groups: self.groups.map_or_else(
                || vec![shape::Group::Plain { features: self.features }],
                |groups| groups(),
            ),
            varying: (0..self.features).collect(),
            heads,
            requires,
            ..Shape::default()
        };
        Policy::new(shape, config, 1)
    }

    /// Plays `episodes` in each of `rows`; returns what happened and the mean pay of an episode.
    fn play(&self, policy: &Policy, rows: usize, episodes: u64, seed: u64) -> (Rollout, f32) {
        let mut rollout = Rollout::new(rows);
        let (actor, critic) = policy.state_sizes();
        let mut inputs = Inputs {
            actor_state: vec![0.0; rows * actor],
            critic_state: vec![0.0; rows * critic],
            ..Inputs::default()
        };
        inputs.packing.set_single(rows);
        let mut scratch = Scratch::default();
        let mut paid = 0.0;
        for episode in 0..episodes {
            let of_row = |r: usize| mix(mix(seed, episode), r as u64);
            for t in 0..self.steps {
                inputs.rows = rows;
                inputs.observation = (0..rows).flat_map(|r| (self.see)(of_row(r), t)).collect();
                inputs.mask = (0..rows).flat_map(|r| (self.allow)(of_row(r), t)).collect();
                inputs.reset = vec![t == 0; rows];
                let before = (inputs.actor_state.clone(), inputs.critic_state.clone());
                let draw = |r: usize, _| uniform(mix(of_row(r), 1000 + t as u64));
                policy.act(&mut inputs, &mut scratch, Choose::Sample(&draw));
                for r in 0..rows {
                    let action = inputs.actions[r];
                    let act = Act {
                        row: r,
                        observation: &inputs.observation[r * self.features..][..self.features],
                        privileged: &[],
                        mask: &inputs.mask[r * self.actions..][..self.actions],
                        actions: &[action],
                        log_prob: scratch.log_probs[r],
                        value: scratch.values[r],
                        start: t == 0,
                        actor_state: &before.0[r * actor..(r + 1) * actor],
                        critic_state: &before.1[r * critic..(r + 1) * critic],
                    };
                    rollout.push(act, 6);
                    let pay = (self.pay)(of_row(r), t, action);
                    rollout.reward(r, pay);
                    paid += pay;
                }
            }
            (0..rows).for_each(|r| rollout.end(r, Follow::Terminated));
        }
        (rollout, paid / (rows as f32 * episodes as f32))
    }
}

fn memory(cell: CellName) -> PolicyConfig {
    PolicyConfig {
        hidden: vec![16],
        memory: Some(MemoryConfig { cell, size: 16, layers: 1 }),
        ..PolicyConfig::default()
    }
}

fn small() -> PolicyConfig {
    PolicyConfig { hidden: vec![32], ..PolicyConfig::default() }
}

fn encoder(pool: PoolName) -> PolicyConfig {
    let entities = EntitiesConfig { hidden: vec![16], pool, heads: None };
    PolicyConfig { encoder: Some(EncoderConfig { embedding: 4, entities }), ..small() }
}

/// Makes the last acts of some rows acts of unknown outcome; returns which.
fn cut_short(rollout: &mut Rollout, rows: usize) -> Vec<usize> {
    let unknown: Vec<usize> = (rollout.len() - rows..rollout.len()).step_by(2).collect();
    unknown.iter().for_each(|&s| rollout.follow[s] = Follow::Unknown);
    unknown
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    for (game, config) in
        [(BANDIT, small()), (CUE, memory(CellName::Lstm)), (ODD, encoder(PoolName::Attention))]
    {
        let policy = game.policy(&config);
        // More chunks than lanes, and a last chunk that is not full.
        let ppo = PpoConfig { minibatch: 203.0.into(), chunk: 9, ..PpoConfig::default() };
        let update = |threads: usize| {
            let mut learner = Learner::new(policy.clone(), ppo.clone());
            let mut shards: Vec<Rollout> = (0..3).map(|s| game.play(&policy, 31, 7, s).0).collect();
            cut_short(&mut shards[1], 31);
            let mut shards: Vec<&mut Rollout> = shards.iter_mut().collect();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let losses = pool.install(|| learner.update(&mut shards, 0.0, 2)).unwrap();
            (bits(&learner.policy.params), losses)
        };
        let one = update(1);
        assert_ne!(one.0, bits(&policy.params));
        assert!(one == update(2));
        assert!(one == update(5));
    }
}

#[test]
fn weights_that_the_optimiser_spoils_are_noticed() {
    let policy = CUE.policy(&small());
    let ppo = PpoConfig { learning_rate: 1e39.into(), ..PpoConfig::default() };
    let (rollout, _) = CUE.play(&policy, 8, 2, 3);
    let mut learner = Learner::new(policy, ppo);
    assert_eq!(learner.update(&mut [&mut rollout.clone()], 0.0, 4), Err(Diverged::Weights));
}

#[test]
fn an_update_that_is_not_finite_is_dropped_and_too_many_in_a_row_stop() {
    for activation in [ActivationName::Tanh, ActivationName::Relu, ActivationName::Silu] {
        for config in [small(), memory(CellName::Lstm), memory(CellName::Gru)] {
            let policy = CUE.policy(&PolicyConfig { activation, ..config });
            let ppo = PpoConfig { epochs: 1.0.into(), max_bad_updates: 3, ..PpoConfig::default() };
            let mut learner = Learner::new(policy.clone(), ppo);
            let (good, _) = CUE.play(&policy, 8, 2, 3);
            let mut bad = good.clone();
            bad.observation[5] = f32::NAN;
            let mut update =
                |rollout: &Rollout| learner.update(&mut [&mut rollout.clone()], 0.0, 4);
            assert!(update(&bad).is_ok());
            assert!(update(&bad).is_ok());
            assert!(update(&good).is_ok_and(|l| l.policy_loss.is_finite()));
            assert!(update(&bad).is_ok());
            assert!(update(&bad).is_ok());
            assert_eq!(update(&bad), Err(Diverged::Updates { count: 3 }));
            assert_eq!(learner.dropped_updates, 5);
            // Only the good one left a trace.
            let mut other = Learner::new(policy, learner.config().clone());
            other.update(&mut [&mut good.clone()], 0.0, 4).unwrap();
            assert_eq!(learner.policy.params, other.policy.params);
            assert_eq!(learner.optimizer.state(), other.optimizer.state());
        }
    }
}

/// Plays and learns until an iteration pays more than 0.95; returns the iteration.
fn learns(game: &Game, config: &PolicyConfig, ppo: PpoConfig, iterations: u64) -> Option<u64> {
    let mut learner = Learner::new(game.policy(config), ppo);
    (0..iterations).find(|&i| {
        let (mut rollout, paid) = game.play(&learner.policy, 64, 8, i);
        learner.update(&mut [&mut rollout], 0.0, i).unwrap();
        paid > 0.95
    })
}

fn brisk() -> PpoConfig {
    PpoConfig {
        learning_rate: 5e-3.into(),
        minibatch: 128.0.into(),
        entropy: 0.003.into(),
        ..PpoConfig::default()
    }
}

#[test]
fn learns_a_bandit() {
    let took = learns(&BANDIT, &small(), brisk(), 120);
    assert!(took.is_some_and(|i| i > 0), "{took:?}");
}

#[test]
fn memory_learns_a_cue_from_three_steps_ago() {
    for cell in [CellName::Gru, CellName::Lstm] {
        let took = learns(&CUE, &memory(cell), brisk(), 60);
        assert!(took.is_some_and(|i| i > 0), "{cell:?} {took:?}");
    }
    assert_eq!(learns(&CUE, &small(), brisk(), 20), None, "without memory there is no cue");
}

#[test]
fn a_policy_with_an_encoder_learns_to_find_the_odd_one_out() {
    for pool in [PoolName::MeanMax, PoolName::Attention] {
        let took = learns(&ODD, &encoder(pool), brisk(), 60);
        assert!(took.is_some_and(|i| i > 0), "{pool:?} {took:?}");
    }
}

#[test]
fn every_optimizer_lowers_the_loss_and_learns() {
    for name in [OptimizerName::Adam, OptimizerName::AdamW, OptimizerName::Muon] {
        let optimizer = OptimizerConfig { name, weight_decay: 0.01, ..OptimizerConfig::default() };
        let ppo = PpoConfig { optimizer, ..brisk() };
        let policy = BANDIT.policy(&small());
        let mut learner = Learner::new(policy.clone(), ppo.clone());
        let (mut rollout, _) = BANDIT.play(&policy, 64, 8, 5);
        let mut total = |learner: &mut Learner| {
            estimate(&mut rollout, 0.99, 0.95, 1.0);
            list(&mut learner.items, learner.policy.recurrent(), &[&rollout]);
            let numbers =
                Numbers { clip: 0.2, value_clip: None, value_coef: 0.5, entropy: 0.0, anchor: 0.0 };
            let all = 0..learner.items.len();
            let sums = learner.gradient(&[&rollout], all, numbers);
            (sums.policy_loss + 0.5 * sums.value_loss) / sums.rows
        };
        let before = total(&mut learner);
        let (mut again, _) = BANDIT.play(&policy, 64, 8, 5);
        learner.update(&mut [&mut again], 0.0, 6).unwrap();
        let after = total(&mut learner);
        assert!(after < before - 0.02, "{name:?}: {before} to {after}");
        assert!(learns(&BANDIT, &small(), ppo, 120).is_some(), "{name:?}");
    }
}

#[test]
fn a_policy_that_moved_far_enough_ends_the_epochs() {
    let policy = BANDIT.policy(&small());
    let update = |target_kl: Option<f64>| {
        let target_kl = target_kl.map(Into::into);
        let ppo = PpoConfig { target_kl, epochs: 10.0.into(), ..brisk() };
        let mut learner = Learner::new(policy.clone(), ppo);
        let (mut rollout, _) = BANDIT.play(&policy, 64, 8, 7);
        let losses = learner.update(&mut [&mut rollout], 0.0, 8).unwrap();
        (losses.epochs, learner.optimizer.state().step)
    };
    assert_eq!(update(None), (10, 40));
    assert_eq!(update(Some(1e9)), (10, 40));
    let (epochs, steps) = update(Some(0.005));
    assert!((1..10).contains(&epochs) && (1..40).contains(&steps), "{epochs} {steps}");
    assert_eq!(update(Some(-1.0)), (1, 0));
}

#[test]
fn a_policy_that_has_not_moved_agrees_with_its_rollouts() {
    for config in [small(), memory(CellName::Lstm), memory(CellName::Gru)] {
        let mut policy = CUE.policy(&config);
        let shift = noise(policy.params.len(), 16);
        policy.params.iter_mut().zip(shift).for_each(|(p, s)| *p += 0.5 * s);
        let mut shards: Vec<Rollout> = (0..2).map(|s| CUE.play(&policy, 9, 4, s).0).collect();
        for shard in &mut shards {
            assert!(shard.log_prob.iter().any(|&l| l < -1.3), "almost uniform");
            shard.advantage = vec![1.0; shard.len()];
            shard.returns = shard.value.clone();
        }
        let shards: Vec<&Rollout> = shards.iter().collect();
        let ppo = PpoConfig { chunk: 32, ..PpoConfig::default() };
        let mut learner = Learner::new(policy, ppo);
        list(&mut learner.items, learner.policy.recurrent(), &shards);
        shuffle(&mut learner.items, 17);
        let numbers =
            Numbers { clip: 1e-4, value_clip: None, value_coef: 0.5, entropy: 0.0, anchor: 0.0 };
        let sums = learner.gradient(&shards, 0..learner.items.len(), numbers);
        assert_eq!((sums.rows, sums.clipped), (2.0 * 9.0 * 16.0, 0.0), "{config:?}");
        assert!(sums.value_loss < 1e-8, "{config:?}: {}", sums.value_loss);
    }
}

#[test]
fn acts_of_unknown_outcome_teach_nothing() {
    for config in [small(), memory(CellName::Lstm), memory(CellName::Gru)] {
        let policy = CUE.policy(&config);
        let update = |disturb: &dyn Fn(&mut Rollout, &[usize])| {
            let (mut rollout, _) = CUE.play(&policy, 10, 2, 9);
            let unknown = cut_short(&mut rollout, 10);
            disturb(&mut rollout, &unknown);
            let ppo = PpoConfig { chunk: 16, minibatch: 30.0.into(), ..PpoConfig::default() };
            let mut learner = Learner::new(policy.clone(), ppo);
            let losses = learner.update(&mut [&mut rollout], 0.0, 10).unwrap();
            (bits(&learner.policy.params), losses)
        };
        let plain = update(&|_, _| {});
        let disturbed = update(&|rollout, unknown| {
            for &s in unknown {
                rollout.reward[s] += 100.0;
                rollout.log_prob[s] -= 1.0;
                rollout.actions[s] = 2;
                rollout.observation[s * 4] += 1.0;
            }
        });
        assert!(plain == disturbed, "{config:?}");
        let known = update(&|rollout, unknown| rollout.reward[unknown[0] + 1] += 100.0);
        assert_ne!(plain.0, known.0);
    }
}

#[test]
fn the_gradient_ignores_the_targets_of_acts_of_unknown_outcome() {
    let policy = CUE.policy(&memory(CellName::Lstm));
    let (mut rollout, _) = CUE.play(&policy, 10, 2, 11);
    let unknown = cut_short(&mut rollout, 10);
    estimate(&mut rollout, 0.99, 0.95, 1.0);
    let mut learner = Learner::new(policy, PpoConfig::default());
    list(&mut learner.items, learner.policy.recurrent(), &[&rollout]);
    let numbers =
        Numbers { clip: 0.2, value_clip: None, value_coef: 0.5, entropy: 0.01, anchor: 0.0 };
    let mut gradient = |rollout: &Rollout| {
        let sums = learner.gradient(&[rollout], 0..learner.items.len(), numbers);
        (bits(&learner.gradients.grads), sums)
    };
    let plain = gradient(&rollout);
    assert_eq!(plain.1.rows, (rollout.len() - unknown.len()) as f64);
    for s in unknown {
        rollout.advantage[s] = 1e6;
        rollout.returns[s] = -1e6;
    }
    assert!(plain == gradient(&rollout));
}

#[test]
fn a_rollout_of_unknown_outcomes_alone_changes_nothing() {
    for config in [small(), memory(CellName::Lstm)] {
        let policy = BANDIT.policy(&config);
        let (mut rollout, _) = BANDIT.play(&policy, 8, 1, 12);
        rollout.follow.fill(Follow::Unknown);
        let mut learner = Learner::new(policy.clone(), PpoConfig::default());
        let losses = learner.update(&mut [&mut rollout], 0.0, 13).unwrap();
        assert_eq!(learner.policy.params, policy.params);
        assert_eq!(learner.optimizer.state().step, 0);
        assert!(losses.policy_loss == 0.0 && losses.approx_kl == 0.0, "{losses:?}");
    }
}

#[test]
fn a_critic_without_a_learning_rate_stays_as_it_is() {
    for (name, shared) in
        [(OptimizerName::Adam, false), (OptimizerName::AdamW, true), (OptimizerName::Muon, false)]
    {
        let hidden = Some(vec![8]);
        let critic = CriticConfig { shared, hidden, memory: None };
        let policy = BANDIT.policy(&PolicyConfig { critic, ..small() });
        let optimizer = OptimizerConfig { name, weight_decay: 0.1, ..OptimizerConfig::default() };
        let critic_learning_rate = Some(0.0.into());
        let ppo = PpoConfig { optimizer, critic_learning_rate, ..PpoConfig::default() };
        let mut learner = Learner::new(policy.clone(), ppo);
        let (mut rollout, _) = BANDIT.play(&policy, 64, 4, 14);
        learner.update(&mut [&mut rollout], 0.0, 15).unwrap();
        for tensor in policy.layout().tensors() {
            let at = tensor.range.clone();
            let same = policy.params[at.clone()] == learner.policy.params[at];
            assert_eq!(same, tensor.group == Group::Critic, "{name:?} {}", tensor.name);
        }
    }
}

//! What a policy with an encoder promises: the order of entities says nothing, and neither does what
//! is not there.

use lanista_game::seed::{mix, uniform};

use super::*;
use crate::config::{
    CellName, CriticConfig, EncoderConfig, EntitiesConfig, MemoryConfig, PoolName,
};
use crate::novelty;
use crate::rollout::{Act, Rollout};
use crate::shape::Group;
use crate::structure::tests::groups;

const FEATURES: usize = 34;
/// Start, slots and length of a slot of the entity groups.
const ENTITIES: [(usize, usize, usize); 3] = [(4, 3, 4), (16, 2, 4), (24, 2, 4)];

fn shape() -> Shape {
    Shape {
        features: FEATURES,
        groups: groups(),
        varying: (1..FEATURES).collect(),
        privileged: 2,
        heads: vec![3, 4],
        requires: vec![vec![], vec![]],
        ..Shape::default()
    }
}

fn policies() -> Vec<Policy> {
    let mut all = Vec::new();
    for pool in [PoolName::MeanMax, PoolName::Attention] {
        for shared in [false, true] {
            for memory in [None, Some(MemoryConfig { cell: CellName::Gru, size: 8, layers: 1 })] {
                let entities = EntitiesConfig { hidden: vec![12, 8], pool, heads: None };
                let config = PolicyConfig {
                    encoder: Some(EncoderConfig { embedding: 5, entities }),
                    memory,
                    critic: CriticConfig { shared, ..CriticConfig::default() },
                    normalize_observations: true,
                    ..PolicyConfig::default()
                };
                let mut policy = Policy::new(shape(), &config, 3);
                // Large enough heads, and a normaliser that has seen something.
                let shift = |i: u64| uniform(mix(4, i)) - 0.5;
                policy.params.iter_mut().zip(0..).for_each(|(p, i)| *p += 0.4 * shift(i));
                let seen: Vec<f32> = (10..30).flat_map(row).collect();
                policy.normalize([&seen[..]].into_iter());
                all.push(policy);
            }
        }
    }
    all
}

/// What a game might show; all slots may be empty, or none.
fn row(seed: u64) -> Vec<f32> {
    let draw = |f: usize| uniform(mix(seed, f as u64));
    let id = |f: usize, n: f32| (draw(f) * n).floor();
    let mut row: Vec<f32> = (0..FEATURES).map(|f| 5.0 * draw(f) + 2.0).collect();
    (row[2], row[3], row[32]) = (id(2, 5.0), id(3, 5.0), id(32, 3.0));
    for (start, slots, length) in ENTITIES {
        for slot in (start..start + slots * length).step_by(length) {
            let there = draw(slot) < [0.0, 0.5, 0.7, 1.0][(seed % 4) as usize];
            row[slot] = f32::from(u8::from(there));
            if start == 16 {
                (row[slot + 1], row[slot + 3]) = (id(slot + 1, 3.0), id(slot + 3, 7.0));
            } else {
                row[slot + 2] = id(slot + 2, 7.0);
            }
            if !there {
                row[slot + 1..slot + length].fill(0.0);
            }
        }
    }
    row
}

/// Logits and values of rows.
fn outputs(policy: &Policy, rows: &[Vec<f32>]) -> Vec<f32> {
    let (actor, critic) = policy.state_sizes();
    let n = rows.len();
    let mut inputs = Inputs {
        rows: n,
        observation: rows.concat(),
        privileged: vec![0.5; n * 2],
        mask: vec![true; n * 7],
        actions: vec![0; n * 2],
        reset: vec![false; n],
        actor_state: vec![0.1; n * actor],
        critic_state: vec![0.2; n * critic],
        ..Inputs::default()
    };
    inputs.packing.set_single(n);
    policy.prepare(&mut inputs);
    let mut scratch = Scratch::default();
    policy.forward(&inputs, &mut scratch);
    let outputs = [scratch.logits, scratch.values].concat();
    assert!(outputs.iter().all(|v| v.is_finite()));
    outputs
}

fn assert_close(got: &[f32], want: &[f32]) {
    for (g, w) in got.iter().zip(want) {
        assert!((g - w).abs() < 2e-6 * (1.0 + w.abs()), "{g}, expected {w}");
    }
}

#[test]
fn the_order_of_entities_does_not_matter() {
    for policy in policies() {
        let rows: Vec<Vec<f32>> = (0..8).map(row).collect();
        let base = outputs(&policy, &rows);
        assert!(base.iter().any(|v| v.abs() > 0.05), "there is something to compare");
        for turn in 1..3 {
            let mut turned = rows.clone();
            for row in &mut turned {
                for (start, slots, length) in ENTITIES {
                    row[start..start + slots * length].rotate_left(turn % slots * length);
                }
            }
            assert_ne!(turned, rows);
            assert_close(&outputs(&policy, &turned), &base);
        }
        // Across groups it does matter, even of the same kind.
        let mut crossed = rows.clone();
        for row in &mut crossed {
            (4..8).for_each(|f| row.swap(f, f + 20));
        }
        let far = |a: &[f32]| a.iter().zip(&base).any(|(a, b)| (a - b).abs() > 1e-3);
        assert!(far(&outputs(&policy, &crossed)));
        // And so does each number and each id of an entity that is there.
        for f in [5, 6, 7, 17, 18, 19, 25, 26, 27, 32, 2, 0, 33] {
            let mut other = rows.clone();
            other.iter_mut().for_each(|row| row[f] = (row[f] + 1.0) % 3.0);
            assert!(far(&outputs(&policy, &other)), "{f}");
        }
    }
}

#[test]
fn what_is_absent_says_nothing() {
    for policy in policies() {
        let rows: Vec<Vec<f32>> = (0..8).map(row).collect();
        let mut other = rows.clone();
        let mut changed = 0;
        for row in &mut other {
            for (start, slots, length) in ENTITIES {
                for slot in (start..start + slots * length).step_by(length) {
                    if row[slot] == 0.0 {
                        row[slot + 1..slot + length].fill([f32::NAN, 1e30, -7.5][changed % 3]);
                        changed += 1;
                    }
                }
            }
        }
        assert!(changed > 10);
        assert_eq!(outputs(&policy, &other), outputs(&policy, &rows));
    }
}

#[test]
fn whatever_is_no_id_counts_as_0() {
    for policy in policies() {
        let with = |id: f32| {
            let mut row = row(3);
            (row[2], row[6], row[17], row[32]) = (id, id, id, id);
            outputs(&policy, &[row])
        };
        for odd in [-1.0, 2.5, 7.0, 1e9, f32::NAN, f32::INFINITY] {
            assert_eq!(with(odd), with(0.0), "{odd}");
        }
        assert_ne!(with(1.0), with(0.0));
    }
}

#[test]
fn without_structure_an_encoder_changes_nothing() {
    let flat = Shape { groups: vec![Group::Plain { features: FEATURES }], ..shape() };
    let config = PolicyConfig { normalize_observations: true, ..PolicyConfig::default() };
    let encoder = Some(EncoderConfig::default());
    let policy = Policy::new(flat.clone(), &config, 1);
    let other = Policy::new(flat, &PolicyConfig { encoder, ..config.clone() }, 1);
    assert_eq!((policy.layout(), &policy.params), (other.layout(), &other.params));
    assert_eq!(policy.normalizer, other.normalizer);
    // And without an encoder structure changes nothing.
    let plain = Policy::new(shape(), &config, 1);
    assert_eq!((policy.layout(), &policy.params), (plain.layout(), &plain.params));
    let rows: Vec<Vec<f32>> = (0..8).map(row).collect();
    assert_eq!(outputs(&policy, &rows), outputs(&plain, &rows));
}

#[test]
fn a_normaliser_that_was_read_from_a_file_treats_entities_as_before() {
    for mut policy in policies() {
        let rows: Vec<Vec<f32>> = (0..8).map(row).collect();
        let before = outputs(&policy, &rows);
        let text = serde_json::to_string(&policy.normalizer).unwrap();
        let read: Option<Normalizer> = serde_json::from_str(&text).unwrap();
        policy.normalizer =
            read.and_then(|read| Normalizer::restore(read.count, read.mean, read.squares));
        assert_eq!(outputs(&policy, &rows), before);
    }
}

#[test]
fn neither_ids_nor_flags_nor_what_is_absent_is_novel() {
    let policy = &policies()[0];
    let novelty_of = |row: &[f32]| {
        let mut rollout = Rollout::new(1);
        let act = Act {
            row: 0,
            observation: row,
            privileged: &[0.0; 2],
            mask: &[true; 7],
            actions: &[0, 0],
            log_prob: 0.0,
            value: 0.0,
            start: false,
            actor_state: &[],
            critic_state: &[],
        };
        rollout.push(act, 16);
        novelty::add(&mut [&mut rollout], policy, 1.0)
    };
    let mut base: Vec<f32> =
        policy.normalizer.iter().flat_map(|n| n.mean.clone()).map(|v| v as f32).collect();
    for (start, slots, length) in ENTITIES {
        (start..start + slots * length).step_by(length).for_each(|slot| base[slot] = 0.0);
    }
    assert_eq!(novelty_of(&base), 0.0);
    let with = |changes: &[(usize, f32)]| {
        let mut row = base.clone();
        changes.iter().for_each(|&(f, v)| row[f] = v);
        novelty_of(&row)
    };
    // Ids; flags; numbers of an entity that is not there; a constant feature.
    for unmoved in [(2, 1e6), (32, 1e6), (4, 1.0), (16, 1.0), (5, 1e6), (25, 1e6), (0, 1e6)] {
        assert_eq!(with(&[unmoved]), 0.0, "{unmoved:?}");
    }
    assert_eq!(with(&[(4, 1.0), (6, 1e6)]), 0.0, "the id of an entity");
    assert!(with(&[(4, 1.0), (5, 1e6)]) > 8.0 && with(&[(1, 1e6)]) > 8.0);
}

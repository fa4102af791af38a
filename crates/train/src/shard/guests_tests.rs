use lanista_game::Entry;
use lanista_league::OpponentStyle;
use lanista_learn::{Policy, PolicyConfig, Shape};
use serde_json::Value;
use std::sync::Arc;

use super::*;
use crate::player::Roster;
use crate::seating::{Cast, Deal, GuestRules, Guests, Seating};
use crate::shard::Purpose;

const GUEST: u64 = 3;

fn duel() -> Entry {
    lanista_classic::games()[4].clone()
}

/// The guest's acts over some steps: what was legal, and what it did. Eight matches against it.
fn acts(style: OpponentStyle, steps: usize) -> Vec<Vec<(Vec<bool>, u32)>> {
    let batch = duel().build(&Value::Null, 8).unwrap();
    let policy = Policy::new(Shape::of(&batch.spec().roles[0]), &PolicyConfig::default(), 5);
    let seating = Seating {
        seed: 9,
        deal: Deal::Always(Player::Frozen(GUEST)),
        guest_rules: GuestRules { style, mates: 0.0 },
        turns: true,
        slots: 8,
        stage: 0,
        cast: Cast::default(),
    };
    let mut shard = Shard::new(0, batch, &[Some(&policy)], seating);
    let policies = [(GUEST, Arc::new(Roster::single(policy.clone())))].into();
    shard.welcome(Arc::new(Guests { policies, past: Vec::new() }), 0);
    shard.start_all(0).unwrap();
    let (seats, legal) = (shard.spec().seats.len(), shard.spec().roles[0].actions());
    let mut seen = vec![Vec::new(); 8 * seats];
    for _ in 0..steps {
        let guests: Vec<usize> =
            (0..8 * seats).filter(|&row| shard.guest_to_act(row).is_some()).collect();
        let masks: Vec<Vec<bool>> = (guests.iter())
            .map(|&row| shard.buffers.mask[row * legal..(row + 1) * legal].to_vec())
            .collect();
        let purpose = Purpose::Evaluate { deterministic: false, record: false };
        shard.step(&[Some(&policy)], &purpose).unwrap();
        for (&row, mask) in guests.iter().zip(masks) {
            seen[row].push((mask, shard.actions[row]));
        }
    }
    seen
}

#[test]
fn a_guest_samples_unless_it_is_told_not_to() {
    // One round's two kinds of acts; within a kind the observations of a match hardly differ.
    let choices = |style: OpponentStyle| {
        let all = acts(style, 15).into_iter().flatten();
        let mut chosen: Vec<u32> = all.filter(|(mask, _)| mask[0]).map(|(_, a)| a).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    };
    assert_eq!(choices(OpponentStyle::default()), [0, 1, 2], "sampled");
    let likeliest = OpponentStyle { deterministic: 1.0, ..OpponentStyle::default() };
    assert_eq!(choices(likeliest).len(), 1, "the most likely choice is always the same");
}

#[test]
fn a_guest_that_is_late_repeats_itself_where_that_is_legal() {
    // Matches last 16 steps: no episode ends within these.
    let late = OpponentStyle { delay_chance: 1.0, ..OpponentStyle::default() };
    for row in acts(late, 15) {
        let mut last = None;
        for (mask, action) in row {
            assert!(mask[action as usize], "an act is legal, late or not");
            if let Some(last) = last.filter(|&last: &u32| mask[last as usize]) {
                assert_eq!(action, last, "it repeats itself");
            }
            last = Some(action);
        }
    }
}

//! What holds of all games of this crate beside the contract, through the door the program uses.

use lanista_classic::games;
use lanista_game::{Batch, Buffers, Control, Entry, seed};
use serde_json::{Value, json};

/// Longer than any match at default settings.
const PATIENCE: usize = 1000;

fn find(name: &str) -> Entry {
    games().into_iter().find(|entry| entry.name == name).unwrap()
}

/// Plays a match at random to its end. Returns what it showed, and how long it was.
fn play(batch: &mut dyn Batch, seed: u64, dice: u64) -> (Vec<f32>, usize) {
    let spec = batch.spec().clone();
    let mut b = Buffers::new(&spec, 1);
    let (layout, mut dice) = (b.layout().clone(), seed::rng(dice));
    let seats = vec![Control::Outside; spec.seats.len()];
    batch.start(0, seed, &seats, &mut b).unwrap();
    let (mut shown, mut earned) = (b.observation.clone(), vec![0.0f64; seats.len()]);
    for step in 1..=PATIENCE {
        assert!(b.acting.contains(&true), "{}: nobody acts", spec.name);
        let mut actions = vec![0; seats.len() * layout.heads];
        for seat in (0..seats.len()).filter(|&seat| b.acting[seat]) {
            let (role, own) = (spec.role_of(seat), layout.seat(seat));
            let mask = &b.mask[seat * layout.actions..][..own.actions];
            let action = &mut actions[seat * layout.heads..][..own.heads];
            assert_eq!(role.draw(mask, &[], &mut dice, action), own.heads, "{}", spec.name);
        }
        batch.submit(&[0], &actions, &mut b).unwrap();
        shown.extend(b.observation.iter().chain(&b.terms));
        for (seat, terms) in b.terms.chunks(spec.terms.len()).enumerate() {
            earned[seat] += terms.iter().map(|&t| f64::from(t)).sum::<f64>();
        }
        if spec.teams() == 2 {
            assert_eq!(b.terms[0], -b.terms[1], "{}: not zero-sum", spec.name);
        }
        if b.end[0].is_some() {
            // All of these games are scored by what was earned.
            for (seat, total) in spec.seats.iter().zip(earned) {
                assert!((f64::from(b.score[seat.team]) - total).abs() < 1e-3, "{}", spec.name);
            }
            return (shown, step);
        }
    }
    panic!("{}: no end in sight", spec.name);
}

#[test]
fn seeds_make_different_matches_that_score_what_was_earned() {
    for entry in games() {
        let mut batch = entry.build(&Value::Null, 1).unwrap();
        let first = play(&mut *batch, 0, 1);
        // Only vaults and coins are random in a duel, so two seeds may well agree; not all do.
        assert!((1..10).any(|seed| play(&mut *batch, seed, 1) != first), "{}", entry.name);
    }
}

#[test]
fn names_are_unique_and_chance_is_the_first_player() {
    for (index, entry) in games().iter().enumerate() {
        assert!(games()[..index].iter().all(|other| other.name != entry.name));
        let spec = entry.spec(&Value::Null).unwrap();
        assert!(spec.roles.iter().all(|role| role.bot("random") == Some(0)), "{}", entry.name);
        assert!(spec.terms.iter().all(|term| !term.about.is_empty()));
    }
}

#[test]
fn wrong_settings_are_refused_by_key() {
    for (game, settings, key) in [
        ("cartpole", json!({"limit": 0}), "limit"),
        ("cartpole-novel", json!({"limit": "long"}), "limit"),
        ("legal", json!({"illegal": 80}), "illegal"),
        ("legal", json!({"actions": 50}), "illegal"),
        ("legal", json!({"distractors": -1}), "distractors"),
        ("levers", json!({"length": 0}), "length"),
        ("duel", json!({"rounds": 0}), "rounds"),
        ("duel", json!({"scissors": -1.0}), "scissors"),
        ("hideout", json!({"worths": [1, 2]}), "worths"),
        ("odd-one", json!({"kinds": 1}), "kinds"),
    ] {
        let error = find(game).build(&settings, 1).err().unwrap();
        assert_eq!(error.key, key, "{error}");
    }
}

#[test]
fn settings_shape_the_game() {
    let shape = json!({"actions": 90, "illegal": 10, "distractors": 38, "length": 3});
    let mut batch = find("legal").build(&shape, 1).unwrap();
    let role = &batch.spec().roles[0];
    assert_eq!((role.features(), role.actions()), (128, 90));
    assert_eq!(play(&mut *batch, 4, 5).1, 3);
    for (game, steps) in [("duel", 6), ("hideout", 3)] {
        let mut batch = find(game).build(&json!({"rounds": 3}), 1).unwrap();
        assert_eq!(play(&mut *batch, 4, 5).1, steps);
    }
}

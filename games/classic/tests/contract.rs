//! What every game owes the rest of the program, tested through the door the program uses.

use std::ops::Range;

use lanista_classic::games;
use lanista_game::{Batch, Buffers, Control, Entry, Role, Spec, seed};
use proptest::prelude::*;
use rand::RngExt;
use serde_json::{Map, Value, json};

/// Longer than any match at default settings.
const PATIENCE: usize = 1000;

fn build(entry: &Entry, matches: usize) -> Box<dyn Batch> {
    entry.build(&Value::Null, matches).expect("defaults are valid")
}

/// The legal actions of one head after the choices of the earlier ones.
fn legal(role: &Role, mask: &[bool], head: usize, action: &[u32]) -> Vec<u32> {
    let start: usize = role.head_sizes()[..head].iter().sum();
    (0..role.heads[head].actions.len() as u32)
        .filter(|&a| mask[start + a as usize])
        .filter(|&a| {
            role.requires
                .iter()
                .filter(|r| r.head == head && r.action == a)
                .all(|r| r.allows(action))
        })
        .collect()
}

fn part(m: usize, size: usize) -> Range<usize> {
    m * size..(m + 1) * size
}

/// Chooses at random: legal actions for the acting seats of match `m`, and nonsense for the
/// others, whose actions must not matter.
fn choose(spec: &Spec, buffers: &Buffers, m: usize, dice: &mut seed::Rng) -> Vec<u32> {
    let (seats, role) = (spec.seats.len(), &spec.roles[0]);
    let heads = role.heads.len();
    let mut actions = vec![0; seats * heads];
    for seat in 0..seats {
        let action = &mut actions[part(seat, heads)];
        let mask = &buffers.mask[part(m * seats + seat, role.actions())];
        for head in 0..heads {
            let size = role.heads[head].actions.len() as u32;
            action[head] = if buffers.acting[m * seats + seat] {
                let open = legal(role, mask, head, action);
                assert!(!open.is_empty(), "{}: nothing legal in head {head}", spec.name);
                open[dice.random_range(0..open.len())]
            } else {
                dice.random_range(0..size)
            };
        }
    }
    actions
}

/// Everything a match shows, as bits.
fn shown(spec: &Spec, buffers: &Buffers, m: usize) -> Vec<u32> {
    let (seats, role) = (spec.seats.len(), &spec.roles[0]);
    let floats = [
        &buffers.observation[part(m, seats * role.features())],
        &buffers.privileged[part(m, seats * role.privileged.len())],
        &buffers.terms[part(m, seats * spec.terms.len())],
        &buffers.score[part(m, spec.teams())],
        &buffers.stats[part(m, spec.stat_values())],
    ];
    for value in floats.iter().copied().flatten() {
        assert!(value.is_finite(), "{} shows {value}", spec.name);
    }
    let flags = buffers.mask[part(m, seats * role.actions())]
        .iter()
        .chain(&buffers.acting[part(m, seats)])
        .map(|&b| u32::from(b));
    let end = buffers.end[m].map_or(0, |end| 1 + end as u32);
    floats.iter().copied().flatten().map(|v| v.to_bits()).chain(flags).chain([end]).collect()
}

/// Every seat is driven from outside.
fn outside(spec: &Spec) -> Vec<Control> {
    vec![Control::Outside; spec.seats.len()]
}

/// One match as it was played: the actions of every step, and what it showed from the start.
struct Played {
    actions: Vec<Vec<u32>>,
    shown: Vec<Vec<u32>>,
}

/// Plays a match at random to its end, and checks what holds of every step.
fn play(batch: &mut dyn Batch, seed: u64, dice: u64) -> Played {
    let spec = batch.spec().clone();
    let mut buffers = Buffers::new(&spec, 1);
    let mut dice = seed::rng(dice);
    batch.start(0, seed, &outside(&spec), &mut buffers).expect("start");
    let mut played = Played { actions: vec![], shown: vec![shown(&spec, &buffers, 0)] };
    let mut earned = vec![0.0f64; spec.seats.len()];
    for _ in 0..PATIENCE {
        assert!(buffers.acting.contains(&true), "{}: nobody acts", spec.name);
        let actions = choose(&spec, &buffers, 0, &mut dice);
        batch.submit(&[0], &actions, &mut buffers).expect("step");
        played.actions.push(actions);
        played.shown.push(shown(&spec, &buffers, 0));
        for (seat, terms) in buffers.terms.chunks(spec.terms.len()).enumerate() {
            earned[seat] += terms.iter().map(|&t| f64::from(t)).sum::<f64>();
        }
        if spec.teams() == 2 {
            assert_eq!(buffers.terms[0], -buffers.terms[1], "{}: not zero-sum", spec.name);
        }
        if buffers.end[0].is_some() {
            // All of these games are scored by what was earned.
            for (seat, total) in spec.seats.iter().zip(earned) {
                assert!((f64::from(buffers.score[seat.team]) - total).abs() < 1e-3);
            }
            return played;
        }
        assert!(buffers.score.iter().chain(&buffers.stats).all(|&v| v == 0.0));
    }
    panic!("{}: no end in sight", spec.name);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_match_is_a_function_of_seed_and_actions(
        seed: u64, before: u64, dice: u64, game in 0..5usize
    ) {
        let entry = games()[game].clone();
        let played = play(&mut *build(&entry, 1), seed, dice);

        // Again in another place of another batch, after another match, and with every scripted
        // player asked for its opinion at every step.
        let mut batch = build(&entry, 3);
        play(&mut *batch, before, dice ^ 1);
        let spec = batch.spec().clone();
        let mut buffers = Buffers::new(&spec, 3);
        let (heads, seats) = (spec.roles[0].heads.len(), outside(&spec));
        let width = seats.len() * heads;
        batch.start(1, before, &seats, &mut buffers).unwrap();
        batch.start(1, seed, &seats, &mut buffers).unwrap();
        for m in [0, 2] {
            batch.start(m, before, &seats, &mut buffers).unwrap();
        }
        for (t, actions) in played.actions.iter().enumerate() {
            prop_assert_eq!(&shown(&spec, &buffers, 1), &played.shown[t]);
            for seat in (0..spec.seats.len()).filter(|s| buffers.acting[spec.seats.len() + s]) {
                for bot in 0..spec.roles[0].bots.len() {
                    batch.scripted(1, bot, seat, &mut vec![0; heads]).unwrap();
                }
            }
            let mut all = vec![0; 3 * width];
            all[part(1, width)].copy_from_slice(actions);
            batch.submit(&[1], &all, &mut buffers).unwrap();
        }
        prop_assert_eq!(&shown(&spec, &buffers, 1), played.shown.last().unwrap());
    }

    #[test]
    fn scripted_players_choose_legally_and_repeat_themselves(
        seed: u64, dice: u64, game in 0..5usize
    ) {
        let entry = games()[game].clone();
        let mut batch = build(&entry, 1);
        let spec = batch.spec().clone();
        let role = &spec.roles[0];
        let heads = role.heads.len();
        for bot in 0..role.bots.len() {
            let mut buffers = Buffers::new(&spec, 1);
            let mut dice = seed::rng(dice);
            batch.start(0, seed, &outside(&spec), &mut buffers).unwrap();
            let mut steps = 0;
            while buffers.end[0].is_none() {
                let mut actions = choose(&spec, &buffers, 0, &mut dice);
                for seat in (0..spec.seats.len()).filter(|&s| buffers.acting[s]) {
                    // Whatever the slice held before must not show in the choice.
                    let mut again = vec![0; heads];
                    batch.scripted(0, bot, seat, &mut actions[part(seat, heads)]).unwrap();
                    batch.scripted(0, bot, seat, &mut again).unwrap();
                    let action = &actions[part(seat, heads)];
                    prop_assert_eq!(action, &again[..]);
                    let mask = &buffers.mask[part(seat, role.actions())];
                    for head in 0..heads {
                        let open = legal(role, mask, head, action);
                        prop_assert!(
                            open.contains(&action[head]),
                            "{} of {}: {:?}", role.bots[bot].name, spec.name, action
                        );
                    }
                }
                batch.submit(&[0], &actions, &mut buffers).unwrap();
                steps += 1;
                prop_assert!(steps <= PATIENCE);
            }
        }
    }
}

#[test]
fn seeds_make_different_matches() {
    for entry in games() {
        let mut batch = build(&entry, 1);
        let first = play(&mut *batch, 0, 1).shown;
        // Only vaults and coins are random in a duel, so two seeds may well agree; not all do.
        assert!((1..10).any(|seed| play(&mut *batch, seed, 1).shown != first), "{}", entry.name);
    }
}

#[test]
fn specs_are_sound() {
    for entry in games() {
        let batch = build(&entry, 2);
        batch.spec().validate().unwrap();
        assert_eq!(batch.matches(), 2);
        assert!(batch.replays());
        assert_eq!(batch.spec().roles[0].bot("random"), Some(0));
        assert_eq!(batch.spec().name, entry.name);
        assert_eq!(entry.spec(&Value::Null).as_ref(), Ok(batch.spec()));
        for term in &batch.spec().terms {
            assert!(!term.about.is_empty());
        }
    }
}

#[test]
fn documented_defaults_are_the_defaults() {
    for entry in games() {
        assert!(entry.settings.iter().all(|s| !s.about.is_empty() && !s.default.is_null()));
        let spelt: Map<_, _> =
            entry.settings.iter().map(|s| (s.name.clone(), s.default.clone())).collect();
        let mut explicit = entry.build(&Value::Object(spelt), 1).unwrap();
        let mut silent = build(&entry, 1);
        assert_eq!(explicit.spec(), silent.spec());
        assert_eq!(play(&mut *explicit, 1, 2).shown, play(&mut *silent, 1, 2).shown);
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
    ] {
        let entry = games().into_iter().find(|e| e.name == game).unwrap();
        let error = entry.build(&settings, 1).err().unwrap();
        assert_eq!(error.key, key, "{error}");
    }
    for entry in games() {
        let error = entry.build(&json!({"no_such_key": 1}), 1).err().unwrap();
        assert!(error.to_string().contains("no_such_key"), "{error}");
    }
}

#[test]
fn settings_shape_the_game() {
    let legal = games().into_iter().find(|e| e.name == "legal").unwrap();
    let shape = json!({"actions": 90, "illegal": 10, "distractors": 38, "length": 3});
    let mut batch = legal.build(&shape, 1).unwrap();
    assert_eq!((batch.spec().roles[0].features(), batch.spec().roles[0].actions()), (128, 90));
    assert_eq!(play(&mut *batch, 4, 5).actions.len(), 3);
    let duel = games().into_iter().find(|e| e.name == "duel").unwrap();
    let mut batch = duel.build(&json!({"rounds": 3}), 1).unwrap();
    assert_eq!(play(&mut *batch, 4, 5).actions.len(), 6);
}

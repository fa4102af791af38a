//! Whole matches through the contract: legal, finite, inside the field, and the same every time.

use lanista_game::{Batch, Buffers, Control, End, Game, seed};
use lanista_rocket::game::{Rocket, describe};
use lanista_rocket::settings::Settings;
use lanista_rocket::{arena, games};
use serde_json::{Value, json};
use std::sync::Arc;

const ROWS: usize = 90;

fn batch(settings: Value, matches: usize) -> Box<dyn Batch> {
    games()[0].build(&settings, matches).unwrap()
}

/// A random legal row for every acting seat.
fn choose(buffers: &Buffers, draw: &mut u64, joint: &mut [u32]) {
    for (seat, action) in joint.iter_mut().enumerate().filter(|(s, _)| buffers.acting[*s]) {
        let mask = &buffers.mask[seat * ROWS..(seat + 1) * ROWS];
        let legal = mask.iter().filter(|&&m| m).count() as u64;
        assert!(legal > 0, "seat {seat} may do nothing");
        *draw = seed::mix(*draw, 1);
        let nth = (*draw % legal) as usize;
        *action = mask.iter().enumerate().filter(|(_, m)| **m).nth(nth).unwrap().0 as u32;
    }
}

/// Plays steps of random play over several matches; returns a digest of everything seen.
fn play(settings: Value, matches: usize, steps: usize, run: u64) -> u64 {
    let mut batch = batch(settings, matches);
    let (seats, features) = (batch.spec().seats.len(), batch.spec().roles[0].features());
    let mut buffers = Buffers::new(batch.spec(), matches);
    let mut episodes = vec![0; matches];
    let mut joint = vec![0; matches * seats];
    let (all, outside): (Vec<usize>, _) = ((0..matches).collect(), vec![Control::Outside; seats]);
    let (mut draw, mut digest) = (seed::mix(run, 9), 0u64);
    for m in 0..matches {
        batch.start(m, seed::episode(run, m, 0), &outside, &mut buffers).unwrap();
    }
    for _ in 0..steps {
        choose(&buffers, &mut draw, &mut joint);
        batch.submit(&all, &joint, &mut buffers).unwrap();
        for (seat, acting) in buffers.acting.iter().enumerate() {
            if *acting {
                let seen = &buffers.observation[seat * features..(seat + 1) * features];
                assert!(seen.iter().all(|v| v.is_finite() && v.abs() <= 5.0));
                digest = seen.iter().fold(digest, |d, v| seed::mix(d, u64::from(v.to_bits())));
            }
        }
        assert!(buffers.terms.iter().all(|v| v.is_finite()));
        digest = buffers.terms.iter().fold(digest, |d, v| seed::mix(d, u64::from(v.to_bits())));
        for m in 0..matches {
            if let Some(end) = buffers.end[m] {
                let values = batch.spec().stat_values();
                let stats = &buffers.stats[m * values..(m + 1) * values];
                assert!(stats.iter().all(|v| v.is_finite()));
                let goals: f32 = buffers.score[m * 2..m * 2 + 2].iter().sum();
                assert_eq!(end == End::Terminated, goals == 1.0, "a goal ends a match for good");
                episodes[m] += 1;
                batch.start(m, seed::episode(run, m, episodes[m]), &outside, &mut buffers).unwrap();
            }
        }
    }
    assert!(episodes.iter().all(|&e| e > 0), "every match ends some time: {episodes:?}");
    digest
}

fn all_starts() -> Value {
    json!({"kickoff": 1, "random": 1, "turtled": 1, "goal_line": 1, "wall": 1, "air_dribble": 1,
           "flip_reset": 1, "jump_challenge": 1})
}

#[test]
fn random_play_is_legal_finite_and_the_same_every_time() {
    for settings in [
        json!({"start": all_starts(), "limit_secs": 10}),
        json!({"team_size": 2, "start": all_starts(), "limit_secs": 8, "sticky": 0.2}),
        json!({"team_size": 3, "observation": "advanced", "limit_secs": 6}),
        json!({"team_size": 2, "orange_size": 1, "max_team": 3, "limit_secs": 6, "repeat": 2}),
        json!({"team_size": 1, "orange_size": 0, "limit_secs": 6, "start": all_starts()}),
        json!({"teams": {"1v1": 1, "2v1": 1, "1v3": 1}, "limit_secs": 6, "action_delay": 8,
               "hitbox": {"octane": 1, "dominus": 1, "merc": 1}, "shaping": "per_second"}),
    ] {
        let digest = play(settings.clone(), 4, 400, 1);
        assert_eq!(digest, play(settings.clone(), 4, 400, 1), "{settings}");
        assert_ne!(digest, play(settings, 4, 400, 2));
    }
}

#[test]
fn a_match_does_not_remember_the_one_before() {
    let settings = json!({"start": all_starts(), "limit_secs": 5});
    let record = |warm_up: usize| {
        let mut batch = batch(settings.clone(), 1);
        let mut buffers = Buffers::new(batch.spec(), 1);
        let mut draw = 3;
        let mut joint = [0; 2];
        batch.start(0, 77, &[Control::Outside; 2], &mut buffers).unwrap();
        for _ in 0..warm_up {
            choose(&buffers, &mut draw, &mut joint);
            batch.submit(&[0], &joint, &mut buffers).unwrap();
        }
        batch.start(0, 5, &[Control::Outside; 2], &mut buffers).unwrap();
        draw = 11;
        let mut seen = Vec::new();
        for _ in 0..60 {
            choose(&buffers, &mut draw, &mut joint);
            batch.submit(&[0], &joint, &mut buffers).unwrap();
            seen.extend(buffers.observation.iter().map(|v| v.to_bits()));
        }
        seen
    };
    assert_eq!(record(0), record(40));
}

#[test]
fn empty_seats_never_act_and_uneven_teams_play() {
    let mut batch = batch(json!({"team_size": 2, "orange_size": 1, "max_team": 3}), 1);
    let mut buffers = Buffers::new(batch.spec(), 1);
    batch.start(0, 1, &[Control::Outside; 6], &mut buffers).unwrap();
    assert_eq!(buffers.acting, [true, true, false, true, false, false]);
    assert_eq!(batch.spec().seats.iter().filter(|s| s.team == 1).count(), 3);
    let taken: Vec<bool> = batch.spec().seats.iter().map(|seat| !seat.empty).collect();
    assert_eq!(taken, buffers.acting, "the spec says which seats stay empty");
    assert!(batch.spec().contested());
    let alone = games()[0].build(&json!({"orange_size": 0, "max_team": 2}), 1).unwrap();
    assert!(!alone.spec().contested());
    assert_eq!(alone.step_secs(), Some(8.0 / 120.0));
}

#[test]
fn ten_million_random_ticks_stay_inside_the_field() {
    arena::prepare(None).unwrap();
    let settings: Settings =
        serde_json::from_value(json!({"start": all_starts(), "limit_secs": 15})).unwrap();
    let spec = Arc::new(describe(&settings));
    let source = arena::prepare(None).unwrap();
    let settings = Arc::new(settings);
    let soak = |thread: u64| {
        let mut game = Rocket::new(settings.clone(), spec.clone(), source.clone());
        let mut buffers = Buffers::new(&spec, 1);
        let (mut joint, mut draw, mut episode) = ([0; 2], seed::mix(thread, 4), 0);
        let mut ticks = 0u64;
        game.reset(seed::episode(thread, 0, episode), &[Control::Outside; 2]);
        game.observe(&mut buffers.view(0));
        while ticks < 5_000_000 {
            choose(&buffers, &mut draw, &mut joint);
            game.step(&joint, &mut buffers.outcome(0));
            game.observe(&mut buffers.view(0));
            ticks += 8;
            let state = game.state();
            let inside = |p: [f32; 3], what: &str| {
                assert!(p.iter().all(|v| v.is_finite()), "{what} at {p:?}");
                let [x, y, z] = p;
                // Walls, goals 880 deep, floor and ceiling, with the depth of one tick's travel.
                let field = x.abs() < 4196.0 && y.abs() < 6120.0 && (-60.0..2150.0).contains(&z);
                assert!(field, "{what} at {p:?} in episode {episode}, tick {}", state.tick);
            };
            inside(state.ball.pos.to_array(), "the ball");
            state.cars.iter().for_each(|car| inside(car.body.pos.to_array(), "a car"));
            if buffers.end[0].is_some() {
                episode += 1;
                game.reset(seed::episode(thread, 0, episode), &[Control::Outside; 2]);
                game.observe(&mut buffers.view(0));
            }
        }
    };
    std::thread::scope(|scope| {
        let soak = &soak;
        (0..2).for_each(|thread| drop(scope.spawn(move || soak(thread))));
    });
}

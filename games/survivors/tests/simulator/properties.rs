//! More than two million random legal ticks (1.4 on our own maps, 0.7 on real ones, in both views): nobody leaves the mesh, nothing is out of bounds, the same seed gives the
//! same bits.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lanista_game::seed::{self, Rng};
use lanista_game::{Buffers, Control, Game, Kind, Spec};
use lanista_survivors::game::Survivors;
use lanista_survivors::settings::Settings;
use lanista_survivors::sim::survivor::Condition;
use lanista_survivors::sim::world::World;
use rand::RngExt;
use serde_json::{Value, json};

/// A match under settings, with room for its views.
fn table(settings: Value) -> (Survivors, Buffers, Arc<Spec>) {
    let settings: Settings = serde_json::from_value(settings).unwrap();
    let spec = Arc::new(Spec { name: Survivors::NAME.into(), ..Survivors::describe(&settings) });
    let game = Survivors::matches(settings, spec.clone(), 1).unwrap().pop().unwrap();
    let buffers = Buffers::new(&spec, 1);
    (game, buffers, spec)
}

/// Any legal actions of those who act.
fn choose(spec: &Spec, buffers: &mut Buffers, rng: &mut Rng, actions: &mut [u32]) {
    let heads = buffers.layout().heads;
    for seat in 0..spec.seats.len() {
        if !buffers.acting[seat] {
            continue;
        }
        let role = spec.role_of(seat);
        let room = buffers.layout().actions;
        let mask = &buffers.mask[seat * room..(seat + 1) * room];
        let chosen = &mut actions[seat * heads..(seat + 1) * heads];
        let mut at = 0;
        for (head, choices) in role.heads.iter().enumerate() {
            let size = choices.actions.len();
            let legal: Vec<u32> = (0..size as u32)
                .filter(|&a| mask[at + a as usize])
                .filter(|&a| {
                    let mut own = role.requires.iter().filter(|r| r.head == head && r.action == a);
                    own.all(|r| r.allows(chosen))
                })
                .collect();
            assert!(!legal.is_empty(), "seat {seat}, head {head}: nothing is offered");
            // Mostly along the way, or nobody would ever get anywhere.
            let way = choices.actions.iter().position(|name| name == "along_the_way");
            chosen[head] = match way {
                Some(way) if mask[at + way] && rng.random::<f32>() < 0.5 => way as u32,
                _ => legal[rng.random_range(0..legal.len())],
            };
            at += size;
        }
    }
}

fn is_sound(world: &World) {
    let terrain = &world.terrain;
    let bodies = world
        .survivors
        .iter()
        .map(|s| s.body)
        .chain(world.commons.iter().map(|c| c.body))
        .chain(world.specials.iter().filter(|s| s.alive).map(|s| s.body))
        .chain(world.hazards.iter().map(|h| h.body));
    for body in bodies {
        assert!(body.at.iter().chain(&body.velocity).all(|v| v.is_finite()), "{body:?}");
        assert!(usize::from(body.area) < terrain.areas());
        match body.climb {
            Some(climb) => assert!(usize::from(climb.link) < terrain.links(body.area).len()),
            None => {
                assert!(terrain.contains(body.area, body.at[0], body.at[1]), "left: {body:?}");
                let ground = body.ground(terrain);
                assert!(body.at[2] >= ground - 0.01, "below ground {ground}: {body:?}");
            }
        }
    }
    for s in &world.survivors {
        assert!((0.0..=100.0).contains(&s.health), "{}", s.health);
        assert!((0.0..=100.0).contains(&s.temporary), "{}", s.temporary);
        assert!(s.health + s.temporary <= 131.0);
        match s.condition {
            Condition::Incapacitated(left) | Condition::Hanging(left) => {
                assert!(left > 0.0 && left <= 300.0, "{left}");
            }
            Condition::Up => assert!(s.health + s.temporary > 0.0),
            Condition::Dead => assert!(s.hold.is_none()),
        }
        assert!((-180.0..180.0).contains(&s.yaw) && (-90.0..=90.0).contains(&s.pitch));
        assert!((0.0..=1.0).contains(&s.intensity));
        for gun in s.primary.iter().chain([&s.sidearm]) {
            assert!(gun.clip <= gun.weapon.ballistics().clip);
            assert!(gun.reserve <= gun.weapon.ballistics().reserve);
        }
        if let Some(hold) = s.hold {
            let special = &world.specials[hold.by];
            assert!(special.alive && special.held().is_some(), "held by {special:?}");
        }
    }
}

/// How many times as long the matches of random play are: `SURVIVORS_SCALE=10` for a night's worth.
fn scale() -> usize {
    std::env::var("SURVIVORS_SCALE").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Plays so many steps of random legal actions; returns a sum of what was seen.
fn play(settings: Value, steps: usize, run: u64) -> u64 {
    let (mut game, mut buffers, spec) = table(settings);
    let mut rng = seed::rng(run);
    let seats = vec![Control::Outside; spec.seats.len()];
    let mut actions = vec![0; spec.seats.len() * buffers.layout().heads];
    let mut sum = 0u64;
    let mut episode = 0;
    game.reset(seed::mix(run, episode), &seats);
    for _ in 0..steps {
        game.observe(&mut buffers.view(0));
        assert!(buffers.observation.iter().all(|v| v.is_finite()));
        choose(&spec, &mut buffers, &mut rng, &mut actions);
        let mut outcome = buffers.outcome(0);
        game.step(&actions, &mut outcome);
        let ended = outcome.end.is_some();
        assert!(outcome.terms.iter().all(|t| t.is_finite()));
        is_sound(game.world());
        let seen =
            buffers.observation.iter().fold(sum, |sum, v| seed::mix(sum, u64::from(v.to_bits())));
        sum = seen;
        if ended {
            episode += 1;
            game.reset(seed::mix(run, episode), &seats);
        }
    }
    sum
}

fn real_map(name: &str) -> Option<PathBuf> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/survivors").join(name);
    path.exists().then_some(path)
}

#[test]
fn nobody_leaves_our_own_maps() {
    for (n, map) in ["corridor", "apartment", "street", "finale"].into_iter().enumerate() {
        let settings =
            json!({"map": map, "infected": 4, "difficulty": "expert", "limit_secs": 200});
        play(settings, 60_000 * scale(), n as u64);
        let settings = json!({"map": map, "view": "legacy", "director": "rl", "ticks_per_step": 6});
        play(settings, 30_000 * scale(), n as u64 + 10);
    }
}

#[test]
fn nobody_leaves_real_maps() {
    for name in ["c1m1_hotel.nav", "c8m5_rooftop.nav", "c5m4_quarter.nav"] {
        let Some(path) = real_map(name) else {
            println!("skipped: nobody_leaves_real_maps, {name} is not at hand");
            continue;
        };
        let settings = json!({"map": path, "infected": 2, "director": "hybrid"});
        play(settings, 40_000 * scale(), 7);
        let settings =
            json!({"map": path, "view": "legacy", "difficulty": "advanced", "ticks_per_step": 6});
        play(settings, 20_000 * scale(), 17);
    }
}

#[test]
fn the_same_seed_gives_the_same_bits() {
    let settings = json!({"map": "street", "infected": 4, "difficulty": "advanced"});
    assert_eq!(play(settings.clone(), 6_000, 3), play(settings.clone(), 6_000, 3));
    assert_ne!(play(settings.clone(), 500, 3), play(settings, 500, 4));
}

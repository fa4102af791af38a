//! What a bot sees through RLBot's packets is what a policy has seen in training.

use lanista_game::{Buffers, Control, Game, seed};
use lanista_rocket::live::message::Heard;
use lanista_rocket::live::stand_in::{packet, soccar_field};
use lanista_rocket::live::tracker::Tracker;
use lanista_rocket::observe::Layout;
use lanista_rocket::one_match;
use rand::RngExt;
use serde_json::json;

/// Plays 2v2 tick by tick under random actions, and compares what every car sees: directly, and by way of
/// packets that went through bytes. The one thing that packets leave open is when wheels leave the ground
/// in a jump.
#[test]
fn packets_show_what_training_showed() {
    let settings = json!({
        "team_size": 2, "tick_skip": 1, "limit_secs": 30, "no_touch_secs": 30,
        "start": {"kickoff": 1, "random": 2},
    });
    let mut game = one_match(&settings).unwrap();
    let spec = game.spec().clone();
    let mut buffers = Buffers::new(&spec, 1);
    let mut dice = seed::rng(9);
    let (mut compared, mut leaving) = (0u64, 0u64);
    for number in 0..6 {
        game.reset(number, &[Control::Outside; 4]);
        let mut tracker = Tracker::new(&soccar_field());
        let mut joint = [8u32; 4];
        while buffers.end[0].take().is_none() {
            let bytes = Heard::Packet(Box::new(packet(game.state()))).write();
            let Ok(Heard::Packet(read)) = Heard::read(&bytes) else { panic!("a packet") };
            tracker.update(&read);
            for car in 0..4 {
                tracker.note_action(car, game.state().cars[car].last_action);
                let (ours, theirs) = (&tracker.state().cars[car], &game.state().cars[car]);
                if ours.on_ground != theirs.on_ground {
                    assert!(theirs.jumping, "{ours:?} {theirs:?}");
                    leaving += 1;
                }
            }
            let same = |car: usize| {
                let (ours, theirs) = (&tracker.state().cars[car], &game.state().cars[car]);
                ours.on_ground == theirs.on_ground && (ours.air_secs - theirs.air_secs).abs() < 1e-3
            };
            for (layout, car) in [Layout::Plus, Layout::Advanced]
                .into_iter()
                .flat_map(|layout| (0..4).map(move |car| (layout, car)))
            {
                // In pieces a car sees nothing that it could act on, and its time in the air stands still.
                if !(0..4).all(same) || game.state().cars[car].demolished {
                    continue;
                }
                let width = layout.width(2);
                let (mut ours, mut theirs) = (vec![0.0; width], vec![0.0; width]);
                layout.write(tracker.state(), car, 2, &mut ours);
                layout.write(game.state(), car, 2, &mut theirs);
                for (at, (a, b)) in ours.iter().zip(&theirs).enumerate() {
                    let name = || layout.features(2)[at].clone();
                    assert!((a - b).abs() < 2e-4, "{}: {a}, in training {b}", name());
                }
                compared += width as u64;
            }
            for action in &mut joint {
                if dice.random::<f32>() < 0.1 {
                    *action = dice.random_range(0..90);
                }
            }
            game.step(&joint, &mut buffers.outcome(0));
        }
    }
    println!("{compared} numbers compared; {leaving} times a wheel was taken to touch, or not to");
    assert!(compared > 5_000_000, "{compared}");
}

//! What a bot sees through RLBot's packets is what a policy has seen in training.

use lanista_game::{Buffers, Control, Game, seed};
use lanista_rocket::live::message::{FieldPad, Heard};
use lanista_rocket::live::packet::{AirState, Packet, Pad, Phase, Physics, Player};
use lanista_rocket::live::tracker::Tracker;
use lanista_rocket::observe::Layout;
use lanista_rocket::one_match;
use lanista_rocket::pads::{PAD_IS_BIG, PAD_OF_ENGINE, PAD_POSITIONS};
use lanista_rocket::state::{Body, Car, State};
use rand::RngExt;
use rocketsim::Vec3A;
use serde_json::json;

fn field() -> Vec<FieldPad> {
    let pad = |&ours: &usize| FieldPad {
        location: PAD_POSITIONS[ours].to_array(),
        big: PAD_IS_BIG[ours],
    };
    PAD_OF_ENGINE.iter().map(pad).collect()
}

fn physics(body: &Body, car: Option<&Car>) -> Physics {
    let rotation = car.map_or([0.0; 3], |car| {
        let (forward, right) = (car.forward(), car.right());
        // The arc sine would lose half of the digits of a car that stands on its nose.
        let pitch = forward.z.atan2(forward.x.hypot(forward.y));
        let yaw = forward.y.atan2(forward.x);
        // Against what right and up would be without a roll: near the vertical, yaw and roll are only
        // known together.
        let ((sp, cp), (sy, cy)) = (pitch.sin_cos(), yaw.sin_cos());
        let level = Vec3A::new(-sy, cy, 0.0);
        let upright = Vec3A::new(-cy * sp, -sy * sp, cp);
        [pitch, yaw, (-right.dot(upright)).atan2(right.dot(level))]
    });
    Physics {
        location: body.pos.to_array(),
        rotation,
        velocity: body.vel.to_array(),
        angular_velocity: body.ang_vel.to_array(),
    }
}

/// What RLBot would tell of a car.
fn player(index: usize, car: &Car) -> Player {
    Player {
        physics: physics(&car.body, Some(car)),
        hitbox: [118.0, 84.2, 36.16],
        touched_secs: None,
        air: match (car.jumping, car.on_ground) {
            (true, _) => AirState::Jumping,
            (_, true) => AirState::OnGround,
            _ => AirState::InAir,
        },
        dodge_timeout: if car.has_flip && !car.on_ground { 0.5 } else { -1.0 },
        demolished_timeout: if car.demolished { car.respawn_secs } else { -1.0 },
        supersonic: car.supersonic,
        team: car.team.index() as u32,
        boost: car.boost,
        id: index as i32,
        has_jumped: !car.has_jump,
        has_double_jumped: false,
        has_dodged: !car.has_flip || car.flipping,
        dodge_elapsed: if car.flipping { 0.1 } else { 1.0 },
    }
}

fn packet(state: &State) -> Packet {
    let pad = |&ours: &usize| {
        let left = state.pad_secs[ours];
        let full = if PAD_IS_BIG[ours] { 10.0 } else { 4.0 };
        Pad { active: left <= 0.0, taken_secs: if left <= 0.0 { 0.0 } else { full - left } }
    };
    Packet {
        players: state.cars.iter().enumerate().map(|(index, car)| player(index, car)).collect(),
        pads: PAD_OF_ENGINE.iter().map(pad).collect(),
        ball: Some(physics(&state.ball, None)),
        frame: state.tick as u32,
        phase: Phase::Active,
        ..Packet::default()
    }
}

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
        let mut tracker = Tracker::new(&field());
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

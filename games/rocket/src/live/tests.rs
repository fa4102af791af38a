//! Messages, packets and what is made of them.

use proptest::prelude::*;
use rocketsim::Vec3A;

use super::flat::Table;
use super::message::{FieldPad, Heard, MatchSetup, OwnCars, Said};
use super::packet::{AirState, Packet, Pad, Phase, Physics, Player};
use super::stand_in::soccar_field;
use super::tracker::{Advance, Tracker};
use crate::pads::{PAD_IS_BIG, PAD_OF_ENGINE};
use crate::state::{PADS, Team};
use crate::table::table;

fn standing(team: u32, id: i32) -> Player {
    Player {
        physics: Physics { location: [10.0 * id as f32, 20.0, 17.0], ..Physics::default() },
        hitbox: [118.0, 84.2, 36.16],
        dodge_timeout: -1.0,
        demolished_timeout: -1.0,
        team,
        boost: 33.0,
        id,
        ..Player::default()
    }
}

fn packet(frame: u32, players: Vec<Player>) -> Packet {
    Packet {
        players,
        pads: vec![Pad { active: true, taken_secs: 0.0 }; PADS],
        ball: Some(Physics { location: [0.0, 0.0, 93.0], ..Physics::default() }),
        frame,
        phase: Phase::Active,
        elapsed_secs: frame as f32 / 120.0,
        clock_secs: 250.5,
        goals: [2, 1],
        ..Packet::default()
    }
}

fn physics() -> impl Strategy<Value = Physics> {
    let part = || prop::array::uniform3(-6000.0f32..6000.0);
    (part(), part(), part(), part()).prop_map(|(location, rotation, velocity, angular_velocity)| {
        Physics { location, rotation, velocity, angular_velocity }
    })
}

prop_compose! {
    fn player()(
        physics in physics(),
        hitbox in prop::array::uniform3(0.0f32..200.0),
        touched_secs in prop::option::of(0.0f32..300.0),
        air in prop::sample::select(vec![
            AirState::OnGround, AirState::Jumping, AirState::DoubleJumping, AirState::Dodging, AirState::InAir,
        ]),
        timers in prop::array::uniform3(-1.0f32..3.0),
        flags in prop::array::uniform4(any::<bool>()),
        team in 0u32..2,
        boost in 0.0f32..=100.0,
        id in any::<i32>(),
    ) -> Player {
        let [supersonic, has_jumped, has_double_jumped, has_dodged] = flags;
        let [dodge_timeout, demolished_timeout, dodge_elapsed] = timers;
        Player {
            physics, hitbox, touched_secs, air, dodge_timeout, demolished_timeout, supersonic, team,
            boost, id, has_jumped, has_double_jumped, has_dodged, dodge_elapsed,
        }
    }
}

prop_compose! {
    fn packets()(
        players in prop::collection::vec(player(), 0..8),
        pads in prop::collection::vec((any::<bool>(), 0.0f32..10.0), 0..40),
        ball in prop::option::of(physics()),
        frame in any::<u32>(),
        phase in prop::sample::select(vec![
            Phase::Inactive, Phase::Countdown, Phase::Kickoff, Phase::Active, Phase::Paused, Phase::Ended,
        ]),
        secs in prop::array::uniform2(0.0f32..300.0),
        overtime in any::<bool>(),
        unlimited in any::<bool>(),
        goals in prop::array::uniform2(0u32..99),
    ) -> Packet {
        let pads = pads.into_iter().map(|(active, taken_secs)| Pad { active, taken_secs }).collect();
        let [elapsed_secs, clock_secs] = secs;
        Packet { players, pads, ball, frame, phase, elapsed_secs, clock_secs, overtime, unlimited, goals }
    }
}

fn heard() -> impl Strategy<Value = Heard> {
    let pad = (prop::array::uniform3(-6000.0f32..6000.0), any::<bool>());
    let pads = prop::collection::vec(pad, 0..40).prop_map(|pads| {
        Heard::Field(pads.into_iter().map(|(location, big)| FieldPad { location, big }).collect())
    });
    let setup =
        (0u8..8, 0usize..4, 0usize..4, 0u8..4).prop_map(|(game_mode, blue, orange, length)| {
            Heard::Match(MatchSetup { game_mode, teams: [blue, orange], length })
        });
    let cars = (0u32..2, prop::collection::vec(any::<u32>(), 0..6))
        .prop_map(|(team, players)| Heard::Cars(OwnCars { team, players }));
    prop_oneof![
        packets().prop_map(|packet| Heard::Packet(Box::new(packet))),
        pads,
        setup,
        cars,
        any::<u64>().prop_map(Heard::Ping),
        Just(Heard::Disconnect),
        Just(Heard::Other),
    ]
}

proptest! {
    #[test]
    fn messages_come_back_as_they_were(message in heard()) {
        let bytes = message.write();
        prop_assert_eq!(Heard::is_packet(&bytes), matches!(message, Heard::Packet(_)));
        prop_assert_eq!(Heard::read(&bytes), Ok(message));
    }

    #[test]
    fn noise_is_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = Heard::read(&bytes);
        let _ = Heard::is_packet(&bytes);
    }

    #[test]
    fn damaged_messages_are_read_without_panic(
        message in heard(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = message.write();
        for (place, value) in damage {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        bytes.truncate(cut.map_or(bytes.len(), |cut| cut.index(bytes.len())));
        let mut tracker = Tracker::new(&soccar_field());
        tracker.update(&packet(1, vec![standing(0, 1)]));
        if let Ok(Heard::Packet(packet)) = Heard::read(&bytes) {
            tracker.update(&packet);
            let width = crate::observe::Layout::Plus.width(3);
            for car in 0..tracker.state().cars.len() {
                let mut seen = vec![f32::NAN; width];
                crate::observe::Layout::Plus.write(tracker.state(), car, 3, &mut seen);
                prop_assert!(seen.iter().all(|number| number.is_finite()));
            }
        }
    }
}

#[test]
fn what_a_bot_says_is_what_the_schema_wants() {
    let said = Said::Hello { agent_id: "lanista/é" }.write();
    let root = Table::root(&said).unwrap();
    assert_eq!(root.byte(0), Ok(9));
    let body = root.table(1).unwrap().unwrap();
    assert_eq!(body.text(0), Ok(Some("lanista/é")));
    assert_eq!([1, 2, 3].map(|slot| body.truth(slot).unwrap()), [false, false, true]);

    let row = table().iter().find(|row| row.jump && row.boost && row.pitch > 0.0).unwrap();
    let said = Said::Input { player: 5, row }.write();
    let root = Table::root(&said).unwrap();
    assert_eq!(root.byte(0), Ok(4));
    let body = root.table(1).unwrap().unwrap();
    assert_eq!(body.word(0), Ok(5));
    let controls = body.structure::<24>(1).unwrap().unwrap();
    assert_eq!(super::packet::floats::<5>(&controls)[2], 1.0);
    assert_eq!(controls[20..], [1, 1, u8::from(row.handbrake), 0]);

    for (said, kind) in [(Said::Ready, 12), (Said::Goodbye, 1), (Said::Pong(u64::MAX), 15)] {
        let bytes = said.write();
        assert_eq!(Table::root(&bytes).unwrap().byte(0), Ok(kind));
    }
}

#[test]
fn pads_are_known_by_their_place_and_count_down() {
    let mut tracker = Tracker::new(&soccar_field());
    assert_eq!(tracker.pads_found(), PADS);
    let mut packet = packet(100, vec![standing(0, 1)]);
    // The 14th and 15th of RLBot's list are the other way round in ours.
    packet.pads[13] = Pad { active: false, taken_secs: 1.5 };
    let big = (0..PADS).find(|&at| PAD_IS_BIG[PAD_OF_ENGINE[at]]).unwrap();
    packet.pads[big] = Pad { active: false, taken_secs: 9.0 };
    packet.pads[0] = Pad { active: false, taken_secs: f32::NAN };
    packet.pads[1] = Pad { active: false, taken_secs: 77.0 };
    tracker.update(&packet);
    let secs = &tracker.state().pad_secs;
    assert_eq!((secs[14], secs[13]), (2.5, 0.0));
    assert_eq!(secs[PAD_OF_ENGINE[big]], 1.0);
    assert_eq!((secs[0], secs[1], secs[2]), (0.0, 0.0, 0.0));
    // Another map: nothing is where we know it.
    let elsewhere: Vec<FieldPad> = soccar_field()
        .into_iter()
        .map(|pad| FieldPad { location: [0.0, 99.0, 0.0], ..pad })
        .collect();
    let mut tracker = Tracker::new(&elsewhere);
    assert_eq!(tracker.pads_found(), 0);
    tracker.update(&packet);
    assert!(tracker.state().pad_secs.iter().all(|&secs| secs >= 4.0));
}

#[test]
fn blue_cars_come_first() {
    let players = vec![standing(1, 1), standing(0, 2), standing(1, 3), standing(0, 4)];
    let mut tracker = Tracker::new(&soccar_field());
    assert_eq!(tracker.update(&packet(7, players.clone())), Advance::Anew);
    assert_eq!([0, 1, 2, 3].map(|player| tracker.car(player)), [2, 0, 3, 1].map(Some));
    assert_eq!(tracker.car(4), None);
    let cars = &tracker.state().cars;
    assert_eq!(cars.iter().map(|car| car.body.pos.x).collect::<Vec<_>>(), [20.0, 40.0, 10.0, 30.0]);
    assert!(cars[..2].iter().all(|car| car.team == Team::Blue));
    // Somebody leaves.
    assert_eq!(tracker.update(&packet(8, players[..3].to_vec())), Advance::Anew);
    assert_eq!(tracker.state().cars.len(), 3);
}

#[test]
fn a_jump_leaves_the_ground_after_six_ticks_and_loses_its_dodge_in_time() {
    let mut tracker = Tracker::new(&soccar_field());
    let mut player = standing(0, 1);
    let mut frame = 1000;
    tracker.update(&packet(frame, vec![player]));
    let mut go = |player: &Player, ticks: u32| {
        frame += ticks;
        tracker.update(&packet(frame, vec![*player]));
        tracker.state().cars[0]
    };
    (player.air, player.has_jumped, player.dodge_timeout) = (AirState::Jumping, true, 1.25);
    let car = go(&player, 1);
    assert!(car.on_ground && car.jumping && car.has_flip && !car.has_jump);
    let car = go(&player, 6);
    assert!(car.on_ground && car.air_secs == 0.0);
    let car = go(&player, 1);
    assert!(!car.on_ground && car.has_flip && (car.air_secs - 1.0 / 120.0).abs() < 1e-6);
    (player.air, player.dodge_timeout) = (AirState::InAir, 1.0);
    let car = go(&player, 30);
    assert!(!car.jumping && car.has_flip && (car.air_secs - 31.0 / 120.0).abs() < 1e-6);
    player.dodge_timeout = -1.0;
    let car = go(&player, 1);
    assert!(!car.has_flip && !car.has_jump && !car.on_ground);
    // A car that fell off a wall without a jump keeps its flip for ever.
    player.has_jumped = false;
    assert!(go(&player, 1).has_flip);
    (player.has_dodged, player.dodge_elapsed) = (true, 0.5);
    let car = go(&player, 1);
    assert!(car.flipping && !car.has_flip);
    player.dodge_elapsed = 0.7;
    assert!(!go(&player, 1).flipping);
    player.demolished_timeout = 2.0;
    let car = go(&player, 1);
    assert!(car.demolished && car.respawn_secs == 2.0 && car.air_secs == 0.0);
}

#[test]
fn only_newer_packets_count() {
    let mut tracker = Tracker::new(&soccar_field());
    tracker.update(&packet(50, vec![standing(0, 1)]));
    let mut moved = standing(0, 1);
    moved.physics.location = [500.0, 0.0, 17.0];
    assert_eq!(tracker.update(&packet(50, vec![moved])), Advance::Ticks(0));
    assert_eq!(tracker.state().cars[0].body.pos.x, 10.0);
    assert_eq!(tracker.update(&packet(53, vec![moved])), Advance::Ticks(3));
    assert_eq!(tracker.state().cars[0].body.pos.x, 500.0);
    assert_eq!(tracker.state().tick, 53);
    // An earlier frame is another match; the counter may also roll over.
    assert_eq!(tracker.update(&packet(2, vec![moved])), Advance::Anew);
    assert_eq!(tracker.update(&packet(u32::MAX, vec![moved])), Advance::Anew);
    assert_eq!(tracker.update(&packet(4, vec![moved])), Advance::Ticks(5));
}

#[test]
fn axes_turn_as_unreal_turns_them() {
    let axes = |rotation| Physics { rotation, ..Physics::default() }.axes();
    let quarter = std::f32::consts::FRAC_PI_2;
    let near = |a: Vec3A, b: [f32; 3]| assert!(a.distance(b.into()) < 1e-6, "{a} {b:?}");
    near(axes([0.0, quarter, 0.0]).x_axis, [0.0, 1.0, 0.0]);
    near(axes([quarter, 0.0, 0.0]).x_axis, [0.0, 0.0, 1.0]);
    near(axes([0.0, 0.0, quarter]).y_axis, [0.0, 0.0, -1.0]);
    near(axes([0.0; 3]).z_axis, [0.0, 0.0, 1.0]);
}

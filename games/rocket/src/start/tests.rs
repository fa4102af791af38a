//! What holds of every start state, and what each kind promises.

use lanista_game::seed;
use proptest::prelude::*;
use rocketsim::Vec3A;
use rocketsim::consts::{ball, car};
use serde_json::json;

use super::draft::{BALL_GAP_UU, CAR_DISTANCE_UU};
use super::field::{BALL_RADIUS_UU, clearance, gap_to_ball, hitbox_corners};
use super::*;

fn drawn(kind: StartKind, seed: u64, blue: usize, orange: usize) -> Setup {
    let octanes = [Hitbox::Octane; 3];
    let teams = [&octanes[..blue], &octanes[..orange]];
    let setup = draw(&StartWeights::only(kind), &mut seed::rng(seed), teams);
    assert_eq!(setup.kind, kind);
    setup
}

fn many(kind: StartKind) -> impl Iterator<Item = Setup> {
    (0..400).map(move |seed| drawn(kind, seed, 1 + seed as usize % 3, 1 + seed as usize / 3 % 3))
}

/// A team's first car: the one with a part in the situation.
fn first_of(setup: &Setup, team: Team) -> &CarSetup {
    setup.cars.iter().find(|car| car.team == team).unwrap()
}

fn upright(car: &CarSetup) -> bool {
    car.world_from_car.z_axis.z > 0.999
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn everything_has_room_and_legal_speeds(
        kind in 0usize..8, seed in any::<u64>(), blue in 0usize..4, orange in 0usize..4,
    ) {
        let setup = drawn(StartKind::ALL[kind], seed, blue, orange);
        prop_assert_eq!(setup.cars.len(), blue + orange);
        prop_assert!(setup.cars[..blue].iter().all(|car| car.team == Team::Blue));
        prop_assert!(setup.cars[blue..].iter().all(|car| car.team == Team::Orange));
        let ball = setup.ball;
        prop_assert!(ball.pos.x.abs() <= 4096.0 - BALL_RADIUS_UU);
        prop_assert!(ball.pos.y.abs() <= 5120.0 - BALL_RADIUS_UU);
        prop_assert!(clearance(ball.pos) >= BALL_RADIUS_UU, "{}", ball.pos);
        prop_assert!(ball.vel.length() <= ball::MAX_SPEED);
        prop_assert!(ball.ang_vel.length() <= ball::MAX_ANG_SPEED);
        for (i, this) in setup.cars.iter().enumerate() {
            let Body { pos, vel, ang_vel } = this.body;
            prop_assert!(pos.x.abs() < 4096.0 && pos.y.abs() < 5120.0);
            prop_assert!(pos.x.abs() + pos.y.abs() < 8064.0 && pos.z > 16.9 && pos.z < 2044.0);
            prop_assert!(hitbox_corners(this).iter().all(|&corner| clearance(corner) > 0.0));
            prop_assert!(gap_to_ball(this, ball.pos) > BALL_GAP_UU - 0.1);
            prop_assert!(vel.length() <= car::MAX_SPEED && ang_vel.length() <= car::MAX_ANG_SPEED);
            prop_assert!((0.0..=100.0).contains(&this.boost));
            prop_assert!((this.world_from_car.determinant() - 1.0).abs() < 1e-4);
            let square = this.world_from_car * this.world_from_car.transpose();
            prop_assert!(square.abs_diff_eq(Mat3A::IDENTITY, 1e-4));
            prop_assert!(!this.on_ground || !(this.has_jumped || this.has_flipped));
            for other in &setup.cars[..i] {
                prop_assert!(pos.distance(other.body.pos) > CAR_DISTANCE_UU - 0.1);
            }
        }
    }

    #[test]
    fn every_hitbox_has_room(
        kind in 0usize..8, seed in any::<u64>(), boxes in proptest::array::uniform4(0usize..6),
    ) {
        let boxes = boxes.map(|i| Hitbox::ALL[i]);
        let weights = StartWeights::only(StartKind::ALL[kind]);
        let setup = draw(&weights, &mut seed::rng(seed), [&boxes[..1], &boxes[1..]]);
        let given: Vec<_> = setup.cars.iter().map(|car| car.hitbox).collect();
        prop_assert_eq!(given, boxes);
        for car in &setup.cars {
            prop_assert!(hitbox_corners(car).iter().all(|&corner| clearance(corner) > 0.0));
            prop_assert!(gap_to_ball(car, setup.ball.pos) > BALL_GAP_UU - 0.1);
        }
    }

    #[test]
    fn draws_repeat(kind in 0usize..8, seed in any::<u64>()) {
        let kind = StartKind::ALL[kind];
        prop_assert_eq!(drawn(kind, seed, 3, 2), drawn(kind, seed, 3, 2));
        if kind != StartKind::Kickoff {
            prop_assert_ne!(drawn(kind, seed, 1, 1), drawn(kind, seed.wrapping_add(1), 1, 1));
        }
    }
}

#[test]
fn no_kind_falls_back_to_a_kickoff() {
    for kind in &StartKind::ALL[1..] {
        for seed in 0..2000 {
            let setup = drawn(*kind, seed, 3, 3);
            assert_ne!(setup.ball.pos.with_z(0.0), Vec3A::ZERO, "{}", kind.name());
        }
    }
}

#[test]
fn teams_trade_places() {
    let mirror = |setup: &Setup| Setup {
        kind: setup.kind,
        ball: turned(setup.ball),
        cars: [&setup.cars[1], &setup.cars[0]]
            .map(|car| CarSetup { team: car.team.other(), ..car.turned() })
            .to_vec(),
    };
    for kind in StartKind::ALL {
        // The coin is the only thing that tells the teams apart, so one seed makes the same
        // situation for a lone blue car and, turned, for a lone orange one.
        for seed in 0..50 {
            let (blue, orange) = (drawn(kind, seed, 1, 0), drawn(kind, seed, 0, 1));
            assert_eq!(turned(blue.ball), orange.ball);
            assert_eq!(blue.cars[0].turned().body, orange.cars[0].body);
        }
        let setups: Vec<_> = (0..2000).map(|seed| drawn(kind, seed, 1, 1)).collect();
        let mean_y = setups.iter().map(|s| s.ball.pos.y).sum::<f32>() / setups.len() as f32;
        // The ball lies at most 4800 from the middle: a standard deviation of 107 for the mean.
        assert!(mean_y.abs() < 400.0, "{}: {mean_y}", kind.name());
        assert_eq!(mirror(&mirror(&setups[0])), setups[0]);
    }
}

#[test]
fn kickoffs_are_the_games() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let setup = drawn(StartKind::Kickoff, seed, 3, 3);
        assert_eq!(setup.ball, kickoff::ball());
        for i in 0..3 {
            let (blue, orange) = (setup.cars[i], setup.cars[i + 3]);
            assert_eq!(blue.turned().body, orange.body);
            assert_eq!(blue.turned().world_from_car, orange.world_from_car);
            assert!((blue.boost - 33.333).abs() < 0.01 && blue.body.vel == Vec3A::ZERO);
            let pos = blue.body.pos;
            seen.insert((pos.x as i32, pos.y as i32));
            // Corner cars look at the middle, the others straight ahead.
            let ahead = if pos.x.abs() > 1000.0 {
                Vec3A::new(-pos.x.signum(), 1.0, 0.0).normalize()
            } else {
                Vec3A::Y
            };
            assert!(blue.world_from_car.x_axis.abs_diff_eq(ahead, 1e-5));
        }
    }
    let spots = [(-2048, -2560), (-256, -3840), (0, -4608), (256, -3840), (2048, -2560)];
    assert!(seen.into_iter().eq(spots));
}

#[test]
fn half_of_the_random_cars_fly() {
    let cars: Vec<_> = many(StartKind::Random).flat_map(|setup| setup.cars).collect();
    let share = cars.iter().filter(|car| !car.on_ground).count() as f32 / cars.len() as f32;
    assert!((0.4..0.6).contains(&share), "{share}");
    assert!(cars.iter().all(|car| !car.on_ground || upright(car)));
    assert!(cars.iter().any(|car| car.world_from_car.z_axis.z < -0.9));
}

#[test]
fn turtles_lie_on_their_roofs_near_the_ball() {
    for setup in many(StartKind::Turtled) {
        for car in &setup.cars {
            assert!(car.world_from_car.z_axis.z < -0.98 && car.body.pos.z < 61.0);
            assert!(car.body.vel.length() <= 300.1 && !car.on_ground && !car.has_jumped);
            assert!(car.body.pos.distance(setup.ball.pos) < 2000.0);
        }
    }
}

#[test]
fn goal_lines_have_a_ball_in_front_and_a_keeper() {
    let mut shots = 0;
    for setup in many(StartKind::GoalLine) {
        let end = setup.ball.pos.y.signum();
        assert!((3300.0..=4800.0).contains(&(end * setup.ball.pos.y)));
        let defenders = if end > 0.0 { Team::Orange } else { Team::Blue };
        let keeper = first_of(&setup, defenders).body.pos;
        assert!(keeper.x.abs() <= 700.0 && keeper.y * end >= 4850.0);
        let attacker = first_of(&setup, defenders.other());
        let to_ball = (setup.ball.pos - attacker.body.pos).with_z(0.0).normalize();
        assert!(attacker.world_from_car.x_axis.dot(to_ball) > 0.99);
        shots += usize::from(setup.ball.vel.y * end > 400.0);
    }
    assert!(shots > 80, "{shots}");
}

#[test]
fn walls_have_a_ball_on_or_near_them_and_a_car_after_it() {
    let (mut on_wall, mut climbing_cars) = (0, 0);
    for setup in many(StartKind::Wall) {
        let ball = setup.ball;
        let side = ball.pos.x.signum();
        if ball.pos.z > 200.0 {
            on_wall += 1;
            assert!((ball.pos.x.abs() - (4096.0 - 93.15)).abs() < 0.01);
        } else {
            assert!(ball.vel.x * side >= 900.0);
        }
        for car in setup.cars.iter().filter(|car| car.body.pos.z > 100.0) {
            climbing_cars += 1;
            assert!(car.on_ground && car.world_from_car.z_axis.x * side < -0.999);
            assert!((car.body.pos.x.abs() - (4096.0 - 17.0)).abs() < 0.01);
            assert!(car.body.vel.dot(ball.pos - car.body.pos) > 0.0);
        }
    }
    assert!(on_wall > 120 && on_wall < 280 && climbing_cars > 50, "{on_wall} {climbing_cars}");
}

/// The one car in the air.
fn flyer(setup: &Setup) -> &CarSetup {
    let mut flyers = setup.cars.iter().filter(|car| !car.on_ground);
    let flyer = flyers.next().unwrap();
    assert!(flyers.next().is_none());
    flyer
}

#[test]
fn air_dribbles_have_a_car_with_boost_rising_under_the_ball() {
    for setup in many(StartKind::AirDribble) {
        let car = flyer(&setup);
        let (to_ball, ball) = (setup.ball.pos - car.body.pos, setup.ball);
        assert!(ball.vel.z > 200.0 && ball.vel.y * car.team.attack_sign() > 0.0);
        assert!(to_ball.z > 40.0 && to_ball.length() < 400.0);
        assert!(car.world_from_car.x_axis.dot(to_ball.normalize()) > 0.99);
        assert!(car.body.vel.distance(ball.vel) < 200.0 && car.boost >= 60.0);
        assert!(car.has_jumped && !car.has_flipped && car.secs_since_jump < 1.25);
    }
}

#[test]
fn flip_resets_have_a_car_under_the_ball_with_wheels_up_and_no_flip() {
    for setup in many(StartKind::FlipReset) {
        let car = flyer(&setup);
        let (to_ball, ball) = (setup.ball.pos - car.body.pos, setup.ball);
        assert!(ball.pos.z >= 900.0 && ball.vel.y * car.team.attack_sign() > 0.0);
        assert!(car.world_from_car.z_axis.dot(to_ball.normalize()) < -0.9);
        assert!(car.world_from_car.z_axis.z < -0.5);
        assert!((car.body.vel - ball.vel).dot(to_ball) > 0.0);
        let core = car.core();
        assert!(core.has_jumped && core.has_flipped && !core.is_flipping);
        assert!(core.flip_time > car::flip::TORQUE_TIME);
    }
}

#[test]
fn jump_challenges_have_the_ball_between_two_cars() {
    for setup in many(StartKind::JumpChallenge) {
        assert!((200.0..=450.0).contains(&setup.ball.pos.z));
        let [blue, orange] = [Team::Blue, Team::Orange].map(|team| {
            let car = first_of(&setup, team);
            let to_ball = (setup.ball.pos - car.body.pos).with_z(0.0);
            assert!(car.body.vel.normalize().dot(to_ball.normalize()) > 0.99);
            assert!(car.body.pos.y * team.attack_sign() < setup.ball.pos.y * team.attack_sign());
            to_ball
        });
        assert!(blue.normalize().dot(orange.normalize()) < -0.99);
        assert!((blue.length() - orange.length()).abs() < 250.0);
    }
}

#[test]
fn kinds_come_up_by_weight() {
    let weights = StartWeights { kickoff: 3.0, wall: 1.0, ..StartWeights::only(StartKind::Wall) };
    assert_eq!(weights.check(), Ok(()));
    assert_eq!(weights.to_string(), "kickoff 75 %, wall 25 %");
    let mut counts = [0u32; 8];
    for seed in 0..4000 {
        let kind = draw(&weights, &mut seed::rng(seed), [&[Hitbox::Octane]; 2]).kind;
        counts[kind as usize] += 1;
    }
    assert!((2850..3150).contains(&counts[0]), "{counts:?}");
    assert_eq!(counts[0] + counts[StartKind::Wall as usize], 4000);
}

#[test]
fn weights_are_read_checked_and_refused() {
    let read = serde_json::from_value::<StartWeights>;
    assert_eq!(read(json!({})).unwrap(), StartWeights::only(StartKind::Kickoff));
    assert_eq!(read(json!({"random": 2})).unwrap().to_string(), "kickoff 33 %, random 67 %");
    assert!(read(json!({"kick_off": 1})).is_err());
    let refused = |value| read(value).unwrap().check().unwrap_err().to_string();
    let error = refused(json!({"kickoff": 0}));
    assert!(error.starts_with("settings.start: every weight is 0"), "{error}");
    let error = refused(json!({"wall": -1}));
    assert!(error.starts_with("settings.start.wall: -1 is no weight"), "{error}");
    let nan = StartWeights { random: f32::NAN, ..StartWeights::default() };
    assert!(nan.check().is_err());
}

#[test]
fn kinds_are_named_as_their_keys() {
    let keys = serde_json::to_value(StartWeights::default()).unwrap();
    assert_eq!(keys.as_object().unwrap().len(), StartKind::ALL.len());
    for (i, kind) in StartKind::ALL.into_iter().enumerate() {
        assert_eq!(kind as usize, i);
        assert!(!kind.about().is_empty());
        let mut value = json!({"kickoff": 0});
        value[kind.name()] = json!(1);
        let weights: StartWeights = serde_json::from_value(value).unwrap();
        assert_eq!(weights, StartWeights::only(kind));
    }
}

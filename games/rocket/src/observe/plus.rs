//! `AdvancedObsPlus`: the field as the car sees it.
//!
//! *Field* numbers lie along the axes of the field, turned for orange; *local* ones along the car's
//! forward, right and up. Positions and distances are divided by 6000 uu, velocities by the highest
//! there are (cars 2300 uu/s, ball 6000 uu/s), angular velocities by 5.5 rad/s, boost by 100, the
//! time in the air and until a respawn by 3 s, a pad's time by 10 s.
//!
//! | group        | what                                                              | numbers |
//! |--------------|-------------------------------------------------------------------|---------|
//! | `own`        | field: position, forward, up                                      | 9       |
//! |              | local: velocity, angular velocity                                 | 6       |
//! |              | boost, has jump, has flip, jumping, flipping, on ground,          |         |
//! |              | supersonic, demolished, seconds to respawn, seconds in the air    | 10      |
//! | `ball`       | field: position, velocity, angular velocity                       | 9       |
//! |              | local: position from the car, velocity, angular velocity          | 9       |
//! |              | local: velocity less the car's (by 6000)                          | 3       |
//! |              | distance from the car                                             | 1       |
//! | `their_goal` | local: from the ball to the middle of the goal; distance          | 4       |
//! | `own_goal`   | the same                                                          | 4       |
//! | `mate_n`     | nearest first, max_team − 1 of them: present, local position from |         |
//! |              | the car, local velocity less the car's, local angular velocity,   |         |
//! |              | local forward, local up, boost, on ground, has flip, supersonic,  |         |
//! |              | demolished, distance                                              | 22 each |
//! | `opponent_n` | the same, max_team of them                                        | 22 each |
//! | `pad_n`      | the 6 nearest to the car, nearest first: local position from the  |         |
//! |              | car, big, seconds until it has boost, distance from the car       | 36      |
//! | `ball_pad_n` | the 3 nearest to the ball: the same, distance from the ball       | 18      |
//! | `previous`   | the eight controls of the previous action                         | 8       |
//!
//! Cars and pads that are equally far come in the state's order. 139 numbers in 1v1, 227 in 3v3.

use rocketsim::Vec3A;

use super::{Sink, View};
use crate::pads::{PAD_IS_BIG, PAD_POSITIONS};
use crate::state::{Car, MAX_TEAM, Team};

/// How many of the pads nearest to the car are seen.
pub const PADS_NEAR_CAR: usize = 6;
/// How many of the pads nearest to the ball are seen.
pub const PADS_NEAR_BALL: usize = 3;

const DISTANCE_SCALE: f32 = 1.0 / 6000.0;
const VELOCITY_SCALE: f32 = 1.0 / 2300.0;
const BALL_VELOCITY_SCALE: f32 = 1.0 / 6000.0;
const ANGULAR_SCALE: f32 = 1.0 / 5.5;
const BOOST_SCALE: f32 = 1.0 / 100.0;
/// A respawn takes 3 s; a car in the air has by then lost its flip or landed.
const CAR_TIME_SCALE: f32 = 1.0 / 3.0;
const PAD_TIME_SCALE: f32 = 1.0 / 10.0;
/// The middle of the goal that blue attacks: half of its 642.775 uu up.
const THEIR_GOAL: Vec3A = Vec3A::new(0.0, 5120.0, 321.387);
const OWN_GOAL: Vec3A = Vec3A::new(0.0, -5120.0, 321.387);

const OTHER_CAR: usize = 22;
const PAD: usize = 6;

/// How many numbers one frame has.
pub(super) fn width(max_team: usize) -> usize {
    25 + 22 + 8 + (2 * max_team - 1) * OTHER_CAR + (PADS_NEAR_CAR + PADS_NEAR_BALL) * PAD + 8
}

/// Tells a sink every number, in order.
#[inline]
pub(super) fn describe(view: &View, max_team: usize, sink: &mut impl Sink) {
    let (car, ball) = (&view.car, &view.ball);
    let local = |v: Vec3A| car.car_from_world(v);

    sink.group("own", None);
    own(car, sink);

    let to_ball = ball.pos - car.body.pos;
    sink.group("ball", None);
    sink.vector("field_position", ball.pos * DISTANCE_SCALE);
    sink.vector("field_velocity", ball.vel * BALL_VELOCITY_SCALE);
    sink.vector("field_angular_velocity", ball.ang_vel * ANGULAR_SCALE);
    sink.vector("position", local(to_ball) * DISTANCE_SCALE);
    sink.vector("velocity", local(ball.vel) * BALL_VELOCITY_SCALE);
    sink.vector("angular_velocity", local(ball.ang_vel) * ANGULAR_SCALE);
    sink.vector("relative_velocity", local(ball.vel - car.body.vel) * BALL_VELOCITY_SCALE);
    sink.number("distance", to_ball.length() * DISTANCE_SCALE);

    for (name, goal) in [("their_goal", THEIR_GOAL), ("own_goal", OWN_GOAL)] {
        let to_goal = goal - ball.pos;
        sink.group(name, None);
        sink.vector("from_ball", local(to_goal) * DISTANCE_SCALE);
        sink.number("ball_distance", to_goal.length() * DISTANCE_SCALE);
    }

    others(view, car.team, "mate", max_team - 1, sink);
    others(view, car.team.other(), "opponent", max_team, sink);
    pads::<PADS_NEAR_CAR>(view, car.body.pos, "pad", sink);
    pads::<PADS_NEAR_BALL>(view, ball.pos, "ball_pad", sink);

    sink.group("previous", None);
    sink.controls(view.last_controls());
}

#[inline]
fn own(car: &Car, sink: &mut impl Sink) {
    sink.vector("field_position", car.body.pos * DISTANCE_SCALE);
    sink.vector("field_forward", car.forward());
    sink.vector("field_up", car.up());
    sink.vector("velocity", car.car_from_world(car.body.vel) * VELOCITY_SCALE);
    sink.vector("angular_velocity", car.car_from_world(car.body.ang_vel) * ANGULAR_SCALE);
    sink.number("boost", car.boost * BOOST_SCALE);
    sink.flag("has_jump", car.has_jump);
    sink.flag("has_flip", car.has_flip);
    sink.flag("jumping", car.jumping);
    sink.flag("flipping", car.flipping);
    sink.flag("on_ground", car.on_ground);
    sink.flag("supersonic", car.supersonic);
    sink.flag("demolished", car.demolished);
    sink.number("respawn_time", car.respawn_secs * CAR_TIME_SCALE);
    sink.number("air_time", (car.air_secs * CAR_TIME_SCALE).min(1.0));
}

#[inline]
fn others(view: &View, team: Team, name: &'static str, places: usize, sink: &mut impl Sink) {
    let own = &view.car;
    let mut nearest = Nearest::<MAX_TEAM>::default();
    let mut cars = [*own; MAX_TEAM];
    for (index, other) in view.others(team).take(MAX_TEAM).enumerate() {
        cars[index] = other;
        nearest.offer(index, other.body.pos.distance_squared(own.body.pos));
    }
    let filled = nearest.found.min(places);
    for at in 0..filled {
        let (index, distance_squared) = nearest.kept[at];
        let other = &cars[index];
        let to_other = other.body.pos - own.body.pos;
        sink.group(name, Some(at + 1));
        sink.flag("present", true);
        sink.vector("position", own.car_from_world(to_other) * DISTANCE_SCALE);
        let relative_velocity = other.body.vel - own.body.vel;
        sink.vector("relative_velocity", own.car_from_world(relative_velocity) * VELOCITY_SCALE);
        let spin = own.car_from_world(other.body.ang_vel);
        sink.vector("angular_velocity", spin * ANGULAR_SCALE);
        sink.vector("forward", own.car_from_world(other.forward()));
        sink.vector("up", own.car_from_world(other.up()));
        sink.number("boost", other.boost * BOOST_SCALE);
        sink.flag("on_ground", other.on_ground);
        sink.flag("has_flip", other.has_flip);
        sink.flag("supersonic", other.supersonic);
        sink.flag("demolished", other.demolished);
        sink.number("distance", distance_squared.sqrt() * DISTANCE_SCALE);
    }
    let empty = (places - filled) * OTHER_CAR;
    if empty > 0 {
        sink.nobody(empty);
    }
}

/// The pads nearest to a place.
#[inline]
fn pads<const K: usize>(view: &View, place: Vec3A, name: &'static str, sink: &mut impl Sink) {
    let car = &view.car;
    let mut nearest = Nearest::<K>::default();
    for (pad, position) in PAD_POSITIONS.iter().enumerate() {
        nearest.offer(pad, position.distance_squared(place));
    }
    for (at, &(pad, distance_squared)) in nearest.kept.iter().enumerate() {
        let position = car.car_from_world(PAD_POSITIONS[pad] - car.body.pos);
        sink.group(name, Some(at + 1));
        sink.vector("position", position * DISTANCE_SCALE);
        sink.flag("big", PAD_IS_BIG[pad]);
        sink.number("time", view.pad_secs(pad) * PAD_TIME_SCALE);
        sink.number("distance", distance_squared.sqrt() * DISTANCE_SCALE);
    }
}

/// Keeps the `K` nearest of what it is offered, nearest first, earlier offers first among equals.
struct Nearest<const K: usize> {
    /// Index and squared distance.
    kept: [(usize, f32); K],
    found: usize,
}

impl<const K: usize> Default for Nearest<K> {
    fn default() -> Self {
        Self { kept: [(0, f32::INFINITY); K], found: 0 }
    }
}

impl<const K: usize> Nearest<K> {
    #[inline]
    fn offer(&mut self, index: usize, distance_squared: f32) {
        let mut at = if self.found < K {
            self.found += 1;
            self.found - 1
        } else if distance_squared < self.kept[K - 1].1 {
            K - 1
        } else {
            return;
        };
        while at > 0 && distance_squared < self.kept[at - 1].1 {
            self.kept[at] = self.kept[at - 1];
            at -= 1;
        }
        self.kept[at] = (index, distance_squared);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Layout, full_field};
    use super::*;
    use crate::state::{PADS, State};
    use lanista_game::seed;
    use rand::RngExt;
    use rocketsim::Mat3A;

    /// A row that can be asked by name.
    struct Seen(Vec<String>, Vec<f32>);

    impl Seen {
        fn by(state: &State, car: usize, max_team: usize) -> Self {
            let mut row = vec![f32::NAN; width(max_team)];
            Layout::Plus.write(state, car, max_team, &mut row);
            Self(Layout::Plus.features(max_team), row)
        }

        fn get(&self, name: &str) -> f32 {
            let at = self.0.iter().position(|n| n == name);
            self.1[at.unwrap_or_else(|| panic!("no number is called {name}"))]
        }

        fn vector(&self, name: &str) -> [f32; 3] {
            ["x", "y", "z"].map(|axis| self.get(&format!("{name}_{axis}")))
        }
    }

    fn assert_near(a: [f32; 3], b: [f32; 3]) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6), "{a:?}, expected {b:?}");
    }

    #[test]
    fn widths() {
        assert_eq!([1, 2, 3].map(width), [139, 183, 227]);
    }

    #[test]
    fn ball_straight_ahead() {
        let mut state = full_field(1);
        let car = &mut state.cars[0];
        // Drives towards +y; right is −x of the field (as +y is right of +x).
        car.world_from_car = Mat3A::from_cols(Vec3A::Y, Vec3A::NEG_X, Vec3A::Z);
        car.body.pos = Vec3A::new(100.0, -2000.0, 50.0);
        car.body.vel = Vec3A::new(0.0, 1150.0, 0.0);
        car.body.ang_vel = Vec3A::new(0.0, 0.0, 5.5);
        car.boost = 25.0;
        (car.respawn_secs, car.air_secs, car.last_action) = (1.5, 60.0, Some(18));
        state.ball.pos = Vec3A::new(100.0, -1000.0, 50.0);
        state.ball.vel = Vec3A::new(600.0, 1150.0, 0.0);
        let seen = Seen::by(&state, 0, 1);
        assert_near(seen.vector("ball_position"), [1000.0 / 6000.0, 0.0, 0.0]);
        assert_near(seen.vector("ball_field_position"), [100.0 / 6e3, -1.0 / 6.0, 50.0 / 6e3]);
        assert_near(seen.vector("ball_velocity"), [1150.0 / 6e3, -0.1, 0.0]);
        assert_near(seen.vector("ball_relative_velocity"), [0.0, -0.1, 0.0]);
        assert!((seen.get("ball_distance") - 1.0 / 6.0).abs() < 1e-6);
        assert_near(seen.vector("own_velocity"), [0.5, 0.0, 0.0]);
        assert_near(seen.vector("own_angular_velocity"), [0.0, 0.0, 1.0]);
        assert_near(seen.vector("own_field_forward"), [0.0, 1.0, 0.0]);
        assert_eq!(seen.get("own_boost"), 0.25);
        assert_eq!((seen.get("own_respawn_time"), seen.get("own_air_time")), (0.5, 1.0));
        assert_eq!((seen.get("previous_throttle"), seen.get("previous_boost")), (1.0, 1.0));
        assert_near(
            seen.vector("their_goal_from_ball"),
            [6120.0 / 6e3, 100.0 / 6e3, 271.387 / 6e3],
        );
        assert_near(seen.vector("own_goal_from_ball"), [-4120.0 / 6e3, 100.0 / 6e3, 271.387 / 6e3]);
    }

    #[test]
    fn others_come_nearest_first() {
        let mut state = full_field(3);
        for (car, x) in state.cars.iter_mut().zip([0.0, 3000.0, -600.0, 1800.0, 1200.0, -2400.0]) {
            car.body.pos.x = x;
        }
        state.cars[2].boost = 50.0;
        state.cars[4].supersonic = true;
        let seen = Seen::by(&state, 0, 3);
        assert_near(seen.vector("mate_1_position"), [-0.1, 0.0, 0.0]);
        assert_near(seen.vector("mate_2_position"), [0.5, 0.0, 0.0]);
        assert_eq!((seen.get("mate_1_boost"), seen.get("mate_2_boost")), (0.5, 0.0));
        let order = [1, 2, 3].map(|n| seen.get(&format!("opponent_{n}_position_x")));
        assert_near(order, [0.2, 0.3, -0.4]);
        assert_near(
            [1, 2, 3].map(|n| seen.get(&format!("opponent_{n}_distance"))),
            [0.2, 0.3, 0.4],
        );
        assert_eq!(seen.get("opponent_1_supersonic"), 1.0);
        // Where there is room for one opponent, it is the nearest.
        let seen = Seen::by(&state, 0, 1);
        assert_near(seen.vector("opponent_1_position"), [0.2, 0.0, 0.0]);
        // Without one mate, his place is empty.
        state.cars.remove(1);
        let seen = Seen::by(&state, 0, 3);
        assert_eq!((seen.get("mate_1_present"), seen.get("mate_2_present")), (1.0, 0.0));
        assert_eq!(seen.vector("mate_2_position"), [0.0; 3]);
    }

    #[test]
    fn equally_far_cars_keep_their_order() {
        let mut state = full_field(3);
        for (car, boost) in state.cars.iter_mut().zip([0.0, 0.0, 0.0, 10.0, 20.0, 30.0]) {
            car.boost = boost;
        }
        state.cars[0].body.pos.x = 500.0;
        let seen = Seen::by(&state, 0, 3);
        assert_near([1, 2, 3].map(|n| seen.get(&format!("opponent_{n}_boost"))), [0.1, 0.2, 0.3]);
    }

    #[test]
    fn pads_come_nearest_first() {
        let mut state = full_field(1);
        state.cars[0].body.pos = Vec3A::new(-3584.0, 10.0, 73.0);
        state.ball.pos = Vec3A::new(0.0, 4300.0, 70.0);
        (state.pad_secs[15], state.pad_secs[33]) = (7.5, 4.0);
        let seen = Seen::by(&state, 0, 1);
        assert_near(seen.vector("pad_1_position"), [0.0, -10.0 / 6e3, 0.0]);
        assert_eq!((seen.get("pad_1_big"), seen.get("pad_1_time")), (1.0, 0.75));
        assert_near(seen.vector("ball_pad_1_position"), [3584.0 / 6e3, 4230.0 / 6e3, -3.0 / 6e3]);
        assert_eq!((seen.get("ball_pad_1_big"), seen.get("ball_pad_1_time")), (0.0, 0.4));
        assert!((seen.get("ball_pad_1_distance") - 60.0 / 6e3).abs() < 1e-6);
        // Equally far from the ball: in the order of the pads.
        assert!(seen.get("ball_pad_2_position_x") < seen.get("ball_pad_3_position_x"));
    }

    #[test]
    fn the_nearest_are_those_of_a_full_sort() {
        let mut rng = seed::rng(9);
        for _ in 0..3000 {
            let distances: Vec<f32> = (0..PADS).map(|_| rng.random_range(0..20) as f32).collect();
            let mut nearest = Nearest::<PADS_NEAR_CAR>::default();
            for (index, &distance) in distances.iter().enumerate() {
                nearest.offer(index, distance);
            }
            let mut sorted: Vec<(usize, f32)> = distances.into_iter().enumerate().collect();
            sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
            assert_eq!(nearest.kept, sorted[..PADS_NEAR_CAR]);
        }
    }
}

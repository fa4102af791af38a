//! RLGym's `AdvancedObs`, for those who know it: order and scales are its own.
//!
//! Everything is along the axes of the field, turned for orange. Positions and velocities are
//! divided by 2300, angular velocities by π, boost by 100 (as RLGym's 0 to 1); directions are unit
//! vectors. RLGym has no padding: here missing cars are zeros, which no car is, as it points
//! somewhere.
//!
//! | what                                                           | numbers           |
//! |----------------------------------------------------------------|-------------------|
//! | ball: position, velocity, angular velocity                     | 9                 |
//! | the eight controls of the previous action                      | 8                 |
//! | pads: 1 where there is boost, in the order of [`crate::pads`]  | 34                |
//! | own car                                                        | 25                |
//! | mates in the state's order: a car, relative to own car         | 31 (max_team − 1) |
//! | opponents, the same                                            | 31 max_team       |
//!
//! A car: the ball's position and velocity less its own (6), position (3), forward (3), up (3),
//! velocity (3), angular velocity (3), boost, on ground, has flip, demolished. "Relative to own
//! car": its position and velocity less the own car's (6).

use std::f32::consts::PI;

use super::{Sink, View};
use crate::state::{Body, Car, PADS, Team};

/// Of positions and velocities alike, uu and uu/s.
const POSITION_SCALE: f32 = 1.0 / 2300.0;
const ANGULAR_SCALE: f32 = 1.0 / PI;

const CAR: usize = 25;
const OTHER_CAR: usize = CAR + 6;

/// How many numbers one frame has.
pub(super) fn width(max_team: usize) -> usize {
    9 + 8 + PADS + CAR + (2 * max_team - 1) * OTHER_CAR
}

/// Tells a sink every number, in order.
#[inline]
pub(super) fn describe(view: &View, max_team: usize, sink: &mut impl Sink) {
    let ball = &view.ball;
    sink.group("ball", None);
    sink.vector("position", ball.pos * POSITION_SCALE);
    sink.vector("velocity", ball.vel * POSITION_SCALE);
    sink.vector("angular_velocity", ball.ang_vel * ANGULAR_SCALE);
    sink.group("previous", None);
    sink.controls(view.last_controls());
    for pad in 0..PADS {
        sink.group("pad", Some(pad + 1));
        sink.flag("ready", view.pad_secs(pad) <= 0.0);
    }
    sink.group("own", None);
    car(&view.car, ball, sink);
    others(view, view.car.team, "mate", max_team - 1, sink);
    others(view, view.car.team.other(), "opponent", max_team, sink);
}

#[inline]
fn car(car: &Car, ball: &Body, sink: &mut impl Sink) {
    sink.vector("to_ball", (ball.pos - car.body.pos) * POSITION_SCALE);
    sink.vector("to_ball_velocity", (ball.vel - car.body.vel) * POSITION_SCALE);
    sink.vector("position", car.body.pos * POSITION_SCALE);
    sink.vector("forward", car.forward());
    sink.vector("up", car.up());
    sink.vector("velocity", car.body.vel * POSITION_SCALE);
    sink.vector("angular_velocity", car.body.ang_vel * ANGULAR_SCALE);
    sink.number("boost", car.boost / 100.0);
    sink.flag("on_ground", car.on_ground);
    sink.flag("has_flip", car.has_flip);
    sink.flag("demolished", car.demolished);
}

#[inline]
fn others(view: &View, team: Team, name: &'static str, places: usize, sink: &mut impl Sink) {
    let own = &view.car.body;
    let mut filled = 0;
    for other in view.others(team).take(places) {
        filled += 1;
        sink.group(name, Some(filled));
        car(&other, &view.ball, sink);
        sink.vector("from_own", (other.body.pos - own.pos) * POSITION_SCALE);
        sink.vector("from_own_velocity", (other.body.vel - own.vel) * POSITION_SCALE);
    }
    let empty = (places - filled) * OTHER_CAR;
    if empty > 0 {
        sink.nobody(empty);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Layout, full_field};
    use super::*;
    use rocketsim::Vec3A;

    #[test]
    fn widths_are_rlgyms() {
        // 107 numbers in 1v1, 231 in 3v3.
        assert_eq!([1, 2, 3].map(width), [107, 169, 231]);
    }

    #[test]
    fn numbers_lie_where_rlgym_has_them() {
        let mut state = full_field(1);
        state.ball.pos = Vec3A::new(230.0, 460.0, 690.0);
        state.ball.vel = Vec3A::new(2300.0, 0.0, -1150.0);
        state.ball.ang_vel = Vec3A::new(PI, 0.0, 0.0);
        state.pad_secs[1] = 3.0;
        let blue = &mut state.cars[0];
        blue.body.pos = Vec3A::new(0.0, -2300.0, 0.0);
        blue.boost = 33.0;
        blue.last_action = Some(14);
        let orange = &mut state.cars[1];
        orange.body.pos = Vec3A::new(0.0, 2300.0, 0.0);
        orange.body.vel = Vec3A::new(0.0, -1150.0, 0.0);
        orange.demolished = true;

        let mut row = [f32::NAN; 107];
        Layout::Advanced.write(&state, 0, 1, &mut row);
        let near = |at: usize, expected: &[f32]| {
            for (i, (a, b)) in row[at..].iter().zip(expected).enumerate() {
                assert!((a - b).abs() < 1e-6, "{}: {a}, expected {b}", at + i);
            }
        };
        near(0, &[0.1, 0.2, 0.3, 1.0, 0.0, -0.5, 1.0, 0.0, 0.0]);
        near(9, &[1.0, -1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0]);
        near(17, &[1.0, 0.0, 1.0]);
        near(51, &[0.1, 1.2, 0.3, 1.0, 0.0, -0.5, 0.0, -1.0, 0.0]);
        near(60, &[1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        near(72, &[0.33, 1.0, 1.0, 0.0]);
        near(76, &[0.1, -0.8, 0.3, 1.0, 0.5, -0.5, 0.0, 1.0, 0.0]);
        near(97, &[0.0, 1.0, 1.0, 1.0]);
        near(101, &[0.0, 2.0, 0.0, 0.0, -0.5, 0.0]);
        assert_eq!(Layout::Advanced.features(1)[52], "own_to_ball_y");

        // Orange: everything turned, and pad 1 from the other end.
        Layout::Advanced.write(&state, 1, 1, &mut row);
        assert_eq!(row[0], -0.1);
        assert_eq!((row[17 + 32], row[17 + 1]), (0.0, 1.0));
        assert!((row[58] + 1.0).abs() < 1e-6);
    }
}

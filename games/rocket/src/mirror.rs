//! The field seen in a mirror that stands between the goals: left is right, and everything else is as it was.
//!
//! The game is the same there, so each recorded decision is worth a second one. Five matches are few.

use std::sync::OnceLock;

use rocketsim::{Mat3A, Vec3A};

use crate::pads::PAD_POSITIONS;
use crate::state::{Body, Car, PADS, State};
use crate::table::{ROWS, Row, table};

/// The row that does the same to the other side.
pub fn row(row: usize) -> usize {
    static ROW_OF: OnceLock<[usize; ROWS]> = OnceLock::new();
    let rows = ROW_OF.get_or_init(|| {
        std::array::from_fn(|row| {
            let Row { steer, yaw, roll, .. } = table()[row];
            let wanted = Row { steer: -steer, yaw: -yaw, roll: -roll, ..table()[row] };
            table().iter().position(|other| *other == wanted).unwrap_or(row)
        })
    });
    rows[row]
}

/// A match in the mirror.
pub fn state(of: &State) -> State {
    State {
        ball: body(&of.ball),
        cars: of.cars.iter().map(car).collect(),
        pad_secs: std::array::from_fn(|pad| of.pad_secs[pads()[pad]]),
        tick: of.tick,
    }
}

/// A car in the mirror.
fn car(of: &Car) -> Car {
    Car {
        body: body(&of.body),
        world_from_car: rotation(&of.world_from_car),
        last_action: of.last_action.map(row),
        ..*of
    }
}

/// Something that moves, in the mirror. A spin is no arrow: what turns about the axis across the mirror keeps its
/// sense, and the other two turn round.
pub(crate) fn body(of: &Body) -> Body {
    Body { pos: point(of.pos), vel: point(of.vel), ang_vel: -point(of.ang_vel) }
}

/// How a car lies, in the mirror: the door that was its right one is its left one there.
pub(crate) fn rotation(of: &Mat3A) -> Mat3A {
    Mat3A::from_cols(point(of.x_axis), -point(of.y_axis), point(of.z_axis))
}

fn point(of: Vec3A) -> Vec3A {
    Vec3A::new(-of.x, of.y, of.z)
}

/// Which pad lies where this one's picture does.
fn pads() -> &'static [usize; PADS] {
    static PAD_OF: OnceLock<[usize; PADS]> = OnceLock::new();
    PAD_OF.get_or_init(|| {
        std::array::from_fn(|pad| {
            let there = point(PAD_POSITIONS[pad]);
            PAD_POSITIONS.iter().position(|other| other.distance(there) < 1.0).unwrap_or(pad)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Placement, Trial};
    use crate::hitbox::Hitbox;
    use crate::state::Team;

    #[test]
    fn rows_have_a_picture_of_their_own() {
        let mut met = [false; ROWS];
        for at in 0..ROWS {
            let picture = row(at);
            assert_eq!(row(picture), at);
            assert!(!std::mem::replace(&mut met[picture], true));
            let (one, other) = (table()[at], table()[picture]);
            assert_eq!((one.steer, one.yaw, one.roll), (-other.steer, -other.yaw, -other.roll));
            assert_eq!(
                (one.throttle, one.pitch, one.jump),
                (other.throttle, other.pitch, other.jump)
            );
        }
        assert!((0..ROWS).any(|at| row(at) != at));
    }

    #[test]
    fn pads_have_a_picture_of_their_own() {
        for pad in 0..PADS {
            assert_eq!(pads()[pads()[pad]], pad);
            assert!((PAD_POSITIONS[pads()[pad]].x + PAD_POSITIONS[pad].x).abs() < 1.0);
        }
    }

    #[test]
    fn twice_mirrored_is_as_it_was() {
        let mut one = State {
            ball: thrown(Vec3A::new(300.0, 20.0, 500.0)),
            cars: vec![Car::parked(Team::Blue, Vec3A::new(100.0, 2.0, 17.0))],
            pad_secs: std::array::from_fn(|pad| pad as f32),
            tick: 9,
        };
        one.cars[0].last_action = Some(0);
        assert_ne!(state(&one), one);
        assert_eq!(state(&state(&one)), one);
    }

    fn thrown(pos: Vec3A) -> Body {
        Body { pos, vel: Vec3A::new(400.0, -100.0, 50.0), ang_vel: Vec3A::new(1.0, -2.0, 0.5) }
    }

    /// The engine knows neither left nor right: what is driven in the mirror ends in the mirror.
    #[test]
    fn the_engine_plays_alike_in_the_mirror() {
        crate::arena::prepare(None).unwrap();
        let mut trial = Trial::new(Hitbox::default());
        let ball =
            Body { pos: Vec3A::new(0.0, 3000.0, 93.0), vel: Vec3A::ZERO, ang_vel: Vec3A::ZERO };
        for (height, boost) in [(17.0, 50.0), (600.0, 30.0)] {
            for at in 0..ROWS {
                let placed = |body: Body, world_from_car: Mat3A| Placement {
                    body,
                    world_from_car,
                    boost,
                    has_jumped: false,
                    has_double_jumped: false,
                    has_flipped: false,
                    jump_ticks: None,
                    secs_since_jump: 0.0,
                    flip_secs: 0.0,
                    flip_torque: None,
                    slide: 0.0,
                    controls: table()[crate::table::NEUTRAL].controls(),
                };
                let turn = Mat3A::from_rotation_z(0.7);
                let body_here = Body {
                    pos: Vec3A::new(500.0, -300.0, height),
                    vel: Vec3A::new(200.0, 150.0, 0.0),
                    ang_vel: Vec3A::ZERO,
                };
                trial.place(&placed(body_here, turn), &ball);
                let here = trial.drive(table()[at].controls(), 8);
                trial.place(&placed(body(&body_here), rotation(&turn)), &body(&ball));
                let there = trial.drive(table()[row(at)].controls(), 8);
                let apart = body(&here.0).pos.distance(there.0.pos);
                let spin = body(&here.0).ang_vel.distance(there.0.ang_vel);
                assert!(
                    apart < 0.1 && spin < 0.05,
                    "row {at} at {height}: {apart} uu, {spin} rad/s"
                );
                let lies = rotation(&here.1);
                assert!(lies.x_axis.dot(there.1.x_axis) > 0.9999);
                assert!(lies.y_axis.dot(there.1.y_axis) > 0.9999);
            }
        }
    }
}

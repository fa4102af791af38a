//! A start state in the making: the attackers' frame, room for every car, common dice.

use std::f32::consts::TAU;

use lanista_game::seed::Rng;
use rand::RngExt;
use rocketsim::consts::{ball, car};
use rocketsim::{Mat3A, Vec3A};

use super::CarSetup;
use super::field::{
    BACK_WALL_Y_UU, BALL_RADIUS_UU, CAR_REST_Z_UU, clearance, facing, gap_to_ball, hitbox_corners,
    treads,
};
use crate::hitbox::Hitbox;
use crate::state::{Body, Team};

/// Attackers play towards +y in the frame of a draft, as blue does.
pub(super) const ATTACKERS: Team = Team::Blue;
/// Least room between the ball and a car.
pub(super) const BALL_GAP_UU: f32 = 10.0;
/// Least distance between two cars: no corner of a hitbox is farther out than 95 uu.
pub(super) const CAR_DISTANCE_UU: f32 = 200.0;
/// How often a car is drawn anew before the whole situation is.
const TRIES: usize = 32;

/// The cars on each side, by their hitboxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes<'a> {
    pub attackers: &'a [Hitbox],
    pub defenders: &'a [Hitbox],
}

/// Ball and cars so far: attackers first.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub ball: Body,
    pub cars: Vec<CarSetup>,
}

impl Draft {
    pub fn new(ball: Body) -> Self {
        Self { ball, cars: Vec::new() }
    }

    /// Adds every car of both teams; `make` draws the `i`-th car of a team. `None` if the ball is
    /// not within the field, or touches a goal line, or some car finds no room.
    pub fn cast(
        mut self,
        rng: &mut Rng,
        sizes: Sizes,
        mut make: impl FnMut(&mut Rng, Team, usize) -> CarSetup,
    ) -> Option<Self> {
        let in_goal = self.ball.pos.y.abs() > BACK_WALL_Y_UU - BALL_RADIUS_UU;
        if in_goal || clearance(self.ball.pos) < BALL_RADIUS_UU {
            return None;
        }
        self.cars.reserve_exact(sizes.attackers.len() + sizes.defenders.len());
        for (team, cars) in [(ATTACKERS, sizes.attackers), (ATTACKERS.other(), sizes.defenders)] {
            for (index, &hitbox) in cars.iter().enumerate() {
                let car = (0..TRIES).find_map(|_| {
                    let car = CarSetup { team, hitbox, ..make(rng, team, index) };
                    self.has_room(&car).then_some(car)
                })?;
                self.cars.push(car);
            }
        }
        Some(self)
    }

    fn has_room(&self, car: &CarSetup) -> bool {
        car.body.pos.y.abs() < BACK_WALL_Y_UU
            && hitbox_corners(car).iter().all(|&corner| clearance(corner) > 0.0)
            && treads(car).iter().all(|&tread| clearance(tread) > -1.0)
            && gap_to_ball(car, self.ball.pos) > BALL_GAP_UU
            && self.cars.iter().all(|o| o.body.pos.distance(car.body.pos) > CAR_DISTANCE_UU)
    }
}

/// A car on the floor that drives along its nose.
pub(super) fn on_floor(x: f32, y: f32, forward: Vec3A, speed: f32, boost: f32) -> CarSetup {
    let world_from_car = facing(forward.with_z(0.0), Vec3A::Z);
    CarSetup {
        team: ATTACKERS,
        body: moving(Vec3A::new(x, y, CAR_REST_Z_UU), world_from_car.x_axis * speed),
        world_from_car,
        boost,
        on_ground: true,
        has_jumped: false,
        has_flipped: false,
        secs_since_jump: 0.0,
        hitbox: Hitbox::Octane,
    }
}

/// A car in the air after a jump, with its flip left.
pub(super) fn in_air(body: Body, world_from_car: Mat3A, boost: f32) -> CarSetup {
    CarSetup {
        team: ATTACKERS,
        body: Body {
            vel: body.vel.clamp_length_max(car::MAX_SPEED - 1.0),
            ang_vel: body.ang_vel.clamp_length_max(car::MAX_ANG_SPEED - 0.01),
            ..body
        },
        world_from_car,
        boost,
        on_ground: false,
        has_jumped: true,
        has_flipped: false,
        secs_since_jump: 0.0,
        hitbox: Hitbox::Octane,
    }
}

/// A car that has no part in the situation: on the floor between its goal and the ball, about to
/// look where the ball goes.
pub(super) fn bystander(rng: &mut Rng, team: Team, ball_pos: Vec3A) -> CarSetup {
    let own_goal = Vec3A::new(0.0, -4900.0 * team.attack_sign(), 0.0);
    let spot = own_goal.lerp(ball_pos, within(rng, 0.05, 0.75));
    let x = (spot.x + within(rng, -1200.0, 1200.0)).clamp(-3600.0, 3600.0);
    let y = (spot.y + within(rng, -500.0, 500.0)).clamp(-4700.0, 4700.0);
    let towards_ball = Vec3A::new(ball_pos.x - x, ball_pos.y - y, 0.0);
    let forward = Mat3A::from_rotation_z(within(rng, -0.5, 0.5)) * towards_ball;
    on_floor(x, y, forward, within(rng, 0.0, 1400.0), within(rng, 0.0, 100.0))
}

/// A body that does not spin.
pub(super) fn moving(pos: Vec3A, vel: Vec3A) -> Body {
    Body { pos, vel, ang_vel: Vec3A::ZERO }
}

/// A ball that rolls over a surface as fast as it may spin.
pub(super) fn rolling(pos: Vec3A, vel: Vec3A, normal: Vec3A) -> Body {
    let ang_vel = normal.cross(vel) / BALL_RADIUS_UU;
    Body { pos, vel, ang_vel: ang_vel.clamp_length_max(ball::MAX_ANG_SPEED - 0.01) }
}

/// An even draw between two numbers.
pub(super) fn within(rng: &mut Rng, low: f32, high: f32) -> f32 {
    low + (high - low) * rng.random::<f32>()
}

/// −1 or 1.
pub(super) fn either_sign(rng: &mut Rng) -> f32 {
    if rng.random() { 1.0 } else { -1.0 }
}

/// A level unit vector in any direction.
pub(super) fn level_direction(rng: &mut Rng) -> Vec3A {
    let (sin, cos) = within(rng, 0.0, TAU).sin_cos();
    Vec3A::new(cos, sin, 0.0)
}

/// A unit vector in any direction: heights of points of a sphere are evenly spread (Archimedes).
pub(super) fn any_direction(rng: &mut Rng) -> Vec3A {
    let z = within(rng, -1.0, 1.0);
    level_direction(rng) * (1.0 - z * z).sqrt() + Vec3A::Z * z
}

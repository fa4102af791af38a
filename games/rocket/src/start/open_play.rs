//! Situations of open play: anywhere, on the roof, in front of a goal.

use lanista_game::seed::Rng;
use rand::RngExt;
use rocketsim::consts::{ball, car};
use rocketsim::{Mat3A, Vec3A};

use super::draft::{
    ATTACKERS, Draft, Sizes, any_direction, bystander, either_sign, in_air, level_direction,
    moving, on_floor, rolling, within,
};
use super::field::{BACK_WALL_Y_UU, BALL_REST_Z_UU, CEILING_Z_UU, SIDE_WALL_X_UU, facing};
use super::{Body, CarSetup};

/// Ball and cars anywhere. The ball rolls or flies at up to 4000 uu/s, slow more often than fast;
/// half of the cars drive, half fly with any orientation and spin.
pub(super) fn random(rng: &mut Rng, sizes: Sizes) -> Option<Draft> {
    let speed = 4000.0 * within(rng, 0.0, 1.0).powi(2);
    let ball = if rng.random() {
        let pos = anywhere(rng).with_z(BALL_REST_Z_UU);
        rolling(pos, level_direction(rng) * speed, Vec3A::Z)
    } else {
        Body {
            pos: anywhere(rng),
            vel: any_direction(rng) * speed,
            ang_vel: any_direction(rng) * within(rng, 0.0, ball::MAX_ANG_SPEED - 0.01),
        }
    };
    Draft::new(ball).cast(rng, sizes, |rng, _, _| {
        let boost = within(rng, 0.0, 100.0);
        if rng.random() { driving_anywhere(rng, boost) } else { flying_anywhere(rng, boost) }
    })
}

fn anywhere(rng: &mut Rng) -> Vec3A {
    Vec3A::new(
        within(rng, -SIDE_WALL_X_UU, SIDE_WALL_X_UU),
        within(rng, -BACK_WALL_Y_UU, BACK_WALL_Y_UU),
        within(rng, 0.0, CEILING_Z_UU),
    )
}

fn driving_anywhere(rng: &mut Rng, boost: f32) -> CarSetup {
    let spot = anywhere(rng);
    // Backwards at times, but not fast.
    let speed = within(rng, -500.0, car::MAX_SPEED - 1.0);
    on_floor(spot.x, spot.y, level_direction(rng), speed, boost)
}

fn flying_anywhere(rng: &mut Rng, boost: f32) -> CarSetup {
    let body = Body {
        pos: anywhere(rng),
        vel: any_direction(rng) * within(rng, 0.0, car::MAX_SPEED),
        ang_vel: any_direction(rng) * within(rng, 0.0, car::MAX_ANG_SPEED),
    };
    let axes = facing(any_direction(rng), any_direction(rng));
    let has_jumped = rng.random();
    let secs_since_jump = if has_jumped { within(rng, 0.0, 1.5) } else { 0.0 };
    CarSetup { has_jumped, secs_since_jump, ..in_air(body, axes, boost) }
}

/// Every car upside down just above the floor, sliding a little, within 1800 uu of a slow ball.
pub(super) fn turtled(rng: &mut Rng, sizes: Sizes) -> Option<Draft> {
    let x = within(rng, -3000.0, 3000.0);
    let y = within(rng, -4000.0, 4000.0);
    let vel = level_direction(rng) * within(rng, 0.0, 600.0);
    let ball = if rng.random() {
        rolling(Vec3A::new(x, y, BALL_REST_Z_UU), vel, Vec3A::Z)
    } else {
        moving(Vec3A::new(x, y, within(rng, 150.0, 700.0)), vel)
    };
    Draft::new(ball).cast(rng, sizes, |rng, _, _| {
        let around = level_direction(rng) * within(rng, 300.0, 1800.0);
        // An upside-down hitbox reaches 40 uu down, and the tilt adds 10 at most.
        let pos = (ball.pos + around).with_z(within(rng, 52.0, 60.0));
        let tilt = Mat3A::from_rotation_x(within(rng, -0.08, 0.08))
            * Mat3A::from_rotation_y(within(rng, -0.08, 0.08));
        let body = Body {
            pos,
            vel: level_direction(rng) * within(rng, 0.0, 300.0),
            ang_vel: Vec3A::Z * within(rng, -0.5, 0.5),
        };
        let axes = tilt * facing(level_direction(rng), Vec3A::NEG_Z);
        let boost = within(rng, 0.0, 60.0);
        CarSetup { has_jumped: false, ..in_air(body, axes, boost) }
    })
}

/// The ball in front of the defenders' goal, a keeper on the line, an attacker coming in: a shot, a
/// loose ball or a cross.
pub(super) fn goal_line(rng: &mut Rng, sizes: Sizes) -> Option<Draft> {
    let ball = match rng.random_range(0..3) {
        0 => shot(rng),
        1 => loose_ball(rng),
        _ => cross(rng),
    };
    Draft::new(ball).cast(rng, sizes, |rng, team, index| {
        if index > 0 {
            return bystander(rng, team, ball.pos);
        }
        let boost = within(rng, 0.0, 100.0);
        if team != ATTACKERS {
            let (x, y) = (within(rng, -700.0, 700.0), within(rng, 4850.0, 5080.0));
            let to_ball = Vec3A::new(ball.pos.x - x, ball.pos.y - y, 0.0);
            let forward = Mat3A::from_rotation_z(within(rng, -0.8, 0.8)) * to_ball;
            return on_floor(x, y, forward, within(rng, 0.0, 600.0), boost);
        }
        let to_goal = Vec3A::new(-ball.pos.x, BACK_WALL_Y_UU - ball.pos.y, 0.0).normalize_or_zero();
        let behind = Mat3A::from_rotation_z(within(rng, -0.9, 0.9)) * -to_goal;
        let spot = ball.pos + behind * within(rng, 500.0, 1800.0);
        on_floor(spot.x, spot.y, -behind, within(rng, 600.0, 1900.0), boost)
    })
}

/// On its way into the goal.
fn shot(rng: &mut Rng) -> Body {
    let pos = Vec3A::new(
        within(rng, -1500.0, 1500.0),
        within(rng, 3300.0, 4500.0),
        within(rng, BALL_REST_Z_UU, 600.0),
    );
    let target = Vec3A::new(within(rng, -750.0, 750.0), BACK_WALL_Y_UU, within(rng, 120.0, 540.0));
    moving(pos, (target - pos).normalize_or_zero() * within(rng, 800.0, 2600.0))
}

/// Anybody's.
fn loose_ball(rng: &mut Rng) -> Body {
    let pos = Vec3A::new(within(rng, -1100.0, 1100.0), within(rng, 4100.0, 4800.0), BALL_REST_Z_UU);
    let vel = level_direction(rng) * within(rng, 0.0, 400.0);
    if rng.random() {
        rolling(pos, vel, Vec3A::Z)
    } else {
        moving(pos.with_z(within(rng, 150.0, 500.0)), vel)
    }
}

/// From the side across the mouth.
fn cross(rng: &mut Rng) -> Body {
    let side = either_sign(rng);
    let pos = Vec3A::new(
        side * within(rng, 1400.0, 2600.0),
        within(rng, 4200.0, 4750.0),
        within(rng, BALL_REST_Z_UU, 500.0),
    );
    let vel = Vec3A::new(
        -side * within(rng, 700.0, 1700.0),
        within(rng, -250.0, 150.0),
        within(rng, 0.0, 500.0),
    );
    moving(pos, vel)
}

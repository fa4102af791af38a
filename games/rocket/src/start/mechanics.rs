//! Situations around one skill: the wall, the air dribble, the flip reset, the jump challenge.

use lanista_game::seed::Rng;
use rand::RngExt;
use rocketsim::{Mat3A, Vec3A};

use super::draft::{
    ATTACKERS, Draft, Sizes, any_direction, bystander, either_sign, in_air, moving, on_floor,
    rolling, within,
};
use super::field::{BALL_REST_Z_UU, CAR_REST_Z_UU, SIDE_WALL_X_UU, facing};
use super::{Body, CarSetup};

/// The ball climbs a side wall, rolls along it, or is about to. An attacker follows on the floor or
/// on the wall itself.
pub(super) fn wall(rng: &mut Rng, sizes: Sizes) -> Option<Draft> {
    let side = either_sign(rng);
    let normal = Vec3A::X * -side;
    let on_wall = rng.random::<bool>();
    let ball = if on_wall {
        let x = side * (SIDE_WALL_X_UU - BALL_REST_Z_UU);
        let pos = Vec3A::new(x, within(rng, -2400.0, 3000.0), within(rng, 350.0, 1250.0));
        let vel = Vec3A::new(0.0, within(rng, -200.0, 1500.0), within(rng, -100.0, 900.0));
        rolling(pos, vel, normal)
    } else {
        let x = side * within(rng, 2400.0, 3500.0);
        let pos = Vec3A::new(x, within(rng, -2400.0, 2400.0), BALL_REST_Z_UU);
        let vel = Vec3A::new(side * within(rng, 900.0, 1900.0), within(rng, -100.0, 900.0), 0.0);
        rolling(pos, vel, Vec3A::Z)
    };
    let chaser_on_wall = on_wall && rng.random();
    Draft::new(ball).cast(rng, sizes, |rng, team, index| {
        if team != ATTACKERS || index > 0 {
            return bystander(rng, team, ball.pos);
        }
        let boost = within(rng, 20.0, 100.0);
        let speed = within(rng, 700.0, 1900.0);
        if chaser_on_wall {
            let behind_uu = within(rng, 300.0, 1100.0);
            let z = (ball.pos.z - within(rng, -200.0, 500.0)).clamp(350.0, 1300.0);
            let x = side * (SIDE_WALL_X_UU - CAR_REST_Z_UU);
            let pos = Vec3A::new(x, ball.pos.y - behind_uu, z);
            let world_from_car = facing((ball.pos - pos).with_x(0.0), normal);
            let body = moving(pos, world_from_car.x_axis * speed);
            let standing = on_floor(0.0, 0.0, Vec3A::X, 0.0, boost);
            return CarSetup { body, world_from_car, ..standing };
        }
        let inside_uu = within(rng, 500.0, 1600.0);
        let x = side * (ball.pos.x.abs().min(3500.0) - inside_uu);
        let y = ball.pos.y - within(rng, 0.0, 1200.0);
        let forward = Vec3A::new(ball.pos.x - x, ball.pos.y - y, 0.0);
        on_floor(x, y, forward, speed, boost)
    })
}

/// The ball lofted towards the defenders' goal, and an attacker that has just popped up behind and
/// beneath it, keeping up with it, its nose at it, with 60 boost or more.
pub(super) fn air_dribble(rng: &mut Rng, sizes: Sizes) -> Option<Draft> {
    let pos = Vec3A::new(
        within(rng, -2500.0, 2500.0),
        within(rng, -3000.0, 2000.0),
        within(rng, 400.0, 900.0),
    );
    let ahead = towards_goal(rng, pos);
    let vel = ahead * within(rng, 500.0, 1200.0) + Vec3A::Z * within(rng, 250.0, 650.0);
    let ball = moving(pos, vel);
    Draft::new(ball).cast(rng, sizes, |rng, team, index| {
        if team != ATTACKERS || index > 0 {
            return bystander(rng, team, ball.pos);
        }
        let behind_uu = within(rng, 110.0, 240.0);
        let beneath_uu = within(rng, 100.0, 220.0);
        let drift = any_direction(rng) * within(rng, 0.0, 40.0);
        let pos = ball.pos - ahead * behind_uu - Vec3A::Z * beneath_uu + drift;
        let to_ball = (ball.pos - pos).normalize_or_zero();
        let closing = to_ball * within(rng, 30.0, 180.0);
        let body = Body {
            pos,
            vel: ball.vel + closing,
            ang_vel: any_direction(rng) * within(rng, 0.0, 0.5),
        };
        let boost = within(rng, 60.0, 100.0);
        let secs_since_jump = within(rng, 0.1, 0.6);
        CarSetup { secs_since_jump, ..in_air(body, facing(to_ball, Vec3A::Z), boost) }
    })
}

/// The ball high on its way to the defenders' goal, and an attacker beneath it with its wheels
/// towards it, closing in. Its flip is spent: only the ball can give it another one.
pub(super) fn flip_reset(rng: &mut Rng, sizes: Sizes) -> Option<Draft> {
    let pos = Vec3A::new(
        within(rng, -2500.0, 2500.0),
        within(rng, -2500.0, 2500.0),
        within(rng, 900.0, 1450.0),
    );
    let ahead = towards_goal(rng, pos);
    let vel = ahead * within(rng, 600.0, 1300.0) + Vec3A::Z * within(rng, -100.0, 350.0);
    let ball = moving(pos, vel);
    Draft::new(ball).cast(rng, sizes, |rng, team, index| {
        if team != ATTACKERS || index > 0 {
            return bystander(rng, team, ball.pos);
        }
        let beneath_uu = within(rng, 180.0, 380.0);
        let behind_uu = within(rng, 0.0, 0.5) * beneath_uu;
        let aside = ahead.cross(Vec3A::Z) * within(rng, -40.0, 40.0);
        let pos = ball.pos - ahead * behind_uu - Vec3A::Z * beneath_uu + aside;
        let to_ball = (ball.pos - pos).normalize_or_zero();
        let body = Body {
            pos,
            vel: ball.vel + to_ball * within(rng, 120.0, 420.0),
            ang_vel: any_direction(rng) * within(rng, 0.0, 0.4),
        };
        // The roof away from the ball, give or take; the nose ahead, or back.
        let off = any_direction(rng) * within(rng, 0.0, 0.25);
        let roof = (off - to_ball).normalize_or(Vec3A::NEG_Z);
        let nose = if rng.random() { ahead } else { -ahead };
        let forward = nose - roof * nose.dot(roof);
        CarSetup {
            has_flipped: true,
            secs_since_jump: within(rng, 1.0, 2.5),
            ..in_air(body, facing(forward, roof), within(rng, 30.0, 90.0))
        }
    })
}

/// The ball at jump height between two cars that drive at it from either side.
pub(super) fn jump_challenge(rng: &mut Rng, sizes: Sizes) -> Option<Draft> {
    let pos = Vec3A::new(
        within(rng, -2600.0, 2600.0),
        within(rng, -2600.0, 2600.0),
        within(rng, 200.0, 450.0),
    );
    let drift = any_direction(rng).with_z(0.0) * within(rng, 0.0, 400.0);
    let ball = moving(pos, drift + Vec3A::Z * within(rng, -300.0, 450.0));
    // Both come from their own side on one line, as far and as fast as each other up to a little.
    let line = Mat3A::from_rotation_z(within(rng, -0.7, 0.7)) * Vec3A::Y;
    let distance_uu = within(rng, 600.0, 1400.0);
    let speed = within(rng, 600.0, 1700.0);
    Draft::new(ball).cast(rng, sizes, |rng, team, index| {
        if index > 0 {
            return bystander(rng, team, ball.pos);
        }
        let forward = line * team.attack_sign();
        let spot = ball.pos - forward * (distance_uu + within(rng, -120.0, 120.0));
        let speed = speed + within(rng, -150.0, 150.0);
        on_floor(spot.x, spot.y, forward, speed, within(rng, 0.0, 100.0))
    })
}

/// A level direction roughly from a place to the defenders' goal.
fn towards_goal(rng: &mut Rng, pos: Vec3A) -> Vec3A {
    let to_goal = Vec3A::new(-pos.x, 5120.0 - pos.y, 0.0).normalize_or(Vec3A::Y);
    Mat3A::from_rotation_z(within(rng, -0.25, 0.25)) * to_goal
}

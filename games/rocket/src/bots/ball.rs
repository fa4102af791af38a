//! Where the ball is going: flight, bounces off floor, walls, corners and ceiling.
//!
//! Good for a second or two. Spin and the ramps at the foot of the walls are left out.

use rocketsim::Vec3A;
use rocketsim::consts::goal::{SOCCAR_GOAL_DEPTH, SOCCAR_GOAL_HALF_WIDTH, SOCCAR_GOAL_HEIGHT};
use rocketsim::consts::{GRAVITY_Z, ball};

use crate::state::Body;

/// Seconds of one step of the prediction.
pub const STEP_SECS: f32 = 1.0 / 30.0;
/// The height of the ball's centre at rest, uu.
pub const REST_Z: f32 = ball::REST_Z;

const RADIUS: f32 = REST_Z;
const SIDE_X: f32 = 4096.0;
/// How far the back walls are from the centre, uu.
pub const BACK_Y: f32 = 5120.0;
const CEILING_Z: f32 = 2044.0;
/// |x| + |y| in the corners.
const CORNER: f32 = 8064.0;
const RESTITUTION: f32 = 0.6;
/// What a bounce leaves of the speed along the surface.
const GRIP: f32 = 0.97;
/// Below this, a bounce is a roll, uu/s.
const ROLL_SPEED: f32 = 60.0;

/// A ball on its predicted way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flight {
    /// uu
    pub pos: Vec3A,
    /// uu/s
    pub vel: Vec3A,
}

impl Flight {
    /// From where the ball is now.
    pub fn of(ball: &Body) -> Self {
        Self { pos: ball.pos, vel: ball.vel }
    }

    /// Where it will be after some time.
    pub fn after(ball: &Body, secs: f32) -> Self {
        let mut flight = Self::of(ball);
        let steps = (secs / STEP_SECS).clamp(0.0, 300.0) as u32;
        for _ in 0..steps {
            flight.step();
        }
        flight
    }

    /// One [`STEP_SECS`] onwards.
    pub fn step(&mut self) {
        self.vel.z += GRAVITY_Z * STEP_SECS;
        self.vel *= 1.0 - ball::DRAG * STEP_SECS;
        self.pos += self.vel * STEP_SECS;
        self.bounce(Vec3A::Z, self.pos.z);
        self.bounce(Vec3A::NEG_Z, CEILING_Z - self.pos.z);
        let in_goal_mouth =
            self.pos.x.abs() < SOCCAR_GOAL_HALF_WIDTH && self.pos.z < SOCCAR_GOAL_HEIGHT;
        let back = if in_goal_mouth { BACK_Y + SOCCAR_GOAL_DEPTH } else { BACK_Y };
        let inward = Vec3A::new(-self.pos.x.signum(), -self.pos.y.signum(), 0.0);
        self.bounce(Vec3A::new(inward.x, 0.0, 0.0), SIDE_X - self.pos.x.abs());
        self.bounce(Vec3A::new(0.0, inward.y, 0.0), back - self.pos.y.abs());
        let corner = CORNER - self.pos.x.abs() - self.pos.y.abs();
        self.bounce(
            inward * std::f32::consts::FRAC_1_SQRT_2,
            corner * std::f32::consts::FRAC_1_SQRT_2,
        );
    }

    /// Bounces off a surface that is `gap` away against `normal`, when the ball is in it.
    fn bounce(&mut self, normal: Vec3A, gap: f32) {
        if gap >= RADIUS {
            return;
        }
        self.pos += normal * (RADIUS - gap);
        let into = self.vel.dot(normal);
        if into >= 0.0 {
            return;
        }
        let along = self.vel - normal * into;
        self.vel =
            if into > -ROLL_SPEED { along } else { along * GRIP - normal * (into * RESTITUTION) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball(pos: [f32; 3], vel: [f32; 3]) -> Body {
        Body { pos: pos.into(), vel: vel.into(), ang_vel: Vec3A::ZERO }
    }

    #[test]
    fn a_resting_ball_stays() {
        let later = Flight::after(&ball([100.0, -50.0, REST_Z], [0.0; 3]), 3.0);
        assert!((later.pos - Vec3A::new(100.0, -50.0, REST_Z)).length() < 1.0, "{later:?}");
    }

    #[test]
    fn a_falling_ball_bounces_lower() {
        let start = ball([0.0, 0.0, 1000.0], [0.0; 3]);
        // It falls 907 uu in 1.67 s and bounces back to 0.36 of that.
        assert!(Flight::after(&start, 1.5).vel.z < -900.0);
        let top = (0..120)
            .map(|i| Flight::after(&start, 1.8 + i as f32 * STEP_SECS).pos.z)
            .fold(0.0, f32::max);
        assert!((300.0..500.0).contains(&top), "{top}");
    }

    #[test]
    fn walls_turn_it_but_the_goal_lets_it_in() {
        let wide = Flight::after(&ball([2000.0, 4800.0, 300.0], [0.0, 1500.0, 0.0]), 0.5);
        assert!(wide.vel.y < 0.0 && wide.pos.y < BACK_Y, "{wide:?}");
        let shot = Flight::after(&ball([200.0, 4800.0, 300.0], [0.0, 1500.0, 0.0]), 0.4);
        assert!(shot.vel.y > 0.0 && shot.pos.y > BACK_Y, "{shot:?}");
        let corner = Flight::after(&ball([3700.0, 3900.0, 500.0], [900.0, 900.0, 0.0]), 0.6);
        assert!(corner.vel.x < 0.0 && corner.vel.y < 0.0, "{corner:?}");
    }
}

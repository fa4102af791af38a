//! Is a ball on its way into a goal? Shots and saves follow from the answer before and after a touch.

use crate::state::{Body, Team};

/// Back walls, uu from the centre (RocketSim's soccar arena).
const BACK_WALL_Y: f32 = 5120.0;
/// Half the width of a goal, uu.
const GOAL_HALF_WIDTH: f32 = 892.755;
/// Height of a goal, uu.
const GOAL_HEIGHT: f32 = 642.775;
/// uu
const BALL_RADIUS: f32 = 91.25;
/// uu/s²
const GRAVITY: f32 = 650.0;
/// A ball that needs longer than this is not a shot.
const HORIZON_SECS: f32 = 4.0;
/// Share of the vertical speed that a bounce off the floor keeps.
const RESTITUTION: f32 = 0.6;

/// The team whose goal the ball flies into if nobody touches it: a straight line in the plane, a
/// parabola with bounces off the floor above it. Walls are not followed: a bank shot is no shot.
pub fn goal_ahead(ball: &Body) -> Option<Team> {
    let speed_y = ball.vel.y;
    if speed_y.abs() < 1.0 {
        return None;
    }
    let side = speed_y.signum();
    let secs = (side * BACK_WALL_Y - ball.pos.y) / speed_y;
    if !(0.0..HORIZON_SECS).contains(&secs) {
        return None;
    }
    let x = ball.pos.x + ball.vel.x * secs;
    if x.abs() > GOAL_HALF_WIDTH - BALL_RADIUS {
        return None;
    }
    let height = height_after(ball.pos.z, ball.vel.z, secs);
    if height > GOAL_HEIGHT - BALL_RADIUS {
        return None;
    }
    Some(if side > 0.0 { Team::Orange } else { Team::Blue })
}

/// Height of a bouncing ball after so many seconds.
fn height_after(mut z: f32, mut speed: f32, mut secs: f32) -> f32 {
    // A few bounces; after them the ball rolls.
    for _ in 0..4 {
        let drop = (z - BALL_RADIUS).max(0.0);
        // The later root of z + speed t − g t²/2 = radius.
        let landing = (speed + (speed * speed + 2.0 * GRAVITY * drop).sqrt()) / GRAVITY;
        if secs <= landing {
            return z + speed * secs - 0.5 * GRAVITY * secs * secs;
        }
        secs -= landing;
        speed = (GRAVITY * landing - speed) * RESTITUTION;
        z = BALL_RADIUS;
    }
    BALL_RADIUS
}

#[cfg(test)]
mod tests {
    use super::*;
    use rocketsim::Vec3A;

    fn ball(pos: [f32; 3], vel: [f32; 3]) -> Body {
        Body { pos: Vec3A::from_array(pos), vel: Vec3A::from_array(vel), ang_vel: Vec3A::ZERO }
    }

    #[test]
    fn straight_shots_are_seen_and_misses_are_not() {
        let at = |pos, vel| goal_ahead(&ball(pos, vel));
        assert_eq!(at([0.0, 3000.0, 93.0], [0.0, 2000.0, 0.0]), Some(Team::Orange));
        assert_eq!(at([0.0, -3000.0, 93.0], [0.0, -2000.0, 0.0]), Some(Team::Blue));
        assert_eq!(at([2000.0, 3000.0, 93.0], [0.0, 2000.0, 0.0]), None, "wide");
        assert_eq!(at([2000.0, 3000.0, 93.0], [-1800.0, 2000.0, 0.0]), Some(Team::Orange));
        assert_eq!(at([0.0, 4500.0, 900.0], [0.0, 3000.0, 0.0]), None, "over the bar");
        assert_eq!(at([0.0, 0.0, 93.0], [0.0, 500.0, 0.0]), None, "too slow");
        assert_eq!(at([0.0, 0.0, 93.0], [0.0, 0.0, 0.0]), None, "at rest");
    }

    #[test]
    fn a_lob_that_lands_in_front_bounces_on() {
        // Falls from 500 uu while it travels 3000 uu in 1.5 s: it has bounced by then.
        let shot = ball([0.0, 2120.0, 500.0], [0.0, 2000.0, 0.0]);
        assert_eq!(goal_ahead(&shot), Some(Team::Orange));
        let z = height_after(500.0, 0.0, 1.5);
        assert!((BALL_RADIUS..500.0).contains(&z), "{z}");
    }
}

//! Driving on wheels: towards a point, at a speed, and the flips that start there.

use rocketsim::Vec3A;

use super::Wish;
use crate::state::Car;

/// As fast as a car gets on throttle alone, uu/s.
pub const THROTTLE_SPEED: f32 = 1410.0;
/// As fast as a car gets, uu/s.
pub const MAX_SPEED: f32 = 2300.0;
/// Angles to the target within this are left alone, rad: one step of steering turns further.
const STEER_DEAD_RAD: f32 = 0.06;
/// Boost is for cars that point at their target within this, rad.
const BOOST_RAD: f32 = 0.25;
/// Turns sharper than this are slid through, rad.
const HANDBRAKE_RAD: f32 = 1.3;

/// The angle from the bonnet to a point, positive to the right, in the plane of the wheels.
pub fn angle_to(car: &Car, target: Vec3A) -> f32 {
    let local = car.car_from_world(target - car.body.pos);
    local.y.atan2(local.x)
}

/// Speed along the bonnet, uu/s; negative in reverse.
pub fn forward_speed(car: &Car) -> f32 {
    car.body.vel.dot(car.forward())
}

/// The tightest circle at a speed, uu. Fitted to the steering curve of the engine.
pub fn turn_radius(speed: f32) -> f32 {
    let speed = speed.abs();
    if speed < 500.0 {
        145.0 + speed * 0.21
    } else if speed < 1500.0 {
        250.0 + (speed - 500.0) * 0.48
    } else {
        730.0 + (speed - 1500.0) * 0.51
    }
}

/// Drives towards a point and would pass it at `speed`. Boost burns only for speeds that need it.
pub fn toward(car: &Car, target: Vec3A, speed: f32) -> Wish {
    let target = if car.up().z < 0.7 { off_the_wall(car, target) } else { target };
    let angle = angle_to(car, target);
    let now = forward_speed(car);
    // Where the bonnet will point when this choice takes hold.
    let coming = angle - 0.03 * car.body.ang_vel.dot(car.up());
    let steer = if coming.abs() < STEER_DEAD_RAD { 0.0 } else { coming.signum() };

    let dist = (target - car.body.pos).length();
    // A point inside the turning circle is never reached at this speed.
    let too_tight = dist < 2.0 * turn_radius(now) * angle.sin().abs()
        || (angle.abs() > 1.6 && dist < 2.0 * turn_radius(now));
    let speed = if too_tight { speed.min(500.0) } else { speed };

    let throttle = if now < speed {
        1.0
    } else if now > speed + 250.0 {
        -1.0
    } else {
        0.0
    };
    let mut wish = Wish::drive(throttle, steer);
    wish.handbrake = angle.abs() > HANDBRAKE_RAD && now > 350.0 && car.on_ground;
    wish.boost = throttle > 0.0
        && speed > THROTTLE_SPEED
        && now < speed.min(MAX_SPEED - 30.0)
        && angle.abs() < BOOST_RAD
        && car.boost > 0.0;
    wish
}

/// A point on the wall's own plane that brings the car down and towards its target.
fn off_the_wall(car: &Car, target: Vec3A) -> Vec3A {
    let to = target - car.body.pos;
    let along = to - car.up() * to.dot(car.up());
    let down = Vec3A::NEG_Z * (0.6 * along.length() + 500.0);
    car.body.pos + along + down
}

/// A jump with a flip or a second jump after it, played over several choices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Flip {
    phase: Phase,
    since_tick: u64,
    hold_ticks: u64,
    pitch: f32,
    roll: f32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Phase {
    #[default]
    None,
    Jump,
    Release,
    Flip,
}

/// How long the button is up before the flip, ticks.
const RELEASE_TICKS: u64 = 4;
/// How long the flip's direction is held, ticks.
const FLIP_TICKS: u64 = 8;

impl Flip {
    /// Starts: the jump is held for `hold_ticks`, then the car flips towards `angle` (radians to
    /// the right of its bonnet).
    pub fn start(&mut self, tick: u64, hold_ticks: u64, angle: f32) {
        // The table knows eight directions.
        let (sin, cos) = angle.sin_cos();
        let round = |v: f32| if v.abs() < 0.38 { 0.0 } else { v.signum() };
        *self = Self {
            phase: Phase::Jump,
            since_tick: tick,
            hold_ticks,
            pitch: -round(cos),
            roll: round(sin),
        };
    }

    /// The wish of a flip under way.
    pub fn wish(&mut self, car: &Car, tick: u64) -> Option<Wish> {
        let elapsed = tick.saturating_sub(self.since_tick);
        let next = match self.phase {
            Phase::None => return None,
            Phase::Jump if elapsed >= self.hold_ticks => Phase::Release,
            // Still on the ground: the jump did not happen.
            Phase::Release if elapsed >= RELEASE_TICKS => {
                if car.on_ground || !car.has_flip {
                    Phase::None
                } else {
                    Phase::Flip
                }
            }
            Phase::Flip if elapsed >= FLIP_TICKS => Phase::None,
            same => same,
        };
        if next != self.phase {
            self.phase = next;
            self.since_tick = tick;
        }
        match self.phase {
            Phase::None => None,
            Phase::Jump => Some(Wish { jump: true, ..Wish::neutral() }),
            Phase::Release => Some(Wish::neutral()),
            Phase::Flip => {
                let wish = Wish::turn(self.pitch, 0.0, self.roll);
                Some(Wish { jump: true, handbrake: true, ..wish })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots::scenes::car;
    use crate::state::Team;

    #[test]
    fn it_steers_towards_its_target() {
        let car = car(Team::Blue, 0.0, 0.0, 0.0);
        let right = toward(&car, Vec3A::new(2000.0, 1500.0, 0.0), MAX_SPEED);
        assert_eq!((right.throttle, right.steer, right.boost), (1.0, 1.0, false));
        let left = toward(&car, Vec3A::new(2000.0, -1500.0, 0.0), MAX_SPEED);
        assert_eq!(left.steer, -1.0);
        let ahead = toward(&car, Vec3A::new(3000.0, 0.0, 0.0), MAX_SPEED);
        assert_eq!((ahead.steer, ahead.boost), (0.0, true));
        let slow = toward(&car, Vec3A::new(3000.0, 0.0, 0.0), 1000.0);
        assert!(!slow.boost);
    }

    #[test]
    fn it_slides_round_and_brakes() {
        let mut car = car(Team::Blue, 0.0, 0.0, 0.0);
        car.body.vel.x = 1300.0;
        let behind = toward(&car, Vec3A::new(-3000.0, 100.0, 0.0), MAX_SPEED);
        assert!(behind.handbrake && behind.steer == 1.0);
        let brake = toward(&car, Vec3A::new(300.0, 0.0, 0.0), 200.0);
        assert_eq!(brake.throttle, -1.0);
    }

    #[test]
    fn a_flip_presses_releases_and_presses_again() {
        let mut car = car(Team::Blue, 0.0, 0.0, 0.0);
        let mut flip = Flip::default();
        assert_eq!(flip.wish(&car, 0), None);
        flip.start(0, 6, 0.1);
        let mut presses = vec![];
        for tick in (0..48).step_by(8) {
            presses.push(flip.wish(&car, tick).map(|w| (w.jump, w.pitch)));
            car.on_ground = false;
        }
        let expected =
            [Some((true, 0.0)), Some((false, 0.0)), Some((true, -1.0)), None, None, None];
        assert_eq!(
            presses.iter().map(|p| p.map(|(j, p)| (j, p + 0.0))).collect::<Vec<_>>(),
            expected
        );
    }
}

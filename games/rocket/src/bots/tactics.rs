//! What a player has to judge before it drives: who reaches the ball first and where, which boost
//! is worth a detour, and how to get out of a corner.

use rocketsim::Vec3A;

use super::ball::{BACK_Y, Flight, STEP_SECS};
use super::{BotMemory, Wish, drive};
use crate::pads::{BIG_PADS, PAD_IS_BIG, PAD_POSITIONS};
use crate::state::{Car, MAX_TEAM, State};

/// How far ahead meetings with the ball are looked for, in steps of the prediction.
const HORIZON_STEPS: u32 = 120;
/// Balls above this are out of reach of a jump, uu.
const REACH_Z: f32 = 300.0;
/// How far from the ball's centre a car's centre is when they touch, uu.
const TOUCH_UU: f32 = 150.0;
/// A car that stands still for so long although it drives is stuck, ticks.
const STUCK_TICKS: u64 = 80;
/// How long it then backs out, ticks.
const REVERSE_TICKS: u64 = 72;

/// Where and when a car can first meet the ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// The ball then.
    pub ball: Flight,
    /// Seconds from now.
    pub secs: f32,
}

/// The first meeting of every car with the ball, in the order of the cars. Cars that cannot get
/// there in four seconds get the ball's place at that time.
pub fn meetings(state: &State) -> [Meeting; 2 * MAX_TEAM] {
    let mut ball = Flight::of(&state.ball);
    let last = Meeting { ball, secs: HORIZON_STEPS as f32 * STEP_SECS };
    let mut found = [last; 2 * MAX_TEAM];
    let mut open = [false; 2 * MAX_TEAM];
    let mut runs = [Run::default(); 2 * MAX_TEAM];
    for (at, car) in state.cars.iter().enumerate().take(2 * MAX_TEAM) {
        open[at] = !car.demolished;
        runs[at] = Run::of(car, state.ball.pos);
    }
    for step in 0..HORIZON_STEPS {
        for (at, car) in state.cars.iter().enumerate().take(2 * MAX_TEAM) {
            if !open[at] {
                continue;
            }
            if ball.pos.z < REACH_Z && runs[at].reaches(car, ball.pos) {
                found[at] = Meeting { ball, secs: step as f32 * STEP_SECS };
                open[at] = false;
            }
            runs[at].step();
        }
        if open == [false; 2 * MAX_TEAM] {
            break;
        }
        ball.step();
    }
    for (meeting, open) in found.iter_mut().zip(open) {
        if open {
            meeting.ball = ball;
        }
    }
    found
}

/// How far a car gets at full throttle and boost.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    speed: f32,
    boost_secs: f32,
    covered: f32,
}

impl Run {
    fn of(car: &Car, target: Vec3A) -> Self {
        let to = flat(target - car.body.pos).normalize_or_zero();
        Self { speed: car.body.vel.dot(to).max(0.0), boost_secs: car.boost / 33.3, covered: 0.0 }
    }

    fn step(&mut self) {
        // The engine's torque curve: 1600 uu/s² at rest, a tenth of that at 1400 uu/s.
        let throttle = if self.speed < drive::THROTTLE_SPEED {
            1600.0 * (1.0 - 0.9 * self.speed / 1400.0).max(0.0)
        } else {
            0.0
        };
        let boost = if self.boost_secs > 0.0 { 991.0 } else { 0.0 };
        self.boost_secs -= STEP_SECS;
        self.speed = (self.speed + (throttle + boost) * STEP_SECS).min(drive::MAX_SPEED);
        self.covered += self.speed * STEP_SECS;
    }

    fn reaches(&self, car: &Car, target: Vec3A) -> bool {
        let to = flat(target - car.body.pos);
        let turn = drive::angle_to(car, target).abs();
        // Turning costs time, about a third of a second per radian, and a car in the air waits.
        let lost_secs = 0.35 * (turn - 0.2).max(0.0) + if car.on_ground { 0.0 } else { 0.3 };
        self.covered >= to.length() - TOUCH_UU + lost_secs * self.speed.max(800.0)
    }
}

/// The best pad to refill at on the way to `after`, if one is up and not too far.
pub fn refill(state: &State, me: &Car, after: Vec3A, longest_uu: f32) -> Option<Vec3A> {
    let mut best = (longest_uu, None);
    for pad in BIG_PADS {
        let pos = flat(PAD_POSITIONS[pad]);
        let way = flat(pos - me.body.pos).length();
        // Up by the time the car gets there.
        if state.pad_secs[pad] > way / 1500.0 {
            continue;
        }
        let cost = way + 0.5 * flat(after - pos).length();
        if cost < best.0 {
            best = (cost, Some(pos));
        }
    }
    best.1
}

/// A small pad just beside the way to `target`, or the target itself.
pub fn over_a_pad(state: &State, me: &Car, target: Vec3A) -> Vec3A {
    let way = flat(target - me.body.pos);
    let length = way.length();
    if me.boost > 85.0 || length < 900.0 {
        return target;
    }
    let along = way / length;
    let mut best = (f32::INFINITY, target);
    for (pad, &place) in PAD_POSITIONS.iter().enumerate() {
        let to = flat(place - me.body.pos);
        let ahead = to.dot(along);
        let beside = (to - along * ahead).length();
        let allowed = if PAD_IS_BIG[pad] { 0.35 } else { 0.22 } * ahead;
        let in_sight = ahead > 300.0 && ahead < length - 400.0 && beside < allowed;
        if in_sight && state.pad_secs[pad] <= 0.0 && ahead < best.0 {
            best = (ahead, flat(place));
        }
    }
    best.1
}

/// Where to go first from inside a goal: its mouth, when the target lies outside.
pub fn out_of_the_goal(me: &Car, target: Vec3A) -> Vec3A {
    let side = me.body.pos.y.signum();
    let inside = me.body.pos.y * side > BACK_Y - 20.0;
    if inside && target.y * side < BACK_Y {
        return Vec3A::new(target.x.clamp(-600.0, 600.0), side * (BACK_Y - 250.0), 0.0);
    }
    // And into one: through the mouth as well.
    if target.y.abs() > BACK_Y && me.body.pos.x.abs() > 750.0 && !inside {
        return Vec3A::new(target.x.clamp(-600.0, 600.0), target.y.signum() * 4900.0, 0.0);
    }
    target
}

/// Backs out when the car has wanted to drive but has not moved for a while.
pub fn unstick(me: &Car, memory: &mut BotMemory, tick: u64, wish: Wish) -> Wish {
    if tick < memory.reverse_until_tick {
        return Wish::drive(-1.0, -wish.steer);
    }
    let stuck = me.on_ground && wish.throttle != 0.0 && me.body.vel.length() < 60.0;
    let since = match (stuck, memory.stuck_since_tick) {
        (false, _) => None,
        (true, Some(since)) => Some(since),
        (true, None) => Some(tick),
    };
    memory.stuck_since_tick = since;
    if since.is_some_and(|since| tick.saturating_sub(since) >= STUCK_TICKS) {
        memory.stuck_since_tick = None;
        memory.reverse_until_tick = tick + REVERSE_TICKS;
        return Wish::drive(-1.0, -wish.steer);
    }
    wish
}

/// Without its height.
pub fn flat(v: Vec3A) -> Vec3A {
    Vec3A::new(v.x, v.y, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots::scenes;
    use crate::state::Team;
    use std::f32::consts::FRAC_PI_2;

    #[test]
    fn the_nearer_car_that_faces_the_ball_is_first() {
        let state = scenes::with_ball(
            0.0,
            0.0,
            vec![
                scenes::car(Team::Blue, 0.0, -2000.0, FRAC_PI_2),
                scenes::car(Team::Blue, 0.0, -2000.0, -FRAC_PI_2),
                scenes::car(Team::Orange, 0.0, 4000.0, -FRAC_PI_2),
            ],
        );
        let [a, b, c, ..] = meetings(&state);
        assert!(a.secs < b.secs && a.secs < c.secs, "{a:?} {b:?} {c:?}");
        // 1850 uu from rest with a second of boost.
        assert!((1.2..2.0).contains(&a.secs), "{a:?}");
    }

    #[test]
    fn a_rolling_ball_is_met_ahead() {
        let mut state =
            scenes::with_ball(0.0, 0.0, vec![scenes::car(Team::Blue, 2500.0, 0.0, FRAC_PI_2)]);
        state.ball.vel.y = 1000.0;
        let [meeting, ..] = meetings(&state);
        assert!(meeting.ball.pos.y > 1000.0, "{meeting:?}");
    }

    #[test]
    fn empty_pads_are_no_use() {
        let mut state =
            scenes::with_ball(0.0, 0.0, vec![scenes::car(Team::Blue, 3000.0, 100.0, 0.0)]);
        let me = state.cars[0];
        assert_eq!(refill(&state, &me, Vec3A::ZERO, 5000.0), Some(Vec3A::new(3584.0, 0.0, 0.0)));
        state.pad_secs[18] = 9.0;
        let other = refill(&state, &me, Vec3A::ZERO, 9000.0);
        assert!(other.is_some_and(|p| p.y.abs() > 4000.0), "{other:?}");
        assert_eq!(refill(&state, &me, Vec3A::ZERO, 2000.0), None);
    }

    #[test]
    fn a_stuck_car_backs_out() {
        let car = scenes::car(Team::Blue, 0.0, 0.0, 0.0);
        let mut memory = BotMemory::default();
        let forward = Wish::drive(1.0, 1.0);
        let throttle: Vec<f32> =
            (0..30).map(|step| unstick(&car, &mut memory, step * 8, forward).throttle).collect();
        assert_eq!(throttle[0], 1.0);
        assert!(throttle[10..18].iter().all(|&t| t == -1.0), "{throttle:?}");
    }

    #[test]
    fn the_way_out_of_a_goal_is_its_mouth() {
        let car = scenes::car(Team::Blue, 800.0, -5500.0, 0.0);
        let way = out_of_the_goal(&car, Vec3A::new(3000.0, -4000.0, 0.0));
        assert!(way.x.abs() <= 600.0 && way.y > -5000.0, "{way}");
    }
}

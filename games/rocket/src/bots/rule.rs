//! A player that knows the rules of thumb, for any size of team.
//!
//! The car of a team that can meet the ball first attacks: it comes at the ball from its own side,
//! on the line to the opponents' goal, and flips into it. The others keep between the ball and
//! their goal, one behind the other, and refill.

use rocketsim::Vec3A;

use super::ball::{BACK_Y, Flight, REST_Z};
use super::tactics::{Meeting, flat, meetings, out_of_the_goal, over_a_pad, refill, unstick};
use super::{BotMemory, Wish, drive, recover};
use crate::state::{Car, State};

/// Ball and half a car: where the car's centre is when its bonnet meets the ball, uu.
const CONTACT_UU: f32 = 150.0;
/// Shots aim no further from the middle of the goal than this, uu.
const AIM_HALF_WIDTH: f32 = 650.0;
/// A jump is held so long for a low flip and for a high one, ticks.
const LOW_JUMP_TICKS: u64 = 6;
const HIGH_JUMP_TICKS: u64 = 22;
/// From the start of a flip to its strongest moment, s.
const FLIP_SECS: f32 = 0.28;

/// What the player would do now.
pub fn wish(state: &State, car: usize, memory: &mut BotMemory) -> Wish {
    let me = &state.cars[car];
    if me.demolished {
        *memory = BotMemory::default();
        return Wish::neutral();
    }
    if let Some(wish) = memory.flip.wish(me, state.tick) {
        return wish;
    }
    if let Some(wish) = recover::wish(me, state.ball.pos) {
        return wish;
    }
    let scene = Scene::of(state, car);
    let wish = if scene.kickoff() {
        scene.take_kickoff(memory)
    } else if scene.place == 0 {
        scene.attack(memory)
    } else {
        scene.support(memory)
    };
    unstick(me, memory, state.tick, wish)
}

/// The match as one car sees it.
struct Scene<'a> {
    state: &'a State,
    me: &'a Car,
    /// Its first chance to touch the ball.
    meeting: Meeting,
    /// Seconds until an opponent can.
    opponent_secs: f32,
    /// How many teammates are better placed to attack.
    place: usize,
    /// How many whole cars the team has.
    team: usize,
    /// +1 where the team attacks.
    sign: f32,
}

impl<'a> Scene<'a> {
    fn of(state: &'a State, car: usize) -> Self {
        let me = &state.cars[car];
        let sign = me.team.attack_sign();
        let meetings = meetings(state);
        let mine = delay(state, car, &meetings[car]);
        let (mut place, mut team, mut opponent_secs) = (0, 1, f32::INFINITY);
        for (other, theirs) in state.cars.iter().enumerate() {
            if other == car || theirs.demolished {
                continue;
            }
            if theirs.team != me.team {
                opponent_secs = opponent_secs.min(meetings[other].secs);
                continue;
            }
            team += 1;
            let their_delay = delay(state, other, &meetings[other]);
            if (their_delay, other) < (mine, car) {
                place += 1;
            }
        }
        Self { state, me, meeting: meetings[car], opponent_secs, place, team, sign }
    }

    fn own_goal(&self) -> Vec3A {
        Vec3A::new(0.0, -self.sign * BACK_Y, 0.0)
    }

    /// How far towards the opponents' goal, uu.
    fn ahead(&self, v: Vec3A) -> f32 {
        v.y * self.sign
    }

    fn go(&self, target: Vec3A, speed: f32) -> Wish {
        drive::toward(self.me, out_of_the_goal(self.me, target), speed)
    }

    /// The same, with a flip for speed on long straight ways once the tank is empty. There is no
    /// steering before the landing, so `free_secs` must not need any.
    fn run(&self, memory: &mut BotMemory, target: Vec3A, speed: f32, free_secs: f32) -> Wish {
        let wish = self.go(target, speed);
        let now = drive::forward_speed(self.me);
        let quick = now > 900.0 && now < 1700.0 && speed > now + 400.0;
        let straight = wish.steer == 0.0 && self.me.body.ang_vel.length() < 0.5;
        let way = flat(target - self.me.body.pos).length();
        let level = self.me.up().z > 0.98;
        if quick && straight && level && !wish.boost && free_secs > 1.5 && way > 2200.0 {
            return self.flip(memory, LOW_JUMP_TICKS, 0.0);
        }
        wish
    }

    /// Starts a flip.
    fn flip(&self, memory: &mut BotMemory, hold_ticks: u64, angle: f32) -> Wish {
        memory.flip.start(self.state.tick, hold_ticks, angle);
        memory.flip.wish(self.me, self.state.tick).unwrap_or_default()
    }

    fn kickoff(&self) -> bool {
        let ball = &self.state.ball;
        flat(ball.pos).length() < 5.0 && ball.vel.length() < 5.0
    }

    /// The best placed car races to the ball; the next one follows halfway, the last one waits.
    fn take_kickoff(&self, memory: &mut BotMemory) -> Wish {
        if self.place > 0 {
            let back = if self.place + 1 < self.team { 2200.0 } else { 4000.0 };
            let post = Vec3A::new(0.3 * self.me.body.pos.x, -self.sign * back, 0.0);
            if flat(post - self.me.body.pos).length() < 400.0 {
                return self.hold();
            }
            return self.go(post, 1000.0);
        }
        let to = flat(self.state.ball.pos - self.me.body.pos);
        let dist = to.length();
        // A little to the own side, so that the ball goes forward.
        let target = self.state.ball.pos - Vec3A::new(0.0, self.sign * 60.0, 0.0);
        let speed = drive::forward_speed(self.me);
        let angle = drive::angle_to(self.me, target);
        let closing = (dist - CONTACT_UU) / speed.max(1.0);
        if closing < FLIP_SECS && angle.abs() < 0.5 {
            return self.flip(memory, LOW_JUMP_TICKS, angle);
        }
        let target = if dist > 1200.0 { over_a_pad(self.state, self.me, target) } else { target };
        self.go(target, drive::MAX_SPEED)
    }

    fn attack(&self, memory: &mut BotMemory) -> Wish {
        let ball = flat(self.meeting.ball.pos);
        let pos = flat(self.me.body.pos);
        let to = ball - pos;
        let dist = to.length();
        let line = to.normalize_or(flat(self.me.forward()));
        let shot = self.shot(pos, ball);
        let straight = line.dot(shot);

        if let Some(wish) = self.shadow(ball) {
            return wish;
        }
        if let Some(wish) = self.refill_first(ball) {
            return wish;
        }
        // Past the ball: a touch now would go towards the own goal.
        if self.ahead(pos - ball) > -80.0 && straight < 0.3 {
            return self.get_behind(ball, pos);
        }
        if let Some((hold_ticks, angle)) = self.strike(shot) {
            return self.flip(memory, hold_ticks, angle);
        }
        // Far from the own goal the line has to be good; near it any way out will do.
        let own_half = self.ahead(ball) < -1500.0;
        let needed = if own_half { 0.5 } else { 0.9 };
        let target = if straight > needed {
            ball - shot * (CONTACT_UU - 60.0)
        } else {
            // The further round, the longer the run-up.
            let run_up = (dist * 0.45 * (1.0 - straight).clamp(0.2, 1.0)).clamp(150.0, 1400.0);
            ball - shot * run_up
        };
        let bounces = self.meeting.ball.pos.z > REST_Z + 40.0;
        let speed = if bounces && self.meeting.secs > 0.1 && straight > needed {
            // Not there before the ball comes down.
            (flat(target - pos).length() / self.meeting.secs * 1.15).clamp(700.0, drive::MAX_SPEED)
        } else {
            drive::MAX_SPEED
        };
        let target = inside_the_field(target);
        let target = if dist > 1500.0 { over_a_pad(self.state, self.me, target) } else { target };
        self.run(memory, target, speed, self.meeting.secs)
    }

    /// The direction in which the ball should go: where it would go anyway if that is in the goal.
    fn shot(&self, pos: Vec3A, ball: Vec3A) -> Vec3A {
        let goal_y = self.sign * BACK_Y;
        let to = ball - pos;
        let natural =
            if to.y * self.sign > 1.0 { ball.x + to.x * (goal_y - ball.y) / to.y } else { 0.0 };
        // From beside the goal there is no shot, only a pass to the middle.
        if self.ahead(ball) > 4000.0 && ball.x.abs() > 1100.0 {
            let middle = Vec3A::new(0.0, self.sign * 3600.0, 0.0);
            return (middle - ball).normalize_or_zero();
        }
        let aim = Vec3A::new(natural.clamp(-AIM_HALF_WIDTH, AIM_HALF_WIDTH), goal_y, 0.0);
        (aim - ball).normalize_or(Vec3A::new(0.0, self.sign, 0.0))
    }

    /// Round the ball, on the side where the car already is.
    fn get_behind(&self, ball: Vec3A, pos: Vec3A) -> Wish {
        let side = if pos.x < ball.x { -1.0 } else { 1.0 };
        // Along a wall there is only one way round.
        let side = if ball.x.abs() > 3300.0 { -ball.x.signum() } else { side };
        let back = Vec3A::new(0.0, -self.sign * 900.0, 0.0);
        let mut target = ball + back + Vec3A::new(side * 450.0, 0.0, 0.0);
        // Close by, first get clear of it sideways.
        if (pos.x - ball.x).abs() < 250.0 && self.ahead(pos - ball) > 0.0 {
            target = ball + Vec3A::new(side * 500.0, -self.sign * 100.0, 0.0);
        }
        self.go(inside_the_field(target), drive::MAX_SPEED)
    }

    /// How long to jump and where to flip, when that would meet the ball in a good direction.
    fn strike(&self, shot: Vec3A) -> Option<(u64, f32)> {
        let me = self.me;
        if me.up().z < 0.9 || !me.has_flip {
            return None;
        }
        let ball = &self.state.ball;
        let low = Flight::after(ball, FLIP_SECS);
        let (soon, secs, hold) = if low.pos.z < 190.0 {
            (low, FLIP_SECS, LOW_JUMP_TICKS)
        } else {
            let secs = FLIP_SECS + 0.13;
            (Flight::after(ball, secs), secs, HIGH_JUMP_TICKS)
        };
        if soon.pos.z > REST_Z + 230.0 {
            return None;
        }
        // The flip itself adds speed in its last third.
        let then = me.body.pos + me.body.vel * secs + me.forward() * 60.0;
        let gap = flat(soon.pos - then);
        let angle = drive::angle_to(me, soon.pos);
        let hit = flat(soon.pos - me.body.pos).normalize_or_zero();
        let fast = drive::forward_speed(me) > 500.0;
        let meets = fast && gap.length() < CONTACT_UU + 40.0 && angle.abs() < 0.5;
        let good = hit.dot(shot) > 0.75 && flat(me.body.vel).normalize_or_zero().dot(shot) > 0.5;
        (meets && good).then_some((hold, angle))
    }

    /// A car alone that is past a ball which an opponent gets first does not turn after it: it drops
    /// back between the ball and its goal.
    fn shadow(&self, ball: Vec3A) -> Option<Wish> {
        let behind = self.ahead(self.me.body.pos - ball) < -300.0;
        let lost = self.opponent_secs + 0.6 < self.meeting.secs;
        if self.team > 1 || behind || !lost {
            return None;
        }
        let post = ball + (self.own_goal() - ball) * 0.6;
        Some(self.go(post, drive::MAX_SPEED))
    }

    /// With an empty tank and time to spare.
    fn refill_first(&self, ball: Vec3A) -> Option<Wish> {
        let time = self.opponent_secs > self.meeting.secs + 1.0 || self.ahead(ball) > 2000.0;
        if self.me.boost > 15.0 || !time || self.meeting.secs < 1.5 || self.ahead(ball) < -1000.0 {
            return None;
        }
        let pad = refill(self.state, self.me, ball, 3500.0)?;
        Some(self.go(pad, drive::MAX_SPEED))
    }

    /// Between the ball and the own goal, in depth by place, with a full tank.
    fn support(&self, memory: &mut BotMemory) -> Wish {
        let ball = flat(self.state.ball.pos);
        let last = self.place + 1 == self.team;
        let danger = self.ahead(ball) < -2000.0;
        if self.me.boost < 50.0 && !(danger && last) {
            let longest = if last { 3500.0 } else { 6000.0 };
            if let Some(pad) = refill(self.state, self.me, ball, longest) {
                return self.go(pad, drive::MAX_SPEED);
            }
        }
        let share = if last { 0.6 } else { 0.35 };
        let mut post = ball + (self.own_goal() - ball) * share;
        // Far enough back to see a lost ball coming.
        let nearest = ball.y - self.sign * 1500.0;
        post.y = if self.sign > 0.0 { post.y.min(nearest) } else { post.y.max(nearest) };
        post.y = post.y.clamp(-4800.0, 4800.0);
        let dist = flat(post - self.me.body.pos).length();
        if dist < 500.0 {
            return self.hold();
        }
        let target = over_a_pad(self.state, self.me, post);
        self.run(memory, target, (dist * 1.2).clamp(600.0, 1400.0), dist / 1400.0)
    }

    /// Stands, or turns on the spot until it faces the ball.
    fn hold(&self) -> Wish {
        let angle = drive::angle_to(self.me, self.state.ball.pos);
        let speed = drive::forward_speed(self.me);
        if angle.abs() > 0.5 {
            return drive::toward(self.me, self.state.ball.pos, 500.0);
        }
        Wish::drive(if speed > 150.0 { -1.0 } else { 0.0 }, 0.0)
    }
}

/// How badly placed a car is to attack, in seconds.
fn delay(state: &State, car: usize, meeting: &Meeting) -> f32 {
    let me = &state.cars[car];
    let ahead = (me.body.pos.y - meeting.ball.pos.y) * me.team.attack_sign();
    meeting.secs + if ahead > 0.0 { 1.0 } else { 0.0 }
}

/// Run-ups end at the walls.
fn inside_the_field(target: Vec3A) -> Vec3A {
    let mouth = target.x.abs() < 700.0;
    let back = if mouth { 5500.0 } else { 4950.0 };
    Vec3A::new(target.x.clamp(-3900.0, 3900.0), target.y.clamp(-back, back), target.z)
}

#[cfg(test)]
mod tests {
    use std::f32::consts::{FRAC_PI_2, PI};

    use super::*;
    use crate::bots::scenes::{car, with_ball};
    use crate::pads::BIG_PADS;
    use crate::state::Team;

    fn play(state: &State, car: usize) -> Wish {
        wish(state, car, &mut BotMemory::default())
    }

    #[test]
    fn only_the_nearest_takes_the_kickoff() {
        let state = with_ball(
            0.0,
            0.0,
            vec![
                car(Team::Blue, -256.0, -3840.0, FRAC_PI_2),
                car(Team::Blue, 2048.0, -2560.0, 3.0 * FRAC_PI_2 / 2.0),
                car(Team::Blue, 0.0, -4608.0, FRAC_PI_2),
                car(Team::Orange, 0.0, 4608.0, -FRAC_PI_2),
            ],
        );
        let boosts: Vec<bool> = (0..4).map(|c| play(&state, c).boost).collect();
        assert_eq!(boosts, [false, true, false, true]);
    }

    #[test]
    fn an_aligned_car_goes_straight_for_the_goal() {
        let mut me = car(Team::Blue, 0.0, 0.0, FRAC_PI_2);
        me.body.vel.y = 1000.0;
        let state = with_ball(0.0, 2500.0, vec![me]);
        let wish = play(&state, 0);
        assert_eq!((wish.throttle, wish.steer, wish.boost), (1.0, 0.0, true));
    }

    #[test]
    fn a_close_aligned_car_flips_into_the_ball() {
        let mut me = car(Team::Blue, 0.0, 2000.0, FRAC_PI_2);
        me.body.vel.y = 1400.0;
        let state = with_ball(0.0, 2500.0, vec![me]);
        assert!(play(&state, 0).jump);
        // But not into its own goal.
        let mut me = car(Team::Blue, 0.0, -2000.0, -FRAC_PI_2);
        me.body.vel.y = -1400.0;
        let state = with_ball(0.0, -2500.0, vec![me]);
        assert!(!play(&state, 0).jump);
    }

    #[test]
    fn past_the_ball_it_drives_round() {
        let mut me = car(Team::Blue, 50.0, 500.0, -FRAC_PI_2);
        me.body.vel.y = -800.0;
        let state = with_ball(0.0, -600.0, vec![me, car(Team::Orange, 0.0, 4000.0, 0.0)]);
        // The ball is right ahead, and behind it the own goal.
        assert_ne!(play(&state, 0).steer, 0.0);
    }

    #[test]
    fn an_empty_car_with_time_refills() {
        let mut me = car(Team::Blue, 2500.0, 0.0, 0.0);
        me.boost = 0.0;
        let mut state = with_ball(1500.0, 3000.0, vec![me, car(Team::Orange, 0.0, 5000.0, 0.0)]);
        assert_eq!(play(&state, 0).steer, 0.0);
        for pad in BIG_PADS {
            state.pad_secs[pad] = 9.0;
        }
        assert_eq!(play(&state, 0).steer, 1.0);
    }

    #[test]
    fn both_teams_play_alike() {
        for i in 0..200u32 {
            let at = |n: u32| ((i * 37 + n * 101) % 199) as f32 / 99.5 - 1.0;
            let mut state = with_ball(
                3500.0 * at(0),
                4500.0 * at(1),
                vec![
                    car(Team::Blue, 3500.0 * at(2), 4500.0 * at(3), PI * at(4)),
                    car(Team::Blue, 3500.0 * at(5), 4500.0 * at(6), PI * at(7)),
                    car(Team::Orange, 3500.0 * at(8), 4500.0 * at(9), PI * at(10)),
                ],
            );
            state.ball.vel = Vec3A::new(900.0 * at(11), 900.0 * at(12), 300.0 * at(13));
            state.cars[0].boost = 100.0 * at(14).abs();
            let mut turned = state.rotated();
            for car in &mut turned.cars {
                car.team = car.team.other();
            }
            for car in 0..3 {
                assert_eq!(play(&state, car), play(&turned, car), "scene {i}, car {car}");
            }
        }
    }
}

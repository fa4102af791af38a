//! What a player pressed, frame by frame.
//!
//! Buttons, throttle and steering are recorded. Throttle and steering lag by half a frame, so a frame has
//! the mean of what it and the next one say; a button that is on in the next frame was pressed in this one.
//! Pitch, yaw and roll are not recorded: they follow from how the spin changed.

use rocketsim::Vec3A;
use rocketsim::consts::car::{MAX_ANG_SPEED, air_control};

use super::recording::CarRow;
use super::track::{TICK_RATE, Track};

/// What the jump button does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Press {
    /// Nothing.
    #[default]
    None,
    /// A jump begins.
    Jump,
    /// A jump goes on.
    Hold,
    /// A flip, by its torque: shares of the strongest, to the side and forwards.
    Dodge([f32; 2]),
    /// A second jump without a flip.
    DoubleJump,
    /// A jump off the roof.
    TurnOver,
}

impl Press {
    /// Does it begin something? Then the button was up before.
    pub fn begins(self) -> bool {
        !matches!(self, Self::None | Self::Hold)
    }
}

/// The eight controls.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Controls {
    pub throttle: f32,
    pub steer: f32,
    pub pitch: f32,
    pub yaw: f32,
    pub roll: f32,
    pub press: Press,
    pub boost: bool,
    pub handbrake: bool,
}

impl Controls {
    /// In the order of the action table.
    pub fn numbers(&self) -> [f32; 8] {
        let flag = f32::from;
        let Self { throttle, steer, pitch, yaw, roll, press, boost, handbrake } = *self;
        let jump = flag(press != Press::None);
        [throttle, steer, pitch, yaw, roll, jump, flag(boost), flag(handbrake)]
    }
}

/// Smaller deflections are none: the byte that is nearest to the middle is not in the middle.
const DEADZONE: f32 = 0.01;
/// A row that has not changed for so many frames is not late: nothing happens.
const STILL_FRAMES: usize = 4;
/// At the highest spin an input does not change it; the solution is scaled up so that it shows anyway.
const SATURATED: f32 = 1.25;

/// Recovers the controls of one car over consecutive frames. `ticks` are those of the frames.
pub(super) fn recover(rows: &[CarRow], ticks: &[f64], track: &Track) -> Vec<Controls> {
    let throttle = between_frames(rows, |row| row.throttle);
    let steer = between_frames(rows, |row| row.steer);
    let turns: Vec<Vec3A> = rotations(rows, ticks, track);
    let after = |at: usize, by: usize| rows.get(at + by).copied();
    let frame = |at: usize| {
        let row = &rows[at];
        let next = after(at, 1).unwrap_or(*row);
        let later = after(at, 2).unwrap_or(next);
        let flips_soon = later.dodging || later.double_jumping;
        let turning = row.turning_over || next.turning_over;
        let press = if next.jumping && !row.jumping {
            Press::Jump
        } else if row.jumping && !flips_soon {
            Press::Hold
        } else if next.dodging && !row.dodging {
            Press::Dodge(next.dodge)
        } else if next.double_jumping && !row.double_jumping {
            Press::DoubleJump
        } else if turning && !row.dodging && !row.double_jumping && !row.jumping {
            Press::TurnOver
        } else {
            Press::None
        };
        let [mut pitch, mut yaw, mut roll] = turns[at].to_array();
        if let Press::Dodge([side, forwards]) = press {
            (pitch, yaw, roll) = dodge_direction(side, forwards, roll);
        } else if press == Press::DoubleJump {
            // With more it would have been a flip.
            let most = pitch.abs() + yaw.abs() + roll.abs();
            let scale = if most >= 0.5 { 0.49 / most } else { 1.0 };
            (pitch, yaw, roll) = (pitch * scale, yaw * scale, roll * scale);
        }
        Controls {
            throttle: throttle[at],
            steer: steer[at],
            pitch,
            yaw,
            roll,
            press,
            boost: row.boosting || next.boosting,
            handbrake: row.handbrake,
        }
    };
    (0..rows.len()).map(frame).collect()
}

/// The stick that flips with a torque, pushed to the edge. No torque at all is a stall: roll against yaw.
fn dodge_direction(side: f32, forwards: f32, roll: f32) -> (f32, f32, f32) {
    let most = side.abs().max(forwards.abs());
    if most > 0.0 {
        (-forwards / most, 0.0, -side / most)
    } else {
        let roll = if roll > 0.0 { 1.0 } else { -1.0 };
        (0.0, -roll, roll)
    }
}

/// An axis that lags by half a frame. Frames without news of the car lie evenly between those with.
fn between_frames(rows: &[CarRow], axis: impl Fn(&CarRow) -> f32) -> Vec<f32> {
    let mut still = 0;
    let known: Vec<bool> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| {
            let news = at == 0 || row.pose.fresh;
            still = if news { 0 } else { still + 1 };
            news || still >= STILL_FRAMES
        })
        .collect();
    let mut values: Vec<f32> = rows.iter().map(&axis).collect();
    let mut last = 0;
    for at in 1..rows.len() {
        if !known[at] {
            continue;
        }
        let (from, to) = (values[last], values[at]);
        for between in last + 1..at {
            let share = (between - last) as f32 / (at - last) as f32;
            values[between] = from + (to - from) * share;
        }
        last = at;
    }
    let held = values.get(last).copied().unwrap_or(0.0);
    values.iter_mut().skip(last + 1).for_each(|value| *value = held);
    let mean = |at: usize| {
        let mean = 0.5 * (values[at] + values.get(at + 1).copied().unwrap_or(values[at]));
        if mean.abs() < DEADZONE { 0.0 } else { mean }
    };
    (0..values.len()).map(mean).collect()
}

/// Pitch, yaw and roll of every frame, from its newest sample on.
fn rotations(rows: &[CarRow], ticks: &[f64], track: &Track) -> Vec<Vec3A> {
    let mut known: Option<(usize, Vec3A)> = None;
    rows.iter()
        .zip(ticks)
        .map(|(row, &tick)| {
            let Some(at) = track.newest(tick) else { return Vec3A::ZERO };
            match known {
                Some((solved, turn)) if solved == at => turn,
                _ => {
                    let turn = solve(track, at, row.dodging);
                    known = Some((at, turn));
                    turn
                }
            }
        })
        .collect()
}

/// Pitch, yaw and roll from one tick on, for so many ticks: the mean over the samples that lie there.
pub(super) fn rotation(track: &Track, from: f64, length: f64, flipping: bool) -> Vec3A {
    let (mut sum, mut total) = (Vec3A::ZERO, 0.0);
    let first = track.before(from).unwrap_or(0);
    for at in first.. {
        let (Some((start, _)), Some((end, _))) = (track.sample(at), track.sample(at + 1)) else {
            break;
        };
        let share = (end.min(from + length) - start.max(from)) as f32;
        if share <= 0.0 {
            break;
        }
        sum += solve(track, at, flipping) * share;
        total += share;
    }
    if total > 0.0 { sum / total } else { Vec3A::ZERO }
}

/// The inputs that lead from one sample's spin to the next one's in free flight: the engine's law of
/// rotation in the air, turned round. Damping fades as an axis is deflected; that of roll does not.
fn solve(track: &Track, at: usize, flipping: bool) -> Vec3A {
    let (Some((start, from)), Some((end, to))) = (track.sample(at), track.sample(at + 1)) else {
        return Vec3A::ZERO;
    };
    let secs = ((end - start) / TICK_RATE) as f32;
    let (before, after) = (from.body.ang_vel, to.body.ang_vel);
    let saturated = after.length() >= MAX_ANG_SPEED - 0.01;
    let aim = if saturated { after * SATURATED } else { after };
    let axes = &from.world_from_car;
    // Of pitch, yaw and roll, in the engine's sense.
    let axes = [-axes.y_axis, axes.z_axis, -axes.x_axis];
    let about = |v: Vec3A| Vec3A::from_array(axes.map(|axis| axis.dot(v)));
    let spin = about(before);
    let needed = about(aim - before) / (secs * air_control::TORQUE_APPLY_SCALE)
        + spin * air_control::DAMPING;
    let fading = (air_control::DAMPING * spin * needed.signum()).with_z(0.0);
    let mut inputs = (needed / (air_control::TORQUE + fading)).clamp(-Vec3A::ONE, Vec3A::ONE);
    if !inputs.is_finite() {
        return Vec3A::ZERO;
    }
    if flipping {
        let end = -to.world_from_car.y_axis.dot(after);
        if spin.x.abs() > end.abs() {
            // Only the stick held against it slows a flip down.
            inputs.x = -spin.x.signum();
        }
    }
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Placement, Trial};
    use crate::hitbox::Hitbox;
    use crate::replay::recording::Pose;
    use crate::state::Body;
    use rocketsim::{CarControls, Mat3A};

    fn row(fresh: bool, steer: f32) -> CarRow {
        let body = Body { pos: Vec3A::ZERO, vel: Vec3A::ZERO, ang_vel: Vec3A::ZERO };
        CarRow {
            pose: Pose { body, world_from_car: Mat3A::IDENTITY, fresh },
            throttle: 0.0,
            steer,
            handbrake: false,
            boosting: false,
            jumping: false,
            double_jumping: false,
            dodging: false,
            turning_over: false,
            boost: 50.0,
            dodge: [0.0; 2],
            resets: 0,
        }
    }

    fn recovered(rows: &[CarRow]) -> Vec<Controls> {
        let ticks: Vec<f64> = (0..rows.len()).map(|at| at as f64 * 5.0).collect();
        recover(rows, &ticks, &Track::default())
    }

    #[test]
    fn steering_lags_by_half_a_frame() {
        let rows = [row(true, 0.0), row(false, 0.0), row(true, 0.8), row(true, 0.8)];
        let steer: Vec<f32> = recovered(&rows).iter().map(|c| c.steer).collect();
        for (found, wanted) in steer.iter().zip([0.2, 0.6, 0.8, 0.8]) {
            assert!((found - wanted).abs() < 1e-6, "{steer:?}");
        }
    }

    #[test]
    fn buttons_are_pressed_a_frame_before_they_show() {
        let mut rows = [row(true, 0.0); 7];
        rows[1].jumping = true;
        rows[2].jumping = true;
        rows[5].dodging = true;
        rows[5].dodge = [0.0, 1.0];
        rows[3].boosting = true;
        let found = recovered(&rows);
        let presses: Vec<Press> = found.iter().map(|c| c.press).collect();
        let flip = Press::Dodge([0.0, 1.0]);
        assert_eq!(presses[..4], [Press::Jump, Press::Hold, Press::Hold, Press::None]);
        assert_eq!((presses[4], presses[5], found[4].pitch), (flip, Press::None, -1.0));
        assert!(!found[1].boost && found[2].boost && found[3].boost && !found[4].boost);
    }

    #[test]
    fn the_stick_is_solved_from_the_spin() {
        crate::arena::prepare(None).unwrap();
        let mut trial = Trial::new(Hitbox::Octane);
        let start = Placement {
            body: Body {
                pos: Vec3A::new(0.0, 0.0, 1000.0),
                vel: Vec3A::new(700.0, 0.0, 100.0),
                ang_vel: Vec3A::new(0.4, -0.3, 0.5),
            },
            world_from_car: Mat3A::from_rotation_y(0.4),
            boost: 0.0,
            has_jumped: true,
            has_double_jumped: false,
            has_flipped: true,
            jump_ticks: None,
            secs_since_jump: 1.0,
            flip_secs: 1.0,
            flip_torque: None,
            slide: 0.0,
            controls: CarControls::DEFAULT,
        };
        let far =
            Body { pos: Vec3A::new(3000.0, 0.0, 93.0), vel: Vec3A::ZERO, ang_vel: Vec3A::ZERO };
        for stick in
            [[0.0; 3], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [-0.5, 0.5, 0.0], [0.2, 0.0, 0.4]]
        {
            let [pitch, yaw, roll] = stick;
            trial.place(&start, &far);
            let (body, axes) =
                trial.drive(CarControls { pitch, yaw, roll, ..CarControls::DEFAULT }, 4);
            let pose = |body, world_from_car| Pose { body, world_from_car, fresh: true };
            let samples = [(0.0, pose(start.body, start.world_from_car)), (4.0, pose(body, axes))];
            let solved = solve(&Track::new(&samples), 0, false);
            assert!(solved.distance(Vec3A::from_array(stick)) < 0.15, "{stick:?}: {solved:?}");
        }
    }
}

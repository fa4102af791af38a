//! Cars that are put aside, and the steering that leads them back.
//!
//! A clone that errs a little comes to where nobody was who was recorded, and errs more there. So a car that
//! drives over the floor is shown a little aside of where it was and turned by some degrees, with the
//! steering that brings it nearest to where the recorded one went. Nobody pressed that; what else was
//! pressed stays.

use lanista_game::seed;
use rocketsim::{CarControls, Mat3A};

use super::period::{Period, Stretch};
use super::pick::Miss;
use crate::engine::Trial;
use crate::state::Car;
use crate::table::{GROUND_ROWS, ROWS, table};

/// A car that was put aside.
#[derive(Clone, Copy, Debug)]
pub struct Aside {
    /// The car there.
    pub car: Car,
    /// The row that leads back.
    pub row: usize,
}

/// Ticks after which it should be where the recorded car was: about as long as a steady hand looks ahead.
const AHEAD_TICKS: u32 = 48;
/// The most that a car is turned, rad.
const MOST_TURN: f32 = 0.5;
/// The most that a car is moved, uu.
const MOST_SHIFT_UU: f32 = 100.0;
/// A car whose up-axis is this near to the world's stands on the floor and not on a wall or a ramp.
const UPRIGHT: f32 = 0.99;
/// Beyond these a moved car might stand in a wall, uu.
const INSIDE_UU: [f32; 2] = [3700.0, 4800.0];
/// Nearer than this a moved car might stand in the ball, uu.
const CLEAR_OF_BALL_UU: f32 = 260.0;

/// Puts a car aside that does `row` from a tick on. `None` unless it drives over the floor now and then.
pub(super) fn lead_back(
    period: &Period,
    stretch: &Stretch,
    seen: &Car,
    row: usize,
    tick: f64,
    mask: &[bool; ROWS],
    trial: &mut Trial,
    dice: u64,
) -> Option<Aside> {
    let (ball, _) = period.ball.at(tick)?;
    let target = stretch.track.at(tick + f64::from(AHEAD_TICKS))?;
    let upright = |axes: &Mat3A| axes.z_axis.z > UPRIGHT;
    let drives = seen.on_ground && row < GROUND_ROWS && !table()[row].handbrake;
    if !drives || !upright(&seen.world_from_car) || !upright(&target.1) || target.0.pos.z > 40.0 {
        return None;
    }
    let draw = |salt: u64| 2.0 * ((seed::mix(dice, salt) >> 40) as f32 / (1u64 << 24) as f32) - 1.0;
    let turn = Mat3A::from_rotation_z(MOST_TURN * draw(1));
    let mut car = *seen;
    car.body.pos += MOST_SHIFT_UU * draw(2) * seen.world_from_car.y_axis;
    car.body.vel = turn * car.body.vel;
    car.world_from_car = turn * car.world_from_car;
    let at = car.body.pos;
    let inside = at.x.abs() < INSIDE_UU[0] && at.y.abs() < INSIDE_UU[1];
    if !inside || at.distance(ball.pos) < CLEAR_OF_BALL_UU {
        return None;
    }
    let frame = period.frame(tick).clamp(stretch.frames.start, stretch.frames.end - 1);
    let status = &stretch.status[frame - stretch.frames.start];
    let mut placement = status.placement(tick, CarControls::DEFAULT);
    (placement.body, placement.world_from_car) = (car.body, car.world_from_car);
    let mut best: Option<(f32, usize)> = None;
    for other in (0..GROUND_ROWS).filter(|&other| mask[other] && same_but_steering(row, other)) {
        trial.place(&placement, &ball);
        let miss = Miss::of(&trial.drive(table()[other].controls(), AHEAD_TICKS), &target);
        // A tenth of a second of driving aside weighs as much as some ten degrees of a wrong heading.
        let cost = (miss.position / 100.0).powi(2) + (miss.rotation / 0.2).powi(2);
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, other));
        }
    }
    best.map(|(_, row)| Aside { car, row })
}

fn same_but_steering(row: usize, other: usize) -> bool {
    let (a, b) = (&table()[row], &table()[other]);
    (a.throttle, a.boost, a.handbrake) == (b.throttle, b.boost, b.handbrake)
}

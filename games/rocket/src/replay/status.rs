//! What a car is in the middle of, which no single frame says: a jump, a flip, a slide.

use rocketsim::consts::car::{boost, drive, flip, jump};
use rocketsim::{CarControls, Vec3A};

use super::recording::CarRow;
use super::track::{TICK_RATE, Track};
use crate::engine::{Placement, Trial};
use crate::start::FLIP_OVER_SECS;

/// As of one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Status {
    pub on_ground: bool,
    has_jumped: bool,
    has_double_jumped: bool,
    has_flipped: bool,
    /// The tick at which the jump that pushes began.
    jump_from: Option<f64>,
    /// The tick at which the last one stopped.
    jump_until: f64,
    /// The tick at which the last flip began, and its torque.
    flip: Option<(f64, [f32; 2])>,
    flipping: bool,
    pub air_from: Option<f64>,
    slide: f32,
    pub boost: f32,
}

/// A flip's torque is known for a flip of full length; the game's flag stays on a little longer.
const FLIP_TICKS: f64 = flip::TORQUE_TIME as f64 * TICK_RATE;

/// Follows a car from frame to frame.
pub(super) fn follow(
    rows: &[CarRow],
    ticks: &[f64],
    track: &Track,
    ball: &Track,
    trial: &mut Trial,
) -> Vec<Status> {
    let mut now = Status::default();
    let mut all = Vec::with_capacity(rows.len());
    for (at, (row, &tick)) in rows.iter().zip(ticks).enumerate() {
        let before = at.checked_sub(1).map_or(row, |at| &rows[at]);
        let secs = at.checked_sub(1).map_or(0.0, |at| (tick - ticks[at]) / TICK_RATE) as f32;
        // The amount is sent now and then; in between boost burns.
        now.boost = match (at > 0 && row.boost == before.boost, before.boosting) {
            (false, _) => row.boost,
            (true, true) => (now.boost - boost::USED_PER_SECOND * secs).max(0.0),
            (true, false) => now.boost,
        };
        now.slide = match before.handbrake {
            true => (now.slide + drive::POWERSLIDE_RISE_RATE * secs).min(1.0),
            false => (now.slide - drive::POWERSLIDE_FALL_RATE * secs).max(0.0),
        };
        if let (Some((body, axes)), Some((ball, _))) = (track.at(tick), ball.at(tick)) {
            let free = Status { boost: row.boost, ..Status::default() };
            let mut placement = free.placement(tick, CarControls::DEFAULT);
            (placement.body, placement.world_from_car) = (body, axes);
            trial.place(&placement, &ball);
            now.on_ground = trial.on_ground();
        }
        if now.on_ground && !row.jumping {
            (now.has_jumped, now.has_double_jumped, now.has_flipped) = (false, false, false);
        }
        now.air_from = if now.on_ground { None } else { now.air_from.or(Some(tick)) };
        // A flag that goes on in this frame went on since the one before.
        let since = at.checked_sub(1).map_or(tick, |at| 0.5 * (tick + ticks[at]));
        let begins = |flag: fn(&CarRow) -> bool| flag(row) && (at == 0 || !flag(before));
        if begins(|row| row.jumping) {
            (now.jump_from, now.has_jumped) = (Some(since), true);
            (now.has_double_jumped, now.has_flipped) = (false, false);
        }
        if !row.jumping && now.jump_from.take().is_some() {
            now.jump_until = since;
        }
        // Demolished in a flip, a car keeps the flag when it comes back.
        if at > 0 && begins(|row| row.dodging) {
            (now.flip, now.has_flipped) = (Some((since, row.dodge)), true);
        }
        if begins(|row| row.double_jumping) {
            now.has_double_jumped = true;
        }
        if row.resets > before.resets {
            (now.has_jumped, now.has_double_jumped, now.has_flipped) = (false, false, false);
        }
        now.flipping = row.dodging && now.flip.is_some_and(|(from, _)| tick - from < FLIP_TICKS);
        all.push(now);
    }
    all
}

impl Status {
    /// As the engine wants it, a little later than its frame; where the car is then, the caller says.
    pub fn placement(&self, tick: f64, controls: CarControls) -> Placement {
        let secs = |from: f64| ((tick - from) / TICK_RATE).max(0.0) as f32;
        let flip_secs = self.flip.map_or(FLIP_OVER_SECS, |(from, _)| secs(from));
        let turning = self.flipping && flip_secs < flip::TORQUE_TIME;
        let jump_ticks = self.jump_from.map(|from| (tick - from).clamp(0.0, 60.0) as u32);
        Placement {
            body: crate::state::Body { pos: Vec3A::ZERO, vel: Vec3A::ZERO, ang_vel: Vec3A::ZERO },
            world_from_car: rocketsim::Mat3A::IDENTITY,
            boost: self.boost.clamp(0.0, 100.0),
            has_jumped: self.has_jumped,
            has_double_jumped: self.has_double_jumped,
            has_flipped: self.has_flipped,
            jump_ticks: jump_ticks.filter(|&ticks| ticks < jump::MAX_TICKS),
            secs_since_jump: match self.has_jumped {
                true => secs(self.jump_until),
                false => 0.0,
            },
            flip_secs: match flip_secs - flip::TORQUE_TIME {
                _ if turning => flip_secs,
                // The engine counts anew when a flip has turned the car for as long as it does.
                since if since >= 0.0 && self.has_flipped => since,
                _ => FLIP_OVER_SECS,
            },
            flip_torque: turning
                .then(|| self.flip.map(|(_, [side, forwards])| Vec3A::new(side, forwards, 0.0)))
                .flatten(),
            slide: self.slide,
            controls,
        }
    }
}

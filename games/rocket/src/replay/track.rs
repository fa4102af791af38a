//! When each body was where: samples of a replay put on the ticks at which they were taken.
//!
//! A frame has one time, but what a server sends of each body was taken up to four ticks before or after
//! it: taken at their frames' times, bodies seem to jerk by 10 to 50 uu. Between two samples a body moves by
//! its velocity, though, and for a body in motion that says how many ticks lie between them: measured on
//! real replays, half of the results are within 0.006 of a whole number. So samples are chained by ticks that
//! were measured where that can be done, and by their frames' times where it cannot.

use rocketsim::{Mat3A, Vec3A};

use super::recording::Pose;
use crate::state::Body;

/// Ticks a second.
pub(super) const TICK_RATE: f64 = 120.0;
/// A sample is not further from its frame than this; measured are 4 on either side.
const MAX_JITTER_TICKS: f64 = 8.0;
/// Slower than this, a body's own motion says too little about time.
const LEAST_SPEED: f32 = 150.0;
/// A measured number of ticks is this close to a whole one, or something pushed the body in between.
const WHOLE: f64 = 0.2;
/// With more than this between two samples of a moving body, nobody knows where it was.
const MAX_GAP_TICKS: f64 = 40.0;
/// A body that moves less than this in a gap has stood still in it.
const STILL_UU: f32 = 3.0;
/// So far beyond the last sample a body is taken to move on as it did.
const MAX_AHEAD_TICKS: f64 = 12.0;
/// How much one more sample moves the running mean of offsets.
const OFFSET_RATE: f64 = 0.05;

/// One body over a stretch of frames.
#[derive(Clone, Debug, Default)]
pub(super) struct Track {
    /// When each sample was taken; growing.
    ticks: Vec<f64>,
    /// When the frame was that it came with; growing.
    frames: Vec<f64>,
    poses: Vec<Pose>,
}

impl Track {
    /// From samples, each with the tick of its frame.
    pub fn new(samples: &[(f64, Pose)]) -> Self {
        let mut ticks: Vec<f64> = Vec::with_capacity(samples.len());
        let mut mean = 0.0;
        for (at, (frame, pose)) in samples.iter().enumerate() {
            let Some(&(before, earlier)) = at.checked_sub(1).and_then(|at| samples.get(at)) else {
                ticks.push(frame.round());
                continue;
            };
            let last = ticks[at - 1];
            let plausible = |passed: &f64| {
                (passed - (frame - before)).abs() <= MAX_JITTER_TICKS
                    && (last + passed - frame - mean).abs() <= MAX_JITTER_TICKS
            };
            let passed = ticks_between(&earlier.body, &pose.body)
                .filter(plausible)
                .unwrap_or_else(|| (frame + mean - last).round())
                .max(1.0);
            ticks.push(last + passed);
            mean += OFFSET_RATE * (last + passed - frame - mean);
        }
        let mut offsets: Vec<f64> =
            ticks.iter().zip(samples).map(|(tick, (frame, _))| tick - frame).collect();
        offsets.sort_by(f64::total_cmp);
        let middle = offsets.get(offsets.len() / 2).map_or(0.0, |offset| offset.round());
        ticks.iter_mut().for_each(|tick| *tick -= middle);
        let (frames, poses) = samples.iter().copied().unzip();
        Self { ticks, frames, poses }
    }

    /// The sample that was the newest in the frame of a tick.
    pub fn newest(&self, frame: f64) -> Option<usize> {
        self.frames.partition_point(|&at| at <= frame).checked_sub(1)
    }

    /// The tick that a frame shows the body at, if nothing but time passes between samples.
    pub fn shown(&self, frame: f64) -> f64 {
        self.newest(frame).map_or(frame, |at| frame + self.ticks[at] - self.frames[at])
    }

    /// The sample at or before a tick.
    pub fn before(&self, tick: f64) -> Option<usize> {
        self.ticks.partition_point(|&at| at <= tick).checked_sub(1)
    }

    /// The tick and the pose of a sample.
    pub fn sample(&self, at: usize) -> Option<(f64, &Pose)> {
        Some((*self.ticks.get(at)?, self.poses.get(at)?))
    }

    /// Where the body was at a tick, if that is known.
    pub fn at(&self, tick: f64) -> Option<(Body, Mat3A)> {
        let Some(before) = self.before(tick) else {
            let (first, pose) = self.sample(0)?;
            return (first - tick <= MAX_AHEAD_TICKS).then(|| moved(pose, tick - first));
        };
        let (start, from) = self.sample(before)?;
        let Some((end, to)) = self.sample(before + 1) else {
            return (tick - start <= MAX_AHEAD_TICKS).then(|| moved(from, tick - start));
        };
        if end - start > MAX_GAP_TICKS && from.body.pos.distance(to.body.pos) > STILL_UU {
            return (tick - start <= 1.0).then(|| moved(from, tick - start));
        }
        Some(between(from, to, end - start, tick - start))
    }
}

/// How many ticks lie between two samples of one body, if its motion says so.
fn ticks_between(from: &Body, to: &Body) -> Option<f64> {
    let mean = (from.vel + to.vel) * 0.5;
    let change = to.vel - from.vel;
    let speed = mean.length();
    if speed < LEAST_SPEED || change.length() > 0.5 * speed {
        return None;
    }
    // The engine moves a body by the velocity at the end of each tick, not by the mean.
    let way = (to.pos - from.pos) * TICK_RATE as f32 - change * 0.5;
    let ticks = f64::from(way.dot(mean) / (speed * speed));
    let aside = way - mean * ticks as f32;
    let whole = ticks.round();
    let straight = aside.length() < 0.1 * way.length().max(1.0);
    (whole >= 1.0 && straight && (ticks - whole).abs() < WHOLE).then_some(whole)
}

fn moved(pose: &Pose, ticks: f64) -> (Body, Mat3A) {
    let secs = (ticks / TICK_RATE) as f32;
    let body = Body { pos: pose.body.pos + pose.body.vel * secs, ..pose.body };
    (body, pose.world_from_car)
}

/// A cubic through both places with both velocities; the rest in proportion.
fn between(from: &Pose, to: &Pose, length: f64, passed: f64) -> (Body, Mat3A) {
    let share = (passed / length) as f32;
    let secs = (length / TICK_RATE) as f32;
    let (a, b) = (&from.body, &to.body);
    let (s2, s3) = (share * share, share * share * share);
    let pos = a.pos * (2.0 * s3 - 3.0 * s2 + 1.0)
        + a.vel * secs * (s3 - 2.0 * s2 + share)
        + b.pos * (3.0 * s2 - 2.0 * s3)
        + b.vel * secs * (s3 - s2);
    let mix = |a: Vec3A, b: Vec3A| a + (b - a) * share;
    let (f, t) = (&from.world_from_car, &to.world_from_car);
    let body = Body { pos, vel: mix(a.vel, b.vel), ang_vel: mix(a.ang_vel, b.ang_vel) };
    (body, turned(f, t, share))
}

/// Part of the way from one rotation to another: about the one axis that leads there.
fn turned(from: &Mat3A, to: &Mat3A, share: f32) -> Mat3A {
    let way = *to * from.transpose();
    let trace = way.x_axis.x + way.y_axis.y + way.z_axis.z;
    let angle = (0.5 * (trace - 1.0)).clamp(-1.0, 1.0).acos();
    let axis = Vec3A::new(
        way.y_axis.z - way.z_axis.y,
        way.z_axis.x - way.x_axis.z,
        way.x_axis.y - way.y_axis.x,
    );
    if angle < 1e-4 || axis.length() < 1e-4 {
        return if share < 0.5 { *from } else { *to };
    }
    let rotation = Mat3A::from_axis_angle(axis.normalize().into(), angle * share);
    rotation * *from
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pose(pos: Vec3A, vel: Vec3A) -> Pose {
        let body = Body { pos, vel, ang_vel: Vec3A::ZERO };
        Pose { body, world_from_car: Mat3A::IDENTITY, fresh: true }
    }

    /// A thrown body, tick by tick as the engine moves one.
    fn thrown(ticks: usize) -> Vec<Pose> {
        let (mut pos, mut vel) = (Vec3A::new(0.0, 0.0, 500.0), Vec3A::new(900.0, -300.0, 400.0));
        let mut poses = vec![pose(pos, vel)];
        for _ in 0..ticks {
            vel.z -= 650.0 / 120.0;
            pos += vel / 120.0;
            poses.push(pose(pos, vel));
        }
        poses
    }

    #[test]
    fn samples_are_put_on_the_ticks_at_which_they_were_taken() {
        let poses = thrown(120);
        let taken = [0usize, 9, 13, 22, 24, 35, 44, 53, 60, 71];
        // Frames are regular and samples are not.
        let samples: Vec<(f64, Pose)> =
            taken.iter().enumerate().map(|(at, &tick)| (at as f64 * 8.0, poses[tick])).collect();
        let track = Track::new(&samples);
        for pair in taken.windows(2).enumerate() {
            let (at, ticks) = (pair.0, (pair.1[1] - pair.1[0]) as f64);
            assert_eq!(track.ticks[at + 1] - track.ticks[at], ticks, "sample {at}");
        }
        let first = track.ticks[0];
        for (tick, pose) in poses.iter().enumerate().take(71) {
            let (body, _) = track.at(first + tick as f64).unwrap();
            assert!(body.pos.distance(pose.body.pos) < 0.5, "tick {tick}");
        }
    }

    #[test]
    fn a_body_that_rests_goes_by_the_clock_and_a_lost_one_is_nowhere() {
        let still = pose(Vec3A::splat(17.0), Vec3A::ZERO);
        let track = Track::new(&[(0.0, still), (8.0, still), (80.0, still)]);
        assert_eq!(track.ticks, [0.0, 8.0, 80.0]);
        assert!(track.at(40.0).is_some() && track.at(120.0).is_none());
        let far = pose(Vec3A::splat(900.0), Vec3A::ZERO);
        let lost = Track::new(&[(0.0, still), (80.0, far)]);
        assert!(lost.at(0.0).is_some() && lost.at(40.0).is_none());
        assert!(Track::new(&[]).at(0.0).is_none());
    }

    #[test]
    fn rotations_lie_between_their_ends() {
        let (from, to) = (Mat3A::from_rotation_z(0.3), Mat3A::from_rotation_z(0.9));
        let half = turned(&from, &to, 0.5);
        assert!(half.abs_diff_eq(Mat3A::from_rotation_z(0.6), 1e-4));
    }

    proptest! {
        #[test]
        fn ticks_grow_whatever_the_samples_are(
            numbers in proptest::collection::vec((-9e4f32..9e4, -9e4f32..9e4, 0.0f64..30.0), 0..40),
        ) {
            let mut frame = 0.0;
            let samples: Vec<(f64, Pose)> = numbers
                .iter()
                .map(|&(place, speed, passed)| {
                    frame += passed;
                    (frame, pose(Vec3A::splat(place), Vec3A::new(speed, -speed, 1.0)))
                })
                .collect();
            let track = Track::new(&samples);
            prop_assert!(track.ticks.windows(2).all(|pair| pair[0] < pair[1]));
            for tick in 0..100 {
                if let Some((body, axes)) = track.at(f64::from(tick) * 7.0) {
                    prop_assert!(body.pos.is_finite() && axes.x_axis.is_finite());
                }
            }
        }
    }
}

//! The stretches of a match in which the ball is in play, with every body on its ticks.

use std::ops::Range;

use super::controls::{Controls, recover};
use super::recording::{CarRow, Phase, Pose, Recording};
use super::status::{Status, follow};
use super::track::{TICK_RATE, Track};
use crate::engine::Trial;
use crate::pads::{PAD_IS_BIG, PAD_POSITIONS};
use crate::state::{MAX_TEAM, PADS, Team};

/// Frames further apart than this leave a hole.
const MAX_FRAME_SECS: f64 = 0.25;
/// Slower than this, a body that is not heard of stands still.
const RESTING_SPEED: f32 = 10.0;
/// At a kickoff the ball lies no further from the middle.
const KICKOFF_UU: f32 = 20.0;
/// A car that takes a pad's boost is no further from it: half of a big pad's width, a car's length and what
/// it drives in a frame.
const PAD_REACH_UU: f32 = 400.0;

/// Play without interruption.
#[derive(Debug)]
pub(super) struct Period {
    pub frames: Range<usize>,
    /// It begins with a kickoff.
    pub kickoff: bool,
    /// A goal ends it.
    pub goal: bool,
    /// By frame; the first is 0.
    pub ticks: Vec<f64>,
    pub ball: Track,
    /// Who plays, blue first, in the order of the cars of its states.
    pub players: Vec<usize>,
    /// Of every car, in the same order: from when to when it was whole.
    pub cars: Vec<Vec<Stretch>>,
    /// When which pad was taken.
    pub taken: Vec<(f64, usize)>,
}

/// A car between two demolitions.
#[derive(Debug)]
pub(super) struct Stretch {
    /// Of the period's frames.
    pub frames: Range<usize>,
    pub rows: Vec<CarRow>,
    pub track: Track,
    pub controls: Vec<Controls>,
    pub status: Vec<Status>,
}

/// Cuts a recording into periods.
pub(super) fn periods(recording: &Recording, trials: &mut [Trial]) -> Vec<Period> {
    let frames = &recording.frames;
    let mut periods = Vec::new();
    let mut at = 0;
    while at < frames.len() {
        if frames[at].phase != Phase::Active {
            at += 1;
            continue;
        }
        let goes_on = |next: usize| {
            let gap = frames[next].time - frames[next - 1].time;
            frames[next].phase == Phase::Active
                && frames[next].overtime == frames[at].overtime
                && (0.0..MAX_FRAME_SECS).contains(&gap)
        };
        let end = (at + 1..frames.len()).find(|&next| !goes_on(next)).unwrap_or(frames.len());
        let goal = frames.get(end).is_some_and(|frame| frame.phase == Phase::Goal);
        periods.extend(period(recording, at..end, goal, trials));
        at = end;
    }
    periods
}

fn period(
    recording: &Recording,
    range: Range<usize>,
    goal: bool,
    trials: &mut [Trial],
) -> Option<Period> {
    let frames = &recording.frames[range.clone()];
    let origin = frames.first()?.time;
    let ticks: Vec<f64> = frames.iter().map(|frame| (frame.time - origin) * TICK_RATE).collect();
    let ball = Track::new(&samples(frames.iter().map(|frame| frame.ball.as_ref()), &ticks));
    let first = frames.first()?.ball?.body.pos;
    let kickoff = first.x.abs() < KICKOFF_UU && first.y.abs() < KICKOFF_UU;
    let mut players: Vec<usize> = (0..recording.players.len())
        .filter(|&player| frames.iter().any(|frame| frame.cars[player].is_some()))
        .collect();
    players.sort_by_key(|&player| recording.players[player].team.index());
    let size =
        |team| players.iter().filter(|&&player| recording.players[player].team == team).count();
    if size(Team::Blue) > MAX_TEAM || size(Team::Orange) > MAX_TEAM {
        return None;
    }
    let cars: Vec<Vec<Stretch>> = players
        .iter()
        .map(|&player| {
            let rows = frames.iter().map(|frame| frame.cars[player].as_ref());
            stretches(rows, &ticks, &ball, &mut trials[player])
        })
        .collect();
    let mut period =
        Period { frames: range, kickoff, goal, ticks, ball, players, cars, taken: Vec::new() };
    period.taken = taken(&period, recording);
    Some(period)
}

/// A body's samples: what was sent, and what stands still while nothing is.
fn samples<'a>(poses: impl Iterator<Item = Option<&'a Pose>>, ticks: &[f64]) -> Vec<(f64, Pose)> {
    let mut samples: Vec<(f64, Pose)> = Vec::new();
    for (pose, &tick) in poses.zip(ticks) {
        let Some(pose) = pose else { continue };
        let rests = pose.body.vel.length() < RESTING_SPEED && pose.body.ang_vel.length() < 0.2;
        let later = samples.last().is_none_or(|(last, _)| tick > *last);
        if later && (samples.is_empty() || pose.fresh || rests) {
            samples.push((tick, *pose));
        }
    }
    samples
}

/// Splits a car's rows where it has none.
fn stretches<'a>(
    rows: impl Iterator<Item = Option<&'a CarRow>>,
    ticks: &[f64],
    ball: &Track,
    trial: &mut Trial,
) -> Vec<Stretch> {
    let rows: Vec<Option<&CarRow>> = rows.collect();
    let mut stretches = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let length = rows[at..].iter().take_while(|row| row.is_some()).count();
        if length < 2 {
            at += length.max(1);
            continue;
        }
        let frames = at..at + length;
        at = frames.end;
        let rows: Vec<CarRow> = rows[frames.clone()].iter().copied().flatten().copied().collect();
        let ticks = &ticks[frames.clone()];
        let track = Track::new(&samples(rows.iter().map(|row| Some(&row.pose)), ticks));
        let controls = recover(&rows, ticks, &track);
        let status = follow(&rows, ticks, &track, ball, trial);
        stretches.push(Stretch { frames, rows, track, controls, status });
    }
    stretches
}

/// Which pads were taken when: those nearest to the cars that took boost.
fn taken(period: &Period, recording: &Recording) -> Vec<(f64, usize)> {
    let mut taken: Vec<(f64, usize)> = Vec::new();
    for (at, frame) in recording.frames[period.frames.clone()].iter().enumerate() {
        let tick = period.ticks[at];
        for &player in &frame.pickups {
            let Some(row) = &frame.cars[player] else { continue };
            let away =
                |pad: usize| PAD_POSITIONS[pad].with_z(0.0).distance(row.pose.body.pos.with_z(0.0));
            let nearest = (0..PADS).min_by(|&a, &b| away(a).total_cmp(&away(b)));
            if let Some(pad) = nearest.filter(|&pad| away(pad) < PAD_REACH_UU) {
                // It is announced again with everything else every ten seconds.
                let back = |&(when, other): &(f64, usize)| {
                    other == pad && (tick - when) / TICK_RATE < f64::from(full_secs(pad)) - 0.5
                };
                if !taken.iter().any(back) {
                    taken.push((tick, pad));
                }
            }
        }
    }
    taken
}

/// Seconds until a pad that was taken has boost again.
pub(super) fn full_secs(pad: usize) -> f32 {
    if PAD_IS_BIG[pad] { 10.0 } else { 4.0 }
}

impl Period {
    /// Seconds until each pad has boost again.
    pub fn pad_secs(&self, tick: f64) -> [f32; PADS] {
        let mut secs = [0.0; PADS];
        for &(when, pad) in self.taken.iter().filter(|(when, _)| *when <= tick) {
            let passed = ((tick - when) / TICK_RATE) as f32;
            secs[pad] = (full_secs(pad) - passed).max(0.0);
        }
        secs
    }

    /// The last tick.
    pub fn end(&self) -> f64 {
        self.ticks.last().copied().unwrap_or(0.0)
    }

    /// The frame at or before a tick.
    pub fn frame(&self, tick: f64) -> usize {
        self.ticks.partition_point(|&at| at <= tick).saturating_sub(1)
    }
}

impl Stretch {
    /// Was the car whole from one tick to another?
    pub fn covers(&self, ticks: &[f64], from: f64, to: f64) -> bool {
        let (first, last) = (ticks.get(self.frames.start), ticks.get(self.frames.end - 1));
        first.is_some_and(|&first| first <= from + 0.5)
            && last.is_some_and(|&last| to <= last + 0.5)
    }
}

//! How people move: speeds on the ground and the curve of a jump, measured from recordings.
//!
//! These are the numbers a simulator's movement is held against, so nothing here knows what they
//! should be: values are counted, and a mode is what occurs far more often than its surroundings.

use super::pairs::Pair;
use super::usercmd::{DUCK, JUMP};

/// Bins on both sides that a mode must exceed.
const AROUND_BINS: usize = 4;

/// Counts of values by bins of equal width, from zero up.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// The width of a bin.
    pub bin: f32,
    /// Values in each; bin `i` is centred on `i * bin`.
    pub counts: Vec<usize>,
}

/// A value that occurs far more often than those around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// The middle of its bin.
    pub value: f32,
    /// How often it occurs.
    pub count: usize,
}

impl Histogram {
    /// Counts values up to `most`; negative ones, larger ones and what is no number are left out.
    pub fn of(values: impl IntoIterator<Item = f32>, bin: f32, most: f32) -> Self {
        let bins = (most / bin).round().max(0.0) as usize + 1;
        let mut counts = vec![0; bins];
        for value in values {
            let place = (value / bin).round();
            if place >= 0.0
                && let Some(count) = counts.get_mut(place as usize)
            {
                *count += 1;
            }
        }
        Self { bin, counts }
    }

    /// Values with at least `least` of them that are the peak of their surroundings, most frequent
    /// first.
    pub fn modes(&self, least: usize) -> Vec<Mode> {
        let mut modes: Vec<Mode> = (0..self.counts.len())
            .filter(|&place| self.counts[place] >= least.max(1) && self.is_peak(place))
            .map(|place| Mode { value: place as f32 * self.bin, count: self.counts[place] })
            .collect();
        modes.sort_by_key(|mode| std::cmp::Reverse(mode.count));
        modes
    }

    fn is_peak(&self, place: usize) -> bool {
        let from = place.saturating_sub(AROUND_BINS);
        let until = (place + AROUND_BINS + 1).min(self.counts.len());
        // Of two equal peaks side by side the first counts.
        (from..until).all(|other| {
            other == place
                || self.counts[other] < self.counts[place]
                || (other > place && self.counts[other] == self.counts[place])
        })
    }
}

/// Horizontal speeds, in units a second, of ticks of play that began and ended on the ground.
pub fn ground_speeds(pairs: &[Pair]) -> Vec<f32> {
    let stays = |two: &[Pair]| {
        let [one, other] = two else { return None };
        let play = one.not_play.is_none() && other.not_play.is_none();
        let ground = one.on_ground == Some(true) && other.on_ground == Some(true);
        let next = follows(one, other);
        // On a slope the way along the ground is longer than the way on the map.
        let level = (other.position[2] - one.position[2]).abs() < 0.5;
        (play && ground && next && level).then(|| other.velocity[0].hypot(other.velocity[1]))
    };
    pairs.windows(2).filter_map(stays).collect()
}

/// Are these two ticks, one after the other, each with a packet of its own?
fn follows(one: &Pair, other: &Pair) -> bool {
    other.tick.checked_sub(one.tick) == Some(1)
        && one.seen_tick == one.tick
        && other.seen_tick == other.tick
}

/// Ground speeds by bins of one unit a second, up to 400.
pub fn ground_speed_histogram<'a>(recordings: impl IntoIterator<Item = &'a [Pair]>) -> Histogram {
    Histogram::of(recordings.into_iter().flat_map(ground_speeds), 1.0, 400.0)
}

/// A jump: heights of the feet above where it began, one a tick, from the last tick on the ground
/// to the first one back on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Jump {
    /// The last tick on the ground.
    pub tick: i32,
    /// Heights in units, the first is 0.
    pub heights: Vec<f32>,
}

impl Jump {
    /// The greatest height.
    pub fn apex_units(&self) -> f32 {
        self.heights.iter().copied().fold(0.0, f32::max)
    }

    /// Ticks in the air.
    pub fn air_ticks(&self) -> usize {
        self.heights.len().saturating_sub(1)
    }

    /// Did it end as high as it began?
    pub fn is_level(&self) -> bool {
        self.heights.last().is_some_and(|last| last.abs() < 1.0)
    }
}

/// Jumps of play: off the ground with the button, without crouching, every tick there.
pub fn jumps(pairs: &[Pair]) -> Vec<Jump> {
    let mut jumps = Vec::new();
    let mut flight: Option<Jump> = None;
    for two in pairs.windows(2) {
        let [one, other] = two else { continue };
        let known = one.not_play.is_none()
            && other.not_play.is_none()
            && follows(one, other)
            && other.buttons & DUCK == 0
            && other.held_by.is_none()
            && other.incapacitated != Some(true);
        if !known {
            flight = None;
            continue;
        }
        match (one.on_ground, other.on_ground) {
            (Some(true), Some(false)) => {
                // The command that leaves the ground is the one given there.
                let pressed = (one.buttons | other.buttons) & JUMP != 0;
                let heights = vec![0.0, other.position[2] - one.position[2]];
                flight = pressed.then_some(Jump { tick: one.tick, heights });
            }
            (Some(false), Some(on_ground)) => {
                let Some(mut jump) = flight.take() else { continue };
                let last = jump.heights.last().copied().unwrap_or_default();
                jump.heights.push(last + other.position[2] - one.position[2]);
                if on_ground {
                    jumps.push(jump);
                } else {
                    flight = Some(jump);
                }
            }
            _ => flight = None,
        }
    }
    jumps
}

/// The jump that people make on level ground.
///
/// The feet are drawn up in the air: the recordings rise by 18 units at once in the first tick and
/// fall by as much in the last but one. The heights contain that, as the positions in the game do.
#[derive(Clone, Debug, PartialEq)]
pub struct JumpCurve {
    /// Jumps that it was measured from.
    pub jumps: usize,
    /// The most frequent greatest height, in bins of a tenth.
    pub apex_units: f32,
    /// The most frequent time in the air.
    pub air_ticks: usize,
    /// The median height at each tick of the jumps that took that time.
    pub heights: Vec<f32>,
}

/// The curve of level jumps; `None` where nobody jumped.
pub fn jump_curve<'a>(recordings: impl IntoIterator<Item = &'a [Pair]>) -> Option<JumpCurve> {
    let level: Vec<Jump> = recordings.into_iter().flat_map(jumps).filter(Jump::is_level).collect();
    let ticks = level.iter().map(|jump| jump.air_ticks() as f32);
    let air_ticks = most_frequent(&Histogram::of(ticks, 1.0, 300.0))? as usize;
    let usual: Vec<&Jump> = level.iter().filter(|jump| jump.air_ticks() == air_ticks).collect();
    let apexes = usual.iter().map(|jump| jump.apex_units());
    let apex_units = most_frequent(&Histogram::of(apexes, 0.1, 200.0))?;
    let heights = (0..=air_ticks)
        .map(|tick| median(usual.iter().filter_map(|jump| jump.heights.get(tick)).copied()))
        .collect();
    Some(JumpCurve { jumps: level.len(), apex_units, air_ticks, heights })
}

fn most_frequent(histogram: &Histogram) -> Option<f32> {
    let (place, count) =
        histogram.counts.iter().enumerate().rev().max_by_key(|(_, count)| **count)?;
    (*count > 0).then_some(place as f32 * histogram.bin)
}

fn median(values: impl Iterator<Item = f32>) -> f32 {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_peaks_with_enough_in_them() {
        let values = [75.0, 75.2, 74.9, 150.0, 150.0, 220.0, 220.0, 220.0, 220.0, 221.0, 9e9];
        let values = values.into_iter().chain([f32::NAN, -5.0]);
        let histogram = Histogram::of(values, 1.0, 400.0);
        let modes = histogram.modes(2);
        let found: Vec<_> = modes.iter().map(|mode| (mode.value, mode.count)).collect();
        assert_eq!(found, [(220.0, 4), (75.0, 3), (150.0, 2)]);
        assert!(histogram.modes(5).is_empty());
    }

    #[test]
    fn two_equal_neighbours_are_one_mode() {
        let histogram = Histogram { bin: 1.0, counts: vec![0, 0, 3, 3, 0] };
        assert_eq!(histogram.modes(1), [Mode { value: 2.0, count: 3 }]);
    }

    #[test]
    fn a_jump_knows_its_apex_and_time() {
        let jump = Jump { tick: 3, heights: vec![0.0, 8.0, 12.0, 7.0, 0.2] };
        assert_eq!((jump.apex_units(), jump.air_ticks()), (12.0, 4));
        assert!(jump.is_level());
    }

    #[test]
    fn nobody_jumped() {
        assert_eq!(jump_curve([&[][..]]), None);
    }
}

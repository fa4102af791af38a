//! A metric over an axis, thinned to as many points as a chart has room for.
//!
//! Buckets are merged, never sampled, so the extremes of a point are those of all of its lines. Where buckets
//! are coarser than what is asked for, the lines themselves are read from the file, as long as they are not too
//! many.
//!
//! Smoothing comes before thinning and begins with the run, not with what is in view: the curve stays the same
//! however one zooms. It decays by half over so much of the axis, or over so many lines.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::Path;

use crate::columns::{Axis, Cell, EMPTY, Place};
use crate::line::Lines;
use crate::metrics::RunMetrics;
use crate::tail::each_line;

/// The most bytes of lines that are read for one answer.
const MOST_READ: u64 = 24 << 20;
/// The most points of a series.
pub const MOST_POINTS: usize = 4096;

/// Over how much a number counts half.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HalfLife {
    /// So much of the x axis.
    OfAxis(f64),
    /// So many lines.
    OfRows(f64),
}

impl HalfLife {
    /// Reads `5000`, so much of the axis, or `50rows`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (number, of_rows) = match text.strip_suffix("rows") {
            Some(number) => (number, true),
            None => (text, false),
        };
        match number.parse::<f64>().ok().filter(|n| n.is_finite() && *n > 0.0) {
            Some(n) => Ok(if of_rows { Self::OfRows(n) } else { Self::OfAxis(n) }),
            None => Err(format!(
                "`{text}` is no half-life: give a part of the x axis, such as 5000, or lines, such as 50rows"
            )),
        }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    /// What the x axis shows.
    pub axis: Axis,
    /// From here on it.
    pub from: Option<f64>,
    /// To here.
    pub to: Option<f64>,
    /// In at most so many points.
    pub points: usize,
    /// Smoothed.
    pub smooth: Option<HalfLife>,
    /// Only lines after so many.
    pub after: u64,
}

/// A metric over an axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// `[points]`
    pub x: Vec<f64>,
    /// `[points]`: the least of each.
    pub min: Vec<f64>,
    /// `[points]`: the greatest.
    pub max: Vec<f64>,
    /// `[points]`: the mean.
    pub mean: Vec<f64>,
    /// `[points]`, if it was asked for.
    pub smooth: Option<Vec<f64>>,
    /// The latest number of the run.
    pub last: Option<f64>,
    /// Where it was greatest in the run, and how much.
    pub best: Option<(f64, f64)>,
    /// Lines that are in the points.
    pub count: u64,
}

/// A stretch of lines, or one of them.
#[derive(Clone, Copy)]
struct Element {
    first: f64,
    last: f64,
    cell: Cell,
    smooth: f64,
}

/// A mean that fades. Not biased towards its first number: what came before the first counts nothing.
struct Fading {
    half_life: HalfLife,
    sum: f64,
    weight: f64,
    /// Where on the axis it is.
    at: f64,
}

impl Fading {
    fn new(half_life: HalfLife) -> Self {
        Self { half_life, sum: 0.0, weight: 0.0, at: 0.0 }
    }

    /// The mean after a stretch that ends at `x`.
    fn add(&mut self, x: f64, cell: &Cell) -> f64 {
        let passed = match self.half_life {
            HalfLife::OfAxis(half) => (x - self.at).max(0.0) / half,
            HalfLife::OfRows(half) => f64::from(cell.count) / half,
        };
        let Some(mean) = cell.mean() else { return f64::NAN };
        self.at = x;
        let kept = 0.5f64.powf(passed);
        self.sum = self.sum * kept + mean * (1.0 - kept);
        self.weight = self.weight * kept + (1.0 - kept);
        if self.weight > 0.0 { self.sum / self.weight } else { mean }
    }
}

/// The series of a metric of a run whose lines are in `file`.
pub fn series(metrics: &RunMetrics, file: &Path, name: &str, asked: &Asked) -> Series {
    let columns = metrics.columns();
    let Some(column) = metrics.column(name) else { return Series::default() };
    let axis = asked.axis as usize;
    let best = column.best.map(|(place, value)| (place[axis], value));
    let mut found = Series { last: column.last, best, ..Series::default() };
    let stretches = columns.stretches();
    let (low, high) = (asked.from.unwrap_or(f64::NEG_INFINITY), asked.to.unwrap_or(f64::INFINITY));
    let begin = stretches.partition_point(|s| s.last[axis] < low);
    let begin = begin.max((asked.after / columns.stride()) as usize).min(stretches.len());
    let end = stretches.partition_point(|s| s.first[axis] <= high).max(begin);
    if begin == end {
        return found;
    }
    let mut fading = asked.smooth.map(Fading::new);
    if let Some(fading) = &mut fading {
        for (i, stretch) in stretches[..begin].iter().enumerate() {
            fading.add(stretch.last[axis], &column.cell(i));
        }
    }
    let mut smooth = |x: f64, cell: &Cell| fading.as_mut().map_or(f64::NAN, |f| f.add(x, cell));
    let points = asked.points.clamp(1, MOST_POINTS);
    let bytes = stretches.get(end).map_or(metrics.read_bytes(), |s| s.offset);
    let bytes = bytes.saturating_sub(stretches[begin].offset);
    let closer =
        columns.stride() > 1 && bytes <= MOST_READ && (end - begin < points || asked.after > 0);
    let mut elements = Vec::new();
    if closer {
        let before = begin.checked_sub(1).map_or([0.0; 3], |i| stretches[i].last);
        let first_row = begin as u64 * columns.stride();
        let at = (stretches[begin].offset, bytes);
        let _ = rows(file, at, name, before, |number, place, value| {
            let (x, cell) = (place[axis], value.map_or(EMPTY, Cell::of));
            let smooth = smooth(x, &cell);
            let wanted = x >= low && x <= high && first_row + number >= asked.after;
            if cell.count > 0 && wanted {
                elements.push(Element { first: x, last: x, cell, smooth });
            }
        }); // a file that is gone or cut has no lines; the next look at it says so
    } else {
        for (i, stretch) in stretches[begin..end].iter().enumerate() {
            let cell = column.cell(begin + i);
            let smooth = smooth(stretch.last[axis], &cell);
            if cell.count > 0 {
                let (first, last) = (stretch.first[axis], stretch.last[axis]);
                elements.push(Element { first, last, cell, smooth });
            }
        }
    }
    let together = elements.len().div_ceil(points).max(1);
    let mut smoothed = Vec::new();
    for group in elements.chunks(together) {
        let whole = group.iter().fold(EMPTY, |whole, element| whole.with(element.cell));
        let (first, last) = (group[0].first, group[group.len() - 1].last);
        found.x.push(if first == last { first } else { 0.5 * (first + last) });
        found.min.push(whole.min);
        found.max.push(whole.max);
        found.mean.push(whole.mean().unwrap_or(f64::NAN));
        found.count += u64::from(whole.count);
        smoothed.push(group.iter().map(|e| e.smooth).sum::<f64>() / group.len() as f64);
    }
    found.smooth = asked.smooth.map(|_| smoothed);
    found
}

/// Reads lines of a file: so many bytes from here. `hear` gets their number, their place and what they say of a
/// metric.
fn rows(
    path: &Path,
    (offset, bytes): (u64, u64),
    name: &str,
    mut place: Place,
    mut hear: impl FnMut(u64, Place, Option<f64>),
) -> std::io::Result<()> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let (mut lines, mut number) = (Lines::default(), 0);
    let axes = [Axis::Steps, Axis::Time, Axis::Matches];
    each_line(&mut file, offset, offset + bytes, |_, line| {
        if lines.read(line).is_some() {
            let shown = |name: &str| {
                let metric = lines.names().iter().position(|known| known == name)?;
                Some(lines.values()[metric]).filter(|value| !value.is_nan())
            };
            for (own, axis) in place.iter_mut().zip(axes) {
                *own = shown(axis.metric()).unwrap_or(*own);
            }
            hear(number, place, shown(name));
            number += 1;
        }
        true
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::*;

    /// A run of so many lines, a step of ten each; every seventh says nothing of the metric.
    fn run(
        rows: usize,
        value: impl Fn(usize) -> f64,
    ) -> (tempfile::TempDir, std::path::PathBuf, RunMetrics) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("metrics.jsonl");
        let mut text = String::new();
        for i in 0..rows {
            let shown = if i % 7 == 6 { "null".into() } else { value(i).to_string() };
            writeln!(text, "{{\"return_mean\":{shown},\"steps\":{}}}", 10 * (i + 1)).unwrap();
        }
        std::fs::write(&path, text).unwrap();
        let mut metrics = RunMetrics::default();
        metrics.follow(&path).unwrap();
        (directory, path, metrics)
    }

    fn wave(i: usize) -> f64 {
        // A spike that a sample would miss.
        if i == 5003 { 1e6 } else { (i as f64 / 300.0).sin() }
    }

    const ALL: Asked =
        Asked { axis: Axis::Steps, from: None, to: None, points: 100, smooth: None, after: 0 };

    #[test]
    fn a_short_run_is_given_line_by_line() {
        let (_directory, path, metrics) = run(20, |i| i as f64);
        let s = series(&metrics, &path, "return_mean", &ALL);
        assert_eq!(s.x.len(), 18);
        assert_eq!((&s.min, &s.max), (&s.mean, &s.mean));
        assert_eq!((s.x[0], s.x[17], s.last), (10.0, 200.0, Some(19.0)));
        assert_eq!(s.best, Some((200.0, 19.0)));
        assert_eq!(series(&metrics, &path, "nothing", &ALL), Series::default());
    }

    #[test]
    fn a_spike_is_seen_at_every_zoom() {
        let (_directory, path, metrics) = run(20_000, wave);
        assert!(metrics.columns().stride() > 1);
        for points in [3, 50, 1000, 4000] {
            let s = series(&metrics, &path, "return_mean", &Asked { points, ..ALL });
            assert!(s.x.len() <= points, "{points}");
            let greatest = s.max.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(greatest, 1e6, "{points}");
            assert_eq!(s.count, 20_000 - 20_000 / 7);
        }
        // Closer than a bucket: the lines themselves.
        let close = Asked { from: Some(50_000.0), to: Some(50_100.0), ..ALL };
        let s = series(&metrics, &path, "return_mean", &close);
        let at = s.max.iter().position(|&m| m == 1e6).unwrap();
        assert_eq!((s.x[at], s.min[at]), (50_040.0, 1e6));
        assert_eq!(s.x.len(), 11 - 1, "{:?}", s.x);
    }

    #[test]
    fn smoothing_does_not_depend_on_what_is_in_view() {
        let (_directory, path, metrics) = run(3000, |i| f64::from(i % 5 == 0));
        for smooth in [HalfLife::OfAxis(500.0), HalfLife::OfRows(50.0)] {
            let asked = Asked { smooth: Some(smooth), points: 4000, ..ALL };
            let whole = series(&metrics, &path, "return_mean", &asked);
            let close = Asked { from: Some(20_000.0), to: Some(21_000.0), ..asked };
            let part = series(&metrics, &path, "return_mean", &close);
            let begin = whole.x.iter().position(|&x| x == part.x[0]).unwrap();
            let (whole, part) = (whole.smooth.unwrap(), part.smooth.unwrap());
            assert_eq!(whole[begin..begin + part.len()], part);
            assert!((part[50] - 0.2).abs() < 0.02, "{}", part[50]);
        }
        // A constant is a constant from its first line on.
        let (_directory, path, metrics) = run(50, |_| 3.0);
        let asked = Asked { smooth: Some(HalfLife::OfAxis(1e4)), ..ALL };
        let s = series(&metrics, &path, "return_mean", &asked).smooth.unwrap();
        assert!(s.iter().all(|v| (v - 3.0).abs() < 1e-9), "{s:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn what_comes_after_is_what_is_new(rows in 2usize..10_000, share in 0.0f64..1.0) {
            let (_directory, path, metrics) = run(rows, wave);
            let after = (rows as f64 * share) as u64;
            let s = series(&metrics, &path, "return_mean", &Asked { after, points: 4096, ..ALL });
            let new = (after as usize..rows).filter(|i| i % 7 != 6).count() as u64;
            if metrics.columns().stride() == 1 || after > 0 {
                prop_assert_eq!(s.count, new);
            }
        }
    }
}

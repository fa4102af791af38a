//! Curves of runs that differ in their seed alone, as one with a band.

use lanista_train::evaluate::student;

use super::figure::{Line, Point};

/// The curve of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Single {
    /// What it is a seed of.
    pub group: u64,
    /// What the legend calls that.
    pub label: String,
    /// `[points]`, ascending.
    pub x: Vec<f64>,
    /// `[points]`
    pub y: Vec<f64>,
}

/// Points of a curve with a band.
const POINTS: usize = 400;
/// What a seed has beyond the others is drawn if it is more than this share of the whole.
const WORTH_SHOWING: f64 = 0.02;

/// One line for each group, in the order in which groups come first.
pub fn together(singles: &[Single]) -> Vec<Line> {
    let mut groups: Vec<&Single> = Vec::new();
    for single in singles {
        if groups.iter().all(|known| known.group != single.group) {
            groups.push(single);
        }
    }
    let line = |first: &&Single| {
        let of: Vec<&Single> =
            singles.iter().filter(|s| s.group == first.group && !s.x.is_empty()).collect();
        let label = first.label.clone();
        match of[..] {
            [] => Line { label, ..Line::default() },
            [one] => Line { label, points: part(one, f64::NEG_INFINITY), ..Line::default() },
            _ => {
                let (points, rest) = banded(&of);
                let label = format!("{label} ({} seeds)", of.len());
                Line { label, points, banded: true, rest }
            }
        }
    };
    groups.iter().map(line).collect()
}

/// A curve from somewhere on.
fn part(of: &Single, from: f64) -> Vec<Point> {
    let points = of.x.iter().zip(&of.y).filter(|(x, _)| **x >= from);
    points.map(|(&x, &y)| Point { x, mean: y, low: y, high: y }).collect()
}

/// Mean and interval where all of them are known, and what some have beyond. A mean over fewer would jump where
/// a seed ends, and its band widen for no other reason than that.
fn banded(of: &[&Single]) -> (Vec<Point>, Vec<Vec<Point>>) {
    let begin = of.iter().map(|s| s.x[0]).fold(f64::NEG_INFINITY, f64::max);
    let end = of.iter().map(|s| s.x[s.x.len() - 1]).fold(f64::INFINITY, f64::min);
    let last = of.iter().map(|s| s.x[s.x.len() - 1]).fold(f64::NEG_INFINITY, f64::max);
    if begin.partial_cmp(&end) != Some(std::cmp::Ordering::Less) {
        return (Vec::new(), of.iter().map(|single| part(single, f64::NEG_INFINITY)).collect());
    }
    let at = |i: usize| match i + 1 == POINTS {
        true => end,
        false => begin + (end - begin) * i as f64 / (POINTS - 1) as f64,
    };
    let point = |x: f64| {
        let known: Vec<f64> = of.iter().filter_map(|single| value(single, x)).collect();
        let n = known.len();
        let half = student(n)?;
        let mean = known.iter().sum::<f64>() / n as f64;
        let spread = known.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / (n - 1) as f64;
        let half = half * (spread / n as f64).sqrt();
        Some(Point { x, mean, low: mean - half, high: mean + half })
    };
    let longer =
        |single: &&&Single| single.x[single.x.len() - 1] - end > WORTH_SHOWING * (last - begin);
    let rest = of.iter().filter(longer).map(|single| part(single, end)).collect();
    ((0..POINTS).map(at).filter_map(point).collect(), rest)
}

/// What a curve is between its points.
fn value(single: &Single, x: f64) -> Option<f64> {
    let after = single.x.partition_point(|&known| known < x);
    let (x1, y1) = (*single.x.get(after)?, single.y[after]);
    if x1 == x {
        return Some(y1);
    }
    let (x0, y0) = (single.x[after.checked_sub(1)?], single.y[after - 1]);
    Some(y0 + (y1 - y0) * (x - x0) / (x1 - x0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(group: u64, shift: f64, end: usize) -> Single {
        let x: Vec<f64> = (0..=end).map(|i| i as f64).collect();
        let y = x.iter().map(|x| x + shift).collect();
        Single { group, label: format!("group {group}"), x, y }
    }

    #[test]
    fn seeds_become_a_mean_and_a_band() {
        let lines = together(&[single(1, 0.0, 10), single(2, 0.0, 5), single(1, 2.0, 10)]);
        assert_eq!(lines.len(), 2);
        let a = &lines[0];
        assert_eq!((&a.label[..], a.banded, a.points.len()), ("group 1 (2 seeds)", true, POINTS));
        for point in &a.points {
            assert!((point.mean - point.x - 1.0).abs() < 1e-9);
            // Two numbers, two apart: 12.706 standard errors of one.
            assert!((point.high - point.mean - 12.706).abs() < 1e-6);
        }
        assert_eq!((lines[1].label.as_str(), lines[1].banded), ("group 2", false));
    }

    #[test]
    fn mean_and_band_end_where_not_all_are_known() {
        let lines = together(&[single(1, 0.0, 10), single(1, 1.0, 4), single(1, 2.0, 6)]);
        let line = &lines[0];
        assert_eq!(line.points.last().unwrap().x, 4.0);
        // Three seeds all the way: the same width, and no jump.
        let wide = |p: &Point| p.high - p.low;
        assert!(line.points.iter().all(|p| (wide(p) - wide(&line.points[0])).abs() < 1e-9));
        // The longer ones go on by themselves, without a band.
        let ends: Vec<f64> = line.rest.iter().map(|rest| rest.last().unwrap().x).collect();
        assert_eq!(ends, [10.0, 6.0]);
        assert!(line.rest.iter().flatten().all(|p| p.low == p.high && p.x >= 4.0));
    }

    #[test]
    fn seeds_that_share_nothing_have_no_band() {
        let mut late = single(1, 0.0, 3);
        late.x.iter_mut().for_each(|x| *x += 10.0);
        let lines = together(&[single(1, 0.0, 4), late]);
        assert!(lines[0].points.is_empty());
        assert_eq!(lines[0].rest.len(), 2);
        let empty = Single { x: vec![], y: vec![], ..single(1, 0.0, 1) };
        assert!(together(&[empty])[0].points.is_empty());
    }
}

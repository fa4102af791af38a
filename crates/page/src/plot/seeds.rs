//! Curves of runs that differ in their seed alone, as one with a band.

use lanista_train::evaluate::student;

use super::figure::{Line, Point};

/// The curve of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Single {
    /// What it is a seed of.
    pub group: String,
    /// What it is called by itself.
    pub name: String,
    /// `[points]`, ascending.
    pub x: Vec<f64>,
    /// `[points]`
    pub y: Vec<f64>,
}

/// Points of a curve with a band.
const POINTS: usize = 400;

/// One line for each group, in the order in which groups come first.
pub fn together(singles: &[Single]) -> Vec<Line> {
    let mut groups: Vec<&str> = Vec::new();
    for single in singles {
        if !groups.contains(&single.group.as_str()) {
            groups.push(&single.group);
        }
    }
    let line = |group: &&str| {
        let of: Vec<&Single> =
            singles.iter().filter(|s| s.group == *group && !s.x.is_empty()).collect();
        match of[..] {
            [] => Line { label: (*group).to_owned(), points: Vec::new(), banded: false },
            [one] => {
                let points = one.x.iter().zip(&one.y);
                let points = points.map(|(&x, &y)| Point { x, mean: y, low: y, high: y });
                Line { label: one.name.clone(), points: points.collect(), banded: false }
            }
            _ => Line {
                label: format!("{group} ({} seeds)", of.len()),
                points: banded(&of),
                banded: true,
            },
        }
    };
    groups.iter().map(line).collect()
}

/// Mean and interval where at least two of them are known.
fn banded(of: &[&Single]) -> Vec<Point> {
    let mut begins: Vec<f64> = of.iter().map(|s| s.x[0]).collect();
    let mut ends: Vec<f64> = of.iter().map(|s| s.x[s.x.len() - 1]).collect();
    begins.sort_by(f64::total_cmp);
    ends.sort_by(f64::total_cmp);
    let (low, high) = (begins[1], ends[ends.len() - 2]);
    if low.partial_cmp(&high) != Some(std::cmp::Ordering::Less) {
        return Vec::new();
    }
    let at = |i: usize| low + (high - low) * i as f64 / (POINTS - 1) as f64;
    let point = |x: f64| {
        let known: Vec<f64> = of.iter().filter_map(|single| value(single, x)).collect();
        let n = known.len();
        let half = student(n)?;
        let mean = known.iter().sum::<f64>() / n as f64;
        let spread = known.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / (n - 1) as f64;
        let half = half * (spread / n as f64).sqrt();
        Some(Point { x, mean, low: mean - half, high: mean + half })
    };
    (0..POINTS).map(at).filter_map(point).collect()
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

    fn single(group: &str, shift: f64, end: usize) -> Single {
        let x: Vec<f64> = (0..=end).map(|i| i as f64).collect();
        let y = x.iter().map(|x| x + shift).collect();
        Single { group: group.into(), name: format!("{group}-{shift}"), x, y }
    }

    #[test]
    fn seeds_become_a_mean_and_a_band() {
        let lines = together(&[single("a", 0.0, 10), single("b", 0.0, 5), single("a", 2.0, 10)]);
        assert_eq!(lines.len(), 2);
        let a = &lines[0];
        assert_eq!((a.label.as_str(), a.banded, a.points.len()), ("a (2 seeds)", true, POINTS));
        for point in &a.points {
            assert!((point.mean - point.x - 1.0).abs() < 1e-9);
            // Two numbers, two apart: 12.706 standard errors of one.
            assert!((point.high - point.mean - 12.706).abs() < 1e-6);
        }
        assert_eq!((lines[1].label.as_str(), lines[1].banded), ("b-0", false));
    }

    #[test]
    fn the_band_ends_where_fewer_than_two_are_known() {
        let lines = together(&[single("a", 0.0, 10), single("a", 1.0, 4), single("a", 2.0, 6)]);
        let last = lines[0].points.last().unwrap();
        assert_eq!(last.x, 6.0);
        let empty = Single { group: "a".into(), name: "x".into(), x: vec![], y: vec![] };
        assert!(together(&[empty])[0].points.is_empty());
    }
}

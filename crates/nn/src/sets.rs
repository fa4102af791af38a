//! Sets of rows, and one row from each: its mean and its largest numbers.
//!
//! Sets of unequal size lie side by side without padding, so what is absent costs nothing and is
//! read by nobody.

use std::ops::Range;

/// Which rows belong together: set `s` is a run of rows, right after set `s - 1`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sets {
    ends: Vec<usize>,
}

impl Sets {
    /// Forgets all sets.
    pub fn clear(&mut self) {
        self.ends.clear();
    }

    /// Ends a set before row `end`; it began where the last one ended.
    pub fn push(&mut self, end: usize) {
        debug_assert!(end >= self.rows());
        self.ends.push(end);
    }

    /// How many sets.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Are there no sets?
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Rows over all sets.
    pub fn rows(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The rows of each set.
    pub fn iter(&self) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        self.ends.iter().map(move |&end| std::mem::replace(&mut start, end)..end)
    }
}

/// Pools `x[rows, width]` into `y`, in which the rows of two sets are `stride` numbers apart: the
/// mean of each set and beside it the largest of each column, both zero for an empty set. `largest`
/// is left to tell which row had it.
pub fn mean_max(
    sets: &Sets,
    width: usize,
    x: &[f32],
    y: &mut [f32],
    stride: usize,
    largest: &mut Vec<u32>,
) {
    largest.clear();
    largest.resize(sets.len() * width, 0);
    for (s, rows) in sets.iter().enumerate() {
        let (mean, max) = y[s * stride..s * stride + 2 * width].split_at_mut(width);
        let largest = &mut largest[s * width..(s + 1) * width];
        if rows.is_empty() {
            mean.fill(0.0);
            max.fill(0.0);
            continue;
        }
        let scale = 1.0 / rows.len() as f32;
        let first = rows.start;
        mean.copy_from_slice(&x[first * width..(first + 1) * width]);
        max.copy_from_slice(mean);
        largest.fill(first as u32);
        for r in first + 1..rows.end {
            let row = &x[r * width..(r + 1) * width];
            mean.iter_mut().zip(row).for_each(|(m, v)| *m += v);
            for ((m, at), &v) in max.iter_mut().zip(&mut *largest).zip(row) {
                let larger = v > *m;
                *m = if larger { v } else { *m };
                *at = if larger { r as u32 } else { *at };
            }
        }
        mean.iter_mut().for_each(|m| *m *= scale);
    }
}

/// Writes `dx[rows, width]` from `dy`, which lies as `y` did in [`mean_max`].
pub fn mean_max_backward(
    sets: &Sets,
    width: usize,
    dy: &[f32],
    stride: usize,
    largest: &[u32],
    dx: &mut [f32],
) {
    for (s, rows) in sets.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
        let (mean, max) = dy[s * stride..s * stride + 2 * width].split_at(width);
        let scale = 1.0 / rows.len() as f32;
        for row in dx[rows.start * width..rows.end * width].chunks_exact_mut(width) {
            row.iter_mut().zip(mean).for_each(|(d, m)| *d = m * scale);
        }
        let largest = &largest[s * width..(s + 1) * width];
        for (column, (&r, d)) in largest.iter().zip(max).enumerate() {
            dx[r as usize * width + column] += d;
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::testing::{check_gradient, numbers};

    /// Sets of these sizes.
    pub fn sets_of(sizes: &[usize]) -> Sets {
        let mut sets = Sets::default();
        sizes.iter().for_each(|n| sets.push(sets.rows() + n));
        sets
    }

    #[test]
    fn pools_what_is_there() {
        let sets = sets_of(&[2, 0, 1]);
        let x = [1.0, -5.0, 3.0, -7.0, -1.0, -2.0];
        let mut y = vec![9.0; 15];
        mean_max(&sets, 2, &x, &mut y[1..], 5, &mut Vec::new());
        let want =
            [9.0, 2.0, -6.0, 3.0, -5.0, 9.0, 0.0, 0.0, 0.0, 0.0, 9.0, -1.0, -2.0, -1.0, -2.0];
        assert_eq!(y, want);
    }

    #[test]
    fn agrees_with_finite_differences() {
        let (sets, width, stride) = (sets_of(&[3, 0, 1, 4, 0]), 5, 12);
        let x = numbers(sets.rows() * width, 1);
        let coef = numbers(sets.len() * stride, 2);
        let loss = |x: &[f32]| -> f64 {
            let mut y = vec![0.0; sets.len() * stride];
            mean_max(&sets, width, x, &mut y[2..], stride, &mut Vec::new());
            y.iter().zip(&coef).map(|(y, c)| (y * c) as f64).sum()
        };
        let (mut y, mut largest) = (vec![0.0; sets.len() * stride], Vec::new());
        mean_max(&sets, width, &x, &mut y[2..], stride, &mut largest);
        let mut dx = vec![9.0; x.len()];
        mean_max_backward(&sets, width, &coef[2..], stride, &largest, &mut dx);
        check_gradient("x", &x, &dx, loss);
    }
}

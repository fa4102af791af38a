//! Running mean and deviation of observations.

use serde::{Deserialize, Serialize};

/// Normalised numbers are cut off here: an outlier must not dominate a gradient.
const LIMIT: f32 = 10.0;
const EPSILON: f64 = 1e-8;

/// Mean and deviation of each feature over everything seen so far. It changes only between
/// iterations, so that a rollout and the update on it see the same numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Normalizer {
    /// How many observations were seen.
    pub count: f64,
    /// Mean of each feature.
    pub mean: Vec<f64>,
    /// Sum of squared distances from the mean, of each feature.
    pub squares: Vec<f64>,
    #[serde(skip)]
    shift: Vec<f32>,
    #[serde(skip)]
    scale: Vec<f32>,
}

impl Normalizer {
    /// A normaliser that has seen nothing and changes nothing.
    pub fn new(features: usize) -> Self {
        let mut new = Self {
            count: 0.0,
            mean: vec![0.0; features],
            squares: vec![0.0; features],
            shift: Vec::new(),
            scale: Vec::new(),
        };
        new.refresh();
        new
    }

    /// A normaliser with these statistics; `None` if they contradict each other, or if single
    /// precision cannot hold what follows from them.
    pub fn restore(count: f64, mean: Vec<f64>, squares: Vec<f64>) -> Option<Self> {
        let sound = mean.len() == squares.len()
            && count >= 0.0
            && squares.iter().all(|&s| s >= 0.0)
            && mean.iter().chain(&squares).chain([&count]).all(|v| v.is_finite());
        let mut new = Self { count, mean, squares, shift: Vec::new(), scale: Vec::new() };
        if sound {
            new.refresh();
        }
        let usable = new.shift.iter().chain(&new.scale).all(|v| v.is_finite());
        (sound && usable).then_some(new)
    }

    fn refresh(&mut self) {
        self.shift = self.mean.iter().map(|&m| m as f32).collect();
        let count = self.count;
        self.scale = self
            .squares
            .iter()
            .map(|&s| if count < 2.0 { 1.0 } else { (1.0 / (s / count + EPSILON).sqrt()) as f32 })
            .collect();
    }

    /// Normalises whole rows in place.
    pub fn apply(&self, rows: &mut [f32]) {
        if self.shift.is_empty() {
            return;
        }
        for row in rows.chunks_exact_mut(self.shift.len()) {
            for ((v, shift), scale) in row.iter_mut().zip(&self.shift).zip(&self.scale) {
                *v = ((*v - shift) * scale).clamp(-LIMIT, LIMIT);
            }
        }
    }

    /// How unlike everything seen so far a row is: by how many deviations beyond the first its
    /// numbers lie from their means, each as the policy sees it, summed over the features in
    /// `counted`. To a normaliser that has seen nothing, nothing is novel.
    pub fn novelty(&self, row: &[f32], counted: &[usize]) -> f32 {
        if self.count < 2.0 {
            return 0.0;
        }
        let beyond = |&f: &usize| {
            let normal = ((row[f] - self.shift[f]) * self.scale[f]).clamp(-LIMIT, LIMIT);
            (normal.abs() - 1.0).max(0.0)
        };
        counted.iter().map(beyond).sum()
    }

    /// Learns from whole rows (Chan, Golub, LeVeque 1979: a batch is merged, not added one by one).
    pub fn update<'a>(&mut self, batches: impl Iterator<Item = &'a [f32]>) {
        let features = self.mean.len();
        if features == 0 {
            return;
        }
        for batch in batches.filter(|b| !b.is_empty()) {
            let n = (batch.len() / features) as f64;
            let mut mean = vec![0.0f64; features];
            for row in batch.chunks_exact(features) {
                mean.iter_mut().zip(row).for_each(|(m, &v)| *m += v as f64);
            }
            mean.iter_mut().for_each(|m| *m /= n);
            let mut squares = vec![0.0f64; features];
            for row in batch.chunks_exact(features) {
                for ((s, m), &v) in squares.iter_mut().zip(&mean).zip(row) {
                    *s += (v as f64 - m) * (v as f64 - m);
                }
            }
            let total = self.count + n;
            for f in 0..features {
                let delta = mean[f] - self.mean[f];
                self.mean[f] += delta * n / total;
                self.squares[f] += squares[f] + delta * delta * self.count * n / total;
            }
            self.count = total;
        }
        self.refresh();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_merge_to_the_whole() {
        let rows: Vec<f32> = (0..60).map(|i| ((i * 37) % 23) as f32 * 0.5 - 3.0).collect();
        let mut whole = Normalizer::new(3);
        whole.update([&rows[..]].into_iter());
        let mut parts = Normalizer::new(3);
        parts.update([&rows[..6], &rows[6..33], &[], &rows[33..]].into_iter());
        for f in 0..3 {
            assert!((whole.mean[f] - parts.mean[f]).abs() < 1e-12);
            assert!((whole.squares[f] - parts.squares[f]).abs() < 1e-9);
        }
        let mut normal = rows.clone();
        whole.apply(&mut normal);
        let mean: f32 = normal.iter().step_by(3).sum::<f32>() / 20.0;
        let square: f32 = normal.iter().step_by(3).map(|v| v * v).sum::<f32>() / 20.0;
        assert!(mean.abs() < 1e-5 && (square - 1.0).abs() < 1e-4);
    }

    #[test]
    fn fresh_is_the_identity_and_constants_stay_finite() {
        let mut n = Normalizer::new(1);
        let mut row = [3.0];
        n.apply(&mut row);
        assert_eq!(row, [3.0]);
        n.update([&[5.0f32, 5.0, 5.0][..]].into_iter());
        let mut row = [5.0];
        n.apply(&mut row);
        assert_eq!(row, [0.0]);
    }
}

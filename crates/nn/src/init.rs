//! Initial weights, drawn from a seed.

use std::f64::consts::TAU;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Draws initial weights. Equal seeds and equal calls give equal weights.
#[derive(Clone, Debug)]
pub struct Initializer {
    rng: Xoshiro256PlusPlus,
    /// Box–Muller makes gaussians in pairs; this is the second of the last pair.
    spare: Option<f64>,
}

impl Initializer {
    /// A stream of weights from a seed.
    pub fn new(seed: u64) -> Self {
        Self { rng: Xoshiro256PlusPlus::seed_from_u64(seed), spare: None }
    }

    /// Fills a row-major matrix with a random (semi-)orthogonal one times `gain`.
    ///
    /// A tall matrix gets orthogonal columns, a wide one orthogonal rows, each of length `gain`.
    /// The distribution is uniform over such matrices (Saxe et al. 2014, as in PyTorch's
    /// `orthogonal_`). Gram–Schmidt draws it directly: its R has a positive diagonal, which is
    /// the sign correction that a Householder factorisation needs afterwards.
    ///
    /// # Panics
    ///
    /// If `values` does not hold `rows * cols` numbers.
    pub fn orthogonal(&mut self, values: &mut [f32], rows: usize, cols: usize, gain: f32) {
        assert_eq!(values.len(), rows * cols, "orthogonal init of a {rows}×{cols} matrix");
        if values.is_empty() {
            return;
        }
        let (count, len) = if rows < cols { (rows, cols) } else { (cols, rows) };
        let mut basis = vec![0.0f64; count * len];
        for i in 0..count {
            let (done, rest) = basis.split_at_mut(i * len);
            let vector = &mut rest[..len];
            self.unit_vector_beside(done, vector);
        }
        for (i, vector) in basis.chunks_exact(len).enumerate() {
            for (j, &x) in vector.iter().enumerate() {
                let at = if rows < cols { i * cols + j } else { j * cols + i };
                values[at] = (x * f64::from(gain)) as f32;
            }
        }
    }

    /// Fills `values` uniformly from `-bound..bound`.
    pub fn uniform(&mut self, values: &mut [f32], bound: f32) {
        for value in values {
            *value = ((self.unit() * 2.0 - 1.0) * f64::from(bound)) as f32;
        }
    }

    /// A random unit vector at right angles to the orthonormal vectors in `done`.
    fn unit_vector_beside(&mut self, done: &[f64], vector: &mut [f64]) {
        loop {
            vector.iter_mut().for_each(|x| *x = self.gaussian());
            let before = norm(vector);
            // The second pass removes what rounding left of the first: "twice is enough".
            for _ in 0..2 {
                for other in done.chunks_exact(vector.len()) {
                    let along = dot(vector, other);
                    vector.iter_mut().zip(other).for_each(|(x, &o)| *x -= along * o);
                }
            }
            let after = norm(vector);
            // A draw that nearly lies in the span would keep only noise: draw again.
            if after > 1e-10 * before {
                vector.iter_mut().for_each(|x| *x /= after);
                return;
            }
        }
    }

    /// Uniform in `0..1` with all 53 bits.
    fn unit(&mut self) -> f64 {
        (self.rng.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A standard gaussian, by Box–Muller.
    fn gaussian(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        // One minus a number in 0..1 is never zero, so the logarithm is finite.
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        let (sin, cos) = (TAU * self.unit()).sin_cos();
        self.spare = Some(radius * sin);
        radius * cos
    }
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut lanes = [0.0; LANES];
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    for (x, y) in a_blocks.iter().zip(b_blocks) {
        for l in 0..LANES {
            lanes[l] += x[l] * y[l];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    lanes.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks QᵀQ = gain² I over columns of a tall matrix, or over rows of a wide one.
    fn check_orthogonal(rows: usize, cols: usize, gain: f32) {
        let mut w = vec![0.0; rows * cols];
        Initializer::new(7).orthogonal(&mut w, rows, cols, gain);
        let (count, len) = (rows.min(cols), rows.max(cols));
        let at = |i: usize, j: usize| {
            f64::from(if rows < cols { w[i * cols + j] } else { w[j * cols + i] })
        };
        for i in 0..count {
            for k in 0..count {
                let product: f64 = (0..len).map(|j| at(i, j) * at(k, j)).sum();
                let wanted = if i == k { f64::from(gain).powi(2) } else { 0.0 };
                assert!((product - wanted).abs() < 1e-5, "{rows}×{cols}: ({i},{k}) is {product}");
            }
        }
    }

    #[test]
    fn rows_or_columns_are_orthogonal() {
        check_orthogonal(4, 64, 2f32.sqrt());
        check_orthogonal(64, 4, 2f32.sqrt());
        check_orthogonal(64, 64, 1.0);
        check_orthogonal(200, 96, 1.0);
        check_orthogonal(1, 1, 0.01);
        check_orthogonal(64, 1, 0.01);
        check_orthogonal(0, 3, 1.0);
    }

    #[test]
    fn both_signs_are_drawn() {
        // Without a sign correction the first entry would always have the same sign.
        let mut init = Initializer::new(1);
        let mut sum = 0.0;
        let mut squares = 0.0;
        for _ in 0..2000 {
            let mut w = [0.0; 9];
            init.orthogonal(&mut w, 3, 3, 1.0);
            sum += w[0];
            squares += w[0] * w[0];
        }
        assert!((sum / 2000.0).abs() < 0.05, "mean {}", sum / 2000.0);
        assert!((squares / 2000.0 - 1.0 / 3.0).abs() < 0.03, "mean square {}", squares / 2000.0);
    }

    #[test]
    fn equal_seeds_give_equal_weights() {
        let draw = |seed| {
            let mut w = [0.0; 12];
            Initializer::new(seed).orthogonal(&mut w, 4, 3, 1.0);
            w
        };
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(3), draw(4));
    }

    #[test]
    fn uniform_fills_its_interval() {
        let mut w = vec![0.0; 10_000];
        let bound = 1.0 / 16.0;
        Initializer::new(0).uniform(&mut w, bound);
        let (min, max) = w.iter().fold((0f32, 0f32), |(lo, hi), &x| (lo.min(x), hi.max(x)));
        assert!(min >= -bound && min < -0.99 * bound);
        assert!(max <= bound && max > 0.99 * bound);
        let mean = w.iter().sum::<f32>() / w.len() as f32;
        assert!(mean.abs() < 0.02 * bound);
    }

    #[test]
    fn gaussians_have_unit_variance() {
        let mut init = Initializer::new(11);
        let draws: Vec<f64> = (0..100_000).map(|_| init.gaussian()).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|x| x * x).sum::<f64>() / draws.len() as f64;
        let fourth = draws.iter().map(|x| x.powi(4)).sum::<f64>() / draws.len() as f64;
        assert!(mean.abs() < 0.02, "{mean}");
        assert!((variance - 1.0).abs() < 0.03, "{variance}");
        assert!((fourth - 3.0).abs() < 0.2, "{fourth}");
    }
}

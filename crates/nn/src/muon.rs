//! The orthogonal direction of Muon.
//!
//! Muon (Keller Jordan et al. 2024, <https://kellerjordan.github.io/posts/muon/>) replaces the
//! step of a weight matrix by the nearest semi-orthogonal matrix, so that every direction of the
//! layer learns at the same pace. A quintic Newton–Schulz iteration finds it with matrix products
//! alone: each step maps every singular value s to 3.4445 s − 4.7750 s³ + 2.0315 s⁵. The
//! coefficients trade exactness for slope at zero: five steps bring singular values into about
//! 0.7..1.2 instead of exactly to one, and that is enough.

use crate::clip::global_norm;
use crate::matmul::{product, product_input};

const A: f32 = 3.4445;
const B: f32 = -4.7750;
const C: f32 = 2.0315;

/// Newton–Schulz iteration with buffers that outlive a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewtonSchulz {
    /// The iterate, never taller than wide.
    x: Vec<f32>,
    product: Vec<f32>,
    /// X Xᵀ, and then the polynomial in it.
    gram: Vec<f32>,
    gram_squared: Vec<f32>,
}

impl NewtonSchulz {
    /// Replaces a row-major matrix by a nearly semi-orthogonal one with the same singular vectors.
    pub(crate) fn orthogonalise(
        &mut self,
        matrix: &mut [f32],
        rows: usize,
        cols: usize,
        steps: u32,
    ) {
        debug_assert_eq!(matrix.len(), rows * cols);
        // Work on the orientation with the smaller X Xᵀ; the iteration commutes with transposing.
        let (m, n) = (rows.min(cols), rows.max(cols));
        for buffer in [&mut self.x, &mut self.product] {
            buffer.resize(m * n, 0.0);
        }
        for buffer in [&mut self.gram, &mut self.gram_squared] {
            buffer.resize(m * m, 0.0);
        }
        if rows > cols {
            transpose(rows, cols, matrix, &mut self.x);
        } else {
            self.x.copy_from_slice(matrix);
        }
        // The Frobenius norm bounds the largest singular value: the iteration starts within 0..1.
        let scale = (1.0 / (global_norm(matrix) + 1e-7)) as f32;
        self.x.iter_mut().for_each(|x| *x *= scale);

        for _ in 0..steps {
            product_input(m, m, n, &self.x, &self.x, &mut self.gram, false);
            product(m, m, m, &self.gram, &self.gram, &mut self.gram_squared, false);
            for (g, &g2) in self.gram.iter_mut().zip(&self.gram_squared) {
                *g = B * *g + C * g2;
            }
            product(m, m, n, &self.gram, &self.x, &mut self.product, false);
            for (x, &p) in self.x.iter_mut().zip(&self.product) {
                *x = A * *x + p;
            }
        }
        if rows > cols {
            transpose(cols, rows, &self.x, matrix);
        } else {
            matrix.copy_from_slice(&self.x);
        }
    }
}

fn transpose(rows: usize, cols: usize, from: &[f32], to: &mut [f32]) {
    for i in 0..rows {
        for j in 0..cols {
            to[j * rows + i] = from[i * cols + j];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init::Initializer;

    /// Singular values by one-sided Jacobi rotations: slow, short and independent of the iteration.
    fn singular_values(rows: usize, cols: usize, matrix: &[f32]) -> Vec<f64> {
        let (m, n) = (rows.min(cols), rows.max(cols));
        let at = |i: usize, j: usize| {
            f64::from(if rows < cols { matrix[i * cols + j] } else { matrix[j * cols + i] })
        };
        let mut v: Vec<Vec<f64>> = (0..m).map(|i| (0..n).map(|j| at(i, j)).collect()).collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        for _ in 0..40 {
            for p in 0..m {
                for q in p + 1..m {
                    let (alpha, beta) = (dot(&v[p], &v[p]), dot(&v[q], &v[q]));
                    let gamma = dot(&v[p], &v[q]);
                    if gamma.abs() <= 1e-15 * (alpha * beta).sqrt() {
                        continue;
                    }
                    let zeta = (beta - alpha) / (2.0 * gamma);
                    let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                    let c = 1.0 / (1.0 + t * t).sqrt();
                    let s = c * t;
                    for j in 0..n {
                        let (x, y) = (v[p][j], v[q][j]);
                        v[p][j] = c * x - s * y;
                        v[q][j] = s * x + c * y;
                    }
                }
            }
        }
        v.iter().map(|row| dot(row, row).sqrt()).collect()
    }

    fn random(rows: usize, cols: usize, seed: u64) -> Vec<f32> {
        let mut matrix = vec![0.0; rows * cols];
        Initializer::new(seed).uniform(&mut matrix, 3.0);
        matrix
    }

    #[test]
    fn singular_values_end_near_one() {
        for (rows, cols) in [(8, 8), (16, 64), (64, 16), (5, 1), (24, 40)] {
            // A square random matrix has singular values near zero, which five steps only begin
            // to lift; the identity added here keeps them away from it.
            let mut matrix = random(rows, cols, 5);
            for i in 0..rows.min(cols) {
                matrix[i * cols + i] += 6.0;
            }
            NewtonSchulz::default().orthogonalise(&mut matrix, rows, cols, 5);
            for s in singular_values(rows, cols, &matrix) {
                assert!((0.65..1.25).contains(&s), "{rows}×{cols}: {s}");
            }
        }
    }

    #[test]
    fn singular_vectors_stay() {
        // A diagonal matrix has the unit vectors as singular vectors: the result is diagonal.
        let mut matrix = vec![0.0; 12];
        (matrix[0], matrix[5], matrix[10]) = (5.0, -2.0, 1.0);
        NewtonSchulz::default().orthogonalise(&mut matrix, 3, 4, 5);
        for (i, &x) in matrix.iter().enumerate() {
            let wanted = match i {
                0 | 10 => 1.0,
                5 => -1.0,
                _ => 0.0,
            };
            assert!((x - wanted).abs() < if wanted == 0.0 { 1e-6 } else { 0.35 }, "{i}: {x}");
        }
    }

    #[test]
    fn transposing_commutes_and_buffers_can_shrink() {
        let mut shared = NewtonSchulz::default();
        let mut big = random(40, 30, 1);
        shared.orthogonalise(&mut big, 40, 30, 5);

        let mut wide = random(6, 9, 2);
        let mut tall = vec![0.0; 54];
        transpose(6, 9, &wide, &mut tall);
        shared.orthogonalise(&mut wide, 6, 9, 5);
        NewtonSchulz::default().orthogonalise(&mut tall, 9, 6, 5);
        let mut back = vec![0.0; 54];
        transpose(9, 6, &tall, &mut back);
        for (x, y) in wide.iter().zip(&back) {
            assert!((x - y).abs() < 1e-5);
        }
    }

    #[test]
    fn zero_stays_zero() {
        let mut matrix = vec![0.0; 6];
        NewtonSchulz::default().orthogonalise(&mut matrix, 2, 3, 5);
        assert_eq!(matrix, [0.0; 6]);
    }
}

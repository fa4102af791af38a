//! Matrix products over row-major slices: the one door to the `gemm` crate, and a kernel of our own
//! for a few rows, where packing the weights would cost more than the product.

use crate::math::fma;
use crate::narrow;

/// Up to this many rows, the weights are streamed once through registers instead of being packed.
const FEW_ROWS: usize = 3;

/// `y[rows, out] = x[rows, in] · w[in, out]`, added to `y` if `accumulate`.
pub fn product(
    rows: usize,
    input: usize,
    output: usize,
    x: &[f32],
    w: &[f32],
    y: &mut [f32],
    accumulate: bool,
) {
    let (x, w, y) = (&x[..rows * input], &w[..input * output], &mut y[..rows * output]);
    if narrow::fits(input, output) {
        narrow::product(input, output, x, w, y, accumulate);
    } else if rows <= FEW_ROWS {
        few_rows(rows, input, output, x, w, y, accumulate);
    } else {
        gemm(rows, output, input, (x, input, 1), (w, output, 1), y, accumulate);
    }
}

/// `dx[rows, in] = dy[rows, out] · wᵀ`, added to `dx` if `accumulate`.
pub fn product_input(
    rows: usize,
    input: usize,
    output: usize,
    dy: &[f32],
    w: &[f32],
    dx: &mut [f32],
    accumulate: bool,
) {
    let (dy, w, dx) = (&dy[..rows * output], &w[..input * output], &mut dx[..rows * input]);
    if narrow::fits(input, output) {
        narrow::product_input(input, output, dy, w, dx, accumulate);
    } else {
        gemm(rows, input, output, (dy, output, 1), (w, 1, output), dx, accumulate);
    }
}

/// `dw[in, out] += xᵀ · dy`.
pub fn product_weight(
    rows: usize,
    input: usize,
    output: usize,
    x: &[f32],
    dy: &[f32],
    dw: &mut [f32],
) {
    let (x, dy, dw) = (&x[..rows * input], &dy[..rows * output], &mut dw[..input * output]);
    if narrow::fits(input, output) {
        narrow::product_weight(input, output, x, dy, dw);
    } else {
        gemm(input, output, rows, (x, 1, input), (dy, output, 1), dw, true);
    }
}

/// `wᵀ` of row-major `w[rows, columns]`, block by block so that both sides stay in the cache.
pub fn transpose(rows: usize, columns: usize, w: &[f32], out: &mut Vec<f32>) {
    const BLOCK: usize = 16;
    out.resize(rows * columns, 0.0);
    for r0 in (0..rows).step_by(BLOCK) {
        for c0 in (0..columns).step_by(BLOCK) {
            for r in r0..(r0 + BLOCK).min(rows) {
                for c in c0..(c0 + BLOCK).min(columns) {
                    out[c * rows + r] = w[r * columns + c];
                }
            }
        }
    }
}

/// `out[m, n] (+)= a · b`; a matrix comes as its numbers, its row stride and its column stride.
fn gemm(
    m: usize,
    n: usize,
    k: usize,
    (a, a_row, a_column): (&[f32], usize, usize),
    (b, b_row, b_column): (&[f32], usize, usize),
    out: &mut [f32],
    accumulate: bool,
) {
    if m == 0 || n == 0 {
        return;
    }
    if k == 0 {
        // A sum over nothing, whatever the kernels make of it.
        if !accumulate {
            out[..m * n].fill(0.0);
        }
        return;
    }
    assert!(a.len() >= m * k && b.len() >= k * n && out.len() >= m * n);
    // SAFETY: the lengths were checked above, every matrix is dense in one of its two orders, and
    // `out` is borrowed alone.
    #[allow(unsafe_code)]
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out.as_mut_ptr(),
            1,
            n as isize,
            accumulate,
            a.as_ptr(),
            a_column as isize,
            a_row as isize,
            b.as_ptr(),
            b_column as isize,
            b_row as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

/// The product for few rows: the weights are read once, from first to last, as caches like it, and the
/// sums wait in the nearest one. The sums of a row are the same numbers whatever rows are beside it.
fn few_rows(
    rows: usize,
    input: usize,
    output: usize,
    x: &[f32],
    w: &[f32],
    y: &mut [f32],
    accumulate: bool,
) {
    if !accumulate {
        y.fill(0.0);
    }
    match rows {
        0 => {}
        1 => stream_weights::<1>(input, output, x, w, y),
        2 => stream_weights::<2>(input, output, x, w, y),
        _ => stream_weights::<FEW_ROWS>(input, output, x, w, y),
    }
}

/// Adds the product of `R` rows to `y`.
fn stream_weights<const R: usize>(
    input: usize,
    output: usize,
    x: &[f32],
    w: &[f32],
    y: &mut [f32],
) {
    // So many rows of weights at once: each sum is loaded and stored once for all of them.
    const DEPTH: usize = 8;
    let mut rest = y;
    let sums: [&mut [f32]; R] = std::array::from_fn(|_| {
        let (row, others) = std::mem::take(&mut rest).split_at_mut(output);
        rest = others;
        row
    });
    let whole = input - input % DEPTH;
    for first in (0..whole).step_by(DEPTH) {
        let scales: [[f32; DEPTH]; R] =
            std::array::from_fn(|r| std::array::from_fn(|p| x[r * input + first + p]));
        let weights: [&[f32]; DEPTH] =
            std::array::from_fn(|p| &w[(first + p) * output..][..output]);
        for c in 0..output {
            for r in 0..R {
                let mut sum = sums[r][c];
                for p in 0..DEPTH {
                    sum = fma(scales[r][p], weights[p][c], sum);
                }
                sums[r][c] = sum;
            }
        }
    }
    for p in whole..input {
        let weights = &w[p * output..][..output];
        for r in 0..R {
            let scale = x[r * input + p];
            for c in 0..output {
                sums[r][c] = fma(scale, weights[c], sums[r][c]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::numbers;
    use proptest::prelude::*;

    fn naive(
        m: usize,
        n: usize,
        k: usize,
        at: impl Fn(usize, usize) -> f32,
        bt: impl Fn(usize, usize) -> f32,
    ) -> Vec<f64> {
        let mut out = vec![0.0; m * n];
        for i in 0..m {
            for j in 0..n {
                out[i * n + j] = (0..k).map(|p| at(i, p) as f64 * bt(p, j) as f64).sum();
            }
        }
        out
    }

    fn assert_close(got: &[f32], want: &[f64]) {
        for (g, w) in got.iter().zip(want) {
            assert!((*g as f64 - w).abs() < 1e-4, "{g} {w}");
        }
    }

    proptest! {
        #[test]
        fn products_agree_with_the_definition(rows in 0usize..40, input in 0usize..70, output in 1usize..150) {
            let x = numbers(rows * input, 1);
            let w = numbers(input * output, 2);
            let dy = numbers(rows * output, 3);
            let mut y = vec![0.5; rows * output];
            product(rows, input, output, &x, &w, &mut y, true);
            let mut want = naive(rows, output, input, |i, p| x[i * input + p], |p, j| w[p * output + j]);
            want.iter_mut().for_each(|v| *v += 0.5);
            assert_close(&y, &want);

            let mut dx = vec![9.0; rows * input];
            product_input(rows, input, output, &dy, &w, &mut dx, false);
            assert_close(&dx, &naive(rows, input, output, |i, p| dy[i * output + p], |p, j| w[j * output + p]));

            let mut dw = vec![0.0; input * output];
            product_weight(rows, input, output, &x, &dy, &mut dw);
            assert_close(&dw, &naive(input, output, rows, |i, p| x[p * input + i], |p, j| dy[p * output + j]));
        }
    }

    #[test]
    fn rows_do_not_change_the_bits_of_those_beside_them() {
        for (input, output) in [(1, 70), (8, 90), (17, 344), (128, 33)] {
            let (x, w) = (numbers(FEW_ROWS * input, 1), numbers(input * output, 2));
            let alone = |row: usize| {
                let mut y = vec![0.0; output];
                product(1, input, output, &x[row * input..], &w, &mut y, false);
                y
            };
            for rows in 1..=FEW_ROWS {
                let mut y = vec![7.0; rows * output];
                product(rows, input, output, &x, &w, &mut y, false);
                for row in 0..rows {
                    assert_eq!(
                        y[row * output..][..output],
                        alone(row),
                        "{rows} x {input} x {output}"
                    );
                }
            }
        }
    }
}

//! Products with a handful of outputs: heads and values. A general kernel pads them to its tile and
//! wastes most of it; here each output is a dot product over whole vectors.

use crate::math::fma;

/// So few outputs count as narrow.
const NARROW: usize = 8;
/// The weights are turned round on the stack, so there is a limit to them.
const ROOM: usize = 4096;
/// Sums kept side by side in a dot product.
const LANES: usize = 16;
/// Rows worked on together.
const ROWS: usize = 4;

/// Is this product better done here?
#[inline]
pub fn fits(input: usize, output: usize) -> bool {
    output <= NARROW && input >= 16 && input * output <= ROOM
}

/// `wᵀ`: `[output, input]`.
#[inline]
fn turned(input: usize, output: usize, w: &[f32], room: &mut [f32; ROOM]) {
    for (k, row) in w.chunks_exact(output).enumerate() {
        for (j, v) in row.iter().enumerate() {
            room[j * input + k] = *v;
        }
    }
}

/// `y = x · w`, added to `y` if `accumulate`.
pub fn product(input: usize, output: usize, x: &[f32], w: &[f32], y: &mut [f32], accumulate: bool) {
    let mut room = [0.0; ROOM];
    turned(input, output, w, &mut room);
    let (x_whole, mut y_whole) = (x.chunks_exact(ROWS * input), y.chunks_exact_mut(ROWS * output));
    let x_rest = x_whole.remainder();
    for (x, y) in x_whole.zip(&mut y_whole) {
        block::<ROWS>(input, output, x, &room, y, accumulate);
    }
    let y_rest = y_whole.into_remainder();
    for (x, y) in x_rest.chunks_exact(input).zip(y_rest.chunks_exact_mut(output)) {
        block::<1>(input, output, x, &room, y, accumulate);
    }
}

/// `R` rows against every output. Each sum is a chain of additions: several rows at once keep the
/// processor busy while one waits for the other.
#[inline(always)]
fn block<const R: usize>(
    input: usize,
    output: usize,
    x: &[f32],
    w: &[f32; ROOM],
    y: &mut [f32],
    accumulate: bool,
) {
    let whole = input / LANES * LANES;
    for (j, w) in w.chunks_exact(input).take(output).enumerate() {
        let mut lanes = [[0.0f32; LANES]; R];
        for k in (0..whole).step_by(LANES) {
            let w = &w[k..k + LANES];
            for r in 0..R {
                let x = &x[r * input + k..r * input + k + LANES];
                for l in 0..LANES {
                    lanes[r][l] = fma(x[l], w[l], lanes[r][l]);
                }
            }
        }
        for r in 0..R {
            let mut rest = 0.0;
            for k in whole..input {
                rest = fma(x[r * input + k], w[k], rest);
            }
            // Halving keeps the additions wide to the end.
            let eight: [f32; 8] = std::array::from_fn(|l| lanes[r][l] + lanes[r][l + 8]);
            let four: [f32; 4] = std::array::from_fn(|l| eight[l] + eight[l + 4]);
            let sum = (four[0] + four[2]) + (four[1] + four[3]) + rest;
            let y = &mut y[r * output + j];
            *y = if accumulate { *y + sum } else { sum };
        }
    }
}

/// `dx = dy · wᵀ`, added to `dx` if `accumulate`.
pub fn product_input(
    input: usize,
    output: usize,
    dy: &[f32],
    w: &[f32],
    dx: &mut [f32],
    accumulate: bool,
) {
    let mut room = [0.0; ROOM];
    turned(input, output, w, &mut room);
    for (dy, dx) in dy.chunks_exact(output).zip(dx.chunks_exact_mut(input)) {
        for (j, (d, w)) in dy.iter().zip(room.chunks_exact(input)).enumerate() {
            if j == 0 && !accumulate {
                dx.iter_mut().zip(w).for_each(|(o, w)| *o = d * w);
            } else {
                dx.iter_mut().zip(w).for_each(|(o, w)| *o = fma(*d, *w, *o));
            }
        }
    }
}

/// `dw += xᵀ · dy`.
pub fn product_weight(input: usize, output: usize, x: &[f32], dy: &[f32], dw: &mut [f32]) {
    // Several rows at a time, so that the sums travel to and from the cache less often.
    let mut room = [0.0; ROOM];
    let (x_whole, dy_whole) = (x.chunks_exact(ROWS * input), dy.chunks_exact(ROWS * output));
    let rest =
        x_whole.remainder().chunks_exact(input).zip(dy_whole.remainder().chunks_exact(output));
    for (x, dy) in x_whole.zip(dy_whole) {
        let (x0, x) = x.split_at(input);
        let (x1, x) = x.split_at(input);
        let (x2, x3) = x.split_at(input);
        for (j, sums) in room.chunks_exact_mut(input).take(output).enumerate() {
            let (d0, d1, d2, d3) = (dy[j], dy[output + j], dy[2 * output + j], dy[3 * output + j]);
            for ((((s, a), b), c), d) in sums.iter_mut().zip(x0).zip(x1).zip(x2).zip(x3) {
                *s = fma(*a, d0, fma(*b, d1, fma(*c, d2, fma(*d, d3, *s))));
            }
        }
    }
    for (x, dy) in rest {
        for (d, sums) in dy.iter().zip(room.chunks_exact_mut(input)) {
            sums.iter_mut().zip(x).for_each(|(s, x)| *s = fma(*x, *d, *s));
        }
    }
    for (j, sums) in room.chunks_exact(input).take(output).enumerate() {
        for (k, s) in sums.iter().enumerate() {
            dw[k * output + j] += s;
        }
    }
}

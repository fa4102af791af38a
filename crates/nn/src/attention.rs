//! Self-attention among the rows of each set (Vaswani et al. 2017): several heads, scaled dot
//! products, a residual. Sets have no padding, so there is nothing to mask.

use crate::buffer::grow;
use crate::math::{exp, fma};
use crate::sets::Sets;
use crate::{Group, Initializer, Layout, Linear};

/// `y = x + out(heads(softmax(q kᵀ / sqrt(d)) v))`, with `d` numbers a head.
#[derive(Clone, Debug)]
pub struct Attention {
    width: usize,
    heads: usize,
    /// Queries, keys and values, side by side.
    qkv: Linear,
    out: Linear,
}

/// What a forward pass keeps for the backward pass.
#[derive(Clone, Debug, Default)]
pub struct AttentionCache {
    qkv: Vec<f32>,
    /// For each set, head and query the weight of each key.
    weights: Vec<f32>,
    /// What the heads saw, side by side.
    seen: Vec<f32>,
    output: Vec<f32>,
    d_qkv: Vec<f32>,
    d_seen: Vec<f32>,
    /// Gradients of one query's weights.
    d_weights: Vec<f32>,
}

impl Attention {
    /// Adds the tensors to a layout.
    ///
    /// # Panics
    ///
    /// If the heads do not divide the width.
    pub fn new(layout: &mut Layout, name: &str, width: usize, heads: usize, group: Group) -> Self {
        assert!(width.is_multiple_of(heads), "{heads} heads for a width of {width}");
        let qkv = Linear::new(layout, &format!("{name}.qkv"), width, 3 * width, group, true);
        let out = Linear::new(layout, &format!("{name}.out"), width, width, group, true);
        Self { width, heads, qkv, out }
    }

    /// Orthogonal weights, zero biases. The three parts of the first matrix share its rows, so they
    /// are of gain 1 each when it is of gain √3.
    pub fn init(&self, params: &mut [f32], init: &mut Initializer) {
        self.qkv.init(params, 3f32.sqrt(), init);
        self.out.init(params, 1.0, init);
    }

    /// Runs the sets on `x[rows, width]`; the result is [`AttentionCache::output`].
    pub fn forward(&self, params: &[f32], sets: &Sets, x: &[f32], cache: &mut AttentionCache) {
        let (rows, width) = (sets.rows(), self.width);
        let AttentionCache { qkv, weights, seen, output, .. } = cache;
        grow(qkv, rows * 3 * width);
        grow(seen, rows * width);
        grow(output, rows * width);
        grow(weights, sets.iter().map(|set| self.heads * set.len() * set.len()).sum());
        self.qkv.forward(params, rows, x, qkv);
        let mut rest = &mut weights[..];
        for set in sets.iter() {
            let n = set.len();
            let (weights, after) = rest.split_at_mut(self.heads * n * n);
            rest = after;
            let qkv = &qkv[set.start * 3 * width..set.end * 3 * width];
            let seen = &mut seen[set.start * width..set.end * width];
            for h in 0..self.heads {
                let weights = &mut weights[h * n * n..(h + 1) * n * n];
                self.forward_head(h, n, qkv, weights, seen);
            }
        }
        self.out.forward(params, rows, seen, output);
        output[..rows * width].iter_mut().zip(x).for_each(|(y, x)| *y += x);
    }

    fn forward_head(&self, h: usize, n: usize, qkv: &[f32], weights: &mut [f32], seen: &mut [f32]) {
        let (width, d) = (self.width, self.width / self.heads);
        let part = |row: usize, part: usize| {
            let at = row * 3 * width + part * width + h * d;
            &qkv[at..at + d]
        };
        let scale = 1.0 / (d as f32).sqrt();
        for i in 0..n {
            let weights = &mut weights[i * n..(i + 1) * n];
            let query = part(i, 0);
            for (j, w) in weights.iter_mut().enumerate() {
                *w = scale * dot(query, part(j, 1));
            }
            softmax(weights);
            let seen = &mut seen[i * width + h * d..i * width + (h + 1) * d];
            seen.fill(0.0);
            for (j, &w) in weights.iter().enumerate() {
                seen.iter_mut().zip(part(j, 2)).for_each(|(s, v)| *s = fma(w, *v, *s));
            }
        }
    }

    /// Adds to `grads` and writes `dx[rows, width]` from `dy[rows, width]`.
    pub fn backward(
        &self,
        params: &[f32],
        sets: &Sets,
        x: &[f32],
        dy: &[f32],
        dx: &mut [f32],
        cache: &mut AttentionCache,
        grads: &mut [f32],
    ) {
        let (rows, width) = (sets.rows(), self.width);
        let AttentionCache { qkv, weights, seen, d_qkv, d_seen, d_weights, .. } = cache;
        grow(d_seen, rows * width);
        grow(d_qkv, rows * 3 * width);
        self.out.backward(params, rows, seen, dy, Some(d_seen), grads);
        d_qkv[..rows * 3 * width].fill(0.0);
        let mut rest = &weights[..];
        for set in sets.iter() {
            let n = set.len();
            let (weights, after) = rest.split_at(self.heads * n * n);
            rest = after;
            grow(d_weights, n);
            let wide = set.start * 3 * width..set.end * 3 * width;
            let (qkv, d_qkv) = (&qkv[wide.clone()], &mut d_qkv[wide]);
            let d_seen = &d_seen[set.start * width..set.end * width];
            for h in 0..self.heads {
                let weights = &weights[h * n * n..(h + 1) * n * n];
                self.backward_head(h, n, qkv, weights, d_seen, &mut d_weights[..n], d_qkv);
            }
        }
        self.qkv.backward(params, rows, x, d_qkv, Some(dx), grads);
        dx[..rows * width].iter_mut().zip(dy).for_each(|(dx, dy)| *dx += dy);
    }

    fn backward_head(
        &self,
        h: usize,
        n: usize,
        qkv: &[f32],
        weights: &[f32],
        d_seen: &[f32],
        d_weights: &mut [f32],
        d_qkv: &mut [f32],
    ) {
        let (width, d) = (self.width, self.width / self.heads);
        let at = |row: usize, part: usize| {
            let at = row * 3 * width + part * width + h * d;
            at..at + d
        };
        let scale = 1.0 / (d as f32).sqrt();
        for i in 0..n {
            let weights = &weights[i * n..(i + 1) * n];
            let d_seen = &d_seen[i * width + h * d..i * width + (h + 1) * d];
            for (j, (dw, &w)) in d_weights.iter_mut().zip(weights).enumerate() {
                *dw = dot(d_seen, &qkv[at(j, 2)]);
                add_scaled(w, d_seen, &mut d_qkv[at(j, 2)]);
            }
            // Through the softmax: what all weights lose together, none of them loses.
            let mean: f32 = weights.iter().zip(&*d_weights).map(|(w, d)| w * d).sum();
            for (j, (dw, w)) in d_weights.iter().zip(weights).enumerate() {
                let d_score = scale * w * (dw - mean);
                add_scaled(d_score, &qkv[at(j, 1)], &mut d_qkv[at(i, 0)]);
                add_scaled(d_score, &qkv[at(i, 0)], &mut d_qkv[at(j, 1)]);
            }
        }
    }
}

impl AttentionCache {
    /// The result of the last forward pass: `[rows, width]`.
    pub fn output(&self) -> &[f32] {
        &self.output
    }
}

/// `sum += scale · x`.
#[inline]
fn add_scaled(scale: f32, x: &[f32], sum: &mut [f32]) {
    sum.iter_mut().zip(x).for_each(|(s, x)| *s = fma(scale, *x, *s));
}

/// Sums side by side, so that the additions vectorise.
#[inline]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 8;
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for (x, y) in a_blocks.iter().zip(b_blocks) {
        for l in 0..LANES {
            lanes[l] = fma(x[l], y[l], lanes[l]);
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    let four: [f32; 4] = std::array::from_fn(|l| lanes[l] + lanes[l + 4]);
    (four[0] + four[2]) + (four[1] + four[3]) + rest
}

/// Scores to weights that sum to 1.
fn softmax(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    // Apart from the sum, so that the exponentials vectorise.
    scores.iter_mut().for_each(|s| *s = exp(*s - most));
    let scale = 1.0 / scores.iter().sum::<f32>();
    scores.iter_mut().for_each(|s| *s *= scale);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::tests::sets_of;
    use crate::testing::{Fixture, assert_close, check_gradient, numbers, transposed};

    #[test]
    fn agrees_with_finite_differences() {
        for (width, heads) in [(4, 1), (6, 3), (16, 2), (20, 2)] {
            let sets = sets_of(&[3, 0, 1, 4]);
            let mut layout = Layout::default();
            let attention = Attention::new(&mut layout, "a", width, heads, Group::Actor);
            let mut params = vec![0.0; layout.len()];
            attention.init(&mut params, &mut Initializer::new(3));
            params.iter_mut().zip(numbers(layout.len(), 4)).for_each(|(p, s)| *p += 0.3 * s);
            let x = numbers(sets.rows() * width, 5);
            let coef = numbers(x.len(), 6);
            let loss = |params: &[f32], x: &[f32]| -> f64 {
                let mut cache = AttentionCache::default();
                attention.forward(params, &sets, x, &mut cache);
                cache.output().iter().zip(&coef).map(|(y, c)| (y * c) as f64).sum()
            };
            let mut cache = AttentionCache::default();
            attention.forward(&params, &sets, &x, &mut cache);
            let (mut grads, mut dx) = (vec![0.0; layout.len()], vec![9.0; x.len()]);
            attention.backward(&params, &sets, &x, &coef, &mut dx, &mut cache, &mut grads);
            check_gradient("params", &params, &grads, |p| loss(p, &x));
            check_gradient("x", &x, &dx, |x| loss(&params, x));
        }
    }

    #[test]
    fn agrees_with_the_reference() {
        let f = Fixture::read("attention");
        let (width, heads, most) = (f.count("width"), f.count("heads"), f.count("most"));
        let mut layout = Layout::default();
        let attention = Attention::new(&mut layout, "a", width, heads, Group::Actor);
        // Both store weight and bias of the first layer, then of the second.
        let params = [
            transposed(&f.numbers("in_proj_weight"), 3 * width, width),
            f.numbers("in_proj_bias"),
            transposed(&f.numbers("out_proj_weight"), width, width),
            f.numbers("out_proj_bias"),
        ]
        .concat();
        // The reference pads its sets and masks what is absent; here only what is present is there.
        let present: Vec<bool> = f.numbers("present").iter().map(|&p| p == 1.0).collect();
        assert!(present.contains(&false));
        let mut sets = Sets::default();
        for set in present.chunks_exact(most) {
            sets.push(sets.rows() + set.iter().filter(|&&p| p).count());
        }
        let packed = |key: &str| -> Vec<f32> {
            let all = f.numbers(key);
            let rows = all.chunks_exact(width).zip(&present).filter(|(_, p)| **p);
            rows.flat_map(|(row, _)| row.to_vec()).collect()
        };
        let x = packed("x");
        let mut cache = AttentionCache::default();
        attention.forward(&params, &sets, &x, &mut cache);
        assert_close("y", cache.output(), &packed("y"), 1e-5);
        let (mut grads, mut dx) = (vec![0.0; layout.len()], vec![0.0; x.len()]);
        attention.backward(&params, &sets, &x, &packed("coef"), &mut dx, &mut cache, &mut grads);
        assert_close("dx", &dx, &packed("grad.x"), 2e-5);
        let want = [
            transposed(&f.numbers("grad.in_proj_weight"), 3 * width, width),
            f.numbers("grad.in_proj_bias"),
            transposed(&f.numbers("grad.out_proj_weight"), width, width),
            f.numbers("grad.out_proj_bias"),
        ]
        .concat();
        assert_close("grads", &grads, &want, 2e-5);
    }

    #[test]
    fn the_order_of_a_set_does_not_matter_and_huge_scores_stay_finite() {
        let width = 8;
        let mut layout = Layout::default();
        let attention = Attention::new(&mut layout, "a", width, 2, Group::Actor);
        let mut params = vec![0.0; layout.len()];
        attention.init(&mut params, &mut Initializer::new(3));
        let run = |x: &[f32]| {
            let mut cache = AttentionCache::default();
            attention.forward(&params, &sets_of(&[3]), x, &mut cache);
            cache.output().to_vec()
        };
        let x = numbers(3 * width, 5);
        let turned = [&x[width..], &x[..width]].concat();
        let y = run(&x);
        assert_close("turned", &run(&turned), &[&y[width..], &y[..width]].concat(), 1e-6);
        let huge: Vec<f32> = x.iter().map(|v| v * 1e6).collect();
        assert!(run(&huge).iter().all(|v| v.is_finite()));
    }
}

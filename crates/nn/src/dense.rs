//! Linear layers, activations, and stacks of them.

use std::ops::Range;

use crate::buffer::grow;
use crate::math::{fma, sigmoid, tanh};
use crate::matmul::{product, product_input, product_weight};
use crate::norm::{LayerNorm, NormCache};
use crate::{Group, Initializer, Layout};

/// `y = x · w + b`, with weights `[input, output]`.
#[derive(Clone, Debug)]
pub struct Linear {
    /// Numbers in a row of `x`.
    pub input: usize,
    /// Numbers in a row of `y`.
    pub output: usize,
    weight: Range<usize>,
    bias: Range<usize>,
}

impl Linear {
    /// Adds a layer's tensors to a layout. `hidden` marks a layer between two others.
    pub fn new(
        layout: &mut Layout,
        name: &str,
        input: usize,
        output: usize,
        group: Group,
        hidden: bool,
    ) -> Self {
        Self {
            input,
            output,
            weight: layout.push(format!("{name}.weight"), &[input, output], group, hidden),
            bias: layout.push(format!("{name}.bias"), &[output], group, false),
        }
    }

    /// Orthogonal weights of this gain, zero biases.
    pub fn init(&self, params: &mut [f32], gain: f32, init: &mut Initializer) {
        init.orthogonal(&mut params[self.weight.clone()], self.input, self.output, gain);
        params[self.bias.clone()].fill(0.0);
    }

    /// `y[rows, output]` from `x[rows, input]`.
    pub fn forward(&self, params: &[f32], rows: usize, x: &[f32], y: &mut [f32]) {
        self.forward_map(params, rows, x, y, |v| v);
    }

    /// The layer and a function of each result, in one pass over `y`.
    #[inline(always)]
    fn forward_map(
        &self,
        params: &[f32],
        rows: usize,
        x: &[f32],
        y: &mut [f32],
        map: impl Fn(f32) -> f32,
    ) {
        product(rows, self.input, self.output, x, &params[self.weight.clone()], y, false);
        let bias = &params[self.bias.clone()];
        for row in y[..rows * self.output].chunks_exact_mut(self.output) {
            for (v, b) in row.iter_mut().zip(bias) {
                *v = map(*v + b);
            }
        }
    }

    /// Adds to `grads` what `dy` says, and writes `dx` if it is wanted.
    pub fn backward(
        &self,
        params: &[f32],
        rows: usize,
        x: &[f32],
        dy: &[f32],
        dx: Option<&mut [f32]>,
        grads: &mut [f32],
    ) {
        product_weight(rows, self.input, self.output, x, dy, &mut grads[self.weight.clone()]);
        add_rows(&mut grads[self.bias.clone()], &dy[..rows * self.output]);
        if let Some(dx) = dx {
            let weight = &params[self.weight.clone()];
            product_input(rows, self.input, self.output, dy, weight, dx, false);
        }
    }

    /// The weights, `[input, output]`.
    pub fn weight<'a>(&self, params: &'a [f32]) -> &'a [f32] {
        &params[self.weight.clone()]
    }
}

/// `sum += ` each row of `rows`.
pub(crate) fn add_rows(sum: &mut [f32], rows: &[f32]) {
    for row in rows.chunks_exact(sum.len()) {
        for (s, v) in sum.iter_mut().zip(row) {
            *s += v;
        }
    }
}

/// The function after a hidden layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `tanh(x)`
    Tanh,
    /// `max(x, 0)`
    Relu,
    /// `x · sigmoid(x)`
    Silu,
}

impl Activation {
    /// Applies the function to every number.
    pub fn forward(self, x: &[f32], y: &mut [f32]) {
        match self {
            Self::Tanh => map(x, y, tanh),
            Self::Relu => map(x, y, |v| v.max(0.0)),
            Self::Silu => map(x, y, |v| v * sigmoid(v)),
        }
    }

    /// Turns `dy` into `dx` in place, from the input `x` and the output `y`.
    pub fn backward(self, x: &[f32], y: &[f32], dy: &mut [f32]) {
        match self {
            Self::Tanh => dy.iter_mut().zip(y).for_each(|(d, y)| *d *= fma(-*y, *y, 1.0)),
            Self::Relu => {
                dy.iter_mut().zip(y).for_each(|(d, y)| *d = if *y > 0.0 { *d } else { 0.0 });
            }
            Self::Silu => dy.iter_mut().zip(x).for_each(|(d, x)| {
                let s = sigmoid(*x);
                *d *= s * fma(*x, 1.0 - s, 1.0);
            }),
        }
    }

    /// The gain of an orthogonal initialisation before this function.
    pub fn gain(self) -> f32 {
        std::f32::consts::SQRT_2
    }
}

#[inline(always)]
fn map(x: &[f32], y: &mut [f32], f: impl Fn(f32) -> f32) {
    for (x, y) in x.iter().zip(y) {
        *y = f(*x);
    }
}

/// A stack of hidden layers: linear, optionally normalised, activated.
#[derive(Clone, Debug)]
pub struct Mlp {
    layers: Vec<Hidden>,
    input: usize,
    activation: Activation,
}

#[derive(Clone, Debug)]
struct Hidden {
    linear: Linear,
    norm: Option<LayerNorm>,
}

/// What a forward pass keeps for the backward pass, for up to so many rows.
#[derive(Clone, Debug, Default)]
pub struct MlpCache {
    layers: Vec<HiddenCache>,
    grad: Vec<f32>,
    grad_next: Vec<f32>,
}

#[derive(Clone, Debug, Default)]
struct HiddenCache {
    /// Input of the activation; kept only where the output does not tell enough.
    before: Vec<f32>,
    after: Vec<f32>,
    norm: NormCache,
}

impl Mlp {
    /// Adds a stack's tensors to a layout; an empty `sizes` is the identity.
    pub fn new(
        layout: &mut Layout,
        name: &str,
        input: usize,
        sizes: &[usize],
        activation: Activation,
        layer_norm: bool,
        group: Group,
    ) -> Self {
        let mut width = input;
        let layers = sizes
            .iter()
            .enumerate()
            .map(|(i, &size)| {
                let linear = Linear::new(layout, &format!("{name}.{i}"), width, size, group, true);
                let norm = layer_norm
                    .then(|| LayerNorm::new(layout, &format!("{name}.{i}.norm"), size, group));
                width = size;
                Hidden { linear, norm }
            })
            .collect();
        Self { layers, input, activation }
    }

    /// Has the stack no layers?
    pub fn is_identity(&self) -> bool {
        self.layers.is_empty()
    }

    /// Numbers in a row of the result.
    pub fn output(&self) -> usize {
        self.layers.last().map_or(self.input, |l| l.linear.output)
    }

    /// Orthogonal weights.
    pub fn init(&self, params: &mut [f32], init: &mut Initializer) {
        for layer in &self.layers {
            layer.linear.init(params, self.activation.gain(), init);
            if let Some(norm) = &layer.norm {
                norm.init(params);
            }
        }
    }

    /// Runs the stack on `x[rows, input]`; the result is [`MlpCache::output`].
    pub fn forward(&self, params: &[f32], rows: usize, x: &[f32], cache: &mut MlpCache) {
        cache.layers.resize_with(self.layers.len(), HiddenCache::default);
        let keep_before = self.activation == Activation::Silu;
        for (i, layer) in self.layers.iter().enumerate() {
            let (done, rest) = cache.layers.split_at_mut(i);
            let input = done.last().map_or(x, |c| &c.after[..]);
            let c = &mut rest[0];
            let n = rows * layer.linear.output;
            grow(&mut c.after, n);
            match (&layer.norm, self.activation) {
                (None, Activation::Tanh) => {
                    layer.linear.forward_map(params, rows, input, &mut c.after, tanh);
                }
                (None, Activation::Relu) => {
                    layer.linear.forward_map(params, rows, input, &mut c.after, |v| v.max(0.0));
                }
                (norm, activation) => {
                    grow(&mut c.before, n);
                    layer.linear.forward(params, rows, input, &mut c.before);
                    if let Some(norm) = norm {
                        norm.forward(params, rows, &mut c.before, &mut c.norm);
                    }
                    activation.forward(&c.before[..n], &mut c.after[..n]);
                    if !keep_before && norm.is_none() {
                        c.before.clear();
                    }
                }
            }
        }
    }

    /// The backward pass: `dy[rows, output]` is consumed; `dx` is written if it is wanted.
    pub fn backward(
        &self,
        params: &[f32],
        rows: usize,
        x: &[f32],
        dy: &mut [f32],
        mut dx: Option<&mut [f32]>,
        cache: &mut MlpCache,
        grads: &mut [f32],
    ) {
        let MlpCache { layers, grad, grad_next } = cache;
        for (i, layer) in self.layers.iter().enumerate().rev() {
            let (done, rest) = layers.split_at_mut(i);
            let input = done.last().map_or(x, |c| &c.after[..]);
            let c = &mut rest[0];
            let n = rows * layer.linear.output;
            let d = if i + 1 == self.layers.len() { &mut dy[..n] } else { &mut grad[..n] };
            self.activation.backward(c.before.get(..n).unwrap_or(&[]), &c.after[..n], d);
            if let Some(norm) = &layer.norm {
                norm.backward(params, rows, d, &c.norm, grads);
            }
            if i == 0 {
                layer.linear.backward(params, rows, input, d, dx.as_deref_mut(), grads);
            } else {
                grow(grad_next, rows * layer.linear.input);
                layer.linear.backward(params, rows, input, d, Some(grad_next), grads);
                std::mem::swap(grad, grad_next);
            }
        }
        if let (true, Some(dx)) = (self.layers.is_empty(), dx) {
            dx[..rows * self.input].copy_from_slice(&dy[..rows * self.input]);
        }
    }
}

impl MlpCache {
    /// The result of the last forward pass; `x` itself when the stack is empty.
    pub fn output<'a>(&'a self, x: &'a [f32]) -> &'a [f32] {
        self.layers.last().map_or(x, |c| &c.after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check_gradient, numbers};

    #[test]
    fn every_stack_agrees_with_finite_differences() {
        let rows = 5;
        for activation in [Activation::Tanh, Activation::Relu, Activation::Silu] {
            for layer_norm in [false, true] {
                for sizes in [&[][..], &[7][..], &[7, 6, 4][..]] {
                    let mut layout = Layout::default();
                    let mlp =
                        Mlp::new(&mut layout, "m", 3, sizes, activation, layer_norm, Group::Actor);
                    let mut params = vec![0.0; layout.len()];
                    mlp.init(&mut params, &mut Initializer::new(5));
                    // Biases away from zero, so that their gradients are tested too.
                    let shift = numbers(params.len(), 6);
                    params.iter_mut().zip(shift).for_each(|(p, s)| *p += 0.1 * s);
                    let x = numbers(rows * 3, 7);
                    let coef = numbers(rows * mlp.output(), 8);
                    let loss = |params: &[f32], x: &[f32]| {
                        let mut cache = MlpCache::default();
                        mlp.forward(params, rows, x, &mut cache);
                        cache.output(x).iter().zip(&coef).map(|(y, c)| (y * c) as f64).sum()
                    };
                    let mut cache = MlpCache::default();
                    mlp.forward(&params, rows, &x, &mut cache);
                    let mut grads = vec![0.0; layout.len()];
                    let mut dx = vec![0.0; x.len()];
                    let mut dy = coef.clone();
                    mlp.backward(&params, rows, &x, &mut dy, Some(&mut dx), &mut cache, &mut grads);
                    let what = format!("{activation:?} {layer_norm} {sizes:?}");
                    check_gradient(&format!("{what} params"), &params, &grads, |p| loss(p, &x));
                    check_gradient(&format!("{what} input"), &x, &dx, |x| loss(&params, x));
                }
            }
        }
    }
}

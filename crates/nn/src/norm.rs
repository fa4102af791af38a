//! Layer normalisation.

use std::ops::Range;

use crate::buffer::grow;
use crate::{Group, Layout};

const EPSILON: f32 = 1e-5;

/// `y = (x - mean) / sqrt(var + 1e-5) · weight + bias` over each row.
#[derive(Clone, Debug)]
pub struct LayerNorm {
    width: usize,
    weight: Range<usize>,
    bias: Range<usize>,
}

/// What the backward pass needs: the normalised rows and their scales.
#[derive(Clone, Debug, Default)]
pub struct NormCache {
    normal: Vec<f32>,
    scale: Vec<f32>,
}

impl LayerNorm {
    /// Adds the layer's tensors to a layout.
    pub fn new(layout: &mut Layout, name: &str, width: usize, group: Group) -> Self {
        Self {
            width,
            weight: layout.push(format!("{name}.weight"), &[width], group, false),
            bias: layout.push(format!("{name}.bias"), &[width], group, false),
        }
    }

    /// Starts as the plain normalisation.
    pub fn init(&self, params: &mut [f32]) {
        params[self.weight.clone()].fill(1.0);
        params[self.bias.clone()].fill(0.0);
    }

    /// Normalises `x[rows, width]` in place.
    pub fn forward(&self, params: &[f32], rows: usize, x: &mut [f32], cache: &mut NormCache) {
        let (weight, bias) = (&params[self.weight.clone()], &params[self.bias.clone()]);
        grow(&mut cache.normal, rows * self.width);
        grow(&mut cache.scale, rows);
        let n = self.width as f32;
        for (r, row) in x[..rows * self.width].chunks_exact_mut(self.width).enumerate() {
            let mean = row.iter().sum::<f32>() / n;
            let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / n;
            let scale = 1.0 / (variance + EPSILON).sqrt();
            cache.scale[r] = scale;
            let normal = &mut cache.normal[r * self.width..(r + 1) * self.width];
            for (((v, z), w), b) in row.iter_mut().zip(normal).zip(weight).zip(bias) {
                *z = (*v - mean) * scale;
                *v = *z * w + b;
            }
        }
    }

    /// Turns `d` from the gradient of the result into the gradient of the input, in place.
    pub fn backward(
        &self,
        params: &[f32],
        rows: usize,
        d: &mut [f32],
        cache: &NormCache,
        grads: &mut [f32],
    ) {
        let n = self.width as f32;
        for (r, row) in d[..rows * self.width].chunks_exact_mut(self.width).enumerate() {
            let normal = &cache.normal[r * self.width..(r + 1) * self.width];
            for ((g, v), z) in grads[self.weight.clone()].iter_mut().zip(&*row).zip(normal) {
                *g += v * z;
            }
            for (g, v) in grads[self.bias.clone()].iter_mut().zip(&*row) {
                *g += v;
            }
            let (mut sum, mut sum_normal) = (0.0, 0.0);
            for ((v, w), z) in row.iter_mut().zip(&params[self.weight.clone()]).zip(normal) {
                *v *= w;
                sum += *v;
                sum_normal += *v * z;
            }
            for (v, z) in row.iter_mut().zip(normal) {
                *v = cache.scale[r] * (*v - sum / n - z * sum_normal / n);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Fixture, assert_close};

    #[test]
    fn agrees_with_the_reference() {
        let fixture = Fixture::read("layernorm");
        let (x, width) = (fixture.numbers("x"), 9);
        let rows = x.len() / width;
        let mut layout = Layout::default();
        let norm = LayerNorm::new(&mut layout, "n", width, Group::Actor);
        let params = [fixture.numbers("weight"), fixture.numbers("bias")].concat();
        let (mut y, mut cache) = (x, NormCache::default());
        norm.forward(&params, rows, &mut y, &mut cache);
        assert_close("y", &y, &fixture.numbers("y"), 1e-5);
        let mut grads = vec![0.0; layout.len()];
        let mut d = fixture.numbers("coef");
        norm.backward(&params, rows, &mut d, &cache, &mut grads);
        assert_close("dx", &d, &fixture.numbers("grad.x"), 1e-5);
        assert_close("dw", &grads[..width], &fixture.numbers("grad.weight"), 1e-5);
        assert_close("db", &grads[width..], &fixture.numbers("grad.bias"), 1e-5);
    }
}

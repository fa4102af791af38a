//! What the tests of several layers share: reference numbers and finite differences.

use serde_json::Value;

/// Numbers of about unit size, the same for the same seed.
pub fn numbers(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    (0..n)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 40) as f32 / (1u64 << 24) as f32) * 2.0 - 1.0
        })
        .collect()
}

/// A file of `fixtures/`.
pub struct Fixture(Value);

impl Fixture {
    pub fn read(name: &str) -> Self {
        let path = format!("{}/fixtures/{name}.json", env!("CARGO_MANIFEST_DIR"));
        Self(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
    }

    /// The numbers under a dotted key, flattened.
    pub fn numbers(&self, key: &str) -> Vec<f32> {
        fn flatten(value: &Value, out: &mut Vec<f32>) {
            match value {
                Value::Array(items) => items.iter().for_each(|v| flatten(v, out)),
                other => out.push(other.as_f64().unwrap() as f32),
            }
        }
        let value = key.split('.').fold(&self.0, |v, k| &v[k]);
        let mut out = Vec::new();
        flatten(value, &mut out);
        out
    }

    pub fn count(&self, key: &str) -> usize {
        self.0[key].as_u64().unwrap() as usize
    }
}

pub fn assert_close(what: &str, got: &[f32], want: &[f32], tolerance: f32) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= tolerance * (1.0 + w.abs()), "{what}[{i}]: {g}, expected {w}");
    }
}

/// `[rows, columns]` to `[columns, rows]`: the references store weights as `[output, input]`.
pub fn transposed(m: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    (0..rows * columns).map(|i| m[(i % rows) * columns + i / rows]).collect()
}

/// Compares a gradient with central differences at every coordinate.
pub fn check_gradient(what: &str, at: &[f32], grad: &[f32], loss: impl Fn(&[f32]) -> f64) {
    let mut point = at.to_vec();
    // Single precision: a step of 1e-2 balances rounding against curvature; a kink of ReLU inside
    // the step shows as a one-sided slope, so either side may agree.
    let step = 1e-2f32;
    let here = loss(at);
    for i in 0..at.len() {
        point[i] = at[i] + step;
        let up = (loss(&point) - here) / step as f64;
        point[i] = at[i] - step;
        let down = (here - loss(&point)) / step as f64;
        point[i] = at[i];
        let g = grad[i] as f64;
        let close = |d: f64| (g - d).abs() < 2e-2 * (1.0 + g.abs());
        let between = g >= up.min(down) - 1e-2 && g <= up.max(down) + 1e-2;
        assert!(
            close((up + down) / 2.0) || between,
            "{what}[{i}]: gradient {g}, differences {up} and {down}"
        );
    }
}

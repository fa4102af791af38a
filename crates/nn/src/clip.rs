//! The global norm of a gradient, and clipping to it.

/// Independent partial sums. A fixed number keeps the result the same on every vector width and
/// lets the compiler keep all of them in registers.
const LANES: usize = 16;

/// The Euclidean norm of all gradients taken as one vector.
///
/// Sums in double precision: no overflow, and no loss over millions of small squares. The order
/// of the sum depends on the length alone, so equal gradients have equal norms on any machine.
pub fn global_norm(grads: &[f32]) -> f64 {
    let mut lanes = [0.0f64; LANES];
    let (blocks, rest) = grads.as_chunks::<LANES>();
    for block in blocks {
        for (lane, &g) in lanes.iter_mut().zip(block) {
            *lane += f64::from(g) * f64::from(g);
        }
    }
    for (lane, &g) in lanes.iter_mut().zip(rest) {
        *lane += f64::from(g) * f64::from(g);
    }
    lanes.iter().sum::<f64>().sqrt()
}

/// Scales the gradients so that their global norm is at most `max`; returns the norm before.
///
/// The factor is PyTorch's `max / (norm + 1e-6)`, at most one. A norm that is not finite comes
/// back as it is and the gradients stay untouched: no factor repairs them, the caller must decide.
pub fn clip_global_norm(grads: &mut [f32], max: f64) -> f64 {
    let norm = global_norm(grads);
    let factor = max / (norm + 1e-6);
    if norm.is_finite() && factor < 1.0 {
        let factor = factor as f32;
        for g in grads {
            *g *= factor;
        }
    }
    norm
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norm_of_a_known_vector() {
        assert_eq!(global_norm(&[3.0, 4.0]), 5.0);
        assert_eq!(global_norm(&[]), 0.0);
        // More than one block and a rest, against the sum of squares in closed form.
        let grads: Vec<f32> = (1..=100).map(|i| i as f32).collect();
        assert_eq!(global_norm(&grads), 338_350f64.sqrt());
    }

    #[test]
    fn large_gradients_do_not_overflow() {
        let norm = global_norm(&[f32::MAX; 40]);
        assert!((norm / (f64::from(f32::MAX) * 40f64.sqrt()) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn clips_only_what_is_too_long() {
        let mut grads = [3.0, 4.0];
        assert_eq!(clip_global_norm(&mut grads, 10.0), 5.0);
        assert_eq!(grads, [3.0, 4.0]);

        assert_eq!(clip_global_norm(&mut grads, 0.5), 5.0);
        let factor = (0.5 / (5.0 + 1e-6)) as f32;
        assert_eq!(grads, [3.0 * factor, 4.0 * factor]);
        assert!((global_norm(&grads) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn reports_a_norm_that_is_not_finite() {
        let mut grads = [1.0, f32::NAN];
        assert!(clip_global_norm(&mut grads, 0.5).is_nan());
        assert_eq!(grads[0], 1.0);
        let mut grads = [1.0, f32::INFINITY];
        assert!(clip_global_norm(&mut grads, 0.5).is_infinite());
        assert_eq!(grads, [1.0, f32::INFINITY]);
    }
}

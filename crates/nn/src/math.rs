//! Elementary functions that vectorise: straight-line code without calls or branches, so that a
//! loop over a slice becomes vector instructions. Accurate to a few units in the last place, and
//! the same bits on every machine with fused multiply-add.

/// `a * b + c`, fused where the processor can.
#[inline(always)]
pub fn fma(a: f32, b: f32, c: f32) -> f32 {
    // Without the instruction `mul_add` would call a function per number.
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        a.mul_add(b, c)
    } else {
        a * b + c
    }
}

/// `e^x`. Arguments outside ±87 are clamped, so the result is always finite and never zero.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // x = n ln 2 + r with |r| <= ln 2 / 2; ln 2 in two parts keeps r exact.
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    let x = x.clamp(-87.0, 87.0);
    // Adding and taking away 1.5 * 2^23 rounds to the nearest integer.
    const ROUND: f32 = 12_582_912.0;
    let n = fma(x, std::f32::consts::LOG2_E, ROUND) - ROUND;
    let r = fma(-n, LN2_LOW, fma(-n, LN2_HIGH, x));
    // The Taylor series to r^7: its remainder is below 5e-9.
    let mut p = 1.0 / 5040.0;
    p = fma(p, r, 1.0 / 720.0);
    p = fma(p, r, 1.0 / 120.0);
    p = fma(p, r, 1.0 / 24.0);
    p = fma(p, r, 1.0 / 6.0);
    p = fma(p, r, 0.5);
    p = fma(p, r, 1.0);
    p = fma(p, r, 1.0);
    // SAFETY-free scaling by 2^n: n is within ±126, so the exponent field stays in range.
    p * f32::from_bits((((n as i32) + 127) << 23) as u32)
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let a = x.abs();
    // Far from zero the exponential form is exact enough; near zero it cancels, a series does not.
    let far = 1.0 - 2.0 / (exp(2.0 * a) + 1.0);
    let s = x * x;
    // Coefficients of the Taylor series; below 0.45 its remainder is under 1e-7 of the result.
    let mut p = -1382.0 / 155_925.0;
    p = fma(p, s, 62.0 / 2835.0);
    p = fma(p, s, -17.0 / 315.0);
    p = fma(p, s, 2.0 / 15.0);
    p = fma(p, s, -1.0 / 3.0);
    let near = fma(p * s, a, a);
    (if a < 0.45 { near } else { far }).copysign(x)
}

/// The logistic function.
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worst(f: fn(f32) -> f32, reference: fn(f64) -> f64, from: f32, to: f32) -> f64 {
        let n = 2_000_000;
        (0..=n)
            .map(|i| {
                let x = from + (to - from) * (i as f32 / n as f32);
                let want = reference(x as f64);
                ((f(x) as f64 - want) / want.abs().max(1e-30)).abs()
            })
            .fold(0.0, f64::max)
    }

    #[test]
    fn close_to_the_double_precision_functions() {
        assert!(worst(exp, f64::exp, -80.0, 80.0) < 5e-7);
        assert!(worst(tanh, f64::tanh, -10.0, 10.0) < 5e-7);
        assert!(worst(sigmoid, |x| 1.0 / (1.0 + (-x).exp()), -30.0, 30.0) < 5e-7);
    }

    #[test]
    fn extremes_stay_finite() {
        for x in [f32::MAX, f32::MIN, 1e30, -1e30, 0.0, -0.0] {
            assert!(
                exp(x).is_finite() && tanh(x).abs() <= 1.0 && (0.0..=1.0).contains(&sigmoid(x))
            );
        }
        assert!(exp(f32::NAN).is_nan() && tanh(f32::NAN).is_nan());
    }
}

//! Masked categorical distributions over one head of one row.
//!
//! An illegal action has probability 0 exactly: its logit never enters a sum. A head with one legal
//! action contributes log-probability 0 and entropy 0.

use lanista_nn::math::exp;

/// Draws the action whose share of the cumulated probability holds `u` in `[0, 1)`; returns it and
/// its log-probability.
#[inline]
pub fn sample(logits: &[f32], mask: &[bool], u: f32) -> (u32, f32) {
    let (top, total) = top_and_total(logits, mask);
    let mut left = u * total;
    let mut chosen = 0;
    for (j, (&z, &legal)) in logits.iter().zip(mask).enumerate() {
        if legal {
            chosen = j;
            left -= exp(z - top);
            if left < 0.0 {
                break;
            }
        }
    }
    (chosen as u32, logits[chosen] - top - total.ln())
}

/// The most likely legal action, the first of equals, and its log-probability.
#[inline]
pub fn best(logits: &[f32], mask: &[bool]) -> (u32, f32) {
    let (top, total) = top_and_total(logits, mask);
    let equal_top = logits.iter().zip(mask).position(|(&z, &legal)| legal && z == top);
    // Logits that are not numbers have no top; an illegal action is still out of the question.
    let chosen = equal_top.or_else(|| mask.iter().position(|&legal| legal)).unwrap_or(0);
    (chosen as u32, logits[chosen] - top - total.ln())
}

/// The log-probability of an action; that of an illegal one is below every other.
pub fn log_prob(logits: &[f32], mask: &[bool], action: u32) -> f32 {
    let (top, total) = top_and_total(logits, mask);
    match mask[action as usize] {
        true => logits[action as usize] - top - total.ln(),
        false => f32::NEG_INFINITY,
    }
}

#[inline]
fn top_and_total(logits: &[f32], mask: &[bool]) -> (f32, f32) {
    let mut top = f32::NEG_INFINITY;
    for (&z, &legal) in logits.iter().zip(mask) {
        if legal && z > top {
            top = z;
        }
    }
    let mut total = 0.0;
    for (&z, &legal) in logits.iter().zip(mask) {
        total += if legal { exp(z - top) } else { 0.0 };
    }
    (top, total)
}

/// What a loss needs of one head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluated {
    /// Log-probability of the action taken.
    pub log_prob: f32,
    /// Entropy over the legal actions.
    pub entropy: f32,
}

/// Evaluates an action and leaves the probabilities in `probs` (0 where illegal).
#[inline]
pub fn evaluate(logits: &[f32], mask: &[bool], action: u32, probs: &mut [f32]) -> Evaluated {
    let (top, total) = top_and_total(logits, mask);
    let log_total = total.ln();
    let scale = 1.0 / total;
    let mut entropy = 0.0;
    for ((p, &z), &legal) in probs.iter_mut().zip(logits).zip(mask) {
        let log_p = z - top - log_total;
        *p = if legal { exp(z - top) * scale } else { 0.0 };
        entropy -= if legal { *p * log_p } else { 0.0 };
    }
    Evaluated { log_prob: logits[action as usize] - top - log_total, entropy }
}

/// Writes `d loss / d logits` for a loss that has slope `d_log_prob` in the log-probability of the
/// action and `d_entropy` in the entropy, from the probabilities that [`evaluate`] left.
#[inline]
pub fn gradient(
    probs: &[f32],
    action: u32,
    evaluated: Evaluated,
    d_log_prob: f32,
    d_entropy: f32,
    d_logits: &mut [f32],
) {
    for (d, &p) in d_logits.iter_mut().zip(probs) {
        // p ln p -> 0 as p -> 0; the floor keeps illegal actions at exactly zero.
        let log_p = p.max(f32::MIN_POSITIVE).ln();
        *d = -p * (d_log_prob + d_entropy * (log_p + evaluated.entropy));
    }
    d_logits[action as usize] += d_log_prob;
}

/// KL(target, policy) of one head, `probs` as [`evaluate`] left them; adds `weight` times its slope to
/// `d_logits`. Both are 0 where an action is illegal.
#[inline]
pub fn divergence(target: &[f32], probs: &[f32], weight: f32, d_logits: &mut [f32]) -> f32 {
    let mut kl = 0.0;
    for ((&q, &p), d) in target.iter().zip(probs).zip(d_logits) {
        if q > 0.0 {
            kl += q * (q.ln() - p.max(f32::MIN_POSITIVE).ln());
        }
        *d += weight * (p - q);
    }
    kl
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn samples_follow_the_probabilities() {
        let logits = [0.0, 2.0, 1.0, -1.0];
        let mask = [true, false, true, true];
        let mut counts = [0u32; 4];
        let n = 100_000;
        for i in 0..n {
            counts[sample(&logits, &mask, i as f32 / n as f32).0 as usize] += 1;
        }
        let total: f32 = [0.0f32, 1.0, -1.0].iter().map(|z| z.exp()).sum();
        assert_eq!(counts[1], 0);
        for (j, z) in [(0, 0.0f32), (2, 1.0), (3, -1.0)] {
            let want = z.exp() / total;
            assert!((counts[j] as f32 / n as f32 - want).abs() < 1e-4);
        }
        assert_eq!(best(&logits, &mask).0, 2);
        assert_eq!(best(&[f32::NAN; 3], &[false, true, true]).0, 1);
    }

    proptest! {
        #[test]
        fn never_an_illegal_action(
            rows in prop::collection::vec((-30f32..30.0, any::<bool>()), 1..20),
            u in 0f32..1.0,
        ) {
            let (logits, mut mask): (Vec<f32>, Vec<bool>) = rows.into_iter().unzip();
            mask[0] |= !mask.iter().any(|&m| m);
            let (action, log_prob) = sample(&logits, &mask, u);
            prop_assert!(mask[action as usize] && log_prob <= 1e-6 && log_prob.is_finite());
            let mut probs = vec![0.0; logits.len()];
            let e = evaluate(&logits, &mask, action, &mut probs);
            prop_assert!((e.log_prob - log_prob).abs() < 1e-5);
            prop_assert!((probs.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            prop_assert!(e.entropy >= -1e-5);
        }
    }
}

//! Seeding without state. Every random number of a run is a function of the run's seed and of
//! counters, so a resumed run needs no generator restored and threads cannot disturb each other.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The generator games use.
pub type Rng = Xoshiro256PlusPlus;

/// A generator for one episode.
pub fn rng(seed: u64) -> Rng {
    Rng::seed_from_u64(seed)
}

/// Mixes a counter into a seed: the finaliser of SplitMix64 (Steele, Lea, Flood 2014) over both.
#[inline]
pub fn mix(seed: u64, counter: u64) -> u64 {
    let mut z = seed ^ counter.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The seed of match `m`'s `k`-th episode.
#[inline]
pub fn episode(run_seed: u64, m: usize, k: u64) -> u64 {
    mix(mix(mix(run_seed, 0x6570_6973), m as u64), k)
}

/// A uniform number in `[0, 1)` with 24 bits, the most an `f32` holds evenly.
#[inline]
pub fn uniform(bits: u64) -> f32 {
    (bits >> 40) as f32 * (1.0 / (1 << 24) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn episodes_do_not_collide() {
        let mut seen = HashSet::new();
        for run in 0..4 {
            for m in 0..64 {
                for k in 0..64 {
                    assert!(seen.insert(episode(run, m, k)));
                }
            }
        }
    }

    #[test]
    fn uniform_covers_the_unit_interval_evenly() {
        let n = 100_000;
        let mut bins = [0u32; 10];
        for i in 0..n {
            let u = uniform(mix(7, i));
            assert!((0.0..1.0).contains(&u));
            bins[(u * 10.0) as usize] += 1;
        }
        // Each bin expects 10,000 with a standard deviation of 95.
        assert!(bins.iter().all(|&b| (9_500..10_500).contains(&b)), "{bins:?}");
    }
}

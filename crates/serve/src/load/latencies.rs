//! How long answers took, counted in steps so that a long run needs no more room than a short one.

use std::time::Duration;

/// Latencies are counted in steps of half a microsecond up to here, in milliseconds above.
const FINE: usize = 20_000;
const COARSE: usize = 60_000;

/// How long answers took.
#[derive(Debug)]
pub struct Latencies {
    fine: Vec<u64>,
    coarse: Vec<u64>,
    /// How many there were.
    pub count: u64,
}

impl Default for Latencies {
    fn default() -> Self {
        Self { fine: vec![0; FINE], coarse: vec![0; COARSE], count: 0 }
    }
}

impl Latencies {
    pub(super) fn add(&mut self, time: Duration) {
        let half_micros = time.as_nanos() / 500;
        match usize::try_from(half_micros) {
            Ok(at) if at < FINE => self.fine[at] += 1,
            _ => {
                let at = usize::try_from(time.as_millis()).unwrap_or(COARSE);
                self.coarse[at.min(COARSE - 1)] += 1;
            }
        }
        self.count += 1;
    }

    pub(super) fn merge(&mut self, other: &Self) {
        let both = [(&mut self.fine, &other.fine), (&mut self.coarse, &other.coarse)];
        for (own, others) in both {
            own.iter_mut().zip(others).for_each(|(own, other)| *own += other);
        }
        self.count += other.count;
    }

    /// So many microseconds are not exceeded by this share of the answers.
    pub fn quantile(&self, share: f64) -> f64 {
        let mut left = ((self.count as f64 * share).ceil() as u64).max(1);
        let fine = self.fine.iter().enumerate().map(|(at, n)| ((at + 1) as f64 * 0.5, n));
        let coarse = self.coarse.iter().enumerate().map(|(at, n)| ((at + 1) as f64 * 1e3, n));
        for (end, &count) in fine.chain(coarse) {
            if count >= left {
                return end;
            }
            left -= count;
        }
        f64::NAN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_sorted_list() {
        let mut latencies = Latencies::default();
        for micros in 1..=1000 {
            latencies.add(Duration::from_micros(micros));
        }
        for (share, want) in [(0.5, 500.0), (0.99, 990.0), (0.001, 1.0), (1.0, 1000.0)] {
            let got = latencies.quantile(share);
            assert!((got - want).abs() <= 1.0, "{share}: {got}");
        }
        latencies.add(Duration::from_millis(70));
        assert!((latencies.quantile(1.0) - 71_000.0).abs() < 1.0);
    }
}

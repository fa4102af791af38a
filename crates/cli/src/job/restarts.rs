//! How often something that dies is started again.

use std::time::Duration;

/// Deaths in a row after which it is given up.
pub const MOST_IN_A_ROW: u32 = 5;
/// The wait before the first restart; each further one in a row waits twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The deaths of one thing.
#[derive(Debug, Default)]
pub struct Restarts {
    in_a_row: u32,
    total: u32,
}

impl Restarts {
    /// It died. `got_on`: it had done its work for a while, so this is not the old trouble again. Returns how long to
    /// wait before it is started again; `None` if it is given up.
    pub fn died(&mut self, got_on: bool) -> Option<Duration> {
        if got_on {
            self.in_a_row = 0;
        }
        self.in_a_row += 1;
        if self.in_a_row >= MOST_IN_A_ROW {
            return None;
        }
        self.total += 1;
        Some(LONGEST_WAIT.min(FIRST_WAIT * (1 << (self.in_a_row - 1))))
    }

    /// How often it was started again.
    pub fn total(&self) -> u32 {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_dies_at_once_again_and_again_is_given_up() {
        let mut restarts = Restarts::default();
        let waits: Vec<_> = std::iter::from_fn(|| restarts.died(false)).collect();
        assert_eq!(waits.len() as u32, MOST_IN_A_ROW - 1);
        assert!(waits.windows(2).all(|pair| pair[1] == pair[0] * 2), "{waits:?}");
        assert_eq!(restarts.total(), MOST_IN_A_ROW - 1);
    }

    #[test]
    fn what_gets_on_in_between_is_never_given_up() {
        let mut restarts = Restarts::default();
        for _ in 0..100 {
            assert_eq!(restarts.died(true), Some(FIRST_WAIT));
            assert_eq!(restarts.died(false), Some(FIRST_WAIT * 2));
        }
        assert_eq!(restarts.total(), 200);
    }
}

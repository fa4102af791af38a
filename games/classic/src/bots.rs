//! What the scripted players share: dice of their own.

use lanista_game::seed::{self, Rng};

/// Sets the dice of players apart from those of the world.
const STREAM: u64 = 0x626f_7473;

/// The dice of a scripted player for one choice: a function of the match's seed, the step and the
/// seat, and of nothing else. A player therefore leaves no trace in the match. The world stays a
/// function of seed and actions whether players were asked or not, and a match rebuilt from its
/// actions meets the same players.
pub(crate) fn dice(seed: u64, step: u32, seat: usize) -> Rng {
    seed::rng(seed::mix(seed::mix(seed::mix(seed, STREAM), u64::from(step)), seat as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn dice_differ_by_seed_step_and_seat() {
        let first = |seed, step, seat| dice(seed, step, seat).random::<u64>();
        assert_eq!(first(1, 2, 0), first(1, 2, 0));
        assert_ne!(first(1, 2, 0), first(2, 2, 0));
        assert_ne!(first(1, 2, 0), first(1, 3, 0));
        assert_ne!(first(1, 2, 0), first(1, 2, 1));
    }
}

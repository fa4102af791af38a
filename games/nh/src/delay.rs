//! What lies between an agent and the game it plays: answers come late, and some do not come in time.
//!
//! A client of the real game asks when a tick has ended and does what it was told in the next. An answer that
//! takes longer is dropped, and the fighter does nothing new in that tick.

use lanista_game::seed;

use crate::sim::Action;

/// Ticks that an action may come late.
pub const MOST_TICKS: usize = 10;

/// Sets these draws apart from those of the fight.
const SALT: u64 = 0x6d69_7373_6564;

/// Doing nothing.
const NOTHING: Action = [0; 12];

/// Actions of one seat that are on their way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delay([Action; MOST_TICKS]);

impl Delay {
    /// Hands in what was chosen at a tick of the fight that follows from `match_seed`, and takes out what
    /// happens in it: what was chosen `ticks` earlier, unless that is missed, which `missed` is the share of.
    pub fn pass(
        &mut self,
        (ticks, missed): (u32, f32),
        (match_seed, tick, seat): (u64, u32, usize),
        chosen: Action,
    ) -> Action {
        let due = match ticks as usize {
            0 => chosen,
            late => std::mem::replace(&mut self.0[tick as usize % late.min(MOST_TICKS)], chosen),
        };
        if missed <= 0.0 {
            return due;
        }
        let draw = seed::mix(seed::mix(match_seed ^ SALT, u64::from(tick)), seat as u64);
        if seed::uniform(draw) < missed { NOTHING } else { due }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(number: u8) -> Action {
        [number; 12]
    }

    #[test]
    fn actions_come_as_late_as_they_are_said_to() {
        for late in 0..=MOST_TICKS as u32 {
            let mut delay = Delay::default();
            for tick in 0..30 {
                let out = delay.pass((late, 0.0), (1, tick, 0), numbered(tick as u8 + 1));
                let due = tick.checked_sub(late).map_or(NOTHING, |then| numbered(then as u8 + 1));
                assert_eq!(out, due, "{late} late at tick {tick}");
            }
        }
    }

    #[test]
    fn the_share_that_is_missed_is_the_one_asked_for_and_follows_from_the_seed() {
        let missed = |seed: u64, seat: usize| -> Vec<bool> {
            let pass = |tick| Delay::default().pass((0, 0.2), (seed, tick, seat), numbered(1));
            (0..10_000).map(|tick| pass(tick) == NOTHING).collect()
        };
        let share = missed(5, 0).iter().filter(|missed| **missed).count();
        // 2,000 expected with a deviation of 40.
        assert!((1_800..2_200).contains(&share), "{share}");
        assert_eq!(missed(5, 0), missed(5, 0));
        assert_ne!(missed(5, 0), missed(5, 1), "each seat misses ticks of its own");
    }
}

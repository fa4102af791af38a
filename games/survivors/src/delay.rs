//! What lies between an agent and a game server: what it decides takes effect some ticks later.

use crate::intent::Intent;

/// The longest delay, in ticks.
pub const MOST_TICKS: u32 = 30;
/// Decisions that may be on their way: one a tick for so long, and the one that is made now.
const KEPT: usize = MOST_TICKS as usize + 2;

/// The latest decisions of a survivor.
#[derive(Clone, Copy, Debug)]
pub struct Delay([Intent; KEPT]);

impl Default for Delay {
    fn default() -> Self {
        Self([Intent::default(); KEPT])
    }
}

impl Delay {
    /// Takes what was decided at a step.
    pub fn decide(&mut self, step: u32, intent: Intent) {
        self.0[step as usize % KEPT] = intent;
    }

    /// What is done in a tick of a step that has `ticks_per_step`, `delay` ticks after it was decided, and
    /// whether it is done for the first time. Before the first decision comes through, nothing.
    pub fn due(&self, step: u32, tick: u32, ticks_per_step: u32, delay: u32) -> (Intent, bool) {
        // Steps that are on their way, counted back from this one.
        let Some(late) = delay.checked_sub(tick).filter(|late| *late > 0) else {
            return (self.0[step as usize % KEPT], tick == delay);
        };
        let back = late.div_ceil(ticks_per_step);
        match step.checked_sub(back) {
            Some(then) => (self.0[then as usize % KEPT], late % ticks_per_step == 0),
            None => (Intent::default(), false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A decision that can be told from others.
    fn numbered(number: u32) -> Intent {
        Intent { buttons: number as u16 + 1, ..Intent::default() }
    }

    #[test]
    fn decisions_come_as_late_as_they_are_said_to() {
        for ticks in [1, 2, 3, 7, 30] {
            for late in 0..=MOST_TICKS {
                let mut delay = Delay::default();
                for step in 0..100 {
                    delay.decide(step, numbered(step));
                    for tick in 0..ticks {
                        let now = step * ticks + tick;
                        let wanted = match now.checked_sub(late) {
                            Some(then) => (numbered(then / ticks), then % ticks == 0),
                            None => (Intent::default(), false),
                        };
                        let got = delay.due(step, tick, ticks, late);
                        assert_eq!(got, wanted, "{late} late at tick {now}, {ticks} a step");
                    }
                }
            }
        }
    }
}

//! When to decide, and when a decision takes effect.
//!
//! A policy has learnt to decide every `tick_skip` ticks, and that its actions take effect
//! `action_delay` ticks later. The game's own delay is part of that: what a bot sends in answer to a
//! tick acts one tick late ([`GAME_DELAY_TICKS`]). Whatever the policy is used to beyond that is waited
//! here.

use crate::table::NEUTRAL;

/// Ticks between what a bot sees and the first tick that its answer can act on, beyond the next one.
/// RLGym's engine trains with it (`rlbot_delay`), too.
pub const GAME_DELAY_TICKS: u32 = 1;

/// The rhythm of a bot's decisions.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    step_ticks: u32,
    hold_ticks: u32,
    decided: Option<u32>,
}

impl Pace {
    /// Decides every so many ticks, and lets actions wait for so many.
    pub fn new(step_ticks: u32, hold_ticks: u32) -> Self {
        Self { step_ticks: step_ticks.max(1), hold_ticks, decided: None }
    }

    /// Is it time to decide? Where packets were skipped, the step was longer than it should be; the next
    /// is not made shorter for it, because a policy has never seen a short one.
    pub fn due(&mut self, frame: u32) -> bool {
        let due = self.decided.is_none_or(|at| frame.wrapping_sub(at) >= self.step_ticks);
        if due {
            self.decided = Some(frame);
        }
        due
    }

    /// The next packet in play is decided on.
    pub fn restart(&mut self) {
        self.decided = None;
    }
}

/// What one car does, and what it will.
#[derive(Clone, Copy, Debug)]
pub struct Wheel {
    row: usize,
    /// What comes next, and at which frame.
    next: Option<(usize, u32)>,
}

impl Default for Wheel {
    fn default() -> Self {
        Self { row: NEUTRAL, next: None }
    }
}

impl Wheel {
    /// A decision was made at a frame.
    pub fn turn(&mut self, row: usize, frame: u32, pace: &Pace) {
        match pace.hold_ticks {
            0 => (self.row, self.next) = (row, None),
            hold => self.next = Some((row, frame.wrapping_add(hold))),
        }
    }

    /// The row to send at a frame.
    pub fn at(&mut self, frame: u32) -> usize {
        if let Some((row, due)) = self.next
            && frame.wrapping_sub(due) as i32 >= 0
        {
            (self.row, self.next) = (row, None);
        }
        self.row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_keep_their_distance() {
        let mut pace = Pace::new(8, 0);
        let frames = [100, 101, 107, 108, 108, 115, 119, 123, 126, 127, 200];
        let decided: Vec<u32> = frames.into_iter().filter(|&frame| pace.due(frame)).collect();
        assert_eq!(decided, [100, 108, 119, 127, 200]);
        pace.restart();
        assert!(pace.due(201));
    }

    #[test]
    fn the_frame_counter_may_roll_over() {
        let mut pace = Pace::new(8, 0);
        assert!(pace.due(u32::MAX - 3));
        assert!(!pace.due(2));
        assert!(pace.due(4));
    }

    #[test]
    fn actions_wait_for_their_delay() {
        let pace = Pace::new(8, 6);
        let mut wheel = Wheel::default();
        wheel.turn(3, 100, &pace);
        assert_eq!([100, 105, 106, 107].map(|frame| wheel.at(frame)), [NEUTRAL, NEUTRAL, 3, 3]);
        // Packets were skipped: the next one that comes is late, but not lost.
        wheel.turn(5, 108, &pace);
        assert_eq!([109, 120].map(|frame| wheel.at(frame)), [3, 5]);
        let mut prompt = Wheel::default();
        prompt.turn(7, 100, &Pace::new(8, 0));
        assert_eq!(prompt.at(100), 7);
    }
}

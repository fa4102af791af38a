//! Getting off the roof: who turned turtle, and how long it took to stand on wheels again.
//!
//! A car that [`Car::turtled`] opens an attempt. The attempt succeeds when the car has its wheels
//! on a surface within the window, and fails when the window passes first; whichever comes, the car
//! is watched on until it stands, so that late recoveries are measured too. Bouncing on the roof
//! or flying in between belongs to the same attempt. A demolition calls an attempt off: it counts
//! neither way.

use crate::state::{Car, MAX_TEAM, State};

/// The window of a preset that is silent: three seconds.
pub const WINDOW_TICKS: u32 = 360;

/// What the last update found out about one car.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryEvent {
    /// It turned turtle.
    Turtled,
    /// The window passed and it does not stand yet.
    Failed,
    /// It stands again.
    Recovered {
        /// Ticks from turning turtle to standing, as far as steps can tell them.
        ticks: u32,
        /// Within the window?
        in_time: bool,
    },
}

/// What a match has seen of recoveries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Times a car turned turtle.
    pub turtles: u32,
    /// Attempts that succeeded within the window.
    pub in_time: u32,
    /// Attempts whose window passed.
    pub failed: u32,
    /// Attempts that ended on wheels, in time or late.
    pub recovered: u32,
    /// Ticks that these took together.
    pub recovery_ticks: u64,
}

impl Totals {
    /// Mean ticks from turning turtle to standing; 0 when nobody had to recover.
    pub fn mean_ticks(&self) -> f32 {
        if self.recovered == 0 {
            return 0.0;
        }
        (self.recovery_ticks as f64 / f64::from(self.recovered)) as f32
    }
}

/// An attempt under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Attempt {
    since_tick: u64,
    failed: bool,
}

/// Follows every car of a match; updated once a step.
#[derive(Clone, Debug)]
pub struct Recoveries {
    window_ticks: u32,
    attempts: [Option<Attempt>; 2 * MAX_TEAM],
    events: [Option<RecoveryEvent>; 2 * MAX_TEAM],
    totals: Totals,
}

impl Default for Recoveries {
    fn default() -> Self {
        Self::new(WINDOW_TICKS)
    }
}

impl Recoveries {
    /// Nobody has turned turtle yet.
    pub fn new(window_ticks: u32) -> Self {
        Self {
            window_ticks,
            attempts: Default::default(),
            events: Default::default(),
            totals: Totals::default(),
        }
    }

    /// Begins a new match.
    pub fn reset(&mut self) {
        *self = Self::new(self.window_ticks);
    }

    /// Calls open attempts off: cars were put elsewhere, as for a kickoff within a match.
    pub fn call_off(&mut self) {
        self.attempts = Default::default();
        self.events = Default::default();
    }

    /// Looks at the state after a step.
    #[inline]
    pub fn update(&mut self, now: &State) {
        for (index, car) in now.cars.iter().enumerate() {
            self.events[index] = self.follow(index, car, now.tick);
        }
    }

    /// What the last update found out about a car.
    pub fn event(&self, car: usize) -> Option<RecoveryEvent> {
        self.events[car]
    }

    /// What the match has seen so far.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    #[inline]
    fn follow(&mut self, index: usize, car: &Car, tick: u64) -> Option<RecoveryEvent> {
        let Some(attempt) = &mut self.attempts[index] else {
            if !car.turtled() {
                return None;
            }
            self.attempts[index] = Some(Attempt { since_tick: tick, failed: false });
            self.totals.turtles += 1;
            return Some(RecoveryEvent::Turtled);
        };
        if car.demolished {
            self.attempts[index] = None;
            return None;
        }
        let ticks = u32::try_from(tick.saturating_sub(attempt.since_tick)).unwrap_or(u32::MAX);
        let expired = ticks > self.window_ticks;
        let fails_now = expired && !attempt.failed;
        attempt.failed |= expired;
        self.totals.failed += u32::from(fails_now);
        if car.on_ground {
            self.attempts[index] = None;
            self.totals.in_time += u32::from(!expired);
            self.totals.recovered += 1;
            self.totals.recovery_ticks += u64::from(ticks);
            return Some(RecoveryEvent::Recovered { ticks, in_time: !expired });
        }
        fails_now.then_some(RecoveryEvent::Failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{PADS, Team};
    use rocketsim::{Mat3A, Vec3A};

    fn on_wheels() -> Car {
        Car::parked(Team::Blue, Vec3A::new(0.0, 0.0, 17.0))
    }

    fn flying() -> Car {
        Car { on_ground: false, ..on_wheels() }
    }

    fn on_roof() -> Car {
        let world_from_car = Mat3A::from_cols(Vec3A::X, Vec3A::NEG_Y, Vec3A::NEG_Z);
        Car { world_from_car, body_contact: true, ..flying() }
    }

    fn at(tick: u64, cars: &[Car]) -> State {
        let ball = on_wheels().body;
        State { ball, cars: cars.to_vec(), pad_secs: [0.0; PADS], tick }
    }

    #[test]
    fn a_recovery_in_time_is_one_attempt_whatever_happens_in_between() {
        let mut recoveries = Recoveries::new(360);
        let seen: Vec<_> =
            [(8, on_wheels()), (16, on_roof()), (24, flying()), (32, on_roof()), (40, on_wheels())]
                .into_iter()
                .map(|(tick, car)| {
                    recoveries.update(&at(tick, &[car]));
                    recoveries.event(0)
                })
                .collect();
        let recovered = RecoveryEvent::Recovered { ticks: 24, in_time: true };
        assert_eq!(seen, [None, Some(RecoveryEvent::Turtled), None, None, Some(recovered)]);
        let totals = Totals { turtles: 1, in_time: 1, failed: 0, recovered: 1, recovery_ticks: 24 };
        assert_eq!(recoveries.totals(), totals);
        assert_eq!(totals.mean_ticks(), 24.0);
        recoveries.update(&at(48, &[on_wheels()]));
        assert_eq!(recoveries.event(0), None);
    }

    #[test]
    fn a_window_fails_once_and_the_late_recovery_is_still_measured() {
        let mut recoveries = Recoveries::new(10);
        let mut seen = vec![];
        for tick in (0..40).step_by(8) {
            recoveries.update(&at(tick, &[on_roof()]));
            seen.push(recoveries.event(0));
        }
        let expected = [Some(RecoveryEvent::Turtled), None, Some(RecoveryEvent::Failed)];
        assert_eq!(seen[..3], expected);
        assert_eq!(seen[3..], [None, None]);
        recoveries.update(&at(40, &[on_wheels()]));
        let late = RecoveryEvent::Recovered { ticks: 40, in_time: false };
        assert_eq!(recoveries.event(0), Some(late));
        let totals = Totals { turtles: 1, in_time: 0, failed: 1, recovered: 1, recovery_ticks: 40 };
        assert_eq!(recoveries.totals(), totals);
    }

    #[test]
    fn a_step_that_is_past_the_window_and_on_wheels_fails() {
        let mut recoveries = Recoveries::new(10);
        recoveries.update(&at(0, &[on_roof()]));
        recoveries.update(&at(11, &[on_wheels()]));
        let late = RecoveryEvent::Recovered { ticks: 11, in_time: false };
        assert_eq!(recoveries.event(0), Some(late));
        assert_eq!((recoveries.totals().in_time, recoveries.totals().failed), (0, 1));
        recoveries.update(&at(12, &[on_roof()]));
        recoveries.update(&at(22, &[on_wheels()]));
        assert_eq!((recoveries.totals().in_time, recoveries.totals().failed), (1, 1));
    }

    #[test]
    fn demolitions_and_kickoffs_call_an_attempt_off() {
        let mut recoveries = Recoveries::default();
        recoveries.update(&at(0, &[on_roof(), on_roof()]));
        recoveries.update(&at(8, &[Car { demolished: true, ..on_roof() }, on_roof()]));
        recoveries.call_off();
        recoveries.update(&at(16, &[on_wheels(), on_wheels()]));
        assert_eq!((recoveries.event(0), recoveries.event(1)), (None, None));
        let totals = Totals { turtles: 2, ..Totals::default() };
        assert_eq!(recoveries.totals(), totals);
        assert_eq!(totals.mean_ticks(), 0.0);
        recoveries.reset();
        assert_eq!(recoveries.totals(), Totals::default());
    }

    #[test]
    fn cars_are_followed_apart() {
        let mut recoveries = Recoveries::default();
        recoveries.update(&at(0, &[on_wheels(), on_roof()]));
        recoveries.update(&at(8, &[on_roof(), on_wheels()]));
        assert_eq!(recoveries.event(0), Some(RecoveryEvent::Turtled));
        let recovered = RecoveryEvent::Recovered { ticks: 8, in_time: true };
        assert_eq!(recoveries.event(1), Some(recovered));
    }
}

//! Countdowns of a fighter.

/// What is counted down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Timer {
    /// Until the next attack.
    Attack,
    /// Until the next bite.
    Food,
    /// Until the next sip.
    Potion,
    /// Until the next karambwan.
    Karambwan,
    /// Until a frozen fighter may move.
    Freeze,
    /// Until a fighter may be frozen again.
    Immunity,
    /// Until levels move by one towards their maximum.
    Stats,
    /// Until the next vengeance.
    Vengeance,
}

/// How many timers there are.
pub const TIMERS: usize = 8;

/// Deep enough below zero that no fight counts down to it.
const NEVER: i32 = i32::MIN / 2;

/// The countdowns. They go on below zero, because food delays an attack that has long been ready by
/// less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timers([i32; TIMERS]);

impl Default for Timers {
    fn default() -> Self {
        Self([NEVER; TIMERS])
    }
}

impl Timers {
    /// One tick passes.
    #[inline]
    pub fn tick(&mut self) {
        for timer in &mut self.0 {
            *timer -= 1;
        }
    }

    /// Starts or restarts a countdown.
    #[inline]
    pub fn set(&mut self, timer: Timer, ticks: i32) {
        self.0[timer as usize] = ticks;
    }

    /// Starts a countdown unless it already has as long to go.
    #[inline]
    pub fn extend(&mut self, timer: Timer, ticks: i32) {
        if self.left(timer) < ticks {
            self.set(timer, ticks);
        }
    }

    /// Ticks to go.
    #[inline]
    pub fn left(&self, timer: Timer) -> i32 {
        self.0[timer as usize].max(0)
    }

    /// Ticks to go, negative when it is over; hugely so if it never ran.
    #[inline]
    pub fn uncapped(&self, timer: Timer) -> i32 {
        self.0[timer as usize]
    }

    /// Is it running?
    #[inline]
    pub fn running(&self, timer: Timer) -> bool {
        self.0[timer as usize] > 0
    }

    /// Ticks to go as a player who acts after the next countdown sees them.
    #[inline]
    pub fn ahead(&self, timer: Timer) -> i32 {
        (self.0[timer as usize] - 1).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_counts_past_zero() {
        let mut timers = Timers::default();
        assert!(!timers.running(Timer::Food));
        timers.set(Timer::Food, 2);
        assert_eq!((timers.left(Timer::Food), timers.ahead(Timer::Food)), (2, 1));
        for _ in 0..5 {
            timers.tick();
        }
        assert_eq!((timers.left(Timer::Food), timers.uncapped(Timer::Food)), (0, -3));
        assert!(!timers.running(Timer::Food));
    }

    #[test]
    fn extending_never_shortens() {
        let mut timers = Timers::default();
        timers.set(Timer::Food, 5);
        timers.extend(Timer::Food, 3);
        assert_eq!(timers.left(Timer::Food), 5);
        timers.extend(Timer::Potion, 3);
        assert_eq!(timers.left(Timer::Potion), 3);
    }
}

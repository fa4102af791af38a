//! When a connection is thought dead, and when another is tried.

use std::time::Duration;

/// After so much silence the server is asked whether it is there.
const SILENCE: Duration = Duration::from_secs(20);
/// After so much it is not.
const DEATH: Duration = Duration::from_secs(60);
/// The first pause before a new attempt; each is twice the one before.
const FIRST: Duration = Duration::from_millis(250);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(15);
/// How long attempts are made in all: a server's own timer has long decided every battle by then.
const PATIENCE: Duration = Duration::from_secs(300);

/// What to do about a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beat {
    /// Nothing.
    Fine,
    /// Ask whether anybody is there.
    Ask,
    /// Give it up.
    Dead,
}

/// Listens for signs of life.
#[derive(Clone, Copy, Debug)]
pub struct Pulse {
    heard: Duration,
    asked: Option<Duration>,
}

impl Pulse {
    /// A connection that was just made.
    pub fn new(now: Duration) -> Self {
        Self { heard: now, asked: None }
    }

    /// Something arrived.
    pub fn heard(&mut self, now: Duration) {
        *self = Self::new(now);
    }

    /// What to do now. Asking is done once in a while, not at every look.
    pub fn beat(&mut self, now: Duration) -> Beat {
        if now >= self.heard + DEATH {
            return Beat::Dead;
        }
        if now >= self.asked.unwrap_or(self.heard) + SILENCE {
            self.asked = Some(now);
            return Beat::Ask;
        }
        Beat::Fine
    }
}

/// Pauses between attempts to connect.
#[derive(Clone, Copy, Debug, Default)]
pub struct Backoff {
    attempts: u32,
    waited: Duration,
}

impl Backoff {
    /// How long to wait before the next attempt; nothing when there is to be none.
    pub fn pause(&mut self) -> Option<Duration> {
        if self.waited >= PATIENCE {
            return None;
        }
        let pause = LONGEST.min(FIRST * 2u32.saturating_pow(self.attempts.min(16)));
        self.attempts += 1;
        self.waited += pause;
        Some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_asked_about_and_then_is_death() {
        let mut pulse = Pulse::new(Duration::ZERO);
        let beats: Vec<Beat> = (0..70).map(|s| pulse.beat(Duration::from_secs(s))).collect();
        let asked: Vec<usize> = (0..70).filter(|&s| beats[s] == Beat::Ask).collect();
        assert_eq!((asked, beats[59], beats[60]), (vec![20, 40], Beat::Fine, Beat::Dead));
        let mut pulse = Pulse::new(Duration::ZERO);
        for second in 0..1000 {
            assert_ne!(pulse.beat(Duration::from_secs(second)), Beat::Dead);
            if second % 30 == 0 {
                pulse.heard(Duration::from_secs(second));
            }
        }
    }

    #[test]
    fn pauses_grow_and_end() {
        let mut backoff = Backoff::default();
        let pauses: Vec<Duration> = std::iter::from_fn(|| backoff.pause()).collect();
        assert_eq!(pauses[..3], [FIRST, FIRST * 2, FIRST * 4]);
        assert_eq!(pauses.last(), Some(&LONGEST));
        let all: Duration = pauses.iter().sum();
        assert!(all >= PATIENCE && all < PATIENCE + LONGEST, "{all:?}");
    }
}

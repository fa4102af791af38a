//! The clock and the score of a whole game: kickoffs after goals, the last ball, overtime.

use lanista_game::{End, SettingsError};
use rocketsim::consts::TICK_RATE;
use serde::{Deserialize, Serialize};

/// How long a whole game is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GameLength {
    /// Minutes on the clock.
    pub minutes: f32,
    /// Does the next goal win when the score is level at the end? Otherwise it is a draw.
    pub overtime: bool,
    /// Minutes of overtime after which a game is cut off, level. Also the longest that a ball may stay
    /// off the ground at 0:00.
    pub overtime_minutes: f32,
}

impl Default for GameLength {
    fn default() -> Self {
        Self { minutes: 5.0, overtime: true, overtime_minutes: 5.0 }
    }
}

impl GameLength {
    /// Refuses what is no length of a game.
    pub fn check(&self) -> Result<(), SettingsError> {
        for (key, minutes) in
            [("game.minutes", self.minutes), ("game.overtime_minutes", self.overtime_minutes)]
        {
            if !(0.05..=1440.0).contains(&minutes) {
                let message = format!("{minutes} is out of range; it is 0.05 to 1440");
                return Err(SettingsError::new(key, message));
            }
        }
        Ok(())
    }
}

/// How a game goes on after a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Play goes on.
    Play,
    /// Everybody lines up for a kickoff.
    Kickoff,
    /// The game is over.
    Over(End),
}

/// Clock and score of one game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    length: GameLength,
    left_ticks: u64,
    /// Ticks since 0:00, or since overtime began.
    extra_ticks: u64,
    overtime: bool,
    goals: [u32; 2],
}

impl Clock {
    /// A game that is about to begin.
    pub fn new(length: GameLength) -> Self {
        let left_ticks = ticks(length.minutes);
        Self { length, left_ticks, extra_ticks: 0, overtime: false, goals: [0; 2] }
    }

    /// A game that somebody else counts: so many seconds are left, or were played in overtime.
    pub fn reading(length: GameLength, secs: f32, overtime: bool, goals: [u32; 2]) -> Self {
        let ticks = (secs.clamp(0.0, 86_400.0) * TICK_RATE).round() as u64;
        let (left_ticks, extra_ticks) = if overtime { (0, ticks) } else { (ticks, 0) };
        Self { length, left_ticks, extra_ticks, overtime, goals }
    }

    /// Counts one tick, in which a team may have scored. At 0:00 a game ends when the ball touches the
    /// floor, as in Rocket League. The clock runs from the kickoff on, not from its first touch.
    pub fn tick(&mut self, goal: Option<usize>, ball_on_floor: bool) -> Next {
        let was_running = self.left_ticks > 0;
        self.left_ticks = self.left_ticks.saturating_sub(1);
        if let Some(team) = goal {
            self.goals[team] += 1;
        }
        if self.overtime && goal.is_some() {
            return Next::Over(End::Terminated);
        }
        if !self.overtime && self.left_ticks == 0 && (goal.is_some() || ball_on_floor) {
            return self.full_time();
        }
        if goal.is_some() {
            return Next::Kickoff;
        }
        if !was_running {
            self.extra_ticks += 1;
            if self.extra_ticks >= ticks(self.length.overtime_minutes) {
                return Next::Over(End::Truncated);
            }
        }
        Next::Play
    }

    fn full_time(&mut self) -> Next {
        if self.goals[0] != self.goals[1] || !self.length.overtime {
            return Next::Over(End::Terminated);
        }
        (self.overtime, self.extra_ticks) = (true, 0);
        Next::Kickoff
    }

    /// The share of the regular time that is left.
    pub fn share_left(&self) -> f32 {
        self.left_ticks as f32 / ticks(self.length.minutes).max(1) as f32
    }

    /// Seconds on the clock; those played so far in overtime.
    pub fn secs(&self) -> f32 {
        let ticks = if self.overtime { self.extra_ticks } else { self.left_ticks };
        ticks as f32 / TICK_RATE
    }

    /// Does the next goal win?
    pub fn in_overtime(&self) -> bool {
        self.overtime
    }

    /// Goals of each team.
    pub fn goals(&self) -> [u32; 2] {
        self.goals
    }
}

fn ticks(minutes: f32) -> u64 {
    (minutes * 60.0 * TICK_RATE).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Six seconds: 720 ticks.
    const SHORT: GameLength = GameLength { minutes: 0.1, overtime: true, overtime_minutes: 0.1 };

    fn after(length: GameLength, ticks: usize) -> Clock {
        let mut clock = Clock::new(length);
        for _ in 0..ticks {
            assert_eq!(clock.tick(None, false), Next::Play);
        }
        clock
    }

    #[test]
    fn a_goal_brings_a_kickoff() {
        let mut clock = after(SHORT, 10);
        assert_eq!(clock.tick(Some(1), true), Next::Kickoff);
        assert_eq!(clock.goals(), [0, 1]);
        assert!((clock.share_left() - 709.0 / 720.0).abs() < 1e-6);
    }

    #[test]
    fn a_clock_is_read_off() {
        let length = GameLength { minutes: 5.0, ..SHORT };
        let clock = Clock::reading(length, 150.0, false, [2, 1]);
        assert_eq!((clock.share_left(), clock.secs(), clock.goals()), (0.5, 150.0, [2, 1]));
        let extra = Clock::reading(length, 12.0, true, [1, 1]);
        assert_eq!((extra.share_left(), extra.secs(), extra.in_overtime()), (0.0, 12.0, true));
        assert_eq!(Clock::reading(length, f32::NAN, false, [0; 2]).share_left(), 0.0);
    }

    #[test]
    fn the_last_ball_ends_on_the_floor() {
        let mut clock = after(SHORT, 100);
        assert_eq!(clock.tick(Some(0), false), Next::Kickoff);
        for _ in 0..619 {
            // On the floor, but there is time left, until there is none and it flies.
            let flying = clock.left_ticks == 1;
            assert_eq!(clock.tick(None, !flying), Next::Play);
        }
        assert_eq!(clock.share_left(), 0.0);
        for _ in 0..50 {
            assert_eq!(clock.tick(None, false), Next::Play);
        }
        assert_eq!(clock.tick(None, true), Next::Over(End::Terminated));
    }

    #[test]
    fn a_goal_from_the_last_ball_counts() {
        let mut clock = after(SHORT, 730);
        assert_eq!(clock.tick(Some(1), false), Next::Over(End::Terminated));
        assert_eq!(clock.goals(), [0, 1]);
    }

    #[test]
    fn a_level_score_goes_into_overtime_and_the_next_goal_wins() {
        let mut clock = after(SHORT, 719);
        assert_eq!(clock.tick(None, true), Next::Kickoff);
        assert!(clock.in_overtime());
        // The floor decides nothing any more.
        assert_eq!(clock.tick(None, true), Next::Play);
        assert_eq!(clock.tick(Some(0), true), Next::Over(End::Terminated));
    }

    #[test]
    fn overtime_is_cut_off_and_may_be_off() {
        let mut clock = after(SHORT, 719);
        assert_eq!(clock.tick(None, true), Next::Kickoff);
        for _ in 0..719 {
            assert_eq!(clock.tick(None, false), Next::Play);
        }
        assert_eq!(clock.tick(None, false), Next::Over(End::Truncated));
        let mut clock = after(GameLength { overtime: false, ..SHORT }, 719);
        assert_eq!(clock.tick(None, true), Next::Over(End::Terminated));
    }

    #[test]
    fn a_ball_that_never_comes_down_is_cut_off() {
        let mut clock = after(SHORT, 720 + 719);
        assert_eq!(clock.tick(None, false), Next::Over(End::Truncated));
    }

    #[test]
    fn lengths_are_checked() {
        assert!(GameLength::default().check().is_ok());
        for minutes in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            let error = GameLength { minutes, ..SHORT }.check().unwrap_err().to_string();
            assert!(error.contains("settings.game.minutes"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn every_game_ends(seed in any::<u64>(), overtime: bool) {
            let mut clock = Clock::new(GameLength { overtime, ..SHORT });
            let mut rng = lanista_game::seed::rng(seed);
            use rand::RngExt;
            let over = (0..3 * 720).any(|_| {
                let goal = (rng.random::<f32>() < 0.002).then(|| usize::from(rng.random::<bool>()));
                matches!(clock.tick(goal, rng.random::<f32>() < 0.01), Next::Over(_))
            });
            prop_assert!(over);
        }
    }
}

//! What a preset may say about a match.

use std::path::PathBuf;

use lanista_game::{GameSettings, SettingsError};
use serde::{Deserialize, Serialize};

use crate::arena;
use crate::clock::GameLength;
use crate::hitbox::Hitboxes;
use crate::legality::Legality;
use crate::observe::{Context, Layout};
use crate::start::StartWeights;
use crate::state::MAX_TEAM;
use crate::teams::TeamSizes;

/// What a shaping term is counted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShapingUnit {
    /// In full at every step.
    #[default]
    PerStep,
    /// By the seconds of the step.
    PerSecond,
}

/// Matches that begin where a recorded one once was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Starts {
    /// A directory of `.replay` files.
    pub replays: Option<PathBuf>,
    /// The share of matches that begin so; the others begin as `start` says.
    pub share: f32,
}

impl Default for Starts {
    fn default() -> Self {
        Self { replays: None, share: 1.0 }
    }
}

/// The settings of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Cars of a team.
    pub team_size: usize,
    /// Cars of the orange team, if it is not as large as the blue one.
    pub orange_size: Option<usize>,
    /// Cars of both teams drawn for every match, instead of the two above.
    pub teams: TeamSizes,
    /// Seats of a team in the spec; observations are padded to it.
    pub max_team: Option<usize>,
    /// The bodies of the cars.
    pub hitbox: Hitboxes,
    /// Physics ticks of a step.
    pub tick_skip: u32,
    /// Steps that an action is kept for.
    pub repeat: u32,
    /// Probability that a car keeps its last action instead of the one chosen.
    pub sticky: f32,
    /// Ticks from choosing an action to its taking effect.
    pub action_delay: u32,
    /// What a car sees.
    pub observation: Layout,
    /// Which rows are hidden when.
    pub legality: Legality,
    /// What shaping terms are counted by.
    pub shaping: ShapingUnit,
    /// How matches begin.
    pub start: StartWeights,
    /// Recorded states that matches begin with instead.
    pub starts: Starts,
    /// Whole games with a clock, instead of matches to the first goal.
    pub game: Option<GameLength>,
    /// Seconds without a touch after which a match is cut off.
    pub no_touch_secs: f32,
    /// Seconds after which a match is cut off.
    pub limit_secs: f32,
    /// Seconds within which a car on its roof must recover for the stats.
    pub recovery_secs: f32,
    /// Directory of real collision meshes.
    pub collision_meshes: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            team_size: 1,
            orange_size: None,
            teams: TeamSizes::default(),
            max_team: None,
            hitbox: Hitboxes::default(),
            tick_skip: 8,
            repeat: 1,
            sticky: 0.0,
            action_delay: 0,
            observation: Layout::Plus,
            legality: Legality::default(),
            shaping: ShapingUnit::default(),
            start: StartWeights::default(),
            starts: Starts::default(),
            game: None,
            no_touch_secs: 15.0,
            limit_secs: 300.0,
            recovery_secs: 3.0,
            collision_meshes: None,
        }
    }
}

impl Settings {
    /// Cars of the blue and of the orange team, unless they are drawn.
    pub fn sizes(&self) -> (usize, usize) {
        (self.team_size, self.orange_size.unwrap_or(self.team_size))
    }

    /// Seats of each team.
    pub fn seats_a_team(&self) -> usize {
        self.max_team.unwrap_or(self.largest_team())
    }

    /// The largest team that a match may have.
    fn largest_team(&self) -> usize {
        let (blue, orange) = self.sizes();
        self.teams.largest().unwrap_or(blue.max(orange))
    }

    /// Physics ticks between two decisions.
    pub fn step_ticks(&self) -> u32 {
        self.tick_skip * self.repeat
    }

    /// What is seen beside the layout.
    pub fn context(&self) -> Context {
        Context { clock: self.game.is_some(), hitbox: self.hitbox.differ() }
    }
}

impl GameSettings for Settings {
    const KEYS: &'static [(&'static str, &'static str)] = &[
        ("team_size", "cars of a team, 1 to 3"),
        ("orange_size", "cars of the orange team when uneven, 0 to 3; team_size when null"),
        (
            "teams",
            "weights of team sizes drawn for every match, such as {1v1: 2, 2v1: 1}; team_size and orange_size when empty",
        ),
        ("max_team", "seats of a team: observations are padded to it; the larger team when null"),
        (
            "hitbox",
            "octane, dominus, plank, breakout, hybrid, merc; or weights, drawn for every car of a match",
        ),
        ("tick_skip", "physics ticks of a step (120 a second), 1 to 120"),
        ("repeat", "steps that an action is kept for, 1 to 30"),
        ("sticky", "probability that a car keeps its last action, 0 to 1"),
        (
            "action_delay",
            "ticks before a chosen action takes effect, at most a step; RLBot has about 1",
        ),
        ("observation", "plus (as the car sees it) or advanced (along the field's axes)"),
        ("legality", "rules that hide rows of the table, each true or false"),
        (
            "shaping",
            "per_step: shaping terms count in full at every step; per_second: by the seconds of a step",
        ),
        ("start", "weights of start states"),
        (
            "starts",
            "{replays: DIR, share: 1}: a share of matches begins where those of a directory of replays once were",
        ),
        (
            "game",
            "whole games: {minutes: 5, overtime: true, overtime_minutes: 5}; a match ends with a goal when null",
        ),
        ("no_touch_secs", "a match without a touch for so long is cut off; whole games are not"),
        ("limit_secs", "a match is cut off after so long; whole games are not"),
        ("recovery_secs", "a car on its roof recovers in time if it stands within so long"),
        (
            "collision_meshes",
            "directory of real meshes (soccar/*.cmf); an embedded stand-in when null",
        ),
    ];
    const MACHINE: &'static [&'static str] = &[arena::KEY, "starts"];

    fn check(&self) -> Result<(), SettingsError> {
        let refuse = |key: &str, message: String| Err(SettingsError::new(key, message));
        let (blue, orange) = self.sizes();
        if !(1..=MAX_TEAM).contains(&blue) {
            return refuse("team_size", format!("{blue} is no team size; it is 1, 2 or 3"));
        }
        if orange > MAX_TEAM {
            return refuse("orange_size", format!("{orange} is no team size; it is 0 to 3"));
        }
        if !self.teams.is_empty() {
            self.teams.check()?;
        }
        self.hitbox.check()?;
        if let Some(game) = &self.game {
            game.check()?;
        }
        let (seats, least) = (self.seats_a_team(), self.largest_team());
        if !(least..=MAX_TEAM).contains(&seats) {
            let message = format!("{seats} seats a team are out of range; it is {least} to 3");
            return refuse("max_team", message);
        }
        let whole = [
            ("tick_skip", self.tick_skip as usize, 1, 120),
            ("repeat", self.repeat as usize, 1, 30),
        ];
        for (key, value, low, high) in whole {
            if !(low..=high).contains(&value) {
                return refuse(key, format!("{value} is out of range; it is {low} to {high}"));
            }
        }
        if self.action_delay > self.step_ticks() {
            let (delay, most) = (self.action_delay, self.step_ticks());
            let message = format!(
                "{delay} ticks are longer than a step; it is 0 to {most}, tick_skip × repeat"
            );
            return refuse("action_delay", message);
        }
        let secs = [
            ("sticky", self.sticky, 0.0, 1.0),
            ("no_touch_secs", self.no_touch_secs, 0.1, 86_400.0),
            ("limit_secs", self.limit_secs, 0.1, 86_400.0),
            ("recovery_secs", self.recovery_secs, 0.1, 60.0),
        ];
        for (key, value, low, high) in secs {
            if !(low..=high).contains(&value) {
                return refuse(key, format!("{value} is out of range; it is {low} to {high}"));
            }
        }
        let share = self.starts.share;
        if !(0.0..=1.0).contains(&share) {
            return refuse("starts.share", format!("{share} is no share; it is 0 to 1"));
        }
        self.start.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanista_game::{documented, parse_settings};
    use serde_json::{Value, json};

    fn refused(value: Value) -> String {
        parse_settings::<Settings>(&value).unwrap_err().to_string()
    }

    #[test]
    fn every_key_is_documented() {
        // Panics when a key is left out.
        assert_eq!(documented::<Settings>().len(), Settings::KEYS.len());
    }

    #[test]
    fn impossible_settings_are_refused_with_the_choices() {
        assert!(refused(json!({"team_size": 0})).contains("1, 2 or 3"));
        assert!(refused(json!({"team_size": 9})).contains("1, 2 or 3"));
        assert!(refused(json!({"team_size": 3, "max_team": 2})).contains("max_team"));
        assert!(refused(json!({"tick_skip": 0})).contains("1 to 120"));
        assert!(refused(json!({"start": {"kickoff": 0}})).contains("start"));
        assert!(refused(json!({"teams": {"4v4": 1}})).contains("settings.teams.4v4"));
        assert!(refused(json!({"teams": {"2v2": 1}, "max_team": 1})).contains("max_team"));
        assert!(refused(json!({"hitbox": "octan"})).contains("dominus"));
        assert!(refused(json!({"action_delay": 9})).contains("0 to 8"));
        assert!(refused(json!({"shaping": "per_minute"})).contains("per_second"));
        assert!(refused(json!({"game": {"minutes": 0}})).contains("settings.game.minutes"));
        assert!(refused(json!({"game": {"minuts": 5}})).contains("minutes"));
        assert!(refused(json!({"starts": {"share": 2}})).contains("settings.starts.share"));
        assert!(refused(json!({"observation": "plsu"})).contains("plus"));
        assert_eq!(Settings::default().check(), Ok(()));
    }

    #[test]
    fn seats_are_those_of_the_largest_team_that_comes_up() {
        let read = |value| parse_settings::<Settings>(&value).unwrap();
        assert_eq!(read(json!({"team_size": 2})).seats_a_team(), 2);
        let drawn = read(json!({"teams": {"1v1": 1, "1v3": 1}, "team_size": 2}));
        assert_eq!((drawn.seats_a_team(), drawn.check()), (3, Ok(())));
        let whole = read(json!({"game": {}}));
        assert_eq!(whole.game, Some(GameLength::default()));
        assert_eq!(read(json!({"tick_skip": 4, "repeat": 2, "action_delay": 8})).check(), Ok(()));
    }
}

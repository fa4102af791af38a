//! What a preset may write under `settings`.

use std::path::PathBuf;

use lanista_game::{GameSettings, SettingsError};
use serde::{Deserialize, Serialize};

use crate::format::{FORMATS, Format};
use crate::team::Part;
use crate::view::View;

/// How a choice is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actions {
    /// Three heads: the preview, the first place, the second, which sees the first.
    #[default]
    Heads,
    /// One head of all 2025 pairs; previews use its first 90 numbers.
    Joint,
}

/// Which teams are drawn from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// All but those held out.
    #[default]
    Train,
    /// Those held out alone.
    HeldOut,
    /// All of them.
    All,
}

impl From<Split> for Part {
    fn from(split: Split) -> Self {
        match split {
            Split::Train => Self::Train,
            Split::HeldOut => Self::HeldOut,
            Split::All => Self::All,
        }
    }
}

/// Settings of the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// What is played, by Showdown's id.
    pub format: String,
    /// How a choice is made.
    pub actions: Actions,
    /// What a seat sees.
    pub view: View,
    /// Where teams come from; those of the program when left out.
    pub teams: Option<PathBuf>,
    /// One team that a side always plays: a name of the program's, or a file.
    pub team: Option<String>,
    /// Do both sides play the same team?
    pub mirror: bool,
    /// The share of teams that is held out.
    pub held_out: f64,
    /// Which teams are drawn from.
    pub split: Split,
    /// How many more teams are mixed of the members of those that are trained on.
    pub mixed: usize,
    /// Are team sheets open?
    pub open_sheets: bool,
    /// Turns after which a battle is cut.
    pub limit_turns: u32,
    /// Processes that play battles; one a core when left out.
    pub processes: Option<usize>,
    /// Where the simulator is; where `lanista vgc setup` put it when left out.
    pub showdown: Option<PathBuf>,
    /// A file to which choices that the simulator refuses are added.
    pub refusals: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            format: "gen9vgc2024regg".into(),
            actions: Actions::Heads,
            view: View::Entities,
            teams: None,
            team: None,
            mirror: false,
            held_out: 0.0,
            split: Split::Train,
            mixed: 0,
            open_sheets: false,
            limit_turns: 60,
            processes: None,
            showdown: None,
            refusals: None,
        }
    }
}

impl Settings {
    /// The format.
    ///
    /// # Panics
    /// If there is no such format, which [`GameSettings::check`] rules out.
    pub fn format(&self) -> &'static Format {
        Format::of(&self.format).expect("settings are checked before they are used")
    }

    /// How many processes play battles.
    pub fn processes(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.processes.unwrap_or_else(cores)
    }
}

impl GameSettings for Settings {
    const KEYS: &'static [(&'static str, &'static str)] = &[
        ("format", "Showdown's id of the format, such as gen9vgc2024regg"),
        ("actions", "heads (preview, first, second), or joint: one head of all 2025 pairs"),
        ("view", "entities, or flat: a plain vector for simple nets"),
        ("teams", "a file or a directory of teams, packed or exported; null: those of the program"),
        ("team", "what the side that learns plays: a team of the program, or a file; null: drawn"),
        ("mirror", "do both sides play the same team?"),
        ("held_out", "the share of teams that is held out; 0 to 0.9"),
        ("split", "train (all but those held out), held_out, or all"),
        (
            "mixed",
            "teams mixed of the members of those that are trained on, beside them; 0 to 10000",
        ),
        ("open_sheets", "are team sheets open?"),
        ("limit_turns", "turns after which a battle is cut; 1 to 1000"),
        ("processes", "processes of node that play battles, 1 to 256; null: one a core"),
        ("showdown", "where the simulator is; null: where `lanista vgc setup` put it"),
        (
            "refusals",
            "a file to which choices that the simulator refuses are added, with their battle",
        ),
    ];
    const MACHINE: &'static [&'static str] = &["teams", "processes", "showdown", "refusals"];

    fn check(&self) -> Result<(), SettingsError> {
        let refuse = |key: &str, message: String| Err(SettingsError::new(key, message));
        if Format::of(&self.format).is_none() {
            let known: Vec<&str> = FORMATS.iter().map(|format| format.id).collect();
            let message =
                format!("`{}` is not a format; there are: {}", self.format, known.join(", "));
            return refuse("format", message);
        }
        if !(0.0..=0.9).contains(&self.held_out) {
            return refuse("held_out", format!("{} is not between 0 and 0.9", self.held_out));
        }
        if self.split == Split::HeldOut && self.held_out == 0.0 {
            return refuse("split", "no team is held out; set held_out".into());
        }
        if !(1..=1000).contains(&self.limit_turns) {
            return refuse(
                "limit_turns",
                format!("{} is not between 1 and 1000", self.limit_turns),
            );
        }
        if self.mixed > 10_000 {
            return refuse("mixed", format!("{} is not between 0 and 10000", self.mixed));
        }
        if self.processes.is_some_and(|count| !(1..=256).contains(&count)) {
            return refuse("processes", "it is not between 1 and 256".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanista_game::{documented, parse_settings};
    use serde_json::json;

    #[test]
    fn settings_are_documented_and_checked() {
        assert_eq!(documented::<Settings>().len(), Settings::KEYS.len());
        let error = |value| parse_settings::<Settings>(&value).unwrap_err().to_string();
        assert!(error(json!({"format": "gen9ou"})).contains("gen9vgc2025regi"));
        assert!(error(json!({"split": "held_out"})).contains("held_out"));
        assert!(error(json!({"limit_turns": 0})).contains("1 and 1000"));
        assert!(error(json!({"mixed": 10_001})).contains("10000"));
        assert!(error(json!({"processes": 0})).contains("256"));
        let alias = json!({"format": "gen9vgc2023regulationc"});
        assert_eq!(parse_settings::<Settings>(&alias).unwrap().format().id, "gen9vgc2023regc");
    }
}

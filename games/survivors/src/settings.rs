//! What a preset may write under `settings`.

use std::path::PathBuf;

use lanista_game::{GameSettings, SettingsError};
use serde::{Deserialize, Serialize};

use crate::delay::MOST_TICKS;
use crate::maps::Source;
use crate::sim::director::{Mode, Temperament};
use crate::sim::numbers::Difficulty;
use crate::sim::world::{PLAYED_INFECTED, SURVIVORS};

/// What survivors see and do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewKind {
    /// The document's 20 numbers and 14 actions.
    Legacy,
    /// Everything that a player sees, and heads for feet, eyes and hands.
    #[default]
    Rich,
}

/// Servers that are played on instead of the simulator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Servers {
    /// One, as HOST:PORT.
    One(String),
    /// Several.
    Several(Vec<String>),
}

impl Servers {
    /// All of them, in order.
    pub fn addresses(&self) -> &[String] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Several(several) => several,
        }
    }
}

/// Settings of the game.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Where it happens.
    pub map: Source,
    /// How hard it is.
    pub difficulty: Difficulty,
    /// What survivors see and do.
    pub view: ViewKind,
    /// How many survivors.
    pub survivors: usize,
    /// How many infected are played by somebody.
    pub infected: usize,
    /// Who directs.
    pub director: Mode,
    /// How hard the director means to be.
    pub temperament: Temperament,
    /// Ticks between two decisions.
    pub ticks_per_step: u32,
    /// Ticks after which what a survivor's seat decides takes effect.
    pub action_delay: u32,
    /// Do survivors begin with a medkit each, as whoever has taken one from the safe room?
    pub medkits: bool,
    /// A match is cut after this.
    pub limit_secs: u32,
    /// Servers that are played on instead of the simulator.
    pub live: Option<Servers>,
    /// A file whose first line is the key that the servers know.
    pub live_key_file: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            map: Source::One("apartment".into()),
            difficulty: Difficulty::Normal,
            view: ViewKind::Rich,
            survivors: SURVIVORS,
            infected: 0,
            director: Mode::Rule,
            temperament: Temperament::Standard,
            ticks_per_step: 3,
            action_delay: 0,
            medkits: false,
            limit_secs: 300,
            live: None,
            live_key_file: None,
        }
    }
}

impl Settings {
    /// Does a seat for a director exist?
    pub fn has_director_seat(&self) -> bool {
        matches!(self.director, Mode::Rl | Mode::Hybrid)
    }
}

impl Settings {
    fn check_live(&self) -> Result<(), SettingsError> {
        let Some(servers) = &self.live else { return Ok(()) };
        let refuse = |key: &str, message: String| Err(SettingsError::new(key, message));
        if servers.addresses().is_empty() {
            return refuse(
                "live",
                "the list is empty; give HOST:PORT, or null for the simulator".into(),
            );
        }
        for address in servers.addresses() {
            let port = address.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
            if port.is_none_or(|port| port == 0) {
                let message = format!("`{address}` is not HOST:PORT, such as 127.0.0.1:27050");
                return refuse("live", message);
            }
        }
        if self.infected > 0 {
            return refuse("infected", "a live server plays its infected itself; set 0".into());
        }
        if self.has_director_seat() {
            return refuse("director", "a live server directs itself; set rule".into());
        }
        Ok(())
    }
}

impl GameSettings for Settings {
    const KEYS: &'static [(&'static str, &'static str)] = &[
        (
            "map",
            "corridor, apartment, street or finale, another such as street:7, a path to a .nav, or a list",
        ),
        ("difficulty", "easy, normal, advanced or expert"),
        ("view", "rich, or legacy: 20 numbers and 14 actions"),
        ("survivors", "survivors of a match; 1 to 4"),
        ("infected", "special infected that are played by seats; 0 to 4"),
        ("director", "rule, rl or hybrid (a seat of its own), or none"),
        (
            "temperament",
            "relaxed, standard, intense or nightmare: how hard the director means to be",
        ),
        ("ticks_per_step", "ticks, of 30 a second, between two decisions; 1 to 30"),
        (
            "action_delay",
            "ticks after which what survivors decide takes effect, as over a network; 0 to 30",
        ),
        ("medkits", "do survivors begin with a medkit each? Otherwise it lies in the safe room"),
        ("limit_secs", "seconds of the game after which a match is cut; 10 to 3600"),
        ("live", "HOST:PORT of a server, or a list of them, to play on instead of the simulator"),
        (
            "live_key_file",
            "a file whose first line is the servers' key; on loopback none is needed",
        ),
    ];
    const MACHINE: &'static [&'static str] = &["live", "live_key_file"];

    fn check(&self) -> Result<(), SettingsError> {
        let within = |key: &str, value: usize, least: usize, most: usize| {
            if (least..=most).contains(&value) {
                Ok(())
            } else {
                Err(SettingsError::new(key, format!("{value} is not between {least} and {most}")))
            }
        };
        within("survivors", self.survivors, 1, SURVIVORS)?;
        within("infected", self.infected, 0, PLAYED_INFECTED)?;
        within("ticks_per_step", self.ticks_per_step as usize, 1, 30)?;
        within("action_delay", self.action_delay as usize, 0, MOST_TICKS as usize)?;
        within("limit_secs", self.limit_secs as usize, 10, 3600)?;
        self.check_live()
    }
}

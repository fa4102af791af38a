//! What a preset may write under `settings`.

use std::fmt;
use std::path::PathBuf;

use lanista_game::{GameSettings, SettingsError, seed};
use serde::de::{Error, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

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

/// How hard it is: always alike, or drawn for every match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difficulties(pub Vec<Difficulty>);

impl Default for Difficulties {
    fn default() -> Self {
        Self(vec![Difficulty::Normal])
    }
}

impl Difficulties {
    /// That of a match. Listed twice is drawn twice as often.
    pub fn of(&self, match_seed: u64) -> Difficulty {
        let pick = seed::mix(match_seed, 0x6861_7264) % self.0.len().max(1) as u64;
        self.0.get(pick as usize).copied().unwrap_or_default()
    }
}

impl Serialize for Difficulties {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0[..] {
            [one] => one.serialize(serializer),
            several => several.serialize(serializer),
        }
    }
}

// By hand: serde's own code for "one or the other" cannot say what was wrong.
impl<'de> Deserialize<'de> for Difficulties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrList;

        impl<'de> Visitor<'de> for OneOrList {
            type Value = Difficulties;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("easy, normal, advanced or expert, or a list of them")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Difficulties, E> {
                Difficulty::deserialize(name.into_deserializer()).map(|one| Difficulties(vec![one]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Difficulties, A::Error> {
                let mut several = Vec::new();
                while let Some(one) = list.next_element()? {
                    several.push(one);
                }
                Ok(Difficulties(several))
            }
        }
        deserializer.deserialize_any(OneOrList)
    }
}

/// Settings of the game.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Where it happens.
    pub map: Source,
    /// How hard it is.
    pub difficulty: Difficulties,
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
            difficulty: Difficulties::default(),
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
        ("difficulty", "easy, normal, advanced or expert, or a list of which each match draws one"),
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
        if self.difficulty.0.is_empty() {
            let message = "the list is empty; name at least one of easy, normal, advanced, expert";
            return Err(SettingsError::new("difficulty", message));
        }
        within("survivors", self.survivors, 1, SURVIVORS)?;
        within("infected", self.infected, 0, PLAYED_INFECTED)?;
        within("ticks_per_step", self.ticks_per_step as usize, 1, 30)?;
        within("action_delay", self.action_delay as usize, 0, MOST_TICKS as usize)?;
        within("limit_secs", self.limit_secs as usize, 10, 3600)?;
        self.check_live()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(difficulty: serde_json::Value) -> Result<Difficulties, String> {
        let settings = json!({ "difficulty": difficulty });
        lanista_game::parse_settings::<Settings>(&settings)
            .map(|settings| settings.difficulty)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn one_difficulty_or_several() {
        let expert = read(json!("expert")).unwrap();
        assert_eq!(expert, Difficulties(vec![Difficulty::Expert]));
        assert_eq!(serde_json::to_value(&expert).unwrap(), json!("expert"));
        let mixed = read(json!(["normal", "expert", "expert"])).unwrap();
        assert_eq!(serde_json::to_value(&mixed).unwrap(), json!(["normal", "expert", "expert"]));
        let hard = (0..3000).filter(|&m| mixed.of(m) == Difficulty::Expert).count();
        assert!((1900..2100).contains(&hard), "{hard} of 3000");
        assert!(read(json!("hard")).unwrap_err().contains("`expert`"));
        assert!(read(json!([])).unwrap_err().contains("empty"));
        assert!(read(json!(3)).unwrap_err().contains("or a list of them"));
    }
}

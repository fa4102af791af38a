//! How the program finds a game.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use crate::Batch;

/// A game as the program lists it.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name in a preset's `game`.
    pub name: &'static str,
    /// One line for `lanista games`.
    pub about: &'static str,
    /// The settings a preset may give, with their defaults.
    pub settings: fn() -> Vec<Setting>,
    /// Builds a batch of so many matches from a preset's `settings`.
    pub build: Build,
}

impl Entry {
    /// Settings that name something of this machine, such as a directory.
    pub fn machine_settings(&self) -> Vec<&'static str> {
        (self.settings)().into_iter().filter(|s| s.machine).map(|s| s.name).collect()
    }

    /// The same settings without those that mean nothing on another machine.
    pub fn portable(&self, settings: &Value) -> Value {
        let mut portable = settings.clone();
        if let Some(map) = portable.as_object_mut() {
            self.machine_settings().into_iter().for_each(|name| drop(map.remove(name)));
        }
        portable
    }
}

/// Builds a batch of so many matches from a preset's `settings`.
pub type Build = fn(&Value, usize) -> Result<Box<dyn Batch>, SettingsError>;

/// One setting of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its key under `settings`.
    pub name: &'static str,
    /// What it is when a preset is silent.
    pub default: Value,
    /// One line: what it does, and which values it takes.
    pub about: &'static str,
    /// Does it name something of this machine, such as a directory? A model does not carry it along.
    pub machine: bool,
}

impl Setting {
    /// The same setting, bound to the machine if it has one of these names.
    pub fn bound_if(mut self, names: &[&str]) -> Self {
        self.machine = names.contains(&self.name);
        self
    }
}

/// A preset's `settings` that the game refuses.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("settings{}: {message}", if .key.is_empty() { String::new() } else { format!(".{}", .key) })]
pub struct SettingsError {
    /// The key at fault, dotted; empty when it is `settings` as a whole.
    pub key: String,
    /// What is wrong with it, and what would be right.
    pub message: String,
}

impl SettingsError {
    /// A complaint about one key.
    pub fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { key: key.into(), message: message.into() }
    }
}

/// Every setting of `S` with its default, in the order of `about`: each key with one line about it.
/// Defaults are not repeated there, so the two cannot drift apart.
///
/// # Panics
/// When `about` does not name every key exactly once. That depends on nothing but the game's code, so
/// one call in a test of the game rules it out.
pub fn documented<S: Default + Serialize>(about: &[(&'static str, &'static str)]) -> Vec<Setting> {
    let defaults = serde_json::to_value(S::default()).unwrap_or(Value::Null);
    let mut keys: Vec<&str> =
        defaults.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    let mut names: Vec<&str> = about.iter().map(|&(name, _)| name).collect();
    keys.sort_unstable();
    names.sort_unstable();
    assert_eq!(names, keys, "the documented settings are not those that there are");
    about
        .iter()
        .map(|&(name, about)| {
            let default = defaults[name].clone();
            Setting { name, default, about, machine: false }
        })
        .collect()
}

/// Reads a game's typed settings; `null` stands for all defaults.
pub fn parse_settings<S: DeserializeOwned + Default>(value: &Value) -> Result<S, SettingsError> {
    if value.is_null() {
        return Ok(S::default());
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let key = error.path().to_string();
        SettingsError::new(if key == "." { String::new() } else { key }, error.inner().to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Default, Serialize, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    struct Toy {
        size: usize,
        colour: Option<String>,
    }

    #[test]
    fn settings_are_typed_and_closed() {
        assert_eq!(parse_settings::<Toy>(&Value::Null), Ok(Toy::default()));
        let three = Toy { size: 3, ..Toy::default() };
        assert_eq!(parse_settings::<Toy>(&json!({"size": 3})), Ok(three));
        let error = parse_settings::<Toy>(&json!({"size": "big"})).unwrap_err();
        assert!(error.to_string().starts_with("settings.size: "), "{error}");
        let error = parse_settings::<Toy>(&json!({"sise": 3})).unwrap_err();
        assert!(error.to_string().contains("`size`"), "{error}");
    }

    #[test]
    fn settings_are_documented_in_the_order_of_the_table() {
        let settings = documented::<Toy>(&[("size", "how large"), ("colour", "null is none")]);
        let (size, colour) = (json!(0), Value::Null);
        let size = Setting { name: "size", default: size, about: "how large", machine: false };
        let colour =
            Setting { name: "colour", default: colour, about: "null is none", machine: false };
        assert_eq!(settings, [size, colour]);
    }

    #[test]
    fn what_is_of_the_machine_stays_behind() {
        let settings = || {
            let all = documented::<Toy>(&[("size", "how large"), ("colour", "a file")]);
            all.into_iter().map(|s| s.bound_if(&["colour"])).collect()
        };
        let build = |_: &Value, _| Err(SettingsError::new("", "nobody plays this"));
        let entry = Entry { name: "toy", about: "", settings, build };
        assert_eq!(entry.machine_settings(), ["colour"]);
        assert_eq!(entry.portable(&json!({"size": 3, "colour": "/x"})), json!({"size": 3}));
        assert_eq!(entry.portable(&Value::Null), Value::Null);
    }

    #[test]
    #[should_panic(expected = "not those that there are")]
    fn a_key_left_out_of_the_table_is_noticed() {
        documented::<Toy>(&[("size", "how large")]);
    }

    #[test]
    #[should_panic(expected = "not those that there are")]
    fn a_key_given_twice_in_the_table_is_noticed() {
        documented::<Toy>(&[("size", ""), ("colour", ""), ("size", "")]);
    }
}

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
        .map(|&(name, about)| Setting { name, default: defaults[name].clone(), about })
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
        let size = Setting { name: "size", default: json!(0), about: "how large" };
        let colour = Setting { name: "colour", default: Value::Null, about: "null is none" };
        assert_eq!(settings, [size, colour]);
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

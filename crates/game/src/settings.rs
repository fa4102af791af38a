//! What a preset may say about a game.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

/// The typed settings of a game. They refuse keys they do not know (`deny_unknown_fields`) and have a
/// default for all they do (`default`).
pub trait GameSettings: Default + Serialize + DeserializeOwned {
    /// Every key with one line about it, in the order in which they are listed.
    const KEYS: &'static [(&'static str, &'static str)];
    /// Those of them that name something of the machine, such as a directory.
    const MACHINE: &'static [&'static str] = &[];

    /// Refuses values that the game cannot be played with.
    fn check(&self) -> Result<(), SettingsError> {
        Ok(())
    }
}

/// The settings of a game that has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoSettings {}

impl GameSettings for NoSettings {
    const KEYS: &'static [(&'static str, &'static str)] = &[];
}

/// One setting of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its key under `settings`.
    pub name: String,
    /// What it is when a preset is silent.
    pub default: Value,
    /// One line: what it does, and which values it takes.
    pub about: String,
    /// Does it name something of this machine, such as a directory? A model does not carry it along.
    pub machine: bool,
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

/// Every setting with its default. Defaults are not repeated where keys are explained, so the two
/// cannot drift apart.
///
/// # Panics
/// When [`GameSettings::KEYS`] does not name every key exactly once. That depends on nothing but the
/// game's code, so one call in a test of the game rules it out.
pub fn documented<S: GameSettings>() -> Vec<Setting> {
    let defaults = serde_json::to_value(S::default()).unwrap_or(Value::Null);
    let mut keys: Vec<&str> =
        defaults.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    let mut names: Vec<&str> = S::KEYS.iter().map(|&(name, _)| name).collect();
    keys.sort_unstable();
    names.sort_unstable();
    assert_eq!(names, keys, "the documented settings are not those that there are");
    let setting = |&(name, about): &(&str, &str)| Setting {
        name: name.to_owned(),
        default: defaults[name].clone(),
        about: about.to_owned(),
        machine: S::MACHINE.contains(&name),
    };
    S::KEYS.iter().map(setting).collect()
}

/// Reads a game's typed settings and checks them; `null` stands for all defaults.
pub fn parse_settings<S: GameSettings>(value: &Value) -> Result<S, SettingsError> {
    if value.is_null() {
        return Ok(S::default());
    }
    let settings: S = serde_path_to_error::deserialize(value).map_err(|error| {
        let key = error.path().to_string();
        SettingsError::new(if key == "." { String::new() } else { key }, error.inner().to_string())
    })?;
    settings.check()?;
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug, Default, Serialize, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    struct Toy {
        size: usize,
        colour: Option<String>,
    }

    impl GameSettings for Toy {
        const KEYS: &'static [(&'static str, &'static str)] =
            &[("size", "how large; at most 9"), ("colour", "null is none")];
        const MACHINE: &'static [&'static str] = &["colour"];

        fn check(&self) -> Result<(), SettingsError> {
            if self.size > 9 { Err(SettingsError::new("size", "too large")) } else { Ok(()) }
        }
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
        let error = parse_settings::<Toy>(&json!({"size": 30})).unwrap_err();
        assert_eq!(error.to_string(), "settings.size: too large");
    }

    #[test]
    fn a_game_without_settings_refuses_all() {
        assert_eq!(parse_settings::<NoSettings>(&Value::Null), Ok(NoSettings {}));
        assert_eq!(parse_settings::<NoSettings>(&json!({})), Ok(NoSettings {}));
        assert!(parse_settings::<NoSettings>(&json!({"size": 3})).is_err());
        assert_eq!(documented::<NoSettings>(), []);
    }

    #[test]
    fn settings_are_documented_in_the_order_of_the_table() {
        let setting = |name: &str, default: Value, about: &str, machine| Setting {
            name: name.into(),
            default,
            about: about.into(),
            machine,
        };
        let size = setting("size", json!(0), "how large; at most 9", false);
        assert_eq!(
            documented::<Toy>(),
            [size, setting("colour", Value::Null, "null is none", true)]
        );
    }

    /// Settings whose table is wrong.
    macro_rules! wrong {
        ($name:ident, $keys:expr) => {
            #[derive(Default, Serialize, Deserialize)]
            #[serde(default)]
            struct $name {
                size: usize,
                colour: usize,
            }
            impl GameSettings for $name {
                const KEYS: &'static [(&'static str, &'static str)] = &$keys;
            }
        };
    }
    wrong!(Forgetful, [("size", "")]);
    wrong!(Repetitive, [("size", ""), ("colour", ""), ("size", "")]);

    #[test]
    #[should_panic(expected = "not those that there are")]
    fn a_key_left_out_of_the_table_is_noticed() {
        documented::<Forgetful>();
    }

    #[test]
    #[should_panic(expected = "not those that there are")]
    fn a_key_given_twice_in_the_table_is_noticed() {
        documented::<Repetitive>();
    }
}

//! Typed settings, checked by hand where a type cannot.

use std::fmt::Display;
use std::ops::RangeInclusive;

use lanista_game::{Setting, SettingsError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The settings of one game.
pub(crate) trait Settings: Default + Serialize + DeserializeOwned {
    /// Every key with one line about it. The defaults are not repeated here: they come from
    /// [`Default`], so the two cannot drift apart.
    const KEYS: &'static [(&'static str, &'static str)];

    /// Refuses values that no match could be played with.
    fn check(&self) -> Result<(), SettingsError>;
}

/// The settings of a game as the program lists them.
pub(crate) fn documented<S: Settings>() -> Vec<Setting> {
    let defaults = serde_json::to_value(S::default()).unwrap_or(Value::Null);
    let default = |name: &str| defaults.get(name).cloned().unwrap_or(Value::Null);
    let setting = |&(name, about)| Setting { name, default: default(name), about, machine: false };
    S::KEYS.iter().map(setting).collect()
}

/// Refuses a value outside its range. Written so that a value that compares with nothing fails.
pub(crate) fn within<T: PartialOrd + Display>(
    key: &str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<(), SettingsError> {
    if range.contains(&value) {
        return Ok(());
    }
    let (low, high) = range.into_inner();
    Err(SettingsError::new(
        key,
        format!("{value} is out of range; it must be at least {low} and at most {high}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_key_value_and_range() {
        assert_eq!(within("limit", 5, 1..=5), Ok(()));
        let error = within("limit", 0, 1..=5).unwrap_err().to_string();
        assert_eq!(error, "settings.limit: 0 is out of range; it must be at least 1 and at most 5");
        assert!(within("rock", f64::NAN, 0.0..=1.0).is_err());
    }
}

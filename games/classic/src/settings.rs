//! Settings that a type cannot check.

use std::fmt::Display;
use std::ops::RangeInclusive;

use lanista_game::SettingsError;

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

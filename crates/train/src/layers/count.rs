//! Counts as people write them: `5000`, `5_000`, `1e6`, `2.5k`, `5M`.

/// What each suffix multiplies with, in powers of ten. Case does not count: a step has no
/// thousandths, so `m` cannot mean milli.
const SUFFIXES: [(char, i64); 5] = [('k', 3), ('m', 6), ('g', 9), ('b', 9), ('t', 12)];

/// More digits than any count has; whatever is longer is no number that was meant.
const LONGEST: usize = 64;

/// Reads a whole number that is not negative. Nothing is rounded: a fraction that the suffix or the
/// exponent does not make whole is refused, and so is what does not fit.
pub fn count(text: &str) -> Result<u64, String> {
    const EXAMPLES: &str = "write a whole number, such as 5000, 5_000, 1e6, 2.5k or 5M";
    let plain = text.trim();
    if plain.starts_with('-') {
        return Err(format!("a count is not negative; {EXAMPLES}"));
    }
    let (digits, power) = parts(plain).ok_or_else(|| format!("not a count; {EXAMPLES}"))?;
    let Some(value) = scaled(&digits, power)? else {
        return Err(format!("there is no fraction of one; {EXAMPLES}"));
    };
    Ok(value)
}

/// Does the text end in one of the suffixes, after something that is a number without it?
pub(super) fn has_suffix(text: &str) -> bool {
    let suffix = text.chars().last().is_some_and(|c| power(c).is_some());
    suffix && text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

fn power(suffix: char) -> Option<i64> {
    let suffix = suffix.to_ascii_lowercase();
    SUFFIXES.iter().find(|(known, _)| *known == suffix).map(|(_, power)| *power)
}

/// The digits of a number without its point, and the power of ten they count.
fn parts(text: &str) -> Option<(String, i64)> {
    if text.len() > LONGEST {
        return None;
    }
    let (text, mut exponent) = match text.chars().last().and_then(|c| Some((c, power(c)?))) {
        Some((suffix, power)) => (&text[..text.len() - suffix.len_utf8()], power),
        None => (text, 0),
    };
    let text = text.strip_prefix('+').unwrap_or(text);
    let (mantissa, power) = match text.split_once(['e', 'E']) {
        Some((mantissa, power)) => (mantissa, power.parse::<i32>().ok()?),
        None => (text, 0),
    };
    exponent += i64::from(power);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // `5_000` groups digits; an underscore at either end groups nothing.
    if [whole, fraction].iter().any(|part| part.starts_with('_') || part.ends_with('_')) {
        return None;
    }
    let digits: String = [whole, fraction].concat().chars().filter(|c| *c != '_').collect();
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    exponent -= fraction.bytes().filter(|b| *b != b'_').count() as i64;
    Some((digits, exponent))
}

/// `digits × 10^power`; nothing if that is no whole number.
fn scaled(digits: &str, power: i64) -> Result<Option<u64>, String> {
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Ok(Some(0));
    }
    let power = power + (digits.len() - digits.trim_end_matches('0').len()) as i64;
    let Ok(power) = u32::try_from(power) else { return Ok(None) };
    let value = significant.parse::<u64>().ok();
    let value = value.zip(10u64.checked_pow(power)).and_then(|(v, scale)| v.checked_mul(scale));
    match value {
        Some(value) => Ok(Some(value)),
        None => Err(format!("too large: the most is {}", u64::MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_are_read_as_they_are_written() {
        for (text, value) in [
            ("0", 0),
            ("5000", 5_000),
            ("5_000", 5_000),
            ("1e6", 1_000_000),
            ("1E6", 1_000_000),
            ("1.5e3", 1_500),
            ("2.5k", 2_500),
            ("2.50K", 2_500),
            ("5M", 5_000_000),
            ("5m", 5_000_000),
            ("0.0005M", 500),
            (".5k", 500),
            ("1_000.5k", 1_000_500),
            ("2G", 2_000_000_000),
            ("2B", 2_000_000_000),
            ("1T", 1_000_000_000_000),
            ("10e-1", 1),
            ("+7", 7),
            (" 7 ", 7),
            ("0e9999", 0),
            ("18446744073709551615", u64::MAX),
            ("18446744073709551.615k", u64::MAX),
        ] {
            assert_eq!(count(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_is_no_count_is_refused_with_the_reason() {
        for (text, reason) in [
            ("-5", "not negative"),
            ("-5k", "not negative"),
            ("0.5", "no fraction"),
            ("1.0001k", "no fraction"),
            ("1e-3", "no fraction"),
            ("18446744073709551616", "too large"),
            ("1e20", "too large"),
            ("1e2000000000", "too large"),
            ("99999999999G", "too large"),
            ("", "not a count"),
            ("k", "not a count"),
            (".", "not a count"),
            ("_5", "not a count"),
            ("5_", "not a count"),
            ("5_.5k", "not a count"),
            ("5kk", "not a count"),
            ("5 M", "not a count"),
            ("1e", "not a count"),
            ("1e1.5", "not a count"),
            ("0x10", "not a count"),
            ("five", "not a count"),
            ("５", "not a count"),
            ("nan", "not a count"),
            ("inf", "not a count"),
            ("1e99999999999999999999", "not a count"),
        ] {
            let error = count(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
        assert!(count(&"1".repeat(1_000_000)).is_err());
    }

    proptest! {
        #[test]
        fn every_count_reads_back(value: u64) {
            prop_assert_eq!(count(&value.to_string()), Ok(value));
            let thousands = format!("{}.{:03}k", value / 1000, value % 1000);
            prop_assert_eq!(count(&thousands), Ok(value));
        }

        #[test]
        fn no_text_panics(text in "[-+_.0-9eEkKmMxé ]{0,24}") {
            let _ = count(&text);
        }
    }
}

//! Numbers as people like to read them.

const UNITS: [&str; 6] = ["", "k", "M", "G", "T", "P"];

/// Scales `value` (not negative) to a unit and writes it with the decimals that `decimals` names
/// for the scaled value. A value that would round up to 1000 takes the next unit.
fn scaled(value: f64, decimals: fn(f64) -> usize) -> String {
    let mut value = value;
    let mut unit = 0;
    loop {
        let places = if unit == 0 { 0 } else { decimals(value) };
        let text = format!("{value:.places$}");
        let rounds_up = text.parse::<f64>().is_ok_and(|rounded| rounded >= 1000.0);
        if !rounds_up || unit + 1 == UNITS.len() {
            return format!("{}{}", trimmed(&text), UNITS[unit]);
        }
        value /= 1000.0;
        unit += 1;
    }
}

/// Drops the zeros a decimal fraction ends in.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// What a number without a value reads as.
fn unreal(value: f64) -> Option<&'static str> {
    match value {
        value if value.is_nan() => Some("nan"),
        f64::INFINITY => Some("inf"),
        f64::NEG_INFINITY => Some("-inf"),
        _ => None,
    }
}

/// A count: `999`, `204.8k`, `1.23M`.
pub fn count(count: u64) -> String {
    scaled(count as f64, |value| if value < 10.0 { 2 } else { 1 })
}

/// So many of something: `1 thread`, `2 threads`.
pub fn plural(count: u64, of: &str) -> String {
    format!("{count} {of}{}", if count == 1 { "" } else { "s" })
}

/// A rate per second, to three digits: `850/s`, `88.1k/s`, `1.23M/s`.
pub fn rate(per_second: f64) -> String {
    if !per_second.is_finite() || per_second < 0.0 {
        return "?/s".into();
    }
    if per_second < 10.0 {
        return format!("{}/s", trimmed(&format!("{per_second:.1}")));
    }
    let decimals = |value: f64| match value {
        value if value < 10.0 => 2,
        value if value < 100.0 => 1,
        _ => 0,
    };
    format!("{}/s", scaled(per_second, decimals))
}

/// A stretch of time in whole seconds and more: `3s`, `1m 20s`, `2h 05m`, `3d 4h`.
pub fn duration(secs: f64) -> String {
    if !secs.is_finite() || secs < 0.0 {
        return "?".into();
    }
    let secs = secs.round() as u64;
    let (minutes, hours, days) = (secs / 60, secs / 3600, secs / 86400);
    match secs {
        0..60 => format!("{secs}s"),
        60..3600 => format!("{minutes}m {:02}s", secs % 60),
        3600..86400 => format!("{hours}h {:02}m", minutes % 60),
        _ => format!("{days}d {}h", hours % 24),
    }
}

/// A short stretch of time, to two or three digits: `0.4ms`, `12ms`, `1.2s`, `48s`.
pub fn span(secs: f64) -> String {
    match secs {
        secs if !secs.is_finite() || secs < 0.0 => "?".into(),
        secs if secs < 0.000_95 => format!("{:.1}ms", secs * 1e3),
        secs if secs < 0.999_5 => format!("{:.0}ms", secs * 1e3),
        secs if secs < 9.95 => format!("{secs:.1}s"),
        secs => duration(secs),
    }
}

/// A measured number of any size, at a steady width while it moves a little: `187.3`, `-0.0123`,
/// `0.520`, `2.1e-4`, `1.23M`.
pub fn number(value: f64) -> String {
    if let Some(text) = unreal(value) {
        return text.into();
    }
    match value.abs() {
        0.0 => "0".into(),
        size if size < 0.000_95 => format!("{value:.1e}"),
        size if size < 0.099_95 => format!("{value:.4}"),
        size if size < 0.999_5 => format!("{value:.3}"),
        size if size < 9.995 => format!("{value:.2}"),
        size if size < 999.95 => format!("{value:.1}"),
        size if size < 1e18 => {
            let sign = if value < 0.0 { "-" } else { "" };
            format!("{sign}{}", scaled(size, |value| if value < 100.0 { 2 } else { 1 }))
        }
        _ => format!("{value:.1e}"),
    }
}

/// A round number, such as a mark on an axis, without idle zeros: `0`, `-200`, `0.25`, `1.5k`.
pub fn tick(value: f64) -> String {
    if let Some(text) = unreal(value) {
        return text.into();
    }
    let sign = if value < 0.0 { "-" } else { "" };
    match value.abs() {
        size if size < 1e-12 => "0".into(),
        size if size < 0.001 => format!("{value:.1e}"),
        size if size < 1000.0 => format!("{sign}{}", trimmed(&format!("{size:.4}"))),
        size if size < 1e18 => format!("{sign}{}", scaled(size, |_| 2)),
        _ => format!("{value:.1e}"),
    }
}

/// A share from 0 to 1 in whole per cent: `41%`.
pub fn percent(share: f64) -> String {
    // Rounded down: a hundred per cent means done.
    if share.is_finite() { format!("{:.0}%", (share * 100.0 + 1e-9).floor()) } else { "?".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_no_things() {
        assert_eq!([0, 1, 2].map(|n| plural(n, "thread")), ["0 threads", "1 thread", "2 threads"]);
    }

    #[test]
    fn counts() {
        let pairs = [
            (0, "0"),
            (999, "999"),
            (1_000, "1k"),
            (1_234, "1.23k"),
            (204_800, "204.8k"),
            (500_000, "500k"),
            (999_949, "999.9k"),
            (999_950, "1M"),
            (1_234_567, "1.23M"),
            (25_000_000_000, "25G"),
            (u64::MAX, "18446.7P"),
        ];
        for (value, text) in pairs {
            assert_eq!(count(value), text);
        }
    }

    #[test]
    fn rates() {
        let pairs = [
            (0.0, "0/s"),
            (3.25, "3.2/s"),
            (850.4, "850/s"),
            (88_123.0, "88.1k/s"),
            (480_321.0, "480k/s"),
            (1_234_567.0, "1.23M/s"),
            (f64::NAN, "?/s"),
            (f64::INFINITY, "?/s"),
        ];
        for (value, text) in pairs {
            assert_eq!(rate(value), text);
        }
    }

    #[test]
    fn durations() {
        let pairs = [
            (0.0, "0s"),
            (3.4, "3s"),
            (59.6, "1m 00s"),
            (80.0, "1m 20s"),
            (7_500.0, "2h 05m"),
            (273_600.0, "3d 4h"),
            (-1.0, "?"),
            (f64::NAN, "?"),
        ];
        for (value, text) in pairs {
            assert_eq!(duration(value), text);
        }
        let pairs = [
            (0.000_42, "0.4ms"),
            (0.012, "12ms"),
            (0.9999, "1.0s"),
            (1.24, "1.2s"),
            (48.0, "48s"),
            (80.0, "1m 20s"),
        ];
        for (value, text) in pairs {
            assert_eq!(span(value), text);
        }
    }

    #[test]
    fn numbers() {
        let pairs = [
            (0.0, "0"),
            (187.34, "187.3"),
            (-0.0123, "-0.0123"),
            (0.52, "0.520"),
            (0.000_21, "2.1e-4"),
            (-3.456, "-3.46"),
            (999.97, "1k"),
            (-12_345.0, "-12.35k"),
            (1_234_567.0, "1.23M"),
            (1e30, "1.0e30"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (value, text) in pairs {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn ticks_and_percent() {
        let pairs = [(0.0, "0"), (-200.0, "-200"), (0.25, "0.25"), (1500.0, "1.5k"), (-2e6, "-2M")];
        for (value, text) in pairs {
            assert_eq!(tick(value), text);
        }
        assert_eq!(percent(0.4199), "41%");
        assert_eq!(percent(0.29), "29%");
        assert_eq!(percent(0.9999), "99%");
        assert_eq!(percent(1.0), "100%");
        assert_eq!(percent(f64::NAN), "?");
    }
}

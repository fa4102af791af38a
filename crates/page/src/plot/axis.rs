//! Round numbers along an axis.

/// An axis from one number to another, with a mark at every round number between.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// Where it begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
    /// The distance of two marks.
    pub step: f64,
}

impl Scale {
    /// A scale that holds these numbers, with about so many marks. `whole` lets it begin and end at marks.
    pub fn over(low: f64, high: f64, marks: usize, whole: bool) -> Self {
        let (mut low, mut high) =
            if low.is_finite() && high.is_finite() { (low, high) } else { (0.0, 1.0) };
        if high - low <= 1e-12 * high.abs().max(low.abs()).max(1e-300) {
            // A constant stands in the middle.
            let room = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
            (low, high) = (low - room, high + room);
        }
        let step = round_step((high - low) / marks.max(1) as f64);
        if whole {
            low = (low / step + 1e-9).floor() * step;
            high = (high / step - 1e-9).ceil() * step;
        }
        Self { low, high, step }
    }

    /// The marks.
    pub fn ticks(&self) -> Vec<f64> {
        let first = (self.low / self.step - 1e-9).ceil() as i64;
        let last = (self.high / self.step + 1e-9).floor() as i64;
        (first..=last.min(first + 100)).map(|i| i as f64 * self.step).collect()
    }

    /// Where a number lies, from 0 to 1.
    pub fn place(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// A mark in words: as many decimals as tell it from the next.
    pub fn label(&self, value: f64) -> String {
        let step = self.step;
        if value != 0.0 && (step < 1e-4 || value.abs() >= 1e6) {
            return format!("{value:e}");
        }
        // As few as write the distance of two marks exactly.
        let whole = |decimals: &usize| {
            let scaled = step * 10f64.powi(*decimals as i32);
            (scaled - scaled.round()).abs() < 1e-6 * scaled
        };
        let decimals = (0..8).find(whole).unwrap_or(8);
        let text = format!("{value:.decimals$}");
        // A minus as printers write it; and no minus before zero.
        match text.strip_prefix('-') {
            Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_owned(),
            Some(rest) => format!("\u{2212}{rest}"),
            None => text,
        }
    }
}

/// The next of 1, 2, 2.5 and 5 times a power of ten that is not smaller.
fn round_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
    let fits = steps.into_iter().find(|step| step * power >= rough * (1.0 - 1e-9));
    fits.unwrap_or(10.0) * power
}

/// In what a large count is written: the number it is divided by, and its word.
pub fn unit_of(most: f64) -> (f64, &'static str) {
    match most.abs() {
        most if most >= 2e9 => (1e9, "billions"),
        most if most >= 2e6 => (1e6, "millions"),
        most if most >= 2e4 => (1e3, "thousands"),
        _ => (1.0, ""),
    }
}

/// In what a time in seconds is written: likewise.
pub fn unit_of_time(most: f64) -> (f64, &'static str) {
    match most {
        most if most >= 2.0 * 86_400.0 => (86_400.0, "days"),
        most if most >= 2.0 * 3600.0 => (3600.0, "hours"),
        most if most >= 120.0 => (60.0, "minutes"),
        _ => (1.0, "seconds"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn marks_are_round() {
        let labels = |low, high| {
            let scale = Scale::over(low, high, 5, true);
            scale.ticks().into_iter().map(|t| scale.label(t)).collect::<Vec<_>>()
        };
        assert_eq!(labels(0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-3.0, 7.0), ["\u{2212}4", "\u{2212}2", "0", "2", "4", "6", "8"]);
        assert_eq!(labels(0.0, 12.0), ["0.0", "2.5", "5.0", "7.5", "10.0", "12.5"]);
        assert_eq!(labels(5.0, 5.0).len(), 7, "{:?}", labels(5.0, 5.0));
        assert_eq!(unit_of(3e6), (1e6, "millions"));
    }

    proptest! {
        #[test]
        fn every_number_lies_on_its_scale(a in -1e9f64..1e9, b in -1e9f64..1e9, marks in 1usize..12) {
            let (low, high) = (a.min(b), a.max(b));
            let scale = Scale::over(low, high, marks, true);
            let slack = 1e-6 * (scale.high - scale.low);
            prop_assert!(scale.low <= low + slack && scale.high >= high - slack);
            let ticks = scale.ticks();
            prop_assert!(!ticks.is_empty() && ticks.len() <= marks + 3, "{}", ticks.len());
        }
    }
}

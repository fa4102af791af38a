//! The numbers of an update, and which of them deserve a look.

use ratatui::style::Style;

use crate::human;
use crate::status::Status;
use crate::theme::Theme;

/// One number of an update.
pub(crate) struct Reading {
    pub(crate) name: String,
    /// The name where room is short.
    pub(crate) short: String,
    pub(crate) value: f64,
    pub(crate) hint: Hint,
}

/// What a number hints at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hint {
    Fine,
    /// Deserves a look, and why.
    Look(&'static str),
    /// Not a number: training has broken.
    Broken,
}

impl Hint {
    pub(crate) fn style(self, theme: Theme) -> Style {
        match self {
            Hint::Fine => Style::new(),
            Hint::Look(_) => theme.warn(),
            Hint::Broken => theme.bad(),
        }
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            Hint::Fine => "",
            Hint::Look(why) => why,
            Hint::Broken => "broken",
        }
    }
}

impl Reading {
    pub(crate) fn text(&self) -> String {
        human::number(self.value)
    }
}

/// What numbers of an update are called, at length and in short. One that is not among them goes by
/// its own name.
const CALLED: [(&str, &str, &str); 8] = [
    ("policy_loss", "policy loss", "policy"),
    ("value_loss", "value loss", "value"),
    ("entropy", "entropy", "entropy"),
    ("approx_kl", "KL divergence", "kl"),
    ("clip_fraction", "clip fraction", "clip"),
    ("explained_variance", "explained variance", "ev"),
    ("learning_rate", "learning rate", "lr"),
    ("grad_norm", "gradient norm", "grad"),
];

/// Those that tell the most, first.
const TELLING: [&str; 8] = [
    "approx_kl",
    "explained_variance",
    "entropy",
    "clip_fraction",
    "value_loss",
    "policy_loss",
    "learning_rate",
    "grad_norm",
];

/// The numbers of an update in reading order.
pub(crate) fn readings(progress: &Status) -> Vec<Reading> {
    let reading = |(name, value): &(String, f64)| {
        let called = CALLED.iter().find(|called| called.0 == name);
        let own = || name.replace('_', " ");
        Reading {
            name: called.map_or_else(own, |called| called.1.to_owned()),
            short: called.map_or_else(own, |called| called.2.to_owned()),
            value: *value,
            hint: match look(progress, name, *value) {
                _ if !value.is_finite() => Hint::Broken,
                Some(why) => Hint::Look(why),
                None => Hint::Fine,
            },
        }
    };
    progress.update.iter().map(reading).collect()
}

/// The same with those first that tell the most.
pub(crate) fn most_telling(progress: &Status) -> Vec<Reading> {
    let rank = |name: &String| TELLING.iter().position(|telling| telling == name);
    let mut order: Vec<usize> = (0..progress.update.len()).collect();
    order.sort_by_key(|&index| rank(&progress.update[index].0).unwrap_or(usize::MAX));
    let mut readings: Vec<Option<Reading>> = readings(progress).into_iter().map(Some).collect();
    order.into_iter().filter_map(|index| readings[index].take()).collect()
}

/// Why a number deserves a look. The thresholds are rules of thumb for PPO.
fn look(progress: &Status, name: &str, value: f64) -> Option<&'static str> {
    match name {
        "approx_kl" if value > 0.05 => Some("high"),
        "clip_fraction" if value > 0.3 => Some("high"),
        "explained_variance" if value < 0.0 => Some("negative"),
        "grad_norm" if value == 0.0 && progress.value("learning_rate") > 0.0 => Some("zero"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(progress: &Status, short: &str) -> Hint {
        readings(progress).into_iter().find(|reading| reading.short == short).unwrap().hint
    }

    #[test]
    fn rules_of_thumb() {
        let fine = CALLED.map(|called| (called.0, 0.0));
        let progress = Status::default().learnt(fine);
        assert!(readings(&progress).iter().all(|reading| reading.hint == Hint::Fine));
        let progress = progress.learnt([
            ("approx_kl", 0.08),
            ("explained_variance", -0.2),
            ("value_loss", f64::NAN),
            ("learning_rate", 1e-3),
        ]);
        assert_eq!(hint(&progress, "kl"), Hint::Look("high"));
        assert!(matches!(hint(&progress, "ev"), Hint::Look(_)));
        assert_eq!(hint(&progress, "value"), Hint::Broken);
        assert_eq!(hint(&progress, "clip"), Hint::Fine);
        assert_eq!(hint(&progress, "grad"), Hint::Look("zero"));
    }

    #[test]
    fn a_number_that_nobody_has_named_comes_last() {
        let progress = Status::default().learnt([("dead_units", 0.5), ("approx_kl", 0.01)]);
        let names: Vec<String> = most_telling(&progress).into_iter().map(|r| r.name).collect();
        assert_eq!(names, ["KL divergence", "dead units"]);
    }
}

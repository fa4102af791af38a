//! The numbers of an update, and which of them deserve a look.

use ratatui::style::Style;

use crate::human;
use crate::progress::Progress;
use crate::theme::Theme;

/// One number of an update.
pub(crate) struct Reading {
    pub(crate) name: &'static str,
    /// The name where room is short.
    pub(crate) short: &'static str,
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
    fn new(
        name: &'static str,
        short: &'static str,
        value: f64,
        look: Option<&'static str>,
    ) -> Self {
        let hint = match look {
            _ if !value.is_finite() => Hint::Broken,
            Some(why) => Hint::Look(why),
            None => Hint::Fine,
        };
        Self { name, short, value, hint }
    }

    pub(crate) fn text(&self) -> String {
        human::number(self.value)
    }
}

/// The numbers of an update in reading order. The thresholds are rules of thumb for PPO.
pub(crate) fn readings(progress: &Progress) -> [Reading; 8] {
    let when = |look: bool, why| look.then_some(why);
    let (kl, clipped) = (progress.approx_kl, progress.clip_fraction);
    let (explained, norm) = (progress.explained_variance, progress.grad_norm);
    let still = norm == 0.0 && progress.learning_rate > 0.0;
    [
        Reading::new("policy loss", "policy", progress.policy_loss, None),
        Reading::new("value loss", "value", progress.value_loss, None),
        Reading::new("entropy", "entropy", progress.entropy, None),
        Reading::new("KL divergence", "kl", kl, when(kl > 0.05, "high")),
        Reading::new("clip fraction", "clip", clipped, when(clipped > 0.3, "high")),
        Reading::new("explained variance", "ev", explained, when(explained < 0.0, "negative")),
        Reading::new("learning rate", "lr", progress.learning_rate, None),
        Reading::new("gradient norm", "grad", norm, when(still, "zero")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(progress: &Progress, short: &str) -> Hint {
        readings(progress).into_iter().find(|reading| reading.short == short).unwrap().hint
    }

    #[test]
    fn rules_of_thumb() {
        let mut progress = Progress { grad_norm: 0.4, ..Progress::default() };
        assert!(readings(&progress).iter().all(|reading| reading.hint == Hint::Fine));
        progress.approx_kl = 0.08;
        progress.explained_variance = -0.2;
        progress.value_loss = f64::NAN;
        assert_eq!(hint(&progress, "kl"), Hint::Look("high"));
        assert!(matches!(hint(&progress, "ev"), Hint::Look(_)));
        assert_eq!(hint(&progress, "value"), Hint::Broken);
        assert_eq!(hint(&progress, "clip"), Hint::Fine);
    }
}

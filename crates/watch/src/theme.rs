//! The few styles everything is drawn in.

use ratatui::style::{Color, Modifier, Style};

/// Styles by meaning. The colours are the terminal's own sixteen, so that they suit its background;
/// secondary text is dim rather than grey for the same reason.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Theme {
    color: bool,
}

impl Theme {
    pub(crate) fn new(color: bool) -> Self {
        Self { color }
    }

    /// As `NO_COLOR` (<https://no-color.org>) asks: set and not empty means none.
    pub(crate) fn from_env() -> Self {
        Self::new(std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()))
    }

    fn colored(self, color: Color) -> Style {
        if self.color { Style::new().fg(color) } else { Style::new() }
    }

    /// Names and other fixed text.
    pub(crate) fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// Titles.
    pub(crate) fn title(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What the eye should find first.
    pub(crate) fn accent(self) -> Style {
        self.colored(Color::Cyan)
    }

    /// A second quantity beside the first.
    pub(crate) fn second(self) -> Style {
        self.colored(Color::Blue)
    }

    /// What helps.
    pub(crate) fn good(self) -> Style {
        self.colored(Color::Green)
    }

    /// What deserves a look.
    pub(crate) fn warn(self) -> Style {
        self.colored(Color::Yellow)
    }

    /// What is broken, and what costs reward.
    pub(crate) fn bad(self) -> Style {
        self.colored(Color::Red)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_color_nothing_is_colored() {
        let theme = Theme::new(false);
        for style in [theme.accent(), theme.second(), theme.good(), theme.warn(), theme.bad()] {
            assert_eq!(style, Style::new());
        }
        assert_eq!(Theme::new(true).warn().fg, Some(Color::Yellow));
    }
}

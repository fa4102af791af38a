//! Fitting text into the room there is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::theme::Theme;

/// What separates facts on a line.
pub(crate) const DOT: &str = " · ";

/// How many columns a text takes.
pub(crate) fn width(text: &str) -> usize {
    Span::raw(text).width()
}

/// The beginning of a text, with an ellipsis if it does not fit.
pub(crate) fn head(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.into();
    }
    let mut kept = String::new();
    for symbol in text.chars() {
        kept.push(symbol);
        if width(&kept) + 1 > room {
            kept.pop();
            break;
        }
    }
    if room > 0 {
        kept.push('…');
    }
    kept
}

/// The end of a text, with an ellipsis if it does not fit: the telling part of a path.
pub(crate) fn tail(text: &str, room: usize) -> String {
    let mut rest = text;
    while width(rest) + usize::from(rest.len() < text.len()) > room {
        let mut symbols = rest.chars();
        if symbols.next().is_none() {
            return String::new();
        }
        rest = symbols.as_str();
    }
    if rest.len() < text.len() { format!("…{rest}") } else { text.into() }
}

/// As many of the facts as fit, the first being the most important.
pub(crate) fn joined(facts: &[String], room: usize) -> String {
    let mut text = String::new();
    for fact in facts.iter().filter(|fact| !fact.is_empty()) {
        let gap = if text.is_empty() { 0 } else { width(DOT) };
        if width(&text) + gap + width(fact) > room {
            break;
        }
        if gap > 0 {
            text.push_str(DOT);
        }
        text.push_str(fact);
    }
    text
}

/// One line with a text at each end. The right one goes when both do not fit.
pub(crate) fn ends(left: Line<'_>, right: Line<'_>, area: Rect, buffer: &mut Buffer) {
    let (room, taken) = (usize::from(area.width), left.width());
    let right_width = right.width();
    left.render(area, buffer);
    if right_width > 0 && taken + 2 + right_width <= room {
        right.right_aligned().render(area, buffer);
    }
}

/// The title of a section, a thin rule behind it, and a dim remark at the end of the rule.
pub(crate) fn section(
    title: Line<'_>,
    remark: &str,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let room = usize::from(area.width);
    let mut line = title;
    let taken = line.width() + 1;
    let remark_width = if remark.is_empty() { 0 } else { width(remark) + 1 };
    let remark_fits = taken + 3 + remark_width <= room;
    let rule = room.saturating_sub(taken + if remark_fits { remark_width } else { 0 });
    line.push_span(Span::raw(" "));
    line.push_span(Span::styled("─".repeat(rule), theme.dim()));
    if remark_fits && remark_width > 0 {
        line.push_span(Span::styled(format!(" {remark}"), theme.dim()));
    }
    line.render(area, buffer);
}

/// A run of one symbol.
pub(crate) fn run(symbol: &str, count: usize, style: Style) -> Span<'static> {
    Span::styled(symbol.repeat(count), style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting() {
        assert_eq!(head("cartpole", 8), "cartpole");
        assert_eq!(head("cartpole", 5), "cart…");
        assert_eq!(head("cartpole", 1), "…");
        assert_eq!(head("cartpole", 0), "");
        assert_eq!(tail("runs/cartpole", 13), "runs/cartpole");
        assert_eq!(tail("runs/cartpole", 6), "…tpole");
        assert_eq!(tail("runs/cartpole", 1), "…");
        assert_eq!(tail("runs/cartpole", 0), "");
        assert_eq!(head("猫猫猫", 4), "猫…");
        assert_eq!(tail("猫猫猫", 4), "…猫");
    }

    #[test]
    fn joining_stops_where_room_ends() {
        let facts = ["seed 7".to_string(), String::new(), "2 threads".into(), "long fact".into()];
        assert_eq!(joined(&facts, 100), "seed 7 · 2 threads · long fact");
        assert_eq!(joined(&facts, 18), "seed 7 · 2 threads");
        assert_eq!(joined(&facts, 17), "seed 7");
        assert_eq!(joined(&facts, 3), "");
    }
}

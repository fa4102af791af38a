//! Bars and sparklines, as thin lines and blocks of eighths.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::text::run;
use crate::theme::Theme;

const EIGHTHS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// A line filled from the left by `share`, to half a column; the rest of it stays thin.
pub(crate) fn meter(share: f64, width: usize, style: Style, theme: Theme) -> Line<'static> {
    let halves = halves(share, width);
    let (full, half) = (halves / 2, halves % 2);
    Line::from(vec![
        run("━", full, style),
        run("╸", half, style),
        run("─", width - full - half, theme.dim()),
    ])
}

/// `share` of `width` columns in half columns.
fn halves(share: f64, width: usize) -> usize {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    (share * 2.0 * width as f64).round() as usize
}

/// Bars to both sides of one zero, on one scale for all of them.
pub(crate) struct Balance {
    /// Columns left and right of the zero.
    left: usize,
    right: usize,
    /// The value of a column.
    unit: f64,
}

impl Balance {
    /// Fits bars for `values` into `width` columns. The zero moves in quarters only: it would
    /// wander with every value otherwise.
    pub(crate) fn new(values: &[f64], width: usize) -> Self {
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        let (low, high) = (-finite().fold(0.0, f64::min), finite().fold(0.0, f64::max));
        let width = width.saturating_sub(1);
        let quarters = match (low > 0.0, high > 0.0) {
            (false, _) => 0.0,
            (true, false) => 4.0,
            (true, true) => (4.0 * low / (low + high)).round().clamp(1.0, 3.0),
        };
        let left = (width as f64 * quarters / 4.0).round() as usize;
        let right = width - left;
        let unit = (low / left.max(1) as f64).max(high / right.max(1) as f64);
        Self { left, right, unit }
    }

    /// The bar of one value; whatever is not zero can be seen.
    pub(crate) fn bar(&self, value: f64, theme: Theme) -> Vec<Span<'static>> {
        let share = |columns: usize| value.abs() / (self.unit * columns.max(1) as f64);
        let (mut left, mut right) = (0, 0);
        if value < 0.0 {
            left = halves(share(self.left), self.left).max(1).min(2 * self.left);
        } else if value > 0.0 {
            right = halves(share(self.right), self.right).max(1).min(2 * self.right);
        }
        let (bad, good) = (theme.bad(), theme.good());
        vec![
            run(" ", self.left - left.div_ceil(2), bad),
            run("╺", left % 2, bad),
            run("━", left / 2, bad),
            Span::styled("│", theme.dim()),
            run("━", right / 2, good),
            run("╸", right % 2, good),
            run(" ", self.right - right.div_ceil(2), good),
        ]
    }
}

/// A scale for `values`. It spans at least a good part of their size, so that a steady quantity
/// looks steady.
fn scale(values: &[f64]) -> (f64, f64) {
    const LEAST: f64 = 0.4;
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let lacking = LEAST * high.abs().max(low.abs()).max(1e-12) - (high - low);
    let slack = lacking.max(0.0) / 2.0;
    (low - slack, high + slack)
}

/// Draws `values` as columns of blocks over the whole area.
pub(crate) fn spark(values: &[f64], style: Style, area: Rect, buffer: &mut Buffer) {
    let area = area.intersection(buffer.area);
    if values.is_empty() || area.is_empty() {
        return;
    }
    let (low, high) = scale(values);
    let top = 8 * usize::from(area.height);
    for column in 0..area.width {
        let value = values[usize::from(column) * values.len() / usize::from(area.width)];
        let level = ((value - low) / (high - low) * top as f64).round().max(1.0) as usize;
        for row in 0..area.height {
            let filled = level.saturating_sub(8 * usize::from(row)).min(8);
            if filled > 0 {
                let cell = &mut buffer[(area.x + column, area.bottom() - 1 - row)];
                cell.set_symbol(EIGHTHS[filled - 1]).set_style(style);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(spans: &[Span<'_>]) -> String {
        spans.iter().map(|span| span.content.as_ref()).collect()
    }

    fn meter_text(share: f64) -> String {
        text(&meter(share, 4, Style::new(), Theme::new(false)).spans)
    }

    #[test]
    fn meters() {
        assert_eq!(meter_text(0.0), "────");
        assert_eq!(meter_text(0.375), "━╸──");
        assert_eq!(meter_text(1.0), "━━━━");
        assert_eq!(meter_text(7.0), "━━━━");
        assert_eq!(meter_text(f64::NAN), "────");
    }

    #[test]
    fn balances() {
        let theme = Theme::new(false);
        let balance = Balance::new(&[-2.0, 2.0], 9);
        assert_eq!(text(&balance.bar(-2.0, theme)), "━━━━│    ");
        assert_eq!(text(&balance.bar(-0.75, theme)), "  ╺━│    ");
        assert_eq!(text(&balance.bar(1.0, theme)), "    │━━  ");
        let positive = Balance::new(&[1.0, 4.0, f64::NAN], 9);
        assert_eq!(text(&positive.bar(4.0, theme)), "│━━━━━━━━");
        assert_eq!(text(&positive.bar(f64::NAN, theme)), "│        ");
        for values in [&[][..], &[0.0], &[-1.0], &[-1e-9, 1e9]] {
            for width in 0..12 {
                let balance = Balance::new(values, width);
                for value in [-1e12, -1.0, 0.0, 1.0, f64::INFINITY] {
                    let bar = text(&balance.bar(value, theme));
                    assert_eq!(bar.chars().count(), width.max(1), "{values:?} {width} {value}");
                }
            }
        }
    }

    #[test]
    fn sparks_fill_their_area() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 2));
        spark(&[0.0, 1.0], Style::new(), buffer.area, &mut buffer);
        assert_eq!(buffer, Buffer::with_lines(["  ██", "▁▁██"]));
        spark(&[1.0], Style::new(), Rect::new(3, 1, 9, 9), &mut buffer);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 1));
        spark(&[100.0, 104.0, 96.0, 100.0], Style::new(), buffer.area, &mut buffer);
        assert_eq!(buffer, Buffer::with_lines(["▄▅▃▄"]));
        spark(&[0.0], Style::new(), buffer.area, &mut buffer);
        assert_eq!(buffer, Buffer::with_lines(["▄▄▄▄"]));
    }
}

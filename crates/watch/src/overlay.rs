//! The list of keys, over everything else.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Widget};

use crate::keys::KEYS;
use crate::text::width;
use crate::theme::Theme;

/// Draws the list in the middle of an area, or as much of it as fits.
pub(crate) fn keys(theme: Theme, area: Rect, buffer: &mut Buffer) {
    let name_width = KEYS.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
    let lines: Vec<Line> = KEYS
        .iter()
        .map(|(name, what)| {
            Line::from(vec![
                Span::styled(format!(" {name:<name_width$}  "), theme.accent()),
                Span::raw(format!("{what} ")),
            ])
        })
        .collect();
    let wide = lines.iter().map(Line::width).max().unwrap_or(0) as u16 + 2;
    let (wide, high) = (wide.min(area.width), (lines.len() as u16 + 2).min(area.height));
    let x = area.x + (area.width - wide) / 2;
    let y = area.y + (area.height - high) / 2;
    let area = Rect { x, y, width: wide, height: high };
    Clear.render(area, buffer);
    let frame = Block::bordered().title(Line::styled(" Keys ", theme.title()));
    Paragraph::new(lines).block(frame).render(area, buffer);
}

//! The return over the steps.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Chart, Dataset, GraphType, Widget};

use crate::bars::spark;
use crate::human;
use crate::state::State;
use crate::status::Status;
use crate::text::{joined, section, width};

/// Below this size axes leave no room for a curve, and a sparkline says more.
const SMALLEST: (u16, u16) = (24, 4);

/// Draws the return with its title.
pub(crate) fn returns(state: &State, progress: &Status, area: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let [top, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    let mut title = vec![Span::styled("Return", theme.title())];
    if let Some(mean) = progress.number("return_mean") {
        title.push(Span::styled(format!("  {}", human::number(mean)), theme.accent()));
    }
    let facts = [
        progress
            .return_best
            .map(|best| format!("best {}", human::number(best)))
            .unwrap_or_default(),
        progress
            .return_target
            .map(|goal| format!("target {}", human::tick(goal)))
            .unwrap_or_default(),
        episodes(progress.count("episodes")),
    ];
    let title = Line::from(title);
    let room = usize::from(top.width).saturating_sub(title.width() + 6);
    let remark = joined(&facts, room);
    section(title, &remark, theme, top, buffer);
    if state.history("return_mean").first_x().is_none() {
        let text = if body.width < 28 { "no episode yet" } else { "no episode has ended yet" };
        let line = Line::styled(text, theme.dim()).centered();
        let middle = Rect { y: body.y + body.height / 2, height: body.height.min(1), ..body };
        line.render(middle, buffer);
    } else if body.width < SMALLEST.0 || body.height < SMALLEST.1 {
        let values: Vec<f64> = points(state, body.width).into_iter().map(|point| point.1).collect();
        spark(&values, theme.accent(), body, buffer);
    } else {
        curve(state, progress, body, buffer);
    }
}

fn episodes(count: u64) -> String {
    match count {
        0 => String::new(),
        1 => "1 episode".into(),
        _ => format!("{} episodes", human::count(count)),
    }
}

/// One point a column: the dots between are for the slope, not for noise.
fn points(state: &State, width: u16) -> Vec<(f64, f64)> {
    state.history("return_mean").resampled(usize::from(width))
}

fn curve(state: &State, progress: &Status, area: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let points = points(state, area.width.saturating_sub(8));
    let goal = progress.return_target.filter(|goal| goal.is_finite() && goal.abs() < 1e15);
    let values = || points.iter().map(|point| point.1).chain(goal);
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    let marks = marks(low, high, usize::from(area.height.saturating_sub(2) / 2 + 1));
    let (bottom, top) = (marks[0], marks[marks.len() - 1]);

    let first = state.history("return_mean").first_x().unwrap_or(0.0);
    let last = points.last().map_or(first, |point| point.0).max(first + 1.0);
    let dashes = usize::from(area.width) / 2;
    let goal_line: Vec<(f64, f64)> = goal.map_or(Vec::new(), |goal| {
        let x = |i: usize| first + (last - first) * i as f64 / dashes as f64;
        (0..=dashes).map(|i| (x(i), goal)).collect()
    });

    let datasets = vec![
        Dataset::default().marker(Marker::Braille).style(theme.dim()).data(&goal_line),
        Dataset::default()
            .marker(Marker::Braille)
            .graph_type(GraphType::Line)
            .style(theme.accent())
            .data(&points),
    ];
    // All labels of one width: the curve must not shift when a number grows a digit.
    let labels: Vec<String> = marks.iter().map(|mark| human::tick(*mark)).collect();
    let widest = labels.iter().map(|label| width(label)).max().unwrap_or(0).max(5);
    let label = |text: String| Span::styled(text, theme.dim());
    let y = Axis::default()
        .style(theme.dim())
        .bounds([bottom, top])
        .labels(labels.into_iter().map(|text| label(format!("{text:>widest$}"))));
    let x = Axis::default().style(theme.dim()).bounds([first, last]).labels(
        [first, (first + last) / 2.0, last].map(|steps| label(human::count(steps.max(0.0) as u64))),
    );
    Chart::new(datasets).legend_position(None).x_axis(x).y_axis(y).render(area, buffer);
}

/// At most `most` (but at least two) evenly spaced round numbers that enclose `low..=high` as
/// tightly as round numbers can.
fn marks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let most = most.clamp(2, 6);
    // A constant still needs an axis of some length.
    let slack = (high.abs().max(low.abs()) * 1e-3).max(1e-6);
    let (low, high) = if high - low < slack { (low - slack, high + slack) } else { (low, high) };
    let magnitude = 10f64.powf(((high - low) / (most - 1) as f64).log10().floor());
    let candidates = [1.0, 2.0, 2.5, 5.0, 10.0, 20.0, 25.0, 50.0, 100.0].map(|factor| {
        let step = factor * magnitude;
        let (first, last) = ((low / step - 1e-9).floor(), (high / step + 1e-9).ceil());
        (step, first, last - first)
    });
    let length = |(step, _, steps): &(f64, f64, f64)| step * steps;
    candidates
        .into_iter()
        .filter(|(_, _, steps)| *steps < most as f64)
        .min_by(|a, b| length(a).total_cmp(&length(b)))
        .map_or(vec![low, high], |(step, first, steps)| {
            (0..=steps as usize).map(|i| (first + i as f64) * step).collect()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_enclose() {
        assert_eq!(marks(9.0, 475.0, 6), [0.0, 100.0, 200.0, 300.0, 400.0, 500.0]);
        assert_eq!(marks(9.0, 475.0, 5), [0.0, 250.0, 500.0]);
        assert_eq!(marks(9.0, 475.0, 2), [0.0, 500.0]);
        assert_eq!(marks(-0.9, 0.9, 3), [-1.0, 0.0, 1.0]);
        for (low, high) in [(0.0, 0.0), (5.0, 5.0), (-1e15, 1e15), (1e14, 1e14), (-3e-9, 2e-9)] {
            for most in 0..9 {
                let marks = marks(low, high, most);
                assert!((2..=6).contains(&marks.len()), "{marks:?}");
                assert!(marks[0] <= low && marks[marks.len() - 1] >= high, "{marks:?}");
            }
        }
    }
}

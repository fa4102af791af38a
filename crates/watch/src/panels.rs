//! The sections of the dashboard.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::bars::{Balance, meter, spark};
use crate::human;
use crate::readings::{Hint, most_telling, readings};
use crate::series::Series;
use crate::state::State;
use crate::status::{Status, Term};
use crate::text::{ends, head, joined, run, section, tail, width};
use crate::theme::Theme;

/// The `index`th row of an area, if it has that many.
fn row(area: Rect, index: usize) -> Option<Rect> {
    let index = u16::try_from(index).ok().filter(|index| *index < area.height)?;
    Some(Rect { y: area.y + index, height: 1, ..area })
}

/// Which run this is.
pub(crate) fn header(state: &State, progress: &Status, area: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let room = usize::from(area.width);
    let name = head(&progress.run, room);
    let threads = if progress.threads == 1 { "thread" } else { "threads" };
    let facts = [
        progress.stage.clone().unwrap_or_default(),
        progress.game.clone(),
        format!("seed {}", progress.seed),
        format!("{} {threads}", progress.threads),
        format!("iteration {}", human::count(progress.count("iteration"))),
    ];
    let facts = joined(&facts, room.saturating_sub(width(&name) + 2));
    let name = Line::styled(name, theme.accent().patch(theme.title()));
    ends(name, Line::styled(facts, theme.dim()), area, buffer);
}

/// How far the run is.
pub(crate) fn progress_bar(state: &State, progress: &Status, area: Rect, buffer: &mut Buffer) {
    let share = progress.fraction().unwrap_or(0.0);
    meter(share, usize::from(area.width), state.theme.accent(), state.theme).render(area, buffer);
}

/// The numbers under the bar.
pub(crate) fn status(state: &State, progress: &Status, area: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let mut left = Line::default();
    if let Some(fraction) = progress.fraction() {
        left.push_span(Span::styled(format!("{:>4}  ", human::percent(fraction)), theme.title()));
    }
    left.push_span(Span::raw(human::count(progress.count("steps"))));
    if let Some(goal) = progress.goal() {
        let whole = progress.total_steps.filter(|total| *total != goal);
        let whole = whole.map_or(String::new(), |total| format!(" of {}", human::count(total)));
        let text = format!(" / {}{whole}", human::count(goal));
        left.push_span(Span::styled(text, theme.dim()));
    }
    if usize::from(area.width) >= left.width() + 6 {
        left.push_span(Span::styled(" steps", theme.dim()));
    }
    let limited = progress.goal().is_some() || progress.time_limit_secs.is_some();
    let time_left = match progress.seconds_left(state.rate) {
        Some(secs) => format!("{} left", human::duration(secs)),
        None if limited => "time left unknown".into(),
        None => "open-ended".into(),
    };
    let elapsed = format!("{} elapsed", human::duration(progress.value("seconds")));
    let facts = [time_left, human::rate(state.rate), elapsed];
    let room = usize::from(area.width).saturating_sub(left.width() + 2);
    ends(left, Line::raw(joined(&facts, room)), area, buffer);
}

/// A name, the latest value, and the history under it (or beside it, on a single row).
fn trend(
    name: &str,
    now: String,
    history: &Series,
    style: Style,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let resampled = |area: Rect| -> Vec<f64> {
        history.resampled(usize::from(area.width)).into_iter().map(|point| point.1).collect()
    };
    let name = Line::styled(name.to_string(), theme.dim());
    if area.height > 1 {
        let [top, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
        ends(name, Line::raw(now), top, buffer);
        spark(&resampled(body), style, body, buffer);
    } else {
        let widths = [name.width() + 1, 8].map(|width| Constraint::Length(width as u16));
        let [left, body, right] =
            Layout::horizontal([widths[0], Constraint::Min(0), widths[1]]).areas(area);
        name.render(left, buffer);
        Line::raw(now).right_aligned().render(right, buffer);
        spark(&resampled(body), style, body, buffer);
    }
}

/// The most telling quantities over time, below each other, as many as fit.
pub(crate) fn trends(state: &State, progress: &Status, area: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let Some(top) = row(area, 0) else { return };
    section(Line::styled("Trends", theme.title()), "", theme, top, buffer);
    let body = Rect { y: area.y + 1, height: area.height - 1, ..area };
    let number = |name: &str| progress.number(name).map_or("-".into(), human::number);
    let all = [
        ("speed", human::rate(state.rate), "steps_per_second"),
        ("entropy", number("entropy"), "entropy"),
        ("episode length", number("length_mean"), "length_mean"),
        ("value loss", number("value_loss"), "value_loss"),
        ("explained variance", number("explained_variance"), "explained_variance"),
        ("KL divergence", number("approx_kl"), "approx_kl"),
    ];
    let pitch = if body.height >= 8 { 3 } else { 2 };
    for (index, (name, now, of)) in (0..).zip(all) {
        let top = index * pitch;
        if top + 2 > body.height {
            break;
        }
        let style = if index % 2 == 0 { theme.second() } else { theme.accent() };
        let area = Rect { y: body.y + top, height: 2, ..body };
        trend(name, now, state.history(of), style, theme, area, buffer);
    }
}

/// Speed and entropy beside each other on one row.
pub(crate) fn trend_row(state: &State, progress: &Status, area: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let [left, right] =
        Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).spacing(2).areas(area);
    let [speeds, entropies] = ["steps_per_second", "entropy"].map(|name| state.history(name));
    trend("speed", human::rate(state.rate), speeds, theme.second(), theme, left, buffer);
    let entropy = human::number(progress.value("entropy"));
    trend("entropy", entropy, entropies, theme.accent(), theme, right, buffer);
}

/// The numbers of the update, one a row, with hints.
pub(crate) fn learning(state: &State, progress: &Status, area: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let Some(top) = row(area, 0) else { return };
    let dropped = match progress.count("dropped_updates") {
        0 => String::new(),
        1 => "1 update dropped".into(),
        count => format!("{} updates dropped", human::count(count)),
    };
    let mut title = Line::styled("Learning", theme.title());
    if !dropped.is_empty() {
        title.push_span(Span::styled(format!("  {dropped}"), theme.warn()));
    }
    section(title, "", theme, top, buffer);
    for (index, reading) in readings(progress).iter().enumerate() {
        let Some(area) = row(area, index + 1) else { break };
        let style = reading.hint.style(theme);
        let line = Line::from(vec![
            Span::styled(format!("{:<18}", head(&reading.name, 18)), theme.dim()),
            Span::styled(format!("{:>9}", reading.text()), style),
            Span::styled(format!("  {}", reading.hint.text()), style),
        ]);
        line.render(area, buffer);
    }
}

/// The numbers of the update in a grid, for small terminals.
pub(crate) fn learning_grid(state: &State, progress: &Status, area: Rect, buffer: &mut Buffer) {
    let columns = grid_columns(area.width);
    let cell = area.width / columns as u16;
    for (place, reading) in most_telling(progress).iter().enumerate() {
        let Some(line) = row(area, place / columns) else { break };
        let x = area.x + cell * (place % columns) as u16;
        // The hint itself has no room; the mark stands for it where there is no colour.
        let mark = if reading.hint == Hint::Fine { "" } else { "!" };
        let text = Line::from(vec![
            Span::styled(format!("{:<8}", head(&reading.short, 7)), state.theme.dim()),
            Span::styled(format!("{:>7}{mark}", reading.text()), reading.hint.style(state.theme)),
        ]);
        text.render(Rect { x, width: cell, ..line }, buffer);
    }
}

fn grid_columns(width: u16) -> usize {
    usize::from(width / 18).clamp(1, 4)
}

/// How many rows the grid takes.
pub(crate) fn grid_rows(progress: &Status, width: u16) -> u16 {
    u16::try_from(progress.update.len().div_ceil(grid_columns(width))).unwrap_or(u16::MAX)
}

/// What each reward term adds to the return.
pub(crate) fn rewards(state: &State, terms: &[Term], area: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let Some(top) = row(area, 0) else { return };
    let (shown, hidden) = chosen(terms, usize::from(area.height - 1));
    let room = usize::from(area.width);
    let detailed = room >= 44;
    let remark = match hidden {
        0 if detailed => "mean × weight".into(),
        0 => String::new(),
        _ => format!("{hidden} more"),
    };
    section(Line::styled("Reward per episode", theme.title()), &remark, theme, top, buffer);

    let name_width = column(shown.iter().map(|term| term.name.as_str()), room * 2 / 5);
    let detail_width = if detailed { 16 } else { 0 };
    let bar_width = room.saturating_sub(name_width + 1 + 9 + detail_width);
    let values: Vec<f64> = shown.iter().map(|term| term.contribution()).collect();
    let balance = Balance::new(&values, bar_width);
    for (index, term) in shown.iter().enumerate() {
        let Some(area) = row(area, index + 1) else { break };
        let idle = term.weight == 0.0;
        let name = format!("{} ", padded(&term.name, name_width));
        let mut line = Line::from(Span::styled(name, theme.dim()));
        line.spans.extend(balance.bar(values[index], theme));
        let value = format!("{:>9}", signed(values[index]));
        line.push_span(Span::styled(value, if idle { theme.dim() } else { Style::new() }));
        if detailed {
            let detail =
                format!("{:>8} ×{:<6}", human::number(term.mean), human::tick(term.weight));
            line.push_span(Span::styled(detail, theme.dim()));
        }
        line.render(area, buffer);
    }
}

/// The terms to show on `rows` rows, in their own order, and how many stay hidden: those first
/// that have no weight. An order by size would make rows jump.
fn chosen(terms: &[Term], rows: usize) -> (Vec<&Term>, usize) {
    let weighted = terms.iter().filter(|term| term.weight != 0.0);
    let shown: Vec<&Term> =
        if terms.len() <= rows { terms.iter().collect() } else { weighted.take(rows).collect() };
    let hidden = terms.len() - shown.len();
    (shown, hidden)
}

fn signed(value: f64) -> String {
    if value > 0.0 { format!("+{}", human::number(value)) } else { human::number(value) }
}

/// The width of a column of names, at most `most`.
fn column<'a>(names: impl Iterator<Item = &'a str>, most: usize) -> usize {
    names.map(width).max().unwrap_or(0).min(most)
}

fn padded(name: &str, room: usize) -> String {
    let name = head(name, room);
    let gap = room.saturating_sub(width(&name));
    name + &" ".repeat(gap)
}

/// The share of matches won against each opponent.
pub(crate) fn opponents(state: &State, progress: &Status, area: Rect, buffer: &mut Buffer) {
    let (theme, opponents) = (state.theme, &progress.opponents);
    let Some(top) = row(area, 0) else { return };
    let hidden = opponents.len().saturating_sub(usize::from(area.height - 1));
    let remark = if hidden > 0 { format!("{hidden} more") } else { "won".into() };
    let mut title = Line::styled("Opponents", theme.title());
    if let Some(elo) = progress.elo() {
        title.push_span(Span::styled(format!("  Elo {elo:.0}"), theme.accent()));
    }
    let pool = progress.count("pool");
    if pool > 0 {
        title.push_span(Span::styled(format!("  pool of {pool}"), theme.dim()));
    }
    section(title, &remark, theme, top, buffer);
    let room = usize::from(area.width);
    let name_width = column(opponents.iter().map(|opponent| opponent.name.as_str()), room * 2 / 5);
    for (index, opponent) in opponents.iter().enumerate() {
        let Some(area) = row(area, index + 1) else { break };
        let style = if opponent.win_share >= 0.5 { theme.good() } else { theme.warn() };
        let name = format!("{} ", padded(&opponent.name, name_width));
        let mut line = Line::from(Span::styled(name, theme.dim()));
        let bar = meter(opponent.win_share, room.saturating_sub(name_width + 1 + 6), style, theme);
        line.spans.extend(bar.spans);
        line.push_span(Span::raw(format!("{:>6}", human::percent(opponent.win_share))));
        line.render(area, buffer);
    }
}

/// How the time of an iteration divides into playing and learning.
pub(crate) fn time_split(state: &State, progress: &Status, area: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let [rollout, update] = ["rollout_seconds", "update_seconds"].map(|n| progress.value(n));
    let left = format!("rollout {:>5} ", human::span(rollout));
    let right = format!(" {:>5} update", human::span(update));
    let room = usize::from(area.width).saturating_sub(width(&left) + width(&right));
    let share = rollout / (rollout + update);
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let filled = (share * room as f64).round() as usize;
    Line::from(vec![
        Span::styled(left, theme.dim()),
        run("━", filled, theme.second()),
        run("╌", room - filled, theme.accent()),
        Span::styled(right, theme.dim()),
    ])
    .render(area, buffer);
}

/// The latest remarks, the newest last.
pub(crate) fn notes(state: &State, area: Rect, buffer: &mut Buffer) {
    let shown = state.notes.len().min(usize::from(area.height));
    for (index, note) in state.notes.iter().skip(state.notes.len() - shown).enumerate() {
        let Some(area) = row(area, index) else { break };
        let style = if note.warning { state.theme.warn() } else { Style::new() };
        Line::styled(head(&note.text, usize::from(area.width)), style).render(area, buffer);
    }
}

/// Where the run lies, what was asked of it and what may be.
pub(crate) fn footer(state: &State, progress: &Status, area: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let room = usize::from(area.width);
    let standing = state.standing;
    let answer = match standing {
        _ if standing.stopping => "stopping after this iteration · Ctrl-C leaves at once",
        _ if standing.saving => "saving after this iteration",
        _ if standing.paused => "paused: p goes on, q saves and stops",
        _ => "",
    };
    if !answer.is_empty() {
        Line::styled(head(answer, room), theme.warn()).render(area, buffer);
        return;
    }
    let picture = match standing.picture {
        Some(true) => "picture shown",
        Some(false) => "picture hidden",
        None => "",
    };
    let saved = progress
        .checkpoint
        .map(|steps| format!("checkpoint at {}", human::count(steps)))
        .unwrap_or_default();
    let keys = |text: &str| [text.to_owned(), picture.into(), saved.clone()];
    let place_width = width(&progress.run_dir).min(room / 3);
    let wanted = room.saturating_sub(place_width + 2);
    let mut facts = joined(&keys("q saves and stops · ? lists the keys"), wanted);
    if facts.is_empty() {
        facts = joined(&keys("? lists the keys"), room);
    }
    let place = tail(&progress.run_dir, room.saturating_sub(width(&facts) + 2));
    let dim = theme.dim();
    if place.is_empty() {
        Line::styled(facts, dim).render(area, buffer);
    } else {
        ends(Line::styled(place, dim), Line::styled(facts, dim), area, buffer);
    }
}

//! The dashboard as a whole: which sections a terminal has room for, and where they go.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Widget;

use crate::chart;
use crate::controls::Standing;
use crate::overlay;
use crate::panels;
use crate::state::State;
use crate::status::Status;

/// The rows that the table of an update has at least, its title included.
const LEARNING_ROWS: u16 = 9;

/// Draws the whole dashboard. It fits itself to the frame, down to a single cell.
pub fn draw(frame: &mut Frame, state: &State) {
    sections(frame, state);
    if state.help {
        let area = frame.area();
        overlay::keys(state.theme, area, frame.buffer_mut());
    }
}

fn sections(frame: &mut Frame, state: &State) {
    let area = frame.area();
    let margin = u16::from(area.width >= 56);
    let area = Rect { x: area.x + margin, width: area.width - 2 * margin, ..area };
    let buffer = frame.buffer_mut();
    let Some(progress) = &state.latest else {
        Line::styled("waiting for the first iteration", state.theme.dim()).render(area, buffer);
        let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        panels::notes(state, below, buffer);
        return;
    };
    match (area.width, area.height) {
        (70.., 22..) => wide(state, progress, area, buffer),
        (34.., 26..) => tall(state, progress, area, buffer),
        (34.., 12..) => small(state, progress, area, buffer),
        _ => tiny(state, progress, area, buffer),
    }
}

/// Divides an area into rows of these heights.
fn rows<const N: usize>(area: Rect, heights: [u16; N]) -> [Rect; N] {
    Layout::vertical(heights.map(Constraint::Length)).areas(area)
}

fn columns<const N: usize>(area: Rect, shares: [u16; N]) -> [Rect; N] {
    Layout::horizontal(shares.map(Constraint::Fill)).spacing(3).areas(area)
}

/// How many rows the remarks get: one as soon as there is one, more where there is much room.
fn note_rows(state: &State, area: Rect) -> u16 {
    let room = match area.height {
        36.. => 4,
        30.. => 2,
        _ => 1,
    };
    room.min(state.notes.len() as u16)
}

/// The three lines at the top.
fn top(state: &State, progress: &Status, areas: [Rect; 3], buffer: &mut Buffer) {
    panels::header(state, progress, areas[0], buffer);
    panels::progress_bar(state, progress, areas[1], buffer);
    panels::status(state, progress, areas[2], buffer);
}

/// How many rows the reward terms and the opponents want, below each other.
fn outcome_rows(progress: &Status) -> u16 {
    let rows = |entries: usize| if entries == 0 { 0 } else { entries + 1 };
    let (terms, opponents) = (rows(progress.terms.len()), rows(progress.opponents.len()));
    let gap = usize::from(terms > 0 && opponents > 0);
    u16::try_from(terms + gap + opponents).unwrap_or(u16::MAX)
}

/// Reward terms and, under them, opponents. When both do not fit, they share the rows evenly
/// unless one needs less.
fn outcomes(state: &State, progress: &Status, area: Rect, buffer: &mut Buffer) {
    let (terms, rivals) = (&progress.terms, &progress.opponents);
    if rivals.is_empty() || terms.is_empty() {
        if !terms.is_empty() {
            panels::rewards(state, terms, area, buffer);
        } else if !rivals.is_empty() {
            panels::opponents(state, progress, area, buffer);
        }
        return;
    }
    let needed = |entries: usize| u16::try_from(entries + 1).unwrap_or(u16::MAX);
    let room = area.height.saturating_sub(1);
    let rival_rows =
        needed(rivals.len()).min((room / 2).max(room.saturating_sub(needed(terms.len()))));
    let term_rows = needed(terms.len()).min(room - rival_rows);
    let [upper, _, lower] = rows(area, [term_rows, 1, rival_rows]);
    panels::rewards(state, terms, upper, buffer);
    panels::opponents(state, progress, lower, buffer);
}

/// Everything, in two columns.
fn wide(state: &State, progress: &Status, area: Rect, buffer: &mut Buffer) {
    // What room is left beyond the fixed lines goes to air first, then to the tables and the chart.
    let notes = note_rows(state, area);
    let fixed = 3 + 1 + 1 + LEARNING_ROWS + 1 + notes + 1;
    let mut spare = area.height - fixed;
    let chart_least = spare.min(8);
    spare -= chart_least;
    let mut air = [0; 3];
    for gap in &mut air {
        *gap = spare.min(1);
        spare -= *gap;
    }
    let three = area.width >= 120 && !progress.terms.is_empty() && !progress.opponents.is_empty();
    let wanted = if three {
        1 + progress.terms.len().max(progress.opponents.len()).min(100) as u16
    } else {
        outcome_rows(progress)
    };
    let wanted = wanted.max(1 + progress.update.len().min(100) as u16);
    let more = wanted.saturating_sub(LEARNING_ROWS).min(spare * 2 / 3);
    let chart = (chart_least + spare - more).min(24);
    let tables = LEARNING_ROWS + more;
    let areas = rows(area, [1, air[2], 1, 1, 1, chart, 1, tables, air[1], 1, air[0], notes, 1]);
    top(state, progress, [areas[0], areas[2], areas[3]], buffer);
    let [left, right] = columns(areas[5], [2, 1]);
    chart::returns(state, progress, left, buffer);
    panels::trends(state, progress, right, buffer);
    if three {
        let [left, middle, right] = columns(areas[7], [4, 5, 4]);
        panels::learning(state, progress, left, buffer);
        panels::rewards(state, &progress.terms, middle, buffer);
        panels::opponents(state, progress, right, buffer);
    } else {
        let [left, right] = columns(areas[7], [1, 1]);
        panels::learning(state, progress, left, buffer);
        outcomes(state, progress, right, buffer);
    }
    panels::time_split(state, progress, areas[9], buffer);
    panels::notes(state, areas[11], buffer);
    panels::footer(state, progress, areas[12], buffer);
}

/// Everything, in one column.
fn tall(state: &State, progress: &Status, area: Rect, buffer: &mut Buffer) {
    let notes = note_rows(state, area);
    let fixed = 3 + 1 + 2 + LEARNING_ROWS + 1 + 2 + notes + 1;
    let spare = area.height - fixed;
    let wanted = outcome_rows(progress);
    let chart = spare.saturating_sub(wanted).clamp(spare.min(7), 16);
    let areas = rows(area, [1, 1, 1, 1, chart, 1, 1, LEARNING_ROWS, 1, spare - chart, 1, notes, 1]);
    top(state, progress, [areas[0], areas[1], areas[2]], buffer);
    chart::returns(state, progress, areas[4], buffer);
    panels::trend_row(state, progress, areas[5], buffer);
    panels::learning(state, progress, areas[7], buffer);
    outcomes(state, progress, areas[9], buffer);
    panels::time_split(state, progress, areas[10], buffer);
    panels::notes(state, areas[11], buffer);
    panels::footer(state, progress, areas[12], buffer);
}

/// The curve, and the numbers in a grid.
fn small(state: &State, progress: &Status, area: Rect, buffer: &mut Buffer) {
    let wanted = panels::grid_rows(progress, area.width);
    // The chart keeps five rows; the grid gives its last row first.
    let notes = note_rows(state, area);
    let grid = wanted.min(area.height - (3 + 5 + 1 + 1 + notes + 1));
    let spare = area.height - (3 + 1 + grid + 1 + notes + 1);
    let gap = u16::from(spare > 6);
    let areas = rows(area, [1, 1, 1, gap, spare - gap, 1, grid, 1, notes, 1]);
    top(state, progress, [areas[0], areas[1], areas[2]], buffer);
    chart::returns(state, progress, areas[4], buffer);
    panels::trend_row(state, progress, areas[5], buffer);
    panels::learning_grid(state, progress, areas[6], buffer);
    panels::time_split(state, progress, areas[7], buffer);
    panels::notes(state, areas[8], buffer);
    panels::footer(state, progress, areas[9], buffer);
}

/// The lines that matter most, from the top.
fn tiny(state: &State, progress: &Status, area: Rect, buffer: &mut Buffer) {
    let footer = u16::from(area.height >= 6);
    let returns = (area.height.saturating_sub(3 + footer)).min(2);
    let grid = area.height.saturating_sub(3 + footer + returns);
    let areas = rows(area, [1, 1, 1, returns, grid, footer]);
    top(state, progress, [areas[0], areas[1], areas[2]], buffer);
    if returns > 0 {
        chart::returns(state, progress, areas[3], buffer);
    }
    panels::learning_grid(state, progress, areas[4], buffer);
    // One line for both: a remark, unless the user waits for an answer to a key.
    if footer > 0 && !state.notes.is_empty() && state.standing == Standing::default() {
        panels::notes(state, areas[5], buffer);
    } else if footer > 0 {
        panels::footer(state, progress, areas[5], buffer);
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;
    use crate::status::{Opponent, Term};

    fn progress(iteration: u64) -> Status {
        let terms = [("alive", 1.0, 187.3), ("fall", -5.0, 0.4), ("speed", 0.0, 3.25)];
        let named = terms.map(|(name, weight, mean)| Term { name: name.into(), weight, mean });
        Status {
            run: "classic/cartpole".into(),
            run_dir: "runs/cartpole-7".into(),
            game: "cartpole".into(),
            seed: 7,
            threads: 2,
            total_steps: Some(500_000),
            return_best: Some(230.0),
            return_target: Some(475.0),
            terms: named.to_vec(),
            opponents: vec![Opponent { name: "latest".into(), win_share: 0.52 }],
            stage: Some("silver skills".into()),
            checkpoint: Some(180_000),
            ..Status::default()
        }
        .with([
            ("iteration", iteration as f64),
            ("steps", 1024.0 * iteration as f64),
            ("seconds", 0.1 * iteration as f64),
            ("steps_per_second", 88_100.0),
            ("rollout_seconds", 0.012),
            ("update_seconds", 0.034),
            ("return_mean", 20.0 + iteration as f64),
            ("length_mean", 150.0),
            ("episodes", 10.0 * iteration as f64),
            ("elo", 1612.4),
            ("pool", 7.0),
        ])
        .learnt([
            ("policy_loss", -0.0123),
            ("value_loss", 12.5),
            ("entropy", 0.52),
            ("approx_kl", 0.081),
            ("clip_fraction", 0.12),
            ("explained_variance", 0.71),
            ("learning_rate", 2.1e-4),
            ("grad_norm", 0.43),
        ])
    }

    fn state() -> State {
        let mut state = State::new(true);
        (1..=200).for_each(|iteration| state.record(&progress(iteration)));
        state
    }

    fn drawn(state: &State, width: u16, height: u16) -> Terminal<TestBackend> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, state)).unwrap();
        terminal
    }

    fn rendered(state: &State, width: u16, height: u16) -> String {
        drawn(state, width, height).backend().to_string()
    }

    #[test]
    fn the_usual_terminal_shows_everything() {
        let screen = rendered(&state(), 80, 24);
        for text in [
            "classic/cartpole",
            "seed 7 · 2 threads",
            "40%  204.8k / 500k steps",
            "3s left · 88.1k/s",
            "Return  220.0",
            "best 230.0 · target 475",
            "entropy",
            "episode length",
            "policy loss         -0.0123",
            "0.0810  high",
            "explained variance",
            "2.1e-4",
            "alive",
            "+187.3",
            "fall",
            "-2.00",
            "Opponents",
            "latest",
            "52%",
            "rollout  12ms",
            "34ms update",
            "runs/cartpole-7",
            "q saves and stops · ? lists the keys",
        ] {
            assert!(screen.contains(text), "{text:?} is missing from\n{screen}");
        }
    }

    #[test]
    fn small_terminals_keep_what_matters() {
        let screen = rendered(&state(), 60, 15);
        for text in
            ["classic/cartpole", "40%", "3s left", "Return", "kl", "ev", "update", "? lists"]
        {
            assert!(screen.contains(text), "{text:?} is missing from\n{screen}");
        }
        let screen = rendered(&state(), 40, 8);
        for text in ["classic/cartpole", "40%", "3s left", "Return", "kl", "? lists"] {
            assert!(screen.contains(text), "{text:?} is missing from\n{screen}");
        }
    }

    #[test]
    fn every_size_and_every_state_draws() {
        let mut broken = state();
        let nan = f64::NAN;
        let absurd = Status {
            run: "长".repeat(80),
            total_steps: Some(0),
            time_limit_secs: Some(nan),
            return_target: Some(f64::INFINITY),
            terms: (0..300)
                .map(|i| Term { name: format!("term {i}"), weight: nan, mean: -1e300 })
                .collect(),
            opponents: vec![Opponent { name: "x".repeat(500), win_share: nan }; 300],
            update: (0..300).map(|i| (format!("a_long_name_of_a_number_{i}"), nan)).collect(),
            ..Status::default()
        };
        broken.record(&absurd.with([
            ("seconds", nan),
            ("steps_per_second", f64::INFINITY),
            ("rollout_seconds", nan),
            ("return_mean", nan),
            ("dropped_updates", u64::MAX as f64),
        ]));
        let mut young = State::new(false);
        young.record(&Status::default());
        let mut noted = state();
        noted.note("stopping: the checkpoint is being written");
        noted.help = true;
        noted.standing = Standing { stopping: true, ..Standing::default() };
        let states = [State::new(true), young, state(), broken, noted];
        let sizes = [(120, 36), (80, 24), (60, 15), (40, 8), (10, 3), (1, 1), (300, 100), (40, 60)];
        let others =
            (0..130).step_by(7).flat_map(|width| (0..44).map(move |height| (width, height)));
        for (width, height) in sizes.into_iter().chain(others) {
            states.iter().for_each(|state| drop(drawn(state, width, height)));
        }
    }

    #[test]
    fn remarks_stand_above_the_foot() {
        let mut state = state();
        state.note("evaluation at 1000 steps");
        for (width, height) in [(80, 24), (40, 40), (60, 15)] {
            let screen = rendered(&state, width, height);
            assert!(screen.contains("evaluation at 1000 steps"), "{screen}");
            assert!(screen.contains("? lists"), "{screen}");
        }
        assert!(rendered(&state, 40, 8).contains("evaluation at 1000 steps"));
        (0..9).for_each(|i| state.warn(&format!("warning {i}")));
        let screen = rendered(&state, 120, 40);
        assert!(!screen.contains("warning 4") && screen.contains("warning 5"), "{screen}");
        assert!(screen.find("warning 7") < screen.find("warning 8"), "{screen}");
    }

    #[test]
    fn the_foot_says_what_was_asked_for() {
        let mut state = state();
        let standing = Standing { picture: Some(false), ..Standing::default() };
        state.standing = standing;
        assert!(rendered(&state, 80, 24).contains("picture hidden"));
        for (standing, text) in [
            (Standing { paused: true, ..standing }, "paused: p goes on"),
            (Standing { saving: true, ..standing }, "saving after this iteration"),
            (
                Standing { stopping: true, paused: true, ..standing },
                "stopping after this iteration",
            ),
        ] {
            state.standing = standing;
            state.note("evaluation");
            for (width, height) in [(80, 24), (60, 15), (40, 8)] {
                let screen = rendered(&state, width, height);
                assert!(screen.contains(text), "{screen}");
            }
        }
    }

    #[test]
    fn the_list_of_keys_covers_the_rest() {
        let mut state = state();
        state.help = true;
        let screen = rendered(&state, 80, 24);
        for text in ["Keys", "saves now", "pauses, or goes on", "live picture", "Ctrl-Z"] {
            assert!(screen.contains(text), "{text:?} is missing from\n{screen}");
        }
        let mut young = State::new(true);
        young.help = true;
        assert!(rendered(&young, 80, 24).contains("saves now"));
    }

    #[test]
    fn the_bar_runs_to_where_the_run_will_pause() {
        let mut state = State::new(true);
        let paused = Status { pause_at: Some(409_600), ..progress(200) };
        state.record(&paused);
        let screen = rendered(&state, 80, 24);
        assert!(screen.contains("50%  204.8k / 409.6k of 500k steps"), "{screen}");
    }

    #[test]
    fn terms_without_weight_make_room_first() {
        let mut progress = progress(3);
        progress.opponents.clear();
        progress.terms = (0..12)
            .map(|i| Term { name: format!("term{i}"), weight: f64::from(i % 2), mean: 1.0 })
            .collect();
        let mut state = State::new(true);
        state.record(&progress);
        let screen = rendered(&state, 80, 24);
        assert!(screen.contains("term11") && !screen.contains("term10"), "{screen}");
        assert!(screen.contains("6 more"), "{screen}");
    }
}

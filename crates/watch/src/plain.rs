//! A run as text: a line of an iteration every few seconds.

use std::time::{Duration, Instant};

use crate::human;
use crate::status::Status;

/// One iteration on one line without colours, for pipes and logs. Columns keep their place from
/// line to line as long as the numbers keep their usual size.
pub fn plain_line(progress: &Status) -> String {
    let mut line = format!("steps {:>6}", human::count(progress.count("steps")));
    if let Some(total) = progress.goal() {
        line += &format!("/{}", human::count(total));
    }
    if let Some(fraction) = progress.fraction() {
        line += &format!("  {:>4}", human::percent(fraction));
    }
    let mut field = |name: &str, value: String, width: usize| {
        line += &format!("  {name}{}{value:>width$}", if name.is_empty() { "" } else { " " });
    };
    let rate = progress.value("steps_per_second");
    field("", human::rate(rate), 7);
    if let Some(left) = progress.seconds_left(rate) {
        field("left", human::duration(left), 6);
    }
    // Who clones earns nothing and plays nothing: what counts is how well decisions are told.
    if let Some(nll) = progress.number("nll") {
        field("epoch", human::count(progress.count("epoch") + 1), 2);
        field("nll", human::number(nll), 6);
        field("told", human::percent(progress.value("accuracy")), 4);
        field("entropy", human::number(progress.value("entropy")), 6);
    } else {
        field("return", progress.number("return_mean").map_or("-".into(), human::number), 7);
        if let Some(elo) = progress.elo() {
            field("elo", format!("{elo:.0}"), 4);
        }
        field("entropy", human::number(progress.value("entropy")), 6);
        field("kl", human::number(progress.value("approx_kl")), 6);
        field("ev", human::number(progress.value("explained_variance")), 7);
        field("rollout", human::span(progress.value("rollout_seconds")), 5);
    }
    field("update", human::span(progress.value("update_seconds")), 5);
    field("lr", human::number(progress.value("learning_rate")), 6);
    let dropped = progress.count("dropped_updates");
    if dropped > 0 {
        field("dropped", human::count(dropped), 1);
    }
    line
}

/// Fast games would fill a log with lines that nobody reads.
const APART: Duration = Duration::from_secs(3);

/// Which iterations become lines: the first, then one every few seconds, and the last.
#[derive(Debug, Default)]
pub struct PlainLines {
    shown: Option<Instant>,
    /// The latest iteration, if it was not shown.
    held: Option<String>,
}

impl PlainLines {
    /// The line of an iteration that ended just now, if it is to be shown.
    pub fn iteration(&mut self, progress: &Status, now: Instant) -> Option<String> {
        let line = plain_line(progress);
        if self.shown.is_some_and(|shown| now.saturating_duration_since(shown) < APART) {
            self.held = Some(line);
            return None;
        }
        self.shown = Some(now);
        self.held = None;
        Some(line)
    }

    /// The line of the last iteration, if it was not shown.
    pub fn last(&mut self) -> Option<String> {
        self.held.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Opponent;

    fn progress() -> Status {
        Status { total_steps: Some(500_000), ..Status::default() }
            .with([
                ("steps", 204_800.0),
                ("steps_per_second", 88_123.0),
                ("return_mean", 187.34),
                ("rollout_seconds", 0.012),
                ("update_seconds", 0.034),
            ])
            .learnt([
                ("entropy", 0.5213),
                ("approx_kl", 0.0081),
                ("explained_variance", 0.7123),
                ("learning_rate", 0.000_21),
            ])
    }

    #[test]
    fn one_line() {
        assert_eq!(
            plain_line(&progress()),
            "steps 204.8k/500k   40%  88.1k/s  left     3s  return   187.3  entropy  0.521  \
             kl 0.0081  ev   0.712  rollout  12ms  update  34ms  lr 2.1e-4"
        );
    }

    #[test]
    fn whoever_clones_shows_how_well_decisions_are_told() {
        let cloning = Status { total_steps: Some(500_000), ..Status::default() }
            .with([("steps", 204_800.0), ("steps_per_second", 10_000.0), ("epoch", 1.0)])
            .with([("update_seconds", 1.5)])
            .learnt([("nll", 1.1), ("accuracy", 0.9), ("entropy", 0.8), ("learning_rate", 1e-3)]);
        let line = plain_line(&cloning);
        assert!(line.contains("epoch  2  nll   1.10  told  90%  entropy"), "{line}");
        assert!(!line.contains("return") && !line.contains("rollout"), "{line}");
    }

    #[test]
    fn a_rated_run_shows_its_rating() {
        let rated = progress().with([("elo", 1612.4)]);
        assert!(!plain_line(&rated).contains("elo"), "nobody but itself is met");
        let met = vec![Opponent { name: "latest".into(), win_share: 0.5 }];
        let line = plain_line(&Status { opponents: met, ..rated });
        assert!(line.contains("return   187.3  elo 1612  entropy"), "{line}");
    }

    #[test]
    fn lines_are_seconds_apart_and_the_last_one_is_kept() {
        let (mut lines, begin) = (PlainLines::default(), Instant::now());
        let mut at = |ms: u64| {
            let progress = progress().with([("steps", ms as f64)]);
            lines.iteration(&progress, begin + Duration::from_millis(ms)).is_some()
        };
        let shown: Vec<u64> = (0..=10_000).step_by(100).filter(|ms| at(*ms)).collect();
        assert_eq!(shown, [0, 3000, 6000, 9000]);
        assert!(lines.last().unwrap().starts_with("steps    10k"));
        assert_eq!(lines.last(), None);
        let later = begin + Duration::from_secs(60);
        assert!(lines.iteration(&progress(), later).is_some());
        assert_eq!(lines.last(), None, "it was shown");
    }

    #[test]
    fn a_pause_is_what_the_line_counts_to() {
        let line = plain_line(&Status { pause_at: Some(409_600), ..progress() });
        assert!(line.starts_with("steps 204.8k/409.6k   50%"), "{line}");
    }

    #[test]
    fn columns_keep_their_place() {
        let mut later = progress()
            .with([("steps", 1_230_000.0), ("steps_per_second", 850.0), ("update_seconds", 0.0004)])
            .learnt([("explained_variance", -0.0312)]);
        later.numbers.retain(|number| number.0 != "return_mean");
        let later = Status { total_steps: Some(5_000_000), ..later };
        let now = Status { total_steps: Some(500_000), ..progress() };
        let place = |line: &str, field: &str| line.find(field).unwrap();
        let (now, later) = (plain_line(&now), plain_line(&later).replace("/5M", "/500k"));
        for field in ["left", "return", "entropy", "kl", "rollout", "update"] {
            assert_eq!(place(&now, field), place(&later, field), "{now}\n{later}");
        }
    }

    #[test]
    fn open_ended_runs_promise_nothing() {
        let line = plain_line(&Status::default().with([("dropped_updates", 2.0)]));
        assert!(line.starts_with("steps      0      0/s  return       -"), "{line}");
        assert!(!line.contains('%') && !line.contains("left"), "{line}");
        assert!(line.ends_with("dropped 2"), "{line}");
    }
}

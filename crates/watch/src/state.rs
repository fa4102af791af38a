//! What the dashboard remembers of a run.

use std::collections::{BTreeMap, VecDeque};

use crate::controls::Standing;
use crate::series::Series;
use crate::status::Status;
use crate::theme::Theme;

/// Twice the dots that a wide terminal's chart has across, so that halving never shows.
const CAPACITY: usize = 512;

/// Over how many seconds the speed is averaged, for a steady number and a steady time left.
const SMOOTHING_SECS: f64 = 3.0;

/// More than any screen shows; of a run that warns at every iteration the latest warnings are kept.
const NOTES: usize = 100;

/// A remark, such as the result of an evaluation.
#[derive(Clone, Debug)]
pub(crate) struct Note {
    pub(crate) text: String,
    /// Is something wrong?
    pub(crate) warning: bool,
}

/// The latest [`Status`] and the history before it: all that [`draw`](crate::draw) looks at.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) theme: Theme,
    pub(crate) latest: Option<Status>,
    /// Remarks, the latest last.
    pub(crate) notes: VecDeque<Note>,
    /// Is the list of keys open?
    pub(crate) help: bool,
    /// What the user has asked for.
    pub(crate) standing: Standing,
    /// Every number of an iteration by its name.
    histories: BTreeMap<String, Series>,
    /// That of a number which was never seen.
    empty: Series,
    /// Steps a second, smoothed.
    pub(crate) rate: f64,
}

impl State {
    /// Nothing seen yet; drawn with colours, or with shapes alone.
    pub fn new(color: bool) -> Self {
        Self::with_theme(Theme::new(color))
    }

    pub(crate) fn with_theme(theme: Theme) -> Self {
        Self {
            theme,
            latest: None,
            notes: VecDeque::new(),
            help: false,
            standing: Standing::default(),
            histories: BTreeMap::new(),
            empty: Series::new(0),
            rate: f64::NAN,
        }
    }

    /// Adds an iteration.
    pub fn record(&mut self, progress: &Status) {
        let x = progress.value("steps");
        for (name, value) in progress.numbers.iter().chain(&progress.update) {
            match self.histories.get_mut(name) {
                Some(history) => history.push(x, *value),
                None => {
                    let mut history = Series::new(CAPACITY);
                    history.push(x, *value);
                    self.histories.insert(name.clone(), history);
                }
            }
        }
        self.smooth_rate(progress);
        match &mut self.latest {
            Some(latest) => latest.clone_from(progress),
            None => self.latest = Some(progress.clone()),
        }
    }

    /// What a number was over time.
    pub(crate) fn history(&self, name: &str) -> &Series {
        self.histories.get(name).unwrap_or(&self.empty)
    }

    /// Shows a remark until others push it out.
    pub fn note(&mut self, text: &str) {
        self.remark(text, false);
    }

    /// Shows a remark that something is wrong.
    pub fn warn(&mut self, text: &str) {
        self.remark(text, true);
    }

    fn remark(&mut self, text: &str, warning: bool) {
        // One line each: a line that is not there would shift everything below it.
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            // What others print may hold anything, codes for the terminal included.
            let text = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            if self.notes.len() == NOTES {
                self.notes.pop_front();
            }
            self.notes.push_back(Note { text, warning });
        }
    }

    /// Hands out the warnings, oldest first.
    pub(crate) fn take_warnings(&mut self) -> Vec<String> {
        let warnings = self.notes.drain(..).filter(|note| note.warning);
        warnings.map(|note| note.text).collect()
    }

    /// Long iterations count for more than short ones, so that the average is one over time.
    fn smooth_rate(&mut self, progress: &Status) {
        let now = progress.value("steps_per_second");
        if !now.is_finite() || now < 0.0 {
            return;
        }
        let secs = (progress.value("rollout_seconds") + progress.value("update_seconds")).max(0.0);
        let weight = 1.0 - (-secs / SMOOTHING_SECS).exp();
        if self.rate.is_nan() {
            self.rate = now;
        } else if weight.is_finite() {
            self.rate += weight * (now - self.rate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_steady_under_short_iterations() {
        let mut state = State::new(true);
        let fast = |rate: f64, update: f64| {
            let numbers = [("rollout_seconds", 0.01), ("update_seconds", update)];
            Status::default().with(numbers).with([("steps_per_second", rate)])
        };
        state.record(&fast(1000.0, 0.01));
        assert_eq!(state.rate, 1000.0);
        state.record(&fast(2000.0, 0.01));
        assert!(state.rate < 1010.0);
        state.record(&fast(f64::NAN, 0.01));
        assert!(state.rate < 1010.0);
        state.record(&fast(2000.0, 60.0));
        assert!(state.rate > 1990.0);
    }

    #[test]
    fn remarks_are_lines_without_codes_and_do_not_pile_up() {
        let mut state = State::new(true);
        state.note("evaluation");
        state.warn("one\n\n\u{1b}[2Jtwo\r");
        let texts: Vec<&str> = state.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(texts, ["evaluation", "one", " [2Jtwo "]);
        (0..1000).for_each(|i| state.warn(&i.to_string()));
        assert_eq!(state.notes.len(), NOTES);
        assert_eq!(state.take_warnings().last().map(String::as_str), Some("999"));
        assert!(state.take_warnings().is_empty());
    }

    #[test]
    fn episodes_may_be_missing() {
        let mut state = State::new(true);
        state.record(&Status::default().learnt([("entropy", 1.0)]));
        assert_eq!(state.history("return_mean").first_x(), None);
        assert_eq!(state.history("entropy").first_x(), Some(0.0));
    }
}

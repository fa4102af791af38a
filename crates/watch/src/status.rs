//! What a training run tells whoever watches it.

/// What one iteration (a rollout and the update on it) showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// The title of the run, such as `classic/cartpole`.
    pub run: String,
    /// Where the run writes its files.
    pub run_dir: String,
    /// The game that is played.
    pub game: String,
    /// The seed everything random comes from.
    pub seed: u64,
    /// How many threads work.
    pub threads: usize,
    /// After how many steps the run ends, if steps end it.
    pub total_steps: Option<u64>,
    /// After how many steps the run pauses, if it was asked to.
    pub pause_at: Option<u64>,
    /// After how long the run ends, if the clock ends it.
    pub time_limit_secs: Option<f64>,
    /// What the iteration showed, each number by the name that it has in `metrics.jsonl`.
    pub numbers: Vec<(String, f64)>,
    /// What the update reported, likewise, in the order in which one reads it.
    pub update: Vec<(String, f64)>,
    /// The best mean return so far.
    pub return_best: Option<f64>,
    /// The mean return at which the run counts as solved, if it names one.
    pub return_target: Option<f64>,
    /// What each reward term brought.
    pub terms: Vec<Term>,
    /// How the agent does against each opponent.
    pub opponents: Vec<Opponent>,
    /// The stage of the curriculum, if there is one.
    pub stage: Option<String>,
    /// The steps at which the last checkpoint was written.
    pub checkpoint: Option<u64>,
}

/// One reward term, over the episodes that ended lately.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Term {
    /// The term's name.
    pub name: String,
    /// What the preset multiplies it with.
    pub weight: f64,
    /// Its unweighted mean per episode.
    pub mean: f64,
}

impl Term {
    /// What the term adds to the return of an episode.
    pub fn contribution(&self) -> f64 {
        self.weight * self.mean
    }
}

/// One opponent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opponent {
    /// The opponent's name.
    pub name: String,
    /// The share of matches won against it, from 0 to 1.
    pub win_share: f64,
}

impl Status {
    /// A number by its name; `None` if nobody knows it yet.
    pub fn number(&self, name: &str) -> Option<f64> {
        let mut all = self.numbers.iter().chain(&self.update);
        all.find(|number| number.0 == name).map(|number| number.1)
    }

    /// The same; 0 before anybody knows it.
    pub fn value(&self, name: &str) -> f64 {
        self.number(name).unwrap_or(0.0)
    }

    /// The same for what was counted.
    pub fn count(&self, name: &str) -> u64 {
        self.value(name) as u64
    }

    /// The agent's rating. Where it meets nobody but itself, one would say nothing.
    pub fn elo(&self) -> Option<f64> {
        self.number("elo").filter(|_| !self.opponents.is_empty())
    }

    /// After how many steps it ends or pauses, whichever comes first.
    pub fn goal(&self) -> Option<u64> {
        [self.total_steps, self.pause_at].into_iter().flatten().min()
    }

    /// How much of the run is done, from 0 to 1; `None` if nothing ends it. With a limit on both
    /// steps and time, the one that is closer counts.
    pub fn fraction(&self) -> Option<f64> {
        let steps = self.goal().map(|total| self.value("steps") / total.max(1) as f64);
        let time = self.time_limit_secs.map(|limit| self.value("seconds") / limit.max(1e-9));
        let done = match (steps, time) {
            (Some(steps), Some(time)) => steps.max(time),
            (steps, time) => steps.or(time)?,
        };
        done.is_finite().then(|| done.clamp(0.0, 1.0))
    }

    /// How long the run still takes at `rate` steps a second; `None` if that cannot be told.
    pub fn seconds_left(&self, rate: f64) -> Option<f64> {
        let steps = self
            .goal()
            .map(|total| total.saturating_sub(self.count("steps")) as f64 / rate)
            .filter(|left| left.is_finite() && *left >= 0.0);
        let time = self.time_limit_secs.map(|limit| (limit - self.value("seconds")).max(0.0));
        match (steps, time) {
            (Some(steps), Some(time)) => Some(steps.min(time)),
            (steps, time) => steps.or(time),
        }
    }
}

#[cfg(test)]
impl Status {
    /// The same with other numbers.
    pub(crate) fn with<const N: usize>(mut self, numbers: [(&str, f64); N]) -> Self {
        set(&mut self.numbers, numbers);
        self
    }

    /// The same with other numbers of the update.
    pub(crate) fn learnt<const N: usize>(mut self, numbers: [(&str, f64); N]) -> Self {
        set(&mut self.update, numbers);
        self
    }
}

#[cfg(test)]
fn set<const N: usize>(list: &mut Vec<(String, f64)>, numbers: [(&str, f64); N]) {
    for (name, value) in numbers {
        match list.iter_mut().find(|number| number.0 == name) {
            Some(number) => number.1 = value,
            None => list.push((name.to_owned(), value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closer_limit_counts() {
        let mut progress = Status::default().with([("steps", 250.0), ("seconds", 30.0)]);
        assert_eq!(progress.fraction(), None);
        assert_eq!(progress.seconds_left(10.0), None);
        progress.total_steps = Some(1000);
        assert_eq!(progress.fraction(), Some(0.25));
        assert_eq!(progress.seconds_left(10.0), Some(75.0));
        assert_eq!(progress.seconds_left(0.0), None);
        progress.time_limit_secs = Some(40.0);
        assert_eq!(progress.fraction(), Some(0.75));
        assert_eq!(progress.seconds_left(10.0), Some(10.0));
    }

    #[test]
    fn a_pause_is_a_goal_of_its_own() {
        let progress = Status { pause_at: Some(100), ..Status::default() };
        let progress = progress.with([("steps", 50.0)]);
        assert_eq!((progress.goal(), progress.fraction()), (Some(100), Some(0.5)));
        assert_eq!(progress.seconds_left(10.0), Some(5.0));
        let longer = Status { total_steps: Some(80), ..progress };
        assert_eq!(longer.goal(), Some(80), "the run ends before it would pause");
    }

    #[test]
    fn a_run_past_its_end_is_done() {
        let progress = Status { total_steps: Some(1000), ..Status::default() };
        let progress = progress.with([("steps", 1200.0)]);
        assert_eq!(progress.fraction(), Some(1.0));
        assert_eq!(progress.seconds_left(10.0), Some(0.0));
        let empty = Status { total_steps: Some(0), ..Status::default() };
        assert_eq!(empty.fraction(), Some(0.0));
    }
}

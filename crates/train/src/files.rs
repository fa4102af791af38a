//! What the files of a run are called: the only place that knows.

use std::fs;
use std::path::{Path, PathBuf};

/// Where runs without a directory of their own are made.
pub const RUNS: &str = "runs";

/// The names of event files begin like this: TensorBoard reads those with `tfevents` in them.
pub(crate) const EVENTS: &str = "events.out.tfevents";

/// First matches of evaluations, in the directory of recordings.
pub(crate) const EVALUATIONS: &str = "evaluations";

const MILESTONES: &str = "milestones";
const EXPLOITER: &str = "exploiter-";
const YAML: &str = ".yml";
const ORIGINAL: &str = "preset.json";

/// The files of a run, by the run's directory. Which of them are there is another question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFiles {
    run: PathBuf,
}

impl RunFiles {
    /// What a run is trained with. A milestone has one under the same name.
    pub const CONFIG: &str = "config.yml";
    /// The learner, for whoever plays with it.
    pub const MODEL: &str = "model.zip";
    /// What every iteration showed, from the run's directory.
    pub const METRICS: &str = "metrics.jsonl";
    /// The rated matches by opponent and period, from the run's directory.
    pub const RESULTS: &str = "league/results.csv";
    /// Held by the process that trains.
    pub(crate) const LOCK: &str = "lock";

    /// The files of the run in a directory.
    pub fn of(run: impl Into<PathBuf>) -> Self {
        Self { run: run.into() }
    }

    /// The run's directory.
    pub fn run(&self) -> &Path {
        &self.run
    }

    /// What the run is trained with.
    pub fn config(&self) -> PathBuf {
        self.run.join(Self::CONFIG)
    }

    /// What its exploiter of this number trains with.
    pub fn exploiter_config(&self, number: usize) -> PathBuf {
        self.run.join(format!("{EXPLOITER}{number}{YAML}"))
    }

    /// The newest model.
    pub fn model(&self) -> PathBuf {
        self.run.join(Self::MODEL)
    }

    /// What every iteration showed.
    pub fn metrics(&self) -> PathBuf {
        self.run.join(Self::METRICS)
    }

    /// Its checkpoints.
    pub fn checkpoints(&self) -> PathBuf {
        self.run.join("checkpoints")
    }

    /// The checkpoint at so many steps.
    pub fn checkpoint(&self, steps: u64) -> PathBuf {
        self.checkpoints().join(steps.to_string())
    }

    /// Its milestones: checkpoints that are kept for good.
    pub fn milestones(&self) -> PathBuf {
        self.run.join(MILESTONES)
    }

    /// The milestones that are there, oldest first.
    pub fn found_milestones(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.milestones()).into_iter().flatten().flatten();
        let mut found: Vec<(u64, PathBuf)> =
            entries.filter_map(|entry| Some((steps_of(&entry.path())?, entry.path()))).collect();
        found.sort();
        found.into_iter().map(|(_, path)| path).collect()
    }

    /// Matches that were recorded while training.
    pub fn recordings(&self) -> PathBuf {
        self.run.join("recordings")
    }

    /// First matches of evaluations beside the training.
    pub fn evaluations(&self) -> PathBuf {
        self.recordings().join(EVALUATIONS)
    }

    /// What its league keeps: the snapshots, and how they stand.
    pub fn league(&self) -> PathBuf {
        self.run.join("league")
    }

    /// A snapshot of its league.
    pub fn snapshot(&self, id: u64) -> PathBuf {
        snapshot_path(&self.league(), id)
    }

    /// The pool of its league.
    pub fn pool(&self) -> PathBuf {
        self.league().join("pool.json")
    }

    /// What everybody of its league did against everybody, when that was tried last.
    pub fn crossplay(&self) -> PathBuf {
        self.league().join("crossplay.json")
    }

    /// A match of every two of them.
    pub fn crossplay_recordings(&self) -> PathBuf {
        self.league().join("crossplay")
    }

    /// The rated matches by opponent and period.
    pub fn results(&self) -> PathBuf {
        self.run.join(Self::RESULTS)
    }

    /// The latest rated matches.
    pub fn games(&self) -> PathBuf {
        self.league().join("games.csv")
    }

    /// All the rated matches of a run of the first versions.
    pub(crate) fn games_before(&self) -> PathBuf {
        self.league().join("games-before.csv")
    }

    /// The preset it was begun with.
    pub fn original(&self) -> PathBuf {
        self.run.join(ORIGINAL)
    }

    /// How it failed, if it did.
    pub fn failure(&self) -> PathBuf {
        self.run.join("failure.json")
    }

    /// Held by the process that trains.
    pub(crate) fn lock(&self) -> PathBuf {
        self.run.join(Self::LOCK)
    }
}

/// Where a snapshot is, in the directory of a league.
pub fn snapshot_path(league: &Path, id: u64) -> PathBuf {
    league.join(format!("{id}.zip"))
}

/// The run that a path belongs to, and the milestone it is, if it is one.
pub fn run_of(path: &Path) -> (PathBuf, Option<PathBuf>) {
    match path.parent() {
        Some(parent) if parent.file_name().is_some_and(|name| name == MILESTONES) => {
            let run = parent.parent().unwrap_or(Path::new("."));
            (run.to_owned(), Some(path.to_owned()))
        }
        _ => (path.to_owned(), None),
    }
}

/// What a milestone is called, after its steps and the stage that begins with it.
pub(crate) fn milestone_name(steps: u64, stage: Option<&str>) -> String {
    let letter = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '-' };
    match stage {
        Some(stage) => format!("{steps}-{}", stage.chars().map(letter).collect::<String>()),
        None => steps.to_string(),
    }
}

/// The steps of a milestone, by its name.
pub fn steps_of(milestone: &Path) -> Option<u64> {
    let name = milestone.file_name()?.to_str()?;
    name.split('-').next()?.parse().ok()
}

/// The directory of the run of this name, or of the second, third, … that wants it.
pub fn numbered(parent: &Path, name: &str, number: u64) -> PathBuf {
    match number {
        1 => parent.join(name),
        n => parent.join(format!("{name}-{n}")),
    }
}

/// Is it a file, by its name, that a run which begins at a milestone takes over whole: events, the preset it was
/// begun with, and what the run and its exploiters train with?
pub(crate) fn is_taken_over(name: &str) -> bool {
    name.starts_with(EVENTS)
        || [RunFiles::CONFIG, ORIGINAL].contains(&name)
        || (name.starts_with(EXPLOITER) && name.ends_with(YAML))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_milestone_leads_to_its_run() {
        let milestone = RunFiles::of("runs/a").milestones().join("100-second-stage");
        assert_eq!(run_of(&milestone), ("runs/a".into(), Some(milestone.clone())));
        assert_eq!(steps_of(&milestone), Some(100));
        assert_eq!(milestone_name(100, Some("second stage")), "100-second-stage");
        assert_eq!(run_of(Path::new("runs/a")), ("runs/a".into(), None));
        assert_eq!(steps_of(Path::new("runs/a")), None);
    }

    #[test]
    fn what_is_taken_over_is_known_by_its_name() {
        let files = RunFiles::of("");
        let events = format!("{EVENTS}.1.x").into();
        for path in [files.config(), files.exploiter_config(3), files.original(), events] {
            assert!(is_taken_over(&path.to_string_lossy()), "{}", path.display());
        }
        for path in [files.model(), files.metrics(), files.lock(), files.failure()] {
            assert!(!is_taken_over(&path.to_string_lossy()), "{}", path.display());
        }
    }
}

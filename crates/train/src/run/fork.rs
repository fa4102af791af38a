//! Going back to a milestone: in a new run that goes on from there, or in place.

use std::fs;
use std::path::{Path, PathBuf};

use super::{RunDirectory, RunError};
use crate::checkpoint::{self, Opened};
use crate::disk::{on, replace};
use crate::files::{RunFiles, is_taken_over, steps_of};

/// What a new run has of the one that it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forked {
    /// Steps at which it goes on.
    pub steps: u64,
    /// Iterations whose metrics it keeps.
    pub iterations: u64,
    /// Milestones.
    pub milestones: usize,
    /// Snapshots of the league.
    pub snapshots: usize,
}

impl RunDirectory {
    /// Fills this directory, which must be new, with the run as it was at a milestone. The run that
    /// the milestone belongs to is only read.
    pub fn fork(&self, milestone: &Path) -> Result<Forked, RunError> {
        let (steps, saved) = open(milestone)?;
        let others = fs::read_dir(self.path()).into_iter().flatten().flatten();
        if others.into_iter().any(|entry| entry.file_name() != RunFiles::LOCK) {
            return Err(RunError::NotEmpty(self.path().to_owned()));
        }
        let origin = milestone.parent().and_then(Path::parent).unwrap_or(Path::new("."));
        let theirs = RunFiles::of(origin);
        let league = self.files.league();
        let mut snapshots = 0;
        if saved.league().is_some() {
            on("create", &league, fs::create_dir_all(&league))?;
            for id in saved.snapshots() {
                // One that is missing is named when the league is restored.
                if let Ok(bytes) = fs::read(theirs.snapshot(id)) {
                    replace(&self.files.snapshot(id), &bytes)?;
                    snapshots += 1;
                }
            }
        }
        // Whole: they are cut to what the checkpoint knows when the run goes on.
        let others = fs::read_dir(origin).into_iter().flatten().flatten();
        let others = others.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let others = others.filter(|name| is_taken_over(name));
        let files = [RunFiles::METRICS, RunFiles::RESULTS].map(str::to_owned);
        for name in files.into_iter().chain(others) {
            if let Ok(bytes) = fs::read(origin.join(&name)) {
                replace(&self.path().join(&name), &bytes)?;
            }
        }
        if let Some(own) = saved.config() {
            replace(&self.files.config(), own.as_bytes())?;
        }
        let mut milestones = 0;
        for name in saved.milestones() {
            let from = theirs.milestones().join(name);
            if from.is_dir() {
                checkpoint::copy(&from, &self.files.milestones(), name)?;
                milestones += 1;
            }
        }
        // Last: now it is a run.
        checkpoint::place(&self.files.checkpoints(), &steps.to_string(), saved.files())?;
        Ok(Forked { steps, iterations: saved.progress().iteration, milestones, snapshots })
    }

    /// Goes back to a milestone in place: it becomes the newest checkpoint, and what came after it goes.
    pub fn roll_back(&self, milestone: &Path) -> Result<(), RunError> {
        // First the copy: a milestone that is missing or damaged must cost nothing.
        let (steps, saved) = open(milestone)?;
        checkpoint::place(&self.files.checkpoints(), &steps.to_string(), saved.files())?;
        for (later, path) in checkpoint::list(&self.files.checkpoints())? {
            if later > steps {
                on("remove", &path, fs::remove_dir_all(&path))?;
            }
        }
        let gone: Vec<PathBuf> = self
            .files
            .found_milestones()
            .into_iter()
            .filter(|path| steps_of(path).is_some_and(|later| later > steps))
            .collect();
        for path in gone {
            on("remove", &path, fs::remove_dir_all(&path))?;
        }
        Ok(())
    }
}

fn open(milestone: &Path) -> Result<(u64, Opened), RunError> {
    if steps_of(milestone).is_none() {
        return Err(RunError::NoMilestone(milestone.to_owned()));
    }
    let saved = Opened::read(milestone)?;
    Ok((saved.progress().steps, saved))
}

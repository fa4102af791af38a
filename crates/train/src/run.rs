//! A run on disk: resume or begin, iterate, evaluate, save, stop.
//!
//! A checkpoint is what a run consists of; everything else is written before it and cut back to it on
//! resume (metrics, results, snapshots, milestones), or follows from it and is written again (the
//! model, the pool for people to read). So an error or a kill at any point leaves the state before an
//! iteration or the one after it.

mod clone;
mod drive;
mod error;
mod fork;
mod open;
mod save;

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

use lanista_league::Exploiter;
use lanista_learn::Anchor;

use serde_json::Value;

use crate::checkpoint::{self, CheckpointError, Continued, Decoded, Identity, Loaded, Opened};
use crate::collect::said;
use crate::config::RunConfig;
use crate::disk::on;
use crate::error::TrainError;
use crate::evaluate::Report;
use crate::exploiter::Challenger;
use crate::failure::{self, Failure};
use crate::files::{RunFiles, numbered};
use crate::journal::Seal;
use crate::layers::{differences, to_yaml};
use crate::metrics::{Record, Sink};
use crate::model;
use crate::start;
use crate::trainer::Trainer;

pub use crate::orders::Orders;
pub use clone::{Cloning, Expert, Standing as CloneStanding, Told};
pub use error::RunError;
pub use fork::Forked;
pub use open::{Opening, Run};
use save::wall_clock;

/// A run's directory, held by one process at a time.
pub struct RunDirectory {
    files: RunFiles,
    lock: File,
    /// What its newest checkpoint knows of the files beside it.
    saved: Saved,
}

/// What a checkpoint knows of the files beside it.
#[derive(Default)]
struct Saved {
    /// The steps of the newest one.
    steps: Option<u64>,
    /// What the files that grow held.
    seals: BTreeMap<String, Seal>,
    /// The milestones made so far.
    milestones: Vec<String>,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// `stop.steps` was reached.
    Steps,
    /// `stop.seconds` was reached.
    Seconds,
    /// `stop.return` was reached.
    Return,
    /// It was asked to pause at a number of steps.
    Paused,
    /// It was interrupted.
    Interrupted,
}

/// What a run leaves behind.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Why it ended.
    pub ending: Ending,
    /// The last evaluation; none if it was interrupted.
    pub report: Option<Report>,
}

/// How a run begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Steps it had when it was resumed; `None` for a new run.
    pub resumed_at: Option<u64>,
    /// Do its matches go on where they were?
    pub continued: Continued,
    /// Checkpoints that were passed over, and why.
    pub passed_over: Vec<String>,
    /// Exploiters whose matches start anew, or that begin anew themselves.
    pub exploiters_anew: Vec<String>,
    /// What differs from the configuration that the checkpoint was saved with: key, then and now.
    pub changes: Vec<String>,
    /// Milestones that the run had made and that are gone.
    pub missing_milestones: Vec<String>,
    /// What it begins with besides fresh weights.
    pub said: Vec<String>,
}

impl RunDirectory {
    /// Creates or opens a run's directory.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        on("create", path, fs::create_dir_all(path))?;
        let files = RunFiles::of(path);
        let lock_path = files.lock();
        let lock = on("write", &lock_path, File::create(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { files, lock, saved: Saved::default() }),
            Err(TryLockError::WouldBlock) => Err(RunError::Locked(path.to_owned())),
            Err(TryLockError::Error(error)) => Ok(on("lock", &lock_path, Err(error))?),
        }
    }

    /// Creates a directory of its own for a new run: `name`, or `name-2`, `name-3`, … Of several
    /// processes that want the same name at the same time each gets another one.
    pub fn claim(parent: &Path, name: &str) -> Result<Self, RunError> {
        on("create", parent, fs::create_dir_all(parent))?;
        let mut number = 1u64;
        loop {
            let path = numbered(parent, name, number);
            match fs::create_dir(&path) {
                Ok(()) => return Self::open(&path),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Ok(on("create", &path, Err(error))?),
            }
        }
    }

    /// Takes the directory away again if nothing but its lock is in it: a run that could not begin leaves
    /// nothing behind.
    pub fn leave_if_unused(&self) {
        let lock = self.files.lock();
        let unused = fs::read_dir(self.path())
            .is_ok_and(|mut all| all.all(|file| file.is_ok_and(|file| file.path() == lock)));
        if unused {
            // Whoever finds it in the way afterwards can do that as well.
            let _ = fs::remove_file(&lock).and_then(|()| fs::remove_dir(self.path()));
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.files.run()
    }

    /// What its files are called.
    pub fn files(&self) -> &RunFiles {
        &self.files
    }

    /// Resumes from the newest sound checkpoint, or begins.
    pub fn begin(&mut self, trainer: &mut Trainer) -> Result<Begun, RunError> {
        trainer.snapshots = Some(self.files.league());
        trainer.recordings = Some(self.files.recordings());
        let mut passed_over = Vec::new();
        for (_, path) in checkpoint::list(&self.files.checkpoints())?.into_iter().rev() {
            match self.resume(&path, trainer) {
                Ok(begun) => return Ok(Begun { passed_over, ..begun }),
                Err(RunError::Checkpoint(
                    error @ (CheckpointError::OtherShape { .. } | CheckpointError::Cloning(_)),
                )) => return Err(error.into()),
                Err(RunError::Checkpoint(error)) => passed_over.push(error.to_string()),
                Err(error) => return Err(error),
            }
        }
        if !passed_over.is_empty() {
            return Err(RunError::NoneSound {
                path: self.path().to_owned(),
                problems: passed_over,
            });
        }
        let milestones = self.files.found_milestones();
        if self.files.model().is_file() || !milestones.is_empty() {
            // A model is written after the first checkpoint: there was one.
            return Err(RunError::Lost { path: self.path().to_owned(), milestones });
        }
        let said = trainer.begin_with()?;
        trainer.start()?;
        Ok(Begun {
            said,
            resumed_at: None,
            continued: Continued::Exactly,
            passed_over,
            exploiters_anew: Vec::new(),
            changes: Vec::new(),
            missing_milestones: Vec::new(),
        })
    }

    fn resume(&mut self, path: &Path, trainer: &mut Trainer) -> Result<Begun, RunError> {
        let saved = Opened::read(path)?;
        // Its matches are those of its stage.
        trainer.enter(saved.stage())?;
        let config = trainer.config().clone();
        let game = trainer.spec().name.clone();
        let identity = Identity { game: &game, settings: &config.settings, seed: config.run.seed };
        // All of it is read before anything is taken over.
        let Some(main) = saved.decode(None, &trainer.agent, &identity)? else {
            return Err(RunError::NoneSound { path: self.path().to_owned(), problems: Vec::new() });
        };
        let mut others = Vec::new();
        for (number, exploiter) in trainer.exploiters.iter().enumerate() {
            others.push(decode_exploiter(&saved, number, exploiter, &game)?);
        }
        let Loaded { continued, league, curriculum, .. } = main.apply(&mut trainer.agent)?;
        let now = to_yaml(trainer.given())?;
        let changes =
            saved.config().map_or(Vec::new(), |then| differences(then, &now, &defaults()));
        let mut said = Vec::new();
        if start::has_another_anchor(&trainer.agent.config.start, &changes) {
            let spec = trainer.spec().clone();
            said.extend(start::hold_anew(&mut trainer.agent, &spec)?);
        } else if let Some(anchors) = saved.anchors() {
            // Those of the checkpoint: they may have been renewed, and the model may be gone.
            let roster = model::load(&anchors, trainer.spec())?.0;
            for (role, learner) in trainer.agent.learners.iter_mut().enumerate() {
                if let (Some(learner), Some(policy)) = (learner, roster.get(role)) {
                    let weight = 0.0.into(); // the configuration says before every iteration
                    learner.anchor = Some(Anchor { policy: policy.clone(), weight });
                }
            }
        } else {
            let spec = trainer.spec().clone();
            start::hold(&mut trainer.agent, &spec)?;
        }
        let mut exploiters_anew = Vec::new();
        for (number, (exploiter, found)) in trainer.exploiters.iter_mut().zip(others).enumerate() {
            exploiters_anew.extend(resume_exploiter(exploiter, number, found)?);
        }
        let steps = trainer.progress().steps;
        trainer.curriculum = curriculum;
        if let Some(league) = league {
            trainer.restore_league(league)?;
        }
        if continued == Continued::Anew {
            // They were started before anybody knew whom they may meet.
            let mut shards = trainer.agent.shards.iter_mut();
            shards.try_for_each(|s| s.restart_all()).map_err(TrainError::Match)?;
        }
        let milestones = saved.milestones().to_vec();
        let gone = |name: &&String| !self.files.milestones().join(name).is_dir();
        let missing_milestones = milestones.iter().filter(gone).cloned().collect();
        self.saved = Saved { steps: Some(steps), seals: saved.seals(), milestones };
        Ok(Begun {
            resumed_at: Some(steps),
            continued,
            passed_over: Vec::new(),
            exploiters_anew,
            changes,
            missing_milestones,
            said,
        })
    }

    /// Trains, and writes down how that failed if it did. What an earlier training wrote down is gone then: this
    /// one goes on where that one stopped.
    fn noted(
        &mut self,
        trainer: &mut Trainer,
        train: impl FnOnce(&mut Self, &mut Trainer) -> Result<Summary, RunError>,
    ) -> Result<Summary, RunError> {
        failure::forget(&self.files.failure())?;
        let ended = catch_unwind(AssertUnwindSafe(|| train(self, trainer)));
        let message = match &ended {
            Ok(Ok(_)) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(panic) => Some(format!("the program panicked: {}", said(&**panic))),
        };
        // A directory that was replaced is another run's.
        if let Some(message) = message.filter(|_| self.is_still_there().is_ok()) {
            let (steps, unix) = (trainer.agent.progress.steps, wall_clock());
            // Where the disk is full there will be no note; the error itself is on its way.
            let _ = Failure { message, steps, unix }.write(&self.files.failure());
        }
        ended.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// A directory that was removed or replaced takes no more lines, whatever the open files say.
    fn is_still_there(&self) -> Result<(), RunError> {
        let there = fs::metadata(self.files.lock()).ok();
        match there.is_some_and(|there| self.lock.metadata().is_ok_and(|ours| same(&there, &ours)))
        {
            true => Ok(()),
            false => Err(RunError::Gone(self.path().to_owned())),
        }
    }
}

/// What a configuration leaves out.
fn defaults() -> Value {
    serde_json::to_value(RunConfig::default()).unwrap_or_default()
}

fn tell(sinks: &mut [&mut dyn Sink], record: &Record) -> Result<(), RunError> {
    for sink in sinks {
        sink.record(record)?;
    }
    Ok(())
}

/// What a checkpoint has of an exploiter.
enum Found {
    /// Nothing: it had not begun.
    Nothing,
    /// One that was told something else.
    Another,
    /// This one.
    Same(Box<Decoded>),
}

/// Reads what a checkpoint has of an exploiter, without changing it.
fn decode_exploiter(
    saved: &Opened,
    number: usize,
    exploiter: &Challenger,
    game: &str,
) -> Result<Found, CheckpointError> {
    let kind = |e: &Exploiter| (e.against, e.start, e.preset.clone());
    match saved.rules(number) {
        Some(rules) if kind(rules) == kind(&exploiter.rules) => {}
        Some(_) => return Ok(Found::Another),
        None => return Ok(Found::Nothing),
    }
    let config = exploiter.config();
    let identity = Identity { game, settings: &config.settings, seed: config.run.seed };
    let decoded = saved.decode(Some(number), &exploiter.agent, &identity)?;
    Ok(decoded.map_or(Found::Nothing, |decoded| Found::Same(Box::new(decoded))))
}

/// Takes over what a checkpoint has of an exploiter. Says so if it cannot go on exactly where it was.
fn resume_exploiter(
    exploiter: &mut Challenger,
    number: usize,
    found: Found,
) -> Result<Option<String>, CheckpointError> {
    (exploiter.begun, exploiter.anew) = (false, false);
    (exploiter.agent.progress, exploiter.life) = Default::default();
    let who = format!("the {} {number}", exploiter.rules.name());
    match found {
        Found::Nothing => Ok(None),
        Found::Another => Ok(Some(format!("{who} begins anew: another one was saved"))),
        Found::Same(decoded) => {
            let loaded = decoded.apply(&mut exploiter.agent)?;
            exploiter.life = loaded.life.unwrap_or_default();
            exploiter.begun = true;
            exploiter.anew = loaded.continued == Continued::Anew;
            Ok(exploiter.anew.then(|| format!("the matches of {who} start anew")))
        }
    }
}

/// Is it one file, or are they two?
#[cfg(unix)]
fn same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Other systems do not let a file go while it is open.
#[cfg(not(unix))]
fn same(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    true
}

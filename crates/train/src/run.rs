//! A run on disk: resume or begin, iterate, evaluate, save, stop.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use thiserror::Error;

use crate::checkpoint::{self, CheckpointError, Continued, Identity, Loaded, Part, Whole};
use crate::disk::{DiskError, on, replace};
use crate::evaluate::Report;
use crate::exploiter::Challenger;
use crate::layers::{ConfigError, to_yaml};
use crate::metrics::{GamesCsv, JsonLines, Record, Sink, TensorBoard};
use crate::model::{self, ModelError};
pub use crate::orders::Orders;
use crate::trainer::{TrainError, Trainer};

/// A run's directory, held by one process at a time.
pub struct RunDirectory {
    path: PathBuf,
    _lock: File,
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
    /// The last evaluation.
    pub report: Report,
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
}

/// A run that failed.
#[derive(Debug, Error)]
pub enum RunError {
    /// A file could not be read or written.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A directory that is no milestone was named.
    #[error("{} is no milestone: their names begin with their steps", .0.display())]
    NoMilestone(PathBuf),
    /// Every checkpoint is damaged.
    #[error("{} has checkpoints, but none can be used:\n{}", path.display(), problems.join("\n"))]
    NoneSound {
        /// The run.
        path: PathBuf,
        /// What is wrong with each.
        problems: Vec<String>,
    },
    /// Another process has the run.
    #[error("another process is training in {}; wait for it or choose another run.dir", .0.display())]
    Locked(PathBuf),
    /// The model could not be written.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The configuration could not be written.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Training failed; what was learnt is saved.
    #[error("{error}\nsaved at {steps} steps: {}", saved.display())]
    Stopped {
        /// What happened.
        error: TrainError,
        /// Where the run can be resumed.
        saved: PathBuf,
        /// At how many steps.
        steps: u64,
    },
    /// Training failed and could not be saved.
    #[error(transparent)]
    Train(#[from] TrainError),
}

impl RunDirectory {
    /// Creates or opens a run's directory.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        on("create", path, fs::create_dir_all(path))?;
        let lock_path = path.join("lock");
        let lock = on("write", &lock_path, File::create(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(RunError::Locked(path.to_owned())),
            Err(TryLockError::Error(error)) => Ok(on("lock", &lock_path, Err(error))?),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where its model is.
    pub fn model(&self) -> PathBuf {
        self.path.join("model.zip")
    }

    /// Where the snapshots of its league are.
    pub fn snapshots(&self) -> PathBuf {
        self.path.join("league")
    }

    /// Where its milestones are: checkpoints that are kept for good.
    pub fn milestones(&self) -> PathBuf {
        self.path.join("milestones")
    }

    /// Goes back to a milestone: it becomes the newest checkpoint, and what came after it goes.
    pub fn roll_back(&self, milestone: &Path) -> Result<(), RunError> {
        let name = milestone.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let digits = name.split('-').next().unwrap_or_default();
        let Ok(steps) = digits.parse::<u64>() else {
            return Err(RunError::NoMilestone(milestone.to_owned()));
        };
        // First the copy: a milestone that is missing or damaged must cost nothing.
        checkpoint::copy(milestone, &self.checkpoints().join(steps.to_string()))?;
        for (later, path) in checkpoint::list(&self.checkpoints())? {
            if later > steps {
                on("remove", &path, fs::remove_dir_all(&path))?;
            }
        }
        Ok(())
    }

    /// Where its checkpoints are.
    pub fn checkpoints(&self) -> PathBuf {
        self.path.join("checkpoints")
    }

    /// Resumes from the newest sound checkpoint, or begins.
    pub fn begin(&self, trainer: &mut Trainer) -> Result<Begun, RunError> {
        trainer.snapshots = Some(self.snapshots());
        let mut passed_over = Vec::new();
        for (_, path) in checkpoint::list(&self.checkpoints())?.into_iter().rev() {
            // Its matches are those of its stage; a damaged one is passed over below.
            if let Ok(stage) = checkpoint::stage(&path) {
                trainer.enter(stage)?;
            }
            let (config, spec) = (trainer.config.clone(), trainer.spec().name);
            let identity =
                Identity { game: spec, settings: &config.settings, seed: config.run.seed };
            let (learner, shards) = (&mut trainer.learner, &mut trainer.shards);
            let mut exploiters_anew = Vec::new();
            match checkpoint::load(&path, None, learner, shards, &identity).and_then(|main| {
                for (number, exploiter) in trainer.exploiters.iter_mut().enumerate() {
                    exploiters_anew.extend(exploiter.load(&path, number, spec)?);
                }
                Ok(main)
            }) {
                Ok(Some(Loaded { progress, continued, league, curriculum, .. })) => {
                    let resumed_at = Some(progress.steps);
                    trainer.progress = progress;
                    trainer.curriculum = curriculum;
                    if let Some(league) = league {
                        trainer.restore_league(league)?;
                    }
                    if continued == Continued::Anew {
                        // They were started before anybody knew whom they may meet.
                        let mut shards = trainer.shards.iter_mut();
                        shards.try_for_each(|s| s.restart_all()).map_err(TrainError::Match)?;
                    }
                    return Ok(Begun { resumed_at, continued, passed_over, exploiters_anew });
                }
                Ok(None) => passed_over.push(format!("{} has no learner", path.display())),
                Err(error @ CheckpointError::OtherShape { .. }) => return Err(error.into()),
                Err(error) => passed_over.push(error.to_string()),
            }
        }
        if !passed_over.is_empty() {
            return Err(RunError::NoneSound { path: self.path.clone(), problems: passed_over });
        }
        trainer.start()?;
        let (continued, exploiters_anew) = (Continued::Exactly, Vec::new());
        Ok(Begun { resumed_at: None, continued, passed_over, exploiters_anew })
    }

    /// Trains to the end. `sinks` hear everything that the files of the run hear.
    pub fn train(
        &self,
        trainer: &mut Trainer,
        sinks: &mut [&mut dyn Sink],
        orders: &Orders,
    ) -> Result<Summary, RunError> {
        replace(&self.path.join("config.yml"), to_yaml(trainer.given())?.as_bytes())?;
        for (number, exploiter) in trainer.exploiters.iter().enumerate() {
            let path = exploiter_config(&self.path, number);
            replace(&path, to_yaml(exploiter.config())?.as_bytes())?;
        }
        let metrics = self.path.join("metrics.jsonl");
        let mut lines = JsonLines::open(&metrics, trainer.progress.iteration)?;
        let mut events = TensorBoard::open(&self.path, trainer.progress.steps, wall_clock)?;
        let mut games = match &trainer.league {
            Some(league) => {
                let directory = self.snapshots();
                on("create", &directory, fs::create_dir_all(&directory))?;
                Some(GamesCsv::open(&directory.join("games.csv"), league.state.games)?)
            }
            None => None,
        };
        let mut all: Vec<&mut dyn Sink> = vec![&mut lines, &mut events];
        all.extend(games.iter_mut().map(|sink| sink as &mut dyn Sink));
        all.extend(sinks.iter_mut().map(|s| &mut **s as &mut dyn Sink));

        let mut saved_at = None;
        loop {
            orders.wait();
            if orders.take_save() {
                let now = trainer.progress.steps;
                if saved_at != Some(now) {
                    all.iter_mut().try_for_each(|sink| sink.flush())?;
                    self.save(trainer, true)?;
                    saved_at = Some(now);
                }
                all.iter_mut().for_each(|sink| sink.saved(now));
                continue; // it may still have to wait
            }
            if let Some(ending) = self.ending(trainer, orders) {
                let report = trainer.evaluate().map_err(|error| self.stop(trainer, error))?;
                if saved_at != Some(trainer.progress.steps) {
                    self.save(trainer, true)?;
                }
                for sink in &mut all {
                    sink.flush()?;
                }
                return Ok(Summary { ending, report });
            }
            let before = trainer.progress.steps;
            let mut iteration = match trainer.iterate() {
                Ok(iteration) => iteration,
                Err(error) => return Err(self.stop(trainer, error)),
            };
            let learnt = Instant::now();
            let now = trainer.progress.steps;
            let crossed = |every: u64| before / every < now / every;
            let evaluation = match trainer.config.evaluation.every {
                Some(every) if crossed(every) => {
                    Some(trainer.evaluate().map_err(|error| self.stop(trainer, error))?)
                }
                _ => None,
            };
            if let Some(report) = &evaluation {
                let p = &mut trainer.progress;
                p.evaluated_return = Some(report.return_mean);
                let target = trainer.config.stop.return_reached;
                if p.solved_at_steps.is_none() && target.is_some_and(|t| report.return_mean >= t) {
                    p.solved_at_steps = Some(now);
                }
            }
            iteration.checkpoint = saved_at;
            for sink in &mut all {
                sink.record(&Record::Iteration(&iteration))?;
                if let Some(report) = &evaluation {
                    let (iteration, steps) = (iteration.iteration, now);
                    sink.record(&Record::Evaluation { iteration, steps, report })?;
                }
            }
            let milestone = match (&iteration.transition, trainer.config.checkpoint.milestones) {
                (Some(transition), _) => Some(format!("{now}-{}", file_name(&transition.to))),
                (None, Some(every)) if crossed(every) => Some(now.to_string()),
                _ => None,
            };
            if crossed(trainer.config.checkpoint.every) || milestone.is_some() {
                for sink in &mut all {
                    sink.flush()?;
                }
                if milestone.is_some()
                    && let Err(error) = trainer.remember()
                {
                    return Err(self.stop(trainer, error));
                }
                let path = self.save(trainer, true)?;
                if let Some(name) = milestone {
                    checkpoint::copy(&path, &self.milestones().join(name))?;
                }
                saved_at = Some(now);
            }
            // Evaluations and checkpoints count too: `stop.seconds` is what a clock shows.
            trainer.progress.seconds += learnt.elapsed().as_secs_f64();
        }
    }

    fn ending(&self, trainer: &Trainer, orders: &Orders) -> Option<Ending> {
        let (p, stop) = (&trainer.progress, &trainer.config.stop);
        if p.steps >= stop.steps {
            Some(Ending::Steps)
        } else if p.solved_at_steps.is_some() && stop.return_reached.is_some() {
            Some(Ending::Return)
        } else if stop.seconds.is_some_and(|s| p.seconds >= s) {
            Some(Ending::Seconds)
        } else if orders.pause_at.is_some_and(|steps| p.steps >= steps) {
            Some(Ending::Paused)
        } else if orders.interrupt.load(Ordering::Relaxed) {
            Some(Ending::Interrupted)
        } else {
            None
        }
    }

    /// Saves a checkpoint and the model.
    fn save(&self, trainer: &mut Trainer, recorded: bool) -> Result<PathBuf, RunError> {
        // A live engine cannot be rebuilt: its matches start anew here, in the run that goes on as
        // in the one that resumes.
        let others = trainer.exploiters.iter().flat_map(|e| &e.shards);
        let replays = trainer.shards.iter().chain(others).all(|s| s.replays());
        if !replays || !recorded {
            // Dealt from whom the resumed run will know.
            trainer.invite();
            for shard in &mut trainer.shards {
                shard.cut_all().map_err(TrainError::Match)?;
            }
            trainer.exploiters.iter_mut().for_each(Challenger::cut);
        }
        let game = trainer.spec().name;
        let begun = trainer.exploiters.iter().enumerate().filter(|(_, e)| e.begun);
        let whole = Whole {
            main: Part {
                learner: &trainer.learner,
                shards: &trainer.shards,
                progress: &trainer.progress,
                identity: Identity {
                    game,
                    settings: &trainer.config.settings,
                    seed: trainer.config.run.seed,
                },
                exploiter: None,
            },
            exploiters: begun.map(|(number, e)| (number, e.part(game))).collect(),
            league: trainer.league.as_ref().map(|league| &league.state),
            curriculum: &trainer.curriculum,
            recorded: replays && recorded,
        };
        let path = checkpoint::save(&self.checkpoints(), &whole, trainer.config.checkpoint.keep)?;
        model::save(&self.model(), &trainer.learner.policy, &trainer.metadata())?;
        if let Some(league) = &trainer.league {
            // For people and tools; a resumed run reads the checkpoint.
            let directory = self.snapshots();
            on("create", &directory, fs::create_dir_all(&directory))?;
            let text = serde_json::to_vec_pretty(&league.state).unwrap_or_default();
            replace(&directory.join("pool.json"), &text)?;
        }
        Ok(path)
    }

    /// After a failure: saves what was learnt, if it is sound, and says where.
    fn stop(&self, trainer: &mut Trainer, error: TrainError) -> RunError {
        let steps = trainer.progress.steps;
        // A panic may have left the learner half changed; the last checkpoint stands. After a fault
        // in a match the learner is whole, but the matches are in mid-iteration: they start anew.
        let saved = match error {
            _ if error.is_panic() => None,
            _ => self.save(trainer, false).ok(),
        };
        match saved {
            Some(saved) => RunError::Stopped { error, saved, steps },
            None => {
                match checkpoint::list(&self.checkpoints()).ok().and_then(|l| l.last().cloned()) {
                    Some((steps, saved)) => RunError::Stopped { error, saved, steps },
                    None => RunError::Train(error),
                }
            }
        }
    }
}

/// Where a run keeps what its exploiter of this number trains with.
pub fn exploiter_config(run: &Path, number: usize) -> PathBuf {
    run.join(format!("exploiter-{number}.yml"))
}

/// The name of a stage as part of a file's name.
fn file_name(stage: &str) -> String {
    stage.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect()
}

/// Seconds since 1970.
fn wall_clock() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64())
}

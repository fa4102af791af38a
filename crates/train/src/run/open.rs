//! The entrance: from a preset to a run that trains.

use std::path::{Path, PathBuf};

use lanista_game::Entry;

use super::{Begun, Cloning, Expert, Orders, RunDirectory, RunError, Summary};
use crate::dataset::Dataset;
use crate::error::TrainError;
use crate::evaluate::Report;
use crate::files::RUNS;
use crate::layers::{ConfigError, Override};
use crate::metrics::Sink;
use crate::preset::{Catalog, run_name};
use crate::remote::Workers;
use crate::trainer::Trainer;
use crate::view::Viewer;

/// A run in its directory: begun, or resumed where its newest checkpoint is.
///
/// ```no_run
/// # fn games() -> Vec<lanista_game::Entry> { Vec::new() }
/// # use std::sync::atomic::AtomicBool;
/// use lanista_train::{Orders, Run};
///
/// let interrupt = AtomicBool::new(false);
/// let mut run = Run::open("preset.yml", &games())?;
/// let summary = run.train(&mut [], &Orders::until_interrupted(&interrupt))?;
/// # Ok::<(), lanista_train::RunError>(())
/// ```
pub struct Run {
    title: String,
    trainer: Trainer,
    directory: RunDirectory,
    begun: Begun,
    remarks: Vec<String>,
    cloning: Option<Cloning>,
}

/// A run that is about to be opened. See [`Run::preset`].
pub struct Opening<'a> {
    source: String,
    catalog: Catalog<'a>,
    overrides: Vec<Override>,
    directory: Option<PathBuf>,
    workers: Option<Workers>,
}

impl Run {
    /// Opens the run of a preset, a file in YAML that names one of these games, with its stages and
    /// exploiters. A preset that names a directory under `run.dir` goes on there if it has trained
    /// before; one that does not begins a new run under `runs`.
    pub fn open(preset: &str, games: &[Entry]) -> Result<Self, RunError> {
        Self::preset(preset, games).open()
    }

    /// The same, with more to say before it is opened.
    ///
    /// ```no_run
    /// # fn games() -> Vec<lanista_game::Entry> { Vec::new() }
    /// # use lanista_train::Run;
    /// let games = games();
    /// let run = Run::preset("preset.yml", &games).set("run.seed=3")?.directory("runs/third").open()?;
    /// # Ok::<(), lanista_train::RunError>(())
    /// ```
    pub fn preset<'a>(preset: &str, games: &'a [Entry]) -> Opening<'a> {
        let catalog = Catalog { games, presets: &[] };
        let (source, overrides) = (preset.to_owned(), Vec::new());
        Opening { source, catalog, overrides, directory: None, workers: None }
    }

    /// Begins in a directory, or resumes what is in it. For whoever chooses the directory; others
    /// [`open`](Self::open) a run. The trainer is that of a [`Plan`](crate::plan::Plan).
    pub fn begin(
        title: &str,
        mut trainer: Trainer,
        mut directory: RunDirectory,
    ) -> Result<Self, RunError> {
        let begun = directory.begin(&mut trainer);
        let begun = begun.inspect_err(|_| directory.leave_if_unused())?;
        let (title, remarks) = (title.to_owned(), Vec::new());
        Ok(Self { title, trainer, directory, begun, remarks, cloning: None })
    }

    /// Begins to clone in a directory, or resumes what is in it: [`Run::train`] then fits the policy to
    /// recorded decisions. `player` plays what the preset wants played, `expert` labels what the policy
    /// comes to, and `tell` hears how many of how many matches are played before anything is learnt.
    pub fn begin_clone(
        title: &str,
        mut trainer: Trainer,
        mut directory: RunDirectory,
        player: Option<Expert>,
        expert: Option<Expert>,
        tell: &mut dyn FnMut(usize, usize),
    ) -> Result<Self, RunError> {
        let begun = under_these_settings(&trainer)
            .and_then(|()| directory.begin_clone(&mut trainer, expert, player, tell));
        let (begun, cloning) = begun.inspect_err(|_| directory.leave_if_unused())?;
        let (title, remarks) = (title.to_owned(), Vec::new());
        Ok(Self { title, trainer, directory, begun, remarks, cloning: Some(cloning) })
    }

    /// What is cloned, if anything is.
    pub fn cloning(&self) -> Option<&Cloning> {
        self.cloning.as_ref()
    }

    /// Trains to the end of the preset, or until the orders say otherwise, and evaluates. `sinks` hear
    /// everything that the files of the run hear.
    pub fn train(
        &mut self,
        sinks: &mut [&mut dyn Sink],
        orders: &Orders,
    ) -> Result<Summary, RunError> {
        match &mut self.cloning {
            Some(cloning) => self.directory.fit(&mut self.trainer, cloning, sinks, orders),
            None => self.directory.train(&mut self.trainer, sinks, orders),
        }
    }

    /// Plays whole matches without learning, as the preset's `evaluation` says.
    pub fn evaluate(&mut self) -> Result<Report, TrainError> {
        self.trainer.evaluate()
    }

    /// Shows a viewer a match beside training. False if the game has no picture.
    pub fn exhibit(&mut self, viewer: Viewer) -> Result<bool, TrainError> {
        self.trainer.exhibit(viewer)
    }

    /// What it is called.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Where it is: its checkpoints, metrics and model.
    pub fn directory(&self) -> &RunDirectory {
        &self.directory
    }

    /// How it began: resumed or anew, and what was found then.
    pub fn begun(&self) -> &Begun {
        &self.begun
    }

    /// What trains: the configuration, the policy, and how far it has come.
    pub fn trainer(&self) -> &Trainer {
        &self.trainer
    }

    /// What the user should know about the preset: stages that can never end.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }
}

impl<'a> Opening<'a> {
    /// Presets that are embedded in the program, name and text: the preset and its imports may be
    /// among them.
    pub fn embedded(mut self, presets: &'a [(&'a str, &'a str)]) -> Self {
        self.catalog.presets = presets;
        self
    }

    /// Overrides a key of the preset, written as `run.seed=3`.
    pub fn set(mut self, key_and_value: &str) -> Result<Self, ConfigError> {
        self.overrides.push(Override::parsed(key_and_value)?);
        Ok(self)
    }

    /// The run's directory, whatever the preset says: the run goes on there if it has trained before.
    pub fn directory(mut self, path: impl AsRef<Path>) -> Self {
        self.directory = Some(path.as_ref().to_owned());
        self
    }

    /// Lets the matches be played by workers elsewhere, while the learner is here.
    pub fn workers(mut self, workers: Workers) -> Self {
        self.workers = Some(workers);
        self
    }

    /// Opens it. What cannot train leaves nothing behind.
    pub fn open(self) -> Result<Run, RunError> {
        let mut preset = self.catalog.load(&self.source, &self.overrides)?;
        let own = preset.take_dir();
        let place = self.directory.or(own);
        let keeper = place.as_deref().filter(|run| preset.is_configuration_of(run));
        let mut plan = preset.plan(keeper)?;
        let remarks = std::mem::take(&mut plan.remarks);
        let trainer = match self.workers {
            Some(workers) => plan.trainer_with(workers)?,
            None => plan.trainer()?,
        };
        let name = run_name(&self.source);
        let directory = match &place {
            Some(path) => RunDirectory::open(path)?,
            None => RunDirectory::claim(Path::new(RUNS), &name)?,
        };
        Ok(Run { remarks, ..Run::begin(&name, trainer, directory)? })
    }
}

/// Refuses datasets that were made for something else than what is trained now, or under other settings of it,
/// unless those are wanted.
fn under_these_settings(trainer: &Trainer) -> Result<(), RunError> {
    let config = trainer.config();
    let spec = trainer.entry.spec(&config.settings).map_err(TrainError::from)?;
    for place in config.clone.data.iter().filter(|_| !config.clone.other_settings) {
        let dataset = Dataset::open(place).map_err(TrainError::from)?;
        // What has another shape says so itself, by what is gone and what is new.
        dataset.check(&spec).map_err(TrainError::from)?;
        dataset.check_settings(&trainer.entry, &config.settings).map_err(TrainError::from)?;
    }
    Ok(())
}

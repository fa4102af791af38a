//! What a run writes, and in which order.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use lanista_league::{Exploiter, Life};
use serde_json::{Value, json};

use super::{RunDirectory, RunError, Saved};
use crate::agent::Agent;
use crate::checkpoint::{self, CheckpointError, Identity, SavedAgent, SavedRun};
use crate::config::{RunConfig, RunSection};
use crate::disk::{on, replace, set_aside};
use crate::error::TrainError;
use crate::layers::to_yaml;
use crate::league::LeagueState;
use crate::metrics::{Iteration, Sink};
use crate::model;
use crate::results::games_csv;
use crate::start;
use crate::trainer::Trainer;

impl RunDirectory {
    /// Writes what a run is begun with, and what follows from its checkpoint. Returns remarks about
    /// what was found damaged.
    pub(super) fn prepare(&self, trainer: &Trainer) -> Result<Vec<String>, RunError> {
        if trainer.league.is_some() {
            let directory = self.files.league();
            on("create", &directory, fs::create_dir_all(&directory))?;
        }
        let mut remarks = Vec::new();
        let Some(steps) = self.saved.steps else {
            self.write_original(trainer)?;
            self.write_configuration(trainer)?;
            return Ok(remarks);
        };
        let pool = self.files.pool();
        if let Ok(bytes) = fs::read(&pool)
            && let Err(error) = serde_json::from_slice::<LeagueState>(&bytes)
        {
            let aside = set_aside(&pool, &bytes)?;
            let (pool, aside) = (pool.display(), aside.display());
            remarks.push(format!(
                "{pool} is damaged: {error}; it is written anew, the original is {aside}"
            ));
        }
        if self.saved.seals.is_empty() {
            // A run of the first versions has every match in `games.csv`, which is about to be replaced
            // by the latest ones.
            let (all, kept) = (self.files.games(), self.files.games_before());
            if all.is_file() && !kept.exists() {
                on("keep", &all, fs::rename(&all, &kept))?;
            }
        }
        checkpoint::tidy(&self.files.checkpoints());
        checkpoint::tidy(&self.files.milestones());
        checkpoint::prune(&self.files.checkpoints(), steps, trainer.agent.config.checkpoint.keep)?;
        self.write_what_follows(trainer)?;
        Ok(remarks)
    }

    /// Saves a checkpoint, before it the milestone that it is, and after it the model.
    pub(super) fn save(
        &mut self,
        trainer: &mut Trainer,
        sinks: &mut [&mut dyn Sink],
        meta: &Value,
        milestone: Option<String>,
    ) -> Result<PathBuf, RunError> {
        // A live engine cannot be rebuilt: its matches start anew here, in the run that goes on as
        // in the one that resumes.
        let recorded = trainer.replays();
        if !recorded {
            trainer.cut_matches()?;
        }
        self.write(trainer, sinks, meta, milestone, recorded)
    }

    /// Writes a checkpoint of where the trainer stands. `recorded` is false when its matches cannot be
    /// rebuilt; they have been cut then.
    pub(super) fn write(
        &mut self,
        trainer: &mut Trainer,
        sinks: &mut [&mut dyn Sink],
        meta: &Value,
        milestone: Option<String>,
        recorded: bool,
    ) -> Result<PathBuf, RunError> {
        self.is_still_there()?;
        let mut seals = BTreeMap::new();
        for sink in sinks.iter_mut() {
            sink.flush()?;
            seals.extend(sink.seal().map(|(name, seal)| (name.to_owned(), seal)));
        }
        let mut milestones = self.saved.milestones.clone();
        milestones
            .extend(milestone.iter().filter(|name| !self.saved.milestones.contains(name)).cloned());
        let game = trainer.spec().name.as_str();
        let begun = trainer.exploiters.iter().enumerate().filter(|(_, e)| e.begun);
        let whole = SavedRun {
            main: part(&trainer.agent, game, None),
            exploiters: begun
                .map(|(number, e)| (number, part(&e.agent, game, Some((&e.rules, &e.life)))))
                .collect(),
            league: trainer.league.as_ref().map(|league| &league.state),
            curriculum: &trainer.curriculum,
            recorded,
            config: to_yaml(&portable(trainer.given()))?,
            meta: meta.clone(),
            milestones: &milestones,
            seals: &seals,
            anchors: anchors(trainer)?,
        };
        let files = checkpoint::encode(&whole).map_err(|error| self.unsound(error))?;
        // First the milestone: once the checkpoint is there, a resumed run does not come by again.
        if let Some(name) = &milestone {
            checkpoint::place(&self.files.milestones(), name, &files)?;
        }
        let steps = trainer.agent.progress.steps;
        let path = checkpoint::place(&self.files.checkpoints(), &steps.to_string(), &files)?;
        self.saved = Saved { steps: Some(steps), seals, milestones };
        checkpoint::prune(&self.files.checkpoints(), steps, trainer.agent.config.checkpoint.keep)?;
        self.write_configuration(trainer)?;
        self.write_what_follows(trainer)?;
        Ok(path)
    }

    /// Writes which preset a run is begun with. One that is begun again by its own configuration keeps what it has.
    pub(super) fn write_original(&self, trainer: &Trainer) -> Result<(), RunError> {
        let own = self.files.config();
        match trainer.original.as_ref().filter(|from| Path::new(&from.preset) != own) {
            Some(original) => Ok(original.write(&self.files.original())?),
            None => Ok(()),
        }
    }

    /// Writes what the run is trained with. A run that is resumed with other numbers has them from its
    /// next checkpoint on: if they lead nowhere, it can be resumed as it was.
    fn write_configuration(&self, trainer: &Trainer) -> Result<(), RunError> {
        replace(&self.files.config(), to_yaml(trainer.given())?.as_bytes())?;
        for (number, exploiter) in trainer.exploiters.iter().enumerate() {
            let path = self.files.exploiter_config(number);
            replace(&path, to_yaml(exploiter.config())?.as_bytes())?;
        }
        Ok(())
    }

    /// Writes what follows from the newest checkpoint, for people and other programs.
    pub(super) fn write_what_follows(&self, trainer: &Trainer) -> Result<(), RunError> {
        model::save(&self.files.model(), &trainer.agent.roster(), &trainer.metadata())?;
        if let Some(league) = &trainer.league {
            let directory = self.files.league();
            on("create", &directory, fs::create_dir_all(&directory))?;
            let text = serde_json::to_vec_pretty(&league.state).unwrap_or_default();
            replace(&self.files.pool(), &text)?;
            let games = games_csv(league.state.latest.iter());
            replace(&self.files.games(), games.as_bytes())?;
        }
        Ok(())
    }

    /// After a failure in an iteration. When a match broke, the learner is as it was before: that is
    /// saved, and the matches start anew, so that the run can go on without the one that broke. After
    /// anything else the learner may be half changed, and the last checkpoint stands.
    pub(super) fn stop(
        &mut self,
        trainer: &mut Trainer,
        sinks: &mut [&mut dyn Sink],
        meta: &Value,
        error: TrainError,
    ) -> RunError {
        if !error.is_fault_of_a_match() || trainer.cut_matches().is_err() {
            return self.failed(error);
        }
        let steps = trainer.agent.progress.steps;
        match self.write(trainer, sinks, meta, None, false) {
            Ok(saved) => RunError::Stopped { error, saved, steps },
            Err(_) => self.failed(error),
        }
    }

    pub(super) fn failed(&self, error: TrainError) -> RunError {
        RunError::Failed { error, last: self.last() }
    }

    pub(super) fn unsound(&self, error: CheckpointError) -> RunError {
        match error {
            CheckpointError::Unsound(problem) => RunError::Unsound { problem, last: self.last() },
            other => other.into(),
        }
    }

    /// The newest checkpoint of this process or the one it resumed from.
    pub(super) fn last(&self) -> Option<(u64, PathBuf)> {
        self.saved.steps.map(|steps| (steps, self.files.checkpoint(steps)))
    }
}

/// The anchors of a trainer's agent as a model.
fn anchors(trainer: &Trainer) -> Result<Option<Vec<u8>>, RunError> {
    let Some(roster) = start::anchors(&trainer.agent) else { return Ok(None) };
    let mut metadata = trainer.metadata();
    // An anchor need not have the network of whom it holds.
    for (role, policy) in roster.iter() {
        let config = policy.config().clone();
        match metadata.roles.get_mut(&trainer.spec().roles[role].name) {
            Some(of_role) => of_role.policy = config,
            None => metadata.policy = config,
        }
    }
    Ok(Some(model::to_bytes(&roster, &metadata)?))
}

/// An agent as a checkpoint takes it.
fn part<'a>(
    agent: &'a Agent,
    game: &'a str,
    exploiter: Option<(&'a Exploiter, &'a Life)>,
) -> SavedAgent<'a> {
    let (settings, seed) = (&agent.config.settings, agent.config.run.seed);
    SavedAgent { agent, identity: Identity { game, settings, seed }, exploiter }
}

/// A configuration without what belongs to the machine: a checkpoint is the same wherever it is made.
pub(super) fn portable(config: &RunConfig) -> RunConfig {
    let run = RunSection { dir: None, threads: None, ..config.run.clone() };
    RunConfig { run, ..config.clone() }
}

/// What a person wants to know of a checkpoint before going back to it.
pub(super) fn describe(trainer: &Trainer, iteration: &Iteration) -> Value {
    let shown = |name: &str| iteration.metrics.get(name);
    json!({
        "steps": shown("steps"),
        "iteration": shown("iteration"),
        "episodes": shown("episodes"),
        "stage": iteration.transition.as_ref().map(|t| &t.to).or(iteration.stage.as_ref()),
        "mean_reward": shown("return_mean"),
        "mean_length": shown("length_mean"),
        "entropy": shown("entropy"),
        "approx_kl": shown("approx_kl"),
        "elo": shown("elo"),
        "time": { "seconds": trainer.agent.progress.seconds, "unix": wall_clock() },
    })
}

/// Seconds since 1970.
pub(super) fn wall_clock() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64())
}

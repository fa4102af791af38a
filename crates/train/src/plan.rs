//! What a run will be: the configuration of every stage, and who else learns. Nothing is begun yet.

use std::path::{Path, PathBuf};

use lanista_game::{Entry, Spec};
use lanista_league::{Beginning, Exploiter};

use crate::config::RunConfig;
use crate::error::TrainError;
use crate::files::RunFiles;
use crate::original::Original;
use crate::preset::{Preset, PresetError};
use crate::remote::Workers;
use crate::stages;
use crate::trainer::Trainer;

/// A run that could begin.
pub struct Plan {
    /// The game.
    pub entry: Entry,
    /// The game's spec under the preset's settings, as policies see it.
    pub spec: Spec,
    /// The preset, before any stage changes it.
    pub config: RunConfig,
    /// The configuration of every stage; the preset alone if it has no curriculum.
    pub stages: Vec<RunConfig>,
    /// Who else learns, each with the configuration it trains on.
    pub exploiters: Vec<(Exploiter, RunConfig)>,
    /// What the user should know: stages that can never end.
    pub remarks: Vec<String>,
    /// The preset without what was changed of it, unless it is the configuration of a run that goes on.
    pub original: Option<Original>,
}

impl Plan {
    /// The trainer of the whole run, at its start.
    pub fn trainer(self) -> Result<Trainer, TrainError> {
        self.trainer_at(None)
    }

    /// The same, with matches that are played by workers.
    pub fn trainer_with(self, workers: Workers) -> Result<Trainer, TrainError> {
        self.trainer_at(Some(workers))
    }

    fn trainer_at(self, workers: Option<Workers>) -> Result<Trainer, TrainError> {
        let trainer = Trainer::staged(self.entry, self.stages, workers)?;
        let mut trainer = trainer.with_exploiters(self.exploiters)?;
        trainer.original = self.original;
        Ok(trainer)
    }
}

impl Preset<'_> {
    /// What a run of this preset will be. `keeper` is the run that has kept what its exploiters train
    /// with, if it goes on.
    pub fn plan(mut self, keeper: Option<&Path>) -> Result<Plan, PresetError> {
        // Where a run lives is no part of what it is: a copy of its configuration trains elsewhere.
        self.config.run.dir = None;
        let (stages, remarks) = self.stages()?;
        let met = stages.iter().any(RunConfig::meets_past);
        if !self.config.exploiters.is_empty() && !met {
            return Err(PresetError::Exploiter {
                key: "exploiters".into(),
                problem: "what they become joins the pool, and nobody meets it in any stage: set \
                          opponents.past"
                    .into(),
            });
        }
        let exploiters = self.exploiters(keeper)?;
        let original = match keeper {
            Some(_) => None,
            None => Original::of(&self.source, self.catalog.presets).ok(),
        };
        let Self { entry, spec, config, .. } = self;
        Ok(Plan { entry, spec, config, stages, exploiters, remarks, original })
    }

    /// What a run of this preset will be if it never leaves the preset for a stage: what is measured.
    pub fn plan_without_stages(mut self) -> Result<Plan, PresetError> {
        self.config.run.dir = None;
        self.config.curriculum.clear();
        let exploiters = self.exploiters(None)?;
        let Self { entry, spec, config, .. } = self;
        let (stages, remarks) = (vec![config.clone()], Vec::new());
        Ok(Plan { entry, spec, stages, config, exploiters, remarks, original: None })
    }

    /// The directory that it names for its run.
    pub fn take_dir(&mut self) -> Option<PathBuf> {
        self.config.run.dir.take()
    }

    /// Is it what a run, or a milestone of one, was trained with? Then its exploiters go on, too, unless
    /// they are overridden.
    pub fn is_configuration_of(&self, place: &Path) -> bool {
        Path::new(&self.source) == place.join(RunFiles::CONFIG) && !self.sets("exploiters")
    }

    /// Does an override set a key?
    pub fn sets(&self, key: &str) -> bool {
        self.overrides.iter().any(|o| o.sets(key))
    }

    /// The configuration of every stage of the curriculum, and remarks about stages that can never
    /// end. A preset without one has one stage: itself.
    pub fn stages(&self) -> Result<(Vec<RunConfig>, Vec<String>), PresetError> {
        let stages = &self.config.curriculum;
        if stages.is_empty() {
            return Ok((vec![self.config.clone()], Vec::new()));
        }
        let mut configs = Vec::new();
        for (index, stage) in stages.iter().enumerate() {
            let name = &stage.name;
            if let Some(problem) = stages::forbidden(stage) {
                return Err(PresetError::Stage { index, problem });
            }
            let mut all = self.overrides.clone();
            all.extend(stages::overrides(&self.layered, stages, index)?);
            let staged = self.catalog.load(&self.source, &all).map_err(|error| {
                PresetError::InStage { index, name: name.clone(), error: Box::new(error) }
            })?;
            if let Some(what) = stages::other_shape(&self.spec, &staged.spec) {
                let problem =
                    format!("stage `{name}` changes {what}, which the network depends on");
                return Err(PresetError::Stage { index, problem });
            }
            let mut config = staged.config;
            config.run = self.config.run.clone();
            configs.push(config);
        }
        let remarks = stages::remarks(&configs, &self.spec);
        Ok((configs, remarks))
    }

    /// The exploiters, each with the configuration it trains on: the one that the run keeps, if it has
    /// one, or that of the preset.
    fn exploiters(
        &self,
        keeper: Option<&Path>,
    ) -> Result<Vec<(Exploiter, RunConfig)>, PresetError> {
        let main = &self.config;
        let mut all = Vec::new();
        for (number, exploiter) in main.exploiters.iter().enumerate() {
            let key = format!("exploiters.{number}.preset");
            let Some(preset) = &exploiter.preset else {
                all.push((exploiter.clone(), main.clone()));
                continue;
            };
            let kept = keeper.map(|run| RunFiles::of(run).exploiter_config(number));
            let kept = kept.filter(|path| path.is_file());
            let source = kept.map_or(preset.clone(), |path| path.display().to_string());
            let own = self.catalog.load(&source, &[]).map_err(|error| {
                PresetError::InExploiter { key: key.clone(), error: Box::new(error) }
            })?;
            if let Some(problem) = self.unfit(number, exploiter, preset, &own) {
                return Err(PresetError::Exploiter { key, problem });
            }
            all.push((exploiter.clone(), own.config));
        }
        Ok(all)
    }

    /// Why an exploiter of another preset could not be met, or could not begin.
    fn unfit(
        &self,
        number: usize,
        exploiter: &Exploiter,
        preset: &str,
        own: &Preset,
    ) -> Option<String> {
        let main = &self.config;
        if own.config.game != main.game {
            let (theirs, ours) = (&own.config.game, &main.game);
            return Some(format!("{preset} plays {theirs}; name a preset of {ours}"));
        }
        if let Some(what) = stages::other_shape(&self.spec, &own.spec) {
            return Some(format!("{preset} differs from the run in {what}: nobody could meet it"));
        }
        if own.config.observation.stack != main.observation.stack {
            return Some(format!(
                "{preset} stacks other frames than the run: nobody could meet it"
            ));
        }
        if exploiter.start == Beginning::Main && own.config.policy != main.policy {
            return Some(format!(
                "{preset} has another network than the run, of which it is to begin as a copy; set \
                 exploiters.{number}.start=scratch, or give it the run's policy"
            ));
        }
        None
    }
}

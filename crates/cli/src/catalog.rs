//! All the games and presets that the program knows.

use std::path::Path;

use anyhow::{Context, bail};
use lanista_game::{Entry, Spec};
use lanista_league::{Beginning, Exploiter};
use lanista_train::RunConfig;
use lanista_train::layers::{self, Layered, Override, nearest};
use lanista_train::run::exploiter_config;
use lanista_train::stages;

use crate::seats;

/// The preset that `lanista train` trains when none is named.
pub const DEFAULT_PRESET: &str = "rocket/touch";

/// The embedded presets: name and text.
pub const PRESETS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/presets.rs"));

/// Every game.
pub fn games() -> Vec<Entry> {
    let mut games = lanista_classic::games().to_vec();
    games.extend(lanista_rocket::games());
    games.extend(lanista_nh::games());
    games
}

/// Finds a game.
pub fn game(name: &str) -> anyhow::Result<Entry> {
    let games = games();
    if let Some(entry) = games.iter().find(|g| g.name == name) {
        return Ok(*entry);
    }
    let names: Vec<&str> = games.iter().map(|g| g.name).collect();
    let hint = nearest(name, names.iter().copied())
        .map_or(String::new(), |n| format!("did you mean `{n}`? "));
    bail!("no game `{name}`: {hint}there are: {}", names.join(", "))
}

/// A preset, read and checked against its game.
pub struct Loaded {
    /// The typed configuration.
    pub config: RunConfig,
    /// The game.
    pub entry: Entry,
    /// The game's spec under these settings, as policies see it.
    pub spec: Spec,
}

/// Loads a preset with overrides on top.
pub fn load(preset: &str, overrides: &[Override]) -> anyhow::Result<Loaded> {
    check(layers::load(preset, PRESETS, overrides)?)
}

/// The configuration of every stage of a preset's curriculum, and remarks about stages that can never
/// end. A preset without one has one stage: itself.
pub fn stages(
    preset: &str,
    overrides: &[Override],
    loaded: &Loaded,
) -> anyhow::Result<(Vec<RunConfig>, Vec<String>)> {
    let stages = &loaded.config.curriculum;
    if stages.is_empty() {
        return Ok((vec![loaded.config.clone()], Vec::new()));
    }
    let mut configs = Vec::new();
    for (index, stage) in stages.iter().enumerate() {
        if let Some(problem) = stages::forbidden(stage) {
            bail!("curriculum.{index}: {problem}");
        }
        let mut all = overrides.to_vec();
        all.extend(stages::overrides(stages, index)?);
        let staged = load(preset, &all)
            .with_context(|| format!("curriculum.{index}, stage `{}`", stage.name))?;
        if let Some(what) = stages::other_shape(&loaded.spec, &staged.spec) {
            let name = &stage.name;
            bail!(
                "curriculum.{index}: stage `{name}` changes {what}, which the network depends on"
            );
        }
        let mut config = staged.config;
        config.run = loaded.config.run.clone();
        configs.push(config);
    }
    let remarks = stages::remarks(&configs, &loaded.spec);
    Ok((configs, remarks))
}

/// The exploiters of a run, each with the configuration it trains on: the one that the run keeps, if
/// it has one, or that of the preset. `stages` are the run's.
pub fn exploiters(
    loaded: &Loaded,
    stages: &[RunConfig],
    run: Option<&Path>,
) -> anyhow::Result<Vec<(Exploiter, RunConfig)>> {
    let main = &loaded.config;
    let met = stages.is_empty() || stages.iter().any(RunConfig::meets_past);
    if !main.exploiters.is_empty() && !met {
        bail!(
            "exploiters: what they become joins the pool, and nobody meets it in any stage: set \
             opponents.past"
        );
    }
    let mut all = Vec::new();
    for (number, exploiter) in main.exploiters.iter().enumerate() {
        let key = format!("exploiters.{number}.preset");
        let Some(preset) = &exploiter.preset else {
            all.push((exploiter.clone(), main.clone()));
            continue;
        };
        let kept = run.map(|run| exploiter_config(run, number)).filter(|path| path.is_file());
        let source = kept.map_or(preset.clone(), |path| path.display().to_string());
        let own = load(&source, &[]).context(key.clone())?;
        if own.config.game != main.game {
            let (theirs, ours) = (&own.config.game, &main.game);
            bail!("{key}: {preset} plays {theirs}; name a preset of {ours}");
        }
        if let Some(what) = stages::other_shape(&loaded.spec, &own.spec) {
            bail!("{key}: {preset} differs from the run in {what}: nobody could meet it");
        }
        if own.config.observation.stack != main.observation.stack {
            bail!("{key}: {preset} stacks other frames than the run: nobody could meet it");
        }
        if exploiter.start == Beginning::Main && own.config.policy != main.policy {
            bail!(
                "{key}: {preset} has another network than the run, of which it is to begin as a \
                 copy; set exploiters.{number}.start=scratch, or give it the run's policy"
            );
        }
        all.push((exploiter.clone(), own.config));
    }
    Ok(all)
}

/// Loads a bare game with overrides on top.
pub fn load_game(name: &str, overrides: &[Override]) -> anyhow::Result<(Entry, RunConfig)> {
    let entry = game(name)?;
    let text = format!("game: {name}\n");
    let library = [(name, text.as_str())];
    let config: RunConfig = layers::load(name, &library, overrides)?.read(&["settings"])?;
    Ok((entry, config))
}

fn check(layered: Layered) -> anyhow::Result<Loaded> {
    let config = RunConfig::read(&layered)?;
    let entry = game(&config.game).map_err(|e| layered.invalid("game", e.to_string()))?;
    let batch = (entry.build)(&config.settings, 1).map_err(|error| {
        let key = match error.key.as_str() {
            "" => "settings".to_owned(),
            key => format!("settings.{key}"),
        };
        layered.invalid(&key, error.message)
    })?;
    let spec = batch.spec().clone();
    spec.validate().context("this is a defect of the game")?;
    seats::check(&layered, &config, &entry, &spec)?;
    config.check_against(&layered, &spec)?;
    let spec = config.observation.stack.widen(spec);
    Ok(Loaded { config, entry, spec })
}

//! All the games and presets that the program knows.

use std::path::Path;

use anyhow::{Context, bail};
use lanista_game::{Batch, Entry, Spec};
use lanista_league::{Beginning, Exploiter};
use lanista_train::RunConfig;
use lanista_train::layers::{self, Layered, Override, mend, nearest};
use lanista_train::run::exploiter_config;
use lanista_train::stages;
use serde_json::Value;

use crate::quote::quoted;
use crate::resume;

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
    /// What was written, and where.
    pub layered: Layered,
}

/// Loads a preset with overrides on top.
pub fn load(preset: &str, overrides: &[Override]) -> anyhow::Result<Loaded> {
    if let Some(hint) = not_a_preset(Path::new(preset)) {
        bail!("{preset} is {hint}");
    }
    check(layers::load(preset, PRESETS, overrides)?)
}

/// What a path is that exists and is no preset, and what to do with it instead.
fn not_a_preset(path: &Path) -> Option<String> {
    let shown = quoted(path);
    let (run, milestone) = resume::run_of(path);
    if run.join("config.yml").is_file() && path.is_dir() {
        let what = if milestone.is_some() { "a milestone of a run" } else { "a run" };
        let config = quoted(&run.join("config.yml"));
        return Some(format!(
            "{what}, not a preset: `lanista train --resume {shown}` goes on with it; `lanista train \
             {config} --set run.dir=DIR` begins another by its configuration"
        ));
    }
    if path.is_dir() {
        return Some(
            "a directory: name a preset (`lanista games` lists them) or a YAML file".into(),
        );
    }
    if path.is_file() && path.extension().is_some_and(|ending| ending == "zip") {
        return Some(format!("a model, not a preset: `lanista eval {shown}` plays it"));
    }
    None
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
        all.extend(stages::overrides(&loaded.layered, stages, index)?);
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
    let layered = layers::load(name, &library, overrides)?;
    let mut config: RunConfig = layered.read(&["settings"])?;
    build(&entry, &mut config.settings, &layered)?;
    Ok((entry, config))
}

/// Builds one match, to see whether the game takes its settings. A count may be written there as
/// anywhere else: what the game refuses for its type is mended if it can be.
fn build(entry: &Entry, settings: &mut Value, layered: &Layered) -> anyhow::Result<Box<dyn Batch>> {
    // Every round mends one value for good, so the rounds end.
    loop {
        let error = match (entry.build)(settings, 1) {
            Ok(batch) => return Ok(batch),
            Err(error) => error,
        };
        // Serde writes `a[0]` for what a path of keys calls `a.0`.
        let key = error.key.replace('[', ".").replace(']', "");
        if !mend(settings, &key) {
            let key = if key.is_empty() { "settings".into() } else { format!("settings.{key}") };
            return Err(layered.invalid(&key, error.message).into());
        }
    }
}

fn check(layered: Layered) -> anyhow::Result<Loaded> {
    let mut config = RunConfig::read(&layered)?;
    let entry = game(&config.game).map_err(|e| layered.invalid("game", e.to_string()))?;
    let batch = build(&entry, &mut config.settings, &layered)?;
    let spec = batch.spec().clone();
    spec.validate().context("this is a defect of the game")?;
    seats::check(&layered, &config, &entry, &spec)?;
    config.check_against(&layered, &spec)?;
    let spec = config.observation.stack.widen(spec);
    Ok(Loaded { config, entry, spec, layered })
}

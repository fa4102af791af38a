//! Games and presets by name, with what the program says when a name is none.

use std::path::Path;

use anyhow::anyhow;
use lanista_catalog::catalog;
use lanista_game::Entry;
use lanista_train::RunConfig;
use lanista_train::files::{RunFiles, run_of};
use lanista_train::layers::Override;
use lanista_train::preset::{Preset, PresetError, Taken};

pub use lanista_catalog::{DEFAULT_PRESET, PRESETS, games};

use crate::quote::quoted;

/// Finds a game.
pub fn game(name: &str) -> anyhow::Result<Entry> {
    Ok(catalog().game(name)?)
}

/// Loads a preset with overrides on top.
pub fn load(preset: &str, overrides: &[Override]) -> anyhow::Result<Preset<'static>> {
    catalog().load(preset, overrides).map_err(|error| match error {
        PresetError::NotAPreset { path, what } => {
            anyhow!("{preset} is {}", instead(&path, what))
        }
        other => other.into(),
    })
}

/// What was taken for a preset, and what to do with it instead.
fn instead(path: &Path, what: Taken) -> String {
    let shown = quoted(path);
    let of_run = |what: &str| {
        let config = RunFiles::of(run_of(path).0).config();
        let config = config.display().to_string();
        let clones = load(&config, &[]).is_ok_and(|preset| preset.config.clone.is_given());
        let (command, config) = (if clones { "clone" } else { "train" }, quoted(config.as_ref()));
        format!(
            "{what}, not a preset: `lanista {command} --resume {shown}` goes on with it; `lanista {command} \
             {config} --set run.dir=DIR` begins another by its configuration"
        )
    };
    match what {
        Taken::Run => of_run("a run"),
        Taken::Milestone => of_run("a milestone of a run"),
        Taken::Directory => {
            "a directory: name a preset (`lanista games` lists them) or a YAML file".into()
        }
        Taken::Model => format!("a model, not a preset: `lanista eval {shown}` plays it"),
    }
}

/// Loads a bare game with overrides on top.
pub fn load_game(name: &str, overrides: &[Override]) -> anyhow::Result<(Entry, RunConfig)> {
    Ok(catalog().load_game(name, overrides)?)
}

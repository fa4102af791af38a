//! A preset, read and checked against the game that it names.
//!
//! What is written is checked here for whoever trains: the program, which embeds presets and games, and
//! a program of a user, which has a game of its own and a file. What they do with it is a
//! [`Plan`](crate::plan::Plan).

mod error;
mod seats;

use std::path::Path;

use lanista_game::{Batch, Entry, Spec};
use serde_json::Value;

use crate::config::{OPEN, RunConfig};
use crate::files::{RunFiles, run_of};
use crate::layers::{self, Layered, Override, mend, nearest};

pub use error::{PresetError, Taken};
pub use seats::nobody_to_meet;

/// The games and the presets that a program knows by name.
#[derive(Clone, Copy)]
pub struct Catalog<'a> {
    /// What presets may name under `game`.
    pub games: &'a [Entry],
    /// Embedded presets, name and text; files need not be listed.
    pub presets: &'a [(&'a str, &'a str)],
}

/// A preset, read and checked against its game.
pub struct Preset<'a> {
    /// The typed configuration.
    pub config: RunConfig,
    /// The game.
    pub entry: Entry,
    /// The game's spec under these settings, as policies see it.
    pub spec: Spec,
    /// What was written, and where.
    pub layered: Layered,
    /// How it was read, to read it again with the changes of a stage.
    pub(crate) catalog: Catalog<'a>,
    pub(crate) source: String,
    pub(crate) overrides: Vec<Override>,
}

impl<'a> Catalog<'a> {
    /// Finds a game.
    pub fn game(&self, name: &str) -> Result<Entry, PresetError> {
        let mut called = self.games.iter().filter(|g| g.name == name);
        match (called.next(), called.next()) {
            (Some(entry), None) => return Ok(entry.clone()),
            (Some(_), Some(_)) => return Err(PresetError::TwoGames(name.to_owned())),
            _ => {}
        }
        let known: Vec<&str> = self.games.iter().map(|g| g.name.as_str()).collect();
        let near = nearest(name, known.iter().copied()).map(str::to_owned);
        let known = known.into_iter().map(str::to_owned).collect();
        Err(PresetError::NoGame { name: name.to_owned(), near, known })
    }

    /// Loads a preset, by its name or from a file, with overrides on top.
    pub fn load(&self, source: &str, overrides: &[Override]) -> Result<Preset<'a>, PresetError> {
        if let Some(what) = taken_for_a_preset(Path::new(source)) {
            return Err(PresetError::NotAPreset { path: source.into(), what });
        }
        let layered = layers::load(source, self.presets, overrides)?;
        let mut config = RunConfig::read(&layered)?;
        let entry = self
            .game(&config.game)
            .map_err(|problem| layered.invalid("game", problem.to_string()))?;
        let batch = build(&entry, &mut config.settings, &layered)?;
        let spec = batch.spec().clone();
        spec.validate().map_err(PresetError::Spec)?;
        if spec.name != entry.name {
            return Err(PresetError::TwoNames { entry: entry.name, spec: spec.name });
        }
        seats::check(&layered, &config, &entry, &spec)?;
        config.check_against(&layered, &spec)?;
        let spec = config.observation.stack.widen(spec);
        let (source, overrides) = (source.to_owned(), overrides.to_vec());
        Ok(Preset { config, entry, spec, layered, catalog: *self, source, overrides })
    }

    /// Loads a bare game with overrides on top.
    pub fn load_game(
        &self,
        name: &str,
        overrides: &[Override],
    ) -> Result<(Entry, RunConfig), PresetError> {
        let entry = self.game(name)?;
        let text = format!("game: {name}\n");
        let layered = layers::load(name, &[(name, text.as_str())], overrides)?;
        let mut config: RunConfig = layered.read(&OPEN)?;
        build(&entry, &mut config.settings, &layered)?;
        Ok((entry, config))
    }
}

/// What a path is that exists and is no preset.
fn taken_for_a_preset(path: &Path) -> Option<Taken> {
    let (run, milestone) = run_of(path);
    if RunFiles::of(run).config().is_file() && path.is_dir() {
        return Some(if milestone.is_some() { Taken::Milestone } else { Taken::Run });
    }
    if path.is_dir() {
        return Some(Taken::Directory);
    }
    let zipped = path.is_file() && path.extension().is_some_and(|ending| ending == "zip");
    zipped.then_some(Taken::Model)
}

/// Builds one match, to see whether the game takes its settings. A count may be written there as
/// anywhere else: what the game refuses for its type is mended if it can be.
fn build(
    entry: &Entry,
    settings: &mut Value,
    layered: &Layered,
) -> Result<Box<dyn Batch>, PresetError> {
    // Every round mends one value for good, so the rounds end.
    loop {
        let error = match entry.build(settings, 1) {
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

/// `classic/cartpole` and `some/where/mine.yml` as names of directories.
pub fn run_name(preset: &str) -> String {
    let preset = preset.strip_prefix("presets/").unwrap_or(preset);
    let preset = preset.trim_end_matches(".yaml").trim_end_matches(".yml");
    let name: Vec<&str> =
        preset.split(['/', '\\']).filter(|p| !["", ".", ".."].contains(p)).collect();
    name.join("-")
}

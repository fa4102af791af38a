//! All the games and presets that the program knows.

use std::path::Path;
use std::sync::LazyLock;

use anyhow::anyhow;
use lanista_game::Entry;
use lanista_train::RunConfig;
use lanista_train::files::{RunFiles, run_of};
use lanista_train::layers::Override;
use lanista_train::preset::{Catalog, Preset, PresetError, Taken};

use crate::quote::quoted;

/// The preset that `lanista train` trains when none is named.
pub const DEFAULT_PRESET: &str = "rocket/touch";

/// The embedded presets: name and text.
pub const PRESETS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/presets.rs"));

static GAMES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut games = lanista_classic::games().to_vec();
    games.extend(lanista_rocket::games());
    games.extend(lanista_nh::games());
    games.extend(lanista_survivors::games());
    games.extend(lanista_vgc::battles::games());
    games
});

/// Every game.
pub fn games() -> &'static [Entry] {
    &GAMES
}

fn catalog() -> Catalog<'static> {
    Catalog { games: games(), presets: PRESETS }
}

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
        let config = quoted(&RunFiles::of(run_of(path).0).config());
        format!(
            "{what}, not a preset: `lanista train --resume {shown}` goes on with it; `lanista train \
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

#[cfg(test)]
mod tests {
    use lanista_train::preset::nobody_to_meet;

    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn the_setting_that_leaves_seats_empty_is_named() {
        let entry = game("rocket").unwrap();
        let why = |settings: Value| {
            let spec = entry.build(&settings, 1).unwrap().spec().clone();
            nobody_to_meet(&entry, &settings, &spec)
        };
        let alone = why(json!({"team_size": 1, "orange_size": 0, "limit_secs": 20})).unwrap();
        assert_eq!(
            alone,
            "nobody sits on the other team with settings.orange_size=0 (settings.orange_size=null fills it)"
        );
        assert_eq!(why(json!({"team_size": 2})), None);
        assert_eq!(why(Value::Null), None);
        let cartpole = game("cartpole").unwrap();
        let spec = cartpole.spec(&Value::Null).unwrap();
        assert!(nobody_to_meet(&cartpole, &Value::Null, &spec).unwrap().contains("one team"));
    }
}

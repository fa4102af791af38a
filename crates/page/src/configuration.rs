//! What a run trains with, and in what that differs from the preset it was begun with.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use lanista_game::Entry;
use lanista_train::RunConfig;
use lanista_train::config::OPEN;
use lanista_train::layers;
use lanista_train::original::Original;
use lanista_train::preset::run_name;
use serde_json::Value;

use crate::games::Games;
use crate::groups::{Groups, experiment, is_nothing};

/// The most bytes of a configuration.
pub const MOST_BYTES: u64 = 4 << 20;
/// Keys that make no other experiment.
const APART: [&str; 3] = ["run.dir", "run.threads", "run.seed"];

/// What a run trains with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configuration {
    /// As it is written.
    pub text: String,
    /// Key by key.
    pub flat: BTreeMap<String, Value>,
    /// As a tree.
    pub tree: Value,
    /// The same for all runs that differ in their seed alone.
    pub experiment: u64,
}

impl Configuration {
    /// Reads a text. One that is no configuration has no keys.
    pub fn read(text: String) -> Self {
        let tree = layers::load("config", &[("config", &text)], &[]).map(|layered| layered.tree());
        let tree = tree.unwrap_or_default();
        let mut flat = BTreeMap::new();
        flatten("", &tree, &mut flat);
        let experiment = experiment(&flat);
        Self { text, flat, tree, experiment }
    }

    /// A value by its dotted key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.flat.get(key).filter(|value| !value.is_null())
    }

    /// A number by its dotted key.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.get(key)?.as_f64()
    }

    /// A word by its dotted key.
    pub fn word(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }
}

/// A tree key by key; lists are values.
pub fn flatten(key: &str, value: &Value, into: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (name, value) in map {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                flatten(&key, value, into);
            }
        }
        _ if key.is_empty() => {}
        other => drop(into.insert(key.to_owned(), other.clone())),
    }
}

/// The preset that a run was begun with, key by key.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// Its name or path.
    pub name: String,
    flat: BTreeMap<String, Value>,
}

impl Preset {
    /// What a run wrote down when it was begun.
    pub fn of(original: Original) -> Self {
        // By this version, which may know more keys: what nobody said is no difference.
        let config = serde_json::from_value::<RunConfig>(original.config.clone());
        let tree = config.ok().and_then(|config| serde_json::to_value(config).ok());
        let mut flat = BTreeMap::new();
        flatten("", &tree.unwrap_or(original.config), &mut flat);
        Self { name: original.preset, flat }
    }

    /// The keys in which a run differs from it, with the run's values; nothing where the run lacks one.
    pub fn changed(&self, own: &Configuration) -> BTreeMap<String, Value> {
        if self.flat.is_empty() || own.flat.is_empty() {
            return BTreeMap::new();
        }
        let differs = |(key, value): &(&String, &Value)| {
            !same(self.flat.get(*key).unwrap_or(&Value::Null), value)
                && !APART.contains(&key.as_str())
        };
        // Where names are free, one that is missing was taken out; a run of an earlier version lacks others.
        let free = |key: &str| {
            OPEN.iter().any(|open| {
                key.strip_prefix(open).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        };
        // A schedule that became a number is told by the number.
        let known = |key: &str| {
            let above = key.match_indices('.').any(|(at, _)| own.flat.contains_key(&key[..at]));
            above || own.flat.contains_key(key)
        };
        let gone =
            |(key, value): &(&String, &Value)| free(key) && !is_nothing(value) && !known(key);
        let gone = self.flat.iter().filter(gone).map(|(key, _)| (key.clone(), Value::Null));
        let own = own.flat.iter().filter(differs).map(|(k, v)| (k.clone(), v.clone()));
        own.chain(gone).collect()
    }
}

/// The presets and games that runs may come from, and the groups that they make.
pub struct Presets {
    presets: &'static [(&'static str, &'static str)],
    /// Resolved, as they were asked for.
    resolved: Mutex<BTreeMap<&'static str, Option<Arc<Preset>>>>,
    /// What experiments are called.
    pub groups: Groups,
    /// What is played.
    pub games: Games,
}

impl Presets {
    /// These: name and text.
    pub fn new(presets: &'static [(&'static str, &'static str)]) -> Self {
        Self {
            presets,
            resolved: Mutex::default(),
            groups: Groups::default(),
            games: Games::default(),
        }
    }

    /// The same with the games that they are about.
    pub fn with_games(self, games: Vec<Entry>) -> Self {
        Self { games: Games::new(games), ..self }
    }

    /// The preset of a run that has written down none, by its name: directories are called after it, and
    /// numbered.
    pub fn of_run(&self, run: &str) -> Option<Arc<Preset>> {
        let name = run.rsplit('/').next().unwrap_or(run);
        let numbered = |preset: &&(&'static str, &'static str)| {
            let base = run_name(preset.0);
            match name.strip_prefix(base.as_str()) {
                Some("") => true,
                Some(rest) => rest.strip_prefix('-').is_some_and(|n| n.parse::<u64>().is_ok()),
                None => false,
            }
        };
        // The longest name wins: `duel-2` may be a preset of its own.
        let of_name = self.presets.iter().filter(numbered).max_by_key(|preset| preset.0.len());
        let name = of_name?.0;
        let mut resolved = self.resolved.lock().unwrap_or_else(|e| e.into_inner());
        let known = resolved.entry(name);
        let read = || Original::of(name, self.presets).ok().map(|o| Arc::new(Preset::of(o)));
        known.or_insert_with(read).clone()
    }
}

/// `2` and `2.0` are one number, and an empty map says as much as none.
fn same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b || (is_nothing(a) && is_nothing(b)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PRESETS: &[(&str, &str)] = &[
        ("classic/duel", "game: duel\nppo: { epochs: 3 }\nrewards: { won: 1 }\n"),
        ("classic/duel-2", "import: classic/duel\nppo: { epochs: 5 }\n"),
    ];

    #[test]
    fn a_run_without_a_note_is_compared_with_the_preset_it_is_named_after() {
        let presets = Presets::new(PRESETS);
        let of_run = |name: &str| presets.of_run(name).map(|preset| preset.name.clone());
        assert_eq!(of_run("some/classic-duel").as_deref(), Some("classic/duel"));
        assert_eq!(of_run("classic-duel-7").as_deref(), Some("classic/duel"));
        assert_eq!(of_run("classic-duel-2").as_deref(), Some("classic/duel-2"));
        assert_eq!(of_run("classic-duelist"), None);
        let text = "game: duel\nppo: { epochs: 4 }\nrewards: { won: 1.0 }\nrun: { seed: 9 }\n";
        let own = Configuration::read(text.into());
        assert_eq!(own.number("ppo.epochs"), Some(4.0));
        let changed = presets.of_run("classic-duel").unwrap().changed(&own);
        assert_eq!(changed, [("ppo.epochs".to_owned(), json!(4))].into());
        assert!(Configuration::read("{".into()).flat.is_empty());
    }

    #[test]
    fn a_term_that_was_taken_out_is_a_change_and_a_key_of_another_version_is_none() {
        let config = json!({"game": "duel", "rewards": {"won": {"linear": {"from": 1, "to": 0}}, "hits": 2}});
        let preset = Preset::of(Original { preset: "mine.yml".into(), config });
        let own = "game: duel\nrewards: { won: 1 }\nppo: { clip: 0.2 }\n";
        let changed = preset.changed(&Configuration::read(own.into()));
        let expected = [("rewards.hits", Value::Null), ("rewards.won", json!(1))];
        assert_eq!(changed, expected.map(|(key, value)| (key.to_owned(), value)).into());
    }
}

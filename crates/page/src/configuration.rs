//! What a run trains with, and in what that differs from the preset it was begun with.

use std::collections::BTreeMap;
use std::sync::Mutex;

use lanista_train::RunConfig;
use lanista_train::config::OPEN;
use lanista_train::layers;
use lanista_train::preset::run_name;
use serde_json::Value;

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
}

impl Configuration {
    /// Reads a text. One that is no configuration has no keys.
    pub fn read(text: String) -> Self {
        let tree = layers::load("config", &[("config", &text)], &[]).map(|layered| layered.tree());
        let tree = tree.unwrap_or_default();
        let mut flat = BTreeMap::new();
        flatten("", &tree, &mut flat);
        Self { text, flat, tree }
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

/// The presets that runs may come from.
pub struct Presets {
    presets: &'static [(&'static str, &'static str)],
    /// Resolved key by key, as they were asked for.
    resolved: Mutex<BTreeMap<&'static str, BTreeMap<String, Value>>>,
}

impl Presets {
    /// These: name and text.
    pub fn new(presets: &'static [(&'static str, &'static str)]) -> Self {
        Self { presets, resolved: Mutex::default() }
    }

    /// The preset that a run of this name was begun with: directories are called after it, and numbered.
    pub fn of_run(&self, run: &str) -> Option<&'static str> {
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
        of_name.map(|preset| preset.0)
    }

    /// The keys in which a run differs from its preset, with its own values.
    pub fn changed(&self, preset: &str, own: &Configuration) -> BTreeMap<String, Value> {
        let Some(&(name, _)) = self.presets.iter().find(|(name, _)| *name == preset) else {
            return BTreeMap::new();
        };
        let mut resolved = self.resolved.lock().unwrap_or_else(|e| e.into_inner());
        let then = resolved.entry(name).or_insert_with(|| {
            let config = layers::load(name, self.presets, &[]);
            let config = config.and_then(|layered| layered.read::<RunConfig>(&OPEN));
            let tree = config.ok().and_then(|config| serde_json::to_value(config).ok());
            let mut flat = BTreeMap::new();
            flatten("", &tree.unwrap_or_default(), &mut flat);
            flat
        });
        if then.is_empty() {
            return BTreeMap::new();
        }
        let differs = |(key, value): &(&String, &Value)| {
            let before = then.get(*key).unwrap_or(&Value::Null);
            !same(before, value) && !APART.contains(&key.as_str())
        };
        own.flat.iter().filter(differs).map(|(k, v)| (k.clone(), v.clone())).collect()
    }
}

/// `2` and `2.0` are one number.
fn same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
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
    fn a_run_is_compared_with_the_preset_it_is_named_after() {
        let presets = Presets::new(PRESETS);
        assert_eq!(presets.of_run("some/classic-duel"), Some("classic/duel"));
        assert_eq!(presets.of_run("classic-duel-7"), Some("classic/duel"));
        assert_eq!(presets.of_run("classic-duel-2"), Some("classic/duel-2"));
        assert_eq!(presets.of_run("classic-duelist"), None);
        let text = "game: duel\nppo: { epochs: 4 }\nrewards: { won: 1.0 }\nrun: { seed: 9 }\n";
        let own = Configuration::read(text.into());
        assert_eq!(own.number("ppo.epochs"), Some(4.0));
        let changed = presets.changed("classic/duel", &own);
        assert_eq!(changed, [("ppo.epochs".to_owned(), json!(4))].into());
        assert!(Configuration::read("{".into()).flat.is_empty());
    }
}

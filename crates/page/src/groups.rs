//! Which runs are seeds of one experiment: those whose whole configuration is the same but for the seed. The
//! name of a run says nothing about that, and neither does its preset: two learning rates are two experiments.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Mutex;

use serde_json::Value;

/// Keys below these make no other experiment: where a run lives and what it draws its luck from, and which of
/// its matches are kept.
const APART: [&str; 2] = ["run.", "recording."];

/// Does a key make another experiment?
pub fn matters(key: &str) -> bool {
    !APART.iter().any(|part| key.starts_with(part))
}

/// Does a value say nothing?
pub fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty)
}

/// One number for all configurations that make one experiment.
pub fn experiment(flat: &BTreeMap<String, Value>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (key, value) in flat.iter().filter(|(key, value)| matters(key) && !is_nothing(value)) {
        key.hash(&mut hasher);
        match value.as_f64() {
            // `2` and `2.0` are one number.
            Some(number) => number.to_bits().hash(&mut hasher),
            None => value.to_string().hash(&mut hasher),
        }
    }
    hasher.finish()
}

/// The names of all groups that were met. No two have the same.
#[derive(Default)]
pub struct Groups {
    names: Mutex<Names>,
}

#[derive(Default)]
struct Names {
    of: BTreeMap<u64, String>,
    taken: BTreeSet<String>,
}

impl Groups {
    /// The name of an experiment: the one it has, or the first free one that begins as wanted.
    pub fn name(&self, experiment: u64, wanted: &str, run: &str) -> String {
        let mut names = self.names.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(known) = names.of.get(&experiment) {
            return known.clone();
        }
        let first = [wanted.to_owned(), format!("{wanted} ({run})")].into_iter();
        let mut all = first.chain((2..).map(|n| format!("{wanted} ({run}, {n})")));
        let name = all.find(|name| !names.taken.contains(name)).unwrap_or_default();
        names.taken.insert(name.clone());
        names.of.insert(experiment, name.clone());
        name
    }
}

/// What a group would be called: its preset, or the name of a run without its number, and what was changed.
pub fn wanted(base: &str, changed: &BTreeMap<String, Value>) -> String {
    let changed = changed.iter().filter(|(key, _)| matters(key));
    let changed = changed.map(|(key, value)| format!("{key}={}", written(value)));
    std::iter::once(base.to_owned()).chain(changed).collect::<Vec<_>>().join(", ")
}

/// What a run comes from, in a word: its preset, or its name without its number.
pub fn base(name: &str, preset: Option<&str>) -> String {
    if let Some(preset) = preset {
        return preset.trim_end_matches(".yaml").trim_end_matches(".yml").to_owned();
    }
    match name.rsplit_once('-') {
        Some((base, number)) if number.parse::<u32>().is_ok() => base.to_owned(),
        _ => name.to_owned(),
    }
}

/// A value as a person would write it.
pub fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        // Schedules write a count as 3.0.
        Value::Number(number) => match number.as_f64() {
            Some(whole) if whole.fract() == 0.0 && whole.abs() < 1e15 => format!("{whole:.0}"),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn flat(keys: &[(&str, Value)]) -> BTreeMap<String, Value> {
        keys.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
    }

    #[test]
    fn seeds_are_one_experiment_and_learning_rates_are_two() {
        let of = |rate: f64, seed: u64| {
            experiment(&flat(&[
                ("ppo.learning_rate", json!(rate)),
                ("run.seed", json!(seed)),
                ("recording.every", json!(seed)),
            ]))
        };
        assert_eq!(of(0.1, 1), of(0.1, 2));
        assert_ne!(of(0.1, 1), of(0.2, 1));
        let (whole, float) = (flat(&[("a", json!(2))]), flat(&[("a", json!(2.0))]));
        assert_eq!(experiment(&whole), experiment(&float));
        assert_eq!(
            experiment(&whole),
            experiment(&flat(&[("a", json!(2)), ("b", Value::Null), ("c", json!({}))]))
        );
    }

    #[test]
    fn no_two_experiments_have_one_name() {
        let groups = Groups::default();
        assert_eq!(groups.name(1, "mine", "a-1"), "mine");
        assert_eq!(groups.name(2, "mine", "b-1"), "mine (b-1)");
        assert_eq!(groups.name(3, "mine", "b-1"), "mine (b-1, 2)");
        assert_eq!(groups.name(1, "other", "a-2"), "mine");
    }

    #[test]
    fn a_name_has_what_was_changed() {
        let changed = flat(&[("ppo.epochs", json!(3.0)), ("recording.every", json!(5))]);
        assert_eq!(
            wanted(&base("x", Some("classic/duel")), &changed),
            "classic/duel, ppo.epochs=3"
        );
        assert_eq!(base("some/pole-12", None), "some/pole");
        assert_eq!(base("x", Some("own/mine.yml")), "own/mine");
    }
}

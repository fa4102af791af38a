//! What a legend calls groups of runs: in what they differ, and nothing that they share.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::groups::written;

/// Keys below these say how a run was watched, not what it learnt with.
const ASIDE: [&str; 5] = ["recording.", "evaluation.", "checkpoint.", "stop.", "run."];

/// A group that is drawn.
pub struct Drawn<'a> {
    /// Its preset, or what else its runs have in common.
    pub base: String,
    /// What it trains with.
    pub flat: &'a BTreeMap<String, Value>,
    /// A run of it.
    pub run: String,
}

/// `[groups]`: what each is called. No two are called the same.
pub fn names(groups: &[Drawn]) -> Vec<String> {
    let bases: BTreeSet<&str> = groups.iter().map(|group| group.base.as_str()).collect();
    let mut names: Vec<String> = Vec::new();
    for group in groups {
        let alike: Vec<&Drawn> = groups.iter().filter(|other| other.base == group.base).collect();
        let keys = differing(&alike);
        let told = keys.iter().map(|key| {
            let value = group.flat.get(*key).map_or("default".to_owned(), written);
            format!("{}={value}", short(key, &keys))
        });
        let told: Vec<String> = told.collect();
        let mut name = match (told.is_empty(), bases.len()) {
            (true, _) => group.base.clone(),
            (false, 1) => told.join(", "),
            (false, _) => format!("{}, {}", group.base, told.join(", ")),
        };
        // They differ in nothing that matters to a reader.
        let many = alike.len() > 1 && told.is_empty();
        if many || names.contains(&name) {
            name = group.run.clone();
        }
        names.push(name);
    }
    names
}

/// Keys in which any two of them differ.
fn differing<'a>(groups: &[&Drawn<'a>]) -> Vec<&'a str> {
    let all: BTreeSet<&str> =
        groups.iter().flat_map(|g| g.flat.keys()).map(String::as_str).collect();
    let shown = |key: &&str| !ASIDE.iter().any(|aside| key.starts_with(aside));
    let differs = |key: &&str| {
        let mut values = groups.iter().map(|g| g.flat.get(*key).filter(|v| !v.is_null()));
        let first = values.next().flatten();
        values.any(|value| value.map(written) != first.map(written))
    };
    all.into_iter().filter(shown).filter(differs).collect()
}

/// The last part of a key, if no other of these ends like it.
fn short<'a>(key: &'a str, all: &[&str]) -> &'a str {
    let last = |key: &'a str| key.rsplit('.').next().unwrap_or(key);
    let ends = all.iter().filter(|other| other.rsplit('.').next() == Some(last(key))).count();
    if ends == 1 { last(key) } else { key }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn flat(keys: &[(&str, Value)]) -> BTreeMap<String, Value> {
        keys.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
    }

    fn drawn<'a>(base: &str, flat: &'a BTreeMap<String, Value>, run: &str) -> Drawn<'a> {
        Drawn { base: base.into(), flat, run: run.into() }
    }

    #[test]
    fn only_what_differs_is_told() {
        let of = |rate: f64, every: u64| {
            flat(&[
                ("ppo.learning_rate", json!(rate)),
                ("ppo.epochs", json!(4)),
                ("recording.every", json!(every)),
                ("stop.steps", json!(every)),
            ])
        };
        let (a, b, c) = (of(0.001, 1), of(0.003, 2), of(0.001, 9));
        assert_eq!(names(&[drawn("pole", &a, "pole")]), ["pole"]);
        let two = [drawn("pole", &a, "x"), drawn("pole", &b, "y")];
        assert_eq!(names(&two), ["learning_rate=0.001", "learning_rate=0.003"]);
        let three = [drawn("pole", &a, "x"), drawn("pole", &b, "y"), drawn("duel", &b, "z")];
        let told = ["pole, learning_rate=0.001", "pole, learning_rate=0.003", "duel"];
        assert_eq!(names(&three), told);
        // Nothing that a reader would ask for: then the runs have names.
        let budgets = [drawn("pole", &a, "short"), drawn("pole", &c, "long")];
        assert_eq!(names(&budgets), ["short", "long"]);
    }

    #[test]
    fn keys_that_end_alike_are_told_whole() {
        let (a, b) = (
            flat(&[("rewards.goal", json!(1)), ("roles.x.rewards.goal", json!(2))]),
            flat(&[("rewards.goal", json!(2))]),
        );
        let names = names(&[drawn("p", &a, "x"), drawn("p", &b, "y")]);
        assert_eq!(names[1], "rewards.goal=2, roles.x.rewards.goal=default");
    }
}

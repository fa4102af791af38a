//! What differs between two configurations, key by key.

use std::collections::BTreeMap;

use serde_json::Value;

use super::node::Provenance;
use super::yaml::parse;

/// Keys that change nothing of what is learnt.
const OF_THE_MACHINE: [&str; 2] = ["run.dir", "run.threads"];

/// The keys in which two resolved configurations differ, as `key: then → now`. Text that is no
/// configuration differs in nothing: it is named where it is read. What one of them leaves out has its
/// `default`: a key that is newer than a run has changed nothing of it.
pub fn differences(then: &str, now: &str, default: &Value) -> Vec<String> {
    let read = |text: &str| Some(parse(text, &Provenance::text("a configuration")).ok()?.to_json());
    let (Some(then), Some(now)) = (read(then), read(now)) else { return Vec::new() };
    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    let mut known = BTreeMap::new();
    flatten("", default, &mut known);
    flatten("", &then, &mut before);
    flatten("", &now, &mut after);
    let missing = Value::Null;
    let mut keys: Vec<&String> = before.keys().chain(after.keys()).collect();
    keys.sort();
    keys.dedup();
    let change = |key: &String| {
        let known = known.get(key).unwrap_or(&missing);
        let (then, now) = (before.get(key).unwrap_or(known), after.get(key).unwrap_or(known));
        let differs = then != now && !OF_THE_MACHINE.contains(&key.as_str());
        differs.then(|| format!("{key}: {then} → {now}"))
    };
    keys.into_iter().filter_map(change).collect()
}

fn flatten(key: &str, value: &Value, into: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                flatten(&key, value, into);
            }
        }
        other => drop(into.insert(key.to_owned(), other.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_keys_are_named_with_both_values() {
        let then = "ppo: { epochs: 4, clip: 0.2 }\nstop: { steps: 100 }\nrun: { threads: 1 }\n";
        let now = "ppo: { epochs: 4, clip: 0.1 }\nstop: { steps: 200, seconds: 3 }\nrun: {}\n";
        assert_eq!(
            differences(then, now, &Value::Null),
            ["ppo.clip: 0.2 → 0.1", "stop.seconds: null → 3", "stop.steps: 100 → 200"]
        );
        assert!(differences(then, then, &Value::Null).is_empty());
        assert!(differences("{", now, &Value::Null).is_empty());
        let default = serde_json::json!({"stop": {"seconds": 3}});
        let newer = differences(then, now, &default);
        assert_eq!(newer, ["ppo.clip: 0.2 → 0.1", "stop.steps: 100 → 200"]);
    }
}

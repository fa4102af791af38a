//! In what settings of a game differ, key by key.

use std::fmt;

use lanista_game::Setting;
use serde_json::{Map, Value};

/// A setting that is another one than it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its key, dotted.
    pub key: String,
    /// What it was; null when it was left at its default.
    pub then: Value,
    /// At present, likewise.
    pub now: Value,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} is {}, was {}", self.key, self.now, self.then)
    }
}

/// In what settings differ as they are written.
pub fn changes(then: &Value, now: &Value) -> Vec<Change> {
    let mut out = Vec::new();
    compare("settings", &Value::Object(map(then)), &Value::Object(map(now)), &mut out);
    out
}

/// In what settings differ as they are meant: what one of them leaves out has its default, and what names
/// something of a machine means nothing elsewhere.
pub fn differences(known: &[Setting], then: &Value, now: &Value) -> Vec<Change> {
    let meant = |settings: &Value| {
        let mut settings = map(settings);
        for setting in known {
            match setting.machine {
                true => drop(settings.remove(&setting.name)),
                false => {
                    settings.entry(&setting.name).or_insert_with(|| setting.default.clone());
                }
            }
        }
        Value::Object(settings)
    };
    changes(&meant(then), &meant(now))
}

fn map(settings: &Value) -> Map<String, Value> {
    settings.as_object().cloned().unwrap_or_default()
}

fn compare(key: &str, then: &Value, now: &Value, out: &mut Vec<Change>) {
    // What a preset has as 1 may be kept as 1.0.
    if then == now || then.as_f64().is_some_and(|then| now.as_f64() == Some(then)) {
        return;
    }
    let (Some(a), Some(b)) = (then.as_object(), now.as_object()) else {
        let (key, then, now) = (key.to_owned(), then.clone(), now.clone());
        return out.push(Change { key, then, now });
    };
    let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let of = |map: &Map<String, Value>| map.get(name).cloned().unwrap_or_default();
        compare(&format!("{key}.{name}"), &of(a), &of(b), out);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changes_are_named_key_by_key() {
        let then = json!({"a": 1, "start": {"kickoff": 1, "random": 2}, "gone": true});
        let now = json!({"a": 1.0, "start": {"kickoff": 1, "random": 5}, "new": "x"});
        let change = |key: &str, then, now| Change { key: format!("settings.{key}"), then, now };
        assert_eq!(
            changes(&then, &now),
            [
                change("gone", json!(true), Value::Null),
                change("new", Value::Null, json!("x")),
                change("start.random", json!(2), json!(5)),
            ]
        );
        assert_eq!(changes(&Value::Null, &json!({})), []);
    }

    #[test]
    fn defaults_are_the_same_written_or_not_and_machines_do_not_count() {
        let setting = |name: &str, default, machine| Setting {
            name: name.into(),
            default,
            about: String::new(),
            machine,
        };
        let known = [setting("tick_skip", json!(8), false), setting("meshes", json!(null), true)];
        let between = |then, now| -> Vec<String> {
            differences(&known, &then, &now).iter().map(Change::to_string).collect()
        };
        let nothing: [&str; 0] = [];
        assert_eq!(
            between(json!({"meshes": "a"}), json!({"tick_skip": 8, "meshes": "b"})),
            nothing
        );
        assert_eq!(between(Value::Null, json!({"tick_skip": 8})), nothing);
        assert_eq!(
            between(json!({"tick_skip": 4}), json!({"size": 2})),
            ["settings.size is 2, was null", "settings.tick_skip is 8, was 4"]
        );
    }
}

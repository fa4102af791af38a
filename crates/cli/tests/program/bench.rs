//! `lanista bench`: numbers for people and for programs.

use serde_json::Value;

use crate::support::{FEED_FORWARD, Place, tree};

fn has_positive(value: &Value, keys: &[&str]) {
    for key in keys {
        let number = value[key].as_f64().unwrap_or_else(|| panic!("no number {key} in {value}"));
        assert!(number > 0.0, "{key} in {value}");
    }
}

#[test]
fn training_speed() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let files = tree(&place.path(""));
    let value = place.json("bench train preset.yml --seconds 0.1 --threads 2 --json");
    assert_eq!(
        (value["preset"].as_str(), value["threads"].as_u64()),
        (Some("preset.yml"), Some(2))
    );
    has_positive(
        &value,
        &[
            "steps_per_second",
            "rollout_seconds",
            "update_seconds",
            "steps",
            "iterations",
            "seconds",
            "parameters",
        ],
    );
    assert!(value.as_object().unwrap().contains_key("rss_mb"), "{value}");
    assert_eq!(value["steps"].as_u64().unwrap(), 384 * value["iterations"].as_u64().unwrap());
    assert!(files == tree(&place.path("")), "a benchmark writes no files");
}

#[test]
fn decision_speed() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    for batch in [1, 7] {
        let line = format!("bench infer preset.yml --batch {batch} --seconds 0.05 --json");
        let value = place.json(&line);
        assert_eq!(value["batch"], batch);
        has_positive(&value, &["microseconds_per_call", "calls", "parameters"]);
    }
}

#[test]
fn game_speed() {
    let place = Place::new();
    for entry in lanista_classic::games() {
        let name = entry.name;
        let line = format!("bench game {name} --threads 2 --matches 8 --seconds 0.05 --json");
        let value = place.json(&line);
        assert_eq!(value["game"], name);
        assert_eq!((value["threads"].as_u64(), value["matches"].as_u64()), (Some(2), Some(8)));
        has_positive(
            &value,
            &["steps_per_second", "agent_steps_per_second", "ticks_per_second", "seconds"],
        );
    }
}

#[test]
fn stacked_frames_are_measured_too() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let parameters = |line: &str| {
        let value = place.json(&format!("bench {line} --seconds 0.05 --json"));
        value["parameters"].as_u64().unwrap()
    };
    for what in ["train", "infer"] {
        let line = format!("{what} preset.yml");
        // Three more frames of four features into the first layers of actor and critic.
        let more = parameters(&format!("{line} --set observation.stack=4")) - parameters(&line);
        assert_eq!(more, 2 * 3 * 4 * 16, "{what}");
    }
    let line = "bench game cartpole --matches 8 --seconds 0.05 --set observation.stack=4 --json";
    has_positive(&place.json(line), &["steps_per_second"]);
}

#[test]
fn people_get_a_line_a_number() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let out = place.ok("bench train preset.yml --seconds 0.05 --set policy.hidden=[8]");
    for key in ["preset", "steps_per_second", "rollout_seconds", "update_seconds"] {
        assert!(out.lines().any(|l| l.starts_with(key)), "{key}\n{out}");
    }
}

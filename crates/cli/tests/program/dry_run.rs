//! `train --dry-run`: everything is told, nothing is done.

use crate::support::{DUEL, FEED_FORWARD, Place, slashes, tree};

#[test]
fn a_dry_run_tells_everything_and_creates_nothing() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let before = tree(&place.path(""));
    let out =
        slashes(&place.ok("train preset.yml --dry-run --seed 5 --steps 2k --reward balance=2"));
    for text in
        ["seed: 5", "steps: 2000", "balance: 2.0", "horizon: 32", "runs/preset", "a new run"]
    {
        assert!(out.contains(text), "{text}\n{out}");
    }
    assert!(out.contains(" parameters; memory, about:") && out.contains("together"), "{out}");
    let value = place.json("train preset.yml --dry-run --json --threads 3");
    assert_eq!(value["config"]["rollout"]["matches"], 12);
    assert_eq!(
        (value["threads"].as_u64(), value["run_dir"].as_str().map(slashes)),
        (Some(3), Some("runs/preset".into()))
    );
    assert!(value["memory_bytes"].as_f64().unwrap() > 1e6, "{value}");
    assert!(before == tree(&place.path("")), "a dry run left something behind");
}

#[test]
fn what_a_dry_run_prints_is_a_preset_that_trains_the_same() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let out = place.ok("train preset.yml --dry-run --seed 3 --until 1k");
    place.write("printed.yml", &out);
    place.ok("train printed.yml --set run.dir=printed --until 1k");
    place.ok("train preset.yml --seed 3 --set run.dir=direct --until 1k");
    place.bits("printed").assert_same(&place.bits("direct"), "printed, and direct");
}

#[test]
fn the_parameters_and_the_place_are_those_of_the_run() {
    let place = Place::with(&[("preset", DUEL)]);
    let planned = place.json("train preset.yml --dry-run --json");
    let out = place.ok("train preset.yml --until 300 --plain");
    let parameters = planned["parameters"].as_f64().unwrap();
    assert!(out.contains(&format!(" {parameters} parameters")), "{parameters}\n{out}");
    assert!(out.contains(&format!("in {}", planned["run_dir"].as_str().unwrap())), "{out}");
    let next = place.json("train preset.yml --dry-run --json");
    assert_eq!(slashes(next["run_dir"].as_str().unwrap()), "runs/preset-2", "the next is another");
    let before = tree(&place.path("runs"));
    let out = place.ok("train --resume runs/preset --dry-run");
    assert!(out.contains("a run that goes on"), "{out}");
    assert!(before == tree(&place.path("runs")), "a dry run touched the run");
}

#[test]
fn mistakes_are_found_without_training() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    for (line, said) in [
        ("train preset.yml --dry-run --set ppo.epoch=2", "did you mean `epochs`?"),
        ("train preset.yml --dry-run --set rollout.horizon=10M --set rollout.matches=1M", "memory"),
    ] {
        let error = place.fails(line);
        assert!(error.contains(said), "{line}: {error}");
    }
    assert!(!place.path("runs").exists());
}

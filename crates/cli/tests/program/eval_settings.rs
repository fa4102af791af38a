//! `lanista eval --set`: other settings than in training, seats that stay empty, and what belongs to
//! the machine.

use std::fs;

use lanista_rocket::arena::procedural;
use serde_json::Value;

use crate::support::{DUEL, Place, metrics, text};

/// One car and the ball.
const ALONE: &str = "
import: rocket/touch
settings: { limit_secs: 2, no_touch_secs: 1 }
rollout: { matches: 4, horizon: 16, shard: 2 }
policy: { hidden: [16] }
ppo: { minibatch: 32 }
evaluation: { every: 1000000, matches: 2 }
stop: { steps: 200 }
";

#[test]
fn where_nobody_sits_nobody_is_met() {
    let place = Place::with(&[("preset", ALONE)]);
    let out = place.ok("train preset.yml --set run.dir=run");
    assert!(!out.contains("won ") && !out.contains("Elo"), "{out}");
    assert!(metrics(&place.path("run")).iter().all(|line| line["elo"].is_null()));

    let alone = place.json("eval run --matches 3 --json");
    assert!(alone["results"].is_null() && alone["elo_difference"].is_null(), "{alone}");
    let said = place.fails("eval run --matches 3 --vs bot:rule");
    for part in ["--vs bot:rule", "nobody sits", "settings.orange_size=0", "--set"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    for key in ["opponents.bot:rule=0.5", "evaluation.vs=bot:rule", "opponents.past=0.5"] {
        let said = place.fails(&format!("train preset.yml --set {key}"));
        assert!(said.contains(key.split('=').next().unwrap()), "{said}");
        assert!(said.contains("nobody sits on the other team with settings.orange_size=0"));
    }
    // A share of 0 meets nobody either, and says so itself.
    place.ok("train preset.yml --set run.dir=none --set opponents.bot:rule=0 --until 10");
    let said = place.fails("league run");
    assert!(said.contains("has no league: nobody sits"), "{said}");

    // As the message says: with somebody there, it is a duel.
    let duel = place.json(
        "eval run --matches 3 --vs bot:rule,bot:chase --set settings.orange_size=null --json",
    );
    for (report, vs) in duel.as_array().unwrap().iter().zip(["bot:rule", "bot:chase"]) {
        assert_eq!(report["vs"], vs);
        assert!(report["results"].is_object() && report["elo_difference"].is_object(), "{report}");
        assert!(report["settings"]["orange_size"].is_null(), "{report}");
    }
}

#[test]
fn what_differs_from_training_is_said() {
    let place = Place::with(&[("preset", ALONE)]);
    place.ok("train preset.yml --set run.dir=run --until 100");
    let out = place.ok("eval run --matches 2 --vs bot:idle --vs bot:chase --set settings.orange_size=1 --set settings.start.wall=3");
    assert!(out.contains("against bot:idle") && out.contains("against bot:chase"), "{out}");
    assert!(out.contains("settings.orange_size is 1, was 0"), "{out}");
    assert!(out.contains("settings.start.wall is 3, was null"), "{out}");
    assert!(out.contains("Arena: RocketSim with the embedded"), "{out}");
    let plain = place.ok("eval run --matches 2");
    assert!(!plain.contains("Other than in training"), "{plain}");
    for (set, parts) in [
        ("settings.orange_sise=1", &["settings.orange_sise", "--set", "`orange_size`"][..]),
        ("settings.orange_size=9", &["settings.orange_size", "--set", "0 to 3"]),
        ("settings.team_size=3", &["settings.team_size", "the length of the observation"]),
        ("ppo.epochs=2", &["ppo.epochs=2", "settings"]),
    ] {
        let said = place.fails(&format!("eval run --matches 2 --set {set}"));
        parts.iter().for_each(|part| assert!(said.contains(part), "{part}: {said}"));
    }
}

#[test]
fn other_settings_play_another_game() {
    let place = Place::with(&[("preset", DUEL)]);
    place.ok("train preset.yml --set run.dir=run --until 500");
    let play = |set: &str| place.json(&format!("eval run --matches 10 {set} --json"));
    assert_eq!(play("")["length_mean"], 16.0);
    assert_eq!(play("--set settings.rounds=3")["length_mean"], 6.0);
}

#[test]
fn a_model_leaves_the_meshes_of_its_machine_behind() {
    let place = Place::with(&[("preset", ALONE)]);
    fs::create_dir_all(place.path("meshes/soccar")).unwrap();
    for (i, bytes) in procedural::components().iter().enumerate() {
        fs::write(place.path(&format!("meshes/soccar/mesh_{i}.cmf")), bytes).unwrap();
    }
    let train = "train preset.yml --until 100 --set settings.collision_meshes=meshes";
    place.ok(&format!("{train} --set run.dir=run"));
    let metadata = lanista_train::model::metadata(&place.path("run/model.zip")).unwrap();
    assert_eq!(metadata.settings.get("collision_meshes"), None, "{:?}", metadata.settings);
    assert!(fs::read_to_string(place.path("run/config.yml")).unwrap().contains("meshes"));

    // The run is of this machine and plays where it was trained; a model alone does not know it.
    let here = place.ok("eval run --matches 2");
    assert!(here.contains("Arena: RocketSim with the collision meshes of"), "{here}");
    fs::copy(place.path("run/model.zip"), place.path("moved.zip")).unwrap();
    let moved = place.ok("eval moved.zip --matches 2");
    assert!(moved.contains("embedded procedural arena"), "{moved}");
    let named = place.ok("eval moved.zip --matches 2 --set settings.collision_meshes=meshes");
    assert!(named.contains("collision meshes of"), "{named}");

    // On a machine without the meshes the run plays too, and says that something is missing.
    fs::remove_dir_all(place.path("meshes")).unwrap();
    let output = place.run("eval run --matches 2 --json");
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("warning: settings.collision_meshes is not what it was"), "{said}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["matches"], 2);
    // What was asked for by name is not passed over.
    let said = place.fails("eval run --matches 2 --set settings.collision_meshes=meshes");
    assert!(said.contains("settings.collision_meshes"), "{said}");

    // The same of replays to begin matches with, which are named deeper in their setting.
    let config = fs::read_to_string(place.path("run/config.yml")).unwrap();
    let config = config.replace("collision_meshes: meshes", "starts: { replays: gone }");
    assert!(config.contains("gone"), "{config}");
    fs::write(place.path("run/config.yml"), config).unwrap();
    let output = place.run("eval run --matches 2");
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("warning: settings.starts.replays is not what it was"), "{said}");
}

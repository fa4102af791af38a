//! The example project: its program is an example of this package, so that it is built once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Its game, with the tests that it has of its own.
#[path = "../../../examples/treasure/src/treasure.rs"]
#[allow(dead_code)] // the program of the example uses it
mod treasure;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The example's program: cargo builds it with the tests of this package.
fn program() -> PathBuf {
    let deps = std::env::current_exe().unwrap();
    let name = format!("examples/treasure{}", std::env::consts::EXE_SUFFIX);
    deps.ancestors().nth(2).unwrap().join(name)
}

/// A project of one's own has nothing but `lanista` and what its manifest names.
#[test]
fn the_project_stands_on_its_own() {
    let manifest = fs::read_to_string(root().join("examples/treasure/Cargo.toml")).unwrap();
    assert!(manifest.contains(r#"lanista = { path = "../../crates/lanista" }"#), "{manifest}");
    let named: Vec<&str> = (manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1))
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| Some(line.split_once(" = ")?.0))
        .filter(|name| !name.starts_with('#'))
        .collect();
    for file in ["main.rs", "treasure.rs"] {
        let code = fs::read_to_string(root().join("examples/treasure/src").join(file)).unwrap();
        for line in code.lines().filter_map(|line| line.strip_prefix("use ")) {
            let package = line.split([':', ';']).next().unwrap();
            let own = ["std", "crate", "self", "super"].contains(&package);
            assert!(own || named.contains(&package), "{file}: use {line}; it has {named:?}");
        }
    }
}

#[test]
fn a_game_of_ones_own_learns_resumes_and_goes_through_its_stages() {
    let place = tempfile::tempdir().unwrap();
    let preset = root().join("examples/treasure/treasure.yml");
    fs::copy(preset, place.path().join("treasure.yml")).unwrap();
    let program = program();
    let run = |arguments: &[&str]| {
        Command::new(&program).args(arguments).current_dir(place.path()).output().unwrap()
    };

    let output = run(&["game=tresure"]);
    assert!(!output.status.success());
    let error = text(&output.stderr);
    assert!(
        error.contains("game in the override: no game `tresure`: did you mean `treasure`?"),
        "{error}"
    );
    assert!(!place.path().join("runs").exists(), "nothing is left behind");

    let first = run(&["stop.steps=4k"]);
    let (out, error) = (text(&first.stdout), text(&first.stderr));
    assert!(first.status.success(), "{out}{error}");
    assert!(out.contains("training treasure on "), "{out}");

    let second = run(&["stop.steps=60k"]);
    let (out, error) = (text(&second.stdout), text(&second.stderr));
    assert!(second.status.success(), "{out}{error}");
    assert!(out.contains("resuming treasure at 4096 steps"), "{out}");
    assert!(out.contains("stage `near` is over at "), "{out}");
    assert!(out.contains("evaluation at "), "{out}");
    // A walk of 40/11 cells on average and one dig, at 0.02 each: 0.907 is the best.
    let last = out.lines().last().unwrap();
    let reached: f64 = last.split(' ').nth(1).and_then(|number| number.parse().ok()).unwrap();
    assert!(last.ends_with("over 500 matches") && reached > 0.88, "{out}");

    let run = place.path().join("runs/treasure");
    assert!(run.join("model.zip").is_file());
    let metrics = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let lines: Vec<Value> = metrics.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert!(lines.iter().any(|line| line["transition"]["to"] == "far"), "{metrics}");
    let last = lines.iter().rev().find_map(|line| line["stage"].as_str());
    assert_eq!(last, Some("far"));
}

//! The example project, as a user has it: outside of the repository, with Lanista as a dependency.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Its game, with the tests that it has of its own.
#[path = "../../../examples/treasure/src/treasure.rs"]
#[allow(dead_code)] // the program of the example uses it
mod treasure;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Copies the project, with its dependency where it really is.
fn copy(into: &Path) {
    let from = root().join("examples/treasure");
    for directory in [".cargo", "src"] {
        fs::create_dir(into.join(directory)).unwrap();
    }
    for file in [".cargo/config.toml", "treasure.yml", "src/main.rs", "src/treasure.rs"] {
        fs::copy(from.join(file), into.join(file)).unwrap();
    }
    // Versions of which the machine has a copy.
    fs::copy(root().join("Cargo.lock"), into.join("Cargo.lock")).unwrap();
    let manifest = fs::read_to_string(from.join("Cargo.toml")).unwrap();
    let there = format!("'{}'", root().join("crates/lanista").display());
    assert!(manifest.contains("\"../../crates/lanista\""), "{manifest}");
    let manifest = manifest.replace("\"../../crates/lanista\"", &there);
    fs::write(into.join("Cargo.toml"), manifest).unwrap();
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn cargo(place: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO")).args(arguments).current_dir(place).output().unwrap()
}

/// Builds the project, or tells why this machine cannot.
fn build(place: &Path) -> Result<PathBuf, String> {
    let resolved = cargo(place, &["tree", "--offline"]);
    if !resolved.status.success() {
        return Err(text(&resolved.stderr));
    }
    // Beside what is built already: what the project shares with the workspace is not built again.
    let target = Path::new(env!("CARGO_BIN_EXE_lanista")).ancestors().nth(2).unwrap();
    let output = cargo(place, &["build", "--offline", "--target-dir", target.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    Ok(target.join("debug").join(format!("treasure{}", std::env::consts::EXE_SUFFIX)))
}

#[test]
fn a_game_of_ones_own_learns_resumes_and_goes_through_its_stages() {
    let place = tempfile::tempdir().unwrap();
    copy(place.path());
    let program = match build(place.path()) {
        Ok(program) => program,
        Err(why) => {
            println!("skipped: cargo cannot resolve the example without a network: {why}");
            return;
        }
    };
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

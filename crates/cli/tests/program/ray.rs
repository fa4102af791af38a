//! `lanista train --ray`, with programs in the place of Python.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::support::{FEED_FORWARD, Place, Running, text};

const LINE: &str = "train preset.yml --ray local --set run.dir=run";

/// A place with a preset and a program that stands for Python: `tried` is what it does when it is tried, `trains`
/// when it trains.
fn place(tried: &str, trains: &str) -> Place {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.write("python", &format!("#!/bin/sh\nif [ \"$1\" = -c ]; then {tried}; fi\n{trains}\n"));
    fs::set_permissions(place.path("python"), fs::Permissions::from_mode(0o755)).unwrap();
    place
}

fn command(place: &Place, line: &str) -> Command {
    let mut command = place.command(line);
    command.env("LANISTA_PYTHON", place.path("python"));
    command
}

/// What the program says when it fails. It leaves no run behind.
fn refused(place: &Place, line: &str) -> String {
    let output = command(place, line).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{line}: {}", text(&output.stdout));
    assert!(!place.path("run").exists(), "{line}");
    text(&output.stderr)
}

#[test]
fn flags_that_do_not_fit_together_are_refused_before_a_run_is_made() {
    let place = place("exit 0", "exit 0");
    for (flags, words) in [
        ("--ray-workers 0", "--ray-workers 0: there is at least one"),
        ("--ray-mode async --ray-max-lag 0", "--ray-max-lag 0: it is at least 1"),
        ("--ray-mode sync --ray-max-lag 2", "for --ray-mode async alone"),
    ] {
        let said = refused(&place, &format!("{LINE} {flags}"));
        assert!(said.contains(words), "{flags}: {said}");
    }
}

#[test]
fn what_python_lacks_is_said_in_its_own_words() {
    let lacks =
        place("echo Traceback >&2; echo \"ImportError: No module named 'numpy'\" >&2; exit 1", "");
    let said = refused(&lacks, LINE);
    assert!(
        said.contains("cannot import lanista.ray: ImportError: No module named 'numpy'"),
        "{said}"
    );
    let none = place("exit 0", "");
    let output = none.command(LINE).env("LANISTA_PYTHON", "no-such-python").output().unwrap();
    let said = text(&output.stderr);
    assert!(said.contains("there is no no-such-python"), "{said}");
}

#[test]
fn a_run_that_never_began_leaves_nothing_and_advises_nothing() {
    let place = place("exit 0", "echo 'Could not find any running Ray instance.' >&2; exit 1");
    let said = refused(&place, LINE);
    assert!(said.contains("Could not find any running Ray instance."), "{said}");
    assert!(said.contains("has ended before its first checkpoint"), "{said}");
    assert!(!said.contains("--resume"), "{said}");
}

#[test]
fn a_run_that_ended_early_goes_on_from_its_checkpoint() {
    let place = place("exit 0", "mkdir -p run/checkpoints/1; exit 1");
    let output = command(&place, LINE).output().unwrap();
    let said = text(&output.stderr);
    assert!(said.contains("train --resume run --ray"), "{said}");
}

#[test]
fn whatever_asks_for_an_end_lets_python_save() {
    for signal in ["INT", "TERM", "HUP"] {
        let trains = "trap 'echo saved; exit 0' INT\necho training\nwhile :; do sleep 0.05; done";
        let place = place("exit 0", trains);
        let mut running = Running::start(command(&place, LINE));
        running.wait_for("training");
        running.signal(signal);
        let mut out = String::new();
        running.out.read_to_string(&mut out).unwrap();
        assert_eq!(running.child.wait().unwrap().code(), Some(0), "{signal}: {out}");
        assert!(out.contains("saved"), "{signal}: {out}");
    }
}

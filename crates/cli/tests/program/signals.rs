//! Ctrl-C and pipes that close.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use crate::support::{FEED_FORWARD, Place, RECURRENT, Running, text};

/// Interrupts a run after its first iterations, and resumes it.
fn an_interrupted_run_resumes_exactly(preset: &str, signal: &str) {
    let place = Place::with(&[("preset", preset)]);
    // Long enough to be under way when the signal arrives, in iterations that take their time.
    let steps = 300_000;
    let line = format!("train preset.yml --set run.dir=run --set ppo.epochs=20 --steps {steps}");
    let mut running = Running::start(place.command(&line));
    running.wait_for("steps ");
    running.signal(signal);
    let mut out = String::new();
    running.out.read_to_string(&mut out).unwrap();
    assert_eq!(running.child.wait().unwrap().code(), Some(0), "{out}");
    assert!(out.contains("interrupted after "), "{out}");
    assert!(out.contains("train --resume run"), "{out}");

    // A little further, so that the comparison does not take the whole run.
    let stopped = place.bits("run").steps();
    assert!(stopped < steps, "it was interrupted");
    let until = stopped + 1500;
    place.ok(&format!("train --resume run --until {until}"));
    place.ok(&format!("{line} --set run.dir=whole --until {until}"));
    place.bits("whole").assert_same(&place.bits("run"), "whole, and interrupted");
}

#[test]
fn control_c_saves_and_the_run_resumes_exactly() {
    an_interrupted_run_resumes_exactly(FEED_FORWARD, "INT");
}

#[test]
fn control_c_saves_and_a_recurrent_run_resumes_exactly() {
    an_interrupted_run_resumes_exactly(RECURRENT, "INT");
}

#[test]
fn termination_saves_too() {
    an_interrupted_run_resumes_exactly(FEED_FORWARD, "TERM");
}

#[test]
fn an_interrupted_run_still_ends_in_one_json_line() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let line = "train preset.yml --set run.dir=run --steps 1000000000 --json";
    let mut command = place.command(line);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The progress goes to standard error here.
    let mut error = [0; 200];
    child.stderr.as_mut().unwrap().read_exact(&mut error).unwrap();
    let rest = child.stderr.take().unwrap();
    let drain = std::thread::spawn(move || std::io::copy(&mut { rest }, &mut std::io::sink()));
    let pid = child.id().to_string();
    std::process::Command::new("kill").args(["-s", "INT", &pid]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    drain.join().unwrap().unwrap();
    assert!(output.status.success());
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["ended"], "interrupted");
}

#[test]
fn a_closed_pipe_does_not_end_a_run() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --set run.dir=whole");
    for (run, mode) in [("closed", ""), ("closed-json", "--json")] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = place.command(&format!("train preset.yml --set run.dir={run} {mode}"));
        let output = command.stdout(Stdio::from(writer)).output().unwrap();
        let error = text(&output.stderr);
        assert!(output.status.success() && !error.contains("panicked"), "{run}: {error}");
        place.bits("whole").assert_same(&place.bits(run), "heard, and unheard");
    }
}

#[test]
fn a_closed_error_stream_does_not_end_a_run() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = place.command("train preset.yml --set run.dir=run --json");
    let output = command.stderr(Stdio::from(writer)).output().unwrap();
    assert!(output.status.success(), "{:?}", output.status);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["ended"], "steps");
}

#[test]
fn control_c_ends_an_evaluation_that_tells_how_far_it_is() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --until 400 --set run.dir=run");
    let mut running = Running::start(place.command("eval run --matches 1000000 --threads 1"));
    // In a pipe there is a line every few seconds.
    let mut said = BufReader::new(running.child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.starts_with("cartpole: ") && line.contains(" of 1000000 matches"), "{line}");
    running.signal("INT");
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    assert_eq!(running.child.wait().unwrap().code(), Some(1), "{rest}");
    assert!(rest.contains("error: interrupted after "), "{rest}");
}

#[test]
fn the_last_evaluation_comes_after_the_save_and_ends_by_control_c() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let matches = "--set evaluation.every=null --set evaluation.matches=1000000";
    let line = format!("train preset.yml --until 400 --set run.dir=run --threads 1 {matches}");
    let mut running = Running::start(place.command(&line));
    let mut said = BufReader::new(running.child.stderr.take().unwrap());
    let mut progress = String::new();
    said.read_line(&mut progress).unwrap();
    assert!(progress.starts_with("evaluating: "), "{progress}");
    assert!(progress.contains(" of 1000000 matches"), "{progress}");
    assert_eq!(place.bits("run").steps(), 768, "it is saved before");
    running.signal("INT");
    let mut rest = String::new();
    running.out.read_to_string(&mut rest).unwrap();
    assert_eq!(running.child.wait().unwrap().code(), Some(0), "{rest}");
    assert!(rest.contains("paused as asked") && !rest.contains("Evaluation,"), "{rest}");
}

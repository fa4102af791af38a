//! A full disk: the run stops and says so, and what was saved before is still there.

use std::process::Command;

use crate::support::{Bits, FEED_FORWARD, Place, checkpoints, text, tree};

/// Runs the program where no file may grow beyond so many blocks of 512 bytes: writes fail as they
/// do on a full disk.
pub fn limited(place: &Place, blocks: u32, line: &str) -> String {
    let program = env!("CARGO_BIN_EXE_lanista");
    let script = format!("ulimit -f {blocks}; trap '' XFSZ; exec {program} {line}");
    let mut command = Command::new("sh");
    let output = command.args(["-c", &script]).current_dir(place.path("")).output().unwrap();
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    error
}

/// The network takes some 15 kB, so a limit between that and the other files hits checkpoints.
const WIDE: &str = "--set policy.hidden=[40,40] --set evaluation.every=null";

#[test]
fn a_checkpoint_that_does_not_fit_leaves_the_one_before() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let line = format!("train preset.yml {WIDE}");
    place.ok(&format!("{line} --set run.dir=whole"));
    place.ok(&format!("{line} --set run.dir=run --until 1100"));
    let saved = checkpoints(&place.path("run"));
    let before = tree(&place.path("run/checkpoints"));

    let error = limited(&place, 24, &format!("{line} --set run.dir=run"));
    assert!(error.contains("File too large"), "{error}");
    assert!(error.contains("what was there before is untouched"), "{error}");
    assert_eq!(checkpoints(&place.path("run")), saved);
    assert!(before == tree(&place.path("run/checkpoints")), "the checkpoints were touched");

    place.ok(&format!("{line} --set run.dir=run"));
    let bits = |run| -> Bits { place.bits(run) };
    bits("whole").assert_same(&bits("run"), "always space, and none for a while");
}

#[test]
fn a_disk_that_takes_nothing_at_all_leaves_the_run_as_it_was() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --set run.dir=whole");
    place.ok("train preset.yml --set run.dir=run --until 1100");
    let before = tree(&place.path("run"));
    let error = limited(&place, 0, "train preset.yml --set run.dir=run");
    assert!(error.contains("run/model.zip"), "{error}");
    assert!(before == tree(&place.path("run")), "the run was touched");
    place.ok("train --resume run");
    place.bits("whole").assert_same(&place.bits("run"), "always space, and none for a while");
}

#[test]
fn metrics_that_do_not_fit_stop_the_run_and_are_mended_later() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    // Small networks and many iterations: here the metrics are what grows.
    let line = "train preset.yml --set policy.hidden=[4] --set checkpoint.every=2000";
    place.ok(&format!("{line} --set run.dir=whole --steps 12000"));
    let error = limited(&place, 20, &format!("{line} --set run.dir=run --steps 12000"));
    assert!(error.contains("metrics.jsonl: File too large"), "{error}");
    assert!(!checkpoints(&place.path("run")).is_empty());
    place.ok(&format!("{line} --set run.dir=run --steps 12000"));
    place.bits("whole").assert_same(&place.bits("run"), "always space, and none for a while");
}

#[test]
fn a_new_run_on_a_full_disk_fails_cleanly() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let error = limited(&place, 24, &format!("train preset.yml {WIDE} --set run.dir=run"));
    assert!(error.contains(".safetensors: File too large"), "{error}");
    place.ok(&format!("train preset.yml {WIDE} --set run.dir=run"));
    place.ok(&format!("train preset.yml {WIDE} --set run.dir=whole"));
    place.bits("whole").assert_same(&place.bits("run"), "always space, and none at first");
}

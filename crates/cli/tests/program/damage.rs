//! Damaged checkpoints are named and passed over, and the result is still the same.

use std::fs;
use std::path::Path;

use crate::support::{FEED_FORWARD, Place, checkpoints, copy, newest_checkpoint, text, tree};

const FILES: [&str; 5] =
    ["policy.safetensors", "optimizer.safetensors", "matches.safetensors", "state.json", "SUMS"];

fn cut_in_half(file: &Path) {
    let bytes = fs::read(file).unwrap();
    fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
}

fn flip(file: &Path, at: usize, bit: u8) {
    let mut bytes = fs::read(file).unwrap();
    bytes[at] ^= 1 << bit;
    fs::write(file, bytes).unwrap();
}

/// Damages the newest of three checkpoints and trains on.
fn the_one_before_is_used(damage: fn(&Path)) {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --set run.dir=whole");
    place.ok("train preset.yml --set run.dir=half --until 2600");
    let whole = place.bits("whole");
    for file in FILES {
        let run = format!("damaged-{file}");
        copy(&place.path("half"), &place.path(&run));
        let newest = newest_checkpoint(&place.path(&run));
        damage(&newest.join(file));
        let output = place.run(&format!("train preset.yml --set run.dir={run}"));
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{file}: {err}");
        let warning = err.lines().find(|l| l.contains(" is damaged: ")).unwrap_or_default();
        assert!(warning.starts_with("warning: "), "{file}: {err}");
        let checkpoint = newest.strip_prefix(place.path("")).unwrap().display().to_string();
        assert!(warning.contains(&checkpoint), "{file}: {warning}");
        // A wrong line in SUMS cannot be told from a wrong file.
        assert!(file == "SUMS" || warning.contains(file), "{file}: {warning}");
        assert!(out.starts_with("resuming preset.yml at 2304 steps"), "{file}: {out}");
        whole.assert_same(&place.bits(&run), &format!("undamaged, and damaged in {file}"));
    }
}

#[test]
fn a_file_cut_short() {
    the_one_before_is_used(cut_in_half);
}

#[test]
fn an_empty_file() {
    the_one_before_is_used(|file| fs::write(file, "").unwrap());
}

#[test]
fn one_flipped_bit_in_the_middle() {
    the_one_before_is_used(|file| flip(file, fs::read(file).unwrap().len() / 2, 0));
}

#[test]
fn one_flipped_bit_that_makes_text_no_text() {
    the_one_before_is_used(|file| flip(file, 3, 7));
}

#[test]
fn a_missing_file_is_named() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --set run.dir=whole");
    place.ok("train preset.yml --set run.dir=half --until 2600");
    for file in FILES {
        copy(&place.path("half"), &place.path(file));
        fs::remove_file(newest_checkpoint(&place.path(file)).join(file)).unwrap();
        let output = place.run(&format!("train preset.yml --set run.dir={file}"));
        let err = text(&output.stderr);
        assert!(output.status.success() && err.contains(&format!("2688/{file}")), "{err}");
        place.bits("whole").assert_same(&place.bits(file), file);
    }
}

#[test]
fn several_damaged_checkpoints_are_passed_over_at_once() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --set run.dir=whole");
    place.ok("train preset.yml --set run.dir=run --until 2600");
    assert_eq!(checkpoints(&place.path("run")), [1152, 2304, 2688]);
    for steps in ["2304", "2688"] {
        cut_in_half(&place.path("run/checkpoints").join(steps).join("state.json"));
    }
    let output = place.run("train preset.yml --set run.dir=run");
    assert_eq!(text(&output.stderr).matches(" is damaged: ").count(), 2);
    place.bits("whole").assert_same(&place.bits("run"), "undamaged, and damaged twice");
}

#[test]
fn sound_checkpoints_are_not_thrown_out_for_damaged_ones() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --set run.dir=run --until 2600");
    for steps in ["2304", "2688"] {
        cut_in_half(&place.path("run/checkpoints").join(steps).join("state.json"));
    }
    let line = "train preset.yml --set run.dir=run --set checkpoint.keep=1";
    place.ok(&format!("{line} --until 1500"));
    let out = place.ok(line);
    assert!(out.starts_with("resuming preset.yml at 1536 steps"), "{out}");
}

#[test]
fn when_all_are_damaged_the_run_is_refused_and_left_alone() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --set run.dir=run --until 2600");
    let all = checkpoints(&place.path("run"));
    assert_eq!(all.len(), 3);
    for steps in &all {
        cut_in_half(&place.path("run/checkpoints").join(steps.to_string()).join(FILES[0]));
    }
    let before = tree(&place.path("run"));
    for line in ["train preset.yml --set run.dir=run", "train --resume run"] {
        let error = place.fails(line);
        assert!(error.contains("has checkpoints, but none can be used"), "{error}");
        for steps in &all {
            assert!(error.contains(&format!("{steps}/{} is damaged", FILES[0])), "{error}");
        }
        assert!(before == tree(&place.path("run")), "the run was touched");
    }
}

#[test]
fn a_checkpoint_that_was_being_replaced_is_found_again() {
    // As a kill between the two renames of a replacement leaves it.
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --set run.dir=whole");
    place.ok("train preset.yml --set run.dir=run --until 700");
    assert_eq!(checkpoints(&place.path("run")), [768]);
    let (from, to) = (place.path("run/checkpoints/768"), place.path("run/checkpoints/.768.old"));
    fs::rename(from, to).unwrap();
    let out = place.ok("train preset.yml --set run.dir=run");
    assert!(out.starts_with("resuming preset.yml at 768 steps"), "{out}");
    place.bits("whole").assert_same(&place.bits("run"), "replaced, and caught in between");
    let left: Vec<_> = fs::read_dir(place.path("run/checkpoints")).unwrap().collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn a_damaged_model_is_refused() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --set run.dir=run --until 700");
    cut_in_half(&place.path("run/model.zip"));
    let error = place.fails("eval run");
    assert!(error.contains("model.zip is not a sound model"), "{error}");
}

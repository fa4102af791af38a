//! Files are hostile until they are parsed: mutants of every kind of file that the program reads.
//!
//! A mutant may be accepted or refused. It may not panic, abort, hang or take more than 500 MB. Which
//! mutants there are follows from their numbers, so a failure can be repeated. `MUTANTS=5000` tries
//! more of each kind than a test has time for, `MUTANT_SECONDS=5` makes it strict about time.
//!
//! This is what a fuzzer does, without one: it runs wherever the tests run.

// A limit of memory is set by a shell, and Windows has none that sets one.
#![cfg(unix)]

mod files;
mod mutate;
mod runner;
mod targets;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::MultiGzDecoder;
use tempfile::TempDir;

use crate::files::{Tree, read_tree, write_tree};
use crate::mutate::Dice;
use crate::runner::{each, how_many, in_process, program};

/// Memory, both normalisers, heads that see each other.
const RECURRENT: &str = "
game: levers
rollout: { matches: 2, horizon: 8 }
policy:
  hidden: [6]
  memory: { cell: lstm, size: 4 }
  heads: { hidden: [4], autoregressive: true }
  normalize_observations: true
ppo: { minibatch: 8, epochs: 1 }
rewards: { key: 1 }
evaluation: { matches: 2 }
stop: { steps: 30 }
";

/// A league with its past, an exploiter and stacked frames.
const LEAGUE: &str = "
game: duel
settings: { rounds: 3 }
observation: { stack: 2 }
rollout: { matches: 4, horizon: 8, shard: 2 }
policy: { hidden: [6], memory: { cell: gru, size: 4 }, normalize_observations: true }
ppo: { minibatch: 16, epochs: 1, scale_rewards: true, optimizer: { name: muon } }
rewards: { won: 1 }
opponents: { past: 0.5, bot:random: 0.2 }
league: { every: 40, pool: 3 }
exploiters: [{ against: main, rollouts: 2 }]
evaluation: { matches: 2 }
checkpoint: { every: 100, keep: 1 }
stop: { steps: 240 }
";

/// A directory with the runs of these presets.
fn runs(presets: &[(&str, &str)]) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    for (name, text) in presets {
        fs::write(place.path().join(format!("{name}.yml")), text).unwrap();
        let trained = Command::new(env!("CARGO_BIN_EXE_lanista"))
            .args(["train", &format!("{name}.yml"), "--threads", "1", "--set"])
            .arg(format!("run.dir={name}"))
            .current_dir(place.path())
            .output()
            .unwrap();
        assert!(trained.status.success(), "{}", String::from_utf8_lossy(&trained.stderr));
    }
    place
}

/// A directory with these files.
fn corpus(files: impl IntoIterator<Item = (PathBuf, Vec<u8>)>) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    write_tree(&place.path().join("corpus"), &files.into_iter().collect::<Tree>());
    place
}

/// Runs mutants in a process of its own; nothing unless it is told to.
#[test]
#[ignore = "the other tests run it"]
fn child() {
    runner::child();
}

#[test]
fn models() {
    let place = runs(&[("recurrent", RECURRENT), ("league", LEAGUE)]);
    let read = |name: &str| fs::read(place.path().join(name)).unwrap();
    let files = ["recurrent/model.zip", "league/model.zip", "league/league/0.zip"]
        .map(|name| (PathBuf::from(name.replace('/', "-")), read(name)));
    let corpus = corpus(files);
    in_process("models", &corpus.path().join("corpus"), how_many(400));
}

#[test]
fn checkpoints() {
    let place = runs(&[("league", LEAGUE)]);
    in_process("checkpoints", &place.path().join("league"), how_many(150));
}

#[test]
fn presets() {
    let presets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../presets");
    in_process("presets", &presets, how_many(400));
}

#[test]
fn recordings() {
    let preset = format!("{LEAGUE}recording: {{ every: 4, keep: 6 }}\n");
    let place = runs(&[("kept", &preset)]);
    in_process("recordings", &place.path().join("kept/recordings"), how_many(400));
}

#[test]
fn traces() {
    let fights = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/nh/tests/data/fights");
    let beginning = |packed: &[u8]| {
        let mut text = String::new();
        MultiGzDecoder::new(packed).read_to_string(&mut text).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').take(12).collect();
        lines.concat().into_bytes()
    };
    let files = read_tree(&fights);
    let files = files.iter().map(|(path, bytes)| {
        let name = path.display().to_string();
        (PathBuf::from(name.trim_end_matches(".gz")), beginning(bytes))
    });
    let corpus = corpus(files);
    in_process("traces", &corpus.path().join("corpus"), how_many(200));
}

#[test]
fn files_of_a_league() {
    let place = runs(&[("league", LEAGUE)]);
    let run = place.path().join("league");
    let sound = read_tree(&run);
    let shown = |path: &Path| {
        let names = ["config.yml", "model.zip", "league/results.csv", "league/pool.json"];
        names.iter().any(|name| path == Path::new(name))
    };
    each("files of a league", how_many(150), |number| {
        let mut dice = Dice::new("league", number);
        let mut tree = sound.clone();
        files::run(&mut dice, &mut tree, shown);
        tree.retain(|path, _| shown(path));
        write_tree(&place.path().join("mutant"), &tree);
        let ended = program(place.path(), &["league", "mutant", "--plot", "plot.svg", "--json"]);
        if ended.is_some() {
            // Kept for whoever looks into it.
            let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("league-{number}"));
            write_tree(&kept, &tree);
        }
        ended
    });
}

#[test]
fn meshes() {
    let place = tempfile::tempdir().unwrap();
    let sound: Tree = (lanista_rocket::arena::procedural::components().iter().enumerate())
        .map(|(i, bytes)| (PathBuf::from(format!("soccar/mesh_{i}.cmf")), bytes.clone()))
        .collect();
    let names: Vec<PathBuf> = sound.keys().cloned().collect();
    write_tree(&place.path().join("meshes"), &sound);
    each("meshes", how_many(16), |number| {
        let mut dice = Dice::new("meshes", number);
        let (name, other) = (dice.pick(&names).clone(), dice.pick(&names).clone());
        let mut bytes = sound[&name].clone();
        // Mostly the digits behind the point: the hash of a component looks at the whole part alone,
        // so such a file reaches the engine.
        match dice.below(3) {
            0 => mutate::bytes(&mut dice, &mut bytes, &sound[&other]),
            _ => fractions(&mut dice, &mut bytes),
        }
        let path = place.path().join("meshes").join(&name);
        fs::write(&path, bytes).unwrap();
        let set = "settings.collision_meshes=meshes";
        let ended = program(place.path(), &["games", "rocket", "--set", set]);
        fs::write(&path, &sound[&name]).unwrap();
        ended
    });
}

/// Changes the digits behind the point of some coordinates.
fn fractions(dice: &mut Dice, mesh: &mut [u8]) {
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    let first = 8 + 12 * word(mesh);
    let coordinates = 3 * word(&mesh[4..]);
    for _ in 0..1 + dice.below(200) {
        let at = first + 4 * dice.below(coordinates);
        let value = f32::from_le_bytes(mesh[at..at + 4].try_into().unwrap());
        let moved = value.trunc() + value.signum() * dice.below(1000) as f32 / 1000.0;
        mesh[at..at + 4].copy_from_slice(&moved.to_le_bytes());
    }
}

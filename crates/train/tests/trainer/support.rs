//! Runs of small presets, on disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use lanista_game::Entry;
use lanista_train::layers::{Override, load, to_yaml};
use lanista_train::run::{Begun, Summary};
use lanista_train::{Catalog, Orders, Plan, RunConfig, RunDirectory, RunError, Trainer};

/// Reads a preset with overrides.
pub fn config(preset: &str, sets: &[&str]) -> RunConfig {
    let overrides: Vec<Override> = sets.iter().map(|s| Override::set(s).unwrap()).collect();
    RunConfig::read(&load("preset", &[("preset", preset)], &overrides).unwrap()).unwrap()
}

/// The trainer of a whole run: what the preset's own path into it makes of this configuration.
pub fn trainer(entry: Entry, config: &RunConfig) -> Trainer {
    let text = to_yaml(config).unwrap();
    let catalog = Catalog { games: &[entry], presets: &[("preset", &text)] };
    catalog.load("preset", &[]).unwrap().plan(None).unwrap().trainer().unwrap()
}

/// Begins or resumes a run and trains it, to a pause if one is given. Nothing checks the configuration,
/// so that it may be one that no preset may have.
pub fn train(
    directory: &Path,
    entry: Entry,
    config: RunConfig,
    pause_at: Option<u64>,
) -> (Begun, Result<Summary, RunError>) {
    let mut run = RunDirectory::open(directory).unwrap();
    let spec = entry.build(&config.settings, 1).unwrap().spec().clone();
    let exploiters = config.exploiters.iter().map(|e| (e.clone(), config.clone())).collect();
    let (stages, remarks) = (vec![config.clone()], Vec::new());
    let mut trainer = Plan { entry, spec, config, stages, exploiters, remarks, original: None }
        .trainer()
        .unwrap();
    let begun = run.begin(&mut trainer).unwrap();
    let interrupt = AtomicBool::new(false);
    let orders = Orders { pause_at, ..Orders::until_interrupted(&interrupt) };
    let summary = run.train(&mut trainer, &mut [], &orders);
    (begun, summary)
}

/// The newest checkpoint of a run.
pub fn newest(directory: &Path) -> PathBuf {
    let all = lanista_train::checkpoint::list(&directory.join("checkpoints")).unwrap();
    all.last().unwrap().1.clone()
}

/// What the newest checkpoint holds, without the time it took.
pub fn bits(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(newest(directory)).unwrap() {
        let entry = entry.unwrap();
        let (name, mut bytes) =
            (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
        if name.ends_with(".json") {
            let mut state: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            state["progress"]["seconds"].take();
            state["time"].take();
            bytes = state.to_string().into_bytes();
        }
        // The sums follow from the files, and so from the time.
        if name != "SUMS" && name != "seals.json" {
            files.insert(name, bytes);
        }
    }
    assert!(files.len() >= 4, "a policy, an optimizer, matches and a state: {:?}", files.keys());
    files
}

/// Compares two runs file by file, without printing their bytes.
pub fn assert_same(a: &Path, b: &Path) {
    let (a, b) = (bits(a), bits(b));
    assert!(a.keys().eq(b.keys()), "{:?} {:?}", a.keys(), b.keys());
    for (name, bytes) in &a {
        if name.ends_with(".json") {
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            assert_eq!(text(bytes), text(&b[name]), "{name}");
        }
        assert!(*bytes == b[name], "{name} differs");
    }
}

/// `metrics.jsonl` without what depends on the machine.
pub fn metrics(run: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let line = |line: &str| {
        let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
        value.as_object_mut().unwrap().remove("time");
        value
    };
    text.lines().map(line).collect()
}

//! Games that break: the run stops, says exactly where, and can go on without that episode.

use std::path::Path;

use lanista_game::{Buffers, Control, seed};
use lanista_train::checkpoint::Continued;
use lanista_train::failure::Failure;
use lanista_train::files::RunFiles;
use lanista_train::metrics::{Record, Sink};
use lanista_train::run::Ending;
use lanista_train::shard::MatchFault;
use lanista_train::{RunError, TrainError};

use crate::games::{BREAKS_AT, fragile};
use crate::support::{assert_same, config, newest, train};

pub const PRESET: &str = "
game: fragile
rollout: { matches: 8, horizon: 25, shard: 2 }
policy: { hidden: [8] }
ppo: { minibatch: 100, epochs: 2 }
rewards: { tick: 1, bonus: 1 }
evaluation: { matches: 4 }
checkpoint: { every: 400 }
stop: { steps: 2000 }
run: { seed: 11 }
";

/// The match and the episode that break. Episodes last 60 steps, so this is in the fourth
/// iteration: 60 + 37 steps in.
const MATCH: usize = 5;
const EPISODE: u64 = 1;

pub fn faulty_seed() -> u64 {
    seed::episode(11, MATCH, EPISODE)
}

pub fn sets(how: &str, seed: u64) -> [String; 2] {
    [format!("settings.how={how}"), format!("settings.seed={seed}")]
}

fn broken(directory: &Path, how: &str, threads: &str) -> (MatchFault, u64) {
    let [how, seed] = sets(how, faulty_seed());
    let config = config(PRESET, &[&how, &seed, threads]);
    match train(directory, fragile(), config, None).1 {
        Err(RunError::Stopped { error: TrainError::Match(fault), saved, steps }) => {
            assert_eq!(saved, newest(directory));
            (fault, steps)
        }
        other => panic!("it should have stopped: {:?}", other.map(|s| s.ending)),
    }
}

/// `step` is the number of steps after which the fault shows.
fn stops_saves_and_goes_on(how: &str, step: u32, message: &str) {
    let directory = tempfile::tempdir().unwrap();
    let (fault, steps) = broken(directory.path(), how, "run.threads=2");
    let expected = MatchFault {
        match_index: MATCH,
        episode: EPISODE,
        seed: faulty_seed(),
        step,
        message: message.into(),
    };
    assert_eq!(fault, expected);
    assert_eq!(steps, 600, "three whole iterations are saved");

    // The same error, as the user reads it.
    let text = fault.to_string();
    let place = format!("match 5, episode 1 (seed {}), step {step}: ", faulty_seed());
    assert_eq!(text, format!("{place}{message}"));

    // The run goes on from there, without the episode that broke.
    let [how, seed] = sets(how, faulty_seed());
    let (begun, summary) = train(directory.path(), fragile(), config(PRESET, &[&how, &seed]), None);
    assert_eq!((begun.resumed_at, begun.continued), (Some(600), Continued::Anew));
    assert_eq!(begun.passed_over, Vec::<String>::new());
    assert_eq!(summary.unwrap().ending, Ending::Steps);
    let metrics = std::fs::read_to_string(directory.path().join("metrics.jsonl")).unwrap();
    assert_eq!(metrics.lines().count(), 10, "one line an iteration, the broken one only once");
}

#[test]
fn a_panic_is_located() {
    stops_saves_and_goes_on("panic", BREAKS_AT, "the game panicked: the rope snapped");
}

#[test]
fn a_number_that_is_none_in_a_view_is_located() {
    let message = "the observation of seat 0 holds NaN in `strain`; mend the game";
    stops_saves_and_goes_on("view", BREAKS_AT, message);
}

#[test]
fn a_number_that_is_none_in_a_term_is_located() {
    let message = "seat 0 earned NaN of `bonus`; mend the game";
    stops_saves_and_goes_on("term", BREAKS_AT + 1, message);
}

#[test]
fn the_same_fault_is_reported_on_any_number_of_threads() {
    let faults: Vec<_> = ["run.threads=1", "run.threads=2", "run.threads=5"]
        .map(|threads| broken(tempfile::tempdir().unwrap().path(), "panic", threads))
        .into();
    assert_eq!(faults[0], faults[1]);
    assert_eq!(faults[0], faults[2]);
}

#[test]
fn the_named_episode_breaks_again_when_played_alone() {
    for how in ["panic", "view", "term"] {
        let directory = tempfile::tempdir().unwrap();
        let (fault, _) = broken(directory.path(), how, "run.threads=1");
        let settings = serde_json::json!({"how": how, "seed": faulty_seed()});
        let mut batch = fragile().build(&settings, 1).unwrap();
        let mut buffers = Buffers::new(batch.spec(), 1);
        batch.start(0, fault.seed, &[Control::Outside], &mut buffers).unwrap();
        for _ in 0..fault.step {
            assert!(buffers.terms.iter().chain(&buffers.observation).all(|v| v.is_finite()));
            batch.submit(&[0], &[0], &mut buffers).unwrap();
        }
        match how {
            "view" => assert!(buffers.observation[1].is_nan()),
            "term" => assert!(buffers.terms[1].is_nan()),
            _ => {
                let again = batch.submit(&[0], &[0], &mut buffers).unwrap_err();
                assert_eq!(again.message, fault.message);
            }
        }
    }
}

#[test]
fn a_fault_in_an_evaluation_loses_nothing() {
    // Evaluations draw from a seed of their own; here its third match breaks.
    let [how, seed] = sets("panic", seed::episode(seed::mix(11, 3), 2, 0));
    for every in ["evaluation.every=600", "evaluation.every=null"] {
        let directory = tempfile::tempdir().unwrap();
        let config = config(PRESET, &[&how, &seed, every, "checkpoint.every=1000000"]);
        let (_, summary) = train(directory.path(), fragile(), config, None);
        let Err(RunError::Stopped { error, saved, steps }) = summary else {
            panic!("{every}: it should have stopped and saved: {:?}", summary.err());
        };
        assert!(error.to_string().contains("step 37: the game panicked: the rope snapped"));
        assert_eq!(steps, if every.ends_with("600") { 600 } else { 2000 });
        assert_eq!(saved, newest(directory.path()));
    }
}

#[test]
fn a_fault_before_the_first_checkpoint_saves_the_beginning() {
    // The first episode breaks in the second iteration, long before the first checkpoint.
    let [how, seed] = sets("panic", seed::episode(11, 0, 0));
    let sets = [how.as_str(), seed.as_str(), "checkpoint.every=1000000"];
    let directory = tempfile::tempdir().unwrap();
    let (_, summary) = train(directory.path(), fragile(), config(PRESET, &sets), None);
    assert!(matches!(summary, Err(RunError::Stopped { steps: 200, .. })), "{:?}", summary.err());
    let (begun, summary) = train(directory.path(), fragile(), config(PRESET, &sets), None);
    assert_eq!(begun.resumed_at, Some(200));
    assert_eq!(summary.unwrap().ending, Ending::Steps);
}

#[test]
fn a_run_resumed_after_a_fault_repeats() {
    let [how, seed] = sets("panic", faulty_seed());
    let runs = [(); 2].map(|()| tempfile::tempdir().unwrap());
    for (run, threads) in runs.iter().zip(["run.threads=1", "run.threads=3"]) {
        broken(run.path(), "panic", threads);
        train(run.path(), fragile(), config(PRESET, &[&how, &seed, threads]), None).1.unwrap();
    }
    assert_same(runs[0].path(), runs[1].path());
}

#[test]
fn a_run_that_diverges_leaves_its_last_sound_checkpoint() {
    let directory = tempfile::tempdir().unwrap();
    train(directory.path(), fragile(), config(PRESET, &[]), Some(1000)).1.unwrap();
    let sound = newest(directory.path());
    let files = |path: &Path| -> Vec<(std::ffi::OsString, Vec<u8>)> {
        let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap());
        let read =
            |entry: std::fs::DirEntry| (entry.file_name(), std::fs::read(entry.path()).unwrap());
        let mut files: Vec<_> = entries.map(read).collect();
        files.sort();
        files
    };
    let read = |name: &str| std::fs::read(directory.path().join(name)).unwrap();
    let (before, model, kept) = (files(&sound), read("model.zip"), read("config.yml"));
    let mut astray = config(PRESET, &[]);
    // Beyond what a preset may ask for.
    astray.ppo.learning_rate = 1e39.into();
    match train(directory.path(), fragile(), astray, None).1 {
        Err(error @ RunError::Failed { error: TrainError::Diverged(_), .. }) => {
            let text = error.to_string();
            assert!(text.contains("the last sound checkpoint is that at 1000 steps"), "{text}");
        }
        other => panic!("it should have failed: {:?}", other.map(|s| s.ending)),
    }
    assert_eq!(newest(directory.path()), sound);
    assert!(before == files(&sound), "the checkpoint was touched");
    assert!(model == read("model.zip"));
    assert!(kept == read("config.yml"), "a resume would lead nowhere again");
}

#[test]
fn a_state_that_could_not_be_read_again_is_not_saved() {
    let directory = tempfile::tempdir().unwrap();
    train(directory.path(), fragile(), config(PRESET, &[]), Some(1000)).1.unwrap();
    let sound = newest(directory.path());
    let mut run = lanista_train::RunDirectory::open(directory.path()).unwrap();
    let mut trainer = lanista_train::Trainer::new(fragile(), config(PRESET, &[])).unwrap();
    run.begin(&mut trainer).unwrap();
    trainer.agent.learners[0].as_mut().unwrap().return_scale.mean = f64::INFINITY;
    let interrupt = std::sync::atomic::AtomicBool::new(false);
    let orders = lanista_train::Orders {
        pause_at: Some(1200),
        ..lanista_train::Orders::until_interrupted(&interrupt)
    };
    match run.train(&mut trainer, &mut [], &orders) {
        Err(error @ RunError::Unsound { .. }) => {
            let text = error.to_string();
            assert!(text.contains("not finite") && text.contains("at 1000 steps"), "{text}");
        }
        other => panic!("it should have been refused: {:?}", other.map(|s| s.ending)),
    }
    assert_eq!(newest(directory.path()), sound);
}

fn noted(directory: &Path) -> Option<Failure> {
    Failure::read(&RunFiles::of(directory).failure())
}

#[test]
fn how_a_run_failed_is_written_down_until_it_is_trained_on() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let (fault, steps) = broken(path, "panic", "run.threads=1");
    let failure = noted(path).expect("a note");
    assert!(failure.message.contains(&fault.message), "{}", failure.message);
    assert!(failure.message.contains("saved at"), "{}", failure.message);
    assert_eq!(failure.steps, steps);
    assert!(failure.unix > 1.7e9);
    let [how, seed] = sets("panic", faulty_seed());
    train(path, fragile(), config(PRESET, &[&how, &seed]), None).1.unwrap();
    assert_eq!(noted(path), None);
    // A run that diverges, too; and one that is paused leaves no note.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    train(path, fragile(), config(PRESET, &[]), Some(400)).1.unwrap();
    assert_eq!(noted(path), None);
    let mut astray = config(PRESET, &[]);
    astray.ppo.learning_rate = 1e39.into();
    let error = train(path, fragile(), astray, None).1.map(|s| s.ending).unwrap_err();
    assert_eq!(noted(path).expect("a note").message, error.to_string());
}

/// Somebody who listens and cannot bear it.
struct Fragile;

impl Sink for Fragile {
    fn record(&mut self, record: &Record) -> Result<(), lanista_train::disk::DiskError> {
        match record {
            Record::Iteration(_) => panic!("it was too much"),
            _ => Ok(()),
        }
    }
}

#[test]
fn a_panic_of_the_program_itself_is_written_down_and_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let mut run = lanista_train::RunDirectory::open(directory.path()).unwrap();
    let mut trainer = lanista_train::Trainer::new(fragile(), config(PRESET, &[])).unwrap();
    run.begin(&mut trainer).unwrap();
    let interrupt = std::sync::atomic::AtomicBool::new(false);
    let orders = lanista_train::Orders::until_interrupted(&interrupt);
    let trains =
        std::panic::AssertUnwindSafe(|| run.train(&mut trainer, &mut [&mut Fragile], &orders));
    assert!(std::panic::catch_unwind(trains).is_err(), "the panic goes on");
    let failure = noted(directory.path()).expect("a note");
    assert_eq!(failure.message, "the program panicked: it was too much");
    drop(run);
    // A directory that was replaced while training belongs to somebody else.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run");
    let mut run = lanista_train::RunDirectory::open(&path).unwrap();
    let mut trainer = lanista_train::Trainer::new(fragile(), config(PRESET, &[])).unwrap();
    run.begin(&mut trainer).unwrap();
    std::fs::remove_dir_all(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert!(matches!(run.train(&mut trainer, &mut [], &orders), Err(RunError::Gone(_))));
    assert!(!RunFiles::of(&path).failure().exists());
}

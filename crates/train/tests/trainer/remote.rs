//! Matches that are played by workers: the same bits as without them, whatever happens to the workers.

mod processes;
mod rooms;
mod threads;

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use lanista_game::{Entry, seed};
use lanista_train::remote::{Crew, Mode, Transport, Workers};
use lanista_train::run::Summary;
use lanista_train::{Catalog, Orders, Plan, RunConfig, RunDirectory, RunError};

use crate::faults::{PRESET, sets};
use crate::games::{fragile, live, live_relay, pairs, relay};
use crate::support::{assert_same, config, metrics};
use processes::Processes;
use rooms::{Deaths, Rooms};
use threads::Threads;

/// Trains a run, by workers if there is something that carries messages to them.
fn train(
    directory: &Path,
    entry: &Entry,
    config: &RunConfig,
    transport: Option<Box<dyn Transport>>,
    pause_at: Option<u64>,
) -> Result<Summary, RunError> {
    let workers = transport.map(|transport| Workers::new(transport, Mode::Sync));
    train_by(directory, entry, config, workers, pause_at)
}

fn train_by(
    directory: &Path,
    entry: &Entry,
    config: &RunConfig,
    workers: Option<Workers>,
    pause_at: Option<u64>,
) -> Result<Summary, RunError> {
    let plan = plan(entry, config);
    let mut trainer = match workers {
        Some(workers) => plan.trainer_with(workers),
        None => plan.trainer(),
    }
    .unwrap();
    let mut run = RunDirectory::open(directory).unwrap();
    run.begin(&mut trainer)?;
    let interrupt = AtomicBool::new(false);
    let orders = Orders { pause_at, ..Orders::until_interrupted(&interrupt) };
    run.train(&mut trainer, &mut [], &orders)
}

fn plan(entry: &Entry, config: &RunConfig) -> Plan {
    let text = lanista_train::layers::to_yaml(config).unwrap();
    let catalog = Catalog { games: std::slice::from_ref(entry), presets: &[("preset", &text)] };
    catalog.load("preset", &[]).unwrap().plan(None).unwrap()
}

fn rooms(entry: &Entry, workers: usize, deaths: Deaths) -> Option<Box<dyn Transport>> {
    Some(Box::new(Rooms::new(entry.clone(), workers, deaths)))
}

/// Compares a run by workers with one without: checkpoint, metrics, league.
fn assert_equal(plain: &Path, remote: &Path) {
    assert_same(plain, remote);
    assert_eq!(metrics(plain), metrics(remote));
    for file in ["league/pool.json", "league/games.csv", "league/results.csv"] {
        let read = |run: &Path| std::fs::read(run.join(file)).ok();
        assert!(read(plain) == read(remote), "{file} differs");
    }
    let recordings = |run: &Path| {
        let files = std::fs::read_dir(run.join("recordings")).into_iter().flatten();
        let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        files.retain(|path| path.is_file());
        files.sort();
        let bytes = |path: &std::path::PathBuf| std::fs::read(path).unwrap();
        files
            .iter()
            .map(|path| (path.file_name().unwrap().to_owned(), bytes(path)))
            .collect::<Vec<_>>()
    };
    assert!(recordings(plain) == recordings(remote), "recordings differ");
}

/// One run without workers and some with them.
fn same_with_any_workers(entry: &Entry, preset: &str) {
    let config = config(preset, &[]);
    let plain = tempfile::tempdir().unwrap();
    train(plain.path(), entry, &config, None, None).unwrap();
    for (workers, deaths) in [
        (1, Deaths::None),
        (2, Deaths::None),
        (5, Deaths::None),
        (1, Deaths::Chance(0.2, 1)),
        (3, Deaths::Chance(0.3, 2)),
        (5, Deaths::Chance(0.1, 3)),
    ] {
        let run = tempfile::tempdir().unwrap();
        train(run.path(), entry, &config, rooms(entry, workers, deaths), None).unwrap();
        assert_equal(plain.path(), run.path());
    }
}

const CARTPOLE: &str = "
game: cartpole
rollout: { matches: 10, horizon: 40, shard: 3 }
policy: { hidden: [8], normalize_observations: true }
ppo: { minibatch: 100, epochs: 2, scale_rewards: true }
rewards: { balance: 1 }
observation: { stack: 2, noise: [{ features: ['0:2'], scale: 0.01 }] }
recording: { every: 3 }
evaluation: { matches: 4 }
checkpoint: { every: 1000 }
stop: { steps: 4000 }
";

fn classic(name: &str) -> Entry {
    lanista_classic::games().into_iter().find(|game| game.name == name).unwrap()
}

#[test]
fn a_game_alone() {
    same_with_any_workers(&classic("cartpole"), CARTPOLE);
}

/// A memory, a pool whose snapshots are dropped while matches go on, late and likeliest guests.
const LEAGUE: &str = "
game: relay
rollout: { matches: 8, horizon: 7, shard: 3 }
policy: { hidden: [8], normalize_observations: true, memory: { cell: gru, size: 6 } }
ppo: { minibatch: 16, epochs: 2, scale_rewards: true, sequence_length: 4 }
rewards: { earned: 1 }
opponents: { past: 0.6, bot:steady: 0.2 }
league: { every: 60, pool: 3, delay_chance: 0.2, deterministic: 0.3 }
evaluation: { matches: 4 }
checkpoint: { every: 100000 }
stop: { steps: 900 }
";

#[test]
fn a_league_with_memory() {
    same_with_any_workers(&relay(), LEAGUE);
}

#[test]
fn mates_of_the_past() {
    let preset = LEAGUE.replace("pool: 3,", "pool: 3, mates: 0.4,");
    same_with_any_workers(&pairs(), &preset);
}

#[test]
fn exploiters() {
    let preset = LEAGUE.to_owned()
        + "exploiters:
  - { against: main, rollouts: 3, reset: 0.5, delay: 1 }
  - { against: league, rollouts: 2, pace: 1.5, start: scratch, reset: 0.3 }
";
    same_with_any_workers(&relay(), &preset);
}

/// Evaluations and exploiters on workers of their own: the same bits, recordings and reports, whoever dies.
#[test]
fn workers_that_do_other_work() {
    let preset = LEAGUE.replace(
        "evaluation: { matches: 4 }",
        "evaluation: { matches: 61, every: 200, vs: bot:steady }",
    ) + "recording: { evaluations: true }
exploiters:
  - { against: main, rollouts: 3, reset: 0.5, delay: 1 }
";
    let (entry, config) = (relay(), config(&preset, &[]));
    let plain = tempfile::tempdir().unwrap();
    let report = train(plain.path(), &entry, &config, None, None).unwrap().report;
    assert_eq!(report.as_ref().unwrap().matches, 61);
    for (count, exploiters, evaluators, deaths) in [
        (2, 0, 1, Deaths::None),
        (4, 1, 2, Deaths::None),
        (9, 1, 7, Deaths::None),
        (2, 1, 0, Deaths::Chance(0.2, 4)),
        (4, 1, 2, Deaths::Chance(0.3, 5)),
        (3, 0, 2, Deaths::Garbage(0.2, 6)),
    ] {
        let run = tempfile::tempdir().unwrap();
        let workers = Workers::new(rooms(&entry, count, deaths).unwrap(), Mode::Sync);
        let workers = workers.with_crew(Crew { exploiters, evaluators }).unwrap();
        let ended = train_by(run.path(), &entry, &config, Some(workers), None).unwrap();
        assert_eq!(ended.report, report, "{count} workers, {exploiters}, {evaluators}");
        assert_equal(plain.path(), run.path());
        let kept = |run: &Path| {
            let files = std::fs::read_dir(run.join("recordings/evaluations")).unwrap();
            let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
            files.sort();
            files.iter().map(|path| std::fs::read(path).unwrap()).collect::<Vec<_>>()
        };
        assert!(kept(plain.path()) == kept(run.path()) && !kept(run.path()).is_empty());
    }
    // Somebody has to play for the agent itself.
    for (exploiters, evaluators) in [(1, 1), (0, 2), (usize::MAX, 1)] {
        let workers = Workers::new(rooms(&entry, 2, Deaths::None).unwrap(), Mode::Sync);
        let refused = workers.with_crew(Crew { exploiters, evaluators }).err().unwrap();
        assert!(refused.to_string().contains("leave none of 2"), "{refused}");
    }
}

/// A match that breaks in an evaluation elsewhere is the error that it is here.
#[test]
fn an_evaluation_that_breaks_is_named() {
    let seed = seed::episode(seed::mix(11, 3), 17, 0);
    let [how, seed] = sets("panic", seed);
    let (entry, config) =
        (fragile(), config(PRESET, &[&how, &seed, "evaluation.matches=40", "stop.steps=400"]));
    let error = |workers: Option<Workers>| {
        let run = tempfile::tempdir().unwrap();
        match train_by(run.path(), &entry, &config, workers, None) {
            Err(RunError::Stopped { error, .. }) => error.to_string(),
            other => panic!("it should have stopped: {:?}", other.map(|s| s.ending)),
        }
    };
    let workers = Workers::new(rooms(&entry, 3, Deaths::None).unwrap(), Mode::Sync);
    let workers = workers.with_crew(Crew { exploiters: 0, evaluators: 2 }).unwrap();
    let there = error(Some(workers));
    assert_eq!(there, error(None));
    assert!(there.contains("match 17") && there.contains("the rope snapped"), "{there}");
}

/// Stages that change opponents and rewards, and one that changes the game.
#[test]
fn a_curriculum() {
    let preset = LEAGUE.to_owned()
        + "curriculum:
  - { name: first, until: { steps: 250 } }
  - name: against the past
    until: { steps: 200 }
    changes: { opponents: { past: 0.7, bot:steady: 0.1 }, ppo: { entropy: 0.05 } }
  - name: last
    changes: { rewards: { earned: 2 }, league: { sampler: uniform } }
";
    same_with_any_workers(&relay(), &preset);
}

/// Two roles, a pool for each side, and a stage in which the game is another one.
#[test]
fn a_curriculum_that_changes_the_game() {
    let preset = "
game: hideout
settings: { rounds: 3 }
rollout: { matches: 9, horizon: 4, shard: 2 }
policy: { hidden: [8], heads: { autoregressive: true } }
ppo: { minibatch: 60, epochs: 2 }
rewards: { won: 1 }
opponents: { past: 0.5 }
league: { every: 150, pool: 3 }
evaluation: { matches: 4 }
checkpoint: { every: 300 }
stop: { steps: 1500 }
curriculum:
  - { name: first, until: { steps: 400 } }
  - { name: longer, until: { steps: 500 }, changes: { settings: { rounds: 7 } } }
  - { name: last, changes: { settings: { fee: 0.5 } } }
";
    same_with_any_workers(&classic("hideout"), preset);
}

/// Both the learner and its workers die.
#[test]
fn a_learner_that_dies_resumes_with_other_workers() {
    let preset =
        LEAGUE.to_owned() + "exploiters:\n  - { against: main, rollouts: 3, reset: 0.5 }\n";
    let (entry, config) = (relay(), config(&preset, &[]));
    let plain = tempfile::tempdir().unwrap();
    train(plain.path(), &entry, &config, None, None).unwrap();
    let parts = tempfile::tempdir().unwrap();
    for (at, (pause, workers)) in [(130, 2), (200, 1), (290, 4), (600, 3)].into_iter().enumerate() {
        let deaths = Deaths::Chance(0.2, at as u64);
        train(parts.path(), &entry, &config, rooms(&entry, workers, deaths), Some(pause)).unwrap();
    }
    // The last part without any.
    train(parts.path(), &entry, &config, None, None).unwrap();
    assert_same(plain.path(), parts.path());
    assert_eq!(metrics(plain.path()), metrics(parts.path()));
}

/// Matches that cannot be replayed are cut at checkpoints, by workers as without them.
#[test]
fn a_live_game_without_deaths() {
    let preset = "
game: live
rollout: { matches: 6, horizon: 20, shard: 2 }
policy: { hidden: [8], memory: { cell: gru, size: 6 }, normalize_observations: true }
ppo: { minibatch: 60, epochs: 2, sequence_length: 5, scale_rewards: true }
rewards: { height: 1 }
evaluation: { matches: 4 }
checkpoint: { every: 600 }
stop: { steps: 2400 }
";
    for (entry, preset) in
        [(live(), preset.to_owned()), (live_relay(), LEAGUE.replace("every: 100000", "every: 150"))]
    {
        let config = config(&preset, &[]);
        let [plain, remote] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        train(plain.path(), &entry, &config, None, None).unwrap();
        train(remote.path(), &entry, &config, rooms(&entry, 2, Deaths::None), None).unwrap();
        assert_equal(plain.path(), remote.path());
        // With deaths it goes on, with matches that start anew.
        let died = tempfile::tempdir().unwrap();
        let deaths = Deaths::Chance(0.2, 5);
        train(died.path(), &entry, &config, rooms(&entry, 2, deaths), None).unwrap();
    }
}

/// A match that breaks is the same one, and what is saved then is the same.
#[test]
fn a_match_that_breaks() {
    let [how, seed] = crate::faults::sets("panic", crate::faults::faulty_seed());
    let (entry, config) = (fragile(), config(crate::faults::PRESET, &[&how, &seed]));
    let [plain, remote] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let without = train(plain.path(), &entry, &config, None, None).unwrap_err().to_string();
    let transport = rooms(&entry, 3, Deaths::Chance(0.1, 4));
    let with = train(remote.path(), &entry, &config, transport, None).unwrap_err().to_string();
    let place = |text: String, run: &Path| text.replace(&run.display().to_string(), "RUN");
    assert_eq!(place(without, plain.path()), place(with, remote.path()));
    assert_same(plain.path(), remote.path());
}

/// Answers that were cut or altered are taken for a worker that died.
#[test]
fn garbage_is_a_death() {
    let (entry, config) = (relay(), config(LEAGUE, &[]));
    let plain = tempfile::tempdir().unwrap();
    train(plain.path(), &entry, &config, None, None).unwrap();
    let run = tempfile::tempdir().unwrap();
    let transport = rooms(&entry, 3, Deaths::Garbage(0.3, 7));
    train(run.path(), &entry, &config, transport, None).unwrap();
    assert_equal(plain.path(), run.path());
}

/// Workers in processes of their own, of which some are killed in the middle of playing.
#[test]
fn processes_that_are_killed() {
    let config = config(CARTPOLE, &["stop.steps=6000"]);
    let entry = classic("cartpole");
    let plain = tempfile::tempdir().unwrap();
    train(plain.path(), &entry, &config, None, None).unwrap();
    let run = tempfile::tempdir().unwrap();
    let transport = Box::new(Processes::start(2, 5));
    train(run.path(), &entry, &config, Some(transport), None).unwrap();
    assert_equal(plain.path(), run.path());
}

/// Workers that always die end the run, with a message that says what to look at.
#[test]
fn nobody_is_left() {
    let (entry, config) = (relay(), config(LEAGUE, &[]));
    let run = tempfile::tempdir().unwrap();
    let transport = rooms(&entry, 2, Deaths::Chance(1.0, 1));
    let error = train(run.path(), &entry, &config, transport, None).unwrap_err();
    assert!(error.to_string().contains("were lost in a row"), "{error}");
}

/// The run of a preset by workers who do not wait for the learner.
fn train_asynchronously(
    directory: &Path,
    entry: &Entry,
    config: &RunConfig,
    transport: Box<dyn Transport>,
    max_lag: u64,
) -> (f64, Vec<u64>) {
    let workers = Workers::new(transport, Mode::Async { max_lag });
    let mut trainer = plan(entry, config).trainer_with(workers).unwrap();
    let mut run = RunDirectory::open(directory).unwrap();
    run.begin(&mut trainer).unwrap();
    let interrupt = AtomicBool::new(false);
    let orders = Orders::until_interrupted(&interrupt);
    let summary = run.train(&mut trainer, &mut [], &orders).unwrap();
    let text = std::fs::read_to_string(directory.join("metrics.jsonl")).unwrap();
    let lag = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["time"]["lag_max"].as_u64()
    };
    (summary.report.unwrap().return_mean, text.lines().filter_map(lag).collect())
}

/// One worker is much slower than the others: what it plays is old, but never older than it may be.
#[test]
fn what_is_learnt_from_is_never_too_old() {
    let (entry, config) = (relay(), config(LEAGUE, &["stop.steps=3000"]));
    for max_lag in [1, 3] {
        let run = tempfile::tempdir().unwrap();
        let delays = [0, 0, 20].map(Duration::from_millis);
        let transport = Box::new(Threads::new(&entry, &delays));
        let (_, lags) = train_asynchronously(run.path(), &entry, &config, transport, max_lag);
        let most = lags.iter().max().copied().unwrap();
        assert!((1..=max_lag).contains(&most), "{lags:?}");
    }
}

/// With exploiters, a curriculum and workers that die, it goes on.
#[test]
fn asynchronous_runs_survive_everything() {
    let preset = LEAGUE.to_owned()
        + "exploiters:
  - { against: main, rollouts: 3, reset: 0.5 }
curriculum:
  - { name: first, until: { steps: 300 } }
  - { name: last, changes: { opponents: { past: 0.7, bot:steady: 0.1 } } }
";
    for (entry, preset) in
        [(relay(), preset.clone()), (live_relay(), preset.replace("every: 100000", "every: 150"))]
    {
        let config = config(&preset, &[]);
        let run = tempfile::tempdir().unwrap();
        let transport = rooms(&entry, 3, Deaths::Chance(0.2, 8)).unwrap();
        train_asynchronously(run.path(), &entry, &config, transport, 2);
    }
}

/// The mark of the preset `classic/cartpole`, by rollouts that are up to two updates old.
#[test]
fn asynchronous_workers_learn() {
    let preset = "
game: cartpole
rollout: { matches: 8, horizon: 128, shard: 2 }
policy: { hidden: [64, 64], activation: tanh }
ppo: { learning_rate: 2.5e-3, epochs: 10, minibatch: 256, gamma: 0.98, gae_lambda: 0.9, entropy: 0 }
rewards: { balance: 1 }
evaluation: { every: 2048, matches: 32 }
checkpoint: { every: 1000000 }
stop: { steps: 200000, return: 475 }
";
    let (entry, config) = (classic("cartpole"), config(preset, &[]));
    let run = tempfile::tempdir().unwrap();
    let delays = [0, 0, 3, 9].map(Duration::from_millis);
    let transport = Box::new(Threads::new(&entry, &delays));
    let (found, lags) = train_asynchronously(run.path(), &entry, &config, transport, 2);
    assert!(found >= 475.0, "{found}");
    assert!(lags.iter().any(|&lag| lag > 0));
}

//! A run that goes through stages: as exact as one without, and it can go back.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use lanista_league::Origin;
use lanista_train::run::Summary;
use lanista_train::{Orders, RunDirectory, Trainer};
use serde_json::Value;

use crate::games::relay;
use crate::support::{assert_same, config, metrics, trainer};

const PRESET: &str = "
game: relay
rollout: { matches: 8, horizon: 7, shard: 3 }
policy: { hidden: [8], memory: { cell: gru, size: 6 } }
ppo: { minibatch: 16, epochs: 2 }
rewards: { earned: 1 }
opponents: { bot:steady: 0.5 }
league: { every: 60, pool: 3 }
evaluation: { matches: 4 }
checkpoint: { every: 100000, milestones: 500 }
stop: { steps: 1200 }
curriculum:
  - { name: first, until: { steps: 250 } }
  - name: against the past
    until: { any: [{ win_rate: { vs: past, at_least: 0.2, over: 5 } }, { steps: 400 }] }
    changes: { opponents: { past: 0.6, bot:steady: 0.1 }, ppo: { entropy: 0.05 } }
  - name: last
    changes: { rewards: { earned: 2 }, league: { sampler: uniform } }
";

fn train(directory: &Path, sets: &[&str], pause_at: Option<u64>) -> (Trainer, Summary) {
    let mut run = RunDirectory::open(directory).unwrap();
    let mut trainer = trainer(relay(), &config(PRESET, sets));
    run.begin(&mut trainer).unwrap();
    let interrupt = AtomicBool::new(false);
    let orders = Orders { pause_at, ..Orders::until_interrupted(&interrupt) };
    let summary = run.train(&mut trainer, &mut [], &orders).unwrap();
    (trainer, summary)
}

#[test]
fn stages_follow_each_other_and_are_recorded() {
    let run = tempfile::tempdir().unwrap();
    let (trainer, _) = train(run.path(), &["league.pool=40"], None);
    assert_eq!(trainer.curriculum.stage(), 2);
    assert_eq!(trainer.config().rewards["earned"].at(0.0), 2.0);
    assert_eq!(trainer.config().opponents["past"], 0.6, "the changes of earlier stages stay");
    let lines = metrics(run.path());
    let transitions: Vec<&Value> =
        lines.iter().map(|line| &line["transition"]).filter(|t| !t.is_null()).collect();
    assert_eq!(transitions.len(), 2);
    assert_eq!(transitions[0]["to"], "against the past");
    assert_eq!(transitions[1]["to"], "last");
    let stage = |line: &Value| line["stage"].as_str().map(str::to_owned);
    let seen: Vec<String> = lines.iter().filter_map(stage).collect();
    assert!(seen.contains(&"first".to_owned()) && seen.contains(&"last".to_owned()));
    let mut milestones: Vec<String> = std::fs::read_dir(run.path().join("milestones"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    milestones.sort();
    assert!(milestones.iter().any(|name| name.ends_with("-against-the-past")), "{milestones:?}");
    assert!(milestones.iter().any(|name| name.ends_with("-last")), "{milestones:?}");
    assert!(milestones.iter().any(|name| !name.contains('-')), "{milestones:?}");
    let pool = &trainer.league.as_ref().unwrap().state.pool;
    assert!(pool.snapshots().iter().any(|s| s.origin == Origin::Milestone), "{pool:?}");
}

#[test]
fn threads_and_pauses_change_nothing() {
    let whole = tempfile::tempdir().unwrap();
    train(whole.path(), &["run.threads=1"], None);
    for (threads, pauses) in [(2, &[][..]), (5, &[260]), (2, &[100, 240, 300, 420, 610, 1000])] {
        let run = tempfile::tempdir().unwrap();
        let sets = [format!("run.threads={threads}")];
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        for &steps in pauses {
            train(run.path(), &sets, Some(steps));
        }
        train(run.path(), &sets, None);
        assert_same(whole.path(), run.path());
        let without_evaluations = |run: &Path| -> Vec<Value> {
            metrics(run).into_iter().filter(|line| line["evaluation"].is_null()).collect()
        };
        assert_eq!(without_evaluations(whole.path()), without_evaluations(run.path()));
    }
}

#[test]
fn a_run_goes_back_to_a_milestone_and_repeats_what_followed() {
    let run = tempfile::tempdir().unwrap();
    train(run.path(), &[], None);
    let after = metrics(run.path());
    let milestone = std::fs::read_dir(run.path().join("milestones"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().ends_with("-against-the-past"))
        .unwrap();
    let reference = tempfile::tempdir().unwrap();
    train(reference.path(), &[], None);

    RunDirectory::open(run.path()).unwrap().roll_back(&milestone).unwrap();
    let mut trainer = trainer(relay(), &config(PRESET, &[]));
    RunDirectory::open(run.path()).unwrap().begin(&mut trainer).unwrap();
    assert_eq!(trainer.curriculum.stage(), 1, "it re-enters the stage");
    drop(trainer);
    train(run.path(), &[], None);
    assert_same(reference.path(), run.path());
    assert_eq!(after, metrics(run.path()));
}

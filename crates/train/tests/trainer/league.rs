//! A run with a pool of past policies: as exact as one without.

use std::path::Path;

use lanista_game::Entry;
use lanista_train::RunConfig;
use lanista_train::files::snapshot_path;
use lanista_train::league::LeagueState;

use crate::games::{pairs, relay};
use crate::support::{assert_same, config, train};

/// Matches of ten steps, iterations of seven, a snapshot every other iteration: checkpoints fall into
/// matches against snapshots, and some of those are dropped while the match is on.
const PRESET: &str = "
game: relay
rollout: { matches: 8, horizon: 7, shard: 3 }
policy: { hidden: [8], normalize_observations: true, memory: { cell: gru, size: 6 } }
ppo: { minibatch: 16, epochs: 2, scale_rewards: true }
rewards: { earned: 1 }
opponents: { past: 0.6, bot:steady: 0.2 }
league: { every: 60, pool: 3, delay_chance: 0.2, deterministic: 0.3 }
evaluation: { matches: 4 }
checkpoint: { every: 100000 }
stop: { steps: 900 }
";

const SAMPLERS: [&str; 5] =
    ["uniform", "elo_weighted", "recent_weighted", "difficulty_adjusted", "prioritized"];

fn game() -> Entry {
    relay()
}

fn league(run: &Path) -> (LeagueState, String) {
    let pool = std::fs::read(run.join("league/pool.json")).unwrap();
    let games = std::fs::read_to_string(run.join("league/games.csv")).unwrap();
    let results = std::fs::read_to_string(run.join("league/results.csv")).unwrap();
    (serde_json::from_slice(&pool).unwrap(), games + &results)
}

fn preset(sampler: &str, sets: &[&str]) -> RunConfig {
    let sampler = format!("league.sampler={sampler}");
    let sets: Vec<&str> = [sampler.as_str()].into_iter().chain(sets.iter().copied()).collect();
    config(PRESET, &sets)
}

#[test]
fn the_number_of_threads_does_not_matter() {
    for sampler in SAMPLERS {
        let runs = [1, 2, 5].map(|threads| {
            let run = tempfile::tempdir().unwrap();
            let config = preset(sampler, &[&format!("run.threads={threads}")]);
            train(run.path(), game(), config, None).1.unwrap();
            run
        });
        let first = league(runs[0].path());
        assert!(first.0.pool.snapshots().len() == 3 && first.0.games > 20, "{sampler}: {first:?}");
        for run in &runs[1..] {
            assert_same(runs[0].path(), run.path());
            assert_eq!(first, league(run.path()), "{sampler}");
        }
    }
}

#[test]
fn a_resumed_run_equals_one_that_never_stopped() {
    for sampler in SAMPLERS {
        let whole = tempfile::tempdir().unwrap();
        train(whole.path(), game(), preset(sampler, &[]), None).1.unwrap();
        for pauses in [&[130][..], &[80, 200, 350, 355, 600, 850]] {
            let run = tempfile::tempdir().unwrap();
            for &steps in pauses {
                train(run.path(), game(), preset(sampler, &[]), Some(steps)).1.unwrap();
            }
            train(run.path(), game(), preset(sampler, &[]), None).1.unwrap();
            assert_same(whole.path(), run.path());
            assert_eq!(league(whole.path()), league(run.path()), "{sampler}, {pauses:?}");
        }
    }
}

#[test]
fn a_damaged_snapshot_is_skipped_by_name_and_rated_no_more() {
    let run = tempfile::tempdir().unwrap();
    train(run.path(), game(), preset("uniform", &[]), Some(400)).1.unwrap();
    let (before, _) = league(run.path());
    let damaged = before.pool.snapshots()[1].id;
    std::fs::write(snapshot_path(&run.path().join("league"), damaged), b"no model").unwrap();
    let (trainer, result) = train(run.path(), game(), preset("uniform", &[]), Some(500));
    result.unwrap();
    let (after, _) = league(run.path());
    let snapshot = |state: &LeagueState| state.pool.get(damaged).cloned();
    let kept = snapshot(&after).or_else(|| snapshot(&before)).unwrap();
    assert_eq!(kept.games, snapshot(&before).unwrap().games, "it is met no more");
    assert!(snapshot(&after).is_none_or(|s| !s.usable));
    drop(trainer);
}

#[test]
fn snapshots_do_not_learn_and_ratings_add_up() {
    let run = tempfile::tempdir().unwrap();
    train(run.path(), game(), preset("uniform", &[]), None).1.unwrap();
    let (state, _) = league(run.path());
    let games = std::fs::read_to_string(run.path().join("league/games.csv")).unwrap();
    assert_eq!(games.lines().count() as u64, state.games + 1);
    assert!(games.lines().skip(1).any(|line| line.contains("\"past:")));
    assert!(games.lines().skip(1).any(|line| line.contains("\"bot:steady\"")));
    assert_eq!(state.others["bot:steady"], 1500.0, "the anchor never moves");
    let last = games.lines().last().unwrap();
    let elo: f64 = last.split(',').nth_back(1).unwrap().parse().unwrap();
    assert_eq!(elo, state.elo);
}

#[test]
fn a_snapshot_that_was_replaced_by_another_is_skipped() {
    // What a run leaves behind that went back to a milestone and took another way from there.
    let run = tempfile::tempdir().unwrap();
    train(run.path(), game(), preset("uniform", &[]), Some(400)).1.unwrap();
    let (before, _) = league(run.path());
    let [replaced, other] = [0, 1].map(|i| before.pool.snapshots()[i].id);
    let file = |id| snapshot_path(&run.path().join("league"), id);
    std::fs::copy(file(other), file(replaced)).unwrap();
    train(run.path(), game(), preset("uniform", &["league.pool=9"]), Some(450)).1.unwrap();
    let (after, _) = league(run.path());
    assert!(!after.pool.get(replaced).unwrap().usable);
    assert!(after.pool.get(other).unwrap().usable);
}

#[test]
fn matches_with_frozen_mates_resume_exactly() {
    // Half of the matches are self-play but for the mate: no opponent sits in them, and none is rated.
    let sets = ["league.mates=0.5", "league.every=40", "opponents={past: 0.3}"];
    let whole = tempfile::tempdir().unwrap();
    train(whole.path(), pairs(), preset("uniform", &sets), None).1.unwrap();
    let run = tempfile::tempdir().unwrap();
    for pause in [100, 170, 333, 500] {
        train(run.path(), pairs(), preset("uniform", &sets), Some(pause)).1.unwrap();
    }
    train(run.path(), pairs(), preset("uniform", &sets), None).1.unwrap();
    assert_same(whole.path(), run.path());
    assert_eq!(league(whole.path()), league(run.path()));
}

//! Matches that cannot be replayed start anew at every checkpoint, in the run that goes on as in
//! the one that resumes.

use lanista_train::checkpoint::Continued;

use crate::games::{live, live_relay};
use crate::support::{assert_same, config, train};

const PRESET: &str = "
game: live
rollout: { matches: 6, horizon: 20, shard: 2 }
policy: { hidden: [8], memory: { cell: gru, size: 6 }, normalize_observations: true }
ppo: { minibatch: 60, epochs: 2, sequence_length: 5, scale_rewards: true }
rewards: { height: 1 }
evaluation: { matches: 4 }
checkpoint: { every: 600 }
stop: { steps: 2400 }
";

#[test]
fn a_checkpoint_is_a_cut_for_both() {
    let [whole, parts] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    train(whole.path(), live(), config(PRESET, &[]), None).1.unwrap();
    for pause in [600, 1200, 1800] {
        train(parts.path(), live(), config(PRESET, &["run.threads=3"]), Some(pause)).1.unwrap();
    }
    let (begun, summary) = train(parts.path(), live(), config(PRESET, &[]), None);
    assert_eq!(begun.resumed_at, Some(1800));
    assert_eq!(begun.continued, Continued::Anew);
    summary.unwrap();
    assert_same(whole.path(), parts.path());
    let metrics = |run: &std::path::Path| {
        let text = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap();
        let line = |l: &str| serde_json::from_str::<serde_json::Value>(l).unwrap();
        let returns = text.lines().map(|l| line(l)["return_mean"].clone());
        returns.collect::<Vec<_>>()
    };
    assert_eq!(metrics(whole.path()), metrics(parts.path()));
}

/// Against the past and with exploiters: whom a cut match meets next follows from the checkpoint alone.
const LEAGUE: &str = "
game: relay
rollout: { matches: 6, horizon: 7, shard: 2 }
policy: { hidden: [8], memory: { cell: gru, size: 6 } }
ppo: { minibatch: 16 }
rewards: { earned: 1 }
opponents: { past: 0.7 }
league: { every: 60 }
exploiters:
  - { against: league, rollouts: 3, start: scratch }
  - { against: main, rollouts: 2, reset: 0.5 }
evaluation: { matches: 4 }
checkpoint: { every: 150 }
stop: { steps: 600 }
";

#[test]
fn matches_against_the_past_are_cut_alike() {
    let [whole, parts] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    train(whole.path(), live_relay(), config(LEAGUE, &[]), None).1.unwrap();
    for pause in [150, 300, 450] {
        train(parts.path(), live_relay(), config(LEAGUE, &[]), Some(pause)).1.unwrap();
    }
    let (begun, summary) = train(parts.path(), live_relay(), config(LEAGUE, &[]), None);
    assert_eq!(begun.continued, Continued::Anew);
    assert_eq!(begun.exploiters_anew.len(), 2, "{:?}", begun.exploiters_anew);
    summary.unwrap();
    assert_same(whole.path(), parts.path());
}

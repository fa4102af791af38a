//! Models from elsewhere as opponents: named ones, and the newest of another run.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use lanista_train::league::LeagueState;
use lanista_train::{RunConfig, Trainer};

use crate::games::relay;
use crate::support::{assert_same, config, train};

fn preset(opponents: &str) -> RunConfig {
    let text = format!(
        "
game: relay
rollout: {{ matches: 6, horizon: 7 }}
policy: {{ hidden: [8], memory: {{ cell: lstm, size: 4 }} }}
ppo: {{ minibatch: 16 }}
rewards: {{ earned: 1 }}
opponents: {{ {opponents} }}
evaluation: {{ matches: 4 }}
stop: {{ steps: 300 }}
"
    );
    config(&text, &[])
}

/// A run to be met.
fn elsewhere(steps: u64, at: &Path) {
    train(at, relay(), preset(""), Some(steps)).1.unwrap();
}

#[test]
fn a_named_model_is_met_rated_and_does_not_learn() {
    let other = tempfile::tempdir().unwrap();
    elsewhere(100, other.path());
    let model = other.path().join("model.zip");
    let name = format!("target:{}", model.display());
    let before = fs::read(&model).unwrap();
    let whole = tempfile::tempdir().unwrap();
    let config = || preset(&format!("\"{name}\": 1"));
    train(whole.path(), relay(), config(), None).1.unwrap();
    let games = fs::read_to_string(whole.path().join("league/games.csv")).unwrap();
    assert!(games.lines().count() > 5);
    assert!(games.lines().skip(1).all(|line| line.contains(&name)), "{games}");
    let pool = fs::read(whole.path().join("league/pool.json")).unwrap();
    let state: LeagueState = serde_json::from_slice(&pool).unwrap();
    assert!(state.others.contains_key(&name), "{state:?}");
    assert!(fs::read(&model).unwrap() == before);

    // A match against it goes on exactly where it was, its memory included.
    let paused = tempfile::tempdir().unwrap();
    for pause in [40, 110, 200] {
        train(paused.path(), relay(), config(), Some(pause)).1.unwrap();
    }
    train(paused.path(), relay(), config(), None).1.unwrap();
    assert_same(whole.path(), paused.path());
}

#[test]
fn a_model_of_another_game_is_refused() {
    let other = tempfile::tempdir().unwrap();
    let duel = "{ game: duel, rewards: { won: 1 }, ppo: { minibatch: 16 }, stop: { steps: 50 } }";
    let duel = config(duel, &["rollout.horizon=4"]);
    train(other.path(), lanista_classic::games()[4].clone(), duel, None).1.unwrap();
    let model = other.path().join("model.zip");
    let config = preset(&format!("\"target:{}\": 0.5", model.display()));
    let error = Trainer::new(relay(), config).err().expect("it is refused").to_string();
    assert!(error.contains("plays duel, not relay"), "{error}");
    assert!(error.contains("model.zip"), "{error}");
}

#[test]
fn the_newest_model_of_another_run_is_read_again_when_it_changes() {
    let other = tempfile::tempdir().unwrap();
    elsewhere(50, other.path());
    let config = preset(&format!("\"latest:{}\": 1", other.path().display()));
    let mut trainer = Trainer::new(relay(), config).unwrap();
    trainer.start().unwrap();
    let met = |trainer: &Trainer| {
        let guests = trainer.league.as_ref().unwrap().guests();
        guests.policies.values().next().unwrap().get(0).unwrap().params.clone()
    };
    let first = met(&trainer);
    trainer.iterate().unwrap();
    assert!(met(&trainer) == first, "nothing has changed");

    elsewhere(150, other.path());
    // Even where two writes fall into one tick of the file system's clock.
    let model = other.path().join("model.zip");
    let touch = |seconds| {
        let file = fs::File::options().append(true).open(&model).unwrap();
        file.set_modified(SystemTime::now() + Duration::from_secs(seconds)).unwrap();
    };
    touch(1);
    trainer.iterate().unwrap();
    let second = met(&trainer);
    assert!(second != first, "the newer one is met");

    // One that cannot be read is named, and the one before it stays.
    fs::write(&model, b"half a file").unwrap();
    touch(2);
    let remarks = trainer.iterate().unwrap().remarks;
    assert!(
        remarks.iter().any(|r| r.contains("latest:") && r.contains("model.zip")),
        "{remarks:?}"
    );
    assert!(met(&trainer) == second);
    assert!(trainer.iterate().unwrap().remarks.is_empty(), "it is said once");
}

//! The way into a run: everything that a preset asks for is done, or refused by name.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use lanista_game::Entry;
use lanista_train::run::{Ending, Summary};
use lanista_train::{Orders, Run, RunError, Trainer};

use crate::games::{live, relay};
use crate::support::{assert_same, config, metrics};

const PRESET: &str = "
game: relay
rollout: { matches: 6, horizon: 7, shard: 3 }
policy: { hidden: [8] }
ppo: { minibatch: 16 }
rewards: { earned: 1 }
opponents: { past: 0.5 }
league: { every: 60 }
exploiters:
  - { against: main, rollouts: 2 }
  - { against: league, rollouts: 2, preset: other.yml, start: scratch }
evaluation: { matches: 4 }
stop: { steps: 600 }
curriculum:
  - { name: first, until: { steps: 200 } }
  - { name: second, changes: { rewards: { earned: 2 } } }
";

/// A directory with a preset and that of its exploiter, whose path is written out.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let other = place.path().join("other.yml");
    let text = PRESET.replace("other.yml", &format!("{:?}", other.display().to_string()));
    std::fs::write(place.path().join("preset.yml"), text).unwrap();
    let own = PRESET.split("exploiters:").next().unwrap().replace("[8]", "[4]");
    std::fs::write(other, own).unwrap();
    place
}

fn open(place: &Path, run: &str, sets: &[&str]) -> Result<Run, RunError> {
    let (preset, games) = (place.join("preset.yml"), [relay(), live()]);
    let mut opening = Run::preset(preset.to_str().unwrap(), &games).directory(place.join(run));
    for set in sets {
        opening = opening.set(set)?;
    }
    opening.open()
}

fn train(run: &mut Run, pause_at: Option<u64>) -> Summary {
    let interrupt = AtomicBool::new(false);
    run.train(&mut [], &Orders { pause_at, ..Orders::until_interrupted(&interrupt) }).unwrap()
}

fn refused(place: &Path, set: &str) -> String {
    let error = open(place, "refused", &[set]).err().expect("it is refused").to_string();
    assert!(!place.join("refused").exists(), "nothing is left behind");
    error
}

#[test]
fn a_run_has_its_stages_and_exploiters_and_resumes_exactly() {
    let place = place();
    let mut whole = open(place.path(), "whole", &[]).unwrap();
    let summary = train(&mut whole, None);
    assert_eq!(summary.ending, Ending::Steps);
    assert_eq!(summary.report, Some(whole.evaluate().unwrap()));
    assert_eq!(whole.trainer().curriculum.stage(), 1);
    let lines = metrics(&place.path().join("whole"));
    assert!(lines.iter().any(|line| line["transition"]["to"] == "second"));
    assert_eq!(whole.trainer().exploiters.len(), 2);
    assert_eq!(whole.trainer().exploiters[1].config().policy.hidden, [4]);

    let mut parts = open(place.path(), "parts", &[]).unwrap();
    assert_eq!(train(&mut parts, Some(150)).ending, Ending::Paused);
    drop(parts);
    // By the configuration that the run keeps, its exploiters train with what it keeps of theirs.
    std::fs::remove_file(place.path().join("other.yml")).unwrap();
    let error = open(place.path(), "parts", &[]).err().unwrap().to_string();
    assert!(error.contains("exploiters.1.preset: no preset and no file"), "{error}");
    let (games, own) = ([relay()], place.path().join("parts"));
    let kept = own.join("config.yml");
    let mut parts = Run::preset(kept.to_str().unwrap(), &games).directory(&own).open().unwrap();
    assert!(parts.begun().resumed_at.is_some_and(|steps| (150..600).contains(&steps)));
    train(&mut parts, None);
    assert_same(&place.path().join("whole"), &own);
}

#[test]
fn a_game_that_is_not_there_is_refused_with_the_nearest() {
    let place = place();
    let error = refused(place.path(), "game=rely");
    assert_eq!(
        error,
        "game in the override: no game `rely`: did you mean `relay`? there are: relay, live"
    );
    let error = Run::open("nowhere.yml", &[relay()]).err().unwrap().to_string();
    assert_eq!(error, "no preset and no file called `nowhere.yml`");
    let error = Run::open(place.path().to_str().unwrap(), &[relay()]).err().unwrap().to_string();
    assert!(error.contains("is a directory: name a preset"), "{error}");
}

#[test]
fn a_game_has_one_name_of_its_own() {
    let place = place();
    let preset = place.path().join("preset.yml");
    let refused = |game: &str, games: &[Entry]| {
        let opening = Run::preset(preset.to_str().unwrap(), games).set(game).unwrap();
        opening.directory(place.path().join("run")).open().err().unwrap().to_string()
    };
    let error = refused("game=relay", &[relay(), live(), relay()]);
    assert!(error.contains("two games are called `relay`"), "{error}");
    let mut renamed = relay();
    renamed.name = "relais".into();
    let error = refused("game=relais", &[renamed]);
    assert!(error.contains("its entry is called `relais`, its spec `relay`"), "{error}");
}

#[test]
fn what_cannot_train_leaves_nothing_behind() {
    let place = place();
    for (set, said) in [
        ("rewards.earnd=1", "rewards.earnd in the override"),
        ("opponents.past=0", "exploiters: what they become joins the pool"),
        ("exploiters.1.start=main", "exploiters.1.preset"),
        ("curriculum.1.changes.policy.hidden=[4]", "curriculum.1: stage `second` changes `policy"),
        ("curriculum.1.changes.rewards.earnd=1", "curriculum.1, stage `second`: rewards.earnd"),
        ("rollout.matches=1e6", "memory"),
        ("run.seed", "the override run.seed: no `=`"),
    ] {
        let error = refused(place.path(), set);
        assert!(error.contains(said), "{set}: {error}");
    }
}

#[test]
fn a_trainer_by_itself_refuses_what_it_would_ignore() {
    let alone = ["exploiters=[]", "curriculum=[]"];
    let error = |sets: &[&str], entry| {
        Trainer::new(entry, config(PRESET, sets)).err().expect("it is refused").to_string()
    };
    let said = error(&alone, live());
    assert_eq!(said, "the configuration is for the game `relay`, and this game is `live`");
    assert!(error(&alone[..1], relay()).contains("ignores `curriculum`"));
    assert!(error(&alone[1..], relay()).contains("ignores `exploiters`"));
    assert!(Trainer::new(relay(), config(PRESET, &alone)).is_ok());
    // A live match cannot be played again.
    let said = error(&["exploiters=[]", "curriculum=[]", "game=live", "recording.every=2"], live());
    assert!(said.starts_with("recording.every: matches of `live`"), "{said}");
}

//! Cloning: from recorded decisions to a model, and from there to PPO.

use std::fs;

use crate::support::{Place, text};

/// Somebody who plays the duel at its equilibrium is cloned.
const CLONE: &str = "
game: duel
rollout: { matches: 16, horizon: 8, shard: 4 }
policy: { hidden: [16], normalize_observations: true }
ppo: { minibatch: 64, chunk: 16 }
rewards: { won: 1 }
clone:
  play: { by: 'bot:biased', vs: [self, 'bot:random'], matches: 200 }
  epochs: 4
  minibatch: 64
  window_mib: 1
  looks: 2
  learning_rate: { linear: { from: 1e-2, to: 1e-3 } }
evaluation: { matches: 20, vs: bot:random }
checkpoint: { every: 1000 }
";

/// The same with memory and frames of earlier steps, and somebody who labels what the policy comes to.
const DAGGER: &str = "
import: clone.yml
observation: { stack: [0, 1] }
policy: { hidden: [12], memory: { cell: gru, size: 8 }, heads: { autoregressive: true } }
clone:
  expert: 'bot:equilibrium'
  rounds: 2
  round_matches: 40
  control: { linear: { from: 1, to: 0 } }
  epochs: 2
  sequence_length: 5
  value_coef: 0.5
  smoothing: 0.05
  balance: 0.3
";

fn place() -> Place {
    Place::with(&[("clone", CLONE), ("dagger", DAGGER)])
}

#[test]
fn a_player_is_cloned_and_the_clone_is_trained_further() {
    let place = place();
    let done = place.json("clone clone.yml --seed 3 --json --set run.dir=first");
    assert_eq!(done["ended"], "done");
    let held = &done["held_out"];
    // Rock, paper and scissors of a player that is biased: better told than by one in three.
    let head = &held["heads"][0];
    assert!(head["decisions"].as_f64().unwrap() > 100.0, "{held}");
    assert!(head["perplexity"].as_f64().unwrap() < 2.9, "{head}");
    assert!(place.path("first/model.zip").is_file());
    place.ok("eval first --matches 10 --sampled");
    let told = place.ok("data info first/data/play --check");
    assert!(told.contains("bot:biased") && told.contains("are sound"), "{told}");

    // A clone's run is no run of PPO, and says what to do.
    let refused = place.fails("train --resume first");
    assert!(refused.contains("lanista clone"), "{refused}");
    let refused = place.fails("train clone.yml");
    assert!(refused.contains("lanista clone clone.yml"), "{refused}");

    fs::write(
        place.path("anchored.yml"),
        "
game: duel
rollout: { matches: 16, horizon: 8, shard: 4 }
policy: { hidden: [16], normalize_observations: true }
ppo: { minibatch: 64, chunk: 16, learning_rate: 3e-3 }
rewards: { won: 1 }
start: { model: first, except: [critic], critic_warmup: 500, anchor: { kl: 1 } }
evaluation: { matches: 4 }
checkpoint: { every: 700 }
stop: { steps: 3000 }
",
    )
    .unwrap();
    let said = place.ok("train anchored.yml --seed 1 --set run.dir=held --plain");
    assert!(
        said.contains("begins with") && said.contains("critic.value.weight begins fresh"),
        "{said}"
    );
    place.ok("train anchored.yml --seed 1 --set run.dir=free --set start.anchor=null --plain");
    let kl = |run: &str| {
        let records = crate::support::metrics(&place.path(run));
        let last = records.iter().rfind(|record| record["anchor_kl"].is_f64()).unwrap();
        last["anchor_kl"].as_f64().unwrap()
    };
    assert!(kl("held") > 0.0, "{}", kl("held"));
    assert_eq!(kl("free"), 0.0);
    // While only the critic learns, the actor is the one that it began as, normaliser and all.
    let warm = |record: &&serde_json::Value| {
        record["anchor_kl"].is_f64() && record["steps"].as_u64().unwrap() <= 500
    };
    let records = crate::support::metrics(&place.path("held"));
    let warm: Vec<f64> =
        records.iter().filter(warm).map(|record| record["anchor_kl"].as_f64().unwrap()).collect();
    assert!(warm.len() > 1 && warm.iter().all(|kl| kl.abs() < 1e-9), "{warm:?}");

    // The anchor is part of the run: it goes on without the model, bit for bit.
    for until in [200, 1700] {
        place.ok(&format!("train anchored.yml --seed 1 --until {until} --set run.dir=halves"));
    }
    fs::rename(place.path("first"), place.path("gone")).unwrap();
    place.ok("train --resume halves");
    let whole = place.bits("held");
    whole.assert_same(&place.bits("halves"), "one go, and two");
    let refused = place.fails("train anchored.yml --set run.dir=other");
    assert!(refused.contains("first is neither a run"), "{refused}");
}

#[test]
fn cloning_resumes_exactly_whatever_the_number_of_threads() {
    for preset in ["clone.yml", "dagger.yml"] {
        let place = place();
        place.ok(&format!("clone {preset} --seed 5 --threads 1 --set run.dir=whole --plain"));
        place.ok(&format!("clone {preset} --seed 5 --threads 3 --set run.dir=wide --plain"));
        for run in ["wide", "halves"] {
            if run == "halves" {
                for until in [700, 2500, 5000] {
                    place.ok(&format!(
                        "clone {preset} --seed 5 --until {until} --set run.dir=halves --plain"
                    ));
                }
                place.ok("clone --resume halves --plain");
            }
            for file in ["model.zip", "metrics.jsonl"] {
                let read = |run: &str| fs::read(place.path(run).join(file)).unwrap();
                match file {
                    "model.zip" => assert!(read("whole") == read(run), "{preset}: {run}/{file}"),
                    _ => assert_eq!(
                        timeless(&place, "whole"),
                        timeless(&place, run),
                        "{preset}: {run}"
                    ),
                }
            }
        }
    }
}

/// The lines of a run's metrics without what belongs to the machine.
fn timeless(place: &Place, run: &str) -> Vec<String> {
    let without = |mut record: serde_json::Value| {
        record.as_object_mut().map(|map| map.remove("time"));
        record.to_string()
    };
    crate::support::metrics(&place.path(run)).into_iter().map(without).collect()
}

#[test]
fn a_large_policy_is_distilled_into_one_that_sees_other_frames() {
    let place = place();
    place.ok("clone clone.yml --seed 1 --set run.dir=large --plain");
    let done = place.json(
        "clone dagger.yml --seed 2 --json --set run.dir=small --set clone.play=null --expert large \
         --set clone.control=0.5 --set clone.epochs=20",
    );
    let held = &done["held_out"];
    let kl = held["kl"].as_f64().unwrap();
    assert!(kl > 0.0 && kl < 0.05, "{held}");
}

#[test]
fn experts_of_other_games_and_settings_are_refused_before_anything_is_made() {
    let place = place();
    place.ok("train classic/cartpole --set run.dir=pole --set stop.steps=2000 --plain");
    for line in ["--expert pole --set clone.play=null", "--set clone.play.by=pole"] {
        let refused = place.fails(&format!("clone clone.yml {line}"));
        assert!(refused.contains("pole plays cartpole, not duel"), "{line}: {refused}");
    }
    // The same view of a duel that ends elsewhere.
    place.ok("clone clone.yml --seed 1 --set run.dir=long --set settings.rounds=9 --plain");
    let refused = place.fails("clone dagger.yml --expert long --set clone.play=null");
    assert!(refused.contains("settings.rounds is"), "{refused}");
    assert!(!place.path("runs/dagger").exists());
}

#[test]
fn datasets_are_made_of_recordings_joined_and_dealt_anew() {
    let place = place();
    place.ok("clone clone.yml --seed 1 --set run.dir=agent --plain");
    place.ok("eval agent --vs bot:random --matches 30 --record matches");
    let made = place.json("data make duel matches --out all --held-out 0.3 --json");
    assert_eq!(made["files"], 30);
    let won = place.json("data make duel matches --out won --winners --json");
    assert!(won["decisions"].as_u64() < made["decisions"].as_u64());
    let bots = place.json("data make duel matches --out bots --player bot:random --json");
    let share = bots["decisions"].as_f64().unwrap() / made["decisions"].as_f64().unwrap();
    assert!((0.4..0.6).contains(&share), "{share}");

    place.ok("data play clone.yml --by bot:equilibrium --matches 20 --out played --seed 4");
    place.ok("data merge all played --out joined");
    let info = place.json("data info joined --json --check");
    let two = place.json("data info played --json");
    assert_eq!(
        info["decisions"].as_u64().unwrap(),
        made["decisions"].as_u64().unwrap() + two["decisions"].as_u64().unwrap()
    );
    place.ok("data split joined --held-out 0.5 --out halves");
    let halves = place.json("data info halves --json");
    let (held, all) = (halves["held_out"].as_u64().unwrap(), halves["decisions"].as_u64().unwrap());
    assert!(3 * held > all && 3 * held < 2 * all, "{held} of {all}");
    let head = place.ok("data head joined -n 3");
    assert_eq!(head.matches("chose move").count(), 3, "{head}");
    let line = place.ok("data head joined -n 1 --json");
    assert!(line.contains("\"action\":[\""), "{line}");
    place.ok("clone clone.yml --data joined --set run.dir=again --plain --epochs 1");
    let refused = place.fails("clone clone.yml --data joined --set clone.players=[bot:equilibrum]");
    assert!(
        refused.contains("nobody called bot:equilibrum") && refused.contains("bot:equilibrium"),
        "{refused}"
    );
    place.ok("data play clone.yml --by bot:biased --matches 1 --held-out 0.9 --seed 4 --out held");
    let refused = place.fails("clone clone.yml --data held");
    assert!(refused.contains("nothing is left to learn from"), "{refused}");
    assert!(!place.path("runs/clone").exists(), "what cannot be cloned leaves nothing behind");

    // What does not fit is named.
    let refused = place.fails("data merge joined nowhere --out other");
    assert!(refused.contains("nowhere is no dataset"), "{refused}");
    let refused = place.fails("clone classic/cartpole --data joined");
    assert!(refused.contains("the preset plays cartpole"), "{refused}");
    let refused = place.fails("data make duel matches --out all");
    assert!(refused.contains("all holds something already"), "{refused}");
    let refused = place.fails("data make cartpole matches --out wrong");
    assert!(refused.contains("it is one of duel, not of cartpole"), "{refused}");
    let shard = place.path("joined/000000.decisions");
    let mut bytes = fs::read(&shard).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 0x55;
    fs::write(&shard, bytes).unwrap();
    let refused = place.fails("clone clone.yml --data joined --set run.dir=broken --plain");
    assert!(refused.contains("000000.decisions is damaged at byte"), "{refused}");
}

#[test]
fn damaged_blocks_are_left_out_and_named_once_if_that_is_wished() {
    let place = place();
    for seed in [1, 2] {
        let line = format!("data play clone.yml --by bot:biased --matches 60 --seed {seed}");
        place.ok(&format!("{line} --out played{seed}"));
    }
    let shard = place.path("played1/000000.decisions");
    let mut bytes = fs::read(&shard).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 0x55;
    fs::write(&shard, bytes).unwrap();
    let clone =
        "clone clone.yml --data played1 --data played2 --set clone.skip_unsound=true --seed 1";
    let said = place.ok(&format!("{clone} --set run.dir=whole --plain"));
    assert_eq!(said.matches("left out: played1/000000.decisions").count(), 1, "{said}");
    assert!(said.contains("Left out because they are damaged, 1 blocks"), "{said}");
    let records = crate::support::metrics(&place.path("whole"));
    assert_eq!(records.last().unwrap()["skipped_blocks"], 1);
    place.ok(&format!("{clone} --set run.dir=halves --until 1000 --plain"));
    let done = place.json("clone --resume halves --json");
    assert_eq!(done["skipped_blocks"].as_object().unwrap().len(), 1, "{done}");
    assert_eq!(timeless(&place, "whole"), timeless(&place, "halves"));
}

#[test]
fn what_is_told_at_the_end_belongs_to_the_weights_that_are_kept() {
    let place = place();
    // So large a step that it gets worse soon.
    let clone = "clone clone.yml --seed 3 --set clone.learning_rate=0.3 --set clone.patience=2 \
                 --set clone.epochs=30 --json";
    let done = place.json(&format!("{clone} --set run.dir=early"));
    let records = crate::support::metrics(&place.path("early"));
    let looks: Vec<f64> =
        records.iter().filter_map(|record| record["held_out_nll"].as_f64()).collect();
    let best = looks.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(looks.last() != Some(&best), "{looks:?}");
    assert_eq!(done["held_out"]["nll"].as_f64(), Some(best), "{looks:?}");
    // A run that is at its end says the same again, and is listed as such.
    let again = place.json("clone --resume early --json");
    assert_eq!(again["held_out"], done["held_out"]);
    let listed = place.json("runs list early --json");
    let run = &listed["runs"][0];
    assert_eq!((&run["state"], &run["total_steps"]), (&"finished".into(), &run["steps"]), "{run}");
    place.ok(&format!("{clone} --set run.dir=paused --until 300"));
    let listed = place.json("runs list paused --json");
    let run = &listed["runs"][0];
    assert_eq!(run["state"], "stopped", "{run}");
    assert!(run["total_steps"].as_u64() > run["steps"].as_u64(), "{run}");
}

#[test]
fn runs_of_cloning_are_gone_on_with_by_clone() {
    let place = place();
    let refused = place.fails("clone clone.yml --resume typo");
    assert!(refused.contains("typo is no run"), "{refused}");
    assert!(!place.path("typo").exists());
    place.ok("clone clone.yml --seed 1 --set run.dir=first --until 300 --plain");
    for line in ["train --resume first", "clone first"] {
        let refused = place.fails(line);
        assert!(refused.contains("lanista clone --resume first"), "{line}: {refused}");
    }
}

/// PPO on the duel that is held to something.
const HELD: &str = "
game: duel
rollout: { matches: 16, horizon: 8, shard: 4 }
policy: { hidden: [16], memory: { cell: gru, size: 8 } }
ppo: { minibatch: 64, chunk: 16, learning_rate: 1e-2 }
rewards: { won: 1 }
start: { anchor: { kl: 0.5, renew: 3 } }
evaluation: { matches: 4 }
checkpoint: { every: 200 }
stop: { steps: 2500 }
";

#[test]
fn an_anchor_is_renewed_in_time_and_the_same_after_a_resume() {
    let place = Place::with(&[("held", HELD)]);
    place.ok("train held.yml --seed 1 --set run.dir=whole --plain");
    let kl: Vec<f64> = crate::support::metrics(&place.path("whole"))
        .iter()
        .filter_map(|record| record["anchor_kl"].as_f64())
        .collect();
    // It is nearest to itself in the iterations in which it has just become its own anchor.
    assert!(kl.len() >= 9, "{kl:?}");
    for of_anchor in kl.chunks_exact(3).skip(1) {
        assert!(of_anchor[0] < of_anchor[1] && of_anchor[0] < of_anchor[2], "{kl:?}");
    }
    // Stopped before, at and after a renewal.
    for until in [200, 700, 1000, 1300] {
        place.ok(&format!("train held.yml --seed 1 --until {until} --set run.dir=parts --plain"));
    }
    place.ok("train --resume parts --plain");
    place.bits("whole").assert_same(&place.bits("parts"), "one go, and five");
}

#[test]
fn a_run_takes_another_anchor_when_it_goes_on() {
    let place = Place::with(&[("held", HELD)]);
    let set = "--set start.anchor.renew=null --set rollout.matches=16 --plain";
    place.ok("train held.yml --seed 1 --set start.anchor=null --set run.dir=a --plain");
    place.ok("train held.yml --seed 2 --set start.anchor=null --set run.dir=b --plain");
    let begin = format!("train held.yml --seed 3 {set} --set start.anchor.model=a --until 600");
    place.ok(&format!("{begin} --set run.dir=held"));
    place.ok(&format!("{begin} --set run.dir=other"));
    place.ok("train --resume held --plain");
    let said = place.ok("train --resume other --set start.anchor.model=b --plain");
    assert!(said.contains("held to b from now on"), "{said}");
    let next = |run: &str| {
        let records = crate::support::metrics(&place.path(run));
        let after = |r: &&serde_json::Value| r["steps"].as_u64().is_some_and(|steps| steps > 800);
        records.iter().find(after).unwrap()["anchor_kl"].as_f64().unwrap()
    };
    assert_ne!(next("held"), next("other"));
    place.ok("train classic/cartpole --set run.dir=pole --set stop.steps=2000 --plain");
    let refused = place.fails("train --resume held --set start.anchor.model=pole --until 99999");
    assert!(refused.contains("pole plays cartpole, not duel"), "{refused}");
}

#[test]
fn what_cannot_be_cloned_is_named() {
    let place = place();
    for (line, part) in [
        ("clone", "name a preset that clones"),
        ("clone classic/cartpole", "says nothing about what to clone"),
        ("clone clone.yml --expert bot:nobody", "nobody"),
        ("clone clone.yml --set clone.play.by=bot:nobody", "it has bot:random"),
        ("clone clone.yml --set clone.epoch=3", "did you mean `epochs`?"),
        ("clone clone.yml --set clone.rounds=3", "name clone.expert"),
        ("clone clone.yml --set clone.smoothing=2", "clone.smoothing in --set: 2 is out of range"),
        ("clone clone.yml --data nowhere", "is no dataset"),
        ("train classic/duel --from nowhere", "nowhere is neither a run"),
        (
            "train classic/duel --set start.freeze=[{\"layers\":[\"actor.hide\"]}]",
            "no layer `actor.hide`; there are: actor",
        ),
        ("train classic/duel --set start.anchor={\"kl\":0.1}", "nobody to be held to"),
    ] {
        let refused = place.fails(line);
        assert!(refused.contains(part), "{line}: {refused}");
    }
    let said = text(&fs::read(place.path("clone.yml")).unwrap());
    assert!(said.contains("game: duel"));
    // None of them left a run behind.
    let runs = place.path("runs");
    assert!(!runs.exists() || fs::read_dir(runs).unwrap().next().is_none());
}

//! `lanista train`: what it says while it works and when it is done.

use std::process::Command;

use crate::support::{
    DUEL, FEED_FORWARD, Place, checkpoints, metrics, newest_checkpoint, slashes, text, tree,
};

#[test]
fn a_pipe_gets_lines_and_a_conclusion() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let out = slashes(&place.ok("train preset.yml --seed 4 --threads 2"));
    let first = out.lines().next().unwrap();
    for part in ["training preset.yml", "2 threads", "seed 4", "runs/preset"] {
        assert!(first.contains(part), "{part}: {first}");
    }
    // Seconds apart, but the first and the last in any case.
    let steps: Vec<&str> = out.lines().filter(|l| l.starts_with("steps ")).collect();
    assert!((2..=4608 / 384).contains(&steps.len()), "{out}");
    assert!(
        steps[0].contains(" 384/4.6k") && steps[steps.len() - 1].contains("4.61k/4.6k"),
        "{out}"
    );
    assert_eq!(out.lines().filter(|l| l.starts_with("evaluation at ")).count(), 4, "{out}");
    for part in [
        "all steps are done after 4608 steps",
        "It learnt: return ",
        "Evaluation, 5 matches",
        "The run is in runs/preset",
        "Next:",
        "train --resume runs/preset --steps 9216",
        "eval runs/preset",
        "tensorboard --logdir runs/preset",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    assert!(!out.contains('\u{1b}'), "no colours in a pipe");
}

#[test]
fn a_run_says_whether_it_learnt_by_the_same_matches() {
    let place = Place::with(&[("still", FEED_FORWARD), ("duel", DUEL)]);
    // Without steps of the optimiser it is what it was, whatever its first matches returned.
    let out = place.ok("train still.yml --set ppo.learning_rate=0");
    assert!(out.contains("Nothing was learnt so far: return "), "{out}");
    assert!(!out.contains("It learnt"), "{out}");
    // Sampled: the most likely choices of two players of rock, paper, scissors beat each other in turn.
    let sampled = "--set evaluation.deterministic=false --set evaluation.matches=400";
    let more = format!("{sampled} --steps 20000 --seed 1");
    let out = place.ok(&format!("train duel.yml {more} --set evaluation.vs=self"));
    assert!(out.contains("It learnt: it won "), "{out}");
    assert!(out.contains("of 400 matches against its untrained self (Elo +"), "{out}");
    let out = place.ok(&format!("train duel.yml {more} --set evaluation.vs=bot:biased"));
    assert!(out.contains("It learnt: against bot:biased it won "), "{out}");
    // A run that goes on remembers what it was at its beginning.
    let out = place.ok("train --resume runs/still --steps 6000");
    assert!(out.contains("Nothing was learnt so far: return "), "{out}");
}

/// The commands that the program proposes at its end.
fn proposals(out: &str) -> Vec<String> {
    let next = out.lines().skip_while(|l| !l.ends_with("Next:")).skip(1);
    next.map(|l| l.trim().split("   ").next().unwrap().trim().to_owned()).collect()
}

/// Types a proposed command, if it is one of this program's that ends by itself.
fn type_in(place: &Place, proposal: &str) -> Option<String> {
    let (program, rest) = proposal.split_once(' ').unwrap();
    if !program.trim_end_matches(".exe").ends_with("lanista") || rest.starts_with("watch ") {
        return None;
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanista"));
    let output = command.args(rest.split(' ')).current_dir(place.path("")).output().unwrap();
    assert!(output.status.success(), "{proposal}\n{}", text(&output.stderr));
    Some(text(&output.stdout))
}

#[test]
fn what_it_proposes_can_be_typed() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    // A run that is done, one that was paused, one that reached its aim, and one out of time.
    for (run, how) in [
        ("done", ""),
        ("paused", "--until 2000"),
        ("solved", "--set stop.return=9 --set evaluation.every=384"),
        ("timed", "--set stop.seconds=1e-6"),
    ] {
        let out = place.ok(&format!("train preset.yml --set run.dir={run} {how}"));
        let before = place.bits(run).steps();
        let typed = proposals(&out).iter().filter_map(|p| type_in(&place, p)).count();
        assert!(typed >= 2, "{out}");
        assert!(place.bits(run).steps() > before, "{run} did not go on\n{out}");
    }
}

#[test]
fn json_is_one_line_and_all_of_standard_output() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let value = place.json("train preset.yml --seed 4 --json --set run.dir=run");
    assert_eq!(value["preset"], "preset.yml");
    assert_eq!((value["seed"].as_u64(), value["steps"].as_u64()), (Some(4), Some(4608)));
    assert_eq!(value["solved_at_steps"], serde_json::Value::Null);
    assert_eq!((value["ended"].as_str(), value["run_dir"].as_str()), (Some("steps"), Some("run")));
    assert!(value["seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(value["return_mean"], value["evaluation"]["return_mean"]);
    assert_eq!(value["evaluation"]["matches"], 5);

    let solved = place.json("train classic/levers --set stop.return=2 --json --set run.dir=levers");
    assert_eq!(solved["ended"], "return");
    assert_eq!(solved["solved_at_steps"], solved["steps"]);
    assert!(solved["return_mean"].as_f64().unwrap() >= 2.0);
}

#[test]
fn a_run_leaves_its_files_and_only_the_newest_checkpoints() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --set run.dir=run --set checkpoint.keep=2");
    let run = place.path("run");
    assert_eq!(checkpoints(&run), [4224, 4608]);
    let mut names: Vec<_> =
        std::fs::read_dir(&run).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names.len(), 7, "{names:?}");
    for name in ["checkpoints", "config.yml", "lock", "metrics.jsonl", "model.zip", "preset.json"] {
        assert!(names.iter().any(|n| n == name), "{name} in {names:?}");
    }
    assert!(names.iter().any(|n| n.to_string_lossy().starts_with("events.out.tfevents.")));
    assert_eq!(tree(&newest_checkpoint(&run)).len(), 8);
}

#[test]
fn metrics_tell_of_every_iteration_and_evaluation() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --set run.dir=run");
    let records = metrics(&place.path("run"));
    let (evaluations, iterations): (Vec<_>, Vec<_>) =
        records.iter().partition(|r| r.get("evaluation").is_some());
    assert_eq!((iterations.len(), evaluations.len()), (12, 4));
    for (i, record) in iterations.iter().enumerate() {
        assert_eq!(record["iteration"], i as u64 + 1);
        assert_eq!(record["steps"], 384 * (i as u64 + 1));
        assert_eq!(record["samples"], 384);
        assert_eq!(record["epochs"], 3);
    }
}

#[test]
fn runs_without_a_directory_get_fresh_ones() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    for run in ["runs/preset", "runs/preset-2", "runs/preset-3"] {
        let value = place.json("train preset.yml --steps 1 --json");
        assert_eq!(slashes(value["run_dir"].as_str().unwrap()), run);
    }
}

#[test]
fn the_time_may_be_limited() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let value = place.json("train preset.yml --set stop.seconds=1e-6 --json");
    assert_eq!((value["ended"].as_str(), value["steps"].as_u64()), (Some("seconds"), Some(384)));
}

#[test]
fn no_preset_means_a_car_that_learns_to_hit_the_ball() {
    let line = "train --steps 1 --json --set evaluation.matches=2 --set rollout.matches=4 \
                --set ppo.minibatch=64";
    let value = Place::new().json(line);
    assert_eq!(value["preset"], "rocket/touch");
    let stats = value["evaluation"]["stats"].as_array().unwrap();
    assert!(stats.iter().any(|s| s[0] == "touches_per_minute"), "{value}");
}

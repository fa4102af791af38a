//! Sizes beyond reason and flags without effect: refused by name, before anything starts.

use std::fs;

use crate::support::{DUEL, FEED_FORWARD, Place, ROCKET, text, tree};

/// Runs the program, which must fail, say all of this and leave nothing behind.
fn refused(place: &Place, line: &str, said: &[&str]) {
    let before = tree(&place.path(""));
    let error = place.fails(line);
    for part in said {
        assert!(error.contains(part), "lanista {line}\n{error}\ndoes not say `{part}`");
    }
    assert!(!error.contains("panicked"), "lanista {line}\n{error}");
    assert!(before == tree(&place.path("")), "lanista {line} changed files");
}

#[test]
fn sizes_beyond_any_machine_are_refused() {
    let place = Place::with(&[("ff", FEED_FORWARD)]);
    for (line, said) in [
        ("train ff.yml --set policy.hidden=[4611686018427387904]", ["policy.hidden", "65536"]),
        ("train ff.yml --set policy.hidden=[1000000,1000000]", ["policy.hidden", "65536"]),
        ("train ff.yml --set policy.hidden=[65536,65536]", ["GiB", "policy.hidden"]),
        ("train ff.yml --set rollout.horizon=1000000000000", ["rollout.horizon", "at most"]),
        (
            "train ff.yml --set rollout.horizon=10000000 --set rollout.matches=100000 \
             --set rollout.shard=100000",
            ["rollout.horizon", "too many"],
        ),
        (
            "train ff.yml --set rollout.horizon=10000000 --set rollout.matches=100000 \
             --set rollout.shard=8 --set ppo.sequence_length=16",
            ["TiB", "rollout.matches, rollout.horizon"],
        ),
        ("train ff.yml --threads 10000", ["--threads", "at most 1024"]),
        ("train ff.yml --set run.threads=10000", ["run.threads", "at most 1024"]),
        ("train ff.yml --steps 0", ["stop.steps", "at least 1"]),
        ("train ff.yml --reward balance=1e37", ["rewards.balance", "1000000"]),
        (
            "train ff.yml --set stop.return=400 --set evaluation.every=null",
            ["stop.return", "every"],
        ),
        ("bench train ff.yml --set policy.hidden=[65536,65536]", ["GiB", "policy.hidden"]),
        ("bench infer ff.yml --set policy.hidden=[65536,65536]", ["GiB", "policy.hidden"]),
        ("bench infer ff.yml --batch 99999999999999", ["rows", "--batch"]),
        ("bench game cartpole --matches 99999999999999", ["matches", "--matches"]),
        ("bench game cartpole --threads 10000", ["--threads", "at most 1024"]),
        ("bench train ff.yml --seconds 0", ["--seconds", "above 0"]),
        ("bench train ff.yml --seconds nan", ["--seconds", "above 0"]),
        ("bench infer ff.yml --seconds=-1", ["--seconds", "above 0"]),
        ("bench game duel --seconds inf", ["--seconds", "above 0"]),
    ] {
        refused(&place, line, &said);
    }
}

#[test]
fn what_the_machine_has_left_decides() {
    let place = Place::with(&[("ff", FEED_FORWARD)]);
    let run = |gib: &str| {
        let line = "train ff.yml --until 400 --set run.dir=run";
        place.command(line).env("LANISTA_MEMORY_GIB", gib).output().unwrap()
    };
    let output = run("0.001");
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    for part in ["and there are 1.0 MiB left", "rollout", "together", "LANISTA_MEMORY_GIB"] {
        assert!(error.contains(part), "{error}");
    }
    assert!(!place.path("run").exists());
    assert!(run("1").status.success());
}

#[test]
fn evaluations_have_limits_too() {
    let place = Place::with(&[("ff", FEED_FORWARD)]);
    place.ok("train ff.yml --until 400 --set run.dir=run");
    for (line, said) in [
        ("eval run --matches 99999999999", ["--matches", "at most 1000000"]),
        ("eval run --fps 0", ["--fps", "above 0 and at most 1000"]),
        ("eval run --fps nan", ["--fps", "above 0 and at most 1000"]),
        ("eval run --fps=-5", ["--fps", "above 0 and at most 1000"]),
        ("eval run --threads 10000", ["--threads", "at most 1024"]),
        ("train --resume run --pick", ["--resume run --pick", "drop one"]),
        ("games duel --set ppo.epochs=3", ["--set ppo.epochs=3", "settings"]),
        ("games --set settings.rounds=3", ["--set", "name the game"]),
        ("bench game duel --set ppo.epochs=3", ["--set ppo.epochs=3", "settings"]),
        ("bench game duel --reward won=3", ["--reward won=3", "settings"]),
    ] {
        refused(&place, line, &said);
    }
}

#[test]
fn replays_are_not_mixed_with_those_of_before() {
    let place = Place::with(&[("preset", ROCKET)]);
    place.ok("train preset.yml --until 200 --set run.dir=run");
    place.ok("eval run --matches 2 --record replays");
    refused(&place, "eval run --matches 1 --record replays", &["--record replays", "match-000"]);
    fs::create_dir(place.path("other")).unwrap();
    place.write("other/notes.txt", "mine");
    place.ok("eval run --matches 1 --record other");
    // Recordings of a game without a picture are no less in the way.
    fs::remove_file(place.path("other/match-0000.jsonl")).unwrap();
    refused(&place, "eval run --matches 1 --record other", &["--record other", "match-0000.rec"]);
}

#[test]
fn ratings_beyond_reason_are_unreadable() {
    let place = Place::with(&[("preset", DUEL)]);
    let past = "--set opponents.past=0.4 --set opponents.self=0.1 --set league.every=1000";
    place.ok(&format!("train preset.yml --set run.dir=run {past}"));
    let games = place.path("run/league/results.csv");
    let sound = fs::read_to_string(&games).unwrap();
    let (header, first) = sound.split_once('\n').unwrap();
    let first = first.lines().next().unwrap();
    let fields: Vec<&str> = first.split(',').collect();
    let (before, _) = fields.split_at(fields.len() - 2);
    let mut hostile = format!("{header}\n{first}\n");
    for rating in ["1e308", "-1e308", "inf", "nan", "1e7"] {
        hostile += &format!("{},{rating},1500\n", before.join(","));
        hostile += &format!("{},1500,{rating}\n", before.join(","));
    }
    fs::write(&games, hostile).unwrap();
    let output = place.run("league run --plot plot.svg");
    let error = text(&output.stderr);
    assert!(output.status.success(), "{error}");
    assert!(error.contains("`1e308` is no rating"), "{error}");
    assert!(fs::read_to_string(place.path("plot.svg")).unwrap().contains("</svg>"));

    let pool = place.path("run/league/pool.json");
    let sound = fs::read_to_string(&pool).unwrap();
    // A snapshot from beyond the end of the curve lengthens the axis.
    let mut later: serde_json::Value = serde_json::from_str(&sound).unwrap();
    let snapshot = later.pointer_mut("/pool/snapshots/0/steps").unwrap();
    *snapshot = u64::MAX.into();
    fs::write(&pool, later.to_string()).unwrap();
    place.ok("league run --plot plot.svg");

    let at = sound.find("\"elo\":").unwrap();
    let end = at + sound[at..].find([',', '\n']).unwrap();
    fs::write(&pool, format!("{}\"elo\": 1e308{}", &sound[..at], &sound[end..])).unwrap();
    let error = place.fails("league run --plot plot.svg");
    assert!(error.contains("pool.json is damaged") && error.contains("1e308"), "{error}");
}

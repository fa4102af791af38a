//! Nothing is lost and nothing is invented: what kills, full disks, divergence and damage leave.

use std::fs;
use std::path::Path;

use crate::support::{
    DUEL, FEED_FORWARD, LEAGUE, Place, Running, checkpoints, newest_checkpoint, text, tree,
};

fn sums(run: &Path) -> (std::path::PathBuf, String) {
    let path = newest_checkpoint(run).join("SUMS");
    let text = fs::read_to_string(&path).unwrap();
    (path, text)
}

#[test]
fn a_list_of_sums_that_was_altered_never_costs_an_exploiter() {
    let place = Place::with(&[("preset", LEAGUE)]);
    let line = "train preset.yml --seed 3 --set checkpoint.every=600";
    place.ok(&format!("{line} --set run.dir=whole"));
    place.ok(&format!("{line} --set run.dir=half --until 2500"));
    type Damage = fn(&str) -> String;
    let cut: Damage = |sums| {
        sums.lines().filter(|l| !l.contains("exploiter")).map(|l| format!("{l}\n")).collect()
    };
    let first: Damage = |sums| sums.lines().take(4).map(|l| format!("{l}\n")).collect();
    let other: Damage = |sums| sums.replace("exploiter-0", "exploiter-1");
    for (name, damage) in [("cut", cut), ("first", first), ("other", other)] {
        crate::support::copy(&place.path("half"), &place.path(name));
        let (path, text_) = sums(&place.path(name));
        assert!(text_.contains("exploiter-0"), "{text_}");
        fs::write(&path, damage(&text_)).unwrap();
        let output = place.run(&format!("train --resume {name}"));
        let warning = text(&output.stderr);
        assert!(output.status.success() && warning.contains(" is damaged: "), "{name}: {warning}");
        place.bits("whole").assert_same(&place.bits(name), name);
    }
}

#[test]
fn a_file_that_does_not_belong_to_a_checkpoint_is_damage() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --set run.dir=whole");
    place.ok("train preset.yml --set run.dir=run --until 2600");
    fs::write(newest_checkpoint(&place.path("run")).join("exploiter-0-state.json"), "{}").unwrap();
    let output = place.run("train --resume run");
    let warning = text(&output.stderr);
    assert!(warning.contains("exploiter-0-state.json"), "{warning}");
    place.bits("whole").assert_same(&place.bits("run"), "with and without a stray file");
}

/// Trains to some checkpoint, then goes on with numbers that lead nowhere.
fn leads_nowhere(preset: &str, sets: &str) -> String {
    let place = Place::with(&[("preset", preset)]);
    place.ok("train preset.yml --set run.dir=whole");
    place.ok("train preset.yml --set run.dir=run --until 2600");
    let (saved, before) = (checkpoints(&place.path("run")), tree(&place.path("run/checkpoints")));
    let model = fs::read(place.path("run/model.zip")).unwrap();
    let error = place.fails(&format!("train --resume run {sets}"));
    assert_eq!(checkpoints(&place.path("run")), saved, "{error}");
    assert!(
        before == tree(&place.path("run/checkpoints")),
        "the checkpoints were touched: {error}"
    );
    assert!(
        model == fs::read(place.path("run/model.zip")).unwrap(),
        "the model was touched: {error}"
    );
    // Without them it goes on from there.
    place.ok("train preset.yml --set run.dir=run");
    place.bits("whole").assert_same(&place.bits("run"), "never astray, and once");
    error
}

#[test]
fn rewards_that_overflow_stop_the_run_and_save_nothing() {
    let preset = FEED_FORWARD.replace("entropy: 0.01", "entropy: 0.01, scale_rewards: true");
    let error = leads_nowhere(&preset, "--reward balance=1e37 --set evaluation.every=null");
    assert!(error.contains("balance") || error.contains("last sound checkpoint"), "{error}");
}

#[test]
fn metrics_that_were_damaged_are_named_and_what_is_readable_is_kept() {
    let place = Place::with(&[("preset", LEAGUE)]);
    place.ok("train preset.yml --seed 3 --set run.dir=run --until 2000");
    let path = place.path("run/metrics.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = whole.lines().collect();
    let count = lines.len();
    lines[3] = "{\"iteration\": gone";
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    fs::write(place.path("run/league/pool.json"), "{").unwrap();
    let results = place.path("run/league/results.csv");
    let mut csv = fs::read_to_string(&results).unwrap();
    csv.insert_str(csv.find('\n').unwrap() + 1, "who,knows\n");
    fs::write(&results, &csv).unwrap();
    let said = place.ok("train --resume run --until 2100 --plain");
    for (file, aside) in [
        ("metrics.jsonl", "run/metrics.jsonl.damaged"),
        ("pool.json", "run/league/pool.json.damaged"),
        ("results.csv", "run/league/results.csv.damaged"),
    ] {
        assert!(said.contains(&format!("{file} is damaged")), "{file}: {said}");
        assert!(said.contains(aside) && place.path(aside).is_file(), "{file}: {said}");
    }
    let kept = fs::read_to_string(&path).unwrap();
    assert!(kept.lines().count() >= count - 1, "{} of {count}", kept.lines().count());
    assert!(fs::read_to_string(place.path("run/league/results.csv.damaged")).unwrap() == csv);
    // From then on nothing is wrong any more.
    let said = place.ok("train --resume run --until 2200 --plain");
    assert!(!said.contains("damaged"), "{said}");
}

#[test]
fn a_directory_that_is_removed_under_a_run_is_an_error() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let command = place.command("train preset.yml --set run.dir=run --steps 500000000 --plain");
    let mut running = Running::start(command);
    running.wait_for("steps");
    fs::remove_dir_all(place.path("run")).unwrap();
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut running.out, &mut rest).unwrap();
    let mut error = String::new();
    let stderr = running.child.stderr.as_mut().unwrap();
    std::io::Read::read_to_string(stderr, &mut error).unwrap();
    assert_eq!(running.child.wait().unwrap().code(), Some(1), "{error}");
    assert!(error.contains("was removed or replaced") || error.contains("run/"), "{error}");
    assert!(!place.path("run/checkpoints").exists(), "it was made again");
}

#[test]
fn starts_at_the_same_time_get_a_directory_each() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let runs: Vec<_> = (0..6)
        .map(|seed| {
            let mut command = place.command(&format!("train preset.yml --seed {seed} --until 400"));
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for run in runs {
        let output = run.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let mut seeds: Vec<u64> = fs::read_dir(place.path("runs"))
        .unwrap()
        .map(|entry| {
            let config = fs::read_to_string(entry.unwrap().path().join("config.yml")).unwrap();
            let line = config.lines().find(|line| line.trim_start().starts_with("seed:")).unwrap();
            line.trim_start()["seed:".len()..].trim().parse().unwrap()
        })
        .collect();
    seeds.sort_unstable();
    assert_eq!(seeds, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn the_record_of_matches_stays_small() {
    // Tens of thousands of rated matches in a few seconds.
    let place = Place::with(&[("preset", DUEL)]);
    place.ok("train preset.yml --set run.dir=run --set opponents.bot:random=1 --set opponents.self=null --set settings.rounds=1 --set rollout.matches=100 --steps 100000 --set evaluation.every=null --set checkpoint.every=50000");
    let value = place.json("league run --json");
    assert!(value["games"].as_u64().unwrap() > 20_000, "{value}");
    let games: u64 =
        value["others"].as_array().unwrap().iter().map(|o| o["games"].as_u64().unwrap()).sum();
    assert_eq!(value["games"].as_u64(), Some(games), "every one is counted");
    for (file, most) in [("league/games.csv", 200_000), ("league/results.csv", 100_000)] {
        let size = fs::metadata(place.path("run").join(file)).unwrap().len();
        assert!(size < most, "{file}: {size}");
    }
}

#[test]
fn a_missing_milestone_is_named() {
    let place = Place::with(&[("preset", LEAGUE)]);
    place.ok("train preset.yml --seed 3 --set run.dir=run --until 2000");
    let gone = fs::read_dir(place.path("run/milestones")).unwrap().next().unwrap().unwrap();
    fs::remove_dir_all(gone.path()).unwrap();
    let output = place.run("train --resume run --until 2100");
    let warning = text(&output.stderr);
    let name = gone.file_name().into_string().unwrap();
    assert!(warning.contains(&format!("milestones/{name} was made by this run")), "{warning}");
}

//! Pokémon battles through the program. Without node and the simulator these are skipped by name.

#[cfg(target_os = "linux")]
use std::process::Command;
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use crate::support::{Place, text};
#[cfg(target_os = "linux")]
use crate::support::{Running, metrics};
use crate::watch::{all_play_to_their_recorded_end, json, page_of};

const PRESET: &str = "
game: vgc
settings: { view: flat, limit_turns: 6, processes: 2 }
rollout: { matches: 6, horizon: 10, shard: 2, max_lost: 100 }
policy: { hidden: [16] }
ppo: { learning_rate: 1e-3, epochs: 1, minibatch: 32, chunk: 16 }
rewards: { win: 1, faints: 0.2 }
opponents: { bot:random: 0.5 }
evaluation: { every: 100000, matches: 2 }
checkpoint: { every: 1000 }
stop: { steps: 300 }
";

/// Is there no simulator to play on?
fn skipped() -> bool {
    let found = lanista_vgc::install::locate(None);
    found.inspect_err(|error| println!("skipped: {error}")).is_err()
}

#[test]
fn the_game_is_shown_without_a_simulator() {
    let place = Place::new();
    let mut command = place.command("games vgc");
    let command = command.env("PATH", "").env_remove("LANISTA_SHOWDOWN");
    let output = command.env("XDG_CACHE_HOME", place.path("cache")).output().unwrap();
    let out = text(&output.stdout);
    assert!(output.status.success(), "{out}\n{}", text(&output.stderr));
    for word in ["heuristic", "hp_margin", "limit_turns", "vgc/small", "switch_4"] {
        assert!(out.contains(word), "{word}\n{out}");
    }
}

#[test]
fn what_is_missing_is_named_with_the_remedy() {
    let place = Place::with(&[("battle", PRESET)]);
    let fails = |line: &str, path: Option<&str>| {
        let mut command = place.command(line);
        command.env_remove("LANISTA_SHOWDOWN").env("XDG_CACHE_HOME", place.path("cache"));
        if let Some(path) = path {
            command.env("PATH", path);
        }
        let output = command.output().unwrap();
        assert!(!output.status.success());
        text(&output.stderr)
    };
    let error = fails("train battle.yml", Some(""));
    assert!(error.contains("nodejs.org"), "{error}");
    let error = fails("train battle.yml --set settings.format=gen9ou", None);
    assert!(error.contains("gen9vgc2024regg"), "{error}");
    if skipped() {
        return;
    }
    let error = fails("train battle.yml", None);
    assert!(error.contains("lanista vgc setup"), "{error}");
    place.write("bad.txt", "Pikachu @ Light Ball\nAbility: Static\nLevel: 50\n- Thunderbolt\n");
    let error = place.fails("train battle.yml --set settings.team=bad.txt");
    assert!(error.contains("bad.txt") && error.contains("at least 4"), "{error}");
}

#[test]
fn battles_resume_exactly() {
    if skipped() {
        return;
    }
    let place = Place::with(&[("battle", PRESET)]);
    place.ok("train battle.yml --seed 3 --set run.dir=whole");
    place.ok("train battle.yml --seed 3 --until 150 --set run.dir=resumed");
    place.ok("train --resume resumed --threads 1");
    let (whole, resumed) = (place.bits("whole"), place.bits("resumed"));
    whole.assert_same(&resumed, "one go, and two by --resume");
}

#[test]
fn recorded_battles_have_their_log_and_replay() {
    if skipped() {
        return;
    }
    let place = Place::with(&[("battle", PRESET)]);
    let more = "--steps 1 --set settings.limit_turns=200 --set run.dir=run";
    place.ok(&format!("train battle.yml {more}"));
    place.ok("eval run --matches 2 --vs bot:random --record kept");
    for number in 0..2 {
        let log = place.path(&format!("kept/match-{number:04}.log"));
        let log = std::fs::read_to_string(log).unwrap();
        assert!(log.starts_with("|gametype|doubles\n") && log.contains("\n|win|"), "{log}");
    }
    let out = place.ok("replay kept/match-0001.rec");
    assert!(out.contains("as recorded") && !out.contains("not as recorded"), "{out}");
}

#[test]
fn a_hundred_battles_play_to_their_recorded_end_and_without_a_simulator_the_remedy_is_told() {
    if skipped() {
        return;
    }
    let preset = PRESET.replace("limit_turns: 6, processes: 2", "limit_turns: 2, processes: 1");
    let place = Place::with(&[("battle", &preset)]);
    // In a run: it knows how many processes there are, and each of them takes a second to start.
    let kept = "--set recording.every=1 --set recording.keep=100 --set evaluation.matches=1";
    place.ok(&format!("train battle.yml {kept} --steps 700 --set run.dir=run"));
    all_play_to_their_recorded_end(&place, "run", 100);

    let mut command = place.command("watch run/recordings --port 0");
    command.env_remove("LANISTA_SHOWDOWN").env("XDG_CACHE_HOME", place.path("cache"));
    let (running, address) = page_of(command);
    let matches = json(address, "/api/matches");
    let id = matches["matches"][0]["id"].as_str().unwrap();
    let whole = json(address, &format!("/api/match/{id}"));
    assert_eq!(whole["state"], "cannot", "{whole}");
    let notice = whole["notice"].as_str().unwrap();
    assert!(notice.contains("lanista vgc setup"), "{notice}");
    assert!(!notice.contains("not as recorded"), "{notice}");
    assert!(whole["first_difference"].is_null());
    drop(running);
}

#[test]
fn battles_are_measured() {
    if skipped() {
        return;
    }
    let line =
        "bench game vgc --threads 2 --matches 4 --seconds 1 --json --set settings.processes=1";
    let value = Place::new().json(line);
    assert!(value["agent_steps_per_second"].as_f64().unwrap() > 1.0, "{value}");
}

/// The children of a process.
#[cfg(target_os = "linux")]
fn children(of: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").unwrap();
    let numbers = processes.filter_map(|p| p.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let parent = |pid: u32| {
        let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        line.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    numbers.filter(|&pid| parent(pid) == Some(of)).collect()
}

/// Waits until it holds, for a minute at most.
#[cfg(target_os = "linux")]
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what} does not come");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn kills_cost_battles_of_a_process_and_leave_no_orphan() {
    if skipped() {
        return;
    }
    let place = Place::with(&[("battle", PRESET)]);
    let line = "train battle.yml --plain --set run.dir=run --steps 1000000";
    let running = Running::start(place.command(line));
    let (trainer, run) = (running.child.id(), place.path("run"));
    let lines = || if run.join("metrics.jsonl").is_file() { metrics(&run) } else { Vec::new() };
    let kill = |pid: u32| {
        let status = Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
        assert!(status.success());
    };
    until("the first iteration", || !lines().is_empty());
    let hosts = children(trainer);
    assert_eq!(hosts.len(), 2, "all batches share two processes");
    kill(hosts[0]);
    let lost = || lines().iter().map(|line| line["lost_matches"].as_u64().unwrap()).sum::<u64>();
    until("a lost match", || lost() > 0);
    let then = lines().len();
    until("the next iteration", || lines().len() > then + 1);
    assert!(lost() <= 6, "{}", lost());
    let hosts = children(trainer);
    assert_eq!(hosts.len(), 2, "it was replaced");
    kill(trainer);
    // Whoever takes orphans in may leave them unburied for a while.
    let lives = |pid: &u32| {
        let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        line.rsplit_once(')').is_some_and(|(_, rest)| !rest.starts_with(" Z"))
    };
    until("the end of its processes", || !hosts.iter().any(lives));
}

//! The attack: a kill, a full disk and a broken disk at every call that changes a file, of a run with
//! a league, exploiters, stages and milestones. Each time the run must end with the same bits, the
//! same milestones and the same files as one that was left alone.
//!
//! `strace` injects the faults. It is Linux's; without it the test is skipped by name. By default some
//! points are attacked, spread over the run; `LANISTA_ATTACK=1` attacks all, which takes a while, and
//! another number every so many.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{Place, text, tree};

/// Everything that a run can write, in few steps.
const PRESET: &str = "
game: duel
settings: { rounds: 3 }
rollout: { matches: 6, horizon: 9, shard: 3 }
policy: { hidden: [6] }
ppo: { epochs: 1, minibatch: 32 }
rewards: { won: 1 }
opponents: { bot:biased: 0.3, past: 0.4 }
league: { every: 150, pool: 2 }
exploiters:
  - { against: main, rollouts: 2, reset: 0.5, delay: 1 }
  - { against: league, rollouts: 2, pace: 0.5, start: scratch }
evaluation: { every: 300, matches: 4 }
checkpoint: { every: 200, keep: 2, milestones: 300 }
curriculum:
  - { name: first, until: { steps: 250 } }
  - { name: longer, changes: { settings: { rounds: 4 } } }
stop: { steps: 600 }
run: { threads: 1 }
";

/// Calls that change files.
const CALLS: [&str; 11] = [
    "write",
    "fsync",
    "fdatasync",
    "rename",
    "renameat2",
    "unlink",
    "unlinkat",
    "mkdir",
    "rmdir",
    "ftruncate",
    "openat",
];

/// A call to attack: its name and its number among those of that name.
type Point = (&'static str, usize);

const LINE: &str = "train preset.yml --seed 3 --set run.dir=run --json";

fn traced(place: &Place, strace: &[String]) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "--seccomp-bpf"]).args(strace);
    command.arg("--").arg(env!("CARGO_BIN_EXE_lanista")).args(LINE.split(' '));
    command.current_dir(place.path("")).stdin(Stdio::null());
    command
}

/// The calls of the main thread that change a file under the run's directory, in a run that is left
/// alone.
fn points(place: &Place) -> Vec<Point> {
    let log = place.path("strace.log");
    let options = ["-o", log.to_str().unwrap(), "-y", "-e", &format!("trace={}", CALLS.join(","))]
        .map(str::to_owned);
    let output = traced(place, &options).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let log = fs::read_to_string(log).unwrap();
    let main = log.split_whitespace().next().unwrap().to_owned();
    let (mut counts, mut points) = (BTreeMap::new(), Vec::new());
    for line in log.lines().filter(|line| line.starts_with(&main)) {
        let call = line.split_whitespace().nth(1).unwrap_or_default();
        let Some(name) = CALLS.into_iter().find(|name| call.starts_with(&format!("{name}(")))
        else {
            continue;
        };
        let number = counts.entry(name).and_modify(|n| *n += 1).or_insert(1usize);
        let changes = name != "openat" || line.contains("O_CREAT") || line.contains("O_TRUNC");
        if changes && line.contains("run") && !line.contains("lib") {
            points.push((name, *number));
        }
    }
    points
}

/// A run as it must be: names and bytes, without what depends on time.
fn left_behind(run: &Path) -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    for (path, bytes) in tree(run) {
        let name = path.strip_prefix(run).unwrap().to_owned();
        let file = name.file_name().unwrap().to_str().unwrap();
        if file.starts_with("events.out") || ["SUMS", "seals.json"].contains(&file) {
            continue; // one a sitting, and sums of what holds times
        }
        let timeless = |text: &str| {
            let mut value: Value = serde_json::from_str(text).unwrap();
            value.as_object_mut().unwrap().remove("time");
            value["progress"]["seconds"].take();
            value.to_string()
        };
        let shown = match file {
            "metrics.jsonl" => text(&bytes).lines().map(timeless).collect::<Vec<_>>().join("\n"),
            "meta.json" => timeless(&text(&bytes)),
            _ if file.ends_with("state.json") => timeless(&text(&bytes)),
            _ => format!("{} bytes, {:x}", bytes.len(), sum(&bytes)),
        };
        files.insert(name, shown);
    }
    files
}

/// FNV-1a: enough to tell files apart.
fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn attack(
    how: &str,
    (call, number): Point,
    whole: &BTreeMap<PathBuf, String>,
) -> Result<(), String> {
    let place = Place::with(&[("preset", PRESET)]);
    let inject = format!("inject={call}:{how}:when={number}");
    let options = ["-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject];
    let attacked = traced(&place, &options.map(str::to_owned)).output().unwrap();
    let resumed = place.run(LINE);
    let said = format!("{}{}", text(&attacked.stderr), text(&resumed.stderr));
    if said.contains("panicked") || !resumed.status.success() {
        return Err(format!("{how} at {call} {number}: {said}"));
    }
    let found = left_behind(&place.path("run"));
    for name in whole.keys().chain(found.keys()) {
        if whole.get(name) != found.get(name) {
            let shown = |files: &BTreeMap<PathBuf, String>| {
                files
                    .get(name)
                    .map_or("nothing".into(), |s| s.chars().take(300).collect::<String>())
            };
            let name = name.display();
            return Err(format!(
                "{how} at {call} {number}: {name}: {} instead of {}\n{said}",
                shown(&found),
                shown(whole)
            ));
        }
    }
    Ok(())
}

#[test]
fn a_fault_at_any_call_changes_nothing_in_the_end() {
    let strace = Command::new("strace").arg("-V").stdout(Stdio::null()).status();
    if !strace.is_ok_and(|status| status.success()) {
        println!("skipped: a_fault_at_any_call_changes_nothing_in_the_end needs strace");
        return;
    }
    let place = Place::with(&[("preset", PRESET)]);
    let points = points(&place);
    let whole = left_behind(&place.path("run"));
    assert!(whole.keys().filter(|name| name.starts_with("milestones")).count() >= 20, "{whole:?}");
    assert!(points.len() > 200, "{} calls", points.len());
    // A stride that is prime to most periods of the run.
    let stride = std::env::var("LANISTA_ATTACK").map_or(37, |stride| stride.parse().unwrap());
    let kinds = ["signal=SIGKILL", "error=ENOSPC", "error=EIO"];
    let attacks: Vec<(&str, Point)> =
        kinds.iter().flat_map(|kind| points.iter().map(move |point| (*kind, *point))).collect();
    let chosen: Vec<_> = attacks.iter().step_by(stride).collect();
    let faults: Vec<String> = std::thread::scope(|scope| {
        let half = chosen.len().div_ceil(2);
        let whole = &whole;
        let workers = chosen.chunks(half.max(1)).map(|mine| {
            scope.spawn(move || {
                let attack = |(how, point): &&(&str, Point)| attack(how, *point, whole).err();
                mine.iter().filter_map(attack).collect::<Vec<_>>()
            })
        });
        let workers: Vec<_> = workers.collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    println!("{} of {} attacks on {} calls", chosen.len(), attacks.len(), points.len());
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), chosen.len(), faults.join("\n"));
}

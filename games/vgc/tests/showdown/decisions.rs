//! Decisions of recorded battles: those that people played, and those of the simulator told again without it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lanista_game::{Answer, Batch, Buffers, Control, Episode, UNKNOWN, Verdict, seed};
use lanista_vgc::battles::{self, Battles};
use lanista_vgc::bots::{self, Bot};
use lanista_vgc::client::{Keep, Plan, Seek, Table};
use lanista_vgc::decisions::{self, Reader, Summary, Way, episodes};
use lanista_vgc::format::Format;
use lanista_vgc::install;
use lanista_vgc::legal::Legal;
use lanista_vgc::recorded::Recording;
use lanista_vgc::request::Request;
use lanista_vgc::settings::{Actions, Settings};
use lanista_vgc::state::Battle;
use lanista_vgc::view::{self, View};
use rand::RngExt;
use serde_json::{Value, json};

const FORMATS: [&str; 4] =
    ["gen9vgc2024regg", "gen9vgc2023regc", "gen9vgc2025regi", "gen9championsvgc2026regmb"];

const DISGUISE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/disguise.packed");

fn human_battles(test: &str) -> Vec<PathBuf> {
    let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/vgc");
    let Ok(files) = std::fs::read_dir(shared.join("human_battles")) else {
        println!("skipped: {test} (there are no recorded battles)");
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

fn read(path: &Path, settings: &Settings) -> (Summary, Vec<Episode>) {
    let mut found = Vec::new();
    let summary = episodes(path, settings, &mut |episode| found.push(episode)).unwrap();
    (summary, found)
}

#[test]
fn all_that_people_chose_was_offered() {
    let mut total = Summary::default();
    let mut stated = 0;
    for file in human_battles("all_that_people_chose_was_offered") {
        let json: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        stated += json["inputLog"].as_array().unwrap().len();
        for (actions, view) in [
            (Actions::Heads, View::Entities),
            (Actions::Heads, View::Flat),
            (Actions::Joint, View::Entities),
        ] {
            let settings = Settings { actions, view, ..Settings::default() };
            let spec = battles::spec(&settings);
            let (summary, found) = read(&file, &settings);
            assert_eq!(summary.way, Some(Way::Told));
            assert_eq!(found.len(), 2);
            for episode in &found {
                assert_eq!(episode.fault(&spec), None);
                assert!(episode.verdict.is_some() && episode.end.is_some());
            }
            assert_ne!(found[0].verdict, found[1].verdict);
            if (actions, view) == (Actions::Heads, View::Entities) {
                total.add(&summary);
            }
        }
    }
    println!("{} decisions, {} inside; {:?}", total.decisions, total.inside, total.notes);
    assert_eq!((total.decisions, total.inside), (stated, stated), "{:#?}", total.notes);
    assert_eq!(total.unknown_heads, 0);
}

/// The same battles with their choices taken away: what is told from the log alone is what was chosen.
#[test]
fn what_is_told_from_a_log_alone_is_right() {
    let directory = tempfile::tempdir().unwrap();
    let (mut known, mut unknown, mut refused) = (0, 0, 0);
    for file in human_battles("what_is_told_from_a_log_alone_is_right") {
        let settings = Settings::default();
        let (_, stated) = read(&file, &settings);
        let mut json: Value =
            serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        json.as_object_mut().unwrap().remove("inputLog");
        let path = directory.path().join("battle.json");
        std::fs::write(&path, json.to_string()).unwrap();
        let (summary, found) = read(&path, &settings);
        refused += summary.refused.len();
        for episode in found {
            let whole = stated.iter().find(|other| other.player == episode.player).unwrap();
            for (at, step) in episode.steps.iter().enumerate() {
                let same = whole.steps.iter().position(|other| other == step);
                let same = same.unwrap_or_else(|| panic!("{}: step {step}", file.display()));
                for head in 0..3 {
                    let (told, was) =
                        (episode.actions[at * 3 + head], whole.actions[same * 3 + head]);
                    if told == UNKNOWN {
                        unknown += 1;
                    } else if (40..44).contains(&told) && (40..44).contains(&was) {
                        // A log does not tell in which order the last two were brought.
                        known += 1;
                    } else {
                        known += 1;
                        assert_eq!(told, was, "{}: step {step}, head {head}", file.display());
                    }
                }
            }
        }
    }
    println!("{known} heads known, {unknown} unknown, {refused} sides refused");
}

/// Real recordings with lines lost, doubled or exchanged, and bytes changed: read or refused, and what comes out fits the game.
#[test]
fn damaged_recordings_do_no_harm() {
    let settings = Settings::default();
    let spec = battles::spec(&settings);
    let mut reader = Reader::new(&settings);
    let mut dice = seed::rng(11);
    let mut read = 0;
    for file in human_battles("damaged_recordings_do_no_harm") {
        let whole: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        for round in 1..=20 {
            let mut json = whole.clone();
            for key in ["log", "inputLog"] {
                let lines = json[key].as_array_mut().unwrap();
                for _ in 0..round {
                    let (at, other) =
                        (dice.random_range(0..lines.len()), dice.random_range(0..lines.len()));
                    match dice.random_range(0..4) {
                        0 => drop(lines.remove(at)),
                        1 => lines.insert(other, lines[at].clone()),
                        2 => lines.swap(at, other),
                        _ => {
                            let mut bytes = lines[at].as_str().unwrap().as_bytes().to_vec();
                            if let Some(byte) = bytes.get_mut(dice.random_range(0..40)) {
                                *byte = dice.random_range(32..127);
                            }
                            lines[at] = json!(String::from_utf8_lossy(&bytes));
                        }
                    }
                }
            }
            let Ok(recording) = Recording::parse(&json.to_string(), &file) else { continue };
            read += 1;
            reader.recording(&recording, &mut |episode| assert_eq!(episode.fault(&spec), None));
            // And bytes of the file itself, which are mostly refused.
            let mut bytes = whole.to_string().into_bytes();
            for _ in 0..round {
                let at = dice.random_range(0..bytes.len());
                bytes[at] = dice.random_range(0..=255);
            }
            if let Ok(recording) = Recording::parse(&String::from_utf8_lossy(&bytes), &file) {
                reader.recording(&recording, &mut |episode| assert_eq!(episode.fault(&spec), None));
            }
        }
    }
    println!("{read} damaged recordings were read");
}

/// What a client keeps of a battle on a server is read with the requests that it was asked.
#[test]
fn what_a_client_kept_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let format = Format::of("gen9vgc2024regg").unwrap();
    let plan = Plan {
        name: "alpha one".into(),
        format,
        teams: vec!["team".into()],
        seek: Seek::Challenge("beta two".into()),
        battles: 1,
        at_once: 1,
        open_sheets: false,
    };
    let mut seen = Vec::new();
    let mut player = |battle: &Battle, request: &Request, legal: &Legal| {
        let mut numbers = vec![0.0; view::len(View::Entities)];
        view::write(View::Entities, battle, request, legal, &mut numbers);
        seen.extend(numbers);
        bots::choose(Bot::Heuristic, battle, request, legal, 3)
    };
    let keep = Keep::new(directory.path()).unwrap();
    let mut tell = |_: &str| {};
    let mut table = Table::new(plan, &mut player, Some(keep), &mut tell);
    for (second, message) in include_str!("../data/server.txt").split("\n<<<\n").enumerate() {
        table.receive(message, Duration::from_secs(second as u64));
    }
    let chosen = table.summary.decisions;
    drop(table);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(directory.path()).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| decisions::is_recording(file));
    assert_eq!(files.len(), 1, "{files:?}");
    let (summary, found) = read(&files[0], &Settings::default());
    assert_eq!((summary.way, summary.outside), (Some(Way::Kept), 0), "{summary:?}");
    assert_eq!((summary.decisions, summary.inside), (chosen, chosen));
    assert_eq!(found[0].observation, seen, "the same bits that the player saw");
    assert_eq!(found[0].verdict, Some(Verdict::Lost));
}

/// Battles of scripted players, kept as Showdown would keep them.
fn played(
    settings: &Settings,
    bots: [usize; 2],
    count: usize,
    from: u64,
) -> Vec<(Value, Vec<Episode>)> {
    let mut batch = Battles::new(settings.clone(), 1).unwrap();
    let mut buffers = Buffers::new(batch.spec(), 1);
    let role = batch.spec().roles[0].clone();
    let heads = role.heads.len();
    let mut kept = Vec::new();
    for number in 0..count {
        batch
            .start(0, seed::mix(from, number as u64), &[Control::Outside; 2], &mut buffers)
            .unwrap();
        let mut seen = [Episode::default(), Episode::default()];
        let mut joint = vec![0; 2 * heads];
        for step in 0.. {
            let mut answers = Vec::new();
            while answers.is_empty() {
                batch.collect(Duration::from_secs(60), &mut buffers, &mut answers).unwrap();
            }
            assert!(matches!(answers[0], Answer::Ready(0)), "{answers:?}");
            if step > 0 && buffers.end[0].is_some() {
                break;
            }
            for seat in 0..2 {
                if !buffers.acting[seat] {
                    continue;
                }
                let action = &mut joint[seat * heads..(seat + 1) * heads];
                batch.scripted(0, bots[seat], seat, action).unwrap();
                let row = |width: usize| seat * width..(seat + 1) * width;
                seen[seat].steps.push(step);
                seen[seat].observation.extend(&buffers.observation[row(role.features())]);
                seen[seat].mask.extend(&buffers.mask[row(role.actions())]);
                seen[seat].forbidden.extend(&buffers.forbidden[row(role.pair_values())]);
                seen[seat].actions.extend_from_slice(action);
            }
            batch.submit(&[0], &joint, &mut buffers).unwrap();
        }
        let Some(input) = batch.input(0) else { continue };
        let input: Vec<&str> = input.lines().collect();
        let log: Vec<&str> = batch.log(0).lines().collect();
        kept.push((
            json!({"format": settings.format, "log": log, "inputLog": input}),
            seen.to_vec(),
        ));
    }
    kept
}

/// The first number in which two episodes differ, by name.
fn difference(settings: &Settings, one: &Episode, other: &Episode) -> Vec<String> {
    let spec = battles::spec(settings);
    let role = &spec.roles[0];
    let mut found = Vec::new();
    if one.steps != other.steps {
        found.push("steps".to_owned());
        return found;
    }
    let names = role.flat_features();
    for (what, width, a, b) in [
        ("mask", role.actions(), &one.mask, &other.mask),
        ("forbidden", role.pair_values(), &one.forbidden, &other.forbidden),
    ] {
        for at in 0..one.len() {
            if a[at * width..(at + 1) * width] != b[at * width..(at + 1) * width] {
                found.push(format!("{at}: {what}"));
            }
        }
    }
    for (at, (a, b)) in one.observation.iter().zip(&other.observation).enumerate() {
        if a != b {
            let (row, column) = (at / names.len(), at % names.len());
            found.push(format!("{row}: {} is {a}, was {b}", names[column].name));
        }
    }
    if one.actions != other.actions {
        found.push("actions".to_owned());
    }
    found
}

/// What the simulator plays again is what training saw, and what is told without it is the same.
#[test]
fn battles_of_the_simulator_are_told_again() {
    if let Err(error) = install::locate(None) {
        println!("skipped: battles_of_the_simulator_are_told_again: {error}");
        return;
    }
    let count = std::env::var("BATTLES").ok().and_then(|n| n.parse().ok()).unwrap_or(2);
    let directory = tempfile::tempdir().unwrap();
    let (mut rows, mut equal, mut legal, mut chosen) = (0, 0, 0, 0);
    // More battles, other formats and other teams for whoever looks for what is missed.
    let named = std::env::var("FORMATS").unwrap_or_else(|_| FORMATS.join(","));
    let given = std::env::var("TEAMS").ok();
    let cases = named.split(',').map(|format| {
        (format, given.as_ref().map(|teams| PathBuf::from(teams.replace("{}", format))))
    });
    // Somebody in disguise, somebody in another's shape, and foes who let nobody go.
    let disguised = ("gen9vgc2023regc", Some(PathBuf::from(DISGUISE)));
    for (format, teams) in cases.chain([disguised]) {
        let settings =
            Settings { format: format.into(), processes: Some(1), teams, ..Settings::default() };
        let spec = battles::spec(&settings);
        let role = &spec.roles[0];
        let (random, heuristic) = (role.bot("random").unwrap(), role.bot("heuristic").unwrap());
        let mut reader = Reader::new(&settings);
        for bots in [[random, heuristic], [random; 2]] {
            for (at, (mut json, seen)) in played(&settings, bots, count, 7).into_iter().enumerate()
            {
                let name = |what: &str| directory.path().join(format!("{at}-{what}.json"));
                std::fs::write(name("seed"), json.to_string()).unwrap();
                let mut again = Vec::new();
                let summary =
                    reader.episodes(&name("seed"), &mut |episode| again.push(episode)).unwrap();
                assert_eq!(summary.way, Some(Way::Played), "{:?}", summary.notes);
                for (one, seen) in again.iter().zip(&seen) {
                    let found = difference(&settings, one, seen);
                    assert!(found.is_empty(), "played again: {found:?}");
                }
                // What the simulator was told is enough, however it is written down.
                let lines: Vec<&str> = json["inputLog"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|line| line.as_str().unwrap())
                    .collect();
                for (ending, text) in [
                    ("txt", lines.join("\n")),
                    ("log", lines.join("\n")),
                    ("json", json!({ "inputLog": lines }).to_string()),
                ] {
                    let path = directory.path().join(format!("{at}-input.{ending}"));
                    std::fs::write(&path, text).unwrap();
                    let mut alone = Vec::new();
                    let summary =
                        reader.episodes(&path, &mut |episode| alone.push(episode)).unwrap();
                    assert_eq!(summary.way, Some(Way::Played), "{:?}", summary.refused);
                    assert_eq!(alone.len(), again.len());
                    for (one, other) in alone.iter().zip(&again) {
                        let source = other.source.clone();
                        assert!(*other == Episode { source, ..one.clone() }, "{ending}");
                    }
                }
                // Without the seed.
                json["inputLog"][0] = json!(">version 0");
                std::fs::write(name("told"), json.to_string()).unwrap();
                let mut told = Vec::new();
                let summary =
                    reader.episodes(&name("told"), &mut |episode| told.push(episode)).unwrap();
                assert_eq!(summary.way, Some(Way::Told));
                chosen += seen.iter().map(Episode::len).sum::<usize>();
                legal += summary.inside;
                for note in &summary.notes {
                    println!("{format} {at}: {note}");
                }
                for (side, (one, seen)) in told.iter().zip(&seen).enumerate() {
                    let found = difference(&settings, one, seen);
                    let wrong: std::collections::BTreeSet<&str> =
                        found.iter().filter_map(|words| words.split(':').next()).collect();
                    rows += seen.len();
                    equal += seen.len() - wrong.len().min(seen.len());
                    for words in found.iter().take(12) {
                        println!("{format} {at} p{}: {words}", side + 1);
                    }
                }
            }
        }
    }
    println!("{equal} of {rows} decisions are told again to the bit; {legal} of {chosen} inside");
    assert_eq!(legal, chosen);
    assert!(equal * 100 >= rows * 98, "{equal} of {rows}");
}

//! Our starts against those that were recorded on the original server.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use lanista_nh::gear::{Kind, SLOTS};
use lanista_nh::kinds::{Levels, Spellbook};
use lanista_nh::loadout::{Build, CARRIED, Loadout, Set, Start};
use lanista_nh::trace::{Fight, Line, ResetParams, Snapshot};
use serde::Deserialize;

/// The recorded fights, which are too large to be kept with the source.
fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/nh")
}

fn files(folder: &Path) -> Option<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder.join("fights"))
        .ok()?
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains(".jsonl"))
        .collect();
    files.sort();
    Some(files)
}

fn skipped(test: &str, missing: &Path) {
    println!("skipped: {test}: there are no recorded fights in {}", missing.display());
}

fn assert_start(what: &str, ours: &Start, loadout: &Loadout, theirs: &Snapshot) {
    assert_eq!(ours.worn.map(name), theirs.worn.map(name), "{what}: worn");
    assert_eq!(ours.inventory.map(name), theirs.inventory.map(name), "{what}: inventory");
    assert_eq!(*ours, Start { worn: theirs.worn, inventory: theirs.inventory }, "{what}");
    assert_eq!(loadout.spellbook, theirs.spellbook, "{what}");
    assert_eq!(loadout.levels, theirs.levels, "{what}");
    assert_eq!(loadout.levels, theirs.max_levels, "{what}");
}

fn name(item: Option<Kind>) -> Option<&'static str> {
    item.map(|item| item.item().name)
}

#[test]
fn recorded_fights_start_like_ours() {
    let folder = recordings();
    let Some(files) = files(&folder) else {
        return skipped("recorded_fights_start_like_ours", &folder);
    };
    let mut opponents = Vec::new();
    let mut first_ticks = HashMap::new();
    let (mut starts, mut lines, mut switches, mut tanks) = (0, 0, 0, 0);
    let (mut drawn, mut builds, mut scripted) = (0, 0, 0);
    for path in &files {
        let mut fight = Fight::read(path).unwrap();
        let what = path.file_name().unwrap().to_string_lossy().into_owned();
        let loadout = fight.params.loadout();
        assert!(fight.lines.last().unwrap().terminal.is_some(), "{what} has no end");
        for line in &fight.lines {
            switches += usize::from(is_switched(&what, &loadout, line));
            tanks += usize::from(line.action.is_some_and(|action| action[8] == 1));
        }
        drawn += usize::from(fight.params.randomize_gear);
        builds += usize::from(fight.params.randomize_build);
        lines += fight.lines.len();

        // A fighter has not acted before the reply to its own reset.
        let first = fight.lines.swap_remove(0);
        assert_start(&what, &loadout.start(), &loadout, &first.me);
        starts += 1;
        let other = first.other.unwrap();
        if fight.against_baseline() {
            // The scripted opponent begins to act in the tick after.
            assert_start(&what, &loadout.baseline_start(), &loadout, &other);
            scripted += 1;
        } else {
            first_ticks.insert(first.me.name, first.tick);
            opponents.push((what, loadout, first.tick, other));
        }
    }
    // Seen from the other side, too, unless the opponent had its reply earlier and has acted.
    for (what, loadout, tick, other) in opponents {
        if first_ticks[&other.name] >= tick {
            assert_start(&what, &loadout.start(), &loadout, &other);
            starts += 1;
        }
    }
    println!(
        "{starts} starts of agents and {scripted} of the script compared in {} files, {drawn} with \
         drawn gear, {builds} with drawn builds; {switches} switches in {lines} lines, {tanks} of \
         them to the tank set",
        files.len()
    );
    assert!(files.len() >= 100 && starts >= 150 && scripted >= 15);
    assert!(drawn >= 50 && builds >= 4);
    assert!(switches >= 25_000 && tanks >= 1_000);
}

/// After a switch exactly the items of the set are worn. True if there was one.
fn is_switched(what: &str, loadout: &Loadout, line: &Line) -> bool {
    // The action that meets the end of the fight is not carried out.
    let (Some(action), None) = (line.action, &line.terminal) else { return false };
    let set: &Set = match (action[0], action[1], action[8]) {
        (1, ..) => &loadout.mage,
        (2, ..) => &loadout.ranged,
        (3, 1, _) => &loadout.melee,
        (3, 2, _) => &loadout.spec,
        (0, _, 1) => &loadout.tank,
        _ => return false,
    };
    let mut dressed = [None; SLOTS];
    for item in set.iter() {
        dressed[item.item().slot.unwrap() as usize] = Some(*item);
    }
    // What the set leaves bare stays on where there is no room to take it off.
    if line.me.inventory.iter().all(Option::is_some) {
        for (ours, theirs) in dressed.iter_mut().zip(line.me.worn) {
            *ours = ours.or(theirs);
        }
    }
    assert_eq!(dressed.map(name), line.me.worn.map(name), "{what}, tick {}", line.tick);
    true
}

/// One build of the table that the recordings come with.
#[derive(Deserialize)]
struct Described {
    sets: HashMap<String, Vec<u16>>,
    default_inventory: Vec<u16>,
    fill: u16,
    tank_unrandomized: Vec<u16>,
}

#[test]
fn builds_are_those_described() {
    let folder = recordings();
    let Ok(text) = std::fs::read_to_string(folder.join("loadouts.json")) else {
        return skipped("builds_are_those_described", &folder);
    };
    let described: HashMap<Build, Described> = serde_json::from_str(&text).unwrap();
    let ids = |items: &[Kind]| items.iter().map(|item| item.item().id).collect::<Vec<_>>();
    for build in Build::ALL {
        let (ours, theirs) = (Loadout::of(build), &described[&build]);
        assert_eq!(ids(&ours.mage), theirs.sets["mage"]);
        assert_eq!(ids(&ours.ranged), theirs.sets["ranged"]);
        assert_eq!(ids(&ours.melee), theirs.sets["melee"]);
        assert_eq!(ids(&ours.spec), theirs.sets["spec"]);
        assert_eq!(ids(&ours.tank), theirs.tank_unrandomized);
        assert_eq!(ids(&ours.stock), theirs.default_inventory);
        assert_eq!(ours.food.item().id, theirs.fill);
    }
}

/// A recorded start, cut down to what decides and describes it.
#[derive(Deserialize)]
struct Recorded {
    fight: String,
    params: ResetParams,
    baseline: bool,
    levels: Levels,
    lunar: bool,
    worn: [i32; SLOTS],
    inventory: [i32; CARRIED],
}

#[test]
fn kept_starts_are_ours() {
    let text = include_str!("../data/starts.jsonl");
    let mut builds = BTreeSet::new();
    let mut drawn = 0;
    for line in text.lines() {
        let recorded: Recorded = serde_json::from_str(line).unwrap();
        let what = &recorded.fight;
        let loadout = recorded.params.loadout();
        let ours = if recorded.baseline { loadout.baseline_start() } else { loadout.start() };
        let id = |item: Option<Kind>| item.map_or(-1, |item| i32::from(item.item().id));
        assert_eq!(ours.worn.map(id), recorded.worn, "{what}");
        assert_eq!(ours.inventory.map(id), recorded.inventory, "{what}");
        assert_eq!(loadout.levels, recorded.levels, "{what}");
        assert_eq!(loadout.spellbook == Spellbook::Lunar, recorded.lunar, "{what}");
        builds.insert((loadout.build.name(), recorded.baseline));
        drawn += usize::from(recorded.params.randomize_gear);
    }
    // Every build, on its own and as the scripted opponent.
    assert_eq!(builds.len(), 2 * Build::ALL.len(), "{builds:?}");
    assert!(drawn >= 25, "{drawn}");
}

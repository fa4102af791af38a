//! Recorded fights of the original server, played again: every number that it sent is compared.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use lanista_nh::replay::{Agreement, Count, Recording};

/// Four short fights that are kept with the source.
fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fights")
}

/// All recorded fights, which are too large for that.
fn all() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/nh/fights")
}

/// The files of a folder, or nothing if there is no such folder.
fn files(folder: &Path) -> Option<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).ok()?;
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    Some(files)
}

/// Replays every fight once, from whichever of its files comes first.
fn replay(files: &[PathBuf]) -> Agreement {
    let mut tally = Agreement::default();
    let mut done = HashSet::new();
    for path in files {
        if done.contains(path) {
            continue;
        }
        let recording = Recording::read(path).unwrap();
        done.extend(recording.files().map(Path::to_path_buf));
        recording.replay(&mut tally).unwrap();
    }
    assert_eq!(done.len(), files.len());
    tally
}

/// Names and numbers of what is not equal everywhere.
fn unequal(tally: &Agreement) -> Vec<(String, u64)> {
    let differs = |(name, count): (String, &Count)| {
        let differences = count.compared - count.equal;
        assert_eq!(differences == 0, count.first.is_none());
        (differences > 0).then_some((name, differences))
    };
    tally.named().filter_map(differs).collect()
}

/// Was every field, action and fact compared in every tick of every fight?
fn assert_complete(tally: &Agreement) {
    // Both sides are seen in every tick and before the first; facts are told to agents only.
    for (name, count) in tally.named() {
        let least = if name.starts_with("fact") { tally.ticks } else { 2 * tally.ticks };
        assert!(count.compared + 2 * tally.fights >= least, "{name}: {}", count.compared);
    }
}

#[test]
fn all_recorded_fights_replay() {
    let Some(files) = files(&all()) else {
        let missing = all();
        println!("skipped all_recorded_fights_replay: {} is absent", missing.display());
        return;
    };
    let tally = replay(&files);
    assert!(tally.fights >= 67, "{} fights", tally.fights);
    assert_eq!(tally.unmatched, 0);
    assert_complete(&tally);
    // Of equally near tiles the recording does not tell which one was meant; where the fighter was
    // turned away before it showed, the guess may be wrong for a tick.
    assert!(tally.moved <= 8, "{} tiles were put right", tally.moved);
    let (mut distances, mut healed) = (0, 0);
    for (name, differences) in unequal(&tally) {
        match name.as_str() {
            "destination_to_target_distance" | "player_to_destination_distance" => {
                distances += differences;
            }
            "fact target_healed" => healed += differences,
            _ => panic!("{name} differs {differences} times"),
        }
    }
    assert!(distances <= 10, "{distances} distances to destinations differ");
    assert!(healed <= 2, "what the opponent healed differs {healed} times");
}

#[test]
fn the_kept_fights_replay_with_every_value_equal() {
    let files = files(&kept()).unwrap();
    assert_eq!(files.len(), 7);
    let tally = replay(&files);
    assert_eq!((tally.fights, tally.moved, tally.unmatched), (4, 0, 0));
    assert_eq!(unequal(&tally), []);
    assert_complete(&tally);
    let (compared, equal) = tally.totals();
    assert!(compared > 350_000 && equal == compared, "{equal} of {compared}");
}

#[test]
fn the_second_file_of_a_fight_replays_as_well_as_the_first() {
    let mut tally = Agreement::default();
    let second = kept().join("019_ZERKER_greedy_vs_greedy_B.jsonl.gz");
    Recording::read(&second).unwrap().replay(&mut tally).unwrap();
    assert_eq!((tally.fights, tally.moved, tally.unmatched), (1, 0, 0));
    assert_eq!(unequal(&tally), []);
}

/// A folder of its own for a test, emptied.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("replay").join(test);
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// What is said about a file that cannot be read: it names the file, and the reason.
fn refusal(path: &Path) -> String {
    let refusal = Recording::read(path).err().expect("a refusal").to_string();
    assert!(refusal.contains(&path.display().to_string()), "{refusal}");
    refusal
}

const KEPT: &str = "019_ZERKER_greedy_vs_greedy_A.jsonl.gz";
const SCRIPTED: &str = "028_MED_random_vs_baseline_A.jsonl.gz";

#[test]
fn a_missing_file_is_refused() {
    let missing = folder("missing").join("900_MED_greedy_vs_greedy_A.jsonl.gz");
    assert!(refusal(&missing).contains("No such file"));
}

#[test]
fn a_fight_without_its_other_side_is_refused() {
    let folder = folder("twin");
    let one = folder.join(KEPT);
    fs::copy(kept().join(KEPT), &one).unwrap();
    // The twin is what is missing, so it is named.
    let refused = Recording::read(&one).err().unwrap().to_string();
    assert!(refused.contains("019_ZERKER_greedy_vs_greedy_B.jsonl.gz"), "{refused}");
    assert!(refused.contains("No such file"), "{refused}");
    // Without _A or _B nobody knows what to look for.
    let nameless = folder.join("fight.jsonl.gz");
    fs::copy(kept().join(KEPT), &nameless).unwrap();
    assert!(refusal(&nameless).contains("needs both files"));
    // A fight against the script has no other side.
    let scripted = folder.join("fight.jsonl.gz");
    fs::copy(kept().join(SCRIPTED), &scripted).unwrap();
    assert!(Recording::read(&scripted).is_ok());
}

#[test]
fn the_other_side_of_another_fight_is_refused() {
    let folder = folder("mixed");
    fs::copy(kept().join(KEPT), folder.join("fight_A.jsonl.gz")).unwrap();
    let other = kept().join("015_ZERKER_greedy_vs_random_B.jsonl.gz");
    fs::copy(other, folder.join("fight_B.jsonl.gz")).unwrap();
    assert!(refusal(&folder.join("fight_A.jsonl.gz")).contains("is not the other side"));
}

#[test]
fn a_truncated_file_is_refused() {
    let packed = fs::read(kept().join(SCRIPTED)).unwrap();
    let cut = folder("truncated").join(SCRIPTED);
    for share in [0.1, 0.5, 0.99] {
        fs::write(&cut, &packed[..(packed.len() as f64 * share) as usize]).unwrap();
        let refused = refusal(&cut);
        assert!(refused.contains(", line ") && refused.contains("cannot be read"), "{refused}");
    }
    fs::write(&cut, []).unwrap();
    assert!(refusal(&cut).contains("line 1") || refusal(&cut).contains("no line in it"));
}

#[test]
fn a_file_of_another_kind_is_refused() {
    let folder = folder("wrong");
    let unpacked = folder.join("fight_A.jsonl");
    for (text, problem) in [
        ("", "no line in it"),
        ("no fight\n", "line 1: expected"),
        ("[]\n", "line 1:"),
        ("{\"action\": [0]}\n", "line 1: missing field"),
    ] {
        fs::write(&unpacked, text).unwrap();
        assert!(refusal(&unpacked).contains(problem), "{}", refusal(&unpacked));
    }
    // Text under a name that promises a packed file.
    let packed = folder.join("fight_A.jsonl.gz");
    fs::write(&packed, "no fight\n").unwrap();
    assert!(refusal(&packed).contains("line 1: cannot be read"), "{}", refusal(&packed));
    // A folder is no file at all.
    assert!(refusal(&folder).contains("directory"));
}

/// The lines of a kept fight.
fn unpacked(name: &str) -> String {
    let mut text = String::new();
    let file = fs::File::open(kept().join(name)).unwrap();
    let mut unpacker = flate2::read::MultiGzDecoder::new(file);
    std::io::Read::read_to_string(&mut unpacker, &mut text).unwrap();
    text
}

/// The same lines, so many ticks later.
fn later(text: &str, ticks: u64) -> String {
    let line = |line: &str| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        let tick = &mut line["oracle"]["tick"];
        *tick = (tick.as_u64().unwrap() + ticks).into();
        format!("{line}\n")
    };
    text.lines().map(line).collect()
}

#[test]
fn sides_of_different_times_are_refused() {
    let folder = folder("times");
    let (one, two) = (folder.join("fight_A.jsonl"), folder.join("fight_B.jsonl"));
    fs::write(&one, unpacked(KEPT)).unwrap();
    let other = unpacked(&KEPT.replace("_A", "_B"));
    fs::write(&two, &other).unwrap();
    Recording::read(&one).unwrap().replay(&mut Agreement::default()).unwrap();
    // Every tick in between would be played, for ever.
    fs::write(&two, later(&other, 1 << 39)).unwrap();
    let recording = Recording::read(&one).unwrap();
    let refused = recording.replay(&mut Agreement::default()).unwrap_err().to_string();
    assert!(refused.contains("cannot fill ticks"), "{refused}");
    fs::write(&two, later(&other, u64::MAX / 2)).unwrap();
    let refused = Recording::read(&one).err().unwrap().to_string();
    assert!(refused.contains("beyond what any server reaches"), "{refused}");
}

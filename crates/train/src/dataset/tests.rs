use std::fs;
use std::path::Path;

use lanista_game::{
    Condition, End, Episode, Head, Pair, Requirement, Role, Seat, Spec, Term, TermKind, UNKNOWN,
    Verdict, seed,
};
use proptest::prelude::*;
use serde_json::json;

use super::read::Place;
use super::*;

fn spec() -> Spec {
    let role = |name: &str, features: usize| Role {
        name: name.into(),
        observation: vec![lanista_game::Group::features(
            (0..features).map(|i| format!("f{i}")).collect::<Vec<_>>(),
        )],
        privileged: vec!["hidden".into()],
        heads: vec![Head::new("a", ["x", "y", "z"]), Head::new("b", ["p", "q"])],
        requires: vec![Requirement {
            head: 1,
            action: 1,
            condition: Condition::All,
            choices: vec![(0, 2)],
        }],
        pairs: vec![Pair { first: 0, second: 1 }],
        ..Role::default()
    };
    Spec {
        name: "toy".into(),
        roles: vec![role("one", 3), role("two", 40)],
        seats: vec![Seat::of(0), Seat::of(1).role(1)],
        terms: vec![Term::new(TermKind::Event, "tick", "1 a step")],
        ..Spec::default()
    }
}

fn about() -> About {
    About {
        game: "toy".into(),
        settings: json!({"size": 3}),
        spec: spec(),
        lanista: "1".into(),
        origin: "a test".into(),
    }
}

/// An episode that is sound, all of it from its seed.
fn episode(from: u64, length: usize) -> Episode {
    let role = (from % 2) as usize;
    let features = [3, 40][role];
    let number = |i: usize| {
        // Most numbers stay; some are wild, but finite.
        match seed::mix(from, i as u64) % 10 {
            0 => f32::MIN_POSITIVE * 0.5,
            1 => -f32::MAX,
            _ => (i % features) as f32,
        }
    };
    let first = |d: usize| (seed::mix(from ^ 77, d as u64) % 3) as u32;
    let actions = (0..length).flat_map(|d| match d % 4 {
        3 => [UNKNOWN, 1],
        _ => [first(d), u32::from(first(d) == 2)],
    });
    Episode {
        role,
        player: format!("player {}", from % 3),
        source: format!("match {}, seat {}", from / 2, from % 2),
        match_key: format!("match {}", from / 2),
        verdict: [None, Some(Verdict::Won), Some(Verdict::Lost), Some(Verdict::Drawn)]
            [(from % 4) as usize],
        end: [None, Some(End::Terminated), Some(End::Truncated)][(from % 3) as usize],
        steps: (0..length as u32).map(|d| d * 2 + 1).collect(),
        observation: (0..length * features).map(number).collect(),
        privileged: if from.is_multiple_of(3) { vec![0.25; length] } else { Vec::new() },
        mask: vec![true; length * 5],
        forbidden: (0..length * 6).map(|i| i % 6 == 1).collect(),
        actions: actions.collect(),
        probabilities: if from.is_multiple_of(5) { vec![0.5; length * 5] } else { Vec::new() },
        terms: if from.is_multiple_of(2) { vec![-0.0; length] } else { Vec::new() },
    }
}

fn write(directory: &Path, episodes: &[Episode]) -> Written {
    let mut writer = Writer::create(directory, about()).unwrap();
    for episode in episodes {
        writer.push(episode, split_of(episode.of_match(), 0.3)).unwrap();
    }
    writer.finish().unwrap()
}

fn read(dataset: &Dataset, split: Split) -> Vec<Episode> {
    let corpus = Corpus::new(vec![dataset.clone()]);
    corpus.blocks(split).iter().flat_map(|place| corpus.read(place).unwrap()).collect()
}

#[test]
fn what_is_written_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    let mut episodes: Vec<Episode> =
        (0..400).map(|i| episode(i, 1 + (i * 7 % 90) as usize)).collect();
    episodes.push(Episode { player: "nobody".into(), ..Episode::default() });
    let written = write(&path, &episodes);
    // One without decisions is nothing.
    assert_eq!((written.episodes, written.unsound), (400, 0));
    let dataset = Dataset::open(&path).unwrap();
    dataset.check(&spec()).unwrap();
    for split in [Split::Train, Split::HeldOut] {
        let of_split = |e: &&Episode| !e.is_empty() && split_of(e.of_match(), 0.3) == split;
        let wanted: Vec<&Episode> = episodes.iter().filter(of_split).collect();
        let found = read(&dataset, split);
        assert!(found.iter().eq(wanted.iter().copied()) && found.len() > 50);
        assert_eq!(dataset.index.episodes(split), found.len() as u64);
    }
    let counted: u64 = dataset.index.players.values().sum();
    assert_eq!(counted, written.decisions);
    assert!(matches!(Writer::create(&path, about()), Err(DatasetError::Taken(_))));
}

#[test]
fn what_is_kept_is_what_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    let episodes: Vec<Episode> = (0..60).map(|i| episode(2 * i + 1, 4000)).collect();
    write(&path, &episodes);
    let corpus = Corpus::new(vec![Dataset::open(&path).unwrap()]);
    let raw: u64 = corpus.datasets[0].index.blocks().map(|(_, block)| block.raw).sum();
    assert!(corpus.fits(raw) && !corpus.fits(raw - 1));
    for place in &corpus.blocks(Split::Train) {
        let kept = corpus.read_and_keep(place).unwrap();
        assert_eq!(*kept, corpus.read(place).unwrap());
        assert!(std::sync::Arc::ptr_eq(&kept, &corpus.read_and_keep(place).unwrap()));
    }
    // A block that is damaged on disk is an error every time, and is not kept.
    let damaged = Corpus::new(vec![Dataset::open(&path).unwrap()]);
    let place = damaged.blocks(Split::Train)[0];
    let file = path.join(&damaged.datasets[0].index.shards[place.1].file);
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[place.2.at as usize + 20] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    assert!(damaged.read_and_keep(&place).is_err() && damaged.read_and_keep(&place).is_err());
}

#[test]
fn blocks_are_shuffled_by_epoch_and_cut_into_windows() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    let episodes: Vec<Episode> = (0..60).map(|i| episode(2 * i + 1, 4000)).collect();
    write(&path, &episodes);
    let corpus = Corpus::new(vec![Dataset::open(&path).unwrap()]);
    let blocks = corpus.blocks(Split::Train);
    assert!(blocks.len() > 10, "{}", blocks.len());
    let order = |epoch: u64| -> Vec<u64> {
        corpus.shuffled(Split::Train, epoch).iter().map(|(_, _, block)| block.at).collect()
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
    let sorted = |mut all: Vec<u64>| {
        all.sort_unstable();
        all
    };
    assert_eq!(sorted(order(1)), sorted(order(2)));
    let windows = Corpus::windows(&blocks, 3 << 20);
    assert!(
        windows.len() > 2
            && windows.iter().all(|w| w.iter().map(|p| p.2.raw).sum::<u64>() <= 3 << 20)
    );
    assert_eq!(windows.concat(), blocks);
    assert_eq!(Corpus::windows(&blocks, 1).len(), blocks.len());
    assert!(Corpus::windows(&[], 1).is_empty());
}

#[test]
fn long_episodes_are_cut_and_only_the_last_part_knows_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    let long = episode(4, 10_000);
    assert!(long.end.is_some());
    let mut writer = Writer::create(&path, about()).unwrap();
    writer.push(&long, Split::Train).unwrap();
    assert_eq!(writer.finish().unwrap().episodes, 3);
    let found = read(&Dataset::open(&path).unwrap(), Split::Train);
    let lengths: Vec<usize> = found.iter().map(Episode::len).collect();
    assert_eq!(lengths, [4096, 4096, 1808]);
    assert_eq!([found[0].end, found[1].end, found[2].end], [None, None, long.end]);
    let actions: Vec<u32> = found.iter().flat_map(|e| e.actions.clone()).collect();
    assert_eq!(actions, long.actions);
}

#[test]
fn what_is_wrong_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    let error = |result: Result<Dataset, DatasetError>| result.unwrap_err().to_string();
    assert!(error(Dataset::open(&path)).contains("is no dataset: it has no INDEX"));

    let mut writer = Writer::create(&path, about()).unwrap();
    let mut wild = episode(2, 5);
    wild.actions[4] = 0;
    wild.mask[10] = false;
    let refused = writer.push(&wild, Split::Train).unwrap_err().to_string();
    assert!(refused.contains("player 2 of match 1") && refused.contains("`x` of `a`"), "{refused}");
    assert_eq!(writer.written().unsound, 1);
    writer.push(&episode(2, 5), Split::Train).unwrap();
    writer.finish().unwrap();

    let dataset = Dataset::open(&path).unwrap();
    let mut other = spec();
    other.name = "chess".into();
    assert!(dataset.check(&other).unwrap_err().to_string().contains("the preset plays chess"));
    let mut other = spec();
    other.roles[0].heads[0].actions[2] = "w".into();
    let told = dataset.check(&other).unwrap_err().to_string();
    assert!(told.contains("`z` is gone"), "{told}");

    // A shard that was cut, and one with another byte in it.
    let shard = path.join("000000.decisions");
    let bytes = fs::read(&shard).unwrap();
    fs::write(&shard, &bytes[..bytes.len() - 3]).unwrap();
    assert!(error(Dataset::open(&path)).contains("000000.decisions is damaged at byte"));
    let mut changed = bytes.clone();
    changed[HEADER_BYTES + 3] ^= 1;
    fs::write(&shard, &changed).unwrap();
    let dataset = Dataset::open(&path).unwrap();
    let place: Place = Corpus::new(vec![dataset.clone()]).blocks(Split::Train)[0];
    assert!(dataset.block(place.1, &place.2).unwrap_err().to_string().contains("at byte 20"));
    fs::write(&shard, &bytes).unwrap();

    // An index of another version, and one that was altered.
    let index = path.join("INDEX");
    let text = fs::read_to_string(&index).unwrap();
    fs::write(&index, text.replacen("dataset 2", "dataset 9", 1)).unwrap();
    assert!(
        error(Dataset::open(&path)).contains("version 9, and this program reads versions up to 2")
    );
    fs::write(&index, text.replacen("player 2", "player 3", 1)).unwrap();
    assert!(error(Dataset::open(&path)).contains("checksum"));
    fs::write(&index, "something else\n").unwrap();
    assert!(error(Dataset::open(&path)).contains("does not begin"));
}

const HEADER_BYTES: usize = 20;

#[test]
fn one_that_is_given_up_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    let mut writer = Writer::create(&path, about()).unwrap();
    // Enough that a shard is begun.
    (0..60).for_each(|i| writer.push(&episode(2 * i + 1, 4000), Split::Train).unwrap());
    assert!(path.join("000000.decisions").is_file());
    drop(writer);
    assert!(!path.exists());
    // A directory that was there before stays, empty.
    fs::create_dir(&path).unwrap();
    let mut writer = Writer::create(&path, about()).unwrap();
    (0..60).for_each(|i| writer.push(&episode(2 * i + 1, 4000), Split::Train).unwrap());
    drop(writer);
    assert!(fs::read_dir(&path).unwrap().next().is_none());
}

/// A dataset of version 1, which named no matches: two seats of each of two recordings.
#[test]
fn datasets_of_version_1_are_read_and_know_their_matches() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/dataset-1"));
    let dataset = Dataset::open(path).unwrap();
    let mut found: Vec<(String, String)> = [Split::Train, Split::HeldOut]
        .into_iter()
        .flat_map(|split| read(&dataset, split))
        .map(|episode| (episode.source, episode.match_key))
        .collect();
    found.sort();
    let of = |seat: &str, of: &str| (format!("{of}, seat {seat}"), of.to_owned());
    let (one, two) = ("match-0000.rec", "match-0001.rec");
    assert_eq!(found, [of("0", one), of("1", one), of("0", two), of("1", two)]);
}

proptest! {
    /// Whatever becomes of a byte of a shard or of the index, reading says so or gives what was written.
    #[test]
    fn mutants_are_found_out(at in 0usize..100_000, byte: u8, of_index: bool) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data");
        let episodes: Vec<Episode> = (0..6).map(|i| episode(2 * i, 9)).collect();
        write(&path, &episodes);
        let sound = read(&Dataset::open(&path).unwrap(), Split::Train);
        let file = path.join(if of_index { "INDEX" } else { "000000.decisions" });
        let mut bytes = fs::read(&file).unwrap();
        let at = at % bytes.len();
        bytes[at] = byte;
        fs::write(&file, &bytes).unwrap();
        if let Ok(dataset) = Dataset::open(&path) {
            let corpus = Corpus::new(vec![dataset]);
            let read: Result<Vec<_>, _> =
                corpus.blocks(Split::Train).iter().map(|place| corpus.read(place)).collect();
            if let Ok(read) = read {
                prop_assert_eq!(read.concat(), sound);
            }
        }
    }
}

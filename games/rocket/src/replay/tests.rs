//! Tests over real replays, where they are at hand.

use std::path::{Path, PathBuf};

use boxcars::CrcCheck;

use super::decisions::{Match, assemble};
use super::{Trouble, file, open};
use crate::settings::Settings;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/rocket")
}

/// All replays at hand, or a word about which test is skipped for want of them.
fn replays(test: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "replay"));
    paths.sort();
    if paths.is_empty() {
        println!("skipped: {test}: no replays in {}", folder().display());
    }
    paths
}

fn all_of(replay: &mut Match) -> (usize, usize) {
    let (mut decisions, mut known) = (0, 0);
    replay.decisions(&Settings::default(), |decision| {
        decisions += 1;
        known += usize::from(decision.known);
        assert!(decision.state.ball.pos.is_finite());
    });
    replay.frames(|frame| assert!(frame.controls.iter().all(|c| c.abs() <= 1.0)));
    (decisions, known)
}

#[test]
fn real_matches_are_recovered_and_clips_refused() {
    for path in replays("real_matches_are_recovered_and_clips_refused") {
        match open(&path, &Settings::default()) {
            Ok(mut replay) => {
                let (decisions, known) = all_of(&mut replay);
                assert!(known * 10 >= decisions * 9, "{}: {known} of {decisions}", path.display());
                let (periods, goals) = replay.periods();
                assert!(goals <= periods && goals as u32 == replay.score().iter().sum::<u32>());
            }
            Err(error) => {
                assert!(matches!(error.trouble, Trouble::Mode { .. }), "{error}");
                assert!(error.to_string().contains("soccar"), "{error}");
            }
        }
    }
}

/// Mutants whose sums are not looked at, so that the damage comes through to whatever reads it.
#[test]
fn mutants_of_real_replays_are_read_or_refused() {
    crate::arena::prepare(None).unwrap();
    let paths = replays("mutants_of_real_replays_are_read_or_refused");
    let Some(whole) = paths.iter().filter_map(|path| std::fs::read(path).ok()).find(|bytes| {
        // The smallest that is a match.
        bytes.len() > 100_000
    }) else {
        return;
    };
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    let (mut read, mut refused) = (0, 0);
    for mutant in 0..60 {
        let mut bytes = whole.clone();
        for _ in 0..1 + mutant % 4 {
            let place = next() % bytes.len();
            bytes[place] ^= 1 << (next() % 8);
        }
        if mutant % 6 == 5 {
            bytes.truncate(next() % bytes.len());
        }
        let sound = file::decode(&bytes, CrcCheck::Always);
        assert!(matches!(sound, Err(Trouble::Damaged(_))), "the sums do not fit");
        match file::decode(&bytes, CrcCheck::Never)
            .and_then(|replay| assemble(Path::new("mutant"), &replay))
        {
            Ok(mut replay) => {
                read += 1;
                all_of(&mut replay);
            }
            Err(_) => refused += 1,
        }
    }
    println!("{read} mutants could be read, {refused} were refused");
}

//! Matches that are kept: recordings in files, from training and from evaluation.

use std::path::{Path, PathBuf};

use lanista_game::recording::{About, Recording};
use lanista_game::{Control, Entry};
use serde_json::Value;

use crate::disk::{DiskError, on, replace};
use crate::player::Player;
use crate::replay::replay;
use crate::shard::Recorded;

/// The end of the name of a recording's file.
pub const ENDING: &str = "rec";
/// The end of the name of the file beside it that other programs read.
const TRANSCRIPT_ENDING: &str = "log";

impl Recorded {
    /// As a recording of this game; `name` tells who a player is. The match is played again for the checks of its
    /// steps, where that costs no more than its own steps.
    pub fn recording(
        self,
        entry: &Entry,
        settings: &Value,
        name: impl Fn(Player) -> String,
    ) -> Recording {
        let Self { played, players, result, repeatable, transcript: _ } = self;
        let name = |(seat, player): (usize, &Player)| match played.seats[seat] {
            Control::Nobody => "nobody".to_owned(),
            _ => name(*player),
        };
        let about = About {
            game: entry.name.clone(),
            settings: entry.portable(settings),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: played.seed,
            seats: played.seats.clone(),
            players: players.iter().enumerate().map(name).collect(),
            steps: played.actions.steps(),
            result,
            checked: false,
        };
        let recording = Recording { about, played, checks: Vec::new() };
        if repeatable { checked(entry, settings, recording) } else { recording }
    }
}

/// The same with checks of its steps, if it ends as recorded when it is played again.
pub fn checked(entry: &Entry, settings: &Value, recording: Recording) -> Recording {
    let mut checks = Vec::with_capacity(recording.played.actions.steps());
    let played = replay(entry, settings, &recording, None, |step| checks.extend(step.check));
    match played {
        Ok(played) if played.differences.is_empty() => recording.with_checks(checks),
        _ => recording,
    }
}

/// Writes a recording to a directory under a name of its own, and its transcript beside it, if it has one.
pub fn write(
    directory: &Path,
    name: &str,
    recording: &Recording,
    transcript: Option<&str>,
) -> Result<PathBuf, DiskError> {
    on("create", directory, std::fs::create_dir_all(directory))?;
    if let Some(text) = transcript {
        replace(&directory.join(format!("{name}.{TRANSCRIPT_ENDING}")), text.as_bytes())?;
    }
    let path = directory.join(format!("{name}.{ENDING}"));
    replace(&path, &recording.to_bytes())?;
    Ok(path)
}

/// Removes all but the newest recordings: names ascend.
pub fn prune(directory: &Path, keep: usize) -> Result<(), DiskError> {
    let entries = on("read", directory, std::fs::read_dir(directory))?;
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == ENDING))
        .collect();
    files.sort();
    let surplus = files.len().saturating_sub(keep);
    for path in files.drain(..surplus) {
        on("remove", &path, std::fs::remove_file(&path))?;
        let transcript = path.with_extension(TRANSCRIPT_ENDING);
        if transcript.is_file() {
            on("remove", &transcript, std::fs::remove_file(&transcript))?;
        }
    }
    Ok(())
}

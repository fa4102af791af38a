//! Matches that are kept: recordings in files, from training and from evaluation.

use std::path::{Path, PathBuf};

use lanista_game::recording::{About, Ended, Played, Recording};
use lanista_game::{End, Entry};
use serde_json::Value;

use crate::disk::{DiskError, on, replace};
use crate::player::Player;
use crate::shard::Shard;

/// The end of the name of a recording's file.
pub const ENDING: &str = "rec";

/// Hears of every match that ended, with its number.
pub type Keep<'a> = &'a (dyn Fn(usize, Recorded) + Sync);

/// A match that has just ended, before anybody knows under which names it was played.
pub struct Recorded {
    /// The match.
    pub played: Played,
    /// Who took its seats.
    pub players: Vec<Player>,
    /// How it ended.
    pub result: Ended,
}

impl Recorded {
    /// A match of a shard that has just ended and has not been settled yet.
    pub(crate) fn of(shard: &Shard, m: usize) -> Self {
        let (state, layout) = (&shard.matches[m], shard.layout());
        let part = |all: &[f32], size: usize| all[m * size..(m + 1) * size].to_vec();
        // The terms of the last step have not been added yet.
        let last = part(&shard.buffers.terms, layout.seats() * layout.terms);
        let sums: Vec<f32> = state.terms.iter().zip(last).map(|(sum, last)| sum + last).collect();
        let terms = match layout.terms {
            0 => vec![Vec::new(); layout.seats()],
            terms => sums.chunks_exact(terms).map(<[f32]>::to_vec).collect(),
        };
        Self {
            played: state.played.clone(),
            players: state.players.clone(),
            result: Ended {
                end: shard.buffers.end[m].unwrap_or(End::Truncated),
                score: part(&shard.buffers.score, layout.teams),
                stats: part(&shard.buffers.stats, layout.stats),
                terms,
            },
        }
    }

    /// As a recording of this game; `name` tells who a player is.
    pub fn recording(
        self,
        entry: &Entry,
        settings: &Value,
        name: impl Fn(Player) -> String,
    ) -> Recording {
        let Self { played, players, result } = self;
        let name = |(seat, player): (usize, &Player)| match played.seats[seat] {
            lanista_game::Control::Nobody => "nobody".to_owned(),
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
        };
        Recording { about, played }
    }
}

/// Writes a recording to a directory under a name of its own.
pub fn write(directory: &Path, name: &str, recording: &Recording) -> Result<PathBuf, DiskError> {
    on("create", directory, std::fs::create_dir_all(directory))?;
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
    }
    Ok(())
}

//! What cross-play leaves with the run: the counts of every pair, and a match of each.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context;
use lanista_game::recording::Recording;
use lanista_train::disk::replace;
use lanista_train::files::RunFiles;
use lanista_train::player::Player;
use lanista_train::recorder;
use lanista_train::shard::Recorded;
use serde_json::{Value, json};

use super::{CrossPlay, Playable};

/// A match of two as a recording under their names, with its transcript if there is one.
pub fn recording(
    mut kept: Recorded,
    model: &Playable,
    a: &str,
    b: &str,
) -> (Recording, Option<String>) {
    let transcript = kept.transcript.take();
    let name = |player: Player| match player {
        Player::Learner => a.to_owned(),
        Player::Bot(_) | Player::Frozen(_) => b.to_owned(),
    };
    (kept.recording(&model.entry, &model.settings, name), transcript)
}

impl CrossPlay {
    /// Writes counts and recordings into the run, in place of those of before.
    pub fn keep(&self, run: &Path) -> anyhow::Result<()> {
        let files = RunFiles::of(run);
        let directory = files.crossplay_recordings();
        if directory.is_dir() {
            fs::remove_dir_all(&directory)
                .with_context(|| format!("cannot remove {}", directory.display()))?;
        }
        let mut files_of: BTreeMap<(&str, &str), String> = BTreeMap::new();
        for (number, ((a, b), (recording, transcript))) in self.kept.iter().enumerate() {
            let name = format!("{number:05}");
            recorder::write(&directory, &name, recording, transcript.as_deref())?;
            let file = format!("{name}.{}", recorder::ENDING);
            files_of.insert((a, b), file.clone());
            files_of.insert((b, a), file);
        }
        let text = serde_json::to_vec_pretty(&self.table(&files_of))?;
        replace(&files.crossplay(), &text)?;
        Ok(())
    }

    /// `[players][players]` of everything, in the order of the ratings: the row's player against the column's.
    fn table(&self, files: &BTreeMap<(&str, &str), String>) -> Value {
        let names: Vec<&str> = self.estimates.iter().map(|e| e.name.as_str()).collect();
        let square = |of: &dyn Fn(&str, &str) -> Value| -> Value {
            names.iter().map(|a| names.iter().map(|b| of(a, b)).collect::<Value>()).collect()
        };
        let tally = |a: &str, b: &str| self.results.tally(a, b);
        json!({
            "names": names,
            "elo": self.estimates.iter().map(|e| e.rating).collect::<Vec<_>>(),
            "won": square(&|a, b| json!(tally(a, b).won)),
            "drawn": square(&|a, b| json!(tally(a, b).drawn)),
            "lost": square(&|a, b| json!(tally(a, b).lost)),
            "games": square(&|a, b| json!(tally(a, b).games())),
            "recordings": square(&|a, b| json!(files.get(&(a, b)))),
            "matches": self.matches,
            "seed": self.seed,
            "steps": self.steps,
        })
    }
}

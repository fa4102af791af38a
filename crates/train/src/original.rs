//! The preset that a run was begun with, as it was then.
//!
//! A run's configuration says what it trains with, not what of that somebody changed. The name of its directory
//! cannot say either: it may be chosen or changed. So the preset is written down when the run begins, resolved,
//! because a file may change afterwards and a preset of the program with the next version. No resume reads it.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config::{OPEN, RunConfig};
use crate::disk::{DiskError, replace};
use crate::layers::{self, ConfigError};
use crate::stages;

/// The most bytes that are read.
const MOST_BYTES: u64 = 4 << 20;

/// The preset that a run was begun with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Original {
    /// Its name or path, as it was given.
    pub preset: String,
    /// What it said, resolved, without anything that was changed on the command line.
    pub config: Value,
}

impl Original {
    /// A preset as it is now, in its first stage: that is what a run is begun with.
    pub fn of(preset: &str, presets: &[(&str, &str)]) -> Result<Self, ConfigError> {
        let layered = layers::load(preset, presets, &[])?;
        let mut config: RunConfig = layered.read(&OPEN)?;
        if !config.curriculum.is_empty() {
            let first = stages::overrides(&layered, &config.curriculum, 0)?;
            config = layers::load(preset, presets, &first)?.read(&OPEN)?;
        }
        config.run.dir = None;
        let config = serde_json::to_value(config).unwrap_or_default();
        Ok(Self { preset: preset.to_owned(), config })
    }

    /// Writes it down.
    pub(crate) fn write(&self, path: &Path) -> Result<(), DiskError> {
        replace(path, &serde_json::to_vec_pretty(self).unwrap_or_default())
    }

    /// What was written down; none for a run of an earlier version, or if nobody can read it.
    pub fn read(path: &Path) -> Option<Self> {
        let length = fs::metadata(path).ok().filter(fs::Metadata::is_file)?.len();
        if length > MOST_BYTES {
            return None;
        }
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_preset_in_its_first_stage() {
        let text = "game: duel\nrewards: { won: 1 }\ncurriculum:\n\
                    - { name: a, until: { steps: 5 }, changes: { rewards: { won: 2 } } }\n\
                    - { name: b, changes: { rewards: { won: 3 } } }\n";
        let original = Original::of("duel", &[("duel", text)]).unwrap();
        assert_eq!(original.config["rewards"]["won"], 2.0);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("preset.json");
        original.write(&path).unwrap();
        assert_eq!(Original::read(&path), Some(original));
        fs::write(&path, "[]").unwrap();
        assert_eq!(Original::read(&path), None);
        assert!(Original::of("none", &[]).is_err());
    }
}

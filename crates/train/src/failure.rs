//! How a run failed, written down for whoever looks at it afterwards.
//!
//! It is a note and nothing else: no resume reads it, and the next training takes it away first. A process that is
//! killed writes none, so its run counts as stopped and not as failed.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::disk::{DiskError, on, replace};

/// The most bytes of a note that are read.
const MOST_BYTES: u64 = 1 << 20;

/// How a run failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// What the program said.
    pub message: String,
    /// Steps at which it happened; what is saved may have fewer.
    pub steps: u64,
    /// When, in seconds since 1970.
    pub unix: f64,
}

impl Failure {
    /// Writes it down.
    pub(crate) fn write(&self, path: &Path) -> Result<(), DiskError> {
        replace(path, &serde_json::to_vec_pretty(self).unwrap_or_default())
    }

    /// What was written down; none if the run did not fail, or nobody can read it.
    pub fn read(path: &Path) -> Option<Self> {
        let length = fs::metadata(path).ok().filter(fs::Metadata::is_file)?.len();
        if length > MOST_BYTES {
            return None;
        }
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }
}

/// Takes the note of an earlier failure away.
pub(crate) fn forget(path: &Path) -> Result<(), DiskError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => on("remove", path, Err(error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_as_it_was_written_and_nonsense_is_none() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("failure.json");
        assert_eq!(Failure::read(&path), None);
        forget(&path).unwrap();
        let failure = Failure { message: "two\nlines".into(), steps: 7, unix: 1.5 };
        failure.write(&path).unwrap();
        assert_eq!(Failure::read(&path), Some(failure));
        fs::write(&path, "{").unwrap();
        assert_eq!(Failure::read(&path), None);
        forget(&path).unwrap();
        assert!(!path.exists());
    }
}

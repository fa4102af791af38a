//! What a map does not say about itself: where the survivors begin and where they must go.
//!
//! Half of the real maps mark two or more safe rooms and no beginning. A file `NAME.yml` beside
//! `NAME.nav` settles it:
//!
//! ```yaml
//! start: [-3217, 4889, 68]
//! goal: [1505, -3450, 448]
//! ```

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::mesh::Point;

/// A hint longer than this is no hint.
const MOST_BYTES: u64 = 64 * 1024;

/// Points in or near the first and the last room of a map. Either may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Hint {
    /// A point in the room where the survivors begin.
    pub start: Option<Point>,
    /// A point in the room, or at the vehicle, that they must reach.
    pub goal: Option<Point>,
}

/// Why a hint was not taken.
#[derive(Debug, Error)]
pub enum HintError {
    /// The file is there and cannot be read.
    #[error("cannot read the hint {}: {source}; make it readable or move it away", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It is not what a hint looks like.
    #[error("{problem}; a hint has `start: [x, y, z]` and `goal: [x, y, z]`, or one of them")]
    Form {
        /// What is wrong, with its line.
        problem: String,
    },
}

impl Hint {
    /// Reads the text of a hint.
    pub fn parse(text: &str) -> Result<Self, HintError> {
        let form = |problem: String| HintError::Form { problem };
        let hint: Self = serde_saphyr::from_str(text).map_err(|error| form(error.to_string()))?;
        for (name, point) in [("start", hint.start), ("goal", hint.goal)] {
            if point.is_some_and(|point| point.iter().any(|value| !value.is_finite())) {
                return Err(form(format!("`{name}` has a coordinate that is not a number")));
            }
        }
        Ok(hint)
    }

    /// Where the hint of a mesh stands: the same name, ending in `.yml`.
    pub fn path_beside(nav: &Path) -> PathBuf {
        nav.with_extension("yml")
    }

    /// Reads the hint beside a mesh; without one, an empty hint.
    pub fn beside(nav: &Path) -> Result<Self, HintError> {
        let path = Self::path_beside(nav);
        let io = |source| HintError::Io { path: path.clone(), source };
        match std::fs::metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(io(error)),
            Ok(about) if about.len() > MOST_BYTES => {
                let problem = format!("{} has {} bytes", path.display(), about.len());
                return Err(HintError::Form { problem });
            }
            Ok(_) => {}
        }
        let text = std::fs::read_to_string(&path).map_err(io)?;
        Self::parse(&text).map_err(|error| match error {
            HintError::Form { problem } => {
                HintError::Form { problem: format!("{}: {problem}", path.display()) }
            }
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_has_either_end_or_both() {
        let hint = Hint::parse("start: [1, 2.5, -3]\ngoal: [4, 5, 6]\n").expect("a good hint");
        assert_eq!(hint, Hint { start: Some([1.0, 2.5, -3.0]), goal: Some([4.0, 5.0, 6.0]) });
        let hint = Hint::parse("goal: [4, 5, 6]").expect("a good hint");
        assert_eq!(hint, Hint { start: None, goal: Some([4.0, 5.0, 6.0]) });
    }

    #[test]
    fn a_hint_that_is_none_is_told_what_one_is() {
        for text in ["strat: [1, 2, 3]", "start: [1, 2]", "start: [.nan, 0, 0]", "- 3"] {
            let said = Hint::parse(text).expect_err(text).to_string();
            assert!(said.contains("`start: [x, y, z]`"), "{said}");
        }
    }

    #[test]
    fn a_hint_stands_beside_its_mesh() {
        let room = tempfile::tempdir().expect("a directory");
        let nav = room.path().join("c0m0.nav");
        assert_eq!(Hint::beside(&nav).expect("none is fine"), Hint::default());
        let yml = room.path().join("c0m0.yml");
        std::fs::write(&yml, "start: [1, 2, 3]\n").expect("writable");
        assert_eq!(Hint::beside(&nav).expect("it is good").start, Some([1.0, 2.0, 3.0]));
        std::fs::write(&yml, "begin: 1\n").expect("writable");
        let said = Hint::beside(&nav).expect_err("it is bad").to_string();
        assert!(said.contains("c0m0.yml"), "{said}");
    }
}

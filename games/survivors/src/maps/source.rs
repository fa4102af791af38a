//! What `settings.map` may be, and loading it once for everybody.
//!
//! A run has many matches in many threads on the same map. Tables of ways take megabytes and most of a
//! second to make, so the terrain of a map is kept in one place for as long as anybody uses it, and those
//! that come with the program for good: there are four, and every preset is tried on one of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{NAMES, Plan, SHIPPED_SEED, generate, plan};
use crate::nav::{Hint, HintError, Mesh, NavError, Terrain};

/// Thirty times the largest mesh seen.
const MOST_BYTES: u64 = 128 * 1024 * 1024;

/// One map or several: each one of our names, with a seed or without, or a path to a `.nav` file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected the name of a map (corridor, apartment, street, finale, or NAME:SEED), \
                 a path to a .nav file, or a list of these"
)]
pub enum Source {
    /// One map.
    One(String),
    /// Several, of which each match takes one.
    Several(Vec<String>),
}

/// Why a map was not loaded.
#[derive(Debug, Error)]
pub enum MapError {
    /// No map has this name.
    #[error(
        "no map `{name}`: {near}the maps are {}, others of their kind `NAME:SEED`; or give a path to a .nav file",
        NAMES.join(", ")
    )]
    Unknown {
        /// What was asked for.
        name: String,
        /// What may have been meant, as a question, or nothing.
        near: String,
    },
    /// A list of maps without any.
    #[error("the list of maps is empty: name one of {}, or a path to a .nav file", NAMES.join(", "))]
    NoMaps,
    /// The file cannot be read.
    #[error("cannot read the map {}: {source}; the maps of our own are {}", path.display(), NAMES.join(", "))]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The file is too large to be a mesh.
    #[error("{} has {bytes} bytes and no mesh has more than {MOST_BYTES}; give a .nav file", path.display())]
    Large {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: u64,
    },
    /// The file is no mesh to play on.
    #[error("{name}: {source}")]
    Nav {
        /// The file or the map.
        name: String,
        /// Where and why.
        source: NavError,
    },
    /// The hint beside the file is wrong.
    #[error("the hint of {}: {source}", path.display())]
    Hint {
        /// The mesh.
        path: PathBuf,
        /// What is wrong with its hint.
        source: HintError,
    },
}

/// What tells terrains apart.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Ours(Plan, u64),
    File { path: PathBuf, stamp: Stamp, hint: Option<Stamp> },
}

/// Length and time of change of a file.
type Stamp = (u64, Option<SystemTime>);

/// Terrains in use. A cache of pure results: who asks first makes no difference to what is got.
static LOADED: Mutex<BTreeMap<Key, Weak<Terrain>>> = Mutex::new(BTreeMap::new());
/// Those that come with the program, as soon as anybody has asked for one.
static SHIPPED: Mutex<Vec<Arc<Terrain>>> = Mutex::new(Vec::new());

impl Source {
    /// The names and paths, in order.
    pub fn names(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        }
    }

    /// Whether every name is known and every file is there, without loading anything.
    pub fn check(&self) -> Result<(), MapError> {
        if self.names().is_empty() {
            return Err(MapError::NoMaps);
        }
        self.names().iter().try_for_each(|name| key(name).map(drop))
    }

    /// Loads the maps, or takes those that somebody has loaded already.
    pub fn load(&self) -> Result<Vec<Arc<Terrain>>, MapError> {
        if self.names().is_empty() {
            return Err(MapError::NoMaps);
        }
        self.names().iter().map(|name| shared(name)).collect()
    }
}

fn shared(name: &str) -> Result<Arc<Terrain>, MapError> {
    // Held while a map is made: others who want the same one wait for it and do not make it again.
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let key = key(name)?;
    if let Some(terrain) = loaded.get(&key).and_then(Weak::upgrade) {
        return Ok(terrain);
    }
    let terrain = Arc::new(match &key {
        Key::Ours(plan, seed) => ours(name, *plan, *seed)?,
        Key::File { path, .. } => read(path)?,
    });
    if matches!(key, Key::Ours(_, SHIPPED_SEED)) {
        SHIPPED.lock().unwrap_or_else(PoisonError::into_inner).push(terrain.clone());
    }
    loaded.retain(|_, terrain| terrain.strong_count() > 0);
    loaded.insert(key, Arc::downgrade(&terrain));
    Ok(terrain)
}

fn key(name: &str) -> Result<Key, MapError> {
    if let Some((plan, seed)) = plan(name) {
        return Ok(Key::Ours(plan, seed));
    }
    let path = Path::new(name);
    let looks_like_a_file = path.extension().is_some() || path.components().count() > 1;
    if !looks_like_a_file && !path.is_file() {
        return Err(unknown(name));
    }
    let io = |source| MapError::Io { path: path.to_path_buf(), source };
    let about = std::fs::metadata(path).map_err(io)?;
    if about.len() > MOST_BYTES {
        return Err(MapError::Large { path: path.to_path_buf(), bytes: about.len() });
    }
    let stamp = |about: &std::fs::Metadata| (about.len(), about.modified().ok());
    let hint = std::fs::metadata(Hint::path_beside(path)).ok();
    Ok(Key::File {
        path: path.canonicalize().map_err(io)?,
        stamp: stamp(&about),
        hint: hint.as_ref().map(stamp),
    })
}

fn ours(name: &str, plan: Plan, seed: u64) -> Result<Terrain, MapError> {
    Terrain::new(&generate(plan, seed), &Hint::default())
        .map_err(|source| MapError::Nav { name: name.to_string(), source })
}

fn read(path: &Path) -> Result<Terrain, MapError> {
    let nav = |source| MapError::Nav { name: path.display().to_string(), source };
    let bytes =
        std::fs::read(path).map_err(|source| MapError::Io { path: path.to_path_buf(), source })?;
    let mesh = Mesh::read(&bytes).map_err(nav)?;
    let hint =
        Hint::beside(path).map_err(|source| MapError::Hint { path: path.to_path_buf(), source })?;
    Terrain::new(&mesh, &hint).map_err(nav)
}

fn unknown(name: &str) -> MapError {
    let said = name.split(':').next().unwrap_or(name);
    let nearest = NAMES.into_iter().min_by_key(|known| edits(said, known));
    let near = nearest
        .filter(|known| edits(said, known) <= known.len() / 3)
        .map_or(String::new(), |known| format!("did you mean `{known}`? "));
    MapError::Unknown { name: name.to_string(), near }
}

/// How many letters must be put in, taken out or changed (Levenshtein's distance).
fn edits(a: &str, b: &str) -> usize {
    // Names are short; what is not one need not be compared to its end.
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.iter().enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for j in 0..b.len() {
            let change = corner + usize::from(*letter != b[j]);
            corner = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str) -> Source {
        Source::One(name.to_string())
    }

    #[test]
    fn letters_are_counted() {
        for (a, b, count) in [
            ("apartmnt", "apartment", 1),
            ("", "abc", 3),
            ("same", "same", 0),
            ("sreet", "street", 1),
        ] {
            assert_eq!(edits(a, b), count, "{a} {b}");
        }
    }

    #[test]
    fn a_slip_is_answered_with_what_was_meant() {
        let said = one("apartmnt").check().expect_err("a slip").to_string();
        assert!(said.starts_with("no map `apartmnt`: did you mean `apartment`?"), "{said}");
        assert!(said.contains("a path to a .nav"), "{said}");
        let said = one("xyzzy").check().expect_err("no such map").to_string();
        assert!(!said.contains("did you mean") && said.contains("corridor, apartment"), "{said}");
        assert!(matches!(Source::Several(Vec::new()).load(), Err(MapError::NoMaps)));
    }

    #[test]
    fn a_seed_gives_another_map_of_the_same_plan() {
        let several = Source::Several(["street", "street:1", "street:2"].map(String::from).into());
        let loaded = several.load().expect("ours");
        assert!(
            Arc::ptr_eq(&loaded[0], &loaded[1]),
            "the map that comes with the program has seed 1"
        );
        assert_ne!(
            loaded[0].center(loaded[0].goal_areas()[0]),
            loaded[2].center(loaded[2].goal_areas()[0])
        );
        for wrong in ["street:", "street:-1", "street:x", "stret:2", "street:99999999999999999999"]
        {
            let said = one(wrong).check().expect_err(wrong).to_string();
            assert!(
                said.contains("did you mean `street`?") && said.contains("NAME:SEED"),
                "{said}"
            );
        }
    }

    #[test]
    fn a_source_is_a_name_or_a_list() {
        let read = |text: &str| serde_saphyr::from_str::<Source>(text).expect("a source");
        assert_eq!(read("street"), one("street"));
        assert_eq!(read("[street, maps/c1m1.nav]").names(), ["street", "maps/c1m1.nav"]);
        let said = serde_json::from_str::<Source>("5").expect_err("no map").to_string();
        assert!(said.contains("the name of a map (corridor,") && said.contains(".nav"), "{said}");
    }

    #[test]
    fn everybody_shares_a_terrain_while_it_is_in_use() {
        let source = Source::Several(vec!["corridor".to_string(), "corridor".to_string()]);
        let first = source.load().expect("ours");
        assert!(Arc::ptr_eq(&first[0], &first[1]));
        let threads: Vec<_> =
            (0..4).map(|_| std::thread::spawn(|| one("corridor").load())).collect();
        for thread in threads {
            let there = thread.join().expect("no panic").expect("ours");
            assert!(Arc::ptr_eq(&first[0], &there[0]));
        }
    }

    #[test]
    fn files_are_named_in_errors_and_read_anew_when_they_change() {
        let room = tempfile::tempdir().expect("a directory");
        let path = room.path().join("mine.nav");
        let source = one(&path.display().to_string());
        let said = source.load().expect_err("it is not there").to_string();
        assert!(said.contains("mine.nav"), "{said}");
        let bytes = super::super::by_name("corridor").expect("ours").write();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).expect("writable");
        let said = source.load().expect_err("half a file").to_string();
        assert!(said.contains("mine.nav") && said.contains("byte"), "{said}");
        std::fs::write(&path, &bytes).expect("writable");
        let whole = source.load().expect("a good file");
        let goal = whole[0].center(whole[0].start_areas()[0]);
        let hint = format!("start: [2000, 200, 0]\ngoal: [{}, {}, 0]\n", goal[0], goal[1]);
        std::fs::write(room.path().join("mine.yml"), hint).expect("writable");
        let turned = source.load().expect("with a hint");
        assert_eq!(whole[0].start_areas(), turned[0].goal_areas());
        std::fs::write(room.path().join("mine.yml"), "no hint").expect("writable");
        let said = source.load().expect_err("a bad hint").to_string();
        assert!(said.contains("mine.yml"), "{said}");
    }
}

//! Which runs there are: directories with a configuration below those that were named.
//!
//! Everything that a request may ask for is in this list under an id. A request never says a path, so none
//! reaches the file system.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lanista_train::files::RunFiles;
use lanista_train::recorder;

/// How deep below a named directory runs are sought.
const DEEPEST: usize = 3;
/// The most runs.
const MOST_RUNS: usize = 5000;
/// The most directories that are looked into.
const MOST_DIRECTORIES: usize = 50_000;

/// A run that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// How requests name it.
    pub id: String,
    /// How people call it: its path below the directory that was named.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

/// The runs at and below these places, by id.
pub fn runs(places: &[PathBuf]) -> BTreeMap<String, Found> {
    let mut found = BTreeMap::new();
    let mut left = MOST_DIRECTORIES;
    for place in places.iter().filter(|place| place.is_dir()) {
        if is_run(place) {
            let name = place.canonicalize().ok();
            let name = name.as_deref().unwrap_or(place).file_name();
            let name = name.map_or("run".into(), |name| name.to_string_lossy().into_owned());
            add(&mut found, place, name);
        } else {
            below(place, place, DEEPEST, &mut left, &mut found);
        }
    }
    found
}

fn below(
    root: &Path,
    directory: &Path,
    deep: usize,
    left: &mut usize,
    found: &mut BTreeMap<String, Found>,
) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let mut inside: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    inside.sort();
    for path in inside {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden || !path.is_dir() {
            continue;
        }
        if *left == 0 || found.len() >= MOST_RUNS {
            return;
        }
        *left -= 1;
        if is_run(&path) {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            add(found, &path, name);
        } else if deep > 1 {
            below(root, &path, deep - 1, left, found);
        }
    }
}

fn is_run(path: &Path) -> bool {
    RunFiles::of(path).config().is_file()
}

fn add(found: &mut BTreeMap<String, Found>, path: &Path, name: String) {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let id = format!("{}-{:06x}", plain(&name), digest(&whole) & 0xff_ffff);
    found.entry(id.clone()).or_insert(Found { id, name, path: path.to_owned() });
}

/// A name of letters that stand for themselves in an address.
fn plain(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    name.chars().map(letter).take(80).collect()
}

/// A number that follows from a path: FNV-1a of 64 bits, so that an id survives a restart.
pub fn digest(path: &Path) -> u64 {
    path.to_string_lossy()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |sum, b| (sum ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// The recordings in a directory, newest names first, at most so many.
pub fn recordings(directory: &Path, most: usize) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == recorder::ENDING))
        .collect();
    files.sort_unstable_by(|a, b| b.cmp(a));
    files.truncate(most);
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_below_and_where_they_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        for run in ["a", "deep/b", "deep/er/c", "too/deep/for/d", ".hidden", "a/milestones/7"] {
            fs::create_dir_all(root.join(run)).unwrap();
            fs::write(root.join(run).join("config.yml"), "game: x\n").unwrap();
        }
        fs::create_dir(root.join("empty")).unwrap();
        let names = |places: &[PathBuf]| -> Vec<String> {
            runs(places).into_values().map(|found| found.name).collect()
        };
        assert_eq!(names(&[root.to_owned()]), ["a", "deep/b", "deep/er/c"]);
        assert_eq!(names(&[root.join("deep/b")]), ["b"]);
        assert!(names(&[root.join("nowhere")]).is_empty());
        // The same run under two roots has two names and one digest; ids hold no slash.
        let all = runs(&[root.to_owned(), root.join("a")]);
        assert!(all.keys().all(|id| !id.contains('/')), "{:?}", all.keys());
        assert_eq!(all.len(), 3);
    }
}

//! Reads the meshes that a player dumped from the game.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lanista_game::SettingsError;

use super::anchors::IDS;
use super::{KEY, cmf};

const RIGHT: &str = "a right directory is what a collision dumper for Rocket League writes: \
     collision_meshes/ with the 16 files soccar/*.cmf in it, or that soccar/ itself";

/// The directory that holds the `.cmf` files: `directory` itself, or `soccar` in it.
pub fn locate(directory: &Path) -> Result<PathBuf, SettingsError> {
    let kind = fs::metadata(directory).map_err(|error| refuse(directory, said(&error)))?;
    if !kind.is_dir() {
        return Err(refuse(directory, "not a directory".into()));
    }
    let inner = directory.join("soccar");
    let found = if inner.is_dir() { inner } else { directory.to_path_buf() };
    // One name for one directory, so that two ways to write it are not two sources.
    fs::canonicalize(&found).map_err(|error| refuse(&found, said(&error)))
}

/// The sixteen components in a directory of `.cmf` files, checked. Files of other arenas are left
/// out.
pub fn read(directory: &Path) -> Result<Vec<Vec<u8>>, SettingsError> {
    let mut found: [Option<(PathBuf, Vec<u8>)>; 16] = Default::default();
    let mut strangers = 0;
    let files = list(directory).map_err(|error| refuse(directory, said(&error)))?;
    if files.is_empty() {
        return Err(refuse(directory, "no .cmf files in it".into()));
    }
    for path in files {
        let bytes = load(&path).map_err(|reason| refuse(&path, reason))?;
        let id = cmf::identify(&bytes).map_err(|fault| refuse(&path, fault.to_string()))?;
        let Some(slot) = IDS.iter().position(|&expected| expected == id) else {
            strangers += 1;
            continue;
        };
        if let Some((first, _)) = &found[slot] {
            let reason = format!("the same component as {}", first.display());
            return Err(refuse(&path, reason));
        }
        found[slot] = Some((path, bytes));
    }
    let components: Vec<_> = found.into_iter().flatten().map(|(_, bytes)| bytes).collect();
    if components.len() < IDS.len() {
        let mut reason = format!("{} of the 16 soccar components", components.len());
        if strangers > 0 {
            reason += &format!(", and {strangers} .cmf files that are not of the soccar arena");
        }
        return Err(refuse(directory, reason));
    }
    Ok(components)
}

/// The `.cmf` files of a directory, by name.
fn list(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("cmf")) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn load(path: &Path) -> Result<Vec<u8>, String> {
    let size = fs::metadata(path).map_err(|error| said(&error))?.len();
    if size > cmf::MAX_BYTES {
        return Err(format!("{size} bytes, more than any collision mesh has"));
    }
    fs::read(path).map_err(|error| said(&error))
}

fn said(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "does not exist".into(),
        _ => error.to_string(),
    }
}

fn refuse(path: &Path, reason: String) -> SettingsError {
    SettingsError::new(KEY, format!("{}: {reason}; {RIGHT}", path.display()))
}

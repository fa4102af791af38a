//! Writing that survives a kill at any instant: a temporary name, a sync, a rename.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file or directory that could not be read or written.
#[derive(Debug, Error)]
#[error("cannot {action} {}: {error}{}", path.display(), hint(error))]
pub struct DiskError {
    /// `read`, `write`, …
    pub action: &'static str,
    /// Which one.
    pub path: PathBuf,
    /// Why. Part of the message, and so not its `source`: it would be told twice.
    pub error: io::Error,
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "; what was there before is untouched: free some space and run the same command again"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose another place with --set run.dir=DIR"
        }
        _ => "",
    }
}

/// Attaches what was being done to an I/O error.
pub fn on<T>(action: &'static str, path: &Path, result: io::Result<T>) -> Result<T, DiskError> {
    result.map_err(|error| DiskError { action, path: path.to_owned(), error })
}

/// Replaces a file as a whole: readers see the old bytes or the new ones.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    let temporary = PathBuf::from(temporary);
    let written = write_synced(&temporary, bytes)
        .and_then(|()| on("write", path, fs::rename(&temporary, path)))
        .and_then(|()| path.parent().map_or(Ok(()), sync_directory));
    if written.is_err() {
        let _ = fs::remove_file(&temporary); // best effort: the error that matters is on its way
    }
    written
}

/// Writes a file and waits until the disk has it.
pub fn write_synced(path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    let write = || {
        let mut file = File::create(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    on("write", path, write())
}

/// Waits until the disk has a directory's entries.
pub fn sync_directory(path: &Path) -> Result<(), DiskError> {
    // Directories cannot be synced on every system; where they can, failure matters.
    match File::open(path) {
        Ok(directory) if cfg!(unix) => on("sync", path, directory.sync_all()),
        _ => Ok(()),
    }
}

/// Keeps a damaged file under another name beside its place.
pub fn set_aside(path: &Path, bytes: &[u8]) -> Result<PathBuf, DiskError> {
    let named = |n: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(if n == 1 { ".damaged".to_owned() } else { format!(".damaged-{n}") });
        PathBuf::from(name)
    };
    let free = (1..).map(named).find(|aside| !aside.exists()).unwrap_or_else(|| named(1));
    replace(&free, bytes)?;
    Ok(free)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("kept.txt");
        replace(&path, b"old").unwrap();
        // The temporary name is taken by a directory, so the write must fail.
        fs::create_dir(directory.path().join("kept.txt.tmp")).unwrap();
        let error = replace(&path, b"new").unwrap_err().to_string();
        assert!(error.contains("kept.txt"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }
}

//! The files of a checkpoint: they appear together, and count only if all of them are what was written.
//!
//! `SUMS` lists the length and CRC-32C of every file; its last line does the same for the lines above
//! it, so a list that was cut or altered is found out as well.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::CheckpointError;
use crate::crc::checksum;
use crate::disk::{DiskError, on, sync_directory, write_synced};

/// Names and bytes.
pub type Files = BTreeMap<String, Vec<u8>>;

const SUMS: &str = "SUMS";

/// The files of a checkpoint as they were read.
pub struct Sealed {
    pub files: Files,
    /// Does the list of sums have one of its own? Those of the first versions had none.
    pub sealed: bool,
}

/// Puts these files at `directory/name`, all at once, after they were read back and found equal. What
/// was there before is replaced by a rename.
pub fn place(directory: &Path, name: &str, files: &Files) -> Result<PathBuf, CheckpointError> {
    on("create", directory, fs::create_dir_all(directory))?;
    // One name for all, so that what a kill leaves behind is used up by the next one.
    let temporary = directory.join(TEMPORARY);
    let placed = write_all(&temporary, files).and_then(|()| {
        let path = directory.join(name);
        if path.exists() {
            // The same steps were saved before: by this run, or by one that was resumed from an
            // older checkpoint after this one was found damaged.
            let old = directory.join(format!(".{name}.old"));
            let _ = fs::remove_dir_all(&old);
            on("replace", &path, fs::rename(&path, &old))?;
            on("write", &path, fs::rename(&temporary, &path))?;
            let _ = fs::remove_dir_all(&old);
        } else {
            on("write", &path, fs::rename(&temporary, &path))?;
        }
        sync_directory(directory)?;
        Ok(path)
    });
    if placed.is_err() {
        let _ = fs::remove_dir_all(&temporary); // best effort: the error is on its way
    }
    placed
}

/// What is being written has this name.
const TEMPORARY: &str = ".saving.tmp";

/// Removes what a kill left behind while a checkpoint was written or replaced.
pub fn tidy(directory: &Path) {
    // Best effort: nothing reads these, and the next save tries again.
    let _ = fs::remove_dir_all(directory.join(TEMPORARY));
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let replaced = name.strip_prefix('.').and_then(|name| name.strip_suffix(".old"));
        if replaced.is_some_and(|name| directory.join(name).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn write_all(directory: &Path, files: &Files) -> Result<(), CheckpointError> {
    let _ = fs::remove_dir_all(directory); // what a kill may have left
    on("create", directory, fs::create_dir(directory))?;
    for (name, bytes) in files {
        write_synced(&directory.join(name), bytes)?;
    }
    write_synced(&directory.join(SUMS), sums(files).as_bytes())?;
    sync_directory(directory)?;
    // A disk may take bytes and give others back: what cannot be read must not replace what can.
    let Sealed { files: found, .. } = read(directory)?;
    match found == *files {
        true => Ok(()),
        false => Err(CheckpointError::Damaged {
            path: directory.to_owned(),
            problem: "other bytes were read than were written; look at the disk".into(),
        }),
    }
}

fn sums(files: &Files) -> String {
    let line = |(name, bytes): (&String, &Vec<u8>)| {
        format!("{:08x} {} {name}\n", checksum(bytes), bytes.len())
    };
    let mut text: String = files.iter().map(line).collect();
    text.push_str(&format!("{:08x} {} {SUMS}\n", checksum(text.as_bytes()), files.len()));
    text
}

/// Reads the files of a checkpoint. One that is missing, altered or not on the list is damage.
pub fn read(path: &Path) -> Result<Sealed, CheckpointError> {
    let list = path.join(SUMS);
    let bytes = on("read", &list, fs::read(&list))?;
    let text = String::from_utf8_lossy(&bytes);
    let damaged = |problem: String| CheckpointError::Damaged { path: list.clone(), problem };
    let mut recorded: BTreeMap<&str, (u32, usize)> = BTreeMap::new();
    let (mut sealed, mut above) = (false, 0);
    for line in text.split_inclusive('\n') {
        let mut parts = line.trim_end_matches('\n').split(' ');
        let sum = parts.next().and_then(|sum| u32::from_str_radix(sum, 16).ok());
        let length = parts.next().and_then(|length| length.parse::<usize>().ok());
        let name = parts.next().filter(|name| !name.is_empty() && !name.contains(['/', '\\']));
        let Some(((sum, length), name)) = sum.zip(length).zip(name) else {
            return Err(damaged(format!("it has a line that is no sum: {}", line.trim_end())));
        };
        if sealed {
            return Err(damaged("it goes on after its end".into()));
        }
        // One way to write a sum: another spelling is another byte.
        if line != format!("{sum:08x} {length} {name}\n") {
            return Err(damaged(format!("it has a line that is no sum: {}", line.trim_end())));
        }
        if name == SUMS {
            sealed = true;
            if sum != checksum(text[..above].as_bytes()) || length != recorded.len() {
                return Err(damaged("its lines are not those that were written".into()));
            }
        } else if recorded.insert(name, (sum, length)).is_some() {
            return Err(damaged(format!("it lists {name} twice")));
        }
        above += line.len();
    }
    for entry in on("read", path, fs::read_dir(path))? {
        let name = on("read", path, entry)?.file_name().to_string_lossy().into_owned();
        // Some systems put hidden files of their own everywhere.
        if name != SUMS && !name.starts_with('.') && !recorded.contains_key(name.as_str()) {
            return Err(damaged(format!("it has no line for {name}, which is there")));
        }
    }
    let mut files = Files::new();
    for (name, (sum, length)) in recorded {
        let file = path.join(name);
        let damaged = |problem: String| CheckpointError::Damaged { path: file.clone(), problem };
        let size = on("read", &file, fs::metadata(&file))?.len();
        if size != length as u64 {
            return Err(damaged(format!("it has {size} bytes, {length} were written")));
        }
        let bytes = on("read", &file, fs::read(&file))?;
        if checksum(&bytes) != sum {
            return Err(damaged("its checksum is not the one that was written".into()));
        }
        files.insert(name.to_owned(), bytes);
    }
    Ok(Sealed { files, sealed })
}

/// The checkpoints of a run, oldest first. One that was being replaced when the program was killed
/// stands before its replacement.
pub fn list(directory: &Path) -> Result<Vec<(u64, PathBuf)>, DiskError> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return on("read", directory, Err(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = on("read", directory, entry)?.path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let replaced = name.strip_prefix('.').and_then(|n| n.strip_suffix(".old"));
        let steps = replaced.unwrap_or(name).parse().ok();
        found.extend(steps.map(|steps| (steps, path)));
    }
    found.sort();
    Ok(found)
}

/// Removes all checkpoints but the newest `keep` of those up to `steps`: later ones were found damaged
/// and passed over, so they do not count.
pub fn prune(directory: &Path, steps: u64, keep: usize) -> Result<(), DiskError> {
    let sound = list(directory)?.into_iter().rev().filter(|(at, _)| *at <= steps);
    for (_, old) in sound.skip(keep) {
        on("remove", &old, fs::remove_dir_all(&old))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Files {
        let file = |name: &str, bytes: &[u8]| (name.to_owned(), bytes.to_vec());
        [file("a", b"one"), file("exploiter-0-state", b"two"), file("c", b"")].into()
    }

    fn problem(path: &Path) -> String {
        read(path).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn what_was_written_is_read() {
        let run = tempfile::tempdir().unwrap();
        let path = place(run.path(), "7", &files()).unwrap();
        let found = read(&path).unwrap();
        assert!(found.sealed && found.files == files());
        assert_eq!(fs::read_dir(run.path()).unwrap().count(), 1, "nothing else lies about");
    }

    #[test]
    fn every_cut_and_every_flipped_bit_of_the_list_is_damage() {
        let run = tempfile::tempdir().unwrap();
        let path = place(run.path(), "7", &files()).unwrap();
        let whole = fs::read(path.join(SUMS)).unwrap();
        for length in 0..whole.len() - 1 {
            fs::write(path.join(SUMS), &whole[..length]).unwrap();
            // What is cut at the end of a line reads as a list of the first versions. A file is then
            // there without a line, or the list has no sum, which a checkpoint of today must have.
            let found = read(&path);
            assert!(found.is_err() || found.is_ok_and(|found| !found.sealed), "cut at {length}");
        }
        for bit in 0..whole.len() * 8 {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(path.join(SUMS), bytes).unwrap();
            assert!(read(&path).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_file_too_many_or_too_few_is_damage() {
        let run = tempfile::tempdir().unwrap();
        let path = place(run.path(), "7", &files()).unwrap();
        fs::write(path.join("d"), "three").unwrap();
        assert!(problem(&path).contains("no line for d"), "{}", problem(&path));
        fs::remove_file(path.join("d")).unwrap();
        fs::write(path.join(".hidden"), "by the system").unwrap();
        assert_eq!(problem(&path), "");
        fs::remove_file(path.join("c")).unwrap();
        assert!(problem(&path).contains("7/c"), "{}", problem(&path));
    }
}

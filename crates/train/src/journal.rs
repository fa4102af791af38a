//! Files that only grow: lines are appended, and a checkpoint knows how many bytes they had and which.
//!
//! A run that was killed has lines after its checkpoint; they will be written again, so they are cut
//! off. A file whose beginning is not what the checkpoint knows is damaged: the original is set aside
//! and what can be read of it is kept.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::crc::Crc32c;
use crate::disk::{DiskError, on, replace, set_aside};

/// What a file held when a checkpoint was saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    /// Bytes.
    pub length: u64,
    /// Their CRC-32C.
    pub sum: u32,
}

/// What could be read of a damaged file.
pub struct Mended {
    /// The bytes to go on with.
    pub kept: Vec<u8>,
    /// What is wrong with the rest; empty if nothing is.
    pub problems: Vec<String>,
}

/// A file that only grows.
pub struct Journal {
    path: PathBuf,
    file: BufWriter<File>,
    length: u64,
    sum: Crc32c,
}

impl Journal {
    /// Opens a file to go on where a checkpoint left it, or to begin it. `mend` picks what is to be
    /// kept of one that is not as it was sealed, or of which no checkpoint knows. Returns remarks for
    /// the user.
    pub fn open(
        path: &Path,
        seal: Option<Seal>,
        mend: impl FnOnce(&[u8]) -> Mended,
    ) -> Result<(Self, Vec<String>), DiskError> {
        let mut remarks = Vec::new();
        let found = match File::open(path) {
            Ok(file) => Some(on("read", path, sum_of(file, seal.map_or(0, |seal| seal.length)))?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return on("read", path, Err(error)),
        };
        let name = path.display();
        let intact = seal.is_some_and(|seal| found == Some(seal));
        if !intact && found.is_some() {
            let bytes = on("read", path, fs::read(path))?;
            let Mended { kept, mut problems } = mend(&bytes);
            if problems.is_empty() && seal.is_some() {
                problems
                    .push("its lines can be read, but are not the bytes that were written".into());
            }
            if !problems.is_empty() {
                let aside = set_aside(path, &bytes)?;
                let problems = problems.join("; ");
                let aside = aside.display();
                remarks.push(format!(
                    "{name} is damaged: {problems}; what can be read is kept, the original is {aside}"
                ));
            }
            if kept != bytes {
                replace(path, &kept)?;
            }
        } else if !intact && seal.is_some_and(|seal| seal.length > 0) {
            remarks.push(format!("{name} is gone: it begins anew, and what it held is missing"));
        }
        let opened = OpenOptions::new().create(true).append(true).open(path);
        let file = on("open", path, opened)?;
        if let (true, Some(seal)) = (intact, seal)
            && on("read", path, file.metadata())?.len() > seal.length
        {
            on("write", path, file.set_len(seal.length))?;
        }
        let whole = on("read", path, File::open(path).and_then(|file| crc_of(file, u64::MAX)))?;
        let file = BufWriter::new(file);
        Ok((Self { path: path.to_owned(), file, length: whole.0, sum: whole.1 }, remarks))
    }

    /// Appends bytes and hands them to the system.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), DiskError> {
        let written = self.file.write_all(bytes).and_then(|()| self.file.flush());
        on("write", &self.path, written)?;
        self.length += bytes.len() as u64;
        self.sum.add(bytes);
        Ok(())
    }

    /// Waits until the disk has it all.
    pub fn sync(&mut self) -> Result<(), DiskError> {
        on("write", &self.path, self.file.flush().and_then(|()| self.file.get_ref().sync_data()))
    }

    /// What it holds now.
    pub fn seal(&self) -> Seal {
        Seal { length: self.length, sum: self.sum.value() }
    }
}

/// The seal of a file's first bytes.
fn sum_of(file: File, length: u64) -> io::Result<Seal> {
    crc_of(file, length).map(|(length, sum)| Seal { length, sum: sum.value() })
}

fn crc_of(file: File, length: u64) -> io::Result<(u64, Crc32c)> {
    let (mut sum, mut read, mut buffer) = (Crc32c::default(), 0, [0; 1 << 16]);
    let mut file = file.take(length);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((read, sum)),
            n => {
                sum.add(&buffer[..n]);
                read += n as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep_lines_with_a(bytes: &[u8]) -> Mended {
        let text = String::from_utf8_lossy(bytes);
        let kept: String = text.split_inclusive('\n').filter(|l| l.starts_with('a')).collect();
        let problems = if kept == text { vec![] } else { vec!["a line has no a".to_owned()] };
        Mended { kept: kept.into_bytes(), problems }
    }

    #[test]
    fn what_came_after_the_seal_is_cut_off() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let (mut log, _) = Journal::open(&path, None, keep_lines_with_a).unwrap();
        log.append(b"a1\n").unwrap();
        let seal = log.seal();
        log.append(b"a2\nhalf a li").unwrap();
        drop(log);
        let (mut log, remarks) = Journal::open(&path, Some(seal), keep_lines_with_a).unwrap();
        assert_eq!((remarks.len(), log.seal()), (0, seal));
        log.append(b"a3\n").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"a1\na3\n");
        let whole = Seal { length: 6, sum: crate::crc::checksum(b"a1\na3\n") };
        assert_eq!(log.seal(), whole);
    }

    #[test]
    fn damage_is_named_and_the_original_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        for n in 0..2 {
            fs::write(&path, "a1\nb2\na3\n").unwrap();
            let seal = Seal { length: 9, sum: 1 };
            let (log, remarks) = Journal::open(&path, Some(seal), keep_lines_with_a).unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"a1\na3\n");
            assert_eq!(log.seal().length, 6);
            let aside = if n == 0 { "log.damaged" } else { "log.damaged-2" };
            assert!(remarks[0].contains("a line has no a") && remarks[0].contains(aside));
            assert_eq!(fs::read(directory.path().join(aside)).unwrap(), b"a1\nb2\na3\n");
        }
    }

    #[test]
    fn a_file_that_is_gone_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let seal = Seal { length: 9, sum: 1 };
        let path = directory.path().join("log");
        let (_, remarks) = Journal::open(&path, Some(seal), keep_lines_with_a).unwrap();
        assert!(remarks[0].contains("is gone"), "{remarks:?}");
        let path = directory.path().join("other");
        let (_, remarks) = Journal::open(&path, None, keep_lines_with_a).unwrap();
        assert!(remarks.is_empty(), "a run begins");
    }
}

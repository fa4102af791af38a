//! A file of lines that grows, followed from outside of the process that writes it.
//!
//! A run that resumes replaces its lines by a rename or cuts them off, so what was read counts only as long as
//! it is the same file, not shorter, and still ends with the bytes that were read last. Otherwise all of it is
//! read anew.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use memchr::memchr;

/// Bytes read at once.
const CHUNK: usize = 1 << 20;
/// Bytes after which a reader gets a pause: somebody may wait for what has been read so far.
const PART: u64 = 64 << 20;
/// A line that is longer is passed over.
const LONGEST_LINE: usize = 8 << 20;
/// So many of the bytes before are compared when the file has grown.
const REMEMBERED: usize = 64;

/// How far a file has been read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    /// Which file it was.
    identity: Option<(u64, u64)>,
    /// Whole lines up to here have been read.
    offset: u64,
    /// The bytes before.
    before: Vec<u8>,
}

/// What came of looking at a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Nothing new.
    Same,
    /// More lines.
    Grown,
    /// It is another file, or was cut: all of its lines were read.
    Anew,
}

impl Tail {
    /// Whole lines up to here have been read.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Forgets what was read, so that all of it is read again.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Reads what is new, or a part of it if that is much. `begin` hears that all is read anew, `line` hears every line without its end, with
    /// the place where it begins.
    pub fn follow<T>(
        &mut self,
        path: &Path,
        to: &mut T,
        begin: impl FnOnce(&mut T),
        mut line: impl FnMut(&mut T, u64, &[u8]),
    ) -> io::Result<Seen> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.identity.is_some() => {
                self.forget();
                begin(to);
                return Ok(Seen::Anew);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Seen::Same),
            Err(error) => return Err(error),
        };
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Ok(Seen::Same);
        }
        let identity = identity(&metadata);
        let goes_on = self.identity == Some(identity) && metadata.len() >= self.offset;
        if goes_on && metadata.len() == self.offset {
            return Ok(Seen::Same);
        }
        let mut seen = Seen::Grown;
        if !(goes_on && self.is_as_remembered(&mut file)?) {
            self.forget();
            self.identity = Some(identity);
            begin(to);
            seen = Seen::Anew;
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let from = self.offset;
        self.offset = each_line(&mut file, from, u64::MAX, |at, text| {
            line(to, at, text);
            at - from < PART
        })?;
        self.remember(&mut file)?;
        match seen {
            Seen::Grown if self.offset == from => Ok(Seen::Same), // half a line
            seen => Ok(seen),
        }
    }

    fn is_as_remembered(&self, file: &mut File) -> io::Result<bool> {
        let mut now = vec![0; self.before.len()];
        file.seek(SeekFrom::Start(self.offset - self.before.len() as u64))?;
        Ok(file.read_exact(&mut now).is_ok() && now == self.before)
    }

    fn remember(&mut self, file: &mut File) -> io::Result<()> {
        let bytes = self.offset.min(REMEMBERED as u64);
        self.before.resize(bytes as usize, 0);
        file.seek(SeekFrom::Start(self.offset - bytes))?;
        if file.read_exact(&mut self.before).is_err() {
            self.forget(); // it was cut just now: next time it is read anew
        }
        Ok(())
    }
}

/// Hands over whole lines from here on, each with the place where it begins, until `hear` has enough or the
/// byte `to` is reached. Returns where the next line begins.
pub fn each_line(
    file: &mut impl Read,
    from: u64,
    to: u64,
    mut hear: impl FnMut(u64, &[u8]) -> bool,
) -> io::Result<u64> {
    let mut buffer: Vec<u8> = Vec::with_capacity(CHUNK);
    // Where the buffer begins; a line that is too long is being skipped.
    let (mut base, mut skipping) = (from, false);
    loop {
        let held = buffer.len();
        let read = file.by_ref().take(CHUNK as u64).read_to_end(&mut buffer)?;
        if read == 0 {
            return Ok(base);
        }
        let (mut at, mut sought) = (0, held);
        while let Some(end) = memchr(b'\n', &buffer[sought..]).map(|end| sought + end) {
            let start = base + at as u64;
            if start >= to {
                return Ok(start);
            }
            if !skipping && !hear(start, &buffer[at..end]) {
                return Ok(base + end as u64 + 1);
            }
            skipping = false;
            (at, sought) = (end + 1, end + 1);
        }
        base += at as u64;
        buffer.drain(..at);
        if buffer.len() > LONGEST_LINE {
            base += buffer.len() as u64;
            buffer.clear();
            skipping = true;
        }
    }
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// Where files have no numbers, the time at which one was made tells it from the next.
#[cfg(not(unix))]
fn identity(metadata: &Metadata) -> (u64, u64) {
    let made = metadata.created().ok();
    let since = made.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    (0, since.map_or(0, |since| since.as_nanos() as u64))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    struct Follower {
        tail: Tail,
        lines: Vec<(u64, String)>,
    }

    impl Follower {
        fn look(&mut self, path: &Path) -> Seen {
            let Self { tail, lines } = self;
            tail.follow(path, lines, Vec::clear, |lines, at, text| {
                lines.push((at, String::from_utf8_lossy(text).into_owned()));
            })
            .unwrap()
        }

        fn texts(&self) -> Vec<&str> {
            self.lines.iter().map(|(_, text)| text.as_str()).collect()
        }
    }

    fn follower() -> (tempfile::TempDir, std::path::PathBuf, Follower) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lines");
        (directory, path, Follower { tail: Tail::default(), lines: Vec::new() })
    }

    fn append(path: &Path, text: &str) {
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn whole_lines_are_heard_once_each() {
        let (_directory, path, mut f) = follower();
        assert_eq!(f.look(&path), Seen::Same, "there is none");
        append(&path, "a\nb\nhal");
        assert_eq!(f.look(&path), Seen::Anew);
        assert_eq!(f.lines, [(0, "a".into()), (2, "b".into())]);
        assert_eq!(f.look(&path), Seen::Same, "half a line");
        append(&path, "f\nc\n");
        assert_eq!(f.look(&path), Seen::Grown);
        assert_eq!(f.texts(), ["a", "b", "half", "c"]);
        assert_eq!(f.lines[2].0, 4);
        assert_eq!(f.look(&path), Seen::Same);
    }

    #[test]
    fn a_file_that_was_replaced_cut_or_removed_is_read_anew() {
        let (_directory, path, mut f) = follower();
        append(&path, "a\nb\nc\n");
        f.look(&path);
        // Replaced by one of the same length, as a resume does.
        let other = path.with_extension("tmp");
        append(&other, "a\nb\nx\n");
        fs::rename(&other, &path).unwrap();
        assert_eq!(f.look(&path), Seen::Anew);
        assert_eq!(f.texts(), ["a", "b", "x"]);
        // Cut.
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(2).unwrap();
        assert_eq!(f.look(&path), Seen::Anew);
        assert_eq!(f.texts(), ["a"]);
        // Cut and grown beyond what it was between two looks.
        append(&path, "b\nc\n");
        f.look(&path);
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(2).unwrap();
        append(&path, "longer\nthan before\n");
        assert_eq!(f.look(&path), Seen::Anew);
        assert_eq!(f.texts(), ["a", "longer", "than before"]);
        fs::remove_file(&path).unwrap();
        assert_eq!(f.look(&path), Seen::Anew);
        assert!(f.lines.is_empty());
    }

    #[test]
    fn an_endless_line_is_passed_over() {
        let (_directory, path, mut f) = follower();
        append(&path, &format!("a\n{}\nb\n", "x".repeat(LONGEST_LINE + 2 * CHUNK)));
        f.look(&path);
        assert_eq!(f.texts(), ["a", "b"]);
    }
}

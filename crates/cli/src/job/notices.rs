//! What a job says about itself: on the screen unless the trainer's dashboard has it, and in its log always.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use lanista_train::disk::{DiskError, on};

/// The messages of a job.
pub struct Notices {
    log: File,
    /// Is standard output for a program that reads one line of JSON?
    aside: bool,
    /// Kept back while something else has the screen.
    held: Option<Vec<String>>,
}

impl Notices {
    /// Keeps them in this directory, too.
    pub fn in_directory(directory: &Path, aside: bool) -> Result<Self, DiskError> {
        let path = directory.join("job.log");
        let log = on("write", &path, OpenOptions::new().append(true).create(true).open(&path))?;
        Ok(Self { log, aside, held: None })
    }

    pub fn say(&mut self, line: &str) {
        let _ = writeln!(self.log, "{line}"); // a full disk is the trainer's to complain of
        match &mut self.held {
            Some(held) => held.push(line.to_owned()),
            None => show(self.aside, line),
        }
    }

    /// Something else has the screen from now on.
    pub fn hold(&mut self) {
        self.held.get_or_insert_default();
    }

    /// The screen is free: shows what was kept back.
    pub fn release(&mut self) {
        for line in self.held.take().unwrap_or_default() {
            show(self.aside, &line);
        }
    }
}

fn show(aside: bool, line: &str) {
    match aside {
        true => complain!("{line}"),
        false => say!("{line}"),
    }
}

/// The log of something, in the directory of a job's logs.
pub fn log_of(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!("{name}.log"))
}

/// The last lines of a log from a place in it on, indented, for a message.
pub fn last_words(log: &Path, from: u64) -> String {
    const LINES: usize = 5;
    let bytes = std::fs::read(log).unwrap_or_default();
    let new = bytes.get(usize::try_from(from).unwrap_or(usize::MAX)..).unwrap_or_default();
    let text = String::from_utf8_lossy(new);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    last.iter().map(|line| format!("\n  {line}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_back_is_in_the_log_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let mut notices = Notices::in_directory(directory.path(), true).unwrap();
        notices.hold();
        notices.say("page: started again");
        let log = std::fs::read_to_string(directory.path().join("job.log")).unwrap();
        assert_eq!(log, "page: started again\n");
        assert_eq!(notices.held.as_deref(), Some(&["page: started again".to_owned()][..]));
        notices.release();
        assert!(notices.held.is_none());
    }

    #[test]
    fn last_words_are_few_and_new() {
        let directory = tempfile::tempdir().unwrap();
        let log = log_of(directory.path(), "page");
        std::fs::write(&log, "old\n1\n2\n\n3\n4\n5\n6\n").unwrap();
        assert_eq!(last_words(&log, 4), "\n  2\n  3\n  4\n  5\n  6");
        assert_eq!(last_words(&log, 400), "");
        assert_eq!(last_words(&directory.path().join("none"), 0), "");
    }
}

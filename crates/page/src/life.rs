//! Whether a run is being trained, without touching its lock.
//!
//! Trying the lock, even for a moment and even shared, can make a trainer fail that starts in that moment. The
//! kernel lists who holds which lock, and the list is only read. Where there is no such list, a run whose lines
//! have moved lately counts as alive.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde::Serialize;

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Life {
    /// It trains.
    Running,
    /// A process holds it, but nothing has moved for long.
    Paused,
    /// Nobody trains it, and it is not at its end.
    Stopped,
    /// It has reached its end.
    Finished,
    /// It ended with an error.
    Failed,
}

/// The locks that are held on this machine.
pub struct Locks {
    /// Device and number of each file, as far as they are known.
    held: Option<BTreeSet<(u64, u64)>>,
}

impl Locks {
    /// Reads the list of the kernel.
    pub fn read() -> Self {
        Self { held: fs::read_to_string("/proc/locks").ok().map(|text| parse(&text)) }
    }

    /// Does a process hold this file? `None` if nobody knows.
    pub fn holds(&self, path: &Path) -> Option<bool> {
        let held = self.held.as_ref()?;
        let Ok(metadata) = fs::metadata(path) else { return Some(false) };
        Some(held.contains(&file(&metadata)?))
    }
}

#[cfg(unix)]
fn file(metadata: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn file(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// The locks that exclude others: `1: FLOCK ADVISORY WRITE 123 fe:00:5374256 0 EOF`.
fn parse(text: &str) -> BTreeSet<(u64, u64)> {
    let entry = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let at = fields.iter().position(|&field| field == "WRITE")?;
        let mut place = fields.get(at + 2)?.split(':');
        let (major, minor) = (place.next()?, place.next()?);
        let number = place.next()?.parse().ok()?;
        let (major, minor) =
            (u64::from_str_radix(major, 16).ok()?, u64::from_str_radix(minor, 16).ok()?);
        Some((device(major, minor), number))
    };
    text.lines().filter_map(entry).collect()
}

/// As `stat` has it on Linux.
fn device(major: u64, minor: u64) -> u64 {
    (minor & 0xff) | ((major & 0xfff) << 8) | ((minor & !0xff) << 12) | ((major & !0xfff) << 32)
}

/// Without a list of locks, a run that has been silent for so long does not train.
const SILENT: Duration = Duration::from_secs(120);
/// One that holds its lock and has been silent for so long waits for something.
const WAITING: Duration = Duration::from_secs(60);

/// How a run stands. `written` is when its lines moved last, `iteration` how long one takes; `failed` is what the
/// last training left behind, which the next one takes away before it begins.
pub fn life(
    held: Option<bool>,
    written: Option<SystemTime>,
    iteration: Option<f64>,
    at_end: bool,
    failed: bool,
) -> Life {
    let silent = written.and_then(|at| at.elapsed().ok()).unwrap_or_default();
    // An iteration that takes minutes is no pause.
    let slow = Duration::try_from_secs_f64(iteration.unwrap_or(0.0).clamp(0.0, 1e6) * 5.0);
    let slow = slow.unwrap_or_default();
    match held {
        Some(true) if silent > WAITING + slow && written.is_some() => Life::Paused,
        Some(true) => Life::Running,
        _ if failed => Life::Failed,
        None if written.is_some() && !at_end && silent < SILENT + slow => Life::Running,
        _ if at_end => Life::Finished,
        _ => Life::Stopped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_held_is_seen_and_not_touched() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let file = fs::File::create(&path).unwrap();
        let seen = |expected: bool| match Locks::read().holds(&path) {
            Some(held) => assert_eq!(held, expected),
            None => eprintln!("skipped: this system has no list of locks"),
        };
        seen(false);
        file.try_lock().unwrap();
        seen(true);
        file.unlock().unwrap();
        seen(false);
        assert!(Locks::read().holds(&directory.path().join("none")) != Some(true));
    }

    #[test]
    fn the_list_of_the_kernel_is_read() {
        let text = "1: FLOCK  ADVISORY  WRITE 23135 fe:00:5374256 0 EOF\n\
                    2: -> FLOCK  ADVISORY  WRITE 9 103:4e20:7 0 EOF\n\
                    3: POSIX  ADVISORY  READ 5 fe:00:1 0 EOF\nnonsense\n";
        let held = parse(text);
        assert!(held.contains(&(0xfe00, 5_374_256)) && held.len() == 2, "{held:?}");
    }

    #[test]
    fn silence_means_what_the_lock_says() {
        let now = Some(SystemTime::now());
        let old = Some(SystemTime::now() - Duration::from_secs(1000));
        assert_eq!(life(Some(true), now, None, false, false), Life::Running);
        assert_eq!(life(Some(true), old, None, false, false), Life::Paused);
        assert_eq!(life(Some(true), old, Some(500.0), false, false), Life::Running);
        assert_eq!(life(Some(true), None, None, false, false), Life::Running);
        assert_eq!(life(Some(false), now, None, false, false), Life::Stopped);
        assert_eq!(life(Some(false), now, None, true, false), Life::Finished);
        assert_eq!(life(None, now, None, false, false), Life::Running);
        assert_eq!(life(None, old, None, false, false), Life::Stopped);
        // A failure counts as long as nobody trains on, also where the last evaluation failed.
        assert_eq!(life(Some(true), now, None, false, true), Life::Running);
        assert_eq!(life(Some(false), now, None, true, true), Life::Failed);
        assert_eq!(life(None, now, None, false, true), Life::Failed);
    }
}

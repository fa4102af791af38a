//! Frames for a viewer: sent over UDP as one JSON datagram each, or kept in replay files.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use lanista_game::Recording;

use crate::disk::{DiskError, on};

/// Fewest frames a second.
const SLOWEST: f64 = 0.1;

/// Sends frames to a viewer. Nobody need be listening: a datagram that is not wanted is lost.
pub struct Viewer {
    socket: UdpSocket,
    address: SocketAddr,
    interval: Duration,
    /// When the latest frame was due.
    due: Option<Instant>,
}

impl Viewer {
    /// A viewer that takes at most so many frames a second.
    pub fn new(address: SocketAddr, frames_per_second: f64) -> std::io::Result<Self> {
        let own: SocketAddr = if address.is_ipv4() {
            ([127, 0, 0, 1], 0).into()
        } else {
            ([0, 0, 0, 0, 0, 0, 0, 1], 0).into()
        };
        let socket = UdpSocket::bind(own)?;
        let mut viewer = Self { socket, address, interval: Duration::ZERO, due: None };
        viewer.pace(frames_per_second);
        Ok(viewer)
    }

    /// Takes so many frames a second from now on.
    pub fn pace(&mut self, frames_per_second: f64) {
        self.interval = Duration::from_secs_f64(1.0 / frames_per_second.max(SLOWEST));
    }

    /// Waits until the next frame is due, then sends it: for a person who watches a match.
    pub fn send_in_time(&mut self, frame: &str) {
        let now = Instant::now();
        // Counted from when the frame before was due, or sleeping too long would add up; but a
        // picture that has fallen behind does not hurry after it.
        let due = self.due.map_or(now, |due| due + self.interval);
        std::thread::sleep(due.saturating_duration_since(now));
        self.due = Some(due.max(now.checked_sub(self.interval).unwrap_or(now)));
        // Nobody may be listening, and a frame may be too large for a datagram: a picture is no
        // reason to stop a run.
        let _ = self.socket.send_to(frame.as_bytes(), self.address);
    }
}

/// Replay files: `match-0007.jsonl` holds the frames of match 7, a line each.
pub struct Recorder {
    directory: PathBuf,
    files: Mutex<HashMap<usize, BufWriter<File>>>,
    failure: Mutex<Option<DiskError>>,
}

impl Recorder {
    /// Creates the directory.
    pub fn new(directory: &Path) -> Result<Self, DiskError> {
        on("create", directory, std::fs::create_dir_all(directory))?;
        Ok(Self {
            directory: directory.to_owned(),
            files: Mutex::default(),
            failure: Mutex::default(),
        })
    }

    /// Appends a frame to a match's file.
    pub fn record(&self, number: usize, frame: &str) {
        let path = self.directory.join(format!("match-{number:04}.jsonl"));
        if let Err(error) = on("write", &path, self.append(number, &path, frame))
            && let Ok(mut failure) = self.failure.lock()
        {
            failure.get_or_insert(error);
        }
    }

    fn append(&self, number: usize, path: &Path, frame: &str) -> std::io::Result<()> {
        let mut files = self.files.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let file = match files.entry(number) {
            std::collections::hash_map::Entry::Occupied(open) => open.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(BufWriter::new(File::create(path)?))
            }
        };
        writeln!(file, "{frame}")
    }

    /// Keeps a match so that it can be replayed: `match-0007.rec`, and `match-0007.log` if it has a
    /// transcript.
    pub fn keep(&self, number: usize, recording: &Recording, transcript: Option<&str>) {
        let name = format!("match-{number:04}");
        let written = crate::recorder::write(&self.directory, &name, recording, transcript);
        if let Err(error) = written
            && let Ok(mut failure) = self.failure.lock()
        {
            failure.get_or_insert(error);
        }
    }

    /// Finishes the files; tells how many there are, or the first thing that went wrong.
    pub fn finish(self) -> Result<usize, DiskError> {
        if let Some(error) = self.failure.into_inner().unwrap_or_else(|p| p.into_inner()) {
            return Err(error);
        }
        let files = self.files.into_inner().unwrap_or_else(|p| p.into_inner());
        let count = files.len();
        for (_, mut file) in files {
            on("write", &self.directory, file.flush())?;
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_arrive_in_their_time() {
        let listener = UdpSocket::bind("127.0.0.1:0").unwrap();
        listener.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let mut viewer = Viewer::new(listener.local_addr().unwrap(), 1.0).unwrap();
        viewer.pace(50.0);
        assert_eq!(viewer.interval, Duration::from_millis(20));
        for frame in ["{\"tick\":1}", "{\"tick\":2}"] {
            viewer.send_in_time(frame);
            let mut buffer = [0; 64];
            let n = listener.recv(&mut buffer).unwrap();
            assert_eq!(&buffer[..n], frame.as_bytes());
        }
    }

    #[test]
    fn each_match_has_its_file() {
        let directory = tempfile::tempdir().unwrap();
        let recorder = Recorder::new(directory.path()).unwrap();
        for (number, frame) in [(0, "a"), (3, "b"), (0, "c")] {
            recorder.record(number, frame);
        }
        assert_eq!(recorder.finish().unwrap(), 2);
        let read = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
        assert_eq!(read("match-0000.jsonl"), "a\nc\n");
        assert_eq!(read("match-0003.jsonl"), "b\n");
    }
}

//! How far an evaluation is, for whoever waits for it: on standard error, so that results can be piped.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A terminal is told so often.
const ON_TERMINAL: Duration = Duration::from_millis(100);
/// A file or a pipe is told so often: lines stay there.
const IN_PIPE: Duration = Duration::from_secs(5);

/// A line that says how many matches are over.
pub struct ProgressLine {
    what: String,
    terminal: bool,
    last: Mutex<Instant>,
}

impl ProgressLine {
    /// Begins to wait for something.
    pub fn new(what: String) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self { what, terminal, last: Mutex::new(Instant::now()) }
    }

    /// So many of so many matches are over.
    pub fn tell(&self, finished: usize, of: usize) {
        let Ok(mut last) = self.last.lock() else { return };
        let pause = if self.terminal { ON_TERMINAL } else { IN_PIPE };
        if last.elapsed() < pause {
            return;
        }
        *last = Instant::now();
        let what = &self.what;
        // Nobody may be listening.
        let _ = match self.terminal {
            true => write!(std::io::stderr(), "\r\x1b[K{what}: {finished} of {of} matches"),
            false => writeln!(std::io::stderr(), "{what}: {finished} of {of} matches"),
        };
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

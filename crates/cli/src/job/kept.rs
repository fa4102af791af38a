//! A service that is kept alive: started, waited for, started again when it dies.

use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::needs::Service;
use super::notices::{last_words, log_of};
use super::process::{Ask, Process, Reach, ending};
use super::restarts::{MOST_IN_A_ROW, Restarts};
use crate::attached;

/// One that has run for so long had its work to do: if it dies then, that is not a start that failed.
const STEADY: Duration = Duration::from_secs(60);
/// How long a service may take until it says that it is ready.
const SLOWEST_START: Duration = Duration::from_secs(60);
/// How long one may take to end when it is told to.
const GRACE: Duration = Duration::from_secs(10);

/// A service and how it stands.
pub struct Kept {
    pub service: Service,
    pub log: PathBuf,
    state: State,
    restarts: Restarts,
}

enum State {
    /// It is started at this time.
    Due(Instant),
    /// It runs, and has not said yet that it is ready. Its words begin here in the log.
    Starting {
        process: Process,
        since: Instant,
        from: u64,
    },
    Ready {
        process: Process,
        since: Instant,
        from: u64,
    },
    /// It died too often.
    GivenUp,
}

/// What is to be said about a service.
pub enum Change {
    /// It died and will be started again.
    Died(String),
    /// It is ready again.
    Back(String),
    /// It died too often.
    GivenUp(String),
}

impl Kept {
    /// One that is due now, with its log in this directory.
    pub fn new(service: Service, logs: &Path) -> Self {
        let log = log_of(logs, &service.name);
        let state = State::Due(Instant::now());
        Self { service, log, state, restarts: Restarts::default() }
    }

    pub fn is_ready(&self) -> bool {
        matches!(self.state, State::Ready { .. })
    }

    pub fn is_given_up(&self) -> bool {
        matches!(self.state, State::GivenUp)
    }

    /// Its process, if it has one.
    pub fn id(&self) -> Option<u32> {
        match &self.state {
            State::Starting { process, .. } | State::Ready { process, .. } => Some(process.id()),
            State::Due(_) | State::GivenUp => None,
        }
    }

    /// How often it was started again.
    pub fn restarts(&self) -> u32 {
        self.restarts.total()
    }

    /// Looks after it. Waits for nothing.
    pub fn turn(&mut self) -> Option<Change> {
        match &mut self.state {
            State::GivenUp => None,
            State::Due(at) if Instant::now() < *at => None,
            State::Due(_) => match self.start() {
                Ok(state) => {
                    self.state = state;
                    None
                }
                Err(error) => Some(self.died(&format!("cannot be started: {error:#}"), false, 0)),
            },
            State::Starting { process, since, from } => {
                let (since, from) = (*since, *from);
                match process.ended() {
                    Ok(None)
                        if self.service.ready.is_none_or(|line| said(&self.log, from, line)) =>
                    {
                        self.become_ready()
                    }
                    Ok(None) if since.elapsed() < SLOWEST_START => None,
                    Ok(None) => {
                        let secs = SLOWEST_START.as_secs();
                        Some(self.died(&format!("not ready after {secs} s"), false, from))
                    }
                    Ok(Some(status)) => Some(self.died(&ending(status), false, from)),
                    Err(error) => Some(self.died(&error.to_string(), false, from)),
                }
            }
            State::Ready { process, since, from } => {
                let (got_on, from) = (since.elapsed() >= STEADY, *from);
                match process.ended() {
                    Ok(None) => None,
                    Ok(Some(status)) => Some(self.died(&ending(status), got_on, from)),
                    Err(error) => Some(self.died(&error.to_string(), got_on, from)),
                }
            }
        }
    }

    fn start(&self) -> anyhow::Result<State> {
        let log = OpenOptions::new().append(true).create(true).open(&self.log)?;
        let from = log.metadata()?.len();
        let (program, arguments) = self.service.command.split_first().ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "there is nothing to start")
        })?;
        let mut command: Command = attached::command(program)?;
        command.args(arguments).stdin(Stdio::null());
        command.stderr(log.try_clone()?).stdout(log);
        let process = Process::apart(command)?;
        Ok(State::Starting { process, since: Instant::now(), from })
    }

    fn become_ready(&mut self) -> Option<Change> {
        let before = std::mem::replace(&mut self.state, State::GivenUp);
        if let State::Starting { process, since, from } = before {
            self.state = State::Ready { process, since, from };
        }
        let name = &self.service.name;
        (self.restarts.total() > 0).then(|| {
            Change::Back(format!("{name}: runs again, process {}", self.id().unwrap_or(0)))
        })
    }

    fn died(&mut self, how: &str, got_on: bool, from: u64) -> Change {
        let (name, log) = (self.service.name.clone(), self.log.display().to_string());
        match self.restarts.died(got_on) {
            Some(wait) => {
                self.state = State::Due(Instant::now() + wait);
                Change::Died(format!("{name}: {how}; it is started again (its log: {log})"))
            }
            None => {
                self.state = State::GivenUp;
                let words = last_words(&self.log, from);
                Change::GivenUp(format!(
                    "{name} died {MOST_IN_A_ROW} times in a row and is given up: {how}; its log is {log}{words}"
                ))
            }
        }
    }

    /// Tells it to stop; [`Self::finish`] waits for that.
    pub fn ask_to_stop(&mut self) {
        if let State::Starting { process, .. } | State::Ready { process, .. } = &mut self.state {
            // Foreign programs may have started others.
            process.ask(Ask::Terminate, Reach::Group);
        }
    }

    /// Waits for its end, and ends it if that does not come. Returns whether it ran until now.
    pub fn finish(&mut self) -> bool {
        match std::mem::replace(&mut self.state, State::GivenUp) {
            State::Starting { mut process, .. } | State::Ready { mut process, .. } => {
                process.finish(GRACE);
                true
            }
            State::Due(_) | State::GivenUp => false,
        }
    }
}

/// Does a line of the log begin like this, from a place in it on?
fn said(log: &Path, from: u64, beginning: &str) -> bool {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = std::fs::File::open(log)?;
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        // It is among the first things that a service says.
        file.take(1 << 16).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().unwrap_or_default();
    // Whole lines alone: half an address is none.
    let whole = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    whole.into_iter().any(|line| line.starts_with(beginning.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_and_new_lines_are_heard() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log");
        std::fs::write(&log, "ready before\nno\nready n").unwrap();
        assert!(said(&log, 0, "ready"));
        assert!(!said(&log, 13, "ready"), "not whole yet");
        std::fs::write(&log, "ready before\nno\nready now\n").unwrap();
        assert!(said(&log, 13, "ready"));
        assert!(!said(&directory.path().join("none"), 0, "ready"));
    }
}

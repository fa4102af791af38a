//! Models that change on disk are exchanged while they serve.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use crate::shared::Shared;

/// The last so many notes wait for a reader.
const KEPT: usize = 100;

/// A model was read again, or could not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its name.
    pub model: String,
    /// Version and steps of what is served now, or why the old one goes on.
    pub result: Result<(u32, u64), String>,
}

/// How a file looks from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    number: u64,
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let number = 0;
        Some(Self { modified: metadata.modified().ok(), length: metadata.len(), number })
    }
}

/// What is known of the files.
pub struct Watch {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    stamps: Vec<Option<Stamp>>,
    notes: VecDeque<Note>,
    over: bool,
}

impl Watch {
    /// Remembers how the files look that were read.
    pub fn new(shared: &Shared) -> Self {
        let stamps = shared.models.files().map(|(_, path)| Stamp::of(path)).collect();
        let state = State { stamps, notes: VecDeque::new(), over: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the files every so often until the server stops.
    pub fn run(&self, shared: &Shared, every: Duration) {
        let mut state = self.lock();
        while !state.over {
            let (woken, _) =
                self.changed.wait_timeout(state, every).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            if !state.over {
                check(&mut state, shared, false);
            }
        }
    }

    /// Reads all files again, whether they have changed or not.
    pub fn reload(&self, shared: &Shared) {
        check(&mut self.lock(), shared, true);
    }

    /// What happened since the last call.
    pub fn notes(&self) -> Vec<Note> {
        self.lock().notes.drain(..).collect()
    }

    /// Ends [`Watch::run`].
    pub fn stop(&self) {
        self.lock().over = true;
        self.changed.notify_all();
    }
}

fn check(state: &mut State, shared: &Shared, all: bool) {
    for (file, (name, path)) in shared.models.files().enumerate() {
        let stamp = Stamp::of(path);
        // A file that is away for a moment is being replaced.
        if !all && (stamp.is_none() || stamp == state.stamps[file]) {
            continue;
        }
        let result = shared.models.reload(file).map_err(|e| e.to_string());
        // A bad file is complained of once, not at every look.
        state.stamps[file] = stamp;
        shared.metrics.reloaded(result.is_ok());
        state.notes.push_back(Note { model: name.to_owned(), result });
        if state.notes.len() > KEPT {
            state.notes.pop_front();
        }
    }
}

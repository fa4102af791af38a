//! What all requests share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use lanista_game::{Entry, Spec};
use serde_json::Value;

use crate::matches::{Matches, Thinking};
use crate::recordings::{Kept, Recordings};
use crate::runs::Runs;
use crate::web::Web;

/// Specs that are kept: runs of one preset share theirs.
const MOST_SPECS: usize = 200;

/// What all requests share.
pub struct Shared {
    /// The runs.
    pub runs: Arc<Runs>,
    /// The games that matches are played again with.
    pub games: Vec<Entry>,
    /// The files of the page.
    pub web: Web,
    /// The recordings of runs, and those that were named.
    pub recordings: Recordings,
    /// Matches that were played again.
    pub matches: Matches,
    /// What models think of them.
    pub thinking: Thinking,
    specs: Mutex<BTreeMap<String, Option<Arc<Spec>>>>,
}

impl Shared {
    /// Nothing is read yet.
    pub fn new(runs: Arc<Runs>, games: Vec<Entry>, web: Web, recordings: Recordings) -> Self {
        Self {
            runs,
            games,
            web,
            recordings,
            matches: Matches::default(),
            thinking: Thinking::default(),
            specs: Mutex::default(),
        }
    }

    /// A recording by its id; all of them are listed if it has not been met yet.
    pub fn recording(&self, id: &str) -> Option<Arc<Kept>> {
        if let Some(kept) = self.recordings.get(id) {
            return Some(kept);
        }
        self.recordings.given();
        self.runs.all().iter().for_each(|run| drop(self.recordings.of_run(run)));
        self.recordings.get(id)
    }

    /// What a game is made of under these settings, if it is known and takes them.
    pub fn spec(&self, game: &str, settings: &Value) -> Option<Arc<Spec>> {
        let key = format!("{game} {settings}");
        let mut specs = self.specs.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(known) = specs.get(&key) {
            return known.clone();
        }
        if specs.len() >= MOST_SPECS {
            specs.clear();
        }
        let spec = self.game(game).and_then(|entry| entry.spec(settings).ok()).map(Arc::new);
        specs.insert(key, spec.clone());
        spec
    }

    /// A game by its name.
    pub fn game(&self, name: &str) -> Option<&Entry> {
        self.games.iter().find(|entry| entry.name == name)
    }
}

//! What all requests share.

use std::sync::Arc;

use lanista_game::{Entry, Spec};
use serde_json::Value;

use crate::matches::{Matches, Thinking};
use crate::recordings::{Kept, Recordings};
use crate::runs::Runs;
use crate::web::Web;

/// What all requests share.
pub struct Shared {
    /// The runs.
    pub runs: Arc<Runs>,
    /// The files of the page.
    pub web: Web,
    /// The recordings of runs, and those that were named.
    pub recordings: Recordings,
    /// Matches that were played again.
    pub matches: Matches,
    /// What models think of them.
    pub thinking: Thinking,
}

impl Shared {
    /// Nothing is read yet.
    pub fn new(runs: Arc<Runs>, web: Web, recordings: Recordings) -> Self {
        Self { runs, web, recordings, matches: Matches::default(), thinking: Thinking::default() }
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
        self.runs.presets().games.spec(game, settings)
    }

    /// A game by its name.
    pub fn game(&self, name: &str) -> Option<&Entry> {
        self.runs.presets().games.get(name)
    }
}

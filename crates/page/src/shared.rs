//! What all requests share.

use std::sync::Arc;

use lanista_game::Entry;

use crate::runs::Runs;
use crate::web::Web;

/// What all requests share.
pub struct Shared {
    /// The runs.
    pub runs: Arc<Runs>,
    /// The games that matches are played again with.
    pub games: Vec<Entry>,
    /// The files of the page.
    pub web: Web,
}

impl Shared {
    /// A game by its name.
    pub fn game(&self, name: &str) -> Option<&Entry> {
        self.games.iter().find(|entry| entry.name == name)
    }
}

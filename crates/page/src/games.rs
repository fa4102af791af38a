//! The games that the program knows, and what they are made of.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use lanista_game::{Entry, Spec};
use serde_json::Value;

/// Specs that are kept: runs of one preset share theirs.
const MOST_SPECS: usize = 200;

/// The games that the program knows.
#[derive(Default)]
pub struct Games {
    entries: Vec<Entry>,
    specs: Mutex<BTreeMap<String, Option<Arc<Spec>>>>,
}

impl Games {
    /// These.
    pub fn new(entries: Vec<Entry>) -> Self {
        Self { entries, specs: Mutex::default() }
    }

    /// A game by its name.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
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
        let spec = self.get(game).and_then(|entry| entry.spec(settings).ok()).map(Arc::new);
        specs.insert(key, spec.clone());
        spec
    }
}

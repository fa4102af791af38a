//! Five small games with known answers.
//!
//! Each exists because one part of a trainer can be judged by it: `cartpole` by speed and plain
//! learning, `cartpole-novel` by memory, `legal` by masks, `levers` by heads that depend on each
//! other, `duel` by self-play. The best result of every one of them is known exactly, so a trainer
//! that falls short of it has a defect and not bad luck.

mod bots;
pub mod cartpole;
pub mod duel;
pub mod legal;
pub mod levers;
mod settings;

use std::sync::Arc;

use lanista_game::{Batch, Entry, Game, Matches, SettingsError, Spec, parse_settings};
use serde_json::Value;

use crate::settings::{Settings, documented};

/// A game of this crate: what the registry asks about it, and how one match is made.
trait Classic: Game + Sized + 'static {
    /// Its typed settings.
    type Settings: Settings;
    /// The name in a preset's `game`.
    const NAME: &'static str;
    /// One line for the list of games.
    const ABOUT: &'static str;

    /// What the game is made of under these settings.
    fn describe(settings: &Self::Settings) -> Spec;

    /// One match. All matches of a batch share the spec: `legal` names every one of its features,
    /// and a copy per match would cost more than the matches themselves.
    fn new(settings: &Self::Settings, spec: Arc<Spec>) -> Self;
}

/// Every game of this crate.
pub fn games() -> [Entry; 5] {
    [
        entry::<cartpole::Cartpole<true>>(),
        entry::<cartpole::Cartpole<false>>(),
        entry::<legal::Legal>(),
        entry::<levers::Levers>(),
        entry::<duel::Duel>(),
    ]
}

fn entry<G: Classic>() -> Entry {
    Entry { name: G::NAME, about: G::ABOUT, settings: documented::<G::Settings>, build: build::<G> }
}

fn build<G: Classic>(value: &Value, matches: usize) -> Result<Box<dyn Batch>, SettingsError> {
    let settings: G::Settings = parse_settings(value)?;
    settings.check()?;
    let spec = Arc::new(G::describe(&settings));
    let games = (0..matches).map(|_| G::new(&settings, spec.clone())).collect();
    Ok(Box::new(Matches::<G>::new(games)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn documents_every_key<G: Classic>() {
        let defaults = serde_json::to_value(G::Settings::default()).unwrap();
        let keys: BTreeSet<_> = defaults.as_object().unwrap().keys().cloned().collect();
        let documented = documented::<G::Settings>();
        let names: BTreeSet<_> = documented.iter().map(|s| s.name.to_owned()).collect();
        assert_eq!(names, keys, "{}", G::NAME);
        assert_eq!(documented.len(), keys.len(), "{} documents a key twice", G::NAME);
        for setting in documented {
            assert_eq!(setting.default, defaults[setting.name], "{}", G::NAME);
        }
    }

    #[test]
    fn settings_are_documented_key_by_key() {
        documents_every_key::<cartpole::Cartpole<true>>();
        documents_every_key::<cartpole::Cartpole<false>>();
        documents_every_key::<legal::Legal>();
        documents_every_key::<levers::Levers>();
        documents_every_key::<duel::Duel>();
    }

    #[test]
    fn names_are_unique_and_match_their_specs() {
        let names: BTreeSet<_> = games().iter().map(|e| e.name).collect();
        assert_eq!(names.len(), games().len());
        for entry in games() {
            let batch = (entry.build)(&Value::Null, 1).unwrap();
            assert_eq!(batch.spec().name, entry.name);
        }
    }
}

//! Old School RuneScape: a no-honour fight between two players, on the contract of the public PvP-ML
//! environment.
//!
//! [`sim`] is the fight itself and knows no contract; [`observe`], [`mask`] and [`terms`] read it;
//! [`sim::act`] writes it. [`formula`] decides attacks, [`loadout`] and [`gear`] say what is worn,
//! [`trace`] reads recorded fights and [`replay`] plays them again.

pub mod bots;
pub mod contract;
pub mod formula;
pub mod game;
pub mod gear;
pub mod kinds;
pub mod loadout;
pub mod mask;
pub mod observe;
pub mod replay;
pub mod settings;
pub mod sim;
pub mod stats;
pub mod terms;
pub mod trace;

use std::sync::Arc;

use lanista_game::{Batch, Entry, Matches, SettingsError, parse_settings};
use serde_json::Value;

use crate::game::{Nh, describe, loadouts};
use crate::settings::Settings;

/// Every game of this crate.
pub fn games() -> [Entry; 1] {
    [Entry {
        name: "nh",
        about: "Old School RuneScape: a no-honour fight, one against one",
        settings: Settings::documented,
        build,
    }]
}

fn build(value: &Value, matches: usize) -> Result<Box<dyn Batch>, SettingsError> {
    let settings: Settings = parse_settings(value)?;
    settings.check()?;
    let (spec, loadouts) = (Arc::new(describe()), loadouts(&settings));
    let settings = Arc::new(settings);
    let game = |_| Nh::new(settings.clone(), spec.clone(), loadouts.clone());
    Ok(Box::new(Matches::new((0..matches).map(game).collect())))
}

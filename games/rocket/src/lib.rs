//! Rocket League on RocketSim: soccar with one to three cars a team, even or uneven.
//!
//! Physics happen in [`engine`] alone. It turns them into a plain [`state::State`] and the
//! [`state::Happenings`] of a step; observations, masks, reward terms, stats and scripted players
//! are functions of those.

pub mod arena;
pub mod bots;
pub mod clock;
pub mod engine;
pub mod flights;
pub mod frame;
pub mod game;
pub mod hitbox;
pub mod legality;
mod mix;
pub mod observe;
pub mod pads;
pub mod recovery;
pub mod settings;
pub mod shots;
pub mod start;
pub mod state;
pub mod stats;
pub mod table;
pub mod teams;
pub mod terms;

use std::sync::Arc;

use lanista_game::{Batch, Entry, Matches, SettingsError, parse_settings};
use serde_json::Value;

use crate::game::{Rocket, describe};
use crate::settings::Settings;

/// Every game of this crate.
pub fn games() -> [Entry; 1] {
    [Entry {
        name: "rocket",
        about: "Rocket League: soccar on RocketSim, 1v1 to 3v3",
        settings: Settings::documented,
        build,
    }]
}

fn build(value: &Value, matches: usize) -> Result<Box<dyn Batch>, SettingsError> {
    Ok(Box::new(Matches::new(matches_of(value, matches)?)))
}

/// One match under a preset's `settings`, for those who want to look inside it.
pub fn one_match(value: &Value) -> Result<Rocket, SettingsError> {
    matches_of(value, 1)?.pop().ok_or_else(|| SettingsError::new("", "no match"))
}

fn matches_of(value: &Value, matches: usize) -> Result<Vec<Rocket>, SettingsError> {
    let settings: Settings = parse_settings(value)?;
    settings.check()?;
    let source = arena::prepare(settings.collision_meshes.as_deref())?;
    let spec = Arc::new(describe(&settings));
    let settings = Arc::new(settings);
    let game = |_| Rocket::new(settings.clone(), spec.clone(), source.clone());
    Ok((0..matches).map(game).collect())
}

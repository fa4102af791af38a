//! Rocket League on RocketSim: soccar with one to three cars a team, even or uneven.
//!
//! Physics happen in [`engine`] alone. It turns them into a plain [`state::State`] and the
//! [`state::Happenings`] of a step; observations, masks, reward terms, stats and scripted players
//! are functions of those.

pub mod arena;
pub mod bots;
pub mod clock;
pub mod engine;
pub mod episodes;
pub mod flights;
pub mod frame;
pub mod game;
pub mod hitbox;
pub mod legality;
pub mod live;
pub mod mirror;
mod mix;
pub mod observe;
pub mod pads;
pub mod recovery;
pub mod replay;
pub mod settings;
pub mod shots;
pub mod start;
pub mod state;
pub mod stats;
pub mod table;
pub mod teams;
pub mod terms;

use std::sync::Arc;

use lanista_game::{Entry, Kind, SettingsError, Spec, parse_settings};
use serde_json::Value;

use crate::game::{Rocket, describe};

/// Every game of this crate.
pub fn games() -> [Entry; 1] {
    [Entry::of::<Rocket>()]
}

/// One match under a preset's `settings`, for those who want to look inside it.
pub fn one_match(value: &Value) -> Result<Rocket, SettingsError> {
    let settings = parse_settings(value)?;
    let spec = Spec { name: Rocket::NAME.to_owned(), ..describe(&settings) };
    let mut matches = Rocket::matches(settings, Arc::new(spec), 1)?;
    matches.pop().ok_or_else(|| SettingsError::new("", "no match"))
}

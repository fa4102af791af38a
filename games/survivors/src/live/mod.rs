//! Matches on live servers: `settings.live` names one or several, with the plugin or the simulator in them.
//!
//! A match has a session of v2 and a line of its own to a server; servers that several clients share, and
//! survivors that other clients play, are left to them. In lockstep, where a server offers it, nothing is
//! missed; else the game goes on while the trainer thinks. Loss, duplication and reordering are the
//! session's business, silence and restarts become matches that are lost and started anew.

mod acts;
mod batch;
mod mirror;
mod player;
mod score;
mod scripted;

use std::path::Path;
use std::sync::Arc;

use lanista_game::{
    Batch, Entry, Kind, Maker, Matches, SettingsError, Spec, documented, parse_settings,
};
use serde_json::Value;

use crate::game::Survivors;
use crate::server::LOOPBACK_KEY;
use crate::settings::Settings;
use crate::wire::v2::keys::SharedKey;
use batch::{Live, Shared};

/// A file with a key is not longer.
const MOST_KEY_BYTES: u64 = 4096;

/// The game as it is listed: simulated, or live where the settings name servers.
pub fn entry() -> Entry {
    let settings = documented::<Settings>();
    let maker = SimulatedOrLive { shared: Shared::default() };
    Entry::new(Survivors::NAME, Survivors::ABOUT, settings, maker)
}

struct SimulatedOrLive {
    shared: Shared,
}

fn spec(settings: &Settings) -> Spec {
    Spec { name: Survivors::NAME.to_owned(), ..Survivors::describe(settings) }
}

impl Maker for SimulatedOrLive {
    fn spec(&self, settings: &Value) -> Result<Spec, SettingsError> {
        Ok(spec(&parse_settings(settings)?))
    }

    fn build(&self, settings: &Value, matches: usize) -> Result<Box<dyn Batch>, SettingsError> {
        let settings: Settings = parse_settings(settings)?;
        let spec = Arc::new(spec(&settings));
        if settings.live.is_none() {
            return Ok(Box::new(Matches::new(Survivors::matches(settings, spec, matches)?)));
        }
        let key = key(settings.live_key_file.as_deref())?;
        let maps =
            settings.map.load().map_err(|error| SettingsError::new("map", error.to_string()))?;
        Ok(Box::new(Live::new(spec, settings, key, maps, self.shared.clone(), matches)))
    }

    /// A server has one game as far as anybody knows here; one that has several is listed as often.
    fn at_once(&self, settings: &Value) -> Result<Option<usize>, SettingsError> {
        let settings: Settings = parse_settings(settings)?;
        Ok(settings.live.map(|servers| servers.addresses().len()))
    }
}

fn key(file: Option<&Path>) -> Result<SharedKey, SettingsError> {
    let refuse = |message: String| SettingsError::new("live_key_file", message);
    let secret = match file {
        None => LOOPBACK_KEY.to_vec(),
        Some(file) => {
            let shown = file.display();
            let read = || -> std::io::Result<Vec<u8>> {
                if std::fs::metadata(file)?.len() > MOST_KEY_BYTES {
                    return Err(std::io::Error::other("a file with a key has one short line"));
                }
                let text = std::fs::read(file)?;
                let end = text.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
                Ok(text[..end.unwrap_or(text.len())].to_vec())
            };
            read().map_err(|error| {
                refuse(format!("cannot read {shown}: {error}; give the file that the server has"))
            })?
        }
    };
    SharedKey::new(&secret).map_err(|error| refuse(error.to_string()))
}

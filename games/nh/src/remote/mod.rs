//! Fights on servers that speak the protocol of the original environment: `settings.remote` names one or
//! several, the original's or [`crate::server`].
//!
//! Every agent has a connection of its own. The server's script plays by itself; everybody else, our other
//! scripted players included, is an agent of its own. Fights cannot be rebuilt from their actions, so they
//! start anew at every checkpoint; those that a server loses start anew at once.

mod agent;
mod batch;
mod lobby;
mod table;
pub(crate) mod terms;

use std::sync::Arc;

use lanista_game::{
    Batch, Entry, Kind, Maker, Matches, SettingsError, Spec, documented, parse_settings,
};
use serde_json::Value;

use crate::game::Nh;
use crate::settings::Settings;
use batch::Remote;
use lobby::Lobby;

/// The game as it is listed: simulated, or played on servers where the settings name some.
pub fn entry() -> Entry {
    let maker = SimulatedOrRemote { lobby: Arc::default() };
    Entry::new(Nh::NAME, Nh::ABOUT, documented::<Settings>(), maker)
}

struct SimulatedOrRemote {
    lobby: Arc<Lobby>,
}

fn spec(settings: &Settings) -> Spec {
    Spec { name: Nh::NAME.to_owned(), ..Nh::describe(settings) }
}

impl Maker for SimulatedOrRemote {
    fn spec(&self, settings: &Value) -> Result<Spec, SettingsError> {
        Ok(spec(&parse_settings(settings)?))
    }

    fn build(&self, settings: &Value, matches: usize) -> Result<Box<dyn Batch>, SettingsError> {
        let settings: Settings = parse_settings(settings)?;
        let spec = Arc::new(spec(&settings));
        if settings.remote.is_none() {
            return Ok(Box::new(Matches::new(Nh::matches(settings, spec, matches)?)));
        }
        Ok(Box::new(Remote::new(spec, settings, Arc::clone(&self.lobby), matches)))
    }
}

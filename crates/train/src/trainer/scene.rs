//! What a trainer shows to whoever watches.

use lanista_game::seed;

use super::Trainer;
use crate::error::TrainError;
use crate::exhibition::{Exhibition, Scene};
use crate::player::{Player, parse_player};
use crate::view::Viewer;

/// Sets the matches that are shown apart from all others.
const SALT: u64 = 4;

impl Trainer {
    /// Begins to show a match beside training; false for a game without a picture.
    pub fn exhibit(&mut self, viewer: Viewer) -> Result<bool, TrainError> {
        self.exhibition = Exhibition::start(self.scene(), viewer)?;
        Ok(self.exhibition.is_some())
    }

    /// Who would be shown now.
    pub(super) fn scene(&self) -> Scene {
        let config = &self.agent.config;
        Scene {
            entry: self.entry.clone(),
            settings: config.settings.clone(),
            stack: config.observation.stack.clone(),
            roster: self.agent.roster(),
            cast: self.cast(),
            guests: self.guests(),
            versus: parse_player(&config.evaluation.vs, self.spec()).unwrap_or(Player::Learner),
            deterministic: config.evaluation.deterministic,
            seed: seed::mix(config.run.seed, SALT),
        }
    }
}

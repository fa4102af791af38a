//! The game. A treasure lies under one cell of a row; the player sees where it stands and where the
//! treasure is, walks there and digs.

use std::sync::Arc;

use lanista::game::seed::{mix, uniform};
use lanista::game::{
    Control, End, Entry, Game, GameSettings, Group, Head, Kind, Outcome, Role, Seat, SettingsError,
    Spec, View, features, terms,
};
use serde::{Deserialize, Serialize};

const LEFT: u32 = 0;
const RIGHT: u32 = 1;

features! {
    PLAYER = "player";
    TREASURE = "treasure";
}

terms! {
    FOUND = Outcome "found": "1 for the treasure";
    STEP = Event "step": "1 a step";
}

/// What a preset may write under `settings`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    cells: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { cells: 11 }
    }
}

impl GameSettings for Settings {
    const KEYS: &'static [(&'static str, &'static str)] =
        &[("cells", "cells in the row; 2 to 1000")];

    fn check(&self) -> Result<(), SettingsError> {
        match self.cells {
            2..=1000 => Ok(()),
            cells => Err(SettingsError::new("cells", format!("{cells} is not between 2 and 1000"))),
        }
    }
}

struct Treasure {
    spec: Arc<Spec>,
    cells: usize,
    seed: u64,
    steps: u32,
    player: usize,
    treasure: usize,
    wrong_digs: u32,
}

impl Kind for Treasure {
    type Settings = Settings;
    const NAME: &'static str = "treasure";
    const ABOUT: &'static str = "walk to the treasure and dig";

    fn describe(_: &Settings) -> Spec {
        let player = Role {
            observation: vec![Group::features(features())],
            heads: vec![Head::new("move", ["left", "right", "dig"])],
            bots: vec!["random".into()],
            ..Role::default()
        };
        Spec {
            roles: vec![player],
            seats: vec![Seat::of(0)],
            terms: terms(),
            stats: vec!["wrong_digs".into()],
            ..Spec::default()
        }
    }

    fn matches(
        settings: Settings,
        spec: Arc<Spec>,
        count: usize,
    ) -> Result<Vec<Self>, SettingsError> {
        Ok((0..count).map(|_| Self::new(settings.cells, spec.clone())).collect())
    }
}

impl Treasure {
    fn new(cells: usize, spec: Arc<Spec>) -> Self {
        let (seed, steps, player, treasure, wrong_digs) = (0, 0, 0, 0, 0);
        Self { spec, cells, seed, steps, player, treasure, wrong_digs }
    }
}

impl Game for Treasure {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64, _seats: &[Control]) {
        let cell = |n| (uniform(mix(seed, n)) * self.cells as f32) as usize;
        (self.player, self.treasure) = (cell(0), cell(1));
        (self.seed, self.steps, self.wrong_digs) = (seed, 0, 0);
    }

    fn observe(&self, view: &mut View) {
        let scaled = |cell: usize| 2.0 * cell as f32 / (self.cells - 1) as f32 - 1.0;
        let mut view = view.seat(0);
        view.observation[PLAYER] = scaled(self.player);
        view.observation[TREASURE] = scaled(self.treasure);
        view.head(0)[LEFT as usize] = self.player > 0;
        view.head(0)[RIGHT as usize] = self.player + 1 < self.cells;
    }

    fn step(&mut self, actions: &[u32], out: &mut Outcome) {
        self.steps += 1;
        out.seat(0)[STEP] = 1.0;
        match actions[0] {
            LEFT => self.player -= 1,
            RIGHT => self.player += 1,
            _ if self.player == self.treasure => {
                out.seat(0)[FOUND] = 1.0;
                out.score[0] = 1.0;
                *out.end = Some(End::Terminated);
            }
            _ => self.wrong_digs += 1,
        }
        if out.end.is_none() && self.steps == 50 {
            *out.end = Some(End::Truncated);
        }
        if out.end.is_some() {
            out.stats[0] = self.wrong_digs as f32;
        }
    }

    fn scripted(&self, _bot: usize, _seat: usize, action: &mut [u32]) {
        let dice = uniform(mix(!self.seed, u64::from(self.steps)));
        action[0] = match (dice * 3.0) as u32 {
            LEFT if self.player == 0 => RIGHT,
            RIGHT if self.player + 1 == self.cells => LEFT,
            choice => choice,
        };
    }
}

/// How a preset finds the game.
pub fn entry() -> Entry {
    Entry::of::<Treasure>()
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_keeps_the_rules_of_a_game() {
        lanista::game::check(&super::entry()).unwrap();
    }
}

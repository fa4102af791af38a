//! The game. A treasure lies under one cell of a row; the player sees where it stands and where the
//! treasure is, walks there and digs.

use lanista::game::seed::{mix, uniform};
use lanista::game::{
    Batch, End, Entry, Game, Head, Matches, Outcome, Seat, Setting, SettingsError, Spec, Term,
    TermKind, View, parse_settings,
};
use serde::Deserialize;
use serde_json::{Value, json};

const LEFT: u32 = 0;
const RIGHT: u32 = 1;

/// What a preset may write under `settings`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    cells: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { cells: 11 }
    }
}

struct Treasure {
    spec: Spec,
    cells: usize,
    seed: u64,
    steps: u32,
    player: usize,
    treasure: usize,
    wrong_digs: u32,
}

fn describe() -> Spec {
    let found = Term { name: "found", kind: TermKind::Outcome, about: "1 for the treasure" };
    let step = Term { name: "step", kind: TermKind::Event, about: "1 a step" };
    Spec {
        name: "treasure",
        seats: vec![Seat::of(0)],
        observation: vec!["player".into(), "treasure".into()],
        privileged: vec![],
        heads: vec![Head::new("move", ["left", "right", "dig"])],
        requires: vec![],
        terms: vec![found, step],
        stats: vec!["wrong_digs".into()],
        bots: vec!["random"],
    }
}

impl Treasure {
    fn new(cells: usize) -> Self {
        let (seed, steps, player, treasure, wrong_digs) = (0, 0, 0, 0, 0);
        Self { spec: describe(), cells, seed, steps, player, treasure, wrong_digs }
    }
}

impl Game for Treasure {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64) {
        let cell = |n| (uniform(mix(seed, n)) * self.cells as f32) as usize;
        (self.player, self.treasure) = (cell(0), cell(1));
        (self.seed, self.steps, self.wrong_digs) = (seed, 0, 0);
    }

    fn observe(&self, view: &mut View) {
        let scaled = |cell: usize| 2.0 * cell as f32 / (self.cells - 1) as f32 - 1.0;
        view.observation.copy_from_slice(&[scaled(self.player), scaled(self.treasure)]);
        view.mask[LEFT as usize] = self.player > 0;
        view.mask[RIGHT as usize] = self.player + 1 < self.cells;
    }

    fn step(&mut self, actions: &[u32], out: &mut Outcome) {
        self.steps += 1;
        out.terms[1] = 1.0;
        match actions[0] {
            LEFT => self.player -= 1,
            RIGHT => self.player += 1,
            _ if self.player == self.treasure => {
                out.terms[0] = 1.0;
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

    fn scripted(&mut self, _bot: usize, _seat: usize, action: &mut [u32]) {
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
    Entry { name: "treasure", about: "walk to the treasure and dig", settings, build }
}

fn settings() -> Vec<Setting> {
    let about = "cells in the row; 2 to 1000";
    vec![Setting { name: "cells", default: json!(11), about, machine: false }]
}

fn build(value: &Value, matches: usize) -> Result<Box<dyn Batch>, SettingsError> {
    let Settings { cells } = parse_settings(value)?;
    if !(2..=1000).contains(&cells) {
        return Err(SettingsError::new("cells", format!("{cells} is not between 2 and 1000")));
    }
    Ok(Box::new(Matches::new((0..matches).map(|_| Treasure::new(cells)).collect())))
}

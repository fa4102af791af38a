//! Battles as matches of the contract: two seats, one role, an engine that answers late.
//!
//! A battle is a function of its seed, of who drives its seats and of their choices: teams and all luck are
//! drawn from the seed. What the simulator refuses is asked again, as a step of its own in which that seat alone
//! acts and the refused choice is struck out; so that, too, is the same whenever it is played again.

mod batch;
mod frame;
mod score;
pub mod seat;
mod table;
mod teams;

use lanista_game::{
    Batch, Entry, Head, Maker, Pair, Role, Seat, SettingsError, Spec, documented, parse_settings,
};
use serde_json::Value;

use crate::bots::BOTS;
use crate::choice::{self, JOINT, SLOT, SlotChoice};
use crate::settings::{Actions, Settings};
use crate::view;

pub use batch::{Battles, Refusal};

/// The name in a preset's `game`.
pub const NAME: &str = "vgc";
/// One line for the list of games.
pub const ABOUT: &str = "Pokémon VGC doubles on the real Showdown simulator";

/// How a preset finds the game.
pub fn entry() -> Entry {
    Entry::new(NAME, ABOUT, documented::<Settings>(), OnShowdown)
}

struct OnShowdown;

impl Maker for OnShowdown {
    fn spec(&self, settings: &Value) -> Result<Spec, SettingsError> {
        Ok(spec(&parse_settings(settings)?))
    }

    fn build(&self, settings: &Value, matches: usize) -> Result<Box<dyn Batch>, SettingsError> {
        let settings: Settings = parse_settings(settings)?;
        Ok(Box::new(Battles::new(settings, matches)?))
    }
}

/// What the game is made of under these settings.
pub fn spec(settings: &Settings) -> Spec {
    let previews = || choice::previews().map(|of| choice::preview_words(of).replace(' ', "_"));
    let slots = || (0..SLOT).map(slot_name);
    let (heads, pairs) = match settings.actions {
        Actions::Heads => (
            vec![
                Head::new("preview", previews()),
                Head::new("first", slots()),
                Head::new("second", slots()),
            ],
            vec![Pair { first: 1, second: 2 }],
        ),
        Actions::Joint => {
            let name = |number| {
                let (first, second) = choice::apart(number);
                format!("{}__{}", slot_name(first), slot_name(second))
            };
            (vec![Head::new("choice", (0..JOINT).map(name))], Vec::new())
        }
    };
    let player = Role {
        observation: view::spec(settings.view),
        heads,
        pairs,
        bots: BOTS.iter().map(|bot| bot.name().into()).collect(),
        ..Role::default()
    };
    Spec {
        name: NAME.into(),
        roles: vec![player],
        seats: vec![Seat::of(0), Seat::of(1)],
        terms: score::terms(),
        stats: score::stats(),
    }
}

/// `move_1_foe_2`, `move_3_gimmick`, `switch_4`, `pass`.
fn slot_name(number: usize) -> String {
    let aims = ["_own_2", "_own_1", "", "_foe_1", "_foe_2"];
    match SlotChoice::of(number) {
        Some(SlotChoice::Move { slot, gimmick, aim }) => {
            let gimmick = if gimmick { "_gimmick" } else { "" };
            format!("move_{}{}{gimmick}", slot + 1, aims[aim as usize])
        }
        Some(SlotChoice::Switch(to)) => format!("switch_{}", to + 1),
        _ => "pass".into(),
    }
}

/// The games of this crate.
pub fn games() -> Vec<Entry> {
    vec![entry()]
}

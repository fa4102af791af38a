//! Scripted players.
//!
//! Each is a pure function of what its side knows, what it is asked and the dice it is given: the same of
//! these, the same choice.

mod heuristic;
mod simple;

use crate::choice::{Choice, PASS, SLOT};
use crate::legal::Legal;
use crate::request::Request;
use crate::state::Battle;

/// A scripted player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bot {
    /// Any legal pair of choices, each as likely as the others.
    Random,
    /// The move of most power, whatever it meets.
    MaxPower,
    /// Looks a turn ahead with damage, order, protection and what foes are likely to do.
    Heuristic,
    /// The first legal choice.
    Idle,
}

/// All of them, in the order in which a role lists them.
pub const BOTS: [Bot; 4] = [Bot::Random, Bot::MaxPower, Bot::Heuristic, Bot::Idle];

impl Bot {
    /// What presets call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::MaxPower => "max_power",
            Self::Heuristic => "heuristic",
            Self::Idle => "idle",
        }
    }

    /// A player by name.
    pub fn of(name: &str) -> Option<Self> {
        BOTS.into_iter().find(|bot| bot.name() == name)
    }
}

/// What a scripted player chooses. It is legal: among what `legal` offers.
pub fn choose(bot: Bot, battle: &Battle, request: &Request, legal: &Legal, dice: u64) -> Choice {
    match (bot, legal.preview) {
        (Bot::Idle, true) => simple::first_preview(legal),
        (Bot::Idle, false) => simple::first(legal),
        (Bot::Random | Bot::MaxPower, true) => simple::any_preview(legal, dice),
        (Bot::Random, false) => simple::any(legal, dice),
        (Bot::MaxPower, false) => simple::max_power(battle, request, legal, dice),
        (Bot::Heuristic, true) => heuristic::preview(battle, legal, dice),
        (Bot::Heuristic, false) => heuristic::turn(battle, request, legal, dice),
    }
}

/// The numbers that a place is offered.
fn offered(legal: &Legal, place: usize) -> impl Iterator<Item = usize> {
    let slots = legal.slots[place];
    (0..SLOT).filter(move |&number| slots[number])
}

/// All pairs that are legal.
fn pairs(legal: &Legal) -> impl Iterator<Item = (usize, usize)> {
    offered(legal, 0)
        .flat_map(|first| offered(legal, 1).map(move |second| (first, second)))
        .filter(|&(first, second)| legal.allows(first, second))
}

/// What is chosen where nothing is offered, which [`Legal`] promises not to happen.
const NOTHING: Choice = Choice::Turn(PASS, PASS);

#[cfg(test)]
#[path = "bots_tests.rs"]
mod tests;

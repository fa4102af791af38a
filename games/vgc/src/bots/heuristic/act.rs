//! What one in battle does in a turn that is played through in thought.

use crate::choice::{Aim, SlotChoice};

/// Places in battle: one's own first and second, the foes' first and second.
pub const PLACES: usize = 4;

/// What one does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Act {
    /// Nothing.
    Nothing,
    /// Goes out for one of the request's order.
    Switch(usize),
    /// Uses a move.
    Move {
        /// Which of its moves.
        by: usize,
        /// Terastallises or mega evolves before.
        changes: bool,
        /// The place it is aimed at, below [`PLACES`]; nothing for moves that are not aimed.
        at: Option<usize>,
    },
}

impl Act {
    /// One's own choice by its number.
    pub fn of(number: usize) -> Self {
        match SlotChoice::of(number) {
            Some(SlotChoice::Move { slot, gimmick, aim }) => {
                let at = match aim {
                    Aim::OwnFirst => Some(0),
                    Aim::OwnSecond => Some(1),
                    Aim::FoeFirst => Some(2),
                    Aim::FoeSecond => Some(3),
                    Aim::Nobody => None,
                };
                Self::Move { by: slot, changes: gimmick, at }
            }
            Some(SlotChoice::Switch(to)) => Self::Switch(to),
            _ => Self::Nothing,
        }
    }
}

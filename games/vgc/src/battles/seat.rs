//! What one seat is shown, and what its choices mean: for matches of training and for battles of a server alike.

use lanista_game::SeatView;

use crate::choice::{self, Choice, PREVIEWS, SLOT};
use crate::legal::Legal;
use crate::request::Request;
use crate::settings::Actions;
use crate::state::Battle;
use crate::view;

/// Writes what a seat sees and what it may choose into a view in which nothing is forbidden yet.
pub fn show(
    actions: Actions,
    kind: view::View,
    battle: &Battle,
    request: &Request,
    legal: &Legal,
    seat: &mut SeatView,
) {
    view::write(kind, battle, request, legal, seat.observation);
    mask(legal, actions, seat);
}

/// What a seat chose, from the numbers of its heads.
pub fn read(actions: Actions, legal: &Legal, chosen: &[u32]) -> Choice {
    let at = |head: usize| chosen.get(head).map_or(0, |&number| number as usize);
    let (first, second) = match actions {
        Actions::Heads => (at(1), at(2)),
        Actions::Joint => choice::apart(at(0)),
    };
    match legal.preview {
        true => Choice::Preview(at(0)),
        false => Choice::Turn(first, second),
    }
}

/// Writes what may be chosen.
fn mask(legal: &Legal, actions: Actions, seat: &mut SeatView) {
    match actions {
        Actions::Heads => {
            if legal.preview {
                seat.head(0).copy_from_slice(&legal.previews);
            } else {
                seat.head(0)[1..].fill(false);
            }
            for place in 0..2 {
                seat.head(1 + place).copy_from_slice(&legal.slots[place]);
            }
            if !legal.preview {
                legal.forbidden().for_each(|(first, second)| seat.forbid_pair(0, first, second));
            }
        }
        Actions::Joint => {
            let head = seat.head(0);
            head.fill(false);
            if legal.preview {
                head[..PREVIEWS].copy_from_slice(&legal.previews);
                return;
            }
            for first in (0..SLOT).filter(|&first| legal.slots[0][first]) {
                head[first * SLOT..][..SLOT].copy_from_slice(&legal.second(first));
            }
        }
    }
}

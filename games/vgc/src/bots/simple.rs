//! Players that do not look at what their moves meet.

use lanista_game::seed::{mix, uniform};

use crate::choice::{Aim, Choice, PREVIEWS, SlotChoice};
use crate::dex::{self, Target};
use crate::legal::Legal;
use crate::request::Request;
use crate::state::Battle;

use super::{NOTHING, offered, pairs};

/// One of so many, by dice.
pub fn draw(dice: u64, counter: u64, of: usize) -> usize {
    ((uniform(mix(dice, counter)) * of as f32) as usize).min(of.saturating_sub(1))
}

/// The first preview that is offered.
pub fn first_preview(legal: &Legal) -> Choice {
    Choice::Preview(legal.previews.iter().position(|&yes| yes).unwrap_or(0))
}

/// Any preview.
pub fn any_preview(legal: &Legal, dice: u64) -> Choice {
    let count = legal.previews.iter().filter(|&&yes| yes).count();
    let which = draw(dice, 0, count);
    Choice::Preview((0..PREVIEWS).filter(|&n| legal.previews[n]).nth(which).unwrap_or(0))
}

/// The first pair that is legal.
pub fn first(legal: &Legal) -> Choice {
    pairs(legal).next().map_or(NOTHING, |(first, second)| Choice::Turn(first, second))
}

/// Any pair, each as likely as the others.
pub fn any(legal: &Legal, dice: u64) -> Choice {
    let which = draw(dice, 0, pairs(legal).count());
    pairs(legal).nth(which).map_or(NOTHING, |(first, second)| Choice::Turn(first, second))
}

/// The move of most power at each place, at a foe by dice; half as much again counts what reaches two foes. It
/// goes out only when it must, at random, and never terastallises: what poke-env's player of that name does.
pub fn max_power(battle: &Battle, request: &Request, legal: &Legal, dice: u64) -> Choice {
    let foes = [0, 1].map(|place| battle.foe().at(place).is_some_and(|foe| !foe.fainted));
    let both = foes == [true, true];
    let rank = |place: usize, number: usize, second: u64| -> f32 {
        // What ties is decided by dice.
        let luck = uniform(mix(dice, (place * 64 + number) as u64 + 1000 * second)) * 0.5;
        match SlotChoice::of(number) {
            Some(SlotChoice::Move { slot, gimmick: false, aim }) => {
                let option = request
                    .active
                    .get(place)
                    .and_then(Option::as_ref)
                    .and_then(|a| a.moves.get(slot));
                let id = option.and_then(|option| dex::a_move(&option.id));
                let row = id.and_then(|id| battle.format.dex().a_move(id));
                let power = row.map_or(0.0, |row| f32::from(row.power));
                let aimed =
                    row.is_none_or(|row| matches!(row.target, Target::Normal | Target::Any));
                let power = if aimed || !both { power } else { power * 1.5 };
                let at_ally = matches!(aim, Aim::OwnFirst | Aim::OwnSecond);
                2.0 + power + luck - if at_ally { 0.75 } else { 0.0 }
            }
            Some(SlotChoice::Move { gimmick: true, .. }) => -2.0,
            Some(SlotChoice::Switch(_)) => -1.0 + luck,
            _ => -3.0,
        }
    };
    if !request.force_switch.is_empty() {
        return any(legal, dice);
    }
    let sorted = |place: usize| {
        let mut ranked: Vec<(usize, f32)> =
            offered(legal, place).map(|n| (n, rank(place, n, 1))).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked
    };
    let (firsts, seconds) = (sorted(0), sorted(1));
    let best = firsts
        .iter()
        .flat_map(|&(first, a)| seconds.iter().map(move |&(second, b)| (first, second, a + b)))
        .filter(|&(first, second, _)| legal.allows(first, second))
        .max_by(|a, b| a.2.total_cmp(&b.2));
    best.map_or(NOTHING, |(first, second, _)| Choice::Turn(first, second))
}

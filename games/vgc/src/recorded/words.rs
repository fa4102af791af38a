//! Choices in Showdown's words.

use crate::choice::{self, AIMS, Aim, PASS, SlotChoice};
use crate::dex;
use crate::format::{Format, Gimmick};
use crate::legal::Legal;
use crate::request::{Own, Request};

/// What was chosen, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The number of a preview.
    Preview(Option<usize>),
    /// The numbers of what the two places do.
    Turn([Option<usize>; 2]),
}

impl Answer {
    /// Is all of it known?
    pub fn is_known(&self) -> bool {
        match self {
            Self::Preview(number) => number.is_some(),
            Self::Turn(numbers) => numbers.iter().all(Option::is_some),
        }
    }

    /// Is what is known of it offered?
    pub fn is_offered(&self, legal: &Legal) -> bool {
        match *self {
            Self::Preview(number) => {
                legal.preview
                    && number.is_none_or(|number| legal.previews.get(number) == Some(&true))
            }
            Self::Turn([Some(first), Some(second)]) => legal.allows(first, second),
            Self::Turn(numbers) => numbers.iter().zip(&legal.slots).all(|(number, slots)| {
                number.is_none_or(|number| slots.get(number) == Some(&true))
            }),
        }
    }
}

/// Do words leave the choice to Showdown? It never says what it chose then.
pub fn left_to_showdown(words: &str) -> bool {
    matches!(words.trim(), "default" | "auto")
}

/// What words mean as an answer to a request; nothing if they cannot be read, or leave the choice to Showdown.
pub fn answer_of(format: &Format, words: &str, request: &Request, legal: &Legal) -> Option<Answer> {
    if legal.preview {
        let members = members(words.strip_prefix("team")?);
        let brought: [usize; 4] = members.get(..4)?.try_into().ok()?;
        return Some(Answer::Preview(Some(choice::preview_number(brought)?)));
    }
    let [first, second] = turn(format, words, request, legal).ok()?;
    Some(Answer::Turn([Some(first), Some(second)]))
}

/// The members that a preview names: ` 1, 4, 5, 2` or `1452`, counted from 0.
pub(super) fn members(words: &str) -> Vec<usize> {
    let digits = words.chars().filter_map(|c| c.to_digit(10));
    digits.filter_map(|digit| (digit as usize).checked_sub(1)).collect()
}

/// The numbers of both places' choices, or which part of the words means nothing.
pub(super) fn turn<'a>(
    format: &Format,
    words: &'a str,
    request: &Request,
    legal: &Legal,
) -> Result<[usize; 2], &'a str> {
    let mut parts = words.split(',').map(str::trim).peekable();
    let mut numbers = [PASS; 2];
    for (place, number) in numbers.iter_mut().enumerate() {
        let passes = |part: &str| matches!(part, "pass" | "skip");
        let offered = &legal.slots[place];
        let has_nothing = (0..PASS).all(|number| !offered[number]);
        // Showdown's parser passes by itself for a place of which nothing is asked (sim/side, getChoiceIndex).
        let Some(part) = parts.next_if(|part| passes(part) || !has_nothing) else { continue };
        *number = slot(format, part, place, request)
            .map(|choice| settled(choice, offered))
            .ok_or(part)?;
    }
    Ok(numbers)
}

/// The number of a choice. One that is aimed at where nobody stands any more strikes the other foe (sim/battle,
/// getTarget), so it is the same as one aimed there.
fn settled(choice: SlotChoice, offered: &[bool]) -> usize {
    let number = choice.number();
    let SlotChoice::Move { slot, gimmick, aim } = choice else { return number };
    let instead = match aim {
        Aim::FoeFirst => Aim::FoeSecond,
        Aim::FoeSecond => Aim::FoeFirst,
        _ => return number,
    };
    let other = SlotChoice::Move { slot, gimmick, aim: instead }.number();
    if !offered[number] && offered[other] { other } else { number }
}

/// A choice of one place.
pub(super) fn slot(
    format: &Format,
    words: &str,
    place: usize,
    request: &Request,
) -> Option<SlotChoice> {
    let mut parts = words.split_whitespace();
    match parts.next()? {
        "pass" | "skip" => Some(SlotChoice::Pass),
        "switch" => {
            let named: String = parts.collect::<Vec<_>>().join(" ");
            let row = |own: &Own| {
                let name = own.ident.split_once(": ").map_or("", |(_, name)| name);
                dex::id_of(name) == dex::id_of(&named)
            };
            let number = named.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let to = number.or_else(|| request.side.pokemon.iter().position(row))?;
            (to < 4).then_some(SlotChoice::Switch(to))
        }
        "move" => {
            let moves = &request.active.get(place)?.as_ref()?.moves;
            let (mut gimmick, mut aim, mut name) = (false, Aim::Nobody, String::new());
            let word = match format.gimmick {
                Gimmick::Terastallize => "terastal",
                Gimmick::MegaEvolve => "mega",
            };
            for part in parts {
                let at = AIMS.into_iter().find(|aim| {
                    !aim.word().is_empty()
                        && (aim.word() == part || aim.word().strip_prefix('+') == Some(part))
                });
                match at {
                    // The first word is a move by name or number.
                    Some(at) if !name.is_empty() => aim = at,
                    _ if part.starts_with(word) => gimmick = true,
                    _ => name.push_str(part),
                }
            }
            let id = dex::id_of(&name);
            let slot = match name.parse::<usize>() {
                Ok(number) => number.checked_sub(1)?,
                Err(_) => moves.iter().position(|option| option.id == id)?,
            };
            // A move that goes on keeps its target, which the log of choices writes.
            let aim = moves.get(slot)?.target.map_or(Aim::Nobody, |_| aim);
            (slot < 4).then_some(SlotChoice::Move { slot, gimmick, aim })
        }
        _ => None,
    }
}

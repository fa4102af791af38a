//! What a side chooses, and the numbers of its choices.
//!
//! The numbering is the one that others publish as MDBO: a slot has 45 choices, two slots 45 × 45 = 2025, and a
//! team preview 90. A slot's number is `(move - 1) * 10 + gimmick * 5 + target` for the four moves with the five
//! targets in the order of [`Aim`], then 40 to 43 for a switch to the first to fourth of those brought, and 44
//! for passing.

use std::fmt::Write;

use crate::format::Gimmick;

/// Choices of a slot.
pub const SLOT: usize = 45;
/// Choices of both slots together.
pub const JOINT: usize = SLOT * SLOT;
/// Ways to bring four of six.
pub const PREVIEWS: usize = 90;
/// The number of passing.
pub const PASS: usize = 44;
/// The number of a switch to the first of those brought.
pub const SWITCH: usize = 40;

/// Whom a move is aimed at: places as Showdown counts them, one's own negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aim {
    /// One's own second place, `-2`.
    OwnSecond,
    /// One's own first place, `-1`.
    OwnFirst,
    /// Nobody in particular.
    Nobody,
    /// The foes' first place, `+1`.
    FoeFirst,
    /// The foes' second place, `+2`.
    FoeSecond,
}

/// All of them, by number.
pub const AIMS: [Aim; 5] =
    [Aim::OwnSecond, Aim::OwnFirst, Aim::Nobody, Aim::FoeFirst, Aim::FoeSecond];

impl Aim {
    /// What Showdown calls it; nothing for nobody.
    pub fn word(self) -> &'static str {
        ["-2", "-1", "", "+1", "+2"][self as usize]
    }
}

/// What one place on the field is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlotChoice {
    /// Use a move.
    Move {
        /// Which of the four, counted from 0.
        slot: usize,
        /// Terastallise or mega evolve first.
        gimmick: bool,
        /// At whom.
        aim: Aim,
    },
    /// Go out for another, counted from 0 in the order of the request.
    Switch(usize),
    /// Nothing: nobody is there, or nothing can be chosen.
    Pass,
}

impl SlotChoice {
    /// Its number, below [`SLOT`].
    ///
    /// # Panics
    /// If there is no such move or place: one of four each.
    pub fn number(self) -> usize {
        match self {
            Self::Move { slot, gimmick, aim } => {
                assert!(slot < 4, "a Pokémon has four moves");
                slot * 10 + usize::from(gimmick) * 5 + aim as usize
            }
            Self::Switch(to) => {
                assert!(to < 4, "a side brings four");
                SWITCH + to
            }
            Self::Pass => PASS,
        }
    }

    /// The choice of a number; nothing above [`PASS`].
    pub fn of(number: usize) -> Option<Self> {
        match number {
            0..SWITCH => Some(Self::Move {
                slot: number / 10,
                gimmick: number / 5 % 2 == 1,
                aim: AIMS[number % 5],
            }),
            SWITCH..PASS => Some(Self::Switch(number - SWITCH)),
            PASS => Some(Self::Pass),
            _ => None,
        }
    }

    /// In Showdown's words; `gimmick` is `terastallize` or `mega`.
    fn write(self, gimmick_word: &str, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = match self {
            Self::Move { slot, gimmick, aim } => {
                let aim = aim.word();
                let space = if aim.is_empty() { "" } else { " " };
                let (gap, word) = if gimmick { (" ", gimmick_word) } else { ("", "") };
                write!(out, "move {}{space}{aim}{gap}{word}", slot + 1)
            }
            Self::Switch(to) => write!(out, "switch {}", to + 1),
            Self::Pass => write!(out, "pass"),
        };
    }
}

/// The number of both slots' choices.
pub fn joint(first: usize, second: usize) -> usize {
    first * SLOT + second
}

/// The numbers of both slots' choices.
pub fn apart(joint: usize) -> (usize, usize) {
    (joint / SLOT, joint % SLOT)
}

/// The four that are brought, by their places in the team counted from 0: the first two begin.
pub type Preview = [usize; 4];

/// A preview by its number: permutations of four of six in lexicographic order, of which those count whose
/// first two and last two are in order.
pub fn preview(number: usize) -> Option<Preview> {
    previews().nth(number)
}

/// All previews by number.
pub fn previews() -> impl Iterator<Item = Preview> {
    let pairs = |from: usize| (from..6).flat_map(|a| (a + 1..6).map(move |b| (a, b)));
    pairs(0).flat_map(move |(a, b)| {
        pairs(0)
            .filter(move |&(c, d)| ![a, b].contains(&c) && ![a, b].contains(&d))
            .map(move |(c, d)| [a, b, c, d])
    })
}

/// The number of a preview whose first two and last two may stand in any order.
pub fn preview_number(of: Preview) -> Option<usize> {
    let mut sorted = of;
    sorted[..2].sort_unstable();
    sorted[2..].sort_unstable();
    previews().position(|preview| preview == sorted)
}

/// What a side answers to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// The number of a preview, below [`PREVIEWS`].
    Preview(usize),
    /// The numbers of what the first place and the second do, below [`SLOT`] each.
    Turn(usize, usize),
}

impl Choice {
    /// In Showdown's words. Numbers that mean nothing become its `default`, which is always accepted.
    pub fn words(self, gimmick: Gimmick) -> String {
        let words = match self {
            Self::Preview(number) => preview(number).map(preview_words),
            Self::Turn(first, second) => SlotChoice::of(first)
                .zip(SlotChoice::of(second))
                .map(|(first, second)| turn_words([first, second], gimmick.word())),
        };
        words.unwrap_or_else(|| "default".to_owned())
    }
}

/// A preview in Showdown's words.
pub fn preview_words(of: Preview) -> String {
    let mut out = String::from("team ");
    of.iter().for_each(|place| out.push((b'1' + *place as u8) as char));
    out
}

/// A turn in Showdown's words.
pub fn turn_words(choices: [SlotChoice; 2], gimmick_word: &str) -> String {
    let mut out = String::new();
    choices[0].write(gimmick_word, &mut out);
    out.push_str(", ");
    choices[1].write(gimmick_word, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_both_ways() {
        for number in 0..SLOT {
            assert_eq!(SlotChoice::of(number).unwrap().number(), number);
        }
        assert_eq!(SlotChoice::of(SLOT), None);
        for number in 0..JOINT {
            let (first, second) = apart(number);
            assert_eq!(joint(first, second), number);
        }
        assert_eq!(previews().count(), PREVIEWS);
        for (number, which) in previews().enumerate() {
            assert_eq!((preview_number(which), preview(number)), (Some(number), Some(which)));
        }
        assert_eq!((preview(0), preview(89)), (Some([0, 1, 2, 3]), Some([4, 5, 2, 3])));
        assert_eq!(preview_number([5, 4, 3, 2]), Some(89));
        assert_eq!((preview(PREVIEWS), preview_number([0, 0, 1, 2])), (None, None));
    }

    /// By hand from the published numbering: (move - 1) * 10 + tera * 5 + target, targets -2, -1, none, +1, +2.
    #[test]
    fn numbers_are_the_published_ones() {
        let go = |slot, gimmick, aim| SlotChoice::Move { slot, gimmick, aim }.number();
        assert_eq!(go(0, false, Aim::OwnSecond), 0);
        assert_eq!(go(0, false, Aim::FoeFirst), 3);
        assert_eq!(go(1, true, Aim::FoeSecond), 19);
        assert_eq!(go(3, true, Aim::Nobody), 37);
        assert_eq!((SlotChoice::Switch(3).number(), SlotChoice::Pass.number()), (43, 44));
        assert_eq!(joint(44, 43), 2023);
    }

    #[test]
    fn words_are_showdowns() {
        let tera = SlotChoice::Move { slot: 0, gimmick: true, aim: Aim::FoeFirst };
        assert_eq!(
            turn_words([tera, SlotChoice::Switch(2)], "terastallize"),
            "move 1 +1 terastallize, switch 3"
        );
        let mega = SlotChoice::Move { slot: 3, gimmick: true, aim: Aim::Nobody };
        assert_eq!(turn_words([SlotChoice::Pass, mega], "mega"), "pass, move 4 mega");
        assert_eq!(preview_words([0, 5, 4, 2]), "team 1653");
        let tera = Choice::Turn(tera.number(), SWITCH + 2).words(Gimmick::Terastallize);
        assert_eq!(tera, "move 1 +1 terastallize, switch 3");
        assert_eq!(Choice::Turn(37, PASS).words(Gimmick::MegaEvolve), "move 4 mega, pass");
        assert_eq!(Choice::Preview(0).words(Gimmick::MegaEvolve), "team 1234");
        assert_eq!(Choice::Preview(PREVIEWS).words(Gimmick::MegaEvolve), "default");
    }
}

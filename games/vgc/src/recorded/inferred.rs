//! What was chosen, told from what happened.
//!
//! A log for everybody has no choices. Most can be read off it: who used which move on whom, who came in. What was
//! never carried out (somebody flinched, slept or fell first) cannot, nor at whom a move was aimed that another
//! drew on itself or whose aim was gone by then; that stays unknown, with the reason.

use std::borrow::Cow;

use crate::choice::{AIMS, Aim, PASS, SLOT, SWITCH, SlotChoice};
use crate::dex::{self, Type};
use crate::legal::Legal;
use crate::request::Request;
use crate::state::Battle;
use crate::track::Tracker;

use super::lines::{side_and_place, side_of};

/// Numbers of both places, and why one is not known.
pub(super) type Found = ([Option<usize>; 2], Option<String>);

/// The four that were brought, the first two as they began; all must have been seen.
pub(super) fn brought(tracker: &Tracker, next: &[Cow<str>]) -> Result<Vec<usize>, String> {
    let mut ahead = tracker.clone();
    let me = tracker.battle().me;
    let illusion = dex::ability("illusion");
    if ahead.battle().own().team.iter().any(|one| Some(one.base_ability) == illusion) {
        return Err(
            "it has somebody who comes in disguise, whom a log for everybody hides".to_owned()
        );
    }
    let mut leads = None;
    for line in next {
        ahead.line(line);
        if leads.is_none() && line.starts_with("|turn|") {
            leads = Some(ahead.battle().sides[me].active);
        }
    }
    let Some([Some(first), Some(second)]) = leads else {
        return Err("nobody was seen to begin".to_owned());
    };
    let side = &ahead.battle().sides[me];
    let seen = (0..side.team.len()).filter(|index| side.team[*index].revealed);
    let mut members = vec![first, second];
    members.extend(seen.filter(|index| ![first, second].contains(index)));
    let wanted = side.brought.clamp(2, 4);
    if members.len() != wanted {
        let count = members.len();
        return Err(format!(
            "{count} of the {wanted} it brought were seen, and it knew all of them"
        ));
    }
    Ok(members)
}

/// What a side chose of what is asked, from the lines that follow; nothing if the battle was over before.
pub(super) fn choices(
    battle: &Battle,
    side: usize,
    request: &Request,
    legal: &Legal,
    next: &[Cow<str>],
) -> Option<Found> {
    let mut turn = Turn::new(battle, side, request, legal);
    if request.force_switch.is_empty() {
        let mut happened = false;
        for line in next {
            let word = line.split('|').nth(1).unwrap_or("");
            if matches!(word, "turn" | "win" | "tie") {
                break;
            }
            happened |= matches!(word, "move" | "switch" | "cant");
            turn.line(word, line);
        }
        happened.then(|| turn.found())
    } else {
        for line in next {
            let mut parts = line.split('|').skip(1);
            match parts.next().unwrap_or("") {
                "switch" => turn.comes_in(line),
                "-heal" if line.contains("[from] move: Revival Blessing") => turn.comes_back(line),
                "" | "move" | "cant" | "turn" | "upkeep" | "drag" | "win" | "tie" => break,
                _ => {}
            }
        }
        Some(turn.found())
    }
}

/// What one place did.
#[derive(Clone, Copy)]
enum Did {
    Nothing,
    This(usize),
    Unknown(&'static str),
}

struct Turn<'a> {
    battle: &'a Battle,
    side: usize,
    request: &'a Request,
    legal: &'a Legal,
    did: [Did; 2],
    gimmick: [bool; 2],
    /// Empty lines so far: who comes in after one was chosen later.
    part: usize,
    /// By side: somebody draws moves on itself; somebody fell; places were exchanged.
    draws: [bool; 2],
    fell: [bool; 2],
    swapped: [bool; 2],
}

impl<'a> Turn<'a> {
    fn new(battle: &'a Battle, side: usize, request: &'a Request, legal: &'a Legal) -> Self {
        Self {
            battle,
            side,
            request,
            legal,
            did: [Did::Nothing; 2],
            gimmick: [false; 2],
            part: 0,
            draws: [false; 2],
            fell: [false; 2],
            swapped: [false; 2],
        }
    }

    fn line(&mut self, word: &str, line: &str) {
        let who = line.split('|').nth(2).unwrap_or("");
        let mine =
            side_and_place(who).filter(|(side, _)| *side == self.side).map(|(_, place)| place);
        match (word, mine) {
            ("", _) => self.part += 1,
            ("switch", Some(place)) if self.is_open(place) => {
                self.did[place] = match self.row(line) {
                    Some(row) if self.part == 0 => Did::This(SWITCH + row),
                    _ => Did::Unknown("it left before it acted"),
                };
            }
            ("drag", Some(place)) => self.lost(place, "it was driven out before it acted"),
            ("-terastallize" | "-mega", Some(place)) => self.gimmick[place] = true,
            ("move", Some(place)) if self.is_open(place) => self.moves(place, line),
            ("cant", Some(place)) if self.is_open(place) => {
                self.did[place] = match line.split('|').nth(4).filter(|name| !name.starts_with('['))
                {
                    Some(name) => self.number(place, name, ""),
                    None => Did::Unknown("it could not act"),
                };
            }
            ("faint", place) => {
                if let Some(place) = place {
                    self.lost(place, "it fainted before it acted");
                }
                if let Some(side) = side_of(who) {
                    self.fell[side] = true;
                }
            }
            ("-singleturn", _) => {
                let draws = ["Follow Me", "Rage Powder", "Spotlight"];
                if let (Some(side), true) =
                    (side_of(who), draws.iter().any(|name| line.contains(name)))
                {
                    self.draws[side] = true;
                }
            }
            ("swap", place) => {
                if place.is_some() {
                    (0..2).for_each(|place| {
                        self.lost(place, "places were exchanged before it acted")
                    });
                }
                if let Some(side) = side_of(who) {
                    self.swapped[side] = true;
                }
            }
            ("-start", Some(place))
                if line.contains("|Encore") || line.contains("move: Encore") =>
            {
                self.lost(place, "it was held to another move before it acted");
            }
            _ => {}
        }
    }

    fn is_open(&self, place: usize) -> bool {
        matches!(self.did[place], Did::Nothing)
    }

    fn lost(&mut self, place: usize, why: &'static str) {
        if self.is_open(place) {
            self.did[place] = Did::Unknown(why);
        }
    }

    fn moves(&mut self, place: usize, line: &str) {
        let mut parts = line.split('|').skip(3);
        let (name, target) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        // Called by another move or by an ability: nobody chose it.
        if parts.any(|tag| tag.starts_with("[from]")) {
            return;
        }
        let target = if line.contains("[notarget]") { "" } else { target };
        self.did[place] = self.number(place, name, target);
    }

    /// The number of a move of this name at this target.
    fn number(&self, place: usize, name: &str, target: &str) -> Did {
        let options = self.request.active.get(place).and_then(Option::as_ref);
        let id = dex::id_of(name);
        let slot = options.and_then(|one| one.moves.iter().position(|option| option.id == id));
        let Some(slot) = slot.filter(|slot| *slot < 4) else {
            return Did::Unknown("it used a move that it was not offered");
        };
        let gimmick = self.gimmick[place];
        let number = |aim: Aim| SlotChoice::Move { slot, gimmick, aim }.number();
        let offered: Vec<Aim> =
            AIMS.into_iter().filter(|aim| self.legal.slots[place][number(*aim)]).collect();
        if let [aim] = offered[..] {
            return Did::This(number(aim));
        }
        let Some((side, at)) = side_and_place(target) else {
            return Did::Unknown("nobody saw whom it aimed at");
        };
        if self.draws[side] {
            return Did::Unknown("another may have drawn its move");
        }
        if self.swapped[side] {
            return Did::Unknown("places were exchanged before it acted");
        }
        if side != self.side && self.fell[side] {
            return Did::Unknown("whom it aimed at may have been gone");
        }
        if self.attracts(side, at, &id) {
            return Did::Unknown("an ability may have drawn its move");
        }
        let aim = match (side == self.side, at) {
            (true, 0) => Aim::OwnFirst,
            (true, _) => Aim::OwnSecond,
            (false, 0) => Aim::FoeFirst,
            (false, _) => Aim::FoeSecond,
        };
        match offered.contains(&aim) {
            true => Did::This(number(aim)),
            false => Did::Unknown("it struck whom it was not offered"),
        }
    }

    /// Does who stands there draw moves of this type, or may it?
    fn attracts(&self, side: usize, place: usize, id: &str) -> bool {
        let facts = self.battle.format.dex();
        let kind = dex::a_move(id).and_then(|id| facts.a_move(id)).and_then(|facts| facts.kind);
        let ability = match kind {
            Some(Type::Electric) => "lightningrod",
            Some(Type::Water) => "stormdrain",
            _ => return false,
        };
        let Some(one) = self.battle.sides[side].at(place) else { return false };
        match facts.ability(one.ability) {
            Some(known) => known.id == ability,
            None => facts.species(one.species).is_some_and(|species| {
                species.abilities.iter().any(|name| dex::id_of(name) == ability)
            }),
        }
    }

    /// Who comes in, by its place in the request.
    fn row(&self, line: &str) -> Option<usize> {
        let name = line.split('|').nth(2)?.split_once(": ")?.1;
        let details = line.split('|').nth(3).unwrap_or("");
        let species = dex::id_of(details.split(',').next().unwrap_or(""));
        let rows = &self.request.side.pokemon;
        let called =
            rows.iter().position(|own| own.ident.split_once(": ").is_some_and(|i| i.1 == name));
        let alike = || {
            rows.iter()
                .position(|own| dex::id_of(own.details.split(',').next().unwrap_or("")) == species)
        };
        called.or_else(alike).filter(|row| *row < 4)
    }

    fn comes_in(&mut self, line: &str) {
        let place = line.split('|').nth(2).and_then(side_and_place);
        if let (Some((side, place)), Some(row)) = (place, self.row(line))
            && side == self.side
        {
            self.did[place] = Did::This(SWITCH + row);
        }
    }

    /// Somebody fainted comes back: the place that asks is the one of whoever brings it back.
    fn comes_back(&mut self, line: &str) {
        let place = self.request.force_switch.iter().position(|forced| *forced);
        if let (Some(place), Some(row)) = (place.filter(|place| *place < 2), self.row(line)) {
            self.did[place] = Did::This(SWITCH + row);
        }
    }

    fn found(&self) -> Found {
        let mut why = None;
        let numbers = [0, 1].map(|place| {
            let offered = &self.legal.slots[place];
            let mut all = (0..SLOT).filter(|number| offered[*number]);
            // What nothing else could be chosen beside was chosen, whether it was carried out or not.
            if let (Some(only), None) = (all.next(), all.next()) {
                return Some(only);
            }
            let reason = match self.did[place] {
                Did::This(number) if offered[number] => return Some(number),
                Did::Nothing if !self.request.force_switch.is_empty() && offered[PASS] => {
                    return Some(PASS);
                }
                Did::This(_) => "it did what it was not offered",
                Did::Unknown(reason) => reason,
                Did::Nothing => "it did nothing that was seen",
            };
            why.get_or_insert_with(|| reason.to_owned());
            None
        });
        (numbers, why)
    }
}

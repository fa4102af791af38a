//! One's own team, as the requests have it.

use crate::dex::{self, ItemId, MoveId, Type};
use crate::request::{Condition, Own, Request};
use crate::state::KnownMove;

use super::line::{Details, Ident};
use super::{Tracker, Who};

impl Tracker {
    /// Reads a request of one's own; call it after the lines that came with it.
    pub fn request(&mut self, request: &Request) {
        let me = self.battle.me;
        if super::switch::side_of(&request.side.id) != Some(me) || request.side.pokemon.is_empty() {
            return;
        }
        let preview = request.team_preview;
        let mut places = [None; 2];
        let mut told = [false; super::TEAM];
        for (at, own) in request.side.pokemon.iter().enumerate().take(super::TEAM) {
            let Some(index) = self.own_member(at, own, preview) else { continue };
            told[index] = true;
            let fainted = self.own(index, own);
            if at < 2 && own.active && !fainted && !preview {
                places[at] = Some(index);
            }
        }
        if !preview {
            let side = &mut self.battle.sides[me];
            side.brought = request.side.pokemon.len().min(super::TEAM);
            for (one, told) in side.team.iter_mut().zip(told) {
                one.revealed = told;
                one.left_behind = !told;
            }
            // Before the first turn nobody stands anywhere, and a wait during the preview says nothing.
            if self.battle.turn > 0 || self.battle.sides[me].active != [None; 2] {
                for (place, index) in places.into_iter().enumerate() {
                    self.stands(place, index);
                }
            }
        }
        for (place, active) in request.active.iter().enumerate().take(2) {
            if let (Some(active), Some(who)) = (active, self.at(me, place)) {
                self.uses_left(who, &active.moves);
            }
        }
    }

    /// Which of one's team a row of a request is.
    fn own_member(&mut self, at: usize, own: &Own, preview: bool) -> Option<usize> {
        let me = self.battle.me;
        let name = Ident::read(&own.ident).map_or("", |ident| ident.name);
        let details = Details::read(&own.details);
        let species = dex::species(details.species)?;
        if preview {
            if at >= self.battle.sides[me].team.len() {
                self.enlist(me, species, &details)?;
            }
            self.is_called((me, at), name);
            return Some(at);
        }
        self.member(me, name, species, &details)
    }

    /// What a row of a request says. Has it fainted?
    fn own(&mut self, index: usize, own: &Own) -> bool {
        let who = (self.battle.me, index);
        let details = Details::read(&own.details);
        if !self.of(who).transformed
            && let Some(species) = dex::species(details.species)
        {
            // A form for the battle alone is not in the details: `-formechange` tells it.
            if self.note(who).species != species {
                self.take_form(who, species, true);
            }
        }
        let condition = Condition::parse(&own.condition).unwrap_or_default();
        if !condition.fainted && self.of(who).status != condition.status {
            self.set_status(who, condition.status);
        }
        let name = Ident::read(&own.ident).map_or("", |ident| ident.name);
        self.is_called(who, name);
        let one = self.of_mut(who);
        one.level = details.level;
        one.gender = details.gender;
        one.hp = condition.hp;
        if condition.max > 0 {
            one.max_hp = condition.max;
        }
        one.fainted = condition.fainted;
        self.note_mut(who).stats_are_old = false;
        let one = self.of_mut(who);
        let stats = own.stats;
        one.stats = Some([stats.atk, stats.def, stats.spa, stats.spd, stats.spe]);
        one.item = dex::item(&own.item).unwrap_or(ItemId::none());
        if let Some(ability) = dex::ability(&own.base_ability) {
            one.base_ability = ability;
        }
        one.ability = dex::ability(&own.ability).unwrap_or(one.base_ability);
        if let Some(tera) = Type::of(&own.tera_type) {
            one.tera_type = Some(tera);
        }
        one.terastallized = !own.terastallized.is_empty();
        one.volatiles.commanding = own.commanding;
        self.own_moves(who, &own.moves);
        condition.fainted
    }

    /// The moves of one's own, in the order in which they are chosen.
    fn own_moves(&mut self, who: Who, ids: &[String]) {
        let format = self.battle.format;
        let one = self.of_mut(who);
        let (moves, transformed) = (&mut one.moves, one.transformed);
        let same = moves.len() == ids.len()
            && moves.iter().zip(ids).all(|(known, id)| {
                format.dex().a_move(known.id).is_some_and(|facts| facts.id == *id)
            });
        if same {
            return;
        }
        let row = |id: &String| {
            // Return and Hidden Power carry a number or a type.
            let number = dex::a_move(id)
                .or_else(|| dex::a_move(id.trim_end_matches(|c: char| c.is_ascii_digit())))
                .unwrap_or(MoveId::UNKNOWN);
            let known = moves.iter().find(|known| known.id == number).copied();
            let uses = match format.dex().a_move(number) {
                Some(facts) if transformed => facts.pp.min(5),
                Some(facts) => format.uses(facts),
                None => 0,
            };
            known.unwrap_or(KnownMove { id: number, pp: uses, max_pp: uses })
        };
        let rows = ids.iter().take(4).map(row).collect();
        *moves = rows;
    }

    /// Uses left of the moves of somebody in battle.
    fn uses_left(&mut self, who: Who, options: &[crate::request::MoveOption]) {
        for (at, option) in options.iter().enumerate() {
            let Some(pp) = option.pp else { continue };
            let moves = &mut self.of_mut(who).moves;
            let at = if at < moves.len() { at } else { continue };
            if dex::a_move(&option.id).is_some_and(|id| id == moves[at].id) {
                moves[at].pp = pp.min(255) as u8;
                if let Some(most) = option.maxpp {
                    moves[at].max_pp = most.min(255) as u8;
                }
            }
        }
    }

    /// Who has come in at a place of one's own, where the log shows a disguise and no request has told yet. Members
    /// that the team has not are passed over.
    pub fn came_in(&mut self, place: usize, index: usize) {
        if place < 2 && index < self.battle.sides[self.battle.me].team.len() {
            self.stands(place, Some(index));
        }
    }

    /// Who stands at a place of one's own. The log shows a disguise; this is the truth.
    fn stands(&mut self, place: usize, index: Option<usize>) {
        let me = self.battle.me;
        match index {
            None => self.battle.sides[me].active[place] = None,
            Some(index) => self.unmask(me, place, index),
        }
    }
}

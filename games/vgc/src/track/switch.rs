//! Who comes, who goes, and in what form.

use crate::dex::{self, SpeciesId, Type};
use crate::state::{Pokemon, Stages, Volatiles};

use super::line::{Details, Ident, Line};
use super::notes::Note;
use super::{TEAM, Tracker, Who};

impl Tracker {
    pub(super) fn player(&mut self, line: &Line) -> Option<()> {
        let side = side_of(line.argument(0))?;
        if !line.argument(1).is_empty() {
            self.battle.sides[side].name = line.argument(1).to_owned();
        }
        Some(())
    }

    pub(super) fn clear_preview(&mut self) {
        // Some rules show the preview a second time.
        if self.battle.turn == 0 && self.battle.sides.iter().all(|side| side.active == [None; 2]) {
            for side in 0..2 {
                if side != self.battle.me || self.battle.sides[side].brought == 0 {
                    self.battle.sides[side].team.clear();
                    self.notes[side].clear();
                }
            }
        }
    }

    /// `|poke|p1|Iron Hands, L50|`: somebody of a team.
    pub(super) fn preview(&mut self, line: &Line) -> Option<()> {
        let side = side_of(line.argument(0))?;
        let details = Details::read(line.argument(1));
        let species = dex::species(details.species)?;
        self.enlist(side, species, &details).map(|_| ())
    }

    /// Somebody new of a team.
    pub(super) fn enlist(
        &mut self,
        side: usize,
        species: SpeciesId,
        details: &Details,
    ) -> Option<usize> {
        let team = &mut self.battle.sides[side].team;
        if team.len() >= TEAM {
            return None;
        }
        let own = side == self.battle.me;
        let health = if own { 0 } else { 100 };
        team.push(Pokemon {
            species,
            base_species: species,
            level: details.level,
            gender: details.gender,
            hp: health,
            max_hp: health,
            ..Pokemon::default()
        });
        self.notes[side].push(Note { species, ..Note::default() });
        let who = (side, self.battle.sides[side].team.len() - 1);
        self.sole_ability(who);
        Some(who.1)
    }

    pub(super) fn team_size(&mut self, line: &Line) -> Option<()> {
        let side = side_of(line.argument(0))?;
        let size: usize = line.argument(1).parse().ok()?;
        // Told twice: before the preview all of them, after it those brought.
        if self.to_bring > 0 && !self.battle.sides[side].team.is_empty() {
            self.battle.sides[side].brought = size.min(TEAM);
        }
        Some(())
    }

    pub(super) fn switch(&mut self, line: &Line) -> Option<()> {
        let ident = line.who(0)?;
        let (side, place) = (ident.side, ident.place?);
        let details = Details::read(line.argument(1));
        let species = dex::species(details.species)?;
        let shown = self.member(side, ident.name, species, &details)?;
        let masked = self.must_be_masked(side, shown);
        let index = masked.unwrap_or(shown);
        let came = (side, index);
        let left = self.at(side, place).filter(|left| *left != came);
        let passed = left.and_then(|left| self.passed_on(left, line));
        if let Some(left) = left {
            self.leave(left);
        }
        for other in 0..2 {
            if self.battle.sides[side].active[other] == Some(index) {
                self.battle.sides[side].active[other] = None;
            }
        }
        if self.of(came).fainted {
            self.unmask_the_fallen(came);
        }
        self.leave(came);
        self.remember_before(came);
        self.battle.sides[side].active[place] = Some(index);
        let tera = details.tera.and_then(Type::of);
        if masked.is_none() {
            self.is_called(came, ident.name);
            self.take_form(came, species, true);
            self.of_mut(came).level = details.level;
            self.of_mut(came).gender = details.gender;
        }
        let one = self.of_mut(came);
        one.revealed = true;
        one.fainted = false;
        if tera.is_some() {
            one.tera_type = tera;
            one.terastallized = true;
        }
        if one.status == crate::state::Status::Toxic {
            one.status_turns = 0;
        }
        if let Some((stages, volatiles)) = passed {
            one.stages = stages;
            one.volatiles = volatiles;
        }
        let field = &self.battle.field;
        let met = self.battle.turn == 0
            || self.battle.sides[1 - side].active.iter().flatten().count() > 0;
        let came_into = (field.weather, field.terrain, met);
        let note = self.note_mut(came);
        note.came_in = true;
        note.came_into = came_into;
        self.condition(came, line.argument(2));
        self.count_the_brought(side);
        Some(())
    }

    /// Somebody comes in who stands there already: it is another of the team in its shape, if one can be.
    fn must_be_masked(&self, side: usize, shown: usize) -> Option<usize> {
        let side = &self.battle.sides[side];
        if !side.active.contains(&Some(shown)) {
            return None;
        }
        side.team.iter().enumerate().position(|(index, one)| {
            let free = !one.fainted && !one.left_behind && !side.active.contains(&Some(index));
            index != shown && free && self.disguised(one)
        })
    }

    /// What Baton Pass and Shed Tail hand on.
    fn passed_on(&self, left: Who, line: &Line) -> Option<(Stages, Volatiles)> {
        let from = line.from?.id();
        let one = self.of(left);
        let old = &one.volatiles;
        match from.as_str() {
            // What is not copied: `noCopy` in data/moves and data/conditions of the simulator.
            "batonpass" => Some((
                one.stages,
                Volatiles {
                    confusion: old.confusion,
                    taunt: old.taunt,
                    heal_block: old.heal_block,
                    throat_chop: old.throat_chop,
                    leech_seed: old.leech_seed,
                    curse: old.curse,
                    perish: old.perish,
                    ingrain: old.ingrain,
                    aqua_ring: old.aqua_ring,
                    magnet_rise: old.magnet_rise,
                    substitute: old.substitute,
                    focus_energy: old.focus_energy,
                    dragon_cheer: old.dragon_cheer,
                    laser_focus: old.laser_focus,
                    charge: old.charge,
                    tar_shot: old.tar_shot,
                    power_trick: old.power_trick,
                    embargo: old.embargo,
                    telekinesis: old.telekinesis,
                    gastro_acid: old.gastro_acid,
                    ..Volatiles::default()
                },
            )),
            "shedtail" => Some((
                Stages::default(),
                Volatiles { substitute: old.substitute, ..Volatiles::default() },
            )),
            _ => None,
        }
    }

    /// Somebody goes to the bench: what holds only in battle is gone.
    pub(super) fn leave(&mut self, who: Who) {
        let champions = self.resets_hits();
        let note = self.note_mut(who);
        let form = note.species;
        let (moves, mimic) = (note.own_moves.take(), note.mimic.take());
        *note = Note {
            species: form,
            item_changed: note.item_changed,
            came_with: note.came_with,
            status_since: note.status_since,
            before: note.before.take(),
            ..Note::default()
        };
        let one = self.of_mut(who);
        one.species = form;
        one.stages = Stages::default();
        one.volatiles = Volatiles::default();
        one.changed_types = None;
        one.added_type = None;
        one.ability = one.base_ability;
        one.transformed = false;
        one.last_move = Default::default();
        one.turns_in = 0;
        one.stall = 0;
        if champions {
            one.times_hit = 0;
        }
        if let Some(moves) = moves {
            one.moves = moves;
        }
        if let Some((slot, mimic)) = mimic
            && let Some(known) = one.moves.get_mut(slot)
        {
            *known = mimic;
        }
        self.free_those_held_by(who);
    }

    /// In Champions the hits that Rage Fist counts are forgotten on the bench (data/mods/champions/scripts).
    fn resets_hits(&self) -> bool {
        self.battle.format.gimmick == crate::format::Gimmick::MegaEvolve
    }

    fn free_those_held_by(&mut self, who: Who) {
        for held in self.standing() {
            if self.note(held).trapped_by == Some(who) {
                self.note_mut(held).trapped_by = None;
                self.of_mut(held).volatiles.trapped = false;
            }
        }
    }

    /// Which of a team comes in.
    pub(super) fn member(
        &mut self,
        side: usize,
        name: &str,
        species: SpeciesId,
        details: &Details,
    ) -> Option<usize> {
        let alike = |one: &Pokemon| self.same_base(one.base_species, species);
        let team = &self.battle.sides[side].team;
        let called = |one: &Pokemon| one.nickname == name;
        let nameless = |one: &Pokemon| one.nickname.is_empty();
        let exactly = |one: &Pokemon| nameless(one) && one.base_species == species;
        team.iter()
            .position(|one| called(one) && alike(one))
            .or_else(|| team.iter().position(exactly))
            .or_else(|| team.iter().position(|one| nameless(one) && alike(one)))
            .or_else(|| self.battle.sides[side].team.iter().position(called))
            .or_else(|| self.enlist(side, species, details))
    }

    /// Are two forms of one species?
    pub(super) fn same_base(&self, one: SpeciesId, other: SpeciesId) -> bool {
        let dex = self.battle.format.dex();
        let base = |id| dex.species(id).map(|species| species.base.as_ref().unwrap_or(&species.id));
        one == other || base(one).is_some_and(|of_one| Some(of_one) == base(other))
    }

    /// A name is taken down without copying it again and again.
    pub(super) fn is_called(&mut self, who: Who, name: &str) {
        let one = self.of_mut(who);
        if one.nickname != name {
            name.clone_into(&mut one.nickname);
        }
    }

    /// Once as many have been seen as are brought, the others stayed behind.
    pub(super) fn count_the_brought(&mut self, side: usize) {
        let side = &mut self.battle.sides[side];
        let seen = side.team.iter().filter(|one| one.revealed).count();
        if side.brought > 0 && seen >= side.brought {
            side.team.iter_mut().for_each(|one| one.left_behind = !one.revealed);
        }
    }

    /// A form; one that lasts is kept on the bench.
    pub(super) fn take_form(&mut self, who: Who, species: SpeciesId, lasts: bool) {
        if lasts {
            self.note_mut(who).species = species;
        }
        let dex = self.battle.format.dex();
        let fleetness = |id| dex.species(id).map(|facts| facts.stats[5]);
        if self.of(who).species != species {
            self.note_mut(who).stats_are_old = true;
            if fleetness(self.of(who).species) != fleetness(species) {
                self.forget_speed(who);
            }
            let one = self.of_mut(who);
            one.species = species;
            one.changed_types = None;
            one.added_type = None;
            if lasts {
                self.sole_ability(who);
            }
        }
    }

    /// Where a form has one ability alone, it is known.
    pub(super) fn sole_ability(&mut self, who: Who) {
        let dex = self.battle.format.dex();
        let one = self.of_mut(who);
        let abilities = dex.species(one.species).map_or(&[][..], |species| &species.abilities[..]);
        if let [ability] = abilities
            && let Some(ability) = dex::ability(ability)
        {
            one.ability = ability;
            one.base_ability = ability;
        }
    }

    pub(super) fn form(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        let details = Details::read(line.argument(1));
        let species = dex::species(details.species)?;
        let lasts = line.word == "detailschange";
        self.take_form(who, species, lasts);
        Some(())
    }

    pub(super) fn mega(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        self.battle.sides[who.0].gimmick_used = true;
        self.of_mut(who).mega = true;
        if let Some(stone) = dex::item(line.argument(2)) {
            self.holds(who, stone);
        }
        Some(())
    }

    pub(super) fn terastallize(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        let tera = Type::of(line.argument(1))?;
        self.battle.sides[who.0].gimmick_used = true;
        let one = self.of_mut(who);
        one.tera_type = Some(tera);
        one.terastallized = true;
        one.added_type = None;
        Some(())
    }

    /// `|-transform|p1a: Ditto|p2a: Dragonite`: form, stages, types and moves of the other.
    pub(super) fn transform(&mut self, line: &Line) -> Option<()> {
        let (who, model) = (self.who(line, 0)?, self.who(line, 1)?);
        let model = self.of(model).clone();
        let dex = self.battle.format.dex();
        let mut moves = model.moves;
        for known in &mut moves {
            // Five uses of each, or fewer if it has fewer (sim/pokemon, transformInto).
            let written = dex.a_move(known.id).map_or(5, |m| m.pp);
            known.max_pp = written.min(5);
            known.pp = known.max_pp;
        }
        let one = self.of_mut(who);
        let own_moves = std::mem::replace(&mut one.moves, moves);
        one.species = model.species;
        one.stages = model.stages;
        one.changed_types = model.changed_types;
        one.added_type = model.added_type;
        one.ability = model.ability;
        one.transformed = true;
        one.times_hit = model.times_hit;
        one.volatiles.focus_energy = model.volatiles.focus_energy;
        one.volatiles.dragon_cheer = model.volatiles.dragon_cheer;
        one.volatiles.laser_focus = model.volatiles.laser_focus;
        let note = self.note_mut(who);
        note.own_moves.get_or_insert(own_moves);
        note.ability_changed = true;
        Some(())
    }

    pub(super) fn faint(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        self.fell(who);
        Some(())
    }

    pub(super) fn fell(&mut self, who: Who) {
        let one = self.of_mut(who);
        one.hp = 0;
        one.fainted = true;
        one.terastallized = false;
        one.status = Default::default();
        one.status_turns = 0;
        let swallowed = one.volatiles.commanded;
        self.leave(who);
        let side = &mut self.battle.sides[who.0];
        for place in 0..2 {
            if side.active[place] == Some(who.1) {
                side.active[place] = None;
            }
        }
        if swallowed {
            // The one inside comes out (data/abilities of the simulator: commander).
            for one in side.team.iter_mut() {
                one.volatiles.commanding = false;
            }
        }
    }

    pub(super) fn swap(&mut self, line: &Line) -> Option<()> {
        let ident = line.who(0)?;
        let (from, to) = (ident.place?, line.argument(1).parse::<usize>().ok()?);
        if to > 1 {
            return None;
        }
        self.battle.sides[ident.side].active.swap(from, to);
        Some(())
    }

    /// `|replace|p2a: Zoroark|Zoroark, L50, M`: what was seen of the other was this one.
    pub(super) fn replace(&mut self, line: &Line) -> Option<()> {
        let Ident { side, place, name } = line.who(0)?;
        let place = place?;
        let details = Details::read(line.argument(1));
        let species = dex::species(details.species)?;
        let index = self.member(side, name, species, &details)?;
        self.unmask(side, place, index);
        let true_one = (side, index);
        self.is_called(true_one, name);
        self.take_form(true_one, species, true);
        let one = self.of_mut(true_one);
        one.level = details.level;
        one.gender = details.gender;
        self.learn_ability(true_one, dex::ability("illusion")?);
        Some(())
    }

    /// Where somebody of a side may go in disguise, how the others were is kept until they leave.
    fn remember_before(&mut self, came: Who) {
        self.note_mut(came).before = None;
        if self.disguises(came.0) {
            let before = Box::new((self.of(came).clone(), self.note(came).clone()));
            self.note_mut(came).before = Some(before);
        }
    }

    /// May somebody of a side go in disguise?
    pub(super) fn disguises(&self, side: usize) -> bool {
        self.battle.sides[side].team.iter().any(|one| self.disguised(one))
    }

    fn disguised(&self, one: &Pokemon) -> bool {
        let species = self.battle.format.dex().species(one.base_species);
        species.is_some_and(|species| species.abilities.iter().any(|a| a == "illusion"))
    }

    /// Who stands at a place is another of the team: what happened to the one it looked like happened to it.
    pub(super) fn unmask(&mut self, side: usize, place: usize, index: usize) {
        let true_one = (side, index);
        let Some(seen) = self.at(side, place).filter(|seen| *seen != true_one) else {
            self.battle.sides[side].active[place] = Some(index);
            return;
        };
        let Some(before) = self.note_mut(seen).before.take() else {
            self.leave(seen);
            self.battle.sides[side].active[place] = Some(index);
            self.of_mut(true_one).revealed = true;
            return;
        };
        let (old, old_note) = *before;
        let disguised = std::mem::replace(self.of_mut(seen), old);
        let note = std::mem::replace(self.note_mut(seen), old_note);
        let known = self.of(seen).moves.clone();
        let used = disguised.moves.iter().filter(|m| !known.iter().any(|k| k.id == m.id)).copied();
        let used: Vec<_> = used.collect();
        let own = side == self.battle.me;
        let one = self.of_mut(true_one);
        if !own {
            for known in used {
                if one.moves.len() < 4 && one.moves.iter().all(|m| m.id != known.id) {
                    one.moves.push(known);
                }
            }
            one.hp = disguised.hp;
            one.max_hp = disguised.max_hp;
            one.status = disguised.status;
            one.status_turns = disguised.status_turns;
            if disguised.item.is_known() && disguised.item != self.of(seen).item {
                self.of_mut(true_one).item = disguised.item;
                self.of_mut(true_one).former_item = disguised.former_item;
            }
        }
        let hits = disguised.times_hit.saturating_sub(self.of(seen).times_hit);
        let one = self.of_mut(true_one);
        one.revealed = true;
        one.fainted = disguised.fainted;
        one.stages = disguised.stages;
        one.volatiles = disguised.volatiles;
        one.changed_types = disguised.changed_types;
        one.added_type = disguised.added_type;
        one.last_move = disguised.last_move;
        one.turns_in = disguised.turns_in;
        one.stall = disguised.stall;
        one.times_hit = one.times_hit.saturating_add(hits);
        if disguised.terastallized {
            one.terastallized = true;
            one.tera_type = disguised.tera_type;
        }
        let form = self.note(true_one).species;
        *self.note_mut(true_one) = Note { species: form, before: None, own_moves: None, ..note };
        self.battle.sides[side].active[place] = Some(index);
    }

    /// Somebody who was seen to faint comes in again: it was another in its disguise who fell.
    fn unmask_the_fallen(&mut self, came: Who) {
        let side = came.0;
        if side == self.battle.me {
            return;
        }
        let team = &self.battle.sides[side].team;
        let fallen = team.iter().position(|one| !one.fainted && self.disguised(one));
        if let Some(index) = fallen {
            self.fell((side, index));
            self.of_mut((side, index)).revealed = true;
        }
    }
}

/// `p1` or `p2`.
pub(super) fn side_of(word: &str) -> Option<usize> {
    match word.get(..2)? {
        "p1" => Some(0),
        "p2" => Some(1),
        _ => None,
    }
}

//! Moves that are used, what they cost, and whom they hurt.

use crate::dex::{Move, MoveId, Target};
use crate::state::{HITS, Hit, KnownMove, Status};

use super::line::{Effect, Kind, Line};
use super::{Tracker, Who, a_move};

impl Tracker {
    fn facts(&self, id: MoveId) -> Option<&'static Move> {
        self.battle.format.dex().a_move(id)
    }

    /// `|move|p1a: Iron Hands|Fake Out|p2a: Gyarados`.
    pub(super) fn uses_move(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        let id = a_move(line.argument(1));
        let target = self.who(line, 2);
        // Moves that others call, and those that abilities make: Dancer, Magic Bounce.
        let cause = line.from.map(|from| (from.kind, from.id()));
        let cause = cause.as_ref().map(|(kind, id)| (*kind, id.as_str()));
        // Round calls the others who chose it, who use it as their own.
        let cause = cause.filter(|cause| *cause != (Kind::Move, "round"));
        let goes_on = matches!(cause, Some((Kind::Other, "lockedmove")));
        let chosen = cause.is_none() || goes_on;
        if chosen && !self.note(who).acted {
            self.order(who, id);
        }
        if cause.is_none() {
            self.deduce_from_move(who, id, line);
        }
        if id == a_move("round") || id == a_move("shelltrap") {
            self.order_is_upset();
        }
        self.now.begin_move(Some(who), id, target, chosen);
        self.now.made_by_ability = matches!(cause, Some((Kind::Ability, _)));
        self.now.spread = line.spread.is_some_and(|whom| whom.contains(','));
        if chosen {
            self.note_mut(who).acted = true;
            let one = self.of_mut(who);
            one.last_move = id;
            one.volatiles.glaive_rush = false;
            one.volatiles.destiny_bond = false;
            let charged = one.volatiles.two_turn == id;
            if charged {
                one.volatiles.two_turn = MoveId::UNKNOWN;
            }
            if one.volatiles.locked_move == id {
                // Until it strikes again.
                one.volatiles.locked_move = MoveId::UNKNOWN;
            } else {
                self.note_mut(who).locked_uses = 0;
            }
            // At whom it was charged shows now, and so does what Pressure cost then.
            if charged && goes_on && target.is_some_and(|target| !self.note(target).came_in) {
                let pressure = self.pressure(who, id, target, line);
                self.spend(who, id, pressure);
            }
        }
        match cause {
            None => {
                self.reveal_move(who, id);
                let pressure = self.pressure(who, id, target, line);
                self.spend(who, id, 1 + pressure);
            }
            Some((Kind::Move, "sleeptalk")) => self.reveal_move(who, id),
            Some(_) => {}
        }
        if !line.tags.still {
            self.waits_at_place(who, id);
        }
        Some(())
    }

    /// How much more a move costs because of foes with Pressure.
    fn pressure(&self, who: Who, id: MoveId, target: Option<Who>, line: &Line) -> u8 {
        let Some(facts) = self.facts(id) else { return 0 };
        let pressure = crate::dex::ability("pressure").unwrap_or_default();
        let presses = |foe: Who| {
            let one = self.of(foe);
            foe.0 != who.0 && one.ability == pressure && !one.volatiles.gastro_acid
        };
        let foes = || (0..2).filter_map(|place| self.at(1 - who.0, place));
        if line.tags.no_target || self.gas_stands() {
            return 0;
        }
        let all = match facts.target {
            Target::All | Target::AllAdjacent | Target::AllAdjacentFoes => true,
            _ => facts.is("mustpressure"),
        };
        if all {
            return foes().filter(|foe| presses(*foe)).count() as u8;
        }
        match facts.target {
            Target::FoeSide
            | Target::AllySide
            | Target::AllyTeam
            | Target::Allies
            | Target::User => 0,
            _ => u8::from(target.is_some_and(presses)),
        }
    }

    /// Wishes wait for whoever stands there.
    fn waits_at_place(&mut self, who: Who, id: MoveId) {
        let Some(facts) = self.facts(id) else { return };
        let Some(place) = self.place_of(who) else { return };
        let waits = &mut self.battle.sides[who.0].places[place];
        match facts.id.as_str() {
            "wish" if waits.wish == 0 => waits.wish = 2,
            "healingwish" | "lunardance" => waits.healing_wish = true,
            _ => {}
        }
    }

    /// Somebody is known to have a move.
    pub(super) fn reveal_move(&mut self, who: Who, id: MoveId) {
        let Some(facts) = self.facts(id) else { return };
        if facts.id == "struggle" || facts.id == "recharge" {
            return;
        }
        let uses = self.battle.format.uses(facts);
        let one = self.of_mut(who);
        if one.moves.len() < 4 && one.moves.iter().all(|known| known.id != id) {
            let uses = if one.transformed { facts.pp.min(5) } else { uses };
            one.moves.push(KnownMove { id, pp: uses, max_pp: uses });
        }
    }

    /// Uses of a move are gone.
    pub(super) fn spend(&mut self, who: Who, id: MoveId, uses: u8) {
        if let Some(known) = self.of_mut(who).moves.iter_mut().find(|known| known.id == id) {
            known.pp = known.pp.saturating_sub(uses);
        }
    }

    /// `|cant|p1a: Iron Hands|flinch`.
    pub(super) fn cannot(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        let reason = Effect::of(line.argument(1));
        let id = reason.id();
        if reason.kind == Kind::Ability {
            self.learn_ability(who, crate::dex::ability(reason.name)?);
            // Armor Tail and the like stop somebody else.
            if id.as_str() != "truant" {
                return Some(());
            }
        }
        self.note_mut(who).acted = true;
        self.note_mut(who).locked_uses = 0;
        let one = self.of_mut(who);
        one.volatiles.glaive_rush = false;
        one.volatiles.destiny_bond = false;
        one.volatiles.two_turn = MoveId::UNKNOWN;
        match id.as_str() {
            "slp" if one.status == Status::Sleep => {
                one.status_turns = one.status_turns.saturating_add(1);
            }
            "frz" if one.status == Status::Freeze => {
                one.status_turns = one.status_turns.saturating_add(1);
            }
            "recharge" => one.volatiles.must_recharge = false,
            _ => {}
        }
        if !line.argument(2).is_empty() {
            self.reveal_move(who, a_move(line.argument(2)));
        }
        Some(())
    }

    /// A move of two turns is done in one.
    pub(super) fn at_once(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        self.of_mut(who).volatiles.two_turn = MoveId::UNKNOWN;
        Some(())
    }

    pub(super) fn prepare(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        if !line.tags.premajor {
            self.of_mut(who).volatiles.two_turn = a_move(line.argument(1));
        }
        Some(())
    }

    pub(super) fn recharge(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        self.of_mut(who).volatiles.must_recharge = true;
        self.note_mut(who).recharge_rounds = 2;
        Some(())
    }

    /// Will somebody still move this turn?
    pub(super) fn will_move(&self, who: Who) -> bool {
        let note = self.note(who);
        let one = self.of(who);
        !note.acted && !note.came_in && !one.volatiles.commanding && !one.fainted
    }

    pub(super) fn failed(&mut self, line: &Line) {
        let Some(who) = self.who(line, 0) else { return };
        if self.now.mover != Some(who) {
            return;
        }
        let facts = self.facts(self.now.a_move);
        if line.word == "-fail" && facts.is_some_and(|facts| facts.stalls) {
            // Nobody acts after it: it fails without being counted (data/moves: protect, stallingMove).
            let others_act = self.standing().any(|other| other != who && self.will_move(other));
            if others_act {
                self.of_mut(who).stall = 0;
                self.note_mut(who).stall_rounds = 0;
            }
        }
    }

    pub(super) fn critical(&mut self, line: &Line) -> Option<()> {
        let who = line.who(0)?;
        self.now.critical[who.side][who.place?] = true;
        Some(())
    }

    /// `|-damage|p1a: Iron Hands|57/100`, `|-heal|…`, `|-sethp|…`.
    pub(super) fn health(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        let before = self.of(who).health();
        self.condition(who, line.argument(1))?;
        let one = self.of_mut(who);
        if one.fainted && one.hp > 0 {
            one.fainted = false;
        }
        match (line.word, line.from) {
            ("-damage", None) => self.struck(who, before),
            ("-damage", Some(from)) => self.deduce_from_damage(who, from.id().as_str()),
            ("-heal", from) => {
                self.note_mut(who).healed = true;
                if let Some(from) = from {
                    self.healed(who, from.id().as_str());
                }
            }
            _ => {}
        }
        Some(())
    }

    /// A move took health.
    fn struck(&mut self, who: Who, before: f32) {
        if self.now.mover == Some(who) || self.now.a_move == MoveId::UNKNOWN {
            // The price of Substitute and the like.
            return;
        }
        let absorbed = self
            .place_of(who)
            .map_or(0, |place| std::mem::take(&mut self.now.absorbed[who.0][place]));
        let one = self.of_mut(who);
        one.times_hit = one.times_hit.saturating_add(1).saturating_add(absorbed);
        let (share, felled) = (before - one.health(), one.hp == 0);
        let Some(attacker) = self.now.mover else { return };
        self.goes_on(attacker);
        self.strikes_with(attacker);
        let Some(place) = self.place_of(who) else { return };
        let critical = std::mem::take(&mut self.now.critical[who.0][place]);
        let strike = self.now.strikes[who.0][place];
        self.now.strikes[who.0][place] = strike.saturating_add(1);
        let hit = Hit {
            turn: self.battle.turn,
            attacker,
            target: who,
            a_move: self.now.a_move,
            strike,
            share,
            critical,
            spread: self.now.spread,
            felled,
        };
        if self.battle.hits.len() >= HITS {
            self.battle.hits.remove(0);
        }
        self.battle.hits.push(hit);
    }

    /// Outrage and the like go on by themselves for two or three turns once they strike, Rollout for five.
    pub(super) fn goes_on(&mut self, who: Who) {
        let id = self.now.a_move;
        let uses = match self.facts(id) {
            Some(facts) if facts.self_volatile.as_deref() == Some("lockedmove") => 3,
            Some(facts) if matches!(facts.id.as_str(), "rollout" | "iceball") => 5,
            _ => return,
        };
        // A second target of the same use counts once.
        if self.now.made_by_ability || self.of(who).volatiles.locked_move == id {
            return;
        }
        let note = self.note_mut(who);
        note.locked_uses += 1;
        if note.locked_uses < uses {
            note.locked_rounds = 2;
            self.of_mut(who).volatiles.locked_move = id;
        } else {
            note.locked_uses = 0;
        }
    }

    fn healed(&mut self, who: Who, by: &str) {
        let side = &mut self.battle.sides[who.0];
        let place = (0..2).find(|place| side.active[*place] == Some(who.1));
        let waits = place.map(|place| &mut side.places[place]);
        match (by, waits) {
            ("wish", Some(waits)) => waits.wish = 0,
            ("healingwish", Some(waits)) => waits.healing_wish = false,
            ("lunardance", Some(waits)) => {
                waits.healing_wish = false;
                for known in &mut self.of_mut(who).moves {
                    known.pp = known.max_pp;
                }
            }
            _ => {}
        }
    }
}

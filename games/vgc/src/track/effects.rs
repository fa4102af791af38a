//! What somebody undergoes while it is in battle.

use crate::dex::{self, Type};
use crate::state::{KnownMove, Volatiles};

use super::line::{Effect, Kind, Line};
use super::{Tracker, Who, a_move};

impl Tracker {
    /// `|-start|p1a: Iron Hands|move: Taunt`.
    pub(super) fn effect_starts(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        let effect = Effect::of(line.argument(1)).id();
        let effect = effect.as_str();
        // Who has not moved yet this turn loses a turn of it (durations: data/moves of the simulator).
        let will_move = self.will_move(who);
        let came_in_now = self.note(who).came_in;
        let part = self.now.part;
        let last_move = self.of(who).last_move;
        let psychic_noise = self.now.a_move == a_move("psychicnoise");
        let volatiles = &mut self.of_mut(who).volatiles;
        match effect {
            "confusion" => {
                volatiles.confusion = true;
                if line.tags.fatigue {
                    volatiles.locked_move = Default::default();
                }
            }
            "taunt" => volatiles.taunt = if will_move || came_in_now { 3 } else { 4 },
            "encore" => {
                volatiles.encore = if will_move { 3 } else { 4 };
                volatiles.encored = last_move;
            }
            "disable" => {
                let moving = self.now.mover == Some(who) && self.now.chosen;
                let volatiles = &mut self.of_mut(who).volatiles;
                volatiles.disable = if will_move || moving { 4 } else { 5 };
                volatiles.disabled = a_move(line.argument(2));
                let disabled = volatiles.disabled;
                self.note_mut(who).disabled_since = part;
                self.reveal_move(who, disabled);
            }
            "torment" => volatiles.torment = true,
            "healblock" => volatiles.heal_block = if psychic_noise { 2 } else { 5 },
            "throatchop" => volatiles.throat_chop = 2,
            "attract" => volatiles.attract = true,
            "leechseed" => volatiles.leech_seed = true,
            "saltcure" => volatiles.salt_cure = true,
            "syrupbomb" => volatiles.syrup_bomb = 4,
            "curse" => volatiles.curse = true,
            "nightmare" => volatiles.nightmare = true,
            "yawn" => volatiles.yawn = 2,
            "ingrain" => volatiles.ingrain = true,
            "aquaring" => volatiles.aqua_ring = true,
            "magnetrise" => volatiles.magnet_rise = 5,
            "smackdown" => {
                volatiles.smack_down = true;
                volatiles.magnet_rise = 0;
                volatiles.telekinesis = 0;
            }
            "substitute" => {
                volatiles.substitute = true;
                volatiles.partially_trapped = false;
            }
            "focusenergy" => volatiles.focus_energy = true,
            "dragoncheer" => volatiles.dragon_cheer = true,
            "laserfocus" => volatiles.laser_focus = true,
            "charge" => volatiles.charge = true,
            "imprison" => volatiles.imprison = true,
            "tarshot" => volatiles.tar_shot = true,
            "powertrick" | "powershift" => volatiles.power_trick = true,
            "flashfire" => volatiles.flash_fire = true,
            "slowstart" => volatiles.slow_start = 5,
            "noretreat" => volatiles.no_retreat = true,
            "octolock" => volatiles.octolock = true,
            "embargo" => volatiles.embargo = true,
            "telekinesis" => volatiles.telekinesis = 3,
            "typechange" => self.changes_type(who, line)?,
            "typeadd" => self.of_mut(who).added_type = Type::of(line.argument(2)),
            "futuresight" | "doomdesire" => self.future_attack(),
            "mimic" => self.copies_move(who, "mimic", line.argument(2)),
            "uproar" => {
                // It says when it ends.
                volatiles.locked_move = a_move("uproar");
                self.note_mut(who).locked_rounds = u8::MAX;
            }
            "autotomize" | "foresight" | "miracleeye" | "bide" | "dynamax" | "gmaxchistrike" => {}
            other => {
                if let Some(left) = other.strip_prefix("perish") {
                    // When the song is sung this turn is still to come.
                    let sung = u8::from(line.tags.silent);
                    volatiles.perish = left.parse::<u8>().ok()?.saturating_add(sung);
                } else if let Some(count) = other.strip_prefix("stockpile") {
                    volatiles.stockpile = count.parse().ok()?;
                } else if let Some(count) = other.strip_prefix("fallen") {
                    volatiles.supreme_overlord = count.parse().ok()?;
                } else if let Some(stat) =
                    other.strip_prefix("protosynthesis").or(other.strip_prefix("quarkdrive"))
                {
                    volatiles.paradox_boost = super::stat(stat)? as u8 + 1;
                } else {
                    return None;
                }
            }
        }
        Some(())
    }

    fn changes_type(&mut self, who: Who, line: &Line) -> Option<()> {
        let types = match line.argument(2) {
            // Reflect Type names whose types it takes.
            "" => {
                let model = self.find(line.of?)?;
                let types = self.of(model).types(self.battle.format);
                [types.first().copied(), types.get(1).copied()]
            }
            types => {
                let mut types = types.split('/').map(Type::of);
                [types.next().flatten(), types.next().flatten()]
            }
        };
        let one = self.of_mut(who);
        one.changed_types = Some(types);
        one.added_type = None;
        one.volatiles.type_change = true;
        Some(())
    }

    /// Mimic becomes the move it copies until its user leaves, Sketch for good; with the uses as written.
    fn copies_move(&mut self, who: Who, copier: &str, name: &str) {
        let (copier, copied) = (a_move(copier), a_move(name));
        let uses = self.battle.format.dex().a_move(copied).map_or(0, |facts| facts.pp);
        let one = self.of_mut(who);
        let Some(slot) = one.moves.iter().position(|known| known.id == copier) else { return };
        let copied = KnownMove { id: copied, pp: uses, max_pp: uses };
        let before = std::mem::replace(&mut one.moves[slot], copied);
        if copier == a_move("mimic") {
            self.note_mut(who).mimic.get_or_insert((slot, before));
        }
    }

    /// It will strike the place that the move was aimed at, at the end of the turn after the next.
    fn future_attack(&mut self) {
        if let Some(target) = self.now.target {
            let side = &mut self.battle.sides[target.0];
            for place in 0..2 {
                if side.active[place] == Some(target.1) {
                    side.places[place].future_attack = 3;
                }
            }
        }
    }

    /// `|-end|p1a: Iron Hands|move: Taunt`.
    pub(super) fn effect_ends(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        let effect = Effect::of(line.argument(1));
        let id = effect.id();
        let volatiles = &mut self.of_mut(who).volatiles;
        if line.tags.partially_trapped {
            if id.as_str() == "octolock" {
                volatiles.octolock = false;
            } else {
                volatiles.partially_trapped = false;
            }
            return Some(());
        }
        match id.as_str() {
            "confusion" => volatiles.confusion = false,
            "taunt" => volatiles.taunt = 0,
            "encore" => {
                volatiles.encore = 0;
                volatiles.encored = Default::default();
            }
            "disable" => {
                volatiles.disable = 0;
                volatiles.disabled = Default::default();
            }
            "torment" => volatiles.torment = false,
            "healblock" => volatiles.heal_block = 0,
            "throatchop" => volatiles.throat_chop = 0,
            "attract" => volatiles.attract = false,
            "leechseed" => volatiles.leech_seed = false,
            "saltcure" => volatiles.salt_cure = false,
            "syrupbomb" => volatiles.syrup_bomb = 0,
            "curse" => volatiles.curse = false,
            "nightmare" => volatiles.nightmare = false,
            "yawn" => volatiles.yawn = 0,
            "ingrain" => volatiles.ingrain = false,
            "aquaring" => volatiles.aqua_ring = false,
            "magnetrise" => volatiles.magnet_rise = 0,
            "substitute" => {
                volatiles.substitute = false;
                self.substitute_struck(who);
            }
            "focusenergy" => volatiles.focus_energy = false,
            "laserfocus" => volatiles.laser_focus = false,
            "charge" => volatiles.charge = false,
            "stockpile" => volatiles.stockpile = 0,
            "imprison" => volatiles.imprison = false,
            "powertrick" | "powershift" => volatiles.power_trick = false,
            "flashfire" => volatiles.flash_fire = false,
            "slowstart" => volatiles.slow_start = 0,
            "octolock" => volatiles.octolock = false,
            "embargo" => volatiles.embargo = false,
            "telekinesis" => volatiles.telekinesis = 0,
            "protosynthesis" | "quarkdrive" => volatiles.paradox_boost = 0,
            "typechange" => {
                volatiles.type_change = false;
                self.of_mut(who).changed_types = None;
            }
            "futuresight" | "doomdesire" => {
                self.future_strikes(who, id.as_str());
            }
            "neutralizinggas" => {
                if effect.kind == Kind::Ability {
                    self.learn_ability(who, dex::ability("neutralizinggas")?);
                }
            }
            "uproar" => volatiles.locked_move = Default::default(),
            "illusion" | "bide" | "dynamax" | "skydrop" => {}
            other if other.starts_with("fallen") => volatiles.supreme_overlord = 0,
            // What holds somebody in a whirl ends by the name of the move.
            _ => volatiles.partially_trapped = false,
        }
        Some(())
    }

    /// An attack of two turns ago strikes: who made it may be gone.
    fn future_strikes(&mut self, target: Who, id: &str) {
        let side = &mut self.battle.sides[target.0];
        for place in 0..2 {
            if side.active[place] == Some(target.1) {
                side.places[place].future_attack = 0;
            }
        }
        self.now.begin_move(None, a_move(id), None, false);
        let volatiles = &mut self.of_mut(target).volatiles;
        volatiles.protect = false;
        volatiles.endure = false;
    }

    /// `|-singleturn|p1a: Iron Hands|Protect`.
    pub(super) fn single_turn(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        let effect = Effect::of(line.argument(1)).id();
        let last = self.now.a_move;
        let silk_trap = last == a_move("silktrap");
        let conditions = &mut self.battle.sides[who.0].conditions;
        match effect.as_str() {
            "wideguard" => conditions.wide_guard = true,
            "quickguard" => conditions.quick_guard = true,
            "craftyshield" => conditions.crafty_shield = true,
            "matblock" => conditions.mat_block = true,
            _ => {}
        }
        let volatiles = &mut self.of_mut(who).volatiles;
        match effect.as_str() {
            "protect" | "maxguard" => {
                volatiles.protect = true;
                volatiles.silk_trap = silk_trap;
            }
            "endure" => volatiles.endure = true,
            "followme" | "ragepowder" | "spotlight" => volatiles.follow_me = true,
            "helpinghand" => volatiles.helping_hand = true,
            "roost" => volatiles.roost = true,
            "electrify" => volatiles.electrified = true,
            "powder" => volatiles.powder = true,
            _ => {}
        }
        if let "protect" | "maxguard" | "endure" | "wideguard" | "quickguard" = effect.as_str() {
            self.stalled(who);
        }
        Some(())
    }

    /// One more protecting move in a row has worked: the next is the likelier to fail.
    fn stalled(&mut self, who: Who) {
        // The chance falls by thirds to 1 in 729 (data/conditions of the simulator: stall).
        self.of_mut(who).stall = (self.of(who).stall + 1).min(6);
        self.note_mut(who).stall_rounds = 2;
    }

    pub(super) fn single_move(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        let effect = Effect::of(line.argument(1)).id();
        let volatiles = &mut self.of_mut(who).volatiles;
        match effect.as_str() {
            "destinybond" => volatiles.destiny_bond = true,
            "glaiverush" => volatiles.glaive_rush = true,
            _ => {}
        }
        Some(())
    }

    /// `|-activate|p1a: Iron Hands|…`: what has no line of its own.
    pub(super) fn activates(&mut self, line: &Line) -> Option<()> {
        let Some(who) = self.who(line, 0) else {
            // Some activate nobody.
            return line.argument(0).is_empty().then_some(());
        };
        let effect = Effect::of(line.argument(1));
        let id = effect.id();
        match effect.kind {
            Kind::Ability => return self.ability_activates(who, id.as_str(), line),
            Kind::Item => return self.item_activates(who, effect.name, line),
            Kind::Move | Kind::Other => {}
        }
        match id.as_str() {
            "trapped" => {
                self.of_mut(who).volatiles.trapped = true;
                let mover = self.now.mover;
                let by = if mover == Some(who) { self.now.target } else { mover };
                self.note_mut(who).trapped_by = by;
            }
            "skillswap" => self.swap_abilities(who, line)?,
            "spite" | "eeriespell" | "gmaxdepletion" => {
                let id = a_move(line.argument(2));
                let lost: u8 = line.argument(3).parse().unwrap_or(0);
                self.reveal_move(who, id);
                self.spend(who, id, lost);
            }
            "grudge" => {
                let id = a_move(line.argument(2));
                self.spend(who, id, u8::MAX);
            }
            "sketch" => self.copies_move(who, "sketch", line.argument(2)),
            "poltergeist" => {
                if let Some(item) = dex::item(line.argument(2)) {
                    self.holds(who, item);
                }
            }
            "feint" => self.unprotected(who),
            "powder" => self.of_mut(who).volatiles.powder = false,
            "substitute" => self.substitute_struck(who),
            "orichalcumpulse" => self.learn_ability(who, dex::ability("orichalcumpulse")?),
            // Guard Split, Power Split, Speed Swap: stats of one's own come with the next request.
            "guardsplit" | "powersplit" => {}
            "speedswap" => {
                self.note_mut(who).speed_changed = true;
                if let Some(other) = line.of.and_then(|of| self.find(of)) {
                    self.note_mut(other).speed_changed = true;
                }
            }
            "afteryou" | "quash" => self.order_is_upset(),
            name if is_binding(name) => {
                self.of_mut(who).volatiles.partially_trapped = true;
            }
            // A move that breaks through protection ends it.
            _ if line.tags.broken => self.unprotected(who),
            _ => {}
        }
        Some(())
    }

    /// A substitute counts as a target for moves that go on by themselves.
    fn substitute_struck(&mut self, who: Who) {
        if let Some(attacker) = self.now.mover.filter(|mover| *mover != who) {
            if let Some(place) = self.place_of(who) {
                self.now.absorbed[who.0][place] += 1;
            }
            self.goes_on(attacker);
        }
    }

    fn unprotected(&mut self, who: Who) {
        let Volatiles { protect, silk_trap, .. } = &mut self.of_mut(who).volatiles;
        *protect = false;
        *silk_trap = false;
        let conditions = &mut self.battle.sides[who.0].conditions;
        conditions.wide_guard = false;
        conditions.quick_guard = false;
        conditions.crafty_shield = false;
        conditions.mat_block = false;
        self.of_mut(who).stall = 0;
        self.note_mut(who).stall_rounds = 0;
    }

    pub(super) fn blocks(&mut self, line: &Line) -> Option<()> {
        let who = self.who(line, 0)?;
        let effect = Effect::of(line.argument(1));
        let holder = line.of.and_then(|of| self.find(of)).unwrap_or(who);
        match effect.kind {
            Kind::Ability => self.learn_ability(holder, dex::ability(effect.name)?),
            Kind::Item => self.holds(who, dex::item(effect.name)?),
            Kind::Move | Kind::Other => {}
        }
        Some(())
    }

    /// Minimize and Defense Curl are remembered beside the stages they give.
    pub(super) fn curled_up(&mut self, who: Who, stat: usize) {
        if self.now.mover != Some(who) {
            return;
        }
        let (minimize, curl) = (a_move("minimize"), a_move("defensecurl"));
        let used = self.now.a_move;
        let volatiles = &mut self.of_mut(who).volatiles;
        volatiles.minimize |= used == minimize && stat == 6;
        volatiles.defense_curl |= used == curl && stat == 1;
    }
}

/// Moves that hold their target for some turns and hurt it.
fn is_binding(id: &str) -> bool {
    matches!(
        id,
        "bind"
            | "clamp"
            | "firespin"
            | "infestation"
            | "magmastorm"
            | "sandtomb"
            | "snaptrap"
            | "thundercage"
            | "whirlpool"
            | "wrap"
            | "gmaxcentiferno"
            | "gmaxsandblast"
    )
}

//! The server's scripted fighter, the baseline.

use super::chance::Chance;
use super::combat::{can_cast, method};
use super::equip::wear;
use super::supplies::{self, RANGING, SUPER_COMBAT, SUPER_RESTORE};
use super::timers::Timer;
use super::{Fight, other, pray};
use crate::formula::{self, Swing};
use crate::gear::items::{ANGLERFISH, COOKED_KARAMBWAN, GRANITE_MAUL, SHARK};
use crate::kinds::{Column, Prayer, Prayers, Rules, Skill, Spell, Style};
use crate::loadout::Set;

impl Fight {
    /// One turn of the script for `who`.
    pub(super) fn script<C: Chance>(&mut self, who: usize, chance: &mut C) {
        // What it held when the turn began decides whether it may boost itself at the end.
        let held = method(&self.fighters[who]);
        if self.fighters[who].attacked {
            if self.refusal(who, held).is_some() {
                self.fighters[who].attacked = false;
                return;
            }
            self.script_fights(who, chance);
        } else {
            self.fighters[who].prayers = Prayers::default();
        }
        let hp = self.fighters[who].hp();
        if hp <= 0 {
            return;
        }
        if hp < 30 {
            self.script_eats(who, hp);
        }
        if self.refusal(who, held).is_none() {
            self.script_boosts(who);
        }
    }

    fn script_fights<C: Chance>(&mut self, who: usize, chance: &mut C) {
        let foe = other(who);
        if chance.overhead(who) {
            let prayer = self.script_overhead(who);
            pray::activate(&mut self.fighters[who], prayer);
        }
        let ready = self.fighters[who].timers.left(Timer::Attack) <= 1;
        let free = !self.fighters[who].frozen();
        if ready
            && free
            && self.foe_left(who) <= 59
            && self.fighters[who].energy >= 50
            && !self.fighters[foe].prayers.has(Prayer::ProtectMelee)
        {
            let set = self.loadouts[who].spec;
            self.script_switches(who, Style::Melee, &set);
            let fighter = &mut self.fighters[who];
            fighter.cast = None;
            fighter.special |= fighter.special_cost().is_some();
            fighter.mauls += u8::from(fighter.wielded() == Some(GRANITE_MAUL));
            fighter.engage();
            return;
        }
        if self.fighters[who].timers.left(Timer::Attack) > 2
            && self.fighters[who].path.is_empty()
            && self.fighters[foe].frozen()
            && self.fighters[who].at.distance(self.fighters[foe].at) == 1
            && self.reaches(foe, method(&self.fighters[foe]))
        {
            let (dx, dy) = [(-3, 0), (3, 0), (0, 3)][chance.aside(who)];
            let fighter = &mut self.fighters[who];
            if !fighter.frozen() {
                fighter.path.walk(fighter.at, fighter.at.offset(dx, dy));
            }
            return;
        }
        let fighter = &mut self.fighters[who];
        if fighter.level(Skill::Prayer) < 50
            && let Some(slot) = SUPER_RESTORE.fullest(fighter)
        {
            supplies::drink(fighter, SUPER_RESTORE, slot);
            return;
        }
        let target = &self.fighters[foe];
        if ready
            && !target.frozen()
            && !target.timers.running(Timer::Immunity)
            && self.can_barrage(who)
        {
            self.script_casts(who);
        } else if ready {
            self.script_swaps(who);
        }
    }

    /// The prayer against what the other holds now; asking about a swordsman's reach moves him.
    fn script_overhead(&mut self, who: usize) -> Prayer {
        let foe = other(who);
        let method = method(&self.fighters[foe]);
        match method.style() {
            Style::Melee if self.reaches(foe, method) => Prayer::ProtectMelee,
            Style::Ranged => Prayer::ProtectMissiles,
            _ => Prayer::ProtectMagic,
        }
    }

    /// Level, book and runes allow ice barrage.
    fn can_barrage(&self, who: usize) -> bool {
        can_cast(&self.fighters[who], Spell::IceBarrage)
    }

    /// Life of the other after what is about to land.
    fn foe_left(&self, who: usize) -> i16 {
        let foe = &self.fighters[other(who)];
        foe.hp() - foe.queue.soon()
    }

    fn script_switches(&mut self, who: usize, style: Style, set: &Set) {
        let prayers = self.loadouts[who].offensive(style);
        pray::activate_all(&mut self.fighters[who], prayers);
        wear(&mut self.fighters[who], set);
    }

    fn script_casts(&mut self, who: usize) {
        let set = self.loadouts[who].mage;
        self.script_switches(who, Style::Magic, &set);
        self.fighters[who].cast = Some(Spell::IceBarrage);
        self.fighters[who].engage();
    }

    /// The style with the lowest defence roll; what is protected from counts less. It believes in an
    /// accuracy and a damage that it never looks up.
    fn script_swaps(&mut self, who: usize) {
        let target = &self.fighters[other(who)];
        let mut best: Option<(f32, Style)> = None;
        for style in [Style::Magic, Style::Ranged, Style::Melee] {
            let possible = match style {
                Style::Magic => self.can_barrage(who),
                Style::Ranged => true,
                Style::Melee => !self.fighters[who].frozen() && self.foe_left(who) <= 45,
            };
            if !possible {
                continue;
            }
            let mut sheet = target.sheet();
            sheet.worn.mode.column = Column::Slash;
            sheet.worn.special = None;
            let rolls = formula::rolls(Rules::Server2024, &sheet, &sheet, Swing::plain(style));
            let damage = if target.protects(style) { 84.0 } else { 120.0 };
            let worth =
                formula::server_chance(9_999_999, rolls.defence) * damage * (1000.0f32 / 2400.0);
            if worth > best.map_or(0.0, |(worth, _)| worth) {
                best = Some((worth, style));
            }
        }
        let Some((_, style)) = best else { return };
        match style {
            Style::Magic => self.script_casts(who),
            Style::Ranged => {
                let set = self.loadouts[who].ranged;
                self.script_switches(who, style, &set);
                let fighter = &mut self.fighters[who];
                fighter.cast = None;
                fighter.special = false;
                fighter.engage();
            }
            Style::Melee => {
                let set = self.loadouts[who].melee;
                self.script_switches(who, style, &set);
                self.fighters[who].cast = None;
                self.fighters[who].engage();
            }
        }
    }

    /// What the script does when it is hit: it eats by what the damage will leave.
    pub(super) fn flinch(&mut self, who: usize, damage: i16) {
        let left = self.fighters[who].hp() - damage;
        if left > 0 {
            self.script_eats(who, left);
        }
    }

    /// Eats if `left` is 65 % or less of its life, and a karambwan on top of other food.
    fn script_eats(&mut self, who: usize, left: i16) {
        let fighter = &mut self.fighters[who];
        if f32::from(left) > f32::from(fighter.max_hp()) * 65.0 / 100.0 {
            return;
        }
        let order = [SHARK, COOKED_KARAMBWAN, ANGLERFISH];
        let Some(slot) = order.into_iter().find_map(|kind| fighter.find(kind)) else { return };
        let karambwan = fighter.inventory[slot] == Some(COOKED_KARAMBWAN);
        supplies::eat(fighter, slot);
        if !karambwan && let Some(slot) = fighter.find(COOKED_KARAMBWAN) {
            supplies::eat(fighter, slot);
        }
    }

    /// An anglerfish whenever life is not above full, then potions for what is not boosted.
    fn script_boosts(&mut self, who: usize) {
        let fighter = &mut self.fighters[who];
        let boosted =
            |fighter: &super::Fighter, skill| fighter.level(skill) > fighter.max_level(skill);
        if !boosted(fighter, Skill::Hitpoints)
            && let Some(slot) = fighter.find(ANGLERFISH)
        {
            supplies::eat(fighter, slot);
        } else if !boosted(fighter, Skill::Ranged)
            && let Some(slot) = RANGING.fullest(fighter)
        {
            supplies::drink(fighter, RANGING, slot);
        } else if !boosted(fighter, Skill::Strength)
            && let Some(slot) = SUPER_COMBAT.fullest(fighter)
        {
            supplies::drink(fighter, SUPER_COMBAT, slot);
        }
    }

    /// Before it is attacked the script strolls about now and then.
    pub(super) fn stroll<C: Chance>(&mut self, who: usize, chance: &mut C) {
        let fighter = &self.fighters[who];
        if fighter.frozen() || fighter.attacking || fighter.attacked || fighter.moving {
            return;
        }
        if let Some((dx, dy)) = chance.stroll(who) {
            let fighter = &mut self.fighters[who];
            fighter.path.walk(fighter.at, fighter.home.offset(dx, dy));
        }
    }
}

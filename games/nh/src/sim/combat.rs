//! Attacks: what is done with what, whether it may be, and what happens when a hit arrives.

use super::chance::Chance;
use super::fighter::{Bleed, Fighter, Poison};
use super::hits::{After, Hit, Splat};
use super::timers::Timer;
use super::{Fight, other};
use crate::formula::{self, SACRIFICE_TICKS, Special, Swing};
use crate::gear::items::{
    ABYSSAL_TENTACLE, AMULET_OF_BLOOD_FURY, DRAGON_DAGGER_POISONED, GRANITE_MAUL, RUNE_POUCH,
};
use crate::gear::{Kind, Slot};
use crate::kinds::{Prayer, Prayers, Skill, Spell, Spellbook, Style};

/// The weapons that poison, and how badly.
const POISONOUS: [(Kind, i16); 2] = [(DRAGON_DAGGER_POISONED, 6), (ABYSSAL_TENTACLE, 12)];

/// What a fighter attacks with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A spell.
    Cast(Spell),
    /// The special attack of the wielded weapon.
    Special(Kind),
    /// A bow, a crossbow or something thrown.
    Shoot,
    /// Anything else.
    Swing,
}

/// Why an attack is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// One of them is dead.
    Over,
    /// The spell cannot be cast.
    Spell,
    /// Too little special energy.
    Energy,
}

/// One attack, as the dice need to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attack {
    /// What it is done with.
    pub method: Method,
    /// Granite maul specials in one blow.
    pub mauls: u8,
}

impl Method {
    /// The style of its hits.
    pub fn style(self) -> Style {
        match self {
            Self::Cast(_) => Style::Magic,
            Self::Special(kind) => kind.item().weapon.map_or(Style::Melee, |w| w.style),
            Self::Shoot => Style::Ranged,
            Self::Swing => Style::Melee,
        }
    }

    /// From how many tiles away it works.
    pub fn reach(self, fighter: &Fighter) -> i16 {
        match self.style() {
            Style::Melee => 1,
            Style::Magic => 10,
            Style::Ranged => fighter.weapon.map_or(6, |weapon| i16::from(weapon.range)),
        }
    }

    /// The attack in the words of the formulas.
    pub fn swing(self, mauls: u8) -> Swing {
        match self {
            Self::Cast(spell) => Swing::cast(spell),
            Self::Special(_) => Swing { times: mauls.max(1), ..Swing::special(self.style()) },
            Self::Shoot | Self::Swing => Swing::plain(self.style()),
        }
    }
}

/// What `fighter` would attack with now.
pub fn method(fighter: &Fighter) -> Method {
    if let Some(spell) = fighter.cast {
        return Method::Cast(spell);
    }
    if let (Some(kind), Some(_)) = (fighter.wielded(), fighter.special_cost())
        && (fighter.special || (fighter.mauls > 0 && kind == GRANITE_MAUL))
    {
        return Method::Special(kind);
    }
    match fighter.weapon {
        Some(weapon) if weapon.style == Style::Ranged => Method::Shoot,
        _ => Method::Swing,
    }
}

/// Does the fighter know the spell and its level?
pub fn knows(fighter: &Fighter, spell: Spell) -> bool {
    fighter.book == Spellbook::Ancient && fighter.level(Skill::Magic) >= spell.level()
}

/// Can the fighter cast it, runes included?
pub fn can_cast(fighter: &Fighter, spell: Spell) -> bool {
    knows(fighter, spell) && fighter.find(RUNE_POUCH).is_some()
}

impl Fight {
    /// The part of a tick in which hits arrive at `who` and `who` attacks.
    pub(super) fn fight<C: Chance>(&mut self, who: usize, chance: &mut C) {
        self.receive(who, chance);
        self.attack(who, chance);
        self.fighters[who].mauls = 0;
    }

    fn attack<C: Chance>(&mut self, who: usize, chance: &mut C) {
        if !self.fighters[who].attacking {
            return;
        }
        let method = method(&self.fighters[who]);
        self.fighters[who].following = true;
        if !self.reaches(who, method) {
            return;
        }
        let maul = method == Method::Special(GRANITE_MAUL);
        if !maul && self.fighters[who].timers.running(Timer::Attack) {
            return;
        }
        if let Some(refusal) = self.refusal(who, method) {
            let fighter = &mut self.fighters[who];
            if refusal == Refusal::Energy {
                fighter.special = false;
            }
            if refusal != Refusal::Spell {
                fighter.disengage();
            }
            return;
        }
        self.strike(who, method, chance);
        let fighter = &mut self.fighters[who];
        if !maul {
            fighter.timers.set(Timer::Attack, speed(fighter, method));
        }
        fighter.special = false;
    }

    /// Why the attack is impossible, if it is. A mage who lacks the level or the runes lets go.
    pub(super) fn refusal(&mut self, who: usize, method: Method) -> Option<Refusal> {
        if self.fighters.iter().any(|fighter| fighter.hp() <= 0) {
            return Some(Refusal::Over);
        }
        let fighter = &mut self.fighters[who];
        if let Method::Cast(spell) = method {
            // The spell may have been dropped since the method was looked up.
            if fighter.cast.is_none() {
                return Some(Refusal::Spell);
            }
            if fighter.level(Skill::Magic) < spell.level() {
                fighter.disengage();
                return Some(Refusal::Spell);
            }
            if !can_cast(fighter, spell) {
                fighter.cast = None;
                fighter.disengage();
                return Some(Refusal::Spell);
            }
        }
        let short = fighter.special_cost().is_some_and(|cost| fighter.energy < cost);
        (fighter.special && short).then_some(Refusal::Energy)
    }

    fn strike<C: Chance>(&mut self, who: usize, method: Method, chance: &mut C) {
        let foe = other(who);
        let distance = self.fighters[who].at.distance(self.fighters[foe].at);
        let mauls = if method == Method::Special(GRANITE_MAUL) {
            self.fighters[who].mauls.max(1)
        } else {
            0
        };
        if let Method::Special(_) = method {
            let cost = self.fighters[who].special_cost().unwrap_or(0);
            for _ in 0..mauls.max(1) {
                self.fighters[who].spend(cost);
            }
        }
        let strike = chance.strike(self, who, Attack { method, mauls });
        for (index, rolled) in strike.hits[..usize::from(strike.count)].iter().enumerate() {
            let hit = Hit {
                style: method.style(),
                damage: rolled.damage,
                splats: rolled.splats,
                accurate: rolled.accurate,
                delay: delay(&self.fighters[who], method, distance, index),
                after: after(method),
            };
            if let Method::Cast(spell) = method
                && hit.accurate
            {
                self.enchant(who, spell, hit.total());
            }
            if self.fighters[foe].hp() > 0 {
                let speed = speed(&self.fighters[who], method);
                self.fighters[foe].queue.send(hit);
                self.notice(who, &hit, speed);
            }
        }
        let fighter = &mut self.fighters[who];
        if let Method::Cast(spell) = method {
            fighter.cast = None;
            fighter.previous = Some(spell);
        }
        if method.style() == Style::Magic {
            fighter.disengage();
            fighter.stop();
        }
    }

    /// What an accurate spell does at once: ice holds, blood heals.
    fn enchant(&mut self, who: usize, spell: Spell, damage: i16) {
        match spell {
            Spell::IceRush => self.hold(who, 8),
            Spell::IceBurst => self.hold(who, 16),
            Spell::IceBlitz => self.hold(who, 24),
            Spell::IceBarrage => self.hold(who, 32),
            _ => {
                let zuriel = self.fighters[who].gear.zuriel;
                let heal = formula::blood_heal(self.rules, spell, zuriel, i32::from(damage));
                self.heal(who, heal as i16);
            }
        }
    }

    fn hold(&mut self, by: usize, ticks: i32) {
        self.fighters[other(by)].freeze(ticks);
    }

    /// Life that `who` gains from its attacks.
    pub(super) fn heal(&mut self, who: usize, amount: i16) {
        let healed = self.fighters[who].heal(amount);
        self.reports[who].healed += healed;
    }

    /// Hits arrive at `who`, and up to two splats are shown.
    fn receive<C: Chance>(&mut self, who: usize, chance: &mut C) {
        if self.fighters[who].hp() <= 0 {
            self.fighters[who].queue.clear();
            return;
        }
        if self.fighters[other(who)].hp() <= 0 {
            self.fighters[who].queue.drop_hits();
        }
        let mut looked = 0;
        while let Some(hit) = self.fighters[who].queue.arrive(&mut looked) {
            self.land(who, hit, chance);
        }
        for shown in 0..2 {
            let Some(damage) = self.fighters[who].queue.show() else { break };
            let fighter = &mut self.fighters[who];
            let damage = if fighter.hp() <= 0 { 0 } else { damage.clamp(0, fighter.hp()) };
            fighter.set_hp(fighter.hp() - damage);
            fighter.splats[shown] = Some(Splat { damage });
        }
    }

    fn land<C: Chance>(&mut self, who: usize, hit: Hit, chance: &mut C) {
        let by = other(who);
        let damage = hit.total();
        if hit.accurate {
            self.redeem(who, damage);
            if self.fighters[by].prayers.has(Prayer::Smite) {
                let points = &mut self.fighters[who].levels[Skill::Prayer as usize];
                *points = (*points - damage / 4).max(0);
            }
        }
        if hit.style != Style::Magic || hit.accurate {
            for &splat in &hit.damage[..usize::from(hit.splats)] {
                self.fighters[who].queue.wait(splat);
            }
        }
        self.after(who, &hit);
        if damage > 0 {
            self.poison(who, &hit, chance);
            let fury = self.fighters[by].worn[Slot::Neck as usize] == Some(AMULET_OF_BLOOD_FURY);
            if hit.style == Style::Melee && fury && chance.blood_fury(by) {
                self.heal(by, (f64::from(damage) * 0.30).floor() as i16);
            }
            let reflected = (f64::from(damage) * 0.75) as i16;
            if self.fighters[who].vengeance && reflected > 0 {
                self.fighters[who].vengeance = false;
                self.hurt(who, reflected);
            }
        }
        let fighter = &mut self.fighters[who];
        if !fighter.attacking && fighter.retaliates && !fighter.moving {
            fighter.retaliate = true;
        }
        fighter.attacked = true;
        if fighter.retaliates {
            self.flinch(who, damage);
        }
    }

    /// Damage that `by` deals to the other without an attack.
    pub(super) fn hurt(&mut self, by: usize, damage: i16) {
        self.fighters[other(by)].queue.wait(damage);
        self.reports[by].extra += damage;
    }

    fn redeem(&mut self, who: usize, damage: i16) {
        let fighter = &mut self.fighters[who];
        let left = fighter.hp() - damage;
        if fighter.prayers.has(Prayer::Redemption) && left > 0 && left <= fighter.max_hp() / 10 {
            let heal = (f64::from(fighter.max_level(Skill::Prayer)) * 0.25) as i16;
            fighter.levels[Skill::Prayer as usize] = 0;
            fighter.prayers = Prayers::default();
            self.heal(who, heal);
        }
    }

    fn after(&mut self, who: usize, hit: &Hit) {
        let fighter = &mut self.fighters[who];
        match hit.after {
            After::Nothing => {}
            After::Smash => {
                if hit.accurate && hit.total() > 0 {
                    let defence = &mut fighter.levels[Skill::Defence as usize];
                    *defence = formula::drained_defence(*defence);
                }
            }
            After::Bleed => {
                if let Some(place) = fighter.bleeds.iter_mut().find(|bleed| !bleed.open) {
                    *place = Bleed { left: hit.total(), age: 0, open: true };
                }
            }
            After::Sacrifice => {
                if hit.accurate
                    && let Some(place) = fighter.sacrifices.iter_mut().find(|mark| **mark == 0)
                {
                    *place = SACRIFICE_TICKS;
                }
            }
            After::Bind => {
                if fighter.hp() > 0 {
                    fighter.freeze(8);
                }
            }
        }
    }

    fn poison<C: Chance>(&mut self, who: usize, hit: &Hit, chance: &mut C) {
        let by = other(who);
        if hit.style != Style::Melee || self.fighters[who].poison.damage > 0 {
            return;
        }
        let wielded = self.fighters[by].wielded();
        let Some(&(_, damage)) = POISONOUS.iter().find(|(kind, _)| wielded == Some(*kind)) else {
            return;
        };
        if chance.poison(by) {
            self.fighters[who].poison = Poison { damage, bites: 0, wait: 30 };
        }
    }
}

/// Ticks until the next attack after one with this method; bare hands strike every four.
pub fn speed(fighter: &Fighter, method: Method) -> i32 {
    match (&fighter.weapon, method) {
        (_, Method::Cast(_)) => 5,
        (Some(weapon), _) => {
            i32::from(formula::attack_speed(fighter.rules, weapon, method.swing(1)))
        }
        (None, _) => 4,
    }
}

fn delay(fighter: &Fighter, method: Method, distance: i16, index: usize) -> i16 {
    let distance = i32::from(distance);
    match (&fighter.weapon, method) {
        (Some(weapon), _) => {
            formula::hit_delay(fighter.rules, weapon, method.swing(1), distance, index) as i16
        }
        // Spells need no weapon.
        (None, Method::Cast(_)) => (1 + (1 + distance) / 3) as i16,
        (None, _) => 0,
    }
}

fn after(method: Method) -> After {
    let Method::Special(kind) = method else { return After::Nothing };
    match Special::of(kind) {
        Some(Special::StatiusWarhammer) => After::Smash,
        Some(Special::MorriganJavelin) => After::Bleed,
        Some(Special::AncientGodsword) => After::Sacrifice,
        Some(Special::Tentacle) => After::Bind,
        _ => After::Nothing,
    }
}

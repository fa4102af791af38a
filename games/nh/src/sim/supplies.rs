//! Eating and drinking.

use super::fighter::Fighter;
use super::timers::Timer;
use crate::gear::items::*;
use crate::gear::{ITEMS, Kind};
use crate::kinds::{Rules, Skill};

/// A potion by its doses, one dose first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Potion(pub [Kind; 4]);

impl Potion {
    /// Doses carried.
    pub fn doses(self, fighter: &Fighter) -> usize {
        let each = fighter.inventory.iter().flatten();
        each.filter_map(|kind| self.0.iter().position(|dose| dose == kind)).map(|d| d + 1).sum()
    }

    /// The slot a player drinks from: the emptiest potion.
    pub fn emptiest(self, fighter: &Fighter) -> Option<usize> {
        self.0.iter().find_map(|&dose| fighter.find(dose))
    }

    /// The slot the script drinks from: the fullest potion.
    pub fn fullest(self, fighter: &Fighter) -> Option<usize> {
        self.0.iter().rev().find_map(|&dose| fighter.find(dose))
    }
}

/// What a fighter has left to eat and drink, counted in one pass: observations, masks and terms all
/// ask, at every tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pantry {
    /// Doses of brew, restore, combat and ranging potions, as the contract orders them.
    pub doses: [u8; 4],
    /// Anglerfish.
    pub anglerfish: u8,
    /// Sharks.
    pub sharks: u8,
    /// Karambwans.
    pub karambwans: u8,
}

/// The potions in the order of the contract.
pub const POTIONS: [Potion; 4] = [BREW, SUPER_RESTORE, SUPER_COMBAT, RANGING];

/// By kind of item: the counter it adds to and by how much. The last counter is for everything else.
const SHELVES: [(u8, u8); ITEMS.len()] = {
    let mut shelves = [(7, 0); ITEMS.len()];
    let mut potion = 0;
    while potion < 4 {
        let mut dose = 0;
        while dose < 4 {
            shelves[POTIONS[potion].0[dose].index()] = (potion as u8, dose as u8 + 1);
            dose += 1;
        }
        potion += 1;
    }
    shelves[ANGLERFISH.index()] = (4, 1);
    shelves[SHARK.index()] = (5, 1);
    shelves[COOKED_KARAMBWAN.index()] = (6, 1);
    shelves
};

impl Pantry {
    /// What a fighter carries.
    pub fn of(fighter: &Fighter) -> Self {
        let mut counts = [0; 8];
        for kind in fighter.inventory.iter().flatten() {
            let (shelf, amount) = SHELVES[kind.index()];
            counts[usize::from(shelf)] += amount;
        }
        let [brew, restore, combat, ranging, anglerfish, sharks, karambwans, _] = counts;
        Self { doses: [brew, restore, combat, ranging], anglerfish, sharks, karambwans }
    }

    /// Is the food that is eaten first an anglerfish? Sharks come first.
    pub fn eats_anglerfish(&self) -> bool {
        self.sharks == 0 && self.anglerfish > 0
    }
}

/// Attack, strength and defence.
pub const SUPER_COMBAT: Potion =
    Potion([SUPER_COMBAT_1, SUPER_COMBAT_2, SUPER_COMBAT_3, SUPER_COMBAT_4]);
/// Ranged.
pub const RANGING: Potion =
    Potion([RANGING_POTION_1, RANGING_POTION_2, RANGING_POTION_3, RANGING_POTION_4]);
/// Prayer and every lowered level.
pub const SUPER_RESTORE: Potion =
    Potion([SUPER_RESTORE_1, SUPER_RESTORE_2, SUPER_RESTORE_3, SUPER_RESTORE_4]);
/// Life and defence, at the cost of everything else.
pub const BREW: Potion =
    Potion([SARADOMIN_BREW_1, SARADOMIN_BREW_2, SARADOMIN_BREW_3, SARADOMIN_BREW_4]);

/// Life that an anglerfish gives at this level.
pub fn anglerfish_heal(max_hp: i16) -> i16 {
    let constant = match max_hp {
        93.. => 13,
        75.. => 8,
        50.. => 6,
        25.. => 4,
        _ => 2,
    };
    (max_hp / 10 + constant).min(22)
}

/// Life that a dose of brew gives at this level: 2 and three twentieths.
pub fn brew_heal(max_hp: i16) -> i16 {
    2 + max_hp * 3 / 20
}

/// Defence that a dose of brew gives at this level: 2 and a fifth.
pub fn brew_defence(max: i16) -> i16 {
    2 + max / 5
}

/// What a super combat potion adds at this level: 5 and three twentieths.
pub fn combat_boost(max: i16) -> i16 {
    5 + max * 3 / 20
}

/// What a ranging potion adds at this level: 4 and a tenth.
pub fn ranging_boost(max: i16) -> i16 {
    4 + max / 10
}

/// The food that is eaten first; karambwans are not food here.
pub fn food(fighter: &Fighter) -> Option<usize> {
    fighter.find(SHARK).or_else(|| fighter.find(ANGLERFISH))
}

/// Eats what lies in an inventory slot, if its timer allows. Any food delays the next attack:
/// karambwans by two ticks, others by three, counted from when the attack was or will be ready.
pub fn eat(fighter: &mut Fighter, slot: usize) {
    let Some(kind) = fighter.inventory[slot] else { return };
    let karambwan = kind == COOKED_KARAMBWAN;
    let timer = if karambwan { Timer::Karambwan } else { Timer::Food };
    if fighter.timers.running(timer) {
        return;
    }
    fighter.timers.extend(Timer::Food, 3);
    if karambwan {
        fighter.timers.set(Timer::Karambwan, 3);
        fighter.timers.set(Timer::Potion, 3);
    }
    let ready = fighter.timers.uncapped(Timer::Attack) + if karambwan { 2 } else { 3 };
    if ready > 0 {
        fighter.timers.set(Timer::Attack, ready);
    }
    fighter.inventory[slot] = None;

    let (mut heal, mut cap) = (if karambwan { 18 } else { 20 }, fighter.max_hp());
    if kind == ANGLERFISH {
        heal = anglerfish_heal(fighter.max_hp());
        cap += heal;
    }
    fighter.set_hp(fighter.hp() + heal.min(cap - fighter.hp()).max(0));
}

/// Drinks a dose from an inventory slot, if the timer allows. Drinking ends an attack.
pub fn drink(fighter: &mut Fighter, potion: Potion, slot: usize) {
    if fighter.timers.running(Timer::Potion) {
        return;
    }
    fighter.timers.set(Timer::Potion, 3);
    fighter.timers.set(Timer::Food, 3);
    fighter.disengage();
    let dose = potion.0.iter().position(|&kind| fighter.inventory[slot] == Some(kind));
    fighter.inventory[slot] = match dose {
        Some(left) if left > 0 => Some(potion.0[left - 1]),
        _ => Some(VIAL),
    };
    if potion == BREW {
        sip_brew(fighter);
    } else if potion == SUPER_RESTORE {
        sip_restore(fighter);
    } else if potion == SUPER_COMBAT {
        for skill in [Skill::Attack, Skill::Strength, Skill::Defence] {
            boost(fighter, skill, combat_boost(fighter.max_level(skill)));
        }
    } else {
        boost(fighter, Skill::Ranged, ranging_boost(fighter.max_level(Skill::Ranged)));
    }
}

/// Raises a level by `amount`, at most to that much above its maximum.
fn boost(fighter: &mut Fighter, skill: Skill, amount: i16) {
    let cap = fighter.max_level(skill) + amount;
    if fighter.level(skill) < cap {
        fighter.levels[skill as usize] = (fighter.level(skill) + amount).min(cap);
    }
}

fn sip_brew(fighter: &mut Fighter) {
    boost(fighter, Skill::Defence, brew_defence(fighter.max_level(Skill::Defence)));
    boost(fighter, Skill::Hitpoints, brew_heal(fighter.max_hp()));
    for skill in [Skill::Attack, Skill::Strength, Skill::Magic, Skill::Ranged] {
        // The server of 2024 drains attack by its maximum, the others by what is left of them.
        let server = fighter.rules == Rules::Server2024 && skill == Skill::Attack;
        let of = if server { fighter.max_level(skill) } else { fighter.level(skill) };
        let drained = of / 10 + 2;
        fighter.levels[skill as usize] = (fighter.level(skill) - drained).max(0);
    }
}

fn sip_restore(fighter: &mut Fighter) {
    for skill in
        [Skill::Prayer, Skill::Attack, Skill::Defence, Skill::Strength, Skill::Ranged, Skill::Magic]
    {
        let max = fighter.max_level(skill);
        if fighter.level(skill) < max {
            fighter.levels[skill as usize] = (fighter.level(skill) + 8 + max / 4).min(max);
        }
    }
}

//! What an agent's choices do, in the order of the contract: prayer, food, potion, karambwan, gear,
//! vengeance, attack, movement.

use super::chance::Chance;
use super::combat::knows;
use super::equip::change;
use super::fighter::Fighter;
use super::path::Tile;
use super::pray;
use super::report::Meal;
use super::supplies::{self, BREW, RANGING, SUPER_COMBAT, SUPER_RESTORE};
use super::timers::Timer;
use super::{Action, Fight};
use crate::gear::items::{ANGLERFISH, COOKED_KARAMBWAN, GRANITE_MAUL};
use crate::kinds::{Prayer, Skill, Spell, Spellbook, Style};

/// Ice spells, strongest first.
const ICE: [Spell; 4] = [Spell::IceBarrage, Spell::IceBlitz, Spell::IceBurst, Spell::IceRush];
/// Magic level that vengeance asks for.
const VENGEANCE_LEVEL: i16 = 94;
/// Blood spells, strongest first.
const BLOOD: [Spell; 4] =
    [Spell::BloodBarrage, Spell::BloodBlitz, Spell::BloodBurst, Spell::BloodRush];

impl Fight {
    /// Does what an agent chose for `who`. What is impossible is left out.
    pub(super) fn act<C: Chance>(&mut self, who: usize, action: Action, chance: &mut C) {
        let [
            attack,
            melee,
            ranged,
            magic,
            potion,
            food,
            karambwan,
            vengeance,
            gear,
            step,
            far,
            prayer,
        ] = action;
        self.choose_prayer(who, prayer);
        if food == 1 {
            self.eat_food(who);
        }
        self.choose_potion(who, potion);
        if karambwan == 1
            && let Some(slot) = self.fighters[who].find(COOKED_KARAMBWAN)
        {
            self.eat(who, slot);
        }
        if gear == 1 {
            self.tank(who);
        }
        if vengeance == 1 {
            avenge(&mut self.fighters[who]);
        }
        match attack {
            1 => self.choose_magic(who, magic),
            2 => self.choose_ranged(who, ranged),
            3 => self.choose_melee(who, melee),
            _ => {}
        }
        self.choose_step(who, step, far, chance);
    }

    fn choose_prayer(&mut self, who: usize, choice: u8) {
        let prayer = match choice {
            1 => Prayer::ProtectMagic,
            2 => Prayer::ProtectMissiles,
            3 => Prayer::ProtectMelee,
            4 => Prayer::Smite,
            5 => Prayer::Redemption,
            _ => return,
        };
        pray::activate(&mut self.fighters[who], prayer);
    }

    fn eat_food(&mut self, who: usize) {
        if let Some(slot) = supplies::food(&self.fighters[who]) {
            self.eat(who, slot);
        }
    }

    fn eat(&mut self, who: usize, slot: usize) {
        let fighter = &mut self.fighters[who];
        let kind = fighter.inventory[slot];
        // The report knows an anglerfish by its healing at 99.
        let heal = match kind {
            Some(COOKED_KARAMBWAN) => 18,
            Some(ANGLERFISH) => 22,
            _ => 20,
        };
        let over = if kind == Some(ANGLERFISH) { heal } else { 0 };
        let meal = meal(fighter, heal, fighter.max_hp() + over);
        supplies::eat(fighter, slot);
        let report = self.reports[who].food.get_or_insert_default();
        report.heal += meal.heal;
        report.wasted += meal.wasted;
        (report.at, report.to) = (meal.at, meal.to);
    }

    fn choose_potion(&mut self, who: usize, choice: u8) {
        let potion = match choice {
            1 => BREW,
            2 => SUPER_RESTORE,
            3 => SUPER_COMBAT,
            4 => RANGING,
            _ => return,
        };
        let fighter = &mut self.fighters[who];
        let Some(slot) = potion.emptiest(fighter) else { return };
        if potion == BREW {
            let heal = supplies::brew_heal(fighter.max_hp());
            self.reports[who].brew = Some(meal(fighter, heal, fighter.max_hp() + heal));
        }
        supplies::drink(fighter, potion, slot);
    }

    fn tank(&mut self, who: usize) {
        let (fighter, loadout) = (&mut self.fighters[who], &self.loadouts[who]);
        change(fighter, &loadout.tank);
        pray::activate_all(fighter, loadout.offensive(Style::Magic));
    }

    fn choose_magic(&mut self, who: usize, choice: u8) {
        let (fighter, loadout) = (&mut self.fighters[who], &self.loadouts[who]);
        change(fighter, &loadout.mage);
        pray::activate_all(fighter, loadout.offensive(Style::Magic));
        let strongest = |spells: [Spell; 4]| {
            spells.into_iter().find(|&s| knows(fighter, s)).or(Some(spells[3]))
        };
        match choice {
            1 => {
                fighter.cast = strongest(ICE);
                fighter.special = false;
            }
            2 => {
                fighter.cast = strongest(BLOOD);
                fighter.special = false;
            }
            3 => {
                fighter.cast = None;
                fighter.special |= fighter.special_cost().is_some();
            }
            _ => return,
        }
        fighter.engage();
    }

    fn choose_ranged(&mut self, who: usize, choice: u8) {
        let (fighter, loadout) = (&mut self.fighters[who], &self.loadouts[who]);
        change(fighter, &loadout.ranged);
        fighter.cast = None;
        pray::activate_all(fighter, loadout.offensive(Style::Ranged));
        match choice {
            1 => fighter.special = false,
            2 => fighter.special |= fighter.special_cost().is_some(),
            _ => return,
        }
        fighter.engage();
    }

    fn choose_melee(&mut self, who: usize, choice: u8) {
        let (fighter, loadout) = (&mut self.fighters[who], &self.loadouts[who]);
        pray::activate_all(fighter, loadout.offensive(Style::Melee));
        fighter.cast = None;
        match choice {
            1 => {
                change(fighter, &loadout.melee);
                fighter.special = false;
            }
            2 => {
                change(fighter, &loadout.spec);
                if loadout.spec.contains(&GRANITE_MAUL) {
                    queue_mauls(fighter);
                } else {
                    fighter.special |= fighter.special_cost().is_some();
                }
            }
            _ => return,
        }
        fighter.engage();
    }

    fn choose_step<C: Chance>(&mut self, who: usize, choice: u8, far: u8, chance: &mut C) {
        let seen = self.memories[who].seen;
        let to = match choice {
            1 => self.nearest(who, sides(seen).into_iter(), chance),
            2 => Some(seen),
            3 => self.nearest(who, seen.ring(i16::from(far) + 1), chance),
            4 => self.nearest(who, corners(seen).into_iter(), chance),
            _ => return,
        };
        let Some(to) = to else { return };
        let fighter = &mut self.fighters[who];
        if choice != 2 && fighter.at == to {
            return;
        }
        fighter.stop();
        fighter.cast = None;
        fighter.disengage();
        self.go(who, to);
    }

    /// Of these tiles around the other, the nearest; chance picks among equally near ones.
    fn nearest<C: Chance>(
        &self,
        who: usize,
        tiles: impl Iterator<Item = Tile> + Clone,
        chance: &mut C,
    ) -> Option<Tile> {
        let at = self.fighters[who].at;
        let open = tiles.filter(|tile| tile.wilderness());
        let distance = open.clone().map(|tile| at.distance(tile)).min()?;
        // As many as the farthest ring has, at seven tiles.
        let mut equal = [Tile::default(); 56];
        let mut count = 0;
        for tile in open.filter(|tile| at.distance(*tile) == distance) {
            equal[count] = tile;
            count += 1;
        }
        Some(if count == 1 { equal[0] } else { chance.tile(who, &equal[..count]) })
    }
}

fn meal(fighter: &Fighter, heal: i16, cap: i16) -> Meal {
    let at = fighter.hp();
    Meal { heal, wasted: (at + heal - cap).max(0), at, to: (at + heal).min(cap) }
}

/// The four tiles beside one.
pub fn sides(tile: Tile) -> [Tile; 4] {
    [(0, 1), (1, 0), (0, -1), (-1, 0)].map(|(dx, dy)| tile.offset(dx, dy))
}

/// The four tiles at the corners of one.
pub fn corners(tile: Tile) -> [Tile; 4] {
    [(1, 1), (1, -1), (-1, -1), (-1, 1)].map(|(dx, dy)| tile.offset(dx, dy))
}

/// As many granite maul specials as energy allows. Each click also flips the special attack.
fn queue_mauls(fighter: &mut Fighter) {
    let Some(cost) = fighter.special_cost() else { return };
    for _ in 0..fighter.energy / cost {
        let maul = fighter.wielded() == Some(GRANITE_MAUL);
        if maul && fighter.energy >= cost * i16::from(fighter.mauls + 1) {
            fighter.mauls += 1;
        }
        fighter.special = !fighter.special;
    }
}

/// Casts vengeance, if it may be. Who lacks the magic level lets go of the other.
fn avenge(fighter: &mut Fighter) {
    if fighter.level(Skill::Magic) < VENGEANCE_LEVEL || fighter.book != Spellbook::Lunar {
        fighter.disengage();
        return;
    }
    if fighter.max_level(Skill::Defence) >= 40
        && !fighter.vengeance
        && !fighter.timers.running(Timer::Vengeance)
    {
        fighter.vengeance = true;
        fighter.timers.set(Timer::Vengeance, 50);
    }
}

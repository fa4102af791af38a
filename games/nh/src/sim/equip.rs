//! Changing gear.

use super::fighter::Fighter;
use crate::gear::items::GRANITE_MAUL;
use crate::gear::{Kind, Slot};
use crate::loadout::Set;

/// Puts on the item in an inventory slot. What it replaces takes its place in the inventory. A
/// two-handed weapon needs room for the shield it drives out.
pub fn equip(fighter: &mut Fighter, from: usize) {
    let Some(kind) = fighter.inventory[from] else { return };
    let Some(slot) = kind.item().slot else { return };
    if fighter.hp() <= 0 {
        return;
    }
    let current = fighter.worn[slot as usize];
    let shield = fighter.worn[Slot::Shield as usize];
    if current == Some(kind) && kind.item().stackable {
        fighter.inventory[from] = None;
    } else if slot == Slot::Weapon && kind.item().two_handed {
        if shield.is_some() && current.is_some() && fighter.vacancy().is_none() {
            return;
        }
        fighter.worn[Slot::Shield as usize] = None;
        fighter.worn[Slot::Weapon as usize] = Some(kind);
        fighter.inventory[from] = current;
        if let Some(shield) = shield {
            add(fighter, shield);
        }
    } else if slot == Slot::Shield && fighter.wielded().is_some_and(|w| w.item().two_handed) {
        fighter.inventory[from] = fighter.worn[Slot::Weapon as usize].take();
        fighter.worn[Slot::Shield as usize] = Some(kind);
        fighter.special = false;
    } else {
        fighter.worn[slot as usize] = Some(kind);
        match current {
            // The same kind is carried already: the replaced item goes to the first free slot.
            Some(old) if fighter.find(old).is_some() => {
                if let Some(first) = fighter.find(kind) {
                    fighter.inventory[first] = None;
                }
                add(fighter, old);
            }
            _ => fighter.inventory[from] = current,
        }
    }
    if slot == Slot::Weapon {
        fighter.special = false;
    }
    fighter.refresh();
    // The one weapon that may be drawn without ending the attack.
    if fighter.wielded() != Some(GRANITE_MAUL) {
        fighter.disengage();
    }
}

/// Takes off what is worn in a slot, if there is room for it.
pub fn unequip(fighter: &mut Fighter, slot: usize) {
    let Some(kind) = fighter.worn[slot] else { return };
    if fighter.vacancy().is_none() {
        return;
    }
    fighter.worn[slot] = None;
    add(fighter, kind);
    if slot == Slot::Weapon as usize {
        fighter.special = false;
    }
    fighter.refresh();
}

fn add(fighter: &mut Fighter, kind: Kind) {
    if kind.item().stackable && fighter.find(kind).is_some() {
        return;
    }
    if let Some(slot) = fighter.vacancy() {
        fighter.inventory[slot] = Some(kind);
    }
}

/// Puts on everything of a set that is carried, in the order of its list.
pub fn wear(fighter: &mut Fighter, set: &Set) {
    for &kind in set.iter() {
        if let Some(slot) = fighter.find(kind) {
            equip(fighter, slot);
        }
    }
}

/// Puts on a set and takes off everything else, as agents do.
pub fn change(fighter: &mut Fighter, set: &Set) {
    wear(fighter, set);
    for slot in 0..fighter.worn.len() {
        if fighter.worn[slot].is_some_and(|kind| !set.contains(&kind)) {
            unequip(fighter, slot);
        }
    }
}

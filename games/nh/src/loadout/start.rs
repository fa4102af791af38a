//! What a fighter wears and carries when the fight begins.

use super::{CARRIED, List, Loadout, Set};
use crate::gear::items::{
    ANGLERFISH, COOKED_KARAMBWAN, RUNE_POUCH, SARADOMIN_BREW_4, SHARK, SUPER_RESTORE_4,
};
use crate::gear::{Kind, SLOTS};

/// Worn and carried items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// By slot number.
    pub worn: [Option<Kind>; SLOTS],
    /// In order. Stackable items stand for ten thousand of them.
    pub inventory: [Option<Kind>; CARRIED],
}

/// Restores that the scripted opponent keeps.
const RESTORES_OF_BASELINE: usize = 2;

impl Loadout {
    /// How an agent starts: in the mage set, or in the ranged set where there is none, with the other
    /// sets, the stock and as much food as still fits.
    pub fn start(&self) -> Start {
        let (wearing, rest): (&Set, &[&Set]) = if self.mage.is_empty() {
            (&self.ranged, &[&self.melee, &self.spec])
        } else {
            (&self.mage, &[&self.ranged, &self.melee, &self.spec])
        };
        let mut carried = List::<CARRIED>::EMPTY;
        for &item in rest.iter().flat_map(|set| set.iter()) {
            if !wearing.contains(&item) && !carried.contains(&item) {
                carried.push(item);
            }
        }
        for &item in self.stock.iter() {
            carried.push(item);
        }
        while carried.len() < CARRIED {
            carried.push(self.food);
        }
        Start { worn: dress(wearing), inventory: sorted(&carried) }
    }

    /// How the scripted opponent starts: it does not know brews, so it has anglerfish instead of them
    /// and of the restores that brews call for.
    pub fn baseline_start(&self) -> Start {
        let mut start = self.start();
        let mut restores = 0;
        for item in start.inventory.iter_mut().flatten() {
            if *item == SUPER_RESTORE_4 {
                restores += 1;
            }
            if *item == SARADOMIN_BREW_4
                || (*item == SUPER_RESTORE_4 && restores > RESTORES_OF_BASELINE)
            {
                *item = ANGLERFISH;
            }
        }
        start
    }
}

/// Puts a set on, in list order: of two items for one slot the later one stays.
fn dress(set: &Set) -> [Option<Kind>; SLOTS] {
    let mut worn = [None; SLOTS];
    for &item in set.iter() {
        if let Some(slot) = item.item().slot {
            worn[slot as usize] = Some(item);
        }
    }
    worn
}

/// Gear, food, potions, rune pouch; as they were within each.
fn sorted(carried: &List<CARRIED>) -> [Option<Kind>; CARRIED] {
    let mut inventory = [None; CARRIED];
    let by_shelf = (0..4).flat_map(|wanted| carried.iter().filter(move |k| shelf(**k) == wanted));
    for (place, item) in inventory.iter_mut().zip(by_shelf) {
        *place = Some(*item);
    }
    inventory
}

fn shelf(item: Kind) -> u8 {
    match item {
        _ if item.item().slot.is_some() => 0,
        SHARK | ANGLERFISH | COOKED_KARAMBWAN => 1,
        RUNE_POUCH => 3,
        _ => 2,
    }
}

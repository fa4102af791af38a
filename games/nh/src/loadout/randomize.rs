//! Randomised gear: steps that are drawn one after another and change a loadout when they fire.

use super::java::Random;
use super::{Loadout, Set, steps};
use crate::gear::items::{SARADOMIN_BREW_4, SUPER_RESTORE_4};
use crate::gear::{Kind, Slot};
use crate::kinds::Spellbook;

/// A list of the loadout that a step changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Mage,
    Ranged,
    Melee,
    Spec,
    Stock,
}

/// What happens when a step fires.
#[derive(Clone, Copy, Debug)]
pub(super) enum Effect {
    /// In these lists the second item takes the place of the first.
    Swap(&'static [Which], Kind, Kind),
    /// These sets wear the item in its slot; a two-handed weapon leaves no shield.
    Wear(&'static [Which], Kind),
    /// The effects follow on heads.
    Coin(&'static [Effect]),
    /// The stock has none of the item.
    Without(Kind),
    /// The stock has a number of the item below the bound.
    Count(Kind, u16),
    /// The first, full potion becomes one of the four.
    Doses([Kind; 4]),
    /// Up to eight brews, and restores to match.
    ManyBrews,
    /// Up to two brews, and restores to match.
    FewBrews,
    /// This food fills the inventory.
    Fill(Kind),
    /// Vengeance instead of ice and blood.
    Lunar,
    /// No spells to attack with.
    NoMage,
}

/// One draw and its consequence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Is it skipped, draw and all, when the step before it fired or was skipped for that reason?
    or: bool,
    bound: u16,
    first: u16,
    last: u16,
    effects: &'static [Effect],
}

impl Step {
    /// Fires once in `bound` times.
    pub(super) const fn one_in(bound: u16, effects: &'static [Effect]) -> Self {
        Self { or: false, bound, first: 1, last: 1, effects }
    }

    /// Fires `share` times in a hundred.
    pub(super) const fn percent(share: u16, effects: &'static [Effect]) -> Self {
        Self { or: false, bound: 100, first: 0, last: share - 1, effects }
    }

    /// [`Step::one_in`], unless the chain before it fired.
    pub(super) const fn or_one_in(bound: u16, effects: &'static [Effect]) -> Self {
        Self { or: true, ..Self::one_in(bound, effects) }
    }

    /// [`Step::percent`], unless the chain before it fired.
    pub(super) const fn or_percent(share: u16, effects: &'static [Effect]) -> Self {
        Self { or: true, ..Self::percent(share, effects) }
    }
}

/// Draws every step of the loadout's build.
pub(super) fn randomize(loadout: &mut Loadout, random: &mut Random) {
    let mut fired = false;
    for step in steps::of(loadout.build) {
        if step.or && fired {
            continue;
        }
        let drawn = random.next_int(step.bound);
        fired = (step.first..=step.last).contains(&drawn);
        if fired {
            apply(loadout, step.effects, random);
        }
    }
    // Only now: steps that touch the mage set draw for it even where it is of no use.
    if loadout.spellbook == Spellbook::Lunar {
        loadout.mage.clear();
    }
}

fn apply(loadout: &mut Loadout, effects: &[Effect], random: &mut Random) {
    for effect in effects {
        match *effect {
            Effect::Swap(lists, from, to) => {
                choose_the_only(random);
                for &which in lists {
                    swap(list(loadout, which), from, to);
                }
            }
            Effect::Wear(lists, item) => {
                for &which in lists {
                    if let Some(set) = set(loadout, which) {
                        wear(set, item, random);
                    }
                }
            }
            Effect::Coin(effects) => {
                if random.next_int(2) == 1 {
                    apply(loadout, effects, random);
                }
            }
            Effect::Without(item) => stock(loadout, item, 0),
            Effect::Count(item, bound) => stock(loadout, item, random.next_int(bound)),
            Effect::Doses(potions) => {
                let potion = potions[usize::from(random.next_int(4))];
                choose_the_only(random);
                swap(&mut loadout.stock, potions[0], potion);
            }
            Effect::ManyBrews => {
                let brews = random.next_int(9);
                stock(loadout, SARADOMIN_BREW_4, brews);
                stock(loadout, SUPER_RESTORE_4, (brews / 2 + 1).max(2));
            }
            Effect::FewBrews => {
                let brews = random.next_int(3);
                let restores = brews.div_ceil(2) + random.next_int(2);
                stock(loadout, SARADOMIN_BREW_4, brews);
                stock(loadout, SUPER_RESTORE_4, restores);
            }
            Effect::Fill(food) => loadout.food = food,
            Effect::Lunar => loadout.spellbook = Spellbook::Lunar,
            Effect::NoMage => loadout.mage.clear(),
        }
    }
}

/// The server picks every replacement from a list, also from a list of one: that takes a draw.
fn choose_the_only(random: &mut Random) {
    random.next_int(1);
}

fn list(loadout: &mut Loadout, which: Which) -> &mut [Kind] {
    match which {
        Which::Mage => &mut loadout.mage,
        Which::Ranged => &mut loadout.ranged,
        Which::Melee => &mut loadout.melee,
        Which::Spec => &mut loadout.spec,
        Which::Stock => &mut loadout.stock,
    }
}

fn set(loadout: &mut Loadout, which: Which) -> Option<&mut Set> {
    match which {
        Which::Mage => Some(&mut loadout.mage),
        Which::Ranged => Some(&mut loadout.ranged),
        Which::Melee => Some(&mut loadout.melee),
        Which::Spec => Some(&mut loadout.spec),
        Which::Stock => None,
    }
}

fn swap(list: &mut [Kind], from: Kind, to: Kind) {
    for held in list {
        if *held == from {
            *held = to;
        }
    }
}

fn wear(set: &mut Set, item: Kind, random: &mut Random) {
    let Some(slot) = item.item().slot else { return };
    match set.in_slot(slot) {
        Some(old) => {
            choose_the_only(random);
            swap(set, old, item);
        }
        None => set.push(item),
    }
    if item.item().two_handed
        && let Some(shield) = set.in_slot(Slot::Shield)
    {
        choose_the_only(random);
        set.remove(shield);
    }
}

/// Makes the stock hold `wanted` of an item: the first ones go, new ones come last.
fn stock(loadout: &mut Loadout, item: Kind, wanted: u16) {
    let held = loadout.stock.count(item);
    for _ in usize::from(wanted)..held {
        loadout.stock.remove(item);
    }
    for _ in held..usize::from(wanted) {
        loadout.stock.push(item);
    }
}

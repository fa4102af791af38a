//! What a fighter's worn items add up to.

use super::{Bolts, Special};
use crate::gear::items::{
    DHAROKS_GREATAXE, DHAROKS_HELM, DHAROKS_PLATEBODY, DHAROKS_PLATELEGS, GHRAZI_RAPIER,
    SEERS_RING_I, ZARYTE_CROSSBOW, ZURIELS_STAFF,
};
use crate::gear::{Bonuses, Kind, MAGIC_DAMAGE, SLOTS, STRENGTH, Slot, Weapon, WeaponClass};
use crate::kinds::{Column, Rules, Stance, Style};

const DHAROK: [(Slot, Kind); 4] = [
    (Slot::Head, DHAROKS_HELM),
    (Slot::Weapon, DHAROKS_GREATAXE),
    (Slot::Body, DHAROKS_PLATEBODY),
    (Slot::Legs, DHAROKS_PLATELEGS),
];

/// The mode of a weapon: what it attacks with and the invisible levels it adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// The bonus of a blow. Missiles and spells have a column of their own.
    pub column: Column,
    /// Invisible levels of accuracy.
    pub attack: i8,
    /// Invisible levels of damage.
    pub strength: i8,
    /// Invisible levels of defence: 3 in defensive modes, which no fight of the contract uses.
    pub defence: i8,
}

impl Mode {
    /// A kick, the aggressive mode without a weapon.
    const UNARMED: Self = Self { column: Column::Crush, attack: 0, strength: 3, defence: 0 };

    /// The mode in which a weapon is wielded.
    pub const fn of(weapon: &Weapon) -> Self {
        let (attack, strength) = match (weapon.style, weapon.stance) {
            (Style::Ranged, Stance::Accurate) => (3, 3),
            // Rapid missiles gain a tick instead.
            (Style::Ranged, Stance::Aggressive) => (0, 0),
            (_, Stance::Accurate) => (3, 0),
            (_, Stance::Aggressive) => (0, 3),
        };
        Self { column: weapon.column, attack, strength, defence: 0 }
    }
}

/// What the worn items add up to; to be made anew when one of them changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worn {
    /// The sums of the bonuses.
    pub bonuses: Bonuses,
    /// Magic damage in tenths of a percent, for today's rules.
    pub magic_tenths: i16,
    /// The weapon's mode.
    pub mode: Mode,
    /// The weapon's special attack.
    pub special: Option<Special>,
    /// Enchanted bolts, when a crossbow shoots them.
    pub bolts: Option<Bolts>,
    /// A Zaryte crossbow makes more of enchanted bolts.
    pub zaryte: bool,
    /// Zuriel's staff makes more of ancient spells.
    pub zuriel: bool,
    /// All four of Dharok's items: damage grows with wounds.
    pub dharok: bool,
}

impl Worn {
    /// Sums up what lies in the slots.
    ///
    /// Thrown weapons ignore the ammunition altogether. Under [`Rules::Live`] two items of the table,
    /// which holds whole percents and the recorded server's numbers, are put right: the Seers ring (i)
    /// adds 0.5 % of magic damage, and the Ghrazi rapier has 94 stab and 89 strength, not 100 and 93.
    pub fn of(rules: Rules, slots: &[Option<Kind>; SLOTS]) -> Self {
        let wielded = slots[Slot::Weapon as usize];
        let weapon = wielded.and_then(|kind| kind.item().weapon.as_ref());
        let class = weapon.map(|weapon| weapon.class);
        let thrown = matches!(class, Some(WeaponClass::Knife | WeaponClass::Javelin));
        let mut bonuses: Bonuses = [0; 14];
        for (slot, kind) in slots.iter().enumerate() {
            let Some(kind) = kind else { continue };
            if thrown && slot == Slot::Ammo as usize {
                continue;
            }
            for (sum, bonus) in bonuses.iter_mut().zip(kind.item().bonuses) {
                *sum += bonus;
            }
        }
        let holds = |slot: Slot, kind: Kind| slots[slot as usize] == Some(kind);
        let mut magic_tenths = 10 * bonuses[MAGIC_DAMAGE];
        if rules == Rules::Live {
            if holds(Slot::Ring, SEERS_RING_I) {
                magic_tenths += 5;
            }
            if holds(Slot::Weapon, GHRAZI_RAPIER) {
                bonuses[Column::Stab as usize] -= 6;
                bonuses[STRENGTH] -= 4;
            }
        }
        let ammo = slots[Slot::Ammo as usize].filter(|_| class == Some(WeaponClass::Crossbow));
        Self {
            bonuses,
            magic_tenths,
            mode: weapon.map_or(Mode::UNARMED, Mode::of),
            special: wielded.and_then(Special::of),
            bolts: ammo.and_then(Bolts::of),
            zaryte: holds(Slot::Weapon, ZARYTE_CROSSBOW),
            zuriel: holds(Slot::Weapon, ZURIELS_STAFF),
            dharok: DHAROK.iter().all(|&(slot, kind)| holds(slot, kind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gear::items::{DIAMOND_BOLTS_E, DRAGON_KNIFE, KODAI_WAND, OPAL_DRAGON_BOLTS_E};
    use crate::gear::{ITEMS, RANGED_STRENGTH};

    fn slots(items: &[(Slot, Kind)]) -> [Option<Kind>; SLOTS] {
        let mut slots = [None; SLOTS];
        for &(slot, kind) in items {
            slots[slot as usize] = Some(kind);
        }
        slots
    }

    #[test]
    fn thrown_weapons_ignore_the_ammunition() {
        let bolts = (Slot::Ammo, OPAL_DRAGON_BOLTS_E);
        let crossbow =
            Worn::of(Rules::Server2024, &slots(&[(Slot::Weapon, ZARYTE_CROSSBOW), bolts]));
        assert_eq!(crossbow.bonuses[RANGED_STRENGTH], 122);
        assert_eq!((crossbow.bolts, crossbow.zaryte), (Some(Bolts::Opal), true));
        let knife = Worn::of(Rules::Server2024, &slots(&[(Slot::Weapon, DRAGON_KNIFE), bolts]));
        let alone = Worn::of(Rules::Server2024, &slots(&[(Slot::Weapon, DRAGON_KNIFE)]));
        assert_eq!(knife, alone);
    }

    #[test]
    fn bolts_take_effect_only_from_a_crossbow() {
        let staff = slots(&[(Slot::Weapon, KODAI_WAND), (Slot::Ammo, DIAMOND_BOLTS_E)]);
        assert_eq!(Worn::of(Rules::Live, &staff).bolts, None);
    }

    #[test]
    fn all_four_items_make_a_dharok() {
        let mut worn = slots(&DHAROK);
        assert!(Worn::of(Rules::Live, &worn).dharok);
        worn[Slot::Legs as usize] = None;
        assert!(!Worn::of(Rules::Live, &worn).dharok);
    }

    #[test]
    fn today_two_items_differ() {
        for item in ITEMS.iter().filter(|item| item.slot.is_some()) {
            let kind = Kind::known(item.id);
            let worn = slots(&[(item.slot.unwrap(), kind)]);
            let server = Worn::of(Rules::Server2024, &worn);
            let differs = server != Worn::of(Rules::Live, &worn);
            assert_eq!(differs, [SEERS_RING_I, GHRAZI_RAPIER].contains(&kind), "{}", item.name);
        }
    }

    #[test]
    fn every_special_of_the_table_is_known() {
        for item in ITEMS {
            let special = item.weapon.and_then(|weapon| weapon.special);
            assert_eq!(
                special.is_some(),
                Special::of(Kind::known(item.id)).is_some(),
                "{}",
                item.name
            );
        }
    }
}

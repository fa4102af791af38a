//! Items: what is worn, wielded, eaten and drunk.

pub mod items;
mod table;

use std::num::NonZeroU8;

use crate::kinds::{Column, Stance, Style};

/// Numbers of the bonuses of an item, in order: attack by [`Column`] (5), defence by [`Column`] in the
/// same order (5), melee strength, ranged strength, magic damage in whole percent, prayer.
///
/// The tables of the game order columns stab, slash, crush, magic, ranged; so does [`Column`].
pub type Bonuses = [i16; 14];

/// Index of the first defence bonus.
pub const DEFENCE: usize = 5;
/// Index of the melee strength bonus.
pub const STRENGTH: usize = 10;
/// Index of the ranged strength bonus.
pub const RANGED_STRENGTH: usize = 11;
/// Index of the magic damage bonus, in percent.
pub const MAGIC_DAMAGE: usize = 12;
/// Index of the prayer bonus.
pub const PRAYER: usize = 13;

/// Where an item is worn. The discriminants are the game's slot numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Slot {
    /// Helmets, hoods.
    Head = 0,
    /// Capes.
    Cape = 1,
    /// Amulets.
    Neck = 2,
    /// Weapons.
    Weapon = 3,
    /// Bodies.
    Body = 4,
    /// Shields, books, defenders.
    Shield = 5,
    /// Legs.
    Legs = 7,
    /// Gloves.
    Hands = 9,
    /// Boots.
    Feet = 10,
    /// Rings.
    Ring = 12,
    /// Bolts, arrows, javelins.
    Ammo = 13,
}

/// How many slot numbers there are; three of them are unused.
pub const SLOTS: usize = 14;

/// What decides a weapon's speed, reach and special attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names are the weapons.
pub enum WeaponClass {
    AncientStaff,
    Ballista,
    Claws,
    Crossbow,
    DarkBow,
    DragonDagger,
    ElderMaul,
    GhraziRapier,
    Godsword,
    GraniteMaul,
    Greataxe,
    Javelin,
    Knife,
    Longsword,
    Scimitar,
    Staff,
    Warhammer,
    Whip,
}

/// The part of an item that fights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weapon {
    /// Its class.
    pub class: WeaponClass,
    /// Ticks between attacks before the mode's share.
    pub base_speed: u8,
    /// Ticks between attacks in its mode.
    pub speed: u8,
    /// The bonus it attacks with when it is swung or shot.
    pub column: Column,
    /// The stance of its mode.
    pub stance: Stance,
    /// What it is made for; staves can also be swung.
    pub style: Style,
    /// Reach in tiles; the spell range for staves.
    pub range: u8,
    /// Special energy that its special attack takes, in percent.
    pub special: Option<u8>,
}

/// One kind of item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// The game's number for it.
    pub id: u16,
    /// The game's name for it.
    pub name: &'static str,
    /// Where it is worn, if it is.
    pub slot: Option<Slot>,
    /// Does it leave no hand for a shield?
    pub two_handed: bool,
    /// Does any number of it fit into one slot?
    pub stackable: bool,
    /// What wearing it adds.
    pub bonuses: Bonuses,
    /// What wielding it means.
    pub weapon: Option<Weapon>,
}

/// Every item of a fight, sorted by id.
pub const ITEMS: &[Item] = &table::ITEMS;

/// A kind of item: its place in [`ITEMS`], counted from 1 so that an empty slot takes no more room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kind(NonZeroU8);

impl Kind {
    const fn at(index: usize) -> Self {
        match NonZeroU8::new(index as u8 + 1) {
            Some(place) => Self(place),
            None => panic!("too many items"),
        }
    }

    /// Its place in [`ITEMS`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// The kind with the game's number `id`, if a fight knows it.
    pub fn of(id: u16) -> Option<Self> {
        ITEMS.binary_search_by_key(&id, |item| item.id).ok().map(Self::at)
    }

    /// The kind with the game's number `id`, for tables that are known to be right.
    ///
    /// # Panics
    /// When no fight knows the item.
    pub const fn known(id: u16) -> Self {
        let mut index = 0;
        while index < ITEMS.len() {
            if ITEMS[index].id == id {
                return Self::at(index);
            }
            index += 1;
        }
        panic!("no such item");
    }

    /// Everything about it.
    #[inline]
    pub fn item(self) -> &'static Item {
        &ITEMS[self.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_sorted_and_found() {
        assert!(ITEMS.windows(2).all(|pair| pair[0].id < pair[1].id));
        assert!(ITEMS.len() < 256);
        for item in ITEMS {
            assert_eq!(Kind::of(item.id).unwrap().item().id, item.id);
            assert_eq!(Kind::known(item.id).item().id, item.id);
            assert_eq!(item.weapon.is_some(), item.slot == Some(Slot::Weapon));
        }
        assert_eq!(Kind::of(1), None);
    }
}

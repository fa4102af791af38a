//! Every item of a fight. Bonuses are those of the recorded server run (2026 wiki values).

use super::WeaponClass::{
    AncientStaff, Ballista, Claws, Crossbow, DarkBow, DragonDagger, ElderMaul, GhraziRapier,
    Godsword, GraniteMaul, Greataxe, Javelin, Knife, Longsword, Scimitar, Staff, Warhammer, Whip,
};
use super::{Bonuses, Item, Slot, Weapon, WeaponClass};
use crate::kinds::Column::{Crush, Ranged, Slash, Stab};
use crate::kinds::Stance::{Accurate, Aggressive};
use crate::kinds::{Column, Stance, Style};

/// Something eaten, drunk or carried.
const fn supply(id: u16, name: &'static str) -> Item {
    Item {
        id,
        name,
        slot: None,
        two_handed: false,
        stackable: false,
        bonuses: [0; 14],
        weapon: None,
    }
}

/// Something worn.
const fn gear(id: u16, name: &'static str, slot: Slot, bonuses: Bonuses) -> Item {
    Item { slot: Some(slot), bonuses, ..supply(id, name) }
}

/// Something shot.
const fn ammo(id: u16, name: &'static str, bonuses: Bonuses) -> Item {
    Item { stackable: true, ..gear(id, name, Slot::Ammo, bonuses) }
}

/// A weapon's own numbers: class, ticks of the class and of its mode, column, stance, reach, special.
type Own = (WeaponClass, u8, u8, Column, Stance, u8, Option<u8>);

/// Something wielded.
const fn arm(id: u16, name: &'static str, style: Style, own: Own, bonuses: Bonuses) -> Item {
    let (class, base_speed, speed, column, stance, range, special) = own;
    let weapon = Weapon { class, base_speed, speed, column, stance, style, range, special };
    Item { weapon: Some(weapon), ..gear(id, name, Slot::Weapon, bonuses) }
}

/// A weapon for both hands.
const fn two(item: Item) -> Item {
    Item { two_handed: true, ..item }
}

/// A weapon that is thrown.
const fn thrown(item: Item) -> Item {
    Item { stackable: true, ..item }
}

/// Sorted by id.
#[rustfmt::skip] // One item a line.
pub(super) const ITEMS: [Item; 129] = [
    supply(169, "Ranging potion(3)"),
    supply(171, "Ranging potion(2)"),
    supply(173, "Ranging potion(1)"),
    supply(229, "Vial"),
    supply(385, "Shark"),
    gear(1079, "Rune platelegs", Slot::Legs, [0, 0, 0, -21, -11, 51, 49, 47, -4, 49, 0, 0, 0, 0]),
    arm(1215, "Dragon dagger", Style::Melee, (DragonDagger, 4, 4, Stab, Aggressive, 1, Some(25)), [40, 25, -4, 1, 0, 0, 0, 0, 1, 0, 40, 0, 0, 0]),
    gear(1704, "Amulet of glory", Slot::Neck, [10, 10, 10, 10, 10, 3, 3, 3, 3, 3, 6, 0, 0, 3]),
    supply(2444, "Ranging potion(4)"),
    gear(2497, "Black d'hide chaps", Slot::Legs, [0, 0, 0, -10, 17, 18, 20, 26, 23, 26, 0, 0, 0, 0]),
    gear(2503, "Black d'hide body", Slot::Body, [0, 0, 0, -15, 30, 30, 38, 45, 45, 50, 0, 0, 0, 0]),
    gear(2579, "Wizard boots", Slot::Feet, [0, 0, 0, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0]),
    supply(3024, "Super restore(4)"),
    supply(3026, "Super restore(3)"),
    supply(3028, "Super restore(2)"),
    supply(3030, "Super restore(1)"),
    gear(3105, "Climbing boots", Slot::Feet, [0, 0, 0, 0, 0, 0, 2, 2, 0, 0, 2, 0, 0, 0]),
    supply(3144, "Cooked karambwan"),
    gear(3751, "Berserker helm", Slot::Head, [0, 0, 0, -5, -5, 31, 29, 33, 0, 30, 3, 0, 0, 0]),
    gear(3842, "Unholy book", Slot::Shield, [8, 8, 8, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0, 5]),
    gear(4091, "Mystic robe top", Slot::Body, [0, 0, 0, 20, 0, 0, 0, 0, 20, 0, 0, 0, 0, 0]),
    gear(4093, "Mystic robe bottom", Slot::Legs, [0, 0, 0, 15, 0, 0, 0, 0, 15, 0, 0, 0, 0, 0]),
    arm(4151, "Abyssal whip", Style::Melee, (Whip, 4, 4, Slash, Accurate, 1, Some(50)), [0, 82, 0, 0, 0, 0, 0, 0, 0, 0, 82, 0, 0, 0]),
    two(arm(4153, "Granite maul", Style::Melee, (GraniteMaul, 7, 7, Crush, Aggressive, 1, Some(50)), [0, 0, 81, 0, 0, 0, 0, 0, 0, 0, 79, 0, 0, 0])),
    arm(4587, "Dragon scimitar", Style::Melee, (Scimitar, 4, 4, Slash, Aggressive, 1, Some(55)), [8, 67, -2, 0, 0, 0, 1, 0, 0, 0, 66, 0, 0, 0]),
    arm(4675, "Ancient staff", Style::Magic, (AncientStaff, 4, 4, Crush, Aggressive, 10, None), [10, -1, 40, 15, 0, 2, 3, 1, 15, 0, 50, 0, 0, -1]),
    gear(4716, "Dharok's helm", Slot::Head, [0, 0, 0, -3, -1, 45, 48, 44, -1, 51, 0, 0, 0, 0]),
    two(arm(4718, "Dharok's greataxe", Style::Melee, (Greataxe, 7, 7, Slash, Aggressive, 1, None), [-4, 103, 95, -4, 0, 0, 0, 0, 0, -1, 105, 0, 0, 0])),
    gear(4720, "Dharok's platebody", Slot::Body, [0, 0, 0, -30, -10, 122, 120, 107, -6, 132, 0, 0, 0, 0]),
    gear(4722, "Dharok's platelegs", Slot::Legs, [0, 0, 0, -21, -11, 85, 82, 83, -4, 92, 0, 0, 0, 0]),
    gear(4724, "Guthan's helm", Slot::Head, [0, 0, 0, -6, -2, 55, 58, 54, -1, 62, 0, 0, 0, 0]),
    gear(4753, "Verac's helm", Slot::Head, [0, 0, 0, -6, -2, 55, 58, 54, 0, 56, 0, 0, 0, 3]),
    arm(4862, "Ahrim's staff", Style::Magic, (Staff, 5, 5, Crush, Aggressive, 10, None), [12, -1, 65, 15, 0, 3, 5, 2, 15, 0, 68, 0, 5, 0]),
    gear(4868, "Ahrim's robetop", Slot::Body, [0, 0, 0, 30, -10, 52, 37, 63, 30, 0, 0, 0, 1, 0]),
    gear(4874, "Ahrim's robeskirt", Slot::Legs, [0, 0, 0, 22, -7, 33, 30, 36, 22, 0, 0, 0, 1, 0]),
    gear(4904, "Guthan's helm", Slot::Head, [0, 0, 0, -6, -2, 55, 58, 54, -1, 62, 0, 0, 0, 0]),
    gear(4940, "Karil's leathertop", Slot::Body, [0, 0, 0, -15, 30, 47, 42, 50, 65, 57, 0, 0, 0, 0]),
    gear(4946, "Karil's leatherskirt", Slot::Legs, [0, 0, 0, -10, 17, 26, 20, 28, 35, 33, 0, 0, 0, 0]),
    gear(4994, "Verac's plateskirt", Slot::Legs, [0, 0, 0, -21, -11, 85, 82, 83, 0, 84, 0, 0, 0, 4]),
    arm(5698, "Dragon dagger", Style::Melee, (DragonDagger, 4, 4, Stab, Aggressive, 1, Some(25)), [40, 25, -4, 1, 0, 0, 0, 0, 1, 0, 40, 0, 0, 0]),
    gear(6107, "Ghostly robe (top)", Slot::Body, [0, 0, 0, 5, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0]),
    gear(6108, "Ghostly robe (bottom)", Slot::Legs, [0, 0, 0, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0]),
    gear(6109, "Ghostly hood", Slot::Head, [0, 0, 0, 3, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0]),
    gear(6570, "Fire cape", Slot::Cape, [1, 1, 1, 1, 1, 11, 11, 11, 11, 11, 4, 0, 0, 2]),
    gear(6585, "Amulet of fury", Slot::Neck, [10, 10, 10, 10, 10, 15, 15, 15, 15, 15, 8, 0, 0, 5]),
    supply(6685, "Saradomin brew(4)"),
    supply(6687, "Saradomin brew(3)"),
    supply(6689, "Saradomin brew(2)"),
    supply(6691, "Saradomin brew(1)"),
    gear(6737, "Berserker ring", Slot::Ring, [0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 4, 0, 0, 0]),
    gear(6889, "Mage's book", Slot::Shield, [0, 0, 0, 15, 0, 0, 0, 0, 15, 0, 0, 0, 2, 0]),
    gear(6916, "Infinity top", Slot::Body, [0, 0, 0, 22, 0, 0, 0, 0, 22, 0, 0, 0, 1, 0]),
    gear(6920, "Infinity boots", Slot::Feet, [0, 0, 0, 5, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0]),
    gear(6924, "Infinity bottoms", Slot::Legs, [0, 0, 0, 17, 0, 0, 0, 0, 17, 0, 0, 0, 1, 0]),
    gear(7458, "Mithril gloves", Slot::Hands, [6, 6, 6, 3, 6, 6, 6, 6, 3, 6, 6, 0, 0, 0]),
    gear(7462, "Barrows gloves", Slot::Hands, [12, 12, 12, 6, 12, 12, 12, 12, 6, 12, 12, 0, 0, 0]),
    gear(8850, "Rune defender", Slot::Shield, [20, 19, 18, -3, -2, 20, 19, 18, -3, -2, 5, 0, 0, 0]),
    arm(9185, "Rune crossbow", Style::Ranged, (Crossbow, 6, 5, Ranged, Aggressive, 7, None), [0, 0, 0, 0, 90, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ammo(9243, "Diamond bolts (e)", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 105, 0, 0]),
    gear(10330, "3rd age range top", Slot::Body, [0, 0, 0, -15, 30, 55, 47, 60, 60, 55, 0, 0, 0, 0]),
    gear(10332, "3rd age range legs", Slot::Legs, [0, 0, 0, -10, 17, 31, 25, 33, 30, 31, 0, 0, 0, 0]),
    gear(10334, "3rd age range coif", Slot::Head, [0, 0, 0, -2, 9, 4, 7, 10, 5, 8, 0, 0, 0, 0]),
    gear(10338, "3rd age robe top", Slot::Body, [0, 0, 0, 24, 0, 0, 0, 0, 24, 0, 0, 0, 1, 0]),
    gear(10340, "3rd age robe", Slot::Legs, [0, 0, 0, 19, 0, 0, 0, 0, 19, 0, 0, 0, 1, 0]),
    gear(10342, "3rd age mage hat", Slot::Head, [0, 0, 0, 8, 0, 0, 0, 0, 8, 0, 0, 0, 1, 0]),
    gear(10828, "Helm of neitiznot", Slot::Head, [0, 0, 0, 0, 0, 31, 29, 34, 3, 30, 3, 0, 0, 3]),
    gear(11133, "Regen bracelet", Slot::Hands, [8, 8, 8, 3, 7, 6, 6, 6, 3, 6, 7, 0, 0, 0]),
    ammo(11212, "Dragon arrow", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 60, 0, 0]),
    two(arm(11235, "Dark bow", Style::Ranged, (DarkBow, 8, 7, Ranged, Aggressive, 9, Some(55)), [0, 0, 0, 0, 95, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
    gear(11770, "Seers ring (i)", Slot::Ring, [0, 0, 0, 12, 0, 0, 0, 0, 12, 0, 0, 0, 0, 0]),
    gear(11771, "Archers ring (i)", Slot::Ring, [0, 0, 0, 0, 8, 0, 0, 0, 0, 8, 0, 0, 0, 0]),
    gear(11773, "Berserker ring (i)", Slot::Ring, [0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 8, 0, 0, 0]),
    arm(11785, "Armadyl crossbow", Style::Ranged, (Crossbow, 6, 5, Ranged, Aggressive, 7, Some(50)), [0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
    arm(11791, "Staff of the dead", Style::Magic, (Staff, 5, 5, Crush, Aggressive, 10, None), [55, 70, 0, 17, 0, 0, 3, 3, 17, 0, 72, 0, 15, 0]),
    two(arm(11802, "Armadyl godsword", Style::Melee, (Godsword, 6, 6, Slash, Aggressive, 1, Some(50)), [0, 132, 80, 0, 0, 0, 0, 0, 0, 0, 132, 0, 0, 8])),
    gear(11828, "Armadyl chestplate", Slot::Body, [-7, -7, -7, -15, 33, 56, 48, 61, 70, 57, 0, 0, 0, 1]),
    gear(11830, "Armadyl chainskirt", Slot::Legs, [-6, -6, -6, -10, 20, 32, 26, 34, 40, 33, 0, 0, 0, 1]),
    gear(11834, "Bandos tassets", Slot::Legs, [0, 0, 0, -21, -7, 71, 63, 66, -4, 93, 2, 0, 0, 1]),
    gear(11865, "Slayer helmet (i)", Slot::Head, [0, 0, 0, 3, 3, 30, 32, 27, 10, 30, 0, 0, 0, 0]),
    gear(12002, "Occult necklace", Slot::Neck, [0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 5, 2]),
    arm(12006, "Abyssal tentacle", Style::Melee, (Whip, 4, 4, Slash, Accurate, 1, Some(50)), [0, 90, 0, 0, 0, 0, 0, 0, 0, 0, 86, 0, 0, 0]),
    gear(12492, "Ancient d'hide body", Slot::Body, [0, 0, 0, -15, 30, 55, 47, 60, 50, 55, 0, 0, 0, 1]),
    gear(12494, "Ancient chaps", Slot::Legs, [0, 0, 0, -10, 17, 31, 25, 33, 28, 31, 0, 0, 0, 1]),
    gear(12596, "Rangers' tunic", Slot::Body, [0, 0, 0, -15, 15, 6, 9, 12, 6, 6, 0, 0, 0, 0]),
    gear(12639, "Guthix halo", Slot::Head, [0, 0, 0, 0, 0, 11, 12, 10, 11, -1, 0, 0, 0, 3]),
    supply(12695, "Super combat(4)"),
    supply(12697, "Super combat(3)"),
    supply(12699, "Super combat(2)"),
    supply(12701, "Super combat(1)"),
    supply(12791, "Rune pouch"),
    gear(12829, "Spirit shield", Slot::Shield, [0, 0, 0, 0, 0, 39, 41, 50, 1, 45, 0, 0, 0, 1]),
    gear(12831, "Blessed spirit shield", Slot::Shield, [0, 0, 0, 0, 0, 53, 55, 73, 2, 52, 0, 0, 0, 3]),
    arm(12904, "Toxic staff of the dead", Style::Magic, (Staff, 5, 5, Crush, Aggressive, 10, None), [55, 70, 0, 25, 0, 0, 3, 3, 17, 0, 72, 0, 15, 0]),
    gear(12954, "Dragon defender", Slot::Shield, [25, 24, 23, -3, -2, 25, 24, 23, -3, -2, 6, 0, 0, 0]),
    gear(13235, "Eternal boots", Slot::Feet, [0, 0, 0, 8, 0, 5, 5, 5, 8, 5, 0, 0, 1, 0]),
    supply(13441, "Anglerfish"),
    two(arm(13652, "Dragon claws", Style::Melee, (Claws, 4, 4, Slash, Aggressive, 1, Some(50)), [41, 57, -4, 0, 0, 13, 26, 7, 0, 0, 56, 0, 0, 0])),
    two(arm(19478, "Light ballista", Style::Ranged, (Ballista, 7, 6, Ranged, Aggressive, 7, Some(65)), [0, 0, 0, 0, 110, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
    two(arm(19481, "Heavy ballista", Style::Ranged, (Ballista, 7, 6, Ranged, Aggressive, 7, Some(65)), [0, 0, 0, 0, 125, 0, 0, 0, 0, 0, 0, 15, 0, 0])),
    ammo(19484, "Dragon javelin", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 150, 0, 0]),
    gear(19544, "Tormented bracelet", Slot::Hands, [0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 5, 2]),
    gear(19547, "Necklace of anguish", Slot::Neck, [0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0, 5, 0, 2]),
    gear(19553, "Amulet of torture", Slot::Neck, [15, 15, 15, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2]),
    gear(20517, "Elder chaos top", Slot::Body, [0, 0, 0, 10, 0, 0, 0, 0, 8, 0, 0, 0, 1, 0]),
    gear(20520, "Elder chaos robe", Slot::Legs, [0, 0, 0, 6, 0, 0, 0, 0, 6, 0, 0, 0, 1, 0]),
    gear(20595, "Elder chaos hood", Slot::Head, [0, 0, 0, 5, 0, 0, 0, 0, 4, 0, 0, 0, 1, 0]),
    two(arm(21003, "Elder maul", Style::Melee, (ElderMaul, 6, 6, Crush, Aggressive, 1, None), [0, 0, 135, 0, 0, 0, 0, 0, 0, 0, 147, 0, 0, 0])),
    arm(21006, "Kodai wand", Style::Magic, (Staff, 5, 5, Crush, Aggressive, 10, None), [0, 0, 0, 28, 0, 0, 3, 3, 20, 0, 0, 0, 15, 0]),
    gear(21018, "Ancestral hat", Slot::Head, [0, 0, 0, 8, -2, 12, 11, 13, 5, 0, 0, 0, 3, 0]),
    gear(21021, "Ancestral robe top", Slot::Body, [0, 0, 0, 35, -8, 42, 31, 51, 28, 0, 0, 0, 3, 0]),
    gear(21024, "Ancestral robe bottom", Slot::Legs, [0, 0, 0, 26, -7, 27, 24, 30, 20, 0, 0, 0, 3, 0]),
    gear(21295, "Infernal cape", Slot::Cape, [4, 4, 4, 1, 1, 12, 12, 12, 12, 12, 8, 0, 0, 2]),
    gear(21793, "Imbued guthix cape", Slot::Cape, [0, 0, 0, 15, 0, 3, 3, 3, 15, 0, 0, 0, 2, 0]),
    ammo(21932, "Opal dragon bolts (e)", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 122, 0, 0]),
    ammo(21948, "Dragonstone dragon bolts (e)", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 122, 0, 0]),
    arm(22296, "Staff of light", Style::Magic, (Staff, 5, 5, Crush, Aggressive, 10, None), [55, 70, 0, 17, 0, 0, 3, 3, 17, 0, 72, 0, 15, 0]),
    gear(22322, "Avernic defender", Slot::Shield, [30, 29, 28, -5, -4, 30, 29, 28, -5, -4, 8, 0, 0, 0]),
    arm(22324, "Ghrazi rapier", Style::Melee, (GhraziRapier, 4, 4, Stab, Aggressive, 1, None), [100, 55, 0, 0, 0, 0, 0, 0, 0, 0, 93, 0, 0, 0]),
    arm(22613, "Vesta's longsword (Deadman Mode)", Style::Melee, (Longsword, 5, 5, Slash, Aggressive, 1, Some(25)), [106, 121, -2, 0, 0, 1, 4, 3, 0, 0, 118, 0, 0, 0]),
    arm(22622, "Statius's warhammer (Deadman Mode)", Style::Melee, (Warhammer, 6, 6, Crush, Aggressive, 1, Some(35)), [-4, -4, 123, 0, 0, 0, 0, 0, 0, 0, 114, 0, 0, 0]),
    thrown(arm(22636, "Morrigan's javelin (Deadman Mode)", Style::Ranged, (Javelin, 6, 5, Ranged, Aggressive, 5, Some(50)), [0, 0, 0, 0, 105, 0, 0, 0, 0, 0, 0, 145, 0, 0])),
    arm(22647, "Zuriel's staff (Deadman Mode)", Style::Magic, (Staff, 5, 5, Crush, Aggressive, 10, None), [13, -1, 65, 18, 0, 5, 7, 4, 18, 0, 72, 0, 10, 0]),
    thrown(arm(22804, "Dragon knife", Style::Ranged, (Knife, 3, 2, Ranged, Aggressive, 4, Some(25)), [0, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 30, 0, 0])),
    gear(22951, "Boots of brimstone", Slot::Feet, [3, 0, 0, 3, 5, 10, 10, 10, 5, 5, 0, 0, 0, 0]),
    gear(23389, "Spiked manacles", Slot::Feet, [0, 0, 0, -3, -1, 0, 0, 0, -4, 0, 4, 0, 0, 0]),
    arm(24424, "Volatile nightmare staff", Style::Magic, (Staff, 5, 5, Crush, Aggressive, 10, Some(55)), [0, 0, 0, 16, 0, 0, 0, 0, 14, 0, 0, 0, 15, 0]),
    gear(24780, "Amulet of blood fury", Slot::Neck, [10, 10, 10, 10, 10, 15, 15, 15, 15, 15, 8, 0, 0, 5]),
    two(arm(26233, "Ancient godsword", Style::Melee, (Godsword, 6, 6, Slash, Aggressive, 1, Some(50)), [0, 132, 80, 0, 0, 0, 0, 0, 0, 0, 132, 0, 0, 8])),
    arm(26374, "Zaryte crossbow", Style::Ranged, (Crossbow, 6, 5, Ranged, Aggressive, 7, Some(75)), [0, 0, 0, 0, 110, 14, 14, 12, 15, 16, 0, 0, 0, 1]),
];

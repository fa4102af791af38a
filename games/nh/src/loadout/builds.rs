//! The builds that fight in the wilderness, as they are before gear is randomised.

use super::{Build, Loadout, Set, Stock};
use crate::gear::items::*;
use crate::kinds::{FightType, Levels, Prayer, Prayers, Spellbook};

/// Melee, ranged and magic prayers of accounts that lack piety, rigour and augury.
pub(super) const LESSER_PRAYERS: [Prayers; 3] = [
    Prayers(0)
        .with(Prayer::IncredibleReflexes)
        .with(Prayer::UltimateStrength)
        .with(Prayer::SteelSkin),
    Prayers(0).with(Prayer::EagleEye).with(Prayer::SteelSkin),
    Prayers(0).with(Prayer::MysticMight).with(Prayer::SteelSkin),
];

/// Melee, ranged and magic prayers of everybody else.
pub(super) const GREATER_PRAYERS: [Prayers; 3] = [
    Prayers(0).with(Prayer::Piety),
    Prayers(0).with(Prayer::Rigour),
    Prayers(0).with(Prayer::Augury),
];

/// What the builds have in common; every one overrides the rest.
pub(super) const BLANK: Loadout = Loadout {
    build: Build::Pure,
    mage: Set::EMPTY,
    ranged: Set::EMPTY,
    melee: Set::EMPTY,
    spec: Set::EMPTY,
    tank: Set::EMPTY,
    stock: Stock::EMPTY,
    food: ANGLERFISH,
    levels: [99; 7],
    prayers: GREATER_PRAYERS,
    spellbook: Spellbook::Ancient,
    fight_type: FightType::Normal,
};

/// Builds differ in these levels only.
pub(super) const fn levels(attack: i16, defence: i16, prayer: i16) -> Levels {
    [attack, defence, 99, 99, 99, prayer, 99]
}

/// Potions of the wilderness; food fills the rest.
const POTIONS: Stock = Stock::of(&[
    SUPER_COMBAT_4,
    RANGING_POTION_4,
    SUPER_RESTORE_4,
    SUPER_RESTORE_4,
    SUPER_RESTORE_4,
    SARADOMIN_BREW_4,
    SARADOMIN_BREW_4,
    SARADOMIN_BREW_4,
    SARADOMIN_BREW_4,
    SARADOMIN_BREW_4,
    RUNE_POUCH,
]);

pub(super) const PURE: Loadout = Loadout {
    build: Build::Pure,
    mage: Set::of(&[
        KODAI_WAND,
        OCCULT_NECKLACE,
        ELDER_CHAOS_ROBE,
        MAGES_BOOK,
        ELDER_CHAOS_HOOD,
        IMBUED_GUTHIX_CAPE,
        REGEN_BRACELET,
        WIZARD_BOOTS,
        SEERS_RING_I,
        OPAL_DRAGON_BOLTS_E,
        ELDER_CHAOS_TOP,
    ]),
    ranged: Set::of(&[
        ZARYTE_CROSSBOW,
        AMULET_OF_BLOOD_FURY,
        ANCIENT_CHAPS,
        MAGES_BOOK,
        ELDER_CHAOS_HOOD,
        INFERNAL_CAPE,
        REGEN_BRACELET,
        WIZARD_BOOTS,
        SEERS_RING_I,
        OPAL_DRAGON_BOLTS_E,
        ELDER_CHAOS_TOP,
    ]),
    melee: Set::of(&[
        DRAGON_SCIMITAR,
        AMULET_OF_BLOOD_FURY,
        ANCIENT_CHAPS,
        MAGES_BOOK,
        ELDER_CHAOS_HOOD,
        INFERNAL_CAPE,
        REGEN_BRACELET,
        WIZARD_BOOTS,
        SEERS_RING_I,
        OPAL_DRAGON_BOLTS_E,
        ELDER_CHAOS_TOP,
    ]),
    spec: Set::of(&[
        DRAGON_CLAWS,
        AMULET_OF_BLOOD_FURY,
        ANCIENT_CHAPS,
        ELDER_CHAOS_HOOD,
        INFERNAL_CAPE,
        REGEN_BRACELET,
        WIZARD_BOOTS,
        SEERS_RING_I,
        OPAL_DRAGON_BOLTS_E,
        ELDER_CHAOS_TOP,
    ]),
    stock: POTIONS,
    levels: levels(60, 1, 52),
    prayers: LESSER_PRAYERS,
    ..BLANK
};

pub(super) const ZERKER: Loadout = Loadout {
    build: Build::Zerker,
    mage: Set::of(&[
        KODAI_WAND,
        INFINITY_TOP,
        INFINITY_BOTTOMS,
        OCCULT_NECKLACE,
        SPIRIT_SHIELD,
        SLAYER_HELMET_I,
        BARROWS_GLOVES,
        INFINITY_BOOTS,
        SEERS_RING_I,
        OPAL_DRAGON_BOLTS_E,
        IMBUED_GUTHIX_CAPE,
    ]),
    ranged: Set::of(&[
        ZARYTE_CROSSBOW,
        ANCIENT_DHIDE_BODY,
        ANCIENT_CHAPS,
        AMULET_OF_BLOOD_FURY,
        SPIRIT_SHIELD,
        SLAYER_HELMET_I,
        BARROWS_GLOVES,
        INFINITY_BOOTS,
        SEERS_RING_I,
        OPAL_DRAGON_BOLTS_E,
        INFERNAL_CAPE,
    ]),
    melee: Set::of(&[
        DRAGON_SCIMITAR,
        ANCIENT_DHIDE_BODY,
        ANCIENT_CHAPS,
        AMULET_OF_BLOOD_FURY,
        RUNE_DEFENDER,
        SLAYER_HELMET_I,
        BARROWS_GLOVES,
        INFINITY_BOOTS,
        SEERS_RING_I,
        OPAL_DRAGON_BOLTS_E,
        INFERNAL_CAPE,
    ]),
    spec: Set::of(&[
        DRAGON_CLAWS,
        ANCIENT_DHIDE_BODY,
        ANCIENT_CHAPS,
        SLAYER_HELMET_I,
        INFERNAL_CAPE,
        BARROWS_GLOVES,
        INFINITY_BOOTS,
        SEERS_RING_I,
        OPAL_DRAGON_BOLTS_E,
        AMULET_OF_BLOOD_FURY,
    ]),
    stock: POTIONS,
    levels: levels(60, 45, 55),
    prayers: LESSER_PRAYERS,
    ..BLANK
};

pub(super) const MED: Loadout = Loadout {
    build: Build::Med,
    mage: Set::of(&[
        TOXIC_STAFF_OF_THE_DEAD,
        ANCESTRAL_ROBE_TOP,
        GUTHANS_HELM,
        IMBUED_GUTHIX_CAPE,
        ANCESTRAL_ROBE_BOTTOM,
        BLESSED_SPIRIT_SHIELD,
        OPAL_DRAGON_BOLTS_E,
        OCCULT_NECKLACE,
        SEERS_RING_I,
        BOOTS_OF_BRIMSTONE,
        BARROWS_GLOVES,
    ]),
    ranged: Set::of(&[
        ZARYTE_CROSSBOW,
        ARMADYL_CHESTPLATE,
        VERACS_PLATESKIRT,
        GUTHANS_HELM,
        INFERNAL_CAPE,
        AMULET_OF_BLOOD_FURY,
        BLESSED_SPIRIT_SHIELD,
        BARROWS_GLOVES,
        BOOTS_OF_BRIMSTONE,
        SEERS_RING_I,
        OPAL_DRAGON_BOLTS_E,
    ]),
    melee: Set::of(&[
        ABYSSAL_TENTACLE,
        ARMADYL_CHESTPLATE,
        VERACS_PLATESKIRT,
        AMULET_OF_BLOOD_FURY,
        BARROWS_GLOVES,
        OPAL_DRAGON_BOLTS_E,
        GUTHANS_HELM,
        INFERNAL_CAPE,
        SEERS_RING_I,
        AVERNIC_DEFENDER,
        BOOTS_OF_BRIMSTONE,
    ]),
    spec: Set::of(&[
        ARMADYL_GODSWORD,
        ARMADYL_CHESTPLATE,
        VERACS_PLATESKIRT,
        AMULET_OF_BLOOD_FURY,
        BARROWS_GLOVES,
        OPAL_DRAGON_BOLTS_E,
        GUTHANS_HELM,
        INFERNAL_CAPE,
        SEERS_RING_I,
        BOOTS_OF_BRIMSTONE,
    ]),
    stock: POTIONS,
    levels: levels(75, 70, 77),
    ..BLANK
};

pub(super) const MAXED: Loadout = Loadout {
    build: Build::Maxed,
    mage: Set::of(&[
        TOXIC_STAFF_OF_THE_DEAD,
        ANCESTRAL_ROBE_TOP,
        GUTHANS_HELM,
        IMBUED_GUTHIX_CAPE,
        ANCESTRAL_ROBE_BOTTOM,
        BLESSED_SPIRIT_SHIELD,
        OPAL_DRAGON_BOLTS_E,
        OCCULT_NECKLACE,
        SEERS_RING_I,
        BOOTS_OF_BRIMSTONE,
        BARROWS_GLOVES,
    ]),
    ranged: Set::of(&[
        ZARYTE_CROSSBOW,
        ARMADYL_CHESTPLATE,
        VERACS_PLATESKIRT,
        GUTHANS_HELM,
        IMBUED_GUTHIX_CAPE,
        AMULET_OF_BLOOD_FURY,
        BLESSED_SPIRIT_SHIELD,
        BARROWS_GLOVES,
        BOOTS_OF_BRIMSTONE,
        SEERS_RING_I,
        OPAL_DRAGON_BOLTS_E,
    ]),
    melee: Set::of(&[
        ARMADYL_GODSWORD,
        ARMADYL_CHESTPLATE,
        VERACS_PLATESKIRT,
        AMULET_OF_BLOOD_FURY,
        BARROWS_GLOVES,
        OPAL_DRAGON_BOLTS_E,
        GUTHANS_HELM,
        IMBUED_GUTHIX_CAPE,
        SEERS_RING_I,
        BOOTS_OF_BRIMSTONE,
    ]),
    spec: Set::of(&[
        ARMADYL_GODSWORD,
        ARMADYL_CHESTPLATE,
        VERACS_PLATESKIRT,
        AMULET_OF_BLOOD_FURY,
        BARROWS_GLOVES,
        OPAL_DRAGON_BOLTS_E,
        GUTHANS_HELM,
        IMBUED_GUTHIX_CAPE,
        SEERS_RING_I,
        BOOTS_OF_BRIMSTONE,
    ]),
    stock: POTIONS,
    ..BLANK
};

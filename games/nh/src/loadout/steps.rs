//! What randomised gear draws, step by step, for every build.

use super::Build;
use super::randomize::Effect::{
    Coin, Count, Doses, FewBrews, Fill, Lunar, ManyBrews, NoMage, Swap, Wear, Without,
};
use super::randomize::{Step, Which};
use crate::gear::Kind;
use crate::gear::items::*;

const MAGE: &[Which] = &[Which::Mage];
const RANGED: &[Which] = &[Which::Ranged];
const MELEE: &[Which] = &[Which::Melee];
const SPEC: &[Which] = &[Which::Spec];
const BOTH_MELEE: &[Which] = &[Which::Melee, Which::Spec];
const PHYSICAL: &[Which] = &[Which::Ranged, Which::Melee, Which::Spec];
const SETS: &[Which] = &[Which::Ranged, Which::Melee, Which::Mage, Which::Spec];
const ALL: &[Which] = &[Which::Mage, Which::Ranged, Which::Melee, Which::Spec, Which::Stock];

const COMBAT_DOSES: [Kind; 4] = [SUPER_COMBAT_4, SUPER_COMBAT_3, SUPER_COMBAT_2, SUPER_COMBAT_1];
const RANGING_DOSES: [Kind; 4] =
    [RANGING_POTION_4, RANGING_POTION_3, RANGING_POTION_2, RANGING_POTION_1];

/// The steps of a build, in the order of their draws.
pub(super) fn of(build: Build) -> &'static [Step] {
    match build {
        Build::Pure => PURE,
        Build::Zerker => ZERKER,
        Build::Med => MED,
        Build::Maxed => &[],
        Build::LmsPure => LMS_PURE,
        Build::LmsZerker => LMS_ZERKER,
        Build::LmsMed => LMS_MED,
    }
}

const PURE: &[Step] = &[
    Step::one_in(5, &[Wear(MAGE, VOLATILE_NIGHTMARE_STAFF)]),
    Step::one_in(5, &[Swap(ALL, ELDER_CHAOS_HOOD, GUTHIX_HALO)]),
    Step::one_in(10, &[Swap(ALL, SEERS_RING_I, ARCHERS_RING_I)]),
    Step::one_in(10, &[Swap(ALL, SEERS_RING_I, BERSERKER_RING_I)]),
    Step::one_in(10, &[Swap(ALL, OCCULT_NECKLACE, AMULET_OF_BLOOD_FURY)]),
    Step::one_in(10, &[Swap(ALL, AMULET_OF_BLOOD_FURY, AMULET_OF_FURY)]),
    Step::one_in(10, &[Swap(ALL, INFERNAL_CAPE, FIRE_CAPE)]),
    Step::one_in(
        10,
        &[Swap(ALL, INFERNAL_CAPE, IMBUED_GUTHIX_CAPE), Swap(ALL, FIRE_CAPE, IMBUED_GUTHIX_CAPE)],
    ),
    Step::one_in(10, &[Wear(SPEC, DRAGON_DAGGER_POISONED)]),
    Step::one_in(10, &[Wear(SETS, DRAGONSTONE_DRAGON_BOLTS_E)]),
    Step::one_in(20, &[Wear(RANGED, DRAGON_KNIFE)]),
    Step::one_in(20, &[Without(SUPER_COMBAT_4)]),
    Step::or_one_in(20, &[Doses(COMBAT_DOSES)]),
    Step::one_in(20, &[Without(RANGING_POTION_4)]),
    Step::or_one_in(20, &[Doses(RANGING_DOSES)]),
    Step::one_in(5, &[ManyBrews]),
    Step::one_in(10, &[Fill(SHARK)]),
    Step::one_in(20, &[NoMage]),
];

const ZERKER: &[Step] = &[
    Step::one_in(5, &[Swap(MAGE, KODAI_WAND, VOLATILE_NIGHTMARE_STAFF)]),
    Step::one_in(10, &[Swap(ALL, SEERS_RING_I, ARCHERS_RING_I)]),
    Step::one_in(10, &[Swap(ALL, SEERS_RING_I, BERSERKER_RING_I)]),
    Step::one_in(10, &[Swap(ALL, OCCULT_NECKLACE, AMULET_OF_BLOOD_FURY)]),
    Step::one_in(
        10,
        &[Swap(ALL, INFERNAL_CAPE, IMBUED_GUTHIX_CAPE), Swap(ALL, FIRE_CAPE, IMBUED_GUTHIX_CAPE)],
    ),
    Step::one_in(10, &[Swap(MAGE, SPIRIT_SHIELD, MAGES_BOOK)]),
    Step::one_in(20, &[Swap(ALL, OPAL_DRAGON_BOLTS_E, DRAGONSTONE_DRAGON_BOLTS_E)]),
    Step::one_in(20, &[Without(SUPER_COMBAT_4)]),
    Step::or_one_in(20, &[Doses(COMBAT_DOSES)]),
    Step::one_in(20, &[Without(RANGING_POTION_4)]),
    Step::or_one_in(20, &[Doses(RANGING_DOSES)]),
    Step::one_in(5, &[ManyBrews]),
    Step::one_in(10, &[Lunar]),
    Step::one_in(10, &[Fill(SHARK)]),
];

const MED: &[Step] = &[
    Step::one_in(10, &[Swap(MAGE, BLESSED_SPIRIT_SHIELD, MAGES_BOOK)]),
    Step::one_in(10, &[Swap(SPEC, ARMADYL_GODSWORD, DRAGON_CLAWS)]),
    Step::one_in(10, &[Swap(ALL, VERACS_PLATESKIRT, ARMADYL_CHAINSKIRT)]),
    Step::one_in(10, &[Swap(ALL, ARMADYL_CHESTPLATE, KARILS_LEATHERTOP)]),
    // The skirt takes the place of the body: these sets then hold two pairs of legs.
    Step::one_in(10, &[Swap(ALL, ARMADYL_CHESTPLATE, KARILS_LEATHERSKIRT)]),
    Step::one_in(10, &[Swap(MAGE, TOXIC_STAFF_OF_THE_DEAD, VOLATILE_NIGHTMARE_STAFF)]),
    Step::one_in(10, &[Swap(MAGE, TOXIC_STAFF_OF_THE_DEAD, STAFF_OF_LIGHT)]),
    Step::one_in(20, &[Swap(ALL, OPAL_DRAGON_BOLTS_E, DRAGONSTONE_DRAGON_BOLTS_E)]),
    Step::one_in(20, &[Without(SUPER_COMBAT_4)]),
    Step::or_one_in(20, &[Doses(COMBAT_DOSES)]),
    Step::one_in(20, &[Without(RANGING_POTION_4)]),
    Step::or_one_in(20, &[Doses(RANGING_DOSES)]),
    Step::one_in(5, &[ManyBrews]),
    Step::one_in(10, &[Lunar]),
    Step::one_in(10, &[Fill(SHARK)]),
];

const LMS_PURE: &[Step] = &[
    Step::one_in(5, &[Count(COOKED_KARAMBWAN, 4)]),
    Step::one_in(10, &[Wear(SPEC, ARMADYL_GODSWORD)]),
    Step::one_in(10, &[Wear(RANGED, LIGHT_BALLISTA), Wear(SETS, DRAGON_JAVELIN)]),
    Step::or_one_in(
        10,
        &[Wear(RANGED, ARMADYL_CROSSBOW), Coin(&[Wear(SETS, OPAL_DRAGON_BOLTS_E)])],
    ),
    Step::or_one_in(20, &[Wear(RANGED, DRAGON_KNIFE)]),
    Step::or_one_in(20, &[Wear(RANGED, MORRIGANS_JAVELIN)]),
    Step::or_percent(3, &[Wear(RANGED, DARK_BOW), Wear(SETS, DRAGON_ARROW)]),
    Step::one_in(20, &[Wear(SPEC, DRAGON_CLAWS)]),
    Step::one_in(20, &[Wear(SPEC, VESTAS_LONGSWORD)]),
    Step::one_in(20, &[Wear(MELEE, VESTAS_LONGSWORD)]),
    Step::one_in(20, &[Wear(MELEE, ELDER_MAUL)]),
    Step::percent(3, &[Wear(MELEE, ARMADYL_GODSWORD)]),
    Step::one_in(20, &[Wear(SPEC, GRANITE_MAUL)]),
    Step::one_in(20, &[Wear(PHYSICAL, INFERNAL_CAPE)]),
    Step::one_in(20, &[Wear(MAGE, KODAI_WAND)]),
    Step::one_in(20, &[Wear(MAGE, ZURIELS_STAFF)]),
    Step::one_in(20, &[Wear(MAGE, MAGES_BOOK)]),
    Step::one_in(20, &[Wear(MAGE, SEERS_RING_I)]),
    Step::one_in(20, &[Wear(MAGE, STAFF_OF_THE_DEAD)]),
    Step::one_in(20, &[Wear(MAGE, VOLATILE_NIGHTMARE_STAFF)]),
    Step::one_in(20, &[Wear(BOTH_MELEE, AMULET_OF_TORTURE)]),
    Step::one_in(20, &[Wear(BOTH_MELEE, SPIKED_MANACLES)]),
    Step::one_in(20, &[Wear(PHYSICAL, ANCIENT_CHAPS)]),
    Step::one_in(20, &[Wear(RANGED, NECKLACE_OF_ANGUISH)]),
    Step::one_in(20, &[Wear(MAGE, TORMENTED_BRACELET)]),
    Step::one_in(20, &[Wear(RANGED, RANGERS_TUNIC)]),
    Step::one_in(20, &[Wear(MAGE, WIZARD_BOOTS)]),
    Step::one_in(5, &[Wear(SETS, GUTHIX_HALO)]),
    Step::one_in(20, &[Without(SUPER_COMBAT_4)]),
    Step::or_one_in(20, &[Doses(COMBAT_DOSES)]),
    Step::one_in(20, &[Without(RANGING_POTION_4)]),
    Step::or_one_in(20, &[Doses(RANGING_DOSES)]),
    Step::one_in(10, &[FewBrews]),
    Step::one_in(10, &[Fill(ANGLERFISH)]),
    Step::one_in(20, &[NoMage]),
];

const LMS_ZERKER: &[Step] = &[
    Step::one_in(5, &[Count(COOKED_KARAMBWAN, 4)]),
    Step::one_in(10, &[Wear(SPEC, ARMADYL_GODSWORD)]),
    Step::one_in(10, &[Wear(RANGED, HEAVY_BALLISTA), Wear(SETS, DRAGON_JAVELIN)]),
    Step::or_one_in(
        10,
        &[Wear(RANGED, ARMADYL_CROSSBOW), Coin(&[Wear(SETS, OPAL_DRAGON_BOLTS_E)])],
    ),
    Step::or_one_in(20, &[Wear(RANGED, MORRIGANS_JAVELIN)]),
    Step::or_percent(3, &[Wear(RANGED, DARK_BOW), Wear(SETS, DRAGON_ARROW)]),
    Step::one_in(20, &[Wear(SPEC, DRAGON_CLAWS)]),
    Step::one_in(20, &[Wear(SPEC, VESTAS_LONGSWORD)]),
    Step::one_in(20, &[Wear(MELEE, VESTAS_LONGSWORD)]),
    Step::one_in(20, &[Wear(MELEE, ELDER_MAUL)]),
    Step::percent(3, &[Wear(MELEE, ARMADYL_GODSWORD)]),
    Step::one_in(20, &[Wear(SPEC, GRANITE_MAUL)]),
    Step::one_in(20, &[Wear(PHYSICAL, INFERNAL_CAPE)]),
    Step::one_in(20, &[Wear(MAGE, KODAI_WAND)]),
    Step::one_in(20, &[Wear(MAGE, ZURIELS_STAFF)]),
    Step::one_in(20, &[Wear(MAGE, OCCULT_NECKLACE)]),
    Step::one_in(20, &[Wear(MAGE, MAGES_BOOK)]),
    Step::one_in(20, &[Wear(MAGE, SEERS_RING_I)]),
    Step::one_in(20, &[Wear(MAGE, STAFF_OF_THE_DEAD)]),
    Step::one_in(20, &[Wear(MAGE, VOLATILE_NIGHTMARE_STAFF)]),
    Step::one_in(20, &[Swap(ALL, AMULET_OF_GLORY, AMULET_OF_FURY)]),
    Step::one_in(20, &[Wear(BOTH_MELEE, AMULET_OF_TORTURE)]),
    Step::one_in(20, &[Wear(RANGED, NECKLACE_OF_ANGUISH)]),
    Step::one_in(20, &[Wear(MAGE, TORMENTED_BRACELET)]),
    Step::one_in(20, &[Wear(MAGE, THIRD_AGE_MAGE_HAT)]),
    Step::one_in(20, &[Wear(MAGE, THIRD_AGE_ROBE_TOP)]),
    Step::one_in(20, &[Wear(MAGE, THIRD_AGE_ROBE)]),
    Step::one_in(20, &[Wear(RANGED, THIRD_AGE_RANGE_COIF)]),
    Step::one_in(20, &[Swap(ALL, BLACK_DHIDE_BODY, THIRD_AGE_RANGE_TOP)]),
    Step::one_in(20, &[Swap(ALL, RUNE_PLATELEGS, THIRD_AGE_RANGE_LEGS)]),
    Step::one_in(20, &[Wear(MAGE, INFINITY_BOOTS)]),
    Step::one_in(20, &[Without(SUPER_COMBAT_4)]),
    Step::or_one_in(20, &[Doses(COMBAT_DOSES)]),
    Step::one_in(20, &[Without(RANGING_POTION_4)]),
    Step::or_one_in(20, &[Doses(RANGING_DOSES)]),
    Step::one_in(10, &[FewBrews]),
    Step::one_in(10, &[Lunar]),
    Step::one_in(10, &[Fill(ANGLERFISH)]),
];

const LMS_MED: &[Step] = &[
    Step::one_in(5, &[Count(COOKED_KARAMBWAN, 4)]),
    Step::one_in(10, &[Wear(SPEC, ARMADYL_GODSWORD)]),
    Step::one_in(10, &[Wear(RANGED, HEAVY_BALLISTA), Wear(SETS, DRAGON_JAVELIN)]),
    Step::or_one_in(
        10,
        &[Wear(RANGED, ARMADYL_CROSSBOW), Coin(&[Wear(SETS, OPAL_DRAGON_BOLTS_E)])],
    ),
    Step::or_one_in(20, &[Wear(RANGED, ZARYTE_CROSSBOW), Coin(&[Wear(SETS, OPAL_DRAGON_BOLTS_E)])]),
    Step::or_one_in(20, &[Wear(RANGED, MORRIGANS_JAVELIN)]),
    Step::or_percent(3, &[Wear(RANGED, DARK_BOW), Wear(SETS, DRAGON_ARROW)]),
    Step::one_in(20, &[Wear(SPEC, DRAGON_CLAWS)]),
    Step::one_in(20, &[Wear(SPEC, VESTAS_LONGSWORD)]),
    Step::one_in(20, &[Wear(MELEE, VESTAS_LONGSWORD)]),
    Step::one_in(20, &[Wear(SPEC, STATIUSS_WARHAMMER)]),
    Step::percent(3, &[Wear(MELEE, STATIUSS_WARHAMMER)]),
    Step::one_in(20, &[Wear(MELEE, GHRAZI_RAPIER)]),
    Step::one_in(20, &[Wear(MELEE, ELDER_MAUL)]),
    Step::percent(3, &[Wear(MELEE, ARMADYL_GODSWORD)]),
    Step::one_in(20, &[Wear(SPEC, GRANITE_MAUL)]),
    Step::one_in(20, &[Wear(SPEC, ANCIENT_GODSWORD)]),
    Step::one_in(20, &[Wear(PHYSICAL, INFERNAL_CAPE)]),
    Step::one_in(20, &[Wear(MAGE, KODAI_WAND)]),
    Step::one_in(20, &[Wear(MAGE, ZURIELS_STAFF)]),
    Step::one_in(20, &[Wear(MAGE, OCCULT_NECKLACE)]),
    Step::one_in(20, &[Wear(MAGE, MAGES_BOOK)]),
    Step::one_in(20, &[Wear(MAGE, SEERS_RING_I)]),
    Step::one_in(20, &[Wear(MAGE, STAFF_OF_THE_DEAD)]),
    Step::one_in(20, &[Wear(MAGE, VOLATILE_NIGHTMARE_STAFF)]),
    Step::one_in(20, &[Wear(MAGE, AHRIMS_ROBETOP)]),
    Step::one_in(20, &[Wear(MAGE, AHRIMS_ROBESKIRT)]),
    Step::one_in(20, &[Wear(MAGE, AMULET_OF_FURY)]),
    Step::one_in(20, &[Wear(MAGE, ANCESTRAL_HAT)]),
    Step::one_in(20, &[Wear(MAGE, ANCESTRAL_ROBE_TOP)]),
    Step::one_in(20, &[Wear(MAGE, ANCESTRAL_ROBE_BOTTOM)]),
    Step::one_in(20, &[Wear(PHYSICAL, BANDOS_TASSETS)]),
    Step::one_in(20, &[Wear(PHYSICAL, VERACS_PLATESKIRT)]),
    Step::one_in(20, &[Swap(ALL, SPIRIT_SHIELD, BLESSED_SPIRIT_SHIELD)]),
    Step::one_in(20, &[Wear(MAGE, ETERNAL_BOOTS)]),
    Step::one_in(20, &[Swap(ALL, HELM_OF_NEITIZNOT, GUTHANS_HELM_NEW)]),
    Step::one_in(20, &[Swap(ALL, BLACK_DHIDE_BODY, KARILS_LEATHERTOP)]),
    Step::one_in(20, &[Swap(ALL, HELM_OF_NEITIZNOT, VERACS_HELM)]),
    Step::one_in(
        20,
        &[
            Wear(MELEE, DHAROKS_HELM),
            Wear(MELEE, DHAROKS_PLATEBODY),
            Wear(MELEE, DHAROKS_PLATELEGS),
            Wear(MELEE, DHAROKS_GREATAXE),
        ],
    ),
    Step::one_in(20, &[Without(SUPER_COMBAT_4)]),
    Step::or_one_in(20, &[Doses(COMBAT_DOSES)]),
    Step::one_in(20, &[Without(RANGING_POTION_4)]),
    Step::or_one_in(20, &[Doses(RANGING_DOSES)]),
    Step::one_in(10, &[FewBrews]),
    Step::one_in(10, &[Lunar]),
    Step::one_in(10, &[Fill(ANGLERFISH)]),
];

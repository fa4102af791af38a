//! Abilities and items that a player minds, looked up once.

use std::sync::LazyLock;

use crate::dex::{self, AbilityId, ItemId};

macro_rules! names {
    ($($field:ident: $kind:ty = $find:path, $name:literal;)*) => {
        /// Their numbers.
        #[allow(missing_docs)] // their names say what they are
        pub struct Names { $(pub $field: $kind,)* }

        static NAMES: LazyLock<Names> = LazyLock::new(|| Names {
            // A name that the table lacks stands for nothing that anybody has.
            $($field: $find($name).unwrap_or(<$kind>::from_absent()),)*
        });
    };
}

/// A number that nobody has.
trait Absent {
    fn from_absent() -> Self;
}
impl Absent for AbilityId {
    fn from_absent() -> Self {
        Self(u16::MAX)
    }
}
impl Absent for ItemId {
    fn from_absent() -> Self {
        Self(u16::MAX)
    }
}

names! {
    chlorophyll: AbilityId = dex::ability, "chlorophyll";
    swift_swim: AbilityId = dex::ability, "swiftswim";
    sand_rush: AbilityId = dex::ability, "sandrush";
    slush_rush: AbilityId = dex::ability, "slushrush";
    surge_surfer: AbilityId = dex::ability, "surgesurfer";
    quick_feet: AbilityId = dex::ability, "quickfeet";
    prankster: AbilityId = dex::ability, "prankster";
    gale_wings: AbilityId = dex::ability, "galewings";
    triage: AbilityId = dex::ability, "triage";
    armor_tail: AbilityId = dex::ability, "armortail";
    queenly_majesty: AbilityId = dex::ability, "queenlymajesty";
    dazzling: AbilityId = dex::ability, "dazzling";
    inner_focus: AbilityId = dex::ability, "innerfocus";
    shield_dust: AbilityId = dex::ability, "shielddust";
    good_as_gold: AbilityId = dex::ability, "goodasgold";
    magic_bounce: AbilityId = dex::ability, "magicbounce";
    overcoat: AbilityId = dex::ability, "overcoat";
    insomnia: AbilityId = dex::ability, "insomnia";
    vital_spirit: AbilityId = dex::ability, "vitalspirit";
    sweet_veil: AbilityId = dex::ability, "sweetveil";
    purifying_salt: AbilityId = dex::ability, "purifyingsalt";
    water_veil: AbilityId = dex::ability, "waterveil";
    water_bubble: AbilityId = dex::ability, "waterbubble";
    thermal_exchange: AbilityId = dex::ability, "thermalexchange";
    limber: AbilityId = dex::ability, "limber";
    guts: AbilityId = dex::ability, "guts";
    levitate: AbilityId = dex::ability, "levitate";
    telepathy: AbilityId = dex::ability, "telepathy";
    intimidate: AbilityId = dex::ability, "intimidate";
    clear_body: AbilityId = dex::ability, "clearbody";
    white_smoke: AbilityId = dex::ability, "whitesmoke";
    full_metal_body: AbilityId = dex::ability, "fullmetalbody";
    defiant: AbilityId = dex::ability, "defiant";
    competitive: AbilityId = dex::ability, "competitive";
    contrary: AbilityId = dex::ability, "contrary";
    unseen_fist: AbilityId = dex::ability, "unseenfist";
    sturdy: AbilityId = dex::ability, "sturdy";
    regenerator: AbilityId = dex::ability, "regenerator";
    drought: AbilityId = dex::ability, "drought";
    orichalcum_pulse: AbilityId = dex::ability, "orichalcumpulse";
    drizzle: AbilityId = dex::ability, "drizzle";
    sand_stream: AbilityId = dex::ability, "sandstream";
    snow_warning: AbilityId = dex::ability, "snowwarning";
    comatose: AbilityId = dex::ability, "comatose";
    choice_scarf: ItemId = dex::item, "choicescarf";
    choice_band: ItemId = dex::item, "choiceband";
    choice_specs: ItemId = dex::item, "choicespecs";
    iron_ball: ItemId = dex::item, "ironball";
    air_balloon: ItemId = dex::item, "airballoon";
    safety_goggles: ItemId = dex::item, "safetygoggles";
    covert_cloak: ItemId = dex::item, "covertcloak";
    clear_amulet: ItemId = dex::item, "clearamulet";
    focus_sash: ItemId = dex::item, "focussash";
    assault_vest: ItemId = dex::item, "assaultvest";
    ability_shield: ItemId = dex::item, "abilityshield";
    lum_berry: ItemId = dex::item, "lumberry";
    mental_herb: ItemId = dex::item, "mentalherb";
}

/// Their numbers.
pub fn names() -> &'static Names {
    &NAMES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_them_are_in_the_table() {
        let known = names();
        assert_ne!(known.prankster, AbilityId::from_absent());
        assert_ne!(known.unseen_fist, AbilityId::from_absent());
        assert_ne!(known.sturdy, AbilityId::from_absent());
        assert_ne!(known.choice_scarf, ItemId::from_absent());
        assert_ne!(known.covert_cloak, ItemId::from_absent());
    }
}

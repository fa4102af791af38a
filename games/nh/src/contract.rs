//! The contract: the names and numbers that agents of this game share, whoever simulates it.
//!
//! Observations, heads and dependencies are those of the public PvP-ML environment `NhEnv`.

use lanista_game::{Condition, Feature, Head, Requirement};

/// One number of an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Hidden from the opponent: the critic may see the opponent's.
    pub partial: bool,
    /// The same for a whole fight, or nearly so: nothing new is in it.
    pub constant: bool,
}

/// Shared with the opponent, changing.
const fn open(name: &'static str) -> Field {
    Field { name, partial: false, constant: false }
}

/// Hidden from the opponent, changing.
const fn hidden(name: &'static str) -> Field {
    Field { name, partial: true, constant: false }
}

/// Shared with the opponent, the same all fight long.
const fn known(name: &'static str) -> Field {
    Field { name, partial: false, constant: true }
}

/// Hidden from the opponent, the same all fight long.
const fn secret(name: &'static str) -> Field {
    Field { name, partial: true, constant: true }
}

/// The observation, in order.
pub const FIELDS: [Field; 176] = [
    open("player_using_melee"),
    open("player_using_ranged"),
    open("player_using_mage"),
    open("player_spec_equipped"),
    open("special_energy_percent"),
    open("player_melee_prayer"),
    open("player_ranged_prayer"),
    open("player_magic_prayer"),
    open("player_smite_prayer"),
    open("player_redemption_prayer"),
    hidden("player_health_percent"),
    hidden("target_health_percent"),
    open("target_using_melee"),
    open("target_using_ranged"),
    open("target_using_mage"),
    open("target_spec_equipped"),
    open("target_melee_prayer"),
    open("target_ranged_prayer"),
    open("target_magic_prayer"),
    open("target_smite_prayer"),
    open("target_redemption_prayer"),
    open("target_special_percent"),
    hidden("range_potion_doses"),
    hidden("combat_potion_doses"),
    hidden("super_restore_doses"),
    hidden("brew_doses"),
    hidden("food_count"),
    hidden("karambwan_count"),
    hidden("prayer_points"),
    open("player_frozen_ticks"),
    open("target_frozen_ticks"),
    open("player_frozen_immunity_ticks"),
    open("target_frozen_immunity_ticks"),
    open("player_location_can_melee"),
    hidden("strength_level"),
    hidden("attack_level"),
    hidden("defense_level"),
    hidden("ranged_level"),
    hidden("magic_level"),
    hidden("attack_cycle_ticks"),
    hidden("food_cycle_ticks"),
    open("potion_cycle_ticks"),
    hidden("karambwan_cycle_ticks"),
    hidden("food_attack_delay"),
    open("target_attack_cycle_ticks"),
    open("target_potion_cycle_ticks"),
    hidden("pending_damage_on_target"),
    open("ticks_until_hit_on_target"),
    open("ticks_until_hit_on_player"),
    open("player_just_attacked"),
    open("target_just_attacked"),
    hidden("tick_new_attack_damage"),
    open("damage_on_player_tick"),
    open("damage_on_target_tick"),
    hidden("player_attacking_target"),
    open("player_is_moving"),
    open("target_is_moving"),
    open("player_has_pid"),
    hidden("ice_barrage_usable"),
    hidden("blood_barrage_usable"),
    hidden("destination_to_target_distance"),
    hidden("player_to_destination_distance"),
    hidden("player_to_target_distance"),
    open("player_prayer_correct"),
    open("target_prayer_correct"),
    hidden("total_damage_dealt_scale"),
    open("target_attack_confidence"),
    open("target_melee_hit_percent"),
    open("target_magic_hit_percent"),
    open("target_ranged_hit_percent"),
    open("player_melee_hit_percent"),
    open("player_magic_hit_percent"),
    open("player_ranged_hit_percent"),
    open("target_number_of_hits_off_prayer"),
    open("target_prayer_confidence"),
    open("target_magic_prayer_percent"),
    open("target_ranged_prayer_percent"),
    open("target_melee_prayer_percent"),
    open("player_magic_prayer_percent"),
    open("player_ranged_prayer_percent"),
    open("player_melee_prayer_percent"),
    open("target_correct_pray_percent"),
    open("recent_target_melee_hit_percent"),
    open("recent_target_magic_hit_percent"),
    open("recent_target_ranged_hit_percent"),
    open("recent_player_melee_hit_percent"),
    open("recent_player_magic_hit_percent"),
    open("recent_player_ranged_hit_percent"),
    open("recent_target_number_of_hits_off_prayer"),
    open("recent_target_magic_prayer_percent"),
    open("recent_target_ranged_prayer_percent"),
    open("recent_target_melee_prayer_percent"),
    open("recent_player_magic_prayer_percent"),
    open("recent_player_ranged_prayer_percent"),
    open("recent_player_melee_prayer_percent"),
    open("recent_target_correct_pray_percent"),
    known("absolute_attack_level"),
    known("absolute_strength_level"),
    known("absolute_defense_level"),
    known("absolute_ranged_level"),
    known("absolute_magic_level"),
    known("absolute_prayer_level"),
    known("absolute_hitpoints_level"),
    secret("is_enchanted_dragon_bolt"),
    secret("is_enchanted_opal_bolt"),
    secret("is_enchanted_diamond_bolt"),
    secret("is_mage_spec_weapon_loadout"),
    secret("is_ranged_spec_weapon_loadout"),
    secret("is_mage_spec_weapon_nightmare_staff"),
    secret("is_ranged_spec_weapon_zaryte_cbow"),
    secret("is_ranged_spec_weapon_ballista"),
    secret("is_ranged_spec_weapon_morrigans_javelin"),
    secret("is_ranged_spec_weapon_dragon_knife"),
    secret("is_ranged_spec_weapon_dark_bow"),
    secret("is_melee_spec_dclaws"),
    secret("is_melee_spec_dds"),
    secret("is_melee_spec_ags"),
    secret("is_melee_spec_vls"),
    secret("is_melee_spec_stat_hammer"),
    secret("is_melee_spec_ancient_godsword"),
    secret("is_melee_spec_gmaul"),
    secret("is_blood_fury"),
    secret("is_dharoks_set"),
    secret("is_zuriel_staff"),
    secret("magic_accuracy"),
    secret("magic_strength"),
    secret("ranged_accuracy"),
    secret("ranged_strength"),
    secret("ranged_attack_speed"),
    secret("ranged_attack_range"),
    secret("melee_accuracy"),
    secret("melee_strength"),
    secret("melee_attack_speed"),
    secret("magic_gear_ranged_defence"),
    secret("magic_gear_mage_defence"),
    secret("magic_gear_melee_defence"),
    secret("ranged_gear_ranged_defence"),
    secret("ranged_gear_mage_defence"),
    secret("ranged_gear_melee_defence"),
    secret("melee_gear_ranged_defence"),
    secret("melee_gear_mage_defence"),
    secret("melee_gear_melee_defence"),
    secret("target_current_gear_ranged_defence"),
    secret("target_current_gear_mage_defence"),
    secret("target_current_gear_melee_defence"),
    secret("target_magic_accuracy"),
    secret("target_magic_strength"),
    secret("target_ranged_accuracy"),
    secret("target_ranged_strength"),
    secret("target_melee_accuracy"),
    secret("target_melee_strength"),
    secret("target_magic_gear_ranged_defence"),
    secret("target_magic_gear_mage_defence"),
    secret("target_magic_gear_melee_defence"),
    secret("target_ranged_gear_ranged_defence"),
    secret("target_ranged_gear_mage_defence"),
    secret("target_ranged_gear_melee_defence"),
    secret("target_melee_gear_ranged_defence"),
    secret("target_melee_gear_mage_defence"),
    secret("target_melee_gear_melee_defence"),
    known("is_lms_restrictions"),
    known("is_pvp_arena_rules"),
    open("is_veng_active"),
    open("is_target_veng_active"),
    known("is_player_lunar_spellbook"),
    secret("is_target_lunar_spellbook"),
    open("player_veng_cooldown_ticks"),
    open("target_veng_cooldown_ticks"),
    hidden("is_blood_magic_attack_available"),
    hidden("is_ice_magic_attack_available"),
    hidden("is_magic_spec_attack_available"),
    hidden("is_range_attack_available"),
    hidden("is_range_spec_attack_available"),
    hidden("is_melee_attack_available"),
    hidden("is_melee_spec_attack_available"),
    secret("is_food_anglerfish"),
];

/// How many fields the opponent hides.
pub const PARTIAL: usize = 93;

/// Where the hidden fields are.
pub const HIDDEN: [usize; PARTIAL] = {
    let mut places = [0; PARTIAL];
    let (mut field, mut place) = (0, 0);
    while field < FIELDS.len() {
        if FIELDS[field].partial {
            places[place] = field;
            place += 1;
        }
        field += 1;
    }
    places
};

/// The heads, in order, and their actions.
pub const HEADS: [(&str, &[&str]); 12] = [
    ("attack", &["no_op_attack", "mage_attack", "ranged_attack", "melee_attack"]),
    ("melee_attack_type", &["no_melee_attack", "basic_melee_attack", "melee_special_attack"]),
    ("ranged_attack_type", &["no_ranged_attack", "basic_ranged_attack", "ranged_special_attack"]),
    ("mage_attack_type", &["no_mage_attack", "use_ice_spell", "use_blood_spell", "use_magic_spec"]),
    (
        "potion",
        &["no_potion", "use_brew", "use_restore_potion", "use_combat_potion", "use_ranged_potion"],
    ),
    ("food", &["dont_eat_food", "eat_primary_food"]),
    ("karambwan", &["dont_karambwan", "eat_karambwan"]),
    ("veng", &["dont_use_veng", "use_veng"]),
    ("gear", &["no_gear", "use_tank_gear"]),
    (
        "movement",
        &[
            "dont_move",
            "move_next_to_target",
            "move_under_target",
            "move_to_farcast_tile",
            "move_diagonal_to_target",
        ],
    ),
    (
        "farcast_distance",
        &[
            "no_op_farcast",
            "farcast_2_tiles",
            "farcast_3_tiles",
            "farcast_4_tiles",
            "farcast_5_tiles",
            "farcast_6_tiles",
            "farcast_7_tiles",
        ],
    ),
    (
        "prayer",
        &[
            "no_op_prayer",
            "mage_prayer",
            "ranged_prayer",
            "melee_prayer",
            "smite_prayer",
            "redemption_prayer",
        ],
    ),
];

/// Actions of all heads.
pub const ACTIONS: usize = 45;

/// First action of each head in a mask.
pub const OFFSETS: [usize; 12] = {
    let mut offsets = [0; 12];
    let mut head = 1;
    while head < 12 {
        offsets[head] = offsets[head - 1] + HEADS[head - 1].1.len();
        head += 1;
    }
    offsets
};

/// Heads that go with one action of an earlier head: `(head, earlier head, its action)`. Their first
/// action asks for another choice there, all others for this one.
const WITH: [(usize, usize, u32); 4] = [(1, 0, 3), (2, 0, 2), (3, 0, 1), (10, 9, 3)];

/// The observation for the rest of the program.
pub fn features() -> Vec<Feature> {
    let feature = |field: &Field| match field.constant {
        true => Feature::constant(field.name),
        false => field.name.into(),
    };
    FIELDS.iter().map(feature).collect()
}

/// What the critic sees of the opponent.
pub fn privileged() -> Vec<Feature> {
    HIDDEN.iter().map(|&field| format!("opponent_{}", FIELDS[field].name).into()).collect()
}

/// The heads for the rest of the program.
pub fn heads() -> Vec<Head> {
    HEADS.iter().map(|(name, actions)| Head::new(*name, actions.iter().copied())).collect()
}

/// What an action asks of earlier heads.
pub fn requires() -> Vec<Requirement> {
    let mut requires = Vec::new();
    for (head, earlier, choice) in WITH {
        for action in 0..HEADS[head].1.len() as u32 {
            let condition = if action == 0 { Condition::None } else { Condition::All };
            requires.push(Requirement {
                head,
                action,
                condition,
                choices: vec![(earlier, choice)],
            });
        }
    }
    // Gear is changed by every attack; the tank set goes with none.
    for (action, condition) in [(0, Condition::None), (1, Condition::All)] {
        requires.push(Requirement { head: 8, action, condition, choices: vec![(0, 0)] });
    }
    requires
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contract_has_its_published_sizes() {
        assert_eq!(FIELDS.iter().filter(|field| field.partial).count(), PARTIAL);
        assert_eq!(FIELDS.iter().filter(|field| field.constant).count(), 69);
        let sizes = HEADS.map(|(_, actions)| actions.len());
        assert_eq!(sizes, [4, 3, 3, 4, 5, 2, 2, 2, 2, 5, 7, 6]);
        assert_eq!(sizes.iter().sum::<usize>(), ACTIONS);
        assert_eq!(OFFSETS[11] + sizes[11], ACTIONS);
    }

    #[test]
    fn the_privileged_inputs_are_the_hidden_fields() {
        assert_eq!(privileged().len(), PARTIAL);
        assert_eq!(privileged()[0].name, "opponent_player_health_percent");
        assert_eq!(privileged()[92].name, "opponent_is_food_anglerfish");
    }
}

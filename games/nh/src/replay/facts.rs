//! What the server says beside an observation, and the term that says the same.

use crate::kinds::Style;
use crate::trace::Meta;

/// A term and how the recording tells it; nothing where it is silent.
pub type Fact = (&'static str, fn(&Meta) -> f64);

fn flag(value: bool) -> f64 {
    f64::from(u8::from(value))
}

/// A fifth of the speed, when `holds`.
fn speed(holds: bool, ticks: Option<i32>) -> f64 {
    if holds { ticks.map_or(0.0, |ticks| f64::from(ticks) / 5.0) } else { 0.0 }
}

/// Every fact that a term repeats. The server's own splats are left out: it compares them with
/// themselves and always says none.
pub const FACTS: [Fact; 46] = [
    ("damage_dealt", |m| m.damage_generated_on_target_scale),
    ("damage_received", |m| m.damage_generated_on_player_scale),
    ("splats_dealt", |m| m.damage_dealt),
    ("extra_damage_dealt", |m| m.extra_damage_dealt_on_target_scale),
    ("extra_damage_received", |m| m.extra_damage_dealt_on_player_scale),
    ("smite_damage_dealt", |m| {
        flag(m.hit_with_smite == Some(true)) * m.damage_generated_on_target_scale
    }),
    ("smite_damage_received", |m| {
        flag(m.target_attacked_with_smite == Some(true)) * m.damage_generated_on_player_scale
    }),
    ("magic_damage_received", |m| {
        flag(m.attack_type_received == Some(Style::Magic)) * m.damage_generated_on_player_scale
    }),
    ("healed", |m| m.player_healed_scale),
    ("target_healed", |m| m.target_healed_scale),
    ("attacked_correct_prayer", |m| {
        speed(m.hit_off_prayer == Some(true), m.player_hit_attack_speed)
    }),
    ("attacked_wrong_prayer", |m| {
        speed(m.hit_off_prayer == Some(false), m.player_hit_attack_speed)
    }),
    ("protected_correct_prayer", |m| {
        speed(m.protected_prayer == Some(true), m.target_hit_attack_speed)
    }),
    ("protected_wrong_prayer", |m| {
        speed(m.protected_prayer == Some(false), m.target_hit_attack_speed)
    }),
    ("attacks_melee", |m| flag(m.attack_type_hit == Some(Style::Melee))),
    ("attacks_ranged", |m| flag(m.attack_type_hit == Some(Style::Ranged))),
    ("attacks_magic", |m| flag(m.attack_type_hit == Some(Style::Magic))),
    ("attacked_melee", |m| flag(m.attack_type_received == Some(Style::Melee))),
    ("attacked_ranged", |m| flag(m.attack_type_received == Some(Style::Ranged))),
    ("attacked_magic", |m| flag(m.attack_type_received == Some(Style::Magic))),
    ("hit_speed", |m| m.player_hit_attack_speed.map_or(0.0, f64::from)),
    ("target_hit_speed", |m| m.target_hit_attack_speed.map_or(0.0, f64::from)),
    ("eaten_food", |m| m.eaten_food_scale.unwrap_or(0.0)),
    ("wasted_food", |m| m.wasted_food_scale.unwrap_or(0.0)),
    ("ate_at", |m| m.eat_at_food_scale.unwrap_or(0.0)),
    ("ate_to", |m| m.eat_to_food_scale.unwrap_or(0.0)),
    ("wasted_brew", |m| m.wasted_brew_scale.unwrap_or(0.0)),
    ("brewed_at", |m| m.eat_at_brew_scale.unwrap_or(0.0)),
    ("brewed_to", |m| m.eat_to_brew_scale.unwrap_or(0.0)),
    ("no_prayer", |m| flag(m.current_prayer_percent == 0.0)),
    ("attack_level", |m| m.attack_level_scale - 1.0),
    ("strength_level", |m| m.strength_level_scale - 1.0),
    ("defence_level", |m| m.defence_level_scale - 1.0),
    ("ranged_level", |m| m.ranged_level_scale - 1.0),
    ("magic_level", |m| m.magic_level_scale - 1.0),
    ("health", |m| m.current_health_percent),
    ("prayer", |m| m.current_prayer_percent),
    ("target_health", |m| m.current_target_health_percent),
    ("distance", |m| m.distance),
    ("player_frozen_ticks", |m| f64::from(m.player_frozen_ticks)),
    ("target_frozen_ticks", |m| f64::from(m.target_frozen_ticks)),
    ("food", |m| m.remaining_food_scale),
    ("brew", |m| m.remaining_brew_scale),
    ("target_food", |m| m.target_remaining_food_scale),
    ("target_brew", |m| m.target_remaining_brew_scale),
    ("food_kinds", |m| f64::from(m.food_count)),
];

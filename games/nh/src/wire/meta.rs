//! The numbers beside the observation: what rewards are made of.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::kinds::Style;

/// What the server says about a tick beside the observation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// Own life, in parts of the maximum.
    pub current_health_percent: f64,
    /// Own prayer points, in parts of the maximum.
    pub current_prayer_percent: f64,
    /// The opponent's life, in parts of its maximum.
    pub current_target_health_percent: f64,
    /// Damage taken in this tick, in parts of the maximum.
    pub damage_received: f64,
    /// Damage that the opponent took in this tick, in parts of its maximum.
    pub damage_dealt: f64,
    /// Ticks since the reset.
    pub episode_ticks: i32,
    /// When attacked: did the right prayer protect?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected_prayer: Option<bool>,
    /// When attacking: did no prayer protect the opponent?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit_off_prayer: Option<bool>,
    /// 1 while there is food.
    pub food_count: i32,
    /// Attack, in parts of the maximum.
    pub attack_level_scale: f64,
    /// Strength, in parts of the maximum.
    pub strength_level_scale: f64,
    /// Defence, in parts of the maximum.
    pub defence_level_scale: f64,
    /// Ranged, in parts of the maximum.
    pub ranged_level_scale: f64,
    /// Magic, in parts of the maximum.
    pub magic_level_scale: f64,
    /// When attacking: how.
    #[serde(default, with = "some_style", skip_serializing_if = "Option::is_none")]
    pub attack_type_hit: Option<Style>,
    /// When attacked: how.
    #[serde(default, with = "some_style", skip_serializing_if = "Option::is_none")]
    pub attack_type_received: Option<Style>,
    /// When attacked: what is protected from, if anything.
    #[serde(default, with = "some_style", skip_serializing_if = "Option::is_none")]
    pub player_prayer_type: Option<Style>,
    /// When attacking: what the opponent is protected from, if anything.
    #[serde(default, with = "some_style", skip_serializing_if = "Option::is_none")]
    pub target_prayer_type: Option<Style>,
    /// What the worn weapon is made for.
    #[serde(deserialize_with = "style", serialize_with = "style_name")]
    pub player_attack_style_type: Style,
    /// What the opponent's weapon is made for.
    #[serde(deserialize_with = "style", serialize_with = "style_name")]
    pub target_attack_style_type: Style,
    /// What is protected from.
    #[serde(deserialize_with = "style_or_null", serialize_with = "name_or_null")]
    pub current_player_prayer_type: Option<Style>,
    /// What the opponent is protected from.
    #[serde(deserialize_with = "style_or_null", serialize_with = "name_or_null")]
    pub current_target_prayer_type: Option<Style>,
    /// Tiles between the two.
    pub distance: f64,
    /// Ticks until it can move.
    pub player_frozen_ticks: i32,
    /// Ticks until the opponent can move.
    pub target_frozen_ticks: i32,
    /// What the food heals, in parts of the maximum.
    pub remaining_food_scale: f64,
    /// What the brews heal, in parts of the maximum.
    pub remaining_brew_scale: f64,
    /// 1 while the opponent has food.
    pub target_food_count: i32,
    /// What the opponent's food heals, in parts of its maximum.
    pub target_remaining_food_scale: f64,
    /// What the opponent's brews heal, in parts of its maximum.
    pub target_remaining_brew_scale: f64,
    /// When eating: what did not heal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wasted_food_scale: Option<f64>,
    /// When eating: life after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eat_to_food_scale: Option<f64>,
    /// When eating: life before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eat_at_food_scale: Option<f64>,
    /// When eating: what the food heals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eaten_food_scale: Option<f64>,
    /// When drinking a brew: what did not heal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wasted_brew_scale: Option<f64>,
    /// When drinking a brew: life after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eat_to_brew_scale: Option<f64>,
    /// When drinking a brew: life before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eat_at_brew_scale: Option<f64>,
    /// Damage rolled against it in this tick, landed or not.
    pub damage_generated_on_player_scale: f64,
    /// Damage rolled against the opponent in this tick, landed or not.
    pub damage_generated_on_target_scale: f64,
    /// Damage taken without an attack: vengeance, recoil, bleeding.
    pub extra_damage_dealt_on_player_scale: f64,
    /// The same for the opponent.
    pub extra_damage_dealt_on_target_scale: f64,
    /// When attacking: under smite?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit_with_smite: Option<bool>,
    /// When attacked: under smite?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_attacked_with_smite: Option<bool>,
    /// What spells and amulets healed.
    pub player_healed_scale: f64,
    /// The same for the opponent.
    pub target_healed_scale: f64,
    /// When attacking: ticks between such attacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player_hit_attack_speed: Option<i32>,
    /// When attacked: ticks between such attacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_hit_attack_speed: Option<i32>,
}

/// A style by the server's name for it.
pub(crate) fn style<'de, D: Deserializer<'de>>(from: D) -> Result<Style, D::Error> {
    let name = String::deserialize(from)?;
    named(&name).ok_or_else(|| D::Error::custom(format!("no style is called {name:?}")))
}

// The signature is serde's.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn style_name<S: Serializer>(style: &Style, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(name(*style))
}

/// A style that may be missing.
mod some_style {
    use super::{Deserializer, Serializer, Style, name, style};

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Style>, D::Error> {
        style(from).map(Some)
    }

    // The signature is serde's.
    #[allow(clippy::ref_option)]
    pub fn serialize<S: Serializer>(style: &Option<Style>, to: S) -> Result<S::Ok, S::Error> {
        match style {
            Some(style) => to.serialize_str(name(*style)),
            None => to.serialize_none(),
        }
    }
}

/// The server writes a missing style as the word null.
fn style_or_null<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Style>, D::Error> {
    match String::deserialize(from)?.as_str() {
        "null" => Ok(None),
        name => named(name)
            .map(Some)
            .ok_or_else(|| D::Error::custom(format!("no style is called {name:?}"))),
    }
}

// The signature is serde's.
#[allow(clippy::ref_option)]
fn name_or_null<S: Serializer>(style: &Option<Style>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(style.map_or("null", name))
}

const NAMES: [(Style, &str); 3] =
    [(Style::Melee, "MELEE"), (Style::Ranged, "RANGED"), (Style::Magic, "MAGIC")];

fn named(wanted: &str) -> Option<Style> {
    NAMES.into_iter().find(|(_, name)| *name == wanted).map(|(style, _)| style)
}

fn name(style: Style) -> &'static str {
    NAMES.into_iter().find(|&(known, _)| known == style).map_or("MELEE", |(_, name)| name)
}

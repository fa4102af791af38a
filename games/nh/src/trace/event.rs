//! What happened within a tick, in order.

use serde::Deserialize;

use super::snapshot::item;
use crate::gear::Kind;
use crate::kinds::{Spell, Style};

/// Something that happened within a tick.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// An attack was rolled and is on its way.
    Hit(Hit),
    /// Damage was taken.
    Splat {
        /// Who caused it.
        from: String,
        /// Who took it.
        to: String,
        /// How much, also where less life was left.
        damage: i32,
    },
    /// The scripted opponent performed an action of its script.
    Bot {
        /// The scripted opponent.
        from: String,
        /// Nobody in particular: the recording has a question mark here.
        to: String,
        /// Which action.
        action: String,
    },
}

/// An attack. Where a special attack hits twice, the first event has the rolls of both.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The attacker.
    pub from: String,
    /// The defender.
    pub to: String,
    /// How it was attacked.
    pub style: Style,
    /// The server's name for the way the attack is rolled, special attacks included.
    pub method: String,
    /// Ticks until it lands.
    pub delay: i32,
    /// Did it hit?
    pub accurate: bool,
    /// All its damage.
    pub total: i32,
    /// The damage of each splat.
    pub damages: Vec<i32>,
    /// The rolls for accuracy, in order.
    pub rolls: Vec<Roll>,
    /// The rolls for damage, in order; special attacks may put other damage in their place.
    pub maxes: Vec<DamageRoll>,
    /// The weapon that was wielded.
    pub weapon: Option<Kind>,
    /// The server's name for the mode of the weapon.
    pub mode: String,
    /// The spell that was cast before this attack, whenever that was.
    pub spell: Option<Spell>,
    /// Was it a special attack?
    pub special: bool,
}

/// A roll for accuracy.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Roll {
    /// What the attacker rolls up to.
    pub attack: i32,
    /// What the defender rolls up to.
    pub defence: i32,
    /// The chance to hit.
    pub chance: f32,
    /// What was drawn: a hit if it is below the chance.
    pub uniform: f32,
}

/// A roll for damage.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct DamageRoll {
    /// How it was attacked.
    #[serde(deserialize_with = "crate::wire::style")]
    pub style: Style,
    /// The most it could be.
    pub max: i32,
    /// What was drawn.
    pub rolled: i32,
    /// What protection left of it.
    pub dealt: i32,
}

/// The shapes on the line.
#[derive(Deserialize)]
#[serde(tag = "k", rename_all = "lowercase")]
pub(super) enum Raw {
    Hit(RawHit),
    Splat { from: String, to: String, d: i32 },
    Bot { from: String, to: String, a: String },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RawHit {
    from: String,
    to: String,
    #[serde(rename = "type", deserialize_with = "crate::wire::style")]
    style: Style,
    method: String,
    delay: i32,
    acc: bool,
    total: i32,
    dmg: Vec<i32>,
    rolls: Vec<Roll>,
    max: Vec<DamageRoll>,
    weapon: i32,
    fight_type: String,
    spell: Option<String>,
    spec: bool,
}

impl Raw {
    pub(super) fn check(self) -> Result<Event, String> {
        Ok(match self {
            Self::Splat { from, to, d } => Event::Splat { from, to, damage: d },
            Self::Bot { from, to, a } => Event::Bot { from, to, action: a },
            Self::Hit(raw) => Event::Hit(Hit {
                weapon: item(raw.weapon).map_err(|problem| format!("weapon: {problem}"))?,
                spell: raw.spell.as_deref().map(spell).transpose()?,
                from: raw.from,
                to: raw.to,
                style: raw.style,
                method: raw.method,
                delay: raw.delay,
                accurate: raw.acc,
                total: raw.total,
                damages: raw.dmg,
                rolls: raw.rolls,
                maxes: raw.max,
                mode: raw.fight_type,
                special: raw.spec,
            }),
        })
    }
}

/// The spell of the server's number for it, which a colon precedes.
fn spell(number: &str) -> Result<Spell, String> {
    Ok(match number {
        ":12861" => Spell::IceRush,
        ":12881" => Spell::IceBurst,
        ":12871" => Spell::IceBlitz,
        ":12891" => Spell::IceBarrage,
        ":12901" => Spell::BloodRush,
        ":12919" => Spell::BloodBurst,
        ":12911" => Spell::BloodBlitz,
        ":12929" => Spell::BloodBarrage,
        _ => return Err(format!("spell: no fight knows the spell {number:?}")),
    })
}

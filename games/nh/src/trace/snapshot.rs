//! One fighter after a tick.

use std::collections::HashMap;

use serde::Deserialize;

use crate::gear::{Kind, SLOTS};
use crate::kinds::{Levels, Prayer, Prayers, Spellbook};
use crate::loadout::CARRIED;

/// A fighter as it was after a tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Its name.
    pub name: String,
    /// West to east.
    pub x: i32,
    /// South to north.
    pub y: i32,
    /// Life left.
    pub hp: i16,
    /// Who has less acts first.
    pub pid: f64,
    /// Special energy, in percent.
    pub special: u8,
    /// Will the next attack be a special one?
    pub special_on: bool,
    /// Current levels.
    pub levels: Levels,
    /// Levels without boosts and drains.
    pub max_levels: Levels,
    /// The part of a prayer point that is already used up.
    pub prayer_drain: f64,
    /// Active prayers.
    pub prayers: Prayers,
    /// Worn items by slot number.
    pub worn: [Option<Kind>; SLOTS],
    /// Carried items in order.
    pub inventory: [Option<Kind>; CARRIED],
    /// Timers by name: ticks left, and the same without stopping at 0.
    pub timers: HashMap<String, (i32, i32)>,
    /// The spells at hand.
    pub spellbook: Spellbook,
    /// The server's name for the class of the weapon.
    pub weapon_class: String,
    /// The server's name for the mode of the weapon.
    pub mode: String,
    /// Attack bonuses by [`crate::kinds::Column`].
    pub attack_bonuses: [i16; 5],
    /// Defence bonuses by [`crate::kinds::Column`].
    pub defence_bonuses: [i16; 5],
    /// Melee strength, ranged strength, magic damage in percent, prayer.
    pub other_bonuses: [i16; 4],
    /// Ticks between attacks.
    pub speed: u8,
    /// Is vengeance cast?
    pub vengeance: bool,
    /// Whom it fights at the moment.
    pub target: Option<String>,
    /// Does it run?
    pub running: bool,
    /// Run energy, in percent.
    pub energy: u8,
    /// Points of its path still to go.
    pub path_points: u32,
    /// Is it falling?
    pub dying: bool,
}

/// The shape on the line.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Raw {
    name: String,
    x: i32,
    y: i32,
    hp: i16,
    pid: f64,
    spec: u8,
    spec_on: bool,
    lv: Vec<i16>,
    mx: Vec<i16>,
    pray_drain: f64,
    prayers: Vec<u8>,
    eq: Vec<i32>,
    inv: Vec<i32>,
    timers: HashMap<String, (i32, i32)>,
    book: String,
    weapon: String,
    fight_type: String,
    att_bonus: Vec<i16>,
    def_bonus: Vec<i16>,
    oth_bonus: Vec<i16>,
    speed: u8,
    veng: bool,
    tgt: Option<String>,
    run: bool,
    energy: u8,
    mq: u32,
    dying: bool,
}

impl Raw {
    pub(super) fn check(self) -> Result<Snapshot, String> {
        let spellbook = match self.book.as_str() {
            "ANCIENT" => Spellbook::Ancient,
            "LUNAR" => Spellbook::Lunar,
            other => return Err(format!("book: no spellbook is called {other:?}")),
        };
        Ok(Snapshot {
            name: self.name,
            x: self.x,
            y: self.y,
            hp: self.hp,
            pid: self.pid,
            special: self.spec,
            special_on: self.spec_on,
            levels: exactly("lv", &self.lv)?,
            max_levels: exactly("mx", &self.mx)?,
            prayer_drain: self.pray_drain,
            prayers: prayers(&self.prayers)?,
            worn: items("eq", &self.eq)?,
            inventory: items("inv", &self.inv)?,
            timers: self.timers,
            spellbook,
            weapon_class: self.weapon,
            mode: self.fight_type,
            attack_bonuses: exactly("attBonus", &self.att_bonus)?,
            defence_bonuses: exactly("defBonus", &self.def_bonus)?,
            other_bonuses: exactly("othBonus", &self.oth_bonus)?,
            speed: self.speed,
            vengeance: self.veng,
            target: self.tgt,
            running: self.run,
            energy: self.energy,
            path_points: self.mq,
            dying: self.dying,
        })
    }
}

/// The values, if there are as many as there must be.
pub(super) fn exactly<T: Copy, const N: usize>(name: &str, values: &[T]) -> Result<[T; N], String> {
    values
        .try_into()
        .map_err(|_| format!("{name} has {} values where {N} are needed", values.len()))
}

/// The kind of an item number; -1 is no item.
pub(super) fn item(id: i32) -> Result<Option<Kind>, String> {
    if id == -1 {
        return Ok(None);
    }
    match u16::try_from(id).ok().and_then(Kind::of) {
        Some(kind) => Ok(Some(kind)),
        None => Err(format!("no fight knows the item {id}")),
    }
}

fn items<const N: usize>(name: &str, ids: &[i32]) -> Result<[Option<Kind>; N], String> {
    let ids: [i32; N] = exactly(name, ids)?;
    let mut kinds = [None; N];
    for (place, (kind, id)) in kinds.iter_mut().zip(ids).enumerate() {
        *kind = item(id).map_err(|problem| format!("{name}[{place}]: {problem}"))?;
    }
    Ok(kinds)
}

/// The prayers of the server's numbers for them.
fn prayers(numbers: &[u8]) -> Result<Prayers, String> {
    numbers.iter().try_fold(Prayers::default(), |prayers, number| {
        Ok(prayers.with(match number {
            13 => Prayer::SteelSkin,
            14 => Prayer::UltimateStrength,
            15 => Prayer::IncredibleReflexes,
            16 => Prayer::ProtectMagic,
            17 => Prayer::ProtectMissiles,
            18 => Prayer::ProtectMelee,
            19 => Prayer::EagleEye,
            20 => Prayer::MysticMight,
            22 => Prayer::Redemption,
            23 => Prayer::Smite,
            26 => Prayer::Piety,
            27 => Prayer::Rigour,
            28 => Prayer::Augury,
            _ => return Err(format!("prayers: no fight knows the prayer {number}")),
        }))
    })
}

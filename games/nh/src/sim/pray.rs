//! Prayers: what excludes what, and what they cost.

use super::fighter::Fighter;
use crate::gear::PRAYER;
use crate::kinds::{Prayer, Prayers, Skill};

const fn set(prayers: &[Prayer]) -> u16 {
    let (mut bits, mut i) = (0, 0);
    while i < prayers.len() {
        bits |= prayers[i] as u16;
        i += 1;
    }
    bits
}

const DEFENCE: u16 = set(&[Prayer::SteelSkin, Prayer::Piety, Prayer::Rigour, Prayer::Augury]);
const STRENGTH: u16 = set(&[Prayer::UltimateStrength, Prayer::Piety]);
const ATTACK: u16 = set(&[Prayer::IncredibleReflexes, Prayer::Piety]);
const RANGED: u16 = set(&[Prayer::EagleEye, Prayer::Rigour]);
const MAGIC: u16 = set(&[Prayer::MysticMight, Prayer::Augury]);
const OVERHEAD: u16 = set(&[
    Prayer::ProtectMagic,
    Prayer::ProtectMissiles,
    Prayer::ProtectMelee,
    Prayer::Redemption,
    Prayer::Smite,
]);

/// Every prayer, in the order of the prayer book.
const BOOK: [Prayer; 13] = [
    Prayer::SteelSkin,
    Prayer::UltimateStrength,
    Prayer::IncredibleReflexes,
    Prayer::ProtectMagic,
    Prayer::ProtectMissiles,
    Prayer::ProtectMelee,
    Prayer::EagleEye,
    Prayer::MysticMight,
    Prayer::Redemption,
    Prayer::Smite,
    Prayer::Piety,
    Prayer::Rigour,
    Prayer::Augury,
];

/// What a prayer turns off.
const fn excludes(prayer: Prayer) -> u16 {
    match prayer {
        Prayer::SteelSkin => DEFENCE,
        Prayer::UltimateStrength => STRENGTH | RANGED | MAGIC,
        Prayer::IncredibleReflexes => ATTACK | RANGED | MAGIC,
        Prayer::EagleEye | Prayer::MysticMight => STRENGTH | ATTACK | RANGED | MAGIC,
        Prayer::Piety | Prayer::Rigour | Prayer::Augury => {
            DEFENCE | STRENGTH | ATTACK | RANGED | MAGIC
        }
        _ => OVERHEAD,
    }
}

/// The prayer level that a prayer asks for, and the defence level.
const fn requirement(prayer: Prayer) -> (i16, i16) {
    match prayer {
        Prayer::SteelSkin => (28, 1),
        Prayer::UltimateStrength => (31, 1),
        Prayer::IncredibleReflexes => (34, 1),
        Prayer::ProtectMagic => (37, 1),
        Prayer::ProtectMissiles => (40, 1),
        Prayer::ProtectMelee => (43, 1),
        Prayer::EagleEye => (44, 1),
        Prayer::MysticMight => (45, 1),
        Prayer::Redemption => (49, 1),
        Prayer::Smite => (52, 1),
        Prayer::Piety => (70, 70),
        Prayer::Rigour => (74, 70),
        Prayer::Augury => (77, 70),
    }
}

/// Points that a prayer takes in a minute.
const fn rate(prayer: Prayer) -> f64 {
    match prayer {
        Prayer::Redemption => 10.0,
        Prayer::Smite => 30.0,
        Prayer::Piety | Prayer::Rigour | Prayer::Augury => 40.0,
        _ => 20.0,
    }
}

/// Turns a prayer on, and off what it excludes.
pub fn activate(fighter: &mut Fighter, prayer: Prayer) {
    if fighter.prayers.has(prayer) || fighter.level(Skill::Prayer) <= 0 {
        return;
    }
    let (points, defence) = requirement(prayer);
    if fighter.max_level(Skill::Prayer) < points || fighter.max_level(Skill::Defence) < defence {
        return;
    }
    fighter.prayers = Prayers((fighter.prayers.0 & !excludes(prayer)) | prayer as u16);
    fighter.draining = true;
}

/// Turns every prayer of a set on.
pub fn activate_all(fighter: &mut Fighter, prayers: Prayers) {
    for prayer in BOOK {
        if prayers.has(prayer) {
            activate(fighter, prayer);
        }
    }
}

/// A tick of prayer is paid for; prayer bonuses stretch it. Without points all prayers end.
pub fn pay(fighter: &mut Fighter) {
    if !fighter.draining {
        return;
    }
    let active = BOOK.into_iter().filter(|&prayer| fighter.prayers.has(prayer));
    let mut tick: f64 = active.map(|prayer| rate(prayer) / 60.0 * 600.0 / 1000.0).sum();
    if fighter.hp() <= 0 || tick <= 0.0 {
        fighter.draining = false;
        fighter.drain = 0.0;
        return;
    }
    tick /= 1.0 + 0.0333 * f64::from(fighter.gear.bonuses[PRAYER]);
    fighter.drain += tick;
    let points = fighter.drain as i16;
    if points >= 1 {
        let left = (fighter.level(Skill::Prayer) - points).max(0);
        fighter.levels[Skill::Prayer as usize] = left;
        if left == 0 {
            fighter.prayers = Prayers::default();
            fighter.draining = false;
            fighter.drain = 0.0;
            return;
        }
        fighter.drain -= f64::from(points);
    }
}

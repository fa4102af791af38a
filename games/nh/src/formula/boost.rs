//! What prayers make of levels, in percent. Both rule sets agree on these.
//!
//! Prayers that raise the same skill exclude one another, so the first that is found is the only one.

use crate::kinds::{Prayer, Prayers};

/// Of the attack level.
pub(super) const fn attack(prayers: Prayers) -> i32 {
    if prayers.has(Prayer::IncredibleReflexes) {
        115
    } else if prayers.has(Prayer::Piety) {
        120
    } else {
        100
    }
}

/// Of the strength level.
pub(super) const fn strength(prayers: Prayers) -> i32 {
    if prayers.has(Prayer::UltimateStrength) {
        115
    } else if prayers.has(Prayer::Piety) {
        123
    } else {
        100
    }
}

/// Of the ranged level when it aims.
pub(super) const fn ranged_attack(prayers: Prayers) -> i32 {
    if prayers.has(Prayer::EagleEye) {
        115
    } else if prayers.has(Prayer::Rigour) {
        120
    } else {
        100
    }
}

/// Of the ranged level when it hurts.
pub(super) const fn ranged_strength(prayers: Prayers) -> i32 {
    if prayers.has(Prayer::EagleEye) {
        115
    } else if prayers.has(Prayer::Rigour) {
        123
    } else {
        100
    }
}

/// Of the magic level, in attack and in defence.
pub(super) const fn magic(prayers: Prayers) -> i32 {
    if prayers.has(Prayer::MysticMight) {
        115
    } else if prayers.has(Prayer::Augury) {
        125
    } else {
        100
    }
}

/// Of the defence level.
pub(super) const fn defence(prayers: Prayers) -> i32 {
    if prayers.has(Prayer::SteelSkin) {
        115
    } else if prayers.has(Prayer::Piety)
        || prayers.has(Prayer::Rigour)
        || prayers.has(Prayer::Augury)
    {
        125
    } else {
        100
    }
}

/// Magic damage that prayers add in today's game, in tenths of a percent.
pub(super) const fn magic_damage(prayers: Prayers) -> i32 {
    if prayers.has(Prayer::MysticMight) {
        20
    } else if prayers.has(Prayer::Augury) {
        40
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_prayer_raises_its_own() {
        let table = [
            (Prayer::SteelSkin, [100, 100, 100, 100, 100, 115], 0),
            (Prayer::UltimateStrength, [100, 115, 100, 100, 100, 100], 0),
            (Prayer::IncredibleReflexes, [115, 100, 100, 100, 100, 100], 0),
            (Prayer::EagleEye, [100, 100, 115, 115, 100, 100], 0),
            (Prayer::MysticMight, [100, 100, 100, 100, 115, 100], 20),
            (Prayer::Piety, [120, 123, 100, 100, 100, 125], 0),
            (Prayer::Rigour, [100, 100, 120, 123, 100, 125], 0),
            (Prayer::Augury, [100, 100, 100, 100, 125, 125], 40),
            (Prayer::Smite, [100; 6], 0),
        ];
        for (prayer, percents, tenths) in table {
            let prayers = Prayers::default().with(prayer);
            let found = [attack, strength, ranged_attack, ranged_strength, magic, defence]
                .map(|percent| percent(prayers));
            assert_eq!(found, percents, "{prayer:?}");
            assert_eq!(magic_damage(prayers), tenths, "{prayer:?}");
        }
    }
}

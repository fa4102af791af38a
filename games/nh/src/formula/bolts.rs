//! Enchanted bolts.

use super::{Dice, Fighter, Special, between};
use crate::gear::{Kind, items};
use crate::kinds::{Prayer, Skill};

/// The enchanted bolts of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bolts {
    /// Armour piercing.
    Diamond,
    /// Dragon's breath.
    Dragonstone,
    /// Lucky lightning.
    Opal,
}

impl Bolts {
    /// The effect of bolts.
    pub const fn of(kind: Kind) -> Option<Self> {
        match kind {
            items::DIAMOND_BOLTS_E => Some(Self::Diamond),
            items::OPAL_DRAGON_BOLTS_E => Some(Self::Opal),
            items::DRAGONSTONE_DRAGON_BOLTS_E => Some(Self::Dragonstone),
            _ => None,
        }
    }

    /// What the server makes of the damage of a shot, protection already taken off. Diamonds and
    /// opals work on a miss too, though a diamond multiplies nothing there.
    pub(super) fn server_damage(
        self,
        attacker: &Fighter,
        defender: &Fighter,
        special: Option<Special>,
        accurate: bool,
        damage: i32,
        dice: &mut impl Dice,
    ) -> i32 {
        let sure = accurate && special == Some(Special::ZaryteCrossbow);
        let times = if special == Some(Special::ArmadylCrossbow) { 2.0 } else { 1.0 };
        let zaryte = attacker.worn.zaryte;
        let ranged = attacker.level(Skill::Ranged);
        match self {
            Self::Diamond if sure || dice.happens(0.1 * times) => {
                (f64::from(damage) * if zaryte { 1.25 } else { 1.15 }) as i32
            }
            Self::Opal if sure || dice.happens(0.05 * times) => {
                damage + ranged / if zaryte { 9 } else { 10 }
            }
            Self::Dragonstone
                if (sure || accurate && dice.happens(0.06 * times))
                    && !defender.prayers.has(Prayer::ProtectMagic) =>
            {
                damage + (f64::from(ranged) * if zaryte { 0.22 } else { 0.2 }) as i32
            }
            _ => damage,
        }
    }

    /// What today's game makes of a shot, before protection: whether it is accurate, and its damage.
    /// A diamond draws the damage anew, and hits even when the shot missed.
    pub(super) fn live_shot(
        self,
        attacker: &Fighter,
        special: Option<Special>,
        max: i32,
        (accurate, damage): (bool, i32),
        dice: &mut impl Dice,
    ) -> (bool, i32) {
        let sure = accurate && special == Some(Special::ZaryteCrossbow);
        let times = if special == Some(Special::ArmadylCrossbow) { 2.0 } else { 1.0 };
        let zaryte = attacker.worn.zaryte;
        let ranged = attacker.level(Skill::Ranged);
        match self {
            Self::Diamond if sure || dice.happens(0.05 * times) => {
                (true, between(dice, 0, max * if zaryte { 126 } else { 115 } / 100))
            }
            Self::Opal if sure || dice.happens(0.05 * times) => {
                (accurate, damage + ranged / if zaryte { 9 } else { 10 })
            }
            Self::Dragonstone if sure || accurate && dice.happens(0.06 * times) => {
                (true, damage + ranged * 2 / if zaryte { 9 } else { 10 })
            }
            _ => (accurate, damage),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{struck, wearing};
    use super::super::{Fighter, Swing};
    use crate::kinds::{Prayer, Prayers, Rules, Style};

    const PLAIN: Swing = Swing::plain(Style::Ranged);
    const SPECIAL: Swing = Swing::special(Style::Ranged);

    /// The damage of a shot at someone who prays so.
    fn shot(rules: Rules, prayer: Prayer, items: [u16; 2], swing: Swing, draws: &[i32]) -> i16 {
        let bare = wearing(rules, 99, &[]);
        let target = Fighter { prayers: Prayers::default().with(prayer), ..bare };
        struck(rules, &wearing(rules, 99, &items), &target, swing, draws)[0].1[0]
    }

    #[test]
    fn on_the_server_they_come_after_protection() {
        let shot = |bow, bolts, swing, draws: &[i32]| {
            shot(Rules::Server2024, Prayer::ProtectMissiles, [bow, bolts], swing, draws)
        };
        // 20 are 12 after protection.
        assert_eq!(shot(9185, 9243, PLAIN, &[1, 20, 0]), 12);
        assert_eq!(shot(9185, 9243, PLAIN, &[1, 20, 1]), 13);
        assert_eq!(shot(26374, 9243, SPECIAL, &[1, 20]), 15);
        assert_eq!(shot(9185, 21932, PLAIN, &[0, 1]), 9);
        assert_eq!(shot(26374, 21932, SPECIAL, &[1, 20]), 23);
        assert_eq!(shot(9185, 21948, PLAIN, &[0]), 0);
        assert_eq!(shot(9185, 21948, PLAIN, &[1, 20, 1]), 31);
        assert_eq!(shot(26374, 21948, SPECIAL, &[1, 20]), 33);
    }

    #[test]
    fn protection_from_magic_stops_the_breath_on_the_server() {
        let breath = |rules| shot(rules, Prayer::ProtectMagic, [26374, 21948], SPECIAL, &[1, 20]);
        assert_eq!((breath(Rules::Server2024), breath(Rules::Live)), (20, 42));
    }

    #[test]
    fn today_they_come_before_protection() {
        let shot = |bow, bolts, swing, draws: &[i32]| {
            shot(Rules::Live, Prayer::ProtectMissiles, [bow, bolts], swing, draws)
        };
        // A diamond strikes through a miss.
        assert_eq!(shot(9185, 9243, PLAIN, &[0, 1, 20]), 12);
        assert_eq!(shot(9185, 9243, PLAIN, &[1, 20, 0]), 12);
        assert_eq!(shot(26374, 9243, SPECIAL, &[1, 20, 25]), 15);
        assert_eq!(shot(9185, 21932, PLAIN, &[1, 20, 1]), 17);
        assert_eq!(shot(26374, 21932, SPECIAL, &[1, 20]), 18);
        assert_eq!(shot(9185, 21948, PLAIN, &[0]), 0);
        assert_eq!(shot(9185, 21948, PLAIN, &[1, 0, 1]), 12);
        assert_eq!(shot(26374, 21948, SPECIAL, &[1, 20]), 25);
    }
}

//! Special attacks: whose they are, and what they multiply.

use crate::gear::{Kind, items};
use crate::kinds::{Column, Rules, Spell, Style};

/// Damage, and healing, of the Ancient godsword's sacrifice.
pub const SACRIFICE_DAMAGE: i32 = 25;
/// Ticks from an accurate hit of the Ancient godsword to its sacrifice.
pub const SACRIFICE_TICKS: u8 = 8;
/// Who is farther away than this in any of those ticks escapes it.
pub const SACRIFICE_REACH: i32 = 4;
/// The most that a bleeding from Morrigan's javelin takes at once; it ends when it has taken as much
/// as the hit.
pub const BLEED_STEP: i32 = 5;
/// Ticks between two steps of the bleeding.
pub const BLEED_EVERY: u8 = 3;

/// The special attacks of the contract's weapons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// Dark descent: two arrows of much damage.
    DarkBow,
    /// Slice and dice: four rolls, the first success decides four splats.
    DragonClaws,
    /// Puncture: two quick stabs.
    DragonDagger,
    /// Duality: two knives.
    DragonKnife,
    /// Sever: protection prayers fail.
    DragonScimitar,
    /// The judgement: accuracy and damage.
    ArmadylGodsword,
    /// Blood sacrifice: 25 damage later.
    AncientGodsword,
    /// Armadyl eye: enchanted bolts work twice as often.
    ArmadylCrossbow,
    /// Concentrated shot: more damage.
    Ballista,
    /// Quick smash: at once, as often as energy allows.
    GraniteMaul,
    /// Phantom strike: the wound bleeds.
    MorriganJavelin,
    /// Immolate: much magic damage.
    NightmareStaff,
    /// Smash: lowers defence.
    StatiusWarhammer,
    /// Feint: against a quarter of the defence.
    VestaLongsword,
    /// Energy drain: takes run energy.
    Whip,
    /// Binding tentacle.
    Tentacle,
    /// Evoke: an accurate shot's bolts work for sure.
    ZaryteCrossbow,
}

impl Special {
    /// The special attack of a weapon.
    pub const fn of(kind: Kind) -> Option<Self> {
        Some(match kind {
            items::DRAGON_DAGGER | items::DRAGON_DAGGER_POISONED => Self::DragonDagger,
            items::ABYSSAL_WHIP => Self::Whip,
            items::GRANITE_MAUL => Self::GraniteMaul,
            items::DRAGON_SCIMITAR => Self::DragonScimitar,
            items::DARK_BOW => Self::DarkBow,
            items::ARMADYL_CROSSBOW => Self::ArmadylCrossbow,
            items::ARMADYL_GODSWORD => Self::ArmadylGodsword,
            items::ABYSSAL_TENTACLE => Self::Tentacle,
            items::DRAGON_CLAWS => Self::DragonClaws,
            items::LIGHT_BALLISTA | items::HEAVY_BALLISTA => Self::Ballista,
            items::VESTAS_LONGSWORD => Self::VestaLongsword,
            items::STATIUSS_WARHAMMER => Self::StatiusWarhammer,
            items::MORRIGANS_JAVELIN => Self::MorriganJavelin,
            items::DRAGON_KNIFE => Self::DragonKnife,
            items::VOLATILE_NIGHTMARE_STAFF => Self::NightmareStaff,
            items::ANCIENT_GODSWORD => Self::AncientGodsword,
            items::ZARYTE_CROSSBOW => Self::ZaryteCrossbow,
            _ => return None,
        })
    }

    /// The style of its damage.
    pub const fn style(self) -> Style {
        match self {
            Self::DarkBow
            | Self::DragonKnife
            | Self::ArmadylCrossbow
            | Self::Ballista
            | Self::MorriganJavelin
            | Self::ZaryteCrossbow => Style::Ranged,
            Self::NightmareStaff => Style::Magic,
            _ => Style::Melee,
        }
    }

    /// What the server multiplies the effective attack level with. It forgets this for missiles and
    /// magic, although it has numbers for them.
    pub(super) const fn server_accuracy(self) -> f64 {
        match self {
            Self::ArmadylGodsword | Self::AncientGodsword => 2.0,
            Self::DragonClaws => 1.35,
            Self::DragonScimitar => 1.25,
            Self::DragonDagger => 1.2,
            _ => 1.0,
        }
    }

    /// What the server multiplies the most damage with.
    pub(super) const fn server_damage(self) -> f64 {
        match self {
            Self::DarkBow => 1.5,
            Self::ArmadylGodsword => 1.375,
            Self::Ballista => 1.25,
            Self::DragonDagger => 1.15,
            Self::AncientGodsword => 1.1,
            _ => 1.0,
        }
    }

    /// What today's game multiplies the attack roll with, as a fraction.
    pub(super) const fn live_accuracy(self) -> (i32, i32) {
        match self {
            Self::ArmadylGodsword
            | Self::AncientGodsword
            | Self::ZaryteCrossbow
            | Self::ArmadylCrossbow => (2, 1),
            Self::NightmareStaff => (3, 2),
            Self::Ballista | Self::DragonScimitar | Self::Whip => (5, 4),
            Self::DragonDagger => (23, 20),
            _ => (1, 1),
        }
    }

    /// The defence that today's game rolls against, where it is not that of the weapon's mode.
    pub(super) const fn live_defence(self) -> Option<Column> {
        match self {
            Self::DragonClaws
            | Self::DragonDagger
            | Self::DragonScimitar
            | Self::ArmadylGodsword
            | Self::AncientGodsword => Some(Column::Slash),
            Self::VestaLongsword => Some(Column::Stab),
            _ => None,
        }
    }
}

/// The defence level that a damaging special of Statius's warhammer leaves.
#[inline]
pub const fn drained_defence(level: i16) -> i16 {
    (level as f64 * 0.7) as i16
}

/// How much a spell heals its caster by its damage; only those of blood do.
#[inline]
pub fn blood_heal(rules: Rules, spell: Spell, zuriel: bool, damage: i32) -> i32 {
    let percent = match spell {
        Spell::BloodRush => 10,
        Spell::BloodBurst => 15,
        Spell::BloodBlitz => 20,
        Spell::BloodBarrage => 25,
        _ => return 0,
    };
    match rules {
        Rules::Live => damage * percent * if zuriel { 3 } else { 2 } / 200,
        // The server's shares are not all exact in double precision.
        Rules::Server2024 => {
            let share = f64::from(percent) / 100.0;
            (f64::from(damage) * if zuriel { share * 1.5 } else { share }) as i32
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statius_takes_three_tenths() {
        assert_eq!([0, 1, 45, 75, 99, 120].map(drained_defence), [0, 0, 31, 52, 69, 84]);
    }

    #[test]
    fn blood_spells_heal_by_their_rank() {
        use Spell::{BloodBarrage, BloodBlitz, BloodBurst, BloodRush, IceBarrage};
        let spells = [BloodRush, BloodBurst, BloodBlitz, BloodBarrage, IceBarrage];
        for rules in [Rules::Server2024, Rules::Live] {
            let heals = |zuriel, damage| spells.map(|s| blood_heal(rules, s, zuriel, damage));
            assert_eq!(heals(false, 29), [2, 4, 5, 7, 0]);
            assert_eq!(heals(true, 29), [4, 6, 8, 10, 0]);
            assert_eq!(heals(true, 40), [6, 9, 12, 15, 0]);
        }
    }
}

//! The vocabulary of a fight: skills, styles, prayers, spells, builds.

use serde::{Deserialize, Serialize};

/// The seven skills of a fighter, in the order of the recorded server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Skill {
    /// Melee accuracy.
    Attack,
    /// Defence against everything, with magic's share.
    Defence,
    /// Melee damage.
    Strength,
    /// Life.
    Hitpoints,
    /// Ranged accuracy and damage.
    Ranged,
    /// Prayer points.
    Prayer,
    /// Magic accuracy, spells and most of magic defence.
    Magic,
}

/// How many skills there are.
pub const SKILLS: usize = 7;

/// Current or maximal levels, indexed by [`Skill`].
pub type Levels = [i16; SKILLS];

/// The three ways to attack; also what a protection prayer protects from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Style {
    /// Hand to hand.
    Melee,
    /// Bows, crossbows and what is thrown.
    Ranged,
    /// Spells.
    Magic,
}

/// The column of bonuses that an attack uses, and that it is defended with. The discriminants index
/// the attack bonuses of an item; the defence bonus lies five further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Column {
    /// Daggers, rapiers.
    Stab,
    /// Whips, scimitars, godswords, claws.
    Slash,
    /// Mauls, hammers, staves.
    Crush,
    /// Spells.
    Magic,
    /// Missiles.
    Ranged,
}

/// What a weapon's mode adds to invisible levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// +3 attack.
    Accurate,
    /// +3 strength; for missiles: one tick faster.
    Aggressive,
}

/// The prayers of the contract, each one bit of [`Prayers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Prayer {
    /// Defence × 1.15.
    SteelSkin = 1 << 0,
    /// Strength × 1.15.
    UltimateStrength = 1 << 1,
    /// Attack × 1.15.
    IncredibleReflexes = 1 << 2,
    /// Magic damage × 0.6.
    ProtectMagic = 1 << 3,
    /// Ranged damage × 0.6.
    ProtectMissiles = 1 << 4,
    /// Melee damage × 0.6.
    ProtectMelee = 1 << 5,
    /// Ranged × 1.15.
    EagleEye = 1 << 6,
    /// Magic × 1.15.
    MysticMight = 1 << 7,
    /// Heals a quarter of the prayer level at 10 % of life, and empties prayer.
    Redemption = 1 << 8,
    /// Drains a quarter of the damage from the victim's prayer.
    Smite = 1 << 9,
    /// Attack × 1.20, strength × 1.23, defence × 1.25.
    Piety = 1 << 10,
    /// Ranged accuracy × 1.20, ranged damage × 1.23, defence × 1.25.
    Rigour = 1 << 11,
    /// Magic × 1.25, defence × 1.25.
    Augury = 1 << 12,
}

impl Prayer {
    /// The prayer that protects from a style.
    #[inline]
    pub const fn against(style: Style) -> Self {
        match style {
            Style::Melee => Self::ProtectMelee,
            Style::Ranged => Self::ProtectMissiles,
            Style::Magic => Self::ProtectMagic,
        }
    }
}

/// A set of active prayers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prayers(pub u16);

impl Prayers {
    /// Is this prayer active?
    #[inline]
    pub const fn has(self, prayer: Prayer) -> bool {
        self.0 & prayer as u16 != 0
    }

    /// The set with one prayer more.
    #[inline]
    #[must_use]
    pub const fn with(self, prayer: Prayer) -> Self {
        Self(self.0 | prayer as u16)
    }
}

/// The ancient spells of the contract, weakest first within each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Spell {
    /// Freezes for 8 ticks.
    IceRush,
    /// Freezes for 16 ticks.
    IceBurst,
    /// Freezes for 24 ticks.
    IceBlitz,
    /// Freezes for 32 ticks.
    IceBarrage,
    /// Heals the caster.
    BloodRush,
    /// Heals the caster.
    BloodBurst,
    /// Heals the caster by a fifth of the damage.
    BloodBlitz,
    /// Heals the caster by a quarter of the damage.
    BloodBarrage,
}

impl Spell {
    /// The magic level that it asks for.
    pub const fn level(self) -> i16 {
        match self {
            Self::IceRush => 58,
            Self::IceBurst => 70,
            Self::IceBlitz => 82,
            Self::IceBarrage => 94,
            Self::BloodRush => 56,
            Self::BloodBurst => 68,
            Self::BloodBlitz => 80,
            Self::BloodBarrage => 92,
        }
    }
}

/// The spellbook of a fighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spellbook {
    /// Ice and blood.
    Ancient,
    /// Vengeance.
    Lunar,
}

/// The rules beside those of the build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FightType {
    /// Wilderness.
    Normal,
    /// Last Man Standing: prayer never runs dry; no smite, no redemption.
    Lms,
    /// PvP Arena: who acts first is drawn once.
    PvpArena,
}

/// Which game is simulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rules {
    /// The recorded training server of 2024, quirks included.
    #[default]
    Server2024,
    /// Today's game, where it is known to differ.
    Live,
}

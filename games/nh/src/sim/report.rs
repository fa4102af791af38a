//! What one tick brought for one side: the facts that rewards are made of.

use crate::kinds::Style;

/// An attack of this tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blow {
    /// How it was dealt.
    pub style: Style,
    /// Did the victim protect itself from it?
    pub prayed: bool,
    /// The victim's protection prayer.
    pub prayer: Option<Style>,
    /// Ticks that the attack takes.
    pub speed: i32,
    /// Was the attacker smiting?
    pub smite: bool,
}

/// A meal or a sip of brew, in life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meal {
    /// What it could heal.
    pub heal: i16,
    /// What of that was over the top.
    pub wasted: i16,
    /// Life before.
    pub at: i16,
    /// Life after.
    pub to: i16,
}

/// What one tick brought for one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Its last attack.
    pub blow: Option<Blow>,
    /// Damage of its attacks when they were made.
    pub generated: i16,
    /// Damage that it dealt without attacking: vengeance, bleeding, sacrifice.
    pub extra: i16,
    /// Life that it gained from its attacks.
    pub healed: i16,
    /// Food of this tick; waste and healing add up.
    pub food: Option<Meal>,
    /// Brew of this tick.
    pub brew: Option<Meal>,
}

//! What an attack is worth: its rolls, its damage, its timing.
//!
//! Everything here is a pure function of two fighters, under one of two sets of [`Rules`]. The
//! recorded server computes in single precision and has its own multipliers, so each set has its own
//! file for the [`rolls`] and for the [`strike`] that is made of them; what they share is here.

mod bolts;
mod boost;
mod live;
mod live_strike;
mod server;
mod server_strike;
mod special;
mod timing;
mod worn;

pub use bolts::Bolts;
pub use server::chance as server_chance;
pub use special::{
    BLEED_EVERY, BLEED_STEP, SACRIFICE_DAMAGE, SACRIFICE_REACH, SACRIFICE_TICKS, Special,
    blood_heal, drained_defence,
};
pub use timing::{attack_speed, hit_delay};
pub use worn::{Mode, Worn};

use crate::kinds::{Levels, Prayer, Prayers, Rules, Skill, Spell, Style};

/// Where uniform draws come from.
///
/// Under [`Rules::Server2024`] they are made in the order of the server, those included whose result
/// it throws away, so that recorded draws can be played back.
pub trait Dice {
    /// A whole number from 0 to `n - 1`.
    fn below(&mut self, n: i32) -> i32;

    /// A number from 0 to just below 1.
    fn unit(&mut self) -> f32;

    /// Does something of this probability happen?
    #[inline]
    fn happens(&mut self, chance: f64) -> bool {
        chance > f64::from(self.unit())
    }
}

/// One side of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fighter {
    /// Current levels; hitpoints are the life left.
    pub levels: Levels,
    /// Levels without potions and wounds.
    pub max_levels: Levels,
    /// Active prayers.
    pub prayers: Prayers,
    /// What is worn.
    pub worn: Worn,
}

impl Fighter {
    #[inline]
    fn level(&self, skill: Skill) -> i32 {
        i32::from(self.levels[skill as usize])
    }

    #[inline]
    fn max_level(&self, skill: Skill) -> i32 {
        i32::from(self.max_levels[skill as usize])
    }

    /// Does a protection prayer stand against this style?
    #[inline]
    pub const fn protects(&self, style: Style) -> bool {
        self.prayers.has(Prayer::against(style))
    }

    /// What is left of damage of this style.
    #[inline]
    fn protected(&self, style: Style, damage: i32) -> i32 {
        if self.protects(style) { damage * 3 / 5 } else { damage }
    }
}

/// One attack, as it is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swing {
    /// With what kind of damage.
    pub style: Style,
    /// Is it the weapon's special attack?
    pub special: bool,
    /// The spell; none when a weapon is swung, shot or lets its own magic loose.
    pub spell: Option<Spell>,
    /// How many granite maul specials are spent at once; 1 for everything else.
    pub times: u8,
}

impl Swing {
    /// An ordinary blow or shot.
    pub const fn plain(style: Style) -> Self {
        Self { style, special: false, spell: None, times: 1 }
    }

    /// A special attack.
    pub const fn special(style: Style) -> Self {
        Self { style, special: true, spell: None, times: 1 }
    }

    /// A spell.
    pub const fn cast(spell: Spell) -> Self {
        Self { style: Style::Magic, special: false, spell: Some(spell), times: 1 }
    }

    /// The special attack that this swing makes of a weapon. A special that waits while a spell is
    /// cast is none.
    #[inline]
    pub fn special_of(self, worn: &Worn) -> Option<Special> {
        worn.special
            .filter(|special| self.special && self.spell.is_none() && special.style() == self.style)
    }
}

/// What decides an attack before anything is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rolls {
    /// The attacker's highest accuracy roll.
    pub attack: i32,
    /// The defender's highest defence roll.
    pub defence: i32,
    /// The probability of a hit; on the server a number of single precision.
    pub chance: f64,
    /// The least damage of the ordinary damage roll.
    pub min: i32,
    /// The most damage of the ordinary damage roll, before protection. Specials that draw their
    /// damage otherwise begin from it (claws, Vesta's, Statius's) or ignore it (the nightmare staff
    /// of the server).
    pub max: i32,
}

/// Rolls, chance and damage of an attack.
///
/// ```
/// use lanista_nh::formula::{Fighter, Swing, Worn, rolls};
/// use lanista_nh::gear::{Kind, SLOTS, Slot};
/// use lanista_nh::kinds::{Prayers, Rules, Style};
///
/// let mut items = [None; SLOTS];
/// items[Slot::Weapon as usize] = Kind::of(4151); // a whip
/// let worn = Worn::of(Rules::Live, &items);
/// let levels = [99; 7];
/// let fighter = Fighter { levels, max_levels: levels, prayers: Prayers::default(), worn };
/// let rolls = rolls(Rules::Live, &fighter, &fighter, Swing::plain(Style::Melee));
/// assert_eq!((rolls.attack, rolls.defence, rolls.max), (16_060, 6_848, 24));
/// ```
#[inline]
pub fn rolls(rules: Rules, attacker: &Fighter, defender: &Fighter, swing: Swing) -> Rolls {
    match rules {
        Rules::Server2024 => server::rolls(attacker, defender, swing),
        Rules::Live => live::rolls(attacker, defender, swing),
    }
}

/// The most splats that one hit shows.
pub const SPLATS: usize = 4;
/// The most hits that one attack queues.
pub const HITS: usize = 2;

/// One hit: it is queued, and lands, as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hit {
    /// Did it count as accurate? Spells and Ancient godswords take effect then. The server decides
    /// this by the last accuracy roll, and by damage where a special sets it.
    pub accurate: bool,
    splats: [i16; SPLATS],
    count: u8,
}

impl Hit {
    fn single(accurate: bool, damage: i32) -> Self {
        Self { accurate, splats: [damage as i16, 0, 0, 0], count: 1 }
    }

    fn claws(accurate: bool, splats: [i32; SPLATS]) -> Self {
        Self { accurate, splats: splats.map(|damage| damage as i16), count: SPLATS as u8 }
    }

    /// The damage of each splat, zeros included.
    #[inline]
    pub fn splats(&self) -> &[i16] {
        &self.splats[..usize::from(self.count)]
    }

    /// All of its damage.
    #[inline]
    pub fn damage(&self) -> i32 {
        self.splats.iter().map(|&damage| i32::from(damage)).sum()
    }
}

/// All hits of one attack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strike {
    hits: [Hit; HITS],
    count: u8,
}

impl Strike {
    fn one(hit: Hit) -> Self {
        Self { hits: [hit, Hit::default()], count: 1 }
    }

    /// So many hits, each made anew.
    fn repeat(count: usize, mut hit: impl FnMut() -> Hit) -> Self {
        let mut hits = [Hit::default(); HITS];
        for place in &mut hits[..count] {
            *place = hit();
        }
        Self { hits, count: count as u8 }
    }

    /// The hits, in the order in which they are queued. The second arrow of a dark bow flies longer:
    /// see [`hit_delay`].
    #[inline]
    pub fn hits(&self) -> &[Hit] {
        &self.hits[..usize::from(self.count)]
    }
}

/// How many hits an attack queues.
#[inline]
pub fn hit_count(attacker: &Fighter, swing: Swing) -> usize {
    match swing.special_of(&attacker.worn) {
        Some(Special::DragonDagger | Special::DragonKnife) => 2,
        Some(Special::GraniteMaul) => usize::from(swing.times).clamp(1, HITS),
        _ if swing.style == Style::Ranged && attacker.worn.special == Some(Special::DarkBow) => 2,
        _ => 1,
    }
}

/// Draws the hits of an attack. Their damage is final: protection prayers are in it.
#[inline]
pub fn strike(
    rules: Rules,
    attacker: &Fighter,
    defender: &Fighter,
    swing: Swing,
    rolls: &Rolls,
    dice: &mut impl Dice,
) -> Strike {
    match rules {
        Rules::Server2024 => server_strike::strike(attacker, defender, swing, rolls, dice),
        Rules::Live => live_strike::strike(attacker, defender, swing, rolls, dice),
    }
}

/// A whole number from `low` to `high`, both included.
#[inline]
fn between(dice: &mut impl Dice, low: i32, high: i32) -> i32 {
    low + dice.below(high - low + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gear::{Kind, SLOTS};

    /// A fighter of these levels in these items.
    pub(super) fn wearing(rules: Rules, level: i16, items: &[u16]) -> Fighter {
        let mut slots = [None; SLOTS];
        for &id in items {
            let kind = Kind::of(id).unwrap();
            slots[kind.item().slot.unwrap() as usize] = Some(kind);
        }
        let levels = [level; 7];
        let prayers = Prayers::default();
        Fighter { levels, max_levels: levels, prayers, worn: Worn::of(rules, &slots) }
    }

    /// Draws that are written down: 1 and 0 for what happens and what does not.
    pub(super) struct Script<'a>(pub &'a [i32]);

    impl Script<'_> {
        fn next(&mut self) -> i32 {
            let (&first, rest) = self.0.split_first().unwrap();
            self.0 = rest;
            first
        }
    }

    impl Dice for Script<'_> {
        fn below(&mut self, n: i32) -> i32 {
            let value = self.next();
            assert!((0..n).contains(&value), "{value} is not below {n}");
            value
        }

        fn unit(&mut self) -> f32 {
            if self.next() == 1 { 0.0 } else { 0.999_999 }
        }
    }

    /// Whether each hit is accurate, and its splats, when the draws fall so; all must be used.
    pub(super) fn struck(
        rules: Rules,
        attacker: &Fighter,
        defender: &Fighter,
        swing: Swing,
        draws: &[i32],
    ) -> Vec<(bool, Vec<i16>)> {
        let rolls = rolls(rules, attacker, defender, swing);
        let mut script = Script(draws);
        let strike = strike(rules, attacker, defender, swing, &rolls, &mut script);
        assert!(script.0.is_empty(), "{:?} are left", script.0);
        assert_eq!(strike.hits().len(), hit_count(attacker, swing));
        strike.hits().iter().map(|hit| (hit.accurate, hit.splats().to_vec())).collect()
    }

    #[test]
    fn protection_truncates_like_the_double_precision_of_the_server() {
        for damage in 0..=500 {
            assert_eq!(damage * 3 / 5, (f64::from(damage) * 0.6) as i32);
        }
    }

    #[test]
    fn a_special_belongs_to_its_weapon_and_style() {
        let worn = wearing(Rules::Server2024, 99, &[24424]).worn;
        let staff = Some(Special::NightmareStaff);
        assert_eq!(Swing::special(Style::Magic).special_of(&worn), staff);
        assert_eq!(Swing::special(Style::Melee).special_of(&worn), None);
        assert_eq!(Swing::plain(Style::Magic).special_of(&worn), None);
        assert_eq!(Swing::cast(Spell::IceRush).special_of(&worn), None);
    }

    #[test]
    fn energy_decides_how_often_a_granite_maul_falls() {
        for rules in [Rules::Server2024, Rules::Live] {
            let maul = wearing(rules, 99, &[4153]);
            let swing = Swing { times: 2, ..Swing::special(Style::Melee) };
            let hits = struck(rules, &maul, &maul, swing, &[1, 5, 0]);
            assert_eq!(hits, [(true, vec![5]), (false, vec![0])]);
            let plain = Swing { times: 2, ..Swing::plain(Style::Melee) };
            assert_eq!(hit_count(&maul, plain), 1);
        }
    }
}

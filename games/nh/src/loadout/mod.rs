//! What fighters bring: levels, four sets of gear, potions and food, fixed by the build or randomised.

mod builds;
pub mod java;
mod list;
mod lms;
mod randomize;
mod start;
mod steps;

use serde::{Deserialize, Serialize};

pub use list::List;
pub use start::Start;

use crate::gear::{DEFENCE, Kind, Slot};
use crate::kinds::{Column, FightType, Levels, Prayers, Spellbook, Style};
use java::Random;

/// How many items fit into the inventory.
pub const CARRIED: usize = 28;

/// A set of gear, in the order in which it is put on.
pub type Set = List<12>;

/// Potions, special food and runes, in the order in which they are packed.
pub type Stock = List<CARRIED>;

/// What kind of account fights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Build {
    /// Defence 1.
    #[default]
    Pure,
    /// Defence 45.
    Zerker,
    /// Defence 70.
    Med,
    /// All levels 99.
    Maxed,
    /// Defence 1, in Last Man Standing.
    LmsPure,
    /// Defence 45, in Last Man Standing.
    LmsZerker,
    /// Defence 75, in Last Man Standing.
    LmsMed,
}

impl Build {
    /// Every build, in the order of the contract.
    pub const ALL: [Self; 7] = [
        Self::Pure,
        Self::Zerker,
        Self::Med,
        Self::Maxed,
        Self::LmsPure,
        Self::LmsZerker,
        Self::LmsMed,
    ];

    /// The builds that are drawn from when nothing else is said.
    pub const RANDOM_OPTIONS: [Self; 3] = [Self::Pure, Self::Zerker, Self::Med];

    /// Its name in the contract.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pure => "PURE",
            Self::Zerker => "ZERKER",
            Self::Med => "MED",
            Self::Maxed => "MAXED",
            Self::LmsPure => "LMS_PURE",
            Self::LmsZerker => "LMS_ZERKER",
            Self::LmsMed => "LMS_MED",
        }
    }
}

/// Everything a fighter brings. Without heap, so that every fight can have its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loadout {
    /// The build it belongs to.
    pub build: Build,
    /// Worn to cast. Empty when no attack spell is to be cast.
    pub mage: Set,
    /// Worn to shoot.
    pub ranged: Set,
    /// Worn to hit.
    pub melee: Set,
    /// Worn for the melee special attack.
    pub spec: Set,
    /// Worn to be hit: the ranged set, with the mage weapon if that protects better.
    pub tank: Set,
    /// What is carried beside gear and food.
    pub stock: Stock,
    /// The food that fills the inventory.
    pub food: Kind,
    /// Maximal levels.
    pub levels: Levels,
    /// Offensive prayers, indexed by [`Style`].
    pub prayers: [Prayers; 3],
    /// The spells at hand.
    pub spellbook: Spellbook,
    /// The rules that go with the build.
    pub fight_type: FightType,
}

impl Loadout {
    /// The loadout of a build.
    pub fn of(build: Build) -> Self {
        let mut loadout = match build {
            Build::Pure => builds::PURE,
            Build::Zerker => builds::ZERKER,
            Build::Med => builds::MED,
            Build::Maxed => builds::MAXED,
            Build::LmsPure => lms::PURE,
            Build::LmsZerker => lms::ZERKER,
            Build::LmsMed => lms::MED,
        };
        loadout.tank = loadout.toughest();
        loadout
    }

    /// The loadout that the recorded server draws for a build in the episode with this id.
    ///
    /// The server makes an id up where it is given none; here the empty id is one like any other.
    pub fn randomized(build: Build, episode_id: &str) -> Self {
        Self::randomized_from(build, &mut Random::of(episode_id))
    }

    /// The loadout that comes out of these draws.
    pub fn randomized_from(build: Build, random: &mut Random) -> Self {
        let mut loadout = Self::of(build);
        randomize::randomize(&mut loadout, random);
        loadout.tank = loadout.toughest();
        loadout
    }

    /// The prayers that go with an attack.
    #[inline]
    pub fn offensive(&self, style: Style) -> Prayers {
        self.prayers[style as usize]
    }

    /// The ranged set, its weapon exchanged for that of the mage set where the latter leaves a hand
    /// for the shield and adds more against slashes, spells and missiles together.
    fn toughest(&self) -> Set {
        let mut tank = self.ranged;
        let (Some(staff), Some(bow)) =
            (self.mage.in_slot(Slot::Weapon), self.ranged.in_slot(Slot::Weapon))
        else {
            return tank;
        };
        if !staff.item().two_handed
            && protection(staff) > protection(bow)
            && let Some(place) = tank.iter_mut().find(|held| **held == bow)
        {
            *place = staff;
        }
        tank
    }
}

fn protection(item: Kind) -> i16 {
    [Column::Slash, Column::Magic, Column::Ranged]
        .map(|column| item.item().bonuses[DEFENCE + column as usize])
        .iter()
        .sum()
}

/// The build of a fight between these two, when builds are randomised: no draw, but the smallest
/// number among their names. Names that are numbers count first, then numbers among their words, then
/// the hash of both. Both fighters thus arrive at the same build.
///
/// Without options it is one of [`Build::RANDOM_OPTIONS`]. Numbers beyond 31 bits are passed over;
/// the recorded server refuses both.
pub fn randomize_build(agent: &str, target: &str, options: &[Build]) -> Build {
    let options = if options.is_empty() { &Build::RANDOM_OPTIONS } else { options };
    let names = [agent, target];
    let number = (names.iter().copied().filter_map(number).min())
        .or_else(|| names.iter().flat_map(|name| name.split(' ')).filter_map(number).min())
        .unwrap_or_else(|| {
            // In the order of their UTF-16 units, as the hash is taken over those.
            let swapped = agent.encode_utf16().gt(target.encode_utf16());
            let [first, second] = if swapped { [target, agent] } else { names };
            java::string_hash(&[first, second].concat()).unsigned_abs()
        });
    options[number as usize % options.len()]
}

fn number(word: &str) -> Option<u32> {
    let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| word.parse::<i32>().ok()).flatten().map(i32::unsigned_abs)
}

#[cfg(test)]
mod tests;

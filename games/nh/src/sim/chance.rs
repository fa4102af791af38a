//! Where a fight is left to chance.

use super::Fight;
use super::combat::Attack;
use super::path::Tile;
use crate::formula;

/// What the dice say about one hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rolled {
    /// Damage of each splat.
    pub damage: [i16; 4],
    /// Number of splats.
    pub splats: u8,
    /// Did the last accuracy roll succeed?
    pub accurate: bool,
}

impl Rolled {
    /// A hit of the formulas.
    pub fn of(hit: &formula::Hit) -> Self {
        let mut rolled = Self { accurate: hit.accurate, ..Self::default() };
        for (place, &damage) in rolled.damage.iter_mut().zip(hit.splats()) {
            *place = damage;
            rolled.splats += 1;
        }
        rolled
    }
}

/// What the dice say about one attack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strike {
    /// Its hits.
    pub hits: [Rolled; 4],
    /// How many hits it has.
    pub count: u8,
}

/// Everything a fight asks of chance. A match rolls dice; a recorded fight answers with what
/// happened.
pub trait Chance {
    /// Rolls an attack of `who`.
    fn strike(&mut self, fight: &Fight, who: usize, attack: Attack) -> Strike;

    /// Does the blood fury of `who` heal after this damage?
    fn blood_fury(&mut self, who: usize) -> bool;

    /// Does a poisoned weapon of `who` poison the other?
    fn poison(&mut self, who: usize) -> bool;

    /// A new place of `who` in the order of play, and how many ticks it lasts.
    fn pid(&mut self, who: usize) -> (f64, i16);

    /// Picks one of several equally near tiles for `who`.
    fn tile(&mut self, who: usize, tiles: &[Tile]) -> Tile;

    /// Does the script of `who` change its protection prayer in this tick?
    fn overhead(&mut self, who: usize) -> bool;

    /// Which of three ways the script of `who` steps aside.
    fn aside(&mut self, who: usize) -> usize;

    /// Where the script of `who` strolls before it is attacked: an offset from its home, or nowhere.
    fn stroll(&mut self, who: usize) -> Option<(i16, i16)>;
}

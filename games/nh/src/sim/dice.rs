//! Chance by a generator.

use lanista_game::seed::Rng;
use rand::RngExt;

use super::Fight;
use super::chance::{Chance, Rolled, Strike};
use super::combat::Attack;
use super::other;
use super::path::Tile;
use crate::formula::{self, Dice};

/// Everything is drawn from one generator.
#[derive(Clone, Debug)]
pub struct Random(pub Rng);

impl Dice for Random {
    #[inline]
    fn below(&mut self, n: i32) -> i32 {
        if n <= 1 { 0 } else { self.0.random_range(0..n) }
    }

    #[inline]
    fn unit(&mut self) -> f32 {
        self.0.random()
    }
}

impl Chance for Random {
    fn strike(&mut self, fight: &Fight, who: usize, attack: Attack) -> Strike {
        let (attacker, victim) = (fight.fighters[who].sheet(), fight.fighters[other(who)].sheet());
        let swing = attack.method.swing(attack.mauls);
        let rolls = formula::rolls(fight.rules, &attacker, &victim, swing);
        let rolled = formula::strike(fight.rules, &attacker, &victim, swing, &rolls, self);
        let mut strike = Strike::default();
        for (place, hit) in strike.hits.iter_mut().zip(rolled.hits()) {
            *place = Rolled::of(hit);
            strike.count += 1;
        }
        strike
    }

    fn blood_fury(&mut self, _: usize) -> bool {
        self.below(101) < 20
    }

    fn poison(&mut self, _: usize) -> bool {
        self.below(21) <= 5
    }

    fn pid(&mut self, _: usize) -> (f64, i16) {
        (self.0.random(), self.0.random_range(40..=60))
    }

    fn tile(&mut self, _: usize, tiles: &[Tile]) -> Tile {
        tiles[self.0.random_range(0..tiles.len())]
    }

    fn overhead(&mut self, _: usize) -> bool {
        self.below(5) == 2
    }

    fn aside(&mut self, _: usize) -> usize {
        self.0.random_range(0..3)
    }

    fn stroll(&mut self, _: usize) -> Option<(i16, i16)> {
        let rarely = self.0.random_range(40..=80);
        if self.0.random_range(0..=rarely) > 1 {
            return None;
        }
        let radius: i16 = self.0.random_range(1..=6);
        Some((self.0.random_range(-radius..=radius), self.0.random_range(-radius..=radius)))
    }
}

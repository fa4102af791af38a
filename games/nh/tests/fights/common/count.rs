//! Dice that count what they are asked for.

use lanista_nh::formula::{self, Special};
use lanista_nh::sim::chance::{Chance, Strike};
use lanista_nh::sim::combat::{Attack, Method};
use lanista_nh::sim::dice::Random;
use lanista_nh::sim::path::Tile;
use lanista_nh::sim::{Fight, other};

/// Hits of one style.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hits {
    pub hits: f64,
    pub accurate: f64,
    pub damage: f64,
    pub damage_if_accurate: f64,
    /// Chances to hit, added up.
    pub chance: f64,
    /// Most damage of the ordinary roll of accurate hits, added up.
    pub max: f64,
}

/// The special attacks of the recorded fights.
pub const SPECIALS: [Special; 3] =
    [Special::ArmadylGodsword, Special::ZaryteCrossbow, Special::DragonDagger];

/// What one side did.
#[derive(Clone, Debug, Default)]
pub struct Deeds {
    pub styles: [Hits; 3],
    /// Hits of the [`SPECIALS`], and their damage.
    pub specials: [(f64, f64); 3],
}

impl Deeds {
    pub fn hits(&self) -> f64 {
        self.styles.iter().map(|style| style.hits).sum()
    }

    pub fn damage(&self) -> f64 {
        self.styles.iter().map(|style| style.damage).sum()
    }

    pub fn specials(&self) -> f64 {
        self.specials.iter().map(|(hits, _)| hits).sum()
    }
}

/// Dice that count.
pub struct Counted {
    pub dice: Random,
    pub deeds: [Deeds; 2],
    /// How often the script saw to its protection prayer.
    pub overheads: u32,
    /// How often the script stepped aside.
    pub asides: u32,
}

impl Counted {
    pub fn new(dice: Random) -> Self {
        Self { dice, deeds: Default::default(), overheads: 0, asides: 0 }
    }
}

impl Chance for Counted {
    fn strike(&mut self, fight: &Fight, who: usize, attack: Attack) -> Strike {
        let strike = self.dice.strike(fight, who, attack);
        let [attacker, victim] = [who, other(who)].map(|side| fight.fighters[side].sheet());
        let swing = attack.method.swing(attack.mauls);
        let rolls = formula::rolls(fight.rules, &attacker, &victim, swing);
        let deeds = &mut self.deeds[who];
        for hit in &strike.hits[..usize::from(strike.count)] {
            let damage: i16 = hit.damage[..usize::from(hit.splats)].iter().sum();
            let damage = f64::from(damage);
            let style = &mut deeds.styles[attack.method.style() as usize];
            style.hits += 1.0;
            style.damage += damage;
            style.chance += rolls.chance;
            if hit.accurate {
                style.max += f64::from(rolls.max);
                style.accurate += 1.0;
                style.damage_if_accurate += damage;
            }
            if let Method::Special(kind) = attack.method
                && let Some(special) = Special::of(kind)
                && let Some(place) = SPECIALS.iter().position(|&known| known == special)
            {
                deeds.specials[place].0 += 1.0;
                deeds.specials[place].1 += damage;
            }
        }
        strike
    }

    fn blood_fury(&mut self, who: usize) -> bool {
        self.dice.blood_fury(who)
    }

    fn poison(&mut self, who: usize) -> bool {
        self.dice.poison(who)
    }

    fn pid(&mut self, who: usize) -> (f64, i16) {
        self.dice.pid(who)
    }

    fn tile(&mut self, who: usize, tiles: &[Tile]) -> Tile {
        self.dice.tile(who, tiles)
    }

    fn overhead(&mut self, who: usize) -> bool {
        let overhead = self.dice.overhead(who);
        self.overheads += u32::from(overhead);
        overhead
    }

    fn aside(&mut self, who: usize) -> usize {
        self.asides += 1;
        self.dice.aside(who)
    }

    fn stroll(&mut self, who: usize) -> Option<(i16, i16)> {
        self.dice.stroll(who)
    }
}

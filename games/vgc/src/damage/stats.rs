//! Stats and speed.

use super::facts::Facts;
use super::kinds::{AbilityKind, ItemKind};
use crate::dex::{Nature, Stat};
use crate::format::Format;
use crate::state::{Status, Terrain, Weather};

/// Stats of a set in the order hp, atk, def, spa, spd, spe.
///
/// The main games reckon with values (`ivs`, 0 to 31) and efforts (`evs`, 0 to 252) at a level; Champions gives
/// points (`evs`, 0 to 32) on top of level 50 with the best values, whatever `ivs` says. Sources: `statModify`
/// in sim/battle and data/mods/champions/scripts of the simulator.
pub fn stats_of(
    format: &Format,
    base: [u16; 6],
    level: u8,
    ivs: [u8; 6],
    evs: [u8; 6],
    nature: Option<&Nature>,
) -> [u16; 6] {
    stats_in(Facts::of(format).champions, base, level, ivs, evs, nature)
}

fn stats_in(
    champions: bool,
    base: [u16; 6],
    level: u8,
    ivs: [u8; 6],
    evs: [u8; 6],
    nature: Option<&Nature>,
) -> [u16; 6] {
    let level = u32::from(level);
    std::array::from_fn(|at| {
        let (base, iv, ev) = (u32::from(base[at]), u32::from(ivs[at]), u32::from(evs[at]));
        let plain = match (champions, at) {
            // Shedinja has one point whatever is put into it.
            (_, 0) if base == 1 => return 1,
            (true, 0) => base + ev + 75,
            (true, _) => base + ev + 20,
            (false, 0) => (2 * base + iv + ev / 4 + 100) * level / 100 + 10,
            (false, _) => (2 * base + iv + ev / 4) * level / 100 + 5,
        };
        let is = |stat: Option<Stat>| at > 0 && stat.is_some_and(|stat| stat as usize == at);
        (match nature {
            // A stat cannot pass what fits after the nature: 595 and 728, as the games cap it.
            Some(nature) if is(nature.plus) => plain.min(595) * 110 / 100,
            Some(nature) if is(nature.minus) => plain.min(728) * 90 / 100,
            _ => plain,
        }) as u16
    })
}

/// From so much base speed on, somebody unknown is taken for a fast one.
const FAST: u16 = 70;

/// Stats of somebody whose set is not known: a neutral nature, the best values, everything into the better
/// attack, and as much into speed if the species is fast (base 70 and more) or else into health. What is left
/// goes into health. People bring sharper sets than this; it is the middle of them.
pub(super) fn guess(champions: bool, base: [u16; 6], level: u8) -> [u16; 6] {
    let (most, rest) = if champions { (32, 2) } else { (252, 4) };
    let mut evs = [0; 6];
    evs[if base[1] >= base[3] { 1 } else { 3 }] = most;
    if base[5] >= FAST {
        evs[5] = most;
        evs[0] = rest;
    } else {
        evs[0] = most;
        evs[5] = rest;
    }
    stats_in(champions, base, level, [31; 6], evs, None)
}

/// Stats, in the order of a species', of somebody whose points and nature are not known.
pub fn likely_stats(format: &Format, base: [u16; 6], level: u8) -> [u16; 6] {
    guess(Facts::of(format).champions, base, level)
}

/// What a stat becomes with another form's base: its points are those that explain it with a neutral nature,
/// or else with a good or a bad one.
pub(super) fn reformed(champions: bool, stat: u16, from: u16, to: u16, level: u8) -> u16 {
    let one = |base: u16, ev: u32| {
        let (base, level) = (u32::from(base), u32::from(level));
        if champions { base + ev + 20 } else { (2 * base + 31 + ev) * level / 100 + 5 }
    };
    let most = if champions { 32 } else { 63 };
    for percent in [100, 110, 90] {
        for ev in 0..=most {
            if one(from, ev) * percent / 100 == u32::from(stat) {
                return (one(to, ev) * percent / 100) as u16;
            }
        }
    }
    (u32::from(stat) * one(to, 0) / one(from, 0).max(1)) as u16
}

/// A stat at a stage of -6 to 6.
pub fn staged(stat: u16, stage: i8) -> u32 {
    let (stat, steps) = (u32::from(stat), u32::from(stage.unsigned_abs().min(6)));
    if stage >= 0 { stat * (2 + steps) / 2 } else { stat * 2 / (2 + steps) }
}

/// A product of modifiers in parts of 4096, rounded after each as the games do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chain(pub u32);

impl Chain {
    /// No change.
    pub const ONE: Self = Self(4096);

    /// One more.
    pub fn by(&mut self, parts: u32) {
        self.0 = (self.0 * parts + 2048) >> 12;
    }

    /// One more if so.
    pub fn by_if(&mut self, when: bool, parts: u32) {
        if when {
            self.by(parts);
        }
    }

    /// A number changed by it: halves are rounded down.
    pub fn on(self, value: u32) -> u32 {
        modify(value, self.0)
    }
}

/// A number times parts of 4096: halves are rounded down.
pub(super) fn modify(value: u32, parts: u32) -> u32 {
    ((u64::from(value) * u64::from(parts) + 2047) >> 12) as u32
}

/// What speed depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runner {
    pub stat: u16,
    pub stage: i8,
    pub status: Status,
    pub ability: AbilityKind,
    pub item: ItemKind,
    /// It has lost what it held since it came in, and holds nothing.
    pub unburdened: bool,
    pub slow_start: bool,
    pub paradox_speed: bool,
    pub tailwind: bool,
    pub weather: Option<Weather>,
    pub terrain: Option<Terrain>,
}

impl Runner {
    /// Its speed; Trick Room does not change it but the order.
    pub fn speed(&self) -> u32 {
        let mut chain = Chain::ONE;
        let sun = matches!(self.weather, Some(Weather::Sun | Weather::HarshSun));
        let rain = matches!(self.weather, Some(Weather::Rain | Weather::HeavyRain));
        let dry = self.item == ItemKind::UtilityUmbrella;
        match self.ability {
            AbilityKind::Chlorophyll => chain.by_if(sun && !dry, 8192),
            AbilityKind::SwiftSwim => chain.by_if(rain && !dry, 8192),
            AbilityKind::SandRush => chain.by_if(self.weather == Some(Weather::Sand), 8192),
            AbilityKind::SlushRush => chain.by_if(self.weather == Some(Weather::Snow), 8192),
            AbilityKind::SurgeSurfer => chain.by_if(self.terrain == Some(Terrain::Electric), 8192),
            AbilityKind::QuickFeet => chain.by_if(self.status != Status::Healthy, 6144),
            AbilityKind::SlowStart => chain.by_if(self.slow_start, 2048),
            AbilityKind::Unburden => chain.by_if(self.unburdened, 8192),
            AbilityKind::Protosynthesis | AbilityKind::QuarkDrive => {
                chain.by_if(self.paradox_speed, 6144);
            }
            _ => {}
        }
        match self.item {
            ItemKind::ChoiceScarf => chain.by(6144),
            ItemKind::IronBall
            | ItemKind::PowerAnklet
            | ItemKind::PowerBand
            | ItemKind::PowerBelt
            | ItemKind::PowerBracer
            | ItemKind::PowerLens
            | ItemKind::PowerWeight => chain.by(2048),
            _ => {}
        }
        chain.by_if(self.tailwind, 8192);
        let mut speed = chain.on(staged(self.stat, self.stage));
        if self.status == Status::Paralysis && self.ability != AbilityKind::QuickFeet {
            speed /= 2;
        }
        speed.min(10_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dex::nature;
    use crate::format::Format;

    /// Numbers of the pinned simulator: a battle begun with these sets, `storedStats` and `maxhp` read.
    #[test]
    fn stats_are_the_simulators() {
        let main = Format::of("gen9vgc2024regg").unwrap();
        // Iron Hands, level 50, Adamant, 252 hp, 140 atk, 108 spd, an individual value of 0 in speed.
        let hands = stats_of(
            main,
            [154, 140, 108, 50, 68, 50],
            50,
            [31, 31, 31, 31, 31, 0],
            [252, 140, 0, 0, 108, 0],
            nature("Adamant"),
        );
        assert_eq!(hands, [261, 195, 128, 63, 102, 55]);
        let champions = Format::of("gen9championsvgc2026regmb").unwrap();
        let garchomp = [108, 130, 95, 80, 85, 102];
        let set = stats_of(champions, garchomp, 50, [31; 6], [2, 32, 0, 0, 0, 32], nature("Jolly"));
        assert_eq!(set, [185, 182, 115, 90, 105, 169]);
    }

    #[test]
    fn another_form_keeps_the_points() {
        // 182 = 130 + 32 + 20 becomes 170 + 32 + 20 as Mega Garchomp.
        assert_eq!(reformed(true, 182, 130, 170, 50), 222);
        assert_eq!(reformed(true, 169, 102, 92, 50), 158);
    }

    #[test]
    fn products_round_after_each_factor() {
        // chainModify(5324), then chainModify(0.75): 5324 * 3072 + 2048 >> 12.
        let mut chain = Chain::ONE;
        chain.by(5324);
        chain.by(3072);
        assert_eq!(chain, Chain(3993));
        // Halves are rounded down: modify(3, 0.5) is 1, modify(5, 0.5) is 2.
        assert_eq!((modify(3, 2048), modify(5, 2048), modify(100, 3072)), (1, 2, 75));
    }
}

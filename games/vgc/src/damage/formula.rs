//! The formula of damage, in whole numbers as the simulator reckons.
//!
//! Source: `getDamage` and `modifyDamage` in sim/battle-actions of the pinned simulator, and the handlers of
//! its data. Modifiers are parts of 4096; products of them are rounded to the nearest, numbers changed by
//! them have halves rounded down.

use super::clash::{Clash, umbrella};
use super::combatant::{Combatant, Conditions, Outcome, Strike};
use super::facts::{Facts, Family, against, flag};
use super::kinds::{AbilityKind, ItemKind, MoveKind, SpeciesKind};
use super::stats::{Chain, modify, staged};
use crate::dex::{Stat, Type};
use crate::format::Format;
use crate::state::{Status, Terrain, Weather};

const HALF: u32 = 2048;
const THREE_QUARTERS: u32 = 3072;
const HALF_MORE: u32 = 6144;
const DOUBLE: u32 = 8192;

/// What one stroke does, between two that are fully known.
///
/// Immunity by type and by ability is part of it; whether the move comes to be used at all, hits, or is
/// protected against is not ([`super::estimate()`] knows of those).
pub fn strike(
    format: &Format,
    attacker: &Combatant,
    target: &Combatant,
    strike: &Strike,
    around: &Conditions,
) -> Outcome {
    Clash::new(Facts::of(format), attacker, target, strike, around).outcome()
}

impl Clash<'_> {
    /// The whole of it.
    pub fn outcome(&self) -> Outcome {
        if self.immune() {
            return Outcome::immune(self.element, self.physical);
        }
        let effectiveness = self.effectiveness();
        let of = |rolls: [u16; 16]| Outcome {
            rolls,
            effectiveness,
            immune: false,
            element: self.element,
            physical: self.physical,
        };
        if let Some(points) = self.fixed() {
            return of([points; 16]);
        }
        let written = self.written_power();
        if written == 0 {
            return of([0; 16]);
        }
        let power = self.floor_of_tera(self.whole_power(written));
        let (attack, defence) = (self.attack(), self.defence());
        let level = u32::from(self.attacker.level);
        let base = (2 * level / 5 + 2) * power * attack / defence / 50;
        of(self.rolls(base, effectiveness))
    }

    /// Damage that no stat changes.
    fn fixed(&self) -> Option<u16> {
        let (attacker, target) = (self.attacker, self.target);
        if self.a_move.is(flag::OHKO) {
            return Some(target.max_hp);
        }
        match self.a_move.kind {
            MoveKind::SuperFang | MoveKind::Ruination => Some((target.hp / 2).max(1)),
            MoveKind::Endeavor => Some(target.hp.saturating_sub(attacker.hp)),
            MoveKind::FinalGambit => Some(attacker.hp),
            MoveKind::Counter
            | MoveKind::MirrorCoat
            | MoveKind::MetalBurst
            | MoveKind::Comeuppance => Some(self.strike.returned),
            _ => match self.a_move.fixed {
                0 => None,
                u16::MAX => Some(u16::from(attacker.level)),
                points => Some(points),
            },
        }
    }

    /// The attacking stat with stages and everything that strengthens it.
    fn attack(&self) -> u32 {
        let foul = self.a_move.is(flag::FOUL_PLAY);
        let who = if foul { self.target } else { self.attacker };
        let plain = if self.physical { Stat::Atk } else { Stat::Spa };
        let mut stat = self.a_move.attacks_with.unwrap_or(plain);
        if self.around.wonder_room {
            // Body Press: Wonder Room has it use the other defence's stages, and the other's number is this one.
            stat = match stat {
                Stat::Def if self.a_move.attacks_with.is_some() => Stat::Spd,
                other => other,
            };
        }
        let mut stage = who.stages[stat as usize - 1];
        if self.strike.critical && stage < 0 || self.foe == AbilityKind::Unaware {
            stage = 0;
        }
        let attack = staged(self.stat_of(who, stat), stage);
        self.strengthened_attack(attack).max(1)
    }

    /// A stat as it is stored, with Wonder Room reckoned in.
    fn stat_of(&self, who: &Combatant, stat: Stat) -> u16 {
        let stored = match (stat, self.around.wonder_room) {
            (Stat::Def, true) => Stat::Spd,
            (Stat::Spd, true) => Stat::Def,
            (other, _) => other,
        };
        who.stats[stored as usize - 1]
    }

    fn strengthened_attack(&self, attack: u32) -> u32 {
        let (attacker, around) = (self.attacker, self.around);
        let is = |one: Type| self.element == Some(one);
        let physical = self.physical;
        let weather = umbrella(around.weather, self.held.kind);
        let sun = matches!(weather, Some(Weather::Sun | Weather::HarshSun));
        let pinch = u32::from(attacker.hp) * 3 <= u32::from(attacker.max_hp);
        let mut attack = attack;
        let mut chain = Chain::ONE;
        let foe_weakens = match self.foe {
            AbilityKind::ThickFat => is(Type::Ice) || is(Type::Fire),
            AbilityKind::Heatproof | AbilityKind::WaterBubble => is(Type::Fire),
            AbilityKind::PurifyingSalt => is(Type::Ghost),
            _ => false,
        };
        chain.by_if(foe_weakens, HALF);
        match self.own {
            AbilityKind::Blaze => chain.by_if(is(Type::Fire) && pinch, HALF_MORE),
            AbilityKind::Overgrow => chain.by_if(is(Type::Grass) && pinch, HALF_MORE),
            AbilityKind::Swarm => chain.by_if(is(Type::Bug) && pinch, HALF_MORE),
            AbilityKind::Torrent => chain.by_if(is(Type::Water) && pinch, HALF_MORE),
            AbilityKind::Defeatist => chain.by_if(attacker.hp * 2 <= attacker.max_hp, HALF),
            AbilityKind::DragonsMaw => chain.by_if(is(Type::Dragon), HALF_MORE),
            AbilityKind::FireMane => chain.by_if(is(Type::Fire), HALF_MORE),
            AbilityKind::RockyPayload => chain.by_if(is(Type::Rock), HALF_MORE),
            AbilityKind::Steelworker => chain.by_if(is(Type::Steel), HALF_MORE),
            AbilityKind::Transistor => chain.by_if(is(Type::Electric), 5325),
            AbilityKind::Stakeout => chain.by_if(self.target.marks.just_came_in, DOUBLE),
            AbilityKind::FlashFire => {
                chain.by_if(attacker.marks.flash_fire && is(Type::Fire), HALF_MORE)
            }
            AbilityKind::Guts => {
                chain.by_if(physical && attacker.status != Status::Healthy, HALF_MORE)
            }
            AbilityKind::HugePower | AbilityKind::PurePower => chain.by_if(physical, DOUBLE),
            // Hustle changes the number itself before the product of the others does.
            AbilityKind::Hustle if physical => attack = modify(attack, HALF_MORE),
            AbilityKind::OrichalcumPulse => chain.by_if(physical && sun, 5461),
            AbilityKind::HadronEngine => {
                chain.by_if(!physical && around.terrain == Some(Terrain::Electric), 5461);
            }
            AbilityKind::SolarPower => chain.by_if(!physical && sun, HALF_MORE),
            AbilityKind::SlowStart => chain.by_if(physical && attacker.marks.slow_start, HALF),
            AbilityKind::Plus | AbilityKind::Minus => {
                let ally = self.facts.ability(around.attacker_ally).kind;
                let pair = matches!(ally, AbilityKind::Plus | AbilityKind::Minus);
                chain.by_if(!physical && pair, HALF_MORE);
            }
            AbilityKind::Protosynthesis | AbilityKind::QuarkDrive => {
                let lifted = attacker.marks.paradox_boost;
                chain.by_if(lifted == if physical { 1 } else { 3 }, 5325);
            }
            _ => {}
        }
        if physical && sun {
            let own_blooms = self.facts.species(attacker.base_species).family == Family::Cherrim;
            chain.by_if(self.own == AbilityKind::FlowerGift && own_blooms, HALF_MORE);
            let ally = self.facts.ability(around.attacker_ally).kind;
            chain.by_if(ally == AbilityKind::FlowerGift && around.attacker_ally_blooms, HALF_MORE);
        }
        chain.by_if(self.own == AbilityKind::GorillaTactics && physical, HALF_MORE);
        match self.held.kind {
            ItemKind::ChoiceBand => chain.by_if(physical, HALF_MORE),
            ItemKind::ChoiceSpecs => chain.by_if(!physical, HALF_MORE),
            ItemKind::LightBall => {
                let family = self.facts.species(attacker.base_species).family;
                chain.by_if(family == Family::Pikachu, DOUBLE);
            }
            _ => {}
        }
        chain.by_if(self.own == AbilityKind::WaterBubble && is(Type::Water), DOUBLE);
        let ruined = if physical {
            around.auras.tablets_of_ruin && self.own != AbilityKind::TabletsOfRuin
        } else {
            around.auras.vessel_of_ruin && self.own != AbilityKind::VesselOfRuin
        };
        chain.by_if(ruined, THREE_QUARTERS);
        chain.on(attack)
    }

    /// The defending stat with stages and everything that strengthens it.
    fn defence(&self) -> u32 {
        let (target, around) = (self.target, self.around);
        let plain = if self.physical { Stat::Def } else { Stat::Spd };
        let stat = self.a_move.defends_with.unwrap_or(plain);
        let mut stage = target.stages[stat as usize - 1];
        // Who explodes has fallen when the blow lands, and overlooks nothing any more.
        let exploded = matches!(
            self.a_move.kind,
            MoveKind::Explosion | MoveKind::MistyExplosion | MoveKind::SelfDestruct
        );
        if self.a_move.is(flag::IGNORES_DEFENSIVE)
            || self.strike.critical && stage > 0
            || self.own == AbilityKind::Unaware && !exploded
        {
            stage = 0;
        }
        let mut defence = staged(self.stat_of(target, stat), stage);
        let bodily = stat == Stat::Def;
        // A Mega Sol has everything that weather does see the sun.
        let weather = around.weather.filter(|_| self.own != AbilityKind::MegaSol);
        let hardened = match weather {
            Some(Weather::Sand) => !bodily && self.target_types.has(Type::Rock),
            Some(Weather::Snow) => bodily && self.target_types.has(Type::Ice),
            _ => false,
        };
        if hardened {
            defence = modify(defence, HALF_MORE);
        }
        let mut chain = Chain::ONE;
        match self.foe {
            AbilityKind::FurCoat => chain.by_if(bodily, DOUBLE),
            AbilityKind::GrassPelt => {
                chain.by_if(bodily && around.terrain == Some(Terrain::Grassy), HALF_MORE);
            }
            AbilityKind::MarvelScale => {
                chain.by_if(bodily && target.status != Status::Healthy, HALF_MORE);
            }
            AbilityKind::Protosynthesis | AbilityKind::QuarkDrive => {
                chain.by_if(target.marks.paradox_boost == if bodily { 2 } else { 4 }, 5325);
            }
            _ => {}
        }
        let sun = matches!(
            umbrella(around.weather, self.worn.kind),
            Some(Weather::Sun | Weather::HarshSun)
        );
        if !bodily && sun {
            let own_blooms = self.facts.species(target.base_species).family == Family::Cherrim;
            chain.by_if(self.foe == AbilityKind::FlowerGift && own_blooms, HALF_MORE);
            let ally = self.facts.ability(around.target_ally).kind;
            let passed = self.breaks && !around.target_ally_shielded;
            chain.by_if(
                ally == AbilityKind::FlowerGift && around.target_ally_blooms && !passed,
                HALF_MORE,
            );
        }
        match self.worn.kind {
            ItemKind::Eviolite => {
                let wearer = self.facts.species(target.base_species);
                let young =
                    wearer.nfe || self.facts.before_dlc && wearer.kind == SpeciesKind::Dipplin;
                chain.by_if(young, HALF_MORE);
            }
            ItemKind::AssaultVest => chain.by_if(!bodily, HALF_MORE),
            _ => {}
        }
        let ruined = if bodily {
            around.auras.sword_of_ruin && self.foe_whole != AbilityKind::SwordOfRuin
        } else {
            around.auras.beads_of_ruin && self.foe_whole != AbilityKind::BeadsOfRuin
        };
        chain.by_if(ruined, THREE_QUARTERS);
        chain.on(defence).max(1)
    }

    /// The power of two of the types' factor. Types that are immune count as plain: who comes here is hit.
    pub fn effectiveness(&self) -> i8 {
        let Some(element) = self.element else { return 0 };
        let (target, kind) = (self.target, self.a_move.kind);
        let mut total = 0;
        if target.tera.is_some() && element == Type::Stellar {
            total = 1;
        } else {
            let grounds = self.worn.kind == ItemKind::IronBall
                && element == Type::Ground
                && self.target_types.has(Type::Flying)
                && !(target.marks.ingrain || target.marks.smack_down || self.around.gravity);
            let neutral = self.neutralised();
            for one in self.target_types.iter() {
                let mut power = against(element, one).unwrap_or(0);
                match kind {
                    MoveKind::FlyingPress => power += against(Type::Flying, one).unwrap_or(0),
                    MoveKind::FreezeDry if one == Type::Water => power = 1,
                    _ => {}
                }
                if target.marks.tar_shot
                    && element == Type::Fire
                    && self.target_types.first() == Some(one)
                {
                    power += 1;
                }
                if grounds || neutral {
                    power = 0;
                }
                if self.around.weather == Some(Weather::StrongWinds) && one == Type::Flying {
                    power = power.min(0);
                }
                total += power;
            }
        }
        let shell = self.foe == AbilityKind::TeraShell
            && self.facts.species(target.species).kind == SpeciesKind::TerapagosTerastal;
        if shell {
            if target.marks.shell_resists {
                return -1;
            }
            if total >= 0 && target.hp >= target.max_hp && kind != MoveKind::Struggle {
                return -1;
            }
        }
        total.clamp(-6, 6)
    }

    /// A disguise takes every blow as a plain one.
    fn neutralised(&self) -> bool {
        let target = self.target;
        let form = self.facts.species(target.species).kind;
        let whole = match self.foe {
            AbilityKind::Disguise => target.marks.neutral || form == SpeciesKind::Mimikyu,
            AbilityKind::IceFace => self.physical && form == SpeciesKind::Eiscue,
            _ => return false,
        };
        whole && !self.hits_substitute()
    }

    /// Does the blow land on a substitute?
    pub fn hits_substitute(&self) -> bool {
        self.target.marks.substitute
            && !self.is(flag::BYPASSES_SUBSTITUTE)
            && self.own != AbilityKind::Infiltrator
    }

    /// What the weather does to the blow, in parts of 4096.
    fn weather_factor(&self) -> u32 {
        let mega_sol = self.own == AbilityKind::MegaSol;
        let weather = if mega_sol { Some(Weather::Sun) } else { self.around.weather };
        if self.a_move.kind == MoveKind::HydroSteam
            && weather == Some(Weather::Sun)
            && (mega_sol || self.held.kind != ItemKind::UtilityUmbrella)
        {
            return HALF_MORE;
        }
        let covered = !mega_sol && self.worn.kind == ItemKind::UtilityUmbrella;
        match (weather.filter(|_| !covered), self.element) {
            (Some(Weather::Sun | Weather::HarshSun), Some(Type::Fire)) => HALF_MORE,
            (Some(Weather::Sun), Some(Type::Water)) => HALF,
            (Some(Weather::Rain | Weather::HeavyRain), Some(Type::Water)) => HALF_MORE,
            (Some(Weather::Rain), Some(Type::Fire)) => HALF,
            _ => 4096,
        }
    }

    /// The bonus of the user's own types, in parts of 4096.
    fn same_type_bonus(&self) -> u32 {
        let Some(element) = self.element else { return 4096 };
        let attacker = self.attacker;
        let forced = self.strike.pledge_type.is_some();
        let own = attacker.types.has(element);
        let now = self.attacker_types.has(element);
        let bonus = forced || now || own;
        match attacker.tera {
            Some(Type::Stellar) => {
                let fresh = !attacker.stellar_used.has(element) || self.strike.stellar_boosted;
                match (fresh, bonus) {
                    (true, true) => DOUBLE,
                    (true, false) => 4915,
                    (false, true) => HALF_MORE,
                    (false, false) => 4096,
                }
            }
            tera => {
                let twice = tera == Some(element) && own;
                let plain = if twice {
                    DOUBLE
                } else if bonus {
                    HALF_MORE
                } else {
                    4096
                };
                if self.own == AbilityKind::Adaptability && (forced || now) {
                    if twice { 9216 } else { DOUBLE }
                } else {
                    plain
                }
            }
        }
    }

    /// The sixteen draws.
    fn rolls(&self, base: u32, effectiveness: i8) -> [u16; 16] {
        let mut base = base + 2;
        if self.strike.spread {
            base = modify(base, THREE_QUARTERS);
        } else if self.strike.second_of_bond {
            base = modify(base, 1024);
        }
        base = modify(base, self.weather_factor());
        if self.strike.critical {
            base = base * 3 / 2;
        }
        let bonus = self.same_type_bonus();
        let burnt = self.attacker.status == Status::Burn
            && self.physical
            && self.own != AbilityKind::Guts
            && self.a_move.kind != MoveKind::Facade;
        let last = self.last_modifiers(effectiveness);
        std::array::from_fn(|draw| {
            let mut damage = base * (85 + draw as u32) / 100;
            damage = modify(damage, bonus);
            if effectiveness >= 0 {
                damage <<= effectiveness;
            } else {
                damage >>= -effectiveness;
            }
            if burnt {
                damage = modify(damage, HALF);
            }
            damage = last.on(damage);
            if self.strike.through_protection {
                damage = modify(damage, 1024);
            }
            if damage == 0 { 1 } else { damage as u16 }
        })
    }

    /// What applies to the whole blow at last. The faster of both applies its own first.
    fn last_modifiers(&self, effectiveness: i8) -> Chain {
        let mut chain = Chain::ONE;
        if self.attacker.order >= self.target.order {
            self.attackers_last(&mut chain, effectiveness);
            self.targets_last(&mut chain, effectiveness);
        } else {
            self.targets_last(&mut chain, effectiveness);
            self.attackers_last(&mut chain, effectiveness);
        }
        let ally = self.facts.ability(self.around.target_ally).kind;
        let passed = self.breaks && !self.around.target_ally_shielded;
        chain.by_if(ally == AbilityKind::FriendGuard && !passed, THREE_QUARTERS);
        if !self.strike.critical
            && self.own != AbilityKind::Infiltrator
            && !self.is(flag::BREAKS_SCREENS)
        {
            let own_screen =
                if self.physical { self.around.reflect } else { self.around.light_screen };
            chain.by_if(own_screen || self.around.aurora_veil, 2732);
        }
        chain.by_if(self.foe == AbilityKind::Ripen && self.berry_weakens(effectiveness), HALF);
        chain
    }

    fn attackers_last(&self, chain: &mut Chain, effectiveness: i8) {
        if self.held.kind == ItemKind::Metronome {
            let times = usize::from(self.attacker.marks.metronome.min(5));
            chain.by([4096, 4915, 5734, 6553, 7372, 8192][times]);
        }
        match self.own {
            AbilityKind::Sniper => chain.by_if(self.strike.critical, HALF_MORE),
            AbilityKind::TintedLens => chain.by_if(effectiveness < 0, DOUBLE),
            AbilityKind::Neuroforce => chain.by_if(effectiveness > 0, 5120),
            _ => {}
        }
        match self.held.kind {
            ItemKind::LifeOrb => chain.by(5324),
            ItemKind::ExpertBelt => chain.by_if(effectiveness > 0, 4915),
            _ => {}
        }
    }

    fn targets_last(&self, chain: &mut Chain, effectiveness: i8) {
        let target = self.target;
        chain.by_if(target.marks.glaive_rush, DOUBLE);
        chain.by_if(target.marks.minimize && self.is(flag::MINIMIZE), DOUBLE);
        chain.by_if(
            super::ids::strikes_twice_as_hard(self.a_move.kind, target.marks.out_of_reach),
            DOUBLE,
        );
        match self.foe {
            AbilityKind::Filter | AbilityKind::SolidRock | AbilityKind::PrismArmor => {
                chain.by_if(effectiveness > 0, THREE_QUARTERS);
            }
            AbilityKind::Multiscale | AbilityKind::ShadowShield => {
                chain.by_if(target.hp >= target.max_hp, HALF);
            }
            AbilityKind::IceScales => chain.by_if(!self.physical, HALF),
            AbilityKind::Fluffy => {
                match (self.element == Some(Type::Fire), self.is(flag::CONTACT)) {
                    (true, false) => chain.by(DOUBLE),
                    (false, true) => chain.by(HALF),
                    _ => {}
                }
            }
            AbilityKind::PunkRock => chain.by_if(self.is(flag::SOUND), HALF),
            _ => {}
        }
        chain.by_if(self.berry_weakens(effectiveness), HALF);
    }

    /// Does the target eat a berry against it?
    pub fn berry_weakens(&self, effectiveness: i8) -> bool {
        self.worn.resists.is_some()
            && self.worn.resists == self.element
            && (effectiveness > 0 || self.worn.kind == ItemKind::ChilanBerry)
            && !self.hits_substitute()
            && !self.around.unnerved
    }
}

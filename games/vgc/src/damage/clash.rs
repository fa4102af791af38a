//! A stroke with everything looked up: which abilities and items work, and what the move becomes.

use super::combatant::{Combatant, Conditions, Strike};
use super::facts::{Facts, Family, ItemFacts, MoveFacts, Types, flag};
use super::kinds::{AbilityKind, ItemKind, MoveKind, SpeciesKind};
use super::stats::{Runner, staged};
use crate::dex::{Category, Stat, Type};
use crate::state::{Terrain, Weather};

/// A stroke with everything looked up.
pub(super) struct Clash<'a> {
    pub facts: &'static Facts,
    pub attacker: &'a Combatant,
    pub target: &'a Combatant,
    pub strike: &'a Strike,
    pub around: &'a Conditions,
    pub a_move: &'static MoveFacts,
    /// The attacker's ability, if it works.
    pub own: AbilityKind,
    /// The target's, if it works and the move does not pass over it.
    pub foe: AbilityKind,
    /// The target's, if it works.
    pub foe_whole: AbilityKind,
    /// Abilities that can be passed over are.
    pub breaks: bool,
    /// The attacker's item, if it works.
    pub held: ItemFacts,
    /// The target's.
    pub worn: ItemFacts,
    /// The type it strikes with.
    pub element: Option<Type>,
    pub physical: bool,
    /// Showdown's flags of the move after what changes them.
    pub flags: u32,
    /// Power as written after what changes it.
    pub power: u32,
    /// The ability that has changed the type also strengthens it.
    pub type_boosted: bool,
    /// Types that the target has now.
    pub target_types: Types,
    /// Types that the attacker has now.
    pub attacker_types: Types,
}

/// Types with terastallising reckoned in.
pub(super) fn types_now(who: &Combatant) -> Types {
    match who.tera {
        Some(tera) if tera != Type::Stellar => Types::of([tera]),
        _ => who.types,
    }
}

impl<'a> Clash<'a> {
    pub fn new(
        facts: &'static Facts,
        attacker: &'a Combatant,
        target: &'a Combatant,
        strike: &'a Strike,
        around: &'a Conditions,
    ) -> Self {
        let a_move = facts.a_move(strike.a_move);
        let ability = |who: &Combatant| {
            if who.ability_suppressed { Default::default() } else { facts.ability(who.ability) }
        };
        let item = |who: &Combatant| {
            if who.item_suppressed { ItemFacts::default() } else { facts.item(who.item) }
        };
        let (own, theirs) = (ability(attacker).kind, ability(target));
        let (held, worn) = (item(attacker), item(target));
        let breaks = a_move.is(flag::IGNORES_ABILITY)
            || matches!(
                own,
                AbilityKind::MoldBreaker | AbilityKind::Teravolt | AbilityKind::Turboblaze
            );
        let passed = breaks && theirs.breakable && worn.kind != ItemKind::AbilityShield;
        let mut clash = Self {
            facts,
            attacker,
            target,
            strike,
            around,
            a_move,
            own,
            foe: if passed { AbilityKind::Other } else { theirs.kind },
            foe_whole: theirs.kind,
            breaks,
            held,
            worn,
            element: a_move.element,
            physical: a_move.category == Category::Physical,
            flags: a_move.flags,
            power: u32::from(a_move.power),
            type_boosted: false,
            target_types: types_now(target),
            attacker_types: types_now(attacker),
        };
        clash.become_what_it_becomes();
        clash
    }

    pub fn is(&self, bit: u32) -> bool {
        self.flags & bit != 0
    }

    /// The weather that the attacker's move sees.
    pub fn attacker_weather(&self) -> Option<Weather> {
        if self.own == AbilityKind::MegaSol {
            return Some(Weather::Sun);
        }
        umbrella(self.around.weather, self.held.kind)
    }

    /// The attacker's stat as it is compared: with stages alone.
    fn compared(&self, who: &Combatant, at: usize) -> u32 {
        let swapped = match at {
            // Wonder Room exchanges stages here, as the simulator has it.
            1 if self.around.wonder_room => 3,
            3 if self.around.wonder_room => 1,
            _ => at,
        };
        staged(who.stats[at], who.stages[swapped])
    }

    fn stronger_physically(&self) -> bool {
        self.compared(self.attacker, 0) > self.compared(self.attacker, 2)
    }

    /// Type, category and power as the move and abilities change them, in the simulator's order: the move
    /// itself first, then abilities, then what was laid on the user.
    fn become_what_it_becomes(&mut self) {
        let form = self.facts.species(self.attacker.species);
        match self.a_move.kind {
            MoveKind::AuraWheel => {
                let dark = form.kind == SpeciesKind::MorpekoHangry;
                self.element = Some(if dark { Type::Dark } else { Type::Electric });
            }
            MoveKind::IvyCudgel => match form.family {
                Family::OgerponWellspring => self.element = Some(Type::Water),
                Family::OgerponHearthflame => self.element = Some(Type::Fire),
                Family::OgerponCornerstone => self.element = Some(Type::Rock),
                _ => {}
            },
            MoveKind::RagingBull => match form.kind {
                SpeciesKind::TaurosCombat => self.element = Some(Type::Fighting),
                SpeciesKind::TaurosBlaze => self.element = Some(Type::Fire),
                SpeciesKind::TaurosAqua => self.element = Some(Type::Water),
                _ => {}
            },
            MoveKind::Judgment => self.element = self.held.plate.or(self.element),
            MoveKind::RevelationDance => self.element = self.attacker_types.first(),
            MoveKind::TeraBlast => {
                if let Some(tera) = self.attacker.tera {
                    self.element = Some(tera);
                    self.physical = self.stronger_physically();
                }
            }
            MoveKind::TeraStarstorm if form.kind == SpeciesKind::TerapagosStellar => {
                self.element = Some(Type::Stellar);
                self.physical = self.attacker.tera.is_some() && self.stronger_physically();
            }
            MoveKind::PhotonGeyser => self.physical = self.stronger_physically(),
            MoveKind::ShellSideArm => {
                let reckon = |attack: u32, defend: u32| {
                    (2 * u32::from(self.attacker.level) / 5 + 2) * 90 * attack / defend.max(1) / 50
                };
                let (a, t) = (self.attacker, self.target);
                let physical = reckon(self.compared(a, 0), self.compared(t, 1));
                let special = reckon(self.compared(a, 2), self.compared(t, 3));
                self.physical =
                    physical > special || physical == special && self.strike.coin_physical;
                if self.physical {
                    self.flags |= flag::CONTACT;
                }
            }
            MoveKind::TerrainPulse if self.grounded(self.attacker, self.own, self.held.kind) => {
                let element = match self.around.terrain {
                    Some(Terrain::Electric) => Type::Electric,
                    Some(Terrain::Grassy) => Type::Grass,
                    Some(Terrain::Misty) => Type::Fairy,
                    Some(Terrain::Psychic) => Type::Psychic,
                    None => Type::Normal,
                };
                self.element = Some(element);
                self.power <<= u32::from(self.around.terrain.is_some());
            }
            MoveKind::WeatherBall => {
                let element = match self.attacker_weather() {
                    Some(Weather::Sun | Weather::HarshSun) => Some(Type::Fire),
                    Some(Weather::Rain | Weather::HeavyRain) => Some(Type::Water),
                    Some(Weather::Sand) => Some(Type::Rock),
                    Some(Weather::Snow) => Some(Type::Ice),
                    Some(Weather::StrongWinds) | None => None,
                };
                self.power <<= u32::from(element.is_some());
                self.element = element.or(self.element);
            }
            MoveKind::Present | MoveKind::Fling if self.strike.drawn_power > 0 => {
                self.power = u32::from(self.strike.drawn_power);
            }
            MoveKind::Fling => self.power = u32::from(self.held.fling),
            _ => {}
        }
        if let Some(element) = self.strike.pledge_type {
            self.element = Some(element);
        }
        let blast = self.a_move.kind == MoveKind::TeraBlast && self.attacker.tera.is_some();
        if !self.is(flag::FIXED_TYPE | flag::FUTURE) && !blast {
            let normal = self.element == Some(Type::Normal);
            let into = match self.own {
                AbilityKind::Normalize => Some(Type::Normal),
                AbilityKind::Aerilate if normal => Some(Type::Flying),
                AbilityKind::Dragonize if normal => Some(Type::Dragon),
                AbilityKind::Galvanize if normal => Some(Type::Electric),
                AbilityKind::Pixilate if normal => Some(Type::Fairy),
                AbilityKind::Refrigerate if normal => Some(Type::Ice),
                _ => None,
            };
            if into.is_some() {
                self.element = into;
                self.type_boosted = true;
            }
        }
        if self.own == AbilityKind::LiquidVoice && self.is(flag::SOUND) {
            self.element = Some(Type::Water);
        }
        if self.attacker.marks.electrified && self.a_move.kind != MoveKind::Struggle {
            self.element = Some(Type::Electric);
        }
        let gloved = self.held.kind == ItemKind::PunchingGlove && self.is(flag::PUNCH);
        if gloved || self.own == AbilityKind::LongReach {
            self.flags &= !flag::CONTACT;
        }
    }

    /// Does somebody stand on the ground? Its ability and item as far as they work.
    pub fn grounded(&self, who: &Combatant, ability: AbilityKind, item: ItemKind) -> bool {
        self.grounded_if(who, ability, item, false)
    }

    /// The same, with or without what its type does.
    pub fn grounded_if(
        &self,
        who: &Combatant,
        ability: AbilityKind,
        item: ItemKind,
        type_negated: bool,
    ) -> bool {
        let marks = &who.marks;
        if self.around.gravity || marks.ingrain || marks.smack_down || item == ItemKind::IronBall {
            return true;
        }
        let flies = !type_negated && types_now(who).has(Type::Flying);
        !(flies
            || matches!(ability, AbilityKind::Levitate | AbilityKind::Eelevate)
            || marks.magnet_rise
            || marks.telekinesis
            || item == ItemKind::AirBalloon)
    }

    pub fn attacker_grounded(&self) -> bool {
        self.grounded(self.attacker, self.own, self.held.kind)
    }

    pub fn target_grounded(&self) -> bool {
        self.grounded(self.target, self.foe, self.worn.kind)
    }

    /// Speeds of both as moves compare them.
    pub fn speeds(&self) -> (u32, u32) {
        let run = |who: &Combatant, ability, item, tailwind| {
            Runner {
                stat: who.stats[Stat::Spe as usize - 1],
                stage: who.stages[4],
                status: who.status,
                ability,
                item,
                unburdened: who.marks.unburden && !self.facts.holds(who.item),
                slow_start: who.marks.slow_start,
                paradox_speed: who.marks.paradox_boost == 5,
                tailwind,
                weather: self.around.weather,
                terrain: self.around.terrain,
            }
            .speed()
        };
        (
            run(self.attacker, self.own, self.held.kind, self.around.attacker_tailwind),
            run(self.target, self.foe_whole, self.worn.kind, self.around.target_tailwind),
        )
    }
}

/// Weather under an umbrella.
pub(super) fn umbrella(weather: Option<Weather>, item: ItemKind) -> Option<Weather> {
    weather.filter(|w| {
        item != ItemKind::UtilityUmbrella
            || !matches!(w, Weather::Sun | Weather::Rain | Weather::HarshSun | Weather::HeavyRain)
    })
}

//! Base power: what a move reckons for itself, and what strengthens it.

use super::clash::Clash;
use super::facts::{Bound, Family, flag};
use super::kinds::{AbilityKind, ItemKind, MoveKind};
use super::stats::Chain;
use crate::dex::{Category, Type};
use crate::state::{Status, Terrain, Weather};

// Parts of 4096 as the simulator's data states them.
const FIFTH: u32 = 4915;
const THIRD: u32 = 5325;
const HALF_MORE: u32 = 6144;
const DOUBLE: u32 = 8192;
const HALF: u32 = 2048;

impl Clash<'_> {
    /// Power before anything strengthens it; 0 fails.
    pub fn written_power(&self) -> u32 {
        let (attacker, target) = (self.attacker, self.target);
        let power = self.power;
        let drawn = u32::from(self.strike.drawn_power);
        let doubled = |when: bool| power << u32::from(when);
        let of_health = || power * u32::from(attacker.hp) / u32::from(attacker.max_hp.max(1));
        let ill = target.status != Status::Healthy || self.foe_whole == AbilityKind::Comatose;
        match self.a_move.kind {
            MoveKind::Acrobatics => doubled(!self.facts.holds(attacker.item)),
            MoveKind::Assurance => doubled(target.marks.hurt_this_turn),
            MoveKind::Avalanche => doubled(self.strike.hurt_by_target),
            MoveKind::BeatUp | MoveKind::Rollout | MoveKind::FuryCutter | MoveKind::EchoedVoice
                if drawn > 0 =>
            {
                drawn
            }
            // The user's own part: the others' are drawn by whoever knows the team.
            MoveKind::BeatUp => {
                5 + u32::from(self.facts.species(attacker.base_species).stats[1]) / 10
            }
            MoveKind::Rollout => doubled(attacker.marks.defense_curl),
            MoveKind::CrushGrip => of_target_health(target.hp, target.max_hp, 120),
            MoveKind::HardPress => of_target_health(target.hp, target.max_hp, 100),
            MoveKind::DragonEnergy | MoveKind::Eruption | MoveKind::WaterSpout => {
                of_health().max(1)
            }
            MoveKind::ElectroBall => {
                let (own, theirs) = self.speeds();
                let ratio = own.checked_div(theirs).unwrap_or(0);
                [40, 60, 80, 120, 150][ratio.min(4) as usize]
            }
            MoveKind::GyroBall => {
                let (own, theirs) = self.speeds();
                (25 * theirs).checked_div(own).map_or(1, |ratio| (ratio + 1).min(150))
            }
            MoveKind::FirePledge | MoveKind::GrassPledge | MoveKind::WaterPledge => {
                if self.strike.combined { 150 } else { power }
            }
            MoveKind::Flail | MoveKind::Reversal => {
                let of_48 = u32::from(attacker.hp) * 48 / u32::from(attacker.max_hp.max(1));
                match of_48 {
                    0..2 => 200,
                    2..5 => 150,
                    5..10 => 100,
                    10..17 => 80,
                    17..33 => 40,
                    _ => 20,
                }
            }
            MoveKind::GrassKnot | MoveKind::LowKick => match self.target_weight() {
                2000.. => 120,
                1000.. => 100,
                500.. => 80,
                250.. => 60,
                100.. => 40,
                _ => 20,
            },
            MoveKind::HeatCrash | MoveKind::HeavySlam => {
                match self.attacker_weight() / self.target_weight() {
                    5.. => 120,
                    4 => 100,
                    3 => 80,
                    2 => 60,
                    _ => 40,
                }
            }
            MoveKind::Hex | MoveKind::InfernalParade => doubled(ill),
            MoveKind::LastRespects => 50 + 50 * u32::from(self.around.fallen),
            MoveKind::Payback => doubled(self.strike.target_moved),
            MoveKind::PowerTrip | MoveKind::StoredPower => {
                let raised: i32 =
                    attacker.stages.iter().map(|&stage| i32::from(stage.max(0))).sum();
                power + 20 * raised as u32
            }
            MoveKind::RageFist => (50 + 50 * u32::from(attacker.marks.times_hit)).min(350),
            MoveKind::RisingVoltage => {
                doubled(self.around.terrain == Some(Terrain::Electric) && self.target_grounded())
            }
            MoveKind::Round => doubled(self.strike.combined),
            MoveKind::SpitUp => 100 * u32::from(attacker.marks.stockpile),
            MoveKind::StompingTantrum | MoveKind::TemperFlare => {
                doubled(attacker.marks.last_move_failed)
            }
            MoveKind::TeraBlast if attacker.tera == Some(Type::Stellar) => 100,
            MoveKind::TripleAxel => 20 * u32::from(self.strike.number.max(1)),
            MoveKind::TripleKick => 10 * u32::from(self.strike.number.max(1)),
            _ => power,
        }
    }

    /// Power with everything that strengthens it. Effects apply in the order of the simulator's priorities,
    /// which rounding makes visible.
    pub fn whole_power(&self, written: u32) -> u32 {
        let (attacker, target, around) = (self.attacker, self.target, self.around);
        let element = self.element;
        let is = |one: Type| element == Some(one);
        let special = !self.physical;
        let mut chain = Chain::ONE;
        // 30
        chain.by_if(self.own == AbilityKind::Technician && written <= 60, HALF_MORE);
        // 24
        if self.own == AbilityKind::Rivalry
            && let (Some(own @ ('M' | 'F')), Some(theirs @ ('M' | 'F'))) =
                (attacker.gender, target.gender)
        {
            chain.by(if own == theirs { 5120 } else { 3072 });
        }
        // 23
        chain.by_if(self.type_boosted, FIFTH);
        match self.own {
            AbilityKind::IronFist => chain.by_if(self.is(flag::PUNCH), FIFTH),
            AbilityKind::Reckless => chain.by_if(self.is(flag::RECKLESS), FIFTH),
            _ => {}
        }
        chain.by_if(self.held.kind == ItemKind::PunchingGlove && self.is(flag::PUNCH), 4506);
        // 22
        let ally = self.facts.ability(around.attacker_ally).kind;
        match ally {
            AbilityKind::Battery => chain.by_if(special, THIRD),
            AbilityKind::PowerSpot => chain.by(THIRD),
            AbilityKind::SteelySpirit => chain.by_if(is(Type::Steel), HALF_MORE),
            _ => {}
        }
        chain.by_if(self.own == AbilityKind::SteelySpirit && is(Type::Steel), HALF_MORE);
        // 21
        match self.own {
            AbilityKind::Analytic => chain.by_if(self.strike.moves_last, THIRD),
            AbilityKind::SandForce => chain.by_if(
                around.weather == Some(Weather::Sand)
                    && matches!(element, Some(Type::Rock | Type::Ground | Type::Steel)),
                THIRD,
            ),
            AbilityKind::SheerForce => chain.by_if(self.is(flag::SHEER_FORCE), THIRD),
            AbilityKind::SupremeOverlord => {
                let fallen = usize::from(attacker.marks.supreme_overlord.min(5));
                chain.by([4096, 4506, 4915, 5325, 5734, 6144][fallen]);
            }
            AbilityKind::ToughClaws => chain.by_if(self.is(flag::CONTACT), THIRD),
            _ => {}
        }
        // 20
        let aura = is(Type::Fairy) && around.auras.fairy || is(Type::Dark) && around.auras.dark;
        chain.by_if(aura, if around.auras.breaks && !self.breaks { 3072 } else { 5448 });
        // 19
        match self.own {
            AbilityKind::FlareBoost => {
                chain.by_if(attacker.status == Status::Burn && special, HALF_MORE);
            }
            AbilityKind::MegaLauncher => chain.by_if(self.is(flag::PULSE), HALF_MORE),
            AbilityKind::Sharpness => chain.by_if(self.is(flag::SLICING), HALF_MORE),
            AbilityKind::StrongJaw => chain.by_if(self.is(flag::BITE), HALF_MORE),
            AbilityKind::ToxicBoost => chain.by_if(
                matches!(attacker.status, Status::Poison | Status::Toxic) && self.physical,
                HALF_MORE,
            ),
            _ => {}
        }
        // 17
        chain.by_if(self.foe == AbilityKind::DrySkin && is(Type::Fire), 5120);
        // 16 and 15
        self.item_power(&mut chain);
        // 14 to 7
        chain.by_if(attacker.marks.gem, THIRD);
        if attacker.marks.helping_hands > 0 {
            // Laid twice it is 1.5 * 1.5 before it is rounded.
            chain.by(4096 * 3u32.pow(attacker.marks.helping_hands.into())
                / 2u32.pow(attacker.marks.helping_hands.into()));
        }
        chain.by_if(attacker.marks.charge && is(Type::Electric), DOUBLE);
        chain.by_if(self.own == AbilityKind::PunkRock && self.is(flag::SOUND), THIRD);
        // 6
        let reachable = !target.marks.out_of_reach.is_known();
        match around.terrain {
            Some(Terrain::Electric) => {
                chain.by_if(is(Type::Electric) && self.attacker_grounded(), THIRD);
            }
            Some(Terrain::Psychic) => {
                chain.by_if(is(Type::Psychic) && self.attacker_grounded(), THIRD);
            }
            Some(Terrain::Misty) => {
                chain.by_if(is(Type::Dragon) && self.target_grounded() && reachable, HALF);
            }
            Some(Terrain::Grassy) => {
                let shakes = matches!(self.a_move.kind, MoveKind::Earthquake | MoveKind::Bulldoze);
                if shakes && self.target_grounded() && reachable {
                    chain.by(HALF);
                } else {
                    chain.by_if(is(Type::Grass) && self.attacker_grounded(), THIRD);
                }
            }
            None => {}
        }
        // 0
        self.move_power(&mut chain);
        chain.on(written).max(1)
    }

    fn item_power(&self, chain: &mut Chain) {
        let element = self.element;
        let family = self.facts.species(self.attacker.base_species).family;
        let dragon_or =
            |one: Type| element.is_some_and(|element| element == one || element == Type::Dragon);
        match self.held.kind {
            ItemKind::MuscleBand => chain.by_if(self.physical, 4505),
            ItemKind::WiseGlasses => chain.by_if(!self.physical, 4505),
            ItemKind::AdamantCrystal | ItemKind::AdamantOrb => {
                chain.by_if(family == Family::Dialga && dragon_or(Type::Steel), FIFTH);
            }
            ItemKind::LustrousGlobe | ItemKind::LustrousOrb => {
                chain.by_if(family == Family::Palkia && dragon_or(Type::Water), FIFTH);
            }
            ItemKind::GriseousCore | ItemKind::GriseousOrb => {
                chain.by_if(family == Family::Giratina && dragon_or(Type::Ghost), FIFTH);
            }
            ItemKind::SoulDew => {
                chain.by_if(family == Family::Latis && dragon_or(Type::Psychic), FIFTH);
            }
            ItemKind::CornerstoneMask => chain.by_if(family == Family::OgerponCornerstone, FIFTH),
            ItemKind::HearthflameMask => chain.by_if(family == Family::OgerponHearthflame, FIFTH),
            ItemKind::WellspringMask => chain.by_if(family == Family::OgerponWellspring, FIFTH),
            _ => chain.by_if(self.held.boosts.is_some() && self.held.boosts == element, FIFTH),
        }
    }

    /// What the move itself adds.
    fn move_power(&self, chain: &mut Chain) {
        let (attacker, target, around) = (self.attacker, self.target, self.around);
        let poisoned = matches!(target.status, Status::Poison | Status::Toxic);
        match self.a_move.kind {
            MoveKind::BarbBarrage | MoveKind::Venoshock => chain.by_if(poisoned, DOUBLE),
            MoveKind::Brine => chain.by_if(target.hp * 2 <= target.max_hp, DOUBLE),
            MoveKind::CollisionCourse | MoveKind::ElectroDrift => {
                chain.by_if(self.effectiveness() > 0, 5461);
            }
            MoveKind::ExpandingForce => chain.by_if(
                around.terrain == Some(Terrain::Psychic) && self.attacker_grounded(),
                HALF_MORE,
            ),
            MoveKind::MistyExplosion => chain.by_if(
                around.terrain == Some(Terrain::Misty) && self.attacker_grounded(),
                HALF_MORE,
            ),
            MoveKind::Psyblade => chain.by_if(around.terrain == Some(Terrain::Electric), HALF_MORE),
            MoveKind::Facade => {
                chain.by_if(!matches!(attacker.status, Status::Healthy | Status::Sleep), DOUBLE)
            }
            MoveKind::FickleBeam => chain.by_if(self.strike.all_out, DOUBLE),
            MoveKind::FusionBolt | MoveKind::FusionFlare => {
                chain.by_if(self.strike.combined, DOUBLE)
            }
            MoveKind::GravApple => chain.by_if(around.gravity, HALF_MORE),
            MoveKind::KnockOff => chain.by_if(self.can_be_disarmed(), HALF_MORE),
            MoveKind::LashOut => chain.by_if(attacker.marks.stats_lowered, DOUBLE),
            MoveKind::Retaliate => chain.by_if(around.fell_last_turn, DOUBLE),
            MoveKind::SolarBeam | MoveKind::SolarBlade => chain.by_if(
                matches!(
                    self.attacker_weather(),
                    Some(Weather::Rain | Weather::HeavyRain | Weather::Sand | Weather::Snow)
                ),
                HALF,
            ),
            // Fly lets them strike twice as hard at the end of the formula, Bounce does so here.
            MoveKind::Gust | MoveKind::Twister => {
                let bounces = target.marks.out_of_reach.is_known()
                    && Some(target.marks.out_of_reach) == super::ids::bounce();
                chain.by_if(bounces, DOUBLE);
            }
            _ => {}
        }
    }

    /// Does the target hold something that can be taken from it?
    fn can_be_disarmed(&self) -> bool {
        if !self.facts.holds(self.target.item) {
            return false;
        }
        let holder = self.facts.species(self.target.base_species);
        match self.facts.item(self.target.item).bound {
            Bound::Nobody => true,
            Bound::Family(Family::Ogerpon) => !matches!(
                holder.family,
                Family::Ogerpon
                    | Family::OgerponCornerstone
                    | Family::OgerponHearthflame
                    | Family::OgerponWellspring
            ),
            Bound::Family(family) => holder.family != family,
            Bound::MegaOf(of) => holder.base != of && self.target.base_species != of,
            Bound::Paradox => !holder.paradox,
        }
    }

    fn attacker_weight(&self) -> u32 {
        self.weight(self.attacker, self.own, self.held.kind)
    }

    fn target_weight(&self) -> u32 {
        self.weight(self.target, self.foe, self.worn.kind)
    }

    fn weight(&self, who: &super::Combatant, ability: AbilityKind, item: ItemKind) -> u32 {
        let own = if who.weight > 0 { who.weight } else { self.facts.species(who.species).weight };
        let mut weight = u32::from(own);
        weight <<= u32::from(ability == AbilityKind::HeavyMetal);
        weight >>= u32::from(ability == AbilityKind::LightMetal);
        weight >>= u32::from(item == ItemKind::FloatStone);
        weight.max(1)
    }

    /// Terastallising lifts weak moves of its type to 60.
    pub fn floor_of_tera(&self, power: u32) -> u32 {
        let Some(tera) = self.attacker.tera else { return power };
        let of_its_type = match (tera, self.element) {
            (Type::Stellar, Some(element)) => !self.attacker.stellar_used.has(element),
            // Struggle has no type that could be used up.
            (Type::Stellar, None) => true,
            (_, element) => element == Some(tera),
        };
        let lifted = of_its_type
            && power < 60
            && self.a_move.priority <= 0
            && !self.a_move.is(flag::MULTIHIT | flag::VARIABLE_POWER)
            && self.a_move.category != Category::Status;
        if lifted { 60 } else { power }
    }
}

/// Power by what the target has left, in the simulator's rounding.
fn of_target_health(hp: u16, max_hp: u16, most: u64) -> u32 {
    let share = u64::from(hp) * 4096 / u64::from(max_hp.max(1));
    (((most * 100 * share + 2047) / 4096) / 100).max(1) as u32
}

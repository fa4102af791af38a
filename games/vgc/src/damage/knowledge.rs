//! Combatants and conditions from what a side knows of a battle.
//!
//! What is not known is filled: a foe's stats by [`super::stats::guess`], its ability by the first that its
//! species may still have, its item by none. Of one's own all is known.

use super::clash::types_now;
use super::combatant::{Auras, Combatant, Conditions, Marks};
use super::facts::{Facts, Family};
use super::kinds::{AbilityKind, ItemKind, SpeciesKind};
use super::stats::{Runner, guess, reformed};
use crate::dex::{AbilityId, SpeciesId, Type};
use crate::state::{Battle, Pokemon, Side, Weather};

/// A side and an index into its team.
pub(super) type Place = (usize, usize);

/// The ability it has or is taken to have.
fn ability_of(facts: &Facts, who: &Pokemon) -> AbilityId {
    if who.ability.is_known() {
        who.ability
    } else if who.base_ability.is_known() && !who.mega {
        who.base_ability
    } else {
        let possible = facts.species(who.species).abilities;
        let left =
            possible.into_iter().find(|one| one.is_known() && !who.not_abilities.contains(one));
        left.unwrap_or(possible[0])
    }
}

/// What holds for everybody, looked at once.
pub(super) struct Scene<'a> {
    pub battle: &'a Battle,
    pub facts: &'static Facts,
    gas: bool,
    weather_suppressed: bool,
    auras: Auras,
}

impl<'a> Scene<'a> {
    pub fn new(battle: &'a Battle) -> Self {
        let facts = Facts::of(battle.format);
        let mut scene =
            Self { battle, facts, gas: false, weather_suppressed: false, auras: Auras::default() };
        let kind = |who: &Pokemon| facts.ability(ability_of(facts, who)).kind;
        scene.gas = active(battle).any(|who| {
            kind(who) == AbilityKind::NeutralizingGas
                && !who.volatiles.gastro_acid
                && !who.transformed
        });
        for who in active(battle) {
            let auras = &mut scene.auras;
            match kind(who) {
                AbilityKind::SwordOfRuin => auras.sword_of_ruin = true,
                AbilityKind::BeadsOfRuin => auras.beads_of_ruin = true,
                AbilityKind::TabletsOfRuin => auras.tablets_of_ruin = true,
                AbilityKind::VesselOfRuin => auras.vessel_of_ruin = true,
                AbilityKind::FairyAura => auras.fairy = true,
                AbilityKind::DarkAura => auras.dark = true,
                AbilityKind::AuraBreak => auras.breaks = true,
                AbilityKind::CloudNine | AbilityKind::AirLock => scene.weather_suppressed = true,
                _ => {}
            }
        }
        if scene.gas {
            scene.auras = Auras::default();
            scene.weather_suppressed = false;
        }
        scene
    }

    fn ability_suppressed(&self, who: &Pokemon, ability: AbilityId) -> bool {
        let facts = self.facts.ability(ability);
        if facts.not_transformed && who.transformed {
            return true;
        }
        if facts.unsuppressable {
            return false;
        }
        who.volatiles.gastro_acid
            || self.gas
                && facts.kind != AbilityKind::NeutralizingGas
                && self.facts.item(who.item).kind != ItemKind::AbilityShield
    }

    /// One of a team as a combatant.
    pub fn combatant(&self, (side, index): Place) -> Combatant {
        let who = &self.battle.sides[side].team[index];
        let own = who.stats.is_some();
        let facts = self.facts.species(who.species);
        let guessed = || {
            if who.level == 50 {
                facts.guess
            } else {
                guess(self.facts.champions, facts.stats, who.level.max(1))
            }
        };
        let (mut stats, max_hp, hp) = match who.stats {
            Some(stats) => (stats, who.max_hp, who.hp),
            None => {
                let [max_hp, stats @ ..] = guessed();
                // Hundredths are rounded up: one who lives shows at least one.
                let hp = u32::from(who.hp) * u32::from(max_hp) / u32::from(who.max_hp.max(1));
                let lives = u16::from(!who.fainted && who.hp > 0);
                (stats, max_hp, (hp as u16).max(lives))
            }
        };
        if !own {
            // The bounds have in them what the item does: a scarf that is known is taken out again.
            let scarf = self.facts.item(who.item).kind == ItemKind::ChoiceScarf;
            let bare = |bound: u16| if scarf { (u32::from(bound) * 2 / 3) as u16 } else { bound };
            let least = bare(who.speed_at_least.unwrap_or(0));
            let most = who.speed_at_most.map_or(u16::MAX, bare);
            stats[4] = stats[4].max(least).min(most.max(least));
        }
        if who.volatiles.power_trick && !own {
            stats.swap(0, 1);
        }
        let ability = ability_of(self.facts, who);
        let ability_suppressed = self.ability_suppressed(who, ability);
        let klutz = !ability_suppressed && self.facts.ability(ability).kind == AbilityKind::Klutz;
        let mut combatant = Combatant {
            species: who.species,
            base_species: if who.mega || who.transformed { who.species } else { who.base_species },
            level: who.level,
            gender: who.gender,
            stats,
            hp,
            max_hp,
            stages: who.stages,
            types: self.types_of(who),
            tera: who.tera_type.filter(|_| who.terastallized),
            stellar_used: Default::default(),
            status: who.status,
            item: who.item,
            item_suppressed: klutz || who.volatiles.embargo || self.battle.field.magic_room > 0,
            ability,
            ability_suppressed,
            weight: 0,
            order: 0,
            marks: self.marks(side, who),
        };
        combatant.order = self.order(&combatant, side);
        combatant
    }

    fn types_of(&self, who: &Pokemon) -> super::Types {
        let mut types = match who.changed_types {
            Some(changed) => super::Types::of(changed.into_iter().flatten()),
            None => self.facts.species(who.species).types,
        };
        if let Some(added) = who.added_type {
            types.add(added);
        }
        if who.volatiles.roost && types.has(Type::Flying) {
            types = types.without(Type::Flying);
            if types.is_empty() {
                types.add(Type::Normal);
            }
        }
        types
    }

    fn marks(&self, side: usize, who: &Pokemon) -> Marks {
        let v = &who.volatiles;
        let team = &self.battle.sides[side];
        let at_place =
            |place: &Option<usize>| place.is_some_and(|at| std::ptr::eq(&team.team[at], who));
        let out = super::ids::out_of_reach(v.two_turn);
        Marks {
            charge: v.charge,
            helping_hands: u8::from(v.helping_hand),
            flash_fire: v.flash_fire,
            slow_start: v.slow_start > 0,
            unburden: v.unburden,
            paradox_boost: v.paradox_boost,
            glaive_rush: v.glaive_rush,
            minimize: v.minimize,
            defense_curl: v.defense_curl,
            tar_shot: v.tar_shot,
            smack_down: v.smack_down,
            ingrain: v.ingrain,
            magnet_rise: v.magnet_rise > 0,
            telekinesis: v.telekinesis > 0,
            substitute: v.substitute,
            electrified: v.electrified,
            focus_energy: v.focus_energy,
            dragon_cheer: if v.dragon_cheer {
                1 + u8::from(self.types_of(who).has(Type::Dragon))
            } else {
                0
            },
            laser_focus: v.laser_focus,
            lucky_chant: team.conditions.lucky_chant > 0,
            confused: v.confusion,
            transformed: who.transformed,
            out_of_reach: if out { v.two_turn } else { Default::default() },
            stockpile: v.stockpile,
            supreme_overlord: v.supreme_overlord,
            times_hit: who.times_hit,
            // Who is on the bench comes in before anybody strikes.
            just_came_in: !team.active.iter().any(at_place),
            type_changed: v.type_change,
            ..Marks::default()
        }
    }

    /// Its speed without what Trick Room does.
    pub fn speed(&self, who: &Combatant, side: usize) -> u32 {
        let ability = if who.ability_suppressed {
            AbilityKind::Other
        } else {
            self.facts.ability(who.ability).kind
        };
        let item =
            if who.item_suppressed { ItemKind::Other } else { self.facts.item(who.item).kind };
        Runner {
            stat: who.stats[4],
            stage: who.stages[4],
            status: who.status,
            ability,
            item,
            unburdened: who.marks.unburden && !self.facts.holds(who.item),
            slow_start: who.marks.slow_start,
            paradox_speed: who.marks.paradox_boost == 5,
            tailwind: self.battle.sides[side].conditions.tailwind > 0,
            weather: self.weather(),
            terrain: self.battle.field.terrain,
        }
        .speed()
    }

    fn order(&self, who: &Combatant, side: usize) -> i32 {
        let speed = self.speed(who, side) as i32;
        match (self.battle.field.trick_room > 0, self.facts.champions) {
            (false, _) => speed,
            (true, true) => -speed,
            // What goes beyond 13 bits begins anew: the slow order of the main games.
            (true, false) => (10_000 - speed) & 0x1FFF,
        }
    }

    fn weather(&self) -> Option<Weather> {
        self.battle.field.weather.filter(|_| !self.weather_suppressed)
    }

    /// What holds between two.
    pub fn conditions(&self, attacker: Place, target: Place) -> Conditions {
        let battle = self.battle;
        let (own, theirs) = (&battle.sides[attacker.0], &battle.sides[target.0]);
        let (attacker_ally, attacker_ally_blooms, _) = self.ally(own, attacker.1);
        let (target_ally, target_ally_blooms, target_ally_shielded) = self.ally(theirs, target.1);
        let guard = &theirs.conditions;
        Conditions {
            weather: self.weather(),
            terrain: battle.field.terrain,
            gravity: battle.field.gravity > 0,
            wonder_room: battle.field.wonder_room > 0,
            friendly: attacker.0 == target.0,
            attacker_ally,
            attacker_ally_blooms,
            target_ally,
            target_ally_blooms,
            target_ally_shielded,
            auras: self.auras,
            fallen: own.team.iter().filter(|who| who.fainted).count() as u8,
            fell_last_turn: false,
            unnerved: self.unnerves(&battle.sides[1 - target.0]),
            reflect: guard.reflect > 0,
            light_screen: guard.light_screen > 0,
            aurora_veil: guard.aurora_veil > 0,
            attacker_tailwind: own.conditions.tailwind > 0,
            target_tailwind: guard.tailwind > 0,
        }
    }

    /// Who stands beside one: its ability where it works, whether it blooms, whether it holds a shield.
    fn ally(&self, side: &Side, index: usize) -> (AbilityId, bool, bool) {
        let ally = side.active.iter().flatten().find(|&&at| at != index).map(|&at| &side.team[at]);
        let Some(ally) = ally.filter(|ally| !ally.fainted) else {
            return Default::default();
        };
        let ability = ability_of(self.facts, ally);
        if self.ability_suppressed(ally, ability) {
            return Default::default();
        }
        let blooms = self.facts.species(ally.base_species).family == Family::Cherrim;
        let shielded = self.facts.item(ally.item).kind == ItemKind::AbilityShield;
        (ability, blooms, shielded)
    }

    fn unnerves(&self, side: &Side) -> bool {
        side.active.iter().flatten().map(|&at| &side.team[at]).any(|who| {
            let ability = ability_of(self.facts, who);
            let kind = self.facts.ability(ability).kind;
            !who.fainted
                && matches!(
                    kind,
                    AbilityKind::Unnerve
                        | AbilityKind::AsOneGlastrier
                        | AbilityKind::AsOneSpectrier
                )
                && !self.ability_suppressed(who, ability)
        })
    }

    /// Gives one another form, with the stats that its points make of it.
    fn reform(&self, who: &mut Combatant, form: SpeciesId) {
        let (before, after) = (self.facts.species(who.species), self.facts.species(form));
        for at in 0..5 {
            who.stats[at] = reformed(
                self.facts.champions,
                who.stats[at],
                before.stats[at + 1],
                after.stats[at + 1],
                who.level,
            );
        }
        who.species = form;
    }

    /// What becomes of one as it strikes: Stance Change draws the blade.
    pub fn ready(&self, who: &mut Combatant) {
        let sheathed = self.facts.species(who.species).kind == SpeciesKind::Aegislash;
        let changes = self.facts.ability(who.ability).kind == AbilityKind::StanceChange;
        if sheathed
            && changes
            && !who.ability_suppressed
            && let Some(blade) = self.facts.form(SpeciesKind::AegislashBlade)
        {
            self.reform(who, blade);
        }
    }

    /// The weather that one brings as it mega evolves.
    pub fn weather_of(&self, who: &Combatant) -> Option<Weather> {
        match self.facts.ability(who.ability).kind {
            AbilityKind::Drought => Some(Weather::Sun),
            AbilityKind::Drizzle => Some(Weather::Rain),
            AbilityKind::SandStream => Some(Weather::Sand),
            AbilityKind::SnowWarning => Some(Weather::Snow),
            _ => None,
        }
    }

    /// Turns one into what its side's gimmick would make of it, if it can.
    pub fn with_gimmick(&self, (side, index): Place, who: &mut Combatant) {
        let known = &self.battle.sides[side].team[index];
        match self.battle.format.gimmick {
            crate::format::Gimmick::Terastallize => {
                if who.tera.is_some() || known.tera_type.is_none() {
                    return;
                }
                who.tera = known.tera_type;
                let form = self.facts.species(who.species);
                // An Ogerpon's mask lifts one stat by a stage and takes the place of its ability.
                let lifted = match form.family {
                    Family::OgerponHearthflame => Some(0),
                    Family::OgerponCornerstone => Some(1),
                    Family::OgerponWellspring => Some(3),
                    Family::Ogerpon => Some(4),
                    _ => None,
                };
                if let Some(stat) = lifted {
                    who.stages[stat] = (who.stages[stat] + 1).min(6);
                    who.ability = AbilityId::UNKNOWN;
                }
                if form.kind == SpeciesKind::TerapagosTerastal
                    && let Some(stellar) = self.facts.form(SpeciesKind::TerapagosStellar)
                {
                    self.reform(who, stellar);
                    who.ability = AbilityId::UNKNOWN;
                }
            }
            crate::format::Gimmick::MegaEvolve => {
                let Some((form, of)) = self.facts.item(known.item).mega else { return };
                if known.mega || of != known.species && of != self.facts.species(known.species).base
                {
                    return;
                }
                self.reform(who, form);
                who.base_species = form;
                let after = self.facts.species(form);
                who.types = after.types;
                who.ability = after.abilities[0];
            }
        }
        debug_assert!(!types_now(who).is_empty() || who.species.0 == 0);
    }
}

fn active(battle: &Battle) -> impl Iterator<Item = &Pokemon> {
    battle.sides.iter().flat_map(|side| {
        side.active.iter().flatten().map(|&at| &side.team[at]).filter(|who| !who.fainted)
    })
}

//! What somebody is known not to have, because it would have shown.

use crate::dex::{self, Category, MoveId};
use crate::state::{Terrain, Weather};

use super::line::Line;
use super::{Tracker, Who};

/// Abilities that show themselves whenever their owner comes in (data/abilities of the simulator).
const ANNOUNCED: [&str; 16] = [
    "airlock",
    "aurabreak",
    "beadsofruin",
    "cloudnine",
    "comatose",
    "darkaura",
    "download",
    "fairyaura",
    "intimidate",
    "moldbreaker",
    "pressure",
    "swordofruin",
    "tabletsofruin",
    "teravolt",
    "turboblaze",
    "vesselofruin",
];

/// Abilities that bring a weather when their owner comes in, unless it is there already.
const WEATHERS: [(&str, Weather); 5] = [
    ("drizzle", Weather::Rain),
    ("drought", Weather::Sun),
    ("orichalcumpulse", Weather::Sun),
    ("sandstream", Weather::Sand),
    ("snowwarning", Weather::Snow),
];

/// The same of terrains.
const TERRAINS: [(&str, Terrain); 5] = [
    ("electricsurge", Terrain::Electric),
    ("hadronengine", Terrain::Electric),
    ("grassysurge", Terrain::Grassy),
    ("mistysurge", Terrain::Misty),
    ("psychicsurge", Terrain::Psychic),
];

impl Tracker {
    /// Can nothing be said about what somebody holds, because it is known, one's own, or might not work?
    fn item_is_open(&self, who: Who) -> bool {
        let one = self.of(who);
        who.0 != self.battle.me
            && !one.item.is_known()
            && self.battle.field.magic_room == 0
            && !one.volatiles.embargo
            && !self.may_have(who, "klutz")
    }

    fn not_item(&mut self, who: Who, name: &str) {
        if let Some(item) = dex::item(name) {
            self.does_not_hold(who, item);
        }
    }

    /// What a move that somebody chose says about what it holds.
    pub(super) fn deduce_from_move(&mut self, who: Who, id: MoveId, line: &Line) {
        let Some(facts) = self.battle.format.dex().a_move(id) else { return };
        let first = self.note(who).first_move;
        if facts.id == "struggle" || line.tags.still || !self.item_is_open(who) {
            return;
        }
        if !first.is_known() {
            self.note_mut(who).first_move = id;
        } else if first != id && !self.of(who).transformed {
            for item in ["choiceband", "choicescarf", "choicespecs"] {
                self.not_item(who, item);
            }
        }
        if facts.category == Category::Status && facts.id != "mefirst" {
            self.not_item(who, "assaultvest");
        }
    }

    /// Somebody's move has struck: Life Orb would take its price before anything else happens.
    pub(super) fn strikes_with(&mut self, who: Who) {
        let spared = ["sheerforce", "magicguard"].iter().any(|name| self.may_have(who, name));
        if self.item_is_open(who) && !spared && !self.of(who).fainted {
            self.now.price = Some(who);
        }
    }

    /// A move is over.
    pub(super) fn move_is_over(&mut self) {
        if let Some(who) = self.now.price.take()
            && self.item_is_open(who)
            && self.of(who).hp > 0
        {
            self.not_item(who, "lifeorb");
        }
    }

    /// Hazards hurt who has no boots.
    pub(super) fn deduce_from_damage(&mut self, who: Who, by: &str) {
        if matches!(by, "stealthrock" | "spikes") && self.item_is_open(who) {
            self.not_item(who, "heavydutyboots");
        }
    }

    /// An empty line: health is noted, for whether the end of the turn heals.
    pub(super) fn note_health(&mut self) {
        for who in self.standing() {
            let hurt = self.of(who).health() < 1.0;
            let note = self.note_mut(who);
            note.hurt = hurt;
            note.healed = false;
        }
    }

    /// The end of a turn: who was hurt and not healed has no Leftovers.
    pub(super) fn deduce_at_upkeep(&mut self) {
        for who in self.standing() {
            let note = self.note(who);
            // Something else may have healed it first.
            let (hurt, healed) = (note.hurt, note.healed);
            let barred = self.of(who).volatiles.heal_block > 0;
            if hurt && !healed && !barred && self.item_is_open(who) {
                self.not_item(who, "leftovers");
            }
        }
    }

    /// A turn begins: what would have shown by now.
    pub(super) fn deduce_at_turn(&mut self) {
        let foe = 1 - self.battle.me;
        let gas = self.gas();
        for place in 0..2 {
            let Some(who) = self.at(foe, place) else { continue };
            if self.item_is_open(who) {
                if self.battle.field.gravity == 0 {
                    self.not_item(who, "airballoon");
                }
                let paradox = ["protosynthesis", "quarkdrive"];
                let has =
                    |name: &&str| self.of(who).ability == dex::ability(name).unwrap_or_default();
                let idle = self.of(who).volatiles.paradox_boost == 0;
                let works = !gas && !self.of(who).volatiles.gastro_acid;
                if idle && works && paradox.iter().any(has) && !self.of(who).transformed {
                    self.not_item(who, "boosterenergy");
                }
            }
            if self.note(who).came_in && !gas {
                self.deduce_ability(who);
            }
        }
        self.each_item_once();
    }

    /// No two of a team come with the same item (the item clause of all official formats).
    fn each_item_once(&mut self) {
        let foe = 1 - self.battle.me;
        if self.disguises(foe) {
            return;
        }
        for holder in 0..self.notes[foe].len() {
            let item = self.notes[foe][holder].came_with;
            if !item.is_known() {
                continue;
            }
            for other in 0..self.notes[foe].len() {
                if other != holder && !self.notes[foe][other].item_changed {
                    self.does_not_hold((foe, other), item);
                }
            }
        }
    }

    /// Somebody has come in and its ability has not shown.
    fn deduce_ability(&mut self, who: Who) {
        let (one, note) = (self.of(who), self.note(who));
        if one.ability.is_known() || one.transformed || self.disguises(who.0) {
            return;
        }
        let (weather, terrain, met) = note.came_into;
        if !met {
            return; // some need a foe to work on
        }
        let now = (self.battle.field.weather, self.battle.field.terrain);
        let primal =
            matches!(weather, Some(Weather::HarshSun | Weather::HeavyRain | Weather::StrongWinds));
        let Some(species) = self.battle.format.dex().species(one.species) else { return };
        let abilities = &species.abilities;
        for name in abilities {
            let brings = WEATHERS.iter().any(|(id, brought)| {
                let there = [weather, now.0].contains(&Some(*brought));
                id == name && !there && !primal
            });
            let lays = TERRAINS.iter().any(|(id, laid)| {
                let there = [terrain, now.1].contains(&Some(*laid));
                id == name && !there
            });
            let would_show = brings || lays || ANNOUNCED.contains(&name.as_str());
            if would_show && let Some(ability) = dex::ability(name) {
                let one = self.of_mut(who);
                if !one.not_abilities.contains(&ability) {
                    one.not_abilities.push(ability);
                }
            }
        }
        let one = self.of(who);
        let mut left = abilities
            .iter()
            .filter_map(|name| dex::ability(name))
            .filter(|ability| !one.not_abilities.contains(ability));
        if let (Some(ability), None) = (left.next(), left.next()) {
            self.learn_ability(who, ability);
        }
    }
}

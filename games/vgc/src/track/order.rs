//! Who moved first: bounds on the speed of foes.
//!
//! At equal priority the faster goes first, in Trick Room the slower. The queue is sorted again after every
//! action (sim/battle, runAction), so the speeds that count are those of the moment in which the first of two
//! moves. One's own is known exactly; what is known of the foe is taken out of the comparison, but for its
//! item, which is part of what the bounds are about.

use crate::dex::{Category, Move, MoveId, Stat};
use crate::state::{Status, Terrain, Weather};

use super::{Tracker, Who};

/// Two of which the first has moved and the second has not yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    second: Who,
    foe: Who,
    foe_moved_first: bool,
    priority: i8,
    slow_first: bool,
    /// One's own speed over what is known to change the foe's.
    bound: f64,
}

/// Abilities that change the order in ways that are not looked into here.
const UNORDERLY: [&str; 3] = ["stall", "myceliummight", "quickdraw"];

impl Tracker {
    /// Somebody moves by its own choice: what that says about those who moved before, and what those who have
    /// not may say later.
    pub(super) fn order(&mut self, who: Who, id: MoveId) {
        let Some(priority) = self.priority(who, id) else { return };
        let encored = self.of(who).volatiles.encore > 0;
        for at in 0..self.now.pairs.len() {
            let pair = self.now.pairs[at];
            if pair.second == who && pair.priority == priority && !encored {
                self.bound(pair);
            }
        }
        self.now.pairs.retain(|pair| pair.second != who);
        if self.now.reordered {
            return;
        }
        for other in self.standing() {
            if other.0 == who.0 || !self.will_move(other) {
                continue;
            }
            let foe_moved_first = who.0 != self.battle.me;
            let (own, foe) = if foe_moved_first { (other, who) } else { (who, other) };
            let Some(own_speed) = self.own_speed(own) else { continue };
            let Some(factor) = self.known_factor(foe) else { continue };
            self.now.pairs.push(Pair {
                second: other,
                foe,
                foe_moved_first,
                priority,
                slow_first: self.battle.field.trick_room > 0,
                bound: own_speed / factor,
            });
        }
    }

    /// Somebody jumps the queue, or is sent to its end: this turn says no more.
    pub(super) fn order_is_upset(&mut self) {
        self.now.pairs.clear();
        self.now.reordered = true;
    }

    /// What was seen of somebody's speed holds no more.
    pub(super) fn forget_speed(&mut self, who: Who) {
        self.now.pairs.retain(|pair| pair.foe != who && pair.second != who);
        let one = self.of_mut(who);
        one.speed_at_least = None;
        one.speed_at_most = None;
    }

    fn bound(&mut self, pair: Pair) {
        // Rounding on the way is worth a point at most on each side of it.
        let one = self.of_mut(pair.foe);
        if pair.foe_moved_first != pair.slow_first {
            let least = (pair.bound.floor() - 1.0).max(1.0) as u16;
            one.speed_at_least = Some(one.speed_at_least.map_or(least, |old| old.max(least)));
        } else {
            let most = (pair.bound.ceil() + 1.0).min(f64::from(u16::MAX)) as u16;
            one.speed_at_most = Some(one.speed_at_most.map_or(most, |old| old.min(most)));
        }
    }

    /// The priority of a move, or nothing where it depends on what is not known.
    fn priority(&self, who: Who, id: MoveId) -> Option<i8> {
        let facts = self.battle.format.dex().a_move(id)?;
        if self.is_last(self.of(who).item) {
            return None;
        }
        if UNORDERLY.iter().any(|name| self.may_have(who, name)) || facts.id == "grassyglide" {
            return None;
        }
        let changes = [
            ("prankster", facts.category == Category::Status),
            ("triage", facts.is("heal") || facts.drain.is_some()),
            ("galewings", is_flying(facts) && self.of(who).health() >= 1.0),
        ];
        // A type that changes may take wing.
        let unsure = changes.iter().any(|(name, applies)| *applies && self.may_have(who, name))
            || (self.may_have(who, "galewings") && self.of(who).terastallized);
        (!unsure).then_some(facts.priority)
    }

    /// Has somebody an ability, or could it have, as far as is known?
    pub(super) fn may_have(&self, who: Who, ability: &str) -> bool {
        let one = self.of(who);
        let dex = self.battle.format.dex();
        match dex.ability(one.ability) {
            Some(known) => known.id == ability,
            None => dex.species(one.species).is_none_or(|species| {
                let not = |id: &String| {
                    crate::dex::ability(id).is_some_and(|id| one.not_abilities.contains(&id))
                };
                species.abilities.iter().any(|id| id == ability && !not(id))
            }),
        }
    }

    /// The speed of one's own, with everything.
    fn own_speed(&self, who: Who) -> Option<f64> {
        let one = self.of(who);
        if self.note(who).stats_are_old {
            return None;
        }
        let stat = f64::from(one.stats?[Stat::Spe as usize - 1]);
        let item = match self.battle.format.dex().item(one.item).map(|item| item.id.as_str()) {
            _ if self.battle.field.magic_room > 0 || one.volatiles.embargo => 1.0,
            Some("choicescarf") => 1.5,
            Some(
                "ironball" | "machobrace" | "poweranklet" | "powerband" | "powerbelt"
                | "powerbracer" | "powerlens" | "powerweight",
            ) => 0.5,
            _ => 1.0,
        };
        Some(stat * item * self.known_factor(who)?)
    }

    /// What changes somebody's speed but for its item; nothing where an ability might that is not known.
    fn known_factor(&self, who: Who) -> Option<f64> {
        let one = self.of(who);
        let field = &self.battle.field;
        if one.transformed || self.note(who).speed_changed {
            return None;
        }
        let stage = f64::from(one.stages[4]);
        let mut factor = if stage >= 0.0 { (2.0 + stage) / 2.0 } else { 2.0 / (2.0 - stage) };
        if self.battle.sides[who.0].conditions.tailwind > 0 {
            factor *= 2.0;
        }
        if self.battle.sides[who.0].conditions.grass_pledge > 0 {
            factor *= 0.25;
        }
        if one.volatiles.paradox_boost == 5 {
            factor *= 1.5;
        }
        if one.volatiles.slow_start > 0 {
            factor *= 0.5;
        }
        let sun = matches!(field.weather, Some(Weather::Sun | Weather::HarshSun));
        let rain = matches!(field.weather, Some(Weather::Rain | Weather::HeavyRain));
        let ill = one.status != Status::Healthy;
        let empty_handed = self.note(who).item_lost;
        let mut quick_feet = false;
        for (ability, applies, by) in [
            ("chlorophyll", sun, 2.0),
            ("swiftswim", rain, 2.0),
            ("sandrush", field.weather == Some(Weather::Sand), 2.0),
            ("slushrush", field.weather == Some(Weather::Snow), 2.0),
            ("surgesurfer", field.terrain == Some(Terrain::Electric), 2.0),
            ("quickfeet", ill, 1.5),
            ("unburden", empty_handed, 2.0),
        ] {
            if applies && self.may_have(who, ability) {
                // What may suppress it or not is left alone.
                if !one.ability.is_known() || self.gas() || one.volatiles.gastro_acid {
                    return None;
                }
                factor *= by;
                quick_feet |= ability == "quickfeet";
            }
        }
        if one.status == Status::Paralysis && !quick_feet {
            factor *= 0.5;
        }
        Some(factor)
    }

    /// Is somebody in battle whose gas is known to suppress abilities?
    pub(super) fn gas_stands(&self) -> bool {
        let gas = crate::dex::ability("neutralizinggas").unwrap_or_default();
        self.standing().any(|who| {
            let one = self.of(who);
            one.ability == gas && !one.volatiles.gastro_acid && !one.transformed
        })
    }

    /// Is somebody in battle whose gas suppresses abilities, or may be?
    pub(super) fn gas(&self) -> bool {
        self.standing().any(|who| self.may_have(who, "neutralizinggas"))
    }
}

fn is_flying(facts: &Move) -> bool {
    // Types that the user changes (Tera Blast, Hidden Power) count as if they might be.
    facts.kind == Some(crate::dex::Type::Flying) || facts.id == "terablast"
}

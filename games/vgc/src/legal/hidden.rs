//! What a request leaves open and a player can tell all the same.

use crate::dex::{self, AbilityId, Type};
use crate::request::{MoveOption, Request};
use crate::state::{Battle, Pokemon};

use super::fainted;

/// Abilities that keep foes from going out.
pub(crate) const TRAPS: [&str; 3] = ["shadowtag", "arenatrap", "magnetpull"];

/// Is the one at `place`, of whom the request says that it may be trapped, trapped?
///
/// Showdown hides it from the last of those who choose alone: of the one before, whose choice could still be
/// taken back, it says what holds (`getMoveRequestData` in `dist/sim/pokemon.js`). What holds the one holds the
/// other, unless it has types, an item or an ability against it. Where that does not tell either, the likelier is
/// assumed.
pub(super) fn is_trapped(place: usize, request: &Request, battle: &Battle) -> bool {
    let mut suspects = suspects(place, request, battle);
    let other = 1 - place;
    let shown = request.active.get(other).and_then(Option::as_ref);
    let there = request.side.pokemon.get(other).filter(|own| !fainted(own) && !own.commanding);
    if let (Some(shown), Some(_)) = (shown, there)
        && !shown.maybe_trapped
    {
        if !shown.trapped {
            suspects.retain(|&(_, trap)| !holds(trap, other, request, battle));
        } else if !held_otherwise(other, request, battle) {
            let of_other = self::suspects(other, request, battle);
            if !of_other.is_empty() && of_other.iter().all(|suspect| suspects.contains(suspect)) {
                return true;
            }
        }
    }
    // Nobody can tell. Those who may have Shadow Tag or Arena Trap are brought for it; Magnet Pull is rarely what
    // its owners are for.
    suspects.iter().any(|&(foe, trap)| {
        dex::ability("magnetpull") != Some(trap)
            || battle.foe().at(foe).is_some_and(|foe| has(foe, trap, battle))
    })
}

/// Foes who may have an ability that would hold the one at `place`, with it.
fn suspects(place: usize, request: &Request, battle: &Battle) -> Vec<(usize, AbilityId)> {
    let mut found = Vec::new();
    for foe in 0..2 {
        let Some(pokemon) = battle.foe().at(foe).filter(|pokemon| !pokemon.fainted) else {
            continue;
        };
        for trap in TRAPS.iter().filter_map(|trap| dex::ability(trap)) {
            if may_have(pokemon, trap, battle) && holds(trap, place, request, battle) {
                found.push((foe, trap));
            }
        }
    }
    found
}

/// Is it known to have an ability? What its species has no choice about is known.
fn has(pokemon: &Pokemon, ability: AbilityId, battle: &Battle) -> bool {
    let species = battle.format.dex().species(pokemon.species);
    let no_choice = species.is_some_and(|species| species.abilities.len() == 1);
    pokemon.ability == ability || (no_choice && !pokemon.ability.is_known())
}

fn may_have(pokemon: &Pokemon, ability: AbilityId, battle: &Battle) -> bool {
    if pokemon.ability.is_known() || pokemon.volatiles.gastro_acid {
        return pokemon.ability == ability && !pokemon.volatiles.gastro_acid;
    }
    let species = battle.format.dex().species(pokemon.species);
    !pokemon.not_abilities.contains(&ability)
        && species.is_some_and(|species| {
            species.abilities.iter().any(|name| dex::ability(name) == Some(ability))
        })
}

/// Would an ability of a foe hold the one at `place`?
pub(crate) fn holds(trap: AbilityId, place: usize, request: &Request, battle: &Battle) -> bool {
    let (Some(own), known) = (request.side.pokemon.get(place), battle.own().at(place)) else {
        return false;
    };
    let types = match Type::of(&own.terastallized).filter(|&tera| tera != Type::Stellar) {
        Some(tera) => vec![tera],
        None => known.map(|pokemon| pokemon.types(battle.format)).unwrap_or_default(),
    };
    if types.contains(&Type::Ghost) || own.item == "shedshell" {
        return false;
    }
    let is = |name: &str| dex::ability(name) == Some(trap);
    if is("shadowtag") {
        own.ability != "shadowtag"
    } else if is("arenatrap") {
        known.is_none_or(|pokemon| grounded(pokemon, battle))
    } else {
        types.contains(&Type::Steel)
    }
}

/// Is the one at `place` held by something that everybody saw, or by the move it goes on with?
fn held_otherwise(place: usize, request: &Request, battle: &Battle) -> bool {
    let forced = request
        .active
        .get(place)
        .and_then(Option::as_ref)
        .is_some_and(|active| active.moves.iter().any(|option| option.target.is_none()));
    let seen = battle.own().at(place).is_some_and(|pokemon| {
        let under = &pokemon.volatiles;
        under.trapped
            || under.partially_trapped
            || under.ingrain
            || under.no_retreat
            || under.octolock
            || under.commanded
    });
    forced || seen || battle.field.fairy_lock > 0
}

/// Is a move known to be shared with a foe who imprisons it?
pub(super) fn is_imprisoned(option: &MoveOption, battle: &Battle) -> bool {
    let Some(id) = dex::a_move(&option.id) else { return false };
    let foes = (0..2).filter_map(|place| battle.foe().at(place));
    foes.filter(|foe| !foe.fainted && foe.volatiles.imprison)
        .any(|foe| foe.moves.iter().any(|known| known.id == id))
}

/// Does it stand on the ground? The order of `isGrounded` in the simulator's `dist/sim/pokemon.js`.
pub(super) fn grounded(pokemon: &Pokemon, battle: &Battle) -> bool {
    let holds = |name: &str| dex::item(name) == Some(pokemon.item);
    let under = &pokemon.volatiles;
    if battle.field.gravity > 0 || under.ingrain || under.smack_down || holds("ironball") {
        return true;
    }
    let flies = pokemon.types(battle.format).contains(&Type::Flying) && !under.roost;
    let levitates = dex::ability("levitate") == Some(pokemon.ability) && !under.gastro_acid;
    !(flies || levitates || under.magnet_rise > 0 || under.telekinesis > 0 || holds("airballoon"))
}

//! What holds somebody back: moves that cannot be chosen, and going out that is not allowed.
//!
//! As the simulator reckons it before a request (sim/battle, endTurn; sim/pokemon, getMoveRequestData).

use crate::dex::{self, AbilityId, Category, Move, MoveId, Target};
use crate::format::Gimmick;
use crate::legal::{TRAPS, holds};
use crate::request::{Condition, MoveOption, Own, Request};
use crate::state::{Battle, Pokemon};

/// Somebody in battle, and what its moves may be limited by.
#[derive(Clone, Copy)]
pub(super) struct Limits<'a> {
    pub battle: &'a Battle,
    pub one: &'a Pokemon,
    pub own: &'a Own,
    /// Has it eaten a berry in this battle?
    pub ate: bool,
    /// The first move that it used since it holds what it holds.
    pub choice: MoveId,
}

/// The foes as they know themselves.
pub(super) struct Foes<'a> {
    /// The battle as their side knows it.
    pub battle: &'a Battle,
    /// By place: the ability that came with another's shape.
    pub copied: [Option<AbilityId>; 2],
}

impl Limits<'_> {
    /// The only move that can be chosen, if it is one.
    pub fn held_to(&self) -> Option<MoveId> {
        let Self { battle, one, own, .. } = self;
        let item = battle.format.dex().item(one.item).is_some_and(|item| item.choice);
        let works = battle.field.magic_room == 0 && !one.volatiles.embargo;
        let locks =
            (item && works) || (own.ability == "gorillatactics" && !one.volatiles.gastro_acid);
        let known = own.moves.iter().any(|own| dex::a_move(own) == Some(self.choice));
        match one.volatiles.encore > 0 {
            true => Some(one.volatiles.encored),
            false => (locks && known).then_some(self.choice),
        }
    }

    /// Can a move not be chosen?
    pub fn disable(&self, id: MoveId, facts: &Move, held_to: Option<MoveId>) -> bool {
        let Self { battle, one, own, .. } = self;
        let under = &one.volatiles;
        let status = facts.category == Category::Status;
        let vest =
            own.item == "assaultvest" && facts.id != "mefirst" && battle.field.magic_room == 0;
        // Champions: moves for the first turn cannot be chosen later (data/mods/champions/moves).
        let late = battle.format.gimmick == Gimmick::MegaEvolve
            && ["fakeout", "firstimpression"].contains(&facts.id.as_str())
            && one.turns_in > 0;
        held_to.is_some_and(|held| held != id)
            || (status && (vest || (under.taunt > 0 && facts.id != "mefirst")))
            || (under.disable > 0 && under.disabled == id)
            || (under.torment && one.last_move == id)
            || (under.heal_block > 0 && facts.is("heal"))
            || (under.throat_chop > 0 && facts.is("sound"))
            || (battle.field.gravity > 0 && facts.is("gravity"))
            || (facts.is("cantusetwice") && one.last_move == id)
            || (facts.id == "belch" && !self.ate)
            || (facts.id == "stuffcheeks" && !own.item.ends_with("berry"))
            || late
    }
}

/// Marks who cannot go out and which moves foes imprison, and what a request hides of both: from the last of those
/// who choose it is hidden what only a foe's ability or set does.
pub(super) fn hold_back(request: &mut Request, battle: &Battle, foes: &Foes) {
    let lives = |own: &Own| Condition::parse(&own.condition).is_some_and(|told| !told.fainted);
    let stands = [0, 1].map(|place| {
        battle.own().at(place).is_some() && request.side.pokemon.get(place).is_some_and(lives)
    });
    let can_go = request.side.pokemon.iter().skip(2).any(lives);
    for place in 0..2 {
        let is_last = place == 1 || !stands[1];
        let held = trapping(place, request, battle, foes);
        let imprisoned = imprisoned(place, request, foes.battle);
        let Some(Some(active)) = request.active.get_mut(place) else { continue };
        if active.trapped {
            continue; // by the move it goes on with
        }
        active.trapped = can_go && (held.seen || (held.hidden && !is_last));
        active.maybe_trapped = can_go && is_last && !active.trapped && held.possible;
        active.maybe_disabled = is_last && imprisoned.contains(&true);
        for (option, imprisoned) in active.moves.iter_mut().zip(imprisoned) {
            option.disabled |= imprisoned && !is_last;
        }
        if active.moves.iter().all(|option| option.disabled || option.pp == Some(0)) {
            let target = Some(Target::RandomNormal);
            active.moves =
                vec![MoveOption { id: "struggle".to_owned(), target, ..MoveOption::default() }];
            active.can_terastallize = None;
            active.can_mega_evo = false;
        }
    }
}

/// What keeps somebody from going out.
struct Held {
    /// Everybody saw it.
    seen: bool,
    /// A foe's ability does.
    hidden: bool,
    /// A foe's species may have such an ability.
    possible: bool,
}

fn trapping(place: usize, request: &Request, battle: &Battle, foes: &Foes) -> Held {
    let mut held = Held { seen: false, hidden: false, possible: false };
    let (Some(one), Some(own)) = (battle.own().at(place), request.side.pokemon.get(place)) else {
        return held;
    };
    let under = &one.volatiles;
    let ghost = one.types(battle.format).contains(&dex::Type::Ghost);
    let shell = own.item == "shedshell" && battle.field.magic_room == 0;
    let bound = under.trapped
        || under.partially_trapped
        || under.ingrain
        || under.no_retreat
        || under.octolock
        || battle.field.fairy_lock > 0;
    held.seen = (bound && !ghost && !shell) || under.commanded || own.commanding;
    let facts = battle.format.dex();
    let theirs = foes.battle.own();
    let gas = dex::ability("neutralizinggas");
    let all = [battle.own(), theirs];
    let mut standing = all.into_iter().flat_map(|side| (0..2).filter_map(move |at| side.at(at)));
    let suppressed = standing.any(|one| Some(one.ability) == gas);
    for at in 0..2 {
        let Some(foe) = theirs.at(at).filter(|foe| !foe.fainted) else { continue };
        let ability = foes.copied[at].filter(|_| foe.transformed).unwrap_or(foe.ability);
        let species = facts.species(foe.species);
        for trap in TRAPS.iter().filter_map(|name| dex::ability(name)) {
            if !holds(trap, place, request, battle) {
                continue;
            }
            let has = ability == trap && !foe.volatiles.gastro_acid && !suppressed;
            let of_species = species.is_some_and(|species| {
                species.abilities.iter().any(|name| dex::ability(name) == Some(trap))
            });
            held.hidden |= has;
            held.possible |= has || of_species;
        }
    }
    held
}

/// Which moves of somebody foes imprison.
fn imprisoned(place: usize, request: &Request, truth: &Battle) -> [bool; 4] {
    let mut found = [false; 4];
    let Some(Some(active)) = request.active.get(place) else { return found };
    let foes = || (0..2).filter_map(|at| truth.own().at(at));
    for (option, found) in active.moves.iter().zip(&mut found) {
        let id = dex::a_move(&option.id);
        *found = foes().filter(|foe| !foe.fainted && foe.volatiles.imprison).any(|foe| {
            option.id != "struggle" && foe.moves.iter().any(|known| Some(known.id) == id)
        });
    }
    found
}

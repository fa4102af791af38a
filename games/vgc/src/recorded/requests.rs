//! Requests as far as teams and log tell them.

use crate::damage::stats_of;
use crate::dex::{self, Item, MoveId, Target, Type};
use crate::format::{Format, Gimmick};
use crate::request::{Active, MoveOption, Own, Request, Side, Stats};
use crate::state::{Battle, Pokemon, Status};

use super::Set;

/// One side of a recorded battle: its sets, and who is where in its requests.
pub(super) struct Bench<'a> {
    pub sets: &'a [Set],
    /// Members by their place in requests: those in battle first.
    pub order: Vec<usize>,
}

impl Bench<'_> {
    /// Somebody takes a place: the two change places in the request.
    pub fn enters(&mut self, place: usize, member: usize) {
        if let Some(from) = self.order.iter().position(|one| *one == member)
            && place < self.order.len()
        {
            self.order.swap(place, from);
        }
    }
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Healthy => "",
        Status::Burn => " brn",
        Status::Freeze => " frz",
        Status::Paralysis => " par",
        Status::Poison => " psn",
        Status::Toxic => " tox",
        Status::Sleep => " slp",
    }
}

/// The row of a member.
fn row(format: &Format, side: usize, set: &Set, known: &Pokemon, active: bool) -> Own {
    // A member that was not brought may be another in the recording than the preview showed.
    let facts = format.dex();
    let name = |id| facts.species(id).map_or("", |species| species.name.as_str());
    let level = if known.level > 0 { known.level } else { set.level.unwrap_or(50) };
    let gender = known.gender.map_or(String::new(), |gender| format!(", {gender}"));
    let species = if known.revealed && known.species.is_known() && !known.transformed {
        known.species
    } else {
        known.base_species
    };
    let base = facts.species(known.base_species).map_or([1; 6], |species| species.stats);
    let ivs = set.ivs.map_or([31; 6], super::Spread::all);
    let evs = set.evs.map_or([0; 6], super::Spread::all);
    let [hp, atk, def, spa, spd, spe] =
        stats_of(format, base, level, ivs, evs, dex::nature(&set.nature));
    let condition = if known.fainted {
        "0 fnt".to_owned()
    } else if known.max_hp == 0 {
        format!("{hp}/{hp}")
    } else {
        format!("{}/{}{}", known.hp, known.max_hp, word(known.status))
    };
    let nickname = if set.name.is_empty() { name(known.base_species) } else { &set.name };
    let moves = if known.transformed {
        let id = |m: &crate::state::KnownMove| facts.a_move(m.id).map(|facts| facts.id.clone());
        known.moves.iter().filter_map(id).collect()
    } else {
        set.moves.iter().map(|name| dex::id_of(name)).collect()
    };
    let item = match facts.item(known.item) {
        Some(item) => item.id.clone(),
        None if known.item == dex::ItemId::none() => String::new(),
        None => dex::id_of(&set.item),
    };
    let ability = facts.ability(known.ability).map(|ability| ability.id.clone());
    let tera = known.terastallized.then_some(known.tera_type).flatten();
    Own {
        ident: format!("p{}: {nickname}", side + 1),
        details: format!("{}, L{level}{gender}", name(species)),
        condition,
        active,
        stats: Stats { atk, def, spa, spd, spe },
        moves,
        base_ability: dex::id_of(&set.ability),
        ability: ability.unwrap_or_else(|| dex::id_of(&set.ability)),
        item,
        commanding: known.volatiles.commanding,
        reviving: false,
        tera_type: set.tera_type.clone(),
        terastallized: tera.map_or(String::new(), |tera: Type| tera.name().to_owned()),
    }
}

fn side(bench: &Bench, battle: &Battle, of: usize, preview: bool) -> Side {
    let known = &battle.sides[of];
    let rows = bench.order.iter().enumerate().filter_map(|(at, member)| {
        let (set, one) = (bench.sets.get(*member)?, known.team.get(*member)?);
        Some(row(battle.format, of, set, one, at < 2 && !preview))
    });
    Side { name: known.name.clone(), id: format!("p{}", of + 1), pokemon: rows.collect() }
}

/// The request of a preview.
pub(super) fn preview(bench: &Bench, battle: &Battle, of: usize) -> Request {
    Request { team_preview: true, side: side(bench, battle, of, true), ..Request::default() }
}

/// The request for others in place of those who are gone.
pub(super) fn switches(bench: &Bench, battle: &Battle, of: usize, places: [bool; 2]) -> Request {
    Request {
        force_switch: places.to_vec(),
        side: side(bench, battle, of, false),
        ..Request::default()
    }
}

/// The request for somebody fainted to come back.
pub(super) fn revival(bench: &Bench, battle: &Battle, of: usize, place: usize) -> Request {
    let places = [0, 1].map(|at| at == place);
    let mut request = switches(bench, battle, of, places);
    if let Some(own) = request.side.pokemon.get_mut(place) {
        own.reviving = true;
    }
    request
}

/// The request of a turn; `held` are the moves that choice items hold the two to.
pub(super) fn turn(bench: &Bench, battle: &Battle, of: usize, held: [MoveId; 2]) -> Request {
    let active = (0..2).map(|place| {
        let one = battle.sides[of].at(place)?;
        let set = bench.sets.get(*bench.order.get(place)?)?;
        Some(options(battle, of, one, set, held[place]))
    });
    let active = active.collect();
    Request { active, side: side(bench, battle, of, false), ..Request::default() }
}

/// What somebody in battle can do: what is disabled as far as it can be told.
fn options(battle: &Battle, of: usize, one: &Pokemon, set: &Set, choice: MoveId) -> Active {
    let format = battle.format;
    let held = one.volatiles.two_turn.0 | one.volatiles.locked_move.0;
    if one.volatiles.must_recharge || held != 0 {
        let forced = format.dex().a_move(MoveId(held)).map_or("recharge", |facts| &facts.id);
        let moves = vec![MoveOption { id: forced.to_owned(), ..MoveOption::default() }];
        return Active { moves, trapped: true, ..Active::default() };
    }
    let item = format.dex().item(one.item);
    let choice_locks = item.is_some_and(|item| item.choice) && battle.field.magic_room == 0;
    let own_move = |id| one.moves.iter().any(|known| known.id == id);
    let held_to = if one.volatiles.encore > 0 {
        Some(one.volatiles.encored)
    } else if choice_locks && own_move(choice) {
        Some(choice)
    } else {
        None
    };
    let mut moves: Vec<MoveOption> = Vec::new();
    for known in &one.moves {
        let Some(facts) = format.dex().a_move(known.id) else { continue };
        let status = facts.category == dex::Category::Status;
        let vest = item.is_some_and(|item| item.id == "assaultvest") && facts.id != "mefirst";
        let disabled = held_to.is_some_and(|held| held != known.id)
            || (status && (vest || one.volatiles.taunt > 0))
            || (one.volatiles.disable > 0 && one.volatiles.disabled == known.id)
            || (one.volatiles.torment && one.last_move == known.id)
            || (one.volatiles.heal_block > 0 && facts.is("heal"))
            || (one.volatiles.throat_chop > 0 && facts.is("sound"))
            || (facts.is("cantusetwice") && one.last_move == known.id);
        moves.push(MoveOption {
            id: facts.id.clone(),
            pp: Some(u16::from(known.pp)),
            maxpp: Some(u16::from(known.max_pp)),
            target: Some(aim(battle, one, facts)),
            disabled,
        });
    }
    if moves.iter().all(|option| option.disabled || option.pp == Some(0)) {
        let target = Some(Target::RandomNormal);
        moves = vec![MoveOption { id: "struggle".to_owned(), target, ..MoveOption::default() }];
    }
    let unused = !battle.sides[of].gimmick_used;
    let tera = format.gimmick == Gimmick::Terastallize && unused;
    let stone = |item: &Item| {
        let species = format.dex().species(one.species);
        item.mega_of.as_deref() == species.map(|species| species.id.as_str())
    };
    Active {
        moves,
        can_terastallize: tera.then(|| set.tera_type.clone()),
        can_mega_evo: format.gimmick == Gimmick::MegaEvolve && unused && item.is_some_and(stone),
        ..Active::default()
    }
}

/// Whom a move reaches now, as Showdown writes it into a request (sim/pokemon, getMoves).
fn aim(battle: &Battle, one: &Pokemon, facts: &dex::Move) -> Target {
    let ghost = || one.types(battle.format).contains(&Type::Ghost);
    let stellar = || {
        let species = battle.format.dex().species(one.species);
        species.is_some_and(|species| species.id == "terapagosstellar")
    };
    match facts.id.as_str() {
        "curse" if !ghost() => Target::User,
        "pollenpuff" if one.volatiles.heal_block > 0 => Target::AdjacentFoe,
        "terastarstorm" if stellar() => Target::AllAdjacentFoes,
        _ => facts.target,
    }
}

//! Requests as far as teams and log tell them.

use crate::damage::{likely_stats, stats_of};
use crate::dex::{self, AbilityId, Item, MoveId, SpeciesId, Target, Type};
use crate::format::{Format, Gimmick};
use crate::request::{Active, MoveOption, Own, Request, Side, Stats};
use crate::state::{Battle, KnownMove, Pokemon, Status};

use super::Set;
use super::limits::{self, Foes, Limits};

/// One side of a recorded battle: its sets, and who is where in its requests.
pub(super) struct Bench<'a> {
    pub sets: &'a [Set],
    /// Members by their place in requests: those in battle first.
    pub order: Vec<usize>,
    /// What the log last called each member, `Ogerpon-Wellspring-Tera, L50, F`; nothing of those who were not in
    /// battle yet.
    pub details: Vec<Option<String>>,
    /// What somebody has taken over with another's shape, by place.
    pub copied: [Option<Copied>; 2],
    /// Which members have eaten a berry.
    pub ate: Vec<bool>,
    /// Health that members took to the bench, where going out has healed them.
    pub rested: Vec<Option<u16>>,
}

/// What comes with another's shape: whoever takes it knows all of it, whatever the foes have shown.
#[derive(Clone, Debug)]
pub(super) struct Copied {
    /// Ids of its moves.
    pub moves: Vec<String>,
    /// Its ability.
    pub ability: AbilityId,
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

/// The form that a member has before anything happens to it. One that was not brought may be another in a recording
/// than the preview showed: then it is what was shown, and nothing else of the set holds.
fn own_form(format: &Format, set: &Set, known: &Pokemon, preview: bool) -> Option<SpeciesId> {
    let facts = format.dex();
    let base = |id| facts.species(id).map(|species| species.base.as_ref().unwrap_or(&species.id));
    let written = dex::species(&set.species)?;
    if written != known.base_species && base(written) != base(known.base_species) {
        return None;
    }
    // They change before the first turn and after the preview (data/conditions of the simulator).
    let crowned = CROWNS.iter().find(|(held, ..)| *held == dex::id_of(&set.item) && !preview);
    let form = crowned.filter(|(_, name, ..)| base(written).is_some_and(|base| base == name));
    form.and_then(|(.., form, _)| dex::species(form)).or(Some(written))
}

/// What is held, who holds it, what it becomes, and the move that Iron Head becomes.
const CROWNS: [(&str, &str, &str, &str); 2] = [
    ("rustedsword", "zacian", "zaciancrowned", "behemothblade"),
    ("rustedshield", "zamazenta", "zamazentacrowned", "behemothbash"),
];

/// The moves of a set as they are in battle.
pub(super) fn moves_of(set: &Set, preview: bool) -> Vec<String> {
    let crowned = CROWNS.iter().find(|(item, name, ..)| {
        !preview && *item == dex::id_of(&set.item) && dex::id_of(&set.species).starts_with(name)
    });
    let of = |name: &String| match (crowned, dex::id_of(name)) {
        (Some((.., becomes)), id) if id == "ironhead" => (*becomes).to_owned(),
        (_, id) => id,
    };
    set.moves.iter().map(of).collect()
}

/// The row of a member, which has a place in battle or none.
fn row(bench: &Bench, battle: &Battle, of: usize, at: usize, preview: bool) -> Option<Own> {
    let member = *bench.order.get(at)?;
    let (set, known) = (bench.sets.get(member)?, battle.sides[of].team.get(member)?);
    let format = battle.format;
    let active = at < 2 && !preview;
    let facts = format.dex();
    let name = |id| facts.species(id).map_or("", |species| species.name.as_str());
    let form = own_form(format, set, known, preview);
    let foreign = form.is_none();
    let level = if known.level > 0 { known.level } else { set.level.unwrap_or(50) };
    let gender = known.gender.map_or(String::new(), |gender| format!(", {gender}"));
    let told = bench.details.get(member).and_then(Option::as_ref);
    let details = told.cloned().unwrap_or_else(|| {
        format!("{}, L{level}{gender}", name(form.unwrap_or(known.base_species)))
    });
    let lasting =
        dex::species(details.split(',').next().unwrap_or("")).unwrap_or(known.base_species);
    // A form for as long as it is in battle has stats of its own; another's shape has not (sim/pokemon, setSpecies).
    let reckoned = match active && known.species.is_known() && !known.transformed && told.is_some()
    {
        true => known.species,
        false => lasting,
    };
    let base = |id| facts.species(id).map_or([1; 6], |species| species.stats);
    let stats = |id| {
        if set.sheet || foreign {
            return likely_stats(format, base(id), level);
        }
        let ivs = set.ivs.map_or([31; 6], super::Spread::all);
        let evs = set.evs.map_or([0; 6], super::Spread::all);
        stats_of(format, base(id), level, ivs, evs, dex::nature(&set.nature))
    };
    let ([hp, ..], [_, atk, def, spa, spd, spe]) = (stats(lasting), stats(reckoned));
    let condition = if known.fainted {
        "0 fnt".to_owned()
    } else if known.max_hp == 0 {
        format!("{hp}/{hp}")
    } else if let (Some(rested), true) = (bench.rested.get(member).copied().flatten(), at > 1) {
        format!("{rested}/{}{}", known.max_hp, word(known.status))
    } else if known.max_hp == 100 && hp != 100 {
        // A log for everybody has one's own health in hundredths, too.
        let points = (u32::from(known.hp) * u32::from(hp)).div_ceil(100);
        format!("{points}/{hp}{}", word(known.status))
    } else {
        format!("{}/{}{}", known.hp, known.max_hp, word(known.status))
    };
    let nickname = match set.name.as_str() {
        // A sheet leaves names out; the log has them once somebody comes in.
        "" if set.sheet => &known.nickname,
        // Somebody whose form has a name of its own is called by its species (sim/pokemon, its constructor).
        "" => species_of(facts, form.unwrap_or(known.base_species)),
        name => name,
    };
    let copied = bench.copied.get(at).and_then(Option::as_ref).filter(|_| known.transformed);
    let moves = if foreign {
        Vec::new()
    } else if let Some(copied) = copied {
        copied.moves.clone()
    } else if known.transformed {
        let id = |m: &crate::state::KnownMove| facts.a_move(m.id).map(|facts| facts.id.clone());
        known.moves.iter().filter_map(id).collect()
    } else {
        moves_of(set, preview)
    };
    let item = match facts.item(known.item) {
        Some(item) => item.id.clone(),
        None if known.item == dex::ItemId::none() || foreign => String::new(),
        None => dex::id_of(&set.item),
    };
    let own_ability = if foreign {
        String::new()
    } else {
        // A form that lasts comes with its own (sim/pokemon, formeChange).
        let written = dex::id_of(&set.ability);
        let possible = facts.species(lasting).map_or(&[][..], |species| &species.abilities);
        let changed = Some(lasting) != dex::species(&set.species) && !possible.contains(&written);
        possible.first().filter(|_| changed).cloned().unwrap_or(written)
    };
    let now = copied.map_or(known.ability, |copied| copied.ability);
    let ability = facts.ability(now).filter(|_| active).map(|ability| ability.id.clone());
    let tera = known.terastallized.then_some(known.tera_type).flatten();
    Some(Own {
        ident: format!("p{}: {nickname}", of + 1),
        details,
        condition,
        active,
        stats: Stats { atk, def, spa, spd, spe },
        moves,
        ability: ability.unwrap_or_else(|| own_ability.clone()),
        base_ability: own_ability,
        item,
        commanding: known.volatiles.commanding,
        reviving: false,
        tera_type: set.tera_type.clone(),
        terastallized: tera.map_or(String::new(), |tera: Type| tera.name().to_owned()),
    })
}

/// What somebody without a name is called.
fn species_of(facts: &dex::Dex, id: SpeciesId) -> &str {
    let Some(species) = facts.species(id) else { return "" };
    let base = species.base.as_deref().and_then(dex::species).and_then(|id| facts.species(id));
    base.map_or(&species.name, |base| &base.name)
}

fn side(bench: &Bench, battle: &Battle, of: usize, preview: bool) -> Side {
    let rows = (0..bench.order.len()).filter_map(|at| row(bench, battle, of, at, preview));
    let name = battle.sides[of].name.clone();
    Side { name, id: format!("p{}", of + 1), pokemon: rows.collect() }
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
pub(super) fn turn(
    bench: &Bench,
    battle: &Battle,
    of: usize,
    held: [MoveId; 2],
    foes: &Foes,
) -> Request {
    let side = side(bench, battle, of, false);
    let active = (0..2).map(|place| {
        let (one, own) = (battle.sides[of].at(place)?, side.pokemon.get(place)?);
        let ate =
            bench.order.get(place).is_some_and(|member| bench.ate.get(*member) == Some(&true));
        let limits = Limits { battle, one, own, ate, choice: held[place] };
        Some(options(&limits, of))
    });
    let mut request = Request { active: active.collect(), side, ..Request::default() };
    limits::hold_back(&mut request, battle, foes);
    request
}

/// What somebody in battle can do: what is disabled as far as it can be told.
fn options(limits: &Limits, of: usize) -> Active {
    let Limits { battle, one, own, .. } = *limits;
    let format = battle.format;
    let held = one.volatiles.two_turn.0 | one.volatiles.locked_move.0;
    if one.volatiles.must_recharge || held != 0 {
        let forced = format.dex().a_move(MoveId(held)).map_or("recharge", |facts| &facts.id);
        let moves = vec![MoveOption { id: forced.to_owned(), ..MoveOption::default() }];
        return Active { moves, trapped: true, ..Active::default() };
    }
    let held_to = limits.held_to();
    let mut moves: Vec<MoveOption> = Vec::new();
    for id in &own.moves {
        let Some(facts) = dex::a_move(id).and_then(|id| format.dex().a_move(id)) else { continue };
        let uses = if one.transformed { facts.pp.min(5) } else { format.uses(facts) };
        let id = dex::a_move(id).unwrap_or_default();
        let known = one.moves.iter().find(|known| known.id == id).copied();
        let known = known.unwrap_or(KnownMove { id, pp: uses, max_pp: uses });
        moves.push(MoveOption {
            id: facts.id.clone(),
            pp: Some(u16::from(known.pp)),
            maxpp: Some(u16::from(known.max_pp)),
            target: Some(aim(battle, one, facts)),
            disabled: limits.disable(id, facts, held_to),
        });
    }
    let unused = !battle.sides[of].gimmick_used;
    let stone = |item: &Item| {
        let facts = format.dex();
        let form = item.mega.as_deref().and_then(dex::species).and_then(|id| facts.species(id));
        let lasting = dex::species(own.details.split(',').next().unwrap_or(""));
        let now = lasting.and_then(|id| facts.species(id));
        let base = |one: &dex::Species| one.base.clone().unwrap_or_else(|| one.id.clone());
        form.zip(now).is_some_and(|(form, now)| form.id != now.id && base(form) == base(now))
    };
    let item = format.dex().item(one.item);
    let tera = format.gimmick == Gimmick::Terastallize && unused;
    Active {
        moves,
        can_terastallize: tera.then(|| own.tera_type.clone()),
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

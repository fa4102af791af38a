//! One Pokémon of twelve.

use crate::dex::{Category, MoveId, TYPES, Type};
use crate::outlook::{Deed, deeds, plain_speed};
use crate::state::{Pokemon, Status, Volatiles};

use super::Scene;
use super::sink::Sink;

/// Whom an entity shows.
#[derive(Clone, Copy)]
pub struct Who {
    pub side: usize,
    pub index: usize,
}

pub const STATUSES: [&str; 6] =
    ["burnt", "frozen", "paralysed", "poisoned", "badly_poisoned", "asleep"];
const STAGES: [&str; 7] = [
    "stage_atk",
    "stage_def",
    "stage_spa",
    "stage_spd",
    "stage_spe",
    "stage_accuracy",
    "stage_evasion",
];
const BASES: [&str; 6] = ["base_hp", "base_atk", "base_def", "base_spa", "base_spd", "base_spe"];
const STATS: [&str; 5] = ["atk", "def", "spa", "spd", "spe"];
const MOVE_IDS: [&str; 4] = ["move_1", "move_2", "move_3", "move_4"];
pub const MOVE_SCOPES: [&str; 4] = MOVE_IDS;
const SLOTS: [&str; 4] = ["choice_1", "choice_2", "choice_3", "choice_4"];
const TEAM_PLACES: [&str; 6] = ["team_1", "team_2", "team_3", "team_4", "team_5", "team_6"];
const LIFTED: [&str; 5] = ["lifted_atk", "lifted_def", "lifted_spa", "lifted_spd", "lifted_spe"];

/// Writes one.
pub fn write(sink: &mut impl Sink, scene: &Scene, who: Who, one: &Pokemon) {
    let battle = scene.battle;
    let own = who.side == battle.me;
    let dex = battle.format.dex();
    let species = dex.species(one.species);
    let types = types(scene, one);

    sink.species("species", one.species);
    MOVE_IDS.iter().enumerate().for_each(|(at, name)| {
        sink.a_move(name, one.moves.get(at).map_or(MoveId::UNKNOWN, |known| known.id));
    });
    sink.item("item", one.item);
    sink.item("former_item", one.former_item);
    sink.ability("ability", one.ability);
    sink.kind("type_first", types[0]);
    sink.kind("type_second", types[1]);
    sink.kind("tera_type", one.tera_type);
    sink.a_move("last_move", one.last_move);

    sink.flag("own", own);
    let active = battle.sides[who.side].active;
    sink.one_of(
        &["in_first_place", "in_second_place"],
        active.iter().position(|&a| a == Some(who.index)),
    );
    sink.one_of(&TEAM_PLACES, Some(who.index));
    // Of one's own: which number a switch to it has.
    let slot =
        if own { (0..4).find(|&at| scene.look.own[at].index == Some(who.index)) } else { None };
    sink.one_of(&SLOTS, slot);
    sink.number("hp", one.health());
    sink.flag("fainted", one.fainted);
    sink.flag("revealed", one.revealed);
    sink.flag("left_behind", one.left_behind);
    status(sink, one);
    stages(sink, one);
    for (at, name) in BASES.iter().enumerate() {
        sink.number(name, species.map_or(0.0, |species| f32::from(species.stats[at]) / 180.0));
    }
    sink.flag("stats_known", one.stats.is_some());
    for (at, name) in STATS.iter().enumerate() {
        sink.number(name, one.stats.map_or(0.0, |stats| f32::from(stats[at]) / 250.0));
    }
    let base_speed = species.map_or(80, |species| species.stats[5]);
    sink.number("speed_guess", plain_speed(one, base_speed) / 250.0);
    sink.flag("speed_seen", one.speed_at_least.is_some() || one.speed_at_most.is_some());
    sink.number("level", f32::from(one.level) / 100.0);
    // From 0.1 kg to 1000 kg.
    let weight = species.map_or(0.0, |species| f32::from(species.weight));
    sink.number("weight", weight.max(1.0).log10() / 4.0);
    sink.flag("male", one.gender == Some('M'));
    sink.flag("female", one.gender == Some('F'));
    sink.flag("terastallized", one.terastallized);
    sink.flag("mega", one.mega);
    sink.number("turns_in", f32::from(one.turns_in.min(10)) / 10.0);
    sink.number("stall", f32::from(one.stall) / 3.0);
    sink.number("times_hit", f32::from(one.times_hit) / 6.0);
    sink.flag("transformed", one.transformed);
    volatiles(sink, &one.volatiles);
    let all = deeds(battle.format);
    for (at, scope) in MOVE_SCOPES.iter().enumerate() {
        let known = one.moves.get(at);
        let deed = known.and_then(|known| all.get(usize::from(known.id.0)));
        sink.enter(scope);
        sink.number(
            "uses",
            known.map_or(0.0, |known| f32::from(known.pp) / f32::from(known.max_pp.max(1))),
        );
        move_facts(sink, deed);
        sink.leave();
    }
    let look = &scene.look;
    for (foe, (dealt, taken)) in
        [("best_on_first", "worst_from_first"), ("best_on_second", "worst_from_second")]
            .into_iter()
            .enumerate()
    {
        let shares = slot.map(|at| (look.best(at, foe).expected(), look.worst(foe, at).expected()));
        sink.number(dealt, shares.map_or(0.0, |shares| shares.0));
        sink.number(taken, shares.map_or(0.0, |shares| shares.1));
    }
}

/// Types now, the first two.
fn types(scene: &Scene, one: &Pokemon) -> [Option<Type>; 2] {
    if let (true, Some(tera)) = (one.terastallized, one.tera_type)
        && tera != Type::Stellar
    {
        return [Some(tera), None];
    }
    one.changed_types.unwrap_or_else(|| {
        let own = scene
            .battle
            .format
            .dex()
            .species(one.species)
            .map_or(&[][..], |species| &species.types);
        [own.first().copied(), own.get(1).copied()]
    })
}

/// Which types somebody has, one flag each.
pub fn type_flags(sink: &mut impl Sink, scene: &Scene, one: &Pokemon) {
    const NAMES: [&str; 19] = [
        "bug", "dark", "dragon", "electric", "fairy", "fighting", "fire", "flying", "ghost",
        "grass", "ground", "ice", "normal", "poison", "psychic", "rock", "steel", "stellar",
        "water",
    ];
    let types = types(scene, one);
    for (at, name) in NAMES.iter().enumerate() {
        sink.flag(name, types.contains(&Some(TYPES[at])) || one.added_type == Some(TYPES[at]));
    }
}

pub fn status(sink: &mut impl Sink, one: &Pokemon) {
    let which = match one.status {
        Status::Healthy => None,
        Status::Burn => Some(0),
        Status::Freeze => Some(1),
        Status::Paralysis => Some(2),
        Status::Poison => Some(3),
        Status::Toxic => Some(4),
        Status::Sleep => Some(5),
    };
    sink.one_of(&STATUSES, which);
    sink.number("status_turns", f32::from(one.status_turns) / 5.0);
}

pub fn stages(sink: &mut impl Sink, one: &Pokemon) {
    for (at, name) in STAGES.iter().enumerate() {
        sink.number(name, f32::from(one.stages[at]) / 6.0);
    }
}

/// What a move is.
pub fn move_facts(sink: &mut impl Sink, deed: Option<&Deed>) {
    let of = |value: &dyn Fn(&Deed) -> f32| deed.map_or(0.0, value);
    sink.number("power", of(&|deed| deed.power * deed.hits / 150.0));
    sink.number("accuracy", of(&|deed| deed.accuracy));
    sink.number("priority", of(&|deed| f32::from(deed.priority) / 5.0));
    sink.flag("physical", deed.is_some_and(|deed| deed.category == Category::Physical));
    sink.flag("special", deed.is_some_and(|deed| deed.category == Category::Special));
    sink.flag("spreads", deed.is_some_and(Deed::spreads));
}

fn volatiles(sink: &mut impl Sink, under: &Volatiles) {
    let turns = |left: u8| f32::from(left) / 5.0;
    let flags = [
        ("confused", under.confusion),
        ("tormented", under.torment),
        ("attracted", under.attract),
        ("seeded", under.leech_seed),
        ("salt_cured", under.salt_cure),
        ("cursed", under.curse),
        ("rooted", under.ingrain || under.aqua_ring),
        ("grounded_by_force", under.smack_down),
        ("substitute", under.substitute),
        ("critical", under.focus_energy || under.dragon_cheer || under.laser_focus),
        ("charged", under.charge),
        ("imprisons", under.imprison),
        ("destiny_bond", under.destiny_bond),
        ("trapped", under.trapped || under.partially_trapped || under.no_retreat || under.octolock),
        ("tar_shot", under.tar_shot),
        ("glaive_rush", under.glaive_rush),
        ("must_recharge", under.must_recharge),
        ("away", under.two_turn.is_known()),
        ("locked", under.locked_move.is_known()),
        ("flash_fire", under.flash_fire),
        ("unburdened", under.unburden),
        ("without_ability", under.gastro_acid),
        ("commanding", under.commanding),
        ("commanded", under.commanded),
    ];
    flags.into_iter().for_each(|(name, value)| sink.flag(name, value));
    let numbers = [
        ("taunt", turns(under.taunt)),
        ("encore", turns(under.encore)),
        ("disable", turns(under.disable)),
        ("heal_block", turns(under.heal_block)),
        ("throat_chop", turns(under.throat_chop)),
        ("syrup_bomb", turns(under.syrup_bomb)),
        ("yawn", turns(under.yawn)),
        ("perish", turns(under.perish)),
        ("magnet_rise", turns(under.magnet_rise)),
        ("slow_start", turns(under.slow_start)),
        ("stockpile", f32::from(under.stockpile) / 3.0),
        ("fallen_allies", f32::from(under.supreme_overlord) / 3.0),
    ];
    numbers.into_iter().for_each(|(name, value)| sink.number(name, value));
    sink.one_of(&LIFTED, usize::from(under.paradox_boost).checked_sub(1));
}

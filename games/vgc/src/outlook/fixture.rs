//! Battles for tests, as a tracker would have them.

use crate::dex::{self, Type};
use crate::format::Format;
use crate::legal::Legal;
use crate::request::{Active, MoveOption, Own, Request, Stats};
use crate::state::{Battle, KnownMove, Pokemon};

/// Species, moves, stats with health, item, ability, tera type.
type Member = (&'static str, [&'static str; 4], [u16; 6], &'static str, &'static str, Type);

const OWN: [Member; 6] = [
    (
        "Incineroar",
        ["fakeout", "flareblitz", "knockoff", "protect"],
        [202, 135, 110, 90, 110, 80],
        "sitrusberry",
        "intimidate",
        Type::Water,
    ),
    (
        "Flutter Mane",
        ["moonblast", "shadowball", "dazzlinggleam", "protect"],
        [130, 60, 75, 187, 155, 205],
        "choicespecs",
        "protosynthesis",
        Type::Fairy,
    ),
    (
        "Amoonguss",
        ["spore", "ragepowder", "pollenpuff", "protect"],
        [221, 85, 122, 105, 132, 31],
        "rockyhelmet",
        "regenerator",
        Type::Dark,
    ),
    (
        "Tornadus",
        ["tailwind", "bleakwindstorm", "taunt", "protect"],
        [155, 100, 90, 177, 100, 179],
        "focussash",
        "prankster",
        Type::Steel,
    ),
    (
        "Landorus",
        ["earthpower", "sludgebomb", "sandsearstorm", "protect"],
        [165, 130, 110, 167, 100, 168],
        "lifeorb",
        "sheerforce",
        Type::Poison,
    ),
    (
        "Urshifu-Rapid-Strike",
        ["surgingstrikes", "closecombat", "aquajet", "protect"],
        [176, 182, 120, 68, 81, 149],
        "mysticwater",
        "unseenfist",
        Type::Water,
    ),
];
const FOES: [&str; 6] = ["Rillaboom", "Chien-Pao", "Torkoal", "Farigiraf", "Heatran", "Dragonite"];

/// A preview: the own team whole, of the foes the species.
pub fn preview() -> (Battle, Request) {
    let format = Format::of("gen9vgc2024regg").unwrap();
    let mut battle = Battle::new(format, 0);
    for (name, moves, stats, item, ability, tera) in OWN {
        let species = dex::species(name).unwrap();
        let known = |name: &&str| {
            let id = dex::a_move(name).unwrap();
            let uses = format.uses(format.dex().a_move(id).unwrap());
            KnownMove { id, pp: uses, max_pp: uses }
        };
        battle.sides[0].team.push(Pokemon {
            nickname: name.to_owned(),
            species,
            base_species: species,
            level: 50,
            hp: stats[0],
            max_hp: stats[0],
            moves: moves.iter().map(known).collect(),
            item: dex::item(item).unwrap(),
            ability: dex::ability(ability).unwrap(),
            base_ability: dex::ability(ability).unwrap(),
            tera_type: Some(tera),
            stats: Some([stats[1], stats[2], stats[3], stats[4], stats[5]]),
            ..Pokemon::default()
        });
    }
    for name in FOES {
        let species = dex::species(name).unwrap();
        let foe = Pokemon {
            species,
            base_species: species,
            level: 50,
            hp: 100,
            max_hp: 100,
            ..Pokemon::default()
        };
        battle.sides[1].team.push(foe);
    }
    let own = |at: usize| {
        let (name, moves, stats, item, ability, tera) = OWN[at];
        Own {
            ident: format!("p1: {name}"),
            details: format!("{name}, L50"),
            condition: format!("{0}/{0}", stats[0]),
            stats: Stats {
                atk: stats[1],
                def: stats[2],
                spa: stats[3],
                spd: stats[4],
                spe: stats[5],
            },
            moves: moves.iter().map(|name| (*name).to_owned()).collect(),
            item: item.to_owned(),
            ability: ability.to_owned(),
            base_ability: ability.to_owned(),
            tera_type: tera.name().to_owned(),
            ..Own::default()
        }
    };
    let mut request = Request { team_preview: true, ..Request::default() };
    request.side.pokemon = (0..6).map(own).collect();
    (battle, request)
}

/// The first turn: Incineroar and Flutter Mane stand against Rillaboom and Chien-Pao.
pub fn first_turn() -> (Battle, Request) {
    let (mut battle, mut request) = preview();
    battle.turn = 1;
    request.team_preview = false;
    request.side.pokemon.truncate(4);
    for side in 0..2 {
        battle.sides[side].brought = 4;
        battle.sides[side].active = [Some(0), Some(1)];
        for at in 0..2 {
            battle.sides[side].team[at].revealed = true;
        }
    }
    for at in 0..6 {
        battle.sides[0].team[at].revealed = at < 4;
        battle.sides[0].team[at].left_behind = at >= 4;
    }
    for at in 0..2 {
        request.side.pokemon[at].active = true;
        let option = |name: &&str| {
            let row = battle.format.dex().a_move(dex::a_move(name).unwrap()).unwrap();
            MoveOption {
                id: (*name).to_owned(),
                pp: Some(16),
                maxpp: Some(16),
                target: Some(row.target),
                disabled: false,
            }
        };
        let moves = OWN[at].1.iter().map(option).collect();
        let can_terastallize = Some(OWN[at].5.name().to_owned());
        request.active.push(Some(Active { moves, can_terastallize, ..Active::default() }));
    }
    (battle, request)
}

/// The first has fainted, and somebody must come in.
pub fn replacement() -> (Battle, Request) {
    let (mut battle, mut request) = first_turn();
    request.active.clear();
    request.force_switch = vec![true, false];
    request.side.pokemon[0].condition = "0 fnt".to_owned();
    let fallen = &mut battle.sides[0].team[0];
    (fallen.hp, fallen.fainted) = (0, true);
    (battle, request)
}

/// All three with what is legal.
pub fn all() -> [(Battle, Request, Legal); 3] {
    [preview(), first_turn(), replacement()].map(|(battle, request)| {
        let legal = Legal::new(&request, &battle);
        (battle, request, legal)
    })
}

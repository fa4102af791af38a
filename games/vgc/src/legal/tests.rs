use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::dex;
use crate::format::Format;
use crate::request::Request;
use crate::state::Pokemon;

fn battle() -> Battle {
    Battle::new(Format::of("gen9vgc2024regg").unwrap(), 0)
}

/// A battle in which these foes stand: alive or not.
fn against(foes: [bool; 2]) -> Battle {
    let mut battle = battle();
    battle.sides[1].team =
        foes.iter().map(|alive| Pokemon { fainted: !alive, ..Pokemon::default() }).collect();
    battle.sides[1].active = [Some(0), Some(1)];
    battle
}

fn request(json: Value) -> Request {
    serde_json::from_value(json).unwrap()
}

/// Four brought, of whom these have fainted.
fn side(fainted: &[usize]) -> Value {
    let four = (0..4).map(|index| {
        let condition = if fainted.contains(&index) { "0 fnt" } else { "100/100" };
        json!({"ident": format!("p1: {index}"), "condition": condition, "active": index < 2})
    });
    json!({"id": "p1", "pokemon": four.collect::<Vec<_>>()})
}

/// A move that can be used.
fn a_move(id: &str, target: &str) -> Value {
    json!({"id": id, "pp": 8, "maxpp": 8, "target": target, "disabled": false})
}

/// A turn in which both have these.
fn turn_of(moves: Value, fainted: &[usize]) -> Value {
    json!({"active": [{"moves": moves}, {"moves": moves}], "side": side(fainted)})
}

fn offered(legal: &Legal, place: usize) -> Vec<usize> {
    (0..SLOT).filter(|&number| legal.slots[place][number]).collect()
}

fn pairs(legal: &Legal) -> Vec<(usize, usize)> {
    let all = (0..SLOT).flat_map(|first| (0..SLOT).map(move |second| (first, second)));
    all.filter(|&(first, second)| legal.allows(first, second)).collect()
}

#[test]
fn targets_are_those_that_the_parser_takes() {
    let offered_for = |target: &str, foes: [bool; 2], fainted: &[usize]| {
        let request = request(turn_of(json!([a_move("x", target)]), fainted));
        let mut legal = Legal::new(&request, &against(foes));
        legal.slots.iter_mut().for_each(|slots| slots[SWITCH..].fill(false));
        [offered(&legal, 0), offered(&legal, 1)]
    };
    // 0 to 4: -2, -1, nobody, +1, +2.
    for normal in ["normal", "any"] {
        assert_eq!(offered_for(normal, [true; 2], &[]), [[0, 3, 4], [1, 3, 4]]);
        assert_eq!(offered_for(normal, [false, true], &[]), [[0, 4], [1, 4]]);
        assert_eq!(offered_for(normal, [true, false], &[1]), [vec![3], vec![]]);
    }
    assert_eq!(offered_for("adjacentFoe", [true; 2], &[]), [[3, 4], [3, 4]]);
    assert_eq!(offered_for("adjacentFoe", [true, false], &[]), [[3], [3]]);
    assert_eq!(offered_for("adjacentAllyOrSelf", [true; 2], &[]), [[0, 1], [0, 1]]);
    assert_eq!(offered_for("adjacentAllyOrSelf", [true; 2], &[1]), [vec![1], vec![]]);
    assert_eq!(offered_for("adjacentAlly", [true; 2], &[]), [[0], [1]]);
    // Nobody else is there, and the move wants somebody: it may be chosen and fails.
    assert_eq!(offered_for("adjacentAlly", [true; 2], &[1]), [vec![0], vec![]]);
    for none in
        ["self", "allAdjacentFoes", "all", "allAdjacent", "allySide", "randomNormal", "scripted"]
    {
        assert_eq!(offered_for(none, [true; 2], &[]), [[2], [2]], "{none}");
    }
    for none in ["allies", "foeSide", "allyTeam"] {
        assert_eq!(offered_for(none, [true; 2], &[]), [[2], [2]], "{none}");
    }
}

#[test]
fn what_cannot_be_used_is_out() {
    let moves = json!([
        {"id": "a", "pp": 0, "target": "self", "disabled": false},
        {"id": "b", "pp": 5, "target": "self", "disabled": true},
        {"id": "c", "pp": 5, "target": "self", "disabled": "Taunt"},
        {"id": "d", "pp": 5, "target": "self", "disabled": false},
    ]);
    let mut asked = request(turn_of(moves, &[2]));
    asked.active[0].as_mut().unwrap().trapped = true;
    asked.active[1].as_mut().unwrap().maybe_trapped = true;
    let legal = Legal::new(&asked, &battle());
    assert_eq!(offered(&legal, 0), [32]);
    assert_eq!(offered(&legal, 1), [32, 43], "it may be trapped: it may try");
}

/// Gothitelle has Shadow Tag or something else. The request of the second place does not tell; that of the first
/// does.
#[test]
fn what_traps_the_first_traps_the_second() {
    let named = |name: &str| Pokemon { species: dex::species(name).unwrap(), ..Pokemon::default() };
    let mut battle = against([true; 2]);
    battle.sides[1].team[0] = named("Gothitelle");
    battle.sides[0].team = vec![named("Incineroar"), named("Rillaboom"), named("Flutter Mane")];
    battle.sides[0].active = [Some(0), Some(1)];
    let mut asked = request(turn_of(json!([a_move("x", "self")]), &[3]));
    asked.active[1].as_mut().unwrap().maybe_trapped = true;
    let second = |asked: &Request, battle: &Battle| offered(&Legal::new(asked, battle), 1);
    assert_eq!(second(&asked, &battle), [2, 42], "the first is free");
    asked.active[0].as_mut().unwrap().trapped = true;
    assert_eq!(second(&asked, &battle), [2]);
    // The first is held by something else, or goes where it likes as a ghost: nothing is known, and Gothitelle
    // is brought for Shadow Tag.
    battle.sides[0].team[0].volatiles.partially_trapped = true;
    assert_eq!(second(&asked, &battle), [2]);
    battle.sides[0].active = [Some(2), Some(1)];
    asked.active[0].as_mut().unwrap().trapped = false;
    assert_eq!(second(&asked, &battle), [2]);
    battle.sides[1].team[0].ability = dex::ability("frisk").unwrap();
    assert_eq!(second(&asked, &battle), [2, 42], "it has shown itself");
    battle.sides[1].team[0].ability = dex::ability("shadowtag").unwrap();
    assert_eq!(second(&asked, &battle), [2]);
    asked.side.pokemon[1].item = "shedshell".into();
    assert_eq!(second(&asked, &battle), [2, 42]);
}

#[test]
fn moves_of_a_foe_who_imprisons_are_out() {
    let both = json!([a_move("protect", "self"), a_move("trickroom", "all")]);
    let mut asked = request(turn_of(both, &[2, 3]));
    asked.active[1].as_mut().unwrap().maybe_disabled = true;
    let mut battle = against([true; 2]);
    let id = dex::a_move("trickroom").unwrap();
    battle.sides[1].team[1].moves.push(crate::state::KnownMove { id, pp: 8, max_pp: 8 });
    assert_eq!(offered(&Legal::new(&asked, &battle), 1), [2, 12]);
    battle.sides[1].team[1].volatiles.imprison = true;
    assert_eq!(offered(&Legal::new(&asked, &battle), 1), [2]);
}

#[test]
fn forced_moves_take_no_target() {
    for only in [
        json!([{"move": "Outrage", "id": "outrage"}]),
        json!([{"move": "Recharge", "id": "recharge"}]),
        json!([{"id": "struggle", "target": "randomNormal", "disabled": false}]),
    ] {
        let mut asked = request(turn_of(only, &[2, 3]));
        asked.active[0].as_mut().unwrap().trapped = true;
        let legal = Legal::new(&asked, &battle());
        assert_eq!([offered(&legal, 0), offered(&legal, 1)], [[2], [2]]);
    }
}

#[test]
fn one_of_two_terastallises_or_mega_evolves() {
    let mut asked = request(turn_of(json!([a_move("x", "self")]), &[]));
    for active in asked.active.iter_mut().flatten() {
        active.can_terastallize = Some("Fire".into());
    }
    let legal = Legal::new(&asked, &battle());
    assert_eq!(offered(&legal, 0), [2, 7, 42, 43]);
    assert!(legal.allows(7, 2) && legal.allows(2, 7) && !legal.allows(7, 7));
    assert!(legal.allows(42, 43) && !legal.allows(42, 42));
    assert_eq!(legal.forbidden().collect::<Vec<_>>(), [(7, 7), (42, 42), (43, 43)]);
    // In Champions the same number mega evolves, and terastallising means nothing.
    let champions = Battle::new(Format::of("gen9championsvgc2026regmb").unwrap(), 0);
    assert_eq!(offered(&Legal::new(&asked, &champions), 0), [2, 42, 43]);
    asked.active[1].as_mut().unwrap().can_mega_evo = true;
    let legal = Legal::new(&asked, &champions);
    assert_eq!((offered(&legal, 0), offered(&legal, 1)), (vec![2, 42, 43], vec![2, 7, 42, 43]));
}

#[test]
fn nobody_and_a_commander_pass() {
    let mut asked = request(turn_of(json!([a_move("x", "self")]), &[0]));
    assert_eq!(offered(&Legal::new(&asked, &battle()), 0), [PASS]);
    asked.side.pokemon[0].condition = "50/100".into();
    asked.side.pokemon[0].commanding = true;
    assert_eq!(offered(&Legal::new(&asked, &battle()), 0), [PASS]);
    asked.side.pokemon[0].commanding = false;
    asked.active[0] = None;
    assert_eq!(offered(&Legal::new(&asked, &battle()), 0), [PASS]);
}

#[test]
fn places_are_filled_as_far_as_there_is_somebody() {
    let forced = |places: [bool; 2], fainted: &[usize]| {
        let asked = request(json!({"forceSwitch": places, "side": side(fainted)}));
        pairs(&Legal::new(&asked, &battle()))
    };
    assert_eq!(forced([true, false], &[0]), [(42, PASS), (43, PASS)]);
    assert_eq!(forced([false, true], &[1, 2]), [(PASS, 43)]);
    assert_eq!(forced([true, true], &[0, 1]), [(42, 43), (43, 42)]);
    assert_eq!(forced([true, true], &[0, 1, 2]), [(43, PASS), (PASS, 43)]);
}

#[test]
fn the_fainted_come_back() {
    let forced = |places: [bool; 2], fainted: &[usize], reviving: usize| {
        let mut asked = request(json!({"forceSwitch": places, "side": side(fainted)}));
        asked.side.pokemon[reviving].reviving = true;
        pairs(&Legal::new(&asked, &battle()))
    };
    assert_eq!(forced([true, false], &[2], 0), [(42, PASS)]);
    assert_eq!(forced([true, false], &[1, 2, 3], 0), [(41, PASS), (42, PASS), (43, PASS)]);
    // Somebody else goes out at the same time; with one on the bench, Showdown counts the one who comes
    // back as the one who enters, and would fail on another.
    assert_eq!(forced([true, true], &[2], 0), [(42, PASS)]);
    assert_eq!(forced([true, true], &[2], 1), [(43, 42), (PASS, 42)]);
}

#[test]
fn previews_bring_who_is_there() {
    let preview = |size: usize| {
        let six: Vec<Value> = (0..size).map(|_| json!({"condition": "1/1"})).collect();
        let asked = request(json!({"teamPreview": true, "side": {"pokemon": six}}));
        Legal::new(&asked, &battle())
    };
    let legal = preview(6);
    assert!(legal.preview && legal.previews == [true; PREVIEWS] && legal.allows(PASS, PASS));
    let of_four: Vec<_> =
        choice::previews().zip(preview(4).previews).filter(|(_, yes)| *yes).collect();
    assert_eq!(of_four.len(), 6);
    assert!(of_four.iter().all(|(four, _)| four.iter().all(|&member| member < 4)));
    for small in 0..4 {
        assert!(preview(small).previews.contains(&true));
    }
}

#[test]
fn expanding_force_spares_the_ally_on_psychic_terrain() {
    let asked = request(turn_of(json!([a_move("expandingforce", "normal")]), &[2, 3]));
    let mut battle = against([true; 2]);
    assert_eq!(offered(&Legal::new(&asked, &battle), 0), [0, 3, 4]);
    battle.field.terrain = Some(Terrain::Psychic);
    battle.sides[0].team = ["Indeedee-F", "Oricorio"]
        .map(|name| Pokemon { species: dex::species(name).unwrap(), ..Pokemon::default() })
        .into();
    battle.sides[0].active = [Some(0), Some(1)];
    let legal = Legal::new(&asked, &battle);
    assert_eq!(offered(&legal, 0), [3, 4]);
    assert_eq!(offered(&legal, 1), [1, 3, 4], "it flies");
}

#[test]
fn what_is_struck_stays_out_and_something_is_left() {
    let asked = request(turn_of(json!([a_move("x", "normal")]), &[2]));
    let mut legal = Legal::new(&asked, &against([true; 2]));
    let mut left = pairs(&legal);
    assert_eq!(left.len(), 4 * 4 - 1);
    while left.len() > 1 {
        let (first, second) = left.pop().unwrap();
        assert!(legal.strike(first, second));
        assert_eq!(pairs(&legal), left);
    }
    assert!(!legal.strike(left[0].0, left[0].1));
    assert_eq!(pairs(&legal), left);
}

fn any_move() -> impl Strategy<Value = Value> {
    let target = prop::sample::select(vec![
        "normal",
        "self",
        "adjacentFoe",
        "adjacentAlly",
        "adjacentAllyOrSelf",
        "allAdjacentFoes",
        "scripted",
        "",
    ]);
    (target, any::<bool>(), 0..3u8).prop_map(|(target, disabled, pp)| match target {
        "" => json!({"id": "x", "disabled": disabled}),
        target => json!({"id": "x", "pp": pp, "target": target, "disabled": disabled}),
    })
}

prop_compose! {
    fn any_request()(
        kind in 0..4u8,
        flags in prop::collection::vec(any::<bool>(), 0..4),
        moves in prop::collection::vec(prop::collection::vec(any_move(), 0..6), 0..4),
        own in prop::collection::vec((any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()), 0..8),
        trapped in any::<bool>(),
    ) -> Request {
        let own: Vec<Value> = own.iter().map(|(fainted, commanding, reviving, active)| json!({
            "condition": if *fainted { "0 fnt" } else { "3/9" },
            "commanding": commanding, "reviving": reviving, "active": active,
        })).collect();
        let active: Vec<Value> = moves.iter()
            .map(|moves| json!({"moves": moves, "trapped": trapped, "canTerastallize": "Fire"})).collect();
        let side = json!({"pokemon": own});
        request(match kind {
            0 => json!({"wait": true, "side": side}),
            1 => json!({"teamPreview": true, "side": side}),
            2 => json!({"forceSwitch": flags, "side": side}),
            _ => json!({"active": active, "side": side}),
        })
    }
}

proptest! {
    /// Whatever is asked, something may be chosen, each number has a partner, and striking goes on to the last.
    #[test]
    fn never_empty(asked in any_request(), foes in any::<[bool; 2]>()) {
        let mut legal = Legal::new(&asked, &against(foes));
        prop_assert!(!legal.preview || legal.previews.contains(&true));
        for round in 0.. {
            let all = pairs(&legal);
            prop_assert!(!all.is_empty());
            for number in 0..SLOT {
                prop_assert_eq!(legal.slots[0][number], all.iter().any(|pair| pair.0 == number));
                prop_assert_eq!(legal.slots[1][number], all.iter().any(|pair| pair.1 == number));
            }
            let (first, second) = all[round * 7 % all.len()];
            if !legal.strike(first, second) || round > 20 {
                break;
            }
        }
    }
}

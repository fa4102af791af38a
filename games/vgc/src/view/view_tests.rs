use super::*;
use crate::dex;
use crate::outlook::fixture;
use crate::state::KnownMove;

const VIEWS: [View; 2] = [View::Entities, View::Flat];

fn seen(view: View, battle: &Battle, request: &Request) -> Vec<f32> {
    let mut out = vec![f32::NAN; len(view)];
    write(view, battle, request, &Legal::new(request, battle), &mut out);
    out
}

fn at(view: View, numbers: &[f32], name: &str) -> f32 {
    let names: Vec<_> = spec(view).iter().flat_map(Group::flat).collect();
    numbers
        [names.iter().position(|f| f.name == name).unwrap_or_else(|| panic!("no number `{name}`"))]
}

#[test]
fn names_are_unique_and_in_snake_case() {
    for view in VIEWS {
        let mut names: Vec<String> =
            spec(view).iter().flat_map(Group::flat).map(|f| f.name).collect();
        let legal = |name: &String| {
            name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        };
        assert!(names.iter().all(legal));
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
        println!("{view:?}: {count} numbers");
    }
    let ids =
        spec(View::Flat).iter().flat_map(Group::flat).filter(|f| f.vocabulary.is_some()).count();
    assert_eq!(ids, 0);
}

#[test]
fn numbers_stay_within_bounds() {
    for (battle, request, _) in fixture::all() {
        for view in VIEWS {
            let names = spec(view).iter().flat_map(Group::flat).collect::<Vec<_>>();
            for (feature, value) in names.iter().zip(seen(view, &battle, &request)) {
                match &feature.vocabulary {
                    Some(list) => assert!(
                        value.fract() == 0.0 && value >= 0.0 && (value as usize) < list.size
                    ),
                    None => assert!((-1.0..=1.0).contains(&value), "{} is {value}", feature.name),
                }
            }
        }
    }
}

#[test]
fn a_place_shows_who_stands_there() {
    let (battle, request) = fixture::first_turn();
    for view in VIEWS {
        let seen = seen(view, &battle, &request);
        let at = |name: &str| at(view, &seen, name);
        assert_eq!(
            (at("asked_turn"), at("asked_preview"), at("own_first_present")),
            (1.0, 0.0, 1.0)
        );
        assert!(at("own_first_move_2_first_foe_most") > 0.5, "Flare Blitz on Rillaboom");
        assert_eq!(at("own_first_move_4_first_foe_most"), 0.0);
        assert_eq!((at("own_first_can_change"), at("bench_third_can_come")), (1.0, 1.0));
        assert_eq!((at("own_second_first_foe_is_slower"), at("own_1_deals_1")), (1.0, 0.0));
    }
    let seen = seen(View::Entities, &battle, &request);
    let species = |name: &str| f32::from(dex::species(name).unwrap().0);
    assert_eq!(at(View::Entities, &seen, "foe_second_species"), species("Chien-Pao"));
    assert_eq!(at(View::Entities, &seen, "pokemon_6_species"), species("Rillaboom"));
    assert_eq!(at(View::Entities, &seen, "pokemon_6_own"), 0.0);
    assert_eq!(at(View::Entities, &seen, "pokemon_1_choice_2"), 1.0);
}

#[test]
fn a_preview_shows_who_beats_whom() {
    let (battle, request) = fixture::preview();
    for view in VIEWS {
        let seen = seen(view, &battle, &request);
        assert_eq!(at(view, &seen, "asked_preview"), 1.0);
        assert!(at(view, &seen, "own_1_deals_1") > 0.5, "Incineroar burns Rillaboom");
        assert_eq!(at(view, &seen, "own_first_present"), 0.0);
    }
}

#[test]
fn who_is_absent_is_all_zero() {
    let (mut battle, request) = fixture::first_turn();
    battle.sides[1].team.truncate(5);
    let seen = seen(View::Entities, &battle, &request);
    let stride = (seen.len() - len_of_fixed()) / POKEMON;
    let last = &seen[seen.len() - stride..];
    assert!(last.iter().all(|&value| value == 0.0));
    assert_eq!(seen[seen.len() - 2 * stride], 1.0);
}

fn len_of_fixed() -> usize {
    spec(View::Entities)[0].len()
}

/// An entity says the same wherever it stands, but for its place in the team: a net that pools them may rely
/// on it.
#[test]
fn entities_do_not_depend_on_each_other_place() {
    let (battle, request) = fixture::preview();
    let mut turned = battle.clone();
    turned.sides[1].team.swap(2, 4);
    let (before, after) =
        (seen(View::Entities, &battle, &request), seen(View::Entities, &turned, &request));
    let fixed = len_of_fixed();
    let stride = (before.len() - fixed) / POKEMON;
    let one =
        |seen: &[f32], at: usize| seen[fixed + at * stride..fixed + (at + 1) * stride].to_vec();
    let names = spec(View::Entities)[1].flat();
    let differs: Vec<&str> = (0..stride)
        .filter(|&n| one(&before, 8)[n] != one(&after, 10)[n])
        .map(|n| names[n].name.as_str())
        .collect();
    assert_eq!(differs, ["pokemon_0_team_3", "pokemon_0_team_5"]);
    assert_eq!(one(&before, 0), one(&after, 0));
}

/// What was seen of a foe shows; nothing else of it does, because the view is made of the battle as this side
/// knows it and of this side's own request.
#[test]
fn what_is_seen_shows() {
    let (battle, request) = fixture::first_turn();
    let mut told = battle.clone();
    let id = dex::a_move("woodhammer").unwrap();
    told.sides[1].team[0].moves.push(KnownMove { id, pp: 23, max_pp: 24 });
    told.sides[1].team[0].hp = 40;
    let (before, after) =
        (seen(View::Entities, &battle, &request), seen(View::Entities, &told, &request));
    assert_eq!(at(View::Entities, &before, "pokemon_6_move_1"), 0.0);
    assert_eq!(at(View::Entities, &after, "pokemon_6_move_1"), f32::from(id.0));
    assert_eq!(at(View::Entities, &after, "foe_first_hp"), 0.4);
    assert!(
        at(View::Entities, &after, "own_first_move_2_first_foe_fells")
            >= at(View::Entities, &before, "own_first_move_2_first_foe_fells")
    );
}

use super::*;
use crate::choice::{SlotChoice, preview as preview_of};
use crate::dex;
use crate::outlook::fixture;
use crate::state::KnownMove;

fn moves(choice: Choice) -> [SlotChoice; 2] {
    match choice {
        Choice::Turn(first, second) => {
            [first, second].map(|number| SlotChoice::of(number).unwrap())
        }
        Choice::Preview(_) => panic!("this is a turn"),
    }
}

#[test]
fn names_go_both_ways() {
    assert!(BOTS.into_iter().all(|bot| Bot::of(bot.name()) == Some(bot)));
    assert_eq!(Bot::of("champion"), None);
}

#[test]
fn choices_are_legal_and_repeat() {
    for (battle, request, legal) in fixture::all() {
        for bot in BOTS {
            for dice in 0..50 {
                let choice = choose(bot, &battle, &request, &legal, dice);
                assert_eq!(choice, choose(bot, &battle, &request, &legal, dice));
                match choice {
                    Choice::Preview(number) => assert!(legal.preview && legal.previews[number]),
                    Choice::Turn(first, second) => {
                        assert!(!legal.preview && legal.allows(first, second), "{bot:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_was_refused_is_not_chosen_again() {
    let (battle, request) = fixture::first_turn();
    for bot in BOTS {
        let mut legal = Legal::new(&request, &battle);
        for dice in 0..30 {
            let Choice::Turn(first, second) = choose(bot, &battle, &request, &legal, dice) else {
                panic!()
            };
            assert!(legal.allows(first, second));
            legal.strike(first, second);
        }
    }
}

#[test]
fn random_players_try_everything() {
    let (battle, request) = fixture::first_turn();
    let legal = Legal::new(&request, &battle);
    let all: std::collections::HashSet<_> =
        (0..20_000).map(|dice| choose(Bot::Random, &battle, &request, &legal, dice)).collect();
    assert_eq!(all.len(), pairs(&legal).count());
}

#[test]
fn max_power_takes_the_strongest() {
    let (battle, request) = fixture::first_turn();
    let legal = Legal::new(&request, &battle);
    for dice in 0..20 {
        let chosen = moves(choose(Bot::MaxPower, &battle, &request, &legal, dice));
        // Flare Blitz has 120; Dazzling Gleam has 80 and reaches both, which counts as 120 against Moonblast's 95.
        assert!(
            matches!(chosen[0], SlotChoice::Move { slot: 1, gimmick: false, .. }),
            "{chosen:?}"
        );
        assert!(
            matches!(chosen[1], SlotChoice::Move { slot: 2, gimmick: false, .. }),
            "{chosen:?}"
        );
    }
}

#[test]
fn the_heuristic_takes_a_sure_knock_out() {
    let (mut battle, request) = fixture::first_turn();
    // Chien-Pao has been hurt: Moonblast fells it before it moves, and nothing else stands as near.
    battle.sides[1].team[1].hp = 30;
    battle.sides[1].team[0].status = crate::state::Status::Sleep;
    let legal = Legal::new(&request, &battle);
    for dice in 0..10 {
        let chosen = moves(choose(Bot::Heuristic, &battle, &request, &legal, dice));
        let felled = chosen.iter().any(|choice| {
            matches!(choice, SlotChoice::Move { aim: crate::choice::Aim::FoeSecond | crate::choice::Aim::Nobody, slot, .. } if *slot != 3)
        });
        assert!(felled, "{chosen:?}");
    }
}

#[test]
fn the_heuristic_does_not_strike_its_ally() {
    let (battle, request) = fixture::first_turn();
    let legal = Legal::new(&request, &battle);
    for dice in 0..10 {
        for choice in moves(choose(Bot::Heuristic, &battle, &request, &legal, dice)) {
            let own = matches!(
                choice,
                SlotChoice::Move {
                    aim: crate::choice::Aim::OwnFirst | crate::choice::Aim::OwnSecond,
                    ..
                }
            );
            assert!(!own, "{choice:?}");
        }
    }
}

#[test]
fn the_heuristic_does_not_protect_twice() {
    let (mut battle, request) = fixture::first_turn();
    for index in 0..2 {
        battle.sides[0].team[index].stall = 2;
        battle.sides[0].team[index].turns_in = 3;
    }
    let legal = Legal::new(&request, &battle);
    for dice in 0..10 {
        let chosen = moves(choose(Bot::Heuristic, &battle, &request, &legal, dice));
        assert!(
            chosen.iter().all(|c| !matches!(c, SlotChoice::Move { slot: 3, .. })),
            "{chosen:?}"
        );
    }
}

#[test]
fn the_heuristic_brings_who_stands_well() {
    let (mut battle, request) = fixture::preview();
    // Six Rillabooms would burn: Incineroar must come.
    for foe in &mut battle.sides[1].team {
        foe.species = dex::species("Rillaboom").unwrap();
        foe.base_species = foe.species;
        foe.moves =
            vec![KnownMove { id: dex::a_move("woodhammer").unwrap(), pp: 24, max_pp: 24 }; 4];
    }
    let legal = Legal::new(&request, &battle);
    let Choice::Preview(number) = choose(Bot::Heuristic, &battle, &request, &legal, 1) else {
        panic!()
    };
    assert!(preview_of(number).unwrap().contains(&0));
}

/// `LANISTA_VGC_TIMES=1 cargo test --release -p lanista-vgc --lib times -- --nocapture` prints what decisions
/// and views cost.
#[test]
fn times_of_decisions_and_views() {
    if std::env::var_os("LANISTA_VGC_TIMES").is_none() {
        println!("skipped: times_of_decisions_and_views: LANISTA_VGC_TIMES is not set");
        return;
    }
    // The shortest of many rounds: others use the machine as well.
    fn shortest(mut act: impl FnMut()) -> std::time::Duration {
        let round = |act: &mut dyn FnMut()| {
            let begun = std::time::Instant::now();
            (0..10).for_each(|_| act());
            begun.elapsed() / 10
        };
        (0..50).map(|_| round(&mut act)).min().unwrap()
    }
    for ((battle, request, legal), asked) in
        fixture::all().into_iter().zip(["preview", "turn", "replacement"])
    {
        for bot in BOTS {
            let time = shortest(|| {
                std::hint::black_box(choose(bot, &battle, &request, &legal, 1));
            });
            println!("{asked}: {} {time:?}", bot.name());
        }
        for view in [crate::view::View::Entities, crate::view::View::Flat] {
            let mut out = vec![0.0; crate::view::len(view)];
            let time = shortest(|| crate::view::write(view, &battle, &request, &legal, &mut out));
            println!("{asked}: {view:?} of {} numbers {time:?}", out.len());
        }
        let id = dex::a_move("flareblitz").unwrap();
        let time = shortest(|| {
            std::hint::black_box(crate::damage::estimate(&battle, (0, 0), id, (1, 0)));
        });
        println!("{asked}: one estimate {time:?}");
    }
}

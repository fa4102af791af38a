//! Scripted players and views over whole battles on the simulator.

#[path = "../../examples/bots/duel.rs"]
mod duel;

use lanista_vgc::bots::{BOTS, Bot, choose};
use lanista_vgc::choice::Choice;
use lanista_vgc::format::Format;
use lanista_vgc::install::{self, Install};
use lanista_vgc::view::{self, View};

const FORMATS: [&str; 2] = ["gen9vgc2024regg", "gen9vgc2023regc"];

/// The simulator, or nothing and a word about it.
fn simulator(test: &str) -> Option<Install> {
    match install::locate(None) {
        Ok(install) => Some(install),
        Err(why) => {
            println!("skipped: {test}: {why}");
            None
        }
    }
}

/// Every choice of every player is legal, the same when asked again, and taken by the simulator; every view is
/// finite and within its bounds.
#[test]
fn whole_battles_are_played_within_the_rules() {
    let Some(install) = simulator("whole_battles_are_played_within_the_rules") else { return };
    let specs = [View::Entities, View::Flat].map(|view| {
        let features: Vec<_> =
            view::spec(view).iter().flat_map(lanista_game::Group::flat).collect();
        (view, features)
    });
    for (format, bots) in
        FORMATS.into_iter().zip([[Bot::Heuristic, Bot::Random], [Bot::MaxPower, Bot::Idle]])
    {
        let format = Format::of(format).unwrap();
        let teams = duel::teams_of("ours", format);
        let duel = duel::Duel {
            install: &install,
            format,
            teams: &teams,
            bots,
            battles: 4,
            seed: 5,
            losses: None,
        };
        let mut seen = 0;
        let tally = duel::play(&duel, &mut |_, battle, request, legal, _| {
            for bot in BOTS {
                let choice = choose(bot, battle, request, legal, seen);
                assert_eq!(choice, choose(bot, battle, request, legal, seen));
                match choice {
                    Choice::Preview(number) => assert!(legal.preview && legal.previews[number]),
                    Choice::Turn(first, second) => {
                        assert!(!legal.preview && legal.allows(first, second))
                    }
                }
            }
            for (view, features) in &specs {
                let mut out = vec![f32::NAN; features.len()];
                view::write(*view, battle, request, legal, &mut out);
                for (feature, value) in features.iter().zip(out) {
                    match &feature.vocabulary {
                        Some(list) => assert!(
                            value.fract() == 0.0 && (0.0..list.size as f32).contains(&value)
                        ),
                        None => {
                            assert!((-1.0..=1.0).contains(&value), "{} is {value}", feature.name)
                        }
                    }
                }
            }
            seen += 1;
        });
        assert_eq!(tally.won + tally.lost + tally.tied, 4);
        assert!(seen > 20);
        if bots == [Bot::Heuristic, Bot::Random] {
            assert!(tally.share().0 >= 0.5, "it wins 99 of 100: {tally:?}");
        }
        println!("{}: {seen} decisions, refused {:?}", format.id, tally.refused);
    }
}

/// The same seed gives the same battles.
#[test]
fn battles_of_scripted_players_repeat() {
    let Some(install) = simulator("battles_of_scripted_players_repeat") else { return };
    let format = Format::of(FORMATS[0]).unwrap();
    let teams = duel::teams_of("ours", format);
    let run = || {
        let bots = [Bot::Heuristic, Bot::MaxPower];
        let duel = duel::Duel {
            install: &install,
            format,
            teams: &teams,
            bots,
            battles: 2,
            seed: 9,
            losses: None,
        };
        let mut choices = Vec::new();
        duel::play(&duel, &mut |bot, battle, _, _, choice| {
            choices.push((battle.turn, bot.name(), choice))
        });
        choices.sort_by_key(|(turn, bot, choice)| (*turn, *bot, format!("{choice:?}")));
        choices
    };
    assert_eq!(run(), run());
}

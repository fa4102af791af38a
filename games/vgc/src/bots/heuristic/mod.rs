//! A player that looks a turn ahead.
//!
//! For each legal pair of choices it plays the turn through in expectation: by priority and speed, with
//! damage from [`crate::outlook`], against what the foes are likely to do ([`replies`]), and values what is
//! left ([`worth`]). A preview is chosen by how everybody stands against everybody.

mod act;
mod preview;
mod replies;
mod turn;
mod worth;

use lanista_game::seed::{mix, uniform};

use crate::choice::Choice;
use crate::legal::Legal;
use crate::request::Request;
use crate::state::Battle;

use super::{NOTHING, offered};
use act::Act;
pub use preview::preview;
use turn::Scene;

/// Choices of a place that are tried with all of the other's: the most promising by themselves.
const TRIED: usize = 10;

/// What both places do.
pub fn turn(battle: &Battle, request: &Request, legal: &Legal, dice: u64) -> Choice {
    let scene = Scene::new(battle, request, legal, worth::TASTE);
    let acts = [0, 1].map(|place| {
        offered(legal, place).map(|number| (number, Act::of(number))).collect::<Vec<_>>()
    });
    let score = |first: Act, second: Act| scene.expect([first, second]);
    // By itself first, then beside the best of the partner: Helping Hand or Protect mean nothing alone.
    let best = |list: &[(usize, Act)], value: &dyn Fn(Act) -> f32| {
        let ranked = list.iter().map(|&(_, act)| (act, value(act)));
        ranked.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(Act::Nothing, |(act, _)| act)
    };
    let alone = [
        best(&acts[0], &|act| scene.glance([act, Act::Nothing])),
        best(&acts[1], &|act| scene.glance([Act::Nothing, act])),
    ];
    let promising = |place: usize| {
        let beside = |act: Act| match place {
            0 => score(act, alone[1]),
            _ => score(alone[0], act),
        };
        let mut ranked: Vec<(usize, Act, f32)> =
            acts[place].iter().map(|&(number, act)| (number, act, beside(act))).collect();
        ranked.sort_by(|a, b| b.2.total_cmp(&a.2));
        let kept: Vec<_> = ranked.iter().take(TRIED).copied().collect();
        // What is struck out or does not go with anything kept must not leave the other without a partner.
        (kept, ranked)
    };
    let ((first_kept, first_all), (second_kept, second_all)) = (promising(0), promising(1));
    let choice = pick(&scene, legal, &first_kept, &second_kept, dice);
    choice.or_else(|| pick(&scene, legal, &first_all, &second_all, dice)).unwrap_or(NOTHING)
}

fn pick(
    scene: &Scene,
    legal: &Legal,
    firsts: &[(usize, Act, f32)],
    seconds: &[(usize, Act, f32)],
    dice: u64,
) -> Option<Choice> {
    let mut best: Option<(f32, Choice)> = None;
    for &(first, first_act, _) in firsts {
        for &(second, second_act, _) in seconds {
            if !legal.allows(first, second) {
                continue;
            }
            // Equals are told apart by dice, so that it cannot be foreseen.
            let luck = uniform(mix(dice, (first * 64 + second) as u64)) * 0.01;
            let value = scene.expect([first_act, second_act]) + luck;
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, Choice::Turn(first, second)));
            }
        }
    }
    best.map(|(_, choice)| choice)
}

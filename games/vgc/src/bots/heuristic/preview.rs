//! Whom to bring, and who begins.

use lanista_game::seed::{mix, uniform};

use crate::choice::{Choice, previews};
use crate::legal::Legal;
use crate::outlook::{Matchups, Purpose, TEAM, names};
use crate::state::Battle;

/// The preview that stands best against the foes' team, of whom nobody knows which four come.
pub fn preview(battle: &Battle, legal: &Legal, dice: u64) -> Choice {
    let all = Matchups::new(battle);
    let foes = battle.foe().team.len().min(TEAM);
    let mut score = [[0.0; TEAM]; TEAM];
    for (own, row) in score.iter_mut().enumerate() {
        for (foe, score) in row.iter_mut().enumerate().take(foes) {
            *score = all.score(own, foe);
        }
    }
    let leading: [f32; TEAM] = std::array::from_fn(|own| lead_bonus(&all, own));
    let mut best = (f32::MIN, 0);
    for (number, four) in previews().enumerate().filter(|(number, _)| legal.previews[*number]) {
        let mut value = 0.0;
        for foe in 0..foes {
            let answers = four.map(|own| score[own][foe]);
            let most = answers.iter().copied().fold(f32::MIN, f32::max);
            let mean = answers.iter().sum::<f32>() / 4.0;
            let first = (answers[0] + answers[1]) / 2.0;
            value += 0.4 * most + 0.4 * mean + 0.2 * first;
        }
        value /= foes.max(1) as f32;
        value += leading[four[0]] + leading[four[1]];
        // Equals are told apart by dice, so that it cannot be foreseen.
        value += 0.05 * uniform(mix(dice, number as u64));
        if value > best.0 {
            best = (value, number);
        }
    }
    Choice::Preview(best.1)
}

/// What is good about somebody who begins.
fn lead_bonus(all: &Matchups, own: usize) -> f32 {
    let fighter = &all.own[own];
    let moves = fighter.moves.iter().filter(|deed| deed.id.is_known());
    let useful = moves.map(|deed| match deed.purpose {
        Purpose::Tailwind | Purpose::TrickRoom => 0.06,
        Purpose::Sleep | Purpose::FollowMe | Purpose::RagePowder => 0.04,
        _ if deed.first_turn && deed.flinch > 0.0 => 0.06,
        _ => 0.0,
    });
    let intimidates = if fighter.ability == names().intimidate { 0.04 } else { 0.0 };
    useful.sum::<f32>().min(0.1) + intimidates
}

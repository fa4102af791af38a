//! What foes are likely to do.

use crate::outlook::{Fighter, MOVES, Outlook, Purpose};
use crate::state::Battle;

use super::act::Act;

/// Replies of a foe that are reckoned with.
pub const KEPT: usize = 3;

/// What one foe may do, with the chance of each; those of no chance do nothing.
pub type Replies = [(Act, f32); KEPT];

/// What the foe at a place is likely to do.
pub fn replies(battle: &Battle, look: &Outlook, foe: usize, temper: f32) -> Replies {
    let mut all: Vec<(Act, f32)> = Vec::with_capacity(2 * MOVES);
    let fighter = &look.foes[foe];
    if fighter.alive && fighter.acts > 0.0 {
        (0..MOVES).filter(|&by| fighter.chance[by] > 0.0).for_each(|by| {
            weigh(battle, look, foe, by, &mut all);
        });
    }
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut kept = [(Act::Nothing, 0.0); KEPT];
    let Some(&(_, most)) = all.first() else {
        kept[0].1 = 1.0;
        return kept;
    };
    let weights = all.iter().take(KEPT).map(|&(act, value)| (act, ((value - most) / temper).exp()));
    let weights: Vec<(Act, f32)> = weights.collect();
    let sum: f32 = weights.iter().map(|(_, weight)| weight).sum();
    for (at, (act, weight)) in weights.into_iter().enumerate() {
        kept[at] = (act, weight / sum);
    }
    kept
}

/// How good a move of a foe is for it, at each of its targets.
fn weigh(battle: &Battle, look: &Outlook, foe: usize, by: usize, all: &mut Vec<(Act, f32)>) {
    let fighter = &look.foes[foe];
    let deed = &fighter.moves[by];
    let chance = fighter.chance[by] * deed.accuracy;
    let at = |place: Option<usize>| Act::Move { by, changes: false, at: place };
    let harm = |place: usize| {
        let (own, hit) = (&look.own[place], look.taken[foe][by][place]);
        if !own.alive {
            return 0.0;
        }
        let flinch = if own.flinches() { deed.flinch * 0.25 } else { 0.0 };
        let hurt = if hit.max > 0.0 { flinch } else { 0.0 };
        hit.chance * (0.45 * hit.mean().min(own.hp) + 0.55 * hit.fells(own.hp) + hurt)
    };
    if deed.attacks() {
        let chance = fighter.chance[by];
        if deed.spreads() {
            all.push((at(None), chance * (harm(0) + harm(1))));
        } else {
            let living = (0..2).filter(|&place| look.own[place].alive);
            living.for_each(|place| all.push((at(Some(place)), chance * harm(place))));
        }
        return;
    }
    let each = |value: &dyn Fn(&Fighter) -> f32, all: &mut Vec<(Act, f32)>| {
        for place in (0..2).filter(|&place| look.own[place].alive) {
            let own = &look.own[place];
            let takes = own.takes(deed, fighter, battle, battle.me);
            all.push((at(Some(place)), chance * takes * value(own)));
        }
    };
    match deed.purpose {
        Purpose::Protect => all.push((at(None), 0.2 * fighter.stalls * threatened(look, foe))),
        Purpose::Sleep | Purpose::Yawn => each(&|_| 0.4, all),
        Purpose::Burn => each(&|own| 0.15 + 0.25 * own.physical, all),
        Purpose::Paralyse => each(&|_| 0.2, all),
        Purpose::Taunt | Purpose::Encore | Purpose::Lower => each(&|_| 0.12, all),
        Purpose::Tailwind if battle.foe().conditions.tailwind == 0 => all.push((at(None), 0.3)),
        Purpose::TrickRoom if battle.field.trick_room == 0 => all.push((at(None), 0.3)),
        Purpose::FollowMe | Purpose::RagePowder => all.push((at(None), 0.2)),
        Purpose::Boost => all.push((at(None), 0.2)),
        Purpose::Heal => all.push((at(None), 0.45 * deed.heal.min(1.0 - fighter.hp))),
        Purpose::Reflect | Purpose::LightScreen | Purpose::AuroraVeil => all.push((at(None), 0.2)),
        _ => all.push((at(None), 0.05)),
    }
}

/// How much of a foe's health both of one's own could take, 0 to 1.
fn threatened(look: &Outlook, foe: usize) -> f32 {
    let hp = look.foes[foe].hp.max(0.05);
    (0..2).map(|own| look.best(own, foe).expected() / hp).sum::<f32>().min(1.0)
}

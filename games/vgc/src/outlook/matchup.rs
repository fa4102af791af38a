//! Everybody of one team against everybody of the other: what a team preview is chosen by.

use crate::damage;
use crate::state::Battle;

use super::fighter::{Fighter, MOVES};

/// The most that a team has.
pub const TEAM: usize = 6;

/// What each of one's own does to each foe, and takes from it, at best.
#[derive(Clone, Debug, Default)]
pub struct Matchups {
    /// Shares of the foe's health: `[own][foe]`.
    pub dealt: [[f32; TEAM]; TEAM],
    /// Shares of one's own health: `[own][foe]`.
    pub taken: [[f32; TEAM]; TEAM],
    /// Does one's own go first? `[own][foe]`.
    pub faster: [[bool; TEAM]; TEAM],
    /// One's own team.
    pub own: [Fighter; TEAM],
    /// The foes' team.
    pub foes: [Fighter; TEAM],
}

impl Matchups {
    /// Of a battle, as far as the teams are known.
    pub fn new(battle: &Battle) -> Self {
        let mut all = Self::default();
        for index in 0..battle.own().team.len().min(TEAM) {
            all.own[index] = Fighter::of(battle, battle.me, index);
        }
        for index in 0..battle.foe().team.len().min(TEAM) {
            all.foes[index] = Fighter::of(battle, 1 - battle.me, index);
        }
        for (at, own) in all.own.iter().enumerate().filter(|(_, own)| own.index.is_some()) {
            for (to, foe) in all.foes.iter().enumerate().filter(|(_, foe)| foe.index.is_some()) {
                all.dealt[at][to] = most(battle, battle.me, own, foe);
                all.taken[at][to] = most(battle, 1 - battle.me, foe, own);
                all.faster[at][to] = own.speed > foe.speed;
            }
        }
        all
    }

    /// How one of one's own stands against a foe, about -1.5 to 1.5: what it does against what it takes, and
    /// who is first.
    pub fn score(&self, own: usize, foe: usize) -> f32 {
        let (dealt, taken) = (self.dealt[own][foe].min(1.2), self.taken[own][foe].min(1.2));
        let first = if self.faster[own][foe] { dealt } else { -taken };
        dealt - taken + 0.25 * first
    }
}

/// The most that somebody is expected to do to another.
fn most(battle: &Battle, side: usize, from: &Fighter, to: &Fighter) -> f32 {
    let (Some(attacker), Some(target)) = (from.index, to.index) else { return 0.0 };
    (0..MOVES)
        .filter(|&by| {
            from.chance[by] > 0.0 && from.moves[by].attacks() && !from.moves[by].needs_attack
        })
        .map(|by| {
            let deed = &from.moves[by];
            let estimate = damage::estimate(battle, (side, attacker), deed.id, (1 - side, target));
            let mean = (estimate.min + estimate.max) / 2.0;
            let tempo = if deed.slow || deed.first_turn || deed.self_destruct { 0.5 } else { 1.0 };
            if mean.is_finite() { mean * estimate.hit * tempo } else { 0.0 }
        })
        .fold(0.0, f32::max)
}

//! What a step is worth, and what a battle reports at its end.

use lanista_game::{Outcome, Stat, Term, TermKind};

use crate::host::{Ended, Health};

/// A side brings four.
const BROUGHT: f32 = 4.0;

/// The terms, in order.
pub fn terms() -> Vec<Term> {
    let term = Term::new;
    vec![
        term(TermKind::Outcome, "win", "1 for a battle won, -1 for one lost, 0 for a tie"),
        term(TermKind::Event, "faints", "foes that fainted less one's own, each a quarter"),
        term(
            TermKind::Shaping,
            "hp_margin",
            "change of one's own health less the foes', each of four a quarter",
        ),
        term(
            TermKind::Shaping,
            "status",
            "change of foes with a status less one's own, each a quarter",
        ),
    ]
}

/// The stats, in order.
pub fn stats() -> Vec<Stat> {
    vec!["turns".into(), Stat::team("left"), Stat::team("hp"), "refused".into()]
}

/// What has been seen of a battle's score.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    /// Both teams since the preview was over.
    health: Option<[Health; 2]>,
}

impl Score {
    /// Writes the terms of a step after which both teams are like this.
    pub fn step(&mut self, turn: u32, health: [Health; 2], out: &mut Outcome) {
        // During a preview all six are there.
        if turn == 0 {
            return;
        }
        let before = self.health.replace(health).unwrap_or(health.map(|now| Health {
            fainted: 0,
            statused: 0,
            shares: now.members as f32,
            ..now
        }));
        let change = |side: usize| {
            let (before, now) = (before[side], health[side]);
            let count = |before: u32, now: u32| now as f32 - before as f32;
            [
                count(before.fainted, now.fainted),
                before.shares - now.shares,
                count(before.statused, now.statused),
            ]
        };
        let changes = [change(0), change(1)];
        for side in 0..2 {
            let terms = out.seat(side);
            for term in 0..3 {
                terms[1 + term] = (changes[1 - side][term] - changes[side][term]) / BROUGHT;
            }
        }
    }

    /// Writes how a battle ended, and what it reports.
    pub fn end(&self, ended: Option<&Ended>, turn: u32, refused: u32, out: &mut Outcome) {
        if let Some(winner) = ended.and_then(|ended| ended.winner) {
            out.seat(winner)[0] = 1.0;
            out.seat(1 - winner)[0] = -1.0;
            out.score[winner] = 1.0;
        }
        let health = self.health.unwrap_or_default();
        let left = health.map(|side| side.members.saturating_sub(side.fainted) as f32);
        let hp = health.map(|side| side.shares / BROUGHT);
        let stats = [turn as f32, left[0], left[1], hp[0], hp[1], refused as f32];
        out.stats.copy_from_slice(&stats);
    }
}

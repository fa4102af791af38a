//! A match as it is when it ends, for whoever keeps it.

use lanista_game::recording::{Ended, Played};
use lanista_game::{End, seed};

use super::Shard;
use crate::player::Player;

/// Sets the choice of matches that are kept apart from whatever else follows from their seeds.
const SALT: u64 = 0x7265_636f_7264_2121;

/// A match that has just ended, before anybody knows under which names it was played.
pub struct Recorded {
    /// The match.
    pub played: Played,
    /// Who took its seats.
    pub players: Vec<Player>,
    /// How it ended.
    pub result: Ended,
    /// Can it be played again in this process, step by step?
    pub repeatable: bool,
    /// The match in the format in which others keep such matches, if there is one.
    pub transcript: Option<String>,
}

impl Recorded {
    /// A match of a shard that has just ended and has not been settled yet.
    pub(crate) fn of(shard: &Shard, m: usize) -> Self {
        let (state, layout) = (&shard.matches[m], shard.layout());
        let part = |all: &[f32], size: usize| all[m * size..(m + 1) * size].to_vec();
        // The terms of the last step have not been added yet.
        let last = part(&shard.buffers.terms, layout.seats() * layout.terms);
        let sums: Vec<f32> = state.terms.iter().zip(last).map(|(sum, last)| sum + last).collect();
        let terms = match layout.terms {
            0 => vec![Vec::new(); layout.seats()],
            terms => sums.chunks_exact(terms).map(<[f32]>::to_vec).collect(),
        };
        Self {
            played: state.played.clone(),
            players: state.players.clone(),
            result: Ended {
                end: shard.buffers.end[m].unwrap_or(End::Truncated),
                score: part(&shard.buffers.score, layout.teams),
                stats: part(&shard.buffers.stats, layout.stats),
                terms,
            },
            repeatable: shard.batch.replays() && !shard.batch.waits(),
            transcript: shard.batch.transcript(m),
        }
    }
}

impl Shard {
    /// Is match `m` one of those that are kept? A function of its seed, so a run that is resumed keeps
    /// the same ones.
    pub(super) fn is_kept(&self, m: usize) -> bool {
        let seed = self.matches[m].played.seed;
        self.keep_every.is_some_and(|every| seed::mix(seed ^ SALT, 0).is_multiple_of(every.max(1)))
    }
}

//! What is wrong with a match, in words that let it be found.

use lanista_game::{Fault, Spec};
use thiserror::Error;

use super::Shard;

/// A match that cannot go on, with all that is needed to play it again.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("match {match_index}, episode {episode} (seed {seed}), step {step}: {message}")]
pub struct MatchFault {
    /// Counted over the whole run.
    pub match_index: usize,
    /// Which of its episodes.
    pub episode: u64,
    /// What the game was reset with.
    pub seed: u64,
    /// At which step.
    pub step: u32,
    /// What happened.
    pub message: String,
}

impl Shard {
    /// A fault of the game, with where it happened.
    pub(super) fn locate(&self, fault: Fault) -> MatchFault {
        let state = &self.matches[fault.match_index];
        MatchFault {
            match_index: self.first_match + fault.match_index,
            episode: state.episode,
            seed: state.played.seed,
            step: state.step,
            message: fault.message,
        }
    }
}

/// Is there no NaN and no infinity?
pub fn all_finite(numbers: &[f32]) -> bool {
    // Any infinity or NaN makes the sum of zeros NaN; one pass without branches.
    numbers.iter().map(|v| v * 0.0).sum::<f32>() == 0.0
}

/// Says which term of a seat is not finite.
pub fn name_the_bad_term(spec: &Spec, seat: usize, earned: &[f32]) -> String {
    match spec.terms.iter().zip(earned).find(|(_, v)| !v.is_finite()) {
        Some((term, v)) => format!("seat {seat} earned {v} of `{}`; mend the game", term.name),
        None => format!("the reward of seat {seat} is not finite; lower its weights"),
    }
}

/// Says which number of what a seat sees is not finite.
pub fn name_the_bad_number(spec: &Spec, seat: usize, seen: &[f32], extra: &[f32]) -> String {
    let role = spec.role_of(seat);
    let features = role.flat_features();
    let seen = features.iter().zip(seen);
    let bad = seen.chain(role.privileged.iter().zip(extra)).find(|(_, v)| !v.is_finite());
    match bad {
        Some((feature, v)) => {
            format!("the observation of seat {seat} holds {v} in `{}`; mend the game", feature.name)
        }
        None => format!("the observation of seat {seat} is not finite; mend the game"),
    }
}

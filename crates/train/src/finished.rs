//! Matches that ended, as the learner saw them.

use std::cmp::Ordering;

use lanista_game::End;
use lanista_league::MatchResult;

use crate::player::Player;

/// A match that ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// The match, counted over the whole run.
    pub match_index: usize,
    /// Which of its episodes.
    pub episode: u64,
    /// How long it took.
    pub steps: u32,
    /// How it ended.
    pub end: End,
    /// Who the learner played against.
    pub opponent: Player,
    /// How likely that was when it was drawn from the pool; 1 for those who are not of it.
    pub probability: f64,
    /// The stage of the curriculum in which it began.
    pub stage: usize,
    /// The learner's team; `None` when it had all seats.
    pub team: Option<usize>,
    /// What the learner earned, by role; in self-play of the first team that has the role. Never
    /// empty.
    pub earned: Vec<Earned>,
    /// `[teams]`
    pub score: Vec<f32>,
    /// `[stat names]`: as the learner's team reports them; in self-play its first team.
    pub stats: Vec<f32>,
}

/// What the learner earned in a role.
#[derive(Clone, Debug, PartialEq)]
pub struct Earned {
    /// The role.
    pub role: usize,
    /// The team on which it was played.
    pub team: usize,
    /// `[terms]`: sums over the match, mean over the learner's seats of the role.
    pub terms: Vec<f32>,
}

impl Finished {
    /// `[terms]` of the role that stands for the learner.
    pub fn terms(&self) -> &[f32] {
        &self.earned[0].terms
    }

    /// What the learner earned in a role, if it played it.
    pub fn in_role(&self, role: usize) -> Option<&Earned> {
        self.earned.iter().find(|earned| earned.role == role)
    }

    /// How it ended for the learner; in self-play for its first team.
    pub fn outcome(&self) -> MatchResult {
        self.outcome_for(self.team.unwrap_or(0))
    }

    /// How it ended for a team.
    pub fn outcome_for(&self, team: usize) -> MatchResult {
        let others = self.score.iter().enumerate().filter(|(t, _)| *t != team);
        let best_other = others.map(|(_, s)| *s).fold(f32::NEG_INFINITY, f32::max);
        // Not `total_cmp`, which calls 0 more than −0. Scores are never NaN.
        match self.score[team].partial_cmp(&best_other) {
            Some(Ordering::Greater) => MatchResult::Win,
            Some(Ordering::Less) => MatchResult::Loss,
            _ => MatchResult::Draw,
        }
    }

    /// Its return, with `weights[role]` of the terms.
    pub fn weighted(&self, weights: &[Vec<f32>]) -> f64 {
        self.earned[0].weighted(weights)
    }
}

impl Earned {
    /// The return in this role, with `weights[role]` of the terms.
    pub fn weighted(&self, weights: &[Vec<f32>]) -> f64 {
        let weights = weights.get(self.role).map_or(&[][..], Vec::as_slice);
        self.terms.iter().zip(weights).map(|(t, w)| f64::from(*t) * f64::from(*w)).sum()
    }
}

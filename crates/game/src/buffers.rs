//! The flat buffers through which a batch of matches speaks.

use crate::Spec;

/// How a match ended. The two differ everywhere: a terminated match is worth nothing from here on,
/// a truncated one bootstraps from its last observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The game decided the match.
    Terminated,
    /// Time ran out; the state still had a future.
    Truncated,
}

/// What every seat of one match sees now: slices into [`Buffers`].
///
/// Before a game writes it, the mask is all `true` and every seat is acting, so a game with nothing
/// to forbid and nobody waiting writes observations only. A seat that is not acting need not be
/// written, except after the end of a truncated match: the critic then values every seat.
pub struct View<'a> {
    /// `[seats, features]`
    pub observation: &'a mut [f32],
    /// `[seats, privileged]`
    pub privileged: &'a mut [f32],
    /// `[seats, actions]`, heads side by side; `true` is legal.
    pub mask: &'a mut [bool],
    /// `[seats]`: must this seat choose now? Always `false` for an empty seat.
    pub acting: &'a mut [bool],
}

/// What one step of one match brought: slices into [`Buffers`], zeroed before the step.
pub struct Outcome<'a> {
    /// `[seats, terms]`: the reward terms of this step.
    pub terms: &'a mut [f32],
    /// Set when the match is over.
    pub end: &'a mut Option<End>,
    /// `[teams]`: the result of a finished match; the highest score wins, equal scores draw.
    pub score: &'a mut [f32],
    /// `[stat values]`: what a finished match reports, in the order of [`Spec::stats`]. A stat of teams
    /// has a number a team.
    pub stats: &'a mut [f32],
}

/// The views and outcomes of many matches.
#[derive(Clone, Debug)]
pub struct Buffers {
    /// `[matches, seats, features]`
    pub observation: Vec<f32>,
    /// `[matches, seats, privileged]`
    pub privileged: Vec<f32>,
    /// `[matches, seats, actions]`
    pub mask: Vec<bool>,
    /// `[matches, seats]`
    pub acting: Vec<bool>,
    /// `[matches, seats, terms]`
    pub terms: Vec<f32>,
    /// `[matches]`: set by the step that ended the match, cleared by the next one.
    pub end: Vec<Option<End>>,
    /// `[matches, teams]`
    pub score: Vec<f32>,
    /// `[matches, stat values]`
    pub stats: Vec<f32>,
    per_match: Sizes,
}

/// How many numbers one match takes in each buffer.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    observation: usize,
    privileged: usize,
    mask: usize,
    acting: usize,
    terms: usize,
    score: usize,
    stats: usize,
}

impl Buffers {
    /// Zeroed buffers for `matches` matches of a game.
    pub fn new(spec: &Spec, matches: usize) -> Self {
        let seats = spec.seats.len();
        let per_match = Sizes {
            observation: seats * spec.features(),
            privileged: seats * spec.privileged.len(),
            mask: seats * spec.actions(),
            acting: seats,
            terms: seats * spec.terms.len(),
            score: spec.teams(),
            stats: spec.stat_values(),
        };
        Self {
            observation: vec![0.0; matches * per_match.observation],
            privileged: vec![0.0; matches * per_match.privileged],
            mask: vec![true; matches * per_match.mask],
            acting: vec![false; matches * per_match.acting],
            terms: vec![0.0; matches * per_match.terms],
            end: vec![None; matches],
            score: vec![0.0; matches * per_match.score],
            stats: vec![0.0; matches * per_match.stats],
            per_match,
        }
    }

    /// The view of match `m`, with every action legal and every seat acting until the game says
    /// otherwise.
    #[inline]
    pub fn view(&mut self, m: usize) -> View<'_> {
        let s = self.per_match;
        let view = View {
            observation: part(&mut self.observation, m, s.observation),
            privileged: part(&mut self.privileged, m, s.privileged),
            mask: part(&mut self.mask, m, s.mask),
            acting: part(&mut self.acting, m, s.acting),
        };
        view.mask.fill(true);
        view.acting.fill(true);
        view
    }

    /// The outcome of match `m`, zeroed.
    #[inline]
    pub fn outcome(&mut self, m: usize) -> Outcome<'_> {
        let s = self.per_match;
        let outcome = Outcome {
            terms: part(&mut self.terms, m, s.terms),
            end: &mut self.end[m],
            score: part(&mut self.score, m, s.score),
            stats: part(&mut self.stats, m, s.stats),
        };
        outcome.terms.fill(0.0);
        outcome.score.fill(0.0);
        outcome.stats.fill(0.0);
        *outcome.end = None;
        outcome
    }

    /// Exchanges all but the observations with buffers for as many matches of the same game. An
    /// adaptor that shows other observations lets its batch write the rest in place this way.
    pub fn swap_all_but_observations(&mut self, other: &mut Self) {
        // Named one by one, so that a new buffer cannot be forgotten.
        let Self {
            observation: _,
            privileged,
            mask,
            acting,
            terms,
            end,
            score,
            stats,
            per_match: _,
        } = self;
        std::mem::swap(privileged, &mut other.privileged);
        std::mem::swap(mask, &mut other.mask);
        std::mem::swap(acting, &mut other.acting);
        std::mem::swap(terms, &mut other.terms);
        std::mem::swap(end, &mut other.end);
        std::mem::swap(score, &mut other.score);
        std::mem::swap(stats, &mut other.stats);
    }
}

#[inline]
fn part<T>(all: &mut [T], m: usize, size: usize) -> &mut [T] {
    &mut all[m * size..(m + 1) * size]
}

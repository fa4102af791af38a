//! The flat buffers through which a batch of matches speaks.

use crate::Spec;
use crate::layout::Layout;

/// How a match ended. The two differ everywhere: a terminated match is worth nothing from here on,
/// a truncated one bootstraps from its last observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The game decided the match.
    Terminated,
    /// Time ran out; the state still had a future.
    Truncated,
}

/// What every seat of one match sees now: slices into [`Buffers`].
///
/// Before a game writes it, the mask is all `true`, no pair is forbidden and every seat is acting, so a
/// game with nothing to forbid and nobody waiting writes observations only. A seat that is not acting
/// need not be written, except after the end of a truncated match: the critic then values every seat.
///
/// [`View::seat`] is one seat's part. The slices themselves have the same width for every seat, that of
/// the widest role; numbers beyond a seat's own are nobody's.
pub struct View<'a> {
    /// `[seats, features]`
    pub observation: &'a mut [f32],
    /// `[seats, privileged]`
    pub privileged: &'a mut [f32],
    /// `[seats, actions]`, heads side by side; `true` is legal.
    pub mask: &'a mut [bool],
    /// `[seats, pair values]`: `[first, second]` of every pair, side by side; `true` is forbidden.
    pub forbidden: &'a mut [bool],
    /// `[seats]`: must this seat choose now? Always `false` for a seat that is empty or driven inside.
    pub acting: &'a mut [bool],
    layout: &'a Layout,
}

/// What one seat sees now.
pub struct SeatView<'a> {
    /// `[features]` of its role.
    pub observation: &'a mut [f32],
    /// `[privileged]` of its role.
    pub privileged: &'a mut [f32],
    /// `[actions]` of its role, heads side by side.
    pub mask: &'a mut [bool],
    /// `[pair values]` of its role.
    pub forbidden: &'a mut [bool],
    /// Must it choose now?
    pub acting: &'a mut bool,
    layout: &'a Layout,
    seat: usize,
}

impl View<'_> {
    /// What one seat sees now.
    // Always: a game that fills two of the parts should not pay for the others.
    #[inline(always)]
    pub fn seat(&mut self, seat: usize) -> SeatView<'_> {
        let (l, own) = (self.layout, self.layout.seat(seat));
        SeatView {
            observation: row(self.observation, seat, l.features, own.features),
            privileged: row(self.privileged, seat, l.privileged, own.privileged),
            mask: row(self.mask, seat, l.actions, own.actions),
            forbidden: row(self.forbidden, seat, l.pair_values, own.pair_values),
            acting: &mut self.acting[seat],
            layout: l,
            seat,
        }
    }
}

impl SeatView<'_> {
    /// It has nothing to choose at this step.
    #[inline]
    pub fn wait(&mut self) {
        *self.acting = false;
    }

    /// The mask of one head.
    #[inline]
    pub fn head(&mut self, head: usize) -> &mut [bool] {
        &mut self.mask[self.layout.seat(self.seat).head(head)]
    }

    /// Takes an action of a head away.
    #[inline]
    pub fn forbid(&mut self, head: usize, action: usize) {
        self.head(head)[action] = false;
    }

    /// Takes a combination away: once `first` is chosen, `second` is not legal any more. `pair` is an
    /// index into [`crate::Role::pairs`].
    #[inline]
    pub fn forbid_pair(&mut self, pair: usize, first: usize, second: usize) {
        let own = &self.layout.seat(self.seat).pairs[pair];
        self.forbidden[own.offset + first * own.second + second] = true;
    }
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
    seats: usize,
}

impl Outcome<'_> {
    /// `[terms]` of one seat.
    #[inline]
    pub fn seat(&mut self, seat: usize) -> &mut [f32] {
        let terms = self.terms.len() / self.seats;
        &mut self.terms[seat * terms..(seat + 1) * terms]
    }
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
    /// `[matches, seats, pair values]`
    pub forbidden: Vec<bool>,
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
    layout: Layout,
}

impl Buffers {
    /// Zeroed buffers for `matches` matches of a game.
    pub fn new(spec: &Spec, matches: usize) -> Self {
        let layout = Layout::of(spec);
        let rows = matches * layout.seats();
        Self {
            observation: vec![0.0; rows * layout.features],
            privileged: vec![0.0; rows * layout.privileged],
            mask: vec![true; rows * layout.actions],
            forbidden: vec![false; rows * layout.pair_values],
            acting: vec![false; rows],
            terms: vec![0.0; rows * layout.terms],
            end: vec![None; matches],
            score: vec![0.0; matches * layout.teams],
            stats: vec![0.0; matches * layout.stats],
            layout,
        }
    }

    /// How many numbers a seat has in each of them.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The view of match `m`, with every action legal and every seat acting until the game says
    /// otherwise.
    #[inline]
    pub fn view(&mut self, m: usize) -> View<'_> {
        let (layout, seats) = (&self.layout, self.layout.seats());
        let view = View {
            observation: part(&mut self.observation, m, seats * layout.features),
            privileged: part(&mut self.privileged, m, seats * layout.privileged),
            mask: part(&mut self.mask, m, seats * layout.actions),
            forbidden: part(&mut self.forbidden, m, seats * layout.pair_values),
            acting: part(&mut self.acting, m, seats),
            layout,
        };
        view.mask.fill(true);
        view.forbidden.fill(false);
        view.acting.fill(true);
        view
    }

    /// The outcome of match `m`, zeroed.
    #[inline]
    pub fn outcome(&mut self, m: usize) -> Outcome<'_> {
        let (layout, seats) = (&self.layout, self.layout.seats());
        let outcome = Outcome {
            terms: part(&mut self.terms, m, seats * layout.terms),
            end: &mut self.end[m],
            score: part(&mut self.score, m, layout.teams),
            stats: part(&mut self.stats, m, layout.stats),
            seats,
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
            forbidden,
            acting,
            terms,
            end,
            score,
            stats,
            layout: _,
        } = self;
        std::mem::swap(privileged, &mut other.privileged);
        std::mem::swap(mask, &mut other.mask);
        std::mem::swap(forbidden, &mut other.forbidden);
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

/// The first `own` numbers of a row that is `width` wide.
#[inline]
fn row<T>(all: &mut [T], row: usize, width: usize, own: usize) -> &mut [T] {
    &mut all[row * width..row * width + own]
}

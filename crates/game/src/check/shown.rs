//! Everything that a match shows at a step, as bits.

use crate::{Buffers, End, Spec};

/// What a match shows.
pub(super) struct Shown {
    pub seats: Vec<Seen>,
    /// What the step brought; nothing at the start of a match.
    outcome: Option<Earned>,
}

/// What one seat sees. The view of a seat that nobody reads now need not be written and is left out.
#[derive(Default)]
pub(super) struct Seen {
    pub acting: bool,
    observation: Vec<u32>,
    privileged: Vec<u32>,
    mask: Vec<bool>,
    forbidden: Vec<bool>,
}

struct Earned {
    terms: Vec<u32>,
    end: Option<End>,
    score: Vec<u32>,
    stats: Vec<u32>,
}

/// Whose view is read now: of seats that act, and after the end of a truncated match of all that have
/// acted in it, because the critic values them. After a decided match nobody's is.
pub(super) fn read(end: Option<End>, acting: bool, has_acted: bool) -> bool {
    match end {
        None => acting,
        Some(End::Truncated) => has_acted,
        Some(End::Terminated) => false,
    }
}

impl Shown {
    /// What match `m` shows. `acted` tells which seats have acted so far, and is kept up to date.
    pub fn of(buffers: &Buffers, m: usize, started: bool, acted: &mut [bool]) -> Self {
        let layout = buffers.layout();
        let count = layout.seats();
        let end = if started { None } else { buffers.end[m] };
        let seen = |seat: usize| {
            let (row, own) = (m * count + seat, layout.seat(seat));
            let acting = buffers.acting[row];
            acted[seat] |= acting && end.is_none();
            if !read(end, acting, acted[seat]) {
                return Seen { acting: acting && end.is_none(), ..Seen::default() };
            }
            Seen {
                acting: acting && end.is_none(),
                observation: bits(&buffers.observation[row * layout.features..][..own.features]),
                privileged: bits(&buffers.privileged[row * layout.privileged..][..own.privileged]),
                mask: buffers.mask[row * layout.actions..][..own.actions].to_vec(),
                forbidden: buffers.forbidden[row * layout.pair_values..][..own.pair_values]
                    .to_vec(),
            }
        };
        let seats = (0..count).map(seen).collect();
        let part = |all: &[f32], size: usize| bits(&all[m * size..(m + 1) * size]);
        let outcome = (!started).then(|| Earned {
            terms: part(&buffers.terms, count * layout.terms),
            end,
            score: part(&buffers.score, layout.teams),
            stats: part(&buffers.stats, layout.stats),
        });
        Self { seats, outcome }
    }

    /// The first thing in which another playing of the match differs: the seat, if it is one seat's, and
    /// what was expected.
    pub fn difference(&self, other: &Self, spec: &Spec) -> Option<(Option<usize>, String)> {
        for (seat, (ours, theirs)) in self.seats.iter().zip(&other.seats).enumerate() {
            if let Some(what) = ours.difference(theirs, spec, seat) {
                return Some((Some(seat), what));
            }
        }
        let (Some(ours), Some(theirs)) = (&self.outcome, &other.outcome) else { return None };
        if let Some((at, what)) = numbers(&ours.terms, &theirs.terms) {
            let (seat, term) = (at / spec.terms.len(), &spec.terms[at % spec.terms.len()].name);
            return Some((Some(seat), format!("term `{term}` {what}")));
        }
        if ours.end != theirs.end {
            let what = format!("the end is {:?} but was {:?}", theirs.end, ours.end);
            return Some((None, what));
        }
        for (kind, ours, theirs) in
            [("score", &ours.score, &theirs.score), ("stat value", &ours.stats, &theirs.stats)]
        {
            if let Some((at, what)) = numbers(ours, theirs) {
                return Some((None, format!("{kind} {at} {what}")));
            }
        }
        None
    }
}

impl Seen {
    fn difference(&self, other: &Self, spec: &Spec, seat: usize) -> Option<String> {
        let role = spec.role_of(seat);
        if self.acting != other.acting {
            let acts = |acting| if acting { "acts" } else { "does not act" };
            return Some(format!("{} but {} before", acts(other.acting), acts(self.acting)));
        }
        if let Some((at, what)) = numbers(&self.observation, &other.observation) {
            return Some(format!("`{}` {what}", role.flat_features()[at].name));
        }
        if let Some((at, what)) = numbers(&self.privileged, &other.privileged) {
            return Some(format!("privileged `{}` {what}", role.privileged[at].name));
        }
        if self.mask != other.mask {
            return Some("the mask differs".to_owned());
        }
        (self.forbidden != other.forbidden).then(|| "other pairs are forbidden".to_owned())
    }
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// The first number that differs.
fn numbers(ours: &[u32], theirs: &[u32]) -> Option<(usize, String)> {
    let at = (0..ours.len().max(theirs.len())).find(|&i| ours.get(i) != theirs.get(i))?;
    let read = |bits: Option<&u32>| match bits {
        Some(&bits) => f32::from_bits(bits).to_string(),
        None => "missing".to_owned(),
    };
    Some((at, format!("is {} but was {}", read(theirs.get(at)), read(ours.get(at)))))
}

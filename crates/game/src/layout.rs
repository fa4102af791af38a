//! How the numbers of a match lie in flat buffers.

use std::ops::Range;

use crate::{Role, Spec};

/// How many numbers a seat has in each buffer. Every seat has the room of the widest role, so that rows
/// of all seats lie at the same distance; of that room it uses its own role's part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Room for an observation.
    pub features: usize,
    /// Room for privileged inputs.
    pub privileged: usize,
    /// Room for a mask.
    pub actions: usize,
    /// Room for the tables of forbidden pairs.
    pub pair_values: usize,
    /// Room for a joint action.
    pub heads: usize,
    /// Reward terms of a seat.
    pub terms: usize,
    /// Scores of a match.
    pub teams: usize,
    /// Stat values of a match.
    pub stats: usize,
    roles: Vec<RoleLayout>,
    /// `[seats]`
    role_of: Vec<usize>,
}

/// What a role uses of the room of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleLayout {
    /// Length of its observation.
    pub features: usize,
    /// Its privileged inputs.
    pub privileged: usize,
    /// Its actions over all heads.
    pub actions: usize,
    /// Its tables of forbidden pairs.
    pub pair_values: usize,
    /// Its heads.
    pub heads: usize,
    /// Where each head's actions begin, and where the last ones end.
    offsets: Vec<usize>,
    pub(crate) pairs: Vec<PairLayout>,
}

/// Where the table of a pair begins, and how long its rows are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PairLayout {
    pub offset: usize,
    pub second: usize,
}

impl RoleLayout {
    fn of(role: &Role) -> Self {
        let mut offsets = vec![0];
        for head in &role.heads {
            offsets.push(offsets.last().copied().unwrap_or(0) + head.actions.len());
        }
        let (mut pairs, mut offset) = (Vec::new(), 0);
        for pair in &role.pairs {
            let size = |head: usize| role.heads[head].actions.len();
            let second = size(pair.second);
            pairs.push(PairLayout { offset, second });
            offset += size(pair.first) * second;
        }
        Self {
            features: role.features(),
            privileged: role.privileged.len(),
            actions: role.actions(),
            pair_values: role.pair_values(),
            heads: role.heads.len(),
            offsets,
            pairs,
        }
    }

    /// Where the actions of a head lie in a mask.
    #[inline]
    pub fn head(&self, head: usize) -> Range<usize> {
        self.offsets[head]..self.offsets[head + 1]
    }
}

impl Layout {
    /// The layout of a game.
    pub fn of(spec: &Spec) -> Self {
        let roles: Vec<RoleLayout> = spec.roles.iter().map(RoleLayout::of).collect();
        let widest = |size: fn(&RoleLayout) -> usize| roles.iter().map(size).max().unwrap_or(0);
        Self {
            features: widest(|r| r.features),
            privileged: widest(|r| r.privileged),
            actions: widest(|r| r.actions),
            pair_values: widest(|r| r.pair_values),
            heads: widest(|r| r.heads),
            terms: spec.terms.len(),
            teams: spec.teams(),
            stats: spec.stat_values(),
            role_of: spec.seats.iter().map(|seat| seat.role).collect(),
            roles,
        }
    }

    /// How many seats a match has.
    #[inline]
    pub fn seats(&self) -> usize {
        self.role_of.len()
    }

    /// What a seat uses of its room.
    #[inline]
    pub fn seat(&self, seat: usize) -> &RoleLayout {
        &self.roles[self.role_of[seat]]
    }

    /// The role of a seat.
    #[inline]
    pub fn role_of(&self, seat: usize) -> usize {
        self.role_of[seat]
    }

    /// What a role uses of the room of a seat.
    pub fn role(&self, role: usize) -> &RoleLayout {
        &self.roles[role]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Buffers, Head, Pair, Seat};

    #[test]
    fn every_seat_has_the_room_of_the_widest_role_and_uses_its_own() {
        let small = Role {
            name: "small".into(),
            observation: vec![["a"].into()],
            heads: vec![Head::new("go", ["x", "y", "z"])],
            ..Role::default()
        };
        let large = Role {
            name: "large".into(),
            observation: vec![["a", "b", "c"].into()],
            heads: vec![Head::new("one", ["x", "y"]), Head::new("two", ["u", "v", "w"])],
            pairs: vec![Pair { first: 0, second: 1 }],
            ..Role::default()
        };
        let spec = Spec {
            roles: vec![small, large],
            seats: vec![Seat::of(0), Seat::of(1).role(1)],
            ..Spec::default()
        };
        let layout = Layout::of(&spec);
        let widths = (layout.features, layout.actions, layout.heads, layout.pair_values);
        assert_eq!(widths, (3, 5, 2, 6));
        let mut buffers = Buffers::new(&spec, 2);
        let mut view = buffers.view(1);
        assert_eq!(view.seat(0).observation.len(), 1);
        let mut seat = view.seat(1);
        seat.observation.copy_from_slice(&[1.0, 2.0, 3.0]);
        seat.forbid(1, 2);
        seat.forbid_pair(0, 1, 2);
        seat.wait();
        assert_eq!(buffers.observation[9..], [1.0, 2.0, 3.0]);
        assert_eq!(buffers.acting, [false, false, true, false]);
        assert_eq!(buffers.mask[15..], [true, true, true, true, false]);
        let forbidden: Vec<usize> = (0..24).filter(|&i| buffers.forbidden[i]).collect();
        assert_eq!(forbidden, [18 + 5]);
    }
}

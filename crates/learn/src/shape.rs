//! What a policy must know of a game: counts, and which choices depend on which.

use lanista_game::{Requirement, Role};

/// The interface of a policy: what goes in, what comes out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Numbers in an observation.
    pub features: usize,
    /// The features that play can change: all but the constant ones.
    pub varying: Vec<usize>,
    /// Extra numbers for the critic.
    pub privileged: usize,
    /// Actions of each head.
    pub heads: Vec<usize>,
    /// `requires[head]`: what restricts that head's actions.
    pub requires: Vec<Vec<Requirement>>,
    /// Heads of which a step may forbid combinations.
    pub pairs: Vec<PairShape>,
    /// Length of the tables of forbidden combinations.
    pub pair_values: usize,
}

/// Two heads of which a step may forbid combinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairShape {
    /// The head that is chosen first.
    pub first: usize,
    /// The head that is narrowed by it.
    pub second: usize,
    /// Where its table begins, a row for each action of the first head.
    pub offset: usize,
}

impl Shape {
    /// The shape that a role of a game asks for.
    pub fn of(role: &Role) -> Self {
        let mut requires = vec![Vec::new(); role.heads.len()];
        for r in &role.requires {
            requires[r.head].push(r.clone());
        }
        let (heads, mut offset) = (role.head_sizes(), 0);
        let mut pairs = Vec::new();
        for pair in &role.pairs {
            pairs.push(PairShape { first: pair.first, second: pair.second, offset });
            offset += heads[pair.first] * heads[pair.second];
        }
        let features = role.flat_features();
        Self {
            features: features.len(),
            varying: (0..features.len()).filter(|&f| !features[f].constant).collect(),
            privileged: role.privileged.len(),
            heads,
            requires,
            pairs,
            pair_values: offset,
        }
    }

    /// Actions over all heads.
    pub fn actions(&self) -> usize {
        self.heads.iter().sum()
    }

    /// Narrows the mask of `head` to what the choices of earlier heads leave, with `forbidden`
    /// combinations `[pair values]`. A head with nothing left takes its first action: it then says
    /// nothing, with probability 1.
    #[inline]
    pub fn narrow(&self, head: usize, action: &[u32], mask: &mut [bool], forbidden: &[bool]) {
        for r in &self.requires[head] {
            if mask[r.action as usize] && !r.allows(action) {
                mask[r.action as usize] = false;
            }
        }
        for pair in self.pairs.iter().filter(|pair| pair.second == head) {
            let row = pair.offset + action[pair.first] as usize * mask.len();
            let row = &forbidden[row..row + mask.len()];
            mask.iter_mut().zip(row).for_each(|(legal, forbidden)| *legal &= !forbidden);
        }
        if !mask.iter().any(|&legal| legal) {
            mask[0] = true;
        }
    }
}

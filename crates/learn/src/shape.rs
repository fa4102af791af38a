//! What a policy must know of a game: counts, and which choices depend on which.

use lanista_game::{Feature, Requirement, Role, UNKNOWN, Vocabulary};

/// The interface of a policy: what goes in, what comes out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Numbers in an observation.
    pub features: usize,
    /// What the observation consists of, in the order in which it lies; together they cover it.
    pub groups: Vec<Group>,
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

/// A stretch of an observation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Group {
    /// Numbers as they are.
    Plain {
        /// How many.
        features: usize,
    },
    /// Slots for entities of a kind, side by side. A slot is a flag, 1 if there is an entity and 0
    /// if not, and then its parts. Groups of the same name and parts are of one kind: a policy
    /// learns them together and looks at each of them apart.
    Entities {
        /// The kind.
        name: String,
        /// How many slots.
        most: usize,
        /// What a slot holds after its flag.
        parts: Vec<EntityPart>,
    },
    /// Ids of one vocabulary, side by side.
    Ids {
        /// What they are ids of.
        vocabulary: Vocabulary,
        /// How many.
        count: usize,
    },
}

/// One number of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntityPart {
    /// A number as it is.
    Number,
    /// An id.
    Id(Vocabulary),
}

impl Group {
    /// Numbers of an observation that the group covers.
    pub fn features(&self) -> usize {
        match self {
            Self::Plain { features } => *features,
            Self::Entities { most, parts, .. } => most.saturating_mul(1 + parts.len()),
            Self::Ids { count, .. } => *count,
        }
    }
}

/// The groups of what a role sees, as policies tell them apart: a list of features may hold ids, which
/// are stretches of their own.
fn groups(role: &Role) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let part = |feature: &Feature| match &feature.vocabulary {
        None => EntityPart::Number,
        Some(vocabulary) => EntityPart::Id(vocabulary.clone()),
    };
    for group in &role.observation {
        match group {
            lanista_game::Group::Features(features) => {
                features.iter().for_each(|feature| extend(&mut groups, feature));
            }
            lanista_game::Group::Entities { name, most, features } => {
                let parts = features.iter().map(part).collect();
                groups.push(Group::Entities { name: name.clone(), most: *most, parts });
            }
        }
    }
    groups
}

/// Adds a feature to the last stretch, or begins one.
fn extend(groups: &mut Vec<Group>, feature: &Feature) {
    match (groups.last_mut(), &feature.vocabulary) {
        (Some(Group::Plain { features }), None) => *features += 1,
        (Some(Group::Ids { vocabulary, count }), Some(same)) if vocabulary == same => *count += 1,
        (_, None) => groups.push(Group::Plain { features: 1 }),
        (_, Some(vocabulary)) => {
            groups.push(Group::Ids { vocabulary: vocabulary.clone(), count: 1 });
        }
    }
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
            groups: groups(role),
            varying: (0..features.len()).filter(|&f| !features[f].constant).collect(),
            privileged: role.privileged.len(),
            heads,
            requires,
            pairs,
            pair_values: offset,
        }
    }

    /// Is there more to the observation than plain numbers?
    pub fn structured(&self) -> bool {
        self.groups.iter().any(|group| !matches!(group, Group::Plain { .. }))
    }

    /// Actions over all heads.
    pub fn actions(&self) -> usize {
        self.heads.iter().sum()
    }

    /// Narrows the mask of a recorded joint action, of which heads may be [`UNKNOWN`], head by head. What
    /// an unknown choice leaves open stays open.
    pub fn narrow_recorded(&self, action: &[u32], mask: &mut [bool], forbidden: &[bool]) {
        let mut offset = 0;
        for (head, &size) in self.heads.iter().enumerate() {
            let mask = &mut mask[offset..offset + size];
            offset += size;
            for r in &self.requires[head] {
                mask[r.action as usize] &= r.may_allow(action);
            }
            for pair in self.pairs.iter().filter(|pair| pair.second == head) {
                if action[pair.first] != UNKNOWN {
                    let row = pair.offset + action[pair.first] as usize * size;
                    let row = &forbidden[row..row + size];
                    mask.iter_mut().zip(row).for_each(|(legal, forbidden)| *legal &= !forbidden);
                }
            }
            if !mask.iter().any(|&legal| legal) {
                mask[0] = true;
            }
        }
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

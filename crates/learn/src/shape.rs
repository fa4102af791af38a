//! What a policy must know of a game: counts, and which choices depend on which.

use lanista_game::{Requirement, Spec};

/// The interface of a policy: what goes in, what comes out.
#[derive(Clone, Debug, PartialEq, Eq)]
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
        parts: Vec<Part>,
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
pub enum Part {
    /// A number as it is.
    Number,
    /// An id.
    Id(Vocabulary),
}

/// What ids stand for: whole numbers of `0..size`, written as `f32`. Vocabularies of the same name
/// are the same one, wherever its ids lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    /// Its name.
    pub name: String,
    /// How many ids there are.
    pub size: usize,
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

impl Shape {
    /// The shape a game asks for.
    pub fn of(spec: &Spec) -> Self {
        let mut requires = vec![Vec::new(); spec.heads.len()];
        for r in &spec.requires {
            requires[r.head].push(r.clone());
        }
        Self {
            features: spec.features(),
            groups: vec![Group::Plain { features: spec.features() }],
            varying: (0..spec.features()).filter(|&f| !spec.observation[f].constant).collect(),
            privileged: spec.privileged.len(),
            heads: spec.head_sizes(),
            requires,
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

    /// Narrows the mask of `head` to what the choices of earlier heads leave. A head with nothing
    /// left takes its first action: it then says nothing, with probability 1.
    #[inline]
    pub fn narrow(&self, head: usize, action: &[u32], mask: &mut [bool]) {
        for r in &self.requires[head] {
            if mask[r.action as usize] && !r.allows(action) {
                mask[r.action as usize] = false;
            }
        }
        if !mask.iter().any(|&legal| legal) {
            mask[0] = true;
        }
    }
}

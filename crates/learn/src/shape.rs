//! What a policy must know of a game: counts, and which choices depend on which.

use lanista_game::{Requirement, Spec};

/// The interface of a policy: what goes in, what comes out.
#[derive(Clone, Debug, PartialEq, Eq)]
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
            varying: (0..spec.features()).filter(|&f| !spec.observation[f].constant).collect(),
            privileged: spec.privileged.len(),
            heads: spec.head_sizes(),
            requires,
        }
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

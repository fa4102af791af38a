//! Rows that one policy answers together: what they see is gathered, inferred in one pass, and what
//! was chosen goes back to where it came from.

use lanista_game::{Buffers, Layout, RoleLayout};
use lanista_learn::rollout::append;
use lanista_learn::{Choose, Inputs, Policy, Scratch};

/// The rows of one policy at one step.
#[derive(Default)]
pub struct Inference {
    /// Which rows: seats of matches, counted over the batch.
    pub rows: Vec<usize>,
    /// What goes in, and what was chosen.
    pub inputs: Inputs,
    /// What comes out.
    pub scratch: Scratch,
    /// Choices and numbers of memory, the critic's too, of one row.
    sizes: Sizes,
}

#[derive(Clone, Copy, Default)]
struct Sizes {
    heads: usize,
    actor: usize,
    critic: usize,
}

/// Where the rows of a role lie in the buffers of a batch.
pub struct Seen<'a> {
    /// `[rows, features]`: what policies see; the buffers' own, or a noisy copy.
    pub observation: &'a [f32],
    /// The rest of what a batch shows.
    pub buffers: &'a Buffers,
    /// The role of the rows.
    pub role: &'a RoleLayout,
}

impl Seen<'_> {
    fn layout(&self) -> &Layout {
        self.buffers.layout()
    }

    /// `[features]` of a row.
    #[inline]
    pub fn observation(&self, row: usize) -> &[f32] {
        let at = row * self.layout().features;
        &self.observation[at..at + self.role.features]
    }

    /// `[privileged]` of a row.
    #[inline]
    pub fn privileged(&self, row: usize) -> &[f32] {
        let at = row * self.layout().privileged;
        &self.buffers.privileged[at..at + self.role.privileged]
    }

    /// `[actions]` of a row.
    #[inline]
    pub fn mask(&self, row: usize) -> &[bool] {
        let at = row * self.layout().actions;
        &self.buffers.mask[at..at + self.role.actions]
    }

    /// `[pair values]` of a row.
    #[inline]
    pub fn forbidden(&self, row: usize) -> &[bool] {
        let at = row * self.layout().pair_values;
        &self.buffers.forbidden[at..at + self.role.pair_values]
    }
}

impl Inference {
    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.inputs.clear();
    }

    /// Takes over what an actor sees of a row, with its memory. `fresh` says that its episode has just
    /// begun.
    #[inline]
    pub fn add(&mut self, seen: &Seen, row: usize, fresh: bool, memory: &[f32]) {
        let inputs = &mut self.inputs;
        append(&mut inputs.observation, seen.observation(row));
        append(&mut inputs.mask, seen.mask(row));
        if seen.role.pair_values > 0 {
            append(&mut inputs.forbidden, seen.forbidden(row));
        }
        inputs.reset.push(fresh);
        append(&mut inputs.actor_state, memory);
        self.rows.push(row);
    }

    /// Takes over what the critic sees on top.
    #[inline]
    pub fn add_critic(&mut self, seen: &Seen, row: usize, memory: &[f32]) {
        append(&mut self.inputs.privileged, seen.privileged(row));
        append(&mut self.inputs.critic_state, memory);
    }

    /// Normalises what was gathered. Every pass below expects it.
    pub fn prepare(&mut self, policy: &Policy) {
        self.inputs.rows = self.rows.len();
        self.inputs.packing.set_single(self.rows.len());
        let (actor, critic) = policy.state_sizes();
        self.sizes = Sizes { heads: policy.shape().heads.len(), actor, critic };
        policy.prepare(&mut self.inputs);
    }

    /// Chooses, and values where the rows stand.
    pub fn act(&mut self, policy: &Policy, choose: Choose) {
        policy.act(&mut self.inputs, &mut self.scratch, choose);
    }

    /// Chooses without a critic.
    pub fn choose(&mut self, policy: &Policy, choose: Choose) {
        policy.choose(&mut self.inputs, &mut self.scratch, choose);
    }

    /// Values where the rows stand.
    pub fn value(&mut self, policy: &Policy) {
        policy.value(&self.inputs, &mut self.scratch);
    }

    /// `[heads]`: what the `i`-th row chose.
    #[inline]
    pub fn chosen(&self, i: usize) -> &[u32] {
        let heads = self.sizes.heads;
        &self.inputs.actions[i * heads..(i + 1) * heads]
    }

    /// The `i`-th row's memory after its choice.
    #[inline]
    pub fn memory(&self, i: usize) -> &[f32] {
        let size = self.sizes.actor;
        &self.inputs.actor_state[i * size..(i + 1) * size]
    }

    /// The critic's.
    #[inline]
    pub fn critic_memory(&self, i: usize) -> &[f32] {
        let size = self.sizes.critic;
        &self.inputs.critic_state[i * size..(i + 1) * size]
    }
}

//! How policies that do not learn choose: without a critic, from what the game shows, with a memory of
//! their own for every row.

use std::ops::Range;

use lanista_game::{Buffers, Spec};
use lanista_learn::rollout::append;
use lanista_learn::{Choose, Inputs, Policy, Scratch};

use crate::seating::Manners;
use crate::shard::{Match, action_draw};

/// What guests look at.
pub(crate) struct Seen<'a> {
    pub buffers: &'a Buffers,
    pub matches: &'a [Match],
    /// The rows of one guest.
    pub rows: &'a [usize],
    pub spec: &'a Spec,
}

/// What guests keep between steps.
#[derive(Default)]
pub(crate) struct GuestRows {
    /// `[rows]`: the memory of whoever sits there; its length is up to the policy.
    pub states: Vec<Vec<f32>>,
    /// `[rows]`: has the seat not acted in this episode yet?
    fresh: Vec<bool>,
    inputs: Inputs,
    scratch: Scratch,
}

impl GuestRows {
    pub fn new(rows: usize) -> Self {
        Self { states: vec![Vec::new(); rows], fresh: vec![true; rows], ..Self::default() }
    }

    /// An episode starts.
    pub fn start(&mut self, rows: Range<usize>) {
        self.states[rows.clone()].iter_mut().for_each(Vec::clear);
        self.fresh[rows].fill(true);
    }

    /// `[rows]`: 1 where the seat has not acted yet.
    pub fn fresh(&self) -> impl Iterator<Item = u32> {
        self.fresh.iter().map(|&fresh| u32::from(fresh))
    }

    /// A memory is put back.
    pub fn restore(&mut self, row: usize, state: Vec<f32>, fresh: bool) {
        self.states[row] = state;
        self.fresh[row] = fresh;
    }

    /// Chooses for the rows of one guest.
    pub fn choose(&mut self, policy: &Policy, seen: &Seen, manners: &Manners, actions: &mut [u32]) {
        let Seen { buffers, matches, rows, spec } = *seen;
        let (features, legal) = (spec.features(), spec.actions());
        let (seats, heads) = (spec.seats.len(), spec.heads.len());
        let (memory, _) = policy.state_sizes();
        let inputs = &mut self.inputs;
        inputs.clear();
        inputs.rows = rows.len();
        inputs.packing.set_single(rows.len());
        for &row in rows {
            append(
                &mut inputs.observation,
                &buffers.observation[row * features..(row + 1) * features],
            );
            append(&mut inputs.mask, &buffers.mask[row * legal..(row + 1) * legal]);
            inputs.reset.push(self.fresh[row]);
            self.states[row].resize(memory, 0.0);
            append(&mut inputs.actor_state, &self.states[row]);
        }
        if let Some(normalizer) = &policy.normalizer {
            normalizer.apply(&mut inputs.observation);
        }
        let uniform = |r: usize, head: usize| {
            let state = &matches[rows[r] / seats];
            let sampled = !manners.conduct.takes_likeliest(state.seed);
            sampled.then(|| action_draw(state, rows[r] % seats, heads, head))
        };
        policy.choose(inputs, &mut self.scratch, Choose::Each(&uniform));
        for (i, &row) in rows.iter().enumerate() {
            let chosen = &self.inputs.actions[i * heads..(i + 1) * heads];
            let place = &mut actions[row * heads..(row + 1) * heads];
            let mask = &buffers.mask[row * legal..(row + 1) * legal];
            let state = &matches[row / seats];
            // Who is late repeats its last action, where that is still legal.
            let stale = !self.fresh[row]
                && manners.conduct.is_late(state.seed, u64::from(state.step), row % seats)
                && spec.allows(place, mask);
            if !stale {
                place.copy_from_slice(chosen);
            }
            self.states[row]
                .copy_from_slice(&self.inputs.actor_state[i * memory..(i + 1) * memory]);
            self.fresh[row] = false;
        }
    }
}

//! How policies that do not learn choose: all rows of one together, without a critic, from what the
//! game shows, with a memory of their own for every row.

use std::collections::BTreeMap;
use std::ops::Range;

use lanista_learn::rollout::append;
use lanista_learn::{Choose, Inputs, Policy, Scratch};

use crate::config::Player;
use crate::shard::{Shard, action_draw};

/// What guests keep between steps.
#[derive(Default)]
pub(crate) struct GuestRows {
    /// `[rows]`: the memory of whoever sits there; its length is up to the policy.
    pub states: Vec<Vec<f32>>,
    /// `[rows]`: has the seat not acted in this episode yet?
    fresh: Vec<bool>,
}

impl GuestRows {
    pub fn new(rows: usize) -> Self {
        Self { states: vec![Vec::new(); rows], fresh: vec![true; rows] }
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
}

/// Where guests choose, a desk for each.
#[derive(Default)]
pub(crate) struct Desks(BTreeMap<u64, Desk>);

/// The rows of one guest at one step.
#[derive(Default)]
struct Desk {
    rows: Vec<usize>,
    /// `[rows, heads]`: what an action is drawn with; `None` takes the most likely one.
    draws: Vec<Option<f32>>,
    inputs: Inputs,
    scratch: Scratch,
}

impl Desks {
    /// Lets every guest that sits in a shard choose its actions.
    pub fn ask(&mut self, shard: &mut Shard) {
        let guests = shard.guests.clone();
        // Who has left takes its desk along: buffers are for those who sit here, not for the whole pool.
        self.0.retain(|_, desk| !desk.rows.is_empty());
        self.0.values_mut().for_each(Desk::clear);
        for row in 0..shard.matches.len() * shard.spec().seats.len() {
            if let Some(id) = shard.guest_to_act(row)
                && let Some(policy) = guests.policies.get(&id)
            {
                self.0.entry(id).or_default().add(policy, shard, row);
            }
        }
        for (id, desk) in self.0.iter_mut().filter(|(_, desk)| !desk.rows.is_empty()) {
            if let Some(policy) = guests.policies.get(id) {
                desk.choose(policy);
                desk.answer(policy, shard);
            }
        }
    }
}

impl Desk {
    fn clear(&mut self) {
        self.rows.clear();
        self.draws.clear();
        self.inputs.clear();
    }

    /// Takes over what a row sees.
    fn add(&mut self, policy: &Policy, shard: &mut Shard, row: usize) {
        let spec = shard.batch.spec();
        let (features, legal) = (spec.features(), spec.actions());
        let (seats, heads) = (spec.seats.len(), spec.heads.len());
        let (memory, _) = policy.state_sizes();
        let state = &mut shard.guest_rows.states[row];
        state.resize(memory, 0.0);
        let (inputs, seen) = (&mut self.inputs, &shard.buffers);
        append(&mut inputs.observation, &seen.observation[row * features..(row + 1) * features]);
        append(&mut inputs.mask, &seen.mask[row * legal..(row + 1) * legal]);
        inputs.reset.push(shard.guest_rows.fresh[row]);
        append(&mut inputs.actor_state, state);
        let match_ = &shard.matches[row / seats];
        let sampled = !shard.seating.manners.conduct.takes_likeliest(match_.seed);
        let draw = |head| sampled.then(|| action_draw(match_, row % seats, heads, head));
        self.draws.extend((0..heads).map(draw));
        self.rows.push(row);
    }

    fn choose(&mut self, policy: &Policy) {
        let Self { rows, draws, inputs, scratch } = self;
        inputs.rows = rows.len();
        inputs.packing.set_single(rows.len());
        if let Some(normalizer) = &policy.normalizer {
            normalizer.apply(&mut inputs.observation);
        }
        let heads = draws.len() / rows.len();
        policy.choose(inputs, scratch, Choose::Each(&|row, head| draws[row * heads + head]));
    }

    /// Hands the chosen actions and the memories back.
    fn answer(&self, policy: &Policy, shard: &mut Shard) {
        let (memory, _) = policy.state_sizes();
        for (i, &row) in self.rows.iter().enumerate() {
            let spec = shard.batch.spec();
            let (legal, seats, heads) = (spec.actions(), spec.seats.len(), spec.heads.len());
            let chosen = &self.inputs.actions[i * heads..(i + 1) * heads];
            let place = &mut shard.actions[row * heads..(row + 1) * heads];
            let mask = &shard.buffers.mask[row * legal..(row + 1) * legal];
            let state = &shard.matches[row / seats];
            let conduct = &shard.seating.manners.conduct;
            // Who is late repeats its last action, where that is still legal.
            let stale = !shard.guest_rows.fresh[row]
                && conduct.is_late(state.seed, u64::from(state.step), row % seats)
                && spec.allows(place, mask);
            if !stale {
                place.copy_from_slice(chosen);
            }
            shard.guest_rows.states[row]
                .copy_from_slice(&self.inputs.actor_state[i * memory..(i + 1) * memory]);
            shard.guest_rows.fresh[row] = false;
        }
    }
}

impl Shard {
    /// The guest on this row, if there is one and it acts now.
    fn guest_to_act(&self, row: usize) -> Option<u64> {
        let seats = self.batch.spec().seats.len();
        match self.matches[row / seats].players[row % seats] {
            Player::Frozen(id) if self.buffers.acting[row] => Some(id),
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "guest_tests.rs"]
mod tests;

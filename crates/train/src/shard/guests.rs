//! How agents that do not learn choose: all rows of one together, without a critic, from what the game
//! shows, with a memory of their own for every row.

use std::ops::Range;

use lanista_learn::Choose;

use super::{Shard, action_draw};
use crate::infer::{Inference, Seen};
use crate::player::Player;

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

/// A guest in one of its roles.
#[derive(Default)]
pub(super) struct Guest {
    inference: Inference,
    /// `[rows, heads]`: what an action is drawn with; `None` takes the most likely one.
    draws: Vec<Option<f32>>,
}

impl Shard {
    /// Lets every guest that sits here choose its actions.
    pub(super) fn ask_guests(&mut self) {
        let guests = self.guests.clone();
        let mut inferences = std::mem::take(&mut self.inferences);
        // Who has left takes its buffers along: buffers are for those who sit here, not for the whole pool.
        inferences.retain(|_, guest| !guest.inference.rows.is_empty());
        for guest in inferences.values_mut() {
            guest.inference.clear();
            guest.draws.clear();
        }
        let seats = self.layout().seats();
        for row in 0..self.matches.len() * seats {
            let role = self.layout().role_of(row % seats);
            if let Some(id) = self.guest_to_act(row)
                && let Some(policy) = guests.policies.get(&id).and_then(|roster| roster.get(role))
            {
                let guest = inferences.entry((id, role)).or_default();
                self.seat_guest(guest, policy.state_sizes().0, row);
            }
        }
        for ((id, role), guest) in
            inferences.iter_mut().filter(|(_, g)| !g.inference.rows.is_empty())
        {
            if let Some(policy) = guests.policies.get(id).and_then(|roster| roster.get(*role)) {
                let Guest { inference, draws } = guest;
                inference.prepare(policy);
                let heads = draws.len() / inference.rows.len();
                inference.choose(policy, Choose::Each(&|row, head| draws[row * heads + head]));
                self.take_answers(inference);
            }
        }
        self.inferences = inferences;
    }

    /// Takes over what a row of a guest sees.
    fn seat_guest(&mut self, guest: &mut Guest, memory: usize, row: usize) {
        let seats = self.layout().seats();
        let state = &mut self.guest_rows.states[row];
        state.resize(memory, 0.0);
        let (buffers, seat) = (&self.buffers, row % seats);
        let role = buffers.layout().seat(seat);
        let seen = Seen { observation: &buffers.observation, buffers, role };
        guest.inference.add(&seen, row, self.guest_rows.fresh[row], state);
        let match_ = &self.matches[row / seats];
        let sampled = !self.seating.guest_rules.style.takes_likeliest(match_.played.seed);
        let draw = |head| sampled.then(|| action_draw(match_, seat, role.heads, head));
        guest.draws.extend((0..role.heads).map(draw));
    }

    /// Takes the chosen actions and the memories back.
    fn take_answers(&mut self, inference: &Inference) {
        let (seats, room) = (self.layout().seats(), self.layout().heads);
        for (i, &row) in inference.rows.iter().enumerate() {
            let (chosen, seat) = (inference.chosen(i), row % seats);
            let role = self.buffers.layout().seat(seat);
            let seen =
                Seen { observation: &self.buffers.observation, buffers: &self.buffers, role };
            let place = &mut self.actions[row * room..row * room + chosen.len()];
            let state = &self.matches[row / seats];
            let style = &self.seating.guest_rules.style;
            // Who is late repeats its last action, where that is still legal.
            let stale = !self.guest_rows.fresh[row]
                && style.is_late(state.played.seed, u64::from(state.step), seat)
                && self.batch.spec().role_of(seat).allows(
                    place,
                    seen.mask(row),
                    seen.forbidden(row),
                );
            if !stale {
                place.copy_from_slice(chosen);
            }
            self.guest_rows.states[row].copy_from_slice(inference.memory(i));
            self.guest_rows.fresh[row] = false;
        }
    }

    /// The guest on this row, if there is one and it acts now.
    pub(super) fn guest_to_act(&self, row: usize) -> Option<u64> {
        let seats = self.layout().seats();
        match self.matches[row / seats].players[row % seats] {
            Player::Frozen(id)
                if self.buffers.acting[row] && self.waiting.is_ready(row / seats) =>
            {
                Some(id)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "guests_tests.rs"]
mod tests;

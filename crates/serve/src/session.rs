//! What is remembered between the requests of a client: frames, memory, dice.

use lanista_game::seed;

use crate::ask::{Ask, Row};
use crate::model::{Endpoint, Weights};
use crate::refusal::Refusal;

/// One game that a client plays with a policy.
#[derive(Debug)]
pub struct Session {
    /// `[depth, frame features]`: earlier frames in a ring.
    past: Vec<f32>,
    /// The place in the ring that is overwritten next.
    next: usize,
    actor_state: Vec<f32>,
    critic_state: Vec<f32>,
    /// Has nothing been decided since it began?
    fresh: bool,
    seed: u64,
    decisions: u64,
}

impl Session {
    /// A game that begins. What is left to chance follows from the seed.
    pub fn new(endpoint: &Endpoint, seed: u64) -> Self {
        let depth = endpoint.frames.iter().max().map_or(0, |&frame| frame);
        Self {
            past: vec![0.0; depth * endpoint.frame_features],
            next: 0,
            actor_state: vec![0.0; endpoint.state_sizes.0],
            critic_state: vec![0.0; endpoint.state_sizes.1],
            fresh: true,
            seed,
            decisions: 0,
        }
    }

    /// Turns what was asked into a row for the policy. Nothing is remembered of a request that is
    /// refused.
    pub fn prepare(
        &mut self,
        endpoint: &Endpoint,
        ask: &Ask,
        row: &mut Row,
    ) -> Result<(), Refusal> {
        ask.check(endpoint)?;
        if ask.reset {
            self.past.fill(0.0);
            self.fresh = true;
        }
        if let Some(seed) = ask.seed {
            (self.seed, self.decisions) = (seed, 0);
        }
        row.clear();
        self.observe(endpoint, ask, row);
        let actions = endpoint.shape.actions();
        match ask.mask.is_empty() {
            true => row.mask.resize(actions, true),
            false => row.mask.extend_from_slice(&ask.mask),
        }
        match ask.forbidden.is_empty() {
            true => row.forbidden.resize(endpoint.shape.pair_values, false),
            false => row.forbidden.extend_from_slice(&ask.forbidden),
        }
        let (actor, _) = endpoint.state_sizes;
        match &ask.state {
            Some(state) => {
                row.actor_state.extend_from_slice(&state[..actor]);
                row.critic_state.extend_from_slice(&state[actor..]);
                row.fresh = ask.reset;
            }
            None => {
                row.actor_state.extend_from_slice(&self.actor_state);
                row.critic_state.extend_from_slice(&self.critic_state);
                row.fresh = std::mem::replace(&mut self.fresh, false);
            }
        }
        let decision = seed::mix(self.seed, self.decisions);
        self.decisions += 1;
        for head in 0..endpoint.shape.heads.len() {
            let draw = seed::uniform(seed::mix(decision, head as u64));
            row.draws.push((!ask.best(head)).then_some(draw));
        }
        Ok(())
    }

    /// Writes the frames that the policy sees side by side, and keeps the newest for later.
    fn observe(&mut self, endpoint: &Endpoint, ask: &Ask, row: &mut Row) {
        let size = endpoint.frame_features;
        let out = &mut row.observation;
        if let Some(count) = ask.frames {
            // Whoever stacks frames itself begins a game with one: nothing of the last one is left.
            self.past.fill(0.0);
            let wide = ask.observation.len() / count;
            for &frame in &endpoint.frames {
                match ask.observation.chunks_exact(wide).nth(frame) {
                    Some(numbers) => out.extend_from_slice(&numbers[..size]),
                    None => out.resize(out.len() + size, 0.0),
                }
            }
            row.privileged.extend_from_slice(&ask.observation[size..wide]);
        } else if self.past.is_empty() || ask.observation.len() != size {
            out.extend_from_slice(&ask.observation);
        } else {
            let now = &ask.observation[..];
            let depth = self.past.len() / size;
            for &frame in &endpoint.frames {
                let place = (self.next + depth - frame) % depth;
                match frame {
                    0 => out.extend_from_slice(now),
                    _ => out.extend_from_slice(&self.past[place * size..(place + 1) * size]),
                }
            }
            self.past[self.next * size..(self.next + 1) * size].copy_from_slice(now);
            self.next = (self.next + 1) % depth;
        }
        if !ask.privileged.is_empty() {
            row.privileged.clear();
            row.privileged.extend_from_slice(&ask.privileged);
        }
    }

    /// Keeps the memory that a decision left.
    pub fn keep(&mut self, actor: &[f32], critic: &[f32]) {
        self.actor_state.copy_from_slice(actor);
        self.critic_state.copy_from_slice(critic);
    }
}

/// What a critic is told of inputs that a client does not know: what they were on average.
pub fn unknown_privileged(weights: &Weights, row: &mut Row) {
    if row.privileged.is_empty() {
        let size = weights.policy.shape().privileged;
        match &weights.policy.privileged_normalizer {
            Some(normalizer) => row.privileged.extend(normalizer.mean.iter().map(|&m| m as f32)),
            None => row.privileged.resize(size, 0.0),
        }
    }
}

//! A shard: some of the matches, stepped, inferred and recorded by one thread at a time.
//!
//! Which matches a shard holds is fixed by the configuration, never by the number of threads, so
//! the same rows always meet in the same products and the same bits come out.

mod faults;
mod guests;
mod late;
mod rebuild;
mod recorded;
mod settle;

use std::collections::BTreeMap;
use std::sync::Arc;

use lanista_game::recording::{Actions, Played};
use lanista_game::{Batch, Buffers, Control, Fault, Layout, Spec, seed};
use lanista_learn::{Act, Choose, Follow, Policy, Rollout};

use crate::finished::Finished;
use crate::infer::{Inference, Seen};
use crate::noise::Noise;
use crate::player::{Player, Policies};
use crate::seating::{Guests, Seating, hand};
use crate::sharing::Sharing;

pub use faults::{MatchFault, all_finite};
pub(crate) use guests::GuestRows;
pub use late::{Losses as LostMatches, Patience};
pub use recorded::Recorded;

use faults::name_the_bad_number;
use guests::Guest;
use late::Waiting;

/// Some matches and everything needed to play them.
pub struct Shard {
    /// The first of its matches, counted over the whole run.
    pub first_match: usize,
    /// What the learner keeps for each role.
    pub roles: Vec<Learnt>,
    /// Matches that ended since the last [`Shard::begin`].
    pub finished: Vec<Finished>,
    /// What rewards go to mates and come from opponents.
    pub sharing: Sharing,
    /// How long it waits for an engine, and how many matches it may lose.
    pub patience: Patience,
    /// One of so many matches is kept, if any are.
    pub keep_every: Option<u64>,
    /// Matches that ended and are kept, since the last [`Shard::begin`].
    pub kept: Vec<Recorded>,
    /// Matches that were lost since the last [`Shard::begin`].
    pub lost: LostMatches,
    pub(crate) matches: Vec<Match>,
    pub(crate) batch: Box<dyn Batch>,
    pub(crate) buffers: Buffers,
    /// `[matches, seats, heads]`
    pub(crate) actions: Vec<u32>,
    pub(crate) seating: Seating,
    pub(crate) guests: Arc<Guests>,
    /// Which past policies are met at present.
    pub(crate) hand: u64,
    /// Has a match been started or put back since this was last unset? Whoever plays it elsewhere must
    /// be told where it stands.
    pub(crate) moved: bool,
    pub(crate) guest_rows: GuestRows,
    /// Where guests choose, an inference for each and each of its roles.
    inferences: BTreeMap<(u64, usize), Guest>,
    /// `[seats]`: what the seats of one match earned in a step, before it is shared.
    own_rewards: Vec<f32>,
    /// The matches that are stepped together.
    stepped: Vec<usize>,
    /// Those that the last [`Shard::settle`] ended and started anew.
    pub(crate) ended: Vec<usize>,
    waiting: Waiting,
}

/// What the learner keeps for the seats of one role.
pub struct Learnt {
    /// What was recorded in this iteration.
    pub rollout: Rollout,
    /// `[rows, actor state]`
    pub(crate) actor_state: Vec<f32>,
    /// `[rows, critic state]`
    pub(crate) critic_state: Vec<f32>,
    inference: Inference,
    noise: Option<Noise>,
}

/// A match in progress.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    pub episode: u64,
    pub step: u32,
    /// What the match is a function of: with it, it can be rebuilt.
    pub played: Played,
    /// `[seats]`
    pub players: Vec<Player>,
    /// Who the learner plays against here.
    pub opponent: Player,
    /// How likely that was when it was drawn from the pool.
    pub probability: f64,
    /// The stage of the curriculum in which it began.
    pub stage: usize,
    /// `[seats]`: has the seat not acted in this episode yet?
    pub fresh: Vec<bool>,
    /// `[seats]`: has somebody been seen to sit there in this episode?
    pub present: Vec<bool>,
    /// `[seats, terms]`: sums over the episode.
    pub terms: Vec<f32>,
}

/// What a step is for.
pub enum Purpose<'a> {
    /// To learn: acts are recorded and rewarded.
    Learn {
        /// `[roles][terms]`
        weights: &'a [Vec<f32>],
        /// `[roles]`: longest stretch of a recorded sequence.
        sequence_length: &'a [usize],
    },
    /// To see how good the policy is.
    Evaluate {
        /// Take the most likely action?
        deterministic: bool,
        /// Are actions kept, so that a match can be replayed?
        record: bool,
    },
}

impl Shard {
    /// A shard over a batch; its matches begin with [`Shard::start_all`] or [`Shard::rebuild`].
    pub fn new(
        first_match: usize,
        batch: Box<dyn Batch>,
        policies: Policies,
        seating: Seating,
    ) -> Self {
        let (spec, matches) = (batch.spec(), batch.matches());
        let seats = spec.seats.len();
        let (buffers, rows) = (Buffers::new(spec, matches), matches * seats);
        let learnt = |role: usize| {
            let policy = policies.get(role).copied().flatten();
            let (actor, critic) = policy.map_or((0, 0), Policy::state_sizes);
            Learnt {
                rollout: Rollout::new(rows),
                actor_state: vec![0.0; rows * actor],
                critic_state: vec![0.0; rows * critic],
                inference: Inference::default(),
                noise: None,
            }
        };
        let fresh = Match {
            episode: 0,
            step: 0,
            played: Played {
                seed: 0,
                seats: vec![Control::Outside; seats],
                actions: Actions::new(spec),
            },
            players: vec![Player::Learner; seats],
            opponent: Player::Learner,
            probability: 1.0,
            stage: 0,
            fresh: vec![true; seats],
            present: vec![false; seats],
            terms: vec![0.0; seats * spec.terms.len()],
        };
        Self {
            first_match,
            roles: (0..spec.roles.len()).map(learnt).collect(),
            finished: Vec::new(),
            sharing: Sharing::default(),
            patience: Patience::default(),
            keep_every: None,
            kept: Vec::new(),
            lost: LostMatches::default(),
            own_rewards: Vec::with_capacity(seats),
            matches: vec![fresh; matches],
            actions: vec![0; rows * buffers.layout().heads],
            buffers,
            guest_rows: GuestRows::new(rows),
            guests: Arc::default(),
            hand: hand(seating.seed, first_match, 0),
            moved: true,
            inferences: BTreeMap::new(),
            stepped: Vec::with_capacity(matches),
            ended: Vec::new(),
            waiting: Waiting::new(matches),
            batch,
            seating,
        }
    }

    /// The same shard, seen through noise: `[roles]`.
    pub fn with_noise(mut self, noise: Vec<Option<Noise>>) -> Self {
        self.roles.iter_mut().zip(noise).for_each(|(role, noise)| role.noise = noise);
        self
    }

    /// Deals the seats of coming episodes by other rules.
    pub fn reseat(&mut self, seating: Seating) {
        self.seating = seating;
    }

    /// Who may be met from now on, in this iteration. Whoever sits in a running match must be among
    /// them.
    pub fn welcome(&mut self, guests: Arc<Guests>, iteration: u64) {
        self.guests = guests;
        self.hand = hand(self.seating.seed, self.first_match, iteration);
    }

    /// The game.
    pub fn spec(&self) -> &Spec {
        self.batch.spec()
    }

    pub(crate) fn layout(&self) -> &Layout {
        self.buffers.layout()
    }

    /// Remarks of the game that a user should read.
    pub fn notes(&self) -> Vec<String> {
        self.batch.notes()
    }

    /// Replaces `out` by what a viewer shows of the shard's match `m` now.
    pub fn frame(&self, m: usize, out: &mut String) {
        self.batch.frame(m, out);
    }

    /// Does its engine answer late?
    pub fn waits(&self) -> bool {
        self.batch.waits()
    }

    /// Can the matches be rebuilt from their recorded actions?
    pub fn replays(&self) -> bool {
        self.batch.replays()
    }

    /// Acts recorded in this iteration, over all roles.
    pub fn samples(&self) -> usize {
        self.roles.iter().map(|role| role.rollout.len()).sum()
    }

    /// Starts every match with its episode `episode`.
    pub fn start_all(&mut self, episode: u64) -> Result<(), MatchFault> {
        for m in 0..self.matches.len() {
            self.start(m, episode)?;
        }
        self.await_all()
    }

    /// Lets go of engines that others need. Every match has to be started anew after it.
    pub fn release(&mut self) {
        self.batch.release();
    }

    /// Starts every match anew, each with its next episode.
    pub fn cut_all(&mut self) -> Result<(), MatchFault> {
        for m in 0..self.matches.len() {
            self.start(m, self.matches[m].episode + 1)?;
        }
        self.await_all()
    }

    /// Starts match `m` with its episode `episode`.
    pub(crate) fn start(&mut self, m: usize, episode: u64) -> Result<(), MatchFault> {
        if episode > LAST_EPISODE {
            let message = format!("no match has an episode {episode}: its record is damaged");
            return Err(self.locate(Fault { match_index: m, message }));
        }
        let global = self.first_match + m;
        let spec = self.batch.spec();
        let state = &mut self.matches[m];
        state.episode = episode;
        state.played.seed = seed::episode(self.seating.seed, global, episode);
        state.stage = self.seating.stage;
        // Slots are counted through first, so that every match of an evaluation has its number.
        let number = global as u64 + episode * self.seating.slots as u64;
        let seating = &self.seating;
        let (guests, players) = (&self.guests, &mut state.players);
        state.opponent = seating.seat(state.played.seed, number, self.hand, spec, guests, players);
        state.probability = self.guests.probability(state.opponent);
        self.open(m)
    }

    /// Starts match `m` with whoever sits there.
    fn open(&mut self, m: usize) -> Result<(), MatchFault> {
        self.moved = true;
        let spec = self.batch.spec();
        let state = &mut self.matches[m];
        state.step = 0;
        state.played.actions.clear();
        state.fresh.fill(true);
        state.terms.fill(0.0);
        for (seat, player) in state.players.iter().enumerate() {
            let control = player.control(spec, seat);
            state.played.seats[seat] = control;
            // Nobody sees a player that the game drives act.
            let inside = |bot: usize| spec.role_of(seat).bots[bot].inside;
            state.present[seat] = matches!(control, Control::Bot(bot) if inside(bot));
        }
        let (seats, heads) = (spec.seats.len(), self.layout().heads);
        self.guest_rows.start(m * seats..(m + 1) * seats);
        // What a waiting seat did in the episode before must not show in the record of this one.
        self.actions[m * seats * heads..(m + 1) * seats * heads].fill(0);
        let Played { seed, seats, .. } = &self.matches[m].played;
        let started = self.batch.start(m, *seed, seats, &mut self.buffers);
        started.map_err(|f| self.locate(f))?;
        if self.batch.waits() {
            self.waiting.begin(m);
        } else {
            self.note_present(m);
        }
        Ok(())
    }

    /// Notes who has to act in match `m` now.
    fn note_present(&mut self, m: usize) {
        let present = &mut self.matches[m].present;
        let seats = present.len();
        let acting = &self.buffers.acting[m * seats..(m + 1) * seats];
        present.iter_mut().zip(acting).for_each(|(present, acting)| *present |= acting);
    }

    /// Forgets the last iteration. `progress` is the share of the run that is done.
    pub fn begin(&mut self, progress: f64) {
        self.finished.clear();
        self.kept.clear();
        self.lost.begin();
        for role in &mut self.roles {
            role.rollout.clear();
            if let Some(noise) = &mut role.noise {
                noise.set_progress(progress);
            }
        }
    }

    /// Plays one step of every match, and starts anew what ended.
    pub fn step(&mut self, policies: Policies, purpose: &Purpose) -> Result<(), MatchFault> {
        self.advance(policies, purpose)?;
        self.settle(policies, purpose)
    }

    /// Plays one step of every match. What ended shows its last view until [`Shard::settle`].
    pub(crate) fn advance(
        &mut self,
        policies: Policies,
        purpose: &Purpose,
    ) -> Result<(), MatchFault> {
        self.submit(policies, purpose)?;
        self.await_all()
    }

    /// Chooses for every match that stands at a step, and sends the choices off.
    pub(crate) fn submit(
        &mut self,
        policies: Policies,
        purpose: &Purpose,
    ) -> Result<(), MatchFault> {
        for role in 0..self.roles.len() {
            if let Some(policy) = policies.get(role).copied().flatten() {
                self.gather(role, policy)?;
                self.act(role, policy, purpose);
            }
        }
        if !self.guests.policies.is_empty() {
            self.ask_guests();
        }
        self.ask_bots()?;
        let mut stepped = std::mem::take(&mut self.stepped);
        stepped.clear();
        stepped.extend((0..self.matches.len()).filter(|&m| self.waiting.is_ready(m)));
        let record = match purpose {
            Purpose::Learn { .. } => self.batch.replays(),
            Purpose::Evaluate { record, .. } => *record,
        };
        let width = self.layout().seats() * self.layout().heads;
        for &m in stepped.iter().filter(|_| record) {
            let joint = &self.actions[m * width..(m + 1) * width];
            self.matches[m].played.actions.push(joint);
        }
        let sent = self.step_batch(&stepped);
        self.stepped = stepped;
        sent
    }

    /// The matches that the last step ended, before they are settled.
    pub(crate) fn ending(&self) -> Vec<usize> {
        let ended = |m: &usize| self.waiting.has_stepped(*m) && self.buffers.end[*m].is_some();
        (0..self.matches.len()).filter(ended).collect()
    }

    /// Ends the iteration: what is still open is worth the value of where it stands.
    pub fn close(&mut self, policies: Policies) -> Result<(), MatchFault> {
        // A run that resumes from here finds every match begun.
        self.await_all()?;
        for role in 0..self.roles.len() {
            let Some(policy) = policies.get(role).copied().flatten() else { continue };
            self.gather(role, policy)?;
            let Learnt { inference, rollout, .. } = &mut self.roles[role];
            if !inference.rows.is_empty() {
                inference.value(policy);
            }
            for (i, &row) in inference.rows.iter().enumerate() {
                rollout.end(row, Follow::Cut(inference.scratch.values[i]));
            }
        }
        let rows = self.matches.len() * self.layout().seats();
        for role in &mut self.roles {
            (0..rows).for_each(|row| role.rollout.end(row, Follow::Unknown));
        }
        Ok(())
    }

    /// Gathers the rows of acting learner seats of a role, prepared.
    fn gather(&mut self, role: usize, policy: &Policy) -> Result<(), MatchFault> {
        let mut rows = std::mem::take(&mut self.roles[role].inference.rows);
        rows.clear();
        let layout = self.buffers.layout();
        let seats = layout.seats();
        for (m, state) in self.matches.iter().enumerate() {
            for seat in 0..seats {
                let row = m * seats + seat;
                if self.buffers.acting[row]
                    && state.players[seat] == Player::Learner
                    && layout.role_of(seat) == role
                    && self.waiting.is_ready(m)
                {
                    rows.push(row);
                }
            }
        }
        let loaded = self.load_rows(role, policy, &rows);
        self.roles[role].inference.rows = rows;
        loaded
    }

    /// Copies what these seats see to the inference of their role.
    fn load_rows(
        &mut self,
        role: usize,
        policy: &Policy,
        rows: &[usize],
    ) -> Result<(), MatchFault> {
        let seats = self.layout().seats();
        let (actor, critic) = policy.state_sizes();
        let Self { buffers, matches, roles, .. } = self;
        let Learnt { inference, noise, actor_state, critic_state, .. } = &mut roles[role];
        if let Some(noise) = noise {
            let width = buffers.layout().features;
            let at = |m: usize| (matches[m].played.seed, matches[m].step);
            noise.look(&buffers.observation, width, rows, at, seats);
        }
        let observation = noise.as_ref().map_or(&buffers.observation[..], Noise::seen);
        let seen = Seen { observation, buffers, role: buffers.layout().role(role) };
        inference.clear();
        for &row in rows {
            let (sight, extra) = (seen.observation(row), seen.privileged(row));
            if !(all_finite(sight) && all_finite(extra)) {
                let spec = self.batch.spec();
                let message = name_the_bad_number(spec, row % seats, sight, extra);
                let match_index = row / seats;
                return Err(self.locate(Fault { match_index, message }));
            }
            let fresh = matches[row / seats].fresh[row % seats];
            inference.add(&seen, row, fresh, &actor_state[row * actor..(row + 1) * actor]);
            inference.add_critic(&seen, row, &critic_state[row * critic..(row + 1) * critic]);
        }
        inference.prepare(policy);
        Ok(())
    }

    /// Lets the policy choose for the gathered rows of a role.
    fn act(&mut self, role: usize, policy: &Policy, purpose: &Purpose) {
        let Self { buffers, matches, roles, actions, .. } = self;
        let Learnt { inference, noise, actor_state, critic_state, rollout } = &mut roles[role];
        if inference.rows.is_empty() {
            return;
        }
        let own = buffers.layout().role(role);
        let (seats, heads) = (buffers.layout().seats(), own.heads);
        let (actor, critic) = policy.state_sizes();
        let Inference { rows, inputs, scratch, .. } = inference;
        let uniform = |r: usize, head: usize| {
            action_draw(&matches[rows[r] / seats], rows[r] % seats, heads, head)
        };
        let choose = match purpose {
            Purpose::Evaluate { deterministic: true, .. } => Choose::Best,
            _ => Choose::Sample(&uniform),
        };
        policy.act(inputs, scratch, choose);
        let observation = noise.as_ref().map_or(&buffers.observation[..], Noise::seen);
        let seen = Seen { observation, buffers, role: own };
        let room = buffers.layout().heads;
        for (i, &row) in inference.rows.iter().enumerate() {
            let chosen = inference.chosen(i);
            actions[row * room..row * room + heads].copy_from_slice(chosen);
            let (a, c) = (row * actor..(row + 1) * actor, row * critic..(row + 1) * critic);
            if let Purpose::Learn { sequence_length, .. } = purpose {
                let act = Act {
                    row,
                    observation: seen.observation(row),
                    privileged: seen.privileged(row),
                    mask: &inference.inputs.mask[i * own.actions..(i + 1) * own.actions],
                    actions: chosen,
                    log_prob: inference.scratch.log_probs[i],
                    value: inference.scratch.values[i],
                    start: inference.inputs.reset[i],
                    actor_state: &actor_state[a.clone()],
                    critic_state: &critic_state[c.clone()],
                };
                rollout.push(act, sequence_length[role]);
            }
            actor_state[a].copy_from_slice(inference.memory(i));
            critic_state[c].copy_from_slice(inference.critic_memory(i));
            matches[row / seats].fresh[row % seats] = false;
        }
    }

    fn ask_bots(&mut self) -> Result<(), MatchFault> {
        let (seats, room) = (self.layout().seats(), self.layout().heads);
        for m in 0..self.matches.len() {
            for seat in 0..seats {
                let row = m * seats + seat;
                if let Control::Bot(bot) = self.matches[m].played.seats[seat]
                    && self.buffers.acting[row]
                    && self.waiting.is_ready(m)
                {
                    let heads = self.layout().seat(seat).heads;
                    let action = &mut self.actions[row * room..row * room + heads];
                    self.batch.scripted(m, bot, seat, action).map_err(|f| self.locate(f))?;
                }
            }
        }
        Ok(())
    }

    fn step_batch(&mut self, which: &[usize]) -> Result<(), MatchFault> {
        let sent = self.batch.submit(which, &self.actions, &mut self.buffers);
        sent.map_err(|f| self.locate(f))?;
        let waits = self.batch.waits();
        for &m in which {
            if waits {
                self.waiting.step(m);
            } else {
                self.matches[m].step += 1;
                self.waiting.stepped_at_once(m);
                self.note_present(m);
            }
        }
        Ok(())
    }
}

/// More episodes than any match plays: numbers made of them must not overflow.
const LAST_EPISODE: u64 = 1 << 40;

/// Sets the draws of actions apart from whatever a game draws from the same seed.
const ACTION_SALT: u64 = 0x6163_7469_6f6e_7321;

/// A number of its own for every choice: a function of episode, step, seat and head.
pub(crate) fn action_draw(state: &Match, seat: usize, heads: usize, head: usize) -> f32 {
    let step = seed::mix(state.played.seed ^ ACTION_SALT, u64::from(state.step));
    seed::uniform(seed::mix(step, (seat * heads + head) as u64))
}

//! A shard: some of the matches, stepped, inferred and recorded by one thread at a time.
//!
//! Which matches a shard holds is fixed by the configuration, never by the number of threads, so
//! the same rows always meet in the same products and the same bits come out.

mod faults;
mod rebuild;

use std::sync::Arc;

use lanista_game::{Batch, Buffers, End, Fault, seed};
use lanista_learn::rollout::append;
use lanista_learn::{Act, Choose, Follow, Inputs, Policy, Rollout, Scratch};

use crate::config::Player;
use crate::guest::{Desks, GuestRows};
use crate::noise::Noise;
use crate::seating::{Guests, Seating, hand};
use crate::sharing::Sharing;

pub use faults::MatchFault;
pub use faults::all_finite;
use faults::{name_the_bad_number, name_the_bad_term};

/// Some matches and everything needed to play them.
pub struct Shard {
    /// The first of its matches, counted over the whole run.
    pub first_match: usize,
    /// What was recorded in this iteration.
    pub rollout: Rollout,
    /// Matches that ended since the last [`Shard::begin`].
    pub finished: Vec<Finished>,
    /// What rewards go to mates and come from opponents.
    pub sharing: Sharing,
    pub(crate) matches: Vec<Match>,
    /// `[rows, actor state]` of the seats.
    pub(crate) actor_state: Vec<f32>,
    /// `[rows, critic state]`
    pub(crate) critic_state: Vec<f32>,
    pub(crate) batch: Box<dyn Batch>,
    pub(crate) buffers: Buffers,
    inputs: Inputs,
    scratch: Scratch,
    /// `[matches, seats, heads]`
    pub(crate) actions: Vec<u32>,
    /// The rows that go into the policy together.
    rows: Vec<usize>,
    pub(crate) seating: Seating,
    pub(crate) guests: Arc<Guests>,
    /// Which past policies are met at present.
    hand: u64,
    pub(crate) guest_rows: GuestRows,
    /// Where guests choose.
    desks: Desks,
    noise: Option<Noise>,
    /// `[seats]`: what the seats of one match earned in a step, before it is shared.
    own_rewards: Vec<f32>,
}

/// A match in progress.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    pub episode: u64,
    pub seed: u64,
    pub step: u32,
    /// `[seats]`
    pub players: Vec<Player>,
    /// Who the learner plays against here.
    pub opponent: Player,
    /// How likely that was when it was drawn from the pool.
    pub probability: f64,
    /// The stage of the curriculum in which it began.
    pub stage: usize,
    /// The joint actions since the episode began: with the seed, they rebuild the match.
    pub log: Vec<u32>,
    /// `[seats]`: has the seat not acted in this episode yet?
    pub fresh: Vec<bool>,
    /// `[seats]`: has the seat had to act in this episode? Nobody sits in one that never does.
    pub present: Vec<bool>,
    /// `[seats, terms]`: sums over the episode.
    pub terms: Vec<f32>,
}

/// A match that ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// The match, counted over the whole run.
    pub match_index: usize,
    /// Which of its episodes.
    pub episode: u64,
    /// How long it took.
    pub steps: u32,
    /// How it ended.
    pub end: End,
    /// Who the learner played against.
    pub opponent: Player,
    /// How likely that was when it was drawn from the pool; 1 for those who are not of it.
    pub probability: f64,
    /// The stage of the curriculum in which it began.
    pub stage: usize,
    /// The learner's team; `None` when it had all seats.
    pub team: Option<usize>,
    /// `[terms]`: sums over the episode, mean over the learner's seats.
    pub terms: Vec<f32>,
    /// `[teams]`
    pub score: Vec<f32>,
    /// `[stat names]`: as the learner's team reports them; in self-play its first team.
    pub stats: Vec<f32>,
}

/// What a step is for.
pub enum Purpose<'a> {
    /// To learn: acts are recorded and rewarded.
    Learn {
        /// `[terms]`
        weights: &'a [f32],
        /// Longest stretch of a recorded sequence.
        sequence_length: usize,
    },
    /// To see how good the policy is.
    Evaluate {
        /// Take the most likely action?
        deterministic: bool,
    },
}

impl Shard {
    /// A shard over a batch; its matches begin with [`Shard::start_all`] or [`Shard::rebuild`].
    pub fn new(
        first_match: usize,
        batch: Box<dyn Batch>,
        policy: &Policy,
        seating: Seating,
    ) -> Self {
        let (spec, matches) = (batch.spec(), batch.matches());
        let seats = spec.seats.len();
        let (actor, critic) = policy.state_sizes();
        let fresh = Match {
            episode: 0,
            seed: 0,
            step: 0,
            players: vec![Player::Learner; seats],
            opponent: Player::Learner,
            probability: 1.0,
            stage: 0,
            log: Vec::new(),
            fresh: vec![true; seats],
            present: vec![false; seats],
            terms: vec![0.0; seats * spec.terms.len()],
        };
        Self {
            first_match,
            rollout: Rollout::new(matches * seats),
            finished: Vec::new(),
            sharing: Sharing::default(),
            own_rewards: Vec::with_capacity(seats),
            matches: vec![fresh; matches],
            actor_state: vec![0.0; matches * seats * actor],
            critic_state: vec![0.0; matches * seats * critic],
            buffers: Buffers::new(spec, matches),
            inputs: Inputs::default(),
            scratch: Scratch::default(),
            actions: vec![0; matches * seats * spec.heads.len()],
            rows: Vec::new(),
            guest_rows: GuestRows::new(matches * seats),
            guests: Arc::default(),
            hand: hand(seating.seed, first_match, 0),
            desks: Desks::default(),
            batch,
            seating,
            noise: None,
        }
    }

    /// The same shard, seen through noise.
    pub fn with_noise(self, noise: Option<Noise>) -> Self {
        Self { noise, ..self }
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
    pub fn spec(&self) -> &lanista_game::Spec {
        self.batch.spec()
    }

    /// Remarks of the game that a user should read.
    pub fn notes(&self) -> Vec<String> {
        self.batch.notes()
    }

    /// Replaces `out` by what a viewer shows of the shard's match `m` now.
    pub fn frame(&self, m: usize, out: &mut String) {
        self.batch.frame(m, out);
    }

    /// Can the matches be rebuilt from their recorded actions?
    pub fn replays(&self) -> bool {
        self.batch.replays()
    }

    /// Starts every match with its episode `episode`.
    pub fn start_all(&mut self, episode: u64) -> Result<(), MatchFault> {
        for m in 0..self.matches.len() {
            self.start(m, episode)?;
        }
        Ok(())
    }

    /// Starts every match anew, each with its next episode.
    pub fn cut_all(&mut self) -> Result<(), MatchFault> {
        for m in 0..self.matches.len() {
            self.start(m, self.matches[m].episode + 1)?;
        }
        Ok(())
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
        state.seed = seed::episode(self.seating.seed, global, episode);
        state.step = 0;
        state.log.clear();
        state.fresh.fill(true);
        state.present.fill(false);
        state.terms.fill(0.0);
        state.stage = self.seating.stage;
        // Slots are counted through first, so that every match of an evaluation has its number.
        let number = global as u64 + episode * self.seating.slots as u64;
        let seating = &self.seating;
        let (guests, players) = (&self.guests, &mut state.players);
        state.opponent = seating.seat(state.seed, number, self.hand, spec, guests, players);
        state.probability = self.guests.probability(state.opponent);
        let seats = spec.seats.len();
        self.guest_rows.start(m * seats..(m + 1) * seats);
        // What a waiting seat did in the episode before must not show in the record of this one.
        let width = spec.seats.len() * spec.heads.len();
        self.actions[m * width..(m + 1) * width].fill(0);
        let game_seed = state.seed;
        self.batch.reset(m, game_seed, &mut self.buffers).map_err(|f| self.locate(f))?;
        self.note_present(m);
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
        self.rollout.clear();
        self.finished.clear();
        if let Some(noise) = &mut self.noise {
            noise.set_progress(progress);
        }
    }

    /// Plays one step of every match, and starts anew what ended.
    pub fn step(&mut self, policy: &Policy, purpose: &Purpose) -> Result<(), MatchFault> {
        self.advance(policy, purpose)?;
        self.settle(policy, purpose)
    }

    /// Plays one step of every match. What ended shows its last view until [`Shard::settle`].
    pub(crate) fn advance(&mut self, policy: &Policy, purpose: &Purpose) -> Result<(), MatchFault> {
        self.gather(policy)?;
        self.act(policy, purpose);
        if !self.guests.policies.is_empty() {
            let mut desks = std::mem::take(&mut self.desks);
            desks.ask(self);
            self.desks = desks;
        }
        self.ask_bots()?;
        let heads = self.batch.spec().heads.len();
        let width = self.batch.spec().seats.len() * heads;
        if self.batch.replays() && matches!(purpose, Purpose::Learn { .. }) {
            for (m, state) in self.matches.iter_mut().enumerate() {
                state.log.extend_from_slice(&self.actions[m * width..(m + 1) * width]);
            }
        }
        self.step_batch(0..self.matches.len())
    }

    /// Ends the iteration: what is still open is worth the value of where it stands.
    pub fn close(&mut self, policy: &Policy) -> Result<(), MatchFault> {
        self.gather(policy)?;
        let rows = std::mem::take(&mut self.rows);
        if !rows.is_empty() {
            policy.value(&self.inputs, &mut self.scratch);
        }
        for (i, &row) in rows.iter().enumerate() {
            self.rollout.end(row, Follow::Cut(self.scratch.values[i]));
        }
        self.rows = rows;
        let seats = self.batch.spec().seats.len();
        for row in 0..self.matches.len() * seats {
            self.rollout.end(row, Follow::Unknown);
        }
        Ok(())
    }

    /// Gathers the rows of acting learner seats into `inputs`, prepared.
    fn gather(&mut self, policy: &Policy) -> Result<(), MatchFault> {
        let seats = self.batch.spec().seats.len();
        self.rows.clear();
        for (m, state) in self.matches.iter().enumerate() {
            for seat in 0..seats {
                let row = m * seats + seat;
                if self.buffers.acting[row] && state.players[seat] == Player::Learner {
                    self.rows.push(row);
                }
            }
        }
        self.load_rows(policy)
    }

    /// Copies what the seats in `rows` see into `inputs`.
    fn load_rows(&mut self, policy: &Policy) -> Result<(), MatchFault> {
        let spec = self.batch.spec();
        let (features, privileged) = (spec.features(), spec.privileged.len());
        let (seats, actions) = (spec.seats.len(), spec.actions());
        let (actor, critic) = policy.state_sizes();
        if let Some(noise) = &mut self.noise {
            noise.look(&self.buffers.observation, &self.rows, &self.matches, seats);
        }
        let observation = observation(&self.noise, &self.buffers);
        let inputs = &mut self.inputs;
        inputs.clear();
        inputs.rows = self.rows.len();
        inputs.packing.set_single(self.rows.len());
        for &row in &self.rows {
            let seen = &observation[row * features..(row + 1) * features];
            let extra = &self.buffers.privileged[row * privileged..(row + 1) * privileged];
            if !(all_finite(seen) && all_finite(extra)) {
                let message = name_the_bad_number(spec, row % seats, seen, extra);
                let match_index = row / seats;
                return Err(self.locate(Fault { match_index, message }));
            }
            append(&mut inputs.observation, seen);
            append(&mut inputs.privileged, extra);
            append(&mut inputs.mask, &self.buffers.mask[row * actions..(row + 1) * actions]);
            inputs.reset.push(self.matches[row / seats].fresh[row % seats]);
            append(&mut inputs.actor_state, &self.actor_state[row * actor..(row + 1) * actor]);
            append(&mut inputs.critic_state, &self.critic_state[row * critic..(row + 1) * critic]);
        }
        policy.prepare(inputs);
        Ok(())
    }

    /// Lets the policy choose for the gathered rows.
    fn act(&mut self, policy: &Policy, purpose: &Purpose) {
        if self.rows.is_empty() {
            return;
        }
        let spec = self.batch.spec();
        let (seats, heads) = (spec.seats.len(), spec.heads.len());
        let (features, privileged) = (spec.features(), spec.privileged.len());
        let actions = spec.actions();
        let (actor, critic) = policy.state_sizes();
        let Self { inputs, scratch, rows, matches, .. } = self;
        let uniform = |r: usize, head: usize| {
            action_draw(&matches[rows[r] / seats], rows[r] % seats, heads, head)
        };
        let choose = match purpose {
            Purpose::Evaluate { deterministic: true } => Choose::Best,
            _ => Choose::Sample(&uniform),
        };
        policy.act(inputs, scratch, choose);
        let observation = observation(&self.noise, &self.buffers);
        for (i, &row) in self.rows.iter().enumerate() {
            let chosen = &self.inputs.actions[i * heads..(i + 1) * heads];
            self.actions[row * heads..(row + 1) * heads].copy_from_slice(chosen);
            let (a, c) = (row * actor..(row + 1) * actor, row * critic..(row + 1) * critic);
            if let Purpose::Learn { sequence_length, .. } = purpose {
                let act = Act {
                    row,
                    observation: &observation[row * features..(row + 1) * features],
                    privileged: &self.buffers.privileged[row * privileged..(row + 1) * privileged],
                    mask: &self.inputs.mask[i * actions..(i + 1) * actions],
                    actions: chosen,
                    log_prob: self.scratch.log_probs[i],
                    value: self.scratch.values[i],
                    start: self.inputs.reset[i],
                    actor_state: &self.actor_state[a.clone()],
                    critic_state: &self.critic_state[c.clone()],
                };
                self.rollout.push(act, *sequence_length);
            }
            self.actor_state[a]
                .copy_from_slice(&self.inputs.actor_state[i * actor..(i + 1) * actor]);
            self.critic_state[c]
                .copy_from_slice(&self.inputs.critic_state[i * critic..(i + 1) * critic]);
            self.matches[row / seats].fresh[row % seats] = false;
        }
    }

    fn ask_bots(&mut self) -> Result<(), MatchFault> {
        let (seats, heads) = (self.batch.spec().seats.len(), self.batch.spec().heads.len());
        for m in 0..self.matches.len() {
            for seat in 0..seats {
                let row = m * seats + seat;
                if let Player::Bot(bot) = self.matches[m].players[seat]
                    && self.buffers.acting[row]
                {
                    let action = &mut self.actions[row * heads..(row + 1) * heads];
                    self.batch.scripted(m, bot, seat, action).map_err(|f| self.locate(f))?;
                }
            }
        }
        Ok(())
    }

    fn step_batch(&mut self, which: std::ops::Range<usize>) -> Result<(), MatchFault> {
        let stepped = self.batch.step(which.clone(), &self.actions, &mut self.buffers);
        stepped.map_err(|f| self.locate(f))?;
        for m in which {
            self.matches[m].step += 1;
            self.note_present(m);
        }
        Ok(())
    }

    /// Hands out rewards, ends what ended, and starts it anew.
    pub(crate) fn settle(&mut self, policy: &Policy, purpose: &Purpose) -> Result<(), MatchFault> {
        let seats = self.batch.spec().seats.len();
        let terms = self.batch.spec().terms.len();
        self.rows.clear();
        for m in 0..self.matches.len() {
            self.add_terms(m);
            self.own_rewards.clear();
            for row in m * seats..(m + 1) * seats {
                let earned = &self.buffers.terms[row * terms..(row + 1) * terms];
                let reward: f32 = match purpose {
                    Purpose::Learn { weights, .. } => {
                        earned.iter().zip(*weights).map(|(t, w)| t * w).sum()
                    }
                    Purpose::Evaluate { .. } => earned.iter().sum(),
                };
                if !reward.is_finite() {
                    let message = name_the_bad_term(self.batch.spec(), row - m * seats, earned);
                    return Err(self.locate(Fault { match_index: m, message }));
                }
                self.own_rewards.push(reward);
            }
            for seat in 0..seats {
                let reward = if self.sharing.is_off() {
                    self.own_rewards[seat]
                } else {
                    let (places, present) = (&self.batch.spec().seats, &self.matches[m].present);
                    self.sharing.reward(seat, &self.own_rewards, places, present)
                };
                self.rollout.reward(m * seats + seat, reward);
            }
            match self.buffers.end[m] {
                Some(End::Terminated) => {
                    for row in m * seats..(m + 1) * seats {
                        self.rollout.end(row, Follow::Terminated);
                    }
                }
                Some(End::Truncated) => {
                    let open = (m * seats..(m + 1) * seats).filter(|&r| self.rollout.is_open(r));
                    self.rows.extend(open);
                }
                None => {}
            }
        }
        if !self.rows.is_empty() {
            self.load_rows(policy)?;
            policy.value(&self.inputs, &mut self.scratch);
            for (i, &row) in self.rows.iter().enumerate() {
                self.rollout.end(row, Follow::Cut(self.scratch.values[i]));
            }
        }
        for m in 0..self.matches.len() {
            if let Some(end) = self.buffers.end[m] {
                self.finish(m, end);
                self.start(m, self.matches[m].episode + 1)?;
            }
        }
        Ok(())
    }

    fn add_terms(&mut self, m: usize) {
        let sums = &mut self.matches[m].terms;
        let n = sums.len();
        sums.iter_mut().zip(&self.buffers.terms[m * n..(m + 1) * n]).for_each(|(s, t)| *s += t);
    }

    fn finish(&mut self, m: usize, end: End) {
        let spec = self.batch.spec();
        let (terms, teams, stats) = (spec.terms.len(), spec.teams(), spec.stat_values());
        let state = &self.matches[m];
        let mut mean = vec![0.0; terms];
        let mut learners = 0.0;
        let mut team = None;
        for (seat, player) in state.players.iter().enumerate() {
            if *player == Player::Learner {
                let sums = &state.terms[seat * terms..(seat + 1) * terms];
                // In self-play the first team stands for the learner: both are it.
                if team.is_none() || team == Some(spec.seats[seat].team) {
                    team = Some(spec.seats[seat].team);
                    mean.iter_mut().zip(sums).for_each(|(s, t)| *s += t);
                    learners += 1.0;
                }
            }
        }
        mean.iter_mut().for_each(|t| *t /= f32::max(learners, 1.0));
        self.finished.push(Finished {
            match_index: self.first_match + m,
            episode: state.episode,
            steps: state.step,
            end,
            opponent: state.opponent,
            probability: state.probability,
            stage: state.stage,
            team: if state.opponent == Player::Learner { None } else { team },
            terms: mean,
            score: self.buffers.score[m * teams..(m + 1) * teams].to_vec(),
            stats: spec
                .stats_of(team.unwrap_or(0), &self.buffers.stats[m * stats..(m + 1) * stats]),
        });
    }
}

/// `[rows, features]`: what policies see of the rows that were gathered last.
fn observation<'a>(noise: &'a Option<Noise>, buffers: &'a Buffers) -> &'a [f32] {
    noise.as_ref().map_or(&buffers.observation, Noise::seen)
}

/// More episodes than any match plays: numbers made of them must not overflow.
const LAST_EPISODE: u64 = 1 << 40;

/// Sets the draws of actions apart from whatever a game draws from the same seed.
const ACTION_SALT: u64 = 0x6163_7469_6f6e_7321;

/// A number of its own for every choice: a function of episode, step, seat and head.
pub(crate) fn action_draw(state: &Match, seat: usize, heads: usize, head: usize) -> f32 {
    let step = seed::mix(state.seed ^ ACTION_SALT, u64::from(state.step));
    seed::uniform(seed::mix(step, (seat * heads + head) as u64))
}

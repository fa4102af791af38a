//! One match on a server: its agents, what they were told, and what is shown of it.

use std::time::Instant;

use lanista_game::{Buffers, Control, End};

use super::agent::Agent;
use super::terms::{self, Sums};
use crate::contract::{ACTIONS, FIELDS, HIDDEN, PARTIAL};
use crate::delay::Delay;
use crate::game::{BASELINE, IDLE};
use crate::settings::Settings;
use crate::terms::Ended;
use crate::wire::Reply;

/// What an answer is awaited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The beginning of a fight.
    Start,
    /// A tick.
    Step,
    /// The word on how a fight ended, which comes a tick late.
    End,
    /// A tick that nobody asked for, so that others can go on.
    Idle,
}

/// A question that is open.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    pub number: u64,
    pub awaited: Awaited,
    pub since: Instant,
    /// Does the driver of the batch wait for an answer? Not while it was told that nobody acts yet.
    pub asked: bool,
}

/// An answer that need not be waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Due {
    /// It is cut off where it stands.
    Cut,
    /// It is lost.
    Lost(String),
}

/// One match.
#[derive(Default)]
pub struct Table {
    /// The agents, by seat; none where the server plays.
    pub agents: [Option<Agent>; 2],
    pub seats: [Option<Control>; 2],
    /// Actions of each seat that are on their way.
    pub delays: [Delay; 2],
    pub open: Option<Open>,
    /// Answers to the open question, by seat.
    pub answers: [Option<Box<Reply>>; 2],
    /// What each was told last.
    pub told: [Option<Box<Reply>>; 2],
    /// What each was told of the tick that looks like the last.
    pub fatal: [Option<Box<Reply>>; 2],
    /// What is answered when something is next asked, without asking the server.
    pub due: Option<Due>,
    /// Has something been asked since?
    pub asked_due: bool,
    /// Has the driver been told that nobody acts yet?
    pub passed_over: bool,
    /// Has the fight begun, and the driver not stepped in it yet?
    pub fresh: bool,
    pub sums: Sums,
    pub seed: u64,
    pub ticks: u32,
}

impl Table {
    /// Does the server play this seat?
    pub fn is_scripted(&self, seat: usize) -> bool {
        self.seats[seat] == Some(Control::Bot(BASELINE))
    }

    /// Does somebody choose its actions?
    pub fn chooses(&self, seat: usize) -> bool {
        match self.seats[seat] {
            Some(Control::Bot(bot)) => bot != BASELINE && bot != IDLE,
            Some(Control::Outside) => true,
            Some(Control::Nobody) | None => false,
        }
    }

    /// Have all agents answered?
    pub fn is_answered(&self) -> bool {
        (0..2).all(|seat| self.agents[seat].is_none() || self.answers[seat].is_some())
    }

    /// Has an agent been logged out so that others can go on?
    pub fn is_evicted(&self) -> bool {
        self.agents.iter().flatten().any(|agent| agent.shared().is_evicted())
    }

    /// Does what was answered look like the end? Then one more step tells.
    pub fn looks_over(&self, settings: &Settings) -> bool {
        self.answers.iter().flatten().any(|reply| {
            let m = &reply.meta;
            let fell = m.current_health_percent <= 0.0 || m.current_target_health_percent <= 0.0;
            let starves = m.food_count == 0 || m.target_food_count == 0;
            fell || (!settings.death_match && starves)
        })
    }

    /// How the fight ended for each seat, in the words of the replies.
    pub fn ended(&self, last: &[Option<Box<Reply>>; 2], settings: &Settings) -> [Option<Ended>; 2] {
        let by_word = |reply: &Reply| match reply.terminal.as_deref() {
            Some("WON") => Some(Ended::Won),
            Some("LOST") => Some(Ended::Lost),
            Some("TIED") => Some(Ended::Tied),
            _ => None,
        };
        let ended = [0, 1].map(|seat| last[seat].as_deref().and_then(by_word));
        // Nobody says it of a side that the server plays.
        let seen = [0, 1].map(|seat| self.fatal[seat].as_deref().or(last[seat].as_deref()));
        let by_life = by_life(seen, settings);
        [0, 1].map(|seat| match (&self.agents[seat], ended[1 - seat]) {
            (Some(_), _) => ended[seat],
            (None, Some(_)) => by_life[seat],
            (None, None) => None,
        })
    }

    /// How the fight ended for each seat, by who has fallen in the tick that was answered.
    pub fn fallen(&self, settings: &Settings) -> [Option<Ended>; 2] {
        by_life([0, 1].map(|seat| self.answers[seat].as_deref()), settings)
    }

    /// Writes terms of the tick that was answered, and takes the answers over as what was told last.
    pub fn settle(&mut self, m: usize, ended: [Option<Ended>; 2], buffers: &mut Buffers) {
        self.ticks += 1;
        let mut outcome = buffers.outcome(m);
        let teller = usize::from(self.agents[0].is_none());
        for seat in 0..2 {
            let Some(reply) = &self.answers[seat] else {
                // Nobody weighs the terms of a side that the server plays; the result is everybody's.
                for (place, end) in [Ended::Won, Ended::Lost, Ended::Tied].into_iter().enumerate() {
                    outcome.seat(seat)[place] = f32::from(u8::from(ended[seat] == Some(end)));
                }
                continue;
            };
            if seat == teller {
                self.sums.update(seat, reply);
            }
            let before = self.told[seat].as_ref().map_or(&reply.meta, |told| &told.meta);
            let (meta, seen) = (&reply.meta, &reply.observation);
            terms::write(before, meta, seen, ended[seat], outcome.seat(seat));
        }
        self.take_over();
    }

    /// The match is over.
    pub fn finish(&self, m: usize, end: End, ended: [Option<Ended>; 2], buffers: &mut Buffers) {
        buffers.end[m] = Some(end);
        let stats = buffers.stats.len() / buffers.end.len().max(1);
        self.sums.write(&mut buffers.stats[m * stats..(m + 1) * stats]);
        for (seat, ended) in ended.into_iter().enumerate() {
            buffers.score[m * 2 + seat] = f32::from(u8::from(ended == Some(Ended::Won)));
        }
    }

    /// What was answered is what was told last.
    pub fn take_over(&mut self) {
        for seat in 0..2 {
            if let Some(answer) = self.answers[seat].take() {
                self.told[seat] = Some(answer);
            }
        }
    }

    /// Shows what both sides were told last.
    pub fn show(&self, m: usize, buffers: &mut Buffers) {
        let mut view = buffers.view(m);
        for seat in 0..2 {
            let (own, foe) = (self.told[seat].as_deref(), self.told[1 - seat].as_deref());
            // What an agent sees is told to its opponent as well, and the other way round.
            let seen = own
                .map(|reply| &reply.observation)
                .or(foe.and_then(|reply| reply.target_observation.as_ref()));
            let mask =
                own.map(|reply| &reply.mask).or(foe.and_then(|reply| reply.target_mask.as_ref()));
            let hidden = own
                .and_then(|reply| reply.target_observation.as_ref())
                .or(foe.map(|reply| &reply.observation));
            let place = view.seat(seat);
            if let Some(seen) = seen {
                for (place, &value) in place.observation[..FIELDS.len()].iter_mut().zip(seen) {
                    *place = value as f32;
                }
            }
            if let Some(mask) = mask {
                place.mask[..ACTIONS].copy_from_slice(mask);
            }
            if let Some(hidden) = hidden {
                for (place, &field) in place.privileged[..PARTIAL].iter_mut().zip(&HIDDEN) {
                    *place = hidden[field] as f32;
                }
            }
            *place.acting = self.chooses(seat);
        }
    }

    /// Shows that nobody acts yet.
    pub fn show_waiting(m: usize, buffers: &mut Buffers) {
        let mut view = buffers.view(m);
        for seat in 0..2 {
            let mut place = view.seat(seat);
            place.observation.fill(0.0);
            place.privileged.fill(0.0);
            place.wait();
        }
    }
}

/// How a fight ended, by the lives that its last tick tells of: whoever sees the other fall has won, also while
/// falling.
fn by_life(last: [Option<&Reply>; 2], settings: &Settings) -> [Option<Ended>; 2] {
    [0, 1].map(|seat| {
        let own = |reply: &Reply| {
            [reply.meta.current_health_percent, reply.meta.current_target_health_percent]
        };
        let [mine, theirs] = last[seat].map(own).or(last[1 - seat].map(|reply| {
            let [theirs, mine] = own(reply);
            [mine, theirs]
        }))?;
        if theirs <= 0.0 {
            Some(Ended::Won)
        } else if mine <= 0.0 {
            Some(Ended::Lost)
        } else {
            (!settings.death_match).then_some(Ended::Tied)
        }
    })
}

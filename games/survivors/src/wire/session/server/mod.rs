//! The game's end of v2.
//!
//! Several clients may be connected; every bot obeys one of them. The machine decides which actions and resets
//! are to be carried out and tells its owner by [`Happening`]s; the owner runs the game and hands back states
//! and events.

mod handshake;
mod peer;

use super::{CONTROL_RETRY_SECS, Dropped, REPORT_SECS, SERVER_SILENCE_SECS};
use crate::wire::state::BotState;
use crate::wire::v2::action::{Action, Actions};
use crate::wire::v2::control::{Bye, Event, Heartbeat, NONE, Reset, ResetDone, ResetStatus, bye};
use crate::wire::v2::hello::capability;
use crate::wire::v2::keys::{NonceSource, SharedKey};
use crate::wire::v2::state::{Extended, Record, States};
use crate::wire::v2::{Header, Kind, MAJOR, Message};
use handshake::Pending;
use peer::{Applied, Session};
use std::collections::VecDeque;
use std::net::SocketAddr;

/// Most events kept for a session.
const MAX_KEPT_EVENTS: usize = 256;

/// How a server presents itself.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// What both sides know.
    pub key: SharedKey,
    /// Bits of [`capability`].
    pub capabilities: u32,
    /// For the client's log.
    pub name: String,
    /// The bots there are: bit i is bot i.
    pub bots: u32,
    /// The game's clock.
    pub ticks_per_sec: u16,
    /// Between two states.
    pub ticks_per_state: u16,
    /// How long an action holds.
    pub hold_ticks: u16,
    /// Most clients at once.
    pub max_sessions: usize,
}

/// Something the owner of the server is to act on.
#[derive(Clone, Debug, PartialEq)]
pub enum Happening {
    /// A client came. A state should be sent.
    Opened {
        /// Its session.
        session: u32,
        /// Its name for the log.
        client_name: String,
        /// The bots it was given.
        bots: u32,
        /// What was agreed.
        capabilities: u32,
        /// How often it wants states, 0 when it does not mind.
        states_per_sec: u16,
    },
    /// An action is to be carried out, now and once.
    Apply {
        /// Whose client said so.
        session: u32,
        /// By whom.
        bot_id: u8,
        /// Its number.
        action_number: u32,
        /// What.
        action: Action,
    },
    /// The episode is to start anew; [`Server::reset_done`] says how it went.
    ResetWanted {
        /// Whose client said so.
        session: u32,
        /// What it asked for.
        reset: Reset,
    },
    /// A client went; its bots are the game's again.
    Closed {
        /// Its session.
        session: u32,
        /// The bots it had.
        bots: u32,
        /// A number of [`bye`].
        reason: u8,
    },
}

/// What a server sends and what happens in it.
pub type Outbox = super::Outbox<SocketAddr, Happening>;

/// The game's end of v2.
#[derive(Debug)]
pub struct Server {
    config: ServerConfig,
    nonces: NonceSource,
    pending: VecDeque<Pending>,
    sessions: Vec<Session>,
    tick: u32,
    episode: u32,
    map: String,
    dropped: Dropped,
    reported: Dropped,
    reported_secs: f64,
}

impl Server {
    /// The seed must be random and never used before: sessions are as distinct as their nonces.
    pub fn new(config: ServerConfig, map: &str, seed: [u8; 32]) -> Self {
        Self {
            config,
            nonces: NonceSource::new(seed),
            pending: VecDeque::new(),
            sessions: Vec::new(),
            tick: 0,
            episode: 1,
            map: map.to_owned(),
            dropped: Dropped::default(),
            reported: Dropped::default(),
            reported_secs: f64::NEG_INFINITY,
        }
    }

    /// The game's clock, before anything is received or sent in that tick.
    pub fn set_tick(&mut self, tick: u32) {
        self.tick = tick;
    }

    /// The episode that runs.
    pub fn episode(&self) -> u32 {
        self.episode
    }

    /// What was dropped so far.
    pub fn dropped(&self) -> Dropped {
        self.dropped
    }

    /// How many clients there are.
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }

    /// Does a client at this address have a session?
    pub fn has_session(&self, from: SocketAddr) -> bool {
        self.sessions.iter().any(|session| session.from == from)
    }

    /// Is a challenge to this address still to be answered?
    pub fn has_handshake(&self, from: SocketAddr) -> bool {
        self.pending.iter().any(|pending| pending.from == from)
    }

    /// Is there neither a client nor anybody about to become one?
    pub fn is_idle(&self) -> bool {
        self.sessions.is_empty() && self.pending.is_empty()
    }

    /// Bots that obey some client.
    pub fn bots_taken(&self) -> u32 {
        self.sessions.iter().fold(0, |taken, session| taken | session.bots)
    }

    /// Number and tick of the newest action of a bot, as long as a client has it.
    pub fn applied(&self, bot_id: u8) -> Option<(u32, u32)> {
        let session = self.sessions.iter().find(|session| session.has(bot_id))?;
        session
            .applied
            .get(usize::from(bot_id))
            .map(|applied| (applied.action_number, applied.tick))
    }

    /// A line on what was dropped since the last one, at most one a minute.
    pub fn report(&mut self, now_secs: f64) -> Option<String> {
        if self.dropped == self.reported || now_secs - self.reported_secs < REPORT_SECS {
            return None;
        }
        self.reported = self.dropped;
        self.reported_secs = now_secs;
        Some(self.dropped.to_string())
    }

    /// Takes a datagram.
    pub fn receive(&mut self, now_secs: f64, from: SocketAddr, datagram: &[u8], out: &mut Outbox) {
        let Ok((header, payload)) = Header::read(datagram) else {
            self.dropped.malformed += 1;
            return;
        };
        if header.from_server {
            self.dropped.out_of_place += 1;
        } else if matches!(header.kind, Kind::Hello | Kind::Auth) {
            self.receive_handshake(now_secs, from, &header, payload, datagram, out);
        } else if header.major != MAJOR {
            self.dropped.version += 1;
        } else {
            self.receive_in_session(now_secs, from, &header, payload, datagram, out);
        }
    }

    fn receive_in_session(
        &mut self,
        now_secs: f64,
        from: SocketAddr,
        header: &Header,
        payload: &[u8],
        datagram: &[u8],
        out: &mut Outbox,
    ) {
        let Some(at) = self.sessions.iter().position(|s| s.link.session == header.session) else {
            self.dropped.unknown_session += 1;
            return;
        };
        let session = &mut self.sessions[at];
        if session.from != from {
            self.dropped.other_address += 1;
            return;
        }
        let Some(message) = session.link.open(header, payload, datagram, &mut self.dropped) else {
            return;
        };
        session.heard_secs = now_secs;
        match message {
            Message::Action(actions) => self.act(at, actions, out),
            Message::Heartbeat(heartbeat) => {
                session.events_seen(heartbeat.events_seen);
                session.client_millis = heartbeat.time_millis;
                let time_millis = (now_secs * 1000.0) as u64 as u32;
                let echo_millis = session.client_millis;
                let answer = Heartbeat { time_millis, echo_millis, events_seen: 0 };
                session.send(self.tick, &Message::Heartbeat(answer), out);
                if session.can(capability::LOCKSTEP) {
                    session.send_last_states(out);
                }
            }
            Message::Reset(reset) => self.reset(at, reset, out),
            Message::Bye(Bye { reason }) => {
                let session = self.sessions.remove(at);
                out.happened.push(Happening::Closed {
                    session: session.link.session,
                    bots: session.bots,
                    reason,
                });
            }
            _ => self.dropped.out_of_place += 1,
        }
    }

    fn act(&mut self, at: usize, actions: Actions, out: &mut Outbox) {
        let (tick, episode) = (self.tick, self.episode);
        let session = &mut self.sessions[at];
        session.events_seen(actions.events_seen);
        let mut any = false;
        for entry in actions.entries {
            let agreed = match entry.action {
                Action::Legacy(_) => session.can(capability::ACTION_LEGACY),
                Action::Rich(_) => session.can(capability::ACTION_RICH),
            };
            if !agreed || !session.has(entry.bot_id) || actions.episode != episode {
                continue;
            }
            let Some(applied) = session.applied.get_mut(usize::from(entry.bot_id)) else {
                continue;
            };
            if entry.action_number <= applied.action_number {
                continue;
            }
            *applied = Applied { action_number: entry.action_number, tick };
            any = true;
            out.happened.push(Happening::Apply {
                session: session.link.session,
                bot_id: entry.bot_id,
                action_number: entry.action_number,
                action: entry.action,
            });
        }
        if !any && session.can(capability::LOCKSTEP) {
            session.send_last_states(out);
        }
    }

    fn reset(&mut self, at: usize, reset: Reset, out: &mut Outbox) {
        let session = &mut self.sessions[at];
        if reset.request < session.last_request || reset.request == 0 {
            self.dropped.out_of_place += 1;
        } else if reset.request == session.last_request {
            if let Some(answer) = session.answer.clone() {
                session.send(self.tick, &Message::ResetDone(answer), out);
            }
        } else {
            session.last_request = reset.request;
            session.answer = None;
            let id = session.link.session;
            if !reset.map.is_empty() && !session.can(capability::RESET_MAP) {
                return self.reset_done(id, reset.request, ResetStatus::NotAllowed, 0, out);
            }
            out.happened.push(Happening::ResetWanted { session: id, reset });
        }
    }

    /// A new episode began, by a reset or by the game itself.
    pub fn new_episode(&mut self, map: &str) {
        self.episode = self.episode.wrapping_add(1);
        map.clone_into(&mut self.map);
        for session in &mut self.sessions {
            session.last_states.clear();
        }
    }

    /// Answers a [`Happening::ResetWanted`]; after [`Server::new_episode`], if it went well.
    pub fn reset_done(
        &mut self,
        session: u32,
        request: u32,
        status: ResetStatus,
        seed: u64,
        out: &mut Outbox,
    ) {
        let found = self.sessions.iter_mut().find(|s| s.link.session == session);
        // The client may have gone, or asked again, while the game was busy.
        let Some(session) = found.filter(|s| s.last_request == request) else { return };
        let done =
            ResetDone { request, status, episode: self.episode, seed, map: self.map.clone() };
        session.send(self.tick, &Message::ResetDone(done.clone()), out);
        session.answer = Some(done);
    }

    /// Sends every client what its bots see. Bots by rising bot_id; the extended part goes to those who agreed
    /// on it.
    pub fn send_states(&mut self, bots: &[(BotState, Extended)], out: &mut Outbox) {
        let (tick, episode) = (self.tick, self.episode);
        for session in &mut self.sessions {
            let extended = session.can(capability::STATE_EXTENDED);
            let records = bots.iter().filter(|(state, _)| session.has(state.bot_id));
            let records = records
                .map(|(state, more)| {
                    let applied = session.applied[usize::from(state.bot_id)];
                    Record {
                        applied_action: applied.action_number,
                        applied_tick: applied.tick,
                        state: state.clone(),
                        extended: extended.then(|| more.clone()),
                    }
                })
                .collect();
            let parts = States::divide(episode, records).into_iter();
            session.last_states = parts.map(|part| Message::State(part).encode()).collect();
            session.last_states_tick = tick;
            session.send_last_states(out);
        }
    }

    /// Tells the clients of something that happened to one of their bots, or to nobody in particular. The
    /// number is given here.
    pub fn tell(&mut self, now_secs: f64, event: Event, out: &mut Outbox) {
        let (tick, episode) = (self.tick, self.episode);
        for session in &mut self.sessions {
            let concerns = event.bot_id == NONE || session.has(event.bot_id);
            if !concerns || !session.can(capability::EVENTS) {
                continue;
            }
            session.event_count = session.event_count.wrapping_add(1);
            if session.events.len() >= MAX_KEPT_EVENTS {
                session.events.pop_front();
            }
            session.events.push_back(Event { event_number: session.event_count, ..event });
            session.send_events(now_secs, tick, episode, out);
        }
    }

    /// What time alone brings about: repetitions and ends.
    pub fn poll(&mut self, now_secs: f64, out: &mut Outbox) {
        self.pending.retain(|pending| now_secs - pending.since_secs < SERVER_SILENCE_SECS);
        for at in (0..self.sessions.len()).rev() {
            let session = &mut self.sessions[at];
            if now_secs - session.heard_secs >= SERVER_SILENCE_SECS {
                self.close_at(at, bye::SILENCE, out);
            } else if session.link.is_exhausted() {
                self.close_at(at, bye::EXHAUSTED, out);
            } else if now_secs - session.events_sent_secs >= CONTROL_RETRY_SECS {
                session.send_events(now_secs, self.tick, self.episode, out);
            }
        }
    }

    /// Ends every session: the server stops.
    pub fn stop(&mut self, out: &mut Outbox) {
        for at in (0..self.sessions.len()).rev() {
            self.close_at(at, bye::STOPPING, out);
        }
    }

    fn close_at(&mut self, at: usize, reason: u8, out: &mut Outbox) {
        let mut session = self.sessions.remove(at);
        session.send(self.tick, &Message::Bye(Bye { reason }), out);
        let (id, bots) = (session.link.session, session.bots);
        out.happened.push(Happening::Closed { session: id, bots, reason });
    }
}

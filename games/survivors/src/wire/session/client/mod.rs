//! The trainer's end of v2.
//!
//! The machine opens a session, keeps it open, opens another when the server falls silent, repeats what was not
//! acknowledged, and gives states, events and answers in the order they may be used.

mod open;

use super::link::Link;
use super::{CLIENT_SILENCE_SECS, Dropped, HANDSHAKE_RETRY_SECS};
use crate::wire::v2::action::{Action, Entry};
use crate::wire::v2::control::{Bye, Event, Reset, ResetDone, bye};
use crate::wire::v2::hello::{Hello, Nonces, Refused, Welcome};
use crate::wire::v2::keys::{Nonce, NonceSource, SessionKeys, SharedKey};
use crate::wire::v2::state::States;
use crate::wire::v2::{Header, Kind, MAJOR, Message, is_sealed, seal};
use open::Open;
use std::collections::BTreeMap;

/// How a client presents itself.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// What both sides know.
    pub key: SharedKey,
    /// Random, the same as long as the client runs.
    pub client_id: u64,
    /// Bits of [`capability`](crate::wire::v2::hello::capability).
    pub capabilities: u32,
    /// Bit i is bot i.
    pub bots_wanted: u32,
    /// 0 leaves it to the server.
    pub states_per_sec: u16,
    /// For the server's log.
    pub name: String,
}

/// Something the owner of the client wants to know.
#[derive(Clone, Debug, PartialEq)]
pub enum Happening {
    /// The session stands.
    Opened(Welcome),
    /// The server will not have us; the client goes on asking.
    Refused(Refused),
    /// Newer than all states before it, or another part of the newest.
    State {
        /// Of which tick.
        tick: u32,
        /// What the bots see.
        states: States,
    },
    /// Once for each, in order.
    Event(Event),
    /// So many events before the next were given up by the server.
    EventsLost(u32),
    /// The answer to the reset that was asked for.
    ResetDone(ResetDone),
    /// The session is over: a number of [`bye`]. Unless it was ended here, the client opens another.
    Closed(u8),
}

/// What a client sends and what happens in it.
pub type Outbox = super::Outbox<(), Happening>;

#[derive(Debug)]
enum Phase {
    Hello { nonce: Nonce, since_secs: f64, sent_secs: f64 },
    Auth { nonces: Nonces, keys: Box<SessionKeys>, since_secs: f64, sent_secs: f64 },
    Open(Box<Open>),
    Over,
}

/// The trainer's end of v2.
#[derive(Debug)]
pub struct Client {
    config: ClientConfig,
    nonces: NonceSource,
    phase: Phase,
    dropped: Dropped,
}

impl Client {
    /// The seed must be random and never used before. Nothing is sent until the first [`Client::poll`].
    pub fn new(config: ClientConfig, now_secs: f64, seed: [u8; 32]) -> Self {
        let mut client = Self {
            config,
            nonces: NonceSource::new(seed),
            phase: Phase::Over,
            dropped: Dropped::default(),
        };
        client.begin(now_secs);
        client
    }

    fn begin(&mut self, now_secs: f64) {
        let nonce = self.nonces.draw();
        self.phase = Phase::Hello { nonce, since_secs: now_secs, sent_secs: f64::NEG_INFINITY };
    }

    /// What was agreed, while a session stands.
    pub fn welcome(&self) -> Option<&Welcome> {
        match &self.phase {
            Phase::Open(open) => Some(&open.welcome),
            _ => None,
        }
    }

    /// The episode of the session, as far as is known here.
    pub fn episode(&self) -> Option<u32> {
        match &self.phase {
            Phase::Open(open) => Some(open.episode),
            _ => None,
        }
    }

    /// Whether every action was acknowledged, and every reset answered.
    pub fn is_settled(&self) -> bool {
        match &self.phase {
            Phase::Open(open) => open.unacknowledged.is_empty() && open.reset.is_none(),
            _ => false,
        }
    }

    /// What was dropped so far.
    pub fn dropped(&self) -> Dropped {
        self.dropped
    }

    /// What time alone brings about: the handshake, repetitions, heartbeats, a fresh start after silence.
    pub fn poll(&mut self, now_secs: f64, out: &mut Outbox) {
        let since_secs = match &self.phase {
            Phase::Hello { since_secs, .. } | Phase::Auth { since_secs, .. } => *since_secs,
            Phase::Open(open) => open.heard_secs,
            Phase::Over => return,
        };
        let lost = matches!(&self.phase, Phase::Open(open) if open.link.is_exhausted());
        if lost || now_secs - since_secs >= CLIENT_SILENCE_SECS {
            if let Phase::Open(open) = &mut self.phase {
                let reason = if lost { bye::EXHAUSTED } else { bye::SILENCE };
                open.send(now_secs, &Message::Bye(Bye { reason }), out);
                out.happened.push(Happening::Closed(reason));
            }
            self.begin(now_secs);
        }
        let handshake = self.config.key.handshake();
        let message = match &mut self.phase {
            Phase::Open(open) => return open.poll(now_secs, out),
            Phase::Over => return,
            Phase::Hello { sent_secs, .. } | Phase::Auth { sent_secs, .. }
                if now_secs - *sent_secs < HANDSHAKE_RETRY_SECS =>
            {
                return;
            }
            Phase::Hello { nonce, sent_secs, .. } => {
                *sent_secs = now_secs;
                Message::Hello(Hello {
                    client_nonce: *nonce,
                    client_id: self.config.client_id,
                    capabilities: self.config.capabilities,
                    bots_wanted: self.config.bots_wanted,
                    states_per_sec: self.config.states_per_sec,
                    client_name: self.config.name.clone(),
                })
            }
            Phase::Auth { nonces, sent_secs, .. } => {
                *sent_secs = now_secs;
                Message::Auth(*nonces)
            }
        };
        let header = Header::of_handshake(message.kind(), false);
        let sealed = seal(&header, &message.encode(), handshake);
        out.datagrams.extend(sealed.ok().map(|datagram| ((), datagram)));
    }

    /// Takes a datagram.
    pub fn receive(&mut self, now_secs: f64, datagram: &[u8], out: &mut Outbox) {
        let Ok((header, payload)) = Header::read(datagram) else {
            self.dropped.malformed += 1;
            return;
        };
        if !header.from_server {
            self.dropped.out_of_place += 1;
        } else if matches!(header.kind, Kind::Challenge | Kind::Refused) {
            self.receive_handshake(now_secs, &header, payload, datagram, out);
        } else if header.major != MAJOR {
            self.dropped.version += 1;
        } else {
            self.receive_in_session(now_secs, &header, payload, datagram, out);
        }
    }

    fn receive_handshake(
        &mut self,
        now_secs: f64,
        header: &Header,
        payload: &[u8],
        datagram: &[u8],
        out: &mut Outbox,
    ) {
        if !is_sealed(datagram, self.config.key.handshake()) {
            self.dropped.wrong_key += 1;
            return;
        }
        match (&self.phase, Message::decode(header.kind, payload)) {
            (Phase::Hello { nonce, .. }, Ok(Message::Challenge(nonces)))
                if *nonce == nonces.client_nonce =>
            {
                let keys = self.config.key.session(&nonces.client_nonce, &nonces.server_nonce);
                let (since_secs, sent_secs) = (now_secs, f64::NEG_INFINITY);
                self.phase = Phase::Auth { nonces, keys: Box::new(keys), since_secs, sent_secs };
                self.poll(now_secs, out);
            }
            (Phase::Hello { nonce, .. }, Ok(Message::Refused(refused)))
                if *nonce == refused.client_nonce =>
            {
                out.happened.push(Happening::Refused(refused));
            }
            _ => self.dropped.out_of_place += 1,
        }
    }

    fn receive_in_session(
        &mut self,
        now_secs: f64,
        header: &Header,
        payload: &[u8],
        datagram: &[u8],
        out: &mut Outbox,
    ) {
        if let (Phase::Auth { keys, .. }, Kind::Welcome) = (&self.phase, header.kind) {
            let (ours, theirs) = (keys.client.clone(), keys.server.clone());
            let mut link = Link::new(header.session, false, ours, theirs);
            let message = link.open(header, payload, datagram, &mut self.dropped);
            if let Some(Message::Welcome(welcome)) = message {
                out.happened.push(Happening::Opened(welcome.clone()));
                self.phase = Phase::Open(Box::new(Open {
                    link,
                    episode: welcome.episode,
                    welcome,
                    tick: header.tick,
                    parts: 0,
                    awaits_state: true,
                    heard_secs: now_secs,
                    sent_secs: now_secs,
                    server_millis: 0,
                    numbers: BTreeMap::new(),
                    unacknowledged: BTreeMap::new(),
                    events_seen: 0,
                    request: 0,
                    reset: None,
                }));
            }
            return;
        }
        let Phase::Open(open) = &mut self.phase else {
            self.dropped.out_of_place += 1;
            return;
        };
        if header.session != open.link.session {
            self.dropped.unknown_session += 1;
            return;
        }
        let Some(message) = open.link.open(header, payload, datagram, &mut self.dropped) else {
            return;
        };
        open.heard_secs = now_secs;
        match message {
            Message::State(states) => open.take_states(header.tick, states, out),
            Message::Events(events) => open.take_events(events.events, out),
            Message::Heartbeat(heartbeat) => open.server_millis = heartbeat.time_millis,
            Message::ResetDone(done) => {
                let asked = open.reset.as_ref().map(|(reset, _)| reset.request);
                if asked == Some(done.request) {
                    open.reset = None;
                    open.enter_episode(done.episode);
                    out.happened.push(Happening::ResetDone(done));
                }
            }
            Message::Bye(Bye { reason }) => {
                out.happened.push(Happening::Closed(reason));
                self.begin(now_secs);
            }
            // WELCOME again, because AUTH was repeated.
            Message::Welcome(_) => {}
            _ => self.dropped.out_of_place += 1,
        }
    }

    /// Tells bots what to do, by rising bot_id; false while no session stands. Each action takes the place of
    /// the bot's last one, acknowledged or not.
    pub fn act(&mut self, now_secs: f64, actions: &[(u8, Action)], out: &mut Outbox) -> bool {
        let Phase::Open(open) = &mut self.phase else { return false };
        let mut entries = Vec::with_capacity(actions.len());
        for &(bot_id, action) in actions {
            let number = open.numbers.entry(bot_id).or_insert(0);
            *number = number.wrapping_add(1);
            let entry = Entry { bot_id, action_number: *number, action };
            open.unacknowledged.insert(bot_id, (entry, now_secs));
            entries.push(entry);
        }
        open.send_entries(now_secs, entries, out);
        true
    }

    /// Asks for a new episode; false while no session stands or the last request was not answered yet.
    pub fn reset(&mut self, now_secs: f64, seed: u64, map: &str, out: &mut Outbox) -> bool {
        let Phase::Open(open) = &mut self.phase else { return false };
        if open.reset.is_some() {
            return false;
        }
        open.request += 1;
        let reset = Reset { request: open.request, seed, map: map.to_owned() };
        open.reset = Some((reset.clone(), now_secs));
        open.unacknowledged.clear();
        open.awaits_state = true;
        open.send(now_secs, &Message::Reset(reset), out);
        true
    }

    /// Ends the session for good.
    pub fn bye(&mut self, now_secs: f64, out: &mut Outbox) {
        if let Phase::Open(open) = &mut self.phase {
            open.send(now_secs, &Message::Bye(Bye { reason: bye::DONE }), out);
        }
        self.phase = Phase::Over;
    }
}

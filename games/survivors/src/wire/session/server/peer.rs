//! What a server keeps of one client.

use super::super::link::Link;
use super::Outbox;
use crate::wire::v2::control::{Event, Events, MAX_EVENTS, ResetDone};
use crate::wire::v2::hello::Nonces;
use crate::wire::v2::{Kind, Message};
use std::collections::VecDeque;
use std::net::SocketAddr;

/// Bots are bits of a mask.
pub const MAX_BOTS: usize = 32;

#[derive(Clone, Copy, Debug, Default)]
pub struct Applied {
    pub action_number: u32,
    pub tick: u32,
}

#[derive(Debug)]
pub struct Session {
    pub link: Link,
    pub from: SocketAddr,
    pub client_id: u64,
    pub nonces: Nonces,
    pub capabilities: u32,
    pub bots: u32,
    pub heard_secs: f64,
    pub client_millis: u32,
    pub applied: [Applied; MAX_BOTS],
    pub last_request: u32,
    pub answer: Option<ResetDone>,
    pub events: VecDeque<Event>,
    pub event_count: u32,
    pub events_sent_secs: f64,
    pub last_states: Vec<Vec<u8>>,
    pub last_states_tick: u32,
}

impl Session {
    pub fn has(&self, bot_id: u8) -> bool {
        u32::from(bot_id) < u32::BITS && self.bots >> bot_id & 1 == 1
    }

    pub fn can(&self, capability: u32) -> bool {
        self.capabilities & capability != 0
    }

    pub fn events_seen(&mut self, seen: u32) {
        while self.events.front().is_some_and(|event| event.event_number <= seen) {
            self.events.pop_front();
        }
    }

    pub fn send(&mut self, tick: u32, message: &Message, out: &mut Outbox) {
        if let Some(datagram) = self.link.seal(tick, message) {
            out.datagrams.push((self.from, datagram));
        }
    }

    pub fn send_last_states(&mut self, out: &mut Outbox) {
        for payload in &self.last_states {
            let sealed = self.link.seal_payload(self.last_states_tick, Kind::State, payload);
            out.datagrams.extend(sealed.map(|datagram| (self.from, datagram)));
        }
    }

    pub fn send_events(&mut self, now_secs: f64, tick: u32, episode: u32, out: &mut Outbox) {
        if self.events.is_empty() {
            return;
        }
        self.events_sent_secs = now_secs;
        let events = self.events.iter().take(MAX_EVENTS).copied().collect();
        self.send(tick, &Message::Events(Events { episode, events }), out);
    }
}

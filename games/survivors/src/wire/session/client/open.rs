//! A session that stands: what the client has said, and what was acknowledged.

use super::super::link::Link;
use super::super::{ACTION_RETRY_SECS, CONTROL_RETRY_SECS, HEARTBEAT_SECS, PROBE_SECS};
use super::{Happening, Outbox};
use crate::wire::v2::Message;
use crate::wire::v2::action::{Action, Actions, Entry};
use crate::wire::v2::control::{Event, Heartbeat, Reset};
use crate::wire::v2::hello::{Welcome, capability};
use crate::wire::v2::state::States;
use std::collections::BTreeMap;

#[derive(Debug)]
pub struct Open {
    pub link: Link,
    pub welcome: Welcome,
    pub episode: u32,
    pub tick: u32,
    /// Parts of the newest state that were taken, a bit each.
    pub parts: u32,
    pub awaits_state: bool,
    pub heard_secs: f64,
    pub sent_secs: f64,
    pub server_millis: u32,
    pub numbers: BTreeMap<u8, u32>,
    pub unacknowledged: BTreeMap<u8, (Entry, f64)>,
    pub events_seen: u32,
    pub request: u32,
    pub reset: Option<(Reset, f64)>,
}

impl Open {
    pub fn send(&mut self, now_secs: f64, message: &Message, out: &mut Outbox) {
        self.sent_secs = now_secs;
        let sealed = self.link.seal(self.tick, message);
        out.datagrams.extend(sealed.map(|datagram| ((), datagram)));
    }

    pub fn send_entries(&mut self, now_secs: f64, entries: Vec<Entry>, out: &mut Outbox) {
        let (legacy, rich): (Vec<Entry>, Vec<Entry>) =
            entries.into_iter().partition(|entry| matches!(entry.action, Action::Legacy(_)));
        for entries in [legacy, rich] {
            if !entries.is_empty() {
                let (episode, events_seen) = (self.episode, self.events_seen);
                let actions = Actions { episode, events_seen, entries };
                self.send(now_secs, &Message::Action(actions), out);
            }
        }
    }

    pub fn enter_episode(&mut self, episode: u32) {
        if episode > self.episode {
            self.episode = episode;
            // The clock may start anew with the map.
            (self.tick, self.parts) = (0, 0);
            self.awaits_state = true;
            self.unacknowledged.clear();
        }
    }

    pub fn take_states(&mut self, tick: u32, states: States, out: &mut Outbox) {
        // Before its answer a state of the new episode could not be told from one that a reset is still to come
        // for.
        if self.reset.is_some() {
            return;
        }
        let part = 1u32.checked_shl(u32::from(states.part)).unwrap_or(0);
        let another_part = tick == self.tick && self.parts & part == 0;
        let newer = states.episode > self.episode || tick > self.tick || another_part;
        if states.episode < self.episode || !newer {
            return;
        }
        self.enter_episode(states.episode);
        if tick != self.tick {
            self.parts = 0;
        }
        self.tick = tick;
        self.parts |= part;
        self.awaits_state = false;
        for record in &states.records {
            let bot_id = record.state.bot_id;
            let waiting = self.unacknowledged.get(&bot_id);
            if waiting.is_some_and(|(entry, _)| entry.action_number <= record.applied_action) {
                self.unacknowledged.remove(&bot_id);
            }
        }
        out.happened.push(Happening::State { tick, states });
    }

    pub fn take_events(&mut self, events: Vec<Event>, out: &mut Outbox) {
        for event in events {
            if event.event_number <= self.events_seen {
                continue;
            }
            let missing = event.event_number - self.events_seen - 1;
            if missing > 0 {
                out.happened.push(Happening::EventsLost(missing));
            }
            self.events_seen = event.event_number;
            out.happened.push(Happening::Event(event));
        }
    }

    pub fn poll(&mut self, now_secs: f64, out: &mut Outbox) {
        let due: Vec<Entry> = self
            .unacknowledged
            .values_mut()
            .filter(|(_, sent_secs)| now_secs - *sent_secs >= ACTION_RETRY_SECS)
            .map(|(entry, sent_secs)| {
                *sent_secs = now_secs;
                *entry
            })
            .collect();
        self.send_entries(now_secs, due, out);
        if let Some((reset, sent_secs)) = &mut self.reset
            && now_secs - *sent_secs >= CONTROL_RETRY_SECS
        {
            *sent_secs = now_secs;
            let message = Message::Reset(reset.clone());
            self.send(now_secs, &message, out);
        }
        let lockstep = self.welcome.capabilities & capability::LOCKSTEP != 0;
        let idle = self.unacknowledged.is_empty() && self.reset.is_none();
        let pause_secs = if lockstep && self.awaits_state && idle {
            ACTION_RETRY_SECS
        } else if now_secs - self.heard_secs >= PROBE_SECS {
            CONTROL_RETRY_SECS
        } else {
            HEARTBEAT_SECS
        };
        if now_secs - self.sent_secs >= pause_secs {
            let heartbeat = Heartbeat {
                time_millis: (now_secs * 1000.0) as u64 as u32,
                echo_millis: self.server_millis,
                events_seen: self.events_seen,
            };
            self.send(now_secs, &Message::Heartbeat(heartbeat), out);
        }
    }
}

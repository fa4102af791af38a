//! How a session comes to stand: HELLO, CHALLENGE, AUTH, WELCOME.

use super::super::link::Link;
use super::peer::{Applied, MAX_BOTS, Session};
use super::{Happening, Outbox, Server};
use crate::wire::v2::control::bye;
use crate::wire::v2::hello::{Hello, Nonces, Refused, RefusedReason, Welcome, capability};
use crate::wire::v2::{Header, Kind, MAJOR, MINOR, Message, is_sealed, seal};
use std::collections::VecDeque;
use std::net::SocketAddr;

/// Most challenges remembered.
const MAX_PENDING: usize = 16;

/// A CHALLENGE that was not answered yet.
#[derive(Debug)]
pub struct Pending {
    pub from: SocketAddr,
    pub hello: Hello,
    pub nonces: Nonces,
    pub since_secs: f64,
}

impl Server {
    pub(super) fn receive_handshake(
        &mut self,
        now_secs: f64,
        from: SocketAddr,
        header: &Header,
        payload: &[u8],
        datagram: &[u8],
        out: &mut Outbox,
    ) {
        if !is_sealed(datagram, self.config.key.handshake()) {
            self.dropped.wrong_key += 1;
            return;
        }
        if header.major != MAJOR {
            self.dropped.version += 1;
            // Of another version only the nonce is known to be where it is, and only HELLO is answered.
            if let (Kind::Hello, Some(nonce)) = (header.kind, payload.first_chunk::<16>()) {
                self.refuse(from, *nonce, RefusedReason::Version, out);
            }
            return;
        }
        match Message::decode(header.kind, payload) {
            Ok(Message::Hello(hello)) => self.hello(now_secs, from, hello, out),
            Ok(Message::Auth(nonces)) => self.auth(now_secs, from, nonces, out),
            _ => self.dropped.malformed += 1,
        }
    }

    fn refuse(
        &mut self,
        from: SocketAddr,
        client_nonce: [u8; 16],
        reason: RefusedReason,
        out: &mut Outbox,
    ) {
        let refused = Refused { client_nonce, reason, major: MAJOR, minor: MINOR };
        self.send_handshake(from, &Message::Refused(refused), out);
    }

    fn send_handshake(&self, to: SocketAddr, message: &Message, out: &mut Outbox) {
        let header = Header::of_handshake(message.kind(), true);
        let sealed = seal(&header, &message.encode(), self.config.key.handshake());
        out.datagrams.extend(sealed.ok().map(|datagram| (to, datagram)));
    }

    fn hello(&mut self, now_secs: f64, from: SocketAddr, hello: Hello, out: &mut Outbox) {
        if !capability::suffice(hello.capabilities & self.config.capabilities) {
            return self.refuse(from, hello.client_nonce, RefusedReason::NothingInCommon, out);
        }
        let comes_back = self.sessions.iter().any(|s| s.client_id == hello.client_id);
        if self.sessions.len() >= self.config.max_sessions && !comes_back {
            return self.refuse(from, hello.client_nonce, RefusedReason::Full, out);
        }
        let known = self
            .pending
            .iter()
            .find(|p| p.from == from && p.nonces.client_nonce == hello.client_nonce);
        let nonces = match known {
            Some(known) => known.nonces,
            None => {
                let client_nonce = hello.client_nonce;
                let nonces = Nonces { client_nonce, server_nonce: self.nonces.draw() };
                if self.pending.len() >= MAX_PENDING {
                    self.pending.pop_front();
                }
                self.pending.push_back(Pending { from, hello, nonces, since_secs: now_secs });
                nonces
            }
        };
        self.send_handshake(from, &Message::Challenge(nonces), out);
    }

    fn auth(&mut self, now_secs: f64, from: SocketAddr, nonces: Nonces, out: &mut Outbox) {
        let open = self.sessions.iter().position(|s| s.from == from && s.nonces == nonces);
        if let Some(open) = open {
            return self.welcome(open, out);
        }
        let known = self.pending.iter().position(|p| p.from == from && p.nonces == nonces);
        let Some(pending) = known.and_then(|known| self.pending.remove(known)) else {
            self.dropped.out_of_place += 1;
            return;
        };
        let hello = pending.hello;
        if let Some(old) = self.sessions.iter().position(|s| s.client_id == hello.client_id) {
            self.close_at(old, bye::REPLACED, out);
        }
        if self.sessions.len() >= self.config.max_sessions {
            return self.refuse(from, hello.client_nonce, RefusedReason::Full, out);
        }
        let mut id = self.nonces.draw_u32();
        while self.sessions.iter().any(|s| s.link.session == id) {
            id = self.nonces.draw_u32();
        }
        let keys = self.config.key.session(&nonces.client_nonce, &nonces.server_nonce);
        let session = Session {
            link: Link::new(id, true, keys.server, keys.client),
            from,
            client_id: hello.client_id,
            nonces,
            capabilities: hello.capabilities & self.config.capabilities,
            bots: hello.bots_wanted & self.config.bots & !self.bots_taken(),
            heard_secs: now_secs,
            client_millis: 0,
            applied: [Applied::default(); MAX_BOTS],
            last_request: 0,
            answer: None,
            events: VecDeque::new(),
            event_count: 0,
            events_sent_secs: now_secs,
            last_states: Vec::new(),
            last_states_tick: 0,
        };
        out.happened.push(Happening::Opened {
            session: id,
            client_name: hello.client_name,
            bots: session.bots,
            capabilities: session.capabilities,
            states_per_sec: hello.states_per_sec,
        });
        self.sessions.push(session);
        self.welcome(self.sessions.len() - 1, out);
    }

    fn welcome(&mut self, at: usize, out: &mut Outbox) {
        let session = &mut self.sessions[at];
        let welcome = Welcome {
            capabilities: session.capabilities,
            bots_given: session.bots,
            ticks_per_sec: self.config.ticks_per_sec,
            ticks_per_state: self.config.ticks_per_state,
            hold_ticks: self.config.hold_ticks,
            episode: self.episode,
            server_name: self.config.name.clone(),
            map: self.map.clone(),
        };
        session.send(self.tick, &Message::Welcome(welcome), out);
    }
}

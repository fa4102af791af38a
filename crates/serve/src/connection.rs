//! One client: bytes in, bytes out, and the games that it plays.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use lanista_game::seed;
use mio::net::TcpStream;

use crate::ask::{Ask, Row};
use crate::batch::Outcome;
use crate::formats::{Context, Format, Message, Talk};
use crate::limits::Limits;
use crate::model::Endpoint;
use crate::refusal::{Kind, Refusal};
use crate::session::Session;

/// A message that has begun must be whole, and a reply must be taken, within this time.
const PATIENCE: Duration = Duration::from_secs(20);
/// A client that was refused is listened to for so long, that it finds the reason.
const FAREWELL: Duration = Duration::from_secs(1);
/// Beyond this, buffers are given back after use.
const KEPT: usize = 64 << 10;
/// How much may come on top of a message: the head of HTTP and the next messages of a client that does
/// not wait for answers.
const MARGIN: usize = 64 << 10;

/// A client that asks for much that needs no decision gets so much of it before others do.
const TURN: usize = 32;

/// What a connection needs to know of the server.
pub struct Hosting<'a> {
    /// For formats.
    pub context: Context<'a>,
    /// What a client may cost.
    pub limits: &'a Limits,
    /// Dice of sessions that bring none.
    pub seed: u64,
}

/// How far a connection has come.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    /// It waits for a decision.
    Decide,
    /// It waits for the client.
    Waits,
    /// It has more to say; others may speak first.
    More,
    /// It is over.
    Over,
}

/// A client.
pub struct Connection {
    stream: TcpStream,
    peer: SocketAddr,
    talk: Talk,
    input: Vec<u8>,
    /// Up to here, the input was understood.
    start: usize,
    /// And up to here behind it, searched in vain for the end of a message.
    seen: usize,
    output: Vec<u8>,
    sent: usize,
    /// May there be more to read?
    readable: bool,
    /// Has the client said that nothing follows?
    half_closed: bool,
    /// The request at hand.
    pub ask: Ask,
    /// The same as it goes into the policy.
    pub row: Row,
    sessions: HashMap<Vec<u8>, Session>,
    key: Vec<u8>,
    /// When the last whole message came.
    since: Instant,
    /// When the message that is not whole yet began.
    begun: Option<Instant>,
    /// Since when replies lie unsent.
    stalled: Option<Instant>,
    /// It is over at this time, whatever the client does.
    farewell: Option<Instant>,
}

impl Connection {
    /// A client that has just come.
    pub fn new(stream: TcpStream, peer: SocketAddr, format: Format, now: Instant) -> Self {
        Self {
            stream,
            peer,
            talk: Talk::new(format),
            input: Vec::new(),
            start: 0,
            seen: 0,
            output: Vec::new(),
            sent: 0,
            readable: true,
            half_closed: false,
            ask: Ask::default(),
            row: Row::default(),
            sessions: HashMap::new(),
            key: Vec::new(),
            since: now,
            begun: None,
            stalled: None,
            farewell: None,
        }
    }

    /// The socket, to be registered.
    pub fn stream(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    /// Who it is.
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// What it speaks.
    pub fn format(&self) -> Format {
        self.talk.format()
    }

    /// When the request at hand was whole.
    pub fn since(&self) -> Instant {
        self.since
    }

    /// How many sessions it keeps.
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }

    /// Something happened on the socket.
    pub fn woken(&mut self, readable: bool, closed: bool) {
        self.readable |= readable | closed;
        self.half_closed |= closed;
    }

    /// Reads and answers up to the next decision. `chunk` is room to read into.
    pub fn advance(&mut self, chunk: &mut [u8], now: Instant, hosting: &Hosting) -> Progress {
        for _ in 0..TURN {
            if self.flush(now).is_err() {
                return Progress::Over;
            }
            if self.farewell.is_some() {
                return self.listen_out(chunk);
            }
            // Whoever does not take answers gets no more.
            if self.sent < self.output.len() {
                return Progress::Waits;
            }
            let bytes = &self.input[self.start..];
            let framed = match bytes.is_empty() {
                true => Ok(None),
                false => self.talk.frame(bytes, &mut self.seen, &mut self.output, &hosting.context),
            };
            match framed {
                Ok(Some(frame)) => {
                    self.since = now;
                    self.begun = None;
                    let body = &self.input[self.start..][frame.body];
                    let (ask, out) = (&mut self.ask, &mut self.output);
                    let message = self.talk.read(body, ask, out, &hosting.context);
                    self.start += frame.length;
                    self.seen = 0;
                    match message.and_then(|message| self.serve(message, hosting)) {
                        Ok(true) => return Progress::Decide,
                        Ok(false) if self.talk.is_last() => self.say_goodbye(now),
                        Ok(false) => {}
                        Err(refusal) => self.refuse(&refusal, now, hosting),
                    }
                }
                Ok(None) if !self.readable => {
                    if self.begun.is_none() && self.start < self.input.len() {
                        self.begun = Some(now);
                    }
                    return match self.flush(now) {
                        Ok(()) => Progress::Waits,
                        Err(_) => Progress::Over,
                    };
                }
                Ok(None) => match self.fill(chunk, hosting) {
                    Ok(true) => {}
                    // The client said all it had to say, and has been sent all it asked for.
                    Ok(false) | Err(_) => return Progress::Over,
                },
                Err(refusal) => {
                    self.ask.clear();
                    self.refuse(&refusal, now, hosting);
                }
            }
        }
        Progress::More
    }

    /// Sees to a message. Returns whether a decision is to be made.
    fn serve(&mut self, message: Message, hosting: &Hosting) -> Result<bool, Refusal> {
        if message == Message::Answered {
            return Ok(false);
        }
        self.key.clear();
        self.key.extend_from_slice(&(self.ask.endpoint as u32).to_le_bytes());
        self.key.extend_from_slice(&self.ask.session);
        let sessions = &hosting.context.metrics.sessions;
        if message == Message::Forget {
            if self.sessions.remove(&self.key).is_some() {
                sessions.fetch_sub(1, Relaxed);
            }
            self.talk.forgotten(&self.ask, &mut self.output);
            return Ok(false);
        }
        let endpoint = &hosting.context.models.endpoints()[self.ask.endpoint];
        if let Some(session) = self.sessions.get_mut(&self.key) {
            session.prepare(endpoint, &self.ask, &mut self.row)?;
            return Ok(true);
        }
        let most = hosting.limits.sessions;
        let number = sessions.fetch_add(1, Relaxed);
        let mut session =
            Session::new(endpoint, seed::mix(hosting.seed, self.since_number(number)));
        let prepared = if number >= most as u64 {
            Err(Refusal::new(
                Kind::Sessions,
                format!("{most} sessions are kept already; end some, or raise --max-sessions"),
            ))
        } else {
            session.prepare(endpoint, &self.ask, &mut self.row)
        };
        match prepared {
            Ok(()) => drop(self.sessions.insert(self.key.clone(), session)),
            Err(refusal) => {
                sessions.fetch_sub(1, Relaxed);
                return Err(refusal);
            }
        }
        Ok(true)
    }

    /// Something that differs from session to session.
    fn since_number(&self, number: u64) -> u64 {
        let port = u64::from(self.peer.port());
        seed::mix(seed::mix(number, port), self.sessions.len() as u64)
    }

    /// Writes a decision, and keeps what is to be remembered.
    pub fn decided(&mut self, endpoint: &Endpoint, outcome: &Outcome, now: Instant) {
        if self.ask.state.is_none()
            && let Some(session) = self.sessions.get_mut(&self.key)
        {
            session.keep(outcome.actor_state, outcome.critic_state);
        }
        self.talk.decided(&self.ask, endpoint, outcome, &mut self.output);
        if self.talk.is_last() {
            self.say_goodbye(now);
        }
    }

    /// Says why something was refused, and goodbye if that is the end.
    pub fn refuse(&mut self, refusal: &Refusal, now: Instant, hosting: &Hosting) {
        hosting.context.metrics.refused(refusal.kind);
        if !self.talk.refused(refusal, &self.ask, &mut self.output) {
            self.say_goodbye(now);
        }
    }

    fn say_goodbye(&mut self, now: Instant) {
        self.farewell.get_or_insert(now + FAREWELL);
    }

    /// Sends what there is to send. An error means that the connection is over.
    pub fn flush(&mut self, now: Instant) -> io::Result<()> {
        while self.sent < self.output.len() {
            match self.stream.write(&self.output[self.sent..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => self.sent += count,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    self.stalled.get_or_insert(now);
                    return Ok(());
                }
                Err(e) => return Err(e),
            }
        }
        if !self.output.is_empty() {
            self.output.clear();
            self.sent = 0;
            self.stalled = None;
            if self.output.capacity() > KEPT {
                self.output = Vec::new();
            }
            if self.farewell.is_some() {
                self.stream.shutdown(Shutdown::Write)?;
            }
        }
        Ok(())
    }

    /// Reads once. Returns whether there was anything; nothing means that the client has gone.
    fn fill(&mut self, chunk: &mut [u8], hosting: &Hosting) -> io::Result<bool> {
        if self.start > 0 {
            self.input.drain(..self.start);
            self.start = 0;
        }
        if self.input.is_empty() && self.input.capacity() > KEPT {
            self.input = Vec::new();
        }
        let room = (hosting.limits.message_bytes + MARGIN).saturating_sub(self.input.len());
        let room = room.min(chunk.len());
        if room == 0 {
            // Formats refuse what is too long before it comes to this.
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        match self.stream.read(&mut chunk[..room]) {
            Ok(0) => Ok(false),
            Ok(count) => {
                self.input.extend_from_slice(&chunk[..count]);
                // What comes after a read that was not full wakes us again, so nobody need ask for it.
                // Elsewhere sockets tell of new bytes only after they have said that there are none.
                let drained = cfg!(target_os = "linux") && count < room && !self.half_closed;
                self.readable = !drained;
                Ok(true)
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Ok(true),
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                self.readable = false;
                Ok(true)
            }
            Err(e) => Err(e),
        }
    }

    /// Takes what still comes from a client that was told goodbye: closing in its face would take the
    /// reason away from it.
    fn listen_out(&mut self, chunk: &mut [u8]) -> Progress {
        // What a client pours in has no end, so only so much is listened to at a time.
        for _ in 0..16 {
            match self.stream.read(chunk) {
                Ok(0) => return Progress::Over,
                Ok(_) => {}
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Progress::Waits,
                Err(_) => return Progress::Over,
            }
        }
        Progress::Waits
    }

    /// Is something whole left to be answered?
    pub fn has_more(&self) -> bool {
        self.farewell.is_none() && (self.start < self.input.len() || self.readable)
    }

    /// Are all replies on their way?
    pub fn is_flushed(&self) -> bool {
        self.sent >= self.output.len()
    }

    /// Looks at the clock. Returns whether the connection is over.
    pub fn tick(&mut self, now: Instant, hosting: &Hosting) -> bool {
        if self.farewell.is_some_and(|end| now >= end) {
            return true;
        }
        if self.stalled.is_some_and(|since| now.duration_since(since) >= PATIENCE) {
            return true;
        }
        if self.farewell.is_some() {
            return false;
        }
        let idle = hosting.limits.idle;
        let refusal = if self.begun.is_some_and(|b| now.duration_since(b) >= PATIENCE.min(idle)) {
            "the rest of a message did not come in time".to_owned()
        } else if now.duration_since(self.since) >= idle {
            format!("nothing came for {} seconds", idle.as_secs_f64())
        } else {
            return false;
        };
        self.ask.clear();
        self.refuse(&Refusal::new(Kind::Idle, refusal), now, hosting);
        self.flush(now).is_err()
    }
}

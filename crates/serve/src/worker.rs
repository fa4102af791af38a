//! A thread that serves some of the clients.
//!
//! It waits for all of them at once. Whatever has come by the time it looks goes through the policy in
//! one pass: a lone request is decided as soon as it is read, and what comes meanwhile is the next pass.
//! Nothing is handed from thread to thread, and no client can make it wait for him.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Token as Key};

use crate::batch::Batch;
use crate::connection::{Connection, Hosting, Progress};
use crate::model::Weights;
use crate::refusal::{Kind, Refusal};
use crate::session::unknown_privileged;
use crate::shared::{Decision, Shared};

/// Whoever wakes the worker has this key.
pub const WAKER: Key = Key(usize::MAX);
/// How often the clock is looked at for clients that say nothing.
const TICK: Duration = Duration::from_millis(250);
/// After the order to stop, clients have so long to take their answers.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// After a decision, so long is looked for the next request before the thread lays itself down: whoever plays a
/// fast game asks again at once, and a core that sleeps takes longer to wake than a decision takes.
const AWAKE: Duration = Duration::from_micros(100);
/// Bytes that are read at once.
const CHUNK: usize = 64 << 10;

/// A worker.
pub struct Worker {
    shared: Arc<Shared>,
    number: usize,
    poll: Poll,
    incoming: Receiver<Connection>,
    clients: Vec<Option<Connection>>,
    free: Vec<usize>,
    /// Clients to look at in this round.
    ready: Vec<usize>,
    /// Clients to look at in the next one, although nothing new has come from them.
    again: Vec<usize>,
    /// Clients that wait for a decision.
    pending: Vec<usize>,
    batch: Batch,
}

impl Worker {
    /// A worker that waits for clients.
    pub fn new(
        shared: Arc<Shared>,
        number: usize,
        poll: Poll,
        incoming: Receiver<Connection>,
    ) -> Self {
        Self {
            shared,
            number,
            poll,
            incoming,
            clients: Vec::new(),
            free: Vec::new(),
            ready: Vec::new(),
            again: Vec::new(),
            pending: Vec::new(),
            batch: Batch::default(),
        }
    }

    /// Serves until it is told to stop.
    pub fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        let hosting = shared.hosting();
        let mut events = Events::with_capacity(1024);
        let mut chunk = vec![0; CHUNK];
        let mut ticked = Instant::now();
        let mut awake_until = ticked;
        let mut end: Option<Instant> = None;
        loop {
            let awake = Instant::now() < awake_until;
            let wait = if self.again.is_empty() && !awake { TICK } else { Duration::ZERO };
            let wait = if end.is_some() { wait.min(Duration::from_millis(5)) } else { wait };
            // Interrupted by a signal, it looks around and waits again.
            let _ = self.poll.poll(&mut events, Some(wait));
            let now = Instant::now();
            std::mem::swap(&mut self.ready, &mut self.again);
            let known = self.ready.len();
            for event in &events {
                let Key(at) = event.token();
                if let Some(Some(client)) = self.clients.get_mut(at) {
                    client.woken(event.is_readable(), event.is_read_closed() || event.is_error());
                    if !self.ready[..known].contains(&at) {
                        self.ready.push(at);
                    }
                }
            }
            self.welcome();
            if end.is_none() && shared.stopping.load(Acquire) {
                // What has come is answered; nothing new is waited for.
                end = Some(now + LAST_WORDS);
                self.ready.clear();
                for at in 0..self.clients.len() {
                    if let Some(client) = &mut self.clients[at] {
                        client.woken(true, false);
                        self.ready.push(at);
                    }
                }
            }
            if self.round(&mut chunk, now, &hosting) > 0 {
                awake_until = Instant::now() + AWAKE;
            } else if awake {
                // Clients on the same cores come first.
                thread::yield_now();
            }
            if now.duration_since(ticked) >= TICK {
                ticked = now;
                self.tick(now, &hosting);
            }
            if let Some(end) = end
                && (now >= end || (self.again.is_empty() && self.is_flushed()))
            {
                break;
            }
        }
        (0..self.clients.len()).for_each(|at| self.remove(at));
    }

    fn is_flushed(&self) -> bool {
        self.clients.iter().flatten().all(Connection::is_flushed)
    }

    /// Takes over clients that have come.
    fn welcome(&mut self) {
        while let Ok(mut client) = self.incoming.try_recv() {
            let at = self.free.pop().unwrap_or_else(|| {
                self.clients.push(None);
                self.clients.len() - 1
            });
            let interest = Interest::READABLE | Interest::WRITABLE;
            let registered = self.poll.registry().register(client.stream(), Key(at), interest);
            self.clients[at] = Some(client);
            match registered {
                Ok(()) => self.ready.push(at),
                Err(_) => self.remove(at),
            }
        }
    }

    fn remove(&mut self, at: usize) {
        if let Some(mut client) = self.clients[at].take() {
            // The socket is closed when it is dropped; whether it was registered no longer matters.
            let _ = self.poll.registry().deregister(client.stream());
            let metrics = &self.shared.metrics;
            metrics.sessions.fetch_sub(client.sessions() as u64, Relaxed);
            metrics.connections.fetch_sub(1, Relaxed);
            self.shared.load[self.number].fetch_sub(1, Relaxed);
            self.free.push(at);
        }
    }

    /// Looks at everyone who may have something to say, and decides what was asked: so many times.
    fn round(&mut self, chunk: &mut [u8], now: Instant, hosting: &Hosting) -> usize {
        let ready = std::mem::take(&mut self.ready);
        for &at in &ready {
            let Some(client) = &mut self.clients[at] else { continue };
            match client.advance(chunk, now, hosting) {
                Progress::Waits => {}
                Progress::More => self.again.push(at),
                Progress::Over => self.remove(at),
                Progress::Decide if self.pending.len() >= hosting.limits.queue => {
                    let queue = hosting.limits.queue;
                    let message = format!("{queue} requests wait already; try again in a moment");
                    client.refuse(&Refusal::new(Kind::Busy, message), now, hosting);
                    self.settle(at, now);
                }
                Progress::Decide => self.pending.push(at),
            }
        }
        self.ready = ready;
        self.ready.clear();
        let asked = self.pending.len();
        self.decide(hosting);
        asked
    }

    /// Sends what a client is to get, and remembers to look at it again if it has said more.
    fn settle(&mut self, at: usize, now: Instant) {
        let Some(client) = &mut self.clients[at] else { return };
        match client.flush(now) {
            Err(_) => self.remove(at),
            Ok(()) if client.has_more() => self.again.push(at),
            Ok(()) => {}
        }
    }

    /// Whether a client's request needs the critic, and which policy it is for.
    fn group(&self, at: usize) -> (usize, bool) {
        let Some(Some(client)) = self.clients.get(at) else { return (0, false) };
        let endpoint = &self.shared.models.endpoints()[client.ask.endpoint];
        // A critic with memory must see every step, or it would not know where it stands.
        let remembers = endpoint.state_sizes.1 > 0;
        let values = client.ask.wants.value || remembers || self.shared.values;
        (client.ask.endpoint, values)
    }

    /// Decides everything that waits, in as few passes as can be.
    fn decide(&mut self, hosting: &Hosting) {
        let mut pending = std::mem::take(&mut self.pending);
        if pending.len() > 1 {
            pending.sort_by_key(|&at| self.group(at));
        }
        let mut rest = &pending[..];
        while let Some(&first) = rest.first() {
            let (place, values) = self.group(first);
            let weights = self.shared.models.endpoints()[place].weights();
            let same = rest.iter().take(weights.rows);
            let count = same.take_while(|&&at| self.group(at) == (place, values)).count();
            let (now, later) = rest.split_at(count);
            rest = later;
            self.pass(now, place, values, &weights, hosting);
        }
        pending.clear();
        self.pending = pending;
    }

    fn pass(
        &mut self,
        clients: &[usize],
        place: usize,
        values: bool,
        weights: &Weights,
        hosting: &Hosting,
    ) {
        self.batch.clear();
        for &at in clients {
            let Some(client) = &mut self.clients[at] else { continue };
            if values {
                unknown_privileged(weights, &mut client.row);
            }
            self.batch.add(&client.row, values);
        }
        let batch = &mut self.batch;
        // Requests are checked before they come here. If one gets a policy to panic all the same, it
        // must not take the clients of this worker with it.
        let decided = catch_unwind(AssertUnwindSafe(|| batch.decide(&weights.policy, values)));
        let shared = Arc::clone(&self.shared);
        let endpoint = &shared.models.endpoints()[place];
        let now = Instant::now();
        if decided.is_err() {
            self.batch = Batch::default();
            let message = format!("{} could not decide: a fault of the server", endpoint.name);
            let refusal = Refusal::new(Kind::Internal, message);
            for &at in clients {
                if let Some(client) = &mut self.clients[at] {
                    client.refuse(&refusal, now, hosting);
                }
                self.settle(at, now);
            }
            return;
        }
        shared.metrics.pass(clients.len());
        for (i, &at) in clients.iter().enumerate() {
            let Some(client) = &mut self.clients[at] else { continue };
            let outcome = self.batch.outcome(weights, i);
            if let Some(watch) = &shared.observer {
                watch(&Decision {
                    endpoint,
                    format: client.format(),
                    peer: client.peer(),
                    session: &client.ask.session,
                    observation: &client.row.observation,
                    mask: &client.row.mask,
                    actions: outcome.actions,
                    log_prob: outcome.log_prob,
                    value: outcome.value,
                    version: weights.version,
                });
            }
            client.decided(endpoint, &outcome, now);
            let since = client.since();
            self.settle(at, now);
            shared.metrics.answered(since.elapsed());
        }
    }

    fn tick(&mut self, now: Instant, hosting: &Hosting) {
        for at in 0..self.clients.len() {
            if self.clients[at].as_mut().is_some_and(|client| client.tick(now, hosting)) {
                self.remove(at);
            }
        }
    }
}

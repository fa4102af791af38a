//! The simulator behind the protocol of the original environment, so that the original's trainer, or any
//! other that speaks it, trains on it.
//!
//! The original ticks its whole world when every agent has sent something. Fights here know nothing of each
//! other: each ticks by itself when its own agents have stepped, and nobody waits for anybody else. A
//! connection has a thread, a fight has a lock, and nothing else is shared but the list of agents.

mod bout;
mod connection;
mod world;

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::wire::PORT;
use connection::Peer;
pub use world::MOST_AGENTS;
use world::World;

/// How many connections there may be at once.
pub const MOST_CONNECTIONS: usize = 4096;
/// Agents that were silent for so long are logged out, as the original does after a thousand ticks.
const SILENCE: Duration = Duration::from_secs(600);
/// How often a line says what goes on.
const STATUS_SECS: f64 = 10.0;
/// How often it is looked for agents that are silent.
const SWEEP_SECS: f64 = 5.0;
/// Threads of connections need little.
const STACK_BYTES: usize = 256 * 1024;

/// How to serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Fights follow from it, and from who fights whom, and from what they do.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT), seed: 0 }
    }
}

/// Why nothing can be served.
#[derive(Debug, Error)]
pub enum ServerError {
    /// The port cannot be had.
    #[error(
        "cannot listen on {address}: {error}; another program may have the port: end it, or give another \
         with --port"
    )]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        error: std::io::Error,
    },
    /// No thread can be had.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

/// A server that runs until it is dropped.
pub struct Host {
    address: SocketAddr,
    world: Arc<World<Peer>>,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
    begun: Instant,
    status_secs: f64,
    swept_secs: f64,
    steps_then: u64,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    /// Connections that are served.
    open: AtomicUsize,
    /// Everybody who may still be connected.
    peers: Mutex<Vec<Peer>>,
}

impl Host {
    /// Listens, and serves whoever connects.
    ///
    /// # Errors
    /// When the port cannot be had.
    pub fn open(options: &Options) -> Result<Self, ServerError> {
        let listen = |error| ServerError::Listen { address: options.listen, error };
        let listener = TcpListener::bind(options.listen).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let world = Arc::new(World::new(options.seed));
        let shared = Arc::new(Shared::default());
        let (to, all) = (Arc::clone(&world), Arc::clone(&shared));
        let acceptor = std::thread::Builder::new()
            .name("nh accept".into())
            .stack_size(STACK_BYTES)
            .spawn(move || accept(&listener, &to, &all))
            .map_err(ServerError::Thread)?;
        Ok(Self {
            address,
            world,
            shared,
            acceptor: Some(acceptor),
            begun: Instant::now(),
            status_secs: 0.0,
            swept_secs: 0.0,
            steps_then: 0,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// One line: where, and what is spoken.
    pub fn ready(&self) -> String {
        format!(
            "listening on {}: NhEnv of pvp-ml; each fight ticks when its own agents have stepped",
            self.address
        )
    }

    /// How many agents are logged in.
    pub fn agents(&self) -> usize {
        self.world.agents()
    }

    /// How many connections are open.
    pub fn connections(&self) -> usize {
        self.shared.open.load(Relaxed)
    }

    /// Steps that were asked for so far.
    pub fn steps(&self) -> u64 {
        self.world.counts.steps.load(Relaxed)
    }

    /// Does what is due, and says what goes on, every few seconds while something does.
    pub fn line(&mut self) -> Option<String> {
        let now_secs = self.begun.elapsed().as_secs_f64();
        if now_secs - self.swept_secs > SWEEP_SECS {
            self.swept_secs = now_secs;
            for (to, line) in self.world.expire(SILENCE) {
                to.send(&line);
            }
        }
        let past_secs = now_secs - self.status_secs;
        if past_secs < STATUS_SECS {
            return None;
        }
        self.status_secs = now_secs;
        let steps = self.steps();
        let new = steps - std::mem::replace(&mut self.steps_then, steps);
        (new > 0).then(|| format!("{}; {:.0} steps/s", self.status(), new as f64 / past_secs))
    }

    /// What it has done so far.
    pub fn status(&self) -> String {
        let counts = &self.world.counts;
        format!(
            "{} connections, {} agents, {} fights, {} steps; {} requests refused, {} connections closed for \
             what they sent",
            self.connections(),
            self.agents(),
            counts.fights.load(Relaxed),
            counts.steps.load(Relaxed),
            counts.refused.load(Relaxed),
            counts.closed.load(Relaxed)
        )
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.shared.stop.store(true, Relaxed);
        // The acceptor waits for a connection: this one ends it.
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
        }
        let woken = TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok();
        for peer in self.shared.peers.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            peer.close();
        }
        if let Some(acceptor) = self.acceptor.take().filter(|_| woken) {
            let _ = acceptor.join();
        }
    }
}

impl Shared {
    /// A connection is over.
    fn part(&self, peer: &Peer) {
        peer.close();
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        peers.retain(|other| !other.is(peer));
        self.open.fetch_sub(1, Relaxed);
    }
}

fn accept(listener: &TcpListener, world: &Arc<World<Peer>>, shared: &Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept() {
        if shared.stop.load(Relaxed) {
            return;
        }
        if shared.open.load(Relaxed) >= MOST_CONNECTIONS {
            continue;
        }
        let Ok(peer) = Peer::new(stream) else { continue };
        shared.peers.lock().unwrap_or_else(PoisonError::into_inner).push(peer.clone());
        let (world, all) = (Arc::clone(world), Arc::clone(shared));
        let thread = std::thread::Builder::new().name("nh agent".into()).stack_size(STACK_BYTES);
        shared.open.fetch_add(1, Relaxed);
        let served = peer.clone();
        let spawned = thread.spawn(move || {
            served.serve(&world);
            all.part(&served);
        });
        if spawned.is_err() {
            shared.part(&peer);
        }
    }
}

//! A server: its threads, from the first to the last.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Release};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mio::net::TcpListener;
use mio::{Interest, Poll, Token as Key, Waker};
use thiserror::Error;

use crate::formats::Format;
use crate::limits::Limits;
use crate::listen::{self, Desk};
use crate::metrics::Metrics;
use crate::model::Models;
use crate::reload::{Note, Watch};
use crate::shared::{Observer, Shared};
use crate::token::Token;
use crate::worker::{WAKER, Worker};

/// How a server is run.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen, and for which format. Port 0 takes any that is free.
    pub listen: Vec<(Format, SocketAddr)>,
    /// What clients must show; demanded by addresses beyond this machine.
    pub token: Option<Token>,
    /// What clients may cost.
    pub limits: Limits,
    /// Threads that decide.
    pub workers: usize,
    /// Dice of sessions that bring none.
    pub seed: u64,
    /// How often files are looked at for a change; `None`: only on [`Server::reload`].
    pub reload_every: Option<Duration>,
    /// Have every decision valued, for whoever watches.
    pub values: bool,
}

impl Config {
    /// One format on a free port of this machine.
    pub fn local(format: Format) -> Self {
        Self {
            listen: vec![(format, SocketAddr::from(([127, 0, 0, 1], 0)))],
            token: None,
            limits: Limits::default(),
            workers: thread::available_parallelism().map_or(1, |cores| cores.get()),
            seed: 0,
            reload_every: None,
            values: false,
        }
    }
}

/// A server that cannot begin.
#[derive(Debug, Error)]
pub enum ServeError {
    /// An address is taken or not ours.
    #[error("cannot listen on {address} for {format}: {source}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// For what.
        format: Format,
        /// Why.
        source: io::Error,
    },
    /// Others than this machine would be served without a secret.
    #[error("{0} can be reached from other machines, so clients must show a token")]
    NoToken(SocketAddr),
    /// The system refuses threads or wakers.
    #[error("cannot start the server: {0}")]
    System(#[from] io::Error),
}

/// A server that runs until it is stopped or dropped.
pub struct Server {
    shared: Arc<Shared>,
    watch: Arc<Watch>,
    addresses: Vec<(Format, SocketAddr)>,
    wakers: Vec<Arc<Waker>>,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Begins to serve. The observer is told of every decision, on the thread that made it.
    pub fn start(
        config: Config,
        models: Models,
        observer: Option<Observer>,
    ) -> Result<Self, ServeError> {
        if config.token.is_none()
            && let Some((_, beyond)) = config.listen.iter().find(|(_, a)| !a.ip().is_loopback())
        {
            return Err(ServeError::NoToken(*beyond));
        }
        let door = Poll::new()?;
        let mut listeners = Vec::new();
        let mut addresses = Vec::new();
        for (at, &(format, address)) in config.listen.iter().enumerate() {
            let failed = |source| ServeError::Listen { address, format, source };
            let mut listener = TcpListener::bind(address).map_err(failed)?;
            addresses.push((format, listener.local_addr().map_err(failed)?));
            door.registry().register(&mut listener, Key(at), Interest::READABLE)?;
            listeners.push((format, listener));
        }
        let workers = config.workers.max(1);
        let shared = Arc::new(Shared {
            models,
            metrics: Metrics::default(),
            limits: config.limits,
            token: config.token,
            seed: config.seed,
            values: config.values,
            observer,
            stopping: AtomicBool::new(false),
            load: (0..workers).map(|_| AtomicUsize::new(0)).collect(),
        });
        let watch = Arc::new(Watch::new(&shared));
        let mut server = Self { shared, watch, addresses, wakers: Vec::new(), threads: Vec::new() };
        let mut desks = Vec::new();
        for number in 0..workers {
            let poll = Poll::new()?;
            let waker = Arc::new(Waker::new(poll.registry(), WAKER)?);
            let (clients, incoming) = mpsc::channel();
            server.wakers.push(Arc::clone(&waker));
            desks.push(Desk { clients, waker });
            let worker = Worker::new(Arc::clone(&server.shared), number, poll, incoming);
            server.spawn(format!("serve-{number}"), || worker.run())?;
        }
        server.wakers.push(Arc::new(Waker::new(door.registry(), WAKER)?));
        let shared = Arc::clone(&server.shared);
        server.spawn("serve-door".to_owned(), move || {
            listen::run(&shared, door, &listeners, &desks);
        })?;
        if let Some(every) = config.reload_every {
            let (shared, watch) = (Arc::clone(&server.shared), Arc::clone(&server.watch));
            server.spawn("serve-reload".to_owned(), move || watch.run(&shared, every))?;
        }
        Ok(server)
    }

    fn spawn(&mut self, name: String, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
        self.threads.push(thread::Builder::new().name(name).spawn(run)?);
        Ok(())
    }

    /// Where it listens, with the ports that it was given.
    pub fn addresses(&self) -> &[(Format, SocketAddr)] {
        &self.addresses
    }

    /// Where it listens for a format.
    pub fn address(&self, format: Format) -> Option<SocketAddr> {
        self.addresses.iter().find(|(known, _)| *known == format).map(|(_, address)| *address)
    }

    /// What is served.
    pub fn models(&self) -> &Models {
        &self.shared.models
    }

    /// What was counted.
    pub fn metrics(&self) -> &Metrics {
        &self.shared.metrics
    }

    /// Reads all models again, now. What came of it is among the notes.
    pub fn reload(&self) {
        self.watch.reload(&self.shared);
    }

    /// What happened to models since the last call.
    pub fn notes(&self) -> Vec<Note> {
        self.watch.notes()
    }

    /// Lets nobody in any more, answers what has come, and ends.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.shared.stopping.store(true, Release);
        self.watch.stop();
        for waker in &self.wakers {
            let _ = waker.wake();
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

//! The doors: whoever comes is handed to the worker with the fewest clients.

use std::io::{self, Write};
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use mio::net::TcpListener;
use mio::{Events, Poll, Token as Key, Waker};

use crate::ask::Ask;
use crate::connection::Connection;
use crate::formats::{Format, Talk};
use crate::refusal::{Kind, Refusal};
use crate::shared::Shared;

/// Whoever watches the server gets in when others no longer do.
const WATCHERS: u64 = 16;
/// A pause after a failure to accept, such as too many open files.
const PAUSE: Duration = Duration::from_millis(20);

/// The way to a worker.
pub struct Desk {
    /// Takes clients.
    pub clients: Sender<Connection>,
    /// Tells it to look.
    pub waker: Arc<Waker>,
}

/// Lets clients in until the server stops.
pub fn run(shared: &Shared, mut poll: Poll, listeners: &[(Format, TcpListener)], workers: &[Desk]) {
    let mut events = Events::with_capacity(64);
    while !shared.stopping.load(Acquire) {
        let _ = poll.poll(&mut events, None);
        for event in &events {
            let Key(at) = event.token();
            if let Some((format, listener)) = listeners.get(at) {
                accept(shared, *format, listener, workers);
            }
        }
    }
}

fn accept(shared: &Shared, format: Format, listener: &TcpListener, workers: &[Desk]) {
    while !shared.stopping.load(Acquire) {
        let (mut stream, peer) = match listener.accept() {
            Ok(client) => client,
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => return,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => {
                thread::sleep(PAUSE);
                continue;
            }
        };
        let most = shared.limits.connections as u64;
        let room = if format == Format::Metrics { most + WATCHERS } else { most };
        if shared.metrics.connections.load(Relaxed) >= room {
            let message = format!("{most} clients are connected already; try again later");
            let refusal = Refusal::new(Kind::Connections, message);
            shared.metrics.refused(refusal.kind);
            let mut text = Vec::new();
            Talk::new(format).refused(&refusal, &Ask::default(), &mut text);
            // Nobody waits for a client that was not let in.
            let _ = stream.write(&text);
            let _ = stream.shutdown(Shutdown::Write);
            continue;
        }
        // Answers are small and wanted now.
        let _ = stream.set_nodelay(true);
        shared.metrics.accepted();
        let loads = shared.load.iter().map(|load| load.load(Relaxed)).enumerate();
        let worker = loads.min_by_key(|&(_, load)| load).map_or(0, |(worker, _)| worker);
        shared.load[worker].fetch_add(1, Relaxed);
        let client = Connection::new(stream, peer, format, Instant::now());
        if workers[worker].clients.send(client).is_ok() {
            let _ = workers[worker].waker.wake();
        }
    }
}

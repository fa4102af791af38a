//! A server in a thread of its own, for the tests of the live game.
#![allow(dead_code)] // every test takes what it needs

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use lanista_survivors::maps::Source;
use lanista_survivors::server::{Counts, Host, Options};

/// On loopback, at any port, on the smallest map.
pub fn options() -> Options {
    Options { map: Source::One("corridor".into()), ..Options::on_loopback(0).unwrap() }
}

/// A server that runs until it is stopped.
pub struct Running {
    pub address: SocketAddr,
    pub bridge: Option<SocketAddr>,
    stop: Arc<AtomicBool>,
    said: Arc<Mutex<Vec<String>>>,
    thread: Option<JoinHandle<Counts>>,
}

impl Running {
    pub fn start(options: Options) -> Self {
        let mut host = Host::open(&options).unwrap();
        let (address, bridge) = (host.address(), host.bridge_address());
        let stop = Arc::new(AtomicBool::new(false));
        let said = Arc::<Mutex<Vec<String>>>::default();
        let (stopped, lines) = (Arc::clone(&stop), Arc::clone(&said));
        let thread = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                host.turn(Duration::from_millis(1));
                lines.lock().unwrap().extend(host.line());
            }
            let counts = host.counts();
            host.close();
            counts
        });
        Self { address, bridge, stop, said, thread: Some(thread) }
    }

    /// Lines of the log so far.
    pub fn said(&self) -> Vec<String> {
        self.said.lock().unwrap().clone()
    }

    /// Ends it; what it has done.
    pub fn stop(mut self) -> Counts {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

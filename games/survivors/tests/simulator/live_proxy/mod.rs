//! A bad line, for the tests of the live game.
#![allow(dead_code)] // every test takes what it needs

use std::collections::BTreeMap;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lanista_game::seed;

/// Stands between clients and a server and loses, doubles and reorders what goes through, both ways.
pub struct Proxy {
    pub address: SocketAddr,
    /// Datagrams that went on, copies included.
    pub passed: Arc<AtomicU64>,
    /// Datagrams that were lost, doubled or held back.
    pub spoilt: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Proxy {
    pub fn start(server: SocketAddr) -> Self {
        let front = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = front.local_addr().unwrap();
        front.set_nonblocking(true).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let (passed, spoilt) = (Arc::<AtomicU64>::default(), Arc::<AtomicU64>::default());
        let (stopped, through, bad) = (stop.clone(), passed.clone(), spoilt.clone());
        let thread = std::thread::spawn(move || {
            let mut backs: BTreeMap<SocketAddr, UdpSocket> = BTreeMap::new();
            // What is held back until something else has passed, or a while.
            let mut held: Vec<(Instant, SocketAddr, bool, Vec<u8>)> = Vec::new();
            let mut count = 0;
            let mut bytes = [0; 2048];
            while !stopped.load(Ordering::Relaxed) {
                let mut arrived = Vec::new();
                while let Ok((length, from)) = front.recv_from(&mut bytes) {
                    arrived.push((from, true, bytes[..length].to_vec()));
                    backs.entry(from).or_insert_with(|| {
                        let back = UdpSocket::bind("127.0.0.1:0").unwrap();
                        back.set_nonblocking(true).unwrap();
                        back
                    });
                }
                for (client, back) in &backs {
                    while let Ok((length, _)) = back.recv_from(&mut bytes) {
                        arrived.push((*client, false, bytes[..length].to_vec()));
                    }
                }
                let nothing = arrived.is_empty();
                let mut going = Vec::new();
                for (client, up, datagram) in arrived {
                    count += 1;
                    match seed::mix(7, count) % 10 {
                        0 | 1 => drop(bad.fetch_add(1, Ordering::Relaxed)),
                        2 | 3 => {
                            bad.fetch_add(1, Ordering::Relaxed);
                            going.push((client, up, datagram.clone()));
                            held.push((Instant::now(), client, up, datagram));
                        }
                        4 | 5 => {
                            bad.fetch_add(1, Ordering::Relaxed);
                            held.push((Instant::now(), client, up, datagram));
                        }
                        _ => going.push((client, up, datagram)),
                    }
                }
                let late = |since: &Instant| since.elapsed() >= Duration::from_millis(3);
                for (_, client, up, datagram) in held.extract_if(.., |(since, ..)| late(since)) {
                    going.push((client, up, datagram));
                }
                for (client, up, datagram) in going {
                    through.fetch_add(1, Ordering::Relaxed);
                    let _ = match up {
                        true => backs[&client].send_to(&datagram, server),
                        false => front.send_to(&datagram, client),
                    };
                }
                if nothing {
                    std::thread::sleep(Duration::from_micros(300));
                }
            }
        });
        Self { address, passed, spoilt, stop, thread: Some(thread) }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

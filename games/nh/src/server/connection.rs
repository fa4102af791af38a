//! One connection: lines come in, answers go out.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::world::World;
use crate::wire::{Broken, REQUEST_BYTES, Request, failure};

/// Whoever does not take its answers for so long is hung up on: others may wait for the same thread.
const WRITE_PATIENCE: Duration = Duration::from_secs(1);

/// The far end of a connection.
#[derive(Clone)]
pub struct Peer(Arc<Inner>);

struct Inner {
    stream: Mutex<TcpStream>,
    closer: TcpStream,
}

impl Peer {
    /// Whoever is at the other end of this.
    pub fn new(stream: TcpStream) -> std::io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(WRITE_PATIENCE))?;
        let closer = stream.try_clone()?;
        Ok(Self(Arc::new(Inner { stream: Mutex::new(stream), closer })))
    }

    /// Sends a line; if that fails, nobody is there any more.
    pub fn send(&self, line: &str) {
        let mut stream = self.0.stream.lock().unwrap_or_else(PoisonError::into_inner);
        if stream.write_all(line.as_bytes()).is_err() {
            self.close();
        }
    }

    /// Are these the same connection?
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Ends the connection.
    pub fn close(&self) {
        let _ = self.0.closer.shutdown(Shutdown::Both);
    }

    /// Reads requests and answers them, until the other end closes or sends what is no request.
    pub fn serve(&self, world: &World<Self>) {
        let Ok(mut stream) = self.0.closer.try_clone() else { return };
        // Room for one line and its end: what is longer is no request.
        let mut room = vec![0; REQUEST_BYTES + 2];
        let mut filled = 0;
        let mut answers = Vec::new();
        loop {
            let count = match stream.read(&mut room[filled..]) {
                Ok(0) => return,
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            let mut looked = filled;
            filled += count;
            let mut begun = 0;
            while let Some(end) = room[looked..filled].iter().position(|&byte| byte == b'\n') {
                let line = &room[begun..looked + end];
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                match Request::read(line) {
                    Ok(request) => world.answer(request, self.clone(), &mut answers),
                    Err(Broken::Request(why)) => {
                        world.counts.refused.fetch_add(1, Relaxed);
                        answers
                            .push((self.clone(), failure(&format!("EnvironmentException: {why}"))));
                    }
                    Err(Broken::Line(_)) => {
                        world.counts.closed.fetch_add(1, Relaxed);
                        self.close();
                        return;
                    }
                }
                for (to, line) in answers.drain(..) {
                    to.send(&line);
                }
                begun = looked + end + 1;
                looked = begun;
            }
            room.copy_within(begun..filled, 0);
            filled -= begun;
            if filled > REQUEST_BYTES {
                world.counts.closed.fetch_add(1, Relaxed);
                self.close();
                return;
            }
        }
    }
}

//! A load generator: many clients that ask as fast as they are answered, and look at every answer.

mod latencies;
mod reply;
mod request;

use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token as Key};
use thiserror::Error;

use crate::formats::{Format, MAGIC};
use crate::json::write_string;
use crate::model::Endpoint;

pub use latencies::Latencies;

use reply::{Checker, whole};
use request::Request;

/// So many different requests are asked in turn.
const REQUESTS: u64 = 32;
/// Bytes of an answer.
const MOST_BYTES: usize = 1 << 16;
/// No answer takes longer, or the server is stuck.
const PATIENCE: Duration = Duration::from_secs(10);

/// What to do.
#[derive(Clone, Debug)]
pub struct Load {
    /// Whom to ask.
    pub address: SocketAddr,
    /// In which format.
    pub format: Format,
    /// Clients at once.
    pub connections: usize,
    /// Threads that they share.
    pub threads: usize,
    /// For how long.
    pub time: Duration,
    /// What to show; empty if nothing is asked for.
    pub token: String,
}

/// A load that could not be put on.
#[derive(Debug, Error)]
pub enum LoadError {
    /// Connection lost or never made.
    #[error("{address}: {source}")]
    Connection {
        /// Whom.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// An answer that is none.
    #[error("the server refused a request: {0}")]
    Refused(String),
    /// A format without a load.
    #[error("the load generator does not speak {0}; it speaks lines, binary, pvp-ml and short")]
    Format(Format),
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// How long the answers took.
    pub latencies: Latencies,
    /// Answers that are no decision which their request allows: another number of choices than there are
    /// heads, a choice out of range or forbidden. Those before the counting began are among them.
    pub faults: u64,
    /// What was wrong with one of them.
    pub first_fault: Option<String>,
}

/// Asks until the time is over. Nothing is counted while `warm` is false.
pub fn run(load: &Load, endpoint: &Endpoint, warm: &AtomicBool) -> Result<Outcome, LoadError> {
    let request = |i| Request::new(load.format, endpoint, i);
    let requests: Vec<Request> =
        (0..REQUESTS).map(request).collect::<Option<_>>().ok_or(LoadError::Format(load.format))?;
    let threads = load.threads.clamp(1, load.connections.max(1));
    let requests = &requests;
    let mut all = Outcome::default();
    let results: Vec<Result<Outcome, LoadError>> = thread::scope(|scope| {
        let clients: Vec<_> = (0..threads)
            .map(|t| {
                let own = load.connections / threads + usize::from(t < load.connections % threads);
                scope.spawn(move || match own {
                    1 => alone(load, endpoint, requests, warm),
                    _ => many(load, endpoint, requests, warm, own),
                })
            })
            .collect();
        let joined = clients.into_iter().map(|client| {
            client.join().unwrap_or_else(|_| Err(LoadError::Refused("a client panicked".into())))
        });
        joined.collect()
    });
    for result in results {
        let one = result?;
        all.latencies.merge(&one.latencies);
        all.faults += one.faults;
        all.first_fault = all.first_fault.or(one.first_fault);
    }
    Ok(all)
}

/// Connects, and says what must be said before the first request.
fn connect(load: &Load, endpoint: &Endpoint) -> Result<std::net::TcpStream, LoadError> {
    let lost = |source| LoadError::Connection { address: load.address, source };
    let mut stream = std::net::TcpStream::connect_timeout(&load.address, PATIENCE).map_err(lost)?;
    stream.set_nodelay(true).map_err(lost)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(lost)?;
    let mut greeting = Vec::new();
    if load.format == Format::Binary {
        let texts = [endpoint.name.as_str(), load.token.as_str()];
        let length = MAGIC.len() + texts.iter().map(|text| 2 + text.len()).sum::<usize>();
        greeting.extend_from_slice(&(length as u32).to_le_bytes());
        greeting.extend_from_slice(&MAGIC);
        for text in texts {
            greeting.extend_from_slice(&(text.len() as u16).to_le_bytes());
            greeting.extend_from_slice(text.as_bytes());
        }
    } else if !load.token.is_empty() {
        greeting.extend_from_slice(b"{\"token\":");
        write_string(&mut greeting, &load.token);
        greeting.extend_from_slice(b"}\n");
    }
    stream.write_all(&greeting).map_err(lost)?;
    let answered = matches!(load.format, Format::Binary | Format::Lines) && !greeting.is_empty();
    if answered {
        read_whole(&mut stream, load, &mut vec![0; MOST_BYTES])?;
    }
    Ok(stream)
}

/// Waits for an answer; returns its length.
fn read_whole(
    stream: &mut std::net::TcpStream,
    load: &Load,
    room: &mut [u8],
) -> Result<usize, LoadError> {
    let lost = |source| LoadError::Connection { address: load.address, source };
    let mut filled = 0;
    loop {
        match stream.read(&mut room[filled..]).map_err(lost)? {
            0 => return Err(lost(ErrorKind::UnexpectedEof.into())),
            count => filled += count,
        }
        if whole(load.format, &room[..filled]).map_err(LoadError::Refused)? {
            return Ok(filled);
        }
    }
}

/// One client on a thread of its own, which waits as a bot would.
fn alone(
    load: &Load,
    endpoint: &Endpoint,
    requests: &[Request],
    warm: &AtomicBool,
) -> Result<Outcome, LoadError> {
    let lost = |source| LoadError::Connection { address: load.address, source };
    let mut stream = connect(load, endpoint)?;
    let (mut room, mut latencies) = (vec![0; MOST_BYTES], Latencies::default());
    let mut checker = Checker::new(load.format, &endpoint.role, requests.len());
    let mut began = Instant::now();
    for (at, request) in requests.iter().enumerate().cycle() {
        let asked = Instant::now();
        stream.write_all(&request.bytes).map_err(lost)?;
        let length = read_whole(&mut stream, load, &mut room)?;
        if warm.load(Relaxed) {
            latencies.add(asked.elapsed());
        } else {
            began = Instant::now();
        }
        checker.check(at, request, &room[..length]);
        if began.elapsed() >= load.time {
            break;
        }
    }
    Ok(Outcome { latencies, faults: checker.faults, first_fault: checker.first_fault })
}

/// One of several clients of a thread.
struct Client {
    stream: TcpStream,
    request: usize,
    /// Bytes of the request that are on their way.
    sent: usize,
    answer: Vec<u8>,
    asked: Instant,
}

impl Client {
    fn ask(&mut self, requests: &[Request]) -> io::Result<()> {
        let request = &requests[self.request].bytes;
        while self.sent < request.len() {
            match self.stream.write(&request[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(e) if e.kind() == ErrorKind::WouldBlock => break,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }
}

fn many(
    load: &Load,
    endpoint: &Endpoint,
    requests: &[Request],
    warm: &AtomicBool,
    connections: usize,
) -> Result<Outcome, LoadError> {
    let lost = |source| LoadError::Connection { address: load.address, source };
    let mut poll = Poll::new().map_err(lost)?;
    let mut clients = Vec::new();
    for at in 0..connections {
        let stream = connect(load, endpoint)?;
        stream.set_nonblocking(true).map_err(lost)?;
        let mut stream = TcpStream::from_std(stream);
        let interest = Interest::READABLE | Interest::WRITABLE;
        poll.registry().register(&mut stream, Key(at), interest).map_err(lost)?;
        let (request, asked) = (at % requests.len(), Instant::now());
        clients.push(Client { stream, request, sent: 0, answer: Vec::new(), asked });
    }
    for client in &mut clients {
        client.asked = Instant::now();
        client.ask(requests).map_err(lost)?;
    }
    let mut latencies = Latencies::default();
    let mut checker = Checker::new(load.format, &endpoint.role, requests.len());
    let mut events = Events::with_capacity(connections.max(16));
    let mut chunk = vec![0; MOST_BYTES];
    let mut began = Instant::now();
    while began.elapsed() < load.time {
        match poll.poll(&mut events, Some(PATIENCE)) {
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            polled => polled.map_err(lost)?,
        }
        if events.is_empty() {
            return Err(lost(ErrorKind::TimedOut.into()));
        }
        let counts = warm.load(Relaxed);
        if !counts {
            began = Instant::now();
        }
        for event in &events {
            let Key(at) = event.token();
            let client = &mut clients[at];
            if client.sent < requests[client.request].bytes.len() {
                client.ask(requests).map_err(lost)?;
            }
            if !event.is_readable() {
                continue;
            }
            loop {
                match client.stream.read(&mut chunk) {
                    Ok(0) => return Err(lost(ErrorKind::UnexpectedEof.into())),
                    Ok(count) => {
                        client.answer.extend_from_slice(&chunk[..count]);
                        if whole(load.format, &client.answer).map_err(LoadError::Refused)? {
                            if counts {
                                latencies.add(client.asked.elapsed());
                            }
                            let asked = &requests[client.request];
                            checker.check(client.request, asked, &client.answer);
                            client.answer.clear();
                            client.request = (client.request + 1) % requests.len();
                            client.sent = 0;
                            client.asked = Instant::now();
                            client.ask(requests).map_err(lost)?;
                        }
                        if cfg!(target_os = "linux") && count < chunk.len() {
                            break;
                        }
                    }
                    Err(e) if e.kind() == ErrorKind::WouldBlock => break,
                    Err(e) if e.kind() == ErrorKind::Interrupted => {}
                    Err(e) => return Err(lost(e)),
                }
            }
        }
    }
    Ok(Outcome { latencies, faults: checker.faults, first_fault: checker.first_fault })
}

//! A load generator: many clients that ask as fast as they are answered.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use lanista_game::seed;
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token as Key};
use thiserror::Error;

use crate::formats::{Format, MAGIC, flags, kinds};
use crate::json::{Bytes, write_string};
use crate::model::Endpoint;

/// So many different requests are asked in turn.
const REQUESTS: u64 = 32;
/// Latencies are counted in steps of half a microsecond up to here, in milliseconds above.
const FINE: usize = 20_000;
const COARSE: usize = 60_000;
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

/// How long answers took.
pub struct Latencies {
    fine: Vec<u64>,
    coarse: Vec<u64>,
    /// How many there were.
    pub count: u64,
}

impl Default for Latencies {
    fn default() -> Self {
        Self { fine: vec![0; FINE], coarse: vec![0; COARSE], count: 0 }
    }
}

impl Latencies {
    fn add(&mut self, time: Duration) {
        let half_micros = time.as_nanos() / 500;
        match usize::try_from(half_micros) {
            Ok(at) if at < FINE => self.fine[at] += 1,
            _ => {
                let at = usize::try_from(time.as_millis()).unwrap_or(COARSE);
                self.coarse[at.min(COARSE - 1)] += 1;
            }
        }
        self.count += 1;
    }

    fn merge(&mut self, other: &Self) {
        let both = [(&mut self.fine, &other.fine), (&mut self.coarse, &other.coarse)];
        for (own, others) in both {
            own.iter_mut().zip(others).for_each(|(own, other)| *own += other);
        }
        self.count += other.count;
    }

    /// So many microseconds are not exceeded by this share of the answers.
    pub fn quantile(&self, share: f64) -> f64 {
        let mut left = ((self.count as f64 * share).ceil() as u64).max(1);
        let fine = self.fine.iter().enumerate().map(|(at, n)| ((at + 1) as f64 * 0.5, n));
        let coarse = self.coarse.iter().enumerate().map(|(at, n)| ((at + 1) as f64 * 1e3, n));
        for (end, &count) in fine.chain(coarse) {
            if count >= left {
                return end;
            }
            left -= count;
        }
        f64::NAN
    }
}

/// Asks until the time is over. Nothing is counted while `warm` is false.
pub fn run(load: &Load, endpoint: &Endpoint, warm: &AtomicBool) -> Result<Latencies, LoadError> {
    let requests: Vec<Vec<u8>> =
        (0..REQUESTS).map(|i| request(load.format, endpoint, i)).collect::<Result<_, _>>()?;
    let threads = load.threads.clamp(1, load.connections.max(1));
    let requests = &requests;
    let mut all = Latencies::default();
    let results: Vec<Result<Latencies, LoadError>> = thread::scope(|scope| {
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
        all.merge(&result?);
    }
    Ok(all)
}

/// A request of random numbers.
fn request(format: Format, endpoint: &Endpoint, i: u64) -> Result<Vec<u8>, LoadError> {
    let number = |f: usize| seed::uniform(seed::mix(i, f as u64)) * 2.0 - 1.0;
    let observation: Vec<f32> = (0..endpoint.frame_features).map(number).collect();
    let mut at = 0;
    let mut masks = Vec::new();
    for &size in &endpoint.shape.heads {
        let legal = |a: usize| a == 0 || seed::mix(i, (1_000_000 + at + a) as u64) % 3 > 0;
        masks.push((0..size).map(legal).collect::<Vec<bool>>());
        at += size;
    }
    let mut out = Vec::new();
    if format == Format::Binary {
        let bits: Vec<bool> = masks.concat();
        let mut body = vec![kinds::DECIDE, 0];
        body.extend_from_slice(&flags::MASK.to_le_bytes());
        body.extend_from_slice(&[0; 8]);
        body.extend_from_slice(&(observation.len() as u32).to_le_bytes());
        observation.iter().for_each(|n| body.extend_from_slice(&n.to_le_bytes()));
        for byte in bits.chunks(8) {
            body.push(byte.iter().enumerate().fold(0, |all, (b, &on)| all | (u8::from(on) << b)));
        }
        out.extend_from_slice(&(body.len() as u32).to_le_bytes());
        out.extend_from_slice(&body);
        return Ok(out);
    }
    let (obs, mask) = match format {
        Format::Lines => ("{\"obs\":[", "],\"mask\":["),
        Format::PvpMl | Format::Short => ("{\"obs\":[[", "]],\"actionMasks\":["),
        other => return Err(LoadError::Format(other)),
    };
    let mut text = Bytes(&mut out);
    let comma = |i: usize| if i > 0 { "," } else { "" };
    let _ = text.write_str(obs);
    for (i, number) in observation.iter().enumerate() {
        let _ = write!(text, "{}{number:.6}", comma(i));
    }
    let _ = text.write_str(mask);
    for (h, head) in masks.iter().enumerate() {
        let _ = write!(text, "{}[", comma(h));
        for (a, legal) in head.iter().enumerate() {
            let _ = write!(text, "{}{legal}", comma(a));
        }
        let _ = text.write_str("]");
    }
    let _ = text.write_str("],\"deterministic\":true");
    if format != Format::Short {
        let _ = text.write_str(",\"model\":");
        write_string(text.0, &endpoint.name);
    }
    out.extend_from_slice(b"}\n");
    Ok(out)
}

/// Is a whole answer here? Answers come one at a time: nothing is asked before.
fn whole(format: Format, bytes: &[u8]) -> Result<bool, LoadError> {
    let sound = match format {
        Format::Binary => {
            let Some(&length) = bytes.first_chunk::<4>() else { return Ok(false) };
            if bytes.len() < 4 + u32::from_le_bytes(length) as usize {
                return Ok(false);
            }
            bytes[4] == 0
        }
        _ => {
            if bytes.last() != Some(&b'\n') {
                return Ok(false);
            }
            // A good token is answered by our own lines alone.
            bytes.starts_with(b"{\"action\"") || bytes.starts_with(b"{\"ok\"")
        }
    };
    match sound {
        true => Ok(true),
        false => Err(LoadError::Refused(String::from_utf8_lossy(bytes).trim().to_owned())),
    }
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
        read_whole(&mut stream, load, &mut vec![0; 1 << 16])?;
    }
    Ok(stream)
}

fn read_whole(
    stream: &mut std::net::TcpStream,
    load: &Load,
    room: &mut [u8],
) -> Result<(), LoadError> {
    let lost = |source| LoadError::Connection { address: load.address, source };
    let mut filled = 0;
    loop {
        match stream.read(&mut room[filled..]).map_err(lost)? {
            0 => return Err(lost(ErrorKind::UnexpectedEof.into())),
            count => filled += count,
        }
        if whole(load.format, &room[..filled])? {
            return Ok(());
        }
    }
}

/// One client on a thread of its own, which waits as a bot would.
fn alone(
    load: &Load,
    endpoint: &Endpoint,
    requests: &[Vec<u8>],
    warm: &AtomicBool,
) -> Result<Latencies, LoadError> {
    let lost = |source| LoadError::Connection { address: load.address, source };
    let mut stream = connect(load, endpoint)?;
    let (mut room, mut latencies) = (vec![0; 1 << 16], Latencies::default());
    let mut began = Instant::now();
    for request in requests.iter().cycle() {
        let asked = Instant::now();
        stream.write_all(request).map_err(lost)?;
        read_whole(&mut stream, load, &mut room)?;
        if warm.load(Relaxed) {
            latencies.add(asked.elapsed());
        } else {
            began = Instant::now();
        }
        if began.elapsed() >= load.time {
            break;
        }
    }
    Ok(latencies)
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
    fn ask(&mut self, requests: &[Vec<u8>]) -> io::Result<()> {
        let request = &requests[self.request];
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
    requests: &[Vec<u8>],
    warm: &AtomicBool,
    connections: usize,
) -> Result<Latencies, LoadError> {
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
    let mut events = Events::with_capacity(connections.max(16));
    let mut chunk = vec![0; 1 << 16];
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
            if client.sent < requests[client.request].len() {
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
                        if whole(load.format, &client.answer)? {
                            if counts {
                                latencies.add(client.asked.elapsed());
                            }
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
    Ok(latencies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_sorted_list() {
        let mut latencies = Latencies::default();
        for micros in 1..=1000 {
            latencies.add(Duration::from_micros(micros));
        }
        for (share, want) in [(0.5, 500.0), (0.99, 990.0), (0.001, 1.0), (1.0, 1000.0)] {
            let got = latencies.quantile(share);
            assert!((got - want).abs() <= 1.0, "{share}: {got}");
        }
        latencies.add(Duration::from_millis(70));
        assert!((latencies.quantile(1.0) - 71_000.0).abs() < 1.0);
    }
}

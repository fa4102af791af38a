//! A stand-in for the game: the simulator behind Mnemosyne v1 and v2 and the director's bridge.
//!
//! A client cannot tell it from the game with the plugin in it, so agents, clients and the wire can be tried
//! without either. Survivors whom nobody plays are played by the scripted `follower`. There is no thread here:
//! [`Host::turn`] waits for a datagram for a moment, lets time pass and sends what is due.
//!
//! v1 and clients that share a game play in the first one. With several games, every v2 client, by its
//! address, gets one of its own as long as there are free ones: that is how one server plays the many
//! matches of a run at once.

mod bridge;
mod events;
mod hands;
mod instance;
pub(crate) mod told;

use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::path::Path;
use std::time::{Duration, Instant};

use thiserror::Error;

pub use instance::Counts;

use crate::entropy;
use crate::maps::{MapError, Source};
use crate::sim::director::Temperament;
use crate::sim::numbers::Difficulty;
use crate::sim::world::SURVIVORS;
use crate::wire::session::server::Outbox;
use crate::wire::session::v1::{Layout, V1Server};
use crate::wire::v2::DATAGRAM_BYTES;
use crate::wire::v2::keys::SharedKey;
use crate::wire::{DEFAULT_PORT, Dialect, WireError};
use bridge::Bridge;
use instance::Instance;

/// The key of both sides on loopback when none is given: no secret, and good for nothing else.
pub const LOOPBACK_KEY: &[u8] = b"mnemosyne on loopback";
/// Most games of one server.
pub const MOST_GAMES: usize = 256;
/// A line on how things stand, this often at most.
const STATUS_SECS: f64 = 30.0;

/// How fast a game runs that waits for nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Speed {
    /// 30 ticks a second.
    #[default]
    Realtime,
    /// As fast as it can while somebody plays.
    Max,
}

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen; port 0 takes any.
    pub listen: SocketAddr,
    /// Where it happens; RESET may name any of them, and ours.
    pub map: Source,
    /// How hard it is.
    pub difficulty: Difficulty,
    /// How hard the director means to be.
    pub temperament: Temperament,
    /// How many survivors, 1 to 4.
    pub survivors: usize,
    /// What both sides know.
    pub key: SharedKey,
    /// Is v1 answered from anywhere? Else from loopback only.
    pub v1_everywhere: bool,
    /// Which state v1 clients get.
    pub v1_layout: Layout,
    /// How fast it runs when it waits for nobody.
    pub speed: Speed,
    /// Games at once.
    pub games: usize,
    /// Where directors connect, by TCP and UDP.
    pub bridge: Option<u16>,
    /// Everything random of the matches follows from this.
    pub seed: u64,
}

impl Options {
    /// On loopback, with the key for it.
    pub fn on_loopback(port: u16) -> Result<Self, WireError> {
        Ok(Self {
            listen: SocketAddr::from(([127, 0, 0, 1], port)),
            map: Source::One("apartment".into()),
            difficulty: Difficulty::Normal,
            temperament: Temperament::Standard,
            survivors: SURVIVORS,
            key: SharedKey::new(LOOPBACK_KEY)?,
            v1_everywhere: false,
            v1_layout: Layout::Documented,
            speed: Speed::Realtime,
            games: 1,
            bridge: None,
            seed: 0,
        })
    }
}

/// Why a server does not start.
#[derive(Debug, Error)]
pub enum HostError {
    /// Nobody can listen there.
    #[error(
        "cannot listen on {address}: {source}; is another server running there? choose another with --port \
         (0 takes any; the usual one is {DEFAULT_PORT})"
    )]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        source: std::io::Error,
    },
    /// The map cannot be played on.
    #[error(transparent)]
    Map(#[from] MapError),
    /// A number is out of its range.
    #[error("{what} is {value}, allowed is {least} to {most}")]
    Range {
        /// Of what.
        what: &'static str,
        /// What was given.
        value: usize,
        /// At least.
        least: usize,
        /// At most.
        most: usize,
    },
}

/// A server that runs.
pub struct Host {
    socket: UdpSocket,
    address: SocketAddr,
    games: Vec<Instance>,
    bridge: Option<Bridge>,
    begun: Instant,
    /// Datagrams of no protocol.
    strange: u64,
    reported: (u64, f64),
    status_secs: f64,
    v1_everywhere: bool,
}

impl Host {
    /// Starts to listen.
    pub fn open(options: &Options) -> Result<Self, HostError> {
        let within = |what, value, most| match value {
            value if (1..=most).contains(&value) => Ok(()),
            value => Err(HostError::Range { what, value, least: 1, most }),
        };
        within("--survivors", options.survivors, SURVIVORS)?;
        within("--games", options.games, MOST_GAMES)?;
        let names = options.map.names().iter().map(|name| wire_name(name));
        let maps: Vec<_> = names.zip(options.map.load()?).collect();
        let listen = |address: SocketAddr| {
            let open = || -> std::io::Result<UdpSocket> {
                let socket = UdpSocket::bind(address)?;
                socket.set_nonblocking(false)?;
                Ok(socket)
            };
            open().map_err(|source| HostError::Listen { address, source })
        };
        let socket = listen(options.listen)?;
        let address = socket.local_addr().unwrap_or(options.listen);
        let game =
            |number: usize| Instance::new(options, maps.clone(), entropy::seed(), number as u64);
        let mut games: Vec<Instance> = (0..options.games).map(game).collect();
        let bots = (1u32 << options.survivors) - 1;
        games[0].v1 = Some(if options.v1_everywhere {
            V1Server::for_everyone(options.v1_layout, bots)
        } else {
            V1Server::on_loopback(options.v1_layout, bots)
        });
        let bridge = match options.bridge {
            None => None,
            Some(port) => {
                let address = SocketAddr::new(IpAddr::from([127, 0, 0, 1]), port);
                let open = Bridge::open(address);
                Some(open.map_err(|source| HostError::Listen { address, source })?)
            }
        };
        Ok(Self {
            socket,
            address,
            games,
            bridge,
            begun: Instant::now(),
            strange: 0,
            reported: (0, f64::NEG_INFINITY),
            status_secs: 0.0,
            v1_everywhere: options.v1_everywhere,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where directors connect.
    pub fn bridge_address(&self) -> Option<SocketAddr> {
        self.bridge.as_ref().map(Bridge::address)
    }

    /// What it has done so far, of all games.
    pub fn counts(&self) -> Counts {
        self.games.iter().fold(Counts::default(), |all, game| Counts {
            actions: all.actions + game.counts.actions,
            episodes: all.episodes + game.counts.episodes,
            ticks: all.ticks + game.counts.ticks,
        })
    }

    /// Datagrams with a tag of another key.
    pub fn wrong_keys(&self) -> u64 {
        self.games.iter().map(|game| game.wire.dropped().wrong_key).sum()
    }

    /// One line: where, what is spoken, what is played.
    pub fn ready(&self) -> String {
        let v1 = if self.v1_everywhere { "v1 from anywhere" } else { "v1 from loopback" };
        let bridge = match self.bridge_address() {
            Some(address) => format!(", the director's bridge on {address}"),
            None => String::new(),
        };
        let games = match self.games.len() {
            1 => String::new(),
            several => format!(", {several} games"),
        };
        let map = self.games[0].map();
        format!("listening on {}: v2, {v1}{bridge}; playing {map}{games}", self.address)
    }

    /// Waits for a datagram, but not longer than `wait`, and does what is due.
    pub fn turn(&mut self, wait: Duration) {
        let eager = self.games.iter().any(Instance::is_eager);
        let wait = if eager { Duration::from_micros(50) } else { wait };
        let _ = self.socket.set_read_timeout(Some(wait.max(Duration::from_micros(1))));
        let mut datagram = [0; DATAGRAM_BYTES + 1];
        let mut out = Outbox::default();
        if let Ok((length, from)) = self.socket.recv_from(&mut datagram) {
            self.take(from, &datagram[..length], &mut out);
            // What else is there is taken at once, but not without end.
            let _ = self.socket.set_nonblocking(true);
            for _ in 0..4 * MOST_GAMES {
                let Ok((length, from)) = self.socket.recv_from(&mut datagram) else { break };
                self.take(from, &datagram[..length], &mut out);
            }
            let _ = self.socket.set_nonblocking(false);
        }
        let now_secs = self.begun.elapsed().as_secs_f64();
        if let Some(bridge) = &mut self.bridge {
            bridge.turn(now_secs, &mut self.games[0]);
        }
        for game in &mut self.games {
            game.poll(now_secs, &mut out);
        }
        self.send(&mut out);
    }

    fn take(&mut self, from: SocketAddr, datagram: &[u8], out: &mut Outbox) {
        let now_secs = self.begun.elapsed().as_secs_f64();
        match Dialect::of(datagram) {
            Some(Dialect::V1) => self.games[0].receive_v1(now_secs, from, datagram, out),
            Some(Dialect::V2) => {
                let game = self.game_of(from);
                self.games[game].receive(now_secs, from, datagram, out);
            }
            Some(Dialect::Bridge) | None => self.strange += 1,
        }
    }

    /// The game that an address has a session in, or else a handshake, or else one that nobody plays in, or
    /// else the first. Nothing is kept beyond that: whoever was turned away looks for a free game anew, and a
    /// game is free as soon as its client has said goodbye.
    fn game_of(&self, from: SocketAddr) -> usize {
        let find = |is: &dyn Fn(&Instance) -> bool| self.games.iter().position(is);
        find(&|game| game.wire.has_session(from))
            .or_else(|| find(&|game| game.wire.has_handshake(from)))
            .or_else(|| find(&|game| game.wire.is_idle()))
            .unwrap_or(0)
    }

    fn send(&self, out: &mut Outbox) {
        for (to, datagram) in out.datagrams.drain(..) {
            // A client that is gone is noticed by its silence.
            let _ = self.socket.send_to(&datagram, to);
        }
    }

    /// A line for the log, when there is something to say and it was not said of late.
    pub fn line(&mut self) -> Option<String> {
        let now_secs = self.begun.elapsed().as_secs_f64();
        if let Some(dropped) = self.dropped_line(now_secs) {
            return Some(dropped);
        }
        if now_secs - self.status_secs < STATUS_SECS {
            return None;
        }
        self.status_secs = now_secs;
        Some(self.status())
    }

    fn dropped_line(&mut self, now_secs: f64) -> Option<String> {
        for game in &mut self.games {
            if let Some(line) = game.wire.report(now_secs) {
                return Some(line);
            }
        }
        let v1 = self.games[0].v1.as_ref().map_or(0, |v1| v1.dropped().total());
        let total = self.strange + v1;
        let (told, at_secs) = self.reported;
        if total == told || now_secs - at_secs < crate::wire::session::REPORT_SECS {
            return None;
        }
        self.reported = (total, now_secs);
        Some(format!("dropped {v1} datagrams of v1 and {} of no protocol", self.strange))
    }

    /// How things stand: clients, episodes, actions, ticks, and what was dropped.
    pub fn status(&self) -> String {
        let counts = self.counts();
        let clients: usize = self.games.iter().map(|game| game.wire.sessions()).sum();
        let dropped: u64 = self.games.iter().map(|game| game.wire.dropped().total()).sum();
        format!(
            "{clients} clients, {} episodes, {} actions, {} ticks; dropped {} datagrams, {} of them with a \
             wrong key",
            counts.episodes,
            counts.actions,
            counts.ticks,
            dropped + self.strange,
            self.wrong_keys()
        )
    }

    /// Says goodbye to everybody.
    pub fn close(mut self) {
        let mut out = Outbox::default();
        for game in &mut self.games {
            game.wire.stop(&mut out);
        }
        self.send(&mut out);
    }
}

/// What a map is called on the wire: ours by its name, a file by its name without its path and ending.
pub fn wire_name(map: &str) -> String {
    Path::new(map).file_stem().map_or(map.into(), |stem| stem.to_string_lossy()).into_owned()
}

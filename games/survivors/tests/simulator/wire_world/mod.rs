//! A client and a server with a bad line between them, and a game that is nothing but a clock.

use lanista_survivors::wire::session::client::{self, Client, ClientConfig};
use lanista_survivors::wire::session::server::{self, Happening, Server, ServerConfig};
use lanista_survivors::wire::state::BotState;
use lanista_survivors::wire::v2::action::Action;
use lanista_survivors::wire::v2::control::{Event, NONE, Reset, ResetStatus, event};
use lanista_survivors::wire::v2::hello::{Nonces, Welcome};
use lanista_survivors::wire::v2::keys::{SessionKeys, SharedKey};
use lanista_survivors::wire::v2::state::Extended;
use lanista_survivors::wire::v2::{Header, Kind, Message, seal};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

pub const KEY: &[u8] = b"a shared key of some length";
pub const CLIENT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 40_000);
const TURN_SECS: f64 = 0.01;

/// Chance from a seed (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub fn unit(&mut self) -> f64 {
        (self.draw() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.draw() % end.max(1) as u64) as usize
    }

    /// Bits turned, bytes set, cut off, added, swapped.
    pub fn mutate(&mut self, datagram: &[u8]) -> Vec<u8> {
        let mut mutant = datagram.to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(mutant.len());
            match self.below(5) {
                0 if !mutant.is_empty() => mutant[at] ^= 1 << self.below(8),
                1 if !mutant.is_empty() => mutant[at] = self.draw() as u8,
                2 => mutant.truncate(at),
                3 => mutant.extend((0..=self.below(40)).map(|i| i as u8)),
                _ if !mutant.is_empty() => {
                    let other = self.below(mutant.len());
                    mutant.swap(at, other);
                }
                _ => {}
            }
        }
        mutant
    }
}

pub fn server_with(key: &[u8], capabilities: u32) -> Server {
    let config = ServerConfig {
        key: SharedKey::new(key).unwrap(),
        capabilities,
        name: "a clock".into(),
        bots: 0b1111,
        ticks_per_sec: 30,
        ticks_per_state: 3,
        hold_ticks: 15,
        max_sessions: 4,
    };
    Server::new(config, "corridor", [1; 32])
}

pub fn client_with(key: &[u8], capabilities: u32) -> Client {
    // Every client of a test has nonces of its own, as every run of a program has.
    static MADE: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
    client_of(key, capabilities, MADE.fetch_add(1, std::sync::atomic::Ordering::Relaxed) << 32)
}

pub fn client_of(key: &[u8], capabilities: u32, client_id: u64) -> Client {
    let config = ClientConfig {
        key: SharedKey::new(key).unwrap(),
        client_id,
        capabilities,
        bots_wanted: u32::MAX,
        states_per_sec: 0,
        name: "test".into(),
    };
    let mut seed = [2; 32];
    seed[..8].copy_from_slice(&client_id.to_le_bytes());
    Client::new(config, 0.0, seed)
}

/// Opens a session over a line that loses nothing.
pub fn open_from(client: &mut Client, server: &mut Server, now_secs: f64, from: &str) -> Welcome {
    let from: SocketAddr = from.parse().unwrap();
    let mut to_server = client::Outbox::default();
    client.poll(now_secs, &mut to_server);
    for _ in 0..3 {
        let mut to_client = server::Outbox::default();
        for (_, datagram) in std::mem::take(&mut to_server.datagrams) {
            server.receive(now_secs, from, &datagram, &mut to_client);
        }
        for (_, datagram) in to_client.datagrams {
            client.receive(now_secs, &datagram, &mut to_server);
        }
    }
    client.welcome().cloned().expect("a session")
}

struct Flying {
    arrives_secs: f64,
    to_server: bool,
    number: u64,
    datagram: Vec<u8>,
}

pub struct World {
    pub client: Client,
    pub server: Server,
    pub now_secs: f64,
    /// What the server told its owner and the test has not yet looked at.
    pub told: Vec<Happening>,
    /// Everything that was ever sent, and whether to the server.
    pub recorded: Vec<(bool, Vec<u8>)>,
    pub lost: u64,
    pub doubled: u64,
    pub overtaken: u64,
    dice: Dice,
    loss: f64,
    flying: Vec<Flying>,
    sent: u64,
    newest: [u64; 2],
    tick: u32,
}

impl World {
    pub fn new(dice: Dice, loss: f64, capabilities: u32) -> Self {
        Self {
            client: client_with(KEY, capabilities),
            server: server_with(KEY, capabilities),
            now_secs: 0.0,
            told: Vec::new(),
            recorded: Vec::new(),
            lost: 0,
            doubled: 0,
            overtaken: 0,
            dice,
            loss,
            flying: Vec::new(),
            sent: 0,
            newest: [0; 2],
            tick: 0,
        }
    }

    fn throw(&mut self, to_server: bool, datagram: Vec<u8>) {
        self.recorded.push((to_server, datagram.clone()));
        self.sent += 1;
        let doubled = self.dice.unit() < self.loss;
        self.doubled += u64::from(doubled);
        for _ in 0..=u8::from(doubled) {
            if self.dice.unit() < self.loss {
                self.lost += 1;
                continue;
            }
            let delay_secs = 0.002 + if self.loss > 0.0 { self.dice.unit() * 0.06 } else { 0.0 };
            let arrives_secs = self.now_secs + delay_secs;
            let (number, datagram) = (self.sent, datagram.clone());
            self.flying.push(Flying { arrives_secs, to_server, number, datagram });
        }
    }

    pub fn carry(&mut self, out: client::Outbox) -> Vec<client::Happening> {
        for (_, datagram) in out.datagrams {
            self.throw(true, datagram);
        }
        out.happened
    }

    fn carry_back(&mut self, out: server::Outbox) {
        for (_, datagram) in out.datagrams {
            self.throw(false, datagram);
        }
        self.told.extend(out.happened);
    }

    /// A hundredth of a second.
    pub fn turn(&mut self) -> Vec<client::Happening> {
        self.now_secs += TURN_SECS;
        let mut happened = Vec::new();
        let mut out = client::Outbox::default();
        self.client.poll(self.now_secs, &mut out);
        happened.extend(self.carry(out));
        let mut out = server::Outbox::default();
        self.server.poll(self.now_secs, &mut out);
        self.carry_back(out);
        let (mut due, later): (Vec<Flying>, Vec<Flying>) = std::mem::take(&mut self.flying)
            .into_iter()
            .partition(|f| f.arrives_secs <= self.now_secs);
        self.flying = later;
        due.sort_by(|a, b| a.arrives_secs.total_cmp(&b.arrives_secs));
        for flying in due {
            let newest = &mut self.newest[usize::from(flying.to_server)];
            self.overtaken += u64::from(flying.number < *newest);
            *newest = flying.number.max(*newest);
            if flying.to_server {
                let mut out = server::Outbox::default();
                self.server.receive(self.now_secs, CLIENT, &flying.datagram, &mut out);
                self.carry_back(out);
            } else {
                let mut out = client::Outbox::default();
                self.client.receive(self.now_secs, &flying.datagram, &mut out);
                happened.extend(self.carry(out));
            }
        }
        happened
    }

    pub fn until_open(&mut self) {
        while self.client.welcome().is_none() {
            assert!(self.now_secs < 60.0, "no session");
            self.turn();
        }
        self.settle();
    }

    /// Lets what is under way arrive.
    pub fn settle(&mut self) {
        for _ in 0..20 {
            self.turn();
        }
    }

    pub fn act(&mut self, actions: &[(u8, Action)]) {
        let mut out = client::Outbox::default();
        assert!(self.client.act(self.now_secs, actions, &mut out));
        self.carry(out);
    }

    pub fn reset(&mut self, seed: u64) {
        let mut out = client::Outbox::default();
        self.client.reset(self.now_secs, seed, "", &mut out);
        self.carry(out);
    }

    /// Steps the game and sends what the bots see, and now and then an event.
    pub fn advance(&mut self) {
        self.tick += 3;
        self.server.set_tick(self.tick);
        if self.tick.is_multiple_of(30) {
            let happened = Event {
                event_number: 0,
                tick: self.tick,
                event: event::HORDE,
                bot_id: NONE,
                other: NONE,
                value: 10,
            };
            let mut out = server::Outbox::default();
            self.server.tell(self.now_secs, happened, &mut out);
            self.carry_back(out);
        }
        self.send_states();
    }

    pub fn send_states(&mut self) {
        let bot = |bot_id| {
            let state = BotState { bot_id, health: 100, is_alive: true, ..BotState::default() };
            (state, Extended::default())
        };
        let mut out = server::Outbox::default();
        self.server.send_states(&[0, 1, 2, 3].map(bot), &mut out);
        self.carry_back(out);
    }

    pub fn new_episode(&mut self, session: u32, reset: &Reset) {
        let mut out = server::Outbox::default();
        self.server.new_episode("corridor");
        // The clock of a game starts anew with its map.
        self.tick = 0;
        self.server.set_tick(0);
        self.server.reset_done(session, reset.request, ResetStatus::Done, reset.seed, &mut out);
        self.carry_back(out);
        self.send_states();
    }

    /// Hands a datagram to both ends, as if from the client's address and from the server's.
    pub fn inject(&mut self, datagram: &[u8]) {
        let mut out = server::Outbox::default();
        self.server.receive(self.now_secs, CLIENT, datagram, &mut out);
        self.told.extend(out.happened);
        let mut out = client::Outbox::default();
        self.client.receive(self.now_secs, datagram, &mut out);
        assert!(out.happened.is_empty(), "{:?}", out.happened);
    }

    /// All there is in both ends, but for the counts of what was dropped.
    pub fn without_counters(&self) -> String {
        let ends = [format!("{:?}", self.server), format!("{:?}", self.client)];
        ends.map(|end| end.split("dropped:").next().unwrap_or_default().to_owned()).concat()
    }
}

fn recorded(world: &World, kind: Kind) -> (Header, Vec<u8>) {
    let mut found = world.recorded.iter().filter(|(_, datagram)| datagram[6] == kind as u8);
    let (_, datagram) = found.next().expect("in the recording");
    Header::read(datagram).map(|(header, payload)| (header, payload.to_vec())).unwrap()
}

/// What only the two ends of the open session know.
pub fn secrets(world: &World) -> (u32, Nonces, SessionKeys) {
    let (_, auth) = recorded(world, Kind::Auth);
    let Ok(Message::Auth(nonces)) = Message::decode(Kind::Auth, &auth) else { panic!("no AUTH") };
    let keys = SharedKey::new(KEY).unwrap().session(&nonces.client_nonce, &nonces.server_nonce);
    (recorded(world, Kind::Welcome).0.session, nonces, keys)
}

/// A datagram of the client's, as it would write it.
pub fn by_client(world: &World, seq: u32, message: &Message) -> Vec<u8> {
    let (session, _, keys) = secrets(world);
    let header = Header { session, seq, ..Header::of_handshake(message.kind(), false) };
    seal(&header, &message.encode(), &keys.client).unwrap()
}

/// A valid datagram of every kind that has not been delivered, and whether it is for the server.
pub fn samples(world: &mut World) -> Vec<(Kind, bool, Vec<u8>)> {
    use lanista_survivors::wire::v2::action::{Actions, Entry, Rich};
    use lanista_survivors::wire::v2::control::{Bye, Events, Heartbeat, ResetDone};
    use lanista_survivors::wire::v2::hello::{Hello, Refused, RefusedReason};
    use lanista_survivors::wire::v2::state::{Record, States};

    let shared = SharedKey::new(KEY).unwrap();
    let (session, nonces, keys) = secrets(world);
    let (_, welcome) = recorded(world, Kind::Welcome);
    let hello = Hello {
        client_nonce: [9; 16],
        client_id: 1,
        capabilities: 255,
        bots_wanted: 15,
        states_per_sec: 0,
        client_name: "other".into(),
    };
    let refused = Refused {
        client_nonce: nonces.client_nonce,
        reason: RefusedReason::Full,
        major: 2,
        minor: 0,
    };
    let happened =
        Event { event_number: 1, tick: 1, event: event::TANK, bot_id: NONE, other: NONE, value: 0 };
    let entry = Entry { bot_id: 0, action_number: 1, action: Action::Rich(Rich::default()) };
    let record = Record { extended: Some(Extended::default()), ..Record::default() };
    let map = "corridor".to_owned();
    let done = ResetDone { request: 1, status: ResetStatus::Done, episode: 2, seed: 3, map };
    let messages = [
        (true, Message::Hello(hello)),
        (false, Message::Challenge(Nonces { client_nonce: [9; 16], ..nonces })),
        (true, Message::Auth(Nonces { client_nonce: [9; 16], ..nonces })),
        (false, Message::decode(Kind::Welcome, &welcome).unwrap()),
        (false, Message::Refused(refused)),
        (false, Message::State(States { episode: 1, part: 0, parts: 1, records: vec![record] })),
        (true, Message::Action(Actions { episode: 1, events_seen: 0, entries: vec![entry] })),
        (true, Message::Heartbeat(Heartbeat { time_millis: 5, ..Heartbeat::default() })),
        (false, Message::Heartbeat(Heartbeat { time_millis: 5, ..Heartbeat::default() })),
        (true, Message::Reset(Reset { request: 1, seed: 2, map: String::new() })),
        (false, Message::ResetDone(done)),
        (false, Message::Events(Events { episode: 1, events: vec![happened] })),
        (true, Message::Bye(Bye { reason: 0 })),
        (false, Message::Bye(Bye { reason: 1 })),
    ];
    let sealed = |(to_server, message): (bool, Message)| {
        let kind = message.kind();
        let in_handshake =
            matches!(kind, Kind::Hello | Kind::Challenge | Kind::Auth | Kind::Refused);
        let (header, key) = match (in_handshake, to_server) {
            (true, _) => (Header::of_handshake(kind, !to_server), shared.handshake()),
            (false, true) => (Header::of_handshake(kind, false), &keys.client),
            (false, false) => (Header::of_handshake(kind, true), &keys.server),
        };
        let header = match in_handshake {
            true => header,
            false => Header { session, seq: 500, tick: 9, ..header },
        };
        (kind, to_server, seal(&header, &message.encode(), key).unwrap())
    };
    messages.into_iter().map(sealed).collect()
}

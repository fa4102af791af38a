//! The director's bridge: lines of JSON over TCP, or an object a datagram over UDP, on loopback.
//!
//! Nothing blocks: what cannot be sent now waits, and a director that does not read is let go.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};

use serde_json::{Map, Value};

use super::instance::Instance;
use crate::sim::director::Order;
use crate::sim::infected::Class;
use crate::sim::survivor::{Condition, Dose, Pack, Throwable};
use crate::wire::bridge::{
    BridgeState, BridgeSurvivor, Command, FromDirector, FromGame, Item, LINE_BYTES, Lines,
    accepted, action_of, command_of, decode, encode, refusal,
};
use crate::wire::v2::control::{Event, NONE, event};

/// Between two states.
const STATE_SECS: f64 = 0.1;
/// A director over UDP that says nothing for so long is gone.
const SILENCE_SECS: f64 = 30.0;
/// Most directors at once, of each kind.
const MOST_PEERS: usize = 8;
/// Most bytes that wait for a director that does not read.
const MOST_UNSENT: usize = 16 * LINE_BYTES;
/// Most bytes that are read from one director at a time.
const MOST_READ: usize = 2 * LINE_BYTES;

/// Listens for directors.
pub(super) struct Bridge {
    listener: TcpListener,
    udp: UdpSocket,
    address: SocketAddr,
    streams: Vec<Stream>,
    peers: BTreeMap<SocketAddr, f64>,
    state_secs: f64,
    episodes: u64,
}

struct Stream {
    stream: TcpStream,
    lines: Lines,
    greeted: bool,
    unsent: Vec<u8>,
    gone: bool,
}

impl Bridge {
    /// Listens by TCP and, on the same port, by UDP.
    pub fn open(address: SocketAddr) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let udp = UdpSocket::bind(address)?;
        udp.set_nonblocking(true)?;
        let (streams, peers) = (Vec::new(), BTreeMap::new());
        Ok(Self { listener, udp, address, streams, peers, state_secs: 0.0, episodes: 0 })
    }

    /// Where directors connect.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes what arrived and sends what is due.
    pub fn turn(&mut self, now_secs: f64, game: &mut Instance) {
        while let Ok((stream, _)) = self.listener.accept() {
            if self.streams.len() < MOST_PEERS && stream.set_nonblocking(true).is_ok() {
                self.streams.push(Stream {
                    stream,
                    lines: Lines::default(),
                    greeted: false,
                    unsent: Vec::new(),
                    gone: false,
                });
            }
        }
        for stream in &mut self.streams {
            stream.read(game);
        }
        self.read_datagrams(now_secs, game);
        self.peers.retain(|_, heard_secs| now_secs - *heard_secs < SILENCE_SECS);
        self.streams.retain(|stream| !stream.gone);
        let listened = !self.peers.is_empty() || self.streams.iter().any(|s| s.greeted);
        if !listened {
            game.watched = false;
            game.news.clear();
            self.episodes = game.counts.episodes;
            return;
        }
        game.watched = true;
        let secs = game.round_secs();
        if game.counts.episodes != self.episodes {
            self.episodes = game.counts.episodes;
            self.tell(&told("round_start", secs, Map::new()));
        }
        for event in std::mem::take(&mut game.news) {
            self.tell(&event_of(&event, secs));
        }
        if now_secs - self.state_secs >= STATE_SECS {
            self.state_secs = now_secs;
            self.tell(&FromGame::GameState(state(now_secs, game)));
        }
        for stream in &mut self.streams {
            stream.flush();
        }
    }

    fn read_datagrams(&mut self, now_secs: f64, game: &mut Instance) {
        let mut datagram = [0; 4096];
        for _ in 0..64 {
            let Ok((length, from)) = self.udp.recv_from(&mut datagram) else { return };
            if !self.peers.contains_key(&from) && self.peers.len() >= MOST_PEERS {
                continue;
            }
            let (answer, message) = answer(&datagram[..length], game);
            if message.is_some() {
                self.peers.insert(from, now_secs);
            }
            if let Ok(line) = encode(&answer) {
                let _ = self.udp.send_to(&line, from);
            }
        }
    }

    fn tell(&mut self, message: &FromGame) {
        let Ok(line) = encode(message) else { return };
        for stream in self.streams.iter_mut().filter(|stream| stream.greeted) {
            stream.unsent.extend_from_slice(&line);
        }
        for peer in self.peers.keys() {
            let _ = self.udp.send_to(&line, peer);
        }
    }
}

impl Stream {
    fn read(&mut self, game: &mut Instance) {
        let mut bytes = [0; 4096];
        let mut taken = 0;
        while taken < MOST_READ {
            match self.stream.read(&mut bytes) {
                Ok(0) => self.gone = true,
                Ok(length) => {
                    taken += length;
                    self.take(&bytes[..length], game);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => self.gone = true,
            }
            if self.gone {
                return;
            }
        }
    }

    fn take(&mut self, bytes: &[u8], game: &mut Instance) {
        let lines = match self.lines.push(bytes) {
            Ok(lines) => lines,
            Err(error) => {
                self.unsent.extend(encode(&refusal("", error)).unwrap_or_default());
                self.flush();
                self.gone = true;
                return;
            }
        };
        for line in lines {
            let (answer, message) = answer(&line, game);
            self.greeted |= matches!(message, Some(FromDirector::Handshake { .. }));
            self.unsent.extend(encode(&answer).unwrap_or_default());
        }
        self.flush();
    }

    fn flush(&mut self) {
        while !self.unsent.is_empty() {
            match self.stream.write(&self.unsent) {
                Ok(0) => self.gone = true,
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => self.gone = true,
            }
            if self.gone {
                return;
            }
        }
        self.gone |= self.unsent.len() > MOST_UNSENT;
    }
}

/// Does what a line asks for; the answer, and the message if it could be read.
fn answer(line: &[u8], game: &mut Instance) -> (FromGame, Option<FromDirector>) {
    let message = match decode(line) {
        Ok(message) => message,
        Err(error) => return (refusal("", error), None),
    };
    let done = match &message {
        FromDirector::Handshake { .. } => Ok(()),
        FromDirector::BotAction { bot_id, action, .. } => act(game, *bot_id, action),
        FromDirector::DirectorCommand { command, parameters, .. } => {
            command_of(command, parameters).and_then(|command| carry_out(game, command))
        }
        FromDirector::ResetEpisode { .. } => {
            game.restart(0);
            Ok(())
        }
    };
    let answer = match done {
        Ok(()) => accepted(&message),
        Err(why) => refusal(message.name(), why),
    };
    (answer, Some(message))
}

/// Ids are those of game_state, from 1.
fn act(game: &mut Instance, id: u32, action: &str) -> Result<(), String> {
    let Some(action) = action_of(action) else {
        return Err(format!("no action is called {action}: see the 14 of the protocol"));
    };
    let seat = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
    match seat.is_some_and(|seat| game.override_bot(seat, action)) {
        true => Ok(()),
        false => Err(format!("no living survivor has the id {id}: see game_state")),
    }
}

fn carry_out(game: &mut Instance, command: Command) -> Result<(), String> {
    let world = &mut game.world;
    let order = match command {
        Command::SpawnCommon(..=3) => Order::FewCommons,
        Command::SpawnCommon(4..=8) => Order::SomeCommons,
        Command::SpawnCommon(_) => Order::ManyCommons,
        Command::SpawnSpecial(1) => Order::Smoker,
        Command::SpawnSpecial(2) => Order::Boomer,
        Command::SpawnSpecial(3) => Order::Hunter,
        Command::SpawnSpecial(4) => Order::Spitter,
        Command::SpawnSpecial(5) => Order::Jockey,
        // The original's orders know no charger, its commands do.
        Command::SpawnSpecial(_) => {
            let room = world.director.left_start_at.is_some() && world.count(Class::Charger) < 2;
            let came = room && world.summon(Class::Charger).is_some();
            return if came { Ok(()) } else { Err("no charger can come now".into()) };
        }
        Command::SpawnWitch => Order::Witch,
        Command::SpawnTank => Order::Tank,
        Command::TriggerPanic => Order::Panic,
        Command::SpawnItem(Item::Medkit | Item::Pills) => Order::DropHealth,
        Command::SpawnItem(Item::Molotov | Item::PipeBomb) => Order::DropThrowable,
        Command::SpawnItem(Item::Ammo) => Order::DropAmmunition,
    };
    if !world.may_order(order) {
        return Err(format!(
            "{} is not possible now: nobody has left the start, there are enough, or it is too soon",
            order.name()
        ));
    }
    world.obey(order);
    Ok(())
}

fn state(now_secs: f64, game: &Instance) -> BridgeState {
    let world = &game.world;
    let strain = world.strain();
    let survivors = world.survivors.iter().enumerate().filter(|(_, s)| s.present);
    let survivors = survivors.map(|(i, s)| {
        let carried = [
            s.throwable.map_or(0, Throwable::id),
            s.pack.map_or(0, Pack::id),
            s.dose.map_or(0, Dose::id),
        ];
        let names = carried.iter().filter_map(|id| match id {
            13 => Some("molotov"),
            14 => Some("pipe_bomb"),
            25 => Some("vomitjar"),
            12 => Some("first_aid_kit"),
            24 => Some("defibrillator"),
            15 => Some("pain_pills"),
            23 => Some("adrenaline"),
            _ => None,
        });
        BridgeSurvivor {
            id: i as u32 + 1,
            name: format!("survivor {}", i + 1),
            health: if s.is_up() { s.health } else { s.total_health() },
            temp_health: s.temporary,
            position: s.body.at,
            angle: [s.pitch, s.yaw, 0.0],
            weapon: s.gun().weapon.ballistics().name.into(),
            is_incapped: s.is_down(),
            is_dead: s.condition == Condition::Dead,
            items: names.map(str::to_owned).collect(),
        }
    });
    let count = |class| world.count(class) as u32;
    BridgeState {
        game_time: now_secs,
        round_time: game.round_secs(),
        survivors: survivors.collect(),
        common_infected: world.commons.len() as u32,
        special_infected: [
            Class::Smoker,
            Class::Boomer,
            Class::Hunter,
            Class::Spitter,
            Class::Jockey,
        ]
        .map(count),
        witch_count: count(Class::Witch),
        tank_count: count(Class::Tank),
        items_available: strain.items as u32,
        health_packs_used: world.director.medkits_used,
        recent_deaths: world.survivors.iter().filter(|s| s.present && !s.is_alive()).count() as u32,
        panic_active: world.now < world.director.panic_until,
        tank_active: count(Class::Tank) > 0,
    }
}

fn told(event_type: &str, time: f64, data: Map<String, Value>) -> FromGame {
    FromGame::Event { event_type: event_type.into(), time, data }
}

fn event_of(event: &Event, secs: f64) -> FromGame {
    let name = match event.event {
        event::HURT => "player_hurt",
        event::INCAPACITATED => "player_incapacitated",
        event::DIED => "player_death",
        event::REVIVED => "revive_success",
        event::HEALED => "heal_success",
        event::KILLED_COMMON => "infected_death",
        event::KILLED_SPECIAL => "special_death",
        event::SEIZED => "player_seized",
        event::FREED => "player_freed",
        event::REACHED_SAFE_ROOM => "player_entered_checkpoint",
        event::PICKED_UP => "item_pickup",
        event::ROUND_OVER => "round_end",
        event::TANK => "tank_spawned",
        event::WITCH => "witch_startled",
        _ => "horde",
    };
    let mut data = Map::new();
    if event.bot_id != NONE {
        data.insert("survivor".into(), Value::from(u32::from(event.bot_id) + 1));
    }
    if event.other != NONE {
        data.insert("other".into(), Value::from(event.other));
    }
    data.insert("value".into(), Value::from(event.value));
    told(name, secs, data)
}

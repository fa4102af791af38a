//! The messages between RLBot's core and a bot.

use super::flat::{Malformed, Table, Value, write};
use super::packet::{Packet, controls, floats};
use crate::table::Row;

/// Lists longer than these are nobody's.
const MOST_PADS: usize = 256;
const MOST_PLAYERS: usize = 128;

/// What the core says.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// The bot is to end.
    Disconnect,
    /// The game at a tick.
    Packet(Box<Packet>),
    /// Where the boost pads lie.
    Field(Vec<FieldPad>),
    /// What match it is.
    Match(MatchSetup),
    /// Which cars the bot drives.
    Cars(OwnCars),
    /// How long does an answer take?
    Ping(u64),
    /// Something that a bot without chat, rendering and predictions has no use for.
    Other,
}

/// A boost pad of the field.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FieldPad {
    /// uu
    pub location: [f32; 3],
    /// It fills the tank.
    pub big: bool,
}

/// What match it is, as far as it matters here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchSetup {
    /// 0 is soccar.
    pub game_mode: u8,
    /// Players of blue and of orange.
    pub teams: [usize; 2],
    /// 0: five minutes, 1: ten, 2: twenty, 3: without end.
    pub length: u8,
}

impl MatchSetup {
    /// Minutes of the match; none if it has no end.
    pub fn minutes(&self) -> Option<f32> {
        [5.0, 10.0, 20.0].get(usize::from(self.length)).copied()
    }
}

/// The cars that a bot drives, all of one team.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnCars {
    /// 0 is blue, 1 orange.
    pub team: u32,
    /// Their places among a packet's players.
    pub players: Vec<u32>,
}

impl Heard {
    /// Reads a message of the core.
    pub fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let root = Table::root(bytes)?;
        let body = || root.required(1, "a message without its content");
        // The order of the schema's union.
        Ok(match root.byte(0)? {
            0 => return Err(Malformed { what: "a message of no kind", at: 0 }),
            1 => Self::Disconnect,
            2 => Self::Packet(Box::new(Packet::read(&body()?)?)),
            3 => Self::Field(field(&body()?)?),
            4 => Self::Match(setup(&body()?)?),
            7 => Self::Cars(own_cars(&body()?)?),
            9 => Self::Ping(body()?.long(0)?),
            _ => Self::Other,
        })
    }

    /// Is it the game at a tick? Told from the first bytes, so that stale ones need not be read.
    pub fn is_packet(bytes: &[u8]) -> bool {
        Table::root(bytes).and_then(|root| root.byte(0)).is_ok_and(|kind| kind == 2)
    }

    /// The message as a core would send it: for whoever stands in for one.
    pub fn write(&self) -> Vec<u8> {
        let (kind, slots) = match self {
            Self::Disconnect => (1, vec![]),
            Self::Packet(packet) => (2, packet.write()),
            Self::Field(pads) => (3, vec![Value::Tables(pads.iter().map(write_pad).collect())]),
            Self::Match(setup) => (4, write_setup(setup)),
            Self::Cars(OwnCars { team, players }) => {
                let car = |&index: &u32| vec![Value::Word(index), Value::Word(index)];
                let cars = Value::Tables(players.iter().map(car).collect());
                (7, vec![Value::Word(*team), cars])
            }
            Self::Ping(cookie) => (9, vec![Value::Long(*cookie)]),
            Self::Other => (8, vec![Value::Nothing, Value::Nothing, Value::Byte(1)]),
        };
        write(&[Value::Byte(kind), Value::Table(slots)])
    }
}

fn field(table: &Table) -> Result<Vec<FieldPad>, Malformed> {
    let pad = |pad: Result<Table, Malformed>| {
        let pad = pad?;
        let at = pad.structure::<12>(0)?;
        let at = at.ok_or(Malformed { what: "a boost pad without a place", at: 0 })?;
        Ok(FieldPad { location: floats(&at), big: pad.truth(1)? })
    };
    table.vector(0, 4, MOST_PADS)?.tables().map(pad).collect()
}

fn write_pad(pad: &FieldPad) -> Vec<Value> {
    let place = pad.location.iter().flat_map(|f| f.to_le_bytes()).collect();
    vec![Value::Structure(place), Value::Byte(u8::from(pad.big))]
}

fn setup(table: &Table) -> Result<MatchSetup, Malformed> {
    let mut teams = [0; 2];
    for player in table.vector(5, 4, MOST_PLAYERS)?.tables() {
        if let Some(team) = teams.get_mut(player?.word(2)? as usize) {
            *team += 1;
        }
    }
    let length = table.table(10)?.map_or(Ok(0), |mutators| mutators.byte(0))?;
    Ok(MatchSetup { game_mode: table.byte(7)?, teams, length })
}

fn write_setup(setup: &MatchSetup) -> Vec<Value> {
    let mut slots = vec![Value::Nothing; 17];
    let human = |team: u32| vec![Value::Byte(1), Value::Table(vec![]), Value::Word(team)];
    let [blue, orange] = setup.teams;
    let players = std::iter::repeat_n(0, blue).chain(std::iter::repeat_n(1, orange));
    slots[5] = Value::Tables(players.map(human).collect());
    slots[7] = Value::Byte(setup.game_mode);
    slots[10] = Value::Table(vec![Value::Byte(setup.length)]);
    slots
}

fn own_cars(table: &Table) -> Result<OwnCars, Malformed> {
    let cars = table.vector(1, 4, MOST_PLAYERS)?.tables();
    Ok(OwnCars {
        team: table.word(0)?,
        players: cars.map(|car| car?.word(0)).collect::<Result<_, _>>()?,
    })
}

/// What a bot says.
#[derive(Clone, Debug, PartialEq)]
pub enum Said<'a> {
    /// Who is there. Neither chat nor predictions of the ball are wanted.
    Hello {
        /// As in the bot's `bot.toml`.
        agent_id: &'a str,
    },
    /// It may begin.
    Ready,
    /// What a car is to do.
    Input {
        /// Its place among a packet's players.
        player: u32,
        /// Its controls.
        row: &'a Row,
    },
    /// The answer to a ping.
    Pong(u64),
    /// It is leaving.
    Goodbye,
}

impl Said<'_> {
    /// The message's bytes.
    pub fn write(&self) -> Vec<u8> {
        // The order of the schema's union.
        let (kind, slots) = match self {
            Self::Goodbye => (1, vec![]),
            Self::Input { player, row } => {
                (4, vec![Value::Word(*player), Value::Structure(controls(row))])
            }
            Self::Hello { agent_id } => (
                9,
                // Without the last, the core turns a bot with an agent id away.
                vec![
                    Value::Text((*agent_id).to_owned()),
                    Value::Byte(0),
                    Value::Byte(0),
                    Value::Byte(1),
                ],
            ),
            Self::Ready => (12, vec![]),
            Self::Pong(cookie) => (15, vec![Value::Long(*cookie)]),
        };
        write(&[Value::Byte(kind), Value::Table(slots)])
    }
}

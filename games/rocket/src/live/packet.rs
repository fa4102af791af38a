//! What the game looks like at one tick, as RLBot tells it.

use rocketsim::{Mat3A, Vec3A};

use super::flat::{Malformed, Table, Value};
use crate::state::Body;
use crate::table::Row;

/// Rocket League has room for eight; this is a bound for whoever speaks in its place.
const MOST_PLAYERS: usize = 64;
const MOST_PADS: usize = 256;
const MOST_BALLS: usize = 64;
const MOST_TEAMS: usize = 16;

/// Where something is, which way it points and how it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Physics {
    /// uu
    pub location: [f32; 3],
    /// Pitch, yaw and roll, rad.
    pub rotation: [f32; 3],
    /// uu/s
    pub velocity: [f32; 3],
    /// rad/s
    pub angular_velocity: [f32; 3],
}

impl Physics {
    /// Its place and its movement.
    pub fn body(&self) -> Body {
        Body {
            pos: Vec3A::from_array(self.location),
            vel: Vec3A::from_array(self.velocity),
            ang_vel: Vec3A::from_array(self.angular_velocity),
        }
    }

    /// Columns: forward, right, up. Unreal's axes: yaw turns +x towards +y, pitch lifts the nose, roll
    /// lowers the right side.
    pub fn axes(&self) -> Mat3A {
        let [(sp, cp), (sy, cy), (sr, cr)] = self.rotation.map(f32::sin_cos);
        Mat3A::from_cols(
            Vec3A::new(cp * cy, cp * sy, sp),
            Vec3A::new(cy * sp * sr - cr * sy, sy * sp * sr + cr * cy, -cp * sr),
            Vec3A::new(-cr * cy * sp - sr * sy, -cr * sy * sp + sr * cy, cp * cr),
        )
    }

    fn read(bytes: [u8; 48]) -> Self {
        let numbers = floats::<12>(&bytes);
        let part = |at: usize| [numbers[at], numbers[at + 1], numbers[at + 2]];
        Self { location: part(0), rotation: part(3), velocity: part(6), angular_velocity: part(9) }
    }

    fn write(&self) -> Value {
        let parts = [self.location, self.rotation, self.velocity, self.angular_velocity];
        Value::Structure(parts.iter().flatten().flat_map(|f| f.to_le_bytes()).collect())
    }
}

/// What holds a car, or throws it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AirState {
    /// It stands on its wheels.
    #[default]
    OnGround,
    /// A first jump pushes it; it may still be on its wheels.
    Jumping,
    /// A second jump does.
    DoubleJumping,
    /// A dodge turns it.
    Dodging,
    /// It flies, or lies on something.
    InAir,
}

/// In the order of the schema.
const AIR_STATES: [AirState; 5] = [
    AirState::OnGround,
    AirState::Jumping,
    AirState::DoubleJumping,
    AirState::Dodging,
    AirState::InAir,
];

/// A player and its car.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Player {
    /// The car's.
    pub physics: Physics,
    /// Length, width and height, uu.
    pub hitbox: [f32; 3],
    /// Seconds of the match at its last touch of the ball.
    pub touched_secs: Option<f32>,
    /// What holds it.
    pub air: AirState,
    /// Seconds for which it can still dodge; −1 on the ground, or when it is too late.
    pub dodge_timeout: f32,
    /// Seconds until it comes back; −1 when it is whole.
    pub demolished_timeout: f32,
    /// Fast enough to demolish.
    pub supersonic: bool,
    /// 0 is blue, 1 orange.
    pub team: u32,
    /// 0 to 100.
    pub boost: f32,
    /// Of the match configuration.
    pub id: i32,
    /// It has jumped since it left the ground.
    pub has_jumped: bool,
    /// Twice.
    pub has_double_jumped: bool,
    /// It has dodged.
    pub has_dodged: bool,
    /// Seconds since its dodge began; 0 on the ground.
    pub dodge_elapsed: f32,
}

impl Player {
    fn read(table: &Table) -> Result<Self, Malformed> {
        let missing = |what| Malformed { what, at: 0 };
        let physics = table.structure(0)?.ok_or(missing("a player without physics"))?;
        let hitbox = table.required(2, "a player without a hitbox")?;
        let touch = table.table(4)?;
        Ok(Self {
            physics: Physics::read(physics),
            hitbox: [hitbox.float(0)?, hitbox.float(1)?, hitbox.float(2)?],
            touched_secs: touch.map(|touch| touch.float(0)).transpose()?,
            // A state that is not known yet is in the air as far as anybody can tell.
            air: *AIR_STATES.get(usize::from(table.byte(5)?)).unwrap_or(&AirState::InAir),
            dodge_timeout: table.float(6)?,
            demolished_timeout: table.float(7)?,
            supersonic: table.truth(8)?,
            team: table.word(11)?,
            boost: table.float(12)?,
            id: table.word(13)? as i32,
            has_jumped: table.truth(16)?,
            has_double_jumped: table.truth(17)?,
            has_dodged: table.truth(18)?,
            dodge_elapsed: table.float(19)?,
        })
    }

    fn write(&self) -> Vec<Value> {
        let truth = |truth: bool| Value::Byte(u8::from(truth));
        let vector = || Value::Structure(vec![0; 12]);
        let air = AIR_STATES.iter().position(|air| *air == self.air).unwrap_or(0);
        let touch =
            |secs| Value::Table(vec![Value::Float(secs), vector(), vector(), Value::Word(0)]);
        vec![
            self.physics.write(),
            Value::Structure(vec![0; 28]),
            Value::Table(self.hitbox.map(Value::Float).to_vec()),
            vector(),
            self.touched_secs.map_or(Value::Nothing, touch),
            Value::Byte(air as u8),
            Value::Float(self.dodge_timeout),
            Value::Float(self.demolished_timeout),
            truth(self.supersonic),
            truth(true),
            Value::Text(String::new()),
            Value::Word(self.team),
            Value::Float(self.boost),
            Value::Word(self.id as u32),
            Value::Tables(Vec::new()),
            Value::Structure(vec![0; 24]),
            truth(self.has_jumped),
            truth(self.has_double_jumped),
            truth(self.has_dodged),
            Value::Float(self.dodge_elapsed),
            Value::Structure(vec![0; 8]),
        ]
    }
}

/// A boost pad; where it lies stands in the field's own message.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pad {
    /// It has boost.
    pub active: bool,
    /// Seconds since it was taken; 0 while it has boost.
    pub taken_secs: f32,
}

/// What a match is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// There is none yet.
    #[default]
    Inactive,
    /// 3, 2, 1.
    Countdown,
    /// Until somebody touches the ball, for two seconds at most.
    Kickoff,
    /// The ball is in play.
    Active,
    /// Somebody has just scored.
    GoalScored,
    /// The goal is shown again.
    Replay,
    /// Somebody has stopped it.
    Paused,
    /// It is over.
    Ended,
}

/// In the order of the schema.
const PHASES: [Phase; 8] = [
    Phase::Inactive,
    Phase::Countdown,
    Phase::Kickoff,
    Phase::Active,
    Phase::GoalScored,
    Phase::Replay,
    Phase::Paused,
    Phase::Ended,
];

impl Phase {
    /// Do cars obey their players?
    pub fn in_play(self) -> bool {
        matches!(self, Self::Kickoff | Self::Active)
    }

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inactive => "inactive",
            Self::Countdown => "countdown",
            Self::Kickoff => "kickoff",
            Self::Active => "active",
            Self::GoalScored => "goal",
            Self::Replay => "replay",
            Self::Paused => "paused",
            Self::Ended => "ended",
        }
    }
}

/// The game at one tick.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packet {
    /// In the order in which RLBot counts them.
    pub players: Vec<Player>,
    /// In the order of the field's pads.
    pub pads: Vec<Pad>,
    /// The first ball, if there is one.
    pub ball: Option<Physics>,
    /// Ticks since the game began to count; several may pass between two packets, or none.
    pub frame: u32,
    /// What the match is doing.
    pub phase: Phase,
    /// Seconds since the match's first packet.
    pub elapsed_secs: f32,
    /// Seconds on the clock: left, or played in overtime and in a match without end.
    pub clock_secs: f32,
    /// The next goal wins.
    pub overtime: bool,
    /// The match has no end.
    pub unlimited: bool,
    /// Goals of blue and of orange.
    pub goals: [u32; 2],
}

impl Packet {
    /// Reads a `GamePacket`.
    pub(super) fn read(table: &Table) -> Result<Self, Malformed> {
        let players = table.vector(0, 4, MOST_PLAYERS)?.tables();
        let pads = table.vector(1, 8, MOST_PADS)?.structures::<8>();
        let pad = |bytes: Result<[u8; 8], Malformed>| {
            bytes.map(|bytes| Pad { active: bytes[0] != 0, taken_secs: floats::<2>(&bytes)[1] })
        };
        let ball = table.vector(2, 4, MOST_BALLS)?.tables().next().transpose()?;
        let about = table.required(3, "a game without a match")?;
        let mut goals = [0; 2];
        for team in table.vector(4, 8, MOST_TEAMS)?.structures::<8>() {
            let [a, b, c, d, e, f, g, h] = team?;
            let (team, score) =
                (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
            if let Some(goals) = goals.get_mut(team as usize) {
                *goals = score;
            }
        }
        Ok(Self {
            players: players.map(|player| Player::read(&player?)).collect::<Result<_, _>>()?,
            pads: pads.map(pad).collect::<Result<_, _>>()?,
            ball: match ball {
                Some(ball) => ball.structure(0)?.map(Physics::read),
                None => None,
            },
            elapsed_secs: about.float(0)?,
            clock_secs: about.float(1)?,
            overtime: about.truth(2)?,
            unlimited: about.truth(3)?,
            phase: *PHASES.get(usize::from(about.byte(4)?)).unwrap_or(&Phase::Inactive),
            frame: about.word(8)?,
            goals,
        })
    }

    /// The slots of a `GamePacket`, as a core would send it.
    pub(super) fn write(&self) -> Vec<Value> {
        let pad = |pad: &Pad| {
            let mut bytes = vec![u8::from(pad.active), 0, 0, 0];
            bytes.extend(pad.taken_secs.to_le_bytes());
            bytes
        };
        let ball = |ball: Physics| {
            vec![ball.write(), Value::Byte(2), Value::Table(vec![Value::Float(182.5)])]
        };
        let team = |team: usize| {
            let numbers = [team as u32, self.goals[team]];
            numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
        };
        let phase = PHASES.iter().position(|phase| *phase == self.phase).unwrap_or(0);
        vec![
            Value::Tables(self.players.iter().map(Player::write).collect()),
            Value::Structures(self.pads.iter().map(pad).collect()),
            Value::Tables(self.ball.into_iter().map(ball).collect()),
            Value::Table(vec![
                Value::Float(self.elapsed_secs),
                Value::Float(self.clock_secs),
                Value::Byte(u8::from(self.overtime)),
                Value::Byte(u8::from(self.unlimited)),
                Value::Byte(phase as u8),
                Value::Float(-650.0),
                Value::Float(1.0),
                Value::Word(0),
                Value::Word(self.frame),
            ]),
            Value::Structures(vec![team(0), team(1)]),
            Value::Tables(Vec::new()),
        ]
    }
}

/// The controls of a row as RLBot takes them.
pub(super) fn controls(row: &Row) -> Vec<u8> {
    let axes = [row.throttle, row.steer, row.pitch, row.yaw, row.roll];
    let mut bytes: Vec<u8> = axes.iter().flat_map(|axis| axis.to_le_bytes()).collect();
    bytes.extend([row.jump, row.boost, row.handbrake, false].map(u8::from));
    bytes
}

/// Numbers that lie side by side.
pub(super) fn floats<const N: usize>(bytes: &[u8]) -> [f32; N] {
    let mut numbers = [0.0; N];
    for (number, bytes) in numbers.iter_mut().zip(bytes.chunks_exact(4)) {
        *number = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    numbers
}

//! From network frames to what a match looked like in each of them.
//!
//! A replay is what a server sent to a client: actors that come and go, and attributes of theirs when they
//! change. Ball and cars are rigid bodies, jumps, dodges and boost are components of a car, players are
//! actors of their own; links between them are ids. Every ten seconds all of it is announced anew.

use std::collections::BTreeMap;

use boxcars::{ActorId, Attribute, Replay, RigidBody, UpdatedAttribute};
use rocketsim::{Mat3A, Vec3A};

use super::Trouble;
use super::bodies::hitbox_of_body;
use super::file::number;
use super::mode::refuse_other_modes;
use crate::hitbox::Hitbox;
use crate::state::{Body, Team};

/// A match as it was recorded.
#[derive(Debug)]
pub(super) struct Recording {
    pub players: Vec<Player>,
    pub frames: Vec<Frame>,
    /// Goals of each team at the end.
    pub score: [u32; 2],
}

/// Somebody who drove a car.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Player {
    pub name: String,
    pub team: Team,
    pub hitbox: Hitbox,
}

/// What is going on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// Cars stand still, or nobody plays.
    #[default]
    Waiting,
    /// The ball is in play.
    Active,
    /// A goal was scored and is shown again.
    Goal,
}

/// One frame.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// Seconds.
    pub time: f64,
    pub phase: Phase,
    /// The clock of the game, in seconds, and whether it counts overtime.
    pub seconds: i32,
    pub overtime: bool,
    pub goals: [u32; 2],
    pub ball: Option<Pose>,
    /// By player; none while it has no car.
    pub cars: Vec<Option<CarRow>>,
    /// Players whose cars took a pad's boost.
    pub pickups: Vec<usize>,
}

/// Where a body is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pose {
    pub body: Body,
    pub world_from_car: Mat3A,
    /// It was sent in this very frame.
    pub fresh: bool,
}

/// What a frame tells of a car.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CarRow {
    pub pose: Pose,
    /// −1 to 1.
    pub throttle: f32,
    pub steer: f32,
    pub handbrake: bool,
    pub boosting: bool,
    pub jumping: bool,
    pub double_jumping: bool,
    pub dodging: bool,
    /// Being turned over by a jump from its roof.
    pub turning_over: bool,
    /// 0 to 100.
    pub boost: f32,
    /// About the car's own axes, as a share of the strongest: to the side and forwards.
    pub dodge: [f32; 2],
    /// Counts how often its flip came back in the air.
    pub resets: i32,
}

/// What an actor is, and the last of what was said about it.
#[derive(Clone, Copy, Debug)]
enum Actor {
    Game,
    Ball(Option<RigidBody>),
    Team(Team),
    Player(Option<usize>),
    Car(Car),
    Component(Component),
    Other,
}

#[derive(Clone, Copy, Debug)]
struct Component {
    part: Part,
    car: Option<ActorId>,
    active: bool,
    /// Of boost.
    amount: u8,
    /// When it was last heard of.
    heard: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Car {
    /// When its place was last heard of.
    heard: u64,
    rigid: Option<RigidBody>,
    driver: Option<ActorId>,
    throttle: Option<u8>,
    steer: Option<u8>,
    handbrake: bool,
    resets: i32,
    dodge: [f32; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Boost,
    Jump,
    DoubleJump,
    Dodge,
    TurnOver,
}

/// Most people that a match may have seen, spectators and all: every one has a place in every frame, and an
/// arena.
const MAX_PLAYERS: usize = 24;

/// The strongest torques of a dodge, to the side and forwards (RocketSim's `flip::TORQUE`, hundredths).
const DODGE_TORQUE: [f32; 2] = [2.6, 2.24];

/// Spins are recorded in hundredths of rad/s, as the decoder hands them over.
const SPIN_UNITS: f32 = 100.0;

pub(super) fn read(replay: &Replay) -> Result<Recording, Trouble> {
    let frames = replay.network_frames.as_ref().map_or(&[][..], |network| &network.frames);
    refuse_other_modes(replay, frames)?;
    let mut walk = Walk::new(replay);
    let mut out: Vec<Frame> = Vec::with_capacity(frames.len());
    for frame in frames {
        walk.fresh.clear();
        walk.pickups.clear();
        for id in &frame.deleted_actors {
            walk.actors.remove(id);
        }
        for new in &frame.new_actors {
            walk.appear(new.actor_id, new.object_id);
        }
        for update in &frame.updated_actors {
            walk.update(update);
        }
        out.push(walk.frame(f64::from(frame.time)));
    }
    let count = walk.players.len();
    for frame in &mut out {
        frame.cars.resize(count, None);
    }
    let players = walk.finish();
    let score = ["Team0Score", "Team1Score"]
        .map(|key| number(replay, key).and_then(|goals| goals.try_into().ok()).unwrap_or(0));
    Ok(Recording { players, frames: out, score })
}

struct Walk<'a> {
    replay: &'a Replay,
    /// In an order that does not change from run to run.
    actors: BTreeMap<ActorId, Actor>,
    /// Counts what was said, so that of two actors the newer one can be told.
    count: u64,
    /// By what identifies them for the whole match.
    players: Vec<(String, Draft)>,
    fresh: Vec<ActorId>,
    pickups: Vec<ActorId>,
    phase: Phase,
    seconds: i32,
    overtime: bool,
    goals: [u32; 2],
}

#[derive(Clone, Debug, Default)]
struct Draft {
    name: Option<String>,
    team: Option<Team>,
    bodies: Option<[u32; 2]>,
}

impl<'a> Walk<'a> {
    fn new(replay: &'a Replay) -> Self {
        Self {
            replay,
            actors: BTreeMap::new(),
            count: 0,
            players: Vec::new(),
            fresh: Vec::new(),
            pickups: Vec::new(),
            phase: Phase::Waiting,
            seconds: 300,
            overtime: false,
            goals: [0; 2],
        }
    }

    fn name_of(&self, object: boxcars::ObjectId) -> &'a str {
        usize::try_from(object.0)
            .ok()
            .and_then(|at| self.replay.objects.get(at))
            .map_or("", String::as_str)
    }

    /// An actor comes, or is announced anew: then what is known of it stays.
    fn appear(&mut self, id: ActorId, object: boxcars::ObjectId) {
        let name = self.name_of(object);
        let heard = self.count;
        let part =
            |part| Actor::Component(Component { part, car: None, active: false, amount: 0, heard });
        let actor = match name {
            "Archetypes.Teams.Team0" => Actor::Team(Team::Blue),
            "Archetypes.Teams.Team1" => Actor::Team(Team::Orange),
            "Archetypes.CarComponents.CarComponent_Boost" => part(Part::Boost),
            "Archetypes.CarComponents.CarComponent_Jump" => part(Part::Jump),
            "Archetypes.CarComponents.CarComponent_DoubleJump" => part(Part::DoubleJump),
            "Archetypes.CarComponents.CarComponent_Dodge" => part(Part::Dodge),
            "Archetypes.CarComponents.CarComponent_FlipCar" => part(Part::TurnOver),
            "TAGame.Default__PRI_TA" => Actor::Player(None),
            _ if name.starts_with("Archetypes.Car.Car_") => Actor::Car(Car::default()),
            _ if name.starts_with("Archetypes.Ball.") => Actor::Ball(None),
            _ if name.starts_with("Archetypes.GameEvent.") => Actor::Game,
            _ => Actor::Other,
        };
        let same = self.actors.get(&id).is_some_and(|known| {
            std::mem::discriminant(known) == std::mem::discriminant(&actor)
                && match (known, &actor) {
                    (Actor::Component(a), Actor::Component(b)) => a.part == b.part,
                    _ => true,
                }
        });
        if !same {
            self.actors.insert(id, actor);
        }
    }

    fn update(&mut self, update: &UpdatedAttribute) {
        self.count += 1;
        let about = self.name_of(update.object_id);
        let id = update.actor_id;
        match (about, &update.attribute) {
            ("TAGame.GameEvent_TA:ReplicatedStateName", Attribute::Int(name)) => {
                let names = &self.replay.names;
                let name = usize::try_from(*name).ok().and_then(|at| names.get(at));
                self.phase = match name.map(String::as_str) {
                    Some("Active") => Phase::Active,
                    Some("PostGoalScored" | "ReplayPlayback") => Phase::Goal,
                    _ => Phase::Waiting,
                };
            }
            ("TAGame.GameEvent_Soccar_TA:SecondsRemaining", Attribute::Int(seconds)) => {
                self.seconds = *seconds;
            }
            ("TAGame.GameEvent_Soccar_TA:bOverTime", Attribute::Boolean(overtime)) => {
                self.overtime = *overtime;
            }
            ("Engine.TeamInfo:Score", Attribute::Int(score)) => {
                if let Some(Actor::Team(team)) = self.actors.get(&id) {
                    self.goals[team.index()] = (*score).try_into().unwrap_or(0);
                }
            }
            ("Engine.PlayerReplicationInfo:UniqueId", Attribute::UniqueId(unique)) => {
                let key = format!("{:?}", (unique.system_id, &unique.remote_id, unique.local_id));
                self.know(id, key);
            }
            ("Engine.PlayerReplicationInfo:PlayerName", Attribute::String(name)) => {
                // Bots have no id of their own.
                if matches!(self.actors.get(&id), Some(Actor::Player(None))) {
                    self.know(id, format!("name {name}"));
                }
                if let Some(player) = self.player(id) {
                    player.name = Some(name.clone());
                }
            }
            ("Engine.PlayerReplicationInfo:Team", Attribute::ActiveActor(team)) => {
                if let Some(&Actor::Team(team)) = self.actors.get(&team.actor)
                    && let Some(player) = self.player(id)
                {
                    player.team = Some(team);
                }
            }
            ("TAGame.PRI_TA:ClientLoadouts", Attribute::TeamLoadout(both)) => {
                if let Some(player) = self.player(id) {
                    player.bodies = Some([both.blue.body, both.orange.body]);
                }
            }
            ("TAGame.PRI_TA:ClientLoadout", Attribute::Loadout(one)) => {
                if let Some(player) = self.player(id) {
                    player.bodies = Some([one.body; 2]);
                }
            }
            ("TAGame.RBActor_TA:ReplicatedRBState", Attribute::RigidBody(rigid)) => {
                let known = match self.actors.get_mut(&id) {
                    Some(Actor::Ball(known)) => known,
                    Some(Actor::Car(car)) => {
                        car.heard = self.count;
                        &mut car.rigid
                    }
                    _ => return,
                };
                if finite(rigid) {
                    if *known != Some(*rigid) {
                        self.fresh.push(id);
                    }
                    *known = Some(*rigid);
                }
            }
            (
                "TAGame.VehiclePickup_TA:NewReplicatedPickupData",
                Attribute::PickupNew(boxcars::PickupNew { instigator: Some(car), .. }),
            )
            | (
                "TAGame.VehiclePickup_TA:ReplicatedPickupData",
                Attribute::Pickup(boxcars::Pickup { instigator: Some(car), picked_up: true }),
            ) => self.pickups.push(*car),
            _ => self.update_car(id, about, &update.attribute),
        }
    }

    fn update_car(&mut self, id: ActorId, about: &str, attribute: &Attribute) {
        match self.actors.get_mut(&id) {
            Some(Actor::Car(car)) => match (about, attribute) {
                ("Engine.Pawn:PlayerReplicationInfo", Attribute::ActiveActor(player)) => {
                    car.driver = player.active.then_some(player.actor);
                }
                ("TAGame.Vehicle_TA:ReplicatedThrottle", Attribute::Byte(byte)) => {
                    car.throttle = Some(*byte);
                }
                ("TAGame.Vehicle_TA:ReplicatedSteer", Attribute::Byte(byte)) => {
                    car.steer = Some(*byte);
                }
                ("TAGame.Vehicle_TA:bReplicatedHandbrake", Attribute::Boolean(on)) => {
                    car.handbrake = *on;
                }
                ("TAGame.Car_TA:DodgesRefreshedCounter", Attribute::Int(count)) => {
                    car.resets = *count;
                }
                _ => {}
            },
            Some(Actor::Component(component)) => {
                component.heard = self.count;
                match (about, attribute) {
                    ("TAGame.CarComponent_TA:Vehicle", Attribute::ActiveActor(vehicle)) => {
                        component.car = vehicle.active.then_some(vehicle.actor);
                    }
                    ("TAGame.CarComponent_TA:ReplicatedActive", Attribute::Byte(count)) => {
                        component.active = count % 2 == 1;
                    }
                    (
                        "TAGame.CarComponent_Boost_TA:ReplicatedBoost",
                        Attribute::ReplicatedBoost(boost),
                    ) => component.amount = boost.boost_amount,
                    (
                        "TAGame.CarComponent_Boost_TA:ReplicatedBoostAmount",
                        Attribute::Byte(boost),
                    ) => component.amount = *boost,
                    ("TAGame.CarComponent_Dodge_TA:DodgeTorque", Attribute::Location(torque)) => {
                        let dodge = [torque.x / DODGE_TORQUE[0], torque.y / DODGE_TORQUE[1]];
                        let car = component.car.and_then(|car| self.actors.get_mut(&car));
                        if let Some(Actor::Car(car)) = car
                            && dodge.iter().all(|share| share.is_finite())
                        {
                            car.dodge = dodge;
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// An actor turns out to be a player.
    fn know(&mut self, id: ActorId, key: String) {
        if let Some(Actor::Player(player)) = self.actors.get_mut(&id) {
            let known = self.players.iter().position(|(other, _)| *other == key);
            if known.is_none() && self.players.len() >= MAX_PLAYERS {
                return;
            }
            *player = Some(known.unwrap_or(self.players.len()));
            if known.is_none() {
                self.players.push((key, Draft::default()));
            }
        }
    }

    fn player(&mut self, id: ActorId) -> Option<&mut Draft> {
        match self.actors.get(&id) {
            Some(Actor::Player(Some(at))) => self.players.get_mut(*at).map(|(_, draft)| draft),
            _ => None,
        }
    }

    fn driver(&self, car: ActorId) -> Option<usize> {
        match self.actors.get(&car) {
            Some(Actor::Car(car)) => match self.actors.get(&car.driver?) {
                Some(Actor::Player(player)) => *player,
                _ => None,
            },
            _ => None,
        }
    }

    fn frame(&self, time: f64) -> Frame {
        let mut cars: Vec<Option<CarRow>> = vec![None; self.players.len()];
        // While a car comes back, the one before may still be there.
        let mut newest = vec![0; self.players.len()];
        let mut ball = None;
        for (id, actor) in &self.actors {
            let fresh = self.fresh.contains(id);
            match actor {
                Actor::Ball(Some(rigid)) => ball = Some(pose(rigid, fresh)),
                Actor::Car(car) => {
                    if let (Some(player), Some(rigid)) = (self.driver(*id), &car.rigid)
                        && newest[player] <= car.heard
                    {
                        newest[player] = car.heard;
                        cars[player] = Some(self.row(*id, car, pose(rigid, fresh)));
                    }
                }
                _ => {}
            }
        }
        let pickups = self.pickups.iter().filter_map(|car| self.driver(*car)).collect();
        Frame {
            time,
            phase: self.phase,
            seconds: self.seconds,
            overtime: self.overtime,
            goals: self.goals,
            ball,
            cars,
            pickups,
        }
    }

    fn row(&self, id: ActorId, car: &Car, pose: Pose) -> CarRow {
        let axis = |byte: Option<u8>| byte.map_or(0.0, |byte| f32::from(byte) / 127.5 - 1.0);
        let mut row = CarRow {
            pose,
            throttle: axis(car.throttle),
            steer: axis(car.steer),
            handbrake: car.handbrake,
            boosting: false,
            jumping: false,
            double_jumping: false,
            dodging: false,
            turning_over: false,
            boost: 0.0,
            dodge: car.dodge,
            resets: car.resets,
        };
        let mut parts: [Option<&Component>; 5] = [None; 5];
        for actor in self.actors.values() {
            if let Actor::Component(component) = actor
                && component.car == Some(id)
            {
                let place = &mut parts[component.part as usize];
                if place.is_none_or(|other| other.heard <= component.heard) {
                    *place = Some(component);
                }
            }
        }
        for component in parts.into_iter().flatten() {
            match component.part {
                Part::Boost => {
                    row.boosting = component.active;
                    row.boost = f32::from(component.amount) / 2.55;
                }
                Part::Jump => row.jumping = component.active,
                Part::DoubleJump => row.double_jumping = component.active,
                Part::Dodge => row.dodging = component.active,
                Part::TurnOver => row.turning_over = component.active,
            }
        }
        row
    }

    /// Everybody that was ever announced; some of them never drove a car.
    fn finish(self) -> Vec<Player> {
        let players = self.players.into_iter().map(|(key, draft)| {
            let team = draft.team.unwrap_or(Team::Blue);
            let body = draft.bodies.map_or(0, |bodies| bodies[team.index()]);
            Player { name: draft.name.unwrap_or(key), team, hitbox: hitbox_of_body(body) }
        });
        players.collect()
    }
}

fn finite(rigid: &RigidBody) -> bool {
    let vector = |v: &boxcars::Vector3f| [v.x, v.y, v.z];
    let q = rigid.rotation;
    let moving = [rigid.linear_velocity, rigid.angular_velocity];
    vector(&rigid.location)
        .into_iter()
        .chain([q.x, q.y, q.z, q.w])
        .chain(moving.iter().flatten().flat_map(vector))
        .all(|number| number.is_finite() && number.abs() < 1e5)
}

fn pose(rigid: &RigidBody, fresh: bool) -> Pose {
    let vector = |v: boxcars::Vector3f| Vec3A::new(v.x, v.y, v.z);
    let q = rigid.rotation;
    let body = Body {
        pos: vector(rigid.location),
        vel: rigid.linear_velocity.map_or(Vec3A::ZERO, vector),
        ang_vel: rigid.angular_velocity.map_or(Vec3A::ZERO, vector) / SPIN_UNITS,
    };
    Pose { body, world_from_car: axes([q.w, q.x, q.y, q.z]), fresh }
}

/// The axes of a body that is turned by a quaternion.
fn axes([w, x, y, z]: [f32; 4]) -> Mat3A {
    Mat3A::from_cols(
        Vec3A::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)),
        Vec3A::new(2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)),
        Vec3A::new(2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)),
    )
}

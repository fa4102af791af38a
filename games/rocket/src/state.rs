//! A match as plain data: what observations, masks, reward terms and scripted players read.
//!
//! The engine is stepped in one place only ([`crate::game`]); everything else is a function of a
//! [`State`] and of the [`Happenings`] of the last step, so that it can be tested on states that a
//! test writes down. Units are the engine's: uu, uu/s, rad/s, seconds. Blue defends −y, orange +y.

use rocketsim::{Mat3A, Vec3A};

/// Most cars of one team.
pub const MAX_TEAM: usize = 3;
/// Boost pads of the soccar field, in the order of RLGym: by y, then by x.
pub const PADS: usize = 34;

/// Blue attacks towards +y, orange towards −y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Team {
    /// Team 0.
    Blue,
    /// Team 1.
    Orange,
}

impl Team {
    /// The number of the team in the game's spec.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Self::Blue => Self::Orange,
            Self::Orange => Self::Blue,
        }
    }

    /// +1 where blue attacks, −1 where orange does.
    pub fn attack_sign(self) -> f32 {
        match self {
            Self::Blue => 1.0,
            Self::Orange => -1.0,
        }
    }
}

/// Where something is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// uu
    pub pos: Vec3A,
    /// uu/s
    pub vel: Vec3A,
    /// rad/s
    pub ang_vel: Vec3A,
}

/// One car.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Car {
    /// Whose it is.
    pub team: Team,
    /// Where it is and how it moves.
    pub body: Body,
    /// Columns: forward, right, up, in world coordinates.
    pub world_from_car: Mat3A,
    /// 0 to 100.
    pub boost: f32,
    /// At least three wheels touch.
    pub on_ground: bool,
    /// The first jump is left.
    pub has_jump: bool,
    /// A flip or double jump is left: on the ground, or in the air within its time.
    pub has_flip: bool,
    /// A jump is being held and still pushes.
    pub jumping: bool,
    /// A flip is turning the car.
    pub flipping: bool,
    /// Faster than 2200 uu/s, with the engine's grace period.
    pub supersonic: bool,
    /// Lies in pieces.
    pub demolished: bool,
    /// Seconds until it comes back; 0 when it is whole.
    pub respawn_secs: f32,
    /// Seconds since it left the ground; 0 on the ground.
    pub air_secs: f32,
    /// Some part of the car other than a wheel touches the arena: with the roof down, a turtle.
    pub body_contact: bool,
    /// The row of the action table that drives it, if any yet.
    pub last_action: Option<usize>,
}

impl Car {
    /// A whole car on its wheels at a place, at rest, its nose along +x, its tank empty.
    pub fn parked(team: Team, pos: Vec3A) -> Self {
        Self {
            team,
            body: Body { pos, vel: Vec3A::ZERO, ang_vel: Vec3A::ZERO },
            world_from_car: Mat3A::IDENTITY,
            boost: 0.0,
            on_ground: true,
            has_jump: true,
            has_flip: true,
            jumping: false,
            flipping: false,
            supersonic: false,
            demolished: false,
            respawn_secs: 0.0,
            air_secs: 0.0,
            body_contact: false,
            last_action: None,
        }
    }

    /// Unit vector out of the bonnet.
    pub fn forward(&self) -> Vec3A {
        self.world_from_car.x_axis
    }

    /// Unit vector out of the right door.
    pub fn right(&self) -> Vec3A {
        self.world_from_car.y_axis
    }

    /// Unit vector out of the roof.
    pub fn up(&self) -> Vec3A {
        self.world_from_car.z_axis
    }

    /// A vector of the world as the car sees it: along forward, right, up.
    pub fn car_from_world(&self, v: Vec3A) -> Vec3A {
        Vec3A::new(v.dot(self.forward()), v.dot(self.right()), v.dot(self.up()))
    }

    /// Lies on its roof (or close to it) on some surface, off its wheels.
    pub fn turtled(&self) -> bool {
        !self.demolished && !self.on_ground && self.body_contact && self.up().z < 0.0
    }
}

/// A match at one moment.
#[derive(Debug, PartialEq)]
pub struct State {
    /// The ball.
    pub ball: Body,
    /// Blue cars first, then orange ones; as many as play.
    pub cars: Vec<Car>,
    /// Seconds until each pad has boost again; 0 when it has.
    pub pad_secs: [f32; PADS],
    /// Ticks of 1/120 s since the match began.
    pub tick: u64,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { cars: self.cars.clone(), ..*self }
    }

    /// Into the room that is there: a state is kept at every step.
    fn clone_from(&mut self, other: &Self) {
        let Self { ball, cars, pad_secs, tick } = other;
        self.cars.clone_from(cars);
        (self.ball, self.pad_secs, self.tick) = (*ball, *pad_secs, *tick);
    }
}

/// What happened between two states, added up over the ticks of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Happenings {
    /// The team that scored.
    pub goal: Option<usize>,
    /// The car of the team that scored which touched the ball last, if any of them did since the
    /// kickoff: the one that the game credits. Nobody is credited with an own goal.
    pub scorer: Option<usize>,
    /// The ball touched the floor in the last tick of the step.
    pub ball_on_floor: bool,
    /// For each car.
    pub cars: Vec<CarHappenings>,
}

/// What happened to one car in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CarHappenings {
    /// Contacts with the ball that began in this step.
    pub touches: u32,
    /// Ticks in which it was in contact with the ball: RLGym's `ball_touches`. A car that carries the
    /// ball has some in every step, but begins a contact only now and then.
    pub contact_ticks: u32,
    /// The ball's change of velocity in the tick of its strongest touch, uu/s.
    pub hit_speed_change: f32,
    /// Its height above the ground at its last touch, uu.
    pub touch_height: f32,
    /// The touch sent the ball on its way into the opponents' goal.
    pub shot: bool,
    /// The touch turned a ball away that was on its way into the own goal.
    pub save: bool,
    /// Boost it collected from pads, 0 to 100.
    pub boost_collected: f32,
    /// Cars of the other team it demolished.
    pub demolitions: u32,
    /// It was demolished.
    pub demolished: bool,
    /// Its wheels came to the ground.
    pub landed: bool,
    /// They did while a flip was still turning the car.
    pub wavedash: bool,
    /// Cars of the other team that it bumped without demolishing them.
    pub bumps: u32,
}

impl State {
    /// The field turned by half a turn about the vertical: what orange sees is what blue would see
    /// of this. Cars keep their order and their team; pads change places with their opposites.
    pub fn rotated(&self) -> Self {
        let mut turned = self.clone();
        turn(&mut turned.ball);
        for car in &mut turned.cars {
            turn(&mut car.body);
            car.world_from_car =
                Mat3A::from_cols(half(car.forward()), half(car.right()), half(car.up()));
        }
        // By y, then by x: the opposite of pad i is pad 33 − i.
        turned.pad_secs.reverse();
        turned
    }
}

/// Half a turn about the vertical.
pub fn half(v: Vec3A) -> Vec3A {
    Vec3A::new(-v.x, -v.y, v.z)
}

fn turn(body: &mut Body) {
    body.pos = half(body.pos);
    body.vel = half(body.vel);
    body.ang_vel = half(body.ang_vel);
}

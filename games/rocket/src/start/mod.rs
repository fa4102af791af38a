//! Start states: where ball and cars are when a match begins.
//!
//! A preset mixes kinds by weight. Each kind is a family of situations around one skill, drawn anew
//! for every match. Where a situation has an attacker, either team attacks with probability one
//! half: situations are made in the attackers' frame, who play towards +y, and turned by half a turn
//! when orange attacks.

mod draft;
mod field;
mod kickoff;
mod mechanics;
mod open_play;

use std::fmt;

use lanista_game::SettingsError;
use lanista_game::seed::Rng;
use rand::RngExt;
use rocketsim::{CarCore, Mat3A, PhysState};
use serde::{Deserialize, Serialize};

use self::draft::{Draft, Sizes};
use crate::hitbox::Hitbox;
use crate::state::{Body, Team, half};

/// A family of start states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartKind {
    /// The kickoff of the game.
    Kickoff,
    /// Ball and cars anywhere.
    Random,
    /// Every car on its roof, the ball near.
    Turtled,
    /// The ball in front of a goal with a keeper in it.
    GoalLine,
    /// The ball on its way up or along a side wall.
    Wall,
    /// The ball lofted, a car rising beneath it.
    AirDribble,
    /// The ball high, a car under it with its wheels up and its flip spent.
    FlipReset,
    /// The ball bouncing between two cars that drive at it.
    JumpChallenge,
    /// Where a recorded match once was. It is not drawn by weight.
    Recorded,
}

impl StartKind {
    /// Every kind that is drawn by weight, in the order of [`StartWeights`].
    pub const ALL: [Self; 8] = [
        Self::Kickoff,
        Self::Random,
        Self::Turtled,
        Self::GoalLine,
        Self::Wall,
        Self::AirDribble,
        Self::FlipReset,
        Self::JumpChallenge,
    ];

    /// Its key in [`StartWeights`].
    pub fn name(self) -> &'static str {
        match self {
            Self::Kickoff => "kickoff",
            Self::Random => "random",
            Self::Turtled => "turtled",
            Self::GoalLine => "goal_line",
            Self::Wall => "wall",
            Self::AirDribble => "air_dribble",
            Self::FlipReset => "flip_reset",
            Self::JumpChallenge => "jump_challenge",
            Self::Recorded => "recorded",
        }
    }

    /// One line about it.
    pub fn about(self) -> &'static str {
        match self {
            Self::Kickoff => "the kickoff of the game, both teams on matching spots",
            Self::Random => "ball and cars anywhere, half of the cars in the air",
            Self::Turtled => "every car on its roof, the ball near",
            Self::GoalLine => "a shot, a loose ball or a cross in front of a goal with a keeper",
            Self::Wall => "the ball on its way up or along a side wall, a car after it",
            Self::AirDribble => "the ball lofted, a car with boost rising beneath it",
            Self::FlipReset => "the ball high, a car under it with wheels up and its flip spent",
            Self::JumpChallenge => "the ball at jump height between two cars that drive at it",
            Self::Recorded => "where a recorded match once was",
        }
    }
}

/// How often a match begins with each kind: weights, not probabilities, so they need not add up to
/// anything.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct StartWeights {
    /// The kickoff of the game.
    pub kickoff: f32,
    /// Ball and cars anywhere.
    pub random: f32,
    /// Every car on its roof.
    pub turtled: f32,
    /// The ball in front of a goal.
    pub goal_line: f32,
    /// The ball on a side wall.
    pub wall: f32,
    /// The ball lofted over a rising car.
    pub air_dribble: f32,
    /// The ball high over a car without a flip.
    pub flip_reset: f32,
    /// The ball between two cars.
    pub jump_challenge: f32,
}

impl Default for StartWeights {
    fn default() -> Self {
        Self::only(StartKind::Kickoff)
    }
}

impl StartWeights {
    /// Always the same kind.
    pub fn only(kind: StartKind) -> Self {
        let weight = |this| f32::from(this == kind);
        Self {
            kickoff: weight(StartKind::Kickoff),
            random: weight(StartKind::Random),
            turtled: weight(StartKind::Turtled),
            goal_line: weight(StartKind::GoalLine),
            wall: weight(StartKind::Wall),
            air_dribble: weight(StartKind::AirDribble),
            flip_reset: weight(StartKind::FlipReset),
            jump_challenge: weight(StartKind::JumpChallenge),
        }
    }

    /// The weight of a kind.
    pub fn weight(&self, kind: StartKind) -> f32 {
        match kind {
            StartKind::Kickoff => self.kickoff,
            StartKind::Random => self.random,
            StartKind::Turtled => self.turtled,
            StartKind::GoalLine => self.goal_line,
            StartKind::Wall => self.wall,
            StartKind::AirDribble => self.air_dribble,
            StartKind::FlipReset => self.flip_reset,
            StartKind::JumpChallenge => self.jump_challenge,
            StartKind::Recorded => 0.0,
        }
    }

    /// Refuses weights from which nothing could be drawn.
    pub fn check(&self) -> Result<(), SettingsError> {
        for kind in StartKind::ALL {
            let weight = self.weight(kind);
            // Large weights would overflow their sum; NaN is in no range.
            if !(0.0..=1e6).contains(&weight) {
                return Err(SettingsError::new(
                    format!("start.{}", kind.name()),
                    format!("{weight} is no weight; it must be at least 0 and at most 1000000"),
                ));
            }
        }
        if self.total() <= 0.0 {
            let names = StartKind::ALL.map(StartKind::name).join(", ");
            let message = format!("every weight is 0; give one of {names} a weight above 0");
            return Err(SettingsError::new("start", message));
        }
        Ok(())
    }

    fn total(&self) -> f32 {
        StartKind::ALL.iter().map(|&kind| self.weight(kind)).sum()
    }

    /// Draws a kind. One without weight never comes up.
    fn draw(&self, rng: &mut Rng) -> StartKind {
        let mut left = rng.random::<f32>() * self.total();
        let mut last = StartKind::Kickoff;
        for kind in StartKind::ALL.into_iter().filter(|&kind| self.weight(kind) > 0.0) {
            last = kind;
            left -= self.weight(kind);
            if left < 0.0 {
                break;
            }
        }
        last
    }
}

impl fmt::Display for StartWeights {
    /// The kinds that come up with their shares, as in `kickoff 75 %, wall 25 %`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (total, mut separator) = (self.total(), "");
        for kind in StartKind::ALL.into_iter().filter(|&kind| self.weight(kind) > 0.0) {
            let percent = 100.0 * self.weight(kind) / total;
            let digits = usize::from(percent < 10.0);
            write!(f, "{separator}{} {percent:.digits$} %", kind.name())?;
            separator = ", ";
        }
        Ok(())
    }
}

/// One car of a start state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CarSetup {
    /// Whose it is.
    pub team: Team,
    /// Where it is and how it moves.
    pub body: Body,
    /// Columns: forward, right, up, in world coordinates.
    pub world_from_car: Mat3A,
    /// 0 to 100.
    pub boost: f32,
    /// It stands on its wheels, on the floor or on a wall.
    pub on_ground: bool,
    /// It is in the air because of a jump.
    pub has_jumped: bool,
    /// Its flip is spent, and the turn that came of it is over.
    pub has_flipped: bool,
    /// Seconds in the air since the jump ended; a flip is left until 1.25.
    pub secs_since_jump: f32,
    /// Its body.
    pub hitbox: Hitbox,
}

/// A flip neither turns the car nor locks its pitch any more after so many seconds. The engine counts
/// them whether or not there was a flip: a car that starts at 0 could not pitch for 0.3 s.
pub(crate) const FLIP_OVER_SECS: f32 = 1.0;

impl CarSetup {
    /// The engine's snapshot of it. Wheel contacts are the engine's to find.
    pub fn core(&self) -> CarCore {
        let phys = PhysState {
            pos: self.body.pos,
            rot_mat: self.world_from_car,
            vel: self.body.vel,
            ang_vel: self.body.ang_vel,
        };
        CarCore {
            has_jumped: self.has_jumped,
            has_flipped: self.has_flipped,
            flip_time: FLIP_OVER_SECS,
            air_time_since_jump: self.secs_since_jump,
            ..CarCore::grounded(phys, self.boost)
        }
    }

    fn turned(mut self) -> Self {
        let axes = self.world_from_car;
        self.body = turned(self.body);
        self.world_from_car =
            Mat3A::from_cols(half(axes.x_axis), half(axes.y_axis), half(axes.z_axis));
        self
    }
}

/// Where everything is when a match begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The kind it was drawn from.
    pub kind: StartKind,
    /// The ball.
    pub ball: Body,
    /// Blue cars first, then orange ones.
    pub cars: Vec<CarSetup>,
}

/// Draws a start state. `weights` has been checked; `teams` has the hitboxes of blue's cars and of
/// orange's.
pub fn draw(weights: &StartWeights, rng: &mut Rng, teams: [&[Hitbox]; 2]) -> Setup {
    let kind = weights.draw(rng);
    // The coin is tossed even where it decides nothing, so that a lone car meets the same
    // situations as one with an opponent.
    let coin = rng.random::<bool>();
    let [blue, orange] = teams;
    let attackers = match (blue, orange) {
        (_, []) => Team::Blue,
        ([], _) => Team::Orange,
        _ if coin => Team::Orange,
        _ => Team::Blue,
    };
    let sizes = match attackers {
        Team::Blue => Sizes { attackers: blue, defenders: orange },
        Team::Orange => Sizes { attackers: orange, defenders: blue },
    };
    // A situation without room for its cars is thrown away. A kickoff always has room.
    let draft = (0..TRIES)
        .find_map(|_| situation(kind, rng, sizes))
        .or_else(|| kickoff::kickoff(rng, sizes))
        .unwrap_or_else(|| Draft::new(kickoff::ball()));
    let (ball, mut cars) = (draft.ball, draft.cars);
    if attackers == Team::Blue {
        return Setup { kind, ball, cars };
    }
    cars.rotate_left(sizes.attackers.len());
    for car in &mut cars {
        *car = CarSetup { team: car.team.other(), ..car.turned() };
    }
    Setup { kind, ball: turned(ball), cars }
}

/// How often a situation is drawn anew before the match begins with a kickoff instead.
const TRIES: usize = 64;

fn situation(kind: StartKind, rng: &mut Rng, sizes: Sizes) -> Option<Draft> {
    match kind {
        StartKind::Kickoff => kickoff::kickoff(rng, sizes),
        StartKind::Random => open_play::random(rng, sizes),
        StartKind::Turtled => open_play::turtled(rng, sizes),
        StartKind::GoalLine => open_play::goal_line(rng, sizes),
        StartKind::Wall => mechanics::wall(rng, sizes),
        StartKind::AirDribble => mechanics::air_dribble(rng, sizes),
        StartKind::FlipReset => mechanics::flip_reset(rng, sizes),
        StartKind::JumpChallenge => mechanics::jump_challenge(rng, sizes),
        StartKind::Recorded => None,
    }
}

fn turned(body: Body) -> Body {
    Body { pos: half(body.pos), vel: half(body.vel), ang_vel: half(body.ang_vel) }
}

#[cfg(test)]
mod tests;

//! The reward terms: what a step was worth mentioning, seat by seat.
//!
//! A term is a fact without a price; presets weigh it. Events are worth about 1 each, shaping terms
//! lie within −1 and 1 a step: a smaller tick skip adds up more of them in a second, unless the
//! settings ask for them per second ([`scale_shaping`]). A term that measures something bad is positive all the same
//! (`concede`, `demolished`, `turtle`, `velocity_toward_own_goal`) and wants a negative weight.
//! Teams are treated alike: turn the field by half a turn, swap the teams, and every seat's numbers
//! stay what they were.

mod ball;
mod car;
mod play;
mod touch;

use lanista_game::{Term, TermKind};
use rocketsim::Vec3A;
use rocketsim::consts::goal::{SOCCAR_GOAL_DEPTH, SOCCAR_GOAL_HEIGHT};

use crate::flights::Flights;
use crate::recovery::{Recoveries, RecoveryEvent};
use crate::state::{Car, CarHappenings, Happenings, State, Team};

/// Where the back walls stand.
const BACK_WALL_Y_UU: f32 = 5120.0;
const CEILING_Z_UU: f32 = 2044.0;
const CAR_MAX_SPEED: f32 = rocketsim::consts::car::MAX_SPEED;
const BALL_MAX_SPEED: f32 = rocketsim::consts::ball::MAX_SPEED;

/// What one seat's terms are computed from.
struct Scene<'a> {
    /// Whose terms they are.
    index: usize,
    before: &'a Car,
    car: &'a Car,
    did: &'a CarHappenings,
    happened: &'a Happenings,
    recovery: Option<RecoveryEvent>,
    /// How far the car carried the ball through the air to a touch in this step.
    flown_uu: f32,
    now: &'a State,
}

impl Scene<'_> {
    /// Unit vector from the ball towards the net of a team.
    ///
    /// It aims at the back of the net, as RLGym's VelocityBallToGoalReward does, not at the mouth:
    /// a ball that crosses the line must not seem to move away from the goal.
    fn ball_to_net(&self, defenders: Team) -> Vec3A {
        (net(defenders) - self.now.ball.pos).normalize_or_zero()
    }

    /// Unit vector from the car to the ball.
    fn car_to_ball(&self) -> Vec3A {
        (self.now.ball.pos - self.car.body.pos).normalize_or_zero()
    }

    /// The car was in contact with the ball in some tick of the step.
    fn touched(&self) -> bool {
        self.did.contact_ticks > 0
    }

    /// The car was off the ground at one end of the step at least: a hit that happens on the very
    /// tick of lift-off or of landing is one of the air.
    fn airborne(&self) -> bool {
        !self.car.on_ground || !self.before.on_ground
    }
}

/// The middle of the back of a team's net.
fn net(defenders: Team) -> Vec3A {
    let y = -defenders.attack_sign() * (BACK_WALL_Y_UU + SOCCAR_GOAL_DEPTH);
    Vec3A::new(0.0, y, SOCCAR_GOAL_HEIGHT / 2.0)
}

/// A term with the function that computes it, so that names and numbers cannot drift apart.
struct Row {
    name: &'static str,
    kind: TermKind,
    about: &'static str,
    value: fn(&Scene) -> f32,
}

const fn row(
    kind: TermKind,
    name: &'static str,
    value: fn(&Scene) -> f32,
    about: &'static str,
) -> Row {
    Row { name, kind, about, value }
}

use TermKind::{Event, Outcome, Shaping};

#[rustfmt::skip] // one line a term
const ROWS: [Row; 30] = [
    row(Outcome, "goal", ball::goal, "1 when the own team scores"),
    row(Outcome, "concede", ball::concede, "1 when the other team scores; weigh it negatively"),
    row(Event, "touch", touch::touch, "1 in every step with a tick in which the car is in contact with the ball"),
    row(Event, "shot", touch::shot, "1 for a touch that sends the ball on its way into the opponents' goal"),
    row(Event, "save", touch::save, "1 for a touch that turns a ball away from the own goal"),
    row(Event, "strong_hit", touch::strong_hit, "how hard a touch was: the ball's change of velocity / 3000 uu/s, at most 1"),
    row(Event, "basic_shot", touch::basic_shot, "the ball's speed towards the opponents' goal after a touch / 6000 uu/s, at least 0"),
    row(Event, "jump_shot", touch::jump_shot, "basic_shot of a car that has jumped and is in the air"),
    row(Event, "aerial_touch_height", touch::aerial_touch_height, "height of a touch in the air / 2044 uu, the ceiling"),
    row(Event, "demolition", car::demolition, "opponents demolished in this step"),
    row(Event, "demolished", car::demolished, "1 when the car is demolished; weigh it negatively"),
    row(Event, "landing", car::landing, "0 to 1 for coming down on wheels: upright and rolling along the velocity"),
    row(Event, "recovered", car::recovered, "1 when a car that lay on its roof stands on its wheels again"),
    row(Event, "collect_boost", car::collect_boost, "gain of the root of the tank's share from pads: more for an empty tank"),
    row(Shaping, "velocity_ball_to_goal", ball::velocity_ball_to_goal, "the ball's speed towards the opponents' goal / 6000 uu/s, -1 to 1"),
    row(Shaping, "velocity_toward_own_goal", ball::velocity_toward_own_goal, "the ball's speed towards the own goal / 6000 uu/s, 0 to 1; weigh it negatively"),
    row(Shaping, "liu_distance_ball_to_goal", ball::liu_distance_ball_to_goal, "exp(-distance of the ball to the opponents' goal / 12000 uu), 0 to 1"),
    row(Shaping, "face_ball", car::face_ball, "cosine between the car's nose and the ball, -1 to 1"),
    row(Shaping, "velocity_player_to_ball", car::velocity_player_to_ball, "the car's speed towards the ball / 2300 uu/s, -1 to 1"),
    row(Shaping, "in_air", car::in_air, "1 while the car is off the ground and not on its roof"),
    row(Shaping, "save_boost", car::save_boost, "root of the tank's share, 0 to 1"),
    row(Shaping, "turtle", car::turtle, "1 while the car lies on its roof; weigh it negatively"),
    row(Event, "scored", ball::scored, "1 for the car that scores: the last of its team to touch the ball; not for own goals"),
    row(Event, "goal_speed", ball::goal_speed, "the ball's speed / 6000 uu/s when the own team scores"),
    row(Event, "flip_reset", touch::flip_reset, "1 when the wheels touch the ball in the air and the car has its flip back"),
    row(Event, "air_distance", touch::air_distance, "distance that car and ball flew between two touches of the car in the air / 5120 uu, at most 1"),
    row(Event, "wavedash", car::wavedash, "1 when the wheels come down while a flip is still turning the car"),
    row(Event, "bump", car::bump, "opponents bumped in this step, but not demolished"),
    row(Shaping, "dribble", play::dribble, "1 while the car is on its wheels with the ball on its roof"),
    row(Shaping, "liu_distance_player_to_ball", play::liu_distance_player_to_ball, "exp(-distance of the car to the ball / 4600 uu), 0 to 1"),
];

/// How many terms a seat has.
pub const COUNT: usize = ROWS.len();

/// The terms in the order in which [`write()`] writes them.
pub fn terms() -> Vec<Term> {
    ROWS.iter().map(|row| Term::new(row.kind, row.name, row.about)).collect()
}

/// Multiplies one car's shaping terms: by the seconds of a step, so that their sum over a second does
/// not depend on how often a car decides.
#[inline]
pub fn scale_shaping(factor: f32, out: &mut [f32]) {
    for (out, _) in out.iter_mut().zip(&ROWS).filter(|(_, row)| row.kind == Shaping) {
        *out *= factor;
    }
}

/// Writes the terms of one car for the step from `before` to `now`: `out` has [`COUNT`] numbers.
/// `recoveries` and `flights` have been updated with `now`.
///
/// After a goal `now` is the moment of the goal, not the kickoff that follows it.
#[inline]
pub fn write(
    before: &State,
    now: &State,
    happened: &Happenings,
    recoveries: &Recoveries,
    flights: &Flights,
    car: usize,
    out: &mut [f32],
) {
    let scene = Scene {
        index: car,
        before: &before.cars[car],
        car: &now.cars[car],
        did: &happened.cars[car],
        happened,
        recovery: recoveries.event(car),
        flown_uu: flights.distance(car),
        now,
    };
    debug_assert_eq!(out.len(), COUNT);
    for (out, row) in out.iter_mut().zip(&ROWS) {
        *out = (row.value)(&scene);
    }
}

#[cfg(test)]
mod scenes;

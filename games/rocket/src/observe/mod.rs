//! What a car sees: a state as a row of numbers.
//!
//! Every car sees the field as if its team were blue: to an orange car everything is turned by half
//! a turn about the vertical, ball, cars and pads alike, so one policy plays both sides. Rows are
//! padded to a largest team size, so one policy also plays 1v1 to 3v3; places nobody fills are 0.
//!
//! A layout is written down once: the same code names the numbers and writes them, so names and
//! numbers cannot drift apart.

mod advanced;
mod context;
mod plus;
mod sink;

use rocketsim::{Mat3A, Vec3A};
use serde::{Deserialize, Serialize};

use crate::state::{Body, Car, MAX_TEAM, PADS, State, Team, half};
use crate::table::table;

use sink::{Names, Numbers, Sink};

pub use context::Context;
pub use plus::{PADS_NEAR_BALL, PADS_NEAR_CAR};
pub use sink::LIMIT;

/// Which numbers a car sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// RLGym's `AdvancedObs`: everything along the axes of the field.
    Advanced,
    /// Everything as the car sees it, with the nearest cars and pads first.
    #[default]
    Plus,
}

impl Layout {
    /// How many numbers one frame has.
    pub fn width(&self, max_team: usize) -> usize {
        match self {
            Self::Advanced => advanced::width(max_team),
            Self::Plus => plus::width(max_team),
        }
    }

    /// The name of every number of one frame, in order; no two are alike.
    pub fn features(&self, max_team: usize) -> Vec<String> {
        // Any state with every place filled names them all.
        let state = full_field(max_team);
        let mut names = Names::default();
        self.describe(&View::of(&state, 0), max_team, &mut names);
        names.all
    }

    /// Writes what car `seat_car` sees; `out` is [`width`](Self::width) long. Of a team larger than
    /// `max_team`, only as many cars are seen. A car that does not play sees zeros.
    pub fn write(&self, state: &State, seat_car: usize, max_team: usize, out: &mut [f32]) {
        assert_eq!(out.len(), self.width(max_team), "an observation of another layout");
        if seat_car >= state.cars.len() {
            out.fill(0.0);
            return;
        }
        self.describe(&View::of(state, seat_car), max_team, &mut Numbers::into(out));
    }

    fn describe(&self, view: &View, max_team: usize, sink: &mut impl Sink) {
        match self {
            Self::Advanced => advanced::describe(view, max_team, sink),
            Self::Plus => plus::describe(view, max_team, sink),
        }
    }
}

/// A state from one car's side: positions come out turned so that its team plays as blue.
struct View<'a> {
    state: &'a State,
    /// Index of the car that looks.
    own: usize,
    /// The car that looks, turned.
    car: Car,
    /// The ball, turned.
    ball: Body,
    /// 1, or −1 where turning changes the sign.
    turn: Vec3A,
}

impl<'a> View<'a> {
    #[inline]
    fn of(state: &'a State, own: usize) -> Self {
        let turn = match state.cars[own].team {
            Team::Blue => Vec3A::ONE,
            Team::Orange => half(Vec3A::ONE),
        };
        let car = turned_car(&state.cars[own], turn);
        Self { state, own, car, ball: turned(&state.ball, turn), turn }
    }

    /// The other cars of one side, in the state's order, turned.
    #[inline]
    fn others(&self, team: Team) -> impl Iterator<Item = Car> {
        let cars = self.state.cars.iter().enumerate();
        cars.filter(move |&(index, car)| index != self.own && car.team == team)
            .map(|(_, car)| turned_car(car, self.turn))
    }

    /// Seconds until a pad of the turned field has boost again.
    #[inline]
    fn pad_secs(&self, pad: usize) -> f32 {
        match self.car.team {
            Team::Blue => self.state.pad_secs[pad],
            Team::Orange => self.state.pad_secs[PADS - 1 - pad],
        }
    }

    /// The eight controls of the car's last action; zeros before the first.
    #[inline]
    fn last_controls(&self) -> [f32; 8] {
        self.car.last_action.map_or([0.0; 8], |row| table()[row].numbers())
    }
}

#[inline]
fn turned(body: &Body, turn: Vec3A) -> Body {
    Body { pos: body.pos * turn, vel: body.vel * turn, ang_vel: body.ang_vel * turn }
}

#[inline]
fn turned_car(car: &Car, turn: Vec3A) -> Car {
    let axes = &car.world_from_car;
    Car {
        body: turned(&car.body, turn),
        world_from_car: Mat3A::from_cols(
            axes.x_axis * turn,
            axes.y_axis * turn,
            axes.z_axis * turn,
        ),
        ..*car
    }
}

/// Two full teams, parked; what they do does not matter.
pub(crate) fn full_field(max_team: usize) -> State {
    assert!((1..=MAX_TEAM).contains(&max_team), "teams have 1 to {MAX_TEAM} cars");
    let rest = Body { pos: Vec3A::ZERO, vel: Vec3A::ZERO, ang_vel: Vec3A::ZERO };
    let parked = |team| Car::parked(team, Vec3A::ZERO);
    let cars = [Team::Blue, Team::Orange].map(|team| std::iter::repeat_n(parked(team), max_team));
    State { ball: rest, cars: cars.into_iter().flatten().collect(), pad_secs: [0.0; PADS], tick: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ROWS;
    use lanista_game::seed;
    use rand::RngExt;
    use std::collections::HashSet;

    const LAYOUTS: [Layout; 2] = [Layout::Advanced, Layout::Plus];

    /// A state with so many blue and orange cars, anywhere, doing anything.
    fn any_state(rng: &mut seed::Rng, blue: usize, orange: usize) -> State {
        let mut state = full_field(MAX_TEAM);
        state.cars.drain(MAX_TEAM + orange..);
        state.cars.drain(blue..MAX_TEAM);
        let any_body = |rng: &mut seed::Rng, speed: f32| {
            let mut within = |reach: f32| rng.random_range(-reach..reach);
            Body {
                pos: Vec3A::new(within(4096.0), within(5120.0), 1022.0 + within(1022.0)),
                vel: Vec3A::new(within(speed), within(speed), within(speed)),
                ang_vel: Vec3A::new(within(5.5), within(5.5), within(5.5)),
            }
        };
        state.ball = any_body(rng, 3400.0);
        for car in &mut state.cars {
            car.body = any_body(rng, 1300.0);
            car.world_from_car = Mat3A::from_rotation_z(rng.random_range(-3.1..3.1))
                * Mat3A::from_rotation_y(rng.random_range(-3.1..3.1))
                * Mat3A::from_rotation_x(rng.random_range(-3.1..3.1));
            car.boost = rng.random_range(0.0..100.0);
            for flag in [
                &mut car.on_ground,
                &mut car.has_jump,
                &mut car.has_flip,
                &mut car.jumping,
                &mut car.flipping,
                &mut car.supersonic,
                &mut car.demolished,
            ] {
                *flag = rng.random_range(0..2) == 1;
            }
            car.respawn_secs = rng.random_range(0.0..3.0);
            car.air_secs = rng.random_range(0.0..4.0);
            car.last_action = Some(rng.random_range(0..ROWS)).filter(|row| row % 7 != 0);
        }
        for secs in &mut state.pad_secs {
            *secs = rng.random_range(-4.0f32..4.0).max(0.0);
        }
        state
    }

    /// The same match with the teams' names and sides exchanged.
    fn exchanged(state: &State) -> State {
        let mut turned = state.rotated();
        for car in &mut turned.cars {
            car.team = car.team.other();
        }
        turned.cars.sort_by_key(|car| car.team.index());
        turned
    }

    fn seen(layout: Layout, state: &State, car: usize, max_team: usize) -> Vec<f32> {
        // What is not written shows.
        let mut out = vec![f32::NAN; layout.width(max_team)];
        layout.write(state, car, max_team, &mut out);
        out
    }

    #[test]
    fn orange_sees_what_blue_sees_of_the_turned_field() {
        let mut rng = seed::rng(5);
        for case in 0..4000 {
            let (blue, orange) = (1 + case % 3, 1 + case / 3 % 3);
            let state = any_state(&mut rng, blue, orange);
            let other = exchanged(&state);
            for car in 0..blue + orange {
                // Blue cars moved behind the orange ones.
                let moved = if car < blue { orange + car } else { car - blue };
                assert_eq!(other.cars[moved].team, state.cars[car].team.other());
                for layout in LAYOUTS {
                    let here = seen(layout, &state, car, 3);
                    let there = seen(layout, &other, moved, 3);
                    for (at, (a, b)) in here.iter().zip(&there).enumerate() {
                        assert!((a - b).abs() <= 1e-5, "{layout:?} {at}: {a} {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn ties_fall_alike_on_both_sides() {
        // On the middle line pads to the left and right are equally far.
        let mut state = full_field(1);
        state.cars[0].body.pos = Vec3A::new(0.0, -4608.0, 17.0);
        state.cars[1].body.pos = Vec3A::new(0.0, 4608.0, 17.0);
        state.cars[1].world_from_car = Mat3A::from_cols(Vec3A::NEG_X, Vec3A::NEG_Y, Vec3A::Z);
        for layout in LAYOUTS {
            assert_eq!(seen(layout, &state, 0, 1), seen(layout, &state, 1, 1));
        }
    }

    #[test]
    fn every_number_has_a_name_of_its_own() {
        for layout in LAYOUTS {
            for max_team in 1..=MAX_TEAM {
                let names = layout.features(max_team);
                assert_eq!(names.len(), layout.width(max_team), "{layout:?} {max_team}");
                assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
                let snake = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
                assert!(names.iter().all(|name| name.chars().all(snake)), "{names:?}");
                // Every place is written, filled or not.
                let state = any_state(&mut seed::rng(6), 1, 1);
                assert!(seen(layout, &state, 1, max_team).iter().all(|v| !v.is_nan()));
            }
        }
    }

    #[test]
    fn missing_cars_are_zeros_and_change_nothing_else() {
        let mut rng = seed::rng(7);
        for _ in 0..200 {
            let state = any_state(&mut rng, 1, 1);
            for layout in LAYOUTS {
                let (small, large) = (seen(layout, &state, 0, 1), seen(layout, &state, 0, 3));
                let names = layout.features(1);
                for (name, value) in layout.features(3).iter().zip(&large) {
                    match names.iter().position(|n| n == name) {
                        Some(at) => assert_eq!(small[at], *value, "{name}"),
                        None => {
                            assert!(name.starts_with("mate_") || name.starts_with("opponent_"));
                            assert_eq!(*value, 0.0, "{name}");
                        }
                    }
                }
                assert!(seen(layout, &state, 5, 3).iter().all(|&v| v == 0.0));
            }
            // More cars than places: the row is as long as ever.
            let crowd = any_state(&mut rng, 3, 3);
            for layout in LAYOUTS {
                assert_eq!(seen(layout, &crowd, 4, 1).len(), layout.width(1));
            }
        }
    }

    #[test]
    fn numbers_stay_small_in_play_and_finite_always() {
        let mut rng = seed::rng(8);
        for case in 0..2000 {
            let mut state = any_state(&mut rng, 3, 3);
            for layout in LAYOUTS {
                let row = seen(layout, &state, case % 6, 3);
                assert!(row.iter().all(|v| v.abs() < LIMIT), "{layout:?}");
            }
            let wild = [f32::MAX, f32::MIN, f32::INFINITY, f32::NAN, 1e20, f32::MIN_POSITIVE];
            let mut wild = |v: &mut Vec3A| {
                *v = Vec3A::from_array(std::array::from_fn(|_| wild[rng.random_range(0..6)]));
            };
            wild(&mut state.ball.pos);
            wild(&mut state.ball.vel);
            wild(&mut state.cars[case % 6].body.pos);
            wild(&mut state.cars[case % 5].body.ang_vel);
            state.cars[2].boost = f32::INFINITY;
            state.cars[3].air_secs = f32::NAN;
            for layout in LAYOUTS {
                for car in 0..6 {
                    let row = seen(layout, &state, car, 3);
                    assert!(row.iter().all(|v| v.is_finite() && v.abs() <= LIMIT), "{layout:?}");
                }
            }
        }
    }

    #[test]
    fn layouts_are_named_in_lower_case() {
        assert_eq!(serde_json::to_string(&Layout::Advanced).unwrap(), r#""advanced""#);
        assert_eq!(serde_json::from_str::<Layout>(r#""plus""#).unwrap(), Layout::Plus);
    }
}

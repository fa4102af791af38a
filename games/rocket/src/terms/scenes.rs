//! States for the tests of the terms, and the properties that all terms share.

use proptest::prelude::*;
use rocketsim::{Mat3A, Vec3A};

use super::*;
use crate::state::{Body, PADS};

/// One step between a blue and an orange car that stand on the floor, in which nothing happens.
#[derive(Debug)]
pub(super) struct Play {
    pub before: State,
    pub now: State,
    pub happened: Happenings,
    pub recoveries: Recoveries,
    pub flights: Flights,
}

impl Play {
    pub fn new() -> Self {
        let state = State {
            ball: still(Vec3A::new(0.0, 0.0, 93.15)),
            cars: vec![car(Team::Blue), car(Team::Orange)],
            pad_secs: [0.0; PADS],
            tick: 0,
        };
        Self {
            before: state.clone(),
            now: State { tick: 8, ..state },
            happened: Happenings { cars: vec![Default::default(); 2], ..Default::default() },
            recoveries: Recoveries::default(),
            flights: Flights::default(),
        }
    }

    /// Follows cars through the air for one step.
    pub fn follow(&mut self) {
        self.flights.update(&self.before, &self.now, &self.happened);
    }

    pub fn all(&self, car: usize) -> [f32; COUNT] {
        let mut out = [f32::NAN; COUNT];
        let Self { before, now, happened, recoveries, flights } = self;
        write(before, now, happened, recoveries, flights, car, &mut out);
        out
    }

    pub fn term(&self, car: usize, name: &str) -> f32 {
        self.all(car)[ROWS.iter().position(|row| row.name == name).unwrap()]
    }

    /// The same step seen from the other side: half a turn, teams swapped.
    fn swapped(&self) -> Self {
        let swap = |state: &State| {
            let mut state = state.rotated();
            for car in &mut state.cars {
                car.team = car.team.other();
            }
            state
        };
        let happened =
            Happenings { goal: self.happened.goal.map(|t| 1 - t), ..self.happened.clone() };
        Self {
            before: swap(&self.before),
            now: swap(&self.now),
            happened,
            recoveries: self.recoveries.clone(),
            flights: self.flights.clone(),
        }
    }
}

fn still(pos: Vec3A) -> Body {
    Body { pos, vel: Vec3A::ZERO, ang_vel: Vec3A::ZERO }
}

fn car(team: Team) -> Car {
    let pos = Vec3A::new(0.0, -1000.0 * team.attack_sign(), 17.0);
    Car { boost: 33.0, ..Car::parked(team, pos) }
}

pub(super) fn near(got: f32, want: f32) {
    assert!((got - want).abs() < 1e-4, "{got} but {want}");
}

prop_compose! {
    fn any_vector(most: f32)(x in -1.0f32..1.0, y in -1.0f32..1.0, z in -1.0f32..1.0) -> Vec3A {
        Vec3A::new(x, y, z) * most
    }
}

prop_compose! {
    fn any_body()(
        x in -4096.0f32..4096.0,
        y in -6000.0f32..6000.0,
        z in 0.0f32..2044.0,
        vel in any_vector(6000.0),
        ang_vel in any_vector(6.0),
    ) -> Body {
        Body { pos: Vec3A::new(x, y, z), vel, ang_vel }
    }
}

prop_compose! {
    fn any_car(team: Team)(
        body in any_body(),
        turns in any_vector(3.2),
        boost in 0.0f32..100.0,
        air_secs in 0.0f32..2.0,
        flags in any::<[bool; 5]>(),
    ) -> Car {
        let world_from_car = Mat3A::from_rotation_z(turns.z)
            * Mat3A::from_rotation_y(turns.y)
            * Mat3A::from_rotation_x(turns.x);
        let [on_ground, has_jump, has_flip, demolished, body_contact] = flags;
        Car {
            body, world_from_car, boost, air_secs, on_ground, has_jump, has_flip, demolished,
            body_contact, ..car(team)
        }
    }
}

prop_compose! {
    fn any_happening()(
        contact_ticks in 0u32..3,
        hit_speed_change in 0.0f32..6000.0,
        touch_height in 0.0f32..2044.0,
        boost_collected in 0.0f32..100.0,
        demolitions in 0u32..2,
        bumps in 0u32..2,
        flags in any::<[bool; 5]>(),
    ) -> CarHappenings {
        let [shot, save, demolished, landed, wavedash] = flags;
        CarHappenings {
            touches: contact_ticks.min(1), contact_ticks, hit_speed_change, touch_height, shot, save,
            boost_collected, demolitions, demolished, landed, wavedash, bumps,
        }
    }
}

prop_compose! {
    fn any_play()(
        balls in [any_body(), any_body()],
        blue in [any_car(Team::Blue), any_car(Team::Blue)],
        orange in [any_car(Team::Orange), any_car(Team::Orange)],
        cars in [any_happening(), any_happening()],
        goal in proptest::option::of(0usize..2),
        scorer in proptest::option::of(0usize..2),
    ) -> Play {
        let state = |i: usize| State {
            ball: balls[i],
            cars: vec![blue[i], orange[i]],
            pad_secs: [0.0; PADS],
            tick: 8 * i as u64,
        };
        let mut recoveries = Recoveries::default();
        recoveries.update(&state(0));
        recoveries.update(&state(1));
        let cars = cars.to_vec();
        let happened = Happenings { goal, scorer, ball_on_floor: false, cars };
        let mut flights = Flights::default();
        flights.update(&state(0), &state(0), &happened);
        flights.update(&state(0), &state(1), &happened);
        Play { before: state(0), now: state(1), happened, recoveries, flights }
    }
}

proptest! {
    #[test]
    fn teams_are_treated_alike(play in any_play()) {
        let swapped = play.swapped();
        for car in 0..2 {
            prop_assert_eq!(play.all(car), swapped.all(car));
        }
    }

    #[test]
    fn terms_stay_within_one(play in any_play()) {
        for car in 0..2 {
            for (row, value) in ROWS.iter().zip(play.all(car)) {
                let lowest = match row.name {
                    "velocity_ball_to_goal" | "face_ball" | "velocity_player_to_ball" => -1.0,
                    _ => 0.0,
                };
                prop_assert!((lowest..=1.0).contains(&value), "{} is {value}", row.name);
            }
        }
    }
}

#[test]
fn terms_are_listed_as_they_are_written() {
    let terms = terms();
    assert_eq!(terms.len(), COUNT);
    for (i, term) in terms.iter().enumerate() {
        let snake = |c: char| c.is_ascii_lowercase() || c == '_';
        assert!(term.name.chars().all(snake), "{}", term.name);
        assert!(!term.about.is_empty() && !term.about.contains('\n'), "{}", term.name);
        assert!(terms[..i].iter().all(|other| other.name != term.name), "{}", term.name);
    }
    let outcomes = terms.iter().filter(|t| t.kind == Outcome).map(|t| &t.name);
    assert!(outcomes.eq(["goal", "concede"]));
}

#[test]
fn nothing_happening_is_worth_nothing_but_shaping() {
    let play = Play::new();
    for (row, value) in ROWS.iter().zip(play.all(0)) {
        assert!(row.kind == Shaping || value == 0.0, "{} is {value}", row.name);
    }
}

#[test]
fn shaping_alone_is_scaled() {
    let mut play = Play::new();
    play.happened.cars[0].contact_ticks = 1;
    let once = play.all(0);
    let mut scaled = once;
    scale_shaping(0.5, &mut scaled);
    for ((row, once), scaled) in ROWS.iter().zip(once).zip(scaled) {
        let factor = if row.kind == Shaping { 0.5 } else { 1.0 };
        assert_eq!(scaled, factor * once, "{}", row.name);
    }
}

#[test]
fn a_car_inside_the_ball_has_finite_terms() {
    let mut play = Play::new();
    play.now.cars[0].body.pos = play.now.ball.pos;
    assert!(play.all(0).iter().all(|v| v.is_finite()));
}

//! The engine beside C++ RocketSim: figures of `fixtures/cpp_rocketsim.json`.

use std::sync::OnceLock;

use lanista_rocket::arena;
use lanista_rocket::engine::{Engine, blank_state, clear};
use lanista_rocket::hitbox::Hitbox;
use lanista_rocket::start::{CarSetup, Setup, StartKind};
use lanista_rocket::state::{Body, Happenings, State, Team};
use lanista_rocket::table::names;
use rocketsim::{Mat3A, Vec3A};
use serde_json::Value;

fn figures() -> &'static Value {
    static FIGURES: OnceLock<Value> = OnceLock::new();
    FIGURES.get_or_init(|| {
        serde_json::from_str(include_str!("../../fixtures/cpp_rocketsim.json")).unwrap()
    })
}

fn numbers(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap() as f32).collect()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().unwrap_or_else(|| panic!("no {key}"))
}

fn row(name: &str) -> usize {
    names().iter().position(|n| n == name).unwrap_or_else(|| panic!("no action `{name}`"))
}

fn still(pos: [f32; 3]) -> Body {
    Body { pos: Vec3A::from_array(pos), vel: Vec3A::ZERO, ang_vel: Vec3A::ZERO }
}

/// A car at rest; its nose along +x, or +y if it is `turned`.
fn parked(pos: [f32; 3], turned: bool) -> CarSetup {
    let yaw = if turned { std::f32::consts::FRAC_PI_2 } else { 0.0 };
    CarSetup {
        team: Team::Blue,
        body: still(pos),
        world_from_car: Mat3A::from_rotation_z(yaw),
        boost: 100.0,
        on_ground: true,
        has_jumped: false,
        has_flipped: false,
        secs_since_jump: 0.0,
        hitbox: Hitbox::Octane,
    }
}

/// One car and the ball in the engine.
struct Scene {
    engine: Engine,
    state: State,
    happened: Happenings,
}

impl Scene {
    fn new(car: CarSetup, ball: [f32; 3]) -> Self {
        arena::prepare(None).unwrap();
        let mut engine = Engine::new();
        let ball = still(ball);
        engine.reset(&Setup { kind: StartKind::Random, ball, cars: vec![car] }, 1);
        Self { engine, state: blank_state(1, 0), happened: Happenings::default() }
    }

    /// Plays ticks; returns those with contact.
    fn play(&mut self, ticks: usize) -> u32 {
        clear(&mut self.happened, 1);
        for _ in 0..ticks {
            self.engine.tick(&mut self.happened);
        }
        self.engine.read(&mut self.state);
        self.happened.cars[0].contact_ticks
    }

    fn car(&self) -> &Body {
        &self.state.cars[0].body
    }
}

fn near(got: f32, want: f32, off: f32, what: &str) {
    assert!((got - want).abs() <= off, "{what}: {got} but {want} in C++");
}

#[test]
fn a_car_that_starts_in_the_air_turns_from_the_first_tick_on() {
    for case in list(figures(), "air") {
        let axis = case["axis"].as_str().unwrap();
        let mut car = parked([0.0, 0.0, 1000.0], false);
        (car.on_ground, car.has_jumped) = (false, case["has_jumped"].as_bool().unwrap());
        let mut scene = Scene::new(car, [3000.0, 0.0, 93.15]);
        // Yaw alone is the row that steers.
        let action = match axis {
            "pitch" => "pitch-up",
            "yaw" => "coast right",
            _ => "roll-right",
        };
        scene.engine.drive(0, row(action));
        let mut played = 0;
        for figure in list(case, "ticks") {
            let figure = numbers(figure);
            let tick = figure[0] as usize;
            scene.play(tick - played);
            played = tick;
            let spin = scene.car().ang_vel.to_array();
            for (got, want) in spin.into_iter().zip(&figure[1..4]) {
                near(got, *want, 0.02, &format!("{axis}, tick {tick}"));
            }
            near(scene.car().pos.z, figure[4], 0.1, &format!("height, {axis}, tick {tick}"));
        }
    }
}

#[test]
fn a_car_that_jumps_at_once_from_the_start_pitches() {
    let mut scene = Scene::new(parked([0.0, 0.0, 17.01], false), [3000.0, 0.0, 93.15]);
    scene.engine.drive(0, row("jump"));
    scene.play(12);
    assert!(!scene.state.cars[0].on_ground);
    scene.engine.drive(0, row("pitch-up"));
    scene.play(6);
    // Six ticks of pitch turn a car at 0.62 rad/s.
    assert!(scene.car().ang_vel.y < -0.5, "{}", scene.car().ang_vel);
}

#[test]
fn contacts_are_counted_as_in_rlgym() {
    for case in list(figures(), "pushes") {
        let name = case["name"].as_str().unwrap();
        let want: Vec<u32> = numbers(&case["contact_ticks"]).iter().map(|&n| n as u32).collect();
        let mut scene = match name {
            "on the roof" => Scene::new(parked([0.0, 0.0, 17.01], false), [14.0, 0.0, 150.0]),
            _ => {
                let y = case["car_y"].as_f64().unwrap() as f32;
                let mut car = parked([0.0, y, 17.01], true);
                car.body.vel.y = case["speed"].as_f64().unwrap() as f32;
                let mut scene = Scene::new(car, [0.0, 0.0, 93.15]);
                let boost = case["boost"].as_bool().unwrap();
                scene.engine.drive(0, row(if boost { "boost" } else { "drive" }));
                scene
            }
        };
        let (mut got, mut begun) = (Vec::new(), 0);
        for _ in 0..want.len() {
            got.push(scene.play(8));
            begun += scene.happened.cars[0].touches;
        }
        let steps = |ticks: &[u32]| ticks.iter().map(|&t| t > 0).collect::<Vec<_>>();
        // A ball that is pushed or carried goes its own way after a while.
        let agreed = match name {
            "bumper to ball" => 11,
            "on the roof" => 8,
            _ => want.len(),
        };
        let (ours, theirs) = (steps(&got[..agreed]), steps(&want[..agreed]));
        assert_eq!(ours, theirs, "{name}: {got:?} but {want:?} in C++");
        if name == "on the roof" {
            let touched = steps(&got).iter().filter(|&&t| t).count();
            assert!((begun as usize) < touched, "{begun} contacts began, {touched} steps had one");
        }
    }
}

#[test]
fn hitboxes_are_those_of_the_game() {
    for hitbox in Hitbox::ALL {
        let name = serde_json::to_value(hitbox).unwrap();
        let figure = &figures()["hitboxes"][name.as_str().unwrap()];
        let body = hitbox.body();
        for (ours, theirs) in [(body.hitbox_size, "size"), (body.hitbox_pos_offset, "offset")] {
            for (got, want) in ours.to_array().into_iter().zip(numbers(&figure[theirs])) {
                near(got, want, 0.001, &format!("{name} {theirs}"));
            }
        }
        let car = CarSetup { hitbox, ..parked([0.0, -2000.0, 17.01], true) };
        let mut scene = Scene::new(car, [0.0, 0.0, 93.15]);
        scene.play(120);
        let rest = figure["rest_z"].as_f64().unwrap() as f32;
        near(scene.car().pos.z, rest, 0.5, &format!("{name} at rest"));
        scene.engine.drive(0, row("boost"));
        let mut ticks = 0;
        while scene.play(1) == 0 {
            ticks += 1;
            assert!(ticks < 240, "{name} never reaches the ball");
        }
        let first = figure["first_touch_tick"].as_f64().unwrap() as f32;
        near(ticks as f32 + 1.0, first, 1.0, &format!("{name}, first touch"));
        let y = figure["car_y"].as_f64().unwrap() as f32;
        near(scene.car().pos.y, y, 20.0, &format!("{name} at the ball"));
        scene.play(2);
        let hit = Vec3A::from_slice(&numbers(&figure["ball_vel"]));
        let off = scene.state.ball.vel.distance(hit);
        assert!(off < 0.1 * hit.length(), "{name}: {} but {hit} in C++", scene.state.ball.vel);
    }
}

#[test]
fn bumps_count_for_those_who_bump() {
    arena::prepare(None).unwrap();
    let mut engine = Engine::new();
    let mut bumper = parked([0.0, -400.0, 17.01], true);
    bumper.body.vel.y = 1200.0;
    let victim = CarSetup { team: Team::Orange, ..parked([0.0, 0.0, 17.01], true) };
    let ball = still([3000.0, 0.0, 93.15]);
    let mate = CarSetup { team: Team::Blue, ..victim };
    for (other, bumps) in [(victim, 1), (mate, 0)] {
        let cars = vec![bumper, other];
        engine.reset(&Setup { kind: StartKind::Random, ball, cars }, 1);
        let mut happened = Happenings::default();
        clear(&mut happened, 2);
        for _ in 0..60 {
            engine.tick(&mut happened);
        }
        assert_eq!((happened.cars[0].bumps, happened.cars[1].bumps), (bumps, 0));
        assert_eq!(happened.cars[0].demolitions, 0);
    }
}

#[test]
fn a_wavedash_is_a_landing_within_a_flip() {
    let landing = |flip: bool| {
        let mut car = parked([0.0, 0.0, 34.0], false);
        (car.on_ground, car.has_jumped, car.secs_since_jump) = (false, true, 0.2);
        // The nose a little up, coming down: the flip throws the wheels onto the floor.
        car.world_from_car = Mat3A::from_rotation_y(-0.35);
        car.body.vel = Vec3A::new(500.0, 0.0, -150.0);
        let mut scene = Scene::new(car, [3000.0, 0.0, 93.15]);
        scene.engine.drive(0, row(if flip { "pitch-down jump" } else { "coast" }));
        scene.play(60);
        let did = scene.happened.cars[0];
        assert!(did.landed);
        (did.wavedash, scene.car().vel.x)
    };
    let ((dashed, fast), (fell, slow)) = (landing(true), landing(false));
    assert!(dashed && !fell);
    assert!(fast > slow + 300.0, "a wavedash is for speed: {fast} and {slow}");
}

#[test]
fn a_car_that_comes_back_pitches_at_once() {
    arena::prepare(None).unwrap();
    let mut engine = Engine::new();
    let mut bumper = parked([0.0, -600.0, 17.01], true);
    bumper.body.vel.y = 2290.0;
    let victim = CarSetup { team: Team::Orange, ..parked([0.0, 0.0, 17.01], true) };
    let ball = still([3000.0, 0.0, 93.15]);
    engine.reset(&Setup { kind: StartKind::Random, ball, cars: vec![bumper, victim] }, 1);
    engine.drive(0, row("boost"));
    let (mut state, mut happened) = (blank_state(1, 1), Happenings::default());
    clear(&mut happened, 2);
    let mut tick = |engine: &mut Engine| {
        engine.tick(&mut happened);
        engine.read(&mut state);
        state.cars[1]
    };
    let mut ticks = 0;
    while !tick(&mut engine).demolished {
        ticks += 1;
        assert!(ticks < 240, "no demolition");
    }
    while tick(&mut engine).demolished {
        ticks += 1;
        assert!(ticks < 1000, "no respawn");
    }
    // Respawned cars drop onto their wheels; jump from there, then pitch.
    engine.drive(1, row("jump"));
    let mut jumped = 0;
    while tick(&mut engine).on_ground || jumped < 6 {
        jumped += 1;
        assert!(jumped < 20, "no jump");
    }
    engine.drive(1, row("pitch-up"));
    let car = (0..6).map(|_| tick(&mut engine)).last().unwrap();
    let pitch = car.car_from_world(car.body.ang_vel).y;
    assert!(pitch < -0.5, "{pitch}");
}

//! The embedded arena holds what is played in it, and behaves like the field it stands for.

use std::path::Path;

use lanista_game::seed;
use lanista_rocket::arena::{Source, anchors, prepare};
use rand::RngExt;
use rocketsim::{
    Arena, ArenaConfig, ArenaEvent, BallState, CarBodyConfig, CarControls, CarCore, GameMode,
    Mat3A, PhysState, RaycastQuery, Team, Vec3A,
};

const BALL_RADIUS_UU: f32 = 91.25;
/// A ball flies up to 50 uu a tick, and as deep into a wall before the wall is noticed.
const DEPTH_UU: f32 = 65.0;

fn arena(cars: usize) -> Arena {
    assert_eq!(prepare(None), Ok(Source::Embedded));
    let mut arena = Arena::new_with_config(ArenaConfig::new(GameMode::Soccar).with_rng_seed(1));
    for i in 0..cars {
        arena.add_car(if i % 2 == 0 { Team::Blue } else { Team::Orange }, CarBodyConfig::OCTANE);
    }
    arena.reset_to_random_kickoff(Some(1));
    arena
}

/// Is a point in the field or in a goal, up to `slack` outside?
fn inside(p: Vec3A, slack: f32) -> bool {
    let (x, y) = (p.x.abs(), p.y.abs());
    let field = x <= 4096.0 + slack && y <= 5120.0 + slack && x + y <= 8064.0 + 1.414 * slack;
    let goal = x <= 892.755 + slack && y <= 6000.0 + slack && p.z <= 642.775 + slack;
    p.is_finite() && p.z >= -slack && p.z <= 2048.0 + slack && (field || goal)
}

fn unit(rng: &mut seed::Rng) -> Vec3A {
    loop {
        let v = Vec3A::from_array(std::array::from_fn(|_| rng.random_range(-1.0..1.0)));
        if (0.01..1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

fn ball_at(pos: Vec3A, vel: Vec3A) -> BallState {
    let mut ball = BallState::DEFAULT;
    ball.phys.pos = pos;
    ball.phys.vel = vel;
    ball
}

/// A ball somewhere, half of the time on its way to a goal or a corner.
fn shot(rng: &mut seed::Rng) -> BallState {
    let pos = Vec3A::new(
        rng.random_range(-3000.0..3000.0),
        rng.random_range(-4000.0..4000.0),
        rng.random_range(120.0..1900.0),
    );
    let mut sign = || if rng.random() { 1.0 } else { -1.0 };
    let (goal, corner) = (5200.0 * sign(), Vec3A::new(3500.0 * sign(), 4560.0 * sign(), 0.0));
    let direction = match rng.random_range(0..4) {
        0 => {
            Vec3A::new(rng.random_range(-1200.0..1200.0), goal, rng.random_range(0.0..900.0)) - pos
        }
        1 => corner + Vec3A::Z * rng.random_range(0.0..2000.0) - pos,
        _ => unit(rng),
    };
    let mut ball = ball_at(pos, direction.normalize() * rng.random_range(500.0..6000.0));
    ball.phys.ang_vel = unit(rng) * rng.random_range(0.0..6.0);
    ball
}

fn random_controls(rng: &mut seed::Rng) -> CarControls {
    let mut axis = || rng.random_range(-1..=1) as f32;
    let (throttle, steer, pitch, yaw, roll) = (axis(), axis(), axis(), axis(), axis());
    CarControls {
        throttle: if rng.random_range(0..3) == 0 { throttle } else { 1.0 },
        steer: if rng.random() { steer } else { 0.0 },
        pitch,
        yaw,
        roll,
        jump: rng.random_range(0..6) == 0,
        boost: rng.random(),
        handbrake: rng.random_range(0..8) == 0,
    }
}

fn bits(phys: &PhysState) -> [u32; 18] {
    let rows = [phys.pos, phys.vel, phys.ang_vel, phys.rot_mat.x_axis, phys.rot_mat.y_axis];
    let mut all = [0; 18];
    for (i, value) in rows.iter().flat_map(|row| row.to_array()).enumerate() {
        all[i] = value.to_bits();
    }
    all
}

/// Two cars at random controls; the state after every tick.
fn scramble(arena: &mut Arena, seed: u64, ticks: usize) -> Vec<[u32; 18]> {
    let mut rng = seed::rng(seed);
    let mut trace = Vec::new();
    for tick in 0..ticks {
        for car in 0..arena.num_cars() {
            if tick % 8 == 0 && rng.random_range(0..3) == 0 {
                arena.set_car_controls(car, random_controls(&mut rng));
            }
        }
        arena.step_tick();
        trace.push(bits(&arena.get_ball_state().phys));
        trace.extend((0..arena.num_cars()).map(|car| bits(&arena.get_car_state(car).phys)));
    }
    trace
}

#[test]
fn the_engine_has_all_sixteen_components() {
    arena(0);
    let files = rocketsim::get_arena_collision_mesh_files(GameMode::Soccar);
    let ids: Vec<_> = files.iter().map(rocketsim::CollisionMeshFile::get_hash).collect();
    assert_eq!(ids.len(), 16);
    assert!(anchors::IDS.iter().all(|id| ids.contains(id)));
    // Goals are moved to their own origin by the engine; nothing else is.
    let moved = files.iter().filter(|file| file.component_translation() != Vec3A::ZERO);
    assert_eq!(
        moved.map(rocketsim::CollisionMeshFile::get_hash).collect::<Vec<_>>(),
        [anchors::IDS[0], anchors::IDS[1]]
    );
}

#[test]
fn a_process_has_one_arena() {
    arena(0);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let error = prepare(Some(here)).unwrap_err();
    assert_eq!(error.key, "collision_meshes");
    assert!(error.message.contains("already runs"), "{error}");
}

#[test]
fn no_ray_leaves_the_field() {
    let arena = arena(0);
    let mut rng = seed::rng(3);
    let starts = [
        Vec3A::new(0.0, 0.0, 1000.0),
        Vec3A::new(2800.0, 4200.0, 300.0),
        Vec3A::new(-500.0, -5500.0, 300.0),
    ];
    for i in 0..60_000 {
        let (from, direction) = (starts[i % 3], unit(&mut rng));
        let to = from + direction * 20_000.0;
        let [hit] = arena.cast_rays([RaycastQuery { from, to, include_dynamics: false }]);
        let hit = hit.unwrap_or_else(|| panic!("from {from} along {direction}: no wall"));
        assert!(inside(hit.hit_point, 1.0), "from {from} along {direction}: {}", hit.hit_point);
    }
}

#[test]
fn balls_stay_in() {
    let mut arena = arena(0);
    let mut rng = seed::rng(4);
    for run in 0..300 {
        arena.set_ball_state(shot(&mut rng));
        for tick in 0..600 {
            arena.step_tick();
            let phys = &arena.get_ball_state().phys;
            assert!(inside(phys.pos, DEPTH_UU - BALL_RADIUS_UU), "run {run} tick {tick}: {phys}");
            assert!(phys.vel.is_finite() && phys.ang_vel.is_finite(), "run {run} tick {tick}");
            let mouth = phys.pos.x.abs() < 892.755 && phys.pos.z < 642.775;
            assert!(mouth || !arena.is_ball_scored(), "run {run} tick {tick}: {phys}");
        }
    }
}

#[test]
fn cars_stay_in() {
    let mut arena = arena(2);
    let mut rng = seed::rng(5);
    let mut on_walls = 0;
    for run in 0..200 {
        arena.reset_to_random_kickoff(Some(run));
        for tick in 0..1200 {
            if tick % 240 == 0 {
                arena.set_ball_state(shot(&mut rng));
            }
            for car in 0..2 {
                if rng.random_range(0..40) == 0 {
                    arena.set_car_controls(car, random_controls(&mut rng));
                    arena.set_car_boost(car, 100.0);
                }
            }
            arena.step_tick();
            assert!(inside(arena.get_ball_state().phys.pos, 0.0), "run {run} tick {tick}: ball");
            for car in 0..2 {
                let state = arena.get_car_state(car);
                let phys = &state.phys;
                assert!(state.is_demoed || inside(phys.pos, 20.0), "run {run} tick {tick}: {phys}");
                assert!(phys.vel.is_finite() && phys.rot_mat.is_finite(), "run {run} tick {tick}");
                let wheels = state.num_wheels_in_contact();
                on_walls += usize::from(wheels == 4 && phys.rot_mat.z_axis.z < 0.3);
            }
        }
    }
    assert!(on_walls > 5000, "cars reach walls and ceiling: {on_walls} ticks");
}

#[test]
fn same_seed_same_bits() {
    let first = scramble(&mut arena(2), 6, 2400);
    assert_eq!(first, scramble(&mut arena(2), 6, 2400));
    assert_ne!(first, scramble(&mut arena(2), 7, 2400));
}

#[test]
fn a_clone_of_a_new_arena_plays_like_it() {
    let template = arena(2);
    let first = scramble(&mut template.clone(), 8, 1200);
    let mut second = template.clone();
    assert_eq!(first, scramble(&mut second, 8, 1200));
    // And a clone of a running one continues it.
    let mut third = second.clone();
    assert_eq!(scramble(&mut second, 9, 1200), scramble(&mut third, 9, 1200));
}

#[test]
fn goals_are_scored_through_the_mouth_only() {
    let mut arena = arena(0);
    let mut scored = |x: f32, z: f32, end: f32| {
        let pos = Vec3A::new(x, 3500.0 * end, z);
        arena.set_ball_state(ball_at(pos, Vec3A::new(0.0, 3000.0 * end, 0.0)));
        (0..120).any(|_| {
            arena.step_tick();
            arena.is_ball_scored()
        })
    };
    for end in [1.0, -1.0] {
        for x in [-780.0, 0.0, 780.0] {
            assert!(scored(x, 150.0, end), "along the floor at x {x}");
            assert!(scored(x, 600.0, end), "under the bar at x {x}");
        }
        for x in [-1100.0, 1100.0, -2400.0, 2400.0] {
            assert!(!scored(x, 400.0, end), "beside the post at x {x}");
        }
        for z in [900.0, 1500.0] {
            assert!(!scored(0.0, z, end), "over the bar at z {z}");
        }
    }
}

#[test]
fn a_car_drives_up_the_side_wall() {
    let mut arena = arena(2);
    for side in [1.0_f32, -1.0] {
        let world_from_car = Mat3A::from_cols(Vec3A::X * side, Vec3A::Y * side, Vec3A::Z);
        let phys = PhysState {
            pos: Vec3A::new(2000.0 * side, 500.0, 17.0),
            rot_mat: world_from_car,
            vel: Vec3A::X * 1400.0 * side,
            ang_vel: Vec3A::ZERO,
        };
        arena.set_car_state(0, CarCore::grounded(phys, 100.0));
        let controls = CarControls { throttle: 1.0, boost: true, ..CarControls::DEFAULT };
        arena.set_car_controls(0, controls);
        let climbed = (0..240).any(|_| {
            arena.step_tick();
            let state = arena.get_car_state(0);
            let up = state.phys.rot_mat.z_axis;
            state.phys.pos.z > 800.0 && state.num_wheels_in_contact() == 4 && up.x * side < -0.99
        });
        assert!(climbed, "side {side}: {}", arena.get_car_state(0).phys);
    }
}

#[test]
fn a_ball_rolls_out_of_a_corner() {
    let mut arena = arena(0);
    for (x, y) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
        let pos = Vec3A::new(2400.0 * x, 3400.0 * y, 93.0);
        arena.set_ball_state(ball_at(pos, Vec3A::new(x, y, 0.0) * 1000.0));
        let mut deepest: f32 = 0.0;
        let out = (0..1200).any(|_| {
            arena.step_tick();
            let p = arena.get_ball_state().phys.pos;
            deepest = deepest.max(p.x.abs() + p.y.abs());
            deepest > 7200.0 && p.x.abs() + p.y.abs() < 6500.0
        });
        assert!(out, "quadrant {x} {y}: came to {deepest}, {}", arena.get_ball_state().phys);
    }
}

#[test]
fn surfaces_face_the_field() {
    let mut arena = arena(0);
    let slant = 0.5_f32.sqrt();
    let cases = [
        (Vec3A::new(3000.0, 0.0, 1000.0), Vec3A::NEG_X),
        (Vec3A::new(1800.0, 4000.0, 1000.0), Vec3A::NEG_Y),
        (Vec3A::new(0.0, 4000.0, 1000.0), Vec3A::NEG_Y),
        (Vec3A::new(0.0, 5400.0, 300.0), Vec3A::NEG_Y),
        (Vec3A::new(600.0, 5400.0, 300.0), Vec3A::NEG_X),
        (Vec3A::new(0.0, 5400.0, 500.0), Vec3A::NEG_Z),
        (Vec3A::new(2900.0, 3900.0, 1000.0), Vec3A::new(-slant, -slant, 0.0)),
        (Vec3A::new(3400.0, 0.0, 696.0), Vec3A::new(-slant, 0.0, slant)),
        (Vec3A::new(3448.0, 0.0, 1400.0), Vec3A::new(-slant, 0.0, -slant)),
        (Vec3A::new(0.0, 4472.0, 1400.0), Vec3A::new(0.0, -slant, -slant)),
    ];
    for (pos, normal) in cases {
        for turn in [Vec3A::ONE, Vec3A::new(-1.0, -1.0, 1.0)] {
            let (pos, normal) = (pos * turn, normal * turn);
            arena.set_ball_state(ball_at(pos, -normal * 3000.0));
            // The normal that the engine reports is that of the first triangle it looked at, which
            // may have been touched at its rim: it need not be that of the surface.
            let hit = (0..120).find_map(|_| {
                arena.step_tick().iter().find_map(|event| match event {
                    ArenaEvent::BallHitWorld(hit) => Some(hit.contact_normal),
                    _ => None,
                })
            });
            let hit = hit.unwrap_or_else(|| panic!("{pos}: nothing in the way"));
            assert!(hit.dot(normal) > 0.1, "{pos}: {hit} instead of {normal}");
            let back = arena.get_ball_state().phys.vel.normalize();
            assert!(back.dot(normal) > 0.95, "{pos}: flies off along {back}, not {normal}");
        }
    }
}

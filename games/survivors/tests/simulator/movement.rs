//! How survivors move: speeds, jumps, steps, drops, ladders and walls, against the facts.

use crate::arena;

use arena::{
    EAST, close, floor, forward, go, hall, hall_mesh, join, jump_heights, put, speeds_of,
    storeys_mesh, wait, world_on,
};
use lanista_survivors::intent::{Eyes, Feet, Intent};
use lanista_survivors::maps;
use lanista_survivors::nav::Way;
use lanista_survivors::sim::fall_damage;
use lanista_survivors::sim::motion::{Body, is_leap};
use lanista_survivors::sim::numbers::{
    ACCELERATE, Difficulty, FRICTION, GRAVITY, LADDER_SPEED, TICK_SECS,
};
use lanista_survivors::sim::survivor::Condition;
use lanista_survivors::sim::world::{Command, World, button};
use proptest::prelude::*;

#[test]
fn each_speed_is_reached_and_held() {
    type Prepare = fn(&mut World);
    let gaits: [(&str, Prepare, u16, f32); 6] = [
        ("runs", |_| {}, 0, 220.0),
        ("limps", |w| w.survivors[0].health = 39.0, 0, 150.0),
        (
            "crawls",
            |w| {
                let s = &mut w.survivors[0];
                (s.health, s.temporary, s.incapacitations) = (1.0, 0.0, 1);
            },
            0,
            85.0,
        ),
        ("crouches", |_| {}, button::CROUCH, 75.0),
        ("limps crouched", |w| w.survivors[0].health = 39.0, button::CROUCH, 75.0),
        ("has adrenaline", |w| w.survivors[0].adrenaline_until = 900, 0, 260.0),
    ];
    for (what, prepare, buttons, expected) in gaits {
        for yaw in [0.0, 30.0, 90.0] {
            let mut world = hall(Difficulty::Normal);
            put(&mut world, 0, 500.0, 500.0, yaw);
            prepare(&mut world);
            let speeds = speeds_of(&mut world, forward(yaw, buttons), 90);
            for speed in &speeds[30..] {
                close(*speed, expected, 0.2, what);
            }
            let most = speeds.iter().copied().fold(0.0, f32::max);
            assert!(most < expected + 0.2, "{what}: overshoots to {most}");
        }
    }
}

#[test]
fn forty_is_enough_to_run() {
    for (health, temporary, expected) in
        [(40.0, 0.0, 220.0), (39.9, 0.0, 150.0), (1.0, 60.0, 220.0)]
    {
        let mut world = hall(Difficulty::Normal);
        put(&mut world, 0, 500.0, 500.0, 0.0);
        (world.survivors[0].health, world.survivors[0].temporary) = (health, temporary);
        let speeds = speeds_of(&mut world, forward(0.0, 0), 60);
        close(speeds[59], expected, 0.2, "speed");
    }
}

#[test]
fn speed_comes_and_goes_as_the_engine_has_it() {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 500.0, 500.0, 0.0);
    // sv_accelerate 5: a tick of 220 units a second adds a sixth of it; friction then takes a share.
    let speeds = speeds_of(&mut world, forward(0.0, 0), 60);
    let gain = ACCELERATE * 220.0 * TICK_SECS;
    close(speeds[0], gain, 0.2, "first tick");
    let kept = gain - 75.0 * FRICTION * TICK_SECS;
    close(speeds[1], kept + gain, 0.2, "second tick: friction of sv_stopspeed 75");
    assert!(speeds.windows(2).all(|two| two[1] >= two[0] - 0.2), "{speeds:?}");
    // Let go of, speed shrinks by friction 4 each second, and below 75 by a fixed amount each tick.
    let speeds = speeds_of(&mut world, Command::default(), 40);
    let mut expected: f32 = 220.0;
    for speed in speeds {
        expected = (expected - expected.max(75.0) * FRICTION * TICK_SECS).max(0.0);
        close(speed, expected, 0.2, "slowing down");
    }
    assert_eq!(world.survivors[0].body.velocity, [0.0; 3]);
}

#[test]
fn a_jump_rises_57_units_in_19_ticks() {
    let heights = jump_heights();
    let apex = heights.iter().copied().fold(0.0, f32::max);
    // facts §5: 56.9 units, 19 ticks.
    close(apex, 56.9, 0.1, "apex");
    assert_eq!(heights.len() - 1, 19, "ticks in the air: {heights:?}");
    let flight = heights[2] - heights[1];
    // The first tick has the feet drawn up and as much of a flight as the next, but for gravity.
    let drawn_up = heights[1] - (flight + GRAVITY * TICK_SECS * TICK_SECS);
    close(drawn_up, 18.0, 0.1, "feet drawn up");
}

#[test]
fn a_wish_in_the_air_turns_a_jump_little() {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 500.0, 500.0, 0.0);
    go(&mut world, forward(0.0, button::JUMP), 1);
    for _ in 0..10 {
        go(&mut world, forward(0.0, 0), 1);
    }
    // From standing, the air gives no more than 30 units a second.
    close(world.survivors[0].body.speed(), 30.0, 0.1, "speed in the air");
    assert!(!world.survivors[0].body.on_ground);
}

/// The hall with a block on it beyond y = 0 of this height, joined both ways.
fn with_block(height: f32) -> World {
    let mut mesh = hall_mesh();
    mesh.areas.push(floor(4, [1000.0, -1000.0, 2000.0, 0.0], height, 0));
    join(&mut mesh, 1, 0, 3);
    let mut world = world_on(&mesh, Difficulty::Normal);
    put(&mut world, 0, 1500.0, 200.0, -90.0);
    world
}

#[test]
fn a_step_of_18_is_walked_and_no_higher_one() {
    for (height, walked) in [(0.0, true), (10.0, true), (18.0, true), (19.0, false), (30.0, false)]
    {
        let mut world = with_block(height);
        go(&mut world, forward(-90.0, 0), 90);
        let body = &world.survivors[0].body;
        assert_eq!(body.area == 3, walked, "{height}: {body:?}");
        assert_eq!(body.at[2], if walked { height } else { 0.0 });
        if !walked {
            assert_eq!(body.at[1], 0.0, "up to the wall");
            assert_eq!(body.velocity[1], 0.0);
        }
    }
}

#[test]
fn what_a_step_is_too_low_for_is_jumped_up_to_the_apex() {
    for (height, jumped) in [(19.0, true), (40.0, true), (56.0, true), (60.0, false)] {
        let mut world = with_block(height);
        // To the wall, and from there up.
        go(&mut world, forward(-90.0, 0), 60);
        go(&mut world, forward(-90.0, button::JUMP), 60);
        assert_eq!(world.survivors[0].body.area == 3, jumped, "{height}");
    }
}

#[test]
fn a_drop_has_no_way_back() {
    let mut world = world_on(&storeys_mesh(100.0), Difficulty::Normal);
    world.survivors[0].body = Body::standing(&world.terrain, 3, 1200.0, -100.0);
    world.survivors[0].yaw = 90.0;
    go(&mut world, forward(90.0, 0), 60);
    let s = &world.survivors[0];
    assert_eq!((s.body.area, s.body.at[2], s.body.on_ground), (1, 0.0, true));
    assert_eq!((s.health, s.condition), (100.0, Condition::Up), "100 units hurt nobody");
    world.survivors[0].yaw = -90.0;
    go(&mut world, forward(-90.0, button::JUMP), 150);
    assert_eq!(world.survivors[0].body.area, 1);
}

#[test]
fn falls_hurt_by_the_speed_of_landing() {
    // The engine: nothing up to 560 units a second, all of 100 at 980.
    assert_eq!(fall_damage(560.0), 0.0);
    assert_eq!(fall_damage(770.0), 50.0);
    assert_eq!(fall_damage(980.0), 100.0);
    for height in [150.0_f32, 250.0, 350.0] {
        let mut world = world_on(&storeys_mesh(10.0), Difficulty::Normal);
        put(&mut world, 0, 500.0, 500.0, 0.0);
        world.survivors[0].body.at[2] = height;
        world.survivors[0].body.on_ground = false;
        wait(&mut world, 60);
        let s = &world.survivors[0];
        let speed = (2.0 * GRAVITY * height).sqrt();
        let expected = 100.0 - fall_damage(speed);
        // A tick of gravity is 27 units a second, which is 6 points of health.
        close(s.health, expected, 6.5, &format!("health after {height}"));
        assert!(s.body.on_ground && s.is_up());
    }
}

#[test]
fn a_fall_beyond_the_fatal_speed_kills() {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 500.0, 500.0, 0.0);
    world.survivors[0].body.at[2] = 700.0;
    world.survivors[0].body.on_ground = false;
    wait(&mut world, 60);
    assert_eq!(world.survivors[0].condition, Condition::Dead);
    assert_eq!((world.deeds[0].died, world.deeds[0].incapacitated), (1.0, 0.0));
}

/// The ladder that leads out of an area.
fn ladder_of(world: &World, area: u16) -> Option<u8> {
    let links = world.terrain.links(area).iter();
    links.clone().position(|link| matches!(link.way, Way::Ladder(_))).map(|index| index as u8)
}

#[test]
fn a_ladder_is_climbed_up_and_down() {
    let height = 280.0;
    let mut world = world_on(&storeys_mesh(height), Difficulty::Normal);
    assert!(world.terrain.links(1).iter().any(|link| matches!(link.way, Way::Ladder(_))));
    put(&mut world, 0, 1500.0, 20.0, -90.0);
    let up = Command { climb: ladder_of(&world, 1), ..forward(-90.0, 0) };
    let mut ticks = 0;
    while world.survivors[0].body.area != 3 {
        go(&mut world, up, 1);
        ticks += 1;
        assert!(ticks < 300, "{:?}", world.survivors[0].body);
    }
    close(ticks as f32, height / LADDER_SPEED / TICK_SECS, 2.0, "ticks up");
    assert_eq!(world.survivors[0].body.at[2], height);
    assert!(world.survivors[0].body.on_ground);
    let down = Command { climb: ladder_of(&world, 3), ..forward(90.0, 0) };
    world.survivors[0].yaw = 90.0;
    let mut ticks = 0;
    while world.survivors[0].body.at[2] > 0.0 {
        go(&mut world, down, 1);
        ticks += 1;
        assert!(ticks < 300, "{:?}", world.survivors[0].body);
    }
    close(ticks as f32, height / LADDER_SPEED / TICK_SECS, 2.0, "ticks down");
    let s = &world.survivors[0];
    assert_eq!((s.body.area, s.health, s.condition), (1, 100.0, Condition::Up));
}

#[test]
fn whoever_jumps_off_a_ladder_falls() {
    let mut world = world_on(&storeys_mesh(280.0), Difficulty::Normal);
    put(&mut world, 0, 1500.0, 20.0, -90.0);
    let climb = ladder_of(&world, 1);
    go(&mut world, Command { climb, ..forward(-90.0, 0) }, 20);
    assert!(world.survivors[0].body.climb.is_some());
    let height = world.survivors[0].body.at[2];
    assert!((40.0..120.0).contains(&height), "{height}");
    go(&mut world, forward(90.0, button::JUMP), 1);
    assert!(world.survivors[0].body.climb.is_none());
    go(&mut world, Command::default(), 30);
    assert_eq!((world.survivors[0].body.at[2], world.survivors[0].body.area), (0.0, 1));
}

#[test]
fn whoever_lets_go_of_a_ladder_near_its_top_is_not_at_the_top() {
    for (from, yaw) in [(1, -90.0), (3, 90.0)] {
        let mut world = world_on(&storeys_mesh(150.0), Difficulty::Normal);
        let edge = if from == 1 { 20.0 } else { -20.0 };
        world.survivors[0].body = Body::standing(&world.terrain, from, 1500.0, edge);
        world.survivors[0].yaw = yaw;
        while !(90.0..120.0).contains(&world.survivors[0].body.at[2]) {
            let climb = ladder_of(&world, world.survivors[0].body.area);
            go(&mut world, Command { climb, ..forward(yaw, 0) }, 1);
        }
        let before = world.survivors[0].body.at[2];
        go(&mut world, forward(90.0, button::JUMP), 1);
        assert!(world.survivors[0].body.at[2] <= before, "{:?}", world.survivors[0].body);
        go(&mut world, Command::default(), 30);
        let body = &world.survivors[0].body;
        assert_eq!((body.at[2], body.area), (0.0, 1), "from {from}");
    }
}

#[test]
fn whoever_goes_down_on_a_ladder_falls_off_it() {
    use lanista_survivors::sim::world::Source;
    let mut world = world_on(&storeys_mesh(280.0), Difficulty::Normal);
    put(&mut world, 0, 1500.0, 20.0, -90.0);
    let climb = ladder_of(&world, 1);
    go(&mut world, Command { climb, ..forward(-90.0, 0) }, 20);
    world.hurt(0, 150.0, Source::Common);
    go(&mut world, Command::default(), 30);
    let s = &world.survivors[0];
    assert!(matches!(s.condition, Condition::Incapacitated(_)));
    assert_eq!((s.body.climb, s.body.at[2], s.body.on_ground), (None, 0.0, true));
}

#[test]
fn a_wall_is_slid_along() {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 2000.0, 20.0, -45.0);
    go(&mut world, forward(-45.0, 0), 60);
    let body = &world.survivors[0].body;
    assert_eq!(body.at[1], 0.0);
    // What the wall stops is gone, what runs along it is not.
    assert_eq!(body.velocity[1], 0.0);
    assert!(body.velocity[0] > 100.0 && body.at[0] > 2100.0, "{body:?}");
}

/// Two halls side by side: between y = 0 and y = 1000 a door of 100 units, else a wall without thickness.
fn two_rooms() -> World {
    let mut mesh = hall_mesh();
    mesh.areas.push(floor(4, [1000.0, -1000.0, 2000.0, -100.0], 0.0, 0));
    mesh.areas.push(floor(5, [1450.0, -100.0, 1550.0, 0.0], 0.0, 0));
    // A room that shares a wall with the hall, and no door.
    mesh.areas.push(floor(6, [2000.0, -1000.0, 3000.0, 0.0], 0.0, 0));
    join(&mut mesh, 1, 0, 4);
    join(&mut mesh, 4, 0, 3);
    world_on(&mesh, Difficulty::Normal)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..Default::default() })]

    /// Wherever somebody runs, jumps or is thrown, it is through the door and never through a wall.
    #[test]
    fn nobody_passes_a_wall(
        turns in prop::collection::vec((-180.0_f32..180.0, 0..3_u8), 40),
        x in 1000.0_f32..2000.0,
    ) {
        let mut world = two_rooms();
        put(&mut world, 0, x, 50.0, 0.0);
        let mut before = world.survivors[0].body.area;
        for (yaw, how) in turns {
            if how == 2 {
                let along = [yaw.to_radians().cos(), yaw.to_radians().sin()];
                let body = &mut world.survivors[0].body;
                body.velocity = [along[0] * 750.0, along[1] * 750.0, 200.0];
                body.on_ground = false;
            }
            for _ in 0..10 {
                go(&mut world, forward(yaw, if how == 1 { button::JUMP } else { 0 }), 1);
                let body = world.survivors[0].body;
                prop_assert!(world.terrain.contains(body.area, body.at[0], body.at[1]));
                prop_assert!(body.area != 5, "through a wall without a door");
                let hall_and_room = [before, body.area] == [1, 3] || [before, body.area] == [3, 1];
                prop_assert!(!hall_and_room, "past the door");
                before = body.area;
            }
        }
    }
}

#[test]
fn bodies_keep_apart() {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 1000.0, 1000.0, 0.0);
    put(&mut world, 1, 1004.0, 1000.0, 0.0);
    wait(&mut world, 30);
    let (a, b) = (world.survivors[0].body.at, world.survivors[1].body.at);
    close((a[0] - b[0]).hypot(a[1] - b[1]), 24.0, 1.0, "between two bodies");
}

#[test]
fn the_side_of_a_connection_is_where_the_platform_lies() {
    // The platform of the other tests is to the north; one to the east works as well.
    let mut mesh = hall_mesh();
    mesh.areas.push(floor(4, [4000.0, 1000.0, 5000.0, 2000.0], 10.0, 0));
    join(&mut mesh, 1, EAST, 3);
    let mut world = world_on(&mesh, Difficulty::Normal);
    put(&mut world, 0, 3900.0, 1500.0, 0.0);
    go(&mut world, forward(0.0, 0), 60);
    assert_eq!((world.survivors[0].body.area, world.survivors[0].body.at[2]), (3, 10.0));
}

#[test]
fn feet_follow_where_one_looks_not_where_one_wants_to_look() {
    // Nobody turns half around in a tick, so the first step goes where the head has come to.
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 500.0, 500.0, 0.0);
    let from = world.survivors[0].body.at;
    go(&mut world, forward(179.0, 0), 1);
    let (s, to) = (&world.survivors[0], world.survivors[0].body.at);
    assert_eq!(s.yaw, 52.0);
    let along = (to[1] - from[1]).atan2(to[0] - from[0]).to_degrees();
    close(along, s.yaw, 0.5, "the direction of the first step");
}

/// Wherever somebody stands at the foot of a ledge, going the way leads over it.
#[test]
fn the_way_leads_over_every_ledge() {
    let mut ledges = 0;
    for name in maps::NAMES {
        let mesh = maps::by_name(name).unwrap();
        let mut world = world_on(&mesh, Difficulty::Normal);
        for area in 0..world.terrain.areas() as u16 {
            let toward = world.terrain.toward_goal(area);
            let Some(link) = toward.map(|index| world.terrain.links(area)[index]) else { continue };
            if link.way != Way::Jump || is_leap(&link) {
                continue;
            }
            ledges += 1;
            let [x0, y0, x1, y1] = world.terrain.bounds(area);
            for (x, y) in [(0.0, 0.0), (0.0, -0.5479), (0.3, 0.3), (-9.0, 9.0)] {
                let x = (link.from_point[0] + x).clamp(x0, x1);
                let y = (link.from_point[1] + y).clamp(y0, y1);
                let s = &mut world.survivors[0];
                (s.body, s.yaw) = (Body::standing(&world.terrain, area, x, y), -90.0);
                let on = Intent { feet: Feet::Way(1.0, 0.0), eyes: Eyes::Way, buttons: 0 };
                let mut left = false;
                for tick in 0..60 {
                    let command = world.command(0, &on, tick % 3 == 0);
                    go(&mut world, command, 1);
                    left |= world.survivors[0].body.area != area;
                }
                assert!(left, "{name}: area {area}, {:?}", world.survivors[0].body);
            }
        }
    }
    assert!(ledges > 10, "{ledges}");
}

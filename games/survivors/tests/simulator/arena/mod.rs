//! Small places to try a mechanic in: nobody comes who was not put there, and everybody stands where they
//! were put.
#![allow(dead_code)] // each test program uses what it needs

use std::sync::Arc;

use lanista_survivors::nav::{Area, Hint, Ladder, Mesh, Terrain, attributes};
use lanista_survivors::sim::director::Mode;
use lanista_survivors::sim::infected::{Class, Common, Mood, Special};
use lanista_survivors::sim::items::{Item, ItemKind};
use lanista_survivors::sim::motion::Body;
use lanista_survivors::sim::numbers::{COMMON_HEALTH, Difficulty, TICK_SECS, TICKS_PER_SEC};
use lanista_survivors::sim::survivor::Survivor;
use lanista_survivors::sim::weapons::{Gun, Weapon};
use lanista_survivors::sim::world::{Command, World, button};

/// The length and the width of the hall.
pub const HALL: f32 = 4000.0;
/// The number of the hall's area; the start is 0 and the goal 2.
pub const IN_HALL: u16 = 1;

/// Ground of one height, with the marks of the game.
pub fn floor(id: u32, [x0, y0, x1, y1]: [f32; 4], z: f32, spawn: u32) -> Area {
    Area { spawn, ..Area::plain(id, [x0, y0, z], [x1, y1, z]) }
}

/// Lets one pass between two areas of a mesh, by their numbers: from the first over this side, and back.
pub fn join(mesh: &mut Mesh, from: usize, side: usize, to: usize) {
    let (from_id, to_id) = (mesh.areas[from].id, mesh.areas[to].id);
    mesh.areas[from].connections[side].push(to_id);
    mesh.areas[to].connections[(side + 2) % 4].push(from_id);
}

/// East, as connections count sides.
pub const EAST: usize = 1;

/// A hall of 4,000 by 4,000 units between a start and a goal.
pub fn hall_mesh() -> Mesh {
    let mut mesh = Mesh::empty();
    let start = attributes::PLAYER_START | attributes::CHECKPOINT;
    mesh.areas = vec![
        floor(1, [-300.0, 0.0, 0.0, 300.0], 0.0, start),
        floor(2, [0.0, 0.0, HALL, HALL], 0.0, 0),
        floor(3, [HALL, 0.0, HALL + 300.0, 300.0], 0.0, attributes::CHECKPOINT),
    ];
    join(&mut mesh, 0, EAST, 1);
    join(&mut mesh, 1, EAST, 2);
    mesh
}

/// The hall, with a platform of this height to the north of y = 0 from x = 1000 to 2000, up to which a
/// ladder leads and from which one drops. Its area is number 3.
pub fn storeys_mesh(height: f32) -> Mesh {
    let mut mesh = hall_mesh();
    mesh.areas.push(floor(4, [1000.0, -1000.0, 2000.0, 0.0], height, 0));
    // Down over the south side; up only by the ladder.
    mesh.areas[3].connections[2].push(2);
    mesh.ladders.push(Ladder {
        id: 1,
        width: 32.0,
        top: [1500.0, 0.0, height],
        bottom: [1500.0, 0.0, 0.0],
        length: height,
        direction: 2,
        top_forward: 4,
        top_left: 0,
        top_right: 0,
        top_behind: 0,
        bottom_area: 2,
    });
    mesh.areas[1].ladders_up.push(1);
    mesh.areas[3].ladders_down.push(1);
    mesh
}

/// A match on a mesh that nobody directs, with four survivors well apart in the hall and nothing to take.
pub fn world_on(mesh: &Mesh, difficulty: Difficulty) -> World {
    let terrain = Arc::new(Terrain::new(mesh, &Hint::default()).unwrap());
    let mut world = World::new(terrain.clone(), difficulty);
    world.director.mode = Mode::None;
    world.reset(terrain, 1, [true; 4]);
    world.items.clear();
    for i in 0..4 {
        put(&mut world, i, 200.0 + 1200.0 * i as f32, 3500.0, 0.0);
    }
    world
}

/// A match in the hall.
pub fn hall(difficulty: Difficulty) -> World {
    world_on(&hall_mesh(), difficulty)
}

/// Somebody who stands at a point of the hall.
pub fn standing(world: &World, x: f32, y: f32) -> Body {
    Body::standing(&world.terrain, IN_HALL, x, y)
}

/// Puts a survivor somewhere in the hall.
pub fn put(world: &mut World, i: usize, x: f32, y: f32, yaw: f32) {
    world.survivors[i].body = standing(world, x, y);
    world.survivors[i].yaw = yaw;
}

/// Gives a survivor a long gun, in hand.
pub fn arm(s: &mut Survivor, weapon: Weapon) {
    if weapon.is_sidearm() {
        s.sidearm = Gun::new(weapon);
    } else {
        s.primary = Some(Gun::new(weapon));
        s.holds_primary = true;
    }
}

/// Puts a common somewhere in the hall; tells its place.
pub fn add_common(world: &mut World, x: f32, y: f32, mood: Mood) -> usize {
    world.commons.push(Common {
        body: standing(world, x, y),
        yaw: 0.0,
        health: COMMON_HEALTH,
        mood,
        stumbles_until: 0,
        strikes_from: 0,
        burning: false,
        burnt_by: None,
        busy_at: world.now,
        stuck: 0,
    });
    world.commons.len() - 1
}

/// Puts a special somewhere in the hall, played by the first seat: it does what it is told; tells its place.
pub fn add_played(world: &mut World, class: Class, x: f32, y: f32, yaw: f32) -> usize {
    let k = add_special(world, class, x, y, yaw);
    world.specials[k].seat = Some(0);
    k
}

/// Puts a special somewhere in the hall that the game moves, ready to act; tells its place.
pub fn add_special(world: &mut World, class: Class, x: f32, y: f32, yaw: f32) -> usize {
    let body = standing(world, x, y);
    let mut special = Special::new(class, body, yaw, world.difficulty, world.now);
    special.ability_from = world.now;
    world.specials.push(special);
    world.specials.len() - 1
}

/// Lays something down in the hall.
pub fn lay(world: &mut World, kind: ItemKind, x: f32, y: f32) {
    world.items.push(Item { kind, at: [x, y, 0.0], area: IN_HALL });
}

/// A command that looks where the survivor looks already.
pub fn press(world: &World, i: usize, buttons: u16) -> Command {
    let s = &world.survivors[i];
    Command { yaw: s.yaw, pitch: s.pitch, buttons, ..Command::default() }
}

/// Commands of four of whom one does something and the others keep still.
pub fn only(world: &World, i: usize, command: Command) -> [Command; 4] {
    let mut commands: [Command; 4] = std::array::from_fn(|j| press(world, j, 0));
    commands[i] = command;
    commands
}

/// Lets ticks pass while one survivor holds buttons and the others keep still.
pub fn hold(world: &mut World, i: usize, buttons: u16, ticks: u32) {
    for _ in 0..ticks {
        let commands = only(world, i, press(world, i, buttons));
        world.tick(&commands, &[]);
    }
}

/// Lets ticks pass in which nobody does anything.
pub fn wait(world: &mut World, ticks: u32) {
    hold(world, 0, 0, ticks);
}

/// Lets ticks pass while the first seat of the infected holds buttons, looking at a yaw.
pub fn play(world: &mut World, yaw: f32, buttons: u16, ticks: u32) {
    for _ in 0..ticks {
        let commands = only(world, 0, press(world, 0, 0));
        let own = Command { yaw, buttons, ..Command::default() };
        world.tick(&commands, &[own]);
    }
}

/// A command that runs forward where it looks.
pub fn forward(yaw: f32, buttons: u16) -> Command {
    Command { step: [1.0, 0.0], yaw, buttons, ..Command::default() }
}

/// The first survivor does this for so many ticks.
pub fn go(world: &mut World, command: Command, ticks: u32) {
    for _ in 0..ticks {
        let commands = only(world, 0, command);
        world.tick(&commands, &[]);
    }
}

/// Distances covered in each tick of running, as speeds.
pub fn speeds_of(world: &mut World, command: Command, ticks: u32) -> Vec<f32> {
    let mut speeds = Vec::new();
    for _ in 0..ticks {
        let before = world.survivors[0].body.at;
        go(world, command, 1);
        let after = world.survivors[0].body.at;
        speeds.push((after[0] - before[0]).hypot(after[1] - before[1]) / TICK_SECS);
    }
    speeds
}

/// Heights above the ground of one jump on level ground, the first and the last on it.
pub fn jump_heights() -> Vec<f32> {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 500.0, 500.0, 0.0);
    let mut heights = vec![0.0];
    go(&mut world, Command { buttons: button::JUMP, ..Command::default() }, 1);
    heights.push(world.survivors[0].body.at[2]);
    while !world.survivors[0].body.on_ground {
        go(&mut world, Command::default(), 1);
        heights.push(world.survivors[0].body.at[2]);
        assert!(heights.len() < 60, "never landed");
    }
    heights
}

/// Ticks of a whole number of seconds.
pub fn secs(secs: u32) -> u32 {
    secs * TICKS_PER_SEC
}

/// Fails unless two numbers agree within a margin.
#[track_caller]
pub fn close(found: f32, expected: f32, margin: f32, what: &str) {
    assert!((found - expected).abs() <= margin, "{what}: {found}, not {expected} ± {margin}");
}

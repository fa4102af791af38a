//! Nobody gets stuck: from anywhere, going the way leads on.

use std::path::Path;

use crate::arena::{EAST, floor, go, join, world_on};
use lanista_survivors::intent::{Eyes, Feet, Intent};
use lanista_survivors::maps;
use lanista_survivors::nav::{Area, Mesh, attributes};
use lanista_survivors::sim::motion::Body;
use lanista_survivors::sim::numbers::Difficulty;
use lanista_survivors::sim::survivor::Condition;

const SOUTH: usize = 2;
const WEST: usize = 3;

/// The areas from whose middle going the way does not bring even the slowest nearer to the goal, in words.
fn stuck(name: &str, mesh: &Mesh) -> Vec<String> {
    let mut world = world_on(mesh, Difficulty::Normal);
    let mut stuck = Vec::new();
    for area in 0..world.terrain.areas() as u16 {
        let from = world.terrain.to_goal(area);
        if from == 0.0 || !from.is_finite() {
            continue;
        }
        let [x, y, _] = world.terrain.center(area);
        let s = &mut world.survivors[0];
        s.body = Body::standing(&world.terrain, area, x, y);
        (s.condition, s.health, s.temporary, s.incapacitations) = (Condition::Up, 1.0, 0.0, 2);
        let on = Intent { feet: Feet::Way(1.0, 0.0), eyes: Eyes::Way, buttons: 0 };
        let nearer = (0..900).any(|tick| {
            let command = world.command(0, &on, tick % 3 == 0);
            go(&mut world, command, 1);
            // A fall that hurts is no matter here.
            let s = &mut world.survivors[0];
            (s.condition, s.health) = (Condition::Up, 1.0);
            s.body.on_ground && world.terrain.to_goal(s.body.area) < from
        });
        if !nearer {
            let body = world.survivors[0].body;
            let link = world.terrain.toward_goal(body.area);
            stuck.push(format!(
                "{name}, area {area}: {body:?}, {:?}",
                link.map(|index| world.terrain.links(body.area)[index])
            ));
        }
    }
    stuck
}

#[test]
fn the_way_leads_on_from_everywhere() {
    let mut meshes: Vec<_> =
        maps::NAMES.iter().map(|name| (*name, maps::by_name(name).unwrap())).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/survivors");
    for name in ["c1m1_hotel.nav", "c5m4_quarter.nav", "c8m5_rooftop.nav"] {
        match std::fs::read(folder.join(name)) {
            Ok(bytes) => meshes.push((name, Mesh::read(&bytes).unwrap())),
            Err(_) => println!("skipped: the_way_leads_on_from_everywhere: no {name}"),
        }
    }
    let all: Vec<_> = meshes.iter().flat_map(|(name, mesh)| stuck(name, mesh)).collect();
    assert!(all.is_empty(), "{} places: {all:#?}", all.len());
}

/// Two areas to the west of a yard: the floor, and over a part of it a ramp up to a platform. The floor is
/// connected first, as on c9m2_lots, where the ramp leads into the rescue vehicle.
fn ramp_over_a_floor(goal_is_up: bool) -> Mesh {
    let mark = |goal: bool| if goal { attributes::CHECKPOINT } else { 0 };
    let start = attributes::PLAYER_START | attributes::CHECKPOINT;
    let mut mesh = Mesh::empty();
    mesh.areas = vec![
        floor(1, [400.0, 0.0, 500.0, 125.0], 0.0, start),
        floor(2, [200.0, 0.0, 400.0, 125.0], 0.0, 0),
        floor(3, [0.0, 0.0, 200.0, 125.0], 0.0, 0),
        Area { ne_z: 0.0, sw_z: 30.0, ..Area::plain(4, [150.0, 40.0, 30.0], [200.0, 85.0, 0.0]) },
        floor(5, [0.0, 40.0, 150.0, 85.0], 30.0, mark(goal_is_up)),
        floor(6, [-200.0, 0.0, 0.0, 125.0], 0.0, mark(!goal_is_up)),
    ];
    join(&mut mesh, 0, WEST, 1);
    join(&mut mesh, 1, WEST, 2);
    join(&mut mesh, 1, WEST, 3);
    join(&mut mesh, 3, WEST, 4);
    join(&mut mesh, 2, WEST, 5);
    mesh
}

#[test]
fn a_ramp_is_walked_up_although_a_floor_lies_below_it() {
    let all = stuck("up the ramp", &ramp_over_a_floor(true));
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn a_floor_is_walked_on_past_the_ramp_that_covers_a_part_of_it() {
    let all = stuck("past the ramp", &ramp_over_a_floor(false));
    assert!(all.is_empty(), "{all:#?}");
}

/// A shelf of two areas, the second of which is said to drop to its west into an area that it shares one
/// point with. The first covers that area from above, so whoever walks over the point stays on the shelf:
/// c11m4_terminal.
#[test]
fn a_drop_over_a_single_point_is_leapt() {
    let start = attributes::PLAYER_START | attributes::CHECKPOINT;
    let mut mesh = Mesh::empty();
    mesh.areas = vec![
        floor(1, [25.0, 0.0, 75.0, 50.0], 109.0, 0),
        floor(2, [50.0, 50.0, 75.0, 100.0], 109.0, start),
        floor(3, [0.0, 0.0, 75.0, 50.0], 0.0, 0),
        floor(4, [75.0, 0.0, 175.0, 50.0], 0.0, attributes::CHECKPOINT),
    ];
    join(&mut mesh, 0, SOUTH, 1);
    mesh.areas[1].connections[WEST].push(3);
    join(&mut mesh, 2, EAST, 3);
    let all = stuck("the shelf", &mesh);
    assert!(all.is_empty(), "{all:#?}");
}

/// Corners that touch are passed in whichever direction the file says that they are.
#[test]
fn a_corner_is_passed_on_the_level() {
    for side in [WEST, SOUTH] {
        let start = attributes::PLAYER_START | attributes::CHECKPOINT;
        let mut mesh = Mesh::empty();
        mesh.areas = vec![
            floor(1, [0.0, 0.0, 100.0, 100.0], 0.0, start),
            floor(2, [-100.0, 100.0, 0.0, 200.0], 0.0, attributes::CHECKPOINT),
        ];
        join(&mut mesh, 0, side, 1);
        let all = stuck("the corner", &mesh);
        assert!(all.is_empty(), "{all:#?}");
    }
}

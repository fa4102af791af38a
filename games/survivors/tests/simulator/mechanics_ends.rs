//! How a match ends, and how one who is dead comes back into it.

use crate::arena;

use arena::{
    EAST, add_special, close, floor, hall, hall_mesh, hold, join, put, secs, wait, world_on,
};
use lanista_survivors::nav::{GoalKind, Mesh, attributes};
use lanista_survivors::sim::director::Mode;
use lanista_survivors::sim::infected::{Class, Deed};
use lanista_survivors::sim::motion::Body;
use lanista_survivors::sim::numbers::Difficulty;
use lanista_survivors::sim::survivor::{Condition, Hold};
use lanista_survivors::sim::world::{Ending, Source, World, button};

const GOAL: u16 = 2;

/// Puts a survivor in the room that everybody wants to reach.
fn bring(world: &mut World, i: usize) {
    let y = 50.0 + 60.0 * i as f32;
    world.survivors[i].body = Body::standing(&world.terrain, GOAL, 4150.0, y);
}

#[test]
fn a_match_is_won_when_all_who_stand_are_in_the_safe_room() {
    let mut world = hall(Difficulty::Normal);
    assert_eq!(world.terrain.goal_kind(), GoalKind::SafeRoom);
    for i in 0..3 {
        bring(&mut world, i);
        wait(&mut world, 1);
        assert_eq!(world.ending, None, "{i}");
        assert!(world.is_safe(i) && !world.is_safe(3));
    }
    bring(&mut world, 3);
    wait(&mut world, 1);
    assert_eq!(world.ending, Some(Ending::Safe));
    let now = world.now;
    wait(&mut world, 5);
    assert_eq!(world.now, now, "and nothing happens any more");
}

#[test]
fn whoever_lies_or_is_dead_is_left_behind() {
    let mut world = hall(Difficulty::Normal);
    world.hurt(3, 150.0, Source::Common);
    world.survivors[2].die(0);
    bring(&mut world, 0);
    wait(&mut world, 1);
    assert_eq!(world.ending, None);
    bring(&mut world, 1);
    wait(&mut world, 1);
    assert_eq!(world.ending, Some(Ending::Safe));
}

#[test]
fn whoever_is_held_in_the_safe_room_is_not_safe() {
    let mut world = hall(Difficulty::Normal);
    for i in 0..4 {
        bring(&mut world, i);
    }
    let k = add_special(&mut world, Class::Hunter, 3900.0, 100.0, 0.0);
    world.specials[k].body = world.survivors[0].body;
    world.specials[k].deed = Deed::Hold { whom: 0, hurts_at: 30 };
    world.survivors[0].hold = Some(Hold { by: k });
    wait(&mut world, 5);
    assert_eq!(world.ending, None);
    world.survivors[1].yaw = -90.0;
    hold(&mut world, 1, button::SHOVE, 1);
    assert_eq!(world.ending, Some(Ending::Safe));
}

#[test]
fn a_match_is_lost_when_nobody_stands() {
    let mut world = hall(Difficulty::Normal);
    world.hurt(0, 150.0, Source::Common);
    world.survivors[1].die(0);
    world.survivors[2].condition = Condition::Hanging(300.0);
    wait(&mut world, 1);
    assert_eq!(world.ending, None, "one is left");
    world.hurt(3, 150.0, Source::Common);
    wait(&mut world, 1);
    assert_eq!(world.ending, Some(Ending::Lost));
}

/// The hall, with a vehicle for its goal and the ground of a last stand before it.
fn finale_mesh() -> Mesh {
    let mut mesh = hall_mesh();
    mesh.areas[2].spawn = attributes::RESCUE_VEHICLE;
    mesh
}

#[test]
fn the_rescue_vehicle_comes_two_minutes_after_the_last_stand_began() {
    let mut world = world_on(&finale_mesh(), Difficulty::Easy);
    assert_eq!(world.terrain.goal_kind(), GoalKind::RescueVehicle);
    world.director.mode = Mode::Rl;
    wait(&mut world, secs(2));
    assert!(world.goal_is_closed() && world.director.finale_since.is_none());
    for i in 0..4 {
        bring(&mut world, i);
    }
    let began = world.now;
    while world.ending.is_none() && world.now < secs(200) {
        wait(&mut world, 1);
        for s in &mut world.survivors {
            s.health = 100.0;
        }
    }
    assert_eq!(world.ending, Some(Ending::Safe));
    close((world.now - began) as f32, secs(120) as f32, 2.0, "ticks");
}

/// The hall with a closet to the east of it, further along than anybody is.
fn with_closet() -> World {
    let mut mesh = hall_mesh();
    mesh.areas.push(floor(4, [4000.0, 1000.0, 4100.0, 1100.0], 0.0, attributes::RESCUE_CLOSET));
    join(&mut mesh, 1, EAST, 3);
    let mut world = world_on(&mesh, Difficulty::Normal);
    for i in 0..4 {
        // At the start, or the closet would not be ahead.
        world.survivors[i].body = Body::standing(&world.terrain, 0, -250.0 + 50.0 * i as f32, 50.0);
    }
    world.progress = 0.0;
    world
}

#[test]
fn the_dead_wait_in_a_closet_ahead_and_are_let_out() {
    let mut world = with_closet();
    world.survivors[3].incapacitations = 2;
    wait(&mut world, 1);
    world.hurt(3, 150.0, Source::Common);
    wait(&mut world, secs(29));
    assert_eq!(world.survivors[3].closet, None, "half a minute later");
    wait(&mut world, secs(2));
    assert_eq!(world.survivors[3].closet, Some(3));
    put(&mut world, 0, 3900.0, 1050.0, 0.0);
    hold(&mut world, 0, button::USE, secs(2));
    assert_eq!(world.survivors[3].condition, Condition::Dead, "too far from its door");
    put(&mut world, 0, 3980.0, 1050.0, 0.0);
    hold(&mut world, 0, button::USE, secs(1) + 2);
    let s = &world.survivors[3];
    assert!(s.is_up());
    assert_eq!((s.body.area, s.health, s.closet, s.incapacitations), (3, 50.0, None, 0));
    assert_eq!(world.deeds[0].rescues, 1.0);
}

#[test]
fn whoever_waits_in_a_closet_is_not_brought_back_where_they_died() {
    let mut world = with_closet();
    world.survivors[3].die(0);
    world.survivors[0].pack = Some(lanista_survivors::sim::survivor::Pack::Defibrillator);
    wait(&mut world, secs(31));
    assert_eq!(world.survivors[3].closet, Some(3));
    hold(&mut world, 0, button::USE, secs(5));
    assert_eq!(world.survivors[3].condition, Condition::Dead);
}

//! What is thrown, what burns, and what draws commons.

use crate::arena;

use arena::{add_common, add_special, close, hall, hold, put, secs, wait};
use lanista_survivors::sim::hazards::HazardKind;
use lanista_survivors::sim::infected::{Class, Mood};
use lanista_survivors::sim::numbers::{Difficulty, TICK_SECS};
use lanista_survivors::sim::space::distance;
use lanista_survivors::sim::survivor::Throwable;
use lanista_survivors::sim::world::{World, button};

/// Somebody at (1000, 1000) who looks east and has thrown this.
fn thrown(what: Throwable) -> World {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 1000.0, 1000.0, 0.0);
    world.survivors[0].throwable = Some(what);
    hold(&mut world, 0, button::THROW, 1);
    assert_eq!((world.survivors[0].throwable, world.hazards.len()), (None, 1));
    world
}

/// Lets ticks pass until what was thrown is something else or rests; tells where.
fn landed(world: &mut World) -> [f32; 3] {
    for _ in 0..secs(3) {
        wait(world, 1);
        let rests = world.hazards.iter().all(|h| !h.kind.flies() || h.body.on_ground);
        if rests {
            break;
        }
    }
    world.hazards.first().map_or_else(|| world.lure.unwrap().at, |h| h.body.at)
}

#[test]
fn a_throw_flies_the_way_one_looks() {
    for what in [Throwable::PipeBomb, Throwable::Molotov, Throwable::VomitJar] {
        let mut world = thrown(what);
        let at = landed(&mut world);
        assert!(at[0] > 1300.0, "{what:?}: {at:?}");
        close(at[1], 1000.0, 1.0, "straight");
        close(at[2], 0.0, 1e-3, "on the ground");
    }
}

#[test]
fn nothing_is_thrown_with_empty_hands_or_from_the_floor() {
    let mut world = hall(Difficulty::Normal);
    hold(&mut world, 0, button::THROW, 3);
    assert!(world.hazards.is_empty());
    world.survivors[0].throwable = Some(Throwable::Molotov);
    world.hurt(0, 150.0, lanista_survivors::sim::world::Source::Common);
    hold(&mut world, 0, button::THROW, 3);
    assert!(world.hazards.is_empty());
}

#[test]
fn a_pipe_bomb_draws_for_six_seconds_and_kills() {
    let mut world = thrown(Throwable::PipeBomb);
    let at = landed(&mut world);
    let began = world.now;
    // Those who were after somebody come as well, and strike nobody any more.
    let near = add_common(&mut world, at[0] + 300.0, at[1], Mood::Chase(0));
    let idle = add_common(&mut world, at[0], at[1] + 600.0, Mood::Idle { noticed: 0.0 });
    let far = add_common(&mut world, at[0] + 100.0, at[1] + 1700.0, Mood::Idle { noticed: 0.0 });
    wait(&mut world, secs(3));
    assert_eq!(world.commons[near].mood, Mood::Lured);
    assert_eq!(world.commons[idle].mood, Mood::Lured);
    assert_ne!(world.commons[far].mood, Mood::Lured, "not heard so far away");
    assert!(distance(world.commons[near].body.at, at) < 60.0);
    let tank = add_special(&mut world, Class::Tank, at[0] + 200.0, at[1], 0.0);
    world.specials[tank].seat = Some(0);
    let hunter = add_special(&mut world, Class::Hunter, at[0] + 20.0, at[1], 0.0);
    world.specials[hunter].seat = Some(1);
    world.survivors[0].body = arena::standing(&world, 300.0, 1000.0);
    while !world.hazards.is_empty() {
        wait(&mut world, 1);
    }
    let beeped = (world.now - began) as f32 * TICK_SECS;
    assert!((4.0..6.2).contains(&beeped), "six seconds from the hand on: {beeped}");
    assert_eq!(world.commons.len(), 1, "only the one far away is left");
    assert_eq!(world.deeds[0].kills, 3.0, "two commons and a hunter");
    assert!(!world.specials[hunter].alive);
    close(4000.0 - world.specials[tank].health, 250.0, 30.0, "half way out, half the damage");
    assert_eq!(world.lure, None);
    assert_eq!(world.survivors[0].health, 100.0);
}

#[test]
fn a_molotov_burns_for_15_seconds() {
    let mut world = thrown(Throwable::Molotov);
    let at = landed(&mut world);
    assert_eq!(world.hazards[0].kind, HazardKind::Fire);
    let began = world.now;
    let inside = add_common(&mut world, at[0] + 140.0, at[1], Mood::Idle { noticed: 0.0 });
    let outside = add_common(&mut world, at[0] + 400.0, at[1], Mood::Idle { noticed: 0.0 });
    wait(&mut world, 1);
    assert!(world.commons[inside].burning && !world.commons[outside].burning);
    wait(&mut world, secs(1) + 2);
    assert_eq!(world.commons.len(), 1, "50 points in a second");
    world.commons.clear();
    put(&mut world, 1, at[0], at[1], 0.0);
    let before = world.survivors[1].health;
    wait(&mut world, secs(2));
    close(before - world.survivors[1].health, 20.0, 0.5, "ten a second");
    put(&mut world, 1, 100.0, 3000.0, 0.0);
    while !world.hazards.is_empty() {
        wait(&mut world, 1);
    }
    close((world.now - began) as f32 * TICK_SECS, 15.0, 0.1, "seconds");
}

#[test]
fn who_has_caught_fire_burns_on_outside_it() {
    let mut world = hall(Difficulty::Normal);
    let k = add_special(&mut world, Class::Hunter, 1000.0, 1000.0, 0.0);
    world.specials[k].seat = Some(0);
    world.specials[k].burning = true;
    wait(&mut world, secs(2));
    close(250.0 - world.specials[k].health, 100.0, 2.0, "after two seconds");
    wait(&mut world, secs(4));
    assert!(!world.specials[k].alive);
}

#[test]
fn what_a_molotov_kills_is_counted_for_who_threw_it() {
    let mut world = thrown(Throwable::Molotov);
    let at = landed(&mut world);
    add_common(&mut world, at[0], at[1], Mood::Idle { noticed: 0.0 });
    wait(&mut world, secs(2));
    assert!(world.commons.is_empty());
    assert_eq!(world.deeds[0].kills, 1.0);
    close(world.deeds[0].damage, 50.0, 0.1, "damage");
}

#[test]
fn a_jar_draws_for_15_seconds() {
    let mut world = thrown(Throwable::VomitJar);
    let at = landed(&mut world);
    let began = world.now;
    let lure = world.lure.unwrap();
    close((lure.until - began) as f32 * TICK_SECS, 15.0, 0.2, "seconds");
    let k = add_common(&mut world, at[0], at[1] + 800.0, Mood::Chase(0));
    wait(&mut world, secs(5));
    assert_eq!(world.commons[k].mood, Mood::Lured);
    assert!(distance(world.commons[k].body.at, at) < 60.0);
    assert_eq!(world.survivors[0].health, 100.0, "and forgets whom it was after");
    wait(&mut world, secs(11));
    assert_eq!(world.lure, None);
    assert_ne!(world.commons[k].mood, Mood::Lured);
}

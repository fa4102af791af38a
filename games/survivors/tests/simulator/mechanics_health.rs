//! Health: what it costs to go down, what brings one back, and what heals.

use crate::arena;

use arena::{add_common, close, hall, hold, lay, put, secs, storeys_mesh, wait, world_on};
use lanista_survivors::sim::infected::Mood;
use lanista_survivors::sim::items::ItemKind;
use lanista_survivors::sim::motion::Body;
use lanista_survivors::sim::numbers::{Difficulty, MEDKIT_SECS, REVIVE_SECS, TICKS_PER_SEC, ticks};
use lanista_survivors::sim::survivor::{Condition, Dose, Pack, Survivor, TaskKind};
use lanista_survivors::sim::weapons::Weapon;
use lanista_survivors::sim::world::{Command, Source, World, button};

/// A match with the first two side by side.
fn pair() -> World {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 500.0, 500.0, 0.0);
    put(&mut world, 1, 550.0, 500.0, 0.0);
    world
}

fn down(world: &mut World, i: usize) {
    world.hurt(i, 150.0, Source::Common);
    assert_eq!(world.survivors[i].condition, Condition::Incapacitated(300.0));
}

/// Ticks until something is so, holding a button; fails after a while.
#[track_caller]
fn ticks_until(world: &mut World, buttons: u16, is_so: fn(&Survivor) -> bool, whom: usize) -> u32 {
    for tick in 0..secs(120) {
        if is_so(&world.survivors[whom]) {
            return tick;
        }
        hold(world, 0, buttons, 1);
    }
    panic!("never: {:?}", world.survivors[whom]);
}

#[test]
fn on_the_floor_300_points_go_by_three_a_second() {
    let mut world = pair();
    down(&mut world, 1);
    wait(&mut world, secs(10));
    close(world.survivors[1].total_health(), 270.0, 0.1, "after ten seconds");
    let ticks = ticks_until(&mut world, 0, |s| !s.is_alive(), 1);
    close(ticks as f32, 90.0 * 30.0, 3.0, "ticks until death: a hundred seconds in all");
    assert_eq!(world.deeds[1].died, 1.0);
    assert!(world.ending.is_none(), "three are on their feet");
}

#[test]
fn whoever_is_hit_on_the_floor_dies_sooner() {
    let mut world = pair();
    down(&mut world, 1);
    world.hurt(1, 299.0, Source::Common);
    assert!(world.survivors[1].is_down());
    world.hurt(1, 2.0, Source::Common);
    assert_eq!(world.survivors[1].condition, Condition::Dead);
}

#[test]
fn a_revival_takes_five_seconds_and_gives_one_and_thirty() {
    let mut world = pair();
    down(&mut world, 1);
    let ticks = ticks_until(&mut world, button::USE, Survivor::is_up, 1);
    close(ticks as f32, REVIVE_SECS * 30.0, 1.0, "ticks of a revival");
    assert_eq!(REVIVE_SECS, 5.0);
    let s = &world.survivors[1];
    assert_eq!((s.health, s.incapacitations), (1.0, 1));
    close(s.temporary, 30.0, 0.01, "lent");
    assert_eq!((world.deeds[0].rescues, world.survivors[0].record.revived), (1.0, 1.0));
}

#[test]
fn who_lets_go_of_the_button_begins_again() {
    let mut world = pair();
    down(&mut world, 1);
    hold(&mut world, 0, button::USE, 140);
    wait(&mut world, 1);
    assert_eq!(world.survivors[0].task, None);
    let ticks = ticks_until(&mut world, button::USE, Survivor::is_up, 1);
    assert!(ticks >= 150, "{ticks}");
}

#[test]
fn nobody_is_helped_from_afar() {
    for (far, helped) in [(90.0, true), (100.0, false)] {
        let mut world = pair();
        put(&mut world, 1, 500.0 + far, 500.0, 0.0);
        down(&mut world, 1);
        assert_eq!(world.is_possible(0, TaskKind::Revive(1)), helped, "{far}");
        hold(&mut world, 0, button::USE, 160);
        assert_eq!(world.survivors[1].is_up(), helped, "{far}");
    }
}

#[test]
fn a_special_interrupts_a_task_and_a_common_does_not() {
    for (by, goes_on) in [(Source::Common, true), (Source::Fall, false)] {
        let mut world = pair();
        down(&mut world, 1);
        hold(&mut world, 0, button::USE, 60);
        world.hurt(0, 1.0, by);
        assert_eq!(world.survivors[0].task.is_some(), goes_on, "{by:?}");
    }
}

#[test]
fn the_third_time_kills() {
    let mut world = pair();
    for strike in 0..2 {
        assert!(!world.survivors[1].on_third_strike(), "strike {strike}");
        down(&mut world, 1);
        ticks_until(&mut world, button::USE, Survivor::is_up, 1);
    }
    assert!(world.survivors[1].on_third_strike());
    world.hurt(1, 150.0, Source::Common);
    assert_eq!(world.survivors[1].condition, Condition::Dead);
}

#[test]
fn a_medkit_takes_five_seconds_and_heals_four_fifths_of_what_is_missing() {
    for (health, temporary, expected) in [(50.0, 20.0, 90.0), (1.0, 0.0, 80.2), (90.0, 0.0, 98.0)] {
        let mut world = pair();
        let s = &mut world.survivors[0];
        (s.health, s.temporary, s.incapacitations) = (health, temporary, 2);
        s.pack = Some(Pack::Medkit);
        let ticks = ticks_until(&mut world, button::HEAL_SELF, |s| s.pack.is_none(), 0);
        close(ticks as f32, MEDKIT_SECS * 30.0, 1.0, "ticks of healing");
        assert_eq!(MEDKIT_SECS, 5.0);
        let s = &world.survivors[0];
        close(s.health, expected, 0.01, "health");
        assert_eq!((s.temporary, s.incapacitations), (0.0, 0), "and strikes are forgotten");
    }
}

#[test]
fn a_fellow_is_healed_as_well() {
    let mut world = pair();
    world.survivors[1].health = 20.0;
    world.survivors[0].pack = Some(Pack::Medkit);
    hold(&mut world, 0, button::HEAL_OTHER, 152);
    close(world.survivors[1].health, 84.0, 0.01, "health");
    assert_eq!((world.deeds[0].heals, world.survivors[0].pack), (1.0, None));
    close(world.deeds[0].healed, 64.0, 0.01, "given");
    // Healthy ones are not.
    let mut world = pair();
    world.survivors[0].pack = Some(Pack::Medkit);
    hold(&mut world, 0, button::HEAL_OTHER | button::HEAL_SELF, 152);
    assert_eq!(world.survivors[0].pack, Some(Pack::Medkit));
}

#[test]
fn pills_lend_fifty_and_adrenaline_twenty_five() {
    for (dose, health, expected) in [
        (Dose::Pills, 10.0, 50.0),
        (Dose::Pills, 80.0, 20.0),
        (Dose::Adrenaline, 10.0, 25.0),
        (Dose::Adrenaline, 90.0, 10.0),
    ] {
        let mut world = pair();
        (world.survivors[0].health, world.survivors[0].dose) = (health, Some(dose));
        hold(&mut world, 0, button::DOSE, 1);
        let s = &world.survivors[0];
        close(s.temporary, expected, 0.01, &format!("{dose:?} at {health}"));
        assert_eq!((s.health, s.dose), (health, None));
        let until = if dose == Dose::Adrenaline { secs(15) } else { 0 };
        assert_eq!(s.adrenaline_until, until);
    }
}

#[test]
fn what_is_lent_fades_by_27_hundredths_a_second() {
    let mut world = pair();
    (world.survivors[0].health, world.survivors[0].dose) = (30.0, Some(Dose::Pills));
    hold(&mut world, 0, button::DOSE, 1);
    wait(&mut world, secs(100));
    close(world.survivors[0].temporary, 50.0 - 27.0, 0.1, "after 100 seconds");
    assert_eq!(world.survivors[0].health, 30.0, "what lasts, lasts");
    wait(&mut world, secs(100));
    assert_eq!(world.survivors[0].temporary, 0.0);
    assert!(world.survivors[0].is_up());
}

#[test]
fn adrenaline_halves_what_hands_need_for_15_seconds() {
    let mut world = pair();
    world.survivors[0].dose = Some(Dose::Adrenaline);
    hold(&mut world, 0, button::DOSE, 1);
    down(&mut world, 1);
    let ticks = ticks_until(&mut world, button::USE, Survivor::is_up, 1);
    close(ticks as f32, 75.0, 1.0, "ticks of a revival");
    let mut world = pair();
    let s = &mut world.survivors[0];
    (s.adrenaline_until, s.health, s.pack) = (secs(15), 30.0, Some(Pack::Medkit));
    let ticks = ticks_until(&mut world, button::HEAL_SELF, |s| s.pack.is_none(), 0);
    close(ticks as f32, 75.0, 1.0, "ticks of healing");
    // And afterwards no more.
    let mut world = pair();
    world.survivors[0].adrenaline_until = 1;
    wait(&mut world, 1);
    down(&mut world, 1);
    assert!(ticks_until(&mut world, button::USE, Survivor::is_up, 1) >= 150);
}

#[test]
fn a_defibrillator_brings_back_with_fifty() {
    let mut world = pair();
    world.survivors[1].incapacitations = 2;
    world.hurt(1, 150.0, Source::Common);
    assert_eq!(world.survivors[1].condition, Condition::Dead);
    assert!(!world.is_possible(0, TaskKind::Defibrillate(1)), "not with bare hands");
    world.survivors[0].pack = Some(Pack::Defibrillator);
    let ticks = ticks_until(&mut world, button::USE, Survivor::is_up, 1);
    close(ticks as f32, 90.0, 1.0, "three seconds");
    let s = &world.survivors[1];
    assert_eq!((s.health, s.temporary), (50.0, 0.0));
    assert_eq!(s.incapacitations, 0, "a new life");
    assert_eq!((world.survivors[0].pack, world.deeds[0].rescues), (None, 1.0));
}

#[test]
fn on_the_floor_only_the_pistol_is_at_hand() {
    let mut world = pair();
    arena::arm(&mut world.survivors[1], Weapon::M16);
    down(&mut world, 1);
    assert_eq!(world.survivors[1].gun().weapon, Weapon::Pistol);
    world.survivors[1].pack = Some(Pack::Medkit);
    lay(&mut world, ItemKind::Dose(Dose::Pills), 550.0, 500.0);
    let at = world.survivors[1].body.at;
    for _ in 0..secs(2) {
        let all = button::USE | button::HEAL_SELF | button::SHOVE | button::JUMP | button::ATTACK;
        let command = Command { step: [1.0, 0.0], buttons: all, ..Command::default() };
        world.tick(&arena::only(&world, 1, command), &[]);
    }
    let s = &world.survivors[1];
    assert!(s.sidearm.clip < 15, "shoots");
    assert_eq!((s.primary.unwrap().clip, s.dose, s.task), (50, None, None));
    assert_eq!(s.body.at, at, "and stays where it lies");
}

/// Somebody on a platform of this height, near its edge, looking over it.
fn at_the_edge(height: f32) -> World {
    let mut world = world_on(&storeys_mesh(height), Difficulty::Normal);
    world.survivors[0].body = Body::standing(&world.terrain, 3, 1200.0, -20.0);
    world.survivors[0].yaw = 90.0;
    world
}

fn walk_on(world: &mut World, ticks: u32) {
    for _ in 0..ticks {
        let command = Command { step: [1.0, 0.0], yaw: 90.0, ..Command::default() };
        world.tick(&arena::only(world, 0, command), &[]);
    }
}

#[test]
fn a_high_ledge_is_hung_from_and_a_low_one_is_not() {
    for (height, hangs) in [(230.0, false), (250.0, true)] {
        let mut world = at_the_edge(height);
        walk_on(&mut world, 60);
        let s = &world.survivors[0];
        assert_eq!(matches!(s.condition, Condition::Hanging(_)), hangs, "{height}");
        assert_eq!(s.body.at[2], if hangs { height } else { 0.0 });
    }
}

#[test]
fn whoever_hangs_has_300_points_and_is_pulled_up_to_where_they_hung() {
    let mut world = at_the_edge(250.0);
    walk_on(&mut world, 30);
    let Condition::Hanging(left) = world.survivors[0].condition else { panic!("does not hang") };
    assert!((295.0..=300.0).contains(&left), "{left}");
    let at = world.survivors[0].body.at;
    world.survivors[1].body = Body::standing(&world.terrain, 3, at[0], -60.0);
    for _ in 0..152 {
        let command = arena::press(&world, 1, button::USE);
        world.tick(&arena::only(&world, 1, command), &[]);
    }
    let s = &world.survivors[0];
    assert!(s.is_up());
    assert_eq!((s.body.area, s.body.at[2]), (3, 250.0), "not at the bottom");
    // 300 went by three a second, and so much of the share of health.
    close(s.health, 100.0 * (300.0 - 3.0 * 5.9) / 300.0, 1.0, "health");
    assert_eq!((s.incapacitations, s.temporary), (0, 0.0), "a ledge is no strike");
}

#[test]
fn whoever_is_pushed_over_a_ledge_catches_it() {
    let mut world = at_the_edge(250.0);
    world.survivors[0].body = Body::standing(&world.terrain, 3, 1200.0, -1.0);
    world.survivors[1].body = Body::standing(&world.terrain, 3, 1200.0, -6.0);
    wait(&mut world, 10);
    assert!(matches!(world.survivors[0].condition, Condition::Hanging(_)));
    assert_eq!(world.survivors[0].body.at[2], 250.0);
    wait(&mut world, 60);
    assert_eq!(world.survivors[0].body.at[2], 250.0, "and nobody pushes it further");
}

#[test]
fn a_hanging_one_dies_when_the_points_are_gone() {
    let mut world = at_the_edge(250.0);
    walk_on(&mut world, 30);
    let ticks = ticks_until(&mut world, 0, |s| !s.is_alive(), 0);
    close(ticks as f32 / TICKS_PER_SEC as f32, 100.0, 1.0, "seconds");
}

#[test]
fn blows_hold_one_back_and_adrenaline_does_not_mind() {
    let mut world = pair();
    let k = add_common(&mut world, 460.0, 500.0, Mood::Chase(0));
    wait(&mut world, 2);
    assert_eq!(world.survivors[0].speed(world.now), 110.0);
    world.survivors[0].adrenaline_until = secs(15);
    assert_eq!(world.survivors[0].speed(world.now), 260.0);
    world.survivors[0].adrenaline_until = 0;
    world.commons.swap_remove(k);
    wait(&mut world, ticks(0.5));
    assert_eq!(world.survivors[0].speed(world.now), 220.0);
}

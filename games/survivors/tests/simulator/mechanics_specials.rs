//! Those who hold nobody: boomer, spitter, tank and witch.

use crate::arena;

use arena::{add_played, add_special, close, hall, hold, play, put, secs, wait, world_on};
use lanista_survivors::sim::director::Mode;
use lanista_survivors::sim::hazards::HazardKind;
use lanista_survivors::sim::infected::{Class, Deed};
use lanista_survivors::sim::motion::Body;
use lanista_survivors::sim::numbers::Difficulty;
use lanista_survivors::sim::space::flat_distance;
use lanista_survivors::sim::survivor::Condition;
use lanista_survivors::sim::world::{Command, World, button};
use lanista_survivors::view::infected;

const DIFFICULTIES: [Difficulty; 4] =
    [Difficulty::Easy, Difficulty::Normal, Difficulty::Advanced, Difficulty::Expert];

/// A special that a seat plays at (1000, 1000), looking east at the first survivor so far away.
fn facing(class: Class, far: f32, difficulty: Difficulty) -> (World, usize) {
    let mut world = hall(difficulty);
    put(&mut world, 0, 1000.0 + far, 1000.0, 180.0);
    let k = add_played(&mut world, class, 1000.0, 1000.0, 0.0);
    (world, k)
}

#[test]
fn a_boomer_covers_whom_it_vomits_at_and_calls_a_horde() {
    for (far, covered) in [(290.0, true), (310.0, false)] {
        let (mut world, k) = facing(Class::Boomer, far, Difficulty::Normal);
        world.director.mode = Mode::Rule;
        play(&mut world, 0.0, button::SHOVE, 1);
        assert_eq!(world.survivors[0].biled_until > 0, covered, "{far}");
        assert_eq!(world.harm[0].caught, if covered { 1.0 } else { 0.0 });
        if covered {
            assert_eq!(world.survivors[0].biled_until, secs(15));
            assert!((9..=10).contains(&world.director.to_come), "{}", world.director.to_come);
            assert_eq!(world.specials[k].ability_from, secs(30));
            assert_eq!(world.survivors[0].health, 100.0, "bile hurts nobody");
        } else {
            assert_eq!(world.director.to_come, 0);
        }
    }
}

#[test]
fn a_boomer_that_bursts_covers_those_within_200_units() {
    let (mut world, k) = facing(Class::Boomer, 100.0, Difficulty::Normal);
    put(&mut world, 1, 1000.0, 1190.0, 0.0);
    put(&mut world, 2, 1000.0, 1210.0, 0.0);
    world.specials[k].health = 1.0;
    hold(&mut world, 0, button::ATTACK, 1);
    assert!(!world.specials[k].alive);
    let covered: Vec<bool> = world.survivors.iter().map(|s| s.biled_until > 0).collect();
    assert_eq!(covered, [true, true, false, false], "splat radius 200, facts §5");
    assert_eq!(world.harm[0].died, 1.0);
}

#[test]
fn spit_reaches_850_units_and_leaves_a_pool_that_gets_worse() {
    for (far, spits) in [(840.0, true), (860.0, false)] {
        let (mut world, k) = facing(Class::Spitter, far, Difficulty::Normal);
        play(&mut world, 0.0, button::SHOVE, 1);
        assert_eq!(matches!(world.specials[k].deed, Deed::WindUp { .. }), spits, "{far}");
    }
    let (mut world, _) = facing(Class::Spitter, 600.0, Difficulty::Normal);
    play(&mut world, 0.0, button::SHOVE, secs(2));
    assert_eq!(world.hazards.len(), 1);
    assert_eq!(world.hazards[0].kind, HazardKind::Pool);
    let at = world.hazards[0].body.at;
    assert!(flat_distance(at, world.survivors[0].body.at) < 120.0, "at whom it was meant for");
    // Afresh, from its first to its last second.
    let pool = &mut world.hazards[0];
    (pool.since, pool.until) = (world.now, world.now + secs(7));
    world.survivors[0].health = 100.0;
    let mut lost = Vec::new();
    for _ in 0..7 {
        let before = world.survivors[0].health;
        wait(&mut world, secs(1));
        lost.push(before - world.survivors[0].health);
    }
    assert!(lost.windows(2).all(|two| two[1] > two[0]), "{lost:?}");
    close(lost[0], 5.0, 0.2, "first second: 4 a second and more");
    close(lost[6], 17.0, 0.2, "last second: up to 18");
    wait(&mut world, 2);
    assert!(world.hazards.is_empty(), "seven seconds");
    assert!(world.harm[0].damage > 70.0, "counted for who spat");
}

#[test]
fn a_pool_ends_120_units_from_its_middle() {
    let (mut world, _) = facing(Class::Spitter, 600.0, Difficulty::Normal);
    play(&mut world, 0.0, button::SHOVE, secs(2));
    let [x, y, _] = world.hazards[0].body.at;
    put(&mut world, 1, x, y + 115.0, 0.0);
    put(&mut world, 2, x, y + 145.0, 0.0);
    put(&mut world, 0, 100.0, 100.0, 0.0);
    wait(&mut world, 10);
    assert!(world.survivors[1].health < 100.0);
    assert_eq!(world.survivors[2].health, 100.0);
}

#[test]
fn a_tanks_fist_takes_its_share_every_second_and_a_half() {
    for (difficulty, damage) in DIFFICULTIES.into_iter().zip([24.0, 24.0, 33.0, 100.0]) {
        let (mut world, _) = facing(Class::Tank, 60.0, difficulty);
        play(&mut world, 0.0, button::ATTACK, 1);
        let s = &world.survivors[0];
        if damage >= 100.0 {
            assert!(matches!(s.condition, Condition::Incapacitated(_)));
        } else {
            close(100.0 - s.health, damage, 1e-3, &format!("{difficulty:?}"));
            assert!(!s.body.on_ground && s.staggers_until > 0, "flung");
        }
    }
    // The swing alone: whoever is hit is put back at once.
    let (mut world, _) = facing(Class::Tank, 60.0, Difficulty::Normal);
    let mut swings = Vec::new();
    for tick in 0..secs(4) {
        put(&mut world, 0, 1060.0, 1000.0, 180.0);
        world.survivors[0].health = 100.0;
        let before = world.survivors[0].record.hurt;
        play(&mut world, 0.0, button::ATTACK, 1);
        if world.survivors[0].record.hurt > before {
            swings.push(tick);
        }
        world.specials[0].body = arena::standing(&world, 1000.0, 1000.0);
    }
    assert_eq!(swings, [0, 45, 90], "1.5 s, facts §5");
}

#[test]
fn a_rock_flies_at_800_and_hits_as_a_fist_does() {
    let (mut world, _) = facing(Class::Tank, 800.0, Difficulty::Normal);
    play(&mut world, 0.0, button::SHOVE, 1);
    let mut flew = 0;
    let mut speed = 0.0;
    for _ in 0..secs(5) {
        play(&mut world, 0.0, 0, 1);
        if let Some(rock) = world.hazards.first() {
            assert_eq!(rock.kind, HazardKind::Rock);
            speed = rock.body.speed();
            flew += 1;
        }
    }
    close(speed, 800.0, 1.0, "throw force 800, facts §5");
    close(flew as f32, 30.0, 4.0, "a second for 800 units");
    close(100.0 - world.survivors[0].health, 24.0, 1e-3, "damage");
}

#[test]
fn a_rock_of_a_dead_tank_is_nobody_elses() {
    let (mut world, k) = facing(Class::Tank, 800.0, Difficulty::Normal);
    play(&mut world, 0.0, button::SHOVE, secs(2) + 2);
    assert_eq!(world.hazards.len(), 1, "on its way");
    world.specials[k].alive = false;
    // Somebody else takes its place.
    let other = add_played(&mut world, Class::Hunter, 200.0, 3000.0, 0.0);
    world.specials[other].seat = Some(1);
    world.specials.swap_remove(k);
    wait(&mut world, secs(2));
    close(100.0 - world.survivors[0].health, 24.0, 1e-3, "damage");
    assert_eq!((world.harm[0].damage, world.harm[1].damage), (24.0, 0.0));
    assert_eq!(world.specials[k].damage, 0.0);
}

#[test]
fn a_tank_burns_down_in_75_to_85_seconds() {
    for difficulty in DIFFICULTIES {
        let (mut world, k) = facing(Class::Tank, 2500.0, difficulty);
        world.specials[k].burning = true;
        let mut passed = 0;
        while world.specials[k].alive {
            wait(&mut world, 1);
            passed += 1;
            assert!(passed < secs(100), "{difficulty:?}");
        }
        assert!((secs(75)..=secs(85)).contains(&passed), "{difficulty:?}: {passed} ticks");
    }
}

/// A witch who sits, with the first survivor so far away.
fn witch(far: f32, difficulty: Difficulty) -> (World, usize) {
    let mut world = hall(difficulty);
    put(&mut world, 0, 1000.0 + far, 1000.0, 180.0);
    let k = add_special(&mut world, Class::Witch, 1000.0, 1000.0, 0.0);
    (world, k)
}

#[test]
fn a_witch_is_startled_by_who_comes_near_and_by_a_shot() {
    let (mut world, k) = witch(1000.0, Difficulty::Normal);
    wait(&mut world, secs(20));
    assert_eq!(world.specials[k].deed, Deed::Sit { rage: 0.0 }, "far away");
    let (mut world, k) = witch(50.0, Difficulty::Normal);
    wait(&mut world, 5);
    assert!(matches!(world.specials[k].deed, Deed::Rage { whom: 0 }), "at arm's length");
    let (mut world, k) = witch(1000.0, Difficulty::Normal);
    hold(&mut world, 0, button::ATTACK, 10);
    assert!(matches!(world.specials[k].deed, Deed::Rage { whom: 0 }), "shot");
    let at = world.specials[k].body.at;
    wait(&mut world, secs(1));
    close(flat_distance(at, world.specials[k].body.at), 300.0, 1.0, "300 units a second");
}

#[test]
fn a_witch_takes_all_at_once_and_goes() {
    for difficulty in DIFFICULTIES {
        let (mut world, k) = witch(50.0, difficulty);
        wait(&mut world, secs(1));
        let condition = world.survivors[0].condition;
        if difficulty == Difficulty::Expert {
            assert_eq!(condition, Condition::Dead);
        } else {
            assert!(matches!(condition, Condition::Incapacitated(_)), "{difficulty:?}");
        }
        assert!(!world.specials[k].alive, "she has had her revenge");
    }
}

#[test]
fn a_witch_whose_victim_is_dead_sits_down() {
    let (mut world, k) = witch(1000.0, Difficulty::Normal);
    hold(&mut world, 0, button::ATTACK, 10);
    world.survivors[0].die(world.now);
    wait(&mut world, 5);
    assert!(matches!(world.specials[k].deed, Deed::Sit { .. }));
}

#[test]
fn claws_take_a_little_once_a_second() {
    for (class, damage) in [(Class::Smoker, 2.0), (Class::Boomer, 2.0), (Class::Charger, 4.0)] {
        let (mut world, _) = facing(class, 50.0, Difficulty::Normal);
        play(&mut world, 0.0, button::ATTACK, secs(3));
        close(100.0 - world.survivors[0].health, 3.0 * damage, 1e-3, &format!("{class:?}"));
    }
}

#[test]
fn the_games_own_use_what_they_have() {
    // From afar: bile, spit and rock arrive within half a minute.
    let (mut world, _) = witch(3000.0, Difficulty::Normal);
    world.specials.clear();
    put(&mut world, 0, 2000.0, 1000.0, 0.0);
    add_special(&mut world, Class::Boomer, 1500.0, 1000.0, 0.0);
    add_special(&mut world, Class::Spitter, 1200.0, 1000.0, 0.0);
    add_special(&mut world, Class::Tank, 900.0, 1000.0, 0.0);
    let (mut bile, mut pool, mut rock) = (false, false, false);
    for _ in 0..secs(10) {
        wait(&mut world, 1);
        world.survivors[0].health = 100.0;
        bile |= world.survivors[0].biled_until > 0;
        pool |= world.hazards.iter().any(|h| h.kind == HazardKind::Pool);
        rock |= world.hazards.iter().any(|h| h.kind == HazardKind::Rock);
    }
    assert!(bile && pool && rock, "{bile} {pool} {rock}");
}

#[test]
fn a_played_special_climbs_after_its_victim() {
    let height = 200.0;
    let mut world = world_on(&arena::storeys_mesh(height), Difficulty::Normal);
    for i in 0..4 {
        let x = 1300.0 + 100.0 * i as f32;
        world.survivors[i].body = Body::standing(&world.terrain, 3, x, -500.0);
    }
    let k = add_played(&mut world, Class::Boomer, 1500.0, 100.0, -90.0);
    let to_target = [0, 1, 0];
    for tick in 0.. {
        let command = infected::command(&world, 0, &to_target);
        world.tick(&[Command::default(); 4], &[command]);
        if world.specials[k].body.at[2] == height {
            break;
        }
        assert!(tick < 300, "{:?}", world.specials[k].body);
    }
    assert_eq!(world.specials[k].body.area, 3);
}

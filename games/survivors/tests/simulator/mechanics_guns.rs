//! Guns and shoves: damage by distance, rates, reloads, friendly fire, who stumbles.

use crate::arena;

use arena::{add_common, add_special, arm, close, hall, hold, put, secs, wait};
use lanista_survivors::sim::infected::{Class, Mood};
use lanista_survivors::sim::numbers::{Difficulty, SHOVE_SECS, TICK_SECS, ticks};
use lanista_survivors::sim::space::pitch_to;
use lanista_survivors::sim::weapons::{ENDLESS, Gun, Weapon};
use lanista_survivors::sim::world::{World, button};

const IDLE: Mood = Mood::Idle { noticed: 0.0 };

type Row = (Weapon, f32, u32, [f32; 2], u16, f32, f32);

/// facts §5: damage, pellets, seconds between shots, clip, range, what is left after each 500 units.
/// Where two sources differ (MP5) or one is silent (the burst of the SCAR) the range of both is in the table.
const TABLE: [Row; 16] = [
    (Weapon::Pistol, 36.0, 1, [0.175; 2], 15, 2500.0, 0.75),
    (Weapon::Magnum, 80.0, 1, [0.3; 2], 8, 3500.0, 0.75),
    (Weapon::Smg, 20.0, 1, [0.0625; 2], 50, 2500.0, 0.84),
    (Weapon::SilencedSmg, 25.0, 1, [0.055; 2], 50, 2200.0, 0.84),
    (Weapon::Mp5, 24.0, 1, [0.07, 0.075], 50, 2500.0, 0.84),
    (Weapon::PumpShotgun, 25.0, 10, [0.875; 2], 8, 3000.0, 0.7),
    (Weapon::ChromeShotgun, 31.0, 8, [0.875; 2], 8, 3000.0, 0.7),
    (Weapon::AutoShotgun, 23.0, 11, [0.25; 2], 10, 3000.0, 0.7),
    (Weapon::SpasShotgun, 28.0, 9, [0.25; 2], 10, 3000.0, 0.7),
    (Weapon::M16, 33.0, 1, [0.0875; 2], 50, 3000.0, 0.97),
    (Weapon::Ak47, 58.0, 1, [0.13; 2], 40, 3000.0, 0.97),
    (Weapon::Scar, 44.0, 1, [0.07, 0.2], 60, 3000.0, 0.97),
    (Weapon::Sg552, 33.0, 1, [0.0825; 2], 50, 3000.0, 0.97),
    (Weapon::HuntingRifle, 90.0, 1, [0.25; 2], 15, 8192.0, 1.0),
    (Weapon::MilitarySniper, 90.0, 1, [0.25; 2], 30, 8192.0, 1.0),
    (Weapon::M60, 50.0, 1, [0.11; 2], 150, 3000.0, 0.97),
];

/// Somebody with a gun, looking east at a body of 71 units so far away.
fn range(weapon: Weapon, far: f32) -> World {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 100.0, 1000.0, 0.0);
    arm(&mut world.survivors[0], weapon);
    world.survivors[0].crouched = true;
    let eyes = [100.0, 1000.0, 62.0 * 0.6];
    world.survivors[0].pitch = pitch_to(eyes, [100.0 + far, 1000.0, 40.0]);
    world
}

/// A tank at a distance, that never moves: nothing is after it that it could be after.
fn target(world: &mut World, far: f32) -> usize {
    arena::add_played(world, Class::Tank, 100.0 + far, 1000.0, 180.0)
}

#[test]
fn the_table_is_that_of_the_facts() {
    assert_eq!(TABLE.map(|row| row.0), Weapon::ALL);
    for (weapon, damage, pellets, cycle, clip, far, falloff) in TABLE {
        let b = weapon.ballistics();
        assert_eq!((b.damage, b.pellets, b.clip), (damage, pellets, clip), "{}", b.name);
        assert_eq!((b.range, b.falloff), (far, falloff), "{}", b.name);
        assert!((cycle[0]..=cycle[1]).contains(&b.cycle_secs), "{}", b.name);
    }
    assert_eq!(Weapon::Pistol.ballistics().reserve, ENDLESS);
    for (weapon, secs) in [(Weapon::PumpShotgun, 0.473), (Weapon::AutoShotgun, 0.396)] {
        assert_eq!(weapon.ballistics().reload_secs, secs);
    }
}

#[test]
fn a_shot_takes_what_the_distance_leaves() {
    for (weapon, damage, pellets, _, _, far, falloff) in TABLE {
        for distance in [60.0, 250.0, 500.0, 1000.0] {
            let mut world = range(weapon, distance);
            let k = target(&mut world, distance);
            let full = damage * falloff.powf(distance / 500.0);
            let mut hits = 0;
            for _ in 0..20 {
                let before = world.specials[k].health;
                let shots = world.shots.len();
                hold(&mut world, 0, button::ATTACK | button::CROUCH, 1);
                let fired = (world.shots.len() - shots) as f32;
                let met = (before - world.specials[k].health) / full;
                // Every pellet that meets takes the same; a spread lets some miss.
                close(met, met.round(), 0.05, &format!("{weapon:?} at {distance}"));
                assert!(met.round() <= fired, "{weapon:?}: {met} of {fired}");
                hits += met.round() as u32;
                assert!(distance <= far);
            }
            assert!(hits > 0, "{weapon:?} at {distance}");
            if distance < 100.0 {
                // Next to the muzzle nothing misses.
                let shots = hits as f32 / pellets as f32;
                close(shots, shots.round(), 0.0, &format!("{weapon:?} near by"));
            }
        }
    }
}

#[test]
fn nothing_is_hit_beyond_the_range() {
    for (far, hit) in [(2400.0, true), (2600.0, false)] {
        let mut world = range(Weapon::Pistol, far);
        let k = target(&mut world, far);
        let full = world.specials[k].health;
        // Enough for some to hit, whatever the spread.
        for _ in 0..secs(30) {
            world.survivors[0].sidearm.clip = 15;
            hold(&mut world, 0, button::ATTACK | button::CROUCH, 1);
        }
        assert_eq!(world.specials[k].health < full, hit, "{far}");
    }
}

#[test]
fn guns_keep_their_rate_over_a_second() {
    for (weapon, _, pellets, _, clip, ..) in TABLE {
        let mut world = hall(Difficulty::Normal);
        put(&mut world, 0, 100.0, 1000.0, 0.0);
        arm(&mut world.survivors[0], weapon);
        let mut fired = 0;
        for _ in 0..secs(1) {
            world.begin_step();
            hold(&mut world, 0, button::ATTACK, 1);
            fired += world.shots.len() as u32 / pellets;
        }
        let cycle = weapon.ballistics().cycle_secs;
        let expected = ((1.0 / cycle).ceil()).min(f32::from(clip));
        close(fired as f32, expected, 1.0, &format!("{weapon:?}"));
    }
}

#[test]
fn a_reload_takes_its_time() {
    for weapon in Weapon::ALL {
        let b = weapon.ballistics();
        if b.reserve == 0 {
            continue;
        }
        let mut world = hall(Difficulty::Normal);
        arm(&mut world.survivors[0], weapon);
        let missing = if b.shells { 3 } else { b.clip };
        world.survivors[0].gun_mut().clip = b.clip - missing;
        hold(&mut world, 0, button::RELOAD, 1);
        let mut passed = 0;
        while world.survivors[0].gun().clip < b.clip {
            wait(&mut world, 1);
            passed += 1;
            assert!(passed < 300, "{weapon:?}");
        }
        let each = ticks(b.reload_secs) as f32;
        let expected = if b.shells { each * f32::from(missing) } else { each };
        close(passed as f32, expected, 1.0, &format!("{weapon:?}: ticks"));
        let gun = world.survivors[0].gun();
        let left = if b.reserve == ENDLESS { ENDLESS } else { b.reserve - missing };
        assert_eq!(gun.reserve, left, "{weapon:?}");
    }
}

#[test]
fn an_empty_gun_reloads_by_itself_and_an_empty_bag_does_not() {
    let mut world = hall(Difficulty::Normal);
    arm(&mut world.survivors[0], Weapon::M16);
    let gun = world.survivors[0].primary.as_mut().unwrap();
    (gun.clip, gun.reserve) = (1, 20);
    hold(&mut world, 0, button::ATTACK, 5);
    assert!(world.survivors[0].gun().reloaded_at.is_some());
    wait(&mut world, secs(3));
    assert_eq!((world.survivors[0].gun().clip, world.survivors[0].gun().reserve), (20, 0));
    hold(&mut world, 0, button::ATTACK, secs(5));
    assert_eq!((world.survivors[0].gun().clip, world.survivors[0].gun().reserve), (0, 0));
    assert!(!world.survivors[0].gun().can_reload());
}

#[test]
fn a_gun_that_is_put_away_is_not_reloaded() {
    let mut world = hall(Difficulty::Normal);
    arm(&mut world.survivors[0], Weapon::M16);
    world.survivors[0].gun_mut().clip = 5;
    hold(&mut world, 0, button::RELOAD, 1);
    hold(&mut world, 0, button::SWITCH, 1);
    assert_eq!(world.survivors[0].gun().weapon, Weapon::Pistol);
    wait(&mut world, secs(4));
    assert_eq!(world.survivors[0].primary.unwrap().clip, 5);
    hold(&mut world, 0, button::SWITCH, 1);
    hold(&mut world, 0, button::RELOAD, 1);
    wait(&mut world, secs(3));
    assert_eq!(world.survivors[0].gun().clip, 50);
}

#[test]
fn a_button_that_is_held_for_a_decision_changes_guns_once() {
    for held in [1, 2, 3, 6] {
        let mut world = hall(Difficulty::Normal);
        arm(&mut world.survivors[0], Weapon::M16);
        hold(&mut world, 0, button::SWITCH, held);
        assert_eq!(world.survivors[0].gun().weapon, Weapon::Pistol, "{held} ticks");
        wait(&mut world, secs(1));
        hold(&mut world, 0, button::SWITCH, held);
        assert_eq!(world.survivors[0].gun().weapon, Weapon::M16, "{held} ticks");
    }
}

#[test]
fn friendly_fire_by_difficulty() {
    // facts §5: 0, .1, .3, .5.
    let shares = [
        (Difficulty::Easy, 0.0),
        (Difficulty::Normal, 0.1),
        (Difficulty::Advanced, 0.3),
        (Difficulty::Expert, 0.5),
    ];
    for (difficulty, share) in shares {
        let mut world = hall(difficulty);
        put(&mut world, 0, 500.0, 500.0, 0.0);
        put(&mut world, 1, 560.0, 500.0, 0.0);
        hold(&mut world, 0, button::ATTACK, 1);
        let expected = share * 36.0 * 0.75_f32.powf(60.0 / 500.0);
        close(100.0 - world.survivors[1].health, expected, 0.05, &format!("{difficulty:?}"));
        close(world.deeds[0].friendly_damage, expected, 0.05, "counted");
    }
}

#[test]
fn what_stands_in_front_is_hit_and_not_what_is_behind() {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 500.0, 500.0, 0.0);
    add_common(&mut world, 600.0, 500.0, IDLE);
    put(&mut world, 1, 660.0, 500.0, 0.0);
    hold(&mut world, 0, button::ATTACK, 1);
    assert_eq!(world.survivors[1].health, 100.0);
    close(world.commons[0].health, 50.0 - 36.0 * 0.75_f32.powf(0.2), 0.05, "common");
    assert!(matches!(world.commons[0].mood, Mood::Chase(_)), "and it has noticed");
}

#[test]
fn a_shove_reaches_75_units_every_seven_tenths_of_a_second() {
    assert_eq!(SHOVE_SECS, 0.7);
    for (far, meets) in [(40.0, true), (74.0, true), (76.0, false)] {
        let mut world = hall(Difficulty::Normal);
        put(&mut world, 0, 500.0, 500.0, 0.0);
        let k = add_common(&mut world, 500.0 + far, 500.0, IDLE);
        hold(&mut world, 0, button::SHOVE, 1);
        assert_eq!(world.commons[k].stumbles_until > 0, meets, "{far}");
    }
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 500.0, 500.0, 0.0);
    let mut shoves = Vec::new();
    for tick in 0..secs(3) {
        let before = world.survivors[0].shoves_from;
        hold(&mut world, 0, button::SHOVE, 1);
        if world.survivors[0].shoves_from != before {
            shoves.push(tick);
        }
    }
    assert_eq!(shoves, [0, 21, 42, 63, 84]);
}

#[test]
fn a_shove_meets_what_is_ahead() {
    for (degrees, meets) in [(0.0_f32, true), (40.0, true), (50.0, false), (180.0, false)] {
        let mut world = hall(Difficulty::Normal);
        put(&mut world, 0, 500.0, 500.0, 0.0);
        let (sin, cos) = degrees.to_radians().sin_cos();
        let k = add_common(&mut world, 500.0 + 60.0 * cos, 500.0 + 60.0 * sin, IDLE);
        hold(&mut world, 0, button::SHOVE, 1);
        assert_eq!(world.commons[k].stumbles_until > 0, meets, "{degrees}");
    }
}

#[test]
fn who_stumbles_does_not_strike() {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 500.0, 500.0, 0.0);
    add_common(&mut world, 540.0, 500.0, Mood::Chase(0));
    hold(&mut world, 0, button::SHOVE, 1);
    hold(&mut world, 0, 0, ticks(0.8));
    assert_eq!(world.survivors[0].health, 100.0);
    hold(&mut world, 0, 0, secs(2));
    assert!(world.survivors[0].health < 100.0);
}

#[test]
fn nothing_moves_a_tank_a_witch_or_a_charger() {
    for class in Class::ALL {
        let mut world = hall(Difficulty::Normal);
        put(&mut world, 0, 500.0, 500.0, 0.0);
        let k = add_special(&mut world, class, 550.0, 500.0, 0.0);
        world.specials[k].ability_from = 900;
        hold(&mut world, 0, button::SHOVE, 1);
        let firm = matches!(class, Class::Tank | Class::Witch | Class::Charger);
        assert_eq!(world.specials[k].stumbles_until > world.now, !firm, "{class:?}");
    }
}

#[test]
fn a_gun_alone_keeps_its_rate_over_a_whole_clip() {
    // Fractions of a tick are carried on: fifty shots of .0875 s take 4.3 s.
    let mut gun = Gun::new(Weapon::M16);
    let mut now = 0;
    while gun.clip > 0 {
        gun.tick(now, TICK_SECS);
        while gun.fire() {}
        now += 1;
    }
    close(now as f32 * TICK_SECS, 49.0 * 0.0875, 2.0 * TICK_SECS, "seconds");
}

#[test]
fn nobody_is_shoved_through_a_wall() {
    let mut mesh = arena::hall_mesh();
    mesh.areas.push(arena::floor(4, [1000.0, -1000.0, 2000.0, 0.0], 0.0, 0));
    let mut world = arena::world_on(&mesh, Difficulty::Normal);
    put(&mut world, 0, 1500.0, 20.0, -90.0);
    let k = add_common(&mut world, 1500.0, 20.0, IDLE);
    world.commons[k].body =
        lanista_survivors::sim::motion::Body::standing(&world.terrain, 3, 1500.0, -20.0);
    hold(&mut world, 0, button::SHOVE, 1);
    assert_eq!(world.commons[k].stumbles_until, 0);
}

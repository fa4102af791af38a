//! Those who hold a survivor: smoker, hunter, jockey and charger. How they catch, what a hold takes, and
//! what ends it.

use crate::arena;

use arena::{
    EAST, add_played, add_special, close, floor, hall, hall_mesh, hold, join, only, play, press,
    put, secs, wait, world_on,
};
use lanista_survivors::sim::hold_damage;
use lanista_survivors::sim::infected::{Class, Deed};
use lanista_survivors::sim::numbers::{Difficulty, ticks};
use lanista_survivors::sim::space::distance;
use lanista_survivors::sim::survivor::{Condition, Hold};
use lanista_survivors::sim::world::{Command, World, button};

const HOLDERS: [Class; 4] = [Class::Smoker, Class::Hunter, Class::Jockey, Class::Charger];

/// The first survivor held by a special of the class, at (1000, 1000).
fn held(class: Class, difficulty: Difficulty) -> (World, usize) {
    let mut world = hall(difficulty);
    put(&mut world, 0, 1000.0, 1000.0, 0.0);
    let k = add_played(&mut world, class, 1030.0, 1000.0, 180.0);
    world.survivors[0].hold = Some(Hold { by: k });
    world.specials[k].deed = Deed::Hold { whom: 0, hurts_at: 30 };
    (world, k)
}

#[test]
fn each_hold_takes_its_damage_at_its_interval() {
    // facts §5: damage and interval.
    let table = [
        (Class::Smoker, 10.0, 1.0),
        (Class::Hunter, 5.0, 0.5),
        (Class::Jockey, 4.0, 1.0),
        (Class::Charger, 15.0, 1.0),
    ];
    for (class, damage, interval) in table {
        assert_eq!(hold_damage(class), damage);
        let (mut world, _) = held(class, Difficulty::Normal);
        let mut hurt_at = Vec::new();
        let mut health = 100.0;
        for tick in 0..secs(4) {
            wait(&mut world, 1);
            let now = world.survivors[0].health;
            if now < health {
                close(health - now, damage, 1e-3, &format!("{class:?}"));
                hurt_at.push(tick);
                health = now;
            }
        }
        let every = ticks(interval);
        let expected: Vec<u32> = (0..hurt_at.len() as u32).map(|n| 30 + n * every).collect();
        assert_eq!(hurt_at, expected, "{class:?}");
        assert!(hurt_at.len() >= 3);
    }
}

#[test]
fn a_hold_hurts_more_where_it_is_harder() {
    // The original's factors for difficulties, facts §1.
    let factors = [
        (Difficulty::Easy, 0.5),
        (Difficulty::Normal, 1.0),
        (Difficulty::Advanced, 1.5),
        (Difficulty::Expert, 2.0),
    ];
    for (difficulty, factor) in factors {
        let (mut world, _) = held(Class::Hunter, difficulty);
        wait(&mut world, 31);
        close(100.0 - world.survivors[0].health, 5.0 * factor, 1e-3, &format!("{difficulty:?}"));
    }
}

#[test]
fn whoever_is_held_can_do_nothing() {
    for class in HOLDERS {
        let (mut world, _) = held(class, Difficulty::Normal);
        for _ in 0..20 {
            let all = button::ATTACK | button::SHOVE | button::JUMP | button::USE;
            let command = Command { step: [0.0, 1.0], buttons: all, ..Command::default() };
            world.tick(&only(&world, 0, command), &[]);
        }
        let s = &world.survivors[0];
        assert_eq!((s.sidearm.clip, s.shoves_from), (15, 0), "{class:?}");
        if class != Class::Jockey {
            close(distance(s.body.at, [1000.0, 1000.0, 0.0]), 0.0, 1.0, "stays");
        }
    }
}

#[test]
fn a_shove_frees_from_all_but_a_charger() {
    for class in HOLDERS {
        let (mut world, k) = held(class, Difficulty::Normal);
        put(&mut world, 1, 1060.0, 1000.0, 180.0);
        hold(&mut world, 1, button::SHOVE, 1);
        let freed = class != Class::Charger;
        assert_eq!(world.survivors[0].hold.is_none(), freed, "{class:?}");
        assert_eq!(world.deeds[1].rescues, if freed { 1.0 } else { 0.0 }, "{class:?}");
        assert_eq!(world.specials[k].stumbles_until > world.now, freed, "{class:?}");
        assert!(world.specials[k].alive);
    }
}

#[test]
fn death_frees_from_everyone() {
    for class in HOLDERS {
        let (mut world, k) = held(class, Difficulty::Normal);
        world.specials[k].health = 1.0;
        put(&mut world, 1, 1030.0, 1100.0, -90.0);
        for _ in 0..secs(2) {
            let at = world.specials[k].body.at;
            let aim = lanista_survivors::sim::space::yaw_to(world.survivors[1].body.at, at);
            world.survivors[1].yaw = aim;
            hold(&mut world, 1, button::ATTACK, 1);
        }
        assert!(!world.specials[k].alive, "{class:?}");
        assert_eq!(world.survivors[0].hold, None, "{class:?}");
        assert_eq!((world.deeds[1].rescues, world.deeds[1].special_kills), (1.0, 1.0), "{class:?}");
        hold(&mut world, 0, button::SHOVE, 1);
        assert!(world.survivors[0].shoves_from > 0, "{class:?}: hands are free again");
    }
}

#[test]
fn a_hold_goes_on_on_the_floor_until_death() {
    let (mut world, k) = held(Class::Hunter, Difficulty::Normal);
    wait(&mut world, secs(11));
    assert!(matches!(world.survivors[0].condition, Condition::Incapacitated(_)));
    assert_eq!(world.survivors[0].hold, Some(Hold { by: k }));
    wait(&mut world, secs(30));
    assert_eq!((world.survivors[0].condition, world.survivors[0].hold), (Condition::Dead, None));
    assert_eq!(world.specials[k].deed, Deed::Stalk);
    assert_eq!((world.harm[0].incapacitated, world.deeds[0].died), (1.0, 1.0));
}

#[test]
fn a_tongue_reaches_750_units_and_drags() {
    for (far, caught) in [(740.0, true), (760.0, false)] {
        let mut world = hall(Difficulty::Normal);
        put(&mut world, 0, 1000.0 + far, 1000.0, 0.0);
        let k = add_played(&mut world, Class::Smoker, 1000.0, 1000.0, 0.0);
        play(&mut world, 0.0, button::SHOVE, secs(2));
        assert_eq!(world.survivors[0].hold.is_some(), caught, "{far}");
        if caught {
            assert_eq!(world.specials[k].ability_from, secs(20), "tongue_hit_delay");
            play(&mut world, 0.0, 0, secs(4));
            let apart = distance(world.survivors[0].body.at, world.specials[k].body.at);
            close(apart, 55.0, 8.0, "dragged near");
        }
    }
}

#[test]
fn a_tongue_that_misses_comes_again_after_15_seconds() {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 1500.0, 1000.0, 0.0);
    let k = add_played(&mut world, Class::Smoker, 1000.0, 1000.0, 0.0);
    play(&mut world, 0.0, button::SHOVE, 1);
    assert!(matches!(world.specials[k].deed, Deed::Tongue { at: 0, .. }));
    put(&mut world, 0, 3500.0, 1000.0, 0.0);
    let mut missed = 0;
    while world.specials[k].deed != Deed::Stalk {
        play(&mut world, 0.0, 0, 1);
        missed = world.now - 1;
    }
    assert_eq!(world.specials[k].ability_from, missed + secs(15));
}

#[test]
fn a_pounce_flies_at_750_and_pins() {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 1400.0, 1000.0, 0.0);
    let k = add_played(&mut world, Class::Hunter, 1000.0, 1000.0, 0.0);
    play(&mut world, 0.0, button::SHOVE, 1);
    assert!(matches!(world.specials[k].deed, Deed::Lunge { .. }));
    close(world.specials[k].body.speed(), 750.0, 0.5, "speed of the lunge");
    play(&mut world, 0.0, 0, 20);
    assert_eq!(world.survivors[0].hold, Some(Hold { by: k }));
    assert_eq!(world.harm[0].caught, 1.0);
}

#[test]
fn a_shove_stops_a_pounce_in_the_air() {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 1000.0, 1000.0, 0.0);
    let k = add_played(&mut world, Class::Hunter, 1072.0, 1000.0, 180.0);
    let special = &mut world.specials[k];
    special.deed = Deed::Lunge { since: 0 };
    special.body.velocity = [-750.0, 0.0, 0.0];
    (special.body.at[2], special.body.on_ground) = (20.0, false);
    hold(&mut world, 0, button::SHOVE, 1);
    assert_eq!(world.survivors[0].hold, None);
    assert_eq!(world.specials[k].deed, Deed::Stalk);
    assert!(world.specials[k].stumbles_until >= ticks(1.5));
    // Without it, the same lunge pins.
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 1000.0, 1000.0, 0.0);
    let k = add_played(&mut world, Class::Hunter, 1072.0, 1000.0, 180.0);
    let special = &mut world.specials[k];
    special.deed = Deed::Lunge { since: 0 };
    special.body.velocity = [-750.0, 0.0, 0.0];
    (special.body.at[2], special.body.on_ground) = (20.0, false);
    wait(&mut world, 2);
    assert!(world.survivors[0].hold.is_some());
}

#[test]
fn nobody_is_caught_who_hangs_from_a_ledge() {
    for class in HOLDERS {
        let mut world = hall(Difficulty::Normal);
        put(&mut world, 0, 1150.0, 1000.0, 0.0);
        world.survivors[0].condition = Condition::Hanging(300.0);
        add_played(&mut world, class, 1000.0, 1000.0, 0.0);
        play(&mut world, 0.0, button::SHOVE, secs(2));
        assert_eq!(world.survivors[0].hold, None, "{class:?}");
        close(world.survivors[0].body.at[0], 1150.0, 0.1, "stays where it hangs");
    }
}

#[test]
fn a_jockey_rides_away_from_whoever_could_help() {
    let (mut world, k) = held(Class::Jockey, Difficulty::Normal);
    put(&mut world, 1, 800.0, 1000.0, 0.0);
    wait(&mut world, secs(3));
    let at = world.survivors[0].body.at;
    assert!(at[0] > 1250.0, "{at:?}");
    close(at[1], 1000.0, 1.0, "straight away");
    assert_eq!(world.specials[k].body.at, at);
}

/// A hall whose charger looks this way at somebody so far away.
fn charge(yaw: f32, far: f32) -> (World, usize) {
    let mut world = hall(Difficulty::Normal);
    let (sin, cos) = yaw.to_radians().sin_cos();
    put(&mut world, 0, 2000.0 + far * cos, 2000.0 + far * sin, 0.0);
    let k = add_played(&mut world, Class::Charger, 2000.0, 2000.0, yaw);
    (world, k)
}

#[test]
fn a_charge_runs_500_straight_on_and_comes_again_after_12_seconds() {
    let (mut world, k) = charge(0.0, 1900.0);
    play(&mut world, 0.0, button::SHOVE, 1);
    let before = world.specials[k].body.at;
    // Whoever plays it looks elsewhere: nobody steers a charge.
    play(&mut world, 90.0, 0, 30);
    let after = world.specials[k].body.at;
    close(after[0] - before[0], 500.0, 1.0, "units in a second");
    close(after[1], before[1], 0.1, "straight on");
    assert_eq!(world.specials[k].ability_from, secs(12));
}

#[test]
fn a_charge_carries_whom_it_meets_the_way_it_runs_and_pounds() {
    for yaw in [0.0_f32, 90.0, 135.0] {
        // The game's own: it looks at whom it is after, who is in its arms.
        let (mut world, k) = charge(yaw, 300.0);
        world.specials[k].seat = None;
        wait(&mut world, secs(1) + 15);
        assert_eq!(world.survivors[0].hold, Some(Hold { by: k }), "yaw {yaw}");
        let (at, own) = (world.survivors[0].body.at, world.specials[k].body.at);
        close(distance(at, own), 0.0, 1.0, "in its arms");
        let (dx, dy) = (own[0] - 2000.0, own[1] - 2000.0);
        close(dy.atan2(dx).to_degrees(), yaw, 3.0, "the way it ran");
        assert!(dx.hypot(dy) > 400.0, "yaw {yaw}: carried on");
        close(100.0 - world.survivors[0].health, 10.0, 1e-3, "for being met");
        let before = world.survivors[0].health;
        wait(&mut world, secs(4));
        let lost = before - world.survivors[0].health;
        assert!(lost >= 30.0 && lost % 15.0 == 0.0, "pounds of 15: {lost}");
    }
}

#[test]
fn who_stands_by_where_a_charge_meets_somebody_is_flung_once() {
    for (aside, flung) in [(70.0, true), (110.0, true), (130.0, false)] {
        let (mut world, _) = charge(0.0, 300.0);
        // At the spot where the first is met, some 50 units before them.
        put(&mut world, 1, 2255.0, 2000.0 + aside, 0.0);
        play(&mut world, 0.0, button::SHOVE, 25);
        assert!(world.survivors[0].hold.is_some());
        let hurt = 100.0 - world.survivors[1].health;
        close(hurt, if flung { 2.0 } else { 0.0 }, 1e-3, &format!("{aside} aside"));
        assert_eq!(world.survivors[1].staggers_until > 0, flung, "{aside}");
    }
}

#[test]
fn a_charge_ends_at_a_wall() {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 1000.0, 300.0, 0.0);
    let k = add_played(&mut world, Class::Charger, 1000.0, 500.0, -90.0);
    play(&mut world, -90.0, button::SHOVE, 45);
    assert!(matches!(world.specials[k].deed, Deed::Hold { whom: 0, .. }), "and pounds there");
    close(world.survivors[0].body.at[1], 0.0, 1.0, "at the wall");
}

#[test]
fn a_charge_does_not_climb_a_ladder_that_it_passes() {
    let mesh = arena::storeys_mesh(200.0);
    let mut world = world_on(&mesh, Difficulty::Normal);
    for i in 0..4 {
        let x = 1100.0 + 200.0 * i as f32;
        let body = lanista_survivors::sim::motion::Body::standing(&world.terrain, 3, x, -500.0);
        world.survivors[i].body = body;
    }
    let k = add_special(&mut world, Class::Charger, 1470.0, 10.0, 0.0);
    world.specials[k].target = Some(0);
    world.specials[k].deed = Deed::Charge { until: 60, carries: None };
    wait(&mut world, 10);
    assert_eq!(world.specials[k].body.climb, None);
    close(world.specials[k].body.at[0], 1470.0 + 10.0 * 500.0 / 30.0, 1.0, "past it");
}

#[test]
fn the_games_own_find_their_victims() {
    for class in HOLDERS {
        let mut mesh = hall_mesh();
        mesh.areas.push(floor(4, [4000.0, 1000.0, 5000.0, 2000.0], 0.0, 0));
        join(&mut mesh, 1, EAST, 3);
        let mut world = world_on(&mesh, Difficulty::Normal);
        put(&mut world, 0, 3000.0, 1500.0, 0.0);
        let k = add_special(&mut world, class, 3600.0, 1500.0, 180.0);
        let mut caught = false;
        for _ in 0..secs(20) {
            let commands = only(&world, 0, press(&world, 0, 0));
            world.tick(&commands, &[]);
            caught |= world.survivors[0].hold == Some(Hold { by: k });
        }
        assert!(caught, "{class:?}");
    }
}

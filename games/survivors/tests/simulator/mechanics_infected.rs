//! Commons: what they take, how fast they are, and when they notice.

use crate::arena;

use arena::{add_common, close, hall, hall_mesh, hold, only, press, put, secs, wait, world_on};
use lanista_survivors::sim::infected::{Class, Mood};
use lanista_survivors::sim::numbers::{COMMON_HEALTH, COMMON_SPEED, Difficulty, TICK_SECS, ticks};
use lanista_survivors::sim::world::{Source, World, button};

const IDLE: Mood = Mood::Idle { noticed: 0.0 };
const DIFFICULTIES: [Difficulty; 4] =
    [Difficulty::Easy, Difficulty::Normal, Difficulty::Advanced, Difficulty::Expert];

/// A survivor with a common at arm's length to the east, looking this way, until the first blow.
fn blow(difficulty: Difficulty, yaw: f32) -> f32 {
    let mut world = hall(difficulty);
    put(&mut world, 0, 500.0, 500.0, yaw);
    add_common(&mut world, 540.0, 500.0, Mood::Chase(0));
    wait(&mut world, 1);
    100.0 - world.survivors[0].health
}

#[test]
fn a_blow_takes_1_2_5_or_20_and_half_from_behind() {
    for (difficulty, damage) in DIFFICULTIES.into_iter().zip([1.0, 2.0, 5.0, 20.0]) {
        assert_eq!(blow(difficulty, 0.0), damage, "{difficulty:?}");
        assert_eq!(blow(difficulty, 180.0), 0.5 * damage, "{difficulty:?} from behind");
        assert_eq!(blow(difficulty, 80.0), damage, "{difficulty:?} from the side");
    }
}

#[test]
fn blows_come_once_a_second() {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 500.0, 500.0, 0.0);
    add_common(&mut world, 540.0, 500.0, Mood::Chase(0));
    wait(&mut world, secs(10));
    assert_eq!(world.survivors[0].health, 80.0);
}

#[test]
fn a_common_has_50_points_and_runs_250_units_a_second() {
    assert_eq!((COMMON_HEALTH, COMMON_SPEED), (50.0, 250.0));
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 3000.0, 500.0, 0.0);
    let k = add_common(&mut world, 1000.0, 500.0, Mood::Chase(0));
    wait(&mut world, secs(4));
    close(world.commons[k].body.at[0], 2000.0, 1.0, "after four seconds");
    // Two bullets of a pistol: 36 and 36.
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 500.0, 500.0, 0.0);
    add_common(&mut world, 530.0, 500.0, IDLE);
    hold(&mut world, 0, button::ATTACK, 1);
    close(world.commons[0].health, 14.6, 0.1, "left");
    hold(&mut world, 0, button::ATTACK, ticks(0.2));
    assert_eq!(world.commons.len(), 0);
    assert_eq!((world.deeds[0].kills, world.survivors[0].record.kills), (1.0, 1.0));
    close(world.deeds[0].damage, 50.0, 0.01, "what is over is not counted");
}

/// Seconds until an idle common so far away is after somebody; none within the time that is given.
fn notices(far: f32, within_secs: u32) -> Option<f32> {
    let mut world = hall(Difficulty::Normal);
    for i in 1..4 {
        world.survivors[i].present = false;
    }
    put(&mut world, 0, 100.0, 2000.0, 180.0);
    let k = add_common(&mut world, 100.0 + far, 2000.0, IDLE);
    for tick in 0..secs(within_secs) {
        // It wanders a little; not here.
        world.commons[k].body = arena::standing(&world, 100.0 + far, 2000.0);
        wait(&mut world, 1);
        if matches!(world.commons[k].mood, Mood::Chase(0)) {
            return Some((tick + 1) as f32 * TICK_SECS);
        }
    }
    None
}

#[test]
fn noticing_takes_half_a_second_near_by_and_five_far_away() {
    // z_acquire_near_range 200, far 2500; .5 and 5 s. They look every fifth of a second.
    close(notices(100.0, 2).unwrap(), 0.5, 0.2, "at 100 units");
    close(notices(200.0, 2).unwrap(), 0.5, 0.2, "at 200 units");
    close(notices(1350.0, 6).unwrap(), 2.75, 0.3, "half way");
    close(notices(2490.0, 8).unwrap(), 5.0, 0.3, "at 2490 units");
    assert_eq!(notices(2600.0, 5), None, "too far away to be seen");
}

#[test]
fn nobody_notices_through_a_wall() {
    let mut mesh = hall_mesh();
    // A room behind the hall's wall, without a door.
    mesh.areas.push(arena::floor(4, [1000.0, -1000.0, 2000.0, 0.0], 0.0, 0));
    let mut world = world_on(&mesh, Difficulty::Normal);
    put(&mut world, 0, 1500.0, 20.0, 0.0);
    let k = add_common(&mut world, 1500.0, 20.0, IDLE);
    let behind = |world: &World| {
        lanista_survivors::sim::motion::Body::standing(&world.terrain, 3, 1500.0, -20.0)
    };
    world.commons[k].body = behind(&world);
    wait(&mut world, secs(5));
    assert!(matches!(world.commons[k].mood, Mood::Idle { .. }));
    // Nor strikes it through one.
    world.commons[k].mood = Mood::Chase(0);
    world.commons[k].body = behind(&world);
    wait(&mut world, 2);
    assert_eq!(world.survivors[0].health, 100.0);
}

#[test]
fn a_shot_is_heard_around() {
    for (far, heard) in [(550.0, true), (650.0, false)] {
        let mut world = hall(Difficulty::Normal);
        put(&mut world, 0, 500.0, 500.0, 0.0);
        let k = add_common(&mut world, 500.0 - far, 500.0, IDLE);
        world.commons[k].body = arena::standing(&world, 500.0, 500.0 + far);
        hold(&mut world, 0, button::ATTACK, 1);
        assert_eq!(matches!(world.commons[k].mood, Mood::Chase(_)), heard, "{far}");
    }
}

#[test]
fn bile_smells_nearer() {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 1000.0, 500.0, 0.0);
    put(&mut world, 1, 1000.0, 1500.0, 0.0);
    world.survivors[1].biled_until = 900;
    let k = add_common(&mut world, 1000.0, 900.0, Mood::Chase(0));
    wait(&mut world, 31);
    assert_eq!(world.commons[k].mood, Mood::Chase(1), "400 away, but 600 that smell");
}

#[test]
fn whom_nobody_is_near_to_goes() {
    let mut world = hall(Difficulty::Normal);
    for i in 0..4 {
        put(&mut world, i, 100.0, 100.0 + 100.0 * i as f32, 0.0);
    }
    add_common(&mut world, 3800.0, 3800.0, IDLE);
    wait(&mut world, secs(7));
    assert!(world.commons.is_empty(), "farther than z_discard_range 2500 from all");
    add_common(&mut world, 1500.0, 1500.0, IDLE);
    wait(&mut world, secs(7));
    assert_eq!(world.commons.len(), 1);
}

#[test]
fn a_common_turns_to_another_when_its_victim_dies() {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 1000.0, 500.0, 0.0);
    put(&mut world, 1, 1000.0, 1000.0, 0.0);
    let k = add_common(&mut world, 1040.0, 500.0, Mood::Chase(0));
    world.survivors[0].incapacitations = 2;
    world.hurt(0, 200.0, Source::Common);
    wait(&mut world, secs(4));
    assert_eq!(world.commons[k].mood, Mood::Chase(1));
    assert!(world.survivors[1].health < 100.0);
}

#[test]
fn a_horde_wants_to_share_the_place() {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 1000.0, 1000.0, 0.0);
    for n in 0..20 {
        add_common(&mut world, 1300.0 + n as f32, 1000.0 + n as f32, Mood::Chase(0));
    }
    for _ in 0..secs(3) {
        let commands = only(&world, 0, press(&world, 0, 0));
        world.tick(&commands, &[]);
        world.survivors[0].health = 100.0;
    }
    let mut apart = f32::INFINITY;
    for (a, one) in world.commons.iter().enumerate() {
        for other in &world.commons[a + 1..] {
            let (p, q) = (one.body.at, other.body.at);
            apart = apart.min((p[0] - q[0]).hypot(p[1] - q[1]));
        }
    }
    assert!(apart > 8.0, "bodies stand in each other: {apart}");
}

#[test]
fn health_of_every_class() {
    // facts §5.
    let expected = [
        (Class::Smoker, 250.0),
        (Class::Boomer, 50.0),
        (Class::Hunter, 250.0),
        (Class::Spitter, 100.0),
        (Class::Jockey, 325.0),
        (Class::Charger, 600.0),
        (Class::Witch, 1000.0),
        (Class::Tank, 4000.0),
    ];
    for (class, health) in expected {
        assert_eq!(class.health(Difficulty::Normal), health, "{class:?}");
    }
    let speeds = [
        (Class::Smoker, 210.0),
        (Class::Tank, 210.0),
        (Class::Spitter, 210.0),
        (Class::Charger, 250.0),
        (Class::Witch, 300.0),
    ];
    for (class, speed) in speeds {
        assert_eq!(class.traits().speed, speed, "{class:?}");
    }
    // 4000 is from the facts; the others are the game's own scale as it is generally known.
    let tanks = DIFFICULTIES.map(|difficulty| Class::Tank.health(difficulty));
    assert_eq!(tanks, [3000.0, 4000.0, 8000.0, 8000.0]);
}

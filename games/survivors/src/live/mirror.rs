//! What a live server tells, as a world of our own: views, masks and scripted players look at it as they look
//! at a simulated one. It is filled anew from every state and never ticks.
//!
//! What is not told is empty or zero; `docs/mnemosyne.md` lists what that is in the views, and a test below
//! holds the list against the simulator.

use std::sync::Arc;

use crate::nav::{Point, Terrain};
use crate::sim::director::Phase;
use crate::sim::infected::{Class, Common, Deed, Mood, Special};
use crate::sim::items::{Item, ItemKind};
use crate::sim::motion::Body;
use crate::sim::numbers::Difficulty;
use crate::sim::survivor::{Condition, Dose, Hold, Pack, Survivor, Task, TaskKind, Throwable};
use crate::sim::weapons::{ENDLESS, Gun, Weapon};
use crate::sim::world::{MOST_COMMONS, MOST_SPECIALS, SURVIVORS, World};
use crate::wire::state::BotState;
use crate::wire::v2::state::{Entity, Extended, Record, condition, mark};

/// Makes a world of records; `None` for survivors that others play.
pub(super) fn fill(
    world: &mut World,
    terrain: &Arc<Terrain>,
    tick: u32,
    team: &[Option<Record>; SURVIVORS],
) {
    if !Arc::ptr_eq(&world.terrain, terrain) {
        world.terrain = terrain.clone();
    }
    world.now = tick;
    world.commons.clear();
    world.specials.clear();
    world.items.clear();
    world.begin_step();
    let mut known: Vec<(u8, u16)> = Vec::new();
    let mut others: Vec<(Point, Entity)> = Vec::new();
    for (i, record) in team.iter().enumerate() {
        let Some(record) = record else {
            world.survivors[i].present = false;
            continue;
        };
        world.survivors[i] = survivor(terrain, tick, i, &record.state, record.extended.as_ref());
        let Some(more) = &record.extended else { continue };
        world.director.phase = match more.director_phase {
            2 => Phase::Sustain,
            3 => Phase::Fade,
            4 => Phase::Relax,
            _ => Phase::BuildUp,
        };
        for entity in &more.entities {
            let at =
                std::array::from_fn(|k| record.state.position[k] + f32::from(entity.offset[k]));
            if entity.class == 9 {
                others.push((at, *entity));
            } else if known.contains(&(entity.class, entity.id)) {
                note_target(world, i, at, entity);
            } else {
                known.push((entity.class, entity.id));
                add(world, i, at, entity);
            }
        }
    }
    strangers(world, team, &others);
    for i in 0..SURVIVORS {
        let Some(more) = team[i].as_ref().and_then(|record| record.extended.as_ref()) else {
            continue;
        };
        if more.attacker != 0 {
            let holder =
                |s: &Special| s.class as u8 + 1 == more.attacker && s.held() == Some(i as u8);
            let by = world.specials.iter().position(holder).unwrap_or(0);
            world.survivors[i].hold = Some(Hold { by });
        }
        if more.conditions & condition::REVIVING != 0 {
            let whom = world.fellow(i).unwrap_or(i);
            world.survivors[i].task = Some(Task { kind: TaskKind::Revive(whom), done_at: tick });
        }
    }
}

fn body(terrain: &Terrain, at: Point, velocity: [f32; 3], on_ground: bool) -> Body {
    Body { at, velocity, area: terrain.nearest(at), on_ground, tucked: false, climb: None }
}

fn weapon(id: u8) -> Option<Weapon> {
    Weapon::ALL.into_iter().find(|weapon| weapon.ballistics().id == id)
}

fn throwable(id: u8) -> Option<Throwable> {
    match id {
        13 => Some(Throwable::Molotov),
        14 => Some(Throwable::PipeBomb),
        25 => Some(Throwable::VomitJar),
        _ => None,
    }
}

fn pack(id: u8) -> Option<Pack> {
    match id {
        12 => Some(Pack::Medkit),
        24 => Some(Pack::Defibrillator),
        _ => None,
    }
}

fn dose(id: u8) -> Option<Dose> {
    match id {
        15 => Some(Dose::Pills),
        23 => Some(Dose::Adrenaline),
        _ => None,
    }
}

fn survivor(
    terrain: &Terrain,
    tick: u32,
    i: usize,
    state: &BotState,
    more: Option<&Extended>,
) -> Survivor {
    let has = |bit: u16| more.is_some_and(|more| more.conditions & bit != 0);
    let on_ground = more.is_none() || has(condition::ON_GROUND);
    let body = body(terrain, state.position, state.velocity, on_ground);
    let mut s = Survivor::new(body, state.angle[1]);
    s.pitch = state.angle[0];
    s.crouched = has(condition::DUCKING);
    let health = f32::from(state.health);
    s.condition = match (state.is_alive, state.is_incapped) {
        (false, _) => Condition::Dead,
        (true, true) if has(condition::HANGING) => Condition::Hanging(health),
        (true, true) => Condition::Incapacitated(health),
        (true, false) => Condition::Up,
    };
    s.health = if s.condition == Condition::Up { health } else { 0.0 };
    s.primary = weapon(state.primary_weapon).map(Gun::new);
    if let Some(sidearm) = weapon(state.secondary_weapon).filter(|weapon| weapon.is_sidearm()) {
        s.sidearm = Gun::new(sidearm);
    }
    s.throwable = throwable(state.throwable);
    s.pack = pack(state.health_item);
    s.holds_primary = match more {
        Some(more) => s.primary.is_some() && more.active_weapon == state.primary_weapon,
        None => s.primary.is_some(),
    };
    let reloads = has(condition::RELOADING);
    let gun = s.gun_mut();
    gun.clip = state.ammo;
    gun.reloaded_at = reloads.then_some(tick);
    let Some(more) = more else { return s };
    if gun.reserve != ENDLESS {
        gun.reserve = more.reserve_ammo;
    }
    s.temporary = more.temporary_health.max(0.0);
    s.dose = dose(more.pills_item);
    s.incapacitations = if has(condition::ON_THIRD_STRIKE) { 2 } else { more.revive_count.min(1) };
    s.biled_until = if has(condition::BLINDED) { tick + 1 } else { 0 };
    s.adrenaline_until = if has(condition::ADRENALINE) { tick + 1 } else { 0 };
    s.intensity = f32::from(more.intensity) / 255.0;
    if has(condition::HEALING) {
        s.task = Some(Task { kind: TaskKind::Heal(i), done_at: tick });
    }
    s
}

fn add(world: &mut World, i: usize, at: Point, entity: &Entity) {
    let terrain = world.terrain.clone();
    let [vx, vy] = entity.velocity.map(f32::from);
    let (health, burning) = (f32::from(entity.health), entity.marks & mark::BURNING != 0);
    let on_me = entity.marks & mark::ON_ME != 0;
    let body = body(&terrain, at, [vx, vy, 0.0], true);
    match entity.class {
        10 if world.commons.len() < MOST_COMMONS => world.commons.push(Common {
            body,
            yaw: 0.0,
            health,
            mood: if on_me { Mood::Chase(i as u8) } else { Mood::Idle { noticed: 0.0 } },
            stumbles_until: 0,
            strikes_from: 0,
            burning,
            burnt_by: None,
            busy_at: world.now,
            stuck: 0,
        }),
        class @ 1..=8 if world.specials.len() < MOST_SPECIALS => {
            let class = Class::ALL[usize::from(class) - 1];
            let mut special = Special::new(class, body, 0.0, world.difficulty, world.now);
            (special.health, special.burning) = (health, burning);
            world.specials.push(special);
            note_target(world, i, at, entity);
        }
        11 => {
            let id = entity.health.min(255) as u8;
            let kind = pack(id)
                .map(ItemKind::Pack)
                .or_else(|| dose(id).map(ItemKind::Dose))
                .or_else(|| throwable(id).map(ItemKind::Throwable))
                .or_else(|| weapon(id).map(ItemKind::Gun))
                .or((id == 54).then_some(ItemKind::Ammunition));
            if let Some(kind) = kind {
                world.items.push(Item { kind, at, area: body.area });
            }
        }
        _ => {}
    }
}

/// A special or common that somebody else has told of already may be after this one.
fn note_target(world: &mut World, i: usize, at: Point, entity: &Entity) {
    let near = |p: Point| (0..3).all(|k| (p[k] - at[k]).abs() <= 2.0);
    let (on_me, on_another) =
        (entity.marks & mark::ON_ME != 0, entity.marks & mark::ON_ANOTHER != 0);
    if entity.class == 10 {
        if let Some(common) = world.commons.iter_mut().find(|c| near(c.body.at)).filter(|_| on_me) {
            common.mood = Mood::Chase(i as u8);
        }
        return;
    }
    let same = |s: &&mut Special| s.class as u8 + 1 == entity.class && near(s.body.at);
    let now = world.now;
    let Some(special) = world.specials.iter_mut().find(same) else { return };
    if on_me {
        special.target = Some(i as u8);
        special.deed = match special.class {
            Class::Witch => Deed::Rage { whom: i as u8 },
            class if class.holds() => Deed::Hold { whom: i as u8, hurts_at: now },
            _ => special.deed,
        };
    } else if on_another && special.held().is_none() {
        // Whom, is told by another record, or nobody's.
        special.deed = Deed::Hold { whom: u8::MAX, hurts_at: now };
    }
}

/// Fellows whom another client or the game plays take the seats that are left.
fn strangers(world: &mut World, team: &[Option<Record>; SURVIVORS], told: &[(Point, Entity)]) {
    let ours = |at: Point| {
        let near = |p: Point| (0..3).all(|k| (p[k] - at[k]).abs() <= 2.0);
        team.iter().flatten().any(|record| near(record.state.position))
    };
    let mut known: Vec<u16> = Vec::new();
    let mut free = (0..SURVIVORS).filter(|&i| team[i].is_none());
    for (at, entity) in told {
        if known.contains(&entity.id) || ours(*at) {
            continue;
        }
        known.push(entity.id);
        let Some(i) = free.next() else { return };
        let [vx, vy] = entity.velocity.map(f32::from);
        let mut s = Survivor::new(body(&world.terrain, *at, [vx, vy, 0.0], true), 0.0);
        let health = f32::from(entity.health);
        if entity.marks & mark::INCAPPED != 0 {
            s.condition = Condition::Incapacitated(health);
        } else {
            s.health = health;
        }
        world.survivors[i] = s;
    }
}

/// An empty one to fill.
pub(super) fn empty(terrain: &Arc<Terrain>, difficulty: Difficulty) -> World {
    World::new(terrain.clone(), difficulty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots;
    use crate::maps::Source;
    use crate::server::told::{self, Tally};
    use crate::view::rich;
    use lanista_game::{Buffers, Group, Seat, Spec};
    use std::collections::BTreeMap;

    /// Numbers of the survivor itself that a server does not tell, or not to the full.
    const NOT_TOLD: [&str; 17] = [
        "staggers",
        "climbs",
        "can_shove",
        "task_left",
        "goal_is_closed",
        "commons",
        "commons_near",
        "commons_ahead",
        "commons_left",
        "commons_right",
        "commons_behind",
        "tank_there",
        "witch_there",
        "in_sights",
        "in_fire_or_acid",
        "lure_there",
        "heals",
    ];

    fn seen(world: &World, spec: &Spec) -> Buffers {
        let mut buffers = Buffers::new(spec, 1);
        let mut view = buffers.view(0);
        for i in 0..SURVIVORS {
            rich::observe(world, i, &mut view.seat(i));
        }
        buffers
    }

    #[test]
    fn what_is_told_is_seen_as_in_the_simulator() {
        let terrain = Source::One("apartment".into()).load().unwrap().remove(0);
        let mut world = World::new(terrain.clone(), Difficulty::Normal);
        let mut mirror = empty(&terrain, Difficulty::Normal);
        let role = rich::role();
        let Some(Group::Features(features)) = role.observation.first() else {
            panic!("no features")
        };
        let names: Vec<String> = features.iter().map(|feature| feature.name.clone()).collect();
        let spec = Spec {
            roles: vec![role],
            seats: (0..SURVIVORS).map(|_| Seat::of(0)).collect(),
            ..Spec::default()
        };
        let mut differ = BTreeMap::<&str, u32>::new();
        let mut compared = 0;
        for seed in 0..4 {
            world.reset(terrain.clone(), seed, [true; 4]);
            for tick in 0..900 {
                let commands = std::array::from_fn::<_, 4, _>(|i| {
                    world.command(i, &bots::follower(&world, i), true)
                });
                world.tick(&commands, &[]);
                if tick % 10 != 0 || world.ending.is_some() {
                    continue;
                }
                let team = std::array::from_fn(|i| {
                    Some(Record {
                        applied_action: 0,
                        applied_tick: 0,
                        state: told::state(&world, i),
                        extended: Some(told::extended(&world, i, &Tally::default())),
                    })
                });
                fill(&mut mirror, &terrain, world.now, &team);
                let (real, shown) = (seen(&world, &spec), seen(&mirror, &spec));
                let width = real.observation.len() / SURVIVORS;
                for i in (0..SURVIVORS).filter(|&i| world.survivors[i].is_alive()) {
                    compared += 1;
                    for (k, name) in names.iter().enumerate() {
                        let (a, b) =
                            (real.observation[i * width + k], shown.observation[i * width + k]);
                        *differ.entry(name).or_default() += u32::from((a - b).abs() > 0.02);
                    }
                }
            }
        }
        assert!(compared > 300, "{compared}");
        for (name, count) in differ {
            // An area under a point may be another than the one that was walked into.
            let few = compared / 20;
            assert!(count <= few || NOT_TOLD.contains(&name), "{name}: {count} of {compared}");
        }
    }
}

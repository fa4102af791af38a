//! What clients are told of a survivor: the 56 bytes and the extended state.

use crate::nav::Point;
use crate::sim::director::Phase;
use crate::sim::infected::Deed;
use crate::sim::items::ItemKind;
use crate::sim::space::distance;
use crate::sim::survivor::{Condition, Dose, TaskKind};
use crate::sim::weapons::ENDLESS;
use crate::sim::world::{SURVIVORS, World};
use crate::view::legacy::LegacyState;
use crate::wire::state::{BotState, NOBODY_UNITS};
use crate::wire::v2::state::{Entity, Extended, condition, mark};

/// Infected and things that are told of one by one. With the fellows they stay below the protocol's 16.
const INFECTED: usize = 9;
const ITEMS: usize = 4;
/// Things farther away than this are not told of.
const ITEM_UNITS: f32 = 800.0;

/// What a survivor has done since the episode began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    pub kills: f32,
    pub special_kills: f32,
}

/// `WEPID_AMMO`: general knowledge of the plugins' constants.
const AMMUNITION_ID: u8 = 54;

fn item_id(kind: ItemKind) -> u8 {
    match kind {
        ItemKind::Pack(pack) => pack.id(),
        ItemKind::Dose(dose) => dose.id(),
        ItemKind::Throwable(throwable) => throwable.id(),
        ItemKind::Gun(weapon) => weapon.ballistics().id,
        ItemKind::Ammunition => AMMUNITION_ID,
    }
}

/// The 56 bytes. When the round is over, whoever is not safe is told as dead: nobody comes back for them.
pub(crate) fn state(world: &World, i: usize) -> BotState {
    let s = &world.survivors[i];
    let known = LegacyState::of(world, i);
    BotState {
        bot_id: i as u8,
        health: match s.condition {
            Condition::Up => s.health,
            _ => known.health,
        }
        .ceil() as u16,
        is_alive: is_told_alive(world, i),
        is_incapped: known.is_incapped,
        position: known.position,
        velocity: known.velocity,
        angle: [known.angle[0], crate::sim::space::wrapped(known.angle[1])],
        primary_weapon: known.weapons[0],
        secondary_weapon: known.weapons[1],
        throwable: known.throwable,
        health_item: known.health_item,
        ammo: known.ammo,
        nearby_enemies: known.nearby_enemies,
        nearest_enemy_dist: known.nearest_enemy_dist.min(NOBODY_UNITS),
        teammates_alive: (0..SURVIVORS).filter(|&j| j != i && is_told_alive(world, j)).count()
            as u8,
        nearest_teammate_dist: known.nearest_teammate_dist.min(NOBODY_UNITS),
        teammates_incapped: known.teammates_incapped,
        in_safe_room: known.in_safe_room,
        near_objective: known.near_objective,
    }
}

fn is_told_alive(world: &World, i: usize) -> bool {
    let left_behind = world.ending.is_some() && (!world.is_safe(i) || world.goal_is_closed());
    world.survivors[i].is_alive() && !left_behind
}

/// What the extended state has beyond them.
pub(crate) fn extended(world: &World, i: usize, tally: &Tally) -> Extended {
    let s = &world.survivors[i];
    let now = world.now;
    let gun = s.gun();
    let mut conditions = 0;
    let mut set = |on: bool, bit: u16| conditions |= if on { bit } else { 0 };
    set(s.body.on_ground, condition::ON_GROUND);
    set(s.crouched, condition::DUCKING);
    set(s.body.climb.is_some(), condition::ON_LADDER);
    set(gun.reloaded_at.is_some(), condition::RELOADING);
    set(matches!(s.condition, Condition::Hanging(_)), condition::HANGING);
    let helped = world.survivors.iter().any(|other| {
        other.task.is_some_and(|task| matches!(task.kind, TaskKind::Revive(j) if j == i))
    });
    set(helped, condition::BEING_REVIVED);
    let task = s.task.map(|task| task.kind);
    let heals = matches!(task, Some(TaskKind::Heal(_) | TaskKind::Defibrillate(_)));
    set(task.is_some() && !heals, condition::REVIVING);
    set(heals, condition::HEALING);
    set(now < s.adrenaline_until, condition::ADRENALINE);
    set(now < s.biled_until, condition::BLINDED);
    set(s.on_third_strike(), condition::ON_THIRD_STRIKE);
    set(s.intensity <= 0.0, condition::CALM);
    let holder = s.hold.and_then(|hold| world.specials.get(hold.by));
    let flow_total = world.terrain.flow_length();
    Extended {
        temporary_health: s.temporary,
        clip: gun.clip,
        reserve_ammo: if gun.reserve == ENDLESS { u16::MAX } else { gun.reserve },
        active_weapon: gun.weapon.ballistics().id,
        pills_item: s.dose.map_or(0, Dose::id),
        conditions,
        attacker: holder.map_or(0, |special| special.class as u8 + 1),
        revive_count: s.incapacitations,
        intensity: (s.intensity.clamp(0.0, 1.0) * 255.0) as u8,
        director_phase: match world.director.phase {
            Phase::BuildUp => 1,
            Phase::Sustain => 2,
            Phase::Fade => 3,
            Phase::Relax => 4,
        },
        flow_distance: world.terrain.flow(s.body.area),
        flow_total,
        common_kills: (tally.kills - tally.special_kills) as u16,
        special_kills: tally.special_kills as u16,
        damage_dealt: s.record.damage as u32,
        damage_taken: s.record.hurt as u32,
        healing_given: s.record.healed as u16,
        revives_given: s.record.revived as u8,
        times_incapped: s.record.incapacitated as u8,
        entities: entities(world, i),
    }
}

fn offset(from: Point, to: Point) -> [i16; 3] {
    std::array::from_fn(|k| (to[k] - from[k]).round() as i16)
}

fn entities(world: &World, i: usize) -> Vec<Entity> {
    let s = &world.survivors[i];
    let (at, area) = (s.body.at, s.body.area);
    let mut infected: Vec<(f32, Entity)> = Vec::new();
    for (k, special) in world.specials.iter().enumerate().filter(|(_, s)| s.alive) {
        let mut marks = if world.terrain.sees(area, special.body.area) { mark::VISIBLE } else { 0 };
        let held = special.held().map(usize::from);
        let sits = matches!(special.deed, Deed::Sit { .. });
        if held == Some(i) || held.is_none() && !sits && special.target == Some(i as u8) {
            marks |= mark::ON_ME;
        }
        marks |= if held.is_some_and(|whom| whom != i) { mark::ON_ANOTHER } else { 0 };
        marks |= if special.burning { mark::BURNING } else { 0 };
        let [vx, vy, _] = special.body.velocity;
        let entity = Entity {
            class: special.class as u8 + 1,
            marks,
            id: k as u16,
            health: special.health.max(0.0).ceil() as u16,
            offset: offset(at, special.body.at),
            velocity: [vx as i16, vy as i16],
        };
        // Who is special is told of from twice as far.
        infected.push((0.5 * distance(at, special.body.at), entity));
    }
    for (k, common) in world.commons.iter().enumerate() {
        let mut marks = if world.terrain.sees(area, common.body.area) { mark::VISIBLE } else { 0 };
        let after_me = common.mood == crate::sim::infected::Mood::Chase(i as u8);
        marks |= if after_me { mark::ON_ME } else { 0 };
        marks |= if common.burning { mark::BURNING } else { 0 };
        let [vx, vy, _] = common.body.velocity;
        let entity = Entity {
            class: 10,
            marks,
            // Places of the dead are taken by others: the number is not one's own for life here.
            id: 100 + k as u16,
            health: common.health.max(0.0).ceil() as u16,
            offset: offset(at, common.body.at),
            velocity: [vx as i16, vy as i16],
        };
        infected.push((distance(at, common.body.at), entity));
    }
    infected.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut out: Vec<Entity> = infected.into_iter().take(INFECTED).map(|(_, e)| e).collect();
    for (j, other) in world.survivors.iter().enumerate().filter(|(j, o)| *j != i && o.is_alive()) {
        let mut marks = if world.terrain.sees(area, other.body.area) { mark::VISIBLE } else { 0 };
        marks |= if other.is_down() { mark::INCAPPED } else { 0 };
        let [vx, vy, _] = other.body.velocity;
        out.push(Entity {
            class: 9,
            marks,
            id: 200 + j as u16,
            health: other.total_health().max(0.0).ceil() as u16,
            offset: offset(at, other.body.at),
            velocity: [vx as i16, vy as i16],
        });
    }
    let here = world.items.iter().enumerate().map(|(k, item)| (k, item, distance(at, item.at)));
    let mut items: Vec<_> = here.filter(|(_, _, far)| *far < ITEM_UNITS).collect();
    // What is of use comes first, then what is near.
    items.sort_by_key(|(_, item, far)| (!world.wants(i, item.kind), far.to_bits()));
    out.extend(items.into_iter().take(ITEMS).map(|(k, item, _)| Entity {
        class: 11,
        marks: if world.terrain.sees(area, item.area) { mark::VISIBLE } else { 0 },
        id: 300 + k as u16,
        health: u16::from(item_id(item.kind)),
        offset: offset(at, item.at),
        velocity: [0, 0],
    }));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maps::Source;
    use crate::sim::numbers::Difficulty;
    use crate::sim::world::Ending;
    use crate::wire::v2::state::MAX_ENTITIES;

    #[test]
    fn what_is_told_is_what_is_there() {
        let terrain = Source::One("apartment".into()).load().unwrap().remove(0);
        let mut world = World::new(terrain.clone(), Difficulty::Normal);
        world.reset(terrain, 3, [true, true, true, false]);
        for _ in 0..300 {
            let commands = std::array::from_fn::<_, 4, _>(|i| {
                world.command(i, &crate::bots::follower(&world, i), true)
            });
            world.tick(&commands, &[]);
            for i in 0..3 {
                let (told, more) = (state(&world, i), extended(&world, i, &Tally::default()));
                assert_eq!(told.position, world.survivors[i].body.at);
                assert!(more.entities.len() <= MAX_ENTITIES);
                assert!(told.teammates_alive <= 2, "the fourth is not there");
                let sorted = more.entities.iter().map(|e| match e.class {
                    9 => 1,
                    11 => 2,
                    _ => 0,
                });
                assert!(sorted.is_sorted(), "infected first");
            }
        }
        world.ending = Some(Ending::Lost);
        assert!(!state(&world, 0).is_alive, "whoever is left behind does not come back");
    }
}

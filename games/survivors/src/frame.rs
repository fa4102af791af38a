//! What a viewer shows: positions, health, infected, shots, events; and the map as the scene.

use serde_json::{Value, json};

use crate::events::{Event, Kind, Other};
use crate::nav::AreaIndex;
use crate::sim::hazards::HazardKind;
use crate::sim::items::ItemKind;
use crate::sim::numbers::TICK_SECS;
use crate::sim::survivor::{Condition, Dose, Pack, Survivor, TaskKind, Throwable};
use crate::sim::weapons::Weapon;
use crate::sim::world::{Ending, SURVIVORS, World};

/// Replaces `out` by the match as one line of JSON, without events: on a game server others see them.
pub fn write(world: &World, out: &mut String) {
    write_with(world, &[], out);
}

/// Replaces `out` by the match and what happened in its last step, as one line of JSON.
pub(crate) fn write_with(world: &World, events: &[Event], out: &mut String) {
    use std::fmt::Write;
    let whole = |v: f32| (v * 10.0).round() / 10.0;
    let hundredth = |v: f32| (v * 100.0).round() / 100.0;
    let point = |p: [f32; 3]| json!([whole(p[0]), whole(p[1]), whole(p[2])]);
    let survivors: Vec<Value> = world
        .survivors
        .iter()
        .enumerate()
        .filter(|(_, s)| s.present)
        .map(|(seat, s)| {
            let state = match s.condition {
                Condition::Up if s.hold.is_some() => "held",
                Condition::Up => "up",
                Condition::Incapacitated(_) => "down",
                Condition::Hanging(_) => "hanging",
                Condition::Dead => "dead",
            };
            json!({
                "at": point(s.body.at),
                "yaw": whole(s.yaw),
                "health": whole(s.health),
                "temporary": whole(s.temporary),
                "left": whole(s.total_health()),
                "state": state,
                "gun": s.gun().weapon.ballistics().name,
                "clip": s.gun().clip,
                "busy": s.task.is_some(),
                "seat": seat,
                "doing": s.task.map(|task| doing(task.kind)),
                "carries": carries(s),
                "intensity": hundredth(s.intensity),
                "biled": world.now < s.biled_until,
            })
        })
        .collect();
    let commons: Vec<Value> = world.commons.iter().map(|c| point(c.body.at)).collect();
    let specials: Vec<Value> = world
        .specials
        .iter()
        .enumerate()
        .filter(|(_, s)| s.alive)
        .map(|(place, s)| {
            json!({
                "id": place,
                "seat": s.seat.map(|seat| SURVIVORS + usize::from(seat)),
                "class": s.class.traits().name,
                "at": point(s.body.at),
                "yaw": whole(s.yaw),
                "health": whole(s.health),
                "holds": s.held(),
                "burning": s.burning,
            })
        })
        .collect();
    let items: Vec<Value> = world
        .items
        .iter()
        .map(|item| {
            let kind = match item.kind {
                ItemKind::Pack(pack) => pack_name(pack),
                ItemKind::Dose(dose) => dose_name(dose),
                ItemKind::Throwable(throwable) => throwable_name(throwable),
                ItemKind::Gun(weapon) => weapon.ballistics().name,
                ItemKind::Ammunition => "ammunition",
            };
            json!({"kind": kind, "at": point(item.at)})
        })
        .collect();
    let hazards: Vec<Value> = world
        .hazards
        .iter()
        .map(|hazard| {
            let kind = match hazard.kind {
                HazardKind::PipeBomb => "pipe_bomb",
                HazardKind::Molotov => "molotov",
                HazardKind::Jar => "vomit_jar",
                HazardKind::Rock => "rock",
                HazardKind::Spit => "spit",
                HazardKind::Fire => "fire",
                HazardKind::Pool => "pool",
            };
            json!({"kind": kind, "at": point(hazard.body.at), "radius": hazard.kind.radius()})
        })
        .collect();
    let shots: Vec<Value> =
        world.shots.iter().map(|shot| json!([point(shot.from), point(shot.to)])).collect();
    let frame = json!({
        "game": "survivors",
        "tick": world.now,
        "seconds": hundredth(world.now as f32 * TICK_SECS),
        "ending": world.ending.map(|ending| match ending {
            Ending::Safe => "safe",
            Ending::Lost => "lost",
        }),
        "phase": world.director.phase,
        "intensity": hundredth(world.director.intensity),
        "stress": hundredth(world.strain().stress()),
        "target": world.director.temperament.target(),
        "panic": world.strain().panic,
        "mobs": world.director.account.mobs,
        "flow": whole(world.progress),
        "survivors": survivors,
        "commons": commons,
        "specials": specials,
        "items": items,
        "hazards": hazards,
        "shots": shots,
        "events": events.iter().map(event).collect::<Vec<_>>(),
    });
    out.clear();
    // A string takes whatever is written.
    let _ = write!(out, "{frame}");
}

/// Replaces `out` by the map: areas with the heights of their corners, ladders, and the way.
pub fn write_scene(world: &World, out: &mut String) {
    use std::fmt::Write;
    let terrain = &world.terrain;
    let whole = |v: f32| v.round();
    let areas: Vec<Value> = (0..terrain.areas())
        .filter_map(|area| AreaIndex::try_from(area).ok())
        .map(|area| {
            let [x0, y0, x1, y1] = terrain.bounds(area);
            let corner = |x, y| whole(terrain.height(area, x, y));
            let mark = u8::from(terrain.in_start(area)) + 2 * u8::from(terrain.in_goal(area));
            json!([
                whole(x0),
                whole(y0),
                whole(x1),
                whole(y1),
                corner(x0, y0),
                corner(x1, y0),
                corner(x1, y1),
                corner(x0, y1),
                mark,
            ])
        })
        .collect();
    let point = |p: [f32; 3]| p.map(whole);
    let ladders: Vec<Value> =
        terrain.ladders().iter().map(|l| json!([point(l.bottom), point(l.top)])).collect();
    let way = match (terrain.start_areas().first(), terrain.goal_areas().first()) {
        (Some(&from), Some(&to)) => terrain.path(from, to).unwrap_or_default(),
        _ => Vec::new(),
    };
    let way: Vec<[f32; 3]> = way.into_iter().map(|area| point(terrain.center(area))).collect();
    let scene = json!({
        "areas": areas,
        "ladders": ladders,
        "way": way,
        "flow_length": whole(terrain.flow_length()),
    });
    out.clear();
    // A string takes whatever is written.
    let _ = write!(out, "{scene}");
}

fn event(happened: &Event) -> Value {
    let Event { kind, seat, other, value } = *happened;
    let name = match kind {
        Kind::Hurt => "hurt",
        Kind::Incapacitated => "incapacitated",
        Kind::Died => "died",
        Kind::Revived => "revived",
        Kind::Healed => "healed",
        Kind::KilledCommon => "killed_common",
        Kind::KilledSpecial => "killed_special",
        Kind::Seized => "seized",
        Kind::Freed => "freed",
        Kind::ReachedSafeRoom => "reached_safe_room",
        Kind::PickedUp => "picked_up",
        Kind::Won => "won",
        Kind::Lost => "lost",
        Kind::Tank => "tank",
        Kind::Witch => "witch",
        Kind::Horde => "horde",
    };
    let mut told = json!({"kind": name});
    if let Some(seat) = seat {
        told["seat"] = json!(seat);
    }
    match other {
        Other::Nobody => {}
        Other::Survivor(seat) => told["by"] = json!(seat),
        Other::Infected(class) => told["class"] = json!(class.traits().name),
    }
    match kind {
        Kind::Hurt | Kind::Healed => told["points"] = json!(value),
        Kind::Horde => told["count"] = json!(value),
        Kind::PickedUp => told["what"] = json!(thing_name(value)),
        _ => {}
    }
    told
}

/// What the game has this number for; ammunition has none.
fn thing_name(id: i32) -> &'static str {
    let is = |other: u8| i32::from(other) == id;
    let gun = Weapon::ALL.into_iter().map(Weapon::ballistics).find(|gun| is(gun.id));
    let pack = [Pack::Medkit, Pack::Defibrillator].into_iter().find(|pack| is(pack.id()));
    let dose = [Dose::Pills, Dose::Adrenaline].into_iter().find(|dose| is(dose.id()));
    let thrown = [Throwable::PipeBomb, Throwable::Molotov, Throwable::VomitJar];
    let thrown = thrown.into_iter().find(|thrown| is(thrown.id()));
    gun.map(|gun| gun.name)
        .or(pack.map(pack_name))
        .or(dose.map(dose_name))
        .or(thrown.map(throwable_name))
        .unwrap_or("ammunition")
}

fn doing(kind: TaskKind) -> Value {
    let (what, whom) = match kind {
        TaskKind::Heal(whom) => ("heal", whom),
        TaskKind::Revive(whom) => ("revive", whom),
        TaskKind::Defibrillate(whom) => ("defibrillate", whom),
        TaskKind::Rescue(whom) => ("rescue", whom),
    };
    json!({"what": what, "whom": whom})
}

fn carries(survivor: &Survivor) -> Vec<&'static str> {
    let Survivor { pack, dose, throwable, .. } = *survivor;
    let named = [pack.map(pack_name), dose.map(dose_name), throwable.map(throwable_name)];
    named.into_iter().flatten().collect()
}

fn pack_name(pack: Pack) -> &'static str {
    match pack {
        Pack::Medkit => "medkit",
        Pack::Defibrillator => "defibrillator",
    }
}

fn dose_name(dose: Dose) -> &'static str {
    match dose {
        Dose::Pills => "pills",
        Dose::Adrenaline => "adrenaline",
    }
}

fn throwable_name(throwable: Throwable) -> &'static str {
    match throwable {
        Throwable::PipeBomb => "pipe_bomb",
        Throwable::Molotov => "molotov",
        Throwable::VomitJar => "vomit_jar",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Look;
    use crate::maps::Source;
    use crate::sim::numbers::Difficulty;

    #[test]
    fn a_frame_tells_what_happened() {
        let terrain = Source::One("corridor".into()).load().unwrap().remove(0);
        let mut world = World::new(terrain.clone(), Difficulty::Easy);
        world.reset(terrain, 1, [true; 4]);
        let before = Look::at(&world);
        world.deeds[0].kills = 1.0;
        world.deeds[1].hurt = 7.4;
        world.survivors[2].throwable = Some(Throwable::Molotov);
        world.deeds[2].taken = 1.0;
        world.survivors[3].condition = Condition::Dead;
        let mut out = String::new();
        write_with(&world, &before.since(&world), &mut out);
        let frame: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(
            frame["events"],
            json!([
                {"kind": "killed_common", "seat": 0},
                {"kind": "hurt", "seat": 1, "points": 7},
                {"kind": "picked_up", "seat": 2, "what": "molotov"},
                {"kind": "died", "seat": 3},
            ])
        );
        write(&world, &mut out);
        let frame: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(frame["events"], json!([]));
    }
}

//! What a viewer shows: positions, health, infected, shots, events.

use serde_json::{Value, json};

use crate::sim::hazards::HazardKind;
use crate::sim::items::ItemKind;
use crate::sim::survivor::Condition;
use crate::sim::world::World;

/// Replaces `out` by the match as one line of JSON.
pub fn write(world: &World, out: &mut String) {
    use std::fmt::Write;
    let whole = |v: f32| (v * 10.0).round() / 10.0;
    let hundredth = |v: f32| (v * 100.0).round() / 100.0;
    let point = |p: [f32; 3]| json!([whole(p[0]), whole(p[1]), whole(p[2])]);
    let survivors: Vec<Value> = world
        .survivors
        .iter()
        .filter(|s| s.present)
        .map(|s| {
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
            })
        })
        .collect();
    let commons: Vec<Value> = world.commons.iter().map(|c| point(c.body.at)).collect();
    let specials: Vec<Value> = world
        .specials
        .iter()
        .filter(|s| s.alive)
        .map(|s| {
            json!({
                "class": s.class.traits().name,
                "at": point(s.body.at),
                "yaw": whole(s.yaw),
                "health": whole(s.health),
                "holds": s.held(),
            })
        })
        .collect();
    let items: Vec<Value> = world
        .items
        .iter()
        .map(|item| {
            let kind = match item.kind {
                ItemKind::Pack(_) => "pack",
                ItemKind::Dose(_) => "dose",
                ItemKind::Throwable(_) => "throwable",
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
            json!({"kind": kind, "at": point(hazard.body.at)})
        })
        .collect();
    let shots: Vec<Value> =
        world.shots.iter().map(|shot| json!([point(shot.from), point(shot.to)])).collect();
    let frame = json!({
        "game": "survivors",
        "tick": world.now,
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
    });
    out.clear();
    // A string takes whatever is written.
    let _ = write!(out, "{frame}");
}

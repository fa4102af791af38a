//! What survivors are offered: what can be done and nothing else, and whatever is offered works.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::arena::{arm, go, hall, put};
use lanista_game::seed;
use lanista_game::{Buffers, Control, Game, Kind, Spec};
use lanista_survivors::game::Survivors;
use lanista_survivors::settings::Settings;
use lanista_survivors::sim::items::{Item, ItemKind};
use lanista_survivors::sim::numbers::Difficulty;
use lanista_survivors::sim::survivor::{Condition, Dose, Pack, Survivor, TaskKind, Throwable};
use lanista_survivors::sim::weapons::Weapon;
use lanista_survivors::sim::world::{Command, World};
use lanista_survivors::view::{legacy, rich};
use rand::RngExt;
use serde_json::{Value, json};

/// Is the first survivor offered an action of this name in the rich view, and in the legacy view? Nothing for a
/// view that has no such action.
fn offered(world: &World, name: &str) -> [Option<bool>; 2] {
    let of = |role: lanista_game::Role, legal: &dyn Fn(&mut [bool])| {
        let mut mask = vec![false; role.actions()];
        legal(&mut mask);
        let names = role.heads.iter().flat_map(|head| head.actions.iter());
        names.zip(mask).find_map(|(action, legal)| (*action == name).then_some(legal))
    };
    [
        of(rich::role(), &|mask| rich::legal(world, 0, mask)),
        of(legacy::role(), &|mask| legacy::legal(world, 0, mask)),
    ]
}

#[track_caller]
fn offers(world: &World, name: &str, expected: bool) {
    let found: Vec<bool> = offered(world, name).into_iter().flatten().collect();
    assert!(!found.is_empty(), "no action is called {name}");
    assert!(found.iter().all(|legal| *legal == expected), "{name}: {found:?}");
}

/// The first survivor far from the others.
fn alone() -> World {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 2000.0, 1000.0, 0.0);
    world
}

#[test]
fn healing_needs_a_kit_and_somebody_who_is_hurt() {
    let mut world = alone();
    world.survivors[0].health = 50.0;
    offers(&world, "heal_self", false);
    world.survivors[0].pack = Some(Pack::Defibrillator);
    offers(&world, "heal_self", false);
    world.survivors[0].pack = Some(Pack::Medkit);
    offers(&world, "heal_self", true);
    world.survivors[0].health = 100.0;
    offers(&world, "heal_self", false);
    offers(&world, "heal_other", false);
    world.survivors[1].health = 50.0;
    offers(&world, "heal_other", false);
    put(&mut world, 1, 2030.0, 1000.0, 0.0);
    offers(&world, "heal_other", true);
    world.survivors[0].pack = None;
    offers(&world, "heal_other", false);
}

#[test]
fn a_full_clip_is_not_reloaded_and_an_empty_reserve_neither() {
    let mut world = alone();
    offers(&world, "reload", false);
    world.survivors[0].sidearm.clip -= 1;
    offers(&world, "reload", true);
    world.survivors[0].sidearm.reload(0);
    offers(&world, "reload", false);
    arm(&mut world.survivors[0], Weapon::Smg);
    offers(&world, "reload", false);
    world.survivors[0].gun_mut().clip = 0;
    offers(&world, "reload", true);
    world.survivors[0].gun_mut().reserve = 0;
    offers(&world, "reload", false);
}

#[test]
fn what_one_does_not_have_is_not_thrown_swallowed_or_drawn() {
    let mut world = alone();
    world.survivors[0].health = 50.0;
    for name in ["throw", "throw_item", "dose", "switch"] {
        let found = offered(&world, name).into_iter().flatten();
        assert!(found.into_iter().all(|legal| !legal), "{name}");
    }
    let s = &mut world.survivors[0];
    (s.throwable, s.dose) = (Some(Throwable::Molotov), Some(Dose::Pills));
    arm(s, Weapon::Smg);
    for name in ["throw", "throw_item", "dose", "switch"] {
        offers(&world, name, true);
    }
    world.survivors[0].health = 100.0;
    offers(&world, "dose", false);
}

#[test]
fn there_must_be_something_to_use_and_arms_to_shove_with() {
    let mut world = alone();
    offers(&world, "use", false);
    let at = world.survivors[0].body.at;
    world.items.push(Item { kind: ItemKind::Pack(Pack::Medkit), at, area: 1 });
    offers(&world, "use", true);
    world.items.clear();
    put(&mut world, 1, 2030.0, 1000.0, 0.0);
    world.survivors[1].condition = Condition::Incapacitated(300.0);
    offers(&world, "use", true);
    offers(&world, "shove", true);
    let shove =
        Command { buttons: lanista_survivors::sim::world::button::SHOVE, ..Command::default() };
    go(&mut world, shove, 1);
    offers(&world, "shove", false);
}

#[test]
fn whoever_is_down_only_shoots() {
    let mut world = alone();
    let s = &mut world.survivors[0];
    (s.pack, s.dose, s.throwable) =
        (Some(Pack::Medkit), Some(Dose::Pills), Some(Throwable::PipeBomb));
    s.condition = Condition::Incapacitated(300.0);
    s.health = 1.0;
    for name in ["heal_self", "heal_other", "use", "jump", "crouch", "shove"] {
        offers(&world, name, false);
    }
    offers(&world, "attack", true);
    world.survivors[0].condition = Condition::Hanging(300.0);
    offers(&world, "attack", false);
}

fn still(s: &Survivor) -> bool {
    !s.present || (s.body.on_ground && s.body.speed() < 1.0)
}

/// What an action changes at once; nothing for actions that need not change anything.
fn worked(name: &str, i: usize, before: &Survivor, world: &World) -> Option<bool> {
    let s = &world.survivors[i];
    let task = s.task.map(|task| task.kind);
    Some(match name {
        "reload" => s.gun().reloaded_at.is_some() || s.gun().clip > before.gun().clip,
        "heal_self" => task == Some(TaskKind::Heal(i)),
        // Who moves, or whose fellows do, may be out of reach when the hand comes.
        "use" | "heal_other" if !still(before) || !world.survivors.iter().all(still) => {
            return None;
        }
        "heal_other" => {
            matches!(task, Some(TaskKind::Heal(j) | TaskKind::Defibrillate(j)) if j != i)
        }
        "use" => {
            let helps = matches!(task, Some(TaskKind::Revive(_) | TaskKind::Rescue(_)));
            helps || world.deeds[i].taken > 0.0
        }
        "throw" | "throw_item" => s.throwable.is_none(),
        "dose" => s.dose.is_none(),
        "switch" => s.holds_primary != before.holds_primary,
        "shove" => s.shoves_from > before.shoves_from,
        "jump" => !s.body.on_ground,
        "crouch" => s.crouched,
        _ => return None,
    })
}

/// Plays random legal actions, a tick each, and looks whether they did what they are for.
fn play(settings: Value, steps: usize, counts: &mut BTreeMap<String, (usize, usize)>) {
    let settings: Settings = serde_json::from_value(settings).unwrap();
    let spec = Arc::new(Spec { name: Survivors::NAME.into(), ..Survivors::describe(&settings) });
    let mut game = Survivors::matches(settings, spec.clone(), 1).unwrap().pop().unwrap();
    let mut buffers = Buffers::new(&spec, 1);
    let mut rng = seed::rng(5);
    let seats = vec![Control::Outside; spec.seats.len()];
    let (heads, room) = (buffers.layout().heads, buffers.layout().actions);
    let mut actions = vec![0; spec.seats.len() * heads];
    game.reset(1, &seats);
    for step in 0..steps {
        game.observe(&mut buffers.view(0));
        actions.fill(0);
        let mut chosen = [const { None }; 4];
        for seat in (0..4).filter(|seat| buffers.acting[*seat]) {
            let role = spec.role_of(seat);
            let head = role.heads.len() - 1;
            let names = &role.heads[head].actions;
            let mask = &buffers.mask[seat * room..(seat + 1) * room];
            let mask = &mask[role.actions() - names.len()..role.actions()];
            // Shots make reloads possible, and what is rare is tried as soon as it is offered.
            let rare =
                |a: &usize| !["crouch", "jump", "shove", "attack"].contains(&&*names[*a]) && *a > 4;
            let legal: Vec<usize> = (0..names.len()).filter(|a| mask[*a]).collect();
            let pick = legal.iter().copied().find(rare).filter(|_| rng.random::<f32>() < 0.3);
            let act = pick.unwrap_or_else(|| legal[rng.random_range(0..legal.len())]);
            actions[seat * heads + head] = act as u32;
            // With feet of their own they go along the way, where something comes.
            if let Some(head) = role.heads.iter().position(|head| head.name == "move") {
                let along = role.heads[head].actions.iter().position(|a| *a == "along_the_way");
                let walks = game.world().survivors[seat].is_up()
                    && names[act] != "use"
                    && rng.random::<f32>() < 0.5;
                actions[seat * heads + head] = along.filter(|_| walks).unwrap_or(0) as u32;
            }
            let s = &game.world().survivors[seat];
            if s.task.is_none() {
                chosen[seat] = Some((names[act].to_string(), s.clone()));
            } else {
                // What was begun is left to end.
                actions[seat * heads + head] = 0;
            }
        }
        let mut outcome = buffers.outcome(0);
        game.step(&actions, &mut outcome);
        let ended = outcome.end.is_some();
        for (i, chosen) in chosen.iter().enumerate() {
            let Some((name, before)) = chosen else { continue };
            let world = game.world();
            let s = &world.survivors[i];
            // Whoever was caught, felled or shoved in the same tick had no hands for it.
            let same = s.condition == before.condition
                && s.hold.is_none()
                && s.staggers_until <= before.staggers_until
                && s.body.climb.is_none();
            if let Some(worked) = worked(name, i, before, world).filter(|_| same) {
                let (done, not) = counts.entry(name.clone()).or_default();
                *(if worked { done } else { not }) += 1;
            }
        }
        if ended {
            game.reset(step as u64, &seats);
        }
    }
}

#[test]
fn whatever_is_offered_works() {
    let mut counts = BTreeMap::new();
    for map in ["corridor", "apartment"] {
        for view in ["rich", "legacy"] {
            let settings = json!({
                "map": map, "view": view, "ticks_per_step": 1, "medkits": true,
                "difficulty": "advanced", "limit_secs": 60,
            });
            play(settings, 12_000, &mut counts);
        }
    }
    println!("{counts:?}");
    // Some need somebody near, and everybody to stand.
    let least = |name: &str| if ["heal_other", "use"].contains(&name) { 1 } else { 11 };
    for name in ["reload", "heal_self", "shove", "jump", "crouch", "heal_other", "use"] {
        let (done, not): (usize, usize) = counts.get(name).copied().unwrap_or_default();
        assert!(done >= least(name), "{name}: {counts:?}");
        // What another does in the same tick may come first: somebody is healed, or gone.
        assert!(not * 20 <= done, "{name} was offered and did nothing: {counts:?}");
    }
}

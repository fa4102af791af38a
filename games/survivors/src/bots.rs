//! Scripted players: what they mean to do follows from what is there, and from dice that follow from it.

use lanista_game::seed;

use crate::intent::{Eyes, Feet, Intent};
use crate::sim::numbers::FULL_HEALTH;
use crate::sim::space::distance;
use crate::sim::survivor::{Condition, Pack, TaskKind};
use crate::sim::world::{SURVIVORS, World, button};
use crate::view::legacy;

/// Survivors' scripted players.
pub const SURVIVORS_BOTS: [&str; 3] = ["random", "follower", "idle"];
/// Infected's.
pub const INFECTED_BOTS: [&str; 3] = ["random", "hunter_like", "idle"];
/// Directors'; `rule` is played inside.
pub const DIRECTOR_BOTS: [&str; 3] = ["random", "rule", "idle"];

/// A number of its own for every seat, step and use.
pub fn dice(match_seed: u64, step: u32, seat: usize, salt: u64) -> u64 {
    let here = seed::mix(match_seed ^ 0x626f_7473, u64::from(step));
    seed::mix(seed::mix(here, seat as u64), salt)
}

/// The `follower`: goes to the goal with the others, shoots what is near, heals and helps up.
pub fn follower(world: &World, i: usize) -> Intent {
    let s = &world.survivors[i];
    let press = |buttons: u16| Intent { buttons, ..Intent::default() };
    if s.task.is_some() {
        return Intent::default();
    }
    let threat = world.threat(i, false);
    let near = threat.map_or(f32::INFINITY, |(_, far)| far);
    if !s.is_up() {
        return match threat {
            Some(_) if !matches!(s.condition, Condition::Hanging(_)) => {
                Intent { eyes: Eyes::Threat, ..press(button::ATTACK) }
            }
            _ => Intent::default(),
        };
    }
    // Somebody needs a hand.
    let in_need = world.fellow(i).filter(|&j| {
        let other = &world.survivors[j];
        let reachable = world.terrain.distance(s.body.area, other.body.area) < 3000.0;
        reachable && (other.hold.is_some() || other.is_down())
    });
    if near < 90.0 && world.can_shove(i) && world.now.is_multiple_of(2) {
        return Intent { feet: Feet::Stay, eyes: Eyes::Threat, buttons: button::SHOVE };
    }
    if let Some(j) = in_need {
        let other = &world.survivors[j];
        if other.hold.is_some() {
            let close = distance(s.body.at, other.body.at) < 70.0;
            return if close && world.can_shove(i) {
                Intent { feet: Feet::Fellow, eyes: Eyes::Fellow, buttons: button::SHOVE }
            } else {
                Intent { feet: Feet::Fellow, eyes: Eyes::Special, buttons: button::ATTACK }
            };
        }
        if world.is_possible(i, TaskKind::Revive(j)) && near > 150.0 {
            return press(button::USE);
        }
        if near > 200.0 {
            return Intent { feet: Feet::Fellow, eyes: Eyes::Fellow, buttons: 0 };
        }
    }
    if near < 700.0 {
        let clear = threat.is_none_or(|(point, _)| !world.fellow_in_line(i, point));
        let level = threat.is_none_or(|(point, _)| (point[2] - s.body.at[2]).abs() < 80.0);
        // What cannot be shot or does not come is passed by.
        let stands = near < 200.0 && clear && level;
        let feet = if stands { Feet::Stay } else { Feet::Way(1.0, 0.0) };
        let buttons = match s.gun().clip {
            0 => button::RELOAD,
            _ if clear => button::ATTACK,
            _ => 0,
        };
        return Intent { feet, eyes: Eyes::Threat, buttons };
    }
    let hurt = s.health + s.temporary;
    if hurt < 45.0 && world.is_possible(i, TaskKind::Heal(i)) {
        return press(button::HEAL_SELF);
    }
    if s.pack == Some(Pack::Medkit) && hurt > 70.0 {
        let weak = (0..SURVIVORS).any(|j| {
            j != i
                && world.survivors[j].health < 0.4 * FULL_HEALTH
                && world.is_possible(i, TaskKind::Heal(j))
        });
        if weak {
            return press(button::HEAL_OTHER);
        }
    }
    if s.dose.is_some() && hurt < 60.0 {
        return press(button::DOSE);
    }
    if world.within_reach(i).is_some() || legacy::can_use(world, i) {
        return press(button::USE);
    }
    if world.useful_item(i).is_some_and(|k| world.way_to_item(i, k) < 350.0) {
        return Intent { feet: Feet::Item, eyes: Eyes::Item, buttons: 0 };
    }
    let gun = s.gun();
    if gun.can_reload() && gun.clip * 2 < gun.weapon.ballistics().clip {
        return Intent { feet: Feet::Way(1.0, 0.0), eyes: Eyes::Way, buttons: button::RELOAD };
    }
    // Nobody runs ahead alone.
    let own = world.terrain.flow(s.body.area);
    let last = world
        .survivors
        .iter()
        .filter(|s| s.is_up())
        .map(|s| world.terrain.flow(s.body.area))
        .fold(f32::INFINITY, f32::min);
    // But nobody waits for ever either.
    let waited = (world.secs() / 20.0) as u32 % 3 == 2;
    if own > last + 400.0 && !waited {
        return Intent { feet: Feet::Stay, eyes: Eyes::Still, buttons: 0 };
    }
    Intent { feet: Feet::Way(1.0, 0.0), eyes: Eyes::Way, buttons: 0 }
}

/// The legacy action that says an intent, as near as one can: hands before feet.
pub fn legacy_action(intent: &Intent) -> u32 {
    match intent.buttons {
        button::ATTACK => 5,
        button::USE => 6,
        button::RELOAD => 7,
        button::CROUCH => 8,
        button::JUMP => 9,
        button::SHOVE => 10,
        button::HEAL_SELF => 11,
        button::HEAL_OTHER => 12,
        button::THROW => 13,
        _ => match intent.feet {
            Feet::Way(forward, _) if forward > 0.0 => 1,
            Feet::Retreat => 2,
            Feet::Fellow | Feet::Item => 1,
            _ => 0,
        },
    }
}

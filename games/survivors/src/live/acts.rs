//! What an agent chose, as actions on the wire.

use crate::intent::{Feet, Intent};
use crate::nav::Point;
use crate::settings::ViewKind;
use crate::sim::space::{distance, facing, pitch_to, turned, wrapped, yaw_to};
use crate::sim::survivor::TaskKind;
use crate::sim::world::{Command, SURVIVORS, World, button};
use crate::view::{legacy, rich as rich_view};
use crate::wire::state::LegacyAction;
use crate::wire::v2::action::{Action, Rich, button as wire};

/// What a seat chose. `knows_way`: rich actions are agreed upon, and the world is that of the map that is played,
/// with what is around. Then the fourteen are sent in their rich form as well: they turn where the simulator
/// turns them, whatever a server makes of a number between 0 and 13.
pub(super) fn chosen(
    world: &World,
    i: usize,
    view: ViewKind,
    chosen: &[u32],
    knows_way: bool,
) -> Action {
    if view == ViewKind::Rich {
        return Action::Rich(rich(world, i, &rich_view::intent(chosen)));
    }
    let id = chosen.first().map_or(0, |&id| id.min(255) as u8);
    let action = LegacyAction::of(id).unwrap_or_default();
    if knows_way { Action::Rich(of_legacy(world, i, action)) } else { Action::Legacy(action) }
}

/// What a seat does that was not asked: hands that are busy go on with what they do, and a turn is not made twice.
pub(super) fn unasked(last: Option<Action>, is_busy: bool, view: ViewKind) -> Action {
    match last.filter(|_| is_busy) {
        Some(Action::Rich(last)) => {
            Action::Rich(Rich { move_cell: 0, yaw_delta: 0.0, pitch_delta: 0.0, ..last })
        }
        Some(last @ Action::Legacy(_)) => last,
        None if view == ViewKind::Rich => Action::Rich(Rich::default()),
        None => Action::Legacy(LegacyAction::Idle),
    }
}

/// One of the fourteen as movement, turn and buttons. In the simulator hands reach whoever is near; in the game
/// they reach whom one looks at, so a fellow or a thing that is meant is looked at here.
fn of_legacy(world: &World, i: usize, action: LegacyAction) -> Rich {
    let made = rich(world, i, &legacy::intent(action as u32));
    let target = match action {
        LegacyAction::HealOther => patient(world, i),
        LegacyAction::Use => helped(world, i).or_else(|| {
            // A thing is looked at where it lies.
            world.within_reach(i).map(|k| world.items[k].at)
        }),
        _ => None,
    };
    let Some(target) = target else { return made };
    let s = &world.survivors[i];
    Rich {
        yaw_delta: wrapped(yaw_to(s.eyes(), target) - s.yaw).clamp(-180.0, 180.0),
        pitch_delta: (pitch_to(s.eyes(), target) - s.pitch).clamp(-180.0, 180.0),
        ..made
    }
}

/// The nearest fellow who can be healed or brought back.
fn patient(world: &World, i: usize) -> Option<Point> {
    nearest_fellow(world, i, |j| {
        world.is_possible(i, TaskKind::Heal(j)) || world.is_possible(i, TaskKind::Defibrillate(j))
    })
}

/// The nearest fellow who can be helped up.
fn helped(world: &World, i: usize) -> Option<Point> {
    nearest_fellow(world, i, |j| world.is_possible(i, TaskKind::Revive(j)))
}

fn nearest_fellow(world: &World, i: usize, is: impl Fn(usize) -> bool) -> Option<Point> {
    let far = |j: usize| distance(world.survivors[i].body.at, world.survivors[j].body.at);
    let fellows = (0..SURVIVORS).filter(|&j| j != i && is(j));
    let nearest = fellows.min_by(|&a, &b| far(a).total_cmp(&far(b)))?;
    let other = &world.survivors[nearest];
    let [x, y, z] = other.body.at;
    // Whoever lies or is dead has no chest up there.
    Some([x, y, z + if other.is_up() { CHEST } else { LYING }])
}

/// Above the feet, of somebody who stands, and of somebody who lies.
const CHEST: f32 = 40.0;
const LYING: f32 = 16.0;

/// The rich action that an intent amounts to. Eyes that follow something are turned to where it is now; feet
/// go into one of the eight cells, so a way that is not straight ahead is off by 22 degrees at most.
pub(super) fn rich(world: &World, i: usize, intent: &Intent) -> Rich {
    let s = &world.survivors[i];
    let busy = s.task.is_some() && intent.buttons == 0;
    let feet = if busy { Feet::Stay } else { intent.feet };
    let command = world.command(i, &Intent { feet, ..*intent }, true);
    let (slot, pressed) = hands(world, i, &command);
    Rich {
        move_cell: cell(world, i, &command),
        yaw_delta: wrapped(command.yaw - s.yaw).clamp(-180.0, 180.0),
        pitch_delta: (command.pitch - s.pitch).clamp(-180.0, 180.0),
        buttons: pressed,
        slot,
    }
}

fn cell(world: &World, i: usize, command: &Command) -> u8 {
    let [forward, right] = command.step;
    if forward.hypot(right) < 1e-3 {
        return 0;
    }
    // Steps count from where eyes can be after a tick; cells from where they are told to go.
    let reached = turned(world.survivors[i].yaw, command.yaw, crate::sim::MOST_TURN_DEGREES);
    let [cos, sin] = facing(reached - command.yaw);
    let (forward, right) = (forward * cos + right * sin, right * cos - forward * sin);
    let eighths = (right.atan2(forward).to_degrees() / 45.0).round() as i32;
    eighths.rem_euclid(8) as u8 + 1
}

/// What is taken into the hand, and what is pressed.
fn hands(world: &World, i: usize, command: &Command) -> (u8, u32) {
    let s = &world.survivors[i];
    let gun = if s.holds_primary { 1 } else { 2 };
    let other_gun = if s.holds_primary { 2 } else { 1 };
    let pressed = |ours: u16, of_wire: u32| if command.has(ours) { of_wire } else { 0 };
    let common = pressed(button::JUMP, wire::JUMP)
        | pressed(button::CROUCH, wire::DUCK)
        | pressed(button::USE, wire::USE);
    let (slot, hand) = if command.has(button::HEAL_SELF) {
        (4, wire::ATTACK)
    } else if command.has(button::HEAL_OTHER) {
        (4, wire::SHOVE)
    } else if command.has(button::THROW) {
        (3, wire::ATTACK)
    } else if command.has(button::DOSE) {
        (5, wire::ATTACK)
    } else if command.has(button::SWITCH) {
        (other_gun, 0)
    } else {
        let hand = pressed(button::ATTACK, wire::ATTACK)
            | pressed(button::SHOVE, wire::SHOVE)
            | pressed(button::RELOAD, wire::RELOAD);
        (gun, hand)
    };
    (slot, common | hand)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intent::{Eyes, steer_to_goal};
    use crate::maps::Source;
    use crate::sim::numbers::Difficulty;
    use crate::sim::survivor::Pack;

    fn world() -> World {
        let terrain = Source::One("corridor".into()).load().unwrap().remove(0);
        let mut world = World::new(terrain.clone(), Difficulty::Easy);
        world.reset(terrain, 1, [true; 4]);
        world
    }

    fn legacy(world: &World, action: LegacyAction) -> Rich {
        match chosen(world, 0, ViewKind::Legacy, &[action as u32], true) {
            Action::Rich(rich) => rich,
            Action::Legacy(action) => panic!("{action:?} is sent as a number"),
        }
    }

    #[test]
    fn the_fourteen_turn_along_the_way() {
        let mut world = world();
        let way = steer_to_goal(&world.terrain, &world.survivors[0].body).yaw(f32::NAN);
        for (action, cell) in [
            (LegacyAction::MoveForward, 1),
            (LegacyAction::MoveBackward, 5),
            (LegacyAction::MoveLeft, 7),
            (LegacyAction::MoveRight, 3),
        ] {
            for off in [0.0, 100.0, -170.0] {
                world.survivors[0].yaw = wrapped(way + off);
                let made = legacy(&world, action);
                assert!((wrapped(made.yaw_delta + off)).abs() < 0.1, "{action:?}: {made:?}");
                assert_eq!(made.move_cell, cell, "{action:?}, {off} degrees off the way");
            }
        }
        let unknown = chosen(&world, 0, ViewKind::Legacy, &[1], false);
        assert_eq!(unknown, Action::Legacy(LegacyAction::MoveForward), "the server knows its way");
    }

    #[test]
    fn whom_hands_mean_is_looked_at() {
        let mut world = world();
        let at = world.survivors[0].body.at;
        for j in 1..4 {
            world.survivors[j].body.at = [at[0] - 400.0, at[1], at[2]];
        }
        world.survivors[2].body.at = [at[0] - 30.0, at[1], at[2]];
        world.survivors[2].body.area = world.survivors[0].body.area;
        world.survivors[2].health = 30.0;
        world.survivors[0].pack = Some(Pack::Medkit);
        (world.survivors[0].yaw, world.survivors[0].pitch) = (10.0, 0.0);
        let made = legacy(&world, LegacyAction::HealOther);
        assert!((made.yaw_delta.abs() - 170.0).abs() < 0.1, "{made:?}");
        assert_eq!((made.slot, made.buttons), (4, wire::SHOVE));
        assert!(made.pitch_delta > 0.0, "a chest is below the eyes: {made:?}");
        // The turn is made once, and the hand goes on.
        let on = unasked(Some(Action::Rich(made)), true, ViewKind::Legacy);
        let still = Rich { yaw_delta: 0.0, pitch_delta: 0.0, move_cell: 0, ..made };
        assert_eq!(on, Action::Rich(still));
        let idle = unasked(Some(Action::Rich(made)), false, ViewKind::Legacy);
        assert_eq!(idle, Action::Legacy(LegacyAction::Idle));
    }

    #[test]
    fn cells_are_those_of_the_protocol() {
        let world = world();
        for (step, cell) in [
            ((1.0, 0.0), 1),
            ((1.0, 1.0), 2),
            ((0.0, 1.0), 3),
            ((-1.0, 1.0), 4),
            ((-1.0, 0.0), 5),
            ((-1.0, -1.0), 6),
            ((0.0, -1.0), 7),
            ((1.0, -1.0), 8),
        ] {
            for turn in [0.0, 9.0, -60.0] {
                let eyes = Eyes::Turn(turn);
                let feet = Feet::Step(step.0, step.1);
                let made = rich(&world, 0, &Intent { feet, eyes, buttons: 0 });
                assert!((made.yaw_delta - turn).abs() < 1e-3);
                if turn.abs() < 50.0 {
                    assert_eq!(made.move_cell, cell, "{step:?} while turning {turn}");
                }
            }
        }
        assert_eq!(rich(&world, 0, &Intent::default()).move_cell, 0);
    }
}

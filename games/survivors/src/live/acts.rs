//! What an agent chose, as actions on the wire.

use crate::intent::{Feet, Intent};
use crate::sim::space::{facing, turned, wrapped};
use crate::sim::world::{Command, World, button};
use crate::wire::v2::action::{Rich, button as wire};

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
    use crate::intent::Eyes;
    use crate::maps::Source;
    use crate::sim::numbers::Difficulty;

    #[test]
    fn cells_are_those_of_the_protocol() {
        let terrain = Source::One("corridor".into()).load().unwrap().remove(0);
        let mut world = World::new(terrain.clone(), Difficulty::Easy);
        world.reset(terrain, 1, [true; 4]);
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

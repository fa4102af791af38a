//! What a client told a bot to do, as commands of the simulator.

use crate::intent::{Eyes, Feet, Intent};
use crate::sim::survivor::Survivor;
use crate::sim::world::{Command, World, button};
use crate::view::legacy;
use crate::wire::v2::action::{Action, Rich, button as wire};

/// An action that holds until the next one, and what is in hand.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hands {
    action: Option<Action>,
    /// The tick from which it holds no more.
    until: u32,
    /// Where the turn of a rich action leads to: pitch and yaw.
    aim: [f32; 2],
    /// 0 for a gun, else the slot that was taken.
    hand: u8,
}

impl Hands {
    /// Takes an action. Turns count from where the survivor looks now, once.
    pub fn take(&mut self, s: &Survivor, action: Action, until: u32) {
        (self.action, self.until) = (Some(action), until);
        self.aim = [s.pitch, s.yaw];
        if let Action::Rich(rich) = action {
            self.aim = [s.pitch + rich.pitch_delta, s.yaw + rich.yaw_delta];
            if rich.slot != 0 {
                self.hand = if rich.slot >= 3 { rich.slot } else { 0 };
            }
        }
    }

    /// The command of this tick; nothing is done when no action holds any more.
    pub fn command(&self, world: &World, i: usize, clock: u32) -> Command {
        let s = &world.survivors[i];
        let held = self.action.filter(|_| clock < self.until);
        let intent = match held {
            None => Intent::default(),
            Some(Action::Legacy(action)) => legacy::intent(action as u32),
            Some(Action::Rich(rich)) => self.intent(s, &rich),
        };
        // What was begun goes on, unless hands are told something else.
        let busy = s.task.is_some() && intent.buttons == 0;
        let feet = if busy { Feet::Stay } else { intent.feet };
        let mut command = world.command(i, &Intent { feet, ..intent }, true);
        if matches!(held, Some(Action::Rich(_))) {
            [command.pitch, command.yaw] = self.aim;
        }
        command
    }

    fn intent(&self, s: &Survivor, rich: &Rich) -> Intent {
        let (forward, right) = rich.wish();
        let feet = match (forward, right) {
            (0, 0) => Feet::Stay,
            _ => Feet::Step(f32::from(forward), f32::from(right)),
        };
        let turn = crate::sim::space::wrapped(self.aim[1] - s.yaw);
        Intent { feet, eyes: Eyes::Turn(turn), buttons: self.buttons(s, rich) }
    }

    fn buttons(&self, s: &Survivor, rich: &Rich) -> u16 {
        let pressed = |of_wire: u32, ours: u16| if rich.buttons & of_wire != 0 { ours } else { 0 };
        let (attack, shove) = match self.hand {
            3 if s.throwable.is_some() => (button::THROW, button::SHOVE),
            4 if s.pack.is_some() => (button::HEAL_SELF, button::HEAL_OTHER),
            5 if s.dose.is_some() => (button::DOSE, button::SHOVE),
            _ => (button::ATTACK, button::SHOVE),
        };
        let switches = match rich.slot {
            1 => s.primary.is_some() && !s.holds_primary,
            2 => s.holds_primary,
            _ => false,
        };
        pressed(wire::ATTACK, attack)
            | pressed(wire::SHOVE, shove)
            | pressed(wire::JUMP, button::JUMP)
            | pressed(wire::DUCK, button::CROUCH)
            | pressed(wire::USE, button::USE)
            | pressed(wire::RELOAD, button::RELOAD)
            | if switches { button::SWITCH } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maps::Source;
    use crate::sim::numbers::Difficulty;
    use crate::sim::survivor::Pack;
    use crate::wire::state::LegacyAction;

    fn world() -> World {
        let terrain = Source::One("corridor".into()).load().unwrap().remove(0);
        let mut world = World::new(terrain.clone(), Difficulty::Easy);
        world.reset(terrain, 1, [true; 4]);
        world
    }

    #[test]
    fn a_turn_is_made_once_and_an_action_ends() {
        let mut world = world();
        let mut hands = Hands::default();
        let from = world.survivors[0].yaw;
        let rich = Rich { yaw_delta: 90.0, move_cell: 1, ..Rich::default() };
        hands.take(&world.survivors[0], Action::Rich(rich), 6);
        for clock in 0..6 {
            let command = hands.command(&world, 0, clock);
            assert!(command.step[0] > 0.9, "forward");
            world.tick(&[command], &[]);
        }
        let turned = crate::sim::space::wrapped(world.survivors[0].yaw - from);
        assert!((turned - 90.0).abs() < 0.01, "{turned}");
        let idle = hands.command(&world, 0, 6);
        assert_eq!((idle.step, idle.buttons), ([0.0, 0.0], 0));
        assert_eq!(idle.yaw, world.survivors[0].yaw, "nobody turns by doing nothing");
    }

    #[test]
    fn slots_are_what_is_in_hand() {
        let mut world = world();
        let s = &mut world.survivors[0];
        (s.pack, s.health) = (Some(Pack::Medkit), 20.0);
        let mut hands = Hands::default();
        let heal = Rich { slot: 4, buttons: wire::ATTACK, ..Rich::default() };
        hands.take(&world.survivors[0], Action::Rich(heal), 1000);
        for clock in 0..200 {
            world.tick(&[hands.command(&world, 0, clock)], &[]);
        }
        assert!(world.survivors[0].health > 80.0, "{}", world.survivors[0].health);
        let go_on = Rich { buttons: wire::ATTACK, ..Rich::default() };
        hands.take(&world.survivors[0], Action::Rich(go_on), 1000);
        let command = hands.command(&world, 0, 0);
        assert!(command.has(button::ATTACK), "the kit is used up, the gun is in hand");
    }

    #[test]
    fn the_fourteen_are_those_of_the_view() {
        let world = world();
        let mut hands = Hands::default();
        hands.take(&world.survivors[1], Action::Legacy(LegacyAction::Jump), 3);
        assert!(hands.command(&world, 1, 0).has(button::JUMP));
        assert!(!hands.command(&world, 1, 3).has(button::JUMP));
    }
}

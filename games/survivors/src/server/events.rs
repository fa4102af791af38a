//! What clients are told of as it happens.

use crate::events::{self, Kind, Other};
use crate::sim::world::World;
use crate::wire::v2::control::{Event, NONE, event};

/// A look at a match.
#[derive(Clone, Debug, Default)]
pub(super) struct Look(events::Look);

impl Look {
    /// How things stand.
    pub fn at(world: &World) -> Self {
        Self(events::Look::at(world))
    }

    /// What happened since then; `world.deeds` are those of the same time. Numbers are given by the session.
    pub fn since(&self, world: &World, tick: u32) -> Vec<Event> {
        self.0.since(world).into_iter().map(|happened| told(happened, tick)).collect()
    }
}

fn told(happened: events::Event, tick: u32) -> Event {
    let events::Event { kind, seat, other, mut value } = happened;
    let event = match kind {
        Kind::Hurt => event::HURT,
        Kind::Incapacitated => event::INCAPACITATED,
        Kind::Died => event::DIED,
        Kind::Revived => event::REVIVED,
        Kind::Healed => event::HEALED,
        Kind::KilledCommon => event::KILLED_COMMON,
        Kind::KilledSpecial => event::KILLED_SPECIAL,
        Kind::Seized => event::SEIZED,
        Kind::Freed => event::FREED,
        Kind::ReachedSafeRoom => event::REACHED_SAFE_ROOM,
        Kind::PickedUp => event::PICKED_UP,
        Kind::Won | Kind::Lost => event::ROUND_OVER,
        Kind::Tank => event::TANK,
        Kind::Witch => event::WITCH,
        Kind::Horde => event::HORDE,
    };
    if kind == Kind::Won {
        value = 1;
    }
    let other = match other {
        Other::Nobody => NONE,
        Other::Survivor(seat) => seat,
        Other::Infected(class) => class as u8 + 1,
    };
    Event { event_number: 0, tick, event, bot_id: seat.unwrap_or(NONE), other, value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maps::Source;
    use crate::sim::numbers::Difficulty;
    use crate::sim::survivor::Condition;
    use crate::sim::world::Ending;

    #[test]
    fn differences_are_events() {
        let terrain = Source::One("corridor".into()).load().unwrap().remove(0);
        let mut world = World::new(terrain.clone(), Difficulty::Easy);
        world.reset(terrain, 1, [true; 4]);
        let before = Look::at(&world);
        assert!(before.since(&world, 1).is_empty(), "nothing happened");
        world.deeds[0].kills = 2.0;
        world.survivors[1].condition = Condition::Incapacitated(300.0);
        world.deeds[1].incapacitated = 1.0;
        world.survivors[2].condition = Condition::Dead;
        world.ending = Some(Ending::Lost);
        let told: Vec<(u8, u8)> =
            before.since(&world, 7).iter().map(|e| (e.event, e.bot_id)).collect();
        assert_eq!(
            told,
            [
                (event::KILLED_COMMON, 0),
                (event::KILLED_COMMON, 0),
                (event::INCAPACITATED, 1),
                (event::DIED, 2),
                (event::ROUND_OVER, NONE),
            ]
        );
        let after = Look::at(&world);
        world.begin_step();
        assert!(after.since(&world, 8).is_empty(), "each is told once");
        world.survivors[1].condition = Condition::Up;
        world.deeds[3].rescues = 1.0;
        let told = after.since(&world, 9);
        assert_eq!((told[0].event, told[0].bot_id, told[0].other), (event::REVIVED, 1, 3));
    }
}

//! What clients are told of as it happens: the difference between two looks at a match.

use crate::sim::infected::{Class, Deed};
use crate::sim::survivor::{Dose, Pack, Survivor, Throwable};
use crate::sim::world::{Ending, SURVIVORS, World};
use crate::wire::v2::control::{Event, NONE, event};

/// A look at a match.
#[derive(Clone, Debug, Default)]
pub(super) struct Look {
    survivors: [Seen; SURVIVORS],
    /// Class, life and temper of each special.
    specials: Vec<(Class, bool, bool)>,
    tanks: usize,
    mobs: u32,
    over: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    down: bool,
    alive: bool,
    safe: bool,
    /// Class of whoever holds it, 0 for nobody.
    held_by: u8,
    health: f32,
    carried: [u8; 5],
}

fn carried(s: &Survivor) -> [u8; 5] {
    [
        s.primary.as_ref().map_or(0, |gun| gun.weapon.ballistics().id),
        s.sidearm.weapon.ballistics().id,
        s.throwable.map_or(0, Throwable::id),
        s.pack.map_or(0, Pack::id),
        s.dose.map_or(0, Dose::id),
    ]
}

impl Look {
    /// How things stand.
    pub fn at(world: &World) -> Self {
        let seen = |i: usize| {
            let s = &world.survivors[i];
            let holder = s.hold.and_then(|hold| world.specials.get(hold.by));
            Seen {
                down: s.is_down(),
                alive: s.is_alive(),
                safe: world.is_safe(i) && !world.goal_is_closed(),
                held_by: holder.map_or(0, |special| special.class as u8 + 1),
                health: s.health,
                carried: carried(s),
            }
        };
        let specials = world.specials.iter();
        Self {
            survivors: std::array::from_fn(seen),
            specials: specials
                .map(|s| (s.class, s.alive, matches!(s.deed, Deed::Rage { .. })))
                .collect(),
            tanks: world.count(Class::Tank),
            mobs: world.director.account.mobs,
            over: world.ending.is_some(),
        }
    }

    /// What happened since then; `world.deeds` are those of the same time. Numbers are given by the session.
    pub fn since(&self, world: &World, tick: u32) -> Vec<Event> {
        let now = Self::at(world);
        let mut out = Vec::new();
        let mut tell = |event: u8, bot_id: u8, other: u8, value: i32| {
            out.push(Event { event_number: 0, tick, event, bot_id, other, value });
        };
        let mut slain = self.slain(&now).into_iter();
        let helper = |whom: usize| {
            let near = |j: &usize| *j != whom && world.deeds[*j].rescues > 0.0;
            (0..SURVIVORS).find(near).map_or(NONE, |j| j as u8)
        };
        let healer = |whom: usize| {
            let other = (0..SURVIVORS).find(|&j| j != whom && world.deeds[j].heals > 0.0);
            other.unwrap_or(whom) as u8
        };
        for i in (0..SURVIVORS).filter(|&i| world.survivors[i].present) {
            let (was, is, deeds, bot) =
                (self.survivors[i], now.survivors[i], &world.deeds[i], i as u8);
            let by = if was.held_by != 0 { was.held_by } else { NONE };
            for _ in 0..(deeds.kills - deeds.special_kills).max(0.0) as u32 {
                tell(event::KILLED_COMMON, bot, NONE, 0);
            }
            for _ in 0..deeds.special_kills as u32 {
                tell(event::KILLED_SPECIAL, bot, slain.next().map_or(NONE, |c| c as u8 + 1), 0);
            }
            if deeds.hurt > 0.0 {
                tell(event::HURT, bot, by, deeds.hurt.round() as i32);
            }
            if deeds.incapacitated > 0.0 {
                tell(event::INCAPACITATED, bot, by, 0);
            }
            if was.held_by == 0 && is.held_by != 0 {
                tell(event::SEIZED, bot, is.held_by, 0);
            }
            if was.held_by != 0 && is.held_by == 0 && is.alive {
                tell(event::FREED, bot, helper(i), 0);
            }
            if was.down && is.alive && !is.down {
                tell(event::REVIVED, bot, helper(i), 0);
            } else if is.alive && is.health > was.health + 1.0 {
                tell(event::HEALED, bot, healer(i), (is.health - was.health).round() as i32);
            }
            if deeds.taken > 0.0 {
                let new = is.carried.iter().zip(was.carried).find(|(is, was)| **is != *was);
                tell(event::PICKED_UP, bot, NONE, new.map_or(0, |(id, _)| i32::from(*id)));
            }
            if was.alive && !is.alive {
                tell(event::DIED, bot, by, 0);
            }
            if is.safe && !was.safe {
                tell(event::REACHED_SAFE_ROOM, bot, NONE, 0);
            }
        }
        if now.tanks > self.tanks {
            tell(event::TANK, NONE, NONE, 0);
        }
        let startled = |k: &usize| !self.specials.get(*k).is_some_and(|(_, _, rages)| *rages);
        if (0..now.specials.len()).filter(|&k| now.specials[k].2).any(|k| startled(&k)) {
            tell(event::WITCH, NONE, NONE, 0);
        }
        if now.mobs > self.mobs {
            tell(event::HORDE, NONE, NONE, world.director.to_come as i32);
        }
        if now.over && !self.over {
            let won = world.ending == Some(Ending::Safe);
            tell(event::ROUND_OVER, NONE, NONE, i32::from(won));
        }
        out
    }

    fn slain(&self, now: &Self) -> Vec<Class> {
        let gone = |(k, (class, alive, _)): (usize, &(Class, bool, bool))| {
            let lives = now.specials.get(k).is_some_and(|(_, alive, _)| *alive);
            (*alive && !lives).then_some(*class)
        };
        self.specials.iter().enumerate().filter_map(gone).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maps::Source;
    use crate::sim::numbers::Difficulty;
    use crate::sim::survivor::Condition;

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

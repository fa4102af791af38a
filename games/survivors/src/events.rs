//! What happened in a match: the difference between two looks at it. Game servers tell clients of it, and
//! frames show it.

use crate::sim::infected::{Class, Deed};
use crate::sim::survivor::{Dose, Pack, Survivor, Throwable};
use crate::sim::world::{Ending, SURVIVORS, World};

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Event {
    pub kind: Kind,
    /// The survivor whom it happened to, or who did it.
    pub seat: Option<u8>,
    pub other: Other,
    /// Points of health, or the game's number of a thing, or how many come.
    pub value: i32,
}

/// Whoever else had to do with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Other {
    Nobody,
    Survivor(u8),
    Infected(Class),
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Hurt,
    Incapacitated,
    Died,
    Revived,
    Healed,
    KilledCommon,
    KilledSpecial,
    Seized,
    Freed,
    ReachedSafeRoom,
    PickedUp,
    Won,
    Lost,
    Tank,
    Witch,
    Horde,
}

/// A look at a match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
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
    held_by: Option<Class>,
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
        let mut look = Self::default();
        look.again(world);
        look
    }

    /// Looks again, in the same memory.
    pub fn again(&mut self, world: &World) {
        self.survivors = std::array::from_fn(|i| {
            let s = &world.survivors[i];
            let holder = s.hold.and_then(|hold| world.specials.get(hold.by));
            Seen {
                down: s.is_down(),
                alive: s.is_alive(),
                safe: world.is_safe(i) && !world.goal_is_closed(),
                held_by: holder.map(|special| special.class),
                health: s.health,
                carried: carried(s),
            }
        });
        self.specials.clear();
        // All the room that it will ever need: steps do not allocate.
        self.specials.reserve(world.specials.capacity());
        let specials = world.specials.iter();
        self.specials
            .extend(specials.map(|s| (s.class, s.alive, matches!(s.deed, Deed::Rage { .. }))));
        self.tanks = world.count(Class::Tank);
        self.mobs = world.director.account.mobs;
        self.over = world.ending.is_some();
    }

    /// What happened since then; `world.deeds` are those of the same time.
    pub fn since(&self, world: &World) -> Vec<Event> {
        let now = Self::at(world);
        let mut out = Vec::new();
        let mut tell = |kind: Kind, seat: Option<u8>, other: Other, value: i32| {
            out.push(Event { kind, seat, other, value });
        };
        let mut slain = self.slain(&now).into_iter();
        let class = |class: Option<Class>| class.map_or(Other::Nobody, Other::Infected);
        let helper = |whom: usize| {
            let near = |j: &usize| *j != whom && world.deeds[*j].rescues > 0.0;
            (0..SURVIVORS).find(near).map_or(Other::Nobody, |j| Other::Survivor(j as u8))
        };
        let healer = |whom: usize| {
            let other = (0..SURVIVORS).find(|&j| j != whom && world.deeds[j].heals > 0.0);
            Other::Survivor(other.unwrap_or(whom) as u8)
        };
        for i in (0..SURVIVORS).filter(|&i| world.survivors[i].present) {
            let (was, is, deeds, seat) =
                (self.survivors[i], now.survivors[i], &world.deeds[i], Some(i as u8));
            let by = class(was.held_by);
            for _ in 0..(deeds.kills - deeds.special_kills).max(0.0) as u32 {
                tell(Kind::KilledCommon, seat, Other::Nobody, 0);
            }
            for _ in 0..deeds.special_kills as u32 {
                tell(Kind::KilledSpecial, seat, class(slain.next()), 0);
            }
            if deeds.hurt > 0.0 {
                tell(Kind::Hurt, seat, by, deeds.hurt.round() as i32);
            }
            if deeds.incapacitated > 0.0 {
                tell(Kind::Incapacitated, seat, by, 0);
            }
            if was.held_by.is_none() && is.held_by.is_some() {
                tell(Kind::Seized, seat, class(is.held_by), 0);
            }
            if was.held_by.is_some() && is.held_by.is_none() && is.alive {
                tell(Kind::Freed, seat, helper(i), 0);
            }
            if was.down && is.alive && !is.down {
                tell(Kind::Revived, seat, helper(i), 0);
            } else if is.alive && is.health > was.health + 1.0 {
                tell(Kind::Healed, seat, healer(i), (is.health - was.health).round() as i32);
            }
            if deeds.taken > 0.0 {
                let new = is.carried.iter().zip(was.carried).find(|(is, was)| **is != *was);
                let thing = new.map_or(0, |(id, _)| i32::from(*id));
                tell(Kind::PickedUp, seat, Other::Nobody, thing);
            }
            if was.alive && !is.alive {
                tell(Kind::Died, seat, by, 0);
            }
            if is.safe && !was.safe {
                tell(Kind::ReachedSafeRoom, seat, Other::Nobody, 0);
            }
        }
        if now.tanks > self.tanks {
            tell(Kind::Tank, None, Other::Nobody, 0);
        }
        let startled = |k: &usize| !self.specials.get(*k).is_some_and(|(_, _, rages)| *rages);
        if (0..now.specials.len()).filter(|&k| now.specials[k].2).any(|k| startled(&k)) {
            tell(Kind::Witch, None, Other::Nobody, 0);
        }
        if now.mobs > self.mobs {
            tell(Kind::Horde, None, Other::Nobody, world.director.to_come as i32);
        }
        if now.over && !self.over {
            let won = world.ending == Some(Ending::Safe);
            tell(if won { Kind::Won } else { Kind::Lost }, None, Other::Nobody, 0);
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

//! A survivor: health, hands, and what is being done with them.

use crate::nav::{Point, Terrain};
use crate::sim::motion::Body;
use crate::sim::numbers::{
    ADRENALINE_SPEED, CRAWL_SPEED, CROUCH_SPEED, EYE_HEIGHT, FULL_HEALTH, INCAPACITATED_HEALTH,
    LIMP_HEALTH, LIMP_SPEED, MOST_INCAPACITATIONS, REVIVE_TEMPORARY, RUN_SPEED, SLOWED_SPEED,
    TEMPORARY_DECAY, TICK_SECS,
};
use crate::sim::weapons::{Gun, Weapon};

/// How a survivor is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// On their feet.
    Up,
    /// On the floor, with so much left.
    Incapacitated(f32),
    /// Hanging from a ledge, with so much left.
    Hanging(f32),
    /// Dead. Somebody may find them in a closet.
    Dead,
}

/// What is thrown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Throwable {
    /// Beeps, attracts commons and explodes.
    PipeBomb,
    /// Burns.
    Molotov,
    /// Makes commons attack whatever it hits.
    VomitJar,
}

impl Throwable {
    /// The game's number of it (`WEPID`, facts §4).
    pub fn id(self) -> u8 {
        match self {
            Self::Molotov => 13,
            Self::PipeBomb => 14,
            Self::VomitJar => 25,
        }
    }
}

/// What is carried on the back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pack {
    /// Heals.
    Medkit,
    /// Brings back the dead.
    Defibrillator,
}

impl Pack {
    /// The game's number of it (`WEPID`, facts §4).
    pub fn id(self) -> u8 {
        match self {
            Self::Medkit => 12,
            Self::Defibrillator => 24,
        }
    }
}

/// What is swallowed or injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dose {
    /// Temporary health.
    Pills,
    /// Some of it, and speed.
    Adrenaline,
}

impl Dose {
    /// The game's number of it (`WEPID`, facts §4).
    pub fn id(self) -> u8 {
        match self {
            Self::Pills => 15,
            Self::Adrenaline => 23,
        }
    }
}

/// Who holds a survivor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Which of the specials.
    pub by: usize,
}

/// Something that takes a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task {
    /// What.
    pub kind: TaskKind,
    /// The tick at which it is done.
    pub done_at: u32,
}

/// What takes a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskKind {
    /// Healing somebody, perhaps oneself.
    Heal(usize),
    /// Helping somebody up.
    Revive(usize),
    /// Bringing somebody back.
    Defibrillate(usize),
    /// Opening a closet with somebody in it.
    Rescue(usize),
}

impl TaskKind {
    /// Whom it is for.
    pub fn whom(self) -> usize {
        match self {
            Self::Heal(who) | Self::Revive(who) | Self::Defibrillate(who) | Self::Rescue(who) => {
                who
            }
        }
    }
}

/// One of the four.
#[derive(Clone, Debug, PartialEq)]
pub struct Survivor {
    /// Does somebody play it?
    pub present: bool,
    /// Where it is.
    pub body: Body,
    /// Where it looks, in degrees.
    pub yaw: f32,
    /// Where it looks, in degrees, positive downwards.
    pub pitch: f32,
    /// Does it crouch?
    pub crouched: bool,
    /// How it is.
    pub condition: Condition,
    /// Health that lasts.
    pub health: f32,
    /// Health that does not.
    pub temporary: f32,
    /// How often it was incapacitated since it was last healed.
    pub incapacitations: u8,
    /// A long gun.
    pub primary: Option<Gun>,
    /// What is in the belt.
    pub sidearm: Gun,
    /// Is the long gun in hand?
    pub holds_primary: bool,
    /// To throw.
    pub throwable: Option<Throwable>,
    /// On the back.
    pub pack: Option<Pack>,
    /// To swallow.
    pub dose: Option<Dose>,
    /// Who has it.
    pub hold: Option<Hold>,
    /// What it is doing.
    pub task: Option<Task>,
    /// The tick until which it is covered in bile.
    pub biled_until: u32,
    /// The tick until which adrenaline lasts.
    pub adrenaline_until: u32,
    /// The tick until which it staggers and can do nothing.
    pub staggers_until: u32,
    /// The tick until which blows slow it down.
    pub slowed_until: u32,
    /// The tick from which it can shove again.
    pub shoves_from: u32,
    /// The tick from which it can take the other gun.
    pub switches_from: u32,
    /// The tick of the last shot, for whoever listens.
    pub fired_at: u32,
    /// How stressed the director thinks it is, 0 to 1.
    pub intensity: f32,
    /// The tick at which it was last engaged: hurt, or near infected that die.
    pub engaged_at: u32,
    /// The tick at which it died.
    pub died_at: u32,
    /// The closet it waits in, if it does.
    pub closet: Option<u16>,
    /// What it did in this match.
    pub record: Record,
}

/// What somebody did in a match.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Record {
    /// Infected killed.
    pub kills: f32,
    /// Damage done to infected.
    pub damage: f32,
    /// Damage done to fellows.
    pub friendly_damage: f32,
    /// Damage taken.
    pub hurt: f32,
    /// Health given to fellows.
    pub healed: f32,
    /// Fellows helped up or brought back.
    pub revived: f32,
    /// Times incapacitated.
    pub incapacitated: f32,
    /// Distance to the nearest fellow, summed over ticks.
    pub apart: f64,
    /// Ticks alive.
    pub alive_ticks: u32,
}

impl Survivor {
    /// Somebody fresh, with a pistol.
    pub fn new(body: Body, yaw: f32) -> Self {
        Self {
            present: true,
            body,
            yaw,
            pitch: 0.0,
            crouched: false,
            condition: Condition::Up,
            health: FULL_HEALTH,
            temporary: 0.0,
            incapacitations: 0,
            primary: None,
            sidearm: Gun::new(Weapon::Pistol),
            holds_primary: false,
            throwable: None,
            pack: None,
            dose: None,
            hold: None,
            task: None,
            biled_until: 0,
            adrenaline_until: 0,
            staggers_until: 0,
            slowed_until: 0,
            shoves_from: 0,
            switches_from: 0,
            fired_at: 0,
            intensity: 0.0,
            engaged_at: 0,
            died_at: 0,
            closet: None,
            record: Record::default(),
        }
    }

    /// Is it alive?
    #[inline]
    pub fn is_alive(&self) -> bool {
        self.present && self.condition != Condition::Dead
    }

    /// Is it on its feet?
    #[inline]
    pub fn is_up(&self) -> bool {
        self.present && self.condition == Condition::Up
    }

    /// Does it lie on the floor or hang?
    #[inline]
    pub fn is_down(&self) -> bool {
        self.present
            && matches!(self.condition, Condition::Incapacitated(_) | Condition::Hanging(_))
    }

    /// Can it be caught by a special? Nobody catches whoever hangs or is held.
    #[inline]
    pub fn can_be_caught(&self) -> bool {
        self.is_alive() && self.hold.is_none() && !matches!(self.condition, Condition::Hanging(_))
    }

    /// Can it act at this tick, if only with a pistol from the floor?
    #[inline]
    pub fn can_act(&self, now: u32) -> bool {
        self.is_alive() && self.hold.is_none() && now >= self.staggers_until
    }

    /// Health of both kinds, or what is left on the floor.
    pub fn total_health(&self) -> f32 {
        match self.condition {
            Condition::Up => self.health + self.temporary,
            Condition::Incapacitated(left) | Condition::Hanging(left) => left,
            Condition::Dead => 0.0,
        }
    }

    /// Would the next incapacitation kill?
    pub fn on_third_strike(&self) -> bool {
        self.incapacitations >= MOST_INCAPACITATIONS
    }

    /// Was it helped up, and has what that lent run out?
    pub fn is_going_to_die(&self) -> bool {
        self.is_up() && self.incapacitations > 0 && self.temporary <= 0.0 && self.health <= 1.0
    }

    /// The speed at which it goes.
    pub fn speed(&self, now: u32) -> f32 {
        if !self.is_up() {
            return 0.0;
        }
        let total = self.health + self.temporary;
        if self.crouched {
            CROUCH_SPEED
        } else if now < self.slowed_until && now >= self.adrenaline_until {
            SLOWED_SPEED
        } else if now < self.adrenaline_until {
            ADRENALINE_SPEED
        } else if self.is_going_to_die() {
            CRAWL_SPEED
        } else if total < LIMP_HEALTH {
            LIMP_SPEED
        } else {
            RUN_SPEED
        }
    }

    /// Its eyes.
    pub fn eyes(&self) -> Point {
        let height = match self.condition {
            Condition::Up if !self.crouched => EYE_HEIGHT,
            Condition::Up => EYE_HEIGHT * 0.6,
            _ => EYE_HEIGHT * 0.3,
        };
        [self.body.at[0], self.body.at[1], self.body.at[2] + height]
    }

    /// The gun in hand: on the floor, the one from the belt.
    pub fn gun(&self) -> &Gun {
        match &self.primary {
            Some(gun) if self.holds_primary && self.is_up() => gun,
            _ => &self.sidearm,
        }
    }

    /// The same, to use it.
    pub fn gun_mut(&mut self) -> &mut Gun {
        let up = self.is_up();
        match &mut self.primary {
            Some(gun) if self.holds_primary && up => gun,
            _ => &mut self.sidearm,
        }
    }

    /// Takes damage while up; tells whether it is the end of being up.
    pub fn lose(&mut self, damage: f32) -> bool {
        // What does not last goes first.
        let from_temporary = self.temporary.min(damage);
        self.temporary -= from_temporary;
        self.health -= damage - from_temporary;
        if self.health + self.temporary <= 0.0 {
            (self.health, self.temporary) = (0.0, 0.0);
            return true;
        }
        self.health = self.health.max(0.0);
        false
    }

    /// Goes down, or dies on the third strike.
    pub fn go_down(&mut self, now: u32) {
        self.task = None;
        if let Some(gun) = &mut self.primary {
            gun.reloaded_at = None;
        }
        if self.on_third_strike() {
            self.die(now);
        } else {
            self.condition = Condition::Incapacitated(INCAPACITATED_HEALTH);
            self.record.incapacitated += 1.0;
        }
    }

    /// Dies.
    pub fn die(&mut self, now: u32) {
        self.condition = Condition::Dead;
        (self.health, self.temporary) = (0.0, 0.0);
        (self.hold, self.task) = (None, None);
        self.body.velocity = [0.0; 3];
        self.died_at = now;
    }

    /// Is helped up. From a ledge nothing is lost but what it cost to hang there.
    pub fn get_up(&mut self, terrain: &Terrain) {
        match self.condition {
            Condition::Incapacitated(_) => {
                self.incapacitations += 1;
                (self.health, self.temporary) = (1.0, REVIVE_TEMPORARY);
            }
            Condition::Hanging(left) => {
                let share = (left / INCAPACITATED_HEALTH).clamp(0.0, 1.0);
                self.health = (self.health * share).max(1.0);
                self.temporary *= share;
            }
            Condition::Up | Condition::Dead => return,
        }
        self.condition = Condition::Up;
        let [x, y, _] = self.body.at;
        self.body = Body::standing(terrain, self.body.area, x, y);
    }

    /// What a tick takes without anybody's doing.
    pub fn fade(&mut self, decay: f32, now: u32) {
        match &mut self.condition {
            Condition::Up => {
                self.temporary = (self.temporary - TEMPORARY_DECAY * TICK_SECS).max(0.0);
                // Temporary health alone keeps nobody up: the last point stays.
                if self.health <= 0.0 && self.temporary <= 0.0 {
                    self.health = 1.0;
                }
            }
            Condition::Incapacitated(left) | Condition::Hanging(left) => {
                *left -= decay * TICK_SECS;
                if *left <= 0.0 {
                    self.die(now);
                }
            }
            Condition::Dead => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::numbers::INCAPACITATED_DECAY;

    fn somebody() -> Survivor {
        let body = Body {
            at: [0.0; 3],
            velocity: [0.0; 3],
            area: 0,
            on_ground: true,
            tucked: false,
            climb: None,
        };
        Survivor::new(body, 0.0)
    }

    #[test]
    fn speeds_follow_health() {
        let mut s = somebody();
        assert_eq!(s.speed(0), 220.0);
        s.health = 39.0;
        assert_eq!(s.speed(0), 150.0);
        s.temporary = 10.0;
        assert_eq!(s.speed(0), 220.0, "temporary health counts");
        (s.health, s.temporary) = (1.0, 0.0);
        assert_eq!(s.speed(0), 150.0, "one point alone only limps");
        s.incapacitations = 1;
        assert_eq!(s.speed(0), 85.0);
        s.adrenaline_until = 10;
        assert_eq!(s.speed(0), 260.0);
        s.crouched = true;
        assert_eq!(s.speed(0), 75.0);
    }

    #[test]
    fn the_third_time_kills() {
        let mut s = somebody();
        for _ in 0..2 {
            assert!(s.lose(150.0));
            s.go_down(5);
            assert_eq!(s.condition, Condition::Incapacitated(300.0));
            // As get_up does, without a map.
            s.incapacitations += 1;
            (s.health, s.temporary, s.condition) = (1.0, 30.0, Condition::Up);
        }
        assert!(s.on_third_strike());
        assert!(s.lose(31.0));
        s.go_down(5);
        assert_eq!((s.condition, s.died_at), (Condition::Dead, 5));
    }

    #[test]
    fn on_the_floor_life_lasts_a_hundred_seconds() {
        let mut s = somebody();
        s.go_down(0);
        let mut ticks = 0;
        while s.is_alive() {
            s.fade(INCAPACITATED_DECAY, ticks);
            ticks += 1;
        }
        assert!((ticks as i32 - 3000).abs() <= 2, "{ticks}");
    }

    #[test]
    fn temporary_health_fades_and_goes_first() {
        let mut s = somebody();
        (s.health, s.temporary) = (50.0, 20.0);
        for _ in 0..300 {
            s.fade(0.0, 0);
        }
        assert!((s.temporary - 17.3).abs() < 0.01, "0.27 a second");
        assert!(!s.lose(20.0));
        assert_eq!(s.temporary, 0.0);
        assert!((s.health - 47.3).abs() < 0.01);
    }
}

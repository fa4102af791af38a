//! A fight: two fighters, tick by tick, in the order of the recorded server.
//!
//! A tick has four parts. What was set going earlier comes first: prayers are paid, poison bites.
//! Then both sides act, the one with the smaller pid first; nothing has moved yet. Then, in the same
//! order, each side moves, takes the hits that arrive, and attacks. Last, both look.

pub mod act;
pub mod chance;
pub mod combat;
pub mod dice;
pub mod equip;
pub mod fighter;
pub mod hits;
pub mod memory;
pub mod movement;
pub mod path;
pub mod pray;
pub mod report;
pub mod script;
pub mod start;
pub mod supplies;
pub mod timers;

use crate::formula::{BLEED_EVERY, BLEED_STEP, SACRIFICE_DAMAGE, SACRIFICE_REACH};
use crate::kinds::{FightType, Prayer, Rules, Skill};
use crate::loadout::Loadout;
use chance::Chance;
use fighter::Fighter;
use hits::Hit;
use memory::Memory;
use report::{Blow, Report};
use timers::Timer;

/// One choice per head of the contract.
pub type Action = [u8; 12];

/// Ticks after which the server gave back one percent of stamina, on average: it counts seconds of
/// its own clock, which ran far faster than the game's.
const STAMINA_TICKS: u16 = 150;

/// What a side does in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Nothing: it has not been asked yet.
    Wait,
    /// What an agent chose.
    Act(Action),
    /// Whatever the server's script does.
    Script,
}

/// The switches of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// Protection prayers are offered only when the other may attack.
    pub prayer_when_attackable: bool,
    /// Attacks are offered only when one is ready.
    pub attack_when_ready: bool,
    /// Is smite offered?
    pub smite: bool,
    /// Is redemption offered?
    pub redemption: bool,
    /// Is movement offered although an attack is ready?
    pub move_when_ready: bool,
}

/// The other side.
#[inline]
pub const fn other(who: usize) -> usize {
    1 - who
}

/// A fight under way.
#[derive(Clone, Debug)]
pub struct Fight {
    /// Both sides.
    pub fighters: [Fighter; 2],
    /// What each brought.
    pub loadouts: [Loadout; 2],
    /// What each has seen.
    pub memories: [Memory; 2],
    /// What the last tick brought for each.
    pub reports: [Report; 2],
    /// The rules beside those of the builds.
    pub fight_type: FightType,
    /// The game.
    pub rules: Rules,
    /// The switches of each side's contract.
    pub switches: [Switches; 2],
    /// Ticks so far.
    pub ticks: u32,
}

impl Fight {
    /// Plays one tick.
    pub fn tick<C: Chance>(&mut self, orders: [Order; 2], chance: &mut C) {
        self.ticks += 1;
        self.reports = [Report::default(); 2];
        for who in 0..2 {
            self.memories[who].begin();
            self.fighters[who].splats = [None; 2];
        }
        for who in 0..2 {
            self.carry_on(who);
        }
        let first = usize::from(self.fighters[1].pid < self.fighters[0].pid);
        for who in [first, other(first)] {
            match orders[who] {
                Order::Wait => self.fighters[who].timers.tick(),
                Order::Act(action) => {
                    self.fighters[who].timers.tick();
                    self.act(who, action, chance);
                }
                Order::Script => {
                    self.script(who, chance);
                    self.fighters[who].timers.tick();
                }
            }
        }
        for who in [first, other(first)] {
            self.process(who, orders[who] == Order::Script, chance);
        }
        self.look();
    }

    /// What was set going in earlier ticks.
    fn carry_on(&mut self, who: usize) {
        let fighter = &mut self.fighters[who];
        if let Some(wait) = fighter.recovery.as_mut() {
            *wait -= 1;
            if *wait == 0 {
                fighter.energy = (fighter.energy + 10).min(100);
                fighter.recovery = (fighter.energy < 100).then_some(50);
            }
        }
        pray::pay(fighter);
        if std::mem::take(&mut fighter.retaliate) {
            fighter.engage();
        }
        self.bite(who);
        self.bleed(who);
        self.sacrifice(who);
    }

    fn bite(&mut self, who: usize) {
        let fighter = &mut self.fighters[who];
        if fighter.poison.damage == 0 {
            return;
        }
        fighter.poison.wait -= 1;
        if fighter.poison.wait > 0 {
            return;
        }
        fighter.poison.wait = 30;
        fighter.poison.bites += 1;
        if fighter.poison.bites.is_multiple_of(5) {
            fighter.poison.damage -= 1;
        }
        fighter.queue.wait(fighter.poison.damage);
        if fighter.poison.damage <= 1 {
            fighter.poison.damage = 0;
        }
    }

    fn bleed(&mut self, who: usize) {
        let over = self.fighters.iter().any(|fighter| fighter.dying);
        for wound in 0..self.fighters[who].bleeds.len() {
            let bleed = &mut self.fighters[who].bleeds[wound];
            if !bleed.open {
                continue;
            }
            bleed.age += 1;
            if over {
                bleed.open = false;
            } else if bleed.age.is_multiple_of(u16::from(BLEED_EVERY)) {
                let damage = bleed.left.min(BLEED_STEP as i16);
                bleed.left -= damage;
                bleed.open = damage > 0;
                if damage > 0 {
                    self.hurt(other(who), damage);
                }
            }
        }
    }

    fn sacrifice(&mut self, who: usize) {
        let distance = self.fighters[0].at.distance(self.fighters[1].at);
        for mark in 0..self.fighters[who].sacrifices.len() {
            let left = &mut self.fighters[who].sacrifices[mark];
            if *left == 0 {
                continue;
            }
            if i32::from(distance) > SACRIFICE_REACH {
                *left = 0;
                continue;
            }
            *left -= 1;
            if *left == 0 {
                self.heal(other(who), SACRIFICE_DAMAGE as i16);
                self.hurt(other(who), SACRIFICE_DAMAGE as i16);
            }
        }
    }

    /// One side moves, is hit and attacks.
    fn process<C: Chance>(&mut self, who: usize, scripted: bool, chance: &mut C) {
        if self.fight_type != FightType::PvpArena {
            let fighter = &mut self.fighters[who];
            fighter.redraw -= 1;
            if fighter.redraw <= 0 {
                (fighter.pid, fighter.redraw) = chance.pid(who);
            }
        }
        self.walk(who);
        self.fight(who, chance);
        self.rest(who);
        if scripted {
            self.stroll(who, chance);
        }
        let fighter = &mut self.fighters[who];
        if fighter.hp() > 0 && !fighter.timers.running(Timer::Stats) {
            fighter.timers.set(Timer::Stats, 100);
            fighter.settle_levels();
        }
    }

    /// Stamina comes back while standing. Today's game never runs out of it within a fight.
    fn rest(&mut self, who: usize) {
        let live = self.rules == Rules::Live;
        let fighter = &mut self.fighters[who];
        if live {
            fighter.stamina = 100;
            fighter.running = true;
        } else if fighter.stamina < 100 && (!fighter.moving || !fighter.running) {
            fighter.rested += 1;
            if fighter.rested >= STAMINA_TICKS {
                fighter.rested = 0;
                fighter.stamina += 1;
            }
        }
    }

    /// The end of a tick: prayer is full in Last Man Standing, and both look.
    fn look(&mut self) {
        for who in 0..2 {
            if self.fight_type == FightType::Lms {
                let fighter = &mut self.fighters[who];
                fighter.levels[Skill::Prayer as usize] = fighter.max_level(Skill::Prayer);
            }
        }
        let [a, b] = &self.fighters;
        self.memories[0].end(a, b);
        self.memories[1].end(b, a);
    }

    /// A hit of `who` was sent on its way: both take note.
    fn notice(&mut self, who: usize, hit: &Hit, speed: i32) {
        let (attacker, victim) = (&self.fighters[who], &self.fighters[other(who)]);
        self.memories[who].attacked(hit, victim);
        self.memories[other(who)].was_attacked(hit, attacker, victim);
        let report = &mut self.reports[who];
        report.generated += hit.total();
        report.blow = Some(Blow {
            style: hit.style,
            prayed: victim.protects(hit.style),
            prayer: victim.protection(),
            speed,
            smite: attacker.prayers.has(Prayer::Smite),
        });
    }

    /// Is anybody falling?
    pub fn over(&self) -> bool {
        self.fighters.iter().any(|fighter| fighter.dying)
    }
}

//! Where and when infected appear.

use rand::RngExt;

use super::{MOB_SECS, MOB_SIZE, Phase, SPECIAL_LIMIT, SPECIAL_SECS, WANDERERS_THRESHOLD};
use crate::nav::{AreaIndex, GoalKind, attributes};
use crate::sim::infected::{Class, Mood};
use crate::sim::numbers::{COMMON_LIMIT, SPAWN_RANGE, ticks};
use crate::sim::space::distance;
use crate::sim::world::World;

/// Nothing appears nearer than this to a survivor.
pub const LEAST_RANGE: f32 = 350.0;
/// How often a place is looked for before it is left for the next time.
const TRIES: usize = 48;
/// One more of a mob every so many ticks.
const MOB_TICKS: u32 = 3;
/// Wanderers for an area at the beginning. `z_wandering_density` is .03; to what area it refers is not known,
/// and our own maps have fewer and larger ones.
const WANDERING_DENSITY: f32 = 0.1;
/// While it builds up, so many are kept about.
const WANDERERS: usize = 24;
/// A played infected comes back after this.
pub(super) const RESPAWN_SECS: f32 = 20.0;
/// The dead wait in a closet after this.
pub(super) const CLOSET_SECS: f32 = 30.0;
/// A finale lasts so long until the rescue comes.
pub const FINALE_SECS: f32 = 120.0;
/// A wave of a finale every so often.
pub const WAVE_SECS: f32 = 40.0;
/// The wave of a finale that is a tank.
const TANK_WAVE: u32 = 1;
/// A panic lasts so long.
const PANIC_SECS: f32 = 20.0;

impl World {
    /// Those who are there from the beginning.
    pub(super) fn populate(&mut self) {
        let terrain = self.terrain.clone();
        let frequency = self.director.temperament.frequency();
        let wanted = (terrain.areas() as f32 * WANDERING_DENSITY * frequency) as usize;
        for _ in 0..wanted.min(COMMON_LIMIT - 6) {
            for _ in 0..TRIES {
                let area = self.rng.random_range(0..terrain.areas()) as AreaIndex;
                if self.is_spawnable(area) && self.is_hidden(area) {
                    self.add_common(area, Mood::Idle { noticed: 0.0 });
                    self.director.account.commons += 1;
                    break;
                }
            }
        }
    }

    fn is_spawnable(&self, area: AreaIndex) -> bool {
        let terrain = &self.terrain;
        let spared = attributes::NO_MOBS | attributes::CHECKPOINT | attributes::RESCUE_CLOSET;
        terrain.spawn(area) & spared == 0
            && !terrain.in_start(area)
            && !terrain.in_goal(area)
            && terrain.to_goal(area).is_finite()
    }

    /// Is all of an area out of sight, and far enough from every survivor?
    fn is_hidden(&self, area: AreaIndex) -> bool {
        let [x0, y0, x1, y1] = self.terrain.bounds(area);
        self.survivors.iter().filter(|s| s.is_alive()).all(|s| {
            let [x, y, _] = s.body.at;
            // To the nearest point of the area: whoever appears may stand anywhere in it.
            let (dx, dy) = (x - x.clamp(x0, x1), y - y.clamp(y0, y1));
            dx * dx + dy * dy >= LEAST_RANGE * LEAST_RANGE && !self.terrain.sees(s.body.area, area)
        })
    }

    /// An area that nobody sees, not too near and not too far from somebody. There may be none: then nothing
    /// appears, rather than before somebody's eyes.
    pub(super) fn hidden_area(&mut self) -> Option<AreaIndex> {
        let terrain = self.terrain.clone();
        for _ in 0..TRIES {
            let area = self.rng.random_range(0..terrain.areas()) as AreaIndex;
            let at = terrain.center(area);
            let reaches = self.survivors.iter().filter(|s| s.is_alive()).any(|s| {
                distance(at, s.body.at) <= SPAWN_RANGE
                    && terrain.distance(area, s.body.area) <= 2.0 * SPAWN_RANGE
            });
            if reaches && self.is_spawnable(area) && self.is_hidden(area) {
                return Some(area);
            }
        }
        None
    }

    /// A mob: so many commons, who know where to go.
    pub(crate) fn send_mob(&mut self, size: u32) {
        self.director.to_come = (self.director.to_come + size).min(2 * MOB_SIZE[1]);
        self.director.account.mobs += 1;
        self.director.account.mob_commons += size;
        if self.director.phase == Phase::Relax {
            self.director.account.mobs_while_relaxing += 1;
        }
    }

    /// Bile was smelt. That is no choice of the director's.
    pub(crate) fn call_horde(&mut self) {
        if self.director.mode != super::Mode::None {
            let size = MOB_SIZE[0];
            self.director.to_come = (self.director.to_come + size).min(2 * MOB_SIZE[1]);
        }
    }

    /// Lets those of a mob appear one by one.
    pub(super) fn spawn_to_come(&mut self) {
        if self.director.to_come == 0
            || !self.now.is_multiple_of(MOB_TICKS)
            || self.commons.len() >= COMMON_LIMIT
        {
            return;
        }
        let Some(area) = self.hidden_area() else { return };
        let at = self.terrain.center(area);
        let whom = self.nearest_survivor(at, |_, _| true).map_or(0, |(i, _)| i as u8);
        if self.add_common(area, Mood::Chase(whom)) {
            self.director.to_come -= 1;
            self.director.account.commons += 1;
        }
    }

    /// What the rules let come.
    pub(super) fn spawn_by_rule(&mut self) {
        let now = self.now;
        let phase = self.director.phase;
        let frequency = self.director.temperament.frequency();
        // With a tank about, neither mobs nor specials come.
        let tank = self.count(Class::Tank) > 0;
        let quiet = phase == Phase::Relax || phase == Phase::Fade;
        if now >= self.director.next_mob {
            if quiet || tank {
                // It waits for the pause to be over.
                self.director.next_mob = now + ticks(5.0);
            } else {
                let size = self.rng.random_range(MOB_SIZE[0]..=MOB_SIZE[1]);
                self.send_mob(size);
                let secs = self.between_secs(MOB_SECS) / frequency;
                self.director.next_mob = now + ticks(secs);
            }
        }
        if now >= self.director.next_special && !quiet && !tank {
            self.spawn_special();
        }
        let wanders = matches!(phase, Phase::BuildUp | Phase::Sustain)
            || (phase == Phase::Relax && self.director.intensity < WANDERERS_THRESHOLD);
        if wanders
            && now.is_multiple_of(ticks(1.0))
            && self.commons.len() < WANDERERS
            && let Some(area) = self.hidden_area()
        {
            self.add_common(area, Mood::Idle { noticed: 0.0 });
            self.director.account.commons += 1;
        }
        if self.director.mode == super::Mode::Rule {
            self.spawn_bosses();
        }
    }

    fn spawn_special(&mut self) {
        let now = self.now;
        let there = self.specials.iter().filter(|s| s.alive && s.seat.is_none());
        let specials = there.filter(|s| (s.class as usize) < Class::SPECIALS.len()).count();
        if specials >= SPECIAL_LIMIT {
            return;
        }
        let first = self.rng.random_range(0..Class::SPECIALS.len());
        for n in 0..Class::SPECIALS.len() {
            let class = Class::SPECIALS[(first + n) % Class::SPECIALS.len()];
            if self.count(class) > 0 || now < self.director.class_from[class as usize] {
                continue;
            }
            if self.summon(class).is_none() {
                // Nowhere to come from: in a second it may be otherwise.
                self.director.next_special = now + ticks(1.0);
                return;
            }
            break;
        }
        let wait = SPECIAL_SECS / 3.0 / self.director.temperament.frequency();
        self.director.next_special = now + ticks(wait);
    }

    /// Lets a special, a witch or a tank appear; tells its place.
    pub(crate) fn summon(&mut self, class: Class) -> Option<usize> {
        let area = self.hidden_area()?;
        let k = self.add_special(class, area)?;
        let account = &mut self.director.account;
        match class {
            Class::Tank | Class::Witch => account.bosses += 1,
            _ => account.specials += 1,
        }
        Some(k)
    }

    /// Lets a special appear that a seat plays; tells its place.
    pub fn summon_for(&mut self, class: Class, seat: usize) -> Option<usize> {
        let k = self.summon(class)?;
        self.specials[k].seat = Some(seat as u8);
        Some(k)
    }

    fn spawn_bosses(&mut self) {
        // They appear when somebody comes near to where they wait.
        let reached = self.progress + 600.0;
        if self.director.tank_flow.is_some_and(|flow| reached >= flow)
            && self.summon(Class::Tank).is_some()
        {
            self.director.tank_flow = None;
        }
        if self.director.witch_flow.is_some_and(|flow| reached >= flow)
            && self.summon(Class::Witch).is_some()
        {
            self.director.witch_flow = None;
        }
    }

    /// A panic event: a mob, and no pause for a while.
    pub(crate) fn panic(&mut self) {
        self.director.panic_until = self.now + ticks(PANIC_SECS);
        let size = self.rng.random_range(MOB_SIZE[0]..=MOB_SIZE[1]);
        self.send_mob(size);
    }

    /// Waves until the rescue comes.
    pub(super) fn tend_finale(&mut self) {
        if self.terrain.goal_kind() != GoalKind::RescueVehicle {
            return;
        }
        let now = self.now;
        let Some(since) = self.director.finale_since else {
            let terrain = &self.terrain;
            let there = self.survivors.iter().any(|s| {
                let area = s.body.area;
                s.is_up()
                    && (terrain.in_goal(area) || terrain.spawn(area) & attributes::FINALE != 0)
            });
            if there {
                self.director.finale_since = Some(now);
            }
            return;
        };
        if self.director.mode != super::Mode::Rule && self.director.mode != super::Mode::Hybrid {
            return;
        }
        let due = (now - since) / ticks(WAVE_SECS);
        // A wave waits for the death of a tank: with one about, no mob comes.
        let over = now >= since + ticks(FINALE_SECS);
        if due < self.director.waves || over || self.count(Class::Tank) > 0 {
            return;
        }
        if due == TANK_WAVE {
            if self.summon(Class::Tank).is_none() {
                return;
            }
        } else {
            self.panic();
        }
        self.director.waves = due + 1;
    }
}

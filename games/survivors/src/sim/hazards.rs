//! What flies, burns or corrodes, and what it draws.

use crate::nav::{AreaIndex, Point};
use crate::sim::infected::{Class, Mood};
use crate::sim::motion::Body;
use crate::sim::numbers::{TICK_SECS, ticks};
use crate::sim::space::distance;
use crate::sim::world::{SURVIVORS, Source, World};

// None of these numbers is in the facts: they are general knowledge of the game, from no source that could be
// checked.

/// A pipe bomb beeps so long.
const PIPE_SECS: f32 = 6.0;
/// And is heard so far.
const PIPE_HEARD: f32 = 1500.0;
/// Its blast reaches so far.
const PIPE_RADIUS: f32 = 400.0;
/// What it takes from a special at its centre; no common survives.
const PIPE_DAMAGE: f32 = 500.0;
/// A molotov burns so long, that far around.
const FIRE_SECS: f32 = 15.0;
const FIRE_RADIUS: f32 = 150.0;
/// What fire takes from survivors and from infected, a second.
const FIRE_DAMAGE: f32 = 10.0;
const FIRE_DAMAGE_INFECTED: f32 = 50.0;
/// A jar of bile draws so long.
const JAR_SECS: f32 = 15.0;
/// A pool of spit stays so long, that far around.
const POOL_SECS: f32 = 7.0;
const POOL_RADIUS: f32 = 120.0;
/// What it takes a second, at first and at most.
const POOL_DAMAGE: [f32; 2] = [4.0, 18.0];
/// A rock hits whatever is this near.
const ROCK_RADIUS: f32 = 60.0;

/// What kind of danger it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum HazardKind {
    PipeBomb,
    Molotov,
    Jar,
    Rock,
    Spit,
    Fire,
    Pool,
}

impl HazardKind {
    /// Does it fly?
    pub fn flies(self) -> bool {
        !matches!(self, Self::Fire | Self::Pool)
    }

    /// How far it reaches on the floor, if it lies there.
    pub fn radius(self) -> Option<f32> {
        match self {
            Self::Fire => Some(FIRE_RADIUS),
            Self::Pool => Some(POOL_RADIUS),
            _ => None,
        }
    }
}

/// Something that flies, burns or corrodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hazard {
    /// What it is.
    pub kind: HazardKind,
    /// Where it is.
    pub body: Body,
    /// The survivor who threw it.
    pub by_survivor: Option<u8>,
    /// The place of the special who threw it, and the seat that plays it.
    pub by_special: Option<(u8, Option<u8>)>,
    /// The tick at which it began.
    pub since: u32,
    /// The tick at which it is over.
    pub until: u32,
}

/// What draws commons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lure {
    /// Where.
    pub at: Point,
    /// In which area.
    pub area: AreaIndex,
    /// How far it is noticed.
    pub range: f32,
    /// The tick at which it is over.
    pub until: u32,
}

impl Hazard {
    /// Thrown by a survivor.
    pub fn thrown(kind: HazardKind, body: Body, by: usize, now: u32) -> Self {
        let secs = if kind == HazardKind::PipeBomb { PIPE_SECS } else { 5.0 };
        Self {
            kind,
            body,
            by_survivor: Some(by as u8),
            by_special: None,
            since: now,
            until: now + ticks(secs),
        }
    }

    /// Thrown or spat by a special.
    pub fn hurled(kind: HazardKind, body: Body, by: usize, seat: Option<u8>, now: u32) -> Self {
        let until = now + ticks(5.0);
        let by_special = Some((by as u8, seat));
        Self { kind, body, by_survivor: None, by_special, since: now, until }
    }
}

impl World {
    /// Adds a hazard, if there is room for it.
    pub(crate) fn add_hazard(&mut self, hazard: Hazard) {
        if self.hazards.len() < self.hazards.capacity() {
            self.hazards.push(hazard);
        }
    }

    pub(crate) fn move_hazards(&mut self) {
        if self.lure.is_some_and(|lure| self.now >= lure.until) {
            self.lure = None;
        }
        let mut k = 0;
        while k < self.hazards.len() {
            if self.move_hazard(k) {
                k += 1;
            } else {
                self.hazards.swap_remove(k);
            }
        }
        self.burn();
    }

    /// A tick of one; tells whether it is still there.
    fn move_hazard(&mut self, k: usize) -> bool {
        let now = self.now;
        let terrain = self.terrain.clone();
        let hazard = &mut self.hazards[k];
        if hazard.kind.flies() {
            let moved = hazard.body.drift(&terrain);
            let rests = moved.landed.is_some() || hazard.body.on_ground;
            if rests {
                hazard.body.velocity = [0.0; 3];
            }
            let hazard = *hazard;
            let hit = match hazard.kind {
                HazardKind::Rock => self.rock_hits(&hazard) || moved.blocked,
                _ => rests || moved.blocked,
            };
            return self.fly(k, hazard, hit || rests);
        }
        let hazard = *hazard;
        if now >= hazard.until {
            return false;
        }
        if hazard.kind == HazardKind::Pool {
            let age = (now - hazard.since) as f32 * TICK_SECS / POOL_SECS;
            let rate = POOL_DAMAGE[0] + age.min(1.0) * (POOL_DAMAGE[1] - POOL_DAMAGE[0]);
            let seat = hazard.by_special.and_then(|(_, seat)| seat);
            let rate = rate * self.difficulty.special_factor();
            for i in 0..SURVIVORS {
                if self.survivors[i].is_alive()
                    && distance(self.survivors[i].body.at, hazard.body.at) < POOL_RADIUS
                {
                    self.hurt(i, rate * TICK_SECS, Source::Acid(seat));
                }
            }
        } else {
            for i in 0..SURVIVORS {
                if self.survivors[i].is_alive()
                    && distance(self.survivors[i].body.at, hazard.body.at) < FIRE_RADIUS
                {
                    self.hurt(i, FIRE_DAMAGE * TICK_SECS, Source::Fire);
                }
            }
            let at = hazard.body.at;
            for common in &mut self.commons {
                if !common.burning && distance(common.body.at, at) < FIRE_RADIUS {
                    (common.burning, common.burnt_by) = (true, hazard.by_survivor);
                }
            }
            for special in self.specials.iter_mut().filter(|s| s.alive) {
                if !special.burning && distance(special.body.at, at) < FIRE_RADIUS {
                    (special.burning, special.burnt_by) = (true, hazard.by_survivor);
                }
            }
        }
        true
    }

    /// What becomes of something that flew; tells whether it is still there.
    fn fly(&mut self, k: usize, hazard: Hazard, hit: bool) -> bool {
        let now = self.now;
        match hazard.kind {
            HazardKind::PipeBomb => {
                let lure = Lure {
                    at: hazard.body.at,
                    area: hazard.body.area,
                    range: PIPE_HEARD,
                    until: hazard.until,
                };
                self.lure = Some(lure);
                if now >= hazard.until {
                    self.explode(&hazard);
                    return false;
                }
                true
            }
            HazardKind::Molotov if hit => {
                self.become_pool(k, HazardKind::Fire, FIRE_SECS);
                true
            }
            HazardKind::Spit if hit => {
                self.become_pool(k, HazardKind::Pool, POOL_SECS);
                true
            }
            HazardKind::Jar if hit => {
                let (at, area) = (hazard.body.at, hazard.body.area);
                self.lure = Some(Lure { at, area, range: 1500.0, until: now + ticks(JAR_SECS) });
                false
            }
            HazardKind::Rock if hit => false,
            _ => now < hazard.until,
        }
    }

    fn become_pool(&mut self, k: usize, kind: HazardKind, secs: f32) {
        let now = self.now;
        let ground = self.hazards[k].body.ground(&self.terrain);
        let hazard = &mut self.hazards[k];
        hazard.kind = kind;
        hazard.body.at[2] = ground;
        hazard.body.velocity = [0.0; 3];
        (hazard.since, hazard.until) = (now, now + ticks(secs));
    }

    fn rock_hits(&mut self, hazard: &Hazard) -> bool {
        let Some((by, seat)) = hazard.by_special else { return true };
        let near = |s: &crate::sim::survivor::Survivor| {
            let middle = [s.body.at[0], s.body.at[1], s.body.at[2] + 35.0];
            s.is_alive() && distance(middle, hazard.body.at) < ROCK_RADIUS
        };
        let Some(i) = self.survivors.iter().position(near) else { return false };
        let damage = self.difficulty.tank_damage();
        // A place is somebody else's soon after its tank is dead.
        let by = usize::from(by);
        let there = self
            .specials
            .get(by)
            .is_some_and(|s| s.alive && s.class == Class::Tank && s.born_at <= hazard.since);
        let source = if there { Source::Special(by) } else { Source::Rock(seat) };
        self.hurt(i, damage, source);
        self.fling(i, hazard.body.velocity, 0.3);
        true
    }

    fn explode(&mut self, hazard: &Hazard) {
        let by = hazard.by_survivor.map(usize::from);
        let at = hazard.body.at;
        for k in 0..self.commons.len() {
            if distance(self.commons[k].body.at, at) < PIPE_RADIUS {
                self.hurt_common(k, 1000.0, by);
            }
        }
        self.bury();
        for k in 0..self.specials.len() {
            let far = distance(self.specials[k].body.at, at);
            if self.specials[k].alive && far < PIPE_RADIUS {
                self.hurt_special(k, PIPE_DAMAGE * (1.0 - far / PIPE_RADIUS), by);
            }
        }
        self.lure = None;
        for common in self.commons.iter_mut().filter(|c| c.mood == Mood::Lured) {
            common.mood = Mood::Idle { noticed: 0.0 };
        }
    }

    /// What fire does to those who have caught it.
    fn burn(&mut self) {
        let damage = FIRE_DAMAGE_INFECTED * TICK_SECS;
        for k in 0..self.commons.len() {
            if self.commons[k].burning {
                let by = self.commons[k].burnt_by.map(usize::from);
                self.hurt_common(k, damage, by);
            }
        }
        self.bury();
        for k in 0..self.specials.len() {
            if self.specials[k].alive && self.specials[k].burning {
                // A tank burns down in 75 to 85 seconds, whatever its health (facts §5).
                let damage = match self.specials[k].class {
                    Class::Tank => self.difficulty.tank_health() / 80.0 * TICK_SECS,
                    _ => damage,
                };
                let by = self.specials[k].burnt_by.map(usize::from);
                self.hurt_special(k, damage, by);
            }
        }
    }
}

//! Commons: they stand about, notice, run and strike.

use rand::RngExt;

use crate::nav::AreaIndex;
use crate::sim::infected::{Common, Mood};
use crate::sim::motion::{Body, Heading, heading};
use crate::sim::numbers::{
    ACQUIRE_FAR, ACQUIRE_NEAR, ACQUIRE_SECS, COMMON_ATTACK_SECS, COMMON_HEALTH, COMMON_REACH,
    COMMON_SPEED, COMMON_WANDER_SPEED, DISCARD_RANGE, FROM_BEHIND, SLOWED_SECS, TICK_SECS, ticks,
};
use crate::sim::space::{direction, distance, facing, flat_distance_squared, yaw_to};
use crate::sim::world::{MOST_COMMONS, SURVIVORS, Source, World};

/// Idle ones look around every so many ticks; each has a tick of its own.
const LOOKS_EVERY: u32 = 6;
/// Chasing ones think again about whom to chase every so many ticks: a multiple of [`LOOKS_EVERY`].
const THINKS_EVERY: u32 = 30;
/// A gun is heard this far, and wakes those who cannot see it. No source.
const NOISE_RANGE: f32 = 600.0;
/// Ticks without getting anywhere after which a common gives up and goes: ours.
const MOST_STUCK: u16 = 300;

impl World {
    /// A common appears in an area; tells whether there was room for it.
    pub(crate) fn add_common(&mut self, area: AreaIndex, mood: Mood) -> bool {
        if self.commons.len() >= MOST_COMMONS {
            return false;
        }
        let (x, y) = self.somewhere(area);
        let yaw = self.rng.random::<f32>() * 360.0 - 180.0;
        let now = self.now;
        self.commons.push(Common {
            body: Body::standing(&self.terrain, area, x, y),
            yaw,
            health: COMMON_HEALTH,
            mood,
            stumbles_until: now,
            strikes_from: now,
            burning: false,
            burnt_by: None,
            busy_at: now,
            stuck: 0,
        });
        true
    }

    pub(crate) fn move_commons(&mut self) {
        for k in 0..self.commons.len() {
            self.move_common(k);
        }
        self.bury();
    }

    fn move_common(&mut self, k: usize) {
        let now = self.now;
        let terrain = self.terrain.clone();
        let common = &mut self.commons[k];
        if now < common.stumbles_until {
            common.body.drift(&terrain);
            return;
        }
        if now.wrapping_add(k as u32).is_multiple_of(LOOKS_EVERY) {
            self.think(k);
        }
        let common = &mut self.commons[k];
        match common.mood {
            Mood::Idle { .. } => {
                // Most of them stand; some drift about in the direction they look.
                let wanders = (k as u32 + now / 90).is_multiple_of(4);
                if wanders {
                    let wish = facing(common.yaw);
                    if common.body.run(&terrain, wish, COMMON_WANDER_SPEED).blocked {
                        common.yaw = crate::sim::space::wrapped(common.yaw + 137.0);
                    }
                } else {
                    common.body.run(&terrain, [0.0, 0.0], 0.0);
                }
            }
            Mood::Lured => self.follow_lure(k),
            Mood::Chase(whom) => self.chase(k, usize::from(whom)),
        }
    }

    fn follow_lure(&mut self, k: usize) {
        let terrain = self.terrain.clone();
        let Some(lure) = self.lure else {
            self.commons[k].mood = Mood::Idle { noticed: 0.0 };
            return;
        };
        let common = &mut self.commons[k];
        if distance(common.body.at, lure.at) > 40.0 {
            run_to(&terrain, common, lure.area, lure.at);
        } else {
            common.body.run(&terrain, [0.0, 0.0], 0.0);
        }
    }

    fn chase(&mut self, k: usize, whom: usize) {
        let now = self.now;
        let terrain = self.terrain.clone();
        let victim = &self.survivors[whom];
        let (at, area, yaw) = (victim.body.at, victim.body.area, victim.yaw);
        let alive = victim.is_alive();
        let common = &mut self.commons[k];
        if !alive {
            common.mood = Mood::Idle { noticed: 0.0 };
            return;
        }
        let near = flat_distance_squared(common.body.at, at) < COMMON_REACH * COMMON_REACH
            && (common.body.at[2] - at[2]).abs() < 80.0
            && terrain.sees(common.body.area, area);
        if !near {
            run_to(&terrain, common, area, at);
            return;
        }
        common.yaw = yaw_to(common.body.at, at);
        common.body.run(&terrain, [0.0, 0.0], 0.0);
        common.stuck = 0;
        if now < common.strikes_from {
            return;
        }
        common.strikes_from = now + ticks(COMMON_ATTACK_SECS);
        common.busy_at = now;
        let (to, _) = direction(at, common.body.at);
        let ahead = facing(yaw);
        let behind = to[0] * ahead[0] + to[1] * ahead[1] < 0.0;
        let damage = self.difficulty.common_damage() * if behind { FROM_BEHIND } else { 1.0 };
        self.survivors[whom].slowed_until = now + ticks(SLOWED_SECS);
        self.hurt(whom, damage, Source::Common);
    }

    /// Notices somebody, or chooses whom to chase.
    fn think(&mut self, k: usize) {
        let now = self.now;
        let (at, area, mood) = {
            let common = &self.commons[k];
            (common.body.at, common.body.area, common.mood)
        };
        if self.lure.is_some_and(|lure| distance(lure.at, at) < lure.range) {
            self.commons[k].mood = Mood::Lured;
            return;
        }
        match mood {
            Mood::Idle { noticed } => {
                let mut gain: f32 = 0.0;
                let mut seen = None;
                for (i, s) in self.survivors.iter().enumerate().filter(|(_, s)| s.is_alive()) {
                    let far = distance(at, s.body.at);
                    if far > ACQUIRE_FAR || !self.terrain.sees(area, s.body.area) {
                        continue;
                    }
                    let share =
                        ((far - ACQUIRE_NEAR) / (ACQUIRE_FAR - ACQUIRE_NEAR)).clamp(0.0, 1.0);
                    let secs = ACQUIRE_SECS[0] + share * (ACQUIRE_SECS[1] - ACQUIRE_SECS[0]);
                    let rate = 1.0 / secs;
                    if rate > gain {
                        (gain, seen) = (rate, Some(i));
                    }
                }
                let noticed = match seen {
                    Some(_) => noticed + gain * LOOKS_EVERY as f32 * TICK_SECS,
                    None => 0.0,
                };
                self.commons[k].mood = match seen {
                    Some(i) if noticed >= 1.0 => Mood::Chase(i as u8),
                    _ => Mood::Idle { noticed },
                };
                let far =
                    self.nearest_survivor(at, |_, _| true).is_none_or(|(_, d)| d > DISCARD_RANGE);
                if far && self.commons[k].busy_at + ticks(5.0) < now {
                    self.commons[k].health = 0.0;
                }
            }
            Mood::Lured => {
                if self.lure.is_none() {
                    self.commons[k].mood = Mood::Idle { noticed: 0.0 };
                }
            }
            Mood::Chase(whom) => {
                if now.wrapping_add(k as u32).is_multiple_of(THINKS_EVERY)
                    || !self.survivors[usize::from(whom)].is_alive()
                {
                    self.commons[k].mood = self.whom_to_chase(k);
                }
                if self.commons[k].stuck > MOST_STUCK {
                    self.commons[k].health = 0.0;
                }
            }
        }
    }

    /// The nearest by the way there; whoever is covered in bile smells nearer.
    fn whom_to_chase(&self, k: usize) -> Mood {
        let common = &self.commons[k];
        let mut best = (f32::INFINITY, None);
        for i in 0..SURVIVORS {
            let s = &self.survivors[i];
            if !s.is_alive() {
                continue;
            }
            let way = self.terrain.distance(common.body.area, s.body.area);
            let straight = distance(common.body.at, s.body.at);
            let mut far = if way.is_finite() { way.max(straight) } else { straight + 5000.0 };
            if self.now < s.biled_until {
                far *= 0.3;
            }
            if far < best.0 {
                best = (far, Some(i as u8));
            }
        }
        best.1.map_or(Mood::Idle { noticed: 0.0 }, Mood::Chase)
    }

    /// A gun is heard by those around.
    pub(crate) fn startle_by_noise(&mut self, i: usize) {
        let at = self.survivors[i].body.at;
        for common in &mut self.commons {
            if matches!(common.mood, Mood::Idle { .. })
                && distance(common.body.at, at) < NOISE_RANGE
            {
                common.mood = Mood::Chase(i as u8);
            }
        }
    }
}

fn run_to(
    terrain: &crate::nav::Terrain,
    common: &mut Common,
    area: AreaIndex,
    at: crate::nav::Point,
) {
    let before = common.body.at;
    if common.body.climb.is_some() {
        let along = climb_direction(terrain, &common.body);
        common.body.run(terrain, along, COMMON_SPEED);
        return;
    }
    match heading(terrain, &common.body, area, at) {
        Heading::Run(point) => {
            let (wish, _) = direction(common.body.at, point);
            if wish != [0.0, 0.0] {
                common.yaw = wish[1].atan2(wish[0]).to_degrees();
            }
            common.body.run(terrain, wish, COMMON_SPEED);
        }
        Heading::Climb(link) => common.body.climb(link),
        Heading::Stay => {
            common.body.run(terrain, [0.0, 0.0], 0.0);
            common.stuck = common.stuck.saturating_add(4);
        }
    }
    if flat_distance_squared(before, common.body.at) < 1.0 {
        common.stuck = common.stuck.saturating_add(1);
    } else {
        common.stuck = 0;
    }
}

/// The wish that carries a climber on.
pub(crate) fn climb_direction(terrain: &crate::nav::Terrain, body: &Body) -> [f32; 2] {
    let Some(climb) = body.climb else { return [0.0, 0.0] };
    let link = terrain.links(body.area)[usize::from(climb.link)];
    match direction(link.from_point, link.to_point) {
        // Upright: any wish goes on.
        (_, flat) if flat < 1.0 => [1.0, 0.0],
        (along, _) => along,
    }
}

//! How hard it is: the intensity of each survivor, which the phases follow, and the stress of the team, which
//! a learnt director keeps near its target.

use crate::nav::Point;
use crate::sim::infected::Class;
use crate::sim::numbers::{FULL_HEALTH, TICK_SECS, ticks};
use crate::sim::space::distance;
use crate::sim::survivor::Condition;
use crate::sim::world::{SURVIVORS, World};

/// From a peak to nothing, if nobody is engaged. No source; the slides say that it decays.
pub const DECAY_SECS: f32 = 30.0;
/// Whoever was hurt or saw an infected die near by within so long is engaged.
const ENGAGED_SECS: f32 = 2.0;
/// A death this far away is not felt.
const DEATH_RANGE: f32 = 500.0;
/// One at arm's length adds so much.
const DEATH_NEAR: f32 = 0.05;
/// What a blow of all one's health adds.
const HURT_WEIGHT: f32 = 2.0;
/// What going down or over a ledge adds: at once a peak.
const DOWN: f32 = 1.0;

impl World {
    /// A survivor lost a share of its health, and perhaps went down.
    pub(crate) fn stress(&mut self, i: usize, share: f32, down: bool) {
        let s = &mut self.survivors[i];
        s.intensity = (s.intensity + HURT_WEIGHT * share + if down { DOWN } else { 0.0 }).min(1.0);
        s.engaged_at = self.now;
        self.director.recent_damage += share * FULL_HEALTH;
    }

    /// An infected died: the nearer, the more it is felt.
    pub(crate) fn feel_death(&mut self, at: Point) {
        let now = self.now;
        for s in self.survivors.iter_mut().filter(|s| s.is_alive()) {
            let far = distance(s.body.at, at);
            if far < DEATH_RANGE {
                s.intensity = (s.intensity + DEATH_NEAR * (1.0 - far / DEATH_RANGE)).min(1.0);
                s.engaged_at = now;
            }
        }
    }

    /// Intensity fades for those who are not engaged; the team's is the highest.
    pub(crate) fn feel(&mut self) {
        let now = self.now;
        let mut most: f32 = 0.0;
        for s in &mut self.survivors {
            if !s.is_alive() {
                s.intensity = 0.0;
                continue;
            }
            if now > s.engaged_at + ticks(ENGAGED_SECS) {
                s.intensity = (s.intensity - TICK_SECS / DECAY_SECS).max(0.0);
            }
            most = most.max(s.intensity);
        }
        self.director.intensity = most;
    }

    /// What a director looks at.
    pub fn strain(&self) -> Strain {
        let mut strain = Strain::default();
        let mut lowest = f32::INFINITY;
        for s in self.survivors.iter().filter(|s| s.present) {
            strain.survivors += 1.0;
            let health = match s.condition {
                Condition::Up => s.health + s.temporary,
                _ => 0.0,
            };
            strain.mean_health += health;
            match s.condition {
                Condition::Dead => strain.dead += 1.0,
                Condition::Up => lowest = lowest.min(health),
                _ => {
                    strain.down += 1.0;
                    lowest = 0.0;
                }
            }
            strain.items += f32::from(s.pack.is_some())
                + f32::from(s.dose.is_some())
                + f32::from(s.throwable.is_some());
        }
        if strain.survivors > 0.0 {
            strain.mean_health /= strain.survivors;
        }
        strain.least_health = if lowest.is_finite() { lowest } else { 0.0 };
        strain.commons = self.commons.len() as f32;
        for special in self.specials.iter().filter(|s| s.alive) {
            match special.class {
                Class::Tank => strain.tank = true,
                Class::Witch => strain.witches += 1.0,
                _ => strain.specials += 1.0,
            }
        }
        strain.panic = self.now < self.director.panic_until || self.director.to_come > 0;
        debug_assert!(strain.survivors as usize <= SURVIVORS);
        strain
    }
}

/// What a director looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Strain {
    /// Survivors in the match.
    pub survivors: f32,
    /// Their health, on average; whoever is down has none.
    pub mean_health: f32,
    /// The lowest of those who live.
    pub least_health: f32,
    /// How many are down.
    pub down: f32,
    /// How many are dead.
    pub dead: f32,
    /// Commons about.
    pub commons: f32,
    /// Specials about.
    pub specials: f32,
    /// Witches about.
    pub witches: f32,
    /// Is there a tank?
    pub tank: bool,
    /// Is there a panic?
    pub panic: bool,
    /// Things that survivors carry.
    pub items: f32,
}

impl Strain {
    /// The team's stress, 0 to 1, as the original's director reckons it (facts §1).
    pub fn stress(&self) -> f32 {
        let mut stress = 0.0;
        if self.mean_health < 50.0 {
            stress += 0.3 * (1.0 - self.mean_health / 50.0);
        }
        if self.panic {
            stress += 0.4;
        } else if self.commons > 20.0 {
            stress += 0.2;
        }
        stress += 0.2 * (self.specials / 5.0).min(1.0);
        if self.tank {
            stress += 0.3;
        }
        let each = self.items / self.survivors.max(1.0);
        if each < 1.0 {
            stress += 0.1 * (1.0 - each);
        }
        stress.min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stress_is_what_the_original_reckons() {
        let calm = Strain { survivors: 4.0, mean_health: 100.0, items: 4.0, ..Strain::default() };
        assert_eq!(calm.stress(), 0.0);
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-6, "{a} {b}");
        near(Strain { mean_health: 25.0, ..calm }.stress(), 0.15);
        near(Strain { panic: true, commons: 30.0, ..calm }.stress(), 0.4);
        near(Strain { commons: 21.0, ..calm }.stress(), 0.2);
        near(Strain { specials: 3.0, ..calm }.stress(), 0.12);
        near(Strain { tank: true, ..calm }.stress(), 0.3);
        near(Strain { items: 1.0, ..calm }.stress(), 0.075);
        let worst = Strain { mean_health: 0.0, panic: true, specials: 9.0, tank: true, ..calm };
        assert_eq!(Strain { items: 0.0, ..worst }.stress(), 1.0);
    }
}

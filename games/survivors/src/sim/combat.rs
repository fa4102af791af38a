//! Bullets and shoves: who is hit, and what it does.

use rand::RngExt;

use crate::nav::Point;
use crate::sim::infected::{Class, Deed};
use crate::sim::motion::Body;
use crate::sim::numbers::{
    HULL_HEIGHT, HULL_WIDTH, SHOVE_HALF_ANGLE, SHOVE_RANGE, STUMBLE_SECS, ticks,
};
use crate::sim::space::{direction, distance, facing, look};
use crate::sim::world::{MOST_COMMONS, MOST_SPECIALS, SURVIVORS, Shot, Source, World};

/// Bullets meet a body up to this far from its axis: ours.
const BODY_RADIUS: f32 = 0.5 * HULL_WIDTH + 2.0;
/// Nothing wider than this around the line of sight is looked at.
const WIDEST_CONE_COS: f32 = 0.94;

/// Something that a bullet can meet.
#[derive(Clone, Copy)]
enum Target {
    Common(usize),
    Special(usize),
    Fellow(usize),
}

#[derive(Clone, Copy)]
struct Candidate {
    what: Target,
    feet: Point,
    height: f32,
}

const MOST_TARGETS: usize = MOST_COMMONS + MOST_SPECIALS + SURVIVORS;

impl World {
    /// A shot of a survivor's gun: bullets fly at once.
    pub(crate) fn shoot(&mut self, i: usize) {
        let shooter = &self.survivors[i];
        let gun = shooter.gun().weapon.ballistics();
        let (eyes, yaw, pitch) = (shooter.eyes(), shooter.yaw, shooter.pitch);
        // Moving spreads, crouching steadies. By how much: no source.
        let speed = shooter.body.speed() / 220.0;
        let steady = if shooter.crouched { 0.6 } else { 1.0 };
        let spread = gun.spread_degrees * steady * (1.0 + 0.8 * speed);
        let mut targets =
            [Candidate { what: Target::Fellow(i), feet: eyes, height: 0.0 }; MOST_TARGETS];
        let count = self.in_front(i, eyes, look(yaw, pitch), gun.range, &mut targets);
        for _ in 0..gun.pellets {
            let (u, v): (f32, f32) = (self.rng.random(), self.rng.random());
            let ray = look(yaw + spread * (2.0 * u - 1.0), pitch + spread * (2.0 * v - 1.0));
            let mut nearest: Option<(Target, f32)> = None;
            for candidate in &targets[..count] {
                if let Some(far) = meets(eyes, ray, candidate)
                    && far <= gun.range
                    && nearest.is_none_or(|(_, least)| far < least)
                {
                    nearest = Some((candidate.what, far));
                }
            }
            let end = nearest.map_or(gun.range.min(1500.0), |(_, far)| far);
            if self.shots.len() < self.shots.capacity() {
                let to = std::array::from_fn(|axis| eyes[axis] + ray[axis] * end);
                self.shots.push(Shot { from: eyes, to });
            }
            if let Some((target, far)) = nearest {
                let damage = gun.damage_at(far);
                match target {
                    Target::Common(k) => self.hurt_common(k, damage, Some(i)),
                    Target::Special(k) => self.hurt_special(k, damage, Some(i)),
                    Target::Fellow(j) => {
                        let damage = damage * self.difficulty.friendly_fire();
                        self.hurt(j, damage, Source::Fellow(i));
                    }
                }
            }
        }
        self.bury();
        self.startle_by_noise(i);
    }

    /// Whatever a bullet along `ray` might meet.
    fn in_front(
        &self,
        i: usize,
        eyes: Point,
        ray: Point,
        range: f32,
        found: &mut [Candidate; MOST_TARGETS],
    ) -> usize {
        let from = self.survivors[i].body.area;
        let mut count = 0;
        let mut consider = |what: Target, feet: Point, area: u16, height: f32| {
            let middle = [feet[0], feet[1], feet[2] + 0.5 * height];
            let far = distance(eyes, middle);
            if far > range || count == MOST_TARGETS {
                return;
            }
            let along: f32 = (0..3).map(|axis| (middle[axis] - eyes[axis]) * ray[axis]).sum();
            // Near by, a body fills the view.
            if far > 80.0 && along < far * WIDEST_CONE_COS {
                return;
            }
            if self.terrain.sees(from, area) {
                found[count] = Candidate { what, feet, height };
                count += 1;
            }
        };
        for (k, common) in self.commons.iter().enumerate() {
            consider(Target::Common(k), common.body.at, common.body.area, HULL_HEIGHT);
        }
        for (k, special) in self.specials.iter().enumerate().filter(|(_, s)| s.alive) {
            let height = if special.class == Class::Tank { 1.2 * HULL_HEIGHT } else { HULL_HEIGHT };
            consider(Target::Special(k), special.body.at, special.body.area, height);
        }
        for (j, s) in self.survivors.iter().enumerate().filter(|(j, s)| *j != i && s.is_alive()) {
            let height = if s.is_up() && !s.crouched { HULL_HEIGHT } else { 0.4 * HULL_HEIGHT };
            consider(Target::Fellow(j), s.body.at, s.body.area, height);
        }
        count
    }

    /// Takes from a common; it stays on the list until [`World::bury`].
    pub(crate) fn hurt_common(&mut self, k: usize, damage: f32, by: Option<usize>) {
        let common = &mut self.commons[k];
        if common.health <= 0.0 {
            return;
        }
        let taken = damage.min(common.health);
        common.health -= damage;
        common.busy_at = self.now;
        let (dead, at) = (common.health <= 0.0, common.body.at);
        if let Some(i) = by {
            self.deeds[i].damage += taken;
            self.survivors[i].record.damage += taken;
            if dead {
                self.deeds[i].kills += 1.0;
                self.survivors[i].record.kills += 1.0;
            } else if let crate::sim::infected::Mood::Idle { .. } = self.commons[k].mood {
                self.commons[k].mood = crate::sim::infected::Mood::Chase(i as u8);
            }
        }
        if dead {
            self.director.recent_kills += 1.0;
            self.feel_death(at);
        }
    }

    /// Removes the commons that are dead.
    pub(crate) fn bury(&mut self) {
        let mut k = 0;
        while k < self.commons.len() {
            if self.commons[k].health <= 0.0 {
                self.commons.swap_remove(k);
            } else {
                k += 1;
            }
        }
    }

    /// Takes from a special, a witch or a tank.
    pub(crate) fn hurt_special(&mut self, k: usize, damage: f32, by: Option<usize>) {
        let now = self.now;
        let special = &mut self.specials[k];
        if !special.alive {
            return;
        }
        let taken = damage.min(special.health);
        special.health -= damage;
        special.busy_at = now;
        if let (Class::Witch, Some(i)) = (special.class, by) {
            special.deed = Deed::Rage { whom: i as u8 };
        }
        if let Some(i) = by {
            self.deeds[i].damage += taken;
            self.survivors[i].record.damage += taken;
        }
        if self.specials[k].health <= 0.0 {
            if let Some(i) = by {
                self.deeds[i].kills += 1.0;
                self.deeds[i].special_kills += 1.0;
                self.survivors[i].record.kills += 1.0;
            }
            self.director.recent_kills += 1.0;
            self.kill_special(k, by);
        }
    }

    /// A shove: commons stumble, whoever holds a fellow lets go, a lunge ends on the floor.
    pub(crate) fn shove(&mut self, i: usize) {
        let now = self.now;
        let s = &self.survivors[i];
        let Body { at, area, .. } = s.body;
        let ahead = facing(s.yaw);
        let terrain = self.terrain.clone();
        let least = SHOVE_HALF_ANGLE.to_radians().cos();
        let met = |body: &Body| {
            let (to, far) = direction(at, body.at);
            let near = far <= SHOVE_RANGE && (body.at[2] - at[2]).abs() < HULL_HEIGHT;
            let ahead = far < HULL_WIDTH || to[0] * ahead[0] + to[1] * ahead[1] >= least;
            near && ahead && terrain.sees(area, body.area)
        };
        for common in self.commons.iter_mut().filter(|c| met(&c.body)) {
            common.stumbles_until = now + ticks(STUMBLE_SECS);
            let (away, _) = direction(at, common.body.at);
            common.body.velocity = [away[0] * 150.0, away[1] * 150.0, 0.0];
        }
        for k in 0..self.specials.len() {
            let special = &self.specials[k];
            if !special.alive {
                continue;
            }
            let victim = special.held().map(usize::from);
            // A fellow who is held may be freed by a shove at either of the two.
            let reached = met(&special.body)
                || victim.is_some_and(|v| v != i && met(&self.survivors[v].body));
            if !reached {
                continue;
            }
            match special.class {
                // Nothing moves a tank or a witch, and only death ends a charge.
                Class::Tank | Class::Witch | Class::Charger => {}
                _ => {
                    let lunged = matches!(special.deed, Deed::Lunge { .. });
                    if let Some(v) = victim.filter(|&v| v != i) {
                        self.release(v);
                        self.deeds[i].rescues += 1.0;
                    } else if victim.is_some() {
                        continue;
                    }
                    let special = &mut self.specials[k];
                    special.deed = Deed::Stalk;
                    special.stumbles_until = now + ticks(if lunged { 1.5 } else { STUMBLE_SECS });
                    special.body.velocity[0] = 0.0;
                    special.body.velocity[1] = 0.0;
                }
            }
        }
    }
}

/// How far along a ray it meets a body, if it does: an upright cylinder.
fn meets(eyes: Point, ray: Point, candidate: &Candidate) -> Option<f32> {
    let Candidate { feet, height, .. } = *candidate;
    let flat = ray[0] * ray[0] + ray[1] * ray[1];
    if flat < 1e-6 {
        return None;
    }
    let (dx, dy) = (feet[0] - eyes[0], feet[1] - eyes[1]);
    let along = (dx * ray[0] + dy * ray[1]) / flat;
    if along <= 0.0 {
        return None;
    }
    let (px, py) = (eyes[0] + ray[0] * along - feet[0], eyes[1] + ray[1] * along - feet[1]);
    if px * px + py * py > BODY_RADIUS * BODY_RADIUS {
        return None;
    }
    let z = eyes[2] + ray[2] * along;
    (feet[2] - 4.0..=feet[2] + height).contains(&z).then_some(along)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_meets_what_is_in_its_way() {
        let body = |feet: Point| Candidate { what: Target::Fellow(0), feet, height: 71.0 };
        let eyes = [0.0, 0.0, 62.0];
        let far = meets(eyes, look(0.0, 0.0), &body([300.0, 10.0, 0.0])).unwrap();
        assert!((far - 300.0).abs() < 1e-3);
        assert!(meets(eyes, look(0.0, 0.0), &body([300.0, 19.0, 0.0])).is_none(), "beside it");
        assert!(meets(eyes, look(0.0, 0.0), &body([-300.0, 0.0, 0.0])).is_none(), "behind");
        assert!(meets(eyes, look(0.0, -20.0), &body([300.0, 0.0, 0.0])).is_none(), "over it");
        assert!(meets(eyes, look(0.0, 6.0), &body([300.0, 0.0, 0.0])).is_some(), "lower");
    }
}

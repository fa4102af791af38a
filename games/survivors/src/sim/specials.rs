//! What specials, witches and tanks can do. Who decides that they do it is somebody else: a player, or
//! [`crate::sim::stalking`].

use crate::nav::{AreaIndex, Point};
use crate::sim::commons::climb_direction;
use crate::sim::hazards::{Hazard, HazardKind};
use crate::sim::infected::{Class, Deed, Special};
use crate::sim::motion::{Body, Heading, heading};
use crate::sim::numbers::{HULL_HEIGHT, TICK_SECS, ticks};
use crate::sim::space::{direction, distance, facing, look, turned, yaw_to};
use crate::sim::survivor::Hold;
use crate::sim::world::{Command, MOST_SPECIALS, SURVIVORS, Source, World, button};

/// A tongue flies so fast. General knowledge.
const TONGUE_SPEED: f32 = 1000.0;
/// A tongue that misses can be shot again after this (facts §5).
const TONGUE_MISS_SECS: f32 = 15.0;
/// A smoker drags so fast. No source.
const DRAG_SPEED: f32 = 250.0;
/// A hunter's lunge (facts §5).
const LUNGE_SPEED: f32 = 750.0;
/// A jockey's leap. No source.
const LEAP_SPEED: f32 = 400.0;
/// A charge (facts §5).
const CHARGE_SPEED: f32 = 500.0;
/// And how long it may take. General knowledge.
const CHARGE_SECS: f32 = 2.5;
/// Where a charge meets somebody, others this near are flung (facts §5: impact radius 120).
const CHARGE_IMPACT: f32 = 120.0;
/// What meeting somebody costs them, and others who are flung. No source.
const CHARGE_DAMAGE: [f32; 2] = [10.0, 2.0];
/// A lunge or a charge takes whoever is this near, and a charge that carries flings them. No source.
const CATCH_RANGE: f32 = 58.0;
/// Whoever is flung cannot do anything for so long. No source.
const FLUNG_SECS: f32 = 1.0;
/// A jockey rides so fast. No source.
const RIDE_SPEED: f32 = 110.0;
/// A boomer's last gift reaches so far (facts §5).
const SPLAT_RADIUS: f32 = 200.0;
/// Bile lasts. General knowledge.
const BILE_SECS: f32 = 15.0;
/// A rock is thrown so hard (facts §5: throw force 800).
const ROCK_SPEED: f32 = 800.0;
/// Claws reach so far, and a tank's fist. No source.
const CLAW_RANGE: f32 = 70.0;
const FIST_RANGE: f32 = 100.0;
/// A tank swings so often (facts §5).
const SWING_SECS: f32 = 1.5;
/// An ability goes to whoever is this near to where one looks, in degrees: ours.
const AIM_CONE_DEGREES: f32 = 25.0;

impl World {
    /// A special appears; tells its place, if there was room for it.
    pub(crate) fn add_special(&mut self, class: Class, area: AreaIndex) -> Option<usize> {
        let (x, y) = self.somewhere(area);
        let body = Body::standing(&self.terrain, area, x, y);
        let special = Special::new(class, body, 0.0, self.difficulty, self.now);
        match self.specials.iter().position(|s| !s.alive) {
            Some(k) => {
                self.specials[k] = special;
                Some(k)
            }
            None if self.specials.len() < MOST_SPECIALS => {
                self.specials.push(special);
                Some(self.specials.len() - 1)
            }
            None => None,
        }
    }

    /// A special dies.
    pub(crate) fn kill_special(&mut self, k: usize, by: Option<usize>) {
        let special = &mut self.specials[k];
        special.alive = false;
        let (class, at, seat, held) =
            (special.class, special.body.at, special.seat, special.held());
        special.deed = Deed::Stalk;
        if let Some(seat) = seat {
            self.harm[usize::from(seat)].died += 1.0;
        }
        if let Some(victim) = held {
            let victim = usize::from(victim);
            self.survivors[victim].hold = None;
            if let Some(i) = by.filter(|&i| i != victim) {
                self.deeds[i].rescues += 1.0;
            }
        }
        if class == Class::Boomer {
            for i in 0..SURVIVORS {
                if self.survivors[i].is_alive()
                    && distance(self.survivors[i].body.at, at) < SPLAT_RADIUS
                {
                    self.bile(i, seat);
                }
            }
        }
        self.feel_death(at);
        self.special_died(class, seat);
    }

    /// Covers a survivor in bile: what can smell comes.
    pub(crate) fn bile(&mut self, i: usize, seat: Option<u8>) {
        let now = self.now;
        let fresh = now >= self.survivors[i].biled_until;
        self.survivors[i].biled_until = now + ticks(BILE_SECS);
        if let Some(seat) = seat.filter(|_| fresh) {
            self.harm[usize::from(seat)].caught += 1.0;
        }
        self.call_horde();
    }

    /// Throws a survivor through the air.
    pub(crate) fn fling(&mut self, i: usize, velocity: Point, lift: f32) {
        let s = &mut self.survivors[i];
        if !s.is_up() || s.hold.is_some() {
            return;
        }
        s.body.let_go(&self.terrain);
        let speed = velocity[0].hypot(velocity[1]).max(1.0);
        let scale = 300.0 / speed;
        s.body.velocity = [velocity[0] * scale, velocity[1] * scale, 200.0 + 200.0 * lift];
        s.body.on_ground = false;
        s.task = None;
        s.staggers_until = self.now + ticks(FLUNG_SECS);
    }

    pub(crate) fn move_specials(&mut self, played: &[Command]) {
        for k in 0..self.specials.len() {
            if !self.specials[k].alive {
                continue;
            }
            let command = match self.specials[k].seat {
                Some(seat) => played.get(usize::from(seat)).copied().unwrap_or_default(),
                None => self.stalk(k),
            };
            self.act_special(k, &command);
        }
    }

    fn act_special(&mut self, k: usize, command: &Command) {
        let now = self.now;
        let terrain = self.terrain.clone();
        let special = &mut self.specials[k];
        if now < special.stumbles_until {
            special.body.drift(&terrain);
            return;
        }
        // Nobody steers a charge.
        if !matches!(special.deed, Deed::Charge { .. }) {
            special.yaw = turned(special.yaw, command.yaw, 40.0);
        }
        special.pitch = command.pitch.clamp(-89.0, 89.0);
        match special.deed {
            Deed::Stalk | Deed::Rage { .. } => {
                let speed = special.class.traits().speed;
                if let Some(link) = command.climb {
                    special.body.climb_within_reach(&terrain, usize::from(link));
                }
                let wish = if special.body.climb.is_some() {
                    climb_direction(&terrain, &special.body)
                } else {
                    // Infected go where they look or sidestep, at once.
                    command.wish()
                };
                if command.has(button::JUMP) && special.body.on_ground {
                    special.body.velocity[2] = 300.0;
                    special.body.on_ground = false;
                }
                special.body.run(&terrain, wish, speed);
                if command.has(button::ATTACK) {
                    self.claw(k);
                }
                if command.has(button::SHOVE) && now >= self.specials[k].ability_from {
                    self.use_ability(k);
                }
            }
            Deed::Sit { .. } => {
                special.body.run(&terrain, [0.0, 0.0], 0.0);
            }
            Deed::Tongue { at, arrives } => self.fly_tongue(k, usize::from(at), arrives),
            Deed::Lunge { since } => self.go_on_lunging(k, since),
            Deed::Charge { until, carries } => self.go_on_charging(k, until, carries),
            Deed::Hold { whom, hurts_at } => self.go_on_holding(k, usize::from(whom), hurts_at),
            Deed::WindUp { at, target } => {
                special.body.run(&terrain, [0.0, 0.0], 0.0);
                if now >= at {
                    self.let_fly(k, usize::from(target));
                }
            }
        }
    }

    /// The survivor that a special aims at: the nearest to where it looks, within a distance, in sight.
    pub fn aimed_at(&self, k: usize, range: f32) -> Option<usize> {
        let special = &self.specials[k];
        let ahead = facing(special.yaw);
        let least = AIM_CONE_DEGREES.to_radians().cos();
        let mut best: Option<(f32, usize)> = None;
        for (i, s) in self.survivors.iter().enumerate().filter(|(_, s)| s.is_alive()) {
            let far = distance(special.body.at, s.body.at);
            if far > range || s.hold.is_some() || !self.terrain.sees(special.body.area, s.body.area)
            {
                continue;
            }
            let (to, flat) = direction(special.body.at, s.body.at);
            let aim = if flat < 1.0 { 1.0 } else { to[0] * ahead[0] + to[1] * ahead[1] };
            if aim >= least && best.is_none_or(|(most, _)| aim > most) {
                best = Some((aim, i));
            }
        }
        best.map(|(_, i)| i)
    }

    /// Would the ability meet anybody now?
    pub fn ability_ready(&self, k: usize) -> bool {
        let special = &self.specials[k];
        let ready = special.alive
            && self.now >= special.ability_from
            && self.now >= special.stumbles_until
            && matches!(special.deed, Deed::Stalk)
            && special.body.climb.is_none();
        ready && special.class != Class::Witch
    }

    fn use_ability(&mut self, k: usize) {
        if !self.ability_ready(k) {
            return;
        }
        let now = self.now;
        let (class, traits) = (self.specials[k].class, self.specials[k].class.traits());
        let target = self.aimed_at(k, traits.range);
        let later = now + ticks(traits.interval_secs);
        match class {
            Class::Smoker => {
                let Some(i) = target.filter(|&i| self.survivors[i].can_be_caught()) else {
                    return;
                };
                let far = distance(self.specials[k].body.at, self.survivors[i].body.at);
                let arrives = now + ticks(far / TONGUE_SPEED).max(1);
                self.specials[k].deed = Deed::Tongue { at: i as u8, arrives };
                self.specials[k].ability_from = later;
            }
            Class::Boomer => {
                let Some(i) = target else { return };
                let seat = self.specials[k].seat;
                self.bile(i, seat);
                self.specials[k].ability_from = later;
                self.specials[k].busy_at = now;
            }
            Class::Hunter | Class::Jockey => {
                let speed = if class == Class::Hunter { LUNGE_SPEED } else { LEAP_SPEED };
                let special = &mut self.specials[k];
                if !special.body.on_ground {
                    return;
                }
                let along = look(special.yaw, special.pitch.clamp(-45.0, 20.0));
                special.body.velocity =
                    [along[0] * speed, along[1] * speed, along[2] * speed + 200.0];
                special.body.on_ground = false;
                special.deed = Deed::Lunge { since: now };
                special.ability_from = later;
            }
            Class::Charger => {
                let special = &mut self.specials[k];
                special.deed = Deed::Charge { until: now + ticks(CHARGE_SECS), carries: None };
                special.ability_from = later;
            }
            Class::Spitter | Class::Tank => {
                let Some(i) = target else { return };
                let secs = if class == Class::Tank { 2.0 } else { 0.5 };
                self.specials[k].deed = Deed::WindUp { at: now + ticks(secs), target: i as u8 };
                self.specials[k].ability_from = later;
            }
            Class::Witch => {}
        }
    }

    fn claw(&mut self, k: usize) {
        let now = self.now;
        let special = &self.specials[k];
        if now < special.claws_from {
            return;
        }
        let (class, at, area) = (special.class, special.body.at, special.body.area);
        let terrain = &*self.terrain;
        let range = if class == Class::Tank { FIST_RANGE } else { CLAW_RANGE };
        let ahead = facing(special.yaw);
        let met = self.nearest_survivor(at, |_, s| {
            let (to, flat) = direction(at, s.body.at);
            let near = distance(at, s.body.at) <= range && terrain.sees(area, s.body.area);
            near && (flat < 24.0 || to[0] * ahead[0] + to[1] * ahead[1] > 0.5)
        });
        let Some((i, _)) = met else { return };
        let secs = if class == Class::Tank { SWING_SECS } else { 1.0 };
        self.specials[k].claws_from = now + ticks(secs);
        let damage = match class {
            Class::Tank => self.difficulty.tank_damage(),
            Class::Witch => self.difficulty.witch_damage(),
            other => other.traits().claw * self.difficulty.special_factor(),
        };
        let (away, _) = direction(at, self.survivors[i].body.at);
        self.hurt(i, damage, Source::Special(k));
        match class {
            Class::Tank => self.fling(i, [away[0] * 300.0, away[1] * 300.0, 0.0], 0.5),
            // She has had her revenge and goes.
            Class::Witch if !self.survivors[i].is_up() => self.specials[k].alive = false,
            _ => {}
        }
    }

    fn catch(&mut self, k: usize, i: usize) {
        let now = self.now;
        let s = &mut self.survivors[i];
        s.hold = Some(Hold { by: k });
        s.task = None;
        s.body.let_go(&self.terrain);
        s.body.velocity = [0.0; 3];
        let special = &mut self.specials[k];
        special.deed =
            Deed::Hold { whom: i as u8, hurts_at: now + ticks(hold_secs(special.class)) };
        special.body.velocity = [0.0; 3];
        special.busy_at = now;
        if let Some(seat) = special.seat {
            self.harm[usize::from(seat)].caught += 1.0;
        }
        self.stress(i, 0.2, false);
    }

    fn fly_tongue(&mut self, k: usize, i: usize, arrives: u32) {
        let now = self.now;
        if now < arrives {
            return;
        }
        let (special, s) = (&self.specials[k], &self.survivors[i]);
        let sees = self.terrain.sees(special.body.area, s.body.area);
        let near = distance(special.body.at, s.body.at) < Class::Smoker.traits().range + 100.0;
        if s.can_be_caught() && sees && near {
            self.catch(k, i);
        } else {
            self.specials[k].deed = Deed::Stalk;
            self.specials[k].ability_from = now + ticks(TONGUE_MISS_SECS);
        }
    }

    fn go_on_lunging(&mut self, k: usize, since: u32) {
        let terrain = self.terrain.clone();
        let moved = self.specials[k].body.drift(&terrain);
        let at = self.specials[k].body.at;
        let met = self.nearest_survivor(at, |_, s| {
            s.can_be_caught() && distance(at, s.body.at) < CATCH_RANGE
        });
        if let Some((i, _)) = met {
            self.catch(k, i);
        } else if moved.landed.is_some() || self.now > since + ticks(3.0) {
            self.specials[k].deed = Deed::Stalk;
        }
    }

    fn go_on_charging(&mut self, k: usize, until: u32, carries: Option<u8>) {
        let terrain = self.terrain.clone();
        let special = &mut self.specials[k];
        let along = facing(special.yaw);
        let moved = special.body.run(&terrain, along, CHARGE_SPEED);
        let at = special.body.at;
        let velocity = special.body.velocity;
        let mut carries = carries;
        let factor = self.difficulty.special_factor();
        let mut flings = CATCH_RANGE;
        if carries.is_none()
            && let Some((i, _)) = self.nearest_survivor(at, |_, s| {
                s.can_be_caught() && distance(at, s.body.at) < CATCH_RANGE
            })
        {
            carries = Some(i as u8);
            flings = CHARGE_IMPACT;
            self.catch(k, i);
            self.specials[k].deed = Deed::Charge { until, carries };
            self.hurt(i, CHARGE_DAMAGE[0] * factor, Source::Special(k));
        }
        for i in 0..SURVIVORS {
            let s = &self.survivors[i];
            // Whoever staggers already was flung a moment ago.
            let met = s.is_alive() && s.hold.is_none() && self.now >= s.staggers_until;
            if carries.is_some() && met && distance(at, s.body.at) < flings {
                self.hurt(i, CHARGE_DAMAGE[1] * factor, Source::Special(k));
                self.fling(i, velocity, 0.3);
            }
        }
        if !self.specials[k].alive {
            return;
        }
        if let Some(i) = carries {
            let i = usize::from(i);
            if self.survivors[i].is_alive() && self.survivors[i].hold == Some(Hold { by: k }) {
                self.survivors[i].body = self.specials[k].body;
                self.survivors[i].body.velocity = [0.0; 3];
            } else {
                carries = None;
            }
        }
        if moved.blocked || self.now >= until {
            self.specials[k].deed = match carries {
                Some(whom) => Deed::Hold { whom, hurts_at: self.now + ticks(1.0) },
                None => Deed::Stalk,
            };
        } else {
            self.specials[k].deed = Deed::Charge { until, carries };
        }
    }

    fn go_on_holding(&mut self, k: usize, i: usize, hurts_at: u32) {
        let now = self.now;
        let terrain = self.terrain.clone();
        let held = self.survivors[i].is_alive() && self.survivors[i].hold == Some(Hold { by: k });
        if !held {
            self.specials[k].deed = Deed::Stalk;
            return;
        }
        let class = self.specials[k].class;
        let mut hurts = now >= hurts_at;
        match class {
            Class::Smoker => {
                let to = self.specials[k].body;
                let s = &mut self.survivors[i];
                if distance(s.body.at, to.at) > 60.0 {
                    drag(&terrain, &mut s.body, &to);
                    hurts &= now >= hurts_at + ticks(1.0);
                }
            }
            Class::Jockey => {
                // Away from whoever could help.
                let at = self.survivors[i].body.at;
                let fellow = self.nearest_survivor(at, |j, s| j != i && s.is_up());
                let away = fellow.map_or(facing(self.survivors[i].yaw), |(j, _)| {
                    direction(self.survivors[j].body.at, at).0
                });
                let s = &mut self.survivors[i];
                let moved = s.body.run(&terrain, away, RIDE_SPEED);
                self.specials[k].body = s.body;
                // A ride may end over an edge.
                if moved.landed.is_some() {
                    self.after_landing(i, moved);
                }
            }
            _ => {
                // Pinned where it was caught.
                let s = &mut self.survivors[i];
                let moved = s.body.drift(&terrain);
                s.body.velocity = [0.0, 0.0, s.body.velocity[2]];
                self.specials[k].body = s.body;
                if moved.landed.is_some() {
                    self.after_landing(i, moved);
                }
            }
        }
        if !hurts || !self.survivors[i].is_alive() {
            return;
        }
        let damage = hold_damage(class) * self.difficulty.special_factor();
        if let Deed::Hold { hurts_at, .. } = &mut self.specials[k].deed {
            *hurts_at = now + ticks(hold_secs(class));
        }
        self.hurt(i, damage, Source::Special(k));
    }

    /// Throws or spits what was wound up.
    fn let_fly(&mut self, k: usize, i: usize) {
        let special = self.specials[k];
        self.specials[k].deed = Deed::Stalk;
        if !self.survivors[i].is_alive() {
            return;
        }
        let kind = if special.class == Class::Tank { HazardKind::Rock } else { HazardKind::Spit };
        let target = self.survivors[i].body.at;
        let mut body = special.body;
        body.at[2] += HULL_HEIGHT;
        body.on_ground = false;
        body.climb = None;
        body.velocity = lob(body.at, target, ROCK_SPEED);
        self.specials[k].yaw = yaw_to(special.body.at, target);
        self.specials[k].busy_at = self.now;
        self.add_hazard(Hazard::hurled(kind, body, k, special.seat, self.now));
    }
}

/// The velocity that carries something to a point at about this speed.
fn lob(from: Point, to: Point, speed: f32) -> Point {
    let (along, far) = direction(from, to);
    let secs = (far / speed).max(TICK_SECS);
    let rise = (to[2] - from[2]) / secs + 0.5 * crate::sim::numbers::GRAVITY * secs;
    [along[0] * speed, along[1] * speed, rise]
}

/// Between two harms of a hold (facts §5).
pub fn hold_secs(class: Class) -> f32 {
    if class == Class::Hunter { 0.5 } else { 1.0 }
}

/// What a hold takes each time (facts §5).
pub fn hold_damage(class: Class) -> f32 {
    match class {
        Class::Smoker => 10.0,
        Class::Hunter => 5.0,
        Class::Jockey => 4.0,
        Class::Charger => 15.0,
        _ => 0.0,
    }
}

/// Pulls a body towards another, along the way or straight.
fn drag(terrain: &crate::nav::Terrain, body: &mut Body, to: &Body) {
    let point = match heading(terrain, body, to.area, to.at) {
        Heading::Run(point) => point,
        // A tongue pulls over what feet must climb.
        Heading::Climb(link) => {
            let link = terrain.links(body.area)[link];
            let [x, y, _] = link.to_point;
            *body = Body::standing(terrain, link.to, x, y);
            return;
        }
        Heading::Stay => to.at,
    };
    let (wish, _) = direction(body.at, point);
    body.run(terrain, wish, DRAG_SPEED);
}

//! What survivors do: walk, look, use, heal, help up, shove, throw, fire.

use crate::sim::hazards::{Hazard, HazardKind};
use crate::sim::motion::{Body, Moved};
use crate::sim::numbers::{
    ADRENALINE_HEALTH, ADRENALINE_SECS, DEFIBRILLATOR_HEALTH, DEFIBRILLATOR_SECS, FATAL_FALL_SPEED,
    FULL_HEALTH, INCAPACITATED_HEALTH, LEDGE_HEIGHT, MEDKIT_SECS, MEDKIT_SHARE, PILLS_HEALTH,
    REACH, REVIVE_SECS, SAFE_FALL_SPEED, SHOVE_SECS, SWITCH_SECS, TICK_SECS, ticks,
};
use crate::sim::space::{distance, look, turned};
use crate::sim::survivor::{Condition, Dose, Pack, Task, TaskKind, Throwable};
use crate::sim::world::{Command, SURVIVORS, Source, World, button};

/// Nobody turns faster than this in a tick (facts §8: the most in recordings is 51 degrees).
pub const MOST_TURN_DEGREES: f32 = 52.0;
/// Nobody looks farther up or down.
const MOST_PITCH_DEGREES: f32 = 89.0;
/// A throw leaves the hand so fast. No source.
const THROW_SPEED: f32 = 700.0;

impl World {
    /// A tick of a survivor who lives.
    pub(crate) fn act(&mut self, i: usize, command: &Command) {
        let now = self.now;
        let s = &mut self.survivors[i];
        s.yaw = turned(s.yaw, command.yaw, MOST_TURN_DEGREES);
        let pitch = command.pitch.clamp(-MOST_PITCH_DEGREES, MOST_PITCH_DEGREES);
        s.pitch += (pitch - s.pitch).clamp(-MOST_TURN_DEGREES, MOST_TURN_DEGREES);
        s.sidearm.tick(now, TICK_SECS);
        if let Some(gun) = &mut s.primary {
            gun.tick(now, TICK_SECS);
        }
        let free = s.can_act(now);
        if free {
            self.work(i, command);
        } else {
            self.survivors[i].task = None;
        }
        self.walk(i, command, free);
        if free && self.survivors[i].task.is_none() {
            self.use_hands(i, command);
        }
    }

    fn walk(&mut self, i: usize, command: &Command, free: bool) {
        let s = &mut self.survivors[i];
        if s.hold.is_some() || matches!(s.condition, Condition::Hanging(_)) {
            return;
        }
        s.crouched = free && s.is_up() && command.has(button::CROUCH);
        let works = s.task.is_some();
        // Feet follow the head, which may not have come as far as was wanted.
        let ahead = Command { yaw: s.yaw, ..*command };
        let wish = if free && !works { ahead.wish() } else { [0.0, 0.0] };
        let jump = free && !works && s.is_up() && command.has(button::JUMP);
        let speed = s.speed(self.now);
        let terrain = self.terrain.clone();
        if let Some(link) = command.climb
            && free
            && s.is_up()
        {
            s.body.climb_within_reach(&terrain, usize::from(link));
        }
        let before = s.body;
        let moved = s.body.walk(&terrain, wish, speed, jump);
        self.after_landing(i, moved);
        if let Some(height) = moved.fell_off {
            self.catch_ledge(i, before, height);
        }
    }

    /// What a landing of a survivor costs.
    pub(crate) fn after_landing(&mut self, i: usize, moved: Moved) {
        if let Some(speed) = moved.landed {
            let damage = fall_damage(speed);
            if damage > 0.0 {
                self.hurt(i, damage, Source::Fall);
            }
        }
    }

    /// A survivor went over an edge this high: hangs where it stood before, if it can hold on.
    pub(crate) fn catch_ledge(&mut self, i: usize, before: Body, height: f32) {
        let s = &mut self.survivors[i];
        if height <= LEDGE_HEIGHT || !s.is_up() || s.hold.is_some() {
            return;
        }
        s.condition = Condition::Hanging(INCAPACITATED_HEALTH);
        s.task = None;
        s.body = Body { velocity: [0.0; 3], ..before };
        self.stress(i, 0.3, true);
    }

    /// Goes on with what takes a while, or begins it.
    fn work(&mut self, i: usize, command: &Command) {
        let now = self.now;
        if let Some(Task { kind, done_at }) = self.survivors[i].task {
            let pressed = match kind {
                TaskKind::Heal(whom) if whom == i => command.has(button::HEAL_SELF),
                TaskKind::Heal(_) => command.has(button::HEAL_OTHER),
                TaskKind::Defibrillate(_) => command.has(button::HEAL_OTHER | button::USE),
                TaskKind::Revive(_) | TaskKind::Rescue(_) => command.has(button::USE),
            };
            if !(pressed && self.is_possible(i, kind)) {
                self.survivors[i].task = None;
            } else if now >= done_at {
                self.survivors[i].task = None;
                self.finish(i, kind);
            }
            return;
        }
        if let Some(kind) = self.wanted_task(i, command) {
            let quick = now < self.survivors[i].adrenaline_until;
            let secs = match kind {
                TaskKind::Heal(_) => MEDKIT_SECS,
                TaskKind::Revive(_) => REVIVE_SECS,
                TaskKind::Defibrillate(_) => DEFIBRILLATOR_SECS,
                TaskKind::Rescue(_) => 1.0,
            };
            // Adrenaline halves what hands need.
            let secs = if quick { 0.5 * secs } else { secs };
            self.survivors[i].task = Some(Task { kind, done_at: now + ticks(secs) });
        }
    }

    fn wanted_task(&self, i: usize, command: &Command) -> Option<TaskKind> {
        if !self.survivors[i].is_up() {
            return None;
        }
        let first = |kind: fn(usize) -> TaskKind| {
            (0..SURVIVORS).map(kind).filter(|&kind| self.is_possible(i, kind)).min_by(|a, b| {
                let far = |k: &TaskKind| self.between(i, k.whom());
                far(a).total_cmp(&far(b))
            })
        };
        if command.has(button::HEAL_SELF) && self.is_possible(i, TaskKind::Heal(i)) {
            return Some(TaskKind::Heal(i));
        }
        if command.has(button::HEAL_OTHER) {
            let other = |kind: TaskKind| (kind.whom() != i).then_some(kind);
            let found =
                first(TaskKind::Heal).and_then(other).or_else(|| first(TaskKind::Defibrillate));
            if found.is_some() {
                return found;
            }
            // The nearest to be healed may be oneself.
            let fellow = (0..SURVIVORS).filter(|&j| j != i).map(TaskKind::Heal);
            return fellow.into_iter().find(|&kind| self.is_possible(i, kind));
        }
        if command.has(button::USE) {
            return first(TaskKind::Revive)
                .or_else(|| first(TaskKind::Rescue))
                .or_else(|| first(TaskKind::Defibrillate));
        }
        None
    }

    fn between(&self, i: usize, j: usize) -> f32 {
        distance(self.survivors[i].body.at, self.survivors[j].body.at)
    }

    /// Can this be done now, and is it of any use?
    pub fn is_possible(&self, i: usize, kind: TaskKind) -> bool {
        let (s, whom) = (&self.survivors[i], kind.whom());
        let other = &self.survivors[whom];
        if !(s.is_up() && other.present) || s.hold.is_some() || s.body.climb.is_some() {
            return false;
        }
        let near =
            self.between(i, whom) <= REACH && self.terrain.sees(s.body.area, other.body.area);
        match kind {
            TaskKind::Heal(_) => {
                let hurt = other.is_up() && other.health < FULL_HEALTH - 1.0;
                s.pack == Some(Pack::Medkit) && hurt && near && other.hold.is_none()
            }
            TaskKind::Revive(_) => whom != i && other.is_down() && near && other.hold.is_none(),
            TaskKind::Defibrillate(_) => {
                let dead = other.condition == Condition::Dead && other.closet.is_none();
                whom != i && s.pack == Some(Pack::Defibrillator) && dead && near
            }
            TaskKind::Rescue(_) => {
                let waits = other.condition == Condition::Dead;
                waits
                    && other
                        .closet
                        .is_some_and(|area| distance(s.body.at, self.terrain.center(area)) <= REACH)
            }
        }
    }

    fn finish(&mut self, i: usize, kind: TaskKind) {
        let whom = kind.whom();
        let terrain = self.terrain.clone();
        match kind {
            TaskKind::Heal(_) => {
                self.survivors[i].pack = None;
                let other = &mut self.survivors[whom];
                let given = (FULL_HEALTH - other.health) * MEDKIT_SHARE;
                other.health += given;
                other.temporary = 0.0;
                other.incapacitations = 0;
                self.director.medkits_used += 1;
                if whom != i {
                    self.deeds[i].heals += 1.0;
                    self.deeds[i].healed += given;
                    self.survivors[i].record.healed += given;
                }
            }
            TaskKind::Revive(_) => {
                self.survivors[whom].get_up(&terrain);
                self.deeds[i].rescues += 1.0;
                self.survivors[i].record.revived += 1.0;
            }
            TaskKind::Defibrillate(_) | TaskKind::Rescue(_) => {
                if kind == TaskKind::Defibrillate(whom) {
                    self.survivors[i].pack = None;
                }
                let other = &mut self.survivors[whom];
                other.condition = Condition::Up;
                (other.health, other.temporary) = (DEFIBRILLATOR_HEALTH, 0.0);
                // A new life has no strikes. General knowledge.
                other.incapacitations = 0;
                if let Some(area) = other.closet.take() {
                    let [x, y, _] = terrain.center(area);
                    other.body = Body::standing(&terrain, area, x, y);
                } else {
                    let [x, y, _] = other.body.at;
                    other.body = Body::standing(&terrain, other.body.area, x, y);
                }
                self.deeds[i].rescues += 1.0;
                self.survivors[i].record.revived += 1.0;
            }
        }
    }

    fn use_hands(&mut self, i: usize, command: &Command) {
        let now = self.now;
        if command.has(button::SHOVE) && self.can_shove(i) {
            self.survivors[i].shoves_from = now + ticks(SHOVE_SECS);
            self.shove(i);
            return;
        }
        if command.has(button::USE) && self.survivors[i].is_up() {
            self.take(i);
        }
        if command.has(button::THROW) {
            self.throw(i);
        }
        let s = &mut self.survivors[i];
        if command.has(button::DOSE)
            && s.is_up()
            && let Some(dose) = s.dose.take()
        {
            let gain = match dose {
                Dose::Pills => PILLS_HEALTH,
                Dose::Adrenaline => {
                    s.adrenaline_until = now + ticks(ADRENALINE_SECS);
                    ADRENALINE_HEALTH
                }
            };
            s.temporary = (s.temporary + gain).min(FULL_HEALTH - s.health).max(0.0);
        }
        let can_switch = s.primary.is_some() && s.is_up() && now >= s.switches_from;
        if command.has(button::SWITCH) && can_switch {
            s.switches_from = now + ticks(SWITCH_SECS);
            // A gun that is put away is not reloaded.
            s.gun_mut().reloaded_at = None;
            s.holds_primary = !s.holds_primary;
        }
        if command.has(button::RELOAD) {
            s.gun_mut().reload(now);
        }
        if command.has(button::ATTACK) && !matches!(s.condition, Condition::Hanging(_)) {
            if s.gun().clip == 0 {
                s.gun_mut().reload(now);
            }
            while self.survivors[i].gun_mut().fire() {
                self.survivors[i].fired_at = now;
                self.shoot(i);
            }
        }
    }

    /// Can it shove now?
    pub fn can_shove(&self, i: usize) -> bool {
        let s = &self.survivors[i];
        s.is_up() && self.now >= s.shoves_from
    }

    fn throw(&mut self, i: usize) {
        let s = &mut self.survivors[i];
        if !s.is_up() {
            return;
        }
        let Some(what) = s.throwable.take() else { return };
        let kind = match what {
            Throwable::PipeBomb => HazardKind::PipeBomb,
            Throwable::Molotov => HazardKind::Molotov,
            Throwable::VomitJar => HazardKind::Jar,
        };
        let eyes = s.eyes();
        let along = look(s.yaw, s.pitch - 10.0);
        let mut body = s.body;
        body.at[2] = eyes[2];
        (body.on_ground, body.tucked) = (false, false);
        body.climb = None;
        for axis in 0..3 {
            body.velocity[axis] = along[axis] * THROW_SPEED;
        }
        self.add_hazard(Hazard::thrown(kind, body, i, self.now));
    }
}

/// What a landing costs: nothing up to a safe speed, everything from a fatal one on, as the engine has it.
pub fn fall_damage(speed: f32) -> f32 {
    ((speed - SAFE_FALL_SPEED) / (FATAL_FALL_SPEED - SAFE_FALL_SPEED) * FULL_HEALTH).max(0.0)
}

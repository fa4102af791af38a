//! Everything that is in a match, and a tick of it.

use std::sync::Arc;

use lanista_game::seed::{self, Rng};
use rand::RngExt;

use crate::nav::{AreaIndex, Point, Terrain};
use crate::sim::director::Director;
use crate::sim::hazards::{Hazard, Lure};
use crate::sim::infected::{Class, Common, Special};
use crate::sim::items::Item;
use crate::sim::motion::Body;
use crate::sim::numbers::{
    Difficulty, FULL_HEALTH, INCAPACITATED_DECAY, INCAPACITATED_HEALTH, TICK_SECS,
};
use crate::sim::space::flat_distance;
use crate::sim::survivor::{Condition, Survivor};

/// How many survivors there may be.
pub const SURVIVORS: usize = 4;
/// How many infected may be played by somebody.
pub const PLAYED_INFECTED: usize = 4;
/// More commons than this are never there at once: a horde upon a horde.
pub const MOST_COMMONS: usize = 64;
/// More specials, witches and tanks than this are never there at once.
pub const MOST_SPECIALS: usize = 16;

/// What a player's hands do in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Command {
    /// Forward and to the right of where it looks, from -1 to 1.
    pub step: [f32; 2],
    /// Where to look.
    pub yaw: f32,
    /// Where to look, positive downwards.
    pub pitch: f32,
    /// What is pressed: bits of [`button`].
    pub buttons: u16,
    /// A link of the area to climb or to leap over, if it begins within reach.
    pub climb: Option<u8>,
}

/// What can be pressed.
pub mod button {
    /// Fire, or claw.
    pub const ATTACK: u16 = 1;
    /// Jump.
    pub const JUMP: u16 = 1 << 1;
    /// Crouch.
    pub const CROUCH: u16 = 1 << 2;
    /// Take, help up, open.
    pub const USE: u16 = 1 << 3;
    /// Shove; of infected, the ability.
    pub const SHOVE: u16 = 1 << 4;
    /// Reload.
    pub const RELOAD: u16 = 1 << 5;
    /// Heal oneself.
    pub const HEAL_SELF: u16 = 1 << 6;
    /// Heal a fellow.
    pub const HEAL_OTHER: u16 = 1 << 7;
    /// Throw.
    pub const THROW: u16 = 1 << 8;
    /// Pills or adrenaline.
    pub const DOSE: u16 = 1 << 9;
    /// The other gun.
    pub const SWITCH: u16 = 1 << 10;
}

impl Command {
    /// Is this pressed?
    #[inline]
    pub fn has(&self, button: u16) -> bool {
        self.buttons & button != 0
    }

    /// The direction on the floor plan, of length 1 or nothing.
    pub fn wish(&self) -> [f32; 2] {
        let [forward, side] = self.step;
        let length = forward.hypot(side);
        if length < 1e-3 {
            return [0.0, 0.0];
        }
        let [cos, sin] = crate::sim::space::facing(self.yaw);
        [(forward * cos + side * sin) / length, (forward * sin - side * cos) / length]
    }
}

/// How a match has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everybody who lives is where they wanted to go.
    Safe,
    /// Nobody is on their feet.
    Lost,
}

/// What happened to a survivor, or through it, since this was last asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deeds {
    /// Infected killed.
    pub kills: f32,
    /// Special infected among them.
    pub special_kills: f32,
    /// Damage done to infected.
    pub damage: f32,
    /// Damage done to fellows.
    pub friendly_damage: f32,
    /// Damage taken.
    pub hurt: f32,
    /// Fellows healed: whole medkits.
    pub heals: f32,
    /// Health given to fellows.
    pub healed: f32,
    /// Fellows helped up, freed or brought back.
    pub rescues: f32,
    /// Went down.
    pub incapacitated: f32,
    /// Died.
    pub died: f32,
    /// Things taken.
    pub taken: f32,
}

/// What a played infected did since this was last asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Harm {
    /// Damage done to survivors.
    pub damage: f32,
    /// Survivors that went down by it.
    pub incapacitated: f32,
    /// Survivors that died by it.
    pub killed: f32,
    /// Survivors caught.
    pub caught: f32,
    /// Died itself.
    pub died: f32,
}

/// A shot, for whoever watches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shot {
    /// From the eyes.
    pub from: Point,
    /// To where it ended.
    pub to: Point,
}

/// Everything that is in a match.
pub struct World {
    /// Where it happens.
    pub terrain: Arc<Terrain>,
    /// How hard it is.
    pub difficulty: Difficulty,
    /// All luck of the match.
    pub rng: Rng,
    /// Ticks since it began.
    pub now: u32,
    /// The four.
    pub survivors: [Survivor; SURVIVORS],
    /// Commons.
    pub commons: Vec<Common>,
    /// Specials, witches and tanks. A place stays with whoever has it until it is dead.
    pub specials: Vec<Special>,
    /// What lies about.
    pub items: Vec<Item>,
    /// What flies, burns or corrodes.
    pub hazards: Vec<Hazard>,
    /// What draws commons.
    pub lure: Option<Lure>,
    /// Who decides what comes.
    pub director: Director,
    /// What happened to the survivors in this step.
    pub deeds: [Deeds; SURVIVORS],
    /// What the played infected did in this step.
    pub harm: [Harm; PLAYED_INFECTED],
    /// Shots of this step.
    pub shots: Vec<Shot>,
    /// The farthest that anybody has come, in flow.
    pub progress: f32,
    /// How it ended.
    pub ending: Option<Ending>,
}

impl World {
    /// An empty one: [`World::reset`] begins a match.
    pub fn new(terrain: Arc<Terrain>, difficulty: Difficulty) -> Self {
        let start = terrain.start_areas().first().copied().unwrap_or(0);
        let body = Body::standing(&terrain, start, 0.0, 0.0);
        let survivors = std::array::from_fn(|_| Survivor::new(body, 0.0));
        Self {
            terrain,
            difficulty,
            rng: seed::rng(0),
            now: 0,
            survivors,
            commons: Vec::with_capacity(MOST_COMMONS),
            specials: Vec::with_capacity(MOST_SPECIALS),
            items: Vec::with_capacity(128),
            hazards: Vec::with_capacity(32),
            lure: None,
            director: Director::default(),
            deeds: [Deeds::default(); SURVIVORS],
            harm: [Harm::default(); PLAYED_INFECTED],
            shots: Vec::with_capacity(256),
            progress: 0.0,
            ending: None,
        }
    }

    /// Begins a match on a map, with these survivors.
    pub fn reset(&mut self, terrain: Arc<Terrain>, seed: u64, present: [bool; SURVIVORS]) {
        self.terrain = terrain;
        self.rng = seed::rng(seed);
        self.now = 0;
        self.commons.clear();
        self.specials.clear();
        self.items.clear();
        self.hazards.clear();
        self.lure = None;
        self.progress = 0.0;
        self.ending = None;
        self.begin_step();
        let terrain = self.terrain.clone();
        let starts = terrain.start_areas();
        for i in 0..SURVIVORS {
            let area = match starts.len() {
                0 => 0,
                n => starts[self.rng.random_range(0..n)],
            };
            let (x, y) = self.somewhere(area);
            let body = Body::standing(&terrain, area, x, y);
            let yaw = match terrain.toward_goal(area) {
                Some(link) => {
                    crate::sim::space::yaw_to(body.at, terrain.links(area)[link].to_point)
                }
                None => 0.0,
            };
            self.survivors[i] = Survivor { present: present[i], ..Survivor::new(body, yaw) };
        }
        self.lay_out_items();
        self.begin_directing();
    }

    /// Forgets what happened in the step before.
    pub fn begin_step(&mut self) {
        self.deeds = [Deeds::default(); SURVIVORS];
        self.harm = [Harm::default(); PLAYED_INFECTED];
        self.shots.clear();
    }

    /// A point in an area.
    pub fn somewhere(&mut self, area: AreaIndex) -> (f32, f32) {
        let [x0, y0, x1, y1] = self.terrain.bounds(area);
        let (u, v): (f32, f32) = (self.rng.random(), self.rng.random());
        (x0 + (x1 - x0) * u, y0 + (y1 - y0) * v)
    }

    /// A tick. `infected` are the commands of those that somebody plays.
    pub fn tick(&mut self, commands: &[Command], infected: &[Command]) {
        if self.ending.is_some() {
            return;
        }
        for i in 0..SURVIVORS {
            if self.survivors[i].is_alive() {
                let command = commands.get(i).copied().unwrap_or_default();
                self.act(i, &command);
            }
        }
        self.move_commons();
        self.move_specials(infected);
        self.part_bodies();
        self.move_hazards();
        self.fade();
        self.direct();
        self.now += 1;
        self.end_if_over();
    }

    /// What time does to everybody.
    fn fade(&mut self) {
        for i in 0..SURVIVORS {
            let s = &mut self.survivors[i];
            if !s.is_alive() {
                continue;
            }
            s.record.alive_ticks += 1;
            s.fade(INCAPACITATED_DECAY, self.now);
            if s.condition == Condition::Dead {
                self.deeds[i].died += 1.0;
                self.release(i);
                continue;
            }
            let (at, area) = (s.body.at, s.body.area);
            let flow = self.terrain.flow(area);
            self.progress = self.progress.max(flow);
            let others = self.survivors.iter().enumerate();
            let nearest = others
                .filter(|(j, other)| *j != i && other.is_alive())
                .map(|(_, other)| flat_distance(at, other.body.at))
                .fold(f32::INFINITY, f32::min);
            if nearest.is_finite() {
                self.survivors[i].record.apart += f64::from(nearest);
            }
        }
    }

    fn end_if_over(&mut self) {
        let mut up = 0;
        let mut safe = 0;
        for s in self.survivors.iter().filter(|s| s.is_up()) {
            up += 1;
            safe += usize::from(self.terrain.in_goal(s.body.area) && s.hold.is_none());
        }
        if up == 0 {
            self.ending = Some(Ending::Lost);
        } else if safe == up && !self.goal_is_closed() {
            // Whoever lies somewhere is left behind.
            self.ending = Some(Ending::Safe);
        }
    }

    /// Is this survivor where everybody wants to be?
    pub fn is_safe(&self, i: usize) -> bool {
        let s = &self.survivors[i];
        s.is_alive() && self.terrain.in_goal(s.body.area)
    }

    /// Damage of whatever kind to a survivor.
    pub fn hurt(&mut self, i: usize, damage: f32, by: Source) {
        let now = self.now;
        let s = &mut self.survivors[i];
        if !s.is_alive() || damage <= 0.0 {
            return;
        }
        let before = s.total_health();
        let was_down = s.is_down();
        match &mut s.condition {
            Condition::Up => {
                if s.lose(damage) {
                    if by.kills_at_once(damage) {
                        s.die(now);
                    } else {
                        s.go_down(now);
                    }
                    // Nobody lies or hangs on a ladder.
                    s.body.let_go(&self.terrain);
                }
            }
            Condition::Incapacitated(left) | Condition::Hanging(left) => {
                *left -= damage;
                if *left <= 0.0 {
                    s.die(now);
                }
            }
            Condition::Dead => return,
        }
        if by.interrupts() {
            s.task = None;
        }
        let taken = damage.min(before.max(0.0));
        let (down, dead) = (s.is_down() && !was_down, s.condition == Condition::Dead);
        s.record.hurt += taken;
        s.engaged_at = now;
        self.deeds[i].hurt += taken;
        self.deeds[i].incapacitated += f32::from(down);
        self.deeds[i].died += f32::from(dead);
        match by {
            Source::Fellow(j) => {
                self.deeds[j].friendly_damage += taken;
                self.survivors[j].record.friendly_damage += taken;
            }
            Source::Special(k) => {
                let special = &mut self.specials[k];
                special.damage += taken;
                special.busy_at = now;
                if let Some(seat) = special.seat {
                    let harm = &mut self.harm[usize::from(seat)];
                    harm.damage += taken;
                    harm.incapacitated += f32::from(down);
                    harm.killed += f32::from(dead);
                }
            }
            Source::Common | Source::Fall | Source::Fire => {}
            Source::Acid(None) | Source::Rock(None) => {}
            Source::Acid(Some(seat)) | Source::Rock(Some(seat)) => {
                let harm = &mut self.harm[usize::from(seat)];
                harm.damage += taken;
                harm.incapacitated += f32::from(down);
                harm.killed += f32::from(dead);
            }
        }
        self.stress(i, taken / FULL_HEALTH, down);
        if dead {
            self.release(i);
        }
    }

    /// Lets go of a survivor, whoever holds it.
    pub fn release(&mut self, i: usize) {
        if let Some(hold) = self.survivors[i].hold.take()
            && let Some(special) = self.specials.get_mut(hold.by)
        {
            special.deed = crate::sim::infected::Deed::Stalk;
            special.stumbles_until = self.now + crate::sim::numbers::ticks(0.5);
        }
    }

    /// How many of a class are alive.
    pub fn count(&self, class: Class) -> usize {
        self.specials.iter().filter(|s| s.alive && s.class == class).count()
    }

    /// Survivors who are alive.
    pub fn alive(&self) -> usize {
        self.survivors.iter().filter(|s| s.is_alive()).count()
    }

    /// The survivor nearest to a point, of those that pass.
    pub fn nearest_survivor(
        &self,
        at: Point,
        passes: impl Fn(usize, &Survivor) -> bool,
    ) -> Option<(usize, f32)> {
        let mut best: Option<(usize, f32)> = None;
        for (i, s) in self.survivors.iter().enumerate() {
            if s.is_alive() && passes(i, s) {
                let d = crate::sim::space::distance(at, s.body.at);
                if best.is_none_or(|(_, least)| d < least) {
                    best = Some((i, d));
                }
            }
        }
        best
    }

    /// Bodies that stand in each other are pushed apart: whoever is in the way of a horde feels it.
    fn part_bodies(&mut self) {
        const APART: f32 = 24.0;
        let terrain = self.terrain.clone();
        let before = std::array::from_fn::<_, SURVIVORS, _>(|i| self.survivors[i].body);
        // Whoever hangs from a ledge is out of the way.
        let stands = |s: &Survivor| s.is_alive() && !matches!(s.condition, Condition::Hanging(_));
        let push = |a: &mut Body, b: &mut Body, share: f32| {
            let (dx, dy) = (b.at[0] - a.at[0], b.at[1] - a.at[1]);
            let squared = dx * dx + dy * dy;
            if squared >= APART * APART || (b.at[2] - a.at[2]).abs() > 64.0 {
                return;
            }
            if a.climb.is_some() || b.climb.is_some() {
                return;
            }
            let length = squared.sqrt();
            // Two in one place part along the x axis.
            let (ux, uy) = if length > 1e-3 { (dx / length, dy / length) } else { (1.0, 0.0) };
            // Not at once: a crowd would jump.
            let gap = ((APART - length) * 0.5).min(4.0);
            a.shift(&terrain, -ux * gap * share, -uy * gap * share);
            b.shift(&terrain, ux * gap * (1.0 - share), uy * gap * (1.0 - share));
        };
        for i in 0..self.commons.len() {
            let (head, tail) = self.commons.split_at_mut(i + 1);
            for other in tail {
                push(&mut head[i].body, &mut other.body, 0.5);
            }
            for s in self.survivors.iter_mut().filter(|s| stands(s)) {
                push(&mut head[i].body, &mut s.body, 0.9);
            }
        }
        for i in 0..SURVIVORS {
            let (head, tail) = self.survivors.split_at_mut(i + 1);
            if !stands(&head[i]) {
                continue;
            }
            for other in tail.iter_mut().filter(|s| stands(s)) {
                push(&mut head[i].body, &mut other.body, 0.5);
            }
        }
        for (i, before) in before.into_iter().enumerate() {
            let body = &self.survivors[i].body;
            if before.on_ground && !body.on_ground {
                let height = body.at[2] - body.ground(&terrain);
                self.catch_ledge(i, before, height);
            }
        }
    }

    /// Seconds of a tick, for sums.
    pub fn secs(&self) -> f32 {
        self.now as f32 * TICK_SECS
    }
}

/// What hurt somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A common.
    Common,
    /// A special, by its place.
    Special(usize),
    /// A fellow's gun.
    Fellow(usize),
    /// The ground.
    Fall,
    /// Fire.
    Fire,
    /// A spitter's pool, and the seat that spat.
    Acid(Option<u8>),
    /// The rock of a tank that is dead by now, and the seat that threw it.
    Rock(Option<u8>),
}

impl Source {
    /// Does it stop whoever heals or helps?
    fn interrupts(self) -> bool {
        matches!(self, Self::Special(_) | Self::Fall | Self::Rock(_))
    }

    /// Does it kill somebody on their feet without letting them lie first? What would take all health up and
    /// down does, and a fall that would take all health up.
    fn kills_at_once(self, damage: f32) -> bool {
        damage >= FULL_HEALTH + INCAPACITATED_HEALTH || self == Self::Fall && damage >= FULL_HEALTH
    }
}

//! Watches a match tick by tick, notes what the director does and how often it breaks a rule.

use std::collections::BTreeMap;

use lanista_survivors::nav::attributes;
use lanista_survivors::sim::director::{
    FIRST_SPECIAL_SECS, LEAST_RANGE, Phase, RELAX_FLOW, RELAX_THRESHOLD,
};
use lanista_survivors::sim::infected::Class;
use lanista_survivors::sim::motion::Body;
use lanista_survivors::sim::numbers::{TICK_SECS, ticks};
use lanista_survivors::sim::space::distance;
use lanista_survivors::sim::world::World;

/// What was seen over many matches.
#[derive(Default)]
pub struct Seen {
    /// Seconds of every phase that was entered and left, by phase. The build-up from the start on is not
    /// among them: it began before anybody could be pressed.
    pub phase_secs: [Vec<f32>; 4],
    /// Relaxations that ended because somebody walked on.
    pub walked_on: usize,
    /// Commons of every mob of the rules.
    pub mob_sizes: Vec<u32>,
    /// Seconds from leaving the start to the first mob, and from mob to mob.
    pub mob_gaps: Vec<f32>,
    /// The same without pauses and tanks, for which a mob waits.
    pub mob_gaps_free: Vec<f32>,
    /// Seconds from leaving the start to the first special, where nothing held it up.
    pub first_special_secs: Vec<f32>,
    /// The most specials at once.
    pub most_specials: usize,
    /// The most of one class at once.
    pub most_of_a_class: usize,
    /// Commons, specials and bosses that appeared.
    pub commons: usize,
    pub specials: usize,
    pub bosses: usize,
    /// The nearest to a survivor that anything appeared.
    pub nearest: Option<f32>,
    /// Minutes after the start was left.
    pub minutes: f32,
    /// How often each rule was broken.
    pub broken: BTreeMap<&'static str, usize>,
}

/// The tick before, as far as it matters.
pub struct Watch<'a> {
    seen: &'a mut Seen,
    begun: bool,
    phase: Phase,
    phase_since: u32,
    phases: usize,
    progress: f32,
    mobs: u32,
    mob_commons: u32,
    commons: u32,
    specials: u32,
    tank: bool,
    /// Ticks since the last mob, and those in which one was allowed.
    gap_ticks: u32,
    free_ticks: u32,
    /// Ticks since the start was left in which no special was allowed.
    held_up_ticks: u32,
}

impl<'a> Watch<'a> {
    pub fn new(seen: &'a mut Seen) -> Self {
        Self {
            seen,
            begun: false,
            phase: Phase::BuildUp,
            phase_since: 0,
            phases: 0,
            progress: 0.0,
            mobs: 0,
            mob_commons: 0,
            commons: 0,
            specials: 0,
            tank: false,
            gap_ticks: 0,
            free_ticks: 0,
            held_up_ticks: 0,
        }
    }

    fn hold(&mut self, rule: &'static str, kept: bool) {
        *self.seen.broken.entry(rule).or_default() += usize::from(!kept);
    }

    /// After the match was laid out, and after every tick.
    pub fn see(&mut self, world: &World) {
        let director = &world.director;
        let tank = world.count(Class::Tank) > 0;
        self.see_phase(world);
        self.see_arrivals(world);
        let there = |class| world.count(class);
        let most = Class::SPECIALS.map(there);
        self.seen.most_specials = self.seen.most_specials.max(most.iter().sum());
        self.seen.most_of_a_class = most.into_iter().fold(self.seen.most_of_a_class, usize::max);
        let quiet = matches!(director.phase, Phase::Fade | Phase::Relax);
        // A finale has stages of its own: neither mobs nor their gaps are the rules' any more.
        let by_rule = director.finale_since.is_none();
        let Some(left) = director.left_start_at else {
            self.begun = true;
            return;
        };
        self.seen.minutes += TICK_SECS / 60.0;
        if director.account.mobs > self.mobs && by_rule {
            self.hold("no mob begins in a fade or a relaxation", !quiet);
            self.hold("no mob begins with a tank about", !(tank && self.tank));
            self.seen.mob_sizes.push(director.account.mob_commons - self.mob_commons);
            self.seen.mob_gaps.push(self.gap_ticks as f32 * TICK_SECS);
            self.seen.mob_gaps_free.push(self.free_ticks as f32 * TICK_SECS);
            (self.gap_ticks, self.free_ticks) = (1, 1);
        } else {
            self.gap_ticks += 1;
            self.free_ticks += u32::from(!quiet && !tank);
        }
        if director.account.specials > self.specials {
            self.hold("no special begins in a fade or a relaxation", !quiet);
            self.hold("no special begins with a tank about", !(tank && self.tank));
            if self.specials == 0 {
                let secs = (world.now - 1 - left) as f32 * TICK_SECS;
                match self.held_up_ticks {
                    0 => self.seen.first_special_secs.push(secs),
                    _ => {
                        let least = FIRST_SPECIAL_SECS[0] / director.temperament.frequency();
                        self.hold("no special before its time", secs >= least - TICK_SECS);
                    }
                }
            }
        }
        self.held_up_ticks += u32::from(quiet || tank);
        self.mobs = director.account.mobs;
        self.mob_commons = director.account.mob_commons;
        self.specials = director.account.specials;
        self.tank = tank;
        self.begun = true;
    }

    fn see_phase(&mut self, world: &World) {
        let director = &world.director;
        let (from, to) = (self.phase, director.phase);
        if from == Phase::Fade && to == Phase::Fade {
            self.hold("a fade ends with the peak", director.intensity >= RELAX_THRESHOLD);
        }
        if from == to {
            // The first build-up begins when the start is left.
            self.phase_since = director.phase_since;
            return;
        }
        let next = Phase::ALL[(from as usize + 1) % 4];
        self.hold("build-up, sustain, fade, relax, build-up", to == next);
        let lasted = director.phase_since - self.phase_since;
        if self.phases > 0 {
            self.seen.phase_secs[from as usize].push(lasted as f32 * TICK_SECS);
        }
        match from {
            Phase::BuildUp => {
                self.hold("a build-up lasts 15 s at least", lasted >= ticks(15.0));
                self.hold("a build-up ends with a peak", director.intensity >= 1.0);
            }
            Phase::Sustain => {
                let within = (ticks(3.0)..=ticks(5.0)).contains(&lasted);
                self.hold("a peak is sustained for 3 to 5 s", within);
            }
            Phase::Fade => {
                self.hold("a fade ends with the peak", director.intensity < RELAX_THRESHOLD);
                self.progress = world.progress;
            }
            Phase::Relax => {
                let walked = world.progress > self.progress + RELAX_FLOW;
                self.seen.walked_on += usize::from(walked);
                let within = (ticks(30.0)..=ticks(45.0)).contains(&lasted);
                self.hold("30 to 45 s of rest, or 3,000 units", within || walked);
            }
        }
        self.phases += 1;
        self.phase = to;
        self.phase_since = director.phase_since;
    }

    fn see_arrivals(&mut self, world: &World) {
        let account = &world.director.account;
        // Those who have just come are the last of the list.
        let come = (account.commons - self.commons) as usize;
        self.commons = account.commons;
        let first = world.commons.len().saturating_sub(come);
        for common in &world.commons[first..] {
            self.see_arrival(world, &common.body);
        }
        self.seen.commons += come;
        // The director is the last to act in a tick, and the clock goes on after it.
        let born = world.now.saturating_sub(1);
        let begun = self.begun;
        for special in world.specials.iter().filter(|s| begun && s.alive && s.born_at == born) {
            self.see_arrival(world, &special.body);
            match special.class {
                Class::Tank | Class::Witch => self.seen.bosses += 1,
                _ => self.seen.specials += 1,
            }
        }
    }

    fn see_arrival(&mut self, world: &World, body: &Body) {
        let terrain = &world.terrain;
        let living = || world.survivors.iter().filter(|s| s.is_alive());
        let seen = living().any(|s| terrain.sees(s.body.area, body.area));
        self.hold("nothing appears in sight", !seen);
        let far = living().map(|s| distance(s.body.at, body.at)).fold(f32::INFINITY, f32::min);
        self.hold("nothing appears near by", far >= LEAST_RANGE);
        self.seen.nearest = Some(self.seen.nearest.map_or(far, |least| least.min(far)));
        let spared = attributes::CHECKPOINT | attributes::RESCUE_CLOSET | attributes::NO_MOBS;
        let room = terrain.in_start(body.area)
            || terrain.in_goal(body.area)
            || terrain.spawn(body.area) & spared != 0;
        self.hold("nothing appears in a safe room", !room);
    }
}

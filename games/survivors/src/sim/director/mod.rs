//! The director: what comes, and when. Intensity says how hard it is for the survivors; the phases keep it
//! from being hard all the time. After Michael Booth's slides and the game's console variables (facts §5).

mod orders;
mod spawn;
mod stress;

use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::nav::{AreaIndex, GoalKind};
use crate::sim::infected::Class;
use crate::sim::numbers::{TICK_SECS, ticks};
use crate::sim::world::{PLAYED_INFECTED, World};

pub use orders::{COOLDOWN_TICKS, Order};
pub use spawn::{FINALE_SECS, LEAST_RANGE, WAVE_SECS};
pub use stress::{DECAY_SECS, Strain};

/// `director_build_up_min_interval`: a build-up takes at least so long.
pub const BUILD_UP_SECS: f32 = 15.0;
/// `director_sustain_peak_min_time` and `max_time`.
pub const SUSTAIN_SECS: [f32; 2] = [3.0, 5.0];
/// `director_relax_min_interval` and `max_interval`.
pub const RELAX_SECS: [f32; 2] = [30.0, 45.0];
/// `director_relax_max_flow_travel`: whoever walks on is relaxed enough.
pub const RELAX_FLOW: f32 = 3000.0;
/// Intensity at which a peak is reached.
pub const PEAK: f32 = 1.0;
/// `director_intensity_relax_threshold`: below it, the peak is over.
pub const RELAX_THRESHOLD: f32 = 0.9;
/// `director_intensity_relax_allow_wanderers_threshold`.
pub const WANDERERS_THRESHOLD: f32 = 0.3;
/// `director_special_initial_spawn_delay_min` and `max`.
pub const FIRST_SPECIAL_SECS: [f32; 2] = [30.0, 60.0];
/// `director_special_respawn_interval`.
pub const SPECIAL_SECS: f32 = 45.0;
/// `z_mob_spawn_min_interval_normal` and `max`.
pub const MOB_SECS: [f32; 2] = [90.0, 180.0];
/// `z_mob_spawn_min_size` and `max_size`.
pub const MOB_SIZE: [u32; 2] = [10, 30];
/// At most so many specials at once (coop's DominatorLimit), one of each class.
pub const SPECIAL_LIMIT: usize = 3;

/// Where the pacing stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Everything comes, until it is too much.
    #[default]
    BuildUp,
    /// It stays too much for a moment.
    Sustain,
    /// Nothing more comes, until it is bearable.
    Fade,
    /// Nothing comes.
    Relax,
}

impl Phase {
    /// All of them.
    pub const ALL: [Phase; 4] = [Phase::BuildUp, Phase::Sustain, Phase::Fade, Phase::Relax];
}

/// Who directs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The rules alone.
    #[default]
    Rule,
    /// A policy alone.
    Rl,
    /// The rules for what spawns and lies about, a policy for events.
    Hybrid,
    /// Nobody: nothing ever comes.
    None,
}

/// How much a director wants the survivors to suffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // the names say it
pub enum Temperament {
    Relaxed,
    #[default]
    Standard,
    Intense,
    Nightmare,
}

impl Temperament {
    /// The stress it aims at (facts §1).
    pub fn target(self) -> f32 {
        [0.3, 0.5, 0.7, 0.85][self as usize]
    }

    /// How often things come, beside the standard.
    pub fn frequency(self) -> f32 {
        self.target() / Temperament::Standard.target()
    }
}

/// What the director knows and plans.
#[derive(Clone, Debug, Default)]
pub struct Director {
    /// Who directs.
    pub mode: Mode,
    /// How hard it means to be.
    pub temperament: Temperament,
    /// Where the pacing stands.
    pub phase: Phase,
    /// The tick at which the phase began.
    pub phase_since: u32,
    /// The tick at which a phase that has an end of its own ends.
    phase_until: u32,
    /// How far the survivors were when they began to relax.
    relax_flow: f32,
    /// The hardest-pressed survivor's intensity.
    pub intensity: f32,
    /// The tick at which somebody left the start.
    pub left_start_at: Option<u32>,
    /// The tick of the next mob.
    pub next_mob: u32,
    /// Commons of a mob that are still to come.
    pub to_come: u32,
    /// The tick of the next special.
    next_special: u32,
    /// The tick from which each class may come again.
    class_from: [u32; 6],
    /// The tick at which each played infected comes back.
    pub seat_from: [u32; PLAYED_INFECTED],
    /// How far along the way a tank and a witch wait.
    tank_flow: Option<f32>,
    witch_flow: Option<f32>,
    /// The tick until which there is a panic event.
    pub panic_until: u32,
    /// The tick at which the finale began.
    pub finale_since: Option<u32>,
    /// Waves of the finale that have come.
    waves: u32,
    /// Medkits used so far.
    pub medkits_used: u32,
    /// Kills of late; fades.
    pub recent_kills: f32,
    /// Damage of late; fades.
    pub recent_damage: f32,
    /// The tick from which a policy may order a tank, a witch, a panic again.
    pub(crate) order_from: [u32; 3],
    /// What the match was like.
    pub account: Account,
}

/// What a match was like, for whoever asks afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Account {
    /// Ticks in each phase.
    pub phase_ticks: [u32; 4],
    /// How often each phase began.
    pub phases: [u32; 4],
    /// Mobs that came.
    pub mobs: u32,
    /// Commons of those mobs.
    pub mob_commons: u32,
    /// Mobs that came while everybody should relax.
    pub mobs_while_relaxing: u32,
    /// Specials that came.
    pub specials: u32,
    /// Commons that came.
    pub commons: u32,
    /// Tanks and witches that came.
    pub bosses: u32,
    /// |stress - target|, summed over ticks.
    pub stress_error: f64,
    /// Stress, summed over ticks.
    pub stress: f64,
    /// Ticks summed over.
    pub ticks: u32,
}

impl World {
    /// Plans a match.
    pub(crate) fn begin_directing(&mut self) {
        let (mode, temperament) = (self.director.mode, self.director.temperament);
        self.director = Director { mode, temperament, ..Director::default() };
        self.director.account.phases[Phase::BuildUp as usize] = 1;
        if mode == Mode::None {
            return;
        }
        let length = self.terrain.flow_length();
        // A boss of each kind on most maps; on longer ones surely.
        let share = |world: &mut World, least: f32| {
            let (there, share): (f32, f32) = (world.rng.random(), world.rng.random());
            (there < least).then_some((0.35 + 0.45 * share) * length)
        };
        let likely = (length / 5000.0).clamp(0.2, 1.0) * temperament.frequency().min(1.5);
        if mode == Mode::Rule {
            self.director.tank_flow = share(self, 0.5 * likely);
            self.director.witch_flow = share(self, 0.6 * likely);
        }
        if mode != Mode::Rl {
            self.populate();
        }
    }

    /// A tick of directing.
    pub(crate) fn direct(&mut self) {
        self.feel();
        self.rescue_the_dead();
        self.tend_finale();
        self.account();
        if matches!(self.director.mode, Mode::None) {
            return;
        }
        if self.director.left_start_at.is_none() {
            let terrain = &self.terrain;
            let left =
                self.survivors.iter().any(|s| s.is_alive() && !terrain.in_start(s.body.area));
            if !left {
                return;
            }
            self.leave_start();
        }
        self.pace();
        self.spawn_to_come();
        if self.director.mode != Mode::Rl {
            self.spawn_by_rule();
        }
    }

    fn leave_start(&mut self) {
        let now = self.now;
        let frequency = self.director.temperament.frequency();
        self.director.left_start_at = Some(now);
        self.director.phase_since = now;
        let first = self.between_secs(FIRST_SPECIAL_SECS) / frequency;
        self.director.next_special = now + ticks(first);
        let mob = self.between_secs(MOB_SECS) / frequency;
        self.director.next_mob = now + ticks(mob);
        for from in &mut self.director.seat_from {
            *from = now + ticks(5.0);
        }
    }

    fn between_secs(&mut self, [least, most]: [f32; 2]) -> f32 {
        least + (most - least) * self.rng.random::<f32>()
    }

    /// Moves the phases on.
    fn pace(&mut self) {
        let now = self.now;
        let intensity = self.director.intensity;
        let since = now - self.director.phase_since.min(now);
        match self.director.phase {
            Phase::BuildUp => {
                if intensity >= PEAK && since >= ticks(BUILD_UP_SECS) {
                    let secs = self.between_secs(SUSTAIN_SECS);
                    self.enter(Phase::Sustain, secs);
                }
            }
            Phase::Sustain => {
                if now >= self.director.phase_until {
                    self.enter(Phase::Fade, 0.0);
                }
            }
            Phase::Fade => {
                if intensity < RELAX_THRESHOLD {
                    let secs = self.between_secs(RELAX_SECS);
                    self.director.relax_flow = self.progress;
                    self.enter(Phase::Relax, secs);
                }
            }
            Phase::Relax => {
                let walked_on = self.progress > self.director.relax_flow + RELAX_FLOW;
                if now >= self.director.phase_until || walked_on {
                    self.enter(Phase::BuildUp, 0.0);
                }
            }
        }
    }

    fn enter(&mut self, phase: Phase, secs: f32) {
        let now = self.now;
        let director = &mut self.director;
        director.phase = phase;
        director.phase_since = now;
        director.phase_until = now + ticks(secs);
        director.account.phases[phase as usize] += 1;
    }

    fn account(&mut self) {
        let stress = self.strain().stress();
        let director = &mut self.director;
        let account = &mut director.account;
        account.ticks += 1;
        account.stress += f64::from(stress);
        account.stress_error += f64::from((stress - director.temperament.target()).abs());
        account.phase_ticks[director.phase as usize] += 1;
        let fade = 1.0 - TICK_SECS / 10.0;
        director.recent_kills *= fade;
        director.recent_damage *= fade;
    }

    /// Is the rescue still to come?
    pub fn goal_is_closed(&self) -> bool {
        match self.terrain.goal_kind() {
            GoalKind::SafeRoom => false,
            GoalKind::RescueVehicle => {
                self.director.mode != Mode::None
                    && self
                        .director
                        .finale_since
                        .is_none_or(|since| self.now < since + ticks(spawn::FINALE_SECS))
            }
        }
    }

    /// A special has died, or gone.
    pub(crate) fn special_died(&mut self, class: Class, seat: Option<u8>) {
        let now = self.now;
        let wait = ticks(SPECIAL_SECS / self.director.temperament.frequency());
        if let Some(from) = self.director.class_from.get_mut(class as usize) {
            *from = now + wait;
        }
        if let Some(seat) = seat {
            self.director.seat_from[usize::from(seat)] = now + ticks(spawn::RESPAWN_SECS);
        }
    }

    /// The dead wait in a closet ahead, if the map has one.
    fn rescue_the_dead(&mut self) {
        for i in 0..self.survivors.len() {
            let s = &self.survivors[i];
            let waits = s.present
                && s.condition == crate::sim::survivor::Condition::Dead
                && s.closet.is_none()
                && self.now == s.died_at + ticks(spawn::CLOSET_SECS);
            if waits {
                self.survivors[i].closet = self.closet_ahead();
            }
        }
    }

    fn closet_ahead(&mut self) -> Option<AreaIndex> {
        let (terrain, progress) = (self.terrain.clone(), self.progress);
        let closets = (0..terrain.areas() as AreaIndex).filter(|&a| {
            terrain.spawn(a) & crate::nav::attributes::RESCUE_CLOSET != 0
                && terrain.flow(a) > progress + 200.0
        });
        closets.min_by(|&a, &b| terrain.flow(a).total_cmp(&terrain.flow(b)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::maps;
    use crate::nav::{Hint, Terrain};
    use crate::sim::numbers::Difficulty;
    use crate::sim::world::SURVIVORS;

    fn ruled() -> World {
        let mesh = maps::by_name("street").unwrap();
        let terrain = Arc::new(Terrain::new(&mesh, &Hint::default()).unwrap());
        let mut world = World::new(terrain.clone(), Difficulty::Normal);
        world.reset(terrain, 3, [true; SURVIVORS]);
        world.leave_start();
        world
    }

    #[test]
    fn whoever_walks_on_is_relaxed_enough() {
        let mut world = ruled();
        world.director.relax_flow = 500.0;
        world.enter(Phase::Relax, RELAX_SECS[1]);
        world.progress = 500.0 + RELAX_FLOW;
        world.pace();
        assert_eq!(world.director.phase, Phase::Relax);
        world.progress += 1.0;
        world.pace();
        assert_eq!(world.director.phase, Phase::BuildUp);
    }

    #[test]
    fn three_specials_of_three_classes_are_enough() {
        let mut world = ruled();
        let mut most = 0;
        for _ in 0..200 {
            world.director.next_special = world.now;
            world.spawn_by_rule();
            let there: Vec<Class> = world.specials.iter().map(|s| s.class).collect();
            let specials = there.iter().filter(|class| Class::SPECIALS.contains(class));
            most = most.max(specials.count());
            assert!(there.iter().all(|&class| world.count(class) == 1), "{there:?}");
        }
        assert_eq!(most, SPECIAL_LIMIT);
    }

    #[test]
    fn a_class_that_died_stays_away_for_a_while() {
        let mut world = ruled();
        world.special_died(Class::Hunter, None);
        let wait = ticks(SPECIAL_SECS);
        assert_eq!(world.director.class_from[Class::Hunter as usize], world.now + wait);
        world.director.temperament = Temperament::Relaxed;
        world.special_died(Class::Hunter, None);
        assert_eq!(world.director.class_from[Class::Hunter as usize], world.now + ticks(75.0));
    }
}

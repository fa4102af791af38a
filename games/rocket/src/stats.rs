//! What a finished match reports: numbers about the play, whatever the rewards were.

use rocketsim::consts::TICK_RATE;

use crate::recovery::Recoveries;
use crate::state::{Happenings, State, Team};

/// The names in the order in which [`Stats::write`] writes the numbers.
pub const NAMES: &[&str] = &[
    "goals_blue",
    "goals_orange",
    "touches",
    "touches_per_minute",
    "shots",
    "saves",
    "demolitions",
    "mean_speed_uu_per_sec",
    "mean_boost",
    "air_time_share",
    "turtles",
    "recoveries_in_time",
    "recoveries_failed",
    "mean_recovery_ticks",
    "match_secs",
];

/// Adds up a match step by step. Counts are of all cars together; means are over the time that cars
/// were whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    goals: [u32; 2],
    touches: u32,
    shots: u32,
    saves: u32,
    demolitions: u32,
    ticks: u64,
    /// Sums over cars and ticks; as f64, because a long match adds small numbers to large ones.
    car_ticks: f64,
    speed_ticks: f64,
    boost_ticks: f64,
    air_ticks: f64,
}

impl Stats {
    /// Begins a new match.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Adds one step of `ticks` ticks that ended in `now`.
    #[inline]
    pub fn update(&mut self, ticks: u32, now: &State, happened: &Happenings) {
        self.ticks += u64::from(ticks);
        if let Some(team) = happened.goal {
            self.goals[team] += 1;
        }
        for did in &happened.cars {
            self.touches += did.touches;
            self.shots += u32::from(did.shot);
            self.saves += u32::from(did.save);
            self.demolitions += did.demolitions;
        }
        let ticks = f64::from(ticks);
        for car in now.cars.iter().filter(|car| !car.demolished) {
            self.car_ticks += ticks;
            self.speed_ticks += ticks * f64::from(car.body.vel.length());
            self.boost_ticks += ticks * f64::from(car.boost);
            if !car.on_ground && !car.turtled() {
                self.air_ticks += ticks;
            }
        }
    }

    /// Goals of a team so far.
    pub fn goals(&self, team: Team) -> u32 {
        self.goals[team.index()]
    }

    /// Writes the numbers that [`NAMES`] names.
    pub fn write(&self, recoveries: &Recoveries, out: &mut [f32]) {
        let secs = self.ticks as f32 / TICK_RATE;
        let mean =
            |sum: f64| if self.car_ticks > 0.0 { (sum / self.car_ticks) as f32 } else { 0.0 };
        let minutes = secs / 60.0;
        let per_minute = if minutes > 0.0 { self.touches as f32 / minutes } else { 0.0 };
        let roofs = recoveries.totals();
        out.copy_from_slice(&[
            self.goals[0] as f32,
            self.goals[1] as f32,
            self.touches as f32,
            per_minute,
            self.shots as f32,
            self.saves as f32,
            self.demolitions as f32,
            mean(self.speed_ticks),
            mean(self.boost_ticks),
            mean(self.air_ticks),
            roofs.turtles as f32,
            roofs.in_time as f32,
            roofs.failed as f32,
            roofs.mean_ticks(),
            secs,
        ]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Car, CarHappenings, PADS};
    use rocketsim::{Mat3A, Vec3A};

    fn car(team: Team, speed: f32) -> Car {
        let mut car = Car { boost: 50.0, ..Car::parked(team, Vec3A::ZERO) };
        car.body.vel = Vec3A::X * speed;
        car
    }

    fn state(cars: [Car; 2]) -> State {
        State { ball: cars[0].body, cars: cars.to_vec(), pad_secs: [0.0; PADS], tick: 0 }
    }

    fn report(stats: &Stats, recoveries: &Recoveries) -> impl Fn(&str) -> f32 + use<> {
        let mut out = vec![f32::NAN; NAMES.len()];
        stats.write(recoveries, &mut out);
        move |name| out[NAMES.iter().position(|&n| n == name).unwrap()]
    }

    #[test]
    fn a_match_adds_up() {
        let mut stats = Stats::default();
        let mut recoveries = Recoveries::new(360);
        let mut now = state([car(Team::Blue, 1000.0), car(Team::Orange, 2000.0)]);
        let quiet = Happenings { cars: vec![CarHappenings::default(); 2], ..Default::default() };
        let mut busy = quiet.clone();
        busy.goal = Some(1);
        busy.cars[0] =
            CarHappenings { touches: 2, shot: true, demolitions: 1, ..Default::default() };
        busy.cars[1] = CarHappenings { touches: 1, save: true, ..Default::default() };
        stats.update(3592, &now, &quiet);
        now.cars[1].on_ground = false;
        now.cars[1].body_contact = true;
        now.cars[1].world_from_car = Mat3A::from_rotation_x(std::f32::consts::PI);
        recoveries.update(&now);
        now.cars[1] = car(Team::Orange, 2000.0);
        now.tick = 8;
        recoveries.update(&now);
        stats.update(8, &now, &busy);
        let of = report(&stats, &recoveries);
        assert_eq!((of("goals_blue"), of("goals_orange")), (0.0, 1.0));
        assert_eq!(stats.goals(Team::Orange), 1);
        assert_eq!((of("touches"), of("touches_per_minute")), (3.0, 6.0));
        assert_eq!((of("shots"), of("saves"), of("demolitions")), (1.0, 1.0, 1.0));
        assert_eq!((of("mean_speed_uu_per_sec"), of("mean_boost")), (1500.0, 50.0));
        assert_eq!(
            (of("turtles"), of("recoveries_in_time"), of("recoveries_failed")),
            (1., 1., 0.)
        );
        assert_eq!((of("mean_recovery_ticks"), of("match_secs")), (8.0, 30.0));
    }

    #[test]
    fn time_in_pieces_is_no_time() {
        let mut stats = Stats::default();
        let quiet = Happenings { cars: vec![CarHappenings::default(); 2], ..Default::default() };
        let flying = Car { on_ground: false, ..car(Team::Blue, 600.0) };
        let pieces = Car { demolished: true, ..car(Team::Orange, 0.0) };
        stats.update(8, &state([flying, pieces]), &quiet);
        stats.update(24, &state([car(Team::Blue, 600.0), pieces]), &quiet);
        let of = report(&stats, &Recoveries::default());
        assert_eq!((of("air_time_share"), of("mean_speed_uu_per_sec")), (0.25, 600.0));
    }

    #[test]
    fn a_match_without_a_step_reports_zeros() {
        let mut stats = Stats { touches: 3, ..Stats::default() };
        stats.reset();
        let mut out = vec![f32::NAN; NAMES.len()];
        stats.write(&Recoveries::default(), &mut out);
        assert!(out.iter().all(|&v| v == 0.0), "{out:?}");
    }
}

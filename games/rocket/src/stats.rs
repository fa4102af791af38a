//! What a finished match reports: numbers about the play, whatever the rewards were.

use lanista_game::Stat;
use rocketsim::consts::TICK_RATE;

use crate::recovery::Recoveries;
use crate::state::{Happenings, State, Team};

/// The stats in the order in which [`Stats::write`] writes the numbers.
pub fn stats() -> Vec<Stat> {
    vec![
        Stat::team("goals"),
        Stat::team("touches"),
        Stat::team("shots"),
        Stat::team("saves"),
        Stat::team("demolitions"),
        "touches_per_minute".into(),
        "mean_speed_uu_per_sec".into(),
        "mean_boost".into(),
        "air_time_share".into(),
        "turtles".into(),
        "recoveries_in_time".into(),
        "recoveries_failed".into(),
        "mean_recovery_ticks".into(),
        "match_secs".into(),
    ]
}

/// Adds up a match step by step. What is not counted by team is of all cars together; means are over
/// the time that cars were whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    goals: [u32; 2],
    touches: [u32; 2],
    shots: [u32; 2],
    saves: [u32; 2],
    demolitions: [u32; 2],
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
        for (car, did) in now.cars.iter().zip(&happened.cars) {
            let team = car.team.index();
            self.touches[team] += did.touches;
            self.shots[team] += u32::from(did.shot);
            self.saves[team] += u32::from(did.save);
            self.demolitions[team] += did.demolitions;
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

    /// Writes the numbers of [`stats`]: blue before orange where teams have one each.
    pub fn write(&self, recoveries: &Recoveries, out: &mut [f32]) {
        let secs = self.ticks as f32 / TICK_RATE;
        let mean =
            |sum: f64| if self.car_ticks > 0.0 { (sum / self.car_ticks) as f32 } else { 0.0 };
        let minutes = secs / 60.0;
        let touches: u32 = self.touches.iter().sum();
        let per_minute = if minutes > 0.0 { touches as f32 / minutes } else { 0.0 };
        let roofs = recoveries.totals();
        let counts = [self.goals, self.touches, self.shots, self.saves, self.demolitions];
        let (of_teams, of_all) = out.split_at_mut(counts.as_flattened().len());
        of_teams.iter_mut().zip(counts.as_flattened()).for_each(|(out, &n)| *out = n as f32);
        of_all.copy_from_slice(&[
            per_minute,
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
    use crate::game::describe;
    use crate::settings::Settings;
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

    /// What a team reads.
    fn report(team: Team, stats: &Stats, recoveries: &Recoveries) -> impl Fn(&str) -> f32 + use<> {
        let spec = describe(&Settings::default());
        let mut out = vec![f32::NAN; spec.stat_values()];
        stats.write(recoveries, &mut out);
        let reported = spec.stats_of(team.index(), &out);
        move |name| reported[spec.stat_names().iter().position(|n| n == name).unwrap()]
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
        assert_eq!(stats.goals(Team::Orange), 1);
        for (team, own) in [(Team::Blue, ""), (Team::Orange, "opponent_")] {
            let of = report(team, &stats, &recoveries);
            let blue = |name: &str| of(&format!("{own}{name}"));
            let theirs = if own.is_empty() { "opponent_" } else { "" };
            let orange = |name: &str| of(&format!("{theirs}{name}"));
            assert_eq!((blue("goals"), orange("goals")), (0.0, 1.0));
            assert_eq!((blue("touches"), orange("touches")), (2.0, 1.0));
            assert_eq!((blue("shots"), orange("shots")), (1.0, 0.0));
            assert_eq!((blue("saves"), orange("saves")), (0.0, 1.0));
            assert_eq!((blue("demolitions"), orange("demolitions")), (1.0, 0.0));
        }
        let of = report(Team::Blue, &stats, &recoveries);
        assert_eq!(of("touches_per_minute"), 6.0);
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
        let of = report(Team::Blue, &stats, &Recoveries::default());
        assert_eq!((of("air_time_share"), of("mean_speed_uu_per_sec")), (0.25, 600.0));
    }

    #[test]
    fn a_match_without_a_step_reports_zeros() {
        let mut stats = Stats { touches: [3, 1], ..Stats::default() };
        stats.reset();
        let mut out = vec![f32::NAN; describe(&Settings::default()).stat_values()];
        stats.write(&Recoveries::default(), &mut out);
        assert!(out.iter().all(|&v| v == 0.0), "{out:?}");
    }
}

//! States and rows at the rate of decisions.

use std::path::{Path, PathBuf};

use lanista_game::seed;
use rocketsim::CarControls;

use super::aside::{Aside, lead_back};
use super::controls::{Controls, Press};
use super::period::{Period, Stretch, periods};
use super::pick::{Miss, Picked, pick};
use super::recording::{self, Recording};
use super::steps::wanted;
use super::track::TICK_RATE;
use super::{ReplayError, Trouble, file};
use crate::clock::Clock;
use crate::engine::{Trial, blank_state};
use crate::hitbox::Hitbox;
use crate::settings::Settings;
use crate::state::{Car, MAX_TEAM, State, Team};
use crate::table::{NEUTRAL, ROWS, table};

/// A row that leaves a car further than this from where it was is none that anybody chose: something hit
/// the car that the engine was not told of.
const MAX_MISS_UU: f32 = 60.0;
/// Seconds that a demolished car is away.
const RESPAWN_SECS: f32 = 3.0;

/// A match that was recorded, ready to be looked at.
pub struct Match {
    path: PathBuf,
    recording: Recording,
    periods: Vec<Period>,
    /// By player.
    trials: Vec<Trial>,
}

/// What one player saw and did.
#[derive(Debug)]
pub struct Decision<'a> {
    /// Which player, an index into [`Match::players`].
    pub player: usize,
    /// Which stretch of play: between a kickoff and a goal.
    pub period: usize,
    /// Which of the stretches of one car in it: between demolitions and holes.
    pub stretch: usize,
    /// Decisions since the period began.
    pub step: u32,
    /// The match then; the cars' last actions are what was recovered.
    pub state: &'a State,
    /// The player's car in it.
    pub car: usize,
    /// The row that comes closest.
    pub row: usize,
    /// It says what the player did. Otherwise something happened that no row explains.
    pub known: bool,
    /// No other row did as well.
    pub unique: bool,
    /// What the row leaves.
    pub miss: Miss,
    /// Score and clock, for whole games.
    pub clock: Clock,
    /// The car put aside in other ways, each with the row that leads back, where it drives.
    pub aside: Vec<Option<Aside>>,
}

/// What was recovered in one frame of the replay, for comparisons with other programs.
#[derive(Clone, Copy, Debug)]
pub struct FrameReport {
    /// The number of the frame in the replay.
    pub frame: usize,
    /// Which player, an index into [`Match::players`].
    pub player: usize,
    /// Throttle, steer, pitch, yaw, roll, jump, boost, handbrake.
    pub controls: [f32; 8],
    /// The row that comes closest, whatever is legal.
    pub row: usize,
    /// How far the row ends from the next frame, in uu.
    pub miss_uu: f32,
    /// The replay has news of the car in this frame.
    pub fresh: bool,
}

/// Opens a replay. The arena is prepared as the settings say.
pub fn open(path: &Path, settings: &Settings) -> Result<Match, ReplayError> {
    let trouble = |trouble| ReplayError { path: path.to_owned(), trouble };
    crate::arena::prepare(settings.collision_meshes.as_deref())
        .map_err(|error| trouble(Trouble::Settings(error)))?;
    let replay = file::open(path)?;
    assemble(path, &replay).map_err(trouble)
}

/// Makes a match of what was decoded.
pub(super) fn assemble(path: &Path, replay: &boxcars::Replay) -> Result<Match, Trouble> {
    let recording = recording::read(replay)?;
    let mut trials: Vec<Trial> =
        recording.players.iter().map(|player| Trial::new(player.hitbox)).collect();
    let mut periods = periods(&recording, &mut trials);
    // Before the first kickoff nobody plays for anything.
    let Some(first) = periods.iter().position(|period| period.kickoff) else {
        let cars = |frame: &recording::Frame| frame.cars.iter().flatten().count();
        return Err(match recording.frames.iter().map(cars).max() {
            Some(cars) if cars > 2 * MAX_TEAM => Trouble::Teams(format!("{cars} cars")),
            Some(0) | None => Trouble::Teams("no car".into()),
            _ => Trouble::NoKickoff,
        });
    };
    periods.drain(..first);
    Ok(Match { path: path.to_owned(), recording, periods, trials })
}

impl Match {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Names, teams and hitboxes of everybody who played.
    pub fn players(&self) -> impl Iterator<Item = (&str, Team, Hitbox)> {
        self.recording.players.iter().map(|p| (p.name.as_str(), p.team, p.hitbox))
    }

    /// Which players had a car at some time.
    pub fn drivers(&self) -> Vec<usize> {
        let drove = |player: &usize| self.periods.iter().any(|p| p.players.contains(player));
        (0..self.recording.players.len()).filter(drove).collect()
    }

    /// Goals of each team at the end.
    pub fn score(&self) -> [u32; 2] {
        self.recording.score
    }

    /// Seconds in which the ball was in play.
    pub fn secs(&self) -> f64 {
        self.periods.iter().map(|period| period.end() / TICK_RATE).sum()
    }

    /// Stretches of play, and how many of them a goal ended.
    pub fn periods(&self) -> (usize, usize) {
        (self.periods.len(), self.periods.iter().filter(|period| period.goal).count())
    }

    /// Cars of blue and of orange in a stretch of play.
    pub fn sizes(&self, period: usize) -> (usize, usize) {
        let players = &self.periods[period].players;
        let blue = players.iter().filter(|&&p| self.recording.players[p].team == Team::Blue);
        let blue = blue.count();
        (blue, players.len() - blue)
    }

    /// Did a goal end a stretch of play?
    pub fn ends_with_goal(&self, period: usize) -> bool {
        self.periods[period].goal
    }

    /// Goes through every decision of every player, in the order in which they were made.
    pub fn decisions(&mut self, settings: &Settings, hear: impl FnMut(&Decision)) {
        self.decisions_aside(settings, 0, hear);
    }

    /// The same, with the car of each decision put aside in so many other ways.
    pub fn decisions_aside(
        &mut self,
        settings: &Settings,
        copies: usize,
        mut hear: impl FnMut(&Decision),
    ) {
        let Self { recording, periods, trials, .. } = self;
        let step_ticks = f64::from(settings.step_ticks());
        // What is chosen now takes effect later.
        let delay = f64::from(settings.action_delay);
        for (index, period) in periods.iter().enumerate() {
            let wanted: Vec<Vec<Option<(usize, Controls)>>> =
                period.cars.iter().map(|car| wanted(car, period, delay, step_ticks)).collect();
            let mut state = blank(period, recording);
            let steps = (period.end() / step_ticks) as u32;
            for step in 0..steps {
                let tick = f64::from(step) * step_ticks;
                if !show(period, recording, tick, trials, &mut state) {
                    continue;
                }
                let clock = clock(recording, period, tick, settings);
                let mut chosen: [Option<usize>; 2 * MAX_TEAM] = [None; 2 * MAX_TEAM];
                for car in 0..period.cars.len() {
                    let player = period.players[car];
                    let Some((stretch, controls)) = wanted[car][step as usize] else { continue };
                    let mut mask = [true; ROWS];
                    settings.legality.mask(&state.cars[car], &mut mask);
                    let last = state.cars[car].last_action.unwrap_or(NEUTRAL);
                    let from = &period.cars[car][stretch];
                    let seen = &state.cars[car];
                    let trial = &mut trials[player];
                    let Some(picked) = choose(
                        period,
                        from,
                        seen,
                        last,
                        tick + delay,
                        step_ticks,
                        &controls,
                        &mask,
                        trial,
                    ) else {
                        continue;
                    };
                    chosen[car] = Some(picked.row);
                    let pressed = controls.press.begins();
                    let does = table()[picked.row].jump == (controls.press != Press::None);
                    let held = pressed && table()[last].jump;
                    let (row, now) = (picked.row, tick + delay);
                    let aside = (0..copies as u64).map(|copy| {
                        let here = seed::mix(player as u64, seed::mix(index as u64, tick as u64));
                        let dice = seed::mix(here, copy);
                        lead_back(period, from, seen, row, now, &mask, trial, dice)
                    });
                    let aside = aside.collect();
                    hear(&Decision {
                        player,
                        period: index,
                        stretch,
                        step,
                        state: &state,
                        car,
                        row: picked.row,
                        known: picked.miss.position <= MAX_MISS_UU && (does || !pressed) && !held,
                        unique: picked.unique,
                        miss: picked.miss,
                        clock,
                        aside,
                    });
                }
                for (car, row) in state.cars.iter_mut().zip(chosen) {
                    car.last_action = Some(row.unwrap_or(NEUTRAL));
                }
            }
        }
    }

    /// Goes through the match by so many ticks, where everybody is known to be somewhere.
    pub fn states(&mut self, every: u32, mut hear: impl FnMut(&State)) {
        let Self { recording, periods, trials, .. } = self;
        for period in periods.iter() {
            let mut state = blank(period, recording);
            let steps = (period.end() / f64::from(every.max(1))) as u32;
            for step in 0..steps {
                let tick = f64::from(step) * f64::from(every);
                if show(period, recording, tick, trials, &mut state) {
                    hear(&state);
                }
            }
        }
    }

    /// Goes through every frame of every player, whatever is legal.
    pub fn frames(&mut self, mut hear: impl FnMut(&FrameReport)) {
        let Self { recording, periods, trials, .. } = self;
        let all = [true; ROWS];
        for period in periods.iter() {
            let mut state = blank(period, recording);
            let mut lasts = vec![NEUTRAL; period.players.len()];
            for frame in 0..period.ticks.len().saturating_sub(1) {
                let (tick, next) = (period.ticks[frame].round(), period.ticks[frame + 1].round());
                if next <= tick || !show(period, recording, tick, trials, &mut state) {
                    continue;
                }
                for (car, &player) in period.players.iter().enumerate() {
                    let here = |stretch: &&Stretch| stretch.frames.contains(&frame);
                    let Some(stretch) = period.cars[car].iter().find(here) else { continue };
                    let at = frame - stretch.frames.start;
                    let controls = stretch.controls[at];
                    let (seen, trial) = (&state.cars[car], &mut trials[player]);
                    // From where the frame shows the car, whenever that was.
                    let from = stretch.track.shown(period.ticks[frame]);
                    let length = next - tick;
                    let last = lasts[car];
                    let picked =
                        choose(period, stretch, seen, last, from, length, &controls, &all, trial);
                    if let Some(picked) = picked {
                        lasts[car] = picked.row;
                        hear(&FrameReport {
                            frame: period.frames.start + frame,
                            player,
                            controls: controls.numbers(),
                            row: picked.row,
                            miss_uu: picked.miss.position,
                            fresh: stretch.rows[at].pose.fresh,
                        });
                    }
                }
            }
        }
    }
}

/// A state for the cars of a period.
fn blank(period: &Period, recording: &Recording) -> State {
    let teams = period.players.iter().map(|&player| recording.players[player].team);
    let blue = teams.filter(|&team| team == Team::Blue).count();
    blank_state(blue, period.players.len() - blue)
}

/// Writes the match at a tick into a state. False if nobody knows where the ball or some car was.
fn show(
    period: &Period,
    recording: &Recording,
    tick: f64,
    trials: &mut [Trial],
    state: &mut State,
) -> bool {
    let Some((ball, _)) = period.ball.at(tick) else { return false };
    state.ball = ball;
    state.tick = tick.max(0.0) as u64;
    state.pad_secs = period.pad_secs(tick);
    let frame = period.frame(tick);
    for (index, stretches) in period.cars.iter().enumerate() {
        let player = period.players[index];
        let car = &mut state.cars[index];
        car.team = recording.players[player].team;
        let Some(stretch) = stretches.iter().find(|s| s.frames.contains(&frame)) else {
            demolish(period, stretches, frame, tick, car);
            continue;
        };
        let Some((body, axes)) = stretch.track.at(tick) else { return false };
        let status = &stretch.status[frame - stretch.frames.start];
        let mut placement = status.placement(tick, CarControls::DEFAULT);
        (placement.body, placement.world_from_car) = (body, axes);
        let trial = &mut trials[player];
        trial.place(&placement, &ball);
        trial.read(car);
        (car.body, car.world_from_car) = (body, axes);
        car.boost = placement.boost;
        (car.demolished, car.respawn_secs) = (false, 0.0);
        let flying = |from: f64| ((tick - from) / TICK_RATE).max(0.0) as f32;
        car.air_secs = if car.on_ground { 0.0 } else { status.air_from.map_or(0.0, flying) };
        car.body_contact = !car.on_ground && near_a_surface(car) && {
            trial.drive(CarControls::DEFAULT, 1);
            trial.body_contact()
        };
    }
    true
}

/// A car in pieces lies where it was.
fn demolish(period: &Period, stretches: &[Stretch], frame: usize, tick: f64, car: &mut Car) {
    let before = stretches.iter().rfind(|stretch| stretch.frames.end <= frame);
    let since = before.map_or(0.0, |stretch| {
        if let Some(row) = stretch.rows.last() {
            (car.body, car.world_from_car) = (row.pose.body, row.pose.world_from_car);
        }
        tick - period.ticks[stretch.frames.end - 1]
    });
    car.demolished = true;
    car.respawn_secs = (RESPAWN_SECS - (since / TICK_RATE) as f32).max(0.0);
    (car.on_ground, car.jumping, car.flipping, car.supersonic) = (false, false, false, false);
    (car.body_contact, car.air_secs, car.boost) = (false, 0.0, 0.0);
}

/// Within a car's length of something, by the planes of the field and its ramps.
fn near_a_surface(car: &Car) -> bool {
    let place = car.body.pos;
    let (x, y, z) = (place.x.abs(), place.y.abs(), place.z);
    !(160.0..=1500.0).contains(&z) || x > 3600.0 || y > 4600.0 || x + y > 7300.0
}

/// The row for a car from one tick on.
fn choose(
    period: &Period,
    stretch: &Stretch,
    car: &Car,
    last: usize,
    tick: f64,
    length: f64,
    controls: &Controls,
    mask: &[bool; ROWS],
    trial: &mut Trial,
) -> Option<Picked> {
    let (ball, _) = period.ball.at(tick)?;
    let target = stretch.track.at(tick + length)?;
    let frame = period.frame(tick).clamp(stretch.frames.start, stretch.frames.end - 1);
    let status = &stretch.status[frame - stretch.frames.start];
    let mut before = table()[last].controls();
    if controls.press.begins() {
        before.jump = false;
    }
    let mut placement = status.placement(tick, before);
    (placement.body, placement.world_from_car) = stretch.track.at(tick)?;
    if matches!(controls.press, Press::Dodge(_) | Press::DoubleJump) {
        // It did flip, so it could.
        (placement.has_flipped, placement.has_double_jumped) = (false, false);
        (placement.jump_ticks, placement.flip_torque) = (None, None);
        placement.secs_since_jump = placement.secs_since_jump.min(1.0);
    }
    pick(trial, &placement, &ball, car, controls, mask, &target, length as u32)
}

/// What the clock of a whole game says.
fn clock(recording: &Recording, period: &Period, tick: f64, settings: &Settings) -> Clock {
    let length = settings.game.unwrap_or_default();
    let frame = &recording.frames[period.frames.start + period.frame(tick)];
    Clock::reading(length, frame.seconds.max(0) as f32, frame.overtime, frame.goals)
}

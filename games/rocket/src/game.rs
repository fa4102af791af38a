//! A match of Rocket League behind the contract of a game.

use std::sync::Arc;

use lanista_game::{End, Game, Head, Outcome, Seat, Spec, View, seed};
use rand::RngExt;

use crate::arena::Source;
use crate::bots::{self, BotMemory};
use crate::engine::{Engine, blank_state, clear};
use crate::observe::Stack;
use crate::recovery::Recoveries;
use crate::settings::Settings;
use crate::state::{Happenings, State, Team};
use crate::stats::Stats;
use crate::table::{self, NEUTRAL, ROWS};
use crate::{start, stats, terms};

/// Physics ticks a second.
const TICK_RATE: f32 = 120.0;
/// Sets the dice of scripted players apart from those of the match.
const BOT_SALT: u64 = 0x626f_7473;

/// One match.
pub struct Rocket {
    spec: Arc<Spec>,
    settings: Arc<Settings>,
    source: Source,
    /// The car in each seat, or none: blue seats first.
    car_of_seat: Vec<Option<usize>>,
    engine: Engine,
    state: State,
    before: State,
    happened: Happenings,
    frames: Stack,
    recoveries: Recoveries,
    stats: Stats,
    memories: Vec<BotMemory>,
    rng: seed::Rng,
    seed: u64,
    step: u64,
    quiet_ticks: u64,
}

/// What the game is made of under these settings.
pub fn describe(settings: &Settings) -> Spec {
    let seats = settings.seats_a_team();
    let (blue, orange) = settings.sizes();
    let frame = settings.observation.features(seats);
    Spec {
        name: "rocket",
        seats: (0..2 * seats)
            .map(|s| match s < seats {
                true => Seat { team: 0, empty: s >= blue },
                false => Seat { team: 1, empty: s - seats >= orange },
            })
            .collect(),
        observation: Stack::names(&frame, settings.stack).into_iter().map(Into::into).collect(),
        privileged: Vec::new(),
        heads: vec![Head::new("controls", table::names().iter().cloned())],
        requires: Vec::new(),
        terms: terms::terms(),
        stats: stats::stats(),
        bots: bots::NAMES.to_vec(),
    }
}

impl Rocket {
    /// A match; `settings` have been checked and the arena prepared.
    pub fn new(settings: Arc<Settings>, spec: Arc<Spec>, source: Source) -> Self {
        let (blue, orange) = settings.sizes();
        let seats = settings.seats_a_team();
        let mut cars = 0..;
        let taken = spec.seats.iter().map(|seat| !seat.empty);
        let car_of_seat = taken.map(|taken| if taken { cars.next() } else { None }).collect();
        let width = settings.observation.width(seats);
        Self {
            car_of_seat,
            engine: Engine::new(blue, orange),
            state: blank_state(blue, orange),
            before: blank_state(blue, orange),
            happened: Happenings::default(),
            frames: Stack::new(2 * seats, settings.stack, width),
            recoveries: Recoveries::new((settings.recovery_secs * TICK_RATE) as u32),
            stats: Stats::default(),
            memories: vec![BotMemory::default(); 2 * seats],
            rng: seed::rng(0),
            seed: 0,
            step: 0,
            quiet_ticks: 0,
            spec,
            settings,
            source,
        }
    }

    /// The match as it stands.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What every car sees now joins its stack of frames.
    fn look(&mut self) {
        let (layout, seats) = (self.settings.observation, self.settings.seats_a_team());
        for (seat, car) in self.car_of_seat.iter().enumerate() {
            if let Some(car) = *car {
                let state = &self.state;
                self.frames.push(seat, |frame| layout.write(state, car, seats, frame));
            }
        }
    }
}

impl Game for Rocket {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64) {
        let (blue, orange) = self.settings.sizes();
        self.seed = seed;
        self.rng = seed::rng(seed);
        let setup = start::draw(&self.settings.start, &mut self.rng, blue, orange);
        self.engine.reset(&setup, seed);
        self.state.cars.iter_mut().for_each(|car| car.last_action = None);
        self.engine.read(&mut self.state);
        self.state.tick = 0;
        self.step = 0;
        self.quiet_ticks = 0;
        self.stats.reset();
        self.recoveries.reset();
        self.recoveries.update(&self.state);
        self.memories.fill(BotMemory::default());
        self.frames.reset();
        self.look();
    }

    fn observe(&self, view: &mut View) {
        let width = self.spec.features();
        for (seat, car) in self.car_of_seat.iter().enumerate() {
            let Some(car) = car.map(|c| &self.state.cars[c]) else {
                view.acting[seat] = false;
                continue;
            };
            self.frames.write(seat, &mut view.observation[seat * width..(seat + 1) * width]);
            // A car in pieces has nothing to decide.
            view.acting[seat] = !car.demolished;
            self.settings.legality.mask(car, &mut view.mask[seat * ROWS..(seat + 1) * ROWS]);
        }
    }

    fn step(&mut self, actions: &[u32], out: &mut Outcome) {
        self.before.clone_from(&self.state);
        clear(&mut self.happened, self.state.cars.len());
        for (seat, car) in self.car_of_seat.iter().enumerate() {
            let Some(car) = *car else { continue };
            let last = self.state.cars[car].last_action;
            let chosen = if self.state.cars[car].demolished {
                NEUTRAL
            } else if let Some(last) = last
                && self.settings.sticky > 0.0
                && self.rng.random::<f32>() < self.settings.sticky
            {
                last
            } else {
                (actions[seat] as usize).min(ROWS - 1)
            };
            self.state.cars[car].last_action = Some(chosen);
            self.engine.drive(car, chosen);
        }
        let mut ticks = 0;
        let mut goal = false;
        while ticks < self.settings.tick_skip * self.settings.repeat && !goal {
            goal = self.engine.tick(&mut self.happened);
            ticks += 1;
        }
        self.engine.read(&mut self.state);
        self.state.tick += u64::from(ticks);
        self.step += 1;
        self.recoveries.update(&self.state);
        self.stats.update(ticks, &self.state, &self.happened);
        self.look();

        let touched = self.happened.cars.iter().any(|car| car.touches > 0);
        self.quiet_ticks = if touched { 0 } else { self.quiet_ticks + u64::from(ticks) };
        let width = terms::COUNT;
        for (seat, car) in self.car_of_seat.iter().enumerate() {
            if let Some(car) = *car {
                let out = &mut out.terms[seat * width..(seat + 1) * width];
                let (before, now) = (&self.before, &self.state);
                terms::write(before, now, &self.happened, &self.recoveries, car, out);
            }
        }
        let over = self.quiet_ticks as f32 >= self.settings.no_touch_secs * TICK_RATE
            || self.state.tick as f32 >= self.settings.limit_secs * TICK_RATE;
        *out.end = match (goal, over) {
            (true, _) => Some(End::Terminated),
            (false, true) => Some(End::Truncated),
            (false, false) => None,
        };
        if out.end.is_some() {
            for team in [Team::Blue, Team::Orange] {
                out.score[team.index()] = self.stats.goals(team) as f32;
            }
            self.stats.write(&self.recoveries, out.stats);
        }
    }

    fn scripted(&mut self, bot: usize, seat: usize, action: &mut [u32]) {
        let Some(car) = self.car_of_seat[seat] else { return };
        let mut mask = [true; ROWS];
        self.settings.legality.mask(&self.state.cars[car], &mut mask);
        // Dice of their own: asking a player twice does not change the match.
        let dice = seed::mix(seed::mix(self.seed ^ BOT_SALT, self.step), seat as u64);
        let memory = &mut self.memories[seat];
        action[0] = bots::choose(bot, &self.state, car, memory, dice, &mask) as u32;
    }

    fn frame(&self, out: &mut String) {
        crate::frame::write_json(&self.state, out);
    }

    fn notes(&self) -> Vec<String> {
        vec![format!("Arena: {}.", self.source), format!("Action table: {}", table::coverage())]
    }

    fn step_secs(&self) -> Option<f64> {
        let ticks = self.settings.tick_skip * self.settings.repeat;
        Some(f64::from(ticks) / f64::from(TICK_RATE))
    }
}

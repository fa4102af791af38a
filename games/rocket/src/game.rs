//! A match of Rocket League behind the contract of a game.

use std::sync::Arc;

use lanista_game::{End, Game, Head, Outcome, Seat, Spec, View, seed};
use rand::RngExt;

use crate::arena::Source;
use crate::bots::{self, BotMemory};
use crate::clock::{Clock, Next};
use crate::engine::{Engine, blank_state, clear};
use crate::flights::Flights;
use crate::hitbox::Hitbox;
use crate::observe::Stack;
use crate::recovery::Recoveries;
use crate::settings::{Settings, ShapingUnit};
use crate::start::{StartKind, StartWeights};
use crate::state::{Happenings, State, Team};
use crate::stats::Stats;
use crate::table::{self, NEUTRAL, ROWS};
use crate::{start, stats, terms};

/// Physics ticks a second.
const TICK_RATE: f32 = 120.0;
/// Sets the dice of scripted players apart from those of the match.
const BOT_SALT: u64 = 0x626f_7473;
/// Sets the engine's dice after a kickoff within a match apart from those before it.
const KICKOFF_SALT: u64 = 0x6b69_636b;

/// One match.
pub struct Rocket {
    spec: Arc<Spec>,
    settings: Arc<Settings>,
    source: Source,
    /// The car in each seat, or none: blue seats first.
    car_of_seat: Vec<Option<usize>>,
    /// Of every car.
    hitboxes: Vec<Hitbox>,
    engine: Engine,
    state: State,
    before: State,
    happened: Happenings,
    /// Of a whole game.
    clock: Option<Clock>,
    frames: Stack,
    recoveries: Recoveries,
    flights: Flights,
    stats: Stats,
    memories: Vec<BotMemory>,
    rng: seed::Rng,
    seed: u64,
    step: u64,
    quiet_ticks: u64,
    /// How play began, or went on after a goal.
    started: StartKind,
    /// The step at which it did.
    started_at: u64,
}

/// What the game is made of under these settings.
pub fn describe(settings: &Settings) -> Spec {
    let seats = settings.seats_a_team();
    let (blue, orange) = settings.teams.most().unwrap_or(settings.sizes());
    let mut frame = settings.observation.features(seats);
    frame.extend(settings.context().names());
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
        let seats = settings.seats_a_team();
        let width = settings.observation.width(seats) + settings.context().width();
        Self {
            car_of_seat: vec![None; 2 * seats],
            hitboxes: Vec::new(),
            engine: Engine::new(),
            state: blank_state(0, 0),
            before: blank_state(0, 0),
            happened: Happenings::default(),
            clock: None,
            frames: Stack::new(2 * seats, settings.stack, width),
            recoveries: Recoveries::new((settings.recovery_secs * TICK_RATE) as u32),
            flights: Flights::default(),
            stats: Stats::default(),
            memories: vec![BotMemory::default(); 2 * seats],
            rng: seed::rng(0),
            seed: 0,
            step: 0,
            quiet_ticks: 0,
            started: StartKind::Kickoff,
            started_at: 0,
            spec,
            settings,
            source,
        }
    }

    /// The match as it stands.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The car in a seat, if one sits there in this match.
    pub fn car(&self, seat: usize) -> Option<usize> {
        self.car_of_seat[seat]
    }

    /// The clock and the score of a whole game.
    pub fn clock(&self) -> Option<&Clock> {
        self.clock.as_ref()
    }

    /// The kind of situation that play has just begun with, if it has: at the start of a match, and
    /// after a goal in a whole game.
    pub fn restart(&self) -> Option<StartKind> {
        (self.started_at == self.step).then_some(self.started)
    }

    /// Seats so many cars and draws their hitboxes.
    fn seat(&mut self, blue: usize, orange: usize) {
        let seats = self.car_of_seat.len() / 2;
        for (s, car) in self.car_of_seat.iter_mut().enumerate() {
            *car = match s < seats {
                true => (s < blue).then_some(s),
                false => (s - seats < orange).then(|| blue + s - seats),
            };
        }
        self.hitboxes.clear();
        for _ in 0..blue + orange {
            self.hitboxes.push(self.settings.hitbox.draw(&mut self.rng));
        }
        let blues = |state: &State| state.cars.iter().filter(|c| c.team == Team::Blue).count();
        if self.state.cars.len() != blue + orange || blues(&self.state) != blue {
            self.state = blank_state(blue, orange);
        }
    }

    /// Puts ball and cars where play begins.
    fn line_up(&mut self, weights: &StartWeights, engine_seed: u64) {
        let blue = self.state.cars.iter().filter(|car| car.team == Team::Blue).count();
        let (blues, oranges) = self.hitboxes.split_at(blue);
        let setup = start::draw(weights, &mut self.rng, [blues, oranges]);
        self.engine.reset(&setup, engine_seed);
        self.state.cars.iter_mut().for_each(|car| car.last_action = None);
        self.engine.read(&mut self.state);
        (self.started, self.started_at) = (setup.kind, self.step);
        self.quiet_ticks = 0;
        self.flights.reset();
        self.memories.fill(BotMemory::default());
        self.frames.reset();
    }

    /// What every car sees now joins its stack of frames.
    fn look(&mut self) {
        let (layout, seats) = (self.settings.observation, self.settings.seats_a_team());
        let (width, context) = (layout.width(seats), self.settings.context());
        for (seat, car) in self.car_of_seat.iter().enumerate() {
            if let Some(car) = *car {
                let (state, clock, hitbox) = (&self.state, self.clock.as_ref(), self.hitboxes[car]);
                self.frames.push(seat, |frame| {
                    let (frame, beside) = frame.split_at_mut(width);
                    layout.write(state, car, seats, frame);
                    context.write(state.cars[car].team, clock, hitbox, beside);
                });
            }
        }
    }

    /// Notes what every car is to do: its policy's choice, or its last action if that sticks. The
    /// engine hears of it when the delay is over.
    fn choose(&mut self, actions: &[u32]) {
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
        }
    }

    /// Plays the ticks of a step, or fewer if play stops. Returns how many, and how it goes on.
    fn play(&mut self) -> (u32, Next) {
        let (step_ticks, delay) = (self.settings.step_ticks(), self.settings.action_delay);
        let mut ticks = 0;
        if delay > 0 {
            drive(&mut self.engine, &self.before);
        }
        while ticks < step_ticks {
            if ticks == delay {
                drive(&mut self.engine, &self.state);
            }
            let goal = self.engine.tick(&mut self.happened);
            ticks += 1;
            let scored = self.happened.goal.filter(|_| goal);
            let next = match &mut self.clock {
                Some(clock) => clock.tick(scored, self.happened.ball_on_floor),
                None if goal => Next::Over(End::Terminated),
                None => Next::Play,
            };
            if next != Next::Play {
                return (ticks, next);
            }
        }
        (ticks, Next::Play)
    }
}

/// Lets every car do what its last action says.
fn drive(engine: &mut Engine, state: &State) {
    for (index, car) in state.cars.iter().enumerate() {
        engine.drive(index, car.last_action.unwrap_or(NEUTRAL));
    }
}

impl Game for Rocket {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64) {
        self.seed = seed;
        self.rng = seed::rng(seed);
        self.step = 0;
        let drawn = self.settings.teams.draw(&mut self.rng);
        let (blue, orange) = drawn.unwrap_or(self.settings.sizes());
        self.seat(blue, orange);
        let settings = self.settings.clone();
        self.clock = settings.game.map(Clock::new);
        self.line_up(&settings.start, seed);
        self.state.tick = 0;
        self.stats.reset();
        self.recoveries.reset();
        self.recoveries.update(&self.state);
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
        self.choose(actions);
        let (ticks, mut next) = self.play();
        self.engine.read(&mut self.state);
        self.state.tick += u64::from(ticks);
        self.step += 1;
        self.recoveries.update(&self.state);
        self.flights.update(&self.before, &self.state, &self.happened);
        self.stats.update(ticks, &self.state, &self.happened);

        let touched = self.happened.cars.iter().any(|car| car.contact_ticks > 0);
        self.quiet_ticks = if touched { 0 } else { self.quiet_ticks + u64::from(ticks) };
        let width = terms::COUNT;
        for (seat, car) in self.car_of_seat.iter().enumerate() {
            if let Some(car) = *car {
                let out = &mut out.terms[seat * width..(seat + 1) * width];
                let (before, now, happened) = (&self.before, &self.state, &self.happened);
                terms::write(before, now, happened, &self.recoveries, &self.flights, car, out);
                if self.settings.shaping == ShapingUnit::PerSecond {
                    terms::scale_shaping(ticks as f32 / TICK_RATE, out);
                }
            }
        }
        let long = self.quiet_ticks as f32 >= self.settings.no_touch_secs * TICK_RATE
            || self.state.tick as f32 >= self.settings.limit_secs * TICK_RATE;
        if next == Next::Play && self.clock.is_none() && long {
            next = Next::Over(End::Truncated);
        }
        if next == Next::Kickoff {
            let engine_seed = seed::mix(self.seed ^ KICKOFF_SALT, self.step);
            self.line_up(&StartWeights::only(StartKind::Kickoff), engine_seed);
            self.recoveries.call_off();
        }
        self.look();
        if let Next::Over(end) = next {
            *out.end = Some(end);
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

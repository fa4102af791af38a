//! A match of Rocket League behind the contract of a game.

use std::cell::Cell;
use std::sync::Arc;

use lanista_game::{
    Control, End, Game, Group, Head, Kind, Outcome, Role, Seat, SeatView, SettingsError, Spec,
    View, seed,
};
use rand::RngExt;

use crate::arena::{self, Source};
use crate::bots::{self, BotMemory};
use crate::clock::{Clock, Next};
use crate::engine::{Engine, blank_state, clear};
use crate::flights::Flights;
use crate::frame::{self, Beside};
use crate::hitbox::Hitbox;
use crate::recovery::Recoveries;
use crate::replay::{self, Library};
use crate::settings::{Settings, ShapingUnit};
use crate::start::{Setup, StartKind, StartWeights};
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
    /// Recorded states that matches begin with.
    recorded: Option<Arc<Library>>,
    /// Who drives each seat: blue seats first.
    seats: Vec<Control>,
    /// The car in each seat, or none.
    car_of_seat: Vec<Option<usize>>,
    /// Of every car.
    hitboxes: Vec<Hitbox>,
    engine: Engine,
    state: State,
    before: State,
    happened: Happenings,
    /// Of a whole game.
    clock: Option<Clock>,
    recoveries: Recoveries,
    flights: Flights,
    stats: Stats,
    /// What the scripted player of each seat remembers; a seat without one remembers nothing.
    memories: Vec<BotMemory>,
    /// What was asked of each seat's player in this step, so that it thinks once a step although the
    /// step itself must know what it remembers afterwards.
    thoughts: Vec<Cell<Option<Thought>>>,
    rng: seed::Rng,
    seed: u64,
    step: u64,
    quiet_ticks: u64,
    /// How play began, or went on after a goal.
    started: StartKind,
    /// The step at which it did.
    started_at: u64,
}

/// A choice of a scripted player.
#[derive(Clone, Copy)]
struct Thought {
    bot: usize,
    row: usize,
    /// What it remembers after it.
    memory: BotMemory,
}

/// What the game is made of under these settings.
pub fn describe(settings: &Settings) -> Spec {
    let seats = settings.seats_a_team();
    let (blue, orange) = settings.teams.most().unwrap_or(settings.sizes());
    let mut frame = settings.observation.features(seats);
    frame.extend(settings.context().names());
    let player = Role {
        observation: vec![Group::features(frame)],
        heads: vec![Head::new("controls", table::names().iter().cloned())],
        bots: bots::NAMES.map(Into::into).to_vec(),
        ..Role::default()
    };
    let seat = |s| match s < seats {
        true => Seat { empty: s >= blue, ..Seat::of(0) },
        false => Seat { empty: s - seats >= orange, ..Seat::of(1) },
    };
    Spec {
        roles: vec![player],
        seats: (0..2 * seats).map(seat).collect(),
        terms: terms::terms(),
        stats: stats::stats(),
        ..Spec::default()
    }
}

/// Writes what a car sees and may do, for matches of this engine as for those of the game itself.
#[inline]
pub fn show(
    settings: &Settings,
    state: &State,
    index: usize,
    clock: Option<&Clock>,
    hitbox: Hitbox,
    seat: &mut SeatView,
) {
    let (layout, seats) = (settings.observation, settings.seats_a_team());
    let car = &state.cars[index];
    let (frame, beside) = seat.observation.split_at_mut(layout.width(seats));
    layout.write(state, index, seats, frame);
    settings.context().write(car.team, clock, hitbox, beside);
    // A car in pieces has nothing to decide.
    *seat.acting = !car.demolished;
    // The length is known here, so that the loop over the rows is unrolled.
    settings.legality.mask(car, &mut seat.mask[..ROWS]);
}

impl Rocket {
    /// A match; `settings` have been checked and the arena prepared.
    pub fn new(settings: Arc<Settings>, spec: Arc<Spec>, source: Source) -> Self {
        let seats = 2 * settings.seats_a_team();
        Self {
            seats: vec![Control::Outside; seats],
            car_of_seat: vec![None; seats],
            hitboxes: Vec::new(),
            engine: Engine::new(),
            state: blank_state(0, 0),
            before: blank_state(0, 0),
            happened: Happenings::default(),
            clock: None,
            recoveries: Recoveries::new((settings.recovery_secs * TICK_RATE) as u32),
            flights: Flights::default(),
            stats: Stats::default(),
            memories: vec![BotMemory::default(); seats],
            thoughts: vec![Cell::new(None); seats],
            rng: seed::rng(0),
            seed: 0,
            step: 0,
            quiet_ticks: 0,
            started: StartKind::Kickoff,
            started_at: 0,
            recorded: None,
            spec,
            settings,
            source,
        }
    }

    /// The same, with recorded states for some of its matches to begin with.
    fn beginning_with(self, recorded: Option<Arc<Library>>) -> Self {
        Self { recorded, ..self }
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

    /// Seats at most so many cars, none where nobody sits, and draws their hitboxes.
    fn seat(&mut self, most_blue: usize, most_orange: usize) {
        let seats = self.car_of_seat.len() / 2;
        let (mut blue, mut orange) = (0, 0);
        for (s, car) in self.car_of_seat.iter_mut().enumerate() {
            let (place, most, count) = match s < seats {
                true => (s, most_blue, &mut blue),
                false => (s - seats, most_orange, &mut orange),
            };
            let taken = place < most && self.seats[s] != Control::Nobody;
            *count += usize::from(taken);
            // Blue cars come first.
            *car = taken.then(|| blue + orange - 1);
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

    /// A recorded state with as many cars, for the share of matches that begin with one.
    fn draw_recorded(&mut self) -> Option<Setup> {
        let library = self.recorded.as_ref()?;
        // Without a library no dice are thrown: matches stay what they were.
        if self.rng.random::<f32>() >= self.settings.starts.share {
            return None;
        }
        let blue = self.state.cars.iter().filter(|car| car.team == Team::Blue).count();
        library.draw(&mut self.rng, blue, &self.hitboxes)
    }

    /// Puts ball and cars where play begins.
    fn line_up(&mut self, recorded: Option<Setup>, weights: &StartWeights, engine_seed: u64) {
        let blue = self.state.cars.iter().filter(|car| car.team == Team::Blue).count();
        let (blues, oranges) = self.hitboxes.split_at(blue);
        let setup = match recorded {
            Some(setup) => setup,
            None => start::draw(weights, &mut self.rng, [blues, oranges]),
        };
        self.engine.reset(&setup, engine_seed);
        self.state.cars.iter_mut().for_each(|car| car.last_action = None);
        self.engine.read(&mut self.state);
        (self.started, self.started_at) = (setup.kind, self.step);
        self.quiet_ticks = 0;
        self.flights.reset();
        self.memories.fill(BotMemory::default());
    }

    /// What scripted player `bot` chooses for a car, and what it then remembers.
    fn think(&self, bot: usize, seat: usize, car: usize) -> Thought {
        if let Some(thought) = self.thoughts[seat].get()
            && thought.bot == bot
        {
            return thought;
        }
        let mut mask = [true; ROWS];
        self.settings.legality.mask(&self.state.cars[car], &mut mask);
        // Dice of their own: asking a player does not change the match.
        let dice = seed::mix(seed::mix(self.seed ^ BOT_SALT, self.step), seat as u64);
        let mut memory = self.memories[seat];
        let row = bots::choose(bot, &self.state, car, &mut memory, dice, &mask);
        let thought = Thought { bot, row, memory };
        self.thoughts[seat].set(Some(thought));
        thought
    }

    /// Scripted players remember what they have just chosen, whether anybody asked them or their
    /// actions were read from a recording. A car in pieces chooses nothing.
    fn remember(&mut self) {
        for seat in 0..self.seats.len() {
            if let (Control::Bot(bot), Some(car)) = (self.seats[seat], self.car_of_seat[seat])
                && !self.state.cars[car].demolished
            {
                self.memories[seat] = self.think(bot, seat, car).memory;
            }
            self.thoughts[seat].set(None);
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

impl Kind for Rocket {
    type Settings = Settings;
    const NAME: &'static str = "rocket";
    const ABOUT: &'static str = "Rocket League: soccar on RocketSim, 1v1 to 3v3";

    fn describe(settings: &Settings) -> Spec {
        describe(settings)
    }

    fn matches(
        settings: Settings,
        spec: Arc<Spec>,
        count: usize,
    ) -> Result<Vec<Self>, SettingsError> {
        let source = arena::prepare(settings.collision_meshes.as_deref())?;
        let recorded = match &settings.starts.replays {
            Some(directory) => Some(replay::library(directory, &settings)?),
            None => None,
        };
        let settings = Arc::new(settings);
        let game = |_| {
            Self::new(settings.clone(), spec.clone(), source.clone())
                .beginning_with(recorded.clone())
        };
        Ok((0..count).map(game).collect())
    }
}

impl Game for Rocket {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64, seats: &[Control]) {
        self.seats.copy_from_slice(seats);
        self.thoughts.iter().for_each(|thought| thought.set(None));
        self.seed = seed;
        self.rng = seed::rng(seed);
        self.step = 0;
        let drawn = self.settings.teams.draw(&mut self.rng);
        let (blue, orange) = drawn.unwrap_or(self.settings.sizes());
        self.seat(blue, orange);
        let settings = self.settings.clone();
        self.clock = settings.game.map(Clock::new);
        let recorded = self.draw_recorded();
        self.line_up(recorded, &settings.start, seed);
        self.state.tick = 0;
        self.stats.reset();
        self.recoveries.reset();
        self.recoveries.update(&self.state);
    }

    fn observe(&self, view: &mut View) {
        for (seat, car) in self.car_of_seat.iter().enumerate() {
            let mut seat = view.seat(seat);
            match *car {
                Some(car) => {
                    let (clock, hitbox) = (self.clock.as_ref(), self.hitboxes[car]);
                    show(&self.settings, &self.state, car, clock, hitbox, &mut seat);
                }
                None => seat.wait(),
            }
        }
    }

    fn step(&mut self, actions: &[u32], out: &mut Outcome) {
        self.remember();
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
        for (seat, car) in self.car_of_seat.iter().enumerate() {
            if let Some(car) = *car {
                let out = out.seat(seat);
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
            self.line_up(None, &StartWeights::only(StartKind::Kickoff), engine_seed);
            self.recoveries.call_off();
        }
        if let Next::Over(end) = next {
            *out.end = Some(end);
            for team in [Team::Blue, Team::Orange] {
                out.score[team.index()] = self.stats.goals(team) as f32;
            }
            self.stats.write(&self.recoveries, out.stats);
        }
    }

    fn scripted(&self, bot: usize, seat: usize, action: &mut [u32]) {
        if let Some(car) = self.car_of_seat[seat] {
            action[0] = self.think(bot, seat, car).row as u32;
        }
    }

    fn frame(&self, out: &mut String) {
        let goals = [Team::Blue, Team::Orange].map(|team| self.stats.goals(team));
        let beside = Beside {
            goals: self.clock.map_or(goals, |clock| clock.goals()),
            clock: self.clock.as_ref(),
            car_of_seat: &self.car_of_seat,
            happened: (self.step > 0).then_some(&self.happened),
        };
        frame::write_json(&self.state, &beside, out);
    }

    fn scene(&self, out: &mut String) {
        frame::write_scene(&self.hitboxes, out);
    }

    fn notes(&self) -> Vec<String> {
        let refused = self.recorded.as_ref().and_then(|library| library.refused());
        let mut notes = vec![
            format!("Arena: {}.", self.source),
            format!("Action table: {}", table::coverage()),
        ];
        notes.extend(refused.map(|refused| format!("Starts: {refused}.")));
        notes
    }

    fn step_secs(&self) -> Option<f64> {
        Some(f64::from(self.step_ticks()) / f64::from(TICK_RATE))
    }

    fn step_ticks(&self) -> u32 {
        self.settings.tick_skip * self.settings.repeat
    }
}

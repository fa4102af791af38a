//! `lanista rocket`: what concerns Rocket League alone.

mod folder;
mod replay;
mod show;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, bail};
use lanista_game::{Batch, Buffers, Control, End, Fault, Game, Spec, seed};
use lanista_rocket::game::Rocket;
use lanista_rocket::state::State;
use lanista_train::RunConfig;
use lanista_train::layers::{self, Override};
use lanista_train::player::{Player, parse_player};
use lanista_train::seating::Seating;
use lanista_train::shard::{Purpose, Shard};
use lanista_train::stages::other_shape;
use serde_json::json;

use self::show::Show;
use crate::args::{RocketArgs, RocketWhat, TraceArgs};
use crate::catalog::{self, DEFAULT_PRESET};
use crate::eval::{Playable, read_model, read_rival};

pub fn run(args: RocketArgs) -> anyhow::Result<()> {
    match args.what {
        RocketWhat::Trace(args) => trace(&args),
        RocketWhat::Rlbot(args) => folder::run(&args),
        RocketWhat::Replay(args) => replay::run(&args),
    }
}

/// Something that a trace tells.
pub enum Event {
    /// Ball and cars were put somewhere: at the start, or for a kickoff.
    Reset {
        /// The kind of situation.
        start: &'static str,
        state: Box<State>,
    },
    /// Every car decided and a step was played.
    Step(Box<Step>),
}

/// One step.
pub struct Step {
    /// What the decisions were made on.
    pub before: State,
    /// The car of each seat.
    pub cars: Vec<Option<usize>>,
    /// What each car does from now on, by row of the table.
    pub actions: Vec<Option<usize>>,
    /// `[seats, terms]`
    pub terms: Vec<f32>,
    /// Score and clock of a whole game.
    pub clock: Option<lanista_rocket::clock::Clock>,
    pub end: Option<(End, Vec<f32>)>,
}

/// One match that tells what happens in it.
struct Traced {
    game: Rocket,
    told: Arc<Mutex<Vec<Event>>>,
}

impl Traced {
    fn tell(&self, event: Event) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    fn tell_restart(&self) {
        if let Some(start) = self.game.restart() {
            let state = Box::new(self.game.state().clone());
            self.tell(Event::Reset { start: start.name(), state });
        }
    }
}

impl Batch for Traced {
    fn spec(&self) -> &Spec {
        self.game.spec()
    }

    fn matches(&self) -> usize {
        1
    }

    fn start(
        &mut self,
        _: usize,
        seed: u64,
        seats: &[Control],
        buffers: &mut Buffers,
    ) -> Result<(), Fault> {
        self.game.reset(seed, seats);
        self.game.observe(&mut buffers.view(0));
        self.tell_restart();
        Ok(())
    }

    fn submit(&mut self, _: &[usize], joint: &[u32], buffers: &mut Buffers) -> Result<(), Fault> {
        let seats = self.game.spec().seats.len();
        let before = self.game.state().clone();
        self.game.step(joint, &mut buffers.outcome(0));
        self.game.observe(&mut buffers.view(0));
        let cars: Vec<Option<usize>> = (0..seats).map(|seat| self.game.car(seat)).collect();
        let done = |seat: usize| {
            let car = cars[seat]?;
            // After a kickoff nobody has a last action; what was chosen led there.
            let last = self.game.state().cars[car].last_action;
            (!before.cars[car].demolished).then(|| last.unwrap_or(joint[seat] as usize))
        };
        let actions = (0..seats).map(done).collect();
        self.tell(Event::Step(Box::new(Step {
            before,
            cars,
            actions,
            terms: buffers.terms.clone(),
            clock: self.game.clock().copied(),
            end: buffers.end[0].map(|end| (end, buffers.score.clone())),
        })));
        if buffers.end[0].is_none() {
            self.tell_restart();
        }
        Ok(())
    }

    fn scripted(
        &mut self,
        _: usize,
        bot: usize,
        seat: usize,
        action: &mut [u32],
    ) -> Result<(), Fault> {
        self.game.scripted(bot, seat, action);
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        self.game.notes()
    }
}

fn trace(args: &TraceArgs) -> anyhow::Result<()> {
    if args.steps == Some(0) {
        bail!("--steps 0: trace at least one decision");
    }
    let what = args.what.as_deref().unwrap_or(DEFAULT_PRESET);
    let path = Path::new(what);
    if path.is_dir() || path.extension().is_some_and(|e| e == "zip") {
        trace_model(args, what)
    } else {
        trace_preset(args, what)
    }
}

/// A match and everything that is told about it.
fn traced(config: &RunConfig, what: &str) -> anyhow::Result<(Traced, Arc<Mutex<Vec<Event>>>)> {
    if config.game != "rocket" {
        bail!("{what} plays {}; `lanista rocket` traces rocket alone", config.game);
    }
    let told = Arc::new(Mutex::new(Vec::new()));
    let game = lanista_rocket::one_match(&config.settings)?;
    Ok((Traced { game, told: told.clone() }, told))
}

fn take(told: &Mutex<Vec<Event>>) -> Vec<Event> {
    std::mem::take(&mut *told.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Scripted players play the match of a preset, in the first stage of its curriculum.
fn trace_preset(args: &TraceArgs, what: &str) -> anyhow::Result<()> {
    let overrides = overrides(args);
    let loaded = catalog::load(what, &overrides)?;
    let (stages, _) = loaded.stages()?;
    let config = stages.first().unwrap_or(&loaded.config);
    let (mut batch, told) = traced(config, what)?;
    let spec = batch.spec().clone();
    let bot = |name: &str, option: &str| match parse_player(name, &spec) {
        Ok(Player::Bot(bot)) => Ok(bot),
        Ok(_) => bail!("{option} {name}: nobody has learnt to play a preset; name a bot"),
        Err(problem) => bail!("{option}: {problem}"),
    };
    let blue = bot(&format!("bot:{}", args.bot.trim_start_matches("bot:")), "--bot")?;
    let orange = if args.vs == "self" { blue } else { bot(&args.vs, "--vs")? };
    let names = [spec.bots()[blue], spec.bots()[orange]];
    let mut show = Show::new(&spec, weights(config, &spec)?, args.json);
    show.begin(&format!("{what}, seed {}: blue {}, orange {}", args.seed, names[0], names[1]));
    show.remark("Weights are those at the start of a run.");
    warn_of_sharing(config, &mut show);
    let mut buffers = Buffers::new(&spec, 1);
    let mut joint = vec![0; spec.seats.len()];
    let control = |place: &lanista_game::Seat| match place.empty {
        true => Control::Nobody,
        false => Control::Bot([blue, orange][place.team]),
    };
    let seats: Vec<Control> = spec.seats.iter().map(control).collect();
    batch.start(0, seed::episode(args.seed, 0, 0), &seats, &mut buffers)?;
    let mut over = show.tell(take(&told), args.steps);
    while !over {
        for (seat, place) in spec.seats.iter().enumerate() {
            if buffers.acting[seat] {
                let bot = [blue, orange][place.team];
                batch.scripted(0, bot, seat, &mut joint[seat..=seat])?;
            }
        }
        batch.submit(&[0], &joint, &mut buffers)?;
        over = show.tell(take(&told), args.steps);
    }
    show.finish();
    Ok(())
}

/// A model plays, under the settings that it was trained with.
fn trace_model(args: &TraceArgs, what: &str) -> anyhow::Result<()> {
    let model = read_model(Path::new(what), &[])?;
    let config = settings_of(&model, &overrides(args))?;
    let (batch, told) = traced(&config, what)?;
    let spec = batch.spec().clone();
    let stack = &model.metadata.stack;
    if other_shape(&stack.widen(spec.clone()), &model.spec).is_some() {
        bail!("--set changes what the model sees, or its seats; leave those settings as they are");
    }
    let rival = read_rival(&args.vs, &model)?;
    let mut show = Show::new(&spec, weights(&config, &spec)?, args.json);
    show.begin(&format!(
        "{what} after {} steps, seed {}: blue plays {}",
        model.metadata.steps,
        args.seed,
        if args.vs == "self" { "itself" } else { &args.vs }
    ));
    let seating = Seating::against(args.seed, rival.player, 1);
    let mut shard = Shard::new(0, stack.over(Box::new(batch)), &model.roster.all(), seating);
    shard.welcome(rival.guests, 0);
    shard.begin(0.0);
    shard.start_all(0)?;
    let purpose = Purpose::Evaluate { deterministic: !args.sampled, record: false };
    let mut over = show.tell(take(&told), args.steps);
    while !over {
        shard.step(&model.roster.all(), &purpose)?;
        over = show.tell(take(&told), args.steps);
    }
    show.finish();
    Ok(())
}

/// What terms are worth at the start of a run.
fn weights(config: &RunConfig, spec: &Spec) -> anyhow::Result<Vec<f32>> {
    Ok(config.roles(spec)?[0].weights(spec, 0.0))
}

fn overrides(args: &TraceArgs) -> Vec<Override> {
    args.overrides.set.iter().chain(&args.overrides.reward).cloned().collect()
}

/// What a model was trained with, as far as it says, with overrides on top.
fn settings_of(model: &Playable, overrides: &[Override]) -> anyhow::Result<RunConfig> {
    let metadata = &model.metadata;
    // What JSON says, YAML says, too.
    let text = json!({
        "game": metadata.game, "settings": model.settings, "rewards": metadata.rewards,
    })
    .to_string();
    let layered = layers::load("model", &[("model", &text)], overrides)?;
    RunConfig::read(&layered).context("the settings of the model")
}

fn warn_of_sharing(config: &RunConfig, show: &mut Show) {
    if !config.reward_sharing.at(0.0).is_off() {
        show.remark("Rewards are each car's own, before reward_sharing.");
    }
}

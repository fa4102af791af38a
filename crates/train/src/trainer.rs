//! The trainer: matches in shards, a learner, and one iteration after the other.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lanista_game::{Entry, SettingsError, Spec, seed};
use lanista_league::{Exploiter, Origin, Snapshot, Transition};
use lanista_learn::{Diverged, Learner, Losses, Shape};
use thiserror::Error;

use crate::checkpoint::Progress;
use crate::config::{Player, RunConfig};
use crate::evaluate::{
    EvaluateError, Question, Report, Tell, evaluate, outcome, summary, weighted,
};
use crate::exhibition::Exhibition;
use crate::exploiter::{Challenge, Challenger, Turn};
use crate::league::{League, LeagueError, LeagueState, snapshot_name};
use crate::memory::{self, TooLarge};
use crate::metrics::{Iteration, Time};
use crate::model::Metadata;
use crate::noise::{Noise, NoiseError};
use crate::play::{self, Circumstances, Played, guard};
use crate::results::{self, Row};
use crate::setup::{metadata, seated, seating, shards};
use crate::shard::{Finished, MatchFault, Shard};
use crate::stack::Stack;
use crate::untrained::untrained;

/// Returns and lengths are averaged over so many of the latest matches.
const RECENT: usize = 100;

/// Everything that trains, in memory.
pub struct Trainer {
    /// The configuration it runs on.
    pub config: RunConfig,
    /// The game.
    pub entry: Entry,
    /// What learns.
    pub learner: Learner,
    /// What plays.
    pub shards: Vec<Shard>,
    /// How far it has come.
    pub progress: Progress,
    /// The pool of past policies and ratings, where teams compete.
    pub league: Option<League>,
    /// Who else learns, to beat the learner or its pool.
    pub exploiters: Vec<Challenger>,
    /// Where the run stands in its curriculum.
    pub curriculum: lanista_league::Progress,
    /// The configuration of every stage; one for a run without a curriculum.
    stages: Vec<RunConfig>,
    /// Where snapshots are written, if anywhere.
    pub snapshots: Option<PathBuf>,
    /// A match beside training, if anyone watches.
    pub exhibition: Option<Exhibition>,
    spec: Spec,
    pool: rayon::ThreadPool,
}

/// A run that cannot go on.
#[derive(Debug, Error)]
pub enum TrainError {
    /// The configuration is that of another game.
    #[error("the configuration is for the game `{wanted}`, and this game is `{given}`")]
    OtherGame {
        /// The game that it names.
        wanted: String,
        /// The game that is there.
        given: &'static str,
    },
    /// A trainer by itself would ignore something that the configuration asks for.
    #[error("a trainer by itself ignores `{0}`: open a run, which does not (`Run::open`)")]
    Ignored(&'static str),
    /// The game refused its settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The noise does not fit the game.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The game's spec contradicts itself.
    #[error(transparent)]
    Spec(#[from] lanista_game::SpecError),
    /// A match could not go on.
    #[error(transparent)]
    Match(#[from] MatchFault),
    /// An evaluation was told to stop.
    #[error("interrupted after {finished} of {matches} matches of the evaluation")]
    Interrupted {
        /// Matches that were over.
        finished: usize,
        /// Matches wanted.
        matches: usize,
    },
    /// Learning went astray.
    #[error(transparent)]
    Diverged(#[from] Diverged),
    /// A model of the league cannot be read or written.
    #[error(transparent)]
    League(#[from] LeagueError),
    /// An exploiter failed.
    #[error("the {name} {number} (counted from 0): {error}")]
    Exploiter {
        /// Which kind.
        name: &'static str,
        /// Which one of the preset.
        number: usize,
        /// What happened.
        error: Box<TrainError>,
    },
    /// It would not fit into the machine's memory.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// A worker panicked outside of a game: a defect of this program.
    #[error("a worker panicked: {0}; please report this as a bug")]
    Panic(String),
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {error}")]
    Threads {
        /// How many were wanted.
        threads: usize,
        /// Why not.
        error: rayon::ThreadPoolBuildError,
    },
}

impl From<EvaluateError> for TrainError {
    fn from(error: EvaluateError) -> Self {
        match error {
            EvaluateError::Settings(error) => error.into(),
            EvaluateError::Match(error) => error.into(),
            EvaluateError::Interrupted { finished, matches } => {
                Self::Interrupted { finished, matches }
            }
        }
    }
}

impl TrainError {
    /// Did a match break? Then whoever played it has learnt nothing from it yet.
    pub fn is_fault_of_a_match(&self) -> bool {
        match self {
            Self::Match(_) => true,
            Self::Exploiter { error, .. } => error.is_fault_of_a_match(),
            _ => false,
        }
    }
}

impl Trainer {
    /// A trainer at the start of its run. Matches start with [`Trainer::start`], or are rebuilt from
    /// a checkpoint.
    ///
    /// For tests and measurements: it checks no preset and knows neither stages nor exploiters, so it
    /// refuses a configuration that has some. [`Run`](crate::Run) is the whole.
    pub fn new(entry: Entry, config: RunConfig) -> Result<Self, TrainError> {
        if !config.curriculum.is_empty() {
            return Err(TrainError::Ignored("curriculum"));
        }
        if !config.exploiters.is_empty() {
            return Err(TrainError::Ignored("exploiters"));
        }
        Self::staged(entry, vec![config])
    }

    /// A trainer whose configuration changes from stage to stage. There is at least one, and all
    /// agree in what the network and the number of matches depend on.
    pub(crate) fn staged(entry: Entry, stages: Vec<RunConfig>) -> Result<Self, TrainError> {
        let config = stages.first().cloned().unwrap_or_default();
        if config.game != entry.name {
            return Err(TrainError::OtherGame { wanted: config.game, given: entry.name });
        }
        let spec = (entry.build)(&config.settings, 1)?.spec().clone();
        let stack = &config.observation.stack;
        let noise = Noise::new(&config.observation.noise, &spec, stack)?;
        let spec = stack.widen(spec);
        spec.validate()?;
        let threads = config.run.threads.unwrap_or_else(cores);
        memory::estimate(&spec, &config, &[], threads).check()?;
        let policy = untrained(Shape::of(&spec), &config);
        let opponents = config.shares();
        let league = match spec.teams() > 1 {
            true => Some(League::new(
                config.league.clone(),
                &opponents,
                &spec.bots,
                spec.name,
                policy.shape(),
            )?),
            false => None,
        };
        let seating = seating(&config, league.as_ref(), &spec, 0);
        let shards = shards(&entry, &config, &policy, &seating, &noise)?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("worker {i}"))
            .build()
            .map_err(|error| TrainError::Threads { threads, error })?;
        let learner = Learner::new(policy, config.ppo.clone());
        let progress = Progress::default();
        Ok(Self {
            config,
            entry,
            learner,
            shards,
            progress,
            league,
            exploiters: Vec::new(),
            curriculum: lanista_league::Progress::default(),
            stages,
            snapshots: None,
            exhibition: None,
            spec,
            pool,
        })
    }

    /// The same trainer with exploiters, each with the configuration it trains on.
    pub(crate) fn with_exploiters(
        mut self,
        exploiters: Vec<(Exploiter, RunConfig)>,
    ) -> Result<Self, TrainError> {
        if !exploiters.is_empty() {
            memory::estimate(&self.spec, &self.config, &exploiters, self.threads()).check()?;
        }
        for (number, (rules, config)) in exploiters.into_iter().enumerate() {
            let (run, entry, spec) = (&self.config, &self.entry, &self.spec);
            self.exploiters.push(Challenger::new(number, rules, config, run, entry, spec)?);
        }
        Ok(self)
    }

    /// The game as policies see it.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The configuration as it was given, before any stage changed it.
    pub fn given(&self) -> &RunConfig {
        self.stages.first().unwrap_or(&self.config)
    }

    /// Does something on the trainer's threads.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    /// How many threads work.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Starts every match with its first episode.
    pub fn start(&mut self) -> Result<(), TrainError> {
        self.invite();
        for shard in &mut self.shards {
            shard.start_all(0)?;
        }
        Ok(())
    }

    /// Share of the run that is done: what schedules follow.
    pub fn share_done(&self) -> f64 {
        (self.progress.steps as f64 / self.config.stop.steps.max(1) as f64).min(1.0)
    }

    /// Takes over the configuration of a stage. Where the game's settings change, matches start anew.
    pub fn enter(&mut self, stage: usize) -> Result<(), TrainError> {
        let Some(config) = self.stages.get(stage).cloned() else { return Ok(()) };
        let other_game = config.settings != self.config.settings;
        self.learner.reconfigure(config.ppo.clone());
        if let Some(league) = &mut self.league {
            league.set_config(config.league.clone());
        }
        self.config = config;
        let seating = seating(&self.config, self.league.as_ref(), &self.spec, stage);
        if other_game {
            let game = self.game()?;
            let noise = Noise::new(&self.config.observation.noise, &game, self.stack())?;
            // Of the same shape, but others may sit there.
            self.spec = self.stack().widen(game);
            let next = self.shards.iter().flat_map(|s| &s.matches).map(|m| m.episode + 1).max();
            let (config, policy) = (&self.config, &self.learner.policy);
            self.shards = shards(&self.entry, config, policy, &seating, &noise)?;
            self.invite();
            for shard in &mut self.shards {
                shard.start_all(next.unwrap_or(0))?;
            }
        } else {
            self.shards.iter_mut().for_each(|shard| shard.reseat(seating.clone()));
        }
        Ok(())
    }

    fn stack(&self) -> &Stack {
        &self.config.observation.stack
    }

    /// The game without stacked frames.
    fn game(&self) -> Result<Spec, TrainError> {
        Ok((self.entry.build)(&self.config.settings, 1)?.spec().clone())
    }

    /// Looks whether the stage is over, and enters the next one if it is.
    fn advance(&mut self, finished: &[Finished]) -> Result<Option<Transition>, TrainError> {
        if self.stages.len() < 2 {
            return Ok(None);
        }
        let stages = &self.stages[0].curriculum;
        let names = self.spec.stat_names();
        for match_ in finished {
            let name = match &self.league {
                Some(league) => league.name(match_.opponent, &self.spec.bots),
                None => "self".to_owned(),
            };
            // The pool is one opponent, whichever of its snapshots was met.
            let name = if name.starts_with("past:") { "past".to_owned() } else { name };
            let Ok(opponent) = name.parse() else { continue };
            let named = names.iter().zip(&match_.stats);
            let stats: Vec<(&str, f64)> =
                named.map(|(name, v)| (name.as_str(), f64::from(*v))).collect();
            let competing = self.spec.contested() && match_.opponent != Player::Learner;
            self.curriculum.observe(
                stages,
                &lanista_league::Finished {
                    stage: match_.stage,
                    opponent: &opponent,
                    result: competing.then(|| outcome(match_)),
                    stats: &stats,
                },
            );
        }
        let elo = self.league.as_ref().map(|league| league.state.elo);
        let transition = self.curriculum.advance(stages, self.progress.steps, elo);
        if transition.is_some() {
            self.enter(self.curriculum.stage())?;
        }
        Ok(transition)
    }

    /// Can all matches be rebuilt from their recorded actions?
    pub fn replays(&self) -> bool {
        let others = self.exploiters.iter().flat_map(|exploiter| &exploiter.shards);
        self.shards.iter().chain(others).all(Shard::replays)
    }

    /// Starts every match anew, dealt from whom a resumed run will know.
    pub fn cut_matches(&mut self) -> Result<(), TrainError> {
        self.invite();
        self.shards.iter_mut().try_for_each(Shard::cut_all)?;
        self.exploiters.iter_mut().for_each(Challenger::cut);
        Ok(())
    }

    /// Tells every shard whom its matches may meet from now on.
    pub fn invite(&mut self) {
        let Some(league) = &mut self.league else { return };
        league.refresh(self.spec.name, self.learner.policy.shape());
        league.release(&seated(&self.shards, &self.exploiters));
        let (guests, iteration) = (league.guests(), self.progress.iteration);
        self.shards.iter_mut().for_each(|shard| shard.welcome(guests.clone(), iteration));
    }

    /// Takes over a saved league. Matches against a snapshot that cannot be read start anew.
    pub fn restore_league(&mut self, state: LeagueState) -> Result<(), TrainError> {
        let (Some(league), Some(directory)) = (&mut self.league, &self.snapshots) else {
            return Ok(());
        };
        let seated = seated(&self.shards, &self.exploiters);
        league.restore(state, directory, self.learner.policy.shape(), &seated);
        self.invite();
        for shard in &mut self.shards {
            shard.restart_orphans()?;
        }
        Ok(())
    }

    /// Rates what was played, and takes a snapshot when one is due. Returns the results of a period
    /// that is over.
    fn follow_up(&mut self, finished: &[Finished], before: u64) -> Result<Vec<Row>, TrainError> {
        let metadata = self.metadata();
        let Some(league) = &mut self.league else { return Ok(Vec::new()) };
        league.rate(finished, &self.spec.bots, &self.progress);
        if self.config.meets_past() && league.due(before, self.progress.steps) {
            let directory = self.snapshots.as_deref();
            league.snapshot(directory, &self.learner.policy, &metadata, Origin::Main)?;
        }
        let period = results::period(self.config.stop.steps);
        let over = before / period < self.progress.steps / period;
        Ok(if over { league.close_period(&self.progress) } else { Vec::new() })
    }

    /// Adds the learner to the pool as a milestone, unless it has just been added.
    pub fn remember(&mut self) -> Result<(), TrainError> {
        let metadata = self.metadata();
        let Some(league) = self.league.as_mut().filter(|_| self.config.meets_past()) else {
            return Ok(());
        };
        let own = |s: &&Snapshot| matches!(s.origin, Origin::Main | Origin::Milestone);
        let newest = league.state.pool.snapshots().iter().rfind(own);
        if newest.is_none_or(|s| s.steps != metadata.steps) {
            let directory = self.snapshots.as_deref();
            league.snapshot(directory, &self.learner.policy, &metadata, Origin::Milestone)?;
        }
        Ok(())
    }

    /// Lets exploiters take the turns that are due after the iterations so far; what is ready joins the
    /// pool. Returns what happened, in words,
    /// and the seconds it took.
    fn exploit(&mut self) -> Result<(Vec<String>, f64), TrainError> {
        let Self { exploiters, league: Some(league), .. } = self else {
            return Ok(Default::default());
        };
        let (mut notes, mut seconds) = (Vec::new(), 0.0);
        for (number, exploiter) in exploiters.iter_mut().enumerate() {
            let name = exploiter.rules.name();
            let failed = |error| TrainError::Exploiter { name, number, error: Box::new(error) };
            for _ in 0..exploiter.rules.turns(self.progress.iteration) {
                let turn = Turn {
                    spec: &self.spec,
                    main: &self.learner.policy,
                    pool: &league.guests(),
                    threads: &self.pool,
                };
                match exploiter.take_turn(&turn) {
                    Ok(taken) => seconds += taken,
                    Err(TrainError::Diverged(error)) => {
                        notes.push(format!("the {name} {number} begins anew: {error}"));
                        exploiter.start_over(&turn).map_err(failed)?;
                    }
                    Err(error) => return Err(failed(error)),
                }
                if !exploiter.is_ready() {
                    continue;
                }
                let mut metadata = exploiter.metadata(&self.entry, &self.spec);
                metadata.steps = self.progress.steps;
                let (directory, origin) = (self.snapshots.as_deref(), exploiter.rules.origin());
                let id =
                    league.snapshot(directory, &exploiter.learner.policy, &metadata, origin)?;
                let Challenge { of, won, .. } = exploiter.challenge();
                notes.push(format!(
                    "a {name} joins the pool as {}: it won {:.0} % of its matches in {of} rollouts",
                    snapshot_name(id),
                    100.0 * won.unwrap_or(0.0)
                ));
                exploiter.live_on(&turn).map_err(failed)?;
            }
        }
        Ok((notes, seconds))
    }

    /// What a model of the learner says about itself.
    pub fn metadata(&self) -> Metadata {
        let (share, steps) = (self.share_done(), self.progress.steps);
        metadata(&self.entry, &self.spec, &self.config, share, steps)
    }

    /// Plays and learns once. After an error in playing, the learner is as it was before.
    pub fn iterate(&mut self) -> Result<Iteration, TrainError> {
        // Before the learner's own iteration: if one of them fails, nothing of it is lost.
        let (notes, exploiting) = self.exploit()?;
        let share_done = self.share_done();
        let weights = self.config.reward_weights(&self.spec, share_done);
        self.invite();
        let now = Circumstances {
            config: &self.config,
            iteration: self.progress.iteration,
            share_done,
            weights: &weights,
            pool: &self.pool,
        };
        let Played { losses, steps, finished, mut time } =
            play::iterate(&mut self.learner, &mut self.shards, &now)?;
        let p = &mut self.progress;
        p.iteration = p.iteration.saturating_add(1);
        let before = p.steps;
        p.steps = p.steps.saturating_add(steps);
        p.episodes = p.episodes.saturating_add(finished.len() as u64);
        let results = finished.iter().map(|f| (weighted(f, &weights), f64::from(f.steps)));
        p.recent.extend(results.filter(|(earned, _)| earned.is_finite()));
        let surplus = p.recent.len().saturating_sub(RECENT);
        p.recent.drain(..surplus);
        time.seconds += exploiting;
        time.steps_per_second = steps as f64 / time.seconds;
        p.seconds += time.seconds;
        time.seconds = p.seconds;
        let results = self.follow_up(&finished, before)?;
        let mut iteration = self.describe(losses, &finished, &weights, time);
        iteration.results = results;
        if let Some(league) = &mut self.league {
            // Where nobody is met, nobody is rated.
            iteration.elo = self.spec.contested().then_some(league.state.elo);
            iteration.pool = league.state.pool.snapshots().len();
            iteration.remarks = std::mem::take(&mut league.remarks);
        }
        iteration.notes = notes;
        if let Some(exhibition) = &self.exhibition {
            exhibition.offer(|| self.scene());
            let failure = exhibition.take_failure().into_iter();
            iteration.remarks.extend(failure.map(|e| format!("the picture has stopped: {e}")));
        }
        iteration.exploiters = self.exploiters.iter().map(Challenger::challenge).collect();
        iteration.stage =
            self.stages[0].curriculum.get(self.curriculum.stage()).map(|s| s.name.clone());
        iteration.transition = self.advance(&finished)?;
        Ok(iteration)
    }

    fn describe(
        &self,
        losses: Losses,
        finished: &[Finished],
        weights: &[f32],
        time: Time,
    ) -> Iteration {
        let p = &self.progress;
        let mean = |f: fn(&(f64, f64)) -> f64| {
            (!p.recent.is_empty())
                .then(|| p.recent.iter().map(f).sum::<f64>() / p.recent.len() as f64)
        };
        let report = summary(&self.spec, finished, weights);
        let some = !finished.is_empty();
        let mut groups: BTreeMap<String, Vec<Finished>> = BTreeMap::new();
        for match_ in finished.iter().filter(|f| f.opponent != Player::Learner) {
            let Some(league) = &self.league else { break };
            let name = league.name(match_.opponent, &self.spec.bots);
            // The pool as a whole: its members come and go.
            let name = if name.starts_with("past:") { "past".into() } else { name };
            groups.entry(name).or_default().push(match_.clone());
        }
        let won = |met: &[Finished]| summary(&self.spec, met, weights).results.map(|r| r.won);
        let opponents =
            groups.into_iter().filter_map(|(name, met)| Some((name, won(&met)?))).collect();
        Iteration {
            iteration: p.iteration,
            steps: p.steps,
            episodes: p.episodes,
            return_mean: mean(|r| r.0),
            length_mean: mean(|r| r.1),
            losses,
            terms: if some {
                let terms = self.spec.terms.iter().zip(weights).zip(&report.terms);
                terms.map(|((t, &w), (_, mean))| (t.name, f64::from(w), *mean)).collect()
            } else {
                Vec::new()
            },
            stats: if some { report.stats } else { Vec::new() },
            opponents,
            dropped_updates: self.learner.dropped_updates,
            checkpoint: None,
            time,
            ..Iteration::default()
        }
    }

    /// Plays whole matches without learning, as the preset's `evaluation` says.
    pub fn evaluate(&self) -> Result<Report, TrainError> {
        self.evaluate_until(None, None)
    }

    /// The same; it can be told to stop, and tells how many matches are over.
    pub fn evaluate_until(
        &self,
        interrupt: Option<&AtomicBool>,
        progress: Option<Tell>,
    ) -> Result<Report, TrainError> {
        let e = &self.config.evaluation;
        let weights = self.config.reward_weights(&self.spec, self.share_done());
        let question = Question {
            settings: &self.config.settings,
            stack: &self.config.observation.stack,
            weights: &weights,
            matches: e.matches,
            deterministic: e.deterministic,
            versus: crate::config::parse_player(&e.vs, &self.spec).unwrap_or(Player::Learner),
            guests: Arc::default(),
            // The same matches at every evaluation, none of them seen in training.
            seed: seed::mix(self.config.run.seed, 3),
            watch: None,
            interrupt,
            progress,
        };
        let (entry, policy) = (&self.entry, &self.learner.policy);
        let played = guard(|| self.install(|| evaluate(entry, policy, &question)))?;
        played.map_err(TrainError::from)
    }
}

/// How many cores there are.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

//! The trainer: matches in shards, a learner, and one iteration after the other.

mod account;
mod scene;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use lanista_game::{Entry, Spec, seed};
use lanista_league::{Exploiter, Opponent, Origin, Snapshot, Transition};

use crate::agent::{Agent, Site, shards, untrained};
use crate::challenge::Challenge;
use crate::collect::{Now, guard};
use crate::config::{RecordingConfig, RunConfig};
use crate::disk::DiskError;
use crate::error::TrainError;
use crate::evaluate::{Evaluation, Report, Tell, evaluate};
use crate::exhibition::Exhibition;
use crate::exploiter::{Challenger, Turn};
use crate::files::EVALUATIONS;
use crate::finished::Finished;
use crate::league::{League, LeagueState, snapshot_name};
use crate::memory;
use crate::metrics::Iteration;
use crate::model::Metadata;
use crate::original::Original;
use crate::play::{self, Elsewhere, Iterated};
use crate::player::{ELSEWHERE, Player, Policies, parse_player};
use crate::progress::Progress;
use crate::recorder;
use crate::remote::{Asked, Workers};
use crate::results::{self, Row};
use crate::seating::{Cast, Deal, Guests, Seating};
use crate::shard::{Recorded, Shard};
use crate::start;

use account::Shown;

/// Returns and lengths are averaged over so many of the latest matches.
const RECENT: usize = 100;

/// Everything that trains, in memory.
pub struct Trainer {
    /// What learns.
    pub agent: Agent,
    /// The game.
    pub entry: Entry,
    /// The pool of past policies and ratings, where teams compete.
    pub league: Option<League>,
    /// Who else learns, to beat the learner or its pool.
    pub exploiters: Vec<Challenger>,
    /// Where the run stands in its curriculum.
    pub curriculum: lanista_league::Standing,
    /// The configuration of every stage; one for a run without a curriculum.
    stages: Vec<RunConfig>,
    /// The preset that it comes from, unless it is the configuration of a run.
    pub(crate) original: Option<Original>,
    /// Where snapshots are written, if anywhere.
    pub snapshots: Option<PathBuf>,
    /// Where recordings are written, if anywhere.
    pub recordings: Option<PathBuf>,
    /// A match beside training, if anyone watches.
    pub exhibition: Option<Exhibition>,
    /// Who plays the matches, if they are not played here.
    workers: Option<Workers>,
    /// Were the engines of its matches let go, so that all matches have to start anew?
    lent: bool,
    spec: Spec,
    pool: rayon::ThreadPool,
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
        Self::staged(entry, vec![config], None)
    }

    /// A trainer whose configuration changes from stage to stage. There is at least one, and all
    /// agree in what the network and the number of matches depend on. Its matches are played by workers, if
    /// there are some.
    pub(crate) fn staged(
        entry: Entry,
        stages: Vec<RunConfig>,
        workers: Option<Workers>,
    ) -> Result<Self, TrainError> {
        let config = stages.first().cloned().unwrap_or_default();
        if config.game != entry.name {
            return Err(TrainError::OtherGame { wanted: config.game, given: entry.name });
        }
        let spec = config.observation.stack.widen(entry.spec(&config.settings)?);
        spec.validate()?;
        let threads = config.run.threads.unwrap_or_else(cores);
        let roles = config.roles(&spec)?;
        memory::estimate(&spec, &config, &[], threads)?.check()?;
        let policies = untrained(&spec, &roles, config.run.seed);
        let players: Vec<Opponent> =
            roles.iter().filter_map(|role| role.played_by.as_ref()?.parse().ok()).collect();
        let league = match spec.teams() > 1 {
            true => Some(League::new(config.league.clone(), &config.shares(), &players, &spec)?),
            false => None,
        };
        let seating = seating(&config, league.as_ref(), &spec, 0)?;
        let site = if workers.is_some() { Site::Elsewhere } else { Site::Here };
        let agent = Agent::new(&entry, &spec, config, policies, &seating, site)?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("worker {i}"))
            .build()
            .map_err(|error| TrainError::Threads { threads, error })?;
        Ok(Self {
            agent,
            entry,
            league,
            exploiters: Vec::new(),
            curriculum: lanista_league::Standing::default(),
            stages,
            original: None,
            snapshots: None,
            recordings: None,
            exhibition: None,
            workers,
            lent: false,
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
            let (spec, config) = (&self.spec, &self.agent.config);
            memory::estimate(spec, config, &exploiters, self.threads())?.check()?;
        }
        let cast = self.cast();
        for (number, (rules, config)) in exploiters.into_iter().enumerate() {
            let (main, entry, spec) = (&self.agent, &self.entry, &self.spec);
            let cast = cast.clone();
            let new = Challenger::new(number, rules, config, main, entry, spec, cast)?;
            self.exploiters.push(new);
        }
        Ok(self)
    }

    /// The game as policies see it.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The configuration as it was given, before any stage changed it.
    pub fn given(&self) -> &RunConfig {
        self.stages.first().unwrap_or(&self.agent.config)
    }

    /// The configuration it runs on.
    pub fn config(&self) -> &RunConfig {
        &self.agent.config
    }

    /// How far it has come.
    pub fn progress(&self) -> &Progress {
        &self.agent.progress
    }

    /// Does something on the trainer's threads.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    /// The trainer's threads.
    pub(crate) fn pool(&self) -> &rayon::ThreadPool {
        &self.pool
    }

    /// How many threads work.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Gives the agent what its run begins with besides fresh weights. Returns what is to be said about it.
    pub fn begin_with(&mut self) -> Result<Vec<String>, TrainError> {
        start::begin(&mut self.agent, &self.spec)
    }

    /// Starts every match with its first episode.
    pub fn start(&mut self) -> Result<(), TrainError> {
        self.invite();
        for shard in &mut self.agent.shards {
            shard.start_all(0)?;
        }
        Ok(())
    }

    /// Share of the run that is done: what schedules follow.
    pub fn share_done(&self) -> f64 {
        (self.progress().steps as f64 / self.config().stop.steps.max(1) as f64).min(1.0)
    }

    /// `[roles][terms]`: what terms are worth now.
    pub fn weights(&self) -> Vec<Vec<f32>> {
        self.agent.weights(&self.spec, self.share_done())
    }

    /// Takes over the configuration of a stage. Where the game's settings change, matches start anew.
    pub fn enter(&mut self, stage: usize) -> Result<(), TrainError> {
        let Some(config) = self.stages.get(stage).cloned() else { return Ok(()) };
        let other_game = config.settings != self.config().settings;
        if other_game {
            // Of the same shape, but others may sit there.
            self.spec = config.observation.stack.widen(self.entry.spec(&config.settings)?);
        }
        let agent = &mut self.agent;
        agent.roles = config.roles(&self.spec)?;
        for (learner, settings) in agent.learners.iter_mut().zip(&agent.roles) {
            learner.iter_mut().for_each(|learner| learner.reconfigure(settings.ppo.clone()));
        }
        if let Some(league) = &mut self.league {
            league.set_config(config.league.clone());
            league.set_spec(&self.spec);
        }
        agent.config = config;
        let seating = seating(&agent.config, self.league.as_ref(), &self.spec, stage)?;
        if other_game {
            let next = agent.matches().map(|m| m.episode + 1).max();
            let (config, site) = (&agent.config, agent.site);
            agent.shards = shards(&self.entry, config, &agent.roster(), &seating, site)?;
            self.invite();
            for shard in &mut self.agent.shards {
                shard.start_all(next.unwrap_or(0))?;
            }
        } else {
            agent.shards.iter_mut().for_each(|shard| shard.reseat(seating.clone()));
        }
        Ok(())
    }

    /// Who plays the roles that nobody learns.
    pub(crate) fn cast(&self) -> Cast {
        let shard = self.agent.shards.first();
        shard.map_or(Cast::default(), |shard| shard.seating.cast.clone())
    }

    /// The agents that may be met now.
    pub(crate) fn guests(&self) -> Arc<Guests> {
        self.league.as_ref().map_or_else(Arc::default, League::guests)
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
                Some(league) => league.name(match_.opponent),
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
                &lanista_league::StageMatch {
                    stage: match_.stage,
                    opponent: &opponent,
                    result: competing.then(|| match_.outcome()),
                    stats: &stats,
                },
            );
        }
        let elo = self.league.as_ref().map(|league| league.state.mean_elo());
        let transition = self.curriculum.advance(stages, self.agent.progress.steps, elo);
        if transition.is_some() {
            self.enter(self.curriculum.stage())?;
        }
        Ok(transition)
    }

    /// Can all matches be rebuilt from their recorded actions?
    pub fn replays(&self) -> bool {
        let others = self.exploiters.iter().map(|exploiter| &exploiter.agent);
        std::iter::once(&self.agent).chain(others).all(Agent::replays)
    }

    /// Starts every match anew, dealt from whom a resumed run will know.
    pub fn cut_matches(&mut self) -> Result<(), TrainError> {
        self.invite();
        self.agent.shards.iter_mut().try_for_each(Shard::cut_all)?;
        self.exploiters.iter_mut().for_each(Challenger::cut);
        self.lent = false;
        Ok(())
    }

    /// The frozen agents that sit in running matches.
    fn seated(&self) -> std::collections::BTreeSet<u64> {
        let others = self.exploiters.iter().flat_map(|exploiter| exploiter.agent.seated());
        self.agent.seated().chain(others).collect()
    }

    /// Tells every shard whom its matches may meet from now on.
    pub fn invite(&mut self) {
        let seated = self.seated();
        let Some(league) = &mut self.league else { return };
        league.refresh();
        league.release(&seated);
        let (guests, iteration) = (league.guests(), self.agent.progress.iteration);
        self.agent.shards.iter_mut().for_each(|shard| shard.welcome(guests.clone(), iteration));
    }

    /// Takes over a saved league. Matches against a snapshot that cannot be read start anew.
    pub fn restore_league(&mut self, state: LeagueState) -> Result<(), TrainError> {
        let seated = self.seated();
        let (Some(league), Some(directory)) = (&mut self.league, &self.snapshots) else {
            return Ok(());
        };
        league.restore(state, directory, &seated);
        self.invite();
        for shard in &mut self.agent.shards {
            shard.restart_orphans()?;
        }
        Ok(())
    }

    /// Rates what was played, and takes a snapshot when one is due. Returns the results of a period
    /// that is over.
    fn follow_up(&mut self, finished: &[Finished], before: u64) -> Result<Vec<Row>, TrainError> {
        let metadata = self.metadata();
        let Some(league) = &mut self.league else { return Ok(Vec::new()) };
        let Agent { config, progress, .. } = &self.agent;
        league.rate(finished, progress);
        if config.meets_past() && league.due(before, progress.steps) {
            let directory = self.snapshots.as_deref();
            league.snapshot(directory, &self.agent.roster(), &metadata, Origin::Main)?;
        }
        let period = results::period(config.stop.steps);
        let over = before / period < progress.steps / period;
        Ok(if over { league.close_period(progress) } else { Vec::new() })
    }

    /// Adds the learner to the pool as a milestone, unless it has just been added.
    pub fn remember(&mut self) -> Result<(), TrainError> {
        let metadata = self.metadata();
        let meets_past = self.agent.config.meets_past();
        let Some(league) = self.league.as_mut().filter(|_| meets_past) else {
            return Ok(());
        };
        let own = |s: &&&Snapshot| matches!(s.origin, Origin::Main | Origin::Milestone);
        let snapshots = league.state.snapshots();
        let newest = snapshots.iter().rfind(own).map(|snapshot| snapshot.steps);
        if newest != Some(metadata.steps) {
            let directory = self.snapshots.as_deref();
            league.snapshot(directory, &self.agent.roster(), &metadata, Origin::Milestone)?;
        }
        Ok(())
    }

    /// Lets exploiters take the turns that are due after the iterations so far; what is ready joins the
    /// pool. Returns what happened, in words,
    /// and the seconds it took.
    fn exploit(&mut self) -> Result<(Vec<String>, f64), TrainError> {
        let Self { exploiters, league: Some(league), workers, .. } = self else {
            return Ok(Default::default());
        };
        let (mut notes, mut seconds) = (Vec::new(), 0.0);
        for (number, exploiter) in exploiters.iter_mut().enumerate() {
            let name = exploiter.rules.name();
            let failed = |error| TrainError::Exploiter { name, number, error: Box::new(error) };
            for _ in 0..exploiter.rules.turns(self.agent.progress.iteration) {
                let turn = Turn {
                    spec: &self.spec,
                    main: &self.agent,
                    pool: &league.guests(),
                    threads: &self.pool,
                };
                let elsewhere = workers.as_mut().map(|workers| {
                    let agent = 1 + number as u64;
                    Elsewhere { workers, agent }
                });
                match exploiter.take_turn(&turn, elsewhere) {
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
                metadata.steps = self.agent.progress.steps;
                let (directory, origin) = (self.snapshots.as_deref(), exploiter.rules.origin());
                let id =
                    league.snapshot(directory, &exploiter.agent.roster(), &metadata, origin)?;
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
        let (share, steps) = (self.share_done(), self.progress().steps);
        self.agent.metadata(&self.entry, &self.spec, share, steps)
    }

    /// Plays and learns once. After an error in playing, the learner is as it was before.
    pub fn iterate(&mut self) -> Result<Iteration, TrainError> {
        if self.lent {
            self.cut_matches()?;
        }
        // Before the learner's own iteration: if one of them fails, nothing of it is lost.
        let (notes, exploiting) = self.exploit()?;
        start::follow(&mut self.agent)?;
        let share_done = self.share_done();
        let weights = self.weights();
        self.invite();
        let sequences = self.agent.sequences();
        let now = Now { share_done, weights: &weights[..], sequences: &sequences };
        let elsewhere = self.workers.as_mut().map(|workers| Elsewhere { workers, agent: 0 });
        let Iterated { losses, steps, finished, kept, lost, latest_loss, mut time, traffic } =
            play::iterate(&mut self.agent, &now, &self.pool, elsewhere)?;
        let p = &mut self.agent.progress;
        p.iteration = p.iteration.saturating_add(1);
        let before = p.steps;
        p.steps = p.steps.saturating_add(steps);
        p.episodes = p.episodes.saturating_add(finished.len() as u64);
        let results = finished.iter().map(|f| (f.weighted(&weights), f64::from(f.steps)));
        p.recent.extend(results.filter(|(earned, _)| earned.is_finite()));
        let surplus = p.recent.len().saturating_sub(RECENT);
        p.recent.drain(..surplus);
        time.seconds += exploiting;
        time.steps_per_second = steps as f64 / time.seconds;
        p.seconds += time.seconds;
        time.seconds = p.seconds;
        let results = self.follow_up(&finished, before)?;
        let (finished, losses) = (&finished[..], &losses[..]);
        let shown = Shown { finished, weights: &weights, losses, lost, time, traffic };
        let metrics = self.metrics(&shown);
        let mut iteration = Iteration { metrics, results, notes, ..Iteration::default() };
        if let Some(league) = &mut self.league {
            iteration.remarks = std::mem::take(&mut league.remarks);
        }
        if let Err(error) = self.keep(kept) {
            // A picture of a match is no reason to stop a run.
            iteration.remarks.push(format!("a match is not recorded: {error}"));
        }
        if let Some(loss) = latest_loss {
            let plural = if lost == 1 { "match was" } else { "matches were" };
            iteration.remarks.push(format!("{lost} {plural} lost and began anew; {loss}"));
        }
        if let Some(exhibition) = &self.exhibition {
            exhibition.offer(|| self.scene());
            let failure = exhibition.take_failure().into_iter();
            iteration.remarks.extend(failure.map(|e| format!("the picture has stopped: {e}")));
        }
        iteration.exploiters = self.exploiters.iter().map(Challenger::challenge).collect();
        iteration.stage =
            self.stages[0].curriculum.get(self.curriculum.stage()).map(|s| s.name.clone());
        iteration.transition = self.advance(finished)?;
        Ok(iteration)
    }

    /// Writes the matches that are kept to their files.
    fn keep(&self, kept: Vec<Recorded>) -> Result<(), DiskError> {
        let (Some(directory), false) = (&self.recordings, kept.is_empty()) else { return Ok(()) };
        for (number, recorded) in kept.into_iter().enumerate() {
            let file = format!("{:012}-{number:03}", self.agent.progress.steps);
            self.write(recorded, directory, &file)?;
        }
        recorder::prune(directory, self.agent.config.recording.keep)
    }

    /// Writes a match to a file.
    fn write(&self, mut recorded: Recorded, directory: &Path, file: &str) -> Result<(), DiskError> {
        let name = |player: Player| match (player, &self.league) {
            (Player::Learner, _) => "learner".to_owned(),
            (Player::Bot(bot), _) => format!("bot:{}", self.spec.bots()[bot]),
            (player, Some(league)) => league.name(player),
            (Player::Frozen(id), None) => snapshot_name(id),
        };
        let transcript = recorded.transcript.take();
        let recording = recorded.recording(&self.entry, &self.agent.config.settings, name);
        recorder::write(directory, file, &recording, transcript.as_deref())?;
        Ok(())
    }

    /// Plays whole matches without learning, as the preset's `evaluation` says.
    pub fn evaluate(&mut self) -> Result<Report, TrainError> {
        self.evaluate_until(None, None)
    }

    /// The same; it can be told to stop, and tells how many matches are over. Workers that evaluate play it, if there
    /// are some.
    pub fn evaluate_until(
        &mut self,
        interrupt: Option<&AtomicBool>,
        progress: Option<Tell>,
    ) -> Result<Report, TrainError> {
        self.lend()?;
        // Apart, because the question looks at everything else.
        let mut workers = self.workers.take();
        let report = self.evaluate_by(workers.as_mut(), interrupt, progress);
        self.workers = workers;
        report
    }

    fn evaluate_by(
        &self,
        workers: Option<&mut Workers>,
        interrupt: Option<&AtomicBool>,
        progress: Option<Tell>,
    ) -> Result<Report, TrainError> {
        let weights = self.weights();
        let mut question = Evaluation { interrupt, progress, ..self.question(&weights) };
        let kept = Mutex::new(None);
        let keep = |number: usize, recorded: Recorded| {
            if number == 0 {
                *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(recorded);
            }
        };
        let RecordingConfig { evaluations, keep: most, .. } = self.agent.config.recording;
        // What cannot be played again would be kept for nobody.
        let directory = self.recordings.as_ref().filter(|_| evaluations && self.replays());
        if directory.is_some() {
            question.keep = Some(&keep);
        }
        let policies = &self.agent.policies();
        let report = match workers.filter(|workers| workers.evaluate()) {
            Some(workers) => {
                let (config, spec) = (&self.agent.config, &self.spec);
                workers.examine(&Asked { question: &question, policies, config, spec })?
            }
            None => self.ask(policies, &question)?,
        };
        let kept = kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(directory), Some(recorded)) = (directory, kept) {
            let directory = directory.join(EVALUATIONS);
            let file = format!("{:012}", self.agent.progress.steps);
            // A picture of a match is no reason to stop a run.
            let _ = self
                .write(recorded, &directory, &file)
                .and_then(|()| recorder::prune(&directory, most));
        }
        Ok(report)
    }

    /// Lets go of the engines of its matches where there are only so many and an evaluation needs them. Such matches
    /// cannot be rebuilt: they start anew in the next iteration, as they do after a checkpoint.
    fn lend(&mut self) -> Result<(), TrainError> {
        // What workers play is not here to be let go.
        let here = self.workers.is_none() && !self.replays();
        if !here || self.entry.at_once(&self.agent.config.settings)?.is_none() {
            return Ok(());
        }
        let others = self.exploiters.iter_mut().map(|exploiter| &mut exploiter.agent);
        for agent in std::iter::once(&mut self.agent).chain(others) {
            agent.shards.iter_mut().for_each(Shard::release);
        }
        self.lent = true;
        Ok(())
    }

    /// What an evaluation of this run asks.
    pub(crate) fn question<'a>(&'a self, weights: &'a [Vec<f32>]) -> Evaluation<'a> {
        let config = &self.agent.config;
        let e = &config.evaluation;
        // Models that play a role which nobody learns, and nobody else.
        let guests = Guests::clone(&self.guests());
        let policies = guests.policies.into_iter().filter(|(id, _)| *id >= ELSEWHERE).collect();
        Evaluation {
            settings: &config.settings,
            stack: &config.observation.stack,
            weights,
            matches: e.matches,
            deterministic: e.deterministic,
            versus: parse_player(&e.vs, &self.spec).unwrap_or(Player::Learner),
            guests: Arc::new(Guests { policies, past: Vec::new() }),
            cast: self.cast(),
            // The same matches at every evaluation, none of them seen in training.
            seed: seed::mix(config.run.seed, 3),
            patience: self.agent.patience(),
            watch: None,
            keep: None,
            interrupt: None,
            progress: None,
        }
    }

    pub(crate) fn ask(
        &self,
        policies: Policies,
        question: &Evaluation,
    ) -> Result<Report, TrainError> {
        let entry = &self.entry;
        let played = guard(|| self.install(|| evaluate(entry, policies, question)))?;
        played.map_err(TrainError::from)
    }
}

/// How seats are dealt in a stage.
fn seating(
    config: &RunConfig,
    league: Option<&League>,
    spec: &Spec,
    stage: usize,
) -> Result<Seating, TrainError> {
    let roles = config.roles(spec)?;
    let other = |name: &String| {
        let opponent: Opponent = name.parse().ok()?;
        let found = league.and_then(|league| league.player(&opponent));
        found.or_else(|| parse_player(name, spec).ok())
    };
    let others = roles.iter().map(|role| role.played_by.as_ref().and_then(other)).collect();
    Ok(Seating {
        seed: config.run.seed,
        deal: league.map_or(Deal::Always(Player::Learner), |l| l.deal(config.shares())),
        guest_rules: config.league.guest_rules(),
        turns: false,
        slots: config.rollout.matches,
        stage,
        cast: Cast { others },
    })
}

/// How many cores there are.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

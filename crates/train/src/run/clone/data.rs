//! Where the decisions of a run come from: datasets that were named, and what is played for it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lanista_game::seed;
use serde_json::Value;

use super::{Cloning, learn, learner};
use crate::dataset::{About, Dataset, DatasetError, Split, Writer, split_of};
use crate::disk::on;
use crate::error::TrainError;
use crate::gather::{Gather, Gathered, Teacher, gather, rehearse};
use crate::metrics::{Record, Sink};
use crate::player::Roster;
use crate::run::{Orders, RunDirectory, RunError, tell};
use crate::stack::Stack;
use crate::trainer::Trainer;

/// How often whoever waits is told.
const NOTE: Duration = Duration::from_secs(10);

/// Who says what is right, with all that is needed to ask.
pub enum Expert {
    /// A scripted player, by its name.
    Bot(String),
    /// A model.
    Model {
        /// Its policies.
        roster: Roster,
        /// Which frames it sees.
        stack: Stack,
        /// The settings it sees the game under.
        settings: Value,
        /// What it is called.
        name: String,
    },
}

impl Expert {
    /// What its decisions are recorded under.
    fn player(&self) -> String {
        match self {
            Self::Bot(name) => format!("bot:{name}"),
            Self::Model { name, .. } => name.clone(),
        }
    }

    /// As whoever gathers takes it.
    pub fn teacher(&self) -> Teacher<'_> {
        match self {
            Self::Bot(name) => Teacher::Bot(name),
            Self::Model { roster, stack, settings, name } => {
                Teacher::Model { roster, stack, settings, name }
            }
        }
    }
}

impl RunDirectory {
    /// Where the decisions lie that were played for a run.
    fn data(&self, name: &str) -> PathBuf {
        self.path().join("data").join(name)
    }

    /// Opens the datasets that are named, and plays what is to be played where none is.
    pub(super) fn gather_play(
        &self,
        trainer: &mut Trainer,
        cloning: &mut Cloning,
        player: Option<Expert>,
        tell: &mut dyn FnMut(usize, usize),
    ) -> Result<(), RunError> {
        let config = trainer.config().clone.clone();
        let spec = trainer.entry.spec(&trainer.config().settings).map_err(TrainError::from)?;
        let mut named = Vec::new();
        for place in &config.data {
            let dataset = Dataset::open(place).map_err(TrainError::from)?;
            dataset.check(&spec).map_err(TrainError::from)?;
            named.push(dataset);
        }
        let players = named.iter().flat_map(|dataset| dataset.index.players.keys().cloned());
        let teachers = [cloning.expert.as_ref(), player.as_ref()].into_iter().flatten();
        let known: BTreeSet<String> = players.chain(teachers.map(Expert::player)).collect();
        if let Some(nobody) = config.players.iter().find(|name| !known.contains(*name)) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let problem = format!(
                "clone.players: nobody called {nobody} decides anything; there are: {}",
                known.join(", ")
            );
            return Err(TrainError::from(DatasetError::Empty(problem)).into());
        }
        let mut places = Vec::new();
        if let (Some(play), Some(player), true) = (&config.play, player, named.is_empty()) {
            let place = self.data("play");
            if Dataset::open(&place).is_err() {
                let slots = trainer.config().rollout.matches;
                let wish = Gather {
                    teacher: player.teacher(),
                    pupil: None,
                    control: 1.0,
                    versus: &play.vs,
                    matches: play.matches,
                    slots,
                    seed: seed::mix(trainer.config().run.seed, 31),
                    ..wish(trainer)
                };
                rehearse(&wish)?;
                let origin = format!("{} matches played by {}", play.matches, play.by);
                let mut hear = |done: usize| tell(done, play.matches);
                write(trainer, &wish, &place, origin, play.held_out, &mut hear)?;
            }
            places.push(place);
        }
        // Rounds that were played before.
        let rounds = (0..=cloning.standing.round).map(|round| self.data(&round_name(round)));
        places.extend(
            rounds.filter(|place| cloning.expert.is_some() && Dataset::open(place).is_ok()),
        );
        cloning.corpus.datasets.extend(named);
        for place in places {
            let dataset = Dataset::open(&place).map_err(TrainError::from)?;
            dataset.check(&spec).map_err(TrainError::from)?;
            cloning.corpus.datasets.push(dataset);
        }
        // Whoever has an expert is given more before the first epoch.
        if cloning.expert.is_none() && !learn::any_wanted(trainer, cloning)? {
            let mut problem = "nothing is left to learn from: ".to_owned();
            problem.push_str(match (config.players.is_empty(), config.winners) {
                (_, true) => {
                    "no match to learn from was won by a player that is wanted (clone.winners)"
                }
                (false, false) => {
                    "no match to learn from is of a player that is wanted (clone.players)"
                }
                (true, false) => "there is not one decision that is not held out",
            });
            return Err(TrainError::from(DatasetError::Empty(problem)).into());
        }
        Ok(())
    }

    /// Sees whether the expert can label what the policy comes to, before anything is made for it.
    pub(super) fn rehearse(&self, trainer: &Trainer, cloning: &Cloning) -> Result<(), RunError> {
        let Some(expert) = &cloning.expert else { return Ok(()) };
        let (pupil, versus) = (pupil(trainer, cloning), met(trainer));
        let rounds = (0, cloning.rounds(trainer));
        Ok(rehearse(&round_wish(trainer, expert, &pupil, &versus, rounds))?)
    }

    /// Lets the policy play and its expert label, unless this round was played before.
    pub(super) fn gather_round(
        &self,
        trainer: &mut Trainer,
        cloning: &mut Cloning,
        sinks: &mut [&mut dyn Sink],
        orders: &Orders,
    ) -> Result<(), RunError> {
        let Some(expert) = &cloning.expert else { return Ok(()) };
        let config = trainer.config().clone.clone();
        let (round, place) =
            (cloning.standing.round, self.data(&round_name(cloning.standing.round)));
        if cloning.corpus.datasets.iter().any(|dataset| dataset.path == place) {
            return Ok(());
        }
        let rounds = cloning.rounds(trainer);
        let pupil = pupil(trainer, cloning);
        let versus = met(trainer);
        let wish = Gather {
            interrupt: Some(orders.interrupt),
            ..round_wish(trainer, expert, &pupil, &versus, (round, rounds))
        };
        let control = wish.control;
        let mut last = Instant::now();
        let mut failed = None;
        let mut hear = |done: usize| {
            if last.elapsed() >= NOTE {
                last = Instant::now();
                let of = config.round_matches;
                let note = format!("round {} of {rounds}: {done} of {of} matches", round + 1);
                failed = failed.take().or(tell(sinks, &Record::Note(&note)).err());
            }
        };
        let origin = format!("round {round}: the policy plays, the expert labels");
        let gathered = write(trainer, &wish, &place, origin, 0.1, &mut hear)?;
        if let Some(error) = failed {
            return Err(error);
        }
        let note = format!(
            "round {} of {rounds}: {} decisions of {} matches are labelled; the expert made {:.0} % of them",
            round + 1,
            gathered.decisions,
            gathered.matches,
            100.0 * control
        );
        tell(sinks, &Record::Note(&note))?;
        let dataset = Dataset::open(&place).map_err(TrainError::from)?;
        cloning.corpus.datasets.push(dataset);
        super::follow(trainer, cloning);
        Ok(())
    }
}

fn round_name(round: usize) -> String {
    format!("round-{round:03}")
}

/// The policy that is cloned, as it plays.
fn pupil(trainer: &Trainer, cloning: &Cloning) -> Roster {
    let mut policies = vec![None; trainer.spec().roles.len()];
    policies[cloning.role] = Some(learner(trainer, cloning).policy.clone());
    Roster::new(policies)
}

/// Whom the policy meets in rounds.
fn met(trainer: &Trainer) -> Vec<String> {
    let play = trainer.config().clone.play.as_ref();
    play.map_or(vec!["self".to_owned()], |play| play.vs.clone())
}

/// How one of so many rounds is played.
fn round_wish<'a>(
    trainer: &'a Trainer,
    expert: &'a Expert,
    pupil: &'a Roster,
    versus: &'a [String],
    (round, rounds): (usize, usize),
) -> Gather<'a> {
    let config = trainer.config();
    let over = if rounds > 1 { round as f64 / (rounds - 1) as f64 } else { 0.0 };
    Gather {
        teacher: expert.teacher(),
        pupil: Some((pupil, &config.observation.stack)),
        control: config.clone.control.at(over),
        versus,
        matches: config.clone.round_matches,
        seed: seed::mix(seed::mix(config.run.seed, 32), round as u64),
        ..wish(trainer)
    }
}

/// What all that is gathered for a trainer has in common.
fn wish(trainer: &Trainer) -> Gather<'_> {
    let config = trainer.config();
    Gather {
        entry: &trainer.entry,
        settings: &config.settings,
        teacher: Teacher::Bot(""),
        pupil: None,
        control: 0.0,
        versus: &[],
        matches: 0,
        slots: config.rollout.matches,
        shard: config.rollout.shard_size(),
        seed: 0,
        patience: trainer.agent.patience(),
        pool: Some(trainer.pool()),
        interrupt: None,
    }
}

/// Plays, and writes what is decided to a dataset of its own.
fn write(
    trainer: &Trainer,
    wish: &Gather,
    place: &Path,
    origin: String,
    held_out: f64,
    tell: &mut dyn FnMut(usize),
) -> Result<Gathered, RunError> {
    if place.exists() {
        // It has no index: it was interrupted.
        on("remove", place, fs::remove_dir_all(place))?;
    }
    let spec = trainer.entry.spec(wish.settings).map_err(TrainError::from)?;
    let about = About {
        game: trainer.entry.name.clone(),
        settings: trainer.entry.portable(wish.settings),
        spec,
        lanista: env!("CARGO_PKG_VERSION").to_owned(),
        origin,
    };
    let mut writer = Writer::create(place, about).map_err(TrainError::from)?;
    let mut push = |episode: lanista_game::Episode| -> Result<(), TrainError> {
        let split = split_of(&episode.source, held_out);
        Ok(writer.push(&episode, split)?)
    };
    let gathered = gather(wish, tell, &mut push)?;
    writer.finish().map_err(TrainError::from)?;
    debug_assert!(Dataset::open(place).is_ok_and(|d| d.index.decisions(Split::Train) > 0));
    Ok(gathered)
}

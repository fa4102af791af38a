//! The loop of cloning: read a window of decisions, fit, look at held-out ones, save, stop.
//!
//! Where it stands follows from few numbers: the round, the epoch and the window. The order of blocks in an
//! epoch is a function of the seed, so a run that is resumed reads on exactly where it stopped.

mod data;
mod learn;
mod report;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use lanista_learn::clone::Cloner;
use serde_json::{Value, json};

use super::save::{portable, wall_clock};
use super::{Begun, Ending, Orders, RunDirectory, RunError, Saved, Summary, defaults, tell};
use crate::checkpoint::cloning::{SavedCloning, decode, encode};
use crate::checkpoint::{self, CheckpointError, Continued};
use crate::dataset::{Corpus, Split};
use crate::error::TrainError;
use crate::gather::unfit;
use crate::layers::{differences, to_yaml};
use crate::metrics::{JsonLines, Record, Sink, TensorBoard};
use crate::trainer::Trainer;

pub use crate::checkpoint::cloning::Standing;
pub use crate::cloning::Told;
pub use data::Expert;

/// What cloning adds to a trainer, whose matches are only played when it is evaluated.
pub struct Cloning {
    /// Where it stands.
    pub standing: Standing,
    /// The role that is cloned.
    pub role: usize,
    /// What the weights that are kept told of held-out decisions.
    pub told: Option<Told>,
    /// The best weights of this round so far.
    best: Option<Vec<f32>>,
    /// The decisions to learn from.
    corpus: Corpus,
    /// Who labels what the policy comes to.
    expert: Option<Expert>,
    /// Blocks that were left out because they are damaged, and why.
    pub skipped: BTreeMap<String, String>,
    /// What is still to be said of them.
    unsaid: Vec<String>,
}

impl Cloning {
    /// Decisions of a split that are at hand.
    pub fn decisions(&self, split: Split) -> u64 {
        self.corpus.decisions(split)
    }

    /// Says which blocks were left out, each once.
    fn say_what_was_skipped(&mut self, sinks: &mut [&mut dyn Sink]) -> Result<(), RunError> {
        for said in std::mem::take(&mut self.unsaid) {
            tell(sinks, &Record::Note(&said))?;
        }
        Ok(())
    }

    fn rounds(&self, trainer: &Trainer) -> usize {
        let config = &trainer.config().clone;
        if self.expert.is_some() { config.rounds.max(1) } else { 1 }
    }
}

impl RunDirectory {
    /// Resumes cloning from the newest sound checkpoint, or begins, and gathers what there is to learn
    /// from. `tell` hears how many matches are played for that.
    pub fn begin_clone(
        &mut self,
        trainer: &mut Trainer,
        expert: Option<Expert>,
        player: Option<Expert>,
        tell: &mut dyn FnMut(usize, usize),
    ) -> Result<(Begun, Cloning), RunError> {
        let learnt: Vec<usize> = trainer.agent.learnt().map(|(role, _)| role).collect();
        let &[role] = &learnt[..] else {
            let names: Vec<&str> =
                learnt.iter().map(|&role| trainer.spec().roles[role].name.as_str()).collect();
            return Err(TrainError::Teacher(format!(
                "one role is cloned at a time; let somebody play the others of {} (roles.NAME.played_by=bot:NAME)",
                names.join(", ")
            ))
            .into());
        };
        // Before anything is played: it would be for nothing.
        let teachers = [(&expert, "clone.expert"), (&player, "clone.play.by")];
        for (teacher, key) in
            teachers.into_iter().filter_map(|(who, key)| Some((who.as_ref()?, key)))
        {
            if let (Expert::Bot(_), Some(problem)) =
                (teacher, unfit(&teacher.teacher(), trainer.spec()))
            {
                return Err(TrainError::Teacher(format!("{key}: {problem}")).into());
            }
        }
        let mut cloning = Cloning {
            standing: Standing::default(),
            role,
            told: None,
            best: None,
            corpus: Corpus::default(),
            expert,
            skipped: BTreeMap::new(),
            unsaid: Vec::new(),
        };
        let mut begun = Begun {
            resumed_at: None,
            continued: Continued::Exactly,
            passed_over: Vec::new(),
            exploiters_anew: Vec::new(),
            changes: Vec::new(),
            missing_milestones: Vec::new(),
            said: Vec::new(),
        };
        for (steps, path) in checkpoint::list(&self.files.checkpoints())?.into_iter().rev() {
            let Some(learner) = trainer.agent.learners[role].as_mut() else { continue };
            match decode(&path, role, learner) {
                Ok(opened) => {
                    begun.resumed_at = Some(steps);
                    begun.changes =
                        differences(&opened.config, &to_yaml(trainer.given())?, &defaults());
                    (cloning.standing, cloning.best) = (opened.standing, opened.best);
                    (cloning.told, cloning.skipped) = (opened.told, opened.skipped);
                    self.saved =
                        Saved { steps: Some(steps), seals: opened.seals, milestones: Vec::new() };
                    break;
                }
                Err(error @ CheckpointError::OtherShape { .. }) => return Err(error.into()),
                Err(error) => begun.passed_over.push(error.to_string()),
            }
        }
        if begun.resumed_at.is_none() {
            if !begun.passed_over.is_empty() {
                let (path, problems) = (self.path().to_owned(), begun.passed_over);
                return Err(RunError::NoneSound { path, problems });
            }
            begun.said = trainer.begin_with()?;
            self.rehearse(trainer, &cloning)?;
        }
        self.gather_play(trainer, &mut cloning, player, tell)?;
        follow(trainer, &cloning);
        Ok((begun, cloning))
    }

    /// Fits to the end.
    pub fn fit(
        &mut self,
        trainer: &mut Trainer,
        cloning: &mut Cloning,
        sinks: &mut [&mut dyn Sink],
        orders: &Orders,
    ) -> Result<Summary, RunError> {
        self.noted(trainer, |own, trainer| own.fit_all(trainer, cloning, sinks, orders))
    }

    fn fit_all(
        &mut self,
        trainer: &mut Trainer,
        cloning: &mut Cloning,
        sinks: &mut [&mut dyn Sink],
        orders: &Orders,
    ) -> Result<Summary, RunError> {
        if self.saved.steps.is_none() {
            self.write_original(trainer)?;
            crate::disk::replace(&self.files.config(), to_yaml(trainer.given())?.as_bytes())?;
        }
        let after = cloning.standing.iteration;
        let seal = self.saved.seals.get(JsonLines::NAME).copied();
        let (mut lines, remarks) = JsonLines::open(self.path(), seal, after)?;
        let mut events = TensorBoard::open(self.path(), cloning.standing.decisions, wall_clock)?;
        let mut all: Vec<&mut dyn Sink> = vec![&mut lines, &mut events];
        all.extend(sinks.iter_mut().map(|s| &mut **s as &mut dyn Sink));
        for remark in &remarks {
            tell(&mut all, &Record::Remark(remark))?;
        }
        let mut cloner = Cloner::new(&learner(trainer, cloning).policy);
        while cloning.standing.round < cloning.rounds(trainer) {
            if !cloning.standing.over {
                let stopped = match self.gather_round(trainer, cloning, &mut all, orders) {
                    Ok(()) => self.fit_round(trainer, cloning, &mut cloner, &mut all, orders)?,
                    // What was labelled of the round is thrown away, and labelled again.
                    Err(RunError::Train(TrainError::Interrupted { .. })) => {
                        Some(Ending::Interrupted)
                    }
                    Err(error) => return Err(error),
                };
                if let Some(ending) = stopped {
                    self.save_clone(trainer, cloning, &mut all)?;
                    return self.end_clone(trainer, ending, orders);
                }
            }
            // The next round begins with the best of this one.
            if let Some(best) = cloning.best.take() {
                learner_mut(trainer, cloning).policy.params = best;
            }
            let s = &mut cloning.standing;
            *s = Standing {
                round: s.round + 1,
                iteration: s.iteration,
                decisions: s.decisions,
                seconds: s.seconds,
                ..Standing::default()
            };
            self.save_clone(trainer, cloning, &mut all)?;
        }
        self.end_clone(trainer, Ending::Steps, orders)
    }

    /// Learns from the data of a round until it is told to stop, or to its end.
    fn fit_round(
        &mut self,
        trainer: &mut Trainer,
        cloning: &mut Cloning,
        cloner: &mut Cloner,
        sinks: &mut [&mut dyn Sink],
        orders: &Orders,
    ) -> Result<Option<Ending>, RunError> {
        let config = trainer.config().clone.clone();
        if cloning.decisions(Split::Train) == 0 {
            return Err(
                TrainError::Teacher("there is not one decision to learn from".into()).into()
            );
        }
        learn::normalize(trainer, cloning)?;
        cloning.say_what_was_skipped(sinks)?;
        while cloning.standing.epoch < config.epochs && !cloning.standing.over {
            let order = cloning.corpus.shuffled(Split::Train, learn::shuffle(trainer, cloning));
            let windows = Corpus::windows(&order, (config.window_mib as u64) << 20);
            let count = windows.len();
            while cloning.standing.window < count {
                orders.wait();
                self.is_still_there()?;
                if orders.take_save() {
                    self.save_clone(trainer, cloning, sinks)?;
                    sinks.iter_mut().for_each(|sink| sink.saved(cloning.standing.decisions));
                    continue;
                }
                if let Some(ending) = stopped(cloning, trainer, orders) {
                    return Ok(Some(ending));
                }
                let began = Instant::now();
                let before = cloning.standing.decisions;
                let window = windows[cloning.standing.window];
                let share = learn::share(cloning, config.epochs, count, cloning.rounds(trainer));
                if cloning.best.is_none() {
                    // It belongs to the weights that the round began with, and they move on now.
                    cloning.told = None;
                }
                let fitted = learn::window(trainer, cloning, cloner, window, share)
                    .map_err(|error| self.failed(error))?;
                cloning.standing.window += 1;
                cloning.standing.iteration += 1;
                cloning.standing.decisions += fitted.rows as u64;
                let seconds = began.elapsed().as_secs_f64();
                // Looks are spread evenly over the windows of an epoch; the last is at its end.
                let s = &cloning.standing;
                let due = s.window * config.looks / count > (s.window - 1) * config.looks / count;
                let told = if due { self.look(trainer, cloning, &config)? } else { None };
                cloning.say_what_was_skipped(sinks)?;
                cloning.standing.seconds += began.elapsed().as_secs_f64();
                follow(trainer, cloning);
                let iteration = report::iteration(
                    trainer,
                    cloning,
                    &fitted,
                    share,
                    seconds,
                    told.as_ref(),
                    self.saved.steps,
                );
                tell(sinks, &Record::Iteration(&iteration))?;
                let now = cloning.standing.decisions;
                let crossed = |every: u64| before / every < now / every;
                if trainer.config().evaluation.every.is_some_and(crossed) {
                    let report = trainer.evaluate()?;
                    let (iteration, steps) = (cloning.standing.iteration, now);
                    tell(sinks, &Record::Evaluation { iteration, steps, report: &report })?;
                }
                let s = &mut cloning.standing;
                s.over = config.patience.is_some_and(|patience| s.looks_since_best >= patience);
                if s.over {
                    tell(
                        sinks,
                        &Record::Note(&format!(
                            "epoch {}: {} looks at held-out decisions without a better one; it stops here, and the best \
                         weights are kept",
                            s.epoch + 1,
                            s.looks_since_best
                        )),
                    )?;
                    break;
                }
                if crossed(trainer.config().checkpoint.every) {
                    self.save_clone(trainer, cloning, sinks)?;
                }
            }
            cloning.standing.epoch += 1;
            cloning.standing.window = 0;
        }
        Ok(None)
    }

    /// Looks at held-out decisions, and keeps the weights and what they told if they are the best so far.
    fn look(
        &self,
        trainer: &Trainer,
        cloning: &mut Cloning,
        config: &crate::cloning::CloneConfig,
    ) -> Result<Option<Told>, RunError> {
        let Some(told) = learn::look(trainer, cloning, config)? else { return Ok(None) };
        let score = told.score();
        let s = &mut cloning.standing;
        if s.best.is_none_or(|best| score < best) {
            (s.best, s.looks_since_best) = (Some(score), 0);
            cloning.best = Some(learner(trainer, cloning).policy.params.clone());
            cloning.told = Some(told.clone());
        } else {
            s.looks_since_best += 1;
        }
        Ok(Some(told))
    }

    fn save_clone(
        &mut self,
        trainer: &Trainer,
        cloning: &Cloning,
        sinks: &mut [&mut dyn Sink],
    ) -> Result<PathBuf, RunError> {
        self.is_still_there()?;
        let mut seals = BTreeMap::new();
        for sink in sinks.iter_mut() {
            sink.flush()?;
            seals.extend(sink.seal().map(|(name, seal)| (name.to_owned(), seal)));
        }
        let saved = SavedCloning {
            standing: &cloning.standing,
            role: cloning.role,
            learner: learner(trainer, cloning),
            best: cloning.best.as_deref(),
            told: cloning.told.as_ref(),
            skipped: &cloning.skipped,
            config: to_yaml(&portable(trainer.given()))?,
            meta: describe(cloning),
            seals: &seals,
        };
        let files = encode(&saved).map_err(|error| self.unsound(error))?;
        let steps = cloning.standing.decisions;
        let path = checkpoint::place(&self.files.checkpoints(), &steps.to_string(), &files)?;
        self.saved = Saved { steps: Some(steps), seals, milestones: Vec::new() };
        checkpoint::prune(&self.files.checkpoints(), steps, trainer.config().checkpoint.keep)?;
        crate::disk::replace(&self.files.config(), to_yaml(trainer.given())?.as_bytes())?;
        // What plays is the best that was seen.
        let mut roster = trainer.agent.roster();
        if let Some(best) = &cloning.best {
            roster = roster.with_params(cloning.role, best);
        }
        crate::model::save(&self.files.model(), &roster, &trainer.metadata())?;
        Ok(path)
    }

    fn end_clone(
        &self,
        trainer: &mut Trainer,
        ending: Ending,
        orders: &Orders,
    ) -> Result<Summary, RunError> {
        if ending == Ending::Interrupted {
            return Ok(Summary { ending, report: None });
        }
        let report = self.evaluate_at_the_end(trainer, ending, orders)?;
        Ok(Summary { ending, report })
    }
}

fn stopped(cloning: &Cloning, trainer: &Trainer, orders: &Orders) -> Option<Ending> {
    if orders.interrupt.load(Ordering::Relaxed) {
        Some(Ending::Interrupted)
    } else if orders.pause_at.is_some_and(|at| cloning.standing.decisions >= at) {
        Some(Ending::Paused)
    } else if trainer.config().stop.seconds.is_some_and(|s| cloning.standing.seconds >= s) {
        Some(Ending::Seconds)
    } else {
        None
    }
}

/// The trainer's progress is that of cloning: models and screens read it there.
fn follow(trainer: &mut Trainer, cloning: &Cloning) {
    let s = &cloning.standing;
    let p = &mut trainer.agent.progress;
    (p.iteration, p.steps, p.seconds) = (s.iteration, s.decisions, s.seconds);
    let rounds = cloning.rounds(trainer) as u64;
    let config = &mut trainer.agent.config;
    let whole = cloning.corpus.decisions(Split::Train) * config.clone.epochs as u64 * rounds;
    config.stop.steps = whole.max(s.decisions).max(1);
}

fn learner<'a>(trainer: &'a Trainer, cloning: &Cloning) -> &'a lanista_learn::Learner {
    trainer.agent.learners[cloning.role].as_ref().expect("the role that is cloned is learnt")
}

fn learner_mut<'a>(trainer: &'a mut Trainer, cloning: &Cloning) -> &'a mut lanista_learn::Learner {
    trainer.agent.learners[cloning.role].as_mut().expect("the role that is cloned is learnt")
}

fn describe(cloning: &Cloning) -> Value {
    let s = &cloning.standing;
    json!({
        "steps": s.decisions,
        "iteration": s.iteration,
        "round": s.round,
        "epoch": s.epoch,
        "held_out": s.best,
        "time": { "seconds": s.seconds, "unix": wall_clock() },
    })
}

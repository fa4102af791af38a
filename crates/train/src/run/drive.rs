//! The loop of a run: iterate, record, evaluate, save, stop.

use std::sync::atomic::Ordering;
use std::time::Instant;

use serde_json::Value;

use super::save::{describe, wall_clock};
use super::{Ending, Orders, RunDirectory, RunError, Summary, tell};
use crate::error::TrainError;
use crate::evaluate::Report;
use crate::files::milestone_name;
use crate::metrics::{JsonLines, Record, ResultsCsv, Sink, TensorBoard};
use crate::trainer::Trainer;

impl RunDirectory {
    /// Trains to the end. `sinks` hear everything that the files of the run hear.
    pub fn train(
        &mut self,
        trainer: &mut Trainer,
        sinks: &mut [&mut dyn Sink],
        orders: &Orders,
    ) -> Result<Summary, RunError> {
        self.noted(trainer, |own, trainer| own.drive(trainer, sinks, orders))
    }

    fn drive(
        &mut self,
        trainer: &mut Trainer,
        sinks: &mut [&mut dyn Sink],
        orders: &Orders,
    ) -> Result<Summary, RunError> {
        let mut remarks = self.prepare(trainer)?;
        let after = trainer.agent.progress.iteration;
        let seal = |name: &str| self.saved.seals.get(name).copied();
        let (mut lines, damage) = JsonLines::open(self.path(), seal(JsonLines::NAME), after)?;
        remarks.extend(damage);
        let mut events = TensorBoard::open(self.path(), trainer.agent.progress.steps, wall_clock)?;
        let mut results = None;
        if trainer.league.is_some() {
            let (sink, damage) = ResultsCsv::open(self.path(), seal(ResultsCsv::NAME), after)?;
            remarks.extend(damage);
            results = Some(sink);
        }
        let mut all: Vec<&mut dyn Sink> = vec![&mut lines, &mut events];
        all.extend(results.iter_mut().map(|sink| sink as &mut dyn Sink));
        all.extend(sinks.iter_mut().map(|s| &mut **s as &mut dyn Sink));
        for remark in &remarks {
            tell(&mut all, &Record::Remark(remark))?;
        }

        let mut meta = Value::Null;
        loop {
            orders.wait();
            if let (Some(show), Some(exhibition)) = (orders.show, &trainer.exhibition) {
                exhibition.show(show.load(Ordering::Relaxed));
            }
            self.is_still_there()?;
            if orders.take_save() {
                if self.saved.steps != Some(trainer.agent.progress.steps) {
                    self.save(trainer, &mut all, &meta, None)?;
                }
                all.iter_mut().for_each(|sink| sink.saved(trainer.agent.progress.steps));
                continue; // it may still have to wait
            }
            if let Some(ending) = self.ending(trainer, orders) {
                if self.saved.steps != Some(trainer.agent.progress.steps) {
                    self.save(trainer, &mut all, &meta, None)?;
                }
                // Only now: what was learnt is safe, however long this takes.
                let report = self.evaluate_at_the_end(trainer, ending, orders)?;
                return Ok(Summary { ending, report });
            }
            let before = trainer.agent.progress.steps;
            let mut iteration = match trainer.iterate() {
                Ok(iteration) => iteration,
                Err(error) => return Err(self.stop(trainer, &mut all, &meta, error)),
            };
            let learnt = Instant::now();
            let now = trainer.agent.progress.steps;
            let crossed = |every: u64| before / every < now / every;
            iteration.checkpoint = self.saved.steps;
            tell(&mut all, &Record::Iteration(&iteration))?;
            meta = describe(trainer, &iteration);
            if trainer.agent.config.evaluation.every.is_some_and(crossed) {
                let report = match trainer.evaluate() {
                    Ok(report) => report,
                    // The iteration is whole: it is saved as it is.
                    Err(error) => {
                        let saved = self.save(trainer, &mut all, &meta, None)?;
                        return Err(RunError::Stopped { error, saved, steps: now });
                    }
                };
                let p = &mut trainer.agent.progress;
                p.evaluated_return = Some(report.return_mean);
                let target = trainer.agent.config.stop.return_reached;
                if p.solved_at_steps.is_none() && target.is_some_and(|t| report.return_mean >= t) {
                    p.solved_at_steps = Some(now);
                }
                let (iteration, steps, report) = (p.iteration, now, &report);
                tell(&mut all, &Record::Evaluation { iteration, steps, report })?;
            }
            let milestone =
                match (&iteration.transition, trainer.agent.config.checkpoint.milestones) {
                    (Some(transition), _) => Some(milestone_name(now, Some(&transition.to))),
                    (None, Some(every)) if crossed(every) => Some(milestone_name(now, None)),
                    _ => None,
                };
            if crossed(trainer.agent.config.checkpoint.every) || milestone.is_some() {
                if milestone.is_some()
                    && let Err(error) = trainer.remember()
                {
                    return Err(self.failed(error));
                }
                self.save(trainer, &mut all, &meta, milestone)?;
            }
            // Evaluations and checkpoints count too: `stop.seconds` is what a clock shows.
            trainer.agent.progress.seconds += learnt.elapsed().as_secs_f64();
        }
    }

    fn ending(&self, trainer: &Trainer, orders: &Orders) -> Option<Ending> {
        let (p, stop) = (&trainer.agent.progress, &trainer.agent.config.stop);
        if p.steps >= stop.steps {
            Some(Ending::Steps)
        } else if p.solved_at_steps.is_some() && stop.return_reached.is_some() {
            Some(Ending::Return)
        } else if stop.seconds.is_some_and(|s| p.seconds >= s) {
            Some(Ending::Seconds)
        } else if orders.pause_at.is_some_and(|steps| p.steps >= steps) {
            Some(Ending::Paused)
        } else if orders.interrupt.load(Ordering::Relaxed) {
            Some(Ending::Interrupted)
        } else {
            None
        }
    }

    pub(super) fn evaluate_at_the_end(
        &self,
        trainer: &mut Trainer,
        ending: Ending,
        orders: &Orders,
    ) -> Result<Option<Report>, RunError> {
        // An interrupted run has had its interrupt; a second one leaves the program at once.
        let interrupt = Some(orders.interrupt).filter(|_| ending != Ending::Interrupted);
        match trainer.evaluate_until(interrupt, orders.evaluating) {
            Ok(report) => Ok(Some(report)),
            Err(TrainError::Interrupted { .. }) => Ok(None),
            Err(error) => {
                let steps = trainer.agent.progress.steps;
                let saved = self.files.checkpoint(steps);
                Err(RunError::Stopped { error, saved, steps })
            }
        }
    }
}

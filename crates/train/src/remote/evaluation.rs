//! Evaluations that are played by workers of their own, while those who play for the learner go on or rest.
//!
//! Which matches are played follows from the question alone, and each part of them is a shard of its own, so the
//! report has the bits that it has on the learner's threads.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use lanista_game::Spec;

use super::answer::{self, Evaluated, EvaluationAnswer};
use super::order::{EVALUATION, EvaluationOrder, Work};
use super::transport::Event;
use super::workers::{Heard, Named, Workers};
use crate::config::RunConfig;
use crate::error::{EvaluateError, RemoteError, TrainError};
use crate::evaluate::{Evaluation, Report, episodes_of, parts, slots_of, summary};
use crate::finished::Finished;
use crate::player::Policies;

/// So often it is seen whether somebody wants to stop.
const GLANCE: Duration = Duration::from_millis(10);

/// What is evaluated, and under which configuration.
pub(crate) struct Asked<'a> {
    pub question: &'a Evaluation<'a>,
    pub policies: Policies<'a>,
    pub config: &'a RunConfig,
    /// The game as policies see it.
    pub spec: &'a Spec,
}

impl Workers {
    /// Plays an evaluation.
    pub(crate) fn examine(&mut self, asked: &Asked) -> Result<Report, TrainError> {
        let question = asked.question;
        let named = self.publish(EVALUATION, asked.policies, &question.guests)?;
        let played = self.play_parts(asked, &named);
        // What is still on its way, because somebody wanted to stop, is of no use to anybody.
        for open in &mut self.open {
            open.retain(|sent| sent.agent != EVALUATION);
        }
        Ok(summary(asked.spec, &played?.concat(), question.weights))
    }

    /// Deals the parts to the workers and waits for all of them: `[parts][matches]`.
    fn play_parts(
        &mut self,
        asked: &Asked,
        named: &Named,
    ) -> Result<Vec<Vec<Finished>>, TrainError> {
        let question = asked.question;
        let count = parts(question.matches);
        let mut missing: Vec<usize> = self
            .team(EVALUATION)
            .filter(|&worker| !self.share(worker, EVALUATION, count).is_empty())
            .collect();
        for &worker in &missing {
            self.send_parts(worker, asked, named)?;
        }
        let mut played: BTreeMap<usize, Vec<Finished>> = BTreeMap::new();
        while !missing.is_empty() {
            let finished = played.values().map(Vec::len).sum();
            if question.interrupt.is_some_and(|interrupt| interrupt.load(Relaxed)) {
                let matches = question.matches;
                return Err(EvaluateError::Interrupted { finished, matches }.into());
            }
            let Some(event) = self.next(EVALUATION, question.interrupt.is_none())? else {
                std::thread::sleep(GLANCE);
                continue;
            };
            let worker = match &event {
                Event::Answer { worker, .. } | Event::Lost { worker, .. } => *worker,
            };
            match self.hear_parts(event, asked)? {
                Answered::Parts(evaluated) => {
                    missing.retain(|other| *other != worker);
                    played.extend(self.share(worker, EVALUATION, count).zip(evaluated.parts));
                    if let (Some(keep), Some(recorded)) = (question.keep, evaluated.kept) {
                        keep(0, *recorded);
                    }
                    if let Some(tell) = question.progress {
                        tell(played.values().map(Vec::len).sum(), question.matches);
                    }
                }
                Answered::Again => self.send_parts(worker, asked, named)?,
                Answered::Nothing => {}
            }
        }
        Ok(played.into_values().collect())
    }

    fn send_parts(
        &mut self,
        worker: usize,
        asked: &Asked,
        named: &Named,
    ) -> Result<(), TrainError> {
        let question = asked.question;
        let own = self.share(worker, EVALUATION, parts(question.matches));
        let work = Work::Evaluation(EvaluationOrder {
            matches: question.matches,
            deterministic: question.deterministic,
            versus: question.versus,
            cast: question.cast.clone(),
            seed: question.seed,
            record: question.keep.is_some(),
            parts: own.collect(),
        });
        self.dispatch(worker, (EVALUATION, 0), asked.config, named, work)
    }

    fn hear_parts(&mut self, event: Event, asked: &Asked) -> Result<Answered, TrainError> {
        let (worker, bytes) = match event {
            Event::Lost { worker, why } => return self.lose_parts(worker, why),
            Event::Answer { worker, bytes } => (worker, bytes),
        };
        let Some(open) = self.open.get_mut(worker) else { return Ok(Answered::Nothing) };
        let (head, rest) = match answer::read_head(&bytes) {
            Ok(read) => read,
            Err(error) => return self.lose_parts(worker, unreadable(&error.0)),
        };
        match open.iter().position(|sent| sent.number == head.number) {
            _ if head.number == 0 => {} // an order that could not even be read
            Some(_) if head.agent != EVALUATION => {
                self.early.push((worker, bytes));
                return Ok(Answered::Nothing);
            }
            Some(at) => drop(open.remove(at)),
            None => return Ok(Answered::Nothing), // of one that was lost before
        }
        let matches = asked.question.matches;
        let slots = slots_of(matches, parts(matches) - 1).end;
        match answer::read_evaluated(rest, asked.spec, slots) {
            Ok(EvaluationAnswer::Evaluated(Ok(evaluated))) => {
                let own = self.share(worker, EVALUATION, parts(matches));
                let expected: Vec<Vec<(u64, usize)>> =
                    own.map(|part| expected(matches, part)).collect();
                let found = |part: &Vec<Finished>| -> Vec<(u64, usize)> {
                    part.iter().map(|f| (f.episode, f.match_index)).collect()
                };
                if evaluated.parts.iter().map(found).ne(expected) {
                    let why = "it answered for other matches than its own".into();
                    return self.lose_parts(worker, why).map(|_| Answered::Again);
                }
                self.answered();
                Ok(Answered::Parts(evaluated))
            }
            Ok(EvaluationAnswer::Evaluated(Err(fault))) => Err(fault.into()),
            Ok(EvaluationAnswer::Forgotten) => {
                let why = "it does not know what it was told before".into();
                self.lose_parts(worker, why).map(|_| Answered::Again)
            }
            Ok(EvaluationAnswer::Failed(problem)) => {
                Err(RemoteError::Worker { worker, problem }.into())
            }
            Err(error) => self.lose_parts(worker, unreadable(&error.0)).map(|_| Answered::Again),
        }
    }

    fn lose_parts(&mut self, worker: usize, why: String) -> Result<Answered, TrainError> {
        Ok(match self.lose(worker, why, EVALUATION)? {
            Heard::Again => Answered::Again,
            Heard::Played(_) | Heard::Nothing => Answered::Nothing,
        })
    }
}

/// What an answer led to.
enum Answered {
    Parts(Evaluated),
    /// It has to be played again.
    Again,
    /// It was about something else.
    Nothing,
}

fn unreadable(why: &str) -> String {
    format!("its answer cannot be read: {why}")
}

/// The matches of a part, by episode and slot.
fn expected(matches: usize, part: usize) -> Vec<(u64, usize)> {
    let own = slots_of(matches, part);
    let all = own.flat_map(|slot| (0..episodes_of(matches, slot)).map(move |e| (e, slot)));
    let mut all: Vec<(u64, usize)> = all.collect();
    all.sort_unstable();
    all
}

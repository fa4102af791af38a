//! How much of a late engine's speed is kept: `cargo run --release -p lanista-train --example late`.
//!
//! An artificial engine answers every question 5 ms after it was asked, any number of them at a time.
//! First it is driven by nobody who thinks; then a policy is trained on it. What counts is the playing:
//! learning takes the same whatever the engine.

use std::error::Error;
use std::time::{Duration, Instant};

use lanista_game::{
    Answer, Batch, Buffers, Control, End, Entry, Fault, Group, Head, Maker, Role, Seat,
    SettingsError, Spec, Term, TermKind,
};
use lanista_train::{RunConfig, Trainer};
use serde_json::{Value, json};

const LATENCY: Duration = Duration::from_millis(5);
const MATCHES: usize = 64;
/// Steps of a match.
const LENGTH: u32 = 100;
/// Steps of each match that are measured.
const STEPS: usize = 400;

struct Artificial {
    spec: Spec,
    /// `[matches]`: when the answer comes, if one is awaited.
    due: Vec<Option<Instant>>,
    steps: Vec<u32>,
    stepping: Vec<bool>,
}

impl Batch for Artificial {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn matches(&self) -> usize {
        self.due.len()
    }

    fn start(&mut self, m: usize, _: u64, _: &[Control], _: &mut Buffers) -> Result<(), Fault> {
        (self.steps[m], self.stepping[m]) = (0, false);
        self.due[m] = Some(Instant::now() + LATENCY);
        Ok(())
    }

    fn submit(&mut self, which: &[usize], _: &[u32], _: &mut Buffers) -> Result<(), Fault> {
        let due = Instant::now() + LATENCY;
        for &m in which {
            self.stepping[m] = true;
            self.due[m] = Some(due);
        }
        Ok(())
    }

    fn waits(&self) -> bool {
        true
    }

    fn collect(
        &mut self,
        patience: Duration,
        buffers: &mut Buffers,
        answers: &mut Vec<Answer>,
    ) -> Result<(), Fault> {
        let Some(first) = self.due.iter().flatten().min().copied() else { return Ok(()) };
        std::thread::sleep(first.saturating_duration_since(Instant::now()).min(patience));
        let now = Instant::now();
        for m in 0..self.due.len() {
            if self.due[m].is_some_and(|due| due <= now) {
                self.due[m] = None;
                if self.stepping[m] {
                    self.steps[m] += 1;
                    *buffers.outcome(m).end = (self.steps[m] == LENGTH).then_some(End::Terminated);
                }
                buffers.view(m).observation.fill(self.steps[m] as f32 / LENGTH as f32);
                answers.push(Answer::Ready(m));
            }
        }
        Ok(())
    }

    fn scripted(&mut self, _: usize, _: usize, _: usize, _: &mut [u32]) -> Result<(), Fault> {
        Ok(())
    }
}

struct Artificials;

impl Maker for Artificials {
    fn spec(&self, _: &Value) -> Result<Spec, SettingsError> {
        let role = Role {
            observation: vec![Group::features((0..64).map(|i| format!("f{i}")))],
            heads: vec![Head::new("move", ["a", "b", "c", "d"])],
            ..Role::default()
        };
        Ok(Spec {
            name: "artificial".into(),
            roles: vec![role],
            seats: vec![Seat::of(0)],
            terms: vec![Term::new(TermKind::Event, "nothing", "0")],
            stats: vec![],
        })
    }

    fn build(&self, settings: &Value, matches: usize) -> Result<Box<dyn Batch>, SettingsError> {
        Ok(Box::new(Artificial {
            spec: self.spec(settings)?,
            due: vec![None; matches],
            steps: vec![0; matches],
            stepping: vec![false; matches],
        }))
    }
}

/// Steps a second of the engine alone: every match goes on as soon as it can.
fn alone(entry: &Entry) -> Result<f64, Box<dyn Error>> {
    let mut batch = entry.build(&Value::Null, MATCHES)?;
    let mut buffers = Buffers::new(batch.spec(), MATCHES);
    let (actions, mut answers, mut steps) = (vec![0; MATCHES], Vec::new(), 0usize);
    for m in 0..MATCHES {
        batch.start(m, 0, &[Control::Outside], &mut buffers)?;
    }
    let began = Instant::now();
    while steps < MATCHES * STEPS {
        batch.collect(LATENCY * 2, &mut buffers, &mut answers)?;
        for answer in answers.drain(..) {
            let Answer::Ready(m) = answer else { continue };
            match buffers.end[m].take() {
                Some(_) => batch.start(m, 0, &[Control::Outside], &mut buffers)?,
                None => {
                    batch.submit(&[m], &actions, &mut buffers)?;
                    steps += 1;
                }
            }
        }
    }
    Ok(steps as f64 / began.elapsed().as_secs_f64())
}

/// Steps a second while a policy plays to learn.
fn trained(entry: &Entry) -> Result<f64, Box<dyn Error>> {
    let mut config = RunConfig { game: entry.name.clone(), ..RunConfig::default() };
    config.rollout.matches = MATCHES;
    config.rollout.horizon = STEPS;
    config.policy.hidden = vec![128, 128];
    config.ppo.minibatch = 4096.0.into();
    config.rewards.insert("nothing".into(), 1.0.into());
    let mut trainer = Trainer::new(entry.clone(), config)?;
    trainer.start()?;
    let iteration = trainer.iterate()?;
    let seconds = iteration.metrics.number("rollout_seconds").unwrap_or(f64::NAN);
    Ok(trainer.progress().steps as f64 / seconds)
}

fn main() -> Result<(), Box<dyn Error>> {
    let entry = Entry::new("artificial", "answers after 5 ms", Vec::new(), Artificials);
    let mut rounds = Vec::new();
    for _ in 0..5 {
        let (alone, trained) = (alone(&entry)?, trained(&entry)?);
        rounds.push((trained / alone, alone, trained));
    }
    rounds.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (kept, alone, trained) = rounds[rounds.len() / 2];
    println!(
        "{}",
        json!({
            "engine_steps_per_second": alone.round(),
            "trained_steps_per_second": trained.round(),
            "kept": (kept * 1000.0).round() / 1000.0,
            "matches": MATCHES,
            "latency_ms": LATENCY.as_millis() as u64,
        })
    );
    Ok(())
}

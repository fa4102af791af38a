//! Matches of an engine in another process, which delays, dies, hangs and answers nonsense.
//!
//! The engine is this very test binary: [`engine`] is what it does when it is started as one.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use lanista_game::{
    Answer, Batch, Buffers, Control, End, Entry, Fault, Head, Maker, Role, Seat, Setting,
    SettingsError, Spec, Term, TermKind, seed,
};
use lanista_train::Trainer;
use serde_json::{Value, json};

use crate::support::config;

/// Steps of a match.
const LENGTH: u32 = 8;

/// What the engine does wrong, as its settings say it.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum Fate {
    Fine,
    /// Answers after up to so many milliseconds, in an order of its own.
    Delays(u64),
    /// Is gone after so many answers.
    Dies(u64),
    /// Is silent after so many answers.
    Hangs(u64),
    /// Says something else after so many answers.
    Babbles(u64),
}

/// The engine: matches in which the number that is seen must be named. Speaks lines, of which those
/// that begin with `@` count: the harness of the tests speaks as well.
#[test]
#[ignore = "the other process of the tests below"]
fn engine() {
    let Ok(fate) = std::env::var("LATE_ENGINE") else { return };
    let fate: Fate = serde_json::from_str(&fate).unwrap();
    let mut matches = std::collections::HashMap::<usize, (u64, u32)>::new();
    let mut answered = 0;
    let (say, hear) = channel::<(Duration, String)>();
    let speaker = std::thread::spawn(move || {
        for (delay, line) in hear {
            std::thread::sleep(delay);
            println!("@{line}");
            let _ = std::io::stdout().flush();
        }
    });
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let numbers: Vec<u64> = line.split(' ').map(|n| n.parse().unwrap()).collect();
        let (m, serial) = (numbers[0] as usize, numbers[1]);
        let mut reward = 0;
        match numbers[2] {
            0 => drop(matches.insert(m, (numbers[3], 0))),
            _ => {
                let (seed, step) = matches.get_mut(&m).unwrap();
                reward = u64::from(numbers[3] == shown(*seed, *step));
                *step += 1;
            }
        }
        let (seed, step) = matches[&m];
        match fate {
            Fate::Dies(after) if answered >= after => std::process::exit(0),
            Fate::Hangs(after) if answered >= after => continue,
            Fate::Babbles(after) if answered >= after => println!("@what do you mean, {m}?"),
            _ => {}
        }
        answered += 1;
        let delay = match fate {
            Fate::Delays(most) => {
                Duration::from_micros(seed::mix(seed, u64::from(step)) % (most * 1000 + 1))
            }
            _ => Duration::ZERO,
        };
        let end = u32::from(step == LENGTH);
        let answer = format!("{m} {serial} {} {reward} {end}", shown(seed, step));
        say.send((delay / 4, answer)).unwrap();
    }
    drop(say);
    speaker.join().unwrap();
}

/// What is to be named.
fn shown(seed: u64, step: u32) -> u64 {
    seed::mix(seed, u64::from(step)) % 3
}

fn spec() -> Spec {
    let role = Role {
        observation: vec![["zero", "one", "two"].into()],
        heads: vec![Head::new("name", ["zero", "one", "two"])],
        ..Role::default()
    };
    Spec {
        name: "late".into(),
        roles: vec![role],
        seats: vec![Seat::of(0)],
        terms: vec![Term::new(TermKind::Event, "right", "1 for the number that is seen")],
        stats: vec![],
    }
}

/// A batch whose matches are played by an engine. One that is lost is replaced.
struct Remote {
    spec: Spec,
    fate: Fate,
    engine: Option<Engine>,
    /// Engines so far: only the first has a bad fate, unless all of them have.
    engines: u64,
    forever: bool,
    /// `[matches]`: which engine plays it, and the question that is open, by its number.
    played_by: Vec<u64>,
    open: Vec<Option<u64>>,
    lost: Vec<(usize, String)>,
    serial: u64,
}

struct Engine {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Engine {
    fn start(fate: Fate) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["late::engine", "--exact", "--ignored", "--nocapture"])
            .env("LATE_ENGINE", serde_json::to_string(&fate).unwrap())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (say, lines) = channel();
        std::thread::spawn(move || {
            let all = BufReader::new(output).lines().map_while(Result::ok);
            let own = all.filter_map(|line| Some(line.split_once('@')?.1.to_owned()));
            for line in own {
                if say.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, input, lines }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Remote {
    fn ask(&mut self, m: usize, question: String) {
        self.serial += 1;
        self.open[m] = Some(self.serial);
        let line = format!("{m} {} {question}\n", self.serial);
        let written = self.engine.as_mut().map(|engine| engine.input.write_all(line.as_bytes()));
        if !matches!(written, Some(Ok(()))) {
            self.give_up("the engine is gone");
        }
    }

    /// Loses every match that the engine plays and owes an answer for.
    fn give_up(&mut self, why: &str) {
        self.engine = None;
        for (m, open) in self.open.iter_mut().enumerate() {
            if open.take().is_some() {
                self.lost.push((m, why.to_owned()));
            }
        }
    }

    fn take(&mut self, line: &str, buffers: &mut Buffers) -> Option<usize> {
        let numbers: Option<Vec<u64>> = line.split(' ').map(|n| n.parse().ok()).collect();
        let numbers = numbers.filter(|n| n.len() == 5 && n[0] < self.open.len() as u64 && n[2] < 3);
        let Some(numbers) = numbers else {
            self.give_up(&format!("the engine says `{line}`"));
            return None;
        };
        let m = numbers[0] as usize;
        if self.open[m] != Some(numbers[1]) {
            return None; // an answer to what nobody asks any more
        }
        self.open[m] = None;
        let outcome = buffers.outcome(m);
        outcome.terms[0] = numbers[3] as f32;
        *outcome.end = (numbers[4] == 1).then_some(End::Terminated);
        let mut view = buffers.view(m);
        let seat = view.seat(0);
        seat.observation.fill(0.0);
        seat.observation[numbers[2] as usize] = 1.0;
        Some(m)
    }
}

impl Batch for Remote {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn matches(&self) -> usize {
        self.open.len()
    }

    fn start(&mut self, m: usize, seed: u64, _: &[Control], _: &mut Buffers) -> Result<(), Fault> {
        if self.engine.is_none() {
            let fate = if self.engines == 0 || self.forever { self.fate } else { Fate::Fine };
            self.engine = Some(Engine::start(fate));
            self.engines += 1;
        }
        self.played_by[m] = self.engines;
        self.ask(m, format!("0 {}", seed >> 1));
        Ok(())
    }

    fn submit(&mut self, which: &[usize], actions: &[u32], _: &mut Buffers) -> Result<(), Fault> {
        for &m in which {
            if self.played_by[m] == self.engines && self.engine.is_some() {
                self.ask(m, format!("1 {}", actions[m]));
            } else {
                self.lost.push((m, "its engine was replaced".into()));
            }
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
        if self.lost.is_empty()
            && let Some(engine) = &self.engine
        {
            match engine.lines.recv_timeout(patience) {
                Ok(line) => answers.extend(self.take(&line, buffers).map(Answer::Ready)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.give_up("the engine died"),
            }
        }
        answers.extend(self.lost.drain(..).map(|(m, why)| Answer::Lost(m, why)));
        Ok(())
    }

    fn abandon(&mut self, m: usize) {
        self.open[m] = None;
        self.engine = None; // it hangs: another one goes on
    }

    fn scripted(&mut self, _: usize, _: usize, _: usize, _: &mut [u32]) -> Result<(), Fault> {
        Ok(())
    }
}

struct Engines;

impl Maker for Engines {
    fn spec(&self, _: &Value) -> Result<Spec, SettingsError> {
        Ok(spec())
    }

    fn build(&self, settings: &Value, matches: usize) -> Result<Box<dyn Batch>, SettingsError> {
        let fate = settings.get("fate").cloned().unwrap_or(json!("fine"));
        Ok(Box::new(Remote {
            spec: spec(),
            fate: serde_json::from_value(fate).unwrap(),
            engine: None,
            engines: 0,
            forever: settings["forever"] == json!(true),
            played_by: vec![0; matches],
            open: vec![None; matches],
            lost: Vec::new(),
            serial: 0,
        }))
    }
}

fn late() -> Entry {
    let setting = |name: &str, default: Value| Setting {
        name: name.into(),
        default,
        about: String::new(),
        machine: false,
    };
    let settings = vec![setting("fate", json!("fine")), setting("forever", json!(false))];
    Entry::new("late", "an engine in another process", settings, Engines)
}

const PRESET: &str = "
game: late
rollout: { matches: 8, horizon: 16, shard: 4 }
policy: { hidden: [16] }
ppo: { learning_rate: 0.01, minibatch: 32 }
rewards: { right: 1 }
evaluation: { matches: 16 }
run: { seed: 3, threads: 2 }
";

fn trainer(settings: Value, changes: &[&str]) -> Trainer {
    let mut config = config(PRESET, changes);
    config.settings = settings;
    let mut trainer = Trainer::new(late(), config).unwrap();
    trainer.start().unwrap();
    trainer
}

#[test]
fn waiting_changes_nothing() {
    let weights = |fate: Fate| {
        let mut trainer = trainer(json!({"fate": fate}), &[]);
        let mut lengths = Vec::new();
        for _ in 0..3 {
            let iteration = trainer.iterate().unwrap();
            assert_eq!(iteration.metrics.number("lost_matches"), Some(0.0));
            lengths.push(iteration.metrics.number("length_mean"));
        }
        assert_eq!(lengths[2], Some(f64::from(LENGTH)), "waiting makes no match longer");
        trainer.agent.learner().policy.params.clone()
    };
    assert_eq!(weights(Fate::Fine), weights(Fate::Delays(8)));
}

#[test]
fn what_an_engine_loses_begins_anew_and_is_counted() {
    for (fate, part) in [
        (Fate::Dies(60), "the engine"),
        (Fate::Babbles(60), "the engine says `what do you mean"),
        (Fate::Hangs(60), "no answer within 0.5 seconds"),
    ] {
        let mut trainer = trainer(json!({"fate": fate}), &["rollout.patience_secs=0.5"]);
        let (mut lost, mut remarks) = (0, Vec::new());
        for _ in 0..6 {
            let iteration = trainer.iterate().unwrap();
            lost += iteration.metrics.number("lost_matches").unwrap() as u64;
            remarks.extend(iteration.remarks);
        }
        // Two engines of four matches each; every match of one is lost with it, and no other.
        assert!((2..=8).contains(&lost), "{fate:?}: {lost}");
        assert!(remarks.iter().any(|r| r.contains(part)), "{fate:?}: {remarks:?}");
        assert!(remarks[0].contains("match ") && remarks[0].contains("began anew"), "{remarks:?}");
        let report = trainer.evaluate().unwrap();
        assert_eq!(report.matches, 16, "the run goes on");
    }
}

#[test]
fn too_many_losses_in_a_row_end_a_run() {
    let fate = json!({"fate": Fate::Dies(0), "forever": true});
    let mut config = config(PRESET, &["rollout.max_lost=6"]);
    config.settings = fate;
    let mut trainer = Trainer::new(late(), config).unwrap();
    let error = trainer.start().unwrap_err().to_string();
    assert!(error.contains("7 matches were lost in a row"), "{error}");
    assert!(error.contains("rollout.max_lost"), "{error}");
}

#[test]
fn a_late_engine_is_learnt_from_and_resumed() {
    let mut trainer = trainer(json!({}), &[]);
    for _ in 0..40 {
        trainer.iterate().unwrap();
    }
    let report = trainer.evaluate().unwrap();
    assert!(report.return_mean > 7.5, "{}", report.return_mean);
}

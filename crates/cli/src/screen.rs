//! What a run shows while it trains: the dashboard, lines, or JSON for programs.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use anyhow::Context;
use lanista_train::Run;
use lanista_train::disk::DiskError;
use lanista_train::metrics::{Iteration, Record, Sink};
use lanista_watch::{Controls, Dashboard, Opponent, PlainLines, Progress, Term};

use crate::args::TrainArgs;

/// Who listens: a person at a terminal, a pipe, or a program that wants JSON.
pub struct Voice {
    json: bool,
    /// Does the dashboard have the screen?
    pub dashboard: bool,
}

impl Voice {
    pub fn new(args: &TrainArgs) -> Self {
        let dashboard = !args.json && !args.plain && std::io::stdout().is_terminal();
        Self { json: args.json, dashboard }
    }

    /// Says a line, without disturbing JSON on standard output.
    pub fn say(&self, line: &str) {
        if self.json {
            let _ = writeln!(std::io::stderr(), "{line}"); // nobody may be listening
        } else {
            say!("{line}");
        }
    }
}

/// The first Ctrl-C ends the run after its iteration, the second at once.
pub fn watch_for_interrupt(controls: &Arc<Controls>) -> anyhow::Result<()> {
    let controls = Arc::clone(controls);
    ctrlc::set_handler(move || {
        if controls.interrupt.swap(true, Ordering::Relaxed) {
            lanista_watch::restore();
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")
}

/// The dashboard, or a line an iteration.
pub struct Screen {
    dashboard: Option<Dashboard>,
    lines: PlainLines,
    json: bool,
    progress: Progress,
    target: Option<f64>,
}

impl Screen {
    pub fn new(voice: &Voice, run: &Run, pause_at: Option<u64>, controls: &Arc<Controls>) -> Self {
        let start = || Dashboard::start(Arc::clone(controls)).ok();
        let dashboard = if voice.dashboard { start() } else { None };
        let config = &run.trainer().config;
        let progress = Progress {
            run: run.title().to_owned(),
            run_dir: run.directory().path().display().to_string(),
            game: config.game.clone(),
            seed: config.run.seed,
            threads: run.trainer().threads(),
            total_steps: Some(config.stop.steps),
            pause_at,
            time_limit_secs: config.stop.seconds,
            return_target: config.stop.return_reached,
            ..Progress::default()
        };
        Self {
            dashboard,
            lines: PlainLines::default(),
            json: voice.json,
            progress,
            target: config.stop.return_reached,
        }
    }

    /// Gives the terminal back, and repeats what would be lost with the dashboard.
    pub fn close(&mut self) {
        if let Some(dashboard) = self.dashboard.take() {
            for warning in dashboard.finish() {
                complain!("{warning}");
            }
        }
        if let Some(line) = self.lines.last() {
            self.print(&line);
        }
    }

    fn update(&mut self, i: &Iteration) {
        let p = &mut self.progress;
        p.iteration = i.iteration;
        p.steps = i.steps;
        p.elapsed_secs = i.time.seconds;
        p.steps_per_second = i.time.steps_per_second;
        p.rollout_secs = i.time.rollout_seconds;
        p.update_secs = i.time.update_seconds;
        p.return_mean = i.return_mean;
        p.return_best = [p.return_best, i.return_mean].into_iter().flatten().reduce(f64::max);
        p.length_mean = i.length_mean;
        p.episodes = i.episodes;
        p.policy_loss = i.losses.policy_loss;
        p.value_loss = i.losses.value_loss;
        p.entropy = i.losses.entropy;
        p.approx_kl = i.losses.approx_kl;
        p.clip_fraction = i.losses.clip_fraction;
        p.explained_variance = i.losses.explained_variance;
        p.learning_rate = i.losses.learning_rate;
        p.grad_norm = i.losses.grad_norm;
        p.checkpoint = i.checkpoint;
        p.dropped_updates = i.dropped_updates;
        if !i.terms.is_empty() {
            p.terms = (i.terms.iter())
                .map(|&(name, weight, mean)| Term { name: name.to_owned(), weight, mean })
                .collect();
        }
        if !i.opponents.is_empty() {
            p.opponents = (i.opponents.iter())
                .map(|(name, share)| Opponent { name: name.clone(), win_share: *share })
                .collect();
        }
        // Nobody but itself: a rating would say nothing.
        p.elo = i.elo.filter(|_| !p.opponents.is_empty());
        p.pool = i.pool;
        p.stage = i.stage.clone();
    }

    fn print(&self, line: &str) {
        // A closed pipe must not end a run: the files have everything.
        let _ = if self.json {
            writeln!(std::io::stderr(), "{line}")
        } else {
            writeln!(std::io::stdout(), "{line}")
        };
    }
}

impl Screen {
    /// A line that stays, whatever the iterations show.
    fn note(&self, line: &str) {
        match &self.dashboard {
            Some(dashboard) => dashboard.note(line),
            None => self.print(line),
        }
    }

    /// A line that something is wrong.
    fn warn(&self, line: &str) {
        match &self.dashboard {
            Some(dashboard) => dashboard.warn(line),
            None => self.print(line),
        }
    }
}

impl Sink for Screen {
    fn record(&mut self, record: &Record) -> Result<(), DiskError> {
        match record {
            Record::Iteration(i) => {
                self.update(i);
                if let Some(dashboard) = &self.dashboard {
                    dashboard.show(&self.progress);
                } else if let Some(line) = self.lines.iteration(&self.progress, Instant::now()) {
                    self.print(&line);
                }
                for note in &i.notes {
                    self.note(note);
                }
                for remark in &i.remarks {
                    self.warn(&format!("warning: {remark}"));
                }
                if let Some(t) = &i.transition {
                    let (from, to, steps, reason) = (&t.from, &t.to, t.steps, &t.reason);
                    self.note(&format!(
                        "stage `{from}` is over at {steps} steps ({reason}): `{to}`"
                    ));
                }
            }
            Record::Remark(remark) => self.note(&format!("warning: {remark}")),
            Record::Evaluation { steps, report, .. } => {
                let target = self.target.map_or(String::new(), |t| format!(" (target {t})"));
                let won = report.results.map_or(String::new(), |r| {
                    format!(", won {:.0} %, lost {:.0} %", 100.0 * r.won, 100.0 * r.lost)
                });
                self.note(&format!(
                    "evaluation at {steps} steps: return {:.2} over {} matches{won}{target}",
                    report.return_mean, report.matches
                ));
            }
        }
        Ok(())
    }
    fn saved(&mut self, steps: u64) {
        self.progress.checkpoint = Some(steps);
        self.note(&format!("saved at {steps} steps"));
    }
}

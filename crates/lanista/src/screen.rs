//! What a run shows while it trains: the dashboard, or lines.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::time::Instant;

use lanista_train::Run;
use lanista_train::disk::DiskError;
use lanista_train::metrics::{Amount, Iteration, Kind, Record, Sink};
use lanista_watch::{Controls, Dashboard, Opponent, PlainLines, Status, Term};

/// Who listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// A person at a terminal.
    Dashboard,
    /// Whoever reads a file or a pipe: a line every few seconds.
    Lines,
    /// A program that wants standard output for itself: the same lines on standard error.
    Aside,
}

impl Voice {
    /// The dashboard if standard output is a terminal, else lines.
    pub fn of_terminal() -> Self {
        if std::io::stdout().is_terminal() { Self::Dashboard } else { Self::Lines }
    }

    /// Says a line, without disturbing what a program reads on standard output.
    pub fn say(self, line: &str) {
        // A closed pipe must not end a run: the files have everything.
        let _ = match self {
            Self::Aside => writeln!(std::io::stderr(), "{line}"),
            _ => writeln!(std::io::stdout(), "{line}"),
        };
    }
}

/// Says a line on standard error, if anyone still reads it.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The dashboard, or a line an iteration.
pub struct Screen {
    dashboard: Option<Dashboard>,
    lines: PlainLines,
    voice: Voice,
    progress: Status,
    target: Option<f64>,
}

impl Screen {
    /// Takes the terminal if the dashboard is to have it. Keys of the dashboard set `controls`.
    pub fn new(voice: Voice, run: &Run, pause_at: Option<u64>, controls: &Arc<Controls>) -> Self {
        let start = || Dashboard::start(Arc::clone(controls)).ok();
        let dashboard = if voice == Voice::Dashboard { start() } else { None };
        let config = run.trainer().config();
        let progress = Status {
            run: run.title().to_owned(),
            run_dir: run.directory().path().display().to_string(),
            game: config.game.clone(),
            seed: config.run.seed,
            threads: run.trainer().threads(),
            total_steps: Some(config.stop.steps),
            pause_at,
            time_limit_secs: config.stop.seconds,
            return_target: config.stop.return_reached,
            ..Status::default()
        };
        Self {
            dashboard,
            lines: PlainLines::default(),
            voice,
            progress,
            target: config.stop.return_reached,
        }
    }

    /// Gives the terminal back, and repeats what would be lost with the dashboard.
    pub fn close(&mut self) {
        if let Some(dashboard) = self.dashboard.take() {
            for warning in dashboard.finish() {
                complain(&warning);
            }
        }
        if let Some(line) = self.lines.last() {
            self.voice.say(&line);
        }
    }

    fn update(&mut self, i: &Iteration) {
        let p = &mut self.progress;
        let (mut terms, mut opponents) = (Vec::new(), Vec::new());
        (p.numbers, p.update) = (Vec::new(), Vec::new());
        for metric in i.metrics.iter() {
            let Some(value) = metric.value.number() else { continue };
            let name = metric.name.clone();
            match metric.kind {
                Kind::Plain | Kind::Time => p.numbers.push((name, value)),
                Kind::Update => p.update.push((name, value)),
                Kind::Term { weight } => terms.push(Term { name, weight, mean: value }),
                Kind::Opponent => opponents.push(Opponent { name, win_share: value }),
                Kind::Stat | Kind::Side | Kind::Role(_) | Kind::Exploiter => {}
            }
        }
        // Until other matches end, the latest stay.
        if !terms.is_empty() {
            p.terms = terms;
        }
        if !opponents.is_empty() {
            p.opponents = opponents;
        }
        // Rounds of labelled decisions make the whole longer.
        if let Amount::Count(total) = i.metrics.get("total_steps") {
            p.total_steps = Some(total);
        }
        let returns = [p.return_best, p.number("return_mean")];
        p.return_best = returns.into_iter().flatten().reduce(f64::max);
        p.checkpoint = i.checkpoint;
        p.stage = i.stage.clone();
    }
}

impl Screen {
    /// A line that stays, whatever the iterations show.
    fn note(&self, line: &str) {
        match &self.dashboard {
            Some(dashboard) => dashboard.note(line),
            None => self.voice.say(line),
        }
    }

    /// A line that something is wrong.
    fn warn(&self, line: &str) {
        match &self.dashboard {
            Some(dashboard) => dashboard.warn(line),
            None => self.voice.say(line),
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
                    self.voice.say(&line);
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
            Record::Note(note) => self.note(note),
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

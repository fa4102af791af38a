//! `lanista train`.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use lanista_train::checkpoint::Continued;
use lanista_train::disk::DiskError;
use lanista_train::layers::Override;
use lanista_train::metrics::{Iteration, Record, Sink};
use lanista_train::run::{Begun, Ending, Orders, RunDirectory, Summary};
use lanista_train::view::Viewer;
use lanista_train::{TrainError, Trainer};
use lanista_watch::{Dashboard, Opponent, Progress, Term, human, plain_line};
use serde_json::json;

use crate::args::TrainArgs;
use crate::catalog;
use crate::choose::{Chosen, choose};
use crate::eval::{self, DEFAULT_FPS};
use crate::limits;
use crate::report;

pub fn run(args: TrainArgs) -> anyhow::Result<()> {
    let chosen = choose(&args, overrides(&args)?)?;
    let (stages, remarks) = catalog::stages(&chosen.source, &chosen.overrides, &chosen.loaded)?;
    for remark in remarks {
        complain!("warning: {remark}");
    }
    let exploiters = catalog::exploiters(&chosen.loaded, &stages, chosen.keeper())?;
    let Chosen { title, loaded, beginning, .. } = chosen;
    let mut trainer = Trainer::staged(loaded.entry, stages)?.with_exploiters(exploiters)?;
    if args.render.is_some() {
        limits::picture(&trainer.entry, &trainer.config.settings, "--render")?;
    }
    // Only now: what cannot train leaves nothing behind.
    let voice = Voice::new(&args);
    let (mut directory, said) = beginning.directory(&title, args.overwrite)?;
    said.iter().for_each(|line| voice.say(line));
    let begun = directory.begin(&mut trainer)?;
    if let Some(address) = args.render {
        let viewer =
            Viewer::new(address, DEFAULT_FPS).context("cannot open a socket for --render")?;
        if !trainer.exhibit(viewer)? {
            complain!("warning: {} has no picture: --render shows nothing", trainer.spec().name);
        }
    }
    announce(&voice, &title, &directory, &trainer, &begun);

    let interrupt = Arc::new(AtomicBool::new(false));
    watch_for_interrupt(&interrupt)?;
    let mut screen = Screen::new(&voice, &title, &directory, &trainer)?;
    let matches = eval::Progress::new("evaluating".to_owned());
    let evaluating = |done, of| {
        // The dashboard has the screen until it is closed.
        if !voice.dashboard {
            matches.tell(done, of);
        }
    };
    let orders =
        Orders { interrupt: &interrupt, pause_at: args.until, evaluating: Some(&evaluating) };
    let result = directory.train(&mut trainer, &mut [&mut screen], &orders);
    screen.close();
    let summary = result?;
    if args.json {
        say!("{}", result_json(&title, &trainer, &summary, directory.path()));
    } else {
        conclude(&title, &trainer, &summary, directory.path(), &interrupt);
    }
    Ok(())
}

/// Every flag that overrides a key of the preset.
fn overrides(args: &TrainArgs) -> anyhow::Result<Vec<Override>> {
    let mut overrides: Vec<Override> =
        args.overrides.set.iter().chain(&args.overrides.reward).cloned().collect();
    let mut flag = |key: &str, value: Option<String>| -> anyhow::Result<()> {
        if let Some(value) = value {
            overrides.push(Override::set(&format!("{key}={value}"))?);
        }
        Ok(())
    };
    flag("run.seed", args.seed.map(|v| v.to_string()))?;
    flag("stop.steps", args.steps.map(|v| v.to_string()))?;
    flag("run.threads", args.threads.map(|v| v.to_string()))?;
    Ok(overrides)
}

/// Who listens: a person at a terminal, a pipe, or a program that wants JSON.
struct Voice {
    json: bool,
    dashboard: bool,
}

impl Voice {
    fn new(args: &TrainArgs) -> Self {
        let dashboard = !args.json && !args.plain && std::io::stdout().is_terminal();
        Self { json: args.json, dashboard }
    }

    /// Says a line, without disturbing JSON on standard output.
    fn say(&self, line: &str) {
        if self.json {
            let _ = writeln!(std::io::stderr(), "{line}"); // nobody may be listening
        } else {
            say!("{line}");
        }
    }
}

fn announce(
    voice: &Voice,
    title: &str,
    directory: &RunDirectory,
    trainer: &Trainer,
    begun: &Begun,
) {
    for problem in &begun.passed_over {
        let warning = format!("warning: {problem}; using the checkpoint before it");
        let _ = writeln!(std::io::stderr(), "{warning}");
    }
    let place = directory.path().display();
    let what = match begun.resumed_at {
        Some(steps) => format!("resuming {title} at {steps} steps"),
        None => format!("training {title}"),
    };
    let parameters = trainer.learner.policy.layout().len();
    voice.say(&format!(
        "{what} on {} threads, {} parameters, seed {}, in {place}",
        trainer.threads(),
        human::count(parameters as u64),
        trainer.config.run.seed
    ));
    for note in trainer.shards.first().map(|s| s.notes()).unwrap_or_default() {
        voice.say(&note);
    }
    for exploiter in &begun.exploiters_anew {
        voice.say(exploiter);
    }
    for change in &begun.changes {
        voice.say(&format!("changed since it was saved: {change}"));
    }
    for milestone in &begun.missing_milestones {
        complain!("warning: {place}/milestones/{milestone} was made by this run and is gone");
    }
    if begun.continued == Continued::Anew {
        voice.say(
            "the matches start anew: they were not recorded, or the game's settings, the number of \
             matches or the seed have changed",
        );
    }
}

/// The first Ctrl-C ends the run after its iteration, the second at once.
fn watch_for_interrupt(interrupt: &Arc<AtomicBool>) -> anyhow::Result<()> {
    let flag = Arc::clone(interrupt);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            lanista_watch::restore();
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")
}

/// The dashboard, or a line an iteration.
struct Screen {
    dashboard: Option<Dashboard>,
    json: bool,
    progress: Progress,
    target: Option<f64>,
}

impl Screen {
    fn new(
        voice: &Voice,
        title: &str,
        directory: &RunDirectory,
        trainer: &Trainer,
    ) -> anyhow::Result<Self> {
        let dashboard = if voice.dashboard { Dashboard::start().ok() } else { None };
        let config = &trainer.config;
        let progress = Progress {
            run: title.to_owned(),
            run_dir: directory.path().display().to_string(),
            game: config.game.clone(),
            seed: config.run.seed,
            threads: trainer.threads(),
            total_steps: Some(config.stop.steps),
            time_limit_secs: config.stop.seconds,
            return_target: config.stop.return_reached,
            ..Progress::default()
        };
        let target = config.stop.return_reached;
        Ok(Self { dashboard, json: voice.json, progress, target })
    }

    fn close(&mut self) {
        if let Some(dashboard) = self.dashboard.take() {
            let _ = dashboard.finish(); // the terminal is gone: nothing left to tell it
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
    fn note(&mut self, line: &str) {
        match &mut self.dashboard {
            Some(dashboard) => drop(dashboard.note(line)),
            None => self.print(line),
        }
    }
}

impl Sink for Screen {
    fn record(&mut self, record: &Record) -> Result<(), DiskError> {
        match record {
            Record::Iteration(i) => {
                self.update(i);
                let p = &self.progress;
                match &mut self.dashboard {
                    // A terminal that went away must not end a run either.
                    Some(dashboard) => drop(dashboard.show(p)),
                    None => self.print(&plain_line(p)),
                }
                for note in &i.notes {
                    self.note(note);
                }
                for remark in &i.remarks {
                    self.note(&format!("warning: {remark}"));
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
}

fn result_json(
    title: &str,
    trainer: &Trainer,
    summary: &Summary,
    directory: &Path,
) -> serde_json::Value {
    let p = &trainer.progress;
    json!({
        "preset": title,
        "seed": trainer.config.run.seed,
        "steps": p.steps,
        "solved_at_steps": p.solved_at_steps,
        "seconds": p.seconds,
        "return_mean": summary.report.as_ref().map(|report| report.return_mean),
        "evaluation": summary.report,
        "ended": ending(summary.ending),
        "run_dir": directory,
    })
}

fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Steps => "steps",
        Ending::Seconds => "seconds",
        Ending::Return => "return",
        Ending::Paused => "paused",
        Ending::Interrupted => "interrupted",
    }
}

fn conclude(
    title: &str,
    trainer: &Trainer,
    summary: &Summary,
    directory: &Path,
    interrupt: &AtomicBool,
) {
    let p = &trainer.progress;
    let why = match summary.ending {
        Ending::Steps => "all steps are done".to_owned(),
        Ending::Seconds => "the time is up".to_owned(),
        Ending::Return => {
            let target = trainer.config.stop.return_reached.unwrap_or_default();
            format!("an evaluation reached {target}")
        }
        Ending::Paused => "paused as asked".to_owned(),
        Ending::Interrupted => "interrupted".to_owned(),
    };
    say!(
        "\n{title}: {why} after {} steps, {} matches and {}",
        p.steps,
        p.episodes,
        human::duration(p.seconds)
    );
    if let Some(report) = &summary.report {
        // Whoever interrupts a run does not wait for more matches.
        if !interrupt.load(Ordering::Relaxed) {
            match trainer.compare(report, Some(interrupt)) {
                Ok(comparison) => say!("{}", report::learnt(report, &comparison, &trainer.config)),
                Err(TrainError::Interrupted { .. }) => {}
                Err(error) => complain!("warning: cannot tell whether it learnt: {error}"),
            }
        }
        let e = &trainer.config.evaluation;
        let how = if e.deterministic { "most likely" } else { "sampled" };
        let versus =
            if report.results.is_some() { format!(", against {}", e.vs) } else { String::new() };
        say!("Evaluation, {} matches, {how} actions{versus}:", report.matches);
        let weights = trainer.config.reward_weights(trainer.spec(), trainer.share_done());
        let elo = report::elo_difference(report).filter(|_| e.vs != "self");
        report::print(report, &weights, elo, false);
    }
    let dir = directory.display();
    say!("The run is in {dir}. Next:");
    // The program as it was called: a newcomer has no `lanista` on the path yet.
    let program = std::env::args().next().unwrap_or_else(|| "lanista".into());
    let resume = format!("{program} train --resume {dir}");
    let more = p.steps * 2;
    let on = match summary.ending {
        Ending::Interrupted | Ending::Paused => (resume, "goes on exactly where it stopped"),
        Ending::Steps => (format!("{resume} --steps {more}"), "trains it further"),
        // What ended it would end it again at once.
        Ending::Return => {
            (format!("{resume} --steps {more} --set stop.return=null"), "trains it further")
        }
        Ending::Seconds => {
            (format!("{resume} --steps {more} --set stop.seconds=null"), "trains it further")
        }
    };
    let next = [
        on,
        (format!("{program} eval {dir} --matches 100"), "plays it again"),
        (format!("tensorboard --logdir {dir}"), "shows its curves"),
    ];
    let width = next.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
    for (command, what) in next {
        say!("  {command:width$}   {what}");
    }
}

//! `lanista train`.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};
use lanista::{Controls, Show, Voice};
use lanista_train::files::{RUNS, RunFiles};
use lanista_train::run::{Ending, Run, Summary};
use lanista_train::view::Viewer;
use lanista_train::{Plan, TrainError, Trainer};
use lanista_watch::human;
use serde_json::json;

use crate::args::TrainArgs;
use crate::choose::{Beginning, Chosen, choose};
use crate::dry_run::DryRun;
use crate::eval::DEFAULT_FPS;
use crate::limits;
use crate::quote::{quoted, quoted_word};
use crate::ray;
use crate::report;

pub fn run(args: TrainArgs) -> anyhow::Result<()> {
    let Chosen { title, plan, beginning } = choose(&args, args.all_overrides()?)?;
    refuse_clone(&title, &plan, &beginning)?;
    if args.ray.is_some() {
        return ray::train(&args, &title, &beginning);
    }
    plan.remarks.iter().for_each(|remark| complain!("warning: {remark}"));
    if args.dry_run {
        let place = beginning.place(&title);
        return DryRun { title: &title, place: &place, plan: &plan }.show(args.json);
    }
    let trainer = plan.trainer()?;
    if args.render.is_some() {
        limits::picture(&trainer.entry, &trainer.config().settings, "--render")?;
    }
    let voice = match (args.json, args.plain) {
        (true, _) => Voice::Aside,
        (false, true) => Voice::Lines,
        (false, false) => Voice::of_terminal(),
    };
    // Only now: what cannot train leaves nothing behind.
    let (directory, said) = beginning.directory(&title)?;
    said.iter().for_each(|line| voice.say(line));
    let mut run = Run::begin(&title, trainer, directory)?;
    let controls = Arc::new(Controls::new(args.render.is_some()));
    if let Some(address) = args.render {
        let viewer =
            Viewer::new(address, DEFAULT_FPS).context("cannot open a socket for --render")?;
        run.exhibit(viewer)?;
    }
    let show = Show { voice, pause_at: args.until, controls };
    let summary = show.train(&mut run)?;
    if args.json {
        say!("{}", result_json(&run, &summary));
    } else {
        conclude(&run, &summary, &show.controls.interrupt);
    }
    Ok(())
}

/// Refuses a preset of another command, or a run of it.
pub fn refuse_clone(title: &str, plan: &Plan, beginning: &Beginning) -> anyhow::Result<()> {
    if !plan.config.clone.is_given() {
        return Ok(());
    }
    match beginning {
        Beginning::In(run) if RunFiles::of(run).checkpoints().is_dir() => {
            let run = quoted(run);
            bail!(
                "{title} clones recorded decisions: `lanista clone --resume {run}` goes on with that, and `lanista \
                 train PRESET --from {run}` trains what came of it"
            )
        }
        _ => bail!(
            "{title} clones recorded decisions: `lanista clone {title}` does that, and `lanista train PRESET --from RUN` \
             trains what came of it"
        ),
    }
}

/// The flags with which `eval` plays as the run is evaluated.
fn as_evaluated(trainer: &Trainer) -> String {
    let e = &trainer.config().evaluation;
    let sampled = if e.deterministic { "" } else { " --sampled" };
    let versus = if e.vs == "self" { String::new() } else { format!(" --vs {}", e.vs) };
    format!("{sampled}{versus}")
}

fn result_json(run: &Run, summary: &Summary) -> serde_json::Value {
    let trainer = run.trainer();
    let p = trainer.progress();
    json!({
        "preset": run.title(),
        "seed": trainer.config().run.seed,
        "steps": p.steps,
        "solved_at_steps": p.solved_at_steps,
        "seconds": p.seconds,
        "return_mean": summary.report.as_ref().map(|report| report.return_mean),
        "evaluation": summary.report,
        "ended": ending(summary.ending),
        "run_dir": run.directory().path(),
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

fn conclude(run: &Run, summary: &Summary, interrupt: &AtomicBool) {
    let (title, trainer) = (run.title(), run.trainer());
    let p = trainer.progress();
    let why = match summary.ending {
        Ending::Steps => "all steps are done".to_owned(),
        Ending::Seconds => "the time is up".to_owned(),
        Ending::Return => {
            let target = trainer.config().stop.return_reached.unwrap_or_default();
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
                Ok(comparison) => say!("{}", report::learnt(report, &comparison, trainer.config())),
                Err(TrainError::Interrupted { .. }) => {}
                Err(error) => complain!("warning: cannot tell whether it learnt: {error}"),
            }
        }
        let e = &trainer.config().evaluation;
        let how = if e.deterministic { "most likely" } else { "sampled" };
        let versus =
            if report.results.is_some() { format!(", against {}", e.vs) } else { String::new() };
        say!("Evaluation, {} matches, {how} actions{versus}:", report.matches);
        let first = trainer.agent.learnt().next().map_or(0, |(role, _)| role);
        let weights = &trainer.weights()[first];
        let elo = report::elo_difference(report).filter(|_| e.vs != "self");
        report::print(report, weights, elo, false);
    }
    let dir = quoted(run.directory().path());
    say!("The run is in {dir}. Next:");
    // The program as it was called: a newcomer has no `lanista` on the path yet.
    let program = quoted_word(&std::env::args().next().unwrap_or_else(|| "lanista".into()));
    let resume = format!("{program} train --resume {dir}");
    // Above the budget too: a run that reached its target early would otherwise end at once.
    let more = p.steps.max(trainer.config().stop.steps).saturating_mul(2);
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
    // Without a place it shows the runs that are where runs are made.
    let usual = run.directory().path().parent() == Some(Path::new(RUNS));
    let places = if usual { String::new() } else { format!(" {dir}") };
    let next = [
        on,
        (format!("{program} eval {dir} --matches 100{}", as_evaluated(trainer)), "plays it again"),
        (format!("{program} watch{places}"), "shows curves and matches in the browser"),
        (format!("tensorboard --logdir {dir}"), "shows its curves, too"),
    ];
    let width = next.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
    for (command, what) in next {
        say!("  {command:width$}   {what}");
    }
}

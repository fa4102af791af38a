//! `lanista train`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anyhow::{Context, bail};
use lanista_train::checkpoint::Continued;
use lanista_train::layers::Override;
use lanista_train::run::{Begun, Ending, Orders, RunDirectory, Summary};
use lanista_train::view::Viewer;
use lanista_train::{RunConfig, Trainer};
use lanista_watch::{Controls, human};
use serde_json::json;

use crate::args::TrainArgs;
use crate::catalog::{self, DEFAULT_PRESET};
use crate::dry_run::Plan;
use crate::eval::print_report;
use crate::quote::{quoted, quoted_word};
use crate::resume;
use crate::screen::{Screen, Voice, watch_for_interrupt};

pub fn run(args: TrainArgs) -> anyhow::Result<()> {
    let Chosen { title, source, overrides, mut loaded, milestone } = load(&args)?;
    let place = place(&loaded.config, &title)?;
    loaded.config.run.dir = Some(place.clone());
    let (stages, remarks) = catalog::stages(&source, &overrides, &loaded)?;
    for remark in remarks {
        complain!("warning: {remark}");
    }
    // A run that goes on by its own configuration has also kept what its exploiters train with.
    let kept = Path::new(&source) == place.join("config.yml")
        && !overrides.iter().any(|o| o.sets("exploiters"));
    let exploiters = catalog::exploiters(&loaded, &stages, kept.then_some(place.as_path()))?;
    if args.dry_run {
        let plan = Plan { title: &title, place: &place, loaded: &loaded, exploiters: &exploiters };
        return plan.show(args.json);
    }
    let mut trainer = Trainer::staged(loaded.entry, stages)?.with_exploiters(exploiters)?;
    // Only now: what cannot train leaves nothing behind.
    let directory = RunDirectory::open(&place)?;
    if let Some(milestone) = milestone {
        directory.roll_back(&milestone)?;
    }
    if let Some(address) = args.render {
        let viewer = Viewer::new(address, 15.0).context("cannot open a socket for --render")?;
        trainer.viewer = Some(Mutex::new(viewer));
    }
    let begun = directory.begin(&mut trainer)?;
    let voice = Voice::new(&args);
    announce(&voice, &title, &directory, &trainer, &begun);

    let controls = Arc::new(Controls::new(args.render.is_some()));
    watch_for_interrupt(&controls)?;
    let mut screen = Screen::new(&voice, &title, directory.path(), &trainer, args.until, &controls);
    let orders = Orders {
        interrupt: &controls.interrupt,
        pause_at: args.until,
        save: Some(&controls.save),
        wait: Some(&controls.pause),
    };
    let result = directory.train(&mut trainer, &mut [&mut screen], &orders);
    let first = screen.first_return;
    screen.close();
    let summary = result?;
    if args.json {
        say!("{}", result_json(&title, &trainer, &summary, directory.path()));
    } else {
        conclude(&title, &trainer, &summary, first, directory.path());
    }
    Ok(())
}

/// What is to be trained.
struct Chosen {
    title: String,
    /// The preset by name, or the file it was read from.
    source: String,
    overrides: Vec<Override>,
    loaded: catalog::Loaded,
    /// The milestone to go back to first.
    milestone: Option<PathBuf>,
}

/// The preset, or the configuration of the run to resume, with the flags on top. In this order: the
/// run or milestone that was named, a milestone picked from a list, the newest run of the preset
/// that fits, a new run.
fn load(args: &TrainArgs) -> anyhow::Result<Chosen> {
    let overrides = args.all_overrides()?;
    let name = args.preset.as_deref().unwrap_or(DEFAULT_PRESET);
    let named = args.resume.clone().flatten();
    let picked = match (&named, args.pick) {
        (None, true) => Some(resume::pick(&run_name(name))?),
        _ => None,
    };
    let place = match named.or(picked) {
        Some(path) => Some(path),
        None if args.resume.is_some() => {
            let preset = catalog::load(name, &overrides)?;
            resume::newest(&run_name(name), &preset)?
        }
        None => None,
    };
    let Some(place) = place else {
        let loaded = catalog::load(name, &overrides)?;
        let (title, source) = (name.to_owned(), name.to_owned());
        return Ok(Chosen { title, source, overrides, loaded, milestone: None });
    };
    let (run, milestone) = resume::run_of(&place);
    let recorded = run.join("config.yml");
    if !recorded.is_file() {
        bail!("{} is no run: it has no config.yml. `ls runs` shows yours", place.display());
    }
    // A preset named beside --resume PATH changes the run's settings; the shapes must still agree.
    let source = match &args.preset {
        Some(preset) if args.resume.as_ref().is_some_and(Option::is_some) => preset.clone(),
        _ => recorded.display().to_string(),
    };
    let mut loaded = catalog::load(&source, &overrides)?;
    loaded.config.run.dir = Some(run.clone());
    let title = run.file_name().map_or_else(|| name.to_owned(), |n| n.to_string_lossy().into());
    Ok(Chosen { title, source, overrides, loaded, milestone })
}

/// `classic/cartpole` and `some/where/mine.yml` as names of directories.
fn run_name(preset: &str) -> String {
    let preset = preset.strip_prefix("presets/").unwrap_or(preset);
    let preset = preset.trim_end_matches(".yaml").trim_end_matches(".yml");
    let name: Vec<&str> =
        preset.split(['/', '\\']).filter(|p| !["", ".", ".."].contains(p)).collect();
    name.join("-")
}

/// The run's directory: the one configured, or a fresh one under `runs/`.
fn place(config: &RunConfig, title: &str) -> anyhow::Result<PathBuf> {
    if let Some(dir) = &config.run.dir {
        return Ok(dir.clone());
    }
    let name = run_name(title);
    let fresh = (1..).map(|n| match n {
        1 => Path::new("runs").join(&name),
        n => Path::new("runs").join(format!("{name}-{n}")),
    });
    fresh.into_iter().find(|p| !p.exists()).context("no free name under runs/")
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
    if begun.continued == Continued::Anew {
        voice.say(
            "the matches start anew: they were not recorded, or the game's settings, the number of \
             matches or the seed have changed",
        );
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
        "return_mean": summary.report.return_mean,
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
    first_return: Option<f64>,
    directory: &Path,
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
    let report = &summary.report;
    if let Some(first) = first_return {
        say!("It learnt: return {first:.2} in its first matches, {:.2} now.", report.return_mean);
    }
    let e = &trainer.config.evaluation;
    let how = if e.deterministic { "most likely" } else { "sampled" };
    let versus =
        if report.results.is_some() { format!(", against {}", e.vs) } else { String::new() };
    say!("Evaluation, {} matches, {how} actions{versus}:", report.matches);
    print_report(report);
    let dir = quoted(directory);
    say!("The run is in {dir}. Next:");
    // The program as it was called: a newcomer has no `lanista` on the path yet.
    let program = quoted_word(&std::env::args().next().unwrap_or_else(|| "lanista".into()));
    let resume = format!("{program} train --resume {dir}");
    // Above the budget too: a run that reached its target early would otherwise end at once.
    let more = p.steps.max(trainer.config.stop.steps).saturating_mul(2);
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

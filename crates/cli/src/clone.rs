//! `lanista clone`.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use lanista::{Controls, ProgressLine, Show, Voice};
use lanista_train::RunConfig;
use lanista_train::files::RUNS;
use lanista_train::model::metadata;
use lanista_train::preset::run_name;
use lanista_train::run::{Ending, Expert, Run, RunDirectory, Summary};
use lanista_watch::human;
use serde_json::{Value, json};

use crate::args::CloneArgs;
use crate::catalog;
use crate::eval::{model_path, read_model};
use crate::quote::{quoted, quoted_word};
use crate::report;
use crate::resume;

pub fn run(args: CloneArgs) -> anyhow::Result<()> {
    let overrides = args.all_overrides()?;
    // Before a preset is named beside it: what is no run is not begun there by mistake.
    let recorded = args.resume.as_ref().map(|run| resume::configuration(run, None)).transpose()?;
    let source = match (&args.preset, &recorded) {
        (Some(preset), _) => preset.clone(),
        (None, Some(config)) => config.display().to_string(),
        (None, None) => bail!(
            "name a preset that clones, such as nh/clone-greedy, or any preset with --data DIR; \
             `lanista games` lists presets"
        ),
    };
    let mut preset = catalog::load(&source, &overrides)?;
    if !preset.config.clone.is_given() {
        bail!(
            "{source} says nothing about what to clone: name a dataset with --data DIR (`lanista data make` and \
             `lanista data play` make one) or somebody who labels with --expert bot:NAME"
        );
    }
    let own = preset.take_dir();
    let config = preset.config.clone();
    let (player, expert) = (player(&config)?, expert(&config)?);
    let trainer = preset.plan_without_stages()?.trainer()?;
    let voice = match (args.json, args.plain) {
        (true, _) => Voice::Aside,
        (false, true) => Voice::Lines,
        (false, false) => Voice::of_terminal(),
    };
    let title = match (&args.resume, &args.preset) {
        (Some(run), _) => run.file_name().map_or(source.clone(), |n| n.to_string_lossy().into()),
        (None, _) => source.clone(),
    };
    let directory = match args.resume.as_ref().or(own.as_ref()) {
        Some(path) => RunDirectory::open(path)?,
        None => RunDirectory::claim(Path::new(RUNS), &run_name(&source))?,
    };
    let playing = ProgressLine::new("playing what is to be cloned".into());
    let mut tell = |done: usize, of: usize| playing.tell(done, of);
    let mut run = Run::begin_clone(&title, trainer, directory, player, expert, &mut tell)?;
    drop(playing);
    let show = Show { voice, pause_at: args.until, controls: Arc::new(Controls::new(false)) };
    let summary = show.train(&mut run)?;
    match args.json {
        true => say!("{}", result(&run, &summary)),
        false => conclude(&run, &summary),
    }
    Ok(())
}

fn player(config: &RunConfig) -> anyhow::Result<Option<Expert>> {
    match &config.clone.play {
        Some(play) if config.clone.data.is_empty() => {
            teacher("clone.play.by", &play.by, &config.game).map(Some)
        }
        _ => Ok(None),
    }
}

fn expert(config: &RunConfig) -> anyhow::Result<Option<Expert>> {
    let asked = config.clone.expert.as_deref();
    asked.map(|name| teacher("clone.expert", name, &config.game)).transpose()
}

/// Somebody who plays or labels this game, named under a key.
fn teacher(key: &str, name: &str, game: &str) -> anyhow::Result<Expert> {
    if !name.starts_with("bot:") {
        let path = model_path(Path::new(name)).with_context(|| format!("{key}: {name}"))?;
        let theirs = metadata(&path).with_context(|| format!("{key}: {name}"))?.game;
        if theirs != game {
            bail!("{key}: {name} plays {theirs}, not {game}");
        }
    }
    who(name).with_context(|| format!("{key}: {name}"))
}

/// Somebody who plays or labels: `bot:NAME`, a run or a model.zip.
pub fn who(name: &str) -> anyhow::Result<Expert> {
    if let Some(bot) = name.strip_prefix("bot:") {
        return Ok(Expert::Bot(bot.to_owned()));
    }
    let model = read_model(Path::new(name), &[])?;
    Ok(Expert::Model {
        roster: model.roster,
        stack: model.metadata.stack,
        settings: model.settings,
        name: name.to_owned(),
    })
}

fn result(run: &Run, summary: &Summary) -> Value {
    let trainer = run.trainer();
    let cloning = run.cloning();
    let role = cloning.map(|cloning| &trainer.spec().roles[cloning.role]);
    let told = cloning.and_then(|cloning| cloning.told.as_ref());
    json!({
        "preset": run.title(),
        "seed": trainer.config().run.seed,
        "decisions": trainer.progress().steps,
        "seconds": trainer.progress().seconds,
        "held_out": told.zip(role).map(|(told, role)| told.to_json(role)),
        "skipped_blocks": cloning.map(|cloning| &cloning.skipped),
        "evaluation": summary.report,
        "ended": match summary.ending {
            Ending::Interrupted => "interrupted",
            Ending::Paused => "paused",
            Ending::Seconds => "seconds",
            _ => "done",
        },
        "run_dir": run.directory().path(),
    })
}

fn conclude(run: &Run, summary: &Summary) {
    let (trainer, p) = (run.trainer(), run.trainer().progress());
    let why = match summary.ending {
        Ending::Interrupted => "interrupted",
        Ending::Paused => "paused as asked",
        Ending::Seconds => "the time is up",
        _ => "cloned",
    };
    let (title, time) = (run.title(), human::duration(p.seconds));
    say!("\n{title}: {why} after {} decisions and {time}", p.steps);
    if let Some(cloning) = run.cloning()
        && !cloning.skipped.is_empty()
    {
        say!("Left out because they are damaged, {} blocks:", cloning.skipped.len());
        cloning.skipped.iter().for_each(|(place, why)| say!("  {place}: {why}"));
    }
    if let Some(cloning) = run.cloning()
        && let Some(told) = &cloning.told
    {
        let role = &trainer.spec().roles[cloning.role];
        say!(
            "Held out, {} decisions: a decision costs {:.4} nats in the mean",
            told.fitted.rows,
            told.fitted.nll
        );
        let width = role.heads.iter().map(|head| head.name.len()).max().unwrap_or(0);
        for (head, fit) in role.heads.iter().zip(&told.fitted.heads) {
            let (name, actions) = (&head.name, head.actions.len());
            match fit.decisions > 0.0 {
                true => say!(
                    "  {name:width$}  {:5.1} % told, perplexity {:.2} of {actions}, {} choices",
                    100.0 * fit.accuracy,
                    fit.perplexity(),
                    fit.decisions
                ),
                false => say!("  {name:width$}  no choice is known"),
            }
        }
        let mistakes = told.mistakes(role, 5);
        if !mistakes.is_empty() {
            say!("Commonest mistakes:");
        }
        for (count, head, chosen, told) in mistakes {
            say!("  {count:>6} times {head}: {told} instead of {chosen}");
        }
    }
    if let Some(report) = &summary.report {
        let e = &trainer.config().evaluation;
        let how = if e.deterministic { "most likely" } else { "sampled" };
        let versus =
            if report.results.is_some() { format!(", against {}", e.vs) } else { String::new() };
        say!("Evaluation, {} matches, {how} actions{versus}:", report.matches);
        let role = run.cloning().map_or(0, |cloning| cloning.role);
        let elo = report::elo_difference(report).filter(|_| e.vs != "self");
        report::print(report, &trainer.weights()[role], elo, false);
    }
    let dir = quoted(run.directory().path());
    let program = quoted_word(&std::env::args().next().unwrap_or_else(|| "lanista".into()));
    say!("The run is in {dir}. Next:");
    if matches!(summary.ending, Ending::Interrupted | Ending::Paused | Ending::Seconds) {
        say!("  {program} clone --resume {dir}   goes on exactly where it stopped");
    }
    say!("  {program} eval {dir} --matches 100   plays it");
    say!("  {program} train PRESET --from {dir}   trains it further");
}

//! `lanista eval`.

mod playable;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use anyhow::{Context, bail};
use lanista::ProgressLine;
use lanista_train::evaluate::{Evaluation, Report, evaluate};
use lanista_train::files::RunFiles;
use lanista_train::player::{Player, parse_player};
use lanista_train::preset::nobody_to_meet;
use lanista_train::seating::Guests;
use lanista_train::settings::Change;
use lanista_train::shard::{Patience, Recorded};
use lanista_train::trainer::cores;
use lanista_train::view::{Recorder, Viewer};
use lanista_train::{memory, model};
use serde_json::json;

use crate::args::EvalArgs;
use crate::limits;
use crate::report::{self, elo_difference};

pub use playable::{Playable, model_path, read_model};

/// Frames a second that a viewer is shown of a game without a clock.
pub const DEFAULT_FPS: f64 = 15.0;

/// An opponent of an evaluation.
pub struct Rival {
    pub player: Player,
    pub guests: Arc<Guests>,
}

/// Reads `self`, `bot:NAME`, or a model of the same game.
pub fn read_rival(name: &str, model: &Playable) -> anyhow::Result<Rival> {
    let problem = match parse_player(name, &model.spec) {
        Ok(player) => return Ok(Rival { player, guests: Arc::default() }),
        Err(problem) => problem,
    };
    if name.starts_with("bot:") || !Path::new(name).exists() {
        bail!("--vs: {problem}; or name a run or a {}", RunFiles::MODEL);
    }
    let path = model_path(Path::new(name))?;
    let other = model::metadata(&path)?;
    if other.game != model.metadata.game {
        let (theirs, ours) = (other.game, &model.metadata.game);
        bail!("--vs {name}: it plays {theirs}, not {ours}; name a model of {ours}");
    }
    if other.stack != model.metadata.stack {
        bail!("--vs {name}: it sees other frames of the game (observation.stack)");
    }
    let (roster, _) = model::load(&path, &model.spec)?;
    let policies = [(0, Arc::new(roster))].into_iter().collect();
    let guests = Arc::new(Guests { policies, past: Vec::new() });
    Ok(Rival { player: Player::Frozen(0), guests })
}

pub fn run(args: EvalArgs) -> anyhow::Result<()> {
    let mut model = read_model(&args.run, &args.set)?;
    args.role.iter().try_for_each(|wish| model.recast(wish))?;
    let model = model;
    let (spec, metadata) = (&model.spec, &model.metadata);
    let rivals: Vec<Rival> =
        args.vs.iter().map(|name| read_rival(name, &model)).collect::<Result<_, _>>()?;
    if let Some(vs) = args.vs.iter().find(|vs| *vs != "self")
        && let Some(why) = nobody_to_meet(&model.entry, &model.settings, spec)
    {
        let remedy = if spec.teams() > 1 { "fill it by --set, or leave" } else { "leave" };
        bail!("--vs {vs}: {why}; {remedy} --vs out");
    }
    if args.render.is_some() {
        limits::picture(&model.entry, &model.settings, "--render")?;
    }
    model.remarks.iter().for_each(|remark| complain!("warning: {remark}"));
    if let Some(directory) = &args.record {
        limits::unused(directory)?;
    }
    let threads = args.threads.unwrap_or_else(cores);
    let rows = memory::estimate_evaluation(
        spec,
        &[&metadata.policy],
        &metadata.stack,
        args.matches,
        threads,
    );
    rows.check()?;
    let weights: Vec<Vec<f32>> =
        (0..spec.roles.len()).map(|role| metadata.weights(spec, role)).collect();
    let recorder = args.record.as_deref().map(Recorder::new).transpose()?;
    let fps = args.fps.or(model.frames_per_second).unwrap_or(DEFAULT_FPS);
    let viewer = args.render.map(|address| Viewer::new(address, fps)).transpose()?;
    let viewer = viewer.map(Mutex::new);
    let watched = recorder.is_some() || viewer.is_some();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let interrupt = Arc::new(AtomicBool::new(false));
    watch_for_interrupt(&interrupt)?;
    let mut reports = Vec::new();
    for (index, rival) in rivals.iter().enumerate() {
        let watch = |number: usize, frame: &str| {
            if let Some(recorder) = &recorder {
                recorder.record(index * args.matches + number, frame);
            }
            if let (0, Some(viewer)) = (number, &viewer)
                && let Ok(mut viewer) = viewer.lock()
            {
                viewer.send_in_time(frame);
            }
        };
        let name = |player: Player| match player {
            Player::Learner => "model".to_owned(),
            Player::Bot(bot) => format!("bot:{}", spec.bots()[bot]),
            Player::Frozen(_) => args.vs[index].clone(),
        };
        let keep = |number: usize, mut recorded: Recorded| {
            if let Some(recorder) = &recorder {
                let transcript = recorded.transcript.take();
                let recording = recorded.recording(&model.entry, &model.settings, name);
                let number = index * args.matches + number;
                recorder.keep(number, &recording, transcript.as_deref());
            }
        };
        let progress = ProgressLine::new(match spec.contested() {
            true => format!("against {}", args.vs[index]),
            false => spec.name.clone(),
        });
        let question = Evaluation {
            settings: &model.settings,
            stack: &metadata.stack,
            weights: &weights,
            matches: args.matches,
            deterministic: !args.sampled,
            versus: rival.player,
            guests: rival.guests.clone(),
            cast: model.cast.clone(),
            seed: args.seed,
            patience: Patience::default(),
            watch: if watched { Some(&watch) } else { None },
            keep: if args.record.is_some() { Some(&keep) } else { None },
            interrupt: Some(&interrupt),
            progress: Some(&|finished, of| progress.tell(finished, of)),
        };
        reports.push(pool.install(|| evaluate(&model.entry, &model.roster.all(), &question))?);
    }
    if let Some(recorder) = recorder {
        recorder.finish()?;
    }
    if args.json {
        print_json(&args, &model, &reports)?
    } else {
        print(&args, &model, &weights[model.first_role()], &reports)
    }
    Ok(())
}

/// The first Ctrl-C ends the evaluation, the second the program.
fn watch_for_interrupt(interrupt: &Arc<AtomicBool>) -> anyhow::Result<()> {
    let flag = Arc::clone(interrupt);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")
}

fn print_json(args: &EvalArgs, model: &Playable, reports: &[Report]) -> anyhow::Result<()> {
    let mut values = Vec::new();
    for (vs, report) in args.vs.iter().zip(reports) {
        let mut value = serde_json::to_value(report)?;
        value["game"] = json!(model.metadata.game);
        value["vs"] = json!(vs);
        value["steps"] = json!(model.metadata.steps);
        value["deterministic"] = json!(!args.sampled);
        value["settings"] = model.settings.clone();
        value["bots"] = json!(args.role);
        if let Some((low, high)) = report.return_interval() {
            value["return_interval"] = json!({"low": low, "high": high});
        }
        if let (Some(elo), true) = (elo_difference(report), vs != "self") {
            value["elo_difference"] = json!({"elo": elo.elo, "low": elo.low, "high": elo.high});
        }
        values.push(value);
    }
    match &values[..] {
        [one] => say!("{one}"),
        many => say!("{}", json!(many)),
    }
    Ok(())
}

fn print(args: &EvalArgs, model: &Playable, weights: &[f32], reports: &[Report]) {
    let how = if args.sampled { "sampled" } else { "most likely" };
    for (vs, report) in args.vs.iter().zip(reports) {
        let versus = match report.results {
            Some(_) => format!(", against {vs}"),
            None => String::new(),
        };
        let (game, steps) = (&model.metadata.game, model.metadata.steps);
        let matches = report.matches;
        say!("{game} after {steps} steps, {how} actions{versus}, {matches} matches");
        let elo = elo_difference(report).filter(|_| vs != "self");
        report::print(report, weights, elo, args.all);
    }
    args.role.iter().for_each(|role| say!("Not played by the model: {role}."));
    for Change { key, then, now } in &model.changes {
        say!("Other than in training: {key} is {now}, was {then}.");
    }
    model.notes.iter().for_each(|note| say!("{note}"));
}

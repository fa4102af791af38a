//! `lanista eval`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anyhow::{Context, bail};
use lanista_game::{Entry, Spec};
use lanista_league::{Interval, difference};
use lanista_learn::{Policy, Shape};
use lanista_train::config::{Player, parse_player};
use lanista_train::evaluate::{Question, Report, evaluate};
use lanista_train::memory;
use lanista_train::model::{self, Metadata};
use lanista_train::seating::Guests;
use lanista_train::trainer::cores;
use lanista_train::view::{Recorder, Viewer};
use serde_json::json;

use crate::args::EvalArgs;
use crate::{catalog, limits};

/// A model that plays, and what it plays.
pub struct Playable {
    pub entry: Entry,
    pub spec: Spec,
    pub policy: Policy,
    pub metadata: Metadata,
}

/// Reads the model of a run, or a model.zip.
pub fn read_model(run: &Path) -> anyhow::Result<Playable> {
    let path = model_path(run)?;
    let metadata = model::metadata(&path)?;
    let entry = catalog::game(&metadata.game)?;
    let spec = (entry.build)(&metadata.settings, 1)?.spec().clone();
    let spec = metadata.stack.widen(spec);
    let (policy, metadata) = model::load(&path, Shape::of(&spec))?;
    Ok(Playable { entry, spec, policy, metadata })
}

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
        bail!("--vs: {problem}; or name a run or a model.zip");
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
    let (policy, _) = model::load(&path, Shape::of(&model.spec))?;
    let policies = [(0, Arc::new(policy))].into_iter().collect();
    let guests = Arc::new(Guests { policies, past: Vec::new() });
    Ok(Rival { player: Player::Frozen(0), guests })
}

pub fn run(args: EvalArgs) -> anyhow::Result<()> {
    let model = read_model(&args.run)?;
    let (spec, metadata) = (&model.spec, &model.metadata);
    let rivals: Vec<Rival> =
        args.vs.iter().map(|name| read_rival(name, &model)).collect::<Result<_, _>>()?;
    if let (true, Some(vs)) = (spec.teams() < 2, args.vs.iter().find(|vs| *vs != "self")) {
        bail!("--vs {vs}: {} has one team, so there is nobody to play against", spec.name);
    }
    for (wanted, flag) in [(args.render.is_some(), "--render"), (args.record.is_some(), "--record")]
    {
        if wanted {
            limits::picture(&model.entry, &metadata.settings, flag)?;
        }
    }
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
    let weights: Vec<f32> = spec
        .terms
        .iter()
        .map(|t| metadata.rewards.get(t.name).map_or(0.0, |w| *w as f32))
        .collect();
    let recorder = args.record.as_deref().map(Recorder::new).transpose()?;
    let viewer = args.render.map(|address| Viewer::new(address, args.fps)).transpose()?;
    let viewer = viewer.map(Mutex::new);
    let watched = recorder.is_some() || viewer.is_some();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
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
        let question = Question {
            settings: &metadata.settings,
            stack: &metadata.stack,
            weights: &weights,
            matches: args.matches,
            deterministic: !args.sampled,
            versus: rival.player,
            guests: rival.guests.clone(),
            seed: args.seed,
            watch: if watched { Some(&watch) } else { None },
        };
        reports.push(pool.install(|| evaluate(&model.entry, &model.policy, &question))?);
    }
    if let Some(recorder) = recorder {
        recorder.finish()?;
    }
    if args.json {
        print_json(&args, metadata, &reports)?
    } else {
        print(&args, metadata, &reports)
    }
    Ok(())
}

fn print_json(args: &EvalArgs, metadata: &Metadata, reports: &[Report]) -> anyhow::Result<()> {
    let mut values = Vec::new();
    for (vs, report) in args.vs.iter().zip(reports) {
        let mut value = serde_json::to_value(report)?;
        value["game"] = json!(metadata.game);
        value["vs"] = json!(vs);
        value["steps"] = json!(metadata.steps);
        value["deterministic"] = json!(!args.sampled);
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

fn print(args: &EvalArgs, metadata: &Metadata, reports: &[Report]) {
    let how = if args.sampled { "sampled" } else { "most likely" };
    for (vs, report) in args.vs.iter().zip(reports) {
        let versus = match report.results {
            Some(_) => format!(", against {vs}"),
            None => String::new(),
        };
        let (game, steps, matches) = (&metadata.game, metadata.steps, report.matches);
        say!("{game} after {steps} steps, {how} actions{versus}, {matches} matches");
        print_report(report);
        if let (Some(elo), true) = (elo_difference(report), vs != "self") {
            say!("  Elo difference {:+.0} (95 %: {:+.0} to {:+.0})", elo.elo, elo.low, elo.high);
        }
    }
}

/// By how much the model is rated above its opponent.
fn elo_difference(report: &Report) -> Option<Interval> {
    let results = report.results?;
    let count = |share: f64| (share * report.matches as f64).round() as u64;
    Some(difference(count(results.won), count(results.drawn), count(results.lost)))
}

/// The report as a person reads it.
pub fn print_report(report: &Report) {
    say!("  return  {:.3} ± {:.3}", report.return_mean, report.return_deviation);
    say!("  length  {:.1}", report.length_mean);
    if let Some(r) = report.results {
        say!(
            "  won {:.1} %, drawn {:.1} %, lost {:.1} %",
            100.0 * r.won,
            100.0 * r.drawn,
            100.0 * r.lost
        );
    }
    for (kind, values) in [("term", &report.terms), ("stat", &report.stats)] {
        for (name, mean) in values {
            say!("  {kind} {name}: {mean:.3}");
        }
    }
}

/// Where the model of a run is.
pub fn model_path(run: &Path) -> anyhow::Result<PathBuf> {
    if run.is_file() {
        return Ok(run.to_owned());
    }
    let path = run.join("model.zip");
    if !path.is_file() {
        bail!(
            "{} holds no model.zip: name a run's directory (such as runs/classic-cartpole) or a \
             model.zip; `lanista train` makes one",
            run.display()
        );
    }
    path.canonicalize().with_context(|| format!("cannot read {}", path.display()))
}

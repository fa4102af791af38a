//! `lanista eval`.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, bail};
use lanista_learn::Shape;
use lanista_train::config::parse_player;
use lanista_train::evaluate::{Question, Report, evaluate};
use lanista_train::model;
use lanista_train::trainer::cores;
use lanista_train::view::{Recorder, Viewer};
use serde_json::json;

use crate::args::EvalArgs;
use crate::catalog;

pub fn run(args: EvalArgs) -> anyhow::Result<()> {
    let path = model_path(&args.run)?;
    let metadata = model::metadata(&path)?;
    let entry = catalog::game(&metadata.game)?;
    let spec = (entry.build)(&metadata.settings, 1)?.spec().clone();
    let spec = metadata.stack.widen(spec);
    let (policy, metadata) = model::load(&path, Shape::of(&spec))?;
    let versus = parse_player(&args.vs, &spec).map_err(|p| anyhow::anyhow!("--vs: {p}"))?;
    if spec.teams() < 2 && args.vs != "self" {
        bail!("--vs {}: {} has one team, so there is nobody to play against", args.vs, spec.name);
    }
    if args.matches == 0 {
        bail!("--matches 0: play at least one match");
    }
    let weights: Vec<f32> = spec
        .terms
        .iter()
        .map(|t| metadata.rewards.get(t.name).map_or(0.0, |w| *w as f32))
        .collect();
    let recorder = args.record.as_deref().map(Recorder::new).transpose()?;
    let viewer = args.render.map(|address| Viewer::new(address, args.fps)).transpose()?;
    let viewer = viewer.map(Mutex::new);
    let watch = |number: usize, frame: &str| {
        if let Some(recorder) = &recorder {
            recorder.record(number, frame);
        }
        if let (0, Some(viewer)) = (number, &viewer)
            && let Ok(mut viewer) = viewer.lock()
        {
            viewer.send_in_time(frame);
        }
    };
    let watched = recorder.is_some() || viewer.is_some();
    let question = Question {
        settings: &metadata.settings,
        stack: &metadata.stack,
        weights: &weights,
        matches: args.matches,
        deterministic: !args.sampled,
        versus,
        seed: args.seed,
        watch: if watched { Some(&watch) } else { None },
    };
    let threads = args.threads.unwrap_or_else(cores);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let report = pool.install(|| evaluate(&entry, &policy, &question))?;
    if let Some(recorder) = recorder {
        let files = recorder.finish()?;
        if files == 0 {
            complain!("warning: {} has no picture, so no replay was kept", spec.name);
        }
    }
    if args.json {
        let mut value = serde_json::to_value(&report)?;
        value["game"] = json!(metadata.game);
        value["vs"] = json!(args.vs);
        value["steps"] = json!(metadata.steps);
        value["deterministic"] = json!(!args.sampled);
        say!("{value}");
    } else {
        let how = if args.sampled { "sampled" } else { "most likely" };
        let versus = match report.results {
            Some(_) => format!(", against {}", args.vs),
            None => String::new(),
        };
        say!(
            "{} after {} steps, {how} actions{versus}, {} matches",
            metadata.game,
            metadata.steps,
            report.matches
        );
        print_report(&report);
    }
    Ok(())
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

fn model_path(run: &Path) -> anyhow::Result<PathBuf> {
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

//! `/api/runs/ID`: one run, with all but its curves.

use std::path::Path;
use std::sync::Arc;

use lanista_game::TermKind;
use lanista_league::Snapshot;
use lanista_train::files::steps_of;
use lanista_train::league::{LeagueState, snapshot_name};
use serde_json::{Value, json};

use crate::columns::{Axis, Columns, Place};
use crate::metrics::{Mark, MarkKind, RunMetrics};
use crate::recordings::{Kept, Source};
use crate::refusal::Refusal;
use crate::run::{Run, read_text};
use crate::shared::Shared;
use crate::weights::WEIGHTED;

/// The most files of a run that are listed.
const MOST_FILES: usize = 400;
/// The most bytes of a pool's file.
const MOST_POOL: u64 = 64 << 20;
/// How deep below a run its files are listed.
const DEEPEST: usize = 3;

/// What an update reports, which stands beside what is counted.
const OF_UPDATES: [&str; 10] = [
    "policy_loss",
    "value_loss",
    "entropy",
    "approx_kl",
    "clip_fraction",
    "explained_variance",
    "learning_rate",
    "grad_norm",
    "anchor_kl",
    "novelty",
];

pub fn detail(shared: &Shared, id: &str) -> Result<Value, Refusal> {
    let run = shared.runs.get(id).ok_or_else(|| Refusal::unknown("run", id, "/api/runs"))?;
    let (summary, config) = {
        let known = run.known();
        (known.summary.clone(), known.config.clone())
    };
    let (metrics, mut marks, columns) = run.with_metrics(|m| {
        let names: Vec<Value> = m.names().iter().map(|name| metric(name)).collect();
        (names, m.marks().to_vec(), places(m))
    });
    marks.extend(milestones(&run, &columns));
    marks.extend(snapshots(&run, &columns));
    marks.sort_by(|a, b| a.place[0].total_cmp(&b.place[0]));
    let kept = shared.recordings.of_run(&run);
    let marks: Vec<Value> = marks.iter().map(|mark| shown(mark, &kept)).collect();
    let mut events: Vec<Value> = marks
        .iter()
        .map(|m| json!({"steps": m["steps"], "time": m["time"], "kind": m["kind"], "text": m["label"]}))
        .collect();
    if let Some(failure) = summary.as_ref().and_then(|summary| summary.failure.as_ref()) {
        let [steps, time, _] = at(&columns, failure.steps as f64);
        events.push(
            json!({"steps": steps, "time": time, "kind": "failure", "text": failure.message}),
        );
    }
    let mut files = Vec::new();
    list(&run.found.path, &run.found.path, DEEPEST, &mut files);
    shared.runs.make_room();
    Ok(json!({
        "run": summary,
        "config_text": config.text,
        "config": config.flat,
        "metrics": metrics,
        "terms": terms(&run, summary.as_ref().map_or(0, |s| s.steps)),
        "events": events,
        "marks": marks,
        "files": files,
        "recordings": kept.iter().map(|kept| &kept.id).collect::<Vec<_>>(),
    }))
}

/// The recording of a moment: an evaluation's own match, else the match of the training that was kept nearest.
fn of_moment<'a>(mark: &Mark, kept: &'a [Arc<Kept>]) -> Option<&'a str> {
    let steps = mark.place[Axis::Steps as usize];
    let source = match mark.kind {
        MarkKind::Evaluation => Source::Evaluation,
        _ => Source::Training,
    };
    let away = |kept: &&Arc<Kept>| (kept.steps.unwrap_or(0) as f64 - steps).abs();
    let of_kind = kept.iter().filter(|kept| kept.source == source && kept.steps.is_some());
    let nearest = of_kind.min_by(|a, b| away(a).total_cmp(&away(b)))?;
    // An evaluation has a match of its own, or none.
    let fits = mark.kind != MarkKind::Evaluation || away(&nearest) == 0.0;
    fits.then_some(nearest.id.as_str())
}

fn shown(mark: &Mark, kept: &[Arc<Kept>]) -> Value {
    let [steps, time, matches] = mark.place;
    json!({
        "kind": mark.kind,
        "steps": steps,
        "time": time,
        "matches": matches,
        "label": mark.label,
        "recording": of_moment(mark, kept),
    })
}

/// What a metric is, by its name.
fn metric(name: &str) -> Value {
    let (first, rest) = name.split_once('/').unwrap_or(("", name));
    let kind = match first {
        "terms" => "term",
        "stats" => "stat",
        "opponents" => "opponent",
        "time" => "time",
        "roles" => "role",
        "elo_by_side" => "side",
        "exploiters" => "exploiter",
        "evaluation" => "evaluation",
        "" if OF_UPDATES.contains(&rest) => "update",
        _ => "plain",
    };
    let unit = match rest {
        "seconds" | "rollout_seconds" | "update_seconds" => Some("s"),
        "steps_per_second" => Some("steps/s"),
        "steps" => Some("steps"),
        "episodes" => Some("matches"),
        "elo" => Some("Elo"),
        _ if kind == "opponent" => Some("share won"),
        _ => None,
    };
    match unit {
        Some(unit) => json!({"name": name, "kind": kind, "unit": unit}),
        None => json!({"name": name, "kind": kind}),
    }
}

/// The ends of all stretches, to find out when so many steps were done.
fn places(m: &RunMetrics) -> Vec<Place> {
    let columns: &Columns = m.columns();
    columns.stretches().iter().map(|stretch| stretch.last).collect()
}

/// Where a run was after so many steps.
fn at(places: &[Place], steps: f64) -> Place {
    let i = places.partition_point(|place| place[Axis::Steps as usize] < steps);
    let place = places.get(i).or(places.last()).copied().unwrap_or_default();
    [steps, place[1], place[2]]
}

fn milestones(run: &Run, places: &[Place]) -> Vec<Mark> {
    let mark = |path: &std::path::PathBuf| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let steps = steps_of(path)? as f64;
        let (place, label) = (at(places, steps), format!("milestone {name}"));
        Some(Mark { kind: MarkKind::Milestone, place, label })
    };
    run.files.found_milestones().iter().filter_map(mark).collect()
}

/// The policies that are in the pool now.
fn snapshots(run: &Run, places: &[Place]) -> Vec<Mark> {
    let text = read_text(&run.files.pool(), MOST_POOL);
    let state: Option<LeagueState> = text.and_then(|text| serde_json::from_str(&text).ok());
    let mark = |snapshot: &&Snapshot| Mark {
        kind: MarkKind::Snapshot,
        place: at(places, snapshot.steps as f64),
        label: format!("{} joined the pool", snapshot_name(snapshot.id)),
    };
    state.map_or(Vec::new(), |state| state.snapshots().iter().map(mark).collect())
}

/// The reward terms of the game, with what they weigh now.
fn terms(run: &Run, steps: u64) -> Value {
    let Some(weights) = run.known().weights.clone() else { return json!([]) };
    run.with_metrics(|metrics| {
        let along = weights.along(metrics);
        let steps = steps as f64;
        let term = |name: &str, kind: &str, about: Option<&str>| {
            json!({
                "name": name,
                "kind": kind,
                "about": about,
                "weight": along.at(name, steps),
                "counts": along.counts(name, steps),
                "weighted": format!("{WEIGHTED}{name}"),
            })
        };
        match &weights.spec {
            Some(spec) => spec
                .terms
                .iter()
                .map(|known| {
                    let kind = match known.kind {
                        TermKind::Outcome => "outcome",
                        TermKind::Event => "event",
                        TermKind::Shaping => "shaping",
                    };
                    term(&known.name, kind, Some(known.about.as_ref()))
                })
                .collect(),
            // A game that this program does not know: what the run itself says.
            None => weights.names().into_iter().map(|name| term(name, "event", None)).collect(),
        }
    })
}

fn list(root: &Path, directory: &Path, deep: usize, files: &mut Vec<Value>) {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(|entry| entry.file_name());
    for entry in entries {
        if files.len() >= MOST_FILES {
            return;
        }
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && deep > 1 => list(root, &path, deep - 1, files),
            Ok(kind) if kind.is_file() => {
                let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
                let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy();
                files.push(json!({"path": name, "bytes": bytes}));
            }
            _ => {}
        }
    }
}

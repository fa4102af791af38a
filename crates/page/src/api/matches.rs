//! `/api/matches`, `/api/match/…`, `/api/models` and `/api/live`: recorded matches, played again.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use lanista_game::{Entry, Spec, TermKind};
use lanista_train::league::{LeagueState, snapshot_name};
use lanista_train::model;
use serde_json::{Value, json};

use crate::life::Life;
use crate::matches::Match;
use crate::query::Query;
use crate::recordings::{Kept, Source};
use crate::refusal::Refusal;
use crate::run::{Run, read_text};
use crate::shared::Shared;

/// The most matches of a list.
const MOST_LISTED: usize = 1000;
/// The most steps of one answer.
const MOST_STEPS: usize = 2000;
/// The most bytes of frames of one answer; it ends earlier then.
const MOST_BYTES: usize = 16 << 20;
/// The most bytes of a pool's file.
const MOST_POOL: u64 = 64 << 20;

/// The list of matches, newest first.
pub fn matches(shared: &Shared, query: &Query) -> Result<Value, Refusal> {
    let mut all = Vec::new();
    match query.one("run") {
        Some(id) => {
            let run = shared.runs.get(id);
            let run = run.ok_or_else(|| Refusal::unknown("run", id, "/api/runs"))?;
            all.extend(shared.recordings.of_run(&run));
        }
        None => {
            all.extend(shared.recordings.given());
            for run in shared.runs.all() {
                all.extend(shared.recordings.of_run(&run));
            }
            all.sort_by(|a, b| b.when.total_cmp(&a.when));
        }
    }
    all.truncate(MOST_LISTED);
    let listed: Vec<Value> = all.iter().map(|kept| listed(shared, kept)).collect();
    Ok(json!({ "matches": listed }))
}

fn listed(shared: &Shared, kept: &Kept) -> Value {
    let about = &kept.about;
    let spec = shared.spec(&about.game, &about.settings);
    json!({
        "id": kept.id,
        "run": kept.run,
        "game": about.game,
        "when": kept.when,
        "steps": kept.steps,
        "source": kept.source,
        "seats": seats(about, spec.as_deref()),
        "score": about.result.score,
        "length": about.steps,
        "end": about.result.end,
    })
}

fn seats(about: &lanista_game::recording::About, spec: Option<&Spec>) -> Vec<Value> {
    let seat = |(seat, name): (usize, &String)| {
        let of_spec = spec.and_then(|spec| spec.seats.get(seat));
        let role = of_spec.and_then(|own| spec?.roles.get(own.role)).map(|role| &role.name);
        json!({ "name": name, "team": of_spec.map(|own| own.team), "role": role })
    };
    about.players.iter().enumerate().map(seat).collect()
}

/// A recording by its id, with its game and the settings it is played under.
struct Playable<'a> {
    kept: Arc<Kept>,
    entry: &'a Entry,
    settings: Value,
}

fn playable<'a>(shared: &'a Shared, id: &str) -> Result<Playable<'a>, Refusal> {
    let kept = shared.recording(id);
    let kept = kept.ok_or_else(|| Refusal::unknown("match", id, "/api/matches"))?;
    let game = &kept.about.game;
    let entry = shared.game(game).ok_or_else(|| {
        Refusal::bad(
            format!("this program does not know the game {game}"),
            id,
            "open it with the program that recorded it",
        )
    })?;
    let mut settings = kept.about.settings.clone();
    // What belongs to a machine is not in a recording; its run knows what this one has.
    let run = kept.run.as_deref().and_then(|id| shared.runs.get(id));
    if let Some(own) = run.map(|run| run.known().config.tree["settings"].clone()) {
        for name in entry.machine_settings() {
            if let (Some(value), Some(map)) = (own.get(name), settings.as_object_mut()) {
                map.insert(name.to_owned(), value.clone());
            }
        }
    }
    Ok(Playable { kept, entry, settings })
}

fn played(shared: &Shared, id: &str) -> Result<(Arc<Kept>, Arc<Match>), Refusal> {
    let Playable { kept, entry, settings } = playable(shared, id)?;
    let played = shared.matches.get(&kept, entry, &settings)?;
    Ok((kept, played))
}

/// One match without its frames.
pub fn one(shared: &Shared, id: &str) -> Result<Value, Refusal> {
    let (kept, m) = played(shared, id)?;
    let kind = |kind: TermKind| match kind {
        TermKind::Outcome => "outcome",
        TermKind::Event => "event",
        TermKind::Shaping => "shaping",
    };
    let roles = m.spec.roles.iter().map(|role| {
        let heads = role.heads.iter();
        let heads = heads.map(|head| json!({ "name": head.name, "actions": head.actions }));
        json!({ "name": role.name, "heads": heads.collect::<Vec<_>>() })
    });
    let terms = m.spec.terms.iter();
    let terms = terms.map(|t| json!({ "name": t.name, "kind": kind(t.kind), "about": t.about }));
    let mut stats = serde_json::Map::new();
    if m.result.stats.len() == m.spec.stat_values() {
        let values = m.spec.stats_of(0, &m.result.stats);
        stats.extend(m.spec.stat_names().into_iter().zip(values.iter().map(|value| json!(value))));
    }
    let scene = m.scene.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
    Ok(json!({
        "id": kept.id,
        "run": kept.run,
        "game": kept.about.game,
        "source": kept.source,
        "steps": kept.steps,
        "version": kept.about.version,
        "settings": kept.about.settings,
        "seed": kept.about.seed,
        "spec": {
            "roles": roles.collect::<Vec<_>>(),
            "terms": terms.collect::<Vec<_>>(),
            "seats": seats(&kept.about, Some(&m.spec)),
        },
        "length": m.length,
        "recorded_length": kept.about.steps,
        "picture": !m.frames.is_empty(),
        "step_seconds": m.step_seconds,
        "result": { "end": m.result.end, "score": m.result.score, "stats": stats, "terms": m.result.terms },
        "recorded_result": { "end": kept.about.result.end, "score": kept.about.result.score },
        "state": m.agreement,
        "notice": m.notice,
        "first_difference": m.first_difference,
        "events": m.events,
        "static": scene,
    }))
}

/// From where to where, both within the match and not too much at once.
fn part(query: &Query, length: usize) -> Result<(usize, usize), Refusal> {
    let from = query.count("from", 0, u64::MAX)?.min(length as u64) as usize;
    let to = query.count("to", u64::MAX, u64::MAX)?.min(length as u64) as usize;
    Ok((from, to.clamp(from, from + MOST_STEPS)))
}

/// Frames of a match, with what was chosen and what it brought.
pub fn frames(shared: &Shared, id: &str, query: &Query) -> Result<Vec<u8>, Refusal> {
    let (_, m) = played(shared, id)?;
    let (from, to) = part(query, m.length + 1)?;
    // Frames are JSON of the game already: they are put together as they are.
    let mut text = format!("{{\"from\":{from},\"frames\":[");
    let mut next = from;
    while next < to && text.len() <= MOST_BYTES {
        if next > from {
            text.push(',');
        }
        let frame = m.frames.get(next).map_or("", |frame| frame);
        text.push_str(if frame.is_empty() { "null" } else { frame.trim_end() });
        next += 1;
    }
    let steps = from.min(m.length)..next.min(m.length);
    let seats = m.spec.seats.len().max(1);
    let per_seat = |flat: &[f32]| -> Value {
        match m.spec.terms.len() {
            0 => json!(vec![Vec::<f32>::new(); seats]),
            terms => flat.chunks(terms).map(|own| json!(own)).collect(),
        }
    };
    let terms: Vec<Value> = m.terms[steps.clone()].iter().map(|flat| per_seat(flat)).collect();
    let (joint, acting) = (&m.joint[steps.clone()], &m.acting[steps]);
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "],\"joint\":{},\"terms\":{},\"acting\":{}}}",
        json!(joint),
        json!(terms),
        json!(acting)
    );
    Ok(text.into_bytes())
}

/// What a model thinks of a match.
pub fn thoughts(shared: &Shared, id: &str, query: &Query) -> Result<Value, Refusal> {
    let model = query.one("model").unwrap_or_default();
    let found = models_of(shared).into_iter().find(|known| known.id == model);
    let found = found.ok_or_else(|| Refusal::unknown("model", model, "/api/models"))?;
    let Playable { kept, entry, settings } = playable(shared, id)?;
    let told = shared.thinking.get(&kept, entry, &settings, &found.path)?;
    let (from, to) = part(query, told.value.len())?;
    Ok(json!({
        "from": from,
        "model": model,
        "seats": kept.about.players,
        "value": told.value[from..to],
        "probabilities": told.probabilities[from..to],
        "mask": told.mask[from..to],
    }))
}

/// A model that may be asked.
struct Model {
    id: String,
    path: PathBuf,
    run: String,
    game: String,
    name: String,
    steps: u64,
}

/// The newest model of every run, and the snapshots of its league.
fn models_of(shared: &Shared) -> Vec<Model> {
    shared.runs.all().iter().flat_map(|run| of_run(run)).collect()
}

fn of_run(run: &Run) -> Vec<Model> {
    let (game, steps) = {
        let known = run.known();
        let game = known.config.word("game").unwrap_or_default().to_owned();
        (game, known.summary.as_ref().map_or(0, |summary| summary.steps))
    };
    let id = &run.found.id;
    let mut all = Vec::new();
    let mut add = |key: &str, path: PathBuf, name: String, steps: u64| {
        if path.is_file() {
            let (id, run, game) = (format!("{id}~{key}"), id.clone(), game.clone());
            all.push(Model { id, path, run, game, name, steps });
        }
    };
    add("newest", run.files.model(), "newest".into(), steps);
    let pool = read_text(&run.files.pool(), MOST_POOL);
    if let Some(state) = pool.and_then(|text| serde_json::from_str::<LeagueState>(&text).ok()) {
        for snapshot in state.snapshots().into_iter().rev() {
            let path = run.files.snapshot(snapshot.id);
            add(&snapshot.id.to_string(), path, snapshot_name(snapshot.id), snapshot.steps);
        }
    }
    all
}

/// The models that may be asked what they think.
pub fn models(shared: &Shared, query: &Query) -> Value {
    let (game, run) = (query.one("game"), query.one("run"));
    let wanted =
        |m: &Model| game.is_none_or(|game| m.game == game) && run.is_none_or(|run| m.run == run);
    let listed = models_of(shared).into_iter().filter(wanted).map(|m| {
        // The newest one may be older than the latest line.
        let of_file = (m.name == "newest").then(|| model::metadata(&m.path).ok()).flatten();
        let steps = of_file.map_or(m.steps, |metadata| metadata.steps);
        json!({ "id": m.id, "run": m.run, "game": m.game, "name": m.name, "steps": steps })
    });
    json!({ "models": listed.collect::<Vec<_>>() })
}

/// The newest match of a training.
pub fn live(shared: &Shared, id: &str) -> Result<Value, Refusal> {
    let run = shared.runs.get(id).ok_or_else(|| Refusal::unknown("run", id, "/api/runs"))?;
    let kept = shared.recordings.of_run(&run);
    let newest = kept.iter().filter(|kept| kept.source != Source::League);
    let newest = newest.max_by(|a, b| a.when.total_cmp(&b.when).then(a.id.cmp(&b.id)));
    let state = run.known().summary.as_ref().map(|summary| summary.state);
    Ok(json!({
        "recording": newest.map(|kept| &kept.id),
        "steps": newest.and_then(|kept| kept.steps),
        "running": state == Some(Life::Running),
    }))
}

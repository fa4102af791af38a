//! `/api/league/ID`: who is how good in a run, and who met whom.

use std::collections::BTreeMap;

use lanista_league::{Tally, difference};
use lanista_train::RunConfig;
use lanista_train::config::OPEN;
use lanista_train::layers;
use lanista_train::league::{LeagueState, snapshot_name};
use lanista_train::results::Row;
use serde_json::{Value, json};

use crate::recordings::{self, Source};
use crate::refusal::Refusal;
use crate::run::{Run, read_text};
use crate::shared::Shared;

/// The most bytes of a file of the league.
const MOST_BYTES: u64 = 64 << 20;
/// The most opponents whose ratings are drawn: those that were met most.
const MOST_DRAWN: usize = 16;
/// The most players of a cross-play.
const MOST_PLAYERS: usize = 200;

pub fn league(shared: &Shared, id: &str) -> Result<Value, Refusal> {
    let run = shared.runs.get(id).ok_or_else(|| Refusal::unknown("run", id, "/api/runs"))?;
    let text = run.known().config.text.clone();
    let config = layers::load("config", &[("config", &text)], &[]);
    let config = config.and_then(|layered| layered.read::<RunConfig>(&OPEN)).ok();
    let state = read_text(&run.files.pool(), MOST_BYTES);
    let state: Option<LeagueState> = state.and_then(|text| serde_json::from_str(&text).ok());
    let exploiters = run.with_metrics(|m| {
        let of = |i: usize, name: &str| m.last(&format!("exploiters/{i}/{name}"));
        let rules = config.as_ref().map_or(&[][..], |config| &config.exploiters);
        let rules = rules.iter().enumerate().map(|(i, rules)| {
            json!({
                "name": rules.name(),
                "against": rules.against,
                "snapshots": of(i, "snapshots"),
                "rollouts": of(i, "rollouts"),
                "of": of(i, "of"),
                "won": of(i, "won"),
            })
        });
        rules.collect::<Vec<_>>()
    });
    shared.runs.make_room();
    Ok(json!({
        "ratings": ratings(&run),
        "pool": state.as_ref().map_or(json!([]), |state| pool(state, config.as_ref())),
        "others": state.as_ref().map(|state| &state.others),
        "elo": state.as_ref().map(LeagueState::mean_elo),
        "games": state.as_ref().map_or(0, |state| state.games),
        "exploiters": exploiters,
        "sampler": config.as_ref().map(|config| &config.league.sampler),
        "opponents": config.as_ref().map(|config| &config.opponents),
        "crossplay": crossplay(shared, &run),
    }))
}

/// The learner's rating over the run with what each period says about it, and those of whom it met most.
fn ratings(run: &Run) -> Value {
    let text = read_text(&run.files.results(), MOST_BYTES).unwrap_or_default();
    let rows = text.lines().skip(1).filter_map(|line| Row::parse(line).ok());
    let mut own: Vec<(u64, f64, Tally)> = Vec::new();
    let mut others: BTreeMap<String, (u64, Vec<Value>)> = BTreeMap::new();
    for row in rows {
        match own.last_mut() {
            Some((steps, elo, tally)) if *steps == row.steps => {
                *elo = row.elo;
                *tally += row.tally;
            }
            _ => own.push((row.steps, row.elo, row.tally)),
        }
        let (games, points) = others.entry(row.opponent).or_default();
        *games += row.tally.games();
        points.push(json!({ "steps": row.steps, "elo": row.opponent_elo }));
    }
    let own = own.into_iter().map(|(steps, elo, tally)| {
        let interval = difference(tally.won, tally.drawn, tally.lost);
        let (below, above) = (interval.elo - interval.low, interval.high - interval.elo);
        // What bounds nothing is left out: JSON has no infinity.
        json!({ "steps": steps, "elo": elo, "low": elo - below, "high": elo + above, "games": tally.games() })
    });
    let mut all = vec![json!({ "name": "learner", "points": own.collect::<Vec<_>>() })];
    let mut others: Vec<_> = others.into_iter().collect();
    others.sort_by_key(|(_, (games, _))| std::cmp::Reverse(*games));
    let drawn = others.into_iter().take(MOST_DRAWN);
    all.extend(
        drawn.map(
            |(name, (games, points))| json!({ "name": name, "games": games, "points": points }),
        ),
    );
    json!(all)
}

fn pool(state: &LeagueState, config: Option<&RunConfig>) -> Value {
    let mut shares: BTreeMap<u64, f64> = BTreeMap::new();
    if let Some(config) = config {
        for side in 0..state.side_count() {
            let drawn =
                state.pool_of(side).probabilities(&config.league.sampler, state.elo_on(side));
            for one in drawn {
                *shares.entry(one.id).or_default() += one.probability / state.side_count() as f64;
            }
        }
    }
    let snapshots = state.snapshots();
    let snapshots = snapshots.iter().map(|s| {
        json!({
            "name": snapshot_name(s.id),
            "origin": s.origin,
            "steps": s.steps,
            "elo": s.elo,
            "share": shares.get(&s.id),
            "games": s.games,
            "score": s.score,
            "quality": s.quality,
            "usable": s.usable,
        })
    });
    snapshots.collect()
}

/// What `lanista league --crossplay` left, with the ids of its recordings.
fn crossplay(shared: &Shared, run: &Run) -> Value {
    let text = read_text(&run.files.crossplay(), MOST_BYTES);
    let Some(table) = text.and_then(|text| serde_json::from_str::<Value>(&text).ok()) else {
        return Value::Null;
    };
    let names: Vec<String> = serde_json::from_value(table["names"].clone()).unwrap_or_default();
    if names.is_empty() || names.len() > MOST_PLAYERS {
        return Value::Null;
    }
    // Which files there are says the directory; which pair one is of, the table.
    let kept =
        crate::scan::recordings(&run.files.crossplay_recordings(), MOST_PLAYERS * MOST_PLAYERS);
    let mut of_file: BTreeMap<String, String> = BTreeMap::new();
    for path in kept {
        shared.recordings.look(&path, Some(&run.found.id), Source::League);
        if let Some(name) = path.file_name() {
            of_file.insert(name.to_string_lossy().into_owned(), recordings::id(&path));
        }
    }
    let empty = Vec::new();
    let rows = table["recordings"].as_array().unwrap_or(&empty).iter();
    let recordings = rows.map(|row| {
        let row = row.as_array().unwrap_or(&empty).iter();
        row.map(|file| file.as_str().and_then(|file| of_file.get(file))).collect::<Vec<_>>()
    });
    json!({
        "names": names,
        "won": table["won"],
        "drawn": table["drawn"],
        "lost": table["lost"],
        "games": table["games"],
        "elo": table["elo"],
        "steps": table["steps"],
        "seed": table["seed"],
        "matches": table["matches"],
        "recordings": recordings.collect::<Vec<_>>(),
    })
}

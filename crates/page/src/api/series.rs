//! `/api/series`: curves of some metrics of some runs.

use serde::Serialize;
use serde_json::{Value, json};

use crate::columns::Axis;
use crate::query::Query;
use crate::refusal::Refusal;
use crate::series::{Asked, HalfLife, MOST_POINTS, Series, series as of_run};
use crate::shared::Shared;
use crate::weights::WEIGHTED;

/// The most curves of one answer.
const MOST_CURVES: usize = 600;
/// The most points of one answer.
const MOST_IN_ALL: usize = 1_200_000;
/// Points of a curve when nobody says how many.
const USUAL: u64 = 1000;

#[derive(Serialize)]
struct Curve<'a> {
    run: &'a str,
    metric: &'a str,
    /// Does it replace what was told before, or go on from it?
    reset: bool,
    x: Vec<f64>,
    min: Vec<f64>,
    max: Vec<f64>,
    mean: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    smooth: Option<Vec<f64>>,
    last: Option<f64>,
    best: Option<Value>,
    count: u64,
}

/// How far a run had been told: which reading of its file, and how many lines.
#[derive(Clone, Copy, PartialEq)]
struct Told {
    generation: u64,
    rows: u64,
}

pub fn series(shared: &Shared, query: &Query) -> Result<Value, Refusal> {
    let (ids, metrics) = (query.all("run"), query.all("metric"));
    if ids.is_empty() || metrics.is_empty() {
        return Err(Refusal::bad(
            "a series is one of a run and a metric",
            "run, metric",
            "give at least one of each: /api/series?run=ID&metric=return_mean",
        ));
    }
    let points = query.count("points", USUAL, MOST_POINTS as u64)?.max(1) as usize;
    let curves = ids.len() * metrics.len();
    if curves > MOST_CURVES || curves * points > MOST_IN_ALL {
        return Err(Refusal::bad(
            format!("{curves} curves of {points} points are too many"),
            "run, metric, points",
            format!("ask for at most {MOST_CURVES} curves and {MOST_IN_ALL} points at once"),
        ));
    }
    let axis = query.one("x").unwrap_or("steps");
    let axis = Axis::parse(axis).ok_or_else(|| {
        Refusal::bad("there is no such axis", "x", "it is one of steps, time, matches")
    })?;
    let asked = Asked {
        axis,
        from: query.number("from")?,
        to: query.number("to")?,
        points,
        smooth: half_life(query)?,
        after: 0,
    };
    let told = query.one("since").map(read_cursor).unwrap_or_default();
    let (mut cursor, mut all) = (Vec::new(), Vec::new());
    for id in ids {
        let run = shared.runs.get(id);
        let run = run.ok_or_else(|| Refusal::unknown("run", id, "/api/runs"))?;
        let before = told.iter().find(|(known, _)| *known == id).map(|(_, told)| *told);
        let file = run.metrics_file();
        let weights = run.known().weights.clone();
        run.with_metrics(|m| {
            let now = Told { generation: m.generation(), rows: m.columns().rows() };
            cursor.push(format!("{id}:{}:{}", now.generation, now.rows));
            let goes_on = before.filter(|b| b.generation == now.generation && b.rows <= now.rows);
            if goes_on == Some(now) {
                return; // nothing new
            }
            let after = goes_on.map_or(0, |before| before.rows);
            for metric in &metrics {
                let asked = Asked { after, ..asked };
                let term = metric.strip_prefix(WEIGHTED).zip(weights.as_deref());
                let found = match term {
                    Some((term, weights)) => {
                        let found = of_run(m, &file, &format!("terms/{term}"), &asked);
                        weights.along(m).weigh(term, axis, m.columns(), found)
                    }
                    None => of_run(m, &file, metric, &asked),
                };
                all.push(curve(id, metric, goes_on.is_none(), found));
            }
        });
    }
    shared.runs.make_room();
    Ok(json!({ "cursor": cursor.join(","), "series": all }))
}

fn curve<'a>(run: &'a str, metric: &'a str, reset: bool, s: Series) -> Curve<'a> {
    let best = s.best.map(|(x, value)| json!({ "x": x, "value": value }));
    let Series { x, min, max, mean, smooth, last, count, .. } = s;
    Curve { run, metric, reset, x, min, max, mean, smooth, last, best, count }
}

/// `smooth=5000` of the axis, or `smooth=50rows`.
fn half_life(query: &Query) -> Result<Option<HalfLife>, Refusal> {
    let text = query.one("smooth").filter(|text| !["", "0", "0rows"].contains(text));
    let parsed = text.map(HalfLife::parse).transpose();
    parsed.map_err(|problem| Refusal::bad(problem, "smooth", "leave it out for no smoothing"))
}

/// `ID:GENERATION:ROWS,…`; what makes no sense was never told.
fn read_cursor(text: &str) -> Vec<(&str, Told)> {
    let part = |part: &'_ str| -> Option<(usize, Told)> {
        let mut fields = part.rsplitn(3, ':');
        let rows = fields.next()?.parse().ok()?;
        let generation = fields.next()?.parse().ok()?;
        Some((fields.next()?.len(), Told { generation, rows }))
    };
    text.split(',').filter_map(|p| part(p).map(|(length, told)| (&p[..length], told))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_read_back() {
        let told = read_cursor("a:1:20,b:x:2,c:d:3:4,");
        assert!(
            told == [
                ("a", Told { generation: 1, rows: 20 }),
                ("c:d", Told { generation: 3, rows: 4 })
            ]
        );
        assert!(read_cursor("nonsense").is_empty());
    }
}

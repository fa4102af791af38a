//! What is answered to which question. `API.md` describes every answer.

mod detail;
mod league;
mod matches;
mod series;

use serde::Serialize;
use serde_json::json;

use crate::query::Query;
use crate::refusal::Refusal;
use crate::run::Run;
use crate::shared::Shared;

/// The most keys whose values are told at once.
const MOST_KEYS: usize = 32;

/// The answer to a question as JSON.
pub fn answer(shared: &Shared, path: &str, query: &Query) -> Result<Vec<u8>, Refusal> {
    let parts: Vec<&str> = path.strip_prefix("/api/").unwrap_or(path).split('/').collect();
    match parts[..] {
        ["runs"] => json(&runs(shared, query)),
        ["runs", id] => json(&detail::detail(shared, id)?),
        ["values"] => json(&values(shared, query)),
        ["league", id] => json(&league::league(shared, id)?),
        ["matches"] => json(&matches::matches(shared, query)?),
        ["match", id] => json(&matches::one(shared, id)?),
        ["match", id, "frames"] => matches::frames(shared, id, query),
        ["match", id, "thoughts"] => json(&matches::thoughts(shared, id, query)?),
        ["models"] => json(&matches::models(shared, query)),
        ["live", id] => json(&matches::live(shared, id)?),
        ["series"] => json(&series::series(shared, query)?),
        _ => Err(Refusal::unknown("question", path, "crates/page/API.md")),
    }
}

fn json(value: &impl Serialize) -> Result<Vec<u8>, Refusal> {
    serde_json::to_vec(value).map_err(|error| {
        let status = axum::http::StatusCode::INTERNAL_SERVER_ERROR;
        Refusal::new(status, error.to_string(), "the answer", "report it: this is a defect")
    })
}

/// What keys of the configuration are in every run that has them.
fn values(shared: &Shared, query: &Query) -> serde_json::Value {
    let runs = shared.runs.all();
    let of = |key: &&str| -> serde_json::Map<String, serde_json::Value> {
        let value = |run: &std::sync::Arc<Run>| {
            Some((run.found.id.clone(), run.known().config.get(key)?.clone()))
        };
        runs.iter().filter_map(value).collect()
    };
    let keys = query.all("key").into_iter().take(MOST_KEYS);
    let values: serde_json::Map<String, serde_json::Value> =
        keys.map(|key| (key.to_owned(), of(&key).into())).collect();
    json!({ "values": values })
}

fn runs(shared: &Shared, query: &Query) -> serde_json::Value {
    let changes = shared.runs.since(query.one("since"));
    json!({
        "cursor": changes.cursor,
        "whole": changes.whole,
        "runs": changes.runs,
        "gone": changes.gone,
    })
}

//! What is answered instead of what was asked for: what is wrong, where, and what to do about it.

use axum::http::StatusCode;
use serde::Serialize;

/// A question that is not answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// For programs.
    #[serde(skip)]
    pub status: u16,
    /// What is wrong.
    pub what: String,
    /// Where: a parameter, a run, a recording.
    #[serde(rename = "where")]
    pub place: String,
    /// What to do about it.
    pub remedy: String,
}

impl Refusal {
    /// Of this kind.
    pub fn new(
        status: StatusCode,
        what: impl Into<String>,
        place: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let (what, place, remedy) = (what.into(), place.into(), remedy.into());
        Self { status: status.as_u16(), what, place, remedy }
    }

    /// The question makes no sense.
    pub fn bad(
        what: impl Into<String>,
        place: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::new(StatusCode::BAD_REQUEST, what, place, remedy)
    }

    /// There is no such thing.
    pub fn unknown(what: &str, id: &str, list: &str) -> Self {
        let id: String = id.chars().take(100).collect();
        Self::new(
            StatusCode::NOT_FOUND,
            format!("there is no such {what}"),
            id,
            format!("{list} lists those that there are"),
        )
    }

    /// For programs.
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// As the body of an answer.
    pub fn body(&self) -> Vec<u8> {
        serde_json::to_vec(&serde_json::json!({ "error": self })).unwrap_or_default()
    }
}

//! Does a game keep the contract?
//!
//! [`check`] plays a game through the door that the program uses and tries every rule on it: that its
//! matches are functions of seed, seats and actions, that nothing of a match shows in the next one or
//! in its neighbours, that masks leave something to do, that scripted players are legal and leave no
//! trace, that every number is one. It knows nothing of the game but its [`Entry`], so it serves games
//! in this process and engines behind a pipe alike:
//!
//! ```no_run
//! # fn games() -> Vec<lanista_game::Entry> { vec![] }
//! for entry in games() {
//!     lanista_game::check(&entry).unwrap();
//! }
//! ```
//!
//! Every match is played several times: once freely, then along its recorded actions, each time with
//! one thing changed. What differs then names the rule that is broken.

mod again;
mod allocation;
mod listing;
mod play;
mod report;
mod seating;
mod shown;
mod table;
mod trials;
mod values;

use serde_json::Value;

use crate::Entry;
use report::Findings;

pub use allocation::no_allocation;
pub use report::{At, Failure, Rule, Violation};
pub use trials::Trial;

/// Tries every rule on a game under its default settings. Returns remarks: what is no violation, but
/// should be known.
pub fn check(entry: &Entry) -> Result<Vec<String>, Failure> {
    check_with(entry, &Value::Null, Trial::default())
}

/// Tries every rule on a game under these settings.
pub fn check_with(entry: &Entry, settings: &Value, trial: Trial) -> Result<Vec<String>, Failure> {
    let mut findings = Findings::default();
    if let Some(spec) = listing::check(entry, settings, &mut findings) {
        trials::check(entry, settings, &spec, trial, &mut findings);
    }
    findings.judge(entry, settings)
}

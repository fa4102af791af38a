//! Which matches are played, and in which ways again.

use serde_json::Value;

use super::again::Asking;
use super::play::{Play, Tally};
use super::report::{Findings, Rule};
use super::seating;
use crate::{Entry, Spec};

/// How much is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Matches for each way to drive the seats.
    pub seeds: u64,
    /// Steps after which a match is left. Not every game ends under random play; that it did not is
    /// a remark, and its end is not tried.
    pub limit: usize,
}

impl Default for Trial {
    fn default() -> Self {
        Self { seeds: 2, limit: 3000 }
    }
}

/// Plays every seating with every seed.
pub(super) fn check(
    entry: &Entry,
    settings: &Value,
    spec: &Spec,
    trial: Trial,
    findings: &mut Findings,
) {
    let mut tally = Tally::default();
    for seats in seating::all(spec) {
        for seed in 1..=trial.seeds {
            let seats = seats.clone();
            let play = Play { entry, settings, spec, seats, seed, limit: trial.limit };
            check_match(&play, findings, &mut tally);
        }
    }
    judge(&tally, spec, trial, findings);
}

fn check_match(play: &Play, findings: &mut Findings, tally: &mut Tally) {
    let stopped = |(rule, what)| play.violation(rule, 0, None, what);
    let played = match play.table(1).map_err(stopped).and_then(|mut table| {
        let replays = table.batch.replays();
        Ok((play.play(&mut table, findings, tally)?, replays))
    }) {
        Ok((played, true)) => played,
        Ok((_, false)) => {
            findings.remark("matches do not replay: nothing was played twice".to_owned());
            return;
        }
        Err(violation) => return findings.violation(violation),
    };
    // What is not the same twice is not the same under any other condition either.
    let mut used = match play.again(Rule::Determinism, 1, &played, Asking::Drivers) {
        Ok(table) => table,
        Err(violation) => return findings.violation(violation),
    };
    let rebuilt = played.actions.len() / 2;
    for (rule, matches, asking) in [
        (Rule::Waiting, 1, Asking::Drivers),
        (Rule::Bots, 1, Asking::Everybody),
        (Rule::Replay, 1, Asking::Late(rebuilt)),
        (Rule::Isolation, 3, Asking::Drivers),
    ] {
        if let Err(violation) = play.again(rule, matches, &played, asking) {
            findings.violation(violation);
        }
    }
    let again = play
        .wear(&mut used)
        .map_err(stopped)
        .and_then(|()| play.follow(Rule::Reset, &mut used, 0, &played, Asking::Drivers));
    if let Err(violation) = again {
        findings.violation(violation);
    }
}

fn judge(tally: &Tally, spec: &Spec, trial: Trial, findings: &mut Findings) {
    if tally.ended < tally.matches {
        let (open, all, limit) = (tally.matches - tally.ended, tally.matches, trial.limit);
        findings.remark(format!("{open} of {all} matches had not ended after {limit} steps"));
    }
    if tally.acts == 0 && tally.matches > 0 {
        findings.general(Rule::Seats, "nobody ever acts");
    }
    if tally.ended > 0 && !spec.stats.is_empty() && !tally.stats {
        findings.general(Rule::End, "no match writes its stats: all of them are always 0");
    }
    if tally.ended > 0 && !tally.scores {
        findings.remark("no match had a score: all of them are 0".to_owned());
    }
}

//! A step allocates nothing.

use serde_json::Value;

use super::report::{At, Failure, Findings, Rule, Violation};
use super::table::{Stop, Table};
use super::trials::Trial;
use super::{listing, seating};
use crate::seed::{self, Rng};
use crate::{Control, Entry, Spec};

/// Plays a game and counts what its steps and its scripted players allocate. `count` says how often
/// this thread has allocated so far: whoever calls installs an allocator that counts, because that is
/// the business of a whole program.
///
/// A match before the measured one fills whatever a game keeps for reuse. An engine that answers late
/// is not measured: what it does happens elsewhere.
pub fn no_allocation(
    entry: &Entry,
    settings: &Value,
    trial: Trial,
    count: fn() -> usize,
) -> Result<Vec<String>, Failure> {
    let mut findings = Findings::default();
    if let Some(spec) = listing::check(entry, settings, &mut findings) {
        for seats in seating::all(&spec) {
            for seed in 1..=trial.seeds {
                let at = |step| Some(At { seed, seats: seats.clone(), step });
                match measure(entry, settings, &spec, &seats, seed, trial.limit, count) {
                    Ok(None) => {}
                    Ok(Some((step, what))) => {
                        let (rule, at) = (Rule::Allocation, at(step));
                        findings.violation(Violation { rule, at, seat: None, what });
                    }
                    Err((rule, what)) => {
                        findings.violation(Violation { rule, at: at(0), seat: None, what });
                    }
                }
            }
        }
    }
    findings.judge(entry, settings)
}

/// The first step that allocates, if one does.
fn measure(
    entry: &Entry,
    settings: &Value,
    spec: &Spec,
    seats: &[Control],
    seed: u64,
    limit: usize,
    count: fn() -> usize,
) -> Result<Option<(usize, String)>, Stop> {
    let batch = entry.build(settings, 1).map_err(|error| (Rule::Settings, error.to_string()))?;
    let mut table = Table::new(batch);
    if table.batch.waits() {
        return Ok(None);
    }
    let mut dice = seed::rng(seed);
    let heads = table.buffers.layout().heads;
    let mut actions = vec![0; seats.len() * heads];
    for warm in [false, true] {
        table.start(0, seed::mix(seed, u64::from(warm)), seats)?;
        for step in 0..limit {
            let mut asked = 0;
            for seat in table.acting(0) {
                let own = spec.role_of(seat).heads.len();
                let action = &mut actions[seat * heads..seat * heads + own];
                asked += choose(&mut table, spec, seats[seat], seat, &mut dice, action, count)?;
            }
            if warm && asked > 0 {
                return Ok(Some((step, format!("scripted players allocate {asked} times"))));
            }
            let before = count();
            table.step(&[0], &actions)?;
            let allocated = count() - before;
            if warm && allocated > 0 {
                return Ok(Some((step, format!("the step allocates {allocated} times"))));
            }
            if table.buffers.end[0].is_some() {
                break;
            }
        }
    }
    Ok(None)
}

/// Chooses for a seat; returns how often a scripted player allocated for it.
fn choose(
    table: &mut Table,
    spec: &Spec,
    control: Control,
    seat: usize,
    dice: &mut Rng,
    action: &mut [u32],
    count: fn() -> usize,
) -> Result<usize, Stop> {
    if let Control::Bot(bot) = control {
        let before = count();
        table.ask(0, bot, seat, action)?;
        return Ok(count() - before);
    }
    let (mask, forbidden) = table.legality(0, seat);
    spec.role_of(seat).draw(&mask, &forbidden, dice, action);
    Ok(0)
}

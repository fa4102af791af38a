//! The decisions of a recorded match: it is played again, and what every seat saw and chose is written down.

use std::time::Duration;

use lanista_game::recording::Recording;
use lanista_game::{Buffers, Entry, Episode, Fault, Verdict, await_answer};
use serde_json::Value;

use crate::replay::ReplayError;

/// How long an engine may take for one answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// The episodes of a recorded match, one for each seat that decided anything, played again under these
/// settings: those recorded, with what this machine has. `name` is what the recording is called.
pub fn episodes(
    entry: &Entry,
    settings: &Value,
    recording: &Recording,
    name: &str,
) -> Result<Vec<Episode>, ReplayError> {
    let mut batch = entry.build(settings, 1)?;
    let spec = batch.spec().clone();
    let mut buffers = Buffers::new(&spec, 1);
    let layout = buffers.layout().clone();
    let played = &recording.played;
    let at = |step: usize| move |error: Fault| ReplayError::Match { step, error };
    batch.start(0, played.seed, &played.seats, &mut buffers).map_err(at(0))?;
    await_answer(batch.as_mut(), PATIENCE, &mut buffers).map_err(at(0))?;
    let terms = spec.terms.len();
    let mut records: Vec<Episode> = Vec::new();
    for (seat, about) in spec.seats.iter().enumerate() {
        let player = recording.about.players[seat].clone();
        let source = format!("{name}, seat {seat}");
        records.push(Episode { role: about.role, player, source, ..Episode::default() });
    }
    let mut joint = vec![0; played.actions.width()];
    for step in 0..played.actions.steps() {
        if buffers.end[0].is_some() {
            let steps = played.actions.steps();
            let problem = format!("it is over after {step} of {steps} recorded steps");
            return Err(ReplayError::Length(problem));
        }
        played.actions.read(step, &mut joint);
        for (seat, record) in records.iter_mut().enumerate().filter(|(s, _)| buffers.acting[*s]) {
            let own = layout.seat(seat);
            let row = |width: usize, own: usize| seat * width..seat * width + own;
            record.steps.push(step as u32);
            let seen = &buffers.observation[row(layout.features, own.features)];
            record.observation.extend_from_slice(seen);
            let hidden = &buffers.privileged[row(layout.privileged, own.privileged)];
            record.privileged.extend_from_slice(hidden);
            record.mask.extend_from_slice(&buffers.mask[row(layout.actions, own.actions)]);
            let forbidden = &buffers.forbidden[row(layout.pair_values, own.pair_values)];
            record.forbidden.extend_from_slice(forbidden);
            record.actions.extend_from_slice(&joint[row(layout.heads, own.heads)]);
            record.terms.resize(record.terms.len() + terms, 0.0);
        }
        batch.submit(&[0], &joint, &mut buffers).map_err(at(step))?;
        await_answer(batch.as_mut(), PATIENCE, &mut buffers).map_err(at(step))?;
        for (seat, record) in records.iter_mut().enumerate().filter(|(_, r)| !r.is_empty()) {
            let last = record.terms.len() - terms;
            let earned = &buffers.terms[seat * terms..(seat + 1) * terms];
            record.terms[last..].iter_mut().zip(earned).for_each(|(sum, term)| *sum += term);
        }
    }
    for (record, seat) in records.iter_mut().zip(&spec.seats) {
        record.end = buffers.end[0];
        let over = buffers.end[0].is_some() && spec.contested();
        record.verdict = over.then(|| Verdict::of(&buffers.score, seat.team));
    }
    records.retain(|record| !record.is_empty());
    Ok(records)
}

//! A match played in Rust alone, to compare with one that is played through Python.

use std::time::Duration;

use lanista_game::{Buffers, Control, End, Spec, await_answer, seed};
use pyo3::prelude::*;

use crate::choice::Chosen;
use crate::error::{in_match, preset};

/// How long an engine outside may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A step: the actions of every seat, the bytes of what was seen and earned after it, and how it ended:
/// 0 not at all, 1 terminated, 2 truncated.
type Step = (Vec<u32>, Vec<u8>, u8);

/// Plays up to `steps` steps of episode 0 of match 0 by legal actions that are drawn from `seed`, straight
/// on the game's batch: what [`crate::environment::Environment`] shows must have the same bits. Returns
/// the bytes of the first view, and the steps. The bytes are those of observation, mask, forbidden pairs,
/// acting and terms of every seat that is taken, in this order, each cut to what its role uses.
#[pyfunction]
pub fn chain(
    game: &Bound<'_, PyAny>,
    settings: &str,
    seed: u64,
    steps: usize,
) -> PyResult<(Vec<u8>, Vec<Step>)> {
    let chosen = Chosen::new(game, settings, Some("{}"), None)?;
    let Chosen { entry, settings, spec, .. } = &chosen;
    let play = || -> Result<(Vec<u8>, Vec<Step>), String> {
        let text = |error: lanista_game::Fault| error.to_string();
        let mut batch = entry.build(settings, 1).map_err(|error| error.to_string())?;
        let mut buffers = Buffers::new(spec, 1);
        let control = |empty: bool| if empty { Control::Nobody } else { Control::Outside };
        let controls: Vec<Control> = spec.seats.iter().map(|s| control(s.empty)).collect();
        let episode = seed::episode(seed, 0, 0);
        batch.start(0, episode, &controls, &mut buffers).map_err(text)?;
        await_answer(&mut *batch, PATIENCE, &mut buffers).map_err(text)?;
        let mut dice = seed::rng(seed ^ 0x6469_6365);
        let (first, mut played) = (shown(spec, &buffers), Vec::new());
        for _ in 0..steps {
            let layout = buffers.layout();
            let mut actions = vec![0; layout.seats() * layout.heads];
            for seat in (0..layout.seats()).filter(|&seat| buffers.acting[seat]) {
                let own = layout.seat(seat);
                let action = &mut actions[seat * layout.heads..][..own.heads];
                let mask = &buffers.mask[seat * layout.actions..][..own.actions];
                let forbidden = &buffers.forbidden[seat * layout.pair_values..][..own.pair_values];
                spec.role_of(seat).draw(mask, forbidden, &mut dice, action);
            }
            batch.submit(&[0], &actions, &mut buffers).map_err(text)?;
            await_answer(&mut *batch, PATIENCE, &mut buffers).map_err(text)?;
            let end = match buffers.end[0] {
                None => 0,
                Some(End::Terminated) => 1,
                Some(End::Truncated) => 2,
            };
            played.push((actions, shown(spec, &buffers), end));
            if end > 0 {
                break;
            }
        }
        Ok((first, played))
    };
    spec.validate().map_err(preset)?;
    game.py().detach(play).map_err(in_match)
}

/// The bytes of a view.
fn shown(spec: &Spec, buffers: &Buffers) -> Vec<u8> {
    let (layout, mut bytes) = (buffers.layout(), Vec::new());
    for seat in (0..layout.seats()).filter(|&seat| !spec.seats[seat].empty) {
        let own = layout.seat(seat);
        let numbers = |bytes: &mut Vec<u8>, all: &[f32], width: usize, own: usize| {
            let row = &all[seat * width..seat * width + own];
            bytes.extend(row.iter().flat_map(|number| number.to_le_bytes()));
        };
        let flags = |bytes: &mut Vec<u8>, all: &[bool], width: usize, own: usize| {
            bytes.extend(all[seat * width..seat * width + own].iter().map(|&flag| u8::from(flag)));
        };
        numbers(&mut bytes, &buffers.observation, layout.features, own.features);
        flags(&mut bytes, &buffers.mask, layout.actions, own.actions);
        flags(&mut bytes, &buffers.forbidden, layout.pair_values, own.pair_values);
        // Nobody acts once the match is over.
        bytes.push(u8::from(buffers.acting[seat] && buffers.end[0].is_none()));
        numbers(&mut bytes, &buffers.terms, layout.terms, layout.terms);
    }
    bytes
}

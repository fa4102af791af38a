//! The rules of the contract, tried on a game.

use lanista_game::check::Trial;
use lanista_game::check_with;
use pyo3::prelude::*;

use crate::choice::Chosen;
use crate::error::ContractError;

/// Plays a game and tries every rule of the contract on it. Returns remarks; a rule that is broken is an
/// exception that names it.
#[pyfunction]
pub fn check(
    game: &Bound<'_, PyAny>,
    settings: &str,
    seeds: u64,
    limit: usize,
) -> PyResult<Vec<String>> {
    let chosen = Chosen::new(game, settings, Some("{}"), None)?;
    let trial = Trial { seeds, limit };
    let checked = game.py().detach(|| check_with(&chosen.entry, &chosen.settings, trial));
    checked.map_err(|failure| ContractError::new_err(failure.to_string()))
}

//! The native half of the Python package `lanista`.
//!
//! What crosses the border is flat: arrays of NumPy, and JSON for what is read once (settings, specs,
//! reports). Everything that a user calls stands in `python/lanista`, in Python, and says there what it
//! does; this module steps, infers and trains, and lets other Python threads run meanwhile.

mod chain;
mod check;
mod choice;
mod environment;
mod error;
mod matches;
mod model;
mod python_game;
mod remote;
mod run;

use pyo3::prelude::*;

/// The native module.
#[pymodule]
mod _lanista {
    #[pymodule_export]
    use crate::chain::chain;
    #[pymodule_export]
    use crate::check::check;
    #[pymodule_export]
    use crate::choice::{games, presets, spec};
    #[pymodule_export]
    use crate::environment::Environment;
    #[pymodule_export]
    use crate::error::{
        ContractError, LanistaError, MatchError, ModelError, PresetError, RunError,
    };
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::remote::Worker;
    #[pymodule_export]
    use crate::run::train;
}

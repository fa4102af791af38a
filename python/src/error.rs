//! What goes wrong here, as Python says it.

use std::fmt::Display;

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyList;

create_exception!(lanista, LanistaError, PyException, "Something that Lanista cannot do.");
create_exception!(
    lanista,
    PresetError,
    LanistaError,
    "A game, preset, setting or weight that there is not."
);
create_exception!(lanista, MatchError, LanistaError, "A match that cannot go on.");
create_exception!(
    lanista,
    ContractError,
    LanistaError,
    "A game that breaks a rule of the contract."
);
create_exception!(lanista, ModelError, LanistaError, "A model that cannot be used.");
create_exception!(lanista, RunError, LanistaError, "A run that failed.");

/// A wrong name or value.
pub fn preset(problem: impl Display) -> PyErr {
    PresetError::new_err(problem.to_string())
}

/// A match that cannot go on.
pub fn in_match(problem: impl Display) -> PyErr {
    MatchError::new_err(problem.to_string())
}

/// An exception of Python with its traceback, for those who have none.
pub fn traceback(py: Python<'_>, error: &PyErr) -> String {
    let format = || -> PyResult<String> {
        let lines = py
            .import("traceback")?
            .call_method1(
                "format_exception",
                (error.get_type(py), error.value(py), error.traceback(py)),
            )?
            .cast_into::<PyList>()
            .map_err(PyErr::from)?;
        let lines: Vec<String> = lines.extract()?;
        Ok(lines.concat().trim_end().to_owned())
    };
    format().unwrap_or_else(|_| error.to_string())
}

//! Models: batches of observations in, actions, values and probabilities out.
//!
//! Rows go through a policy in groups of a size at which each has the bits that it has alone, as they do
//! when it is served: what a model answers does not depend on who else is asked at the same time.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use lanista_game::seed;
use lanista_learn::{Choose, Inputs, Scratch};
use lanista_serve::model::{Endpoint, Models, Weights};
use lanista_train::files::RunFiles;
use lanista_train::model::{Metadata, metadata};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use crate::error::ModelError;

/// The name under which the file is read: only this module says it.
const NAME: &str = "model";

/// Policies of one file, by role.
#[pyclass(frozen, module = "lanista._lanista")]
pub struct Model {
    models: Models,
    metadata: Metadata,
    path: PathBuf,
    /// What passes leave behind for the next.
    scratch: Mutex<(Inputs, Scratch)>,
}

/// Rows as they come from Python; what is left out is empty.
struct Rows<'a> {
    count: usize,
    observation: &'a [f32],
    privileged: &'a [f32],
    mask: &'a [bool],
    forbidden: &'a [bool],
    reset: &'a [bool],
    actor_state: &'a [f32],
    critic_state: &'a [f32],
    /// `[rows, heads]`: actions whose probabilities are asked for.
    known: &'a [i64],
}

/// What comes out.
#[derive(Default)]
struct Answers {
    actions: Vec<i64>,
    log_probs: Vec<f32>,
    values: Vec<f32>,
    probabilities: Vec<f32>,
    actor_state: Vec<f32>,
    critic_state: Vec<f32>,
}

/// How a row chooses.
#[derive(Clone, Copy)]
enum Manner {
    Best,
    Seeded(u64),
    Known,
}

#[pymethods]
impl Model {
    /// Reads a `model.zip`, or that of a run.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let path = if path.is_dir() { RunFiles::of(&path).model() } else { path };
        let unusable = |error: &dyn std::fmt::Display| ModelError::new_err(error.to_string());
        let read = |path: &Path| Models::load(&[(NAME.to_owned(), path.to_owned())]);
        let models = py.detach(|| read(&path)).map_err(|e| unusable(&e))?;
        let metadata = metadata(&path).map_err(|e| unusable(&e))?;
        Ok(Self { models, metadata, path, scratch: Mutex::default() })
    }

    /// Where it was read.
    #[getter]
    fn path(&self) -> &Path {
        &self.path
    }

    /// What the model says about itself, as JSON.
    #[getter]
    fn metadata(&self) -> PyResult<String> {
        serde_json::to_string(&self.metadata).map_err(|e| ModelError::new_err(e.to_string()))
    }

    /// The roles that it plays, with the shapes of what goes in and comes out, as JSON.
    #[getter]
    fn roles(&self) -> String {
        let role = |endpoint: &Endpoint| {
            let (shape, (actor, critic)) = (&endpoint.shape, endpoint.state_sizes);
            json!({
                "name": endpoint.role.name,
                "features": shape.features,
                "privileged": shape.privileged,
                "heads": shape.heads,
                "actions": shape.actions(),
                "pair_values": shape.pair_values,
                "state": [actor, critic],
                "frames": endpoint.frames,
                "spec": endpoint.role,
            })
        };
        serde_json::Value::from(self.models.endpoints().iter().map(role).collect::<Vec<_>>())
            .to_string()
    }

    /// Chooses for rows of a role. Without `seed` the most likely actions; with one they are drawn, row
    /// `r` and head `h` by a number that follows from seed, `r` and `h` alone; with `actions`, those.
    #[pyo3(signature = (
        role, observation, mask = None, forbidden = None, privileged = None, state = None,
        reset = None, seed = None, actions = None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "the Python side names them all")]
    fn act<'py>(
        &self,
        py: Python<'py>,
        role: usize,
        observation: PyReadonlyArray2<'py, f32>,
        mask: Option<PyReadonlyArray2<'py, bool>>,
        forbidden: Option<PyReadonlyArray2<'py, bool>>,
        privileged: Option<PyReadonlyArray2<'py, f32>>,
        state: Option<(PyReadonlyArray2<'py, f32>, PyReadonlyArray2<'py, f32>)>,
        reset: Option<PyReadonlyArray1<'py, bool>>,
        seed: Option<u64>,
        actions: Option<PyReadonlyArray2<'py, i64>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let endpoint = self.models.endpoints().get(role).ok_or_else(|| {
            PyValueError::new_err(format!("the model plays no role number {role}"))
        })?;
        let observation = observation.as_slice()?;
        let features = endpoint.shape.features;
        if !observation.len().is_multiple_of(features) {
            let given = observation.len();
            let text = format!("observation: {given} numbers are no rows of {features}");
            return Err(PyValueError::new_err(text));
        }
        let count = observation.len() / features;
        let rows = Rows {
            count,
            observation,
            privileged: slice(&privileged)?,
            mask: slice(&mask)?,
            forbidden: slice(&forbidden)?,
            reset: match &reset {
                Some(array) => array.as_slice()?,
                None => &[],
            },
            actor_state: match &state {
                Some((actor, _)) => actor.as_slice()?,
                None => &[],
            },
            critic_state: match &state {
                Some((_, critic)) => critic.as_slice()?,
                None => &[],
            },
            known: slice(&actions)?,
        };
        rows.check(endpoint)?;
        let manner = match (&actions, seed) {
            (Some(_), _) => Manner::Known,
            (None, Some(seed)) => Manner::Seeded(seed),
            (None, None) => Manner::Best,
        };
        let weights = endpoint.weights();
        let answers = py.detach(|| self.answer(&weights, &rows, manner));
        let (actor, critic) = endpoint.state_sizes;
        let found = PyDict::new(py);
        let (heads, all) = (endpoint.shape.heads.len(), endpoint.shape.actions());
        found.set_item("action", table(py, answers.actions, [count, heads])?)?;
        found.set_item("log_prob", PyArray1::from_vec(py, answers.log_probs))?;
        if rows.has_critic(endpoint) {
            found.set_item("value", PyArray1::from_vec(py, answers.values))?;
        }
        found.set_item("probabilities", table(py, answers.probabilities, [count, all])?)?;
        let state = (
            table(py, answers.actor_state, [count, actor])?,
            table(py, answers.critic_state, [count, critic])?,
        );
        found.set_item("state", state)?;
        Ok(found)
    }
}

impl Rows<'_> {
    /// Is there all that the critic looks at?
    fn has_critic(&self, endpoint: &Endpoint) -> bool {
        endpoint.shape.privileged == 0 || !self.privileged.is_empty()
    }

    fn check(&self, endpoint: &Endpoint) -> PyResult<()> {
        let (shape, (actor, critic)) = (&endpoint.shape, endpoint.state_sizes);
        let rows = self.count;
        for (what, given, width) in [
            ("mask", self.mask.len(), shape.actions()),
            ("forbidden", self.forbidden.len(), shape.pair_values),
            ("privileged", self.privileged.len(), shape.privileged),
            ("reset", self.reset.len(), 1),
            ("state[0]", self.actor_state.len(), actor),
            ("state[1]", self.critic_state.len(), critic),
            ("actions", self.known.len(), shape.heads.len()),
        ] {
            if given != 0 && given != rows * width {
                let text = format!("{what}: {given} numbers, not [{rows}, {width}]");
                return Err(PyValueError::new_err(text));
            }
        }
        let finite = |numbers: &[f32]| numbers.iter().all(|number| number.is_finite());
        if !finite(self.observation) || !finite(self.privileged) {
            return Err(PyValueError::new_err("observation: some of it is not finite"));
        }
        let heads = shape.heads.len().max(1);
        for (i, &action) in self.known.iter().enumerate() {
            let size = shape.heads[i % heads];
            if usize::try_from(action).is_ok_and(|action| action < size) {
                continue;
            }
            let (row, head) = (i / heads, i % heads);
            let text = format!("actions: row {row}, head {head}: {action} is not below {size}");
            return Err(PyValueError::new_err(text));
        }
        Ok(())
    }
}

impl Model {
    fn answer(&self, weights: &Arc<Weights>, rows: &Rows<'_>, manner: Manner) -> Answers {
        // Called while the interpreter is free, so nobody who holds it waits here.
        let mut kept = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let (inputs, scratch) = &mut *kept;
        let policy = &weights.policy;
        let (shape, (actor, critic)) = (policy.shape(), policy.state_sizes());
        let (heads, actions) = (shape.heads.len(), shape.actions());
        let with_critic = shape.privileged == 0 || !rows.privileged.is_empty();
        let mut answers = Answers::default();
        for first in (0..rows.count).step_by(weights.rows.max(1)) {
            let last = (first + weights.rows.max(1)).min(rows.count);
            let count = last - first;
            inputs.clear();
            inputs.rows = count;
            inputs.packing.set_single(count);
            let part = |all: &[f32], width: usize, to: &mut Vec<f32>| match all {
                [] => to.resize(count * width, 0.0),
                _ => to.extend_from_slice(&all[first * width..last * width]),
            };
            part(rows.observation, shape.features, &mut inputs.observation);
            part(rows.privileged, shape.privileged, &mut inputs.privileged);
            part(rows.actor_state, actor, &mut inputs.actor_state);
            part(rows.critic_state, critic, &mut inputs.critic_state);
            let flags = |all: &[bool], width: usize, other: bool, to: &mut Vec<bool>| match all {
                [] => to.resize(count * width, other),
                _ => to.extend_from_slice(&all[first * width..last * width]),
            };
            flags(rows.mask, actions, true, &mut inputs.mask);
            flags(rows.forbidden, shape.pair_values, false, &mut inputs.forbidden);
            // Without a state everything begins here.
            flags(rows.reset, 1, rows.actor_state.is_empty(), &mut inputs.reset);
            policy.prepare(inputs);
            let draw = |row: usize, head: usize| match manner {
                Manner::Seeded(number) => {
                    seed::uniform(seed::mix(seed::mix(number, (first + row) as u64), head as u64))
                }
                _ => 0.0,
            };
            let known = |row: usize, head: usize| rows.known[(first + row) * heads + head] as u32;
            let choose = match manner {
                Manner::Best => Choose::Best,
                Manner::Seeded(_) => Choose::Sample(&draw),
                Manner::Known => Choose::Known(&known),
            };
            if with_critic {
                policy.act(inputs, scratch, choose);
                answers.values.extend_from_slice(&scratch.values[..count]);
            } else {
                policy.choose(inputs, scratch, choose);
            }
            answers.actions.extend(inputs.actions.iter().map(|&action| i64::from(action)));
            answers.log_probs.extend_from_slice(&scratch.log_probs[..count]);
            answers.actor_state.extend_from_slice(&inputs.actor_state);
            answers.critic_state.extend_from_slice(&inputs.critic_state);
            for row in 0..count {
                let mut at = row * actions;
                for &size in &shape.heads {
                    let (logits, mask) =
                        (&scratch.logits[at..at + size], &inputs.mask[at..at + size]);
                    let one = |action: usize| {
                        lanista_learn::categorical::log_prob(logits, mask, action as u32).exp()
                    };
                    answers.probabilities.extend((0..size).map(one));
                    at += size;
                }
            }
        }
        answers
    }
}

fn slice<'a, T: numpy::Element>(array: &'a Option<PyReadonlyArray2<'_, T>>) -> PyResult<&'a [T]> {
    match array {
        Some(array) => Ok(array.as_slice()?),
        None => Ok(&[]),
    }
}

fn table<'py, T: numpy::Element>(
    py: Python<'py>,
    numbers: Vec<T>,
    shape: [usize; 2],
) -> PyResult<Bound<'py, PyArray2<T>>> {
    PyArray1::from_vec(py, numbers).reshape(shape)
}

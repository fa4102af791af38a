//! Matches behind arrays of NumPy.
//!
//! The arrays are made once and belong to Python; a call writes into them, from whatever threads step
//! the matches, while the interpreter is free. So what a seat sees is copied once, out of the game's
//! buffers, and never by Python. Whoever keeps an array beyond the next call copies it.

use std::sync::{Mutex, PoisonError};

use numpy::{
    Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyReadwriteArray1, PyReadwriteArray2,
};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::choice::Chosen;
use crate::error::{in_match, preset};
use crate::matches::{MatchOut, Matches, Order, Out, Plan, SeatOut, Trouble};

/// The arrays of a seat: those of [`SeatOut`].
struct SeatArrays {
    observation: Py<PyArray2<f32>>,
    privileged: Py<PyArray2<f32>>,
    mask: Py<PyArray2<bool>>,
    forbidden: Py<PyArray2<bool>>,
    acting: Py<PyArray1<bool>>,
    terms: Py<PyArray2<f32>>,
    reward: Py<PyArray1<f64>>,
    replaced: Py<PyArray1<bool>>,
}

/// The arrays of whole matches: those of [`MatchOut`].
struct MatchArrays {
    terminated: Py<PyArray1<bool>>,
    truncated: Py<PyArray1<bool>>,
    lost: Py<PyArray1<bool>>,
    seed: Py<PyArray1<u64>>,
    score: Py<PyArray2<f32>>,
    stats: Py<PyArray2<f32>>,
}

/// Matches of a game behind arrays of NumPy.
#[pyclass(frozen, module = "lanista._lanista")]
pub struct Environment {
    matches: Mutex<Matches>,
    seats: Vec<SeatArrays>,
    whole: MatchArrays,
    count: usize,
    spec: String,
    settings: String,
    weights: Vec<Vec<f32>>,
    outside: Vec<usize>,
    heads: Vec<usize>,
}

#[pymethods]
impl Environment {
    /// Builds `matches` matches. `players` says who drives each seat.
    #[new]
    #[pyo3(signature = (game, settings, rewards, stack, players, matches, threads, until_acting, strict))]
    #[expect(clippy::too_many_arguments, reason = "the Python side names them all")]
    fn new(
        game: &Bound<'_, PyAny>,
        settings: &str,
        rewards: Option<&str>,
        stack: Option<Vec<usize>>,
        players: Vec<String>,
        matches: usize,
        threads: usize,
        until_acting: bool,
        strict: bool,
    ) -> PyResult<Self> {
        let py = game.py();
        if matches == 0 {
            return Err(preset("matches: there must be at least one"));
        }
        let chosen = Chosen::new(game, settings, rewards, stack)?;
        let drivers = chosen.drivers(&players)?;
        let plan = Plan { drivers, weights: chosen.weights.clone(), until_acting, strict };
        let built = py.detach(|| {
            Matches::new(&chosen.entry, &chosen.settings, &chosen.stack, matches, threads, plan)
        });
        let built = built.map_err(preset)?;
        let layout = lanista_game::Layout::of(built.spec());
        let outside = built.outside().to_vec();
        if outside.is_empty() {
            return Err(preset("no seat is driven from outside"));
        }
        let seat = |&seat: &usize| {
            let own = layout.seat(seat);
            SeatArrays {
                observation: table(py, matches, own.features),
                privileged: table(py, matches, own.privileged),
                mask: table(py, matches, own.actions),
                forbidden: table(py, matches, own.pair_values),
                acting: column(py, matches),
                terms: table(py, matches, layout.terms),
                reward: column(py, matches),
                replaced: column(py, matches),
            }
        };
        let whole = MatchArrays {
            terminated: column(py, matches),
            truncated: column(py, matches),
            lost: column(py, matches),
            seed: column(py, matches),
            score: table(py, matches, layout.teams),
            stats: table(py, matches, layout.stats),
        };
        Ok(Self {
            seats: outside.iter().map(seat).collect(),
            whole,
            count: matches,
            spec: serde_json::to_string(built.spec()).map_err(preset)?,
            settings: chosen.settings.to_string(),
            weights: chosen.weights,
            heads: outside.iter().map(|&seat| layout.seat(seat).heads).collect(),
            outside,
            matches: Mutex::new(built),
        })
    }

    /// What the game is made of, as JSON.
    #[getter]
    fn spec(&self) -> &str {
        &self.spec
    }

    /// The settings it is played with, as JSON.
    #[getter]
    fn settings(&self) -> &str {
        &self.settings
    }

    /// `[roles][terms]`: the weights of the terms.
    #[getter]
    fn weights(&self) -> Vec<Vec<f32>> {
        self.weights.clone()
    }

    /// The seats that are driven from outside; everything else that is listed by seat is in this order.
    #[getter]
    fn outside(&self) -> Vec<usize> {
        self.outside.clone()
    }

    /// The arrays that the calls below write, by name. Those of seats are lists.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        macro_rules! of_seats {
            ($($name:ident)*) => {$(
                let list: Vec<_> = self.seats.iter().map(|s| s.$name.bind(py)).collect();
                all.set_item(stringify!($name), list)?;
            )*};
        }
        of_seats!(observation privileged mask forbidden acting terms reward replaced);
        macro_rules! of_matches {
            ($($name:ident)*) => {$(
                all.set_item(stringify!($name), self.whole.$name.bind(py))?;
            )*};
        }
        of_matches!(terminated truncated lost seed score stats);
        Ok(all)
    }

    /// Starts the matches for which `which` is true (all without it): match `m` plays episode
    /// `episodes[m]` of those that follow from `seeds[m]`.
    #[pyo3(signature = (seeds, episodes, which = None))]
    fn start(
        &self,
        py: Python<'_>,
        seeds: PyReadonlyArray1<'_, u64>,
        episodes: PyReadonlyArray1<'_, u64>,
        which: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<()> {
        let (seeds, episodes) = (seeds.as_slice()?, episodes.as_slice()?);
        let which = which.as_ref().map(|which| which.as_slice()).transpose()?;
        self.expect("seeds", seeds.len())?;
        self.expect("episodes", episodes.len())?;
        self.expect("which", which.map_or(self.count, <[bool]>::len))?;
        let order = |m: usize| match which.is_none_or(|which| which[m]) {
            true => Order::Start(seeds[m], episodes[m]),
            false => Order::Nothing,
        };
        let orders: Vec<Order> = (0..self.count).map(order).collect();
        self.play(py, &orders, &[])
    }

    /// Plays a step of the matches for which `which` is true (all without it). `actions` are
    /// `[matches, heads]` of every seat that is driven from outside.
    #[pyo3(signature = (actions, which = None))]
    fn step(
        &self,
        py: Python<'_>,
        actions: Vec<PyReadonlyArray2<'_, i64>>,
        which: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<()> {
        if actions.len() != self.outside.len() {
            let (given, seats) = (actions.len(), self.outside.len());
            return Err(PyValueError::new_err(format!("actions of {given} seats, not of {seats}")));
        }
        let mut chosen = Vec::with_capacity(actions.len());
        for (action, &heads) in actions.iter().zip(&self.heads) {
            let flat = action.as_slice()?;
            if flat.len() != self.count * heads {
                let (count, given) = (self.count, flat.len());
                let text = format!("actions: {given} numbers, not [{count}, {heads}]");
                return Err(PyValueError::new_err(text));
            }
            chosen.push(flat);
        }
        let which = which.as_ref().map(|which| which.as_slice()).transpose()?;
        self.expect("which", which.map_or(self.count, <[bool]>::len))?;
        let order = |m: usize| match which.is_none_or(|which| which[m]) {
            true => Order::Step,
            false => Order::Nothing,
        };
        let orders: Vec<Order> = (0..self.count).map(order).collect();
        self.play(py, &orders, &chosen)
    }

    /// The picture of a match, as JSON; empty if the game has none.
    fn frame(&self, py: Python<'_>, m: usize) -> PyResult<String> {
        self.expect("match", if m < self.count { self.count } else { m })?;
        Ok(py.detach(|| self.locked().frame(m)))
    }

    /// Remarks that a user should read.
    fn notes(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.locked().notes())
    }
}

impl Environment {
    /// Only ever called while the interpreter is free: a game in Python that is being stepped waits for
    /// it, with this lock in its hand.
    fn locked(&self) -> std::sync::MutexGuard<'_, Matches> {
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn expect(&self, what: &str, given: usize) -> PyResult<()> {
        if given == self.count {
            return Ok(());
        }
        let count = self.count;
        Err(PyValueError::new_err(format!("{what}: {given}, but there are {count} matches")))
    }

    fn play(&self, py: Python<'_>, orders: &[Order], actions: &[&[i64]]) -> PyResult<()> {
        let mut seats = Vec::with_capacity(self.seats.len());
        for seat in &self.seats {
            seats.push(WrittenSeat {
                observation: write2(py, &seat.observation)?,
                privileged: write2(py, &seat.privileged)?,
                mask: write2(py, &seat.mask)?,
                forbidden: write2(py, &seat.forbidden)?,
                acting: write1(py, &seat.acting)?,
                terms: write2(py, &seat.terms)?,
                reward: write1(py, &seat.reward)?,
                replaced: write1(py, &seat.replaced)?,
            });
        }
        let whole = &self.whole;
        let mut terminated = write1(py, &whole.terminated)?;
        let mut truncated = write1(py, &whole.truncated)?;
        let mut lost = write1(py, &whole.lost)?;
        let mut seed = write1(py, &whole.seed)?;
        let mut score = write2(py, &whole.score)?;
        let mut stats = write2(py, &whole.stats)?;
        let out = Out {
            seats: seats.iter_mut().map(WrittenSeat::out).collect::<PyResult<_>>()?,
            matches: MatchOut {
                terminated: terminated.as_slice_mut()?,
                truncated: truncated.as_slice_mut()?,
                lost: lost.as_slice_mut()?,
                seed: seed.as_slice_mut()?,
                score: score.as_slice_mut()?,
                stats: stats.as_slice_mut()?,
            },
        };
        py.detach(|| self.locked().play(orders, actions, out)).map_err(|trouble| match trouble {
            // Somebody who pressed Ctrl-C hears of that, and not of the match that it met.
            Trouble::Fault(text) => py.check_signals().err().unwrap_or_else(|| in_match(text)),
            Trouble::Action(text) => PyValueError::new_err(text),
        })
    }
}

/// The arrays of a seat while they are written.
struct WrittenSeat<'py> {
    observation: PyReadwriteArray2<'py, f32>,
    privileged: PyReadwriteArray2<'py, f32>,
    mask: PyReadwriteArray2<'py, bool>,
    forbidden: PyReadwriteArray2<'py, bool>,
    acting: PyReadwriteArray1<'py, bool>,
    terms: PyReadwriteArray2<'py, f32>,
    reward: PyReadwriteArray1<'py, f64>,
    replaced: PyReadwriteArray1<'py, bool>,
}

impl WrittenSeat<'_> {
    fn out(&mut self) -> PyResult<SeatOut<'_>> {
        Ok(SeatOut {
            observation: self.observation.as_slice_mut()?,
            privileged: self.privileged.as_slice_mut()?,
            mask: self.mask.as_slice_mut()?,
            forbidden: self.forbidden.as_slice_mut()?,
            acting: self.acting.as_slice_mut()?,
            terms: self.terms.as_slice_mut()?,
            reward: self.reward.as_slice_mut()?,
            replaced: self.replaced.as_slice_mut()?,
        })
    }
}

fn table<T: Element>(py: Python<'_>, rows: usize, columns: usize) -> Py<PyArray2<T>> {
    PyArray2::zeros(py, [rows, columns], false).unbind()
}

fn column<T: Element>(py: Python<'_>, rows: usize) -> Py<PyArray1<T>> {
    PyArray1::zeros(py, rows, false).unbind()
}

/// An array that another thread is being given right now cannot be written.
fn busy(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(format!("another thread steps this environment: {error}"))
}

fn write1<'py, T: Element>(
    py: Python<'py>,
    array: &Py<PyArray1<T>>,
) -> PyResult<PyReadwriteArray1<'py, T>> {
    array.bind(py).try_readwrite().map_err(busy)
}

fn write2<'py, T: Element>(
    py: Python<'py>,
    array: &Py<PyArray2<T>>,
) -> PyResult<PyReadwriteArray2<'py, T>> {
    array.bind(py).try_readwrite().map_err(busy)
}

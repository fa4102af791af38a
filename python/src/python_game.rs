//! A game that is written in Python, behind the contract.
//!
//! The interpreter is taken once for a step of all matches of a batch. The Python half,
//! `lanista/_driver.py`, plays them one after the other and writes into arrays that both halves know;
//! what it writes is copied from there into the buffers of whoever plays.

use std::ops::Range;

use lanista_game::{
    Batch, Buffers, Control, End, Entry, Fault, Maker, Setting, SettingsError, Spec,
};
use numpy::{PyArray1, PyReadonlyArrayDyn};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use crate::error::{preset, traceback};

/// The game of a Python class.
pub fn entry(class: &Bound<'_, PyAny>) -> PyResult<Entry> {
    let base = class.py().import("lanista.game")?.getattr("Game")?;
    let is_game = class
        .cast::<pyo3::types::PyType>()
        .is_ok_and(|class| class.is_subclass(&base).unwrap_or(false));
    if !is_game {
        let given = class.repr().map_or_else(|_| "this".to_owned(), |text| text.to_string());
        return Err(preset(format!(
            "{given} is no game: give its name, that of a preset, or a class derived from lanista.Game"
        )));
    }
    let about: (String, String, String) = class.call_method0("_described")?.extract()?;
    let settings: Vec<(String, Value, String)> = serde_json::from_str(&about.2).map_err(preset)?;
    let setting = |(name, default, about)| Setting { name, default, about, machine: false };
    let settings: Vec<Setting> = settings.into_iter().map(setting).collect();
    let known = settings.iter().map(|setting| setting.name.clone()).collect();
    let maker = OfClass { class: class.clone().unbind(), name: about.0.clone(), known };
    Ok(Entry::new(about.0, about.1, settings, maker))
}

struct OfClass {
    class: Py<PyAny>,
    name: String,
    known: Vec<String>,
}

impl OfClass {
    /// Makes the Python half: its games, and the spec they share.
    fn driver(&self, settings: &Value, matches: usize) -> Result<(Py<PyAny>, Spec), SettingsError> {
        if let Some(key) = settings
            .as_object()
            .and_then(|map| map.keys().find(|key| !self.known.iter().any(|known| known == *key)))
        {
            let known = self.known.join("`, `");
            let text = format!("unknown field `{key}`, expected one of `{known}`");
            return Err(SettingsError::new(key, text));
        }
        let given = if settings.is_null() { "{}".to_owned() } else { settings.to_string() };
        Python::attach(|py| {
            let made = || -> PyResult<(Py<PyAny>, String)> {
                let class = py.import("lanista._driver")?.getattr("Driver")?;
                let driver = class.call1((self.class.bind(py), given, matches))?;
                let spec = driver.getattr("spec")?.extract()?;
                Ok((driver.unbind(), spec))
            };
            let (driver, spec) =
                made().map_err(|error| SettingsError::new("", traceback(py, &error)))?;
            let spec: Spec = serde_json::from_str(&spec)
                .map_err(|error| SettingsError::new("", format!("its spec: {error}")))?;
            Ok((driver, Spec { name: self.name.clone(), ..spec }))
        })
    }
}

impl Maker for OfClass {
    fn spec(&self, settings: &Value) -> Result<Spec, SettingsError> {
        Ok(self.driver(settings, 0)?.1)
    }

    fn build(&self, settings: &Value, matches: usize) -> Result<Box<dyn Batch>, SettingsError> {
        let (driver, spec) = self.driver(settings, matches)?;
        spec.validate().map_err(|error| SettingsError::new("", error.to_string()))?;
        Ok(Box::new(PythonMatches { driver, spec, matches }))
    }
}

struct PythonMatches {
    driver: Py<PyAny>,
    spec: Spec,
    matches: usize,
}

impl PythonMatches {
    /// Calls the Python half; an exception becomes a fault of the match that it names.
    fn call<T>(
        &self,
        play: impl for<'py> FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> Result<T, Fault> {
        Python::attach(|py| {
            let driver = self.driver.bind(py);
            play(driver).map_err(|error| {
                let at = driver.getattr("at").and_then(|at| at.extract());
                let message = traceback(py, &error);
                if error.is_instance_of::<PyKeyboardInterrupt>(py) {
                    // Ctrl-C while the calling thread plays: it is asked for again, for whoever called. If that
                    // fails, the fault says it.
                    let _ = py.import("_thread").and_then(|all| all.call_method0("interrupt_main"));
                }
                Fault { match_index: at.unwrap_or(0), message }
            })
        })
    }
}

impl Batch for PythonMatches {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn matches(&self) -> usize {
        self.matches
    }

    fn start(
        &mut self,
        m: usize,
        seed: u64,
        seats: &[Control],
        buffers: &mut Buffers,
    ) -> Result<(), Fault> {
        let bots = |seat: usize| &self.spec.role_of(seat).bots;
        let name = |(seat, control): (usize, &Control)| match control {
            Control::Outside => Some("outside".to_owned()),
            Control::Bot(bot) => Some(format!("bot:{}", bots(seat)[*bot].name)),
            Control::Nobody => None,
        };
        let seats: Vec<Option<String>> = seats.iter().enumerate().map(name).collect();
        self.call(|driver| {
            driver.call_method1("start", (m, seed, seats))?;
            take_views(driver, &[m], buffers)
        })
    }

    fn submit(
        &mut self,
        which: &[usize],
        actions: &[u32],
        buffers: &mut Buffers,
    ) -> Result<(), Fault> {
        self.call(|driver| {
            let actions = PyArray1::from_slice(driver.py(), actions);
            driver.call_method1("submit", (which, actions))?;
            take_outcomes(driver, which, buffers)?;
            take_views(driver, which, buffers)
        })
    }

    fn scripted(
        &mut self,
        m: usize,
        bot: usize,
        seat: usize,
        action: &mut [u32],
    ) -> Result<(), Fault> {
        let name = self.spec.role_of(seat).bots[bot].name.clone();
        let chosen: Vec<u32> =
            self.call(|driver| driver.call_method1("scripted", (m, name, seat))?.extract())?;
        let heads = &self.spec.role_of(seat).heads;
        let sound = chosen.len() == action.len()
            && chosen.iter().zip(heads).all(|(&c, head)| (c as usize) < head.actions.len());
        if !sound {
            let message = format!("scripted: {chosen:?} is no action of seat {seat}");
            return Err(Fault { match_index: m, message });
        }
        action.copy_from_slice(&chosen);
        Ok(())
    }

    fn frame(&self, m: usize, out: &mut String) {
        let frame: Result<String, Fault> =
            self.call(|driver| driver.call_method1("frame", (m,))?.extract());
        if let Ok(frame) = frame
            && !frame.is_empty()
        {
            *out = frame;
        }
    }

    fn step_secs(&self) -> Option<f64> {
        self.call(|driver| driver.getattr("step_secs")?.extract()).ok().flatten()
    }
}

/// Copies the rows of matches out of an array of the Python half.
fn take<T: numpy::Element + Copy>(
    arrays: &Bound<'_, PyDict>,
    name: &str,
    which: &[usize],
    to: &mut [T],
    matches: usize,
) -> PyResult<()> {
    let array = arrays.get_item(name)?.ok_or_else(|| preset(format!("no array `{name}`")))?;
    let array: PyReadonlyArrayDyn<'_, T> = array.extract()?;
    let from = array.as_slice()?;
    let width = to.len() / matches;
    for &m in which {
        let row: Range<usize> = m * width..(m + 1) * width;
        to[row.clone()].copy_from_slice(&from[row]);
    }
    Ok(())
}

fn take_views(driver: &Bound<'_, PyAny>, which: &[usize], buffers: &mut Buffers) -> PyResult<()> {
    let arrays = driver.getattr("arrays")?.cast_into::<PyDict>()?;
    let matches = buffers.end.len();
    take(&arrays, "observation", which, &mut buffers.observation, matches)?;
    take(&arrays, "privileged", which, &mut buffers.privileged, matches)?;
    take(&arrays, "mask", which, &mut buffers.mask, matches)?;
    take(&arrays, "forbidden", which, &mut buffers.forbidden, matches)?;
    take(&arrays, "acting", which, &mut buffers.acting, matches)
}

fn take_outcomes(
    driver: &Bound<'_, PyAny>,
    which: &[usize],
    buffers: &mut Buffers,
) -> PyResult<()> {
    let arrays = driver.getattr("arrays")?.cast_into::<PyDict>()?;
    let matches = buffers.end.len();
    take(&arrays, "terms", which, &mut buffers.terms, matches)?;
    take(&arrays, "score", which, &mut buffers.score, matches)?;
    take(&arrays, "stats", which, &mut buffers.stats, matches)?;
    let mut ends = vec![0u8; matches];
    take(&arrays, "end", which, &mut ends, matches)?;
    for &m in which {
        buffers.end[m] = match ends[m] {
            0 => None,
            1 => Some(End::Terminated),
            _ => Some(End::Truncated),
        };
    }
    Ok(())
}

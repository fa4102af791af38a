//! The two ends of a run whose matches are played elsewhere: a worker, and what carries messages to workers.
//!
//! Messages are arrays of bytes. A worker plays without Python; what carries them is an object of Python that
//! has the methods of [`Carried`], such as `lanista.ray` makes one.

use std::sync::{Mutex, PoisonError};

use lanista_catalog::games;
use lanista_train::remote::{Event, Transport, TransportError, Worker as Played};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::error::{RunError, traceback};

/// Holds whole shards and plays them as it is told.
#[pyclass(frozen)]
pub struct Worker {
    played: Mutex<Played>,
}

#[pymethods]
impl Worker {
    /// A worker for all games of the catalogue, with so many threads.
    #[new]
    fn new(threads: usize) -> PyResult<Self> {
        let played = Played::new(games().to_vec(), threads);
        let played = played.map_err(|error| RunError::new_err(error.to_string()))?;
        Ok(Self { played: Mutex::new(played) })
    }

    /// Takes a parcel that a later order names.
    fn take(&self, parcel: u64, data: PyReadonlyArray1<'_, u8>) -> PyResult<()> {
        let bytes = data.as_slice()?;
        self.played.lock().unwrap_or_else(PoisonError::into_inner).take(parcel, bytes);
        Ok(())
    }

    /// Follows an order and returns the answer. Other Python threads run meanwhile.
    fn play<'py>(
        &self,
        py: Python<'py>,
        order: PyReadonlyArray1<'_, u8>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let order = order.as_slice()?.to_vec();
        let answer =
            py.detach(|| self.played.lock().unwrap_or_else(PoisonError::into_inner).play(&order));
        Ok(PyArray1::from_vec(py, answer))
    }
}

/// An object of Python that carries messages: `workers()`, `publish(parcel, bytes)`, `withdraw(parcel)`,
/// `send(worker, order, parcels)`, and `receive(wait)`, which returns `None`, `(worker, answer, None)` or
/// `(worker, None, why)`.
pub struct Carried {
    carrier: Py<PyAny>,
    workers: usize,
}

impl Carried {
    /// Asks it how many workers it has.
    pub fn new(carrier: Py<PyAny>) -> PyResult<Self> {
        let workers = Python::attach(|py| carrier.call_method0(py, "workers")?.extract(py))?;
        Ok(Self { carrier, workers })
    }

    fn call<T>(
        &self,
        work: impl for<'py> FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> Result<T, TransportError> {
        Python::attach(|py| {
            work(self.carrier.bind(py)).map_err(|error| TransportError(traceback(py, &error)))
        })
    }
}

impl Transport for Carried {
    fn workers(&self) -> usize {
        self.workers
    }

    fn publish(&mut self, parcel: u64, bytes: Vec<u8>) -> Result<(), TransportError> {
        self.call(|carrier| {
            let bytes = PyArray1::from_vec(carrier.py(), bytes);
            carrier.call_method1("publish", (parcel, bytes)).map(drop)
        })
    }

    fn withdraw(&mut self, parcel: u64) {
        // A parcel too many costs memory and nothing else.
        let _ = self.call(|carrier| carrier.call_method1("withdraw", (parcel,)).map(drop));
    }

    fn send(
        &mut self,
        worker: usize,
        order: Vec<u8>,
        parcels: &[u64],
    ) -> Result<(), TransportError> {
        self.call(|carrier| {
            let order = PyArray1::from_vec(carrier.py(), order);
            carrier.call_method1("send", (worker, order, parcels.to_vec())).map(drop)
        })
    }

    fn receive(&mut self, wait: bool) -> Result<Option<Event>, TransportError> {
        type Heard<'py> = Option<(usize, Option<PyReadonlyArray1<'py, u8>>, Option<String>)>;
        self.call(|carrier| {
            let heard = carrier.call_method1("receive", (wait,))?;
            let Some((worker, answer, why)): Heard<'_> = heard.extract()? else { return Ok(None) };
            Ok(Some(match answer {
                Some(answer) => Event::Answer { worker, bytes: answer.as_slice()?.to_vec() },
                None => Event::Lost { worker, why: why.unwrap_or_default() },
            }))
        })
    }
}

//! A run that is trained from Python.
//!
//! It trains on a thread of its own. The thread that called waits for what it says, calls back into
//! Python with it, and listens for Ctrl-C; other Python threads run meanwhile.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use lanista_catalog::{PRESETS, catalog};
use lanista_game::Entry;
use lanista_train::TrainError;
use lanista_train::disk::DiskError;
use lanista_train::metrics::{Record, Sink};
use lanista_train::remote::{Crew, Mode, RemoteError, TransportError, Workers};
use lanista_train::run::{Ending, Orders, Run, RunError as Failed, Summary};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::error::{PresetError, RunError, traceback};
use crate::python_game;
use crate::remote::Carried;

/// How often it is seen whether somebody has pressed Ctrl-C.
const GLANCE: Duration = Duration::from_millis(50);

/// Something that a run says, and where its answer goes: shall it go on?
type Said = (&'static str, String, Sender<bool>);

/// Hands over what a run says and waits until it was heard.
struct Ear {
    said: Sender<Said>,
    interrupt: Arc<AtomicBool>,
}

impl Ear {
    fn tell(&self, kind: &'static str, text: String) {
        let (answer, answered) = mpsc::channel();
        // Nobody listens any more: the call was interrupted twice.
        let go_on = match self.said.send((kind, text, answer)) {
            Ok(()) => answered.recv().unwrap_or(false),
            Err(_) => false,
        };
        if !go_on {
            self.interrupt.store(true, Ordering::Relaxed);
        }
    }
}

impl Sink for Ear {
    fn record(&mut self, record: &Record) -> Result<(), DiskError> {
        match record {
            Record::Iteration(iteration) => {
                for remark in &iteration.remarks {
                    self.tell("remark", remark.clone());
                }
                for note in &iteration.notes {
                    self.tell("note", note.clone());
                }
                self.tell("iteration", record.to_json().unwrap_or_default().to_string());
            }
            Record::Evaluation { .. } => {
                self.tell("evaluation", record.to_json().unwrap_or_default().to_string());
            }
            Record::Remark(text) => self.tell("remark", (*text).to_owned()),
            Record::Note(text) => self.tell("note", (*text).to_owned()),
        }
        Ok(())
    }
}

/// What is trained.
struct Task {
    preset: String,
    text: Option<String>,
    overrides: Vec<String>,
    directory: Option<PathBuf>,
    games: Vec<Entry>,
    pause_at: Option<u64>,
    /// What carries messages to workers, how old what they play may be, and who does other work.
    workers: Option<(Py<PyAny>, Mode, Crew)>,
}

/// Trains a preset. `hear(kind, text)` is called with all that the run says; `False` ends it after the
/// iteration. Returns a summary as JSON.
#[pyfunction]
#[pyo3(signature = (preset, text, overrides, directory, games, pause_at, hear, workers=None, max_lag=None, crew=(0, 0)))]
#[expect(clippy::too_many_arguments, reason = "the Python side names them all")]
pub fn train(
    py: Python<'_>,
    preset: String,
    text: Option<String>,
    overrides: Vec<String>,
    directory: Option<PathBuf>,
    games: Vec<Bound<'_, PyAny>>,
    pause_at: Option<u64>,
    hear: Py<PyAny>,
    workers: Option<Py<PyAny>>,
    max_lag: Option<u64>,
    crew: (usize, usize),
) -> PyResult<String> {
    let own = games.iter().map(python_game::entry).collect::<PyResult<Vec<_>>>()?;
    // A game of one's own takes the place of one of the same name.
    let others = catalog().games.iter().filter(|entry| own.iter().all(|o| o.name != entry.name));
    let games = own.iter().chain(others).cloned().collect();
    let mode = max_lag.map_or(Mode::Sync, |max_lag| Mode::Async { max_lag });
    let crew = Crew { exploiters: crew.0, evaluators: crew.1 };
    let workers = workers.map(|carrier| (carrier, mode, crew));
    let task = Task { preset, text, overrides, directory, games, pause_at, workers };
    py.detach(|| watched(task, &hear))
}

/// Trains on another thread, and answers it here.
fn watched(task: Task, hear: &Py<PyAny>) -> PyResult<String> {
    let interrupt = Arc::new(AtomicBool::new(false));
    let (said, listening) = mpsc::channel();
    let ear = Ear { said, interrupt: Arc::clone(&interrupt) };
    let training = thread::spawn(move || trained(&task, ear));
    let mut raised: Option<PyErr> = None;
    let mut wishes = 0;
    loop {
        let heard = listening.recv_timeout(GLANCE);
        let asked = Python::attach(|py| {
            let answer = match &heard {
                Ok((kind, text, _)) => hear.call1(py, (*kind, text.as_str()))?.extract(py)?,
                Err(_) => true,
            };
            py.check_signals()?;
            Ok::<bool, PyErr>(answer)
        });
        let go_on = match asked {
            Ok(go_on) => go_on,
            Err(error) if Python::attach(|py| error.is_instance_of::<PyKeyboardInterrupt>(py)) => {
                wishes += 1;
                if wishes > 1 {
                    // Whoever asks twice does not wait. The thread is left to itself: it finds that nobody
                    // listens, and saves what it has as soon as it can.
                    return Err(error);
                }
                let note = "finishing the iteration, then saving; Ctrl-C once more leaves at once";
                // A line that cannot be shown is no reason to fail.
                Python::attach(|py| drop(hear.call1(py, ("note", note))));
                false
            }
            // Whatever else was raised is raised once the run is safe.
            Err(error) => {
                raised.get_or_insert(error);
                false
            }
        };
        if !go_on {
            interrupt.store(true, Ordering::Relaxed);
        }
        match heard {
            Ok((_, _, answer)) => drop(answer.send(go_on)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let ended = training.join();
    if let Some(error) = raised {
        return Err(error);
    }
    match ended {
        Ok(summary) => summary.map_err(|error| match error {
            Failed::Preset(error) => PresetError::new_err(error.to_string()),
            Failed::Config(error) => PresetError::new_err(error.to_string()),
            other => RunError::new_err(other.to_string()),
        }),
        Err(_) => Err(RunError::new_err("the training thread panicked")),
    }
}

/// Opens the run and trains it to its end.
fn trained(task: &Task, mut ear: Ear) -> Result<String, Failed> {
    let mut presets = PRESETS.to_vec();
    if let Some(text) = &task.text {
        presets.push((&task.preset, text));
    }
    let mut opening = Run::preset(&task.preset, &task.games).embedded(&presets);
    for one in &task.overrides {
        opening = opening.set(one)?;
    }
    if let Some(directory) = &task.directory {
        opening = opening.directory(directory);
    }
    if let Some((carrier, mode, crew)) = &task.workers {
        let carrier = Python::attach(|py| carrier.clone_ref(py));
        let carried = Carried::new(carrier).map_err(|error| {
            let problem = Python::attach(|py| traceback(py, &error));
            TrainError::from(RemoteError::from(TransportError(problem)))
        })?;
        let workers = Workers::new(Box::new(carried), *mode).with_crew(*crew);
        opening = opening.workers(workers.map_err(TrainError::from)?);
    }
    let mut run = opening.open()?;
    let begun = json!({
        "title": run.title(),
        "directory": run.directory().path(),
        "resumed_at": run.begun().resumed_at,
        "threads": run.trainer().threads(),
        "seed": run.trainer().config().run.seed,
        "steps": run.trainer().config().stop.steps,
    });
    ear.tell("begun", begun.to_string());
    run.remarks().iter().for_each(|remark| ear.tell("remark", remark.clone()));
    let interrupt = Arc::clone(&ear.interrupt);
    let orders = Orders { pause_at: task.pause_at, ..Orders::until_interrupted(&interrupt) };
    let summary = run.train(&mut [&mut ear], &orders)?;
    Ok(told(&run, &summary).to_string())
}

fn told(run: &Run, summary: &Summary) -> Value {
    let ending = match summary.ending {
        Ending::Steps => "steps",
        Ending::Seconds => "seconds",
        Ending::Return => "return",
        Ending::Paused => "paused",
        Ending::Interrupted => "interrupted",
    };
    let progress = run.trainer().progress();
    json!({
        "ending": ending,
        "report": summary.report,
        "directory": run.directory().path(),
        "model": run.directory().files().model(),
        "resumed_at": run.begun().resumed_at,
        "steps": progress.steps,
        "seconds": progress.seconds,
    })
}

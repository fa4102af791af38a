//! A run that trains before the eyes of whoever started it, and listens to them.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use lanista_train::checkpoint::Continued;
use lanista_train::dataset::Split;
use lanista_train::run::{Orders, Run, RunError, Summary};
use lanista_watch::{Controls, human};
use thiserror::Error;

use crate::progress::ProgressLine;
use crate::screen::{Screen, Voice, complain};

/// How a run is shown while it trains, and who may interrupt it.
pub struct Show {
    /// Who listens.
    pub voice: Voice,
    /// Stop and save at so many steps, without touching the schedules.
    pub pause_at: Option<u64>,
    /// What keys and signals ask for.
    pub controls: Arc<Controls>,
}

/// A run that was shown and failed.
#[derive(Debug, Error)]
pub enum ShowError {
    /// The system does not tell of Ctrl-C.
    #[error("cannot listen for Ctrl-C: {0}")]
    Interrupt(ctrlc::Error),
    /// The run failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl Default for Show {
    /// To the end, with the dashboard if standard output is a terminal.
    fn default() -> Self {
        Self { voice: Voice::of_terminal(), pause_at: None, controls: Arc::default() }
    }
}

impl Show {
    /// Says what is trained, and how it began; trains to the end and shows it. The first Ctrl-C saves
    /// and ends the run after its iteration, the second ends the program at once.
    pub fn train(&self, run: &mut Run) -> Result<Summary, ShowError> {
        announce(self.voice, run);
        listen(&self.controls).map_err(ShowError::Interrupt)?;
        let mut screen = Screen::new(self.voice, run, self.pause_at, &self.controls);
        let matches = ProgressLine::new("evaluating".to_owned());
        let evaluating = |done, of| {
            // The dashboard has the screen until it is closed.
            if self.voice != Voice::Dashboard {
                matches.tell(done, of);
            }
        };
        let orders = Orders {
            interrupt: &self.controls.interrupt,
            pause_at: self.pause_at,
            save: Some(&self.controls.save),
            wait: Some(&self.controls.pause),
            show: Some(&self.controls.live),
            evaluating: Some(&evaluating),
        };
        let result = run.train(&mut [&mut screen], &orders);
        drop(matches);
        screen.close();
        Ok(result?)
    }
}

/// Who hears of Ctrl-C: the run that was shown last. A process has one listener.
static LISTENING: Mutex<Option<Arc<Controls>>> = Mutex::new(None);

fn listen(controls: &Arc<Controls>) -> Result<(), ctrlc::Error> {
    let current = || LISTENING.lock().unwrap_or_else(PoisonError::into_inner);
    let before = current().replace(Arc::clone(controls));
    if before.is_some() {
        return Ok(());
    }
    ctrlc::set_handler(move || {
        let again = current().as_ref().is_none_or(|c| c.interrupt.swap(true, Ordering::Relaxed));
        if again {
            lanista_watch::restore();
            std::process::exit(130);
        }
    })
}

/// Says what is trained, and what was found when it began.
fn announce(voice: Voice, run: &Run) {
    let (title, trainer, begun) = (run.title(), run.trainer(), run.begun());
    for remark in run.remarks() {
        complain(&format!("warning: {remark}"));
    }
    for problem in &begun.passed_over {
        complain(&format!("warning: {problem}; using the checkpoint before it"));
    }
    let place = run.directory().path().display();
    let what = match begun.resumed_at {
        Some(steps) => format!("resuming {title} at {steps} steps"),
        None if run.cloning().is_some() => format!("cloning {title}"),
        None => format!("training {title}"),
    };
    let parameters = trainer.agent.parameters();
    voice.say(&format!(
        "{what} on {}, {} parameters, seed {}, in {place}",
        human::plural(trainer.threads() as u64, "thread"),
        human::count(parameters as u64),
        trainer.config().run.seed
    ));
    for note in trainer.agent.shards.first().map(|s| s.notes()).unwrap_or_default() {
        voice.say(&note);
    }
    for line in &begun.said {
        voice.say(line);
    }
    if let Some(cloning) = run.cloning() {
        voice.say(&format!(
            "{} decisions to learn from, {} held out",
            human::count(cloning.decisions(Split::Train)),
            human::count(cloning.decisions(Split::HeldOut))
        ));
    }
    for exploiter in &begun.exploiters_anew {
        voice.say(exploiter);
    }
    for change in &begun.changes {
        voice.say(&format!("changed since it was saved: {change}"));
    }
    for milestone in &begun.missing_milestones {
        let path = run.directory().files().milestones().join(milestone);
        complain(&format!("warning: {} was made by this run and is gone", path.display()));
    }
    if begun.continued == Continued::Anew {
        voice.say(
            "the matches start anew: they were not recorded, or the game's settings, the number of \
             matches or the seed have changed",
        );
    }
}

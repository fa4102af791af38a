//! The dashboard on a real terminal.
//!
//! A thread of its own has the terminal: it draws, takes keys, follows the size of the window and
//! goes to sleep with its shell. The run hands it plain data and never waits for it.

use std::io::{self, BufWriter, IsTerminal, Stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossterm::event::{self, Event};
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;

use crate::capture;
use crate::controls::Controls;
use crate::draw::draw;
use crate::job::Job;
use crate::keys::{Press, press};
use crate::state::State;
use crate::status::Status;
use crate::takeover;
use crate::theme::Theme;

/// Fast games finish far more iterations a second than an eye can read.
const REDRAW: Duration = Duration::from_millis(100);

/// How often everything is painted anew: another program may have written over the dashboard, and
/// this is how it heals.
const REPAINT: Duration = Duration::from_secs(2);

/// A live view of a training run on the alternate screen of the terminal.
///
/// The normal screen comes back when the dashboard is finished or dropped, and before a panic on
/// any thread prints its message; what the program prints afterwards appears where it left off.
#[derive(Debug)]
pub struct Dashboard {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What the run and the thread at the terminal share.
#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// The state changed since it was drawn.
    changed: AtomicBool,
    over: AtomicBool,
    controls: Arc<Controls>,
}

impl Shared {
    /// A thread that panicked while it held the state has left the screen already.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn warn(&self, text: &str) {
        self.state().warn(text);
        self.changed.store(true, Ordering::Relaxed);
    }
}

impl Dashboard {
    /// Takes over the terminal at standard output. Fails if there is none that can show it, or if
    /// another dashboard has it; a program then falls back to [`plain_line`](crate::plain_line).
    pub fn start(controls: Arc<Controls>) -> io::Result<Self> {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if !io::stdout().is_terminal() || dumb {
            let message = "standard output is not a terminal that can show a dashboard";
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
        let job = Job::new()?;
        if !job.in_foreground() {
            let message = "the program runs in the background";
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
        if !takeover::claim() {
            let message = "a dashboard is already showing";
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, message));
        }
        Self::enter(controls, job).inspect_err(|_| takeover::restore())
    }

    fn enter(controls: Arc<Controls>, job: Job) -> io::Result<Self> {
        let keys = takeover::show()?;
        let shared = Arc::new(Shared {
            state: Mutex::new(State::with_theme(Theme::from_env())),
            changed: AtomicBool::new(true),
            over: AtomicBool::new(false),
            controls,
        });
        let hearer = Arc::clone(&shared);
        capture::begin(move |line| hearer.warn(&line))?;
        // Buffered, so that a frame reaches the terminal in one piece.
        let writer = BufWriter::with_capacity(1 << 16, io::stdout());
        let terminal = Terminal::new(CrosstermBackend::new(writer))?;
        let attendant = Attendant {
            shared: Arc::clone(&shared),
            terminal,
            job,
            keys,
            drawn: None,
            repainted: None,
        };
        let thread = thread::Builder::new().name("dashboard".into());
        let thread = Some(thread.spawn(move || attendant.attend())?);
        Ok(Self { shared, thread })
    }

    /// Takes in what an iteration showed; it is drawn when the last drawing is long enough ago.
    pub fn show(&self, progress: &Status) {
        self.shared.state().record(progress);
        self.shared.changed.store(true, Ordering::Relaxed);
    }

    /// Shows a remark, such as the result of an evaluation.
    pub fn note(&self, text: &str) {
        self.shared.state().note(text);
        self.shared.changed.store(true, Ordering::Relaxed);
    }

    /// Shows a remark that [`Dashboard::finish`] hands out again.
    pub fn warn(&self, text: &str) {
        self.shared.warn(text);
    }

    /// Gives the terminal back, and hands out what would be lost with it: warnings, and what others
    /// printed on standard error meanwhile.
    pub fn finish(mut self) -> Vec<String> {
        self.end();
        self.shared.state().take_warnings()
    }

    fn end(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // its panic has been printed
        }
        takeover::restore();
    }
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        self.end();
    }
}

/// Whoever sits at the terminal for the run.
struct Attendant {
    shared: Arc<Shared>,
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    job: Job,
    /// Does the terminal give keys?
    keys: bool,
    drawn: Option<Instant>,
    /// When everything was last painted anew; `None` asks for it at once.
    repainted: Option<Instant>,
}

impl Attendant {
    fn attend(mut self) {
        while !self.shared.over.load(Ordering::SeqCst) && takeover::is_taken() {
            if self.job.told_to_sleep() {
                self.sleep();
            }
            if self.job.woke() {
                // After a sleep that nobody announced the terminal is as the shell left it.
                let _ = takeover::hide();
            }
            if !takeover::is_showing() {
                self.come_back();
            }
            self.listen();
            let due = self.drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW);
            let stale = self.repainted.is_none_or(|repainted| repainted.elapsed() >= REPAINT);
            if takeover::is_showing()
                && due
                && (stale || self.shared.changed.load(Ordering::Relaxed))
            {
                // A terminal that went away must not end a run.
                let _ = self.redraw(stale);
            }
        }
    }

    /// Waits for keys, but not for longer than until the next drawing.
    fn listen(&mut self) {
        if !self.keys || !takeover::is_showing() {
            thread::sleep(REDRAW);
            return;
        }
        match event::poll(REDRAW) {
            Ok(false) => {}
            Ok(true) => match event::read() {
                Ok(Event::Key(key)) => {
                    let done = press(key, &self.shared.controls, &mut self.shared.state());
                    self.act(done);
                }
                Ok(Event::Resize(..)) => self.act(Press::Repaint),
                Ok(_) => {}
                Err(_) => self.keys = false,
            },
            // The terminal gives no keys after all.
            Err(_) => self.keys = false,
        }
    }

    fn act(&mut self, press: Press) {
        match press {
            Press::Nothing => {}
            Press::Redraw => {
                self.shared.changed.store(true, Ordering::Relaxed);
                self.drawn = None;
            }
            Press::Repaint => {
                self.repainted = None;
                self.drawn = None;
            }
            Press::Suspend => self.sleep(),
            Press::Leave => {
                takeover::restore();
                std::process::exit(130);
            }
        }
    }

    /// Sleeps as a job of a shell, with the terminal as the shell knows it.
    fn sleep(&mut self) {
        if !self.job.has_shell() {
            let text = "no shell waits for this program: it would never wake up";
            self.shared.state().note(text);
            self.shared.changed.store(true, Ordering::Relaxed);
            return;
        }
        let _ = takeover::hide();
        self.job.sleep();
        let _ = self.job.woke(); // here, it is no surprise
    }

    /// Takes the terminal again. In the background the run goes on without.
    fn come_back(&mut self) {
        if self.job.in_foreground() && takeover::is_taken() {
            self.keys = takeover::show().unwrap_or(false);
            self.repainted = None;
            self.drawn = None;
        }
    }

    fn redraw(&mut self, whole: bool) -> io::Result<()> {
        self.shared.changed.store(false, Ordering::Relaxed);
        self.drawn = Some(Instant::now());
        // A copy, so that the run never waits for a slow terminal.
        let mut state = self.shared.state().clone();
        state.standing = self.shared.controls.standing();
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        if whole {
            // A resize to the same size clears without asking the terminal where its cursor is,
            // which would read standard input.
            let size = self.terminal.size()?;
            self.terminal.resize(Rect::from(size))?;
            self.repainted = Some(Instant::now());
        }
        self.terminal.draw(|frame| draw(frame, &state))?;
        execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)
    }
}

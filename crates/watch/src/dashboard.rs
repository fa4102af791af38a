//! The dashboard on a real terminal.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;

use crate::draw::draw;
use crate::progress::Progress;
use crate::state::State;
use crate::theme::Theme;

/// Fast games finish far more iterations a second than an eye can read.
const REDRAW: Duration = Duration::from_millis(100);

/// How often everything is painted anew. Without raw mode the terminal echoes what is typed, over
/// the dashboard; this is how it heals.
const REPAINT: Duration = Duration::from_secs(2);

/// Whether the alternate screen is showing. Global, because the panic hook has to know.
static SHOWING: AtomicBool = AtomicBool::new(false);

/// A live view of a training run on the alternate screen of the terminal.
///
/// The normal screen comes back when the dashboard is finished or dropped, and before a panic on
/// any thread prints its message; what the program prints afterwards appears where it left off.
#[derive(Debug)]
pub struct Dashboard {
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    state: State,
    drawn: Option<Instant>,
    /// When everything was last painted anew; `None` asks for it at once.
    repainted: Option<Instant>,
}

impl Dashboard {
    /// Takes over the terminal at standard output. Fails if there is none that can show it, or if
    /// another dashboard has it; a program then falls back to [`plain_line`](crate::plain_line).
    pub fn start() -> io::Result<Self> {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if !io::stdout().is_terminal() || dumb {
            let message = "standard output is not a terminal that can show a dashboard";
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
        if SHOWING.swap(true, Ordering::SeqCst) {
            let message = "a dashboard is already showing";
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, message));
        }
        Self::enter().inspect_err(|_| restore())
    }

    fn enter() -> io::Result<Self> {
        restore_on_panic();
        execute!(io::stdout(), EnterAlternateScreen, Hide)?;
        // Buffered, so that a frame reaches the terminal in one piece.
        let writer = BufWriter::with_capacity(1 << 16, io::stdout());
        let terminal = Terminal::new(CrosstermBackend::new(writer))?;
        let state = State::with_theme(Theme::from_env());
        let mut dashboard = Self { terminal, state, drawn: None, repainted: Some(Instant::now()) };
        dashboard.redraw()?;
        dashboard.drawn = None;
        Ok(dashboard)
    }

    /// Takes in what an iteration showed, and draws if the last drawing is long enough ago.
    pub fn show(&mut self, progress: &Progress) -> io::Result<()> {
        self.state.record(progress);
        if self.drawn.is_some_and(|drawn| drawn.elapsed() < REDRAW) {
            return Ok(());
        }
        self.redraw()
    }

    /// Shows a remark at the foot at once, such as that the run is about to stop.
    pub fn note(&mut self, text: &str) -> io::Result<()> {
        self.state.note(text);
        // The usual reason for a note is Ctrl-C, which the terminal has just echoed.
        self.repainted = None;
        self.redraw()
    }

    /// Gives the terminal back. Dropping does the same, but cannot tell whether it worked.
    pub fn finish(self) -> io::Result<()> {
        leave()
    }

    fn redraw(&mut self) -> io::Result<()> {
        // After a panic on another thread the normal screen is back: leave it alone.
        if !SHOWING.load(Ordering::SeqCst) {
            return Ok(());
        }
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        if self.repainted.is_none_or(|repainted| repainted.elapsed() >= REPAINT) {
            // A resize to the same size clears without asking the terminal where its cursor is,
            // which would read standard input.
            let size = self.terminal.size()?;
            self.terminal.resize(Rect::from(size))?;
            self.repainted = Some(Instant::now());
        }
        self.terminal.draw(|frame| draw(frame, &self.state))?;
        // At the top, a typed newline cannot scroll the screen.
        execute!(self.terminal.backend_mut(), MoveTo(0, 0), EndSynchronizedUpdate)?;
        self.drawn = Some(Instant::now());
        Ok(())
    }
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        restore();
    }
}

/// Brings the normal screen back if a dashboard is showing. For a program that must exit at once,
/// without dropping its dashboard; calling it twice does no harm.
pub fn restore() {
    // Whoever restores is on the way out; there is nobody left to tell of an error.
    let _ = leave();
}

fn leave() -> io::Result<()> {
    if !SHOWING.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    let mut stdout = io::stdout();
    execute!(stdout, EndSynchronizedUpdate, LeaveAlternateScreen, Show)?;
    stdout.flush()
}

/// The message of a panic would vanish with the alternate screen, so the screen goes first.
fn restore_on_panic() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            restore();
            previous(panic);
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restoring_without_a_dashboard_does_nothing() {
        restore();
        restore();
        assert!(!SHOWING.load(Ordering::SeqCst));
    }
}

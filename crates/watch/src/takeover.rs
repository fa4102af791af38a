//! Taking the terminal over, and giving it back whatever happens.

use std::io::{self, Write};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::execute;
use crossterm::terminal::{
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};

use crate::capture;

/// Whether a dashboard has the terminal. Global, because the panic hook has to know.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether the alternate screen is showing; it is not while the process sleeps or works in the
/// background.
static SHOWING: AtomicBool = AtomicBool::new(false);

/// Whether the terminal is in raw mode.
static RAW: AtomicBool = AtomicBool::new(false);

/// Claims the terminal for one dashboard; false if another has it.
pub(crate) fn claim() -> bool {
    restore_on_panic();
    !TAKEN.swap(true, Ordering::SeqCst)
}

/// Does a dashboard still have the terminal? After a panic on any thread it has not.
pub(crate) fn is_taken() -> bool {
    TAKEN.load(Ordering::SeqCst)
}

/// Is the alternate screen showing?
pub(crate) fn is_showing() -> bool {
    SHOWING.load(Ordering::SeqCst)
}

/// Shows the alternate screen, and takes keys if the terminal gives them: then it is true.
pub(crate) fn show() -> io::Result<bool> {
    // Keys come one by one and are not echoed; Ctrl-C and Ctrl-Z are keys like any other.
    let keys = enable_raw_mode().is_ok();
    RAW.store(keys, Ordering::SeqCst);
    SHOWING.store(true, Ordering::SeqCst);
    execute!(io::stdout(), EnterAlternateScreen, Hide)?;
    Ok(keys)
}

/// Brings the normal screen back, for as long as the process sleeps.
pub(crate) fn hide() -> io::Result<()> {
    let left = match SHOWING.swap(false, Ordering::SeqCst) {
        true => {
            let mut stdout = io::stdout();
            execute!(stdout, EndSynchronizedUpdate, LeaveAlternateScreen, Show)
                .and_then(|()| stdout.flush())
        }
        false => Ok(()),
    };
    if RAW.swap(false, Ordering::SeqCst) {
        disable_raw_mode()?;
    }
    left
}

/// Gives the terminal back for good.
pub(crate) fn leave() -> io::Result<()> {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    let left = hide();
    capture::end();
    left
}

/// Brings the normal screen back if a dashboard is showing. For a program that must exit at once,
/// without dropping its dashboard; calling it twice does no harm.
pub fn restore() {
    // Whoever restores is on the way out; there is nobody left to tell of an error.
    let _ = leave();
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
        assert!(!is_taken() && !is_showing());
    }
}

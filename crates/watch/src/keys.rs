//! What a key does.

use std::sync::atomic::Ordering::Relaxed;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::controls::Controls;
use crate::state::State;

/// The keys and what they do, as the overlay lists them.
pub(crate) const KEYS: [(&str, &str); 7] = [
    ("q", "saves and stops"),
    ("s", "saves now"),
    ("p", "pauses, or goes on"),
    ("r", "shows or hides the live picture"),
    ("?", "shows or hides this list"),
    ("Ctrl-C", "saves and stops; a second one leaves at once"),
    ("Ctrl-Z", "puts the program to sleep; fg wakes it"),
];

/// What the terminal has to do after a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Press {
    /// The key means nothing here.
    Nothing,
    /// Something on the screen changed.
    Redraw,
    /// Everything is to be painted anew.
    Repaint,
    /// Stop the process as a shell's job, and come back when it goes on.
    Suspend,
    /// End the process without waiting for the iteration.
    Leave,
}

/// Takes a key. Nothing here waits: the run looks at its controls when it can.
pub(crate) fn press(key: KeyEvent, controls: &Controls, state: &mut State) -> Press {
    if key.kind == KeyEventKind::Release {
        return Press::Nothing; // some terminals report both ends of a press
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c') if controls.interrupt.swap(true, Relaxed) => Press::Leave,
            KeyCode::Char('c') => Press::Redraw,
            KeyCode::Char('z') => Press::Suspend,
            KeyCode::Char('l') => Press::Repaint,
            _ => Press::Nothing,
        };
    }
    match key.code {
        KeyCode::Char('q' | 'Q') => controls.interrupt.store(true, Relaxed),
        KeyCode::Char('s' | 'S') => controls.save.store(true, Relaxed),
        KeyCode::Char('p' | 'P') => {
            controls.pause.fetch_xor(true, Relaxed);
        }
        KeyCode::Char('r' | 'R') if controls.has_picture => {
            controls.live.fetch_xor(true, Relaxed);
        }
        KeyCode::Char('r' | 'R') => {
            state.note("no live picture: start with --render to have one");
        }
        KeyCode::Char('?' | 'h' | 'H') => state.help = !state.help,
        KeyCode::Esc if state.help => state.help = false,
        _ => return Press::Nothing,
    }
    Press::Redraw
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(symbol: char) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(symbol), KeyModifiers::NONE)
    }

    fn control(symbol: char) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(symbol), KeyModifiers::CONTROL)
    }

    #[test]
    fn keys_set_what_the_run_looks_at() {
        let (controls, mut state) = (Controls::new(true), State::new(true));
        let mut press = |symbol| press(key(symbol), &controls, &mut state);
        assert_eq!(press('s'), Press::Redraw);
        assert!(controls.standing().saving);
        assert_eq!(press('p'), Press::Redraw);
        assert!(controls.standing().paused);
        press('p');
        assert!(!controls.standing().paused);
        assert_eq!(controls.standing().picture, Some(true));
        press('r');
        assert_eq!(controls.standing().picture, Some(false));
        assert!(!controls.standing().stopping);
        press('q');
        assert_eq!(press('q'), Press::Redraw, "q never leaves at once");
        assert!(controls.standing().stopping);
        assert_eq!(press('x'), Press::Nothing);
    }

    #[test]
    fn the_second_control_c_leaves() {
        let (controls, mut state) = (Controls::new(false), State::new(true));
        assert_eq!(press(control('c'), &controls, &mut state), Press::Redraw);
        assert!(controls.standing().stopping);
        assert_eq!(press(control('c'), &controls, &mut state), Press::Leave);
        assert_eq!(press(control('z'), &controls, &mut state), Press::Suspend);
        assert_eq!(press(control('q'), &controls, &mut state), Press::Nothing);
    }

    #[test]
    fn without_a_picture_the_key_says_how_to_get_one() {
        let (controls, mut state) = (Controls::new(false), State::new(true));
        press(key('r'), &controls, &mut state);
        assert_eq!(controls.standing().picture, None);
        assert!(state.notes.back().unwrap().text.contains("--render"));
    }

    #[test]
    fn the_list_of_keys_opens_and_closes() {
        let (controls, mut state) = (Controls::new(false), State::new(true));
        press(key('?'), &controls, &mut state);
        assert!(state.help);
        press(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE), &controls, &mut state);
        assert!(!state.help);
        let released =
            KeyEvent::new_with_kind(KeyCode::Char('?'), KeyModifiers::NONE, KeyEventKind::Release);
        assert_eq!(press(released, &controls, &mut state), Press::Nothing);
        assert!(!state.help);
    }
}

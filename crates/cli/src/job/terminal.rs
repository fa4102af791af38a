//! The terminal that a dashboard borrows: who hears its keys, and how it is put right when the dashboard was killed.

#[cfg(unix)]
pub use unix::Terminal;

#[cfg(not(unix))]
pub use elsewhere::Terminal;

#[cfg(unix)]
mod unix {
    use std::io::{self, Write};

    use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};

    /// The terminal as it was before anybody took it.
    pub struct Terminal {
        before: Option<Termios>,
    }

    impl Terminal {
        pub fn as_it_is() -> Self {
            Self { before: tcgetattr(io::stdin()).ok() }
        }

        /// Does Ctrl-C send a signal now? A dashboard reads it as a key.
        pub fn keys_are_signals(&self) -> bool {
            tcgetattr(io::stdin()).is_ok_and(|now| now.local_flags.contains(LocalFlags::ISIG))
        }

        /// Puts it right after a dashboard that could not do it.
        pub fn restore(&self) {
            let Some(before) = &self.before else { return };
            // If it is gone, there is nothing to put right.
            let _ = tcsetattr(io::stdin(), SetArg::TCSANOW, before);
            let mut out = io::stdout();
            // The normal screen, a cursor, no reports of the mouse.
            let _ = out.write_all(b"\x1b[?1049l\x1b[?25h\x1b[?1000l").and_then(|()| out.flush());
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    /// Consoles put themselves right.
    pub struct Terminal;

    impl Terminal {
        pub fn as_it_is() -> Self {
            Self
        }

        /// Keys of a console reach every program in it.
        pub fn keys_are_signals(&self) -> bool {
            true
        }

        pub fn restore(&self) {}
    }
}

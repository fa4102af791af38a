//! What somebody asks of this program by a signal.

/// What a program leaves with that was interrupted and did not finish.
pub const LEFT_AT_ONCE: i32 = 130;

/// A wish of whoever started it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Ctrl-C, or a signal of that name.
    Interrupt,
    /// A terminal that was closed.
    HangUp,
    /// A signal to this process alone.
    Terminate,
    /// Ctrl-Z.
    Sleep,
}

#[cfg(unix)]
pub use unix::Signals;

#[cfg(not(unix))]
pub use elsewhere::Signals;

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP};
    use signal_hook::{flag, low_level};

    use super::Wish;

    /// Listens from its making on.
    pub struct Signals(Vec<(Wish, Arc<AtomicBool>)>);

    impl Signals {
        pub fn listen() -> io::Result<Self> {
            let mut all = Vec::new();
            for (signal, wish) in [
                (SIGINT, Wish::Interrupt),
                (SIGHUP, Wish::HangUp),
                (SIGTERM, Wish::Terminate),
                (SIGTSTP, Wish::Sleep),
            ] {
                let heard = Arc::new(AtomicBool::new(false));
                flag::register(signal, Arc::clone(&heard))?;
                all.push((wish, heard));
            }
            Ok(Self(all))
        }

        /// A wish that has not been told of yet.
        pub fn next(&self) -> Option<Wish> {
            let new = self.0.iter().find(|(_, heard)| heard.swap(false, Ordering::SeqCst));
            new.map(|(wish, _)| *wish)
        }

        /// Sleeps as any program does at Ctrl-Z, until a shell wakes it.
        pub fn sleep(&self) {
            let _ = low_level::emulate_default_handler(SIGTSTP); // then it stays awake
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::Wish;

    /// Listens from its making on.
    pub struct Signals(Arc<AtomicBool>);

    impl Signals {
        pub fn listen() -> io::Result<Self> {
            let heard = Arc::new(AtomicBool::new(false));
            let flag = Arc::clone(&heard);
            ctrlc::set_handler(move || flag.store(true, Ordering::SeqCst))
                .map_err(io::Error::other)?;
            Ok(Self(heard))
        }

        /// A wish that has not been told of yet.
        pub fn next(&self) -> Option<Wish> {
            self.0.swap(false, Ordering::SeqCst).then_some(Wish::Interrupt)
        }

        /// There are no shells here that wake a program.
        pub fn sleep(&self) {}
    }
}

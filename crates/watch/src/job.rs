//! The process as a job of a shell: going to sleep, waking up, foreground and background.

#[cfg(unix)]
pub(crate) use unix::Job;

#[cfg(not(unix))]
pub(crate) use elsewhere::Job;

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::process::{Signal, getpgrp, getppid, getsid, kill_current_process_group};
    use signal_hook::consts::{SIGCONT, SIGTSTP};
    use signal_hook::{flag, low_level};

    /// Hears what a shell tells its jobs.
    #[derive(Debug)]
    pub(crate) struct Job {
        /// It was told to sleep.
        told: Arc<AtomicBool>,
        /// It went on after a sleep.
        woken: Arc<AtomicBool>,
        /// Nobody listens any more: sleep as any program does.
        over: Arc<AtomicBool>,
    }

    impl Job {
        pub(crate) fn new() -> io::Result<Self> {
            let flag = || Arc::new(AtomicBool::new(false));
            let job = Self { told: flag(), woken: flag(), over: flag() };
            // Handlers cannot be taken back, so the first one sleeps once `over` is set.
            flag::register_conditional_default(SIGTSTP, Arc::clone(&job.over))?;
            flag::register(SIGTSTP, Arc::clone(&job.told))?;
            flag::register(SIGCONT, Arc::clone(&job.woken))?;
            Ok(job)
        }

        /// Was it told to sleep since it was last asked?
        pub(crate) fn told_to_sleep(&self) -> bool {
            self.told.swap(false, Ordering::SeqCst)
        }

        /// Did it go on after a sleep since it was last asked?
        pub(crate) fn woke(&self) -> bool {
            self.woken.swap(false, Ordering::SeqCst)
        }

        /// Does a shell wait for this program? A program that a terminal runs directly would sleep for
        /// ever.
        pub(crate) fn has_shell(&self) -> bool {
            match (getppid().map(|parent| getsid(Some(parent))), getsid(None)) {
                (Some(Ok(theirs)), Ok(ours)) => theirs == ours,
                _ => false,
            }
        }

        /// Sleeps until somebody wakes the process. Its whole group sleeps: a script around the program
        /// is part of what the shell waits for.
        pub(crate) fn sleep(&self) {
            let _ = kill_current_process_group(Signal::TSTP); // this process sleeps in any case
            let _ = low_level::emulate_default_handler(SIGTSTP);
            self.told.store(false, Ordering::SeqCst);
        }

        /// May it use the terminal? A job in the background that did would be stopped.
        pub(crate) fn in_foreground(&self) -> bool {
            // Of standard output: standard input may come from elsewhere.
            let group = rustix::termios::tcgetpgrp(rustix::stdio::stdout());
            group.map_or(true, |group| group == getpgrp()) // not a terminal of a shell: nobody minds
        }
    }

    impl Drop for Job {
        fn drop(&mut self) {
            self.over.store(true, Ordering::SeqCst);
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::io;

    /// No jobs on this system.
    #[derive(Debug)]
    pub(crate) struct Job;

    impl Job {
        pub(crate) fn new() -> io::Result<Self> {
            Ok(Self)
        }

        pub(crate) fn told_to_sleep(&self) -> bool {
            false
        }

        pub(crate) fn woke(&self) -> bool {
            false
        }

        pub(crate) fn has_shell(&self) -> bool {
            false
        }

        pub(crate) fn sleep(&self) {}

        pub(crate) fn in_foreground(&self) -> bool {
            true
        }
    }
}

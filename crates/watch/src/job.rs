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

    // A session or a group whose leader lives outside this process's container has the number 0, which
    // rustix takes for impossible.
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::{Pid, getpgrp, getppid, getsid, tcgetpgrp};
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
            let parent = getppid();
            // 0: the parent lives outside, as for the first process of a container.
            parent.as_raw() > 0
                && getsid(Some(parent)).is_ok_and(|theirs| getsid(None) == Ok(theirs))
        }

        /// Sleeps until somebody wakes the process. Its whole group sleeps: a script around the program
        /// is part of what the shell waits for.
        pub(crate) fn sleep(&self) {
            let group = Pid::from_raw(0); // to kill(2), that of whoever calls
            let _ = kill(group, Signal::SIGTSTP); // this process sleeps in any case
            let _ = low_level::emulate_default_handler(SIGTSTP);
            self.told.store(false, Ordering::SeqCst);
        }

        /// May it use the terminal? A job in the background that did would be stopped.
        pub(crate) fn in_foreground(&self) -> bool {
            // Of standard output: standard input may come from elsewhere.
            let group = tcgetpgrp(io::stdout());
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

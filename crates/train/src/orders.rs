//! What a run is told from outside while it trains.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use crate::evaluate::Tell;

/// How often a run that waits looks whether it may go on.
const GLANCE: Duration = Duration::from_millis(50);

/// What a run is told besides its configuration.
#[derive(Clone, Copy)]
pub struct Orders<'a> {
    /// Set from outside to stop after the iteration.
    pub interrupt: &'a AtomicBool,
    /// Stop and save at so many steps, without touching the schedules.
    pub pause_at: Option<u64>,
    /// Set from outside to save after the iteration; the run takes it back.
    pub save: Option<&'a AtomicBool>,
    /// Set from outside to wait after the iteration, for as long as it is set.
    pub wait: Option<&'a AtomicBool>,
    /// Is the match beside training to be shown, if there is one?
    pub show: Option<&'a AtomicBool>,
    /// Hears how far the last evaluation is.
    pub evaluating: Option<Tell<'a>>,
}

impl<'a> Orders<'a> {
    /// Train until somebody interrupts.
    pub fn until_interrupted(interrupt: &'a AtomicBool) -> Self {
        Self { interrupt, pause_at: None, save: None, wait: None, show: None, evaluating: None }
    }

    /// Waits for as long as it is told to, but answers when it is to save or to stop. Nothing is
    /// computed meanwhile, and the time does not count as training.
    pub(crate) fn wait(&self) {
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        while self.wait.is_some_and(is_set)
            && !is_set(self.interrupt)
            && !self.save.is_some_and(is_set)
        {
            sleep(GLANCE);
        }
    }

    /// Is it to save? Asking takes the order.
    pub(crate) fn take_save(&self) -> bool {
        self.save.is_some_and(|save| save.swap(false, Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_waits_still_hears() {
        let [interrupt, save, wait] = [false, false, true].map(AtomicBool::new);
        let orders = Orders {
            save: Some(&save),
            wait: Some(&wait),
            ..Orders::until_interrupted(&interrupt)
        };
        std::thread::scope(|scope| {
            for flag in [&save, &interrupt] {
                let waiting = scope.spawn(|| orders.wait());
                sleep(GLANCE);
                assert!(!waiting.is_finished());
                flag.store(true, Ordering::Relaxed);
                waiting.join().unwrap();
                assert_eq!(orders.take_save(), std::ptr::eq(flag, &save));
            }
            interrupt.store(false, Ordering::Relaxed);
            let waiting = scope.spawn(|| orders.wait());
            wait.store(false, Ordering::Relaxed);
            waiting.join().unwrap();
        });
        assert!(!Orders::until_interrupted(&interrupt).take_save());
    }
}

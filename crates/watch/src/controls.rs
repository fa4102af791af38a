//! What the person at the keyboard wants of the run.

use std::sync::atomic::{AtomicBool, Ordering};

/// Wishes that the dashboard takes and the run fulfils. Both sides hold it; neither waits for the
/// other.
#[derive(Debug, Default)]
pub struct Controls {
    /// Stop after the iteration, and save.
    pub interrupt: AtomicBool,
    /// Save after the iteration; whoever saves takes the wish back.
    pub save: AtomicBool,
    /// Wait between two iterations for as long as this holds.
    pub pause: AtomicBool,
    /// Send frames of the live picture.
    pub live: AtomicBool,
    /// Is there a live picture to show or hide?
    pub has_picture: bool,
}

impl Controls {
    /// Nothing is wanted yet. A picture, if there is one, shows from the start.
    pub fn new(has_picture: bool) -> Self {
        Self { live: AtomicBool::new(has_picture), has_picture, ..Self::default() }
    }

    /// How they stand now, for drawing.
    pub(crate) fn standing(&self) -> Standing {
        let is = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        Standing {
            stopping: is(&self.interrupt),
            saving: is(&self.save),
            paused: is(&self.pause),
            picture: self.has_picture.then(|| is(&self.live)),
        }
    }
}

/// The wishes at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) stopping: bool,
    pub(crate) saving: bool,
    pub(crate) paused: bool,
    /// Does the live picture show? Nothing if there is none.
    pub(crate) picture: Option<bool>,
}
